"""Perft and random games, from the start and from each corpus, timed."""

import pytest

from brade_fast import bench

CASES = [
    case
    for corpus in (bench.START, *bench.CORPORA)
    for case in bench.cases(corpus)
    if not case.calls
]


@pytest.mark.parametrize("case", CASES, ids=[f"{case.corpus}-{case.what}" for case in CASES])
def test_games(benchmark, timed, case):
    benchmark.group = "random games" if case.unit == "turns" else "perft"
    timed(case)

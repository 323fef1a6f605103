"""All plays of each corpus, made in each way, timed: ``pytest benchmarks``."""

import pytest

from brade_fast import bench

CASES = [case for corpus in bench.CORPORA for case in bench.cases(corpus) if case.calls]


@pytest.mark.parametrize(
    "case", CASES, ids=[f"{case.corpus}-{case.throws}-{case.what}" for case in CASES]
)
def test_plays(benchmark, timed, case):
    benchmark.group = f"{case.corpus}, {case.throws} throws"
    timed(case)

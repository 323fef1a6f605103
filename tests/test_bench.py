"""The corpora are what they say, and the benchmark counts what it times."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from brade_fast import BRADE, REVERTIER, VERQUERE, Outcome, _core, bench, reference
from brade_fast.positions import KINDS, random_rules

DATA = Path(bench.__file__).parent / "data"
MAKER = Path(__file__).parent.parent / "benchmarks" / "make_corpora.py"
COLUMNS = ("plays/s", "ns/play", "µs/call", "turns/s", "generic", "× reference")


def longest_run(men):
    """The longest row of made points on a player's own 12-24."""
    best = run = 0
    for n in men[12:25]:
        run = run + 1 if n > 1 else 0
        best = max(best, run)
    return best


# --- Corpora --------------------------------------------------------------------------


def test_the_files_are_named_small_and_say_what_they_are():
    files = sorted(DATA.glob("*"))
    assert {path.name for path in files} == {f"{name}.txt" for name in (*bench.CORPORA, "counts")}
    assert sum(path.stat().st_size for path in files) < 300_000
    for path in files:
        lines = path.read_text("utf-8").splitlines()
        assert lines[0].startswith("# ")
        assert "# Made by: python benchmarks/make_corpora.py" in lines


def test_every_rare_kind_is_one_of_the_generators():
    assert set(bench.RARE) < set(KINDS)


@pytest.mark.parametrize("corpus", bench.CORPORA)
def test_a_corpus_has_its_size_and_distinct_valid_positions_that_nobody_has_won(corpus):
    positions = bench.load(corpus)
    assert len(set(positions)) == len(positions) == (100 if corpus in bench.RARE else 2000)
    for position in positions:
        # Validity is checked again on arrays, by the other implementation.
        reference.check_board(reference.board_of(position.array()))
        assert not position.is_over(BRADE)
    rng = np.random.default_rng(1)
    for rules in (VERQUERE, REVERTIER, *(random_rules(rng) for _ in range(20))):
        assert not any(position.is_over(rules) for position in positions)


@pytest.mark.parametrize("corpus", ["random", "sensible"])
def test_the_corpora_of_games_reach_from_opening_to_end(corpus):
    positions = bench.load(corpus)
    first, last = 15 * 24, 100
    pips = [min(position.pips) for position in positions]
    assert max(pips) > first * 0.9
    # Any beginning of the file is a fair sample: its mean is near that of the whole.
    assert abs(np.mean(pips[:200]) - np.mean(pips)) < 0.1 * first
    assert corpus == "random" or min(pips) < last


def test_sensible_play_sees_primes_bearing_off_and_nice_games():
    boards = np.array([position.array() for position in bench.load("sensible")])
    runs = Counter(longest_run(men) for board in boards for men in board.tolist())
    assert runs[4] + runs[5] + runs[6] > 200
    assert runs[5] + runs[6] > 50
    assert np.count_nonzero(boards[:, :, 25]) > 60
    found = _core.enumerate_plays(*bench.pairs(bench.load("sensible"), "all"), BRADE)
    outcomes = Counter(map(Outcome, found.outcomes.tolist()))
    nice = [outcome for outcome in outcomes if 3 <= outcome <= 10]
    assert sum(outcomes[outcome] for outcome in nice) >= 10
    assert outcomes[Outcome.BEAR_OFF]
    assert outcomes[Outcome.JOHN]
    assert outcomes[Outcome.FORCED_JOHN]


def test_the_corpora_can_be_made_again():
    if not MAKER.exists():
        pytest.skip("the script is in the repository only")
    done = subprocess.run(
        [sys.executable, MAKER, "--check"], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr


# --- Expected counts ------------------------------------------------------------------


def reference_counts(corpus, throws, count):
    boards, dice = bench.pairs(bench.load(corpus)[:count], throws)
    counts = np.asarray(reference.count_plays(boards, dice, BRADE))
    return counts.reshape(-1, len(bench.THROWS_OF[throws])).sum(axis=1).tolist()


@pytest.mark.parametrize("throws", ["unequal", "doubles"])
@pytest.mark.parametrize("corpus", bench.CORPORA)
def test_the_reference_counts_as_many_plays(corpus, throws):
    expected = bench.expected_counts(corpus, throws)
    assert len(expected) == len(bench.load(corpus))
    assert reference_counts(corpus, throws, 15) == expected[:15]


@pytest.mark.long
@pytest.mark.parametrize("throws", ["unequal", "doubles"])
@pytest.mark.parametrize("corpus", bench.CORPORA)
def test_the_reference_counts_as_many_plays_everywhere(corpus, throws):
    assert reference_counts(corpus, throws, None) == bench.expected_counts(corpus, throws)


@pytest.mark.parametrize("corpus", bench.CORPORA)
def test_perft_of_the_corpora_agrees_with_plays_taken_one_by_one(corpus):
    position = bench.load(corpus)[0]
    nodes = 0
    for d1, d2 in bench.THROWS:
        for play in position.plays(d1, d2, BRADE):
            if play.outcome:
                nodes += 1
            else:
                boards, dice = bench.pairs([play.position], "all")
                nodes += int(_core.count_plays(boards, dice, BRADE, generic=True).sum())
    assert nodes == bench.expected_counts(corpus, "perft")[0]


# --- The benchmark --------------------------------------------------------------------


@pytest.mark.parametrize("rules", [BRADE, VERQUERE, BRADE.replace(five_blots=True)])
def test_a_quick_run_gives_the_promised_table(rules):
    result = bench.run(rules, repeats=1, quick=True)
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    assert result["build"] == _core.build_info()
    assert result["numpy"] == np.__version__
    assert result["corpora"] == {name: 20 if name in bench.RARE else 200 for name in bench.CORPORA}
    rows = {(row["corpus"], row["throws"], row["what"]): row for row in result["rows"]}
    assert len(rows) == len(result["rows"])
    ways = (
        "written out", "counted", "arrays", "arrays, steps", "generic path", "Position.plays",
        "reference",
    )  # fmt: skip
    for corpus in ("random", "sensible"):
        for throws in ("unequal", "doubles", "all"):
            for way in ways:
                row = rows[corpus, throws, way]
                assert min(row[key] for key in ("plays", "plays_per_second", "calls")) > 0
                assert row["ns_per_play"] == pytest.approx(1e9 / row["plays_per_second"])
                assert row["times_reference"] > 0
    for kind in bench.RARE:
        row = rows[kind, "all", "written out"]
        assert 0 <= row["generic_share"] <= 1
        assert row["times_reference"] > 0
    assert rows["start", "all", "perft 3"]["plays"] == (181_818 if rules.five_blots else 182_138)
    assert rows["start", "all", "self-play"]["turns_per_second"] > 0

    table = bench.format_table(result)
    assert max(map(len, table.splitlines())) <= 100
    assert all(column in table for column in COLUMNS)
    assert sum(bool(line.strip()) for line in table.splitlines()) >= len(rows) + 1


@pytest.mark.parametrize("corpus", [bench.START, *bench.CORPORA])
def test_every_case_makes_what_it_should(corpus):
    for case in bench.cases(corpus, quick=True):
        watch = bench.Stopwatch(case, least=0)
        watch.take()
        assert watch.median() > 0
        assert watch.number > 0
        assert watch.passes == 1


def test_a_wrong_number_of_plays_is_refused():
    case = bench.Case("counted", "random", "all", lambda: 7, 8)
    with pytest.raises(AssertionError, match="counted, random, all throws: 7 plays instead of 8"):
        bench.Stopwatch(case)


def test_a_number_of_turns_that_changes_is_refused():
    numbers = iter([7, 7, 8])
    case = bench.Case("self-play", "start", "all", lambda: next(numbers), None, "turns")
    watch = bench.Stopwatch(case, least=0)
    watch.take()
    with pytest.raises(AssertionError, match="8 turns instead of 7"):
        watch.take()


@pytest.mark.parametrize("missing", [False, True])
def test_the_bar_needs_no_tqdm(monkeypatch, capsys, missing):
    if missing:
        monkeypatch.setitem(sys.modules, "tqdm", None)
    else:
        pytest.importorskip("tqdm")
    case = bench.Case("counted", "random", "all", lambda: 1, 1, calls=21)
    yardstick = case._replace(what="reference")
    written = case._replace(what="written out")
    monkeypatch.setattr(
        bench, "cases", lambda name, rules, quick: [written, yardstick] if name == "random" else []
    )
    bench.run(repeats=2, quick=True, progress=True)
    assert ("/6 [" in capsys.readouterr().err) is not missing

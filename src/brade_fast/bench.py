"""The benchmark: the corpora, the cases measured on them, and one table of the results.

``brade-fast bench`` and the pytest-benchmark files measure the same `cases`. Each case knows
how many plays it has to make, and a measurement that made another number is refused.
"""

from __future__ import annotations

import contextlib
import math
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from importlib import resources
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _core, reference
from .notation import rules_text
from .positions import THROWS
from .rules import BRADE, Outcome, Rules

__all__ = [
    "CORPORA",
    "RARE",
    "START",
    "Case",
    "Stopwatch",
    "cases",
    "expected_counts",
    "format_table",
    "load",
    "pairs",
    "run",
]

Array = npt.NDArray[np.int8]

RARE = ("bars", "six_runs", "seven_runs", "last_men", "john_near", "nice_near", "few_men")
CORPORA = ("random", "sensible", *RARE)
START = "start"  # the start of the game, a corpus of one position
THROWS_OF = {
    "all": THROWS,
    "unequal": tuple(throw for throw in THROWS if throw[0] != throw[1]),
    "doubles": tuple(throw for throw in THROWS if throw[0] == throw[1]),
}
DEPTH, DEPTH_SAMPLE = 2, 10  # perft of the corpora: turns, positions
PERFT_START = {2: 1526, 3: 182_138, 4: 21_358_569}  # bräde
SEED = 1


class Case(NamedTuple):
    """One thing to measure.

    Attributes
    ----------
    what, corpus, throws : str
        What is done, with which positions, with which of the 21 throws.
    work : callable
        One pass over the calls; gives the number of plays (or turns) made.
    expected : int or None
        That number. None: any, but the same in each pass.
    unit : str
        ``"plays"`` or ``"turns"``.
    calls : int or None
        Pairs of a position and a throw in a pass, where such are called.
    generic : float or None
        The share of calls that the gates send to the generic path.
    """

    what: str
    corpus: str
    throws: str
    work: Callable[[], int]
    expected: int | None
    unit: str = "plays"
    calls: int | None = None
    generic: float | None = None


# --- Corpora --------------------------------------------------------------------------


def _lines(name: str) -> list[str]:
    text = resources.files(__package__).joinpath("data", f"{name}.txt").read_text("utf-8")
    return [line for line in text.splitlines() if not line.startswith("#")]


def load(corpus: str) -> tuple[_core.Position, ...]:
    """The positions of one of `CORPORA`.

    Nobody has won in them in bräde, nor then under any other rules: bräde knows every end.
    """
    return tuple(map(_core.Position.from_id, _lines(corpus)))


def expected_counts(corpus: str, what: str) -> list[int]:
    """The committed numbers of plays in bräde, one for each position of a corpus.

    Parameters
    ----------
    corpus : str
        One of `CORPORA`.
    what : str
        ``"unequal"``, ``"doubles"``, ``"all"``: plays of these throws together. ``"perft"``:
        perft `DEPTH` of the first `DEPTH_SAMPLE` positions.
    """
    if what == "all":
        parts = (expected_counts(corpus, throws) for throws in ("unequal", "doubles"))
        return [sum(counts) for counts in zip(*parts, strict=True)]
    begin = f"{corpus} {what} "
    line = next(line for line in _lines("counts") if line.startswith(begin))
    return [int(count) for count in line[len(begin) :].split()]


def pairs(positions: Iterable[_core.Position], throws: str) -> tuple[Array, Array]:
    """Boards and dice: every position with every throw of ``THROWS_OF[throws]``."""
    boards = np.array([position.array() for position in positions])
    dice = np.array(THROWS_OF[throws], dtype=np.int8)
    return np.repeat(boards, len(dice), axis=0), np.tile(dice, (len(boards), 1))


# --- Cases ----------------------------------------------------------------------------


def _perft_by_generic_path(positions: Iterable[_core.Position], depth: int, rules: Rules) -> int:
    """What perft has to give, by the path that it takes for the rarest calls only."""
    boards = np.array([position.array() for position in positions])
    ended = 0
    for _ in range(depth - 1):
        dice = np.tile(np.array(THROWS, dtype=np.int8), (len(boards), 1))
        found = _core.enumerate_plays(
            np.repeat(boards, len(THROWS), axis=0), dice, rules, generic=True
        )
        ended += int(np.count_nonzero(found.outcomes))
        boards = found.boards[found.outcomes == Outcome.NONE]
    dice = np.tile(np.array(THROWS, dtype=np.int8), (len(boards), 1))
    boards = np.repeat(boards, len(THROWS), axis=0)
    return ended + int(_core.count_plays(boards, dice, rules, generic=True).sum())


def _plays_cases(
    corpus: str, throws: str, positions: tuple[_core.Position, ...], rules: Rules, few: int
) -> Iterator[Case]:
    """All plays of the corpus, made in each way; `few` positions for the slow ways."""
    boards, dice = pairs(positions, throws)
    per = len(THROWS_OF[throws])
    if rules == BRADE:
        counts = expected_counts(corpus, throws)
    else:
        by_call = _core.count_plays(boards, dice, rules, generic=True)
        counts = by_call.reshape(-1, per).sum(axis=1).tolist()

    def case(what: str, work: Callable[[], int], n: int, share: float | None = None) -> Case:
        return Case(what, corpus, throws, work, sum(counts[:n]), calls=n * per, generic=share)

    n = len(positions)
    share = float(_core.generic_calls(boards, dice, rules).mean())
    yield case("written out", lambda: _core.write_plays(boards, dice, rules), n, share)
    yield case("counted", lambda: int(_core.count_plays(boards, dice, rules).sum()), n)
    yield case("arrays", lambda: len(_core.enumerate_plays(boards, dice, rules).boards), n)
    yield case(
        "arrays, steps",
        lambda: len(_core.enumerate_plays(boards, dice, rules, steps=True).boards),
        n,
    )
    yield case("generic path", lambda: _core.write_plays(boards, dice, rules, generic=True), n, 1.0)
    n = min(n, 5 * few)
    some = [(position, *throw) for position in positions[:n] for throw in THROWS_OF[throws]]
    yield case(
        "Position.plays",
        lambda: sum(len(position.plays(d1, d2, rules)) for position, d1, d2 in some),
        n,
    )
    n = min(n, few)
    yield case(
        "reference",
        lambda: len(reference.enumerate_plays(boards[: n * per], dice[: n * per], rules).boards),
        n,
    )


def _self_play(engine: Any, positions: Any, trials: int, rules: Rules) -> int:
    """Random games to their end; gives their turns."""
    found = engine.playouts(positions, trials, SEED, rules)
    if (found.outcomes.sum(axis=(1, 2)) != trials).any():
        raise AssertionError("a game has not been counted, or twice")
    return int(found.turns.sum())


def _game_cases(corpus: str, positions: tuple[_core.Position, ...], rules: Rules) -> Iterator[Case]:
    """Perft and random games from the positions of a corpus."""
    some = positions[:DEPTH_SAMPLE]
    if rules == BRADE:
        nodes = sum(expected_counts(corpus, "perft")[: len(some)])
    else:
        nodes = _perft_by_generic_path(some, DEPTH, rules)
    yield Case(
        f"perft {DEPTH}", corpus, "all",
        lambda: sum(_core.perft(position, DEPTH, rules) for position in some), nodes,
    )  # fmt: skip
    many = np.array([position.array() for position in positions[:100]])
    yield Case("self-play", corpus, "all", lambda: _self_play(_core, many, 1, rules), None, "turns")


def _start_cases(rules: Rules, quick: bool) -> Iterator[Case]:
    """Perft and random games from the start, and the same in the reference."""
    start = _core.Position.start()
    board = reference.board_of(start.array())

    def perft(name: str, engine: Any, position: Any, depth: int) -> Case:
        nodes = (
            PERFT_START[depth] if rules == BRADE else _perft_by_generic_path([start], depth, rules)
        )
        return Case(name, START, "all", lambda: int(engine.perft(position, depth, rules)), nodes)

    # Counts at depth 4 are known for bräde alone, and would take long to find.
    depth = 4 if rules == BRADE and not quick else 3
    yield perft(f"perft {depth}", _core, start, depth)
    yield perft("reference perft", reference, board, 2)
    trials = 50 if quick else 500
    yield Case(
        "self-play", START, "all", lambda: _self_play(_core, start, trials, rules), None, "turns"
    )
    yield Case(
        "reference self-play", START, "all",
        lambda: _self_play(reference, board, 1 if quick else 10, rules), None, "turns",
    )  # fmt: skip


def cases(corpus: str, rules: Rules = BRADE, *, quick: bool = False) -> list[Case]:
    """All cases of one of `CORPORA`, or of `START`.

    Parameters
    ----------
    corpus : str
    rules : Rules
    quick : bool
        A small part of the corpus only.
    """
    if corpus == START:
        return list(_start_cases(rules, quick))
    positions = load(corpus)
    few = 10 if corpus in RARE else 30
    if quick:
        positions, few = positions[: 20 if corpus in RARE else 200], few // 5
    found: list[Case] = []
    for throws in ("all",) if corpus in RARE else ("unequal", "doubles", "all"):
        found += _plays_cases(corpus, throws, positions, rules, few)
    return [*found, *_game_cases(corpus, positions, rules)]


# --- Measuring ------------------------------------------------------------------------


class Stopwatch:
    """Measures one case, again and again.

    Parameters
    ----------
    case : Case
        One pass of it is made at once, which is not measured.
    least : float
        A measurement holds so many passes that it lasts about so long, in seconds.

    Attributes
    ----------
    number : int
        Plays (or turns) made in one pass.
    seconds : list of float
        CPU time of one pass, by measurement.
    first : float
        CPU time of the pass that was made at once, in seconds.

    Raises
    ------
    AssertionError
        If a pass made another number of plays than it should; `take` does so too.
    """

    def __init__(self, case: Case, least: float = 0.03) -> None:
        self.case = case
        self.seconds: list[float] = []
        begin = time.process_time()
        number = case.work()
        self.first = time.process_time() - begin
        self.passes = math.ceil(least / self.first) if 0 < self.first < least else 1
        self.number = number if case.expected is None else case.expected
        self._check([number])

    def take(self) -> None:
        """Make one measurement."""
        begin = time.process_time()
        numbers = [self.case.work() for _ in range(self.passes)]
        self.seconds.append((time.process_time() - begin) / self.passes)
        self._check(numbers)

    def median(self) -> float:
        """Seconds of one pass; never 0, whatever the clock."""
        return max(statistics.median(self.seconds), 1e-9)

    def _check(self, numbers: list[int]) -> None:
        for number in numbers:
            if number != self.number:
                raise AssertionError(
                    f"{self.case.what}, {self.case.corpus}, {self.case.throws} throws: "
                    f"{number:,} {self.case.unit} instead of {self.number:,}"
                )


def _in_table(case: Case) -> bool:
    """The table shows less of the rare kinds than there is to measure."""
    if case.corpus in RARE:
        return case.what in ("written out", "reference")
    return case.corpus == START or case.what not in (f"perft {DEPTH}", "self-play")


def run(
    rules: Rules = BRADE, *, repeats: int = 5, quick: bool = False, progress: bool = False
) -> dict[str, Any]:
    """Measure everything that the table shows.

    Parameters
    ----------
    rules : Rules
    repeats : int
        The median of so many measurements in CPU time is taken.
    quick : bool
        A small part of the corpora only.
    progress : bool
        Show a progress bar, if tqdm is there.

    Returns
    -------
    dict
        JSON-able: ``rules``, ``repeats``, ``quick``, ``build``, ``numpy``, ``python``,
        ``corpora`` (positions used of each) and ``rows``, one for each line of the table.

    Raises
    ------
    AssertionError
        If a case made another number of plays than it should.
    """
    names = (*CORPORA[:2], START, *RARE)
    todo = [case for name in names for case in cases(name, rules, quick=quick) if _in_table(case)]
    watches: list[Stopwatch] = []
    with _bar((1 + repeats) * len(todo), progress) as done:
        for case in todo:
            watches.append(Stopwatch(case, 0.005 if quick else 0.03))
            done()
        # In rounds, so that a disturbance falls on one measurement of many cases and not on
        # all of one.
        for _ in range(repeats):
            for watch in watches:
                watch.take()
                done()
    rows = [_row(watch) for watch in watches]
    speeds = {_yardstick(row): _speed(row) for row in rows if row["what"].startswith("reference")}
    for row in rows:
        row["times_reference"] = _speed(row) / speeds[_yardstick(row)]
    return {
        "rules": rules_text(rules),
        "repeats": repeats,
        "quick": quick,
        "build": _core.build_info(),
        "numpy": np.__version__,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "corpora": {
            case.corpus: case.calls // len(THROWS)
            for case in todo
            if case.calls and (case.what, case.throws) == ("written out", "all")
        },
        "rows": rows,
    }


def _speed(row: dict[str, Any]) -> float:
    return float(row["plays_per_second"] or row["turns_per_second"])


def _yardstick(row: dict[str, Any]) -> tuple[str, str, bool]:
    """What a row and the row of the reference beside it have in common."""
    return row["corpus"], row["throws"], row["turns_per_second"] is None


def _row(watch: Stopwatch) -> dict[str, Any]:
    """A line of the table as data; what does not fit a case is None."""
    case, number, seconds = watch.case, watch.number, watch.median()
    plays = case.unit == "plays"
    return {
        "what": case.what,
        "corpus": case.corpus,
        "throws": case.throws,
        "calls": case.calls,
        "plays": number if plays else None,
        "turns": None if plays else number,
        "plays_per_second": number / seconds if plays else None,
        "first_plays_per_second": number / max(watch.first, 1e-9) if plays else None,
        "ns_per_play": seconds / number * 1e9 if plays else None,
        "us_per_call": seconds / case.calls * 1e6 if case.calls else None,
        "turns_per_second": None if plays else number / seconds,
        "generic_share": case.generic,
    }


@contextlib.contextmanager
def _bar(total: int, progress: bool) -> Iterator[Callable[[], object]]:
    """Gives what is called after each part."""
    if progress:
        try:
            from tqdm import tqdm
        except ImportError:
            pass
        else:
            with tqdm(total=total, leave=False, file=sys.stderr) as bar:
                yield bar.update
            return
    yield lambda: None


# --- The table ------------------------------------------------------------------------


def _short(number: float | None) -> str:
    """Three digits and a letter: 45.1M."""
    if number is None:
        return ""
    for letter, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if number >= size:
            return f"{_digits(number / size)}{letter}"
    return _digits(number)


def _digits(number: float | None) -> str:
    if number is None:
        return ""
    return f"{number:.{0 if number >= 100 else 1 if number >= 10 else 2}f}"


def _with_first(row: dict[str, Any]) -> str:
    """What was done, and for arrays how fast the first pass was, which takes new memory."""
    if row["what"] != "arrays":
        return str(row["what"])
    return f"arrays (first {_short(row['first_plays_per_second'])})"


def format_table(result: dict[str, Any]) -> str:
    """The result of `run` as one table, at most 100 columns wide."""
    head = (
        "positions",
        "work",
        "throws",
        "plays/s",
        "ns/play",
        "µs/call",
        "turns/s",
        "generic",
        "× reference",
    )
    table: list[tuple[str, ...]] = [head]
    groups = [(row["corpus"] not in RARE and (row["corpus"], row["throws"]))
              for row in result["rows"]]  # fmt: skip
    for i, row in enumerate(result["rows"]):
        if i and groups[i] != groups[i - 1]:
            table.append(("",) * len(head))
        share = row["generic_share"]
        table.append(
            (
                row["corpus"],
                _with_first(row),
                row["throws"],
                _short(row["plays_per_second"]),
                _digits(row["ns_per_play"]),
                _digits(row["us_per_call"]),
                _short(row["turns_per_second"]),
                "" if share is None else f"{share:.1%}",
                f"{row['times_reference']:,.0f}",
            )
        )
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = [
        "  ".join(
            cell.ljust(width) if i < 3 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ).rstrip()
        for cells in table
    ]
    build, sizes = result["build"], result["corpora"]
    rare = {size for name, size in sizes.items() if name in RARE}
    about = [
        f"{result['rules']}, medians of {result['repeats']} in CPU time, one core"
        + (" (quick: small parts of the corpora)" if result["quick"] else ""),
        ", ".join([*(f"{k} {v}" for k, v in build.items()), f"numpy {result['numpy']}"]),
        f"positions: random {sizes['random']:,}, sensible {sizes['sensible']:,}, "
        f"each rare kind {max(rare):,}",
    ]
    return "\n".join([*about, "", *lines])

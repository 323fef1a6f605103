"""Count the instructions of a play under valgrind and compare with the committed table.

    python benchmarks/instructions.py              count and compare; status 1 if one is worse
    python benchmarks/instructions.py --update     take what is counted into the table

Time is noisy, instructions are not: counts of the same build differ by far less than the 3 %
that are allowed here. The table ``instructions.json`` is keyed by the compiler's version and
the CPU level, for another compiler makes other instructions: on a key that is not in the table
the counts are printed and nothing is compared. Without valgrind nothing is checked.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from brade_fast import Position, _core
from brade_fast.bench import CORPORA, RARE, SEED, START, Case, expected_counts, load, pairs

TABLE = Path(__file__).with_name("instructions.json")
ALLOWED = 3.0  # percent
PASSES = 1  # and twice as many, to be subtracted
SAMPLE = 400  # positions of a corpus; every beginning of a corpus is a fair sample
MARK = "getsid"  # a function of the C library that nothing else calls

Counts = dict[str, float]


# --- What is counted: the child, which runs under valgrind --------------------------------


def cases() -> Iterator[Case]:
    """The rows of the table."""
    for corpus in CORPORA:
        for throws in ("all",) if corpus in RARE else ("unequal", "doubles"):
            yield _plays("written out", corpus, throws)
    yield _plays("counted", "random", "all")
    yield _plays("generic path", "random", "all", SAMPLE // 4)
    start = Position.start()
    yield Case(
        "self-play", START, "all",
        lambda: int(_core.playouts(start, 50, SEED).turns.sum()), None, "turns",
    )  # fmt: skip


def _plays(what: str, corpus: str, throws: str, sample: int = SAMPLE) -> Case:
    """One way to make all plays of the first positions of a corpus."""
    positions = load(corpus)[:sample]
    boards, dice = pairs(positions, throws)
    work = {
        "written out": lambda: _core.write_plays(boards, dice),
        "counted": lambda: int(_core.count_plays(boards, dice).sum()),
        "generic path": lambda: _core.write_plays(boards, dice, generic=True),
    }[what]
    return Case(what, corpus, throws, work, sum(expected_counts(corpus, throws)[:sample]))


def child() -> None:
    """Make the passes of each case between marks; print the key and what was made."""
    made = []
    todo = list(cases())
    gc.disable()
    for case in todo:
        numbers = {case.work()}  # what is done once only is done here
        for passes in (PASSES, 2 * PASSES):
            os.getsid(0)
            for _ in range(passes):
                numbers.add(case.work())
        os.getsid(0)
        expected = numbers if case.expected is None else {case.expected}
        if len(numbers) != 1 or numbers != expected:
            raise AssertionError(f"{name(case)}: {numbers} {case.unit} instead of {expected}")
        made.append((name(case), numbers.pop()))
    print(json.dumps({"key": key(_core.build_info()), "made": made}))


def name(case: Case) -> str:
    """A row's name in the table."""
    return f"{case.what}, {case.corpus}, {case.throws}"


def key(build: dict[str, str]) -> str:
    """Builds of the same key have comparable counts."""
    return f"{build['compiler']}, {build['cpu']}"


# --- Counting -----------------------------------------------------------------------------


def between_marks(command: Sequence[str | Path], **variables: str) -> tuple[str, list[int]]:
    """Run a command under callgrind.

    Parameters
    ----------
    command : sequence
    **variables : str
        Of the environment, besides those that make a run like the next.

    Returns
    -------
    printed : str
    counts : list of int
        Instructions from the start to the first call of `MARK`, from there to the second, ...

    Raises
    ------
    RuntimeError
        If the command failed.
    """
    environment = os.environ | dict.fromkeys(
        ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1"
    )
    environment |= {"PYTHONHASHSEED": "0", **variables}
    with tempfile.TemporaryDirectory() as room:
        # Callgrind writes a file, out.1, out.2, ..., and begins again from 0 at each mark.
        valgrind = ["valgrind", "--tool=callgrind", f"--dump-before={MARK}", "--dump-line=no"]
        done = subprocess.run(
            [*valgrind, f"--callgrind-out-file={Path(room) / 'out'}", *command],
            env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            last = "\n".join(done.stderr.splitlines()[-30:])
            raise RuntimeError(f"the counted process failed, status {done.returncode}:\n{last}")
        files = sorted(Path(room).glob("out.*"), key=lambda path: int(path.suffix[1:]))
        return done.stdout, [_summary(path) for path in files]


def _summary(path: Path) -> int:
    with path.open(encoding="utf-8") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("summary:"))


def count(level: str) -> tuple[str, Counts]:
    """The key of a CPU level, and instructions per play (or turn) by row."""
    printed, counts = between_marks([sys.executable, __file__, "--child"], BRADE_FAST_CPU=level)
    found = json.loads(printed)
    if len(counts) != 3 * len(found["made"]):
        raise RuntimeError(f"callgrind saw {len(counts)} marks, not 3 of each case")
    rows = {}
    for i, (row, number) in enumerate(found["made"]):
        _, once, twice = counts[3 * i : 3 * i + 3]
        rows[row] = round((twice - once) / PASSES / number, 2)
    return found["key"], rows


def count_all(levels: Sequence[str]) -> dict[str, Counts]:
    """The same for several levels, by key."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = dict(pool.map(count, levels))
    if len(found) != len(levels):
        raise RuntimeError(f"{', '.join(levels)} were asked for, {', '.join(found)} ran")
    return found


# --- Comparing ----------------------------------------------------------------------------


class Row(NamedTuple):
    """A line of what is printed; what is not committed is None."""

    case: str
    now: float
    committed: float | None

    @property
    def change(self) -> float | None:
        """In percent; worse is positive."""
        return self.committed and 100 * (self.now / self.committed - 1)


def compare(now: Counts, committed: Counts) -> list[Row]:
    """What was counted beside what is in the table."""
    return [Row(case, number, committed.get(case)) for case, number in now.items()]


def worse(rows: Sequence[Row]) -> list[str]:
    """The rows that have become worse than is allowed."""
    return [row.case for row in rows if row.change is not None and row.change > ALLOWED]


def better(rows: Sequence[Row]) -> list[str]:
    """The rows that have become better by as much."""
    return [row.case for row in rows if row.change is not None and row.change < -ALLOWED]


def format_rows(rows: Sequence[Row]) -> str:
    """An aligned table."""
    table = [("instructions per play (self-play: per turn)", "now", "committed", "change")]
    for row in rows:
        known = "-" if row.committed is None else f"{row.committed:,.2f}"
        change = "" if row.change is None else f"{row.change:+.2f} %"
        table.append((row.case, f"{row.now:,.2f}", known, change))
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if i else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ).rstrip()
        for cells in table
    )


def verdict(rows: Sequence[Row], committed: Counts) -> Iterator[str]:
    """What the rows of one key amount to, in sentences."""
    if not committed:
        yield f"NOTHING WAS COMPARED: {TABLE.name} has no counts for this key (--update adds them)"
        return
    compared = sum(row.committed is not None for row in rows)
    yield f"{compared} of {len(rows)} rows compared, {len(worse(rows))} worse than allowed"
    if names := worse(rows):
        yield f"WORSE by more than {ALLOWED:g} %: {'; '.join(names)}"
    if names := better(rows):
        yield f"better by more than {ALLOWED:g} % (--update keeps that): {'; '.join(names)}"
    if names := [row.case for row in rows if row.committed is None]:
        yield f"not in the table, NOT COMPARED: {'; '.join(names)}"
    if names := sorted(set(committed) - {row.case for row in rows}):
        yield f"in the table, but not counted: {'; '.join(names)}"


# --- The table and the command ------------------------------------------------------------


def read_table() -> dict[str, Counts]:
    """All keys; none if there is no table yet."""
    if not TABLE.exists():
        return {}
    table: dict[str, Counts] = json.loads(TABLE.read_text(encoding="utf-8"))
    return table


def write_table(table: dict[str, Counts]) -> None:
    """Write all or nothing."""
    beside = TABLE.with_suffix(".new")
    text = json.dumps(dict(sorted(table.items())), indent=2) + "\n"
    beside.write_text(text, encoding="utf-8", newline="\n")
    beside.replace(TABLE)


def main(arguments: Sequence[str] | None = None) -> int:
    """Count, print, compare."""
    levels = _core.cpu_levels()
    parser = argparse.ArgumentParser(description="Count instructions per play under valgrind.")
    parser.add_argument("--update", action="store_true", help="write the counts into the table")
    parser.add_argument(
        "--cpu", choices=(*levels, "all"), default="all", help="level to count (default: all)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.child:
        child()
        return 0

    if not shutil.which("valgrind"):
        line = "!" * 72
        print(
            f"{line}\nNOTHING WAS CHECKED: there is no valgrind here "
            f"(Debian: apt-get install valgrind)\n{line}",
            file=sys.stderr,
        )
        if options.json:
            print(json.dumps({"checked": False, "keys": {}}))
        return 1 if options.update else 0  # to check nothing is allowed, to write nothing is not
    print("counting under valgrind (about a minute) ...", file=sys.stderr, flush=True)
    try:
        found = count_all(levels if options.cpu == "all" else [options.cpu])
    except RuntimeError as failure:
        print(f"NOTHING WAS CHECKED: {failure}", file=sys.stderr)
        return 2

    table = read_table()
    keys: dict[str, Any] = {}
    bad = False
    for built, counts in found.items():
        committed = table.get(built, {})
        rows = compare(counts, committed)
        bad = bad or bool(worse(rows))
        said = list(verdict(rows, committed))
        keys[built] = {
            "compared": bool(committed),
            "rows": [{**row._asdict(), "change": row.change} for row in rows],
            "worse": worse(rows),
            "better": better(rows),
        }
        if not options.json:
            print("\n".join([f"\n{built}", "", format_rows(rows), *said]))
    if options.json:
        print(json.dumps({"checked": True, "keys": keys}, indent=2))
    if options.update:
        write_table(table | found)
        print(f"\n{TABLE.name} written: {'; '.join(found)}", file=sys.stderr)
        return 0
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

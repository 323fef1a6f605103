"""Do the tests notice when a rule is broken? One small change at a time, each in a copy.

    python tests/mutants.py [--jobs N] [--only core|reference|FILE|PART OF A NAME] [--list]

Every change of data/mutants.txt breaks one rule of one implementation. For each of them the tree is
copied to a temporary folder and changed there, what it is compiled into is built again, and the
tests of the rules run until the first of them fails. A change that no test notices is a hole in
the tests, unless it changes nothing that the rules can show; then the table says why.

One kernel is built, the baseline one; that all levels do the same is test_levels.py's business.

The status is 1 if a change was not noticed that is not explained, or noticed although it is.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import functools
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = Path("src", "brade_fast")
# Quick ones first; these look at the rules, the others at texts, input and speed.
TESTS = (
    "test_worked_cases.py",
    "test_switches.py",
    "test_john_beside_shorter_plays.py",
    "test_bad_values.py",
    "test_bulk.py",
    "test_laws.py",
    "test_cross_check.py",
    "test_random_games.py",
    "test_next_steps.py",
    "test_notation.py",
    "test_cli.py",
)
TIMEOUT = 600  # seconds for the tests of one change; who hangs is noticed

CHANGES = ROOT / "tests" / "data" / "mutants.txt"


class Change(NamedTuple):
    name: str
    file: str
    old: str
    new: str
    equivalent: str

    @property
    def part(self) -> str:
        return "reference" if self.file.endswith(".py") else "core"


class Found(NamedTuple):
    by: str  # the test that noticed the change, or nothing
    seconds: float
    broken: bool = False  # it could not be tried


class BrokenCheckError(Exception):
    """This script no longer fits the tree."""


def changes() -> list[Change]:
    """The table, each old text held against its file."""
    found = []
    for section in CHANGES.read_text(encoding="utf-8").split("\n=== ")[1:]:
        file, _, entries = section.partition("\n")
        text = (ROOT / PACKAGE / file).read_text(encoding="utf-8")
        for name, lines, reason in re.findall(r"^(\w.*)\n((?:  .*\n?)+)(= .*)?", entries, re.M):
            marked = re.sub("^  ", "", lines.rstrip("\n"), flags=re.M)
            old, new = (
                re.sub(r"\[-(.*?)-\]\{\+(.*?)\+\}", kept, marked, flags=re.S)
                for kept in (r"\1", r"\2")
            )
            if old == new or text.count(old) != 1:
                raise BrokenCheckError(f"{file}: {name}: {text.count(old)} times, not 1: {old!r}")
            found.append(Change(name, file, old, new, reason.removeprefix("= ")))
    if len({(c.part, c.name) for c in found}) < len(found):
        raise BrokenCheckError("a name comes twice in the table")
    return found


# --- Trees ------------------------------------------------------------------------------

running: set[subprocess.Popen[str]] = set()


def run(tree: Path, *arguments: str) -> tuple[int | None, str]:
    """The status of a Python process (None: it took too long) and what it printed."""
    process = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=tree,
        env=os.environ | {"PYTHONPATH": str(tree / "src"), "BRADE_FAST_CPU": "baseline"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    running.add(process)
    try:
        printed, _ = process.communicate(timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return None, process.communicate()[0]
    finally:
        running.discard(process)
    return process.returncode, printed


def copy_tree(source: Path, tree: Path) -> None:
    unwanted = shutil.ignore_patterns(".*", "build", "dist", "*.c", "_v3.*.so")
    shutil.copytree(source, tree, ignore=unwanted)


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    if text.count(old) != 1:
        raise BrokenCheckError(f"{path}: {text.count(old)} times, not 1: {old!r}")
    path.write_text(text.replace(old, new), encoding="utf-8")


def build(tree: Path, with_core: bool) -> None:
    """Builds the kernel, and ``_core`` too unless the one that was copied will do."""
    if not with_core:
        replace(tree / "setup.py", 'extension("_core"),', "")
    status, printed = run(tree, "setup.py", "build_ext", "--inplace", "--force")
    if status != 0:
        raise BrokenCheckError(f"{tree.name}: the core cannot be built\n{printed[-2000:]}")


WORD = re.compile(r"(?<![\w.])[a-z]\w+")  # not kernel.word: that is a call by the kernel's table


@functools.cache
def compiled_into_core() -> set[str]:
    """The inline functions that the code of ``_core`` reaches, itself or by others of them."""
    words: dict[str, set[str]] = {}
    for path in (ROOT / PACKAGE).glob("*.pxd"):
        for block in re.split(r"^(?=\S)", path.read_text(encoding="utf-8"), flags=re.M):
            if function := function_of(block):
                words.setdefault(function, set()).update(WORD.findall(block))
    found: set[str] = set()
    parts = {ROOT / PACKAGE / "_core.pyx", *(ROOT / PACKAGE).glob("*.pxi")}
    parts.remove(ROOT / PACKAGE / "_kernel.pxi")
    new = {word for part in parts for word in WORD.findall(part.read_text(encoding="utf-8"))}
    while new := (new & words.keys()) - found:
        found |= new
        new = set[str]().union(*(words[function] for function in new))
    return found


def function_of(block: str) -> str:
    """The name of an inline function, or nothing if the block is something else."""
    found = re.match(r"cdef inline [^\n(]*?(\w+)\(", block)
    return found[1] if found else ""


def changes_core(change: Change) -> bool:
    """Whether ``_core`` has to be built again, beside the kernel.

    It has the same parts as the kernel, but calls few of their functions; what is no function
    may matter anywhere.
    """
    text = (ROOT / PACKAGE / change.file).read_text(encoding="utf-8")
    before, _, _ = text.partition(change.old)
    block = re.split(r"^(?=\S)", before + change.old, flags=re.M)[-1]
    function = function_of(block)
    inside = function != "" and len(block) > len(change.old)
    return not inside or function in compiled_into_core()


def run_tests(tree: Path) -> Found:
    start = time.monotonic()
    files = [f"tests/{name}" for name in TESTS]
    status, printed = run(
        tree, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--tb=no",
        "-k", "not ctrl_c", *files,
    )  # fmt: skip
    failed = re.search(r"^(?:FAILED|ERROR) tests/(.+?)(?: - .*)?$", printed, re.M)
    if status is None:
        by = f"no end after {TIMEOUT} seconds"
    elif status < 0:
        by = f"a crash by signal {-status}"
    elif status == 1 and failed:
        by = failed[1]
    elif status == 0:
        by = ""
    else:
        raise BrokenCheckError(f"{tree.name}: the tests do not run\n{printed[-2000:]}")
    return Found(by, time.monotonic() - start)


def try_change(change: Change, base: Path, number: int) -> Found:
    tree = base.with_name(f"change-{number}")
    copy_tree(base, tree)
    try:
        replace(tree / PACKAGE / change.file, change.old, change.new)
        if change.part == "core":
            build(tree, with_core=changes_core(change))
        return run_tests(tree)
    except BrokenCheckError as reason:
        return Found(str(reason), 0, broken=True)
    finally:
        shutil.rmtree(tree)


# --- The check --------------------------------------------------------------------------


def verdict(change: Change, found: Found) -> str:
    if found.broken:
        return "COULD NOT BE TRIED"
    if found.by:
        return "noticed, though explained" if change.equivalent else "noticed"
    return "not noticed, as explained" if change.equivalent else "NOT NOTICED"


def check(chosen: list[Change], jobs: int, folder: Path) -> dict[Change, Found]:
    """What became of each change; prints a line for each as it comes."""
    found: dict[Change, Found] = {}
    base = folder / "unchanged"
    copy_tree(ROOT, base)
    replace(base / "setup.py", '["-O3"]', '["-Og"]')  # quickest for build and tests together
    replace(base / "setup.py", "with_v3 = (", "with_v3 = False and (")
    build(base, with_core=True)
    unchanged = run_tests(base)
    if unchanged.by:
        raise BrokenCheckError(f"the unchanged tree fails: {unchanged.by}")
    print(f"the unchanged tree passes ({unchanged.seconds:.0f} s)", flush=True)
    pool = concurrent.futures.ThreadPoolExecutor(jobs)
    tasks = {pool.submit(try_change, change, base, n): change for n, change in enumerate(chosen)}
    try:
        for task in concurrent.futures.as_completed(tasks):
            change, result = tasks[task], task.result()
            found[change] = result
            print(
                f"[{len(found)}/{len(chosen)}] {change.part}: {change.name}: "
                f"{verdict(change, result)} {result.by} ({result.seconds:.0f} s)",
                flush=True,
            )
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in list(running):
            os.killpg(process.pid, signal.SIGKILL)
        pool.shutdown()
    return found


def report(chosen: list[Change], found: dict[Change, Found]) -> int:
    """Prints the table and the counts; the status for the shell."""
    print()
    for change in chosen:
        print(f"{change.part:9}  {verdict(change, found[change]):25}  {change.name}")
        print(f"{'':38}{found[change].by or change.equivalent or 'by no test'}")
    print()
    verdicts = [verdict(change, found[change]) for change in chosen]
    for word in sorted(set(verdicts)):
        print(f"{verdicts.count(word):4} {word}")
    return int(not set(verdicts) <= {"noticed", "not noticed, as explained"})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--jobs", type=int, default=2, help="changes at a time (default 2)")
    parser.add_argument("--only", default="", help='"core", "reference", a file, or part of a name')
    parser.add_argument("--list", action="store_true", help="print the table and do nothing")
    options = parser.parse_args()
    table = changes()
    chosen = [c for c in table if options.only in (c.part, c.file) or options.only in c.name]
    if not chosen or options.jobs < 1:
        parser.error(f"no change has {options.only!r} in its name, or --jobs is below 1")
    if options.list:
        for change in chosen:
            reason = f" (= {change.equivalent})" if change.equivalent else ""
            print(f"{change.part:9}  {change.file:14}  {change.name}{reason}")
        return 0
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        status = report(chosen, check(chosen, options.jobs, Path(folder)))
    print(f"{(time.monotonic() - start) / 60:.1f} minutes")
    return status


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenCheckError as reason:
        sys.exit(f"error: {reason}")

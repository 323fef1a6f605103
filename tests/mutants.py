"""Do the tests notice when a rule is broken? One small change at a time, each in a copy.

    python tests/mutants.py [--jobs N] [--only core|reference|PART OF A NAME] [--list]

Every change of ``CHANGES`` breaks one rule of one implementation. For each of them the tree is
copied to a temporary folder and changed there, the core is built again if it is the core's, and
the tests of the rules run until the first of them fails. A change that no test notices is a
hole in the tests, unless it changes nothing that the rules can show; then the table says why.

The status is 1 if a change was not noticed that is not explained, or noticed although it is.
"""

from __future__ import annotations

import argparse
import concurrent.futures
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
    "test_laws.py",
    "test_cross_check.py",
    "test_random_games.py",
    "test_notation.py",
    "test_cli.py",
)
TIMEOUT = 600  # seconds for the tests of one change; who hangs is noticed

# A name and a piece of text of the file, which must occur there exactly once, with the change
# marked [-old-]{+new+}. "=" says why nobody can notice the change.
CHANGES = r"""
=== _state.pxd
own men may pair on 2
  FAR_SIDE = (1 << 12) - (1 << [-2-]{+3+})
the own head is barred like the far side
  FAR_SIDE = (1 << [-12-]{+13+}) - (1 << 2)
five in a row are a long block
      run &= run >> [-2-]{+1+}             # now
a long block passes from 24 to 1
      cdef uint32_t run = [-made & (made-]{+(made | (made >> 24)) & ((made | (made >> 24))+} >> 1)
the last two points of a block cannot be forced
      return run[- | (run << 2)-]{++}
only the first six points of a run can be forced
      [-run |= run-]{+run &= ~(run << 1); run |= run+} << 1
= Who stands before a run is at least seven pips from its seventh point.
the last man may force
      return s.men[OFF] == [-14-]{+15+}
an opposing blot is no available point
      return popcount(Q1 & ~s.own & ~s.[-foe_made-]{+foe+})
an own point is available
      return popcount(Q1 & ~s.[-own & ~s.-]{++}foe_made)
a quadrant is full with as many men as points
  s.men[0] >[--]{+=+} available_points(s)
Junker with as many men as points
  s.men[0] >[--]{+=+} popcount(
Junker counts no points that he may force
  [-(~s.foe_made | block_forceable(s, rules))-]{+~s.foe_made+}
fourteen men are a tower
  men[24] [-== 15-]{+>= 14+}
the staircase goes down
  men[22] == [-3 and men[23] == 5 and men[24] == 7-]{+7 and men[23] == 5 and men[24] == 3+}
a double crown needs no five men on 24
  men[22] == 5 and men[23] == 5[- and men[24] == 5-]{++}
a single crown needs no three men on 20
      if (men[[-20] == 3 and men[-]{++}21] == 3
a monk needs two men on the bar
  rules.monk and s.foes[0] > [-0-]{+1+}
John with one man fewer
      if s.john >= [-7-]{+6+}:
forcing makes no forced John
  john = [-FORCED_JOHN if forced else -]{++}JOHN
of several ends the one with the higher number counts
  [-rules.rank[john] > rules.rank[best]-]{+john > best+}
= Nice games are completed on own piles, and bearing off hits nobody: no step makes two ends.
John in the fast paths with one man more
  row_john(row) >= [-7-]{+8+})
a blot hit in its own Q1 brings John nearer
          if [-not bit(point) & Q3-]{+True+}:
a pass is no play
      [-put(out, row, NONE, steps.bytes)-]{+pass+}
=== _generic.pxd
bearing off with a man on 18
      if s.men[0] or s.own & ~<uint32_t> Q4 [--]{+& ~bit(18) +}or not s.own:
the exact die bears nobody off in bräde
  if rearmost + die >[-=-]{++} OFF and
any man on the exact point leaves in bräde
      if [-not rules.bear_off_rearmost_only and -]{++}s.own
an own man does not bar entering by force
  if bit(die) & (s.[-own | (s.foe_made & ~forceable)-]{+foe_made & ~forceable+}):
five blots from nine on
      if rules.five_blots and s.men[1] > [-10-]{+9+}:
five blots from eleven on
      if rules.five_blots and s.men[1] > [-10-]{+11+}:
the reduction counts men, not pips
  return [-max(step.source + step.die - OFF, 0)-]{+step.source + step.die > OFF+}
forcing sends one man to the bar
          men = [-s.foes[foe]-]{+1+}
men forced from their talon do not bring John nearer
              if [-i and bit(target) & Q3-]{+False+}:
play goes on after the end
  child.complete = [-child.outcome != NONE or -]{++}left == 0
who is Junker does not pass on the generic path
  node.complete = [-junker(start, rules)-]{+False+}
an end must use the most dice
  return node.used == duties.most_dice[- or node.outcome != NONE-]{++}
no duty of the higher die
                  duties.only_die = [-high-]{+0+}
the smallest reduction binds in every game
      if [-rules.smallest_reduction-]{+True+}:
endings are free in every game
  return [-rules.endings_free and -]{++}node.outcome != NONE
a play with different dice left comes twice
  mixed [-|= left >= 0 and left != node.left-]{+= False+}
who cannot move makes a deadlock alone
      return [-not can_step(flipped, rules)-]{+True+}
a six does not end a deadlock
      for die in range(1, [-7-]{+6+}):
=== _unequal.pxd
unequal: a blot hit in its own Q1 brings John nearer
      t.near_john = t.blots[- & ~<uint32_t> Q3-]{++}
unequal: an own man on the far side does not bar
  land = POINTS & ~s.foe_made[- & ~(s.own & FAR_SIDE)-]{++}
unequal: a pair may be one man's way from behind
  others = second & ~[-(bit(a) >> t.low) & ~-]{++}target
unequal: a pair may be one man's way from the front
  others = second & ~(bit(a) >> t.low)[- & ~target-]{++}
unequal: a single man is a pair
          if [-not s.own_made & bit(a)-]{+False+}:
unequal: two men hit one blot twice
          if target & [-(FAR_SIDE | t.blots)-]{+FAR_SIDE+}:
unequal: two men land together on the far side
              if [-target & FAR_SIDE-]{+False+}:
unequal: the pair goes on after the high die made John
              if [-needed == 0-]{+False+}:         # a must be last
unequal: both men of a pair make John
                  [-others &= ~nearer-]{+pass+}
unequal: a pair that makes John goes on
  [-(others & ~nearer if needed == 1 else others)-]{+others+} | twin
unequal: one man's second hit is not John
      if t.hits_needed >[--]{+=+} 2:
unequal: touching down with the high die is free
  through[- & ~(s.foe_made >> high)-]{++}
unequal: one man quiet both ways counts twice
      by_low &= [-~by_high-]{+by_low+}              # quiet
unequal: John by one step is left out
          [-put_singles(&t, row, first & (t.near_john >> high), high)-]{+pass+}
unequal: one man goes on after John
          [-hit_low &= ~(t.near_john >> low)-]{+pass+}
unequal: a man takes the place of the one who made John
          [-by_high &= ~(last_hit & ((s.own & FAR_SIDE) >> high))-]{+pass+}
unequal: the lower die is played
      if first[--]{+ and not second+}:
unequal: a shorter play beside John is forgotten
      if out.count > before:
          return [-False-]{+True+}
unequal: who has entered bars nobody on the far side
  land = POINTS & ~s.foe_made & ~([--]{+s.+}own & FAR_SIDE)
unequal: who enters and goes on, hitting, counts once
              if by_high and not hit_high[- and not hit_low-]{++}:
unequal: who enters and goes on, quiet, counts twice
                  skip = [-bit(low)-]{+0+}
unequal: an own man does not bar entering
      cdef uint32_t barred = s.[-own | s.-]{++}foe_made
unequal: two who enter and make John have no other plays
              if hit_high + hit_low >[-=-]{++} t.hits_needed:
=== _doubles.pxd
doubles: moves may start further back
  sources = own & ((POINTS & ~t.foe_made) >> t.die)[- & ~(bit(start) - 1)-]{++}
doubles: pushing a man costs nothing
              cost += [-1-]{+0+}
doubles: a far man's place is taken before he left
      if [-bit(source) & FAR_SIDE and t.men[source]-]{+False+}:
doubles: a man goes on from the last hit
          if [-t.steps.bytes[4 * k] == target-]{+False+}:
doubles: a second man follows the one who hit
          if [-t.steps.bytes[4 * k] == source and not t.steps.bytes[4 * k + 3]-]{+False+}:
doubles: the last step may be John and go on
          [-sources &= ~((blots & t.near_john) >> t.die)-]{+pass+}
doubles: two men land together on the far side
          [-elif-]{+if+} t.men[source] > 1:
doubles: the man in the way need not be pushed
                  [-then &= target-]{+pass+}
doubles: two men hit one blot twice
  left = blots[- & ~target-]{++}
doubles: who enters has four more steps
          left = [-3-]{+4+} if
doubles: two men enter on one point
          left = 3 if [-s.men[0] == 1 and -]{++}row_john(row) < 7
doubles: play goes on after an entering John
          left = 3 if s.men[0] == 1[- and row_john(row) < 7-]{++}
=== _turn.pxd
gate: the lower die never forces a full quadrant
  entry_forceable(s, rules) & (bit(high)[- | bit(low)-]{++})
gate: no block is forced with the second die of one man
  (men << high) | (men << low)[- | (men << (high + low))-]{++}
gate: four steps reach no further than two
      cdef int steps = [-4 if high == low else -]{++}2
gate: nobody comes to 20 with the whole throw
      cdef int too_far = [-18-]{+20+} -
gate: John by the only blots in reach is not seen
  ~<uint32_t> Q3) >[-=-]{++} needed
gate: five blots from eleven on
  or (rules.five_blots and s.men[1] > [-10-]{+11+})
gate: who is Junker does not pass on the fast paths
      if [-junker(&s, rules)-]{+False+}:
=== _bulk.pxd
perft goes on after the end of a game
                  if [-out.outcomes[i] != NONE-]{+False+}:
random games: the winner is always the first
          mover = [-1 - mover-]{+0+}
random games: a deadlock counts for the side that met it
                  result = DEADLOCK[-
                  mover = 0-]{++}
=== reference.py
own men may pair on 2
  FAR_SIDE = range([-2-]{+3+}, 12)
a long block passes from 24 to 1
      return ([-0-]{+other[12]+}, *other[13:25], *other[1:13])
men on the bar need not enter first
      sources = [[-BAR] if mover[BAR] else [p for p in POINTS-]{+p for p in range(25)+} if mover[p]]
the own talon does not bar entering
      if [-source == BAR or -]{++}target in FAR_SIDE:
five blots from nine on
      return rules.five_blots and mover[TALON] > [-10-]{+9+}
five blots from eleven on
      return rules.five_blots and mover[TALON] > [-10-]{+11+}
bearing off with a man on 18
      if any(mover[:[-19-]{+18+}]) or
the exact die bears nobody off in bräde
          return rearmost if rearmost >[-=-]{++} exact else None
any man on the exact point leaves in bräde
      if [-rules.bear_off_rearmost_only-]{+False+}:
nobody leaves from behind the empty point in the older games
      return [-rearmost if rearmost > exact else -]{++}None
the reduction counts men, not pips
      return [-step.source + step.die - OFF-]{+int(step.source + step.die > OFF)+} if
the last man may force
      return mover[OFF] == MEN[- - 1-]{++}
a quadrant is full with as many men as points
  "force" and mover[BAR] >[--]{+=+} len(available_points(board)):
a full quadrant is forced only where no point is available
  "force" and mover[BAR] [-> len(available_points(board)-]{+and not available_points(board+}):
five in a row are a long block
              if len(run) >= [-6-]{+5+}:
an own point is available
      return {p for p in Q1 if not[- mover[p] and not-]{++}
who is Junker does not pass
      if [-rules.blocked_entry == "pass" and junker(board, rules)-]{+False+}:
          return [
play goes on after the end
                  if [-outcome or -]{++}not rest:
an earlier forcing makes John a forced one
  forced=[-step.hit == FORCED-]{+any(s.hit == FORCED for s in (*steps, step))+})
an end must use the most dice
      return [s for s in pool if len(s.steps) == most[- or s.outcome-]{++}]
the lower die is played
      highest = [-max-]{+min+}(
in bräde the duties are measured among the ends too
      others = [-[s for s in pool if not s.outcome]-]{+pool+}
John and forced John on one board are one play
      return list({[-(s.board, s.outcome)-]{+s.board+}: s for s in sequences}.values())
the staircase goes down
      (0, 0, [-3, 5, 7-]{+7, 5, 3+}):
a monk needs two men on the bar
      monk = rules.monk and other[BAR] > [-0-]{+1+}
of several ends the least valuable counts
      return [-max-]{+min+}(ends,
only made points in the loser's Q1 count for John
  for men in loser[1:7] if men[--]{+ > 1+})
Junker counts points that the last man may not force
      if rules.long_block_force[- and not is_last_man(mover)-]{++}:
= Such a last man cannot enter, so he passes either way.
Junker counts made points with an own man on them
  if p in Q1[- and not mover[p]-]{++}}
= A point that the opponent has made never holds an own man.
a six does not end a deadlock
      return any(possible_steps(board, die, rules) for die in range(1, [-7-]{+6+}))
random games: the winner is always the first
              return [-(turns - 1) % 2-]{+0+}, play.outcome, turns
"""


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
    for section in CHANGES.split("\n=== ")[1:]:
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
        env=os.environ | {"PYTHONPATH": str(tree / "src")},
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
    unwanted = shutil.ignore_patterns(".*", "build", "dist", "_core.c")
    shutil.copytree(source, tree, ignore=unwanted)


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    if text.count(old) != 1:
        raise BrokenCheckError(f"{path}: {text.count(old)} times, not 1: {old!r}")
    path.write_text(text.replace(old, new), encoding="utf-8")


def build(tree: Path) -> None:
    status, printed = run(tree, "setup.py", "build_ext", "--inplace", "--force")
    if status != 0:
        raise BrokenCheckError(f"{tree.name}: the core cannot be built\n{printed[-2000:]}")


def run_tests(tree: Path) -> Found:
    start = time.monotonic()
    files = [f"tests/{name}" for name in TESTS]
    status, printed = run(
        tree, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--tb=no", *files
    )
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
            build(tree)
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
    build(base)
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
    parser.add_argument("--only", default="", help='"core", "reference", or part of a name')
    parser.add_argument("--list", action="store_true", help="print the table and do nothing")
    options = parser.parse_args()
    table = changes()
    chosen = [c for c in table if options.only == c.part or options.only in c.name]
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

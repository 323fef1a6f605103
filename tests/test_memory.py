"""What memory cannot hold is refused in words, and the process goes on."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

resource = pytest.importorskip("resource", reason="no limits on memory can be set here")

# Memory for what has been loaded and 30 MB more; work that needs more, then a little of each.
PROGRAM = """
import resource, sys
import numpy as np
from brade_fast import Position, apply, count_plays, enumerate_plays, iter_plays, perft, playouts

start = Position.start().array()
few = np.repeat(start[None], 50, axis=0)
enumerate_plays(few, (2, 1), threads=2)     # the threads' stacks are part of what is loaded
wide = np.broadcast_to(start.astype(np.int64), (1_500_000, 2, 26))
some = np.repeat(start[None], 800_000, axis=0)
rich = np.zeros((2, 26), np.int8)
rich[0, [1, 4, 7, 10, *range(12, 18), *range(19, 24)]] = 1
rich[1, 0], rich[1, 12], rich[1, 25] = 5, 1, 9
rich = np.repeat(rich[None], 2000, axis=0)
with open("/proc/self/statm") as statm:
    loaded = int(statm.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (loaded + (30 << 20), resource.RLIM_INFINITY))


def small():
    found = enumerate_plays(few, (2, 1), steps=True)
    assert len(found.boards) == 100
    assert count_plays(few, (2, 1)).tolist() == [2] * 50
    assert (apply(few, found.steps[::2]).boards == found.boards[::2]).all()
    assert [str(play) for play in Position.start().plays(4, 4)] == ["1/5/9 1/5"]
    assert perft(start, 2) == 1526
    assert playouts(start, 3, 1).outcomes.sum() == 3


small()
for _ in range(3):
    try:
        eval(sys.argv[1])
    except MemoryError as error:
        print(error)
    else:
        raise SystemExit("there was memory enough")
    small()
"""


PLAYS = r"no memory for [\d,]+ plays \([\d,.]+ MB\); iter_plays needs less at a time"
COPY = r"no memory for a copy of [\d,]+ rows as int8 \([\d,.]+ MB\)"
WORK = {
    "enumerate_plays(some, (3, 1))": PLAYS,
    "enumerate_plays(some, (3, 1), steps=True, threads=2)": PLAYS,
    "enumerate_plays(rich, (1, 1))": PLAYS,
    "enumerate_plays(rich, (1, 1), threads=2)": PLAYS,
    "enumerate_plays(wide, (3, 1))": COPY,
    "count_plays(np.broadcast_to(start, (10**7, 2, 26)), (3, 1))": COPY,
    "list(iter_plays(some, (3, 1), chunk=2 * 10**5))": PLAYS,
    "apply(some, np.broadcast_to(np.int8(-1), (800_000, 4, 4)))": r"no memory for 800,000 boards "
    r"\(42.4 MB\)",
}


@pytest.mark.skipif(sys.platform != "linux", reason="limits on memory work on Linux alone")
@pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="asan takes all memory")
@pytest.mark.parametrize("work", WORK)
def test_what_memory_cannot_hold_is_refused_and_the_process_goes_on(work):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, work],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=os.environ | {"MALLOC_ARENA_MAX": "1", "OPENBLAS_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, (done.stdout, done.stderr)
    lines = done.stdout.splitlines()
    assert len(lines) == 3
    for line in lines:
        assert re.fullmatch(WORK[work], line), line
    if work == "enumerate_plays(some, (3, 1))":
        rows, size = re.search(r"([\d,]+) plays \(([\d.]+) MB", lines[0]).groups()
        plays = int(rows.replace(",", ""))
        assert 1_600_000 <= plays < 1_800_000, "two for each board, and some to spare"
        assert float(size) == pytest.approx(plays * 53 / 1e6, abs=0.1)

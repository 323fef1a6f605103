"""Ctrl-C ends long work soon, in one thread and in several, and leaves the process usable."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

PROGRAM = """
import numpy as np
from brade_fast import Position, apply, count_plays, enumerate_plays, iter_plays, perft, playouts

start = Position.start().array()
many = np.repeat(start[None], 500_000, axis=0)
steps = np.full((500_000, 4, 4), -1, np.int8)
rich = np.zeros((2, 26), np.int8)   # with very many plays
rich[0, [1, 4, 7, 10, *range(12, 18), *range(19, 24)]] = 1
rich[1, 0], rich[1, 12], rich[1, 25] = 5, 1, 9
slow = np.repeat(rich[None], 200_000, axis=0)
out = tuple(np.empty((n, *shape), kind) for n, shape, kind in (
    (200_001, (), np.int64), (1000, (2, 26), np.int8), (1000, (), np.uint8)))


def forever(work, *arguments, **options):
    while True:
        work(*arguments, **options)


print("ready", flush=True)
try:
    WORK
except KeyboardInterrupt:
    print("stopped", flush=True)
assert perft(start, 2) == perft(start, 2, threads=2) == 1526
assert count_plays(many[:50], (2, 1)).tolist() == [2] * 50
assert len(enumerate_plays(many[:50], (2, 1), threads=2).boards) == 100
print("usable")
"""
WORK = [
    "perft(start, 9)",
    "perft(start, 9, threads=2)",
    "playouts(start, 10**12)",
    "playouts(start, 10**12, threads=2)",
    "forever(enumerate_plays, many, (3, 1))",
    "forever(enumerate_plays, many, (3, 1), threads=2)",
    "count_plays(slow, (1, 1), generic=True)",
    "count_plays(slow, (1, 1), generic=True, threads=2)",
    "enumerate_plays(slow, (1, 1), generic=True, out=out)",
    "enumerate_plays(slow, (1, 1), generic=True, out=out, threads=2)",
    "forever(lambda: list(iter_plays(many, (3, 1), threads=2)))",
    "forever(apply, many, steps)",
    "forever(apply, many, steps, threads=2)",
]


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("work", WORK)
def test_ctrl_c_ends_the_work_and_not_the_process(work):
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM.replace("WORK", work)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            time.sleep(0.3)
            assert process.poll() is None
            process.send_signal(signal.SIGINT)
            sent = time.monotonic()
            line = process.stdout.readline()
            seconds = time.monotonic() - sent
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert (line, out, err) == ("stopped\n", "usable\n", "")
    assert process.returncode == 0
    assert seconds < 5, "half a second is meant; the machine may be slow"

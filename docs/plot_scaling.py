"""Draw ``docs/scaling.svg``: how the speed grows with the size of a batch and with threads.

    python docs/plot_scaling.py            measure into scaling.json, then draw (a minute)
    python docs/plot_scaling.py --draw     draw what has been measured
    python docs/plot_scaling.py --quick    small sizes, to see that it works

Needs matplotlib to draw. The two kinds of measurement are timed differently: a batch on one
thread by CPU time, which a busy machine disturbs least; threads by the clock on the wall, which
is what they are used for.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from brade_fast import Position, _core, enumerate_plays, perft, playouts
from brade_fast.bench import SEED, load, pairs

HERE = Path(__file__).resolve().parent
MEASURED, DRAWN = "scaling.json", "scaling.svg"
REPEATS = 5
LEAST = 0.1  # seconds of a measurement, as many passes as it takes
Clock = Callable[[], float]


# --- Measuring ------------------------------------------------------------------------


def seconds(works: Sequence[Callable[[], object]], clock: Clock) -> list[float]:
    """The median time of one pass of each.

    In rounds, so that a disturbance falls on one measurement of many works and not on all of
    one.
    """
    passes = []
    for work in works:
        work()  # the first pass, cold, is not measured
        begin = clock()
        work()
        passes.append(max(1, round(LEAST / max(clock() - begin, 1e-7))))
    times: list[list[float]] = [[] for _ in works]
    for _ in range(REPEATS):
        for work, number, found in zip(works, passes, times, strict=True):
            begin = clock()
            for _ in range(number):
                work()
            found.append((clock() - begin) / number)
    return [statistics.median(found) for found in times]


def batch(calls: int) -> tuple[Any, Any]:
    """So many calls: the pairs of the random corpus mixed, and again from the first of them."""
    boards, dice = pairs(load("random"), "all")
    # Neighbours share a board; mixed, every beginning is a fair sample of boards and dice.
    order = np.random.default_rng(SEED).permutation(len(dice))
    rows = np.resize(order, calls)
    return boards[rows], dice[rows]


def enumerate_all(parts: list[tuple[Any, Any]]) -> int:
    """The batches one after the other; gives the plays."""
    return sum(len(enumerate_plays(*part).outcomes) for part in parts)


def measure_batches(largest: int) -> list[dict[str, float]]:
    """Plays per second of `enumerate_plays` on one thread, by number of calls."""
    sizes = [10**e * k for e in range(7) for k in (1, 3) if 10**e * k <= largest]
    boards, dice = batch(largest)
    works = []
    for size in sizes:
        # Small batches are many different ones, for a single call has any number of plays.
        starts = range(0, min(1000, largest // size) * size, size)
        parts = [(boards[i : i + size], dice[i : i + size]) for i in starts]
        works.append(partial(enumerate_all, parts))
    times = seconds(works, time.process_time)
    return [
        {"calls": size, "plays_per_second": round(work() / taken)}
        for size, work, taken in zip(sizes, works, times, strict=True)
    ]


def measure_threads(calls: int, depth: int, trials: int) -> list[dict[str, Any]]:
    """The time of three jobs by number of threads, divided into that of one thread."""
    counts = [1, 2]
    while counts[-1] * 2 <= (os.cpu_count() or 1):
        counts.append(counts[-1] * 2)
    boards, dice = batch(calls)
    start = Position.start()
    jobs: dict[str, Callable[[int], object]] = {
        f"enumerate_plays, {calls:,} calls": lambda n: enumerate_plays(boards, dice, threads=n),
        f"perft, depth {depth}": lambda n: perft(start, depth, threads=n),
        f"playouts, {trials:,} games": lambda n: playouts(start, trials, SEED, threads=n),
    }
    found = []
    for name, job in jobs.items():
        times = seconds([partial(job, n) for n in counts], time.perf_counter)
        speedups = [round(times[0] / taken, 3) for taken in times]
        found.append({"job": name, "threads": counts, "speedups": speedups})
    return found


def measure(quick: bool) -> dict[str, Any]:
    """All that is drawn."""
    return {
        "quick": quick,
        "build": _core.build_info(),
        "numpy": np.__version__,
        "cores": os.cpu_count(),
        "batches": measure_batches(30_000 if quick else 10**6),
        "threads": measure_threads(*((30_000, 3, 500) if quick else (10**6, 4, 20_000))),
    }


# --- Drawing --------------------------------------------------------------------------


def draw(measured: dict[str, Any], path: Path) -> None:
    """One figure of two panels."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot as plt

    # The same measurements give the same file; text stays text.
    mpl.rcParams.update({"svg.hashsalt": "brade_fast", "svg.fonttype": "none", "font.size": 10})
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")

    sizes = [found["calls"] for found in measured["batches"]]
    millions = [found["plays_per_second"] / 1e6 for found in measured["batches"]]
    left.semilogx(sizes, millions, marker="o")
    left.set(
        title="enumerate_plays on one thread, random play",
        xlabel="calls in a batch", ylabel="million plays per second (CPU time)",
    )  # fmt: skip
    left.set_ylim(bottom=0)

    most = max(max(found["threads"]) for found in measured["threads"])
    right.plot([1, most], [1, most], color="0.6", linestyle="--", label="as many times as threads")
    for found, marker in zip(measured["threads"], itertools.cycle("os^"), strict=False):
        right.plot(found["threads"], found["speedups"], marker=marker, label=found["job"])
    right.set(
        title=f"threads, on {measured['cores']} cores",
        xlabel="threads", ylabel="times the speed of one thread (wall time)",
        xticks=measured["threads"][0]["threads"],
    )  # fmt: skip
    right.set_ylim(bottom=0)
    right.legend(loc="lower right", frameon=False)

    for panel in (left, right):
        panel.grid(color="0.9")
        panel.spines[["top", "right"]].set_visible(False)
    build = ", ".join([*measured["build"].values(), f"numpy {measured['numpy']}"])
    figure.supxlabel(build, fontsize=8, color="0.4")
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def main() -> int:
    """Measure and draw."""
    parser = argparse.ArgumentParser(description="Draw how the speed scales.")
    parser.add_argument("--draw", action="store_true", help="do not measure")
    parser.add_argument("--quick", action="store_true", help="measure small sizes")
    parser.add_argument(
        "--out", type=Path, default=HERE, help="directory of the two files (default: docs)"
    )
    options = parser.parse_args()
    data, picture = options.out / MEASURED, options.out / DRAWN
    if not options.draw:
        text = json.dumps(measure(options.quick), indent=1)
        data.write_text(text + "\n", encoding="utf-8", newline="\n")
    elif not data.exists():
        print(f"nothing has been measured: there is no {data.name}", file=sys.stderr)
        return 1
    try:
        draw(json.loads(data.read_text(encoding="utf-8")), picture)
    except ImportError:
        print(f"cannot draw {picture.name}: it needs matplotlib (pip install matplotlib)",
              file=sys.stderr)  # fmt: skip
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The kernel is built for several CPU levels: each that this machine has must know the rules."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from brade_fast import _core

ROOT = Path(__file__).resolve().parents[1]
LEVELS = _core.cpu_levels()
RULES = (
    "test_worked_cases.py",
    "test_switches.py",
    "test_john_beside_shorter_plays.py",
    "test_laws.py",
    "test_cross_check.py",
    "test_random_games.py",
)


def python(level: str | None, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "BRADE_FAST_CPU"}
    if level is not None:
        environment["BRADE_FAST_CPU"] = level
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip


def cpu_flags() -> set[str]:
    """What Linux says that this processor can do."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return set()
    return set(next((line for line in lines if line.startswith("flags")), "").split())


def test_the_levels_are_those_of_the_machine():
    assert LEVELS[0] == "baseline"
    if platform.machine() != "x86_64" or sys.platform != "linux":
        pytest.skip("only there it is known what to expect")
    native = "-march=native" in _core.build_info()["flags"]  # the only level then
    with_v3 = {"avx2", "bmi1", "bmi2", "popcnt"} <= cpu_flags() and not native
    assert list(LEVELS) == ["baseline"] + ["v3"] * with_v3


@pytest.mark.parametrize("level", [None, *LEVELS])
def test_the_level_asked_for_is_in_use(level):
    done = python(level, "-m", "brade_fast", "info", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["level"] == (level or LEVELS[-1])
    if level == "v3":
        assert told["cpu"] == "x86-64-v3"
        assert "-mavx2" in told["flags"]
    if level == "baseline":
        assert "-mavx2" not in told["flags"]


def test_a_level_that_is_not_there_is_refused():
    done = python("v9", "-c", "import brade_fast")
    assert done.returncode == 1
    assert "BRADE_FAST_CPU must be one of " + ", ".join(LEVELS) in done.stderr
    assert "'v9'" in done.stderr


@pytest.mark.parametrize("level", set(LEVELS) - {_core.build_info()["level"]})
def test_the_levels_that_this_run_is_not_on_pass_the_tests_of_the_rules(level):
    tests = [str(ROOT / "tests" / name) for name in RULES]
    done = python(level, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests)
    assert done.returncode == 0, done.stdout[-5000:]


def test_all_levels_write_the_same_bytes():
    code = (
        "import hashlib, numpy as np\n"
        "from brade_fast import bench, enumerate_plays, perft, playouts, Position\n"
        "digest = hashlib.sha256()\n"
        "for corpus in bench.CORPORA:\n"
        "    boards, dice = bench.pairs(bench.load(corpus)[:200], 'all')\n"
        "    for found in enumerate_plays(boards, dice, steps=True):\n"
        "        digest.update(found.tobytes())\n"
        "games = playouts(Position.start(), 200, 5)\n"
        "digest.update(games.outcomes.tobytes() + games.turns.tobytes())\n"
        "print(digest.hexdigest(), perft(Position.start(), 3))"
    )
    answers = {python(level, "-c", code).stdout for level in LEVELS}
    assert len(answers) == 1
    digest, nodes = answers.pop().split()
    assert len(digest) == len(hashlib.sha256().hexdigest())
    assert int(nodes) == 182_138

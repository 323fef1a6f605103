"""The module of docs/cython.md, built outside the tree against what the package installs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import brade_fast
from brade_fast import Outcome, Position

DOCUMENT = Path(__file__).parents[1] / "docs" / "cython.md"
OVER = Position({25: 15}, {1: 15})


def code(kind: str) -> str:
    """The one block of that kind in the document."""
    (block,) = re.findall(rf"```{kind}\n(.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL)
    return block


@pytest.fixture(scope="module")
def outside(tmp_path_factory):
    """Gives what the module says to some lines of Python, in a process of its own."""
    folder = tmp_path_factory.mktemp("outside")
    (folder / "hitter.pyx").write_text(code("cython"), encoding="utf-8")
    (folder / "setup.py").write_text(code("python"), encoding="utf-8")
    package = Path(brade_fast.__file__).parents[1]
    environment = os.environ | {"PYTHONPATH": str(package), "CFLAGS": "-O1"}

    def python(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=folder, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    python("setup.py", "--quiet", "build_ext", "--inplace")
    return lambda lines: python("-c", f"import hitter\nfrom brade_fast import *\n{lines}")


def expected(position: Position, d1: int, d2: int) -> int:
    """What the best play of the document is worth, found with the public functions."""

    def worth(play):
        if play.outcome != Outcome.NONE:
            return 10000
        mover, other = play.position.array()
        return 100 * int(mover[0]) - int(np.count_nonzero(other[1:25] == 1))

    return max(map(worth, position.plays(d1, d2)))


def test_the_module_finds_and_replays_the_best_play(outside):
    lines = "\n".join(
        [
            "import numpy as np",
            "from brade_fast import positions",
            "rng = np.random.default_rng(4)",
            "boards = positions.self_play(rng, BRADE, 200)",
            "for k, board in enumerate(boards):",
            "    position = Position.from_array(board)",
            "    d1, d2 = positions.THROWS[k % 21]",
            "    steps, outcome = hitter.best_play(position, d1, d2)",
            "    after = apply([position.array()], np.frombuffer(steps, np.int8).reshape(1, 4, 4))",
            "    assert after.outcomes[0] == outcome",
            "    print(position.id, d1, d2, outcome, Position.from_array(after.boards[0]).id)",
        ]
    )
    found = [line.split() for line in outside(lines).splitlines()]
    assert len(found) == 200
    for text, d1, d2, outcome, after in found:
        position = Position.from_id(text)
        mover, other = Position.from_id(after).array()
        blots = int(np.count_nonzero(other[1:25] == 1))
        worth = 10000 if outcome != "0" else 100 * int(mover[0]) - blots
        assert worth == expected(position, int(d1), int(d2)), text


def test_what_cannot_be_played_is_refused(outside):
    lines = f"""
for position, throw in ((Position.from_id({OVER.id!r}), (2, 1)), (Position.start(), (7, 1))):
    try:
        print(hitter.best_play(position, *throw))
    except ValueError as fault:
        print(fault)
"""
    assert outside(lines).splitlines() == ["the game is over, or that is no throw"] * 2


def test_a_workspace_cannot_be_made_of_anything_or_changed():
    from brade_fast._core import Workspace

    with pytest.raises(TypeError, match="rules must be a Rules"):
        Workspace("brade")
    work = Workspace(brade_fast.VERQUERE, steps=True)
    assert work.rules == brade_fast.VERQUERE
    with pytest.raises(TypeError, match="cannot be changed"):
        work.__init__(brade_fast.BRADE)
    assert work.rules == brade_fast.VERQUERE

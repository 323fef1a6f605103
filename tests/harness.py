"""What the tests share: both implementations by name, boards and plays from short texts."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from brade_fast import _core, reference
from brade_fast.rules import BRADE, REVERTIER, VERQUERE, Enumeration, Outcome, Playouts, Rules

IMPLEMENTATIONS: dict[str, ModuleType] = {"core": _core, "reference": reference}

THREE_GAMES = (BRADE, VERQUERE, REVERTIER)
ALL_THROWS = [(a, b) for a in range(1, 7) for b in range(a, 7)]
UNEQUAL = [(a, b) for a, b in ALL_THROWS if a != b]
BAR, OFF = 0, 25

# `impl` is the module under test; its name is in the test's id.
both = pytest.mark.parametrize("impl", IMPLEMENTATIONS.values(), ids=IMPLEMENTATIONS)
core_only = pytest.mark.parametrize("impl", [_core], ids=["core"])
three_games = pytest.mark.parametrize("rules", THREE_GAMES, ids=lambda rules: rules.name)


# --- Boards -----------------------------------------------------------------------------


def across(point: int) -> int:
    """A point of one player, counted by the other; bar and off stay what they are."""
    return point if point in (BAR, OFF) else (point + 11) % 24 + 1


def own_ways(mover: dict[int, int], other: dict[int, int]) -> np.ndarray:
    """A board, each player's men by his own points (0 the bar); the rest are off."""
    board = np.zeros((2, 26), np.int8)
    for row, men in zip(board, (mover, other), strict=True):
        for index, count in men.items():
            row[index] = count
        row[OFF] += 15 - row.sum()
    return board


def board(
    mover: dict[int, int], opponent_on_mover_points: dict[int, int] | None = None
) -> np.ndarray:
    """A board, both players' men by the *mover's* points (0 the bar); the rest are off.

    Without a word about him the opponent has his 15 men on his talon, the mover's 13.
    """
    opponent = {13: 15} if opponent_on_mover_points is None else opponent_on_mover_points
    return own_ways(mover, {across(point): men for point, men in opponent.items()})


START = board({1: 15})


def text_of(position: np.ndarray) -> str:
    halves = [
        " ".join(
            f"{'bar' if index == BAR else 'off' if index == OFF else index}:{men}"
            for index, men in enumerate(row.tolist())
            if men
        )
        for row in position
    ]
    return " / ".join(halves)


# --- Plays ------------------------------------------------------------------------------

Result = tuple[bytes, int]


def move(position: np.ndarray, source: int, target: int, hit: int) -> np.ndarray:
    """One step by its mark; fails if the mark does not fit what stands on the target."""
    mover, other = position.copy()
    assert mover[source] > 0, f"no man on {source}: {text_of(position)}"
    mover[source] -= 1
    mover[target] += 1
    if target != OFF:
        there = across(target)
        assert hit == min(other[there], 2), f"{source} to {target} hits {other[there]}, not {hit}"
        other[BAR] += other[there]
        other[there] = 0
    else:
        assert hit == 0
    return np.array([mover, other])


def replay(
    position: np.ndarray, steps: Iterable[Iterable[int]], throw: tuple[int, int] | None = None
) -> np.ndarray:
    """The board after the steps, as the next player sees it; unused rows hold -1.

    Checks marks, distances and, if a throw is given, the dice used; not whether the play is
    legal.
    """
    left = None if throw is None else list(throw) * (2 if throw[0] == throw[1] else 1)
    over = False
    for source, target, die, hit in (tuple(int(x) for x in step) for step in steps):
        if source < 0:
            assert (source, target, die, hit) == (-1, -1, -1, -1)
            over = True
            continue
        assert not over, "a step after an unused row"
        assert target == min(source + die, OFF)
        if left is not None:
            left.remove(die)
        position = move(position, source, target, hit)
    return position[::-1].copy()


def result(position: np.ndarray, text: str) -> Result:
    """What a play written like ``bar/6! bar/2 = forced_john`` comes to.

    The steps are taken as written, in their order; ``(n)`` repeats a group.
    """
    moves, _, outcome = text.partition(" = ")
    groups = [] if moves == "pass" else moves.split()
    for group in groups:
        path, times = re.fullmatch(r"([^(]+)(?:\((\d)\))?", group).groups()
        stops = [_stop(stop) for stop in path.split("/")]
        for _ in range(int(times or 1)):
            for (source, _), (target, hit) in itertools.pairwise(stops):
                position = move(position, source, target, hit)
    return position[::-1].tobytes(), Outcome[outcome.upper()] if outcome else Outcome.NONE


def _stop(text: str) -> tuple[int, int]:
    """(index, hit mark) of one stop of a path."""
    name = text.rstrip("*!")
    index = {"bar": BAR, "off": OFF}[name] if name.isalpha() else int(name)
    return index, ("", "*", "!").index(text[len(name) :])


def results(position: np.ndarray, *texts: str) -> set[Result]:
    """The results of several plays, which must differ."""
    found = {result(position, text) for text in texts}
    assert len(found) == len(texts), "two of the texts are the same play"
    return found


def plays(
    impl: ModuleType, position: np.ndarray, throw: tuple[int, int], rules: Rules = BRADE
) -> set[Result]:
    """The plays of one position as (board bytes, outcome); replays their steps on the way.

    They must be the same if no steps are asked for, or only their number: the core has a fast path
    of its own for each.
    """
    found = impl.enumerate_plays(position[None], np.array([throw]), rules, steps=True)
    assert found.offsets.tolist() == [0, len(found.boards)]
    assert found.steps is not None
    answer = set()
    for after, outcome, steps in zip(found.boards, found.outcomes, found.steps, strict=True):
        assert (replay(position, steps, throw) == after).all()
        answer.add((after.tobytes(), int(outcome)))
    assert len(answer) == len(found.boards), "a play was given twice"
    bare = impl.enumerate_plays(position[None], np.array([throw]), rules)
    ends = [int(outcome) for outcome in bare.outcomes]
    assert sorted(zip(map(bytes, bare.boards), ends, strict=True)) == sorted(answer)
    assert impl.count_plays(position[None], np.array([throw]), rules).tolist() == [len(answer)]
    return answer


def check_plays(
    impl: ModuleType,
    position: np.ndarray,
    throw: tuple[int, int],
    rules: Rules,
    *texts: str,
) -> None:
    """These plays and no others, with the dice in either order."""
    expected = results(position, *texts)
    for dice in {throw, throw[::-1]}:
        found = plays(impl, position, dice, rules)
        assert readable(found) == readable(expected), f"{text_of(position)}, throw {dice}"


def readable(found: set[Result]) -> list[str]:
    return sorted(
        f"{text_of(np.frombuffer(after, np.int8).reshape(2, 26)[::-1])} = {Outcome(outcome).name}"
        for after, outcome in found
    )


def one_step_marks(impl: ModuleType, position: np.ndarray, throw: Any, rules: Rules) -> set[int]:
    """The hit marks of all steps of all plays."""
    found = impl.enumerate_plays(position[None], throw, rules, steps=True)
    return set(found.steps[:, :, 3].ravel().tolist()) - {-1}


def is_over(impl: ModuleType, position: np.ndarray, rules: Rules) -> bool:
    if impl is reference:
        return reference.is_over(reference.board_of(position), rules)
    return impl.Position.from_array(position).is_over(rules)


def is_deadlock(impl: ModuleType, position: np.ndarray, rules: Rules) -> bool:
    if impl is reference:
        return reference.is_deadlock(reference.board_of(position), rules)
    return impl.Position.from_array(position).is_deadlock(rules)


# --- The same call on both --------------------------------------------------------------


def same(call: Callable[[ModuleType], Any]) -> Any:
    """Make a call on each implementation; compare what it answers or raises.

    Enumerations are compared as sets of plays for each input, playouts by their number of
    games, exceptions by their type and the row that they name. Returns the answer, or the
    exception.
    """
    answers = {name: _attempt(call, module) for name, module in IMPLEMENTATIONS.items()}
    kept = {name: _comparable(answer) for name, answer in answers.items()}
    first = next(iter(kept.values()))
    assert all(answer == first for answer in kept.values()), kept
    return answers["reference"]


def _attempt(call: Callable[[ModuleType], Any], module: ModuleType) -> Any:
    try:
        return call(module)
    except Exception as error:
        return error


def _comparable(answer: Any) -> Any:
    if isinstance(answer, Exception):
        row = re.match(r"row (\d+): ", str(answer))
        return type(answer), row and int(row[1])
    if isinstance(answer, Enumeration):
        types = [part.dtype for part in answer if part is not None]
        rows = [
            sorted((answer.boards[i].tobytes(), int(answer.outcomes[i])) for i in range(start, end))
            for start, end in zip(answer.offsets[:-1], answer.offsets[1:], strict=True)
        ]
        return types, answer.offsets.tolist(), rows
    if isinstance(answer, Playouts):
        games = answer.outcomes.sum(axis=(1, 2)).tolist()
        return [part.dtype for part in answer], answer.outcomes.shape, answer.turns.shape, games
    if isinstance(answer, np.ndarray):
        return answer.dtype, answer.shape, answer.tolist()
    return answer

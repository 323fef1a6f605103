"""Every form of valid input works, and the caller's arrays are never changed."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from harness import START, both, own_ways

from brade_fast import _core
from brade_fast._core import Position, Step

BOARDS = np.array(
    [START, own_ways({0: 1, 1: 5, 14: 9}, {1: 6, 20: 9}), own_ways({20: 5, 24: 5}, {13: 2, 1: 3})]
)
DICE = np.array([(3, 1), (5, 5), (6, 2)], np.int8)
wide = np.zeros((6, 4, 52), np.int8)
wide[::2, 1:3, ::2] = BOARDS
FORMS: dict[str, Any] = {
    "lists": BOARDS.tolist(),
    "tuples": tuple(tuple(map(tuple, board)) for board in BOARDS.tolist()),
    "list of arrays": list(BOARDS),
    **{np.dtype(kind).name: BOARDS.astype(kind) for kind in "bBhHiIlLqQ"},
    "big-endian int16": BOARDS.astype(">i2"),
    "big-endian int64": BOARDS.astype(">i8"),
    "big-endian uint32": BOARDS.astype(">u4"),
    "Fortran order": np.asfortranarray(BOARDS),
    "Fortran order uint8": np.asfortranarray(BOARDS.astype(np.uint8)),
    "strides": wide[::2, 1:3, ::2],
    "uint8 with strides": wide.view(np.uint8)[::2, 1:3, ::2],
    "backwards": BOARDS[::-1].copy()[::-1],
    "not aligned": np.frombuffer(b"\0" + BOARDS.astype("<i4").tobytes(), "<i4", offset=1).reshape(
        BOARDS.shape
    ),
    "masked but for nothing": np.ma.masked_array(BOARDS),
    "memoryview": memoryview(BOARDS),
}
forms = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)


def answers(impl: Any, boards: Any, dice: Any) -> list[Any]:
    plays = impl.enumerate_plays(boards, dice, steps=True)
    games = impl.playouts(boards, 2, 5)
    return [part.tolist() for part in (*plays, impl.count_plays(boards, dice), *games)]


def snapshot(values: Any) -> Any:
    return (values.tobytes(), values.strides) if isinstance(values, np.ndarray) else repr(values)


@both
@forms
def test_any_integer_array_like_works_and_is_not_changed(impl, form):
    before = snapshot(form)
    assert answers(impl, form, DICE) == answers(impl, BOARDS, DICE)
    assert snapshot(form) == before
    positions = [Position.from_array(board) for board in BOARDS]
    for board, position in (
        zip(form, positions, strict=True) if form is not FORMS["memoryview"] else ()
    ):
        assert Position.from_array(board) == position
        assert impl.perft(board, 1) == impl.perft(position, 1)
        assert Position(*board) == position
    assert snapshot(form) == before


@forms
def test_the_core_alone_takes_the_same_forms(form):
    before = snapshot(form)
    assert _core.write_plays(form, DICE) == _core.write_plays(BOARDS, DICE)
    expected = _core.generic_calls(BOARDS, DICE)
    assert _core.generic_calls(form, DICE).tolist() == expected.tolist()
    for threads in (2, 7):
        counts = _core.count_plays(form, DICE, threads=threads)
        assert counts.tolist() == _core.count_plays(BOARDS, DICE).tolist()
    assert snapshot(form) == before


@both
@pytest.mark.parametrize("kind", ["b", "B", "h", "L", "q", ">i2", ">u8"])
def test_dice_work_in_any_integer_form_and_are_not_changed(impl, kind):
    expected = answers(impl, BOARDS, DICE)
    dice = DICE.astype(kind)
    spread = np.zeros((3, 4), kind)
    spread[:, ::2] = dice
    for form in (
        dice,
        dice.tolist(),
        spread[:, ::2],
        np.asfortranarray(dice),
        tuple(map(tuple, dice)),
    ):
        before = snapshot(form)
        assert answers(impl, BOARDS, form) == expected
        assert snapshot(form) == before


@both
def test_read_only_arrays_work(impl):
    expected = answers(impl, BOARDS, DICE)
    for kind in ("b", "B", "q"):
        boards, dice = BOARDS.astype(kind), DICE.astype(kind)
        boards.flags.writeable = dice.flags.writeable = False
        assert answers(impl, boards, dice) == expected
        assert not boards.flags.writeable


@both
def test_one_throw_serves_all_boards(impl):
    for throw in ((2, 5), [2, 5], np.array([2, 5], np.uint8), np.array([5, 0, 2])[::-2]):
        assert answers(impl, BOARDS, throw) == answers(impl, BOARDS, [(2, 5)] * 3)
    assert answers(impl, BOARDS[:2], (2, 5)) == answers(impl, BOARDS[:2], [(2, 5), (2, 5)])


@both
def test_answers_are_new_arrays_that_may_be_written(impl):
    boards, dice = BOARDS.copy(), DICE.copy()
    first = impl.enumerate_plays(boards, dice, steps=True)
    kept = [part.copy() for part in first]
    for part in (*first, impl.count_plays(boards, dice), *impl.playouts(boards, 1, 1)):
        assert part.flags.writeable
        assert part.flags.c_contiguous
        assert not np.shares_memory(part, boards)
        part[...] = 7
    assert np.array_equal(boards, BOARDS)
    again = impl.enumerate_plays(boards, dice, steps=True)
    assert all(np.array_equal(a, b) for a, b in zip(again, kept, strict=True))


@both
def test_whole_numbers_of_numpy_work_everywhere(impl):
    one = np.int64(1)
    assert impl.perft(START, np.uint8(1), threads=one) == 39
    games = impl.playouts(START, one, np.uint64(3), threads=np.int8(1))
    assert games.outcomes.sum() == 1
    assert impl.count_plays(START[None], (3, 1), threads=one).tolist() == [2]


def test_numbers_of_numpy_make_positions_steps_and_throws():
    assert Position({np.int8(1): np.uint64(15)}, START[0]) == Position.start()
    assert Position(iter(START[0].tolist()), tuple(START[1].tolist())) == Position.start()
    assert Step(np.int8(1), np.uint8(3), np.int64(2)) == Step(1, 3, 2, 0)
    assert Position.start().plays(np.int8(2), np.uint64(1)) == Position.start().plays(1, 2)


@both
def test_one_position_counts_as_one_in_playouts(impl):
    forms = (START, START.tolist(), START[None], Position.start(), [Position.start()])
    games = [impl.playouts(form, 2, 8) for form in forms]
    assert all(g.outcomes.shape == (1, 2, 14) for g in games)
    assert all(g.outcomes.tolist() == games[0].outcomes.tolist() for g in games)


CHANGED_MEANWHILE = """
import sys, threading
import numpy as np
from brade_fast import _core
start = _core.Position.start().array()
boards = np.repeat(start[None], 100_000, axis=0)
dice = np.full((100_000, 2), 1, np.int8)
wild = np.full((2, 26), 100, np.int8)
stop = False
def change():
    while not stop:
        boards[::3] = wild
        dice[::5] = (100, -100)
        boards[::3] = start
        dice[::5] = 1
thread = threading.Thread(target=change)
thread.start()
try:
    for call in range(12):
        for work in (_core.count_plays, _core.enumerate_plays, _core.write_plays):
            try:
                work(boards, dice, generic=call % 3 == 0)
            except ValueError:
                pass
            try:
                work(boards, (1, 1))
            except ValueError:
                pass
finally:
    stop = True
    thread.join()
"""


def test_an_array_that_is_changed_during_the_call_does_no_harm():
    """Right answers cannot be asked for then, but an end can: no crash and no hanging."""
    done = subprocess.run(
        [sys.executable, "-c", CHANGED_MEANWHILE], capture_output=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr

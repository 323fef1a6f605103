"""What cannot be is refused at every entrance, and what can be is taken in every form.

A refusal has the right type, says what is wrong, in which row, and what would be right; the
caller's arrays are never changed.
"""

from __future__ import annotations

import functools
import itertools
import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from harness import IMPLEMENTATIONS, START, both, own_ways, same

from brade_fast import _core
from brade_fast._core import Position
from brade_fast.rules import (
    BRADE,
    REVERTIER,
    VERQUERE,
    InvalidDiceError,
    InvalidPositionError,
    Points,
    Rules,
)

BULK = {
    "enumerate_plays": lambda impl, *args, **options: impl.enumerate_plays(*args, **options),
    "enumerate_plays with steps": lambda impl, *args, **options: impl.enumerate_plays(
        *args, steps=True, **options
    ),
    "count_plays": lambda impl, *args, **options: impl.count_plays(*args, **options),
}
CORE_BULK = {
    "write_plays": _core.write_plays,
    "generic_calls": _core.generic_calls,
    "enumerate_plays in threads": lambda *args: _core.enumerate_plays(*args, threads=3),
    "count_plays in threads": lambda *args: _core.count_plays(*args, threads=3),
}
ENTRANCES: dict[str, Callable[..., Any]] = {
    f"{name} of {module}": functools.partial(call, impl)
    for name, call in BULK.items()
    for module, impl in IMPLEMENTATIONS.items()
} | {f"{name} of core": call for name, call in CORE_BULK.items()}
every_bulk = pytest.mark.parametrize("call", ENTRANCES.values(), ids=ENTRANCES)
bulk_on_both = pytest.mark.parametrize("bulk", BULK.values(), ids=BULK)


def changed(
    changes: dict[tuple[int, int], int], start: np.ndarray = START, dtype: Any = np.int64
) -> np.ndarray:
    """A board with other men at some (row, index)."""
    made = start.astype(dtype)
    for where, men in changes.items():
        made[where] = men
    return made


BEYOND = 2**32
# What is wrong, by name: the board and what the message must say.
NOT_VALID: dict[str, tuple[np.ndarray, str]] = {
    "negative men": (changed({(0, 2): -1, (0, 3): 1}), r"mover has -1 men .*2\b.*0 to 15"),
    "negative on the bar": (changed({(1, 0): -1, (1, 12): 1}), r"other player has -1 men .*0 to"),
    "negative off": (changed({(0, 25): -128}), r"mover has -128 men .*25\b.*0 to 15"),
    "sixteen on a point": (changed({(0, 1): 16}), r"mover has 16 men .*1\b.*0 to 15"),
    "too few": (changed({(0, 1): 14}), r"mover has 14 men, not 15"),
    "too many": (changed({(1, 12): 1}), r"other player has 16 men, not 15"),
    "no men": (changed({(1, 1): 0}), r"other player has 0 men, not 15"),
    "both on a point": (
        own_ways({1: 14, 13: 1}, {1: 15}),
        r"both players .*mover's point 13\b",
    ),
    "both on the head": (own_ways({1: 14, 24: 1}, {1: 13, 12: 2}), r"both players .*point 24\b"),
    "pair on 2": (own_ways({1: 13, 2: 2}, {1: 15}), r"mover has 2 men on his point 2;.*only one"),
    "pair on 11": (own_ways({1: 15}, {1: 12, 11: 3}), r"other player has 3 men on his point 11;"),
    "far too many": (changed({(0, 5): 2**62}), rf"mover has {2**62} men .*5\b"),
    "right but for 2**32": (changed({(0, 1): BEYOND + 15}), rf"mover has {BEYOND + 15} men"),
    "right but for 256": (changed({(1, 1): 271}, dtype=np.int16), "other player has 271 men"),
    "uint8 above 127": (changed({(0, 9): 200}, dtype=np.uint8), r"mover has 200 men .*9\b"),
    "int64 least": (changed({(1, 7): -(2**63)}), rf"other player has -{2**63} men"),
    "uint64 most": (
        changed({(1, 7): 2**64 - 1}, dtype=np.uint64),
        rf"other player has {2**64 - 1} men .*7\b",
    ),
    "sum beyond int8": (changed({(0, i): 127 for i in range(26)}), "mover has 127 men .*0"),
}
not_valid = pytest.mark.parametrize(("board", "words"), NOT_VALID.values(), ids=NOT_VALID)

TOWER = own_ways({24: 15}, {1: 15})
OVER: dict[str, tuple[np.ndarray, Rules, str]] = {
    "mover has borne off": (own_ways({}, {1: 15}), BRADE, r"(?i)mover has .*won.*bear_off"),
    "other has borne off": (own_ways({1: 15}, {}), REVERTIER, r"(?i)other player has .*won.*bear"),
    "tower": (TOWER, VERQUERE, r"(?i)mover has .*won.*tower"),
    "tower of the other": (TOWER[::-1], BRADE, r"(?i)other player has .*won.*tower"),
    "standing John": (own_ways({1: 9, 13: 6}, {0: 7, 20: 8}), BRADE, r"(?i)mover has .*won.*john"),
    "John in mid-game": (
        own_ways({1: 9, 13: 6}, {0: 7, 12: 8}),
        BRADE,
        r"(?i)mover has .*won.*john",
    ),
    "John by own men": (
        own_ways({0: 3, 1: 1, 2: 1, 4: 1, 5: 1, 20: 8}, {1: 15}),
        REVERTIER,
        r"(?i)other player has .*won.*john",
    ),
}
over = pytest.mark.parametrize(("board", "rules", "words"), OVER.values(), ids=OVER)


def refused(
    call: Callable[[], Any], error: type[Exception], words: str, row: int | None = None
) -> None:
    with pytest.raises(error) as caught:
        call()
    assert type(caught.value) is error
    message = str(caught.value)
    assert re.search(words, message), message
    named = re.match(r"row (\d+): ", message)
    assert (named and int(named[1])) == row, message
    assert len(message) < 300
    assert "\n" not in message


# --- Boards -----------------------------------------------------------------------------


@every_bulk
@not_valid
def test_an_invalid_board_is_named_with_its_row(call, board, words):
    for n, row in ((1, 0), (4, 2), (300, 299)):
        boards = np.repeat(START[None].astype(board.dtype), n, axis=0)
        boards[row] = board
        before = boards.copy()
        refused(lambda boards=boards: call(boards, (3, 1)), InvalidPositionError, words, row)
        assert np.array_equal(boards, before)
        assert boards.dtype == board.dtype


@every_bulk
@over
def test_a_board_on_which_somebody_has_won_is_named_with_its_row(call, board, rules, words):
    boards = np.repeat(START[None], 5, axis=0)
    boards[3] = board
    refused(lambda: call(boards, (3, 1), rules), InvalidPositionError, words, 3)


@every_bulk
def test_the_first_of_several_bad_rows_is_named(call):
    boards = np.repeat(START[None], 5, axis=0)
    boards[2], boards[4] = TOWER, 0
    refused(lambda: call(boards, (3, 1)), InvalidPositionError, "(?i)tower", 2)
    boards[1] = 0
    refused(lambda: call(boards, (3, 1)), InvalidPositionError, "0 men, not 15", 1)


@every_bulk
def test_what_is_an_end_elsewhere_is_no_end_where_the_rules_do_not_know_it(call):
    assert call(TOWER[None], (3, 1), REVERTIER) is not None


NO_INTEGERS: dict[str, Any] = {
    "None": None,
    "a word": "start",
    "an id": Position.start().id,
    "bytes": b"start",
    "a float": 1.5,
    "not a number": math.nan,
    "floats": START[None].astype(float),
    "whole floats in lists": START[None].astype(float).tolist(),
    "bools": START[None].astype(bool),
    "bools in lists": START[None].astype(bool).tolist(),
    "a bool among numbers in lists": [[[False, 15, *[0] * 24], [0, 15, *[0] * 24]]],
    "objects": START[None].astype(object),
    "numbers as text": START[None].astype(str),
    "complex numbers": START[None].astype(complex),
    "times": START[None].astype("m8[s]"),
    "a dict": {"boards": START[None].tolist()},
    "a set": {1, 2},
    "a generator": (board for board in [START]),
    "numbers beyond 64 bits": [[[2**70, *[0] * 25], [0, 15, *[0] * 24]]],
    "None among numbers": [[[None, *[0] * 25], [0, 15, *[0] * 24]]],
    "Positions": [Position.start()],
    "no rows of floats": np.empty((0, 2, 26)),
    "a field": np.zeros((1, 2, 26), [("men", "i1")]),
}
no_integers = pytest.mark.parametrize("value", NO_INTEGERS.values(), ids=NO_INTEGERS)


@every_bulk
@no_integers
def test_boards_that_are_no_integers_are_a_type_error(call, value):
    refused(lambda: call(value, (3, 1)), TypeError, "boards must be (integers|whole numbers), not")


WRONG_SHAPES: dict[str, Any] = {
    "a number": 15,
    "0-d": np.array(15),
    "one board": START,
    "flat": START.ravel(),
    "four dimensions": START[None, None],
    "turned": START.T[None],
    "one half": START[None, :1],
    "three halves": np.zeros((1, 3, 26), int),
    "25 points": START[None, :, :25],
    "27 points": np.zeros((1, 2, 27), int),
    "no points": np.zeros((1, 2, 0), int),
    "no rows, wrong halves": np.zeros((0, 3, 26), int),
    "ragged": [[[1] * 15 + [0] * 11, [1] * 25]],
    "ragged rows": [START.tolist(), START[0].tolist()],
}
wrong_shapes = pytest.mark.parametrize("value", WRONG_SHAPES.values(), ids=WRONG_SHAPES)


@every_bulk
@wrong_shapes
def test_boards_of_another_shape_are_refused_with_the_right_one(call, value):
    words = "boards must be .*(ragged|one shape)" if isinstance(value, list) else r"26\), not \("
    refused(lambda: call(value, (3, 1)), InvalidPositionError, words)


# --- Dice -------------------------------------------------------------------------------

BAD_THROWS = {
    "zero": (0, 1),
    "seven": (3, 7),
    "negative": (-1, 1),
    "sixty-two": (62, 6),
    "right but for 256": (257, 1),
    "right but for 2**32": (2**32 + 3, 1),
    "far out": (2**63 - 1, 1),
    "far below": (6, -(2**63)),
}


@every_bulk
@pytest.mark.parametrize("throw", BAD_THROWS.values(), ids=BAD_THROWS)
def test_a_throw_that_is_not_two_numbers_from_1_to_6_is_named_with_its_row(call, throw):
    boards = np.repeat(START[None], 4, axis=0)
    for one in (throw, throw[::-1]):
        refused(lambda one=one: call(boards, one), InvalidDiceError, "1 to 6")
        dice = np.array([(1, 2), (6, 6), one, (0, 0)])
        before = dice.copy()
        refused(lambda dice=dice: call(boards, dice), InvalidDiceError, "1 to 6", 2)
        assert np.array_equal(dice, before)


@every_bulk
def test_unsigned_dice_are_not_wrapped_round(call):
    for dtype in (np.uint8, np.uint64):
        dice = np.array([255, 1], dtype)
        refused(lambda dice=dice: call(START[None], dice), InvalidDiceError, "255")
    dice = np.array([2**64 - 1, 1], np.uint64)
    refused(lambda: call(START[None], dice), InvalidDiceError, f"{2**64 - 1}")


@every_bulk
@pytest.mark.parametrize(
    "dice",
    [
        None, "62", "6-2", 1.5, (1.0, 2.0), (True, False), np.array([True, True]), {1, 2},
        np.array([1, 2], object), (2**70, 1), (None, 1), ("1", "2"), [[1.0, 2.0]], (math.nan, 1),
    ],
    ids=repr,
)  # fmt: skip
def test_dice_that_are_no_integers_are_a_type_error(call, dice):
    refused(
        lambda: call(START[None], dice), TypeError, "dice must be (integers|whole numbers), not"
    )


@every_bulk
@pytest.mark.parametrize(
    "dice",
    [6, (1,), (1, 2, 3), [[1], [2]], [[1, 2]], [[1, 2]] * 4, [[[1, 2]] * 3], [],
     np.empty((0, 2), int)],
    ids=repr,
)  # fmt: skip
def test_dice_of_another_shape_are_refused_with_the_right_one(call, dice):
    boards = np.repeat(START[None], 3, axis=0)
    refused(lambda: call(boards, dice), InvalidDiceError, r"\(2,\) or \(3, 2\), not \(")


@every_bulk
def test_ragged_dice_are_refused(call):
    refused(lambda: call(START[None], [[1, 2], [1]]), InvalidDiceError, "ragged|one shape")


@every_bulk
def test_bad_dice_are_refused_where_there_are_no_boards_too(call):
    none = np.empty((0, 2, 26), np.int8)
    refused(lambda: call(none, (7, 1)), InvalidDiceError, "1 to 6")
    refused(lambda: call(none, [[1, 2]]), InvalidDiceError, r"\(0, 2\), not \(1, 2\)")


# --- Rules, threads and the rest --------------------------------------------------------

NO_RULES = [None, "brade", Rules, 3, {"monk": True}, Points(1, 2, 1, 4, 6), BRADE.points]


@every_bulk
@pytest.mark.parametrize("rules", NO_RULES, ids=repr)
def test_rules_must_be_rules(call, rules):
    refused(lambda: call(START[None], (3, 1), rules), TypeError, "rules must be a Rules.*not")
    refused(lambda: call([], (3, 1), rules), TypeError, "rules must be a Rules.*not")


@both
@pytest.mark.parametrize("rules", NO_RULES, ids=repr)
def test_rules_must_be_rules_in_perft_and_playouts(impl, rules):
    refused(lambda: impl.perft(START, 0, rules), TypeError, "rules must be a Rules.*not")
    refused(lambda: impl.playouts(START, 0, 1, rules), TypeError, "rules must be a Rules.*not")


WITH_THREADS = {
    "enumerate_plays": lambda impl, n: impl.enumerate_plays(START[None], (3, 1), threads=n),
    "count_plays": lambda impl, n: impl.count_plays(START[None], (3, 1), threads=n),
    "perft": lambda impl, n: impl.perft(START, 1, threads=n),
    "playouts": lambda impl, n: impl.playouts(START, 1, 1, threads=n),
}
NO_WHOLE_NUMBERS = [1.0, "1", None, True, np.True_, [1], np.float64(1), 1j, math.nan]


@both
@pytest.mark.parametrize("call", WITH_THREADS.values(), ids=WITH_THREADS)
def test_threads_must_be_a_whole_number_from_1(impl, call):
    for value in (0, -1, -(2**70)):
        refused(lambda value=value: call(impl, value), ValueError, f"threads .* 1, not {value}")
    for value in NO_WHOLE_NUMBERS:
        refused(lambda value=value: call(impl, value), TypeError, "threads must be a whole number")


@both
def test_depth_must_be_a_whole_number_from_0(impl):
    for value in (-1, -(2**70)):
        refused(lambda value=value: impl.perft(START, value), ValueError, f"depth .*not {value}")
    for value in NO_WHOLE_NUMBERS:
        refused(lambda value=value: impl.perft(START, value), TypeError, "depth must be a whole")


def test_a_depth_that_no_lifetime_is_long_enough_for_is_refused():
    for value in (101, 2**40, 2**70):
        refused(lambda value=value: _core.perft(START, value), ValueError, f"100, not {value}")


@both
def test_trials_must_be_a_whole_number_from_0(impl):
    for value in (-1, -(2**70)):
        refused(lambda value=value: impl.playouts(START, value), ValueError, "trials .*0, not -")
    for value in NO_WHOLE_NUMBERS:
        refused(
            lambda value=value: impl.playouts(START, value), TypeError, "trials must be a whole"
        )


def test_more_games_than_can_be_counted_are_refused():
    refused(lambda: _core.playouts(START, 2**62), ValueError, "too many games")
    refused(lambda: _core.playouts([START] * 4, 2**60), ValueError, "too many games")


@both
def test_a_seed_must_be_a_whole_number_of_64_bits(impl):
    for value in (-1, 2**64, 2**100, -(2**100)):
        refused(lambda value=value: impl.playouts(START, 1, value), ValueError, f"seed .*{value}")
    for value in NO_WHOLE_NUMBERS:
        if value is not None:
            refused(
                lambda value=value: impl.playouts(START, 1, value),
                TypeError,
                "seed must be a whole number",
            )


def test_throws_are_asked_for_with_whole_numbers():
    for place, name in enumerate(("seed", "trial", "count")):
        for value in (-1, *([2**64, 2**100] if place < 2 else [])):
            args = [1, 1, 1]
            args[place] = value
            refused(lambda args=args: _core.throws(*args), ValueError, f"{name} must .*{value}")
        for value in NO_WHOLE_NUMBERS:
            args = [1, 1, 1]
            args[place] = value
            refused(lambda args=args: _core.throws(*args), TypeError, f"{name} must be a whole")


# --- What both must answer alike --------------------------------------------------------


@bulk_on_both
def test_both_find_the_same_fault_first(bulk):
    """Rules and threads before boards, boards' shape before dice, dice before boards' men."""
    good, bad = START[None], np.zeros((3, 2, 26), int)
    dice, bad_dice = (1, 2), [(1, 1), (0, 1), (1, 1)]
    for boards, throws, rules in itertools.product(
        (good, bad, bad[:, :, 1:], None), (dice, bad_dice, "x", (1,)), (BRADE, None)
    ):
        for threads in (1, 0, "x"):
            same(
                lambda impl, args=(boards, throws, rules), threads=threads: bulk(
                    impl, *args, threads=threads
                )
            )


@bulk_on_both
@pytest.mark.parametrize("dice", [(1, 2), [], (), np.empty((0, 2), np.int8)], ids=repr)
@pytest.mark.parametrize("boards", [[], (), np.empty((0, 2, 26), np.uint16)], ids=repr)
def test_no_boards_give_empty_results_on_both(bulk, boards, dice):
    answer = same(lambda impl: bulk(impl, boards, dice))
    if isinstance(answer, np.ndarray):
        assert answer.shape == (0,)
    else:
        assert answer.offsets.tolist() == [0]
        assert answer.boards.shape == (0, 2, 26)
        assert answer.outcomes.shape == (0,)
        assert answer.steps is None or answer.steps.shape == (0, 4, 4)


@both
@pytest.mark.parametrize("positions", [[], (), np.empty((0, 2, 26), int)], ids=repr)
def test_no_positions_give_empty_playouts(impl, positions):
    games = impl.playouts(positions, 5, 1)
    assert games.outcomes.shape == (0, 2, 14)
    assert games.turns.shape == (0,)


def test_no_boards_are_no_calls():
    none = np.empty((0, 2, 26), np.int8)
    assert _core.write_plays(none, (1, 2)) == 0
    assert _core.generic_calls(none, (1, 2)).shape == (0,)
    assert _core.throws(1, 1, 0).shape == (0, 2)
    for threads in (1, 2, 7):
        assert _core.count_plays(none, (1, 2), threads=threads).shape == (0,)
        assert _core.enumerate_plays(none, (1, 2), threads=threads).offsets.tolist() == [0]


@both
def test_no_trials_are_no_games(impl):
    games = impl.playouts([START, START], 0, 1)
    assert not games.outcomes.any()
    assert games.turns.tolist() == [0, 0]

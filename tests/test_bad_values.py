"""What cannot be is refused by positions, steps, plays and rules too; see test_bad_input."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from harness import START, both
from test_bad_input import (
    NO_INTEGERS,
    NO_RULES,
    NO_WHOLE_NUMBERS,
    not_valid,
    over,
    refused,
    wrong_shapes,
)

from brade_fast import _core, reference
from brade_fast._core import Play, Position, Step
from brade_fast.rules import (
    BRADE,
    PRESETS,
    VERQUERE,
    InvalidDiceError,
    InvalidPositionError,
    InvalidRulesError,
    Outcome,
    Points,
    Rules,
)

# --- One position -----------------------------------------------------------------------


@both
@not_valid
def test_perft_and_playouts_refuse_an_invalid_board(impl, board, words):
    before = board.copy()
    refused(lambda: impl.perft(board, 0), InvalidPositionError, words)
    refused(lambda: impl.playouts(board, 0), InvalidPositionError, words, 0)
    start = START.astype(board.dtype)
    refused(lambda: impl.playouts([start, board], 1), InvalidPositionError, words, 1)
    assert np.array_equal(board, before)


@both
@over
def test_perft_and_playouts_refuse_a_game_that_is_over(impl, board, rules, words):
    refused(lambda: impl.perft(board, 0, rules), InvalidPositionError, words)
    position = Position.from_array(board)
    refused(lambda: impl.perft(position, 2, rules), InvalidPositionError, words)
    some = [Position.start(), Position.start(), position]
    refused(lambda: impl.playouts(some, 0, 1, rules), InvalidPositionError, words, 2)
    refused(lambda: impl.playouts(position, 5, 1, rules), InvalidPositionError, words, 0)


@over
def test_a_position_may_be_over_and_says_so_but_has_no_plays(board, rules, words):
    position = Position.from_array(board)
    assert position.is_over(rules)
    assert not position.is_deadlock(rules)
    assert reference.is_over(reference.board_of(board), rules)
    refused(lambda: position.plays(3, 1, rules), InvalidPositionError, words)
    assert not Position.start().is_over(rules)


@both
@pytest.mark.parametrize("name", [n for n in NO_INTEGERS if n != "Positions"])
def test_perft_and_playouts_of_what_are_no_integers_are_a_type_error(impl, name):
    value = NO_INTEGERS[name]
    refused(lambda: impl.perft(value, 0), TypeError, "position must be (integers|whole numbers)")
    refused(lambda: impl.playouts(value, 0), TypeError, "positions must be (integers|whole)")


@both
@wrong_shapes
def test_perft_and_playouts_of_another_shape_are_refused(impl, value):
    if value is START:
        value = START[None]  # one board too many for perft, right for playouts
    else:
        refused(lambda: impl.playouts(value, 0), InvalidPositionError, "positions must .*|.*shape")
    refused(lambda: impl.perft(value, 0), InvalidPositionError, r"position .*(shape|ragged)")


@both
def test_something_else_among_positions_is_refused(impl):
    for some in ([Position.start(), None], ["x", Position.start()], [[Position.start()]]):
        with pytest.raises((TypeError, InvalidPositionError)):
            impl.playouts(some, 0)


@not_valid
def test_a_position_refuses_an_invalid_board(board, words):
    before = board.copy()
    refused(lambda: Position.from_array(board), InvalidPositionError, words)
    if board.max() < 2**63:  # else NumPy makes no integers of the list
        refused(lambda: Position.from_array(board.tolist()), InvalidPositionError, words)
    mover, other = board.tolist()
    loose = words.split(" men")[0]
    refused(lambda: Position(mover, other), InvalidPositionError, loose)
    by_index = [dict(enumerate(half)) for half in (mover, other)]
    refused(lambda: Position(*by_index), InvalidPositionError, loose)
    assert np.array_equal(board, before)


@pytest.mark.parametrize("name", [n for n in NO_INTEGERS if n != "no rows of floats"])
def test_a_position_is_not_made_from_what_are_no_integers(name):
    refused(lambda: Position.from_array(NO_INTEGERS[name]), TypeError, "position must be integers")


@wrong_shapes
def test_a_position_is_not_made_from_another_shape(value):
    if value is START:
        value = START[None]
    refused(lambda: Position.from_array(value), InvalidPositionError, r"\(2, 26\), not ")


HALF = [0, 15, *[0] * 24]


@pytest.mark.parametrize(
    ("men", "error", "words"),
    [
        (HALF[:25], InvalidPositionError, "needs 26 numbers, not 25"),
        ([*HALF, 0], InvalidPositionError, "needs 26 numbers, not 27"),
        ([], InvalidPositionError, "needs 26 numbers, not 0"),
        ({1: 14, 26: 1}, InvalidPositionError, "no index 26.*0 to 25"),
        ({1: 14, -1: 1}, InvalidPositionError, "no index -1.*0 to 25"),
        ({1: 14, 25: 0}, InvalidPositionError, "has 14 men, not 15"),
        ({1: 16}, InvalidPositionError, "has 16 men"),
        ({1: 15, 12: 1}, InvalidPositionError, "has 16 men, not 15"),
        ({1: -1}, InvalidPositionError, "has -1 men"),
        ({1: 2**70}, InvalidPositionError, "men"),
        ([2**70, *HALF[1:]], InvalidPositionError, "men on index 0"),
        ({"1": 15}, TypeError, "index must be a whole number, not '1'"),
        ({1.0: 15}, TypeError, "index must be a whole number, not 1.0"),
        ({True: 15}, TypeError, "index must be a whole number, not True"),
        ({1: 15.0}, TypeError, "men must be a whole number, not 15.0"),
        ({1: "15"}, TypeError, "men must be a whole number, not '15'"),
        ({1: None}, TypeError, "men must be a whole number, not None"),
        ([float(n) for n in HALF], TypeError, "men must be a whole number, not 0.0"),
        ([True, 14, *[0] * 24], TypeError, "men must be a whole number, not True"),
        ("a" * 26, TypeError, "men must be a whole number, not 'a'"),
        (None, TypeError, "NoneType"),
        (15, TypeError, "int"),
    ],
    ids=repr,
)
def test_half_a_position_must_be_26_numbers_or_a_dict(men, error, words):
    refused(lambda: Position(men, HALF), error, words)
    refused(lambda: Position(HALF, men), error, words)


@pytest.mark.parametrize(
    ("men", "name"), [(({1: 14, 25: 2}, HALF), "mover"), ((HALF, {1: 17}), "other player")]
)
def test_a_position_names_the_half_at_fault(men, name):
    refused(lambda: Position(*men), InvalidPositionError, f"the {name} has 1[67] men")


@pytest.mark.parametrize(
    "text",
    [
        "", "_38AAAD_fwAAA", "_38AAAD_fwAAAAA", "_38AAAD_fwAAAA==", " _38AAAD_fwAAAA",
        "_38AAAD_fwAAAA\n", "/38AAAD/fwAAAA", "_38AAAD_fwAAA!", "_38AAAD_fwAAAB",
        "______________", "é38AAAD_fwAAAA", "\0" * 14, "٣8AAAAAAAAAAAA",
    ],
    ids=ascii,
)  # fmt: skip
def test_an_id_that_would_not_be_written_is_refused(text):
    refused(lambda: Position.from_id(text), InvalidPositionError, "position id|men")


@pytest.mark.parametrize("value", [None, 5, b"_38AAAD_fwAAAA", Position.start(), ["x"]], ids=repr)
def test_an_id_and_a_text_must_be_text(value):
    refused(lambda: Position.from_id(value), TypeError, f"str.*{type(value).__name__}")
    refused(lambda: Position.from_text(value), TypeError, f"(str|text).*{type(value).__name__}")


def test_every_change_of_one_letter_gives_another_position_or_is_refused():
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    made = 0
    for start in (Position.start(), Position({0: 2, 1: 3, 14: 4, 20: 2}, {5: 1, 12: 3})):
        for place, letter in itertools.product(range(14), letters):
            text = start.id[:place] + letter + start.id[place + 1 :]
            try:
                position = Position.from_id(text)
            except InvalidPositionError:
                continue
            made += 1
            assert position.id == text
            assert (position == start) == (text == start.id)
            assert (position.array().sum(axis=1) == 15).all()
    assert made > 14


@pytest.mark.parametrize("text", ["", "/", "1:15", "1:15 / 1:15 / 1:15", "x / y", "off:16 / 1:15"])
def test_a_text_that_is_no_board_is_refused(text):
    refused(lambda: Position.from_text(text), InvalidPositionError, ".")


def test_the_dice_of_plays_must_be_two_numbers_from_1_to_6():
    start = Position.start()
    for throw in ((0, 1), (1, 7), (-1, 1), (2**70, 1), (257, 1), (2**32 + 1, 1)):
        for one in (throw, throw[::-1]):
            refused(lambda one=one: start.plays(*one), InvalidDiceError, "1 to 6, not")
    for value in NO_WHOLE_NUMBERS:
        refused(lambda value=value: start.plays(value, 1), TypeError, "die must be a whole number")
        refused(lambda value=value: start.plays(1, value), TypeError, "die must be a whole number")
    for wrong in ((), (1,), ((1, 2),)):
        with pytest.raises(TypeError):
            start.plays(*wrong)
    for rules in NO_RULES:
        refused(lambda rules=rules: start.plays(1, 2, rules), TypeError, "rules must be a Rules")
        refused(lambda rules=rules: start.is_over(rules), TypeError, "rules must be a Rules")
        refused(lambda rules=rules: start.is_deadlock(rules), TypeError, "rules must be a Rules")


@pytest.mark.parametrize(
    ("numbers", "error", "words"),
    [
        ((25, 25, 1), ValueError, "source must be 0 to 24, not 25"),
        ((-1, 1, 2), ValueError, "source must be 0 to 24, not -1"),
        ((1, 26, 6), ValueError, "target must be 1 to 25, not 26"),
        ((0, 0, 1), ValueError, "target must be 1 to 25, not 0"),
        ((1, 8, 7), ValueError, "die must be 1 to 6, not 7"),
        ((1, 1, 0), ValueError, "die must be 1 to 6, not 0"),
        ((1, 2, 1, 3), ValueError, "hit must be 0 to 2, not 3"),
        ((1, 2, 1, -1), ValueError, "hit must be 0 to 2, not -1"),
        ((257, 2, 1), ValueError, "source must be 0 to 24, not 257"),
        ((2**70, 2, 1), ValueError, "source must be 0 to 24"),
        ((1.0, 2, 1), TypeError, "source must be a whole number, not 1.0"),
        (("1", 2, 1), TypeError, "source must be a whole number, not '1'"),
        ((1, None, 1), TypeError, "target must be a whole number, not None"),
        ((1, 2, True), TypeError, "die must be a whole number, not True"),
        ((1, 2, 1, False), TypeError, "hit must be a whole number, not False"),
        ((1, 24, 3), ValueError, "with a 3 a man from 1 does not come to 24, but to 4"),
        ((20, 24, 6), ValueError, "but to 25"),
        ((20, 25, 5, 1), ValueError, "nobody is hit"),
        ((1, 2), TypeError, "."),
        ((1, 2, 1, 0, 0), TypeError, "."),
    ],
)
def test_a_step_must_be_four_numbers_that_can_be(numbers, error, words):
    refused(lambda: Step(*numbers), error, words)


def test_a_play_cannot_be_made_by_hand():
    refused(Play, TypeError, "Position.plays")


def test_values_cannot_be_changed():
    position = Position.start()
    play = position.plays(2, 1)[0]
    for thing, names in (
        (position, ("id", "bar", "off", "pips", "men")),
        (play, ("steps", "position", "outcome", "origin", "dice", "rules", "name")),
        (play.steps[0], ("source", "target", "die", "hit", "name")),
        (BRADE, ("monk", "name", "_code")),
    ):
        for name in names:
            with pytest.raises(AttributeError):
                setattr(thing, name, 1)
    with pytest.raises(TypeError):
        position[0] = 1
    assert position == Position.start()


def test_unlike_things_are_unequal_and_have_no_order():
    position = Position.start()
    play = position.plays(2, 1)[0]
    for thing in (position, play, play.steps[0]):
        for other in (None, 1, "x", START, object(), tuple(play.steps[0])):
            if not isinstance(other, np.ndarray):
                assert thing != other
                assert (thing == other) is False
            with pytest.raises(TypeError):
                _ = thing < other
    with pytest.raises(TypeError):
        _ = play < play


# --- Rules ------------------------------------------------------------------------------

BAD_SWITCHES: list[tuple[dict[str, Any], str]] = [
    ({"blocked_entry": "forced"}, "blocked_entry must be one of 'force', 'pass', 'wait', not"),
    ({"blocked_entry": None}, "blocked_entry must be one of .*not None"),
    ({"blocked_entry": True}, "blocked_entry must be one of .*not True"),
    ({"blocked_entry": ["force"]}, "blocked_entry must be one of"),
    ({"opening": "high"}, "opening must be one of 'low_then_throw', 'high_plays_dice', not 'high'"),
    ({"opening": 1}, "opening must be one of .*not 1"),
    *(
        ({switch: value}, f"{switch} must be True or False, not")
        for switch in (
            "long_block_force", "five_blots", "bear_off_rearmost_only", "smallest_reduction",
            "endings_free", "monk", "loser_begins",
        )
        for value in (1, 0, None, "yes", np.True_)
    ),
    ({"nice_games": "tower"}, "nice_games must be a tuple"),
    ({"nice_games": ["tower"]}, "nice_games must be a tuple"),
    ({"nice_games": None}, "nice_games must be a tuple"),
    ({"nice_games": ("towers",)}, "nice_games may hold .*'tower', not 'towers'"),
    ({"nice_games": (1,)}, "nice_games may hold .*not 1"),
    ({"nice_games": (["tower"],)}, "nice_games may hold"),
    ({"nice_games": ("tower", "tower")}, "twice"),
    ({"points": (1, 2, 1, 4, 6)}, r"points must be a Points"),
    ({"points": None}, "points must be a Points"),
    ({"points": Points(-1, 2, 1, 4, 6)}, "points.bear_off must be .* 0 or more, not -1"),
    ({"points": Points(1, 2.0, 1, 4, 6)}, "points.nice must be a whole number.*not 2.0"),
    ({"points": Points(1, 2, True, 4, 6)}, "points.monk_bonus must be .*not True"),
    ({"points": Points(1, 2, 1, None, 6)}, "points.john must be .*not None"),
    ({"points": Points(1, 2, 1, 4, "6")}, "points.forced_john must be .*not '6'"),
    ({"name": ""}, "name must be a word"),
    ({"name": 3}, "name must be a word, not 3"),
    ({"name": None}, "name must be a word, not None"),
]  # fmt: skip


@pytest.mark.parametrize(("switches", "words"), BAD_SWITCHES, ids=repr)
def test_a_switch_refuses_what_is_no_value_of_it(switches, words):
    refused(lambda: Rules(**switches), InvalidRulesError, words)
    refused(lambda: VERQUERE.replace(**switches), InvalidRulesError, words)


def test_an_unknown_switch_is_refused_with_the_known_ones():
    refused(
        lambda: BRADE.replace(monks=True), InvalidRulesError, "'monks'; the switches are .*monk"
    )
    refused(lambda: BRADE.replace(_code=b""), InvalidRulesError, "no switch '_code'")
    with pytest.raises(TypeError):
        Rules(monks=True)


def test_there_is_no_value_of_what_is_no_outcome():
    for wrong in (14, -1, "JOHN", None):
        with pytest.raises(ValueError, match="not a valid Outcome"):
            BRADE.value(wrong)


def test_points_of_any_size_can_be_played():
    rules = BRADE.replace(points=Points(0, 10**30, 0, 10**40, 10**20))
    assert _core.perft(START, 2, rules) == reference.perft(START, 2, rules) == 1526
    assert rules.value(Outcome.JOHN) == 10**40


def test_a_second_init_changes_nothing():
    position = Position.start()
    step = Step(1, 7, 6)
    refused(lambda: position.__init__({1: 14, 2: 1}, {1: 15}), TypeError, "cannot be changed")
    refused(lambda: step.__init__(1, 2, 1), TypeError, "cannot be changed")
    assert position == Position.start()
    assert tuple(step) == (1, 7, 6, 0)


def test_a_won_game_is_no_deadlock_even_if_nobody_can_move():
    john = {0: 9, **dict.fromkeys(range(1, 7), 1)}
    position = Position(john, john)
    board = reference.board_of(position)
    for rules in PRESETS.values():
        assert position.is_over(rules)
        assert not position.is_deadlock(rules)
        assert not reference.is_deadlock(board, rules)

"""Turns step by step, against all beginnings of the reference's legal sequences."""

from __future__ import annotations

import copy
import pickle
import random

import numpy as np
import pytest
from harness import ALL_THROWS, START, THREE_GAMES, board
from test_next_steps import following

from brade_fast import (
    BRADE,
    REVERTIER,
    VERQUERE,
    IllegalPlayError,
    InvalidDiceError,
    InvalidPositionError,
    Outcome,
    PhaseError,
    Position,
    Step,
    Turn,
    positions,
    reference,
)

EITHER_DIE = Position({24: 15}, {1: 15})  # révertier: a man leaves with any die


def at(array: np.ndarray) -> Position:
    return Position.from_array(array)


def random_cases(count: int):
    """(rules, position, throw in any order, the reference's legal sequences)."""
    rng, rnd = np.random.default_rng(7), random.Random(7)
    while count:
        mixed = positions.random_rules(rng)
        rules = rnd.choice((*THREE_GAMES, mixed, mixed))
        array = positions.synthetic(rnd.choice(positions.KINDS), rng, rules)
        throw = rnd.choice(ALL_THROWS)
        sequences = reference.legal_sequences(reference.board_of(array), throw, rules)
        if len(sequences) < 400:
            yield rules, at(array), throw[:: rnd.choice((1, -1))], sequences
            count -= 1


def check_stand(turn: Turn, throw: tuple[int, int], steps: dict[tuple, set]) -> None:
    """All questions, by the reference, wherever the turn stands."""
    board, outcome = reference.board_of(turn.origin.array()), Outcome.NONE
    left = list(throw) * (2 if throw[0] == throw[1] else 1)
    for step in turn.steps:
        board = reference.take_step(board, reference.Step(*step))
        outcome = reference.end_of_game(board, turn.rules, forced=step.hit == 2)
        left.remove(step.die)
    following_steps = steps[tuple(map(tuple, turn.steps))]
    assert {tuple(step) for step in turn.legal_steps()} == following_steps
    assert len(turn.legal_steps()) == len(following_steps)
    assert sorted(turn.dice_left) == sorted(left)
    assert reference.board_of(turn.position.array()) == board
    assert turn.outcome == outcome
    assert turn.is_complete == (not following_steps)
    if turn.is_complete:
        play = turn.play
        assert (play.position, play.outcome) == (turn.position.flip(), outcome)
        assert play in turn.origin.plays(*throw, turn.rules)
        assert (play.origin, play.rules) == (turn.origin, turn.rules)
    else:
        with pytest.raises(PhaseError, match=r"the turn is not complete: .* can follow"):
            turn.play  # noqa: B018


def test_every_way_through_a_turn_and_back_is_the_reference_s():
    seen = set()
    for rules, position, throw, sequences in random_cases(70):
        steps = {tuple(map(tuple, taken)): then for taken, then in following(sequences).items()}
        turn = Turn(position, throw, rules)
        visited = 0

        def walk(turn=turn, throw=throw, steps=steps):
            nonlocal visited
            visited += 1
            check_stand(turn, throw, steps)
            for step in turn.legal_steps():
                before = turn.copy()
                assert turn.push(step) == step
                assert turn != before
                walk()
                assert turn.pop() == step
                assert turn == before

        walk()
        assert turn.steps == ()
        assert visited == len(steps), "each beginning once"
        seen.add((rules.name, max(map(len, steps))))
    assert len(seen) > 8, "the cases are of too few kinds"


def test_a_random_walk_of_steps_taken_and_taken_back():
    rnd = random.Random(3)
    for rules, position, throw, sequences in random_cases(15):
        steps = {tuple(map(tuple, taken)): then for taken, then in following(sequences).items()}
        turn = Turn(position, throw, rules)
        for _ in range(12):
            if turn.legal_steps() and rnd.random() < 0.6:
                turn.push(rnd.choice(turn.legal_steps()))
            elif turn.steps:
                last = turn.steps[-1]
                assert turn.pop() == last
            check_stand(turn, throw, steps)


# --- What the rules' worked cases become, step by step ----------------------------------


def test_a_step_that_leads_to_no_legal_play_is_not_offered():
    turn = Turn(Position({22: 1, 24: 2}, {1: 15}), (5, 2))  # case 4
    assert turn.legal_steps() == (Step(22, 25, 5),)
    turn.push("22/off")
    assert turn.legal_steps() == (Step(24, 25, 2),)
    with pytest.raises(IllegalPlayError, match=r"'22/24' cannot follow with 5-2; what can: 24/off"):
        turn.push("22/24")


def test_a_game_that_ends_leaves_dice_over():
    position = at(board({15: 2, 20: 1, 21: 3, 22: 3, 23: 3, 24: 3}))  # case 9
    turn = Turn(position, "55")
    for _ in range(2):
        turn.push("15/20")
    assert turn.is_complete
    assert turn.dice_left == (5, 5)
    assert turn.outcome is turn.play.outcome is Outcome.SINGLE_CROWN


def test_a_win_may_be_declined_and_both_wins_of_a_last_man_are_there():
    turn = Turn(Position({23: 1, 24: 1}, {1: 15}), (2, 1))  # case 17
    turn.push("23/24")
    turn.push("24/off")
    assert (turn.outcome, turn.play.outcome) == (Outcome.NONE, Outcome.NONE)
    turn.pop()
    turn.pop()
    turn.push("23/off")
    turn.push("24/off")
    assert turn.outcome is Outcome.BEAR_OFF
    last = Turn(at(board({19: 1}, {21: 1, 13: 14})), (6, 2))  # case 8
    last.push("19/off")
    assert (last.outcome, last.dice_left) == (Outcome.BEAR_OFF, (2,))
    last.pop()
    assert last.push("19/21").hit == 1
    last.push("21/off")
    assert last.outcome is Outcome.BEAR_OFF_MONK


def test_a_forced_john_and_a_john_are_told_apart():
    mover = {0: 2, 1: 4, 3: 1, 5: 1, 6: 1, 11: 1, 17: 1, 19: 2, 20: 1, 23: 1}
    other = {1: 2, 2: 1, 3: 1, 10: 1, 12: 3, 14: 2, 16: 3, 21: 2}
    turn = Turn(Position(mover, other), (4, 2), BRADE)  # case 19
    assert {s.hit for s in turn.legal_steps()} == {2}
    turn.push("bar/4")
    assert turn.outcome is Outcome.NONE
    turn.push("bar/2")
    assert turn.outcome is turn.play.outcome is Outcome.FORCED_JOHN


@pytest.mark.parametrize(
    ("texts", "outcome"),
    [(("bar/5", "bar/3"), Outcome.JOHN), (("bar/3", "bar/5"), Outcome.FORCED_JOHN)],
)
def test_the_order_of_steps_decides_between_john_and_forced_john(texts, outcome):
    # Both lead to the same position; it counts which step completed it (section 7 no. 3).
    other = {0: 4, 3: 1, **dict.fromkeys((1, 2, 4, 5, 6), 2)}
    turn = Turn(at(board({0: 2, 20: 13}, other)), (5, 3))
    for text in texts:
        assert turn.outcome is Outcome.NONE
        turn.push(text)
    assert turn.outcome is turn.play.outcome is outcome


def test_a_pass_is_complete_at_once():
    turn = Turn(Position({20: 1, 21: 2, 23: 2}, {12: 2, 1: 13}), (4, 4))  # case 6
    assert turn.is_complete
    assert turn.legal_steps() == ()
    assert str(turn.play) == "pass"
    assert turn.dice_left == (4, 4, 4, 4)
    with pytest.raises(IllegalPlayError, match="the turn is complete"):
        turn.push("20/24")
    with pytest.raises(PhaseError, match="no step has been taken"):
        turn.pop()


QUESTIONS = (
    "copy", "dice", "dice_left", "is_complete", "legal_steps", "origin", "outcome", "play", "pop",
    "position", "push", "rules", "steps",
)  # fmt: skip


def test_every_question_has_an_answer_or_a_sentence_wherever_a_turn_stands():
    assert [name for name in dir(Turn) if not name.startswith("_")] == list(QUESTIONS)
    begun = Turn(Position.start(), (6, 6))
    complete = begun.copy()
    complete.push("1/7")
    passed = Turn(Position({20: 1, 21: 2, 23: 2}, {12: 2, 1: 13}), (4, 4))
    for turn, refused in (
        (begun, {"play", "pop"}),
        (complete, {"push"}),
        (passed, {"pop", "push"}),
    ):
        for name in QUESTIONS:
            asked = turn.copy()
            error = IllegalPlayError if name == "push" else PhaseError
            if name in refused:
                with pytest.raises(error, match=r"\w+ \w+ \w+ \w+"):
                    ask(asked, name)
                assert asked == turn
            else:
                ask(asked, name)


def ask(turn: Turn, name: str) -> None:
    if name == "push":
        turn.push(turn.legal_steps()[0] if turn.legal_steps() else "1/7")
    elif callable(answer := getattr(turn, name)):
        answer()


# --- Texts and steps that are given -----------------------------------------------------


def test_a_man_may_be_borne_off_with_either_die():
    for rules in (REVERTIER, VERQUERE.replace(nice_games=(), smallest_reduction=False)):
        turn = Turn(EITHER_DIE, (6, 1), rules)
        assert set(turn.legal_steps()) == {Step(24, 25, 1), Step(24, 25, 6)}
        assert turn.push("24/off").die == 1, "the text means the lower die"
        assert turn.dice_left == (6,)
        assert turn.push("24/off").die == 6
        turn.pop()
        turn.pop()
        assert turn.push(Step(24, 25, 6)).die == 6
        assert turn.dice_left == (1,)


def test_texts_are_read_as_plays_are():
    position = at(board({0: 1, 1: 14}, {3: 1, 13: 14}))
    for text in ("bar/3", "bar/3*", "bar/3!", " BAR/3 ", "0/3", "0-3", "bar → 3", "bar till 3"):
        assert Turn(position, (3, 2)).push(text) == Step(0, 3, 3, 1)
    for text in ("24/off", "24/25", "24/ut*", "24-off"):
        assert Turn(EITHER_DIE, (6, 1), REVERTIER).push(text) == Step(24, 25, 1)


@pytest.mark.parametrize("text", ["1/7/9", "1/7 1/3", "1/7(2)", "pass", ""])
def test_a_text_of_more_or_less_than_one_step_is_refused(text):
    turn = Turn(Position.start(), (6, 2))
    with pytest.raises(IllegalPlayError, match="is not one step"):
        turn.push(text)
    assert turn.steps == ()


def test_what_cannot_follow_is_refused_and_changes_nothing():
    turn = Turn(at(board({1: 15}, {7: 1, 13: 14})), (6, 2))
    before = turn.copy()
    for wrong, sentence in (
        ("1/8", r"'1/8' cannot follow with 6-2; what can: 1/7, 1/3"),
        ("x", "'x' cannot be read"),
        (Step(1, 7, 6), r"Step\(1, 7, 6, 0\) cannot follow .* what can: Step\(1, 7, 6, 1\)"),
        (Step(2, 8, 6), "cannot follow"),
    ):
        with pytest.raises(IllegalPlayError, match=sentence):
            turn.push(wrong)
    for wrong in (None, (1, 7, 6, 1), 7):
        with pytest.raises(TypeError, match="a step is a Step or a text, not"):
            turn.push(wrong)
    assert turn == before


# --- Throws and positions that are given ------------------------------------------------


def test_throws_are_taken_in_any_form():
    start = Position.start()
    for dice in ((2, 6), [2, 6], "26", "2-6", "2 6", np.array([2, 6])):
        assert Turn(start, dice).dice == (2, 6)
    assert Turn(start, (2, 6)).legal_steps() == Turn(start, (6, 2)).legal_steps()


@pytest.mark.parametrize("dice", [None, 6, (6, None), (6.0, 2), (True, 2), {6, 2}, {6: 2, 1: 3}])
def test_what_is_no_throw_is_a_wrong_type(dice):
    with pytest.raises(TypeError, match=r"whole number|a throw is two dice"):
        Turn(Position.start(), dice)


@pytest.mark.parametrize("dice", [(0, 1), (7, 1), (1, -1), (6,), (6, 2, 1), "77", "6", ""])
def test_dice_that_do_not_exist_are_refused(dice):
    with pytest.raises(InvalidDiceError, match="from 1 to 6"):
        Turn(Position.start(), dice)


def test_positions_and_rules_of_a_turn_are_checked():
    with pytest.raises(TypeError, match="a turn begins from a Position"):
        Turn(START, (6, 2))
    with pytest.raises(TypeError, match="rules must be a Rules"):
        Turn(Position.start(), (6, 2), "brade")
    with pytest.raises(InvalidPositionError, match="over"):
        Turn(Position({25: 15}, {1: 15}), (6, 2))


# --- Values -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "again",
    [Turn.copy, copy.copy, copy.deepcopy, lambda turn: pickle.loads(pickle.dumps(turn))],
    ids=["copy()", "copy", "deepcopy", "pickle"],
)
def test_copies_are_equal_and_independent(again):
    turn = Turn(Position.start(), (6, 2))
    turn.push("1/7")
    other = again(turn)
    assert other == turn
    assert other.legal_steps() == turn.legal_steps()
    other.push("7/9")
    assert other != turn
    assert turn.steps == (Step(1, 7, 6),)
    turn.pop()
    assert other.steps == (Step(1, 7, 6), Step(7, 9, 2))


def test_turns_compare_by_all_they_are_and_have_no_hash():
    turn = Turn(Position.start(), (6, 2))
    assert turn == Turn(Position.start(), "6-2")
    for other in (
        Turn(Position.start(), (2, 6)),
        Turn(Position.start(), (6, 2), REVERTIER),
        Turn(EITHER_DIE, (6, 2), REVERTIER),
        "6-2",
    ):
        assert turn != other
    with pytest.raises(TypeError, match="unhashable"):
        hash(turn)


def test_a_turn_says_what_it_is():
    turn = Turn(Position.start(), (6, 2))
    assert repr(turn) == "<Turn 6-2 from _38AAAD_fwAAAA: nothing yet>"
    turn.push("1/7")
    assert repr(turn) == "<Turn 6-2 from _38AAAD_fwAAAA: 1/7>"

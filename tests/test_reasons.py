"""Why a play is illegal: each reason is true, and without what it names the play is legal."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from brade_fast import (
    BRADE,
    REVERTIER,
    VERQUERE,
    IllegalPlayError,
    InvalidDiceError,
    Outcome,
    Position,
    Reason,
    Step,
    explain,
    parse_play,
    positions,
    reference,
)

START = Position.start()
CASE_7 = Position.from_text("1:7 4 14:2 15:2 bar:3 / 1:10 15 17:2 18:2")
FIVE_BLOTS = BRADE.replace(five_blots=True)

# Reason, position, throw, text, rules, the step it is about; then the same without the obstacle:
# what is different there. There the text is legal.
CASES = {
    "the opponent has a made point": (
        Reason.MADE_POINT, Position({1: 14, 12: 1}, {1: 13, 2: 1, 3: 1}), (1, 2), "12/13 1/3",
        BRADE,
        (12, 13, 1, 2), {"position": Position({1: 14, 12: 1}, {4: 1, 5: 1, 6: 1, 23: 12})},
    ),
    "an own man on the far side": (
        Reason.OWN_MAN_ON_FAR_SIDE, Position({1: 13, 5: 1, 8: 1}, {1: 15}), (4, 3), "1/5/8", BRADE,
        (4, 8, 4, 0), {"position": Position({1: 14, 9: 1}, {1: 15})},
    ),
    "an own man where a man would enter": (
        Reason.OWN_MAN_ON_ENTRY, Position({0: 1, 1: 13, 4: 1}, {1: 15}), (4, 2), "bar/4 1/3", BRADE,
        (0, 4, 4, 0), {"position": Position({0: 1, 1: 13, 20: 1}, {1: 15})},
    ),
    "a man on the bar": (
        Reason.ENTER_FIRST, Position({0: 1, 1: 14}, {1: 15}), (4, 2), "1/5 1/3", BRADE,
        (1, 5, 4, 0), {"position": Position({1: 15}, {1: 15})},
    ),
    "nobody stands there": (
        Reason.NO_SUCH_MAN, START, (6, 2), "1/7 14/16", BRADE,
        (14, 16, 2, 0), {"position": Position({1: 14, 14: 1}, {1: 15})},
    ),
    "nobody is on the bar": (
        Reason.NO_SUCH_MAN, START, (6, 2), "bar/2 1/7", BRADE,
        (0, 2, 2, 0), {"position": Position({1: 14, 0: 1}, {1: 15})},
    ),
    "a man is not home yet": (
        Reason.NOT_ALL_HOME, Position({18: 1, 20: 2}, {1: 15}), (5, 1), "20/off 20/21", BRADE,
        (20, 25, 5, 0), {"position": Position({20: 2}, {1: 15})},
    ),
    "a man stands behind": (
        Reason.OTHERS_BEHIND, Position({20: 1, 21: 2}, {1: 15}), (4, 1), "21/off 21/22", BRADE,
        (21, 25, 4, 0), {"rules": REVERTIER},
    ),
    "a point before five men have left": (
        Reason.FIVE_BLOTS, Position({1: 13, 14: 1, 16: 1}, {1: 15}), (2, 1), "14/16 1/2",
        FIVE_BLOTS,
        (14, 16, 2, 0), {"rules": BRADE},
    ),
    "the Junker": (
        Reason.JUNKER, Position({0: 3, 2: 1, 3: 1, 4: 1, 20: 9}, {17: 2, 1: 13}), (6, 1),
        "bar/6 bar/1",
        VERQUERE, (0, 6, 6, 0), {"rules": REVERTIER},
    ),
    "the game has ended": (
        Reason.AFTER_THE_END,
        Position({15: 2, 20: 1, 21: 3, 22: 3, 23: 3, 24: 3}, {1: 15}), (5, 5), "15/20(2) 20/off(2)",
        BRADE, (20, 25, 5, 0), {"rules": BRADE.replace(nice_games=())},
    ),
    "the dice": (
        Reason.NO_SUCH_DIE, START, (6, 2), "1/8", BRADE, None, {"dice": (4, 3)},
    ),
    "too few dice": (
        Reason.NO_SUCH_DIE, Position({1: 13, 14: 1, 15: 1}, {1: 15}), (6, 2), "1/7 14/16 15/17",
        BRADE,
        None, {"text": "1/7 14/16"},
    ),
    "a pass without need": (
        Reason.MUST_PLAY, Position({0: 1, 20: 14}, {14: 1, 24: 14}), (2, 2), "pass", BRADE,
        (0, 2, 2, 1), {"position": Position({0: 1, 20: 14}, {14: 2, 24: 13})},
    ),
    "one die of two": (
        Reason.BOTH_DICE, START, (6, 2), "1/7", BRADE, (1, 3, 2, 0), {"dice": (6, 6)},
    ),
    "two steps of four": (
        Reason.MORE_DICE, START, (3, 3), "1/4", BRADE, (4, 7, 3, 0), {"text": "1/4/7/10 1/4"},
    ),
    "the lower die": (
        Reason.HIGHER_DIE, CASE_7, (6, 5), "bar/5", BRADE, (0, 5, 5, 2), {"dice": (5, 4)},
    ),
    "a larger reduction": (
        Reason.SMALLER_REDUCTION, Position({22: 1, 24: 2}, {1: 15}), (5, 2), "22/24/off", BRADE,
        (22, 24, 2, 0), {"rules": BRADE.replace(smallest_reduction=False)},
    ),
    "another outcome": (
        Reason.WRONG_OUTCOME, Position({24: 1}, {1: 15}), (2, 1), "24/off = tower", BRADE,
        None, {"text": "24/off = hemspel"},
    ),
    "no play at all": (
        Reason.UNREADABLE, START, (6, 2), "one to nine", BRADE, None, {"text": "1/9"},
    ),
    "two plays": (
        Reason.AMBIGUOUS, Position({14: 1, 1: 7, 24: 7}, {8: 1, 15: 14}), (6, 2), "14/22", BRADE,
        None, {"text": "14/20/22"},
    ),
    "the end of the game": (
        Reason.GAME_OVER, Position({25: 15}, {1: 15}), (6, 2), "1/9", BRADE,
        None, {"position": START},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_without_what_the_reason_names_the_play_is_legal(name):
    reason, position, dice, text, rules, step, without = CASES[name]
    found = explain(position, dice, text, rules)
    assert (found.reason, found.step and tuple(found.step)) == (reason, step), found
    now = {"position": position, "dice": dice, "text": text, "rules": rules} | without
    legal = explain(**now)
    assert legal.reason is Reason.LEGAL, legal
    assert legal.nearest == (parse_play(**now),)


def test_every_reason_has_a_case():
    assert {case[0] for case in CASES.values()} == set(Reason) - {Reason.LEGAL}


def test_the_exception_says_what_explain_says():
    for reason, position, dice, text, rules, *_ in CASES.values():
        if reason in (Reason.AMBIGUOUS, Reason.GAME_OVER):
            continue
        with pytest.raises(IllegalPlayError) as caught:
            parse_play(position, dice, text, rules)
        assert str(caught.value) == explain(position, dice, text, rules).sentence


def test_the_sentence_names_text_throw_reason_and_near_plays():
    assert explain(CASE_7, "65", "bar/5").sentence == (
        "'bar/5' with 6-5: the higher die, 6, can be played and must be; legal is bar/6!"
    )
    assert explain(START, (6, 2), "1/9").sentence == "'1/9' with 6-2 is legal: 1/7/9"
    long = explain(START, (6, 2), "1/7 " * 40).sentence
    assert len(long) < 300


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize(
    ("mover", "other", "dice", "text", "without"),
    [
        ({1: 13, 2: 1, 8: 1}, {24: 2, 1: 13}, (6, 4), "2/8 8/12", {24: 1, 1: 13, 23: 1}),
        ({18: 1, 20: 5}, {12: 2, 1: 13}, (6, 5), "18/24 20/off", {12: 1, 1: 13}),
        ({19: 1, 20: 3}, {12: 2, 1: 13}, (5, 5), "19/24 20/off(3)", {12: 1, 1: 13}),
    ],
    ids=["own man on the far side", "not all home", "others behind"],
)
def test_a_made_point_is_named_and_no_own_man_who_ought_to_go_first(
    order, mover, other, dice, text, without
):
    text = " ".join(text.split()[::order])
    found = explain(Position(mover, other), dice, text)
    assert found.reason is Reason.MADE_POINT, found
    assert explain(Position(mover, without), dice, text).reason is Reason.LEGAL


def test_the_beginning_of_a_legal_play_only_stops_too_soon():
    # 22/off with the five is the beginning of the one play, by 24 with both dice it is not.
    position = Position({22: 1, 24: 2}, {1: 15})
    found = explain(position, (5, 2), "22/off")
    assert (found.reason, found.step) == (Reason.BOTH_DICE, Step(24, 25, 2))
    assert explain(position, (5, 2), "22/off 24/off").reason is Reason.LEGAL


def test_near_plays_are_legal_and_come_nearest_first():
    position = Position({1: 12, 3: 1, 14: 1, 16: 1}, {1: 15})
    found = explain(position, (6, 2), "14/20 16/19")
    assert found.nearest[0] == position.parse(6, 2, "14/20 16/18")
    assert set(found.nearest) <= set(position.plays(6, 2))


def test_input_is_checked():
    with pytest.raises(TypeError):
        explain(START, (6, 2), None)
    with pytest.raises(InvalidDiceError):
        explain(START, (6, 0), "1/7")
    with pytest.raises(TypeError):
        explain(START, (6, 2.0), "1/7")


# --- Random steps: is what is said true? ------------------------------------------------


def other_man(board, target: int) -> int:
    return board[1][(target + 11) % 24 + 1] if 1 <= target <= 24 else 0


def without_men(row: tuple[int, ...], indices) -> tuple[int, ...]:
    """The men there are borne off instead."""
    men = list(row)
    for index in indices:
        men[25] += men[index]
        men[index] = 0
    return tuple(men)


def true_of_a_step(found, board, throw, rules) -> None:
    """Holds the reason for a first step against the reference, with and without the obstacle."""
    source, target, die, hit = found.step
    mover, other = board
    possible = reference.possible_steps(board, die, rules)
    junker = rules.blocked_entry == "pass" and reference.junker(board, rules)
    if found.reason in (Reason.BOTH_DICE, Reason.MORE_DICE):
        most = max(len(s.steps) for s in reference.legal_sequences(board, throw, rules, merge=True))
        assert most > 1
        return
    if found.reason is Reason.HIGHER_DIE:
        sequences = reference.legal_sequences(board, throw, rules)
        assert die == min(throw) < max(throw)
        assert {s.steps[0].die for s in sequences if not s.outcome} <= {max(throw)}
        return
    if found.reason is Reason.SMALLER_REDUCTION:
        assert rules.smallest_reduction
        legal = reference.legal_sequences(board, throw, rules)
        assert found.step not in [Step(*s.steps[0]) for s in legal if s.steps]
        begun = [
            s
            for s in reference.complete_sequences(board, throw, rules)
            if s.steps and Step(*s.steps[0]) == found.step
        ]
        least = min(s.reduction for s in legal if not (rules.endings_free and s.outcome))
        assert begun
        assert all(s.reduction > least or len(s.steps) < len(legal[-1].steps) for s in begun)
        return
    assert junker or found.step not in [Step(*step) for step in possible]
    assert hit == min(other_man(board, target), 2)
    if found.reason is Reason.JUNKER:
        assert junker
    elif found.reason is Reason.NO_SUCH_MAN:
        assert mover[source] == 0
    elif found.reason is Reason.ENTER_FIRST:
        assert mover[0] > 0 < source
    elif found.reason is Reason.MADE_POINT:
        assert hit == 2
        twin = (target + 11) % 24 + 1
        freed = without_men(other, [twin])
        # In their place nobody, or, where they were his last, a man elsewhere.
        after = reference.possible_steps((mover, freed), die, rules)
        own = target if source == 0 or 2 <= target <= 11 else 0
        assert (mover[own] and own) or source in [step.source for step in after]
    elif found.reason in (Reason.OWN_MAN_ON_ENTRY, Reason.OWN_MAN_ON_FAR_SIDE):
        assert mover[target] > 0
        assert source == 0 if found.reason is Reason.OWN_MAN_ON_ENTRY else 2 <= target <= 11
        after = reference.possible_steps((without_men(mover, [target]), other), die, rules)
        assert source in [step.source for step in after]
    elif found.reason is Reason.FIVE_BLOTS:
        assert mover[target] > 0
        after = reference.possible_steps(board, die, rules.replace(five_blots=False))
        assert source in [step.source for step in after]
    elif found.reason is Reason.NOT_ALL_HOME:
        assert any(mover[1:19])
        home = without_men(mover, range(1, 19))
        behind = [point for point in range(19, source) if home[point]]
        after = reference.possible_steps((home, other), die, rules)
        assert behind or source in [step.source for step in after]
    else:
        assert found.reason is Reason.OTHERS_BEHIND, found
        assert not any(mover[:19])
        home = without_men(mover, range(19, source))
        assert home != mover
        after = reference.possible_steps((home, other), die, rules)
        assert source in [step.source for step in after]


def test_reasons_of_random_first_steps_are_true():
    rng, rnd = np.random.default_rng(1), random.Random(1)
    seen: Counter[Reason] = Counter()
    kinds = list(positions.KINDS)
    for i in range(1500):
        mixed = positions.random_rules(rng)
        rules = rnd.choice([BRADE, VERQUERE, REVERTIER, FIVE_BLOTS, mixed])
        array = positions.synthetic(kinds[i % len(kinds)], rng, rules)
        if i % 20 == 0:  # a full talon, where the five blots count
            rules = FIVE_BLOTS
            own = {1: 12} | dict.fromkeys(rnd.sample(range(14, 24), 3), 1)
            array = Position(own, {1: 15}).array()
        position, board = Position.from_array(array), reference.board_of(array)
        throw = rnd.choice(positions.THROWS)
        die = rnd.choice(throw)
        men = [point for point in range(25) if board[0][point]]
        source = rnd.choice(men) if men and rnd.random() < 0.8 else rnd.randrange(25)
        target = min(source + die, 25)
        found = explain(position, throw, f"{source}/{target}", rules)
        seen[found.reason] += 1
        if found.reason is Reason.NO_SUCH_DIE:
            assert target != source + die or target == 25  # a man who leaves may need another die
        elif found.reason not in (Reason.LEGAL, Reason.AMBIGUOUS):
            assert found.step is not None
            is_step = found.reason not in (Reason.BOTH_DICE, Reason.MORE_DICE)
            if (
                is_step and found.step.source != source
            ):  # a man can be carried off by both dice, in two steps
                first = found.step.source - source
                (step,) = (
                    s for s in reference.possible_steps(board, first, rules) if s.source == source
                )
                board = reference.take_step(board, step)
            true_of_a_step(found, board, throw, rules)
        if found.reason is not Reason.LEGAL:
            assert set(found.nearest) <= set(position.plays(*throw, rules))
    named = set(Reason) - {
        Reason.UNREADABLE, Reason.AMBIGUOUS, Reason.GAME_OVER, Reason.WRONG_OUTCOME,
        Reason.MUST_PLAY, Reason.NO_SUCH_DIE, Reason.AFTER_THE_END,
    }  # fmt: skip
    assert {reason for reason in named if seen[reason] < 3} == set(), seen


def is_true(found, board, throw, rules) -> bool:
    try:
        true_of_a_step(found, board, throw, rules)
    except AssertionError:
        return False
    return True


def true_somewhere(found, board, steps, throw, rules, outcome=Outcome.NONE) -> bool:
    """Whether a reason holds after some of the steps of a text, in some order, by the reference."""
    if outcome:
        return found.reason is Reason.AFTER_THE_END
    if found.reason is not Reason.AFTER_THE_END and is_true(found, board, throw, rules):
        return True
    for i, (source, target) in enumerate(steps):
        for die in set(throw):
            for step in reference.possible_steps(board, die, rules):
                if (step.source, step.target) == (source, target):
                    after = reference.take_step(board, step)
                    end = reference.end_of_game(after, rules, forced=step.hit == 2)
                    left = steps[:i] + steps[i + 1 :]
                    if true_somewhere(found, after, left, throw, rules, end):
                        return True
    return False


def test_reasons_of_whole_turns_are_true_and_the_order_of_the_words_does_not_matter():
    rng, rnd = np.random.default_rng(3), random.Random(3)
    seen: Counter[Reason] = Counter()
    kinds = list(positions.KINDS)
    for i in range(1000):
        rules = (BRADE, VERQUERE, REVERTIER, FIVE_BLOTS)[i % 4]
        array = positions.synthetic(kinds[i % len(kinds)], rng, rules)
        position, board = Position.from_array(array), reference.board_of(array)
        throw = rnd.choice(positions.THROWS)
        dice = throw if throw[0] != throw[1] else (throw[0],) * rnd.randint(2, 4)
        men = [point for point in range(25) if board[0][point]]
        steps = [(man, min(man + die, 25)) for die in dice for man in [rnd.choice(men)]]
        words = [f"{source}/{target}" for source, target in steps]
        found = explain(position, throw, " ".join(words), rules)
        again = explain(position, throw, " ".join(reversed(words)), rules)
        assert found.reason is again.reason
        if found.reason in (Reason.LEGAL, Reason.AMBIGUOUS):
            continue
        seen[found.reason] += 1
        if found.reason not in (Reason.BOTH_DICE, Reason.MORE_DICE, Reason.SMALLER_REDUCTION):
            where = position, throw, words, rules.name, found
            assert true_somewhere(found, board, steps, throw, rules), where
    assert seen.total() > 200
    assert min(seen[r] for r in _BY_STEP) > 3, seen


_BY_STEP = (
    Reason.MADE_POINT, Reason.OWN_MAN_ON_ENTRY, Reason.OWN_MAN_ON_FAR_SIDE, Reason.ENTER_FIRST,
    Reason.NO_SUCH_MAN, Reason.NOT_ALL_HOME, Reason.OTHERS_BEHIND, Reason.AFTER_THE_END,
)  # fmt: skip


def test_sequences_that_neglect_a_duty_are_told_which():
    """All complete sequences of the reference that are not legal, whole turns now."""
    rng, rnd = np.random.default_rng(2), random.Random(2)
    seen: Counter[Reason] = Counter()
    kinds = list(positions.KINDS)
    for i in range(700):
        rules = (BRADE, VERQUERE, REVERTIER)[i % 3]
        array = positions.synthetic(kinds[i % len(kinds)], rng, rules)
        position, board = Position.from_array(array), reference.board_of(array)
        throw = rnd.choice(positions.THROWS)
        legal = reference.legal_sequences(board, throw, rules, merge=True)
        results = {(s.board, s.outcome) for s in legal}
        every = reference.complete_sequences(board, throw, rules, merge=True)
        wrong = [s for s in every if s.steps and (s.board, s.outcome) not in results]
        for sequence in rnd.sample(wrong, min(2, len(wrong))):
            text = " ".join(f"{step.source}/{step.target}" for step in sequence.steps)
            found = explain(position, throw, text, rules)
            bound = [s for s in legal if not (rules.endings_free and s.outcome)] or legal
            most = max(len(s.steps) for s in bound)
            seen[found.reason] += 1
            if found.reason in (Reason.LEGAL, Reason.AMBIGUOUS):
                continue  # the same ways in another order are a legal play
            if len(sequence.steps) < most:
                more = Reason.MORE_DICE if throw[0] == throw[1] else Reason.BOTH_DICE
                assert found.reason is more
            elif most == 1 and sequence.steps[0].die < max(throw):
                assert found.reason in (Reason.HIGHER_DIE, Reason.SMALLER_REDUCTION)
            else:
                assert found.reason is Reason.SMALLER_REDUCTION
                assert sequence.reduction > min(s.reduction for s in bound)
    assert min(seen[r] for r in (Reason.BOTH_DICE, Reason.HIGHER_DIE, Reason.SMALLER_REDUCTION)) > 2

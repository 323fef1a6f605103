"""A turn step by step: what ``Position.next_steps`` gives, against the reference's sequences."""

from __future__ import annotations

import random

import numpy as np
import pytest

from brade_fast import (
    BRADE,
    REVERTIER,
    VERQUERE,
    IllegalPlayError,
    InvalidDiceError,
    InvalidPositionError,
    Position,
    Step,
    positions,
    reference,
)


def following(sequences) -> dict[tuple, set]:
    """For each beginning of a sequence, the steps that go on from there."""
    found: dict[tuple, set] = {}
    for sequence in sequences:
        for i in range(len(sequence.steps) + 1):
            found.setdefault(sequence.steps[:i], set()).update(
                tuple(step) for step in sequence.steps[i : i + 1]
            )
    return found


@pytest.mark.parametrize("duties", [True, False])
@pytest.mark.parametrize("kind", positions.KINDS)
def test_next_steps_are_those_of_the_reference(kind, duties):
    seed = [*positions.KINDS].index(kind)
    rng, rnd = np.random.default_rng(seed), random.Random(seed)
    for _ in range(25):
        mixed = positions.random_rules(rng)
        rules = rnd.choice([BRADE, VERQUERE, REVERTIER, mixed, mixed])
        array = positions.synthetic(kind, rng, rules)
        board, position = reference.board_of(array), Position.from_array(array)
        throw = rnd.choice(reference.ALL_THROWS)
        find = reference.legal_sequences if duties else reference.complete_sequences
        sequences = find(board, throw, rules)
        if len(sequences) > 3000:
            continue
        steps = following(sequences)
        for taken in [(), *rnd.sample(list(steps), min(5, len(steps)))]:
            found = position.next_steps(
                *throw[::-1], [Step(*step) for step in taken], rules, duties=duties
            )
            assert len(set(found)) == len(found)
            assert {tuple(step) for step in found} == steps[taken]


def test_a_step_that_would_lead_to_no_legal_play_is_not_offered():
    # rules.md case 4: 22 then 24 are borne off; 22 to 24 would reduce more.
    position = Position({22: 1, 24: 2}, {1: 15})
    assert position.next_steps(5, 2) == (Step(22, 25, 5),)
    assert set(position.next_steps(5, 2, duties=False)) == {Step(22, 24, 2), Step(22, 25, 5)}


def test_a_finished_turn_and_a_pass_have_no_next_step():
    start = Position.start()
    assert start.next_steps(6, 6, [Step(1, 7, 6)]) == ()
    blocked = Position({20: 1, 21: 2, 23: 2}, {12: 2, 1: 13})
    assert blocked.next_steps(4, 4) == ()


def test_what_cannot_be_taken_is_refused_by_its_number():
    start = Position.start()
    with pytest.raises(IllegalPlayError, match=r"step 2, Step\(2, 8, 6, 0\)"):
        start.next_steps(6, 2, [Step(1, 3, 2), Step(2, 8, 6)])
    with pytest.raises(IllegalPlayError, match="step 1"):  # marked as a hit of nobody
        start.next_steps(6, 2, [Step(1, 3, 2, 1)])
    with pytest.raises(IllegalPlayError, match="at most four"):
        start.next_steps(6, 2, [Step(1, 3, 2)] * 5)
    with pytest.raises(TypeError, match="Step"):
        start.next_steps(6, 2, [(1, 3, 2, 0)])
    with pytest.raises(InvalidDiceError):
        start.next_steps(7, 2)
    with pytest.raises(InvalidPositionError, match="over"):
        Position({25: 15}, {1: 15}).next_steps(1, 2)

"""The generators of random positions give what the cross-check needs."""

from collections import Counter

import numpy as np
import pytest

from brade_fast import reference
from brade_fast.positions import (
    KINDS,
    PATTERNS,
    THROWS,
    random_rules,
    self_play,
    synthetic,
    winner,
)
from brade_fast.rules import BRADE, PRESETS, Rules


def faults(board):
    """What makes the board invalid (section 7 no. 13)."""
    mover, other = board.tolist()
    found = []
    for row in (mover, other):
        if sum(row) != 15 or min(row) < 0:
            found.append("a side without 15 men")
        if max(row[2:12]) > 1:
            found.append("an own pair on 2-11")
    if any(mover[p] and other[(p + 11) % 24 + 1] for p in range(1, 25)):
        found.append("a point held by both")
    return found


def made(board):
    """For each of the mover's points whether the opponent has made it."""
    return [False] + [board[1, (p + 11) % 24 + 1] > 1 for p in range(1, 25)]


def longest_run(board):
    best = run = 0
    for point in made(board):
        run = run + 1 if point else 0
        best = max(best, run)
    return best


def available(board):
    return sum(board[0, p] == 0 and board[1, p + 12] < 2 for p in range(1, 7))


TRAITS = {
    "bars": lambda b: b[0, 0] > 0 and abs(int(b[0, 0]) - available(b)) <= 2,
    "six_runs": lambda b: longest_run(b) >= 6,
    "seven_runs": lambda b: longest_run(b) >= 7,
    "last_men": lambda b: b[0, 25] == 14,
    "john_near": lambda b: 3 <= b[1, 0] + np.count_nonzero(b[1, 1:7]) <= 6,
    "nice_near": lambda b: min(distance(b[0], p) for p in PATTERNS.values()) <= 4,
    "few_men": lambda b: b[0, 25] >= 3,
    "far_side": lambda b: np.count_nonzero(b[0, 2:12]) >= 3,
    "no_moves": lambda b: np.count_nonzero(b[0, :13]) <= 4 and b[0, 13:25].sum() >= 8,
    "any": lambda b: True,
}


def distance(row, pattern):
    """How many men stand elsewhere than the pattern wants them."""
    return 15 - sum(min(int(row[point]), men) for point, men in pattern.items())


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_valid_and_not_over_and_mostly_has_its_trait(kind):
    traits = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        rules = random_rules(rng)
        board = synthetic(kind, rng, rules)
        assert board.shape == (2, 26)
        assert board.dtype == np.int8
        assert not faults(board), (seed, board)
        assert winner(board, rules) is None
        traits += bool(TRAITS[kind](board))
    assert traits >= 180


@pytest.mark.parametrize("kind", KINDS)
def test_the_seed_decides_and_boards_vary(kind):
    boards = [synthetic(kind, np.random.default_rng(seed)).tobytes() for seed in range(100)]
    again = [synthetic(kind, np.random.default_rng(seed)).tobytes() for seed in range(100)]
    assert boards == again
    assert len(set(boards)) > 95


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="six_runs"):
        synthetic("queens", np.random.default_rng(0))


@pytest.mark.parametrize("name", PRESETS)
def test_self_play_gives_valid_boards_where_nobody_has_won(name):
    rules = PRESETS[name]
    boards = self_play(np.random.default_rng(5), rules, 150)
    assert boards.shape == (150, 2, 26)
    assert not any(faults(board) for board in boards)
    assert all(winner(board, rules) is None for board in boards)
    assert (boards == self_play(np.random.default_rng(5), rules, 150)).all()


def test_self_play_can_run_on_the_reference():
    boards = self_play(np.random.default_rng(6), BRADE, 12, engine=reference, turns=4)
    assert boards.shape == (12, 2, 26)
    assert not any(faults(board) for board in boards)


def test_no_self_play_is_an_empty_array():
    assert self_play(np.random.default_rng(7), BRADE, 0).shape == (0, 2, 26)


def test_random_rules_reach_every_preset_and_every_value_of_every_switch():
    rng = np.random.default_rng(8)
    drawn = [random_rules(rng) for _ in range(400)]
    assert {rules.name for rules in drawn} == {*PRESETS, "custom"}
    for switch in ("long_block_force", "five_blots", "monk", "endings_free"):
        counts = Counter(getattr(rules, switch) for rules in drawn)
        assert min(counts[True], counts[False]) > 20
    assert {rules.blocked_entry for rules in drawn} == {"force", "pass", "wait"}
    assert any(len(set(rules.points)) < 5 and 0 in rules.points for rules in drawn)
    assert all(isinstance(rules, Rules) for rules in drawn)


def test_there_are_21_throws():
    assert len(set(map(frozenset, THROWS))) == len(THROWS) == 21

"""Laws of random games: the same seed gives the same games, and the chances are right.

Seeds are fixed, so that nothing here is left to chance.
"""

from __future__ import annotations

import functools
from fractions import Fraction

import numpy as np
import pytest
from harness import ALL_THROWS, START, both, own_ways, three_games
from hypothesis import given
from hypothesis import strategies as st
from test_laws import cases, laws

from brade_fast import _core, positions, reference
from brade_fast._core import Position
from brade_fast.rules import BRADE, REVERTIER, Outcome, Rules


@given(st.lists(cases(), min_size=1, max_size=3), st.integers(0, 2**64 - 1))
@laws(15)
def test_the_same_seed_gives_the_same_games_whatever_stands_beside_a_position(some, seed):
    rules = BRADE
    boards = np.array([b for b, _ in some if positions.winner(b, rules) is None] + [START], np.int8)
    games = _core.playouts(boards, 9, seed, rules)
    assert games.outcomes.shape == (len(boards), 2, len(Outcome))
    assert (games.outcomes.sum(axis=(1, 2)) == 9).all()
    assert (games.outcomes >= 0).all()
    assert not games.outcomes[:, :, Outcome.NONE].any()
    assert (games.turns >= 9).all()
    for threads in (2, 7):
        again = _core.playouts(boards, 9, seed, rules, threads=threads)
        assert again.outcomes.tobytes() == games.outcomes.tobytes()
        assert again.turns.tobytes() == games.turns.tobytes()
    for i, board in enumerate(boards):
        alone = _core.playouts(Position.from_array(board), 9, seed, rules)
        assert alone.outcomes[0].tolist() == games.outcomes[i].tolist()
        assert alone.turns[0] == games.turns[i]


@both
def test_another_seed_gives_other_games_and_no_seed_a_new_one(impl):
    near = own_ways({19: 2, 22: 3}, {19: 3, 20: 2})
    fixed = [impl.playouts(near, 40, seed).outcomes.tolist() for seed in (1, 1, 2, 3)]
    assert fixed[0] == fixed[1]
    assert fixed[0] != fixed[2] or fixed[0] != fixed[3]
    free = [impl.playouts(near, 40).turns.tolist() for _ in range(8)]
    assert any(turns != free[0] for turns in free)


def test_a_trial_has_the_same_dice_for_every_position():
    # The last man on 17 to 24: whether he leaves at once depends on the dice alone.
    boards = [own_ways({point: 1}, {24: 1}) for point in range(17, 25)]
    trials, seed = 200, 99
    won = np.zeros(len(boards), int)
    for trial in range(trials):
        games = _core.playouts(np.array(boards), trial + 1, seed, REVERTIER)
        d1, d2 = _core.throws(seed, trial, 1)[0].tolist()
        pips = (d1 + d2) * (2 if d1 == d2 else 1)
        # On 17 and 18 he cannot be borne off until he stands on 19 or further on.
        won += [
            pips >= 25 - point and (point > 18 or d1 == d2 or point + max(d1, d2) > 18)
            for point in range(17, 25)
        ]
        assert games.outcomes[:, 0, Outcome.BEAR_OFF].tolist() == won.tolist()
        assert games.outcomes[:, 1, Outcome.BEAR_OFF].tolist() == (trial + 1 - won).tolist()
    assert 0 < won[0] < won[-1] == trials


def test_throws_are_fair():
    dice = np.array([_core.throws(5, trial, 40) for trial in range(500)]).reshape(-1, 2)
    assert set(np.unique(dice)) == set(range(1, 7))
    counts = np.bincount((dice[:, 0] - 1) * 6 + dice[:, 1] - 1, minlength=36)
    expected = np.full(36, len(dice) / 36)
    assert chi_square(counts, expected) < limit(35)


def chi_square(counts: np.ndarray, expected: np.ndarray) -> float:
    return float(((counts - expected) ** 2 / expected).sum())


def limit(degrees: int) -> float:
    """A chi-square that chance exceeds once in some millions (Wilson and Hilferty, z = 5)."""
    spread = 2 / (9 * degrees)
    return degrees * (1 - spread + 5 * spread**0.5) ** 3


Chances = tuple[dict[tuple[int, int], Fraction], Fraction]


@functools.cache
def exact(board: reference.Board, rules: Rules) -> Chances:
    """Chances of each (winner, outcome) and the expected turns; for races, which must end."""
    chances: dict[tuple[int, int], Fraction] = {}
    turns = Fraction(1)
    for throw in ALL_THROWS:
        plays = reference.legal_plays(board, throw, rules)
        chance = Fraction(1 if throw[0] == throw[1] else 2, 36 * len(plays))
        for play in plays:
            if play.outcome:
                end = (0, int(play.outcome))
                chances[end] = chances.get(end, Fraction(0)) + chance
                continue
            after, more = exact(play.board, rules)
            turns += chance * more
            for (winner, outcome), part in after.items():
                end = (1 - winner, outcome)
                chances[end] = chances.get(end, Fraction(0)) + chance * part
    return chances, turns


@pytest.mark.parametrize(
    ("mover", "other"),
    [
        ({20: 2}, {19: 1, 24: 1}),
        ({23: 2, 24: 13}, {23: 3, 24: 2}),
    ],
    ids=["two men each", "tower near"],
)
@three_games
@both
def test_random_games_of_a_race_come_out_as_often_as_they_must(impl, rules, mover, other):
    board = own_ways(mover, other)
    chances, turns = exact(reference.board_of(board), rules)
    assert sum(chances.values()) == 1
    trials = 200_000 if impl is _core else 1500
    games = impl.playouts(board, trials, 2024, rules)
    ends = sorted(chances)
    counts = np.array([games.outcomes[0][end] for end in ends])
    assert counts.sum() == trials, "an end that cannot be"
    expected = np.array([float(chances[end]) * trials for end in ends])
    big = expected >= 5
    counts = np.append(counts[big], counts[~big].sum())
    expected = np.append(expected[big], max(expected[~big].sum(), 1e-9))
    assert chi_square(counts[:-1], expected[:-1]) < limit(len(ends))
    assert counts[-1] < 40
    # No game here is longer than 20 turns, so the deviation of one is below 10.
    assert abs(games.turns[0] / trials - float(turns)) < 5 * 10 / trials**0.5


@pytest.mark.parametrize(
    ("mover", "other"),
    [
        ({19: 1, 20: 2}, {9: 1, 20: 2, 23: 2}),
        ({0: 1, 20: 2, 24: 4}, {16: 2, 19: 1, 22: 3}),
        ({24: 2, 21: 3, 14: 1}, {1: 1, 0: 1, 22: 4}),
    ],
    ids=["a blot in the way", "a man on the bar", "monk"],
)
@three_games
def test_random_games_of_core_and_reference_come_out_alike(rules, mover, other):
    board = own_ways(mover, other)
    few, many = 400, 40_000
    rare = reference.playouts(board, few, 11, rules)
    often = _core.playouts(board, many, 12, rules)
    ours, theirs = often.outcomes[0].ravel(), rare.outcomes[0].ravel()
    shares = (ours + theirs) / (few + many)
    kept = shares * few >= 5
    a = np.append(theirs[kept], theirs[~kept].sum())
    b = np.append(ours[kept], ours[~kept].sum())
    shares = np.append(shares[kept], shares[~kept].sum())
    used = shares > 0
    statistic = chi_square(a[used], shares[used] * few) + chi_square(b[used], shares[used] * many)
    assert statistic < limit(max(int(used.sum()) - 1, 1))
    assert abs(rare.turns[0] / few - often.turns[0] / many) < 0.25 * often.turns[0] / many


def test_a_deadlock_is_counted_for_the_side_to_move_and_ends_the_game():
    # Each stands on all six points on which the other enters.
    held = dict.fromkeys(range(13, 19), 2)
    board = own_ways({0: 2, **held, 24: 1}, {0: 2, **held, 23: 1})
    for impl in (_core, reference):
        games = impl.playouts(board, 3, 1, REVERTIER)
        assert games.outcomes[0, 0, Outcome.DEADLOCK] == 3
        assert games.outcomes.sum() == 3
        assert games.turns.tolist() == [3]

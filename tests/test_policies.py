"""The plain players: random, and sensible by rules of thumb."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from harness import THREE_GAMES, board, own_ways, three_games

from brade_fast import BRADE, REVERTIER, Outcome, Position, enumerate_plays
from brade_fast.policies import WEIGHTS, Weights, best_choice, random_choice, sensible_scores
from brade_fast.positions import self_play


def at_random(plays, rules, rng):
    return random_choice(plays.offsets, rng)


def sensibly(plays, rules, rng):
    return best_choice(plays.offsets, sensible_scores(plays.boards, plays.outcomes, rules))


def play_games(first, second, games, rules, seed):
    """Whole games side by side, each policy beginning half: who won (0 or 1), and how."""
    rng = np.random.default_rng(seed)
    boards = np.repeat(Position.start().array()[None], games, axis=0)
    mover, alive = np.arange(games) % 2, np.arange(games)
    winner, outcome = np.full(games, -1), np.zeros(games, np.int64)
    for _ in range(2000):
        plays = enumerate_plays(boards, rng.integers(1, 7, (len(boards), 2)), rules)
        rows = np.where(mover == 0, first(plays, rules, rng), second(plays, rules, rng))
        boards, ends = plays.boards[rows], plays.outcomes[rows]
        over = ends != 0
        winner[alive[over]], outcome[alive[over]] = mover[over], ends[over]
        boards, mover, alive = boards[~over], 1 - mover[~over], alive[~over]
        if not len(alive):
            break
    return winner, outcome


def score(given: np.ndarray, rules=BRADE, weights=WEIGHTS) -> float:
    """Of a board on which the first player has just moved."""
    (answer,) = sensible_scores(given[None, ::-1], np.zeros(1, np.uint8), rules, weights)
    return float(answer)


def only(**weights: float) -> Weights:
    return Weights(*[0.0] * len(WEIGHTS))._replace(**weights)


# --- Choosing ---------------------------------------------------------------------------


def test_a_random_choice_takes_each_row_equally_often():
    offsets = np.array([0, 1, 4, 6])
    rng = np.random.default_rng(1)
    rows = np.array([random_choice(offsets, rng) for _ in range(6000)])
    assert set(rows[:, 0]) == {0}
    for column, (start, end) in ((1, (1, 4)), (2, (4, 6))):
        counts = np.bincount(rows[:, column])[start:]
        assert len(counts) == end - start
        assert abs(counts / 6000 - 1 / (end - start)).max() < 0.03


def test_the_best_choice_is_the_first_row_with_the_highest_score():
    offsets = np.array([0, 1, 4, 8, 10])
    scores = np.array([9, 1, 5, 5, 2, 7, 3, 7, -1, -2], np.float32)
    assert best_choice(offsets, scores).tolist() == [0, 2, 5, 8]


def test_no_games_have_no_rows():
    none = np.zeros(1, np.int64)
    assert best_choice(none, np.zeros(0, np.float32)).tolist() == []
    assert random_choice(none, np.random.default_rng(1)).tolist() == []
    empty = sensible_scores(np.zeros((0, 2, 26), np.int8), np.zeros(0, np.uint8))
    assert (empty.dtype, empty.shape) == (np.float32, (0,))


# --- Scoring ----------------------------------------------------------------------------


@three_games
def test_many_rows_score_as_they_do_one_by_one(rules):
    boards = self_play(np.random.default_rng(1), rules, 60)
    plays = enumerate_plays(boards, [4, 3], rules)
    before = plays.boards.copy()
    scores = sensible_scores(plays.boards, plays.outcomes, rules)
    assert (scores.dtype, scores.shape) == (np.float32, (len(plays.boards),))
    alone = [
        float(sensible_scores(plays.boards[i : i + 1], plays.outcomes[i : i + 1], rules)[0])
        for i in range(len(scores))
    ]
    assert np.allclose(scores, alone, rtol=0, atol=1e-3)
    assert (plays.boards == before).all()


def test_ends_come_first_by_what_they_are_worth():
    boards = self_play(np.random.default_rng(2), BRADE, 13)
    outcomes = np.arange(13, dtype=np.uint8)
    scores = sensible_scores(boards, outcomes)
    order = sorted(range(1, 13), key=lambda end: BRADE.value(end))
    assert scores[order[0]] > scores[0]
    for less, more in itertools.pairwise(order):
        assert (scores[less] < scores[more]) == (BRADE.value(less) < BRADE.value(more))
    assert sensible_scores(boards, np.full(13, Outcome.BEAR_OFF, np.uint8), REVERTIER).min() > 999


def test_a_worthless_end_still_is_a_win():
    worthless = BRADE.replace(points=BRADE.points._replace(bear_off=0))
    boards = self_play(np.random.default_rng(2), BRADE, 50)
    going_on = sensible_scores(boards, np.zeros(50, np.uint8), worthless)
    assert sensible_scores(boards[:1], np.ones(1, np.uint8), worthless)[0] > going_on.max()


# In each pair the first board is the better one, for the player whose men come first; the
# second player's men are on the first's points.
PAIRS = {
    "pips": ({1: 10, 20: 5}, {1: 10, 19: 5}, {13: 15}, {13: 15}),
    "head": ({1: 10, 12: 2, 14: 3}, {1: 10, 14: 5}, {13: 15}, {13: 15}),
    "prime": (
        {1: 7, 14: 2, 15: 2, 16: 2, 17: 2},
        {1: 7, 14: 2, 15: 2, 17: 2, 18: 2},
        {13: 15},
        {13: 15},
    ),
    "made": ({1: 10, 14: 2, 17: 3}, {1: 10, 14: 3, 17: 1, 20: 1}, {13: 15}, {13: 15}),
    "stacked": ({1: 8, 14: 3, 17: 4}, {1: 8, 14: 2, 17: 5}, {13: 15}, {13: 15}),
    "talon": ({1: 9, 5: 1, 20: 5}, {1: 10, 20: 5}, {13: 15}, {13: 15}),
    "shot": ({1: 13, 20: 2}, {1: 13, 17: 1, 20: 1}, {13: 15}, {13: 15}),
    "own_john": ({0: 1, 1: 14}, {0: 2, 1: 13}, {13: 15}, {13: 15}),
    "own_john_blots": ({1: 13, 20: 2}, {1: 13, 17: 1, 20: 1}, {13: 15}, {13: 15}),
    "john": ({1: 15}, {1: 15}, {0: 2, 13: 13}, {0: 1, 13: 14}),
    "john_blots": ({1: 15}, {1: 15}, {20: 1, 13: 14}, {13: 15}),
    "bar": ({1: 15}, {1: 15}, {0: 2, 13: 13}, {0: 1, 13: 14}),
    "hunters": ({1: 3, 24: 12}, {1: 2, 24: 13}, {20: 1, 13: 14}, {20: 1, 13: 14}),
    "nice": (
        {20: 3, 21: 3, 22: 3, 23: 3, 24: 2, 18: 1},
        {20: 3, 21: 3, 22: 3, 23: 2, 24: 2, 18: 2},
        {13: 15},
        {13: 15},
    ),
    "off": ({24: 3}, {24: 4}, {13: 15}, {13: 15}),
}


def test_each_weight_has_its_pair():
    assert list(PAIRS) == list(Weights._fields)


@pytest.mark.parametrize("name", PAIRS)
def test_each_weight_is_of_what_it_says(name):
    better, worse, other_of_better, other_of_worse = PAIRS[name]
    weights = only(**{name: getattr(WEIGHTS, name)})
    first = score(board(better, other_of_better), weights=weights)
    assert first > score(board(worse, other_of_worse), weights=weights)


def test_a_man_on_the_bar_keeps_the_others_from_shooting():
    weights = only(shot=-1)
    blot = {1: 14, 17: 1}
    assert score(board(blot, {13: 15}), weights=weights) == pytest.approx(-11 / 36)
    # From the bar 17 is five away, as the other's 5; the men on 13 must wait.
    assert score(board(blot, {0: 1, 13: 14}), weights=weights) == pytest.approx(-11 / 36)
    assert score(board({1: 14, 20: 1}, {0: 1, 15: 1, 13: 13}), weights=weights) == 0
    # Two numbers hit: 36 - 4 * 4 throws show one of them.
    two = own_ways({1: 14, 17: 1}, {1: 13, 3: 1, 25: 1})
    assert score(two, weights=weights) == pytest.approx(-20 / 36)
    # On his points 1 to 6 a hit gives a point back.
    assert score(board({1: 14, 3: 1}, {2: 2, 13: 13}), weights=weights) == 0


def test_a_nice_game_that_is_gone_or_unknown_counts_nothing():
    nearly = board({20: 3, 21: 3, 22: 3, 23: 3, 24: 2, 18: 1})
    nice = only(nice=1)
    assert score(nearly, weights=nice) == pytest.approx((14 / 15) ** 4)
    assert score(nearly, REVERTIER, nice) == 0
    crown = BRADE.replace(nice_games=("single_crown",))
    assert score(board({20: 3, 21: 3, 22: 2, 23: 3, 24: 4}), crown, nice) == 0
    assert score(board({20: 3, 21: 3, 22: 3, 23: 3, 24: 2}), weights=nice) == 0  # one is off


# --- Playing ----------------------------------------------------------------------------


@pytest.mark.parametrize("rules", THREE_GAMES, ids=lambda rules: rules.name)
def test_sensible_play_beats_random_play(rules):
    winner, _ = play_games(sensibly, at_random, 200, rules, seed=7)
    assert (winner >= 0).all()
    assert (winner == 0).mean() >= 0.9


def test_sensible_games_end_in_all_the_ways_that_people_see():
    _, outcome = play_games(sensibly, sensibly, 300, BRADE, seed=8)
    shares = np.bincount(outcome, minlength=14) / 300
    assert shares[0] == 0
    assert 0.25 < shares[1:3].sum() < 0.65  # bear-off
    assert shares[3:11].sum() > 0.08  # nice games
    assert 0.2 < shares[11:13].sum() < 0.55  # John

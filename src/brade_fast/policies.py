"""Players as plain functions over arrays: random, and sensible by a few rules of thumb.

A policy chooses among the rows of an :class:`~brade_fast.rules.Enumeration`, of many games at
once. These need nothing but the offsets of the rows and a score for each.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .positions import PATTERNS
from .rules import BRADE, Rules

__all__ = ["WEIGHTS", "Weights", "best_choice", "random_choice", "sensible_scores"]

BAR, TALON, HEAD, OFF = 0, 1, 12, 25
_Scores = npt.NDArray[np.float32]


class Weights(NamedTuple):
    """What each thing counts that :func:`sensible_scores` sees.

    "He" is the player who has just moved, "the opponent" the one who throws next. The numbers
    were found by letting changed ones play against each other; of about equally strong ones those
    were kept with which bräde ends in bear-offs, nice games and Johns as often as among people.
    """

    #: For each pip that the opponent has yet to go more than he.
    pips: float = 0.006
    #: Holding the head (his 12).
    head: float = 0.3
    #: For each point of his longest run of made points on his 12 to 24, up to five.
    prime: float = 0.8
    #: For each made point on his 12 to 24.
    made: float = 2.0
    #: For each man above three on one of his 13 to 24, as long as men may meet.
    stacked: float = -0.1
    #: For each man left on the talon.
    talon: float = -0.02
    #: For each blot outside his Q1, times the share of throws in which one die would hit it.
    shot: float = -1.0
    #: The square of his John count, and of what it would be with his blots under fire hit.
    own_john: float = -0.1
    own_john_blots: float = -0.045
    #: The square of the opponent's John count, and of what it would be with all his blots hit.
    john: float = 0.14
    john_blots: float = 0.02
    #: For each of the opponent's men on the bar.
    bar: float = 0.6
    #: For each of his men, up to four, in his Q1 and Q2, as long as the opponent has blots out.
    hunters: float = 0.2
    #: The share of his men in place for the best nice game left to him, to the fourth power: one
    #: that is far counts little, the last men much.
    nice: float = 35.0
    #: For each man borne off.
    off: float = 0.24


WEIGHTS = Weights()
#: Above all else: an end of the game, by what it is worth.
END = 1000.0


def random_choice(
    offsets: npt.NDArray[np.int64], rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    """A random row for each game, all its plays being equally likely.

    Parameters
    ----------
    offsets : int64, shape (n + 1,)
        Of an enumeration.
    rng : numpy.random.Generator

    Returns
    -------
    int64, shape (n,)
        Row numbers.
    """
    return offsets[:-1] + rng.integers(np.diff(offsets))


def best_choice(
    offsets: npt.NDArray[np.int64], scores: npt.NDArray[np.floating]
) -> npt.NDArray[np.int64]:
    """The row with the highest score for each game; of equal ones the first.

    Parameters
    ----------
    offsets : int64, shape (n + 1,)
        Of an enumeration.
    scores : float, shape (m,)
        One for each row.

    Returns
    -------
    int64, shape (n,)
        Row numbers.
    """
    sizes = np.diff(offsets)
    if not len(sizes):
        return np.zeros(0, np.int64)
    best = np.repeat(np.maximum.reduceat(scores, offsets[:-1]), sizes)
    rows = np.flatnonzero(scores == best)
    return rows[np.searchsorted(rows, offsets[:-1])]


def sensible_scores(
    boards: npt.NDArray[np.int8],
    outcomes: npt.NDArray[np.uint8],
    rules: Rules = BRADE,
    weights: Weights = WEIGHTS,
) -> _Scores:
    """How good positions are for the player who has just moved, by rules of thumb.

    Ends of the game come first, by their points. Else the things that :class:`Weights` lists
    are added up: hold the head, make primes of up to five points, leave no blots under fire
    when John is near, hit when the opponent is near it and keep men behind his blots for that,
    and late in the game make a nice game rather than bear off.

    Parameters
    ----------
    boards : int8, shape (m, 2, 26)
        As enumerated: row 1 is the player who has just moved.
    outcomes : uint8, shape (m,)
    rules : Rules
    weights : Weights

    Returns
    -------
    float32, shape (m,)
    """
    w = weights
    his, other = boards[:, 1].astype(np.float32), boards[:, 0].astype(np.float32)
    near = his[:, HEAD:OFF]
    made = near >= 2
    blots, other_blots = _blots_outside_q1(his), _blots_outside_q1(other)
    count, other_count = _john_count(his), _john_count(other)
    shots = _shots(other, blots)
    fire = (shots > 0).sum(1)
    contact = his[:, :13].any(1) | other[:, :13].any(1)
    score = w.pips * (other @ _PIPS - his @ _PIPS)
    score += w.head * made[:, 0]
    score += w.prime * np.minimum(_longest_run(made), 5)
    score += w.made * made.sum(1)
    score += w.stacked * contact * np.maximum(near[:, 1:] - 3, 0).sum(1)
    score += w.talon * his[:, TALON]
    score += w.shot * shots.sum(1)
    score += w.own_john * count**2 + w.own_john_blots * (count + fire) ** 2
    score += w.john * other_count**2
    score += w.john_blots * (other_count + other_blots.sum(1)) ** 2
    score += w.bar * other[:, BAR]
    score += w.hunters * other_blots.any(1) * np.minimum(his[:, :13].sum(1), 4)
    score += w.nice * _nice(his, rules)
    score += w.off * his[:, OFF]
    values = np.array([rules.value(outcome) for outcome in range(13)], np.float32)
    ended = outcomes != 0
    return np.where(ended, END * (1 + values[outcomes]), score).astype(np.float32)


_PIPS = np.array([*range(25, 0, -1), 0], np.float32)


def _john_count(men: _Scores) -> _Scores:
    """Men on the bar and held points of Q1; John at seven (section 5)."""
    count: _Scores = men[:, BAR] + (men[:, 1:7] > 0).sum(1)
    return count


def _blots_outside_q1(men: _Scores) -> npt.NDArray[np.bool_]:
    """By his points 0 to 25, whether a single man stands there that counts for John when hit."""
    blots: npt.NDArray[np.bool_] = men == 1
    blots[:, :7] = False
    blots[:, OFF] = False
    return blots


def _shots(other: _Scores, blots: npt.NDArray[np.bool_]) -> _Scores:
    """For each point of his with a blot the share of throws in which one die would hit it."""
    # With men on the bar only these hit at once.
    entering = other[:, :1] > 0
    shooters = (other > 0) & (~entering | (np.arange(26) == BAR))
    # How many of the six numbers hit, on the other's points.
    dice = np.zeros(other.shape, np.float32)
    for die in range(1, 7):
        dice[:, die:OFF] += shooters[:, : OFF - die]
    share = 1 - ((6 - dice) / 6) ** 2
    # Point p of the one is p + 12 of the other, p - 12 above 12.
    across = np.concatenate([np.zeros_like(share[:, :1]), share[:, 13:25], share[:, 1:13]], axis=1)
    shots: _Scores = across * blots[:, :OFF]
    return shots


def _longest_run(made: npt.NDArray[np.bool_]) -> _Scores:
    longest = np.zeros(len(made), np.float32)
    run = np.zeros(len(made), np.float32)
    for point in range(made.shape[1]):
        run = (run + 1) * made[:, point]
        np.maximum(longest, run, out=longest)
    return longest


def _nice(men: _Scores, rules: Rules) -> _Scores:
    """The fourth power of the share of his men in place for the best nice game left to him."""
    best = np.zeros(len(men), np.float32)
    # Men do not go back: from no point on may he have more men than the pattern has.
    from_here = men[:, 24:0:-1].cumsum(1)
    for game in rules.nice_games:
        pattern = np.zeros(26, np.float32)
        for point, number in PATTERNS[game].items():
            pattern[point] = number
        can = (men[:, OFF] == 0) & (from_here <= pattern[24:0:-1].cumsum()).all(1)
        in_place = np.minimum(men, pattern)[:, 1:OFF].sum(1) / 15
        np.maximum(best, can * in_place**4, out=best)
    return best

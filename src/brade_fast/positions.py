"""Random positions and rule mixes for checks: self-play, and one generator for each rare thing.

All boards are valid (section 7 no. 13), and nobody has won in them under the given rules.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from .rules import BLOCKED_ENTRY, BRADE, NICE_GAMES, REVERTIER, VERQUERE, Points, Rules

__all__ = ["KINDS", "THROWS", "random_rules", "self_play", "synthetic", "winner"]

Board = npt.NDArray[np.int8]

THROWS: tuple[tuple[int, int], ...] = tuple(
    (high, low) for high in range(1, 7) for low in range(1, high + 1)
)

PATTERNS: dict[str, dict[int, int]] = {
    "single_crown": {20: 3, 21: 3, 22: 3, 23: 3, 24: 3},
    "double_crown": {22: 5, 23: 5, 24: 5},
    "staircase": {22: 3, 23: 5, 24: 7},
    "tower": {24: 15},
}

_BAR, _OFF = 0, 25
_ALL = range(1, 25)
_ONE_MAN_POINTS = range(2, 12)


def winner(board: npt.ArrayLike, rules: Rules) -> int | None:
    """The row of the player who has already won under `rules`, or None.

    A copy of section 5 of its own, so that generators depend on neither implementation.
    """
    rows = np.asarray(board).tolist()
    for row in (0, 1):
        mine, his = rows[row], rows[1 - row]
        if mine[_OFF] == 15 or his[_BAR] + sum(n > 0 for n in his[1:7]) > 6:
            return row
        for game in rules.nice_games:
            if all(mine[point] == n for point, n in PATTERNS[game].items()):
                return row
    return None


def _twin(point: int) -> int:
    """The other player's number of a point."""
    return point + 12 if point <= 12 else point - 12


class _Draft:
    """A board in the making; every `put` keeps it valid or does nothing."""

    def __init__(self, seed: int) -> None:
        self.rnd = random.Random(seed)
        self.rows = ([0] * 26, [0] * 26)

    def left(self, row: int) -> int:
        return 15 - sum(self.rows[row])

    def put(self, row: int, index: int, men: int = 1) -> bool:
        mine, his = self.rows[row], self.rows[1 - row]
        if men > self.left(row):
            return False
        if 1 <= index <= 24 and his[_twin(index)]:
            return False
        if index in _ONE_MAN_POINTS and mine[index] + men > 1:
            return False
        mine[index] += men
        return True

    def block(self, point: int, men: int = 0) -> bool:
        """A made point of the other player on the mover's `point`, 2 men as a rule."""
        men = men or self.rnd.choices((2, 3), (5, 1))[0]
        twin = _twin(point)
        return twin not in _ONE_MAN_POINTS and self.put(1, twin, men)

    def blot(self, point: int) -> bool:
        """An opposing blot on the mover's `point`."""
        return not self.rows[1][_twin(point)] and self.put(1, _twin(point))

    def fill(self, row: int, points: Iterable[int], men: int = 15) -> None:
        """Up to `men` of the men left go to random ones of `points`, some of them in piles."""
        open_points = list(points)
        men = min(men, self.left(row))
        while men and open_points:
            index = self.rnd.choice(open_points)
            pile = 1 if index in _ONE_MAN_POINTS else min(men, self.rnd.choice((1, 1, 2, 2, 3)))
            if self.put(row, index, pile):
                men -= pile
            else:
                open_points.remove(index)

    def rest(self, row: int, *places: int) -> None:
        """All men left go to the first of `places` that is free (off at last)."""
        for index in (*places, _OFF):
            if self.put(row, index, self.left(row)):
                return

    def board(self) -> Board:
        return np.array(self.rows, dtype=np.int8)


def _other_at_home(d: _Draft) -> None:
    """The other player's men left, anywhere: mostly near his start, sometimes gone."""
    rnd = d.rnd
    if rnd.random() < 0.1:
        d.put(1, _BAR, min(d.left(1), rnd.randint(1, 2)))
    if rnd.random() < 0.7:
        d.fill(1, _ALL, rnd.randint(0, 6))
    if rnd.random() < 0.3:
        d.rest(1, 1, 12, *range(13, 25))
    elif rnd.random() < 0.5:
        d.fill(1, (1, *range(12, 25)))
    d.rest(1)


def _mover_anywhere(d: _Draft) -> None:
    """The mover's men left: some spread, the others in a pile."""
    d.fill(0, _ALL, d.rnd.randint(2, 15))
    d.rest(0, d.rnd.choice((1, 12, 13, 20, 24)), 24, 23, 22)


def _crowded_entry(
    d: _Draft, bar: int, available: int, blots: float = 0.5, most_own: int = 6, men: int = 0
) -> None:
    """Men on the mover's bar and a Q1 with so many available points."""
    rnd = d.rnd
    d.put(0, _BAR, bar)
    points = rnd.sample(range(1, 7), 6)
    for _ in range(available):
        if rnd.random() < blots:
            d.blot(points[-1])
        points.pop()
    own = rnd.randint(0, min(len(points), 6 - bar, most_own))
    for i, point in enumerate(points):
        if i < own:
            d.put(0, point)
        else:
            d.block(point, men)


def _bars(d: _Draft) -> None:
    rnd = d.rnd
    bar = rnd.choices((1, 2, 3, 4, 5, 6), (5, 6, 4, 2, 1, 1))[0]
    available = bar + rnd.choices((-2, -1, 0, 1, 2), (3, 6, 4, 3, 1))[0]
    _crowded_entry(d, bar, min(6, max(0, available)))
    if rnd.random() < 0.3:
        d.put(0, 1, rnd.randint(1, 6))
    d.fill(0, range(7, 25), rnd.randint(1, 15))
    d.rest(0, rnd.choice((12, 13, 20, 24)), 24, 23)
    _other_at_home(d)


def _run(d: _Draft, length: int) -> None:
    """A run of opposing made points with the mover's men before it."""
    rnd = d.rnd
    first = rnd.randint(1, 14 - length)
    shape = rnd.random()
    points = list(range(first, first + length))
    if shape < 0.12:  # over the edge, which is no run
        points = [24, *range(1, length)]
    elif shape < 0.22:  # a run too short by a point or by a blot
        points.remove(gap := rnd.choice(points))
        if rnd.random() < 0.5:
            d.blot(gap)
    elif shape < 0.34 and length < 7:
        points = list(range(14 - length, 14))
    for point in points:
        d.block(point, 2)
    before = [p for p in range(first - 6, first + length) if 0 < p <= 13]
    d.fill(0, before, rnd.randint(1, 5))
    if first <= 6 and rnd.random() < (0.8 if first == 1 else 0.25):
        d.put(0, _BAR, min(d.left(0), rnd.choice((1, 1, 2, 3))))
    if rnd.random() < 0.4:
        d.rest(0, 24, 23)
    _mover_anywhere(d)
    _other_at_home(d)


def _six_runs(d: _Draft) -> None:
    _run(d, 6)


def _seven_runs(d: _Draft) -> None:
    _run(d, 7)


def _last_men(d: _Draft) -> None:
    rnd = d.rnd
    men = rnd.choices((1, 2), (4, 1))[0]
    d.put(0, _OFF, 15 - men)
    shape = rnd.random()
    if shape < 0.6:  # a run before the last man
        start = rnd.randint(0, 7)
        first = rnd.randint(start + 1, min(8, start + 6))
        d.put(0, start)
        for point in range(first, first + rnd.choice((6, 6, 7))):
            d.block(point, 2)
    elif shape < 0.8:  # a last man near the end
        d.fill(0, range(13, 25))
        d.fill(1, (*range(2, 13), 1), rnd.randint(1, 10))
    else:
        d.fill(0, range(25))
        for point in rnd.sample((*range(1, 14), 24), rnd.randint(1, 7)):
            d.block(point)
    d.fill(0, range(25))
    _other_at_home(d)


def _john_near(d: _Draft) -> None:
    rnd = d.rnd
    either_order = rnd.random() < 0.5  # of one hit and one forcing: John or forced John
    reach = 4 if either_order else rnd.choices((3, 4, 5, 6), (2, 4, 4, 4))[0]
    bar = rnd.randint(0, reach)
    d.put(1, _BAR, bar)
    for point in rnd.sample(range(1, 7), reach - bar):
        d.put(1, point)
    if either_order:
        _crowded_entry(d, 2, 1, blots=1, most_own=2, men=2)
        d.fill(0, range(7, 25), rnd.randint(1, 8))
    elif rnd.random() < 0.6:  # entering, perhaps by force
        mover_bar = rnd.choices((1, 2, 3), (2, 4, 2))[0]
        _crowded_entry(d, mover_bar, max(0, mover_bar - rnd.choices((0, 1, 2), (1, 3, 1))[0]), 0.8)
        d.fill(0, _ALL, rnd.randint(1, 8))
    else:
        d.fill(0, range(1, 20), rnd.randint(3, 10))
    held = [p for p in _ALL if d.rows[0][p]]
    near = {p + die for p in held for die in range(1, 7)} & {*range(7, 13), *range(19, 25)}
    for point in rnd.sample(sorted(near), min(len(near), rnd.randint(0, 4))):
        d.blot(point)
    _mover_anywhere(d)
    d.fill(1, (*range(7, 13), *range(19, 25)), rnd.randint(0, 5))
    d.rest(1, *rnd.sample((12, 19, 20), 3), 24, 23, 22)


def _nice_near(d: _Draft, games: tuple[str, ...] = NICE_GAMES) -> None:
    rnd = d.rnd
    mine = d.rows[0]
    for point, men in PATTERNS[rnd.choice(games or NICE_GAMES)].items():
        d.put(0, point, men)
    steps = rnd.choices((1, 2, 3, 4), (6, 4, 1, 1))[0]
    die = rnd.randint(1, 6)
    for _ in range(steps):
        size = die if steps > 2 or rnd.random() < 0.4 else rnd.randint(1, 6)
        source = rnd.choice(
            [p for p in range(1 + size, 25) if mine[p] and p - size not in _ONE_MAN_POINTS]
        )
        mine[source] -= 1
        mine[source - size] += 1
    if rnd.random() < 0.4:
        d.put(1, _BAR, rnd.choice((1, 1, 2)))
    if rnd.random() < 0.5:  # blots on the way (no made points are possible there)
        d.fill(1, range(2, 12), rnd.randint(1, 3))
    if rnd.random() < 0.3:
        d.put(1, 12, rnd.choice((1, 2)))
    _other_at_home(d)


def _few_men(d: _Draft) -> None:
    rnd = d.rnd
    men = rnd.choices(range(1, 13), (3, 5, 5, 5, 4, 4, 3, 2, 2, 1, 1, 1))[0]
    outside = rnd.choices((0, 1, 2), (8, 2, 1))[0]
    d.put(0, _OFF, 15 - men)
    if rnd.random() < 0.35:
        d.fill(1, range(7, 13), rnd.randint(1, 3))
    d.fill(0, range(12, 19), min(outside, men))
    d.fill(0, range(rnd.choice((19, 19, 20, 21, 22)), 25))
    d.rest(0)
    if rnd.random() < 0.3:
        d.put(1, _BAR, rnd.randint(1, 2))
    if rnd.random() < 0.4:
        d.fill(1, range(12, 25), rnd.randint(1, 6))
        d.rest(1)
    _other_at_home(d)


def _far_side(d: _Draft) -> None:
    rnd = d.rnd
    shape = rnd.random()
    if shape < 0.35:  # the edge of five_blots
        d.put(0, 1, rnd.randint(9, 13))
        d.fill(0, range(2, 14), rnd.randint(2, 6))
    elif shape < 0.6:  # the talon was left, a man comes back or has come
        d.put(0, _BAR, rnd.choice((1, 1, 2)))
        if rnd.random() < 0.25:
            d.put(0, 1)
        d.fill(0, range(2, 12), rnd.randint(2, 8))
    else:
        d.put(0, 1, rnd.randint(0, 9))
        d.fill(0, range(2, 12), rnd.randint(4, 10))
    if rnd.random() < 0.6:
        d.fill(1, range(12, 25), rnd.randint(1, 9))
    d.fill(0, range(12, 25))
    _other_at_home(d)


def _no_moves(d: _Draft) -> None:
    rnd = d.rnd
    if rnd.random() < 0.3:
        d.put(0, _BAR, rnd.choice((1, 1, 1, 2)))
        sources = [0]
    else:
        sources = rnd.choices(range(1, 13), k=rnd.randint(1, 3))
        for point in sources:
            d.put(0, point, 1)
        if rnd.random() < 0.3:
            d.put(0, 1, rnd.randint(1, 4))
    ahead = [p for s in sources for p in range(s + 1, s + 7)]
    spare = set(rnd.choices(ahead, k=rnd.randint(1, 3)))
    for point in sorted(set(ahead) - spare, key=lambda _: rnd.random()):
        d.block(point, 2)
    if rnd.random() < 0.4:
        d.block(24, 2)
    d.rest(0, *((24, 23) if rnd.random() < 0.8 else (rnd.randint(14, 23), 24)))
    _other_at_home(d)


def _any(d: _Draft) -> None:
    rnd = d.rnd
    for row in rnd.sample((0, 1), 2):
        if rnd.random() < 0.2:
            d.put(row, _OFF, rnd.randint(1, 14))
        if rnd.random() < 0.3:
            d.put(row, _BAR, min(d.left(row), rnd.randint(1, 4)))
        low, high = sorted(rnd.choices(range(1, 25), k=2))
        d.fill(row, range(low, high + 1) if rnd.random() < 0.4 else _ALL)
        d.rest(row, 1, 12, 24)


_MAKERS: dict[str, Callable[[_Draft], None]] = {
    "bars": _bars,
    "six_runs": _six_runs,
    "seven_runs": _seven_runs,
    "last_men": _last_men,
    "john_near": _john_near,
    "nice_near": _nice_near,
    "few_men": _few_men,
    "far_side": _far_side,
    "no_moves": _no_moves,
    "any": _any,
}
KINDS: tuple[str, ...] = tuple(_MAKERS)


def synthetic(kind: str, rng: np.random.Generator, rules: Rules = BRADE) -> Board:
    """A random position made for one rare thing.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    rng : numpy.random.Generator
        Advanced by a fixed amount for each draft; most drafts are used.
    rules : Rules
        Nobody has won in the position under these; nice games are aimed at those they know.

    Returns
    -------
    int8, shape (2, 26)
        The player to move first, each on his own way.
    """
    make = _MAKERS.get(kind)
    if make is None:
        raise ValueError(f"there is no kind {kind!r}; the kinds are {', '.join(KINDS)}")
    while True:
        draft = _Draft(int(rng.integers(1 << 62)))
        if kind == "nice_near":
            _nice_near(draft, rules.nice_games)
        else:
            make(draft)
        if not draft.left(0) and not draft.left(1):
            board = draft.board()
            if winner(board, rules) is None:
                return board


def self_play(
    rng: np.random.Generator, rules: Rules, count: int, engine: Any = None, turns: int = 100
) -> Board:
    """Positions from games of uniformly random plays.

    Parameters
    ----------
    rng : numpy.random.Generator
    rules : Rules
    count : int
        How many positions.
    engine : module, optional
        Has `enumerate_plays`; the core by default.
    turns : int
        Each game gives about so many positions; one that ends begins afresh.

    Returns
    -------
    int8, shape (count, 2, 26)
    """
    if engine is None:
        from . import _core as engine
    start = np.zeros((2, 26), dtype=np.int8)
    start[:, 1] = 15
    games = max(1, -(-count // turns))
    boards = np.repeat(start[None], games, axis=0)
    kept: list[Board] = []
    while sum(map(len, kept)) < count:
        kept.append(boards)
        dice = rng.integers(1, 7, size=(games, 2), dtype=np.int8)
        plays = engine.enumerate_plays(boards, dice, rules)
        sizes = np.diff(plays.offsets)
        rows = plays.offsets[:-1] + rng.integers(sizes)
        boards = plays.boards[rows].copy()
        # Some games begin afresh at random: where nobody can move they would never end.
        boards[(plays.outcomes[rows] != 0) | (rng.random(games) < 0.003)] = start
    return np.concatenate(kept)[:count] if count else np.zeros((0, 2, 26), dtype=np.int8)


def random_rules(rng: np.random.Generator) -> Rules:
    """A random rule set: a preset, a preset with one of the options, or any mix."""
    preset = (BRADE, VERQUERE, REVERTIER)[int(rng.integers(3))]
    choice = int(rng.integers(3))
    if choice == 0:
        return preset
    flags = [bool(flag) for flag in rng.integers(2, size=7)]
    if choice == 1:
        if preset is VERQUERE and flags[0]:  # the option "five points"
            return preset.replace(long_block_force=True, five_blots=flags[1])
        return preset.replace(five_blots=True)
    games = rng.integers(2, size=4)
    return Rules(
        blocked_entry=BLOCKED_ENTRY[int(rng.integers(3))],
        long_block_force=flags[0],
        five_blots=flags[1],
        bear_off_rearmost_only=flags[2],
        smallest_reduction=flags[3],
        endings_free=flags[4],
        nice_games=tuple(game for game, known in zip(NICE_GAMES, games, strict=True) if known),
        monk=flags[5],
        points=Points(*(int(n) for n in rng.integers(5, size=5))),
        loser_begins=flags[6],
    )

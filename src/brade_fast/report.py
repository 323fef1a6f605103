"""What there is to see in a position: shots, John danger, blocks, and what each throw gives.

Everything is counted out over all plays of all throws; nothing is estimated.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from ._core import Position, enumerate_plays
from .notation import BAR, OFF, across, board_text, outcome_title, rules_text
from .positions import THROWS
from .rules import BRADE, Outcome, Rules

__all__ = ["Block", "Danger", "Report", "Shot", "Side", "Throw", "report"]

JOHN = 7  # the count of Danger.count at which a player has lost


@dataclasses.dataclass(frozen=True)
class Throw:
    """What one throw gives.

    Attributes
    ----------
    dice : (int, int)
        The higher die first.
    plays : int
        The number of distinct plays; a pass is one.
    is_pass : bool
        Whether the only play is to pass.
    outcomes : tuple of Outcome
        The ends of the game that are among the plays, by their number.
    can_go_on : bool
        Whether a play is among them after which the game goes on.
    """

    dice: tuple[int, int]
    plays: int
    is_pass: bool
    outcomes: tuple[Outcome, ...]
    can_go_on: bool

    @property
    def ways(self) -> int:
        """In how many of the 36 ways that two dice can fall it comes up: 1 or 2."""
        return 1 if self.dice[0] == self.dice[1] else 2

    def __str__(self) -> str:
        return "{}-{}".format(*self.dice)


@dataclasses.dataclass(frozen=True)
class Shot:
    """A point of the opponent and the throws that can hit a blot or force a made point there.

    Attributes
    ----------
    point : int
        On the way of the player who shoots.
    owner_point : int
        The same point on the way of him whose men stand there.
    men : int
        1 for a blot, which is hit; of a made point all men are forced.
    throws : tuple of Throw
        Those with a legal play in which some step hits or forces this point.
    """

    point: int
    owner_point: int
    men: int
    throws: tuple[Throw, ...]

    @property
    def ways(self) -> int:
        """How many of the 36 ways that two dice can fall."""
        return _ways(self.throws)


@dataclasses.dataclass(frozen=True)
class Danger:
    """How near a player is to losing by John (section 5). Points are on his own way.

    Attributes
    ----------
    count : int
        His men on the bar and the points of his Q1 that he holds, together: at 7 he has lost.
        A hit blot adds 1, but nothing in his Q1, where it gives a point back; a forced point
        adds its men, in his Q1 one less.
    missing : int
        By how much the count must rise: as many blots outside his Q1 must yet be hit.
    blots : tuple of int
        His blots outside his Q1, rearmost first: those whose hits count.
    deciding : tuple of int
        His points, blots or made ones, of which each one alone would be enough.
    """

    count: int
    missing: int
    blots: tuple[int, ...]
    deciding: tuple[int, ...]

    @property
    def john_blot_is_out(self) -> bool:
        """Whether hitting all his blots outside his Q1 would make him John."""
        return len(self.blots) >= self.missing


@dataclasses.dataclass(frozen=True)
class Block:
    """A player's longest run of made points in the opponent's path (section 4).

    Attributes
    ----------
    points : tuple of int
        On the way of its owner, in the order in which the opponent comes to them: 24 and 1 may
        follow each other, 12 and 13 never do. Of equally long runs the first that he comes to.
    throws : tuple of Throw
        The opponent's throws, were he to throw now, with which he can force one of its points.
    """

    points: tuple[int, ...]
    throws: tuple[Throw, ...]

    @property
    def ways(self) -> int:
        """How many of the 36 ways that two dice can fall force one of its points."""
        return _ways(self.throws)

    @property
    def may_be_forced(self) -> bool:
        """Whether the opponent, were he to throw now, could force one of its points."""
        return bool(self.throws)


@dataclasses.dataclass(frozen=True)
class Side:
    """One player's part of a report: what he has, and what he could do, were he to throw now.

    Attributes
    ----------
    pips, bar, off : int
        Pips to go (25 for a man on the bar), men on the bar, men borne off.
    quadrants : tuple of 4 int
        His men in his Q1 to Q4.
    danger : Danger
        His danger of losing by John.
    block : Block
        His longest block in the opponent's path.
    throws : tuple of 21 Throw
    shots : tuple of Shot
        One for each point that the opponent holds, made ones and those no throw hits too.
    """

    pips: int
    bar: int
    off: int
    quadrants: tuple[int, int, int, int]
    danger: Danger
    block: Block
    throws: tuple[Throw, ...]
    shots: tuple[Shot, ...]

    @property
    def back(self) -> int:
        """His men who still are on the opponent's side of the board, in his Q1 and Q2."""
        return self.quadrants[0] + self.quadrants[1]

    @property
    def hit_ways(self) -> int:
        """With how many of 36 throws he can hit or force something."""
        return _ways(throw for throw in self.throws if any(throw in s.throws for s in self.shots))

    @property
    def end_ways(self) -> int:
        """With how many of 36 throws he can win at once."""
        return _ways(throw for throw in self.throws if throw.outcomes)

    @property
    def pass_ways(self) -> int:
        """With how many of 36 throws he must pass."""
        return _ways(throw for throw in self.throws if throw.is_pass)

    @property
    def outcome_ways(self) -> dict[Outcome, int]:
        """With how many of 36 throws he can win so, for each end that he can reach at once."""
        found = sorted({outcome for throw in self.throws for outcome in throw.outcomes})
        return {
            end: _ways(throw for throw in self.throws if end in throw.outcomes) for end in found
        }


@dataclasses.dataclass(frozen=True)
class Report:
    """What :func:`report` found in a position.

    Attributes
    ----------
    position : Position
    rules : Rules
    contact : bool
        Whether a man may still be hit or barred: the way that one player's rearmost man has
        before him shares a point with the way of the other's. False is a race: nobody has a
        man on the bar or on his points 1 to 12, so one has only the one half of the board
        before him and the other the other. Whether the dice will ever allow the men to meet
        is not asked.
    deadlock : bool
        Whether neither player can move with any throw (section 7 no. 6).
    mover, other : Side
        The player to move, and the other as if he were to throw now.
    """

    position: Position
    rules: Rules
    contact: bool
    deadlock: bool
    mover: Side
    other: Side

    def as_dict(self) -> dict[str, Any]:
        """The report as dicts, lists, texts and numbers, fit for JSON.

        ``point`` is on the way of the player in whose part it stands.
        """
        return {
            "position": self.position.id,
            "board": board_text(self.position),
            "rules": rules_text(self.rules),
            "contact": self.contact,
            "deadlock": self.deadlock,
            "mover": _side_dict(self.mover),
            "other": _side_dict(self.other),
        }

    def text(self) -> str:
        """The report as lines of text; all points are on the way of the player to move."""
        return "\n".join(_lines(self))

    def __str__(self) -> str:
        return self.text()


def report(position: Position, rules: Rules = BRADE) -> Report:
    """Look into a position.

    Parameters
    ----------
    position : Position
    rules : Rules

    Returns
    -------
    Report

    Raises
    ------
    InvalidPositionError
        If somebody has already won.
    TypeError
        For anything but a Position and Rules.

    Examples
    --------
    >>> from brade_fast import Position
    >>> seen = report(Position.from_text("1:10 14:2 20:3 / 1:12 4 15:2"))
    >>> [(shot.point, shot.ways) for shot in seen.mover.shots if shot.men == 1]
    [(16, 13)]
    """
    if not isinstance(position, Position):
        raise TypeError(f"a report is of a Position, not of {type(position).__name__}")
    position.plays(2, 1, rules)  # refuses wrong rules, and a game that is over, saying who won
    flipped = position.flip()
    mover, other = position.array().tolist()
    throws, shots = _throws_and_shots(position, rules)
    other_throws, other_shots = _throws_and_shots(flipped, rules)
    return Report(
        position,
        rules,
        contact=sum(mover[:13]) > 0 or sum(other[:13]) > 0,
        deadlock=position.is_deadlock(rules),
        mover=_side(position, mover, throws, shots, other_shots),
        other=_side(flipped, other, other_throws, other_shots, shots),
    )


# ---------------------------------------------------------------------------------------
# Finding


def _throws_and_shots(
    position: Position, rules: Rules
) -> tuple[tuple[Throw, ...], tuple[Shot, ...]]:
    """What the player to move can do with each throw."""
    before = position.array()
    plays = enumerate_plays(np.repeat(before[None], len(THROWS), axis=0), np.array(THROWS), rules)
    stands = before[1] > 0
    stands[[BAR, OFF]] = False
    throws, hits = [], []
    for dice, start, end in zip(THROWS, plays.offsets[:-1], plays.offsets[1:], strict=True):
        boards, outcomes = plays.boards[start:end], set(plays.outcomes[start:end].tolist())
        ends = tuple(Outcome(outcome) for outcome in sorted(outcomes - {Outcome.NONE}))
        passed = bool((boards[0, 1] == before[0]).all())  # every step changes the mover's men
        throws.append(Throw(dice, len(boards), passed, ends, Outcome.NONE in outcomes))
        # The opponent's men move only when they are hit, and then they are all gone.
        hits.append((stands & (boards[:, 0] == 0)).any(axis=0))
    shots = [
        Shot(
            across(point),
            point,
            int(before[1, point]),
            tuple(throw for throw, hit in zip(throws, hits, strict=True) if hit[point]),
        )
        for point in np.flatnonzero(stands).tolist()
    ]
    return tuple(throws), tuple(sorted(shots, key=lambda shot: shot.point))


def _side(
    position: Position,
    men: list[int],
    throws: tuple[Throw, ...],
    shots: tuple[Shot, ...],
    shots_at_him: tuple[Shot, ...],
) -> Side:
    """The part of the player who is the mover of `position`, where `men` are his."""
    block = _longest_block(men)
    forcing = {throw for shot in shots_at_him if shot.owner_point in block for throw in shot.throws}
    return Side(
        pips=position.pips[0],
        bar=men[BAR],
        off=men[OFF],
        quadrants=(sum(men[1:7]), sum(men[7:13]), sum(men[13:19]), sum(men[19:25])),
        danger=_danger(men),
        block=Block(block, tuple(sorted(forcing, key=lambda throw: throw.dice))),
        throws=throws,
        shots=shots,
    )


def _danger(men: list[int]) -> Danger:
    count = men[BAR] + sum(1 for number in men[1:7] if number)
    missing = JOHN - count
    gains = {p: men[p] - (p <= 6) for p in range(1, 25) if men[p]}
    return Danger(
        count,
        missing,
        blots=tuple(p for p in range(7, 25) if men[p] == 1),
        deciding=tuple(p for p, gain in gains.items() if gain >= missing),
    )


def _longest_block(men: list[int]) -> tuple[int, ...]:
    """The longest run of made points, on the way of their owner; see :class:`Block`."""
    longest: list[int] = []
    run: list[int] = []
    for point in (*range(13, 25), *range(1, 13)):  # the opponent's 1 to 24
        run = [*run, point] if men[point] >= 2 else []
        if len(run) > len(longest):
            longest = run
    return tuple(longest)


def _ways(throws: Iterable[Throw]) -> int:
    return sum(throw.ways for throw in throws)


# ---------------------------------------------------------------------------------------
# Showing


def _side_dict(side: Side) -> dict[str, Any]:
    danger, block = side.danger, side.block
    return {
        "pips": side.pips,
        "bar": side.bar,
        "off": side.off,
        "back": side.back,
        "quadrants": list(side.quadrants),
        "john": {
            "count": danger.count,
            "missing": danger.missing,
            "blots": list(danger.blots),
            "deciding": list(danger.deciding),
            "john_blot_is_out": danger.john_blot_is_out,
        },
        "block": {
            "points": list(block.points),
            "ways": block.ways,
            "throws": [str(throw) for throw in block.throws],
        },
        "shots": [
            {
                "point": shot.point,
                "owner_point": shot.owner_point,
                "men": shot.men,
                "ways": shot.ways,
                "throws": [str(throw) for throw in shot.throws],
            }
            for shot in side.shots
        ],
        "hit_ways": side.hit_ways,
        "end_ways": side.end_ways,
        "pass_ways": side.pass_ways,
        "outcome_ways": {end.name.lower(): ways for end, ways in side.outcome_ways.items()},
        "throws": [
            {
                "dice": str(throw),
                "ways": throw.ways,
                "plays": throw.plays,
                "pass": throw.is_pass,
                "outcomes": [end.name.lower() for end in throw.outcomes],
                "can_go_on": throw.can_go_on,
            }
            for throw in side.throws
        ],
    }


def _lines(seen: Report) -> list[str]:
    sides = (seen.mover, seen.other)
    if seen.deadlock:
        meeting = "deadlock: nobody can move with any throw"
    elif seen.contact:
        meeting = "contact: men can still be hit or barred"
    else:
        meeting = "race: the men can meet no more"
    rows = [
        ("", "to move", "other"),
        ("pips", *(str(side.pips) for side in sides)),
        ("bar", *(str(side.bar) for side in sides)),
        ("off", *(str(side.off) for side in sides)),
        ("men in Q1 to Q4", *(" ".join(map(str, side.quadrants)) for side in sides)),
        ("bar and held points of Q1 (John at 7)", *(str(side.danger.count) for side in sides)),
        ("can hit", *(f"{side.hit_ways}/36" for side in sides)),
        ("can win at once", *(f"{side.end_ways}/36" for side in sides)),
        ("must pass", *(f"{side.pass_ways}/36" for side in sides)),
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    lines = [f"{board_text(seen.position)}   ({rules_text(seen.rules)})", meeting]
    lines += [
        f"{name.ljust(widths[0])}  {mine.rjust(widths[1])}  {his.rjust(widths[2])}"
        for name, mine, his in rows
    ]
    lines.append("All points below are counted by the player to move.")
    lines += ["", "The player to move:", *_side_lines(seen.mover, seen.other, lambda p: p)]
    lines += ["", "The other, were he to throw:", *_side_lines(seen.other, seen.mover, across)]
    lines += ["", "Throws of the player to move:", *_throw_lines(seen.mover.throws)]
    return lines


def _side_lines(side: Side, opponent: Side, name: Callable[[int], int]) -> Iterator[str]:
    """The lines about one player; `name` gives his points as the player to move counts them."""

    def named(points: Iterable[int]) -> str:
        return ", ".join(str(name(point)) for point in points)

    block, danger = side.block, side.danger
    if block.points:
        forced = f", forced by {block.ways}/36" if block.may_be_forced else ""
        yield f"  longest block: {_many(len(block.points), 'point')}, {named(block.points)}{forced}"
    else:
        yield "  longest block: none, no made point"
    yield (
        f"  John if he loses {_many(danger.missing, 'more blot')} outside Q1; he has "
        + (f"{named(danger.blots)} out" if danger.blots else "none out")
        + (": his John blot is out" if danger.john_blot_is_out else "")
    )
    # A made point that no throw forces is no danger yet.
    at_once = {*danger.blots, *(shot.owner_point for shot in opponent.shots if shot.throws)}
    if deciding := at_once.intersection(danger.deciding):
        yield f"  John at once if he loses {' or '.join(named([p]) for p in sorted(deciding))}"
    for shot in side.shots:
        if shot.men == 1 or shot.throws:
            does = "hits the blot" if shot.men == 1 else f"forces the {shot.men} men"
            throws = "".join(f" {throw}" for throw in shot.throws)
            yield f"  {does} on {name(shot.point)}: {shot.ways}/36" + (throws and f":{throws}")
    for end, ways in side.outcome_ways.items():
        yield f"  can win by {outcome_title(end)}: {ways}/36"


def _many(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")


def _throw_lines(throws: tuple[Throw, ...]) -> list[str]:
    lines = []
    for throw in throws:
        many = "pass" if throw.is_pass else _many(throw.plays, "play")
        ends = ", ".join(outcome_title(end) for end in throw.outcomes)
        lines.append(f"  {throw}  {many}" + (f"; can win: {ends}" if ends else ""))
    return lines

"""What a picture shows, before anybody asks how: whose side is below, men, dice, words.

The *place* of a man on the picture is the number that the player below gives to it: 0 his
bar, 1 to 24 the points, 25 his men off. The upper player's point ``p`` is place ``p + 12``
(``p - 12`` above 12), as in section 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from ._core import Play, Position
from .notation import BAR, OFF, across, board_text, outcome_title, read_dice
from .rules import BRADE, Outcome, Rules

__all__ = [
    "ABOVE",
    "BELOW",
    "LEFT_TO_RIGHT",
    "NAMES",
    "Drawable",
    "GameLike",
    "Scene",
    "make_scene",
    "one_of",
    "tally",
]

#: Rows of a scene: the player who sits below, and the one above.
BELOW, ABOVE = 0, 1
#: The places of the two long sides, the upper one first, in two quadrants each. The player
#: below has his point 1 farthest to the right on the opposite side and goes to the left.
LEFT_TO_RIGHT = (
    (tuple(range(12, 6, -1)), tuple(range(6, 0, -1))),
    (tuple(range(13, 19)), tuple(range(19, 25))),
)
NAMES = {"W": "White", "B": "Black"}
SIDES = ("mover", "other", "white", "black")


class ResultLike(Protocol):
    """What pictures need to know of a ``game.Result``."""

    @property
    def winner(self) -> str | None: ...
    @property
    def outcome(self) -> Outcome: ...
    @property
    def points(self) -> int: ...
    @property
    def how(self) -> Any: ...


class MoveLike(Protocol):
    """What pictures need to know of a ``game.Move``."""

    @property
    def color(self) -> str: ...
    @property
    def dice(self) -> tuple[int, int]: ...
    @property
    def play(self) -> Play: ...


class GameLike(Protocol):
    """What pictures need to know of a ``game.Game``, which is a room above this one."""

    @property
    def rules(self) -> Rules: ...
    @property
    def position(self) -> Position: ...
    @property
    def turn(self) -> str: ...
    @property
    def dice(self) -> tuple[int, int] | None: ...
    @property
    def moves(self) -> Sequence[MoveLike]: ...
    @property
    def result(self) -> ResultLike | None: ...


Drawable = Position | Play | GameLike


class Scene(NamedTuple):
    """All that a picture shows.

    Attributes
    ----------
    rows : (list of 26 int, list of 26 int)
        The men of the player below and of the one above, each on his own way.
    colors : (str, str)
        ``"W"`` or ``"B"``, of the player below and of the one above.
    mover : int
        The row of the player whose turn it is.
    numbered : int
        The row of the player whose point numbers are shown.
    pips : (int, int)
        What each has left to go, in the order of ``rows``.
    dice : (int, int) or None
    play : Play or None
        A play to be shown on the board where it begins.
    status : str
        A line that tells whose turn it is, or how the game ended.
    ended : bool
        Whether a game is shown that is over.
    board : str
        The board text of the position, the mover's half first.
    """

    rows: tuple[list[int], list[int]]
    colors: tuple[str, str]
    mover: int
    numbered: int
    pips: tuple[int, int]
    dice: tuple[int, int] | None
    play: Play | None
    status: str
    ended: bool
    board: str

    def number(self, place: int) -> int:
        """The point number to be written at a place from 1 to 24."""
        return place if self.numbered == BELOW else across(place)

    def place(self, row: int, point: int) -> int:
        """Where a player's point from 1 to 24 is."""
        return point if row == BELOW else across(point)

    def men_at(self, place: int) -> tuple[int, int]:
        """Whose men stand at a place from 1 to 24, and how many; (0, 0) if nobody's."""
        for row in (BELOW, ABOVE):
            men = self.rows[row][self.place(row, place)]
            if men:
                return row, men
        return BELOW, 0


def one_of(value: object, allowed: Sequence[str], what: str) -> str:
    """`value`, which must be one of the words `allowed`.

    Raises
    ------
    ValueError
        If it is none of them.
    """
    if value not in allowed:
        raise ValueError(f"{what} is one of {', '.join(map(repr, allowed))}, not {value!r}")
    return str(value)


def _seat(side: str, mover_color: str) -> str:
    """The color of the player meant by one of SIDES."""
    if side in ("white", "black"):
        return side[0].upper()
    other = "B" if mover_color == "W" else "W"
    return mover_color if side == "mover" else other


def _game_status(game: GameLike) -> str:
    result = game.result
    if result is None:
        return ""
    if result.winner is None:
        return f"drawn by {outcome_title(result.outcome)}"
    how = " by resignation" if result.how.name == "RESIGNED" else ""
    points = f"{result.points} point{'' if result.points == 1 else 's'}"
    return f"{NAMES[result.winner]} wins{how}: {outcome_title(result.outcome)}, {points}"


def _status(
    position: Position, play: Play | None, color: str, dice: tuple[int, int] | None, rules: Rules
) -> str:
    name = NAMES[color]
    if play is not None:
        return f"{name} plays {play.dice[0]}-{play.dice[1]}: {play}"
    if position.is_over(rules):
        return "the game is over"
    return f"{name} to play {dice[0]}-{dice[1]}" if dice else f"{name} to throw"


def make_scene(
    what: Drawable,
    *,
    view: str | None = None,
    numbers: str | None = None,
    dice: object = None,
    color: str | None = None,
    rules: Rules | None = None,
) -> Scene:
    """What a picture of a position, a play or a game shows.

    What `view`, `numbers`, `dice`, `color` and `rules` mean is told where people ask for a
    picture, at :func:`brade_fast.diagram.svg`.

    Raises
    ------
    InvalidDiceError
        For dice that are none.
    ValueError
        For another word than those above.
    TypeError
        For anything else than a position, a play or a game, or for what a play or a game
        has already: dice, rules, the color of a game.
    """
    result, play = "", None
    if isinstance(what, Position):
        position, dice = what, (None if dice is None else read_dice(dice))
    elif dice is not None or rules is not None:
        raise TypeError("dice and rules belong to a position; a play and a game have their own")
    elif isinstance(what, Play):
        position, dice, play = what.origin, what.dice, what
        numbers = numbers or "mover"  # as its text has them
    elif not hasattr(what, "moves"):
        raise TypeError(f"a Position, a Play or a Game can be shown, not {type(what).__name__}")
    elif color is not None:
        raise TypeError("a game knows whose turn it is; color is for positions and plays")
    else:
        position, dice, color = what.position, what.dice, str(what.turn)
        result = _game_status(what)
        view = view or "white"
    color = one_of(color or "W", ("W", "B"), "color")
    below = _seat(one_of(view or "mover", SIDES, "view"), color)
    numbered = _seat(one_of(numbers, SIDES, "numbers"), color) if numbers else below
    mover = BELOW if below == color else ABOVE
    rows, pips = position.array().tolist(), position.pips
    if mover == ABOVE:
        rows, pips = rows[::-1], pips[::-1]
    return Scene(
        rows=(rows[0], rows[1]),
        colors=("W", "B") if below == "W" else ("B", "W"),
        mover=mover,
        numbered=BELOW if numbered == below else ABOVE,
        pips=pips,
        dice=dice,
        play=play,
        status=result or _status(position, play, color, dice, rules or BRADE),
        ended=bool(result),
        board=board_text(position),
    )


def tally(scene: Scene, row: int) -> str:
    """A player's pips, and his men on the bar and off where there are any."""
    words = [f"{scene.pips[row]} pips"]
    words += [
        f"{name} {scene.rows[row][index]}"
        for name, index in (("bar", BAR), ("off", OFF))
        if scene.rows[row][index]
    ]
    return ", ".join(words)

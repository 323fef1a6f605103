"""The board as lines of text."""

from __future__ import annotations

import re

from .notation import BAR
from .rules import Rules
from .scene import ABOVE, BELOW, LEFT_TO_RIGHT, NAMES, Drawable, Scene, make_scene, one_of, tally

__all__ = ["text_board"]

#: Men of White and Black, then the frame: left to right, up and down, four corners, the two
#: ends of the bar's lines.
_UNICODE = ("○", "●", "─", "│", "┌", "┐", "└", "┘", "┬", "┴")
_ASCII = ("O", "X", "-", "|", "+", "+", "+", "+", "+", "+")
#: Rows of men at each long side; a sixth man and more make the innermost one a number.
_DEPTH = 5
#: Columns of a point.
_CELL = {"wide": 4, "narrow": 2}


def text_board(
    position: Drawable,
    *,
    view: str | None = None,
    numbers: str | None = None,
    width: str = "wide",
    dice: object = None,
    color: str | None = None,
    rules: Rules | None = None,
    ascii: bool = False,
) -> str:
    """The board as lines of text, as the player below sees it.

    His points 1 to 12 are on the opposite side from right to left, 13 to 24 on his own from
    left to right. Up to five men of a point are drawn; more are four men and the number of
    all. Men on the bar lie at the end of the bar where they have to enter, so those of the
    player below lie on the upper half.

    Parameters
    ----------
    position : Position, Play or Game
        A play is shown on the board where it begins; a game as it stands now.
    view : {"mover", "other", "white", "black"}, optional
        Who sits below: by default the mover, in a game White.
    numbers : {"mover", "other", "white", "black"}, optional
        Whose point numbers are shown: by default those of the player below, with a play
        those of the mover, whose points its text names.
    width : {"wide", "narrow"}
        58 columns, or 32; the last line, which may hold a play, can be longer.
    dice : pair of int or str, optional
        The throw on the table; only for a position.
    color : {"W", "B"}, optional
        The mover's color, White by default; a game knows it itself.
    rules : Rules, optional
        They tell whether a position is the end of a game; bräde by default.
    ascii : bool
        Use ASCII characters only: ``O`` for White's men, ``X`` for Black's. The outcome of
        a game or play is then given in English alone.

    Returns
    -------
    str
        Lines without spaces at their ends, joined by newlines.

    Raises
    ------
    InvalidDiceError
        For dice that are none.
    ValueError
        For another word than those above.
    TypeError
        For anything else than a position, a play or a game, or for dice, rules or a
        color of something that has them already.

    Examples
    --------
    >>> from brade_fast import Position
    >>> print(text_board(Position.start(), dice=(6, 2), width="narrow", ascii=True))
    X Black: 360 pips
      1 1 1
      2 1 0 9 8 7      6 5 4 3 2 1
    +-------------+--+-------------+
    |             |  |           O |
    |             |  |           O |
    |             |  |           O |
    |             |  |           O |
    |             |  |          15 |
    |             |  |             |
    |15           |  |             |
    | X           |  |             |
    | X           |  |             |
    | X           |  |             |
    | X           |  |             |
    +-------------+--+-------------+
      1 1 1 1 1 1      1 2 2 2 2 2
      3 4 5 6 7 8      9 0 1 2 3 4
    O White: 360 pips
    O White to play 6-2
    """
    scene = make_scene(position, view=view, numbers=numbers, dice=dice, color=color, rules=rules)
    cell = _CELL[one_of(width, tuple(_CELL), "width")]
    white, black, flat, upright, *corners = _ASCII if ascii else _UNICODE
    glyphs = [white if color == "W" else black for color in scene.colors]
    top_left, top_right, low_left, low_right, down, up = corners
    quadrant, bar = flat * (6 * cell + 1), flat * cell
    # The Swedish name of an outcome stands in brackets behind the English one.
    status = re.sub(r" \([^)]*\)", "", scene.status) if ascii else scene.status
    upper, lower = (_half(scene, half, cell, glyphs, upright) for half in (ABOVE, BELOW))
    lines = [
        f"{glyphs[ABOVE]} {NAMES[scene.colors[ABOVE]]}: {tally(scene, ABOVE)}",
        *_labels(scene, ABOVE, cell),
        f"{top_left}{quadrant}{down}{bar}{down}{quadrant}{top_right}",
        *upper,
        upright.join(["", " " * len(quadrant), " " * cell, " " * len(quadrant), ""]),
        *reversed(lower),
        f"{low_left}{quadrant}{up}{bar}{up}{quadrant}{low_right}",
        *_labels(scene, BELOW, cell),
        f"{glyphs[BELOW]} {NAMES[scene.colors[BELOW]]}: {tally(scene, BELOW)}",
        f"{glyphs[scene.mover]} {status}",
    ]
    return "\n".join(line.rstrip() for line in lines)


def _sides(half: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return LEFT_TO_RIGHT[0 if half == ABOVE else 1]


def _labels(scene: Scene, half: int, cell: int) -> list[str]:
    """The line of point numbers; in narrow cells two, for tens and ones."""
    numbers = [[f"{scene.number(place):2}" for place in side] for side in _sides(half)]
    if cell > 2:
        rows = [numbers]
    else:
        rows = [[[number[digit] for number in side] for side in numbers] for digit in (0, 1)]
    return [
        " " + (" " * (cell + 3)).join("".join(text.rjust(cell) for text in side) for side in row)
        for row in rows
    ]


def _column(men: int, glyph: str) -> list[str]:
    """The men of a point or of the bar from the edge of the board inwards."""
    if men <= _DEPTH:
        return [glyph] * men + [""] * (_DEPTH - men)
    return [glyph] * (_DEPTH - 1) + [str(men)]


def _half(scene: Scene, half: int, cell: int, glyphs: list[str], upright: str) -> list[str]:
    """The rows of men at one long side, from the edge inwards."""
    # Men enter on the opposite side, so there they wait.
    owner = BELOW if half == ABOVE else ABOVE
    columns = []
    for side in _sides(half):
        points = [scene.men_at(place) for place in side]
        columns.append([_column(men, glyphs[row]) for row, men in points])
    bar = _column(scene.rows[owner][BAR], glyphs[owner])
    lines = []
    for depth in range(_DEPTH):
        left, right = ("".join(c[depth].rjust(cell) for c in side) + " " for side in columns)
        lines.append(upright.join(["", left, bar[depth].center(cell), right, ""]))
    return lines

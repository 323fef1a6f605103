"""Named positions in all sizes and on all pages on one sheet, to be looked at."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from ._core import Play, Position
from .notation import parse_dice, parse_position
from .picturefile import save
from .rules import BRADE, Rules
from .svg import HEIGHT, PAGES, WIDTH, svg

__all__ = ["POSITIONS", "SIZES", "Named", "contact_sheet", "sheet"]

#: The widths of the pictures on the sheet, in pixels.
SIZES = (640, 320)
_GAP = 20


class Named(NamedTuple):
    """A position with a name and, if one is to be shown, a play in its canonical text."""

    name: str
    board: str
    dice: str = ""
    play: str = ""
    view: str = "mover"
    color: str = "W"
    rules: Rules = BRADE

    def shown(self) -> tuple[Position | Play, dict[str, Any]]:
        """The position or play, and the options of its picture."""
        position = parse_position(self.board)
        options: dict[str, Any] = {"view": self.view, "color": self.color}
        if not self.play:
            return position, {**options, "dice": self.dice or None, "caption": self.name}
        plays = position.plays(*parse_dice(self.dice), self.rules)
        [play] = [play for play in plays if str(play) == self.play]
        return play, {**options, "caption": f"{self.name}: {self.dice}, {self.play}"}


_CASE_7 = "1:7 4 14:2 15:2 bar:3 / 1:10 15 17:2 18:2"
_CASE_13 = "1:4 3 5 6 11 17 19:2 20 23 bar:2 / 1:2 2 3 10 12:3 14:2 16:3 21:2"
_START = "1:15 / 1:15"
_MIDDLE = "1:9 8 12:3 17 19 / 1:8 4 12:2 14:2 15 21"
_PILES = "13 14:2 15:3 16:4 17:5 / 13 14:2 15:3 16:4 17:5"

POSITIONS: tuple[Named, ...] = (
    Named("The start of a game", _START),
    Named("A first throw", _START, "6-2", "1/7 1/3"),
    Named("Touching down four times", "1:14 24 / 1:15", "5-5", "1/6/11/16/21"),
    Named("From Black's side", _MIDDLE, "3-1", color="B"),
    Named("The same, White below", _MIDDLE, "3-1",
          view="white", color="B"),
    Named("Two blots hit", "1:10 12:3 14 15 / 1:12 17 18 23", "5-4", "1/6* 1/5*"),
    Named("A made point forced while entering", _CASE_7, "6-2", "bar/6! bar/2"),
    Named("Forced and hit, from the other side", _CASE_7, "5-3", "bar/5! bar/3*", view="other"),
    Named("Three on the bar, and John", "1:4 2 5 6 11 17 19 20 23 bar:3 / "
          "1:3 2 3 4 10 12:4 16:2 21:2"),
    Named("Forced John", _CASE_13, "4-2", "bar/4! bar/2! = forced_john"),
    Named("A long block", "7 20:14 / 1:5 20:2 21:2 22:2 23:2 24:2", "4-1"),
    Named("Full bars", "14:4 16:2 18:3 bar:6 / 15:3 17:2 19:4 bar:6"),
    Named("Fifteen men on each bar", "bar:15 / bar:15"),
    Named("All men off", "off:15 / 1:15"),
    Named("All men of both off, Black's turn", "off:15 / off:15", color="B"),
    Named("Towers", "24:15 / 24:15", view="other"),
    Named("Fifteen against fifteen on one file", "12:15 / 1:15"),
    Named("Piles of one to five", _PILES),
    Named("Piles of six to nine", "13:6 14:9 / 13:7 14:8", view="other", color="B"),
    Named("The single crown", "15:2 20 21:3 22:3 23:3 24:3 / 1:15", "5-5",
          "15/20(2) = single_crown"),
    Named("The staircase", "22:3 23:5 24:7 / 1:15", color="B"),
    Named("Bearing off", "20:5 22:4 24:6 / 1:2 11 13:12", "6-6", "20/off(4)"),
    Named("Bearing off, from the other side", "22 24:2 / 1:6 20:9", "5-2", "22/off 24/off",
          view="other", color="B"),
    Named("The last man before six made points", "bar / 13:3 14:2 15:2 16:2 17:2 18:4", "6-6"),
)  # fmt: skip


def sheet() -> str:
    """Every position of :data:`POSITIONS` in every size of :data:`SIZES`, light and dark.

    Returns
    -------
    str
        One SVG; each position has a row of its own, light to the left, dark to the right.
    """
    heights = [size * HEIGHT // WIDTH for size in SIZES]
    block = sum(SIZES) + _GAP * (len(SIZES) + 1)
    row = max(heights) + _GAP
    width, height = 2 * block, row * len(POSITIONS) + _GAP
    parts = [
        f'<rect x="{block * dark}" width="{block}" height="{height}" fill="{PAGES[dark][0]}"/>'
        for dark in (False, True)
    ]
    for i, named in enumerate(POSITIONS):
        what, options = named.shown()
        for dark in (False, True):
            x = block * dark + _GAP
            for size in SIZES:
                picture = svg(what, size=size, dark=dark, **options)
                parts.append(f'<g transform="translate({x} {_GAP + row * i})">{picture}</g>')
                x += size + _GAP
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}">\n<title>Contact sheet</title>\n'
        + "\n".join(parts)
        + "\n</svg>"
    )


def contact_sheet(path: str | os.PathLike[str]) -> None:
    """Write the contact sheet into a file whose name ends in ``.svg``, ``.html`` or ``.png``.

    It shows 24 named positions, each in two sizes on a light page and on a dark one: what
    has to be looked at after a change of the pictures.

    Raises
    ------
    ImportError
        For PNG, if resvg-py is not installed.
    ValueError
        For another ending.
    """
    save(sheet(), path, title="Contact sheet")

"""The board as SVG: a Swedish board with its men, dice and the arrows of a play.

Everything that men can lie on is a *lane*: the 24 points, the two parts of the bar and the
two trays for men borne off. All lanes are as deep, and men lie in each in the same way.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from .notation import BAR, OFF
from .rules import Rules
from .scene import ABOVE, BELOW, LEFT_TO_RIGHT, NAMES, Drawable, Scene, make_scene, tally

__all__ = ["COLORS", "HEIGHT", "WIDTH", "svg"]

#: Light and dark men have a contrast of 3 : 1 to each other and to all that they can lie on;
#: so green, red, yellow and brown differ in hue more than in lightness.
COLORS = {
    "light": "#fffdf5",
    "dark": "#0b0b0d",
    "board": "#3c8a5c",
    "red": "#c12a22",
    "yellow": "#b78a12",
    "wood": "#8c5c2c",
    "arrow": "#7fd8ff",
    "mark": "#ff9d2e",
}
#: Page and words: on a light page, on a dark one, and on one that is not known.
PAGES = {False: ("#ffffff", "#222222"), True: ("#15171a", "#e8e6e1"), None: ("none", "#757575")}

# Lengths are in units of the view box; a point is 40 wide. The board with its frame is twice
# as long as wide: 12 * 40 + 40 + 2 * 20 = 2 * (2 * 120 + 2 * 20).
POINT, FRAME, DEPTH = 40, 20, 120
RADIUS, RAISE = 17, 3
TRAY, MARGIN, LINE = 48, 8, 24
LEFT = MARGIN + TRAY + MARGIN
TOP = MARGIN + LINE
BOARD_WIDTH, BOARD_HEIGHT = 13 * POINT + 2 * FRAME, 2 * DEPTH + 2 * FRAME
WIDTH, HEIGHT = 2 * LEFT + BOARD_WIDTH, TOP + BOARD_HEIGHT + 2 * LINE + MARGIN
MIDDLE = TOP + BOARD_HEIGHT / 2
#: How far the points and the parts of the bar reach towards the middle.
TONGUE, BAR_LENGTH = 96, 84
#: So many men of a point lie in two stacks, more in three.
TWO_STACKS = 8


class Lane(NamedTuple):
    """A strip of board: the middle of its breadth, its outer end, and the way inwards."""

    x: float
    edge: float
    inwards: int


class Man(NamedTuple):
    """Where a man lies; `front` orders men that hide parts of each other."""

    x: float
    y: float
    front: tuple[float, ...]


def _lane(scene_row: int, place: int) -> Lane:
    """The lane of a place of the player below, or of the bar and tray of a row's player."""
    lower, upper = TOP + BOARD_HEIGHT - FRAME, TOP + FRAME
    if place == BAR:  # at the side where he has to enter
        x = LEFT + BOARD_WIDTH / 2
        return Lane(x, upper, 1) if scene_row == BELOW else Lane(x, lower, -1)
    if place == OFF:  # beyond his point 24
        if scene_row == BELOW:
            return Lane(WIDTH - MARGIN - TRAY / 2, lower, -1)
        return Lane(MARGIN + TRAY / 2, upper, 1)
    for side, (edge, inwards) in zip(LEFT_TO_RIGHT, ((upper, 1), (lower, -1)), strict=True):
        for quadrant, x in zip(side, (0, 7 * POINT), strict=True):
            if place in quadrant:
                column = quadrant.index(place) + 0.5
                return Lane(LEFT + FRAME + x + column * POINT, edge, inwards)
    raise AssertionError(place)


def _pile(lane: Lane, men: int) -> list[Man]:
    """Where so many men lie, in the order in which they came.

    Two stacks of equal height, one nearer the edge than the other, and an odd man in the
    middle on top of both. Very many men make three stacks, as on the talon at the beginning
    of a game; one or two men over lie in the middle of what is below them. The picture is
    seen a little from the lower side, so that the higher men are shifted upwards.
    """
    stacks = 1 if men == 1 else 2 if men <= TWO_STACKS else 3
    height, over = divmod(men, stacks)
    levels = height + (over > 0)
    spots = [(float(stack), level) for level in range(height) for stack in range(stacks)]
    middle = (stacks - 1) / 2
    spots += [(middle + i - (over - 1) / 2, height) for i in range(over)]
    # The highest men of an upper pile must not reach over the edge.
    lift = (levels - 1) * RAISE if lane.inwards > 0 else 0
    placed = []
    for stack, level in spots:
        ground = lane.edge + lane.inwards * RADIUS * (2 * stack + 1) + lift
        front = (1.0, level, ground) if level == height else (0.0, ground, level)
        placed.append(Man(lane.x, ground - level * RAISE, front))
    return placed


# ---------------------------------------------------------------------------------------
# Elements


def _tag(
    name: str, content: str = "", attributes: dict[str, object] | None = None, **more: object
) -> str:
    """An element; underscores in names of attributes are hyphens, `class_` is class."""
    words = [name]
    for key, value in {**(attributes or {}), **more}.items():
        text = f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
        words.append(f"{key.rstrip('_').replace('_', '-')}={quoteattr(text)}")
    return f"<{' '.join(words)}>{content}</{name}>" if content else f"<{' '.join(words)}/>"


def _text(x: float, y: float, words: str, size: float, fill: str, **attributes: object) -> str:
    return _tag(
        "text", escape(words), {"text_anchor": "middle", **attributes},
        x=x, y=y, font_size=size, fill=fill,
    )  # fmt: skip


def _clean(words: str) -> str:
    """The words without characters that XML cannot hold, on one line."""
    return " ".join(re.sub("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", words)
                    .split())  # fmt: skip


def _fitted(words: str, size: float, breadth: float) -> tuple[str, float]:
    """The words, smaller or cut where they would be too long, and their size."""
    least, em = 9.0, 0.58  # a letter is about so broad, in parts of the size
    size = min(size, max(least, breadth / (em * max(len(words), 1))))
    most = int(breadth / (em * size) + 1e-9)
    return (words if len(words) <= most else words[: most - 1] + "…"), size


# ---------------------------------------------------------------------------------------
# The board


def _board(scene: Scene) -> list[str]:
    wood, cream = COLORS["wood"], COLORS["light"]
    x, y = LEFT + FRAME, TOP + FRAME
    parts = [
        _tag("rect", x=LEFT, y=TOP, width=BOARD_WIDTH, height=BOARD_HEIGHT, rx=4, fill=wood,
             class_="frame"),
        _tag("rect", x=x, y=y, width=13 * POINT, height=2 * DEPTH, fill=COLORS["board"],
             class_="board"),
    ]  # fmt: skip
    for place in range(1, 25):
        lane = _lane(BELOW, place)
        tip = lane.edge + lane.inwards * TONGUE
        corners = f"{lane.x - 19},{lane.edge} {lane.x:g},{tip} {lane.x + 19},{lane.edge}"
        fill = COLORS["red" if place % 2 else "yellow"]
        parts.append(
            _tag("polygon", points=corners, fill=fill, stroke=cream, stroke_width=0.6,
                 class_="point")
        )  # fmt: skip
        number = lane.edge - lane.inwards * FRAME / 2 + 4.5
        parts.append(
            _text(lane.x, number, str(scene.number(place)), 13, cream, class_="number")
        )  # fmt: skip
    for row in (BELOW, ABOVE):
        bar, tray = _lane(row, BAR), _lane(row, OFF)
        inner = bar.edge + bar.inwards * BAR_LENGTH
        parts.append(
            _tag("rect", x=bar.x - POINT / 2, y=min(bar.edge, inner), width=POINT,
                 height=BAR_LENGTH, fill=wood, class_="bar")
        )  # fmt: skip
        inner = tray.edge + tray.inwards * DEPTH
        parts.append(
            _tag("rect", x=tray.x - TRAY / 2, y=min(tray.edge, inner), width=TRAY, height=DEPTH,
                 rx=4, fill=COLORS["board"], stroke=wood, stroke_width=3, class_="tray")
        )  # fmt: skip
    return parts


# ---------------------------------------------------------------------------------------
# Men


def _tones(color: str) -> tuple[str, str]:
    """A player's color for his men and dice, and the color of their edges and eyes."""
    light, dark = COLORS["light"], COLORS["dark"]
    return (light, dark) if color == "W" else (dark, light)


class _Moves(NamedTuple):
    """What a play does to the places of the picture, as a picture tells it."""

    coming: Counter[int]  # men that the mover has more there after the play
    marks: dict[int, str]  # where men are hit, "hit" or "forced"
    arrows: Counter[tuple[int, int]]
    goes_on: set[tuple[int, int]]  # arrows whose man came to their beginning in this play


def _moves(scene: Scene) -> _Moves:
    moves = _Moves(Counter(), {}, Counter(), set())
    if scene.play is None:
        return moves
    change: Counter[int] = Counter()
    for step in scene.play.canonical_steps:
        ends = []
        for index in (step.source, step.target):
            inside = index not in (BAR, OFF)
            ends.append(scene.place(scene.mover, index) if inside else index)
        source, target = ends
        moves.arrows[source, target] += 1
        if change[source] > 0:
            moves.goes_on.add((source, target))
        change[source] -= 1
        change[target] += 1
        if step.hit:
            moves.marks[target] = "hit" if step.hit == 1 else "forced"
    moves.coming.update({place: n for place, n in change.items() if n > 0})
    return moves


def _lane_of(scene: Scene, place: int) -> Lane:
    """The lane of a point, or of the mover's bar and tray."""
    return _lane(scene.mover, place)


def _men(scene: Scene, moves: _Moves) -> list[str]:
    parts = []
    for row in (ABOVE, BELOW):
        parts += [_lane_men(scene, moves, row, index) for index in range(26)]
    return [part for part in parts if part]


def _coming(scene: Scene, moves: _Moves, row: int, index: int) -> int:
    """How many ghosts of the mover lie on the men of a player there, or on the bare point."""
    if index in (BAR, OFF):
        return moves.coming[index] if row == scene.mover else 0
    place = scene.place(row, index)
    owner, men = scene.men_at(place)
    return moves.coming[place] if row == (owner if men else scene.mover) else 0


def _lane_men(scene: Scene, moves: _Moves, row: int, index: int) -> str:
    """The men of one player on one of his points, on the bar or off, and those that come."""
    men, coming = scene.rows[row][index], _coming(scene, moves, row, index)
    if not men + coming:
        return ""
    place = index if index in (BAR, OFF) else scene.place(row, index)
    mark = moves.marks.get(place) if row != scene.mover and place not in (BAR, OFF) else None
    pile = _pile(_lane(row, place), men + coming)
    drawn = []
    for man in sorted(pile[:men], key=lambda man: man.front):
        drawn.append(_man(man, scene.colors[row], mark))
        last = man
    if men > 3:
        drawn.append(
            _text(last.x, last.y + 5, str(men), 15, _tones(scene.colors[row])[1],
                  font_weight="bold", class_="count")
        )  # fmt: skip
    drawn += [_man(man, scene.colors[scene.mover], "ghost") for man in pile[men:]]
    if mark:
        drawn.append(_mark(last, mark))
    name = {BAR: "bar", OFF: "off"}.get(index, str(index))
    return _tag(
        "g", "".join(drawn), class_="men", data_color=scene.colors[row], data_point=name,
        data_men=men,
    )  # fmt: skip


def _man(man: Man, color: str, kind: str | None) -> str:
    """A man; `kind` is None, "ghost", "hit" or "forced"."""
    fill, edge = _tones(color)
    stroke, width = edge, 1.0
    if kind == "ghost":
        stroke, width = COLORS["arrow"], 2.0
    elif kind:
        stroke, width = COLORS["mark"], 2.5
    shape: dict[str, object] = {"fill_opacity": 0.55, "stroke_dasharray": "4 3"}
    # The stroke lies inside the radius, so that men of neighbouring points never touch.
    return _tag(
        "circle", class_=f"man {kind}" if kind else "man", cx=man.x, cy=man.y,
        r=RADIUS - width / 2, fill=fill, stroke=stroke, stroke_width=width,
        attributes=shape if kind == "ghost" else {},
    )  # fmt: skip


def _mark(man: Man, kind: str) -> str:
    """A cross on a blot that is hit; an exclamation mark on a point that is forced."""
    if kind == "hit":
        a = 8
        lines = "".join(
            f"M{man.x - a:g} {man.y + s * a:g}L{man.x + a:g} {man.y - s * a:g}" for s in (1, -1)
        )
    else:
        lines = f"M{man.x:g} {man.y - 10:g}v11M{man.x:g} {man.y + 8:g}v1"
    return "".join(
        _tag("path", d=lines, stroke=COLORS[color], stroke_width=width, fill="none",
             stroke_linecap="round", class_=f"sign {kind}")
        for color, width in (("dark", 8), ("mark", 4.5))
    )  # fmt: skip


# ---------------------------------------------------------------------------------------
# Arrows


def _anchor(scene: Scene, moves: _Moves, place: int, *, arrives: bool) -> Man:
    """Where an arrow begins at a place or ends there."""
    outside = place in (BAR, OFF)
    men = scene.rows[scene.mover][place] if outside else scene.men_at(place)[1]
    coming = moves.coming[place]
    pile = _pile(_lane_of(scene, place), max(men + coming, men + arrives, 1))
    return pile[-1] if arrives else pile[max(men - 1, 0)]


def _arrows(scene: Scene, moves: _Moves) -> list[str]:
    parts = []
    for (source, target), times in moves.arrows.items():
        begin = _anchor(scene, moves, source, arrives=(source, target) in moves.goes_on)
        end = _anchor(scene, moves, target, arrives=True)
        parts.append(_arrow(begin, end, times))
    return parts


def _arrow(begin: Man, end: Man, times: int) -> str:
    """A curve bent towards the middle of the board, with a head, and a count above one."""
    x, y = (begin.x + end.x) / 2, (begin.y + end.y) / 2
    length = math.hypot(end.x - begin.x, end.y - begin.y)
    if abs(begin.y - end.y) < DEPTH:  # along one long side
        y += math.copysign(min(0.35 * length, 70), MIDDLE - y)
    # It begins at the rim of its man, so as not to hide a number.
    near = math.hypot(x - begin.x, y - begin.y) or 1.0
    from_x = begin.x + 13 * (x - begin.x) / near
    from_y = begin.y + 13 * (y - begin.y) / near
    # The head points from the bend to the end, and its tip is short of the man's middle.
    far = math.hypot(end.x - x, end.y - y) or 1.0
    ux, uy = (end.x - x) / far, (end.y - y) / far
    tip_x, tip_y = end.x - 3 * ux, end.y - 3 * uy
    neck_x, neck_y = tip_x - 11 * ux, tip_y - 11 * uy
    head = (
        f"M{tip_x:.1f} {tip_y:.1f}L{neck_x - 7 * uy:.1f} {neck_y + 7 * ux:.1f}"
        f"L{neck_x + 7 * uy:.1f} {neck_y - 7 * ux:.1f}Z"
    )
    line = f"M{from_x:.1f} {from_y:.1f}Q{x:.1f} {y:.1f} {neck_x:.1f} {neck_y:.1f}"
    drawn = [
        _tag("path", d=line, fill="none", stroke=COLORS["dark"], stroke_width=6.5),
        _tag("path", d=head, fill=COLORS["arrow"], stroke=COLORS["dark"], stroke_width=3,
             paint_order="stroke"),
        _tag("path", d=line, fill="none", stroke=COLORS["arrow"], stroke_width=3.5),
    ]  # fmt: skip
    if times > 1:
        # The middle of the curve.
        at_x, at_y = (from_x + 2 * x + neck_x) / 4, (from_y + 2 * y + neck_y) / 4
        drawn.append(_tag("circle", cx=at_x, cy=at_y, r=10, fill=COLORS["dark"]))
        drawn.append(_text(at_x, at_y + 4.5, f"×{times}", 13, COLORS["arrow"], class_="times"))
    return _tag("g", "".join(drawn), class_="arrow")


# ---------------------------------------------------------------------------------------
# Dice and words

_EYES = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (1, 1), (-1, 1), (1, -1)],
    5: [(-1, -1), (1, 1), (-1, 1), (1, -1), (0, 0)],
    6: [(-1, -1), (1, 1), (-1, 1), (1, -1), (-1, 0), (1, 0)],
}


def _dice(scene: Scene) -> list[str]:
    """The dice beside the board, over or under the mover's tray."""
    if scene.dice is None:
        return []
    fill, eye = _tones(scene.colors[scene.mover])
    tray = _lane(scene.mover, OFF)
    parts = []
    for i, value in enumerate(scene.dice):
        y = MIDDLE + tray.inwards * (42 + 44 * i)
        eyes = [
            _tag("circle", cx=tray.x + 10 * a, cy=y + 10 * b, r=3.6, fill=eye)
            for a, b in _EYES[value]
        ]
        die = _tag("rect", x=tray.x - 18, y=y - 18, width=36, height=36, rx=6, fill=fill,
                   stroke=eye, stroke_width=1.5)  # fmt: skip
        parts.append(_tag("g", die + "".join(eyes), class_="die", data_value=value))
    return parts


def _words(scene: Scene, caption: str, ink: str) -> list[str]:
    """Who sits where, and the caption."""
    parts = []
    for row, y in ((ABOVE, TOP - 8), (BELOW, TOP + BOARD_HEIGHT + 17)):
        parts.append(
            _tag("circle", cx=LEFT + 8, cy=y - 5, r=6, fill=_tones(scene.colors[row])[0],
                 stroke=ink, stroke_width=1.5, class_="chip")
        )  # fmt: skip
        line = f"{NAMES[scene.colors[row]]}: {tally(scene, row)}"
        parts.append(
            _text(LEFT + 20, y, line, 15, ink, text_anchor="start", class_="player")
        )  # fmt: skip
        if row == scene.mover and scene.play is None and caption != scene.status:
            parts.append(
                _text(LEFT + BOARD_WIDTH, y, scene.status, 15, ink, text_anchor="end",
                      class_="status")
            )  # fmt: skip
    words, size = _fitted(_clean(caption), 15, BOARD_WIDTH)
    if words:
        y = TOP + BOARD_HEIGHT + LINE + 17
        parts.append(_text(WIDTH / 2, y, words, size, ink, class_="caption"))
    return parts


# ---------------------------------------------------------------------------------------
# All together


def svg(
    what: Drawable,
    *,
    view: str | None = None,
    numbers: str | None = None,
    dice: object = None,
    color: str | None = None,
    rules: Rules | None = None,
    size: int | None = 640,
    dark: bool | None = None,
    caption: str | None = None,
) -> str:
    """A picture of a position, a play or a game as SVG.

    The player below has his point 1 farthest to the right on the opposite side. Men lie in
    two stacks, the odd one on top of both, very many in three; a number tells how many
    from four men on. Men on the bar lie at the side where they have to enter, men borne off
    in a tray beyond their point 24. A play is shown on the board where it begins: arrows for
    its steps, ghosts where men come to lie, a cross on a blot that is hit and an exclamation
    mark on a point that is forced.

    Parameters
    ----------
    what : Position, Play or Game
        A game is shown as it stands now.
    view : {"mover", "other", "white", "black"}, optional
        Who sits below: by default the mover, in a game White.
    numbers : {"mover", "other", "white", "black"}, optional
        Whose point numbers are shown: by default those of the player below, with a play
        those of the mover, whose points its text names.
    dice : pair of int or str, optional
        The throw on the table; only for a position.
    color : {"W", "B"}, optional
        The mover's color, White by default; a game knows it itself.
    rules : Rules, optional
        They tell whether a position is the end of a game; bräde by default.
    size : int, optional
        The width in pixels; None leaves it to the page. The view box is always the same, so
        that the picture can be scaled.
    dark : bool, optional
        A dark page (True) or a light one (False) behind the board. By default there is none,
        and the words are of a grey that can be read on both.
    caption : str, optional
        A line under the board: by default the throw and the play of a play, and how a game
        ended.

    Returns
    -------
    str
        An ``svg`` element with title and description, without references to anything outside.
        The men of a player on a point are circles of class ``man`` in a group of class ``men``
        with ``data-color`` (W or B), ``data-point`` (1 to 24 on his own way, bar or off)
        and ``data-men``.

    Raises
    ------
    InvalidDiceError
        For dice that are none.
    ValueError
        For another word than those above, or a size that is not positive.
    TypeError
        For anything else than a position, a play or a game, or for dice, rules or a
        color of something that has them already.
    """
    scene = make_scene(what, view=view, numbers=numbers, dice=dice, color=color, rules=rules)
    if size is not None and (not isinstance(size, int) or size < 1):
        raise ValueError(f"size is a width in pixels, a whole number from 1 or None, not {size!r}")
    if dark not in PAGES:
        raise ValueError(f"dark is True, False or None, not {dark!r}")
    if caption is None:
        caption = scene.status if scene.play is not None or scene.ended else ""
    page, ink = PAGES[dark]
    moves = _moves(scene)
    parts = [_tag("title", escape(_clean(caption or scene.status)))]
    parts.append(_tag("desc", escape(f"{NAMES[scene.colors[scene.mover]]} first: {scene.board}")))
    if page != "none":
        parts.append(_tag("rect", width=WIDTH, height=HEIGHT, fill=page, class_="page"))
    parts += _board(scene) + _dice(scene) + _men(scene, moves) + _arrows(scene, moves)
    parts += _words(scene, caption, ink)
    scale: dict[str, object] = {}
    if size is not None:
        scale = {"width": size, "height": round(size * HEIGHT / WIDTH)}
    return _tag(
        "svg", "\n".join(["", *parts, ""]), scale, xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {HEIGHT}", role="img",
        font_family="'DejaVu Sans', Verdana, Arial, sans-serif",
    )  # fmt: skip

"""SVG pictures: men counted from the picture, nothing outside, contrast, escaping."""

from __future__ import annotations

import itertools
import math
import xml.etree.ElementTree as ET
from collections import Counter

import numpy as np
import pytest
from harness import across

from brade_fast import BRADE, Position, Step
from brade_fast.diagram import svg
from brade_fast.positions import KINDS, THROWS, self_play, synthetic

NS = "{http://www.w3.org/2000/svg}"
FULL = {
    "both bars": Position({0: 6, 14: 9}, {0: 6, 24: 9}),
    "fifteen on the bars": Position({0: 15}, {0: 15}),
    "all off": Position({25: 15}, {25: 15}),
    "towers": Position({24: 15}, {24: 15}),
    "talons": Position.start(),
    "heads": Position({12: 15}, {12: 15}),
    "facing": Position({12: 15}, {1: 15}),
}
PLACES = {str(n): n for n in range(1, 25)} | {"bar": 0, "off": 25}


def parse(text: str) -> ET.Element:
    root = ET.fromstring(text)
    assert root.tag == NS + "svg"
    return root


def of_class(root: ET.Element, name: str) -> list[ET.Element]:
    return [e for e in root.iter() if name in e.get("class", "").split()]


def words(root: ET.Element, name: str) -> list[str]:
    return [e.text for e in of_class(root, name)]


def positions() -> list[Position]:
    rng = np.random.default_rng(5)
    made = [synthetic(kind, rng, BRADE) for kind in KINDS for _ in range(6)]
    return [Position.from_array(b) for b in [*made, *self_play(rng, BRADE, 40)]] + [*FULL.values()]


def counts(root: ET.Element) -> dict[str, list[int]]:
    """The men of each color as they lie in the picture, ghosts left out."""
    found = {"W": [0] * 26, "B": [0] * 26}
    for group in of_class(root, "men"):
        circles = [e for e in of_class(group, "man") if "ghost" not in e.get("class")]
        assert len(circles) == int(group.get("data-men"))
        for circle in circles:
            assert circle.get("fill") == of_man(group.get("data-color"))
        labels = words(group, "count")
        assert labels == ([str(len(circles))] if len(circles) > 3 else [])
        found[group.get("data-color")][PLACES[group.get("data-point")]] += len(circles)
    return found


def of_man(color: str) -> str:
    """The fill of a player's men."""
    return {"W": "#fffdf5", "B": "#0b0b0d"}[color]


# --- Men --------------------------------------------------------------------------------


@pytest.mark.parametrize("view", ["mover", "other"])
def test_the_men_of_the_picture_are_those_of_the_board(view):
    for position in positions():
        rows = position.array().tolist()
        for color, other in ("WB", "BW"):
            root = parse(svg(position, view=view, color=color))
            assert counts(root) == {color: rows[0], other: rows[1]}


def test_the_two_views_are_one_board_turned_round():
    for position in positions():
        pictures = []
        for view in ("mover", "other"):
            root = parse(svg(position, view=view))
            box = [float(n) for n in root.get("viewBox").split()]
            pictures.append(
                {
                    (g.get("data-color"), g.get("data-point")): float(m.get("cx"))
                    for g in of_class(root, "men")
                    for m in of_class(g, "man")
                }
            )
        assert pictures[0].keys() == pictures[1].keys()
        for key, x in pictures[0].items():
            assert x + pictures[1][key] == pytest.approx(box[2])


def test_points_lie_as_on_a_board():
    """Anticlockwise from the right end of the opposite side, as sections 1 and 2 have it."""
    spots = {}
    for point in range(1, 25):
        root = parse(svg(Position({point: 1, 25: 14}, {25: 15})))
        [group] = [g for g in of_class(root, "men") if g.get("data-point") != "off"]
        [man] = of_class(group, "man")
        spots[point] = float(man.get("cx")), float(man.get("cy"))
        numbers = {n.text: (float(n.get("x")), float(n.get("y"))) for n in of_class(root, "number")}
        x, y = numbers[str(point)]
        assert x == spots[point][0]
        assert abs(y - spots[point][1]) < 40
    far, near = [spots[p] for p in range(12, 0, -1)], [spots[p] for p in range(13, 25)]
    assert [x for x, _ in far] == sorted(x for x, _ in far) == [x for x, _ in near]
    assert {y for _, y in far} != {y for _, y in near}
    assert max(y for _, y in far) < min(y for _, y in near)


def test_an_odd_man_lies_in_the_middle_on_top_of_two_equal_stacks():
    for men in range(2, 9):
        root = parse(svg(Position({14: men, 25: 15 - men}, {25: 15})))
        [group] = [g for g in of_class(root, "men") if g.get("data-point") == "14"]
        heights = [float(m.get("cy")) for m in of_class(group, "man")]
        # A man is 34 broad, and the men of a stack lie close together.
        low = max(heights)
        where = Counter((low - h > 14) + (low - h > 32) for h in heights)
        assert where == +Counter({0: men // 2, 1: men % 2, 2: men // 2})


# --- Geometry ---------------------------------------------------------------------------


def rectangle(e: ET.Element) -> tuple[float, float, float, float]:
    x, y, w, h = (float(e.get(k)) for k in ("x", "y", "width", "height"))
    return x, y, x + w, y + h


def inside(e: ET.Element, box: tuple[float, float, float, float]) -> bool:
    x, y, r = (float(e.get(k)) for k in ("cx", "cy", "r"))
    r += float(e.get("stroke-width", 0)) / 2
    return box[0] <= x - r and box[1] <= y - r and x + r <= box[2] and y + r <= box[3]


def check_geometry(root: ET.Element) -> None:
    [board] = [rectangle(e) for e in of_class(root, "board")]
    trays = [rectangle(e) for e in of_class(root, "tray")]
    assert len(trays) == 2
    groups = []
    for group in of_class(root, "men"):
        men = of_class(group, "man")
        off = group.get("data-point") == "off"
        for man in men:
            assert any(inside(man, tray) for tray in trays) if off else inside(man, board)
        groups.append([[float(m.get(k)) for k in ("cx", "cy")] for m in men])
    for one, another in itertools.combinations(groups, 2):
        for (x, y), (x2, y2) in itertools.product(one, another):
            assert math.hypot(x - x2, y - y2) >= 34
    box = [float(n) for n in root.get("viewBox").split()]
    assert box[:2] == [0, 0]
    for e in root.iter():
        if e.tag == NS + "rect" and e.get("x"):
            x, y, x2, y2 = rectangle(e)
            assert x >= 0
            assert y >= 0
            assert x2 <= box[2]
            assert y2 <= box[3]
        if e.tag == NS + "text":
            half = 0.35 * float(e.get("font-size")) * len(e.text)
            x, y = float(e.get("x")), float(e.get("y"))
            shift = {"start": half, "middle": 0, "end": -half}[e.get("text-anchor")]
            assert x + shift - half >= 0
            assert x + shift + half <= box[2]
            assert 10 < y < box[3] - 3
        if e.tag == NS + "path":
            numbers = e.get("d").translate(str.maketrans("MLQZv", "     ")).split()
            if "v" not in e.get("d"):
                points = [float(n) for n in numbers]
                assert all(0 <= x <= box[2] for x in points[::2])
                assert all(0 <= y <= box[3] for y in points[1::2])


def test_all_men_are_on_the_board_and_those_of_two_points_never_touch():
    for position in positions():
        for view in ("mover", "other"):
            check_geometry(parse(svg(position, view=view, dice=(6, 5))))


def test_the_board_is_twice_as_long_as_wide_and_its_bar_is_split():
    root = parse(svg(Position.start()))
    [frame] = [rectangle(e) for e in of_class(root, "frame")]
    assert frame[2] - frame[0] == 2 * (frame[3] - frame[1])
    [board] = [rectangle(e) for e in of_class(root, "board")]
    upper, lower = sorted((rectangle(e) for e in of_class(root, "bar")), key=lambda b: b[1])
    assert upper[1] == board[1]
    assert lower[3] == board[3]
    assert upper[3] < lower[1]
    assert {e.get("fill") for e in of_class(root, "point")} == {"#c12a22", "#b78a12"}


def test_the_view_box_is_always_the_same_and_the_size_is_the_callers():
    boxes = {parse(svg(p, size=s)).get("viewBox") for p in FULL.values() for s in (1, 640, None)}
    assert len(boxes) == 1
    root = parse(svg(Position.start(), size=1376))
    assert root.get("width") == "1376"
    ratio = [float(n) for n in root.get("viewBox").split()]
    assert float(root.get("height")) == pytest.approx(1376 * ratio[3] / ratio[2], abs=0.5)
    free = parse(svg(Position.start(), size=None))
    assert free.get("width") is None
    assert free.get("height") is None


# --- Contrast ---------------------------------------------------------------------------


def luminance(color: str) -> float:
    """The relative luminance of WCAG 2."""
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, another: str) -> float:
    low, high = sorted((luminance(one), luminance(another)))
    return (high + 0.05) / (low + 0.05)


def fills(root: ET.Element, name: str) -> set[str]:
    return {e.get("fill") for e in of_class(root, name)}


def test_men_stand_out_from_all_that_they_lie_on_and_from_each_other():
    root = parse(svg(FULL["both bars"]))
    men = fills(root, "man")
    assert len(men) == 2
    assert contrast(*men) >= 3
    ground = set().union(*(fills(root, n) for n in ("point", "board", "bar", "tray", "frame")))
    assert len(ground) == 4
    for man, color in itertools.product(men, ground):
        assert contrast(man, color) >= 3, (man, color)
    for man in of_class(root, "man"):
        assert contrast(man.get("fill"), man.get("stroke")) >= 3


def test_words_can_be_read_on_light_dark_and_unknown_pages():
    for dark, pages in ((True, None), (False, None), (None, ("#ffffff", "#15171a"))):
        root = parse(svg(FULL["both bars"], dark=dark, dice="61", caption="A caption"))
        page = [e.get("fill") for e in of_class(root, "page")]
        assert len(page) == (dark is not None)
        for ground in pages or page:
            for name in ("player", "status", "caption"):
                for ink in fills(root, name):
                    assert contrast(ink, ground) >= (3.8 if dark is None else 7)
        for number in fills(root, "number"):
            assert contrast(number, *fills(root, "frame")) >= 4.5
        if dark is not None:
            assert (luminance(page[0]) < 0.05) == dark


def test_signs_and_arrows_stand_out():
    root = parse(svg(forcing_play()))
    for sign in {e.get("stroke") for e in of_class(root, "sign")} - {"#0b0b0d"}:
        assert contrast(sign, "#0b0b0d") >= 3
    [arrow] = {e.get("stroke") for g in of_class(root, "arrow") for e in g} - {"#0b0b0d"}
    assert contrast(arrow, "#0b0b0d") >= 3


# --- Plays ------------------------------------------------------------------------------


def forcing_play():
    """Section 8, case 7: forces 5 and hits the blot on 3."""
    position = Position({1: 7, 4: 1, 14: 2, 15: 2, 0: 3}, {1: 10, 15: 1, 17: 2, 18: 2})
    [play] = position.plays(5, 3)
    return play


def test_a_play_that_forces_and_hits():
    play = forcing_play()
    root = parse(play.svg())
    assert parse(play._repr_svg_()).attrib == root.attrib
    assert words(root, "caption") == ["White plays 5-3: bar/5! bar/3*"]
    assert words(root, "status") == []
    kinds = Counter(m.get("class") for m in of_class(root, "man"))
    assert kinds == {"man": 27, "man hit": 1, "man forced": 2, "man ghost": 2}
    assert len({e.get("class") for e in of_class(root, "sign")}) == 2
    assert len(of_class(root, "arrow")) == 2
    assert [d.get("data-value") for d in of_class(root, "die")] == ["5", "3"]
    assert 'data-point="5"' not in play.svg(caption="")  # men of the other's 17 and 15 only
    check_geometry(root)


def test_the_same_step_of_several_men_is_one_arrow_with_a_count():
    play = next(p for p in Position({24: 4, 25: 11}, {1: 15}).plays(1, 1))
    root = parse(svg(play))
    assert words(root, "times") == ["×4"]
    assert len(of_class(root, "arrow")) == 1


def test_ghosts_arrows_and_marks_are_those_of_the_play():
    rng = np.random.default_rng(3)
    seen = Counter()
    boards = [synthetic(kind, rng, BRADE) for kind in KINDS for _ in range(4)]
    for board in [*boards, *self_play(rng, BRADE, 60)]:
        position = Position.from_array(board)
        plays = position.plays(*THROWS[rng.integers(len(THROWS))])
        play = plays[rng.integers(len(plays))]
        for view in ("mover", "other"):
            root = parse(svg(play, view=view))
            check_geometry(root)
            rows = position.array().tolist()
            assert counts(root) == {"W": rows[0], "B": rows[1]}
            steps: tuple[Step, ...] = play.canonical_steps
            before, after = rows[0], play.position.array().tolist()[1]
            gains = {i: after[i] - before[i] for i in range(26) if after[i] > before[i]}
            ghosts, marks = Counter(), {}
            for group in of_class(root, "men"):
                index = PLACES[group.get("data-point")]
                if group.get("data-color") == "B" and 0 < index < 25:
                    index = across(index)
                ghosts[index] += len(of_class(group, "ghost"))
                for kind in ("hit", "forced"):
                    if [m for m in of_class(group, "man") if kind in m.get("class")]:
                        marks[index] = kind
            assert +ghosts == gains
            assert marks == {s.target: ["", "hit", "forced"][s.hit] for s in steps if s.hit}
            arrows = Counter((s.source, s.target) for s in steps)
            assert len(of_class(root, "arrow")) == len(arrows)
            times = sorted(f"×{n}" for n in arrows.values() if n > 1)
            assert sorted(words(root, "times")) == times
            seen.update(marks.values())
            seen["pass" if not steps else "chain" if ghosts.total() < len(steps) else "other"] += 1
    assert min(seen[k] for k in ("hit", "forced", "pass", "chain")) > 2, seen


# --- Words ------------------------------------------------------------------------------


def test_dice_lie_beside_the_tray_of_the_mover():
    for view, color in itertools.product(("mover", "other"), "WB"):
        root = parse(svg(Position.start(), dice=(6, 2), view=view, color=color))
        dice = of_class(root, "die")
        assert [d.get("data-value") for d in dice] == ["6", "2"]
        for die, eyes in zip(dice, (6, 2), strict=True):
            assert len(list(die)) == 1 + eyes
            assert die[0].get("fill") == of_man(color)
            x = float(die[0].get("x"))
            assert (x > 600) == (view == "mover")
        assert words(root, "status") == [f"{'White' if color == 'W' else 'Black'} to play 6-2"]


def test_title_and_description_tell_what_is_seen():
    root = parse(svg(FULL["both bars"], caption="Both bars"))
    assert root.get("role") == "img"
    assert root[0].tag == NS + "title"
    assert root[0].text == "Both bars"
    assert root[1].tag == NS + "desc"
    assert root[1].text == "White first: 14:9 bar:6 / 24:9 bar:6"
    assert parse(svg(Position.start()))[0].text == "White to throw"
    assert words(parse(svg(FULL["both bars"])), "player") == [
        "Black: 159 pips, bar 6", "White: 249 pips, bar 6",
    ]  # fmt: skip


def test_pictures_can_stand_together_in_one_page():
    """No ids that could come twice, nothing fetched, no program."""
    for text in (svg(forcing_play()), svg(Position.start())):
        for e in parse(text).iter():
            assert not {"id", "href", "style"} & set(e.attrib)
            assert not any(str(v).startswith(("url", "http")) for v in e.attrib.values())
            assert e.tag not in (NS + "script", NS + "style", NS + "image")


@pytest.mark.parametrize(
    ("caption", "shown"),
    [
        ("a < b & c > d", "a < b & c > d"),
        ("</text><script>alert('x')</script>\"", "</text><script>alert('x')</script>\""),
        ("two\nlines\tand  more", "two lines and more"),
        ("nul \0, bell \a, lone \ud800", "nul \ufffd, bell \ufffd, lone \ufffd"),
        ("Bräde 🎲 ]]>", "Bräde 🎲 ]]>"),
        ("", None),
    ],
)
def test_captions_are_escaped(caption, shown):
    root = parse(svg(Position.start(), caption=caption))
    assert words(root, "caption") == ([] if shown is None else [shown])
    assert root[0].text == (shown or "White to throw")


@pytest.mark.parametrize("length", [10, 70, 100, 1000])
def test_a_long_caption_is_made_smaller_then_cut(length):
    root = parse(svg(Position.start(), caption="m" * length))
    [caption] = of_class(root, "caption")
    size = float(caption.get("font-size"))
    assert 9 <= size <= 15
    assert len(caption.text) * size * 0.58 <= 561
    assert (caption.text[-1] == "…") == (length > 107)
    assert root[0].text == "m" * length


@pytest.mark.parametrize("size", [0, -3, 2.5, "640"])
def test_bad_sizes_are_refused(size):
    with pytest.raises(ValueError, match="size is a width in pixels"):
        svg(Position.start(), size=size)


def test_bad_pages_are_refused():
    with pytest.raises(ValueError, match="dark is True, False or None, not 'yes'"):
        svg(Position.start(), dark="yes")

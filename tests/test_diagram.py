"""Text boards: exact pictures, and every board read back from its picture."""

from __future__ import annotations

import numpy as np
import pytest

from brade_fast import BRADE, REVERTIER, InvalidDiceError, Position
from brade_fast.diagram import svg, text_board
from brade_fast.positions import KINDS, self_play, synthetic

CASE_7 = Position({1: 7, 4: 1, 14: 2, 15: 2, 0: 3}, {1: 10, 15: 1, 17: 2, 18: 2})

# --- Exact pictures ---------------------------------------------------------------------


def test_the_wide_board_from_the_mover():
    assert (
        "\n" + CASE_7.diagram(dice="62")
        == """
● Black: 280 pips
   12  11  10   9   8   7          6   5   4   3   2   1
┌─────────────────────────┬────┬─────────────────────────┐
│                         │ ○  │   ●   ●   ○   ●       ○ │
│                         │ ○  │   ●   ●               ○ │
│                         │ ○  │                       ○ │
│                         │    │                       ○ │
│                         │    │                       7 │
│                         │    │                         │
│  10                     │    │                         │
│   ●                     │    │                         │
│   ●                     │    │                         │
│   ●   ○   ○             │    │                         │
│   ●   ○   ○             │    │                         │
└─────────────────────────┴────┴─────────────────────────┘
   13  14  15  16  17  18         19  20  21  22  23  24
○ White: 306 pips, bar 3
○ White to play 6-2"""
    )


def test_the_narrow_board_from_the_other_with_the_movers_numbers_in_ascii():
    board = text_board(
        CASE_7, color="B", view="white", numbers="mover", width="narrow", ascii=True
    )  # fmt: skip
    assert (
        "\n" + board
        == """
X Black: 306 pips, bar 3
  2 2 2 2 2 1      1 1 1 1 1 1
  4 3 2 1 0 9      8 7 6 5 4 3
+-------------+--+-------------+
|             |  |       X X O |
|             |  |       X X O |
|             |  |           O |
|             |  |           O |
|             |  |          10 |
|             |  |             |
| 7           |  |             |
| X           |  |             |
| X           |X |             |
| X       O O |X |             |
| X   O X O O |X |             |
+-------------+--+-------------+
                         1 1 1
  1 2 3 4 5 6      7 8 9 0 1 2
O White: 280 pips
X Black to throw"""
    )


def test_men_off_and_a_game_that_is_over():
    board = text_board(Position({25: 15}, {1: 15}), ascii=True, width="narrow", color="B")
    lines = board.splitlines()
    assert lines[0] == "O White: 360 pips"
    assert lines[-2:] == ["X Black: 0 pips, off 15", "X the game is over"]
    assert sum("O" in line for line in lines[1:-2]) == 4
    assert not any("X" in line for line in lines[1:-2])


def test_a_play_is_shown_where_it_begins_with_its_text_and_the_movers_numbers():
    [play] = CASE_7.plays(6, 2)
    assert text_board(play).splitlines()[-1] == "○ White plays 6-2: bar/6! bar/2"
    assert text_board(play).splitlines()[:-1] == text_board(CASE_7).splitlines()[:-1]
    turned = text_board(play, view="other", color="B").splitlines()
    assert turned[1].split() == [str(n) for n in range(24, 12, -1)]
    assert turned[-1] == "● Black plays 6-2: bar/6! bar/2"


@pytest.mark.parametrize(
    ("options", "below", "first"),
    [
        ({}, "White", "12"),
        ({"view": "other"}, "Black", "12"),
        ({"view": "black"}, "Black", "12"),
        ({"color": "B"}, "Black", "12"),
        ({"color": "B", "view": "white"}, "White", "12"),
        ({"view": "other", "numbers": "mover"}, "Black", "24"),
        ({"view": "other", "numbers": "other"}, "Black", "12"),
        ({"color": "B", "numbers": "white"}, "Black", "24"),
        ({"color": "B", "numbers": "black"}, "Black", "12"),
    ],
)
def test_who_sits_below_and_whose_numbers_are_shown(options, below, first):
    lines = text_board(Position.start(), **options).splitlines()
    assert f" {below}: 360 pips" in lines[-2]
    assert lines[1].split()[0] == first


# --- Reading back -----------------------------------------------------------------------


def read(board: str, width: str) -> dict[str, list[int]]:
    """The men of each color that are on a board with the numbers of the player below.

    Indices are 0 for the bar and the numbers that stand on the board, for both colors.
    """
    cell = {"wide": 4, "narrow": 2}[width]
    labels = {"wide": 1, "narrow": 2}[width]
    lines = board.splitlines()
    upper = lines[2 + labels : 7 + labels]
    lower = lines[12 + labels : 7 + labels : -1]
    found = {"O": [0] * 25, "X": [0] * 25}
    below = lines[-2][0]
    above = "X" if below == "O" else "O"
    left = [1 + cell * i for i in range(6)]
    right = [4 + 7 * cell + cell * i for i in range(6)]
    for rows, points, waiting in (
        (upper, [*range(12, 0, -1)], below),
        (lower, [*range(13, 25)], above),
    ):
        places = [*zip(left + right, points, strict=True), (3 + 6 * cell, 0)]
        for start, point in places:
            cells = [row[start : start + cell].strip() for row in rows]
            glyphs = {c for c in cells if c in ("O", "X")}
            assert len(glyphs) <= 1
            numbers = [int(c) for c in cells if c.isdigit()]
            assert len(numbers) <= 1
            for glyph in glyphs:
                assert point or glyph == waiting
                found[glyph][point] = numbers[0] if numbers else cells.count(glyph)
    return found


def boards() -> list[np.ndarray]:
    rng = np.random.default_rng(11)
    made = [synthetic(kind, rng, BRADE) for kind in KINDS for _ in range(12)]
    full = Position({0: 15}, {0: 6, 25: 9}).array(), Position({25: 15}, {24: 15}).array()
    return [*made, *full, *self_play(rng, BRADE, 60)]


@pytest.mark.parametrize("width", ["wide", "narrow"])
@pytest.mark.parametrize("view", ["mover", "other"])
def test_every_board_can_be_read_from_its_picture(width, view):
    for board in boards():
        text = text_board(
            Position.from_array(board), view=view, width=width, color="B", ascii=True
        )  # fmt: skip
        below, above = ("X", "O") if view == "mover" else ("O", "X")
        rows = board.tolist() if view == "mover" else board.tolist()[::-1]
        found = read(text, width)
        assert found[below] == rows[0][:25]
        turned = [found[above][0], *found[above][13:25], *found[above][1:13]]
        assert turned == rows[1][:25]
        lines = text.splitlines()
        for line, row in ((lines[-2], rows[0]), (lines[0], rows[1])):
            pips = sum((25 - i) * n for i, n in enumerate(row))
            assert f": {pips} pips" in line
            assert (f"off {row[25]}" in line) == (row[25] > 0)
            assert (f"bar {row[0]}" in line) == (row[0] > 0)


def test_boards_keep_to_their_columns_and_their_characters():
    for board in boards():
        position = Position.from_array(board)
        for width, columns in (("wide", 58), ("narrow", 40)):
            text = text_board(position, width=width, dice=(6, 6))
            assert max(map(len, text.splitlines())) <= columns
            assert all(line == line.rstrip() for line in text.splitlines())
            plain = text_board(position, width=width, dice=(6, 6), ascii=True)
            assert plain.isascii()
            swap = str.maketrans("○●─│┌┐└┘┬┴", "OX-|++++++")
            assert text.translate(swap) == plain


# --- Bad input --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"view": "below"}, ValueError, "view is one of 'mover', 'other', 'white', 'black'"),
        ({"numbers": "his"}, ValueError, "numbers is one of"),
        ({"width": "broad"}, ValueError, "width is one of 'wide', 'narrow', not 'broad'"),
        ({"color": "white"}, ValueError, "color is one of 'W', 'B', not 'white'"),
        ({"dice": (7, 1)}, InvalidDiceError, "two numbers from 1 to 6"),
        ({"dice": (1, 2, 3)}, InvalidDiceError, "two numbers from 1 to 6"),
        ({"dice": "7"}, InvalidDiceError, "a throw is two numbers"),
        ({"dice": 62}, TypeError, "a throw is two dice"),
        ({"frame": 1}, TypeError, "frame"),
    ],
)
def test_bad_options_are_refused(options, kind, message):
    with pytest.raises(kind, match=message):
        Position.start().diagram(**options)
    if "width" not in options:
        with pytest.raises(kind, match=message):
            Position.start().svg(**options)


def test_only_positions_plays_and_games_are_shown():
    with pytest.raises(TypeError, match="can be shown, not str"):
        text_board("start")
    with pytest.raises(TypeError, match="dice and rules belong to a position"):
        text_board(Position.start().plays(6, 2)[0], dice=(6, 2))
    with pytest.raises(TypeError, match="dice and rules belong to a position"):
        text_board(Position.start().plays(6, 2)[0], rules=BRADE)


def test_the_rules_tell_whether_a_position_is_an_end():
    tower = Position({24: 15}, {1: 15})
    assert text_board(tower).splitlines()[-1] == "○ the game is over"
    assert text_board(tower, rules=REVERTIER).splitlines()[-1] == "○ White to throw"
    assert "the game is over" in svg(tower)
    assert "White to throw" in svg(tower, rules=REVERTIER)

"""Pictures of games: as SVG, as one HTML page, as files, and the contact sheet."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import numpy as np
import pytest
from test_quality import PACKAGE, imported
from test_svg import check_geometry, counts, of_class, parse, words

from brade_fast import BRADE, REVERTIER, Outcome, Position
from brade_fast.contactsheet import POSITIONS, SIZES, sheet
from brade_fast.diagram import contact_sheet, game_html, page, save, svg, text_board, to_png
from brade_fast.game import Color, Game

PNG = b"\x89PNG\r\n\x1a\n"


def played(seed: int, turns: int = 1000, rules=BRADE) -> Game:
    """A game of random plays, or its first turns."""
    rng = np.random.default_rng(seed)
    game = Game(rules, seed=seed)
    while not game.is_over and len(game.moves) < turns:
        if game.dice is None:
            game.throw()
        plays = game.legal_plays
        game.push(plays[rng.integers(len(plays))])
    return game


# --- One picture of a game --------------------------------------------------------------


def test_a_game_is_shown_from_whites_side_as_it_stands():
    for turns in range(4):
        game = played(3, turns)
        root = parse(game._repr_svg_())
        assert root.get("viewBox") == parse(svg(Position.start())).get("viewBox")
        board = {c.value: game.board_for(c).array().tolist()[0] for c in Color}
        assert counts(root) == board
        assert words(root, "player")[1].startswith("White: ")
        name = {"W": "White", "B": "Black"}[game.turn]
        assert words(root, "status") == [f"{name} to throw"]
        d1, d2 = game.throw()
        assert words(parse(svg(game)), "status") == [f"{name} to play {d1}-{d2}"]
        assert text_board(game).splitlines()[-1].endswith(f"{name} to play {d1}-{d2}")


def test_the_end_of_a_game_is_told():
    game = played(3)
    result = game.result
    name = {"W": "White", "B": "Black"}[result.winner]
    [status] = words(parse(svg(game)), "caption")
    assert words(parse(svg(game)), "status") == []
    assert words(parse(svg(game, caption="x")), "status") == [status]
    assert status.startswith(f"{name} wins: ")
    assert status.endswith(f", {result.points} points")
    plain = text_board(game, ascii=True).splitlines()[-1]
    assert plain.isascii()
    assert plain[2:] == re.sub(r" \(.*\)", "", status)
    check_geometry(parse(svg(game, view="black")))


def test_a_resigned_and_a_drawn_game_are_told():
    game = played(3, 2)
    game.resign(Color.BLACK)
    assert words(parse(svg(game)), "caption") == [
        "White wins by resignation: bear-off (hemspel), 1 point"
    ]
    # Each stands on all six points on which the other enters.
    held = {0: 3} | dict.fromkeys(range(13, 19), 2)
    stuck = Game(REVERTIER, begins="W", position=Position(held, held))
    assert words(parse(svg(stuck)), "caption") == ["drawn by deadlock (dödläge)"]
    assert text_board(stuck, ascii=True).splitlines()[-1] == "O drawn by deadlock"


@pytest.mark.parametrize("option", [{"dice": (6, 2)}, {"color": "W"}, {"rules": BRADE}])
def test_a_game_knows_its_dice_color_and_rules(option):
    with pytest.raises(TypeError, match="game"):
        svg(played(1, 1), **option)


# --- A page of a whole game -------------------------------------------------------------


class Reader(HTMLParser):
    """The elements of a page; every one that opens must close."""

    EMPTY = ("meta", "rect", "circle", "polygon", "path", "link", "img", "br")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and data.strip():
            self.texts.append((self.open[-1], data))


def figures(text: str) -> list[ET.Element]:
    return [parse(s) for s in re.findall(r"<figure [^>]*>\n(<svg .*?</svg>)\n", text, re.DOTALL)]


def test_the_page_has_a_picture_and_a_line_for_every_turn_and_the_end():
    for rules, view in ((BRADE, "white"), (REVERTIER, "black")):
        game = played(5, rules=rules)
        text = game_html(game, view=view)
        reader = Reader(text)
        lines = [data for tag, data in reader.texts if tag == "a"]
        pictures = figures(text)
        assert len(lines) == len(pictures) == len(game.moves) + 1
        for i, (move, line, root) in enumerate(zip(game.moves, lines, pictures, strict=False)):
            name = {"W": "White", "B": "Black"}[move.color]
            dice = "{}-{}".format(*move.dice)
            assert line == f"{i // 2 + 1}. {name} {dice}: {move.play}"
            assert words(root, "caption") == [line]
            rows = move.play.origin.array().tolist()
            other = "B" if move.color == "W" else "W"
            assert counts(root) == {str(move.color): rows[0], other: rows[1]}
            below = words(root, "player")[1]
            assert below.startswith({"white": "White", "black": "Black"}[view])
        assert " wins: " in lines[-1]
        assert counts(pictures[-1]) == {
            c.value: game.board_for(c).array().tolist()[0] for c in Color
        }
        ids = [a["id"] for _, a in reader.found if "id" in a]
        assert len(ids) == len(set(ids))
        links = [a["href"] for tag, a in reader.found if tag == "a"]
        assert links == [f"#{i}" for tag, a in reader.found if tag == "figure" for i in [a["id"]]]


def test_the_page_needs_nothing_from_anywhere_else():
    text = game_html(played(5, 6))
    for tag, attributes in Reader(text).found:
        assert tag not in ("link", "img", "image", "iframe", "object", "use")
        assert "src" not in attributes
        for key, value in attributes.items():
            if key == "href":
                assert value.startswith("#")
            elif key != "xmlns":
                assert "//" not in (value or "")
    assert not re.search(r"@import|url\(|fetch\(|XMLHttp|import\(", text)
    assert set(re.findall(r"https?://[^\"' ]*", text)) == {"http://www.w3.org/2000/svg"}


def test_the_page_answers_to_keys_and_buttons_and_hides_nothing_without_a_program():
    text = game_html(played(5, 2))
    for key in ("ArrowLeft", "ArrowRight", "Home", "End"):
        assert key in text
    buttons = [a["name"] for tag, a in Reader(text).found if tag == "button"]
    assert buttons == ["first", "back", "on", "last"]
    style = text[text.index("<style>") : text.index("</style>")]
    hidden = [rule for rule in style.splitlines() if "display: none" in rule]
    assert hidden == ["nav, .js figure { display: none; }"]
    assert not re.search(r'class="[^"]*\bjs\b', text)  # only the program sets it


def test_names_and_titles_are_escaped():
    text = game_html(played(5, 1), white="<script>&", black='"Bo"')
    reader = Reader(text)
    assert [t for tag, t in reader.texts if tag == "h1"] == ['White (<script>&) – Black ("Bo")']
    assert sum(tag == "script" for tag, _ in reader.found) == 1
    assert "<h1>A &lt; B</h1>" in game_html(played(5, 1), title="A < B")


def test_a_game_without_a_turn_has_a_page_too():
    [root] = figures(game_html(Game(seed=1)))
    assert counts(root)["W"][1] == 15


def test_a_bad_view_of_a_page_is_refused():
    with pytest.raises(ValueError, match="view is one of"):
        game_html(Game(seed=1), view="below")


def test_pictures_know_no_room_above_them():
    """Games ask for pictures, pictures never for games."""
    below = {"", "_core", "notation", "rules"}
    rooms = ("scene", "textboard", "svg", "picturefile", "gamepage", "contactsheet", "diagram")
    for i, room in enumerate(rooms):
        known = {name[1:] for name in imported(PACKAGE / f"{room}.py") if name.startswith(".")}
        assert known or room == "picturefile"
        assert known <= below | set(rooms[:i]), room


# --- Files ------------------------------------------------------------------------------


def test_a_picture_is_saved_by_the_ending_of_the_name(tmp_path):
    text = svg(Position.start(), size=200)
    for ending in ("svg", "SVG", "html", "png"):
        save(text, tmp_path / f"a.{ending}", title="A & B")
    assert parse((tmp_path / "a.svg").read_text("utf-8")).get("width") == "200"
    assert (tmp_path / "a.SVG").read_bytes() == (tmp_path / "a.svg").read_bytes()
    html = (tmp_path / "a.html").read_text("utf-8")
    assert text in html
    assert "<title>A &amp; B</title>" in html
    Reader(html)
    picture = (tmp_path / "a.png").read_bytes()
    assert picture.startswith(PNG)
    assert int.from_bytes(picture[16:20], "big") == 200
    to_png(text, str(tmp_path / "b.png"), width=77)
    assert int.from_bytes((tmp_path / "b.png").read_bytes()[16:20], "big") == 77


@pytest.mark.parametrize("name", ["a.gif", "a", "svg"])
def test_other_endings_are_refused(tmp_path, name):
    with pytest.raises(ValueError, match=r"ends in \.svg, \.html or \.png"):
        save(svg(Position.start()), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_without_the_library_for_png_a_line_tells_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(__import__("sys").modules, "resvg_py", None)
    with pytest.raises(ImportError, match=r"pip install 'brade-fast\[png\]'"):
        to_png(svg(Position.start()), tmp_path / "a.png")


def test_a_page_is_whole():
    reader = Reader(page("T", "<p>B</p>", style="p { color: red; }", script="1 < 2;"))
    assert ("title", "T") in reader.texts
    assert ("p", "B") in reader.texts
    assert ("script", "\n1 < 2;\n") in reader.texts


# --- The contact sheet ------------------------------------------------------------------


def test_the_contact_sheet_shows_24_positions_in_two_sizes_light_and_dark():
    assert len({named.name for named in POSITIONS}) == 24
    root = parse(sheet())
    pictures = root.findall("{*}g/{*}svg")
    assert len(pictures) == 24 * 2 * 2
    widths = [picture.get("width") for picture in pictures]
    assert widths == [str(size) for size in SIZES] * 48
    pages = [of_class(picture, "page")[0].get("fill") for picture in pictures]
    assert pages == ["#ffffff", "#ffffff", "#15171a", "#15171a"] * 24
    for named, picture in zip(POSITIONS, pictures[::4], strict=True):
        check_geometry(picture)
        assert words(picture, "caption")[0].startswith(named.name)


def test_the_named_positions_hold_what_is_hard_to_show():
    shown = [named.shown()[0] for named in POSITIONS]
    boards = [(s if isinstance(s, Position) else s.origin).array() for s in shown]
    plays = [s for s in shown if not isinstance(s, Position)]
    assert any((board[:, 1:25] == 15).any() for board in boards)
    assert any((board[:, 0] >= 6).all() for board in boards)
    assert any(board[0, 25] == 15 for board in boards)
    assert {1, 2} <= {step.hit for play in plays for step in play.steps}
    assert {Outcome.FORCED_JOHN, Outcome.SINGLE_CROWN} <= {play.outcome for play in plays}
    assert {named.view for named in POSITIONS} >= {"mover", "other", "white"}


def test_the_contact_sheet_is_one_file(tmp_path):
    contact_sheet(tmp_path / "sheet.svg")
    assert len(parse((tmp_path / "sheet.svg").read_text("utf-8")).findall("{*}g/{*}svg")) == 96
    contact_sheet(tmp_path / "sheet.html")
    reader = Reader((tmp_path / "sheet.html").read_text("utf-8"))
    assert ("title", "Contact sheet") in reader.texts

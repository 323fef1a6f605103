"""The command show: what it prints and writes, and what it refuses."""

from __future__ import annotations

import io
import json
import sys

import pytest
from test_gamepage import PNG, Reader, figures, played
from test_svg import counts, parse, words

from brade_fast import Position, cli
from brade_fast.diagram import game_html, svg, text_board

CASE_7 = "1:7 4 14:2 15:2 bar:3 / 1:10 15 17:2 18:2"
POSITION = Position.from_text(CASE_7)


@pytest.fixture
def show(capsys, monkeypatch):
    """Run ``brade-fast show``; gives status, standard output and standard error."""
    monkeypatch.setenv("COLUMNS", "80")

    def call(*arguments: str) -> tuple[int, str, str]:
        status = cli.main(["show", *arguments])
        out, err = capsys.readouterr()
        return status, out, err

    return call


# --- Text -------------------------------------------------------------------------------


def test_without_arguments_the_start_is_shown(show):
    assert show() == (0, text_board(Position.start()) + "\n", "")


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ((), {}),
        (("6-2",), {"dice": (6, 2)}),
        (("6", "2", "--color", "B"), {"dice": (6, 2), "color": "B"}),
        (("--view", "other", "--numbers", "mover"), {"view": "other", "numbers": "mover"}),
        (("--narrow", "--ascii"), {"width": "narrow", "ascii": True}),
        (("--wide",), {}),
    ],
)
@pytest.mark.parametrize("text", [CASE_7, POSITION.id])
def test_a_position_as_text(show, text, arguments, options):
    assert show(text, *arguments) == (0, text_board(POSITION, **options) + "\n", "")


def test_a_full_state_brings_its_throw_color_and_rules(show):
    state = f"revertier:B:6-2:{POSITION.id}"
    expected = text_board(POSITION, dice=(6, 2), color="B")
    assert show(state) == (0, expected + "\n", "")
    assert json.loads(show(state, "--json")[1])["rules"] == "revertier"
    assert show(f"brade:W:-:{POSITION.id}")[1] == text_board(POSITION) + "\n"


def test_the_rules_tell_whether_the_game_is_over(show):
    assert "the game is over" in show("24:15 / 1:15")[1]
    assert "White to throw" in show("24:15 / 1:15", "--rules", "revertier")[1]


def test_a_small_terminal_gets_the_narrow_board(show, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    assert show(CASE_7)[1] == text_board(POSITION, width="narrow") + "\n"
    assert show(CASE_7, "--wide")[1] == text_board(POSITION) + "\n"


def test_a_terminal_without_the_characters_gets_ascii(show, monkeypatch):
    for encoding, plain in (("ascii", True), ("latin-1", True), ("utf-8", False)):
        out = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
        monkeypatch.setattr(sys, "stdout", out)
        assert cli.main(["show", CASE_7]) == 0
        out.flush()
        printed = out.buffer.getvalue().decode(encoding)
        assert printed == text_board(POSITION, ascii=plain) + "\n"


def test_a_play_as_text(show):
    [play] = POSITION.plays(6, 2)
    assert show(CASE_7, "62", "--play", "bar/2 bar/6") == (0, text_board(play) + "\n", "")
    turned = text_board(play, view="black", color="B", numbers="white")
    assert show(CASE_7, "62", "--play", "bar/2 bar/6", "--color", "B", "--view", "black",
                "--numbers", "white")[1] == turned + "\n"  # fmt: skip


def test_the_report_follows_the_board(show):
    status, out, err = show(CASE_7, "--report")
    assert (status, err) == (0, "")
    assert out == f"{text_board(POSITION)}\n\n{POSITION.report()}\n"
    report = json.loads(show(CASE_7, "--report", "--json")[1])["report"]
    assert report == json.loads(json.dumps(POSITION.report().as_dict()))


# --- JSON -------------------------------------------------------------------------------


def test_json_of_a_position(show):
    status, out, err = show(CASE_7, "6-2", "--color", "B", "--json")
    assert (status, err) == (0, "")
    assert json.loads(out) == {
        "position": POSITION.id, "board": CASE_7, "rules": "brade", "color": "B",
        "dice": [6, 2], "play": None, "pips": [306, 280], "bar": [3, 0], "off": [0, 0],
        "is_over": False,
    }  # fmt: skip


def test_json_of_a_play(show, tmp_path):
    [play] = POSITION.plays(6, 2)
    path = str(tmp_path / "a.svg")
    out = show(CASE_7, "6-2", "--play", "bar/6 bar/2", "--json", "--output", path)[1]
    found = json.loads(out)
    assert found["play"] == "bar/6! bar/2"
    assert found["after"] == play.position.id
    assert found["outcome"] == "none"
    assert found["file"] == path


# --- Pictures ---------------------------------------------------------------------------


def test_pictures_are_written_and_nothing_is_printed(show, tmp_path):
    for ending in ("svg", "html", "png"):
        path = tmp_path / f"a.{ending}"
        assert show(CASE_7, "6-2", "--output", str(path), "--size", "300") == (0, "", "")
    expected = svg(POSITION, dice="62", size=300)
    assert (tmp_path / "a.svg").read_text("utf-8") == expected + "\n"
    assert expected in (tmp_path / "a.html").read_text("utf-8")
    assert (tmp_path / "a.png").read_bytes().startswith(PNG)


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        (["--dark"], {"dark": True}),
        (["--light"], {"dark": False}),
        (["--caption", "a < b"], {"caption": "a < b"}),
        (["--view", "other", "--numbers", "mover"], {"view": "other", "numbers": "mover"}),
        (["--color", "B"], {"color": "B"}),
        (["--rules", "verquere"], {}),
    ],
)
def test_options_of_pictures(show, tmp_path, arguments, options):
    path = tmp_path / "a.svg"
    assert show(CASE_7, *arguments, "--output", str(path)) == (0, "", "")
    assert path.read_text("utf-8") == svg(POSITION, **options) + "\n"


def test_the_picture_of_a_play(show, tmp_path):
    [play] = POSITION.plays(6, 2)
    path = tmp_path / "a.svg"
    show(CASE_7, "6-2", "--play", "bar/6 bar/2", "--output", str(path), "--color", "B")
    assert path.read_text("utf-8") == svg(play, color="B") + "\n"


def test_the_contact_sheet(show, tmp_path):
    path = tmp_path / "sheet.svg"
    assert show("--contact-sheet", str(path)) == (0, "", "")
    assert len(parse(path.read_text("utf-8")).findall("{*}g/{*}svg")) == 96


# --- Records ----------------------------------------------------------------------------


@pytest.fixture
def record(tmp_path):
    """A file of two games, the second with names and unfinished, and these games."""
    from brade_fast.record import GameRecord, open_writer

    games = [played(5), played(6, 9)]
    path = tmp_path / "games.txt"
    with open_writer(path) as writer:
        writer.write(games[0])
        writer.write(GameRecord(games[1], tags={"White": "Ada", "Black": "Bo & Co"}))
    return str(path), games


def test_a_game_of_a_record_as_it_stands(show, record, tmp_path):
    file, games = record
    for number, game in enumerate(games, 1):
        arguments = ["--record", file, "--game", str(number)]
        assert show(*arguments) == (0, text_board(game) + "\n", "")
        assert show(*arguments, "--view", "black")[1] == text_board(game, view="black") + "\n"
        facts = json.loads(show(*arguments, "--json")[1])
        assert facts["position"] == game.position.id
        assert facts["turns"] == len(game.moves)
        assert facts["color"] == game.turn
        path = tmp_path / "a.svg"
        show(*arguments, "--output", str(path))
        root = parse(path.read_text("utf-8"))
        assert counts(root) == counts(parse(svg(game)))
    assert show("--record", file)[1] == text_board(games[0]) + "\n"


def test_a_turn_of_a_record(show, record, tmp_path):
    file, games = record
    for turn, move in enumerate(games[1].moves, 1):
        arguments = ["--record", file, "--game", "2", "--turn", str(turn)]
        expected = text_board(move.play, color=move.color, view="white")
        assert show(*arguments) == (0, expected + "\n", "")
        facts = json.loads(show(*arguments, "--json")[1])
        assert facts["play"] == str(move.play)
        assert facts["dice"] == list(move.dice)
        assert facts["color"] == move.color
    path = tmp_path / "a.svg"
    show(*arguments, "--output", str(path), "--view", "black")
    [caption] = words(parse(path.read_text("utf-8")), "caption")
    assert str(move.play) in caption


def test_a_whole_game_as_html(show, record, tmp_path):
    file, games = record
    path = tmp_path / "game.html"
    arguments = ["--record", file, "--game", "2", "--output", str(path)]
    assert show(*arguments) == (0, "", "")
    text = path.read_text("utf-8")
    assert text == game_html(games[1], white="Ada", black="Bo & Co")
    assert ("h1", "White (Ada) – Black (Bo & Co)") in Reader(text).texts
    show(*arguments, "--turn", "3")
    assert figures(path.read_text("utf-8")) == []
    assert "<svg" in path.read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--game", "3"), "has no game 3"),
        (("--game", "2", "--turn", "10"), "has 9 turns, no turn 10"),
        (("--game", "0"), "a whole number from 1"),
        (("start",), "POSITION does not go with --record"),
        (("--play", "1/7"), "--play does not go with --record"),
        (("--color", "B"), "--color does not go with --record"),
        (("--output", "a.html", "--dark"), "--dark does not go with a whole game as HTML"),
    ],
)
def test_what_does_not_go_with_a_record(show, record, arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, out, err = show("--record", record[0], *arguments)
    assert (status, out) == (2, "")
    assert message in err


def test_a_missing_record_is_told(show, tmp_path):
    status, out, err = show("--record", str(tmp_path / "none.txt"))
    assert (status, out) == (1, "")
    assert "none.txt" in err


def test_a_broken_or_a_cut_record_is_told(show, tmp_path):
    path = tmp_path / "bad.txt"
    path.write_text("[Rules brade]\nteka W 2 B 5\n1. W 6-2: 1/8\n\n", encoding="utf-8")
    status, out, err = show("--record", str(path))
    assert (status, out) == (2, "")
    assert err.startswith("brade-fast show: ")
    assert f"{path}" in err
    assert len(err.splitlines()) == 1
    path.write_text("[Rules brade]\nteka W 2 B 5\n1. W 6-2: 1/7 1/3\n1. B", encoding="utf-8")
    assert "○ White: 352 pips" in show("--record", str(path))[1]
    status, out, err = show("--record", str(path), "--game", "2")
    assert (status, out) == (2, "")
    assert "has no game 2 (it is cut off: line 4 ('1. B') is not whole)" in err


# --- Wrong use --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("1:15",), "no position id"),
        (("start", "7"), "a throw is two numbers"),
        (("start", "6", "2", "1"), "a throw is one or two words"),
        (("start", "--play", "1/7"), "--play needs the throw"),
        (("start", "6-2", "--play", "1/8"), "1/8"),
        (("--game", "1"), "--game belongs to --record"),
        (("--turn", "1"), "--turn belongs to --record"),
        (("--output", "a.gif"), "ends in .svg, .html or .png, not 'a.gif'"),
        (("--view", "below"), "invalid choice"),
        (("--size", "0", "--output", "a.svg"), "a whole number from 1 to 20000"),
        (("--narrow", "--wide"), "not allowed with"),
        (("--dark", "--light"), "not allowed with"),
        (("start", "--contact-sheet", "a.svg"), "POSITION does not go with --contact-sheet"),
        (("--contact-sheet", "a.gif"), "ends in .svg, .html or .png"),
        (("brade:W:6-2:_38AAAD_fwAAAA", "62"), "DICE stands in the full state already"),
        (("brade:W:6-2:_38AAAD_fwAAAA", "--color", "B"), "--color stands in the full state"),
        (("brade:W:6-2:start",), "position id"),
    ],
)
def test_wrong_use_gives_status_2_and_one_line(show, arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, out, err = show(*arguments)
    assert (status, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert err.startswith("brade-fast show: ")
    assert message in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option", ["--output", "--contact-sheet"])
def test_without_the_library_for_png_the_line_tells_what_to_install(
    show, monkeypatch, tmp_path, option
):
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    status, out, err = show(option, str(tmp_path / "a.png"))
    assert (status, out) == (2, "")
    assert err == (
        "brade-fast show: PNG pictures need resvg-py: pip install 'brade-fast[png]' "
        "(SVG and HTML need nothing)\n"
    )


def test_a_file_that_cannot_be_written_is_told(show, tmp_path):
    status, out, err = show("--output", str(tmp_path / "none" / "a.svg"))
    assert (status, out) == (1, "")
    assert "No such file" in err

"""The command ``play``, as a person uses it: lines into a pipe, lines out of it."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from brade_fast import REVERTIER, Color, Game, How, Outcome, cli
from brade_fast.record import read_games

PLAY = [sys.executable, "-m", "brade_fast", "play"]


def play(lines: str, *arguments: str | Path, **environment: str) -> str:
    """A session that ends well; gives what it said."""
    done = subprocess.run(
        [*PLAY, *map(str, arguments)],
        input=lines,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **environment},
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    return done.stdout


def legal(said: str) -> list[str]:
    """The plays that the command ``plays`` has listed first."""
    listed = re.search(r"> plays\n((?:  #\d+ +.+\n)+)", said)
    assert listed is not None
    return [line.split(maxsplit=1)[1] for line in listed[1].splitlines()]


def games(path: Path) -> list[Game]:
    return [record.game for record in read_games(path)]


def texts(game: Game) -> list[str]:
    return [f"{move.color} {move.dice[0]}-{move.dice[1]} {move.play}" for move in game.moves]


# --- Coming and going -------------------------------------------------------------------


def test_the_end_of_the_input_ends_the_game_without_a_word():
    said = play("", "--seed", "1")
    assert said.startswith("brade: the sensible bot against you. Type ? for help.\nTeka: White ")
    assert "White to play" in said
    assert said.endswith("White> \n")


@pytest.mark.parametrize("line", ["quit", "QUIT now", "\n\n  quit"])
def test_quit_ends_the_game(line):
    assert play(f"{line}\n#1\n", "--seed", "1").count("to play") == 1


def test_a_last_line_without_its_end_is_read():
    assert "list the legal plays" in play("help", "--seed", "1")


def test_a_whole_game_is_played_to_its_end(tmp_path):
    kept = tmp_path / "game.txt"
    said = play("#1\n" * 1000, "random", "--seed", "4", "--save", kept)
    end = re.search(r"(White|Black) wins (\d) points? by .+\.\n", said)
    assert end is not None
    (game,) = games(kept)
    assert game.result.how is How.PLAYED
    assert (game.result.winner, game.result.points) == (end[1][0], int(end[2]))
    for move in game.moves:
        throw = f"throws {move.dice[0]}-{move.dice[1]} and "
        if not move.play.steps:
            assert f"{throw}must pass." in said
        elif move.color is Color.BLACK:
            assert f"Black {throw}plays {move.play}\n" in said


def test_ctrl_c_keeps_the_game(tmp_path):
    kept = tmp_path / "game.txt"
    command = [*PLAY, "--seed", "1", "--save", str(kept)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdin.write(b"#1\n")
        process.stdin.flush()
        said = b""
        while said.count(b"White> ") < 2:
            said += process.stdout.read(1)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
    assert Color.WHITE in [move.color for move in games(kept)[0].moves]


# --- Playing ----------------------------------------------------------------------------


def test_plays_are_typed_as_people_type_them():
    choice = legal(play("plays\n", "--seed", "3"))[-1]
    for typed in (choice, choice.upper(), f"  {choice.replace(' ', ', ')} ", "#2"):
        said = play(f"{typed}\n", "--seed", "3")
        assert said.count("White> ") == 2
        assert "for the legal plays" not in said


@pytest.mark.parametrize("wrong", ["1/24", "25/26", "pass", "fly", "#0", "#99", "#1 #2", "1/", "*"])
def test_what_is_no_legal_play_is_explained_and_asked_again(wrong):
    said = play(f"{wrong}\n#1\n", "--seed", "3")
    first, second, third = said.split("White> ")[1:]
    assert re.fullmatch(rf"{re.escape(wrong)}\n.{{10,}} Type plays .*\n", first)
    assert second.startswith("#1\n")
    assert "Black throws" in second
    assert third == "\n"


def test_the_same_seed_gives_the_same_game_whatever_is_asked():
    lines = "#1\n" * 20
    said = play(lines, "random", "--seed", "9")
    assert play(lines, "random", "--seed", "9") == said
    asked = play(lines.replace("\n", "\nhint\nplays\n"), "random", "--seed", "9")
    thrown = re.findall(r"Black throws .*", said)
    assert len(thrown) > 10
    assert re.findall(r"Black throws .*", asked) == thrown
    assert play(lines, "random", "--seed", "10") != said


def test_a_person_may_be_black():
    said = play("#1\n" * 3, "--seed", "1", "--as", "b")
    assert "White throws" in said
    assert said.count("Black> ") == 4
    # His own points are below.
    assert said.rindex("Black: ") > said.rindex("White: ")


def test_two_people_play_at_one_keyboard():
    said = play("#1\n#1\n#1\n#1\n", "person", "--seed", "1")
    assert said.startswith("brade: two people.")
    assert {"White> ", "Black> "} <= set(re.findall("White> |Black> ", said))
    assert "plays" not in said.replace("Type plays", "")


def test_other_rules_are_played(tmp_path):
    kept = tmp_path / "game.txt"
    rules = "revertier,five_blots=yes"
    said = play("#1\n", "person", "--rules", rules, "--seed", "1", "--save", kept)
    white, black = re.search(r"Teka: White (\d), Black (\d)\.", said).groups()
    assert f"{'White' if white > black else 'Black'} to play {white}-{black}" in said
    (game,) = games(kept)
    assert game.rules == REVERTIER.replace(five_blots=True)
    assert game.moves[0].dice == game.teka


# --- Commands ---------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["?", "help", "HELP"])
def test_help_names_every_command(command):
    said = play(f"{command}\n", "--seed", "1")
    for name in ("plays", "hint", "board", "report", "undo", "resign", "save", "quit", "bar/5*"):
        assert name in said


def test_board_report_and_hint_leave_the_game_alone():
    said = play("board\nreport\nhint\nplays\n", "--seed", "3")
    assert len(set(re.findall(r"White to play .*", said))) == 1
    assert said.count("White to play") == 2
    assert "Throws of the player to move:" in said
    hint = re.search(r"The sensible bot would play (.+)\.\n", said)[1]
    assert hint in legal(said)


def test_undo_takes_back_the_persons_play_and_the_bots():
    said = play("#1\n#1\nundo\nundo\nundo\n", "--seed", "3")
    thrown = re.findall(r"White to play (.*)", said)
    assert thrown[3:] == [thrown[1], thrown[0]]
    assert "There is no play of yours to take back." in said
    first, *_, last = re.findall(r"White: \d+ pips.*\n.*\n", said)
    assert first == last


def test_undo_at_one_keyboard_takes_back_one_play():
    said = play("#1\n#1\nundo\n", "person", "--seed", "1")
    asked = re.findall(r"to play (.*)", said)
    assert len(asked) == 4
    assert asked[3] == asked[1]


@pytest.mark.parametrize(
    ("line", "end"),
    [
        ("resign", "White resigns. Black wins 1 point by bear-off (hemspel)."),
        ("resign john", "White resigns. Black wins 4 points by John (jan)."),
        ("Resign hemspel med munk", "White resigns. Black wins 2 points by bear-off with monk"),
    ],
)
def test_a_game_is_given_up_as_agreed(line, end, tmp_path):
    kept = tmp_path / "game.txt"
    assert end in play(f"{line}\n#1\n", "--seed", "3", "--save", kept)
    assert games(kept)[0].result.how is How.RESIGNED


def test_what_nobody_can_resign_by_is_refused():
    said = play("resign soon\nresign tower\nresign\n", "--seed", "3", "--rules", "revertier")
    assert said.count("Type plays") == 2
    assert "Black wins 1 point" in said


# --- Files ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["game.txt", "game.jsonl", "game.txt.gz", "game.jsonl.gz"])
def test_a_game_is_kept_and_gone_on_with(name, tmp_path):
    kept = tmp_path / name
    said = play("#1\n#1\n", "random", "--as", "B", "--seed", "3", "--save", kept)
    assert said.endswith(f"Saved to {kept}.\n")
    (before,) = games(kept)
    assert not before.is_over
    tags = next(iter(read_games(kept))).tags
    assert (tags["White"], tags["Black"], tags["Seed"]) == ("random", "person", "3")

    play("#1\nresign john\n", "--as", "B", "--load", kept, "--save", kept)
    (after,) = games(kept)
    assert texts(after)[: len(before.moves)] == texts(before)
    assert len(after.moves) > len(before.moves)
    assert (after.result.winner, after.result.outcome) == (Color.WHITE, Outcome.JOHN)
    assert next(iter(read_games(kept))).tags == tags
    assert os.listdir(tmp_path) == [name]


def test_a_loaded_game_can_be_kept_elsewhere(tmp_path):
    kept, other = tmp_path / "game.txt", tmp_path / "other.txt"
    play("#1\n", "--seed", "3", "--save", kept)
    before = kept.read_bytes()
    play("#1\n", "--load", kept, "--save", other)
    assert kept.read_bytes() == before
    assert len(games(other)[0].moves) > len(games(kept)[0].moves)


def test_save_asks_where_and_writes_over_no_strange_file(tmp_path):
    strange, kept = tmp_path / "strange.txt", tmp_path / "kept.txt"
    strange.write_text("mine")
    said = play(f"save\nsave {strange}\nsave {kept}\n#1\nsave\nsave {kept}\n", "--seed", "3")
    assert "say where: save FILE" in said
    assert f"{strange} exists already" in said
    assert said.count(f"Saved to {kept}.") == 4  # the last when the input ends
    assert strange.read_text() == "mine"
    assert len(games(kept)[0].moves) > 1


def test_a_file_that_cannot_be_written_is_told_and_the_game_goes_on(tmp_path):
    said = play(f"save {tmp_path / 'no' / 'where.txt'}\n#1\n", "--seed", "3")
    assert "No such file" in said
    assert "Black throws" in said


def test_a_match_is_played_and_kept(tmp_path):
    kept = tmp_path / "match.txt"
    said = play("resign\n" * 5, "person", "--match", "3", "--seed", "3", "--save", kept)
    assert [f"Game {i} of 3." in said for i in (1, 2, 3, 4)] == [True, True, True, False]
    records = list(read_games(kept))
    assert [record.tags["Game"] for record in records] == ["1", "2", "3"]
    assert [record.tags["Match"] for record in records] == ["3"] * 3
    assert records[0].tags["Score"] == "0-0"
    first, second, third = (record.game for record in records)
    assert second.begins == first.result.winner.other  # bräde: the loser begins
    assert third.begins == second.result.winner.other
    last = re.search(r"The match is over: (White|Black) has won, White (\d), Black (\d)\.", said)
    assert last is not None
    assert int(last[2]) + int(last[3]) == 3


def test_a_match_is_gone_on_with(tmp_path):
    kept = tmp_path / "match.txt"
    play("resign john\n#1\n", "person", "--match", "3", "--seed", "3", "--save", kept)
    first, second = games(kept)
    said = play("resign\n" * 3, "person", "--load", kept, "--save", kept)
    assert [f"Game {i} of 3." in said for i in (1, 2, 3)] == [False, True, True]
    records = list(read_games(kept))
    assert [record.tags["Game"] for record in records] == ["1", "2", "3"]
    assert records[0].game == first
    assert texts(records[1].game) == texts(second)
    assert "The match is over: " in said
    assert {name: records[2].tags[name] for name in ("White", "Black")} == {
        "White": "person",
        "Black": "person",
    }


def test_a_match_ends_when_it_is_decided():
    lines = "resign forced_john\n" * 3
    said = play(lines, "random", "--match", "3", "--seed", "3")
    assert "Black has won, White 0, Black 12." in said
    assert "Game 3" not in said


# --- Wrong use --------------------------------------------------------------------------


@pytest.fixture
def refused(capsys):
    def call(*arguments: str | Path) -> str:
        assert cli.main(["play", *map(str, arguments)]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.count("\n") == 1
        return err

    return call


def test_wrong_use_is_told_in_one_line(refused, tmp_path):
    assert "--as is your color against a bot" in refused("person", "--as", "W")
    assert "odd number" in refused("--match", "4")
    assert "from 1 to 999" in refused("--match", "0")
    assert "invalid choice" in refused("nobody")
    assert "invalid choice" in refused("--as", "red")
    strange = tmp_path / "strange.txt"
    strange.write_text("mine")
    assert "exists already" in refused("--save", strange)


def test_files_that_cannot_be_gone_on_with_are_refused(refused, tmp_path):
    kept, over = tmp_path / "kept.txt", tmp_path / "over.txt"
    play("#1\n", "--seed", "3", "--save", kept)
    play("resign\n", "--seed", "3", "--save", over)
    assert "the last game of" in refused("--load", over)
    empty = tmp_path / "empty.txt"
    empty.write_text("")
    assert "the last game of" in refused("--load", empty)
    assert "--load or --match" in refused("--load", kept, "--match", "3")
    assert "is played by brade" in refused("--load", kept, "--rules", "verquere")
    broken = tmp_path / "broken.txt"
    broken.write_text("nonsense\n")
    assert "broken.txt" in refused("--load", broken)


def test_a_terminal_without_other_letters_gets_ascii():
    said = play("#1\n", "--seed", "3", PYTHONIOENCODING="ascii")
    assert said.isascii()
    assert "+--" in said


@pytest.mark.parametrize(("columns", "frame"), [("80", "┬────┬"), ("40", "┬──┬")])
def test_in_a_terminal_the_board_fits_and_nothing_but_text_comes(columns, frame):
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8", "COLUMNS": columns}
    with subprocess.Popen(
        [*PLAY, "--seed", "3"], stdin=theirs, stdout=theirs, env=environment
    ) as process:
        os.close(theirs)
        os.write(ours, b"#1\n\x04")  # a play and the end of the input
        said = b""
        with contextlib.suppress(OSError):  # that nobody writes any more
            while part := os.read(ours, 65536):
                said += part
        assert process.wait(60) == 0
    os.close(ours)
    text = said.decode()
    assert frame in text
    assert text.count("White> ") == 2
    assert "\x1b" not in text

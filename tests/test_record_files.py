"""Files of games as people have them: open ones, links, other line ends, very long lines."""

from __future__ import annotations

import gzip
import io
import json
import tempfile

import pytest
from test_record import JSON, NAMES, START, played

from brade_fast import (
    REVERTIER,
    VERQUERE,
    Game,
    GameRecord,
    RecordError,
    cli,
    game_json,
    game_text,
    open_writer,
    parse_game,
    read_games,
)
from brade_fast.recordtext import parse_json

LONGEST = 30_000  # bytes of a tag or comment
PAIR = [GameRecord(played(turns=4), {"Game": "1"}), GameRecord(played(seed=2, turns=5))]


def test_tags_may_share_a_line():
    record = parse_game(
        "[Rules brade]\n[White …] [Black …] [Match 3] [Game 1] [Score 0-0] [Seed …]\n"
        "teka W 2 B 5\n1. W 6-2: 1/7 1/3\n1. B 5-5: 1/6/11/16/21\n"
    )
    assert record.tags == {
        "White": "…", "Black": "…", "Match": "3", "Game": "1", "Score": "0-0", "Seed": "…",
    }  # fmt: skip
    assert [str(move.play) for move in record.game.moves] == ["1/7 1/3", "1/6/11/16/21"]
    assert record.game.teka == (2, 5)


@pytest.mark.parametrize("name", NAMES)
def test_an_open_file_is_unpacked_if_its_bytes_are_packed(tmp_path, name):
    """An open file of gzip.open has the packed file's name but gives unpacked bytes."""
    with open_writer(tmp_path / name) as writer:
        for record in PAIR:
            writer.write(record)
    with open(tmp_path / name, "rb") as file:
        assert list(read_games(file)) == PAIR
    if name.endswith(".gz"):
        with gzip.open(tmp_path / name) as file:
            reader = read_games(file)
            assert list(reader) == PAIR
            assert reader.cut is None


def test_a_cut_open_file_is_still_seen_as_packed(tmp_path):
    with open_writer(tmp_path / "games.txt.gz") as writer:
        writer.write(PAIR[0])
    data = (tmp_path / "games.txt.gz").read_bytes()
    for size in (1, 2, 15, len(data) - 1):
        (tmp_path / "games.txt.gz").write_bytes(data[:size])
        with open(tmp_path / "games.txt.gz", "rb") as file:
            reader = read_games(file)
            list(reader)
            assert reader.cut is not None


@pytest.mark.parametrize("strict", [True, False])
def test_a_file_of_text_mode_is_refused_in_a_sentence(tmp_path, strict):
    with tempfile.NamedTemporaryFile("w+") as file:  # no io.TextIOBase, but it gives text
        file.write(START)
        file.seek(0)
        with pytest.raises(TypeError, match="opened in binary mode; this file gives str"):
            list(read_games(file, strict=strict))


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("last", [b"", b"\n"])
def test_marks_ends_of_lines_and_empty_lines_change_nothing(mark, end, last):
    text = "".join(game_text(record) for record in PAIR)
    spread = text.replace("\n1. B", "\n\n\n1. B").rstrip("\n").encode()
    data = mark + spread.replace(b"\n", end) + last.replace(b"\n", end)
    reader = read_games(io.BytesIO(data))
    assert list(reader) == PAIR
    assert (reader.cut, reader.skipped) == (None, 0)


def test_the_mark_of_an_editor_is_no_part_of_one_game_either():
    assert parse_game("\ufeff" + game_text(PAIR[0])) == PAIR[0]


def test_a_second_game_without_tags_is_refused_and_told_what_it_lacks():
    with pytest.raises(RecordError, match="a second game has tags over it") as caught:
        list(read_games(io.BytesIO(b"begins W\n\nbegins B\n")))
    assert (caught.value.line, caught.value.column) == (3, 1)


# --- Long lines: what is written can be read -----------------------------------------------


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("letter", ["x", "\\", "]", "å", "\U0001f3b2"])
def test_the_longest_tag_and_comment_are_read_back(tmp_path, name, letter):
    text = letter * (LONGEST // len(letter.encode()))
    record = GameRecord(played(turns=2), {"T" * 100: text}, {-1: [text], 0: [text], 2: [text]})
    with open_writer(tmp_path / name) as writer:
        writer.write(record)
        writer.write(PAIR[0])
    assert list(read_games(tmp_path / name)) == [record, PAIR[0]]


@pytest.mark.parametrize(
    ("tags", "comments", "words"),
    [
        ({"White": "x" * (LONGEST + 1)}, {}, "the tag White has more than 30,000 bytes"),
        ({"White": "å" * (LONGEST // 2 + 1)}, {}, "the tag White has more than 30,000 bytes"),
        ({}, {0: ["x" * (LONGEST + 1)]}, "a comment has more than 30,000 bytes"),
        ({"T" * 101: "x"}, {}, "a word of at most 100 letters"),
        ({}, {0: [" " + "x" * LONGEST]}, "begins or ends with a space"),
    ],
)
def test_what_is_too_long_is_refused_in_writing_and_reading(tags, comments, words):
    record = GameRecord(Game(begins="W"), tags, comments)
    for write in (game_text, game_json):
        with pytest.raises(ValueError, match=words) as caught:
            write(record)
        assert len(str(caught.value)) < 300
    line = json.dumps({"rules": "brade", "begins": "W", "tags": tags, "comments": comments})
    with pytest.raises(RecordError, match=words):
        parse_json(line)


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (GameRecord("1. W 6-2: 1/9"), "a record's game is a Game, not str"),
        (GameRecord(Game(begins="W"), None), "tags are a dict of texts, not NoneType"),
        (GameRecord(Game(begins="W"), {}, ["x"]), "comments are a dict of lists, not list"),
    ],
)
def test_parts_of_a_record_have_their_types(record, words):
    for write in (game_text, game_json):
        with pytest.raises(TypeError, match=words):
            write(record)


# --- The game's own tags, however they are spelt -------------------------------------------


@pytest.mark.parametrize("name", ["rules", "RULES", "Rules"])
def test_rules_are_never_passed_over_for_a_letter(name):
    record = parse_game(f"[{name} verquere]\nbegins W\n")
    assert (record.game.rules, record.tags) == (VERQUERE, {})
    with pytest.raises(ValueError, match=f"the tag {name} belongs to the game itself"):
        game_text(GameRecord(Game(begins="W"), {name: "verquere"}))
    with pytest.raises(RecordError, match="the tag Rules comes twice") as caught:
        parse_game(f"[Rules brade] [{name} verquere]\nbegins W\n")
    assert (caught.value.line, caught.value.column) == (1, 15)


def test_position_too():
    record = GameRecord(Game(REVERTIER, begins="B", position=played(turns=3).position))
    assert parse_game(game_text(record).replace("[Position", "[position")) == record


@pytest.mark.parametrize("key", ["00", "01", "+1", " 1", "-0", "-2", "١", "1.0"])
def test_two_keys_of_json_never_name_one_place(key):
    data = json.loads(JSON)
    data["comments"] = {"1": ["kept"], key: ["lost"]}
    with pytest.raises(RecordError, match="comments stand at the number of a turn, not at"):
        parse_json(json.dumps(data))


# --- convert onto what is there -----------------------------------------------------------------


def test_convert_writes_behind_a_link_and_over_no_device(tmp_path, capsys):
    source, real, link = (tmp_path / name for name in ("a.txt", "b.data", "c.jsonl"))
    with open_writer(source) as writer:
        writer.write(PAIR[0])
    real.write_text("old")
    link.symlink_to(real)
    assert cli.main(["convert", str(source), str(link), "--force"]) == 0
    assert link.is_symlink()
    assert real.read_text(encoding="utf-8") == game_json(PAIR[0]) + "\n"
    capsys.readouterr()
    (tmp_path / "folder.txt").mkdir()
    before = sorted(tmp_path.iterdir())
    assert cli.main(["convert", str(source), str(tmp_path / "folder.txt"), "--force"]) == 2
    assert "folder.txt is no ordinary file" in capsys.readouterr().err
    assert cli.main(["convert", str(tmp_path / "none.txt"), str(link)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before

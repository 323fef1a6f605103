"""Game records: what is written is read back, what is wrong is refused where it stands."""

from __future__ import annotations

import gzip
import io
import json
import pickle
import re

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from brade_fast import (
    BRADE,
    REVERTIER,
    VERQUERE,
    Game,
    GameRecord,
    How,
    Match,
    Outcome,
    Position,
    RecordError,
    Rules,
    game_json,
    game_text,
    match_of,
    match_records,
    open_writer,
    parse_game,
    positions,
    read_games,
    read_matches,
)
from brade_fast.recordtext import parse_json

MIX = VERQUERE.replace(blocked_entry="wait", nice_games=("staircase", "tower"), monk=True)
NAMES = ("games.txt", "games.jsonl", "games.txt.gz", "games.jsonl.gz")
START = "[Rules brade]\nbegins W\n"


def played(rules: Rules = BRADE, seed: int = 1, turns: int = 10_000, **options: object) -> Game:
    """A random game, to its end or for so many turns."""
    rng = np.random.default_rng(seed)
    game = Game(rules, seed=seed, **options)
    while not game.is_over and len(game.moves) < turns:
        if game.dice is None:
            game.throw()
        plays = game.legal_plays
        game.push(plays[int(rng.integers(len(plays)))])
    return game


def resigned(game: Game, *arguments: object) -> Game:
    game.resign(*arguments)
    return game


def thrown(game: Game) -> Game:
    game.throw()
    return game


SHUT = "13:2 14:2 15:2 16:2 17:2 18:2 24:2 bar"
DEADLOCK = Position.from_text(f"{SHUT} / {SHUT}")


def many_kinds() -> list[GameRecord]:
    records = [
        GameRecord(played(rules, seed, turns))
        for rules in (BRADE, VERQUERE, REVERTIER, MIX)
        for seed, turns in ((1, 10_000), (2, 3), (3, 0))
    ]
    records += [
        GameRecord(played(begins="B", turns=4)),
        GameRecord(played(begins="W", position=positions_of("far_side"))),
        GameRecord(thrown(played(turns=0))),
        GameRecord(thrown(played(VERQUERE, turns=5))),
        GameRecord(resigned(played(turns=2))),
        GameRecord(resigned(played(REVERTIER, turns=0))),
        GameRecord(resigned(thrown(played(turns=3)), "B", Outcome.FORCED_JOHN)),
        GameRecord(resigned(played(position=positions_of("last_men"), begins="W", turns=0), "W")),
    ]
    return records


def positions_of(kind: str) -> Position:
    return Position.from_array(positions.synthetic(kind, np.random.default_rng(5), BRADE))


# --- Laws ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_what_is_written_is_read_and_written_the_same_again(tmp_path, name):
    records = many_kinds()
    records[0].tags = {"White": "Å ] \\ [ ; \" '", "Black": "", "Event": "]", "Seed": "7"}
    records[0].comments = {-1: ["head"], 0: ["", "; two"], 3: ["ä \t [b]"]}
    records[0].comments[len(records[0].game.moves) + 1] = ["after the result"]
    records[1].comments = {-1: ["first", "second"], 3: ["behind the last play"]}
    with open_writer(tmp_path / name) as writer:
        for record in records:
            writer.write(record)
    assert writer.written == len(records)
    reader = read_games(tmp_path / name)
    found = list(reader)
    assert found == records
    assert (reader.cut, reader.skipped) == (None, 0)
    with open_writer(tmp_path / f"again-{name}") as writer:
        for record in found:
            writer.write(record)
    assert (tmp_path / f"again-{name}").read_bytes() == (tmp_path / name).read_bytes()


def test_a_game_can_be_written_bare_and_both_formats_hold_the_same():
    for record in many_kinds():
        text, line = game_text(record.game), game_json(record.game)
        assert (text, line) == (game_text(record), game_json(record))
        assert parse_game(text) == parse_json(line) == record
        assert game_text(parse_json(line)) == text
        assert game_json(parse_game(text)) == line


@given(
    seed=st.integers(0, 2**32),
    rules=st.sampled_from([BRADE, VERQUERE, REVERTIER, MIX, BRADE.replace(five_blots=True)]),
    turns=st.integers(0, 80),
    tags=st.dictionaries(
        st.from_regex("[A-Z][A-Za-z0-9_]{0,8}", fullmatch=True).filter(
            lambda name: name not in ("Rules", "Position")
        ),
        st.text(max_size=20),
        max_size=3,
    ),
    comments=st.dictionaries(st.integers(-1, 5), st.lists(st.text(max_size=20), min_size=1)),
    end=st.sampled_from(["", "resign", "throw"]),
)
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_records_are_read_back_or_refused_in_writing(seed, rules, turns, tags, comments, end):
    game = played(rules, seed, turns)
    if end and not game.is_over and game.dice is None:
        game = resigned(game) if end == "resign" else thrown(game)
    record = GameRecord(game, tags, comments)
    try:
        text = game_text(record)
    except ValueError as error:
        with pytest.raises(ValueError, match=re.escape(str(error))):
            game_json(record)
        return
    assert parse_game(text) == record
    assert parse_json(game_json(record)) == record
    assert game_text(parse_game(text)) == text


def test_the_text_of_a_game_is_fixed():
    game = Game(teka=(2, 5))
    game.throw(6, 2)
    game.push("1/7 1/3")
    game.throw(4, 4)
    game.push("1/5/9 1/5")
    game.throw(3, 1)
    record = GameRecord(game, {"White": "Anna"}, {0: ["hello"]})
    assert game_text(record) == (
        "[Rules brade]\n[White Anna]\nteka W 2 B 5\n; hello\n"
        f"1. W 6-2: 1/7 1/3\n1. B 4-4: {game.moves[1].play}\n2. W 3-1:\n\n"
    )
    game.resign(outcome=Outcome.JOHN)
    assert game_text(game).endswith("\n= B john 4 resigned\n\n")
    assert json.loads(game_json(game))["moves"][0] == ["W", "6-2", "1/7 1/3"]


def test_a_deadlock_is_a_draw():
    assert DEADLOCK.is_deadlock(REVERTIER)
    game = Game(REVERTIER, begins="W", position=DEADLOCK)
    assert game.result.how is How.DEADLOCK
    assert game_text(game) == (
        f"[Rules revertier]\n[Position {DEADLOCK.id}]\nbegins W\n= draw deadlock 0\n\n"
    )
    assert parse_game(game_text(game)).game == parse_json(game_json(game)).game == game


def test_people_write_records_in_many_ways():
    canonical = "[Rules brade]\n[White Anna]\nteka W 2 B 5\n; hi\n1. W 6-2: 1/7 1/3\n\n"
    typed = (
        "\ufeff  [White   Anna ] [Rules bräde]\r\n\r\nTEKA w 2 B 5 ; hi\r\n  1 .  w  62 : 1-3, 1-7 "
    )
    assert game_text(next(read_games(io.BytesIO(typed.encode())))) == canonical
    assert game_text(parse_game("begins b\n1. B 62:1/9")).startswith("[Rules brade]\nbegins B\n1.")
    # Who plays first begins; no result line is needed where the play tells it.
    assert parse_game("1. B 6-2: 1/9").game.begins == "B"


def test_comments_over_tags_belong_to_the_next_game():
    first, second = played(turns=2), played(turns=3, seed=2)
    data = f"{game_text(first)}; next\n{game_text(second)}".encode()
    assert [r.comments for r in read_games(io.BytesIO(data))] == [{}, {-1: ["next"]}]


@pytest.mark.parametrize("packed", [False, True])
def test_open_files_are_read_too(packed):
    record = GameRecord(played(turns=5))
    data = game_json(record).encode() + b"\n"
    file = io.BytesIO(data)
    if packed:
        file = gzip.GzipFile(fileobj=io.BytesIO(gzip.compress(data)))
    assert list(read_games(file, format="jsonl")) == [record]
    assert not file.closed


# --- What no record can hold --------------------------------------------------------------


@pytest.mark.parametrize(
    ("record", "error", "words"),
    [
        (GameRecord(Game(begins="W"), {"White": "a\nb"}), ValueError, "the tag White holds"),
        (GameRecord(Game(begins="W"), {"White": "\u2028b"}), ValueError, "the tag White "),
        (GameRecord(Game(begins="W"), {"White": " b"}), ValueError, "begins or ends with a space"),
        (GameRecord(Game(begins="W"), {"White": "b\udc80"}), ValueError, "the tag White holds"),
        (GameRecord(Game(begins="W"), {"Wh ite": "b"}), ValueError, "a tag's name is a word"),
        (GameRecord(Game(begins="W"), {"Rules": "b"}), ValueError, "belongs to the game itself"),
        (GameRecord(Game(begins="W"), {"White": 3}), TypeError, "tags are texts"),
        (GameRecord(Game(begins="W"), {}, {1: ["x"]}), ValueError, "comments stand at -1 to 0"),
        (GameRecord(Game(begins="W"), {}, {0: []}), ValueError, "at 0 is empty; leave it out"),
        (GameRecord(Game(begins="W"), {}, {0: ["a\rb"]}), ValueError, "a comment holds"),
        (GameRecord(Game(begins="W"), {}, {0: "ab"}), TypeError, "comments are lists"),
        (GameRecord(Game(begins="W"), {}, {0: [3]}), TypeError, "a comment is a text"),
        ("1. W 6-2: 1/9", TypeError, "a GameRecord or a Game, not str"),
    ],
)
def test_what_no_line_can_hold_is_refused_before_anything_is_written(
    tmp_path, record, error, words
):
    for name in NAMES:
        with open_writer(tmp_path / name) as writer, pytest.raises(error, match=words):
            writer.write(record)
        assert (tmp_path / name).read_bytes() == b""


def test_wrong_arguments_are_refused(tmp_path):
    with pytest.raises(TypeError, match="a path or a file opened in binary mode"):
        read_games(io.StringIO(""))
    with pytest.raises(ValueError, match="'text' or 'jsonl', not 'xml'"):
        read_games(io.BytesIO(), format="xml")
    with pytest.raises(TypeError, match="must be a str, not bytes"):
        parse_game(b"")
    with pytest.raises(FileNotFoundError):
        read_games(tmp_path / "none.txt")


# --- Errors name their place -----------------------------------------------------------------

WRONG = [
    (START + "1. W 6-2: 1/7 1/4\n", 3, 11, "1/7 1/4"),
    (START + "1. W 6-2: 1/7 1/4\n", 3, 11, "near are 1/7"),
    (START + "  1. W 6-2: fly\n", 3, 13, "fly"),
    (START + "1. W 7-2: 1/7 1/3\n", 3, 6, "two numbers from 1 to 6"),
    (START + "1. W 6-2: 1/9\n1. W 6-2: 1/9\n", 4, 1, "the turn is 1. B, not 1. W"),
    (START + "1. W 6-2: 1/9\n2. B 6-2: 1/9\n", 4, 1, "the turn is 1. B, not 2. B"),
    (START + "1. W 6-2:\n1. W 6-2: 1/9\n2. B 6-2: 1/9\n", 4, 1, "has not been played"),
    (START + "hello\n", 3, 1, "a line is a tag, 'teka W 2 B 5'"),
    (START + "1. W 6-2 1/9\n", 3, 1, "a turn is written as"),
    (START + "begins W\n", 3, 1, "who begins has been said already"),
    (START + "= W john 4\n", 3, 1, "the game is not over after 0 turns"),
    (START + "= W john 5 resigned\n", 3, 1, "the result is '= W john 4 resigned'"),
    (START + "= W jon 4 resigned\n", 3, 5, "did you mean"),
    (START + "= W john 4 given\n", 3, 12, "may stand 'resigned', not 'given'"),
    (START + "= X john 4\n", 3, 1, "a result is written as"),
    (START + "= W john 4 resigned\n= W john 4 resigned\n", 4, 1, "said already"),
    (START + "= W john 4 resigned\n1. W 6-2: 1/9\n", 4, 1, "after the end of the game"),
    ("[Rules chess]\nbegins W\n", 1, 1, "begin with one of brade"),
    ("[Rules brade] [Rules brade]\nbegins W\n", 1, 15, "the tag Rules comes twice"),
    ("[White A]\n[White B]\nbegins W\n", 2, 1, "the tag White comes twice"),
    ("[Position _38AAAD_fwAAAB]\nbegins W\n", 1, 1, "bits behind the last man are not 0"),
    ("[White A\nbegins W\n", 1, 1, "a tag is written [Name value]"),
    ("[White A] B\nbegins W\n", 1, 11, "a tag is written [Name value]"),
    ("[Whi-te A]\nbegins W\n", 1, 1, "a tag's name is a word"),
    ("[Rules brade]\nteka W 2 B 2\n", 2, 1, "decides nothing"),
    ("[Rules revertier]\nteka W 2 B 5\n1. B 6-2: 1/9\n", 3, 6, "2-5 lies on the table"),
    (START + "; a\x07b\n", 3, 1, "a comment holds"),
]


@pytest.mark.parametrize(("text", "line", "column", "words"), WRONG)
def test_an_error_names_the_place_what_stands_there_and_what_would_be_right(
    tmp_path, text, line, column, words
):
    file = tmp_path / "games.txt"
    before = game_text(played(turns=4))
    file.write_text(before + text, encoding="utf-8")
    reader = read_games(file)
    next(reader)
    with pytest.raises(RecordError, match=re.escape(words)) as caught:
        next(reader)
    error = caught.value
    assert (error.file, error.line, error.column) == (str(file), line + before.count("\n"), column)
    assert str(error).startswith(f"{file}:{error.line}:{column}: ")
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.line, copy.column) == (str(error), error.line, error.column)
    with pytest.raises(RecordError) as caught:
        parse_game(text)
    assert (caught.value.file, caught.value.line) == (None, line)


def test_a_bad_byte_is_named_by_its_place(tmp_path):
    file = tmp_path / "games.txt"
    file.write_bytes(b"[Rules brade]\n[White \xc3\xa4\xff]\nbegins W\n\n")
    with pytest.raises(RecordError, match="byte 0xff is no UTF-8") as caught:
        list(read_games(file))
    assert (caught.value.line, caught.value.column) == (2, 9)


JSON = game_json(played(turns=3, teka=(2, 5)))


def changed(**values: object) -> str:
    return json.dumps({**json.loads(JSON), **values})


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "this is no JSON"),
        ("[1, 2]", "a game is a JSON object, not list"),
        ("[" * 100_000, "this JSON cannot be read"),
        (changed(rules="chess"), "begin with one of"),
        (changed(rules=None), "rules of a game cannot be None"),
        (changed(colour="W"), "a game has no 'colour'; it has rules"),
        ('{"rules": "brade"}', "a game must have 'begins'"),
        (changed(begins="X"), "a color is 'W' or 'B', not 'X'"),
        (changed(teka=[2]), "teka is two dice"),
        (changed(teka=[2, 2]), "decides nothing"),
        (changed(position="abc"), "a position id is 14 characters"),
        (changed(moves=[["W", "6-2"]]), "a move is a list of player, throw and play"),
        (changed(moves=[["B", "6-2", "1/9"]]), "it is the turn of W, not of 'B'"),
        (changed(moves=[["W", "6-2", "1/8"]]), "6-2 does not carry the men so: 1/8; near are 1/7"),
        (changed(throw="7-7"), "two numbers from 1 to 6"),
        (changed(result={"winner": "W"}), "a result must have 'outcome'"),
        (
            changed(result={"winner": "W", "outcome": "john", "points": 4, "how": "played"}),
            "the game is not over after 3 turns",
        ),
        (
            changed(result={"winner": "W", "outcome": "john", "points": 4, "how": "x"}),
            "a game ends played, resigned or deadlock",
        ),
        (changed(tags={"White": 3}), "tags are texts"),
        (changed(tags={"White": "\ud800"}), "the tag White holds"),
        (changed(comments={"x": []}), "comments stand at the number of a turn"),
        (changed(comments={"9": ["x"]}), "comments stand at -1 to 3"),
        (changed(comments={"1": "x"}), "comments are lists"),
    ],
)
def test_errors_in_json_name_the_line(tmp_path, line, words):
    file = tmp_path / "games.jsonl"
    file.write_text(f"{JSON}\n\n{line}\n{JSON}\n")
    with pytest.raises(RecordError, match=re.escape(words)) as caught:
        list(read_games(file))
    assert (caught.value.file, caught.value.line) == (str(file), 3)
    reader = read_games(file, strict=False)
    assert len(list(reader)) == 2
    assert (reader.skipped, reader.cut) == (1, None)
    assert [str(e) for e in reader.errors] == [str(caught.value)]


def test_an_illegal_move_in_json_is_named_by_its_column():
    for number in range(3):
        data = json.loads(JSON)
        data["tags"] = {"White": 'x "moves":[1'}
        data["moves"][number][2] = "3/4"
        for options in ({}, {"separators": (",", ":")}, {"indent": 0}):
            line = json.dumps(data, **options)
            with pytest.raises(RecordError, match=f"move {number + 1}: '3/4'") as caught:
                parse_json(line)
            found = json.JSONDecoder().raw_decode(line, caught.value.column - 1)[0]
            assert found == data["moves"][number]


def test_broken_games_are_skipped_and_counted():
    good = [GameRecord(played(turns=4, seed=seed)) for seed in range(3)]
    bad = START + "1. W 6-2: 1/8\n\n"
    data = "".join([bad, game_text(good[0]), bad, bad, game_text(good[1]), game_text(good[2]), bad])
    reader = read_games(io.BytesIO(data.encode()), strict=False)
    assert list(reader) == good
    assert (reader.skipped, reader.cut) == (4, None)
    second = 3 + 2 + game_text(good[0]).count("\n") + 2
    assert [error.line for error in reader.errors[:2]] == [3, second]


# --- Size --------------------------------------------------------------------------------------


def test_lines_and_games_without_end_are_refused():
    with pytest.raises(RecordError, match="a line is longer than"):
        list(read_games(io.BytesIO(b"x" * 300_000)))
    bomb = gzip.compress(bytes(200_000_000))
    file = io.BytesIO(bomb)
    file.name = "bomb.txt.gz"
    with pytest.raises(RecordError, match="a line is longer than"):
        list(read_games(file))
    with pytest.raises(RecordError, match="a game has more than"):
        list(read_games(io.BytesIO(b";\n" * 300_000)))


@pytest.mark.parametrize(
    "line",
    ["1. W" + " " * 60_000 + "x", "[" + "a" * 60_000, "[a " + "\\" * 60_001, "= " + "W " * 30_000,
     "teka" + " " * 60_000, "1. W " + "6" * 60_000 + ": x", "1. W 6-2: " + "1/7 " * 15_000],
)  # fmt: skip
def test_long_lines_are_refused_in_one_pass_and_one_short_sentence(line):
    with pytest.raises(RecordError) as caught:
        parse_game(START.replace("begins W\n", "") + line)
    assert len(str(caught.value)) < 500


def test_a_file_is_not_held(tmp_path):
    """The reader takes in little more than the games it has given."""
    file = tmp_path / "games.jsonl"
    file.write_text((JSON + "\n") * 5000)
    reader = read_games(file)
    next(reader)
    assert reader.place < file.stat().st_size / 4
    reader.close()


# --- Matches -----------------------------------------------------------------------------------


def a_match(games: int = 5) -> Match:
    match = Match(games, white="Anna", black="Bo", play_out=True, seed=3)
    while not match.is_over:
        game = match.next_game()
        game.resign(outcome=Outcome.BEAR_OFF)
    return match


def test_a_match_is_written_and_read(tmp_path):
    match = a_match()
    with open_writer(tmp_path / "match.txt") as writer:
        for record in match_records(match):
            writer.write(record)
    text = (tmp_path / "match.txt").read_text()
    assert "[White Anna]\n[Black Bo]\n[Match 5]\n[Game 2]\n[Score 0-1]" in text or (
        "[White Anna]\n[Black Bo]\n[Match 5]\n[Game 2]\n[Score 1-0]" in text
    )
    again = match_of(read_games(tmp_path / "match.txt"))
    assert (again.score, again.started) == (match.score, match.started)
    assert (again.white, again.black, again.games) == ("Anna", "Bo", 5)


@pytest.mark.parametrize("name", NAMES)
def test_matches_are_read_one_by_one(tmp_path, name):
    matches = [a_match(3), a_match(1), a_match(5)]
    matches.append(Match(3, VERQUERE, white="Anna"))
    matches[-1].next_game().throw()
    with open_writer(tmp_path / name) as writer:
        for match in matches:
            for record in match_records(match):
                writer.write(record)
    found = list(read_matches(tmp_path / name))
    assert [(m.games, m.white, m.score, m.started) for m in found] == [
        (m.games, m.white, m.score, m.started) for m in matches
    ]
    with open_writer(tmp_path / name, append=True) as writer:
        writer.write(match_records(matches[0])[2])
    with pytest.raises(
        RecordError, match="game 11 of the file: game 1 of the match goes on"
    ) as bad:
        list(read_matches(tmp_path / name))
    assert bad.value.file == str(tmp_path / name)


def test_what_is_no_match_is_refused():
    records = match_records(a_match())
    with pytest.raises(RecordError, match="a match needs a game"):
        match_of([])
    with pytest.raises(RecordError, match="record 1 of the match is game 1 at 0-0"):
        match_of(records[1:2])
    with pytest.raises(RecordError, match="how many games a match has, not ''"):
        match_of([GameRecord(Game(begins="W"))])
    with pytest.raises(RecordError, match="goes on"):
        match_of([GameRecord(Game(begins="W"), {"Match": "3"})] * 2)


# --- Anything at all ------------------------------------------------------------------------------

SEEDS = [game_text(record).encode() for record in many_kinds()[:9:3]] + [JSON.encode() + b"\n"]


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_broken_records_are_read_or_refused(data):
    text = bytearray(b"".join(data.draw(st.lists(st.sampled_from(SEEDS), min_size=1, max_size=3))))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        size = data.draw(st.sampled_from([0, 1, 1, 2, 30]))
        text[at : at + size] = data.draw(
            st.binary(max_size=3)
            | st.sampled_from([b"\n", b"\n\n", b"[", b"]", b";", b"=", b"W", b"9", b'"', b"null"])
        )
    for format in ("text", "jsonl"):
        reader = read_games(io.BytesIO(bytes(text)), strict=False, format=format)
        for record in reader:
            assert parse_game(game_text(record)) == record
            assert parse_json(game_json(record)) == record


def test_a_game_by_rules_with_a_name_of_their_own_is_read_back_equal():
    # Rule sets are equal by their switches; records keep these alone.
    game = Game(BRADE.replace(monk=False, name="house"), seed=1)
    game.throw()
    game.push(game.legal_plays[0])
    assert parse_game(game_text(game)).game == game
    assert parse_json(game_json(game)).game == game

"""Record files that end anywhere: nothing that was finished is lost, and they can be added to."""

from __future__ import annotations

import errno
import gzip
import os
import random
import signal
import subprocess
import sys
import textwrap

import pytest
from test_record import NAMES, played

from brade_fast import (
    BRADE,
    REVERTIER,
    VERQUERE,
    Game,
    GameRecord,
    RecordError,
    game_json,
    game_text,
    open_writer,
    parse_game,
    read_games,
)


def some_records() -> list[GameRecord]:
    records = [
        GameRecord(played(rules, seed, turns), {"White": "Åsa", "Game": str(i)})
        for i, (rules, seed, turns) in enumerate(
            [(BRADE, 1, 6), (VERQUERE, 2, 10_000), (REVERTIER, 3, 9), (BRADE, 4, 3)]
        )
    ]
    records[2].game.resign()
    records[2].comments = {4: ["hm; ä"], len(records[2].game.moves) + 1: ["the end"]}
    records[3].game.throw(6, 6)
    return records


RECORDS = some_records()
LATER = [GameRecord(played(turns=4, seed=9), {"Game": "later"}), GameRecord(played(seed=8))]


def written(path, records) -> list[int]:
    """Write a file; gives its size after each game."""
    sizes = []
    with open_writer(path) as writer:
        for record in records:
            writer.write(record)
            sizes.append(path.stat().st_size)
    return sizes


def check_cut(path, data: bytes, sizes: list[int], size: int) -> None:
    """A file of `size` bytes of `data` is read as far as it goes, and added to."""
    path.write_bytes(data[:size])
    finished = sum(end <= size for end in sizes)
    at_end = size in (0, *sizes)
    reader = read_games(path)
    found = list(reader)
    assert found[:finished] == RECORDS[:finished]
    rest = found[finished:]
    assert len(rest) <= 1
    if at_end:
        assert (rest, reader.cut) == ([], None)
    for begun in rest:
        # What is left of the game is a beginning of it.
        whole = RECORDS[finished]
        assert begun.tags == whole.tags
        assert begun.game.moves == whole.game.moves[: len(begun.game.moves)]
    if not rest and not at_end:
        assert reader.cut is not None
    if path.suffix == ".jsonl" and not at_end and size not in [end - 1 for end in sizes]:
        assert rest == []

    with open_writer(path, append=True) as writer:
        for record in LATER:
            writer.write(record)
    reader = read_games(path)
    again = list(reader)
    assert reader.cut is None
    assert again[:finished] == RECORDS[:finished]
    assert again[-2:] == LATER
    assert [record.game for record in again[finished:-2]] in (
        [],
        [record.game for record in rest],
    )
    if path.suffix != ".gz":
        # Of a game whose end is missing adding keeps what reading does.
        assert len(again) == len(found) + len(LATER)


@pytest.fixture(scope="module", params=NAMES)
def file(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("cut") / request.param
    sizes = written(path, RECORDS)
    return path, path.read_bytes(), sizes


def test_a_file_cut_anywhere_keeps_its_finished_games(file):
    path, data, sizes = file
    edges = {end + shift for end in (0, *sizes) for shift in (-2, -1, 0, 1, 2)}
    places = {size for size in edges if 0 <= size <= len(data)}
    places |= set(random.Random(7).sample(range(len(data)), 40))
    for size in sorted(places):
        check_cut(path, data, sizes, size)


@pytest.mark.long
def test_a_file_cut_at_1000_places_keeps_its_finished_games(file):
    path, data, sizes = file
    rng = random.Random(11)
    for _ in range(1000):
        check_cut(path, data, sizes, rng.randrange(len(data) + 1))


def test_tags_and_comments_without_a_game_do_not_go_to_the_next_one(tmp_path):
    path = tmp_path / "games.txt"
    first, second, third = (
        GameRecord(played(seed=seed, turns=4), {"White": str(seed)}) for seed in (1, 2, 3)
    )
    second.comments = {-1: ["over the tags"]}
    data, text = game_text(first).encode(), game_text(second).encode()
    head = text.index(b"begins") if b"begins" in text else text.index(b"teka")
    for size in range(text.index(b"[Rules") + 1, head):
        path.write_bytes(data + text[:size])
        with open_writer(path, append=True) as writer:
            writer.write(third)
        assert list(read_games(path)) == [first, third]


def test_a_line_that_may_have_been_longer_is_left_out(tmp_path):
    path = tmp_path / "games.txt"
    start = "[Rules brade]\nbegins W\n1. W 6-2: 1/9\n"
    path.write_text(start + "1. B 3-1: 1/4 1/2\n2. W 1-1: 1/")
    reader = read_games(path)
    (record,) = reader
    assert len(record.game.moves) == 2
    assert reader.cut == "line 5 ('2. W 1-1: 1/')"
    # These are whole, though their line has no end.
    for last in ("1. B 31: 1-4, 1-2", "1. B 3-1:", "= W john 4 resigned", "; so far"):
        path.write_text(start + last)
        reader = read_games(path)
        assert [*reader] == [parse_game(start + last)]
        assert reader.cut is None


def test_adding_goes_on_behind_files_of_other_hands(tmp_path):
    path = tmp_path / "games.txt"
    for text, kept in (("", 0), ("\n\n", 0), ("begins W\n1. W 62: 1-9", 1), ("begins B\r\n", 1)):
        path.write_bytes(text.encode())
        with open_writer(path, append=True) as writer:
            writer.write(LATER[0])
        found = list(read_games(path))
        assert found[kept:] == LATER[:1]
        assert len(found) == kept + 1
    with open_writer(tmp_path / "new.txt", append=True) as writer:
        writer.write(LATER[0])
    assert list(read_games(tmp_path / "new.txt")) == LATER[:1]
    with open_writer(tmp_path / "new.txt") as writer:
        writer.write(LATER[1])
    assert list(read_games(tmp_path / "new.txt")) == LATER[1:]


@pytest.mark.parametrize(("name", "write"), [("a.txt.gz", game_text), ("a.jsonl.gz", game_json)])
def test_nothing_is_dropped_from_a_member_of_many_games(tmp_path, name, write):
    path = tmp_path / name
    text = "".join(write(record).rstrip("\n") + "\n\n" for record in RECORDS)
    if name.startswith("a.jsonl"):
        text = text.replace("\n\n", "\n")
    data = gzip.compress(text.encode())
    path.write_bytes(data[:-20])
    with pytest.raises(RecordError, match="cut off in a part that holds more than one game"):
        open_writer(path, append=True)
    assert path.read_bytes() == data[:-20]
    reader = read_games(path)
    assert list(reader)[:3] == RECORDS[:3]
    assert reader.cut
    path.write_bytes(data)
    with open_writer(path, append=True) as writer:
        writer.write(LATER[0])
    reader = read_games(path)
    assert list(reader) == [*RECORDS, LATER[0]]
    assert reader.cut is None


def test_what_is_no_gzip_is_neither_read_nor_added_to(tmp_path):
    path = tmp_path / "games.txt.gz"
    text = game_text(LATER[0]).encode()
    path.write_bytes(text)
    with pytest.raises(RecordError, match="this is no gzip"):
        list(read_games(path, strict=False))
    with pytest.raises(RecordError, match="nothing can be added to it"):
        open_writer(path, append=True)
    assert path.read_bytes() == text


@pytest.mark.parametrize("name", NAMES[:2])
def test_what_is_added_to_a_broken_file_is_whole(tmp_path, name):
    path, rng = tmp_path / name, random.Random(5)
    written(path, RECORDS)
    data = path.read_bytes()
    bits = [b"\n", b"\n\n", b"[", b"]", b";", b"=", b"\xff", b"\r", b"{"]
    bits += [b"[Rules", b"1. W 6-2: 1/9"]
    for _ in range(120):
        text = bytearray(data)
        for _ in range(rng.randint(1, 3)):
            # Mostly near the end, where it matters.
            at = max(0, len(text) - int(rng.expovariate(1 / 60)))
            text[at : at + rng.choice((0, 0, 1, 5, 200))] = rng.choice(bits)
        path.write_bytes(text)
        before = list(read_games(path, strict=False))
        with open_writer(path, append=True) as writer:
            writer.write(LATER[0])
        after = list(read_games(path, strict=False))
        assert after[-1].game == LATER[0].game
        assert after[-1].tags == LATER[0].tags
        assert [r.game for r in after[:-1]] == [r.game for r in before]


PROGRAM = """
    import sys
    import numpy as np
    from brade_fast import Game, GameRecord, open_writer

    with open_writer(sys.argv[1], append=True) as writer:
        for number in range(1_000_000):
            game = Game(seed=number)
            while not game.is_over and len(game.moves) < 30:
                game.throw()
                game.push(game.legal_plays[0])
            writer.write(GameRecord(game, {"Game": str(number)}))
            print(number, flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("name", NAMES)
def test_a_process_that_is_killed_loses_no_game_that_it_has_written(tmp_path, name):
    path = tmp_path / name
    told = 0
    for run in range(3):
        with subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(PROGRAM), str(path)], stdout=subprocess.PIPE
        ) as process:
            for _ in range(20 + 7 * run):
                assert process.stdout.readline()
            process.send_signal(signal.SIGKILL)
            told += 20 + 7 * run + len(process.stdout.read().split())
        found = list(read_games(path))
        # One more may have been written but not told.
        assert told <= len(found) <= told + 1 + run
        assert all(isinstance(record.game, Game) for record in found)
        assert len(found[0].game.moves) == 30


FULL = """
    import resource, sys
    from brade_fast import Game, GameRecord, open_writer

    with open_writer(sys.argv[1]) as writer:
        writer.write(GameRecord(Game(begins="W"), {"Game": "1"}))
        hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        resource.setrlimit(resource.RLIMIT_FSIZE, (150, hard))
        try:
            long = "".join(map(chr, range(200, 500)))
            writer.write(GameRecord(Game(begins="W"), {"Long": long}))
        except OSError as error:
            print(error.errno)
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        writer.write(GameRecord(Game(begins="B"), {"Game": "3"}))
"""


@pytest.mark.skipif(os.name != "posix", reason="limits of POSIX")
@pytest.mark.parametrize("name", NAMES)
def test_of_a_game_that_could_not_be_written_the_file_keeps_nothing(tmp_path, name):
    path = tmp_path / name
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(FULL), str(path)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.stdout, done.stderr) == (f"{errno.EFBIG}\n", "")
    reader = read_games(path)
    assert [record.tags for record in reader] == [{"Game": "1"}, {"Game": "3"}]
    assert reader.cut is None

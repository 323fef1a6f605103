"""The commands about records: what they write, count and refuse."""

from __future__ import annotations

import builtins
import collections
import itertools
import json
import math
import random
import sys

import pytest
from test_record import DEADLOCK, NAMES, SHUT, played

from brade_fast import (
    BRADE,
    REVERTIER,
    VERQUERE,
    Game,
    GameRecord,
    Outcome,
    Position,
    cli,
    game_text,
    open_writer,
    read_games,
)
from brade_fast.commands.records import _p_value

CASE_7 = "1:7 4 14:2 15:2 bar:3 / 1:10 15 17:2 18:2"
BAD = "[Rules brade]\nbegins W\n1. W 6-2: 1/8\n\n"


@pytest.fixture
def run(capsys):
    """Run the command line; gives status, standard output and standard error."""

    def call(*arguments: object) -> tuple[int, str, str]:
        status = cli.main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return status, out, err

    return call


def some_games() -> list[GameRecord]:
    games = [played(rules, seed) for rules in (BRADE, VERQUERE, REVERTIER) for seed in (1, 2)]
    games += [played(turns=7), played(REVERTIER, turns=4, seed=5), Game(begins="B")]
    games[-2].resign(outcome=Outcome.JOHN)
    games.append(Game(REVERTIER, begins="W", position=DEADLOCK))
    return [GameRecord(game, {"White": "Åsa", "Game": str(i)}) for i, game in enumerate(games)]


RECORDS = some_games()


@pytest.fixture
def files(tmp_path):
    """The same games in each format."""
    for name in NAMES:
        with open_writer(tmp_path / name) as writer:
            for record in RECORDS:
                writer.write(record)
    return tmp_path


# --- convert ------------------------------------------------------------------------


@pytest.mark.parametrize(("source", "target"), [*itertools.permutations(NAMES, 2)])
def test_each_format_is_turned_into_each_other(run, files, source, target):
    made = files / f"made-{target}"
    status, out, err = run("convert", files / source, made)
    assert (status, out, err) == (0, f"{len(RECORDS)} games written to {made}\n", "")
    assert made.read_bytes() == (files / target).read_bytes()


def test_convert_writes_over_nothing_unless_told_to(run, files):
    source, target = files / "games.txt", files / "games.jsonl"
    before = target.read_bytes()
    status, out, err = run("convert", source, target)
    assert (status, out) == (2, "")
    assert f"{target} is there already; --force writes over it" in err
    status, _, err = run("convert", source, source, "--force")
    assert status == 2
    assert "is the file that is read" in err
    target.write_bytes(b"old")
    assert run("convert", source, target, "--force")[0] == 0
    assert target.read_bytes() == before


def test_convert_leaves_no_half_of_a_file(run, files):
    source, target = files / "bad.txt", files / "made.jsonl"
    source.write_text(game_text(RECORDS[0]) + BAD + game_text(RECORDS[1]), encoding="utf-8")
    before = sorted(files.iterdir())
    status, out, err = run("convert", source, target)
    line = game_text(RECORDS[0]).count("\n") + 3
    assert (status, out) == (2, "")
    assert f"{source}:{line}:11: " in err
    assert err.count("\n") == 1
    assert sorted(files.iterdir()) == before
    status, out, err = run("convert", source, target, "--skip", "--json")
    assert status == 0
    assert json.loads(out) == {"games": 2, "skipped": 1, "cut": None}
    assert err.startswith(f"{source}: 1 game left out; the first: {source}:{line}:11: ")
    assert list(read_games(target)) == RECORDS[:2]


def test_convert_says_what_a_cut_file_lacks(run, files):
    source = files / "games.jsonl"
    source.write_bytes(source.read_bytes()[:-9])
    status, out, err = run("convert", source, files / "made.txt", "--json")
    assert (status, json.loads(out)["games"]) == (0, len(RECORDS) - 1)
    assert json.loads(out)["cut"].startswith(f"line {len(RECORDS)} ('{{")
    assert err.startswith(f"{source}: cut off; line {len(RECORDS)} (")


@pytest.mark.parametrize(
    ("text", "board", "state"),
    [
        ("start", "1:15 / 1:15", "brade:W:-:_38AAAD_fwAAAA"),
        ("_38AAAD_fwAAAA", "1:15 / 1:15", "brade:W:-:_38AAAD_fwAAAA"),
        (CASE_7, CASE_7, "brade:W:-:fwRgA3D_AwDZAA"),
        (f"{SHUT} / {SHUT}", DEADLOCK, None),
        ("brade:B:62:_38AAAD_fwAAAA", "1:15 / 1:15", "brade:B:6-2:_38AAAD_fwAAAA"),
        (f"verquere : b : - : {CASE_7}", CASE_7, "verquere:B:-:fwRgA3D_AwDZAA"),
        (
            "verquere,points=1/2/1/4/6:W:-:_38AAAD_fwAAAA",
            "1:15 / 1:15",
            "verquere,points=1/2/1/4/6:W:-:_38AAAD_fwAAAA",
        ),
    ],
)
def test_convert_tells_a_position_in_all_forms(run, text, board, state):
    position = board if isinstance(board, Position) else Position.from_text(board)
    status, out, err = run("convert", text, "--json")
    facts = json.loads(out)
    assert (status, err) == (0, "")
    assert facts["id"] == position.id
    assert facts["array"] == position.array().tolist()
    assert Position.from_text(facts["board"]) == position
    assert state in (None, facts["state"])
    for form in ("id", "board", "state"):
        assert json.loads(run("convert", facts[form], "--json")[1])["id"] == position.id
    rows = [line.split(maxsplit=1) for line in run("convert", text)[1].splitlines()]
    assert rows == [[form, facts[form]] for form in ("id", "board", "state")]


# --- check ------------------------------------------------------------------------


def test_check_finds_whole_files_legal(run, files):
    status, out, err = run("check", *(files / name for name in NAMES))
    turns = sum(len(record.game.moves) for record in RECORDS)
    assert (status, err) == (0, "")
    assert out.splitlines() == [
        f"{files / name}: {len(RECORDS)} legal games, {turns} turns; 2 of them unfinished"
        for name in NAMES
    ]


def test_check_names_each_broken_game(run, files):
    path = files / "bad.txt"
    path.write_text(BAD * 2 + game_text(RECORDS[0]) + BAD, encoding="utf-8")
    status, out, err = run("check", files / "games.txt", path)
    assert (status, err) == (1, "")
    lines = out.splitlines()
    last = 8 + game_text(RECORDS[0]).count("\n") + 3
    for line, number in zip(lines[1:4], (3, 7, last), strict=True):
        assert line.startswith(f"{path}:{number}:11: '1/8' with 6-2: ")
    turns = len(RECORDS[0].game.moves)
    assert lines[4:] == [f"{path}: 1 legal game, {turns} turns; 3 broken games"]
    status, out, err = run("check", path, "--json")
    result = json.loads(out)
    assert (status, err, result["ok"]) == (1, "", False)
    (facts,) = result["files"]
    assert facts["errors"] == lines[1:4]
    assert (facts["games"], facts["broken"], facts["cut"]) == (1, 3, None)


def test_check_tells_the_first_hundred_errors(run, tmp_path):
    path = tmp_path / "bad.txt"
    path.write_text(BAD * 103)
    lines = run("check", path)[1].splitlines()
    assert len(lines) == 102
    assert lines[100:] == ["... and 3 broken games more",
                           f"{path}: 0 legal games, 0 turns; 103 broken games"]  # fmt: skip


def test_a_file_that_was_cut_off_or_is_none_fails_the_check(run, files):
    path = files / "games.txt.gz"
    path.write_bytes(path.read_bytes()[:-3])
    status, out, err = run("check", path)
    assert (status, err) == (1, "")
    assert out.endswith("cut off at its end: the last part of the gzip file is not whole\n")
    path.write_bytes(b"no gzip at all")
    status, out, err = run("check", path)
    assert (status, err) == (1, "")
    assert out.startswith(f"{path}: this is no gzip")
    # Whether an illegal play at the end is only the beginning of a legal one cannot be known.
    path = files / "games.txt"
    path.write_text("begins W\n1. W 6-2: 1/8")
    assert run("check", path)[0] == 1


# --- stats ------------------------------------------------------------------------


def test_stats_count_what_is_in_the_file(run, files):
    status, out, err = run("stats", files / "games.txt", "--json")
    facts = json.loads(out)
    assert (status, err) == (0, "")
    ended = [record.game for record in RECORDS if record.game.is_over]
    lengths = sorted(len(game.moves) for game in ended)
    assert facts["games"] == len(ended) == 8
    assert (facts["unfinished"], facts["resigned"]) == (2, 1)
    assert facts["turns"] == {
        "mean": sum(lengths) / 8,
        "median": (lengths[3] + lengths[4]) / 2,
        "shortest": 0,
        "longest": lengths[-1],
    }
    won = collections.Counter(
        (str(g.result.winner or "draw"), g.result.outcome.name.lower()) for g in ended
    )
    assert {
        (side, name): n for side, counts in facts["outcomes"].items() for name, n in counts.items()
    } == won
    assert facts["outcomes"]["draw"] == {"deadlock": 1}
    for color in "WB":
        points = sum(g.result.points for g in ended if g.result.winner == color)
        assert facts["points"][color] == points
    dice = collections.Counter(
        "{}-{}".format(*sorted(move.dice, reverse=True))
        for record in RECORDS
        for move in record.game.moves[record.game.rules == REVERTIER :]
    )
    assert {throw: n for throw, n in facts["throws"].items() if n} == dice
    assert len(facts["throws"]) == 21
    total = dice.total()
    expected = {t: total / (36 if t[0] == t[2] else 18) for t in facts["throws"]}
    assert facts["chi_square"] == pytest.approx(
        sum((dice[t] - e) ** 2 / e for t, e in expected.items())
    )
    assert facts["p_value"] == _p_value(facts["chi_square"])


def test_stats_are_tables(run, files):
    status, out, err = run("stats", files / "games.jsonl.gz")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "8 finished games, 2 unfinished, 1 resigned"
    assert any(line.startswith("John (jan)") for line in lines)
    assert any(line.split() == ["deadlock", "(dödläge)", "0", "=", "1", "12.5%"] for line in lines)
    facts = json.loads(run("stats", files / "games.jsonl.gz", "--json")[1])
    start = next(i for i, line in enumerate(lines) if line.split() == list("123456"))
    for high in range(1, 7):
        cells = [str(facts["throws"][f"{high}-{low}"]) for low in range(1, high + 1)]
        assert lines[start + high].split() == [str(high), *cells]
    assert lines[-1].startswith(f"chi-square of the 21 throws {facts['chi_square']:.1f} ")


def test_the_p_value_is_that_of_fair_dice():
    # Quantiles of the chi-square distribution with 20 degrees of freedom, from tables.
    for chi_square, p in ((10.851, 0.95), (19.337, 0.5), (31.410, 0.05), (45.315, 0.001)):
        assert _p_value(chi_square) == pytest.approx(p, rel=2e-3)
    assert _p_value(0) == 1
    assert _p_value(1e6) == 0
    # How often fair throws differ so much: a little above 5 %, give or take 3 standard errors.
    rng, trials, throws = random.Random(3), 400, 1000
    often = 0
    for _ in range(trials):
        found = collections.Counter(
            tuple(sorted(pair)) for pair in (rng.choices(range(6), k=2) for _ in range(throws))
        )
        chi_square = sum(
            (found[a, b] - e) ** 2 / e
            for a, b in itertools.combinations_with_replacement(range(6), 2)
            for e in [throws / (36 if a == b else 18)]
        )
        often += _p_value(chi_square) < 0.05
    assert abs(often / trials - 0.05) < 3 * math.sqrt(0.05 * 0.95 / trials)


def test_stats_of_nothing(run, tmp_path):
    path = tmp_path / "none.txt"
    path.touch()
    assert run("stats", path) == (0, "0 finished games\n", "")
    facts = json.loads(run("stats", path, "--json")[1])
    assert (facts["games"], facts["turns"], facts["p_value"]) == (0, None, None)


def test_loaded_dice_are_seen(run, tmp_path):
    path = tmp_path / "sixes.txt"
    with open_writer(path) as writer:
        for _ in range(40):
            game = Game(begins="W")
            for _ in range(6):
                game.throw(6, 6)
                game.push(game.legal_plays[0])
            writer.write(game)
    assert run("stats", path)[1].endswith("p < 0.001\n")


def test_stats_leave_out_broken_games_when_told_to(run, files):
    path = files / "games.txt"
    path.write_text(BAD + path.read_text(encoding="utf-8"), encoding="utf-8")
    status, out, err = run("stats", path)
    assert (status, out) == (2, "")
    assert f"{path}:3:11: " in err
    status, out, err = run("stats", path, "--skip", "--json")
    assert (status, json.loads(out)["skipped"]) == (0, 1)
    assert "1 game left out" in err


@pytest.mark.parametrize("end", [".svg", ".png", ".pdf"])
def test_stats_are_drawn(run, files, end):
    pytest.importorskip("matplotlib")
    plot = files / f"plot{end}"
    assert run("stats", files / "games.txt", "--plot", plot)[0] == 0
    begins = {".svg": b"<?xml", ".png": b"\x89PNG", ".pdf": b"%PDF"}[end]
    assert plot.read_bytes().startswith(begins)


def test_without_matplotlib_stats_say_how_to_get_it_before_they_read(run, files, monkeypatch):
    real = builtins.__import__

    def fail(name: str, *arguments: object, **options: object) -> object:
        if name.split(".")[0] == "matplotlib":
            raise ImportError(name)
        return real(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", fail)
    status, out, err = run("stats", files / "none.txt", "--plot", files / "plot.svg")
    assert (status, out) == (2, "")
    assert "pip install 'brade-fast[plots]'" in err


# --- Wrong use ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("convert",), 2, "required: FILE|POSITION"),
        (("convert", "none.txt"), 2, "there is no file none.txt"),
        (("convert", "hello"), 2, "a position id is 14 characters"),
        (("convert", "x:y:z:a"), 2, "is no position id"),
        (("convert", "chess:W:-:_38AAAD_fwAAAA"), 2, "rules begin with one of"),
        (("convert", "none.txt", "made.txt"), 1, "No such file"),
        (("check",), 2, "required: FILE"),
        (("check", "none.txt"), 1, "No such file"),
        (("stats",), 2, "required: FILE"),
        (("stats", "none.txt"), 1, "No such file"),
        (("stats", "a", "b"), 2, "there is no place for 'b'"),
    ],
)
def test_wrong_use_is_one_line(run, tmp_path, monkeypatch, arguments, status, words):
    # Standard output is the test runner's here.
    monkeypatch.setattr(cli, "_drop_stdout", lambda: None)
    monkeypatch.chdir(tmp_path)
    found, out, err = run(*arguments)
    assert (found, out) == (status, "")
    assert words in err
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_file_without_a_target_is_not_taken_for_a_position(run, files):
    status, _, err = run("convert", files / "games.txt")
    assert status == 2
    assert "say which file" in err


def test_progress_counts_the_bytes_of_the_file(run, files, monkeypatch):
    tqdm = pytest.importorskip("tqdm")
    bars = []

    class Bar(tqdm.tqdm):
        def __init__(self, **options: object) -> None:
            super().__init__(**{**options, "delay": 0})
            bars.append(self)

    monkeypatch.setattr(tqdm, "tqdm", Bar)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert run("check", files / "games.txt")[0] == 0
    assert run("check", files / "games.txt", "--no-progress")[0] == 0
    (bar,) = bars
    assert bar.total == bar.n == (files / "games.txt").stat().st_size

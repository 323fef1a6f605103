"""The command line: what it prints, and that wrong use gives status 2 and one right line."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
import types

import numpy as np
import pytest

import brade_fast
from brade_fast import BRADE, VERQUERE, Outcome, Position, Rules, cli, perft, playouts
from brade_fast.notation import parse_rules, rules_text

START = "_38AAAD_fwAAAA"
CASE_7 = "1:7 4 14:2 15:2 bar:3 / 1:10 15 17:2 18:2"
OVER = "off:15 / 1:15"
COMMANDS = [
    "bench",
    "perft",
    "plays",
    "playouts",
    "verify",
    "info",
    "show",
    "play",
    "convert",
    "check",
    "stats",
]


@pytest.fixture
def run(capsys):
    """Run the command line; gives status, standard output and standard error."""

    def call(*arguments: str) -> tuple[int, str, str]:
        status = cli.main(arguments)
        out, err = capsys.readouterr()
        return status, out, err

    return call


def spawn(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "brade_fast", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        **options,
    )


# --- plays -----------------------------------------------------------------------------


@pytest.mark.parametrize("position", ["start", START, "1:15 / 1:15"])
@pytest.mark.parametrize("dice", [("62",), ("6-2",), ("6 2",), ("6", "2")])
def test_plays_are_listed(run, position, dice):
    status, out, err = run("plays", position, *dice)
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == f"{START}  1:15 / 1:15"
    assert lines[1] == "6-2, brade: 2 plays"
    assert [line.split("  ")[0] for line in lines[4:]] == ["1/7 1/3", "1/7/9"]
    ids = {str(play): play.position.id for play in Position.start().plays(6, 2)}
    for line in lines[4:]:
        assert ids[line.split("  ")[0]] in line


def test_plays_as_json(run):
    status, out, _ = run("plays", CASE_7, "53", "--json")
    assert status == 0
    result = json.loads(out)
    play = Position.from_text(CASE_7).plays(5, 3)[0]
    assert result == {
        "position": Position.from_text(CASE_7).id,
        "board": CASE_7,
        "dice": [5, 3],
        "rules": "brade",
        "plays": [
            {
                "play": "bar/5! bar/3*",
                "steps": [
                    {"source": 0, "target": 5, "die": 5, "hit": 2},
                    {"source": 0, "target": 3, "die": 3, "hit": 1},
                ],
                "position": play.position.id,
                "board": str(play.position),
                "outcome": "none",
                "points": 0,
            }
        ],
    }


def test_a_play_that_wins_carries_outcome_and_points(run):
    status, out, _ = run("plays", "19 / 1:14 9", "62")
    assert status == 0
    monk, plain = (
        next(x for x in out.splitlines() if x.startswith(t)) for t in ("19/21", "19/off")
    )
    assert "19/21*/off = bear_off_monk" in monk
    assert "bear-off with monk (hemspel med munk)" in monk
    assert monk.endswith(" 2")
    assert "bear-off (hemspel)" in plain
    assert plain.endswith(" 1")
    plays = json.loads(run("plays", "19 / 1:14 9", "62", "--json")[1])["plays"]
    assert {(p["outcome"], p["points"]) for p in plays} == {("bear_off_monk", 2), ("bear_off", 1)}


def test_a_pass_is_listed(run):
    status, out, _ = run("plays", "20 21:2 23:2 / 1:13 12:2", "44")
    assert status == 0
    assert "1 play\n" in out
    assert "\npass  " in out
    result = json.loads(run("plays", "20 21:2 23:2 / 1:13 12:2", "44", "--json")[1])
    assert [(play["play"], play["steps"]) for play in result["plays"]] == [("pass", [])]


def test_rules_decide_about_plays(run):
    forced = json.loads(run("plays", CASE_7, "65", "--json")[1])
    waits = json.loads(run("plays", CASE_7, "65", "--json", "--rules", "Révertier")[1])
    assert [p["play"] for p in forced["plays"]] == ["bar/6!"]
    assert [p["play"] for p in waits["plays"]] == ["pass"]
    assert waits["rules"] == "revertier"


# --- perft -----------------------------------------------------------------------------


@pytest.mark.parametrize(("depth", "nodes"), [(0, 1), (1, 39), (2, 1526), (3, 182_138)])
def test_perft_counts(run, depth, nodes):
    status, out, err = run("perft", str(depth))
    assert (status, err) == (0, "")
    assert out.startswith(f"perft {depth}: {nodes:,} plays in ")
    result = json.loads(run("perft", str(depth), "start", "--json", "--threads", "2")[1])
    assert result["nodes"] == nodes
    assert result["depth"] == depth
    assert result["position"] == START
    assert result["seconds"] >= 0
    assert "divide" not in result


@pytest.mark.parametrize("rules", ["brade", "verquere", "verquere,five_blots=yes", "revertier"])
def test_perft_by_throw_sums_to_the_core_s_count(run, rules):
    position = "1:3 2 5 16:5 22:5 / 1:5 5 15:4 20:4 bar:1"
    expected = perft(Position.from_text(position), 2, parse_rules(rules))
    result = json.loads(run("perft", "2", position, "--divide", "--json", "--rules", rules)[1])
    assert result["nodes"] == expected == sum(result["divide"].values())
    assert list(result["divide"])[:3] == ["1-1", "2-1", "2-2"]
    assert len(result["divide"]) == 21
    assert result["rules"] == rules


def test_perft_by_throw_is_a_table(run):
    status, out, _ = run("perft", "1", "--divide")
    lines = out.splitlines()
    assert status == 0
    assert len(lines) == 22
    counts = {line.split()[0]: int(line.split()[1]) for line in lines[:21]}
    assert {throw for throw, n in counts.items() if n == 1} == {"3-3", "4-4", "6-6"}
    assert set(counts.values()) == {1, 2}


def test_a_win_is_a_leaf_of_perft(run):
    # One man on 24: every throw bears it off.
    result = json.loads(run("perft", "3", "24 / 1:15", "--json")[1])
    assert result["nodes"] == 21


# --- playouts --------------------------------------------------------------------------


def test_playouts_are_those_of_the_core(run):
    arguments = ("playouts", "start", CASE_7, "--trials", "300", "--seed", "7", "--json")
    status, out, err = run(*arguments)
    assert (status, err) == (0, "")
    result = json.loads(out)
    assert (result["seed"], result["trials"], result["rules"]) == (7, 300, "brade")
    for report, text in zip(result["positions"], ("1:15 / 1:15", CASE_7), strict=True):
        position = Position.from_text(text)
        found = playouts(position, 300, 7)
        games = found.outcomes[0]
        assert report["board"] == text
        for row, side in enumerate(("mover", "other")):
            for outcome in list(Outcome)[1:13]:
                assert report[side][outcome.name.lower()] == games[row, outcome]
        values = [
            (1 - 2 * row) * BRADE.value(outcome)
            for row in (0, 1)
            for outcome in Outcome
            for _ in range(games[row, outcome])
        ]
        mean = sum(values) / 300
        error = (sum((v - mean) ** 2 for v in values) / 299 / 300) ** 0.5
        assert len(values) == 300
        assert report["equity"] == pytest.approx(mean)
        assert report["standard_error"] == pytest.approx(error)
        assert report["mean_turns"] == pytest.approx(found.turns[0] / 300)
        assert report["mover_wins"] + report["other_wins"] + report["deadlock"] / 300 == (
            pytest.approx(1)
        )
    assert json.loads(run(*arguments, "--threads", "2")[1]) == result


def test_playouts_are_a_table(run):
    status, out, err = run("playouts", "24:2 / 1:15", "--trials", "50", "--seed", "1")
    assert (status, err) == (0, "")
    assert "50 random games, seed 1, brade" in out
    row = next(line for line in out.splitlines() if line.startswith("bear-off (hemspel)"))
    # Any throw bears two men off.
    assert row.split()[2:] == ["1", "50", "100.00%", "0", "0.00%"]
    assert "points for the mover, mean  +1.0000 ± 0.0000 (standard error)" in out
    assert "turns, mean  1.00" in out
    assert "deadlock" not in out


def test_a_single_trial_has_no_standard_error(run):
    assert "standard error" not in run("playouts", "--trials", "1", "--seed", "1")[1]
    report = json.loads(run("playouts", "--trials", "1", "--seed", "1", "--json")[1])
    assert report["positions"][0]["standard_error"] is None


def test_playouts_without_a_seed_tell_which_they_took(run):
    first = json.loads(run("playouts", "--trials", "20", "--json")[1])
    again = run("playouts", "--trials", "20", "--json", "--seed", str(first["seed"]))[1]
    assert json.loads(again) == first


# --- verify, bench, info ---------------------------------------------------------------


class FakeReport:
    def __init__(self, ok: bool) -> None:
        self.ok = ok

    def as_dict(self) -> dict[str, bool]:
        return {"ok": self.ok}

    def text(self) -> str:
        return "all the same" if self.ok else "first difference: ..."


@pytest.fixture
def replace_module(monkeypatch):
    def replace(name: str, **functions: object) -> None:
        module = types.SimpleNamespace(**functions)
        monkeypatch.setitem(sys.modules, f"brade_fast.{name}", module)
        monkeypatch.setattr(brade_fast, name, module, raising=False)

    return replace


@pytest.mark.parametrize("ok", [True, False])
def test_verify_hands_on_its_arguments_and_its_verdict(run, replace_module, ok):
    calls = []

    def fake(pairs: int, seed: int, jobs: int, **options: object) -> FakeReport:
        calls.append((pairs, seed, jobs, options))
        return FakeReport(ok)

    replace_module("verify", run=fake)
    status, out, err = run("verify", "--pairs", "70", "--seed", "3", "--jobs", "2")
    assert (status, err) == (int(not ok), "")
    assert out == FakeReport(ok).text() + "\n"
    status, out, _ = run("verify", "--json", "--rules", "verquere")
    assert (status, json.loads(out)) == (int(not ok), {"ok": ok})
    assert calls[0] == (70, 3, 2, {"rules": None, "progress": False})
    assert calls[1][3]["rules"] == VERQUERE


def test_verify_finds_no_difference(run):
    status, out, err = run("verify", "--pairs", "300", "--seed", "5", "--json")
    assert (status, err) == (0, "")
    assert isinstance(json.loads(out), dict)
    status, out, err = run("verify", "--pairs", "100", "--rules", "revertier")
    assert (status, err) == (0, "")
    assert out.strip()


def test_bench_hands_on_its_arguments(run, replace_module):
    calls = []

    def fake(rules: Rules, **options: object) -> dict[str, int]:
        calls.append((rules, options))
        return {"speed": 5}

    replace_module("bench", run=fake, format_table=lambda result: f"table {result}")
    assert run("bench") == (0, "table {'speed': 5}\n", "")
    assert json.loads(run("bench", "--json", "--quick", "--repeats", "9")[1]) == {"speed": 5}
    assert run("bench", "--rules", "verquere")[0] == 0
    assert calls[0] == (BRADE, {"repeats": 5, "quick": False, "progress": False})
    assert calls[1] == (BRADE, {"repeats": 9, "quick": True, "progress": False})
    assert calls[2][0] == VERQUERE


def test_info_tells_versions_and_rules(run):
    status, out, err = run("info", "--rules", "verquere,five_blots=yes")
    assert (status, err) == (0, "")
    assert np.__version__ in out
    assert "verquere,five_blots=yes" in out
    facts = json.loads(run("info", "--json")[1])
    assert facts["brade_fast"] == brade_fast.__version__
    assert facts["numpy"] == np.__version__
    assert sys.version.split()[0] in facts["python"]
    assert facts["switches"]["points"]["forced_john"] == 6
    assert facts["rules"] == "brade"
    for name, fact in brade_fast._core.build_info().items():
        assert facts[name] == fact


# --- help and wrong use ----------------------------------------------------------------


def test_help_lists_the_commands(run):
    status, out, err = run("--help")
    assert (status, err) == (0, "")
    assert all(f"\n    {command} " in out for command in COMMANDS)
    assert "Example: brade-fast" in out


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_has_an_example_that_is_read(run, command):
    status, out, err = run(command, "--help")
    assert (status, err) == (0, "")
    # Record files name their rules themselves; a game in the terminal is for people.
    assert ("--rules" in out) == (command not in ("convert", "check", "stats"))
    assert ("--json" in out) == (command != "play")
    example = shlex.split(out.split("Example: brade-fast ")[1])
    assert example[0] == command
    assert cli._parse(example).command == command


def test_version(run):
    assert run("--version") == (0, f"brade-fast {brade_fast.__version__}\n", "")


WRONG = [
    ((), "brade-fast: say what to do: bench, perft, plays"),
    (("perf",), "invalid choice: 'perf' (choose from"),
    (("--nonsense",), "no option --nonsense"),
    (("plays",), "brade-fast plays: the following arguments are required: POSITION, DICE"),
    (("plays", "start"), "brade-fast plays: the following arguments are required: DICE"),
    (("plays", "start", "77"), "brade-fast plays: a throw is two numbers from 1 to 6, such as 62"),
    (("plays", "start", "6", "2", "1"), "one or two words, not '6 2 1'"),
    (("plays", "1:15", "/", "1:15", "62"), "a board text goes into quotes"),
    (("plays", "start", "62", "--jsn"), "brade-fast plays: there is no option --jsn"),
    (("plays", "start", "62", "--js"), "no option --js"),
    (("plays", "hello", "62"), "brade-fast plays: "),
    (("plays", "", "62"), "brade-fast plays: "),
    (("plays", "Start", "62"), "brade-fast plays: "),
    (("plays", START[:-1], "62"), "brade-fast plays: "),
    (("plays", "1:15", "62"), "has a '/' between"),
    (("plays", "1:15 / 1:16", "62"), "'1:16' in the other's half"),
    (("plays", "1:13 4:2 / 1:15", "62"), "brade-fast plays: "),
    (("plays", "1:15 / hello\nworld", "62"), "'hello' in the other's half"),
    (("plays", "1:15\udcff / 1:15", "62"), "in the mover's half"),
    (("plays", OVER, "62"), "brade-fast plays: "),
    (("plays", "start", "62", "--rules", "chess"), "begin with one of brade, verquere, revertier"),
    (("plays", "start", "62", "--rules", "brade,mink=no"), "did you mean 'monk'"),
    (("plays", "start", "62", "--rules", "brade,monk=x"), "monk is yes or no"),
    (("plays", "start", "62", "--rules"), "--rules: expected one argument"),
    (("perft",), "required: DEPTH"),
    (("perft", "-1"), "DEPTH: must be a whole number from 0 to"),
    (("perft", "101"), "DEPTH: must be a whole number from 0 to 100"),
    (("playouts", "--trials", "1" * 19), "a whole number from 1 to 999999999999999999, not"),
    (("perft", "x"), "DEPTH: must be a whole number from 0 to"),
    (("perft", "1.5"), "must be a whole number"),
    (("perft", "1_0"), "must be a whole number"),
    (("perft", "9" * 5000), "a whole number from 0 to 100, not"),
    (("perft", "1", OVER), "brade-fast perft: "),
    (("perft", "1", "1:15", "/", "1:15"), "there is no place for '/ 1:15' (a board text goes"),
    (("perft", "1", "--threads", "0"), "--threads: must be a whole number from 1 to"),
    (("playouts", OVER), "brade-fast playouts: "),
    (("playouts", "start", "x"), "brade-fast playouts: "),
    (("playouts", "--trials", "0"), "--trials: must be a whole number from 1 to"),
    (("playouts", "--seed", "-1"), "--seed: must be a whole number from 0 to"),
    (("playouts", "--seed", "one"), "--seed: must be a whole number"),
    (("playouts", "--threads", "two"), "--threads: must be a whole number"),
    (("verify", "--pairs", "0"), "--pairs: must be a whole number from 1 to"),
    (("verify", "--jobs", "0"), "--jobs: must be a whole number from 1 to"),
    (("verify", "start"), "brade-fast verify: there is no place for 'start'"),
    (("bench", "--repeats", "0"), "--repeats: must be a whole number from 1 to"),
    (("info", "--rules", ""), "begin with one of"),
]


@pytest.mark.parametrize(("arguments", "words"), WRONG, ids=lambda x: str(x)[:60])
def test_wrong_use_ends_with_status_2_and_one_line(run, arguments, words):
    status, out, err = run(*arguments)
    assert status == 2
    assert out == ""
    assert err.endswith("\n")
    assert err.count("\n") == 1
    assert err.startswith("brade-fast")
    assert words in err
    assert len(err) > len("brade-fast plays: \n") + 10
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        (ValueError("a\nb"), 2, "brade-fast bench: a b\n"),
        (TypeError("no"), 2, "brade-fast bench: no\n"),
        (OverflowError("big"), 2, "brade-fast bench: big\n"),
        (MemoryError(), 2, "brade-fast bench: not enough memory; ask for less\n"),
        (ImportError("gone"), 2, "brade-fast bench: a part of the package is missing (gone)"),
        (OSError(28, "No space left"), 1, "brade-fast bench: [Errno 28] No space left\n"),
        (KeyboardInterrupt(), 130, ""),
        (BrokenPipeError(), 141, ""),
    ],
)
def test_errors_become_one_line_or_none(run, replace_module, monkeypatch, error, status, words):
    def fail(*_: object, **__: object) -> None:
        raise error

    # Standard output is the test runner's here.
    monkeypatch.setattr(cli, "_drop_stdout", lambda: None)
    replace_module("bench", run=fail)
    found, out, err = run("bench")
    assert (found, out) == (status, "")
    assert err.startswith(words)
    assert err.count("\n") == bool(words)


# --- as a program ----------------------------------------------------------------------


def test_the_module_runs_like_the_command():
    done = spawn("perft", "2", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["nodes"] == 1526
    done = spawn("plays", "start")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1


def test_an_output_that_cannot_show_a_letter_is_no_error():
    env = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = spawn("playouts", "24 / 1:15", "--trials", "5", env=env)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\xb1" in done.stdout


def test_bytes_that_are_no_text_are_refused():
    done = subprocess.run(
        [sys.executable, "-m", "brade_fast", "plays", b"1:15 / \xff\xfe", "62"],
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1


@pytest.mark.skipif(os.name != "posix", reason="pipes and signals of POSIX")
def test_a_closed_pipe_ends_quietly():
    with subprocess.Popen(
        [sys.executable, "-m", "brade_fast", "perft", "3", "--divide"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        process.stdout.close()
        error = process.stderr.read()
        assert process.wait(60) == 141
    assert error == b""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_is_one_line():
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "brade_fast", "info"],
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=60,
        )
    assert done.returncode == 1
    assert done.stderr.count(b"\n") == 1
    assert b"No space left" in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="pipes and signals of POSIX")
@pytest.mark.parametrize(
    "arguments",
    [
        ("perft", "9"),
        ("perft", "9", "--threads", "2"),
        ("playouts", "--trials", str(10**12)),
        ("playouts", "--trials", str(10**12), "--threads", "2"),
    ],
    ids=" ".join,
)
def test_ctrl_c_ends_quietly_with_status_130(arguments):
    program = "import sys; from brade_fast import cli; print('ready', flush=True); " + (
        "sys.exit(cli.main())"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            assert process.stdout.readline() == b"ready\n"
            time.sleep(0.5)
            assert process.poll() is None
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=20)
        finally:
            process.kill()
    assert (process.returncode, out, err) == (130, b"", b"")


def test_rules_written_in_json_are_read_again(run):
    text = "brade,nice_games=tower,monk=no"
    result = json.loads(run("plays", "start", "62", "--json", "--rules", text)[1])
    assert result["rules"] == text == rules_text(parse_rules(text))

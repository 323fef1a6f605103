"""The comparison of instruction counts finds what is worse, and says what was not compared."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from brade_fast import _core

SCRIPT = Path(__file__).parent.parent / "benchmarks" / "instructions.py"
KEY, OTHER = "gcc 12.2.0, baseline", "clang 19.1.7, v3"
COMMITTED = {"written out, random, unequal": 100.0, "counted, random, all": 200.0}
WORSE = {"written out, random, unequal": 103.1, "counted, random, all": 200.0}
needs_valgrind = pytest.mark.skipif(not shutil.which("valgrind"), reason="there is no valgrind")

if not SCRIPT.exists():
    pytest.skip("the script is in the repository only", allow_module_level=True)


@pytest.fixture
def script(monkeypatch, tmp_path):
    """The script with a table of its own, in which `KEY` is, and a valgrind."""
    spec = importlib.util.spec_from_file_location("instructions", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "TABLE", tmp_path / "instructions.json")
    monkeypatch.setattr(module.shutil, "which", lambda name: f"a {name}")
    module.write_table({KEY: COMMITTED})
    return module


@pytest.fixture
def run(script, monkeypatch, capsys):
    """Runs the command as if so much had been counted; gives status, output and errors."""

    def call(found, *options):
        monkeypatch.setattr(script, "count_all", lambda levels: found)
        status = script.main(options)
        return status, *capsys.readouterr()

    return call


# --- Comparing ------------------------------------------------------------------------


@pytest.mark.parametrize("row", COMMITTED)
def test_a_row_that_is_worse_on_its_key_fails_and_is_named(run, row):
    status, out, _ = run({KEY: {**COMMITTED, row: COMMITTED[row] * 1.031}})
    assert status == 1
    (line,) = [line for line in out.splitlines() if line.startswith("WORSE")]
    assert [name for name in COMMITTED if name in line] == [row]
    assert "2 of 2 rows compared, 1 worse than allowed" in out


@pytest.mark.parametrize("change", [-0.029, 0, 0.029])
def test_less_than_three_percent_is_nothing(run, change):
    status, out, _ = run({KEY: {row: number * (1 + change) for row, number in COMMITTED.items()}})
    assert status == 0
    assert "2 of 2 rows compared, 0 worse than allowed" in out
    assert "than 3 %" not in out


def test_a_row_that_is_better_is_said_and_the_update_advised(run):
    status, out, _ = run({KEY: {**COMMITTED, "counted, random, all": 190.0}})
    assert status == 0
    assert "better by more than 3 % (--update keeps that): counted, random, all" in out


def test_on_another_key_nothing_is_compared_and_that_is_said(run):
    status, out, _ = run({OTHER: WORSE})
    assert status == 0
    assert OTHER in out
    assert "103.10" in out
    assert "NOTHING WAS COMPARED" in out
    assert "WORSE" not in out


@pytest.mark.parametrize("order", [(KEY, OTHER), (OTHER, KEY)])
def test_one_level_that_is_worse_is_enough(script, run, order):
    script.write_table({KEY: COMMITTED, OTHER: COMMITTED})
    found = {KEY: WORSE, OTHER: COMMITTED}
    status, out, _ = run({key: found[key] for key in order})
    assert status == 1
    assert out.count("WORSE") == 1


def test_without_a_table_nothing_is_compared(script, run):
    script.TABLE.unlink()
    status, out, _ = run({KEY: WORSE})
    assert status == 0
    assert "NOTHING WAS COMPARED" in out


def test_rows_on_one_side_only_are_named(run):
    status, out, _ = run({KEY: {"counted, random, all": 200.0, "a new row": 7.0}})
    assert status == 0
    assert "1 of 2 rows compared" in out
    assert "NOT COMPARED: a new row" in out
    assert "not counted: written out, random, unequal" in out


def test_the_table_that_is_printed_is_aligned(run):
    _, out, _ = run({KEY: WORSE})
    lines = out.splitlines()
    head = next(i for i, line in enumerate(lines) if "committed" in line)
    first, second = (line.split()[-4:] for line in lines[head + 1 : head + 3])
    assert first == ["103.10", "100.00", "+3.10", "%"]
    assert second == ["200.00", "200.00", "+0.00", "%"]
    assert len({len(line) for line in lines[head : head + 3]}) == 1


def test_json_says_the_same(run):
    status, out, _ = run({KEY: WORSE, OTHER: WORSE}, "--json")
    assert status == 1
    said = json.loads(out)
    assert said["checked"] is True
    known, unknown = said["keys"][KEY], said["keys"][OTHER]
    assert known["compared"] is True
    assert known["worse"] == ["written out, random, unequal"]
    assert known["rows"][0]["now"] == 103.1
    assert known["rows"][0]["committed"] == 100.0
    assert known["rows"][0]["change"] == pytest.approx(3.1)
    assert unknown["compared"] is False
    assert unknown["worse"] == []


# --- The table ------------------------------------------------------------------------


def test_an_update_writes_its_keys_and_keeps_the_others(script, run):
    assert run({OTHER: WORSE}, "--update")[0] == 0
    assert script.read_table() == {KEY: COMMITTED, OTHER: WORSE}
    assert run({KEY: WORSE}, "--update")[0] == 0
    assert script.read_table() == {KEY: WORSE, OTHER: WORSE}
    assert run({KEY: WORSE, OTHER: WORSE})[0] == 0
    assert [path.name for path in script.TABLE.parent.iterdir()] == [script.TABLE.name]


def test_only_an_update_writes(script, run):
    before = script.TABLE.read_bytes()
    run({KEY: WORSE, OTHER: WORSE})
    assert script.TABLE.read_bytes() == before


def test_the_committed_table_has_all_rows_of_each_key():
    table = SCRIPT.with_suffix(".json")
    if not table.exists():
        pytest.skip("there is no table yet")
    counts = json.loads(table.read_text(encoding="utf-8"))
    assert counts
    (rows,) = {tuple(rows) for rows in counts.values()}
    assert len(rows) > 10
    assert all(number > 0 for rows in counts.values() for number in rows.values())


# --- Counting -------------------------------------------------------------------------


@pytest.mark.parametrize(("options", "status"), [((), 0), (("--json",), 0), (("--update",), 1)])
def test_without_valgrind_it_says_loudly_that_nothing_was_checked(tmp_path, options, status):
    done = subprocess.run(
        [sys.executable, SCRIPT, *options],
        env={**os.environ, "PATH": str(tmp_path)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == status, done.stderr
    assert "NOTHING WAS CHECKED: there is no valgrind here" in done.stderr
    assert "compared" not in done.stdout
    if "--json" in options:
        assert json.loads(done.stdout)["checked"] is False


def test_a_level_that_the_machine_lacks_is_refused(run, capsys):
    with pytest.raises(SystemExit):
        run({}, "--cpu", "abacus")
    assert "'abacus'" in capsys.readouterr().err


def test_levels_that_are_not_told_apart_are_refused(script, monkeypatch):
    monkeypatch.setattr(script, "count", lambda level: (KEY, COMMITTED))
    with pytest.raises(RuntimeError, match="baseline, v3 were asked for"):
        script.count_all(["baseline", "v3"])


def test_a_child_that_fails_checks_nothing(script, monkeypatch, capsys):
    def fails(level):
        raise RuntimeError("the counted process failed, status 3")

    monkeypatch.setattr(script, "count", fails)
    assert script.main([]) == 2
    assert "NOTHING WAS CHECKED: the counted process failed, status 3" in capsys.readouterr().err


def test_every_row_is_named_once_and_makes_what_it_should(script, monkeypatch, capsys):
    script.child()
    found = json.loads(capsys.readouterr().out)
    assert found["key"] == script.key(_core.build_info())
    names = [name for name, _ in found["made"]]
    assert len(set(names)) == len(names)
    assert all(number > 0 for _, number in found["made"])
    assert {name.split(", ")[1] for name in names} == {*script.CORPORA, script.START}
    case = next(script.cases())
    monkeypatch.setattr(script, "cases", lambda: [case._replace(expected=case.expected + 1)])
    with pytest.raises(AssertionError, match="written out, random, unequal"):
        script.child()


def test_instructions_per_play_are_those_of_the_second_n_passes(script, monkeypatch):
    printed = json.dumps({"key": KEY, "made": [["a", 10], ["b", 100]]})
    counts = [999_999, 1500, 2500, 77, 1300, 1900]  # of each: before, N passes, 2N passes
    monkeypatch.setattr(script, "between_marks", lambda *_, **__: (printed, counts))
    assert script.PASSES == 1
    assert script.count("baseline") == (KEY, {"a": 100.0, "b": 6.0})
    counts.pop()
    with pytest.raises(RuntimeError, match="5 marks"):
        script.count("baseline")


@needs_valgrind
def test_callgrind_counts_between_the_marks_and_the_same_each_time(script):
    code = (
        "import os\n"
        "for passes in range(12): [sum(range(5000)) for _ in range(passes)]; os.getsid(0)\n"
        "print(os.environ['HALLO'])"
    )
    command = [sys.executable, "-S", "-E", "-c", code]
    (printed, first), (_, again) = (script.between_marks(command, HALLO="yes") for _ in range(2))
    assert printed == "yes\n"
    assert len(first) == 12
    once = first[11] - first[10]
    assert once > 10_000
    for passes in range(5, 12):
        assert first[passes] == pytest.approx(passes * once, rel=0.02)
    assert first[5:] == pytest.approx(again[5:], rel=0.003)


@needs_valgrind
def test_a_counted_process_that_fails_is_an_error_that_shows_why(script):
    with pytest.raises(RuntimeError, match=r"(?s)status 1:.*No module named 'abacus'"):
        script.between_marks([sys.executable, "-S", "-E", "-c", "import abacus"])


@needs_valgrind
@pytest.mark.long
def test_a_build_is_as_good_as_itself(script, capsys):
    options = ["--cpu", _core.cpu_levels()[0]]
    assert script.main([*options, "--update"]) == 0
    capsys.readouterr()
    assert script.main([*options, "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["keys"].values()
    assert found["compared"]
    assert max(abs(row["change"]) for row in found["rows"]) < 0.3

"""The tree is tidy: style, types, sizes, versions, and who imports whom."""

from __future__ import annotations

import ast
import doctest
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import brade_fast
from brade_fast import cli

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "brade_fast"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def run(*arguments: str) -> str:
    """What a Python process says; it must end well."""
    environment = os.environ | {"MYPYPATH": str(ROOT / "src"), "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


# --- Style and types --------------------------------------------------------------------


def test_ruff_finds_no_fault():
    run("-m", "ruff", "check", "--no-cache", ".")


def test_ruff_would_format_nothing_otherwise():
    run("-m", "ruff", "format", "--no-cache", "--check", ".")


def test_mypy_finds_no_fault_in_the_package():
    assert "no issues found" in run("-m", "mypy", "--strict")


def test_the_stub_of_the_core_is_true():
    assert "no issues found" in run("-m", "mypy.stubtest", "brade_fast._core")


def test_no_file_but_the_reference_is_much_longer_than_600_lines():
    kinds = {".py", ".pyi", ".pyx", ".pxd", ".pxi", ".h", ".md", ".toml"}
    files = [path for path in ROOT.iterdir() if path.suffix in kinds]
    for room in ("src", "tests", "benchmarks", "docs"):
        files += [path for path in (ROOT / room).rglob("*") if path.suffix in kinds]
    # The reference is one text, to be read beside rules.md from top to bottom.
    files.remove(PACKAGE / "reference.py")
    sizes = {str(p.relative_to(ROOT)): len(p.read_bytes().splitlines()) for p in files}
    assert {name: size for name, size in sizes.items() if size > 650} == {}


def test_the_examples_of_the_readme_work():
    readme = ROOT / "README.md"
    assert readme.exists()
    failed, tried = doctest.testfile(str(readme), module_relative=False, encoding="utf-8")
    assert tried > 0
    assert failed == 0


def test_the_readme_shows_what_the_commands_print(capsys):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r"\$ brade-fast ([^\n]+)\n(.*?)(?=\n\$ |\n```)", text, re.DOTALL)
    commands = [shlex.split(command) for command, _ in shown]
    assert [command[0] for command in commands] == ["plays", "perft", "playouts", "verify"]
    for command, (_, printed) in zip(commands, shown, strict=True):
        if command[0] == "verify":  # too long; the cross-check runs as many pairs
            continue
        assert cli.main(command) == 0
        seconds = re.compile(r"\d+\.\d+ s\b")
        assert seconds.sub("", capsys.readouterr().out.rstrip()) == seconds.sub("", printed)


def test_every_public_name_has_a_description():
    for name in brade_fast.__all__:
        thing = getattr(brade_fast, name)
        if callable(thing):
            assert thing.__doc__, name


def test_public_names_are_sorted_and_exist():
    assert sorted(set(brade_fast.__all__), key=brade_fast.__all__.index) == brade_fast.__all__
    public = {name for name in dir(brade_fast) if not name.startswith("_")}
    modules = {path.stem for path in PACKAGE.iterdir()} | {"importlib", "TYPE_CHECKING", "Any"}
    assert public - modules == set(brade_fast.__all__)
    for name in brade_fast.__all__:
        assert getattr(brade_fast, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'Gaem'"):
        _ = brade_fast.Gaem


def test_games_and_records_are_loaded_when_they_are_asked_for():
    code = (
        "import sys, brade_fast\n"
        "late = ['brade_fast.game', 'brade_fast.record', 'brade_fast.reasons', 'json']\n"
        "print(*[name for name in late if name in sys.modules], '|')\n"
        "brade_fast.Game, brade_fast.read_games, brade_fast.explain\n"
        "print(all(name in sys.modules for name in late))"
    )
    assert run("-c", code).split() == ["|", "True"]


# --- Versions and dependencies ----------------------------------------------------------


def test_the_version_is_the_same_everywhere():
    assert PROJECT["project"]["version"] == brade_fast.__version__


def test_numpy_is_the_only_dependency():
    names = [re.match(r"[\w-]+", item)[0] for item in PROJECT["project"]["dependencies"]]
    assert names == ["numpy"]


def test_importing_the_package_loads_numpy_and_nothing_else_that_is_foreign():
    code = (
        "import sys; before = set(sys.modules); import brade_fast, brade_fast.reference; "
        "brade_fast.Position.start().plays(2, 1); str(brade_fast.Position.start()); "
        "print(*{name.partition('.')[0] for name in set(sys.modules) - before}, sep='\\n')"
    )
    loaded = set(run("-c", code).split())
    foreign = {
        name
        for name in loaded - sys.stdlib_module_names
        if name != "cython_runtime" and not name.startswith("_cython")  # made by the core itself
    }
    assert foreign == {"brade_fast", "numpy"}


# --- Two opinions that know nothing of each other ---------------------------------------


def imported(path: Path) -> set[str]:
    """Modules that a Python file imports, relative ones with their dots."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            found |= {module} if node.module else {module + alias.name for alias in node.names}
    return found


def test_the_reference_imports_the_rules_and_nothing_else_of_the_package():
    own = {name for name in imported(PACKAGE / "reference.py") if name[0] == "." or "brade" in name}
    assert own == {".rules"}
    text = (PACKAGE / "reference.py").read_text(encoding="utf-8")
    assert not re.search(r"_core|import_module|__import__", text)
    own = {name for name in imported(PACKAGE / "rules.py") if name[0] == "." or "brade" in name}
    assert own == set()


def test_the_core_never_imports_the_reference():
    parts = [
        path for path in PACKAGE.iterdir() if path.suffix in (".pyx", ".pxd", ".pxi", ".pyi", ".h")
    ]
    assert len(parts) >= 7
    for path in parts:
        for line in path.read_text(encoding="utf-8").splitlines():
            if re.match(r"\s*(from|import|cimport)\b", line) or "import_module" in line:
                assert "reference" not in line, f"{path.name}: {line}"
    # The texts of positions and plays, which the core asks for, know no reference either.
    assert not any("reference" in name for name in imported(PACKAGE / "notation.py"))


def test_the_core_works_without_the_reference():
    code = (
        "import sys; sys.modules['brade_fast.reference'] = None\n"
        "from brade_fast import Position, perft, playouts\n"
        "start = Position.start()\n"
        "print(perft(start, 2), playouts(start, 3, 1).outcomes.sum(), start.plays(6, 6)[0])"
    )
    assert run("-c", code).split() == ["1526", "3", "1/7"]


def test_the_reference_works_without_the_core():
    code = (
        "import sys, types\n"
        "package = types.ModuleType('brade_fast')\n"  # without running its __init__
        f"package.__path__ = [{str(PACKAGE)!r}]\n"
        "sys.modules['brade_fast'] = package\n"
        "sys.modules['brade_fast._core'] = None\n"
        "from brade_fast import reference\n"
        "start = ((0, 15, *[0] * 24),) * 2\n"
        "print(reference.perft(start, 2), reference.count_plays([start], (6, 6)).tolist())"
    )
    assert run("-c", code).split() == ["1526", "[1]"]

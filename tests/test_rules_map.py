"""The map of the rules leaves no sentence out, and every function that it names exists."""

from __future__ import annotations

import ast
import dataclasses
import re
from pathlib import Path

import pytest

from brade_fast.rules import BRADE, NICE_GAMES, PRESETS, REVERTIER, VERQUERE, Outcome, Rules

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "brade_fast"
RULES = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
MAP = (ROOT / "docs" / "rules-map.md").read_text(encoding="utf-8")
SECTIONS = range(2, 7)


def section(text: str, number: int) -> str:
    """A section with its heading, up to the next heading."""
    found = re.search(rf"^## ({number}\. .*?)(?=^## |\Z)", text, re.M | re.S)
    assert found, f"section {number}"
    return found[1]


def plain(text: str) -> str:
    """The words alone: no marks of lists, tables, code and stress, single blanks."""
    text = re.sub(r"^ *(\d+\.|\*|-) +", "", text, flags=re.M)
    text = re.sub(r"^[|\- ]+$", "", text, flags=re.M)
    return " ".join(re.sub(r"[*`|·]", " ", text).split())


def rows(number: int) -> list[tuple[str, str, str]]:
    """(quote, core, reference) for each row of a section's table in the map."""
    lines = [line for line in section(MAP, number).splitlines() if line.startswith("| ")]
    assert lines[0] == "| sentence | core | reference |"
    found = [tuple(cell.strip() for cell in line.strip("| ").split("|")) for line in lines[1:]]
    assert all(len(row) == 3 for row in found)
    return found


ROWS = [(number, *row) for number in SECTIONS for row in rows(number)]


def defined_in_cython(path: Path) -> set[str]:
    text = path.read_text(encoding="utf-8")
    return set(re.findall(r"^ *c?p?def (?:[^\n(=]*[ *])?(\w+)\(", text, re.M))


def defined_in_python(path: Path) -> set[str]:
    """Functions, classes, and functions and fields of classes as ``Class.name``."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            for part in node.body:
                if isinstance(part, ast.FunctionDef):
                    found.add(f"{node.name}.{part.name}")
                if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
                    found.add(f"{node.name}.{part.target.id}")
    return found


DEFINED = {
    path.name: defined_in_python(path) if path.suffix == ".py" else defined_in_cython(path)
    for path in PACKAGE.iterdir()
    if path.suffix in (".py", ".pyx", ".pxd", ".pxi")
}


def test_the_parsers_find_what_is_defined_and_nothing_else():
    assert {"legal_steps", "landing", "all_sequences"} <= DEFINED["_generic.pxd"]
    assert "playouts" in DEFINED["_games.pxi"]
    assert not {"popcount", "if", "range", "Node"} & DEFINED["_generic.pxd"]
    assert {"Rules.monk", "Rules.value", "Outcome.category"} <= DEFINED["rules.py"]
    assert "go_on" not in DEFINED["reference.py"]


@pytest.mark.parametrize("number", SECTIONS)
def test_every_sentence_of_a_section_is_quoted_once_and_in_its_order(number):
    left = plain(section(RULES, number))
    for quote, _, _ in rows(number):
        before, found, left = left.partition(plain(quote))
        assert found, f"section {number} does not go on with: {quote}"
        assert not re.search(r"\w", before), f"section {number} is not mapped: {before}"
    assert not re.search(r"\w", left), f"section {number} is not mapped: {left}"


@pytest.mark.parametrize("number", SECTIONS)
def test_no_quote_holds_two_sentences(number):
    for quote, _, _ in rows(number):
        end = plain(re.sub(r"^\d+\. ", "", quote))
        assert not re.search(r"\.\)? (?=[(A-Z`])", end), quote


@pytest.mark.parametrize(
    ("number", "quote", "core", "reference"), ROWS, ids=[f"{row[0]}-{row[1][:40]}" for row in ROWS]
)
def test_every_function_of_the_map_exists(number, quote, core, reference):
    for cell, files in (
        (core, r"_\w+\.p(xd|xi|yx)|(rules|game|match)\.py"),
        (reference, r"(reference|rules|game|match)\.py"),
    ):
        named = re.fullmatch(r"`([\w.]+): ([\w.]+)`", cell)
        assert named, cell
        file, function = named.groups()
        assert re.fullmatch(files, file)
        assert function in DEFINED[file], f"{file} has no {function}"
    if any(re.match(r"`(rules|game|match)\.py", cell) for cell in (core, reference)):
        assert core == reference


def test_every_function_of_the_fast_paths_exists():
    table = MAP.split("\n## The same rules on the fast paths\n")[1]
    named = re.findall(r"`([\w.]+): (\w+)`", table)
    assert {file for file, _ in named} == {"_turn.pxd", "_put.pxd", "_unequal.pxd", "_doubles.pxd"}
    for file, function in named:
        assert function in DEFINED[file], f"{file} has no {function}"
    assert "needs_generic" in DEFINED["_turn.pxd"]


# --- The tables of rules.md against rules.py ---------------------------------------------


def table(number: int) -> list[list[str]]:
    lines = [line for line in section(RULES, number).splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines[1:]]


def test_the_switches_of_the_table_are_the_fields_of_rules():
    named = [re.match(r"`(\w+)`", row[0]) for row in table(6)]
    switches = {found[1] for found in named if found}
    fields = {field.name for field in dataclasses.fields(Rules) if field.init}
    assert switches == fields - {"name"}


def value_in_words(switch: str, words: str) -> object:
    if switch == "points":
        return tuple(map(int, words.split(", ")))
    if switch == "nice_games":
        return {"all four": NICE_GAMES, "none": ()}.get(words, (words,))
    quoted = re.match(r'"(\w+)"', words)
    return quoted[1] if quoted else {"yes": True, "no": False}[re.match(r"\w+", words)[0]]


def test_the_presets_have_the_values_of_the_table():
    checked = 0
    for name, *cells in table(6):
        switch = re.match(r"`(\w+)`", name)
        if switch is None:
            assert name == "(sources)"
            continue
        words = cells[0]
        for rules, cell in zip((BRADE, VERQUERE, REVERTIER), cells, strict=True):
            words = words if cell == "the same" else cell
            assert getattr(rules, switch[1]) == value_in_words(switch[1], words)
            checked += 1
    assert checked == 33
    assert [rules.name for rules in PRESETS.values()] == ["brade", "verquere", "revertier"]


def test_the_ends_have_the_points_of_the_table():
    names = {
        "bear-off (hemspel)": [Outcome.BEAR_OFF],
        "bear-off with monk": [Outcome.BEAR_OFF_MONK],
        "single crown": [Outcome.SINGLE_CROWN],
        "double crown": [Outcome.DOUBLE_CROWN],
        "staircase": [Outcome.STAIRCASE],
        "tower": [Outcome.TOWER],
        "one of the four with monk": [Outcome(number) for number in (4, 6, 8, 10)],
        "John (jan, Jean)": [Outcome.JOHN],
        "forced John (sprängjan)": [Outcome.FORCED_JOHN],
    }
    ends = table(5)
    assert [row[0] for row in ends] == list(names)
    for name, _, *points in ends:
        for rules, worth in zip((BRADE, VERQUERE, REVERTIER), points, strict=True):
            for outcome in names[name]:
                if worth != "–":
                    assert rules.value(outcome) == int(worth)
    assert sum(len(outcomes) for outcomes in names.values()) == 12


def test_the_categories_are_those_of_the_text():
    text = plain(section(RULES, 5)).split("six categories for match ties: ")[1]
    words = dict(part.rstrip(".").split(" ", 1) for part in text.split(", "))
    assert list(words) == ["I", "II", "III", "IV", "V", "VI"]
    kinds = {
        "forced John": [Outcome.FORCED_JOHN],
        "John": [Outcome.JOHN],
        "nice game with monk": [Outcome(number) for number in (4, 6, 8, 10)],
        "nice game": [Outcome(number) for number in (3, 5, 7, 9)],
        "bear-off with monk": [Outcome.BEAR_OFF_MONK],
        "bear-off": [Outcome.BEAR_OFF],
    }
    for category, kind in words.items():
        assert [o for o in Outcome if o.category == category] == kinds[kind]
    assert Outcome.NONE.category is Outcome.DEADLOCK.category is None

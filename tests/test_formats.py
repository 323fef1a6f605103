"""docs/formats.md is enough to write everything elsewhere: it is followed here to the letter."""

from __future__ import annotations

import random
import re
from pathlib import Path

import numpy as np
import pytest

import brade_fast as bf
from brade_fast import notation, positions, reference

PAGE = (Path(__file__).parents[1] / "docs" / "formats.md").read_text(encoding="utf-8")

# --- The grammar of records --------------------------------------------------------------

# What the page tells in words.
TOLD = {
    "rule text": r"(?:brade|verquere|revertier)(?:,[a-z_]+=[a-z0-9_/]+)*",
    "position id": r"[A-Za-z0-9_-]{14}",
    "play": r"(?:pass|[a-z0-9/*!() ]+)(?: = [a-z_]+)?",
    "outcome": "|".join(map(notation.outcome_name, list(bf.Outcome)[1:])),
    "letter": "[A-Za-z]",
    "digit": "[0-9]",
    "number": "[0-9]+",
    "line": r"(?! )[^\n]+(?<! )",
    "value": r"(?! )(?:[^\n\]\\]|\\[\]\\])+(?<! )",
    "newline": r"\n",
}
OPEN = {"{": "(?:", "[": "(?:", "(": "(?:"}
CLOSE = {"}": ")*", "]": ")?", ")": ")"}


def grammar() -> re.Pattern[str]:
    """The grammar of the page as one pattern; it has no rule that needs itself."""
    text = re.search(r"```text\n(file .*?)```", PAGE, re.DOTALL)[1]
    told = dict(re.findall(r"^(\w+) *= (.*?) ;\n", text, re.DOTALL | re.MULTILINE))

    def pattern(name: str) -> str:
        if name not in told:
            return f"(?:{TOLD[name]})"
        parts = []
        for literal, sign, word in re.findall(r'"([^"]*)"|([][{}(),|])|(\w+(?: \w+)*)', told[name]):
            if word:
                parts.append(pattern(word))
            elif not sign:
                parts.append(re.escape(literal))
            elif sign != ",":
                parts.append(OPEN.get(sign) or CLOSE.get(sign) or sign)
        return f"(?:{''.join(parts)})"

    return re.compile(pattern("file"))


def some_records(seed: int) -> list[bf.GameRecord]:
    rng, chooser = np.random.default_rng(seed), random.Random(seed)
    records = []
    for _ in range(12):
        rules = positions.random_rules(rng)
        start = bf.Position.from_array(positions.synthetic("bars", rng, rules))
        position = chooser.choice([None, start])
        begins = chooser.choice([None, "W", "B"])
        game = bf.Game(rules, begins=begins, position=position, rng=rng)
        for _ in range(chooser.choice([0, 3, 30])):
            if game.phase is bf.Phase.TO_THROW:
                game.throw()
            if game.is_over:
                break
            game.push(chooser.choice(game.legal_plays))
        if game.phase is bf.Phase.TO_THROW and chooser.random() < 0.5:
            game.throw()
        if not game.is_over and chooser.random() < 0.3:
            game.resign("B")
        tags = chooser.choice([{}, {"White": "Å [x] \\", "Note_1": "", "Score": "0-4"}])
        places = chooser.sample(range(-1, len(game.moves) + 1), 1)
        records.append(bf.GameRecord(game, tags, {place: ["", "why; not"] for place in places}))
    return records


def test_records_are_written_by_the_grammar_of_the_page() -> None:
    file = grammar()
    records = some_records(1)
    text = "".join(map(bf.game_text, records))
    for word in ("[Position ", "teka", "begins", "resigned", "\n;\n", "\\]", "[Note_1]", ":\n"):
        assert word in text, word
    assert file.fullmatch(text)
    for record in records:
        assert bf.parse_game(bf.game_text(record)) == record
        lines = bf.game_text(record).splitlines(keepends=True)
        assert not file.fullmatch("".join(lines[::-1]))
        assert not file.fullmatch("".join(lines[:-1]))


# --- The canonical text of plays -----------------------------------------------------------


def name(point: int) -> str:
    return {0: "bar", 25: "off"}.get(point, str(point))


def written(steps: tuple[reference.Step, ...], outcome: bf.Outcome) -> str:
    """Numbers 2 to 4 of the page: the text of steps in their canonical order."""
    men: list[tuple[list[int], list[str]]] = []
    for step in steps:
        man = next((man for man in men if man[0][-1] == step.source), None)
        if man is None:
            man = [step.source], [""]
            men.append(man)
        man[0].append(step.target)
        man[1].append(("", "*", "!")[step.hit])
    men.sort(key=lambda man: (man[0][0], -man[0][-1]))
    groups: dict[tuple[int, ...], list[list[str]]] = {}
    for points, marks in men:
        groups.setdefault(tuple(points), []).append(marks)
    text = " ".join(
        "/".join(name(p) + max(marks) for p, *marks in zip(points, *many, strict=True))
        + (f"({len(many)})" if len(many) > 1 else "")
        for points, many in groups.items()
    )
    return (text or "pass") + (f" = {notation.outcome_name(outcome)}" if outcome else "")


@pytest.mark.parametrize("kind", positions.KINDS)
def test_plays_are_written_as_the_page_says(kind: str) -> None:
    rng = np.random.default_rng(7)
    for _ in range(8):
        rules = positions.random_rules(rng)
        position = bf.Position.from_array(positions.synthetic(kind, rng, rules))
        dice = int(rng.integers(1, 7)), int(rng.integers(1, 7))
        first: dict[object, tuple[object, reference.Sequence]] = {}
        for found in reference.legal_sequences(reference.board_of(position), dice, rules):
            order = [(step.source, -step.die) for step in found.steps]
            key = found.board, found.outcome
            if key not in first or order < first[key][0]:
                first[key] = order, found
        mine = [written(found.steps, found.outcome) for _, found in first.values()]
        assert sorted(mine) == sorted(map(str, position.plays(*dice, rules)))

"""Everyday tasks can be done, and from ``help()`` alone."""

from __future__ import annotations

import ast
import doctest
import pydoc
import re
from pathlib import Path

import brade_fast
import brade_fast.report

TASKS = Path(__file__).with_name("tasks.md")


def test_the_tasks_can_be_done(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testfile(str(TASKS), module_relative=False, encoding="utf-8")
    assert tried > 20
    assert failed == 0


def test_every_name_of_the_tasks_is_told_by_help() -> None:
    package = brade_fast.__doc__
    assert package is not None
    # What help(brade_fast) shows first, and the helps of the names that it names.
    told = {"brade_fast", "str", "print", "len", "open", "write", "encoding"}
    helps = [package]
    for name in brade_fast.__all__:
        if name in package:
            helps.append(pydoc.plain(pydoc.render_doc(getattr(brade_fast, name))))
    helps.append(pydoc.plain(pydoc.render_doc(brade_fast.report)))  # position.report() leads there
    all_helps = "\n".join(helps)
    examples = doctest.DocTestParser().get_examples(TASKS.read_text(encoding="utf-8"))
    for example in examples:
        for node in ast.walk(ast.parse(example.source)):
            name = getattr(node, "attr", None) or (
                node.arg if isinstance(node, ast.keyword) else None
            )
            if name is not None and name not in told:
                assert re.search(rf"\b{name}\b", all_helps), name

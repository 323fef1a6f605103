"""The documentation: the site builds without a warning, and its examples are true."""

from __future__ import annotations

import doctest
import importlib
import os
import pkgutil
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import brade_fast
from brade_fast import cli

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("*.md"))
MODULES = [
    module.name
    for module in pkgutil.walk_packages(brade_fast.__path__, "brade_fast.")
    if not module.name.endswith("__main__")
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html",
         "-d", folder / "trees", DOCS, folder / "html"],
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "html"


def test_the_site_builds_without_a_warning_and_has_every_page(site: Path) -> None:
    assert {path.stem for path in PAGES} <= {path.stem for path in site.glob("*.html")}


def test_every_public_name_is_in_the_api(site: Path) -> None:
    page = (site / "api.html").read_text(encoding="utf-8")
    described = set(re.findall(r'id="brade_fast\.(\w+)"', page))
    assert set(brade_fast.__all__) - described == set()


def test_the_signatures_of_the_core_are_told(site: Path) -> None:
    page = re.sub("<[^>]+>", "", (site / "api.html").read_text(encoding="utf-8"))
    for signature in (
        "plays(d1, d2, rules=BRADE)",
        "enumerate_plays(boards, dice, rules=BRADE, *, steps=False, threads=1, generic=False, out=None)",  # noqa: E501
        "from_id(text)",
    ):
        assert signature in page


def test_the_pictures_are_drawn(site: Path) -> None:
    page = (site / "play.html").read_text(encoding="utf-8")
    source = (DOCS / "play.md").read_text(encoding="utf-8")
    assert page.count("data:image/svg+xml;base64,") == source.count("{brade-board}") > 8


def test_links_between_pages_lead_somewhere(site: Path) -> None:
    for path in site.glob("*.html"):
        page = path.read_text(encoding="utf-8")
        for link in re.findall(r'href="([^":]+\.html)?(#[^"]*)?"', page):
            target = path if not link[0] else (path.parent / link[0])
            assert target.exists(), f"{path.name}: {link}"


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_the_examples_of_the_pages_work(page: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    failed, _ = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert failed == 0


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_the_descriptions_work(name: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def test_pages_for_learning_have_examples() -> None:
    tried = {
        page.stem: len(doctest.DocTestParser().get_examples(page.read_text(encoding="utf-8")))
        for page in PAGES
    }
    assert tried["tutorial"] > 25
    assert tried["howto"] > 10
    assert tried["formats"] > 3


def test_the_page_of_commands_names_all_and_shows_what_they_print(
    tmp_path: Path, monkeypatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    game = brade_fast.Game(seed=1)
    for _ in range(5):
        game.throw()
        game.push(game.legal_plays[0])
    with brade_fast.open_writer("games.txt") as writer:
        writer.write(game)
    text = (DOCS / "commands.md").read_text(encoding="utf-8")
    parser = cli._build_parser()
    for name in parser.get_default("commands").replace(" or ", ", ").split(", "):
        assert f"brade-fast {name}" in text
    shown = re.findall(r"\$ brade-fast ([^\n]+)\n(.*?)(?=\$ |```)", text, re.DOTALL)
    assert len(shown) >= 10
    for command, printed in shown:
        assert cli.main(shlex.split(command)) == 0, command
        out = capsys.readouterr().out
        if printed:
            assert out == printed, command

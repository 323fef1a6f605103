"""The documentation: the site builds without a warning, and its examples are true."""

from __future__ import annotations

import dataclasses
import doctest
import importlib
import io
import os
import pkgutil
import re
import shlex
import subprocess
import sys
from dataclasses import is_dataclass
from pathlib import Path
from urllib.parse import unquote

import pytest

import brade_fast
from brade_fast import cli, notation

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
    described = set(re.findall(r'id="brade_fast\.([\w.]+)"', page))
    wanted = set(brade_fast.__all__)
    for name in brade_fast.__all__:
        thing = getattr(brade_fast, name)
        if isinstance(thing, type) and not issubclass(thing, tuple | Exception):
            own = {member for member in vars(thing) if not member.startswith("_")}
            fields = {f.name for f in dataclasses.fields(thing)} if is_dataclass(thing) else set()
            wanted |= {f"{name}.{member}" for member in own - fields}  # fields are told in the text
    for module in ("notation", "record", "diagram", "report", "policies", "reference", "positions"):
        names = importlib.import_module(f"brade_fast.{module}").__all__
        wanted |= {f"{module}.{name}" for name in names if name not in brade_fast.__all__}
    missing = {name for name in wanted if name not in described}
    assert missing == set()


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
    pages = {path.name: path.read_text(encoding="utf-8") for path in site.glob("*.html")}
    places = {name: set(re.findall(r'\bid="([^"]+)"', page)) for name, page in pages.items()}
    followed = 0
    for name, page in pages.items():
        for target, place in re.findall(r'href="(?!\w+:)([^"#?]*)[^"#]*#?([^"]*)"', page):
            assert not target or (site / target).exists(), f"{name}: {target}"
            if place and (target or name) in places:
                assert unquote(place) in places[target or name], f"{name}: {target}#{place}"
                followed += 1
    assert followed > 200


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_the_examples_of_the_pages_work(page: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    failed, _ = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert failed == 0


def test_the_numbers_of_the_outcomes_are_told() -> None:
    rows = re.findall(
        r"^\| (\d+) \| `(\w+)` \| ([^|]*)\| ([^|]*)\|$",
        (DOCS / "formats.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    told = [
        (int(number), name, swedish.strip(), cat.strip()) for number, name, swedish, cat in rows
    ]
    names = notation.OUTCOME_NAMES
    assert told == [
        (int(o), notation.outcome_name(o), names[o][1] if o else "", o.category or "")
        for o in brade_fast.Outcome
    ]


def test_the_record_of_the_formats_is_as_it_is_written() -> None:
    text = (DOCS / "formats.md").read_text(encoding="utf-8")
    record = re.search(r"```text\n(\[Rules.*?)```", text, re.DOTALL)[1] + "\n"
    assert brade_fast.game_text(brade_fast.parse_game(record)) == record


def test_the_examples_of_the_descriptions_work() -> None:
    results = {name: doctest.testmod(importlib.import_module(name)) for name in MODULES}
    assert {name for name, result in results.items() if result.failed} == set()
    assert sum(result.attempted for result in results.values()) > 30


def test_pages_for_learning_have_examples() -> None:
    tried = {
        page.stem: len(doctest.DocTestParser().get_examples(page.read_text(encoding="utf-8")))
        for page in PAGES
    }
    assert tried["tutorial"] > 25
    assert tried["howto"] > 10
    assert tried["formats"] > 3


SECONDS = re.compile(r"\d+\.\d+ s\b")


def test_the_page_of_commands_names_all_and_shows_what_they_print(
    tmp_path: Path, monkeypatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    page = DOCS / "commands.md"
    text = page.read_text(encoding="utf-8")
    failed, tried = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert tried  # writes the records that are looked at below
    assert not failed
    used = set()
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        for shown in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, _, printed = shown.partition("\n")
            typed, command = re.fullmatch(r"(?:printf '(.*)' \| )?brade-fast (.*)", line).groups()
            used.add(command.split()[0])
            monkeypatch.setattr("sys.stdin", io.StringIO((typed or "").replace("\\n", "\n")))
            assert cli.main(shlex.split(command)) == 0, command
            out = capsys.readouterr().out
            if printed:
                assert SECONDS.sub("", out.rstrip()) == SECONDS.sub("", printed.rstrip()), command
    commands = cli._build_parser().get_default("commands")
    assert "`brade-fast bench`" in text  # whose figures differ every time
    assert used | {"bench"} == set(commands.replace(" or ", ", ").split(", "))
    for file in ("play.svg", "mine.txt", "games.jsonl.gz", "game.html"):
        assert Path(file).stat().st_size > 0

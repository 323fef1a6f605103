"""The way from a checkout to somebody else's machine: sdist, wheel from it, install, use."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from brade_fast._core import cpu_levels

ROOT = Path(__file__).resolve().parent.parent
CLEAN = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, env=CLEAN, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sdist")
    run(sys.executable, "-m", "build", "--sdist", "--no-isolation", "-o", folder, cwd=ROOT)
    (made,) = folder.glob("*.tar.gz")
    return made


@pytest.fixture(scope="module")
def wheel(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel"]
    run(*pip, "--no-deps", "--no-build-isolation", "-w", folder, sdist, cwd=folder)
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def elsewhere(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a new environment with the wheel and what it asks for, nothing else."""
    folder = tmp_path_factory.mktemp("elsewhere")
    venv.create(folder, with_pip=True)
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    pip = [programs / "python", "-m", "pip", "--disable-pip-version-check", "install", "-q"]
    run(*pip, wheel, cwd=folder)
    return programs


def test_the_sdist_holds_the_sources_and_nothing_made_from_them(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {Path(*Path(name).parts[1:]).as_posix() for name in archive.getnames()}
    package = ROOT / "src" / "brade_fast"
    for path in package.rglob("*"):
        if path.suffix in {".py", ".pyi", ".pyx", ".pxd", ".pxi", ".h", ".txt"}:
            assert path.relative_to(ROOT).as_posix() in names
    assert {"README.md", "LICENSE", "pyproject.toml", "setup.py"} <= names
    assert not [name for name in names if name.endswith((".c", ".so", ".pyd"))]


def test_the_wheel_holds_the_core_its_types_and_the_corpora(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    for name in ("py.typed", "_core.pyi", "data/random.txt", "data/counts.txt"):
        assert f"brade_fast/{name}" in names
    # What others may cimport, and nothing of the kernel's parts.
    declared = {name for name in names if name.endswith((".pxd", ".pxi", ".h"))}
    assert declared == {"brade_fast/_core.pxd", "brade_fast/_types.pxd"}
    for module in ("_core", *(f"_{level}" for level in cpu_levels())):
        assert [name for name in names if re.match(rf"brade_fast/{module}\W.*(so|pyd)$", name)]
    assert not [name for name in names if name.startswith(("tests", "benchmarks"))]


def test_installed_elsewhere_core_and_reference_agree(elsewhere: Path, tmp_path: Path) -> None:
    where = run(
        elsewhere / "python", "-c", "import brade_fast; print(brade_fast.__file__)", cwd=tmp_path
    )
    assert Path(where.strip()).is_relative_to(elsewhere.parent.resolve())
    command = ("verify", "--pairs", "500", "--seed", "3", "--json")
    report = json.loads(run(elsewhere / "brade-fast", *command, cwd=tmp_path))
    assert report["pairs"] == 500
    assert report["ok"]


def test_installed_elsewhere_the_benchmark_finds_its_corpora(
    elsewhere: Path, tmp_path: Path
) -> None:
    result = json.loads(run(elsewhere / "brade-fast", "bench", "--quick", "--json", cwd=tmp_path))
    assert result["rows"]

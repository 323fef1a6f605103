#!/usr/bin/env python3
"""Builds brade_fast in a virtual environment of its own (.venv) and runs one of its jobs.

    python3 run.py bench        build, then the benchmark's summary (the main job)
    python3 run.py test         build, then the tests

and for developers:

    python3 run.py docs         build the documentation site in build/docs
    python3 run.py long         the checks that take longer than the default tests may
    python3 run.py mutants      break the rules on purpose: do the tests notice?
    python3 run.py fuzz         mutated texts and files: does a reader fail or hang?
    python3 run.py sanitize     verify with bounds checks and the address and UB sanitizers
    python3 run.py plain        verify with the plain C that other processors than x86-64 get
    python3 run.py pytest-bench the benchmark cases one by one, with pytest-benchmark
    python3 run.py instructions count instructions per play under valgrind: more than they were?

What follows the job is handed on to it: `python3 run.py test -k john`. Needs only Python 3.11 or
newer with its venv module and headers, and a C compiler.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
STAMP = VENV / "built-from"


def missing() -> list[str]:
    """What the machine lacks, each with what would bring it."""
    lacks = []
    if sys.version_info < (3, 11):  # noqa: UP036 - told before pip would
        lacks.append(f"Python 3.11 or newer (this is {sys.version.split()[0]})")
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        lacks.append("Python's venv module (Debian: apt-get install python3-venv)")
    if not (Path(sysconfig.get_path("include")) / "Python.h").exists():
        lacks.append("Python's headers, Python.h (Debian: apt-get install python3-dev)")
    if os.name != "nt":
        compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")[0]
        if not shutil.which(compiler):
            lacks.append(f"a C compiler, {compiler!r} (Debian: apt-get install build-essential)")
    return lacks


def fingerprint() -> str:
    """Changes with everything that the build depends on."""
    digest = hashlib.sha256(f"native {os.environ.get('BRADE_FAST_NATIVE')}".encode())
    sources = [p for p in (ROOT / "src").rglob("*") if p.suffix in {".pyx", ".pxd", ".pxi", ".h"}]
    for path in [ROOT / "pyproject.toml", ROOT / "setup.py", *sorted(sources)]:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def build() -> None:
    """Makes the virtual environment and installs the checkout into it, if anything changed."""
    made_from = f"{sys.version}\n{fingerprint()}"
    built_from = STAMP.read_text() if STAMP.exists() else ""
    if built_from == made_from:
        return
    print("building brade_fast in .venv (about a minute) ...", flush=True)
    if not PYTHON.exists() or not built_from.startswith(f"{sys.version}\n"):
        subprocess.run([sys.executable, "-m", "venv", "--clear", VENV], check=True)
    pip = [PYTHON, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    subprocess.run([*pip, "--editable", f"{ROOT}[progress,test]"], check=True, cwd=ROOT)
    STAMP.write_text(made_from)


def run(*command: str | Path, **environment: str) -> int:
    return subprocess.run(
        command, cwd=ROOT, env={**os.environ, **environment}, check=False
    ).returncode


def verify_with(name: str, arguments: list[str], variables: dict[str, str], **build: str) -> int:
    """Compiles another core beside the installed one and verifies it against the reference."""
    target = ROOT / "build" / name
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(ROOT / "src", target / "src", ignore=shutil.ignore_patterns("*.so", "*.c"))
    for file in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / file, target)
    print(f"compiling the core in build/{name} ...", flush=True)
    command = [PYTHON, "setup.py", "--quiet", "build_ext", "--inplace"]
    subprocess.run(command, cwd=target, env={**os.environ, **build}, check=True)
    variables["PYTHONPATH"] = str(target / "src")
    return run(PYTHON, "-m", "brade_fast", "verify", *arguments, **variables)


def sanitize(arguments: list[str]) -> int:
    compiler = shlex.split(os.environ.get("CC") or "cc")[0]
    libraries = [
        subprocess.run(
            [compiler, f"-print-file-name={name}"], check=True, capture_output=True, text=True
        ).stdout.strip()
        for name in ("libasan.so", "libubsan.so")
    ]
    variables = {
        "LD_PRELOAD": " ".join(libraries),
        # CPython keeps memory until the end, which is no leak of ours.
        "ASAN_OPTIONS": "detect_leaks=0:halt_on_error=1",
        "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    }
    arguments = arguments or ["--pairs", "200000", "--seed", "1"]
    return verify_with("sanitize", arguments, variables, BRADE_FAST_DEBUG="1")


def plain(arguments: list[str]) -> int:
    arguments = arguments or ["--pairs", "20000", "--seed", "2", "--jobs", "2"]
    return verify_with("plain", arguments, {}, BRADE_FAST_PLAIN="1")


def main() -> int:
    jobs = {
        "bench": lambda rest: run(BIN / "brade-fast", "bench", *rest),
        "test": lambda rest: run(PYTHON, "-m", "pytest", *rest),
        "docs": lambda rest: run(
            PYTHON, "-m", "sphinx", "-W", "-b", "html", "docs", "build/docs", *rest
        ),
        "long": lambda rest: run(PYTHON, "-m", "pytest", "-m", "long", *rest),
        "mutants": lambda rest: run(PYTHON, "tests/mutants.py", *rest),
        "fuzz": lambda rest: run(PYTHON, "tests/fuzz.py", *rest),
        "sanitize": sanitize,
        "plain": plain,
        "instructions": lambda rest: run(PYTHON, "benchmarks/instructions.py", *rest),
        "pytest-bench": lambda rest: run(PYTHON, "-m", "pytest", "benchmarks", *rest),
    }
    job, *rest = sys.argv[1:] or ["--help"]
    if job not in jobs:
        print(__doc__)
        return 0 if job in {"-h", "--help"} else 2
    lacks = missing()
    if lacks:
        print("brade_fast cannot be built here. What is missing:", file=sys.stderr)
        for thing in lacks:
            print(f"  - {thing}", file=sys.stderr)
        return 1
    try:
        build()
    except subprocess.CalledProcessError as failure:
        print(f"the build failed: status {failure.returncode}", file=sys.stderr)
        return 1
    return jobs[job](rest)


if __name__ == "__main__":
    sys.exit(main())

"""Builds the Cython core; everything else is in pyproject.toml.

Environment variables
---------------------
BRADE_FAST_NATIVE=1
    Compile for this machine's processor. The result may not run elsewhere.
BRADE_FAST_DEBUG=1
    Bounds checks, sanitizers, little optimisation; see ``run.py sanitize``.
BRADE_FAST_PLAIN=1
    The plain C that other processors than x86-64 get; see ``run.py plain``.
"""

import os
import sys

from Cython.Build import cythonize
from setuptools import Extension, setup

MSVC = sys.platform == "win32"
debug = os.environ.get("BRADE_FAST_DEBUG") == "1"
plain = os.environ.get("BRADE_FAST_PLAIN") == "1"
native = os.environ.get("BRADE_FAST_NATIVE") == "1"

if debug:
    flags = ["-O1", "-g", "-fno-omit-frame-pointer", "-fsanitize=address,undefined"]
elif MSVC:
    flags = ["/O2"]
else:
    flags = ["-O3"] + (["-march=native"] if native else [])

setup(
    ext_modules=cythonize(
        Extension(
            "brade_fast._core",
            ["src/brade_fast/_core.pyx"],
            depends=["src/brade_fast/_row.h"],
            define_macros=[
                ("BRADE_FAST_FLAGS", f'"{" ".join(flags)}"'),
                *([("BRADE_FAST_PLAIN", "1")] if plain else []),
            ],
            extra_compile_args=flags,
            extra_link_args=flags if debug else [],
        ),
        include_path=["src"],
        compiler_directives={
            "boundscheck": debug,
            "wraparound": debug,
            "initializedcheck": debug,
            "cdivision": True,
            "show_performance_hints": False,
        },
    )
)

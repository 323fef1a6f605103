"""Builds the Cython core; everything else is in pyproject.toml.

The kernel is compiled once for each CPU level; ``_core`` chooses one at import.

Environment variables
---------------------
BRADE_FAST_NATIVE=1
    Compile for this machine's processor alone. The result may not run elsewhere.
BRADE_FAST_DEBUG=1
    Bounds checks, sanitizers, little optimisation; see ``run.py sanitize``.
BRADE_FAST_PLAIN=1
    The plain C that other processors than x86-64 get; see ``run.py plain``.
"""

import os
import platform
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
# What _core looks for in the processor before it takes this level.
v3_flags = ["-mavx2", "-mbmi", "-mbmi2", "-mpopcnt"]
# A Mac's compiler may be asked for two processors at once, which these flags cannot serve.
with_v3 = (
    platform.machine().lower() in {"x86_64", "amd64"}
    and not (plain or native or MSVC)
    and sys.platform != "darwin"
)


def extension(name: str, *more_flags: str, optional: bool = False) -> Extension:
    all_flags = [*flags, *more_flags]
    return Extension(
        f"brade_fast.{name}",
        [f"src/brade_fast/{name}.pyx"],
        depends=["src/brade_fast/_row.h"],
        define_macros=[
            ("BRADE_FAST_FLAGS", f'"{" ".join(all_flags)}"'),
            *([("BRADE_FAST_PLAIN", "1")] if plain else []),
        ],
        extra_compile_args=all_flags,
        extra_link_args=flags if debug else [],
        optional=optional,
    )


setup(
    ext_modules=cythonize(
        [
            extension("_core"),
            extension("_baseline"),
            *([extension("_v3", *v3_flags, optional=True)] if with_v3 else []),
        ],
        include_path=["src"],
        compiler_directives={
            "boundscheck": debug,
            "wraparound": debug,
            "initializedcheck": debug,
            "cdivision": True,
            "show_performance_hints": False,
            # All that a module keeps is made at import and read only from then on.
            "freethreading_compatible": True,
        },
    )
)

"""The command line: ``brade-fast`` and ``python -m brade_fast``."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Sequence
from typing import TextIO

from .commands import engine, play, records, show
from .commands.common import FAILED, WRONG_USE, Commands, Parser, one_line

__all__ = ["main"]

INTERRUPTED, CLOSED_PIPE = 130, 141


def _build_parser() -> Parser:
    parser = Parser(
        prog="brade-fast",
        description="Bräde, verquere and révertier: legal plays, counts, random games and checks.",
        epilog="Example: brade-fast plays start 6-2",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="store_true", help="print the version and end")
    commands = Commands(parser)
    engine.add_to(commands)
    show.add_to(commands)
    play.add_to(commands)
    records.add_to(commands)
    *most, last = commands.names
    parser.set_defaults(commands=f"{', '.join(most)} or {last}")
    return parser


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = _build_parser()
    arguments, extra = parser.parse_known_args(argv)
    command = getattr(arguments, "parser", parser)
    if extra:
        # Asked here and not by parse_args, so that the command's own name is in the line.
        if extra[0].startswith("-"):
            command.error(f"there is no option {extra[0]}")
        quotes = "" if command is parser else " (a board text goes into quotes)"
        command.error(f"there is no place for {' '.join(extra)!r}{quotes}")
    if len(getattr(arguments, "dice", ())) > 2:
        command.error(
            f"a throw is one or two words, not {' '.join(arguments.dice)!r} "
            "(a board text goes into quotes)"
        )
    if arguments.command is None and not arguments.version:
        parser.error(f"say what to do: {arguments.commands}")
    return arguments


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments after the program's name; by default those of this process.

    Returns
    -------
    int
        The exit status: 0; 1 if ``verify`` found a difference or the output could not be
        written; 2 for wrong use, after one line on stderr that says what would be right;
        130 after Ctrl-C; 141 if the reader of the output has gone.
    """
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show an ä is no reason to stop.
        with contextlib.suppress(AttributeError, ValueError):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    prog = "brade-fast"
    try:
        try:
            arguments = _parse(argv)
            if arguments.command is None:
                from . import __version__

                print(f"brade-fast {__version__}")
                status = 0
            else:
                prog = arguments.parser.prog
                status = arguments.run(arguments)
        except SystemExit as end:  # argparse, after its help or its one line
            status = end.code if isinstance(end.code, int) else 0
        _flush(sys.stdout)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _drop_stdout()
        return CLOSED_PIPE
    except (ValueError, TypeError, OverflowError, MemoryError, ImportError) as error:
        return _complain(prog, error, WRONG_USE)
    except OSError as error:
        _drop_stdout()
        return _complain(prog, error, FAILED)
    return status


def _flush(stream: TextIO | None) -> None:
    if stream is not None:
        stream.flush()


def _drop_stdout() -> None:
    """Let what is left to write go nowhere, else Python complains about it at its end."""
    with contextlib.suppress(Exception):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(prog: str, error: Exception, status: int) -> int:
    message = one_line(error)
    if isinstance(error, MemoryError):
        message = message or "not enough memory; ask for less"
    elif isinstance(error, ImportError):
        message = f"a part of the package is missing ({message}); install it anew"
    with contextlib.suppress(OSError):
        print(f"{prog}: {message}", file=sys.stderr)
    return status

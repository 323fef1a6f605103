"""What the commands share: reading arguments, printing results, showing progress."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NoReturn

from ..rules import BRADE, Rules

if TYPE_CHECKING:
    from .._core import Position

__all__ = [
    "FAILED",
    "POSITION_HELP",
    "WRONG_USE",
    "Command",
    "Commands",
    "Parser",
    "add_progress",
    "add_threads",
    "number",
    "one_line",
    "print_json",
    "print_table",
    "progress",
    "read_position",
    "read_rules",
    "replacing",
    "wants_progress",
]

WRONG_USE, FAILED = 2, 1

POSITION_HELP = (
    "a position id, a board text in quotes such as '1:7 4 14:2 15:2 bar:3 / 1:15', "
    "or the word start"
)


# ---------------------------------------------------------------------------------------
# Arguments


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line and ends with status 2."""

    def error(self, message: str) -> NoReturn:
        self.exit(WRONG_USE, f"{self.prog}: {one_line(message)}; {self.prog} --help tells more\n")


def one_line(message: object) -> str:
    return " ".join(str(message).split())


def number(least: int, most: int = 10**18 - 1) -> Callable[[str], int]:
    def read(text: str) -> int:
        # int() alone would also take '1_000', ' 5 ' and other alphabets' digits.
        if re.fullmatch("[0-9]{1,18}", text) is None or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(
                f"must be a whole number from {least} to {most}, not {text!r}"
            )
        return int(text)

    return read


def read_rules(text: str) -> Rules:
    from ..notation import parse_rules

    try:
        return parse_rules(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def read_position(text: str) -> Position:
    from .._core import Position
    from ..notation import parse_position

    return Position.start() if text == "start" else parse_position(text)


Command = Callable[[argparse.Namespace], int]


class Commands:
    """The commands of one parser; ``add`` makes one with what all have in common."""

    def __init__(self, parser: Parser) -> None:
        self._subparsers = parser.add_subparsers(dest="command", metavar="COMMAND")

    @property
    def names(self) -> list[str]:
        return list(self._subparsers.choices)

    def add(
        self,
        name: str,
        run: Command,
        summary: str,
        example: str,
        *,
        takes_rules: bool = True,
        takes_json: bool = True,
    ) -> Parser:
        """A new command; ``run`` gets the arguments and answers the exit status."""
        command: Parser = self._subparsers.add_parser(
            name,
            help=summary,
            description=summary[0].upper() + summary[1:] + ".",
            epilog=f"Example: brade-fast {example}",
            allow_abbrev=False,
        )
        command.set_defaults(run=run, parser=command)
        if takes_rules:
            command.add_argument(
                "--rules",
                type=read_rules,
                default=BRADE,
                metavar="NAME[,SWITCH=VALUE...]",
                help="brade (default), verquere or revertier, and switches that differ from it, "
                "such as verquere,five_blots=yes",
            )
        if takes_json:
            command.add_argument("--json", action="store_true", help="print the result as JSON")
        return command


def add_progress(command: Parser) -> None:
    command.add_argument(
        "--no-progress",
        action="store_true",
        help="no progress bar (there is none either without a terminal or without tqdm: "
        "pip install 'brade-fast[progress]')",
    )


def add_threads(command: Parser) -> None:
    command.add_argument(
        "--threads", type=number(1), default=1, metavar="N", help="threads (default 1)"
    )


# ---------------------------------------------------------------------------------------
# Output


def print_json(result: object) -> None:
    print(json.dumps(result, indent=2, ensure_ascii=False, allow_nan=False))


def print_table(rows: Sequence[Sequence[str]], left: int) -> None:
    """Print rows in columns; the first `left` columns flush left, the others right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (
            cell.ljust(width) if i < left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        print("  ".join(cells).rstrip())


def wants_progress(arguments: argparse.Namespace) -> bool:
    return not (
        arguments.no_progress or arguments.json or sys.stderr is None or not sys.stderr.isatty()
    )


@contextlib.contextmanager
def progress(arguments: argparse.Namespace, total: int) -> Iterator[Callable[..., object]]:
    """A bar on stderr that comes up after a second; gives what is called after each part, with
    how many of `total` it was, by default one."""
    if wants_progress(arguments):
        try:
            from tqdm import tqdm
        except ImportError:
            pass
        else:
            with tqdm(total=total, delay=1, leave=False, file=sys.stderr) as bar:
                yield bar.update
            return
    yield lambda *_: None


@contextlib.contextmanager
def replacing(target: str | os.PathLike[str]) -> Iterator[str]:
    """The name of a file to write, which takes the place of `target` when all has gone well.

    Else nothing is left of it. It ends as the target's, which tells the format. Behind a link the
    file that it leads to is replaced, and the link stays.
    """
    place = os.path.realpath(target)
    begun = os.path.join(os.path.dirname(place), f".{os.getpid()}.{os.path.basename(target)}")
    try:
        yield begun
        os.replace(begun, place)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.remove(begun)
        raise

"""The command line: ``brade-fast`` and ``python -m brade_fast``."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import math
import os
import platform
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

from .rules import BRADE, Outcome, Rules

if TYPE_CHECKING:
    from ._core import Position

__all__ = ["main"]

WRONG_USE, FAILED, INTERRUPTED, CLOSED_PIPE = 2, 1, 130, 141

_COMMANDS = "bench, perft, plays, playouts, verify or info"
_POSITION_HELP = (
    "a position id, a board text in quotes such as '1:7 4 14:2 15:2 bar:3 / 1:15', "
    "or the word start"
)


# ---------------------------------------------------------------------------------------
# Arguments


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line and ends with status 2."""

    def error(self, message: str) -> NoReturn:
        self.exit(WRONG_USE, f"{self.prog}: {_one_line(message)}; {self.prog} --help tells more\n")


def _one_line(message: object) -> str:
    return " ".join(str(message).split())


def _number(least: int, most: int = 10**18 - 1) -> Callable[[str], int]:
    def read(text: str) -> int:
        # int() alone would also take '1_000', ' 5 ' and other alphabets' digits.
        if re.fullmatch("[0-9]{1,18}", text) is None or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(
                f"must be a whole number from {least} to {most}, not {text!r}"
            )
        return int(text)

    return read


def _rules(text: str) -> Rules:
    from .notation import parse_rules

    try:
        return parse_rules(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _position(text: str) -> Position:
    from ._core import Position
    from .notation import parse_position

    return Position.start() if text == "start" else parse_position(text)


def _build_parser() -> _Parser:
    parser = _Parser(
        prog="brade-fast",
        description="Bräde, verquere and révertier: legal plays, counts, random games and checks.",
        epilog="Example: brade-fast plays start 6-2",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="store_true", help="print the version and end")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    def add(
        name: str, run: Callable[[argparse.Namespace], int], summary: str, example: str
    ) -> _Parser:
        command: _Parser = commands.add_parser(
            name,
            help=summary,
            description=summary[0].upper() + summary[1:] + ".",
            epilog=f"Example: brade-fast {example}",
            allow_abbrev=False,
        )
        command.set_defaults(run=run, parser=command)
        command.add_argument(
            "--rules",
            type=_rules,
            default=BRADE,
            metavar="NAME[,SWITCH=VALUE...]",
            help="brade (default), verquere or revertier, and switches that differ from it, "
            "such as verquere,five_blots=yes",
        )
        command.add_argument("--json", action="store_true", help="print the result as JSON")
        return command

    def add_progress(command: _Parser) -> None:
        command.add_argument(
            "--no-progress",
            action="store_true",
            help="no progress bar (there is none either without a terminal or without tqdm: "
            "pip install 'brade-fast[progress]')",
        )

    def add_threads(command: _Parser) -> None:
        command.add_argument(
            "--threads", type=_number(1), default=1, metavar="N", help="threads (default 1)"
        )

    bench = add("bench", _bench, "measure the speed on the corpora of the package", "bench --quick")
    bench.add_argument(
        "--repeats",
        type=_number(1),
        default=5,
        metavar="N",
        help="measurements of which the median is taken (default 5)",
    )
    bench.add_argument("--quick", action="store_true", help="a small part of the corpora only")
    add_progress(bench)

    perft = add(
        "perft",
        _perft,
        "count the plays of all 21 throws to a depth",
        "perft 3 --divide --rules verquere",
    )
    perft.add_argument("depth", type=_number(0, 100), metavar="DEPTH", help="turns to look ahead")
    perft.add_argument("position", nargs="?", default="start", metavar="POSITION",
                       help=_POSITION_HELP + " (default)")  # fmt: skip
    perft.add_argument("--divide", action="store_true", help="the count of each throw too")
    add_threads(perft)
    add_progress(perft)

    plays = add(
        "plays",
        _plays,
        "list the legal plays of a throw",
        "plays '1:7 4 14:2 15:2 bar:3 / 1:10 15 17:2 18:2' 6-2",
    )
    plays.add_argument("position", metavar="POSITION", help=_POSITION_HELP)
    plays.add_argument("dice", nargs="+", metavar="DICE", help="a throw: 62, 6-2 or 6 2")

    playouts = add(
        "playouts",
        _playouts,
        "play random games to the end and count the outcomes",
        "playouts start --trials 10000 --seed 1",
    )
    playouts.add_argument("positions", nargs="*", default=["start"], metavar="POSITION",
                          help=_POSITION_HELP + " (default)")  # fmt: skip
    playouts.add_argument(
        "--trials",
        type=_number(1),
        default=10_000,
        metavar="N",
        help="games from each position (default 10000)",
    )
    playouts.add_argument(
        "--seed", type=_number(0), metavar="N", help="of the dice and plays (default: any)"
    )
    add_threads(playouts)
    add_progress(playouts)

    verify = add(
        "verify",
        _verify,
        "compare the core with the reference; status 1 on a difference",
        "verify --pairs 20000 --seed 1 --jobs 2",
    )
    verify.add_argument(
        "--pairs",
        type=_number(1),
        default=20_000,
        metavar="N",
        help="pairs of a position and a throw (default 20000)",
    )
    verify.add_argument(
        "--seed", type=_number(0), default=1, metavar="N", help="of the positions (default 1)"
    )
    verify.add_argument(
        "--jobs", type=_number(1), default=1, metavar="N", help="processes (default 1)"
    )
    verify.set_defaults(rules=None)
    add_progress(verify)

    add("info", _info, "tell how the package was built and what it runs on", "info --json")
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
        parser.error(f"say what to do: {_COMMANDS}")
    return arguments


# ---------------------------------------------------------------------------------------
# Output


def _print_json(result: object) -> None:
    print(json.dumps(result, indent=2, ensure_ascii=False, allow_nan=False))


def _print_table(rows: Sequence[Sequence[str]], left: int) -> None:
    """Print rows in columns; the first `left` columns flush left, the others right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (
            cell.ljust(width) if i < left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        print("  ".join(cells).rstrip())


def _wants_progress(arguments: argparse.Namespace) -> bool:
    return not (
        arguments.no_progress or arguments.json or sys.stderr is None or not sys.stderr.isatty()
    )


@contextlib.contextmanager
def _progress(arguments: argparse.Namespace, total: int) -> Iterator[Callable[[], object]]:
    """A bar on stderr that comes up after a second; gives what is called after each part."""
    if _wants_progress(arguments):
        try:
            from tqdm import tqdm
        except ImportError:
            pass
        else:
            with tqdm(total=total, delay=1, leave=False, file=sys.stderr) as bar:
                yield bar.update
            return
    yield lambda: None


# ---------------------------------------------------------------------------------------
# Commands


def _bench(arguments: argparse.Namespace) -> int:
    from . import bench

    result = bench.run(
        arguments.rules,
        repeats=arguments.repeats,
        quick=arguments.quick,
        progress=_wants_progress(arguments),
    )
    if arguments.json:
        _print_json(result)
    else:
        print(bench.format_table(result))
    return 0


def _perft(arguments: argparse.Namespace) -> int:
    from ._core import perft
    from .notation import board_text, rules_text
    from .positions import THROWS

    rules, depth, threads = arguments.rules, arguments.depth, arguments.threads
    position = _position(arguments.position)

    def count(throw: tuple[int, int]) -> int:
        """The part of perft(position, depth) that begins with this throw."""
        return sum(
            1
            if play.outcome != Outcome.NONE
            else perft(play.position, depth - 1, rules, threads=threads)
            for play in position.plays(*throw, rules)
        )

    begin = time.perf_counter()
    nodes = perft(position, 0, rules)
    divide: dict[str, int] = {}
    if depth:
        with _progress(arguments, len(THROWS)) as done:
            for throw in THROWS:
                divide["{}-{}".format(*throw)] = count(throw)
                done()
        nodes = sum(divide.values())
    seconds = time.perf_counter() - begin

    if arguments.json:
        result: dict[str, Any] = {
            "position": position.id,
            "board": board_text(position),
            "rules": rules_text(rules),
            "depth": depth,
            "nodes": nodes,
            "seconds": seconds,
        }
        if arguments.divide:
            result["divide"] = divide
        _print_json(result)
        return 0
    if arguments.divide and divide:
        _print_table([(name, f"{n:,}") for name, n in divide.items()], left=1)
    print(f"perft {depth}: {nodes:,} plays in {seconds:.3f} s ({rules_text(rules)})")
    return 0


def _plays(arguments: argparse.Namespace) -> int:
    from .notation import board_text, outcome_name, outcome_title, parse_dice, rules_text

    rules = arguments.rules
    dice = parse_dice(" ".join(arguments.dice))
    position = _position(arguments.position)
    plays = sorted(
        position.plays(*dice, rules),
        key=lambda play: [(step.source, -step.die) for step in play.canonical_steps],
    )
    if arguments.json:
        _print_json(
            {
                "position": position.id,
                "board": board_text(position),
                "dice": dice,
                "rules": rules_text(rules),
                "plays": [
                    {
                        "play": str(play),
                        "steps": [
                            {
                                "source": step.source,
                                "target": step.target,
                                "die": step.die,
                                "hit": step.hit,
                            }
                            for step in play.canonical_steps
                        ],
                        "position": play.position.id,
                        "board": board_text(play.position),
                        "outcome": outcome_name(play.outcome),
                        "points": rules.value(play.outcome),
                    }
                    for play in plays
                ],
            }
        )
        return 0
    print(f"{position.id}  {board_text(position)}")
    number = f"{len(plays)} play{'s' if len(plays) != 1 else ''}"
    print(f"{dice[0]}-{dice[1]}, {rules_text(rules)}: {number}")
    print()
    rows = [("play", "position after it", "outcome", "points")]
    for play in plays:
        ended = play.outcome != Outcome.NONE
        rows.append(
            (
                str(play),
                play.position.id,
                outcome_title(play.outcome) if ended else "-",
                str(rules.value(play.outcome)) if ended else "-",
            )
        )
    _print_table(rows, left=3)
    return 0


def _playouts(arguments: argparse.Namespace) -> int:
    import random

    from ._core import playouts

    trials, rules = arguments.trials, arguments.rules
    # Chosen here so that it can be printed, and so that all positions have the same dice.
    seed = random.SystemRandom().randrange(2**32) if arguments.seed is None else arguments.seed
    positions = [_position(text) for text in arguments.positions]
    reports = []
    with _progress(arguments, len(positions)) as done:
        for position in positions:
            found = playouts(position, trials, seed, rules, threads=arguments.threads)
            games = found.outcomes[0].tolist()
            reports.append(_playout_report(position, games, int(found.turns[0]), rules))
            done()
    if arguments.json:
        from .notation import rules_text

        _print_json(
            {"rules": rules_text(rules), "seed": seed, "trials": trials, "positions": reports}
        )
        return 0
    for i, report in enumerate(reports):
        if i:
            print()
        _print_playouts(report, seed, rules)
    return 0


def _playout_report(
    position: Position, games: list[list[int]], turns: int, rules: Rules
) -> dict[str, Any]:
    from .notation import board_text, outcome_name

    deadlock = Outcome.DEADLOCK
    drawn = games[0][deadlock] + games[1][deadlock]
    ends = [o for o in Outcome if o not in (Outcome.NONE, deadlock)]
    trials = sum(map(sum, games))
    # Whole numbers, so that the mean is exact whatever the points.
    total = sum(rules.value(o) * (games[0][o] - games[1][o]) for o in ends)
    squares = sum(rules.value(o) ** 2 * (games[0][o] + games[1][o]) for o in ends)
    error = (
        math.sqrt((squares * trials - total**2) / (trials**2 * (trials - 1)))
        if trials > 1
        else None
    )
    return {
        "position": position.id,
        "board": board_text(position),
        "trials": trials,
        "mover": {outcome_name(o): games[0][o] for o in ends},
        "other": {outcome_name(o): games[1][o] for o in ends},
        "deadlock": drawn,
        "mover_wins": sum(games[0][o] for o in ends) / trials,
        "other_wins": sum(games[1][o] for o in ends) / trials,
        "equity": total / trials,
        "standard_error": error,
        "mean_turns": turns / trials,
    }


def _print_playouts(report: dict[str, Any], seed: int, rules: Rules) -> None:
    from .notation import outcome_name, outcome_title, rules_text

    trials = report["trials"]
    print(f"{report['position']}  {report['board']}")
    print(f"{trials:,} random games, seed {seed}, {rules_text(rules)}")
    print()
    rows: list[tuple[str, ...]] = [("outcome", "points", "mover", "share", "other", "share")]
    for outcome in Outcome:
        name = outcome_name(outcome)
        counts = [report[side].get(name, 0) for side in ("mover", "other")]
        if any(counts):
            numbers = [cell for n in counts for cell in (f"{n:,}", f"{n / trials:.2%}")]
            rows.append((outcome_title(outcome), str(rules.value(outcome)), *numbers))
    shares = [report["mover_wins"], report["other_wins"]]
    wins = [sum(report[side].values()) for side in ("mover", "other")]
    rows.append(
        ("all wins", "", f"{wins[0]:,}", f"{shares[0]:.2%}", f"{wins[1]:,}", f"{shares[1]:.2%}")
    )
    _print_table(rows, left=1)
    print()
    if report["deadlock"]:
        print(f"drawn by deadlock  {report['deadlock']:,} ({report['deadlock'] / trials:.2%})")
    error = report["standard_error"]
    spread = "" if error is None else f" ± {error:.4f} (standard error)"
    print(f"points for the mover, mean  {report['equity']:+.4f}{spread}")
    print(f"turns, mean  {report['mean_turns']:.2f}")


def _verify(arguments: argparse.Namespace) -> int:
    from . import verify

    report = verify.run(
        arguments.pairs,
        arguments.seed,
        arguments.jobs,
        rules=arguments.rules,
        progress=_wants_progress(arguments),
    )
    if arguments.json:
        _print_json(report.as_dict())
    else:
        print(report.text())
    return 0 if report.ok else FAILED


def _info(arguments: argparse.Namespace) -> int:
    import numpy as np

    from . import __version__
    from ._core import build_info
    from .notation import rules_text

    facts = {
        "brade_fast": __version__,
        **build_info(),
        "numpy": np.__version__,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "platform": platform.platform(),
        "rules": rules_text(arguments.rules),
    }
    if arguments.json:
        switches = dataclasses.asdict(arguments.rules)
        switches = {k: v for k, v in switches.items() if not k.startswith("_") and k != "name"}
        switches["points"] = arguments.rules.points._asdict()
        _print_json({**facts, "switches": switches})
    else:
        _print_table([(name, str(fact)) for name, fact in facts.items()], left=2)
    return 0


# ---------------------------------------------------------------------------------------


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
    message = _one_line(error)
    if isinstance(error, MemoryError):
        message = message or "not enough memory; ask for less"
    elif isinstance(error, ImportError):
        message = f"a part of the package is missing ({message}); install it anew"
    with contextlib.suppress(OSError):
        print(f"{prog}: {message}", file=sys.stderr)
    return status

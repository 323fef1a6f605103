"""The commands about the engine itself: bench, perft, plays, playouts, verify and info."""

from __future__ import annotations

import argparse
import dataclasses
import math
import platform
import time
from typing import TYPE_CHECKING, Any

from ..rules import Outcome, Rules
from .common import (
    FAILED,
    POSITION_HELP,
    Commands,
    add_progress,
    add_threads,
    number,
    print_json,
    print_table,
    progress,
    read_position,
    wants_progress,
)

if TYPE_CHECKING:
    from .._core import Position

__all__ = ["add_to"]


def add_to(commands: Commands) -> None:
    """Adds the commands of this file."""
    bench = commands.add(
        "bench", _bench, "measure the speed on the corpora of the package", "bench --quick"
    )
    bench.add_argument(
        "--repeats",
        type=number(1),
        default=5,
        metavar="N",
        help="measurements of which the median is taken (default 5)",
    )
    bench.add_argument("--quick", action="store_true", help="a small part of the corpora only")
    add_progress(bench)

    perft = commands.add(
        "perft",
        _perft,
        "count the plays of all 21 throws to a depth",
        "perft 3 --divide --rules verquere",
    )
    perft.add_argument("depth", type=number(0, 100), metavar="DEPTH", help="turns to look ahead")
    perft.add_argument("position", nargs="?", default="start", metavar="POSITION",
                       help=POSITION_HELP + " (default)")  # fmt: skip
    perft.add_argument("--divide", action="store_true", help="the count of each throw too")
    add_threads(perft)
    add_progress(perft)

    plays = commands.add(
        "plays",
        _plays,
        "list the legal plays of a throw",
        "plays '1:7 4 14:2 15:2 bar:3 / 1:10 15 17:2 18:2' 6-2",
    )
    plays.add_argument("position", metavar="POSITION", help=POSITION_HELP)
    plays.add_argument("dice", nargs="+", metavar="DICE", help="a throw: 62, 6-2 or 6 2")

    playouts = commands.add(
        "playouts",
        _playouts,
        "play random games to the end and count the outcomes",
        "playouts start --trials 10000 --seed 1",
    )
    playouts.add_argument("positions", nargs="*", default=["start"], metavar="POSITION",
                          help=POSITION_HELP + " (default)")  # fmt: skip
    playouts.add_argument(
        "--trials",
        type=number(1),
        default=10_000,
        metavar="N",
        help="games from each position (default 10000)",
    )
    playouts.add_argument(
        "--seed", type=number(0), metavar="N", help="of the dice and plays (default: any)"
    )
    add_threads(playouts)
    add_progress(playouts)

    verify = commands.add(
        "verify",
        _verify,
        "compare the core with the reference; status 1 on a difference",
        "verify --pairs 20000 --seed 1 --jobs 2",
    )
    verify.add_argument(
        "--pairs",
        type=number(1),
        default=20_000,
        metavar="N",
        help="pairs of a position and a throw (default 20000)",
    )
    verify.add_argument(
        "--seed", type=number(0), default=1, metavar="N", help="of the positions (default 1)"
    )
    verify.add_argument(
        "--jobs", type=number(1), default=1, metavar="N", help="processes (default 1)"
    )
    verify.set_defaults(rules=None)
    add_progress(verify)

    commands.add("info", _info, "tell how the package was built and what it runs on", "info --json")


def _bench(arguments: argparse.Namespace) -> int:
    from .. import bench

    result = bench.run(
        arguments.rules,
        repeats=arguments.repeats,
        quick=arguments.quick,
        progress=wants_progress(arguments),
    )
    if arguments.json:
        print_json(result)
    else:
        print(bench.format_table(result))
    return 0


def _perft(arguments: argparse.Namespace) -> int:
    from .._core import perft
    from ..notation import board_text, rules_text
    from ..positions import THROWS

    rules, depth, threads = arguments.rules, arguments.depth, arguments.threads
    position = read_position(arguments.position)

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
        with progress(arguments, len(THROWS)) as done:
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
        print_json(result)
        return 0
    if arguments.divide and divide:
        print_table([(name, f"{n:,}") for name, n in divide.items()], left=1)
    print(f"perft {depth}: {nodes:,} plays in {seconds:.3f} s ({rules_text(rules)})")
    return 0


def _plays(arguments: argparse.Namespace) -> int:
    from ..notation import board_text, outcome_name, outcome_title, parse_dice, rules_text

    rules = arguments.rules
    dice = parse_dice(" ".join(arguments.dice))
    position = read_position(arguments.position)
    plays = sorted(
        position.plays(*dice, rules),
        key=lambda play: [(step.source, -step.die) for step in play.canonical_steps],
    )
    if arguments.json:
        print_json(
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
    print_table(rows, left=3)
    return 0


def _playouts(arguments: argparse.Namespace) -> int:
    import random

    from .._core import playouts

    trials, rules = arguments.trials, arguments.rules
    # Chosen here so that it can be printed, and so that all positions have the same dice.
    seed = random.SystemRandom().randrange(2**32) if arguments.seed is None else arguments.seed
    positions = [read_position(text) for text in arguments.positions]
    reports = []
    with progress(arguments, len(positions)) as done:
        for position in positions:
            found = playouts(position, trials, seed, rules, threads=arguments.threads)
            games = found.outcomes[0].tolist()
            reports.append(_playout_report(position, games, int(found.turns[0]), rules))
            done()
    if arguments.json:
        from ..notation import rules_text

        print_json(
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
    from ..notation import board_text, outcome_name

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
    from ..notation import outcome_name, outcome_title, rules_text

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
    print_table(rows, left=1)
    print()
    if report["deadlock"]:
        print(f"drawn by deadlock  {report['deadlock']:,} ({report['deadlock'] / trials:.2%})")
    error = report["standard_error"]
    spread = "" if error is None else f" ± {error:.4f} (standard error)"
    print(f"points for the mover, mean  {report['equity']:+.4f}{spread}")
    print(f"turns, mean  {report['mean_turns']:.2f}")


def _verify(arguments: argparse.Namespace) -> int:
    from .. import verify

    report = verify.run(
        arguments.pairs,
        arguments.seed,
        arguments.jobs,
        rules=arguments.rules,
        progress=wants_progress(arguments),
    )
    if arguments.json:
        print_json(report.as_dict())
    else:
        print(report.text())
    return 0 if report.ok else FAILED


def _info(arguments: argparse.Namespace) -> int:
    import numpy as np

    from .. import __version__
    from .._core import build_info
    from ..notation import rules_text

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
        print_json({**facts, "switches": switches})
    else:
        print_table([(name, str(fact)) for name, fact in facts.items()], left=2)
    return 0

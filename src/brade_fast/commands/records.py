"""The commands about record files: convert, check and stats."""

from __future__ import annotations

import argparse
import collections
import math
import os
import re
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..rules import BRADE, Outcome, RecordError
from .common import (
    FAILED,
    Commands,
    add_progress,
    print_json,
    print_table,
    progress,
    replacing,
)

if TYPE_CHECKING:
    from ..record import GameReader, GameRecord

__all__ = ["add_to"]

_FILE_HELP = "a file of games: text, or JSON Lines (.jsonl), each also packed (.gz)"


def add_to(commands: Commands) -> None:
    """Adds the commands of this file."""
    convert = commands.add(
        "convert",
        _convert,
        "turn a record file into another format, or tell a position in all its forms",
        "convert games.txt games.jsonl.gz",
        takes_rules=False,
    )
    convert.add_argument("source", metavar="FILE|POSITION",
                         help=_FILE_HELP + "; or a position in any form")  # fmt: skip
    convert.add_argument("target", nargs="?", metavar="FILE",
                         help="the file to write, in the format of its name; it must not "
                         "be there")  # fmt: skip
    convert.add_argument("--skip", action="store_true", help="leave out games that cannot be read")
    convert.add_argument("--force", action="store_true", help="write over a file that is there")
    add_progress(convert)

    check = commands.add(
        "check",
        _check,
        "look whether record files are whole and every play and result legal; status 1 if not",
        "check games.txt",
        takes_rules=False,
    )
    check.add_argument("files", nargs="+", metavar="FILE", help=_FILE_HELP)
    add_progress(check)

    stats = commands.add(
        "stats",
        _stats,
        "count lengths, outcomes and throws of a record file",
        "stats games.txt --plot games.svg",
        takes_rules=False,
    )
    stats.add_argument("file", metavar="FILE", help=_FILE_HELP)
    stats.add_argument("--skip", action="store_true", help="leave out games that cannot be read")
    stats.add_argument("--plot", metavar="FILE",
                       help="draw the tables too, as .svg, .png or .pdf "
                       "(which needs pip install 'brade-fast[plots]')")  # fmt: skip
    add_progress(stats)


def _games(arguments: argparse.Namespace, reader: GameReader, size: int) -> Iterator[GameRecord]:
    """The games of a reader, with a progress bar of bytes."""
    with progress(arguments, size) as done:
        before = 0
        for record in reader:
            yield record
            done(reader.place - before)
            before = reader.place


def _open(file: str, *, strict: bool) -> tuple[GameReader, int]:
    from ..record import read_games

    reader = read_games(file, strict=strict)
    return reader, os.path.getsize(file)


def _warn(reader: GameReader, file: str) -> None:
    """Tells on stderr what was left out."""
    if reader.cut is not None:
        print(f"{file}: cut off; {reader.cut} is not whole and was left out", file=sys.stderr)
    if reader.skipped:
        first = f"; the first: {reader.errors[0]}"
        print(f"{file}: {_count(reader.skipped, 'game')} left out{first}", file=sys.stderr)


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


# ---------------------------------------------------------------------------------------
# convert


def _convert(arguments: argparse.Namespace) -> int:
    source, target = arguments.source, arguments.target
    if target is None:
        if os.path.exists(source):
            raise ValueError(f"say which file {source} is to be turned into")
        if source.lower().endswith((".txt", ".jsonl", ".gz")):
            raise ValueError(f"there is no file {source}")
        return _convert_position(arguments)
    if os.path.exists(target):
        if not os.path.isfile(target):
            raise ValueError(f"{target} is no ordinary file and cannot be written over")
        if os.path.exists(source) and os.path.samefile(source, target):
            raise ValueError(f"{target} is the file that is read; choose another name")
        if not arguments.force:
            raise ValueError(f"{target} is there already; --force writes over it")
    from ..record import open_writer

    reader, size = _open(source, strict=not arguments.skip)
    with replacing(target) as begun, reader, open_writer(begun) as writer:
        for record in _games(arguments, reader, size):
            writer.write(record)
    _warn(reader, source)
    if arguments.json:
        print_json({"games": writer.written, "skipped": reader.skipped, "cut": reader.cut})
    else:
        print(f"{_count(writer.written, 'game')} written to {target}")
    return 0


def _convert_position(arguments: argparse.Namespace) -> int:
    from .._core import Position
    from ..notation import State, board_text, parse_position, parse_state, state_text

    text = arguments.source
    state = None
    if text == "start":
        position = Position.start()
    elif re.match(r"[^:]*:\s*[WB]\s*:", text, re.IGNORECASE):
        state = parse_state(text)
        position = state.position
    else:
        position = parse_position(text)
    facts = {
        "id": position.id,
        "board": board_text(position),
        "state": state_text(state or State(BRADE, "W", None, position)),
    }
    if arguments.json:
        print_json({**facts, "array": position.array().tolist()})
    else:
        print_table(list(facts.items()), left=2)
    return 0


# ---------------------------------------------------------------------------------------
# check


def _check(arguments: argparse.Namespace) -> int:
    results = []
    for file in arguments.files:
        reader, size = _open(file, strict=False)
        games = turns = unfinished = 0
        fatal: RecordError | None = None
        try:
            for record in _games(arguments, reader, size):
                games += 1
                turns += len(record.game.moves)
                unfinished += not record.game.is_over
        except RecordError as error:  # a file that cannot be read any further
            fatal = error
        errors = [*map(str, reader.errors), *([str(fatal)] if fatal else [])]
        results.append(
            {
                "file": file,
                "games": games,
                "turns": turns,
                "unfinished": unfinished,
                "broken": reader.skipped + (fatal is not None),
                "cut": reader.cut,
                "errors": errors,
            }
        )
    ok = not any(result["broken"] or result["cut"] for result in results)
    if arguments.json:
        print_json({"ok": ok, "files": results})
    else:
        for result in results:
            _print_check(result)
    return 0 if ok else FAILED


def _print_check(result: dict[str, Any]) -> None:
    for error in result["errors"]:
        print(error)
    more = result["broken"] - len(result["errors"])
    if more:
        print(f"... and {_count(more, 'broken game')} more")
    parts = [f"{_count(result['games'], 'legal game')}, {_count(result['turns'], 'turn')}"]
    if result["unfinished"]:
        parts.append(f"{result['unfinished']:,} of them unfinished")
    if result["broken"]:
        parts.append(_count(result["broken"], "broken game"))
    if result["cut"]:
        parts.append(f"cut off at its end: {result['cut']} is not whole")
    print(f"{result['file']}: {'; '.join(parts)}")


# ---------------------------------------------------------------------------------------
# stats


def _stats(arguments: argparse.Namespace) -> int:
    if arguments.plot:
        _pyplot()  # complain before the work, not after it
    reader, size = _open(arguments.file, strict=not arguments.skip)
    lengths: list[int] = []
    unfinished = 0
    points = {"W": 0, "B": 0}
    outcomes: dict[str, collections.Counter[Outcome]] = {
        name: collections.Counter() for name in ("W", "B", "draw")
    }
    resigned = 0
    throws: collections.Counter[tuple[int, int]] = collections.Counter()
    with reader:
        for record in _games(arguments, reader, size):
            game = record.game
            # The dice of a teka are never equal: they are no throw like the others.
            opening = game.teka is not None and game.rules.opening == "high_plays_dice"
            for move in game.moves[opening:]:
                throws[max(move.dice), min(move.dice)] += 1
            if game.result is None:
                unfinished += 1
                continue
            lengths.append(len(game.moves))
            winner, outcome, value, how = game.result
            outcomes[str(winner) if winner else "draw"][outcome] += 1
            resigned += how.value == "resigned"
            if winner:
                points[str(winner)] += value
    _warn(reader, arguments.file)
    facts = _facts(lengths, outcomes, throws)
    facts |= {
        "unfinished": unfinished, "resigned": resigned, "points": points,
        "skipped": reader.skipped, "cut": reader.cut,
    }  # fmt: skip
    if arguments.plot:
        _plot(arguments.plot, lengths, facts)
    if arguments.json:
        print_json(facts)
    else:
        _print_stats(facts)
    return 0


def _facts(
    lengths: list[int],
    outcomes: dict[str, collections.Counter[Outcome]],
    throws: collections.Counter[tuple[int, int]],
) -> dict[str, Any]:
    from ..notation import outcome_name
    from ..positions import THROWS

    total = sum(throws.values())
    expected = {throw: total / (36 if throw[0] == throw[1] else 18) for throw in THROWS}
    chi_square = sum((throws[t] - e) ** 2 / e for t, e in expected.items()) if total else None
    ordered = sorted(lengths)
    return {
        "games": len(lengths),
        "turns": {
            "mean": sum(lengths) / len(lengths),
            "median": (ordered[len(ordered) // 2] + ordered[(len(ordered) - 1) // 2]) / 2,
            "shortest": ordered[0],
            "longest": ordered[-1],
        }
        if lengths
        else None,
        "outcomes": {
            winner: {outcome_name(o): counts[o] for o in Outcome if counts[o]}
            for winner, counts in outcomes.items()
        },
        "throws": {"{}-{}".format(*throw): throws[throw] for throw in THROWS},
        "chi_square": chi_square,
        "p_value": None if chi_square is None else _p_value(chi_square),
    }


def _p_value(chi_square: float) -> float:
    """The chance that 21 fair throws differ so much: 20 degrees of freedom, an even number, for
    which the distribution has a closed form."""
    half = chi_square / 2
    return math.exp(-half) * sum(half**i / math.factorial(i) for i in range(10))


def _p_text(p_value: float) -> str:
    return f"p = {p_value:.3f}" if p_value >= 0.001 else "p < 0.001"


def _print_stats(facts: dict[str, Any]) -> None:
    from ..notation import outcome_title, parse_outcome

    finished = facts["games"]
    line = f"{_count(finished, 'finished game')}"
    for name in ("unfinished", "resigned"):
        if facts[name]:
            line += f", {facts[name]:,} {name}"
    print(line)
    if finished:
        turns = facts["turns"]
        print(
            f"turns: {turns['mean']:.1f} in the mean, median {turns['median']:g}, "
            f"{turns['shortest']} to {turns['longest']}"
        )
        print(f"points: W {facts['points']['W']:,}, B {facts['points']['B']:,}")
        print()
        names = dict.fromkeys(name for counts in facts["outcomes"].values() for name in counts)
        rows: list[tuple[str, ...]] = [("outcome", "W", "B", "share")]
        for name in sorted(names, key=parse_outcome):
            white, black, drawn = (facts["outcomes"][w].get(name, 0) for w in ("W", "B", "draw"))
            total = white + black + drawn
            share = f"{total / finished:.1%}"
            title = outcome_title(parse_outcome(name))
            rows.append((title, f"{white:,}", f"{black:,}" if not drawn else f"= {drawn:,}", share))
        print_table(rows, left=1)
    total = sum(facts["throws"].values())
    if total:
        print()
        print(f"{_count(total, 'throw')}; each die down and across, the higher one down")
        rows = [("", *map(str, range(1, 7)))]
        for high in range(1, 7):
            cells = [f"{facts['throws'][f'{high}-{low}']:,}" for low in range(1, high + 1)]
            rows.append((str(high), *cells, *[""] * (6 - high)))
        print_table(rows, left=1)
        print(
            f"chi-square of the 21 throws {facts['chi_square']:.1f} "
            f"(20 degrees of freedom), {_p_text(facts['p_value'])}"
        )


def _pyplot() -> Any:
    try:
        import matplotlib
    except ImportError:
        raise ValueError("a plot needs matplotlib: pip install 'brade-fast[plots]'") from None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot


def _plot(file: str, lengths: list[int], facts: dict[str, Any]) -> None:
    from ..notation import outcome_title, parse_outcome

    pyplot = _pyplot()
    figure, (left, middle, right) = pyplot.subplots(1, 3, figsize=(15, 4.5), layout="constrained")
    left.hist(lengths, bins=min(40, max(len(set(lengths)), 1)), color="#2f6f4f")
    left.set(title=f"Turns of {_count(len(lengths), 'game')}", xlabel="turns", ylabel="games")
    names = sorted(
        {name for counts in facts["outcomes"].values() for name in counts}, key=parse_outcome
    )
    titles = [outcome_title(parse_outcome(name)) for name in names]
    before = [0] * len(names)
    for winner, color in (("W", "#d9c88f"), ("B", "#5a3a2e"), ("draw", "#888888")):
        counts = [facts["outcomes"][winner].get(name, 0) for name in names]
        if any(counts):
            middle.barh(titles, counts, left=before, label=winner, color=color)
            before = [a + b for a, b in zip(before, counts, strict=True)]
    if names:
        middle.legend(title="winner")
    middle.invert_yaxis()
    middle.set(title="Outcomes", xlabel="games")
    throws = facts["throws"]
    total = sum(throws.values())
    share = [n * (36 if t[0] == t[2] else 18) / total if total else 0 for t, n in throws.items()]
    right.bar(list(throws), share, color="#7a2f2f")
    right.axhline(1, color="black", linewidth=1)
    right.tick_params(axis="x", rotation=90)
    p_value = facts["p_value"]
    title = "Throws" + ("" if p_value is None else f" ({_p_text(p_value)})")
    right.set(title=title, ylabel="times the number expected")
    figure.savefig(file)
    pyplot.close(figure)

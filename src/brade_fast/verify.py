"""The cross-check: the core and the reference must give the same plays everywhere.

Random positions of self-play and of every kind in `positions`, under random rules, in numbered
batches that depend on nothing but the seed and their number. Counted besides is how often
each rare thing came up, so that nobody trusts a check that never met it.
"""

from __future__ import annotations

import dataclasses
import importlib
import itertools
import multiprocessing
import shlex
import signal
from collections import Counter
from collections.abc import Generator, Iterable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from . import positions, reference
from .rules import Enumeration, Outcome, Rules

__all__ = ["FEATURES", "Report", "run"]

#: What is counted, once for each pair in which it occurs.
FEATURES: dict[str, str] = {
    "forced": "a made point is forced open",
    "forced_twice": "two made points are forced in one turn",
    "forced_john": "a forced John",
    "same_board_two_outcomes": "one board is reached with two outcomes",
    "single_crown": "a single crown",
    "double_crown": "a double crown",
    "staircase": "a staircase",
    "tower": "a tower",
    "monk": "an ending with monk",
    "ending_with_dice_left": "a win before the last die",
    "reduction_decides": "the smallest reduction rules something out",
    "higher_die_decides": "the higher die rules something out",
    "junker": "the Junker passes",
    "seven_run": "a run of seven or more is forced",
    "last_man": "a last man could force if he were allowed to",
    "talon_reentered": "a man enters on his talon",
}

_BATCH = 200
_SELF_PLAY = 0.2  # of each batch; the kinds share the rest
# Where much has to come together, more positions are needed.
_KINDS = (*positions.KINDS, "nice_near", "john_near", "nice_near")
_CROWNS: dict[int, str] = {
    outcome: game
    for game in ("single_crown", "double_crown", "staircase", "tower")
    for outcome in (Outcome[game.upper()], Outcome[f"{game.upper()}_MONK"])
}
_MONKS = frozenset(int(outcome) for outcome in Outcome if outcome.name.endswith("_MONK"))

Rows: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]
Throw: TypeAlias = tuple[int, int]
Steps: TypeAlias = tuple[tuple[int, ...], ...]
Key: TypeAlias = tuple[bytes, int]  # what makes plays the same: board and outcome
Plays: TypeAlias = list[tuple[Key, Steps]]


@dataclasses.dataclass(frozen=True)
class Report:
    """What a cross-check found.

    Attributes
    ----------
    pairs : int
        Pairs of position and throw that were compared; fewer than asked for after a difference.
    seed : int
    features : dict
        How many pairs had each of `FEATURES`.
    difference : str or None
        The first difference, with all that is needed to look at it from the command line.
    """

    pairs: int
    seed: int
    features: dict[str, int]
    difference: str | None = None

    @property
    def ok(self) -> bool:
        """Whether no difference was found."""
        return self.difference is None

    def text(self) -> str:
        """For people to read."""
        width = max(map(len, FEATURES))
        lines = [f"{self.pairs:,} pairs compared, seed {self.seed}; pairs in which"]
        lines += [
            f"  {name:{width}}  {self.features[name]:>9,}  {meaning}"
            for name, meaning in FEATURES.items()
        ]
        lines.append(self.difference or "core and reference agree")
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"ok": self.ok, **dataclasses.asdict(self)}


def run(
    pairs: int,
    seed: int,
    jobs: int = 1,
    rules: Rules | None = None,
    progress: bool = False,
) -> Report:
    """Compare the core with the reference on random positions and throws.

    Parameters
    ----------
    pairs : int
        How many pairs of position and throw.
    seed : int
        Decides everything, whatever `jobs` is.
    jobs : int
        Processes. With more than one the caller's main module must be importable.
    rules : Rules, optional
        Only these; otherwise the three games, their options and random mixes.
    progress : bool
        Show a bar if tqdm is installed.

    Returns
    -------
    Report
    """
    if pairs < 0 or seed < 0 or jobs < 1:
        raise ValueError("pairs and seed must be at least 0, jobs at least 1")
    batches = -(-pairs // _BATCH)
    tasks = (_Task(seed, n, min(_BATCH, pairs - n * _BATCH), rules) for n in range(batches))
    done, counts, difference = 0, Counter[str](), None
    # An explicit close ends the processes even when an exception leaves the loop.
    results = _results(tasks, min(jobs, batches))
    bar = _bar(pairs) if progress else None
    try:
        for result in results:
            done += result.pairs
            counts.update(result.features)
            if bar is not None:
                bar.update(result.pairs)
            if result.difference is not None:
                difference = result.difference
                break
    finally:
        results.close()
        if bar is not None:
            bar.close()
    return Report(done, seed, {name: counts[name] for name in FEATURES}, difference)


# --- Batches ----------------------------------------------------------------------------


class _Task(NamedTuple):
    seed: int
    number: int
    pairs: int
    rules: Rules | None


class _Result(NamedTuple):
    pairs: int
    features: Counter[str]
    difference: str | None


def _results(tasks: Iterable[_Task], jobs: int) -> Generator[_Result, None, None]:
    if jobs <= 1:
        yield from map(_run_batch, tasks)
        return
    # Spawned, because a fork in a process with threads may hang.
    context = multiprocessing.get_context("spawn")
    pool = context.Pool(jobs, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN))
    try:
        yield from pool.imap(_run_batch, tasks)
    finally:
        pool.terminate()
        pool.join()


def _bar(total: int) -> Any:
    try:
        return importlib.import_module("tqdm").tqdm(total=total, unit="pair", unit_scale=True)
    except ImportError:
        return None


def _draw(task: _Task) -> tuple[Rules, npt.NDArray[np.int8], npt.NDArray[np.int8]]:
    """The rules, boards and throws of a batch."""
    rng = np.random.default_rng((task.seed, task.number))
    rules = positions.random_rules(rng)
    if task.rules is not None:
        rules = task.rules
    played = round(task.pairs * _SELF_PLAY)
    games = positions.self_play(rng, rules, 4 * played, turns=80)
    boards = [games[rng.permutation(len(games))[:played]]]
    first = int(rng.integers(len(_KINDS)))
    kinds = itertools.islice(itertools.cycle(_KINDS), first, None)
    for kind in itertools.islice(kinds, task.pairs - played):
        boards.append(positions.synthetic(kind, rng, rules)[None])
    throws = np.array(positions.THROWS, dtype=np.int8)[rng.integers(21, size=task.pairs)]
    throws[:played] = rng.integers(1, 7, size=(played, 2))
    return rules, np.concatenate(boards), rng.permuted(throws, axis=1)


def _run_batch(task: _Task) -> _Result:
    from . import _core

    counts = Counter[str]()
    try:
        rules, boards, dice = _draw(task)
    except ValueError as error:  # self-play met an answer that cannot be
        return _Result(0, counts, f"batch {task.number}, seed {task.seed}: self-play: {error!r}")
    rows = [(tuple(mover), tuple(other)) for mover, other in boards.tolist()]
    pairs = list(zip(rows, map(tuple, dice.tolist()), strict=True))
    answers = []
    try:
        for generic in (False, True):
            answers.append(
                (
                    _split(_core.enumerate_plays(boards, dice, rules, steps=True, generic=generic)),
                    _core.count_plays(boards, dice, rules, generic=generic).tolist(),
                )
            )
        expected = _split(reference.enumerate_plays(boards, dice, rules, steps=True))
    except ValueError as error:
        return _Result(0, counts, _who_raised(pairs, rules) or repr(error))
    (fast, fast_counts), (generic_plays, generic_counts) = answers
    for i, (board, throw) in enumerate(pairs):
        core = {"core": fast[i], "core's generic path": generic_plays[i]}
        tally = {"core": fast_counts[i], "core's generic path": generic_counts[i]}
        legal, features = _look(board, throw, rules)
        counts.update(features)
        fault = _compare(board, throw, core, tally, expected[i], legal)
        if fault is not None:
            text = _describe(fault, board, throw, rules, {**core, "reference": expected[i]})
            return _Result(i + 1, counts, text)
    return _Result(len(pairs), counts, None)


def _split(plays: Enumeration) -> list[Plays]:
    """The plays of each input."""
    assert plays.steps is not None
    raw = plays.boards.tobytes()
    outcomes = plays.outcomes.tolist()
    steps = [
        tuple(tuple(step) for step in rows if step != [-1, -1, -1, -1])
        for rows in plays.steps.tolist()
    ]
    keys = [(raw[52 * i : 52 * (i + 1)], outcome) for i, outcome in enumerate(outcomes)]
    every = list(zip(keys, steps, strict=True))
    return [every[a:b] for a, b in itertools.pairwise(plays.offsets.tolist())]


# --- One pair ---------------------------------------------------------------------------


def _look(board: Rows, throw: Throw, rules: Rules) -> tuple[dict[Key, set[Steps]], set[str]]:
    """All legal sequences of the reference by what they lead to, and the features."""
    pool = reference.complete_sequences(board, throw, rules)
    free = [s for s in pool if s.outcome] if rules.endings_free else []
    bound = [s for s in pool if not s.outcome] if rules.endings_free else pool
    most = reference.most_dice(bound)
    higher = reference.higher_die(most)
    smallest = reference.smallest_reduction(higher) if rules.smallest_reduction else higher
    legal: dict[Key, set[Steps]] = {}
    for s in free + smallest:
        key = (bytes(s.board[0]) + bytes(s.board[1]), int(s.outcome))
        legal.setdefault(key, set()).add(s.steps)

    found = {_CROWNS[outcome] for _, outcome in legal if outcome in _CROWNS}
    if len(smallest) < len(higher):
        found.add("reduction_decides")
    if len(higher) < len(most):
        found.add("higher_die_decides")
    outcomes = {outcome for _, outcome in legal}
    if Outcome.FORCED_JOHN in outcomes:
        found.add("forced_john")
    if not outcomes.isdisjoint(_MONKS):
        found.add("monk")
    if len({after for after, _ in legal}) < len(legal):
        found.add("same_board_two_outcomes")
    found |= _forcing(board, rules, legal)
    dice = 4 if throw[0] == throw[1] else 2
    if any(o and len(steps) < dice for (_, o), ways in legal.items() for steps in ways):
        found.add("ending_with_dice_left")
    if board[0][0] and any(s[:2] == (0, 1) for ways in legal.values() for w in ways for s in w):
        found.add("talon_reentered")
    if rules.blocked_entry == "pass" and reference.junker(board, rules):
        found.add("junker")
    if _last_man_held_back(board, throw, rules):
        found.add("last_man")
    return legal, found


def _forcing(board: Rows, rules: Rules, legal: dict[Key, set[Steps]]) -> set[str]:
    """The features of forced points."""
    found = set()
    block = reference.long_block(board[1]) if rules.long_block_force else set()
    long = {p for p in block if any(set(range(k, k + 7)) <= block for k in range(p - 6, p + 1))}
    for steps in itertools.chain.from_iterable(legal.values()):
        targets = [step[1] for step in steps if step[3] == 2]
        if targets:
            found.add("forced")
            if len(targets) > 1:
                found.add("forced_twice")
            if not long.isdisjoint(targets):
                found.add("seven_run")
    return found


def _last_man_held_back(board: Rows, throw: Throw, rules: Rules) -> bool:
    mover, other = board
    if mover[25] != 14:
        return False
    points = reference.long_block(other) if rules.long_block_force else set()
    if rules.blocked_entry == "force" and mover[0] and not reference.available_points(board):
        points = points | set(range(1, 7))
    man = mover.index(1)
    return any(man + die in points for die in throw)


def _compare(
    board: Rows,
    throw: Throw,
    core: dict[str, Plays],
    tally: dict[str, int],
    expected: Plays,
    legal: dict[Key, set[Steps]],
) -> str | None:
    """What is wrong with the answers of both, or None."""
    wanted = {key for key, _ in expected}
    if wanted != legal.keys():
        return "the reference disagrees with itself: merging sequences changes its plays"
    replayed: set[tuple[Key, Steps]] = set()
    for name, plays in {"reference": expected, **core}.items():
        keys = {key for key, _ in plays}
        if len(keys) < len(plays):
            return f"the {name} gives a play twice"
        if keys != wanted:
            missing, extra = len(wanted - keys), len(keys - wanted)
            return f"of the reference's plays the {name} lacks {missing}; it has {extra} others"
        if name in tally and tally[name] != len(plays):
            return f"the {name} counts {tally[name]} plays and lists {len(plays)}"
        for play in plays:
            if play in replayed:
                continue
            replayed.add(play)
            key, steps = play
            fault = replay_fault(board, throw, steps, key[0])
            if fault is None and steps not in legal[key]:
                fault = "they are no legal sequence of the reference for this play"
            if fault is not None:
                return f"the {name}'s steps {_steps_text(steps)}: {fault}"
    return None


def replay_fault(board: Rows, throw: Throw, steps: Steps, result: bytes) -> str | None:
    """What is wrong with steps that should lead from a board to `result`; None if nothing is.

    `result` holds the 52 bytes of the board as the next player sees it.
    """
    mover, other = list(board[0]), list(board[1])
    left = list(throw) * (2 if throw[0] == throw[1] else 1)
    for source, target, die, hit in steps:
        if die not in left:
            return f"die {die} is not there to be used"
        left.remove(die)
        if not 0 <= source <= 24 or not mover[source]:
            return f"no man on {source}"
        if mover[0] and source:
            return "a man on the bar must enter first"
        if target != min(source + die, 25):
            return f"die {die} does not lead from {source} to {target}"
        there = (target + 11) % 24 + 1
        men = 0 if target == 25 else other[there]
        if hit != min(men, 2):
            return f"hit is {hit} where {men} opposing men stand"
        if men:
            other[0] += men
            other[there] = 0
        mover[source] -= 1
        mover[target] += 1
    if bytes(other) + bytes(mover) != result:
        return "they lead to another board"
    return None


# --- Telling people ---------------------------------------------------------------------


def _who_raised(pairs: list[tuple[Rows, Throw]], rules: Rules) -> str | None:
    """The first pair that either implementation refuses."""
    from . import _core

    for board, throw in pairs:
        for name, module in (("core", _core), ("reference", reference)):
            try:
                module.enumerate_plays([board], [throw], rules)
            except ValueError as error:
                return _describe(f"the {name} refuses it: {error}", board, throw, rules, {})
    return None


def _describe(
    fault: str, board: Rows, throw: Throw, rules: Rules, answers: dict[str, Plays]
) -> str:
    """A difference, so that it can be typed into the command line."""
    from . import notation

    text, position_id = _board_texts(board)
    game = notation.rules_text(rules)
    dice = f"{throw[0]}-{throw[1]}"
    command = ["brade-fast", "plays", text, dice, "--rules", game]
    lines = [
        f"DIFFERENCE: {fault}",
        f"  rules     {game}",
        f"  position  {text}",
        f"  id        {position_id}",
        f"  throw     {dice}",
        f"  command   {shlex.join(command)}",
    ]
    lists = [{key for key, _ in plays} for plays in answers.values()]
    common = set.intersection(*lists) if lists else set()
    for name, plays in answers.items():
        lines.append(f"  {name}: {len(plays)} plays")
        told = [
            (key in common, f"    {'' if key in common else '* '}{_play_text(key, steps)}")
            for key, steps in plays
        ]
        lines += [line for _, line in sorted(told)]
    if any(key not in common for plays in answers.values() for key, _ in plays):
        lines.append("  (* not in all the lists)")
    return "\n".join(lines)


def _board_texts(board: Rows) -> tuple[str, str]:
    """Board text and id; for a board that is not valid the bare numbers."""
    from . import notation
    from ._core import Position

    try:
        position = Position(*board)
    except ValueError:
        return " / ".join(",".join(map(str, row)) for row in board), "(not valid)"
    return notation.board_text(position), position.id


def _play_text(key: Key, steps: Steps) -> str:
    after, outcome = key
    board = (tuple(after[:26]), tuple(after[26:]))
    end = f" = {Outcome(outcome).name.lower()}" if outcome else ""
    return f"{_steps_text(steps)}{end}  ->  {_board_texts(board)[0]}"


def _steps_text(steps: Steps) -> str:
    def name(index: int) -> str:
        return {0: "bar", 25: "off"}.get(index, str(index))

    marks = {1: "*", 2: "!"}
    parts = (f"{name(s)}/{name(t)}{marks.get(hit, '')}" for s, t, _, hit in steps)
    return " ".join(parts) or "pass"

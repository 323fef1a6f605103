"""Make the corpora in ``src/brade_fast/data``: positions for benchmarks and tests.

    python benchmarks/make_corpora.py            write them
    python benchmarks/make_corpora.py --check    compare; status 1 if one differs

Everything follows from `SEED`. The games draw from ``random.Random.random`` alone, which
Python promises never to change, and plays are sorted before one is chosen, so that the order
in which the core gives them decides nothing. The rare kinds are those of
``brade_fast.positions.synthetic``: when that changes, make the corpora anew.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from brade_fast import BRADE, Outcome, Position, count_plays, enumerate_plays, perft
from brade_fast.bench import DEPTH, DEPTH_SAMPLE, RARE, THROWS_OF, pairs
from brade_fast.positions import PATTERNS, synthetic

DATA = Path(__file__).resolve().parent.parent / "src" / "brade_fast" / "data"
SEED = 20261130
POSITIONS, GAMES, EACH = 2000, 200, 100
LONGEST = 2000  # turns of a game

Board = npt.NDArray[np.int8]
Scores = npt.NDArray[np.int64]
Policy = Callable[[Board, npt.NDArray[np.uint8]], Scores]

VALUES = np.array([BRADE.value(outcome) for outcome in Outcome])
AHEAD = np.array([[0 < b - a <= 6 for b in range(24)] for a in range(24)], dtype=np.int64)
NICE = np.array([[game.get(point, 0) for point in range(26)] for game in PATTERNS.values()])
NICE_BEYOND = NICE[:, ::-1].cumsum(axis=1)


# --- Policies: a score for each play, judged by the position after it ---------------------


def anything(boards: Board, outcomes: npt.NDArray[np.uint8]) -> Scores:
    """Random play."""
    return np.zeros(len(boards), dtype=np.int64)


def sensible(boards: Board, outcomes: npt.NDArray[np.uint8]) -> Scores:
    """Play by a few rules of thumb, of a player who would rather not be John."""
    me, he = boards[:, 1].astype(np.int64), boards[:, 0].astype(np.int64)
    mine, his = me[:, 1:25], np.roll(he[:, 1:25], 12, axis=1)  # both on my points 1-24

    # Made points from the head (12) on and the head itself. While men have to come round:
    # much of a prime in some six points in a row, no piles, no men gone ahead of it.
    made = mine[:, 11:] > 1
    score = 6 * made.sum(axis=1) + 15 * made[:, 0]
    pairs_up_to = np.minimum(mine[:, 10:], 2).cumsum(axis=1)
    prime = (pairs_up_to[:, 6:] - pairs_up_to[:, :-6]).max(axis=1)
    piles = np.maximum(mine - 2, 0)[:, 11:].sum(axis=1)
    behind = np.minimum(me[:, 1:12].sum(axis=1), 4)
    ahead = behind * me[:, 19:25].sum(axis=1)
    score += np.where(behind > 0, 8 * prime**2 - 6 * ahead - 8 * piles, 0)

    # Few blots where he can hit them, the fewer the nearer I am to being John.
    shots = his @ AHEAD
    shots[:, 12:18] += he[:, :1]  # his men on the bar enter on my 13-18
    exposed = ((mine == 1) & (shots > 0)).sum(axis=1)
    danger = me[:, 0] + (he[:, 1:7] > 0).sum(axis=1)
    score -= exposed * (4 + 3 * danger) + 20 * np.maximum(danger + exposed - 2, 0) ** 2
    score -= 8 * (mine == 1).sum(axis=1)

    # A hit man comes round again behind my own: hit only when he is near John.
    john = he[:, 0] + (me[:, 1:7] > 0).sum(axis=1)
    score += np.where(john >= 6, 50 + 20 * he[:, 0], -30 * he[:, 0])

    # Keep going round; when all are round, towards the nearest nice game, or off.
    score -= me[:, :25] @ np.arange(25, 0, -1)
    beyond = me[:, ::-1].cumsum(axis=1)[:, None, :] - NICE_BEYOND  # men too far at each point
    from_nice = np.where(beyond > 0, 4 * beyond, -beyond).sum(axis=2).min(axis=1)
    score -= np.where(me[:, :13].sum(axis=1) == 0, 30 * np.minimum(from_nice, 15), 0)
    score += 100_000 * VALUES[outcomes]
    return np.asarray(score, dtype=np.int64)


# --- Games ----------------------------------------------------------------------------


def play_game(policy: Policy, rng: random.Random) -> Iterator[tuple[Board, int]]:
    """The positions of a game, each with the outcome of the play made from it."""
    board = Position.start().array()
    for _ in range(LONGEST):
        dice = [1 + int(6 * rng.random()), 1 + int(6 * rng.random())]
        found = enumerate_plays(board[None], dice, BRADE)
        rows = sorted(
            range(len(found.outcomes)),
            key=lambda i: (found.boards[i].tobytes(), found.outcomes[i]),
        )
        scores = policy(found.boards[rows], found.outcomes[rows])
        best = [row for row, score in zip(rows, scores, strict=True) if score == scores.max()]
        row = best[int(len(best) * rng.random())]
        outcome = int(found.outcomes[row])
        yield board, outcome
        if outcome:
            return
        board = found.boards[row]


def from_games(policy: Policy, seed: str) -> tuple[list[str], Counter[Outcome], int]:
    """Distinct positions from whole games in random order; the outcomes; the turns."""
    rng = random.Random(seed)
    seen: set[str] = set()
    kept: list[str] = []
    outcomes: Counter[Outcome] = Counter()
    turns = 0
    for game in range(GAMES):
        played = list(play_game(policy, rng))
        turns += len(played)
        outcomes[Outcome(played[-1][1])] += 1
        ids = list(dict.fromkeys(Position.from_array(board).id for board, _ in played))
        ids = [text for text in ids if text not in seen]
        # As many from each game as are still wanted of it, spread over its whole length.
        wanted = min(len(ids), POSITIONS * (game + 1) // GAMES - len(kept))
        edges = [len(ids) * i // wanted for i in range(wanted + 1)]
        for low, high in pairwise(edges):
            kept.append(ids[low + int((high - low) * rng.random())])
        seen.update(kept)
    if len(kept) != POSITIONS:
        raise RuntimeError(f"only {len(kept)} positions; play more games")
    return shuffled(kept, rng), outcomes, turns


def rare(kind: str) -> list[str]:
    """Distinct positions of one rare kind."""
    rng = np.random.default_rng([SEED, RARE.index(kind)])
    kept: dict[str, None] = {}
    while len(kept) < EACH:
        kept[Position.from_array(synthetic(kind, rng)).id] = None
    return list(kept)


def shuffled(ids: list[str], rng: random.Random) -> list[str]:
    """In random order, so that every beginning of the file is a fair sample."""
    keys = {text: rng.random() for text in ids}
    return sorted(ids, key=keys.__getitem__)


# --- Files ----------------------------------------------------------------------------


def counts_lines(name: str, ids: list[str]) -> Iterator[str]:
    """The expected counts of a corpus, as `brade_fast.bench.expected_counts` reads them."""
    positions = [Position.from_id(text) for text in ids]
    for throws in ("unequal", "doubles"):
        counts = count_plays(*pairs(positions, throws), BRADE)
        sums = counts.reshape(len(ids), len(THROWS_OF[throws])).sum(axis=1)
        yield " ".join([name, throws, *map(str, sums)])
    nodes = [perft(position, DEPTH, BRADE) for position in positions[:DEPTH_SAMPLE]]
    yield " ".join([name, "perft", *map(str, nodes)])


def make() -> dict[str, str]:
    """The contents of all files by name."""
    command = "# Made by: python benchmarks/make_corpora.py\n"
    corpora: dict[str, tuple[str, list[str]]] = {}
    for name, policy in (("random", anything), ("sensible", sensible)):
        ids, outcomes, turns = from_games(policy, f"{SEED} {name}")
        mix = ", ".join(
            f"{outcome.name.lower()} {games / GAMES:.1%}"
            for outcome, games in sorted(outcomes.items())
        )
        about = (
            f"# {len(ids)} positions from {GAMES} games of {name} play in bräde.\n"
            f"# The games: {turns / GAMES:.0f} turns on average; {mix}.\n"
        )
        corpora[name] = about, ids
    for kind in RARE:
        corpora[kind] = f"# {EACH} positions made by hand, of the rare kind {kind}.\n", rare(kind)
    files = {
        f"{name}.txt": about + command + "\n".join(ids) + "\n"
        for name, (about, ids) in corpora.items()
    }
    lines = [line for name, (_, ids) in corpora.items() for line in counts_lines(name, ids)]
    files["counts.txt"] = (
        "# Numbers of distinct plays in bräde: the corpus, what was counted, and a number for\n"
        "# each position in the corpus's order: the plays of its 15 unequal throws together, of\n"
        f"# its 6 doubles, and perft {DEPTH} of the first {DEPTH_SAMPLE} positions.\n"
        + command + "\n".join(lines) + "\n"
    )  # fmt: skip
    return files


def main() -> int:
    """Write or compare the files."""
    parser = argparse.ArgumentParser(description="Make the corpora of the benchmarks.")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    arguments = parser.parse_args()
    differ = []
    for name, text in make().items():
        path = DATA / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            differ.append(name)
        if not arguments.check:
            path.write_text(text, encoding="utf-8", newline="\n")
    for name in differ:
        print(f"{name}: {'differs' if arguments.check else 'written anew'}")
    if not differ:
        print("all files are as they were")
    return 1 if differ and arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())

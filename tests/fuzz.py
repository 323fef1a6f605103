"""Does any text or file make a reader fail otherwise than by a ValueError, or hang?

    python tests/fuzz.py [READER...] [--seconds N] [--seed N]

Each reader runs in a process of its own on mutations of what can be read. With the fuzzer
atheris installed the mutations are led by what the readers' Python code covers; without it they are
random. What is read must be written and read again to the same value. The status is 1 if a
reader failed; the input is printed.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import io
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from brade_fast import (
    BRADE,
    REVERTIER,
    VERQUERE,
    Game,
    Position,
    explain,
    game_json,
    game_text,
    notation,
    parse_play,
    positions,
    read_games,
)

TIMEOUT = 10  # seconds for one input


def _situations() -> list[tuple[Position, tuple[int, int], object]]:
    rng = np.random.default_rng(1)
    found = []
    for i, kind in enumerate(list(positions.KINDS) * 3):
        rules = (BRADE, VERQUERE, REVERTIER)[i % 3]
        board = positions.synthetic(kind, rng, rules)
        found.append((Position.from_array(board), positions.THROWS[i % 21], rules))
    return found


SITUATIONS = _situations()


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass" if data[:1] < b"\x80" else "replace")


def _again(read: Callable[[str], object], write: Callable[..., str]) -> Callable[[bytes], None]:
    def law(data: bytes) -> None:
        value = read(_text(data))
        assert read(write(value)) == value

    return law


def _play(data: bytes) -> None:
    position, throw, rules = SITUATIONS[data[0] % len(SITUATIONS)] if data else SITUATIONS[0]
    text = _text(data[1:])
    explain(position, throw, text, rules)
    play = parse_play(position, throw, text, rules)
    assert parse_play(position, throw, str(play), rules) == play


def _file(format: str, write: Callable[..., str]) -> Callable[[bytes], None]:
    def law(data: bytes) -> None:
        for record in read_games(io.BytesIO(data), strict=False, format=format):
            text = write(record).encode()
            assert [*read_games(io.BytesIO(text), format=format)] == [record]
        for _ in read_games(io.BytesIO(data), format=format):
            pass

    return law


class _Named(io.BytesIO):
    name = "games.txt.gz"


def _packed(data: bytes) -> None:
    for _ in read_games(_Named(data)):
        pass


def _games() -> list[Game]:
    made = []
    for seed, rules in enumerate((BRADE, VERQUERE, REVERTIER)):
        game = Game(rules, seed=seed)
        for _ in range(6):
            if game.dice is None:
                game.throw()
            game.push(game.legal_plays[0])
        made.append(game)
    made[0].resign()
    return made


GAMES = _games()
#: For each reader the law that it is held to, and what to begin from.
READERS: dict[str, tuple[Callable[[bytes], None], list[bytes]]] = {
    "ids": (
        _again(Position.from_id, lambda p: p.id), [p.id.encode() for p, *_ in SITUATIONS],
    ),
    "boards": (
        _again(notation.parse_position, notation.board_text),
        [notation.board_text(p).encode() for p, *_ in SITUATIONS],
    ),
    "dice": (_again(notation.parse_dice, notation.dice_text), [b"6-2", b"62", b"6 2"]),
    "rules": (
        _again(notation.parse_rules, notation.rules_text),
        [b"verquere,five_blots=yes,points=1/2/1/4/6", b"brade,nice_games=tower/staircase"],
    ),
    "outcomes": (
        _again(notation.parse_outcome, notation.outcome_name), [b"forced_john", b"uppspel"],
    ),
    "states": (
        _again(notation.parse_state, notation.state_text), [b"brade:W:6-2:_38AAAD_fwAAAA"],
    ),
    "plays": (
        _play,
        [
            bytes([i]) + str(play).encode()
            for i, (p, throw, rules) in enumerate(SITUATIONS)
            for play in p.plays(*throw, rules)[:3]
        ],
    ),
    "records": (_file("text", game_text), [game_text(game).encode() for game in GAMES]),
    "json": (_file("jsonl", game_json), [game_json(game).encode() for game in GAMES]),
    "gzip": (_packed, [gzip.compress(game_text(game).encode()) for game in GAMES]),
}  # fmt: skip


def try_one(name: str, data: bytes) -> None:
    """Only a ValueError may come out; the decoder's is one too."""
    with contextlib.suppress(ValueError):
        READERS[name][0](data)


def guided(name: str, seconds: int, seed: int) -> None:
    """Runs atheris, which ends the process."""
    import atheris

    atheris.instrument_all()
    with tempfile.TemporaryDirectory() as folder:
        for i, data in enumerate(READERS[name][1]):
            Path(folder, str(i)).write_bytes(data)
        options = [f"-max_total_time={seconds}", f"-timeout={TIMEOUT}", f"-seed={seed}"]
        options += ["-max_len=4096", "-print_final_stats=1", f"-artifact_prefix={folder}/"]
        atheris.Setup([sys.argv[0], *options, folder], lambda data: try_one(name, data))
        atheris.Fuzz()


def unguided(name: str, seconds: int, seed: int) -> None:
    """Random mutations of what can be read."""
    rnd = random.Random(seed)
    seeds = READERS[name][1]
    end = time.monotonic() + seconds
    tried = 0
    while time.monotonic() < end:
        data = bytearray(rnd.choice(seeds))
        for _ in range(rnd.randint(1, 4)):
            at, other = rnd.randrange(len(data) + 1), rnd.choice(seeds)
            kind = rnd.randrange(4)
            if kind == 0:
                data[at:at] = bytes([rnd.randrange(256)])
            elif kind == 1:
                del data[at : at + rnd.randint(1, 5)]
            elif kind == 2:
                data[at : at + 1] = bytes([rnd.choice(b'0123456789/*!:;=[]{}",-. \n')])
            else:
                cut = rnd.randrange(len(other) + 1)
                data[at:at] = other[cut : cut + rnd.randint(1, 20)]
        began = time.monotonic()
        try:
            try_one(name, bytes(data))
        except BaseException:
            print(f"{name} failed on {bytes(data)!r}", file=sys.stderr)
            raise
        if time.monotonic() - began > TIMEOUT:
            raise AssertionError(f"{name} took too long on {bytes(data)!r}")
        tried += 1
    print(f"Done {tried} runs in {seconds} second(s)")


def main() -> int:
    parser = argparse.ArgumentParser(description="Fuzz the readers.")
    parser.add_argument("readers", nargs="*", metavar="READER", help=", ".join(READERS))
    parser.add_argument("--seconds", type=int, default=60, help="for each reader (default 60)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--in-this-process", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    unknown = set(arguments.readers) - set(READERS)
    if unknown:
        parser.error(f"there is no reader {', '.join(sorted(unknown))}")
    if arguments.in_this_process:
        (name,) = arguments.readers
        try:
            import atheris  # noqa: F401
        except ImportError:
            unguided(name, arguments.seconds, arguments.seed)
        else:
            guided(name, arguments.seconds, arguments.seed)
        return 0
    failed = []
    for name in arguments.readers or READERS:
        command = [sys.executable, __file__, name, "--in-this-process"]
        command += ["--seconds", str(arguments.seconds), "--seed", str(arguments.seed)]
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
        )
        runs = [line for line in done.stdout.splitlines() if line.startswith("Done ")]
        print(f"{name:9} {runs[-1] if runs else 'failed'}", flush=True)
        if done.returncode:
            failed.append(name)
            print(done.stdout[-6000:])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

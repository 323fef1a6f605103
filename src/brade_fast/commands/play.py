"""The command ``play``: a game in the terminal, against a bot or a person beside you.

Lines in, lines out: it works over a pipe as it does in a terminal, and the end of the input
ends the game and keeps what has been played.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..game import Color, Game, How
from ..match import Match
from ..notation import dice_text, outcome_title, parse_outcome, rules_text
from ..rules import BRADE, Outcome, Rules
from .common import Commands, number, one_line, replacing

if TYPE_CHECKING:
    from .._core import Play
    from ..record import GameRecord

__all__ = ["add_to"]

PERSON, RANDOM, SENSIBLE = OPPONENTS = ("person", "random", "sensible")
_NAMES = {Color.WHITE: "White", Color.BLACK: "Black"}


def add_to(commands: Commands) -> None:
    """Adds the command."""
    play = commands.add(
        "play",
        _play,
        "play a game in the terminal",
        "play sensible --as B --match 3 --save games.txt",
        takes_json=False,
    )
    play.set_defaults(rules=None)
    play.add_argument(
        "opponent",
        nargs="?",
        choices=OPPONENTS,
        default=SENSIBLE,
        metavar="OPPONENT",
        help="sensible (default), random, or person for two people at one keyboard",
    )
    play.add_argument(
        "--as",
        dest="color",
        type=str.upper,
        choices=("W", "B"),
        metavar="W|B",
        help="your color against a bot (default W)",
    )
    play.add_argument("--seed", type=number(0), metavar="N", help="of the dice (default: any)")
    play.add_argument(
        "--match", type=_odd, metavar="N", help="play a match of N games instead of one game"
    )
    play.add_argument(
        "--save",
        type=Path,
        metavar="FILE",
        help="keep the games in a new record file (.jsonl: JSON Lines; .gz: compressed)",
    )
    play.add_argument(
        "--load",
        type=Path,
        metavar="FILE",
        help="go on with the game, and the match, at the end of a record file; it may be saved to "
        "the same file",
    )


def _odd(text: str) -> int:
    games = number(1, 999)(text)
    if games % 2 == 0:
        raise argparse.ArgumentTypeError(f"must be an odd number of games, not {text}")
    return games


def _play(arguments: argparse.Namespace) -> int:
    table = _Table(arguments)
    try:
        table.play()
    except _GoneError:
        print()
    finally:  # after Ctrl-C, too
        table.save()
    return 0


class _GoneError(Exception):
    """The person has quit, or there is no more input."""


class _Table:
    """Who plays, what has been played, and the talk about it."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        fail = arguments.parser.error
        self.target: Path | None = arguments.save
        self.is_ours = False  # whether the target may be written over
        if self.target is not None and self.target.exists():
            if self.target != arguments.load:
                fail(f"{self.target} exists already: name a new file, or --load it as well")
            self.is_ours = True
        if arguments.opponent != PERSON:
            self.people = {Color(arguments.color or "W")}
        elif arguments.color is None:
            self.people = set(Color)
        else:
            fail("--as is your color against a bot; against a person you play both")
        self.opponent: str = arguments.opponent
        seeds = (None, None) if arguments.seed is None else (arguments.seed, (arguments.seed, 1))
        # The bot's own numbers, so that the throws do not hang on what it ponders.
        self.dice, self.whim = map(np.random.default_rng, seeds)
        self.tags = {
            name: "person" if color in self.people else self.opponent
            for name, color in (("White", Color.WHITE), ("Black", Color.BLACK))
        }
        if arguments.seed is not None:
            self.tags["Seed"] = str(arguments.seed)
        self.match: Match | None = None
        self.records: list[GameRecord] = []
        self.game = self._loaded(arguments) if arguments.load else self._new(arguments)

    # --- Games --------------------------------------------------------------------------

    def _loaded(self, arguments: argparse.Namespace) -> Game:
        from ..record import match_of, read_games

        fail = arguments.parser.error
        if arguments.match is not None:
            fail("the loaded game knows its match: give --load or --match")
        with read_games(arguments.load) as reader:
            self.records = list(reader)
        if reader.cut is not None:
            print(f"The end of {arguments.load} is missing: {reader.cut}.")
        if not self.records or self.records[-1].game.is_over:
            fail(f"the last game of {arguments.load} is not unfinished")
        last = self.records[-1]
        if arguments.rules not in (None, last.game.rules):
            fail(f"the loaded game is played by {rules_text(last.game.rules)}")
        self.tags = {name: last.tags[name] for name in ("White", "Black") if name in last.tags}
        if "Match" in last.tags:
            first = max(i for i, r in enumerate(self.records) if r.tags.get("Game", "1") == "1")
            self.match = match_of(self.records[first:])
        return last.game

    def _new(self, arguments: argparse.Namespace) -> Game:
        rules: Rules = arguments.rules or BRADE
        if arguments.match is not None:
            self.match = Match(arguments.match, rules, rng=self.dice)
            return self._next(self.match)
        game = Game(rules, rng=self.dice)
        self._keep(game, self.tags)
        return game

    def _next(self, match: Match) -> Game:
        from ..record import match_records

        game = match.next_game()
        self._keep(game, self.tags | match_records(match)[-1].tags)
        return game

    def _keep(self, game: Game, tags: dict[str, str]) -> None:
        from ..record import GameRecord

        self.records.append(GameRecord(game, tags))

    def save(self, target: Path | None = None) -> None:
        """Write all games to the file, if there is one; the old one stays until that is done."""
        target = target or self.target
        if target is None:
            return
        from ..record import open_writer

        with replacing(target) as begun, open_writer(begun) as writer:
            for record in self.records:
                writer.write(record)
        self.target, self.is_ours = target, True
        print(f"Saved to {target}.")

    # --- Playing ------------------------------------------------------------------------

    def play(self) -> None:
        """Play to the end of the game or match."""
        who = "two people" if self.opponent == PERSON else f"the {self.opponent} bot against you"
        print(f"{rules_text(self.game.rules)}: {who}. Type ? for help.")
        self._play_game()
        while self.match is not None and not self.match.is_over:
            self.game = self._next(self.match)
            self._play_game()
        if self.match is not None:
            winner = self.match.winner
            end = f"{_NAMES[winner]} has won" if winner else "nobody has won"
            print(f"The match is over: {end}, {self._score(self.match)}.")

    def _play_game(self) -> None:
        game = self.game
        if self.match is not None:
            print(f"Game {len(self.match.finished) + 1} of {self.match.games}.")
        if game.teka is not None and not game.moves:
            white, black = game.teka
            print(f"Teka: White {white}, Black {black}.")
        while not game.is_over:
            dice = game.dice or game.throw(*self.dice.integers(1, 7, 2).tolist())
            who = f"{_NAMES[game.turn]} throws {dice_text(dice)}"
            plays = game.legal_plays
            if not plays[0].steps:
                print(f"{who} and must pass.")
                game.push(plays[0])
            elif game.turn in self.people:
                self._ask()
            else:
                print(f"{who} and plays {game.push(self._choice(self.opponent))}")
        self._show_board()
        print(_end(game))
        if self.match is not None:
            print(f"The score is {self._score(self.match)}.")

    def _choice(self, bot: str) -> Play:
        """What a bot plays for the player to move."""
        from ..policies import sensible_scores

        plays = self.game.legal_plays
        if bot == RANDOM:
            return plays[int(self.whim.integers(len(plays)))]
        boards = np.array([play.position.array() for play in plays])
        outcomes = np.array([play.outcome for play in plays], np.uint8)
        return plays[int(np.argmax(sensible_scores(boards, outcomes, self.game.rules)))]

    @staticmethod
    def _score(match: Match) -> str:
        return ", ".join(f"{_NAMES[color]} {points}" for color, points in match.score.items())

    def _show_board(self) -> None:
        from ..diagram import text_board

        below = next(iter(self.people)) if len(self.people) == 1 else self.game.turn
        columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else 80
        encoding = sys.stdout.encoding or ""
        print()
        print(
            text_board(
                self.game,
                view=_NAMES[below].lower(),
                width="wide" if columns >= 58 else "narrow",
                ascii=not encoding.lower().startswith("utf"),
            )
        )

    # --- Talking ------------------------------------------------------------------------

    def _ask(self) -> None:
        """Talk with the person to move until something has been done to the game."""
        game = self.game
        self._show_board()
        done = False
        while not done:
            words = self._read().split()
            if not words:
                continue
            command = _COMMANDS.get(words[0].lower())
            try:
                if command is not None:
                    done = command.run(self, words[1:])
                else:
                    game.push(self._numbered(words) or " ".join(words))
                    done = True
            except (ValueError, OSError) as error:
                print(f"{one_line(error)}. Type plays for the legal plays, ? for help.")

    def _read(self) -> str:
        print(f"{_NAMES[self.game.turn]}> ", end="", flush=True)
        line = sys.stdin.readline()
        if not line:
            raise _GoneError
        if not sys.stdin.isatty():
            print(line.rstrip("\n"))  # else all answers would stand in one line
        return line

    def _numbered(self, words: list[str]) -> Play | None:
        """The play of a number like #3 in the list of the legal plays."""
        if not words[0].startswith("#"):
            return None
        plays = self._sorted_plays()
        numbers = {f"#{i}": play for i, play in enumerate(plays, 1)}
        if " ".join(words) not in numbers:
            raise ValueError(f"the plays have the numbers #1 to #{len(plays)}")
        return numbers[words[0]]

    def _sorted_plays(self) -> list[Play]:
        return sorted(self.game.legal_plays, key=str)

    def help(self, words: list[str]) -> bool:
        print("Type a play, such as 1/7 1/3, bar/5* or 20/off(2), or its number in the list of")
        print("plays, such as #3. Points are your own, from 1 where your men start to 24.")
        for name, command in _COMMANDS.items():
            print(f"  {name:8} {command.help}")
        return False

    def plays(self, words: list[str]) -> bool:
        for i, play in enumerate(self._sorted_plays(), 1):
            print(f"  #{i:<3} {play}")
        return False

    def hint(self, words: list[str]) -> bool:
        print(f"The sensible bot would play {self._choice(SENSIBLE)}.")
        return False

    def board(self, words: list[str]) -> bool:
        self._show_board()
        return False

    def report(self, words: list[str]) -> bool:
        print(self.game.position.report(self.game.rules))
        return False

    def undo(self, words: list[str]) -> bool:
        """Back to the last choice that a person had."""
        game = self.game
        chosen = [
            i for i, move in enumerate(game.moves) if move.color in self.people and move.play.steps
        ]
        if not chosen:
            print("There is no play of yours to take back.")
            return False
        while len(game.moves) > chosen[-1]:
            game.pop()
        return True

    def resign(self, words: list[str]) -> bool:
        self.game.resign(outcome=parse_outcome(" ".join(words)) if words else Outcome.BEAR_OFF)
        return True

    def save_now(self, words: list[str]) -> bool:
        target = Path(" ".join(words)) if words else self.target
        if target is None:
            raise ValueError("say where: save FILE")
        if target.exists() and not (self.is_ours and target == self.target):
            raise ValueError(f"{target} exists already; name a new file")
        self.save(target)
        return False

    def quit(self, words: list[str]) -> bool:
        raise _GoneError


class _Command(NamedTuple):
    run: Callable[[_Table, list[str]], bool]
    help: str


_HELP = _Command(_Table.help, "this help")
_COMMANDS = {
    "?": _HELP,
    "help": _HELP,
    "plays": _Command(_Table.plays, "list the legal plays"),
    "hint": _Command(_Table.hint, "what the sensible bot would play"),
    "board": _Command(_Table.board, "show the board again"),
    "report": _Command(_Table.report, "look into the position: shots, dangers, all throws"),
    "undo": _Command(_Table.undo, "take your last play back, with all that came after it"),
    "resign": _Command(_Table.resign, "give the game up, as a bear-off or as you say: resign john"),
    "save": _Command(_Table.save_now, "keep the game so far: save FILE"),
    "quit": _Command(_Table.quit, "stop here; with --save or after save the game is kept"),
}


def _end(game: Game) -> str:
    """How a game ended."""
    result = game.result
    assert result is not None
    if result.winner is None:
        return "Deadlock: neither can move with any throw. The game is drawn."
    points = f"{result.points} point" + ("" if result.points == 1 else "s")
    won = f"{_NAMES[result.winner]} wins {points} by {outcome_title(result.outcome)}."
    if result.how is How.RESIGNED:
        return f"{_NAMES[result.winner.other]} resigns. {won}"
    return won

"""Bräde (Swedish Tables), verquere and révertier: exact rules, games, and a fast enumerator.

Names by task; ``help(brade_fast.Game)`` and the like tell the rest.

A position
    ``Position.start()``, ``Position({1: 7, 0: 3, ...}, {...})`` (index 0 bar, 1-24 points),
    ``Position.from_text("1:7 bar:3 ... / ...")`` or of an id; ``.id``, ``str()``, ``.array()``
Look at it
    ``position.diagram()`` text, ``position.svg()`` a picture, ``position.report()`` shots and
    dangers; ``brade_fast.diagram`` for PNG, pages and a whole game
Plays of a throw
    ``position.plays(6, 2)``; ``play.position``, ``play.outcome``, ``play.steps``, ``str(play)``
A play that somebody typed
    ``position.parse(6, 2, "1/7, 1/3")`` or ``parse_play``; ``explain`` says why one is illegal
Play a game
    ``Game()``: ``.throw()``, ``.legal_plays``, ``.push("1/7 1/3")``, ``.pop()``, ``.resign()``,
    ``.result``, ``.moves``; ``Turn``, or ``game.turn_steps()``, goes step by step
Score a match
    ``Match(3)``: ``.next_game()``, ``.score``, ``.winner``
Save and load games
    ``open_writer("games.txt")``, ``read_games("games.txt")``, ``GameRecord``, ``game_text``,
    ``parse_game``, ``match_records``, ``match_of``, ``read_matches``
Other rules
    ``BRADE``, ``VERQUERE``, ``REVERTIER``, ``BRADE.replace(monk=False)``; ``Outcome``
Many positions at once
    ``enumerate_plays``, ``iter_plays``, ``count_plays``, ``apply``, ``perft``, ``playouts``
"""

import importlib
from typing import TYPE_CHECKING, Any

from ._core import (
    Play,
    Position,
    Step,
    apply,
    count_plays,
    enumerate_plays,
    iter_plays,
    perft,
    playouts,
)
from .rules import (
    BRADE,
    REVERTIER,
    VERQUERE,
    AmbiguousPlayError,
    Applied,
    Enumeration,
    IllegalPlayError,
    InvalidDiceError,
    InvalidPositionError,
    InvalidRulesError,
    Outcome,
    PhaseError,
    Playouts,
    Points,
    RecordError,
    Rules,
)

if TYPE_CHECKING:
    from .game import Color, Game, How, Move, Phase, Result
    from .match import Match
    from .playtext import parse_play
    from .reasons import Explanation, Reason, explain
    from .record import (
        GameRecord,
        game_json,
        game_text,
        match_of,
        match_records,
        open_writer,
        parse_game,
        read_games,
        read_matches,
    )
    from .turn import Turn

__version__ = "0.1.0"

__all__ = [
    "BRADE",
    "REVERTIER",
    "VERQUERE",
    "AmbiguousPlayError",
    "Applied",
    "Color",
    "Enumeration",
    "Explanation",
    "Game",
    "GameRecord",
    "How",
    "IllegalPlayError",
    "InvalidDiceError",
    "InvalidPositionError",
    "InvalidRulesError",
    "Match",
    "Move",
    "Outcome",
    "Phase",
    "PhaseError",
    "Play",
    "Playouts",
    "Points",
    "Position",
    "Reason",
    "RecordError",
    "Result",
    "Rules",
    "Step",
    "Turn",
    "apply",
    "count_plays",
    "enumerate_plays",
    "explain",
    "game_json",
    "game_text",
    "iter_plays",
    "match_of",
    "match_records",
    "open_writer",
    "parse_game",
    "parse_play",
    "perft",
    "playouts",
    "read_games",
    "read_matches",
]

# Loaded when first asked for, so that whoever only enumerates plays need not wait for them.
_LATER = {
    "Color": "game",
    "Explanation": "reasons",
    "Game": "game",
    "GameRecord": "record",
    "How": "game",
    "Match": "match",
    "Move": "game",
    "Phase": "game",
    "Reason": "reasons",
    "Result": "game",
    "Turn": "turn",
    "explain": "reasons",
    "game_json": "record",
    "game_text": "record",
    "match_of": "record",
    "match_records": "record",
    "open_writer": "record",
    "parse_game": "record",
    "parse_play": "playtext",
    "read_games": "record",
    "read_matches": "record",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_LATER[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})

"""Bräde (Swedish Tables), verquere and révertier: exact rules and a fast enumerator."""

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
from .game import Color, Game, How, Move, Phase, Result
from .match import Match
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
    "Game",
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
    "RecordError",
    "Result",
    "Rules",
    "Step",
    "Turn",
    "apply",
    "count_plays",
    "enumerate_plays",
    "iter_plays",
    "perft",
    "playouts",
]

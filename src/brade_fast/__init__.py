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
    Playouts,
    Points,
    RecordError,
    Rules,
)

__version__ = "0.1.0"

__all__ = [
    "BRADE",
    "REVERTIER",
    "VERQUERE",
    "AmbiguousPlayError",
    "Applied",
    "Enumeration",
    "IllegalPlayError",
    "InvalidDiceError",
    "InvalidPositionError",
    "InvalidRulesError",
    "Outcome",
    "Play",
    "Playouts",
    "Points",
    "Position",
    "RecordError",
    "Rules",
    "Step",
    "apply",
    "count_plays",
    "enumerate_plays",
    "iter_plays",
    "perft",
    "playouts",
]

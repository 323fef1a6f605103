"""The rule switches of the three games, the outcomes and the exceptions.

Section numbers in this package ("section 5") are those of ``docs/rules.md``, the
specification that both implementations follow.
"""

from __future__ import annotations

import dataclasses
import enum
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = [
    "BRADE",
    "PRESETS",
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
    "PhaseError",
    "Playouts",
    "Points",
    "RecordError",
    "Rules",
]


class InvalidPositionError(ValueError):
    """A board that breaks section 7 no. 13, or of which plays cannot be asked."""


class InvalidDiceError(ValueError):
    """A throw that is not two numbers from 1 to 6."""


class InvalidRulesError(ValueError):
    """A switch that does not exist or a value that it cannot have."""


class IllegalPlayError(ValueError):
    """A play that the rules forbid in its position."""


class AmbiguousPlayError(ValueError):
    """A text that fits more than one legal play."""


class PhaseError(ValueError):
    """Something that cannot be asked or done as a game, turn or match stands."""


class RecordError(ValueError):
    """A game record that cannot be read.

    Attributes
    ----------
    file : str or None
        The file's name, if it is known.
    line, column : int or None
        Counted from 1.
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        place = ":".join(str(part) for part in (file, line, column) if part is not None)
        super().__init__(f"{place}: {message}" if place else message)
        self.file = file
        self.line = line
        self.column = column

    def __reduce__(self) -> tuple[Any, ...]:
        return _record_error, (str(self), self.file, self.line, self.column)


def _record_error(text: str, file: str | None, line: int | None, column: int | None) -> RecordError:
    """How the error is unpickled: its text names the place already."""
    error = RecordError(text)
    error.file, error.line, error.column = file, line, column
    return error


class Outcome(enum.IntEnum):
    """What a play made of the game (section 5), as it stands in arrays too.

    ``NONE`` means that the game goes on; ``DEADLOCK`` (section 7 no. 6) belongs to whole
    games and is never the outcome of a play.
    """

    NONE = 0
    BEAR_OFF = 1
    BEAR_OFF_MONK = 2
    SINGLE_CROWN = 3
    SINGLE_CROWN_MONK = 4
    DOUBLE_CROWN = 5
    DOUBLE_CROWN_MONK = 6
    STAIRCASE = 7
    STAIRCASE_MONK = 8
    TOWER = 9
    TOWER_MONK = 10
    JOHN = 11
    FORCED_JOHN = 12
    DEADLOCK = 13

    @property
    def category(self) -> str | None:
        """The category for ties in a match, ``"I"`` (best) to ``"VI"``; None if nobody won."""
        return _CATEGORIES[self]


_CATEGORIES: tuple[str | None, ...] = (
    None, "VI", "V", "IV", "III", "IV", "III", "IV", "III", "IV", "III", "II", "I", None,
)  # fmt: skip


class Points(NamedTuple):
    """What the ends of a game are worth (section 6, row ``points``).

    Attributes
    ----------
    bear_off, nice : int
        A bear-off; any of the nice games.
    monk_bonus : int
        So much more for either of these with monk.
    john, forced_john : int
    """

    bear_off: int
    nice: int
    monk_bonus: int
    john: int
    forced_john: int


class Enumeration(NamedTuple):
    """What ``enumerate_plays`` answers: the plays of input ``i`` are the rows
    ``offsets[i]:offsets[i + 1]``, at least one (a pass is a row too).

    Attributes
    ----------
    offsets : int64, shape (n + 1,)
    boards : int8, shape (m, 2, 26)
        The positions after the plays, as the next player sees them.
    outcomes : uint8, shape (m,)
        :class:`Outcome` numbers.
    steps : int8, shape (m, 4, 4), or None
        (source, target, die, hit) in playing order; unused rows hold -1.
    """

    offsets: npt.NDArray[np.int64]
    boards: npt.NDArray[np.int8]
    outcomes: npt.NDArray[np.uint8]
    steps: npt.NDArray[np.int8] | None


class Applied(NamedTuple):
    """What ``apply`` answers.

    Attributes
    ----------
    boards : int8, shape (n, 2, 26)
        The positions after the turns, as the next player sees them.
    outcomes : uint8, shape (n,)
        :class:`Outcome` numbers.
    """

    boards: npt.NDArray[np.int8]
    outcomes: npt.NDArray[np.uint8]


class Playouts(NamedTuple):
    """What ``playouts`` answers.

    Attributes
    ----------
    outcomes : int64, shape (n, 2, 14)
        Games by [position, winner, :class:`Outcome`]; winner 0 is the player who was to
        move in the position, 1 the other. Deadlocks are counted under winner 0.
    turns : int64, shape (n,)
        The turns of all games of the position together, passes included.
    """

    outcomes: npt.NDArray[np.int64]
    turns: npt.NDArray[np.int64]


BLOCKED_ENTRY = ("force", "pass", "wait")
NICE_GAMES = ("single_crown", "double_crown", "staircase", "tower")
OPENINGS = ("low_then_throw", "high_plays_dice")
_WORDS = {"blocked_entry": BLOCKED_ENTRY, "opening": OPENINGS}
_BOOLS = (
    "long_block_force",
    "five_blots",
    "bear_off_rearmost_only",
    "smallest_reduction",
    "endings_free",
    "monk",
    "loser_begins",
)


@dataclasses.dataclass(frozen=True)
class Rules:
    """One rule set: a value for each switch of section 6.

    Every combination of valid values is a rule set and can be played. The defaults are
    bräde's. All switches can be read as attributes. Rule sets with the same switches are equal,
    whatever they are called.

    Parameters
    ----------
    blocked_entry : {"force", "pass", "wait"}
        What a player does who has more men on the bar than points to enter on: he may force
        a made point open, passes his whole turn (the Junker), or enters what he can.
    long_block_force : bool
        Any point of six or more made points in a row may be forced open (section 4).
    five_blots : bool
        No point may be made before five men have left the talon.
    bear_off_rearmost_only : bool
        Only the rearmost man is borne off; otherwise one from exactly as far as the die goes too.
    smallest_reduction : bool
        The third duty of section 3 binds.
    endings_free : bool
        A play that ends the game is free of the duties.
    nice_games : tuple of str
        Which of "single_crown", "double_crown", "staircase" and "tower" win; kept in this order,
        whatever order they are given in.
    monk : bool
        A man on the loser's bar adds to bear-offs and nice games.
    points : Points
        What the ends are worth.
    opening : {"low_then_throw", "high_plays_dice"}
        The lower die of the teka begins with a fresh throw, or the higher plays the two dice.
    loser_begins : bool
        The loser begins the next game of a match.
    name : str
        A word for people; texts and records do not keep it.

    Raises
    ------
    InvalidRulesError
        For an unknown word, a wrong type, a nice game named twice, negative points.
    """

    blocked_entry: str = "force"
    long_block_force: bool = True
    five_blots: bool = False
    bear_off_rearmost_only: bool = True
    smallest_reduction: bool = True
    endings_free: bool = True
    nice_games: tuple[str, ...] = NICE_GAMES
    monk: bool = True
    points: Points = Points(1, 2, 1, 4, 6)  # noqa: RUF009 - a tuple, so it may be shared
    opening: str = "low_then_throw"
    loser_begins: bool = True
    name: str = dataclasses.field(default="custom", compare=False)
    # The same switches as the bytes that the core reads; see _encode.
    _code: bytes = dataclasses.field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for switch, words in _WORDS.items():
            value = getattr(self, switch)
            if not isinstance(value, str) or value not in words:
                raise InvalidRulesError(
                    f"{switch} must be one of {', '.join(map(repr, words))}, not {value!r}"
                )
        for switch in _BOOLS:
            value = getattr(self, switch)
            if not isinstance(value, bool):
                raise InvalidRulesError(f"{switch} must be True or False, not {value!r}")
        if not isinstance(self.nice_games, tuple):
            raise InvalidRulesError(f"nice_games must be a tuple of names, not {self.nice_games!r}")
        for game in self.nice_games:
            if not isinstance(game, str) or game not in NICE_GAMES:
                raise InvalidRulesError(
                    f"nice_games may hold {', '.join(map(repr, NICE_GAMES))}, not {game!r}"
                )
        if len(set(self.nice_games)) < len(self.nice_games):
            raise InvalidRulesError(f"nice_games names a game twice: {self.nice_games!r}")
        if not isinstance(self.points, Points):
            raise InvalidRulesError(f"points must be a Points(...), not {self.points!r}")
        for field, value in zip(Points._fields, self.points, strict=True):
            if isinstance(value, bool) or not isinstance(value, int) or value < 0:
                raise InvalidRulesError(
                    f"points.{field} must be a whole number, 0 or more, not {value!r}"
                )
        if not isinstance(self.name, str) or not self.name:
            raise InvalidRulesError(f"name must be a word, not {self.name!r}")
        ordered = tuple(game for game in NICE_GAMES if game in self.nice_games)
        object.__setattr__(self, "nice_games", ordered)
        object.__setattr__(self, "_code", _encode(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return Rules, tuple(getattr(self, f.name) for f in dataclasses.fields(self) if f.init)

    def replace(self, **switches: Any) -> Rules:
        """These rules with some switches changed.

        The copy is named ``"custom"`` unless a ``name`` is given too.

        Raises
        ------
        InvalidRulesError
            For a switch that does not exist or a value that it cannot have.
        """
        known = {f.name: getattr(self, f.name) for f in dataclasses.fields(self) if f.init}
        for switch in switches:
            if switch not in known:
                raise InvalidRulesError(
                    f"there is no switch {switch!r}; the switches are {', '.join(known)}"
                )
        if switches:
            known["name"] = "custom"
        return Rules(**(known | switches))

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """The outcomes by which a game can be won (section 5), by their number.

        A point can be forced only where a switch gives the right to (section 4).
        """
        forcing = self.blocked_entry == "force" or self.long_block_force
        return tuple(
            outcome
            for outcome in Outcome
            if outcome.category is not None
            and (self.monk or not outcome.name.endswith("_MONK"))
            and (forcing or outcome != Outcome.FORCED_JOHN)
            and (
                not Outcome.SINGLE_CROWN <= outcome <= Outcome.TOWER_MONK
                or outcome.name.lower().removesuffix("_monk") in self.nice_games
            )
        )

    def value(self, outcome: Outcome | int) -> int:
        """Points for the winner of a game that ended so (section 5); 0 if nobody won."""
        outcome = Outcome(outcome)
        if outcome in (Outcome.NONE, Outcome.DEADLOCK):
            return 0
        if outcome == Outcome.JOHN:
            return self.points.john
        if outcome == Outcome.FORCED_JOHN:
            return self.points.forced_john
        plain = self.points.bear_off if outcome <= Outcome.BEAR_OFF_MONK else self.points.nice
        monk = outcome in (Outcome.BEAR_OFF_MONK, *range(4, 11, 2))
        return plain + self.points.monk_bonus * monk


def _encode(rules: Rules) -> bytes:
    """The switches that decide about plays, in the layout of ``CRules`` in ``_state.pxd``.

    The last 14 bytes rank the outcomes by value (equal values: the better category, among ends
    that can meet), so that the core need not know points of any size.
    """
    flags = [
        BLOCKED_ENTRY.index(rules.blocked_entry),
        rules.long_block_force,
        rules.five_blots,
        rules.bear_off_rearmost_only,
        rules.smallest_reduction,
        rules.endings_free,
        sum(1 << i for i, game in enumerate(NICE_GAMES) if game in rules.nice_games),
        rules.monk,
    ]
    by_worth = sorted(Outcome, key=lambda o: (o.category is not None, rules.value(o), o))
    return bytes(flags) + bytes(by_worth.index(outcome) for outcome in Outcome)


BRADE = Rules(name="brade")
VERQUERE = Rules(
    blocked_entry="pass",
    long_block_force=False,
    bear_off_rearmost_only=False,
    endings_free=False,
    nice_games=("tower",),
    monk=False,
    points=Points(1, 2, 0, 2, 2),
    name="verquere",
)
REVERTIER = Rules(
    blocked_entry="wait",
    long_block_force=False,
    bear_off_rearmost_only=False,
    smallest_reduction=False,
    endings_free=False,
    nice_games=(),
    monk=False,
    points=Points(1, 0, 0, 2, 2),
    opening="high_plays_dice",
    loser_begins=False,
    name="revertier",
)
PRESETS = {rules.name: rules for rules in (BRADE, VERQUERE, REVERTIER)}

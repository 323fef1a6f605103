"""Positions, plays, dice and rules as text, written and read.

Position ids are packed in the core (``Position.id``, ``Position.from_id``); here they are
only told apart from board text. Reading plays has rooms of its own, ``playtext`` and ``reasons``;
their names can be had from here too.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ._core import Play, Position
from .rules import (
    BLOCKED_ENTRY,
    NICE_GAMES,
    OPENINGS,
    PRESETS,
    InvalidDiceError,
    InvalidPositionError,
    InvalidRulesError,
    Outcome,
    Points,
    Rules,
)

if TYPE_CHECKING:
    from .playtext import parse_play
    from .reasons import Explanation, Reason, explain

__all__ = [
    "OUTCOME_NAMES",
    "Explanation",
    "Reason",
    "State",
    "board_text",
    "dice_text",
    "explain",
    "outcome_name",
    "outcome_title",
    "parse_board_text",
    "parse_dice",
    "parse_outcome",
    "parse_play",
    "parse_position",
    "parse_rules",
    "parse_state",
    "play_text",
    "read_dice",
    "rules_text",
    "state_text",
]

BAR, OFF, MEN = 0, 25, 15


def across(point: int) -> int:
    """The other player's number of a point from 1 to 24 (section 1)."""
    return point + 12 if point <= 12 else point - 12


def __getattr__(name: str) -> Any:
    if name not in ("Explanation", "Reason", "explain", "parse_play"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import playtext, reasons  # they read with what is here

    return getattr(playtext if name == "parse_play" else reasons, name)


#: The outcomes in English and Swedish.
OUTCOME_NAMES: dict[Outcome, tuple[str, str]] = {
    Outcome.NONE: ("the game goes on", "spelet går vidare"),
    Outcome.BEAR_OFF: ("bear-off", "hemspel"),
    Outcome.BEAR_OFF_MONK: ("bear-off with monk", "hemspel med munk"),
    Outcome.SINGLE_CROWN: ("single crown", "enkelt kronspel"),
    Outcome.SINGLE_CROWN_MONK: ("single crown with monk", "enkelt kronspel med munk"),
    Outcome.DOUBLE_CROWN: ("double crown", "dubbelt kronspel"),
    Outcome.DOUBLE_CROWN_MONK: ("double crown with monk", "dubbelt kronspel med munk"),
    Outcome.STAIRCASE: ("staircase", "trappspel"),
    Outcome.STAIRCASE_MONK: ("staircase with monk", "trappspel med munk"),
    Outcome.TOWER: ("tower", "uppspel"),
    Outcome.TOWER_MONK: ("tower with monk", "uppspel med munk"),
    Outcome.JOHN: ("John", "jan"),
    Outcome.FORCED_JOHN: ("forced John", "sprängjan"),
    Outcome.DEADLOCK: ("deadlock", "dödläge"),
}


def _need_text(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{what} must be a str, not {type(value).__name__}")
    return value


def _did_you_mean(word: str, known: Iterable[str]) -> str:
    """``", did you mean 'x'?"`` or nothing."""
    near = difflib.get_close_matches(word, list(known), n=1)
    return f", did you mean {near[0]!r}?" if near else ""


# ---------------------------------------------------------------------------------------
# Outcomes


def outcome_name(outcome: Outcome | int) -> str:
    """The name of an outcome as texts and JSON carry it, such as ``"forced_john"``.

    Raises
    ------
    ValueError
        For a number that is no outcome.
    """
    return Outcome(outcome).name.lower()


def outcome_title(outcome: Outcome | int) -> str:
    """English with the Swedish beside it, such as ``"forced John (sprängjan)"``.

    Raises
    ------
    ValueError
        For a number that is no outcome.
    """
    english, swedish = OUTCOME_NAMES[Outcome(outcome)]
    return f"{english} ({swedish})"


def parse_outcome(text: str) -> Outcome:
    """Read an outcome's name, English or Swedish; case, accents and ``_`` do not matter.

    Raises
    ------
    ValueError
        For anything else.
    TypeError
        For anything but a str.

    Examples
    --------
    >>> parse_outcome("Sprängjan")
    <Outcome.FORCED_JOHN: 12>
    """
    word = _plain(_need_text(text, "an outcome"))
    if word not in _OUTCOME_WORDS:
        known = ", ".join(outcome_name(outcome) for outcome in Outcome)
        raise ValueError(
            f"there is no outcome {text!r}"
            + (_did_you_mean(word, _OUTCOME_WORDS) or f"; outcomes are {known}")
        )
    return _OUTCOME_WORDS[word]


def _plain(text: str) -> str:
    """Lower case, without accents, ``_`` and hyphens as spaces, single spaces."""
    parts = unicodedata.normalize("NFKD", text.casefold())
    letters = "".join(c for c in parts if not unicodedata.combining(c))
    return " ".join(re.sub(r"[-_().]", " ", letters).split())


def _outcome_words() -> dict[str, Outcome]:
    words = {}
    for outcome, names in OUTCOME_NAMES.items():
        for name in (outcome.name, *names):
            words[_plain(name)] = outcome
            words[_plain(name).replace(" with ", " ").replace(" med ", " ")] = outcome
            words[_plain(name).replace(" ", "")] = outcome
    return words | {
        "jean": Outcome.JOHN,
        "forced jan": Outcome.FORCED_JOHN,
        "forced jean": Outcome.FORCED_JOHN,
        "simple crown": Outcome.SINGLE_CROWN,
        "draw": Outcome.DEADLOCK,
    }


_OUTCOME_WORDS = _outcome_words()


# ---------------------------------------------------------------------------------------
# Positions

_INDEX = {"bar": BAR, **{str(point): point for point in range(1, OFF)}, "off": OFF}
_NAMES = {index: name for name, index in _INDEX.items()}
_NUMBERS = [str(n) for n in range(1, MEN + 1)]
_EXAMPLE = "'1:7 4 14:2 15:2 bar:3 / 1:10 15 17:2 18:2'"


def board_text(position: Position) -> str:
    """The board text of a position: each half on its owner's points, the mover's first.

    Points ascending, ``:n`` only above 1, then ``bar:n``; a half with no men left on the
    board is ``off:15``. Men borne off are otherwise those that are missing.

    Examples
    --------
    >>> from brade_fast import Position
    >>> board_text(Position({1: 7, 4: 1, 14: 2, 15: 2, 0: 3}, {1: 10, 15: 1, 17: 2, 18: 2}))
    '1:7 4 14:2 15:2 bar:3 / 1:10 15 17:2 18:2'
    """
    return " / ".join(_half_text(row) for row in position.array().tolist())


def _half_text(row: list[int]) -> str:
    items = [str(p) if row[p] == 1 else f"{p}:{row[p]}" for p in range(1, OFF) if row[p]]
    if row[BAR]:
        items.append(f"bar:{row[BAR]}")
    return " ".join(items) or f"off:{MEN}"


def parse_board_text(text: str) -> Position:
    """Read a board text.

    The items of a half may come in any order. ``n`` alone is one man, so ``4`` and ``4:1``
    are the same. Missing men have been borne off; ``off:n`` may say so and is checked.

    Raises
    ------
    InvalidPositionError
        For text that is none, a half that does not have 15 men, or a board that breaks
        section 7 no. 13.
    TypeError
        For anything but a str.
    """
    halves = _need_text(text, "a board text").split("/")
    if len(halves) != 2:
        raise InvalidPositionError(
            f"a board text has one '/', between the mover's men and the other's, not "
            f"{len(halves) - 1} in {text!r}; it looks like {_EXAMPLE}"
        )
    mover, other = (
        _parse_half(half, owner) for half, owner in zip(halves, ("mover", "other"), strict=True)
    )
    return Position(mover, other)


def _parse_half(half: str, owner: str) -> list[int]:
    where = f"in the {owner}'s half"
    row = [0] * 26
    words = half.split()
    if not words:
        raise InvalidPositionError(
            f"{where} is nothing; a player without men on the board is off:15"
        )
    for word in words:
        index, men = _parse_item(word, where)
        if row[index]:
            raise InvalidPositionError(
                f"{_NAMES[index]} comes twice {where}, the second time as {word!r}; "
                "put all its men into one item"
            )
        row[index] = men
    on_board = sum(row[:OFF])
    if on_board > MEN:
        raise InvalidPositionError(
            f"{on_board} men {where}, on the board and the bar; a player has {MEN}"
        )
    if row[OFF] and on_board + row[OFF] != MEN:
        raise InvalidPositionError(
            f"off:{row[OFF]} {where} does not fit: with {on_board} men on the board and the "
            f"bar it would be off:{MEN - on_board}"
        )
    row[OFF] = MEN - on_board
    return row


def _parse_item(word: str, where: str) -> tuple[int, int]:
    name, colon, number = word.partition(":")
    index = _INDEX.get(name)
    if index is None:
        raise InvalidPositionError(
            f"{word!r} {where} cannot be read: an item is a point from 1 to 24, bar or off, "
            "then ':' and the number of men if more than one"
        )
    if not colon:
        return index, 1
    if number not in _NUMBERS:
        raise InvalidPositionError(
            f"{word!r} {where} cannot be read: after ':' comes a number of men from 1 to {MEN}"
            + ("; leave out what holds no men" if number == "0" else "")
        )
    return index, int(number)


def parse_position(text: str) -> Position:
    """Read a position id or a board text; a ``/`` tells that it is board text.

    Raises
    ------
    InvalidPositionError
        If it is neither, or the board breaks section 7 no. 13.
    TypeError
        For anything but a str.
    """
    if "/" in _need_text(text, "a position"):
        return parse_board_text(text)
    if ":" in text or " " in text.strip():
        raise InvalidPositionError(
            f"{text!r} is no position id, and a board text has a '/' between the mover's men "
            f"and the other's; it looks like {_EXAMPLE}"
        )
    return Position.from_id(text)


# ---------------------------------------------------------------------------------------
# Plays


def play_text(play: Play) -> str:
    """The canonical text of a play.

    It depends on the position, the throw, the rules, the result and the outcome alone,
    because ``canonical_steps`` do. These are joined so, in their order: a step that begins
    where a man moved before has stopped carries that man on (of several the one that
    came first, so that the man who hit goes on); any other step begins a new man. Men are
    written by first source ascending, then last target descending. Men with the same
    points become one group with a count, and the mark of any of them marks the group, since
    only the first to come to a point can have hit there: ``13/15*(2)``.

    Two different plays of one throw never have the same text: the steps give the mover's
    men, the marks the other's, and the outcome is written.

    Examples
    --------
    >>> from brade_fast import Position
    >>> sorted(play_text(play) for play in Position.start().plays(6, 2))
    ['1/7 1/3', '1/7/9']
    """
    return Play.__str__(play)


# ---------------------------------------------------------------------------------------
# Dice


def parse_dice(text: str) -> tuple[int, int]:
    """Read a throw: ``62``, ``6-2`` or ``6 2``; the dice stay in the order given.

    Raises
    ------
    InvalidDiceError
        For anything else.
    TypeError
        For anything but a str.
    """
    match = re.fullmatch(r"([1-6])[- ]?([1-6])", _need_text(text, "a throw").strip())
    if match is None:
        raise InvalidDiceError(
            f"a throw is two numbers from 1 to 6, such as 62, 6-2 or '6 2', not {text!r}"
        )
    return int(match[1]), int(match[2])


def read_dice(dice: Any, what: str = "a throw") -> tuple[int, int]:
    """A throw from two numbers or from a text; the dice stay in the order given.

    `what` is what errors call it.

    Raises
    ------
    InvalidDiceError
        For what is no throw.
    TypeError
        For anything but a str or whole numbers.
    """
    if isinstance(dice, str):
        return parse_dice(dice)
    try:
        given = list(dice[:])  # of sequences alone: in a set the dice have no order
    except (TypeError, LookupError):
        raise TypeError(f"{what} is two dice, as (6, 2), or a text, not {dice!r}") from None
    for die in given:
        if isinstance(die, bool | np.bool_) or not hasattr(die, "__index__"):
            raise TypeError(f"a die is a whole number, not {die!r}")
    numbers = [die.__index__() for die in given]
    if len(numbers) != 2 or not all(1 <= die <= 6 for die in numbers):
        raise InvalidDiceError(f"{what} is two numbers from 1 to 6, not {numbers}")
    return numbers[0], numbers[1]


def dice_text(dice: tuple[int, int]) -> str:
    """A throw as texts carry it, such as ``"6-2"``; the dice stay in the order given."""
    return f"{dice[0]}-{dice[1]}"


# ---------------------------------------------------------------------------------------
# Rules

_TRUE, _FALSE = ("yes", "true", "on"), ("no", "false", "off")
# In the order of Rules; what kind of value each switch has.
_SWITCHES: dict[str, str | tuple[str, ...]] = {
    "blocked_entry": BLOCKED_ENTRY,
    "long_block_force": "bool",
    "five_blots": "bool",
    "bear_off_rearmost_only": "bool",
    "smallest_reduction": "bool",
    "endings_free": "bool",
    "nice_games": "games",
    "monk": "bool",
    "points": "points",
    "opening": OPENINGS,
    "loser_begins": "bool",
}


def parse_rules(text: str) -> Rules:
    """Read rules: a game, then the switches that differ from it, ``NAME[,switch=value...]``.

    Yes-or-no switches take yes/no, true/false or on/off; ``nice_games`` names joined by
    ``/`` or ``none``; ``points`` five numbers joined by ``/`` (bear-off, nice game, monk's
    addition, John, forced John). Case and the accents of bräde and révertier do not matter.
    Switches that make one of the three games give that game, name and all.

    Raises
    ------
    InvalidRulesError
        For an unknown game, switch or value, or a switch that comes twice.
    TypeError
        For anything but a str.

    Examples
    --------
    >>> parse_rules("verquere,five_blots=yes,points=1/2/1/4/6").points
    Points(bear_off=1, nice=2, monk_bonus=1, john=4, forced_john=6)
    """
    name, *items = (part.strip() for part in _need_text(text, "rules").lower().split(","))
    plain = _plain(name)
    if plain not in PRESETS:
        raise InvalidRulesError(
            f"rules begin with one of {', '.join(PRESETS)}, not {name!r}"
            + _did_you_mean(plain, PRESETS)
        )
    changes: dict[str, Any] = {}
    for item in items:
        switch, equals, value = (part.strip() for part in item.partition("="))
        if not equals:
            raise InvalidRulesError(
                f"after the game's name come switches as switch=value, not {item!r}"
            )
        if switch not in _SWITCHES:
            raise InvalidRulesError(
                f"there is no switch {switch!r}"
                + (_did_you_mean(switch, _SWITCHES) or f"; the switches are {', '.join(_SWITCHES)}")
            )
        if switch in changes:
            raise InvalidRulesError(f"{switch} comes twice; give it once")
        changes[switch] = _parse_value(switch, value)
    rules = PRESETS[plain].replace(**changes)
    for preset in PRESETS.values():
        if not _differences(rules, preset):
            return preset
    return rules


def _parse_value(switch: str, value: str) -> Any:
    kind = _SWITCHES[switch]
    if kind == "bool":
        if value not in _TRUE + _FALSE:
            raise InvalidRulesError(f"{switch} is yes or no, not {value!r}")
        return value in _TRUE
    if kind == "points":
        numbers = value.split("/")
        if len(numbers) != 5 or not all(re.fullmatch("[0-9]{1,4000}", n) for n in numbers):
            raise InvalidRulesError(
                "points are five whole numbers joined by '/' (bear-off, nice game, monk's "
                f"addition, John, forced John), such as 1/2/1/4/6, not {value!r}"
            )
        return Points(*map(int, numbers))
    if kind == "games":
        games = () if value == "none" else tuple(value.split("/"))
        for game in games:
            if game not in NICE_GAMES:
                raise InvalidRulesError(
                    f"nice_games are none or some of {'/'.join(NICE_GAMES)}, not {game!r}"
                    + _did_you_mean(game, NICE_GAMES)
                )
        if len(set(games)) < len(games):
            raise InvalidRulesError(f"nice_games names a game twice: {value!r}; give it once")
        return games
    if value not in kind:
        raise InvalidRulesError(
            f"{switch} is one of {', '.join(kind)}, not {value!r}" + _did_you_mean(value, kind)
        )
    return value


def _differences(rules: Rules, preset: Rules) -> list[str]:
    return [s for s in _SWITCHES if getattr(rules, s) != getattr(preset, s)]


def rules_text(rules: Rules) -> str:
    """The shortest text that :func:`parse_rules` reads back to the same switches.

    It is the game with the fewest differences (of equals the first of bräde, verquere,
    révertier) and these differences; the rules' own ``name`` does not count. It holds
    neither spaces nor colons.

    Examples
    --------
    >>> from brade_fast import BRADE
    >>> rules_text(BRADE.replace(five_blots=True, nice_games=()))
    'brade,five_blots=yes,nice_games=none'
    """
    preset = min(PRESETS.values(), key=lambda p: len(_differences(rules, p)))
    changes = (f"{s}={_value_text(getattr(rules, s))}" for s in _differences(rules, preset))
    return ",".join([preset.name, *changes])


def _value_text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):  # Points or nice games
        return "/".join(map(str, value)) or "none"
    return str(value)


# ---------------------------------------------------------------------------------------
# Full state


class State(NamedTuple):
    """All that must be known to go on with a game.

    Attributes
    ----------
    rules : Rules
    turn : str
        Whose turn it is, ``"W"`` or ``"B"``.
    dice : (int, int) or None
        The throw on the table, None before it.
    position : Position
        As the player to move sees it.
    """

    rules: Rules
    turn: str
    dice: tuple[int, int] | None
    position: Position


def state_text(state: State) -> str:
    """The full state in one word: rules, whose turn, throw or ``-``, position id.

    Examples
    --------
    >>> from brade_fast import BRADE, Position
    >>> state_text(State(BRADE, "W", (6, 2), Position.start()))
    'brade:W:6-2:_38AAAD_fwAAAA'
    """
    rules, turn, dice, position = state
    throw = "-" if dice is None else dice_text(dice)
    return f"{rules_text(rules)}:{turn}:{throw}:{position.id}"


def parse_state(text: str) -> State:
    """Read what :func:`state_text` writes; the position may be a board text too.

    Raises
    ------
    InvalidRulesError, InvalidDiceError, InvalidPositionError
        By what is wrong in it; the last also for a text that does not have its four parts.
    TypeError
        For anything but a str.
    """
    parts = _need_text(text, "a full state").strip().split(":", 3)
    if len(parts) != 4:
        raise InvalidPositionError(
            f"a full state has four parts, rules:turn:throw:position, such as "
            f"brade:W:6-2:_38AAAD_fwAAAA, not {text!r}"
        )
    rules, turn, throw, position = (part.strip() for part in parts)
    if turn.upper() not in ("W", "B"):
        raise InvalidPositionError(f"whose turn it is is W or B, not {turn!r}, in {text!r}")
    return State(
        parse_rules(rules),
        turn.upper(),
        None if throw == "-" else parse_dice(throw),
        parse_position(position),
    )

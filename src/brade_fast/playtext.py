"""Plays as people type them: the one legal play of a position and a throw that a text means.

One form is written (``str(play)``), many are read. A text is read as *ways*, each one man's from a
point to another; then all orders of steps that carry these out are tried, and those that lead to
a legal play say which plays it can mean. So the rules stay where they are, in the core.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ._core import Play, Position, Step, apply
from .notation import BAR, OFF, dice_text, parse_outcome, read_dice
from .rules import BRADE, AmbiguousPlayError, IllegalPlayError, Outcome, Rules

__all__ = ["parse_play"]

MOST_STEPS = 4
LONGEST = 200  # characters; the longest play has 49
NO_HIT = 0
_MARKS = {"*": 1, "!": 2}

_BAR_WORDS = {"bar", "b", "baren"}
_OFF_WORDS = {"off", "o", "out", "ut", "ute", "av", "hem", "home"}
_PASS_WORDS = {
    "", "-", "--", "...", "pass", "passa", "passar", "passes", "fåta", "fåtar", "fata", "fatar",
    "dance", "dances", "none", "nothing", "no play", "no move", "inget", "ingenting", "impotence",
}  # fmt: skip
_JOINING_WORDS = re.compile(r"\b(?:and|och|then|sedan|&)\b|[,;&+]")
_DASHES = re.compile(r"[-=–—]+>|[→⟶⇒➔➜➝▶»›>]|[-‐‑‒–—―−]|\b(?:to|till)\b")
# What a line of a record has before the play: "1. W 6-2:", or the throw alone.
_THROW = re.compile(r"\s*(?:\d+\.\s*)?(?:[wb]\s+)?([1-6])[- ]?([1-6])\s*:", re.ASCII)
_PLACE = r"(?:\d+|[^\W\d_]+)"
_WAY = re.compile(rf"({_PLACE}[*!]*(?:/{_PLACE}[*!]*)+)(?:\((\d+)\)|[x×](\d+))?([*!]*)")


class UnreadableError(IllegalPlayError):
    """A text that is no play in any position."""


class Way(NamedTuple):
    """How one man goes, as the text says.

    Attributes
    ----------
    source, target : int
    stops : tuple of int
        The touch-downs that are given, which need not be all.
    """

    source: int
    target: int
    stops: tuple[int, ...]

    def __str__(self) -> str:
        return "/".join(map(place_name, (self.source, *self.stops, self.target)))


class PlayText(NamedTuple):
    """What a text says.

    Attributes
    ----------
    ways : tuple of Way
        One for each man; none for a pass.
    marks : frozenset of (int, int)
        (point, kind of hit) for the marks that are given.
    outcome : Outcome or None
        None if none is given.
    """

    ways: tuple[Way, ...]
    marks: frozenset[tuple[int, int]]
    outcome: Outcome | None


def place_name(index: int) -> str:
    """A point, ``bar`` or ``off``."""
    return {BAR: "bar", OFF: "off"}.get(index, str(index))


# ---------------------------------------------------------------------------------------
# The text alone


def read_text(text: str, throw: tuple[int, int] | None = None) -> PlayText:
    """Take a text apart, whatever position it is for.

    A throw before the play, as in a line of a record, must be `throw`.

    Raises
    ------
    UnreadableError
    """
    if len(text) > LONGEST:
        raise UnreadableError(f"a play has at most {LONGEST} characters, not {len(text):,}")
    plain = unicodedata.normalize("NFKC", text).casefold()
    if match := _THROW.match(plain):
        named = int(match[1]), int(match[2])
        if throw is not None and sorted(named) != sorted(throw):
            raise UnreadableError(f"it is a play of {dice_text(named)}")
        plain = plain[match.end() :]
    plain = re.sub(r"[=–—]+>", "/", plain)
    plain, equals, end = plain.partition("=")
    outcome = _read_outcome(end) if equals else None
    if plain.strip(" ()[].") in _PASS_WORDS or plain.strip() in _PASS_WORDS | set("–—−"):
        return PlayText((), frozenset(), outcome)
    plain = _DASHES.sub("/", plain)
    plain = _JOINING_WORDS.sub(" ", plain)
    plain = re.sub(r"\s*/\s*", "/", plain)
    plain = re.sub(r"\s+(?=[*!(x×])", "", plain).rstrip(" .")
    ways: list[Way] = []
    marks: set[tuple[int, int]] = set()
    for word in plain.split():
        ways += _read_ways(word, marks)
    if len(ways) > MOST_STEPS:
        raise UnreadableError(f"{len(ways)} men are moved; a turn has at most {MOST_STEPS} steps")
    return PlayText(tuple(ways), frozenset(marks), outcome)


def _read_outcome(text: str) -> Outcome:
    try:
        return parse_outcome(text.strip())
    except ValueError as error:
        raise UnreadableError(str(error)) from None


def _read_ways(word: str, marks: set[tuple[int, int]]) -> list[Way]:
    """The ways of one word, as many as its count says; adds the marks."""
    match = _WAY.fullmatch(word)
    if match is None:
        raise UnreadableError(
            f"{word!r} cannot be read: a man's way is written as 8/12, bar/3 or 20/off"
        )
    path, *counts, last_marks = match.groups()
    places: list[int] = []
    for item in (path + last_marks).split("/"):
        name = item.rstrip("*!")
        places.append(_read_place(name, is_source=not places))
        marks.update((places[-1], _MARKS[mark]) for mark in item[len(name) :])
    number = next((count for count in counts if count), "1")
    if len(number) > 2 or not 1 <= int(number) <= MOST_STEPS:
        raise UnreadableError(f"{word!r}: 1 to {MOST_STEPS} men can go one way in a turn")
    for here, there in itertools.pairwise(places):
        if here >= there:
            raise UnreadableError(
                f"{word!r}: men move to higher points, not from {place_name(here)} "
                f"to {place_name(there)}"
            )
    return [Way(places[0], places[-1], tuple(places[1:-1]))] * int(number)


def _read_place(name: str, *, is_source: bool) -> int:
    if name in _BAR_WORDS and is_source:
        return BAR
    if name in _OFF_WORDS and not is_source:
        return OFF
    if name.isascii() and name.isdigit() and len(name) <= 2 and int(name) <= OFF:
        return int(name)
    raise UnreadableError(
        f"{name!r} is no {'point to come from' if is_source else 'point to come to'}; "
        f"points are 1 to 24, {'bar' if is_source else 'off'}"
    )


# ---------------------------------------------------------------------------------------
# The text in a position


class Order(NamedTuple):
    """Steps that carry a text out in some order, each possible where it is taken.

    Attributes
    ----------
    steps : tuple of Step
    as_told : bool
        Whether the men touch down where the text says they do.
    """

    steps: tuple[Step, ...]
    as_told: bool


class Obstacle(NamedTuple):
    """A step that cannot be taken when it is its turn.

    Attributes
    ----------
    taken : tuple of Step
        What was played before.
    source, die : int
    """

    taken: tuple[Step, ...]
    source: int
    die: int


def orders(
    position: Position, dice: tuple[int, int], rules: Rules, ways: tuple[Way, ...]
) -> tuple[list[Order], list[Obstacle]]:
    """All orders of single steps that carry the ways out, and what stopped the others.

    The duties of section 3 are not looked at. Only shares of the dice are followed that can
    carry all ways out, so neither list holds anything if the dice do not fit.
    """
    found: list[Order] = []
    stopped: list[Obstacle] = []
    possible: dict[tuple[Step, ...], dict[tuple[int, int], Step]] = {}

    def go_on(
        men: tuple[tuple[int, ...], ...], left: tuple[int, ...], taken: tuple[Step, ...]
    ) -> None:
        if all(path[-1] == way.target for path, way in zip(men, ways, strict=True)):
            as_told = all(set(way.stops) <= set(path) for path, way in zip(men, ways, strict=True))
            found.append(Order(taken, as_told))
            return
        if taken not in possible:
            following = position.next_steps(*dice, taken, rules, duties=False)
            possible[taken] = {(step.source, step.die): step for step in following}
        tried = set()
        for i, die in _moves(men, left, ways):
            here = men[i][-1]
            after = (*men[:i], (*men[i], min(here + die, OFF)), *men[i + 1 :])
            what = (men[i], ways[i], die)  # men with the same way are one
            if what in tried or not _can_finish(after, _without(left, die), ways):
                continue
            tried.add(what)
            step = possible[taken].get((here, die))
            if step is None:
                stopped.append(Obstacle(taken, here, die))
            else:
                go_on(after, _without(left, die), (*taken, step))

    left = dice if dice[0] != dice[1] else (dice[0],) * MOST_STEPS
    men = tuple((way.source,) for way in ways)
    if _can_finish(men, left, ways):
        go_on(men, left, ())
    return found, stopped


def _without(left: tuple[int, ...], die: int) -> tuple[int, ...]:
    at = left.index(die)
    return left[:at] + left[at + 1 :]


def _moves(
    men: tuple[tuple[int, ...], ...], left: tuple[int, ...], ways: tuple[Way, ...]
) -> Iterator[tuple[int, int]]:
    """(man, die) for each man on his way whom a die does not carry too far."""
    for i, (path, way) in enumerate(zip(men, ways, strict=True)):
        if path[-1] != way.target:
            for die in dict.fromkeys(left):
                if min(path[-1] + die, OFF) <= way.target:
                    yield i, die


def _can_finish(
    men: tuple[tuple[int, ...], ...], left: tuple[int, ...], ways: tuple[Way, ...]
) -> bool:
    """Whether the dice left, by their numbers alone, can carry all men to their targets."""
    unfinished = [i for i, way in enumerate(ways) if men[i][-1] != way.target]
    if not unfinished:
        return True
    first = unfinished[0]  # in which order the men go does not matter here
    return any(
        _can_finish(
            (*men[:i], (*men[i], min(men[i][-1] + die, OFF)), *men[i + 1 :]),
            _without(left, die),
            ways,
        )
        for i, die in _moves(men, left, ways)
        if i == first
    )


def replay(position: Position, steps: tuple[Step, ...], rules: Rules) -> tuple[Position, Outcome]:
    """Where steps lead, as the next player sees it, and what they make of the game."""
    rows = np.full((1, MOST_STEPS, 4), -1, np.int8)
    for row, step in zip(rows[0], steps, strict=False):
        row[:] = tuple(step)
    done = apply(position.array()[None], rows, rules)
    return Position.from_array(done.boards[0]), Outcome(int(done.outcomes[0]))


def fitting(
    position: Position,
    plays: tuple[Play, ...],
    found: list[Order],
    said: PlayText,
    rules: Rules,
) -> list[Play]:
    """The plays that a text can mean, at the first level at which it means any.

    First the marks and touch-downs that are given must be true, then only the ways; an outcome
    that is given must always be.
    """
    by_result = {(play.position, play.outcome): play for play in plays}
    exact: dict[Play, None] = {}
    loose: dict[Play, None] = {}
    for order in found:
        play = by_result.get(replay(position, order.steps, rules))
        if play is None or said.outcome not in (None, play.outcome):
            continue
        loose[play] = None
        hits = {(step.target, step.hit) for step in order.steps if step.hit != NO_HIT}
        if order.as_told and said.marks <= hits:
            exact[play] = None
    return list(exact or loose)


def parse_play(
    position: Position, dice: tuple[int, int] | str, text: str, rules: Rules = BRADE
) -> Play:
    """Read a play: find the one legal play that a text means.

    The canonical text (``str(play)``) always means its play. Otherwise the men's ways decide:
    ``8/12``, joined (``8/12/16`` or ``8/16``), counted (``8/12(2)``), in any order, separated by
    spaces or commas. The bar is ``bar`` or ``0``, off is ``off`` or ``25``; arrows, dashes and
    ``to`` serve as slashes; English and Swedish words are read in any case. Marks (``*`` hit,
    ``!`` forced) and touch-downs may be missing. Those that are given choose between plays; if
    they fit none, they are passed over. A play that ends the game may carry its outcome, and the
    throw may stand before the play (``6-2:``). A pass is ``pass``, ``fåta``, ``dance``, ``-`` or
    nothing.

    Parameters
    ----------
    position : Position
    dice : (int, int) or str
    text : str
    rules : Rules

    Returns
    -------
    Play

    Raises
    ------
    IllegalPlayError
        Saying in a sentence why no legal play fits, and which ones are near (see ``explain``).
    AmbiguousPlayError
        Naming the plays that fit.
    InvalidPositionError
        If somebody has already won.
    InvalidDiceError, TypeError

    Examples
    --------
    >>> from brade_fast import Position
    >>> start = Position.start()
    >>> parse_play(start, (6, 2), "1-9")
    <Play 6-2: 1/7/9>
    """
    if not isinstance(text, str):
        raise TypeError(f"a play must be a str, not {type(text).__name__}")
    throw = read_dice(dice)
    plays = position.plays(*throw, rules)
    for play in plays:
        if str(play) == text:
            return play
    try:
        said = read_text(text, throw)
        fits = _fits(position, throw, plays, said, rules)
    except UnreadableError:
        fits = []
    if len(fits) == 1:
        return fits[0]
    if fits:
        named = ", ".join(repr(str(play)) for play in fits)
        raise AmbiguousPlayError(
            f"{text!r} with {dice_text(throw)} can mean {len(fits)} plays: {named}"
        )
    from .reasons import explain

    raise IllegalPlayError(explain(position, throw, text, rules).sentence)


def _fits(
    position: Position,
    throw: tuple[int, int],
    plays: tuple[Play, ...],
    said: PlayText,
    rules: Rules,
) -> list[Play]:
    if not said.ways:
        passes = [play for play in plays if not play.steps]
        return passes if said.outcome in (None, Outcome.NONE) else []
    found, _ = orders(position, throw, rules, said.ways)
    return fitting(position, plays, found, said, rules)

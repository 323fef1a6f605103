"""Why a play is illegal: the reason, the first step that it concerns, and what is near.

What is possible is asked of the core (``Position.next_steps``, ``Position.plays``); here the
board is only looked at to name what stands in the way.
"""

from __future__ import annotations

import difflib
import enum
from typing import NamedTuple

from ._core import Play, Position, Step
from .notation import BAR, OFF, across, dice_text, outcome_name, read_dice
from .playtext import (
    Obstacle,
    PlayText,
    UnreadableError,
    fitting,
    orders,
    place_name,
    read_text,
    replay,
)
from .rules import BRADE, Outcome, Rules

__all__ = ["Explanation", "Reason", "explain"]

_NAMED = 3  # how many plays an explanation names
_HEAD = 12


class Reason(enum.Enum):
    """Why a text is no legal play; the values say it in general."""

    LEGAL = "the play is legal"
    UNREADABLE = "the text is no play"
    AMBIGUOUS = "more than one play fits"
    GAME_OVER = "somebody has already won"
    NO_SUCH_DIE = "the dice do not carry the men so far"
    NO_SUCH_MAN = "no man of the player stands there"
    ENTER_FIRST = "men on the bar must enter first"
    MADE_POINT = "the opponent has a made point there"
    OWN_MAN_ON_ENTRY = "men enter only where no own man stands"
    OWN_MAN_ON_FAR_SIDE = "on the far side only the head may be made"
    FIVE_BLOTS = "no point may be made before five men have left the talon"
    NOT_ALL_HOME = "men are borne off only when all are on 19 to 24"
    OTHERS_BEHIND = "a man farther back must be moved or borne off first"
    JUNKER = "the Junker passes the whole turn"
    AFTER_THE_END = "nothing is played after the end of the game"
    MUST_PLAY = "who can play may not pass"
    BOTH_DICE = "both dice can be played"
    MORE_DICE = "more of the dice can be played"
    HIGHER_DIE = "the higher die must be played"
    SMALLER_REDUCTION = "a smaller reduction is possible"
    WRONG_OUTCOME = "the play does not end so"


# Of obstacles met equally late the first of these is named: the last ones may only come from the
# order of the steps, as own men in the way may be the very men who ought to go first.
_STANDING_FIRST = (
    Reason.JUNKER,
    Reason.MADE_POINT,
    Reason.OWN_MAN_ON_ENTRY,
    Reason.AFTER_THE_END,
    Reason.OWN_MAN_ON_FAR_SIDE,
    Reason.FIVE_BLOTS,
    Reason.NOT_ALL_HOME,
    Reason.OTHERS_BEHIND,
    Reason.NO_SUCH_MAN,
    Reason.ENTER_FIRST,
)


class Explanation(NamedTuple):
    """What ``explain`` answers.

    Attributes
    ----------
    reason : Reason
    step : Step or None
        The first step that the reason concerns. For BOTH_DICE and MORE_DICE of a play that
        only stops too soon, a step that can follow.
    nearest : tuple of Play
        The legal play, those that the text can mean, or those that are near to it.
    sentence : str
    """

    reason: Reason
    step: Step | None
    nearest: tuple[Play, ...]
    sentence: str


class _Refusal(NamedTuple):
    reason: Reason
    step: Step | None
    why: str


def explain(
    position: Position, dice: tuple[int, int] | str, text: str, rules: Rules = BRADE
) -> Explanation:
    """Say whether a text is a legal play, and if not, why.

    Of all orders in which the text can be carried out the one is looked at that gets furthest.

    Parameters
    ----------
    position : Position
    dice : (int, int) or str
    text : str
        As ``parse_play`` reads it.
    rules : Rules

    Returns
    -------
    Explanation

    Raises
    ------
    InvalidDiceError, TypeError

    Examples
    --------
    >>> from brade_fast import Position
    >>> explain(Position.start(), (6, 2), "1/7").sentence
    "'1/7' with 6-2: both dice can be played, 1/3 can follow; near are 1/7 1/3, 1/7/9"
    """
    if not isinstance(text, str):
        raise TypeError(f"a play must be a str, not {type(text).__name__}")
    throw = read_dice(dice)
    told = f"{text if len(text) <= 60 else text[:57] + '...'!r} with {dice_text(throw)}"
    if position.is_over(rules):
        return Explanation(Reason.GAME_OVER, None, (), f"{told}: {Reason.GAME_OVER.value}")
    plays = position.plays(*throw, rules)
    exact = [play for play in plays if str(play) == text]
    if exact:
        return Explanation(Reason.LEGAL, None, tuple(exact), f"{told} is legal")
    try:
        said = read_text(text, throw)
    except UnreadableError as error:
        near = _near_texts(plays, text)
        refusal = _Refusal(Reason.UNREADABLE, None, str(error))
        return _explanation(told, refusal, near)
    found, stopped = orders(position, throw, rules, said.ways) if said.ways else ([], [])
    fits = fitting(position, plays, found, said, rules) if said.ways else _passes(plays, said)
    if len(fits) == 1:
        return Explanation(Reason.LEGAL, None, tuple(fits), f"{told} is legal: {fits[0]}")
    if fits:
        refusal = _Refusal(Reason.AMBIGUOUS, None, f"{len(fits)} plays fit")
        return _explanation(told, refusal, tuple(fits))
    near = _near_ways(position, plays, said)
    whole = [order.steps for order in found if order.as_told] or [order.steps for order in found]
    if said.outcome is not None:
        meant = fitting(position, plays, found, said._replace(outcome=None), rules)
        if meant or (not said.ways and not plays[0].steps):
            ends = outcome_name((meant or plays)[0].outcome)
            why = f"its outcome is {ends}, not {outcome_name(said.outcome)}"
            return _explanation(told, _Refusal(Reason.WRONG_OUTCOME, None, why), tuple(meant))
    if not said.ways:
        refusal = _Refusal(Reason.MUST_PLAY, plays[0].steps[0], Reason.MUST_PLAY.value)
    elif whole:
        refusal = _against_duties(position, throw, rules, plays, whole)
    elif stopped:
        refusal = _worst_first(position, rules, stopped)
    else:
        refusal = _Refusal(Reason.NO_SUCH_DIE, None, _no_such_die(said, throw))
    return _explanation(told, refusal, near)


def _explanation(told: str, refusal: _Refusal, near: tuple[Play, ...]) -> Explanation:
    named = ", ".join(map(str, near))
    link = "they are" if refusal.reason is Reason.AMBIGUOUS else "near are"
    if len(near) == 1:
        link = "legal is" if refusal.reason is not Reason.WRONG_OUTCOME else "the play is"
    sentence = f"{told}: {refusal.why}" + (f"; {link} {named}" if near else "")
    return Explanation(refusal.reason, refusal.step, near, sentence)


def _passes(plays: tuple[Play, ...], said: PlayText) -> list[Play]:
    fits = said.outcome in (None, Outcome.NONE)
    return [play for play in plays if fits and not play.steps]


# ---------------------------------------------------------------------------------------
# A step that is not possible


def _worst_first(position: Position, rules: Rules, stopped: list[Obstacle]) -> _Refusal:
    """The reason of the obstacle that was met last; of equals one that another order of the same
    steps does not take away."""
    furthest = max(len(obstacle.taken) for obstacle in stopped)
    refusals = [
        _look(position, rules, obstacle) for obstacle in stopped if len(obstacle.taken) == furthest
    ]
    return min(refusals, key=lambda refusal: _STANDING_FIRST.index(refusal.reason))


def _look(position: Position, rules: Rules, obstacle: Obstacle) -> _Refusal:
    """Name what stands in the way of a step."""
    taken, source, die = obstacle
    target = min(source + die, OFF)
    after, outcome = replay(position, taken, rules)
    other, mover = after.array().tolist()  # as the next player sees it
    hit = 0 if target == OFF else min(other[across(target)], 2)
    step = Step(source, target, die, hit)
    name = f"{place_name(source)}/{place_name(target)}"
    if outcome:
        reason, why = Reason.AFTER_THE_END, f"the game has ended before {name}"
    elif not mover[source]:
        reason = Reason.NO_SUCH_MAN
        why = f"no man is on {'the bar' if source == BAR else f'point {source}'} for {name}"
    elif source != BAR and mover[BAR]:
        men = f"{mover[BAR]} men on the bar" if mover[BAR] > 1 else "the man on the bar"
        reason, why = Reason.ENTER_FIRST, f"{men} must enter before {name}"
    elif _is_junker(position, rules):
        reason = Reason.JUNKER
        why = "more men are on the bar than can enter, and the Junker passes the whole turn"
    elif hit == 2:
        reason, why = Reason.MADE_POINT, f"the opponent has a made point on {target}"
    elif target == OFF:
        reason, why = _not_off(mover, source, name)
    elif source == BAR:
        reason, why = Reason.OWN_MAN_ON_ENTRY, f"an own man stands on {target}; none can enter"
    elif target < _HEAD:
        reason = Reason.OWN_MAN_ON_FAR_SIDE
        why = f"an own man stands on {target}, and on 2 to 11 no point may be made"
    else:
        reason = Reason.FIVE_BLOTS
        why = f"an own man stands on {target}, and fewer than five men have left the talon"
    return _Refusal(reason, step, why)


def _not_off(mover: list[int], source: int, name: str) -> tuple[Reason, str]:
    outside = [point for point in range(1, 19) if mover[point]]
    if outside:
        return Reason.NOT_ALL_HOME, f"{name} needs all men on 19 to 24, and one is on {outside[0]}"
    behind = next(point for point in range(19, source) if mover[point])
    return Reason.OTHERS_BEHIND, f"a man on {behind} stands behind {source}"


def _is_junker(position: Position, rules: Rules) -> bool:
    """Whether the player passes for having more men on the bar than points to enter on.

    Who has to pass whatever he throws, but could enter if he only had to wait.
    """
    if rules.blocked_entry != "pass" or not position.bar[0]:
        return False
    return not any(position.next_steps(d, d, (), rules, duties=False) for d in range(1, 7)) and any(
        position.next_steps(d, d, (), rules.replace(blocked_entry="wait"), duties=False)
        for d in range(1, 7)
    )


# ---------------------------------------------------------------------------------------
# Steps that are possible, but no legal play


def _against_duties(
    position: Position,
    throw: tuple[int, int],
    rules: Rules,
    plays: tuple[Play, ...],
    whole: list[tuple[Step, ...]],
) -> _Refusal:
    """Which duty of section 3 the steps neglect, in the order of the duties."""
    wrongs = {steps: _first_wrong(position, throw, rules, steps) for steps in whole}
    # Steps that only stop too soon are what was meant, rather than a longer way round.
    steps = next((steps for steps in whole if wrongs[steps] is None), max(whole, key=len))
    wrong = wrongs[steps]
    bound = [p for p in plays if not (rules.endings_free and p.outcome)] or list(plays)
    reason = Reason.MORE_DICE if throw[0] == throw[1] else Reason.BOTH_DICE
    if wrong is None:  # the beginning of a legal play
        step = position.next_steps(*throw, steps, rules)[0]
        name = f"{place_name(step.source)}/{place_name(step.target)}"
        return _Refusal(reason, step, f"{reason.value}, {name} can follow")
    while following := position.next_steps(*throw, steps, rules, duties=False):
        steps += (following[0],)  # it leads to no legal play however it goes on; why?
    if len(steps) < max(len(play.steps) for play in bound):
        return _Refusal(reason, wrong, reason.value)
    if len(steps) == 1 and steps[0].die < max(throw):
        why = f"the higher die, {max(throw)}, can be played and must be"
        return _Refusal(Reason.HIGHER_DIE, wrong, why)
    return _Refusal(Reason.SMALLER_REDUCTION, wrong, Reason.SMALLER_REDUCTION.value)


def _first_wrong(
    position: Position, throw: tuple[int, int], rules: Rules, steps: tuple[Step, ...]
) -> Step | None:
    """The first step after which no legal play can be reached any more."""
    for i, step in enumerate(steps):
        if step not in position.next_steps(*throw, steps[:i], rules):
            return step
    return None


def _no_such_die(said: PlayText, throw: tuple[int, int]) -> str:
    ways = " ".join(map(str, said.ways))
    return f"{dice_text(throw)} does not carry the men so: {ways}"


# ---------------------------------------------------------------------------------------
# What is near


def _near_texts(plays: tuple[Play, ...], text: str) -> tuple[Play, ...]:
    texts = {str(play): play for play in plays}
    near = difflib.get_close_matches(text[:60], list(texts)[:500], n=_NAMED, cutoff=0.5)
    return tuple(texts[name] for name in near or list(texts)[:_NAMED])


def _near_ways(position: Position, plays: tuple[Play, ...], said: PlayText) -> tuple[Play, ...]:
    """The plays after which the player's men stand most nearly as the text would have them."""
    wanted = position.array()[0].astype(int)
    for way in said.ways:
        wanted[way.source] -= 1
        wanted[way.target] += 1

    def distance(play: Play) -> int:
        return int(abs(play.position.array()[1] - wanted).sum())

    return tuple(sorted(plays, key=distance)[:_NAMED])

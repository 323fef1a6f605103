"""The rules in plain Python: the other opinion, written from ``docs/rules.md`` alone.

It goes through that page in the page's order and shares no rule with the fast core, so that
the two can be checked against each other. Section numbers are those of ``docs/rules.md``.

A board is a pair of tuples of 26, the player to move first, each player on his own way:
index 0 bar, 1-24 the points, 25 off. The functions on single boards trust their input
(:func:`check_board` tests it); the bulk functions at the end test everything.
"""

from __future__ import annotations

import operator
import random
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from .rules import (
    BRADE,
    Enumeration,
    InvalidDiceError,
    InvalidPositionError,
    Outcome,
    Playouts,
    Rules,
)

__all__ = [
    "ALL_THROWS", "Board", "Dice", "Sequence", "Step", "board_of", "check_board", "check_dice",
    "complete_sequences", "count_plays", "end_of_game", "enumerate_plays", "flip",
    "forceable_points", "higher_die", "is_deadlock", "is_over", "junker", "legal_plays",
    "legal_sequences", "most_dice", "perft", "playouts", "possible_steps",
    "smallest_reduction", "take_step",
]  # fmt: skip

# --- Section 1: board and words ---------------------------------------------------------

Men: TypeAlias = tuple[int, ...]
Board: TypeAlias = tuple[Men, Men]
Dice: TypeAlias = tuple[int, int]

BAR, TALON, OFF = 0, 1, 25
MEN = 15
POINTS = range(1, 25)
Q1 = range(1, 7)
FAR_SIDE = range(2, 12)  # where only one own man may stand
# Point p of one player is point ACROSS[p] of the other (0 only fills the place of the bar).
ACROSS = (0, *range(13, 25), *range(1, 13))
ALL_THROWS: tuple[Dice, ...] = tuple((a, b) for a in range(1, 7) for b in range(a, 7))


def flip(board: Board) -> Board:
    """The same board as the other player sees it (section 1)."""
    mover, other = board
    return other, mover


def is_made(men: int) -> bool:
    """A made point: two or more men; the untouched talon is one too (section 1)."""
    return men >= 2


def on_movers_points(other: Men) -> Men:
    """The other player's men by the mover's points 1-24 (index 0 is empty; section 1)."""
    return (0, *other[13:25], *other[1:13])


# --- Section 2: one step with one die ---------------------------------------------------

NOTHING, BLOT, FORCED = 0, 1, 2  # what a step may meet on its target


class Step(NamedTuple):
    """One man moved with one die.

    Attributes
    ----------
    source, target : int
        The mover's own points; entering has source 0, bearing off target 25.
    die : int
    hit : int
        0 nothing was hit, 1 a blot, 2 a made point was forced.
    """

    source: int
    target: int
    die: int
    hit: int


def possible_steps(board: Board, die: int, rules: Rules) -> list[Step]:
    """All steps that the mover can make with one die (sections 2 and 4).

    The Junker's pass and the duties belong to whole turns and are not looked at here.
    """
    mover, other = board
    forceable = forceable_points(board, rules)
    leaver = man_who_may_leave(mover, die, rules)
    sources = [BAR] if mover[BAR] else [p for p in POINTS if mover[p]]
    steps = []
    for source in sources:
        target = source + die
        if target >= OFF:
            if source == leaver:
                steps.append(Step(source, OFF, die, NOTHING))
        elif not barred_by_own_man(mover, source, target, rules):
            men = other[ACROSS[target]]
            if not is_made(men):
                steps.append(Step(source, target, die, men))
            elif target in forceable:
                steps.append(Step(source, target, die, FORCED))
    return steps


def barred_by_own_man(mover: Men, source: int, target: int, rules: Rules) -> bool:
    """An own man bars entering on his point, and landing on 2-11 (section 2 no. 1, 2).

    With ``five_blots`` he bars every landing while more than ten men are on the talon.
    """
    if not mover[target]:
        return False
    if source == BAR or target in FAR_SIDE:
        return True
    return rules.five_blots and mover[TALON] > 10


def man_who_may_leave(mover: Men, die: int, rules: Rules) -> int | None:
    """The point from which a man may be borne off with this die (sections 2 no. 3 and 6)."""
    if any(mover[:19]) or mover[OFF] == MEN:
        return None
    rearmost = min(p for p in POINTS if mover[p])
    exact = OFF - die
    if rules.bear_off_rearmost_only:
        return rearmost if rearmost >= exact else None
    if mover[exact]:
        return exact
    return rearmost if rearmost > exact else None


def reduction(step: Step) -> int:
    """By how much the die was larger than bearing off needed (section 2 no. 3)."""
    return step.source + step.die - OFF if step.target == OFF else 0


def take_step(board: Board, step: Step) -> Board:
    """The board after a step; hit and forced men go to their owner's bar (section 2 no. 4)."""
    mover, other = list(board[0]), board[1]
    mover[step.source] -= 1
    mover[step.target] += 1
    if step.hit:
        there = ACROSS[step.target]
        others = list(other)
        others[BAR] += others[there]
        others[there] = 0
        other = tuple(others)
    return tuple(mover), other


# --- Section 4: forcing a made point open -----------------------------------------------


def forceable_points(board: Board, rules: Rules) -> set[int]:
    """The mover's points that he may force with his next step (section 4).

    Looked at afresh before every step. Points that he can only enter on count as well.
    """
    mover, other = board
    if is_last_man(mover):
        return set()
    points: set[int] = set()
    if rules.long_block_force:
        points |= long_block(other)
    if rules.blocked_entry == "force" and mover[BAR] > len(available_points(board)):
        points |= {p for p in Q1 if is_made(other[ACROSS[p]])}
    return points


def is_last_man(mover: Men) -> bool:
    """Who has borne off 14 men may never force (section 4)."""
    return mover[OFF] == MEN - 1


def long_block(other: Men) -> set[int]:
    """The points of every run of six or more made points in the mover's path (section 4)."""
    block: set[int] = set()
    run: list[int] = []
    for point, men in enumerate(on_movers_points(other)):
        if is_made(men):
            run.append(point)
            if len(run) >= 6:
                block.update(run)
        elif run:
            run = []
    return block


def available_points(board: Board) -> set[int]:
    """The points of the mover's Q1 that are empty or held by one opposing man (section 4)."""
    mover, other = board
    return {p for p in Q1 if not mover[p] and not is_made(other[ACROSS[p]])}


# --- Section 3: which plays are legal ---------------------------------------------------


class Sequence(NamedTuple):
    """A complete sequence of steps: a turn played until it could not go on.

    Attributes
    ----------
    steps : tuple of Step
        In playing order; empty for a pass.
    board : Board
        The board afterwards, as the *next* player sees it.
    outcome : Outcome
        ``Outcome.NONE`` unless the last step ended the game.
    reduction : int
        The reduction of all steps together.
    """

    steps: tuple[Step, ...]
    board: Board
    outcome: Outcome
    reduction: int


def complete_sequences(
    board: Board, dice: Dice, rules: Rules = BRADE, *, merge: bool = False
) -> list[Sequence]:
    """All complete step sequences, in every order (section 3, before the duties).

    Each goes on until no die is left, no step is possible or the game has ended.

    Parameters
    ----------
    board : Board
        A valid board on which nobody has won.
    dice : (int, int)
    rules : Rules
    merge : bool
        Follow only one way to each (board, dice left, outcome). The other ways would go on in
        the same manner, and their reduction is the same too, being the pips of the dice used
        less the pips that the men moved.

    Returns
    -------
    list of Sequence
        Never empty: without any step it holds the empty sequence.
    """
    if rules.blocked_entry == "pass" and junker(board, rules):
        return [Sequence((), flip(board), Outcome.NONE, 0)]
    complete: list[Sequence] = []
    seen: set[tuple[Board, tuple[int, ...], Outcome]] = set()

    def go_on(board: Board, left: tuple[int, ...], steps: tuple[Step, ...], reduced: int) -> None:
        stuck = True
        for die in set(left):
            rest = one_less(left, die)
            for step in possible_steps(board, die, rules):
                stuck = False
                after = take_step(board, step)
                outcome = end_of_game(after, rules, forced=step.hit == FORCED)
                if merge:
                    if (after, rest, outcome) in seen:
                        continue
                    seen.add((after, rest, outcome))
                total = reduced + reduction(step)
                if outcome or not rest:
                    complete.append(Sequence((*steps, step), flip(after), outcome, total))
                else:
                    go_on(after, rest, (*steps, step), total)
        if stuck:
            complete.append(Sequence(steps, flip(board), Outcome.NONE, reduced))

    left = dice if dice[0] != dice[1] else dice * 2
    go_on(board, left, (), 0)
    return complete


def one_less(left: tuple[int, ...], die: int) -> tuple[int, ...]:
    """The dice left when one of them has been played."""
    at = left.index(die)
    return left[:at] + left[at + 1 :]


def most_dice(pool: list[Sequence]) -> list[Sequence]:
    """Duty 1: those that use the most dice, and those that end the game (section 3)."""
    most = max((len(s.steps) for s in pool), default=0)
    return [s for s in pool if len(s.steps) == most or s.outcome]


def higher_die(pool: list[Sequence]) -> list[Sequence]:
    """Duty 2: if only one die can be played, but either, then the higher (section 3)."""
    if max((len(s.steps) for s in pool), default=0) != 1:
        return pool
    highest = max(s.steps[0].die for s in pool)
    return [s for s in pool if s.steps[0].die == highest]


def smallest_reduction(pool: list[Sequence]) -> list[Sequence]:
    """Duty 3: those whose total reduction is the smallest (section 3)."""
    smallest = min((s.reduction for s in pool), default=0)
    return [s for s in pool if s.reduction == smallest]


def duties(pool: list[Sequence], rules: Rules) -> list[Sequence]:
    """The duties one after the other; the third by its switch (sections 3 and 6)."""
    pool = higher_die(most_dice(pool))
    return smallest_reduction(pool) if rules.smallest_reduction else pool


def legal_sequences(
    board: Board, dice: Dice, rules: Rules = BRADE, *, merge: bool = False
) -> list[Sequence]:
    """All legal step sequences, in every order (section 3).

    Parameters
    ----------
    board, dice, rules, merge
        As for :func:`complete_sequences`.

    Returns
    -------
    list of Sequence
        Never empty: a pass is the empty sequence.
    """
    pool = complete_sequences(board, dice, rules, merge=merge)
    if not rules.endings_free:
        return duties(pool, rules)
    # Bräde: an end is always legal, and the duties are measured among the others alone.
    others = [s for s in pool if not s.outcome]
    return [s for s in pool if s.outcome] + duties(others, rules)


def legal_plays(board: Board, dice: Dice, rules: Rules = BRADE) -> list[Sequence]:
    """The distinct legal plays (section 3): one sequence for each (board, outcome).

    Parameters
    ----------
    board : Board
        A valid board on which nobody has won.
    dice : (int, int)
    rules : Rules

    Returns
    -------
    list of Sequence
        Never empty: a pass is the empty sequence.
    """
    sequences = legal_sequences(board, dice, rules, merge=True)
    return list({(s.board, s.outcome): s for s in sequences}.values())


# --- Section 5: ends of the game --------------------------------------------------------

# The men on 20, 21, 22, 23, 24. They are 15, so none is borne off or on the bar.
NICE_GAMES: dict[Men, tuple[str, Outcome, Outcome]] = {
    (3, 3, 3, 3, 3): ("single_crown", Outcome.SINGLE_CROWN, Outcome.SINGLE_CROWN_MONK),
    (0, 0, 5, 5, 5): ("double_crown", Outcome.DOUBLE_CROWN, Outcome.DOUBLE_CROWN_MONK),
    (0, 0, 3, 5, 7): ("staircase", Outcome.STAIRCASE, Outcome.STAIRCASE_MONK),
    (0, 0, 0, 0, 15): ("tower", Outcome.TOWER, Outcome.TOWER_MONK),
}


def end_of_game(board: Board, rules: Rules, *, forced: bool = False) -> Outcome:
    """How the mover has won, or ``Outcome.NONE`` (section 5).

    With several ends at once the most valuable counts; of equal ones the better category,
    which has the larger Outcome number.

    Parameters
    ----------
    board : Board
        The board after the mover's step, the mover still first.
    rules : Rules
    forced : bool
        Whether the step that led here forced a point.
    """
    mover, other = board
    ends: list[Outcome] = []
    monk = rules.monk and other[BAR] > 0
    if mover[OFF] == MEN:
        ends.append(Outcome.BEAR_OFF_MONK if monk else Outcome.BEAR_OFF)
    if mover[20:25] in NICE_GAMES:
        name, plain, with_monk = NICE_GAMES[mover[20:25]]
        if name in rules.nice_games:
            ends.append(with_monk if monk else plain)
    if is_john(other):
        ends.append(Outcome.FORCED_JOHN if forced else Outcome.JOHN)
    return max(ends, key=lambda end: (rules.value(end), end)) if ends else Outcome.NONE


def is_john(loser: Men) -> bool:
    """More men on the bar than points of his Q1 that his own men leave him (section 5)."""
    if not loser[BAR]:
        return False
    held_by_own_men = sum(1 for men in loser[1:7] if men)
    return loser[BAR] > 6 - held_by_own_men


def is_over(board: Board, rules: Rules = BRADE) -> bool:
    """Whether either player has already won; a standing John counts (section 5)."""
    return bool(end_of_game(board, rules) or end_of_game(flip(board), rules))


# --- Sections 6 and 7: the Junker, deadlock, valid input --------------------------------


def junker(board: Board, rules: Rules = BRADE) -> bool:
    """More men on the bar than points to enter on (section 6, ``blocked_entry`` "pass").

    The points of a long block that he may force count as available, each of them although
    forcing one may end the block (section 7 no. 11).
    """
    mover, other = board
    available = available_points(board)
    if rules.long_block_force and not is_last_man(mover):
        available |= {p for p in long_block(other) if p in Q1 and not mover[p]}
    return mover[BAR] > len(available)


def has_step(board: Board, rules: Rules) -> bool:
    """Whether the mover has a legal step for any of the 21 throws (section 7 no. 6)."""
    if rules.blocked_entry == "pass" and junker(board, rules):
        return False
    return any(possible_steps(board, die, rules) for die in range(1, 7))


def is_deadlock(board: Board, rules: Rules = BRADE) -> bool:
    """Neither player has a legal step for any throw: the game is drawn (section 7 no. 6).

    A game that has been won is not deadlocked.
    """
    if is_over(board, rules):
        return False
    return not has_step(board, rules) and not has_step(flip(board), rules)


def check_board(board: Board, rules: Rules = BRADE) -> None:
    """Refuse what is not valid input, or is a game already won (section 7 no. 13).

    Raises
    ------
    InvalidPositionError
        Saying what is wrong and what would be right.
    """
    players = (("the mover", board[0]), ("the other player", board[1]))
    for name, men in players:
        for index, count in enumerate(men):
            if not 0 <= count <= MEN:
                raise InvalidPositionError(
                    f"{name} has {count} men at index {index}, not 0 to {MEN}"
                )
    for name, men in players:
        if sum(men) != MEN:
            raise InvalidPositionError(f"{name} has {sum(men)} men, not {MEN}")
    for point in POINTS:
        if board[0][point] and board[1][ACROSS[point]]:
            raise InvalidPositionError(
                f"both players have men on the mover's point {point}; only one may"
            )
    for name, men in players:
        for point in FAR_SIDE:
            if men[point] > 1:
                raise InvalidPositionError(
                    f"{name} has {men[point]} men on his point {point}; "
                    "on 2 to 11 only one man may stand"
                )
    for (name, _), view in zip(players, (board, flip(board)), strict=True):
        outcome = end_of_game(view, rules)
        if outcome:
            raise InvalidPositionError(
                f"{name} has already won ({outcome.name.lower()}); "
                "plays can only be asked of a game that goes on"
            )


def check_dice(dice: Dice) -> None:
    """Refuse a throw that is not two numbers from 1 to 6.

    Raises
    ------
    InvalidDiceError
    """
    for die in dice:
        if not 1 <= die <= 6:
            raise InvalidDiceError(f"a die shows {die}, not 1 to 6")


# --- The bulk functions: input ----------------------------------------------------------


def board_of(position: Any) -> Board:
    """The board of a Position or of a (2, 26) array-like, unchecked but for its shape."""
    array = _integers(_plain(position), "a position", InvalidPositionError, (2, 26))
    if array.shape != (2, 26):
        raise InvalidPositionError(f"a position has shape (2, 26), not {array.shape}")
    mover, other = array.tolist()
    return tuple(mover), tuple(other)


def _plain(position: Any) -> Any:
    """The array of a Position; anything else as it is."""
    array = getattr(position, "array", None)
    return array() if callable(array) else position


def _integers(
    value: Any, what: str, error: type[ValueError], one: tuple[int, ...]
) -> npt.NDArray[Any]:
    """An array of whole numbers, of any integer type; an empty list has no rows of ``one``."""
    if isinstance(value, list | tuple) and not value:
        return np.empty((0, *one), np.int8)
    try:
        array = np.asarray(value)
    except (ValueError, OverflowError) as reason:
        raise error(f"{what} must be rows of one shape: {reason}") from None
    if array.dtype.kind not in "iu":
        raise TypeError(f"{what} must be whole numbers, not {array.dtype}")
    if isinstance(value, list | tuple):  # NumPy makes whole numbers of bools among them
        for number in np.asarray(value, object).flat:
            if isinstance(number, bool | np.bool_):
                raise TypeError(f"{what} must be whole numbers, not bools")
    return array


def _check_rules(rules: Any, threads: Any) -> None:
    if not isinstance(rules, Rules):
        raise TypeError(f"rules must be a Rules, not {type(rules).__name__}")
    _whole(threads, "threads", 1)


def _whole(number: Any, name: str, least: int, limit: int | None = None) -> int:
    """A whole number that is no bool, at least ``least`` and below ``limit``."""
    if isinstance(number, bool) or not hasattr(number, "__index__"):
        raise TypeError(f"{name} must be a whole number, not {type(number).__name__}")
    value = operator.index(number)
    if value < least or (limit is not None and value >= limit):
        below = "" if limit is None else f" and less than {limit}"
        raise ValueError(f"{name} must be at least {least}{below}, not {value}")
    return value


def _check_rows(boards: list[Board], rules: Rules) -> None:
    for row, board in enumerate(boards):
        try:
            check_board(board, rules)
        except InvalidPositionError as reason:
            raise InvalidPositionError(f"row {row}: {reason}") from None


def _checked_input(
    boards: Any, dice: Any, rules: Any, threads: Any
) -> Iterator[tuple[Board, Dice]]:
    """Check everything, then give the rows one by one."""
    _check_rules(rules, threads)
    array = _integers(boards, "boards", InvalidPositionError, (2, 26))
    if array.shape[1:] != (2, 26):
        raise InvalidPositionError(f"boards must have the shape (n, 2, 26), not {array.shape}")
    throws = _integers(dice, "dice", InvalidDiceError, (2,))
    n = len(array)
    if throws.shape not in ((2,), (n, 2)):
        raise InvalidDiceError(f"dice must have the shape (2,) or ({n}, 2), not {throws.shape}")
    if throws.shape == (2,):
        check_dice(tuple(throws.tolist()))
    else:
        for row, throw in enumerate(throws.tolist()):
            try:
                check_dice(throw)
            except InvalidDiceError as reason:
                raise InvalidDiceError(f"row {row}: {reason}") from None
    rows = [(tuple(mover), tuple(other)) for mover, other in array.tolist()]
    _check_rows(rows, rules)
    pairs = np.broadcast_to(throws, (n, 2)).tolist()
    return zip(rows, (tuple(pair) for pair in pairs), strict=True)


# --- The bulk functions -----------------------------------------------------------------


def enumerate_plays(
    boards: npt.ArrayLike,
    dice: npt.ArrayLike,
    rules: Rules = BRADE,
    *,
    steps: bool = False,
    threads: int = 1,
) -> Enumeration:
    """All distinct plays of many positions.

    Parameters
    ----------
    boards : array-like of int, shape (n, 2, 26)
    dice : array-like of int, shape (n, 2) or (2,)
        A single throw serves all boards.
    rules : Rules
    steps : bool
        Whether to give the steps of each play too.
    threads : int
        Checked, but this implementation always uses one.

    Returns
    -------
    Enumeration

    Raises
    ------
    InvalidPositionError, InvalidDiceError
        For wrong shapes or values, naming the first bad row.
    TypeError
        For what are no whole numbers, or no Rules.
    """
    rows = _checked_input(boards, dice, rules, threads)
    offsets = [0]
    found: list[Sequence] = []
    for board, throw in rows:
        found += legal_plays(board, throw, rules)
        offsets.append(len(found))
    return Enumeration(
        np.array(offsets, np.int64),
        np.array([play.board for play in found], np.int8).reshape(-1, 2, 26),
        np.array([play.outcome for play in found], np.uint8),
        _step_array(found) if steps else None,
    )


def _step_array(found: list[Sequence]) -> npt.NDArray[np.int8]:
    array = np.full((len(found), 4, 4), -1, np.int8)
    for rows, play in zip(array, found, strict=True):
        if play.steps:
            rows[: len(play.steps)] = play.steps
    return array


def count_plays(
    boards: npt.ArrayLike, dice: npt.ArrayLike, rules: Rules = BRADE, *, threads: int = 1
) -> npt.NDArray[np.int64]:
    """How many distinct plays each position has; as :func:`enumerate_plays`, which see.

    Returns
    -------
    int64, shape (n,)
    """
    rows = _checked_input(boards, dice, rules, threads)
    return np.array([len(legal_plays(board, throw, rules)) for board, throw in rows], np.int64)


def perft(position: Any, depth: int, rules: Rules = BRADE, *, threads: int = 1) -> int:
    """The lines of ``depth`` plays over all 21 throws; a line ends with the game.

    Parameters
    ----------
    position : Position or array-like of int, shape (2, 26)
    depth : int
        0 or more.
    rules : Rules
    threads : int
        Checked, but this implementation always uses one.

    Raises
    ------
    InvalidPositionError
        For an invalid position or a game already won, at depth 0 too.
    """
    _check_rules(rules, threads)
    depth = _whole(depth, "depth", 0)
    board = board_of(position)
    check_board(board, rules)
    return _lines(board, depth, rules)


def _lines(board: Board, depth: int, rules: Rules) -> int:
    if depth == 0:
        return 1
    lines = 0
    for throw in ALL_THROWS:
        for play in legal_plays(board, throw, rules):
            lines += 1 if play.outcome else _lines(play.board, depth - 1, rules)
    return lines


def playouts(
    positions: Any,
    trials: int,
    seed: int | None = None,
    rules: Rules = BRADE,
    *,
    threads: int = 1,
) -> Playouts:
    """Random games from each position, every turn a random one of its distinct plays.

    Parameters
    ----------
    positions : Position, sequence of them, or array-like of int, shape (n, 2, 26) or (2, 26)
    trials : int
        Games for each position. A trial has the same dice for every position.
    seed : int, optional
        From 0 to 2**64 - 1; without it each call plays other games.
    rules : Rules
    threads : int
        Checked, but this implementation always uses one.

    Returns
    -------
    Playouts
    """
    _check_rules(rules, threads)
    trials = _whole(trials, "trials", 0)
    seed = random.SystemRandom().getrandbits(64) if seed is None else _whole(seed, "seed", 0, 2**64)
    boards = _start_boards(positions, rules)
    outcomes = np.zeros((len(boards), 2, len(Outcome)), np.int64)
    turns = np.zeros(len(boards), np.int64)
    for row, board in enumerate(boards):
        for trial in range(trials):
            winner, outcome, length = _random_game(board, rules, f"{seed} {trial}")
            outcomes[row, winner, outcome] += 1
            turns[row] += length
    return Playouts(outcomes, turns)


def _start_boards(positions: Any, rules: Rules) -> list[Board]:
    positions = _plain(positions)
    if isinstance(positions, list | tuple):
        positions = [_plain(position) for position in positions]
    array = _integers(positions, "positions", InvalidPositionError, (2, 26))
    if array.shape == (2, 26):
        array = array[np.newaxis]
    if array.shape[1:] != (2, 26):
        raise InvalidPositionError(f"positions must have the shape (n, 2, 26), not {array.shape}")
    boards = [(tuple(mover), tuple(other)) for mover, other in array.tolist()]
    _check_rows(boards, rules)
    return boards


def _random_game(board: Board, rules: Rules, key: str) -> tuple[int, Outcome, int]:
    """(winner, outcome, turns); winner 0 is the player to move on ``board``."""
    dice, choice = random.Random(f"dice {key}"), random.Random(f"plays {key}")
    turns = 0
    while True:
        throw = (dice.randint(1, 6), dice.randint(1, 6))
        play = choice.choice(legal_plays(board, throw, rules))
        turns += 1
        if play.outcome:
            return (turns - 1) % 2, play.outcome, turns
        if not play.steps and is_deadlock(board, rules):
            return 0, Outcome.DEADLOCK, turns
        board = play.board

"""Games and turns: two colours, dice, a history, a result.

A :class:`Position` knows no colours: it is seen by the player to move. A :class:`Game` says who
that is, whose throw lies on the table, what has been played and how it ended. A :class:`Turn` is
one turn step by step, for boards and people. The verbs are ``push``, ``pop`` and ``peek``.
"""

from __future__ import annotations

import copy
import enum
from typing import Any, NamedTuple

import numpy as np

from ._core import Play, Position
from .notation import (
    State,
    dice_text,
    parse_outcome,
    parse_state,
    read_dice,
    rules_text,
    state_text,
)
from .rules import (
    BRADE,
    IllegalPlayError,
    InvalidDiceError,
    InvalidPositionError,
    Outcome,
    PhaseError,
    Rules,
)
from .turn import Turn

__all__ = ["Color", "Game", "How", "Move", "Phase", "Result", "Turn"]


class Color(enum.StrEnum):
    """A player. Equal to the letter that records use: ``Color.WHITE == "W"``."""

    WHITE = "W"
    BLACK = "B"

    @property
    def other(self) -> Color:
        """The opponent."""
        return Color.BLACK if self is Color.WHITE else Color.WHITE


class Phase(enum.Enum):
    """Where a game stands."""

    TO_THROW = "before the throw"
    TO_PLAY = "to play"
    OVER = "over"


class How(enum.Enum):
    """In which way a game came to its end."""

    PLAYED = "played"
    RESIGNED = "resigned"
    DEADLOCK = "deadlock"


class Result(NamedTuple):
    """The end of a game.

    Attributes
    ----------
    winner : Color or None
        None after a deadlock, which is a draw (section 7 no. 6).
    outcome : Outcome
    points : int
        For the winner.
    how : How
    """

    winner: Color | None
    outcome: Outcome
    points: int
    how: How


class Move(NamedTuple):
    """One turn of a game's history.

    Attributes
    ----------
    color : Color
        Who played.
    dice : (int, int)
        In the order in which they were thrown.
    play : Play
    """

    color: Color
    dice: tuple[int, int]
    play: Play


class Game:
    """A game between White and Black.

    Parameters
    ----------
    rules : Rules
    begins : Color or str, optional
        Who begins, with a fresh throw.
    teka : (int, int), optional
        White's die and Black's by which it is decided who begins (section 6, ``opening``):
        the lower, who then throws; or the higher, who plays these two dice. Without `begins`
        and `teka` it is drawn.
    position : Position, optional
        Where the game starts, as the player sees it who begins.
    seed : int, optional
        Of the throws that :meth:`throw` draws; without it they are different every time.
    rng : numpy.random.Generator, optional
        Draws the throws instead of `seed`.

    Raises
    ------
    InvalidDiceError
        For a teka that is none or decides nothing.
    InvalidPositionError
        If somebody has already won.
    ValueError, TypeError

    Examples
    --------
    >>> game = Game(begins="W")
    >>> game.throw(6, 2)
    (6, 2)
    >>> [str(play) for play in game.legal_plays]
    ['1/7 1/3', '1/7/9']
    >>> game.push("1/9")
    <Play 6-2: 1/7/9>
    >>> game.turn
    <Color.BLACK: 'B'>
    """

    def __init__(
        self,
        rules: Rules = BRADE,
        *,
        begins: Color | str | None = None,
        teka: tuple[int, int] | None = None,
        position: Position | None = None,
        seed: int | None = None,
        rng: np.random.Generator | None = None,
    ) -> None:
        if not isinstance(rules, Rules):
            raise TypeError(f"rules must be a Rules, such as BRADE, not {type(rules).__name__}")
        self._rng = generator(seed, rng)
        self._rules = rules
        self._start = Position.start() if position is None else position
        if not isinstance(self._start, Position):
            raise TypeError(f"position must be a Position, not {type(position).__name__}")
        if self._start.is_over(rules):
            raise InvalidPositionError(
                f"somebody has already won in {self._start.id}; a game starts where none has"
            )
        first = None if begins is None else read_color(begins)
        if teka is None and first is None:
            teka = self._draw()
            while teka[0] == teka[1]:
                teka = self._draw()
        self._teka = None if teka is None else read_dice(teka, "a teka")
        if self._teka is not None:
            white, black = self._teka
            if white == black:
                raise InvalidDiceError(f"a teka of {white} each decides nothing; throw again")
            high_begins = rules.opening == "high_plays_dice"
            decided = Color.WHITE if (white > black) == high_begins else Color.BLACK
            if first not in (None, decided):
                raise InvalidDiceError(
                    f"by a teka of W {white} B {black}, {decided} begins, not {first}"
                )
            first = decided
        assert first is not None
        self._begins = first
        self._moves: list[Move] = []
        self._result: Result | None = None
        self._set(self._start, first, self._opening_dice())

    def _opening_dice(self) -> tuple[int, int] | None:
        """The first throw where the teka's dice are played."""
        if self._rules.opening != "high_plays_dice":
            return None
        return self._teka

    def _draw(self) -> tuple[int, int]:
        d1, d2 = self._rng.integers(1, 7, 2).tolist()
        return d1, d2

    def _set(self, position: Position, turn: Color, dice: tuple[int, int] | None) -> None:
        self._position, self._turn, self._dice = position, turn, dice
        self._plays: tuple[Play, ...] | None = None
        if position.is_deadlock(self._rules):
            self._dice = None
            self._result = Result(None, Outcome.DEADLOCK, 0, How.DEADLOCK)

    # --- Questions ----------------------------------------------------------------------

    @property
    def rules(self) -> Rules:
        """The rules that are played by."""
        return self._rules

    @property
    def begins(self) -> Color:
        """Who began."""
        return self._begins

    @property
    def teka(self) -> tuple[int, int] | None:
        """White's and Black's die of the teka; None if there was none."""
        return self._teka

    @property
    def initial_position(self) -> Position:
        """Where the game started, as the player saw it who began."""
        return self._start

    @property
    def position(self) -> Position:
        """The board as the player to move sees it; after the end, as he would have."""
        return self._position

    @property
    def turn(self) -> Color:
        """Who is to move; after a win by play the loser."""
        return self._turn

    @property
    def dice(self) -> tuple[int, int] | None:
        """The throw on the table, in the order thrown; None if there is none."""
        return self._dice

    @property
    def phase(self) -> Phase:
        """Before the throw, to play, or over."""
        if self._result is not None:
            return Phase.OVER
        return Phase.TO_THROW if self._dice is None else Phase.TO_PLAY

    @property
    def moves(self) -> tuple[Move, ...]:
        """What has been played."""
        return tuple(self._moves)

    @property
    def result(self) -> Result | None:
        """How the game ended; None while it goes on."""
        return self._result

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self._result is not None

    def board_for(self, color: Color | str) -> Position:
        """The board as one of the players sees it."""
        return self._position if read_color(color) is self._turn else self._position.flip()

    @property
    def legal_plays(self) -> tuple[Play, ...]:
        """The legal plays of the throw on the table; a pass is one.

        Raises
        ------
        PhaseError
            If no throw lies on the table.
        """
        dice = self._need_dice("there are no plays")
        if self._plays is None:
            self._plays = self._position.plays(*dice, self._rules)
        return self._plays

    def parse(self, text: str) -> Play:
        """The legal play that a text means (``playtext.parse_play``).

        Raises
        ------
        PhaseError
            If no throw lies on the table.
        IllegalPlayError, AmbiguousPlayError, TypeError
        """
        dice = self._need_dice("no play can be read")
        return self._position.parse(*dice, text, self._rules)

    def turn_steps(self) -> Turn:
        """The turn that is to be played, step by step; its ``play`` can be pushed.

        Raises
        ------
        PhaseError
            If no throw lies on the table.
        """
        return Turn(self._position, self._need_dice("there is no turn"), self._rules)

    def peek(self) -> Play:
        """The last play.

        Raises
        ------
        PhaseError
            If nothing has been played.
        """
        if not self._moves:
            raise PhaseError("nothing has been played yet")
        return self._moves[-1].play

    def state(self) -> str:
        """Rules, whose turn, throw and position as one text (``notation.state_text``).

        Of a game that is over it holds the last position.
        """
        return state_text(State(self._rules, str(self._turn), self._dice, self._position))

    # --- Verbs --------------------------------------------------------------------------

    def throw(
        self, d1: int | str | tuple[int, int] | None = None, d2: int | None = None
    ) -> tuple[int, int]:
        """Throw the dice: those given, or drawn ones.

        Parameters
        ----------
        d1, d2 : int
            Or one text, such as ``"6-2"``, or one pair.

        Returns
        -------
        (int, int)
            In the order thrown.

        Raises
        ------
        PhaseError
            If a throw lies on the table or the game is over.
        InvalidDiceError, TypeError
        """
        self._need_going("nobody throws")
        if self._dice is not None:
            raise PhaseError(f"{dice_text(self._dice)} lies on the table and must be played first")
        if d1 is None and d2 is None:
            self._dice = self._draw()
        else:
            self._dice = read_dice(d1 if d2 is None else (d1, d2))
        self._plays = None
        return self._dice

    def unthrow(self) -> tuple[int, int]:
        """Take the throw from the table and return it.

        Raises
        ------
        PhaseError
            If none lies there, or it is that of the teka, which must be played.
        """
        dice = self._need_dice("nothing can be taken up")
        if not self._moves and self._opening_dice():
            raise PhaseError("the dice of the teka are played; they cannot be taken up")
        self._dice = None
        return dice

    def push(self, play: Play | str) -> Play:
        """Play the throw on the table.

        Parameters
        ----------
        play : Play or str
            One of :attr:`legal_plays`, or a text that means one.

        Returns
        -------
        Play

        Raises
        ------
        PhaseError
            If no throw lies on the table.
        IllegalPlayError
            Saying why; also for a play of another position, throw or rules.
        AmbiguousPlayError, TypeError
        """
        dice = self._need_dice("nothing can be played")
        if isinstance(play, str):
            play = self.parse(play)
        elif not isinstance(play, Play):
            raise TypeError(f"a play is a Play or a text, not {type(play).__name__}")
        else:
            self._check(play, dice)
        self._moves.append(Move(self._turn, dice, play))
        outcome = play.outcome
        if outcome:
            points = self._rules.value(outcome)
            self._result = Result(self._turn, outcome, points, How.PLAYED)
        self._set(play.position, self._turn.other, None)
        return play

    def _check(self, play: Play, dice: tuple[int, int]) -> None:
        """Plays are legal where they come from: they only need to come from here."""
        if play.origin != self._position:
            raise IllegalPlayError(f"{play} is a play of {play.origin.id}, not of this position")
        if play.dice != (max(dice), min(dice)):
            raise IllegalPlayError(
                f"{play} is a play of {dice_text(play.dice)}, not of {dice_text(dice)}"
            )
        if play.rules != self._rules:
            raise IllegalPlayError(f"{play} is a play by other rules ({rules_text(play.rules)})")

    def pop(self) -> Play:
        """Take the last play back and return it; its throw lies on the table again.

        A throw or a resignation made since goes with it.

        Raises
        ------
        PhaseError
            If nothing has been played.
        """
        play = self.peek()
        move = self._moves.pop()
        self._result = None
        self._set(play.origin, move.color, move.dice)
        return play

    def resign(
        self, color: Color | str | None = None, outcome: Outcome | int | str = Outcome.BEAR_OFF
    ) -> Result:
        """Give the game up; the opponent wins (section 7 no. 7).

        A throw on the table is taken up.

        Parameters
        ----------
        color : Color or str, optional
            Who resigns; by default who is to move.
        outcome : Outcome
            What was agreed on; or its number or name.

        Returns
        -------
        Result

        Raises
        ------
        PhaseError
            If the game is over.
        ValueError
            For an outcome that these rules do not know.
        TypeError
        """
        self._need_going("nobody can resign")
        loser = self._turn if color is None else read_color(color)
        outcome = parse_outcome(outcome) if isinstance(outcome, str) else _numbered(outcome)
        if outcome not in self._rules.outcomes:
            known = ", ".join(o.name.lower() for o in self._rules.outcomes)
            raise ValueError(
                f"by these rules no game is lost by {outcome.name.lower()}; agree on one of {known}"
            )
        self._dice, self._plays = None, None
        self._result = Result(loser.other, outcome, self._rules.value(outcome), How.RESIGNED)
        return self._result

    def _need_going(self, what: str) -> None:
        if self._result is not None:
            raise PhaseError(f"the game is over: {what}")

    def _need_dice(self, what: str) -> tuple[int, int]:
        self._need_going(what)
        if self._dice is None:
            raise PhaseError(f"{self._turn} has not thrown yet: {what}; throw() first")
        return self._dice

    # --- Values -------------------------------------------------------------------------

    @classmethod
    def from_state(
        cls, text: str, *, seed: int | None = None, rng: np.random.Generator | None = None
    ) -> Game:
        """A game that starts from what :meth:`state` gives; the history is not in it.

        Raises
        ------
        InvalidPositionError
            If somebody has already won, or there is a throw although nobody can ever move.
        ValueError, TypeError
            For a text that is none, of the kind of what is wrong in it.
        """
        state = parse_state(text)
        game = cls(state.rules, begins=state.turn, position=state.position, seed=seed, rng=rng)
        if state.dice is not None:
            if game.is_over:
                raise InvalidPositionError(
                    f"{state.position.id} is a deadlock, and so a draw: nobody throws "
                    f"{dice_text(state.dice)}; the throw of such a state is -"
                )
            game.throw(state.dice)
        return game

    def copy(self) -> Game:
        """An independent copy, which will draw the same throws."""
        return copy.deepcopy(self)

    __copy__ = copy  # a shallow one would share the history

    def _value(self) -> tuple[Any, ...]:
        """All but the source of the throws."""
        return (
            self._rules, self._begins, self._teka, self._start, self._moves, self._dice,
            self._result,
        )  # fmt: skip

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return self._value() == other._value()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        turns = f"{len(self._moves)} turn{'' if len(self._moves) == 1 else 's'}"
        if self._result is not None:
            winner, outcome, points, how = self._result
            end = f"{winner} wins {points} by {outcome.name.lower()}" if winner else "drawn"
            now = f"{end} ({how.value})" if how is not How.PLAYED else end
        else:
            now = f"{self._turn} to " + (
                "throw" if self._dice is None else f"play {dice_text(self._dice)}"
            )
        return f"<Game {rules_text(self._rules)}: {turns}, {now}, {self._position.id}>"

    def svg(self, **options: Any) -> str:
        """A picture of the game as it stands (``diagram.svg``, which tells the options)."""
        from .diagram import svg

        return svg(self, **options)

    def _repr_svg_(self) -> str:
        return self.svg()


def read_color(color: object) -> Color:
    """A color from itself, its letter or its name, in either case.

    Raises
    ------
    ValueError, TypeError
    """
    if isinstance(color, Color):
        return color
    if not isinstance(color, str):
        raise TypeError(f"a color is Color.WHITE or Color.BLACK, not {color!r}")
    for known in Color:
        if color.upper() in (known.value, known.name):
            return known
    raise ValueError(f"a color is 'W' or 'B', not {color!r}")


def _numbered(outcome: object) -> Outcome:
    """An outcome from itself or its number."""
    if isinstance(outcome, bool) or not hasattr(outcome, "__index__"):
        raise TypeError(f"an outcome is an Outcome, its number or its name, not {outcome!r}")
    try:
        return Outcome(outcome.__index__())
    except ValueError:
        raise ValueError(f"there is no outcome {outcome!r}; a game is won by 1 to 12") from None


def generator(seed: int | None, rng: np.random.Generator | None) -> np.random.Generator:
    """The source of throws: the caller's, or one made from a seed.

    Raises
    ------
    ValueError, TypeError
    """
    if rng is None:
        if seed is not None and (isinstance(seed, bool) or not hasattr(seed, "__index__")):
            raise TypeError(f"seed must be a whole number, not {seed!r}")
        if seed is not None and seed < 0:
            raise ValueError(f"seed must be at least 0, not {seed}")
        return np.random.default_rng(seed)
    if seed is not None:
        raise ValueError("give a seed or an rng, not both")
    if not isinstance(rng, np.random.Generator):
        raise TypeError(f"rng must be a numpy.random.Generator, not {type(rng).__name__}")
    return rng

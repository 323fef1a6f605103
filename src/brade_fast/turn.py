"""One turn, step by step, for boards and people."""

from __future__ import annotations

import copy

from ._core import Play, Position, Step
from .notation import dice_text, read_dice
from .playtext import read_text, replay
from .rules import BRADE, IllegalPlayError, Outcome, PhaseError, Rules

__all__ = ["Turn"]


class Turn:
    """One turn, step by step.

    Parameters
    ----------
    position : Position
        As the player sees it whose turn it is.
    dice : (int, int) or str
    rules : Rules

    Raises
    ------
    InvalidPositionError
        If somebody has already won.
    InvalidDiceError, TypeError

    Examples
    --------
    >>> from brade_fast import Position
    >>> turn = Turn(Position.start(), (6, 2))
    >>> turn.push("1/7")
    Step(1, 7, 6, 0)
    >>> turn.legal_steps()
    (Step(1, 3, 2, 0), Step(7, 9, 2, 0))
    >>> turn.push("7/9")
    Step(7, 9, 2, 0)
    >>> str(turn.play)
    '1/7/9'
    """

    def __init__(
        self, position: Position, dice: tuple[int, int] | str, rules: Rules = BRADE
    ) -> None:
        if not isinstance(position, Position):
            raise TypeError(f"a turn begins from a Position, not {type(position).__name__}")
        self._dice = read_dice(dice)
        self._origin = position
        self._rules = rules
        self._steps: list[Step] = []
        self._legal = position.next_steps(*self._dice, (), rules)

    @property
    def origin(self) -> Position:
        """The position before the turn."""
        return self._origin

    @property
    def dice(self) -> tuple[int, int]:
        """The throw."""
        return self._dice

    @property
    def rules(self) -> Rules:
        """The rules that it is played by."""
        return self._rules

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps taken so far."""
        return tuple(self._steps)

    @property
    def dice_left(self) -> tuple[int, ...]:
        """The dice not yet played: up to four after equal dice. Nobody need be able to play
        them."""
        left = list(self._dice) if self._dice[0] != self._dice[1] else [self._dice[0]] * 4
        for step in self._steps:
            left.remove(step.die)
        return tuple(left)

    def _replayed(self) -> tuple[Position, Outcome]:
        """The position as the next player would see it, and what it is worth."""
        return replay(self._origin, tuple(self._steps), self._rules)

    @property
    def position(self) -> Position:
        """The board as it stands now, still as the player sees it whose turn it is."""
        return self._replayed()[0].flip()

    @property
    def outcome(self) -> Outcome:
        """What the steps so far have made of the game."""
        return self._replayed()[1]

    def legal_steps(self) -> tuple[Step, ...]:
        """The steps that can follow, none of which leads away from a legal play (section 3)."""
        return self._legal

    @property
    def is_complete(self) -> bool:
        """Whether no step can follow; a turn that must be passed is complete at once."""
        return not self._legal

    def push(self, step: Step | str) -> Step:
        """Take a step.

        Parameters
        ----------
        step : Step or str
            A text is ``source/target``, such as ``1/7``, ``bar/3`` or ``20/off``, read as
            tolerantly as plays are; marks do not matter. If a man can be borne off with either
            die, the text means the lower one.

        Returns
        -------
        Step

        Raises
        ------
        IllegalPlayError
            Naming the steps that can follow.
        """
        chosen = self._find(step)
        self._steps.append(chosen)
        self._legal = self._origin.next_steps(*self._dice, self._steps, self._rules)
        return chosen

    def _find(self, step: Step | str) -> Step:
        if isinstance(step, str):
            ways = read_text(step).ways
            if len(ways) != 1 or ways[0].stops:
                raise IllegalPlayError(f"{step!r} is not one step; a step is one man, one die")
            fits = [s for s in self._legal if (s.source, s.target) == ways[0][:2]]
            if fits:
                return min(fits, key=lambda s: s.die)
            legal = self._legal_text()
        elif not isinstance(step, Step):
            raise TypeError(f"a step is a Step or a text, not {type(step).__name__}")
        elif step in self._legal:
            return step
        else:  # written out, for it may be the mark that is wrong
            legal = ", ".join(map(repr, self._legal))
        raise IllegalPlayError(
            f"{step!r} cannot follow with {dice_text(self._dice)}; "
            + (f"what can: {legal}" if legal else "the turn is complete")
        )

    def _legal_text(self) -> str:
        return ", ".join(dict.fromkeys(map(_step_text, self._legal)))

    def pop(self) -> Step:
        """Take the last step back and return it.

        Raises
        ------
        PhaseError
            If no step has been taken.
        """
        if not self._steps:
            raise PhaseError("no step has been taken in this turn")
        step = self._steps.pop()
        self._legal = self._origin.next_steps(*self._dice, self._steps, self._rules)
        return step

    @property
    def play(self) -> Play:
        """The whole turn as a play.

        Raises
        ------
        PhaseError
            If steps can follow.
        """
        if self._legal:
            raise PhaseError(f"the turn is not complete: {self._legal_text()} can follow")
        after, outcome = self._replayed()
        return next(
            play
            for play in self._origin.plays(*self._dice, self._rules)
            if play.outcome == outcome and play.position == after
        )

    def copy(self) -> Turn:
        """An independent copy."""
        return copy.deepcopy(self)

    __copy__ = copy  # a shallow one would share the steps

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Turn):
            return NotImplemented
        return self.__dict__ == other.__dict__

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        taken = " ".join(map(_step_text, self._steps)) or "nothing yet"
        return f"<Turn {dice_text(self._dice)} from {self._origin.id}: {taken}>"


def _step_text(step: Step) -> str:
    source = "bar" if step.source == 0 else str(step.source)
    return f"{source}/{'off' if step.target == 25 else step.target}"

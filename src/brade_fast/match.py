"""Matches: an odd number of games, the score, and who wins on equal points (section 6)."""

from __future__ import annotations

import copy
import functools

import numpy as np

from ._core import Position
from .game import Color, Game, generator, read_color
from .notation import rules_text
from .rules import BRADE, PhaseError, Rules

__all__ = ["Match"]

_BEST_FIRST = ("I", "II", "III", "IV", "V", "VI")


class Match:
    """A match between White and Black.

    Points add up. On equal points the lists of the categories of the won games are compared,
    best first; a list that has run out loses. A drawn game counts as one of the games.

    Parameters
    ----------
    games : int
        An odd number; 3, 5 or 7 as a rule.
    rules : Rules
    white, black : str
        The players' names.
    play_out : bool
        Play all games even if the match is decided before.
    seed : int, optional
        Of all throws of the match; without it they are different every time.
    rng : numpy.random.Generator, optional
        Draws the throws instead of `seed`.

    Raises
    ------
    ValueError
        For an even number of games, or one below 1.
    TypeError

    Examples
    --------
    >>> match = Match(3, seed=1)
    >>> game = match.next_game()
    >>> game.resign("B", outcome=11)
    Result(winner=<Color.WHITE: 'W'>, outcome=<Outcome.JOHN: 11>, points=4, how=<How.RESIGNED: 'resigned'>)
    >>> match.score
    {<Color.WHITE: 'W'>: 4, <Color.BLACK: 'B'>: 0}
    >>> match.next_game().begins
    <Color.BLACK: 'B'>
    """  # noqa: E501 - what Python prints

    def __init__(
        self,
        games: int = 3,
        rules: Rules = BRADE,
        *,
        white: str = "",
        black: str = "",
        play_out: bool = False,
        seed: int | None = None,
        rng: np.random.Generator | None = None,
    ) -> None:
        if isinstance(games, bool) or not isinstance(games, int | np.integer):
            raise TypeError(f"games must be a whole number, not {games!r}")
        if games < 1 or games % 2 == 0:
            raise ValueError(f"a match has an odd number of games, 1 or more, not {games}")
        if not isinstance(rules, Rules):
            raise TypeError(f"rules must be a Rules, such as BRADE, not {type(rules).__name__}")
        for name in (white, black):
            if not isinstance(name, str):
                raise TypeError(f"a player's name is a str, not {type(name).__name__}")
        self._games = int(games)
        self._rules = rules
        self.white = white
        self.black = black
        self.play_out = bool(play_out)
        self._rng = generator(seed, rng)
        self._started: list[Game] = []

    @property
    def games(self) -> int:
        """How many games the match has."""
        return self._games

    @property
    def rules(self) -> Rules:
        """The rules of all its games."""
        return self._rules

    # --- Games --------------------------------------------------------------------------

    @property
    def current(self) -> Game | None:
        """The game begun last, also when it is over; None before the first."""
        return self._started[-1] if self._started else None

    @property
    def started(self) -> tuple[Game, ...]:
        """All games begun, in their order."""
        return tuple(self._started)

    @property
    def finished(self) -> tuple[Game, ...]:
        """The games that are over, in their order."""
        return tuple(game for game in self._started if game.is_over)

    @property
    def begins_next(self) -> Color | None:
        """Who begins the next game; None if a teka decides it (the first game, after a draw,
        or wherever the loser does not begin), and while the last one goes on."""
        if not self._started or not self.rules.loser_begins:
            return None
        result = self._started[-1].result
        return result.winner.other if result and result.winner else None

    def next_game(
        self,
        *,
        begins: Color | str | None = None,
        teka: tuple[int, int] | None = None,
        position: Position | None = None,
    ) -> Game:
        """Begin the next game.

        Parameters
        ----------
        begins : Color or str, optional
            Must agree with :attr:`begins_next`, unless that is None.
        teka : (int, int), optional
            White's die and Black's, where a teka decides; by default it is drawn.
        position : Position, optional
            Where the game starts, as the player sees it who begins.

        Raises
        ------
        PhaseError
            If a game goes on or the match is over.
        ValueError, TypeError
            If somebody else begins, or as for :class:`Game`.
        """
        self._need_room()
        loser = self.begins_next
        if loser is not None and begins is None and teka is None:
            begins = loser
        game = Game(self.rules, begins=begins, teka=teka, position=position, rng=self._rng)
        self._check_beginner(game)
        self._started.append(game)
        return game

    def add(self, game: Game) -> None:
        """Take a game that was played elsewhere as the next one.

        Raises
        ------
        PhaseError
            If a game goes on or the match is over.
        ValueError
            If somebody else begins, the game has other rules (their names do not count), or it
            is in the match already.
        TypeError
        """
        if not isinstance(game, Game):
            raise TypeError(f"a match is made of Games, not of {type(game).__name__}")
        self._need_room()
        if any(game is known for known in self._started):
            raise ValueError("the game is in the match already; add a copy if it is meant")
        if game.rules != self.rules:
            raise ValueError(
                f"the game is by {rules_text(game.rules)}, the match by {rules_text(self.rules)}"
            )
        self._check_beginner(game)
        self._started.append(game)

    def _need_room(self) -> None:
        if self.is_over:
            raise PhaseError("the match is over" + (": it is decided" if self.is_decided else ""))
        for number, game in enumerate(self._started, 1):
            if not game.is_over:  # any of them: plays of an earlier one may have been taken back
                raise PhaseError(f"game {number} of the match goes on")

    def _check_beginner(self, game: Game) -> None:
        loser = self.begins_next
        if loser is not None and game.teka is not None:
            raise ValueError(f"there is no teka: {loser} lost the last game and begins")
        if loser is not None and game.begins is not loser:
            raise ValueError(f"{loser} lost the last game and begins, not {game.begins}")

    # --- Score --------------------------------------------------------------------------

    @property
    def score(self) -> dict[Color, int]:
        """The points of both."""
        points = dict.fromkeys(Color, 0)
        for game in self.finished:
            assert game.result is not None
            if game.result.winner is not None:
                points[game.result.winner] += game.result.points
        return points

    def categories(self, color: Color | str) -> tuple[str, ...]:
        """The categories of the games that a player has won, the best first."""
        winner = read_color(color)
        won = [
            game.result.outcome.category
            for game in self.finished
            if game.result is not None and game.result.winner is winner
        ]
        return tuple(sorted(filter(None, won), key=_BEST_FIRST.index))

    @property
    def games_left(self) -> int:
        """How many games are not over yet, those not begun included."""
        return self.games - len(self.finished)

    @property
    def leader(self) -> Color | None:
        """Who would win if no more games were played; None if nobody would."""
        score = self.score
        strength = {c: (score[c], _worth(self.categories(c))) for c in Color}
        white, black = strength[Color.WHITE], strength[Color.BLACK]
        if white == black:
            return None
        return Color.WHITE if white > black else Color.BLACK

    @property
    def is_decided(self) -> bool:
        """Whether no outcome of the games left can change who wins.

        The worst for the leader is that the other wins all of them by the most valuable outcome
        (and, should that make the points equal, the best category among those).
        """
        leader = self.leader
        if leader is None:
            return False
        score, left = self.score, self.games_left
        most, best = _most_valuable(self.rules)
        threat = score[leader.other] + left * most
        if threat != score[leader]:
            return threat < score[leader]
        return _worth(self.categories(leader)) > _worth(
            (*self.categories(leader.other), *[best] * left)
        )

    @property
    def is_over(self) -> bool:
        """Whether no game follows: all are over, or the match is decided and not played out."""
        return not self.games_left or (self.is_decided and not self.play_out)

    @property
    def winner(self) -> Color | None:
        """Who has won; None as long as that is open, and for an undecided match."""
        return self.leader if self.is_over or self.is_decided else None

    # --- Values -------------------------------------------------------------------------

    def copy(self) -> Match:
        """An independent copy, which will draw the same throws."""
        return copy.deepcopy(self)

    __copy__ = copy  # a shallow one would share the games

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Match):
            return NotImplemented
        mine, his = (
            {name: value for name, value in vars(match).items() if name != "_rng"}
            for match in (self, other)
        )
        return mine == his

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        score = self.score
        return (
            f"<Match of {self.games}: {len(self.finished)} finished, "
            f"W {score[Color.WHITE]} B {score[Color.BLACK]}>"
        )


@functools.lru_cache(maxsize=64)
def _most_valuable(rules: Rules) -> tuple[int, str]:
    """The most that a game can give, and the best category in which it gives that."""
    most = max(map(rules.value, rules.outcomes))
    return most, min(
        (o.category for o in rules.outcomes if rules.value(o) == most and o.category),
        key=_BEST_FIRST.index,
    )


def _worth(categories: tuple[str, ...]) -> tuple[int, ...]:
    """A list of categories so that the better list is the larger tuple; longer lists are."""
    return tuple(sorted((-_BEST_FIRST.index(c) for c in categories), reverse=True))

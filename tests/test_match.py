"""Matches, against a brute force over all outcomes of the games left; and ``Rules.outcomes``."""

from __future__ import annotations

import copy
import functools
import itertools
import pickle
import random

import numpy as np
import pytest
from harness import BAR, THREE_GAMES, board, own_ways, three_games

from brade_fast import (
    BRADE,
    REVERTIER,
    VERQUERE,
    Color,
    Game,
    Match,
    Outcome,
    Phase,
    PhaseError,
    Points,
    Position,
    Rules,
    positions,
    reference,
)
from brade_fast.rules import BLOCKED_ENTRY, NICE_GAMES

W, B = Color.WHITE, Color.BLACK
HELD = dict.fromkeys(range(13, 19), 2)
LOCKED = Position.from_array(own_ways({BAR: 3, **HELD}, {BAR: 3, **HELD}))

# --- The brute force, from rules.md section 6 alone --------------------------------------

# An ending as it counts: who won it ("" a draw), points, category (6 the best, I; 0 none).
Ending = tuple[str, int, int]
DRAW: Ending = ("", 0, 0)


def worth(rules: Rules, outcome: Outcome) -> tuple[int, int]:
    """(points, category) by the table of section 5."""
    plain, nice, monk, john, forced = rules.points
    name = outcome.name.lower()
    with_monk = name.endswith("_monk")
    if name == "forced_john":
        return forced, 6
    if name == "john":
        return john, 5
    if name.startswith("bear_off"):
        return plain + monk * with_monk, 1 + with_monk
    return nice + monk * with_monk, 3 + with_monk


def winner_of(endings: tuple[Ending, ...]) -> str:
    """Who has won a match of these games; "" if nobody."""
    white, black = (sum(points for who, points, _ in endings if who == color) for color in "WB")
    if white != black:
        return "W" if white > black else "B"
    ours, theirs = (sorted((c for who, _, c in endings if who == color), reverse=True)
                    for color in "WB")  # fmt: skip
    for our, their in zip(ours, theirs, strict=False):
        if our != their:
            return "W" if our > their else "B"
    if len(ours) == len(theirs):
        return ""
    return "W" if len(ours) > len(theirs) else "B"


class BruteForce:
    """All that can become of a match, by trying all."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        worths = {worth(rules, outcome) for outcome in rules.outcomes}
        self.endings = [(color, *worth) for color in "WB" for worth in sorted(worths)]
        if rules.blocked_entry != "force":
            self.endings.append(DRAW)
        self.winners = functools.cache(self._winners)

    def _winners(self, so_far: tuple[Ending, ...], left: int) -> frozenset[str]:
        if not left:
            return frozenset((winner_of(so_far),))
        return frozenset().union(
            *(self.winners(tuple(sorted((*so_far, more))), left - 1) for more in self.endings)
        )

    def decided(self, so_far: tuple[Ending, ...], left: int) -> str:
        """Who wins whatever comes; "" if that is open, or if nobody does."""
        winners = self.winners(tuple(sorted(so_far)), left)
        return next(iter(winners)) if len(winners) == 1 else ""


def finished_game(match: Match, winner: str, outcome: Outcome) -> Game:
    """The next game of a match, ended so."""
    begins = match.begins_next or W
    if not winner:
        return Game(match.rules, begins=begins, position=LOCKED)
    game = Game(match.rules, begins=begins)
    game.resign(Color(winner).other, outcome)
    return game


def choices(rules: Rules) -> list[tuple[str, Outcome]]:
    """One of the outcomes for each way in which they count."""
    kinds = {worth(rules, outcome): outcome for outcome in rules.outcomes}
    draws = [] if rules.blocked_entry == "force" else [("", Outcome.DEADLOCK)]
    return [(color, outcome) for color in "WB" for outcome in kinds.values()] + draws


def check_match(force: BruteForce, games: int, sequence: tuple[tuple[str, Outcome], ...]) -> None:
    """Add games one by one; all answers by the brute force after each."""
    rules = force.rules
    played_out, match = Match(games, rules, play_out=True), Match(games, rules)
    endings: tuple[Ending, ...] = ()
    for number, (winner, outcome) in enumerate(((None, None), *sequence)):
        if number:
            over = match.is_over
            for each in (played_out, match):
                if each is match and over:
                    with pytest.raises(PhaseError, match="the match is over: it is decided"):
                        each.add(finished_game(each, winner, outcome))
                else:
                    each.add(finished_game(each, winner, outcome))
            endings += ((winner, *worth(rules, outcome)) if winner else DRAW,)
        left = games - number
        sure = force.decided(endings, left)
        assert played_out.games_left == left
        assert played_out.is_decided == match.is_decided == bool(sure)
        assert (played_out.winner or "") == (match.winner or "") == sure
        assert played_out.is_over == (left == 0)
        assert match.is_over == (left == 0 or bool(sure))
        assert (played_out.leader or "") == winner_of(endings)
        for color in Color:
            won = [ending for ending in endings if ending[0] == color]
            assert played_out.score[color] == sum(points for _, points, _ in won)
            names = ("", "VI", "V", "IV", "III", "II", "I")
            best_first = sorted((category for _, _, category in won), reverse=True)
            assert played_out.categories(color) == tuple(names[i] for i in best_first)
    if games == len(sequence):
        for each in (played_out, match):
            with pytest.raises(PhaseError, match="the match is over"):
                each.next_game()


MANY = {
    **{rules.name: rules for rules in THREE_GAMES},
    "all equal": VERQUERE.replace(points=Points(1, 1, 0, 1, 1), nice_games=NICE_GAMES, monk=True),
    "all zero": BRADE.replace(points=Points(0, 0, 0, 0, 0)),
    "upside down": VERQUERE.replace(points=Points(5, 3, 0, 2, 0)),
    "only Johns count": REVERTIER.replace(points=Points(0, 0, 0, 3, 3)),
    "monk above all": BRADE.replace(points=Points(1, 1, 9, 1, 1)),
    "draws in bräde": BRADE.replace(blocked_entry="wait", long_block_force=False),
}
many = pytest.mark.parametrize("rules", MANY.values(), ids=MANY)


@many
@pytest.mark.parametrize("games", [1, 3])
def test_small_matches_by_all_outcomes_of_their_games(rules, games):
    force, ways = BruteForce(rules), choices(rules)
    rnd = random.Random(1)
    endings = list(itertools.combinations_with_replacement(ways, games))
    if rules is not BRADE:
        endings = rnd.sample(endings, min(150, len(endings)))
    for ends in endings:
        check_match(force, games, tuple(rnd.sample(ends, games)))  # in some order


@many
def test_matches_of_five_by_a_sample_of_sequences(rules):
    force, ways = BruteForce(rules), choices(rules)
    rnd = random.Random(2)
    for _ in range(40):
        check_match(force, 5, tuple(rnd.choices(ways, k=5)))


def of(*endings: tuple[str, Outcome | int], games: int = 3, rules: Rules = BRADE, **given) -> Match:
    """A match with these games played."""
    match = Match(games, rules, play_out=True, **given)
    for winner, outcome in endings:
        match.add(finished_game(match, winner, Outcome(outcome)))
    return match


def test_equal_points_go_to_the_better_category():
    john, monk, crown = Outcome.JOHN, Outcome.BEAR_OFF_MONK, Outcome.SINGLE_CROWN
    assert of(("W", crown), ("B", monk)).leader is W
    assert of(("W", john), ("B", crown), ("B", monk)).winner is W
    assert of(("W", monk), ("B", 1), ("B", 1)).winner is W
    assert of(("W", monk), ("B", monk), games=5).leader is None
    # A list that has run out loses: no points for anything, so the third bear-off decides.
    worthless = BRADE.replace(points=Points(0, 0, 0, 0, 0))
    assert of(("W", 1), ("B", 1), ("B", 1), rules=worthless).winner is B


def test_a_match_of_drawn_and_equal_games_ends_undecided():
    match = of(("W", 1), ("", 13), ("B", 1), rules=VERQUERE)
    assert match.is_over
    assert not match.is_decided
    assert match.winner is match.leader is None
    assert match.score == {W: 1, B: 1}
    assert of(("", 13), rules=REVERTIER, games=1).winner is None


# --- Who begins -------------------------------------------------------------------------


@three_games
def test_the_loser_begins_the_next_game_where_the_rules_say_so(rules):
    match = Match(7, rules, seed=1)
    assert match.begins_next is None
    assert match.next_game().teka is not None
    for loser in (W, B, B):
        match.current.resign(loser)
        if rules.loser_begins:
            assert match.begins_next is loser
            with pytest.raises(ValueError, match=f"{loser} lost the last game and begins, not"):
                match.next_game(begins=loser.other)
            with pytest.raises(ValueError, match=f"there is no teka: {loser} lost the last game"):
                match.next_game(teka=(1, 2))
            with pytest.raises(ValueError, match="lost the last game and begins"):
                match.add(Game(rules, begins=loser.other))
            game = match.next_game()
            assert (game.begins, game.teka, game.phase) == (loser, None, Phase.TO_THROW)
        else:
            assert match.begins_next is None
            game = match.next_game()
            assert game.teka is not None
            assert game.dice == game.teka
        assert match.current is game
        assert match.begins_next is None, "it goes on"


@three_games
def test_after_a_drawn_game_the_next_starts_as_the_first_does(rules):
    rules = rules.replace(blocked_entry="wait", long_block_force=False)
    match = Match(3, rules, seed=1)
    match.next_game(position=LOCKED)
    assert match.begins_next is None
    assert match.next_game(teka=(2, 5)).begins is (W if rules.opening == "low_then_throw" else B)
    match.current.resign()
    assert len(match.finished) == 2


def test_who_begins_may_be_said_where_it_agrees():
    match = Match(5, seed=3)
    assert match.next_game(begins="B").begins is B
    match.current.resign()
    assert match.next_game(begins="b").begins is B


# --- Games that begin, go on, end and are taken back ------------------------------------


def test_one_game_at_a_time():
    match = Match(3, seed=1)
    assert match.current is None
    assert match.started == match.finished == ()
    first = match.next_game()
    for begin in (match.next_game, lambda: match.add(Game(begins="W"))):
        with pytest.raises(PhaseError, match="game 1 of the match goes on"):
            begin()
    first.resign()
    assert match.finished == match.started == (first,)
    second = match.next_game()
    assert match.started == (first, second)
    assert match.finished == (first,)
    assert match.games_left == 2


def won_by_play(match: Match) -> Game:
    game = match.next_game(position=Position.from_array(board({24: 1})))
    game.throw(6, 2)
    game.push("24/off")
    return game


def test_a_game_whose_end_is_taken_back_goes_on():
    match = Match(1, seed=1)
    game = won_by_play(match)
    winner = match.winner
    assert winner is game.begins
    assert match.is_over
    game.pop()
    assert not match.is_over
    assert not match.is_decided
    assert match.winner is match.leader is None
    assert match.score == {W: 0, B: 0}
    assert match.finished == ()
    with pytest.raises(PhaseError, match="game 1 of the match goes on"):
        match.next_game()
    game.push("24/off")
    assert match.winner is winner


def test_an_earlier_game_that_goes_on_again_must_end_first():
    match = Match(3, seed=1, play_out=True)
    first = won_by_play(match)
    second = match.next_game()
    first.pop()
    second.resign()
    with pytest.raises(PhaseError, match="game 1 of the match goes on"):
        match.next_game()
    first.push("24/off")
    match.next_game()
    assert len(match.started) == 3


def test_games_from_elsewhere_are_added_once_and_only_if_they_fit():
    match = Match(3)
    game = Game(begins="W")
    game.resign()
    match.add(game)
    with pytest.raises(ValueError, match="the game is in the match already"):
        match.add(game)
    with pytest.raises(ValueError, match="the game is by verquere, the match by brade"):
        match.add(Game(VERQUERE, begins="W"))
    with pytest.raises(TypeError, match="a match is made of Games, not of Match"):
        match.add(match)
    match.add(game.copy())
    assert match.score == {W: 0, B: 2}
    assert match.finished == (game, game)
    named = Match(1, BRADE.replace(name="ours"))
    named.add(Game(BRADE, begins="W"))
    assert named.current.begins is W


def test_a_match_that_is_over_says_why():
    match = Match(3)
    for outcome in (Outcome.FORCED_JOHN, Outcome.FORCED_JOHN):
        match.add(finished_game(match, "W", outcome))
    assert (match.is_decided, match.is_over, match.games_left) == (True, True, 1)
    with pytest.raises(PhaseError, match="the match is over: it is decided"):
        match.next_game()
    assert match.winner is W
    undecided = of(("W", 1), ("", 13), ("B", 1), rules=VERQUERE)
    with pytest.raises(PhaseError, match=r"the match is over$"):
        undecided.next_game()


def test_a_match_played_out_has_a_winner_before_its_end():
    match = of(("W", 12), ("W", 12))
    assert (match.winner, match.is_decided, match.is_over) == (W, True, False)
    match.add(finished_game(match, "B", Outcome.FORCED_JOHN))
    assert (match.winner, match.is_over) == (W, True)
    assert match.score == {W: 12, B: 6}


def test_every_question_has_an_answer_before_the_first_game():
    match = Match()
    assert (match.games, match.rules, match.white, match.black) == (3, BRADE, "", "")
    assert (match.current, match.begins_next, match.leader, match.winner) == (None,) * 4
    assert (match.is_decided, match.is_over, match.games_left) == (False, False, 3)
    assert match.score == {W: 0, B: 0}
    assert match.categories("W") == match.categories(B) == ()
    assert repr(match) == "<Match of 3: 0 finished, W 0 B 0>"


GAMES = {
    "at the start": Match,
    "a game goes on": lambda: next_begun(Match(3, seed=1)),
    "between games": lambda: of(("W", 1)),
    "decided": lambda: of(("W", 12), ("W", 12)),
    "over": lambda: of(("W", 1), ("B", 1), ("B", 1)),
    "over and undecided": lambda: of(("W", 1), ("", 13), ("B", 1), rules=VERQUERE),
}
ROOM = {"at the start", "between games", "decided"}
QUESTIONS = {
    "add": (lambda match: match.add(finished_game(match, "W", Outcome.BEAR_OFF)), ROOM),
    "categories": (lambda match: match.categories("W"), set(GAMES)),
    "copy": (Match.copy, set(GAMES)),
    "next_game": (Match.next_game, ROOM),
    **{
        name: (lambda match, name=name: getattr(match, name), set(GAMES))
        for name in (
            "begins_next", "current", "finished", "games", "games_left", "is_decided", "is_over",
            "leader", "rules", "score", "started", "winner",
        )
    },
}  # fmt: skip


def next_begun(match: Match) -> Match:
    match.next_game()
    return match


def test_every_public_name_is_asked():
    assert [name for name in dir(Match) if not name.startswith("_")] == sorted(QUESTIONS)


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("phase", GAMES)
def test_every_question_has_an_answer_or_a_sentence_in_every_phase(phase, name):
    match = GAMES[phase]()
    before = match.copy()
    ask, phases = QUESTIONS[name]
    if phase in phases:
        ask(match)
        return
    with pytest.raises(PhaseError, match=r"the match is over|game 1 of the match goes on"):
        ask(match)
    assert match == before


def test_a_game_that_could_not_begin_draws_no_throw():
    match = Match(3, seed=1)
    expected = match.copy().next_game().teka
    for wrong in ({"begins": "X"}, {"teka": (3, 3)}, {"position": Position({25: 15}, {1: 15})}):
        with pytest.raises(ValueError, match=r"."):
            match.next_game(**wrong)
    assert match.started == ()
    assert match.next_game().teka == expected


# --- What a match is made from ----------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "error", "sentence"),
    [
        ({"games": 2}, ValueError, "an odd number of games, 1 or more, not 2"),
        ({"games": 0}, ValueError, "an odd number"),
        ({"games": -1}, ValueError, "an odd number"),
        ({"games": 3.0}, TypeError, r"games must be a whole number, not 3\.0"),
        ({"games": True}, TypeError, "games must be a whole number"),
        ({"rules": "brade"}, TypeError, "rules must be a Rules"),
        ({"white": None}, TypeError, "a player's name is a str, not NoneType"),
        ({"black": 7}, TypeError, "a player's name is a str, not int"),
        ({"seed": -1}, ValueError, "seed must be at least 0"),
        ({"seed": 1, "rng": np.random.default_rng(1)}, ValueError, "not both"),
    ],
)
def test_what_no_match_can_be_made_from_is_refused(given, error, sentence):
    with pytest.raises(error, match=sentence):
        Match(**given)
    with pytest.raises(ValueError, match="a color is"):
        Match().categories("X")


def play(match: Match, seed: int, games: int = 9) -> Match:
    """Random games: the throws are the match's own, the plays drawn here."""
    rnd = random.Random(seed)
    while not match.is_over and len(match.finished) < games:
        game = match.next_game()
        while not game.is_over:
            if game.dice is None:
                game.throw()
            game.push(rnd.choice(game.legal_plays))
    return match


@three_games
def test_a_match_of_random_games(rules):
    match = play(Match(3, rules, seed=1), 1)
    assert match.is_over
    assert sum(match.score.values()) == sum(game.result.points for game in match.finished)
    assert match == play(Match(3, rules, rng=np.random.default_rng(1)), 1)
    assert match != play(Match(3, rules, seed=2), 1)
    for before, after in itertools.pairwise(match.started):
        if rules.loser_begins:
            assert after.begins is before.result.winner.other


AGAIN = {
    "copy()": Match.copy,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda match: pickle.loads(pickle.dumps(match)),
}


@pytest.mark.parametrize("again", AGAIN.values(), ids=AGAIN)
def test_copies_are_equal_independent_and_draw_the_same_throws(again):
    match = play(Match(5, seed=4, white="Anna", black="Bo", play_out=True), 1, games=1)
    other = again(match)
    assert other == match
    assert (other.white, other.black, other.play_out) == ("Anna", "Bo", True)
    other.finished[0].pop()
    assert match.finished
    assert other != match
    other = again(match)
    assert play(other, 5, games=3) == play(match, 5, games=3)
    other.next_game()
    assert len(match.started) == 3
    with pytest.raises(TypeError, match="unhashable"):
        hash(match)


def test_matches_compare_by_all_but_the_source_of_their_throws():
    assert Match(3, seed=1) == Match(3, seed=2)
    for other in (Match(5), Match(3, VERQUERE), Match(3, white="Anna"), Match(play_out=True), 3):
        assert Match(3) != other


# --- Rules.outcomes ---------------------------------------------------------------------

NICE = {
    "single_crown": {20: 3, 21: 3, 22: 3, 23: 3, 24: 3},
    "double_crown": {22: 5, 23: 5, 24: 5},
    "staircase": {22: 3, 23: 5, 24: 7},
    "tower": {24: 15},
}


def positions_before_the_ends() -> list[np.ndarray]:
    """Positions from which every end can come with one throw, if the rules know it."""
    found = []
    for bar in (0, 1):
        other = {0: bar, 13: 15 - bar}
        found.append(board({24: 1}, other))
        for men in NICE.values():
            first = min(men)
            found.append(board({**men, first: men[first] - 1, first - 1: 1}, other))
    # John: three men stand on his Q1, three are on his bar, one more can be hit.
    found.append(board({1: 1, 20: 14}, {0: 3, 14: 1, 15: 1, 16: 1, 3: 1, 24: 8}))
    # Forced by a long block that is his Q1, and (case 16) by a full quadrant.
    found.append(board({12: 1, 20: 13, 21: 1}, {**dict.fromkeys(range(13, 19), 2), 24: 3}))
    found.append(
        board(
            {0: 2, 1: 1, 3: 1, 6: 1, 14: 2, 16: 2, 20: 6},
            {2: 2, 4: 3, 5: 3, 13: 4, 15: 1, 17: 1, 18: 1},
        )
    )
    return found


def test_the_outcomes_of_rules_are_those_that_the_reference_reaches():
    throws = ((2, 1), (6, 5), (4, 3))
    boards = [reference.board_of(array) for array in positions_before_the_ends()]
    nice = [(), ("tower",), ("staircase", "double_crown"), NICE_GAMES]
    for blocked, forces, monk, games, free in itertools.product(
        BLOCKED_ENTRY, (True, False), (True, False), nice, (True, False)
    ):
        rules = BRADE.replace(
            blocked_entry=blocked, long_block_force=forces, monk=monk, nice_games=games,
            endings_free=free,
        )  # fmt: skip
        reached = {
            play.outcome
            for board in boards
            for throw in throws
            if not reference.is_over(board, rules)
            for play in reference.legal_plays(board, throw, rules)
        }
        assert sorted(reached - {Outcome.NONE}) == list(rules.outcomes), rules


def test_no_play_has_an_outcome_that_its_rules_do_not_know():
    rng, seen = np.random.default_rng(5), set()
    for i in range(600):
        rules = positions.random_rules(rng)
        kind = ("john_near", "nice_near", "few_men", "bars", "six_runs")[i % 5]
        position = Position.from_array(positions.synthetic(kind, rng, rules))
        for throw in ((6, 3), (5, 4), (2, 1)):
            seen |= (found := {play.outcome for play in position.plays(*throw, rules)})
            assert found <= {Outcome.NONE, *rules.outcomes}
    assert len(seen) == 13, "every outcome came"


def test_the_outcomes_of_the_three_games():
    assert len(BRADE.outcomes) == 12
    assert [outcome.name for outcome in VERQUERE.outcomes] == ["BEAR_OFF", "TOWER", "JOHN"]
    assert [outcome.name for outcome in REVERTIER.outcomes] == ["BEAR_OFF", "JOHN"]
    assert Outcome.FORCED_JOHN in VERQUERE.replace(long_block_force=True).outcomes

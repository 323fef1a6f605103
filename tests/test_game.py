"""Games: the rules' worked cases, whole games against the reference, who begins, ends."""

from __future__ import annotations

import random

import numpy as np
import pytest
from harness import BAR, THREE_GAMES, board, own_ways, results, three_games

from brade_fast import (
    BRADE,
    REVERTIER,
    VERQUERE,
    AmbiguousPlayError,
    Color,
    Game,
    How,
    IllegalPlayError,
    InvalidDiceError,
    InvalidPositionError,
    Move,
    Outcome,
    Phase,
    PhaseError,
    Position,
    Result,
    Turn,
    playouts,
    positions,
    reference,
)

W, B = Color.WHITE, Color.BLACK
HELD = dict.fromkeys(range(13, 19), 2)
LOCKED = own_ways({BAR: 3, **HELD}, {BAR: 3, **HELD})
LOCKING = own_ways({BAR: 3, **HELD}, {BAR: 3, **dict.fromkeys(range(14, 19), 2), 20: 2})


def at(array: np.ndarray) -> Position:
    return Position.from_array(array)


def results_of(plays) -> set[tuple[bytes, int]]:
    return {(play.position.array().tobytes(), int(play.outcome)) for play in plays}


def random_game(game: Game, rnd: random.Random, turns: int = 10_000) -> Game:
    while not game.is_over and len(game.moves) < turns:
        if game.phase is Phase.TO_THROW:
            game.throw()
        game.push(rnd.choice(game.legal_plays))
    return game


# --- The worked cases of rules.md -------------------------------------------------------

LAST_POINTS = {0: 2, 1: 4, 3: 1, 5: 1, 6: 1, 11: 1, 17: 1, 19: 2, 20: 1, 23: 1}
OTHER_OF_13 = {1: 2, 2: 1, 3: 1, 10: 1, 12: 3, 14: 2, 16: 3, 21: 2}
CASE_7 = board({0: 3, 1: 7, 4: 1, 14: 2, 15: 2}, {3: 1, 5: 2, 6: 2, 13: 10})
CROWN = board({15: 2, 20: 1, 21: 3, 22: 3, 23: 3, 24: 3})
BLOCKED = board({20: 1, 21: 2, 23: 2}, {24: 2, 13: 13})
CASES = {
    "1": (BRADE, board({1: 15}), "6-6", ["1/7"]),
    "2": (VERQUERE, board({1: 15}), "4-4", ["1/5/9 1/5"]),
    "3": (BRADE, board({21: 3, 22: 2, 23: 2}), "3-2", ["21/24 21/23", "21/24 22/24"]),
    "4": (BRADE, board({22: 1, 24: 2}), "5-2", ["22/off 24/off"]),
    "5": (BRADE, board({19: 1, 21: 2, 22: 1, 24: 1}), "5-3", ["19/24 21/24"]),
    "6": (BRADE, BLOCKED, "4-4", ["pass"]),
    "7, 6-2": (BRADE, CASE_7, "6-2", ["bar/6! bar/2"]),
    "7, 5-3": (BRADE, CASE_7, "5-3", ["bar/5! bar/3*"]),
    "7, 6-5": (BRADE, CASE_7, "6-5", ["bar/6!"]),
    "7, 2-1": (BRADE, CASE_7, "2-1", ["bar/2"]),
    "8": (
        BRADE, board({19: 1}, {21: 1, 13: 14}), "6-2",
        ["19/21*/off = bear_off_monk", "19/off = bear_off"],
    ),
    "9": (BRADE, CROWN, "5-5", ["15/20(2) = single_crown"]),
    "10": (
        BRADE, board({0: 1}, {1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 2, 13: 3}), "6-5", ["pass"],
    ),
    "13, verquere": (VERQUERE, own_ways(LAST_POINTS, OTHER_OF_13), "4-2", ["pass"]),
    "13, révertier": (REVERTIER, own_ways(LAST_POINTS, OTHER_OF_13), "2-1", ["pass"]),
    "14": (VERQUERE, board({23: 1, 24: 2}), "2-1", ["23/off 24/off"]),
    "17": (
        BRADE, board({23: 1, 24: 1}), "2-1", ["23/off 24/off = bear_off", "23/24/off"],
    ),
    "18": (VERQUERE, board({23: 1, 24: 14}), "2-1", ["23/24 = tower", "23/off 24/off"]),
    "19": (BRADE, own_ways(LAST_POINTS, OTHER_OF_13), "4-2", ["bar/4! bar/2! = forced_john"]),
}  # fmt: skip
POINTS = {"bear_off": 1, "bear_off_monk": 2, "single_crown": 2, "tower": 2, "forced_john": 6}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("begins", Color)
def test_worked_cases(case, begins):
    rules, array, throw, texts = CASES[case]
    game = Game(rules, begins=begins, position=at(array))
    game.throw(throw)
    assert results_of(game.legal_plays) == results(array, *texts)
    for text in texts:
        play = game.push(text)
        assert play is game.peek()
        assert game.moves == (Move(begins, game.moves[0].dice, play),)
        assert game.turn is begins.other
        name = text.partition(" = ")[2]
        if name:
            expected = Result(begins, Outcome[name.upper()], POINTS[name], How.PLAYED)
            assert game.result == expected
            assert game.phase is Phase.OVER
        else:
            assert game.result is None
            assert game.phase is Phase.TO_THROW
        assert game.board_for(begins.other) == game.position == play.position
        assert game.board_for(begins) == play.position.flip()
        assert game.pop() == play
        assert game.phase is Phase.TO_PLAY


def test_case_12_is_over_and_no_game_starts_from_it():
    black = {0: 3, 1: 4, 2: 1, 5: 1, 6: 1, 11: 1, 17: 1, 19: 1, 20: 1, 23: 1}
    white = {1: 3, 2: 1, 3: 1, 4: 1, 10: 1, 12: 4, 16: 2, 21: 2}
    for rules in THREE_GAMES:
        for position in (Position(black, white), Position(white, black)):
            with pytest.raises(InvalidPositionError, match="somebody has already won"):
                Game(rules, begins="B", position=position)


# --- Whole games against the reference --------------------------------------------------


def check_by_reference(game: Game, rnd: random.Random, turns: int) -> Game:
    """Play at random, but end where one can; compare what is legal, and when it ends."""
    while not game.is_over and len(game.moves) < turns:
        mover, before = game.turn, reference.board_of(game.position.array())
        dice = game.dice or game.throw()
        legal = reference.legal_plays(before, (max(dice), min(dice)), game.rules)
        assert results_of(game.legal_plays) == {
            (np.array(s.board, np.int8).tobytes(), int(s.outcome)) for s in legal
        }
        ends = [play for play in game.legal_plays if play.outcome]
        play = game.push(rnd.choice(ends or game.legal_plays))
        after = reference.board_of(game.position.array())
        assert game.turn is mover.other
        assert game.moves[-1] == (mover, dice, play)
        if play.outcome:
            points = game.rules.value(play.outcome)
            assert game.result == (mover, play.outcome, points, How.PLAYED)
            assert reference.is_over(after, game.rules)
        elif reference.is_deadlock(after, game.rules):
            assert game.result == (None, Outcome.DEADLOCK, 0, How.DEADLOCK)
        else:
            assert game.result is None
            assert not reference.is_over(after, game.rules)
    return game


def check_undo_and_redo(game: Game) -> None:
    """Take all back and play it again: the same at every turn, by plays and by texts."""
    played, stands = game.copy(), [game.copy()]
    while game.moves:
        game.pop()
        stands.append(game.copy())
    for by_text in (False, True):
        for move, stand in zip(played.moves, reversed(stands[1:]), strict=True):
            if game.phase is Phase.TO_THROW:
                game.throw(*move.dice)
            assert game == stand
            assert game.push(str(move.play) if by_text else move.play) == move.play
        assert game == played
        assert (game.position, game.turn, game.phase, game.result) == (
            played.position, played.turn, played.phase, played.result,
        )  # fmt: skip
        while game.moves:
            game.pop()


@three_games
def test_whole_games_are_the_reference_s_and_can_be_undone_and_redone(rules):
    for seed in range(2):
        game = check_by_reference(Game(rules, seed=seed), random.Random(seed), 10_000)
        assert game.is_over
        assert len(game.moves) > 20
        check_undo_and_redo(game)


def test_games_of_mixed_rules_from_odd_positions_are_the_reference_s():
    rng, rnd = np.random.default_rng(11), random.Random(11)
    outcomes, kinds = set(), (*positions.KINDS, "john_near", "john_near", "nice_near")
    for i in range(150):
        rules = positions.random_rules(rng)
        kind = kinds[i % len(kinds)]
        start = at(positions.synthetic(kind, rng, rules))
        game = Game(rules, begins=rnd.choice("WB"), position=start, rng=rng)
        check_by_reference(game, rnd, 8)
        outcomes.add(game.result and game.result.outcome)
        check_undo_and_redo(game)
    assert len(outcomes) > 7, outcomes


# --- Who begins -------------------------------------------------------------------------


@pytest.mark.parametrize("white", range(1, 7))
@pytest.mark.parametrize("black", range(1, 7))
def test_the_teka_decides_who_begins(white, black):
    for rules in (*THREE_GAMES, BRADE.replace(opening="high_plays_dice")):
        if white == black:
            with pytest.raises(InvalidDiceError, match=f"a teka of {white} each decides nothing"):
                Game(rules, teka=(white, black))
            continue
        game = Game(rules, teka=(white, black))
        high, low = (W, B) if white > black else (B, W)
        plays_them = rules.opening == "high_plays_dice"
        assert game.begins is game.turn is (high if plays_them else low)
        assert game.teka == (white, black)
        assert game.dice == ((white, black) if plays_them else None)
        assert game.phase is (Phase.TO_PLAY if plays_them else Phase.TO_THROW)
        assert Game(rules, teka=(white, black), begins=game.begins) == game
        with pytest.raises(InvalidDiceError, match=f"{game.begins} begins, not"):
            Game(rules, teka=(white, black), begins=game.begins.other)


@three_games
def test_a_drawn_teka_decides_too_and_the_same_seed_gives_the_same_game(rules):
    tekas = set()
    for seed in range(60):
        game, again = (random_game(Game(rules, seed=seed), random.Random(1), 5) for _ in range(2))
        assert game == again
        assert game.teka is not None
        assert Game(rules, teka=game.teka).begins is game.begins
        tekas.add(game.teka)
    assert len(tekas) > 15
    assert all(white != black for white, black in tekas)


def test_who_begins_may_be_said():
    for begins in (W, "W", "w", "White", "white"):
        game = Game(REVERTIER, begins=begins)
        assert (game.begins, game.turn, game.teka, game.phase) == (W, W, None, Phase.TO_THROW)
    assert Game(begins="b").begins is B


def test_the_dice_of_the_teka_must_be_played():
    game = Game(REVERTIER, teka=(2, 5))
    first = game.copy()
    with pytest.raises(PhaseError, match="the dice of the teka are played"):
        game.unthrow()
    with pytest.raises(PhaseError, match="2-5 lies on the table"):
        game.throw(2, 5)
    game.push("1/6/8")
    assert game.moves[0].dice == (2, 5)
    game.throw(3, 1)
    game.unthrow()
    game.throw(4, 1)
    game.pop()
    assert game == first


# --- Throws -----------------------------------------------------------------------------


def test_throws_are_given_in_any_form_and_keep_their_order():
    for dice in ((2, 6), ((2, 6),), ([2, 6],), ("26",), ("2-6",), (np.int8(2), np.int64(6))):
        game = Game(begins="W")
        assert game.throw(*dice) == game.dice == (2, 6)
        assert [type(die) for die in game.dice] == [int, int]
        assert {play.dice for play in game.legal_plays} == {(6, 2)}


def test_a_throw_that_is_taken_up_takes_its_plays_along():
    game = Game(begins="W")
    for dice in ((6, 2), (5, 1), (3, 3)):
        game.throw(dice)
        assert {play.dice for play in game.legal_plays} == {dice}
        assert game.unthrow() == dice
        assert game.phase is Phase.TO_THROW
    assert game == Game(begins="W")


@pytest.mark.parametrize(
    ("dice", "error"),
    [
        ((6,), TypeError), ((None, 6), TypeError), ((6.0, 2), TypeError),
        (("6", "2"), TypeError), ((True, 2), TypeError), ((0, 2), InvalidDiceError),
        ((7, 2), InvalidDiceError), (("67",), InvalidDiceError), (("",), InvalidDiceError),
        (((6, 2, 1),), InvalidDiceError), ((np.array(6),), TypeError),
    ],
)  # fmt: skip
def test_what_is_no_throw_is_refused_and_none_lies_on_the_table(dice, error):
    game = Game(begins="W")
    with pytest.raises(error, match=r"two dice|whole number|from 1 to 6"):
        game.throw(*dice)
    assert game.phase is Phase.TO_THROW


@pytest.mark.parametrize("teka", [6, (6.0, 2), (True, 2), {6, 2}, {6: 2, 1: 3}])
def test_what_is_no_teka_is_a_wrong_type(teka):
    with pytest.raises(TypeError, match=r"a teka is two dice|whole number"):
        Game(teka=teka)


@pytest.mark.parametrize("teka", [(0, 7), (6,), (6, 2, 1), ()])
def test_a_teka_of_dice_that_do_not_exist_is_refused(teka):
    with pytest.raises(InvalidDiceError, match="a teka is two numbers from 1 to 6, not "):
        Game(teka=teka)


def test_throws_come_from_the_seed_or_the_shared_source():
    assert [Game(begins="W", seed=3).throw() for _ in range(2)] == [(5, 1)] * 2
    rng, twin = np.random.default_rng(9), np.random.default_rng(9)
    first, second = Game(begins="W", rng=rng), Game(begins="B", rng=rng)
    drawn = [first.throw(), second.throw()]
    assert drawn == [tuple(twin.integers(1, 7, 2).tolist()) for _ in range(2)]
    assert len({Game(begins="W").throw() for _ in range(60)}) > 5, "differ without a seed"


@pytest.mark.parametrize(
    ("given", "error", "sentence"),
    [
        ({"seed": 1, "rng": np.random.default_rng(1)}, ValueError, "a seed or an rng, not both"),
        ({"seed": -1}, ValueError, "seed must be at least 0, not -1"),
        ({"seed": 1.5}, TypeError, "seed must be a whole number"),
        ({"seed": True}, TypeError, "seed must be a whole number"),
        ({"rng": random.Random(1)}, TypeError, r"numpy\.random\.Generator, not Random"),
        ({"rules": "brade"}, TypeError, "rules must be a Rules"),
        ({"begins": "X"}, ValueError, "a color is 'W' or 'B', not 'X'"),
        ({"begins": 0}, TypeError, r"Color\.WHITE or Color\.BLACK, not 0"),
        ({"position": LOCKED}, TypeError, "position must be a Position, not ndarray"),
        ({"position": Position({25: 15}, {1: 15})}, InvalidPositionError, "already won"),
    ],
)
def test_what_no_game_can_start_from_is_refused(given, error, sentence):
    with pytest.raises(error, match=sentence):
        Game(**given)


# --- Plays that are pushed --------------------------------------------------------------


def test_plays_of_elsewhere_are_refused_and_change_nothing():
    game = Game(begins="W")
    game.throw(2, 6)
    before = game.copy()
    start = Position.start()
    elsewhere = Position({1: 14, 3: 1}, {1: 15})
    for wrong, sentence in (
        (elsewhere.plays(6, 2)[0], "not of this position"),
        (start.plays(6, 1)[0], "is a play of 6-1, not of 2-6"),
        (start.plays(6, 2, VERQUERE)[0], r"by other rules \(verquere\)"),
        ("1/8", "1/8"),
        ("pass", "."),
        ("nonsense", "."),
    ):
        with pytest.raises(IllegalPlayError, match=sentence):
            game.push(wrong)
    for wrong in (None, 7, [(1, 7, 6, 0)]):
        with pytest.raises(TypeError, match="a play is a Play or a text, not"):
            game.push(wrong)
    assert game == before
    assert game.push(start.plays(2, 6)[0]) in before.legal_plays


def test_a_text_that_fits_two_plays_is_refused():
    game = Game(begins="W", position=at(board({19: 1}, {21: 1, 13: 14})))
    game.throw(6, 2)
    with pytest.raises(AmbiguousPlayError, match="19/off"):
        game.push("19/off")
    assert not game.moves


def test_a_turn_of_a_game_can_be_pushed_when_it_is_complete():
    game = Game(begins="B")
    game.throw(2, 6)
    turn = game.turn_steps()
    assert turn == Turn(Position.start(), (2, 6))
    turn.push("1/7")
    assert not game.moves, "the turn is not the game"
    turn.push("1/3")
    assert game.push(turn.play) == game.moves[0].play


# --- Resignations -----------------------------------------------------------------------


@pytest.mark.parametrize("outcome", Outcome)
def test_resignations_by_every_outcome_that_the_rules_know(outcome):
    for rules in (*THREE_GAMES, BRADE.replace(monk=False), VERQUERE.replace(nice_games=())):
        for given in (outcome, int(outcome), outcome.name.lower()):
            game = Game(rules, begins="W")
            if outcome in rules.outcomes:
                expected = Result(W, outcome, rules.value(outcome), How.RESIGNED)
                assert game.resign("B", given) == game.result == expected
                assert game.is_over
            else:
                before = game.copy()
                with pytest.raises(
                    ValueError, match=r"no game is lost by .*; agree on one of bear"
                ):
                    game.resign("B", given)
                assert game == before


def test_who_resigns_is_who_is_to_move_or_who_is_named():
    game = Game(begins="W")
    assert game.copy().resign() == Result(B, Outcome.BEAR_OFF, 1, How.RESIGNED)
    game.throw(6, 2)
    assert game.copy().resign().winner is B
    assert game.copy().resign("b").winner is W
    assert game.copy().resign(outcome="sprängjan").points == 6
    game.push("1/9")
    assert game.copy().resign().winner is W
    for wrong, error, sentence in (
        (14, ValueError, "there is no outcome 14"),
        (1.0, TypeError, "an outcome is"),
        (None, TypeError, "an outcome is"),
        (True, TypeError, "an outcome is"),
        ("victory", ValueError, "no outcome 'victory'"),
    ):
        with pytest.raises(error, match=sentence):
            game.resign("W", wrong)
    with pytest.raises(ValueError, match="a color is"):
        game.resign("victory")
    assert not game.is_over


def test_a_resignation_takes_up_the_throw_and_goes_with_the_last_play():
    game = Game(begins="W")
    game.throw(6, 2)
    before = game.copy()
    game.push("1/9")
    game.throw(5, 4)
    game.resign()
    assert game.dice is None
    assert game.pop() == game.parse("1/9")
    assert game == before


# --- Deadlock ---------------------------------------------------------------------------

PASSING = (VERQUERE, REVERTIER)


@pytest.mark.parametrize("rules", PASSING, ids=lambda rules: rules.name)
def test_a_game_that_starts_in_a_deadlock_is_drawn(rules):
    for given in ({"begins": "B"}, {"teka": (2, 5)}, {"seed": 1}):
        game = Game(rules, position=at(LOCKED), **given)
        assert game.result == Result(None, Outcome.DEADLOCK, 0, How.DEADLOCK)
        assert (game.phase, game.dice, game.moves) == (Phase.OVER, None, ())
        with pytest.raises(PhaseError, match="the game is over"):
            game.throw()
    assert not Game(BRADE, begins="B", position=at(LOCKED)).is_over, "who may force can move"
    assert playouts(at(LOCKED), 4, 1, rules).outcomes[0, 0, Outcome.DEADLOCK] == 4


def test_a_game_that_comes_to_a_deadlock_is_drawn_and_can_be_taken_back():
    for seed in range(5):
        game = random_game(
            Game(REVERTIER, begins="W", position=at(LOCKING), seed=seed), random.Random(seed)
        )
        assert game.result == Result(None, Outcome.DEADLOCK, 0, How.DEADLOCK)
        assert str(game.peek()) == "bar/1"
        assert game.dice is None
        check_undo_and_redo(game)
    assert playouts(at(LOCKING), 4, 1, REVERTIER).outcomes[0, 0, Outcome.DEADLOCK] == 4

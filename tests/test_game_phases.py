"""Every question to a game in every phase; copies, equality, what it says of itself."""

from __future__ import annotations

import copy
import pickle
import random

import numpy as np
import pytest
from harness import board
from test_game import CROWN, LOCKED, LOCKING, at, random_game

from brade_fast import (
    REVERTIER,
    VERQUERE,
    Color,
    Game,
    InvalidDiceError,
    InvalidPositionError,
    InvalidRulesError,
    Phase,
    PhaseError,
    Position,
)

W, B = Color.WHITE, Color.BLACK

# --- Every question in every phase ------------------------------------------------------


def thrown(**given) -> Game:
    game = Game(begins="W", **given)
    game.throw(6, 2)
    return game


def played() -> Game:
    game = thrown()
    game.push("1/9")
    return game


def won() -> Game:
    game = thrown(position=at(board({19: 1}, {21: 1, 13: 14})))
    game.push("19/21/off")
    return game


def resigned(game: Game) -> Game:
    game.resign()
    return game


def come_to_deadlock() -> Game:
    game = Game(REVERTIER, begins="W", position=at(LOCKING))
    game.throw(6, 1)
    game.push("bar/1")
    return game


PHASES = {
    "at the start": lambda: Game(begins="W"),
    "a throw lies": thrown,
    "a teka lies": lambda: Game(REVERTIER, teka=(2, 5)),
    "after a play": played,
    "won": won,
    "resigned at once": lambda: resigned(Game(begins="W")),
    "resigned with a throw": lambda: resigned(thrown()),
    "resigned after a play": lambda: resigned(played()),
    "a deadlock at the start": lambda: Game(REVERTIER, begins="W", position=at(LOCKED)),
    "come to a deadlock": come_to_deadlock,
}
EVERY = set(PHASES)
LIES = {"a throw lies", "a teka lies"}
GOES_ON = {"at the start", "after a play", *LIES}
HAS_MOVES = {"after a play", "won", "resigned after a play", "come to a deadlock"}
# Each public name: how it is asked, and the phases in which it has an answer.
QUESTIONS = {
    "begins": (lambda game: game.begins, EVERY),
    "board_for": (lambda game: game.board_for("B"), EVERY),
    "copy": (Game.copy, EVERY),
    "dice": (lambda game: game.dice, EVERY),
    "from_state": (lambda game: Game.from_state("brade:W:-:_38AAAD_fwAAAA"), EVERY),
    "initial_position": (lambda game: game.initial_position, EVERY),
    "is_over": (lambda game: game.is_over, EVERY),
    "legal_plays": (lambda game: game.legal_plays, LIES),
    "moves": (lambda game: game.moves, EVERY),
    "parse": (lambda game: game.parse(str(game.position.plays(*game.dice, game.rules)[0])
                                      if game.dice else "1/7"), LIES),
    "peek": (Game.peek, HAS_MOVES),
    "phase": (lambda game: game.phase, EVERY),
    "pop": (Game.pop, HAS_MOVES),
    "position": (lambda game: game.position, EVERY),
    "push": (lambda game: game.push(game.legal_plays[0] if game.dice else "1/7"), LIES),
    "resign": (Game.resign, GOES_ON),
    "result": (lambda game: game.result, EVERY),
    "rules": (lambda game: game.rules, EVERY),
    "state": (Game.state, EVERY),
    "svg": (Game.svg, EVERY),
    "teka": (lambda game: game.teka, EVERY),
    "throw": (Game.throw, GOES_ON - LIES),
    "turn": (lambda game: game.turn, EVERY),
    "turn_steps": (Game.turn_steps, LIES),
    "unthrow": (Game.unthrow, {"a throw lies"}),
}  # fmt: skip


def test_every_public_name_is_asked():
    assert [name for name in dir(Game) if not name.startswith("_")] == sorted(QUESTIONS)


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("phase", PHASES)
def test_every_question_has_an_answer_or_a_sentence_in_every_phase(phase, name):
    game = PHASES[phase]()
    before = game.copy()
    ask, phases = QUESTIONS[name]
    if phase in phases:
        ask(game)
        return
    with pytest.raises(PhaseError) as caught:
        ask(game)
    assert len(str(caught.value).split()) >= 4
    assert ("over" in str(caught.value)) == (game.is_over and name not in ("peek", "pop"))
    assert game == before


@pytest.mark.parametrize("phase", PHASES)
def test_what_is_asked_of_every_phase_agrees(phase):
    game = PHASES[phase]()
    before = game.copy()
    assert game.is_over == (game.phase is Phase.OVER) == (game.result is not None)
    assert (game.dice is not None) == (game.phase is Phase.TO_PLAY)
    assert game.board_for(game.turn) == game.position
    assert game.board_for(game.turn.other) == game.position.flip()
    assert game.position == (game.moves[-1].play.position if game.moves else game.initial_position)
    assert game.turn is (game.begins.other if len(game.moves) % 2 else game.begins)
    assert repr(game).startswith("<Game ")
    assert game._repr_svg_() == game.svg()
    assert game == before, "asking changes nothing"


@pytest.mark.parametrize("phase", PHASES)
def test_the_state_is_read_back_unless_somebody_has_won(phase):
    game = PHASES[phase]()
    if phase == "won":
        with pytest.raises(InvalidPositionError, match="somebody has already won"):
            Game.from_state(game.state())
        return
    again = Game.from_state(game.state(), seed=4)
    assert again.state() == game.state()
    assert (again.rules, again.turn, again.dice, again.position, again.moves) == (
        game.rules, game.turn, game.dice, game.position, (),
    )  # fmt: skip
    if not game.is_over:
        assert again.phase is game.phase
    assert again.is_over == (phase in {"a deadlock at the start", "come to a deadlock"})


def test_a_state_is_read_in_tolerant_forms_or_refused_by_its_kind():
    assert Game.from_state(" brade:w:62:1:15 / 1:15 ").state() == "brade:W:6-2:_38AAAD_fwAAAA"
    assert (
        Game.from_state("brade:W:-:_38AAAD_fwAAAA", seed=3).throw()
        == Game(begins="W", seed=3).throw()
    )
    locked = Position.from_array(LOCKED).id
    for text, error, sentence in (
        ("brade:W:6-2", InvalidPositionError, "four parts"),
        ("chess:W:6-2:_38AAAD_fwAAAA", InvalidRulesError, "chess"),
        ("brade:X:6-2:_38AAAD_fwAAAA", InvalidPositionError, "W or B"),
        ("brade:W:7-2:_38AAAD_fwAAAA", InvalidDiceError, "from 1 to 6"),
        ("brade:W:6-2:x", InvalidPositionError, "x"),
        (f"revertier:W:6-2:{locked}", InvalidPositionError, "a deadlock, and so a draw"),
    ):
        with pytest.raises(error, match=sentence):
            Game.from_state(text)
    with pytest.raises(TypeError, match="must be a str"):
        Game.from_state(None)


# --- Values -----------------------------------------------------------------------------

AGAIN = {
    "copy()": Game.copy,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda game: pickle.loads(pickle.dumps(game)),
}


@pytest.mark.parametrize("again", AGAIN.values(), ids=AGAIN)
@pytest.mark.parametrize("phase", PHASES)
def test_copies_are_equal_and_independent(phase, again):
    game = PHASES[phase]()
    before, other = game.copy(), again(game)
    assert other == game
    assert repr(other) == repr(game)
    if other.moves:
        other.pop()
    elif not other.is_over:
        other.resign()
    else:
        return
    assert other != game
    assert game == before
    game.copy()
    if before.moves:
        game.pop()
        assert other == game


@pytest.mark.parametrize("again", AGAIN.values(), ids=AGAIN)
def test_copies_draw_the_same_throws_and_do_not_share_them(again):
    rng = np.random.default_rng(2)
    for game in (Game(seed=2), Game(rng=rng)):
        other = again(game)
        ours = random_game(game, random.Random(2), 6)
        assert random_game(other, random.Random(2), 6) == ours
    other = again(ours)
    drawn = other.throw()
    assert tuple(rng.integers(1, 7, 2).tolist()) == drawn, "the shared source was not drawn from"


def test_games_compare_by_all_but_the_source_of_their_throws():
    game = Game(begins="W", seed=1)
    assert game == Game(begins="W", seed=2)
    for other in (
        Game(begins="B"),
        Game(VERQUERE, begins="W"),
        Game(teka=(1, 2)),
        Game(begins="W", position=at(CROWN)),
        thrown(),
        played(),
        resigned(Game(begins="W")),
        "W",
    ):
        assert game != other
    one, two = Game(begins="W"), Game(begins="W")
    one.throw(6, 2)
    two.throw(2, 6)
    assert one != two, "the order of the dice is remembered"
    with pytest.raises(TypeError, match="unhashable"):
        hash(game)


def test_a_game_says_what_it_is():
    start = "_38AAAD_fwAAAA"
    assert repr(Game(begins="W")) == f"<Game brade: 0 turns, W to throw, {start}>"
    assert repr(thrown()) == f"<Game brade: 0 turns, W to play 6-2, {start}>"
    assert "1 turn, B to throw" in repr(played())
    assert "1 turn, W wins 2 by bear_off_monk, " in repr(won())
    assert "1 turn, W wins 1 by bear_off (resigned), " in repr(resigned(played()))
    assert "1 turn, drawn (deadlock), " in repr(come_to_deadlock())


def test_colors_are_their_letters():
    assert (W, B) == ("W", "B")
    assert [color.other for color in Color] == [B, W]
    assert f"{W}{B}" == "WB"

"""Text of positions, plays, dice and rules (design: exact, strict, one text for one thing)."""

from __future__ import annotations

import random

import pytest

import brade_fast
from brade_fast import (
    BRADE,
    REVERTIER,
    VERQUERE,
    InvalidDiceError,
    InvalidPositionError,
    InvalidRulesError,
    Outcome,
    Points,
    Position,
    Rules,
    notation,
)
from brade_fast._core import Step, _steps_text
from brade_fast.notation import (
    OUTCOME_NAMES,
    board_text,
    outcome_name,
    outcome_title,
    parse_board_text,
    parse_dice,
    parse_position,
    parse_rules,
    play_text,
    rules_text,
)
from brade_fast.rules import BLOCKED_ENTRY, NICE_GAMES, OPENINGS, PRESETS

EXAMPLE = "1:7 4 14:2 15:2 bar:3 / 1:10 15 17:2 18:2"


def texts(board: str, d1: int, d2: int, rules: Rules = BRADE) -> list[str]:
    return sorted(play_text(play) for play in parse_position(board).plays(d1, d2, rules))


def walk(seed: int, rules: Rules, turns: int) -> list[tuple[Position, tuple[int, int]]]:
    """Positions and throws of random games."""
    rng = random.Random(seed)
    pairs = []
    position = Position.start()
    for _ in range(turns):
        dice = rng.randint(1, 6), rng.randint(1, 6)
        pairs.append((position, dice))
        play = rng.choice(position.plays(*dice, rules))
        position = Position.start() if play.outcome else play.position
    return pairs


# --- board text ------------------------------------------------------------------------


def test_the_example_of_the_design_is_read_and_written():
    position = parse_board_text(EXAMPLE)
    mover, other = position.array().tolist()
    assert {i: n for i, n in enumerate(mover) if n} == {0: 3, 1: 7, 4: 1, 14: 2, 15: 2}
    assert {i: n for i, n in enumerate(other) if n} == {1: 10, 15: 1, 17: 2, 18: 2}
    assert board_text(position) == EXAMPLE
    assert str(position) == EXAMPLE


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("1:15 / 1:15", "1:15 / 1:15"),
        ("1:15/1:15", "1:15 / 1:15"),
        ("  1:15  /\t1:15 ", "1:15 / 1:15"),
        ("bar:3 15:2 1:7 4 14:2 / 18:2 17:2 1:10 15", EXAMPLE),
        ("4:1 1:7 14:2 15:2 bar:3 / 1:10 15 17:2 18:2", EXAMPLE),
        ("24:2 / 1:15", "24:2 / 1:15"),
        ("24:2 off:13 / 1:15", "24:2 / 1:15"),
        ("off:13 24:2 / 1:15", "24:2 / 1:15"),
        ("off:15 / 1:15", "off:15 / 1:15"),
        ("1:15 / off:15", "1:15 / off:15"),
        ("24:14 off / 1:15", "24:14 / 1:15"),
        ("bar 1:14 / 1:14", "1:14 bar:1 / 1:14"),
        ("bar:1 / 1:14 off:1", "bar:1 / 1:14"),
    ],
)
def test_items_come_in_any_order_and_are_written_in_one(text, canonical):
    position = parse_board_text(text)
    assert board_text(position) == canonical
    assert parse_board_text(canonical) == position
    assert position.array().sum(axis=1).tolist() == [15, 15]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "one '/'"),
        ("1:15", "one '/'"),
        ("1:15 / 1:15 / 1:15", "not 2 in"),
        (" / 1:15", "mover's half is nothing.*off:15"),
        ("1:15 / ", "other's half is nothing.*off:15"),
        ("1:8 1:7 / 1:15", "1 comes twice in the mover's half.*'1:7'"),
        ("1:15 / bar 1:13 bar", "bar comes twice in the other's half"),
        ("24 off:7 off:7 / 1:15", "off comes twice"),
        ("1:15 4:0 / 1:15", "'4:0' in the mover's half.*1 to 15; leave out"),
        ("1:15 off:0 / 1:15", "'off:0'.*leave out"),
        ("1:15 / 25:15", "'25:15' in the other's half.*1 to 24"),
        ("0:15 / 1:15", "'0:15'.*1 to 24"),
        ("01:15 / 1:15", "'01:15'.*1 to 24"),
        ("1:015 / 1:15", "'1:015'.*1 to 15"),
        ("1:16 / 1:15", "'1:16'.*1 to 15"),
        ("1: / 1:15", "'1:'.*1 to 15"),
        ("1:-3 / 1:15", "'1:-3'.*1 to 15"),
        ("1:3:2 / 1:15", "'1:3:2'.*1 to 15"),
        ("1:2.0 / 1:15", "'1:2.0'.*1 to 15"),
        (":15 / 1:15", "':15'.*an item is"),
        ("-1:15 / 1:15", "'-1:15'.*an item is"),
        ("1:15, / 1:15", "'1:15,'"),
        ("BAR:15 / 1:15", "'BAR:15'.*an item is"),
        ("hello / 1:15", "'hello' in the mover's half.*an item is"),
        ("1:15 / ١:15", "other's half.*an item is"),
        ("1:١ / 1:15", "1 to 15"),
        ("1:14 bar:2 / 1:15", "16 men in the mover's half"),
        ("1:15 / 1:15 13", "16 men in the other's half"),
        ("1:14 off:2 / 1:15", "off:2 in the mover's half.*14 men.*off:1"),
        ("1:14 / off:14", "off:14 in the other's half.*0 men.*off:15"),
        ("1:15 off:1 / 1:15", "off:1 in the mover's half.*off:0"),
    ],
)
def test_anything_else_is_refused_with_the_fault_and_its_place(text, words):
    with pytest.raises(InvalidPositionError, match=words):
        parse_board_text(text)


@pytest.mark.parametrize(
    "text",
    ["1:13 4:2 / 1:15", "1:15 / 1:13 11:2", "1:14 13 / 1:15", "1:13 14:2 / 1:13 2 off:1"],
)
def test_a_board_that_cannot_be_is_refused(text):
    with pytest.raises(InvalidPositionError):
        parse_board_text(text)


@pytest.mark.parametrize("value", [None, 5, b"1:15 / 1:15", ["1:15"]])
def test_text_must_be_text(value):
    for read in (parse_board_text, parse_position, parse_dice, parse_rules):
        with pytest.raises(TypeError, match="must be a str, not"):
            read(value)


def test_id_and_board_text_are_told_apart():
    start = Position.start()
    assert parse_position("_38AAAD_fwAAAA") == start
    assert parse_position("1:15 / 1:15") == start
    assert Position.from_text("_38AAAD_fwAAAA") == start
    assert Position.from_text(EXAMPLE) == parse_board_text(EXAMPLE)
    assert parse_position(parse_board_text(EXAMPLE).id) == parse_board_text(EXAMPLE)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1:7 4 14:2", "has a '/' between"),
        ("1:15", "has a '/' between"),
        ("", "."),
        ("start", "."),
        ("_38AAAD_fwAAA", "."),
        ("_38AAAD_fwAAAA=", "."),
        ("_38AAAD_fwAAAB", "."),
        ("______________", "."),
        ("_38AAAD_fwAAA\udcff", "."),
    ],
)
def test_what_is_neither_id_nor_board_text_is_refused(text, words):
    with pytest.raises(InvalidPositionError, match=words):
        parse_position(text)


@pytest.mark.parametrize("rules", PRESETS.values(), ids=PRESETS)
def test_board_text_and_id_read_back_to_the_same_position(rules):
    for position, _ in walk(1, rules, 200):
        text = board_text(position)
        assert parse_position(text) == position
        assert parse_position(position.id) == position
        assert board_text(parse_position(text)) == text


# --- plays -----------------------------------------------------------------------------


def test_plays_of_the_start_show_every_touch_down():
    assert texts("1:15 / 1:15", 6, 2) == ["1/7 1/3", "1/7/9"]
    assert texts("1:15 / 1:15", 2, 6) == ["1/7 1/3", "1/7/9"]
    assert texts("1:15 / 1:15", 6, 6) == ["1/7"]
    assert texts("1:15 / 1:15", 4, 4) == ["1/5/9 1/5"]
    assert texts("1:15 / 1:15", 5, 5) == ["1/6/11/16 1/6", "1/6/11/16/21"]


def test_str_of_a_play_is_its_text():
    plays = Position.start().plays(6, 2)
    assert sorted(map(str, plays)) == ["1/7 1/3", "1/7/9"]


def test_a_hit_stands_after_its_point():
    # Opponent's blot on the mover's 9 is on his own 21.
    assert texts("1:15 / 1:14 21", 6, 2) == ["1/7 1/3", "1/7/9*"]
    # On the mover's 7 and 3.
    assert texts("1:15 / 1:13 19 15", 6, 2) == ["1/3*/9", "1/7* 1/3*", "1/7*/9"]


def test_forced_points_have_their_own_mark():
    # Case 7: three men on the bar, one free point.
    board = "1:7 4 14:2 15:2 bar:3 / 1:10 15 17:2 18:2"
    assert texts(board, 6, 2) == ["bar/6! bar/2"]
    assert texts(board, 5, 3) == ["bar/5! bar/3*"]
    assert texts(board, 6, 5) == ["bar/6!"]
    assert texts(board, 2, 1) == ["bar/2"]


def test_the_talon_of_the_opponent_can_be_forced_and_named():
    position = Position.from_text("7 20:14 / 1:5 20:2 21:2 22:2 23:2 24:2")
    assert {str(play) for play in position.plays(6, 2)} == {
        "7/9!/15",
        "7/13!/15",
        "7/13! 20/22",
    }


def test_equal_groups_are_counted():
    # 20:2 and no other man: a 5-5 bears both off.
    assert texts("20:2 / 1:15", 5, 5) == ["20/off(2) = bear_off"]
    assert texts("20:2 24:3 / 1:15", 6, 5) == ["20/off(2)"]
    assert texts("20:3 24:2 / 1:15", 5, 5) == ["20/off(3) 24/off"]


def test_a_pass_is_called_pass():
    # Case 6.
    assert texts("20 21:2 23:2 / 1:13 12:2", 4, 4) == ["pass"]


def test_the_same_steps_as_john_and_as_forced_john_are_two_texts():
    # Point 2 forced last: forced John. Point 2 forced first, then the blot on 5 hit: John.
    board = "1:5 16:4 17:4 bar:2 / 1:3 2 3 14:2 15:2 16:2 17 18:2 bar:1"
    assert texts(board, 5, 2) == ["bar/5* bar/2! = forced_john", "bar/5* bar/2! = john"]
    assert texts(board, 2, 5) == texts(board, 5, 2)


def test_case_19_forces_both_points_and_is_forced_john():
    board = "1:4 3 5 6 11 17 19:2 20 bar:2 / 1:2 2 3 10 12:3 14:2 16:3 21:2"
    assert texts(board, 4, 2) == ["bar/4! bar/2! = forced_john"]


def test_a_declined_win_stands_beside_the_win():
    # Case 17 and case 8.
    assert texts("23 24 / 1:15", 2, 1) == ["23/24/off", "23/off 24/off = bear_off"]
    assert texts("19 / 1:14 9", 6, 2) == ["19/21*/off = bear_off_monk", "19/off = bear_off"]


@pytest.mark.parametrize(
    ("steps", "groups"),
    [
        ([], []),
        # One man four times; the touch-downs stay.
        ([(1, 6), (6, 11), (11, 16), (16, 21)], ["1/6/11/16/21"]),
        # First source ascending, then last target descending.
        ([(0, 2), (0, 6)], ["bar/6", "bar/2"]),
        ([(3, 5), (13, 15), (13, 15), (15, 17)], ["3/5", "13/15/17", "13/15"]),
        ([(23, 25), (24, 25)], ["23/off", "24/off"]),
        # Equal men are counted.
        ([(13, 15)] * 3, ["13/15(3)"]),
        ([(13, 15), (13, 15), (15, 17), (15, 17)], ["13/15/17(2)"]),
        ([(20, 25), (20, 25)], ["20/off(2)"]),
        # The mark of the first marks the group, before the count.
        ([(13, 15, 1), (13, 15)], ["13/15*(2)"]),
        ([(13, 15, 1), (13, 15), (15, 17), (15, 17, 2)], ["13/15*/17!(2)"]),
        # Whoever came first goes on first: the man who hit.
        ([(13, 15, 1), (13, 15), (15, 17)], ["13/15*/17", "13/15"]),
        # Who stands there already, and who comes, are not told apart: the step goes on.
        ([(13, 15), (15, 17)], ["13/15/17"]),
        # Out of order, because 3 must be left before a man may come to it.
        ([(3, 5), (1, 3), (5, 7), (3, 5)], ["1/3/5", "3/5/7"]),
        ([(1, 3), (3, 5, 1), (3, 5)], ["1/3/5*", "3/5"]),
        # A man from the bar goes on.
        ([(0, 6), (6, 8, 1)], ["bar/6/8*"]),
        ([(0, 6, 2), (0, 2)], ["bar/6!", "bar/2"]),
        # Nobody goes on from off.
        ([(20, 25), (25 - 1, 25)], ["20/off", "24/off"]),
    ],
)
def test_steps_are_joined_into_men(steps, groups):
    made = [Step(step[0], step[1], step[1] - step[0], *step[2:]) for step in steps]
    assert _steps_text(made) == (" ".join(groups) or "pass")


@pytest.mark.parametrize(
    "rules",
    [*PRESETS.values(), BRADE.replace(five_blots=True), REVERTIER.replace(long_block_force=True)],
    ids=rules_text,
)
def test_no_two_plays_of_a_throw_have_the_same_text(rules):
    groups = 0
    for position, dice in walk(2, rules, 1500):
        plays = position.plays(*dice, rules)
        found = [play_text(play) for play in plays]
        assert len(set(found)) == len(found), (position.id, dice)
        swapped = [play_text(play) for play in position.plays(*dice[::-1], rules)]
        assert sorted(found) == sorted(swapped)
        groups += sum(text.count("(") for text in found)
        for play, text in zip(plays, found, strict=True):
            touched = text.split(" = ")[0].replace("*", "").replace("!", "")
            steps = 0
            for group in touched.split():
                path, _, count = group.rstrip(")").partition("(")
                steps += path.count("/") * int(count or 1)
            assert steps == len(play.steps)
            assert text.count("*") == sum(step.hit == 1 for step in play.steps)
            assert text.count("!") == sum(step.hit == 2 for step in play.steps)
            assert (" = " in text) == (play.outcome != Outcome.NONE)
    assert groups > 100


# --- dice ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "dice"),
    [("62", (6, 2)), ("6-2", (6, 2)), ("6 2", (6, 2)), ("26", (2, 6)), (" 1-1 ", (1, 1))],
)
def test_dice_are_read_in_three_ways(text, dice):
    assert parse_dice(text) == dice


@pytest.mark.parametrize(
    "text", ["", "6", "70", "07", "6,2", "6--2", "6  2", "622", "a", "6-", "-62", "６２", "6\n\n2"]
)
def test_other_dice_are_refused(text):
    with pytest.raises(InvalidDiceError, match="two numbers from 1 to 6, such as 62"):
        parse_dice(text)


# --- rules -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("brade", BRADE),
        ("bräde", BRADE),
        ("BRÄDE", BRADE),
        ("bra\u0308de", BRADE),
        ("verquere", VERQUERE),
        ("Révertier", REVERTIER),
        ("revertier", REVERTIER),
        ("brade,monk=yes", BRADE),
        ("verquere , five_blots=no", VERQUERE),
    ],
)
def test_the_games_are_read_by_their_names(text, rules):
    assert parse_rules(text) == rules


@pytest.mark.parametrize(
    ("text", "game", "switches"),
    [
        ("verquere,five_blots=yes", VERQUERE, {"five_blots": True}),
        ("brade,monk=off,five_blots=TRUE", BRADE, {"monk": False, "five_blots": True}),
        ("brade,long_block_force=false", BRADE, {"long_block_force": False}),
        ("brade,blocked_entry=pass", BRADE, {"blocked_entry": "pass"}),
        ("revertier,opening=low_then_throw", REVERTIER, {"opening": "low_then_throw"}),
        ("verquere,points=1/2/1/4/6", VERQUERE, {"points": Points(1, 2, 1, 4, 6)}),
        ("verquere,nice_games=none", VERQUERE, {"nice_games": ()}),
        ("verquere,nice_games=tower/staircase", VERQUERE, {"nice_games": ("staircase", "tower")}),
    ],
)
def test_switches_change_a_game(text, game, switches):
    assert parse_rules(text) == game.replace(**switches)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "begin with one of brade, verquere, revertier, not ''"),
        ("custom", "begin with one of"),
        ("brad", "did you mean 'brade'"),
        ("monk=yes", "begin with one of"),
        ("brade,", "switch=value, not ''"),
        ("brade,monk", "switch=value, not 'monk'"),
        ("brade,mink=yes", "no switch 'mink', did you mean 'monk'"),
        ("brade,five-blots=yes", "no switch 'five-blots', did you mean 'five_blots'"),
        ("brade,qqq=yes", "the switches are blocked_entry, .*loser_begins"),
        ("brade,name=x", "no switch 'name'"),
        ("brade,_code=x", "no switch '_code'"),
        ("brade,monk=yes,monk=no", "monk comes twice"),
        ("brade,monk=maybe", "monk is yes or no, not 'maybe'"),
        ("brade,monk=", "monk is yes or no, not ''"),
        ("brade,monk=1", "monk is yes or no"),
        ("brade,blocked_entry=wiat", "force, pass, wait, not 'wiat', did you mean 'wait'"),
        ("brade,opening=x", "low_then_throw, high_plays_dice, not 'x'"),
        ("brade,points=1/2/3", "five whole numbers"),
        ("brade,points=1/2/1/4/-6", "five whole numbers"),
        ("brade,points=1/2/1/4/6.0", "five whole numbers"),
        ("brade,points=1/2/1/4/٦", "five whole numbers"),
        ("brade,points=1/2/1/4/" + "9" * 5000, "five whole numbers"),
        ("brade,nice_games=towr", "not 'towr', did you mean 'tower'"),
        ("brade,nice_games=", "nice_games are none or some of"),
        ("brade,nice_games=none/tower", "not 'none'"),
        ("brade,nice_games=tower/tower", "twice"),
        ("brade:monk=no", "begin with one of"),
        ("brade,monk=no=no", "not 'no=no'"),
    ],
)
def test_other_rules_are_refused_with_what_would_be_right(text, words):
    with pytest.raises(InvalidRulesError, match=words):
        parse_rules(text)


@pytest.mark.parametrize(
    ("rules", "text"),
    [
        (BRADE, "brade"),
        (VERQUERE, "verquere"),
        (REVERTIER, "revertier"),
        (BRADE.replace(monk=True), "brade"),
        (BRADE.replace(name="ours"), "brade"),
        (VERQUERE.replace(five_blots=True), "verquere,five_blots=yes"),
        (BRADE.replace(monk=False, nice_games=()), "brade,nice_games=none,monk=no"),
        (
            VERQUERE.replace(nice_games=("tower", "staircase"), points=Points(1, 2, 1, 4, 6)),
            "verquere,nice_games=staircase/tower,points=1/2/1/4/6",
        ),
    ],
)
def test_rules_are_written_as_the_nearest_game(rules, text):
    assert rules_text(rules) == text
    assert parse_rules(text).replace(name="x") == rules.replace(name="x")


def test_every_mix_reads_back_to_the_same_switches():
    rng = random.Random(3)
    for _ in range(2000):
        base = rng.choice(list(PRESETS.values()))
        mix = {
            "blocked_entry": rng.choice(BLOCKED_ENTRY),
            "opening": rng.choice(OPENINGS),
            "nice_games": tuple(rng.sample(NICE_GAMES, rng.randint(0, 4))),
            "points": Points(*(rng.randint(0, 300) for _ in range(5))),
            **{
                switch: rng.random() < 0.5
                for switch in (
                    "long_block_force",
                    "five_blots",
                    "bear_off_rearmost_only",
                    "smallest_reduction",
                    "endings_free",
                    "monk",
                    "loser_begins",
                )
            },
        }
        some = rng.sample(sorted(mix), rng.randint(0, len(mix)))
        rules = base.replace(**{switch: mix[switch] for switch in some})
        text = rules_text(rules)
        assert not set(text) & set(": \t\n")
        assert text.count(",") <= len(some)
        assert parse_rules(text).replace(name="x") == rules.replace(name="x")
        assert rules_text(parse_rules(text)) == text


# --- outcomes --------------------------------------------------------------------------


def test_outcomes_have_names_in_text_and_in_two_languages():
    assert outcome_name(Outcome.FORCED_JOHN) == "forced_john"
    assert outcome_name(11) == "john"
    assert outcome_name(Outcome.NONE) == "none"
    assert set(OUTCOME_NAMES) == set(Outcome)
    assert outcome_title(Outcome.BEAR_OFF) == "bear-off (hemspel)"
    assert outcome_title(Outcome.FORCED_JOHN) == "forced John (sprängjan)"
    assert outcome_title(10) == "tower with monk (uppspel med munk)"
    assert len({outcome_title(outcome) for outcome in Outcome}) == len(Outcome)
    with pytest.raises(ValueError, match="14"):
        outcome_name(14)


def test_reading_plays_can_be_had_from_notation_too():
    for name in ("Explanation", "Reason", "explain", "parse_play"):
        assert getattr(notation, name) is getattr(brade_fast, name)
    with pytest.raises(AttributeError, match="no attribute 'parse_plya'"):
        _ = notation.parse_plya

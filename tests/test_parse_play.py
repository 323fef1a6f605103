"""Plays as people type them are read; what is no legal play is refused."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest
from harness import three_games

from brade_fast import (
    BRADE,
    REVERTIER,
    VERQUERE,
    AmbiguousPlayError,
    IllegalPlayError,
    InvalidDiceError,
    InvalidPositionError,
    Outcome,
    Play,
    Position,
    Turn,
    explain,
    parse_play,
    positions,
)

START = Position.start()
CASE_7 = Position.from_text("1:7 4 14:2 15:2 bar:3 / 1:10 15 17:2 18:2")


def some_positions(number: int, seed: int) -> list[tuple[Position, tuple[int, int], object]]:
    """(position, throw, rules): every kind of rare position, and of play."""
    rng = np.random.default_rng(seed)
    kinds = list(positions.KINDS)
    found = []
    for i in range(number):
        rules = (BRADE, VERQUERE, REVERTIER)[i % 3]
        board = positions.synthetic(kinds[i % len(kinds)], rng, rules)
        throw = positions.THROWS[int(rng.integers(21))]
        found.append((Position.from_array(board), throw, rules))
    return found


def read(position, throw, text, rules) -> Play | ValueError:
    """The play that a text means, or the refusal."""
    try:
        return parse_play(position, throw, text, rules)
    except (AmbiguousPlayError, IllegalPlayError) as error:
        return error


# --- Canonical text ---------------------------------------------------------------------


def test_the_canonical_text_of_every_play_means_that_play():
    for position, throw, rules in some_positions(120, seed=1):
        for play in position.plays(*throw, rules):
            assert parse_play(position, throw, str(play), rules) == play


# --- Rewritings -------------------------------------------------------------------------


def ways_of(text: str) -> list[str]:
    """The men of a canonical text, counts written out; marks stay."""
    men = []
    for word in text.split(" = ")[0].split():
        word, _, count = word.partition("(")
        men += [word] * (int(count.rstrip(")")) if count else 1)
    return men


def rewritten(text: str, rnd: random.Random) -> str:
    """The same play in somebody's own way of writing: nothing that tells plays apart is lost."""
    ways = ways_of(text)
    outcome = text.partition(" = ")[2]
    if text.split(" = ")[0] == "pass":
        return rnd.choice(["PASS", "fåta", "Fa\u030ata", " dance ", "-", "", "nothing", "–"])
    rnd.shuffle(ways)
    slash = rnd.choice(["/", "-", "–", "→", "->", " / ", " -> ", " → ", "=>", "−", "‑"])
    bar, off = (
        rnd.choice(["bar", "BAR", "Bar", "0", "b", "baren"]),
        rnd.choice(["off", "OFF", "25", "ut", "hem", "home"]),
    )
    ways = [way.replace("bar", bar).replace("off", off).replace("/", slash) for way in ways]
    if len(ways) > 1 and len(set(ways)) == 1 and rnd.random() < 0.5:
        ways = [f"{ways[0]}{rnd.choice(['({})', 'x{}', ' x{}', '×{}']).format(len(ways))}"]
    joined = rnd.choice([" ", ", ", "; ", ",", "  ", " and "]).join(ways)
    if outcome:
        swedish = {"john": "jan", "forced_john": "Sprängjan", "tower": "uppspel"}
        joined += rnd.choice([" = ", "=", " ="]) + rnd.choice(
            [outcome, outcome.upper(), outcome.replace("_", " "), swedish.get(outcome, outcome)]
        )
    return rnd.choice(["", " "]) + joined + rnd.choice(["", " ", "\n"])


def test_300_other_ways_of_writing_plays_are_read_right():
    rnd = random.Random(2)
    tried = 0
    for position, throw, rules in some_positions(200, seed=3):
        plays = position.plays(*throw, rules)
        for play in rnd.sample(plays, min(3, len(plays))):
            text = rewritten(str(play), rnd)
            # The men of a text with its marks and touch-downs may be those of two plays (John
            # and forced John are told apart by the order alone); then it says so.
            found = read(position, throw, text, rules)
            if isinstance(found, AmbiguousPlayError):
                assert str(play) in str(found)
            else:
                assert found == play, (text, str(play))
                tried += 1
    assert tried >= 300


def test_marks_and_touch_downs_may_be_missing_where_one_play_is_left():
    rnd = random.Random(4)
    unique = ambiguous = 0
    for position, throw, rules in some_positions(200, seed=5):
        plays = position.plays(*throw, rules)
        play = rnd.choice(plays)
        if not play.steps:
            continue
        bare = []
        for way in ways_of(str(play)):
            stops = re.sub("[*!]", "", way).split("/")
            bare.append(f"{stops[0]}/{stops[-1]}")
        text = " ".join(bare)
        if play.outcome:
            text += f" = {play.outcome.name}"
        found = read(position, throw, text, rules)
        if isinstance(found, AmbiguousPlayError):
            ambiguous += 1
            assert str(play) in str(found)
        else:
            unique += 1
            assert found == play
    assert unique > 100
    assert ambiguous > 0


@pytest.mark.parametrize(
    "text",
    [
        "1/7/9", "1/3/9", "1/9", "1-9", "1→9", "1 -> 9", "1/7*/9!", "1/9*",
        "1/7 7/9", "7/9 1/7", "7/9, 1/7", "1/7; 7/9", "1/7 7/9.", "1/7 and then 7/9",
        "1 to 9", " 1/9 ", "01/09",
    ],
)  # fmt: skip
def test_one_man_with_both_dice_is_read_however_it_is_written(text):
    assert str(parse_play(START, "62", text)) == "1/7/9"


@pytest.mark.parametrize(
    "text", ["1/2/3/4/5", "1/5", "1/3/5", "1/2 2/3 3/4 4/5", "4/5 3/4 2/3 1/2"]
)
def test_doubles_joined_or_one_by_one(text):
    after = Position({1: 14, 5: 1}, {1: 15})
    assert parse_play(START, (1, 1), text).position == after.flip()


def test_four_men_cannot_stand_on_one_point_of_the_far_side():
    with pytest.raises(IllegalPlayError, match="own man stands on 2"):
        parse_play(START, (1, 1), "1/2(4)")


@pytest.mark.parametrize(
    "text", ["bar/6 bar/2", "0/2 0/6", "b-2, B-6", "bar→6! bar→2", "bar/6* bar/2*"]
)
def test_men_on_the_bar(text):
    assert str(parse_play(CASE_7, (6, 2), text)) == "bar/6! bar/2"


def test_a_throw_before_the_play_must_be_the_one_on_the_table():
    with pytest.raises(IllegalPlayError, match="it is a play of 6-3"):
        parse_play(START, (6, 2), "6-3: 1/7/10")


# --- Levels -----------------------------------------------------------------------------

# A man on 14 can come to 22 by way of a blot on 20 or of the empty 16.
TWO_WAYS = Position({14: 1, 1: 7, 24: 7}, {8: 1, 15: 14})


def test_without_the_touch_down_two_plays_are_possible_and_named():
    with pytest.raises(
        AmbiguousPlayError, match=r"'14/16/22', '14/20\*/22'|'14/20\*/22', '14/16/22'"
    ):
        parse_play(TWO_WAYS, (6, 2), "14/22")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("14/20*/22", "14/20*/22"),
        ("14/20/22", "14/20*/22"),  # by the touch-down
        ("14/16/22", "14/16/22"),
        ("14/20 20/22", "14/20*/22"),
        ("14/16 16/22", "14/16/22"),
        ("14/16*/22", None),  # mark and touch-down contradict each other: neither counts
        ("14/22*", None),
    ],
)
def test_given_marks_and_touch_downs_choose_between_plays(text, meant):
    if meant is None:
        with pytest.raises(AmbiguousPlayError):
            parse_play(TWO_WAYS, (6, 2), text)
    else:
        assert str(parse_play(TWO_WAYS, (6, 2), text)) == meant


def both_johns() -> tuple[Position, tuple[int, int], Play, Play]:
    """A position in which one board is reached as John and as forced John."""
    rng = np.random.default_rng(8)
    while True:
        position = Position.from_array(positions.synthetic("john_near", rng, BRADE))
        for throw in positions.THROWS:
            by_board: dict[Position, Play] = {}
            for play in position.plays(*throw):
                twin = by_board.setdefault(play.position, play)
                if twin is not play:
                    return position, throw, twin, play


def test_the_outcome_chooses_between_john_and_forced_john():
    position, throw, *twins = both_johns()
    assert {play.outcome for play in twins} == {Outcome.JOHN, Outcome.FORCED_JOHN}
    for play in twins:
        men = str(play).split(" = ")[0]
        name = {Outcome.JOHN: "jan", Outcome.FORCED_JOHN: "SPRÄNGJAN"}[play.outcome]
        assert parse_play(position, throw, f"{men} = {name}") == play
        with pytest.raises(
            AmbiguousPlayError, match=r"= john.*= forced_john|= forced_john.*= john"
        ):
            parse_play(position, throw, men)


def test_a_wrong_outcome_is_refused():
    with pytest.raises(IllegalPlayError, match="its outcome is none, not tower"):
        parse_play(START, (6, 2), "1/9 = tower")
    with pytest.raises(IllegalPlayError, match="no outcome 'won'"):
        parse_play(START, (6, 2), "1/9 = won")


# --- Illegal ----------------------------------------------------------------------------


@three_games
def test_plays_of_other_throws_and_positions_are_refused_or_mean_a_legal_play(rules):
    rnd = random.Random(6)
    refused = 0
    found = [case for case in some_positions(240, seed=7) if case[2] == rules]
    for position, throw, _ in found:
        legal = position.plays(*throw, rules)
        other, other_throw, _ = rnd.choice(found)
        for text in (
            str(rnd.choice(position.plays(*rnd.choice(positions.THROWS), rules))),
            str(rnd.choice(other.plays(*other_throw, rules))),
        ):
            play = read(position, throw, text, rules)
            if isinstance(play, IllegalPlayError):
                refused += 1
                assert str(play).startswith(repr(text))
            elif isinstance(play, Play):
                # Whatever it was meant as, the ways of its men are those of this play.
                assert play in legal
                moved = play.position.array()[1].astype(int) - position.array()[0]
                said = np.zeros(26, int)
                for way in ways_of(text) if play.steps else []:
                    stops = re.sub("[*!]", "", way).split("/")
                    said[0 if stops[0] == "bar" else int(stops[0])] -= 1
                    said[25 if stops[-1] == "off" else int(stops[-1])] += 1
                assert (moved == said).all()
    assert refused >= 80


@pytest.mark.parametrize(
    "text",
    [
        "foo", "1", "1/", "/7", "1//7", "1/7/", "7/1", "1/1", "1/26", "1/999999999999", "x/7",
        "off/7", "1/bar", "1/7(0)", "1/7(5)", "1/7(99999)", "1/7x", "1/7 1/3 = ", "= john = jan",
        "1/7?", "1.7",
        "1/2 1/3 1/4 1/5 1/6", "½/3", "１/７ ١/٣", "\x00", "/" * 150, "1/7 " * 60, "(" * 190,
    ],
)  # fmt: skip
def test_what_is_no_play_is_refused_with_a_hint(text):
    with pytest.raises(IllegalPlayError):
        parse_play(START, (6, 2), text)


def test_the_position_the_throw_and_the_types_are_checked():
    over = Position({25: 15}, {1: 15})
    with pytest.raises(InvalidPositionError):
        parse_play(over, (6, 2), "pass")
    with pytest.raises(InvalidDiceError):
        parse_play(START, (7, 2), "pass")
    with pytest.raises(InvalidDiceError):
        parse_play(START, "72", "pass")
    with pytest.raises(TypeError):
        parse_play(START, (6, 2), 17)
    assert START.parse(6, 2, "1/9") == parse_play(START, "6-2", "1/9")


@pytest.mark.parametrize(
    ("dice", "kind"),
    [
        ((6,), InvalidDiceError),
        ((6, 2, 1), InvalidDiceError),
        ((0, 2), InvalidDiceError),
        ("six", InvalidDiceError),
        (62, TypeError),
        ((6.0, 2), TypeError),
        ((True, 2), TypeError),
        (None, TypeError),
    ],
)
def test_what_is_no_throw_is_refused(dice, kind):
    for read_it in (parse_play, explain):
        with pytest.raises(kind):
            read_it(START, dice, "1/9")
    with pytest.raises(kind):
        Turn(START, dice)


def test_throws_are_read_from_any_whole_numbers():
    assert str(parse_play(START, np.array([6, 2], np.int8), "1/9")) == "1/7/9"

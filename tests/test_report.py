"""Looking into a position, compared with the reference and with what can be counted by hand."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from harness import BAR, OFF, THREE_GAMES, across, board, three_games

from brade_fast import (
    BRADE,
    REVERTIER,
    VERQUERE,
    InvalidPositionError,
    Outcome,
    Position,
    reference,
)
from brade_fast.positions import KINDS, THROWS, random_rules, self_play, synthetic
from brade_fast.report import Side, report


def position(mover: dict[int, int], opponent: dict[int, int] | None = None) -> Position:
    """Both players' men by the mover's points, as in the harness."""
    return Position.from_array(board(mover, opponent))


def names(throws) -> str:
    return " ".join(map(str, throws))


def shots(side: Side) -> dict[int, str]:
    """The throws that hit each point, by the shooter's points."""
    return {shot.point: names(shot.throws) for shot in side.shots if shot.throws}


# --- Against the reference --------------------------------------------------------------


def check_side(side: Side, view: reference.Board, rules) -> None:
    """All that is counted over the throws, from the step sequences of the reference.

    With unequal dice every order of the steps is looked at; with equal ones one way to each
    board, because there are too many.
    """
    mover, other = view
    expected = {p: set() for p in range(1, 25) if other[across(p)]}
    for throw in side.throws:
        sequences = reference.legal_sequences(
            view, throw.dice, rules, merge=throw.dice[0] == throw.dice[1]
        )
        for step in itertools.chain.from_iterable(s.steps for s in sequences):
            if step.hit:
                expected[step.target].add(throw.dice)
        outcomes = {s.outcome for s in sequences}
        assert throw.plays == len({(s.board, s.outcome) for s in sequences})
        assert throw.is_pass == (not any(s.steps for s in sequences))
        assert set(throw.outcomes) == outcomes - {Outcome.NONE}
        assert throw.can_go_on == (Outcome.NONE in outcomes)
    assert [throw.dice for throw in side.throws] == list(THROWS)
    assert [shot.point for shot in side.shots] == sorted(expected)
    for shot in side.shots:
        assert {throw.dice for throw in shot.throws} == expected[shot.point]
        assert shot.owner_point == across(shot.point)
        assert shot.men == other[shot.owner_point]
        assert shot.ways == sum(1 + (a != b) for a, b in expected[shot.point])
    assert (side.bar, side.off) == (mover[BAR], mover[OFF])
    assert side.pips == sum((25 - p) * mover[p] for p in range(25))
    assert sum(side.quadrants) + side.bar + side.off == 15


def check_john(side: Side, view: reference.Board) -> None:
    """What is said about John, by taking the men off and asking the reference."""
    men = view[0]

    def lost(*points: int) -> bool:
        after = list(men)
        for p in points:
            after[BAR] += after[p]
            after[p] = 0
        return reference.is_john(tuple(after))

    outside = [p for p in range(7, 25) if men[p] == 1]
    held = [p for p in range(1, 25) if men[p]]
    assert list(side.danger.blots) == outside
    assert side.danger.john_blot_is_out == lost(*outside)
    assert list(side.danger.deciding) == [p for p in held if lost(p)]
    if side.danger.john_blot_is_out:
        assert lost(*outside[: side.danger.missing])
        assert not lost(*outside[: side.danger.missing - 1])


def check_block(side: Side, opponent: Side, view: reference.Board, rules) -> None:
    """The longest run on the opponent's points 1 to 24, and the right to force a long one."""
    theirs = reference.on_movers_points(view[0])
    runs = [
        (start, length)
        for start in range(1, 25)
        for length in range(1, 26 - start)
        if all(men >= 2 for men in theirs[start : start + length])
    ]
    start, length = max(runs, key=lambda run: (run[1], -run[0]), default=(1, 0))
    assert side.block.points == tuple(across(p) for p in range(start, start + length))
    aimed = [shot.throws for shot in opponent.shots if shot.owner_point in side.block.points]
    assert set(side.block.throws) == set(itertools.chain(*aimed))
    if length >= 6 and (rules.blocked_entry != "force" or not view[1][BAR]):
        # There is no other way to force it than as a long block.
        may = rules.long_block_force and view[1][OFF] != 14
        assert may or not side.block.may_be_forced
    if length < 6 and rules.blocked_entry != "force":
        assert not side.block.may_be_forced


def check(given: np.ndarray, rules) -> None:
    seen = report(Position.from_array(given), rules)
    view = reference.board_of(given)
    for side, opponent, of_side in (
        (seen.mover, seen.other, view),
        (seen.other, seen.mover, reference.flip(view)),
    ):
        check_side(side, of_side, rules)
        check_john(side, of_side)
        check_block(side, opponent, of_side, rules)
    assert seen.deadlock == reference.is_deadlock(view, rules)
    assert json.loads(json.dumps(seen.as_dict())) == seen.as_dict()
    assert str(seen) == seen.text()


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_says_what_the_reference_finds(kind):
    rng = np.random.default_rng(KINDS.index(kind))
    for rules in (*THREE_GAMES, *(random_rules(rng) for _ in range(3))):
        check(synthetic(kind, rng, rules), rules)


@three_games
def test_a_report_of_positions_of_games_says_what_the_reference_finds(rules):
    boards = self_play(np.random.default_rng(5), rules, 200)
    for given in boards[[3, 40, 100, 170]]:
        check(given, rules)


# --- Contact or race --------------------------------------------------------------------


def can_land(men: reference.Men) -> set[int]:
    """Where some man stands or may yet come to, on his own way."""
    rearmost = min((p for p in range(25) if men[p]), default=OFF)
    return set(range(max(rearmost, 1), 25))


@pytest.mark.parametrize("kind", [*KINDS, "race"])
def test_contact_is_two_ways_that_share_a_point(kind):
    rng = np.random.default_rng(100)
    for _ in range(20):
        if kind == "race":
            # Both on their last two quadrants, or on the last point before them.
            rearmost = rng.integers(12, 15, size=2).tolist()
            given = Position(*({p: 2, 18: 3} for p in rearmost))
        else:
            given = Position.from_array(synthetic(kind, rng))
        mine, his = (can_land(men) for men in reference.board_of(given))
        assert report(given).contact == bool(mine & {across(p) for p in his})


def test_in_a_race_nothing_is_hit_or_barred_to_the_end():
    rng = np.random.default_rng(3)
    given = Position({13: 2, 15: 1, 18: 1, 20: 2}, {14: 1, 16: 2, 19: 2})
    for _ in range(200):
        seen = report(given, REVERTIER)
        assert not seen.contact
        assert not shots(seen.mover)
        assert not shots(seen.other)
        d1, d2 = rng.integers(1, 7, size=2).tolist()
        play = given.plays(d1, d2, REVERTIER)[0]
        assert not any(step.hit for step in play.steps)
        if play.outcome:
            break
        given = play.position
    assert play.outcome == Outcome.BEAR_OFF


# --- By hand ----------------------------------------------------------------------------


def test_at_the_start_nothing_can_happen():
    seen = report(Position.start())
    assert seen.mover == seen.other
    assert seen.contact
    assert not seen.deadlock
    assert [throw.plays for throw in seen.mover.throws if throw.plays != 2] == [1, 1, 1]
    assert (seen.mover.hit_ways, seen.mover.end_ways, seen.mover.pass_ways) == (0, 0, 0)
    assert seen.mover.outcome_ways == {}
    assert seen.mover.quadrants == (15, 0, 0, 0)
    assert seen.mover.back == 15
    assert seen.mover.block.points == (1,)
    assert (seen.mover.danger.count, seen.mover.danger.missing) == (1, 6)


def test_a_blot_is_hit_directly_and_by_touching_down():
    # The blot on 10 is five before the man on 5, four before the man on 6; 7 and 8 are made, so
    # that of the ways of two steps only 5/9/10 and 6/9/10 are open.
    given = position({5: 1, 6: 1, 20: 13}, {10: 1, 7: 2, 8: 2, 1: 10})
    side = report(given).mover
    hits = "3-1 4-1 4-2 4-3 4-4 5-1 5-2 5-3 5-4 5-5 6-4 6-5"
    assert shots(side) == {10: hits}
    assert [shot.ways for shot in side.shots if shot.point == 10] == [22]
    assert side.hit_ways == 22


def test_the_duties_decide_what_hits():
    # The blot on 7 is five before the man on 2. With 6-5 either die can be played but not both,
    # because 13 is made, and then it must be the six.
    given = position({2: 1, 24: 14}, {7: 1, 13: 14})
    assert shots(report(given).mover) == {7: "3-2 4-1 5-1 5-2 5-3 5-4 5-5"}


def test_both_players_are_looked_at_each_on_his_own_way():
    given = position({1: 9, 16: 1, 20: 5}, {13: 8, 14: 1, 12: 6})
    seen = report(given)
    mine = {shot.point: shot for shot in seen.mover.shots}
    his = {shot.point: shot for shot in seen.other.shots}
    assert set(mine) == {12, 13, 14}
    assert mine[14].owner_point == 2
    assert names(mine[14].throws) == ""
    # Two before his man on 2, three before those on 1.
    assert names(his[4].throws) == "1-1 2-1 2-2 3-1 3-2 3-3 4-2 4-3 5-2 5-3 6-2 6-3"
    assert (his[4].owner_point, his[4].ways) == (16, 21)


def test_forcing_a_long_block_is_told_of_block_and_shots():
    # Case 15: the man on 7 may force each of 8-13 with the fitting die.
    long = position({7: 1, 20: 14}, {8: 2, 9: 2, 10: 2, 11: 2, 12: 2, 13: 5})
    seen = report(long)
    assert seen.other.block.points == tuple(across(p) for p in range(8, 14))
    assert seen.other.block.ways == 36
    assert "1-1" in shots(seen.mover)[8]
    assert "6-6" in shots(seen.mover)[13]
    assert not report(long, VERQUERE).other.block.may_be_forced
    assert report(long, VERQUERE.replace(long_block_force=True)).other.block.may_be_forced
    # One man on 13: five in a row, no forcing, and only the six, hitting.
    blots = {13: 1, 14: 1, 15: 1, 16: 1, 17: 1}
    short = position({7: 1, 20: 14}, {8: 2, 9: 2, 10: 2, 11: 2, 12: 2, **blots})
    seen = report(short)
    assert len(seen.other.block.points) == 5
    assert not seen.other.block.may_be_forced
    assert shots(seen.mover)[13] == "6-1 6-2 6-3 6-4 6-5 6-6"
    assert min(shots(seen.mover)) == 13


def test_a_block_runs_over_the_owners_24_to_1_but_not_over_the_opponents():
    over = {22: 2, 23: 2, 24: 2, 1: 9}
    assert report(Position(over, {1: 15})).mover.block.points == (22, 23, 24, 1)
    # The mover's 12 and 13 are the opponent's 24 and 1, where no path goes on.
    no_run = {12: 2, 13: 2, 14: 2, 1: 9}
    assert report(Position(no_run, {3: 1, 4: 1, 20: 13})).mover.block.points == (13, 14)


def test_case_16_is_forced_john_with_a_four_or_a_five():
    given = position(
        {0: 2, 1: 1, 3: 1, 6: 1, 14: 2, 16: 2, 20: 6},
        {2: 2, 4: 3, 5: 3, 13: 4, 15: 1, 17: 1, 18: 1},
    )
    side = report(given).mover
    assert side.outcome_ways == {Outcome.FORCED_JOHN: 20}
    assert side.end_ways == 20
    assert side.pass_ways == 36 - 20 - 7  # 6-2, 3-2, 2-2 and 2-1 force 2
    assert shots(side)[2] == "2-1 2-2 3-2 4-2 5-2 6-2"
    assert 16 in report(given).other.danger.deciding  # the mover's 4


def test_case_17_may_win_or_not():
    throws = {t.dice: t for t in report(Position({23: 1, 24: 1, 25: 13}, {1: 15})).mover.throws}
    assert throws[2, 1].plays == 2
    assert throws[2, 1].outcomes == (Outcome.BEAR_OFF,)
    assert throws[2, 1].can_go_on
    assert not throws[6, 5].can_go_on


def test_the_john_blot():
    # J = 1 + 2 held points; three blots outside Q1, with four on the bar it would be John.
    given = Position({0: 1, 1: 8, 4: 1, 14: 1, 15: 1, 16: 1, 20: 2}, {1: 15})
    danger = report(given).mover.danger
    assert (danger.count, danger.missing) == (3, 4)
    assert danger.blots == (14, 15, 16)
    assert not danger.john_blot_is_out
    assert danger.deciding == (1,)  # eight men, less the point that they held
    # One blot more brings it out; on 4, in Q1, a hit changes nothing.
    given = Position({0: 1, 1: 7, 4: 1, 14: 1, 15: 1, 16: 1, 17: 1, 20: 2}, {1: 15})
    assert report(given).mover.danger.john_blot_is_out
    near = report(Position({0: 5, 4: 1, 14: 1, 20: 2, 25: 6}, {1: 15}))
    assert near.mover.danger.deciding == (14, 20)
    assert "John at once if he loses 14\n" in near.text()


def test_a_deadlock_is_called_one():
    # Each has five men on the bar before six made points of the other (the talons among them).
    quadrant = {13: 2, 14: 2, 15: 2, 16: 2, 17: 2}
    given = Position({0: 3, 18: 2, **quadrant}, {0: 3, 18: 2, **quadrant})
    for rules in (VERQUERE, REVERTIER):
        seen = report(given, rules)
        assert seen.deadlock
        assert seen.mover.pass_ways == seen.other.pass_ways == 36
        assert "deadlock" in seen.text()
    assert not report(given, BRADE).deadlock


# --- Text, JSON, wrong use --------------------------------------------------------------


def test_the_text_counts_on_the_movers_way():
    given = position({1: 9, 16: 1, 20: 5}, {13: 8, 14: 1, 12: 6})
    text = report(given).text()
    mine, his = text.split("The other, were he to throw:")
    assert "hits the blot on 14: 0/36\n" in mine
    assert "longest block: 1 point, 20\n" in mine
    assert "hits the blot on 16: 21/36: 1-1 2-1" in his
    assert "longest block: 2 points, 12, 13\n" in his
    assert "contact" in mine
    assert "race" in report(Position({20: 3}, {21: 2})).text()
    assert "  6-6  pass" in report(Position({24: 1, 0: 1}, {18: 2, 25: 13}), VERQUERE).text()


def test_the_dict_names_all_with_plain_words():
    answer = report(position({23: 1, 24: 1})).as_dict()
    assert answer["board"] == "23 24 / 1:15"
    assert answer["rules"] == "brade"
    assert answer["contact"] is True
    assert answer["mover"]["end_ways"] == 36
    assert answer["mover"]["outcome_ways"] == {"bear_off": 36}
    assert answer["mover"]["throws"][1] == {
        "dice": "2-1", "ways": 2, "plays": 2, "pass": False, "outcomes": ["bear_off"],
        "can_go_on": True,
    }  # fmt: skip
    assert answer["other"]["shots"][0] == {
        "point": 11, "owner_point": 23, "men": 1, "ways": 3, "throws": ["5-5", "6-4"],
    }  # fmt: skip


def test_a_game_that_is_over_is_refused_naming_the_winner():
    given = Position({0: 7, 25: 8}, {1: 15})
    with pytest.raises(InvalidPositionError, match="the other player has won"):
        report(given)
    with pytest.raises(InvalidPositionError, match="the mover has won"):
        given.flip().report()


def test_wrong_types_are_refused():
    with pytest.raises(TypeError, match="of a Position, not of ndarray"):
        report(Position.start().array())
    with pytest.raises(TypeError):
        report(Position.start(), "brade")

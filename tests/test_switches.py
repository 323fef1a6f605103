"""Each switch alone, on a position that it decides; and the traps of sections 3, 4 and 7."""

import numpy as np
import pytest
from harness import (
    ALL_THROWS,
    START,
    board,
    both,
    check_plays,
    is_deadlock,
    one_step_marks,
    plays,
)

from brade_fast import reference
from brade_fast.rules import BRADE, NICE_GAMES, REVERTIER, VERQUERE, Outcome, Points

PASS, WAIT = BRADE.replace(blocked_entry="pass"), BRADE.replace(blocked_entry="wait")
NO_LONG_BLOCK = BRADE.replace(long_block_force=False)
FIVE_POINTS = VERQUERE.replace(long_block_force=True)
FIVE_BLOTS = BRADE.replace(five_blots=True)
ANY_MAN_LEAVES = BRADE.replace(bear_off_rearmost_only=False)
ANY_REDUCTION = BRADE.replace(smallest_reduction=False)
ENDINGS_BOUND = BRADE.replace(endings_free=False)
NO_MONK = BRADE.replace(monk=False)


def made(*points: int) -> dict[int, int]:
    return dict.fromkeys(points, 2)


def single(*points: int) -> dict[int, int]:
    return dict.fromkeys(points, 1)


# --- blocked_entry ----------------------------------------------------------------------

TWO_ON_THE_BAR = board({0: 2, 20: 13}, {**made(1, 2, 4, 5, 6), 13: 5})


@both
@pytest.mark.parametrize(
    ("rules", "expected"),
    [(BRADE, "bar/3 bar/1!"), (PASS, "pass"), (WAIT, "bar/3")],
    ids=["force", "pass", "wait"],
)
def test_blocked_entry_forces_or_passes_or_waits(impl, rules, expected):
    check_plays(impl, TWO_ON_THE_BAR, (3, 1), rules, expected)


@both
@pytest.mark.parametrize("rules", [BRADE, PASS, WAIT], ids=["force", "pass", "wait"])
def test_blocked_entry_does_not_matter_while_there_are_points_enough(impl, rules):
    position = board({0: 1, 20: 14}, {**made(1, 2, 4, 5, 6), 13: 5})
    check_plays(impl, position, (4, 1), rules, "pass")
    check_plays(impl, position, (3, 1), rules, "bar/3 20/21")


@both
def test_full_quadrant_counts_neither_own_points_nor_made_points_as_available(impl):
    # 1 is own, 2 made, 3 a blot, 4 empty, 5 and 6 made: two are available.
    men = {**made(2, 5, 6), 3: 1, 13: 8}
    two = board({0: 2, 1: 1, 20: 12}, men)
    three = board({0: 3, 1: 1, 20: 11}, men)
    check_plays(impl, two, (6, 5), BRADE, "pass")
    check_plays(impl, two, (6, 1), BRADE, "pass")
    check_plays(impl, three, (6, 1), BRADE, "bar/6!")


# --- long_block_force -------------------------------------------------------------------

LONG_BLOCK = board({7: 1, 20: 14}, {**made(8, 9, 10, 11, 12), 13: 5})


@both
@pytest.mark.parametrize(
    ("can", "cannot"), [(BRADE, NO_LONG_BLOCK), (FIVE_POINTS, VERQUERE)], ids=["brade", "verquere"]
)
def test_long_block_may_be_forced_or_not(impl, can, cannot):
    check_plays(impl, LONG_BLOCK, (6, 5), can, "7/12!/18", "7/13!/18")
    check_plays(impl, LONG_BLOCK, (6, 5), cannot, "pass")


@both
def test_long_block_may_be_forced_although_other_moves_are_possible(impl):
    check_plays(impl, LONG_BLOCK, (3, 3), BRADE, "20/23(4)", "7/10! 20/23(3)")
    check_plays(impl, LONG_BLOCK, (3, 3), NO_LONG_BLOCK, "20/23(4)")


@both
def test_block_of_seven_may_be_forced_twice_in_one_turn(impl):
    position = board({6: 1, 20: 14}, {**made(*range(7, 13)), 13: 3})
    check_plays(
        impl,
        position,
        (2, 1),
        BRADE,
        "6/7!/9!",
        "6/7! 20/22",
        "6/8! 20/21",
        "20/21 20/22",
        "20/21/23",
    )


@both
def test_long_block_may_be_forced_on_entering_though_partly_outside_the_quadrant(impl):
    position = board({0: 1, 20: 14}, {**made(3, 4, 5, 6, 7, 8), 13: 3})
    check_plays(impl, position, (3, 1), BRADE, "bar/3! 20/21", "bar/1/4!", "bar/1 20/23")
    check_plays(impl, position, (3, 1), NO_LONG_BLOCK, "bar/1 20/23")


@both
def test_who_has_just_entered_may_force_a_long_block(impl):
    position = board({0: 1, 24: 14}, {**made(6, 7, 8, 9, 10, 11), 13: 3})
    check_plays(impl, position, (5, 2), BRADE, "bar/5/7!")


@both
def test_opposing_talon_is_no_made_point_with_one_man(impl):
    position = board({7: 1, 20: 14}, {**made(8, 9, 10, 11, 12), **single(13, 14, 15, 16, 17)})
    assert 2 not in {
        mark for throw in ALL_THROWS for mark in one_step_marks(impl, position, throw, BRADE)
    }


@both
@pytest.mark.parametrize("throw", ALL_THROWS)
def test_last_man_never_forces_a_long_block(impl, throw):
    opponent = {**made(8, 9, 10, 11, 12), 13: 5}
    check_plays(impl, board({7: 1}, opponent), throw, BRADE, "pass")


@both
def test_last_but_one_may_force(impl):
    position = board({7: 1, 20: 1}, {**made(8, 9, 10, 11, 12), 13: 5})
    check_plays(impl, position, (6, 5), BRADE, "7/12!/18", "7/13!/18")


@both
def test_junker_counts_the_points_of_a_long_block_that_he_may_force(impl):
    position = board({0: 2, 20: 13}, {**made(1, 2, 3, 4, 5, 6), 13: 3})
    check_plays(impl, position, (3, 1), VERQUERE, "pass")
    # Forcing one point ends the block, so only one man enters, with the higher die.
    check_plays(impl, position, (3, 1), FIVE_POINTS, "bar/3!")


@both
def test_junker_adds_forceable_to_available_points(impl):
    # 1 and 2 are empty; the block is 3-8, of which 3-6 can be entered on.
    opponent = {**made(3, 4, 5, 6, 7, 8), 13: 3}
    six, seven = board({0: 6, 20: 9}, opponent), board({0: 7, 20: 8}, opponent)
    check_plays(impl, board({0: 3, 20: 12}, opponent), (2, 1), VERQUERE, "pass")
    check_plays(impl, board({0: 3, 20: 12}, opponent), (2, 1), FIVE_POINTS, "bar/1 bar/2")
    check_plays(impl, six, (2, 1), FIVE_POINTS, "bar/1 bar/2")
    # Seven men on the bar would be John, so no position has more than six.
    with pytest.raises(ValueError, match="won"):
        plays(impl, seven, (2, 1), FIVE_POINTS)


@both
def test_junker_does_not_count_a_block_point_of_five_in_a_row(impl):
    position = board({0: 2, 20: 13}, {**made(2, 3, 4, 5, 6), 13: 5})
    check_plays(impl, position, (3, 1), FIVE_POINTS, "pass")
    check_plays(impl, position, (3, 1), FIVE_POINTS.replace(blocked_entry="wait"), "bar/1")


@both
@pytest.mark.parametrize("throw", ALL_THROWS)
def test_junker_who_is_the_last_man_counts_no_forceable_points(impl, throw):
    position = board({0: 1}, {**made(1, 2, 3, 4, 5, 6), 13: 3})
    check_plays(impl, position, throw, FIVE_POINTS, "pass")


# --- five_blots -------------------------------------------------------------------------


@both
def test_five_blots_bars_own_men_while_more_than_ten_are_on_the_talon(impl):
    position = board({1: 12, 14: 1, 16: 1, 20: 1})
    check_plays(impl, position, (6, 6), BRADE, "1/7 14/20 16/22")
    check_plays(impl, position, (6, 6), FIVE_BLOTS, "1/7 16/22")


@both
def test_five_blots_is_looked_at_before_every_step(impl):
    # With eleven on the talon 1/7 leaves ten, and after it 14/20 may land on the own man.
    position = board({1: 11, 14: 1, 16: 1, 18: 1, 20: 1})
    for rules in (BRADE, FIVE_BLOTS):
        check_plays(impl, position, (6, 6), rules, "1/7 14/20 16/22 18/24")


@both
def test_five_blots_bars_the_own_head_too(impl):
    # 1/2 and 12/13 are barred by the opponent.
    opponent = {2: 2, 13: 13}
    thirteen, ten = board({1: 13, 11: 1, 12: 1}, opponent), board({1: 10, 11: 1, 12: 1}, opponent)
    check_plays(impl, thirteen, (1, 1), BRADE, "11/12")
    check_plays(impl, thirteen, (1, 1), FIVE_BLOTS, "pass")
    check_plays(impl, ten, (1, 1), FIVE_BLOTS, "11/12")


# --- bear_off_rearmost_only, smallest_reduction, endings_free -----------------------------


@both
def test_bear_off_rearmost_only_or_from_the_exact_point(impl):
    position = board({21: 1, 23: 1})
    check_plays(impl, position, (2, 1), BRADE, "21/23/24")
    check_plays(impl, position, (2, 1), ANY_MAN_LEAVES, "21/23/24", "21/22 23/off")


@both
def test_without_a_man_on_the_point_or_behind_it_the_rearmost_leaves(impl):
    position = board({22: 1, 23: 2})
    for rules in (BRADE, ANY_MAN_LEAVES, REVERTIER):
        check_plays(impl, position, (5, 4), rules, "22/off 23/off")


@both
def test_a_man_behind_the_empty_point_must_be_moved_instead(impl):
    position = board({21: 1, 23: 2})
    check_plays(impl, position, (3, 3), REVERTIER, "21/24 23/off(2) 24/off = bear_off")
    check_plays(impl, board({20: 1, 23: 2}), (3, 1), REVERTIER, "20/23/24")


@both
def test_smallest_reduction_binds_or_not(impl):
    position = board({23: 1, 24: 2})
    check_plays(impl, position, (2, 1), BRADE, "23/off 24/off")
    check_plays(impl, position, (2, 1), ANY_REDUCTION, "23/off 24/off", "23/24 24/off")
    check_plays(impl, position, (2, 1), REVERTIER, "23/off 24/off", "23/24 24/off")


@both
def test_endings_free_of_the_smallest_reduction_or_bound_by_it(impl):
    position = board({19: 1}, {21: 1, 13: 14})
    monk = "19/21*/off = bear_off_monk"
    check_plays(impl, position, (6, 2), BRADE, monk, "19/off = bear_off")
    check_plays(impl, position, (6, 2), ENDINGS_BOUND, "19/off = bear_off")
    loose = ENDINGS_BOUND.replace(smallest_reduction=False)
    check_plays(impl, position, (6, 2), loose, monk, "19/off = bear_off")


@both
def test_endings_free_leave_the_others_to_be_measured_alone_by_reduction(impl):
    position = board({23: 1, 24: 1})
    win = "23/off 24/off = bear_off"
    check_plays(impl, position, (2, 1), BRADE, win, "23/24 24/off")
    check_plays(impl, position, (2, 1), ENDINGS_BOUND, win)


@both
def test_endings_free_leave_the_others_to_be_measured_alone_by_dice(impl):
    # The six alone blocks the one; John takes both dice.
    position = board({0: 1, 4: 1}, {**made(5, 7), 10: 1, 13: 5, **single(14, 15, 16, 17, 18)})
    john = "bar/1 4/10* = john"
    check_plays(impl, position, (6, 1), BRADE, john, "bar/6")
    check_plays(impl, position, (6, 1), ENDINGS_BOUND, john)


ONE_DIE_WINS = board({2: 1, 7: 1}, {3: 2, 8: 1, 13: 7, **single(14, 15, 16, 17, 18)})


@both
def test_a_step_that_wins_cuts_off_the_orders_that_would_go_on(impl):
    # The man on 2 can never follow through the vacated 7.
    check_plays(impl, ONE_DIE_WINS, (5, 1), BRADE, "7/8* = john", "7/12")


@both
@pytest.mark.parametrize("rules", [ENDINGS_BOUND, VERQUERE, REVERTIER])
def test_the_higher_die_binds_a_win_by_the_lower_where_endings_are_bound(impl, rules):
    check_plays(impl, ONE_DIE_WINS, (5, 1), rules, "7/12")


# --- nice_games and monk ----------------------------------------------------------------

# name: position, throw, the play that makes it, the other plays, the plays if it is none.
NICE = {
    "single_crown": (
        {15: 2, 20: 1, 21: 3, 22: 3, 23: 3, 24: 3},
        (5, 5),
        "15/20(2)",
        [],
        ["15/20(2) 20/off(2)"],
    ),
    "double_crown": (
        {21: 1, 22: 4, 23: 5, 24: 5},
        (6, 1),
        "21/22",
        ["21/off 22/23", "21/off 23/24"],
        ["21/off 22/23", "21/off 23/24"],
    ),
    "staircase": (
        {22: 4, 23: 4, 24: 7},
        (6, 1),
        "22/23",
        ["22/off 22/23", "22/off 23/24"],
        ["22/off 22/23", "22/off 23/24"],
    ),
    "tower": ({23: 1, 24: 14}, (2, 1), "23/24", ["23/off 24/off"], ["23/off 24/off"]),
}
assert set(NICE) == set(NICE_GAMES)
nice = pytest.mark.parametrize("name", NICE)


@both
@nice
def test_nice_game_ends_the_game_where_it_is_known(impl, name):
    men, throw, winning, others, without = NICE[name]
    check_plays(impl, board(men), throw, BRADE, f"{winning} = {name}", *others)
    only = BRADE.replace(nice_games=(name,))
    check_plays(impl, board(men), throw, only, f"{winning} = {name}", *others)
    none = BRADE.replace(nice_games=tuple(game for game in NICE_GAMES if game != name))
    check_plays(impl, board(men), throw, none, *without)


@both
@nice
def test_monk_makes_another_outcome_of_a_nice_game(impl, name):
    men, throw, winning, others, _ = NICE[name]
    position = board(men, {0: 1, 13: 14})
    check_plays(impl, position, throw, BRADE, f"{winning} = {name}_monk", *others)
    check_plays(impl, position, throw, NO_MONK, f"{winning} = {name}", *others)


@both
def test_monk_makes_another_outcome_of_a_bear_off(impl):
    position = board({19: 1}, {21: 1, 13: 14})
    plain = "19/off = bear_off"
    check_plays(impl, position, (6, 2), BRADE, "19/21*/off = bear_off_monk", plain)
    check_plays(impl, position, (6, 2), NO_MONK, "19/21*/off = bear_off", plain)


@both
def test_a_nice_game_needs_all_fifteen_men(impl):
    # Fourteen on 24 and one off are no tower.
    check_plays(impl, board({23: 1, 24: 13}), (2, 1), BRADE, "23/off 24/off")


@both
def test_one_man_may_complete_a_nice_game_from_far_outside(impl):
    position = board({9: 1, 20: 2, 21: 3, 22: 3, 23: 3, 24: 3})
    check_plays(impl, position, (6, 5), BRADE, "9/15/20 = single_crown")


# --- points, opening, loser_begins --------------------------------------------------------

MANY_POSITIONS = [
    (START, (6, 2)),
    (TWO_ON_THE_BAR, (3, 1)),
    (LONG_BLOCK, (6, 5)),
    (ONE_DIE_WINS, (5, 1)),
    *((board(men, {0: 1, 13: 14}), throw) for men, throw, *_ in NICE.values()),
]


@both
@pytest.mark.parametrize(
    "switches",
    [
        {"opening": "high_plays_dice"},
        {"loser_begins": False},
        {"points": Points(9, 0, 0, 1, 0)},
        {"name": "other"},
    ],
    ids=lambda switches: next(iter(switches)),
)
def test_opening_loser_begins_points_and_name_do_not_change_plays(impl, switches):
    for position, throw in MANY_POSITIONS:
        changed = plays(impl, position, throw, BRADE.replace(**switches))
        assert changed == plays(impl, position, throw, BRADE)


@pytest.mark.parametrize(
    ("points", "forced", "expected"),
    [
        (Points(1, 2, 1, 4, 6), False, Outcome.JOHN),
        (Points(1, 2, 1, 4, 6), True, Outcome.FORCED_JOHN),
        (Points(1, 5, 0, 4, 6), False, Outcome.TOWER_MONK),
        (Points(1, 5, 0, 4, 6), True, Outcome.FORCED_JOHN),
        (Points(1, 4, 0, 4, 6), False, Outcome.JOHN),  # equal value: the better category
        (Points(1, 3, 2, 4, 4), True, Outcome.TOWER_MONK),
    ],
)
def test_of_several_ends_at_once_the_most_valuable_counts(points, forced, expected):
    # No step can make both at once (a nice game's last man lands on own men and hits nothing),
    # so only the judgement of a finished board shows the order.
    tower_and_john = reference.board_of(board({24: 15}, {0: 7, 13: 8}))
    rules = BRADE.replace(points=points)
    assert reference.end_of_game(tower_and_john, rules, forced=forced) == expected


# --- John and forced John -----------------------------------------------------------------


@both
def test_the_same_position_is_reached_as_john_and_as_forced_john(impl):
    position = board({0: 2, **single(1, 3, 4, 6), 20: 9}, {2: 2, 5: 1, 13: 9, **single(14, 15, 16)})
    check_plays(
        impl,
        position,
        (5, 2),
        BRADE,
        "bar/5* bar/2! = forced_john",
        "bar/2! bar/5* = john",
    )
    (a, _), (b, _) = plays(impl, position, (5, 2), BRADE)
    assert a == b


@both
def test_a_john_completed_by_forcing_is_forced_john_whatever_it_is_worth(impl):
    position = board(
        {0: 2, **single(1, 3, 6), **made(14, 16), 20: 6},
        {2: 2, 4: 3, 5: 3, 13: 4, **single(15, 17, 18)},
    )
    worthless = BRADE.replace(points=Points(1, 2, 1, 4, 0))
    for rules in (BRADE, worthless, VERQUERE.replace(blocked_entry="force")):
        check_plays(impl, position, (4, 1), rules, "bar/4! = forced_john")


# --- Deadlock -----------------------------------------------------------------------------

LOCKED = board({0: 3, **made(*range(13, 19))}, {0: 3, **made(*range(1, 7))})


@both
@pytest.mark.parametrize("rules", [PASS, WAIT, VERQUERE, REVERTIER])
def test_deadlock_where_neither_can_enter(impl, rules):
    rules = rules.replace(long_block_force=False)
    assert is_deadlock(impl, LOCKED, rules)
    for throw in ALL_THROWS:
        check_plays(impl, LOCKED, throw, rules, "pass")
    assert impl.perft(LOCKED, 2, rules) == 21 * 21
    games = impl.playouts(LOCKED, 5, 1, rules).outcomes
    assert games[0, 0, Outcome.DEADLOCK] == games.sum() == 5


@both
@pytest.mark.parametrize("rules", [BRADE, NO_LONG_BLOCK, PASS, WAIT, FIVE_POINTS])
def test_no_deadlock_where_a_point_may_be_forced(impl, rules):
    assert not is_deadlock(impl, LOCKED, rules)
    assert 2 in one_step_marks(impl, LOCKED, (1, 2), rules)


@both
@pytest.mark.parametrize("rules", [VERQUERE, REVERTIER])
def test_no_deadlock_while_one_player_can_still_move(impl, rules):
    position = board({0: 3, **made(*range(13, 19))}, {0: 1, **made(*range(1, 7), 24)})
    free = board({0: 3, **made(*range(14, 19)), 13: 1, 19: 1}, {0: 1, **made(*range(1, 7), 24)})
    assert is_deadlock(impl, position, rules)
    assert not is_deadlock(impl, free, rules)
    assert not is_deadlock(impl, np.ascontiguousarray(free[::-1]), rules)
    for throw in ALL_THROWS:
        check_plays(impl, free, throw, rules, "pass")
    assert not is_deadlock(impl, START, rules)


@both
@pytest.mark.parametrize("die", range(1, 7))
def test_no_deadlock_while_one_die_still_lets_a_man_enter(impl, die):
    points = [point for point in range(1, 7) if point != die]
    position = board({0: 3, **made(*range(13, 19))}, {0: 3, **made(*points)})
    assert not is_deadlock(impl, position, REVERTIER)
    assert not is_deadlock(impl, np.ascontiguousarray(position[::-1]), REVERTIER)
    for throw in ALL_THROWS:
        expected = f"bar/{die}" if die in throw else "pass"
        check_plays(impl, position, throw, REVERTIER, expected)
    # He enters, stands in his own way, and the other one meets the deadlock: winner 0 all the same.
    games = impl.playouts(position, 5, 1, REVERTIER).outcomes
    assert games[0, 0, Outcome.DEADLOCK] == games.sum() == 5

"""Every worked case of rules.md, section 8, on both implementations."""

import numpy as np
import pytest
from harness import (
    ALL_THROWS,
    START,
    THREE_GAMES,
    UNEQUAL,
    board,
    both,
    check_plays,
    core_only,
    is_over,
    one_step_marks,
    own_ways,
    plays,
    three_games,
)

from brade_fast.rules import BRADE, REVERTIER, VERQUERE, InvalidPositionError, Outcome, Rules

FIVE_BLOTS = [rules.replace(five_blots=True) for rules in THREE_GAMES]
five_blots_too = pytest.mark.parametrize("rules", FIVE_BLOTS, ids=[r.name for r in THREE_GAMES])


@both
@three_games
def test_case_01_six_six_at_the_start_is_one_step(impl, rules):
    check_plays(impl, START, (6, 6), rules, "1/7")


@both
@three_games
def test_case_02_four_four_at_the_start_is_three_steps(impl, rules):
    check_plays(impl, START, (4, 4), rules, "1/5/9 1/5")


@both
def test_case_03_only_the_rearmost_leaves_so_the_three_is_a_move_inside(impl):
    position = board({21: 3, 22: 2, 23: 2})
    check_plays(impl, position, (3, 2), BRADE, "21/24 21/23", "21/24 22/24")


@both
def test_case_04_the_smallest_reduction_takes_both_men_off(impl):
    check_plays(impl, board({22: 1, 24: 2}), (5, 2), BRADE, "22/off 24/off")


@both
def test_case_05_who_can_play_without_reduction_bears_no_man_off(impl):
    position = board({19: 1, 21: 2, 22: 1, 24: 1})
    check_plays(impl, position, (5, 3), BRADE, "19/24 21/24")


@both
def test_case_06_the_rearmost_man_is_barred_so_four_four_is_a_pass(impl):
    position = board({20: 1, 21: 2, 23: 2}, {24: 2, 13: 13})
    check_plays(impl, position, (4, 4), BRADE, "pass")


CASE_07 = board({0: 3, 1: 7, 4: 1, 14: 2, 15: 2}, {3: 1, 5: 2, 6: 2, 13: 10})


@both
def test_case_07_six_two_forces_the_six_and_enters_the_two(impl):
    check_plays(impl, CASE_07, (6, 2), BRADE, "bar/6! bar/2")


@both
def test_case_07_five_three_forces_the_five_and_hits_the_three(impl):
    check_plays(impl, CASE_07, (5, 3), BRADE, "bar/5! bar/3*")


@both
def test_case_07_six_five_forces_the_six_only(impl):
    check_plays(impl, CASE_07, (6, 5), BRADE, "bar/6!")


@both
def test_case_07_two_one_enters_the_two_only(impl):
    check_plays(impl, CASE_07, (2, 1), BRADE, "bar/2")


@both
def test_case_08_both_wins_of_the_last_man_are_legal(impl):
    position = board({19: 1}, {21: 1, 13: 14})
    check_plays(impl, position, (6, 2), BRADE, "19/21*/off = bear_off_monk", "19/off = bear_off")
    assert BRADE.value(Outcome.BEAR_OFF_MONK) == 2
    assert BRADE.value(Outcome.BEAR_OFF) == 1


@both
def test_case_09_the_crown_ends_the_game_before_the_last_two_fives(impl):
    position = board({15: 2, 20: 1, 21: 3, 22: 3, 23: 3, 24: 3})
    check_plays(impl, position, (5, 5), BRADE, "15/20(2) = single_crown")


@both
@three_games
@pytest.mark.parametrize("throw", ALL_THROWS)
def test_case_10_a_blocked_last_man_passes_and_is_not_john(impl, rules, throw):
    position = board({0: 1}, {**dict.fromkeys(range(1, 7), 2), 13: 3})
    check_plays(impl, position, throw, rules, "pass")


CASE_11 = board({0: 1, 20: 14}, {24: 2, **dict.fromkeys(range(1, 6), 2), 13: 3})


@both
@pytest.mark.parametrize("throw", ALL_THROWS)
def test_case_11_the_run_over_the_opposing_head_is_no_run(impl, throw):
    assert 2 not in one_step_marks(impl, CASE_11, throw, BRADE)
    expected = {
        (1, 6): ["bar/6/7", "bar/6 20/21"],
        (2, 6): ["bar/6/8", "bar/6 20/22"],
        (3, 6): ["bar/6/9", "bar/6 20/23"],
        (4, 6): ["bar/6/10"],
        (5, 6): ["bar/6/11"],
        (6, 6): ["bar/6/12/18"],
    }
    check_plays(impl, CASE_11, throw, BRADE, *expected.get(throw, ["pass"]))


CASE_12 = own_ways(
    {0: 3, 1: 4, 2: 1, 5: 1, 6: 1, 11: 1, 17: 1, 19: 1, 20: 1, 23: 1},
    {1: 3, 2: 1, 3: 1, 4: 1, 10: 1, 12: 4, 16: 2, 21: 2},
)


@both
@three_games
def test_case_12_white_has_won_so_asking_for_plays_is_an_error(impl, rules):
    assert is_over(impl, CASE_12, rules)
    assert is_over(impl, CASE_12[::-1].copy(), rules)
    for call in (impl.enumerate_plays, impl.count_plays):
        for throw in ALL_THROWS:
            with pytest.raises(InvalidPositionError, match=r"^row 0: .*won"):
                call(CASE_12[None], throw, rules)
    with pytest.raises(InvalidPositionError, match="won"):
        impl.perft(CASE_12, 0, rules)
    with pytest.raises(InvalidPositionError, match="won"):
        impl.playouts(CASE_12, 1, 0, rules)
    assert rules.value(Outcome.JOHN) == (4 if rules is BRADE else 2)


CASE_13 = own_ways(
    {0: 2, 1: 4, 3: 1, 5: 1, 6: 1, 11: 1, 17: 1, 19: 2, 20: 1, 23: 1},
    {1: 2, 2: 1, 3: 1, 10: 1, 12: 3, 14: 2, 16: 3, 21: 2},
)


@both
@pytest.mark.parametrize("rules", [VERQUERE, REVERTIER], ids=lambda rules: rules.name)
def test_case_13_in_the_older_games_black_passes_and_has_not_lost(impl, rules):
    assert not is_over(impl, CASE_13, rules)
    for throw in ALL_THROWS:
        check_plays(impl, CASE_13, throw, rules, "pass")


@both
@pytest.mark.parametrize("throw", ALL_THROWS)
def test_case_13_in_brade_the_two_and_the_four_may_be_forced(impl, throw):
    if throw == (2, 4):
        expected = "bar/4! bar/2! = forced_john"
    elif 4 in throw:
        expected = "bar/4!"
    elif 2 in throw:
        expected = "bar/2!"
    else:
        expected = "pass"
    check_plays(impl, CASE_13, throw, BRADE, expected)


@both
@pytest.mark.parametrize("rules", [VERQUERE, BRADE], ids=lambda rules: rules.name)
def test_case_14_one_man_leaves_each_point(impl, rules):
    check_plays(impl, board({23: 1, 24: 2}), (2, 1), rules, "23/off 24/off")


MAN_BEFORE_A_BLOCK = {7: 1, 20: 14}
CASE_15_SIX = board(MAN_BEFORE_A_BLOCK, {**dict.fromkeys(range(8, 13), 2), 13: 5})
CASE_15_FIVE = board(
    MAN_BEFORE_A_BLOCK,
    {**dict.fromkeys(range(8, 13), 2), **dict.fromkeys(range(13, 18), 1)},
)


def inside(a: int, b: int) -> list[str]:
    """The plays of the men on 20 alone, while nobody may be borne off."""
    found = [f"20/{20 + a} 20/{20 + b}"] if max(a, b) <= 4 else []
    return found + ([f"20/{20 + a}/{20 + a + b}"] if a + b <= 4 else [])


@both
@pytest.mark.parametrize(("a", "b"), UNEQUAL)
def test_case_15_each_point_of_six_in_a_row_may_be_forced(impl, a, b):
    expected = inside(a, b)
    for first, second in ((a, b), (b, a)):
        forced = f"7/{7 + first}!"
        # Forcing one point ends the block; the man goes on only from beyond the others.
        if first + second >= 7:
            expected.append(f"{forced}/{7 + first + second}")
        if second <= 4:
            expected.append(f"{forced} 20/{20 + second}")
    check_plays(impl, CASE_15_SIX, (a, b), BRADE, *expected)


@both
@pytest.mark.parametrize(
    ("die", "expected"),
    [
        (
            1,
            [
                "20/21/22/23/24",
                "20/21/22/23 20/21",
                "20/21/22(2)",
                "20/21/22 20/21(2)",
                "20/21(4)",
                "7/8! 20/21/22/23",
                "7/8! 20/21/22 20/21",
                "7/8! 20/21(3)",
            ],
        ),
        (
            2,
            [
                "20/22(4)",
                "20/22/24 20/22(2)",
                "20/22/24(2)",
                "7/9! 20/22(3)",
                "7/9! 20/22/24 20/22",
            ],
        ),
        (3, ["20/23(4)", "7/10! 20/23(3)"]),
        (
            4,
            [
                "20/24(4)",
                "7/11! 20/24(3)",
                "7/11!/15 20/24(2)",
                "7/11!/15/19 20/24",
                "7/11!/15/19/23",
            ],
        ),
        (5, ["7/12!/17/22 20/off"]),
        (6, ["7/13!/19/off 20/off"]),
    ],
)
def test_case_15_six_in_a_row_with_equal_dice(impl, die, expected):
    check_plays(impl, CASE_15_SIX, (die, die), BRADE, *expected)


@both
@pytest.mark.parametrize(("a", "b"), UNEQUAL)
def test_case_15_five_in_a_row_are_not_forced_and_only_the_six_moves_the_man(impl, a, b):
    if (a, b) == (5, 6):
        expected = ["7/13*/18"]
    elif b == 6:
        expected = [f"7/13*/{13 + a}*", f"7/13* 20/{20 + a}"]
    elif b == 5:
        expected = [f"20/{20 + a}"]
    else:
        expected = inside(a, b)
    check_plays(impl, CASE_15_FIVE, (a, b), BRADE, *expected)


@both
def test_case_15_five_in_a_row_with_equal_fives_and_sixes(impl):
    check_plays(impl, CASE_15_FIVE, (5, 5), BRADE, "pass")
    check_plays(impl, CASE_15_FIVE, (6, 6), BRADE, "7/13*/19/off 20/off")


CASE_16 = board(
    {0: 2, 1: 1, 3: 1, 6: 1, 14: 2, 16: 2, 20: 6},
    {2: 2, 4: 3, 5: 3, 13: 4, 15: 1, 17: 1, 18: 1},
)


@both
@pytest.mark.parametrize("throw", ALL_THROWS)
def test_case_16_a_four_or_a_five_forces_john_and_a_two_is_lost_for_the_other_die(impl, throw):
    four, five = "bar/4! = forced_john", "bar/5! = forced_john"
    expected = {
        (2, 4): [four, "bar/2! bar/4! = forced_john"],
        (2, 5): [five, "bar/2! bar/5! = forced_john"],
        (4, 5): [four, five],
    }.get(throw)
    if expected is None:
        expected = [text for die, text in ((4, four), (5, five), (2, "bar/2!")) if die in throw]
    check_plays(impl, CASE_16, throw, BRADE, *(expected or ["pass"]))


@both
@pytest.mark.parametrize("throw", ALL_THROWS)
def test_case_16_after_two_one_the_opponent_forces_john_with_a_two_or_a_four(impl, throw):
    ((after, outcome),) = plays(impl, CASE_16, (2, 1), BRADE)
    assert outcome == Outcome.NONE
    position = np.frombuffer(after, np.int8).reshape(2, 26)
    expected = [f"bar/{die}! = forced_john" for die in (2, 4) if die in throw]
    check_plays(impl, position, throw, BRADE, *(expected or ["pass"]))


@both
def test_case_17_the_win_may_be_declined(impl):
    position = board({23: 1, 24: 1})
    check_plays(impl, position, (2, 1), BRADE, "23/off 24/off = bear_off", "23/24 24/off")


@both
def test_case_18_the_tower_at_once_or_both_dice(impl):
    position = board({23: 1, 24: 14})
    check_plays(impl, position, (2, 1), VERQUERE, "23/24 = tower", "23/off 24/off")


@both
def test_case_19_both_points_are_forced_in_one_turn(impl):
    check_plays(impl, CASE_13, (4, 2), BRADE, "bar/4! bar/2! = forced_john")


# --- Counts from the start of the game --------------------------------------------------


@both
@three_games
@pytest.mark.parametrize(("depth", "count"), [(0, 1), (1, 39), (2, 1_526)])
def test_counts_of_the_first_two_plays(impl, rules, depth, count):
    assert impl.perft(START, depth, rules) == count


@both
@five_blots_too
@pytest.mark.parametrize(("depth", "count"), [(1, 39), (2, 1_526)])
def test_counts_of_the_first_two_plays_with_five_blots(impl, rules, depth, count):
    assert impl.perft(START, depth, rules) == count


@core_only
@three_games
def test_count_of_the_first_three_plays(impl, rules):
    assert impl.perft(START, 3, rules) == 182_138


@core_only
@five_blots_too
def test_count_of_the_first_three_plays_with_five_blots(impl, rules):
    assert impl.perft(START, 3, rules) == 181_818


@core_only
def test_count_of_the_first_four_plays_of_brade(impl):
    assert impl.perft(START, 4, BRADE) == 21_358_569


@both
@three_games
def test_each_throw_has_two_first_plays_but_three_alls_have_one(impl, rules: Rules):
    boards = np.repeat(START[None], 21, axis=0)
    counts = impl.count_plays(boards, ALL_THROWS, rules)
    alone = {(3, 3), (4, 4), (6, 6)}
    assert counts.tolist() == [1 if throw in alone else 2 for throw in ALL_THROWS]

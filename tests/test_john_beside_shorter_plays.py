"""Where every play with both dice makes John, shorter plays may be legal beside it (section 3).

The fast paths give such throws away to the generic path; each way to that is here once. In bräde
the duties bind the plays that go on among themselves; elsewhere they bind all.
"""

import pytest
from harness import both, check_plays

from brade_fast import BRADE, VERQUERE, Position

CASES = [
    # Two hits are needed: two men, one man.
    (BRADE, "8 22:14 / 4 8 11 12 15:2 21 23 24:2 bar:4", (3, 1), "8/9*", "8/11* 22/23* = john"),
    (
        BRADE,
        "6 21 24:13 / 6 8 10 14 19 22:2 23:2 24 bar:4",
        (5, 1),
        "21/22*",
        "6/7*/12* = john",
    ),
    # One hit is needed: by the first step, the second, either man, the man who goes on.
    (BRADE, "5 24:14 / 1 4 8 13:2 14:2 18 22:2 bar:4", (4, 1), "5/9", "5/6* = john"),
    (
        BRADE,
        "5 23:14 / 2 6 7 8 12 16:2 22:2 23 bar:4",
        (4, 1),
        "5/6",
        "23/24* = john",
        "5/9 23/24* = john",
    ),
    (BRADE, "2 23 24:13 / 2 5 7 9 19:2 20 22 23:2 bar:4", (5, 1), "23/24", "2/3/8* = john"),
    (
        BRADE,
        "3 20 23:13 / 3 6 12 13 19:2 20:2 21 22 bar:4",
        (4, 2),
        "20/22",
        "20/24* = john",
        "3/5/9* = john",
        "3/5 20/24* = john",
    ),
    (VERQUERE, "3 23:14 / 2 3 4 12 13:2 20:2 21:2 23 bar:3", (5, 1), "3/4", "23/24* = john"),
    # Both dice make John alone: by the second of two men, by the second hit of one man.
    (
        BRADE,
        "2 4 / 1:5 2 3 4 5 6 17 20:2 21:2",
        (5, 1),
        "2/3",
        "4/5* = john",
        "2/7 4/5* = john",
    ),
    (BRADE, "2 4 / 1:3 2 3 4 5 15:2 17:2 19 20 22:2", (5, 1), "4/9", "2/7*/8* = john"),
    # A man enters first.
    (BRADE, "7 23:13 bar:1 / 3 5 10 12:2 14 16 21:2 24 bar:4", (5, 2), "bar/5", "bar/2* = john"),
    (
        BRADE,
        "21 24:13 bar:1 / 1 2 10 15:2 17:2 19 21:2 bar:4",
        (4, 1),
        "bar/1",
        "bar/4 21/22* = john",
    ),
    (
        BRADE,
        "1 24:13 bar:1 / 2 3 4 5 6 9 15 16 17:2 18 19 22:2",
        (6, 4),
        "bar/6*",
        "bar/4* 1/7* = john",
    ),
    # Equal dice: nothing is legal beside John but what makes all four steps.
    (BRADE, "18 23:13 bar:1 / 1 2 3 4 12:2 13:2 15 16 18 22 bar:2", (3, 3), "bar/3* = john"),
    (
        BRADE,
        "3 5 19 24:11 bar:1 / 1 2 3 5 6 8 10 13 16:2 18 19:2 24 bar:1",
        (1, 1),
        "bar/1* = john",
    ),
]


@both
@pytest.mark.parametrize("case", CASES, ids=[f"{text} {throw}" for _, text, throw, *_ in CASES])
def test_john_and_the_shorter_plays_beside_him(impl, case):
    rules, text, throw, *expected = case
    check_plays(impl, Position.from_text(text).array(), throw, rules, *expected)


# Nothing is played after John, and each play with him comes once; few men can move, so that the
# list is short. The generic path is taken only where the fast one has seen that nobody goes on.
ENDS = [
    # One man: the blot is where he touches down, or where an own man stands in his way.
    ("4 5 24:13 / 1 2 3 6 7 8 9 18:2 21 22:2 23 bar:2", (6, 1), "5/11* = john"),
    ("2 8 24:13 / 4 10 13 15 16:2 21 22 23:2 bar:5", (6, 2), "8/10* = john", "8/14/16*"),
    ("2 4 24:13 / 2 3 4 5 6 7 9 17:3 19 20:2 22 bar:1", (3, 2), "4/6/9", "4/7* = john"),
    ("3 6 24:13 / 1 4 5 9 13 17:2 19:2 20 22:2 bar:3", (4, 1), "3/4/8* = john"),
    # His quiet way and the one that John ends.
    (
        "2 5 24:13 / 6 7 8 18:2 19 21:2 22:2 bar:5",
        (3, 2),
        "2/4 5/8",
        "2/4/7* = john",
        "5/7* = john",
    ),
    # Two hits are needed, and one man makes both, or two men.
    ("6 13 24:13 / 7 9 13:2 20:2 22:2 23 bar:6", (4, 2), "13/17/19* = john"),
    ("1 2 4 24:12 / 2 3 4 6 7 8 9 15 17:3 18 19:2 bar:1", (3, 1), "2/3*/6* = john"),
    (
        "4 16 24:13 / 1:3 2 3 7 8 13 19:2 20 22 24 bar:2",
        (6, 3),
        "16/22",
        "4/10* 16/19* = john",
    ),
    # Two men: either may make John, but not both; who makes him is last.
    (
        "10 11 24:13 / 1:2 2 4 5 6 9 10 13 18:2 19 21 24 bar:1",
        (2, 1),
        "10/12* = john",
        "11/12* = john",
    ),
    (
        "5 14 24:13 / 1 3 4 5 6 7 9 10 13 20:2 21 22:2 bar:1",
        (5, 4),
        "14/18*/23",
        "14/19* = john",
        "5/9* = john",
    ),
    (
        "2 5 24:13 / 5 6 7 10 19:2 20:2 21 24:2 bar:4",
        (4, 1),
        "2/3 5/9* = john",
        "5/6/10",
        "5/9* = john",
    ),
    # A man enters, and that is John, or the step after it.
    ("2 10 24:12 bar:1 / 4 6 8 10 17 18 20 21 23 24:2 bar:4", (5, 2), "bar/5* = john"),
    (
        "3 4 6 24:11 bar:1 / 1 3 14:2 19:2 20 21 22:2 23 bar:4",
        (5, 1),
        "bar/5",
        "bar/1 3/8* = john",
        "bar/1 4/9* = john",
        "bar/1 6/11* = john",
    ),
    (
        "7 10 24:12 bar:1 / 7 8 10 13 15 18:2 20 23 bar:6",
        (4, 3),
        "bar/3* = john",
        "bar/4 10/13",
    ),
    # A hit in the opponent's Q1 brings nobody nearer to John.
    (
        "4 11 24:12 bar:1 / 1 3 4 10 13 15:2 17:2 18 21 22:2 bar:2",
        (4, 1),
        "bar/1* 11/15*",
        "bar/1* 4/8",
    ),
    # Two are on the bar: both could enter, or one only.
    (
        "14 15 24:11 bar:2 / 8 13 14:2 15:2 20 23:2 bar:6",
        (4, 1),
        "bar/1* = john",
        "bar/4 bar/1* = john",
    ),
    ("14 15 24:11 bar:2 / 8 13 14:2 15:2 20 23:2 bar:6", (2, 1), "bar/1* = john"),
    # Only one die can be played, and neither way is John: the higher one.
    ("6 8 24:12 bar:1 / 3 5 10 13 16 22:2 24:5 bar:3", (4, 2), "bar/4*"),
    # John by one step, with either die.
    ("1 10 24:13 / 1:4 3 6 8 9 10 16:2 19 bar:3", (6, 3), "1/7* = john", "10/16/19"),
    # Equal dice: which hit may be the last.
    ("1 4 24:13 / 1 6 7 9 10 17 18 19:2 20:2 22 bar:3", (2, 2), "1/3/5* 4/6* = john"),
    (
        "3 5 6 23 24:11 / 10 16 20 21 23:2 24:4 bar:5",
        (3, 3),
        "5/8* 6/9* = john",
        "3/6 5/8* 6/9* = john",
    ),
    (
        "2 17 24:13 / 4 8 10 15:2 17 19 20 22 23:2 24 bar:3",
        (3, 3),
        "2/5*/8* 17/20* = john",
        "2/5*/8* 17/20*/23 = john",
    ),
    (
        "5 14 17 23 24:11 / 1 3 4 6 8 13 14:2 18 20 21:2 23:2 bar:1",
        (3, 3),
        "14/17/20*/23 17/20",
        "5/8* 17/20* = john",
        "5/8* 17/20*/23 = john",
        "5/8* 14/17/20* = john",
        "5/8* 14/17/20*/23 = john",
        "5/8* 14/17/20* 17/20 = john",
    ),
]


@both
@pytest.mark.parametrize("case", ENDS, ids=[f"{text} {throw}" for text, throw, *_ in ENDS])
def test_john_ends_the_turn(impl, case):
    text, throw, *expected = case
    check_plays(impl, Position.from_text(text).array(), throw, BRADE, *expected)

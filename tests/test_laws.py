"""Laws that hold for every position, throw and rule set, looked for by hypothesis.

Most examples are one board under one rule set, with all 21 throws.
"""

from __future__ import annotations

import base64
import copy
import itertools
import pickle
import subprocess
import sys

import numpy as np
import pytest
from harness import ALL_THROWS, START, own_ways, same, three_games
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from brade_fast import _core, positions, reference
from brade_fast._core import Play, Position, Step
from brade_fast.rules import (
    BLOCKED_ENTRY,
    BRADE,
    NICE_GAMES,
    PRESETS,
    REVERTIER,
    VERQUERE,
    Enumeration,
    Outcome,
    Points,
    Rules,
)

THROWS = np.array(ALL_THROWS, np.int8)


def laws(examples: int) -> settings:
    """The same examples in every run; no law is about time."""
    return settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
    )


# --- What hypothesis draws --------------------------------------------------------------

any_mix = st.builds(
    Rules,
    blocked_entry=st.sampled_from(BLOCKED_ENTRY),
    long_block_force=st.booleans(),
    five_blots=st.booleans(),
    bear_off_rearmost_only=st.booleans(),
    smallest_reduction=st.booleans(),
    endings_free=st.booleans(),
    nice_games=st.lists(st.sampled_from(NICE_GAMES), unique=True).map(tuple),
    monk=st.booleans(),
    points=st.builds(Points, *[st.integers(0, 9)] * 5),
)
rule_sets = (
    st.sampled_from(
        [BRADE, VERQUERE, REVERTIER, VERQUERE.replace(long_block_force=True, five_blots=True)]
    )
    | any_mix
)


@st.composite
def composed(draw, rules: Rules) -> np.ndarray:
    """A board put together man by man; it shrinks towards the start of the game."""
    rows = np.zeros((2, 26), np.int8)
    halves = [
        draw(st.lists(st.tuples(st.integers(0, 24), st.integers(1, 4)), max_size=10)),
        draw(st.lists(st.tuples(st.integers(0, 24), st.integers(1, 4)), max_size=10)),
    ]
    places = [draw(st.sampled_from((1, 24, 12, 20, 25))) for _ in rows]
    for row, (half, place) in enumerate(zip(halves, places, strict=True)):
        for index, men in [*half, (place, 15), (25, 15)]:
            men = min(men, 15 - int(rows[row].sum()))
            if 2 <= index <= 11:
                men = min(men, 1 - int(rows[row, index]))
            if index in (0, 25) or not rows[1 - row, (index + 11) % 24 + 1]:
                rows[row, index] += men
    if positions.winner(rows, rules) is not None:
        return START
    return rows


@st.composite
def generated(draw, rules: Rules) -> np.ndarray:
    """A board of one of the kinds of `positions`, or of self-play."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    kind = draw(st.sampled_from(["self-play", *positions.KINDS]))
    if kind == "self-play":
        return positions.self_play(rng, rules, draw(st.integers(1, 60)))[-1]
    return positions.synthetic(kind, rng, rules)


@st.composite
def cases(draw) -> tuple[np.ndarray, Rules]:
    """A board on which nobody has won, and its rules."""
    rules = draw(rule_sets)
    return draw(composed(rules) | generated(rules)), rules


def all_throws(board: np.ndarray, rules: Rules, **options: bool) -> Enumeration:
    return _core.enumerate_plays(np.repeat(board[None], 21, axis=0), THROWS, rules, **options)


def keys(plays: Enumeration, row: int) -> list[tuple[bytes, int]]:
    part = slice(plays.offsets[row], plays.offsets[row + 1])
    return [
        (board.tobytes(), int(outcome))
        for board, outcome in zip(plays.boards[part], plays.outcomes[part], strict=True)
    ]


def same_bytes(first: Enumeration, second: Enumeration) -> bool:
    return all(
        (a is None and b is None) or (a.dtype == b.dtype and a.tobytes() == b.tobytes())
        for a, b in zip(first, second, strict=True)
    )


# --- Plays ------------------------------------------------------------------------------


@given(cases())
@laws(120)
def test_men_are_conserved(case):
    plays = all_throws(*case)
    assert (plays.boards >= 0).all()
    assert (plays.boards.sum(axis=2) == 15).all()


@given(cases())
@laws(120)
def test_no_two_plays_have_the_same_board_and_outcome(case):
    plays = all_throws(*case)
    for row in range(21):
        found = keys(plays, row)
        assert found
        assert len(set(found)) == len(found)


@given(cases())
@laws(120)
def test_no_point_is_held_by_both_and_no_own_pair_on_2_to_11_arises(case):
    boards = all_throws(*case).boards
    assert (boards[:, :, 2:12] <= 1).all()
    mover_sees = np.roll(boards[:, 1, 1:25], 12, axis=1)
    assert not ((boards[:, 0, 1:25] > 0) & (mover_sees > 0)).any()


def replayed(board: np.ndarray, throw: tuple[int, int], steps: np.ndarray) -> np.ndarray:
    """The next player's view after the steps, each held against sections 1 and 2."""
    mover, other = (row.tolist() for row in board)
    dice = list(throw) * (2 if throw[0] == throw[1] else 1)
    for source, target, die, hit in steps.tolist():
        if source < 0:
            assert (target, die, hit) == (-1, -1, -1)
            dice.clear()  # nothing may follow
            continue
        dice.remove(die)
        assert mover[source] >= 1
        assert source == 0 or mover[0] == 0, "men on the bar enter first"
        assert target == min(source + die, 25)
        if target == 25:
            assert not any(mover[:19])
            assert hit == 0
        else:
            assert not mover[target] or target > 11
            assert not mover[target] or source, "an own man bars entering"
            there = target + 12 if target <= 12 else target - 12
            assert hit == min(other[there], 2)
            other[0] += other[there]
            other[there] = 0
        mover[source] -= 1
        mover[target] += 1
    return np.array([other, mover], np.int8)


@given(cases())
@laws(100)
def test_every_play_can_be_replayed_step_by_step(case):
    board, rules = case
    plays = all_throws(board, rules, steps=True)
    for row, throw in enumerate(ALL_THROWS):
        for i in range(plays.offsets[row], plays.offsets[row + 1]):
            steps = plays.steps[i]
            assert (replayed(board, throw, steps) == plays.boards[i]).all()
            played = [step for step in steps.tolist() if step[0] >= 0]
            if plays.outcomes[i] in (Outcome.JOHN, Outcome.FORCED_JOHN):
                assert (played[-1][3] == 2) == (plays.outcomes[i] == Outcome.FORCED_JOHN)
            if not played:
                assert plays.offsets[row + 1] - plays.offsets[row] == 1, "a pass is the only play"
                assert plays.outcomes[i] == Outcome.NONE


@given(cases())
@laws(120)
def test_an_outcome_is_given_where_somebody_has_won_and_nowhere_else(case):
    board, rules = case
    plays = all_throws(board, rules)
    for after, outcome in zip(plays.boards, plays.outcomes, strict=True):
        assert positions.winner(after, rules) == (1 if outcome else None)


@given(cases())
@laws(120)
def test_the_order_of_the_dice_does_not_matter(case):
    board, rules = case
    boards = np.repeat(board[None], 21, axis=0)
    turned = _core.enumerate_plays(boards, THROWS[:, ::-1], rules, steps=True)
    assert same_bytes(all_throws(board, rules, steps=True), turned)
    counts = _core.count_plays(boards, THROWS[:, ::-1], rules)
    assert counts.tolist() == np.diff(turned.offsets).tolist()


@given(cases())
@laws(300)
def test_the_generic_path_alone_gives_the_plays_of_the_fast_paths(case):
    board, rules = case
    boards = np.repeat(board[None], 21, axis=0)
    fast = all_throws(board, rules)
    slow = all_throws(board, rules, generic=True)
    for row in range(21):
        assert sorted(keys(fast, row)) == sorted(keys(slow, row)), ALL_THROWS[row]
    for generic in (False, True):
        counts = _core.count_plays(boards, THROWS, rules, generic=generic)
        assert counts.tolist() == np.diff(fast.offsets).tolist()
        written = _core.write_plays(boards, THROWS, rules, generic=generic)
        assert written == len(fast.boards)


def test_both_kinds_of_paths_are_taken():
    rng = np.random.default_rng(1)
    boards = np.array([positions.synthetic(kind, rng) for kind in positions.KINDS for _ in "1234"])
    for throw in ((6, 2), (3, 3)):
        taken = _core.generic_calls(boards, throw)
        assert taken.any()
        assert not taken.all()


@given(cases(), st.integers(0, 20))
@laws(100)
def test_core_and_reference_give_the_same_plays(case, number):
    board, rules = case
    same(lambda impl: impl.enumerate_plays(board[None], ALL_THROWS[number], rules))


@given(cases())
@laws(100)
def test_bulk_gives_the_same_as_one_by_one_in_the_same_order(case):
    board, rules = case
    plays = all_throws(board, rules, steps=True)
    position = Position.from_array(board)
    one_by_one = [play for throw in ALL_THROWS for play in position.plays(*throw, rules)]
    assert np.array_equal([play.position.array() for play in one_by_one], plays.boards)
    assert [play.outcome for play in one_by_one] == plays.outcomes.tolist()
    for play, steps in zip(one_by_one, plays.steps.tolist(), strict=True):
        named = [list(step) for step in play.steps]
        assert named + [[-1] * 4] * (4 - len(named)) == steps
    assert [play.dice for play in one_by_one] == [
        throw[::-1]
        for throw, size in zip(ALL_THROWS, np.diff(plays.offsets), strict=True)
        for _ in range(size)
    ]


@given(cases(), st.integers(0, 20))
@laws(80)
def test_canonical_steps_are_the_smallest_legal_sequence(case, number):
    board, rules = case
    throw = ALL_THROWS[number]
    position = Position.from_array(board)
    smallest: dict[tuple[bytes, int], tuple[list[tuple[int, int]], tuple]] = {}
    for sequence in reference.legal_sequences(reference.board_of(board), throw, rules):
        key = np.array(sequence.board, np.int8).tobytes(), int(sequence.outcome)
        order = [(step.source, -step.die) for step in sequence.steps]
        if key not in smallest or order < smallest[key][0]:
            smallest[key] = order, tuple(tuple(step) for step in sequence.steps)
    plays = position.plays(*throw, rules)
    assert len(plays) == len(smallest)
    for play in plays:
        key = play.position.array().tobytes(), int(play.outcome)
        assert tuple(tuple(step) for step in play.canonical_steps) == smallest[key][1]


@pytest.mark.parametrize("kind", positions.KINDS)
def test_plays_of_every_kind_have_canonical_steps_that_lead_to_them(kind):
    rng = np.random.default_rng(12)
    for rules in [*PRESETS.values(), *(positions.random_rules(rng) for _ in range(57))]:
        board = positions.synthetic(kind, rng, rules)
        throw = tuple(sorted(rng.integers(1, 7, 2).tolist()))
        plays = Position.from_array(board).plays(*throw, rules)
        for play in plays[:40]:
            steps = [list(step) for step in play.canonical_steps]
            steps += [[-1] * 4] * (4 - len(steps))
            assert (replayed(board, throw, np.array(steps)) == play.position.array()).all()
        assert len({str(play) for play in plays}) == len(plays)


@given(cases(), st.integers(0, 20))
@laws(100)
def test_the_text_of_a_play_does_not_depend_on_the_order_of_the_dice(case, number):
    board, rules = case
    d1, d2 = ALL_THROWS[number]
    position = Position.from_array(board)
    texts = [str(play) for play in position.plays(d1, d2, rules)]
    assert texts == [str(play) for play in position.plays(d2, d1, rules)]
    assert len(set(texts)) == len(texts), "two plays have one text"


# Own men single on these points have more plays with 1-1 than was found on any others.
MANY = dict.fromkeys((1, 4, 7, 10, *range(12, 18), *range(19, 24)), 1)


@pytest.mark.parametrize(
    ("opponent", "count"),
    [({6: 1}, 1953), ({0: 4, 6: 1, 12: 1, 23: 1}, 1968), ({0: 6, 12: 1}, 2051)],
    ids=["no John near", "John by the second hit", "John by one hit"],
)
@pytest.mark.parametrize("rules", [BRADE, REVERTIER], ids=lambda rules: rules.name)
def test_positions_with_the_most_plays_give_the_same_number_on_every_path(opponent, count, rules):
    board = own_ways(MANY, opponent)
    for n in (1, 260):
        boards = np.repeat(board[None], n, axis=0)
        for threads, generic in itertools.product((1, 2), (False, True)):
            options = {"threads": threads, "generic": generic}
            assert (_core.count_plays(boards, (1, 1), rules, **options) == count).all()
            plays = _core.enumerate_plays(boards, (1, 1), rules, steps=True, **options)
            assert (np.diff(plays.offsets) == count).all()
            assert len(set(keys(plays, n - 1))) == count
            assert keys(plays, 0) == keys(plays, n - 1)
        assert _core.write_plays(boards, (1, 1), rules) == n * count
    assert reference.count_plays(board[None], (1, 1), rules).tolist() == [count]
    texts = {str(play) for play in Position.from_array(board).plays(1, 1, rules)}
    assert len(texts) == count


CUT_SHORT = """
from brade_fast import REVERTIER, VERQUERE, Position, count_plays, enumerate_plays
for text, throw in (
    ("1:7 4 5 6 10 12 15 23 bar:1 / 1:6 2 4 5 6 8 10 14 15 bar:1", (2, 3)),
    ("1:11 2 5 16 bar:1 / 1:6 2 3 5 6 11 15 16 21 bar:1", (3, 4)),
):
    board = Position.from_text(text).array()[None]
    for rules in (VERQUERE, REVERTIER):
        for _ in range(2000):
            assert len(enumerate_plays(board, throw, rules, steps=True).boards) == 1
            assert len(Position.from_text(text).plays(*throw, rules)) == 1
        assert count_plays(board, throw, rules).tolist() == [1]
"""


def test_a_fast_path_that_gives_way_writes_no_more_than_there_is_room_for():
    """John ends the game after one step with either die, but the higher die binds."""
    done = subprocess.run([sys.executable, "-c", CUT_SHORT], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr  # it may crash


def test_calls_that_a_fast_path_gives_away_count_as_generic():
    text = "1:11 2 5 16 bar:1 / 1:6 2 3 5 6 11 15 16 21 bar:1"
    board = Position.from_text(text).array()
    assert _core.generic_calls(board[None], (4, 3), VERQUERE).tolist() == [True]
    assert _core.generic_calls(START[None], (4, 3), VERQUERE).tolist() == [False]


# --- Many positions, threads ------------------------------------------------------------


def batch(n: int, rules: Rules, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Boards of all kinds with random throws, every tenth with very many plays."""
    rng = np.random.default_rng(seed)
    boards = positions.self_play(rng, rules, n)
    for i in range(0, n, 2):
        boards[i] = positions.synthetic(positions.KINDS[i // 2 % 10], rng, rules)
    dice = rng.integers(1, 7, (n, 2), np.int8)
    boards[::10] = own_ways(MANY, {0: 6, 12: 1})
    dice[::10] = 1
    return boards, dice


@three_games
@pytest.mark.parametrize("steps", [False, True], ids=["boards", "steps"])
def test_a_large_batch_that_grows_equals_small_ones(rules, steps):
    boards, dice = batch(700, rules, seed=7)
    large = _core.enumerate_plays(boards, dice, rules, steps=steps)
    assert len(large.boards) > 2 * (16 * 700 + 7752), "more than once it must grow"
    parts = [
        _core.enumerate_plays(boards[i : i + 50], dice[i : i + 50], rules, steps=steps)
        for i in range(0, 700, 50)
    ]
    sizes = np.concatenate([np.diff(part.offsets) for part in parts])
    assert np.array_equal(np.diff(large.offsets), sizes)
    assert np.array_equal(large.boards, np.concatenate([part.boards for part in parts]))
    assert np.array_equal(large.outcomes, np.concatenate([part.outcomes for part in parts]))
    if steps:
        assert np.array_equal(large.steps, np.concatenate([part.steps for part in parts]))
    else:
        assert large.steps is None


@pytest.mark.parametrize("n", [1, 2, 5, 255, 256, 257, 700])
@pytest.mark.parametrize("generic", [False, True], ids=["fast", "generic"])
def test_threads_do_not_change_a_byte(n, generic):
    boards, dice = batch(n, BRADE, seed=n)
    one = _core.enumerate_plays(boards, dice, steps=True, generic=generic)
    counts = _core.count_plays(boards, dice, generic=generic)
    assert counts.tolist() == np.diff(one.offsets).tolist()
    for threads in (2, 7):
        options = {"threads": threads, "generic": generic}
        assert same_bytes(one, _core.enumerate_plays(boards, dice, steps=True, **options))
        assert counts.tobytes() == _core.count_plays(boards, dice, **options).tobytes()


@given(cases())
@laws(25)
def test_threads_do_not_change_perft_and_it_is_a_sum_over_plays(case):
    board, rules = case
    plays = all_throws(board, rules)
    going = plays.boards[plays.outcomes == 0]
    ended = len(plays.boards) - len(going)
    two = ended + sum(_core.perft(after, 1, rules) for after in going)
    assert _core.perft(board, 0, rules) == 1
    assert _core.perft(board, 1, rules) == len(plays.boards)
    for threads in (1, 2, 7):
        assert _core.perft(Position.from_array(board), 2, rules, threads=threads) == two


# --- Text, arrays, copies ---------------------------------------------------------------


def trips(position: Position) -> list[Position]:
    """The position by every way there and back."""
    array = position.array()
    halves = [{index: int(men) for index, men in enumerate(row) if men} for row in array]
    return [
        Position.from_id(position.id),
        Position.from_text(position.id),
        Position.from_text(str(position)),
        Position.from_array(array),
        Position.from_array(array.tolist()),
        Position(array[0], array[1]),
        Position(*halves),
        Position(*({i: n for i, n in half.items() if i < 25} for half in halves)),
        position.flip().flip(),
        copy.copy(position),
        copy.deepcopy(position),
        *(pickle.loads(pickle.dumps(position, n)) for n in range(2, pickle.HIGHEST_PROTOCOL + 1)),
    ]


@given(cases())
@laws(120)
def test_every_way_there_and_back_gives_the_same_position(case):
    position = Position.from_array(case[0])
    for back in trips(position):
        assert back == position
        assert hash(back) == hash(position)
        assert (back != position) is False
        assert np.array_equal(back.array(), case[0])
    assert eval(repr(position)) == position


@given(cases())
@laws(120)
def test_flip_changes_the_sides_and_twice_is_nothing(case):
    position = Position.from_array(case[0])
    flipped = position.flip()
    assert np.array_equal(flipped.array(), case[0][::-1])
    assert flipped.flip() == position
    assert (flipped == position) == np.array_equal(case[0][0], case[0][1])
    for pair in ("bar", "off", "pips"):
        assert getattr(flipped, pair) == getattr(position, pair)[::-1]
    assert flipped.is_over(case[1]) == position.is_over(case[1])
    assert flipped.is_deadlock(case[1]) == position.is_deadlock(case[1])


@given(cases())
@laws(100)
def test_bar_off_and_pips_are_those_of_the_array(case):
    position, board = Position.from_array(case[0]), case[0].astype(int)
    assert position.bar == tuple(board[:, 0])
    assert position.off == tuple(board[:, 25])
    assert position.pips == tuple((board * (25 - np.arange(26))).sum(axis=1))


def test_an_array_is_a_fresh_copy_that_can_be_written():
    position = Position.start()
    first = position.array()
    first[:] = 7
    assert position == Position.start()
    assert position.array().tolist() == START.tolist()
    assert first.dtype == np.int8
    source = START.copy()
    made = Position.from_array(source)
    source[:] = 0
    assert made == Position.start()


def packed(board: np.ndarray) -> bytes:
    """The ten bytes of an id: as many 1-bits as men, then a 0, for the points and the bar."""
    bits = [
        bit for row in board.tolist() for men in (*row[1:25], row[0]) for bit in ([1] * men + [0])
    ]
    bits += [0] * (80 - len(bits))
    return bytes(sum(bit << k for k, bit in enumerate(bits[i : i + 8])) for i in range(0, 80, 8))


@given(cases())
@laws(120)
def test_an_id_is_the_ten_bytes_of_the_men(case):
    assert base64.urlsafe_b64decode(Position.from_array(case[0]).id + "==") == packed(case[0])


@given(st.lists(cases(), min_size=2, max_size=4))
@laws(100)
def test_positions_sort_as_the_ten_bytes_of_their_ids(some):
    boards = [board for board, _ in some]
    boards += list(all_throws(*some[0]).boards[:6])  # they differ little
    made = [Position.from_array(board) for board in boards]
    by_bytes = sorted(made, key=lambda p: base64.urlsafe_b64decode(p.id + "=="))
    assert [p.id for p in sorted(made)] == [p.id for p in by_bytes]
    for a, b in itertools.product(made, made):
        x, y = packed(a.array()), packed(b.array())
        assert [a < b, a <= b, a == b, a != b, a >= b, a > b] == [
            x < y, x <= y, x == y, x != y, x >= y, x > y,
        ]  # fmt: skip


def test_the_id_of_the_start_is_the_one_of_the_specification():
    assert Position.start().id == "_38AAAD_fwAAAA"


@given(cases(), st.integers(0, 20))
@laws(60)
def test_plays_and_steps_survive_pickle_and_copy(case, number):
    board, rules = case
    plays = Position.from_array(board).plays(*ALL_THROWS[number], rules)
    assert len(set(plays)) == len(plays)
    for play in plays[:5]:
        for back in (pickle.loads(pickle.dumps(play)), copy.copy(play), copy.deepcopy(play)):
            assert isinstance(back, Play)
            assert back == play
            assert hash(back) == hash(play)
            assert back.steps == play.steps
            assert (back.position, back.outcome) == (play.position, play.outcome)
            assert (back.origin, back.dice, back.rules) == (play.origin, play.dice, play.rules)
        for step in play.steps:
            for same_step in (pickle.loads(pickle.dumps(step)), copy.copy(step), Step(*step)):
                assert same_step == step
                assert hash(same_step) == hash(step)
                assert tuple(same_step) == (step.source, step.target, step.die, step.hit)
    assert all(a != b for a, b in itertools.pairwise(plays))


def test_steps_sort_like_their_numbers():
    made = [Step(1, 3, 2), Step(0, 6, 6, 2), Step(1, 2, 1, 1), Step(0, 6, 6)]
    assert [tuple(step) for step in sorted(made)] == sorted(tuple(step) for step in made)


def test_plays_of_another_origin_throw_or_rules_are_other_plays():
    start = Position.start()
    play = start.plays(2, 1)[0]
    assert play == start.plays(1, 2)[0]
    assert play not in start.plays(2, 1, VERQUERE)
    assert play not in start.plays(3, 1)
    assert play not in play.position.plays(2, 1)


@given(rule_sets)
@laws(100)
def test_rules_survive_pickle_copy_and_replace(rules):
    for back in (
        pickle.loads(pickle.dumps(rules)),
        copy.copy(rules),
        copy.deepcopy(rules),
        rules.replace(),
        rules.replace(monk=not rules.monk).replace(monk=rules.monk, name=rules.name),
        eval(repr(rules)),
    ):
        assert back == rules
        assert hash(back) == hash(rules)
        # What the core makes of them is the same too.
        plays = [_core.enumerate_plays(START[None], (5, 3), r) for r in (rules, back)]
        assert same_bytes(*plays)
    assert rules.replace(five_blots=not rules.five_blots) != rules


def test_presets_are_found_by_their_names():
    assert {"brade": BRADE, "verquere": VERQUERE, "revertier": REVERTIER} == PRESETS

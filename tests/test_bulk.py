"""Many calls at once: the caller's own arrays, chunks, threads, steps played again."""

from __future__ import annotations

import contextlib
import re
import tracemalloc

import numpy as np
import pytest
from harness import BRADE, REVERTIER, START, VERQUERE, board, own_ways, three_games
from hypothesis import given
from test_laws import all_throws, batch, cases, laws, same_bytes

from brade_fast import (
    Applied,
    Enumeration,
    IllegalPlayError,
    InvalidDiceError,
    InvalidPositionError,
    Outcome,
    _core,
    apply,
    bench,
    enumerate_plays,
    iter_plays,
)

N = 60
BOARDS, DICE = batch(N, BRADE, seed=3)
EXPECTED = enumerate_plays(BOARDS, DICE, steps=True)
PLAIN = enumerate_plays(BOARDS, DICE)
PLAYS = len(EXPECTED.boards)


def buffers(rows: int, offsets: int = N + 1) -> Enumeration:
    return Enumeration(
        np.full(offsets, -9, np.int64),
        np.full((rows, 2, 26), -9, np.int8),
        np.full(rows, 99, np.uint8),
        np.full((rows, 4, 4), -9, np.int8),
    )


# --- The caller's own arrays ------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2, 7])
@pytest.mark.parametrize("spare", [0, 1, 20000])
@pytest.mark.parametrize("steps", [False, True])
def test_plays_are_written_to_the_arrays_of_the_caller(threads, spare, steps):
    out = buffers(PLAYS + spare, N + 1 + spare)
    found = enumerate_plays(BOARDS, DICE, steps=steps, threads=threads, out=out)
    assert same_bytes(found, EXPECTED if steps else PLAIN)
    for view, whole in zip(found, out, strict=True):
        if view is not None:
            assert view.base is whole
            assert (whole[len(view) :] == whole[-1]).all()
    if not steps:
        assert (out.steps == -9).all()


@pytest.mark.parametrize("threads", [1, 2, 7])
@pytest.mark.parametrize("rows", [0, 1, 480, PLAYS - 1])
def test_arrays_that_are_too_small_are_refused_with_the_number_of_plays(threads, rows):
    words = f"room for {rows:,} plays, and there are {PLAYS:,}$"
    with pytest.raises(ValueError, match=words):
        enumerate_plays(BOARDS, DICE, threads=threads, out=buffers(rows)[:3])


def test_the_shortest_of_the_arrays_counts():
    out = buffers(PLAYS)
    with pytest.raises(ValueError, match=f"room for 7 plays, and there are {PLAYS:,}"):
        enumerate_plays(BOARDS, DICE, steps=True, out=out._replace(steps=out.steps[:7]))


def test_a_bad_row_is_named_whether_there_is_room_or_not():
    boards = BOARDS.copy()
    boards[N - 1, 0, 3] = 99
    for rows in (PLAYS, 10):
        with pytest.raises(InvalidPositionError, match=f"row {N - 1}: "):
            enumerate_plays(boards, DICE, out=buffers(rows))


def test_an_answer_can_be_the_arrays_of_the_next_call():
    found = enumerate_plays(BOARDS, DICE, steps=True)
    again = enumerate_plays(BOARDS, DICE, steps=True, out=found)
    assert same_bytes(again, EXPECTED)
    assert again.boards.base is found.boards
    none = enumerate_plays([], DICE[0], out=found)
    assert [len(part) for part in none[:3]] == [1, 0, 0]


OUT = buffers(PLAYS)
SHARED = np.zeros(100_000, np.int8)
READ_ONLY = OUT.boards.copy()
READ_ONLY.flags.writeable = False
WRONG_OUT = {
    "a list": (list(OUT), TypeError, "out must be an Enumeration or a tuple .*not list"),
    "two arrays": (OUT[:2], TypeError, "out must be an Enumeration"),
    "no steps": (OUT[:3], ValueError, "out has no array for the steps"),
    "None for the steps": (OUT._replace(steps=None), ValueError, "out has no array for the steps"),
    "a list of numbers": (
        OUT._replace(outcomes=[0] * PLAYS),
        TypeError,
        "out's outcomes must be a NumPy array, not list",
    ),
    "type of offsets": (
        OUT._replace(offsets=np.zeros(N + 1, np.int32)),
        ValueError,
        "out's offsets must be int64, not int32",
    ),
    "type of boards": (
        OUT._replace(boards=OUT.boards.view(np.uint8)),
        ValueError,
        "out's boards must be int8, not uint8",
    ),
    "byte order": (
        OUT._replace(offsets=np.zeros(N + 1, ">i8")),
        ValueError,
        "out's offsets must be int64, not >i8",
    ),
    "flat boards": (
        OUT._replace(boards=OUT.boards.ravel()),
        ValueError,
        r"out's boards must have the shape \(rows, 2, 26\), not \(\d+,\)",
    ),
    "one more axis": (
        OUT._replace(outcomes=OUT.outcomes[None]),
        ValueError,
        r"out's outcomes must have the shape \(rows,\), not \(1, \d+\)",
    ),
    "strides": (OUT._replace(boards=OUT.boards[::2]), ValueError, "boards must be C-contiguous"),
    "read only": (OUT._replace(boards=READ_ONLY), ValueError, "out's boards must be writable"),
    "few offsets": (
        OUT._replace(offsets=OUT.offsets[:N]),
        ValueError,
        f"offsets must have room for {N + 1} numbers.*not {N}$",
    ),
    "over each other": (
        OUT._replace(
            boards=SHARED[: 104 * 52].reshape(104, 2, 26), steps=SHARED[5200:6800].reshape(-1, 4, 4)
        ),
        ValueError,
        "out's steps must not share memory with out's boards",
    ),
    "over the boards": (
        OUT._replace(boards=BOARDS),
        ValueError,
        "out's boards must not share memory with the boards given",
    ),
    "over the dice": (
        OUT._replace(outcomes=DICE.reshape(-1).view(np.uint8)),
        ValueError,
        "out's outcomes must not share memory with the dice given",
    ),
}


@pytest.mark.parametrize(("out", "error", "words"), WRONG_OUT.values(), ids=WRONG_OUT)
def test_arrays_that_cannot_be_written_to_are_refused(out, error, words):
    before = BOARDS.copy(), DICE.copy(), OUT.boards.copy()
    with pytest.raises(error, match=words):
        enumerate_plays(BOARDS, DICE, steps=True, out=out)
    assert all(map(np.array_equal, before, (BOARDS, DICE, OUT.boards)))


# --- Room and threads -------------------------------------------------------------------


def test_a_batch_that_deceives_the_estimate_grows():
    """Every 32nd call, of which the room is estimated, has one play, all others many."""
    n = 20_000
    boards = np.repeat(own_ways({1: 5, 12: 2, 14: 1, 16: 1, 18: 6}, {1: 15})[None], n, axis=0)
    boards[::32] = START
    dice = np.full((n, 2), (3, 2))
    dice[::32] = 6, 6
    one = enumerate_plays(boards, dice, steps=True)
    assert one.offsets[n] > 6 * n
    assert np.diff(one.offsets)[::32].max() == 1
    assert np.array_equal(np.diff(one.offsets), _core.count_plays(boards, dice))
    two = np.array([1, 31, 64, n - 1])
    few = enumerate_plays(boards[two], dice[two], steps=True)
    places = np.concatenate([np.arange(one.offsets[i], one.offsets[i + 1]) for i in two])
    for part, expected in zip(one[1:], few[1:], strict=True):
        assert np.array_equal(part[places], expected)
    for threads in (2, 7):
        assert same_bytes(one, enumerate_plays(boards, dice, steps=True, threads=threads))
        out = buffers(one.offsets[n], n + 1)
        assert same_bytes(one, enumerate_plays(boards, dice, steps=True, threads=threads, out=out))


@pytest.mark.parametrize("threads", [2, 7])
def test_threads_name_the_first_bad_row(threads):
    boards, dice = np.repeat(BOARDS, 300, axis=0), np.repeat(DICE, 300, axis=0)
    boards[9000:, 0, 0] = 20
    for _ in range(5):
        with pytest.raises(InvalidPositionError, match="row 9000: "):
            enumerate_plays(boards, dice, threads=threads)
    dice[17_000] = 0
    with pytest.raises(InvalidDiceError, match="row 17000: "):
        enumerate_plays(boards, dice, threads=threads)


@pytest.mark.parametrize("threads", [2, 7])
def test_threads_do_not_change_games_perft_or_replayed_steps(threads):
    games = _core.playouts(BOARDS, 5, 1)
    again = _core.playouts(BOARDS, 5, 1, threads=threads)
    assert all(map(np.array_equal, games, again))
    assert _core.perft(START, 3, threads=threads) == 182_138
    origins = np.repeat(BOARDS, np.diff(EXPECTED.offsets), axis=0)
    one = apply(origins, EXPECTED.steps)
    assert all(map(np.array_equal, one, apply(origins, EXPECTED.steps, threads=threads)))


def test_no_memory_is_lost():
    tracemalloc.start()
    try:
        sizes = []
        for _ in range(3):
            for threads in (1, 2):
                enumerate_plays(BOARDS, DICE, steps=True, threads=threads)
                with pytest.raises(ValueError, match="room for"):
                    enumerate_plays(BOARDS, DICE, threads=threads, out=buffers(5))
            sizes.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert sizes[2] - sizes[1] < 20_000


# --- Some calls at a time ---------------------------------------------------------------


@three_games
@pytest.mark.parametrize("chunk", [1, 7, 60, 1000])
def test_chunks_are_the_whole(rules, chunk):
    boards, dice = batch(N, rules, seed=5)
    whole = enumerate_plays(boards, dice, rules, steps=True)
    parts = list(iter_plays(boards, dice, rules, chunk=chunk, steps=True, threads=2))
    assert [len(part.offsets) - 1 for part in parts] == [
        min(chunk, N - i) for i in range(0, N, chunk)
    ]
    assert all(part.offsets[0] == 0 for part in parts)
    counts = np.concatenate([np.diff(part.offsets) for part in parts])
    assert np.array_equal(counts, np.diff(whole.offsets))
    for name in ("boards", "outcomes", "steps"):
        joined = np.concatenate([getattr(part, name) for part in parts])
        assert np.array_equal(joined, getattr(whole, name))


def test_lists_and_one_throw_for_all_can_be_cut_into_chunks_too():
    whole = enumerate_plays(BOARDS, (5, 3))
    parts = list(iter_plays(BOARDS.tolist(), [3, 5], chunk=13))
    assert np.array_equal(np.concatenate([part.boards for part in parts]), whole.boards)
    assert parts[0].steps is None
    assert list(iter_plays([], [])) == []
    assert list(iter_plays(np.empty((0, 2, 26), int), (1, 2))) == []


def test_arrays_on_disk_are_read_chunk_by_chunk(tmp_path):
    n = 40_000
    boards = np.memmap(tmp_path / "boards", np.int16, "w+", shape=(n, 2, 26))
    boards[:] = START
    boards[30_001, 0, 0] = 3
    tracemalloc.start()
    try:
        parts = iter_plays(boards, (3, 1), chunk=1000)
        assert [len(next(parts).offsets) for _ in range(30)] == [1001] * 30
        with pytest.raises(InvalidPositionError, match=r"^row 30001: .* 18 men"):
            next(parts)
        assert tracemalloc.get_traced_memory()[1] < boards.nbytes / 2
    finally:
        tracemalloc.stop()


def test_a_bad_throw_is_named_by_its_number_among_all():
    dice = DICE.copy()
    dice[41] = 7, 1
    parts = iter_plays(BOARDS, dice, chunk=20)
    assert len([next(parts), next(parts)]) == 2
    with pytest.raises(InvalidDiceError, match=r"^row 41: .*\[7, 1\]"):
        next(parts)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "words"),
    [
        ((BOARDS[0], (1, 2)), {}, InvalidPositionError, "boards must have the shape"),
        ((BOARDS.astype(float), (1, 2)), {}, TypeError, "boards must be integers"),
        ((BOARDS, DICE[1:]), {}, InvalidDiceError, "dice must have the shape"),
        ((BOARDS, (0, 2)), {}, InvalidDiceError, "1 to 6"),
        ((BOARDS, DICE, "brade"), {}, TypeError, "rules must be a Rules"),
        ((BOARDS, DICE), {"chunk": 0}, ValueError, "chunk must be at least 1, not 0"),
        ((BOARDS, DICE), {"chunk": 1.5}, TypeError, "chunk must be a whole number"),
        ((BOARDS, DICE), {"threads": 0}, ValueError, "threads must be at least 1"),
    ],
)
def test_what_can_be_refused_at_once_is(arguments, options, error, words):
    with pytest.raises(error, match=words):
        iter_plays(*arguments, **options)


# --- Steps played again -----------------------------------------------------------------


@given(cases())
@laws(150)
def test_steps_played_again_lead_where_the_plays_lead(case):
    position, rules = case
    for generic in (False, True):
        plays = all_throws(position, rules, steps=True, generic=generic)
        origins = np.repeat(position[None], len(plays.boards), axis=0)
        again = apply(origins, plays.steps, rules)
        assert again.boards.dtype == np.int8
        assert again.outcomes.dtype == np.uint8
        assert np.array_equal(again.boards, plays.boards)
        assert np.array_equal(again.outcomes, plays.outcomes)


@three_games
def test_all_kinds_of_positions_can_be_played_again(rules):
    boards, dice = batch(400, rules, seed=11)
    plays = enumerate_plays(boards, dice, rules, steps=True)
    origins = np.repeat(boards, np.diff(plays.offsets), axis=0)
    before = origins.copy(), plays.steps.copy()
    for kind in ("b", "q", ">i2"):
        again = apply(origins.astype(kind), plays.steps.astype(kind), rules)
        assert np.array_equal(again.boards, plays.boards)
        assert np.array_equal(again.outcomes, plays.outcomes)
    assert all(map(np.array_equal, before, (origins, plays.steps)))


def test_an_unfinished_turn_and_no_turn_at_all_are_taken():
    steps = np.full((2, 4, 4), -1)
    steps[1, 0] = 1, 7, 6, 0
    made = apply([START, START], steps)
    assert isinstance(made, Applied)
    assert np.array_equal(made.boards[0], START[::-1])
    assert made.boards[1, 1, 7] == 1
    assert made.outcomes.tolist() == [Outcome.NONE] * 2
    assert [part.shape for part in apply([], [])] == [(0, 2, 26), (0,)]


END = own_ways({24: 2}, {1: 15})
CROWDED = board({0: 1, 1: 1, 2: 1, 3: 1, 4: 1, 5: 1, 20: 9}, {6: 2, 13: 13})
ENTERING = board({0: 1, 1: 14})
BLOCKED = board({0: 1, 1: 14}, {3: 2, 4: 2, 13: 11})
ILLEGAL = {
    # board, rules, steps, the step at fault, why
    "no man": (START, BRADE, [(2, 5, 3, 0)], 1, "the mover has no man on 2"),
    "nobody on the bar": (START, BRADE, [(0, 5, 5, 0)], 1, "the mover has no man on the bar"),
    "another target": (START, BRADE, [(1, 5, 3, 0)], 1, "with a 3 a man from 1 comes to 4"),
    "another entry": (
        own_ways({0: 1, 24: 14}, {1: 15}), BRADE, [(0, 5, 3, 0)], 1, "from 0 comes to 3",
    ),
    "die 0": (START, BRADE, [(1, 1, 0, 0)], 1, "a die is 1 to 6, not 0"),
    "die 7": (START, BRADE, [(1, 8, 7, 0)], 1, "a die is 1 to 6, not 7"),
    "source 25": (START, BRADE, [(25, 25, 1, 0)], 1, "a source is 0 .* to 24, not 25"),
    "far from int8": (START, BRADE, [(300, 3, 2, 0)], 1, r"\(300, 3, 2, 0\): a source is 0"),
    "right but for 256": (START, BRADE, [(257, 3, 2, 0)], 1, "not 257"),
    "a hit of nobody": (START, BRADE, [(1, 3, 2, 1)], 1, "its hit must be 0, not 1"),
    "a hit without its mark": (
        board({1: 15}, {3: 1, 13: 14}), BRADE, [(1, 3, 2, 0)], 1, "its hit must be 1, not 0",
    ),
    "three unequal dice": (
        START, BRADE, [(1, 3, 2, 0), (1, 4, 3, 0), (1, 5, 4, 0)], 3, "equal dice alone",
    ),
    "the far side": (START, BRADE, [(1, 3, 2, 0), (1, 3, 2, 0)], 2, "on 2 to 11 only one may"),
    "five blots": (
        own_ways({1: 12, 14: 1, 16: 2}, {1: 15}), BRADE.replace(five_blots=True),
        [(14, 16, 2, 0)], 1, "own stands on 16, and five have not left the talon",
    ),
    "an entry of the Junker": (
        board({0: 2, 1: 1, 2: 1, 20: 11}, {3: 2, 4: 2, 5: 2, 13: 9}), VERQUERE,
        [(0, 6, 6, 0)], 1, "he passes .the Junker",
    ),
    "the bar first": (CROWDED, VERQUERE, [(20, 23, 3, 0)], 1, "he passes .the Junker"),
    "men on the bar": (ENTERING, BRADE, [(1, 3, 2, 0)], 1, "men on the bar must enter first"),
    "own man at the entry": (CROWDED, BRADE, [(0, 2, 2, 0)], 1, "own stands on 2, where he would"),
    "a made point": (BLOCKED, BRADE, [(0, 3, 3, 2)], 1, "has made point 3, and it may not be"),
    "bearing off too early": (
        own_ways({18: 1, 24: 14}, {1: 15}), BRADE, [(24, 25, 1, 0)], 1, "no man is borne off while",
    ),
    "bearing off from the front": (
        own_ways({20: 1, 24: 14}, {1: 15}), BRADE, [(24, 25, 1, 0)], 1, "does not bear off .* 24",
    ),
    "hit off the board": (
        own_ways({24: 15}, {1: 15}), REVERTIER, [(24, 25, 1, 1)], 1, "nobody is hit where",
    ),
    "after the end": (
        END, BRADE, [(24, 25, 1, 0)] * 3, 3, r"the game is over after the step before .*BEAR_OFF",
    ),
    "after John": (
        board({2: 1, 4: 1}, {5: 1, 8: 2, 9: 2, 13: 5, 14: 1, 15: 1, 16: 1, 17: 1, 18: 1}), BRADE,
        [(4, 5, 1, 1), (2, 7, 5, 0)], 2, r"the game is over after the step before .*JOHN",
    ),
    "after an unused row": (
        START, BRADE, [(1, 3, 2, 0), (-1, -1, -1, -1), (1, 4, 3, 0)], 3, "no step comes after",
    ),
    "half an unused row": (START, BRADE, [(-1, 3, 2, 0)], 1, "an unused row is -1 throughout"),
}  # fmt: skip


@pytest.mark.parametrize(("start", "rules", "taken", "step", "why"), ILLEGAL.values(), ids=ILLEGAL)
@pytest.mark.parametrize("threads", [1, 3])
def test_an_illegal_step_is_named_with_its_row_and_why(start, rules, taken, step, why, threads):
    boards = np.repeat(START[None], 9, axis=0)
    boards[6] = boards[8] = start
    steps = np.full((9, 4, 4), -1)
    steps[6, : len(taken)] = steps[8, : len(taken)] = taken
    with pytest.raises(IllegalPlayError, match=f"^row 6: step {step}, .*{why}"):
        apply(boards, steps, rules, threads=threads)


@given(cases())
@laws(40)
def test_a_step_is_taken_if_some_play_or_sequence_begins_with_it(case):
    """All first steps there are, against the words that are found for those that are refused."""
    position, rules = case
    every = [
        (source, min(source + die, 25), die, hit)
        for source in range(25)
        for die in range(1, 7)
        for hit in range(3)
    ]
    first = set()
    for step in every:
        steps = np.full((1, 4, 4), -1)
        steps[0, 0] = step
        with contextlib.suppress(IllegalPlayError):
            apply(position[None], steps, rules)
            first.add(step)
    plays = all_throws(position, rules, steps=True)
    named = {tuple(map(int, step)) for step in plays.steps[:, 0] if step[0] >= 0}
    assert named <= first
    assert len({step[:3] for step in first}) == len(first), "one hit for each step"


def test_steps_of_other_types_and_shapes_are_refused():
    none = np.full((N, 4, 4), -1, np.int8)
    for shape in ((N - 1, 4, 4), (N, 4), (N, 3, 4)):
        words = re.escape(f"steps must have the shape ({N}, 4, 4), not {shape}")
        with pytest.raises(ValueError, match=words):
            apply(BOARDS, np.resize(none, shape))
    for wrong in (none.astype(float), none.astype(bool), None, "1/7"):
        with pytest.raises(TypeError, match="steps must be integers, not"):
            apply(BOARDS, wrong)
    with pytest.raises(IllegalPlayError, match="row 0: step 1"):
        apply(BOARDS, none.view(np.uint8))
    with pytest.raises(InvalidPositionError, match=r"row 1: .*won"):
        apply([START, own_ways({}, {1: 15})], none[:2])
    with pytest.raises(TypeError, match="rules must be"):
        apply(BOARDS, none, "brade")
    with pytest.raises(ValueError, match="threads"):
        apply(BOARDS, none, threads=0)


@pytest.mark.parametrize("corpus", bench.CORPORA)
def test_the_plays_stand_in_the_same_order_whether_steps_are_asked_for_or_not(corpus):
    boards, dice = bench.pairs(bench.load(corpus)[:300], "all")
    plain, named = enumerate_plays(boards, dice), enumerate_plays(boards, dice, steps=True)
    assert same_bytes(plain, named._replace(steps=None))

"""The fast core: positions, plays and the bulk functions.

The rules themselves stand in the kernel, which is compiled once for each CPU level. Its parts are,
from the bottom up: ``_state.pxd`` (masks, forcing, ends), ``_stems.pxd`` (the innermost loop),
``_unequal.pxd`` and ``_doubles.pxd`` (the fast paths), ``_generic.pxd`` (every rule, the duties),
``_turn.pxd`` (the gates before the fast paths) and ``_bulk.pxd`` (loops). This file chooses a
kernel (``_kernel.pxd``), checks what comes in and builds what goes out.
"""

import base64
import concurrent.futures
import importlib
import operator
import os
import re
import secrets
import threading

cimport cython
import numpy as np

from brade_fast.rules import (
    BRADE,
    Applied,
    Enumeration,
    IllegalPlayError,
    InvalidDiceError,
    InvalidPositionError,
    Outcome,
    Playouts,
    Rules,
)

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.long cimport PyLong_CheckExact
from cpython.pycapsule cimport PyCapsule_GetPointer
from cpython.exc cimport PyErr_CheckSignals as check_signals, PyErr_Occurred
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM
from libc.stdint cimport int8_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy, memset

from brade_fast._state cimport *
from brade_fast._generic cimport (
    MAX_DOUBLES, MAX_UNEQUAL, Scratch, is_deadlock, scramble, scratch_free, scratch_init,
)
from brade_fast._kernel cimport *
from brade_fast._bulk cimport (
    CALLS_PER_CHECK, append_plays, buffer_free, buffer_init, buffer_ready, buffer_sink, draw,
    look_going, look_valid, throw_dice, trial_key,
)
from brade_fast._text cimport TEXT_SIZE, steps_text

__all__ = [
    "Play",
    "Position",
    "Step",
    "Workspace",
    "apply",
    "build_info",
    "count_plays",
    "cpu_levels",
    "enumerate_plays",
    "generic_calls",
    "iter_plays",
    "perft",
    "playouts",
    "throws",
    "write_plays",
]


cdef extern from *:
    """
    #if defined(__GNUC__) && defined(__x86_64__)
    #define BRADE_FAST_HAS_V3 (__builtin_cpu_init(), __builtin_cpu_supports("avx2") \\
        && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") \\
        && __builtin_cpu_supports("popcnt"))
    #else
    #define BRADE_FAST_HAS_V3 0
    #endif
    """
    bint BRADE_FAST_HAS_V3

cdef object _OUTCOMES = tuple(Outcome)
cdef object _ID = re.compile(r"[A-Za-z0-9_-]{14}")
cdef object _ARRAY = np.ndarray
cdef object _EMPTY = np.empty
cdef tuple _BOARD_SHAPE = (2, 26)
cdef object _INT8 = np.dtype(np.int8)
cdef object _UINT8 = np.dtype(np.uint8)
cdef object _INT64 = np.dtype(np.int64)

cdef enum:
    UNCOUNTED = 1 << 14         # so many calls get room for PLAYS_A_CALL each, which is ample
    PLAYS_A_CALL = 24
    SAMPLED = 32                # of more calls every 32nd is counted first
    BLOCK = 1 << 11             # calls that a thread writes to memory of its own at a time
    MAX_DEPTH = 100             # of perft; far beyond what ends in a lifetime


# ================================================================ the kernel

cdef dict _kernels():
    """The kernels that were built and that this machine can run, the best one last."""
    found = {"baseline": importlib.import_module("brade_fast._baseline").kernel}
    if BRADE_FAST_HAS_V3:
        try:
            found["v3"] = importlib.import_module("brade_fast._v3").kernel
        except ImportError:     # left out where the compiler could not make it
            pass
    return found


cdef object _KERNELS = _kernels()


cdef str _chosen_level():
    level = os.environ.get("BRADE_FAST_CPU") or next(reversed(_KERNELS))
    if level not in _KERNELS:
        raise ImportError(f"BRADE_FAST_CPU must be one of {', '.join(_KERNELS)} "
                          f"on this machine, not {level!r}")
    return level


cdef object _LEVEL = _chosen_level()
cdef const Kernel *kernel = <const Kernel *> PyCapsule_GetPointer(_KERNELS[_LEVEL],
                                                                  "brade_fast.kernel")


# ================================================================ checks of what comes in

cdef const CRules *_c_rules(object rules) except NULL:
    """The switches as the core reads them; they live as long as ``rules``."""
    if not isinstance(rules, Rules):
        raise TypeError(f"rules must be a Rules, such as BRADE, not {type(rules).__name__}")
    return <const CRules *> PyBytes_AS_STRING(rules._code)


cdef object _whole(object value, str name):
    """``value`` as an int; bools are not numbers here."""
    if isinstance(value, (bool, np.bool_)) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be a whole number, not {value!r}")
    return operator.index(value)


cdef object _at_least(object value, str name, int least):
    value = _whole(value, name)
    if value < least:
        raise ValueError(f"{name} must be at least {least}, not {value}")
    return value


cdef bint _is_empty_list(object values):
    """NumPy makes floats of an empty list, but it means no rows."""
    return isinstance(values, (list, tuple)) and len(values) == 0


cdef object _below_2_64(object value, str name):
    value = _at_least(value, name, 0)
    if value >= 1 << 64:
        raise ValueError(f"{name} must be below 2**64, not {value}")
    return value


cdef object _int_array(object values, str name, error, shape):
    """Any integer array-like as it is, its dtype checked."""
    try:
        array = np.asarray(values)
    except ValueError as fault:  # ragged
        raise error(f"{name} must be an array of shape {shape}, not ragged") from fault
    if _is_empty_list(values):
        return array.astype(np.int8)
    if isinstance(values, (list, tuple)):
        # NumPy makes integers of bools among integers.
        if {bool, np.bool_} & set(map(type, np.asarray(values, object).ravel().tolist())):
            raise TypeError(f"{name} must be integers, not bools")
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must be integers, not {array.dtype}")
    return array


cdef bint _is_ready(object values):
    """What most calls get: an array as the kernel reads it."""
    return type(values) is _ARRAY and values.dtype is _INT8 and values.flags.c_contiguous


cdef object _int8(object array, int misfit=-1):
    """The array as C-contiguous int8; values that do not fit become one that is refused."""
    if _is_ready(array):
        return array
    try:
        if array.dtype == np.uint8 and misfit == -1:
            array = array.view(np.int8) if array.flags.c_contiguous else array
        if array.dtype != np.int8:
            misfits = (array < -1) | (array > 127)
            array = np.where(misfits, misfit, array).astype(np.int8)
        return np.ascontiguousarray(array)
    except MemoryError:
        raise MemoryError(f"no memory for a copy of {len(array):,} rows as int8 "
                          f"({_megabytes(array.size)})") from None


cdef str _megabytes(object size):
    return f"{size / 1e6:,.1f} MB" if size >= 1e5 else f"{size:,} bytes"


cdef object _shaped_boards(object boards, str name):
    """Checked for type and shape, as it came."""
    array = boards if _is_ready(boards) else _int_array(boards, name, InvalidPositionError,
                                                        "(n, 2, 26)")
    if array.size == 0 and _is_empty_list(boards):
        array = np.empty((0, 2, 26), np.int8)
    if array.ndim != 3 or array.shape[1:] != (2, 26):
        raise InvalidPositionError(f"{name} must have the shape (n, 2, 26), not {array.shape}")
    return array


cdef object _shaped_dice(object dice, Py_ssize_t n):
    """Checked for type and shape, as it came; one throw for all boards is checked wholly."""
    array = dice if _is_ready(dice) else _int_array(dice, "dice", InvalidDiceError,
                                                    f"(2,) or ({n}, 2)")
    if n == 0 and _is_empty_list(dice):
        array = np.empty((0, 2), np.int8)
    if array.ndim == 1 and len(array) == 2:
        _check_dice(array, 0)
    elif array.ndim != 2 or array.shape != (n, 2):
        raise InvalidDiceError(f"dice must have the shape (2,) or ({n}, 2), not {array.shape}")
    return array


cdef int _check_dice(object array, Py_ssize_t first_row) except -1:
    """Refuses the first bad throw. The kernel looks at each for itself: this finds the words."""
    bad = np.flatnonzero(((array < 1) | (array > 6)).reshape(-1, 2).any(axis=1))
    if bad.size:
        row = f"row {first_row + bad[0]}: " if array.ndim == 2 else ""
        pair = array.reshape(-1, 2)[bad[0]].tolist()
        raise InvalidDiceError(f"{row}a throw is two numbers from 1 to 6, not {pair}")
    return 0


cdef void *_memory(object array) except? NULL:
    """Where the data of a contiguous array are; the array must be kept alive."""
    cdef Py_buffer buffer
    PyObject_GetBuffer(array, &buffer, PyBUF_SIMPLE)
    PyBuffer_Release(&buffer)
    return buffer.buf


cdef str _fault(object board):
    """What is wrong with a board of shape (2, 26), in words; section 7 no. 13."""
    names = ("mover", "other player")
    for name, half in zip(names, board):
        for index, men in enumerate(half):
            if not 0 <= men <= 15:
                return f"the {name} has {men} men on index {index}; 0 to 15 can stand there"
    for name, half in zip(names, board):
        if sum(half) != 15:
            return f"the {name} has {sum(half)} men, not 15"
    for point in range(1, 25):
        if board[0][point] and board[1][foe_point(point)]:
            return (f"both players hold the mover's point {point} "
                    f"(the other player's {foe_point(point)})")
    for name, half in zip(names, board):
        for point in range(2, 12):
            if half[point] > 1:
                return (f"the {name} has {half[point]} men on his point {point}; "
                        "on 2 to 11 only one may stand")
    raise AssertionError("the board is valid")


cdef str _won(const int8_t *board, const CRules *rules):
    """Who has won a position that is over, in words."""
    cdef State s
    cdef int result
    look(&s, board)
    result = outcome(&s, False, rules)
    if result != NONE:
        return f"the game is over: the mover has won ({Outcome(result).name})"
    look_back(&s, board)
    result = outcome(&s, False, rules)
    return f"the game is over: the other player has won ({Outcome(result).name})"


cdef int _check_board(const int8_t *board, const CRules *rules, object original,
                      str prefix) except -1:
    """Refuses an invalid board and, where rules are given, one that somebody has won."""
    cdef State s
    if not look_valid(&s, board):
        raise InvalidPositionError(prefix + _fault(original.tolist()))
    if rules != NULL and is_over(board, rules):
        raise InvalidPositionError(prefix + _won(board, rules))
    return 0


cdef int _check_throw(object d1, object d2, int *high, int *low) except -1:
    cdef object a = d1 if PyLong_CheckExact(d1) else _whole(d1, "a die")
    cdef object b = d2 if PyLong_CheckExact(d2) else _whole(d2, "a die")
    if not (1 <= a <= 6 and 1 <= b <= 6):
        raise InvalidDiceError(f"a throw is two numbers from 1 to 6, not {[a, b]}")
    high[0] = a
    low[0] = b
    if high[0] < low[0]:
        high[0], low[0] = low[0], high[0]
    return 0


# ================================================================ Step

cdef class Step:
    """One step of a play.

    Parameters
    ----------
    source : int
        The mover's own point, 0 for the bar.
    target : int
        The mover's own point, 25 for off.
    die : int
    hit : int
        0 nothing, 1 a blot was hit, 2 a made point was forced open (section 4).
    """

    cdef int8_t v[4]

    def __init__(self, source, target, die, hit=0):
        if self.v[2]:
            raise TypeError("a Step cannot be changed")
        limits = (("source", source, 0, 24), ("target", target, 1, 25), ("die", die, 1, 6),
                  ("hit", hit, 0, 2))
        for i, (name, value, least, most) in enumerate(limits):
            value = _whole(value, name)
            if not least <= value <= most:
                raise ValueError(f"{name} must be {least} to {most}, not {value}")
            self.v[i] = value
        if self.v[1] != min(self.v[0] + self.v[2], OFF):
            raise ValueError(f"with a {die} a man from {source} does not come to {target}, "
                             f"but to {min(source + die, OFF)} (25 is off)")
        if target == OFF and hit:
            raise ValueError("nobody is hit where a man is borne off")

    @property
    def source(self):
        """The point that the man left, 0 for the bar."""
        return self.v[0]

    @property
    def target(self):
        """The point that he reached, 25 for off."""
        return self.v[1]

    @property
    def die(self):
        """The die that was played."""
        return self.v[2]

    @property
    def hit(self):
        """0 nothing, 1 a blot was hit, 2 a made point was forced."""
        return self.v[3]

    def __iter__(self):
        return iter((self.v[0], self.v[1], self.v[2], self.v[3]))

    def __repr__(self):
        return f"Step({self.v[0]}, {self.v[1]}, {self.v[2]}, {self.v[3]})"

    def __richcmp__(self, other, int op):
        if not isinstance(other, Step):
            return NotImplemented
        return _compare(tuple(self), tuple(other), op)

    def __hash__(self):
        return hash(tuple(self))

    def __reduce__(self):
        return Step, tuple(self)


def _steps_text(steps):
    """The text of canonical steps, as ``notation.play_text`` writes it; for tests."""
    cdef char text[TEXT_SIZE]
    cdef int8_t numbers[16]
    memset(numbers, -1, 16)
    for i, step in enumerate(steps):
        memcpy(numbers + 4 * <int> i, (<Step?> step).v, 4)
    return text[:steps_text(numbers, text)].decode("ascii")


cdef bint _compare(object a, object b, int op):
    if op == 0:
        return a < b
    if op == 1:
        return a <= b
    if op == 2:
        return a == b
    if op == 3:
        return a != b
    if op == 4:
        return a > b
    return a >= b


cdef tuple _steps(const int8_t *steps):
    """Sixteen bytes of a sink as Step objects."""
    cdef list made = []
    cdef Step step
    cdef int i
    for i in range(4):
        if steps[4 * i] < 0:
            break
        step = Step.__new__(Step)
        memcpy(step.v, steps + 4 * i, 4)
        made.append(step)
    return tuple(made)


# ================================================================ Play

@cython.no_gc
cdef class _Turn:
    """What the plays of one throw share: where they begin, and all their results."""

    cdef Position origin
    cdef object rules
    cdef int high
    cdef int low
    cdef Sink found             # in one piece of memory, which begins with the rows
    cdef int8_t *canonical      # 16 bytes a play, or NULL before anybody has asked

    def __cinit__(self):
        self.found = counting_sink()
        self.canonical = NULL

    def __dealloc__(self):
        free(self.found.rows)
        free(self.canonical)

    cdef int keep(self, const Sink *plays) except -1:
        """Copies the plays."""
        cdef int8_t *memory = <int8_t *> malloc(plays.count * (ROW_BYTES + 16 + 1))
        if memory == NULL:
            _raise_status(NO_MEMORY)
        self.found.rows = memory
        self.found.steps = memory + plays.count * ROW_BYTES
        self.found.outcomes = <uint8_t *> (self.found.steps + plays.count * 16)
        append_plays(&self.found, plays)
        return 0

    cdef const int8_t *canonical_steps(self) except NULL:
        """The canonical steps of all plays, found when they are first asked for."""
        with cython.critical_section(self):
            if self.canonical == NULL:
                self.find_canonical()
        return self.canonical

    cdef int find_canonical(self) except -1:
        cdef Scratch scratch
        cdef int status = NO_MEMORY
        cdef int8_t *steps = <int8_t *> malloc(self.found.count * 16)
        scratch_init(&scratch)
        if steps != NULL:
            status = kernel.canonical(self.origin.b, self.high, self.low, _c_rules(self.rules),
                                      self.found.count, self.found.rows, self.found.outcomes,
                                      &scratch, steps)
        scratch_free(&scratch)
        if status == 1:
            self.canonical = steps
            return 0
        free(steps)
        if status == 0:
            raise AssertionError("a play without a legal sequence")
        return _raise_status(NO_MEMORY)


@cython.no_gc
@cython.freelist(64)
cdef class Play:
    """A whole turn: what ``Position.plays`` answers; it cannot be made by hand.

    Two plays are equal if they start from the same position, throw and rules and lead to the
    same position and outcome (section 3).
    """

    cdef _Turn turn
    cdef Py_ssize_t number

    def __init__(self, *args, **kwargs):
        raise TypeError("plays come from Position.plays()")

    @property
    def origin(self):
        """The position before the play."""
        return self.turn.origin

    @property
    def rules(self):
        """The rules that it is legal by."""
        return self.turn.rules

    @property
    def steps(self):
        """The steps in playing order, one of the sequences that make this play; () is a pass."""
        return _steps(self.turn.found.steps + self.number * 16)

    @property
    def canonical_steps(self):
        """The sequence with the smallest list of (source rising, die falling).

        It depends on position, throw, rules, result and outcome alone.
        """
        return _steps(self.turn.canonical_steps() + self.number * 16)

    @property
    def position(self):
        """The position after the play, as the next player sees it."""
        return _position(self.turn.found.rows + self.number * ROW_BYTES)

    @property
    def outcome(self):
        """What the play made of the game."""
        return _OUTCOMES[self.turn.found.outcomes[self.number]]

    @property
    def dice(self):
        """The throw, the higher die first."""
        return self.turn.high, self.turn.low

    cdef object _key(self):
        cdef _Turn turn = self.turn
        row = <char *> turn.found.rows + self.number * ROW_BYTES
        return (turn.origin, turn.high, turn.low, turn.rules,
                PyBytes_FromStringAndSize(row, ROW_BYTES), turn.found.outcomes[self.number])

    def __eq__(self, other):
        if not isinstance(other, Play):
            return NotImplemented
        return self._key() == (<Play> other)._key()

    def __hash__(self):
        return hash(self._key())

    def __str__(self):
        cdef char text[TEXT_SIZE]
        cdef int size = steps_text(self.turn.canonical_steps() + self.number * 16, text)
        cdef int result = self.turn.found.outcomes[self.number]
        words = text[:size].decode("ascii")
        return words if result == NONE else f"{words} = {_OUTCOMES[result].name.lower()}"

    def __repr__(self):
        return f"<Play {self.turn.high}-{self.turn.low}: {self}>"

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return _find_play, (self.origin, *self.dice, self.rules, self.position,
                            int(self.outcome))


def _find_play(origin, high, low, rules, position, outcome):
    """The legal play with this result; how plays are unpickled."""
    for play in origin.plays(high, low, rules):
        if play.position == position and play.outcome == outcome:
            return play
    raise IllegalPlayError(f"no play of {origin.id} with {high}-{low} leads to {position.id}")


# ================================================================ Position

cdef inline uint64_t board_hash(const int8_t *board) noexcept:
    """Of all men; the same in every process."""
    cdef uint64_t words[7]
    cdef uint64_t mixed = 0
    cdef int i
    words[6] = 0
    memcpy(words, board, ROW_BYTES)
    for i in range(7):
        mixed = scramble(mixed ^ words[i])
    return mixed


@cython.freelist(64)
cdef class Position:
    """A position as the player to move sees it: an immutable value.

    Parameters
    ----------
    mover, other : sequence of 26 int, or dict
        The men of the player to move and of the other, each on his own way: index 0 bar, 1 to
        24 the points, 25 off. In a dict (index -> men) the men that are missing are off.

    Raises
    ------
    InvalidPositionError
        If the board breaks section 7 no. 13.
    TypeError
        If men or indices are not whole numbers.
    """

    def __init__(self, mover, other):
        if board_above(self.b, 0):   # 0 only before it is made
            raise TypeError("a Position cannot be changed")
        halves = [_half("the mover", mover), _half("the other player", other)]
        _fill_position(self, np.array(halves, np.int64))

    @staticmethod
    def start():
        """The start of the game: all men on the two talons."""
        return Position({1: 15}, {1: 15})

    @staticmethod
    def from_array(array):
        """A position from a board array.

        Parameters
        ----------
        array : integer array-like, shape (2, 26)

        Raises
        ------
        InvalidPositionError, TypeError
        """
        cdef const int8_t *ready
        cdef State s
        cdef Position made = Position.__new__(Position)
        if _is_ready(array) and array.shape == _BOARD_SHAPE:
            ready = <const int8_t *> _memory(array)
            if look_valid(&s, ready):
                memcpy(made.b, ready, ROW_BYTES)
                return made
        values = _int_array(array, "a position", InvalidPositionError, "(2, 26)")
        if values.shape != (2, 26):
            raise InvalidPositionError(
                f"a position must have the shape (2, 26), not {values.shape}")
        _fill_position(made, values)
        return made

    @staticmethod
    def from_id(text):
        """A position from its id; whatever ``id`` would not give is refused.

        Raises
        ------
        InvalidPositionError, TypeError
        """
        cdef Position made
        if not isinstance(text, str):
            raise TypeError(f"a position id is a str, not {type(text).__name__}")
        if not _ID.fullmatch(text):
            raise InvalidPositionError(
                f"a position id is 14 characters of A-Z, a-z, 0-9, - and _, not {text!r}")
        made = Position.__new__(Position)
        _fill_position(made, _unpack(text))
        if made.id != text:
            raise InvalidPositionError(
                f"{text!r} is not a position id: bits behind the last man are not 0")
        return made

    @staticmethod
    def from_text(text):
        """A position from its id or board text, told apart by themselves.

        Raises
        ------
        InvalidPositionError, TypeError
        """
        from brade_fast.notation import parse_position
        return parse_position(text)

    def array(self):
        """A fresh int8 array of shape (2, 26), mover first."""
        made = _EMPTY(_BOARD_SHAPE, _INT8)
        memcpy(_memory(made), self.b, ROW_BYTES)
        return made

    @property
    def id(self):
        """The position id, 14 characters. Positions sort as the ten bytes behind their ids do."""
        return base64.urlsafe_b64encode(_packed(self.b)).decode().rstrip("=")

    @property
    def bar(self):
        """Men on the bar, (mover, other)."""
        return self.b[0], self.b[26]

    @property
    def off(self):
        """Men borne off, (mover, other)."""
        return self.b[25], self.b[51]

    @property
    def pips(self):
        """Pips to go, (mover, other): 25 for a man on the bar."""
        cdef int mover = 0, other = 0, i
        for i in range(25):
            mover += (25 - i) * self.b[i]
            other += (25 - i) * self.b[26 + i]
        return mover, other

    def flip(self):
        """The same position as the other player sees it."""
        cdef Position made = Position.__new__(Position)
        flip(self.b, made.b)
        return made

    def plays(self, d1, d2, rules=BRADE):
        """All legal plays of a throw, each distinct (position, outcome) once.

        Parameters
        ----------
        d1, d2 : int
            The dice in either order.
        rules : Rules

        Returns
        -------
        tuple of Play
            Never empty: a pass is a play without steps.

        Raises
        ------
        InvalidDiceError, TypeError
        InvalidPositionError
            If somebody has already won.
        """
        cdef const CRules *c_rules = _c_rules(rules)
        cdef _Turn turn
        cdef int high, low
        _check_throw(d1, d2, &high, &low)
        if is_over(self.b, c_rules):
            raise InvalidPositionError(_won(self.b, c_rules))
        turn = _Turn.__new__(_Turn)
        turn.origin = self
        turn.rules = rules
        turn.high = high
        turn.low = low
        if high == low:
            _find_plays(turn, c_rules)
        else:
            _find_unequal_plays(turn, c_rules)
        return _plays(turn)

    def is_over(self, rules=BRADE):
        """Whether either player has already won (section 5; a standing John counts)."""
        return is_over(self.b, _c_rules(rules))

    def is_deadlock(self, rules=BRADE):
        """Whether neither player has a legal step for any throw (section 7 no. 6).

        A game that somebody has won is no deadlock.
        """
        cdef const CRules *c_rules = _c_rules(rules)
        return not is_over(self.b, c_rules) and is_deadlock(self.b, c_rules)

    def __richcmp__(self, other, int op):
        if not isinstance(other, Position):
            return NotImplemented
        if op == 2:
            return memcmp(self.b, (<Position> other).b, ROW_BYTES) == 0
        if op == 3:
            return memcmp(self.b, (<Position> other).b, ROW_BYTES) != 0
        return _compare(_packed((<Position> self).b), _packed((<Position> other).b), op)

    def __hash__(self):
        return <Py_hash_t> (board_hash(self.b) >> 1)

    def __str__(self):
        from brade_fast.notation import board_text
        return board_text(self)

    def __repr__(self):
        return f"Position.from_id({self.id!r})"

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return Position.from_id, (self.id,)


cdef int _find_unequal_plays(_Turn turn, const CRules *rules) except -1:
    """Fills the turn by way of the stack; the number of plays is small."""
    cdef int8_t rows[MAX_UNEQUAL * ROW_BYTES]
    cdef uint8_t outcomes[MAX_UNEQUAL]
    cdef int8_t steps[MAX_UNEQUAL * 16]
    cdef Sink out
    cdef Scratch scratch
    cdef int status
    out.rows = rows
    out.outcomes = outcomes
    out.steps = steps
    out.count = 0
    scratch_init(&scratch)
    status = kernel.plays_of_board(turn.origin.b, turn.high, turn.low, rules, False, &scratch,
                                   &out)
    scratch_free(&scratch)
    if status < 0:
        _raise_status(NO_MEMORY)
    return turn.keep(&out)


cdef int _find_plays(_Turn turn, const CRules *rules) except -1:
    """Fills the turn by way of a buffer that is large enough for every throw."""
    cdef Buffer buffer
    cdef Sink out
    cdef Scratch scratch
    cdef int status = NO_MEMORY
    scratch_init(&scratch)
    buffer_init(&buffer)
    try:
        if buffer_ready(&buffer, True):
            out = buffer_sink(&buffer)
            status = kernel.plays_of_board(turn.origin.b, turn.high, turn.low, rules, False,
                                           &scratch, &out)
        if status < 0:
            _raise_status(NO_MEMORY)
        return turn.keep(&out)
    finally:
        buffer_free(&buffer)
        scratch_free(&scratch)


cdef tuple _plays(_Turn turn):
    cdef tuple plays = PyTuple_New(turn.found.count)
    cdef Play play
    cdef Py_ssize_t i
    for i in range(turn.found.count):
        play = Play.__new__(Play)
        play.turn = turn
        play.number = i
        Py_INCREF(play)         # the tuple takes a reference
        PyTuple_SET_ITEM(plays, i, play)
    return plays


cdef Position _position(const int8_t *board):
    cdef Position made = Position.__new__(Position)
    memcpy(made.b, board, ROW_BYTES)
    return made


cdef bytes _packed(const int8_t *board):
    """Ten bytes: for each point and the bar as many 1-bits as men, then a 0."""
    cdef uint8_t packed[10]
    cdef int place = 0, half, point, k
    for k in range(10):
        packed[k] = 0
    for half in range(2):
        for k in range(25):
            point = board[26 * half + (k + 1 if k < 24 else 0)]
            while point > 0:
                packed[place >> 3] |= 1 << (place & 7)
                place += 1
                point -= 1
            place += 1
    return PyBytes_FromStringAndSize(<char *> packed, 10)


cdef int _fill_position(Position made, object values) except -1:
    cdef const int8_t[:, ::1] board = _int8(values)
    _check_board(&board[0, 0], NULL, values, "")
    memcpy(made.b, &board[0, 0], ROW_BYTES)
    return 0


cdef list _half(str name, object men):
    """One player's 26 numbers from a sequence or a dict."""
    if hasattr(men, "items"):
        half = [0] * 26
        for index, number in men.items():
            index = _whole(index, "an index")
            if not 0 <= index <= 25:
                raise InvalidPositionError(f"{name}: there is no index {index}, only 0 to 25")
            half[index] = _whole(number, "a number of men")
        if 25 not in men:
            half[25] = max(15 - sum(half), 0)
    else:
        try:
            half = list(men)
        except TypeError:
            raise TypeError(f"{name} needs 26 numbers or a dict (index -> men), "
                            f"not {type(men).__name__}") from None
        half = [_whole(number, "a number of men") for number in half]
        if len(half) != 26:
            raise InvalidPositionError(f"{name} needs 26 numbers, not {len(half)}")
    for index, number in enumerate(half):
        if not 0 <= number <= 15:
            raise InvalidPositionError(
                f"{name} has {number} men on index {index}; 0 to 15 can stand there")
    return half


cdef object _unpack(str text):
    """The board in the bits of an id, unchecked, shape (2, 26)."""
    packed = base64.urlsafe_b64decode(text + "==")
    bits = "".join(f"{byte:08b}"[::-1] for byte in packed)
    runs = bits.split("0")[:50]
    halves = []
    for half in (runs[:25], runs[25:]):
        men = [len(run) for run in half]
        men += [0] * (25 - len(men))
        halves.append([men[24], *men[:24], max(15 - sum(men), 0)])
    return np.array(halves, np.int64)


# ================================================================ bulk

cdef object _NO_DICE = np.array((1, 1), np.int8)    # where boards are all that matters


cdef class _Calls:
    """Checked boards, throws and rules of one bulk call; its methods run parts of it."""

    cdef Py_ssize_t n
    cdef Py_ssize_t first_row   # the number of the first row in messages
    cdef object boards          # what the batch points into
    cdef object dice
    cdef object boards_given    # as they came, for messages
    cdef object dice_given
    cdef object rules
    cdef Batch batch
    cdef int stop

    def __init__(self, boards, dice, rules, generic, Py_ssize_t first_row=0):
        self.batch.rules = _c_rules(rules)
        self.rules = rules
        self.first_row = first_row
        self.boards_given = _shaped_boards(boards, "boards")
        self.n = len(self.boards_given)
        self.dice_given = _shaped_dice(dice, self.n)
        self.boards = _int8(self.boards_given)
        self.dice = _int8(self.dice_given)
        self.batch.only_generic = generic
        self.batch.dice_stride = 0 if self.dice.ndim == 1 else 2
        self.batch.boards = <const int8_t *> _memory(self.boards)
        self.batch.dice = <const int8_t *> _memory(self.dice)

    cdef int check_all(self) except -1:
        """Refuses the first throw that is none, else the first board that cannot be played."""
        cdef Py_ssize_t i
        cdef State s
        _check_dice(self.dice_given, self.first_row)
        for i in range(self.n):
            if not look_going(&s, self.batch.boards + i * ROW_BYTES, self.batch.rules):
                _check_board(self.batch.boards + i * ROW_BYTES, self.batch.rules,
                             self.boards_given[i], f"row {self.first_row + i}: ")
        return 0

    cdef int after_block(self, Py_ssize_t status) except -1:
        if status == NO_MEMORY:
            raise MemoryError("no memory for the plays of one call")
        if status == REFUSED:
            self.check_all()
            raise ValueError("the boards or the dice were changed during the call")
        check_signals()
        if self.stop:
            raise KeyboardInterrupt
        return 0

    def count(self, Py_ssize_t first, Py_ssize_t last, int64_t[::1] counts):
        cdef Scratch scratch
        cdef Py_ssize_t end
        cdef int status
        scratch_init(&scratch)
        try:
            while first < last:
                end = min(first + CALLS_PER_CHECK, last)
                with nogil:
                    status = kernel.count_many(&self.batch, first, end, &counts[0], &scratch)
                self.after_block(status)
                first = end
        finally:
            scratch_free(&scratch)

    cdef Py_ssize_t likely_plays(self, int64_t *counts) except -1:
        """How much room all plays will need, rather more than less; ``counts`` has room for all.

        One call in 32, all over the batch, is counted: then the arrays need not grow, which may
        copy them, and are not so large that the allocator takes new memory again and again.
        """
        cdef Scratch scratch
        cdef Py_ssize_t i = 0
        cdef int64_t total = 0
        cdef int status = DONE
        if self.n < UNCOUNTED:
            return self.n * PLAYS_A_CALL + MAX_UNEQUAL
        scratch_init(&scratch)
        with nogil:
            while i < self.n and status == DONE:
                counts[i] = 0
                status = kernel.count_many(&self.batch, i, i + 1, counts, &scratch)
                total += counts[i]
                i += SAMPLED
        scratch_free(&scratch)
        self.after_block(status)
        return <Py_ssize_t> (total * SAMPLED * 1.03) + MAX_UNEQUAL

    cdef Py_ssize_t write(self, Py_ssize_t first, Py_ssize_t last, _Room room, int64_t *offsets,
                          bint grows) except -1:
        """Appends plays; answers the first call that has not been written, which is ``last``
        where the room grows.
        """
        cdef Scratch scratch
        cdef Buffer spill
        cdef Py_ssize_t i = first, end
        scratch_init(&scratch)
        buffer_init(&spill)
        try:
            while i < last:
                end = min(i + CALLS_PER_CHECK, last)
                with nogil:
                    i = kernel.write_many(&self.batch, i, end, room.rows, offsets, &scratch,
                                          &spill, &room.sink)
                self.after_block(i)
                if i < end:     # full
                    if not grows:
                        break
                    # For the rest at the rate so far, and more; one call always fits.
                    room.resize(room.sink.count + MAX_DOUBLES
                                + (last - i) * (room.sink.count // max(i - first, 1) + 1)
                                * 9 // 8)
        finally:
            buffer_free(&spill)
            scratch_free(&scratch)
        return i

    def rewrite(self):
        cdef Scratch scratch
        cdef Buffer buffer
        cdef Sink out
        cdef Py_ssize_t first = 0, end, status = 0, total = 0
        scratch_init(&scratch)
        buffer_init(&buffer)
        try:
            if not buffer_ready(&buffer, False):
                self.after_block(NO_MEMORY)
            out = buffer_sink(&buffer)
            while first < self.n:
                end = min(first + CALLS_PER_CHECK, self.n)
                with nogil:
                    status = kernel.rewrite_many(&self.batch, first, end, &scratch, &out)
                self.after_block(status)
                total += status
                first = end
        finally:
            buffer_free(&buffer)
            scratch_free(&scratch)
        return total

    def gates(self):
        """Which calls the generic path takes."""
        cdef Py_ssize_t i
        cdef const int8_t *dice
        self.check_all()
        made = np.zeros(self.n, np.bool_)
        cdef uint8_t[::1] view = made.view(np.uint8)
        for i in range(self.n):
            dice = self.batch.dice + i * self.batch.dice_stride
            view[i] = kernel.is_rare(self.batch.boards + i * ROW_BYTES, dice[0], dice[1],
                                     self.batch.rules)
        return made

    def ask_to_stop(self):
        self.stop = 1


cdef class _Room:
    """Arrays for plays, and how far they are filled."""

    cdef Py_ssize_t rows
    cdef object boards, outcomes, steps
    cdef Sink sink

    cdef int aim(self) except -1:
        """Points the sink at the arrays."""
        self.rows = len(self.outcomes)
        self.sink.rows = <int8_t *> _memory(self.boards)
        self.sink.outcomes = <uint8_t *> _memory(self.outcomes)
        self.sink.steps = NULL if self.steps is None else <int8_t *> _memory(self.steps)
        return 0

    cdef int resize(self, Py_ssize_t rows) except -1:
        """Makes the arrays longer or shorter, in place where the memory allows it."""
        try:
            self.boards.resize((rows, 2, 26), refcheck=False)
            self.outcomes.resize((rows,), refcheck=False)
            if self.steps is not None:
                self.steps.resize((rows, 4, 4), refcheck=False)
        except MemoryError:
            raise _no_memory(rows, self.steps is not None) from None
        return self.aim()


cdef _Room _new_room(Py_ssize_t rows, bint steps):
    cdef _Room room = _Room.__new__(_Room)
    try:
        if rows >= UNCOUNTED:
            # Dropped at once. glibc keeps freed memory for the next call only up to the size of
            # what was freed before (32 MB at most), and results come back trimmed, thus always
            # smaller than what was asked for. New pages would cost a third of the whole work.
            np.empty((rows, 2, 26), _INT8)
        room.boards = np.empty((rows, 2, 26), _INT8)
        room.outcomes = np.empty(rows, _UINT8)
        room.steps = np.empty((rows, 4, 4), _INT8) if steps else None
    except MemoryError:
        raise _no_memory(rows, steps) from None
    room.sink = counting_sink()
    room.aim()
    return room


cdef object _no_memory(Py_ssize_t rows, bint steps):
    size = rows * (ROW_BYTES + 1 + (16 if steps else 0))
    return MemoryError(f"no memory for {rows:,} plays ({_megabytes(size)}); "
                       "iter_plays needs less at a time")


cdef object _numbers(Py_ssize_t n, str what):
    """Uninitialised int64, shape (n,)."""
    try:
        return np.empty(n, _INT64)
    except MemoryError:
        raise MemoryError(f"no memory for {n:,} {what} ({_megabytes(8 * n)})") from None


cdef object _checked_out(object out, _Calls calls, bint steps):
    """The caller's own arrays: the offsets and a _Room of the others, None without steps."""
    cdef _Room room = _Room.__new__(_Room)
    if not isinstance(out, tuple) or len(out) not in (3, 4):
        raise TypeError("out must be an Enumeration or a tuple (offsets, boards, outcomes[, "
                        f"steps]), not {type(out).__name__}")
    if steps and (len(out) == 3 or out[3] is None):
        raise ValueError("out has no array for the steps, and steps=True asks for them")
    wanted = [("offsets", _INT64, ()), ("boards", _INT8, (2, 26)), ("outcomes", _UINT8, ())]
    if steps:
        wanted.append(("steps", _INT8, (4, 4)))
    taken = [("the boards given", calls.boards_given), ("the dice given", calls.dice_given)]
    for array, (name, dtype, shape) in zip(out, wanted):
        name = f"out's {name}"
        if not isinstance(array, np.ndarray):
            raise TypeError(f"{name} must be a NumPy array, not {type(array).__name__}")
        if array.dtype != dtype:
            raise ValueError(f"{name} must be {dtype}, not {array.dtype}")
        if array.ndim != len(shape) + 1 or array.shape[1:] != shape:
            right = ", ".join(map(str, ("rows", *shape))) + ("" if shape else ",")
            raise ValueError(f"{name} must have the shape ({right}), not {array.shape}")
        if not array.flags.c_contiguous:
            raise ValueError(f"{name} must be C-contiguous")
        if not array.flags.writeable:
            raise ValueError(f"{name} must be writable")
        for other_name, other in taken:
            if np.may_share_memory(array, other):
                raise ValueError(f"{name} must not share memory with {other_name}")
        taken.append((name, array))
    if len(out[0]) <= calls.n:
        raise ValueError(f"out's offsets must have room for {calls.n + 1:,} numbers, "
                         f"one more than there are calls, not {len(out[0]):,}")
    room.boards, room.outcomes = out[1], out[2]
    room.steps = out[3] if steps else None
    room.sink = counting_sink()
    room.aim()
    room.rows = min([len(array) for array in out[1:len(wanted)]])
    return out[0][:calls.n + 1], room


def _in_threads(threads, n, work, ask_to_stop, block=None):
    """Runs ``work(first, last)`` over ``range(n)``; answers what the parts answered, in order.

    The parts are as equal as can be, and not longer than a block.
    """
    if threads == 1 or n < 2:
        return [work(0, n)] if n else []
    parts = min(n, max(threads * 8, -(-n // block) if block else 0))
    bounds = [n * k // parts for k in range(parts + 1)]
    with concurrent.futures.ThreadPoolExecutor(min(threads, parts)) as pool:
        futures = [pool.submit(work, bounds[k], bounds[k + 1]) for k in range(parts)]
        try:
            return [future.result() for future in futures]
        except BaseException:
            ask_to_stop()
            for future in futures:
                future.cancel()
            raise


cdef class _Line:
    """The blocks of a call in several threads, which take their places in order.

    Each block is written to memory that its thread uses again and again, and then copied. The
    copying is done in the threads too; to count first would take longer.
    """

    cdef _Calls calls
    cdef _Room room
    cdef int64_t *offsets
    cdef bint steps
    cdef Py_ssize_t broken      # the first call of the first block that failed
    cdef bint may_grow
    cdef Py_ssize_t next_call
    cdef int64_t plays
    cdef object moved           # a Condition: the next block may take its place
    cdef list spare             # rooms that no thread uses now
    cdef list late              # (place, room) of blocks that did not fit

    def block(self, Py_ssize_t first, Py_ssize_t last):
        cdef _Room mine
        try:
            mine = self.spare.pop()
        except IndexError:
            mine = _new_room(min(last - first, BLOCK) * PLAYS_A_CALL + MAX_UNEQUAL, self.steps)
        try:
            mine.sink.count = 0
            self.calls.write(first, last, mine, self.offsets, True)
            place = self.take_place(first, last, mine.sink.count)
        except BaseException:
            with self.moved:
                self.broken = min(self.broken, first)
                self.moved.notify_all()
            raise
        self.settle(first, last, place, mine)

    cdef int64_t take_place(self, Py_ssize_t first, Py_ssize_t last, Py_ssize_t count) except -1:
        with self.moved:
            while self.next_call != first:
                if self.broken < first:
                    raise KeyboardInterrupt     # that block says why
                self.moved.wait()
            place = self.plays
            self.plays += count
            self.next_call = last
            self.moved.notify_all()
        return place

    cdef int settle(self, Py_ssize_t first, Py_ssize_t last, int64_t place, _Room mine) except -1:
        cdef Py_ssize_t i
        for i in range(first + 1, last + 1):
            self.offsets[i] += place
        if place + mine.sink.count <= self.room.rows:
            self.copy(place, mine)
        elif self.may_grow:
            self.late.append((place, mine))
            return 0
        self.spare.append(mine)
        return 0

    cdef void copy(self, int64_t place, _Room mine) noexcept:
        cdef Sink to = self.room.sink
        cdef Sink *more = &mine.sink
        to.count = place
        with nogil:
            append_plays(&to, more)

    cdef int run(self, threads) except -1:
        _in_threads(threads, self.calls.n, self.block, self.calls.ask_to_stop, BLOCK)
        if self.late:
            self.room.resize(self.plays)
            for place, room in self.late:
                self.copy(place, room)
        self.room.sink.count = self.plays
        return 0


cdef int _write_in_threads(_Calls calls, threads, _Room room, int64_t *offsets, bint steps,
                           bint may_grow) except -1:
    cdef _Line line = _Line.__new__(_Line)
    line.calls = calls
    line.room = room
    line.offsets = offsets
    line.steps = steps
    line.may_grow = may_grow
    line.broken = calls.n
    line.moved = threading.Condition()
    line.spare = []
    line.late = []
    return line.run(threads)


cdef object _enumerate(_Calls calls, bint steps, threads, out):
    cdef _Room room
    cdef int64_t *c_offsets
    cdef Py_ssize_t written = calls.n
    if out is None:
        offsets = _numbers(calls.n + 1, "offsets")
        c_offsets = <int64_t *> _memory(offsets)
        room = _new_room(calls.likely_plays(c_offsets), steps)
    else:
        offsets, room = _checked_out(out, calls, steps)
        c_offsets = <int64_t *> _memory(offsets)
    c_offsets[0] = 0
    if threads == 1 or calls.n < 2:
        written = calls.write(0, calls.n, room, c_offsets, out is None)
        plays = room.sink.count
    else:
        _write_in_threads(calls, threads, room, c_offsets, steps, out is None)
        plays = room.sink.count
    if out is None:
        room.resize(plays)
        return Enumeration(offsets, room.boards, room.outcomes, room.steps)
    if written < calls.n:
        counts = _numbers(calls.n, "counts")
        calls.count(written, calls.n, counts)
        plays += int(counts[written:].sum())
    if plays > room.rows:
        raise ValueError(f"out has room for {room.rows:,} plays, and there are {plays:,}")
    return Enumeration(offsets, room.boards[:plays], room.outcomes[:plays],
                       room.steps[:plays] if steps else None)


def enumerate_plays(boards, dice, rules=BRADE, *, steps=False, threads=1, generic=False,
                    out=None):
    """All legal plays of many positions, each distinct (position, outcome) once.

    Parameters
    ----------
    boards : integer array-like, shape (n, 2, 26)
        Mover first, each on his own way: index 0 bar, 1 to 24 the points, 25 off.
    dice : integer array-like, shape (n, 2) or (2,)
        Throws in either order; one throw serves all boards.
    rules : Rules
    steps : bool
        Name the steps too.
    threads : int
        The result does not depend on it.
    generic : bool
        Send every call to the generic path: a cross-check, slower.
    out : Enumeration or tuple (offsets, boards, outcomes[, steps])
        Arrays of yours to write to, for those who call again and again: of the types and shapes
        below, longer if you like, C-contiguous, writable, apart from each other and the input.
        The arrays of the result are then views of their beginnings. After an error they hold
        nothing of use.

    Returns
    -------
    Enumeration
        ``offsets`` int64 (n + 1,), ``boards`` int8 (m, 2, 26) as the next player sees them,
        ``outcomes`` uint8 (m,), ``steps`` int8 (m, 4, 4) or None.

    Raises
    ------
    InvalidPositionError, InvalidDiceError
        Naming the first row at fault; also where somebody has already won.
    TypeError
        If values are not integers.
    ValueError
        If ``out`` cannot be used; where it is too small, saying how many plays there are.
    MemoryError
        Saying how many plays, and bytes, there is no room for.
    """
    _c_rules(rules)
    threads = _at_least(threads, "threads", 1)
    return _enumerate(_Calls(boards, dice, rules, bool(generic)), bool(steps), threads, out)


def iter_plays(boards, dice, rules=BRADE, *, chunk=65536, steps=False, threads=1):
    """The plays of very many positions, some at a time: for jobs larger than memory.

    Parameters
    ----------
    boards, dice, rules, steps, threads
        As in ``enumerate_plays``. Arrays are read chunk by chunk, so they may be memory-mapped.
    chunk : int
        So many calls are answered at a time, at most.

    Returns
    -------
    iterator of Enumeration
        One for each chunk, its offsets beginning at 0; none if there are no boards.

    Raises
    ------
    InvalidPositionError, InvalidDiceError
        On the way, naming the first row of a chunk at fault by its number among all.
    TypeError, ValueError
        At once, if the arguments have wrong types or shapes.
    """
    _c_rules(rules)
    threads = _at_least(threads, "threads", 1)
    chunk = _at_least(chunk, "chunk", 1)
    boards = _shaped_boards(boards, "boards")
    return _chunks(boards, _shaped_dice(dice, len(boards)), rules, chunk, bool(steps), threads)


def _chunks(boards, dice, rules, chunk, steps, threads):
    for first in range(0, len(boards), chunk):
        some = dice if dice.ndim == 1 else dice[first:first + chunk]
        yield _enumerate(_Calls(boards[first:first + chunk], some, rules, False, first), steps,
                         threads, None)


def count_plays(boards, dice, rules=BRADE, *, threads=1, generic=False):
    """How many distinct plays many positions have; parameters and errors as above.

    Returns
    -------
    int64, shape (n,)
        At least 1 each: a pass is a play.
    """
    cdef _Calls calls
    _c_rules(rules)
    threads = _at_least(threads, "threads", 1)
    calls = _Calls(boards, dice, rules, bool(generic))
    counts = _numbers(calls.n, "counts")
    _in_threads(threads, calls.n, lambda i, k: calls.count(i, k, counts), calls.ask_to_stop)
    return counts


# ================================================================ steps played again

def apply(boards, steps, rules=BRADE, *, threads=1):
    """Plays the steps of many turns again, as ``enumerate_plays`` names them.

    Each step must be legal where it is made (sections 2 and 4; nothing is played after an end,
    nor by the Junker), its target and its hit must be what it says, and the dice must be of one
    throw. Whether the turn as a whole fulfils the duties of section 3 depends on the throw and
    on all other plays: that is not looked at. An unfinished turn is taken too.

    Parameters
    ----------
    boards : integer array-like, shape (n, 2, 26)
        As in ``enumerate_plays``.
    steps : integer array-like, shape (n, 4, 4)
        For each board (source, target, die, hit) in playing order; unused rows, the last ones,
        hold -1.
    rules : Rules
    threads : int

    Returns
    -------
    Applied
        ``boards`` int8 (n, 2, 26) as the next player sees them, ``outcomes`` uint8 (n,).

    Raises
    ------
    IllegalPlayError
        Naming the first row at fault, the step and what is wrong with it.
    InvalidPositionError
        Naming the first row at fault; also where somebody has already won.
    TypeError, ValueError
        If values are not integers or the shapes do not fit.
    """
    cdef _Calls calls
    cdef Py_ssize_t n
    _c_rules(rules)
    threads = _at_least(threads, "threads", 1)
    calls = _Calls(boards, _NO_DICE, rules, False)
    n = calls.n
    given = steps if _is_ready(steps) else _int_array(steps, "steps", ValueError, f"({n}, 4, 4)")
    if n == 0 and _is_empty_list(steps):
        given = np.empty((0, 4, 4), np.int8)
    if given.shape != (n, 4, 4):
        raise ValueError(f"steps must have the shape ({n}, 4, 4), not {given.shape}")
    taken = _int8(given, misfit=127)
    try:
        after, outcomes = np.empty((n, 2, 26), _INT8), np.empty(n, _UINT8)
    except MemoryError:
        raise MemoryError(f"no memory for {n:,} boards ({_megabytes(n * 53)})") from None
    _in_threads(threads, n, lambda i, k: _apply(calls, taken, given, i, k, after, outcomes),
                calls.ask_to_stop)
    return Applied(after, outcomes)


def _apply(_Calls calls, taken, given, Py_ssize_t first, Py_ssize_t last, after, outcomes):
    cdef const int8_t *steps = <const int8_t *> _memory(taken)
    cdef int8_t *c_after = <int8_t *> _memory(after)
    cdef uint8_t *c_outcomes = <uint8_t *> _memory(outcomes)
    cdef Fault fault
    cdef Py_ssize_t end, i
    while first < last:
        end = min(first + CALLS_PER_CHECK, last)
        with nogil:
            i = kernel.apply_many(&calls.batch, steps, first, end, c_after, c_outcomes, &fault)
        if i < end:
            if fault.step < 0:
                calls.after_block(REFUSED)
            why = _why_not(&fault, given[i].tolist(), calls.rules)
            raise IllegalPlayError(f"row {i}: step {fault.step + 1}, "
                                   f"{tuple(given[i, fault.step].tolist())}: {why}")
        calls.after_block(DONE)
        first = end


cdef str _why_not(const Fault *fault, list steps, rules):
    """Why a step cannot be made on the board that the steps before it led to, in words."""
    cdef State s
    cdef const CRules *c_rules = _c_rules(rules)
    cdef int target, here
    source, to, die, hit = steps[fault.step]
    look_back(&s, fault.board)
    if -1 in (source, to, die, hit):
        return "an unused row is -1 throughout, and no step comes after it"
    if fault.step and -1 in steps[fault.step - 1]:
        return "no step comes after an unused row"
    if fault.outcome != NONE:
        return f"the game is over after the step before it ({Outcome(fault.outcome).name})"
    if fault.step == 0 and junker(&s, c_rules):
        return "the mover has more men on the bar than can enter: he passes (the Junker)"
    if not 1 <= die <= 6:
        return f"a die is 1 to 6, not {die}"
    if fault.step > 1 and any(step[2] != die for step in steps[:fault.step]):
        return "more than two steps are made with equal dice alone"
    if not 0 <= source <= 24:
        return f"a source is 0 (the bar) to 24, not {source}"
    target = min(source + die, OFF)
    if to != target:
        return f"with a {die} a man from {source} comes to {target} (25 is off), not to {to}"
    if s.men[source] == 0:
        return f"the mover has no man on {'the bar' if source == 0 else source}"
    if source and s.men[0]:
        return "men on the bar must enter first"
    if target == OFF:
        if s.own & ~<uint32_t> Q4:
            return "no man is borne off while others are outside the last quadrant"
        if hit == 0:
            return f"the die does not bear off the man on {source} while others stand behind him"
        return "nobody is hit where a man is borne off"
    here = s.foes[foe_point(target)]
    if source == 0 and s.men[target]:
        return f"a man of his own stands on {target}, where he would enter"
    if s.men[target] and bit(target) & FAR_SIDE:
        return f"a man of his own stands on {target}: on 2 to 11 only one may stand"
    if s.men[target] and rules.five_blots and s.men[1] > 10:
        return f"a man of his own stands on {target}, and five have not left the talon yet"
    if here > 1 and not _can_force(&s, source, target, c_rules):
        return f"the other player has made point {target}, and it may not be forced"
    return f"its hit must be {min(here, 2)}, not {hit}"


cdef bint _can_force(const State *s, int source, int target, const CRules *rules):
    cdef uint32_t forceable = block_forceable(s, rules)
    if source == 0:
        forceable |= entry_forceable(s, rules)
    return forceable & bit(target) != 0


def write_plays(boards, dice, rules=BRADE, *, generic=False):
    """Writes the plays of each call over those of the last, and answers how many there were.

    This is the enumerator alone, for benchmarks: memory is re-used and nothing is kept.
    """
    cdef _Calls calls = _Calls(boards, dice, rules, bool(generic))
    return calls.rewrite()


def generic_calls(boards, dice, rules=BRADE):
    """Which calls the generic path takes: bool, shape (n,); errors as in ``enumerate_plays``."""
    cdef _Calls calls = _Calls(boards, dice, rules, False)
    return calls.gates()


# ================================================================ for other Cython modules

cdef void look_at(const int8_t *board, State *state) noexcept nogil:
    look(state, board)


cdef struct _Memory:            # of a Workspace
    Scratch scratch
    Buffer buffer


cdef class Workspace:
    """What calls from Cython need: rules and memory (``_core.pxd``). One thread at a time.

    Parameters
    ----------
    rules : Rules
    steps : bool
        Name the steps too.

    Raises
    ------
    TypeError, MemoryError
    """

    def __init__(self, rules=BRADE, *, steps=False):
        cdef _Memory *memory
        if self.memory != NULL:
            raise TypeError("a Workspace cannot be changed")
        self.c_rules = _c_rules(rules)
        self.rules = rules
        memory = <_Memory *> malloc(sizeof(_Memory))
        if memory == NULL:
            raise MemoryError("no memory for a Workspace")
        scratch_init(&memory.scratch)
        buffer_init(&memory.buffer)
        self.memory = memory
        if not buffer_ready(&memory.buffer, bool(steps)):
            raise MemoryError("no memory for the plays of one call")
        self.plays = buffer_sink(&memory.buffer)

    def __dealloc__(self):
        cdef _Memory *memory = <_Memory *> self.memory
        if memory != NULL:
            scratch_free(&memory.scratch)
            buffer_free(&memory.buffer)
            free(memory)

    cdef Py_ssize_t enumerate(self, const int8_t *board, int d1, int d2) noexcept nogil:
        cdef _Memory *memory = <_Memory *> self.memory
        cdef State s
        if (memory == NULL or not (1 <= d1 <= 6 and 1 <= d2 <= 6)
                or not look_going(&s, board, self.c_rules)):
            return REFUSED
        self.plays.count = 0
        if kernel.plays_of_board(board, d1, d2, self.c_rules, False, &memory.scratch,
                                 &self.plays) < 0:
            return NO_MEMORY
        return self.plays.count

    cdef int apply(self, const int8_t *board, const int8_t *steps, int8_t *after) noexcept nogil:
        cdef Batch batch
        cdef Fault fault
        cdef int8_t dice[2]
        cdef uint8_t result
        if self.memory == NULL:
            return REFUSED
        dice[0] = dice[1] = 1   # the steps name their own
        batch.boards = board
        batch.dice = dice
        batch.dice_stride = 0
        batch.rules = self.c_rules
        batch.only_generic = False
        if kernel.apply_many(&batch, steps, 0, 1, after, &result, &fault) < 1:
            return REFUSED
        return result


# ================================================================ perft and playouts

cdef Position _as_position(object position):
    return position if isinstance(position, Position) else Position.from_array(position)


def _check_going(Position position, rules):
    _check_board(position.b, _c_rules(rules), position.array(), "")


def _walk(const int8_t[:, :, ::1] boards, int depth, rules, const int[::1] stop):
    """Nodes of some positions together."""
    cdef const CRules *c_rules = _c_rules(rules)
    cdef int64_t nodes = 0
    cdef int status
    cdef Py_ssize_t n = boards.shape[0]
    with nogil:
        status = kernel.walk_many(&boards[0, 0, 0], n, depth, c_rules, &stop[0], &nodes)
    _raise_status(status)
    return nodes


cdef int _raise_status(int status) except -1:
    if status == NO_MEMORY:
        raise MemoryError("no memory for the plays of one call")
    if status == STOPPED:
        if PyErr_Occurred() != NULL:    # the loop has heard Ctrl-C itself
            return -1
        raise KeyboardInterrupt
    return 0


def perft(position, depth, rules=BRADE, *, threads=1):
    """The number of lines of play ``depth`` turns deep, over all 21 throws.

    ``perft(p, 0)`` is 1; ``perft(p, d)`` is the sum over the throws and their distinct plays of
    1 if the play ended the game, else ``perft(next, d - 1)``. A pass is a play; a deadlock is
    not an end.

    Parameters
    ----------
    position : Position, or integer array-like of shape (2, 26)
    depth : int
        0 to 100.
    rules : Rules
    threads : int

    Raises
    ------
    InvalidPositionError
        If the position is invalid or somebody has already won.
    ValueError, TypeError
        For other numbers that cannot be.
    """
    _c_rules(rules)
    threads = _at_least(threads, "threads", 1)
    cdef Position start = _as_position(position)
    depth = _at_least(depth, "depth", 0)
    if depth > MAX_DEPTH:
        raise ValueError(f"depth must be at most {MAX_DEPTH}, not {depth}")
    _check_going(start, rules)
    stop = np.zeros(1, np.intc)
    board = start.array()[None]
    if threads == 1 or depth < 2:
        return _walk(board, depth, rules, stop)
    first = enumerate_plays(np.repeat(board, 21, axis=0), _all_throws(), rules)
    going = first.boards[first.outcomes == NONE]
    nodes = len(first.boards) - len(going)

    def part(i, k):
        return _walk(going[i:k], depth - 1, rules, stop)

    return nodes + sum(_in_threads(threads, len(going), part, lambda: stop.fill(1)))


def _all_throws():
    return np.array([(d1, d2) for d1 in range(1, 7) for d2 in range(1, d1 + 1)], np.int8)


def _play_games(const int8_t[:, :, ::1] boards, Py_ssize_t trials, uint64_t seed, rules,
                Py_ssize_t first, Py_ssize_t last, int[::1] stop):
    """Games ``first`` to ``last`` of all (position, trial) in order: first position, counts, turns.
    """
    cdef const CRules *c_rules = _c_rules(rules)
    cdef Scratch scratch
    cdef Buffer buffer
    cdef Sink out
    cdef Py_ssize_t position = first // trials, game, end, base = first // trials
    cdef int status = DONE
    buffer_init(&buffer)
    counts = np.zeros(((last - 1) // trials - base + 1, 2 * OUTCOMES), np.int64)
    turns = np.zeros(len(counts), np.int64)
    cdef int64_t[:, ::1] c_counts = counts
    cdef int64_t[::1] c_turns = turns
    scratch_init(&scratch)
    try:
        if not buffer_ready(&buffer, False):
            _raise_status(NO_MEMORY)
        out = buffer_sink(&buffer)
        while first < last:
            end = min(first + 64, last)     # some milliseconds of games
            with nogil:
                for game in range(first, end):
                    position = game // trials
                    status = kernel.play_out(&boards[position, 0, 0],
                                             trial_key(seed, game % trials),
                                             c_rules, &stop[0], &scratch, &out,
                                             &c_counts[position - base, 0],
                                             &c_turns[position - base])
                    if status != DONE:
                        break
            _raise_status(status)
            check_signals()
            if stop[0]:
                raise KeyboardInterrupt
            first = end
    finally:
        buffer_free(&buffer)
        scratch_free(&scratch)
    return base, counts, turns


def playouts(positions, trials, seed=None, rules=BRADE, *, threads=1):
    """Random games, each play uniform among the distinct ones.

    Parameters
    ----------
    positions : Position, sequence of Position, or integer array-like (n, 2, 26) or (2, 26)
    trials : int
        Games for each position. Trial ``t`` has the same dice for every position.
    seed : int or None
        0 to 2**64 - 1; None draws one. The answer depends on positions, trials, seed and rules
        alone, whatever the number of threads.
    rules : Rules
    threads : int

    Returns
    -------
    Playouts
        ``outcomes`` int64 (n, 2, 14) by [position, winner, Outcome], ``turns`` int64 (n,).

    Raises
    ------
    InvalidPositionError
        Naming the first row that is invalid or that somebody has already won.
    ValueError, TypeError
    """
    cdef _Calls checked
    _c_rules(rules)
    threads = _at_least(threads, "threads", 1)
    boards = _positions_array(positions)
    trials = _at_least(trials, "trials", 0)
    if seed is None:
        seed = secrets.randbits(64)
    seed = _below_2_64(seed, "seed")
    n = len(boards)
    if n * trials >= 1 << 62:
        raise ValueError(f"{n} positions of {trials} trials are too many games")
    boards = np.array(boards)   # nobody else can change it
    checked = _Calls(boards, _NO_DICE, rules, False)
    checked.check_all()
    boards = _int8(boards)
    outcomes = np.zeros((n, 2 * OUTCOMES), np.int64)
    turns = np.zeros(n, np.int64)
    stop = np.zeros(1, np.intc)

    def part(i, k):
        return _play_games(boards, trials, seed, rules, i, k, stop)

    for base, some, some_turns in _in_threads(threads, n * trials, part, lambda: stop.fill(1)):
        outcomes[base:base + len(some)] += some
        turns[base:base + len(some)] += some_turns
    return Playouts(outcomes.reshape(n, 2, OUTCOMES), turns)


def _positions_array(positions):
    """Boards of what ``playouts`` takes, shape (n, 2, 26)."""
    if isinstance(positions, Position):
        return positions.array()[None]
    if isinstance(positions, (list, tuple)):
        positions = [p.array() if isinstance(p, Position) else p for p in positions]
    if not _is_empty_list(positions):
        positions = _int_array(positions, "positions", InvalidPositionError, "(n, 2, 26)")
        if positions.shape == (2, 26):
            positions = positions[None]
    return _shaped_boards(positions, "positions")


def throws(seed, trial, count):
    """The first throws of a trial of ``playouts``: int8, shape (count, 2)."""
    cdef uint64_t key = trial_key(_below_2_64(seed, "seed"), _below_2_64(trial, "trial"))
    cdef int d1, d2
    count = _at_least(count, "count", 0)
    made = np.empty((count, 2), np.int8)
    for turn in range(count):
        throw_dice(draw(key, turn), &d1, &d2)
        made[turn] = d1, d2
    return made


def cpu_levels():
    """The CPU levels that this build has and this machine can run, the best one last."""
    return tuple(_KERNELS)


def build_info():
    """How the kernel in use was built: compiler, flags, CPU level and what that stands for."""
    return {
        "compiler": kernel.compiler.decode(),
        "flags": kernel.flags.decode(),
        "level": _LEVEL,
        "cpu": kernel.cpu.decode(),
    }

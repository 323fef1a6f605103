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

import numpy as np

from brade_fast.rules import (
    BRADE,
    Enumeration,
    IllegalPlayError,
    InvalidDiceError,
    InvalidPositionError,
    Outcome,
    Playouts,
    Rules,
)

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.pycapsule cimport PyCapsule_GetPointer
from cpython.exc cimport PyErr_CheckSignals as check_signals, PyErr_Occurred
from libc.stdint cimport int8_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy

from brade_fast._state cimport *
from brade_fast._generic cimport MAX_DOUBLES, Scratch, is_deadlock, scratch_free, scratch_init
from brade_fast._kernel cimport *
from brade_fast._bulk cimport (
    CALLS_PER_CHECK, Buffer, buffer_free, buffer_ready, buffer_sink, draw, look_going, look_valid,
    throw_dice, trial_key,
)

__all__ = [
    "Play",
    "Position",
    "Step",
    "build_info",
    "count_plays",
    "cpu_levels",
    "enumerate_plays",
    "generic_calls",
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

cdef enum:
    SMALL_BATCH = 256           # fewer calls are counted first: they need no room to spare
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


cdef object _int8(object array):
    """The array as C-contiguous int8; values that do not fit become -1, which is refused."""
    if array.dtype == np.uint8:
        array = array.view(np.int8) if array.flags.c_contiguous else array
    if array.dtype != np.int8:
        array = np.where((array < 0) | (array > 127), -1, array).astype(np.int8)
    return np.ascontiguousarray(array)


cdef object _boards_array(object boards, str name):
    """Checked for type and shape: (original, int8 copy or view)."""
    array = _int_array(boards, name, InvalidPositionError, "(n, 2, 26)")
    if _is_empty_list(boards):
        array = np.empty((0, 2, 26), np.int8)
    if array.ndim != 3 or array.shape[1:] != (2, 26):
        raise InvalidPositionError(f"{name} must have the shape (n, 2, 26), not {array.shape}")
    return array, _int8(array)


cdef object _dice_array(object dice, Py_ssize_t n):
    array = _int_array(dice, "dice", InvalidDiceError, f"(2,) or ({n}, 2)")
    if _is_empty_list(dice) and n == 0:
        array = np.empty((0, 2), np.int8)
    if array.shape != (2,) and array.shape != (n, 2):
        raise InvalidDiceError(f"dice must have the shape (2,) or ({n}, 2), not {array.shape}")
    bad = np.flatnonzero(((array < 1) | (array > 6)).reshape(-1, 2).any(axis=1))
    if bad.size:
        row = f"row {bad[0]}: " if array.ndim == 2 else ""
        pair = array.reshape(-1, 2)[bad[0]].tolist()
        raise InvalidDiceError(f"{row}a throw is two numbers from 1 to 6, not {pair}")
    return _int8(array)


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
    cdef object a = _whole(d1, "a die")
    cdef object b = _whole(d2, "a die")
    if not (1 <= a <= 6 and 1 <= b <= 6):
        raise InvalidDiceError(f"a throw is two numbers from 1 to 6, not {[a, b]}")
    high[0] = max(a, b)
    low[0] = min(a, b)
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

cdef class Play:
    """A whole turn: what ``Position.plays`` answers; it cannot be made by hand.

    Two plays are equal if they start from the same position, throw and rules and lead to the
    same position and outcome (section 3).
    """

    cdef readonly Position origin
    cdef readonly object rules
    cdef int8_t board[ROW_BYTES]
    cdef int8_t step_bytes[16]
    cdef uint8_t result
    cdef uint8_t high
    cdef uint8_t low

    def __init__(self, *args, **kwargs):
        raise TypeError("plays come from Position.plays()")

    @property
    def steps(self):
        """The steps in playing order, one of the sequences that make this play; () is a pass."""
        return _steps(self.step_bytes)

    @property
    def canonical_steps(self):
        """The sequence with the smallest list of (source rising, die falling).

        It depends on position, throw, rules, result and outcome alone.
        """
        cdef Scratch scratch
        cdef int8_t steps[16]
        cdef int status
        scratch_init(&scratch)
        status = kernel.canonical(self.origin.b, self.high, self.low, self.board, self.result,
                                  _c_rules(self.rules), &scratch, steps)
        scratch_free(&scratch)
        if status < 0:
            raise MemoryError
        if status == 0:
            raise AssertionError("a play without a legal sequence")
        return _steps(steps)

    @property
    def position(self):
        """The position after the play, as the next player sees it."""
        return _position(self.board)

    @property
    def outcome(self):
        """What the play made of the game."""
        return _OUTCOMES[self.result]

    @property
    def dice(self):
        """The throw, the higher die first."""
        return self.high, self.low

    cdef object _key(self):
        return (self.origin, self.high, self.low, self.rules,
                PyBytes_FromStringAndSize(<char *> self.board, ROW_BYTES), self.result)

    def __eq__(self, other):
        if not isinstance(other, Play):
            return NotImplemented
        return self._key() == (<Play> other)._key()

    def __hash__(self):
        return hash(self._key())

    def __str__(self):
        from brade_fast.notation import play_text
        return play_text(self)

    def __repr__(self):
        return f"<Play {self.high}-{self.low}: {self}>"

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return _find_play, (self.origin, self.high, self.low, self.rules, self.position,
                            self.result)


def _find_play(origin, high, low, rules, position, outcome):
    """The legal play with this result; how plays are unpickled."""
    for play in origin.plays(high, low, rules):
        if play.position == position and play.outcome == outcome:
            return play
    raise IllegalPlayError(f"no play of {origin.id} with {high}-{low} leads to {position.id}")


# ================================================================ Position

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

    cdef int8_t b[ROW_BYTES]

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
        values = _int_array(array, "a position", InvalidPositionError, "(2, 26)")
        if values.shape != (2, 26):
            raise InvalidPositionError(
                f"a position must have the shape (2, 26), not {values.shape}")
        cdef Position made = Position.__new__(Position)
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
        made = np.empty((2, 26), np.int8)
        cdef int8_t[:, ::1] view = made
        memcpy(&view[0, 0], self.b, ROW_BYTES)
        return made

    cdef bytes _packed(self):
        """Ten bytes: for each point and the bar as many 1-bits as men, then a 0."""
        cdef uint8_t packed[10]
        cdef int place = 0, half, point, k
        for k in range(10):
            packed[k] = 0
        for half in range(2):
            for k in range(25):
                point = self.b[26 * half + (k + 1 if k < 24 else 0)]
                while point > 0:
                    packed[place >> 3] |= 1 << (place & 7)
                    place += 1
                    point -= 1
                place += 1
        return PyBytes_FromStringAndSize(<char *> packed, 10)

    @property
    def id(self):
        """The position id, 14 characters. Positions sort as the ten bytes behind their ids do."""
        return base64.urlsafe_b64encode(self._packed()).decode().rstrip("=")

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
        cdef Scratch scratch
        cdef Sink out = counting_sink()
        cdef Play play
        cdef Py_ssize_t i
        cdef int high, low
        cdef int8_t *memory = NULL
        _check_throw(d1, d2, &high, &low)
        if is_over(self.b, c_rules):
            raise InvalidPositionError(_won(self.b, c_rules))
        scratch_init(&scratch)
        try:
            if kernel.plays_of_board(self.b, high, low, c_rules, False, &scratch,
                                     &out) < 0:
                raise MemoryError
            memory = <int8_t *> malloc(out.count * (ROW_BYTES + 16 + 1))
            if memory == NULL:
                raise MemoryError
            out.rows = memory
            out.steps = memory + out.count * ROW_BYTES
            out.outcomes = <uint8_t *> (out.steps + out.count * 16)
            out.count = 0
            if kernel.plays_of_board(self.b, high, low, c_rules, False, &scratch,
                                     &out) < 0:
                raise MemoryError
            made = []
            for i in range(out.count):
                play = Play.__new__(Play)
                play.origin = self
                play.rules = rules
                play.high = high
                play.low = low
                play.result = out.outcomes[i]
                memcpy(play.board, out.rows + i * ROW_BYTES, ROW_BYTES)
                memcpy(play.step_bytes, out.steps + i * 16, 16)
                made.append(play)
        finally:
            free(memory)
            scratch_free(&scratch)
        return tuple(made)

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
        return _compare((<Position> self)._packed(), (<Position> other)._packed(), op)

    def __hash__(self):
        return hash(PyBytes_FromStringAndSize(<char *> self.b, ROW_BYTES))

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


cdef Position _position(const int8_t *board):
    cdef Position made = Position.__new__(Position)
    memcpy(made.b, board, ROW_BYTES)
    return made


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

cdef class _Calls:
    """Checked boards, throws and rules of one bulk call; its methods run parts of it."""

    cdef Py_ssize_t n
    cdef const int8_t[::1] boards
    cdef const int8_t[::1] dice
    cdef object original        # the boards as they came, for messages
    cdef object keep            # the Rules, whose bytes the batch points into
    cdef Batch batch
    cdef int stop

    def __init__(self, boards, dice, rules, generic):
        self.batch.rules = _c_rules(rules)
        self.keep = rules
        self.original, array = _boards_array(boards, "boards")
        self.n = len(array)
        throws = _dice_array(dice, self.n)
        self.boards = array.reshape(-1)
        self.dice = throws.reshape(-1)
        self.batch.only_generic = generic
        self.batch.dice_stride = 0 if throws.ndim == 1 else 2
        if self.n == 0:
            return
        self.batch.boards = &self.boards[0]
        self.batch.dice = &self.dice[0]

    cdef int own_copy(self) except -1:
        """Makes the boards and throws a copy that nobody else can change."""
        self.boards = np.array(self.boards)
        self.dice = np.array(self.dice)
        if self.n:
            self.batch.boards = &self.boards[0]
            self.batch.dice = &self.dice[0]
        return 0

    cdef int check_all(self) except -1:
        """Refuses the first row that cannot be played."""
        cdef Py_ssize_t i
        cdef State s
        for i in range(self.n):
            if not look_going(&s, self.batch.boards + i * ROW_BYTES, self.batch.rules):
                _check_board(self.batch.boards + i * ROW_BYTES, self.batch.rules,
                             self.original[i], f"row {i}: ")
        return 0

    cdef int after_block(self, Py_ssize_t status) except -1:
        if status == NO_MEMORY:
            raise MemoryError("no memory for the generic path")
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

    def write(self, Py_ssize_t first, Py_ssize_t last, const int64_t[::1] offsets,
              int8_t[::1] rows, uint8_t[::1] outcomes, int8_t[::1] steps):
        """Writes the plays of some calls to their places, which were counted before."""
        cdef Scratch scratch
        cdef Sink out = counting_sink()
        cdef Py_ssize_t end, status = DONE
        out.rows = &rows[0]
        out.outcomes = &outcomes[0]
        out.steps = NULL if steps is None else &steps[0]
        out.count = offsets[first]
        scratch_init(&scratch)
        try:
            while first < last:
                end = min(first + CALLS_PER_CHECK, last)
                with nogil:
                    status = kernel.write_counted(&self.batch, first, end, &scratch, &out)
                self.after_block(status)
                first = end
        finally:
            scratch_free(&scratch)
        if out.count != offsets[last]:
            raise AssertionError("counted and written plays differ")

    def grow(self, arrays, int64_t[::1] offsets):
        """Writes all plays to arrays that grow as they fill; for one thread."""
        cdef Scratch scratch
        cdef Sink out = counting_sink()
        cdef Py_ssize_t capacity, i = 0
        cdef int8_t[::1] rows, steps
        cdef uint8_t[::1] outcomes
        cdef int64_t *counts = &offsets[0]
        scratch_init(&scratch)
        try:
            while True:
                capacity = len(arrays[0])
                rows = arrays[0].reshape(-1)
                outcomes = arrays[1]
                steps = None if arrays[2] is None else arrays[2].reshape(-1)
                out.rows = &rows[0]
                out.outcomes = &outcomes[0]
                out.steps = NULL if steps is None else &steps[0]
                while i < self.n:
                    first = i
                    with nogil:
                        i = kernel.write_many(&self.batch, i, min(i + CALLS_PER_CHECK, self.n),
                                       capacity, counts, &scratch, &out)
                    self.after_block(i)
                    if i == first:
                        break
                rows = steps = None
                outcomes = None
                if i == self.n:
                    _resize(arrays, out.count)
                    return
                # Enough for the rest at the rate so far, and an eighth more.
                _resize(arrays, out.count + MAX_DOUBLES
                        + (self.n - i) * (out.count // max(i, 1) + 1) * 9 // 8)
        finally:
            scratch_free(&scratch)

    def rewrite(self):
        cdef Scratch scratch
        cdef Buffer buffer
        cdef Sink out
        cdef Py_ssize_t first = 0, end, status = 0, total = 0
        scratch_init(&scratch)
        try:
            if not buffer_ready(&buffer):
                raise MemoryError
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


def _resize(arrays, rows):
    """Makes the result arrays longer or shorter in place, where the memory allows it."""
    for array in arrays:
        if array is not None:
            array.resize((rows, *array.shape[1:]), refcheck=False)


def _in_threads(threads, n, work, ask_to_stop):
    """Runs ``work(first, last)`` over ``range(n)``; answers what the parts answered, in order."""
    if threads == 1 or n < 2:
        return [work(0, n)] if n else []
    parts = min(n, threads * 8)
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


def enumerate_plays(boards, dice, rules=BRADE, *, steps=False, threads=1, generic=False):
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
    generic : bool
        Send every call to the generic path: a cross-check, slower.

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
    """
    cdef _Calls calls
    _c_rules(rules)
    threads = _at_least(threads, "threads", 1)
    calls = _Calls(boards, dice, rules, bool(generic))
    n = calls.n
    offsets = np.zeros(n + 1, np.int64)
    counted = n < SMALL_BATCH or threads > 1
    if counted:
        calls.own_copy()        # read twice, so it must not change between
        _in_threads(threads, n, lambda i, k: calls.count(i, k, offsets[1:]), calls.ask_to_stop)
        np.cumsum(offsets, out=offsets)
        rows = int(offsets[n])
    else:
        rows = 16 * n + MAX_DOUBLES
    arrays = (
        np.empty((rows, 2, 26), np.int8),
        np.empty(rows, np.uint8),
        np.empty((rows, 4, 4), np.int8) if steps else None,
    )
    if counted:
        flat = (arrays[0].reshape(-1), arrays[1], arrays[2].reshape(-1) if steps else None)
        _in_threads(threads, n, lambda i, k: calls.write(i, k, offsets, *flat),
                    calls.ask_to_stop)
    else:
        calls.grow(arrays, offsets)
    return Enumeration(offsets, *arrays)


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
    counts = np.zeros(calls.n, np.int64)
    _in_threads(threads, calls.n, lambda i, k: calls.count(i, k, counts), calls.ask_to_stop)
    return counts


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
    counts = np.zeros(((last - 1) // trials - base + 1, 2 * OUTCOMES), np.int64)
    turns = np.zeros(len(counts), np.int64)
    cdef int64_t[:, ::1] c_counts = counts
    cdef int64_t[::1] c_turns = turns
    scratch_init(&scratch)
    try:
        if not buffer_ready(&buffer):
            raise MemoryError
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
    checked = _Calls(boards, (1, 1), rules, False)
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
    return _boards_array(positions, "positions")[0]


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

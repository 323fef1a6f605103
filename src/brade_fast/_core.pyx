"""The fast core: positions, plays and the bulk functions.

The rules themselves stand in the kernel, which is compiled once for each CPU level. Its parts are,
from the bottom up: ``_types.pxd`` (plain data), ``_state.pxd`` (masks, forcing, ends), ``_put.pxd``
(the innermost loop), ``_unequal.pxd`` and ``_doubles.pxd`` (the fast paths), ``_generic.pxd`` (every
rule, the duties), ``_turn.pxd`` (the gates before the fast paths) and ``_bulk.pxd`` (loops).

This module chooses a kernel (``_kernel.pxd``), checks what comes in and builds what goes out. It
has parts of its own: ``_plays.pxi`` and ``_position.pxi`` (the objects), ``_calls.pxi`` (many calls
at once), ``_games.pxi`` (perft, random games) and ``_workspace.pxi`` (for other Cython modules).
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
    MAX_DOUBLES, MAX_OPTIONS, MAX_UNEQUAL, Option, Scratch, fill_keys, is_deadlock,
    next_options, scramble, scratch_free, scratch_init,
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


# The tables of this module itself: next_options is compiled here, since nobody measures it and
# more callers would change how the compiler lays out the kernel's inner loops.
fill_tables()
fill_keys()


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


# What is said if nothing is wrong with the array any more when the words are looked for.
cdef str _CHANGED = "the boards were changed during the call"


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
    return _CHANGED


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
    if result != NONE:
        return f"the game is over: the other player has won ({Outcome(result).name})"
    return _CHANGED


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


include "_plays.pxi"
include "_position.pxi"
include "_calls.pxi"
include "_games.pxi"
include "_workspace.pxi"


# ================================================================ about the kernel

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

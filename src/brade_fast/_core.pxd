# What Cython modules outside may `cimport` (docs/cython.md): positions, the state of a board, plays.
#
# Nothing here touches a Python object once a Workspace is made, so that all of it can be called
# without the GIL. What is not declared here may change with each version.

from libc.stdint cimport int8_t
from brade_fast._types cimport CRules, Sink, State

cdef class Position:
    cdef int8_t b[52]           # read only: positions are values


cdef class Workspace:
    cdef readonly object rules
    cdef const CRules *c_rules
    cdef void *memory
    cdef Sink plays             # what `enumerate` found: rows, outcomes, steps, count

    # All plays of a throw: how many, at least one, in `plays` until the next call. REFUSED: the board
    # is invalid, somebody has won, or the throw is none. NO_MEMORY.
    cdef Py_ssize_t enumerate(self, const int8_t *board, int d1, int d2) noexcept nogil
    # The board after the steps of a play (16 bytes, as in `plays.steps`) as the next player sees it;
    # the outcome, or REFUSED if a step is not legal.
    cdef int apply(self, const int8_t *board, const int8_t *steps, int8_t *after) noexcept nogil


# The masks of a board that holds 15 men of each player.
cdef void look_at(const int8_t *board, State *state) noexcept nogil

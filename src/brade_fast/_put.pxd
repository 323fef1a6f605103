# The end of both fast paths: plays that lack their last step only are put at once.
#
# What came before is a row (the sum of its steps) and the last step a mask of sources.

from libc.stdint cimport int8_t, int16_t, int32_t, uint8_t, uint32_t
from libc.string cimport memcpy, memset
from brade_fast._state cimport *

# What is made. Each function that takes a `What` is compiled once for each of these types; the
# value handed on means nothing.
ctypedef int8_t Count           # the number of plays
ctypedef int16_t Rows           # rows, where no play ends the game and none is named
ctypedef int32_t Full           # whatever the sink takes
ctypedef fused What:
    Count
    Rows
    Full

cdef struct Names:              # of a play's steps; looked at only if the sink wants them
    int8_t bytes[16]            # as the sink has them: -1 where there is none
    int place                   # which of the four is the last step


cdef inline void no_names(Names *names, int place) noexcept nogil:
    memset(names.bytes, -1, 16)
    names.place = place


# Where the next play goes. A loop keeps it in a variable of its own: what is written might be part
# of the sink, as far as the compiler knows, and it would read the sink again for each play.
cdef struct Cursor:
    int8_t *row
    uint8_t *outcome
    Py_ssize_t count


cdef inline Cursor cursor(const Sink *out, What what) noexcept nogil:
    cdef Cursor at
    at.count = out.count
    at.row = NULL
    at.outcome = NULL
    if What is not Count:
        at.row = out.rows + out.count * ROW_BYTES
        at.outcome = out.outcomes + out.count
    return at


cdef inline void settle(Sink *out, const Cursor *at, What what) noexcept nogil:
    if What is Count:
        out.count = at.count
    else:
        out.count = at.outcome - out.outcomes


cdef inline void put_last(Cursor *at, Row row, uint32_t last, uint32_t hits, const Row *steps,
                          What what) noexcept nogil:
    """For each source in ``last`` the play that makes one more step, from there.

    ``hits``: the sources whose step would hit; ``steps``: those of its die. No play ends the game.
    """
    cdef int source
    if What is Count:
        at.count += popcount(last)
    else:
        while last:
            source = lowest(last)
            # Whether it hits is hard to foresee: an index costs less than a wrong guess.
            row_store(at.row, row_add(row, steps[2 * source + ((hits >> source) & 1)]))
            at.row += ROW_BYTES
            at.outcome[0] = NONE
            at.outcome += 1
            last &= last - 1


cdef inline void put_made(Cursor *at, Row row, What what) noexcept nogil:
    """A play that lacks nothing."""
    if What is Count:
        at.count += 1
    else:
        row_store(at.row, row)
        at.outcome[0] = NONE
        at.row += ROW_BYTES
        at.outcome += 1


cdef inline void put_full(Sink *out, Row row, uint32_t last, uint32_t hits, int die, uint32_t john,
                          const Names *names, const Names *last_first,
                          uint32_t swapped) noexcept nogil:
    """The same with outcomes, and with names if the sink wants them.

    ``john``: the sources whose plays end the game. ``names``: of what came before; for the sources
    in ``swapped``, whose step comes first, ``last_first``.
    """
    cdef Cursor at
    cdef const Names *named
    cdef uint8_t *outcomes
    cdef int8_t *steps = out.steps
    cdef int source
    if out.rows == NULL:
        out.count += popcount(last)
        return
    outcomes = out.outcomes + out.count
    if steps != NULL:
        steps += out.count * 16
    at = cursor(out, <Rows> 0)
    put_last(&at, row, last, hits, STEP[die], <Rows> 0)
    settle(out, &at, <Rows> 0)
    if steps == NULL and not john:
        return
    while last:
        source = lowest(last)
        last &= last - 1
        if john & bit(source):
            outcomes[0] = JOHN
        outcomes += 1
        if steps == NULL:
            continue
        named = last_first if swapped & bit(source) else names
        memcpy(steps, named.bytes, 16)
        name_step(steps, named.place, source, die, (hits >> source) & 1)
        steps += 16

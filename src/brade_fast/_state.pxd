# The state of a turn: masks, counts and the row that a play adds to.
#
# These parts are compiled into each kernel (_kernel.pxi), which fills the tables below.
#
# Points are the mover's own, 1 to 24, and point p is bit p of a mask; bit 0 is his bar. The
# opponent's men are looked at on the mover's points too (section 1: p is his p + 12).

from libc.stdint cimport int8_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset
from brade_fast._types cimport *

cdef extern from "_row.h" nogil:
    ctypedef struct Row:
        pass
    Row row_load(const int8_t *bytes)
    Row row_flipped(const int8_t *board)
    void row_store(int8_t *bytes, Row row)
    Row row_add(Row a, Row b)
    Row row_unit(int byte, int value)
    bint row_equal(Row a, Row b)
    uint64_t board_above(const int8_t *board, int than)
    bint halves_have_15(const int8_t *board)
    int popcount(uint32_t mask)
    int lowest(uint32_t mask)
    const char *BRADE_FAST_COMPILER
    const char *BRADE_FAST_CPU
    const char *BRADE_FAST_FLAGS

cdef extern from *:
    """
    /* What a step adds to a row, by die and 2 x source + (1 if it hits a blot), and what sending one
       man of the mover's point to the bar adds. Filled once at import, read only from then on. */
    static Row STEP[7][50];
    static Row HIT[25];
    """
    Row STEP[7][50]
    Row HIT[25]

cdef inline void fill_tables() noexcept nogil:
    """What steps and hits do to an output row: the opponent's 26 bytes, then the mover's."""
    cdef int die, source, point
    HIT[0] = row_unit(0, 0)
    for point in range(1, 25):
        HIT[point] = row_add(row_unit(foe_point(point), -1), row_unit(0, 1))
    for die in range(1, 7):
        for source in range(25):
            STEP[die][2 * source] = row_add(row_unit(26 + source, -1),
                                            row_unit(26 + min(source + die, OFF), 1))
            if source + die < OFF:
                STEP[die][2 * source + 1] = row_add(STEP[die][2 * source], HIT[source + die])


cdef inline int foe_point(int point) noexcept nogil:
    """The opponent's number of the mover's point, and the other way round (section 1)."""
    return point + 12 if point <= 12 else point - 12


cdef inline uint32_t across(uint32_t mask) noexcept nogil:
    """The same points in the other player's numbers."""
    return ((mask >> 12) | (mask << 12)) & POINTS


cdef inline uint32_t bit(int point) noexcept nogil:
    return <uint32_t> 1 << point


cdef inline uint32_t first_half(uint64_t mask) noexcept nogil:
    return <uint32_t> mask & POINTS


cdef inline uint32_t second_half(uint64_t mask) noexcept nogil:
    return <uint32_t> (mask >> 26) & POINTS


cdef inline void look(State *s, const int8_t *board) noexcept nogil:
    """The state of a board, whose first half is the mover."""
    cdef uint64_t held = board_above(board, 0), made = board_above(board, 1)
    s.men = board
    s.foes = board + 26
    s.own = first_half(held)
    s.own_made = first_half(made)
    s.foe = across(second_half(held))
    s.foe_made = across(second_half(made))
    s.john = board[26] + popcount(s.foe & Q3)


cdef inline void look_back(State *s, const int8_t *board) noexcept nogil:
    """The same for the other player: he, the second half, is the mover."""
    cdef uint64_t held = board_above(board, 0), made = board_above(board, 1)
    s.men = board + 26
    s.foes = board
    s.own = second_half(held)
    s.own_made = second_half(made)
    s.foe = across(first_half(held))
    s.foe_made = across(first_half(made))
    s.john = board[0] + popcount(s.foe & Q3)


cdef inline void look_deeper(const State *s, uint32_t *three, uint32_t *four) noexcept nogil:
    """The mover's points with at least three men and with at least four; he is the first half."""
    three[0] = first_half(board_above(s.men, 2))
    four[0] = first_half(board_above(s.men, 3))


cdef inline void flip(const int8_t *board, int8_t *flipped) noexcept nogil:
    """The board as the other player sees it."""
    row_store(flipped, row_flipped(board))


# ---------------------------------------------------------------- section 4: forcing

cdef inline uint32_t long_block(uint32_t made) noexcept nogil:
    """The points of all runs of six or more; bit 24 has no neighbour, so nothing wraps."""
    cdef uint32_t run = made & (made >> 1)
    run &= run >> 2
    run &= run >> 2             # now bit k: k to k + 5 are made
    run |= run << 1
    run |= run << 2
    return run | (run << 2)


cdef inline bint last_man(const State *s) noexcept nogil:
    """A player who has borne off 14 men may never force."""
    return s.men[OFF] == 14


cdef inline uint32_t block_forceable(const State *s, const CRules *rules) noexcept nogil:
    """The made points that the mover may force because they are part of a long block."""
    if not rules.long_block_force or last_man(s):
        return 0
    return long_block(s.foe_made)


cdef inline int available_points(const State *s) noexcept nogil:
    """Points of the mover's Q1 that are empty or held by one opposing man."""
    return popcount(Q1 & ~s.own & ~s.foe_made)


cdef inline uint32_t entry_forceable(const State *s, const CRules *rules) noexcept nogil:
    """The made points that may be forced on entering because the quadrant is full."""
    if (rules.blocked_entry == ENTRY_FORCE and not last_man(s)
            and s.men[0] > available_points(s)):
        return s.foe_made & Q1
    return 0


cdef inline bint junker(const State *s, const CRules *rules) noexcept nogil:
    """Verquere's Junker passes the whole turn (section 6, `blocked_entry`)."""
    return (rules.blocked_entry == ENTRY_PASS
            and s.men[0] > popcount(Q1 & ~s.own & (~s.foe_made | block_forceable(s, rules))))


# ---------------------------------------------------------------- section 5: ends

cdef inline int nice_game(const int8_t *men, const CRules *rules) noexcept nogil:
    """Which of the four patterns (that these rules know) the 15 men stand in, or NONE."""
    if men[24] == 15 and rules.nice_games & 8:
        return TOWER
    if men[22] == 3 and men[23] == 5 and men[24] == 7 and rules.nice_games & 4:
        return STAIRCASE
    if men[22] == 5 and men[23] == 5 and men[24] == 5 and rules.nice_games & 2:
        return DOUBLE_CROWN
    if (men[20] == 3 and men[21] == 3 and men[22] == 3 and men[23] == 3 and men[24] == 3
            and rules.nice_games & 1):
        return SINGLE_CROWN
    return NONE


cdef inline int outcome(const State *s, bint forced, const CRules *rules) noexcept nogil:
    """What the mover has won, `forced` telling whether his last step forced a point.

    With several ends at once the most valuable one counts.
    """
    cdef int best = NONE, john
    if s.men[OFF] == 15:
        best = BEAR_OFF
    elif (s.own & ~<uint32_t> Q4) == 0:
        best = nice_game(s.men, rules)
    if best != NONE and rules.monk and s.foes[0] > 0:
        best += 1               # each outcome with monk has the next number
    if s.john >= 7:
        john = FORCED_JOHN if forced else JOHN
        if rules.rank[john] > rules.rank[best]:
            best = john
    return best


cdef inline bint is_over(const int8_t *board, const CRules *rules) noexcept nogil:
    """Whether either player has already won."""
    cdef State s
    look(&s, board)
    if outcome(&s, False, rules) != NONE:
        return True
    look_back(&s, board)
    return outcome(&s, False, rules) != NONE


# ---------------------------------------------------------------- plays into the sink

cdef inline Sink counting_sink() noexcept nogil:
    cdef Sink out
    out.rows = NULL
    out.outcomes = NULL
    out.steps = NULL
    out.count = 0
    return out


cdef inline void name_step(int8_t *steps, int i, int source, int die, int hit) noexcept nogil:
    steps[4 * i] = source
    steps[4 * i + 1] = min(source + die, OFF)
    steps[4 * i + 2] = die
    steps[4 * i + 3] = hit


cdef inline void put(Sink *out, Row row, int result, const int8_t *steps) noexcept nogil:
    """One play; ``steps`` (16 bytes) are looked at only where they are wanted."""
    if out.rows != NULL:
        row_store(out.rows + out.count * ROW_BYTES, row)
        out.outcomes[out.count] = result
        if out.steps != NULL:
            memcpy(out.steps + out.count * 16, steps, 16)
    out.count += 1


cdef inline void put_pass(Sink *out, Row row) noexcept nogil:
    cdef int8_t steps[16]
    memset(steps, -1, 16)
    put(out, row, NONE, steps)

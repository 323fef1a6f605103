# One turn: exact gates, then the fast path that fits, or the generic one.
#
# The fast paths (_unequal.pxd, _doubles.pxd) know no forcing, no bearing off and no end but John.
# Each gate asks whether one of these *can* come up in this turn, for these dice and these men.

from brade_fast._state cimport *
from brade_fast._put cimport *
from brade_fast._unequal cimport unequal, unequal_from_bar
from brade_fast._doubles cimport doubles
from brade_fast._generic cimport MAX_DOUBLES, MAX_UNEQUAL, Scratch, generic, is_deadlock


cdef extern from *:
    # Defined by Cython: what seldom happens is kept out of the way of what is done in every call.
    bint unlikely(bint condition) noexcept nogil


cdef inline uint32_t touched(const State *s, int high, int low) noexcept nogil:
    """All points that a man of the mover could land on in this turn, were nothing in his way."""
    cdef uint32_t men = s.own | (1 if s.men[0] else 0)
    cdef uint32_t reach
    if high == low:
        reach = men << high
        reach |= reach << high
        return (reach | (reach << (2 * high))) & POINTS
    return ((men << high) | (men << low) | (men << (high + low))) & POINTS


cdef inline bint force_possible(const State *s, int high, int low,
                                const CRules *rules) noexcept nogil:
    """A step of this turn could force a made point (section 4).

    The opponent's made points only become fewer and a man on the bar that enters takes an
    available point or forces: so neither right arises in mid-turn.
    """
    cdef uint32_t block = block_forceable(s, rules)
    if s.men[0] and entry_forceable(s, rules) & (bit(high) | bit(low)):
        return True
    return block and block & touched(s, high, low)


cdef inline bint home_possible(const State *s, int high, int low) noexcept nogil:
    """All men can stand in Q4 before or after the last step: bearing off, nice games, the end."""
    cdef int steps = 4 if high == low else 2
    cdef int too_far = 18 - (4 * high if high == low else high + low)
    cdef int point, outside
    if too_far >= 0 and (s.own | (1 if s.men[0] else 0)) & (bit(too_far + 1) - 1):
        return False
    if popcount(s.own & ~<uint32_t> Q4) > steps:
        return False
    outside = 15 - s.men[OFF]
    for point in range(19, 25):
        outside -= s.men[point]
    return outside <= steps


cdef inline bint needs_generic(const State *s, int high, int low,
                               const CRules *rules) noexcept nogil:
    return (force_possible(s, high, low, rules)
            or home_possible(s, high, low)
            or (rules.five_blots and s.men[1] > 10))


cdef inline uint32_t moved(uint32_t men, int die, uint32_t open) noexcept nogil:
    """The open points that men come to with a die."""
    return (men << die) & open


cdef inline bint john_in_reach(const State *s, int high, int low) noexcept nogil:
    """Enough blots can be hit, nothing being forced, that the opponent could not enter all his men.

    A hit in his Q1 frees the point that the man goes to: only hits elsewhere bring John nearer.
    """
    cdef uint32_t men = s.own | (1 if s.men[0] else 0)
    cdef uint32_t open = POINTS & ~s.foe_made
    cdef uint32_t reach
    cdef int needed = 7 - s.john
    if needed > (4 if high == low else 2):
        return False
    reach = moved(men, high, open)
    if high == low:
        reach |= moved(reach, high, open)
        reach |= moved(moved(reach, high, open), high, open)
    else:
        men = moved(men, low, open)
        reach |= men | moved(reach, low, open) | moved(men, high, open)
    return popcount(s.foe & reach & open & ~<uint32_t> Q3) >= needed


cdef inline int max_plays(int d1, int d2) noexcept nogil:
    """Room that the sink of a turn must have."""
    return MAX_DOUBLES if d1 == d2 else MAX_UNEQUAL


cdef inline bint fast_plays(const State *s, int high, int low, bint john, Sink *out,
                            What what) noexcept nogil:
    """The plays by the fast path that fits; False, and nothing is put, if it gives way."""
    if high == low:
        doubles(s, high, john, out, what)
        return True
    if s.men[0]:
        return unequal_from_bar(s, high, low, john, out, what)
    return unequal(s, high, low, john, out, what)


cdef inline bint try_fast(const State *s, int high, int low, const CRules *rules,
                          Sink *out) noexcept nogil:
    """Puts all plays, unless something rare can come up; then nothing is put: False."""
    cdef bint john
    if needs_generic(s, high, low, rules):
        return False
    john = john_in_reach(s, high, low)
    if unlikely(john or out.steps != NULL):
        return fast_plays(s, high, low, john, out, <Full> 0)
    if out.rows == NULL:
        return fast_plays(s, high, low, False, out, <Count> 0)
    return fast_plays(s, high, low, False, out, <Rows> 0)


cdef inline bint is_rare(const int8_t *board, int d1, int d2, const CRules *rules) noexcept nogil:
    """Whether the generic path takes the call."""
    cdef State s
    cdef Sink out = counting_sink()
    look(&s, board)
    return (not junker(&s, rules)
            and not try_fast(&s, max(d1, d2), min(d1, d2), rules, &out))


cdef inline int plays_of(const State *s, int d1, int d2, const CRules *rules, bint only_generic,
                         Scratch *scratch, Sink *out) noexcept nogil:
    """Puts all plays of a valid position that nobody has won; -1 if there is no memory.

    The state is that of a whole board: the mover's men, and behind them the opponent's.
    """
    cdef int high = max(d1, d2)
    cdef int low = min(d1, d2)
    if not only_generic:
        if junker(s, rules):
            put_pass(out, row_flipped(s.men))
            return 0
        if try_fast(s, high, low, rules, out):
            return 0
    return generic(s, row_flipped(s.men), high, low, rules, scratch, out)


cdef inline int plays_of_board(const int8_t *board, int d1, int d2, const CRules *rules,
                               bint only_generic, Scratch *scratch, Sink *out) noexcept nogil:
    cdef State s
    look(&s, board)
    return plays_of(&s, d1, d2, rules, only_generic, scratch, out)

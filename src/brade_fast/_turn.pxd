# One turn: exact gates, then the fast path that fits, or the generic one.
#
# The fast paths (_unequal.pxd, _doubles.pxd) know no forcing, no bearing off and no end but John.
# Each gate asks whether one of these *can* come up in this turn, for these dice and these men.

from brade_fast._state cimport *
from brade_fast._unequal cimport unequal, unequal_from_bar
from brade_fast._doubles cimport doubles
from brade_fast._generic cimport MAX_DOUBLES, MAX_UNEQUAL, Scratch, generic, is_deadlock


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


cdef inline bint fast_plays(const State *s, const Row *row, int high, int low, bint john,
                            Sink *out) noexcept nogil:
    if high == low:
        doubles(s, row, high, john, out)
        return True
    if s.men[0]:
        return unequal_from_bar(s, row, high, low, out)
    return unequal(s, row, high, low, out)


cdef inline bint takes_generic(const State *s, const Row *row, int high, int low, bint john,
                               const CRules *rules) noexcept nogil:
    """Something rare can come up, or a fast path, looked at first, gives way (see ``Sink``)."""
    cdef Sink look_ahead
    if needs_generic(s, high, low, rules):
        return True
    if not john or high == low:
        return False
    look_ahead = counting_sink()
    look_ahead.only_look = True
    return not fast_plays(s, row, high, low, john, &look_ahead)


cdef inline int plays_of(const int8_t *board, int d1, int d2, const CRules *rules,
                         bint only_generic, Scratch *scratch, Sink *out) noexcept nogil:
    """Puts all plays of a valid position that nobody has won; -1 if there is no memory."""
    cdef State s
    cdef int high = max(d1, d2)
    cdef int low = min(d1, d2)
    cdef bint john
    cdef Row row
    look(&s, board, board + 26)
    row = row_after(board, s.john)
    if only_generic:
        return generic(&s, row, high, low, rules, scratch, out)
    if junker(&s, rules):
        put_pass(out, row)
        return 0
    john = john_in_reach(&s, high, low)
    if takes_generic(&s, &row, high, low, john, rules):
        return generic(&s, row, high, low, rules, scratch, out)
    fast_plays(&s, &row, high, low, john, out)
    return 0

# Unequal dice in closed form: no search and no duplicates.
#
# Valid where the gates of _turn.pxd let through: nothing can be forced, nobody can be borne off,
# John is the only end in reach, and only the far side bars own men.
#
# Without bar men the plays that use both dice are of three kinds, which share no result:
#   pairs       two men, each with one die;
#   one man     moves both dice, with at most three results: quiet, hitting where he touches
#               down with the one die, or with the other;
#   one blot    two men that land on the same point with an opposing blot: one hit, not two.
# One man's way through an own man is the pair "the one in front goes on, the one behind takes
# his place": the same result, so it is counted with the one man and left out of the pairs.
#
# John: a hit outside the opponent's Q1 (in `near_john`) brings him one man nearer. If one such
# hit is enough, it must be the last step, and a single step that makes it is a play as well.
#
# Bound: 15 x 15 pairs, 15 x 3 by one man, 15 on one blot and 15 x 2 single steps are under
# MAX_UNEQUAL (_generic.pxd).

from brade_fast._state cimport *

cdef struct Unequal:
    int high
    int low
    uint32_t blots
    uint32_t near_john          # the blots whose hit brings John nearer
    int hits_needed             # how many of them are John
    bint goes_on                # a play with both dice that does not end the game was found
    Steps steps
    Sink *out


cdef inline void unequal_init(Unequal *t, const State *s, int high, int low,
                              Sink *out) noexcept nogil:
    t.high = high
    t.low = low
    t.blots = s.foe & ~s.foe_made
    t.near_john = t.blots & ~<uint32_t> Q3
    t.hits_needed = 7 - s.john
    t.goes_on = False
    no_steps(&t.steps)
    t.out = out


cdef inline int hits(const Unequal *t, int source, int die) noexcept nogil:
    return (t.blots >> (source + die)) & 1


cdef inline void put_two(Unequal *t, const Row *start, int source1, int die1, int source2,
                         int die2) noexcept nogil:
    """The play of two steps, whatever they hit; the second man does not land on the first."""
    cdef Row row
    if t.out.rows == NULL:
        t.out.count += 1
        return
    if t.out.steps != NULL:
        push_step(&t.steps, source1, die1, hits(t, source1, die1))
        push_step(&t.steps, source2, die2, hits(t, source2, die2))
        t.steps.played = 0
    row = stepped(stepped(start[0], source1, die1, t.blots), source2, die2, t.blots)
    put(t.out, row, john_or_none(row), t.steps.bytes)


cdef inline void put_singles(Unequal *t, Row row, uint32_t sources, int die) noexcept nogil:
    """Plays of one step with this die."""
    put_steps(t.out, &t.steps, &row, sources, die, t.blots)


cdef inline void put_pairs(Unequal *t, const State *s, Row row, uint32_t first,
                           uint32_t second) noexcept nogil:
    """A man from `first` with the high die and another from `second` with the low one."""
    cdef uint32_t others, target, twin, nearer = t.near_john >> t.low
    cdef Row half
    cdef int a, needed
    while first:
        a = lowest(first)
        first &= first - 1
        target = bit(a + t.high)
        # Not both dice for one man: neither the only man on a, nor the one who would step to
        # a, nor the one whom a would step to.
        others = second & ~(bit(a) >> t.low) & ~target
        if not s.own_made & bit(a):
            others &= ~bit(a)
        # The man who would land beside a: barred on the far side, one hit on a blot.
        twin = 0
        if target & (FAR_SIDE | t.blots):
            twin = others & (target >> t.low)
            others &= ~twin
            if target & FAR_SIDE:
                twin = 0
        needed = t.hits_needed
        if target & t.near_john:
            needed -= 1
            if needed == 0:         # a must be last, after a step that does not end the game
                others &= ~nearer
                while others:
                    put_two(t, &row, lowest(others), t.low, a, t.high)
                    others &= others - 1
                continue
        t.goes_on |= ((others & ~nearer if needed == 1 else others) | twin) != 0
        if t.out.only_look and t.goes_on:
            return
        half = stepped(row, a, t.high, t.blots)
        if t.out.steps != NULL:
            no_steps(&t.steps)
            push_step(&t.steps, a, t.high, hits(t, a, t.high))
        put_steps(t.out, &t.steps, &half, others, t.low, t.blots)
        if twin:
            put_steps(t.out, &t.steps, &half, twin, t.low, 0)
        no_steps(&t.steps)


cdef inline void put_one_man(Unequal *t, const State *s, Row row, uint32_t sources, int first,
                             int second) noexcept nogil:
    """Men from `sources` with die `first`, each then going on with die `second`."""
    cdef uint32_t ending = t.near_john >> (first + second)
    cdef int source
    if t.hits_needed > 2:
        ending = 0
    elif t.hits_needed == 2:
        ending &= t.near_john >> first
    t.goes_on |= (sources & ~ending) != 0
    while sources:
        source = lowest(sources)
        sources &= sources - 1
        if s.own & FAR_SIDE & bit(source + first):  # he takes the place of the man who goes on
            put_two(t, &row, source + first, second, source, first)
        else:
            put_two(t, &row, source, first, source + first, second)


cdef inline bint unequal(const State *s, const Row *start, int high, int low,
                         Sink *out) noexcept nogil:
    """All plays of a throw with different dice, no man on the bar.

    False if every play with both dice ends the game: then shorter plays may be legal beside them.
    That is the generic path's business, so the sink must be one that only looks.
    """
    cdef Unequal t
    cdef Row row = start[0]
    cdef uint32_t land = POINTS & ~s.foe_made & ~(s.own & FAR_SIDE)
    cdef uint32_t first = s.own & (land >> high)
    cdef uint32_t second = s.own & (land >> low)
    # One man: where he stops an own man is no obstacle (see above), where he ends it is.
    cdef uint32_t through = s.own & (land >> (high + low))
    cdef uint32_t by_high = through & ~(s.foe_made >> high)
    cdef uint32_t by_low = through & ~(s.foe_made >> low)
    cdef uint32_t hit_high, hit_low, last_hit
    cdef Py_ssize_t before = out.count
    unequal_init(&t, s, high, low, out)
    hit_high = by_high & (t.blots >> high)
    hit_low = by_low & (t.blots >> low)
    by_high &= ~hit_high
    by_low &= ~hit_low
    if t.hits_needed == 1 and t.near_john:
        put_singles(&t, row, first & (t.near_john >> high), high)
        put_singles(&t, row, second & (t.near_john >> low), low)
        # A hit ends the turn: no going on, and nobody takes the place of the man who made it.
        hit_high &= ~(t.near_john >> high)
        hit_low &= ~(t.near_john >> low)
        last_hit = t.near_john >> (high + low)
        by_high &= ~(last_hit & ((s.own & FAR_SIDE) >> high))
        by_low &= ~(last_hit & ((s.own & FAR_SIDE) >> low))
    by_low &= ~by_high              # quiet both ways is one result
    put_pairs(&t, s, row, first, second)
    put_one_man(&t, s, row, by_high | hit_high, high, low)
    put_one_man(&t, s, row, by_low | hit_low, low, high)
    if t.goes_on:
        return True
    if out.count > before:
        return False
    # Duties 1 and 2 (section 3): one die only, the higher if either can be played.
    if first:
        put_singles(&t, row, first, high)
    elif second:
        put_singles(&t, row, second, low)
    else:
        put_pass(out, row)
    return True


cdef inline void enter_and_move(Unequal *t, const State *s, Row row, int entry, int die,
                                uint32_t skip) noexcept nogil:
    """The only bar man enters with `entry`, then any man but `skip` moves with `die`."""
    cdef uint32_t own = s.own | bit(entry)
    cdef uint32_t land = POINTS & ~s.foe_made & ~(own & FAR_SIDE)
    cdef uint32_t sources = own & (land >> die) & ~skip
    cdef int needed = t.hits_needed - hits(t, 0, entry)    # Q1 is not the opponent's Q1
    if needed == 0:
        put_singles(t, row, BAR, entry)
        return
    t.goes_on |= (sources & ~(t.near_john >> die) if needed == 1 else sources) != 0
    push_step(&t.steps, 0, entry, hits(t, 0, entry))
    row = stepped(row, 0, entry, t.blots)
    put_steps(t.out, &t.steps, &row, sources, die, t.blots)
    pop_step(&t.steps)


cdef inline bint unequal_from_bar(const State *s, const Row *start, int high, int low,
                                  Sink *out) noexcept nogil:
    """All plays of a throw with different dice, men on the bar; False as in ``unequal``."""
    cdef Unequal t
    cdef Row row = start[0]
    cdef uint32_t barred = s.own | s.foe_made
    cdef bint by_high = not barred & bit(high)
    cdef bint by_low = not barred & bit(low)
    cdef bint hit_high, hit_low
    cdef Py_ssize_t before = out.count
    cdef uint32_t skip = 0
    unequal_init(&t, s, high, low, out)
    hit_high = hits(&t, 0, high)
    hit_low = hits(&t, 0, low)
    if s.men[0] > 1:
        if by_high and by_low:      # two points, two men: neither is in the other's way
            if hit_high + hit_low >= t.hits_needed:
                return False
            put_two(&t, &row, 0, high, 0, low)
            return True
    else:
        if by_high:
            enter_and_move(&t, s, row, high, low, 0)
        if by_low:
            # The entered man himself going on, quiet both ways, came up above.
            if by_high and not hit_high and not hit_low:
                skip = bit(low)
            enter_and_move(&t, s, row, low, high, skip)
        if t.goes_on:
            return True
        if out.count > before:
            return False
    if by_high:
        put_singles(&t, row, BAR, high)
    elif by_low:
        put_singles(&t, row, BAR, low)
    else:
        put_pass(out, row)
    return True

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
# A result is the sum of a step from `a` with the higher die and one from `b` with the lower, of
# whatever kind the play is and whichever comes first: one man from x is a = x, b = x + high, or
# b = x, a = x + low. So the plays are a table of `a` by `b`: for each `a` a row and a mask of `b`.
#
# John: a hit outside the opponent's Q1 (in `near_john`) brings him one man nearer. If one such
# hit is enough, it must be the last step, and a single step that makes it is a play as well.
#
# Bound: 15 x 15 pairs, 15 x 3 by one man, 15 on one blot and 15 x 2 single steps are under
# MAX_UNEQUAL (_generic.pxd).

from brade_fast._state cimport *
from brade_fast._put cimport *

cdef struct Unequal:
    int high
    int low
    uint32_t own
    uint32_t own_made
    uint32_t blots
    uint32_t first              # men who can move with the higher die
    uint32_t second             # and with the lower one
    uint32_t by_high            # men who can go on with the lower die after the higher one
    uint32_t by_low             # the other way round, where that is another result
    uint32_t near_john          # the blots whose hit brings John nearer
    int hits_needed             # how many of them are John


cdef inline void unequal_init(Unequal *t, const State *s, int high, int low,
                              bint john) noexcept nogil:
    cdef uint32_t open = POINTS & ~s.foe_made
    cdef uint32_t land = open & ~(s.own & FAR_SIDE)
    # One man: where he stops an own man is no obstacle (see above), where he ends it is.
    cdef uint32_t through = s.own & (land >> (high + low))
    cdef uint32_t quiet
    t.high = high
    t.low = low
    t.own = s.own
    t.own_made = s.own_made
    t.blots = s.foe & ~s.foe_made
    t.first = s.own & (land >> high)
    t.second = s.own & (land >> low)
    t.by_high = through & (open >> high)
    t.by_low = through & (open >> low)
    quiet = t.by_high & ~(t.blots >> high)      # quiet both ways is one result
    t.near_john = 0
    t.hits_needed = 9
    if john:
        t.near_john = t.blots & ~<uint32_t> Q3
        t.hits_needed = 7 - s.john
        if t.hits_needed == 1:
            # A hit ends the turn: no going on, and nobody takes the place of the man who made it.
            t.by_high &= ~((t.near_john | (t.near_john >> low & s.own & FAR_SIDE)) >> high)
            t.by_low &= ~((t.near_john | (t.near_john >> high & s.own & FAR_SIDE)) >> low)
            quiet &= t.by_high
    t.by_low &= ~(quiet & ~(t.blots >> low))


cdef inline uint32_t partners(const Unequal *t, uint32_t a, uint32_t *twin) noexcept nogil:
    """Who can move with the lower die if another man moves from ``a`` with the higher one.

    ``twin``, left out of the answer: the man who would land on the same blot.
    """
    cdef uint32_t target = a << t.high
    # Not both dice for one man: neither the only man on a, nor the one who would step to a, nor
    # the one whom a would step to.
    cdef uint32_t others = t.second & ~(target | (a >> t.low) | (a & ~t.own_made))
    cdef uint32_t beside = others & ((target & (FAR_SIDE | t.blots)) >> t.low)
    twin[0] = beside & ~(FAR_SIDE >> t.low)
    return others & ~beside


cdef inline void plain_plays(const Unequal *shared, Row row, Sink *out, What what) noexcept nogil:
    """All plays with both dice, if none of them can be John."""
    cdef Unequal t = shared[0]  # the compiler need not look there again after each play
    cdef uint32_t left = t.first | t.by_high | (t.by_low << t.low)
    cdef uint32_t blots_high = t.blots >> t.high, blots_low = t.blots >> t.low
    cdef uint32_t a, others, twin
    cdef const Row *high_steps = STEP[t.high]
    cdef const Row *low_steps = STEP[t.low]
    cdef Cursor at = cursor(out, what)
    cdef int source
    while left:
        source = lowest(left)
        a = left & (0 - left)
        left &= left - 1
        others = partners(&t, a, &twin)
        if not t.first & a:
            others = twin = 0
        others |= ((t.by_high & a) << t.high) | (t.by_low & (a >> t.low))
        put_last(&at, row_add(row, high_steps[2 * source + ((blots_high >> source) & 1)]),
                 others, blots_low, low_steps, what)
        if twin:
            put_last(&at, row_add(row, high_steps[2 * source]), twin, blots_low, low_steps, what)
    settle(out, &at, what)


# ---------------------------------------------------------------- names, and John

cdef inline bint put_two(const Unequal *t, Row row, int a, int a_hits, uint32_t a_first,
                         uint32_t b_first, uint32_t john, Sink *out) noexcept nogil:
    """Plays of the step from ``a`` and one from ``b`` with the lower die.

    ``b`` is one of ``a_first``, or of ``b_first`` if it must be played first; those in ``john`` end
    the game. Answers whether there are any others. ``out`` NULL: nothing is put.
    """
    cdef Names names, behind
    cdef uint32_t last = a_first | b_first
    if last and out != NULL:
        if out.steps != NULL:
            no_names(&names, 1)
            no_names(&behind, 0)
            name_step(names.bytes, 0, a, t.high, a_hits)
            name_step(behind.bytes, 1, a, t.high, a_hits)
        put_full(out, row_add(row, STEP[t.high][2 * a + a_hits]), last, t.blots >> t.low, t.low,
                 john, &names, &behind, b_first)
    return last & ~john != 0


cdef inline void put_single(const Unequal *t, Row row, uint32_t sources, int die, bint john,
                            Sink *out) noexcept nogil:
    """Plays of one step with this die."""
    cdef Names names
    no_names(&names, 0)
    put_full(out, row, sources, t.blots >> die, die, sources if john else 0, &names, &names, 0)


cdef inline bint full_plays(const Unequal *t, Row row, Sink *out) noexcept nogil:
    """All plays with both dice, and single steps that are John; whether the game can go on.

    ``out`` NULL: nothing is put, and the first play that goes on is enough.
    """
    cdef uint32_t left = t.first | t.by_high | (t.by_low << t.low)
    cdef uint32_t nearer = t.near_john >> t.low
    cdef uint32_t a, target, twin, a_first, b_first, ending, john, one
    cdef int source, hit, needed
    cdef bint goes_on = False
    while left and not (goes_on and out == NULL):
        source = lowest(left)
        a = bit(source)
        left &= left - 1
        target = a << t.high
        hit = target & t.blots != 0
        needed = t.hits_needed - (target & t.near_john != 0)
        ending = nearer if needed == 1 else 0
        a_first = b_first = john = twin = 0
        if t.first & a:
            a_first = partners(t, a, &twin)
            if needed == 0:     # a must be last, after a step that does not end the game
                john = b_first = a_first & ~nearer
                a_first = twin = 0
        # One man; if an own man stands where he touches down, that one goes on.
        one = (t.by_high & a) << t.high
        if t.own & FAR_SIDE & one:
            b_first |= one
        else:
            a_first |= one
        john |= (a_first | b_first) & ending
        one = t.by_low & (a >> t.low)
        if t.own & FAR_SIDE & a:
            a_first |= one
        else:
            b_first |= one
        if needed - (t.near_john & a != 0) <= 0:
            john |= one
        goes_on |= put_two(t, row, source, hit, a_first, b_first, john, out)
        goes_on |= put_two(t, row, source, NO_HIT, 0, twin, 0, out)
    if t.hits_needed == 1 and out != NULL:
        put_single(t, row, t.first & (t.near_john >> t.high), t.high, True, out)
        put_single(t, row, t.second & nearer, t.low, True, out)
    return goes_on


cdef inline bint unequal(const State *s, int high, int low, bint john, Sink *out,
                         What what) noexcept nogil:
    """All plays of a throw with different dice, no man on the bar.

    False, and nothing is put, if every play with both dice ends the game: then shorter plays may
    be legal beside them, which is the generic path's business.
    """
    cdef Unequal t
    cdef Row row = row_flipped(s.men)
    cdef Py_ssize_t before = out.count
    cdef Sink all_end = counting_sink()
    unequal_init(&t, s, high, low, john)
    if What is Full:
        if john and not full_plays(&t, row, NULL):
            full_plays(&t, row, &all_end)
            if all_end.count:
                return False
        else:
            full_plays(&t, row, out)
    else:
        plain_plays(&t, row, out, what)
    if out.count > before:
        return True
    # Duties 1 and 2 (section 3): one die only, the higher if either can be played.
    if t.first:
        put_single(&t, row, t.first, high, False, out)
    elif t.second:
        put_single(&t, row, t.second, low, False, out)
    else:
        put_pass(out, row)
    return True


# ---------------------------------------------------------------- from the bar

cdef inline bint enter_and_move(const Unequal *t, Row row, uint32_t foe_made, int entry, int die,
                                uint32_t skip, Sink *out, What what) noexcept nogil:
    """The only bar man enters with one die, then any man but ``skip`` moves with the other.

    Answers whether the game can go on; ``out`` NULL: nothing is put.
    """
    cdef uint32_t own = t.own | bit(entry)
    cdef uint32_t sources = own & ((POINTS & ~foe_made & ~(own & FAR_SIDE)) >> die) & ~skip
    cdef uint32_t ending = 0
    cdef int hit = (t.blots >> entry) & 1
    cdef int needed
    cdef Names names
    cdef Cursor at
    if What is Full:
        needed = t.hits_needed - hit    # his Q1 is not the opponent's Q1
        if needed == 0:
            if out != NULL:
                put_single(t, row, BAR, entry, True, out)
            return False
        if needed == 1:
            ending = t.near_john >> die
        if out != NULL:
            no_names(&names, 1)
            name_step(names.bytes, 0, 0, entry, hit)
            row = row_add(row, STEP[entry][hit])
            put_full(out, row, sources, t.blots >> die, die, sources & ending, &names, &names, 0)
    else:
        at = cursor(out, what)
        put_last(&at, row_add(row, STEP[entry][hit]), sources, t.blots >> die, STEP[die],
                 what)
        settle(out, &at, what)
    return sources & ~ending != 0


cdef inline bint unequal_from_bar(const State *s, int high, int low, bint john, Sink *out,
                                  What what) noexcept nogil:
    """All plays of a throw with different dice, men on the bar; False as in ``unequal``."""
    cdef Unequal t
    cdef Row row = row_flipped(s.men)
    cdef uint32_t barred = s.own | s.foe_made
    cdef bint by_high = not barred & bit(high)
    cdef bint by_low = not barred & bit(low)
    cdef bint goes_on
    cdef Py_ssize_t before = out.count
    cdef Sink all_end = counting_sink()
    cdef uint32_t skip = 0
    cdef int die
    t.high = high
    t.low = low
    t.own = s.own
    t.blots = s.foe & ~s.foe_made
    t.near_john = t.blots & ~<uint32_t> Q3
    t.hits_needed = 7 - s.john if john else 9
    if s.men[0] > 1:
        if by_high and by_low:      # two points, two men: neither is in the other's way
            if popcount(t.blots & (bit(high) | bit(low))) >= t.hits_needed:
                return False
            put_two(&t, row, 0, (t.blots >> high) & 1, BAR, 0, 0, out)
            return True
    else:
        # The entered man himself going on, quiet both ways, comes up once.
        if by_high and not t.blots & (bit(high) | bit(low)):
            skip = bit(low)
        if What is Full:
            if john:
                goes_on = by_high and enter_and_move(&t, row, s.foe_made, high, low, 0, NULL, what)
                goes_on |= by_low and enter_and_move(&t, row, s.foe_made, low, high, skip, NULL,
                                                     what)
                if not goes_on:
                    if by_high:
                        enter_and_move(&t, row, s.foe_made, high, low, 0, &all_end, what)
                    if by_low:
                        enter_and_move(&t, row, s.foe_made, low, high, skip, &all_end, what)
                    if all_end.count:
                        return False
        if by_high:
            enter_and_move(&t, row, s.foe_made, high, low, 0, out, what)
        if by_low:
            enter_and_move(&t, row, s.foe_made, low, high, skip, out, what)
        if out.count > before:
            return True
    if not by_high and not by_low:
        put_pass(out, row)
        return True
    die = high if by_high else low
    put_single(&t, row, BAR, die, t.hits_needed == 1 and t.blots & bit(die) != 0, out)
    return True

# Equal dice: a result is a multiset of sources, and each multiset comes up once.
#
# Valid where the gates of _turn.pxd let through (as in _unequal.pxd). With one die the order of
# steps does not matter to the result: a board is fixed by how many steps start on each point.
# Such a choice can be played if no landing point is a made point of the opponent and every
# point of the far side ends with at most one man (always step the foremost man first). So the
# search takes sources in rising order, and where a man would land on an own man on the far
# side, he pushes him on: one move of two steps or more.
#
# John: the search leaves out whatever ends the game, and at each choice of up to three steps that
# is one hit short of him it adds the plays that make this hit with their last step.
#
# Bound: each of 15 men makes some of at most 4 steps: C(19, 4) = 3,876 boards, with one outcome
# each here; MAX_DOUBLES (_generic.pxd) has room for two.

from brade_fast._state cimport *

cdef struct Doubles:
    int die
    uint32_t foe_made
    uint32_t near_john          # blots whose hit brings John nearer; 0 if he is out of reach
    int8_t men[26]
    Steps steps                 # so far, kept only if `named`
    bint named                  # the sink wants the steps, or John's hits are told by them
    bint goes_on                # a play that does not end the game was found
    Sink *out


cdef inline void step_from(Doubles *t, int source, uint32_t blots) noexcept nogil:
    if t.named:
        push_step(&t.steps, source, t.die, (blots >> (source + t.die)) & 1)


cdef inline bint could_be_last(const Doubles *t, int target) noexcept nogil:
    """Whether the steps so far could be played with the hit on `target` as the last of them."""
    cdef int k, source = target - t.die
    if source == 0 or (bit(source) & FAR_SIDE and t.men[source]):
        return False            # who enters is first; a far man's place is taken after he left
    for k in range(t.steps.played):
        if t.steps.bytes[4 * k] == target:
            return False        # somebody went on from there
        if t.steps.bytes[4 * k] == source and not t.steps.bytes[4 * k + 3]:
            return False        # a second man followed the one who hit
    return True


cdef inline void put_john(Doubles *t, const Row *row, uint32_t own, uint32_t blots) noexcept nogil:
    """The plays that end with the last hit that John needs, after the steps so far."""
    cdef uint32_t sources = own & ((blots & t.near_john) >> t.die)
    cdef uint32_t earlier
    cdef int source, target
    cdef bint known
    while sources:
        source = lowest(sources)
        sources &= sources - 1
        # With another hit last it is the same play: the foremost hit counts.
        known = False
        earlier = t.near_john & ~blots & ~(bit(source + t.die) - 1)
        while earlier:
            target = lowest(earlier)
            earlier &= earlier - 1
            known |= could_be_last(t, target)
        if not known:
            put_steps(t.out, &t.steps, row, bit(source), t.die, blots)


cdef inline void last_step(Doubles *t, const Row *row, uint32_t own, uint32_t blots,
                           int start) noexcept nogil:
    """One step is left: every source from `start` on whose target is free to land on."""
    cdef uint32_t barred = t.foe_made | (own & FAR_SIDE)
    cdef uint32_t sources = own & ((POINTS & ~barred) >> t.die) & ~(bit(start) - 1)
    if t.near_john and row_john(row[0]) == 6:
        put_john(t, row, own, blots)
        sources &= ~((blots & t.near_john) >> t.die)
    if sources:
        t.goes_on = True
        put_steps(t.out, &t.steps, row, sources, t.die, blots)


cdef inline void two_steps(Doubles *t, const Row *row, uint32_t own, uint32_t blots,
                           int start) noexcept nogil:
    """What ``more_steps`` does where two steps are left and John is out of reach, in one loop."""
    cdef uint32_t land = POINTS & ~t.foe_made
    cdef uint32_t sources = own & (land >> t.die) & ~(bit(start) - 1)
    cdef uint32_t free = (land & ~(own & FAR_SIDE)) >> t.die
    cdef uint32_t target, then
    cdef int source
    cdef Row moved
    while sources:
        source = lowest(sources)
        sources &= sources - 1
        target = bit(source + t.die)
        then = target & free            # the same man goes on
        if own & FAR_SIDE & target:     # he pushes the man in his way: both steps are made
            if then:
                step_from(t, source + t.die, blots)
                t.goes_on = True
                moved = stepped(row[0], source + t.die, t.die, blots)
                put_steps(t.out, &t.steps, &moved, bit(source), t.die, 0)
                if t.named:
                    pop_step(&t.steps)
            continue
        # Another man further on, or one from the same point, which the far side bars.
        then |= own & free & ~((bit(source) << 1) - 1)
        if t.men[source] > 1 and not target & FAR_SIDE:
            then |= bit(source)
        if then:
            step_from(t, source, blots)
            t.goes_on = True
            moved = stepped(row[0], source, t.die, blots)
            put_steps(t.out, &t.steps, &moved, then, t.die, blots & ~target)
            if t.named:
                pop_step(&t.steps)


cdef inline void more_steps(Doubles *t, const Row *row, uint32_t own, uint32_t blots, int start,
                            int left) noexcept nogil:
    """All choices of exactly `left` more steps, of which moves start on `start` or further on."""
    cdef uint32_t sources = own & ((POINTS & ~t.foe_made) >> t.die) & ~(bit(start) - 1)
    cdef uint32_t target, moved_own
    cdef int source, front, cost
    cdef Row moved
    if left == 1:
        last_step(t, row, own, blots, start)
        return
    if left == 2 and not t.near_john:
        two_steps(t, row, own, blots, start)
        return
    if t.near_john and row_john(row[0]) == 6:
        put_john(t, row, own, blots)
    while sources:
        source = lowest(sources)
        sources &= sources - 1
        # Push the own men on the far side that stand in the way, the foremost first.
        front = source
        cost = 1
        while own & FAR_SIDE & bit(front + t.die):
            front += t.die
            cost += 1
        target = bit(front + t.die)
        if cost > left or target & (t.foe_made | ~<uint32_t> POINTS):
            continue
        moved = stepped(row[0], front, t.die, blots)
        if t.near_john and row_john(moved) >= 7:
            continue
        step_from(t, front, blots)
        while front > source:
            front -= t.die
            moved = row_add(moved, STEP[t.die][front])
            step_from(t, front, blots)
        if cost == left:
            t.goes_on = True
            put(t.out, moved, NONE, t.steps.bytes)
        else:
            t.men[source] -= 1
            t.men[lowest(target)] += 1
            moved_own = (own if t.men[source] else own & ~bit(source)) | target
            more_steps(t, &moved, moved_own, blots & ~target, source, left - cost)
            t.men[lowest(target)] -= 1
            t.men[source] += 1
        while t.named and cost:
            pop_step(&t.steps)
            cost -= 1


cdef inline bint doubles(const State *s, Row row, int die, Sink *out) noexcept nogil:
    """All plays of a throw with equal dice.

    False, and nothing useful in the sink, if the game can end and no play of four steps goes
    on: then shorter plays may be legal beside the ends, which is the generic path's business.
    """
    cdef Doubles t
    cdef uint32_t own = s.own
    cdef uint32_t blots = s.foe & ~s.foe_made
    cdef uint32_t reach = s.own | (1 if s.men[0] else 0)
    cdef int i, left = 4
    t.die = die
    t.foe_made = s.foe_made
    t.near_john = 0
    t.out = out
    no_steps(&t.steps)
    t.goes_on = False
    if s.john >= 3:
        for i in range(4):
            reach |= (reach << die) & ~s.foe_made
        if popcount(blots & reach & ~<uint32_t> Q3) >= 7 - s.john:
            t.near_john = blots & ~<uint32_t> Q3
    t.named = out.steps != NULL or t.near_john
    if s.men[0]:
        if bit(die) & (s.own | s.foe_made):
            put_pass(out, row)
            return True
        step_from(&t, 0, blots)
        row = stepped(row, 0, die, blots)
        own |= bit(die)
        blots &= ~bit(die)
        left = 3
        # The next one finds the first in his way, and what is over is over.
        if s.men[0] > 1 or row_john(row) >= 7:
            left = 0
    for i in range(26):
        t.men[i] = s.men[i]
    if s.men[0]:
        t.men[die] += 1
    # Duty 1 (section 3): as many steps as can be made.
    while left and not t.goes_on:
        more_steps(&t, &row, own, blots, 0, left)
        if t.near_john:
            return t.goes_on
        left -= 1
    if not t.goes_on:
        put(out, row, john_or_none(row), t.steps.bytes)
    return True

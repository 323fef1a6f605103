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
# is one hit short of him it adds the plays that make this hit with their last step. Shorter plays
# are never legal beside these: with one die a step that can be made stays possible whatever other
# step is made first, so all ways that come to a stand make the same steps, and if these are fewer
# than four they hold every hit that any way can make.
#
# Bound: each of 15 men makes some of at most 4 steps: C(19, 4) = 3,876 boards, with one outcome
# each here; MAX_DOUBLES (_generic.pxd) has room for two.

from brade_fast._state cimport *

cdef struct Doubles:
    int die
    uint32_t foe_made
    uint32_t near_john          # blots whose hit brings John nearer; 0 if he is out of reach
    int8_t men[26]
    Steps steps                 # so far; kept if the sink wants them or John's hits are told by them
    Sink *out


cdef inline bint could_be_last(const Doubles *t, int target) noexcept nogil:
    """Whether the steps so far could be played with the hit on `target` as the last of them."""
    cdef int k, source = target - t.die
    if bit(source) & FAR_SIDE and t.men[source]:
        return False            # a far man's place is taken after he left
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
        # With another hit last it is the same play: the foremost hit counts (never an entry's,
        # which is made first, for it is the rearmost).
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
    put_steps(t.out, &t.steps, row, sources, t.die, blots)


cdef inline void two_steps(Doubles *t, const Row *start_row, uint32_t own, uint32_t blots,
                           int start) noexcept nogil:
    """What ``more_steps`` does where two steps are left, nothing is named and John is away.

    Most plays are made here, so nothing is kept in memory but the rows themselves.
    """
    cdef int die = t.die
    cdef uint32_t land = POINTS & ~t.foe_made
    cdef uint32_t sources = own & (land >> die) & ~(bit(start) - 1)
    cdef uint32_t free = (land & ~(own & FAR_SIDE)) >> die
    cdef uint32_t movable = own & free
    cdef uint32_t target, then, left
    cdef const Row *steps = STEP[die]
    cdef int8_t *rows = NULL
    cdef uint8_t *outcomes = NULL
    cdef int source, second, landed
    cdef Row row = start_row[0]
    cdef Row moved
    if t.out.rows != NULL:
        rows = t.out.rows + t.out.count * ROW_BYTES
        outcomes = t.out.outcomes + t.out.count
    while sources:
        source = lowest(sources)
        target = bit(source + die)
        sources &= sources - 1
        # The same man goes on, or another one further on.
        then = (target & free) | (movable & ~((bit(source) << 1) - 1))
        left = blots & ~target
        if target & FAR_SIDE:
            if own & target:    # he can only push the man in his way: both steps are made
                then &= target
                left = blots
        elif t.men[source] > 1:
            then |= bit(source) # another one from the same point, which the far side bars
        if rows == NULL:
            t.out.count += popcount(then)
            continue
        moved = row_add(row, steps[source])
        moved = row_add(moved, HIT[source + die if blots & target else 0])
        while then:
            second = lowest(then)
            landed = second + die
            then &= then - 1
            row_store(rows, row_add(row_add(moved, steps[second]),
                                    HIT[landed if left & bit(landed) else 0]))
            rows += ROW_BYTES
            outcomes[0] = NONE
            outcomes += 1
    if rows != NULL:
        t.out.count = outcomes - t.out.outcomes


cdef inline void more_steps(Doubles *t, const Row *row, uint32_t own, uint32_t blots, int start,
                            int left, bint named) noexcept nogil:
    """All choices of exactly `left` more steps, of which moves start on `start` or further on.

    ``named`` is a constant in each of the two functions below, which are the ones to call.
    """
    cdef uint32_t sources, target, moved_own
    cdef int source, front, cost
    cdef Row moved
    if left == 1:
        last_step(t, row, own, blots, start)
        return
    if left == 2 and not named:
        two_steps(t, row, own, blots, start)
        return
    if named and t.near_john and row_john(row[0]) == 6:
        put_john(t, row, own, blots)
    sources = own & ((POINTS & ~t.foe_made) >> t.die) & ~(bit(start) - 1)
    while sources:
        source = lowest(sources)
        sources &= sources - 1
        # Push the own men on the far side that stand in the way, the foremost first.
        front = source
        cost = 1
        target = bit(source + t.die)
        while own & FAR_SIDE & target:
            front += t.die
            target <<= t.die
            cost += 1
        if cost > left or target & (t.foe_made | ~<uint32_t> POINTS):
            continue
        moved = stepped(row[0], front, t.die, blots)
        if named and t.near_john and row_john(moved) >= 7:
            continue
        if named:
            push_step(&t.steps, front, t.die, (blots >> (front + t.die)) & 1)
        while front > source:
            front -= t.die
            moved = row_add(moved, STEP[t.die][front])
            if named:
                push_step(&t.steps, front, t.die, NO_HIT)
        if cost == left:
            put(t.out, moved, NONE, t.steps.bytes)
        else:
            front = source + cost * t.die
            t.men[source] -= 1
            t.men[front] += 1
            moved_own = (own if t.men[source] else own & ~bit(source)) | target
            if named:
                more_named_steps(t, &moved, moved_own, blots & ~target, source, left - cost)
            else:
                more_plain_steps(t, &moved, moved_own, blots & ~target, source, left - cost)
            t.men[front] -= 1
            t.men[source] += 1
        while named and cost:
            pop_step(&t.steps)
            cost -= 1


cdef inline void more_plain_steps(Doubles *t, const Row *row, uint32_t own, uint32_t blots,
                                  int start, int left) noexcept nogil:
    more_steps(t, row, own, blots, start, left, False)


cdef inline void more_named_steps(Doubles *t, const Row *row, uint32_t own, uint32_t blots,
                                  int start, int left) noexcept nogil:
    more_steps(t, row, own, blots, start, left, True)


cdef inline void doubles(const State *s, const Row *start, int die, bint john,
                         Sink *out) noexcept nogil:
    """All plays of a throw with equal dice; ``john`` tells whether he is in reach."""
    cdef Doubles t
    cdef Row row = start[0]
    cdef uint32_t own = s.own
    cdef uint32_t blots = s.foe & ~s.foe_made
    cdef int i, left = 4
    cdef Py_ssize_t before = out.count
    t.die = die
    t.foe_made = s.foe_made
    t.near_john = blots & ~<uint32_t> Q3 if john else 0
    t.out = out
    no_steps(&t.steps)
    if s.men[0]:
        if bit(die) & (s.own | s.foe_made):
            put_pass(out, row)
            return
        push_step(&t.steps, 0, die, (blots >> die) & 1)
        row = stepped(row, 0, die, blots)
        own |= bit(die)
        blots &= ~bit(die)
        # The next one finds the first in his way, and what is over is over.
        left = 3 if s.men[0] == 1 and row_john(row) < 7 else 0
    for i in range(26):
        t.men[i] = s.men[i]
    if s.men[0]:
        t.men[die] += 1
    # Duty 1 (section 3): as many steps as can be made.
    while left and out.count == before:
        if out.steps != NULL or t.near_john:
            more_named_steps(&t, &row, own, blots, 0, left)
        else:
            more_plain_steps(&t, &row, own, blots, 0, left)
        left -= 1
    if out.count == before:
        put(out, row, john_or_none(row), t.steps.bytes)

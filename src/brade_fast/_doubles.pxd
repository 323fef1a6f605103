# Equal dice: a result is a multiset of sources, and each multiset comes up once.
#
# Valid where the gates of _turn.pxd let through (as in _unequal.pxd). With one die the order of
# steps does not matter to the result: a board is fixed by how many steps start on each point.
# Such a choice can be played if no landing point is a made point of the opponent and every
# point of the far side ends with at most one man (always step the foremost man first). So the
# search takes sources in rising order, and where a man would land on an own man on the far
# side, he pushes him on: one move of two steps or more.
#
# Most plays are made by the last two steps, so these have a closed form of their own (last_two).
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
from brade_fast._put cimport *

cdef struct Choice:             # the steps that were chosen so far
    Row row
    uint32_t own[4]             # points with at least one man, two, three, four
    uint32_t blots
    # Full only:
    uint32_t path               # a byte for each step in playing order: source, 128 if it hits
    int steps                   # how many these are
    int hits_needed             # of those in near_john

cdef struct Doubles:
    int die
    uint32_t open               # points that are not made by the opponent
    uint32_t near_john          # blots whose hit brings John nearer
    Sink *out


cdef inline void name_path(const Doubles *t, const Choice *c, Names *names) noexcept nogil:
    cdef int k
    if t.out.steps == NULL:
        return
    no_names(names, c.steps)
    for k in range(c.steps):
        name_step(names.bytes, k, (c.path >> (8 * k)) & 127, t.die, (c.path >> (8 * k + 7)) & 1)


# ---------------------------------------------------------------- John

cdef inline bint could_be_last(const Doubles *t, const Choice *c, int target) noexcept nogil:
    """Whether the steps so far could be played with the hit on `target` as the last of them."""
    cdef int k, step, source = target - t.die
    if bit(source) & FAR_SIDE and c.own[0] & bit(source):
        return False            # a far man's place is taken after he left
    for k in range(c.steps):
        step = (c.path >> (8 * k)) & 0xFF
        if step & 127 == target:
            return False        # somebody went on from there
        if step == source:
            return False        # a second man followed the one who hit
    return True


cdef inline void put_john(const Doubles *t, const Choice *c) noexcept nogil:
    """The plays that end with the last hit that John needs, after the steps so far."""
    cdef uint32_t sources = c.own[0] & ((c.blots & t.near_john) >> t.die)
    cdef uint32_t left = sources, earlier
    cdef int source, target
    cdef Names names
    while left:
        source = lowest(left)
        left &= left - 1
        # With another hit last it is the same play: the foremost hit counts (never an entry's,
        # which is made first, for it is the rearmost).
        earlier = t.near_john & ~c.blots & ~(bit(source + t.die) - 1)
        while earlier:
            target = lowest(earlier)
            earlier &= earlier - 1
            if could_be_last(t, c, target):
                sources &= ~bit(source)
    if sources:
        name_path(t, c, &names)
        put_full(t.out, c.row, sources, sources, t.die, sources, &names, &names, 0)


# ---------------------------------------------------------------- steps

cdef inline void add_step(const Doubles *t, const Choice *c, Choice *child, int source, int front,
                          What what) noexcept nogil:
    """``child`` becomes ``c`` and the step from ``front``, a man from ``source`` being behind it.

    From ``source`` to ``front`` each man takes the place of the one before him.
    """
    cdef uint32_t left = bit(source), target = bit(front + t.die)
    cdef int hit = target & c.blots != 0
    child.own[0] = (c.own[0] & (~left | c.own[1])) | target
    child.own[1] = (c.own[1] & (~left | c.own[2])) | (c.own[0] & target)
    # Four on a point matter to the first of four steps only, and three to the first two.
    child.own[2] = (c.own[2] & (~left | c.own[3])) | (c.own[1] & target)
    child.blots = c.blots & ~target
    if What is not Count:
        child.row = row_add(c.row, STEP[t.die][2 * front + hit])
    if What is Full:
        child.hits_needed = c.hits_needed - (target & t.near_john & c.blots != 0)
        child.path = c.path | <uint32_t> (front + 128 * hit) << (8 * c.steps)
        child.steps = c.steps + 1


cdef inline int push(const Doubles *t, const Choice *c, Choice *child, int source, int left,
                     What what) noexcept nogil:
    """``child`` becomes ``c`` and the move of a man who pushes own men on the far side on.

    Answers how many of the ``left`` steps are left then; below 0 if these are too few, or if the
    foremost is barred.
    """
    cdef int front = source
    left -= 1
    while c.own[0] & FAR_SIDE & bit(front + t.die):
        front += t.die
        left -= 1
    if left < 0 or not t.open & bit(front + t.die):
        return -1
    add_step(t, c, child, source, front, what)
    while front > source:
        front -= t.die
        if What is not Count:
            child.row = row_add(child.row, STEP[t.die][2 * front])
        if What is Full:
            child.path |= <uint32_t> front << (8 * child.steps)
            child.steps += 1
    return left


cdef inline uint32_t movable(const Doubles *t, const Choice *c) noexcept nogil:
    """The sources of steps and of moves that push, if the foremost is not barred."""
    return c.own[0] & (t.open >> t.die)


cdef inline uint32_t pushing(const Doubles *t, const Choice *c) noexcept nogil:
    """The points that are one step behind an own man on the far side."""
    return (c.own[0] & FAR_SIDE) >> t.die


cdef inline uint32_t free_to_land(const Doubles *t, const Choice *c) noexcept nogil:
    """The points from which a step leads to where a man may stay."""
    return (t.open & ~(c.own[0] & FAR_SIDE)) >> t.die


# ---------------------------------------------------------------- where no play ends the game
#
# All choices of exactly so many more steps, of which moves start on one of `from_here`, rising. One
# function for each number, so that the compiler can keep a choice in registers.

cdef inline void last_one(const Doubles *t, const Choice *c, uint32_t from_here, Cursor *at,
                          What what) noexcept nogil:
    put_last(at, c.row, c.own[0] & free_to_land(t, c) & from_here, c.blots >> t.die, STEP[t.die],
             what)


cdef inline void last_two(const Doubles *t, const Choice *c, uint32_t from_here, Cursor *at,
                          What what) noexcept nogil:
    """In closed form: most plays are made here."""
    cdef const Row *steps = STEP[t.die]
    cdef uint32_t sources = movable(t, c) & from_here
    cdef uint32_t free = free_to_land(t, c)
    cdef uint32_t others = c.own[0] & free
    cdef uint32_t twins = c.own[1] & ~(FAR_SIDE >> t.die)   # no second man on the far side
    cdef uint32_t pushes = sources & pushing(t, c)
    cdef uint32_t blots = c.blots >> t.die
    cdef uint32_t here
    cdef int source
    sources &= ~pushes
    while sources:
        source = lowest(sources)
        here = sources & (0 - sources)
        sources &= sources - 1
        # The same man goes on, or another one further on, or another one from the same point.
        put_last(at, row_add(c.row, steps[2 * source + ((blots >> source) & 1)]),
                 ((here << t.die) & free) | (others & (0 - 2 * here)) | (here & twins),
                 blots & ~here, steps, what)
    # A man in the way can only be pushed on: both steps are made.
    pushes &= free >> t.die
    while pushes:
        source = lowest(pushes)
        here = pushes & (0 - pushes)
        pushes &= pushes - 1
        put_last(at, row_add(c.row, steps[2 * source]), here << t.die, blots, steps, what)


cdef inline void after_push(const Doubles *t, const Choice *c, int source, int left,
                            What what) noexcept nogil:
    """What follows a move that pushes."""
    cdef Choice child
    cdef Cursor at
    left = push(t, c, &child, source, left, what)
    at = cursor(t.out, what)
    if left == 2:
        last_two(t, &child, 0 - bit(source), &at, what)
    elif left == 1:
        last_one(t, &child, 0 - bit(source), &at, what)
    elif left == 0:
        put_made(&at, child.row, what)
    settle(t.out, &at, what)


cdef inline void last_three(const Doubles *t, const Choice *c, uint32_t from_here, Cursor *at,
                            What what) noexcept nogil:
    cdef uint32_t sources = movable(t, c) & from_here
    cdef uint32_t pushes = sources & pushing(t, c)
    cdef Choice child
    cdef int source
    sources &= ~pushes
    while sources:
        source = lowest(sources)
        add_step(t, c, &child, source, source, what)
        last_two(t, &child, 0 - bit(source), at, what)
        sources &= sources - 1
    if pushes:
        settle(t.out, at, what)
        while pushes:
            after_push(t, c, lowest(pushes), 3, what)
            pushes &= pushes - 1
        at[0] = cursor(t.out, what)


cdef inline void last_four(const Doubles *t, const Choice *c, uint32_t from_here, Cursor *at,
                           What what) noexcept nogil:
    cdef uint32_t sources = movable(t, c) & from_here
    cdef uint32_t pushes = sources & pushing(t, c)
    cdef Choice child
    cdef int source
    sources &= ~pushes
    while sources:
        source = lowest(sources)
        add_step(t, c, &child, source, source, what)
        last_three(t, &child, 0 - bit(source), at, what)
        sources &= sources - 1
    if pushes:
        settle(t.out, at, what)
        while pushes:
            after_push(t, c, lowest(pushes), 4, what)
            pushes &= pushes - 1
        at[0] = cursor(t.out, what)


cdef inline void plain_plays(const Doubles *shared, const Choice *c, uint32_t from_here, int left,
                             What what) noexcept nogil:
    cdef Doubles t = shared[0]  # the compiler need not look there again after each play
    cdef Cursor at = cursor(t.out, what)
    if left == 4:
        last_four(&t, c, from_here, &at, what)
    elif left == 3:
        last_three(&t, c, from_here, &at, what)
    elif left == 2:
        last_two(&t, c, from_here, &at, what)
    elif left == 1:
        last_one(&t, c, from_here, &at, what)
    else:
        put_made(&at, c.row, what)
    settle(t.out, &at, what)


# ---------------------------------------------------------------- names, and John

cdef inline void full_plays(const Doubles *t, const Choice *c, uint32_t from_here,
                            int left) noexcept nogil:
    """The same, whatever the sink wants, and the plays that end the game with fewer steps."""
    cdef uint32_t sources, pushes
    cdef int source, still_left
    cdef Choice child
    cdef Names names
    if t.out.steps == NULL and c.hits_needed > left:    # John is out of reach from here on
        if t.out.rows == NULL:
            plain_plays(t, c, from_here, left, <Count> 0)
        else:
            plain_plays(t, c, from_here, left, <Rows> 0)
        return
    if c.hits_needed == 1 and left:
        put_john(t, c)
    if left == 0:
        name_path(t, c, &names)
        put(t.out, c.row, NONE, names.bytes)
        return
    if left == 1:
        sources = c.own[0] & free_to_land(t, c) & from_here
        if c.hits_needed == 1:
            sources &= ~((c.blots & t.near_john) >> t.die)
        name_path(t, c, &names)
        put_full(t.out, c.row, sources, c.blots >> t.die, t.die, 0, &names, &names, 0)
        return
    # In the same order as above: who asks for names finds the same plays in the same places.
    sources = movable(t, c) & from_here
    pushes = sources & pushing(t, c)
    sources &= ~pushes
    while sources:
        source = lowest(sources)
        sources &= sources - 1
        add_step(t, c, &child, source, source, <Full> 0)
        if child.hits_needed > 0:
            full_plays(t, &child, 0 - bit(source), left - 1)
    while pushes:
        source = lowest(pushes)
        pushes &= pushes - 1
        still_left = push(t, c, &child, source, left, <Full> 0)
        if still_left >= 0 and child.hits_needed > 0:
            full_plays(t, &child, 0 - bit(source), still_left)


cdef inline void doubles(const State *s, int die, bint john, Sink *out, What what) noexcept nogil:
    """All plays of a throw with equal dice; ``john`` tells whether he is in reach."""
    cdef Doubles t
    cdef Choice root
    cdef int left = 4, hit
    cdef Py_ssize_t before = out.count
    cdef Names names
    t.die = die
    t.open = POINTS & ~s.foe_made
    t.out = out
    root.row = row_flipped(s.men)
    look_deeper(s, &root.own[2], &root.own[3])
    root.own[0] = s.own
    root.own[1] = s.own_made
    root.blots = s.foe & ~s.foe_made
    root.path = 0
    root.steps = 0
    root.hits_needed = 7 - s.john if john else 9
    t.near_john = root.blots & ~<uint32_t> Q3
    if s.men[0]:
        if bit(die) & (s.own | s.foe_made):
            put_pass(out, root.row)
            return
        hit = (root.blots >> die) & 1
        root.row = row_add(root.row, STEP[die][hit])
        root.own[0] |= bit(die)
        root.blots &= ~bit(die)
        root.path = 128 * hit
        root.steps = 1
        root.hits_needed -= hit
        # The next one finds the first in his way, and what is over is over.
        left = 3 if s.men[0] == 1 and root.hits_needed > 0 else 0
    # Duty 1 (section 3): as many steps as can be made.
    while left and out.count == before:
        if What is Full:
            full_plays(&t, &root, POINTS, left)
        else:
            plain_plays(&t, &root, POINTS, left, what)
        left -= 1
    if out.count == before:
        name_path(&t, &root, &names)
        put(out, root.row, JOHN if root.hits_needed <= 0 else NONE, names.bytes)

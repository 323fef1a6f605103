# The generic path: every rule, every switch, one step at a time.
#
# It plays all complete sequences of a throw, die by die, remembering each intermediate position
# once, and then applies the duties to the pool. The fast paths stand before it (_turn.pxd);
# everything that is rare comes here, and the flag `generic` sends everything here.

from libc.stdlib cimport calloc, free, malloc
from libc.stdint cimport int8_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset
from brade_fast._state cimport *

# The nodes of one call, proof that they fit. Nodes differ in (board, dice left, outcome).
#   Equal dice: a board reached by k steps is fixed by how many steps each of 15 men has made, and
#   C(19, 4) = 3,876 choices make at most 4 steps in all; each has at most two outcomes (one, or
#   John and forced John).
#   Different dice: at most 15 men can start, with either die (30 nodes, one outcome each), and
#   after each at most 15 with the other die (450), and the root.
# Plays are nodes, so the same numbers bound the plays of a call.
cdef enum:
    MAX_DOUBLES = 7752
    MAX_UNEQUAL = 481
    ROW_ALIGNMENT = 64
    TABLE_SIZE = 1 << 14        # over twice the nodes, so that probing ends soon
    MAX_OPTIONS = 16            # at most 15 points hold men

# A board's key is a sum over its men, so that a step adds to it as it adds to the row. Keys only
# spread the nodes over the table: equality is decided by the rows. Filled once at import.
cdef extern from *:
    """
    static uint64_t KEY[52];
    """
    uint64_t KEY[52]

cdef struct Option:             # one legal step
    int8_t source
    int8_t die
    int8_t hit

cdef struct Node:               # a sequence of steps, one for each position it can lead to
    Row row
    uint64_t key                # of the board: what the steps added to 0, see KEY
    Option steps[4]
    uint16_t slot               # its place in the table
    uint8_t used                # dice used
    uint8_t left                # unequal dice: bit 0 the higher is left, bit 1 the lower;
                                # equal dice: how many are left
    uint8_t outcome
    uint8_t complete
    uint8_t kept                # the duties allow it
    uint8_t reduction
    uint8_t john                # as in State, and the mover's men in Q4 and off: what tells that
    uint8_t home                # an end is possible

cdef struct Scratch:            # memory of the generic path, taken when it is first needed
    void *memory                # where the nodes are, at the next address that rows can have
    Node *nodes
    uint16_t *table             # node number + 1, by hash; all 0 between calls
    int count

cdef struct Duties:             # what section 3 asks of a sequence that is not free of it
    int most_dice
    int only_die                # duty 2: the die to begin with, 0 if either will do
    int least_reduction         # duty 3: -1 if any will do


cdef inline void fill_keys() noexcept nogil:
    cdef int i
    for i in range(ROW_BYTES):
        KEY[i] = scramble(i + 1)


cdef inline uint64_t scramble(uint64_t x) noexcept nogil:
    """Spreads the bits of a number over 64 (the finisher of splitmix64)."""
    x = (x ^ (x >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
    x = (x ^ (x >> 27)) * <uint64_t> 0x94D049BB133111EB
    return x ^ (x >> 31)


cdef inline void scratch_init(Scratch *scratch) noexcept nogil:
    scratch.memory = NULL
    scratch.nodes = NULL
    scratch.table = NULL
    scratch.count = 0


cdef inline void scratch_free(Scratch *scratch) noexcept nogil:
    free(scratch.memory)
    free(scratch.table)
    scratch_init(scratch)


cdef inline bint scratch_ready(Scratch *scratch) noexcept nogil:
    if scratch.nodes == NULL:
        # One more for the node that turns out to be known already.
        scratch.memory = malloc((MAX_DOUBLES + 1) * sizeof(Node) + ROW_ALIGNMENT)
        if scratch.memory != NULL:
            scratch.nodes = <Node *> ((<size_t> scratch.memory + ROW_ALIGNMENT - 1)
                                      & ~<size_t> (ROW_ALIGNMENT - 1))
    if scratch.table == NULL:
        scratch.table = <uint16_t *> calloc(TABLE_SIZE, sizeof(uint16_t))
    return scratch.nodes != NULL and scratch.table != NULL


# ---------------------------------------------------------------- section 2: one step

cdef inline Option option(int source, int die, int hit) noexcept nogil:
    cdef Option o
    o.source = source
    o.die = die
    o.hit = hit
    return o


cdef inline Option landing(const State *s, int source, int die) noexcept nogil:
    """The step onto a point that may be landed on; whoever stands there is hit."""
    cdef uint32_t target = bit(source + die)
    return option(source, die, POINT_FORCED if s.foe_made & target
                  else BLOT_HIT if s.foe & target else NO_HIT)


cdef inline int bear_off_source(const State *s, int die, const CRules *rules) noexcept nogil:
    """The point whose man the die bears off (section 6, `bear_off_rearmost_only`), or 0."""
    cdef int rearmost
    if s.men[0] or s.own & ~<uint32_t> Q4 or not s.own:
        return 0
    rearmost = lowest(s.own)
    if rearmost + die >= OFF and (rules.bear_off_rearmost_only or rearmost + die > OFF):
        return rearmost
    if not rules.bear_off_rearmost_only and s.own & bit(OFF - die):
        return OFF - die
    return 0


cdef inline int legal_steps(const State *s, int die, const CRules *rules,
                            Option *options) noexcept nogil:
    """All legal steps with one die, sources rising; answers how many."""
    cdef uint32_t forceable = block_forceable(s, rules)
    cdef uint32_t barred, own_barred, sources
    cdef int n = 0, source
    if s.men[0]:                # men on the bar enter first
        forceable |= entry_forceable(s, rules)
        if bit(die) & (s.own | (s.foe_made & ~forceable)):
            return 0
        options[0] = landing(s, 0, die)
        return 1
    own_barred = s.own & FAR_SIDE
    if rules.five_blots and s.men[1] > 10:
        own_barred = s.own
    barred = own_barred | (s.foe_made & ~forceable)
    sources = s.own & ((POINTS & ~barred) >> die)
    while sources:
        options[n] = landing(s, lowest(sources), die)
        sources &= sources - 1
        n += 1
    source = bear_off_source(s, die, rules)
    if source:                  # from here on nobody moves inside: sources still rise
        options[n] = option(source, die, NO_HIT)
        n += 1
    return n


cdef inline int reduction(Option step) noexcept nogil:
    return max(step.source + step.die - OFF, 0)


cdef inline bint can_step(const int8_t *board, const CRules *rules) noexcept nogil:
    """Whether the player to move has a legal step for any throw."""
    cdef State s
    cdef Option options[MAX_OPTIONS]
    cdef int die
    look(&s, board)
    if junker(&s, rules):
        return False
    for die in range(1, 7):
        if legal_steps(&s, die, rules, options):
            return True
    return False


cdef inline bint is_deadlock(const int8_t *board, const CRules *rules) noexcept nogil:
    """Whether neither player has a legal step for any throw (section 7, no. 6)."""
    cdef int8_t flipped[ROW_BYTES]
    if can_step(board, rules):
        return False
    flip(board, flipped)
    return not can_step(flipped, rules)


# ---------------------------------------------------------------- section 3: all sequences

cdef inline Node *remember(Scratch *scratch, bint any_left) noexcept nogil:
    """Counts the node behind the last one if it is new: in row, dice left (unless any), outcome.

    If it is not, the one that is known.
    """
    cdef Node *node = &scratch.nodes[scratch.count]
    cdef Node *other
    cdef uint64_t key = node.key + node.outcome + (0 if any_left else <uint64_t> node.left << 8)
    cdef uint32_t slot = <uint32_t> ((key * <uint64_t> 0x9E3779B97F4A7C15) >> 50)
    while scratch.table[slot]:
        other = &scratch.nodes[scratch.table[slot] - 1]
        if (other.key == node.key and other.outcome == node.outcome
                and (any_left or other.left == node.left) and row_equal(other.row, node.row)):
            return other
        slot = (slot + 1) & (TABLE_SIZE - 1)
    node.slot = slot
    scratch.count += 1
    scratch.table[slot] = scratch.count
    return NULL


cdef inline void forget(Scratch *scratch) noexcept nogil:
    cdef int i
    for i in range(scratch.count):
        scratch.table[scratch.nodes[i].slot] = 0
    scratch.count = 0


cdef inline void look_at_row(State *s, int8_t *bytes, Row row) noexcept nogil:
    """The state in mid-turn; `bytes` must live as long as the state."""
    row_store(bytes, row)
    look_back(s, bytes)


cdef inline int outcome_of_node(const Node *node, bint forced, const CRules *rules) noexcept nogil:
    """The ends are looked for where one is possible: John's count, or all men home."""
    cdef State s
    cdef int8_t bytes[ROW_BYTES]
    if node.john < 7 and node.home < 15:
        return NONE
    look_at_row(&s, bytes, node.row)
    return outcome(&s, forced, rules)


cdef inline void take_step(Node *node, const State *s, Option step) noexcept nogil:
    """A legal step; a hit sends all men of the point to the opponent's bar."""
    cdef int target = step.source + step.die
    cdef int i, foe, men
    node.row = row_add(node.row, STEP[step.die][2 * step.source])
    node.key += KEY[26 + min(target, OFF)] - KEY[26 + step.source]
    node.home += step.source < 19 <= target
    if step.hit:
        foe = foe_point(target)
        men = s.foes[foe]
        for i in range(men):
            node.row = row_add(node.row, HIT[target])
        node.key += men * (KEY[0] - KEY[foe])
        node.john += men - (bit(target) & Q3 != 0)  # a point of his Q1 is freed


cdef inline void step_on(const Node *node, const State *s, Option step, int left,
                         const CRules *rules, Node *child) noexcept nogil:
    """`child` becomes `node` plus one step; the ends are checked after every step."""
    child.row = node.row
    child.key = node.key
    child.john = node.john
    child.home = node.home
    take_step(child, s, step)
    memcpy(child.steps, node.steps, sizeof(node.steps))
    child.steps[node.used] = step
    child.used = node.used + 1
    child.reduction = node.reduction + reduction(step)
    child.left = left
    child.outcome = outcome_of_node(child, step.hit == POINT_FORCED, rules)
    child.complete = child.outcome != NONE or left == 0


cdef inline int men_home(const State *s) noexcept nogil:
    cdef int point, home = 0
    for point in range(19, 26):
        home += s.men[point]
    return home


# Of all sequences that lead to a node it keeps the smallest by (source rising, die falling): all
# these have the same number of steps, nodes are looked at in the order of their sequences, and
# their steps are tried in this order too; so the smallest comes first.
cdef inline void all_sequences(const State *start, Row row, int high, int low,
                               const CRules *rules, Scratch *scratch) noexcept nogil:
    """Fills the scratch with every node of the throw; the complete ones are the pool."""
    cdef State s
    cdef int8_t bytes[ROW_BYTES]
    cdef Option highs[MAX_OPTIONS]
    cdef Option lows[MAX_OPTIONS]
    cdef Node *node = scratch.nodes
    cdef int i = 0, h, l, n_highs, n_lows
    node.row = row
    node.key = 0
    node.john = start.john
    node.home = men_home(start)
    node.used = node.reduction = 0
    node.left = 4 if high == low else 3
    node.outcome = NONE
    node.complete = junker(start, rules)
    remember(scratch, False)
    while i < scratch.count:
        node = &scratch.nodes[i]
        i += 1
        if node.complete:
            continue
        look_at_row(&s, bytes, node.row)
        n_highs = legal_steps(&s, high, rules, highs) if high == low or node.left & 1 else 0
        n_lows = legal_steps(&s, low, rules, lows) if high != low and node.left & 2 else 0
        h = l = 0
        while h < n_highs or l < n_lows:
            if h < n_highs and (l == n_lows or highs[h].source <= lows[l].source):
                step_on(node, &s, highs[h], node.left - 1 if high == low else node.left & 2,
                        rules, &scratch.nodes[scratch.count])
                h += 1
            else:
                step_on(node, &s, lows[l], node.left & 1, rules, &scratch.nodes[scratch.count])
                l += 1
            remember(scratch, False)
        node.complete = n_highs + n_lows == 0


# ---------------------------------------------------------------- section 3: the duties

cdef inline bint is_free(const Node *node, const CRules *rules) noexcept nogil:
    """A sequence that ends the game where endings are free of the duties."""
    return rules.endings_free and node.outcome != NONE


cdef inline bint uses_most_dice(const Node *node, const Duties *duties) noexcept nogil:
    """Duty 1: as many dice as any, or the game is over."""
    return node.used == duties.most_dice or node.outcome != NONE


cdef inline bint begins_right(const Node *node, const Duties *duties) noexcept nogil:
    """Duty 2: the only die played is the higher, if either can be."""
    return duties.only_die == 0 or node.steps[0].die == duties.only_die


cdef inline bint is_kept(const Node *node, const Duties *duties,
                         const CRules *rules) noexcept nogil:
    if not node.complete:
        return False
    return is_free(node, rules) or (
        uses_most_dice(node, duties) and begins_right(node, duties)
        and (duties.least_reduction < 0 or node.reduction == duties.least_reduction))


cdef inline Duties duties_of(Scratch *scratch, int high, int low,
                             const CRules *rules) noexcept nogil:
    """What the three duties, one after the other, ask of the pool."""
    cdef Duties duties
    cdef Node *node
    cdef int i
    duties.most_dice = 0
    duties.only_die = 0
    duties.least_reduction = -1
    for i in range(scratch.count):
        node = &scratch.nodes[i]
        if node.complete and not is_free(node, rules):
            duties.most_dice = max(duties.most_dice, node.used)
    if duties.most_dice == 1 and high != low:
        for i in range(scratch.count):
            node = &scratch.nodes[i]
            if (node.complete and not is_free(node, rules) and uses_most_dice(node, &duties)
                    and node.steps[0].die == high):
                duties.only_die = high
    if rules.smallest_reduction:
        for i in range(scratch.count):
            node = &scratch.nodes[i]
            if (node.complete and not is_free(node, rules) and uses_most_dice(node, &duties)
                    and begins_right(node, &duties)
                    and (duties.least_reduction < 0
                         or node.reduction < duties.least_reduction)):
                duties.least_reduction = node.reduction
    return duties


cdef inline void name_node(const Node *node, int8_t *steps) noexcept nogil:
    cdef int k
    memset(steps, -1, 16)
    for k in range(node.used):
        name_step(steps, k, node.steps[k].source, node.steps[k].die, node.steps[k].hit)


cdef inline void put_node(const Node *node, Sink *out) noexcept nogil:
    cdef int8_t steps[16]
    if out.steps != NULL:
        name_node(node, steps)
    put(out, node.row, node.outcome, steps)


cdef inline bint sequence_before(const Node *a, const Node *b) noexcept nogil:
    """Compares sequences of which neither begins with the other."""
    cdef int k
    for k in range(min(a.used, b.used)):
        if a.steps[k].source != b.steps[k].source:
            return a.steps[k].source < b.steps[k].source
        if a.steps[k].die != b.steps[k].die:
            return a.steps[k].die > b.steps[k].die
    return False


cdef inline bint mark_kept(Scratch *scratch, int high, int low,
                           const CRules *rules) noexcept nogil:
    """Which nodes the duties allow; answers whether these have different dice left."""
    cdef Duties duties = duties_of(scratch, high, low, rules)
    cdef Node *node
    cdef int i, left = -1
    cdef bint mixed = False
    for i in range(scratch.count):
        node = &scratch.nodes[i]
        node.kept = is_kept(node, &duties, rules)
        if node.kept:
            mixed |= left >= 0 and left != node.left
            left = node.left
    return mixed


cdef inline void gather_plays(Scratch *scratch) noexcept nogil:
    """Leaves the kept nodes alone, in the table without their dice left: each is one play.

    The same play may be kept with different dice left; the smaller sequence stays. Kept nodes
    move to the front; writing never overtakes reading.
    """
    cdef Node *known
    cdef int i, nodes = scratch.count
    forget(scratch)
    for i in range(nodes):
        if not scratch.nodes[i].kept:
            continue
        if i != scratch.count:
            scratch.nodes[scratch.count] = scratch.nodes[i]
        known = remember(scratch, True)
        if known != NULL and sequence_before(&scratch.nodes[scratch.count], known):
            known.used = scratch.nodes[scratch.count].used
            memcpy(known.steps, scratch.nodes[scratch.count].steps, sizeof(known.steps))


cdef inline int generic(const State *s, Row row, int high, int low, const CRules *rules,
                        Scratch *scratch, Sink *out) noexcept nogil:
    """All plays of a throw, each by its smallest sequence; -1 if there is no memory, else 0."""
    cdef int i
    if not scratch_ready(scratch):
        return -1
    all_sequences(s, row, high, low, rules, scratch)
    if mark_kept(scratch, high, low, rules):
        gather_plays(scratch)
    for i in range(scratch.count):
        if scratch.nodes[i].kept:
            put_node(&scratch.nodes[i], out)
    forget(scratch)
    return 0


cdef inline uint64_t key_of(const int8_t *from_row, const int8_t *to_row) noexcept nogil:
    """The key of a node whose board differs so from the one that the turn began with."""
    cdef uint64_t key = 0
    cdef int i
    for i in range(ROW_BYTES):
        key += <uint64_t> <int64_t> (to_row[i] - from_row[i]) * KEY[i]
    return key


cdef inline int canonical(const int8_t *board, int high, int low, const CRules *rules,
                          Py_ssize_t count, const int8_t *rows, const uint8_t *outcomes,
                          Scratch *scratch, int8_t *steps) noexcept nogil:
    """The smallest sequences of some plays of a throw: 1, 0 if one is no play, -1 no memory."""
    cdef State s
    cdef Node *node
    cdef int8_t start[ROW_BYTES]
    cdef Py_ssize_t i
    cdef bint found = True
    if not scratch_ready(scratch):
        return -1
    look(&s, board)
    flip(board, start)
    all_sequences(&s, row_load(start), high, low, rules, scratch)
    mark_kept(scratch, high, low, rules)
    gather_plays(scratch)
    for i in range(count):
        node = &scratch.nodes[scratch.count]
        node.row = row_load(rows + i * ROW_BYTES)
        node.key = key_of(start, rows + i * ROW_BYTES)
        node.outcome = outcomes[i]
        node = remember(scratch, True)
        if node == NULL:        # it has been counted now, so that forget() sees it
            found = False
            break
        name_node(node, steps + i * 16)
    forget(scratch)
    return found


# ---------------------------------------------------------------- a turn step by step

cdef inline int options_of(const Node *node, int high, int low, const CRules *rules,
                           Option *options) noexcept nogil:
    """All steps that can follow a node, in the order of all_sequences; answers how many."""
    cdef State s
    cdef int8_t bytes[ROW_BYTES]
    cdef int n = 0
    look_at_row(&s, bytes, node.row)
    if high == low or node.left & 1:
        n = legal_steps(&s, high, rules, options)
    if high != low and node.left & 2:
        n += legal_steps(&s, low, rules, options + n)
    return n


cdef inline Node *node_after(const Node *node, Option step, int high, int low,
                             const CRules *rules, Scratch *scratch) noexcept nogil:
    """The node that one of its options leads to; all_sequences has found it."""
    cdef State s
    cdef int8_t bytes[ROW_BYTES]
    cdef int left = node.left - 1 if high == low else node.left & (2 if step.die == high else 1)
    look_at_row(&s, bytes, node.row)
    step_on(node, &s, step, left, rules, &scratch.nodes[scratch.count])
    return remember(scratch, False)


cdef inline void mark_ways(Scratch *scratch, int high, int low,
                           const CRules *rules) noexcept nogil:
    """Keeps the nodes from which a kept one can be reached too; children come after parents."""
    cdef Option options[2 * MAX_OPTIONS]
    cdef Node *node
    cdef int i, k, n
    for i in range(scratch.count - 1, -1, -1):
        node = &scratch.nodes[i]
        if node.complete:
            continue
        n = options_of(node, high, low, rules, options)
        for k in range(n):
            if node_after(node, options[k], high, low, rules, scratch).kept:
                node.kept = True
                break


cdef inline int next_options(const int8_t *board, int high, int low, const CRules *rules,
                             bint with_duties, const int8_t *taken, int count,
                             Scratch *scratch, Option *options, int *refused) noexcept nogil:
    """The steps that can follow `count` steps of a turn (4 bytes each): how many; -1 no memory.

    With duties only those from which a legal play can be reached (section 3). `refused` becomes
    the number of the first step that could not be taken itself, or -1.
    """
    cdef State s
    cdef Option found[2 * MAX_OPTIONS]
    cdef int8_t start[ROW_BYTES]
    cdef Node *node
    cdef Node *child
    cdef int i, k, n, kept = 0
    if not scratch_ready(scratch):
        return -1
    refused[0] = -1
    look(&s, board)
    flip(board, start)
    all_sequences(&s, row_load(start), high, low, rules, scratch)
    if with_duties:
        mark_kept(scratch, high, low, rules)
        mark_ways(scratch, high, low, rules)
    node = scratch.nodes
    for i in range(count + 1):
        kept = 0
        child = NULL
        n = 0 if node.complete else options_of(node, high, low, rules, found)
        for k in range(n):
            if with_duties and not node_after(node, found[k], high, low, rules, scratch).kept:
                continue
            options[kept] = found[k]
            kept += 1
            if (i < count and found[k].source == taken[4 * i] and found[k].die == taken[4 * i + 2]
                    and found[k].hit == taken[4 * i + 3]):
                child = node_after(node, found[k], high, low, rules, scratch)
        if i == count:
            break
        if child == NULL:
            refused[0] = i
            kept = 0
            break
        node = child
    forget(scratch)
    return kept

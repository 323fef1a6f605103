# Loops over many positions and over whole games, without the GIL.

from libc.stdint cimport int8_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcmp, memcpy
from brade_fast._state cimport *
from brade_fast._generic cimport (
    MAX_DOUBLES, MAX_OPTIONS, Node, Option, Scratch, landing, legal_steps, look_at_row,
    men_home, outcome_of_node, scramble, scratch_free, scratch_init, take_step,
)
from brade_fast._kernel cimport *
from brade_fast._turn cimport is_deadlock, max_plays, plays_of, plays_of_board

cdef extern from "Python.h":
    int PyErr_CheckSignals()

cdef enum:
    CALLS_PER_CHECK = 1 << 9    # below half a second of work, however rare, between two looks
                                # for Ctrl-C
    READ_AHEAD = 64


# ---------------------------------------------------------------- valid input

cdef inline bint look_valid(State *s, const int8_t *board) noexcept nogil:
    """Section 7, no. 13: 15 men each, no point held by both, no own pair on 2 to 11."""
    look(s, board)
    # One branch: single ones would be guessed wrongly no less often, and each costs.
    return halves_have_15(board) & ((s.own & s.foe | s.own_made & FAR_SIDE
                                     | s.foe_made & across(FAR_SIDE)) == 0)


cdef inline bint look_going(State *s, const int8_t *board, const CRules *rules) noexcept nogil:
    """Valid, and nobody has won: the check before plays are asked for."""
    if not look_valid(s, board):
        return False
    if ((s.john < 7) & (s.men[0] + popcount(s.own & Q1) < 7)
            & (s.own & ~<uint32_t> Q4 != 0) & (s.foe & ~across(Q4) != 0)):
        return True             # no John, and neither player has all his men home or off
    return not is_over(board, rules)


# ---------------------------------------------------------------- buffers for one call's plays

cdef inline void buffer_init(Buffer *buffer) noexcept nogil:
    buffer.rows = NULL
    buffer.outcomes = NULL
    buffer.steps = NULL


cdef inline bint buffer_ready(Buffer *buffer, bint steps) noexcept nogil:
    if buffer.rows == NULL:
        buffer.rows = <int8_t *> malloc(MAX_DOUBLES * ROW_BYTES)
    if buffer.outcomes == NULL:
        buffer.outcomes = <uint8_t *> malloc(MAX_DOUBLES)
    if steps and buffer.steps == NULL:
        buffer.steps = <int8_t *> malloc(MAX_DOUBLES * 16)
    return buffer.rows != NULL and buffer.outcomes != NULL and (not steps or buffer.steps != NULL)


cdef inline void buffer_free(Buffer *buffer) noexcept nogil:
    free(buffer.rows)
    free(buffer.outcomes)
    free(buffer.steps)
    buffer_init(buffer)


cdef inline Sink buffer_sink(const Buffer *buffer) noexcept nogil:
    cdef Sink out = counting_sink()
    out.rows = buffer.rows
    out.outcomes = buffer.outcomes
    out.steps = buffer.steps
    return out


cdef inline void append_plays(Sink *out, const Sink *more) noexcept nogil:
    memcpy(out.rows + out.count * ROW_BYTES, more.rows, more.count * ROW_BYTES)
    memcpy(out.outcomes + out.count, more.outcomes, more.count)
    if out.steps != NULL:
        memcpy(out.steps + out.count * 16, more.steps, more.count * 16)
    out.count += more.count


# ---------------------------------------------------------------- many calls

# The caller's arrays are read once, into memory of our own, and checked there: he might change
# them while the GIL is released, and every proof of room rests on valid boards.
cdef struct Reader:
    const Batch *batch
    Py_ssize_t begin
    Py_ssize_t end
    int8_t boards[READ_AHEAD * ROW_BYTES]
    int8_t dice[READ_AHEAD * 2]


cdef inline void reader_init(Reader *reader, const Batch *batch) noexcept nogil:
    reader.batch = batch
    reader.begin = reader.end = 0


cdef inline bint read_row(Reader *reader, Py_ssize_t i, Py_ssize_t last, State *s,
                          const int8_t **dice) noexcept nogil:
    """Finds row ``i``, one of those before ``last``; False if it cannot be played."""
    cdef const Batch *batch = reader.batch
    cdef Py_ssize_t k
    if i >= reader.end or i < reader.begin:
        reader.begin = i
        reader.end = min(i + READ_AHEAD, last)
        memcpy(reader.boards, batch.boards + i * ROW_BYTES, (reader.end - i) * ROW_BYTES)
        if batch.dice_stride:
            memcpy(reader.dice, batch.dice + 2 * i, 2 * (reader.end - i))
        else:
            for k in range(READ_AHEAD):
                memcpy(reader.dice + 2 * k, batch.dice, 2)
    dice[0] = reader.dice + (i - reader.begin) * 2
    return (1 <= dice[0][0] <= 6 and 1 <= dice[0][1] <= 6
            and look_going(s, reader.boards + (i - reader.begin) * ROW_BYTES, batch.rules))


cdef inline int count_many(const Batch *batch, Py_ssize_t first, Py_ssize_t last,
                           int64_t *counts, Scratch *scratch) noexcept nogil:
    cdef Sink out = counting_sink()
    cdef Reader reader
    cdef State s
    cdef const int8_t *dice
    cdef Py_ssize_t i
    reader_init(&reader, batch)
    for i in range(first, last):
        if not read_row(&reader, i, last, &s, &dice):
            return REFUSED
        out.count = 0
        if plays_of(&s, dice[0], dice[1], batch.rules, batch.only_generic, scratch, &out) < 0:
            return NO_MEMORY
        counts[i] = out.count
    return DONE


cdef inline Py_ssize_t write_many(const Batch *batch, Py_ssize_t first, Py_ssize_t last,
                                  Py_ssize_t capacity, int64_t *offsets, Scratch *scratch,
                                  Buffer *spill, Sink *out) noexcept nogil:
    """Appends plays until the room is full; answers the next call, or a status below 0.

    ``offsets`` gets the number of plays after each call, behind it. Where a call *might* not fit
    its plays go to ``spill`` and are copied, so that room for just the right number will do.
    """
    cdef Reader reader
    cdef State s
    cdef Sink spilled
    cdef Sink *to
    cdef const int8_t *dice
    cdef Py_ssize_t i = first
    reader_init(&reader, batch)
    while i < last:
        if not read_row(&reader, i, last, &s, &dice):
            return REFUSED
        to = out
        if capacity - out.count < max_plays(dice[0], dice[1]):
            if not buffer_ready(spill, out.steps != NULL):
                return NO_MEMORY
            spilled = buffer_sink(spill)
            to = &spilled
        if plays_of(&s, dice[0], dice[1], batch.rules, batch.only_generic, scratch, to) < 0:
            return NO_MEMORY
        if to != out:
            if spilled.count > capacity - out.count:
                break
            append_plays(out, &spilled)
        i += 1
        offsets[i] = out.count
    return i


cdef inline Py_ssize_t rewrite_many(const Batch *batch, Py_ssize_t first, Py_ssize_t last,
                                    Scratch *scratch, Sink *out) noexcept nogil:
    """Writes the plays of each call over those of the last; answers how many there were."""
    cdef Reader reader
    cdef State s
    cdef const int8_t *dice
    cdef Py_ssize_t i, total = 0
    reader_init(&reader, batch)
    for i in range(first, last):
        if not read_row(&reader, i, last, &s, &dice):
            return REFUSED
        out.count = 0
        if plays_of(&s, dice[0], dice[1], batch.rules, batch.only_generic, scratch, out) < 0:
            return NO_MEMORY
        total += out.count
    return total


# ---------------------------------------------------------------- steps played again

cdef inline bint of_one_throw(const int8_t *steps, int k) noexcept nogil:
    """Whether the dice of the steps 0 to ``k`` can be of one throw: more than two are equal."""
    cdef int i
    for i in range(1, k + 1):
        if k > 1 and steps[4 * i + 2] != steps[2]:
            return False
    return True


cdef inline bint apply_step(Node *node, const int8_t *step, const CRules *rules) noexcept nogil:
    """Makes a step if it is legal where the mover stands and described as it is."""
    cdef State s
    cdef int8_t bytes[ROW_BYTES]
    cdef Option options[MAX_OPTIONS]
    cdef int k, target = step[0] + step[2]
    if not 1 <= step[2] <= 6:
        return False
    look_at_row(&s, bytes, node.row)
    # Most steps: nobody on the bar, from a point that is held to one that no one could bar.
    if (s.men[0] == 0 and 1 <= step[0] and target < OFF and s.own & bit(step[0])
            and not (s.own | s.foe_made) & bit(target)):
        if step[1] != target or step[3] != (s.foe & bit(target) != 0):
            return False
        take_step(node, &s, landing(&s, step[0], step[2]))
        node.outcome = outcome_of_node(node, False, rules)
        return True
    for k in range(legal_steps(&s, step[2], rules, options)):
        if options[k].source == step[0]:
            if step[1] != min(step[0] + step[2], OFF) or step[3] != options[k].hit:
                return False
            take_step(node, &s, options[k])
            node.outcome = outcome_of_node(node, step[3] == POINT_FORCED, rules)
            return True
    return False


cdef inline int apply_turn(Node *node, const State *s, const int8_t *steps,
                           const CRules *rules) noexcept nogil:
    """Plays all steps of a row; answers the first that cannot be, or 4."""
    cdef int k, i
    cdef bint passes = junker(s, rules)
    node.row = row_flipped(s.men)
    node.key = 0
    node.john = s.john
    node.home = men_home(s)
    node.outcome = NONE
    for k in range(4):
        if steps[4 * k] == -1:
            for i in range(4 * k, 16):      # no step is behind an unused row
                if steps[i] != -1:
                    return i // 4
            break
        if (passes or node.outcome != NONE or not of_one_throw(steps, k)
                or not apply_step(node, steps + 4 * k, rules)):
            return k
    return 4


cdef inline Py_ssize_t apply_many(const Batch *batch, const int8_t *steps, Py_ssize_t first,
                                  Py_ssize_t last, int8_t *boards, uint8_t *outcomes,
                                  Fault *fault) noexcept nogil:
    """Plays the steps of each row on its board; answers the first row that is refused, or last."""
    cdef Reader reader
    cdef State s
    cdef Node node
    cdef int8_t own_steps[16]   # the caller might change his
    cdef const int8_t *dice
    cdef Py_ssize_t i
    reader_init(&reader, batch)
    for i in range(first, last):
        fault.step = -1
        if not read_row(&reader, i, last, &s, &dice):
            return i
        memcpy(own_steps, steps + 16 * i, 16)
        fault.step = apply_turn(&node, &s, own_steps, batch.rules)
        if fault.step < 4:
            memcpy(fault.steps, own_steps, 16)
            row_store(fault.board, node.row)
            fault.outcome = node.outcome
            return i
        row_store(boards + i * ROW_BYTES, node.row)
        outcomes[i] = node.outcome
    return last


# ---------------------------------------------------------------- perft

cdef inline bint must_stop(const int *stop) noexcept nogil:
    """Ctrl-C (in the main thread, with the exception set), or another thread was stopped."""
    with gil:
        return PyErr_CheckSignals() < 0 or stop[0] != 0


cdef struct Walk:
    const CRules *rules
    const int *stop
    # By a pointer, so that the memory of the fast paths is not part of each level's.
    int (*plays_of_board)(const int8_t *board, int d1, int d2, const CRules *rules,
                          bint only_generic, Scratch *scratch, Sink *out) noexcept nogil
    Scratch scratch
    Buffer *levels              # one for each depth, taken when it is first needed
    int calls
    int status


cdef inline int64_t walk_nodes(const int8_t *board, int depth, Walk *walk) noexcept nogil:
    """The number of plays ``depth`` turns deep; a finished game is a leaf."""
    cdef Sink out
    cdef int high, low
    cdef int64_t total = 0
    cdef Py_ssize_t i
    if depth == 0:
        return 1
    if depth > 1 and not buffer_ready(&walk.levels[depth], False):
        walk.status = NO_MEMORY
    for high in range(1, 7):
        for low in range(1, high + 1):
            walk.calls += 1
            if walk.calls >= CALLS_PER_CHECK:
                walk.calls = 0
                if walk.status == DONE and must_stop(walk.stop):
                    walk.status = STOPPED
            if walk.status != DONE:
                return 0
            out = buffer_sink(&walk.levels[depth]) if depth > 1 else counting_sink()
            if walk.plays_of_board(board, high, low, walk.rules, False, &walk.scratch, &out) < 0:
                walk.status = NO_MEMORY
                return 0
            if depth == 1:
                total += out.count
                continue
            for i in range(out.count):
                if out.outcomes[i] != NONE:
                    total += 1
                else:
                    total += walk_nodes(out.rows + i * ROW_BYTES, depth - 1, walk)
    return total


cdef inline int walk_many(const int8_t *boards, Py_ssize_t count, int depth,
                          const CRules *rules, const int *stop, int64_t *nodes,
                          int (*plays_of_board)(const int8_t *board, int d1, int d2,
                                                const CRules *rules, bint only_generic,
                                                Scratch *scratch,
                                                Sink *out) noexcept nogil) noexcept nogil:
    """Adds up the nodes of several positions."""
    cdef Walk walk
    cdef Py_ssize_t i
    cdef int k
    walk.rules = rules
    walk.stop = stop
    walk.plays_of_board = plays_of_board
    walk.calls = 0
    walk.status = DONE
    scratch_init(&walk.scratch)
    walk.levels = <Buffer *> calloc(depth + 1, sizeof(Buffer))
    if walk.levels == NULL:
        return NO_MEMORY
    nodes[0] = 0
    for i in range(count):
        nodes[0] += walk_nodes(boards + i * ROW_BYTES, depth, &walk)
    for k in range(depth + 1):
        buffer_free(&walk.levels[k])
    free(walk.levels)
    scratch_free(&walk.scratch)
    return walk.status


# ---------------------------------------------------------------- random games

# A counter-based stream: number `turn` of trial `trial` of a seed
# depends on these three alone, whatever is drawn before it and on whichever thread.

cdef inline uint64_t trial_key(uint64_t seed, uint64_t trial) noexcept nogil:
    return scramble(scramble(seed + <uint64_t> 0x9E3779B97F4A7C15) + trial)


cdef inline uint64_t draw(uint64_t key, uint64_t turn) noexcept nogil:
    return scramble(key + (turn + 1) * <uint64_t> 0x9E3779B97F4A7C15)


cdef inline uint32_t below(uint32_t random, uint32_t n) noexcept nogil:
    """0 to n - 1; uneven by less than n / 2**32."""
    return <uint32_t> ((<uint64_t> random * n) >> 32)


cdef inline void throw_dice(uint64_t drawn, int *d1, int *d2) noexcept nogil:
    """The throw is in the upper half of a number, the choice of a play in the lower."""
    cdef uint32_t face = below(<uint32_t> (drawn >> 32), 36)
    d1[0] = face // 6 + 1
    d2[0] = face % 6 + 1


cdef inline int play_out(const int8_t *start, uint64_t key, const CRules *rules, const int *stop,
                         Scratch *scratch, Sink *out, int64_t *counts,
                         int64_t *turns) noexcept nogil:
    """One random game, added to ``counts`` (2 x 14: winner, outcome) and ``turns``."""
    cdef int8_t board[ROW_BYTES]
    cdef int8_t unmoved[ROW_BYTES]
    cdef const int8_t *chosen
    cdef uint64_t turn = 0, drawn
    cdef int d1, d2, mover = 0, result
    cdef uint32_t pick
    memcpy(board, start, ROW_BYTES)
    while True:
        drawn = draw(key, turn)
        throw_dice(drawn, &d1, &d2)
        out.count = 0
        if plays_of_board(board, d1, d2, rules, False, scratch, out) < 0:
            return NO_MEMORY
        pick = below(<uint32_t> drawn, <uint32_t> out.count)
        chosen = out.rows + <Py_ssize_t> pick * ROW_BYTES
        result = out.outcomes[pick]
        turn += 1
        if result == NONE and out.count == 1:
            flip(board, unmoved)
            if memcmp(chosen, unmoved, ROW_BYTES) == 0 and is_deadlock(board, rules):
                result = DEADLOCK
                mover = 0
        if result != NONE:
            counts[mover * OUTCOMES + result] += 1
            turns[0] += <int64_t> turn
            return DONE
        memcpy(board, chosen, ROW_BYTES)
        mover = 1 - mover
        if turn % (1 << 20) == 0 and must_stop(stop):
            return STOPPED

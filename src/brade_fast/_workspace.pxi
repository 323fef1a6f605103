# What other Cython modules may use (_core.pxd). Part of _core.pyx.

# ================================================================ for other Cython modules

cdef void look_at(const int8_t *board, State *state) noexcept nogil:
    look(state, board)


cdef struct _Memory:            # of a Workspace
    Scratch scratch
    Buffer buffer


cdef class Workspace:
    """What calls from Cython need: rules and memory (``_core.pxd``). One thread at a time.

    Parameters
    ----------
    rules : Rules
    steps : bool
        Name the steps too.

    Raises
    ------
    TypeError, MemoryError
    """

    def __init__(self, rules=BRADE, *, steps=False):
        cdef _Memory *memory
        if self.memory != NULL:
            raise TypeError("a Workspace cannot be changed")
        self.c_rules = _c_rules(rules)
        self.rules = rules
        memory = <_Memory *> malloc(sizeof(_Memory))
        if memory == NULL:
            raise MemoryError("no memory for a Workspace")
        scratch_init(&memory.scratch)
        buffer_init(&memory.buffer)
        self.memory = memory
        if not buffer_ready(&memory.buffer, bool(steps)):
            raise MemoryError("no memory for the plays of one call")
        self.plays = buffer_sink(&memory.buffer)

    def __dealloc__(self):
        cdef _Memory *memory = <_Memory *> self.memory
        if memory != NULL:
            scratch_free(&memory.scratch)
            buffer_free(&memory.buffer)
            free(memory)

    cdef Py_ssize_t enumerate(self, const int8_t *board, int d1, int d2) noexcept nogil:
        cdef _Memory *memory = <_Memory *> self.memory
        cdef State s
        if (memory == NULL or not (1 <= d1 <= 6 and 1 <= d2 <= 6)
                or not look_going(&s, board, self.c_rules)):
            return REFUSED
        self.plays.count = 0
        if kernel.plays_of_board(board, d1, d2, self.c_rules, False, &memory.scratch,
                                 &self.plays) < 0:
            return NO_MEMORY
        return self.plays.count

    cdef int apply(self, const int8_t *board, const int8_t *steps, int8_t *after) noexcept nogil:
        cdef Batch batch
        cdef Fault fault
        cdef int8_t dice[2]
        cdef uint8_t result
        if self.memory == NULL:
            return REFUSED
        dice[0] = dice[1] = 1   # the steps name their own
        batch.boards = board
        batch.dice = dice
        batch.dice_stride = 0
        batch.rules = self.c_rules
        batch.only_generic = False
        if kernel.apply_many(&batch, steps, 0, 1, after, &result, &fault) < 1:
            return REFUSED
        return result

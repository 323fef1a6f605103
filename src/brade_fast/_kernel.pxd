# The table of functions by which _core reaches the kernel that was built for a CPU level.
#
# The same source (_kernel.pxi and the .pxd parts that it is made of) is compiled once for each
# level, as a module of its own: _baseline and _v3. _core chooses one at import.

from libc.stdint cimport int8_t, int64_t, uint8_t, uint64_t
from brade_fast._types cimport *
from brade_fast._generic cimport Scratch

cdef struct Batch:              # boards and throws, side by side in memory
    const int8_t *boards
    const int8_t *dice
    Py_ssize_t dice_stride      # 0: one throw serves all boards
    const CRules *rules
    bint only_generic

cdef struct Buffer:             # room for the plays of any one call, taken when it is first needed
    int8_t *rows
    uint8_t *outcomes
    int8_t *steps               # only where steps are wanted

cdef struct Fault:              # the step that `apply_many` refused
    int8_t board[ROW_BYTES]     # as it stood before the step, the mover's half second
    int8_t steps[16]            # all steps of the row
    int step                    # which of them, 0 to 3; -1: the board could not be played
    int outcome                 # how the game had ended before the step, or NONE

cdef struct Kernel:
    const char *compiler
    const char *flags
    const char *cpu
    # One call: -1 if there is no memory.
    int (*plays_of_board)(const int8_t *board, int d1, int d2, const CRules *rules, bint only_generic,
                 Scratch *scratch, Sink *out) noexcept nogil
    bint (*is_rare)(const int8_t *board, int d1, int d2, const CRules *rules) noexcept nogil
    int (*canonical)(const int8_t *board, int high, int low, const CRules *rules,
                     Py_ssize_t count, const int8_t *rows, const uint8_t *outcomes,
                     Scratch *scratch, int8_t *steps) noexcept nogil
    # Many calls: see _bulk.pxd.
    int (*count_many)(const Batch *batch, Py_ssize_t first, Py_ssize_t last, int64_t *counts,
                      Scratch *scratch) noexcept nogil
    Py_ssize_t (*write_many)(const Batch *batch, Py_ssize_t first, Py_ssize_t last,
                             Py_ssize_t capacity, int64_t *offsets, Scratch *scratch,
                             Buffer *spill, Sink *out) noexcept nogil
    Py_ssize_t (*apply_many)(const Batch *batch, const int8_t *steps, Py_ssize_t first,
                             Py_ssize_t last, int8_t *boards, uint8_t *outcomes,
                             Fault *fault) noexcept nogil
    Py_ssize_t (*rewrite_many)(const Batch *batch, Py_ssize_t first, Py_ssize_t last,
                               Scratch *scratch, Sink *out) noexcept nogil
    int (*walk_many)(const int8_t *boards, Py_ssize_t count, int depth, const CRules *rules,
                     const int *stop, int64_t *nodes) noexcept nogil
    int (*play_out)(const int8_t *start, uint64_t key, const CRules *rules, const int *stop,
                    Scratch *scratch, Sink *out, int64_t *counts, int64_t *turns) noexcept nogil

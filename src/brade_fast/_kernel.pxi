# The kernel, compiled once for each CPU level: _baseline.pyx and _v3.pyx are nothing else.

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int8_t, int64_t
from brade_fast._state cimport *
from brade_fast._generic cimport Scratch, canonical, fill_keys
from brade_fast._turn cimport is_rare, plays_of_board
from brade_fast._bulk cimport (
    apply_many, count_many, play_out, rewrite_many, walk_many, write_many,
)
from brade_fast._kernel cimport Kernel

cdef Kernel KERNEL


cdef int walk(const int8_t *boards, Py_ssize_t count, int depth, const CRules *rules,
              const int *stop, int64_t *nodes) noexcept nogil:
    return walk_many(boards, count, depth, rules, stop, nodes, KERNEL.plays_of_board)


fill_tables()
fill_keys()

KERNEL.compiler = BRADE_FAST_COMPILER
KERNEL.flags = BRADE_FAST_FLAGS
KERNEL.cpu = BRADE_FAST_CPU
KERNEL.plays_of_board = plays_of_board
KERNEL.is_rare = is_rare
KERNEL.canonical = canonical
KERNEL.count_many = count_many
KERNEL.write_many = write_many
KERNEL.apply_many = apply_many
KERNEL.rewrite_many = rewrite_many
KERNEL.walk_many = walk
KERNEL.play_out = play_out

kernel = PyCapsule_New(&KERNEL, "brade_fast.kernel", NULL)

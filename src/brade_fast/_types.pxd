# The plain data of the core: what the parts of the kernel, _core and other people's Cython modules
# hand to each other.
#
# Points are the mover's own, 1 to 24, and point p is bit p of a mask; bit 0 is his bar. The
# opponent's men are looked at on the mover's points too (section 1: p is his p + 12).

from libc.stdint cimport int8_t, uint8_t, uint32_t

cdef enum:
    ROW_BYTES = 52              # a board: the mover's 26 bytes (bar, points, off), the opponent's

cdef enum:
    BAR = 1 << 0
    POINTS = (1 << 25) - (1 << 1)
    Q1 = (1 << 7) - (1 << 1)
    Q3 = (1 << 19) - (1 << 13)       # the opponent's Q1
    Q4 = (1 << 25) - (1 << 19)
    FAR_SIDE = (1 << 12) - (1 << 2)  # 2 to 11, where only single men may stand
    OFF = 25                         # the index of men borne off

cdef enum:  # a step's mark
    NO_HIT = 0
    BLOT_HIT = 1
    POINT_FORCED = 2

cdef enum:  # Outcome in rules.py
    NONE = 0
    BEAR_OFF = 1
    SINGLE_CROWN = 3
    DOUBLE_CROWN = 5
    STAIRCASE = 7
    TOWER = 9
    JOHN = 11
    FORCED_JOHN = 12
    DEADLOCK = 13
    OUTCOMES = 14

cdef enum:  # blocked_entry
    ENTRY_FORCE = 0
    ENTRY_PASS = 1
    ENTRY_WAIT = 2

# The switches that decide about plays; rules.py writes them in this order (Rules._code).
cdef struct CRules:
    uint8_t blocked_entry
    uint8_t long_block_force
    uint8_t five_blots
    uint8_t bear_off_rearmost_only
    uint8_t smallest_reduction
    uint8_t endings_free
    uint8_t nice_games          # bit 0 single crown, 1 double crown, 2 staircase, 3 tower
    uint8_t monk
    uint8_t rank[OUTCOMES]      # the outcomes in the order of their value

cdef struct State:
    const int8_t *men           # the mover's 26 bytes: bar, points, off
    const int8_t *foes          # the opponent's 26 bytes, on his own way
    uint32_t own                # points with men of the mover
    uint32_t own_made
    uint32_t foe                # points with men of the opponent
    uint32_t foe_made
    int john                    # men on the opponent's bar + points he holds in his Q1

# Where plays go. `rows` NULL: they are only counted. `steps` NULL: they are not named. The room may
# have been counted before, so what is put stays: no path may put a play and take it back.
cdef struct Sink:
    int8_t *rows                # ROW_BYTES a play
    uint8_t *outcomes
    int8_t *steps               # 16 bytes a play: (source, target, die, hit) four times
    Py_ssize_t count

cdef enum:  # how a loop came to its end
    DONE = 0
    STOPPED = -1                # by Ctrl-C (the exception is set) or because another thread stopped
    NO_MEMORY = -2
    REFUSED = -3                # a board or throw that cannot be played

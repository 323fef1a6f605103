# Many calls at once: their arrays, their threads. Part of _core.pyx.

# ================================================================ bulk

cdef object _NO_DICE = np.array((1, 1), np.int8)    # where boards are all that matters


cdef class _Calls:
    """Checked boards, throws and rules of one bulk call; its methods run parts of it."""

    cdef Py_ssize_t n
    cdef Py_ssize_t first_row   # the number of the first row in messages
    cdef object boards          # what the batch points into
    cdef object dice
    cdef object boards_given    # as they came, for messages
    cdef object dice_given
    cdef object rules
    cdef Batch batch
    cdef int stop

    def __init__(self, boards, dice, rules, generic, Py_ssize_t first_row=0):
        self.batch.rules = _c_rules(rules)
        self.rules = rules
        self.first_row = first_row
        self.boards_given = _shaped_boards(boards, "boards")
        self.n = len(self.boards_given)
        self.dice_given = _shaped_dice(dice, self.n)
        self.boards = _int8(self.boards_given)
        self.dice = _int8(self.dice_given)
        self.batch.only_generic = generic
        self.batch.dice_stride = 0 if self.dice.ndim == 1 else 2
        self.batch.boards = <const int8_t *> _memory(self.boards)
        self.batch.dice = <const int8_t *> _memory(self.dice)

    cdef int check_all(self) except -1:
        """Refuses the first throw that is none, else the first board that cannot be played."""
        cdef Py_ssize_t i
        cdef State s
        _check_dice(self.dice_given, self.first_row)
        for i in range(self.n):
            if not look_going(&s, self.batch.boards + i * ROW_BYTES, self.batch.rules):
                _check_board(self.batch.boards + i * ROW_BYTES, self.batch.rules,
                             self.boards_given[i], f"row {self.first_row + i}: ")
        return 0

    cdef int after_block(self, Py_ssize_t status) except -1:
        if status == NO_MEMORY:
            raise MemoryError("no memory for the plays of one call")
        if status == REFUSED:
            self.check_all()
            raise ValueError("the boards or the dice were changed during the call")
        check_signals()
        if self.stop:
            raise KeyboardInterrupt
        return 0

    def count(self, Py_ssize_t first, Py_ssize_t last, int64_t[::1] counts):
        cdef Scratch scratch
        cdef Py_ssize_t end
        cdef int status
        scratch_init(&scratch)
        try:
            while first < last:
                end = min(first + CALLS_PER_CHECK, last)
                with nogil:
                    status = kernel.count_many(&self.batch, first, end, &counts[0], &scratch)
                self.after_block(status)
                first = end
        finally:
            scratch_free(&scratch)

    cdef Py_ssize_t likely_plays(self, int64_t *counts) except -1:
        """How much room all plays will need, rather more than less; ``counts`` has room for all.

        One call in 32, all over the batch, is counted: then the arrays need not grow, which may
        copy them, and are not so large that the allocator takes new memory again and again.
        """
        cdef Scratch scratch
        cdef Py_ssize_t i = 0
        cdef int64_t total = 0
        cdef int status = DONE
        if self.n < UNCOUNTED:
            return self.n * PLAYS_A_CALL + MAX_UNEQUAL
        scratch_init(&scratch)
        with nogil:
            while i < self.n and status == DONE:
                counts[i] = 0
                status = kernel.count_many(&self.batch, i, i + 1, counts, &scratch)
                total += counts[i]
                i += SAMPLED
        scratch_free(&scratch)
        self.after_block(status)
        return <Py_ssize_t> (total * SAMPLED * 1.03) + MAX_UNEQUAL

    cdef Py_ssize_t write(self, Py_ssize_t first, Py_ssize_t last, _Room room, int64_t *offsets,
                          bint grows) except -1:
        """Appends plays; answers the first call that has not been written, which is ``last``
        where the room grows.
        """
        cdef Scratch scratch
        cdef Buffer spill
        cdef Py_ssize_t i = first, end
        scratch_init(&scratch)
        buffer_init(&spill)
        try:
            while i < last:
                end = min(i + CALLS_PER_CHECK, last)
                with nogil:
                    i = kernel.write_many(&self.batch, i, end, room.rows, offsets, &scratch,
                                          &spill, &room.sink)
                self.after_block(i)
                if i < end:     # full
                    if not grows:
                        break
                    # For the rest at the rate so far, and more; one call always fits.
                    room.resize(room.sink.count + MAX_DOUBLES
                                + (last - i) * (room.sink.count // max(i - first, 1) + 1)
                                * 9 // 8)
        finally:
            buffer_free(&spill)
            scratch_free(&scratch)
        return i

    def rewrite(self):
        cdef Scratch scratch
        cdef Buffer buffer
        cdef Sink out
        cdef Py_ssize_t first = 0, end, status = 0, total = 0
        scratch_init(&scratch)
        buffer_init(&buffer)
        try:
            if not buffer_ready(&buffer, False):
                self.after_block(NO_MEMORY)
            out = buffer_sink(&buffer)
            while first < self.n:
                end = min(first + CALLS_PER_CHECK, self.n)
                with nogil:
                    status = kernel.rewrite_many(&self.batch, first, end, &scratch, &out)
                self.after_block(status)
                total += status
                first = end
        finally:
            buffer_free(&buffer)
            scratch_free(&scratch)
        return total

    def gates(self):
        """Which calls the generic path takes."""
        cdef Py_ssize_t i
        cdef const int8_t *dice
        self.check_all()
        made = np.zeros(self.n, np.bool_)
        cdef uint8_t[::1] view = made.view(np.uint8)
        for i in range(self.n):
            dice = self.batch.dice + i * self.batch.dice_stride
            view[i] = kernel.is_rare(self.batch.boards + i * ROW_BYTES, dice[0], dice[1],
                                     self.batch.rules)
        return made

    def ask_to_stop(self):
        self.stop = 1


cdef class _Room:
    """Arrays for plays, and how far they are filled."""

    cdef Py_ssize_t rows
    cdef object boards, outcomes, steps
    cdef Sink sink

    cdef int aim(self) except -1:
        """Points the sink at the arrays."""
        self.rows = len(self.outcomes)
        self.sink.rows = <int8_t *> _memory(self.boards)
        self.sink.outcomes = <uint8_t *> _memory(self.outcomes)
        self.sink.steps = NULL if self.steps is None else <int8_t *> _memory(self.steps)
        return 0

    cdef int resize(self, Py_ssize_t rows) except -1:
        """Makes the arrays longer or shorter, in place where the memory allows it."""
        try:
            self.boards.resize((rows, 2, 26), refcheck=False)
            self.outcomes.resize((rows,), refcheck=False)
            if self.steps is not None:
                self.steps.resize((rows, 4, 4), refcheck=False)
        except MemoryError:
            raise _no_memory(rows, self.steps is not None) from None
        return self.aim()


cdef _Room _new_room(Py_ssize_t rows, bint steps):
    cdef _Room room = _Room.__new__(_Room)
    try:
        if rows >= UNCOUNTED:
            # Dropped at once. glibc keeps freed memory for the next call only up to the size of
            # what was freed before (32 MB at most), and results come back trimmed, thus always
            # smaller than what was asked for. New pages would cost a third of the whole work.
            np.empty((rows, 2, 26), _INT8)
        room.boards = np.empty((rows, 2, 26), _INT8)
        room.outcomes = np.empty(rows, _UINT8)
        room.steps = np.empty((rows, 4, 4), _INT8) if steps else None
    except MemoryError:
        raise _no_memory(rows, steps) from None
    room.sink = counting_sink()
    room.aim()
    return room


cdef object _no_memory(Py_ssize_t rows, bint steps):
    size = rows * (ROW_BYTES + 1 + (16 if steps else 0))
    return MemoryError(f"no memory for {rows:,} plays ({_megabytes(size)}); "
                       "iter_plays needs less at a time")


cdef object _numbers(Py_ssize_t n, str what):
    """Uninitialised int64, shape (n,)."""
    try:
        return np.empty(n, _INT64)
    except MemoryError:
        raise MemoryError(f"no memory for {n:,} {what} ({_megabytes(8 * n)})") from None


cdef object _checked_out(object out, _Calls calls, bint steps):
    """The caller's own arrays: the offsets and a _Room of the others, None without steps."""
    cdef _Room room = _Room.__new__(_Room)
    if not isinstance(out, tuple) or len(out) not in (3, 4):
        raise TypeError("out must be an Enumeration or a tuple (offsets, boards, outcomes[, "
                        f"steps]), not {type(out).__name__}")
    if steps and (len(out) == 3 or out[3] is None):
        raise ValueError("out has no array for the steps, and steps=True asks for them")
    wanted = [("offsets", _INT64, ()), ("boards", _INT8, (2, 26)), ("outcomes", _UINT8, ())]
    if steps:
        wanted.append(("steps", _INT8, (4, 4)))
    taken = [("the boards given", calls.boards_given), ("the dice given", calls.dice_given)]
    for array, (name, dtype, shape) in zip(out, wanted):
        name = f"out's {name}"
        if not isinstance(array, np.ndarray):
            raise TypeError(f"{name} must be a NumPy array, not {type(array).__name__}")
        if array.dtype != dtype:
            raise ValueError(f"{name} must be {dtype}, not {array.dtype}")
        if array.ndim != len(shape) + 1 or array.shape[1:] != shape:
            right = ", ".join(map(str, ("rows", *shape))) + ("" if shape else ",")
            raise ValueError(f"{name} must have the shape ({right}), not {array.shape}")
        if not array.flags.c_contiguous:
            raise ValueError(f"{name} must be C-contiguous")
        if not array.flags.writeable:
            raise ValueError(f"{name} must be writable")
        for other_name, other in taken:
            if np.may_share_memory(array, other):
                raise ValueError(f"{name} must not share memory with {other_name}")
        taken.append((name, array))
    if len(out[0]) <= calls.n:
        raise ValueError(f"out's offsets must have room for {calls.n + 1:,} numbers, "
                         f"one more than there are calls, not {len(out[0]):,}")
    room.boards, room.outcomes = out[1], out[2]
    room.steps = out[3] if steps else None
    room.sink = counting_sink()
    room.aim()
    room.rows = min([len(array) for array in out[1:len(wanted)]])
    return out[0][:calls.n + 1], room


def _in_threads(threads, n, work, ask_to_stop, block=None):
    """Runs ``work(first, last)`` over ``range(n)``; answers what the parts answered, in order.

    The parts are as equal as can be, and not longer than a block.
    """
    if threads == 1 or n < 2:
        return [work(0, n)] if n else []
    parts = min(n, max(threads * 8, -(-n // block) if block else 0))
    bounds = [n * k // parts for k in range(parts + 1)]
    with concurrent.futures.ThreadPoolExecutor(min(threads, parts)) as pool:
        futures = [pool.submit(work, bounds[k], bounds[k + 1]) for k in range(parts)]
        try:
            return [future.result() for future in futures]
        except BaseException:
            ask_to_stop()
            for future in futures:
                future.cancel()
            raise


cdef class _Line:
    """The blocks of a call in several threads, which take their places in order.

    Each block is written to memory that its thread uses again and again, and then copied. The
    copying is done in the threads too; to count first would take longer.
    """

    cdef _Calls calls
    cdef _Room room
    cdef int64_t *offsets
    cdef bint steps
    cdef Py_ssize_t broken      # the first call of the first block that failed
    cdef bint may_grow
    cdef Py_ssize_t next_call
    cdef int64_t plays
    cdef object moved           # a Condition: the next block may take its place
    cdef list spare             # rooms that no thread uses now
    cdef list late              # (place, room) of blocks that did not fit

    def block(self, Py_ssize_t first, Py_ssize_t last):
        cdef _Room mine
        try:
            mine = self.spare.pop()
        except IndexError:
            mine = _new_room(min(last - first, BLOCK) * PLAYS_A_CALL + MAX_UNEQUAL, self.steps)
        try:
            mine.sink.count = 0
            self.calls.write(first, last, mine, self.offsets, True)
            place = self.take_place(first, last, mine.sink.count)
        except BaseException:
            with self.moved:
                self.broken = min(self.broken, first)
                self.moved.notify_all()
            raise
        self.settle(first, last, place, mine)

    cdef int64_t take_place(self, Py_ssize_t first, Py_ssize_t last, Py_ssize_t count) except -1:
        with self.moved:
            while self.next_call != first:
                if self.broken < first:
                    raise KeyboardInterrupt     # that block says why
                self.moved.wait()
            place = self.plays
            self.plays += count
            self.next_call = last
            self.moved.notify_all()
        return place

    cdef int settle(self, Py_ssize_t first, Py_ssize_t last, int64_t place, _Room mine) except -1:
        cdef Py_ssize_t i
        for i in range(first + 1, last + 1):
            self.offsets[i] += place
        if place + mine.sink.count <= self.room.rows:
            self.copy(place, mine)
        elif self.may_grow:
            self.late.append((place, mine))
            return 0
        self.spare.append(mine)
        return 0

    cdef void copy(self, int64_t place, _Room mine) noexcept:
        cdef Sink to = self.room.sink
        cdef Sink *more = &mine.sink
        to.count = place
        with nogil:
            append_plays(&to, more)

    cdef int run(self, threads) except -1:
        _in_threads(threads, self.calls.n, self.block, self.calls.ask_to_stop, BLOCK)
        if self.late:
            self.room.resize(self.plays)
            for place, room in self.late:
                self.copy(place, room)
        self.room.sink.count = self.plays
        return 0


cdef int _write_in_threads(_Calls calls, threads, _Room room, int64_t *offsets, bint steps,
                           bint may_grow) except -1:
    cdef _Line line = _Line.__new__(_Line)
    line.calls = calls
    line.room = room
    line.offsets = offsets
    line.steps = steps
    line.may_grow = may_grow
    line.broken = calls.n
    line.moved = threading.Condition()
    line.spare = []
    line.late = []
    return line.run(threads)


cdef object _enumerate(_Calls calls, bint steps, threads, out):
    cdef _Room room
    cdef int64_t *c_offsets
    cdef Py_ssize_t written = calls.n
    if out is None:
        offsets = _numbers(calls.n + 1, "offsets")
        c_offsets = <int64_t *> _memory(offsets)
        room = _new_room(calls.likely_plays(c_offsets), steps)
    else:
        offsets, room = _checked_out(out, calls, steps)
        c_offsets = <int64_t *> _memory(offsets)
    c_offsets[0] = 0
    if threads == 1 or calls.n < 2:
        written = calls.write(0, calls.n, room, c_offsets, out is None)
        plays = room.sink.count
    else:
        _write_in_threads(calls, threads, room, c_offsets, steps, out is None)
        plays = room.sink.count
    if out is None:
        room.resize(plays)
        return Enumeration(offsets, room.boards, room.outcomes, room.steps)
    if written < calls.n:
        counts = _numbers(calls.n, "counts")
        calls.count(written, calls.n, counts)
        plays += int(counts[written:].sum())
    if plays > room.rows:
        raise ValueError(f"out has room for {room.rows:,} plays, and there are {plays:,}")
    return Enumeration(offsets, room.boards[:plays], room.outcomes[:plays],
                       room.steps[:plays] if steps else None)


def enumerate_plays(boards, dice, rules=BRADE, *, steps=False, threads=1, generic=False,
                    out=None):
    """All legal plays of many positions, each distinct (position, outcome) once.

    Parameters
    ----------
    boards : integer array-like, shape (n, 2, 26)
        Mover first, each on his own way: index 0 bar, 1 to 24 the points, 25 off.
    dice : integer array-like, shape (n, 2) or (2,)
        Throws in either order; one throw serves all boards.
    rules : Rules
    steps : bool
        Name the steps too.
    threads : int
        The result does not depend on it.
    generic : bool
        Send every call to the generic path: a cross-check, slower.
    out : Enumeration or tuple (offsets, boards, outcomes[, steps])
        Arrays of yours to write to, for those who call again and again: of the types and shapes
        below, longer if you like, C-contiguous, writable, apart from each other and the input.
        The arrays of the result are then views of their beginnings. After an error they hold
        nothing of use.

    Returns
    -------
    Enumeration
        ``offsets`` int64 (n + 1,), ``boards`` int8 (m, 2, 26) as the next player sees them,
        ``outcomes`` uint8 (m,), ``steps`` int8 (m, 4, 4) or None.

    Raises
    ------
    InvalidPositionError, InvalidDiceError
        Naming the first row at fault; also where somebody has already won.
    TypeError
        If values are not integers.
    ValueError
        If ``out`` cannot be used; where it is too small, saying how many plays there are.
    MemoryError
        Saying how many plays, and bytes, there is no room for.
    """
    _c_rules(rules)
    threads = _at_least(threads, "threads", 1)
    return _enumerate(_Calls(boards, dice, rules, bool(generic)), bool(steps), threads, out)


def iter_plays(boards, dice, rules=BRADE, *, chunk=65536, steps=False, threads=1):
    """The plays of very many positions, some at a time: for jobs larger than memory.

    Parameters
    ----------
    boards, dice, rules, steps, threads
        As in ``enumerate_plays``. Arrays are read chunk by chunk, so they may be memory-mapped.
    chunk : int
        So many calls are answered at a time, at most.

    Returns
    -------
    iterator of Enumeration
        One for each chunk, its offsets beginning at 0; none if there are no boards.

    Raises
    ------
    InvalidPositionError, InvalidDiceError
        On the way, naming the first row of a chunk at fault by its number among all.
    TypeError, ValueError
        At once, if the arguments have wrong types or shapes.
    """
    _c_rules(rules)
    threads = _at_least(threads, "threads", 1)
    chunk = _at_least(chunk, "chunk", 1)
    boards = _shaped_boards(boards, "boards")
    return _chunks(boards, _shaped_dice(dice, len(boards)), rules, chunk, bool(steps), threads)


def _chunks(boards, dice, rules, chunk, steps, threads):
    for first in range(0, len(boards), chunk):
        some = dice if dice.ndim == 1 else dice[first:first + chunk]
        yield _enumerate(_Calls(boards[first:first + chunk], some, rules, False, first), steps,
                         threads, None)


def count_plays(boards, dice, rules=BRADE, *, threads=1, generic=False):
    """How many distinct plays many positions have; parameters and errors as above.

    Returns
    -------
    int64, shape (n,)
        At least 1 each: a pass is a play.
    """
    cdef _Calls calls
    _c_rules(rules)
    threads = _at_least(threads, "threads", 1)
    calls = _Calls(boards, dice, rules, bool(generic))
    counts = _numbers(calls.n, "counts")
    _in_threads(threads, calls.n, lambda i, k: calls.count(i, k, counts), calls.ask_to_stop)
    return counts


# ================================================================ steps played again

def apply(boards, steps, rules=BRADE, *, threads=1):
    """Plays the steps of many turns again, as ``enumerate_plays`` names them.

    Each step must be legal where it is made (sections 2 and 4; nothing is played after an end,
    nor by the Junker), its target and its hit must be what it says, and the dice must be of one
    throw. Whether the turn as a whole fulfils the duties of section 3 depends on the throw and
    on all other plays: that is not looked at. An unfinished turn is taken too.

    Parameters
    ----------
    boards : integer array-like, shape (n, 2, 26)
        As in ``enumerate_plays``.
    steps : integer array-like, shape (n, 4, 4)
        For each board (source, target, die, hit) in playing order; unused rows, the last ones,
        hold -1.
    rules : Rules
    threads : int

    Returns
    -------
    Applied
        ``boards`` int8 (n, 2, 26) as the next player sees them, ``outcomes`` uint8 (n,).

    Raises
    ------
    IllegalPlayError
        Naming the first row at fault, the step and what is wrong with it.
    InvalidPositionError
        Naming the first row at fault; also where somebody has already won.
    TypeError, ValueError
        If values are not integers or the shapes do not fit.
    """
    cdef _Calls calls
    cdef Py_ssize_t n
    _c_rules(rules)
    threads = _at_least(threads, "threads", 1)
    calls = _Calls(boards, _NO_DICE, rules, False)
    n = calls.n
    given = steps if _is_ready(steps) else _int_array(steps, "steps", ValueError, f"({n}, 4, 4)")
    if n == 0 and _is_empty_list(steps):
        given = np.empty((0, 4, 4), np.int8)
    if given.shape != (n, 4, 4):
        raise ValueError(f"steps must have the shape ({n}, 4, 4), not {given.shape}")
    taken = _int8(given, misfit=127)
    try:
        after, outcomes = np.empty((n, 2, 26), _INT8), np.empty(n, _UINT8)
    except MemoryError:
        raise MemoryError(f"no memory for {n:,} boards ({_megabytes(n * 53)})") from None
    _in_threads(threads, n, lambda i, k: _apply(calls, taken, given, i, k, after, outcomes),
                calls.ask_to_stop)
    return Applied(after, outcomes)


def _apply(_Calls calls, taken, given, Py_ssize_t first, Py_ssize_t last, after, outcomes):
    cdef const int8_t *steps = <const int8_t *> _memory(taken)
    cdef int8_t *c_after = <int8_t *> _memory(after)
    cdef uint8_t *c_outcomes = <uint8_t *> _memory(outcomes)
    cdef Fault fault
    cdef Py_ssize_t end, i
    while first < last:
        end = min(first + CALLS_PER_CHECK, last)
        with nogil:
            i = kernel.apply_many(&calls.batch, steps, first, end, c_after, c_outcomes, &fault)
        if i < end:
            if fault.step < 0:
                calls.after_block(REFUSED)
            why = _why_not(&fault, given[i].tolist(), calls.rules)
            raise IllegalPlayError(f"row {i}: step {fault.step + 1}, "
                                   f"{tuple(given[i, fault.step].tolist())}: {why}")
        calls.after_block(DONE)
        first = end


cdef str _why_not(const Fault *fault, list steps, rules):
    """Why a step cannot be made on the board that the steps before it led to, in words."""
    cdef State s
    cdef const CRules *c_rules = _c_rules(rules)
    cdef int target, here
    source, to, die, hit = steps[fault.step]
    look_back(&s, fault.board)
    if -1 in (source, to, die, hit):
        return "an unused row is -1 throughout, and no step comes after it"
    if fault.step and -1 in steps[fault.step - 1]:
        return "no step comes after an unused row"
    if fault.outcome != NONE:
        return f"the game is over after the step before it ({Outcome(fault.outcome).name})"
    if fault.step == 0 and junker(&s, c_rules):
        return "the mover has more men on the bar than can enter: he passes (the Junker)"
    if not 1 <= die <= 6:
        return f"a die is 1 to 6, not {die}"
    if fault.step > 1 and any(step[2] != die for step in steps[:fault.step]):
        return "more than two steps are made with equal dice alone"
    if not 0 <= source <= 24:
        return f"a source is 0 (the bar) to 24, not {source}"
    target = min(source + die, OFF)
    if to != target:
        return f"with a {die} a man from {source} comes to {target} (25 is off), not to {to}"
    if s.men[source] == 0:
        return f"the mover has no man on {'the bar' if source == 0 else source}"
    if source and s.men[0]:
        return "men on the bar must enter first"
    if target == OFF:
        if s.own & ~<uint32_t> Q4:
            return "no man is borne off while others are outside the last quadrant"
        if hit == 0:
            return f"the die does not bear off the man on {source} while others stand behind him"
        return "nobody is hit where a man is borne off"
    here = s.foes[foe_point(target)]
    if source == 0 and s.men[target]:
        return f"a man of his own stands on {target}, where he would enter"
    if s.men[target] and bit(target) & FAR_SIDE:
        return f"a man of his own stands on {target}: on 2 to 11 only one may stand"
    if s.men[target] and rules.five_blots and s.men[1] > 10:
        return f"a man of his own stands on {target}, and five have not left the talon yet"
    if here > 1 and not _can_force(&s, source, target, c_rules):
        return f"the other player has made point {target}, and it may not be forced"
    return f"its hit must be {min(here, 2)}, not {hit}"


cdef bint _can_force(const State *s, int source, int target, const CRules *rules):
    cdef uint32_t forceable = block_forceable(s, rules)
    if source == 0:
        forceable |= entry_forceable(s, rules)
    return forceable & bit(target) != 0


def write_plays(boards, dice, rules=BRADE, *, generic=False):
    """Writes the plays of each call over those of the last, and answers how many there were.

    This is the enumerator alone, for benchmarks: memory is re-used and nothing is kept.
    """
    cdef _Calls calls = _Calls(boards, dice, rules, bool(generic))
    return calls.rewrite()


def generic_calls(boards, dice, rules=BRADE):
    """Which calls the generic path takes: bool, shape (n,); errors as in ``enumerate_plays``."""
    cdef _Calls calls = _Calls(boards, dice, rules, False)
    return calls.gates()

# Perft and random games. Part of _core.pyx.

# ================================================================ perft and playouts

cdef Position _as_position(object position):
    return position if isinstance(position, Position) else Position.from_array(position)


def _check_going(Position position, rules):
    _check_board(position.b, _c_rules(rules), position.array(), "")


def _walk(const int8_t[:, :, ::1] boards, int depth, rules, const int[::1] stop):
    """Nodes of some positions together."""
    cdef const CRules *c_rules = _c_rules(rules)
    cdef int64_t nodes = 0
    cdef int status
    cdef Py_ssize_t n = boards.shape[0]
    with nogil:
        status = kernel.walk_many(&boards[0, 0, 0], n, depth, c_rules, &stop[0], &nodes)
    _raise_status(status)
    return nodes


cdef int _raise_status(int status) except -1:
    if status == NO_MEMORY:
        raise MemoryError("no memory for the plays of one call")
    if status == STOPPED:
        if PyErr_Occurred() != NULL:    # the loop has heard Ctrl-C itself
            return -1
        raise KeyboardInterrupt
    return 0


def perft(position, depth, rules=BRADE, *, threads=1):
    """The number of lines of play ``depth`` turns deep, over all 21 throws.

    ``perft(p, 0)`` is 1; ``perft(p, d)`` is the sum over the throws and their distinct plays of
    1 if the play ended the game, else ``perft(next, d - 1)``. A pass is a play; a deadlock is
    not an end.

    Parameters
    ----------
    position : Position, or integer array-like of shape (2, 26)
    depth : int
        0 to 100.
    rules : Rules
    threads : int

    Raises
    ------
    InvalidPositionError
        If the position is invalid or somebody has already won.
    ValueError, TypeError
        For other numbers that cannot be.
    """
    _c_rules(rules)
    threads = _at_least(threads, "threads", 1)
    cdef Position start = _as_position(position)
    depth = _at_least(depth, "depth", 0)
    if depth > MAX_DEPTH:
        raise ValueError(f"depth must be at most {MAX_DEPTH}, not {depth}")
    _check_going(start, rules)
    stop = np.zeros(1, np.intc)
    board = start.array()[None]
    if threads == 1 or depth < 2:
        return _walk(board, depth, rules, stop)
    first = enumerate_plays(np.repeat(board, 21, axis=0), _all_throws(), rules)
    going = first.boards[first.outcomes == NONE]
    nodes = len(first.boards) - len(going)

    def part(i, k):
        return _walk(going[i:k], depth - 1, rules, stop)

    return nodes + sum(_in_threads(threads, len(going), part, lambda: stop.fill(1)))


def _all_throws():
    return np.array([(d1, d2) for d1 in range(1, 7) for d2 in range(1, d1 + 1)], np.int8)


def _play_games(const int8_t[:, :, ::1] boards, Py_ssize_t trials, uint64_t seed, rules,
                Py_ssize_t first, Py_ssize_t last, int[::1] stop):
    """Games ``first`` to ``last`` of all (position, trial) in order: first position, counts, turns.
    """
    cdef const CRules *c_rules = _c_rules(rules)
    cdef Scratch scratch
    cdef Buffer buffer
    cdef Sink out
    cdef Py_ssize_t position = first // trials, game, end, base = first // trials
    cdef int status = DONE
    buffer_init(&buffer)
    counts = np.zeros(((last - 1) // trials - base + 1, 2 * OUTCOMES), np.int64)
    turns = np.zeros(len(counts), np.int64)
    cdef int64_t[:, ::1] c_counts = counts
    cdef int64_t[::1] c_turns = turns
    scratch_init(&scratch)
    try:
        if not buffer_ready(&buffer, False):
            _raise_status(NO_MEMORY)
        out = buffer_sink(&buffer)
        while first < last:
            end = min(first + 64, last)     # some milliseconds of games
            with nogil:
                for game in range(first, end):
                    position = game // trials
                    status = kernel.play_out(&boards[position, 0, 0],
                                             trial_key(seed, game % trials),
                                             c_rules, &stop[0], &scratch, &out,
                                             &c_counts[position - base, 0],
                                             &c_turns[position - base])
                    if status != DONE:
                        break
            _raise_status(status)
            check_signals()
            if stop[0]:
                raise KeyboardInterrupt
            first = end
    finally:
        buffer_free(&buffer)
        scratch_free(&scratch)
    return base, counts, turns


def playouts(positions, trials, seed=None, rules=BRADE, *, threads=1):
    """Random games, each play uniform among the distinct ones.

    Parameters
    ----------
    positions : Position, sequence of Position, or integer array-like (n, 2, 26) or (2, 26)
    trials : int
        Games for each position. Trial ``t`` has the same dice for every position.
    seed : int or None
        0 to 2**64 - 1; None draws one. The answer depends on positions, trials, seed and rules
        alone, whatever the number of threads.
    rules : Rules
    threads : int

    Returns
    -------
    Playouts
        ``outcomes`` int64 (n, 2, 14) by [position, winner, Outcome], ``turns`` int64 (n,).

    Raises
    ------
    InvalidPositionError
        Naming the first row that is invalid or that somebody has already won.
    ValueError, TypeError
    """
    cdef _Calls checked
    _c_rules(rules)
    threads = _at_least(threads, "threads", 1)
    boards = _positions_array(positions)
    trials = _at_least(trials, "trials", 0)
    if seed is None:
        seed = secrets.randbits(64)
    seed = _below_2_64(seed, "seed")
    n = len(boards)
    if n * trials >= 1 << 62:
        raise ValueError(f"{n} positions of {trials} trials are too many games")
    boards = np.array(boards)   # nobody else can change it
    checked = _Calls(boards, _NO_DICE, rules, False)
    checked.check_all()
    boards = _int8(boards)
    outcomes = np.zeros((n, 2 * OUTCOMES), np.int64)
    turns = np.zeros(n, np.int64)
    stop = np.zeros(1, np.intc)

    def part(i, k):
        return _play_games(boards, trials, seed, rules, i, k, stop)

    for base, some, some_turns in _in_threads(threads, n * trials, part, lambda: stop.fill(1)):
        outcomes[base:base + len(some)] += some
        turns[base:base + len(some)] += some_turns
    return Playouts(outcomes.reshape(n, 2, OUTCOMES), turns)


def _positions_array(positions):
    """Boards of what ``playouts`` takes, shape (n, 2, 26)."""
    if isinstance(positions, Position):
        return positions.array()[None]
    if isinstance(positions, (list, tuple)):
        positions = [p.array() if isinstance(p, Position) else p for p in positions]
    if not _is_empty_list(positions):
        positions = _int_array(positions, "positions", InvalidPositionError, "(n, 2, 26)")
        if positions.shape == (2, 26):
            positions = positions[None]
    return _shaped_boards(positions, "positions")


def throws(seed, trial, count):
    """The first throws of a trial of ``playouts``: int8, shape (count, 2)."""
    cdef uint64_t key = trial_key(_below_2_64(seed, "seed"), _below_2_64(trial, "trial"))
    cdef int d1, d2
    count = _at_least(count, "count", 0)
    made = np.empty((count, 2), np.int8)
    for turn in range(count):
        throw_dice(draw(key, turn), &d1, &d2)
        made[turn] = d1, d2
    return made

# Steps and plays, as Python has them. Part of _core.pyx.

# ================================================================ Step

cdef class Step:
    """One step of a play.

    Parameters
    ----------
    source : int
        The mover's own point, 0 for the bar.
    target : int
        The mover's own point, 25 for off.
    die : int
    hit : int
        0 nothing, 1 a blot was hit, 2 a made point was forced open (section 4).
    """

    cdef int8_t v[4]

    def __init__(self, source, target, die, hit=0):
        if self.v[2]:
            raise TypeError("a Step cannot be changed")
        limits = (("source", source, 0, 24), ("target", target, 1, 25), ("die", die, 1, 6),
                  ("hit", hit, 0, 2))
        for i, (name, value, least, most) in enumerate(limits):
            value = _whole(value, name)
            if not least <= value <= most:
                raise ValueError(f"{name} must be {least} to {most}, not {value}")
            self.v[i] = value
        if self.v[1] != min(self.v[0] + self.v[2], OFF):
            raise ValueError(f"with a {die} a man from {source} does not come to {target}, "
                             f"but to {min(source + die, OFF)} (25 is off)")
        if target == OFF and hit:
            raise ValueError("nobody is hit where a man is borne off")

    @property
    def source(self):
        """The point that the man left, 0 for the bar."""
        return self.v[0]

    @property
    def target(self):
        """The point that he reached, 25 for off."""
        return self.v[1]

    @property
    def die(self):
        """The die that was played."""
        return self.v[2]

    @property
    def hit(self):
        """0 nothing, 1 a blot was hit, 2 a made point was forced."""
        return self.v[3]

    def __iter__(self):
        return iter((self.v[0], self.v[1], self.v[2], self.v[3]))

    def __repr__(self):
        return f"Step({self.v[0]}, {self.v[1]}, {self.v[2]}, {self.v[3]})"

    def __richcmp__(self, other, int op):
        if not isinstance(other, Step):
            return NotImplemented
        return _compare(tuple(self), tuple(other), op)

    def __hash__(self):
        return hash(tuple(self))

    def __reduce__(self):
        return Step, tuple(self)


def _steps_text(steps):
    """The text of canonical steps, as ``notation.play_text`` writes it; for tests."""
    cdef char text[TEXT_SIZE]
    cdef int8_t numbers[16]
    memset(numbers, -1, 16)
    for i, step in enumerate(steps):
        memcpy(numbers + 4 * <int> i, (<Step?> step).v, 4)
    return text[:steps_text(numbers, text)].decode("ascii")


cdef bint _compare(object a, object b, int op):
    if op == 0:
        return a < b
    if op == 1:
        return a <= b
    if op == 2:
        return a == b
    if op == 3:
        return a != b
    if op == 4:
        return a > b
    return a >= b


cdef tuple _steps(const int8_t *steps):
    """Sixteen bytes of a sink as Step objects."""
    cdef list made = []
    cdef Step step
    cdef int i
    for i in range(4):
        if steps[4 * i] < 0:
            break
        step = Step.__new__(Step)
        memcpy(step.v, steps + 4 * i, 4)
        made.append(step)
    return tuple(made)


# ================================================================ Play

@cython.no_gc
cdef class _Turn:
    """What the plays of one throw share: where they begin, and all their results."""

    cdef Position origin
    cdef object rules
    cdef int high
    cdef int low
    cdef Sink found             # in one piece of memory, which begins with the rows
    cdef int8_t *canonical      # 16 bytes a play, or NULL before anybody has asked

    def __cinit__(self):
        self.found = counting_sink()
        self.canonical = NULL

    def __dealloc__(self):
        free(self.found.rows)
        free(self.canonical)

    cdef int keep(self, const Sink *plays) except -1:
        """Copies the plays."""
        cdef int8_t *memory = <int8_t *> malloc(plays.count * (ROW_BYTES + 16 + 1))
        if memory == NULL:
            _raise_status(NO_MEMORY)
        self.found.rows = memory
        self.found.steps = memory + plays.count * ROW_BYTES
        self.found.outcomes = <uint8_t *> (self.found.steps + plays.count * 16)
        append_plays(&self.found, plays)
        return 0

    cdef const int8_t *canonical_steps(self) except NULL:
        """The canonical steps of all plays, found when they are first asked for."""
        with cython.critical_section(self):
            if self.canonical == NULL:
                self.find_canonical()
        return self.canonical

    cdef int find_canonical(self) except -1:
        cdef Scratch scratch
        cdef int status = NO_MEMORY
        cdef int8_t *steps = <int8_t *> malloc(self.found.count * 16)
        scratch_init(&scratch)
        if steps != NULL:
            status = kernel.canonical(self.origin.b, self.high, self.low, _c_rules(self.rules),
                                      self.found.count, self.found.rows, self.found.outcomes,
                                      &scratch, steps)
        scratch_free(&scratch)
        if status == 1:
            self.canonical = steps
            return 0
        free(steps)
        if status == 0:
            raise AssertionError("a play without a legal sequence")
        return _raise_status(NO_MEMORY)


@cython.no_gc
@cython.freelist(64)
cdef class Play:
    """A whole turn: what ``Position.plays`` answers; it cannot be made by hand.

    Two plays are equal if they start from the same position, throw and rules and lead to the
    same position and outcome (section 3).
    """

    cdef _Turn turn
    cdef Py_ssize_t number

    def __init__(self, *args, **kwargs):
        raise TypeError("plays come from Position.plays()")

    @property
    def origin(self):
        """The position before the play."""
        return self.turn.origin

    @property
    def rules(self):
        """The rules that it is legal by."""
        return self.turn.rules

    @property
    def steps(self):
        """The steps in playing order, one of the sequences that make this play; () is a pass."""
        return _steps(self.turn.found.steps + self.number * 16)

    @property
    def canonical_steps(self):
        """The sequence with the smallest list of (source rising, die falling).

        It depends on position, throw, rules, result and outcome alone.
        """
        return _steps(self.turn.canonical_steps() + self.number * 16)

    @property
    def position(self):
        """The position after the play, as the next player sees it."""
        return _position(self.turn.found.rows + self.number * ROW_BYTES)

    @property
    def outcome(self):
        """What the play made of the game."""
        return _OUTCOMES[self.turn.found.outcomes[self.number]]

    @property
    def dice(self):
        """The throw, the higher die first."""
        return self.turn.high, self.turn.low

    cdef object _key(self):
        cdef _Turn turn = self.turn
        row = <char *> turn.found.rows + self.number * ROW_BYTES
        return (turn.origin, turn.high, turn.low, turn.rules,
                PyBytes_FromStringAndSize(row, ROW_BYTES), turn.found.outcomes[self.number])

    def __eq__(self, other):
        if not isinstance(other, Play):
            return NotImplemented
        return self._key() == (<Play> other)._key()

    def __hash__(self):
        return hash(self._key())

    def __str__(self):
        cdef char text[TEXT_SIZE]
        cdef int size = steps_text(self.turn.canonical_steps() + self.number * 16, text)
        cdef int result = self.turn.found.outcomes[self.number]
        words = text[:size].decode("ascii")
        return words if result == NONE else f"{words} = {_OUTCOMES[result].name.lower()}"

    def __repr__(self):
        return f"<Play {self.turn.high}-{self.turn.low}: {self}>"

    def svg(self, **options):
        """A picture of the play as SVG text (``diagram.svg``, which tells the options)."""
        from brade_fast.diagram import svg
        return svg(self, **options)

    def _repr_svg_(self):
        return self.svg()

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return _find_play, (self.origin, *self.dice, self.rules, self.position,
                            int(self.outcome))


def _find_play(origin, high, low, rules, position, outcome):
    """The legal play with this result; how plays are unpickled."""
    for play in origin.plays(high, low, rules):
        if play.position == position and play.outcome == outcome:
            return play
    raise IllegalPlayError(f"no play of {origin.id} with {high}-{low} leads to {position.id}")

# Positions, as Python has them. Part of _core.pyx.

# ================================================================ Position

cdef inline uint64_t board_hash(const int8_t *board) noexcept:
    """Of all men; the same in every process."""
    cdef uint64_t words[7]
    cdef uint64_t mixed = 0
    cdef int i
    words[6] = 0
    memcpy(words, board, ROW_BYTES)
    for i in range(7):
        mixed = scramble(mixed ^ words[i])
    return mixed


@cython.freelist(64)
cdef class Position:
    """A position as the player to move sees it: an immutable value.

    Parameters
    ----------
    mover, other : sequence of 26 int, or dict
        The men of the player to move and of the other, each on his own way: index 0 bar, 1 to
        24 the points, 25 off. In a dict (index -> men) the men that are missing are off.

    Raises
    ------
    InvalidPositionError
        If the board breaks section 7 no. 13.
    TypeError
        If men or indices are not whole numbers.
    """

    def __init__(self, mover, other):
        if board_above(self.b, 0):   # 0 only before it is made
            raise TypeError("a Position cannot be changed")
        halves = [_half("the mover", mover), _half("the other player", other)]
        _fill_position(self, np.array(halves, np.int64))

    @staticmethod
    def start():
        """The start of the game: all men on the two talons."""
        return Position({1: 15}, {1: 15})

    @staticmethod
    def from_array(array):
        """A position from a board array.

        Parameters
        ----------
        array : integer array-like, shape (2, 26)

        Raises
        ------
        InvalidPositionError, TypeError
        """
        cdef const int8_t *ready
        cdef State s
        cdef Position made = Position.__new__(Position)
        if _is_ready(array) and array.shape == _BOARD_SHAPE:
            ready = <const int8_t *> _memory(array)
            if look_valid(&s, ready):
                memcpy(made.b, ready, ROW_BYTES)
                return made
        values = _int_array(array, "a position", InvalidPositionError, "(2, 26)")
        if values.shape != (2, 26):
            raise InvalidPositionError(
                f"a position must have the shape (2, 26), not {values.shape}")
        _fill_position(made, values)
        return made

    @staticmethod
    def from_id(text):
        """A position from its id; whatever ``id`` would not give is refused.

        Raises
        ------
        InvalidPositionError, TypeError
        """
        cdef Position made
        if not isinstance(text, str):
            raise TypeError(f"a position id is a str, not {type(text).__name__}")
        if not _ID.fullmatch(text):
            raise InvalidPositionError(
                f"a position id is 14 characters of A-Z, a-z, 0-9, - and _, not {text!r}")
        made = Position.__new__(Position)
        _fill_position(made, _unpack(text))
        if made.id != text:
            raise InvalidPositionError(
                f"{text!r} is not a position id: bits behind the last man are not 0")
        return made

    @staticmethod
    def from_text(text):
        """A position from its id or board text, told apart by themselves.

        Raises
        ------
        InvalidPositionError, TypeError
        """
        from brade_fast.notation import parse_position
        return parse_position(text)

    def array(self):
        """A fresh int8 array of shape (2, 26), mover first."""
        made = _EMPTY(_BOARD_SHAPE, _INT8)
        memcpy(_memory(made), self.b, ROW_BYTES)
        return made

    @property
    def id(self):
        """The position id, 14 characters. Positions sort as the ten bytes behind their ids do."""
        return base64.urlsafe_b64encode(_packed(self.b)).decode().rstrip("=")

    @property
    def bar(self):
        """Men on the bar, (mover, other)."""
        return self.b[0], self.b[26]

    @property
    def off(self):
        """Men borne off, (mover, other)."""
        return self.b[25], self.b[51]

    @property
    def pips(self):
        """Pips to go, (mover, other): 25 for a man on the bar."""
        cdef int mover = 0, other = 0, i
        for i in range(25):
            mover += (25 - i) * self.b[i]
            other += (25 - i) * self.b[26 + i]
        return mover, other

    def flip(self):
        """The same position as the other player sees it."""
        cdef Position made = Position.__new__(Position)
        flip(self.b, made.b)
        return made

    def plays(self, d1, d2, rules=BRADE):
        """All legal plays of a throw, each distinct (position, outcome) once.

        Parameters
        ----------
        d1, d2 : int
            The dice in either order.
        rules : Rules

        Returns
        -------
        tuple of Play
            Never empty: a pass is a play without steps.

        Raises
        ------
        InvalidDiceError, TypeError
        InvalidPositionError
            If somebody has already won.
        """
        cdef const CRules *c_rules = _c_rules(rules)
        cdef _Turn turn
        cdef int high, low
        _check_throw(d1, d2, &high, &low)
        if is_over(self.b, c_rules):
            raise InvalidPositionError(_won(self.b, c_rules))
        turn = _Turn.__new__(_Turn)
        turn.origin = self
        turn.rules = rules
        turn.high = high
        turn.low = low
        if high == low:
            _find_plays(turn, c_rules)
        else:
            _find_unequal_plays(turn, c_rules)
        return _plays(turn)

    def next_steps(self, d1, d2, steps=(), rules=BRADE, *, duties=True):
        """The steps that can follow the steps taken so far in a turn.

        Parameters
        ----------
        d1, d2 : int
            The dice in either order.
        steps : sequence of Step
            What has been played of the throw.
        rules : Rules
        duties : bool
            Give only steps that lead to a legal play. Without, all that the rules of a single
            step allow (sections 2 and 4), whatever the duties of section 3 say of the turn.

        Returns
        -------
        tuple of Step
            Empty when the turn is complete. A man with a die has one step.

        Raises
        ------
        IllegalPlayError
            Naming the first of ``steps`` that is not among the steps that could be taken.
        InvalidDiceError, TypeError
        InvalidPositionError
            If somebody has already won.
        """
        cdef const CRules *c_rules = _c_rules(rules)
        cdef Option options[2 * MAX_OPTIONS]
        cdef int8_t taken[16]
        cdef int high, low, n, refused = -1
        cdef Scratch scratch
        _check_throw(d1, d2, &high, &low)
        if is_over(self.b, c_rules):
            raise InvalidPositionError(_won(self.b, c_rules))
        steps = tuple(steps)
        if len(steps) > 4:
            raise IllegalPlayError(f"a turn has at most four steps, not {len(steps)}")
        for i, step in enumerate(steps):
            if not isinstance(step, Step):
                raise TypeError(f"steps must be Step objects, not {type(step).__name__}")
            memcpy(taken + 4 * <int> i, (<Step> step).v, 4)
        scratch_init(&scratch)
        n = next_options(self.b, high, low, c_rules, bool(duties), taken, len(steps),
                         &scratch, options, &refused)
        scratch_free(&scratch)
        if n < 0:
            _raise_status(NO_MEMORY)
        if refused >= 0:
            raise IllegalPlayError(
                f"step {refused + 1}, {steps[refused]!r}, cannot be taken there with "
                f"{high}-{low}")
        return tuple([Step(options[i].source, min(options[i].source + options[i].die, OFF),
                           options[i].die, options[i].hit) for i in range(n)])

    def parse(self, d1, d2, text, rules=BRADE):
        """The legal play of a throw that a text means (``playtext.parse_play``).

        Raises
        ------
        IllegalPlayError
            Saying why no legal play fits.
        AmbiguousPlayError
            Naming the plays that fit.
        InvalidDiceError, InvalidPositionError, TypeError
        """
        from brade_fast.playtext import parse_play
        return parse_play(self, (d1, d2), text, rules)

    def report(self, rules=BRADE):
        """What there is to see in this position (``report.Report``).

        Raises
        ------
        InvalidPositionError
            If somebody has already won.
        """
        from brade_fast.report import report
        return report(self, rules)

    def diagram(self, **options):
        """The board as lines of text (``diagram.text_board``, which tells the options)."""
        from brade_fast.diagram import text_board
        return text_board(self, **options)

    def svg(self, **options):
        """A picture as SVG text (``diagram.svg``, which tells the options)."""
        from brade_fast.diagram import svg
        return svg(self, **options)

    def _repr_svg_(self):
        return self.svg()

    def is_over(self, rules=BRADE):
        """Whether either player has already won (section 5; a standing John counts)."""
        return is_over(self.b, _c_rules(rules))

    def is_deadlock(self, rules=BRADE):
        """Whether neither player has a legal step for any throw (section 7 no. 6).

        A game that somebody has won is no deadlock.
        """
        cdef const CRules *c_rules = _c_rules(rules)
        return not is_over(self.b, c_rules) and is_deadlock(self.b, c_rules)

    def __richcmp__(self, other, int op):
        if not isinstance(other, Position):
            return NotImplemented
        if op == 2:
            return memcmp(self.b, (<Position> other).b, ROW_BYTES) == 0
        if op == 3:
            return memcmp(self.b, (<Position> other).b, ROW_BYTES) != 0
        return _compare(_packed((<Position> self).b), _packed((<Position> other).b), op)

    def __hash__(self):
        return <Py_hash_t> (board_hash(self.b) >> 1)

    def __str__(self):
        from brade_fast.notation import board_text
        return board_text(self)

    def __repr__(self):
        return f"Position.from_id({self.id!r})"

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return Position.from_id, (self.id,)


cdef int _find_unequal_plays(_Turn turn, const CRules *rules) except -1:
    """Fills the turn by way of the stack; the number of plays is small."""
    cdef int8_t rows[MAX_UNEQUAL * ROW_BYTES]
    cdef uint8_t outcomes[MAX_UNEQUAL]
    cdef int8_t steps[MAX_UNEQUAL * 16]
    cdef Sink out
    cdef Scratch scratch
    cdef int status
    out.rows = rows
    out.outcomes = outcomes
    out.steps = steps
    out.count = 0
    scratch_init(&scratch)
    status = kernel.plays_of_board(turn.origin.b, turn.high, turn.low, rules, False, &scratch,
                                   &out)
    scratch_free(&scratch)
    if status < 0:
        _raise_status(NO_MEMORY)
    return turn.keep(&out)


cdef int _find_plays(_Turn turn, const CRules *rules) except -1:
    """Fills the turn by way of a buffer that is large enough for every throw."""
    cdef Buffer buffer
    cdef Sink out
    cdef Scratch scratch
    cdef int status = NO_MEMORY
    scratch_init(&scratch)
    buffer_init(&buffer)
    try:
        if buffer_ready(&buffer, True):
            out = buffer_sink(&buffer)
            status = kernel.plays_of_board(turn.origin.b, turn.high, turn.low, rules, False,
                                           &scratch, &out)
        if status < 0:
            _raise_status(NO_MEMORY)
        return turn.keep(&out)
    finally:
        buffer_free(&buffer)
        scratch_free(&scratch)


cdef tuple _plays(_Turn turn):
    cdef tuple plays = PyTuple_New(turn.found.count)
    cdef Play play
    cdef Py_ssize_t i
    for i in range(turn.found.count):
        play = Play.__new__(Play)
        play.turn = turn
        play.number = i
        Py_INCREF(play)         # the tuple takes a reference
        PyTuple_SET_ITEM(plays, i, play)
    return plays


cdef Position _position(const int8_t *board):
    cdef Position made = Position.__new__(Position)
    memcpy(made.b, board, ROW_BYTES)
    return made


cdef bytes _packed(const int8_t *board):
    """Ten bytes: for each point and the bar as many 1-bits as men, then a 0."""
    cdef uint8_t packed[10]
    cdef int place = 0, half, point, k
    for k in range(10):
        packed[k] = 0
    for half in range(2):
        for k in range(25):
            point = board[26 * half + (k + 1 if k < 24 else 0)]
            while point > 0:
                packed[place >> 3] |= 1 << (place & 7)
                place += 1
                point -= 1
            place += 1
    return PyBytes_FromStringAndSize(<char *> packed, 10)


cdef int _fill_position(Position made, object values) except -1:
    cdef const int8_t[:, ::1] board = _int8(values)
    _check_board(&board[0, 0], NULL, values, "")
    memcpy(made.b, &board[0, 0], ROW_BYTES)
    return 0


cdef list _half(str name, object men):
    """One player's 26 numbers from a sequence or a dict."""
    if hasattr(men, "items"):
        half = [0] * 26
        for index, number in men.items():
            index = _whole(index, "an index")
            if not 0 <= index <= 25:
                raise InvalidPositionError(f"{name}: there is no index {index}, only 0 to 25")
            half[index] = _whole(number, "a number of men")
        if 25 not in men:
            half[25] = max(15 - sum(half), 0)
    else:
        try:
            half = list(men)
        except TypeError:
            raise TypeError(f"{name} needs 26 numbers or a dict (index -> men), "
                            f"not {type(men).__name__}") from None
        half = [_whole(number, "a number of men") for number in half]
        if len(half) != 26:
            raise InvalidPositionError(f"{name} needs 26 numbers, not {len(half)}")
    for index, number in enumerate(half):
        if not 0 <= number <= 15:
            raise InvalidPositionError(
                f"{name} has {number} men on index {index}; 0 to 15 can stand there")
    return half


cdef object _unpack(str text):
    """The board in the bits of an id, unchecked, shape (2, 26)."""
    packed = base64.urlsafe_b64decode(text + "==")
    bits = "".join(f"{byte:08b}"[::-1] for byte in packed)
    runs = bits.split("0")[:50]
    halves = []
    for half in (runs[:25], runs[25:]):
        men = [len(run) for run in half]
        men += [0] * (25 - len(men))
        halves.append([men[24], *men[:24], max(15 - sum(men), 0)])
    return np.array(halves, np.int64)

"""Files of games: text or JSON Lines, plain or gzip, of any size.

``recordtext`` says how one game is written. A text file is its games one after the other, each with
an empty line at its end; a tag behind a turn begins the next game, and so do comments behind an
empty line over such a tag. JSON Lines hold one game a line; in gzip each game is a member of its
own.
Every game is written at once, so that a process that is killed loses at most the game
it was writing.
"""

from __future__ import annotations

import dataclasses
import io
import os
import zlib
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import BinaryIO, Literal, Self

from .game import Color, Game
from .match import Match
from .recordtext import (
    GameRecord,
    game_json,
    game_text,
    may_go_on,
    parse_json,
    parse_lines,
)
from .rules import RecordError

__all__ = [
    "GameReader",
    "GameRecord",
    "GameWriter",
    "game_json",
    "game_text",
    "match_of",
    "match_records",
    "open_writer",
    "parse_game",
    "read_games",
    "read_matches",
]

Format = Literal["text", "jsonl"]
Source = str | os.PathLike[str] | BinaryIO

_CHUNK = 1 << 16
_LONGEST_LINE = {"text": 1 << 16, "jsonl": 1 << 26}  # bytes
_MOST_LINES = 1 << 18  # of one game
_MARK = b"\xef\xbb\xbf"
_GZIP = 31  # what zlib calls a gzip member
_PACKED = b"\x1f\x8b"  # how each begins


@dataclasses.dataclass
class _Line:
    number: int
    text: bytes  # without its end
    whole: bool  # its end was there


def _format_of(name: str) -> tuple[Format, bool]:
    """(format, whether gzip) by a file's name."""
    plain = name.lower().removesuffix(".gz")
    kind: Format = "jsonl" if plain.endswith((".jsonl", ".ndjson", ".json")) else "text"
    return kind, name.lower().endswith(".gz")


# ---------------------------------------------------------------------------------------
# Reading


class GameReader:
    """The games of a file, one by one; what ``read_games`` gives.

    Attributes
    ----------
    name : str or None
        The file's name, if it is known.
    skipped : int
        Games that could not be read so far (only with ``strict=False``).
    errors : list of RecordError
        Why, for the first hundred of them.
    cut : str or None
        What is missing at the end of a file that was cut off there.
    place : int
        Bytes of the file that have been taken in.
    """

    def __init__(self, source: Source, *, strict: bool = True, format: Format | None = None):
        self.skipped = 0
        self.errors: list[RecordError] = []
        self.cut: str | None = None
        self.place = 0
        self._strict = strict
        if isinstance(source, str | os.PathLike):
            self.name: str | None = os.fspath(source)
            self._file: BinaryIO = open(source, "rb")  # noqa: SIM115 - closed by close()
            self._owned = True
        elif hasattr(source, "read") and not isinstance(source, io.TextIOBase):
            name = getattr(source, "name", None)
            self.name = name if isinstance(name, str) else None
            self._file, self._owned = source, False
        else:
            raise TypeError(
                f"games are read from a path or a file opened in binary mode, not from {source!r}"
            )
        by_name, self._gzip = _format_of(self.name or "")
        self._format = _checked_format(format) or by_name
        self._games = self._read()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> GameRecord:
        return next(self._games)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file, if it was opened here."""
        if self._owned:
            self._file.close()

    def _read(self) -> Iterator[GameRecord]:
        read = self._read_line_of_json if self._format == "jsonl" else self._read_block
        try:
            for block in self._blocks():
                try:
                    record = read(block)
                except RecordError as error:
                    if self._strict:
                        raise
                    self.skipped += 1
                    if len(self.errors) < 100:
                        self.errors.append(error)
                else:
                    if record is not None:
                        yield record
        finally:
            self.close()

    # --- Bytes, lines, blocks -----------------------------------------------------------

    def _pieces(self) -> Iterator[bytes]:
        """The bytes of the file, unpacked."""
        unpack = zlib.decompressobj(_GZIP) if self._gzip else None
        while piece := self._file.read(_CHUNK):
            if not isinstance(piece, bytes):
                raise TypeError(
                    "games are read from a path or a file opened in binary mode; "
                    f"this file gives {type(piece).__name__}"
                )
            # An open file may be unpacked already, like one of gzip.open, which keeps the name.
            if not self._owned and not self.place and piece[:2] != _PACKED[: len(piece)]:
                self._gzip, unpack = False, None
            self.place += len(piece)
            if unpack is None:
                yield piece
                continue
            while piece:
                try:
                    # A little can unpack to very much: not all at once.
                    yield unpack.decompress(piece, _CHUNK)
                except zlib.error as fault:
                    raise RecordError(f"this is no gzip: {fault}", file=self.name) from None
                piece = unpack.unconsumed_tail
                if unpack.eof:
                    piece, unpack = unpack.unused_data, zlib.decompressobj(_GZIP)
                    self._whole = True
                else:
                    self._whole = False
        if self._gzip and not self._whole:
            self.cut = "the last part of the gzip file"

    _whole = True  # the last member of the gzip file has its end

    def _lines(self) -> Iterator[_Line]:
        begun: list[bytes] = []  # pieces of a line whose end has not come yet
        number = size = 0
        limit = _LONGEST_LINE[self._format]
        for piece in self._pieces():
            *lines, rest = piece.split(b"\n")
            for text in lines:
                number += 1
                whole = b"".join((*begun, text)).removesuffix(b"\r")
                # The mark that some editors put before the first letter of a file.
                yield _Line(number, whole.removeprefix(_MARK) if number == 1 else whole, True)
                begun, size = [], 0
            begun.append(rest)
            size += len(rest)
            if size > limit:
                raise RecordError(
                    f"a line is longer than {limit:,} bytes", file=self.name, line=number + 1
                )
        if size:
            yield _Line(number + 1, b"".join(begun).removeprefix(b"" if number else _MARK), False)

    def _blocks(self) -> Iterator[list[_Line]]:
        """The lines of each game. Comments after an empty line belong to the next game."""
        if self._format == "jsonl":
            yield from ([line] for line in self._lines() if line.text.strip())
            return
        block: list[_Line] = []
        begun = False  # a line that is neither tag nor comment has been seen
        break_at: int | None = None  # in `block`, the first empty line after that
        for line in self._lines():
            text = line.text.strip()
            if text.startswith(b"[") and begun:
                at = len(block) if break_at is None else break_at
                yield block[:at]
                block, begun, break_at = block[at:], False, None
            if not text:
                if begun and break_at is None:
                    break_at = len(block)
            elif not text.startswith((b"[", b";")):
                begun, break_at = True, None
            block.append(line)
            if len(block) > _MOST_LINES:
                raise RecordError(
                    f"a game has more than {_MOST_LINES:,} lines",
                    file=self.name,
                    line=line.number,
                )
        if any(line.text.strip() for line in block):
            yield block

    # --- Games --------------------------------------------------------------------------

    def _decoded(self, line: _Line) -> str:
        try:
            return line.text.decode()
        except UnicodeDecodeError as fault:
            good = line.text[: fault.start].decode()
            raise RecordError(
                f"byte {line.text[fault.start]:#04x} is no UTF-8",
                file=self.name,
                line=line.number,
                column=len(good) + 1,
            ) from None

    def _read_line_of_json(self, block: list[_Line]) -> GameRecord | None:
        (line,) = block
        try:
            return parse_json(self._decoded(line), file=self.name, line=line.number)
        except RecordError:
            if line.whole:
                raise
            self.cut = _last_line(line)
            return None

    def _read_block(self, block: list[_Line]) -> GameRecord | None:
        first, last = block[0].number, block[-1]
        whole = block if last.whole else block[:-1]
        texts = [self._decoded(line) for line in whole]
        # A comment after an empty line is the next game's, of which nothing more is there.
        foreign = last.text.startswith(b";") and len(texts) > 0 and not texts[-1].strip()
        if not last.whole and not foreign:
            # The end of the last line is not there: it may be whole all the same.
            try:
                line = self._decoded(last)
                record = parse_lines([*texts, line], file=self.name, first_line=first)
                if not may_go_on(line, record):
                    return record
            except RecordError:
                pass
        if not last.whole:
            self.cut = _last_line(last)
        if not any(text.strip() and text.strip()[0] not in "[;" for text in texts):
            # Only the end of a file can be so: tags of a game whose turns are missing.
            self.cut = self.cut or f"the game of line {first}"
            return None
        return parse_lines(texts, file=self.name, first_line=first)


def _last_line(line: _Line) -> str:
    text = line.text.decode(errors="replace")
    return f"line {line.number} ({text if len(text) <= 60 else text[:57] + '...'!r})"


def _checked_format(format: str | None) -> Format | None:
    if format not in (None, "text", "jsonl"):
        raise ValueError(f"a format is 'text' or 'jsonl', not {format!r}")
    return format  # type: ignore[return-value]


def read_games(source: Source, *, strict: bool = True, format: Format | None = None) -> GameReader:
    """Read games one by one; the file may be larger than memory.

    Every play and every result is checked against the rules.

    Parameters
    ----------
    source : path or binary file
        By its name JSON Lines (``.jsonl``) or text, and gzip (``.gz``).
    strict : bool
        Raise at the first game that cannot be read; otherwise such games are skipped and counted.
    format : {"text", "jsonl"}, optional
        Instead of what the name says.

    Returns
    -------
    GameReader
        An iterator of :class:`GameRecord`. A file that was cut off is read as far as it goes;
        its ``cut`` then tells what is missing.

    Raises
    ------
    RecordError
        While reading: file, line and column, what stands there and what would be right.
    OSError, ValueError, TypeError
    """
    return GameReader(source, strict=strict, format=format)


def parse_game(text: str) -> GameRecord:
    """Read the text of one game.

    Raises
    ------
    RecordError
        Naming line and column, what stands there and what would be right.
    TypeError
    """
    if not isinstance(text, str):
        raise TypeError(f"the text of a game must be a str, not {type(text).__name__}")
    return parse_lines(text.removeprefix("\ufeff").split("\n"))


# ---------------------------------------------------------------------------------------
# Writing


class GameWriter:
    """Writes games to a file, each whole; what ``open_writer`` gives.

    Attributes
    ----------
    written : int
        The number of games written.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        append: bool = False,
        format: Format | None = None,
    ) -> None:
        name = os.fspath(path)
        by_name, self._gzip = _format_of(name)
        self._format = _checked_format(format) or by_name
        self.written = 0
        if append and os.path.exists(name):
            with open(path, "r+b") as file:
                self._mend(file)
        # Without a buffer, so that what could not be written is not written later.
        self._file = open(path, "ab" if append else "wb", buffering=0)  # noqa: SIM115

    def _mend(self, file: BinaryIO) -> None:
        """Drop what was cut off at the end of a file."""
        if self._gzip:
            file.truncate(_whole_members(file, self._format))
            return
        size = file.seek(0, os.SEEK_END)
        start, tail = _tail(file, size, b"[Rules" if self._format == "text" else b"")
        kept, end = tail, b""
        if self._format == "text":
            kept = _without_bare_tags(kept)
        if kept and not kept.endswith(b"\n"):
            reader = GameReader(io.BytesIO(kept), strict=False, format=self._format)
            for _ in reader:
                pass
            if reader.cut is None and not reader.skipped:
                end = b"\n"
            else:
                kept = kept[: kept.rfind(b"\n") + 1]
        if self._format == "text":
            # Its own line may have been all that these tags had.
            kept = _without_bare_tags(kept)
            if kept and not (kept + end).endswith(b"\n\n"):
                end += b"\n"
        file.truncate(start + len(kept))
        file.seek(0, os.SEEK_END)
        file.write(end)

    def write(self, record: GameRecord | Game) -> None:
        """Write a game; if that fails, the file keeps nothing of it.

        Raises
        ------
        ValueError, TypeError
            For a record that no file can hold; then nothing is written.
        OSError
        """
        text = game_json(record) + "\n" if self._format == "jsonl" else game_text(record)
        data = text.encode()
        if self._gzip:
            pack = zlib.compressobj(6, zlib.DEFLATED, _GZIP)
            data = pack.compress(data) + pack.flush()
        start = self._file.tell() if self._file.seekable() else None
        try:
            while data:
                data = data[self._file.write(data) :]
        except BaseException:
            if start is not None:
                self._file.truncate(start)
                self._file.seek(start)
            raise
        self.written += 1

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _tail(file: BinaryIO, size: int, begin: bytes) -> tuple[int, bytes]:
    """(place, bytes) of the end of a file: from the last but one line that begins with `begin`."""
    start, tail = size, b""
    while start > 0:
        step = min(max(_CHUNK, len(tail)), start)
        start -= step
        file.seek(start)
        tail = file.read(step) + tail
        last = tail.rstrip(b"\n").rfind(b"\n" + begin)
        at = tail.rfind(b"\n" + begin, 0, max(last, 0)) + 1
        if at:
            return start + at, tail[at:]
    return start, tail


def _without_bare_tags(text: bytes) -> bytes:
    """A text without tags at its end to which no game came, and the comments over them: games
    that follow would seem to be theirs."""
    lines = io.BytesIO(text).readlines()  # splitlines would end lines at a lone \r too
    end = len(lines)
    while end and (not lines[end - 1].strip() or lines[end - 1].lstrip().startswith((b"[", b";"))):
        end -= 1
    # Comments right under a game are its own.
    while end < len(lines) and lines[end].lstrip().startswith(b";"):
        end += 1
    rest = lines[end:]
    return b"".join(lines[:end] if any(line.lstrip().startswith(b"[") for line in rest) else lines)


def _whole_members(file: BinaryIO, format: Format) -> int:
    """The size of all gzip members that have their end.

    Raises
    ------
    RecordError
        If the file is no gzip, or if more than one game is in the member that is cut off.
    """
    file.seek(0)
    whole = place = 0
    unpack = zlib.decompressobj(_GZIP)
    game_end = b"\n" if format == "jsonl" else b"\n\n"
    ended = more = False  # in this member a game has its end, something follows it
    last = b""
    while piece := file.read(_CHUNK):
        while piece:
            try:
                text = last + unpack.decompress(piece, _CHUNK).replace(b"\r", b"")
            except zlib.error as fault:
                raise RecordError(
                    f"this is no gzip, and nothing can be added to it: {fault}"
                ) from None
            if not ended and game_end in text:
                ended, text = True, text.partition(game_end)[2]
            more = more or (ended and bool(text.strip()))
            last = text[-1:]
            used = len(piece) - len(unpack.unconsumed_tail) - len(unpack.unused_data)
            place += used
            piece = unpack.unconsumed_tail
            if unpack.eof:
                whole = place
                piece, unpack = unpack.unused_data, zlib.decompressobj(_GZIP)
                ended, more, last = False, False, b""
    if whole < place and more:
        raise RecordError(
            "the gzip file is cut off in a part that holds more than one game; turn it into "
            "another file first (brade-fast convert), and add to that"
        )
    return whole


def open_writer(
    path: str | os.PathLike[str], *, append: bool = False, format: Format | None = None
) -> GameWriter:
    """Open a file for writing games.

    Parameters
    ----------
    path : path
        By its name JSON Lines (``.jsonl``) or text, and gzip (``.gz``).
    append : bool
        Go on behind the games of a file that is there, which may have been cut off: then the
        unfinished part at its end is dropped. Without it such a file is replaced.
    format : {"text", "jsonl"}, optional
        Instead of what the name says.

    Returns
    -------
    GameWriter
        A context manager with ``write``.

    Raises
    ------
    OSError, ValueError
    RecordError
        If games are to be added to a gzip file that is none.
    """
    return GameWriter(path, append=append, format=format)


# ---------------------------------------------------------------------------------------
# Matches


def match_records(match: Match) -> list[GameRecord]:
    """The games of a match as records, with their tags (players, match, game, score before it)."""
    records = []
    score = dict.fromkeys(Color, 0)
    for number, game in enumerate(match.started, 1):
        tags = {"White": match.white, "Black": match.black}
        tags = {name: value for name, value in tags.items() if value}
        tags |= {"Match": str(match.games), "Game": str(number)}
        tags["Score"] = f"{score[Color.WHITE]}-{score[Color.BLACK]}"
        records.append(GameRecord(game, tags))
        if game.result is not None and game.result.winner is not None:
            score[game.result.winner] += game.result.points
    return records


def match_of(records: Iterable[GameRecord]) -> Match:
    """The match that records of its games make up, in their order.

    Raises
    ------
    RecordError
        If they are not the games of one match from its first on.
    """
    games = list(records)
    if not games:
        raise RecordError("a match needs a game")
    tags = games[0].tags
    number = tags.get("Match", "")
    if not number.isascii() or not number.isdigit() or len(number) > 9:
        raise RecordError(f"the tag Match says how many games a match has, not {number!r}")
    try:
        match = Match(
            int(number), games[0].game.rules,
            white=tags.get("White", ""), black=tags.get("Black", ""),
        )  # fmt: skip
        for record in games:
            match.add(record.game)
    except ValueError as fault:
        raise RecordError(str(fault)) from None
    told = [(r.tags.get("Game"), r.tags.get("Score")) for r in games]
    for i, (made, (game, score)) in enumerate(zip(match_records(match), told, strict=True)):
        if game not in (None, made.tags["Game"]) or score not in (None, made.tags["Score"]):
            raise RecordError(
                f"record {i + 1} of the match is game {made.tags['Game']} at {made.tags['Score']}, "
                f"not game {game} at {score}"
            )
    return match


def read_matches(source: Source, *, format: Format | None = None) -> Iterator[Match]:
    """Read matches one by one; each begins with a game that has the tag ``Game 1``.

    Parameters
    ----------
    source, format
        As for :func:`read_games`.

    Yields
    ------
    Match
        The last one may not be over yet.

    Raises
    ------
    RecordError
        As for :func:`read_games`, and for games that make up no match.
    OSError, ValueError, TypeError
    """
    with read_games(source, format=format) as reader:
        games: list[GameRecord] = []
        match: Match | None = None
        for number, record in enumerate(reader, 1):
            if match is not None and record.tags.get("Game") == "1":
                yield match
                games = []
            games.append(record)
            try:
                match = match_of(games)
            except RecordError as fault:
                raise RecordError(f"game {number} of the file: {fault}", file=reader.name) from None
        if match is not None:
            yield match

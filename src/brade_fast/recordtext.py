"""One game as text and as JSON, both ways.

The text of a game, as it is written::

    [Rules brade]
    [White Anna]
    ; a comment
    teka W 2 B 5
    1. W 6-2: 1/7 1/3
    1. B 5-5: 1/6/11/16/21
    = W bear_off 1 resigned

Tags stand in brackets, the name first; a backslash before ``]`` or a backslash keeps it part of
the value. ``Rules`` comes first; ``Position`` (an id, as he sees it who begins) says where the game
started if not from the start. Then ``teka`` with both dice, or ``begins`` and a letter. A turn has
its number, the player, the throw as it fell and the play; a throw that has not been played yet
stands last, with nothing after its colon. The last line says who won (``W``, ``B`` or ``draw``),
the outcome, the points, and ``resigned`` if it was not played out; without it the game is
unfinished. A comment runs from ``;`` to the end of the line and is written on a line of its own.
An empty line ends the game.

The JSON of a game is an object with the same content: ``rules``, ``position`` (or null),
``begins``, ``teka`` ([white, black] or null), ``moves`` (lists of player, throw and play),
``throw`` (one not played yet, or null), ``result`` ({winner, outcome, points, how} or null),
``tags`` and ``comments``.
"""

from __future__ import annotations

import dataclasses
import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

from ._core import Position
from .game import Color, Game, How, Phase, Result
from .notation import (
    dice_text,
    outcome_name,
    parse_dice,
    parse_outcome,
    parse_position,
    parse_rules,
    rules_text,
)
from .rules import BRADE, Outcome, RecordError, Rules

__all__ = ["GameRecord", "game_json", "game_text", "parse_json", "parse_lines"]

#: Where comments stand: before the tags, or after so many turns; one more is after the result.
HEAD = -1

#: Bytes of a tag or comment. With a backslash before each of them and the brackets a line stays
#: shorter than the longest that is read.
_LONGEST = 30_000
_FIRST_TAGS = ("White", "Black", "Match", "Game", "Score", "Seed")
_OWN_TAGS = ("Rules", "Position")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,99}")
# Possessive, so that no line of any length takes more than one pass.
_TAG = re.compile(r"\[\s*+([^\s\]\\]*+)((?:[^\]\\]|\\.)*+)\]")
_MOVE = re.compile(r"(\d{1,9})\s*+\.\s*+([WwBb])\s++([^:]*+):\s*+(.*)")
_TEKA = re.compile(r"teka\s+W\s+([1-6])\s+B\s+([1-6])", re.IGNORECASE)
_BEGINS = re.compile(r"begins\s+([WB])", re.IGNORECASE)
_RESULT = re.compile(r"=\s*(\S+)\s+(\S+)\s+(\d{1,9})(?:\s+(\S+))?")


@dataclasses.dataclass
class GameRecord:
    """A game and what a record says about it.

    Attributes
    ----------
    game : Game
    tags : dict of str to str
        ``White``, ``Black``, ``Match``, ``Game``, ``Score``, ``Seed`` and whatever else; not
        ``Rules`` and ``Position``, which the game knows.
    comments : dict of int to list of str
        By place: -1 before the tags, ``n`` after ``n`` turns, one more after the result.
    """

    game: Game
    tags: dict[str, str] = dataclasses.field(default_factory=dict)
    comments: dict[int, list[str]] = dataclasses.field(default_factory=dict)


# ---------------------------------------------------------------------------------------
# Writing


def game_text(record: GameRecord | Game) -> str:
    """The canonical text of a game, with the empty line at its end.

    Raises
    ------
    ValueError
        For tags or comments that no line can hold.
    """
    record = as_record(record)
    game = record.game
    lines = _comment_lines(record, HEAD)
    lines.append(f"[Rules {rules_text(game.rules)}]")
    tags = {name: record.tags[name] for name in _FIRST_TAGS if name in record.tags} | record.tags
    for name, value in tags.items():
        escaped = re.sub(r"([\\\]])", r"\\\1", value)
        lines.append(f"[{name} {escaped}]" if value else f"[{name}]")
    if game.initial_position != Position.start():
        lines.append(f"[Position {game.initial_position.id}]")
    lines.append(
        f"begins {game.begins}" if game.teka is None else "teka W {} B {}".format(*game.teka)
    )
    lines += _comment_lines(record, 0)
    for i, (color, dice, play) in enumerate(game.moves):
        lines.append(f"{i // 2 + 1}. {color} {dice_text(dice)}: {play}")
        lines += _comment_lines(record, i + 1)
    if _loose_throw(game):
        assert game.dice is not None
        lines.append(f"{len(game.moves) // 2 + 1}. {game.turn} {dice_text(game.dice)}:")
    if game.result is not None:
        lines.append(_result_line(game.result))
    lines += _comment_lines(record, len(game.moves) + 1)
    return "\n".join(lines) + "\n\n"


def _loose_throw(game: Game) -> bool:
    """A throw lies on the table that the teka does not tell already."""
    return game.phase is Phase.TO_PLAY and (bool(game.moves) or game.dice != _teka_dice(game))


def _teka_dice(game: Game) -> tuple[int, int] | None:
    return game.teka if game.rules.opening == "high_plays_dice" else None


def _result_line(result: Result) -> str:
    winner = "draw" if result.winner is None else str(result.winner)
    line = f"= {winner} {outcome_name(result.outcome)} {result.points}"
    return f"{line} resigned" if result.how is How.RESIGNED else line


def _comment_lines(record: GameRecord, place: int) -> list[str]:
    return [f"; {comment}".rstrip() for comment in record.comments.get(place, ())]


def as_record(record: GameRecord | Game) -> GameRecord:
    """A record of a game, checked for what no line can hold.

    Raises
    ------
    ValueError, TypeError
    """
    if isinstance(record, Game):
        return GameRecord(record)
    if not isinstance(record, GameRecord):
        raise TypeError(f"a record is a GameRecord or a Game, not {type(record).__name__}")
    if not isinstance(record.game, Game):
        raise TypeError(f"a record's game is a Game, not {type(record.game).__name__}")
    check_tags(record.tags)
    check_comments(record.comments, record.game)
    return record


def check_tags(tags: Mapping[str, str]) -> None:
    """Refuse tags that no line can hold.

    Raises
    ------
    ValueError, TypeError
    """
    if not isinstance(tags, Mapping):
        raise TypeError(f"tags are a dict of texts, not {type(tags).__name__}")
    for name, value in tags.items():
        if not isinstance(name, str) or not isinstance(value, str):
            raise TypeError(f"tags are texts, not {name!r}: {value!r}")
        if _NAME.fullmatch(name) is None:
            raise ValueError(
                f"a tag's name is a word of at most 100 letters, digits and _, not {_shown(name)}"
            )
        if name.capitalize() in _OWN_TAGS:
            raise ValueError(f"the tag {name} belongs to the game itself; leave it out")
        _check_line(value, f"the tag {name}")


def check_comments(comments: Mapping[int, list[str]], game: Game) -> None:
    """Refuse comments that no line can hold, or that have no place.

    Raises
    ------
    ValueError, TypeError
    """
    if not isinstance(comments, Mapping):
        raise TypeError(f"comments are a dict of lists, not {type(comments).__name__}")
    last = len(game.moves) + game.is_over
    for place, lines in comments.items():
        if isinstance(place, bool) or not isinstance(place, int) or not HEAD <= place <= last:
            raise ValueError(f"comments stand at -1 to {last} in this game, not at {place!r}")
        if not isinstance(lines, list):
            raise TypeError("comments are lists of texts, one for each line")
        if not lines:
            raise ValueError(f"the list of comments at {place} is empty; leave it out")
        for line in lines:
            if not isinstance(line, str):
                raise TypeError(f"a comment is a text, not {line!r}")
            _check_line(line, "a comment")


def _check_line(text: str, what: str) -> None:
    if text != text.strip():
        raise ValueError(f"{what} begins or ends with a space: {_shown(text)}")
    for character in text:
        if character != "\t" and unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp"):
            raise ValueError(f"{what} holds {character!r}, which no line of a record can")
    if len(text.encode()) > _LONGEST:
        raise ValueError(f"{what} has more than {_LONGEST:,} bytes of UTF-8")


# ---------------------------------------------------------------------------------------
# Reading text


def _clipped(text: str) -> str:
    """Not more of a text than a message can show; what is longer is wrong anyway."""
    return text if len(text) <= 80 else text[:77] + "..."


def _shown(text: str) -> str:
    return repr(_clipped(text))


class _LineReader:
    """Builds a game from its lines; every fault names its place."""

    def __init__(self, file: str | None) -> None:
        self.file = file
        self.line = 0
        self.rules: Rules | None = None
        self.position: Position | None = None
        self.teka: tuple[int, int] | None = None
        self.game: Game | None = None
        self.ended = False
        self.tags: dict[str, str] = {}
        self.comments: dict[int, list[str]] = {}

    def error(self, message: str, column: int = 1) -> RecordError:
        return RecordError(message, file=self.file, line=self.line, column=column)

    def read(self, line: str) -> None:
        text = line.strip()
        if not text:
            return
        indent = len(line) - len(line.lstrip())
        if text[0] == "[":
            self.read_tags(text, indent)
            return
        text, semicolon, comment = text.partition(";")
        text = text.rstrip()
        if text:
            self.read_item(text, indent)
        if semicolon:
            self.comment(comment, line.index(";") + 1)

    def comment(self, text: str, column: int) -> None:
        text = text.strip()
        try:
            _check_line(text, "a comment")
        except ValueError as fault:
            raise self.error(str(fault), column) from None
        if self.game is not None:
            place = len(self.game.moves) + self.ended
        else:
            place = HEAD if self.rules is None else 0
        self.comments.setdefault(place, []).append(text)

    def read_tags(self, text: str, indent: int) -> None:
        at = 0
        while at < len(text):
            if text[at] == ";":
                self.comment(text[at + 1 :], indent + at + 1)
                return
            match = _TAG.match(text, at)
            if match is None:
                raise self.error(
                    f"a tag is written [Name value], not {_shown(text[at:])}", indent + at + 1
                )
            value = re.sub(r"\\(.)", r"\1", match[2]).strip()
            self.tag(match[1], value, indent + at + 1)
            at = match.end()
            at += len(text[at:]) - len(text[at:].lstrip())

    def tag(self, name: str, value: str, column: int) -> None:
        if self.game is not None:
            raise self.error("tags stand before the first turn", column)
        if name.capitalize() in _OWN_TAGS:  # a small letter must not make it an idle one
            name = name.capitalize()
        if name in self.tags or (name == "Rules" and self.rules is not None):
            raise self.error(f"the tag {name} comes twice", column)
        try:
            if name == "Rules":
                self.rules = parse_rules(value)
            elif name == "Position":
                if self.position is not None:
                    raise self.error(f"the tag {name} comes twice", column)
                self.position = parse_position(value)
            else:
                check_tags({name: value})
                self.tags[name] = value
        except RecordError:
            raise
        except ValueError as fault:
            raise self.error(str(fault), column) from None

    def read_item(self, text: str, indent: int) -> None:
        if text[0].isdigit():
            self.read_move(text, indent)
        elif text[0] == "=":
            self.read_result(text, indent)
        elif match := _TEKA.fullmatch(text):
            self.opening(indent)
            self.teka = int(match[1]), int(match[2])
            self.start(None, indent)
        elif match := _BEGINS.fullmatch(text):
            self.opening(indent)
            self.start(Color(match[1].upper()), indent)
        else:
            raise self.error(
                "a line is a tag, 'teka W 2 B 5', 'begins W', a turn as '1. W 6-2: 1/7 1/3', "
                f"a result as '= W john 4', or a comment after ';', not {_shown(text)}",
                indent + 1,
            )

    def opening(self, indent: int) -> None:
        if self.game is not None:
            raise self.error(
                "who begins has been said already; a second game has tags over it: [Rules brade]",
                indent + 1,
            )

    def start(self, begins: Color | None, indent: int) -> Game:
        try:
            self.game = Game(
                self.rules or BRADE, begins=begins, teka=self.teka, position=self.position
            )
        except ValueError as fault:
            raise self.error(str(fault), indent + 1) from None
        return self.game

    def read_move(self, text: str, indent: int) -> None:
        match = _MOVE.fullmatch(text)
        if match is None:
            raise self.error(
                f"a turn is written as '1. W 6-2: 1/7 1/3', not {_shown(text)}", indent + 1
            )
        color = Color(match[2].upper())
        game = self.game or self.start(color, indent)
        number = len(game.moves) // 2 + 1
        if int(match[1]) != number or color is not game.turn:
            raise self.error(
                f"the turn is {number}. {game.turn}, not {match[1]}. {color}", indent + 1
            )
        if game.is_over:
            raise self.error(
                f"nothing is played after the end of the game ({_result_line_of(game)})",
                indent + 1,
            )
        try:
            dice = parse_dice(_clipped(match[3].rstrip()))
        except ValueError as fault:
            raise self.error(str(fault), indent + match.start(3) + 1) from None
        if game.dice is None:
            game.throw(*dice)
        elif sorted(dice) != sorted(game.dice):
            lies = dice_text(game.dice)
            raise self.error(
                f"{lies} lies on the table, not {dice_text(dice)}", indent + match.start(3) + 1
            )
        elif game.moves or _teka_dice(game) is None:
            raise self.error("the throw before this line has not been played", indent + 1)
        if match[4]:
            try:
                game.push(match[4])
            except ValueError as fault:
                raise self.error(str(fault), indent + match.start(4) + 1) from None

    def read_result(self, text: str, indent: int) -> None:
        game = self.game or self.start(Color.WHITE, indent)
        match = _RESULT.fullmatch(text)
        if match is None or match[1].upper() not in ("W", "B", "DRAW"):
            raise self.error(
                f"a result is written as '= W john 4' or '= draw deadlock 0', not {_shown(text)}",
                indent + 1,
            )
        if self.ended:
            raise self.error("the result has been said already", indent + 1)
        try:
            outcome = parse_outcome(_clipped(match[2]))
        except ValueError as fault:
            raise self.error(str(fault), indent + match.start(2) + 1) from None
        resigned = (match[4] or "").lower() == "resigned"
        if match[4] and not resigned:
            raise self.error(
                f"after the points may stand 'resigned', not {_shown(match[4])}",
                indent + match.start(4) + 1,
            )
        winner = None if match[1].upper() == "DRAW" else Color(match[1].upper())
        self.finish(game, winner, outcome, int(match[3]), resigned, indent + 1)

    def finish(
        self,
        game: Game,
        winner: Color | None,
        outcome: Outcome,
        points: int,
        resigned: bool,
        column: int,
    ) -> None:
        """Holds the result that is stated against the game."""
        if resigned and not game.is_over and winner is not None:
            try:
                game.resign(winner.other, outcome)
            except ValueError as fault:
                raise self.error(str(fault), column) from None
        if game.result is None:
            raise self.error(
                f"the game is not over after {len(game.moves)} turns; "
                "a resignation is written with 'resigned' at its end",
                column,
            )
        how = How.RESIGNED if resigned else How.DEADLOCK if winner is None else How.PLAYED
        if game.result != (winner, outcome, points, how):
            raise self.error(
                f"the game ended otherwise: the result is {_result_line_of(game)!r}", column
            )
        self.ended = True

    def record(self) -> GameRecord:
        game = self.game
        if game is None:
            raise self.error("the game does not say who begins ('teka W 2 B 5' or 'begins W')")
        return GameRecord(game, self.tags, self.comments)


def _result_line_of(game: Game) -> str:
    assert game.result is not None
    return _result_line(game.result)


def parse_lines(
    lines: Iterable[str], *, file: str | None = None, first_line: int = 1
) -> GameRecord:
    """Read the lines of one game.

    Raises
    ------
    RecordError
        Naming file, line and column, what stands there and what would be right.
    """
    reader = _LineReader(file)
    for number, line in enumerate(lines, first_line):
        reader.line = number
        reader.read(line)
    return reader.record()


def may_go_on(line: str, record: GameRecord) -> bool:
    """Whether something may be missing at the end of the last line of a record.

    Of the lines that can be read as they stand only a play can be the beginning of another.
    """
    match = _MOVE.fullmatch(line.partition(";")[0].strip())
    if match is None or not match[4]:
        return False
    play = record.game.peek()
    others = map(str, play.origin.plays(*play.dice, play.rules))
    return any(text != match[4] and text.startswith(match[4]) for text in others)


# ---------------------------------------------------------------------------------------
# JSON


def game_json(record: GameRecord | Game) -> str:
    """A game as one line of JSON, without the line's end.

    Raises
    ------
    ValueError
        For tags or comments that no record can hold.
    """
    record = as_record(record)
    game = record.game
    result = game.result
    starts = game.initial_position
    return json.dumps(
        {
            "rules": rules_text(game.rules),
            "tags": record.tags,
            "position": None if starts == Position.start() else starts.id,
            "begins": str(game.begins),
            "teka": None if game.teka is None else list(game.teka),
            "moves": [[str(c), dice_text(dice), str(play)] for c, dice, play in game.moves],
            "throw": dice_text(game.dice) if game.dice and _loose_throw(game) else None,
            "result": None
            if result is None
            else {
                "winner": None if result.winner is None else str(result.winner),
                "outcome": outcome_name(result.outcome),
                "points": result.points,
                "how": result.how.value,
            },
            "comments": {str(place): list(c) for place, c in sorted(record.comments.items())},
        },
        ensure_ascii=False,
        separators=(",", ":"),
    )


_KINDS: dict[str, tuple[type, ...]] = {
    "rules": (str,), "tags": (dict,), "position": (str, type(None)), "begins": (str,),
    "teka": (list, type(None)), "moves": (list,), "throw": (str, type(None)),
    "result": (dict, type(None)), "comments": (dict,),
}  # fmt: skip
_RESULT_KINDS = {"winner": (str, type(None)), "outcome": (str,), "points": (int,), "how": (str,)}


def parse_json(text: str, *, file: str | None = None, line: int = 1) -> GameRecord:
    """Read one game from a line of JSON; ``rules`` and ``begins`` must be there.

    Raises
    ------
    RecordError
        Naming file and line, what stands there and what would be right.
    """
    reader = _LineReader(file)
    reader.line = line
    try:
        data = json.loads(text)
    except json.JSONDecodeError as fault:
        raise reader.error(f"this is no JSON: {fault.msg}", fault.colno) from None
    except (RecursionError, ValueError) as fault:
        raise reader.error(f"this JSON cannot be read: {fault}") from None
    try:
        return _from_json(reader, data, text)
    except RecordError:
        raise
    except (ValueError, TypeError) as fault:
        raise reader.error(str(fault)) from None


def _from_json(reader: _LineReader, data: Any, text: str) -> GameRecord:
    _check_kinds(data, _KINDS, ("rules", "begins"), "a game")
    check_tags(data.get("tags", {}))
    teka = data.get("teka")
    if teka is not None and (len(teka) != 2 or not all(type(die) is int for die in teka)):
        raise ValueError(f"teka is two dice, White's and Black's, not {teka!r}")
    position = data.get("position")
    game = Game(
        parse_rules(data["rules"]),
        begins=data["begins"],
        teka=None if teka is None else (teka[0], teka[1]),
        position=None if position is None else parse_position(position),
    )
    for i, move in enumerate(data.get("moves", [])):
        try:
            _read_json_move(game, move)
        except ValueError as fault:
            raise reader.error(f"move {i + 1}: {fault}", _column_of_move(text, i)) from None
    if data.get("throw") is not None:
        game.throw(*parse_dice(data["throw"]))
    result = data.get("result")
    if result is not None:
        _check_kinds(result, _RESULT_KINDS, tuple(_RESULT_KINDS), "a result")
        if result["how"] not in [how.value for how in How]:
            raise ValueError(f"a game ends played, resigned or deadlock, not {result['how']!r}")
        winner = None if result["winner"] is None else Color(result["winner"])
        resigned = result["how"] == How.RESIGNED.value
        reader.finish(game, winner, parse_outcome(result["outcome"]), result["points"], resigned, 1)
    comments = {_place(key): lines for key, lines in data.get("comments", {}).items()}
    check_comments(comments, game)
    return GameRecord(game, data.get("tags", {}), comments)


def _read_json_move(game: Game, move: Any) -> None:
    if not isinstance(move, list) or [type(part) for part in move] != [str, str, str]:
        raise ValueError(f"a move is a list of player, throw and play, not {_shown(str(move))}")
    color, throw, play = move
    if color != game.turn:
        raise ValueError(f"it is the turn of {game.turn}, not of {_shown(color)}")
    dice = parse_dice(throw)
    if game.dice is None:
        game.throw(*dice)
    elif sorted(dice) != sorted(game.dice):
        raise ValueError(f"{dice_text(game.dice)} lies on the table, not {throw}")
    game.push(play)


def _column_of_move(text: str, number: int) -> int:
    """Where in a line a move stands; 1 if its list is not found.

    Its key cannot be a part of another text, whose quotes would have backslashes.
    """
    key = re.search(r'"moves"\s*:\s*\[', text)
    if key is None:
        return 1
    start = end = key.end()
    for _ in range(number + 1):
        start = end + len(text[end:]) - len(text[end:].lstrip(" \t\r\n,"))
        end = json.JSONDecoder().raw_decode(text, start)[1]
    return start + 1


def _place(key: str) -> int:
    # One way to write each number: two keys must not name the same place.
    if re.fullmatch(r"-1|0|[1-9]\d{0,8}", key, re.ASCII) is None:
        raise ValueError(f"comments stand at the number of a turn, not at {key!r}")
    return int(key)


def _check_kinds(
    data: Any, kinds: Mapping[str, tuple[type, ...]], needed: tuple[str, ...], what: str
) -> None:
    if not isinstance(data, dict):
        raise ValueError(f"{what} is a JSON object, not {type(data).__name__}")
    for key, value in data.items():
        if key not in kinds:
            raise ValueError(f"{what} has no {key!r}; it has {', '.join(kinds)}")
        if type(value) not in kinds[key]:
            raise ValueError(f"{key} of {what} cannot be {value!r}")
    for key in needed:
        if key not in data:
            raise ValueError(f"{what} must have {key!r}")

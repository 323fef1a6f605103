"""The command show: a position, a play or a game of a record as text or as a picture."""

from __future__ import annotations

import argparse
import itertools
import re
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .common import POSITION_HELP, Commands, number, print_json, read_position

if TYPE_CHECKING:
    from .._core import Play, Position
    from ..record import GameRecord
    from ..rules import Rules
    from ..scene import Drawable

__all__ = ["add_to"]

_SIDES = ("mover", "other", "white", "black")


def add_to(commands: Commands) -> None:
    """Adds the command."""
    show = commands.add(
        "show",
        _show,
        "show a position, a play or a game of a record, as text or as a picture",
        "show start 6-2 --play '1/7 1/3' --output play.svg",
    )
    show.add_argument("position", nargs="?", metavar="POSITION",
                      help=POSITION_HELP + " (default), or a full state such as "
                      "brade:W:6-2:_38AAAD_fwAAAA")  # fmt: skip
    show.add_argument("dice", nargs="*", metavar="DICE", help="a throw: 62, 6-2 or 6 2")
    show.add_argument("--play", metavar="TEXT", help="a play of this throw, such as '1/7 1/3'")
    show.add_argument("--record", metavar="FILE", help="a game of a record file instead")
    show.add_argument("--game", type=number(1), metavar="N",
                      help="which game of the file (default 1)")  # fmt: skip
    show.add_argument("--turn", type=number(1), metavar="K",
                      help="its K-th play, on the board where it begins (default: the game as it "
                      "stands at the end; as HTML, all turns)")  # fmt: skip
    show.add_argument("--report", action="store_true",
                      help="tell about shots, John, blocks and all throws too")  # fmt: skip
    show.add_argument("--view", choices=_SIDES,
                      help="who sits below (default: the mover; with a record, White)")  # fmt: skip
    show.add_argument("--numbers", choices=_SIDES, help="whose point numbers are shown "
                      "(default: those of the player below; with a play, the mover's)")  # fmt: skip
    show.add_argument("--color", choices=("W", "B"), help="the mover's color (default W)")
    show.add_argument("--ascii", action="store_true", help="text with ASCII characters only")
    width = show.add_mutually_exclusive_group()
    width.add_argument("--narrow", action="store_true", help="text in 32 columns")
    width.add_argument("--wide", action="store_true",
                       help="text in 58 columns (default: as the terminal has them)")  # fmt: skip
    show.add_argument("--output", metavar="FILE",
                      help="write a picture instead of text: .svg, .html, or .png "
                      "(which needs pip install 'brade-fast[png]')")  # fmt: skip
    page = show.add_mutually_exclusive_group()
    page.add_argument("--dark", dest="dark", action="store_const", const=True, default=None,
                      help="the picture on a dark page")  # fmt: skip
    page.add_argument("--light", dest="dark", action="store_const", const=False,
                      help="the picture on a light page (default: on none)")  # fmt: skip
    show.add_argument("--size", type=number(1, 20_000), metavar="PIXELS",
                      help="the width of the picture (default 640)")  # fmt: skip
    show.add_argument("--caption", metavar="TEXT", help="a line under the picture")
    show.add_argument("--contact-sheet", metavar="FILE",
                      help="write 24 named positions in two sizes, light and dark, into one "
                      ".svg, .html or .png file, and nothing else")  # fmt: skip


class _Shown(NamedTuple):
    """What is to be shown, and what is known of it."""

    what: Drawable
    position: Position
    rules: Rules
    color: str
    dice: tuple[int, int] | None
    play: Play | None = None
    record: GameRecord | None = None

    def options(self, arguments: argparse.Namespace) -> dict[str, Any]:
        """Options that pictures and text boards have in common."""
        options = {"view": arguments.view, "numbers": arguments.numbers}
        if self.play is None and self.record is None:
            return {**options, "dice": self.dice, "color": self.color, "rules": self.rules}
        return options if self.play is None else {**options, "color": self.color}


def _show(arguments: argparse.Namespace) -> int:
    if arguments.contact_sheet:
        return _contact_sheet(arguments)
    shown = _from_record(arguments) if arguments.record else _from_arguments(arguments)
    if arguments.output:
        _write(arguments, shown)
    report = None
    if arguments.report:
        from ..report import report as look_into

        report = look_into(shown.position, shown.rules)
    if arguments.json:
        print_json(_facts(arguments, shown) | ({"report": report.as_dict()} if report else {}))
        return 0
    if not arguments.output:
        print(_text(arguments, shown))
        if report:
            print()
    if report:
        print(report)
    return 0


def _refuse(arguments: argparse.Namespace, names: str, why: str) -> None:
    for name in names.split():
        if getattr(arguments, name) not in (None, [], False):
            written = name.upper() if name in ("position", "dice") else f"--{name}"
            raise ValueError(f"{written} {why}")


def _contact_sheet(arguments: argparse.Namespace) -> int:
    from ..diagram import contact_sheet

    _refuse(arguments, "position dice play record game turn report output json",
            "does not go with --contact-sheet")  # fmt: skip
    try:
        contact_sheet(arguments.contact_sheet)
    except ImportError as error:
        raise ValueError(str(error)) from None  # its words tell what to install
    return 0


def _from_arguments(arguments: argparse.Namespace) -> _Shown:
    from ..notation import parse_dice

    _refuse(arguments, "game turn", "belongs to --record")
    text, rules, color = arguments.position or "start", arguments.rules, arguments.color
    dice = parse_dice(" ".join(arguments.dice)) if arguments.dice else None
    if re.match(r"\s*[^\s:]+:[WB]:", text):
        from ..notation import parse_state

        state = parse_state(text)
        _refuse(arguments, "dice color", "stands in the full state already")
        position, rules, color, dice = state.position, state.rules, state.turn, state.dice
    else:
        position = read_position(text)
    color = color or "W"
    if arguments.play is None:
        return _Shown(position, position, rules, color, dice)
    if dice is None:
        raise ValueError("--play needs the throw: give DICE after the position")
    play = position.parse(*dice, arguments.play, rules)
    return _Shown(play, position, rules, color, dice, play)


def _from_record(arguments: argparse.Namespace) -> _Shown:
    from ..record import read_games

    _refuse(arguments, "position dice play color", "does not go with --record")
    wanted = arguments.game or 1
    with read_games(arguments.record) as games:
        record = next(itertools.islice(games, wanted - 1, None), None)
        cut = f" (it is cut off: {games.cut} is not whole)" if games.cut else ""
    if record is None:
        raise ValueError(f"{arguments.record} has no game {wanted}{cut}")
    game = record.game
    if arguments.turn is None:
        return _Shown(game, game.position, game.rules, str(game.turn), game.dice, None, record)
    if arguments.turn > len(game.moves):
        raise ValueError(
            f"game {wanted} of {arguments.record} has {len(game.moves)} turns, no turn "
            f"{arguments.turn}"
        )
    move = game.moves[arguments.turn - 1]
    arguments.view = arguments.view or "white"
    return _Shown(move.play, move.play.origin, game.rules, str(move.color), move.dice, move.play,
                  record)  # fmt: skip


def _text(arguments: argparse.Namespace, shown: _Shown) -> str:
    from ..diagram import text_board

    narrow = arguments.narrow or (not arguments.wide and shutil.get_terminal_size().columns < 58)
    try:
        "○●│".encode(sys.stdout.encoding or "utf-8")
        plain = arguments.ascii
    except UnicodeEncodeError:
        plain = True
    return text_board(
        shown.what,
        width="narrow" if narrow else "wide",
        ascii=plain,
        **shown.options(arguments),
    )


def _write(arguments: argparse.Namespace, shown: _Shown) -> None:
    from ..diagram import game_html, save, svg

    path = Path(arguments.output)
    record = shown.record
    if record and shown.play is None and path.suffix.lower() in (".html", ".htm"):
        _refuse(arguments, "numbers dark size caption", "does not go with a whole game as HTML")
        page = game_html(
            record.game,
            view=arguments.view or "white",
            white=record.tags.get("White", ""),
            black=record.tags.get("Black", ""),
        )
        path.write_text(page, encoding="utf-8")
        return
    picture = svg(
        shown.what,
        size=arguments.size or 640,
        dark=arguments.dark,
        caption=arguments.caption,
        **shown.options(arguments),
    )
    try:
        save(picture, path, title=arguments.caption or "brade_fast")
    except ImportError as error:
        raise ValueError(str(error)) from None  # its words tell what to install


def _facts(arguments: argparse.Namespace, shown: _Shown) -> dict[str, Any]:
    from ..notation import board_text, outcome_name, rules_text

    facts: dict[str, Any] = {
        "position": shown.position.id,
        "board": board_text(shown.position),
        "rules": rules_text(shown.rules),
        "color": shown.color,
        "dice": shown.dice,
        "play": str(shown.play) if shown.play is not None else None,
        "pips": shown.position.pips,
        "bar": shown.position.bar,
        "off": shown.position.off,
        "is_over": shown.position.is_over(shown.rules),
    }
    if shown.play is not None:
        facts["after"] = shown.play.position.id
        facts["outcome"] = outcome_name(shown.play.outcome)
    if shown.record is not None:
        facts["turns"] = len(shown.record.game.moves)
    return facts | ({"file": arguments.output} if arguments.output else {})

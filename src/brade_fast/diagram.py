"""Pictures of positions, plays and games: as text, SVG, a page for the browser, a file.

This is the door; the rooms behind it are ``scene`` (what is to be seen), ``textboard``,
``svg``, ``gamepage``, ``picturefile`` and ``contactsheet``.
"""

from __future__ import annotations

from .contactsheet import contact_sheet
from .gamepage import game_html
from .picturefile import page, save, to_png
from .svg import svg
from .textboard import text_board

__all__ = ["contact_sheet", "game_html", "page", "save", "svg", "text_board", "to_png"]

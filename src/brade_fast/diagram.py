"""Pictures of positions, plays and games: as text, SVG, a page for the browser, a file.

This is the door; the rooms behind it are ``textboard``, ``svg`` and ``gamepage``.
"""

from __future__ import annotations

from .svg import svg
from .textboard import text_board

__all__ = ["svg", "text_board"]

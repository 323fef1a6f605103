"""Pictures as files: SVG as it is, in a page for the browser, or as PNG."""

from __future__ import annotations

import os
from pathlib import Path
from xml.sax.saxutils import escape

__all__ = ["page", "png", "save", "to_png"]

STYLE = """\
:root { color-scheme: light dark; }
body { margin: 1rem; font: 1rem/1.5 Verdana, 'DejaVu Sans', sans-serif; }
body > svg, figure > svg { max-width: 100%; height: auto; }
"""


def page(title: str, body: str, *, style: str = "", script: str = "") -> str:
    """A whole HTML page that needs nothing from anywhere else.

    Parameters
    ----------
    title : str
        Plain text.
    body, style, script : str
        Markup, rules and program as they are to stand in the page.
    """
    end = f"<script>\n{script}\n</script>\n" if script else ""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{STYLE}{style}</style>\n</head>\n"
        f"<body>\n{body}\n{end}</body>\n</html>\n"
    )


def png(svg_text: str, *, width: int | None = None) -> bytes:
    """An SVG picture as PNG; its words need a font on this machine.

    Parameters
    ----------
    svg_text : str
    width : int, optional
        In pixels; by default that of the picture itself.

    Raises
    ------
    ImportError
        If resvg-py is not installed.
    ValueError
        For text that is no SVG.
    """
    try:
        import resvg_py
    except ImportError:
        raise ImportError(
            "PNG pictures need resvg-py: pip install 'brade-fast[png]' (SVG and HTML need nothing)"
        ) from None
    return bytes(resvg_py.svg_to_bytes(svg_string=svg_text, width=width))


def to_png(svg_text: str, path: str | os.PathLike[str], *, width: int | None = None) -> None:
    """Write an SVG picture into a PNG file; its errors are those of ``png``."""
    Path(path).write_bytes(png(svg_text, width=width))


def save(svg_text: str, path: str | os.PathLike[str], *, title: str = "brade_fast") -> None:
    """Write a picture into a file: ``.svg``, ``.html`` or ``.png``, by the ending of its name.

    Raises
    ------
    ImportError
        For PNG, if resvg-py is not installed.
    ValueError
        For another ending.
    """
    ending = Path(path).suffix.lower()
    if ending == ".png":
        to_png(svg_text, path)
    elif ending in (".html", ".htm"):
        Path(path).write_text(page(title, svg_text), encoding="utf-8")
    elif ending == ".svg":
        Path(path).write_text(svg_text + "\n", encoding="utf-8")
    else:
        raise ValueError(f"a picture's file ends in .svg, .html or .png, not {str(path)!r}")

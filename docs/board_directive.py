"""The directive ``brade-board``: a picture of a position, drawn when the site is built.

Its argument is a position (board text or id); with ``dice`` and ``play`` the play is drawn.
"""

import base64
import html

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from brade_fast.diagram import svg
from brade_fast.notation import board_text, parse_dice, parse_position, parse_rules


class BradeBoard(SphinxDirective):
    required_arguments = 1
    final_argument_whitespace = True
    option_spec = {  # noqa: RUF012 - as docutils wants it
        "dice": directives.unchanged,
        "play": directives.unchanged,
        "rules": directives.unchanged,
        "view": directives.unchanged,
        "caption": directives.unchanged,
        "width": directives.positive_int,
    }

    def run(self):
        options = self.options
        rules = parse_rules(options.get("rules", "brade"))
        what = position = parse_position(self.arguments[0])
        drawing = {"view": options.get("view"), "color": "W"}
        if "play" in options:
            what = position.parse(*parse_dice(options["dice"]), options["play"], rules)
        else:
            drawing["rules"] = rules
            if "dice" in options:
                drawing["dice"] = parse_dice(options["dice"])
        picture = svg(what, **drawing)
        data = base64.b64encode(picture.encode()).decode()
        return [
            nodes.raw(
                "",
                f'<figure><img src="data:image/svg+xml;base64,{data}" '
                f'width="{options.get("width", 560)}" alt="{board_text(position)}">'
                f"<figcaption>{html.escape(options.get('caption', ''))}</figcaption></figure>",
                format="html",
            )
        ]


def setup(app):
    app.add_directive("brade-board", BradeBoard)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}

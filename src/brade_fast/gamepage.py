"""A whole game as one HTML page that works without a network."""

from __future__ import annotations

from xml.sax.saxutils import escape

from .notation import rules_text
from .picturefile import page
from .scene import NAMES, GameLike, make_scene
from .svg import svg

__all__ = ["game_html"]

_STYLE = """\
body { display: flex; flex-direction: column; max-width: 62rem; margin: 1rem auto;
  padding: 0 1rem; }
.player, .status, .caption { fill: currentColor; }
ol { list-style: none; margin: 0; padding: 0; columns: 18rem; }
ol a { display: block; padding: 0 .4rem; color: inherit; text-decoration: none; }
ol a:hover { text-decoration: underline; }
figure { margin: 0 0 1.5rem; }
nav button { font: inherit; min-width: 3rem; }
nav, .js figure { display: none; }
.js nav { display: block; position: sticky; top: 0; background: Canvas; padding: .3rem 0; }
.js figure.now { display: block; scroll-margin-top: 20rem; }
.js #list { order: 1; position: relative; max-height: 16rem; overflow: auto; }
.js a.now { background: #2f6e49; color: #fffdf5; }
"""

# The pictures are all in the page, so without a program they stand below each other; with
# one, only that of the chosen turn is shown.
_SCRIPT = """\
const figures = [...document.querySelectorAll("figure")];
const links = [...document.querySelectorAll("ol a")];
const list = document.getElementById("list");
const counter = document.getElementById("counter");
let now = 0;
function show(n) {
  now = Math.max(0, Math.min(figures.length - 1, n));
  for (const row of [figures, links])
    row.forEach((e, i) => e.classList.toggle("now", i === now));
  list.scrollTop = links[now].offsetTop - list.clientHeight / 2;
  counter.textContent = `${now + 1} of ${figures.length}`;
  history.replaceState(null, "", "#" + figures[now].id);
}
const steps = {
  first: () => 0, back: () => now - 1, on: () => now + 1, last: () => figures.length - 1,
};
const keys = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" };
for (const button of document.querySelectorAll("nav button"))
  button.onclick = () => show(steps[button.name]());
links.forEach((link, i) => link.onclick = (event) => { event.preventDefault(); show(i); });
addEventListener("keydown", (event) => {
  if (event.key in keys && !event.ctrlKey && !event.altKey && !event.metaKey) {
    event.preventDefault();
    show(steps[keys[event.key]]());
  }
});
function chosen() {
  return Math.max(0, figures.findIndex((f) => "#" + f.id === location.hash));
}
addEventListener("hashchange", () => show(chosen()));
document.body.classList.add("js");
show(chosen());"""

_BUTTONS = (
    ("first", "|◀", "first"),
    ("back", "◀", "back"),
    ("on", "▶", "on"),
    ("last", "▶|", "last"),
)


def game_html(
    game: GameLike,
    *,
    view: str = "white",
    title: str | None = None,
    white: str = "",
    black: str = "",
) -> str:
    """A whole game as one HTML page: a picture of every turn and the list of the plays.

    Arrow keys, Home, End, the buttons and the plays in the list go to a turn. The page needs
    nothing from anywhere else; without JavaScript the pictures stand below each other.

    Parameters
    ----------
    game : Game
    view : {"white", "black", "mover", "other"}
        Who sits below; White by default, all through the game.
    title : str, optional
        Plain text; by default the players' names.
    white, black : str
        The players' names, shown beside their colors.

    Returns
    -------
    str
        A picture for each turn, on the board where it began, and one of the game as it stands.

    Raises
    ------
    ValueError
        For another view.

    Notes
    -----
    The numbers of the points are the mover's in each turn, as the plays have them.
    """
    names = {
        c: f"{NAMES[c]} ({who})" if who else NAMES[c] for c, who in (("W", white), ("B", black))
    }
    title = title or f"{names['W']} – {names['B']}"
    entries, figures = [], []

    def add(label: str, picture: str, name: str) -> None:
        entries.append(f'<li><a href="#{name}">{escape(label)}</a></li>')
        figures.append(f'<figure id="{name}">\n{picture}\n</figure>')

    for i, move in enumerate(game.moves):
        # As in a record, a number for each pair of turns; the dice in the order thrown.
        label = f"{i // 2 + 1}. {NAMES[move.color]} {move.dice[0]}-{move.dice[1]}: {move.play}"
        picture = svg(move.play, view=view, color=move.color, size=None, caption=label)
        add(label, picture, f"turn-{i + 1}")
    status = make_scene(game).status
    add(status, svg(game, view=view, size=None, caption=status), "end")
    buttons = "".join(
        f'<button name="{name}" aria-label="{label}">{sign}</button> '
        for name, sign, label in _BUTTONS
    )
    body = (
        f"<h1>{escape(title)}</h1>\n"
        f"<p>{escape(rules_text(game.rules))}: {escape(status)}</p>\n"
        f'<nav>{buttons}<span id="counter"></span></nav>\n'
        '<div id="list">\n<ol>\n' + "\n".join(entries) + "\n</ol>\n</div>\n"
        "<main>\n" + "\n".join(figures) + "\n</main>"
    )
    return page(title, body, style=_STYLE, script=_SCRIPT)

"""How Sphinx builds this site: ``python3 run.py docs``, or ``sphinx-build docs build/docs``."""

import ast
import re
import sys
from pathlib import Path

import brade_fast
from brade_fast import _core

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

project = "brade_fast"
author = "The brade_fast developers"
copyright = "2026, the brade_fast developers"
version = release = brade_fast.__version__

nitpicky = True  # a name that leads nowhere is a warning, and warnings are errors
extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc", "board_directive"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["build"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_title = f"brade_fast {version}"
highlight_language = "none"

autodoc_typehints = "none"
autodoc_preserve_defaults = True  # rules=BRADE, not all that BRADE holds
autosummary_generate = False
autodoc_member_order = "bysource"
numpydoc_show_class_members = False


def _stub() -> dict[str, str]:
    """The signatures of the core, which carries none, from its stub: by qualified name."""
    found = {}
    tree = ast.parse(Path(_core.__file__).with_name("_core.pyi").read_text(encoding="utf-8"))
    for node in tree.body:
        owner = f"{node.name}." if isinstance(node, ast.ClassDef) else ""
        for function in node.body if isinstance(node, ast.ClassDef) else [node]:
            if isinstance(function, ast.FunctionDef):
                found[owner + function.name] = _signature(function.args, bool(owner))
    return found


def _signature(arguments: ast.arguments, is_method: bool) -> str:
    for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]:
        argument.annotation = None
    for rest in (arguments.vararg, arguments.kwarg):
        if rest is not None:
            rest.annotation = None
    if is_method and arguments.args and arguments.args[0].arg == "self":
        del arguments.args[0]
    # What the stub leaves open: the rules are always bräde's, the steps none.
    return f"({ast.unparse(arguments)})".replace("rules=...", "rules=BRADE").replace("=...", "=()")


STUB = _stub()


def core_signature(app, what, name, obj, options, signature, returns):
    """Answers autodoc's question for a signature that it could not find."""
    known = STUB.get(name.removeprefix("brade_fast."))
    if type(obj).__name__ == "getset_descriptor":
        return None, None  # a property has none; numpydoc must not be asked
    if known is not None and getattr(obj, "__module__", _core.__name__) == _core.__name__:
        return known, None
    return None


def without_last_empty_line(app, docname, source):
    """Doctest needs an empty line behind what is printed; readers do not."""
    source[0] = re.sub(r"\n\n([ ]*```\n)(?=\n|\Z)", r"\n\1", source[0])


def setup(app):
    app.connect("source-read", without_last_empty_line)
    # Before numpydoc, which stumbles over what Cython says of its classes.
    app.connect("autodoc-process-signature", core_signature, priority=400)

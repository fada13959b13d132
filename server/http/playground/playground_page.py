"""The playground: one page that asks the server it came from, and loads nothing else."""

from __future__ import annotations

from importlib.resources import files

from tokalign.showing.page import page_data, page_of
from tokalign.types.relations import RELATION_SIGNS

_MODULES = (
    "dom.js",
    "stage.js",
    "matrix.js",
    "examples.js",
    "calls.js",
    "answers.js",
    "playground_page.js",
)


def playground_page() -> str:
    """Return the HTML of the page."""
    body = files(__package__).joinpath("body.html").read_text(encoding="utf-8")
    data = page_data({"signs": RELATION_SIGNS})
    return page_of(
        "playground", "tokalign playground", body + data, __package__, _MODULES, calls_home=True
    )

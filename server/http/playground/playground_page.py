"""The playground: one page that asks the server it came from, and loads nothing else."""

from __future__ import annotations

import json
from importlib.resources import files

from tokalign.grounding.evidence import evidence_page
from tokalign.showing.painting import page_data, page_of
from tokalign.texts.diff import diff_page
from tokalign.types.relations import RELATION_SIGNS

_MODULES = (
    "playground.css",
    "dom.js",
    "stage.js",
    "matrix.js",
    "calls.js",
    "answers.js",
    "playground_page.js",
)


def playground_page() -> str:
    """Return the HTML of the page."""
    here = files(__package__)
    body = here.joinpath("body.html").read_text(encoding="utf-8")
    examples = json.loads(here.joinpath("examples.json").read_text(encoding="utf-8"))
    return page_of(
        "playground",
        "tokalign playground",
        body + page_data({"signs": RELATION_SIGNS, "examples": examples}),
        __package__,
        _MODULES,
        calls_home=True,
        frames=(evidence_page.SCRIPT, diff_page.SCRIPT),
    )

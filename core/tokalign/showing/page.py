"""Pages that need no network and let nothing run or load but their own style and script."""

from __future__ import annotations

import base64
import hashlib
import re
from html import escape
from importlib.resources import files

from tokalign.showing.text import visible


def page_of(room: str, title: str, body: str) -> str:
    """Return the HTML of a page.

    Its content policy names style and script by their hashes, so nothing else can run or load.

    Parameters
    ----------
    room : str
        Package that holds the page's ``page.css`` and ``page.js``.
    title, body : str
        HTML; see `page_text`.
    """
    style, script = (
        files(room).joinpath(f"page.{ending}").read_text(encoding="utf-8")
        for ending in ("css", "js")
    )
    parts = {
        "STYLE HASH": _hash(style),
        "SCRIPT HASH": _hash(script),
        "TITLE": title,
        "STYLE": style,
        "SCRIPT": script,
        "BODY": body,
    }
    page = files("tokalign.showing").joinpath("page.html").read_text(encoding="utf-8")
    return re.sub(r"\{\{([A-Z ]+)\}\}", lambda found: parts[found[1]], page)


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def page_text(text: str) -> str:
    """Return a text as a page writes it; nothing in it is markup."""
    return escape(visible(text))

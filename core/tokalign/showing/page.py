"""Pages that need no network, and only run and load their own style and script."""

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files

from tokalign.showing.text import visible

_IMPORT = re.compile(r"^import .*? from \"\./[\w.]+\";\n", re.MULTILINE | re.DOTALL)
_EXPORT = re.compile(r"^export ", re.MULTILINE)


def page_of(
    kind: str,
    title: str,
    body: str,
    package: str,
    modules: Sequence[str],
    *,
    calls_home: bool = False,
    frames: Sequence[tuple[str, Sequence[str]]] = (),
) -> str:
    """Return the HTML of a page.

    Its content policy names style and script by their hashes, so nothing else can run or load.

    Parameters
    ----------
    kind : str
        Class of the page's body, for which the style sheet of all pages, ``pages.css``, has rules.
    title, body : str
        HTML; see `page_text` and `page_data`.
    package : str
        Package that holds JavaScript modules of the page.
    modules : sequence of str
        Files of the package, or of this one, that replace the page's script: each after those that
        it imports. All share one scope, so their names must differ. And style sheets of the page
        alone.
    calls_home : bool
        Whether the page may call the server that it came from.
    frames : sequence of (package, modules)
        Scripts of pages that this one may show in frames.
    """
    sheets = [_read("tokalign.showing", "pages.css"), *_sheets(package, modules)]
    script = _script(package, modules)
    # Pages in frames are blobs, which inherit this policy.
    framed = " ".join(["", *(f"'{_hash(_script(*each))}'" for each in frames)])
    parts = {
        "STYLES": " ".join(f"'{_hash(sheet)}'" for sheet in sheets),
        "SCRIPTS": f"'{_hash(script)}'{framed.rstrip()}",
        "CALLS": " connect-src 'self';" * calls_home + " frame-src blob:;" * bool(frames),
        "KIND": kind,
        "TITLE": title,
        "STYLE": "\n".join(f"<style>{sheet}</style>" for sheet in sheets),
        "SCRIPT": script,
        "BODY": body,
    }
    page = _read("tokalign.showing", "page.html")
    return re.sub(r"\{\{([A-Z ]+)\}\}", lambda found: parts[found[1]], page)


def _script(package: str, modules: Sequence[str]) -> str:
    return "\n".join(_joined(package, name) for name in modules if not name.endswith(".css"))


def _sheets(package: str, modules: Sequence[str]) -> list[str]:
    return [_read(package, name) for name in modules if name.endswith(".css")]


def _read(package: str, name: str) -> str:
    return files(package).joinpath(name).read_text(encoding="utf-8")


def _joined(package: str, name: str) -> str:
    """Return a module without its imports and exports."""
    is_shared = files("tokalign.showing").joinpath(name).is_file()
    text = _read("tokalign.showing" if is_shared else package, name)
    return _EXPORT.sub("", _IMPORT.sub("", text))


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def page_text(text: str) -> str:
    """Return a text escaped for a page."""
    return escape(visible(text))


def page_data(data: Mapping[str, object]) -> str:
    """Return the element with the id ``data`` that holds escaped JSON."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return f'<script type="application/json" id="data">{text}</script>'

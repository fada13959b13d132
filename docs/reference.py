"""Hooks of MkDocs that make the API reference from docstrings (mkdocs.yml).

    mkdocs build            (make docs)

The site holds the pages of docs/ and one page for each of MODULES. The build fails if a link
between them leads nowhere, or if a docstring describes a parameter that does not exist.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
COPIED = ROOT / "build" / "reference-sources" / "tokalign"
"""The package's three folders as one, as they are when installed."""

MODULES = (
    "tokalign",
    "tokalign.client",
    "tokalign.types",
    "tokalign.types.columns",
    "tokalign.types.relations",
    "tokalign.types.relations",
    "tokalign.types.grounding",
    "tokalign.functions",
    "tokalign.types.texts",
    "tokalign.formats",
    "tokalign.formats.ists",
    "tokalign.english.values",
    "tokalign.english.spelling",
    "tokalign.evaluate",
    "tokalign.model.training",
    "tokalign.english.annotate",
    "tokalign.view",
    "tokalign.arrow",
    "tokalign.batches.processes",
)
"""Modules that users import."""

_COMMENT = re.compile("<!--.*?-->")
_OUTWARD = re.compile(r"\[([^\]]*)\]\(\.\./([^)#\s]*)(?:#[^)]*)?\)")


def on_startup(**_: object) -> None:
    """Copy the sources of the package into one folder; docstrings are read without imports.

    Before the plugins start: they leave out folders that do not exist then.
    """
    shutil.rmtree(COPIED, ignore_errors=True)
    for source, target in (("core/tokalign", ""), ("server", "server"), ("client", "client")):
        ignored = shutil.ignore_patterns("*.so", "*.c", "*.pyx", "*.pxd", "data", "__pycache__")
        shutil.copytree(ROOT / source, COPIED / target, ignore=ignored)


def on_files(files: Files, config: Any) -> None:
    """Add a page for each module."""
    for name in MODULES:
        text = f"# {name}\n\n::: {name}\n"
        files.append(File.generated(config, f"reference/{name}.md", content=text))


def on_page_markdown(markdown: str, **_: object) -> str:
    """Name the files of the repository, which are no part of the site, and leave out comments."""
    return _COMMENT.sub("", _OUTWARD.sub(r"\1 (`\2`)", markdown))

"""Writes the JSON Schemas of what `ground` and `diff` write, beside the pages.

    python docs/schemas.py                    (make docs)

They are made of the structs of tokalign.server.http.json_texts. A test fails where a file differs.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tokalign.server.http.json_texts import JsonBadLine, JsonDifference, JsonGrounding
from tokalign.server.http.openapi import schemas_of

FOLDER = Path(__file__).resolve().parent


def schemas() -> dict[Path, dict[str, Any]]:
    """Return each schema under the path of its file."""
    (evidence, bad_line, difference), _ = _made(JsonGrounding, JsonBadLine, JsonDifference)
    return {
        FOLDER / "ground.schema.json": _document(
            "Evidence for an answer",
            {"oneOf": [evidence, bad_line]},
            JsonGrounding,
            JsonBadLine,
        ),
        FOLDER / "diff.schema.json": _document(
            "What changed from one text to another", difference, JsonDifference
        ),
    }


def _made(*kinds: type) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    return schemas_of(kinds, "#/$defs/{name}")


def _document(title: str, schema: dict[str, Any], *kinds: type) -> dict[str, Any]:
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title}
    return head | schema | {"$defs": _made(*kinds)[1]}


def main() -> None:
    """Write the files."""
    for path, schema in schemas().items():
        path.write_text(json.dumps(schema, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

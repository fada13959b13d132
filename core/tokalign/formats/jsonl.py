"""The native streaming format: one JSON object per line, without loss.

::

    {"id": "1", "source": ["A", "dog"], "target": ["Dogs"], "links": [[1, 0]], "possible": []}

``source`` and ``target`` are a list of tokens, or an object with ``tokens`` and any of ``text``,
``offsets`` (``[[start, end], ...]`` into the text), ``tags``, ``lemmas``, ``heads`` (0-based, -1
root) and ``relations``. ``links`` are the sure links, ``[i, j]`` or ``[i, j, confidence]``; they
are required, if only as ``[]``. Other fields are ignored, so that an aligner's output can be read
as gold or predictions; a field that looks like a misspelt ``links`` or ``possible`` is an error.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from tokalign.errors import FormatError, InputError, quoted
from tokalign.formats.document import Document, Format, Options, make_pair
from tokalign.types import GoldPair
from tokalign.types.inputs import read_object, require_unicode
from tokalign.types.objects import sentence_from_json, sentence_to_json
from tokalign.types.relations import RelationKind


def read(document: Document, options: Options) -> Iterator[GoldPair]:
    """Yield pairs as their lines arrive; the default id is the line number."""
    for line, text in document.lines:
        if not text.strip():
            continue
        try:
            item = read_object(text)
            name = item.get("id", line)
            if not isinstance(name, str | int):
                raise FormatError(f"field 'id' is {quoted(name)}; wanted a string")
            name = require_unicode(str(name), "id")
            source, target = (
                sentence_from_json(item.get(side), side) for side in ("source", "target")
            )
        except InputError as error:
            raise document.error(str(error), line) from error
        if options.needs_links and (fault := _fault_of_fields(tuple(item))):
            raise document.error(fault, line)
        yield make_pair(
            document,
            line,
            name,
            source,
            target,
            _links(document, line, item, "links"),
            _links(document, line, item, "possible"),
        )


@lru_cache(maxsize=16)  # lines of a file have the same fields
def _fault_of_fields(fields: tuple[str, ...]) -> str:
    """Return the fault of an object's fields, in words; empty if they hold its links."""
    from difflib import get_close_matches

    plain = {name.casefold(): name for name in fields if name not in ("links", "possible")}
    for wanted in ("links", "possible"):
        if wanted not in fields and (near := get_close_matches(wanted, plain, 1, 0.8)):
            return f"field {quoted(plain[near[0]])} is unknown; wanted '{wanted}'"
    if "links" not in fields:
        return (
            "field 'links' is missing; wanted a list of [source index, target index], [] if no "
            "words are linked"
        )
    return ""


def read_confidences(document: Document) -> Iterator[dict[tuple[int, int], float]]:
    """Yield each line's links with their confidence, 1 by default."""
    for line, text in document.lines:
        if text.strip():
            confidences = {}
            for i, j, *rest in json.loads(text).get("links", []):
                value = rest[0] if rest else 1.0
                if not isinstance(value, int | float) or not 0.0 <= value <= 1.0:
                    raise document.error(
                        f"link {quoted(i)}-{quoted(j)} has confidence {quoted(value)}; "
                        f"wanted a number in [0, 1]",
                        line,
                    )
                confidences[i, j] = float(value)
            yield confidences


def read_relations(document: Document) -> Iterator[dict[tuple[int, int], str]]:
    """Yield each line's given kinds of relations, by link."""
    for line, text in document.lines:
        if not text.strip():
            continue
        found = {}
        for each in json.loads(text).get("relations", []):
            if not isinstance(each, list) or len(each) < 3 or each[2] not in list(RelationKind):
                raise document.error(
                    f"field 'relations' holds {quoted(each)}; wanted [source index, target index, "
                    f"one of {', '.join(RelationKind)}]",
                    line,
                )
            found[each[0], each[1]] = each[2]
        yield found


def _links(
    document: Document, line: int, item: Mapping[str, Any], key: str
) -> Iterator[tuple[int, int]]:
    links = item.get(key, [])
    if not isinstance(links, list):
        raise document.error(f"field {quoted(key)} is {type(links).__name__}; wanted a list", line)
    for link in links:
        is_pair = isinstance(link, list) and len(link) in (2, 3)
        if not is_pair or not all(type(index) is int for index in link[:2]):
            raise document.error(
                f"field {quoted(key)} holds {quoted(link)}; wanted [source index, target index]",
                line,
            )
        yield link[0], link[1]


def write(pairs: Iterable[GoldPair], options: Options) -> Iterator[str]:
    for pair in pairs:
        item = {
            "id": pair.id,
            "source": sentence_to_json(pair.source),
            "target": sentence_to_json(pair.target),
            "links": sorted(pair.sure),
            "possible": sorted(pair.possible),
        }
        yield json.dumps(item, ensure_ascii=False) + "\n"


def recognise(head: list[str]) -> bool:
    """Tell whether the first line opens a JSON object."""
    return head[0].lstrip(" \t").startswith("{")


FORMAT = Format(
    "jsonl", "one JSON object per line; keeps text, offsets and annotation", read, write, recognise
)

"""jacana-align's JSON: one array of objects with whole sentences and Pharaoh strings.

``{"id", "name", "source", "target", "sureAlign": "0-0 1-2", "possibleAlign": "", "score"}``;
tokens are separated by white space, indices are 0-based, source first. A link listed as both sure
and possible is sure.

References
----------
Yao, Van Durme, Callison-Burch and Clark (2013), ACL: A Lightweight and High Performance
Monolingual Word Aligner.
"""

import json
from collections.abc import Iterable, Iterator

from tokalign.errors import InputError, quoted
from tokalign.formats.document import (
    Document,
    Format,
    Options,
    join_tokens,
    make_text_pair,
    plain_links,
)
from tokalign.types import GoldPair
from tokalign.types.inputs import json_error, require_unicode


def read(document: Document, options: Options) -> Iterator[GoldPair]:
    text = "\n".join(line for _, line in document.lines)
    for line, item in _items(document, text):
        if not isinstance(item, dict):
            raise document.error(f"saw {type(item).__name__}; wanted an object per pair", line)
        values = {}
        for key in ("source", "target", "sureAlign", "possibleAlign"):
            value = item.get(key, "" if key == "possibleAlign" else None)
            if not isinstance(value, str):
                raise document.error(
                    f"field {quoted(key)} is {quoted(value)}; wanted a string", line
                )
            values[key] = value
        name = item.get("id", item.get("name"))
        if not isinstance(name, str | int):
            raise document.error(f"field 'id' is {quoted(name)}; wanted a string", line)
        try:
            for key, value in {"id": str(name), **values}.items():
                require_unicode(value, key)
        except InputError as error:
            raise document.error(str(error), line) from error
        source, target, sure, possible = values.values()
        sides, links = (source, target), (sure, possible)
        yield make_text_pair(document, line, str(name), sides, links, options)


def _items(document: Document, text: str) -> Iterator[tuple[int, object]]:
    """Yield each member of the top-level array with the line it starts on."""
    decoder = json.JSONDecoder()
    position, counted, line = _skip(text, 0), 0, 1
    closing = "["
    while text[position : position + 1] == closing[0]:
        position = _skip(text, position + 1)
        if closing == "[" and text[position : position + 1] == "]":
            break
        line += text.count("\n", counted, position)
        counted = position
        try:
            item, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError) as error:
            where = error.lineno if isinstance(error, json.JSONDecodeError) else line
            raise document.error(json_error(error), where) from error
        yield line, item
        position = _skip(text, position)
        closing = ",]"
    line += text.count("\n", counted, position)
    if text[position : position + 1] != "]":
        seen = text[position : position + 20] or "the end of the file"
        raise document.error(f"saw {quoted(seen)}; wanted one of {quoted(' '.join(closing))}", line)
    position = _skip(text, position + 1)
    if position < len(text):
        raise document.error(f"saw {quoted(text[position:])} after the array", line)


def _skip(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t\r\n":
        position += 1
    return position


def write(pairs: Iterable[GoldPair], options: Options) -> Iterator[str]:
    separator = "[\n"
    for pair in pairs:
        item = {
            "id": pair.id,
            "name": pair.id,
            "source": join_tokens(pair, "source", "jacana"),
            "target": join_tokens(pair, "target", "jacana"),
            "sureAlign": plain_links(pair.sure),
            "possibleAlign": plain_links(pair.possible),
        }
        yield separator + json.dumps(item, ensure_ascii=False, indent=2)
        separator = ",\n"
    yield "\n]\n" if separator == ",\n" else "[]\n"


def recognise(head: list[str]) -> bool:
    """Tell whether the file is a JSON array."""
    return head[0].lstrip(" \t").startswith("[")


FORMAT = Format(
    "jacana", "jacana-align JSON with sureAlign and possibleAlign", read, write, recognise
)

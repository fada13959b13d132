"""The native streaming format: one JSON object per line, without loss.

::

    {"id": "1", "source": ["A", "dog"], "target": ["Dogs"], "links": [[1, 0]], "possible": []}

``source`` and ``target`` are a list of tokens, or an object with ``tokens`` and any of ``text``,
``offsets`` (``[[start, end], ...]`` into the text), ``tags``, ``lemmas``, ``heads`` (0-based, -1
root) and ``relations``. ``links`` are the sure links, ``[i, j]`` or ``[i, j, confidence]``; they
are required, if only as ``[]``. Other fields are ignored, so that an aligner's output can be read
as gold or predictions; a field that looks like a misspelt ``links`` or ``possible`` is an error.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import lru_cache
from typing import Any

from tokalign.errors import InputError, quoted
from tokalign.formats.document import (
    Document,
    Format,
    Options,
    json_error,
    make_pair,
    require_unicode,
    split_tokens,
)
from tokalign.types import GoldPair, Pair, Sentence, SentenceLike
from tokalign.types.constraints import NAMES, Constraints
from tokalign.types.inputs import require_sentence
from tokalign.types.objects import SENTENCE_COLUMNS, sentence_to_json
from tokalign.types.relations import RelationKind


def read(document: Document, options: Options) -> Iterator[GoldPair]:
    """Yield pairs as their lines arrive; the default id is the line number."""
    for line, text in document.lines:
        if not text.strip():
            continue
        try:
            item = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise document.error(
                f"{json_error(error)}; wanted one object per line", line
            ) from error
        if not isinstance(item, dict):
            raise document.error(f"saw {type(item).__name__}; wanted an object", line)
        name = item.get("id", line)
        if not isinstance(name, str | int):
            raise document.error(f"field 'id' is {quoted(name)}; wanted a string", line)
        try:
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


def sentence_from_json(value: object, field: str) -> Sentence:
    """Return the sentence of a JSON token list or object; see the module.

    The field, such as ``"source"``, is for messages. InputError if a column has the wrong type or
    length, an offset lies outside the text, or a string holds half a surrogate pair.
    """
    if isinstance(value, list):
        value = {"tokens": value}
    if not isinstance(value, dict):
        raise InputError(
            f"field {quoted(field)} is {type(value).__name__}; wanted a list of tokens "
            f"or an object with "
            "tokens",
            field=field,
        )
    tokens = _column(value, "tokens", str, field)
    if tokens is None:
        raise InputError(f"field '{field}.tokens' is missing", field=f"{field}.tokens")
    text = value.get("text")
    if text is not None and not isinstance(text, str):
        raise InputError(f"field '{field}.text' is not a string", field=f"{field}.text")
    require_unicode(text or "", f"{field}.text")
    kinds = {"heads": int}
    columns = {name: _column(value, name, kinds.get(name, str), field) for name in SENTENCE_COLUMNS}
    offsets = value.get("offsets")
    if offsets is None:
        return Sentence.from_tokens(tokens, text=text, **columns)
    if text is None:
        raise InputError(f"field '{field}.offsets' needs '{field}.text'", field=f"{field}.text")
    starts, ends = _spans(offsets, text, len(tokens), field)
    return Sentence.from_tokens(tokens, **columns).replace(text=text, starts=starts, ends=ends)


def pair_from_json(value: Mapping[str, Any], *, is_tokenized: bool = False) -> Pair:
    """Return the pair to align of a JSON object, with its constraints if it has any; InputError
    if a side is not a sentence (see `sentence_like`), or a constraint is wrong."""
    source, target = (
        sentence_like(value.get(side), side, is_tokenized=is_tokenized)
        for side in ("source", "target")
    )
    given = {field: value[field] for field in NAMES if value.get(field) is not None}
    return (source, target, Constraints(**given)) if given else (source, target)


def sentence_like(value: object, field: str, *, is_tokenized: bool = False) -> SentenceLike:
    """Return the sentence of a JSON value: a string, tokens, or an object with columns;
    InputError if it is another value, or empty."""
    if isinstance(value, dict) and "tokens" not in value and "text" in value:
        value = value["text"]
    if isinstance(value, str):
        if not value.strip():
            raise InputError(f"field {quoted(field)} is empty", field=field)
        return split_tokens(value) if is_tokenized else value
    sentence: Sentence = sentence_from_json(value, field)
    if not sentence.tokens:
        raise InputError(f"field {quoted(field)} has no tokens", field=field)
    if isinstance(value, list):
        require_sentence(value, field)  # sentences in a list are a mistake
    return sentence


def _column(value: Mapping[str, Any], name: str, kind: type, field: str) -> Any:
    column = value.get(name)
    if column is None:
        return None
    if not isinstance(column, list) or not all(type(entry) is kind for entry in column):
        raise InputError(
            f"field '{field}.{name}' is not a list of {kind.__name__}", field=f"{field}.{name}"
        )
    if kind is str:
        require_unicode(" ".join(column), f"{field}.{name}")
    return column


def _spans(
    offsets: object, text: str, n_tokens: int, field: str
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    where = f"{field}.offsets"
    if not isinstance(offsets, list) or len(offsets) != n_tokens:
        raise InputError(f"field '{where}' does not hold one [start, end] a token", field=where)
    for span in offsets:
        good = isinstance(span, list) and len(span) == 2 and all(type(x) is int for x in span)
        if not good or not 0 <= span[0] <= span[1] <= len(text):
            raise InputError(
                f"field '{where}' holds {quoted(span)}; wanted [start, end] within the text's "
                f"{len(text)} characters",
                field=where,
            )
    return tuple(span[0] for span in offsets), tuple(span[1] for span in offsets)


def write(pairs: Iterable[GoldPair], options: Options) -> Iterator[str]:
    """Yield one line per pair."""
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

__all__ = [
    "FORMAT",
    "pair_from_json",
    "read",
    "read_confidences",
    "sentence_from_json",
    "sentence_like",
    "sentence_to_json",
    "write",
]

"""Pharaoh links (``0-0 1-2 3p4``), alone or on one line with their sentences.

``pharaoh`` holds links only, one pair per line; reading pairs needs the parallel text. ``parallel``
holds complete pairs, ``source ||| target ||| links`` (or tab separated); it is written with
``|||``.

Aligners add fields, which are dropped: SimAlign writes the pair's number and a tab before the
links, fast_align ``|||`` and the pair's score after them.

References
----------
Koehn (2004), AMTA: Pharaoh. SimAlign and awesome-align write ``p`` for possible links.
"""

import re
from collections.abc import Iterable, Iterator

from tokalign.formats.document import (
    Document,
    Format,
    Options,
    format_links,
    join_tokens,
    make_pair,
    make_text_pair,
    open_document,
    parse_links,
    sentence_of,
)
from tokalign.types import GoldPair, Links
from tokalign.types.inputs import split_tokens

_SEPARATOR = "|||"
_LINK_LIKE = re.compile(r"\d+[-p?]\d+([-:][\d.eE+-]+)?")
_NUMBERED = re.compile(r"\d+\t")
_SCORE = re.compile(r"\s*-?(?:\d[\d.eE+-]*|inf|nan)\s*")


def split_parallel(document: Document, line: int, text: str, n_fields: int) -> list[str]:
    """Return the fields of a ``|||`` or tab-separated line; FormatError if there are not exactly
    `n_fields`. ``|||`` wins over tabs."""
    if _SEPARATOR in text:
        fields, what = text.split(_SEPARATOR), "'|||'"
    else:
        fields, what = text.split("\t"), "'|||' or a tab"
    if len(fields) != n_fields:
        raise document.error(
            f"saw {len(fields)} fields; wanted {n_fields} with {what} between them", line
        )
    return fields


def read_text(options: Options) -> Iterator[tuple[str, Document, int, str, str]]:
    """Yield (id, document, line, source, target) of the parallel text named in the options."""
    if len(options.text) == 1:
        document = open_document(options.text[0])
        for line, text in document.lines:
            source, target = split_parallel(document, line, text, 2)
            yield str(line), document, line, source, target
        return
    source_document, target_document = (open_document(path) for path in options.text)
    for line, source in source_document.lines:
        other = next(target_document.lines, None)
        if other is None:
            raise target_document.error(
                f"ends after line {line - 1}, but {source_document.name} has more lines; "
                "wanted one line per pair in both",
                line,
            )
        yield str(line), target_document, line, source, other[1]
    extra = next(target_document.lines, None)
    if extra is not None:
        raise target_document.error(
            f"has more lines than {source_document.name}; wanted one line per pair in both",
            extra[0],
        )


def read_links(
    document: Document, options: Options | None = None
) -> Iterator[tuple[int, Links, Links]]:
    """Yield (line, sure, possible) for every line; an empty line is a pair without links."""
    for line, text in document.lines:
        yield line, *parse_links(_links_part(text), document, line, options)


def _links_part(text: str) -> str:
    """Return a line without the number before its links and the score after them."""
    numbered = _NUMBERED.match(text)
    links, separator, score = text[numbered.end() if numbered else 0 :].partition(_SEPARATOR)
    return links if not separator or _SCORE.fullmatch(score) else text


def read(document: Document, options: Options) -> Iterator[GoldPair]:
    """Yield pairs from links and the parallel text in ``options.text``."""
    texts = read_text(options)
    count = 0
    for line, sure, possible in read_links(document, options):
        row = next(texts, None)
        if row is None:
            raise document.error(
                f"links of pair {line}, but {options.text[0]} has only {count} pairs", line
            )
        count += 1
        name, text_document, text_line, source, target = row
        yield make_pair(
            document,
            line,
            name,
            sentence_of(text_document, text_line, split_tokens(source)),
            sentence_of(text_document, text_line, split_tokens(target)),
            sure,
            possible,
        )
    if next(texts, None) is not None:
        raise document.error(
            f"ends after {count} lines, but {options.text[0]} has more pairs; "
            "wanted one line of links per pair"
        )


def write(pairs: Iterable[GoldPair], options: Options) -> Iterator[str]:
    for pair in pairs:
        yield format_links(pair, options) + "\n"


def read_parallel(document: Document, options: Options) -> Iterator[GoldPair]:
    """Yield pairs from ``source ||| target ||| links`` lines; the id is the line number."""
    for line, text in document.lines:
        if not text.strip():
            raise document.error("empty line; wanted source ||| target ||| links", line)
        before, _, score = text.rpartition(_SEPARATOR)
        if _SEPARATOR in before and _SCORE.fullmatch(score) and not _is_links(score):
            text = before
        source, target, links = split_parallel(document, line, text, 3)
        yield make_text_pair(document, line, str(line), (source, target), (links, ""), options)


def write_parallel(pairs: Iterable[GoldPair], options: Options) -> Iterator[str]:
    """Yield ``source ||| target ||| links`` lines."""
    for pair in pairs:
        sides = [join_tokens(pair, side, "parallel", _SEPARATOR) for side in ("source", "target")]
        yield " ||| ".join([*sides, format_links(pair, options)]).rstrip(" ") + "\n"


def _is_links(text: str) -> bool:
    items = split_tokens(text)
    return bool(items) and all(_LINK_LIKE.fullmatch(item) for item in items)


def recognise(head: list[str]) -> bool:
    """Tell whether every line of the head is made of Pharaoh links, and some has one."""
    parts = [_links_part(line) for line in head]
    return any(map(_is_links, parts)) and all(_is_links(part) or not part.strip() for part in parts)


def recognise_parallel(head: list[str]) -> bool:
    """Tell whether the first line is two sentences and links."""
    text = head[0]
    fields = text.split(_SEPARATOR) if _SEPARATOR in text else text.split("\t")
    has_score = len(fields) == 4 and _SCORE.fullmatch(fields[3]) is not None
    return (len(fields) == 3 or has_score) and (not fields[2].strip() or _is_links(fields[2]))


PHARAOH = Format(
    "pharaoh",
    "Pharaoh links, one pair per line; reading pairs needs the parallel text",
    read,
    write,
    recognise,
    needs_text=True,
)
PARALLEL = Format(
    "parallel",
    "source ||| target ||| Pharaoh links, or the same tab separated",
    read_parallel,
    write_parallel,
    recognise_parallel,
)

"""The shared tasks' format (NAACL 2003, WPT 2005): one link per line.

``sentence_number source_position target_position [S|P] [confidence]``, positions 1-based; a link
without a mark is sure. Sure links count as possible too, so `possible` here holds the others. A
position 0 stands for NULL and gives no link. Reading needs the parallel text, plain or with ``<s
snum=0001> ... </s>`` around each sentence; sentence numbers are the snum or the line number.

References
----------
Mihalcea and Pedersen (2003), An Evaluation Exercise for Word Alignment.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from tokalign.errors import quoted
from tokalign.formats import pharaoh
from tokalign.formats.document import (
    Document,
    Format,
    Options,
    make_pair,
    sentence_of,
    split_tokens,
)
from tokalign.types import GoldPair

_ROW = re.compile(r"\s*(\S+)\s+(\d{1,9})\s+(\d{1,9})(?:\s+([SP]))?(?:\s+[\d.]+(?:[eE]-?\d+)?)?\s*")


LinkRows: TypeAlias = dict[str, list[tuple[int, tuple[int, int], bool]]]
"""Sentence number -> (line, link, is it sure); position 0 (NULL) is left out."""


def read_rows(document: Document, options: Options | None = None) -> LinkRows:
    """Return the links of every sentence with links, by number without leading zeros."""
    options = options or Options()
    rows: LinkRows = {}
    for line, text in document.lines:
        if not text.strip():
            continue
        match = _ROW.fullmatch(text)
        if match is None:
            raise document.error(
                f"saw {quoted(text)}; wanted 'sentence source target [S|P] [confidence]'", line
            )
        links = rows.setdefault(_number(match[1]), [])
        i, j = int(match[2]) - 1, int(match[3]) - 1
        if options.reverse:
            i, j = j, i
        if i >= 0 and j >= 0:
            links.append((line, (i, j), match[4] != "P"))
    return rows


def read(document: Document, options: Options) -> Iterator[GoldPair]:
    """Yield one pair for every sentence of the parallel text, with or without links."""
    rows = read_rows(document, options)
    for name, text_document, text_line, source, target in pharaoh.read_text(options):
        links = rows.pop(_number(name), [])
        yield make_pair(
            document,
            links[0][0] if links else None,
            name,
            sentence_of(text_document, text_line, split_tokens(source)),
            sentence_of(text_document, text_line, split_tokens(target)),
            [link for _, link, is_sure in links if is_sure],
            [link for _, link, is_sure in links if not is_sure],
        )
    for name, links in rows.items():
        line = links[0][0] if links else None
        raise document.error(f"sentence {quoted(name)} is not in {options.text[0]}", line)


def _number(name: str) -> str:
    """Return a sentence number without leading zeros, since files differ in them."""
    return name.lstrip("0") or "0"


def write(pairs: Iterable[GoldPair], options: Options) -> Iterator[str]:
    """Yield one line per link; sentence numbers are positions of pairs, from 1."""
    for number, pair in enumerate(pairs, 1):
        for i, j in sorted(pair.sure | pair.possible):
            mark = "S" if (i, j) in pair.sure else "P"
            first, second = (j, i) if options.reverse else (i, j)
            yield f"{number} {first + 1} {second + 1} {mark}\n"


def recognise(head: list[str]) -> bool:
    """Tell whether every line of the head is three numbers, maybe a mark."""
    return all(_ROW.fullmatch(line) and line.split()[0].isdigit() for line in head)


FORMAT = Format(
    "naacl",
    "NAACL 2003 and WPT 2005: one link a line; reading needs the parallel text",
    read,
    write,
    recognise,
    needs_text=True,
)

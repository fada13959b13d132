"""The shared tasks' format (NAACL 2003, WPT 2005): one link a line.

``sentence_number source_position target_position [S|P] [confidence]``, positions 1-based; a link
without a mark is sure, and sure links count as possible too, so `possible` here holds the others.
A position 0 stands for NULL and gives no link. Reading needs the parallel text, plain or with
``<s snum=0001> ... </s>`` around each sentence; sentence numbers are the snum or the line number.

References
----------
Mihalcea and Pedersen (2003), An Evaluation Exercise for Word Alignment.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from tokalign.formats import pharaoh
from tokalign.formats._common import (
    Document,
    Format,
    Options,
    make_pair,
    sentence_of,
    split_tokens,
)
from tokalign.types import GoldPair

_ROW = re.compile(r"\s*(\S+)\s+(\d+)\s+(\d+)(?:\s+([SP]))?(?:\s+[\d.]+(?:[eE]-?\d+)?)?\s*")


def read(document: Document, options: Options) -> Iterator[GoldPair]:
    """Yield one pair for every sentence of the parallel text, with or without links."""
    rows: defaultdict[str, list[tuple[int, tuple[int, int], bool]]] = defaultdict(list)
    for line, text in document.lines:
        if not text.strip():
            continue
        match = _ROW.fullmatch(text)
        if match is None:
            raise document.error(
                f"saw {text[:60]!r}; wanted 'sentence source target [S|P] [confidence]'", line
            )
        link = (int(match[2]) - 1, int(match[3]) - 1)
        if options.reverse:
            link = link[::-1]
        rows[_number(match[1])].append((line, link, match[4] != "P"))
    for name, text_document, text_line, source, target in pharaoh.read_text(options):
        source_sentence = sentence_of(text_document, text_line, split_tokens(source))
        target_sentence = sentence_of(text_document, text_line, split_tokens(target))
        links = rows.pop(_number(name), [])
        first = links[0][0] if links else None
        yield make_pair(
            document,
            first,
            name,
            source_sentence,
            target_sentence,
            [link for _, link, is_sure in links if is_sure and min(link) >= 0],
            [link for _, link, is_sure in links if not is_sure and min(link) >= 0],
        )
    for name, links in rows.items():
        raise document.error(f"sentence {name} is not in {options.text[0]}", links[0][0])


def _number(name: str) -> str:
    """Return a sentence number without leading zeros, as the files disagree about them."""
    return name.lstrip("0") or "0"


def write(pairs: Iterable[GoldPair], options: Options) -> Iterator[str]:
    """Yield one line a link; the sentence number is the place of the pair, from 1."""
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

"""MultiMWA's TSV: one pair per line.

Columns: id, sentence 1, N/A, sentence 2, N/A, 1, 1, sure links, possible links, and sometimes
empty ones after them. Links are 0-based Pharaoh, sentence 1 first, in any order.

References
----------
Lan, Jiang and Xu (2021), EMNLP: Neural semi-Markov CRF for Monolingual Word Alignment.
"""

from collections.abc import Iterable, Iterator

from tokalign.formats.document import (
    Document,
    Format,
    Options,
    join_tokens,
    make_text_pair,
    one_line,
    plain_links,
)
from tokalign.types import GoldPair

_SURE, _POSSIBLE = 7, 8


def read(document: Document, options: Options) -> Iterator[GoldPair]:
    for line, row in document.lines:
        if not row.strip():
            continue
        columns = row.split("\t")
        if len(columns) <= _SURE:
            raise document.error(
                f"saw {len(columns)} tab-separated columns; wanted at least 8 "
                "(id, sentence, N/A, sentence, N/A, 1, 1, sure links, possible links)",
                line,
            )
        links = columns[_SURE], columns[_POSSIBLE] if len(columns) > _POSSIBLE else ""
        sides = columns[1], columns[3]
        yield make_text_pair(document, line, columns[0].strip(), sides, links, options)


def write(pairs: Iterable[GoldPair], options: Options) -> Iterator[str]:
    for pair in pairs:
        source, target = join_tokens(pair, "source", "mwa"), join_tokens(pair, "target", "mwa")
        columns = [one_line(pair.id), source, "N/A", target, "N/A", "1", "1"]
        yield "\t".join([*columns, plain_links(pair.sure), plain_links(pair.possible)]) + "\n"


def recognise(head: list[str]) -> bool:
    """Tell whether the first line has MultiMWA's columns."""
    columns = head[0].split("\t")
    return len(columns) > _SURE and columns[2] == "N/A" and columns[4] == "N/A"


FORMAT = Format(
    "mwa", "MultiMWA TSV: id, sentences, sure and possible links", read, write, recognise
)

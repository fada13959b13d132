"""Readers and writers of aligned corpora.

Every format is a `Format` in `FORMATS`; `read_gold` recognises the format of a file.
"""

import itertools
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

from tokalign.errors import FormatError, quoted
from tokalign.formats import conllu, jacana, jsonl, msr, mwa, pharaoh
from tokalign.formats.document import Document, Format, Options, decode_lines, open_document
from tokalign.types import GoldPair

FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        each.name: each
        for each in (
            msr.FORMAT,
            jacana.FORMAT,
            mwa.FORMAT,
            jsonl.FORMAT,
            conllu.FORMAT,
            pharaoh.PARALLEL,
            pharaoh.PHARAOH,
        )
    }
)
"""All formats by name, in the order in which they are tried."""

_HEAD_LINES = 20


def read_gold(
    path: str | os.PathLike[str], format: str | None = None, *, options: Options | None = None
) -> list[GoldPair]:
    """Return the pairs of a gold file.

    Parameters
    ----------
    format : str, optional
        A key of `FORMATS`; by default recognised by content.
    options : Options, optional
        Parallel text for links-only formats, index base, order.

    FormatError is raised if the content is not recognised or a line is bad; names the line;
    OSError, if the file cannot be read.
    """
    document, chosen = recognise(open_document(Path(path)), format)
    options = options or Options()
    if chosen.needs_text and not options.text:
        raise document.error(
            f"{chosen.name} files hold links without words; give the parallel text as well "
            "(--text on the command line)"
        )
    return list(chosen.read(document, options))


def recognise(document: Document, name: str | None = None) -> tuple[Document, Format]:
    """Return the document, unread, and its format: of a name, or judged by its first lines.

    FormatError is raised if no format has the name, or without one the document is empty or looks
    like no format.
    """
    if name is not None:
        return document, get_format(name)
    first = list(itertools.islice(document.lines, _HEAD_LINES))
    head = [line for _, line in first if line.strip()]
    if not head:
        raise document.error("no text in the first lines; name the format to read it anyway")
    for each in FORMATS.values():
        if each.recognise(head):
            return Document(document.name, itertools.chain(first, document.lines)), each
    raise document.error(
        f"saw {quoted(head[0])}, which starts none of {', '.join(FORMATS)}; name the format",
        first[0][0],
    )


def get_format(name: str) -> Format:
    """Return a format by name; FormatError lists the known ones."""
    try:
        return FORMATS[name]
    except KeyError:
        raise FormatError(f"format {quoted(name)} is not one of {', '.join(FORMATS)}") from None


def repeated_ids(pairs: Iterable[GoldPair]) -> list[str]:
    """Return the ids that several pairs share, in order."""
    counts = Counter(pair.id for pair in pairs)
    return [name for name, n in counts.items() if n > 1]


def clashing_ids(pairs: Iterable[GoldPair]) -> list[str]:
    """Return the ids shared by pairs with different tokens, in order.

    Repeated judgements of one pair have the same tokens, so they do not count.
    """
    tokens: defaultdict[str, set[object]] = defaultdict(set)
    for pair in pairs:
        tokens[pair.id].add((pair.source.tokens, pair.target.tokens))
    return [name for name, unlike in tokens.items() if len(unlike) > 1]


def shared_pairs(pairs: Iterable[GoldPair], others: Iterable[GoldPair]) -> list[GoldPair]:
    """Return the pairs whose tokens equal those of a pair in `others`."""
    known = {(pair.source.tokens, pair.target.tokens) for pair in others}
    return [pair for pair in pairs if (pair.source.tokens, pair.target.tokens) in known]


def write_gold(
    pairs: Iterable[GoldPair],
    path: str | os.PathLike[str],
    format: str,
    *,
    options: Options | None = None,
) -> None:
    """Write pairs to a UTF-8 file.

    FormatError is raised if the format cannot hold a token; the file then holds the pairs before
    it.
    """
    chosen = get_format(format)
    with Path(path).open("w", encoding="utf-8", newline="\n") as handle:
        for piece in chosen.write(pairs, options or Options()):
            handle.write(piece)


__all__ = [
    "FORMATS",
    "Document",
    "Format",
    "Options",
    "clashing_ids",
    "decode_lines",
    "get_format",
    "open_document",
    "read_gold",
    "recognise",
    "repeated_ids",
    "shared_pairs",
    "write_gold",
]

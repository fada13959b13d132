"""Files of interpretable similarity: chunk alignments (.wa) and chunked sentences.

A ``.wa`` file holds blocks ``<sentence id="1" status="">`` with both sentences after ``//``, their
numbered tokens, and a line for each alignment: ``8 9 <==> 11 12 // EQUI // 5 // comment``. Numbers
begin with 1; 0 stands for no partner. A sentence in chunks is ``[ Saudis ] [ to permit ]``.

References
----------
Agirre et al. (2016), SemEval: Task 2, Interpretable Semantic Textual Similarity.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tokalign.errors import FormatError, InputError, quoted
from tokalign.formats.document import Document, open_document, split_tokens
from tokalign.types.chunks import HIGHEST_SCORE, NO_ALIGNMENT, ChunkedPair, ChunkLink, TokenChunk
from tokalign.types.sentence import Sentence

MAIN_TYPES = ("EQUI", "OPPO", "SPE1", "SPE2", "SIMI", "REL", NO_ALIGNMENT, "ALIC")
EXTRA_TYPES = ("FACT", "POL")
_SENTENCE = re.compile(r'<sentence id="([^"]*)"')
_ARROW = "<==>"
_NUMBERS = re.compile(r"\s*\d{1,9}(\s+\d{1,9})*\s*")
_UNALIGNED = "-not aligned-"


def read_wa(path: str | os.PathLike[str]) -> list[ChunkedPair]:
    """Return the pairs of a ``.wa`` file.

    FormatError is raised if a line is bad; names the line; OSError, if the file cannot be read.
    """
    return list(_pairs(open_document(Path(path))))


def _pairs(document: Document) -> Iterator[ChunkedPair]:
    opened: tuple[str, int] | None = None
    sides: list[Sentence] = []
    links: list[ChunkLink] = []
    n_pairs = 0
    for line, row in document.lines:
        start = _SENTENCE.match(row)
        if start:
            if opened is not None:
                raise document.error(
                    f"a sentence begins inside of the one of line {opened[1]}", line
                )
            opened, sides, links = (start.group(1), line), [], []
        elif row.startswith("</sentence>"):
            if opened is None or len(sides) != 2:
                raise document.error("a sentence ends that has no two texts behind //", line)
            yield ChunkedPair(opened[0], sides[0], sides[1], tuple(links))
            opened = None
            n_pairs += 1
        elif row.startswith("// ") and len(sides) < 2:
            sides.append(Sentence.from_tokens(split_tokens(row[3:])))
        elif _ARROW in row:
            if opened is None or len(sides) != 2:
                raise document.error(f"saw {_ARROW} outside of a sentence", line)
            links.append(_link(document, line, row, sides))
    if opened is not None:
        raise document.error(f"the sentence of line {opened[1]} does not end")
    if not n_pairs:
        raise document.error('no pair; wanted blocks that begin with <sentence id="...">')


def _link(document: Document, line: int, row: str, sides: Sequence[Sentence]) -> ChunkLink:
    fields = row.split("//")
    if len(fields) < 3:
        raise document.error(
            f"saw {quoted(row)}; wanted tokens {_ARROW} tokens // type // score", line
        )
    numbers = fields[0].split(_ARROW)
    if len(numbers) != 2 or not all(map(_NUMBERS.fullmatch, numbers)):
        raise document.error(
            f"saw {quoted(fields[0].strip())}; wanted numbers of tokens, {_ARROW}, and others", line
        )
    chunks = []
    for side, sentence in zip(numbers, sides, strict=True):
        tokens = sorted({int(number) - 1 for number in side.split()} - {-1})
        if tokens and tokens[-1] >= len(sentence):
            raise document.error(
                f"token {tokens[-1] + 1} of a sentence of {len(sentence)} tokens", line
            )
        chunks.append(tuple(tokens))
    kind = fields[1].strip()
    main = [part for part in kind.split("_") if part in MAIN_TYPES]
    if len(main) != 1 or not set(kind.split("_")) <= {*MAIN_TYPES, *EXTRA_TYPES}:
        raise document.error(
            f"type {quoted(kind)}; wanted one of {', '.join(MAIN_TYPES)}, perhaps with "
            f"{' or '.join(EXTRA_TYPES)}",
            line,
        )
    return ChunkLink(chunks[0], chunks[1], kind, _score(document, line, fields[2].strip()))


def _score(document: Document, line: int, text: str) -> float | None:
    if text == "NIL":
        return None
    try:
        score = float(text)
    except ValueError:
        score = -1.0
    if not 0.0 <= score <= HIGHEST_SCORE:
        raise document.error(f"score {quoted(text)}; wanted a number from 0 to 5, or NIL", line)
    return score


def write_wa(pairs: Iterable[ChunkedPair], path: str | os.PathLike[str]) -> None:
    """Write pairs to a ``.wa`` file."""
    with Path(path).open("w", encoding="utf-8", newline="\n") as handle:
        for pair in pairs:
            handle.write(wa_block(pair))


def wa_block(pair: ChunkedPair) -> str:
    """Return the block of a pair, which ends in an empty line.

    FormatError is raised if a token holds white space.
    """
    lines = [f'<sentence id="{pair.id}" status="">']
    for side in (pair.source, pair.target):
        if any(split_tokens(token) != [token] for token in side.tokens):
            raise FormatError(f"pair {quoted(pair.id)}: a token of a .wa file holds no white space")
        lines.append("// " + " ".join(side.tokens))
    for name, side in (("source", pair.source), ("translation", pair.target)):
        numbered = [f"{number} {token} : " for number, token in enumerate(side.tokens, 1)]
        lines += [f"<{name}>", *numbered, f"</{name}>"]
    lines += ["<alignment>", *(_row(pair, link) for link in pair.links), "</alignment>"]
    return "\n".join([*lines, "</sentence>", "", ""])


def _row(pair: ChunkedPair, link: ChunkLink) -> str:
    numbers, words = [], []
    for side, chunk in ((pair.source, link.source), (pair.target, link.target)):
        numbers.append(" ".join(str(token + 1) for token in chunk) or "0")
        words.append(" ".join(side.tokens[token] for token in chunk) or _UNALIGNED)
    score = "NIL" if link.score is None else f"{link.score:g}"
    return (
        f"{numbers[0]} {_ARROW} {numbers[1]} // {link.type} // {score} // "
        f"{words[0]} {_ARROW} {words[1]} "
    )


def split_chunks(text: str) -> tuple[list[str], list[TokenChunk]]:
    """Return the tokens and the chunks of a sentence in brackets.

    Parameters
    ----------
    text : str
        ``[ Saudis ] [ to permit ] [ women ]``; tokens outside of brackets are chunks of their own.
        An opening bracket inside another one closes that, as a sentence of the task's files needs.

    InputError is raised if a bracket is unmatched or empty, or there is no token.

    Examples
    --------
    >>> split_chunks("[ Saudis ] [ to permit ]")
    (['Saudis', 'to', 'permit'], [(0,), (1, 2)])
    """
    tokens: list[str] = []
    chunks: list[TokenChunk] = []
    opened: int | None = None
    for token in split_tokens(text):
        if token == "[":
            if opened is not None and opened < len(tokens):
                chunks.append(tuple(range(opened, len(tokens))))
            opened = len(tokens)
        elif token == "]":
            if opened is None:
                raise InputError(f"a bracket closes that did not open in {quoted(text)}")
            if opened == len(tokens):
                raise InputError(f"brackets without tokens in {quoted(text)}")
            chunks.append(tuple(range(opened, len(tokens))))
            opened = None
        else:
            if opened is None:
                chunks.append((len(tokens),))
            tokens.append(token)
    if opened is not None:
        raise InputError(f"a bracket does not close in {quoted(text)}")
    if not tokens:
        raise InputError("no tokens; wanted chunks such as [ to permit ] [ women ]")
    return tokens, chunks

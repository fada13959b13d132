"""Reader of SSD's span pairs (LREC 2026): sentences with marked spans, similar or not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tokalign.types import Sentence
from tokalign.types.chunks import TokenChunk

_MARK = re.compile(r"\{\{|\}\}")


def read_spans(
    path: Path,
) -> Iterator[tuple[Sentence, Sentence, list[tuple[TokenChunk, TokenChunk]], list[bool]]]:
    """Yield both sentences, the pairs of spans by their tokens, and whether each is similar."""
    from tokalign.english.annotate import load_annotator
    from tokalign.english.annotate.prepare import annotate

    annotator = load_annotator("native")
    for row in path.read_text(encoding="utf-8").splitlines()[1:]:
        columns = row.split("\t")
        if len(columns) < 3:
            continue
        sides = []
        for text in columns[:2]:
            plain, ranges = _unmarked(text)
            (sentence,) = annotate(annotator, [plain], trees=False, truncate=False)
            sides.append((sentence, [_tokens(sentence, each) for each in ranges]))
        labels = [each.strip() == "1" for each in columns[2].split(",")]
        units = list(zip(sides[0][1], sides[1][1], strict=False))
        chosen = [k for k, (one, other) in enumerate(units) if one and other and k < len(labels)]
        yield (
            sides[0][0],
            sides[1][0],
            [units[k] for k in chosen],
            [labels[k] for k in chosen],
        )


def _unmarked(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Return a text without its braces, and the ranges of characters that they held."""
    parts = _MARK.split(text)
    plain, ranges = "", []
    for number, part in enumerate(parts):
        if number % 2:
            ranges.append((len(plain), len(plain) + len(part)))
        plain += part
    return plain, ranges


def _tokens(sentence: Sentence, span: tuple[int, int]) -> TokenChunk:
    return tuple(
        k
        for k, (start, end) in enumerate(zip(sentence.starts, sentence.ends, strict=True))
        if start < span[1] and end > span[0]
    )

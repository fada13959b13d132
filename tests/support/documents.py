"""Documents of a CoNLL-U file with the boundaries of their sentences.

A document is its sentences joined as the file says: nothing after SpaceAfter=No, a blank line
before a new paragraph, else a space.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Document:
    """A text, where its sentences end, the last left out, and which ends begin a paragraph."""

    text: str
    ends: frozenset[int]
    paragraphs: frozenset[int]


def read_documents(path: Path) -> Iterator[Document]:
    """Yield the documents of a CoNLL-U file that marks them."""
    text, ends, paragraphs, after = "", [], [], ""
    for block in path.read_text(encoding="utf-8").strip().split("\n\n"):
        lines = block.splitlines()
        if any(line.startswith("# newdoc") for line in lines) and text:
            yield Document(text, frozenset(ends[:-1]), frozenset(paragraphs))
            text, ends, paragraphs, after = "", [], [], ""
        elif any(line.startswith("# newpar") for line in lines) and text:
            paragraphs.append(ends[-1])
            after = "\n\n"
        (sentence,) = (line for line in lines if line.startswith("# text = "))
        text += after + sentence.removeprefix("# text = ")
        ends.append(len(text))
        after = "" if _is_last_joined(lines) else " "
    yield Document(text, frozenset(ends[:-1]), frozenset(paragraphs))


def _is_last_joined(lines: list[str]) -> bool:
    """Whether no space follows a sentence: its last token, or the range that it is part of."""
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    ids = [row[0] for row in rows]
    words = [name for name in ids if name.isdecimal()]
    ranges = [name for name in ids if name.endswith(f"-{words[-1]}")]
    return "SpaceAfter=No" in rows[ids.index((ranges or words)[-1])][9]


def boundary_scores(
    documents: Iterable[Document], split: Callable[[str], set[int]]
) -> tuple[float, float]:
    """Return precision and F1 of boundaries, those at a new paragraph left out."""
    right = found = wanted = 0
    for document in documents:
        ends = split(document.text) - {len(document.text)} - document.paragraphs
        gold = document.ends - document.paragraphs
        right += len(ends & gold)
        found += len(ends)
        wanted += len(gold)
    return right / found, 2 * right / (found + wanted)

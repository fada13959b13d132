"""Texts of many sentences, and which sentences of two texts belong together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tokalign.errors import AlignError
from tokalign.showing.text import one_line
from tokalign.types.alignment import Alignment


@dataclass(frozen=True, slots=True)
class SentenceSpan:
    """A sentence, and where it stands in its text.

    Attributes
    ----------
    start, end : int
        Half-open range of the text, of code points where no other unit was asked for.
    text : str
        What stands there: not empty, without white space at either end. Line breaks inside stay.
    """

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class TextBlock:
    """Sentences of the old text and of the new one that belong together.

    Attributes
    ----------
    old, new : tuple of int
        0-based numbers of the sentences: none, one, or two neighbours of each text. Where `old` is
        empty, the sentence of the new text was inserted; where `new` is empty, that of the old text
        was deleted.
    moved : bool
        Whether it stands at another place in the new text than in the old one, among the blocks
        that kept their order.
    alignment : Alignment or None
        Of what both texts have from the first sentence's start to the last one's end; None where
        one side is empty. Offsets in its sentences count from where the block starts.
    error : AlignError or None
        From a server: why the block could not be aligned, or its one sentence not be compared.
    """

    old: tuple[int, ...]
    new: tuple[int, ...]
    moved: bool = False
    alignment: Alignment | None = None
    error: AlignError | None = None


@dataclass(frozen=True, slots=True, repr=False)
class TextAlignment:
    """Two texts, their sentences, and which of these belong together.

    Attributes
    ----------
    old_text, new_text : str
    old, new : tuple of SentenceSpan
        In order. Nothing but white space is between them.
    blocks : tuple of TextBlock
        Each sentence is part of exactly one. They are in the order of the new text; a deleted
        sentence comes after the block that has the sentence before it in the old text, and where
        there is none, first.
    model, version : str
        Name and version of the model, or system, that decided.
    """

    old_text: str
    new_text: str
    old: tuple[SentenceSpan, ...]
    new: tuple[SentenceSpan, ...]
    blocks: tuple[TextBlock, ...]
    model: str
    version: str

    def __repr__(self) -> str:
        texts = " - ".join(repr(one_line(text)) for text in (self.old_text, self.new_text))
        sizes = f"{len(self.old)} and {len(self.new)} sentences, {len(self.blocks)} blocks"
        return f"<TextAlignment {texts}: {sizes}>"

    def __str__(self) -> str:
        """Return a line for each sentence, by blocks: ``-`` of the old text, ``+`` of the new.

        A block that moved has ``moved`` above it.
        """
        return "\n".join(line for block in self.blocks for line in self._shown(block))

    def _shown(self, block: TextBlock) -> list[str]:
        lines = ["moved"] if block.moved else []
        lines += [f"- {one_line(self.old[number].text)}" for number in block.old]
        return lines + [f"+ {one_line(self.new[number].text)}" for number in block.new]

    def old_span(self, block: TextBlock) -> tuple[int, int] | None:
        """Return the half-open range of the old text that a block covers, or None without one."""
        return _span(self.old, block.old)

    def new_span(self, block: TextBlock) -> tuple[int, int] | None:
        """Return the half-open range of the new text that a block covers, or None without one."""
        return _span(self.new, block.new)


def _span(sentences: Sequence[SentenceSpan], numbers: Sequence[int]) -> tuple[int, int] | None:
    if not numbers:
        return None
    return sentences[numbers[0]].start, sentences[numbers[-1]].end

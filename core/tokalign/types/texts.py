"""Texts of many sentences, and their sentence alignment."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tokalign.errors import AlignError
from tokalign.showing.text import one_line
from tokalign.types.alignment import Alignment
from tokalign.types.display import Shown


@dataclass(frozen=True, slots=True)
class SentenceSpan:
    """A sentence and its range in its text.

    Attributes
    ----------
    start, end : int
        Half-open range of the text, in code points unless another unit was asked for.
    text : str
        The sentence: not empty, stripped of white space, with its line breaks inside.
    """

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class TextBlock:
    """Corresponding sentences of the old and the new text.

    Attributes
    ----------
    old, new : tuple of int
        0-based numbers of the sentences: none, one, two neighbours, or one of one text and a list
        of the other. If `old` is empty, the new sentence was inserted; if `new` is empty, the old
        one was deleted.
    moved : bool
        Whether it moved relative to the blocks that kept their order.
    alignment : Alignment or None
        Alignment of both texts from the first sentence's start to the last one's end; None if a
        side is empty. Offsets in its sentences count from the start of the block.
    error : AlignError or None
        From a server: why the block could not be aligned, or its sentence could not be compared.
    """

    old: tuple[int, ...]
    new: tuple[int, ...]
    moved: bool = False
    alignment: Alignment | None = None
    error: AlignError | None = None


@dataclass(frozen=True, slots=True, repr=False)
class TextAlignment(Shown):
    """Two texts, their sentences, and the alignment of these.

    Attributes
    ----------
    old_text, new_text : str
    old, new : tuple of SentenceSpan
        In order, with only white space between them.
    blocks : tuple of TextBlock
        Each sentence is in exactly one. They are in the order of the new text; a deleted sentence
        comes after the block of the sentence before it in the old text, or first.
    model, version : str
        Name and version of the model or published system.
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

    def lines(self, *, is_coloured: bool = False) -> list[str]:
        """Return a line for each sentence, by blocks: ``-`` of the old text, ``+`` of the new.

        Moved blocks have ``moved`` above them.
        """
        return [line for block in self.blocks for line in self._shown(block)]

    def _shown(self, block: TextBlock) -> list[str]:
        lines = ["moved"] if block.moved else []
        lines += [f"- {one_line(self.old[number].text)}" for number in block.old]
        return lines + [f"+ {one_line(self.new[number].text)}" for number in block.new]

    def to_dict(self) -> dict[str, Any]:
        """Return the sentences and blocks as plain values; alignments are as `Alignment` has."""
        return {
            "old_sentences": [[each.start, each.end] for each in self.old],
            "new_sentences": [[each.start, each.end] for each in self.new],
            "blocks": [
                {
                    "old": list(block.old),
                    "new": list(block.new),
                    "moved": block.moved,
                    **({"alignment": block.alignment.to_dict()} if block.alignment else {}),
                    **({"error": str(block.error)} if block.error else {}),
                }
                for block in self.blocks
            ],
            "model": self.model,
            "version": self.version,
        }

    def _table(self) -> dict[str, list[Any]]:
        """Return a row for each block."""

        def text(sentences: Sequence[SentenceSpan], numbers: Sequence[int]) -> str | None:
            return " ".join(sentences[number].text for number in numbers) or None

        figures = [block.alignment and block.alignment.similarity for block in self.blocks]
        return {
            "old_text": [text(self.old, block.old) for block in self.blocks],
            "new_text": [text(self.new, block.new) for block in self.blocks],
            "moved": [block.moved for block in self.blocks],
            "similarity": figures,
        }

    def _row(self) -> dict[str, Any]:
        moved = sum(block.moved for block in self.blocks)
        row = {"old_text": self.old_text, "new_text": self.new_text}
        return row | {"n_blocks": len(self.blocks), "n_moved": moved}

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

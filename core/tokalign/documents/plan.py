"""The plan by which sentences of two texts are aligned, whatever compares them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Self

from tokalign.documents.candidates import TextCandidate, find_candidates
from tokalign.documents.chain import best_chain
from tokalign.documents.sentences import sentences_of
from tokalign.errors import ShapeError
from tokalign.types.texts import SentenceSpan


class BlockPlan(NamedTuple):
    """Sentences that belong together, as TextBlock has them."""

    old: tuple[int, ...]
    new: tuple[int, ...]
    moved: bool


class TextPlan:
    """Sentences of two texts, and which of them are worth comparing.

    Attributes
    ----------
    old_text, new_text : str
    old, new : tuple of SentenceSpan
    candidates : sequence of TextCandidate
        What is to be compared.

    Examples
    --------
    >>> plan = TextPlan.of("Dogs bark.", "Dogs barked.")
    >>> list(plan.pairs())
    [('Dogs bark.', 'Dogs barked.')]
    >>> plan.decide([0.9])
    (BlockPlan(old=(0,), new=(0,), moved=False),)
    """

    def __init__(
        self,
        old_text: str,
        new_text: str,
        old: tuple[SentenceSpan, ...],
        new: tuple[SentenceSpan, ...],
    ) -> None:
        self.old_text = old_text
        self.new_text = new_text
        self.old = old
        self.new = new
        self.candidates, self._same = find_candidates(
            [each.text for each in old], [each.text for each in new]
        )

    @classmethod
    def of(cls, old_text: str, new_text: str) -> Self:
        """Return the plan for two texts.

        Raises
        ------
        InputError
            If a text holds lone surrogates. Its field is ``old_text`` or ``new_text``.
        LimitError
            If a text has more than MAX_TEXT_SENTENCES sentences.
        """
        old = sentences_of(old_text, "old_text")
        return cls(old_text, new_text, old, sentences_of(new_text, "new_text"))

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Yield the texts of each candidate: of the old text, and of the new one."""
        for each in self.candidates:
            yield self.texts(each.old, each.new)

    def texts(self, old: Sequence[int], new: Sequence[int]) -> tuple[str, str]:
        """Return what both texts have from the first of some sentences to the last."""
        return (
            self.old_text[self.old[old[0]].start : self.old[old[-1]].end],
            self.new_text[self.new[new[0]].start : self.new[new[-1]].end],
        )

    def decide(self, similarities: Sequence[float]) -> tuple[BlockPlan, ...]:
        """Return the blocks of both texts.

        Parameters
        ----------
        similarities : sequence of float, length n_candidates
            In [0, 1]: how much both sides of each candidate say the same.

        Returns
        -------
        tuple of BlockPlan
            In the order of TextAlignment.blocks; each sentence is part of exactly one.

        Raises
        ------
        ShapeError
            If there are not as many similarities as candidates.
        """
        if len(similarities) != len(self.candidates):
            raise ShapeError(
                f"{len(similarities)} similarities for {len(self.candidates)} candidates; give one "
                "for each"
            )
        known = [(each, 1.0) for each in self._same]
        known += [(each, float(s)) for each, s in zip(self.candidates, similarities, strict=True)]
        chosen, moved = best_chain(known, len(self.old), len(self.new))
        return self._ordered(chosen, moved)

    def _ordered(
        self, chosen: Sequence[TextCandidate], moved: Sequence[TextCandidate]
    ) -> tuple[BlockPlan, ...]:
        """Return blocks with sentences that are in none, in order."""
        blocks = [BlockPlan(each.old, each.new, False) for each in chosen]
        blocks += [BlockPlan(each.old, each.new, True) for each in moved]
        used = {number for each in blocks for number in each.new}
        blocks += [BlockPlan((), (j,), False) for j in range(len(self.new)) if j not in used]
        blocks.sort(key=lambda each: each.new)
        by_end = {each.old[-1]: each for each in blocks if each.old}
        after: dict[BlockPlan | None, list[BlockPlan]] = {}
        used = {number for each in blocks for number in each.old}
        before = None
        for i in range(len(self.old)):
            if i not in used:
                after.setdefault(before, []).append(BlockPlan((i,), (), False))
            before = by_end.get(i, before)
        ordered = after.get(None, [])
        for each in blocks:
            ordered.append(each)
            ordered += after.get(each, [])
        return tuple(ordered)

"""The plan by which sentences of two texts are aligned, whatever compares them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Self

import numpy as np

from tokalign.errors import ShapeError
from tokalign.texts.blocks import GAINS, Gains, choose, in_order
from tokalign.texts.candidates import find_candidates
from tokalign.texts.sentences import sentences_of
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

    def decide(self, similarities: Sequence[float], gains: Gains = GAINS) -> tuple[BlockPlan, ...]:
        """Return the blocks of both texts.

        Parameters
        ----------
        similarities : sequence of float, length n_candidates
            In [0, 1]: how much both sides of each candidate say the same.
        gains : Gains

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
        known = sorted(
            [
                *((each, 1.0) for each in self._same),
                *zip(self.candidates, map(float, similarities), strict=True),
            ]
        )
        blocks = np.array([each for each, _ in known], np.int32).reshape(-1, 4)
        chosen = choose(blocks, np.array([similarity for _, similarity in known]), gains)
        candidates = [known[k][0] for k in chosen]
        sizes = [sum(map(len, self.texts(each.old, each.new))) for each in candidates]
        kept = in_order(blocks[chosen], np.array(sizes, np.int64)).tolist()
        return self._ordered(
            BlockPlan(each.old, each.new, not is_kept)
            for each, is_kept in zip(candidates, kept, strict=True)
        )

    def _ordered(self, chosen: Iterable[BlockPlan]) -> tuple[BlockPlan, ...]:
        """Return blocks in order, with sentences that are in none."""
        blocks = list(chosen)
        used_new = {j for each in blocks for j in each.new}
        used_old = {i for each in blocks for i in each.old}
        blocks += [BlockPlan((), (j,), False) for j in range(len(self.new)) if j not in used_new]
        by_end = {each.old[-1]: each.new for each in blocks if each.old}
        place: tuple[int, ...] = ()
        places = []
        # A deleted sentence comes after the block that ends before it in the old text.
        for i in range(len(self.old)):
            if i not in used_old:
                places.append(((place, i), BlockPlan((i,), (), False)))
            place = by_end.get(i, place)
        places += [((each.new, -1), each) for each in blocks]
        return tuple(each for _, each in sorted(places))

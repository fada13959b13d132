"""A pair whose edits are to be decided, with what that takes, computed where it is first needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tokalign.edits.blocks import Cuts, Segment, Stretch, blocks_of, cuts_of
from tokalign.edits.inputs import SegmentInputs
from tokalign.edits.moves import move_candidates, move_inputs
from tokalign.edits.words import (
    SideWords,
    WordFacts,
    link_matrix,
    partners,
    same_words,
    sides_of,
)
from tokalign.types import Sentence


class EditPair:
    """A pair of sentences, its links and its blocks of change.

    Parameters
    ----------
    source, target : Sentence
    links : mapping from (source, target) to confidence
    facts : callable
        See tokalign.edits.words.word_facts.

    Attributes
    ----------
    same : uint8 array, shape (n_source, n_target)
        1 where two tokens are the same word.
    links : float32 array, shape (n_source, n_target)
    partner : int32 array, shape (n_source,)
        The target token that each source token is kept as, -1 where it is not.
    blocks : list of Stretch
    """

    def __init__(
        self,
        source: Sentence,
        target: Sentence,
        links: Mapping[tuple[int, int], float],
        facts: WordFacts,
    ) -> None:
        self.source, self.target = source, target
        self._facts = facts
        self.same = same_words(source, target)
        self.links = link_matrix(links, len(source.tokens), len(target.tokens))
        self.partner = partners(source, self.same, self.links)
        self.blocks = blocks_of(self.partner.tolist(), len(target.tokens))

    @cached_property
    def sides(self) -> tuple[SideWords, SideWords]:
        """The words of both sides."""
        return sides_of(self.source, self.target, self._facts)

    def move_candidates(self) -> list[Stretch]:
        """Return the runs that may have moved."""
        return move_candidates(self.same, self.blocks)

    def move_inputs(self, candidates: Sequence[Stretch]) -> NDArray[np.float32]:
        """Return what trees are asked about runs that may have moved."""
        return move_inputs(candidates, self.blocks, self.sides, self.links, self.same)

    def cuts(self, moves: Sequence[Stretch]) -> Cuts:
        """Return how the blocks can be cut around what has moved."""
        kinds = self.sides[0].kinds, self.sides[1].kinds
        cuts = cuts_of(self.blocks, kinds, self.links, moves)
        cuts.segments = [each for each in cuts.segments if not self._is_equal(each)]
        return cuts

    def segment_inputs(self, segments: Sequence[Segment]) -> NDArray[np.float32]:
        """Return what trees are asked about segments."""
        inputs = SegmentInputs(
            *self.sides, self.links, self.partner, np.array(self.blocks, np.int32)
        )
        return inputs.rows(np.array(segments, np.int32))

    def _is_equal(self, segment: Segment) -> bool:
        """Whether both sides of a segment that joins blocks are the same tokens."""
        i0, i1, j0, j1, first, last = segment
        return first < last and self.source.tokens[i0:i1] == self.target.tokens[j0:j1]

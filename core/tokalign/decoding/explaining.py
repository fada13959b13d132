"""`Aligner.explain` and `Aligner.explain_relation`: why words are linked and related so."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Unpack

from tokalign.batches.outcomes import unwrap
from tokalign.decoding.backend import Backend, Unit
from tokalign.decoding.explain import require_indices
from tokalign.relations.explain import explain_unit, unit_of
from tokalign.relations.related_units import RelationModel
from tokalign.types import Alignment, AnnotatedPair, LinkExplanation, PairLike, SentenceLike
from tokalign.types.keywords import AlignKeywords, PairKeywords, StyleName, SymmetrizationLike
from tokalign.types.options import DEFAULT_SYMMETRIZATION, AlignOptions
from tokalign.types.relations import RelationExplanation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Explaining(ABC):
    """Base of what aligns pairs by a backend and explains what that decides."""

    _backend: Backend

    @abstractmethod
    def align(
        self,
        source: SentenceLike,
        target: SentenceLike,
        options: AlignOptions | None = None,
        **changes: Unpack[PairKeywords],
    ) -> Alignment:
        """Return the alignment of one pair."""

    @abstractmethod
    def annotate_pairs(
        self, pairs: Sequence[PairLike | Exception], *, truncate: bool = False
    ) -> list[AnnotatedPair | Exception]:
        """Return pairs annotated, or why one is not."""

    def unit_inputs(
        self, pair: AnnotatedPair, units: Sequence[Unit], options: AlignOptions
    ) -> NDArray[np.float32]:
        """Return what relations of some units of an annotated pair are decided by.

        Parameters
        ----------
        pair : (Sentence, Sentence)
        units : sequence of (source tokens, target tokens)
            Rising indices, at least one on each side.
        options : AlignOptions

        Returns
        -------
        float32 array, shape (n_units, n_inputs)
            Columns as tokalign.relations.related_units has them.

        Raises
        ------
        InputError
            Of a system, if the model has no such style, or a unit is out of range.
        """
        self._backend.check(options)
        (encoded,) = self._backend.encode([pair], options)
        return self._backend.unit_inputs(encoded, units, options)

    @property
    def relations(self) -> RelationModel:
        """The model of relations; InputError of a system, which knows none."""
        return self._backend.relations

    def explain_relation(
        self,
        source: SentenceLike,
        target: SentenceLike,
        source_index: int,
        target_index: int,
        options: AlignOptions | None = None,
        **changes: Unpack[AlignKeywords],
    ) -> RelationExplanation:
        """Return why two tokens, linked or not, are related as they are.

        Parameters
        ----------
        source, target : str, sequence of str, or Sentence
        source_index, target_index : int
            0-based tokens. Links that share tokens with theirs are explained with it.
        options, **changes
            As of `align`.

        Raises
        ------
        InputError
            Of a system, or as `align` and `explain` do.
        """
        options = AlignOptions.of(options, changes)
        model = self.relations
        alignment = self.align(source, target, options)
        n_source, n_target = len(alignment.source), len(alignment.target)
        require_indices(source_index, target_index, n_source, n_target, options.symmetrization)
        links = [(link.source, link.target) for link in alignment.links]
        unit = unit_of(links, source_index, target_index)
        pair = alignment.source, alignment.target
        row = self.unit_inputs(pair, [unit], options)[0]
        return explain_unit(model, *unit, row)

    def explain(
        self,
        source: SentenceLike,
        target: SentenceLike,
        source_index: int,
        target_index: int,
        *,
        symmetrization: SymmetrizationLike = DEFAULT_SYMMETRIZATION,
        style: StyleName = "",
        related: bool = False,
        effort: float = 1.0,
    ) -> tuple[LinkExplanation, ...]:
        """Return why two tokens are, or are not, linked: one explanation for each direction.

        A system gives one for a link of its own, and none for another.

        Parameters
        ----------
        source, target : str, sequence of str, or Sentence
        source_index, target_index : int
            0-based tokens; -1 on one side asks why the other side's token is unaligned.
        symmetrization : Symmetrization or str
            ``s2t`` or ``t2s`` explains that direction alone.
        style : str
            Out of the model's styles; its default if empty.
        related : bool
        effort : float
            As AlignOptions has them.

        Raises
        ------
        InputError
            If there is no such style or effort, an index is out of range, both are -1, or the one
            that the direction labels is.
        """
        options = AlignOptions.of(
            None,
            {
                "symmetrization": symmetrization,
                "style": style,
                "related": related,
                "effort": effort,
            },
        )
        self._backend.check(options)
        (annotated,) = self.annotate_pairs([(source, target)])
        (pair,) = self._backend.encode([unwrap(annotated)], options)
        n_source, n_target = len(pair[0][0]), len(pair[0][1])
        chosen = options.symmetrization
        require_indices(source_index, target_index, n_source, n_target, chosen)
        return self._backend.explain(pair, source_index, target_index, options)

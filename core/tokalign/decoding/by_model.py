"""Alignments by a model, under its styles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tokalign.decoding.backend import (
    AT_ONCE,
    Backend,
    Decided,
    EncodedPair,
    Unit,
    edits_of,
    truncated,
)
from tokalign.decoding.batch import decide_batch
from tokalign.decoding.by_label import ONE_DIRECTION, link_posteriors, links_by_label
from tokalign.decoding.constrained import missing_links, pinned
from tokalign.decoding.decoder import Conventions, DecodedPair, Decoder
from tokalign.decoding.evidence import EvidenceRows, SupportRows
from tokalign.decoding.explain import explain_link
from tokalign.decoding.phrases import phrases_of, related_phrases
from tokalign.decoding.routing import GateRows
from tokalign.decoding.second_pass import SecondPass
from tokalign.decoding.similarity import Cosines, comparing
from tokalign.features.feature_groups import FeatureTable, Lexicons
from tokalign.model.file import Model, ModelHeader, style_names
from tokalign.model.styles import AUTO, DEFAULT_THRESHOLD, MAX_STYLES, StyleHeader
from tokalign.ranking.expected import Expected
from tokalign.relations.related_units import RelationModel
from tokalign.types import AnnotatedPair, LinkExplanation
from tokalign.types.columns import AlignmentColumns
from tokalign.types.links import LinkTuple
from tokalign.types.options import AlignOptions, Detail, Symmetrization
from tokalign.types.phrases import Phrase

T = TypeVar("T")

_PLAIN: StyleHeader = {"name": "plain", "links": "", "threshold": DEFAULT_THRESHOLD}
"""The style of a model that has none."""
_AS_IT_IS = Conventions([_PLAIN])
_NO_MEANS = np.empty((0, 0))
_NOTHING = _NO_MEANS.astype(np.float32)


class ModelBackend(Backend):
    """Aligns annotated pairs by a model.

    Parameters
    ----------
    model : Model
    lexicons : Lexicons
    cosines : callable, optional
        Of the encoder; see tokalign.decoding.similarity.
    encoded : bool, optional
        Whether an encoder reads the pairs, or would have read them with more effort; None of a
        model without one.
    """

    def __init__(
        self,
        model: Model,
        lexicons: Lexicons,
        cosines: Cosines | None = None,
        *,
        encoded: bool | None = None,
    ) -> None:
        self.header = model.header
        self._table = model.table
        self._styles = style_names(model.header)
        self._conventions = Conventions(model.header.styles or [_PLAIN], _second_pass(model.header))
        self._decoder = Decoder(model, lexicons)
        self._compare = None if cosines is None else comparing(cosines)
        self._encoded = encoded

    def check(self, options: AlignOptions) -> None:
        """Raise InputError if the model has no such style."""
        self._number(options)
        options.check_effort(self.header.name, takes_effort=self._encoded is not None)

    def _number(self, options: AlignOptions, *, compares: bool = False) -> int:
        """Return the number of the style that options ask for; -1 to choose for each pair."""
        name = self._styles.chosen(options.style, related=options.related)
        if name == AUTO:
            # Pairs are compared by their scores, and those of one style can be.
            return 0 if compares else -1
        return self._styles.names.index(name) if name else 0

    def decide(
        self,
        pairs: Sequence[EncodedPair],
        options: AlignOptions,
        *,
        means: bool = False,
        ranks: bool = False,
        expected: Sequence[Expected] = (),
        supports: bool = False,
    ) -> Decided:
        """Return the alignments of pairs; see Backend.decide."""
        compares = means or ranks or supports or options.detail is Detail.SCORES
        style = self._number(options, compares=compares)
        relations = self.relations if options.relations else None
        finisher = _Finisher(
            options, self._conventions, self._table, relations, len(pairs), means=means
        )
        evidence = EvidenceRows(expected) if expected else None
        support = SupportRows([len(pair[1]) for pair, _ in pairs]) if supports else None
        decided, errors = decide_batch(
            self._decoder,
            pairs,
            style,
            self._conventions,
            options.min_confidence,
            finisher.finish,
            finisher.has_more,
            relations,
            evidence,
            support,
        )
        names = self._styles.names
        columns = AlignmentColumns(
            sources=[pair[0] for pair, _ in pairs],
            targets=[pair[1] for pair, _ in pairs],
            **decided.columns(),
            model=self.header.name,
            version=self.header.version,
            symmetrization=options.symmetrization,
            posteriors=finisher.posteriors,
            explanations=finisher.explanations,
            phrases=finisher.phrases,
            unit=options.offsets,
            truncated=truncated(pairs) if options.truncate else (),
            styles=[names[number] for number in decided.styles.tolist()] if names else (),
            compare=self._compare if self._has_cosines(options, compares=compares) else None,
            encoded=self._encoded,
        )
        if options.edits:
            columns.edits = edits_of(columns, errors)
        return Decided(
            columns,
            errors,
            finisher.means,
            None if evidence is None else evidence.values,
            None if support is None else support.values,
        )

    def _has_cosines(self, options: AlignOptions, *, compares: bool) -> bool:
        """Whether pairs have the encoder's cosines; see tokalign.decoding.cascade."""
        return self._encoded is not False or (compares and options.effort > 0.0)

    def gate_rows(
        self, pairs: Sequence[AnnotatedPair], options: AlignOptions, *, compares: bool
    ) -> NDArray[np.float32]:
        """Return what the decision on each pair says of its faults.

        Parameters
        ----------
        pairs : sequence of AnnotatedPair
        options : AlignOptions
            That `check` lets pass.
        compares : bool
            Whether pairs are compared by their scores, so that one style decides them all.

        Returns
        -------
        float32 array, shape (n_pairs, n_inputs)
            See tokalign.decoding.routing; zeros of a pair that fails.
        """
        style = self._number(options, compares=compares or options.detail is Detail.SCORES)
        found = [GateRows(0).values]
        for start in range(0, len(pairs), AT_ONCE):
            some: list[EncodedPair] = [(pair, None) for pair in pairs[start : start + AT_ONCE]]
            rows = GateRows(len(some))
            decide_batch(
                self._decoder, some, style, self._conventions, 0.0, _links, False, gate=rows
            )
            found.append(rows.values)
        return np.concatenate(found)

    @cached_property
    def relations(self) -> RelationModel:
        """The model of relations, opened where it is first asked for."""
        return RelationModel.open_shipped()

    def explain(
        self, pair: EncodedPair, source_index: int, target_index: int, options: AlignOptions
    ) -> tuple[LinkExplanation, ...]:
        """Return why two tokens are, or are not, linked; see explain_link."""
        link = source_index, target_index
        return self._ask(
            pair,
            options,
            lambda decoded: tuple(
                explain_link(self._table, decoded, *link, options.symmetrization)
            ),
        )

    def unit_inputs(
        self, pair: EncodedPair, units: Sequence[Unit], options: AlignOptions
    ) -> NDArray[np.float32]:
        """Return what the relations of units are decided by; see Backend.unit_inputs."""
        return self._ask(pair, options, lambda decoded: decoded.unit_inputs(units))

    def cell_inputs(
        self, pair: EncodedPair, options: AlignOptions
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Return what a second pass decides by; see DecodedPair.cell_inputs."""
        return self._ask(pair, options, lambda decoded: decoded.cell_inputs())

    def _ask(
        self, pair: EncodedPair, options: AlignOptions, question: Callable[[DecodedPair], T]
    ) -> T:
        """Return the answer to a question about a pair while it is held."""
        found: list[T] = []

        def finish(number: int, decoded: DecodedPair) -> list[LinkTuple]:
            found.append(question(decoded))
            return decoded.links

        _, errors = decide_batch(
            self._decoder, [pair], self._number(options), self._conventions, 0.0, finish
        )
        for error in errors.values():
            raise error
        return found[0]


def _second_pass(header: ModelHeader) -> SecondPass | None:
    """Return the second pass of a model's styles, if any has one."""
    if not any(style.get("second_pass") for style in header.styles):
        return None
    return SecondPass.open_shipped(header.encoder)


def _links(number: int, decoded: DecodedPair) -> list[LinkTuple]:
    """Return the links of a pair as they are."""
    return decoded.links


class _Finisher:
    """What is asked of each pair beyond the links of the joint decision, as far as it is found.

    Lists are empty where nothing is asked for, else of one entry per pair.
    """

    def __init__(
        self,
        options: AlignOptions,
        conventions: Conventions,
        table: FeatureTable,
        relations: RelationModel | None,
        n_pairs: int,
        *,
        means: bool,
    ) -> None:
        self._options = options
        # The maps are of the mean of both directions.
        is_one = options.symmetrization in ONE_DIRECTION
        self._conventions = _AS_IT_IS.each * MAX_STYLES if is_one else conventions.each
        self._table = table
        self._relations = relations
        self.posteriors: list[NDArray[np.float32]] = [_NOTHING] * (n_pairs * options.posteriors)
        self.explanations: list[tuple[LinkExplanation, ...]] = [()] * (n_pairs * options.explain)
        self.phrases: list[tuple[Phrase, ...]] = [()] * (n_pairs * options.phrases)
        self.means: list[NDArray[np.float64]] = [_NO_MEANS] * (n_pairs * means)

    @property
    def has_more(self) -> bool:
        """Whether anything is asked for of pairs without constraints."""
        options = self._options
        return (
            options.symmetrization is not Symmetrization.JOINT
            or options.posteriors
            or options.explain
            or options.phrases
            or bool(self.means)
        )

    def finish(self, number: int, decoded: DecodedPair) -> Sequence[LinkTuple]:
        """Keep what is asked for of a pair, and return its links."""
        symmetrization = self._options.symmetrization
        convention = self._conventions[decoded.style]
        links = self._links(decoded)
        if self.posteriors or decoded.constraints is not None:
            confidence = convention.confidences(
                link_posteriors(decoded, symmetrization), decoded.unlike
            )
            if decoded.constraints is not None:
                confidence = pinned(decoded.constraints, confidence)
                links = self._completed(decoded, links, confidence)
            if self.posteriors:
                self.posteriors[number] = confidence.astype(np.float32)
        if self.phrases:
            found = phrases_of(decoded, links, symmetrization, convention)
            self.phrases[number] = (
                found
                if self._relations is None
                else related_phrases(decoded, found, self._relations)
            )
        if self.explanations:
            self.explanations[number] = tuple(
                explanation
                for i, j, _ in links
                for explanation in explain_link(self._table, decoded, i, j, symmetrization)
            )
        if self.means:
            self.means[number] = link_posteriors(decoded, Symmetrization.JOINT)
        return links

    def _links(self, decoded: DecodedPair) -> list[LinkTuple]:
        if self._options.symmetrization is Symmetrization.JOINT:
            return decoded.links
        convention = self._conventions[decoded.style]
        links = [
            (i, j, convention.confidence(posterior, bool(decoded.unlike[i, j])))
            for i, j, posterior in links_by_label(decoded, self._options.symmetrization)
        ]
        return [link for link in links if link[2] >= self._options.min_confidence]

    def _completed(
        self,
        decoded: DecodedPair,
        links: Sequence[LinkTuple],
        confidence: NDArray[np.float64],
    ) -> list[LinkTuple]:
        """Return links with those that constraints require, all with pinned confidences."""
        chosen = {(i, j) for i, j, _ in links}
        if decoded.constraints is not None:
            mean = link_posteriors(decoded, Symmetrization.JOINT)
            chosen |= missing_links(decoded.constraints, chosen, mean)
        return [(i, j, float(confidence[i, j])) for i, j in sorted(chosen)]

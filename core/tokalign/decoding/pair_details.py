"""Details of a decoded pair: posteriors, explanations, links by constraints, phrases."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tokalign.decoding.decoder import Conventions, DecodedPair
from tokalign.decoding.explain import explain_link
from tokalign.decoding.phrases import phrases_of
from tokalign.decoding.symmetrize import (
    ONE_DIRECTION,
    link_posteriors,
    links_by_label,
    missing_links,
    pinned,
)
from tokalign.features.feature_groups import FeatureTable
from tokalign.model.styles import DEFAULT_THRESHOLD, MAX_STYLES, StyleHeader
from tokalign.relations.related_units import RelationModel
from tokalign.types import LinkExplanation
from tokalign.types.links import LinkTuple
from tokalign.types.options import AlignOptions, Symmetrization
from tokalign.types.phrases import Phrase

PLAIN_STYLE: StyleHeader = {"name": "plain", "links": "", "threshold": DEFAULT_THRESHOLD}
"""The style of a model without styles."""
_AS_IT_IS = Conventions([PLAIN_STYLE])
_NOTHING = np.empty((0, 0), np.float32)


class PairDetails:
    """Details to compute for each pair of a batch besides the links of the joint decision.

    A list is empty unless its detail is asked for, else it has one entry per pair.
    """

    def __init__(
        self,
        options: AlignOptions,
        conventions: Conventions,
        table: FeatureTable,
        relations: RelationModel | None,
        n_pairs: int,
    ) -> None:
        self._options = options
        # The maps apply to the mean of both directions.
        is_one = options.symmetrization in ONE_DIRECTION
        self._conventions = _AS_IT_IS.each * MAX_STYLES if is_one else conventions.each
        self._table = table
        self._relations = relations
        self.posteriors: list[NDArray[np.float32]] = [_NOTHING] * (n_pairs * options.posteriors)
        self.explanations: list[tuple[LinkExplanation, ...]] = [()] * (n_pairs * options.explain)
        self.phrases: list[tuple[Phrase, ...]] = [()] * (n_pairs * options.phrases)

    @property
    def has_more(self) -> bool:
        """Whether pairs without constraints have details."""
        options = self._options
        return (
            options.symmetrization is not Symmetrization.JOINT
            or options.posteriors
            or options.explain
            or options.phrases
        )

    def finish(self, number: int, decoded: DecodedPair) -> Sequence[LinkTuple]:
        """Compute and keep the details of a pair; return its links.

        The details are of the caller's pair, the links of the decoded one, which may be turned.
        """
        symmetrization = self._symmetrization(decoded)
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
                own = confidence.T if decoded.is_turned else confidence
                self.posteriors[number] = own.astype(np.float32, order="C")
        if self.phrases:
            self.phrases[number] = phrases_of(
                decoded, links, symmetrization, convention, self._relations
            )
        if self.explanations:
            own_links = sorted((j, i) if decoded.is_turned else (i, j) for i, j, _ in links)
            self.explanations[number] = tuple(
                explanation
                for link in own_links
                for explanation in explain_link(
                    self._table, decoded, *link, self._options.symmetrization
                )
            )
        return links

    def _symmetrization(self, decoded: DecodedPair) -> Symmetrization:
        own = self._options.symmetrization
        return own.turned if decoded.is_turned else own

    def _links(self, decoded: DecodedPair) -> list[LinkTuple]:
        symmetrization = self._symmetrization(decoded)
        if symmetrization is Symmetrization.JOINT:
            return decoded.links
        convention = self._conventions[decoded.style]
        links = [
            (i, j, convention.confidence(posterior, bool(decoded.unlike[i, j])))
            for i, j, posterior in links_by_label(decoded, symmetrization)
        ]
        return [link for link in links if link[2] >= self._options.min_confidence]

    def _completed(
        self,
        decoded: DecodedPair,
        links: Sequence[LinkTuple],
        confidence: NDArray[np.float64],
    ) -> list[LinkTuple]:
        """Return the links and those that constraints require; required ones have confidence 1."""
        chosen = {(i, j) for i, j, _ in links}
        if decoded.constraints is not None:
            mean = link_posteriors(decoded, Symmetrization.JOINT)
            chosen |= missing_links(decoded.constraints, chosen, mean)
        return [(i, j, float(confidence[i, j])) for i, j in sorted(chosen)]

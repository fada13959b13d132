"""Details of a decoded pair: posteriors, explanations, links by constraints, phrases.

Phrase links have confidences of their own.

    s2t[block] = P(every source token of the block is labelled with a target token of it)
    t2s[block] = P(every target token of the block is labelled with a source token of it)

over all label sequences of each chain (tokalign.crf.chains). As for a link, the style's map turns
the mean of both into the confidence; if one direction is used alone, its own probability. A block
of one link has the link's confidence; the map of unlike words is used for a block without two equal
words. In a style with a second pass, which does not score blocks, the least probability of the
block's links replaces the mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from tokalign.decoding.decoder import Conventions, DecodedPair
from tokalign.decoding.explain import explain_link
from tokalign.decoding.link_decision import Convention
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
from tokalign.types.phrases import Phrase, links_of, maximal_blocks
from tokalign.types.relations import Relation

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


def phrases_of(
    decoded: DecodedPair,
    links: Sequence[tuple[int, int, float]],
    symmetrization: Symmetrization,
    convention: Convention,
    model: RelationModel | None,
) -> tuple[Phrase, ...]:
    """Return the maximal blocks of a decoded pair's links, of the caller's pair, sorted by start.

    `links`: the chosen links. `symmetrization`: the one that chose them. `convention`: its map
    gives confidences. A block that constraints require has 1, as its links do. `model`: of the
    blocks' relations, if they are wanted.
    """
    posterior, unlike = decoded.link_posterior.item, decoded.unlike.item
    blocks = maximal_blocks((i, j) for i, j, _ in links)
    probabilities = decoded.block_probabilities(blocks).tolist()
    anchors = set(decoded.constraints.anchors) if decoded.constraints is not None else set()
    confidences = []
    for block, (s2t, t2s) in zip(blocks, probabilities, strict=True):
        own = list(links_of(block))
        if symmetrization is Symmetrization.SOURCE_TO_TARGET:
            chosen = s2t
        elif symmetrization is Symmetrization.TARGET_TO_SOURCE:
            chosen = t2s
        elif convention.is_revised:
            chosen = min([posterior(*link) for link in own])
        else:
            chosen = (s2t + t2s) / 2
        is_required = anchors and anchors.issuperset(own)
        are_unlike = all(unlike(*link) for link in own)
        confidences.append(1.0 if is_required else convention.confidence(chosen, are_unlike))
    relations: Sequence[Relation | None] = [None] * len(blocks)
    if model is not None and blocks:
        units = [(range(a, b), range(c, d)) for a, b, c, d in blocks]
        found = model.probabilities(decoded.unit_inputs(units)).tolist()
        relations = [Relation.of(each) for each in found]
    phrases = list(zip(blocks, confidences, relations, strict=True))
    if decoded.is_turned:
        phrases = sorted(
            [((c, d, a, b), each, of and of.turned()) for (a, b, c, d), each, of in phrases],
            key=itemgetter(0),
        )
    return tuple([Phrase(*block, each, of) for block, each, of in phrases])

"""Phrase links of a decoded pair, each with a confidence of its own.

    s2t[block] = P(every source token of the block is labelled with a target token of it)
    t2s[block] = P(every target token of the block is labelled with a source token of it)

over all label sequences of each chain (tokalign.crf.chains). The confidence is their mean, as that
of a link is the mean of two posteriors, read by the style's map; of a direction that is taken alone
it is that direction's. A block of one link has the confidence of the link; one without two words of
one form is read by the map of unlike words. In a style with a second pass, which says nothing of
blocks, the least probability of its links takes the mean's place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tokalign.decoding.decoder import DecodedPair
from tokalign.decoding.link_decision import Convention
from tokalign.relations.related_units import RelationModel
from tokalign.types.options import Symmetrization
from tokalign.types.phrases import Phrase, links_of, maximal_blocks
from tokalign.types.relations import Relation


def phrases_of(
    decoded: DecodedPair,
    links: Sequence[tuple[int, int, float]],
    symmetrization: Symmetrization,
    convention: Convention,
) -> tuple[Phrase, ...]:
    """Return the maximal blocks of a decoded pair's links, sorted by where they start.

    Parameters
    ----------
    decoded : DecodedPair
    links : sequence of (source, target, confidence)
        Those that were chosen.
    symmetrization : Symmetrization
        By which they were.
    convention : Convention
        Whose map gives confidences. What constraints ask for has 1, as its links have.
    """
    blocks = maximal_blocks((i, j) for i, j, _ in links)
    probabilities = decoded.block_probabilities(blocks)
    unlike = [all(bool(decoded.unlike[link]) for link in links_of(block)) for block in blocks]
    if symmetrization is Symmetrization.SOURCE_TO_TARGET:
        chosen = probabilities[:, 0]
    elif symmetrization is Symmetrization.TARGET_TO_SOURCE:
        chosen = probabilities[:, 1]
    elif convention.is_revised:
        chosen = np.array(
            [min(decoded.link_posterior[link] for link in links_of(block)) for block in blocks]
        )
    else:
        chosen = probabilities.mean(axis=1)
    anchors = set(decoded.constraints.anchors) if decoded.constraints is not None else set()
    return tuple(
        Phrase(
            *block,
            1.0 if anchors.issuperset(links_of(block)) else convention.confidence(each, are_unlike),
        )
        for block, each, are_unlike in zip(blocks, chosen.tolist(), unlike, strict=True)
    )


def related_phrases(
    decoded: DecodedPair, phrases: Sequence[Phrase], model: RelationModel
) -> tuple[Phrase, ...]:
    """Return phrases with how their two sides are related."""
    units = [
        (
            range(phrase.source_start, phrase.source_end),
            range(phrase.target_start, phrase.target_end),
        )
        for phrase in phrases
    ]
    found = model.probabilities(decoded.unit_inputs(units)).tolist() if units else []
    return tuple(
        replace(phrase, relation=Relation.of(each))
        for phrase, each in zip(phrases, found, strict=True)
    )

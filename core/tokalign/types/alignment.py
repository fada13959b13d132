"""Alignments: links of one pair, scores and explanations.

Indices are 0-based token positions and always ordered (source, target). In question answering
and entailment data the source is the passage or premise, the target the question or hypothesis.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tokalign.types.edits import Edit
from tokalign.types.links import Link, Sides
from tokalign.types.options import Direction, Symmetrization
from tokalign.types.phrases import Phrase
from tokalign.types.relations import Conflict
from tokalign.types.sentence import Sentence
from tokalign.types.views import View
from tokalign.types.words import AlignedWord, words_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class FeatureContribution:
    """One feature of an explained link, or piece of evidence; value * weight adds to the score."""

    name: str
    value: float
    weight: float


@dataclass(frozen=True, slots=True)
class LinkExplanation:
    """Why one token got its label in one direction, or which rule of a system linked two tokens.

    A system's explanation has one feature, named after the rule: 1 times the link's confidence,
    which is the score. Its direction is ``s2t``, its runner-up -1 and its margin 0.

    Attributes
    ----------
    source, target : int
        The explained link; the labelled side may be -1 on the other side for NULL.
    direction : Direction
        Which side was labelled.
    score : float
        Emission score of the label: the sum of value * weight over `features`.
    features : tuple of FeatureContribution
        Ordered by falling absolute contribution.
    runner_up : int
        Best other label of the same token by posterior; -1 for NULL.
    margin : float
        Log posterior of the label minus that of the runner-up, in nats.
    """

    source: int
    target: int
    direction: Direction
    score: float
    features: tuple[FeatureContribution, ...]
    runner_up: int
    margin: float


@dataclass(frozen=True, slots=True)
class Alignment(View):
    """The answer for one pair.

    Attributes
    ----------
    source, target : Sentence
        With the columns the annotator filled.
    links : tuple of Link
        Sorted by (source, target).
    score : float
        How much of the target the source says, in [0, 1]: `target_covered`, lowered where both
        sides conflict (tokalign.decoding._figures).
    similarity : float
        How much both sentences say the same, in [0, 1]: `covered`, where there is a `cosine` mixed
        with it, lowered where they conflict (tokalign.decoding.similarity).
    model, version : str
        Name and version of the model, or system, that decided.
    symmetrization : Symmetrization
    posteriors : float32 array, shape (n_source, n_target), or None
        Probability of every link, in [0, 1], where asked for.
    explanations : tuple of LinkExplanation
        Empty unless asked for.
    phrases : tuple of Phrase
        The maximal blocks of links by where they start, each link in at least one; see
        tokalign.types.phrases. Empty unless asked for.
    source_truncated, target_truncated : bool
        Whether the sentence's end was cut off, as AlignOptions.truncate asks.
    distance : float or None
        Of the two sentences, at least 0, where the system that decided measures one.
    style : str
        Name of the model's style that decided; empty where there are none.
    target_covered : float
        Expected share of the target's tokens that have a partner, in [0, 1]; content words
        count fully, function words and punctuation little. Both directions must support a link,
        whichever is asked for.
    covered : float
        Expected share of tokens that have a partner, in [0, 1], weighed by how rare they are, of
        the side that has less of them.
    agreement : float
        In [0, 1]: 1 without conflicts, else the product of 1 minus the strength of each.
    conflicts : tuple of Conflict
        Where both sides say unlike things in the same place. Systems find none.
    edits : tuple of Edit
        What changed from the source to the target. Every token is part of one; they are ordered by
        target, a deletion behind the edit that ends before it in the source. Empty unless asked
        for.
    cosine : float or None
        Of the two sentences' vectors, in [-1, 1], where the model has an encoder; it is computed
        with the similarity, when you first ask for one of them. None of a pair that the encoder
        did not read, unless pairs are compared by their scores; see tokalign.decoding.cascade.
    encoded : bool or None
        Whether the model's encoder read the pair, as AlignOptions.effort asks; None where the
        model has no encoder.
    """

    source: Sentence
    target: Sentence
    links: tuple[Link, ...]
    score: float
    similarity: float
    model: str
    version: str
    symmetrization: Symmetrization
    posteriors: NDArray[np.float32] | None = None
    explanations: tuple[LinkExplanation, ...] = ()
    phrases: tuple[Phrase, ...] = ()
    source_truncated: bool = False
    target_truncated: bool = False
    distance: float | None = None
    style: str = ""
    target_covered: float = 0.0
    covered: float = 0.0
    agreement: float = 1.0
    conflicts: tuple[Conflict, ...] = ()
    edits: tuple[Edit, ...] = ()
    cosine: float | None = None
    encoded: bool | None = None

    def __post_init__(self) -> None:
        # The links that were given may be of another alignment, too.
        links = Sides(self.source, self.target).placed(link.alone() for link in self.links)
        object.__setattr__(self, "links", links)

    @property
    def source_words(self) -> tuple[AlignedWord, ...]:
        """The words of the source, each with its links."""
        links: dict[int, list[Link]] = {}
        for link in self.links:
            links.setdefault(link.source, []).append(link)
        return words_of(self.source, links, self.posteriors)

    @property
    def target_words(self) -> tuple[AlignedWord, ...]:
        """The words of the target, each with its links."""
        links: dict[int, list[Link]] = {}
        for link in self.links:
            links.setdefault(link.target, []).append(link)
        posteriors = None if self.posteriors is None else self.posteriors.T
        return words_of(self.target, links, posteriors)

    def to_pharaoh(self) -> str:
        """Return the links as ``"0-0 1-2"``, ordered by source, then target."""
        return " ".join(f"{link.source}-{link.target}" for link in self.links)

"""Fields of an alignment, and explanations of its links."""

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


@dataclass(frozen=True, slots=True, repr=False)
class AlignmentFields(View):
    """Base of `Alignment`, which describes the fields."""

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

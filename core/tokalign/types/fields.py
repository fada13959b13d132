"""Fields of an alignment, and explanations of its links.

Only `AlignmentFields` and `OUTPUTS` list the fields: columns, JSON and messages follow them.
CONTRIBUTING.md says what else a new field needs.
"""

import enum
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from tokalign.types.edits import Edit
from tokalign.types.links import Link, Phrase, Sides
from tokalign.types.options import Direction, Symmetrization
from tokalign.types.relations import Conflict
from tokalign.types.sentence import Sentence, View

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
    """Why a token got its label in one direction, or the rule by which a system linked two tokens.

    A published system's explanation has one feature, named after the rule: 1 times the link's
    confidence, which is the score. Its direction is ``s2t``, its runner-up -1 and its margin 0.

    Attributes
    ----------
    source, target : int
        The explained link; -1 on the unlabelled side means NULL.
    direction : Direction
        Direction of the labelling.
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

    def turned(self) -> "LinkExplanation":
        """Return the explanation with source and target exchanged."""
        return replace(
            self, source=self.target, target=self.source, direction=self.direction.turned
        )


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
    posteriors: "NDArray[np.float32] | None" = None
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
        # The given links may belong to another alignment, too.
        links = Sides(self.source, self.target).placed(link.alone() for link in self.links)
        object.__setattr__(self, "links", links)


_DEFAULTS = {
    each.name: each.default for each in fields(AlignmentFields) if each.default is not MISSING
}


class Kept(enum.Enum):
    """How AlignmentColumns store a field."""

    NUMBERS = enum.auto()
    """A float64 array, shape (n_pairs,)."""
    EACH = enum.auto()
    """A sequence of one value per pair; empty if all have the field's default."""
    ONCE = enum.auto()
    """One value for all pairs."""
    OTHERWISE = enum.auto()
    """Computed by a function of `columns`."""


@dataclass(frozen=True, slots=True)
class Output:
    """A field of alignments: how columns store it, and when JSON has it."""

    name: str
    kept: Kept = Kept.OTHERWISE
    column: str = ""  # attribute of AlignmentColumns; by default the field's name
    is_figure: bool = False  # whether JSON lists it with similarity, score and their components
    # Whether JSON has it even with the default value; phrases and edits, if asked for
    is_always_shown: bool = False
    default: Any = field(init=False)  # the field's default; None without one

    def __post_init__(self) -> None:
        object.__setattr__(self, "default", _DEFAULTS.get(self.name))


OUTPUTS: tuple[Output, ...] = (
    Output("source", is_always_shown=True),
    Output("target", is_always_shown=True),
    Output("links", is_always_shown=True),
    Output("similarity", Kept.NUMBERS, "aligned_similarity", True, True),
    Output("score", Kept.NUMBERS, is_figure=True, is_always_shown=True),
    Output("covered", Kept.NUMBERS, is_figure=True, is_always_shown=True),
    Output("target_covered", Kept.NUMBERS, is_figure=True, is_always_shown=True),
    Output("agreement", Kept.NUMBERS, is_figure=True, is_always_shown=True),
    Output("cosine", is_figure=True),
    Output("encoded", Kept.ONCE, is_figure=True),
    Output("symmetrization", Kept.ONCE, is_always_shown=True),
    Output("model", Kept.ONCE, is_always_shown=True),
    Output("version", Kept.ONCE, is_always_shown=True),
    Output("style", Kept.EACH, "styles"),
    Output("distance", Kept.EACH),
    Output("conflicts"),
    Output("source_truncated"),
    Output("target_truncated"),
    Output("relations"),  # not a field but part of the links, separate in JSON
    Output("posteriors", Kept.EACH),
    Output("explanations", Kept.EACH),
    Output("phrases", Kept.EACH, is_always_shown=True),
    Output("edits", Kept.EACH, is_always_shown=True),
)
"""All fields, in the order of JSON."""

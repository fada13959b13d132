"""Training settings, and those of published systems."""

import math
from dataclasses import dataclass

from tokalign.errors import InputError, quoted
from tokalign.features.templates import DEFAULT_GROUPS

POSSIBLE_CHOICES = ("ignore", "free", "half", "sure")


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """Settings of a training.

    Attributes
    ----------
    feature_groups : tuple of str
        Names out of tokalign.features.templates.GROUP_NAMES, or single templates, such as
        ``position/edges``.
    l2 : float
        Penalty ``l2 / 2 * |weights|^2``.
    cost : float
        Hamming cost of a wrong label, in nats.
    possible : str
        Use of possible links: "ignore" (not links, so wrong), "free" (not required, but without
        cost), "half" (right, but at half the cost of a wrong label), or "sure" (links like others).
    possible_in : tuple of (str, str)
        Corpora, by name, with a choice of their own.
    styles : tuple of (str, str)
        Every corpus, by name, and its style; the model then has these styles to choose from. The
        first style is the default.
    unrelated_importance : float
        Factor of each unrelated pair's loss.
    patience : int
        With development data: number of iterations without a lower loss on it before training
        stops.

    InputError is raised if a number is out of range, or a choice is not one of POSSIBLE_CHOICES.
    """

    feature_groups: tuple[str, ...] = DEFAULT_GROUPS
    l2: float = 8.0
    cost: float = 1.0
    max_iterations: int = 100
    possible: str = "ignore"
    possible_in: tuple[tuple[str, str], ...] = ()
    styles: tuple[tuple[str, str], ...] = ()
    unrelated_importance: float = 0.5
    patience: int = 10

    def __post_init__(self) -> None:
        for choice in (self.possible, *(choice for _, choice in self.possible_in)):
            if choice not in POSSIBLE_CHOICES:
                raise InputError(
                    f"possible is {quoted(choice)}; wanted one of {', '.join(POSSIBLE_CHOICES)}"
                )
        for name in ("l2", "cost", "unrelated_importance"):
            if not 0 <= getattr(self, name) < math.inf:
                raise InputError(f"{name} is {getattr(self, name)}; wanted a number of at least 0")
        for name in ("max_iterations", "patience"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} is {getattr(self, name)}; wanted at least 1")


_YAO = (
    "string", "pos", "position/position", "wordnet", "neighbour", "null/null_bias",
)  # fmt: skip
PUBLISHED: dict[str, TrainingSettings] = {
    "yao2013": TrainingSettings(feature_groups=_YAO),
    "sharma2018": TrainingSettings(
        feature_groups=(*_YAO, "lexical/lexical_class", "lexical/unrelated", "distributional")
    ),
}
"""Feature sets and settings of published systems that train a chain; docs/results.md names
their papers."""

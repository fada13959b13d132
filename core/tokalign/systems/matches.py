"""Matches of a published system, and the protocol of such systems."""

from collections.abc import Iterable
from typing import NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from tokalign.types import Sentence


class Matches(NamedTuple):
    """The distinct links of one pair, column by column, sorted by (source, target)."""

    source: NDArray[np.int32]  # [n_links] 0-based token indices
    target: NDArray[np.int32]  # [n_links]
    confidence: NDArray[np.float32]  # [n_links] in [0, 1]; each system defines its meaning
    rules: tuple[str, ...]  # [n_links] name of the rule or edit that linked each
    distance: float | None = None  # of the two sentences, at least 0, if the system measures it

    @classmethod
    def of(
        cls, links: Iterable[tuple[int, int, float, str]], distance: float | None = None
    ) -> Self:
        """Return matches of links (source, target, confidence, rule) in any order."""
        ordered = sorted(links)
        return cls(
            np.array([link[0] for link in ordered], dtype=np.int32),
            np.array([link[1] for link in ordered], dtype=np.int32),
            np.array([link[2] for link in ordered], dtype=np.float32),
            tuple(link[3] for link in ordered),
            distance,
        )


class System(Protocol):
    """Aligns annotated pairs without a model's weights; threads may share one.

    A system that looks up words in a table names it in its attribute `table`.
    """

    name: str  # in SYSTEMS
    uses_trees: bool  # whether the sentences that it aligns must have heads and relations

    def align(self, source: Sentence, target: Sentence) -> Matches:
        """Return the links of a pair with tags and lemmas, and with trees if it uses them."""

"""Scores of links, of unaligned words, and of both.

An unaligned word is linked with NULL. Scores of links do not say how well a system recognises words
without a counterpart, which is half of the use of a comparison.

References
----------
Arase, Bao and Yokoi (2023), ACL: Unbalanced Optimal Transport for Unbalanced Word Alignment.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from tokalign.evaluate.counts import choose_links, harmonic_mean, precision_recall
from tokalign.types import GoldPair, Links
from tokalign.types.options import LinkChoice

_Word = tuple[str, int]
"""Side and index of a token."""


@dataclass(frozen=True, slots=True)
class ShareScores:
    """Macro averages over pairs, and the harmonic mean of both; in [0, 1]."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True)
class NullScores:
    """Scores of links, of unaligned words, and of both pooled."""

    links: ShareScores
    nulls: ShareScores
    total: ShareScores

    def to_json(self) -> dict[str, object]:
        """Return one object of plain values."""
        return asdict(self)


def null_scores(
    gold: Sequence[GoldPair], predictions: Sequence[Links], choice: LinkChoice = LinkChoice.SURE
) -> NullScores:
    """Return the scores of predicted links and of unaligned words.

    If possible links count neither way, neither do words that have only such links.
    """
    rows = []
    for pair, predicted in zip(gold, predictions, strict=True):
        wanted, found = choose_links(pair, predicted, choice)
        ignored = (
            _words(pair.possible - pair.sure) if choice is LinkChoice.IGNORE_POSSIBLE else set()
        )
        every = {("source", k) for k in range(len(pair.source))}
        every |= {("target", k) for k in range(len(pair.target))}
        alone = [every - _words(links) - ignored for links in (wanted, found)]
        right = len(wanted & found), len(alone[0] & alone[1])
        counts = [(right[0], len(found), len(wanted)), (right[1], len(alone[1]), len(alone[0]))]
        counts.append((sum(right), len(found) + len(alone[1]), len(wanted) + len(alone[0])))
        rows.append([precision_recall(*each) for each in counts])
    means = np.array(rows, dtype=np.float64).mean(axis=0).tolist()
    return NullScores(*(ShareScores(p, r, harmonic_mean(p, r)) for p, r in means))


def _words(links: Links) -> set[_Word]:
    return {("source", i) for i, _ in links} | {("target", j) for _, j in links}

"""Phrase links: the maximal blocks of an alignment.

A block is a run of source tokens and a run of target tokens, in which every token is linked with
every token of the other side. It is maximal if no other block contains it. Annotators mark phrases
so ("shut down" with "closed"): Yao, Van Durme, Callison-Burch and Clark (2013), EMNLP: Semi-Markov
Phrase-Based Monolingual Alignment, section 2.

A model gives a block a probability: that every token of either side is linked within the block,
computed over each direction's chain and averaged. It is not a function of its links' probabilities:
if one word is linked with two, the direction that labels the one word divides its probability
between two links, but the block keeps all of it.
"""

from dataclasses import dataclass, field

from tokalign.types.relations import Relation


@dataclass(frozen=True, slots=True, order=True)
class Phrase:
    """One maximal block, possibly a single link.

    Attributes
    ----------
    source_start, source_end : int
        Half-open range of source tokens.
    target_start, target_end : int
        Half-open range of target tokens.
    confidence : float
        In [0, 1]. For a model, the probability that both sides are linked only within the block,
        calibrated like links; a single link keeps its own. For a published system, the least
        confidence of the block's links.
    relation : Relation or None
        Relation of both sides, if asked for. Phrases are compared without it.
    """

    source_start: int
    source_end: int
    target_start: int
    target_end: int
    confidence: float = 1.0
    relation: Relation | None = field(default=None, compare=False)

    def turned(self) -> "Phrase":
        """Return the phrase with source and target exchanged."""
        return Phrase(
            self.target_start,
            self.target_end,
            self.source_start,
            self.source_end,
            self.confidence,
            self.relation and self.relation.turned(),
        )

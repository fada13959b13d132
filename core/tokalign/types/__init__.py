"""Plain values that all packages exchange; importing them is cheap."""

from tokalign.types.alignment import Alignment
from tokalign.types.fields import FeatureContribution, LinkExplanation
from tokalign.types.links import GoldPair, Link, Links
from tokalign.types.sentence import AnnotatedPair, Pair, PairLike, Sentence, SentenceLike

__all__ = [
    "Alignment",
    "AnnotatedPair",
    "FeatureContribution",
    "GoldPair",
    "Link",
    "LinkExplanation",
    "Links",
    "Pair",
    "PairLike",
    "Sentence",
    "SentenceLike",
]

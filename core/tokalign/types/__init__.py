"""Plain values that everything else passes around; they import nothing heavy."""

from tokalign.types.alignment import Alignment
from tokalign.types.fields import FeatureContribution, LinkExplanation
from tokalign.types.links import GoldPair, Link, Links
from tokalign.types.ranking import Highlight, Judgement, PassageSentence, Ranked
from tokalign.types.sentence import AnnotatedPair, Pair, PairLike, Sentence, SentenceLike

__all__ = [
    "Alignment",
    "AnnotatedPair",
    "FeatureContribution",
    "GoldPair",
    "Highlight",
    "Judgement",
    "Link",
    "LinkExplanation",
    "Links",
    "Pair",
    "PairLike",
    "PassageSentence",
    "Ranked",
    "Sentence",
    "SentenceLike",
]

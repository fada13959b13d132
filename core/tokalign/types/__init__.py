"""Plain values that everything else passes around; they import nothing heavy."""

from tokalign.types.alignment import (
    Alignment,
    FeatureContribution,
    Link,
    LinkExplanation,
)
from tokalign.types.gold import GoldPair, Links
from tokalign.types.ranking import Highlight, Judgement, PassageSentence
from tokalign.types.sentence import AnnotatedPair, Pair, Sentence, SentenceLike

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
    "PassageSentence",
    "Sentence",
    "SentenceLike",
]

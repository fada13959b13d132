"""Hand-made gold pairs."""

from tokalign.types import GoldPair, Sentence


def gold_pair(source, target, sure, possible=(), name="1"):
    """Return a GoldPair; a side is its tokens, or a word whose letters are the tokens."""
    return GoldPair(
        name,
        Sentence.from_tokens(list(source)),
        Sentence.from_tokens(list(target)),
        frozenset(sure),
        frozenset(possible),
    )

"""Groups of sentences that pairs lead from one to the other."""

from __future__ import annotations

from collections.abc import Iterable

from tokalign.types import GoldPair

SentenceTokens = tuple[str, ...]


def sentence_groups(pairs: Iterable[GoldPair]) -> dict[SentenceTokens, SentenceTokens]:
    """Return, for the tokens of each sentence, those of the sentence that stands for its group.

    Examples
    --------
    >>> from tokalign.types import GoldPair, Sentence
    >>> a, b, c, d = (Sentence.from_tokens([word]) for word in "abcd")
    >>> pairs = [GoldPair("", *two, frozenset()) for two in ((a, b), (c, b), (d, d))]
    >>> groups = sentence_groups(pairs)
    >>> [groups[(word,)] for word in "abcd"]
    [('b',), ('b',), ('b',), ('d',)]
    """
    leader: dict[SentenceTokens, SentenceTokens] = {}

    def leader_of(tokens: SentenceTokens) -> SentenceTokens:
        while leader.setdefault(tokens, tokens) != tokens:
            tokens = leader[tokens]
        return tokens

    for pair in pairs:
        leader[leader_of(tuple(pair.source.tokens))] = leader_of(tuple(pair.target.tokens))
    return {tokens: leader_of(tokens) for tokens in [*leader]}

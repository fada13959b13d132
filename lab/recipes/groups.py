"""Groups of what belongs together, as sentences that pairs lead from one to the other."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, TypeVar

from tokalign.types import GoldPair

SentenceTokens = tuple[str, ...]
T = TypeVar("T")


class Clusters(Generic[T]):
    """Disjoint sets that grow together; whatever was never joined is one of its own."""

    def __init__(self) -> None:
        self._parent: dict[T, T] = {}

    def find(self, one: T) -> T:
        """Return what stands for a member's cluster."""
        path = [one]
        while (parent := self._parent.get(path[-1], path[-1])) != path[-1]:
            path.append(parent)
        for each in path:
            self._parent[each] = path[-1]
        return path[-1]

    def join(self, a: T, b: T) -> None:
        """Make two clusters one, for which stands what stood for that of b."""
        self._parent[self.find(a)] = self.find(b)


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
    clusters: Clusters[SentenceTokens] = Clusters()
    sides = [(tuple(pair.source.tokens), tuple(pair.target.tokens)) for pair in pairs]
    for source, target in sides:
        clusters.join(source, target)
    return {tokens: clusters.find(tokens) for both in sides for tokens in both}

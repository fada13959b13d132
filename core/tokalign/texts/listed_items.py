"""Sentences that became the items of a list, or items that became a sentence."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from tokalign.english.annotate.prepared import is_short
from tokalign.english.reading import words_of
from tokalign.texts.split_text import MOST_TOKENS
from tokalign.types.texts import SentenceSpan

_ITEM = re.compile(r"(?:[-+*\u2022]|#\.|\(?(?:\d{1,3}|[a-z]|[ivx]{1,4})[.)])\s")
_WORD = re.compile(r"\w+")
LEAST_SHARED = 0.5
"""Least share of the words of a list that a sentence has, too."""
MOST_HELD = 50
"""Words in more sentences than this are not looked up."""


def listed_items(
    sentences: Sequence[SentenceSpan],
    others: Sequence[SentenceSpan],
    paired: tuple[Collection[int], Collection[int]],
) -> Iterator[tuple[int, int, int]]:
    """Yield a sentence of one text, and the first and the number of those of the other text that
    are its list: three or more, of which all but the first are items. Sentences of both texts that
    are `paired` are identical with one of the other text."""
    runs = [*_runs(others, paired[1])]
    if not runs:
        return
    holders: dict[str, list[int]] = {}
    for k, each in enumerate(sentences):
        if k not in paired[0]:
            for word in _words([each]):
                holders.setdefault(word, []).append(k)
    for first, end in runs:
        words = _words(others[first:end])
        shared = Counter(
            k
            for word in words
            if len(holders.get(word, ())) <= MOST_HELD
            for k in holders.get(word, ())
        )
        for k, n in shared.most_common(1):
            text = " ".join(each.text for each in others[first:end])
            if n >= LEAST_SHARED * len(words) and is_short(text, MOST_TOKENS):
                yield k, first, end - first


def _runs(sentences: Sequence[SentenceSpan], paired: Collection[int]) -> Iterator[tuple[int, int]]:
    """Yield the ranges of sentences that are lists with what introduces them."""
    k = 0
    while k < len(sentences):
        first = k
        while k < len(sentences) and k not in paired and _ITEM.match(sentences[k].text):
            k += 1
        if first and first - 1 not in paired and sentences[first - 1].text.endswith(":"):
            first -= 1
        if k - first > 2:
            yield first, k
        k += 1


def _words(sentences: Sequence[SentenceSpan]) -> set[str]:
    return {word for each in sentences for word in _WORD.findall(words_of(each.text).lower())}

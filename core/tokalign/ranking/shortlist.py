"""The candidates that share most with a query, found without annotating anything.

    idf(stem)  = log(1 + (n - n_with + 0.5) / (n_with + 0.5)),  of n candidates
    overlap    = sum of the idf of the query's stems that the candidate holds

Function words and question words count nothing. Stems are found in words of letters and digits.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from tokalign.english.lexicon.stems import stem
from tokalign.english.lexicon.word_lists import WH_WORDS, function_words

_WORD = re.compile(r"\w+")


def shortlist(query: str, candidates: Sequence[str], n: int) -> list[int]:
    """Return which candidates have the largest overlap with a query.

    Parameters
    ----------
    query : str
    candidates : sequence of str
    n : int
        How many to return at most, at least 1.

    Returns
    -------
    list of int
        Rising indices of candidates. Of equal ones the first are taken.

    Notes
    -----
    Time and memory are linear in the length of the candidates.

    Examples
    --------
    >>> shortlist("Who bakes bread?", ["It rains.", "A baker bakes.", "He sells bread."], 2)
    [1, 2]
    """
    if len(candidates) <= n:
        return list(range(len(candidates)))
    unasked = WH_WORDS.union(function_words())
    asked = {stem(word) for word in _WORD.findall(query.lower()) if word not in unasked}
    stems: dict[str, str] = {}
    held = [_held(text, asked, stems) for text in candidates]
    n_with = Counter(each for own in held for each in own)
    idf = {
        each: math.log(1 + (len(candidates) - count + 0.5) / (count + 0.5))
        for each, count in n_with.items()
    }
    overlaps = [math.fsum(idf[each] for each in own) for own in held]
    return sorted(sorted(range(len(candidates)), key=lambda k: -overlaps[k])[:n])


def _held(text: str, asked: set[str], stems: dict[str, str]) -> set[str]:
    """Return the asked stems that a text holds; `stems` remembers those of words."""
    found = set()
    for word in set(_WORD.findall(text.lower())):
        if (own := stems.get(word)) is None:
            own = stems[word] = stem(word)
        if own in asked:
            found.add(own)
    return found

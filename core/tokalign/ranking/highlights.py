"""Spans of a candidate that match the question, to be shown marked.

A word matches where it is linked with a word of the question and both are content words. Words that
match are one span where only function words or marks stand between them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from statistics import fmean

from tokalign.english.lexicon.word_lists import WH_WORDS, function_words
from tokalign.types import Alignment
from tokalign.types.ranking import Highlight

MOST_BETWEEN = 2
"""Function words and marks that a span may have between two words that match."""


def highlights_of(alignment: Alignment, start: int = 0) -> list[Highlight]:
    """Return what of a candidate (source) matches the question (target).

    Parameters
    ----------
    alignment : Alignment
        With both sentences.
    start : int
        Where the sentence starts in the candidate, in the unit of the sentence's offsets.

    Returns
    -------
    list of Highlight
        In order; none overlaps another.
    """
    source, target = alignment.source, alignment.target
    confidences: dict[int, float] = {}
    for link in alignment.links:
        if _is_content(source.tokens[link.source]) and _is_content(target.tokens[link.target]):
            best = confidences.get(link.source, 0.0)
            confidences[link.source] = max(best, link.confidence)
    return [
        Highlight(
            start + source.starts[run[0]],
            start + source.ends[run[-1]],
            fmean(confidences[i] for i in run),
        )
        for run in _runs(sorted(confidences), source.tokens)
    ]


def _runs(matching: Iterable[int], tokens: Sequence[str]) -> list[list[int]]:
    """Return the words that match, those of one span together."""
    runs: list[list[int]] = []
    for i in matching:
        if runs and _are_joined(runs[-1][-1], i, tokens):
            runs[-1].append(i)
        else:
            runs.append([i])
    return runs


def _are_joined(first: int, last: int, tokens: Sequence[str]) -> bool:
    between = tokens[first + 1 : last]
    return len(between) <= MOST_BETWEEN and not any(map(_is_content, between))


def _is_content(token: str) -> bool:
    return any(map(str.isalnum, token)) and token.lower() not in _others()


@cache
def _others() -> frozenset[str]:
    return WH_WORDS.union(function_words())

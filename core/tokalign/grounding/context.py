"""Inputs of the support of a word that come from the words around it.

Each word has log odds by its own inputs (tokalign.grounding.inputs). The support comes of these and
of those of the words around it, of which function words and marks, without much to be told by, need
most:

    own                     of the word itself
    left, right             of the content word before and after it
    head, child             of the content word above it in the tree, the least of those below it
    before, after           of the next word, whatever it is
    mean, least             over the content words of the sentence
    function-X, mark-X, value-X   X where the word is of that kind
    no-X                    whether there is no X
    tag-T, after-T          whether the word's tag, or that of the word before it, begins with T
    place, from-start, from-end   where in the sentence the word is

The log odds are cut off at 5 to each side.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tokalign.grounding.candidates import AnswerWords
from tokalign.grounding.words import KINDS
from tokalign.types.grounding import WordKind

MOST = 5.0
PARTS = ("own", "left", "right", "head", "before", "after", "child", "mean", "least")
_BY_KIND = tuple(map(KINDS.index, (WordKind.FUNCTION, WordKind.MARK, WordKind.VALUE)))
_TAGS = ("IN", "DT", "CC", "TO", "PRP", "VB", "RB", "CD", "NNP", "NNS", "JJ")
N_PARTS = len(PARTS)
CONTEXT_INPUTS: tuple[str, ...] = (
    *PARTS,
    *(f"{KINDS[kind]}-{part}" for kind in _BY_KIND for part in PARTS),
    *(f"no-{part}" for part in PARTS[1:]),
    *(f"is-{kind}" for kind in KINDS),
    *(f"tag-{tag}" for tag in _TAGS),
    *(f"after-{tag}" for tag in _TAGS),
    "place", "from-start", "from-end",
)  # fmt: skip
_FAR = 10.0


def context_inputs(words: AnswerWords, log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what each word's support is told by, shape (n_words, n_context_inputs).

    Parameters
    ----------
    words : AnswerWords
    log_odds : float64 array, shape (n_words,)
        Of each word by its own inputs.
    """
    n_words = len(words.kinds)
    own = np.clip(log_odds, -MOST, MOST)
    is_content = [False] * n_words
    for at in words.content:
        is_content[at] = True
    places = _places(words, is_content)
    padded = np.append(own, 0.0)  # -1 is no word
    parts = np.empty((n_words, N_PARTS))
    parts[:, 0] = own
    parts[:, 1:6] = padded[places]
    missing = np.zeros((n_words, N_PARTS - 1))
    missing[:, :5] = places < 0
    below = _least_below(words, own, is_content)
    parts[:, 6] = np.where(np.isinf(below), 0.0, below)
    missing[:, 5] = np.isinf(below)
    content = own[words.content]
    parts[:, 7] = content.mean() if len(content) else 0.0
    parts[:, 8] = content.min() if len(content) else 0.0
    missing[:, 6:] = not len(content)
    kinds = words.of_kind
    of_kind = [parts * kinds[:, [kind]] for kind in _BY_KIND]
    tags = words.sentence.tags or ()
    has_tag = np.array([_tag_row(tag) for tag in tags])
    after_tag = np.concatenate([np.zeros((1, len(_TAGS))), has_tag[:-1]])
    order = np.arange(n_words)
    place = np.stack(
        [order / n_words, np.minimum(order / _FAR, 1), np.minimum(order[::-1] / _FAR, 1)],
        axis=1,
    )
    return np.concatenate([parts, *of_kind, missing, kinds, has_tag, after_tag, place], axis=1)


def _places(words: AnswerWords, is_content: Sequence[bool]) -> NDArray[np.int64]:
    """Return the content words before, after and above each word, and its neighbours; -1 where
    there is none."""
    n_words = len(words.kinds)
    heads = words.sentence.heads
    before, after, above = [-1] * n_words, [-1] * n_words, [-1] * n_words
    last = -1
    for at in range(n_words):
        before[at] = last
        last = at if is_content[at] else last
        if heads is not None:
            above[at] = _above(heads, at, is_content)
    last = -1
    for at in range(n_words - 1, -1, -1):
        after[at] = last
        last = at if is_content[at] else last
    following = [*range(1, n_words), -1]
    return np.array([before, after, above, range(-1, n_words - 1), following]).T


@lru_cache(256)
def _tag_row(tag: str) -> tuple[float, ...]:
    """Return 1 for each of _TAGS that a tag begins with."""
    return tuple(float(tag.startswith(each)) for each in _TAGS)


def _above(heads: Sequence[int], at: int, is_content: Sequence[bool]) -> int:
    """Return the nearest content word above a word in the tree, or -1."""
    at = heads[at]
    while at >= 0 and not is_content[at]:
        at = heads[at]
    return at


def _least_below(
    words: AnswerWords, own: NDArray[np.float64], is_content: Sequence[bool]
) -> NDArray[np.float64]:
    """Return the least of the content words right below each word; infinite where there is none."""
    found = np.full(len(own), np.inf)
    for at, head in enumerate(words.sentence.heads or ()):
        if head >= 0 and is_content[at]:
            found[head] = min(found[head], own[at])
    return found

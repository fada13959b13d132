"""Sentences as sets of lemmas, which count more the rarer they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tokalign.english.lexicon.likeness import is_content
from tokalign.types import Sentence

MOST_COPIES: Final = 3


def weighed_lemmas(sentence: Sentence, idf: Callable[[str], float]) -> list[str]:
    """Return a sentence's content lemmas in lower case, each once and rarer ones with copies.

    A set of them has a lemma of idf 1 three times, one of idf 0.5 twice, the commonest once. So the
    Jaccard overlap of two sets weighs words by how rare they are, nearly as similarity does.

    Parameters
    ----------
    sentence : Sentence
        With lemmas.
    idf : callable
        Lower-case lemma to its weight in [0, 1]; see tokalign.english.lexicon.word_weights.

    Returns
    -------
    list of str
        All different. A sentence without a content word has all of its lemmas.

    Examples
    --------
    >>> dog = Sentence.from_tokens(["The", "dog"], lemmas=["the", "dog"])
    >>> weighed_lemmas(dog, {"the": 0.0, "dog": 0.7}.__getitem__)
    ['dog', 'dog#1']
    """
    words = list(zip(sentence.tokens, sentence.lemmas or sentence.tokens, strict=True))
    content = dict.fromkeys(lemma.lower() for token, lemma in words if is_content(token))
    lemmas = content or dict.fromkeys(lemma.lower() for _, lemma in words)
    return [
        lemma if copy == 0 else f"{lemma}#{copy}"
        for lemma in lemmas
        for copy in range(max(1, round(MOST_COPIES * idf(lemma))))
    ]

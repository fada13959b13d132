"""Similar and unlike words of two sentences, found without aligning them.

Unrelated sentences may still share words and names, and annotators link those. But they do not link
a content word with an unlike word: only that is known of a pair that was judged unrelated.
"""

from itertools import groupby

from tokalign.english.lexicon.word_lists import canonical, function_words
from tokalign.english.spelling.same_spelling import stem
from tokalign.types import Sentence

NAME_TAGS = ("NNP", "NNPS")

_FUNCTION_WORDS = frozenset(function_words())


def is_content(token: str) -> bool:
    """Whether a token is a number, or a word but not a function word.

    Examples
    --------
    >>> [is_content(token) for token in ("Dogs", "7", "of", "--")]
    [True, True, False, False]
    """
    return token.lower() not in _FUNCTION_WORDS and any(map(str.isalnum, token))


def unlike_cells(source: Sentence, target: Sentence) -> frozenset[tuple[int, int]]:
    """Return the cells that pair a content word with an unlike word.

    Two words are alike if they share their form without case, lemma, canonical form or stem, or
    if they belong to names that share a word. Pairs of function words or of punctuation are never
    unlike cells: their links in unrelated sentences are not known. The sentences have tags and
    lemmas; cells are (source, target), 0-based.

    Examples
    --------
    >>> cats = Sentence.from_tokens(["The", "cats"], tags=["DT", "NNS"], lemmas=["the", "cat"])
    >>> a_dog = Sentence.from_tokens(["A", "dog"], tags=["DT", "NN"], lemmas=["a", "dog"])
    >>> sorted(unlike_cells(cats, a_dog))
    [(0, 1), (1, 0), (1, 1)]
    """
    keys = [
        [
            {token.lower(), lemma.lower(), canonical(token), stem(token.lower())}
            for token, lemma in zip(sentence.tokens, sentence.lemmas or (), strict=True)
        ]
        for sentence in (source, target)
    ]
    names = [_names(sentence) for sentence in (source, target)]
    content = [[is_content(token) for token in s.tokens] for s in (source, target)]
    return frozenset(
        (i, j)
        for i in range(len(source))
        for j in range(len(target))
        if (content[0][i] or content[1][j])
        and keys[0][i].isdisjoint(keys[1][j])
        and names[0][i].isdisjoint(names[1][j])
    )


def _names(sentence: Sentence) -> list[frozenset[str]]:
    """Return, for each token, the words of the name that it is part of; empty outside names."""
    names: list[frozenset[str]] = []
    tagged = zip(sentence.tokens, sentence.tags or (), strict=False)
    for is_name, run in groupby(tagged, lambda each: each[1] in NAME_TAGS):
        words = [token.lower() for token, _ in run]
        names += [frozenset(words if is_name else ())] * len(words)
    return names

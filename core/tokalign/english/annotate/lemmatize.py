"""Lemmas by WordNet's morphy: exception lists, then rules of detachment checked in WordNet.

See morphy(7WN). Closed-class forms and proper nouns, which WordNet does not hold, have small
tables of their own.
"""

import re
from functools import cache, lru_cache

from tokalign.english.lexicon.lexical_tables import WordNet
from tokalign.errors import ResourceError
from tokalign.files.shipped import LISTS
from tokalign.files.tables import Table

MAX_REMEMBERED = 100_000
REMEMBERED_CHARACTERS = 64

_DETACHMENTS = [
    (name, [word.split("/") for word in words]) for name, words in LISTS.rows["detachments"]
]
"""Parts of speech as WordNet's files name them, each with endings and what they stand for."""
_NOUN, _ADJECTIVE, _ADVERB = 0, 2, 3
_REGULAR_PLURAL = re.compile(r"[^\W\d_]{3}(?<![siu])s$")
_POS_OF_TAG = {"N": 0, "V": 1, "J": 2, "R": 3}

CLOSED = {
    tuple(form.split("/")): lemma for form, lemma in LISTS.values("closed-forms", str).items()
}
"""Lemma of a lower-case form under the first letter of its Penn tag."""


class Lemmatizer:
    """Lemmas of English words under their Penn tags, by the shipped WordNet or another one.

    Raises ResourceError if the table's lists of exceptions are missing or damaged.
    """

    def __init__(self, wordnet: WordNet | None = None) -> None:
        self._wordnet = wordnet or WordNet.open_shipped()
        self._exceptions = [
            _exceptions(self._wordnet.source, f"exceptions_{name}") for name, _ in _DETACHMENTS
        ]
        self._known = lru_cache(MAX_REMEMBERED)(self._look_up)

    def lemmatize(self, token: str, tag: str) -> str:
        """Return the lemma of a token with a Penn Treebank tag.

        It is lower-case except in proper nouns and "I". If no rule leads to a word of WordNet, it
        is the lower-case token itself, without -s if it is a plural.

        Examples
        --------
        >>> lemmatizer = Lemmatizer()
        >>> [lemmatizer.lemmatize(*word) for word in (("Geese", "NNS"), ("saw", "VBD"))]
        ['goose', 'see']
        """
        # A string longer than any real word is not worth its memory.
        is_short = len(token) + len(tag) <= REMEMBERED_CHARACTERS
        return self._known(token, tag) if is_short else self._look_up(token, tag)

    def _look_up(self, token: str, tag: str) -> str:
        lower = token.lower()
        closed = CLOSED.get((lower, tag[:1]))
        if closed is not None:
            return closed
        if tag == "NNP":
            return token
        if tag == "NNPS":
            singular = self._morphy(lower, 0)
            return singular.capitalize() if singular != lower else token
        pos = _POS_OF_TAG.get(tag[:1])
        if pos is None or tag in ("NN", "VB", "JJ", "RB", "RP"):
            return lower
        if tag in ("RBR", "RBS") and lower not in self._exceptions[_ADVERB]:
            # Compared like adjectives: "later" is "late".
            candidate = self._morphy(lower, _ADJECTIVE)
            return candidate if self._wordnet.entry(candidate, _ADVERB) >= 0 else lower
        return self._morphy(lower, pos)

    def _morphy(self, lower: str, pos: int) -> str:
        exception = self._exceptions[pos].get(lower)
        if exception is not None:
            return exception
        for suffix, ending in _DETACHMENTS[pos][1]:
            if lower.endswith(suffix) and len(lower) > len(suffix):
                candidate = lower[: -len(suffix)] + ending
                if self._wordnet.entry(candidate, pos) >= 0:
                    return candidate
        if self._wordnet.entry(lower, pos) < 0 and pos == _NOUN and _REGULAR_PLURAL.search(lower):
            return lower[:-1]
        return lower


def _exceptions(table: Table, name: str) -> dict[str, str]:
    """Return the irregular forms of a part of speech and their lemmas."""
    try:
        return dict(line.split(" ") for line in table.strings(name))
    except ValueError as error:
        raise ResourceError(
            f"{table.path}: a line of {name!r} is not two words with a space between them"
        ) from error


@cache
def shared_lemmatizer() -> Lemmatizer:
    """Return one lemmatizer for the process."""
    return Lemmatizer()

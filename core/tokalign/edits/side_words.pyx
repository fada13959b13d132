"""Kinds, weights and lemmas of the words of both sides, and matrices of links and equal words."""

from libc.stdint cimport int32_t, uint8_t

from typing import NamedTuple

import numpy as np

from tokalign.english.lexicon.word_lists import KNOWN, LONGEST, function_words

PUNCTUATION, COMMA = 0, 12
_CONJUNCTION, _OTHER = 13, 14
_KINDS = {"N": 1, "V": 2, "M": 2, "J": 3, "R": 4, "C": 5, "D": 6, "I": 7, "P": 8, "W": 9, "T": 10}
_KINDS["E"] = 11
"""Kinds of words, by the first letter of the Penn tag."""
_STOPS = frozenset((".", "!", "?"))


class SideWords(NamedTuple):
    """The words of one sentence.

    Attributes
    ----------
    kinds : int32 array, shape (n_tokens,)
        PUNCTUATION, COMMA, or a kind of word.
    weights : float32 array, shape (n_tokens,)
        Inverse document frequency of the lemma, in [0, 1]; 0 of function words and punctuation.
    lemmas : int32 array, shape (n_tokens,)
        Equal for equal lemmas, on either side.
    """

    kinds: object
    weights: object
    lemmas: object


cdef class WordFacts:
    """Gives the kind and the weight of a word, and caches them.

    Parameters
    ----------
    idf : callable
        Returns the inverse document frequency of a lemma, in [0, 1].
    """

    cdef dict _known
    cdef object _idf
    cdef object _functions

    def __init__(self, idf):
        self._idf = idf
        self._functions = frozenset(function_words())
        self._known = {}

    cdef tuple of(self, str token, str tag, str lemma):
        """Return the kind and the weight of a word, of its token, tag and lemma."""
        if len(token) > LONGEST:
            return self._find(token, tag, lemma)
        key = token, tag, lemma
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= KNOWN:
                self._known.clear()
            found = self._known[key] = self._find(token, tag, lemma)
        return <tuple>found

    cdef tuple _find(self, str token, str tag, str lemma):
        kind = _kind(token, tag)
        if kind in (PUNCTUATION, COMMA) or token.lower() in self._functions:
            return kind, 0.0
        return kind, self._idf(lemma.lower())


cdef _kind(str token, str tag):
    if not any(map(str.isalnum, token)):
        return COMMA if token == "," else PUNCTUATION
    return _CONJUNCTION if tag == "CC" else _KINDS.get(tag[:1], _OTHER)


def sides_of(source, target, WordFacts facts not None):
    """Return the words of both sentences; without tags every word counts as a noun."""
    numbers = {}
    return _side(source, facts, numbers), _side(target, facts, numbers)


cdef _side(sentence, WordFacts facts, dict numbers):
    cdef tuple tokens = sentence.tokens
    cdef tuple tags = tags_of(sentence)
    cdef tuple lemmas = sentence.lemmas or tokens
    cdef Py_ssize_t n = len(tokens)
    cdef Py_ssize_t k
    kinds, weights = np.empty(n, np.int32), np.empty(n, np.float32)
    of_lemmas = np.empty(n, np.int32)
    cdef int32_t[::1] kind = kinds
    cdef float[::1] weight = weights
    cdef int32_t[::1] number = of_lemmas
    cdef tuple found
    for k in range(n):
        found = facts.of(tokens[k], tags[k], lemmas[k])
        kind[k], weight[k] = found
        number[k] = numbers.setdefault((<str>lemmas[k]).lower(), len(numbers))
    return SideWords(kinds, weights, of_lemmas)


def tags_of(sentence):
    """Return the tags; without any, nouns."""
    return sentence.tags or ("NN",) * len(sentence.tokens)


def numbers_of(tuple tokens, dict numbers):
    """Return an int32 number of each token, equal for equal ones; `numbers` holds those so far."""
    found = np.empty(len(tokens), np.int32)
    cdef int32_t[::1] number = found
    cdef Py_ssize_t k
    for k in range(len(tokens)):
        number[k] = numbers.setdefault(tokens[k], len(numbers))
    return found


def same_words(source, target):
    """Return 1 where two tokens are the same word, uint8 of shape (n_source, n_target).

    Tokens are the same if they are identical, or if they differ only in case and exactly one of
    them begins a sentence.
    """
    numbers = {}
    cdef int32_t[::1] rows = numbers_of(source.tokens, numbers)
    cdef int32_t[::1] columns = numbers_of(target.tokens, numbers)
    found = np.empty((rows.shape[0], columns.shape[0]), np.uint8)
    cdef uint8_t[:, ::1] same = found
    cdef Py_ssize_t i, j
    for i in range(rows.shape[0]):
        for j in range(columns.shape[0]):
            same[i, j] = rows[i] == columns[j]
    begins = _begins(source.tokens), _begins(target.tokens)
    for i in begins[0]:
        for j in _in_other_case(source.tokens[i], target.tokens):
            same[i, j] |= j not in begins[1]
    for j in begins[1]:
        for i in _in_other_case(target.tokens[j], source.tokens):
            same[i, j] |= i not in begins[0]
    return found


cdef list _begins(tuple tokens):
    """Return the tokens that begin a sentence."""
    cdef Py_ssize_t k
    return [0] + [k + 1 for k in range(len(tokens) - 1) if tokens[k] in _STOPS]


cdef list _in_other_case(str word, tuple tokens):
    """Return the tokens equal to a word, ignoring case, but not the word itself."""
    cdef str lower = word.lower()
    cdef str token
    cdef Py_ssize_t k
    if lower == word == word[:1].upper() + word[1:]:
        return []
    found = []
    for k in range(len(tokens)):
        token = tokens[k]
        if token != word and token.lower() == lower:
            found.append(k)
    return found


def link_matrix(links, Py_ssize_t n_source, Py_ssize_t n_target):
    """Return the confidence of every link, 0 without a link; float32 of shape (n_source, n_target)."""
    found = np.zeros((n_source, n_target), np.float32)
    cdef float[:, ::1] cells = found
    cdef Py_ssize_t i, j
    for (i, j), confidence in links.items():
        if not (0 <= i < n_source and 0 <= j < n_target):
            raise IndexError(f"a link of tokens {i}, {j}; wanted below {n_source}, {n_target}")
        cells[i, j] = confidence
    return found

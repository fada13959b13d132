"""Tags and lemmas of raw text or given tokens, many texts at once without the interpreter.

A raw text is split, and each of its sentences is tokenised and tagged by itself. Given tokens are
one sentence. No Python object is made for a token: texts stay in columns of word numbers, of which
a `Sentence` is a view. The same by the sentence: `Sentences`, `tokenize`, `Tagger.tag`,
`Lemmatizer.lemmatize`.
"""

from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from bisect import bisect_left, bisect_right
from itertools import pairwise

import numpy as np

from tokalign.english.annotate.forms cimport shift_of
from tokalign.english.annotate.sentences cimport Scan, next_sentence, scan_of, skip_space
from tokalign.english.annotate._scratch cimport (
    TextScratch,
    add_begin,
    add_token,
    free_scratch,
    has_letters,
)
from tokalign.english.annotate._tagger cimport WIDTH, Lexicon, check_width, open_lexicon, tag_sentence
from tokalign.english.annotate._tokenize cimport (
    CLOSING,
    DASH,
    ELLIPSIS,
    OPENING,
    REWRITTEN,
    mark_tokens,
    next_token,
    straightened,
)
from tokalign.english.annotate.words cimport Words

cdef extern from "Python.h":
    int PyUnicode_KIND(object text)
    void* PyUnicode_DATA(object text)
    Py_UCS4 PyUnicode_READ(int kind, const void* data, Py_ssize_t i) nogil

MAX_WORD_BYTES = 32 << 20
"""Of some 25,000 usual words; beyond it words start anew, and sentences of before keep theirs."""

cdef struct Text:
    # A text's characters, borrowed from its str.
    int kind
    const void *data
    Py_ssize_t n
    const int32_t *lengths   # [n_given] of the tokens, a space after each but the last
    Py_ssize_t n_given       # -1 where the tokens are to be found

cdef Py_UCS4[4][3] WRITTEN = [
    [u"`", u"`", 0], [u"'", u"'", 0], [u"-", u"-", 0], [u".", u".", u"."],
]


cdef inline int _written(uint8_t bits) noexcept nogil:
    """Return the place among WRITTEN of what a rewritten sign's bits say."""
    return 0 if bits & OPENING else 1 if bits & CLOSING else 2 if bits & DASH else 3


cdef Py_ssize_t _find_tokens(
    TextScratch *scratch, Words words, Py_ssize_t first, Py_ssize_t last
) noexcept nogil:
    """Add the tokens of a sentence, the letters from first to before last of the text at hand;
    return how many, or -1 without memory."""
    cdef Py_UCS4 *letters = scratch.letters + first
    cdef uint8_t *bits = scratch.bits + first
    cdef Py_ssize_t start = 0
    cdef Py_ssize_t end = 0
    cdef Py_ssize_t n = 0
    cdef uint8_t sign
    cdef int32_t token
    cdef int written
    mark_tokens(letters, bits, last - first)
    while next_token(letters, bits, last - first, &start, &end):
        sign = bits[start] & REWRITTEN
        if sign:
            written = _written(sign)
            token = words.find_token(&WRITTEN[written][0], 3 if sign & ELLIPSIS else 2)
        else:
            token = words.find_token(letters + start, end - start)
        if not add_token(scratch, words, n, first + start, first + end, token):
            return -1
        n += 1
        start = end
    return n


cdef Py_ssize_t _take_tokens(const Text *text, TextScratch *scratch, Words words) noexcept nogil:
    """Add the tokens that were given of a text; return how many, or -1 without memory."""
    cdef Py_ssize_t start = 0
    cdef Py_ssize_t end, k
    for k in range(text.n):
        scratch.letters[k] = PyUnicode_READ(text.kind, text.data, k)
    for k in range(text.n_given):
        end = start + text.lengths[k]
        if not add_token(
            scratch, words, k, start, end, words.find_token(scratch.letters + start, end - start)
        ):
            return -1
        start = end + 1
    return text.n_given


cdef class TextAnnotator:
    """Annotates texts by a tagger; one thread at a time.

    Parameters
    ----------
    tagger : Tagger
    lemmatize : callable
        Token and tag to lemma.
    """

    cdef object _tagger          # holds the arrays
    cdef object _lemmatize
    cdef const int16_t[:, ::1] _weights
    cdef Lexicon _lexicon
    cdef int _n_tags
    cdef int _shift
    cdef uint32_t[2] _quotes
    cdef readonly Words words

    def __init__(self, tagger, lemmatize):
        self._tagger = tagger
        self._lemmatize = lemmatize
        self._weights = tagger.weights
        self._lexicon = open_lexicon(tagger.lexicon_keys, tagger.lexicon_values)
        self._n_tags = len(tagger.tags)
        self._shift = shift_of(self._weights.shape[0])
        check_width(self._weights.shape[1], self._n_tags)
        self._quotes = tagger.quotes
        self.words = Words(tagger.tags)

    cdef bint _tag(self, TextScratch *scratch, Words words, Py_ssize_t n) noexcept nogil:
        """Tag the sentence at hand, of n tokens that were added; return whether there was memory.

        n is below 0 where there was none for its tokens.
        """
        cdef Py_ssize_t first = scratch.n_tokens
        cdef Py_ssize_t k
        if n < 0:
            return False
        for k in range(n):
            scratch.form_scores[k] = words.form_scores + scratch.tokens[k] * <Py_ssize_t>WIDTH
        tag_sentence(
            scratch.forms, scratch.form_scores, scratch.classes, n, self._lexicon,
            &self._weights[0, 0], self._n_tags, self._shift, self._quotes, scratch.tags,
        )
        for k in range(n):
            scratch.numbers[first + k] = words.find_word(scratch.tokens[k], scratch.tags[k])
            if scratch.numbers[first + k] < 0:
                return False
        scratch.n_tokens += n
        return True

    cdef bint _annotate_raw(
        self, const Text *text, TextScratch *scratch, Words words
    ) noexcept nogil:
        """Add the tokens of a raw text, sentence by sentence; return whether there was memory."""
        cdef Scan scan = scan_of(text.kind, text.data, text.n)
        cdef Py_ssize_t start = 0
        cdef Py_ssize_t end = 0
        cdef bint is_blank = False
        cdef Py_ssize_t k
        for k in range(text.n):
            scratch.letters[k] = straightened(PyUnicode_READ(text.kind, text.data, k))
        next_sentence(&scan, &start, &end)
        if skip_space(&scan, end, &is_blank) == text.n:
            return self._tag(scratch, words, _find_tokens(scratch, words, 0, text.n))
        while True:
            if not self._tag(scratch, words, _find_tokens(scratch, words, start, end)):
                return False
            if not next_sentence(&scan, &start, &end):
                return True
            if not add_begin(scratch):
                return False

    cdef bint _annotate(self, const Text *text, TextScratch *scratch, Words words) noexcept nogil:
        """Add the tokens of one text; return whether there was memory."""
        if not has_letters(scratch, text.n):
            return False
        if text.n_given < 0:
            return self._annotate_raw(text, scratch, words)
        return self._tag(scratch, words, _take_tokens(text, scratch, words))

    def __call__(self, list texts not None, list tokens=None, list places=None):
        """Return texts annotated.

        Parameters
        ----------
        texts : list of str
            Of any number of sentences.
        tokens : list of (tuple of str, or None), optional
            For each text the tokens that it is, one sentence with a space between two; None where
            they are to be found. None of them is empty.
        places : list of ((starts, ends), or None), optional
            For each text the offsets to say of its tokens in the place of those in the text.

        Returns
        -------
        AnnotatedTexts
        """
        cdef Py_ssize_t n_texts = len(texts)
        cdef AnnotatedTexts found = AnnotatedTexts.__new__(AnnotatedTexts)
        cdef Text *items = NULL
        cdef int32_t[::1] lengths = _lengths(tokens)
        cdef TextScratch scratch
        cdef Words words
        cdef Py_ssize_t k
        cdef bint is_done = True
        if self.words.n_bytes > MAX_WORD_BYTES:
            self.words = Words(self.words.tags)
        words = found.words = self.words
        words.use(&self._weights[0, 0], self._shift)
        found.offsets = np.zeros(n_texts + 1, dtype=np.int64)
        memset(&scratch, 0, sizeof(scratch))
        try:
            items = <Text *>malloc(n_texts * sizeof(Text) + 1)
            if items == NULL:
                raise MemoryError("texts of a batch")
            _point_to(texts, tokens, lengths, items)
            with nogil:
                for k in range(n_texts):
                    is_done = self._annotate(&items[k], &scratch, words)
                    if not is_done:
                        break
                    found.offsets[k + 1] = scratch.n_tokens
            if not is_done:
                raise MemoryError("tokens of a batch")
            words.name_new(self._lemmatize)
            found.starts = _array(scratch.starts, scratch.n_tokens)
            found.ends = _array(scratch.ends, scratch.n_tokens)
            found.numbers = _array(scratch.numbers, scratch.n_tokens)
            found.begins = [scratch.begins[k] for k in range(scratch.n_begins)]
            if places is not None:
                found.put(places)
        finally:
            free(items)
            free_scratch(&scratch)
        return found


cdef int _point_to(list texts, list tokens, const int32_t[::1] lengths, Text *items) except -1:
    """Point `items` into texts, and into the lengths of the tokens that are given."""
    cdef Py_ssize_t n_given = 0
    cdef Py_ssize_t k
    cdef str text
    for k, text in enumerate(texts):
        items[k].kind = PyUnicode_KIND(text)
        items[k].data = PyUnicode_DATA(text)
        items[k].n = len(text)
        items[k].n_given = -1
        if tokens is not None and tokens[k] is not None:
            items[k].n_given = len(tokens[k])
            items[k].lengths = &lengths[n_given]
            n_given += items[k].n_given
    return 0


cdef int32_t[::1] _lengths(list tokens):
    """Return the lengths of all tokens that are given, and a 0."""
    return np.array([len(token) for each in tokens or () for token in each or ()] + [0], dtype=np.int32)


cdef _array(const int32_t *values, Py_ssize_t n):
    """Return a copy of n values as an int32 array."""
    array = np.empty(n, dtype=np.int32)
    cdef int32_t[::1] out = array
    if n:
        memcpy(&out[0], values, n * sizeof(int32_t))
    return array


cdef class AnnotatedTexts:
    """Annotated texts, column by column; made by TextAnnotator. Nothing of it changes.

    Attributes
    ----------
    words : Words
        Their tokens, tags and lemmas.
    offsets : int64 memoryview, shape (n_texts + 1,)
        Text k has the tokens from ``offsets[k]`` to before ``offsets[k + 1]``.
    starts, ends : int32 memoryview, shape (n_tokens,)
        Half-open character offsets in the text.
    numbers : int32 memoryview, shape (n_tokens,)
        Of each token's word among the words.
    begins : list of int
        Tokens that begin a sentence inside a text, in rising order; few texts have one.
    """

    def __init__(self):
        raise TypeError("AnnotatedTexts are made by a TextAnnotator")

    def __len__(self):
        return self.offsets.shape[0] - 1

    cdef int put(self, list places) except -1:
        """Put given offsets in the place of those in the texts."""
        cdef Py_ssize_t k, first, at
        for k, place in enumerate(places):
            if place is None:
                continue
            first = self.offsets[k]
            for at, (start, end) in enumerate(zip(*place)):
                self.starts[first + at] = start
                self.ends[first + at] = end
        return 0

    def columns(self):
        """Return offsets, starts, ends and numbers as arrays, which must not be changed."""
        return (
            np.asarray(self.offsets), np.asarray(self.starts), np.asarray(self.ends),
            np.asarray(self.numbers),
        )

    def tags(self):
        """Return each token's tag by its number among ``words.tags``, as a uint8 array."""
        array = np.empty(self.numbers.shape[0], dtype=np.uint8)
        cdef uint8_t[::1] tags = array
        cdef Py_ssize_t k
        for k in range(tags.shape[0]):
            tags[k] = self.words.word[self.numbers[k]].tag
        return array

    def n_tokens(self, Py_ssize_t index):
        """Return the number of tokens of a text."""
        if not 0 <= index < len(self):
            raise IndexError(f"text {index} of {len(self)}")
        return self.offsets[index + 1] - self.offsets[index]

    def sentence_ranges(self, Py_ssize_t index):
        """Return which of a text's tokens each of its sentences has, a list of (first, end)."""
        cdef Py_ssize_t n_tokens = self.n_tokens(index)
        cdef Py_ssize_t first = self.offsets[index]
        low = bisect_right(self.begins, first)
        high = bisect_left(self.begins, first + n_tokens, low)
        edges = [0, *(begin - first for begin in self.begins[low:high]), n_tokens]
        return list(pairwise(edges))

    def field(self, Py_ssize_t index, str name not None):
        """Return a field of a text's Sentence."""
        cdef Py_ssize_t k
        cdef list strings
        if not 0 <= index < len(self):
            raise IndexError(f"text {index} of {len(self)}")
        cdef Py_ssize_t first = self.offsets[index]
        cdef Py_ssize_t end = self.offsets[index + 1]
        if name == "starts":
            return tuple([self.starts[k] for k in range(first, end)])
        if name == "ends":
            return tuple([self.ends[k] for k in range(first, end)])
        if name == "tags":
            return tuple([self.words.tag(self.numbers[k]) for k in range(first, end)])
        if name in ("heads", "relations"):
            return None
        strings = self.words.tokens if name == "tokens" else self.words.lemmas
        return tuple([strings[self.numbers[k]] for k in range(first, end)])

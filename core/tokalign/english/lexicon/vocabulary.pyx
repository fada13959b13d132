"""Sorted words of a mapped table, found by binary search.

Most of a search is among landmarks, the first bytes of every so many words, which stay in the
processor's caches; only its last steps look at the table, where each is a cache miss.

A table with a vocabulary holds ``words``, the words' UTF-8 bytes joined in rising order, and
``word_start``, where each begins and the last one ends (`tokalign.english.lexicon.packing` writes both).
"""

from libc.stdint cimport int32_t, uint64_t
from libc.string cimport memcmp

import numpy as np

from tokalign.english.lexicon.packing import starts_of

cdef enum:
    STRIDE = 32          # words from one landmark to the next
    PREFIX = 8           # bytes of a landmark


def _landmarks(words, start):
    """Return the first bytes of every STRIDE-th word as big-endian numbers, zeros behind its end."""
    starts = np.asarray(start, dtype=np.int64)
    first = starts[0:len(starts) - 1:<int>STRIDE]
    length = np.diff(starts)[::<int>STRIDE]
    prefix = np.zeros((len(first), <int>PREFIX), dtype=np.uint8)
    for k in range(<int>PREFIX):
        is_longer = length > k
        prefix[is_longer, k] = np.asarray(words)[first[is_longer] + k]
    return prefix.view(">u8")[:, 0].astype(np.uint64)


cdef class Vocabulary:
    """The words of a table.

    Parameters
    ----------
    table : Table
        With the arrays ``words`` and ``word_start``.

    Raises
    ------
    ResourceError
        If one is missing, or the words do not fill theirs or one is empty.
    """

    def __init__(self, table):
        self._words = table.array("words", np.uint8, (None,))
        self._start = starts_of(table, "word_start", self._words.shape[0], least=1)
        self._landmark = _landmarks(self._words, self._start)

    def __len__(self):
        return self._start.shape[0] - 1

    def __getitem__(self, Py_ssize_t index):
        """Return a word by its number."""
        if not 0 <= index < len(self):
            raise IndexError(f"word {index} of {len(self)}")
        return bytes(self._words[self._start[index]:self._start[index + 1]]).decode("utf-8", "replace")

    cpdef int32_t find(self, str word):
        """Return the number of a word, -1 if the table lacks it."""
        cdef bytes wanted = word.encode("utf-8", "surrogatepass")
        cdef const unsigned char *text = wanted
        cdef int32_t n_text = <int32_t>len(wanted)
        cdef int32_t low = 0
        cdef int32_t high = <int32_t>self._landmark.shape[0]
        cdef int32_t middle, n_word, first
        cdef int order, k
        cdef uint64_t prefix = 0
        for k in range(PREFIX):
            prefix = prefix << 8 | (text[k] if k < n_text else 0)
        while low < high:
            middle = (low + high) // 2
            if self._landmark[middle] < prefix:
                low = middle + 1
            else:
                high = middle
        # The word is behind the last landmark below it, and before the first one above it.
        first = low
        while high < self._landmark.shape[0] and self._landmark[high] == prefix:
            high += 1
        low = max(first - 1, 0) * STRIDE
        high = min(high * STRIDE, <int32_t>self._start.shape[0] - 1)
        while low < high:
            middle = (low + high) // 2
            n_word = self._start[middle + 1] - self._start[middle]
            order = memcmp(&self._words[self._start[middle]], text, min(n_word, n_text))
            if order == 0:
                order = n_word - n_text
            if order == 0:
                return middle
            if order < 0:
                low = middle + 1
            else:
                high = middle
        return -1

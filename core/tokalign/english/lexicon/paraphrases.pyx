"""Look-up of lexical paraphrases, such as PPDB's, in tens of nanoseconds.

Pairs are symmetric; the table (`lexicon/ppdb.py`) holds both directions.
"""

from libc.stdint cimport int32_t

import numpy as np

from tokalign.errors import ResourceError
from tokalign.english.lexicon.vocabulary cimport Vocabulary
from tokalign.english.lexicon.packing import starts_of


cdef bint paraphrases(const ParaphraseTable *table, int32_t a, int32_t b) noexcept nogil:
    """Whether two words are listed as a pair; False if either is -1."""
    cdef int32_t low, high, middle
    if a < 0 or b < 0:
        return False
    low = table.start[a]
    high = table.start[a + 1]
    while low < high:
        middle = (low + high) // 2
        if table.item[middle] < b:
            low = middle + 1
        else:
            high = middle
    return low < table.start[a + 1] and table.item[low] == b


cdef class Paraphrases:
    """Pairs of words that may stand for each other, mapped from a table file.

    Parameters
    ----------
    source : Table

    Raises
    ------
    ResourceError
        If the table lacks an array, or its arrays disagree.
    """

    def __init__(self, source):
        self.source = source
        self.vocabulary = Vocabulary(source)
        cdef const int32_t[::1] item = source.array("partner", np.int32, (None,))
        n_words = len(self.vocabulary)
        cdef const int32_t[::1] start = starts_of(source, "row_start", len(item), n_rows=n_words)
        if len(item) == 0:
            raise ResourceError(f"{source.path}: has no partners; wanted some")
        self._arrays = [start, item]
        self.table.start = &start[0]
        self.table.item = &item[0]

    def __len__(self):
        """Return the number of pairs."""
        return len(self._arrays[1]) // 2

    cpdef int32_t find(self, str word):
        """Return the number of a lower-case word, -1 if it is in no pair."""
        return self.vocabulary.find(word)

    def related(self, str a, str b):
        """Whether two lower-case words are listed as paraphrases."""
        return paraphrases(&self.table, self.find(a), self.find(b))

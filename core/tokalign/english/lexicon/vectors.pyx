"""Cosines of word vectors kept as small integers.

The cosine of two rows is the product of integers times both scales; at 50 dimensions of 8 bits it
is within 0.01 of the unrounded vectors' (`lab/recipes/vectors` makes the table).
"""

from libc.stdint cimport int8_t, int32_t

import numpy as np

from tokalign.errors import ResourceError
from tokalign.english.lexicon.vocabulary cimport Vocabulary
from tokalign.files.tables import Table

MAX_DIMENSIONS = 4096
"""The sum of so many products of two bytes fits 32 bits."""


cdef float cosine(const VectorTable *table, int32_t a, int32_t b) noexcept nogil:
    """Return the cosine of two rows, in [-1, 1]; 0 if either is -1."""
    cdef const int8_t *left
    cdef const int8_t *right
    cdef int32_t total = 0
    cdef int32_t k
    if a < 0 or b < 0:
        return 0.0
    left = table.row + <Py_ssize_t>a * table.n_dimensions
    right = table.row + <Py_ssize_t>b * table.n_dimensions
    for k in range(table.n_dimensions):
        total += <int32_t>left[k] * <int32_t>right[k]
    return min(max(<float>total * table.scale[a] * table.scale[b], -1.0), 1.0)


cdef class Vectors:
    """Word vectors, mapped from a table file.

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
        n_words = len(self.vocabulary)
        cdef const int8_t[:, ::1] row = source.array("row", np.int8, (n_words, None))
        cdef const float[::1] scale = source.array("scale", np.float32, (n_words,))
        if n_words == 0 or not 0 < row.shape[1] <= MAX_DIMENSIONS:
            raise ResourceError(
                f"{source.path}: {n_words} words, {row.shape[1]} dimensions; wanted words, and "
                f"1 to {MAX_DIMENSIONS} dimensions"
            )
        scales = np.asarray(scale)
        if not (scales.min() >= 0 and scales.max() <= 1):  # so written that NaN does not pass
            raise ResourceError(
                f"{source.path}: the array 'scale' holds {scales.min()} to {scales.max()}; "
                "wanted numbers from 0 to 1"
            )
        self._arrays = [row, scale]
        self.table.row = &row[0, 0]
        self.table.scale = &scale[0]
        self.table.n_dimensions = <int32_t>row.shape[1]

    @classmethod
    def open_shipped(cls):
        """Map the vectors that ship with the package."""
        return cls(Table.open_shipped("vectors"))

    def __len__(self):
        return len(self.vocabulary)

    cpdef int32_t find(self, str word):
        """Return the row of a lower-case word, -1 if it has none."""
        return self.vocabulary.find(word)

    def similarity(self, str a, str b):
        """Return the cosine of two lower-case words' vectors, in [-1, 1]; 0 if one has none."""
        return cosine(&self.table, self.find(a), self.find(b))

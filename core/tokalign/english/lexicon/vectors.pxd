from libc.stdint cimport int8_t, int32_t

from tokalign.english.lexicon.vocabulary cimport Vocabulary

cdef struct VectorTable:
    # Borrowed from the mapped file; valid as long as the Vectors object lives.
    const int8_t *row        # [n_words, n_dimensions]
    const float *scale       # [n_words] 1 / length of the row
    int32_t n_dimensions

cdef float cosine(const VectorTable *table, int32_t a, int32_t b) noexcept nogil

cdef class Vectors:
    cdef readonly object source
    cdef readonly Vocabulary vocabulary
    cdef VectorTable table
    cdef list _arrays

    cpdef int32_t find(self, str word)

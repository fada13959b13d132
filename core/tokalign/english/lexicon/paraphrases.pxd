from libc.stdint cimport int32_t

from tokalign.english.lexicon.vocabulary cimport Vocabulary

cdef struct ParaphraseTable:
    # Borrowed from the mapped file; valid as long as the Paraphrases object lives.
    const int32_t *start     # [n_words + 1]
    const int32_t *item      # sorted partners of every word

cdef bint paraphrases(const ParaphraseTable *table, int32_t a, int32_t b) noexcept nogil

cdef class Paraphrases:
    cdef readonly object source
    cdef readonly Vocabulary vocabulary
    cdef ParaphraseTable table
    cdef list _arrays

    cpdef int32_t find(self, str word)

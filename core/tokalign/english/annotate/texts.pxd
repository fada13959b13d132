from libc.stdint cimport int32_t, int64_t

from tokalign.english.annotate.words cimport Words

cdef class AnnotatedTexts:
    cdef readonly Words words
    cdef int64_t[::1] offsets    # [n_texts + 1]
    cdef int32_t[::1] starts     # [n_tokens]
    cdef int32_t[::1] ends       # [n_tokens]
    cdef int32_t[::1] numbers    # [n_tokens] of words
    cdef list begins             # of the tokens, those that begin a later sentence of a text
    cdef int put(self, list places) except -1

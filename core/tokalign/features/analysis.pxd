from tokalign.features.pair cimport Side

cdef class Analysis:
    cdef Side side           # without what it has in a pair
    cdef void *_block        # every array of the sentence
    cdef int reserve(self, Py_ssize_t n) except -1
    cdef void find_content(self) noexcept nogil

from tokalign.features.pair cimport Side
from tokalign.english.values.found cimport Found

cdef class Analysis:
    cdef Side side           # without what it has in a pair
    cdef void *_block        # every array of the sentence but its values
    cdef Found *_values
    cdef int reserve(self, Py_ssize_t n) except -1
    cdef void find_content(self) noexcept nogil
    cdef int find_values(self) except -1

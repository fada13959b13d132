from tokalign.english.annotate.sentence_scan cimport Scan

cdef Scan scan_of(int kind, const void* data, Py_ssize_t n) noexcept nogil

# end is that of the sentence before, or where to begin; then the sentence's, as start.
cdef bint next_sentence(Scan* scan, Py_ssize_t* start, Py_ssize_t* end) noexcept nogil

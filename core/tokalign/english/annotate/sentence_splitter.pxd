from tokalign.english.annotate.sentence_scan cimport Scan

cdef Scan scan_of(int kind, const void* data, Py_ssize_t n) noexcept nogil

cdef bint next_sentence(
    Scan* scan,
    Py_ssize_t* start,      # of the sentence, written
    Py_ssize_t* end,        # of the sentence before, or where to begin; of the sentence, written
) noexcept nogil

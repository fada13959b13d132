from tokalign.english.annotate.sentence_scan cimport Scan

cdef void read_line(Scan* scan, Py_ssize_t i, bint is_new) noexcept nogil

cdef bint is_roman(Scan* scan, Py_ssize_t start, Py_ssize_t end) noexcept nogil

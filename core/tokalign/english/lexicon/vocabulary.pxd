from libc.stdint cimport int32_t, uint64_t

cdef class Vocabulary:
    cdef const unsigned char[::1] _words     # UTF-8, joined, in the order of their bytes
    cdef const int32_t[::1] _start           # [n_words + 1] where each word begins
    cdef const uint64_t[::1] _landmark       # [n_words / STRIDE, rounded up]

    cpdef int32_t find(self, str word)

"""Fields of a message in C; see _fields.pyx."""

from libc.stdint cimport uint8_t, uint64_t

# What next_field returns.
cdef enum:
    FOUND = 1
    NO_MORE = 0
    NO_MESSAGE = -1


cdef struct Field:
    uint64_t tag
    uint64_t number  # of a varint
    const uint8_t *data  # what a length-delimited field holds, not owned
    Py_ssize_t size  # of that, in bytes


cdef struct Cursor:
    const uint8_t *at
    const uint8_t *end


cdef Cursor over(bytes data)
cdef int next_field(Cursor *cursor, Field *field) noexcept nogil

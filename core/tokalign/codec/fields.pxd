"""Declarations of fields.pyx."""

from libc.stdint cimport uint8_t, uint64_t

# Wire types: the lowest three bits of a tag, which say how the field's value is written.
cpdef enum:
    VARINT = 0
    FIXED64 = 1
    LENGTH_DELIMITED = 2
    GROUP = 3
    END_GROUP = 4
    FIXED32 = 5

# The outcomes of next_field.
cdef enum:
    FOUND = 1
    NO_MORE = 0
    NO_MESSAGE = -1


cdef struct Field:
    uint64_t tag
    uint64_t number  # value of a varint
    const uint8_t *data  # value of a length-delimited field, not owned
    Py_ssize_t size  # size of data, in bytes


cdef struct Cursor:
    const uint8_t *at
    const uint8_t *end


cdef Cursor over(bytes data)
cdef int next_field(Cursor *cursor, Field *field) noexcept nogil

"""Declarations of _writer.pyx."""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

# Most bytes of a tag (fields up to 2047 take two) and of a varint.
cdef enum:
    TAG_BYTES = 2
    VARINT_BYTES = 10


cdef inline uint64_t zigzag(int32_t value) noexcept nogil:
    """Return a sint32 as it is written: small where the number is, negative or not."""
    return (<uint32_t>value << 1) ^ <uint32_t>(value >> 31)


cdef inline int varint_bytes(uint64_t value) noexcept nogil:
    """Return how many bytes a varint takes."""
    cdef int n = 1
    while value > 0x7F:
        value >>= 7
        n += 1
    return n


cdef inline uint8_t *put_varint(uint8_t *at, uint64_t value) noexcept nogil:
    """Write a varint; return what follows it."""
    while value > 0x7F:
        at[0] = <uint8_t>(value | 0x80)
        value >>= 7
        at += 1
    at[0] = <uint8_t>value
    return at + 1


cdef class MessageWriter:
    cdef uint8_t *_bytes
    cdef Py_ssize_t _n
    cdef Py_ssize_t _room

    cdef int reserve(self, Py_ssize_t n_more) except -1
    cdef void start(self) noexcept
    cdef bytes taken(self)
    cdef int varint(self, int field, uint64_t value) except -1
    cdef int number(self, int field, uint64_t value) except -1
    cdef int single(self, int field, float value) except -1
    cdef int double(self, int field, double value) except -1
    cdef int present_double(self, int field, double value) except -1
    cdef void little_endian(self, uint64_t bits, int size) noexcept
    cdef int delimited(self, int field, const void *data, Py_ssize_t size) except -1
    cdef int string(self, int field, str text) except -1
    cdef Py_ssize_t begin(self) noexcept
    cdef int end(self, int field, Py_ssize_t begin) except -1
    cdef int end_packed(self, int field, Py_ssize_t begin) except -1
    cdef int packed_varint(self, uint64_t value) except -1
    cdef int packed_single(self, float value) except -1
    cdef int strings(self, int field, tuple values) except -1
    cdef int unsigned(self, int field, tuple values) except -1
    cdef int signed(self, int field, tuple values) except -1

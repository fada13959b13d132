"""A writer of messages in protobuf's wire format, with a method for each kind of field.

The format: https://protobuf.dev/programming-guides/encoding.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy, memmove

from tokalign.codec.fields cimport FIXED32, FIXED64, LENGTH_DELIMITED, VARINT

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL

cdef enum:
    FIRST_BYTES = 1024


cdef class MessageWriter:
    """The bytes of one message, which grow field by field."""

    def __dealloc__(self):
        free(self._bytes)

    cdef int reserve(self, Py_ssize_t n_more) except -1:
        """Make room for so many bytes more."""
        cdef Py_ssize_t room
        cdef uint8_t *larger
        if self._n + n_more > self._room:
            room = max(2 * self._room, self._n + n_more, <Py_ssize_t>FIRST_BYTES)
            larger = <uint8_t *>realloc(self._bytes, room)
            if larger == NULL:
                raise MemoryError("the bytes of an answer")
            self._bytes = larger
            self._room = room
        return 0

    cdef void start(self) noexcept:
        """Forget what was written, for the next message."""
        self._n = 0

    cdef bytes taken(self):
        """Return what was written since start()."""
        return PyBytes_FromStringAndSize(<const char *>self._bytes, self._n)

    # Fields of one value. proto3 leaves out a value that is its field's default.

    cdef int varint(self, int field, uint64_t value) except -1:
        self.reserve(TAG_BYTES + VARINT_BYTES)
        cdef uint8_t *at = put_varint(self._bytes + self._n, field << 3 | VARINT)
        self._n = put_varint(at, value) - self._bytes
        return 0

    cdef int number(self, int field, uint64_t value) except -1:
        """Write an unsigned number, or an enumeration's, unless it is 0."""
        return self.varint(field, value) if value else 0

    cdef int single(self, int field, float value) except -1:
        """Write a float, unless it is 0; -0 is not."""
        cdef uint32_t bits
        memcpy(&bits, &value, sizeof(bits))
        if bits:
            self.reserve(TAG_BYTES + sizeof(bits))
            put_varint(self._bytes + self._n, field << 3 | FIXED32)
            self._n += varint_bytes(field << 3)
            self.little_endian(bits, sizeof(bits))
        return 0

    cdef int double(self, int field, double value) except -1:
        """Write a double, unless it is 0; -0 is not."""
        cdef uint64_t bits
        memcpy(&bits, &value, sizeof(bits))
        return self.present_double(field, value) if bits else 0

    cdef int present_double(self, int field, double value) except -1:
        """Write a double, even if it is 0."""
        cdef uint64_t bits
        memcpy(&bits, &value, sizeof(bits))
        self.reserve(TAG_BYTES + sizeof(bits))
        put_varint(self._bytes + self._n, field << 3 | FIXED64)
        self._n += varint_bytes(field << 3)
        self.little_endian(bits, sizeof(bits))
        return 0

    cdef void little_endian(self, uint64_t bits, int size) noexcept:
        """Write the lowest bytes of a number, for which there is room."""
        cdef int k
        for k in range(size):
            self._bytes[self._n + k] = <uint8_t>(bits >> 8 * k)
        self._n += size

    cdef int delimited(self, int field, const void *data, Py_ssize_t size) except -1:
        """Write a length and so many bytes, even where there are none."""
        self.reserve(TAG_BYTES + VARINT_BYTES + size)
        cdef uint8_t *at = put_varint(self._bytes + self._n, field << 3 | LENGTH_DELIMITED)
        at = put_varint(at, size)
        memcpy(at, data, size)
        self._n = at + size - self._bytes
        return 0

    cdef int string(self, int field, str text) except -1:
        """Write a string, even an empty one."""
        cdef Py_ssize_t size
        cdef const char *data = PyUnicode_AsUTF8AndSize(text, &size)
        return self.delimited(field, data, size)

    # Fields that hold others: call begin() before these, and end() after them.

    cdef Py_ssize_t begin(self) noexcept:
        return self._n

    cdef int end(self, int field, Py_ssize_t begin) except -1:
        """Put the field's tag and length before what was written since begin()."""
        cdef Py_ssize_t size = self._n - begin
        cdef Py_ssize_t head = varint_bytes(field << 3) + varint_bytes(size)
        self.reserve(head)
        memmove(self._bytes + begin + head, self._bytes + begin, size)
        put_varint(
            put_varint(self._bytes + begin, field << 3 | LENGTH_DELIMITED), size
        )
        self._n += head
        return 0

    cdef int end_packed(self, int field, Py_ssize_t begin) except -1:
        """Do the same for packed numbers, unless there are none."""
        return self.end(field, begin) if self._n > begin else 0

    cdef int packed_varint(self, uint64_t value) except -1:
        self.reserve(VARINT_BYTES)
        self._n = put_varint(self._bytes + self._n, value) - self._bytes
        return 0

    cdef int packed_single(self, float value) except -1:
        cdef uint32_t bits
        memcpy(&bits, &value, sizeof(bits))
        self.reserve(sizeof(bits))
        self.little_endian(bits, sizeof(bits))
        return 0

    # Repeated fields.

    cdef int strings(self, int field, tuple values) except -1:
        for value in values:
            self.string(field, value)
        return 0

    cdef int unsigned(self, int field, tuple values) except -1:
        cdef Py_ssize_t begin = self.begin()
        for value in values:
            self.packed_varint(<uint32_t>value)
        return self.end_packed(field, begin)

    cdef int signed(self, int field, tuple values) except -1:
        cdef Py_ssize_t begin = self.begin()
        for value in values:
            self.packed_varint(zigzag(<int32_t>value))
        return self.end_packed(field, begin)

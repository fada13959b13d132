"""The fields of a serialised protobuf message, cut out of its bytes without parsing their values.

The server counts the items of a request this way, and passes them on as the bytes they came in, so
that a message of many megabytes never becomes millions of objects. Tests compare with protobuf's
own parser. The format: https://protobuf.dev/programming-guides/encoding.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport uint8_t, uint64_t

from tokalign.errors import InputError

cdef enum:
    MAX_FIELD = (1 << 29) - 1
    MAX_GROUPS = 100


class WireError(InputError):
    """Bytes that are no protobuf message."""


cdef int next_varint(Cursor *cursor, uint64_t *value) noexcept nogil:
    """Read a base-128 number of at most ten bytes, 64 bits; return FOUND or NO_MESSAGE."""
    return _next_varint(cursor, value, 10)


cdef inline int _next_varint(Cursor *cursor, uint64_t *value, int most) noexcept nogil:
    cdef uint64_t found = 0
    cdef uint8_t byte
    cdef int shift
    for shift in range(0, 7 * most, 7):
        if cursor.at == cursor.end:
            return NO_MESSAGE
        byte = cursor.at[0]
        cursor.at += 1
        found |= <uint64_t>(byte & 0x7F) << shift
        if byte <= 0x7F:
            value[0] = found
            return FOUND
    return NO_MESSAGE


cdef int next_tag(Cursor *cursor, uint64_t *tag) noexcept nogil:
    """Read a tag; like a length, it has at most five bytes."""
    if _next_varint(cursor, tag, 5) < 0 or tag[0] >> 3 > <uint64_t>MAX_FIELD:
        return NO_MESSAGE
    return FOUND


cdef int next_length(Cursor *cursor, uint64_t *size) noexcept nogil:
    """Read a length; the message must have as many bytes left."""
    if _next_varint(cursor, size, 5) < 0 or size[0] > <uint64_t>(cursor.end - cursor.at):
        return NO_MESSAGE
    return FOUND


cdef int skip(Cursor *cursor, uint64_t size) noexcept nogil:
    if size > <uint64_t>(cursor.end - cursor.at):
        return NO_MESSAGE
    cursor.at += size
    return FOUND


cdef int skip_group(Cursor *cursor, uint64_t tag) noexcept nogil:
    """Skip a group and everything in it; its first tag has been read."""
    cdef uint64_t[MAX_GROUPS] numbers
    cdef uint64_t value
    cdef int depth = 0
    while True:
        if tag & 7 == GROUP:
            if depth == MAX_GROUPS:
                return NO_MESSAGE
            numbers[depth] = tag >> 3
            depth += 1
        elif tag & 7 == END_GROUP:
            depth -= 1
            if numbers[depth] != tag >> 3:
                return NO_MESSAGE
            if depth == 0:
                return FOUND
        elif tag & 7 == VARINT:
            if next_varint(cursor, &value) < 0:
                return NO_MESSAGE
        elif tag & 7 == LENGTH_DELIMITED:
            if next_length(cursor, &value) < 0 or skip(cursor, value) < 0:
                return NO_MESSAGE
        elif tag & 7 == FIXED64:
            if skip(cursor, 8) < 0:
                return NO_MESSAGE
        elif tag & 7 == FIXED32:
            if skip(cursor, 4) < 0:
                return NO_MESSAGE
        else:
            return NO_MESSAGE
        if next_tag(cursor, &tag) < 0:
            return NO_MESSAGE


cdef int next_field(Cursor *cursor, Field *field) noexcept nogil:
    """Read a field; return FOUND, NO_MORE or NO_MESSAGE."""
    cdef uint64_t size
    if cursor.at == cursor.end:
        return NO_MORE
    if next_tag(cursor, &field.tag) < 0:
        return NO_MESSAGE
    cdef int wire_type = field.tag & 7
    field.data = cursor.at
    field.size = 0
    if wire_type == LENGTH_DELIMITED:
        if next_length(cursor, &size) < 0:
            return NO_MESSAGE
        field.data = cursor.at
        field.size = <Py_ssize_t>size
        return skip(cursor, size)
    if wire_type == VARINT:
        return next_varint(cursor, &field.number)
    if wire_type == FIXED64:
        return skip(cursor, 8)
    if wire_type == FIXED32:
        return skip(cursor, 4)
    if wire_type == GROUP:
        return skip_group(cursor, field.tag)
    return NO_MESSAGE


cdef Cursor over(bytes data):
    cdef Cursor cursor
    cursor.at = <const uint8_t *>PyBytes_AS_STRING(data)
    cursor.end = cursor.at + PyBytes_GET_SIZE(data)
    return cursor


cdef bytes bytes_of(const Field *field):
    return PyBytes_FromStringAndSize(<const char *>field.data, field.size)


def tag(uint64_t number, int wire_type=LENGTH_DELIMITED):
    """Return the tag of a field: the number that precedes its value on the wire."""
    return number << 3 | wire_type


cdef class fields:
    """Iterates over each field's tag and its value, in their order.

    The value of a length-delimited field is its bytes, that of a varint a number (unsigned, 64
    bits). Other wire types give empty bytes; the requests that this is used on have none.

    Parameters
    ----------
    data : bytes

    Raises
    ------
    WireError
        If the bytes are no message. The fields before that place have been given by then.

    Examples
    --------
    >>> list(fields(bytes.fromhex("0a026162 1007")))
    [(10, b'ab'), (16, 7)]
    """

    cdef bytes _data
    cdef Cursor _cursor

    def __init__(self, bytes data not None):
        self._data = data
        self._cursor = over(data)

    def __iter__(self):
        return self

    def __next__(self):
        cdef Field field
        cdef int outcome
        if self._data is None:
            raise StopIteration
        outcome = next_field(&self._cursor, &field)
        if outcome == FOUND:
            if field.tag & 7 == VARINT:
                return field.tag, field.number
            return field.tag, bytes_of(&field)
        if outcome == NO_MORE:
            raise StopIteration
        raise _wrong(self._data, &self._cursor)


cdef _wrong(bytes data, const Cursor *cursor):
    position = cursor.at - <const uint8_t *>PyBytes_AS_STRING(data)
    return WireError(f"no field of a message ends at byte {position}")


def values(bytes data not None, uint64_t wanted, Py_ssize_t most):
    """Return the values of one length-delimited field.

    Parameters
    ----------
    data : bytes
    wanted : int
        The field's tag.
    most : int
        Largest number of fields, whatever their tags, that the message may have.

    Returns
    -------
    found : list of bytes

    Raises
    ------
    WireError
        If the bytes are no message.
    InputError
        If there are more fields.
    """
    cdef Cursor cursor = over(data)
    cdef Field field
    cdef int outcome
    cdef Py_ssize_t n = 0
    cdef list found = []
    while (outcome := next_field(&cursor, &field)) == FOUND:
        if field.tag == wanted:
            found.append(bytes_of(&field))
        n += 1
        if n > most:
            raise InputError(f"more fields than the {most} that a part of a request can need")
    if outcome == NO_MESSAGE:
        raise _wrong(data, &cursor)
    return found


def text(bytes data not None, uint64_t wanted, Py_ssize_t most):
    """Return the string of one field, empty where it is missing.

    Parameters
    ----------
    data, wanted, most
        As of `values`.

    Returns
    -------
    text : str
        The last one, where the field is given several times.

    Raises
    ------
    WireError
        If the bytes are no message, or the string is not UTF-8.
    InputError
        If there are more fields.
    """
    cdef list found = values(data, wanted, most)
    if not found:
        return ""
    try:
        return (<bytes>found.pop()).decode()
    except UnicodeDecodeError as error:
        raise WireError("a string is not UTF-8") from error

"""Messages made of fields that are serialised already.

A message is the concatenation of its fields, so the server joins what its workers have written, and
parses none of it.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport uint8_t, uint64_t

from tokalign.codec._writer cimport TAG_BYTES, VARINT_BYTES, put_varint
from tokalign.codec.fields cimport LENGTH_DELIMITED, VARINT


cdef bytes _head(int field, Py_ssize_t size):
    """Return the tag and the length of a field, which precede its bytes."""
    cdef uint8_t[TAG_BYTES + VARINT_BYTES] head
    cdef uint8_t *end = put_varint(put_varint(head, field << 3 | LENGTH_DELIMITED), size)
    return PyBytes_FromStringAndSize(<const char *>head, end - head)


cdef class Joined:
    """Writes one kind of message from its fields, by name, in the order they are given.

    Parameters
    ----------
    kind : type of Message
        The fields that are given must be numbers (but no sint32), strings or messages.
    """

    cdef dict _numbers

    def __init__(self, kind):
        self._numbers = {field.name: field.number for field in kind.DESCRIPTOR.fields}

    def __call__(self, **fields):
        """Return the serialised message.

        Parameters
        ----------
        **fields
            A non-negative int or a str, left out where it is 0 or empty, as proto3 has it; a
            serialised message, present even where empty; or serialised messages of a repeated
            field.

        Raises
        ------
        KeyError
            If the message has no such field.
        OverflowError
            If a number is negative or takes more than 64 bits.

        Examples
        --------
        >>> from tokalign.v1 import align_pb2
        >>> Joined(align_pb2.AlignResponse)(id="ab", alignment=b"").hex()
        '0a0261621200'
        """
        cdef list parts = []
        cdef uint8_t[TAG_BYTES + VARINT_BYTES] varint
        cdef uint8_t *end
        cdef uint64_t number
        for name, value in fields.items():
            field = self._numbers[name]
            if isinstance(value, str):
                value = (<str>value).encode()
                if not value:
                    continue
            if isinstance(value, bytes):
                parts.append(_head(field, len(<bytes>value)))
                parts.append(value)
            elif isinstance(value, int):
                number = value
                if number:
                    end = put_varint(put_varint(varint, <int>field << 3 | VARINT), number)
                    parts.append(PyBytes_FromStringAndSize(<const char *>varint, end - varint))
            else:
                for each in value:
                    parts.append(_head(field, len(<bytes?>each)))
                    parts.append(each)
        return b"".join(parts)

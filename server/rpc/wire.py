"""Protobuf messages built from parts that workers have already serialised.

A message is the concatenation of its fields, so an answer of a thousand alignments is joined in
microseconds instead of being parsed and built again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

Value: TypeAlias = "int | str | bytes | Iterable[bytes]"

_ONE_BYTE = [bytes([value]) for value in range(0x80)]
_VARINT, _LENGTH_DELIMITED = 0, 2
_VARINTS = {
    FieldDescriptor.TYPE_INT32,
    FieldDescriptor.TYPE_UINT32,
    FieldDescriptor.TYPE_UINT64,
    FieldDescriptor.TYPE_BOOL,
    FieldDescriptor.TYPE_ENUM,
}
_NESTED = {FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES, FieldDescriptor.TYPE_MESSAGE}


class Joined:
    """Serialises one kind of message out of its fields, by name, in the order they are given.

    Parameters
    ----------
    kind : type of Message
        Fields that are neither varints nor length-delimited are left out; see __call__.
    """

    def __init__(self, kind: type[Message]) -> None:
        self._tags = {
            field.name: varint(field.number << 3 | wire_type)
            for field in kind.DESCRIPTOR.fields
            for types, wire_type in ((_VARINTS, _VARINT), (_NESTED, _LENGTH_DELIMITED))
            if field.type in types
        }

    def __call__(self, **values: Value) -> bytes:
        """Return the serialised message.

        Parameters
        ----------
        **values
            A non-negative int or a str, left out where it is 0 or empty, as proto3 has it; a
            serialised message, present even where empty; or serialised messages of a repeated
            field.

        Raises
        ------
        KeyError
            If the message has no such field.

        Examples
        --------
        >>> from tokalign.v1 import align_pb2
        >>> Joined(align_pb2.AlignResponse)(id="ab", alignment=b"").hex()
        '0a0261621200'
        """
        parts: list[bytes] = []
        for name, value in values.items():
            tag = self._tags[name]
            if isinstance(value, bytes):
                parts += (tag, varint(len(value)), value)
            elif isinstance(value, str):
                if value:
                    text = value.encode()
                    parts += (tag, varint(len(text)), text)
            elif isinstance(value, int):
                if value:
                    parts += (tag, varint(value))
            else:
                for each in value:
                    parts += (tag, varint(len(each)), each)
        return b"".join(parts)


def varint(value: int) -> bytes:
    """Return a non-negative integer as a base-128 varint.

    Examples
    --------
    >>> varint(300).hex()
    'ac02'
    """
    if value <= 0x7F:
        return _ONE_BYTE[value]
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)

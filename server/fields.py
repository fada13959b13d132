"""The fields of a serialised protobuf message, cut out of its bytes without parsing what they hold.

So items are counted, and passed on as the bytes they came in, at no more cost than their number;
a message of many megabytes never becomes millions of objects. See the wire format at
https://protobuf.dev/programming-guides/encoding.
"""

from __future__ import annotations

from collections.abc import Iterator

from tokalign.errors import InputError

VARINT, FIXED64, LENGTH_DELIMITED, GROUP, END_GROUP, FIXED32 = range(6)
_FIXED_BYTES = {FIXED64: 8, FIXED32: 4}
_MAX_FIELD = (1 << 29) - 1
_MAX_GROUPS = 100


class WireError(InputError):
    """Bytes that are no protobuf message."""


def tag(number: int, wire_type: int = LENGTH_DELIMITED) -> int:
    """Return what precedes a field on the wire, as a number."""
    return number << 3 | wire_type


def fields(data: bytes) -> Iterator[tuple[int, bytes | int]]:
    """Yield each field's tag and its value, in their order.

    The value is the bytes of a length-delimited field, a varint's number (unsigned, 64 bits), or
    empty bytes for the other kinds, which no request of tokalign uses where this is called.

    Raises
    ------
    WireError
        If the bytes are no message; what came before has been yielded by then.

    Examples
    --------
    >>> list(fields(bytes.fromhex("0a026162 1007")))
    [(10, b'ab'), (16, 7)]
    """
    position, end = 0, len(data)
    while position < end:
        number = data[position]
        position += 1
        if number > 0x7F:
            number, position = _varint(data, position - 1)
        wire_type = number & 7
        if number >> 3 > _MAX_FIELD:
            raise WireError(f"field number {number >> 3} at byte {position}")
        if wire_type == LENGTH_DELIMITED:
            if position < end and data[position] <= 0x7F:
                size = data[position]
                position += 1
            else:
                size, position = _varint(data, position)
            if size > end - position:
                raise WireError(f"a field ends {size - end + position} bytes after the message")
            yield number, data[position : position + size]
            position += size
        elif wire_type == VARINT:
            value, position = _varint(data, position)
            yield number, value & 0xFFFF_FFFF_FFFF_FFFF
        else:
            position = _skip(data, position, number)
            yield number, b""


def _varint(data: bytes, position: int) -> tuple[int, int]:
    """Return a base-128 number and the position after it."""
    value = shift = 0
    for byte in data[position : position + 10]:
        value |= (byte & 0x7F) << shift
        position += 1
        if byte <= 0x7F:
            return value, position
        shift += 7
    raise WireError(f"a number does not end at byte {position}")


def _skip(data: bytes, position: int, number: int) -> int:
    """Return the position after the value of a field that is fixed in size, or a group."""
    groups: list[int] = []
    while True:
        wire_type = number & 7
        if wire_type == GROUP:
            groups.append(number >> 3)
            if len(groups) > _MAX_GROUPS:
                raise WireError(f"more than {_MAX_GROUPS} groups in one another")
        elif wire_type == END_GROUP:
            if not groups or groups.pop() != number >> 3:
                raise WireError(f"a group that did not begin ends at byte {position}")
        elif wire_type == VARINT:
            _, position = _varint(data, position)
        elif wire_type == LENGTH_DELIMITED:
            size, position = _varint(data, position)
            position += size
        elif wire_type in _FIXED_BYTES:
            position += _FIXED_BYTES[wire_type]
        else:
            raise WireError(f"wire type {wire_type} at byte {position}")
        if position > len(data):
            raise WireError(f"a field ends {position - len(data)} bytes after the message")
        if not groups:
            return position
        number, position = _varint(data, position)
        if number >> 3 > _MAX_FIELD:
            raise WireError(f"field number {number >> 3} at byte {position}")

"""Protobuf messages built from parts that workers have already serialised.

A message is the concatenation of its fields, so an answer of a thousand alignments is joined in
microseconds instead of being parsed and built again.
"""

from __future__ import annotations

_ONE_BYTE = [bytes([value]) for value in range(0x80)]


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


def nested(field_number: int, payload: bytes) -> bytes:
    """Return a string, bytes or message field, even where empty.

    Examples
    --------
    >>> nested(2, b"ab").hex()
    '12026162'
    """
    return varint(field_number << 3 | 2) + varint(len(payload)) + payload


def text(field_number: int, value: str) -> bytes:
    """Return a string field, or nothing where it is empty, as proto3 has it."""
    return nested(field_number, value.encode()) if value else b""


def number(field_number: int, value: int) -> bytes:
    """Return a uint32, uint64 or enum field, or nothing where it is 0."""
    return varint(field_number << 3) + varint(value) if value else b""

"""The reader of fields against protobuf's own, which keeps what it does not know."""

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.protobuf.empty_pb2 import Empty
from google.protobuf.message import DecodeError
from google.protobuf.unknown_fields import UnknownFieldSet
from hypothesis import given
from hypothesis import strategies as st
from tokalign.server.fields import LENGTH_DELIMITED, VARINT, WireError, fields, tag

wire = st.recursive(
    st.binary(max_size=24),
    lambda parts: st.one_of(
        st.lists(parts, max_size=6).map(b"".join),
        st.tuples(st.sampled_from(range(8, 32)), parts).map(
            lambda pair: bytes([pair[0], len(pair[1]) % 128]) + pair[1]
        ),
        st.tuples(st.integers(1, 15), parts).map(
            lambda pair: bytes([pair[0] << 3 | 3]) + pair[1] + bytes([pair[0] << 3 | 4])
        ),
    ),
)


def by_protobuf(data):
    """Return the fields as protobuf parses them, None where it does not."""
    try:
        found = UnknownFieldSet(Empty.FromString(data))
    except DecodeError:
        return None
    return [
        (
            tag(each.field_number, each.wire_type),
            each.data if each.wire_type in (VARINT, LENGTH_DELIMITED) else b"",
        )
        for each in found
    ]


def by_reader(data):
    try:
        return list(fields(data))
    except WireError:
        return None


@given(wire)
def test_any_bytes_are_read_as_protobuf_reads_them(data):
    assert by_reader(data) == by_protobuf(data)


@given(st.lists(st.tuples(st.integers(1, (1 << 29) - 1), st.integers(0, (1 << 64) - 1))))
def test_numbers_of_any_size_are_read(pairs):
    def varint(value):
        out = bytearray()
        while value > 0x7F:
            out.append(value & 0x7F | 0x80)
            value >>= 7
        return bytes([*out, value])

    data = b"".join(varint(tag(number, VARINT)) + varint(value) for number, value in pairs)
    assert by_reader(data) == by_protobuf(data) == [(tag(n, VARINT), v) for n, v in pairs]


@pytest.mark.parametrize(
    "data",
    [
        b"\xff" * 11,
        b"\x0a",
        b"\x0a\x05abcd",
        b"\x0e\x00",
        b"\x0c",
        b"\x0b" * 150 + b"\x0c" * 150,
        b"\x0b\x14",
        b"\x0d\x00\x00",
    ],
)
def test_damaged_messages_are_refused_as_protobuf_refuses_them(data):
    assert by_protobuf(data) is None
    assert by_reader(data) is None


def test_real_message_is_read_back():
    message = FileDescriptorProto(name="a", dependency=["b", "c"])
    assert list(fields(message.SerializeToString())) == [(10, b"a"), (26, b"b"), (26, b"c")]

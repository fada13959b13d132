"""The reader of fields against protobuf's own, which keeps what it does not know."""

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.protobuf.empty_pb2 import Empty
from google.protobuf.message import DecodeError
from google.protobuf.unknown_fields import UnknownFieldSet
from hypothesis import given
from hypothesis import strategies as st
from reference import sizes as reference
from tokalign.codec.reading import (
    LENGTH_DELIMITED,
    VARINT,
    WireError,
    fields,
    sizes,
    tag,
    text,
    texts_alone,
    values,
)
from tokalign.errors import InputError
from tokalign.v1 import align_pb2

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


SENTENCES = st.builds(
    align_pb2.Sentence,
    text=st.text() | st.text("a -,.\x7f\x80\xa0\xbf\xc0\u07ff\u0800\U0001f600"),
    tokens=st.lists(st.text(max_size=3), max_size=3),
    heads=st.lists(st.integers(-1, 600), max_size=3),
)
CONSTRAINTS = st.builds(
    align_pb2.Constraints, linked_source=st.lists(st.integers(0, 1000), max_size=3)
)
PAIRS = st.builds(
    align_pb2.Pair,
    id=st.text(),
    source=SENTENCES,
    target=SENTENCES,
    constraints=st.none() | CONSTRAINTS,
)


@given(PAIRS, PAIRS, st.integers(0, 20), st.integers(0, 100))
def test_tokens_are_counted_as_those_of_the_parsed_pair(first, second, max_tokens, max_bytes):
    # Joined messages merge, as protobuf has it.
    for data in (
        first.SerializeToString(),
        first.SerializeToString() + second.SerializeToString(),
        first.SerializeToString()[:-1],
    ):
        *found, constraint_bytes = sizes(data, max_tokens, max_bytes)
        *expected, least_bytes = reference.sizes(data, max_tokens, max_bytes)
        assert found == expected
        # What is merged has one tag for its numbers, and not one for each part.
        assert least_bytes <= constraint_bytes <= least_bytes + 4


TEXTS = st.builds(align_pb2.Sentence, text=st.text(max_size=5))


@given(
    st.builds(align_pb2.Pair, id=st.text(), source=SENTENCES | TEXTS, target=SENTENCES | TEXTS),
    st.booleans(),
    st.integers(0, 8),
)
def test_texts_alone_are_those_of_the_parsed_pair(pair, is_damaged, n_cut):
    data = pair.SerializeToString()
    if is_damaged:
        data = data[: len(data) - n_cut] + b"\xff" * n_cut
    found = texts_alone(data)
    if found is not None:
        parsed = align_pb2.Pair.FromString(data)
        assert found == (parsed.source.text, parsed.target.text)
        for sentence in (parsed.source, parsed.target):
            assert sentence == align_pb2.Sentence(text=sentence.text)
    elif not is_damaged:
        assert any(
            each.tokens or each.heads or not each.text for each in (pair.source, pair.target)
        )


@given(wire)
def test_texts_alone_before_any_bytes_are_those_of_the_parsed_pair(data):
    pair = align_pb2.Pair(source={"text": "Dogs bark."}, target={"text": "A dog barks."})
    whole = pair.SerializeToString() + data
    found = texts_alone(whole)
    assert found is not None or data
    if found is not None:
        parsed = align_pb2.Pair.FromString(whole)
        assert found == (parsed.source.text, parsed.target.text)


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


@given(wire, st.integers(1, 15))
def test_values_of_one_field_are_those_among_all(data, number):
    found = by_protobuf(data)
    wanted = tag(number)
    if found is None:
        with pytest.raises(WireError):
            values(data, wanted, len(data))
    else:
        assert values(data, wanted, len(data)) == [v for each, v in found if each == wanted]


def test_text_is_the_last_one():
    data = b"".join(align_pb2.Pair(id=each).SerializeToString() for each in ("a", "\xe9"))
    assert text(data, tag(1), 2) == "\xe9"
    assert text(data, tag(4), 2) == ""
    with pytest.raises(InputError, match="more fields than the 1 "):
        text(data, tag(1), 1)
    with pytest.raises(WireError, match="UTF-8"):
        text(data[:-1] + b"\xff", tag(1), 2)


@pytest.mark.parametrize("n_bytes", range(1, 11))
def test_padded_numbers_are_read_as_protobuf_reads_them(n_bytes):
    def padded(value):
        return bytes([value | 0x80] + [0x80] * (n_bytes - 2) + [0] if n_bytes > 1 else [value])

    for data in (
        padded(tag(1)) + b"\x01a",
        bytes([tag(1)]) + padded(1) + b"a",
        bytes([tag(1, VARINT)]) + padded(1),
    ):
        assert by_reader(data) == by_protobuf(data)

"""Fields of serialised messages, cut out of their bytes, and the sizes of serialised pairs.

The server counts the items of a request this way, and passes on their bytes unparsed, so that a
message of many megabytes never becomes millions of objects. Tests compare with protobuf's own
parser, and sizes with tests/reference/sizes.py. The format:
https://protobuf.dev/programming-guides/encoding.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport uint8_t, uint64_t

from tokalign.codec._numbers cimport *

from tokalign.errors import InputError

cdef enum:
    MAX_FIELD = (1 << 29) - 1
    MAX_GROUPS = 100

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


class WireError(InputError):
    """Bytes that are not a protobuf message."""


cdef inline int next_varint(Cursor *cursor, uint64_t *value, int most) noexcept nogil:
    """Read a base-128 number of at most so many bytes; return FOUND or NO_MESSAGE."""
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


cdef inline int next_tag(Cursor *cursor, uint64_t *tag) noexcept nogil:
    """Read a tag; like a length, it has at most five bytes."""
    if next_varint(cursor, tag, 5) < 0 or tag[0] >> 3 > <uint64_t>MAX_FIELD:
        return NO_MESSAGE
    return FOUND


cdef inline int next_length(Cursor *cursor, uint64_t *size) noexcept nogil:
    """Read a length; the message must have as many bytes left."""
    if next_varint(cursor, size, 5) < 0 or size[0] > <uint64_t>(cursor.end - cursor.at):
        return NO_MESSAGE
    return FOUND


cdef inline int skip(Cursor *cursor, uint64_t size) noexcept nogil:
    if size > <uint64_t>(cursor.end - cursor.at):
        return NO_MESSAGE
    cursor.at += size
    return FOUND


cdef inline int next_value(Cursor *cursor, Field *field) noexcept nogil:
    """Read the value that follows a tag, of a field that is no group."""
    cdef uint64_t size
    cdef int wire_type = field.tag & 7
    if wire_type == LENGTH_DELIMITED:
        if next_length(cursor, &size) < 0:
            return NO_MESSAGE
        field.data = cursor.at
        field.size = <Py_ssize_t>size
        return skip(cursor, size)
    if wire_type == VARINT:
        return next_varint(cursor, &field.number, 10)  # 64 bits
    if wire_type == FIXED64:
        return skip(cursor, 8)
    if wire_type == FIXED32:
        return skip(cursor, 4)
    return NO_MESSAGE


cdef int skip_group(Cursor *cursor, uint64_t tag) noexcept nogil:
    """Skip a group and everything in it; its first tag has been read."""
    cdef uint64_t[MAX_GROUPS] numbers
    cdef Field field
    cdef int depth = 0
    field.tag = tag
    while True:
        if field.tag & 7 == GROUP:
            if depth == MAX_GROUPS:
                return NO_MESSAGE
            numbers[depth] = field.tag >> 3
            depth += 1
        elif field.tag & 7 == END_GROUP:
            depth -= 1
            if numbers[depth] != field.tag >> 3:
                return NO_MESSAGE
            if depth == 0:
                return FOUND
        elif next_value(cursor, &field) < 0:
            return NO_MESSAGE
        if next_tag(cursor, &field.tag) < 0:
            return NO_MESSAGE


cdef int next_field(Cursor *cursor, Field *field) noexcept nogil:
    """Read a field; return FOUND, NO_MORE or NO_MESSAGE."""
    if cursor.at == cursor.end:
        return NO_MORE
    if next_tag(cursor, &field.tag) < 0:
        return NO_MESSAGE
    field.data = cursor.at
    field.size = 0
    if field.tag & 7 == GROUP:
        return skip_group(cursor, field.tag)
    return next_value(cursor, field)


cdef inline Cursor over(bytes data):
    cdef const uint8_t *start = <const uint8_t *>PyBytes_AS_STRING(data)
    return Cursor(start, start + PyBytes_GET_SIZE(data))


cdef bytes bytes_of(const Field *field):
    return PyBytes_FromStringAndSize(<const char *>field.data, field.size)


def tag(uint64_t number, int wire_type=LENGTH_DELIMITED) -> int:
    """Return the tag of a field: the number that precedes its value on the wire."""
    return number << 3 | wire_type


cdef class fields:
    """Iterates over each field's tag and its value, in their order.

    The value of a length-delimited field is its bytes; that of a varint is an unsigned 64-bit
    number. Other wire types give empty bytes; tokalign's requests have none.

    WireError is raised if the bytes are not a message. The fields before the fault have been
    yielded by then.

    Examples
    --------
    >>> list(fields(bytes.fromhex("0a026162 1007")))
    [(10, b'ab'), (16, 7)]
    """

    cdef bytes _data
    cdef Cursor _cursor

    def __init__(self, bytes data not None) -> None:
        self._data = data
        self._cursor = over(data)

    def __iter__(self) -> Iterator[tuple[int, bytes | int]]:
        return self

    def __next__(self) -> tuple[int, bytes | int]:
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


def values(bytes data not None, uint64_t wanted, Py_ssize_t most) -> list[bytes]:
    """Return the values of one length-delimited field.

    `wanted`: the field's tag. `most`: largest number of fields, whatever their tags, that the
    message may have.

    WireError is raised if the bytes are no message; InputError, if there are more fields.
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


def text(bytes data not None, uint64_t wanted, Py_ssize_t most) -> str:
    """Return the string of one field, empty where it is missing.

    `data`, `wanted`, `most`: as of `values`.

    It is the last one, where the field is given several times.

    WireError is raised if the bytes are no message, or the string is not UTF-8; InputError, if
    there are more fields.
    """
    cdef list found = values(data, wanted, most)
    if not found:
        return ""
    try:
        return (<bytes>found.pop()).decode()
    except UnicodeDecodeError as error:
        raise WireError("a string is not UTF-8") from error


# Tags of the fields to read of pairs and sentences.
cdef enum:
    CONSTRAINTS = PAIR_CONSTRAINTS << 3 | LENGTH_DELIMITED
    ID = PAIR_ID << 3 | LENGTH_DELIMITED
    SOURCE = PAIR_SOURCE << 3 | LENGTH_DELIMITED
    TARGET = PAIR_TARGET << 3 | LENGTH_DELIMITED
    TEXT = SENTENCE_TEXT << 3 | LENGTH_DELIMITED
    TOKENS = SENTENCE_TOKENS << 3 | LENGTH_DELIMITED

# Number of tokens that a byte of a text adds. A letter adds none. A space adds one, since it
# separates two tokens. A sign adds two, since it separates two tokens and is one itself. The first
# byte of a character beyond ASCII says whether it is a sign: there is punctuation up to U+00BF and
# from U+0800 on.
cdef uint8_t[256] _ADDS
for _byte in range(256):
    _ADDS[_byte] = (
        1 if _byte <= 32 or _byte == ord("-")
        else 2 if chr(_byte) in "\"'`:,.;@#$%&?!()[]{}<>" or _byte == 0xC2 or 0xE0 <= _byte < 0xF5
        else 0
    )


cdef Py_ssize_t _in_text(const uint8_t *text, Py_ssize_t size) noexcept nogil:
    cdef Py_ssize_t n = 1, k
    for k in range(size):
        n += _ADDS[text[k]]
    return n


# Counts of one sentence.
cdef struct TokenCount:
    Py_ssize_t n_given          # tokens
    Py_ssize_t n_in_text        # tokens of the text, estimated
    Py_ssize_t n_given_bytes    # of the given tokens
    Py_ssize_t n_text_bytes


cdef int _count_tokens(const Field *field, TokenCount *count) noexcept nogil:
    """Count the tokens of a sentence or a part of it; return whether the bytes are a message.

    A field that is not repeated but occurs several times is one message in parts.
    """
    cdef Cursor cursor = Cursor(field.data, field.data + field.size)
    cdef Field part
    cdef int outcome
    while (outcome := next_field(&cursor, &part)) == FOUND:
        if part.tag == TOKENS:
            count.n_given += 1
            count.n_given_bytes += part.size
        elif part.tag == TEXT:
            count.n_in_text = _in_text(part.data, part.size)
            count.n_text_bytes = part.size
    return outcome == NO_MORE


cdef bint _read_pair(
    bytes pair, TokenCount *source, TokenCount *target, Py_ssize_t *n_constraint_bytes
) except? -1:
    """Read both sentences of a pair; return whether the bytes are a message."""
    cdef Field field
    cdef int outcome
    cdef Cursor cursor = over(pair)
    source[0] = TokenCount(0, 1, 0, 0)
    target[0] = TokenCount(0, 1, 0, 0)
    n_constraint_bytes[0] = 0
    while (outcome := next_field(&cursor, &field)) == FOUND:
        if field.tag == SOURCE and not _count_tokens(&field, source):
            return False
        if field.tag == TARGET and not _count_tokens(&field, target):
            return False
        if field.tag == CONSTRAINTS:
            n_constraint_bytes[0] += field.size
    return outcome == NO_MORE


cdef Py_ssize_t _at_most(const TokenCount *count, Py_ssize_t most) noexcept nogil:
    return min(count.n_given if count.n_given else count.n_in_text, most)


cdef inline Py_ssize_t _n_bytes(const TokenCount *count) noexcept nogil:
    return count.n_given_bytes if count.n_given else count.n_text_bytes


def sizes(
    bytes pair not None, Py_ssize_t max_tokens, Py_ssize_t max_bytes
) -> tuple[int, int, int, int, int]:
    """Return the sizes of a pair's sentences: given tokens are counted, those of a text estimated.

    The estimate of tokens is too large by a tenth on average in English text, because of signs
    beside spaces and dots in a row. Contractions without a sign ("cannot") make it too small, by a
    factor of two at most.

    `pair`: a serialised tokalign.v1.Pair. `max_tokens`: a longer sentence counts as one of
    `max_tokens`, since it is refused after tokenising. `max_bytes`: a larger pair is not read: both
    sentences count as `max_tokens`, all bytes as constraints.

    They are the tokens of both sides, 0 if the bytes are not a pair, and 1 of an empty or missing
    sentence; the bytes of both sides' tokens, or of the text, in UTF-8; and those of the serialised
    constraints.

    Examples
    --------
    >>> from tokalign.v1 import align_pb2
    >>> pair = align_pb2.Pair(source={"text": "Dogs bark."}, target={"tokens": ["Dogs", "bark"]})
    >>> sizes(pair.SerializeToString(), 512, 1000)
    (4, 2, 10, 8, 0)
    """
    cdef TokenCount source, target
    cdef Py_ssize_t n_constraint_bytes = 0
    if len(pair) > max_bytes:
        return max_tokens, max_tokens, 0, 0, len(pair)
    if not _read_pair(pair, &source, &target, &n_constraint_bytes):
        return 0, 0, 0, 0, 0
    return (
        _at_most(&source, max_tokens),
        _at_most(&target, max_tokens),
        _n_bytes(&source),
        _n_bytes(&target),
        n_constraint_bytes,
    )


cdef str _text_alone(const Field *sentence):
    """Return a sentence's text, or None if it has no text or has other fields."""
    cdef Cursor cursor = Cursor(sentence.data, sentence.data + sentence.size)
    cdef Field field
    if next_field(&cursor, &field) != FOUND or field.tag != TEXT or cursor.at != cursor.end:
        return None
    return PyUnicode_DecodeUTF8(<const char *>field.data, field.size, NULL)


def texts_alone(bytes pair not None) -> tuple[str, str] | None:
    """Return the texts of a pair whose sentences hold only a text, as most do.

    `pair`: a serialised tokalign.v1.Pair.

    A side is empty if the pair lacks that sentence. None instead of both if the pair has other
    fields than an id and such sentences, or the bytes are not a pair: then use protobuf's parser.
    """
    cdef Field field, identity
    cdef int outcome
    cdef str source = ""
    cdef str target = ""
    cdef Cursor cursor = over(pair)
    identity.size = 0
    try:
        while (outcome := next_field(&cursor, &field)) == FOUND:
            if field.tag == SOURCE and not source:
                source = _text_alone(&field)
            elif field.tag == TARGET and not target:
                target = _text_alone(&field)
            elif field.tag == ID and not identity.size:
                identity = field
            else:
                return None
            if source is None or target is None:
                return None
        if identity.size:
            PyUnicode_DecodeUTF8(<const char *>identity.data, identity.size, NULL)
    except UnicodeDecodeError:
        return None
    return (source, target) if outcome == NO_MORE else None

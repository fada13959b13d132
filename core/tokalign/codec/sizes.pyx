"""Texts and sizes of serialised pairs, without a message object for each part.

Tokens are counted where they are given; of a text they are estimated. tests/reference/sizes.py does
the same with parsed messages.
"""

from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport uint8_t

from tokalign.codec._numbers cimport (
    PAIR_CONSTRAINTS,
    PAIR_ID,
    PAIR_SOURCE,
    PAIR_TARGET,
    SENTENCE_TEXT,
    SENTENCE_TOKENS,
)
from tokalign.codec.fields cimport (
    FOUND,
    LENGTH_DELIMITED,
    NO_MORE,
    Cursor,
    Field,
    next_field,
    over,
)

# Tags of the fields that are read.
cdef enum:
    CONSTRAINTS = PAIR_CONSTRAINTS << 3 | LENGTH_DELIMITED
    ID = PAIR_ID << 3 | LENGTH_DELIMITED
    SOURCE = PAIR_SOURCE << 3 | LENGTH_DELIMITED
    TARGET = PAIR_TARGET << 3 | LENGTH_DELIMITED
    TEXT = SENTENCE_TEXT << 3 | LENGTH_DELIMITED
    TOKENS = SENTENCE_TOKENS << 3 | LENGTH_DELIMITED

# How many tokens a byte of a text adds. A letter adds none. A space adds one, since it separates
# two tokens. A sign adds two, since it separates two tokens and is one itself. A character beyond
# ASCII is a sign by its first byte: there is punctuation up to U+00BF and from U+0800 on.
cdef uint8_t[256] _ADDS
for _byte in range(256):
    _ADDS[_byte] = (
        1 if _byte <= 32 or _byte == ord("-")
        else 2 if chr(_byte) in "\"'`:,.;@#$%&?!()[]{}<>" or _byte == 0xC2 or 0xE0 <= _byte < 0xF5
        else 0
    )


cdef Py_ssize_t _in_text(const uint8_t *text, Py_ssize_t size) noexcept nogil:
    cdef Py_ssize_t n = 1
    cdef Py_ssize_t k
    for k in range(size):
        n += _ADDS[text[k]]
    return n


# What is counted of one sentence.
cdef struct TokenCount:
    Py_ssize_t n_given          # tokens
    Py_ssize_t n_in_text        # tokens of the text, estimated
    Py_ssize_t n_given_bytes    # of the given tokens
    Py_ssize_t n_text_bytes


cdef int _count_tokens(const Field *field, TokenCount *count) noexcept nogil:
    """Count the tokens of a sentence, or of a part of it; return whether it is a message.

    A field that is no list but occurs several times is one message in parts.
    """
    cdef Cursor cursor
    cdef Field part
    cdef int outcome
    cursor.at = field.data
    cursor.end = field.data + field.size
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
    """Read both sentences of a pair; return whether it is a message."""
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


def sizes(bytes pair not None, Py_ssize_t max_tokens, Py_ssize_t max_bytes):
    """Return how large the sentences of a pair are: counted, or estimated from a text.

    The estimate of tokens is too large by a tenth on average in English text, because of signs
    beside spaces and dots in a row. Contractions without a sign ("cannot") make it too small, by a
    factor of two at most.

    Parameters
    ----------
    pair : bytes
        A serialised tokalign.v1.Pair.
    max_tokens : int
        A longer sentence counts as one of `max_tokens`, since it is refused after tokenising.
    max_bytes : int
        A larger pair is not read: both its sentences count as having `max_tokens`, and all its
        bytes as constraints.

    Returns
    -------
    n_source, n_target : int
        Tokens. Both 0 where the bytes are no pair. 1 for a sentence that is empty or missing.
    source_bytes, target_bytes : int
        Of the tokens, or of the text, in UTF-8.
    constraint_bytes : int
        Of the constraints as they are serialised.

    Examples
    --------
    >>> from tokalign.v1 import align_pb2
    >>> pair = align_pb2.Pair(source={"text": "Dogs bark."}, target={"tokens": ["Dogs", "bark"]})
    >>> sizes(pair.SerializeToString(), 512, 1000)
    (4, 2, 10, 8, 0)
    """
    cdef TokenCount source
    cdef TokenCount target
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
    """Return a sentence's text, or None where the sentence has other fields, or no text."""
    cdef Cursor cursor
    cdef Field field
    cursor.at = sentence.data
    cursor.end = sentence.data + sentence.size
    if next_field(&cursor, &field) != FOUND or field.tag != TEXT or cursor.at != cursor.end:
        return None
    return PyUnicode_DecodeUTF8(<const char *>field.data, field.size, NULL)


def texts_alone(bytes pair not None):
    """Return the texts of a pair whose sentences have a text and nothing else, as most have.

    Parameters
    ----------
    pair : bytes
        A serialised tokalign.v1.Pair.

    Returns
    -------
    source, target : str
        Empty where the pair lacks that sentence. None in place of both where the pair has
        anything but an id and such sentences, or the bytes are no pair: ask protobuf's parser.
    """
    cdef Field field
    cdef Field identity
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

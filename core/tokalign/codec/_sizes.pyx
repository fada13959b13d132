"""What serialised pairs hold, without a message object for each part of them: texts, and how many
tokens.

Tokens are counted where they are given; of a text they are estimated. tests/reference/sizes.py says
the same of parsed messages.
"""

from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport uint8_t

from tokalign.codec._fields cimport FOUND, NO_MORE, Cursor, Field, next_field, over

# Tags of Pair.id, Pair.source and Pair.target, Sentence.text and Sentence.tokens.
cdef enum:
    ID = 1 << 3 | 2
    SOURCE = 2 << 3 | 2
    TARGET = 3 << 3 | 2
    TEXT = 1 << 3 | 2
    TOKENS = 2 << 3 | 2

# What a byte of a text adds to its tokens: nothing a letter; one what separates two, a space; two a
# sign, which is one between two. Of characters beyond ASCII the first byte decides: there is
# punctuation up to U+00BF and from U+0800 on.
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


cdef struct Sentence:
    Py_ssize_t n_given
    Py_ssize_t n_in_text


cdef int _read_sentence(const Field *field, Sentence *sentence) noexcept nogil:
    """Add one of a sentence's parts, which merge; return whether it is a message."""
    cdef Cursor cursor
    cdef Field part
    cdef int outcome
    cursor.at = field.data
    cursor.end = field.data + field.size
    while (outcome := next_field(&cursor, &part)) == FOUND:
        if part.tag == TOKENS:
            sentence.n_given += 1
        elif part.tag == TEXT:
            sentence.n_in_text = _in_text(part.data, part.size)
    return outcome == NO_MORE


cdef Py_ssize_t _n_tokens(const Sentence *sentence, Py_ssize_t most) noexcept nogil:
    return min(sentence.n_given if sentence.n_given else sentence.n_in_text, most)


def n_tokens(bytes pair not None, Py_ssize_t max_tokens, Py_ssize_t max_bytes):
    """Return how many tokens the sentences of a pair have, given ones or at most.

    Spaces separate two tokens, and a sign is one between two. Contractions without a sign
    ("cannot") make the number too small by a factor of two at most; signs beside spaces and dots in
    a row make it a little too large in English text, by a tenth on average.

    Parameters
    ----------
    pair : bytes
        A serialised tokalign.v1.Pair.
    max_tokens : int
        A sentence with more counts as one of so many, since it is refused after tokenising.
    max_bytes : int
        A pair with more is not looked at: both sentences count as such ones.

    Returns
    -------
    n_source, n_target : int
        Both 0 of what is no pair; 1 of an empty sentence, or where there is none.

    Examples
    --------
    >>> from tokalign.v1 import align_pb2
    >>> pair = align_pb2.Pair(source={"text": "Dogs bark."}, target={"tokens": ["Dogs", "bark"]})
    >>> n_tokens(pair.SerializeToString(), 512, 1000)
    (4, 2)
    """
    cdef Sentence source = Sentence(0, 1)
    cdef Sentence target = Sentence(0, 1)
    cdef Field field
    cdef int outcome
    if len(pair) > max_bytes:
        return max_tokens, max_tokens
    cdef Cursor cursor = over(pair)
    while (outcome := next_field(&cursor, &field)) == FOUND:
        if field.tag == SOURCE and not _read_sentence(&field, &source):
            return 0, 0
        if field.tag == TARGET and not _read_sentence(&field, &target):
            return 0, 0
    if outcome != NO_MORE:
        return 0, 0
    return _n_tokens(&source, max_tokens), _n_tokens(&target, max_tokens)


cdef str _text_alone(const Field *sentence):
    """Return a sentence's text, or None where it has more than a text, or none."""
    cdef Cursor cursor
    cdef Field field
    cursor.at = sentence.data
    cursor.end = sentence.data + sentence.size
    if next_field(&cursor, &field) != FOUND or field.tag != TEXT or cursor.at != cursor.end:
        return None
    return PyUnicode_DecodeUTF8(<const char *>field.data, field.size, NULL)


def texts_alone(bytes pair not None):
    """Return the texts of a pair whose sentences have nothing but a text, as most have.

    Parameters
    ----------
    pair : bytes
        A serialised tokalign.v1.Pair.

    Returns
    -------
    source, target : str
        Empty where the pair has no such sentence. Or None instead of both, where it has anything
        else than an id and such sentences, or is none: protobuf's parser is to be asked.
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

"""Answers as protobuf's wire format, written without a message object for each part of them.

A message is the concatenation of its fields, so what workers have written is joined to answers of
many pairs as it is. What is written are the bytes that protobuf makes of the same answer: fields by their number, those
at their default left out, repeated numbers packed. tests/reference/answers.py says the same with
messages. The format: https://protobuf.dev/programming-guides/encoding.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy, memmove

from tokalign.columns import columns_of
from tokalign.options import Detail
from tokalign.v1 import align_pb2

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL

# How a field's value is written; follows its number in the tag.
cdef enum:
    VARINT = 0
    FIXED64 = 1
    LENGTH_DELIMITED = 2
    FIXED32 = 5

# Most bytes of a tag (fields up to 2047 take two) and of a varint.
cdef enum:
    TAG_BYTES = 2
    VARINT_BYTES = 10
    FIRST_BYTES = 1024

cdef dict _NUMBER_OF_DIRECTION = {
    name.removeprefix("DIRECTION_"): number for name, number in align_pb2.Direction.items()
}
cdef dict _NUMBER_OF_RANK_BY = {
    name.removeprefix("RANK_BY_"): number for name, number in align_pb2.RankBy.items()
}


cdef inline uint64_t zigzag(int32_t value) noexcept nogil:
    """Return a sint32 as it is written: small where the number is, negative or not."""
    return (<uint32_t>value << 1) ^ <uint32_t>(value >> 31)


cdef inline int varint_bytes(uint64_t value) noexcept nogil:
    """Return how many bytes a varint takes."""
    cdef int n = 1
    while value > 0x7F:
        value >>= 7
        n += 1
    return n


cdef inline uint8_t *put_varint(uint8_t *at, uint64_t value) noexcept nogil:
    """Write a varint; return what follows it."""
    while value > 0x7F:
        at[0] = <uint8_t>(value | 0x80)
        value >>= 7
        at += 1
    at[0] = <uint8_t>value
    return at + 1


cdef class _Columns:
    """The arrays of tokalign.columns.AlignmentColumns."""

    cdef object of
    cdef const int64_t[::1] offsets
    cdef const int32_t[::1] source
    cdef const int32_t[::1] target
    cdef const double[::1] confidence
    cdef const double[::1] score
    cdef const double[::1] similarity

    def __init__(self, of):
        self.of = of
        self.offsets = of.offsets
        self.source = of.source
        self.target = of.target
        self.confidence = of.confidence
        self.score = of.score
        self.similarity = of.similarity


cdef class _Writer:
    """Bytes that grow. A method for each kind of field and, below, for each message."""

    cdef uint8_t *_bytes
    cdef Py_ssize_t _n
    cdef Py_ssize_t _room

    def __dealloc__(self):
        free(self._bytes)

    cdef int reserve(self, Py_ssize_t n_more) except -1:
        """Have room for so many bytes more."""
        cdef Py_ssize_t room
        cdef uint8_t *larger
        if self._n + n_more > self._room:
            room = max(2 * self._room, self._n + n_more, <Py_ssize_t>FIRST_BYTES)
            larger = <uint8_t *>realloc(self._bytes, room)
            if larger == NULL:
                raise MemoryError("the bytes of an answer")
            self._bytes = larger
            self._room = room
        return 0

    cdef bytes taken(self):
        return PyBytes_FromStringAndSize(<const char *>self._bytes, self._n)

    # Fields of one value. Callers leave out what is at its default.

    cdef int varint(self, int field, uint64_t value) except -1:
        self.reserve(TAG_BYTES + VARINT_BYTES)
        cdef uint8_t *at = put_varint(self._bytes + self._n, field << 3 | VARINT)
        self._n = put_varint(at, value) - self._bytes
        return 0

    cdef int number(self, int field, uint64_t value) except -1:
        """Write an unsigned number or one of an enum, unless it is 0."""
        return self.varint(field, value) if value else 0

    cdef int single(self, int field, float value) except -1:
        """Write a float, unless it is 0; -0 is not."""
        cdef uint32_t bits
        memcpy(&bits, &value, sizeof(bits))
        if bits:
            self.reserve(TAG_BYTES + sizeof(bits))
            put_varint(self._bytes + self._n, field << 3 | FIXED32)
            self._n += varint_bytes(field << 3)
            self.little_endian(bits, sizeof(bits))
        return 0

    cdef int double(self, int field, double value) except -1:
        """Write a double, unless it is 0; -0 is not."""
        cdef uint64_t bits
        memcpy(&bits, &value, sizeof(bits))
        if bits:
            self.reserve(TAG_BYTES + sizeof(bits))
            put_varint(self._bytes + self._n, field << 3 | FIXED64)
            self._n += varint_bytes(field << 3)
            self.little_endian(bits, sizeof(bits))
        return 0

    cdef void little_endian(self, uint64_t bits, int size) noexcept:
        """Write the lowest bytes of a number, for which there is room."""
        cdef int k
        for k in range(size):
            self._bytes[self._n + k] = <uint8_t>(bits >> 8 * k)
        self._n += size

    cdef int delimited(self, int field, const void *data, Py_ssize_t size) except -1:
        """Write a length and so many bytes, even where there are none."""
        self.reserve(TAG_BYTES + VARINT_BYTES + size)
        cdef uint8_t *at = put_varint(self._bytes + self._n, field << 3 | LENGTH_DELIMITED)
        at = put_varint(at, size)
        memcpy(at, data, size)
        self._n = at + size - self._bytes
        return 0

    cdef int string(self, int field, str text) except -1:
        """Write a string, even an empty one."""
        cdef Py_ssize_t size
        cdef const char *data = PyUnicode_AsUTF8AndSize(text, &size)
        return self.delimited(field, data, size)

    # What holds others: begin() before them, end() after them.

    cdef Py_ssize_t begin(self) noexcept:
        return self._n

    cdef int end(self, int field, Py_ssize_t begin) except -1:
        """Put the tag and the length before what was written since begin()."""
        cdef Py_ssize_t size = self._n - begin
        cdef Py_ssize_t head = varint_bytes(field << 3) + varint_bytes(size)
        self.reserve(head)
        memmove(self._bytes + begin + head, self._bytes + begin, size)
        put_varint(
            put_varint(self._bytes + begin, field << 3 | LENGTH_DELIMITED), size
        )
        self._n += head
        return 0

    cdef int end_packed(self, int field, Py_ssize_t begin) except -1:
        """Do as end(), where numbers were written since begin()."""
        return self.end(field, begin) if self._n > begin else 0

    cdef int packed_varint(self, uint64_t value) except -1:
        self.reserve(VARINT_BYTES)
        self._n = put_varint(self._bytes + self._n, value) - self._bytes
        return 0

    cdef int packed_single(self, float value) except -1:
        cdef uint32_t bits
        memcpy(&bits, &value, sizeof(bits))
        self.reserve(sizeof(bits))
        self.little_endian(bits, sizeof(bits))
        return 0

    # Repeated fields.

    cdef int strings(self, int field, tuple values) except -1:
        for value in values:
            self.string(field, value)
        return 0

    cdef int unsigned(self, int field, tuple values) except -1:
        cdef Py_ssize_t begin = self.begin()
        for value in values:
            self.packed_varint(<uint32_t>value)
        return self.end_packed(field, begin)

    cdef int signed(self, int field, tuple values) except -1:
        cdef Py_ssize_t begin = self.begin()
        for value in values:
            self.packed_varint(zigzag(<int32_t>value))
        return self.end_packed(field, begin)

    # Messages of tokalign.v1.

    cdef int sentence(self, int field, value) except -1:
        cdef Py_ssize_t begin = self.begin()
        cdef str text = value.text
        if text:
            self.string(1, text)
        self.strings(2, value.tokens)
        if value.tags is not None:
            self.strings(3, value.tags)
        if value.lemmas is not None:
            self.strings(4, value.lemmas)
        if value.heads is not None:
            self.signed(5, value.heads)
        if value.relations is not None:
            self.strings(6, value.relations)
        self.unsigned(7, value.starts)
        self.unsigned(8, value.ends)
        return self.end(field, begin)

    cdef int links(self, tuple links) except -1:
        """Write the links of an Alignment: three columns."""
        cdef Py_ssize_t begin = self.begin()
        for link in links:
            self.packed_varint(<uint32_t>link.source)
        self.end_packed(3, begin)
        begin = self.begin()
        for link in links:
            self.packed_varint(<uint32_t>link.target)
        self.end_packed(4, begin)
        begin = self.begin()
        for link in links:
            self.packed_single(link.confidence)
        return self.end_packed(5, begin)

    cdef int links_of_columns(self, _Columns columns, Py_ssize_t index) except -1:
        """Write the same, of a pair of columns."""
        cdef Py_ssize_t first = columns.offsets[index]
        cdef Py_ssize_t end = columns.offsets[index + 1]
        cdef Py_ssize_t begin = self.begin()
        cdef Py_ssize_t k
        for k in range(first, end):
            self.packed_varint(<uint32_t>columns.source[k])
        self.end_packed(3, begin)
        begin = self.begin()
        for k in range(first, end):
            self.packed_varint(<uint32_t>columns.target[k])
        self.end_packed(4, begin)
        begin = self.begin()
        for k in range(first, end):
            self.packed_single(columns.confidence[k])
        return self.end_packed(5, begin)

    cdef int posteriors(self, int field, const float[:, :] values) except -1:
        cdef Py_ssize_t begin = self.begin()
        cdef Py_ssize_t i, j, first
        self.number(1, values.shape[0])
        self.number(2, values.shape[1])
        first = self.begin()
        for i in range(values.shape[0]):
            for j in range(values.shape[1]):
                self.packed_single(values[i, j])
        self.end_packed(3, first)
        return self.end(field, begin)

    cdef int contribution(self, int field, value) except -1:
        cdef Py_ssize_t begin = self.begin()
        cdef str name = value.name
        if name:
            self.string(1, name)
        self.single(2, value.value)
        self.single(3, value.weight)
        return self.end(field, begin)

    cdef int explanation(self, int field, value) except -1:
        cdef Py_ssize_t begin = self.begin()
        self.number(1, zigzag(value.source))
        self.number(2, zigzag(value.target))
        self.number(3, _NUMBER_OF_DIRECTION[value.direction.name])
        self.double(4, value.score)
        for contribution in value.features:
            self.contribution(5, contribution)
        self.number(6, zigzag(value.runner_up))
        self.double(7, value.margin)
        return self.end(field, begin)

    cdef int phrase(self, int field, value) except -1:
        cdef Py_ssize_t begin = self.begin()
        self.number(1, <uint32_t>value.source_start)
        self.number(2, <uint32_t>value.source_end)
        self.number(3, <uint32_t>value.target_start)
        self.number(4, <uint32_t>value.target_end)
        self.single(5, value.confidence)
        return self.end(field, begin)


cdef class AlignmentWriter:
    """Writes alignments as serialised tokalign.v1.Alignment.

    Neighbours that are views of the same columns share what is looked up in them.

    Parameters
    ----------
    options : AlignOptions
        Whether to write phrases, and how much of each alignment.
    """

    cdef _Columns _columns
    cdef bint _has_sentences
    cdef bint _has_links
    cdef bint _has_phrases

    def __init__(self, options):
        self._has_sentences = options.detail is Detail.FULL
        self._has_links = options.detail is not Detail.SCORES
        self._has_phrases = options.phrases

    def write(self, value):
        """Return an alignment's bytes.

        Parameters
        ----------
        value : Alignment
            Its posteriors, where there are any, are of float32.

        Returns
        -------
        data : bytes

        Raises
        ------
        UnicodeEncodeError
            If a string holds lone surrogates.
        OverflowError
            If an index does not fit its field.
        """
        viewed = None if self._has_phrases else columns_of(value)
        if viewed is not None:
            columns, index = viewed
            if self._columns is None or self._columns.of is not columns:
                self._columns = _Columns(columns)
            return self._of_columns(index)
        cdef _Writer writer = _Writer()
        if self._has_sentences:
            writer.sentence(1, value.source)
            writer.sentence(2, value.target)
        if self._has_links:
            writer.links(value.links)
        writer.single(6, value.score)
        if self._has_links:
            if value.posteriors is not None:
                writer.posteriors(7, value.posteriors)
            for explanation in value.explanations:
                writer.explanation(8, explanation)
            if self._has_phrases:
                for phrase in value.phrases():
                    writer.phrase(9, phrase)
        writer.single(10, value.similarity)
        writer.number(11, value.source_truncated)
        writer.number(12, value.target_truncated)
        return writer.taken()

    cdef bytes _of_columns(self, Py_ssize_t index):
        """Return the bytes of a pair of the columns, which hold no more than is written here."""
        cdef _Columns columns = self._columns
        cdef _Writer writer = _Writer()
        if self._has_sentences:
            writer.sentence(1, columns.of.sources[index])
            writer.sentence(2, columns.of.targets[index])
        if self._has_links:
            writer.links_of_columns(columns, index)
        writer.single(6, columns.score[index])
        writer.single(10, columns.similarity[index])
        return writer.taken()


def write_judgement(value):
    """Return a serialised tokalign.v1.RankedCandidate of what it is ranked by, and why, alone.

    Parameters
    ----------
    value : Judgement

    Returns
    -------
    data : bytes
    """
    cdef _Writer writer = _Writer()
    writer.single(3, value.score)
    writer.number(4, _NUMBER_OF_RANK_BY[value.by.name])
    for contribution in value.evidence:
        writer.contribution(5, contribution)
    return writer.taken()


cdef bytes _head(int field, Py_ssize_t size):
    """Return what precedes the bytes of a field."""
    cdef uint8_t[TAG_BYTES + VARINT_BYTES] head
    cdef uint8_t *end = put_varint(put_varint(head, field << 3 | LENGTH_DELIMITED), size)
    return PyBytes_FromStringAndSize(<const char *>head, end - head)


cdef class Joined:
    """Writes one kind of message out of its fields, by name, in the order they are given.

    Parameters
    ----------
    kind : type of Message
        Its fields that are asked for are numbers (no sint32), strings or messages.
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

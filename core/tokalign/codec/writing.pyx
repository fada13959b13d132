"""Answers written in protobuf's wire format, without message objects.

The bytes equal protobuf's own for the same answer: fields in the order of their numbers, defaults
left out, repeated numbers packed. tests/reference/answers.py writes the same with messages. A
message is the concatenation of its fields, so the server joins its workers' bytes without parsing
them (`Joined`). The format: https://protobuf.dev/programming-guides/encoding.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.unicode cimport PyUnicode_AsUTF8AndSize
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy, memmove

from tokalign.codec._numbers cimport *
from tokalign.codec.reading cimport FIXED32, FIXED64, LENGTH_DELIMITED, VARINT

from tokalign.codec.options import numbers_of
from tokalign.types.columns import columns_of
from tokalign.types.edits import Change, EditKind
from tokalign.types.fields import OUTPUTS
from tokalign.types.sentence import in_unit
from tokalign.types.options import Detail, Direction, RankBy
from tokalign.types.relations import ConflictKind, ConflictReason
from tokalign.v1 import align_pb2

cdef enum:
    FIRST_BYTES = 1024

# Most bytes of a tag (fields up to 2047 take two) and of a varint.
cdef enum:
    TAG_BYTES = 2
    VARINT_BYTES = 10


cdef inline uint64_t zigzag(int32_t value) noexcept nogil:
    """Return the zigzag code of a sint32, which is small for small numbers of either sign."""
    return (<uint32_t>value << 1) ^ <uint32_t>(value >> 31)


cdef inline int varint_bytes(uint64_t value) noexcept nogil:
    """Return the number of bytes of a varint."""
    cdef int n = 1
    while value > 0x7F:
        value >>= 7
        n += 1
    return n


cdef inline uint8_t *put_varint(uint8_t *at, uint64_t value) noexcept nogil:
    """Write a varint; return the place after it."""
    while value > 0x7F:
        at[0] = <uint8_t>(value | 0x80)
        value >>= 7
        at += 1
    at[0] = <uint8_t>value
    return at + 1


cdef dict _DIRECTIONS = numbers_of(Direction)
cdef dict _RANK_BYS = numbers_of(RankBy)
cdef dict _CONFLICT_KINDS = numbers_of(ConflictKind)
cdef dict _CONFLICT_REASONS = numbers_of(ConflictReason)
cdef dict _EDIT_KINDS = numbers_of(EditKind)
cdef dict _CHANGES = numbers_of(Change)


# Fields behind the edits: one optional number or truth each, in the order of their numbers.
cdef list _LATER = [
    (field.number, output, field.type == field.TYPE_DOUBLE)
    for output in OUTPUTS
    for field in align_pb2.Alignment.DESCRIPTOR.fields
    if field.name == output.name and field.number > ALIGNMENT_EDITS
]
_LATER.sort(key=lambda each: each[0])


cdef class MessageWriter:
    """The bytes of one message, which grow field by field."""

    cdef uint8_t *_bytes
    cdef Py_ssize_t _n, _room

    def __dealloc__(self):
        free(self._bytes)

    cdef int reserve(self, Py_ssize_t n_more) except -1:
        """Make room for so many more bytes."""
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

    cdef void start(self) noexcept:
        """Forget what was written, for the next message."""
        self._n = 0

    cdef bytes taken(self):
        """Return the bytes written since start()."""
        return PyBytes_FromStringAndSize(<const char *>self._bytes, self._n)

    # Fields of one value. proto3 leaves out a value that is its field's default.

    cdef int varint(self, int field, uint64_t value) except -1:
        self.reserve(TAG_BYTES + VARINT_BYTES)
        cdef uint8_t *at = put_varint(self._bytes + self._n, field << 3 | VARINT)
        self._n = put_varint(at, value) - self._bytes
        return 0

    cdef int number(self, int field, uint64_t value) except -1:
        """Write an unsigned number, or an enumeration's, unless it is 0."""
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
        return self.present_double(field, value) if bits else 0

    cdef int present_double(self, int field, double value) except -1:
        """Write a double, even if it is 0."""
        cdef uint64_t bits
        memcpy(&bits, &value, sizeof(bits))
        self.reserve(TAG_BYTES + sizeof(bits))
        put_varint(self._bytes + self._n, field << 3 | FIXED64)
        self._n += varint_bytes(field << 3)
        self.little_endian(bits, sizeof(bits))
        return 0

    cdef void little_endian(self, uint64_t bits, int size) noexcept:
        """Write the lowest bytes of a number; room has been made."""
        cdef int k
        for k in range(size):
            self._bytes[self._n + k] = <uint8_t>(bits >> 8 * k)
        self._n += size

    cdef int delimited(self, int field, const void *data, Py_ssize_t size) except -1:
        """Write a length and that many bytes, even if there are none."""
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

    # Fields that hold others: call begin() before those, and end() after them.

    cdef Py_ssize_t begin(self) noexcept:
        return self._n

    cdef int end(self, int field, Py_ssize_t begin) except -1:
        """Put the field's tag and length before the bytes written since begin()."""
        cdef Py_ssize_t size = self._n - begin
        cdef Py_ssize_t head = varint_bytes(field << 3) + varint_bytes(size)
        self.reserve(head)
        memmove(self._bytes + begin + head, self._bytes + begin, size)
        put_varint(put_varint(self._bytes + begin, field << 3 | LENGTH_DELIMITED), size)
        self._n += head
        return 0

    cdef int end_packed(self, int field, Py_ssize_t begin) except -1:
        """Do the same for packed numbers, unless there are none."""
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

    cdef int part(
        self, int field, const int32_t[::1] values, Py_ssize_t first, Py_ssize_t end
    ) except -1:
        """Write a part of an array of unsigned numbers."""
        cdef Py_ssize_t begin = self.begin()
        cdef Py_ssize_t k
        for k in range(first, end):
            self.packed_varint(<uint32_t>values[k])
        return self.end_packed(field, begin)

    cdef int signed(self, int field, tuple values) except -1:
        cdef Py_ssize_t begin = self.begin()
        for value in values:
            self.packed_varint(zigzag(<int32_t>value))
        return self.end_packed(field, begin)


cdef class _Columns:
    """The arrays of an AlignmentColumns (tokalign.types.columns)."""

    cdef object of
    cdef const int64_t[::1] offsets
    cdef const int32_t[::1] source, target
    cdef const double[::1] confidence, score, similarity, target_covered
    cdef const double[::1] covered, agreement
    cdef const float[:, ::1] relations   # None unless asked for
    cdef list later

    def __init__(self, of):
        self.of = of
        self.offsets = of.offsets
        self.source = of.source
        self.target = of.target
        self.confidence = of.confidence
        self.score = of.score
        self.similarity = of.similarity
        self.target_covered = of.target_covered
        self.covered = of.covered
        self.agreement = of.agreement
        self.relations = of.relations
        self.later = [each for each in _LATER if of.has(each[1])]


cdef class _Texts:
    """The arrays of the columns that sentences are views of (SentenceColumns)."""

    cdef object of
    cdef const int64_t[::1] offsets
    cdef const int32_t[::1] starts, ends, numbers
    cdef const uint8_t[::1] tags
    cdef tuple tag_names
    cdef list tokens, lemmas

    def __init__(self, of):
        self.of = of
        self.offsets, self.starts, self.ends, self.numbers = of.columns()
        self.tags = of.tags()
        self.tag_names = of.words.tags
        self.tokens = of.words.tokens
        self.lemmas = of.words.lemmas


cdef class _AnswerWriter(MessageWriter):
    """A writer with a method for each message that is part of an answer."""

    cdef _Texts texts  # of the previous sentence; the next one usually shares them

    cdef int sentence(self, int field, value) except -1:
        cdef Py_ssize_t begin = self.begin()
        cdef Py_ssize_t first, end
        cdef str text = value.text
        if text:
            self.string(SENTENCE_TEXT, text)
        viewed = value.viewed()
        if viewed is not None:
            columns, index = viewed
            if self.texts is None or self.texts.of is not columns:
                self.texts = _Texts(columns)
            first, end = self.texts.offsets[index], self.texts.offsets[index + 1]
            self.words(first, end)
            self.tree(value)
            self.part(SENTENCE_STARTS, self.texts.starts, first, end)
            self.part(SENTENCE_ENDS, self.texts.ends, first, end)
            return self.end(field, begin)
        self.strings(SENTENCE_TOKENS, value.tokens)
        if value.tags is not None:
            self.strings(SENTENCE_TAGS, value.tags)
        if value.lemmas is not None:
            self.strings(SENTENCE_LEMMAS, value.lemmas)
        self.tree(value)
        self.unsigned(SENTENCE_STARTS, value.starts)
        self.unsigned(SENTENCE_ENDS, value.ends)
        return self.end(field, begin)

    cdef int tree(self, value) except -1:
        if value.heads is not None:
            self.signed(SENTENCE_HEADS, value.heads)
            self.strings(SENTENCE_RELATIONS, value.relations)
        return 0

    cdef int words(self, Py_ssize_t first, Py_ssize_t end) except -1:
        """Write the tokens, tags and lemmas of a sentence that is a view."""
        cdef _Texts texts = self.texts
        cdef Py_ssize_t k
        for k in range(first, end):
            self.string(SENTENCE_TOKENS, <str>texts.tokens[texts.numbers[k]])
        for k in range(first, end):
            self.string(SENTENCE_TAGS, <str>texts.tag_names[texts.tags[k]])
        for k in range(first, end):
            self.string(SENTENCE_LEMMAS, <str>texts.lemmas[texts.numbers[k]])
        return 0

    cdef int links(self, _Columns columns, Py_ssize_t index) except -1:
        """Write the links of a pair, as three parallel fields."""
        cdef Py_ssize_t first = columns.offsets[index]
        cdef Py_ssize_t end = columns.offsets[index + 1]
        cdef Py_ssize_t begin, k
        self.part(ALIGNMENT_SOURCE_INDICES, columns.source, first, end)
        self.part(ALIGNMENT_TARGET_INDICES, columns.target, first, end)
        begin = self.begin()
        for k in range(first, end):
            self.packed_single(columns.confidence[k])
        return self.end_packed(ALIGNMENT_CONFIDENCES, begin)

    cdef int posteriors(self, int field, const float[:, :] values) except -1:
        cdef Py_ssize_t begin = self.begin()
        cdef Py_ssize_t i, j, first
        self.number(POSTERIOR_MATRIX_N_SOURCE, values.shape[0])
        self.number(POSTERIOR_MATRIX_N_TARGET, values.shape[1])
        first = self.begin()
        for i in range(values.shape[0]):
            for j in range(values.shape[1]):
                self.packed_single(values[i, j])
        self.end_packed(POSTERIOR_MATRIX_VALUES, first)
        return self.end(field, begin)

    cdef int contribution(self, int field, value) except -1:
        cdef Py_ssize_t begin = self.begin()
        cdef str name = value.name
        if name:
            self.string(FEATURE_CONTRIBUTION_NAME, name)
        self.single(FEATURE_CONTRIBUTION_VALUE, value.value)
        self.single(FEATURE_CONTRIBUTION_WEIGHT, value.weight)
        return self.end(field, begin)

    cdef int explanation(self, int field, value) except -1:
        cdef Py_ssize_t begin = self.begin()
        self.number(LINK_EXPLANATION_SOURCE, zigzag(value.source))
        self.number(LINK_EXPLANATION_TARGET, zigzag(value.target))
        self.number(LINK_EXPLANATION_DIRECTION, _DIRECTIONS[value.direction])
        self.double(LINK_EXPLANATION_SCORE, value.score)
        for contribution in value.features:
            self.contribution(LINK_EXPLANATION_FEATURES, contribution)
        self.number(LINK_EXPLANATION_RUNNER_UP, zigzag(value.runner_up))
        self.double(LINK_EXPLANATION_MARGIN, value.margin)
        return self.end(field, begin)

    cdef int phrase(self, int field, value) except -1:
        cdef Py_ssize_t begin = self.begin()
        cdef Py_ssize_t first
        self.number(PHRASE_SOURCE_START, <uint32_t>value.source_start)
        self.number(PHRASE_SOURCE_END, <uint32_t>value.source_end)
        self.number(PHRASE_TARGET_START, <uint32_t>value.target_start)
        self.number(PHRASE_TARGET_END, <uint32_t>value.target_end)
        self.single(PHRASE_CONFIDENCE, value.confidence)
        if value.relation is not None:
            # By its number, not by its name, so that a kind that only a newer server knows is kept.
            probabilities = value.relation.probabilities
            self.number(PHRASE_RELATION, probabilities.index(max(probabilities)) + 1)
            first = self.begin()
            for probability in probabilities:
                self.packed_single(probability)
            self.end_packed(PHRASE_RELATION_PROBABILITIES, first)
        return self.end(field, begin)

    cdef int conflict(self, int field, value) except -1:
        cdef Py_ssize_t begin = self.begin()
        self.number(CONFLICT_KIND, _CONFLICT_KINDS[value.kind])
        self.number(CONFLICT_SOURCE, <uint32_t>value.source)
        self.number(CONFLICT_TARGET, <uint32_t>value.target)
        self.single(CONFLICT_PROBABILITY, value.probability)
        self.number(CONFLICT_SOURCE_START, <uint32_t>value.source_span[0])
        self.number(CONFLICT_SOURCE_END, <uint32_t>value.source_span[1])
        self.number(CONFLICT_TARGET_START, <uint32_t>value.target_span[0])
        self.number(CONFLICT_TARGET_END, <uint32_t>value.target_span[1])
        self.number(CONFLICT_REASON, _CONFLICT_REASONS[value.reason])
        return self.end(field, begin)

    cdef int edit(self, int field, value) except -1:
        cdef Py_ssize_t begin = self.begin()
        cdef tuple source = value.source
        cdef tuple target = value.target
        self.number(EDIT_KIND, _EDIT_KINDS[value.kind])
        if source:
            self.number(EDIT_SOURCE_START, <uint32_t>source[0])
            self.number(EDIT_SOURCE_END, <uint32_t>source[0] + len(source))
        if target:
            self.number(EDIT_TARGET_START, <uint32_t>target[0])
            self.number(EDIT_TARGET_END, <uint32_t>target[0] + len(target))
        if value.change is not None:
            self.number(EDIT_CHANGE, _CHANGES[value.change])
        return self.end(field, begin)

    cdef int relations(self, _Columns columns, Py_ssize_t index) except -1:
        """Write the relations of a pair's links, as two parallel fields."""
        cdef Py_ssize_t first = columns.offsets[index]
        cdef Py_ssize_t end = columns.offsets[index + 1]
        cdef Py_ssize_t begin = self.begin()
        cdef Py_ssize_t k, kind, likeliest
        for k in range(first, end):
            likeliest = 0
            for kind in range(1, columns.relations.shape[1]):
                if columns.relations[k, kind] > columns.relations[k, likeliest]:
                    likeliest = kind
            self.packed_varint(likeliest + 1)
        self.end_packed(ALIGNMENT_RELATIONS, begin)
        begin = self.begin()
        for k in range(first, end):
            for kind in range(columns.relations.shape[1]):
                self.packed_single(columns.relations[k, kind])
        return self.end_packed(ALIGNMENT_RELATION_PROBABILITIES, begin)


cdef class AlignmentWriter:
    """Writes alignments as serialised tokalign.v1.Alignment.

    Write alignments that are views of the same columns in a row: their arrays are then looked up
    once.

    `options`: `detail` says how much of each alignment to write.
    """

    cdef _Columns _columns
    cdef _AnswerWriter _answer
    cdef bint _has_sentences, _has_links

    def __init__(self, options: AlignOptions) -> None:
        self._answer = _AnswerWriter()
        self._has_sentences = options.detail is Detail.FULL
        self._has_links = options.detail is not Detail.SCORES

    def write(self, value: Alignment) -> bytes:
        """Return an alignment's bytes.

        `value`: its posteriors, if any, must be float32.

        UnicodeEncodeError is raised if a string holds lone surrogates; OverflowError, if an index
        does not fit its field.
        """
        cdef Py_ssize_t index
        of, index = columns_of(value)
        if self._columns is None or self._columns.of is not of:
            self._columns = _Columns(of)
        cdef _Columns columns = self._columns
        cdef _AnswerWriter writer = self._answer
        writer.start()
        if self._has_sentences:
            writer.sentence(ALIGNMENT_SOURCE, in_unit(of.sources[index], of.unit))
            writer.sentence(ALIGNMENT_TARGET, in_unit(of.targets[index], of.unit))
        if self._has_links:
            writer.links(columns, index)
        writer.single(ALIGNMENT_SCORE, columns.score[index])
        writer.single(ALIGNMENT_SIMILARITY, columns.similarity[index])
        if self._has_links:
            if len(of.posteriors):
                writer.posteriors(ALIGNMENT_POSTERIORS, of.posteriors[index])
            if len(of.explanations):
                for explanation in of.explanations[index]:
                    writer.explanation(ALIGNMENT_EXPLANATIONS, explanation)
            if len(of.phrases):
                for phrase in of.phrases[index]:
                    writer.phrase(ALIGNMENT_PHRASES, phrase)
        if len(of.truncated):
            writer.number(ALIGNMENT_SOURCE_TRUNCATED, of.truncated[index][0])
            writer.number(ALIGNMENT_TARGET_TRUNCATED, of.truncated[index][1])
        if len(of.distance) and of.distance[index] is not None:
            writer.present_double(ALIGNMENT_DISTANCE, of.distance[index])
        if self._has_links and len(of.styles):
            writer.string(ALIGNMENT_STYLE, of.styles[index])
        writer.single(ALIGNMENT_TARGET_COVERED, columns.target_covered[index])
        writer.single(ALIGNMENT_COVERED, columns.covered[index])
        writer.single(ALIGNMENT_AGREEMENT, columns.agreement[index])
        if self._has_links:
            for conflict in of.conflicts_of(index):
                writer.conflict(ALIGNMENT_CONFLICTS, conflict)
            if columns.relations is not None:
                writer.relations(columns, index)
            if len(of.edits):
                for edit in of.edits[index]:
                    writer.edit(ALIGNMENT_EDITS, edit)
        for number, output, is_double in columns.later:
            later = of.field(index, output.name)
            if later is None:
                continue
            if is_double:
                writer.present_double(number, later)
            else:
                writer.varint(number, later)
        return writer.taken()


def write_judgement(value: Judgement) -> bytes:
    """Return a serialised tokalign.v1.RankedCandidate that holds only a judgement."""
    cdef _AnswerWriter writer = _AnswerWriter()
    cdef Py_ssize_t begin = writer.begin()
    writer.number(JUDGEMENT_BY, _RANK_BYS[value.by])
    writer.single(JUDGEMENT_SCORE, value.score)
    for contribution in value.evidence:
        writer.contribution(JUDGEMENT_EVIDENCE, contribution)
    writer.end(RANKED_CANDIDATE_JUDGEMENT, begin)
    return writer.taken()


cdef bytes _head(int field, Py_ssize_t size):
    """Return the tag and the length of a field, which precede its bytes."""
    cdef uint8_t[TAG_BYTES + VARINT_BYTES] head
    cdef uint8_t *end = put_varint(put_varint(head, field << 3 | LENGTH_DELIMITED), size)
    return PyBytes_FromStringAndSize(<const char *>head, end - head)


cdef class Joined:
    """Writes one kind of message from its fields, given by name and written in that order.

    `kind`: its fields given to a call must be numbers (except sint32), strings or messages.
    """

    cdef dict _numbers

    def __init__(self, kind: type[Message]) -> None:
        self._numbers = {field.name: field.number for field in kind.DESCRIPTOR.fields}

    def __call__(self, **fields: int | str | bytes | Iterable[bytes]) -> bytes:
        """Return the serialised message.

        `**fields`: A non-negative int or a str, left out where it is 0 or empty, as proto3 has it;
        a serialised message, present even where empty; or serialised messages of a repeated field.

        KeyError is raised if the message has no such field; OverflowError, if a number is negative
        or takes more than 64 bits.

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

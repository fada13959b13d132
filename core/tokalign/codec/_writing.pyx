"""Answers as protobuf's wire format, written without a message object for each part of them.

What is written are the bytes that protobuf makes of the same answer: fields by their number, those
at their default left out, repeated numbers packed. tests/reference/answers.py says the same with
messages.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from tokalign.codec._writer cimport Writer, zigzag

from tokalign.columns import columns_of
from tokalign.options import Detail
from tokalign.v1 import align_pb2

cdef dict _NUMBER_OF_DIRECTION = {
    name.removeprefix("DIRECTION_"): number for name, number in align_pb2.Direction.items()
}
cdef dict _NUMBER_OF_RANK_BY = {
    name.removeprefix("RANK_BY_"): number for name, number in align_pb2.RankBy.items()
}


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


cdef class _Texts:
    """The arrays of annotated texts, of which sentences are views (tokalign.annotate)."""

    cdef object of
    cdef const int64_t[::1] offsets
    cdef const int32_t[::1] starts
    cdef const int32_t[::1] ends
    cdef const int32_t[::1] numbers
    cdef const uint8_t[::1] tags
    cdef tuple tag_names
    cdef list tokens
    cdef list lemmas

    def __init__(self, of):
        self.of = of
        self.offsets, self.starts, self.ends, self.numbers = of.columns()
        self.tags = of.tags()
        self.tag_names = of.words.tags
        self.tokens = of.words.tokens
        self.lemmas = of.words.lemmas


cdef class _Answer(Writer):
    """A method for each message of tokalign.v1 that answers hold."""

    cdef _Texts texts  # of the sentence before, which most share

    cdef int sentence(self, int field, value) except -1:
        cdef Py_ssize_t begin = self.begin()
        cdef str text = value.text
        if text:
            self.string(1, text)
        viewed = value.viewed()
        if viewed is not None:
            columns, index = viewed
            if self.texts is None or self.texts.of is not columns:
                self.texts = _Texts(columns)
            self.words(index)
            return self.end(field, begin)
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

    cdef int words(self, Py_ssize_t index) except -1:
        """Write what a sentence that is a view has beside its text."""
        cdef _Texts texts = self.texts
        cdef Py_ssize_t first = texts.offsets[index]
        cdef Py_ssize_t end = texts.offsets[index + 1]
        cdef Py_ssize_t begin, k
        for k in range(first, end):
            self.string(2, <str>texts.tokens[texts.numbers[k]])
        for k in range(first, end):
            self.string(3, <str>texts.tag_names[texts.tags[k]])
        for k in range(first, end):
            self.string(4, <str>texts.lemmas[texts.numbers[k]])
        begin = self.begin()
        for k in range(first, end):
            self.packed_varint(texts.starts[k])
        self.end_packed(7, begin)
        begin = self.begin()
        for k in range(first, end):
            self.packed_varint(texts.ends[k])
        return self.end_packed(8, begin)

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
        How much of each alignment to write.
    """

    cdef _Columns _columns
    cdef _Answer _answer
    cdef bint _has_sentences
    cdef bint _has_links

    def __init__(self, options):
        self._answer = _Answer()
        self._has_sentences = options.detail is Detail.FULL
        self._has_links = options.detail is not Detail.SCORES

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
        viewed = columns_of(value)
        if viewed is not None:
            columns, index = viewed
            if self._columns is None or self._columns.of is not columns:
                self._columns = _Columns(columns)
            return self._of_columns(index)
        cdef _Answer writer = self._answer
        writer.start()
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
            for phrase in value.phrases:
                writer.phrase(9, phrase)
        writer.single(10, value.similarity)
        writer.number(11, value.source_truncated)
        writer.number(12, value.target_truncated)
        if value.distance is not None:
            writer.present_double(13, value.distance)
        return writer.taken()

    cdef bytes _of_columns(self, Py_ssize_t index):
        """Return the bytes of a pair of the columns, which hold no more than is written here."""
        cdef _Columns columns = self._columns
        cdef _Answer writer = self._answer
        writer.start()
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
    cdef _Answer writer = _Answer()
    writer.single(3, value.score)
    writer.number(4, _NUMBER_OF_RANK_BY[value.by.name])
    for contribution in value.evidence:
        writer.contribution(5, contribution)
    return writer.taken()

"""Answers in protobuf's wire format, written without making messages of them.

The bytes are those that protobuf makes of the same answer: fields in the order of their numbers,
without those at their default, repeated numbers packed. tests/reference/answers.py writes the same
with messages.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from tokalign.codec._numbers cimport *
from tokalign.codec._writer cimport MessageWriter, zigzag

from tokalign.codec.by_name import NUMBERS
from tokalign.types.columns import columns_of
from tokalign.types.edits import Change, EditKind
from tokalign.types.offsets import in_unit
from tokalign.types.options import Detail, Direction, RankBy
from tokalign.types.relations import ConflictKind, RelationKind

cdef dict _DIRECTIONS = NUMBERS[Direction]
cdef dict _RANK_BYS = NUMBERS[RankBy]
cdef dict _RELATION_KINDS = NUMBERS[RelationKind]
cdef dict _CONFLICT_KINDS = NUMBERS[ConflictKind]
cdef dict _EDIT_KINDS = NUMBERS[EditKind]
cdef dict _CHANGES = NUMBERS[Change]


cdef class _Columns:
    """The arrays of an AlignmentColumns (tokalign.types.columns)."""

    cdef object of
    cdef const int64_t[::1] offsets
    cdef const int32_t[::1] source
    cdef const int32_t[::1] target
    cdef const double[::1] confidence
    cdef const double[::1] score
    cdef const double[::1] similarity
    cdef const double[::1] target_covered
    cdef const double[::1] covered
    cdef const double[::1] agreement
    cdef const float[:, ::1] relations   # None unless asked for

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


cdef class _Texts:
    """The arrays of the columns that sentences are views of (SentenceColumns)."""

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


cdef class _AnswerWriter(MessageWriter):
    """A writer with a method for each message that is part of an answer."""

    cdef _Texts texts  # of the previous sentence; the next one usually shares them

    cdef int sentence(self, int field, value) except -1:
        cdef Py_ssize_t begin = self.begin()
        cdef str text = value.text
        if text:
            self.string(SENTENCE_TEXT, text)
        viewed = value.viewed()
        if viewed is not None:
            columns, index = viewed
            if self.texts is None or self.texts.of is not columns:
                self.texts = _Texts(columns)
            self.words(index)
            self.tree(value)
            self.places(index)
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

    cdef int words(self, Py_ssize_t index) except -1:
        """Write the tokens, tags and lemmas of a sentence that is a view."""
        cdef _Texts texts = self.texts
        cdef Py_ssize_t first = texts.offsets[index]
        cdef Py_ssize_t end = texts.offsets[index + 1]
        cdef Py_ssize_t k
        for k in range(first, end):
            self.string(SENTENCE_TOKENS, <str>texts.tokens[texts.numbers[k]])
        for k in range(first, end):
            self.string(SENTENCE_TAGS, <str>texts.tag_names[texts.tags[k]])
        for k in range(first, end):
            self.string(SENTENCE_LEMMAS, <str>texts.lemmas[texts.numbers[k]])
        return 0

    cdef int places(self, Py_ssize_t index) except -1:
        """Write the offsets of a sentence that is a view."""
        cdef _Texts texts = self.texts
        cdef Py_ssize_t first = texts.offsets[index]
        cdef Py_ssize_t end = texts.offsets[index + 1]
        cdef Py_ssize_t begin = self.begin()
        cdef Py_ssize_t k
        for k in range(first, end):
            self.packed_varint(texts.starts[k])
        self.end_packed(SENTENCE_STARTS, begin)
        begin = self.begin()
        for k in range(first, end):
            self.packed_varint(texts.ends[k])
        return self.end_packed(SENTENCE_ENDS, begin)

    cdef int links(self, _Columns columns, Py_ssize_t index) except -1:
        """Write the links of a pair, as three parallel fields."""
        cdef Py_ssize_t first = columns.offsets[index]
        cdef Py_ssize_t end = columns.offsets[index + 1]
        cdef Py_ssize_t begin = self.begin()
        cdef Py_ssize_t k
        for k in range(first, end):
            self.packed_varint(<uint32_t>columns.source[k])
        self.end_packed(ALIGNMENT_SOURCE_INDICES, begin)
        begin = self.begin()
        for k in range(first, end):
            self.packed_varint(<uint32_t>columns.target[k])
        self.end_packed(ALIGNMENT_TARGET_INDICES, begin)
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
            self.number(PHRASE_RELATION, _RELATION_KINDS[value.relation.kind])
            first = self.begin()
            for probability in value.relation.probabilities:
                self.packed_single(probability)
            self.end_packed(PHRASE_RELATION_PROBABILITIES, first)
        return self.end(field, begin)

    cdef int conflict(self, int field, value) except -1:
        cdef Py_ssize_t begin = self.begin()
        self.number(CONFLICT_KIND, _CONFLICT_KINDS[value.kind])
        self.number(CONFLICT_SOURCE, <uint32_t>value.source)
        self.number(CONFLICT_TARGET, <uint32_t>value.target)
        self.single(CONFLICT_STRENGTH, value.strength)
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
        """Write how the links of a pair are related, as two parallel fields."""
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

    Write alignments that are views of the same columns one after another: their arrays are then
    looked up once.

    Parameters
    ----------
    options : AlignOptions
        `detail` says how much of each alignment to write.
    """

    cdef _Columns _columns
    cdef _AnswerWriter _answer
    cdef bint _has_sentences
    cdef bint _has_links

    def __init__(self, options):
        self._answer = _AnswerWriter()
        self._has_sentences = options.detail is Detail.FULL
        self._has_links = options.detail is not Detail.SCORES

    def write(self, value):
        """Return an alignment's bytes.

        Parameters
        ----------
        value : Alignment
            Its posteriors, if any, must be float32.

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
        columns, index = columns_of(value)
        if self._columns is None or self._columns.of is not columns:
            self._columns = _Columns(columns)
        return self._pair(index)

    cdef bytes _pair(self, Py_ssize_t index):
        cdef _Columns columns = self._columns
        cdef _AnswerWriter writer = self._answer
        of = columns.of
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
        cosine = of.cosine(index)
        if cosine is not None:
            writer.present_double(ALIGNMENT_COSINE, cosine)
        if of.encoded is not None:
            writer.varint(ALIGNMENT_ENCODED, of.encoded)
        return writer.taken()


def write_judgement(value):
    """Return a serialised tokalign.v1.RankedCandidate that has a judgement alone.

    Parameters
    ----------
    value : Judgement

    Returns
    -------
    data : bytes
    """
    cdef _AnswerWriter writer = _AnswerWriter()
    cdef Py_ssize_t begin = writer.begin()
    writer.number(JUDGEMENT_BY, _RANK_BYS[value.by])
    writer.single(JUDGEMENT_SCORE, value.score)
    for contribution in value.evidence:
        writer.contribution(JUDGEMENT_EVIDENCE, contribution)
    writer.end(RANKED_CANDIDATE_JUDGEMENT, begin)
    return writer.taken()

"""The joint decision of many pairs at once, into columns.

A batch's sentences are analysed once each; then the interpreter is released while all pairs are
decoded, and what is decided of them is written behind one another. Pair by pair the same is done
by `Decoder.decode` and the functions of links.py, score.py and similarity.py.
"""

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

import numpy as np

from tokalign.annotate._growing cimport grow, more_room
from tokalign.annotate._texts cimport AnnotatedTexts
from tokalign.decoding._convention cimport Convention
from tokalign.decoding._decoder cimport Decoder
from tokalign.decoding._joint cimport cover, select_links, share
from tokalign.features._analysis cimport Analysis
from tokalign.features._extract cimport Extractor
from tokalign.features._pair cimport Side

from tokalign.decoding.score import content_weight
from tokalign.errors import InputError, ModelError

cdef extern from "Python.h":
    object PyByteArray_FromStringAndSize(const char *values, Py_ssize_t n_bytes)

cdef enum:
    LEAST_ROOM = 64

cdef enum Status:
    FINE = 0
    NO_MEMORY = 1
    NOT_FINITE = 2
    FAILED = 3       # before the pair was decoded; its error is known

cdef struct Job:
    # One pair: what is given, and what comes of it.
    const Side *source           # NULL where the sentence could not be analysed
    const Side *target
    const double *score_weights  # [n_target] what the target's tokens weigh in the score
    const float *s2t_encoded     # NULL without an encoder
    const float *t2s_encoded
    Status status
    double score
    double similarity

cdef struct Scratch:
    # Of the largest pair of a batch.
    double *s2t_posterior        # [n_source, n_target + 1]
    double *t2s_posterior        # [n_target, n_source + 1]
    double *covered              # [n_target]
    double *source_weights       # [n_source]
    double *target_weights       # [n_target]

cdef struct Columns:
    # The links of a batch. Owned.
    int64_t *offset              # [n_pairs + 1]
    int32_t *source              # [n_room], of which offset[n_pairs] are written
    int32_t *target
    double *confidence
    Py_ssize_t n_room


cdef class Analysed(Analysis):
    """A sentence of a batch."""

    cdef double *score_weights   # [n]

    def __dealloc__(self):
        free(self.score_weights)

    cdef int _reserve_weights(self) except -1:
        self.score_weights = <double *>malloc(self.side.n * sizeof(double))
        if self.score_weights == NULL:
            raise MemoryError("weights of a sentence")
        return 0

    cdef int weigh(self, tags) except -1:
        """Fill what the tokens of these tags weigh in the score."""
        cdef Py_ssize_t k
        self._reserve_weights()
        for k, tag in enumerate(tags):
            self.score_weights[k] = content_weight(tag)
        return 0

    cdef int read(self, Decoder decoder, AnnotatedTexts texts, Py_ssize_t index) except -1:
        """Fill the analysis of a text that the native annotator has read."""
        cdef Py_ssize_t first = texts.offsets[index]
        cdef Py_ssize_t k
        cdef double[::1] weights = decoder._weights_of(texts.words.tags)
        self.reserve(texts.offsets[index + 1] - first)
        self._reserve_weights()
        try:
            decoder._known.fill(decoder._extractor, texts, index, self.side.word)
        except UnicodeEncodeError as error:
            raise InputError(f"a token or lemma is not valid Unicode: {error}") from error
        for k in range(self.side.n):
            self.score_weights[k] = weights[texts.words.word[texts.numbers[first + k]].tag]
        self.side.has_tree = False
        self.find_content()
        return 0


cdef bint _has_room(Columns *columns, Py_ssize_t n_wanted) noexcept nogil:
    """Make room for so many links in all; return whether there is."""
    cdef Py_ssize_t n_room
    if n_wanted <= columns.n_room:
        return True
    n_room = more_room(columns.n_room, n_wanted, LEAST_ROOM)
    if not (
        grow(<void **>&columns.source, n_room, sizeof(int32_t))
        and grow(<void **>&columns.target, n_room, sizeof(int32_t))
        and grow(<void **>&columns.confidence, n_room, sizeof(double))
    ):
        return False
    columns.n_room = n_room
    return True


cdef Status _decide(
    Decoder decoder, Extractor extractor, Job *job, int style, Convention convention, double least,
    const Scratch *scratch, Columns *columns, int64_t *n_links,
) noexcept nogil:
    """Decode one pair, and add what is decided to the columns."""
    cdef Py_ssize_t n_source = job.source.n
    cdef Py_ssize_t n_target = job.target.n
    cdef double *s2t = decoder._scratch
    cdef double *t2s = s2t + n_source * (n_target + 1)
    cdef double total = 0.0
    cdef double summed = 0.0
    cdef Py_ssize_t n_likely, k
    cdef int32_t *source
    cdef int32_t *target
    cdef double *confidence
    extractor.hold(job.source, job.target)
    extractor.pair.source.encoded = job.s2t_encoded
    extractor.pair.target.encoded = job.t2s_encoded
    if extractor.prepare(style):
        return NO_MEMORY
    extractor.scores(style, s2t, t2s)
    if not (
        decoder._posteriors(style, 0, s2t, n_source, n_target + 1, scratch.s2t_posterior)
        and decoder._posteriors(style, 1, t2s, n_target, n_source + 1, scratch.t2s_posterior)
    ):
        return NOT_FINITE
    if not _has_room(columns, n_links[0] + n_source * n_target):
        return NO_MEMORY
    source = columns.source + n_links[0]
    target = columns.target + n_links[0]
    confidence = columns.confidence + n_links[0]
    n_likely = select_links(
        scratch.s2t_posterior, scratch.t2s_posterior, n_source, n_target, convention.threshold,
        source, target, confidence,
    )
    n_links[0] += convention.keep(source, target, confidence, n_likely, least)
    cover(scratch.s2t_posterior, scratch.t2s_posterior, n_source, n_target, scratch.covered)
    for k in range(n_target):
        total += job.score_weights[k]
        summed += job.score_weights[k] * scratch.covered[k]
    job.score = summed / total
    for k in range(n_source):
        scratch.source_weights[k] = job.source.word[k].weight
    for k in range(n_target):
        scratch.target_weights[k] = job.target.word[k].weight
    job.similarity = share(
        scratch.s2t_posterior, scratch.t2s_posterior, n_source, n_target,
        scratch.source_weights, scratch.target_weights,
    )
    return FINE


cdef _array(const void *values, Py_ssize_t n_bytes, dtype):
    """Return an array with a copy of values."""
    return np.frombuffer(PyByteArray_FromStringAndSize(<const char *>values, n_bytes), dtype)


cdef bint _has_words(columns, Py_ssize_t index):
    """Whether a sentence is a view of annotated texts, and not empty."""
    if not isinstance(columns, AnnotatedTexts):
        return False
    cdef AnnotatedTexts texts = columns
    return texts.offsets[index + 1] > texts.offsets[index]


cdef class Batch:
    """The memory of one batch; freed with it."""

    cdef Job *jobs
    cdef Py_ssize_t n_pairs
    cdef double *_block
    cdef Scratch scratch
    cdef Columns columns
    cdef double *figures    # [2, n_pairs] scores and similarities
    cdef list held           # what the jobs point to
    cdef dict analysed       # id of a sentence -> its analysis
    cdef dict errors         # number of a pair -> why it failed

    def __cinit__(self, Py_ssize_t n_pairs):
        self.n_pairs = n_pairs
        self.held = []
        self.analysed = {}
        self.errors = {}
        self.jobs = <Job *>malloc(n_pairs * sizeof(Job) + 1)
        self.columns.offset = <int64_t *>malloc((n_pairs + 1) * sizeof(int64_t))
        self.figures = <double *>malloc(2 * n_pairs * sizeof(double) + 1)
        if self.jobs == NULL or self.columns.offset == NULL or self.figures == NULL:
            raise MemoryError("pairs of a batch")
        memset(self.jobs, 0, n_pairs * sizeof(Job))
        self.columns.offset[0] = 0

    def __dealloc__(self):
        free(self.jobs)
        free(self._block)
        free(self.figures)
        free(self.columns.offset)
        free(self.columns.source)
        free(self.columns.target)
        free(self.columns.confidence)

    cdef Analysed _analyse(self, Decoder decoder, sentence, str field):
        """Return the analysis of a sentence, made once for each batch."""
        cdef Analysed analysis = self.analysed.get(id(sentence))
        if analysis is None:
            analysis = Analysed.__new__(Analysed)
            viewed = sentence.viewed()
            if viewed is not None and _has_words(viewed[0], viewed[1]):
                analysis.read(decoder, viewed[0], viewed[1])
            else:
                decoder._extractor.analyse(sentence, field, analysis)
            self.analysed[id(sentence)] = analysis
        return analysis

    cdef int _fill(self, Job *job, Decoder decoder, source, target, encoded) except -1:
        """Fill what is given of a pair."""
        cdef const float[:, ::1] s2t, t2s
        cdef Extractor extractor = decoder._extractor
        cdef Analysed of_source = self._analyse(decoder, source, "source")
        cdef Analysed of_target = self._analyse(decoder, target, "target")
        if extractor.uses_encoder:
            extractor.check_encoded(encoded, of_source.side.n, of_target.side.n)
            s2t, t2s = encoded
            job.s2t_encoded = &s2t[0, 0]
            job.t2s_encoded = &t2s[0, 0]
            self.held.append(encoded)
        if of_target.score_weights == NULL:
            of_target.weigh(target.tags)
        job.score_weights = of_target.score_weights
        job.source = &of_source.side
        job.target = &of_target.side
        return 0

    cdef int _reserve(self, Decoder decoder) except -1:
        """Make room for the largest pair."""
        cdef Py_ssize_t n_source = 1
        cdef Py_ssize_t n_target = 1
        cdef Py_ssize_t k
        for k in range(self.n_pairs):
            if self.jobs[k].status == FINE:
                n_source = max(n_source, self.jobs[k].source.n)
                n_target = max(n_target, self.jobs[k].target.n)
        decoder._extractor.reserve(n_source, n_target)
        decoder._reserve(n_source, n_target)
        cdef Py_ssize_t n_s2t = n_source * (n_target + 1)
        cdef Py_ssize_t n_t2s = n_target * (n_source + 1)
        self._block = <double *>malloc(
            (n_s2t + n_t2s + n_source + 2 * n_target) * sizeof(double)
        )
        if self._block == NULL:
            raise MemoryError("posteriors of a pair")
        self.scratch.s2t_posterior = self._block
        self.scratch.t2s_posterior = self._block + n_s2t
        self.scratch.covered = self.scratch.t2s_posterior + n_t2s
        self.scratch.target_weights = self.scratch.covered + n_target
        self.scratch.source_weights = self.scratch.target_weights + n_target
        return 0

    cdef void _run(
        self, Decoder decoder, Extractor extractor, int style, Convention convention, double least
    ) noexcept nogil:
        cdef Py_ssize_t k
        cdef int64_t n_links = 0
        for k in range(self.n_pairs):
            if self.jobs[k].status == FINE:
                self.jobs[k].status = _decide(
                    decoder, extractor, &self.jobs[k], style, convention, least, &self.scratch,
                    &self.columns, &n_links,
                )
            self.columns.offset[k + 1] = n_links

    cdef tuple _result(self):
        cdef Py_ssize_t n_links = self.columns.offset[self.n_pairs]
        cdef Py_ssize_t k
        for k in range(self.n_pairs):
            self.figures[k] = self.jobs[k].score
            self.figures[self.n_pairs + k] = self.jobs[k].similarity
            if self.jobs[k].status == NO_MEMORY:
                self.errors[k] = MemoryError("arrays of a pair")
            elif self.jobs[k].status == NOT_FINITE:
                self.errors[k] = ModelError(
                    "the model's weights are too large to give posteriors; retrain it"
                )
        figures = _array(self.figures, 2 * self.n_pairs * sizeof(double), np.float64)
        return (
            _array(self.columns.offset, (self.n_pairs + 1) * sizeof(int64_t), np.int64),
            _array(self.columns.source, n_links * sizeof(int32_t), np.int32),
            _array(self.columns.target, n_links * sizeof(int32_t), np.int32),
            _array(self.columns.confidence, n_links * sizeof(double), np.float64),
            figures[:self.n_pairs],
            figures[self.n_pairs:],
        ), self.errors


def decide_batch(
    Decoder decoder not None, pairs not None, int style, Convention convention not None,
    double least,
):
    """Return the joint decision of many pairs.

    Parameters
    ----------
    decoder : Decoder
    pairs : sequence of ((Sentence, Sentence), encoded)
        As of Decoder.decode. A sentence of several pairs is analysed once if it is one object.
    style : int
        Number of the style among the model's.
    convention : Convention
        That style's.
    least : float
        Links of less confidence are left out; in [0, 1].

    Returns
    -------
    columns : tuple of arrays
        offsets, source, target, confidence, score, similarity, as AlignmentColumns describes them.
        A pair that failed has no links.
    errors : dict from int to Exception
        Number of each pair that failed, and what Decoder.decode would have raised.
    """
    if not 0 <= style < decoder._weights.shape[0]:
        raise IndexError(f"no style {style} among {decoder._weights.shape[0]}")
    cdef Batch batch = Batch(len(pairs))
    cdef Extractor extractor = decoder._extractor
    cdef Py_ssize_t k
    with decoder._lock:
        decoder._held = 0
        extractor.release()
        extractor.make_room()
        for k, ((source, target), encoded) in enumerate(pairs):
            try:
                batch._fill(&batch.jobs[k], decoder, source, target, encoded)
            except Exception as error:
                batch.jobs[k].status = FAILED
                batch.errors[k] = error
        try:
            batch._reserve(decoder)
            with nogil:
                batch._run(decoder, extractor, style, convention, least)
        finally:
            extractor.release()  # it points to what the batch owns
    return batch._result()

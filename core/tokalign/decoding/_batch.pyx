"""Decoding of a batch of pairs, into columns: the one way from annotated pairs to links.

A batch's sentences are analysed once each; then the interpreter is released while all pairs are
decoded, and what is decided of them is written behind one another. Where more is asked of a pair
than the links of the joint decision, `finish` is called while the decoder holds it.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

import numpy as np

from tokalign.annotate.growing cimport grow, more_room
from tokalign.decoding._analysed cimport Analysed
from tokalign.decoding.convention cimport Conventions, StyleNumbers, keep_links
from tokalign.decoding._decoder cimport Decoder
from tokalign.decoding._decoded cimport DecodedPair
from tokalign.decoding._jobs cimport *
from tokalign.decoding.joint cimport select_links
from tokalign.features.extract cimport Extractor
from tokalign.features.pair cimport CLASS_IDENTICAL

from tokalign.decoding.constrained import excluded_labels
from tokalign.errors import ModelError

cdef extern from "Python.h":
    object PyByteArray_FromStringAndSize(const char *values, Py_ssize_t n_bytes)

cdef enum:
    LEAST_ROOM = 64

cdef struct LinkColumns:
    # The links of a batch. Owned.
    int64_t *offset              # [n_pairs + 1]
    int32_t *source              # [n_room], of which offset[n_pairs] are written
    int32_t *target
    double *confidence
    Py_ssize_t n_room


cdef bint _has_room(LinkColumns *columns, Py_ssize_t n_wanted) noexcept nogil:
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
    const Job *job, const uint8_t *lexical_class, const StyleNumbers *numbers, double least,
    const PairScratch *scratch, LinkColumns *columns, int64_t *n_links,
) noexcept nogil:
    """Add a decoded pair's links to the columns."""
    cdef Py_ssize_t n_source = job.source.n
    cdef Py_ssize_t n_target = job.target.n
    cdef Py_ssize_t n_likely
    cdef int32_t *source
    cdef int32_t *target
    cdef double *confidence
    if not _has_room(columns, n_links[0] + n_source * n_target):
        return NO_MEMORY
    source = columns.source + n_links[0]
    target = columns.target + n_links[0]
    confidence = columns.confidence + n_links[0]
    n_likely = select_links(
        scratch.s2t_posterior, scratch.t2s_posterior, n_source, n_target, numbers.threshold,
        numbers.beside, scratch.fate, source, target, confidence,
    )
    n_links[0] += keep_links(
        numbers, lexical_class, n_target, source, target, confidence, n_likely, least
    )
    return FINE


cdef _array(const void *values, Py_ssize_t n_bytes, dtype):
    """Return an array with a copy of values."""
    return np.frombuffer(PyByteArray_FromStringAndSize(<const char *>values, n_bytes), dtype)


cdef class Batch:
    """The memory of one batch; freed with it."""

    cdef Job *jobs
    cdef Py_ssize_t n_pairs
    cdef double *_block
    cdef PairScratch scratch
    cdef LinkColumns columns
    cdef double *figures    # [2, n_pairs] scores and similarities
    cdef list pairs         # (annotated pair, encoded), one per job
    cdef list held          # what the jobs point to
    cdef dict analysed      # id of a sentence -> its analysis
    cdef dict errors        # number of a pair -> why it failed

    def __cinit__(self, pairs, int style):
        cdef Py_ssize_t k
        self.n_pairs = len(pairs)
        self.pairs = list(pairs)
        self.held = []
        self.analysed = {}
        self.errors = {}
        self.jobs = <Job *>malloc(self.n_pairs * sizeof(Job) + 1)
        self.columns.offset = <int64_t *>malloc((self.n_pairs + 1) * sizeof(int64_t))
        self.figures = <double *>malloc(2 * self.n_pairs * sizeof(double) + 1)
        if self.jobs == NULL or self.columns.offset == NULL or self.figures == NULL:
            raise MemoryError("pairs of a batch")
        memset(self.jobs, 0, self.n_pairs * sizeof(Job))
        for k in range(self.n_pairs):
            self.jobs[k].style = style
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
            analysis.fill(decoder, sentence, field)
            self.analysed[id(sentence)] = analysis
        return analysis

    cdef int fill(self, Py_ssize_t number, Decoder decoder) except -1:
        """Fill what is given of a pair."""
        cdef const float[:, ::1] s2t, t2s
        cdef Extractor extractor = decoder.extractor
        cdef Job *job = &self.jobs[number]
        pair, encoded = self.pairs[number]
        cdef Analysed of_source = self._analyse(decoder, pair[0], "source")
        cdef Analysed of_target = self._analyse(decoder, pair[1], "target")
        if extractor.uses_encoder:
            extractor.check_encoded(encoded, of_source.side.n, of_target.side.n)
            s2t, t2s = encoded
            job.s2t_encoded = &s2t[0, 0]
            job.t2s_encoded = &t2s[0, 0]
        if len(pair) > 2:
            self._constrain(job, pair[2], of_source.side.n, of_target.side.n)
        if of_target.score_weights == NULL:
            of_target.weigh(pair[1].tags)
        job.score_weights = of_target.score_weights
        job.source = &of_source.side
        job.target = &of_target.side
        return 0

    cdef int _constrain(
        self, Job *job, constraints, Py_ssize_t n_source, Py_ssize_t n_target
    ) except -1:
        cdef const uint8_t[:, ::1] s2t, t2s
        excluded = excluded_labels(constraints, n_source, n_target)
        s2t, t2s = excluded
        job.s2t_excluded = &s2t[0, 0]
        job.t2s_excluded = &t2s[0, 0]
        self.held.append(excluded)
        return 0

    cdef int reserve(self, Decoder decoder) except -1:
        """Make room for the largest pair."""
        cdef Py_ssize_t n_source = 1
        cdef Py_ssize_t n_target = 1
        cdef Py_ssize_t k
        for k in range(self.n_pairs):
            if self.jobs[k].status == FINE:
                n_source = max(n_source, self.jobs[k].source.n)
                n_target = max(n_target, self.jobs[k].target.n)
        decoder.extractor.reserve(n_source, n_target)
        decoder.reserve(n_source, n_target)
        cdef Py_ssize_t n_s2t = n_source * (n_target + 1)
        cdef Py_ssize_t n_t2s = n_target * (n_source + 1)
        self._block = <double *>malloc(
            (n_s2t + n_t2s + n_source + n_target) * sizeof(double)
            + (n_target + 1) * sizeof(int32_t) + n_source * n_target
        )
        if self._block == NULL:
            raise MemoryError("posteriors of a pair")
        self.scratch.s2t_posterior = self._block
        self.scratch.t2s_posterior = self._block + n_s2t
        self.scratch.target_weights = self.scratch.t2s_posterior + n_t2s
        self.scratch.source_weights = self.scratch.target_weights + n_target
        self.scratch.subsequence = <int32_t *>(self.scratch.source_weights + n_source)
        self.scratch.fate = <uint8_t *>(self.scratch.subsequence + n_target + 1)
        return 0

    cdef int run(
        self, Decoder decoder, Extractor extractor, Conventions conventions, double least,
        finish, bint finishes_all,
    ) except -1 nogil:
        cdef Py_ssize_t k
        cdef int64_t n_links = 0
        cdef Job *job
        for k in range(self.n_pairs):
            job = &self.jobs[k]
            if job.status == FINE:
                job.status = decode_job(decoder, extractor, job, conventions, &self.scratch)
            if job.status == FINE:
                job.status = _decide(
                    job, extractor.pair.lexical_class, &conventions.numbers[job.style], least,
                    &self.scratch, &self.columns, &n_links,
                )
            if job.status == FINE and (finishes_all or job.s2t_excluded != NULL):
                with gil:
                    n_links = self._finish(k, decoder, n_links, finish)
            self.columns.offset[k + 1] = n_links
        return 0

    cdef int64_t _finish(
        self, Py_ssize_t number, Decoder decoder, int64_t n_links, finish
    ) except -1:
        """Ask for more of the pair that is held; return the number of links with its own."""
        cdef Job *job = &self.jobs[number]
        cdef LinkColumns *columns = &self.columns
        cdef int64_t first = columns.offset[number]
        cdef DecodedPair decoded = DecodedPair.__new__(DecodedPair)
        cdef Py_ssize_t n_source = job.source.n
        cdef Py_ssize_t n_target = job.target.n
        cdef int64_t k
        pair = self.pairs[number][0]
        decoded.source, decoded.target = pair[:2]
        decoded.constraints = pair[2] if len(pair) > 2 else None
        decoded.s2t_posterior = _matrix(self.scratch.s2t_posterior, n_source, n_target + 1)
        decoded.t2s_posterior = _matrix(self.scratch.t2s_posterior, n_target, n_source + 1)
        decoded.links = [
            (columns.source[k], columns.target[k], columns.confidence[k])
            for k in range(first, n_links)
        ]
        decoded._decoder = decoder
        decoded.style = job.style
        decoded.unlike = _array(
            decoder.extractor.pair.lexical_class, n_source * n_target, np.uint8
        ).reshape(n_source, n_target) != <int>CLASS_IDENTICAL
        decoded._s2t = decoder.scratch
        decoded._t2s = decoder.scratch + n_source * (n_target + 1)
        try:
            links = finish(number, decoded)
        except Exception as error:
            job.status = FAILED
            self.errors[number] = error
            return first
        finally:
            decoded._decoder = None
        for k, (source, target, confidence) in enumerate(links, first):
            columns.source[k] = source  # there is room for all links of the pair
            columns.target[k] = target
            columns.confidence[k] = confidence
        return first + len(links)

    cdef tuple result(self):
        cdef Py_ssize_t n_links = self.columns.offset[self.n_pairs]
        cdef Py_ssize_t k
        styles = np.empty(self.n_pairs, dtype=np.int32)
        cdef int32_t[::1] style = styles
        for k in range(self.n_pairs):
            style[k] = self.jobs[k].style
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
            styles,
        ), self.errors


cdef _matrix(const double *values, Py_ssize_t n_rows, Py_ssize_t n_columns):
    """Return an array with a copy of a matrix."""
    return _array(values, n_rows * n_columns * sizeof(double), np.float64).reshape(
        n_rows, n_columns
    )


def decide_batch(
    Decoder decoder not None, pairs not None, int style, Conventions conventions not None,
    double least, finish, bint finishes_all=True,
):
    """Return the joint decision of many pairs, and ask `finish` for more of them.

    Parameters
    ----------
    decoder : Decoder
    pairs : sequence of ((Sentence, Sentence), encoded) or ((Sentence, Sentence, Constraints), ...)
        Sentences with tags and lemmas, and trees where the model uses them. `encoded` is what the
        encoder says, where the model reads one (see Extractor.rows), else None. A sentence of
        several pairs is analysed once if it is one object.
    style : int
        Number of the style among the model's; 0 where it has none by name, -1 to choose one for
        each pair.
    conventions : Conventions
        Of all styles.
    least : float
        Links of less confidence are left out; in [0, 1].
    finish : callable
        Takes a pair's number and the DecodedPair; returns the links to take in the place of
        ``decoded.links``, which may be these. What it raises is the pair's error.
    finishes_all : bool
        Whether `finish` is called for every pair, or for those with constraints alone.

    Returns
    -------
    columns : tuple of arrays
        offsets, source, target, confidence, score, similarity, as AlignmentColumns describes them,
        and the number of the style that decided. A pair that failed has no links.
    errors : dict from int to Exception
        Number of each pair that failed, and why: InputError if a sentence is empty, lacks tags or
        lemmas, or has a head outside it, or if the sentences cannot obey the constraints;
        ShapeError if a column's length is not the number of tokens; ModelError if the weights are
        so large that float64 cannot hold the posteriors.
    """
    if not (CHOOSE if conventions.chooses else 0) <= style < decoder.weights.shape[0]:
        raise IndexError(f"no style {style} among {decoder.weights.shape[0]}")
    cdef Batch batch = Batch(pairs, style)
    cdef Extractor extractor = decoder.extractor
    cdef Py_ssize_t k
    with decoder.lock:
        extractor.release()
        extractor.make_room()
        for k in range(batch.n_pairs):
            try:
                batch.fill(k, decoder)
            except Exception as error:
                batch.jobs[k].status = FAILED
                batch.errors[k] = error
        try:
            batch.reserve(decoder)
            with nogil:
                batch.run(decoder, extractor, conventions, least, finish, finishes_all)
        finally:
            extractor.release()  # it points to what the batch owns
    return batch.result()

"""Decoding of a batch of annotated pairs into columns of links.

Each sentence of a batch is analysed once. Then the GIL is released while all pairs are decoded, and
their results are written one after another. Where more is asked of a pair than the links of the
joint decision, `finish` is called while the decoder holds it.

EncoderGains tells where an encoder is worth running (tokalign.decoding.cascade). If posteriors are
right, the mean of both directions gives the F1 that is to be expected of a decision, and the
probability that all cells are right. An encoder is taken to halve what is lost of F1, and the
surprise, -log of that probability. Both count for each token, as encoders' work does, and the less
the fewer of the shorter side's tokens are expected to have links: with one link instead of none an
unrelated pair would else gain more than any other.
"""

from libc.math cimport exp, log
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

import numpy as np

from tokalign.decoding.decoder cimport *
from tokalign.decoding.evidence cimport EvidenceRows, SupportRows
from tokalign.decoding.link_decision cimport *
from tokalign.english.annotate.growing cimport grow, more_room
from tokalign.features.extract cimport Extractor
from tokalign.features.pair cimport PairState
from tokalign.relations.clashes cimport *
from tokalign.relations.conflicts cimport *
from tokalign.relations.related_units cimport *

from tokalign.decoding.backend import TurnedPair
from tokalign.decoding.symmetrize import excluded_labels
from tokalign.errors import ModelError
from tokalign.types.columns import CONFLICT
from tokalign.types.constraints import SIDES

cdef enum:
    N_FIGURES = 5
    LEAST_ROOM = 64

cdef double MOST_SURPRISE = 5.0    # of a cell
cdef double EXACT = 0.1            # what an exact match counts beside F1
cdef double LINKED = 0.5           # share of the shorter side from which a pair counts whole

cdef object FLOAT64 = np.dtype(np.float64), INT64 = np.dtype(np.int64), INT32 = np.dtype(np.int32)

FIGURES = "score", "aligned_similarity", "target_covered", "covered", "agreement"

cdef struct LinkColumns:
    # The links of a batch. Owned.
    int64_t *offset              # [n_pairs + 1]
    int32_t *source              # [n_room]; offset[n_pairs] are written
    int32_t *target
    double *confidence
    float *relation              # [n_room, N_RELATIONS]; NULL unless asked for
    Py_ssize_t n_room
    bint relates                 # whether `relation` is asked for


cdef bint _open_columns(
    LinkColumns *links, ConflictColumns *conflicts, Py_ssize_t n_pairs, bint relates
) noexcept nogil:
    """Begin the columns of a batch, which are all zeros; return whether there is memory."""
    links.relates = relates
    links.offset = <int64_t *>malloc((n_pairs + 1) * sizeof(int64_t))
    conflicts.offset = <int64_t *>malloc((n_pairs + 1) * sizeof(int64_t))
    if links.offset == NULL or conflicts.offset == NULL:
        return False
    links.offset[0] = conflicts.offset[0] = 0
    return True


cdef void _close_columns(LinkColumns *links, ConflictColumns *conflicts) noexcept nogil:
    """Free the memory of the columns."""
    free(links.offset)
    free(links.source)
    free(links.target)
    free(links.confidence)
    free(links.relation)
    free(conflicts.offset)
    free(conflicts.conflict)
    free(conflicts.inputs)


cdef bint _has_room(LinkColumns *links, Py_ssize_t n_wanted) noexcept nogil:
    """Make room for so many links in all; return whether there is memory."""
    cdef Py_ssize_t n_room
    if n_wanted <= links.n_room:
        return True
    n_room = more_room(links.n_room, n_wanted, LEAST_ROOM)
    if not (
        grow(<void **>&links.source, n_room, sizeof(int32_t))
        and grow(<void **>&links.target, n_room, sizeof(int32_t))
        and grow(<void **>&links.confidence, n_room, sizeof(double))
    ):
        return False
    if links.relates and not grow(<void **>&links.relation, n_room, N_RELATIONS * sizeof(float)):
        return False
    links.n_room = n_room
    return True


cdef Status _decide_links(
    const Job *job, const uint8_t *lexical_class, Conventions conventions,
    const double *posterior, PairScratch *scratch, LinkColumns *columns, int64_t *n_links,
) noexcept nogil:
    """Add a decoded pair's links to the columns."""
    cdef const StyleNumbers *numbers = &conventions.numbers[job.style]
    cdef Py_ssize_t n_source = job.source.n, n_target = job.target.n, n_taken
    cdef int32_t *source
    cdef int32_t *target
    cdef double *confidence
    if not _has_room(columns, n_links[0] + n_source * n_target):
        return NO_MEMORY
    source = columns.source + n_links[0]
    target = columns.target + n_links[0]
    confidence = columns.confidence + n_links[0]
    take_cells(posterior, n_source, n_target, numbers.threshold, numbers.beside, scratch.taken)
    if numbers.is_revised:
        conventions.second_pass.choose(
            posterior, n_source, n_target, scratch.taken, &scratch.groups
        )
    n_taken = write_links(posterior, scratch.taken, n_source, n_target, source, target, confidence)
    calibrate_links(numbers, lexical_class, n_target, source, target, confidence, n_taken)
    n_links[0] += n_taken
    return FINE


cdef double _expected_gain(const PairState *pair, const PairScratch *scratch) noexcept nogil:
    """Return what an encoder is expected to gain on a decided pair, for each of its tokens."""
    cdef Py_ssize_t n_source = pair.source.n, n_target = pair.target.n, cell
    cdef double n_links = 0.0, right = 0.0, expected = 0.0, surprise = 0.0, loss = 0.0
    cdef double p, fault, share
    for cell in range(n_source * n_target):
        p = scratch.mean[cell]
        expected += p
        fault = p
        if scratch.taken[cell]:
            n_links += 1.0
            right += p
            fault = 1.0 - p
        surprise += min(-log(1.0 - fault), MOST_SURPRISE) if fault < 1.0 else MOST_SURPRISE
    if n_links + expected > 0.0:
        loss = 1.0 - 2.0 * right / (n_links + expected)
    share = min(expected / (LINKED * min(n_source, n_target)), 1.0)
    return (
        (loss / 2.0 + EXACT * (exp(-surprise / 2.0) - exp(-surprise)))
        * share * share / (n_source + n_target)
    )


cdef class EncoderGains:
    """What an encoder is expected to gain on the pairs of a batch, for each of their tokens.

    `values` (float64 array, shape (n_pairs,)): zeros until the batch is decided, and for a pair
    that failed.
    """

    cdef readonly object values    # type: NDArray[np.float64]
    cdef double[::1] _values

    def __cinit__(self, Py_ssize_t n_pairs):
        self.values = np.zeros(n_pairs)
        self._values = self.values


cdef class Batch:
    """The memory of one batch; freed with it."""

    cdef Job *jobs
    cdef Py_ssize_t n_pairs
    cdef double *_block
    cdef PairScratch scratch
    cdef const double *posterior    # [n_source, n_target] posteriors that decide the pair's links
    cdef LinkColumns columns
    cdef ConflictColumns conflicts
    cdef RelationModel relations    # None where no relations are asked for
    cdef EvidenceRows evidence      # None unless asked for
    cdef SupportRows support        # likewise
    cdef EncoderGains gains         # likewise
    cdef char *_room        # of conflicts and relations
    cdef double *figures    # [N_FIGURES, n_pairs]
    cdef list pairs         # (annotated pair, encoded), one per job
    cdef list held          # what the jobs point to
    cdef dict analysed      # id of a sentence -> its analysis
    cdef dict errors        # number of a pair -> why it failed

    def __cinit__(
        self, pairs, styles, RelationModel relations, EvidenceRows evidence,
        SupportRows support, EncoderGains gains, double no_link,
    ):
        cdef Py_ssize_t k
        self.n_pairs = len(pairs)
        self.pairs = list(pairs)
        self.held = []
        self.analysed = {}
        self.errors = {}
        self.jobs = <Job *>malloc(self.n_pairs * sizeof(Job) + 1)
        self.relations = relations
        self.evidence = evidence
        self.support = support
        self.gains = gains
        self.figures = <double *>malloc(N_FIGURES * self.n_pairs * sizeof(double) + 1)
        if self.jobs == NULL or self.figures == NULL or not _open_columns(
            &self.columns, &self.conflicts, self.n_pairs, relations is not None
        ):
            raise MemoryError("pairs of a batch")
        memset(self.jobs, 0, self.n_pairs * sizeof(Job))
        for k in range(self.n_pairs):
            self.jobs[k].style = styles[k]
            self.jobs[k].no_link = no_link

    def __dealloc__(self):
        free(self.jobs)
        free(self._block)
        free(self.figures)
        free(self._room)
        _close_columns(&self.columns, &self.conflicts)

    cdef Analysed _analyse(self, Decoder decoder, sentence, str field):
        """Return the analysis of a sentence, made once for each batch."""
        cdef Analysed analysis = self.analysed.get(id(sentence))
        if analysis is None:
            analysis = Analysed.__new__(Analysed)
            analysis.fill(decoder, sentence, field)
            self.analysed[id(sentence)] = analysis
        return analysis

    cdef int fill(self, Py_ssize_t number, Decoder decoder) except -1:
        """Fill the input fields of a pair."""
        cdef const float[:, ::1] s2t, t2s
        cdef Extractor extractor = decoder.extractor
        cdef Job *job = &self.jobs[number]
        cdef Analysed scored
        pair, encoded = self.pairs[number]
        job.is_turned = type(pair) is TurnedPair
        cdef Analysed of_source = self._analyse(decoder, pair[0], SIDES[job.is_turned])
        cdef Analysed of_target = self._analyse(decoder, pair[1], SIDES[not job.is_turned])
        if extractor.uses_encoder:
            extractor.check_encoded(encoded, of_source.side.n, of_target.side.n)
            s2t, t2s = encoded
            job.s2t_encoded = &s2t[0, 0]
            job.t2s_encoded = &t2s[0, 0]
        if len(pair) > 2:
            self._constrain(job, pair[2], of_source.side.n, of_target.side.n)
        scored = of_source if job.is_turned else of_target
        if scored.score_weights == NULL:
            scored.weigh(pair[not job.is_turned].tags)
        job.score_weights = scored.score_weights
        job.source = &of_source.side
        job.target = &of_target.side
        return 0

    cdef int _constrain(
        self, Job *job, constraints, Py_ssize_t n_source, Py_ssize_t n_target
    ) except -1:
        cdef const uint8_t[:, ::1] s2t, t2s
        if job.is_turned:
            excluded = excluded_labels(constraints, n_target, n_source)[::-1]
        else:
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
        self._block = <double *>malloc(scratch_bytes(n_source, n_target))
        self._room = <char *>malloc(
            max(conflict_bytes(n_source, n_target), room_bytes(n_source, n_target))
        )
        if self._block == NULL or self._room == NULL:
            raise MemoryError("posteriors of a pair")
        if self.evidence is not None:
            self.evidence.reserve(n_source, n_target, decoder.extractor.lexemes.tables.vectors)
        if self.support is not None:
            self.support.reserve(max(n_source, n_target))
        carve_scratch(&self.scratch, self._block, n_source, n_target)
        return 0

    cdef int run(
        self, Decoder decoder, Extractor extractor, Conventions conventions, double least,
        finish, bint finishes_all,
    ) except -1 nogil:
        cdef Py_ssize_t k
        cdef int64_t n_links = 0
        cdef int64_t first
        cdef Job *job
        cdef const StyleNumbers *numbers
        for k in range(self.n_pairs):
            job = &self.jobs[k]
            first = n_links
            if job.status == FINE:
                job.status = decode_job(decoder, extractor, job, conventions, &self.scratch)
            if job.status == FINE:
                numbers = &conventions.numbers[job.style]
                self.posterior = link_posterior(
                    &extractor.pair, numbers, conventions.second_pass, &self.scratch
                )
                job.status = _decide_links(
                    job, extractor.pair.lexical_class, conventions, self.posterior,
                    &self.scratch, &self.columns, &n_links,
                )
            self.conflicts.offset[k + 1] = self.conflicts.offset[k]
            if job.status == FINE:
                job.status = self._find_conflicts(k, extractor, decoder.judge, first, n_links)
                if self.gains is not None:
                    self.gains._values[k] = _expected_gain(&extractor.pair, &self.scratch)
                n_links = first + drop_weak(
                    self.columns.source + first, self.columns.target + first,
                    self.columns.confidence + first, n_links - first, least,
                )
            if job.status == FINE and self.evidence is not None:
                self.evidence.find(
                    k, &extractor.pair, extractor.lexemes.tables.vectors, self.scratch.mean,
                    job.score, job.agreement,
                )
            if job.status == FINE and self.support is not None:
                self.support.find(
                    k, &extractor.pair, self.scratch.s2t_posterior, self.scratch.t2s_posterior,
                    job.is_turned,
                )
            if job.status == FINE and (finishes_all or job.s2t_excluded != NULL):
                with gil:
                    n_links = self._finish(k, decoder, n_links, finish)
            if job.status == FINE and self.columns.relates:
                self._relate(job, extractor, first, n_links)
            if job.is_turned and not self._turn(k, first, n_links):
                job.status = NO_MEMORY
            self.columns.offset[k + 1] = n_links
        return 0

    cdef bint _turn(self, Py_ssize_t number, int64_t first, int64_t end) noexcept nogil:
        """Turn a pair's results to the caller's sides; return whether there is memory."""
        cdef LinkColumns *links = &self.columns
        cdef Py_ssize_t k
        for k in range(self.conflicts.offset[number], self.conflicts.offset[number + 1]):
            turn_conflict(self.conflicts.conflict + k)
        return first == end or turn_links(
            links.source + first, links.target + first, links.confidence + first,
            links.relation + first * N_RELATIONS if links.relates else NULL, end - first,
            self.jobs[number].target.n,
        )

    cdef LinkView _links(self, int64_t first, int64_t end) noexcept nogil:
        cdef LinkView links
        links.n = end - first
        links.source = self.columns.source + first
        links.target = self.columns.target + first
        links.confidence = self.columns.confidence + first
        return links

    cdef Status _find_conflicts(
        self, Py_ssize_t number, Extractor extractor, ConflictJudge judge, int64_t first,
        int64_t end,
    ) noexcept nogil:
        """Find the conflicts of the joint decision, and lower the covered shares by them."""
        cdef Job *job = &self.jobs[number]
        cdef ConflictRoom room
        cdef LinkView links = self._links(first, end)
        carve_conflicts(&room, self._room, job.source.n, job.target.n)
        job.agreement = find_conflicts(&extractor.pair, &links, judge, self.support is not None, &room)
        job.score = lowered(job.target_covered, job.agreement, SCORE_FALL)
        job.similarity = lowered(job.shares.covered, job.agreement, COVERED_FALL)
        if not add_conflicts(&self.conflicts, number, &extractor.pair, &room):
            return NO_MEMORY
        return FINE

    cdef void _relate(
        self, const Job *job, Extractor extractor, int64_t first, int64_t end
    ) noexcept nogil:
        cdef UnitRoom room
        cdef LinkView links = self._links(first, end)
        fill_room(
            &room, self._room, self.scratch.s2t_posterior, self.scratch.t2s_posterior,
            job.source.n, job.target.n, job.shares.linked,
        )
        relate_links(
            &extractor.pair, &room, self.relations, &links,
            self.columns.relation + first * N_RELATIONS,
        )

    cdef int64_t _finish(
        self, Py_ssize_t number, Decoder decoder, int64_t n_links, finish
    ) except -1:
        """Call `finish` on the pair that is held; return the number of links, its own included."""
        cdef Job *job = &self.jobs[number]
        cdef LinkColumns *columns = &self.columns
        cdef int64_t first = columns.offset[number]
        cdef DecodedPair decoded = DecodedPair.__new__(DecodedPair)
        cdef int64_t k
        pair = self.pairs[number][0]
        decoded.source, decoded.target = pair[:2]
        decoded.is_turned = job.is_turned
        decoded.constraints = pair[2] if len(pair) > 2 else None
        if job.is_turned and decoded.constraints is not None:
            decoded.constraints = decoded.constraints.turned()
        decoded.n_source, decoded.n_target = job.source.n, job.target.n
        decoded.s2t, decoded.t2s = self.scratch.s2t_posterior, self.scratch.t2s_posterior
        decoded.link = self.posterior
        decoded.lexical_class = decoder.extractor.pair.lexical_class
        decoded.links = [
            (columns.source[k], columns.target[k], columns.confidence[k])
            for k in range(first, n_links)
        ]
        decoded._decoder = decoder
        decoded.style = job.style
        decoded.linked = job.shares.linked
        decoded._s2t = decoder.scratch
        decoded._t2s = decoder.scratch + job.source.n * (job.target.n + 1)
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
        cdef Py_ssize_t n_conflicts = self.conflicts.offset[self.n_pairs]
        cdef Py_ssize_t n_offsets = (self.n_pairs + 1) * sizeof(int64_t)
        cdef Py_ssize_t k
        styles = [self.jobs[k].style for k in range(self.n_pairs)]
        for k in range(self.n_pairs):
            self.figures[k] = self.jobs[k].score
            self.figures[self.n_pairs + k] = self.jobs[k].similarity
            self.figures[2 * self.n_pairs + k] = self.jobs[k].target_covered
            self.figures[3 * self.n_pairs + k] = self.jobs[k].shares.covered
            self.figures[4 * self.n_pairs + k] = self.jobs[k].agreement
            if self.jobs[k].status == NO_MEMORY:
                self.errors[k] = MemoryError("arrays of a pair")
            elif self.jobs[k].status == NOT_FINITE:
                self.errors[k] = ModelError(
                    "the model's weights are too large to give posteriors; retrain it"
                )
        figures = array_of(self.figures, N_FIGURES * self.n_pairs * sizeof(double), FLOAT64)
        conflict_inputs = None
        if self.conflicts.keeps_inputs:
            conflict_inputs = array_of(
                self.conflicts.inputs, n_conflicts * N_INPUTS * sizeof(float), np.float32
            ).reshape(-1, N_INPUTS)
        relations = None
        if self.columns.relates:
            relations = array_of(
                self.columns.relation, n_links * N_RELATIONS * sizeof(float), np.float32
            ).reshape(-1, N_RELATIONS)
        columns = {
            "offsets": array_of(self.columns.offset, n_offsets, INT64),
            "source": array_of(self.columns.source, n_links * sizeof(int32_t), INT32),
            "target": array_of(self.columns.target, n_links * sizeof(int32_t), INT32),
            "confidence": array_of(self.columns.confidence, n_links * sizeof(double), FLOAT64),
            "conflict_offsets": array_of(self.conflicts.offset, n_offsets, INT64),
            "conflicts": array_of(
                self.conflicts.conflict, n_conflicts * sizeof(ToldConflict), CONFLICT
            ),
            "conflict_inputs": conflict_inputs,
            "relations": relations,
        }
        for k, name in enumerate(FIGURES):
            columns[name] = figures[k * self.n_pairs : (k + 1) * self.n_pairs]
        return columns, styles, self.errors


def decide_batch(
    Decoder decoder not None, pairs not None: Sequence[tuple[AnnotatedPair, Encoded | None]],
    styles not None: Sequence[int], Conventions conventions not None, double least,
    finish: Callable[[int, DecodedPair], Sequence[LinkTuple]], bint finishes_all=True,
    RelationModel relations=None, EvidenceRows evidence=None, SupportRows support=None,
    EncoderGains gains=None, double no_link=0.0
) -> tuple[dict[str, Any], list[int], dict[int, Exception]]:
    """Return the joint decision of many pairs, and call `finish` for further results.

    Parameters
    ----------
    pairs : sequence of ((Sentence, Sentence), encoded) or ((Sentence, Sentence, Constraints), ...)
        Sentences with tags and lemmas, and trees where the model uses them. `encoded` is the
        encoder's output, if the model has an encoder (see Extractor.rows), else None. A sentence
        that several pairs share as one object is analysed once. Of a TurnedPair, `decoded` and the
        columns are turned, too, all but the score.
    styles : sequence of int
        Number of each pair's style; 0 if the model's have no names, -1 to choose one.
    conventions : Conventions
        Of all styles.
    least : float
        Links of less confidence are left out; in [0, 1].
    finish : callable
        Takes a pair's number and the DecodedPair; returns the links to use instead of
        ``decoded.links``, or these. An exception that it raises is the pair's error.
    finishes_all : bool
        Whether `finish` is called for every pair, or only for those with constraints.
    relations : RelationModel, optional
        Predicts the relations of links, if they are asked for.
    evidence, support, gains : EvidenceRows, SupportRows, EncoderGains, optional
        Get their rows of each pair, if they are asked for.
    no_link : float
        Added to each token's score (log potential) of having no partner, in both directions.

    Returns
    -------
    columns : dict of str to array
        Columns of AlignmentColumns by their names. A pair that failed has no links.
    styles : list of int
        Number of the style that decided each pair.
    errors : dict from int to Exception
        Errors by the number of the pair: InputError if a sentence is empty, lacks tags or lemmas,
        or has a head outside it, or if the sentences cannot obey the constraints; ShapeError if a
        column's length is not the number of tokens; ModelError if the weights are so large that
        float64 cannot hold the posteriors.
    """
    cdef Extractor extractor = decoder.extractor
    cdef int least_style = CHOOSE if conventions.chooses else 0
    cdef Py_ssize_t k
    cdef int style
    if len(styles) != len(pairs):
        raise ValueError(f"{len(styles)} styles of {len(pairs)} pairs; wanted one for each")
    for style in styles:
        if not least_style <= style < decoder.weights.shape[0]:
            raise IndexError(f"no style {style} among {decoder.weights.shape[0]}")
    cdef Batch batch = Batch(pairs, styles, relations, evidence, support, gains, no_link)
    with decoder.lock as is_left:
        if is_left:
            extractor.forget()
        extractor.release()
        extractor.make_room()
        for k in range(batch.n_pairs):
            try:
                batch.fill(k, decoder)
            except Exception as error:
                batch.jobs[k].status = FAILED
                batch.errors[k] = error
        batch.conflicts.keeps_inputs = decoder.judge.keeps_inputs
        try:
            batch.reserve(decoder)
            with nogil:
                batch.run(decoder, extractor, conventions, least, finish, finishes_all)
        finally:
            extractor.release()  # it points to memory of the batch
    return batch.result()

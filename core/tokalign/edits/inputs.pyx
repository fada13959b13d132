"""Inputs of the trees of edits for each segment; `INPUTS` names them in order.

A run's words are linked as far as the confidences of their links inside of the segment sum to one.
tests/reference/edits.py computes the same word by word.
"""

from libc.stdint cimport int32_t
from libc.stdlib cimport calloc, free

import numpy as np

from tokalign.errors import ShapeError

INPUTS = (
    "n-source", "n-target", "n-least", "n-difference", "n-joined",
    "source-before", "target-before", "source-after", "target-after",
    "first-source", "first-target", "last-source", "last-target",
    "kept", "kept-weight", "kept-punctuation", "source-weight", "target-weight",
    "link-sum", "link-most", "source-linked", "target-linked",
    "source-weight-linked", "target-weight-linked", "n-links", "same-lemmas",
    "same-first-kind", "same-last-kind", "source-linked-anywhere", "target-linked-anywhere",
    "source-first-kind", "source-last-kind", "target-first-kind", "target-last-kind",
    "kind-before-source", "kind-after-source", "kind-before-target", "kind-after-target",
    "n-blocks", "changed-share", "gap-before", "gap-after",
)

cdef enum:
    N_INPUTS = 42
    PUNCTUATION = 0
    COMMA = 12
    NO_KIND = -1
    NO_GAP = 99

cdef float LITTLE = 0.01    # keeps shares of no weight finite

assert len(INPUTS) == N_INPUTS


cdef struct WordArrays:
    const int32_t *kind      # [n]
    const float *weight      # [n]
    const int32_t *lemma     # [n]
    const float *linked      # [n] sum of the confidences of all links, at most 1
    Py_ssize_t n


cdef struct TokenRun:
    Py_ssize_t start
    Py_ssize_t end
    float weight             # sum
    float linked             # mean of the words' links inside of the segment
    float weight_linked      # the same, weighed
    float anywhere           # weighed, of all links


cdef void _weigh(const WordArrays *words, TokenRun *run, const float *linked) noexcept nogil:
    """Sum up a run; `linked` holds its words' links inside of the segment, or is NULL."""
    cdef Py_ssize_t k
    cdef float share
    run.weight = run.linked = run.weight_linked = run.anywhere = 0.0
    for k in range(run.start, run.end):
        run.weight += words.weight[k]
        run.anywhere += words.linked[k] * words.weight[k]
        if linked != NULL:
            share = min(linked[k], <float>1.0)
            run.linked += share
            run.weight_linked += share * words.weight[k]
    run.anywhere /= run.weight + LITTLE
    run.weight_linked /= run.weight + LITTLE
    if run.end > run.start:
        run.linked /= run.end - run.start


cdef int _same_lemmas(
    const WordArrays *source, const TokenRun *rows, const WordArrays *target, const TokenRun *columns
) noexcept nogil:
    """Return how many different lemmas both runs hold."""
    cdef Py_ssize_t i, j
    cdef int found = 0
    for i in range(rows.start, rows.end):
        j = rows.start
        while source.lemma[j] != source.lemma[i]:
            j += 1
        if j < i:
            continue  # counted already
        for j in range(columns.start, columns.end):
            if target.lemma[j] == source.lemma[i]:
                found += 1
                break
    return found


cdef inline int _kind(const WordArrays *words, Py_ssize_t k) noexcept nogil:
    return words.kind[k] if 0 <= k < words.n else NO_KIND


cdef class SegmentInputs:
    """Computes the inputs of segments of a pair.

    Parameters
    ----------
    source, target : SideWords
        See tokalign.edits.words.
    links : float32 array, shape (n_source, n_target)
    partner : int32 array, shape (n_source,)
        The target token that each source token is kept as, -1 where it is not.
    blocks : int32 array, shape (n_blocks, 4)

    Raises
    ------
    ShapeError
        If the shapes disagree.
    """

    cdef WordArrays source
    cdef WordArrays target
    cdef const float[:, ::1] links
    cdef const int32_t[::1] partner
    cdef const int32_t[:, ::1] blocks
    cdef list held           # what `source` and `target` point to
    cdef float *inside       # [n_source + n_target], zeros between calls
    cdef float changed

    def __init__(self, source, target, links, partner, blocks):
        shape = len(source.kinds), len(target.kinds)
        if links.shape != shape or len(partner) != shape[0] or blocks.shape[1:] != (4,):
            raise ShapeError("links, kept tokens or blocks do not have the shape of the pair")
        self.held = []
        self.source = self._words(source, links.sum(1))
        self.target = self._words(target, links.sum(0))
        self.links = links
        self.partner = partner
        self.blocks = blocks
        n_tokens = shape[0] + shape[1]
        free(self.inside)
        self.inside = <float *>calloc(n_tokens + 1, sizeof(float))
        if self.inside == NULL:
            raise MemoryError("inputs")
        lengths = blocks[:, 1] - blocks[:, 0] + blocks[:, 3] - blocks[:, 2]
        self.changed = lengths.sum() / max(n_tokens, 1)

    def __dealloc__(self):
        free(self.inside)

    cdef WordArrays _words(self, side, linked) except *:
        cdef const int32_t[::1] kinds = side.kinds
        cdef const float[::1] weights = side.weights
        cdef const int32_t[::1] lemmas = side.lemmas
        sums = np.minimum(linked, 1, dtype=np.float32)
        cdef const float[::1] sum_of = sums
        cdef WordArrays words
        words.n = kinds.shape[0]
        if weights.shape[0] != words.n or lemmas.shape[0] != words.n or not words.n:
            raise ShapeError("a side's columns differ in length, or are empty")
        self.held += [side, sums]
        words.kind, words.weight = &kinds[0], &weights[0]
        words.lemma, words.linked = &lemmas[0], &sum_of[0]
        return words

    def rows(self, const int32_t[:, ::1] segments):
        """Return the inputs of segments.

        Parameters
        ----------
        segments : int32 array, shape (n_segments, 6)
            As Segment has them; within the pair and its blocks, not checked.

        Returns
        -------
        float32 array, shape (n_segments, n_inputs)
        """
        found = np.zeros((segments.shape[0], N_INPUTS), np.float32)
        cdef float[:, ::1] out = found
        cdef Py_ssize_t k
        with nogil:
            for k in range(segments.shape[0]):
                self._fill(&segments[k, 0], &out[k, 0])
        return found

    cdef void _fill(self, const int32_t *segment, float *out) noexcept nogil:
        """Write the inputs of a segment, [N_INPUTS], which holds zeros."""
        cdef const int32_t *first = &self.blocks[segment[4], 0]
        cdef const int32_t *last = &self.blocks[segment[5], 0]
        cdef TokenRun rows = TokenRun(segment[0], segment[1], 0.0, 0.0, 0.0, 0.0)
        cdef TokenRun columns = TokenRun(segment[2], segment[3], 0.0, 0.0, 0.0, 0.0)
        cdef Py_ssize_t n_rows = rows.end - rows.start
        cdef Py_ssize_t n_columns = columns.end - columns.start
        out[0], out[1] = n_rows, n_columns
        out[2] = min(n_rows, n_columns)
        out[3] = max(n_rows, n_columns) - out[2]
        out[4] = segment[5] - segment[4]
        out[5], out[6] = rows.start - first[0], columns.start - first[2]
        out[7], out[8] = last[1] - rows.end, last[3] - columns.end
        out[9], out[10] = first[1] - first[0], first[3] - first[2]
        out[11], out[12] = last[1] - last[0], last[3] - last[2]
        self._kept(&rows, out)
        if n_rows and n_columns:
            self._related(&rows, &columns, out)
        else:
            _weigh(&self.source, &rows, NULL)
            _weigh(&self.target, &columns, NULL)
        out[16], out[17] = rows.weight, columns.weight
        out[28], out[29] = rows.anywhere, columns.anywhere
        out[30] = self.source.kind[rows.start] if n_rows else NO_KIND
        out[31] = self.source.kind[rows.end - 1] if n_rows else NO_KIND
        out[32] = self.target.kind[columns.start] if n_columns else NO_KIND
        out[33] = self.target.kind[columns.end - 1] if n_columns else NO_KIND
        out[34] = _kind(&self.source, rows.start - 1)
        out[35] = _kind(&self.source, rows.end)
        out[36] = _kind(&self.target, columns.start - 1)
        out[37] = _kind(&self.target, columns.end)
        out[38], out[39] = self.blocks.shape[0], self.changed
        out[40] = out[41] = NO_GAP
        if segment[4] > 0:
            out[40] = first[0] - self.blocks[segment[4] - 1, 1]
        if segment[5] + 1 < self.blocks.shape[0]:
            out[41] = self.blocks[segment[5] + 1, 0] - last[1]

    cdef void _kept(self, const TokenRun *rows, float *out) noexcept nogil:
        """Write how much of a run is kept."""
        cdef Py_ssize_t i
        for i in range(rows.start, rows.end):
            if self.partner[i] >= 0:
                out[13] += 1
                out[14] += self.source.weight[i]
                out[15] += self.source.kind[i] == PUNCTUATION or self.source.kind[i] == COMMA

    cdef void _related(self, TokenRun *rows, TokenRun *columns, float *out) noexcept nogil:
        """Write how two runs, neither of them empty, are related."""
        cdef float *of_source = self.inside
        cdef float *of_target = self.inside + self.source.n
        cdef Py_ssize_t i, j
        cdef float link
        for i in range(rows.start, rows.end):
            for j in range(columns.start, columns.end):
                link = self.links[i, j]
                if link > 0:
                    of_source[i] += link
                    of_target[j] += link
                    out[18] += link
                    out[19] = max(out[19], link)
                    out[24] += 1
        _weigh(&self.source, rows, of_source)
        _weigh(&self.target, columns, of_target)
        for i in range(rows.start, rows.end):
            of_source[i] = 0.0
        for j in range(columns.start, columns.end):
            of_target[j] = 0.0
        out[20], out[21] = rows.linked, columns.linked
        out[22], out[23] = rows.weight_linked, columns.weight_linked
        out[25] = _same_lemmas(&self.source, rows, &self.target, columns)
        out[26] = self.source.kind[rows.start] == self.target.kind[columns.start]
        out[27] = self.source.kind[rows.end - 1] == self.target.kind[columns.end - 1]

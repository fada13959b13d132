"""A model's weights beside what decodes by them: features times weights, then two chains.

The features of a cell are computed once and multiplied with the weights of both directions, so
that the second direction costs little more than its chain. `decide_batch` drives it.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc

import threading

import numpy as np

from tokalign.crf.chains cimport N_TRANSITIONS, Workspace, expand, marginals, viterbi
from tokalign.decoding._known cimport KnownWords
from tokalign.features.extract cimport Extractor

from tokalign.errors import ShapeError
from tokalign.english.lexicon.word_weights import content_weight


cdef class Decoder:
    """Decodes one batch at a time; a thread that asks while another is answered waits.

    Parameters
    ----------
    model : Model
        Its table of features is used, and each style's weights and transitions, summed with the
        shared ones: 8 bytes for each slot and style.
    lexicons : Lexicons
        The tables that the model's feature groups need.

    Raises
    ------
    ShapeError
        If the shape of the weights or transitions is wrong.
    """

    def __init__(self, model, lexicons):
        base = model.table.base
        weights, transitions = model.summed()
        if weights.ndim != 3 or weights.shape[2] != 2 or not weights.size:
            raise ShapeError(f"weights have shape {weights.shape}; wanted (n_styles, n_slots, 2)")
        if weights.shape[1] <= max(base):
            raise ShapeError(
                f"weights have {weights.shape[1]} rows; the table's last template begins at "
                f"{max(base)}"
            )
        if transitions.shape != (len(weights), 2, <int>N_TRANSITIONS):
            raise ShapeError(
                f"transitions have shape {transitions.shape}; "
                f"wanted ({len(weights)}, 2, {<int>N_TRANSITIONS})"
            )
        self.weights = np.ascontiguousarray(weights, dtype=np.float32)
        self.extractor = Extractor(
            lexicons.wordnet, base, lexicons.vectors, lexicons.paraphrases, lexicons.frequencies,
            self.weights,
        )
        self.transitions = np.ascontiguousarray(transitions, dtype=np.float64)
        self.workspace = Workspace()
        self.known = KnownWords()
        self.lock = threading.RLock()

    def __dealloc__(self):
        free(self.scratch)

    cdef int reserve(self, Py_ssize_t n_source, Py_ssize_t n_target) except -1:
        cdef Py_ssize_t wanted = n_source * (n_target + 1) + n_target * (n_source + 1)
        if wanted > self.n_scratch:
            free(self.scratch)
            self.n_scratch = 0
            self.scratch = <double *>malloc(wanted * sizeof(double))
            if self.scratch == NULL:
                raise MemoryError("emissions of a pair")
            self.n_scratch = wanted
        self.workspace.reserve(max(n_source, n_target), max(n_source, n_target) + 1)
        return 0

    def forget(self):
        """Forget what is remembered of words, which changes no answer."""
        with self.lock:
            self.extractor.forget()

    cdef double[::1] weights_of(self, tuple tags):
        """Return what tokens of these tags weigh in the score."""
        if tags is not self.tags:
            self.tag_weights = np.array([content_weight(tag) for tag in tags])
            self.tags = tags
        return self.tag_weights

    cdef bint posteriors(
        self, int style, int direction, const double *emission, Py_ssize_t n_steps,
        Py_ssize_t n_states, double *posterior,
    ) noexcept nogil:
        """Write one direction's posteriors; return whether there are any."""
        expand(&self.transitions[style, direction, 0], n_states, &self.workspace.buffers.score)
        cdef double log_partition = marginals(
            emission, n_steps, n_states, &self.workspace.buffers, posterior, NULL, 0.0
        )
        return -INFINITY < log_partition < INFINITY

    cdef void labels(
        self, int style, int direction, const double *emission, Py_ssize_t n_steps,
        Py_ssize_t n_states, int32_t *states,
    ) noexcept nogil:
        """Write one direction's best labels."""
        expand(&self.transitions[style, direction, 0], n_states, &self.workspace.buffers.score)
        viterbi(emission, n_steps, n_states, &self.workspace.buffers, states)

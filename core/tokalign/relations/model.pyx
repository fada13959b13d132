"""The model of relations: boosted trees over the inputs of a unit; `lab.recipes.relations` trains it."""

from libc.math cimport exp

import numpy as np

from tokalign.errors import ModelError, ResourceError, quoted
from tokalign.files.tables import Table
from tokalign.relations.chunker import N_BOUNDARY_INPUTS
from tokalign.relations.inputs import INPUTS
from tokalign.types.relations import RELATION_KINDS

HIGHEST_SCORE = 5.0


cdef void _softmax(const double *scores, float *out) noexcept nogil:
    cdef double most = scores[0]
    cdef double total = 0.0
    cdef double[<int>N_RELATIONS] each
    cdef int k
    for k in range(1, N_RELATIONS):
        most = max(most, scores[k])
    for k in range(N_RELATIONS):
        each[k] = exp(scores[k] - most)
        total += each[k]
    for k in range(N_RELATIONS):
        out[k] = <float>(each[k] / total)


cdef class RelationModel:
    """Says how the two sides of a unit are related, whether they belong together, and how alike
    they are; and where chunks begin.

    Parameters
    ----------
    table : Table

    Raises
    ------
    ModelError
        If the table is of other kinds of relations.
    ResourceError
        If the table is damaged, or of other inputs.
    """

    def __init__(self, table):
        cdef Py_ssize_t n_kinds = N_RELATIONS
        kinds = table.header["meta"].get("kinds")
        if kinds != list(RELATION_KINDS) or len(RELATION_KINDS) != n_kinds:
            raise ModelError(
                f"{table.path}: made for the kinds of relations {quoted(kinds)}; wanted "
                f"{', '.join(RELATION_KINDS)}, and {n_kinds} in the compiled kernels; "
                "CONTRIBUTING.md says what to change for another kind"
            )
        if table.strings("inputs") != list(INPUTS):
            raise ResourceError(f"{table.path}: made for other inputs; rebuild it")
        n_inputs = len(INPUTS)
        self.kinds = Forest(table, "kinds", n_inputs, N_RELATIONS)
        self.linked = Forest(table, "linked", n_inputs, 1)
        self.score = Forest(table, "score", n_inputs, 1)
        self.boundary = Forest(table, "boundary", N_BOUNDARY_INPUTS, 1)
        for k, probability in enumerate(table.array("identical", np.float32, (N_RELATIONS,))):
            self.identical[k] = probability

    @classmethod
    def open_shipped(cls):
        """Return the model that ships with the package."""
        return cls(Table.open_shipped("relations"))

    cdef void relate(self, const float *inputs, float *out) noexcept nogil:
        """Write the probability of each kind, [N_RELATIONS]."""
        cdef double[<int>N_RELATIONS] scores
        self.kinds.score(inputs, scores)
        _softmax(scores, out)

    def identical_words(self):
        """Return the probabilities of the kinds for two words of one form or lemma, shape
        (n_kinds,)."""
        return np.array([self.identical[k] for k in range(N_RELATIONS)], dtype=np.float32)

    def probabilities(self, rows):
        """Return how likely each kind of relation is.

        Parameters
        ----------
        rows : float32 array, shape (n_units, n_inputs)

        Returns
        -------
        float32 array, shape (n_units, n_kinds)
            In the order of RelationKind; rows sum to one.
        """
        scores = self.kinds.scores(rows)
        found = np.empty(scores.shape, dtype=np.float32)
        cdef const double[:, ::1] score = scores
        cdef float[:, ::1] out = found
        cdef Py_ssize_t k
        for k in range(score.shape[0]):
            _softmax(&score[k, 0], &out[k, 0])
        return found

    def linked_probabilities(self, rows):
        """Return how likely the two sides of each unit belong together, shape (n_units,)."""
        return 1.0 / (1.0 + np.exp(-self.linked.scores(rows)[:, 0]))

    def scores(self, rows):
        """Return how alike the two sides of each unit are, in [0, 5], shape (n_units,)."""
        return self.score.scores(rows)[:, 0].clip(0.0, HIGHEST_SCORE)

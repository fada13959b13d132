"""Features of what a neural encoder says: log-probabilities of every partner, in each direction.

The encoder reads both sentences, so its probabilities need no context of their own here; what the
chain adds is consistency of neighbours, and trust by kind of word and lexical strength.
"""

from libc.math cimport INFINITY

from tokalign.features._pair cimport *
from tokalign.features._templates cimport *

cdef enum:
    N_LIKELY_EDGES = 9
    N_COARSE_EDGES = 4
    N_MARGIN_EDGES = 8

cdef extern from *:
    """
    #define FLOOR -8.0f
    """
    const float FLOOR        # lower log-probabilities count as this

# Logs of 0.01, 0.03, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9 and 0.98; then of 0.02, 0.15, 0.5 and 0.9.
cdef float[9] LIKELY_EDGES = [
    -4.60517, -3.50656, -2.302585, -1.609438, -1.049822, -0.693147, -0.356675, -0.105361, -0.020203
]
cdef float[4] COARSE_EDGES = [-3.912023, -1.89712, -0.693147, -0.105361]
cdef float[8] MARGIN_EDGES = [-4.0, -2.0, -1.0, -0.3, 0.3, 1.0, 2.0, 4.0]


cdef void _prepare_side(Side *side, Py_ssize_t n_labels) noexcept nogil:
    cdef Py_ssize_t k, label
    cdef float value
    for k in range(side.n):
        side.likeliest[2 * k] = side.likeliest[2 * k + 1] = -INFINITY
        for label in range(n_labels):
            value = side.encoded[k * n_labels + label]
            if value > side.likeliest[2 * k]:
                side.likeliest[2 * k + 1] = side.likeliest[2 * k]
                side.likeliest[2 * k] = value
            elif value > side.likeliest[2 * k + 1]:
                side.likeliest[2 * k + 1] = value


cdef void prepare_neural(Pair *pair) noexcept nogil:
    """Fill `likeliest` of both sides."""
    if pair.source.encoded != NULL:
        _prepare_side(&pair.source, pair.target.n + 1)
        _prepare_side(&pair.target, pair.source.n + 1)


cdef inline int _rank(const Side *side, Py_ssize_t at, float value) noexcept nogil:
    """Return how many partners, NULL among them, are likelier: 0, 1, or 2 for more."""
    return (
        (side.likeliest[2 * at] > value + <float>SLACK)
        + (side.likeliest[2 * at + 1] > value + <float>SLACK)
    )


cdef inline int _margin(const Side *side, Py_ssize_t at, float value) noexcept nogil:
    """Return the bin of a log-probability minus that of the likeliest other partner."""
    cdef float rival = side.likeliest[2 * at]
    if value >= rival:
        rival = side.likeliest[2 * at + 1]
    return bin_of(max(value, FLOOR) - max(rival, FLOOR), MARGIN_EDGES, N_MARGIN_EDGES)


cdef void neural_features(
    const Pair *pair, Py_ssize_t i, Py_ssize_t j, Sink *sink
) noexcept nogil:
    """Emit the encoder's features of one cell."""
    if pair.source.encoded == NULL:
        return
    cdef float s2t = pair.source.encoded[i * (pair.target.n + 1) + j + 1]
    cdef float t2s = pair.target.encoded[j * (pair.source.n + 1) + i + 1]
    cdef int kinds = kinds_of(pair.source.word[i], pair.target.word[j])
    cdef int strength = strength_class(pair.strength[i * pair.target.n + j])
    cdef int group = kinds * N_STRENGTHS + strength
    cdef int n_groups = N_KINDS * N_KINDS * N_STRENGTHS
    emit(sink, NEURAL, strength, max(s2t, FLOOR))
    emit(sink, NEURAL, N_STRENGTHS + strength, max(t2s, FLOOR))
    emit(sink, NEURAL_BIN, bin_of(s2t, LIKELY_EDGES, N_LIKELY_EDGES) * n_groups + group, 1.0)
    emit(sink, NEURAL_BIN,
         (N_LIKELY_EDGES + 1 + bin_of(t2s, LIKELY_EDGES, N_LIKELY_EDGES)) * n_groups + group, 1.0)
    emit(sink, NEURAL_BOTH,
         (bin_of(s2t, COARSE_EDGES, N_COARSE_EDGES) * (N_COARSE_EDGES + 1)
          + bin_of(t2s, COARSE_EDGES, N_COARSE_EDGES)) * n_groups + group, 1.0)
    emit(sink, NEURAL_RANK,
         (_rank(&pair.source, i, s2t) * 3 + _rank(&pair.target, j, t2s)) * n_groups + group, 1.0)
    emit(sink, NEURAL_MARGIN, _margin(&pair.source, i, s2t) * n_groups + group, 1.0)
    emit(sink, NEURAL_MARGIN,
         (N_MARGIN_EDGES + 1 + _margin(&pair.target, j, t2s)) * n_groups + group, 1.0)


cdef void neural_null_features(
    const Pair *pair, bint of_source, Py_ssize_t at, Sink *sink
) noexcept nogil:
    """Emit the encoder's features of one token being labelled NULL."""
    cdef const Side *side = &pair.source if of_source else &pair.target
    cdef const Side *other = &pair.target if of_source else &pair.source
    if side.encoded == NULL:
        return
    cdef float value = side.encoded[at * (other.n + 1)]
    cdef int kind = side.word[at].kind
    cdef int strength = strength_class(side.best[at])
    emit(sink, NEURAL_NULL, strength, max(value, FLOOR))
    emit(sink, NEURAL_NULL_BIN,
         (bin_of(value, LIKELY_EDGES, N_LIKELY_EDGES) * N_KINDS + kind) * N_STRENGTHS + strength,
         1.0)

"""Features of a neural encoder: log-probabilities of every partner, in each direction.

The encoder reads both sentences, so its probabilities need no context of their own here; what the
chain adds is consistency of neighbours, and trust by kind of word and lexical strength.
"""

from libc.math cimport INFINITY

from tokalign.features._emit cimport *
from tokalign.features.pair cimport *

cdef extern from *:
    """
    #define FLOOR -8.0f
    """
    const float FLOOR        # lower log-probabilities count as this


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


cdef void prepare_neural(PairState *pair) noexcept nogil:
    """Fill `likeliest` of both sides."""
    if pair.source.encoded != NULL:
        _prepare_side(&pair.source, pair.target.n + 1)
        _prepare_side(&pair.target, pair.source.n + 1)


cdef inline int _rank(const Side *side, Py_ssize_t at, float value) noexcept nogil:
    """Return how many partners, NULL among them, are likelier: 0, 1, or 2 for more."""
    return (
        (side.likeliest[2 * at] > value + SLACK)
        + (side.likeliest[2 * at + 1] > value + SLACK)
    )


cdef inline int _margin(const Side *side, Py_ssize_t at, float value) noexcept nogil:
    """Return the bin of a log-probability minus that of the likeliest other partner."""
    cdef float rival = side.likeliest[2 * at]
    if value >= rival:
        rival = side.likeliest[2 * at + 1]
    return bin_likely_margin(max(value, FLOOR) - max(rival, FLOOR))


cdef void neural_features(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, AnySink *sink
) noexcept nogil:
    """Emit the encoder's features of one cell; there is an encoder."""
    cdef float s2t = pair.source.encoded[i * (pair.target.n + 1) + j + 1]
    cdef float t2s = pair.target.encoded[j * (pair.source.n + 1) + i + 1]
    cdef int kinds = kinds_of(pair.source.word[i], pair.target.word[j])
    cdef int strength = strength_class(pair.strength[i * pair.target.n + j])
    emit_neural(sink, DIRECTION_S2T, strength, max(s2t, FLOOR))
    emit_neural(sink, DIRECTION_T2S, strength, max(t2s, FLOOR))
    emit_neural_bin(sink, DIRECTION_S2T, bin_likely(s2t), kinds, strength)
    emit_neural_bin(sink, DIRECTION_T2S, bin_likely(t2s), kinds, strength)
    emit_neural_both(sink, bin_coarsely(s2t), bin_coarsely(t2s), kinds, strength)
    emit_neural_rank(
        sink, _rank(&pair.source, i, s2t), _rank(&pair.target, j, t2s), kinds, strength
    )
    emit_neural_margin(sink, DIRECTION_S2T, _margin(&pair.source, i, s2t), kinds, strength)
    emit_neural_margin(sink, DIRECTION_T2S, _margin(&pair.target, j, t2s), kinds, strength)


cdef void neural_null_features(
    const PairState *pair, bint of_source, Py_ssize_t at, AnySink *sink
) noexcept nogil:
    """Emit the encoder's features of one token being labelled NULL."""
    cdef const Side *side = &pair.source if of_source else &pair.target
    cdef const Side *other = &pair.target if of_source else &pair.source
    if side.encoded == NULL:
        return
    cdef float value = side.encoded[at * (other.n + 1)]
    cdef int strength = strength_class(side.best[at])
    emit_neural_null(sink, strength, max(value, FLOOR))
    emit_neural_null_bin(sink, bin_likely(value), side.word[at].kind, strength)

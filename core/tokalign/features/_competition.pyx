"""Features that compare a cell with the others of its row and column.

    T(i, j) = 3 V + C1 + C2 / 2 - 0.3 |i / n_source - j / n_target|, and -1 where V < 0.1

where V, C1 and C2 are the strength, window and bag of the cell. A word that has a strong partner
elsewhere is a poor candidate here, whatever the two words look like.
"""

from libc.math cimport fabsf

from tokalign.features._emit cimport *
from tokalign.features.pair cimport *

cdef float NOTHING = -1.0


cdef inline bint _competes(float strength) noexcept nogil:
    return strength >= 0.1


cdef void _push(float *top, float value) noexcept nogil:
    """Insert a value into a falling list of N_TOP."""
    cdef int k = N_TOP
    while k > 0 and value > top[k - 1]:
        if k < N_TOP:
            top[k] = top[k - 1]
        k -= 1
    if k < N_TOP:
        top[k] = value


cdef void _reset(Side *side) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(side.n):
        side.best[k] = 0.0
        side.ties[k] = 0
    for k in range(side.n * N_TOP):
        side.top[k] = -1e9


cdef void prepare_competition(PairState *pair) noexcept nogil:
    """Fill tension, and best, ties and top of both sides."""
    cdef Py_ssize_t i, j, cell
    cdef float strength
    _reset(&pair.source)
    _reset(&pair.target)
    for i in range(pair.source.n):
        for j in range(pair.target.n):
            cell = i * pair.target.n + j
            strength = pair.strength[cell]
            if not _competes(strength):
                pair.tension[cell] = NOTHING
            else:
                pair.tension[cell] = (
                    3.0 * strength + pair.window[cell] + 0.5 * pair.bag[cell]
                    - 0.3 * fabsf(pair.source.relative[i] - pair.target.relative[j])
                )
            _push(pair.source.top + i * N_TOP, pair.tension[cell])
            _push(pair.target.top + j * N_TOP, pair.tension[cell])
            pair.source.best[i] = max(pair.source.best[i], strength)
            pair.target.best[j] = max(pair.target.best[j], strength)
            if strength >= SAME_STRENGTH:
                pair.source.ties[i] += 1
                pair.target.ties[j] += 1


cdef int _rank(const float *top, float value, int cap) noexcept nogil:
    """Return how many of the row's or column's values are larger, at most cap; see SLACK."""
    cdef int rank = 0
    while rank < cap and top[rank] > value + SLACK:
        rank += 1
    return rank


cdef float _margin(const float *top, float value) noexcept nogil:
    """Return the value minus the largest of the others."""
    cdef float rival = top[1] if value >= top[0] else top[0]
    return value - max(rival, NOTHING)


cdef void competition_features(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, AnySink *sink
) noexcept nogil:
    """Emit the competition features of one cell."""
    cdef Py_ssize_t cell = i * pair.target.n + j
    cdef const Lexeme *a = pair.source.word[i]
    cdef const Lexeme *b = pair.target.word[j]
    cdef float tension = pair.tension[cell]
    cdef float strength = pair.strength[cell]
    cdef const float *row = pair.source.top + i * N_TOP
    cdef const float *column = pair.target.top + j * N_TOP
    cdef int kinds = kinds_of(a, b)
    cdef int level = strength_class(strength)
    cdef int own
    emit_row_gap(sink, bin_gap(pair.source.best[i] - strength), kinds, level)
    emit_column_gap(sink, bin_gap(pair.target.best[j] - strength), kinds, level)
    if _competes(strength):
        own = strength >= SAME_STRENGTH
        emit_rank(
            sink, _rank(row, tension, N_ROW_RANK - 1), _rank(column, tension, N_COLUMN_RANK - 1),
            kinds, level,
        )
        emit_row_ties(sink, count_row_ties(pair.source.ties[i] - own), kinds, level)
        emit_column_ties(sink, count_column_ties(pair.target.ties[j] - own), kinds, level)
        emit_row_margin(sink, bin_margin(_margin(row, tension)), kinds, level)
        emit_column_margin(sink, bin_margin(_margin(column, tension)), kinds, level)
    if (is_free(&pair.source, i) and is_free(&pair.target, j)
            and a.kind != KIND_MARK and b.kind != KIND_MARK):
        emit_residual(sink, pair_coarses(a.coarse, b.coarse))
        emit_residual_context(
            sink, bin_residual_window(pair.window[cell]), bin_residual_bag(pair.bag[cell]),
            pos_of(a, b),
        )

"""Features of how a cell stands against the others of its row and column.

    T(i, j) = 3 V + C1 + C2 / 2 - 0.3 |i / n_source - j / n_target|, and -1 where V < 0.1

where V, C1 and C2 are the strength, window and bag of the cell. A word that has a strong partner
elsewhere is a poor candidate here, whatever the two words look like.
"""

from libc.math cimport fabsf

from tokalign.features._pair cimport *
from tokalign.features._templates cimport *

cdef enum:
    N_TOP = 4            # largest values kept a row and column
    N_GAP_EDGES = 3
    N_MARGIN_EDGES = 8
    N_COARSE = 12
    N_WINDOW_EDGES = 3
    N_BAG_EDGES = 3

cdef float[3] GAP_EDGES = [0.01, 0.2, 0.5]
cdef float[8] MARGIN_EDGES = [-2.0, -1.0, -0.4, -0.1, 0.1, 0.4, 1.0, 2.0]
cdef float[3] WINDOW_EDGES = [0.1, 0.6, 1.5]
cdef float[3] BAG_EDGES = [0.3, 1.2, 2.5]
cdef float NOTHING = -1.0
cdef float SAME_STRENGTH = 0.9
cdef float FREE_STRENGTH = 0.4   # a word whose best strength is lower has no partner yet


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


cdef void prepare_competition(Pair *pair) noexcept nogil:
    """Fill tension, and best, ties and top of both sides."""
    cdef Py_ssize_t i, j, cell
    cdef float strength
    _reset(&pair.source)
    _reset(&pair.target)
    for i in range(pair.source.n):
        for j in range(pair.target.n):
            cell = i * pair.target.n + j
            strength = pair.strength[cell]
            if strength < 0.1:
                pair.tension[cell] = NOTHING
            else:
                pair.tension[cell] = (
                    3.0 * strength + pair.window[cell] + 0.5 * pair.bag[cell]
                    - 0.3 * fabsf(<float>i / pair.source.n - <float>j / pair.target.n)
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
    const Pair *pair, Py_ssize_t i, Py_ssize_t j, Sink *sink
) noexcept nogil:
    """Emit the competition features of one cell."""
    cdef Py_ssize_t cell = i * pair.target.n + j
    cdef const Lexeme *a = pair.source.word[i]
    cdef const Lexeme *b = pair.target.word[j]
    cdef float tension = pair.tension[cell]
    cdef float strength = pair.strength[cell]
    cdef const float *row = pair.source.top + i * N_TOP
    cdef const float *column = pair.target.top + j * N_TOP
    cdef int group = kinds_of(a, b) * N_STRENGTHS + strength_class(strength)
    cdef int width = N_KINDS * N_KINDS * N_STRENGTHS
    cdef int own
    emit(sink, ROW_GAP,
         bin_of(pair.source.best[i] - strength, GAP_EDGES, N_GAP_EDGES) * width + group, 1.0)
    emit(sink, COLUMN_GAP,
         bin_of(pair.target.best[j] - strength, GAP_EDGES, N_GAP_EDGES) * width + group, 1.0)
    if strength >= 0.1:
        own = strength >= SAME_STRENGTH
        emit(sink, RANK, (_rank(row, tension, 2) * 4 + _rank(column, tension, 3)) * width + group,
             1.0)
        emit(sink, ROW_TIES, min(pair.source.ties[i] - own, 3) * width + group, 1.0)
        emit(sink, COLUMN_TIES, min(pair.target.ties[j] - own, 4) * width + group, 1.0)
        emit(sink, ROW_MARGIN,
             bin_of(_margin(row, tension), MARGIN_EDGES, N_MARGIN_EDGES) * width + group, 1.0)
        emit(sink, COLUMN_MARGIN,
             bin_of(_margin(column, tension), MARGIN_EDGES, N_MARGIN_EDGES) * width + group, 1.0)
    if (pair.source.best[i] < FREE_STRENGTH and pair.target.best[j] < FREE_STRENGTH
            and a.kind != PUNCTUATION and b.kind != PUNCTUATION):
        emit(sink, RESIDUAL, a.coarse * N_COARSE + b.coarse, 1.0)
        emit(sink, RESIDUAL_CONTEXT,
             (bin_of(pair.window[cell], WINDOW_EDGES, N_WINDOW_EDGES) * (N_BAG_EDGES + 1)
              + bin_of(pair.bag[cell], BAG_EDGES, N_BAG_EDGES)) * 3
             + (0 if a.tag == b.tag else 1 if a.coarse == b.coarse else 2), 1.0)

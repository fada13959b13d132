"""Numbers that say how far a sentence of the sources supports each word of an answer's.

With the posteriors of both directions, mean(i, j) their mean, and strength(i, j) how alike the
words are by form and meaning:

    MASS      = min(1, sum over i of min(s2t(i, j), t2s(j, i)))
    BEST      = max over i of mean(i, j)
    SAME      = min(1, sum of mean(i, j) over the partners that are the same word or value)
    STRENGTH  = max over i of strength(i, j), linked or not
    ALIKE     = min(1, sum over i of mean(i, j) * strength(i, j))
    WINDOW    = mean MASS of the content words at most 4 content words away, of weight 1 / distance
    TREE      = mean MASS of the content words right above and below in the tree
    ORDER     = mean over the content words before and after of
                min(MASS, theirs) / (1 + |distance of the likeliest partners - of the words|)
    COVER     = mean MASS of the content words of the answer's sentence, weighed by how rare
                they are

Where there is no tree, TREE is WINDOW; without a word to take the mean of, a mean is 0.
"""

from tokalign.features.pair cimport CLASS_STEM, KIND_CONTENT, RULE_INITIALS, Side
from tokalign.english.values.kinds cimport RELATION_DIFFERENT, RELATION_SAME_VALUE


def _names(columns):
    return tuple(name.lower() for name in columns.__members__ if not name.startswith("N_"))


COLUMNS = _names(SupportColumn)

cdef enum:
    REACH = 4       # of the window, in content words


cdef size_t column_bytes(Py_ssize_t n_target) noexcept nogil:
    return n_target * sizeof(int32_t)


cdef inline bint _are_same(const PairState *pair, Py_ssize_t cell) noexcept nogil:
    """Whether two words are the same by form, lemma, stem, value or spelling."""
    if pair.agreement[cell] == RELATION_DIFFERENT:
        return False
    return (
        pair.lexical_class[cell] <= CLASS_STEM or pair.agreement[cell] == RELATION_SAME_VALUE
        or pair.acronym[cell] or (0 < pair.rule[cell] <= 1 + RULE_INITIALS)
    )


cdef void _sum_column(
    const PairState *pair, const double *s2t, const double *t2s, Py_ssize_t j, int32_t *partner,
    float *out,
) noexcept nogil:
    """Write what a word's posteriors say, and its likeliest partner."""
    cdef Py_ssize_t n_source = pair.source.n
    cdef Py_ssize_t n_target = pair.target.n
    cdef double mass = 0.0
    cdef double best = 0.0
    cdef double same = 0.0
    cdef double alike = 0.0
    cdef float strength = 0.0
    cdef double forth, back, mean
    cdef Py_ssize_t i, cell
    partner[j] = 0
    for i in range(n_source):
        cell = i * n_target + j
        forth = s2t[i * (n_target + 1) + j + 1]
        back = t2s[j * (n_source + 1) + i + 1]
        mean = (forth + back) / 2.0
        mass += min(forth, back)
        alike += mean * pair.strength[cell]
        strength = max(strength, pair.strength[cell])
        if mean > best:
            best = mean
            partner[j] = <int32_t>i
        if mean > 0.0 and _are_same(pair, cell):
            same += mean
    out[<int>SupportColumn.MASS] = <float>min(mass, 1.0)
    out[<int>SupportColumn.BEST] = <float>best
    out[<int>SupportColumn.SAME] = <float>min(same, 1.0)
    out[<int>SupportColumn.STRENGTH] = min(strength, <float>1.0)
    out[<int>SupportColumn.ALIKE] = <float>min(alike, 1.0)


cdef inline float _mass(const float *out, Py_ssize_t j) noexcept nogil:
    return out[j * <int>SupportColumn.N_COLUMNS + <int>SupportColumn.MASS]


cdef float _window(const Side *side, const float *out, Py_ssize_t j) noexcept nogil:
    cdef float total = 0.0
    cdef float weight = 0.0
    cdef int32_t k
    cdef int step, distance
    for step in range(2):
        k = side.previous_content[j] if step == 0 else side.next_content[j]
        distance = 1
        while k >= 0 and distance <= REACH:
            total += _mass(out, k) / distance
            weight += <float>1.0 / distance
            k = side.previous_content[k] if step == 0 else side.next_content[k]
            distance += 1
    return total / weight if weight > 0.0 else <float>0.0


cdef float _tree(const Side *side, const float *out, Py_ssize_t j) noexcept nogil:
    cdef float total = 0.0
    cdef int n = 0
    cdef int32_t k = side.head[j]
    if k >= 0 and side.kind[k] == KIND_CONTENT:
        total += _mass(out, k)
        n += 1
    k = side.first_child[j]
    while k >= 0:
        if side.kind[k] == KIND_CONTENT:
            total += _mass(out, k)
            n += 1
        k = side.next_sibling[k]
    return total / n if n else <float>0.0


cdef float _order(
    const Side *side, const int32_t *partner, const float *out, Py_ssize_t j
) noexcept nogil:
    cdef float total = 0.0
    cdef int n = 0
    cdef int step, apart
    cdef int32_t k
    for step in range(2):
        k = side.previous_content[j] if step == 0 else side.next_content[j]
        if k >= 0:
            apart = (partner[k] - partner[j]) - (k - <int32_t>j)
            total += min(_mass(out, j), _mass(out, k)) / (1 + (apart if apart > 0 else -apart))
            n += 1
    return total / n if n else <float>0.0


cdef void find_columns(
    const PairState *pair, const double *s2t_posterior, const double *t2s_posterior, char *room,
    float *out,
) noexcept nogil:
    """Write the row of each word of the answer's sentence."""
    cdef int32_t *partner = <int32_t *>room
    cdef const Side *side = &pair.target
    cdef float *row
    cdef double weight, whole = 0.0
    cdef double covered = 0.0
    cdef Py_ssize_t j
    for j in range(side.n):
        row = out + j * <int>SupportColumn.N_COLUMNS
        _sum_column(pair, s2t_posterior, t2s_posterior, j, partner, row)
        if side.kind[j] == KIND_CONTENT:
            weight = side.word[j].weight
            whole += weight
            covered += weight * row[<int>SupportColumn.MASS]
    for j in range(side.n):
        row = out + j * <int>SupportColumn.N_COLUMNS
        row[<int>SupportColumn.WINDOW] = _window(side, out, j)
        row[<int>SupportColumn.TREE] = (
            _tree(side, out, j) if side.has_tree else row[<int>SupportColumn.WINDOW]
        )
        row[<int>SupportColumn.ORDER] = _order(side, partner, out, j)
        row[<int>SupportColumn.COVER] = <float>(covered / whole) if whole > 0.0 else <float>0.0

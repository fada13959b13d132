"""Features of two words' dependency trees: their places in them, and their distributional similarity.

Places are silent unless both sentences have trees. Similarity is counted in the two sentences
alone. A word's features are its arcs: (relation, up, lemma of the head) and (relation, down, lemma
of a dependent). With c(w, f) the count of word w with feature f in both sentences, W words, F
features and k = 2 added to every count,

    p(w, f) = (c(w, f) + k) / (N + k W F),  p(w) and p(f) its margins
    PPMI    = max(0, log2 p(w, f) / (p(w) p(f)))
    t-test  = max(0, (p(w, f) - p(w) p(f)) / sqrt(p(w) p(f)))

where c(w, f) > 0, and 0 elsewhere, so that the vectors stay sparse. The similarity of two words is
the largest of cosine, Dice and Jaccard under either weight, in [0, 1]. The slow twin is
tests/reference/distributional.py.

References
----------
Sharma et al. (2018), Algorithm 2. Curran (2003) and Jurafsky and Martin (2023), chapter 6, for
the weights and measures.
"""

from libc.math cimport fmax, fmin, log2, sqrt
from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport free, malloc, qsort

import numpy as np

from tokalign.features._emit cimport *
from tokalign.features.pair cimport *

from tokalign.errors import InputError, ShapeError

cdef double ADDED = 2.0
cdef double NEGLIGIBLE = 1e-9    # relative excess that rounding can bring about

cdef enum:
    PPMI_SUM = 0
    PPMI_SQUARES = 1
    T_SUM = 2
    T_SQUARES = 3
    N_SUMS = 4
    MAX_RELATION = 1 << 30


cdef int _heads(const PairState *pair, Py_ssize_t head_a, Py_ssize_t head_b) noexcept nogil:
    """Return the bin of the heads' strength, or which of the words are roots."""
    if head_a < 0 and head_b < 0:
        return HEADS_BOTH_ROOTS
    if head_a < 0 or head_b < 0:
        return HEADS_ONE_ROOT
    return bin_strength_level(strength_at(pair, head_a, head_b))


cdef int _agreement(const PairState *pair, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    """Return how well the relations of two words to their heads match."""
    if pair.source.relation[i] == pair.target.relation[j]:
        return AGREEMENT_SAME_RELATION
    if pair.source.group[i] == pair.target.group[j]:
        return AGREEMENT_SAME_GROUP
    return AGREEMENT_OTHER_RELATION


cdef void _children(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, int *counts
) noexcept nogil:
    """Count the children of i that match a child of j, by CHILD: how their relations agree."""
    cdef int32_t a = pair.source.first_child[i]
    cdef int32_t b
    cdef int best
    while a >= 0:
        b = pair.target.first_child[j]
        best = N_AGREEMENT
        while b >= 0:
            if strength_at(pair, a, b) >= MATCHED_STRENGTH:
                best = min(best, _agreement(pair, a, b))
            b = pair.target.next_sibling[b]
        if best < N_AGREEMENT:
            # content children are numbered as agreements are
            counts[best if pair.source.word[a].kind == KIND_CONTENT else CHILD_FUNCTION] += 1
        a = pair.source.next_sibling[a]


cdef void dependency_features(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, AnySink *sink
) noexcept nogil:
    """Emit the dependency features of one cell; both sentences have trees."""
    cdef Py_ssize_t head_a = pair.source.head[i]
    cdef Py_ssize_t head_b = pair.target.head[j]
    cdef const Lexeme *a = pair.source.word[i]
    cdef const Lexeme *b = pair.target.word[j]
    cdef int kinds = kinds_of(a, b)
    cdef int strength = strength_class(pair.strength[i * pair.target.n + j])
    cdef int heads = _heads(pair, head_a, head_b)
    cdef int agreement = _agreement(pair, i, j)
    cdef int[<int>N_CHILD] counts = [0, 0, 0, 0]
    cdef int child
    cdef int matched = 0
    emit_head(sink, heads, agreement, kinds, strength)
    if head_a >= 0 and head_b >= 0 and strength_at(pair, head_a, head_b) >= MATCHED_STRENGTH:
        emit_head_relation(
            sink, pair_relation_groups(pair.source.group[i], pair.target.group[j]), strength
        )
    _children(pair, i, j, counts)
    for child in range(N_CHILD):
        matched += counts[child]
        emit_children(sink, child, count_children(counts[child]), strength)
    # a head on one side matches this word on the other: phrases turned inside out
    if head_a >= 0 and strength_at(pair, head_a, j) >= MATCHED_STRENGTH:
        emit_crossed_head(sink, CROSSED_SOURCE_HEAD, kinds, strength)
    if head_b >= 0 and strength_at(pair, i, head_b) >= MATCHED_STRENGTH:
        emit_crossed_head(sink, CROSSED_TARGET_HEAD, kinds, strength)
    if (is_free(&pair.source, i) and is_free(&pair.target, j)
            and a.kind == KIND_CONTENT and b.kind == KIND_CONTENT):
        emit_residual_head(
            sink, heads, agreement, count_matched_children(matched),
            COARSE_MATCH_SAME_CLASS if a.coarse == b.coarse else COARSE_MATCH_OTHER_CLASS,
        )


cdef void release(ArcScratch *scratch) noexcept nogil:
    """Free the memory; the scratch can be reserved again."""
    free(scratch.lemmas)
    free(scratch.sums)
    free(scratch.entries)
    scratch.lemmas = NULL
    scratch.sums = NULL
    scratch.entries = NULL
    scratch.n_max = 0


cdef int _reserve(ArcScratch *scratch, Py_ssize_t n_tokens) noexcept nogil:
    """Make room for so many tokens of both sentences together. Return 0, or -1 without memory."""
    if n_tokens <= scratch.n_max:
        return 0
    release(scratch)
    scratch.lemmas = <int32_t *>malloc((4 * n_tokens + 1) * sizeof(int32_t))
    scratch.sums = <double *>malloc(N_SUMS * n_tokens * sizeof(double))
    scratch.entries = <Observation *>malloc(2 * n_tokens * sizeof(Observation))
    if scratch.lemmas == NULL or scratch.sums == NULL or scratch.entries == NULL:
        release(scratch)
        return -1
    scratch.row = scratch.lemmas + n_tokens
    scratch.word_count = scratch.row + n_tokens
    scratch.row_start = scratch.word_count + n_tokens
    scratch.n_max = n_tokens
    return 0


cdef int _by_id(const void *a, const void *b) noexcept nogil:
    cdef int32_t left = (<const int32_t *>a)[0]
    cdef int32_t right = (<const int32_t *>b)[0]
    return (left > right) - (left < right)


cdef int _by_feature(const void *a, const void *b) noexcept nogil:
    cdef const Observation *left = <const Observation *>a
    cdef const Observation *right = <const Observation *>b
    if left.feature != right.feature:
        return 1 if left.feature > right.feature else -1
    return (left.word > right.word) - (left.word < right.word)


cdef int _by_word(const void *a, const void *b) noexcept nogil:
    cdef const Observation *left = <const Observation *>a
    cdef const Observation *right = <const Observation *>b
    if left.word != right.word:
        return 1 if left.word > right.word else -1
    return (left.feature > right.feature) - (left.feature < right.feature)


cdef Py_ssize_t _number_words(
    const Arcs *source, const Arcs *target, ArcScratch *scratch
) noexcept nogil:
    """Fill `lemmas` and `row`; return the number of distinct lemmas."""
    cdef Py_ssize_t n_tokens = source.n + target.n
    cdef Py_ssize_t n_words = 0
    cdef Py_ssize_t k, low, high, middle
    cdef int32_t lemma
    for k in range(n_tokens):
        scratch.lemmas[k] = source.lemma[k] if k < source.n else target.lemma[k - source.n]
    qsort(scratch.lemmas, n_tokens, sizeof(int32_t), _by_id)
    for k in range(n_tokens):
        if k == 0 or scratch.lemmas[k] != scratch.lemmas[n_words - 1]:
            scratch.lemmas[n_words] = scratch.lemmas[k]
            n_words += 1
    for k in range(n_tokens):
        lemma = source.lemma[k] if k < source.n else target.lemma[k - source.n]
        low, high = 0, n_words - 1
        while low < high:
            middle = (low + high) // 2
            if scratch.lemmas[middle] < lemma:
                low = middle + 1
            else:
                high = middle
        scratch.row[k] = <int32_t>low
    return n_words


cdef Py_ssize_t _observe(
    const Arcs *side, const int32_t *row, Observation *entry
) noexcept nogil:
    """Add the two observations of every arc; return how many."""
    cdef Py_ssize_t n = 0
    cdef Py_ssize_t k
    cdef uint64_t relation
    for k in range(side.n):
        if side.head[k] < 0:
            continue
        relation = <uint64_t>side.relation[k] << 33
        entry[n].word = row[k]
        entry[n].feature = relation | <uint64_t>row[side.head[k]]
        entry[n + 1].word = row[side.head[k]]
        entry[n + 1].feature = relation | (<uint64_t>1 << 32) | <uint64_t>row[k]
        n += 2
    return n


cdef Py_ssize_t _count(Observation *entry, Py_ssize_t n, Py_ssize_t *n_features) noexcept nogil:
    """Merge equal observations and number the features; return the number of entries."""
    cdef Py_ssize_t n_entries = 0
    cdef Py_ssize_t k
    cdef uint64_t last = 0
    n_features[0] = 0
    qsort(entry, n, sizeof(Observation), _by_feature)
    for k in range(n):
        if k == 0 or entry[k].feature != last:
            n_features[0] += 1
        elif entry[k].word == entry[n_entries - 1].word:
            entry[n_entries - 1].count += 1
            continue
        last = entry[k].feature
        entry[n_entries].word = entry[k].word
        entry[n_entries].feature = <uint64_t>(n_features[0] - 1)
        entry[n_entries].count = 1
        n_entries += 1
    return n_entries


cdef void _weigh(
    ArcScratch *scratch, Py_ssize_t n_words, Py_ssize_t n_entries, Py_ssize_t n_features,
    double total
) noexcept nogil:
    """Give every entry its weights, and every word its sums and its row of entries."""
    cdef Observation *entry = scratch.entries
    cdef double whole = total + ADDED * n_words * n_features
    cdef double joint, expected, feature_count
    cdef double *sums
    cdef Py_ssize_t k, first, last
    for k in range(n_words):
        scratch.word_count[k] = 0
    for k in range(N_SUMS * n_words):
        scratch.sums[k] = 0.0
    for k in range(n_entries):
        scratch.word_count[entry[k].word] += entry[k].count
    first = 0
    while first < n_entries:  # entries of one feature stand together
        last = first
        feature_count = 0.0
        while last < n_entries and entry[last].feature == entry[first].feature:
            feature_count += entry[last].count
            last += 1
        for k in range(first, last):
            joint = (entry[k].count + ADDED) / whole
            expected = (
                (scratch.word_count[entry[k].word] + ADDED * n_features) / whole
                * (feature_count + ADDED * n_words) / whole
            )
            entry[k].ppmi = entry[k].t_test = 0.0
            if joint > expected * (1.0 + NEGLIGIBLE):
                entry[k].ppmi = log2(joint / expected)
                entry[k].t_test = (joint - expected) / sqrt(expected)
            sums = scratch.sums + N_SUMS * entry[k].word
            sums[PPMI_SUM] += entry[k].ppmi
            sums[PPMI_SQUARES] += entry[k].ppmi * entry[k].ppmi
            sums[T_SUM] += entry[k].t_test
            sums[T_SQUARES] += entry[k].t_test * entry[k].t_test
        first = last
    qsort(entry, n_entries, sizeof(Observation), _by_word)
    last = 0
    for k in range(n_words):
        scratch.row_start[k] = <int32_t>last
        while last < n_entries and entry[last].word == k:
            last += 1
    scratch.row_start[n_words] = <int32_t>last


cdef inline double _measure(
    double dot, double shared, double sum_a, double sum_b, double squares_a, double squares_b
) noexcept nogil:
    """Return the largest of cosine, Dice and Jaccard; 0 for vectors without weight."""
    if shared <= 0.0:
        return 0.0
    # Jaccard is never above Dice, so it need not be asked for.
    return fmin(1.0, fmax(dot / sqrt(squares_a * squares_b), 2.0 * shared / (sum_a + sum_b)))


cdef double _similarity(const ArcScratch *scratch, int32_t a, int32_t b) noexcept nogil:
    """Return the similarity of two words."""
    cdef const Observation *left = scratch.entries + scratch.row_start[a]
    cdef const Observation *left_end = scratch.entries + scratch.row_start[a + 1]
    cdef const Observation *right = scratch.entries + scratch.row_start[b]
    cdef const Observation *right_end = scratch.entries + scratch.row_start[b + 1]
    cdef const double *of_a = scratch.sums + N_SUMS * a
    cdef const double *of_b = scratch.sums + N_SUMS * b
    cdef double ppmi_dot = 0.0, ppmi_shared = 0.0, t_dot = 0.0, t_shared = 0.0
    while left < left_end and right < right_end:
        if left.feature == right.feature:
            ppmi_dot += left.ppmi * right.ppmi
            ppmi_shared += fmin(left.ppmi, right.ppmi)
            t_dot += left.t_test * right.t_test
            t_shared += fmin(left.t_test, right.t_test)
            left += 1
            right += 1
        elif left.feature < right.feature:
            left += 1
        else:
            right += 1
    return fmax(
        _measure(ppmi_dot, ppmi_shared, of_a[PPMI_SUM], of_b[PPMI_SUM],
                 of_a[PPMI_SQUARES], of_b[PPMI_SQUARES]),
        _measure(t_dot, t_shared, of_a[T_SUM], of_b[T_SUM], of_a[T_SQUARES], of_b[T_SQUARES]),
    )


cdef int distributional_similarity(
    const Arcs *source, const Arcs *target, ArcScratch *scratch, float *out
) noexcept nogil:
    """Fill `out`, [source.n, target.n], row-major. Return 0, or -1 without memory."""
    cdef Py_ssize_t n_words, n, n_entries, i, j
    cdef Py_ssize_t n_features = 0
    if _reserve(scratch, source.n + target.n):
        return -1
    n_words = _number_words(source, target, scratch)
    n = _observe(source, scratch.row, scratch.entries)
    n += _observe(target, scratch.row + source.n, scratch.entries + n)
    n_entries = _count(scratch.entries, n, &n_features)
    _weigh(scratch, n_words, n_entries, n_features, <double>n)
    for i in range(source.n):
        for j in range(target.n):
            out[i * target.n + j] = <float>_similarity(
                scratch, scratch.row[i], scratch.row[source.n + j]
            )
    return 0


cdef int _arcs(object columns, str field, Arcs *out) except -1:
    """Point `out` into checked columns, which the caller keeps alive."""
    cdef const int32_t[::1] lemma, head, relation
    lemma, head, relation = columns
    cdef Py_ssize_t k
    out.n = lemma.shape[0]
    if head.shape[0] != out.n or relation.shape[0] != out.n:
        raise ShapeError(
            f"{field}: {out.n} lemmas, {head.shape[0]} heads, {relation.shape[0]} relations; "
            "wanted as many of each",
            field=field,
        )
    if out.n == 0:
        raise InputError(f"{field} has no tokens", field=field)
    for k in range(out.n):
        if not -1 <= head[k] < out.n or not 0 <= relation[k] < MAX_RELATION:
            raise InputError(
                f"{field}: token {k} has head {head[k]} and relation {relation[k]}; wanted "
                f"-1..{out.n - 1} and 0..{MAX_RELATION - 1}",
                field=field,
            )
    out.lemma = &lemma[0]
    out.head = &head[0]
    out.relation = &relation[0]
    return 0


def similarity(source, target):
    """Return the distributional similarity of every word of one sentence to every one of another.

    Parameters
    ----------
    source, target : tuple of three int32 arrays of shape (n,), C-contiguous
        Ids of lemmas, heads (-1 for a root), ids of relations, of each token.

    Returns
    -------
    float32 array, shape (n_source, n_target)
        In [0, 1]; 0 where two words share no feature.

    Raises
    ------
    InputError
        If a sentence is empty, or a head or relation out of range.
    ShapeError
        If columns disagree.
    """
    cdef Arcs left, right
    cdef ArcScratch scratch
    cdef int failed
    scratch.n_max = 0
    scratch.lemmas = NULL
    scratch.sums = NULL
    scratch.entries = NULL
    _arcs(source, "source", &left)
    _arcs(target, "target", &right)
    result = np.empty((left.n, right.n), dtype=np.float32)
    cdef float[:, ::1] view = result
    with nogil:
        failed = distributional_similarity(&left, &right, &scratch, &view[0, 0])
        release(&scratch)
    if failed:
        raise MemoryError(f"cannot hold the arcs of {left.n + right.n} tokens")
    return result

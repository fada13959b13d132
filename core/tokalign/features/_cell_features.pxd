"""Features of a cell (a possible link) besides those of its words.

They are read from arrays of the pair, which `prepare_cells` fills. extract.pyx has those of NULL.

place
    Position and neighbours, from Yao et al. (2013), section 3.3. Each is defined on the state (the
    target token); NULL has other features.
context
    The words around the two words.

    C1(i, j) = sum over d in -3..3 without 0 of V(i + d, j + d) / |d|, times 0.3 where either
               word there is no content word
    C2(i, j) = sum over target words jj within 3 of j, jj != j, of the largest V(ii, jj) of
               content words ii within 3 of i

    A run is a maximal diagonal stretch of cells with V >= 0.69 (MATCHED_STRENGTH).
competition
    Comparison of a cell with the others of its row and column. A word with a strong partner
    elsewhere is a poor candidate here, however similar the two words are.

    T(i, j) = 3 V + C1 + C2 / 2 - 0.3 |i / n_source - j / n_target|, and -1 where V < 0.1

    where V, C1 and C2 are the strength, window and bag of the cell.
nearness
    Word vectors of the two words and their neighbours. A cosine says little by itself (antonyms and
    co-hyponyms are near too), so it is compared with the rest of the pair: a word whose twin stands
    elsewhere is taken, and of the free words only mutual nearest neighbours are likely partners.
encoder
    Log-probabilities of every partner, in each direction. The encoder reads both sentences, so its
    probabilities need no context here; the chain adds consistency of neighbours, and trust by kind
    of word and lexical strength.
anchoring
    The share that the whole pair has in common. Weak evidence for a link only counts if the pair is
    anchored: between sentences that share almost nothing, words of related meaning are not
    counterparts.

    share(side) = sum over content words with V >= 0.9 of idf / sum over content words of idf
"""

from libc.math cimport INFINITY, fabsf
from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memset

from tokalign.features._emit cimport *
from tokalign.features._sentence_features cimport dependency_features
from tokalign.features.pair cimport *

cdef enum:
    REACH = 3   # for which _window_row and _bag_row are written out

cdef extern from *:
    const float LEAST_LOG "(-8.0f)"    # lower log-probabilities count as this
    const float NO_TENSION "(-1.0f)"   # of a cell that does not compete
    const float COMPETING "0.1f"
    const float NON_CONTENT_FACTOR "0.3f"
    # Larger than an indicator's 1, so that the L2 penalty lets few, but clear, examples count.
    const float NAME_VALUE "10.0f"


cdef inline bint competes(float strength) noexcept nogil:
    return strength >= COMPETING


cdef inline Py_ssize_t context_scratch(Py_ssize_t n_source, Py_ssize_t n_target) noexcept nogil:
    """Return how many floats _prepare_context needs: two arrays with a margin of zeros."""
    return 2 * (n_source + 2 * REACH) * (n_target + 2 * REACH)


cdef inline void _prepare_context(PairState *pair) noexcept nogil:
    """Fill window, bag, run and content_run from strength."""
    cdef Py_ssize_t n_source = pair.source.n
    cdef Py_ssize_t n_target = pair.target.n
    # Zeros around the cells stand for the outside, so that loops need no bounds checks.
    cdef Py_ssize_t width = n_target + 2 * REACH
    cdef Py_ssize_t n_padded = (n_source + 2 * REACH) * width
    cdef float *weighted = pair.scratch + REACH * width + REACH
    cdef float *content = weighted + n_padded
    cdef const float *strength = pair.strength
    cdef Py_ssize_t i
    _prepare_seen(pair)
    memset(pair.scratch, 0, 2 * n_padded * sizeof(float))
    for i in range(n_source):
        _weigh_row(
            strength + i * n_target, pair.source.kind[i] == KIND_CONTENT, pair.target.kind,
            n_target, weighted + i * width, content + i * width,
        )
    for i in range(n_source):
        _window_row(weighted + i * width, width, n_target, pair.window + i * n_target)
    _prepare_runs(pair)
    for i in range(n_source):  # the best of each column within reach; the margin stays zero
        _best_row(content + i * width, width, n_target, weighted + i * width)
    for i in range(n_source):
        _bag_row(weighted + i * width, n_target, pair.bag + i * n_target)


cdef inline void _weigh_row(
    const float *strength, bint is_content, const uint8_t *kind, Py_ssize_t n_target,
    float *weighted, float *content,
) noexcept nogil:
    """Copy the strengths of a row: lower ones beside content words, and those of these alone."""
    cdef Py_ssize_t j
    for j in range(n_target):
        weighted[j] = strength[j] * NON_CONTENT_FACTOR
    if not is_content:
        return
    for j in range(n_target):
        if kind[j] == KIND_CONTENT:
            weighted[j] = content[j] = strength[j]


cdef inline void _prepare_seen(PairState *pair) noexcept nogil:
    """Fill seen from strength."""
    cdef Py_ssize_t n_target = pair.target.n
    cdef const Lexeme *a
    cdef uint8_t *row
    cdef Py_ssize_t i
    memset(pair.seen, 0, 2 * seen_width(pair))
    for i in range(pair.source.n):
        a = pair.source.word[i]
        row = <uint8_t *>seen_at(pair, i, 0)
        _seen_row(
            pair.strength + i * n_target, a.lower_form, a.lemma, a.tag, pair.target.form,
            pair.target.lemma, pair.target.tag, whole_lanes(n_target), row,
        )
        memset(row - MARGIN, 0, MARGIN)
        memset(row + n_target, 0, N_LANES)
    memset(<uint8_t *>seen_at(pair, pair.source.n, -MARGIN), 0, 2 * seen_width(pair))


cdef inline void _seen_row(
    const float *strength, int32_t form, int32_t lemma, int32_t tag, const int32_t *forms,
    const int32_t *lemmas, const int32_t *tags, Py_ssize_t n, uint8_t *out,
) noexcept nogil:
    cdef Py_ssize_t j
    for j in range(n):
        out[j] = <uint8_t>(
            bin_strength_level(strength[j]) | SEEN_MATCHED * (strength[j] >= MATCHED_STRENGTH)
            | SEEN_IDENTICAL * (form == forms[j]) | SEEN_LEMMA * (lemma == lemmas[j])
            | SEEN_TAG * (tag == tags[j])
        )


cdef inline void _window_row(
    const float *weighted, Py_ssize_t width, Py_ssize_t n_target, float *window
) noexcept nogil:
    """Sum up the diagonal neighbours of a row of cells."""
    cdef const float *up = weighted - width - 1
    cdef const float *down = weighted + width + 1
    cdef Py_ssize_t step = width + 1
    cdef Py_ssize_t j
    for j in range(n_target):
        window[j] = (
            (up[j] + down[j])
            + (up[j - step] + down[j + step]) / <float>2.0
            + (up[j - 2 * step] + down[j + 2 * step]) / <float>3.0
        )


cdef inline void _best_row(
    const float *content, Py_ssize_t width, Py_ssize_t n_target, float *best
) noexcept nogil:
    """Take the largest of the 2 * REACH + 1 cells of each column around a row."""
    cdef const float *row
    cdef Py_ssize_t d, j
    for j in range(n_target):
        best[j] = 0.0
    for d in range(-REACH, REACH + 1):
        row = content + d * width
        for j in range(n_target):
            best[j] = row[j] if row[j] > best[j] else best[j]


cdef inline void _bag_row(const float *best, Py_ssize_t n_target, float *bag) noexcept nogil:
    """Sum the cells of a row within reach of each cell, without itself."""
    cdef Py_ssize_t j
    for j in range(n_target):
        bag[j] = best[j - 3] + best[j - 2] + best[j - 1] + best[j + 1] + best[j + 2] + best[j + 3]


cdef inline void _prepare_runs(PairState *pair) noexcept nogil:
    """Fill run and content_run: walk each diagonal and write the length back over the run."""
    cdef Py_ssize_t n_source = pair.source.n
    cdef Py_ssize_t n_target = pair.target.n
    cdef Py_ssize_t i, j, cell, k, length
    cdef int content
    memset(pair.run, 0, n_source * n_target)
    memset(pair.content_run, 0, n_source * n_target)
    for i in range(n_source):
        for j in range(n_target):
            cell = i * n_target + j
            if pair.strength[cell] < MATCHED_STRENGTH:
                continue
            if i > 0 and j > 0 and pair.strength[cell - n_target - 1] >= MATCHED_STRENGTH:
                continue  # written from the start of its run
            length = content = 0
            while (i + length < n_source and j + length < n_target
                   and pair.strength[cell + length * (n_target + 1)] >= MATCHED_STRENGTH):
                content += pair.source.word[i + length].kind == KIND_CONTENT
                length += 1
            for k in range(length):
                pair.run[cell + k * (n_target + 1)] = <uint8_t>(1 + count_run(length))
                pair.content_run[cell + k * (n_target + 1)] = <uint8_t>count_content_run(content)


cdef inline void _push(float *top, float value) noexcept nogil:
    """Insert a value into a falling list of N_TOP."""
    cdef int k = N_TOP
    while k > 0 and value > top[k - 1]:
        if k < N_TOP:
            top[k] = top[k - 1]
        k -= 1
    if k < N_TOP:
        top[k] = value


cdef inline void _forget_best(Side *side) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(side.n):
        side.best[k] = 0.0
        side.ties[k] = 0
    for k in range(side.n * N_TOP):
        side.top[k] = -1e9


cdef inline void _prepare_competition(PairState *pair) noexcept nogil:
    """Fill tension, and best, ties and top of both sides."""
    cdef Py_ssize_t n_target = pair.target.n
    cdef const float *strength
    cdef float *tension
    cdef Py_ssize_t i, j
    _forget_best(&pair.source)
    _forget_best(&pair.target)
    for i in range(pair.source.n):
        strength = pair.strength + i * n_target
        tension = pair.tension + i * n_target
        _raise_best(strength, n_target, pair.target.best, pair.target.ties)
        for j in range(n_target):
            if not competes(strength[j]):
                tension[j] = NO_TENSION
                continue
            tension[j] = (
                3.0 * strength[j] + pair.window[i * n_target + j]
                + 0.5 * pair.bag[i * n_target + j]
                - 0.3 * fabsf(pair.source.relative[i] - pair.target.relative[j])
            )
            _push(pair.source.top + i * N_TOP, tension[j])
            _push(pair.target.top + j * N_TOP, tension[j])
            pair.source.best[i] = max(pair.source.best[i], strength[j])
            pair.source.ties[i] += strength[j] >= SAME_STRENGTH
    _fill_top(&pair.source, n_target)
    _fill_top(&pair.target, pair.source.n)


cdef inline void _raise_best(
    const float *strength, Py_ssize_t n, float *best, int32_t *ties
) noexcept nogil:
    """Take a row into what is the best of each column."""
    cdef Py_ssize_t j
    for j in range(n):
        best[j] = strength[j] if strength[j] > best[j] else best[j]
    for j in range(n):
        ties[j] += strength[j] >= SAME_STRENGTH


cdef inline void _fill_top(Side *side, Py_ssize_t n_others) noexcept nogil:
    """Put the cells that do not compete behind those that do."""
    cdef Py_ssize_t at, k
    for at in range(side.n):
        for k in range(min(n_others, <Py_ssize_t>N_TOP)):
            side.top[at * N_TOP + k] = max(side.top[at * N_TOP + k], NO_TENSION)


cdef inline void _prepare_bins(PairState *pair) noexcept nogil:
    """Fill the bins of all cells, a row at once."""
    cdef Py_ssize_t n = pair.target.n
    cdef Py_ssize_t n_cells = whole_lanes(pair.source.n * n)
    cdef Py_ssize_t n_lanes = whole_lanes(n)
    cdef Py_ssize_t i
    _bin_cells(pair.window, pair.bag, n_cells, pair.window_bin, pair.bag_bin)
    for i in range(pair.source.n):
        _bin_distances(pair.source.relative[i], pair.target.relative, n_lanes, pair.near_bin + i * n)
        _bin_gaps(
            pair.strength + i * n, pair.source.best[i], pair.target.best, n_lanes,
            pair.row_gap + i * n, pair.column_gap + i * n,
        )


cdef inline void _bin_cells(
    const float *window, const float *bag, Py_ssize_t n, uint8_t *window_bin, uint8_t *bag_bin
) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        window_bin[k] = <uint8_t>bin_window(window[k])
    for k in range(n):
        bag_bin[k] = <uint8_t>bin_bag(bag[k])


cdef inline void _bin_distances(
    float place, const float *relative, Py_ssize_t n, uint8_t *out
) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = <uint8_t>bin_distance(fabsf(place - relative[k]))


cdef inline void _bin_gaps(
    const float *strength, float best_of_row, const float *best_of_column, Py_ssize_t n,
    uint8_t *row_gap, uint8_t *column_gap,
) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        row_gap[k] = <uint8_t>bin_gap(best_of_row - strength[k])
    for k in range(n):
        column_gap[k] = <uint8_t>bin_gap(best_of_column[k] - strength[k])


cdef inline Py_ssize_t _open_words(const Side *side, int32_t *places) noexcept nogil:
    """Write the places of the words that have a vector but no partner, to which none is near yet;
    return their number."""
    cdef Py_ssize_t n = 0
    cdef Py_ssize_t k
    for k in range(side.n):
        side.nearest[k] = -1.0
        if is_free(side, k) and side.word[k].vector >= 0:
            places[n] = <int32_t>k
            n += 1
    return n


cdef inline void _prepare_nearness(PairState *pair) noexcept nogil:
    """Fill `nearest` of both sides; -1 without a free word."""
    cdef int32_t *sources = <int32_t *>pair.scratch
    cdef int32_t *targets = sources + pair.source.n
    cdef Py_ssize_t n_sources = _open_words(&pair.source, sources)
    cdef Py_ssize_t n_targets = _open_words(&pair.target, targets)
    cdef Py_ssize_t j, a, b
    cdef const float *cosine
    cdef float most
    for a in range(n_sources):
        cosine = pair.cosine + sources[a] * pair.target.n
        most = -1.0
        for b in range(n_targets):
            j = targets[b]
            most = max(most, cosine[j])
            pair.target.nearest[j] = max(pair.target.nearest[j], cosine[j])
        pair.source.nearest[sources[a]] = most


cdef inline void _find_likeliest(Side *side, Py_ssize_t n_labels) noexcept nogil:
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


cdef inline void _prepare_encoder(PairState *pair) noexcept nogil:
    """Fill `likeliest` of both sides."""
    if pair.source.encoded != NULL:
        _find_likeliest(&pair.source, pair.target.n + 1)
        _find_likeliest(&pair.target, pair.source.n + 1)


cdef inline float _share(const Side *side) noexcept nogil:
    """Return the idf share of a side's content words that have a twin; 0 without content."""
    cdef float total = 0.0
    cdef float shared = 0.0
    cdef Py_ssize_t k
    for k in range(side.n):
        if side.word[k].kind == KIND_CONTENT:
            total += side.word[k].idf
            if side.best[k] >= SAME_STRENGTH:
                shared += side.word[k].idf
    return shared / total if total > 0.0 else <float>0.0


cdef inline void _prepare_anchoring(PairState *pair) noexcept nogil:
    """Fill the shares of both sides; needs `best`."""
    pair.source.share = bin_share(_share(&pair.source))
    pair.target.share = bin_share(_share(&pair.target))


cdef inline void prepare_cells(PairState *pair) noexcept nogil:
    """Compute the arrays that cells' features need from the strengths."""
    _prepare_context(pair)
    _prepare_competition(pair)
    _prepare_bins(pair)
    _prepare_nearness(pair)
    _prepare_anchoring(pair)
    _prepare_encoder(pair)


cdef inline void _place_features(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, Py_ssize_t cell, int strength,
    AnySink *sink,
) noexcept nogil:
    """Emit the features of two words' positions."""
    cdef bint last_source = i == pair.source.n - 1
    cdef bint last_target = j == pair.target.n - 1
    emit_position(sink, fabsf(pair.source.relative[i] - pair.target.relative[j]))
    emit_position_bin(sink, pair.near_bin[cell], strength)
    if i == 0 and j == 0:
        emit_edges(sink, PLACE_BOTH_FIRST, strength)
    if last_source and last_target:
        emit_edges(sink, PLACE_BOTH_LAST, strength)
    elif last_source or last_target:
        emit_edges(sink, PLACE_ONE_LAST, strength)
    _neighbour_features(seen_at(pair, i - 1, j - 1)[0], SIDE_LEFT, sink)
    _neighbour_features(seen_at(pair, i + 1, j + 1)[0], SIDE_RIGHT, sink)
    if pair.acronym[cell]:
        emit_acronym(sink)


cdef inline void _neighbour_features(uint8_t seen, int side, AnySink *sink) noexcept nogil:
    """Yao's contextual features: do the neighbours match?"""
    if seen & SEEN_IDENTICAL:
        emit_neighbour(sink, side, NEIGHBOUR_IDENTICAL)
    if seen & SEEN_LEMMA:
        emit_neighbour(sink, side, NEIGHBOUR_SAME_LEMMA)
    if seen & SEEN_TAG:
        emit_neighbour(sink, side, NEIGHBOUR_SAME_TAG)


cdef inline void _content_neighbour(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, int side, int strength, AnySink *sink
) noexcept nogil:
    """Emit how well the nearest content words on one side match, and how far they are."""
    cdef Py_ssize_t a = (
        pair.source.previous_content[i] if side == SIDE_LEFT else pair.source.next_content[i]
    )
    cdef Py_ssize_t b = (
        pair.target.previous_content[j] if side == SIDE_LEFT else pair.target.next_content[j]
    )
    cdef Py_ssize_t distance_a, distance_b
    cdef int match = CONTENT_MATCH_EDGE
    cdef int reach = REACH_EQUALLY_FAR
    if a >= 0 and b >= 0:
        match = seen_at(pair, a, b)[0] & SEEN_LEVEL
        distance_a = a - i if a > i else i - a
        distance_b = b - j if b > j else j - b
        if distance_a > REACH or distance_b > REACH:
            reach = REACH_BEYOND_3
        elif distance_a != distance_b:
            reach = REACH_UNEQUALLY_FAR
    emit_content_neighbour(sink, side, match, reach, strength)


cdef inline void _context_features(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, Py_ssize_t cell, int kinds, int strength,
    AnySink *sink,
) noexcept nogil:
    """Emit the context features of one cell."""
    if pair.window[cell] > 0.0:
        emit_window(sink, strength, pair.window[cell])
    emit_window_bin(sink, pair.window_bin[cell], kinds, strength)
    if pair.bag[cell] > 0.0:
        emit_bag(sink, strength, pair.bag[cell])
    emit_bag_bin(sink, pair.bag_bin[cell], kinds, strength)
    if pair.run[cell]:
        emit_run(sink, pair.run[cell] - 1, kinds)
        emit_content_run(sink, pair.content_run[cell], kinds)
    emit_adjacent(sink, SIDE_LEFT, seen_at(pair, i - 1, j - 1)[0] & SEEN_LEVEL, kinds, strength)
    emit_adjacent(sink, SIDE_RIGHT, seen_at(pair, i + 1, j + 1)[0] & SEEN_LEVEL, kinds, strength)
    _content_neighbour(pair, i, j, SIDE_LEFT, strength, sink)
    _content_neighbour(pair, i, j, SIDE_RIGHT, strength, sink)
    # one word is skipped: before or after the cell, in the source or in the target
    if seen_at(pair, i - 1, j - 2)[0] & SEEN_MATCHED:
        emit_skip(sink, SKIP_LEFT_TARGET, strength)
    if seen_at(pair, i + 1, j + 2)[0] & SEEN_MATCHED:
        emit_skip(sink, SKIP_RIGHT_TARGET, strength)
    if seen_at(pair, i - 2, j - 1)[0] & SEEN_MATCHED:
        emit_skip(sink, SKIP_LEFT_SOURCE, strength)
    if seen_at(pair, i + 2, j + 1)[0] & SEEN_MATCHED:
        emit_skip(sink, SKIP_RIGHT_SOURCE, strength)


cdef inline int _tension_rank(const float *top, float value, int cap) noexcept nogil:
    """Return the number of larger values in the row or column, at most cap; see SLACK."""
    cdef int rank = 0
    while rank < cap and top[rank] > value + SLACK:
        rank += 1
    return rank


cdef inline float _tension_margin(const float *top, float value) noexcept nogil:
    """Return the value minus the largest of the others."""
    cdef float rival = top[1] if value >= top[0] else top[0]
    return value - max(rival, NO_TENSION)


cdef inline void _competition_features(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, Py_ssize_t cell, int kinds, int level,
    AnySink *sink,
) noexcept nogil:
    """Emit the competition features of one cell."""
    cdef const Lexeme *a = pair.source.word[i]
    cdef const Lexeme *b = pair.target.word[j]
    cdef float tension = pair.tension[cell]
    cdef float strength = pair.strength[cell]
    cdef const float *row = pair.source.top + i * N_TOP
    cdef const float *column = pair.target.top + j * N_TOP
    cdef int own
    emit_row_gap(sink, pair.row_gap[cell], kinds, level)
    emit_column_gap(sink, pair.column_gap[cell], kinds, level)
    if competes(strength):
        own = strength >= SAME_STRENGTH
        emit_rank(
            sink, _tension_rank(row, tension, N_ROW_RANK - 1), _tension_rank(column, tension, N_COLUMN_RANK - 1),
            kinds, level,
        )
        emit_row_ties(sink, count_row_ties(pair.source.ties[i] - own), kinds, level)
        emit_column_ties(sink, count_column_ties(pair.target.ties[j] - own), kinds, level)
        emit_row_margin(sink, bin_margin(_tension_margin(row, tension)), kinds, level)
        emit_column_margin(sink, bin_margin(_tension_margin(column, tension)), kinds, level)
    if (is_free(&pair.source, i) and is_free(&pair.target, j)
            and a.kind != KIND_MARK and b.kind != KIND_MARK):
        emit_residual(sink, pair_coarses(a.coarse, b.coarse))
        emit_residual_context(
            sink, bin_residual_window(pair.window[cell]), bin_residual_bag(pair.bag[cell]),
            pos_of(a, b),
        )


cdef inline void _nearness_features(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, Py_ssize_t cell, int kinds, int strength,
    AnySink *sink,
) noexcept nogil:
    """Emit the nearness features of one cell."""
    cdef const Lexeme *a = pair.source.word[i]
    cdef const Lexeme *b = pair.target.word[j]
    cdef int pos, cosine, n_free
    cdef float near
    if pair.has_arcs:
        near = pair.distributional[cell]
        if near > 0.0:
            emit_distributional(sink, strength, near)
        emit_distributional_bin(sink, bin_company(near), kinds, strength)
    if not have_cosine(a, b) or pair.strength[cell] >= MATCHED_STRENGTH:
        return  # words that match need no vectors
    near = pair.cosine[cell]
    cosine = bin_cosine(near)
    pos = pos_of(a, b)
    n_free = is_free(&pair.source, i) + is_free(&pair.target, j)
    emit_cosine(
        sink, cosine, pos,
        FREEDOM_BOTH_FREE if n_free == 2 else FREEDOM_ONE_FREE if n_free == 1 else FREEDOM_TAKEN,
    )
    if n_free == 2:
        emit_nearest(
            sink, cosine,
            _nearest_of(near >= pair.source.nearest[i], near >= pair.target.nearest[j]), pos,
        )


cdef inline int _nearest_of(bint in_row, bint in_column) noexcept nogil:
    if in_row:
        return NEAREST_BOTH if in_column else NEAREST_ROW
    return NEAREST_COLUMN if in_column else NEAREST_NEITHER


cdef inline int _likely_rank(const Side *side, Py_ssize_t at, float value) noexcept nogil:
    """Return the number of likelier partners, including NULL, at most 2."""
    return (side.likeliest[2 * at] > value + SLACK) + (side.likeliest[2 * at + 1] > value + SLACK)


cdef inline int _likely_margin(const Side *side, Py_ssize_t at, float value) noexcept nogil:
    """Return the bin of a log-probability minus that of the likeliest other partner."""
    cdef float rival = side.likeliest[2 * at]
    if value >= rival:
        rival = side.likeliest[2 * at + 1]
    return bin_likely_margin(max(value, LEAST_LOG) - max(rival, LEAST_LOG))


cdef inline void _neural_features(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, AnySink *sink
) noexcept nogil:
    """Emit the encoder's features of one cell; there is an encoder."""
    cdef float s2t = pair.source.encoded[i * (pair.target.n + 1) + j + 1]
    cdef float t2s = pair.target.encoded[j * (pair.source.n + 1) + i + 1]
    cdef int kinds = kinds_of(pair.source.word[i], pair.target.word[j])
    cdef int strength = strength_class(pair.strength[i * pair.target.n + j])
    emit_neural(sink, DIRECTION_S2T, strength, max(s2t, LEAST_LOG))
    emit_neural(sink, DIRECTION_T2S, strength, max(t2s, LEAST_LOG))
    emit_neural_bin(sink, DIRECTION_S2T, bin_likely(s2t), kinds, strength)
    emit_neural_bin(sink, DIRECTION_T2S, bin_likely(t2s), kinds, strength)
    emit_neural_both(sink, bin_coarsely(s2t), bin_coarsely(t2s), kinds, strength)
    emit_neural_rank(
        sink, _likely_rank(&pair.source, i, s2t), _likely_rank(&pair.target, j, t2s), kinds, strength
    )
    emit_neural_margin(sink, DIRECTION_S2T, _likely_margin(&pair.source, i, s2t), kinds, strength)
    emit_neural_margin(sink, DIRECTION_T2S, _likely_margin(&pair.target, j, t2s), kinds, strength)


cdef inline void _anchoring_features(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, AnySink *sink
) noexcept nogil:
    """Emit the anchoring features of one cell."""
    if (
        sink.base[<int>ANCHORED] < 0 and sink.base[<int>ANCHORED_CLASS] < 0
        and sink.base[<int>ANCHORED_COSINE] < 0
    ):
        return  # as in most models
    cdef const Lexeme *a = pair.source.word[i]
    cdef const Lexeme *b = pair.target.word[j]
    cdef Py_ssize_t cell = i * pair.target.n + j
    cdef int strength = strength_class(pair.strength[cell])
    cdef int larger = max(pair.source.share, pair.target.share)
    emit_anchored(sink, pair.source.share, pair.target.share, kinds_of(a, b), strength)
    if a.kind != KIND_CONTENT or b.kind != KIND_CONTENT or strength == STRENGTH_SAME:
        return
    emit_anchored_class(sink, larger, bin_residual_bag(pair.bag[cell]), pair.lexical_class[cell])
    if have_cosine(a, b) and pair.strength[cell] < MATCHED_STRENGTH:
        emit_anchored_cosine(sink, larger, bin_anchored_closeness(pair.cosine[cell]), pos_of(a, b))


cdef inline void _early_features(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, Py_ssize_t cell, int kinds, int strength,
    AnySink *sink,
) noexcept nogil:
    _place_features(pair, i, j, cell, strength, sink)
    if pair.name_part[cell]:
        emit(sink, NAME_PART, pair.name_part[cell] - 1, NAME_VALUE)
    if pair.rule[cell]:
        emit_rule(sink, pair.rule[cell] - 1, kinds)
    _context_features(pair, i, j, cell, kinds, strength, sink)
    _competition_features(pair, i, j, cell, kinds, strength, sink)


cdef inline void _late_features(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, Py_ssize_t cell, int kinds, int strength,
    AnySink *sink,
) noexcept nogil:
    _nearness_features(pair, i, j, cell, kinds, strength, sink)
    if pair.source.encoded != NULL:
        _neural_features(pair, i, j, sink)
    _anchoring_features(pair, i, j, sink)


cdef inline void cell_features(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, AnySink *sink
) noexcept nogil:
    """Emit the features of the link (i, j), except those of its words alone."""
    cdef Py_ssize_t cell = i * pair.target.n + j
    cdef int kinds = pair_kinds(pair.source.kind[i], pair.target.kind[j])
    cdef int strength = strength_class(pair.strength[cell])
    cdef bint has_trees = pair.source.has_tree and pair.target.has_tree
    cdef Score score
    if AnySink is Score:
        # Sums of its own stay in registers.
        score = sink[0]
        _early_features(pair, i, j, cell, kinds, strength, &score)
        if has_trees:
            sink[0] = score
            dependency_features(pair, i, j, sink)
            score = sink[0]
        _late_features(pair, i, j, cell, kinds, strength, &score)
        sink[0] = score
    else:
        _early_features(pair, i, j, cell, kinds, strength, sink)
        if has_trees:
            dependency_features(pair, i, j, sink)
        _late_features(pair, i, j, cell, kinds, strength, sink)

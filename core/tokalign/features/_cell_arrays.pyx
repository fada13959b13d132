"""Arrays of a pair that the features of its cells are read from; see _cell_features.pyx.

names
    "Abraham" belongs to "Lincoln" where both sentences say "Lincoln". Such a word stands in the run
    of names around the repeated one, nowhere in the other sentence, and is no title.
"""

from libc.math cimport INFINITY, fabsf
from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memset

from tokalign.features.pair cimport *

cdef float NON_CONTENT_FACTOR = 0.3


cdef Py_ssize_t context_scratch(Py_ssize_t n_source, Py_ssize_t n_target) noexcept nogil:
    """Return how many floats _prepare_context needs: two arrays with a margin of zeros."""
    return 2 * (n_source + 2 * REACH) * (n_target + 2 * REACH)


cdef void _prepare_context(PairState *pair) noexcept nogil:
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


cdef void _weigh_row(
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


cdef void _prepare_seen(PairState *pair) noexcept nogil:
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


cdef void _seen_row(
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


cdef void _window_row(
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


cdef void _best_row(
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


cdef void _bag_row(const float *best, Py_ssize_t n_target, float *bag) noexcept nogil:
    """Sum the cells of a row within reach of each cell, without itself."""
    cdef Py_ssize_t j
    for j in range(n_target):
        bag[j] = best[j - 3] + best[j - 2] + best[j - 1] + best[j + 1] + best[j + 2] + best[j + 3]


cdef void _prepare_runs(PairState *pair) noexcept nogil:
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


cdef void _push(float *top, float value) noexcept nogil:
    """Insert a value into a falling list of N_TOP."""
    cdef int k = N_TOP
    while k > 0 and value > top[k - 1]:
        if k < N_TOP:
            top[k] = top[k - 1]
        k -= 1
    if k < N_TOP:
        top[k] = value


cdef void _forget_best(Side *side) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(side.n):
        side.best[k] = 0.0
        side.ties[k] = 0
    for k in range(side.n * N_TOP):
        side.top[k] = -1e9


cdef void _prepare_competition(PairState *pair) noexcept nogil:
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


cdef void _raise_best(
    const float *strength, Py_ssize_t n, float *best, int32_t *ties
) noexcept nogil:
    """Take a row into what is the best of each column."""
    cdef Py_ssize_t j
    for j in range(n):
        best[j] = strength[j] if strength[j] > best[j] else best[j]
    for j in range(n):
        ties[j] += strength[j] >= SAME_STRENGTH


cdef void _fill_top(Side *side, Py_ssize_t n_others) noexcept nogil:
    """Put the cells that do not compete behind those that do."""
    cdef Py_ssize_t at, k
    for at in range(side.n):
        for k in range(min(n_others, <Py_ssize_t>N_TOP)):
            side.top[at * N_TOP + k] = max(side.top[at * N_TOP + k], NO_TENSION)


cdef void _prepare_bins(PairState *pair) noexcept nogil:
    """Fill the bins of all cells, a row at once."""
    cdef Py_ssize_t n = pair.target.n
    cdef Py_ssize_t n_cells = whole_lanes(pair.source.n * n)
    cdef Py_ssize_t n_lanes = whole_lanes(n)
    cdef Py_ssize_t i
    _bin_windows(pair.window, n_cells, pair.window_bin)
    _bin_bags(pair.bag, n_cells, pair.bag_bin)
    for i in range(pair.source.n):
        _bin_distances(pair.source.relative[i], pair.target.relative, n_lanes, pair.near_bin + i * n)
        _bin_row_gaps(pair.source.best[i], pair.strength + i * n, n_lanes, pair.row_gap + i * n)
        _bin_column_gaps(pair.target.best, pair.strength + i * n, n_lanes, pair.column_gap + i * n)


cdef void _bin_windows(const float *window, Py_ssize_t n, uint8_t *out) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = <uint8_t>bin_window(window[k])


cdef void _bin_bags(const float *bag, Py_ssize_t n, uint8_t *out) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = <uint8_t>bin_bag(bag[k])


cdef void _bin_distances(
    float place, const float *relative, Py_ssize_t n, uint8_t *out
) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = <uint8_t>bin_distance(fabsf(place - relative[k]))


cdef void _bin_row_gaps(
    float best, const float *strength, Py_ssize_t n, uint8_t *out
) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = <uint8_t>bin_gap(best - strength[k])


cdef void _bin_column_gaps(
    const float *best, const float *strength, Py_ssize_t n, uint8_t *out
) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = <uint8_t>bin_gap(best[k] - strength[k])


cdef Py_ssize_t _open_words(const Side *side, int32_t *places) noexcept nogil:
    """Write the places of the words that have a vector but no partner; return their number."""
    cdef Py_ssize_t n = 0
    cdef Py_ssize_t k
    for k in range(side.n):
        if is_free(side, k) and side.word[k].vector >= 0:
            places[n] = <int32_t>k
            n += 1
    return n


cdef void _prepare_nearness(PairState *pair) noexcept nogil:
    """Fill `nearest` of both sides; -1 without a free word."""
    cdef int32_t *sources = <int32_t *>pair.scratch
    cdef int32_t *targets = sources + pair.source.n
    cdef Py_ssize_t n_sources = _open_words(&pair.source, sources)
    cdef Py_ssize_t n_targets = _open_words(&pair.target, targets)
    cdef Py_ssize_t i, j, a, b
    cdef const float *cosine
    cdef float most
    for i in range(pair.source.n):
        pair.source.nearest[i] = -1.0
    for j in range(pair.target.n):
        pair.target.nearest[j] = -1.0
    for a in range(n_sources):
        cosine = pair.cosine + sources[a] * pair.target.n
        most = -1.0
        for b in range(n_targets):
            j = targets[b]
            most = max(most, cosine[j])
            pair.target.nearest[j] = max(pair.target.nearest[j], cosine[j])
        pair.source.nearest[sources[a]] = most


cdef void _find_likeliest(Side *side, Py_ssize_t n_labels) noexcept nogil:
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


cdef void _prepare_encoder(PairState *pair) noexcept nogil:
    """Fill `likeliest` of both sides."""
    if pair.source.encoded != NULL:
        _find_likeliest(&pair.source, pair.target.n + 1)
        _find_likeliest(&pair.target, pair.source.n + 1)


cdef float _share(const Side *side) noexcept nogil:
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


cdef void _prepare_anchoring(PairState *pair) noexcept nogil:
    """Fill the shares of both sides; needs `best`."""
    pair.source.share = bin_share(_share(&pair.source))
    pair.target.share = bin_share(_share(&pair.target))


cdef inline bint _is_name(const Side *side, Py_ssize_t k) noexcept nogil:
    return 0 <= k < side.n and side.word[k].coarse == COARSE_NAME and (
        side.word[k].case_ == CASE_CAPITALISED or side.word[k].case_ == CASE_UPPER
    )


cdef inline Py_ssize_t _only_place(const Side *side, int32_t lower_form) noexcept nogil:
    """Return the index of a word, ignoring case; -1 if it is absent, -2 if it is repeated."""
    cdef Py_ssize_t k
    cdef Py_ssize_t place = -1
    for k in range(side.n):
        if side.word[k].lower_form == lower_form:
            if place >= 0:
                return -2
            place = k
    return place


cdef void _complete_names(PairState *pair, bint source_is_longer) noexcept nogil:
    """Mark the words of one side that complete a name of the other."""
    cdef Side *longer = &pair.source if source_is_longer else &pair.target
    cdef Side *shorter = &pair.target if source_is_longer else &pair.source
    cdef Py_ssize_t at, anchor, k, cell, step
    cdef int form
    cdef int32_t offset
    for at in range(shorter.n):
        if not _is_name(shorter, at):
            continue
        anchor = _only_place(longer, shorter.word[at].lower_form)
        if not _is_name(longer, anchor):
            continue
        if _only_place(shorter, shorter.word[at].lower_form) != at:
            continue
        form = SHORT_NAME_SHORT_FORM_ALONE
        if _is_name(shorter, at - 1) or _is_name(shorter, at + 1):
            form = SHORT_NAME_SHORT_FORM_IN_NAME
        for step in range(-1, 2, 2):
            offset = offset_name_part(
                NAME_SOURCE_LONGER if source_is_longer else NAME_TARGET_LONGER,
                SIDE_LEFT if step < 0 else SIDE_RIGHT,
                form,
            )
            k = anchor + step
            while (
                _is_name(longer, k)
                and not longer.word[k].is_title
                and _only_place(shorter, longer.word[k].lower_form) == -1
            ):
                cell = k * pair.target.n + at if source_is_longer else at * pair.target.n + k
                pair.name_part[cell] = <uint8_t>(1 + offset)
                k += step


cdef void mark_names(PairState *pair) noexcept nogil:
    """Fill `name_part` of every cell."""
    cdef Py_ssize_t cell
    for cell in range(pair.source.n * pair.target.n):
        pair.name_part[cell] = 0
    _complete_names(pair, True)
    _complete_names(pair, False)


cdef void prepare_cells(PairState *pair) noexcept nogil:
    """Compute the arrays that cells' features need from the strengths."""
    _prepare_context(pair)
    _prepare_competition(pair)
    _prepare_bins(pair)
    _prepare_nearness(pair)
    _prepare_anchoring(pair)
    _prepare_encoder(pair)

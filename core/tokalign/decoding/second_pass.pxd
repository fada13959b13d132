"""The second pass over a pair's cells, which sees the chains' and the encoder's results.

The chains were trained with encoders of half of the corpora, which are weaker than the one that
ships, so they trust it too little; and neither knows how many partners a word already has. Boosted
trees (`lab.recipes.second_pass`) give each likely cell a probability of a link, from both results,
its rivals, the cells around it, the links of its row and column, and tags. Other cells keep the
mean of both chains.

Other trees then decide uncertain cells jointly. The likeliest decision on each cell is often not
the likeliest on all of them: two rivals may both stay linked, or a block of links may lack a
corner. Open are cells that are neither nearly certain nor nearly impossible, and those that would
close a square of links. Open cells that share rows or columns form a group. In each group the
cell-by-cell decision competes with decisions that change a few of its least sure cells; a group of
more than MOST_CELLS, twice the largest in the corpora, stays as it is. Boosted trees
(`lab.recipes.group_choice`) choose the one that is right as a whole: reranking of candidates, as in
Collins (2000), "Discriminative reranking for natural language parsing", group by group.
"""

from libc.math cimport INFINITY, fabs, log
from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.string cimport memset

from tokalign.features.pair cimport PairState, Side
from tokalign.relations.related_units cimport Forest

cdef extern from "_compiler.h" nogil:
    int _ones "tokalign_ones"(uint64_t bits) noexcept

cdef extern from *:
    const double LEAST "0.002"           # posterior of a likely cell in one direction
    const double FIRST "0.5"             # mean of a link of the first pass
    const double NO_LINK "99.0"
    const double NO_TAG "(-1.0)"
    const double OUTSIDE "(-0.5)"        # in place of the mean outside the sentences
    const double LEAST_ODDS "1e-6"       # least probability in log odds
    const double LOWEST "(-30.0)"        # log-probability of a missing rival
    const double LOW "0.06"              # posteriors between these are open
    const double HIGH "0.94"
    const double LEAST_CLOSING "0.005"   # of a cell that closes a square
    const double LEAST_LIKELY "1e-4"     # least argument of a logarithm

cdef enum:
    N_CELL_INPUTS = 40
    N_GROUP_INPUTS = 14
    MOST_CELLS = 100        # of a group to decide
    MOST_CHANGED = 8        # cells of a group that may change
    MOST_AT_ONCE = 3        # of these, changed in one decision

cdef struct FirstPass:
    # A pair with the results of the first pass and the encoder.
    const PairState *pair
    const double *s2t_posterior    # [n_source, n_target + 1]
    const double *t2s_posterior    # [n_target, n_source + 1]
    const double *mean             # [n_source, n_target] of both

cdef struct GroupRoom:
    # Scratch of a pair.
    int32_t *open           # [n_source * n_target] open cells, sorted
    int32_t *group          # [n_source * n_target] cells of one group
    int32_t *changed        # [n_source * n_target] cells to change, of all groups
    int32_t *mark           # [n_source * n_target]
    int32_t *visit          # [n_source + n_target]
    int32_t *row_group      # [n_source] number of the row's group, 0 without one
    int32_t *column_group   # [n_target]

cdef struct DecidedCells:
    # A pair, decided cell by cell.
    const double *posterior
    uint8_t *taken
    Py_ssize_t n_source
    Py_ssize_t n_target
    Py_ssize_t n_open
    GroupRoom *room
    int32_t n_marks              # times that all marks were reset
    int32_t n_visits             # likewise

cdef struct CellGroup:
    int32_t number               # from 1
    Py_ssize_t n
    const int32_t *cell
    int n_free
    int32_t[<int>MOST_CHANGED] free    # cells that may change, the least sure first
    double log_likelihood        # of the cell-by-cell decision

cdef struct Line:
    # What a cell's row or column holds besides it.
    double total             # of means
    double rival             # largest mean of another cell
    double encoded           # largest log-probability of another cell, by the encoder
    double n_links
    double nearest           # tokens to the nearest other link; of ties, the one before
    double nearest_tag

cdef struct GroupLines:
    # Rows or columns: cell k of line i is at i * step_across + k * step_along.
    Py_ssize_t n
    Py_ssize_t n_along
    Py_ssize_t step_across
    Py_ssize_t step_along
    const int32_t *group


cdef inline double _log_odds(double p) noexcept nogil:
    p = min(max(p, LEAST_ODDS), 1.0 - LEAST_ODDS)
    return log(p) - log(1.0 - p)


cdef inline double _tag(const Side *side, Py_ssize_t at) noexcept nogil:
    return side.word[at].tag if 0 <= at < side.n else NO_TAG


cdef inline double _mean_at(const FirstPass *first, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    if 0 <= i < first.pair.source.n and 0 <= j < first.pair.target.n:
        return first.mean[i * first.pair.target.n + j]
    return OUTSIDE


cdef inline Line _line(
    const FirstPass *first, Py_ssize_t i, Py_ssize_t j, bint is_row
) noexcept nogil:
    cdef const Side *own = &first.pair.source if is_row else &first.pair.target
    cdef const Side *other = &first.pair.target if is_row else &first.pair.source
    cdef const float *encoded = own.encoded + (i if is_row else j) * (other.n + 1) + 1
    cdef Py_ssize_t at = j if is_row else i
    cdef Py_ssize_t k
    cdef double mean
    cdef Line line = Line(0.0, 0.0, LOWEST, 0.0, NO_LINK, NO_TAG)
    for k in range(other.n):
        mean = first.mean[i * first.pair.target.n + k if is_row else k * first.pair.target.n + j]
        line.total += mean
        line.n_links += mean >= FIRST
        if k == at:
            continue
        line.rival = max(line.rival, mean)
        line.encoded = max(line.encoded, encoded[k])
        if mean >= FIRST and fabs(<double>(k - at)) < fabs(line.nearest):
            line.nearest = k - at
            line.nearest_tag = _tag(other, k)
    return line


cdef inline bint is_likely(const FirstPass *first, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    """Whether the second pass decides a cell; it never decides one that constraints exclude."""
    return (
        first.s2t_posterior[i * (first.pair.target.n + 1) + j + 1] >= LEAST
        or first.t2s_posterior[j * (first.pair.source.n + 1) + i + 1] >= LEAST
    )


cdef inline void cell_inputs(
    const FirstPass *first, Py_ssize_t i, Py_ssize_t j, float *inputs
) noexcept nogil:
    """Write the inputs of a cell, in the order of CELL_INPUTS."""
    cdef const Side *source = &first.pair.source
    cdef const Side *target = &first.pair.target
    cdef Py_ssize_t row_start = i * (target.n + 1)
    cdef Py_ssize_t column_start = j * (source.n + 1)
    cdef double s2t = source.encoded[row_start + j + 1]
    cdef double t2s = target.encoded[column_start + i + 1]
    cdef double mean = _mean_at(first, i, j)
    cdef Line row = _line(first, i, j, True)
    cdef Line column = _line(first, i, j, False)
    cdef double[<int>N_CELL_INPUTS] found = [
        _log_odds(first.s2t_posterior[row_start + j + 1]),
        _log_odds(first.t2s_posterior[column_start + i + 1]),
        _log_odds(mean),
        _log_odds(first.s2t_posterior[row_start]),
        _log_odds(first.t2s_posterior[column_start]),
        s2t, t2s,
        s2t - source.encoded[row_start], t2s - target.encoded[column_start],
        source.encoded[row_start], target.encoded[column_start],
        s2t - row.encoded, t2s - column.encoded,
        row.rival, column.rival, row.total, column.total,
        _mean_at(first, i - 1, j - 1), _mean_at(first, i - 1, j), _mean_at(first, i - 1, j + 1),
        _mean_at(first, i, j - 1), _mean_at(first, i, j + 1),
        _mean_at(first, i + 1, j - 1), _mean_at(first, i + 1, j), _mean_at(first, i + 1, j + 1),
        mean >= FIRST, row.n_links, column.n_links, row.nearest, column.nearest,
        _tag(source, i), _tag(target, j),
        _tag(source, i - 1), _tag(source, i + 1), _tag(target, j - 1), _tag(target, j + 1),
        row.nearest_tag, column.nearest_tag,
        source.kind[i], target.kind[j],
    ]
    cdef int k
    for k in range(<int>N_CELL_INPUTS):
        inputs[k] = <float>found[k]


cdef inline size_t group_bytes(Py_ssize_t n_source, Py_ssize_t n_target) noexcept nogil:
    """Return the bytes of scratch for a pair of so many tokens."""
    return (4 * n_source * n_target + 2 * (n_source + n_target)) * sizeof(int32_t)


cdef inline void carve_groups(
    GroupRoom *room, int32_t *memory, Py_ssize_t n_source, Py_ssize_t n_target
) noexcept nogil:
    """Lay out the scratch in a block of group_bytes."""
    room.open = memory
    room.group = room.open + n_source * n_target
    room.changed = room.group + n_source * n_target
    room.mark = room.changed + n_source * n_target
    room.visit = room.mark + n_source * n_target
    room.row_group = room.visit + n_source + n_target
    room.column_group = room.row_group + n_source


cdef inline GroupLines _lines(const DecidedCells *cells, bint are_rows) noexcept nogil:
    if are_rows:
        return GroupLines(cells.n_source, cells.n_target, cells.n_target, 1, cells.room.row_group)
    return GroupLines(cells.n_target, cells.n_source, 1, cells.n_target, cells.room.column_group)


cdef inline int _mark_closing(
    DecidedCells *cells, const GroupLines *lines, Py_ssize_t line
) noexcept nogil:
    """Mark the cells of a line that would be the fourth corner of a square of links: those of lines
    that it shares a link with. Return the number newly marked."""
    cdef const uint8_t *own = cells.taken + line * lines.step_across
    cdef const uint8_t *other
    cdef int32_t *mark = cells.room.mark + line * lines.step_across
    cdef int n_new = 0
    cdef Py_ssize_t k, rival, across
    cells.n_visits += 1
    cells.room.visit[line] = cells.n_visits
    for k in range(lines.n_along):
        if not own[k * lines.step_along]:
            continue
        for across in range(lines.n):
            other = cells.taken + across * lines.step_across
            if cells.room.visit[across] == cells.n_visits or not other[k * lines.step_along]:
                continue
            cells.room.visit[across] = cells.n_visits
            for rival in range(lines.n_along):
                if (
                    other[rival * lines.step_along] and not own[rival * lines.step_along]
                    and mark[rival * lines.step_along] != cells.n_marks
                ):
                    mark[rival * lines.step_along] = cells.n_marks
                    n_new += 1
    return n_new


cdef inline void find_open(DecidedCells *cells) noexcept nogil:
    """Fill the open cells."""
    cdef GroupLines rows = _lines(cells, True)
    cdef Py_ssize_t i, cell
    cdef double p
    memset(cells.room.mark, 0, cells.n_source * cells.n_target * sizeof(int32_t))
    memset(cells.room.visit, 0, (cells.n_source + cells.n_target) * sizeof(int32_t))
    cells.n_marks = 1
    cells.n_visits = 0
    cells.n_open = 0
    for i in range(cells.n_source):
        _mark_closing(cells, &rows, i)
    for cell in range(cells.n_source * cells.n_target):
        p = cells.posterior[cell]
        if LOW < p < HIGH or (p > LEAST_CLOSING and cells.room.mark[cell] == cells.n_marks):
            cells.room.open[cells.n_open] = <int32_t>cell
            cells.n_open += 1


cdef inline int32_t number_groups(DecidedCells *cells) noexcept nogil:
    """Number the groups of the rows and columns of open cells; return the number of groups."""
    cdef int32_t *row_group = cells.room.row_group
    cdef int32_t *column_group = cells.room.column_group
    cdef int32_t n_groups = 0
    cdef int32_t i, j
    cdef Py_ssize_t first, k
    cdef bint has_grown
    memset(row_group, 0, cells.n_source * sizeof(int32_t))
    memset(column_group, 0, cells.n_target * sizeof(int32_t))
    for first in range(cells.n_open):
        if row_group[cells.room.open[first] // cells.n_target]:
            continue
        n_groups += 1
        row_group[cells.room.open[first] // cells.n_target] = n_groups
        has_grown = True
        while has_grown:
            has_grown = False
            for k in range(first, cells.n_open):
                i = cells.room.open[k] // <int32_t>cells.n_target
                j = cells.room.open[k] % <int32_t>cells.n_target
                if (row_group[i] == n_groups) != (column_group[j] == n_groups):
                    row_group[i] = column_group[j] = n_groups
                    has_grown = True
    return n_groups


cdef inline double _posterior(const DecidedCells *cells, int32_t cell) noexcept nogil:
    return min(max(cells.posterior[cell], LEAST_LIKELY), 1.0 - LEAST_LIKELY)


cdef inline double _log_likelihood(const DecidedCells *cells, int32_t cell) noexcept nogil:
    """Return the log-probability of the decision on a cell."""
    cdef double p = _posterior(cells, cell)
    return log(p if cells.taken[cell] else 1.0 - p)


cdef inline void fill_group(
    const DecidedCells *cells, int32_t number, CellGroup *group
) noexcept nogil:
    """Fill a group, its cells sorted."""
    cdef Py_ssize_t k
    cdef int place
    cdef int32_t cell
    cdef double doubt
    group.number = number
    group.cell = cells.room.group
    group.n = 0
    group.n_free = 0
    group.log_likelihood = 0.0
    for k in range(cells.n_open):
        cell = cells.room.open[k]
        if cells.room.row_group[cell // cells.n_target] != number:
            continue
        cells.room.group[group.n] = cell
        group.n += 1
        group.log_likelihood += _log_likelihood(cells, cell)
        # Sorted by doubt; ties keep their order.
        doubt = fabs(cells.posterior[cell] - 0.5)
        place = group.n_free
        while place and fabs(cells.posterior[group.free[place - 1]] - 0.5) > doubt:
            if place < <int>MOST_CHANGED:
                group.free[place] = group.free[place - 1]
            place -= 1
        if place < <int>MOST_CHANGED:
            group.free[place] = cell
            group.n_free = min(group.n_free + 1, <int>MOST_CHANGED)


cdef inline void change(DecidedCells *cells, const CellGroup *group, int changed) noexcept nogil:
    """Flip the cells of a set of bits; doing so twice changes nothing."""
    cdef int k
    for k in range(group.n_free):
        if changed >> k & 1:
            cells.taken[group.free[k]] ^= 1


cdef inline void _line_inputs(
    DecidedCells *cells, const CellGroup *group, bint are_rows, double *squares, double *found
) noexcept nogil:
    """Add the group's lines to the inputs that count over them."""
    cdef GroupLines lines = _lines(cells, are_rows)
    cdef Py_ssize_t line, k, n_links, first, last
    for line in range(lines.n):
        if lines.group[line] != group.number:
            continue
        squares[0] += _mark_closing(cells, &lines, line)
        n_links = first = last = 0
        for k in range(lines.n_along):
            if cells.taken[line * lines.step_across + k * lines.step_along]:
                first = k if not n_links else first
                last = k
                n_links += 1
        found[0] += n_links == 0
        found[1] += n_links > 1
        if n_links:
            found[2] += last - first + 1 - n_links


cdef inline void group_inputs(
    DecidedCells *cells, const CellGroup *group, float *inputs
) noexcept nogil:
    """Write the inputs of a decision, in the order of GROUP_INPUTS."""
    cdef double[<int>N_GROUP_INPUTS] found = [
        0.0, 0.0, 0.0, group.n, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
    ]
    cdef double p, log_likelihood
    cdef Py_ssize_t k
    for k in range(group.n):
        p = _posterior(cells, group.cell[k])
        log_likelihood = _log_likelihood(cells, group.cell[k])
        found[0] += log_likelihood
        found[1] = min(found[1], log_likelihood)
        if cells.taken[group.cell[k]]:
            found[4] += 1.0
            found[5] = min(found[5], p)
        else:
            found[6] = max(found[6], p)
    found[2] = group.log_likelihood - found[0]
    cells.n_marks += 1
    _line_inputs(cells, group, True, &found[7], &found[8])
    _line_inputs(cells, group, False, &found[7], &found[11])
    for k in range(<int>N_GROUP_INPUTS):
        inputs[k] = <float>found[k]


cdef inline int _bestchange(
    Forest forest, DecidedCells *cells, const CellGroup *group
) noexcept nogil:
    """Return the best-scoring change; ties go to the one of the fewest cells."""
    cdef float[<int>N_GROUP_INPUTS] inputs
    cdef double best = -INFINITY
    cdef double score
    cdef int chosen = 0
    cdef int n_changed, changed
    for n_changed in range(<int>MOST_AT_ONCE + 1):
        for changed in range(1 << group.n_free):
            if _ones(changed) != n_changed:
                continue
            change(cells, group, changed)
            group_inputs(cells, group, inputs)
            change(cells, group, changed)
            forest.score(inputs, 1, &score)
            if score > best:
                best = score
                chosen = changed
    return chosen


cdef inline void _choose_groups(
    Forest forest, const double *posterior, uint8_t *taken, Py_ssize_t n_source,
    Py_ssize_t n_target, GroupRoom *room,
) noexcept nogil:
    """Replace the cell-by-cell decision on each group by the best one. All are compared with it
    first, so the order of groups does not matter."""
    cdef DecidedCells cells = DecidedCells(posterior, taken, n_source, n_target, 0, room, 0, 0)
    cdef CellGroup group
    cdef int32_t n_groups, number
    cdef Py_ssize_t n_changed = 0
    cdef Py_ssize_t k
    cdef int changed
    find_open(&cells)
    n_groups = number_groups(&cells)
    for number in range(1, n_groups + 1):
        fill_group(&cells, number, &group)
        if group.n > <int>MOST_CELLS:
            continue
        changed = _bestchange(forest, &cells, &group)
        for k in range(group.n_free):
            if changed >> k & 1:
                room.changed[n_changed] = group.free[k]
                n_changed += 1
    for k in range(n_changed):
        taken[room.changed[k]] ^= 1

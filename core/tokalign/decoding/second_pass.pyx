"""The second pass over the cells of a pair, which sees what the chains and the encoder say around.

The chains learned how far to trust an encoder from encoders of half of the corpora, which are weaker
than the one that ships; and neither knows how many partners a word already has. Boosted trees
(`lab.recipes.second_pass`) say how likely each likely cell is a link, given both, what rivals it has, the
cells around it, the links of its row and column, and tags. Other cells keep the mean of both chains.
Other trees then choose among decisions on groups of uncertain cells (tokalign.decoding.group_choice).
"""

from libc.math cimport exp, fabs, log
from libc.stdint cimport uint8_t

from tokalign.decoding.group_choice cimport N_GROUP_INPUTS, choose_groups
from tokalign.features.pair cimport PairState, Side

from tokalign.decoding.group_choice import GROUP_INPUTS
from tokalign.errors import ResourceError
from tokalign.files.tables import Table

INPUTS = (
    "s2t", "t2s", "mean",                        # log odds of posteriors
    "source NULL", "target NULL",                # log odds of having no partner
    "encoder s2t", "encoder t2s",                # log-probabilities
    "encoder s2t over NULL", "encoder t2s over NULL",
    "encoder source NULL", "encoder target NULL",
    "encoder s2t over rival", "encoder t2s over rival",
    "row's rival", "column's rival",             # the largest other mean
    "row's sum", "column's sum",                 # of means
    "mean at -1 -1", "mean at -1 0", "mean at -1 1", "mean at 0 -1",
    "mean at 0 1", "mean at 1 -1", "mean at 1 0", "mean at 1 1",
    "link",                                      # whether the mean is at least FIRST
    "row's links", "column's links",             # with its own
    "row's nearest", "column's nearest",         # tokens to the nearest other link
    "source tag", "target tag",                  # numbers of tags, NO_TAG without
    "tag before source", "tag after source", "tag before target", "tag after target",
    "row's nearest tag", "column's nearest tag",
    "source kind", "target kind",
)
"""What each input says of a cell."""

assert len(INPUTS) == <int>N_CELL_INPUTS

TABLE = "second-pass"
"""Name of the table that ships."""
GROUPS = "-groups"
"""Behind an encoder's name, the trees of groups."""

LEAST = 0.002
FIRST = 0.5
NO_LINK = 99.0
NO_TAG = -1.0
OUTSIDE = -0.5
SMALLEST = 1e-6
LOWEST = -30.0
cdef double _LEAST = LEAST            # posterior of a likely cell in one direction
cdef double _FIRST = FIRST            # mean from which the first pass counts as a link
cdef double _NO_LINK = NO_LINK
cdef double _NO_TAG = NO_TAG
cdef double _OUTSIDE = OUTSIDE        # what stands for the mean outside the sentences
cdef double _SMALLEST = SMALLEST      # probability below which log odds do not fall
cdef double _LOWEST = LOWEST          # log-probability of a rival where there is none

cdef struct Line:
    # What the row or column of a cell says of it.
    double total             # of means
    double rival             # largest mean of another cell
    double encoded           # largest log-probability of another cell, by the encoder
    double n_links
    double nearest           # tokens to the nearest other link; of two the one before
    double nearest_tag


cdef inline double _log_odds(double p) noexcept nogil:
    p = min(max(p, _SMALLEST), 1.0 - _SMALLEST)
    return log(p) - log(1.0 - p)


cdef inline double _tag(const Side *side, Py_ssize_t at) noexcept nogil:
    return side.word[at].tag if 0 <= at < side.n else _NO_TAG


cdef inline double _mean_at(const FirstPass *first, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    if 0 <= i < first.pair.source.n and 0 <= j < first.pair.target.n:
        return first.mean[i * first.pair.target.n + j]
    return _OUTSIDE


cdef Line _line(const FirstPass *first, Py_ssize_t i, Py_ssize_t j, bint is_row) noexcept nogil:
    cdef const Side *own = &first.pair.source if is_row else &first.pair.target
    cdef const Side *other = &first.pair.target if is_row else &first.pair.source
    cdef const float *encoded = own.encoded + (i if is_row else j) * (other.n + 1) + 1
    cdef Py_ssize_t at = j if is_row else i
    cdef Py_ssize_t k
    cdef double mean
    cdef Line line = Line(0.0, 0.0, _LOWEST, 0.0, _NO_LINK, _NO_TAG)
    for k in range(other.n):
        mean = first.mean[
            i * first.pair.target.n + k if is_row else k * first.pair.target.n + j
        ]
        line.total += mean
        line.n_links += mean >= _FIRST
        if k == at:
            continue
        line.rival = max(line.rival, mean)
        line.encoded = max(line.encoded, encoded[k])
        if mean >= _FIRST and fabs(<double>(k - at)) < fabs(line.nearest):
            line.nearest = k - at
            line.nearest_tag = _tag(other, k)
    return line


cdef bint is_likely(const FirstPass *first, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    """Whether the second pass decides on a cell; never on one that constraints exclude."""
    return (
        first.s2t_posterior[i * (first.pair.target.n + 1) + j + 1] >= _LEAST
        or first.t2s_posterior[j * (first.pair.source.n + 1) + i + 1] >= _LEAST
    )


cdef void cell_inputs(
    const FirstPass *first, Py_ssize_t i, Py_ssize_t j, float *inputs
) noexcept nogil:
    """Write the inputs of a cell, in the order of INPUTS."""
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
        mean >= _FIRST, row.n_links, column.n_links, row.nearest, column.nearest,
        _tag(source, i), _tag(target, j),
        _tag(source, i - 1), _tag(source, i + 1), _tag(target, j - 1), _tag(target, j + 1),
        row.nearest_tag, column.nearest_tag,
        source.kind[i], target.kind[j],
    ]
    cdef int k
    for k in range(<int>N_CELL_INPUTS):
        inputs[k] = <float>found[k]


cdef class SecondPass:
    """Decides on the cells of pairs that an encoder read, then on groups of them.

    Parameters
    ----------
    table : Table
        Of boosted trees.
    encoder : str
        Name of the encoder whose model they were learned for.

    Raises
    ------
    ResourceError
        If the table is damaged, of other inputs, or has no trees for the encoder.
    """

    def __init__(self, table, str encoder not None):
        wanted = {"inputs": INPUTS, "group_inputs": GROUP_INPUTS}
        if any(table.strings(name) != list(names) for name, names in wanted.items()):
            raise ResourceError(f"{table.path}: made for other inputs; rebuild it")
        self._cells = Forest(table, encoder, <int>N_CELL_INPUTS, 1)
        self._groups = Forest(table, f"{encoder}{GROUPS}", <int>N_GROUP_INPUTS, 1)

    @classmethod
    def open_shipped(cls, str encoder not None):
        """Return the second pass of an encoder's model that ships with the package."""
        return cls(Table.open_shipped(TABLE), encoder)

    cdef void revise(self, const FirstPass *first, double *revised) noexcept nogil:
        """Write how likely each cell is a link."""
        cdef float[<int>N_CELL_INPUTS] inputs
        cdef Py_ssize_t n_target = first.pair.target.n
        cdef Py_ssize_t i, j
        cdef double log_odds
        for i in range(first.pair.source.n):
            for j in range(n_target):
                if is_likely(first, i, j):
                    cell_inputs(first, i, j, inputs)
                    self._cells.score(inputs, &log_odds)
                    revised[i * n_target + j] = 1.0 / (1.0 + exp(-log_odds))
                else:
                    revised[i * n_target + j] = first.mean[i * n_target + j]

    cdef void choose(
        self, const double *revised, Py_ssize_t n_source, Py_ssize_t n_target, uint8_t *taken,
        GroupRoom *room,
    ) noexcept nogil:
        """Put the best decision on each group of uncertain cells in the place of the one cell by
        cell."""
        choose_groups(self._groups, revised, taken, n_source, n_target, room)

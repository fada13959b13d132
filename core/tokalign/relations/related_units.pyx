"""Relations of units: the inputs and the model.

A unit is some tokens of either sentence: a link, several links that share tokens, a phrase, or two
chunks. A word is *left* if the other side of the unit has no equal word: by form, lemma, stem,
value or spelling. Inputs from pairs of words (WordNet, vectors, scales, values) only use left
words. `lab.recipes.relations` trains the model.

It is made of forests: boosted trees, as Friedman (2001), Annals of Statistics 29(5), has them, sums
of small trees. The contribution of an input to a score is the change in the mean of the leaves
below, summed over the nodes that compare it (Saabas 2014, "Interpreting random forests").
Contributions and the base sum to the score.
"""

from libc.math cimport exp, fabs
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

import numpy as np

from tokalign.english.lexicon cimport lexical_tables as wordnet
from tokalign.english.values.kinds cimport *
from tokalign.features.pair cimport *
from tokalign.relations.clashes cimport LinkView, is_word

from tokalign.errors import ModelError, ResourceError, ShapeError, quoted
from tokalign.files.tables import Table
from tokalign.relations.chunker import N_BOUNDARY_INPUTS
from tokalign.types.relations import HIGHEST_SCORE
from tokalign.types.relations import RELATION_KINDS

cdef extern from "_trees.h" nogil:
    int _lowest "tokalign_lowest"(uint64_t bits) noexcept  # bits must not be 0
    void strike_out(
        const int32_t *input, const float *threshold, const uint32_t *left, int n_splits,
        const float *columns, uint32_t *leaves
    ) noexcept


def _names(prefix, inputs):
    names = [name.lower().replace("_", "-") for name in inputs.__members__]
    return [prefix + name for name in names if not name.startswith("n-")]


UNIT_INPUTS: tuple[str, ...] = (
    *_names("source-", SideInput), *_names("target-", SideInput), *_names("", PairInput)
)
assert len(UNIT_INPUTS) == <int>N_UNIT_INPUTS

cdef int OF_TARGET = <int>SideInput.N_SIDE_INPUTS
cdef int OF_BOTH = 2 * <int>SideInput.N_SIDE_INPUTS

cdef enum:
    ROWS_AT_ONCE = 4     # as _trees.h has it
    MOST_INPUTS = 512    # of trees
    MOST_LEAVES = 32     # of a tree: one for each bit
    N_LEXICAL = 11       # inputs from relations of two words in WordNet
    N_CONTRASTS = 5      # and from their contrast

cdef int[<int>N_COARSE] LEFT_OF = [
    <int>SideInput.LEFT_NOUNS, <int>SideInput.LEFT_NAMES, <int>SideInput.LEFT_VERBS,
    <int>SideInput.LEFT_ADJECTIVES, <int>SideInput.LEFT_ADVERBS, <int>SideInput.LEFT_PRONOUNS,
    <int>SideInput.LEFT_DETERMINERS, <int>SideInput.LEFT_PREPOSITIONS, -1,
    <int>SideInput.LEFT_NUMBERS, -1, -1,
]
"""The input that counts left words of each part of speech, in the order of COARSE_; -1 for none."""
cdef uint32_t[<int>N_LEXICAL] RELATION_OF = [
    wordnet.SYNONYM,
    wordnet.DERIVED | wordnet.PERTAINYM | wordnet.SIMILAR | wordnet.VERB_GROUP
    | wordnet.DERIVED_SYNONYM,
    wordnet.HYPERNYM, wordnet.HYPERNYM_WITHIN_3, wordnet.HYPONYM, wordnet.HYPONYM_WITHIN_3,
    wordnet.COHYPONYM, wordnet.ANTONYM,
    wordnet.PART_OF | wordnet.MEMBER_OF | wordnet.SUBSTANCE_OF,
    wordnet.HAS_PART | wordnet.HAS_MEMBER | wordnet.HAS_SUBSTANCE,
    wordnet.ENTAILING | wordnet.CAUSING,
]
"""The relations of each input from SYNONYM on."""
cdef uint8_t[<int>N_CONTRASTS] CONTRAST_OF = [
    CONTRAST_OPPOSITE, CONTRAST_HIGHER, CONTRAST_LOWER, CONTRAST_LEVEL, CONTRAST_NAMES,
]
"""The contrasts of each input from OPPOSITE on."""

cdef struct Tokens:
    # One side of a unit.
    const Side *side
    const int32_t *at
    int n
    bint is_source


cdef size_t room_bytes(Py_ssize_t n_source, Py_ssize_t n_target) noexcept nogil:
    """Return the bytes of scratch for the units of a pair."""
    return (
        n_source * n_target * sizeof(double)
        + (n_source + n_target) * (sizeof(double) + sizeof(int32_t))
    )


cdef void fill_room(
    UnitRoom *room, char *memory, const double *s2t_posterior, const double *t2s_posterior,
    Py_ssize_t n_source, Py_ssize_t n_target, double covered
) noexcept nogil:
    """Fill the data that all units of a pair share."""
    cdef Py_ssize_t i, j
    cdef double mean
    room.covered = covered
    room.mean = <double *>memory
    room.source_total = room.mean + n_source * n_target
    room.target_total = room.source_total + n_source
    room.source_unit = <int32_t *>(room.target_total + n_target)
    room.target_unit = room.source_unit + n_source
    memset(room.source_total, 0, (n_source + n_target) * sizeof(double))
    for i in range(n_source):
        for j in range(n_target):
            mean = (
                s2t_posterior[i * (n_target + 1) + j + 1]
                + t2s_posterior[j * (n_source + 1) + i + 1]
            ) / 2.0
            room.mean[i * n_target + j] = mean
            room.source_total[i] += mean
            room.target_total[j] += mean


cdef inline Py_ssize_t _cell(
    const PairState *pair, const Tokens *own, int k, const Tokens *other, int m
) noexcept nogil:
    if own.is_source:
        return own.at[k] * pair.target.n + other.at[m]
    return other.at[m] * pair.target.n + own.at[k]


cdef bint _is_left(
    const PairState *pair, const Tokens *own, int k, const Tokens *other
) noexcept nogil:
    cdef int m
    for m in range(other.n):
        if are_same(pair, _cell(pair, own, k, other, m)):
            return False
    return True


cdef bint _is_negated(const Side *side, const Tokens *tokens, int k) noexcept nogil:
    """Whether a word of the unit, or right above or below it in the tree, is a negation."""
    cdef int32_t at = tokens.at[k]
    cdef int32_t child
    if side.word[at].negates:
        return True
    if not side.has_tree:
        return at > 0 and side.word[at - 1].negates
    child = side.first_child[at]
    while child >= 0:
        if side.word[child].negates:
            return True
        child = side.next_sibling[child]
    return side.head[at] >= 0 and side.word[side.head[at]].negates


cdef inline double _weight(const Lexeme *word) noexcept nogil:
    """Return the weight of a word: small for function words, 0 for punctuation."""
    if word.kind == KIND_MARK:
        return 0.0
    return word.weight if word.kind == KIND_CONTENT else 0.1 * word.weight


cdef void _place_inputs(const Tokens *own, float *out) noexcept nogil:
    """Write the inputs from one side's first token and sentence, and those for no content words."""
    cdef const Side *side = own.side
    cdef const Lexeme *first = side.word[own.at[0]]
    out[<int>SideInput.TOKENS] = own.n
    out[<int>SideInput.SHARE_OF_SENTENCE] = <float>own.n / <float>side.n
    out[<int>SideInput.FIRST_IS_PREPOSITION] = first.coarse == COARSE_ADPOSITION
    out[<int>SideInput.FIRST_TAG] = first.tag
    out[<int>SideInput.START] = side.relative[own.at[0]]
    out[<int>SideInput.SENTENCE_TOKENS] = side.n
    out[<int>SideInput.LEAST_STRENGTH] = 1.0
    out[<int>SideInput.LAST_TAG] = -1.0
    out[<int>SideInput.HAS_STOP] = is_word(side, side.n - 1, b".")


cdef void _side_inputs(
    const PairState *pair, const UnitRoom *room, const Tokens *own, const Tokens *other, float *out
) noexcept nogil:
    """Write the inputs from one side; `out` is all zeros."""
    cdef const Lexeme *word
    cdef const double *total = room.source_total if own.is_source else room.target_total
    cdef double inside, weight, whole = 0.0
    cdef float strength
    cdef Py_ssize_t cell
    cdef int k, m
    cdef bint left
    _place_inputs(own, out)
    for k in range(own.n):
        word = own.side.word[own.at[k]]
        weight = _weight(word)
        inside = 0.0
        strength = 0.0
        left = True
        for m in range(other.n):
            cell = _cell(pair, own, k, other, m)
            inside += room.mean[cell]
            strength = max(strength, pair.strength[cell])
            left = left and not are_same(pair, cell)
        whole += weight
        out[<int>SideInput.INSIDE] += <float>(weight * min(inside, 1.0))
        out[<int>SideInput.OUTSIDE] += <float>(
            weight * min(max(total[own.at[k]] - inside, 0.0), 1.0)
        )
        out[<int>SideInput.SAME] += <float>(weight * (not left))
        out[<int>SideInput.STRENGTH] += <float>(weight * strength)
        out[<int>SideInput.NEGATIONS] += _is_negated(own.side, own, k)
        out[<int>SideInput.NAMES] += word.coarse == COARSE_NAME
        out[<int>SideInput.NUMBERS] += word.coarse == COARSE_NUMBER
        out[<int>SideInput.VERBS] += word.coarse == COARSE_VERB
        if word.kind == KIND_CONTENT:
            out[<int>SideInput.CONTENT_WORDS] += 1.0
            out[<int>SideInput.LEAST_STRENGTH] = min(out[<int>SideInput.LEAST_STRENGTH], strength)
            out[<int>SideInput.LAST_IS_LEFT] = left
            out[<int>SideInput.LAST_TAG] = word.tag
            out[<int>SideInput.LAST_WEIGHT] = <float>weight
        out[<int>SideInput.SHARED_WORDS] += not left
        out[<int>SideInput.LONE_WORDS] += not is_matched(own.side, own.at[k])
        if left:
            out[<int>SideInput.LEFT_WEIGHT] += <float>weight
            out[<int>SideInput.HEAVIEST_LEFT] = max(
                out[<int>SideInput.HEAVIEST_LEFT], <float>weight
            )
            out[<int>SideInput.LEFT_BEST] = max(
                out[<int>SideInput.LEFT_BEST], own.side.best[own.at[k]]
            )
            if LEFT_OF[word.coarse] >= 0:
                out[LEFT_OF[word.coarse]] += 1.0
    out[<int>SideInput.WEIGHT] = <float>whole
    if whole > 0.0:
        out[<int>SideInput.INSIDE] /= whole
        out[<int>SideInput.OUTSIDE] /= whole
        out[<int>SideInput.SAME] /= whole
        out[<int>SideInput.STRENGTH] /= whole


cdef inline void _raise(float *out, int place, bint holds) noexcept nogil:
    if holds:
        out[place] = 1.0


cdef void _compare_left(
    const PairState *pair, const Tokens *source, const Tokens *target, float *out
) noexcept nogil:
    """Write the inputs from relations of left words."""
    cdef Py_ssize_t cell
    cdef int k, m, kind, n_left = 0
    cdef float best, cosines = 0.0
    for k in range(source.n):
        if not _is_left(pair, source, k, target):
            continue
        best = 0.0
        for m in range(target.n):
            cell = _cell(pair, source, k, target, m)
            if not _is_left(pair, target, m, source):
                continue
            for kind in range(<int>N_LEXICAL):
                _raise(out, <int>PairInput.SYNONYM + kind, pair.relations[cell] & RELATION_OF[kind])
            for kind in range(<int>N_CONTRASTS):
                _raise(out, <int>PairInput.OPPOSITE + kind, pair.contrast[cell] & CONTRAST_OF[kind])
            best = max(best, pair.cosine[cell])
        if source.side.word[source.at[k]].kind == KIND_CONTENT:
            n_left += 1
            cosines += best
            out[<int>PairInput.BEST_COSINE] = max(out[<int>PairInput.BEST_COSINE], best)
    if n_left:
        out[<int>PairInput.MEAN_COSINE] = cosines / n_left


cdef int _last_content(const Tokens *tokens) noexcept nogil:
    cdef int k
    for k in range(tokens.n - 1, -1, -1):
        if tokens.side.word[tokens.at[k]].kind == KIND_CONTENT:
            return k
    return -1


cdef void _compare_ends(
    const PairState *pair, const Tokens *source, const Tokens *target, float *out
) noexcept nogil:
    """Write the inputs from first tokens and last content words."""
    cdef int k = _last_content(source)
    cdef int m = _last_content(target)
    cdef const Lexeme *first = source.side.word[source.at[0]]
    cdef const Lexeme *other = target.side.word[target.at[0]]
    cdef Py_ssize_t cell
    cdef bint is_same = first.lower_form == other.lower_form
    out[<int>PairInput.SAME_FIRST] = is_same
    out[<int>PairInput.UNLIKE_PREPOSITIONS] = (
        not is_same and first.coarse == COARSE_ADPOSITION and other.coarse == COARSE_ADPOSITION
    )
    if k < 0 or m < 0:
        return
    cell = _cell(pair, source, k, target, m)
    out[<int>PairInput.LAST_STRENGTH] = pair.strength[cell]
    out[<int>PairInput.LAST_COSINE] = pair.cosine[cell]
    out[<int>PairInput.LAST_HAVE_ONE_TAG] = (
        source.side.word[source.at[k]].tag == target.side.word[target.at[m]].tag
    )
    out[<int>PairInput.LAST_HYPERNYM] = (
        pair.relations[cell] & (wordnet.HYPERNYM | wordnet.HYPERNYM_WITHIN_3) != 0
    )
    out[<int>PairInput.LAST_HYPONYM] = (
        pair.relations[cell] & (wordnet.HYPONYM | wordnet.HYPONYM_WITHIN_3) != 0
    )
    out[<int>PairInput.LAST_COHYPONYM] = pair.relations[cell] & wordnet.COHYPONYM != 0


cdef void _compare_cells(
    const PairState *pair, const UnitRoom *room, const Tokens *source, const Tokens *target,
    float *out
) noexcept nogil:
    """Write the inputs from all pairs of words of both sides."""
    cdef Py_ssize_t cell
    cdef int k, m
    cdef uint8_t agreement
    for k in range(source.n):
        for m in range(target.n):
            cell = _cell(pair, source, k, target, m)
            out[<int>PairInput.POSTERIOR] = max(
                out[<int>PairInput.POSTERIOR], <float>room.mean[cell]
            )
            agreement = pair.agreement[cell]
            _raise(out, <int>PairInput.OTHER_VALUE, agreement == RELATION_DIFFERENT)
            _raise(out, <int>PairInput.SAME_VALUE, agreement == RELATION_SAME_VALUE)
            _raise(
                out, <int>PairInput.PART_OF_VALUE,
                RELATION_SAME_UNIT <= agreement < RELATION_SAME_VALUE,
            )
            _raise(
                out, <int>PairInput.SAME_BY_RULE,
                pair.acronym[cell] or 0 < pair.rule[cell] <= 1 + RULE_INITIALS,
            )


cdef bint _are_identical(const Tokens *source, const Tokens *target) noexcept nogil:
    cdef int k
    if source.n != target.n:
        return False
    for k in range(source.n):
        if source.side.word[source.at[k]].lower_form != target.side.word[target.at[k]].lower_form:
            return False
    return True


cdef void unit_inputs(
    const PairState *pair, const UnitRoom *room, const int32_t *source, int n_source,
    const int32_t *target, int n_target, float *out
) noexcept nogil:
    """Write the inputs of a unit of a prepared pair, in the order of UNIT_INPUTS.

    Tokens are in rising order, at least one on each side.
    """
    cdef Tokens of_source, of_target
    cdef float *both = out + OF_BOTH
    memset(out, 0, <int>N_UNIT_INPUTS * sizeof(float))
    of_source.side, of_source.at, of_source.n = &pair.source, source, n_source
    of_target.side, of_target.at, of_target.n = &pair.target, target, n_target
    of_source.is_source, of_target.is_source = True, False
    _side_inputs(pair, room, &of_source, &of_target, out)
    _side_inputs(pair, room, &of_target, &of_source, out + OF_TARGET)
    both[<int>PairInput.IS_IDENTICAL] = _are_identical(&of_source, &of_target)
    both[<int>PairInput.COVERED] = <float>room.covered
    both[<int>PairInput.DISTANCE] = <float>fabs(
        (source[0] + source[n_source - 1]) / (2.0 * pair.source.n)
        - (target[0] + target[n_target - 1]) / (2.0 * pair.target.n)
    )
    both[<int>PairInput.LEFT_NEIGHBOURS] = strength_at(pair, source[0] - 1, target[0] - 1)
    both[<int>PairInput.RIGHT_NEIGHBOURS] = strength_at(
        pair, source[n_source - 1] + 1, target[n_target - 1] + 1
    )
    _compare_cells(pair, room, &of_source, &of_target, both)
    _compare_left(pair, &of_source, &of_target, both)
    _compare_ends(pair, &of_source, &of_target, both)


cdef class Forest:
    """Trees that score a row of inputs, read from a table.

    `table`: with the arrays NAME_root, NAME_input, NAME_threshold, NAME_left, NAME_value,
    NAME_base. `n_inputs`, `n_outputs`: tree k adds to output k modulo n_outputs. ResourceError is
    raised if the table lacks an array, or a tree has a branch out of range or a cycle.
    """

    def __init__(self, table: Table, str name, int n_inputs, int n_outputs) -> None:
        if n_inputs > MOST_INPUTS:
            raise ValueError(f"{n_inputs} inputs of trees; wanted {MOST_INPUTS} at most")
        self.n_inputs = n_inputs
        self.n_outputs = n_outputs
        inputs = table.array(f"{name}_input", np.int16, (None,))
        n_nodes = len(inputs)
        root = table.array(f"{name}_root", np.int32, (None,))
        left = table.array(f"{name}_left", np.int32, (n_nodes,))
        threshold = table.array(f"{name}_threshold", np.float32, (n_nodes,))
        value = table.array(f"{name}_value", np.float32, (n_nodes,))
        base = table.array(f"{name}_base", np.float32, (n_outputs,))
        inner = inputs >= 0
        # A branch follows its node, so that there are no cycles.
        behind = left[inner] > np.flatnonzero(inner)
        if (
            not n_nodes or not len(root) or len(root) % n_outputs
            or root.min() < 0 or root.max() >= n_nodes
            or inputs.min() < -1 or inputs.max() >= n_inputs
            or not behind.all() or (inner.any() and left[inner].max() + 1 >= n_nodes)
            or not (np.isfinite(threshold).all() and np.isfinite(value).all())
            or not np.isfinite(base).all()
        ):
            raise ResourceError(f"{table.path}: the trees of {name!r} lead nowhere or in a circle")
        self._root, self._base = root, base
        self._input, self._left, self._threshold, self._value = inputs, left, threshold, value
        if not self._split_trees():
            raise ResourceError(f"{table.path}: a tree of {name!r} has over {MOST_LEAVES} leaves")

    cdef bint _split_trees(self) except -1:
        """Fill the splits and the leaves of the trees; return whether none has too many."""
        cdef Py_ssize_t n_trees = self._root.shape[0]
        cdef Py_ssize_t k
        cdef int n_splits = 0
        self._first = np.empty(n_trees + 1, np.int32)
        self._split_input = np.empty(n_trees * MOST_LEAVES, np.int32)
        self._split_threshold = np.empty(n_trees * MOST_LEAVES, np.float32)
        self._split_left = np.empty(n_trees * MOST_LEAVES, np.uint32)
        self._leaf = np.empty(n_trees * MOST_LEAVES, np.float32)
        for k in range(n_trees):
            self._first[k] = n_splits
            if self._split_tree(k, self._root[k], 0, &n_splits) < 0:
                return False
        self._first[n_trees] = n_splits
        return True

    cdef int _split_tree(
        self, Py_ssize_t tree, Py_ssize_t node, int n_leaves, int *n_splits
    ) noexcept nogil:
        """Add the splits and leaves at and below a node; return the tree's leaves so far, with those
        `n_leaves` to the left of the node, or -1 if there are too many."""
        cdef int n_left
        cdef int split = n_splits[0]
        if self._input[node] < 0:
            self._leaf[self._first[tree] + tree + n_leaves] = self._value[node]
            return n_leaves + 1
        if split == self._first[tree] + MOST_LEAVES - 1:
            return -1
        n_splits[0] += 1
        self._split_input[split] = self._input[node]
        self._split_threshold[split] = self._threshold[node]
        n_left = self._split_tree(tree, self._left[node], n_leaves, n_splits)
        if n_left < 0:
            return -1
        self._split_left[split] = <uint32_t>((<uint64_t>1 << n_left) - (<uint64_t>1 << n_leaves))
        return self._split_tree(tree, self._left[node] + 1, n_left, n_splits)

    cdef void score(self, const float *rows, Py_ssize_t n_rows, double *out) noexcept nogil:
        """Write the scores of a few rows, at most ROWS_AT_ONCE, [n_rows, n_outputs].

        A split whose right branch is taken strikes out the leaves of its left one; what is reached
        is the first leaf that no split strikes out (Lucchese et al. 2015, SIGIR: QuickScorer).
        """
        cdef float[<int>MOST_INPUTS * <int>ROWS_AT_ONCE] column
        cdef uint32_t[<int>ROWS_AT_ONCE] leaves
        cdef const float *leaf
        cdef Py_ssize_t k, row
        cdef int32_t first
        cdef int output = 0
        if n_rows < ROWS_AT_ONCE:
            memset(column, 0, self.n_inputs * ROWS_AT_ONCE * sizeof(float))
        for row in range(n_rows):
            for k in range(self.n_inputs):
                column[k * ROWS_AT_ONCE + row] = rows[row * self.n_inputs + k]
        for k in range(n_rows * self.n_outputs):
            out[k] = self._base[k % self.n_outputs]
        for k in range(self._root.shape[0]):
            first = self._first[k]
            memset(leaves, 0xff, sizeof(leaves))
            strike_out(
                &self._split_input[first], &self._split_threshold[first], &self._split_left[first],
                self._first[k + 1] - first, column, leaves,
            )
            leaf = &self._leaf[first + k]
            for row in range(n_rows):
                out[row * self.n_outputs + output] += leaf[_lowest(leaves[row])]
            output += 1
            if output == self.n_outputs:
                output = 0

    def _check(self, Py_ssize_t n_columns):
        if n_columns != self.n_inputs:
            raise ShapeError(f"rows have {n_columns} inputs; wanted {self.n_inputs}")

    def scores(self, const float[:, ::1] rows) -> NDArray[np.float64]:
        """Return the scores of rows, float32 [n_rows, n_inputs], as float64 [n_rows, n_outputs]; raise
        ShapeError if they have another number of inputs."""
        self._check(rows.shape[1])
        found = np.empty((rows.shape[0], self.n_outputs))
        cdef double[:, ::1] scores = found
        cdef Py_ssize_t n_rows = rows.shape[0]
        cdef Py_ssize_t block, k
        for block in range((n_rows + ROWS_AT_ONCE - 1) // ROWS_AT_ONCE):
            k = block * ROWS_AT_ONCE
            self.score(&rows[k, 0], min(n_rows - k, <Py_ssize_t>ROWS_AT_ONCE), &scores[k, 0])
        return found

    def contributions(self, const float[::1] row, int output) -> NDArray[np.float64]:
        """Return what each input of a row, float32 [n_inputs], and last the base adds to its score."""
        self._check(row.shape[0])
        found = np.zeros(self.n_inputs + 1)
        cdef double[::1] each = found
        cdef Py_ssize_t k, node, branch
        each[self.n_inputs] = self._base[output]
        for k in range(output, self._root.shape[0], self.n_outputs):
            node = self._root[k]
            each[self.n_inputs] += self._value[node]
            while self._input[node] >= 0:
                branch = self._left[node] + (row[self._input[node]] > self._threshold[node])
                each[self._input[node]] += <double>self._value[branch] - self._value[node]
                node = branch
        return found


cdef void _softmax(const double *scores, float *out) noexcept nogil:
    cdef double most = scores[0]
    cdef double total = 0.0
    cdef double[<int>N_RELATIONS] each
    cdef int k
    for k in range(1, N_RELATIONS):
        most = max(most, scores[k])
    for k in range(N_RELATIONS):
        each[k] = exp(scores[k] - most)
        total += each[k]
    for k in range(N_RELATIONS):
        out[k] = <float>(each[k] / total)


cdef class RelationModel:
    """Predicts the relation of a unit's two sides, whether they are aligned, how similar they are,
    and where chunks begin.

    ModelError is raised if the table has other kinds of relations; ResourceError, if the table is
    damaged, or made for other inputs.
    """

    def __init__(self, table: Table) -> None:
        cdef Py_ssize_t n_kinds = N_RELATIONS
        kinds = table.header["meta"].get("kinds")
        if kinds != list(RELATION_KINDS) or len(RELATION_KINDS) != n_kinds:
            raise ModelError(
                f"{table.path}: made for the kinds of relations {quoted(kinds)}; wanted "
                f"{', '.join(RELATION_KINDS)}, and {n_kinds} in the compiled kernels; "
                "CONTRIBUTING.md says what to change for another kind"
            )
        if table.strings("inputs") != list(UNIT_INPUTS):
            raise ResourceError(f"{table.path}: made for other inputs; rebuild it")
        n_inputs = len(UNIT_INPUTS)
        self.kinds = Forest(table, "kinds", n_inputs, N_RELATIONS)
        self.linked = Forest(table, "linked", n_inputs, 1)
        self.score = Forest(table, "score", n_inputs, 1)
        self.boundary = Forest(table, "boundary", N_BOUNDARY_INPUTS, 1)
        for k, probability in enumerate(table.array("identical", np.float32, (N_RELATIONS,))):
            self.identical[k] = probability

    @classmethod
    def open_shipped(cls, name: str = "relations") -> Self:
        """Return the shipped model of this name."""
        return cls(Table.open_shipped(name))

    cdef void relate(self, const float *inputs, float *out) noexcept nogil:
        """Write the probability of each kind, [N_RELATIONS]."""
        cdef double[<int>N_RELATIONS] scores
        self.kinds.score(inputs, 1, scores)
        _softmax(scores, out)

    def probabilities(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the probabilities of the kinds of relations.

        `rows` (float32 array, shape (n_units, n_inputs)).

        The result is a float32 array, shape (n_units, n_kinds), in the order of RelationKind; rows
        sum to one.
        """
        scores = self.kinds.scores(rows)
        found = np.empty(scores.shape, dtype=np.float32)
        cdef const double[:, ::1] score = scores
        cdef float[:, ::1] out = found
        cdef Py_ssize_t k
        for k in range(score.shape[0]):
            _softmax(&score[k, 0], &out[k, 0])
        return found

    def linked_probabilities(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the probability that both sides of each unit are aligned, shape (n_units,)."""
        return 1.0 / (1.0 + np.exp(-self.linked.scores(rows)[:, 0]))

    def scores(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the similarity of the two sides of each unit, in [0, 5], shape (n_units,)."""
        return self.score.scores(rows)[:, 0].clip(0.0, HIGHEST_SCORE)


cdef void _collect(
    const LinkView *links, Py_ssize_t first, const PairState *pair, const UnitRoom *room,
    int *n_source, int *n_target,
) noexcept nogil:
    """Write the tokens of a link's unit, in rising order."""
    cdef Py_ssize_t k
    cdef bint grows = True
    for k in range(pair.source.n):
        room.source_unit[k] = 0
    for k in range(pair.target.n):
        room.target_unit[k] = 0
    room.source_unit[links.source[first]] = 1
    while grows:
        grows = False
        for k in range(links.n):
            if room.source_unit[links.source[k]] != room.target_unit[links.target[k]]:
                room.source_unit[links.source[k]] = room.target_unit[links.target[k]] = 1
                grows = True
    n_source[0] = n_target[0] = 0
    for k in range(pair.source.n):
        if room.source_unit[k]:
            room.source_unit[n_source[0]] = <int32_t>k
            n_source[0] += 1
    for k in range(pair.target.n):
        if room.target_unit[k]:
            room.target_unit[n_target[0]] = <int32_t>k
            n_target[0] += 1


cdef bint _is_plain(const PairState *pair, const LinkView *links, Py_ssize_t number) noexcept nogil:
    """Whether a link joins words with equal form or lemma, and shares no token with another."""
    cdef Py_ssize_t cell = links.source[number] * pair.target.n + links.target[number]
    cdef Py_ssize_t k
    if pair.lexical_class[cell] > CLASS_LEMMA or pair.agreement[cell] == RELATION_DIFFERENT:
        return False
    for k in range(links.n):
        if k != number and (
            links.source[k] == links.source[number] or links.target[k] == links.target[number]
        ):
            return False
    return True


cdef Py_ssize_t _first_of_unit(
    const LinkView *links, Py_ssize_t number, const UnitRoom *room
) noexcept nogil:
    """Return the first link of the unit collected for a link."""
    cdef Py_ssize_t k
    for k in range(number + 1):
        if links.source[k] == room.source_unit[0]:
            return k
    return number


cdef void relate_links(
    const PairState *pair, const UnitRoom *room, RelationModel model, const LinkView *links,
    float *probabilities,
) noexcept nogil:
    """Write the probability of each kind of relation of every link, [links.n, N_RELATIONS]."""
    cdef float[<int>N_UNIT_INPUTS] inputs
    cdef Py_ssize_t k, first
    cdef int n_source, n_target
    for k in range(links.n):
        if _is_plain(pair, links, k):
            memcpy(probabilities + k * N_RELATIONS, model.identical, sizeof(model.identical))
            continue
        _collect(links, k, pair, room, &n_source, &n_target)
        first = _first_of_unit(links, k, room)
        if first < k:  # the unit has been seen
            memcpy(
                probabilities + k * N_RELATIONS, probabilities + first * N_RELATIONS,
                sizeof(model.identical),
            )
            continue
        unit_inputs(pair, room, room.source_unit, n_source, room.target_unit, n_target, inputs)
        model.relate(inputs, probabilities + k * N_RELATIONS)

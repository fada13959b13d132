"""The words of two sentences, the tokens that they keep, and the inputs of the trees that cut the
rest into edits.

Kept tokens are the best matching of equal words in the same order. For sentences of n and m tokens,
with w the worth of keeping a pair of tokens:

    kept[i, j] = w(i, j) + max(best[i - 1, j - 1], kept[i - 1, j - 1] + RUN)
    best[i, j] = max(kept[i, j], best[i - 1, j], best[i, j - 1])

kept[i, j] is the best sum over the first i and j tokens if the last pair is kept, and best[i, j]
the best sum. w = 1 and RUN = 0 give longest common subsequences (Wagner and Fischer 1974). O(n * m)
time and bytes.

Between them lie segments, candidates for edits; `SEGMENT_INPUTS` names the trees' inputs for each.
A word is linked as far as the confidences of its links inside the segment sum to one.
tests/reference/edits.py computes the same word by word.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint8_t

from typing import NamedTuple

import numpy as np

from tokalign.english.lexicon.word_lists import KNOWN, LONGEST, function_words
from tokalign.errors import ShapeError

cdef enum:
    OF_PUNCTUATION = 0
    OF_COMMA = 12
    NO_KIND = -1
    NO_GAP = 99
    N_INPUTS = 42

PUNCTUATION, COMMA = OF_PUNCTUATION, OF_COMMA
_CONJUNCTION, _OTHER = 13, 14
_KINDS = {"N": 1, "V": 2, "M": 2, "J": 3, "R": 4, "C": 5, "D": 6, "I": 7, "P": 8, "W": 9, "T": 10}
_KINDS["E"] = 11
"""Kinds of words, by the first letter of the Penn tag."""
_STOPS = frozenset((".", "!", "?"))


class SideWords(NamedTuple):
    """The words of one sentence: PUNCTUATION, COMMA, or a kind of word; the inverse document
    frequency of the lemma, in [0, 1], 0 of function words and punctuation; and a number that is
    equal for equal lemmas, on either side."""

    kinds: object
    weights: object
    lemmas: object


cdef class WordFacts:
    """Gives the kind and the weight of a word, and caches them.

    `idf` returns the inverse document frequency of a lemma, in [0, 1].
    """

    cdef dict _known
    cdef object _idf
    cdef object _functions

    def __init__(self, idf):
        self._idf = idf
        self._functions = frozenset(function_words())
        self._known = {}

    cdef tuple of(self, str token, str tag, str lemma):
        """Return the kind and the weight of a word, of its token, tag and lemma."""
        if len(token) > LONGEST:
            return self._find(token, tag, lemma)
        key = token, tag, lemma
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= KNOWN:
                self._known.clear()
            found = self._known[key] = self._find(token, tag, lemma)
        return <tuple>found

    cdef tuple _find(self, str token, str tag, str lemma):
        kind = _kind_of(token, tag)
        if kind in (PUNCTUATION, COMMA) or token.lower() in self._functions:
            return kind, 0.0
        return kind, self._idf(lemma.lower())


cdef _kind_of(str token, str tag):
    if not any(map(str.isalnum, token)):
        return COMMA if token == "," else PUNCTUATION
    return _CONJUNCTION if tag == "CC" else _KINDS.get(tag[:1], _OTHER)


def sides_of(source, target, WordFacts facts not None):
    """Return the words of both sentences; without tags every word counts as a noun."""
    numbers = {}
    return _side(source, facts, numbers), _side(target, facts, numbers)


cdef _side(sentence, WordFacts facts, dict numbers):
    cdef tuple tokens = sentence.tokens
    cdef tuple tags = tags_of(sentence)
    cdef tuple lemmas = sentence.lemmas or tokens
    cdef Py_ssize_t n = len(tokens)
    cdef Py_ssize_t k
    kinds, weights = np.empty(n, np.int32), np.empty(n, np.float32)
    cdef int32_t[::1] kind = kinds
    cdef float[::1] weight = weights
    for k in range(n):
        kind[k], weight[k] = facts.of(tokens[k], tags[k], lemmas[k])
    lower = tuple([(<str>lemma).lower() for lemma in lemmas])
    return SideWords(kinds, weights, numbers_of(lower, numbers))


def tags_of(sentence):
    """Return the tags; without any, nouns."""
    return sentence.tags or ("NN",) * len(sentence.tokens)


def numbers_of(tuple tokens, dict numbers):
    """Return an int32 number of each token, equal for equal ones; `numbers` holds those so far."""
    found = np.empty(len(tokens), np.int32)
    cdef int32_t[::1] number = found
    cdef Py_ssize_t k
    for k in range(len(tokens)):
        number[k] = numbers.setdefault(tokens[k], len(numbers))
    return found


def same_words(source, target):
    """Return 1 where two tokens are the same word, uint8 of shape (n_source, n_target).

    Tokens are the same if they are identical, or if they differ only in case and exactly one of
    them begins a sentence.
    """
    numbers = {}
    cdef int32_t[::1] rows = numbers_of(source.tokens, numbers)
    cdef int32_t[::1] columns = numbers_of(target.tokens, numbers)
    found = np.empty((rows.shape[0], columns.shape[0]), np.uint8)
    cdef uint8_t[:, ::1] same = found
    cdef Py_ssize_t i, j
    for i in range(rows.shape[0]):
        for j in range(columns.shape[0]):
            same[i, j] = rows[i] == columns[j]
    begins = _begins(source.tokens), _begins(target.tokens)
    for i in begins[0]:
        for j in _in_other_case(source.tokens[i], target.tokens):
            same[i, j] |= j not in begins[1]
    for j in begins[1]:
        for i in _in_other_case(target.tokens[j], source.tokens):
            same[i, j] |= i not in begins[0]
    return found


cdef list _begins(tuple tokens):
    """Return the tokens that begin a sentence."""
    cdef Py_ssize_t k
    return [0] + [k + 1 for k in range(len(tokens) - 1) if tokens[k] in _STOPS]


cdef list _in_other_case(str word, tuple tokens):
    """Return the tokens equal to a word, ignoring case, but not the word itself."""
    cdef str lower = word.lower()
    cdef str token
    cdef Py_ssize_t k
    if lower == word == word[:1].upper() + word[1:]:
        return []
    found = []
    for k in range(len(tokens)):
        token = tokens[k]
        if token != word and token.lower() == lower:
            found.append(k)
    return found


def link_matrix(links, Py_ssize_t n_source, Py_ssize_t n_target):
    """Return the confidence of every link, 0 without a link; float32 of shape (n_source, n_target)."""
    found = np.zeros((n_source, n_target), np.float32)
    cdef float[:, ::1] cells = found
    cdef Py_ssize_t i, j
    for (i, j), confidence in links.items():
        if not (0 <= i < n_source and 0 <= j < n_target):
            raise IndexError(f"a link of tokens {i}, {j}; wanted below {n_source}, {n_target}")
        cells[i, j] = confidence
    return found


RUN = 0.5
"""Gain of a pair if the pair of tokens before it is kept as well."""
LINKED = 1.0
"""Gain of a linked pair, per unit of the link's confidence."""

cdef double RUN_GAIN = RUN
cdef double LINK_GAIN = LINKED

cdef enum:
    UP = 0       # the source token is not kept
    LEFT = 1     # the target token is not
    KEEP = 2     # both are, as a pair
    FOLLOWS = 4  # if the pair is kept, so is the one before


cdef void _fill_choices(
    const uint8_t[:, ::1] same, const double[::1] worth, const float[:, ::1] links,
    double *best, double *kept, uint8_t *choice,
) noexcept nogil:
    """Fill the choices [n_source, n_target]; best and kept hold a row each, [n_target + 1]."""
    cdef Py_ssize_t n_source = same.shape[0]
    cdef Py_ssize_t n_target = same.shape[1]
    cdef Py_ssize_t i, j
    cdef double up_left, kept_up_left, up, most, value
    cdef uint8_t chosen
    for j in range(n_target + 1):
        best[j] = 0.0
        kept[j] = -INFINITY
    for i in range(n_source):
        up_left = 0.0
        kept_up_left = -INFINITY
        for j in range(n_target):
            up = best[j + 1]
            chosen = UP if up >= best[j] else LEFT
            most = max(up, best[j])
            value = -INFINITY
            if same[i, j]:
                value = worth[i] + LINK_GAIN * links[i, j]
                if kept_up_left + RUN_GAIN >= up_left:
                    value += kept_up_left + RUN_GAIN
                    chosen |= FOLLOWS
                else:
                    value += up_left
                if value >= most:
                    most = value
                    chosen = (chosen & FOLLOWS) | KEEP
            choice[i * n_target + j] = chosen
            up_left = up
            kept_up_left = kept[j + 1]
            best[j + 1] = most
            kept[j + 1] = value


cdef void _trace_kept(
    const uint8_t *choice, Py_ssize_t n_source, Py_ssize_t n_target, int32_t *partner
) noexcept nogil:
    """Write the target token that each source token is kept as; others stay as they are."""
    cdef Py_ssize_t i = n_source - 1
    cdef Py_ssize_t j = n_target - 1
    cdef bint follows = False
    cdef uint8_t chosen
    while i >= 0 and j >= 0:
        chosen = choice[i * n_target + j]
        if follows or chosen & KEEP:
            partner[i] = <int32_t>j
            follows = chosen & FOLLOWS
            i -= 1
            j -= 1
        elif chosen & LEFT:
            j -= 1
        else:
            i -= 1


def kept_tokens(
    const uint8_t[:, ::1] same, const double[::1] worth, const float[:, ::1] links
):
    """Return the target token that each source token is kept as.

    `same` [n_source, n_target]: 1 where two tokens are the same word, else 0. `worth` [n_source]: of
    keeping each source token, above 0. `links` [n_source, n_target]: confidence of each link, 0
    without a link.

    The result is an int32 array, shape (n_source,), with -1 where the token is not kept; the others
    rise. Ties go to a matching that keeps later tokens. ShapeError is raised if the shapes
    disagree.
    """
    cdef Py_ssize_t n_source = same.shape[0]
    cdef Py_ssize_t n_target = same.shape[1]
    if (
        worth.shape[0] != n_source
        or links.shape[0] != n_source or links.shape[1] != n_target
    ):
        raise ShapeError("worth and links do not have the shape of the pair")
    found = np.full(n_source, -1, np.int32)
    cdef int32_t[::1] partner = found
    if not n_source or not n_target:
        return found
    cdef double[:, ::1] rows = np.empty((2, n_target + 1))
    cdef uint8_t[::1] choice = np.empty(n_source * n_target, np.uint8)
    with nogil:
        _fill_choices(same, worth, links, &rows[0, 0], &rows[1, 0], &choice[0])
        _trace_kept(&choice[0], n_source, n_target, &partner[0])
    return found


SEGMENT_INPUTS = (
    "n-source", "n-target", "n-least", "n-difference", "n-joined",
    "source-before", "target-before", "source-after", "target-after",
    "first-source", "first-target", "last-source", "last-target",
    "kept", "kept-weight", "kept-punctuation", "source-weight", "target-weight",
    "link-sum", "link-most", "source-linked", "target-linked",
    "source-weight-linked", "target-weight-linked", "n-links", "same-lemmas",
    "same-first-kind", "same-last-kind", "source-linked-anywhere", "target-linked-anywhere",
    "source-first-kind", "source-last-kind", "target-first-kind", "target-last-kind",
    "kind-before-source", "kind-after-source", "kind-before-target", "kind-after-target",
    "n-blocks", "changed-share", "gap-before", "gap-after",
)

cdef float LITTLE = 0.01    # keeps shares of no weight finite

assert len(SEGMENT_INPUTS) == N_INPUTS


cdef struct WordArrays:
    const int32_t *kind      # [n]
    const float *weight      # [n]
    const int32_t *lemma     # [n]
    const float *linked      # [n] sum of the confidences of all links, at most 1
    Py_ssize_t n


cdef struct TokenRun:
    Py_ssize_t start
    Py_ssize_t end
    float weight             # sum
    float linked             # mean of the words' links inside the segment
    float weight_linked      # the same, weighted
    float anywhere           # weighted, of all links


cdef void _weigh(const WordArrays *words, TokenRun *run, const float *linked) noexcept nogil:
    """Sum up a run; `linked` holds its words' links inside the segment, or is NULL."""
    cdef Py_ssize_t k
    cdef float share
    run.weight = run.linked = run.weight_linked = run.anywhere = 0.0
    for k in range(run.start, run.end):
        run.weight += words.weight[k]
        run.anywhere += words.linked[k] * words.weight[k]
        if linked != NULL:
            share = min(linked[k], <float>1.0)
            run.linked += share
            run.weight_linked += share * words.weight[k]
    run.anywhere /= run.weight + LITTLE
    run.weight_linked /= run.weight + LITTLE
    if run.end > run.start:
        run.linked /= run.end - run.start


cdef int _same_lemmas(
    const WordArrays *source, const TokenRun *rows, const WordArrays *target, const TokenRun *columns
) noexcept nogil:
    """Return the number of distinct lemmas that both runs hold."""
    cdef Py_ssize_t i, j
    cdef int found = 0
    for i in range(rows.start, rows.end):
        j = rows.start
        while source.lemma[j] != source.lemma[i]:
            j += 1
        if j < i:
            continue  # counted already
        for j in range(columns.start, columns.end):
            if target.lemma[j] == source.lemma[i]:
                found += 1
                break
    return found


cdef inline int _kind(const WordArrays *words, Py_ssize_t k) noexcept nogil:
    return words.kind[k] if 0 <= k < words.n else NO_KIND


cdef class SegmentInputs:
    """Computes the inputs of segments of a pair: SideWords of both sides, links of shape
    (n_source, n_target), what `kept_tokens` returns, and blocks of shape (n_blocks, 4).

    Raises ShapeError if the shapes disagree.
    """

    cdef WordArrays source
    cdef WordArrays target
    cdef const float[:, ::1] links
    cdef const int32_t[::1] partner
    cdef const int32_t[:, ::1] blocks
    cdef list held           # owns the memory of `source` and `target`
    cdef float[::1] inside   # [n_source + n_target], zeros between calls
    cdef float changed

    def __init__(self, source, target, links, partner, blocks):
        shape = len(source.kinds), len(target.kinds)
        if links.shape != shape or len(partner) != shape[0] or blocks.shape[1:] != (4,):
            raise ShapeError("links, kept tokens or blocks do not have the shape of the pair")
        self.held = []
        self.source = self._words(source, links.sum(1))
        self.target = self._words(target, links.sum(0))
        self.links = links
        self.partner = partner
        self.blocks = blocks
        n_tokens = shape[0] + shape[1]
        self.inside = np.zeros(n_tokens + 1, np.float32)
        n_changed = sum([i1 - i0 + j1 - j0 for i0, i1, j0, j1 in blocks.tolist()])
        self.changed = n_changed / max(n_tokens, 1)

    cdef WordArrays _words(self, side, linked) except *:
        cdef const int32_t[::1] kinds = side.kinds
        cdef const float[::1] weights = side.weights
        cdef const int32_t[::1] lemmas = side.lemmas
        sums = np.minimum(linked, 1, dtype=np.float32)
        cdef const float[::1] sum_of = sums
        cdef WordArrays words
        words.n = kinds.shape[0]
        if weights.shape[0] != words.n or lemmas.shape[0] != words.n or not words.n:
            raise ShapeError("a side's columns differ in length, or are empty")
        self.held += [side, sums]
        words.kind, words.weight = &kinds[0], &weights[0]
        words.lemma, words.linked = &lemmas[0], &sum_of[0]
        return words

    def rows(self, const int32_t[:, ::1] segments):
        """Return the inputs of segments, float32 of shape (n_segments, n_inputs).

        Each is as Segment has it, within the pair and its blocks; that is not checked.
        """
        found = np.zeros((segments.shape[0], N_INPUTS), np.float32)
        cdef float[:, ::1] out = found
        cdef Py_ssize_t k
        with nogil:
            for k in range(segments.shape[0]):
                self._fill(&segments[k, 0], &out[k, 0])
        return found

    cdef void _fill(self, const int32_t *segment, float *out) noexcept nogil:
        """Write the inputs of a segment, [N_INPUTS], which holds zeros."""
        cdef const int32_t *first = &self.blocks[segment[4], 0]
        cdef const int32_t *last = &self.blocks[segment[5], 0]
        cdef TokenRun rows = TokenRun(segment[0], segment[1], 0.0, 0.0, 0.0, 0.0)
        cdef TokenRun columns = TokenRun(segment[2], segment[3], 0.0, 0.0, 0.0, 0.0)
        cdef Py_ssize_t n_rows = rows.end - rows.start
        cdef Py_ssize_t n_columns = columns.end - columns.start
        out[0], out[1] = n_rows, n_columns
        out[2] = min(n_rows, n_columns)
        out[3] = max(n_rows, n_columns) - out[2]
        out[4] = segment[5] - segment[4]
        out[5], out[6] = rows.start - first[0], columns.start - first[2]
        out[7], out[8] = last[1] - rows.end, last[3] - columns.end
        out[9], out[10] = first[1] - first[0], first[3] - first[2]
        out[11], out[12] = last[1] - last[0], last[3] - last[2]
        self._kept(&rows, out)
        if n_rows and n_columns:
            self._related(&rows, &columns, out)
        else:
            _weigh(&self.source, &rows, NULL)
            _weigh(&self.target, &columns, NULL)
        out[16], out[17] = rows.weight, columns.weight
        out[28], out[29] = rows.anywhere, columns.anywhere
        out[30] = self.source.kind[rows.start] if n_rows else NO_KIND
        out[31] = self.source.kind[rows.end - 1] if n_rows else NO_KIND
        out[32] = self.target.kind[columns.start] if n_columns else NO_KIND
        out[33] = self.target.kind[columns.end - 1] if n_columns else NO_KIND
        out[34] = _kind(&self.source, rows.start - 1)
        out[35] = _kind(&self.source, rows.end)
        out[36] = _kind(&self.target, columns.start - 1)
        out[37] = _kind(&self.target, columns.end)
        out[38], out[39] = self.blocks.shape[0], self.changed
        out[40] = out[41] = NO_GAP
        if segment[4] > 0:
            out[40] = first[0] - self.blocks[segment[4] - 1, 1]
        if segment[5] + 1 < self.blocks.shape[0]:
            out[41] = self.blocks[segment[5] + 1, 0] - last[1]

    cdef void _kept(self, const TokenRun *rows, float *out) noexcept nogil:
        """Write the inputs about the kept tokens of a run."""
        cdef Py_ssize_t i
        for i in range(rows.start, rows.end):
            if self.partner[i] >= 0:
                out[13] += 1
                out[14] += self.source.weight[i]
                out[15] += self.source.kind[i] == OF_PUNCTUATION or self.source.kind[i] == OF_COMMA

    cdef void _related(self, TokenRun *rows, TokenRun *columns, float *out) noexcept nogil:
        """Write the inputs that compare two runs, neither of them empty."""
        cdef float *of_source = &self.inside[0]
        cdef float *of_target = of_source + self.source.n
        cdef Py_ssize_t i, j
        cdef float link
        for i in range(rows.start, rows.end):
            for j in range(columns.start, columns.end):
                link = self.links[i, j]
                if link > 0:
                    of_source[i] += link
                    of_target[j] += link
                    out[18] += link
                    out[19] = max(out[19], link)
                    out[24] += 1
        _weigh(&self.source, rows, of_source)
        _weigh(&self.target, columns, of_target)
        for i in range(rows.start, rows.end):
            of_source[i] = 0.0
        for j in range(columns.start, columns.end):
            of_target[j] = 0.0
        out[20], out[21] = rows.linked, columns.linked
        out[22], out[23] = rows.weight_linked, columns.weight_linked
        out[25] = _same_lemmas(&self.source, rows, &self.target, columns)
        out[26] = self.source.kind[rows.start] == self.target.kind[columns.start]
        out[27] = self.source.kind[rows.end - 1] == self.target.kind[columns.end - 1]

"""Inputs of the model of support; see tokalign.grounding.support_model for what they mean.

The slow twin, tests/reference/support_inputs.py, makes a column at a time.
"""

from libc.math cimport INFINITY, log, log1p
from libc.stdint cimport int32_t, uint8_t
from libc.stdlib cimport free, malloc

import numpy as np

from tokalign.decoding.evidence cimport N_COLUMNS, SupportColumn

from tokalign.decoding.evidence import COLUMNS
from tokalign.grounding.answer_words import KINDS, N_SUPPORTABLE
from tokalign.types.grounding import WordKind

cdef enum:
    N_UNIONS = 5
    N_KINDS = 5
    N_HELD_KINDS = 4     # all but marks
    REACH = 4            # content words to each side that count as near
    N_CLASSES = 4
    N_PARTS = 9
    N_BY_KIND = 3
    N_TAGS = 11
    N_PLACES = 3
    N_STEPS = 2
    # Places of the inputs.
    SECOND = N_COLUMNS + N_UNIONS
    HELD = SECOND + 7
    HELD_COVER = HELD + N_HELD_KINDS + 11
    BEST = HELD_COVER + 2
    IDF = BEST + 2
    N_INPUTS = IDF + 1 + N_KINDS + N_CLASSES + 1
    MISSING = N_PARTS * (1 + N_BY_KIND)
    IS_KIND = MISSING + N_PARTS - 1
    TAG = IS_KIND + N_KINDS
    PLACE = TAG + 2 * N_TAGS
    FAR_WORDS = PLACE + N_PLACES
    PHRASE = FAR_WORDS + 2 * N_STEPS
    BELOW = PHRASE + 3
    N_CONTEXT_INPUTS = BELOW + 3

cdef int[N_UNIONS] UNION = [
    SupportColumn.MASS, SupportColumn.SAME, SupportColumn.ALIKE, SupportColumn.WINDOW,
    SupportColumn.ORDER,
]
cdef double MOST = 5.0
cdef double FAR = 10.0

EVIDENCE_INPUTS: tuple[str, ...] = (
    *COLUMNS,
    *[f"{COLUMNS[UNION[k]]}-union" for k in range(N_UNIONS)],
    "second-mass", "placed-mass", "union-cover",
    "left-mass", "right-mass", "near-mass", "near-same",
    "held", *[f"held-{kind}" for kind in KINDS[:N_HELD_KINDS]],
    "holders", "near-held", "left-held", "right-held",
    "joined-left", "joined-right", "run", "beside-left", "beside-right", "company",
    "held-cover", "value", "best-mass", "best-held",
)
"""Inputs that speak for a word's support."""
WORD_INPUTS: tuple[str, ...] = (
    "idf", *[f"is-{kind}" for kind in KINDS], "is-noun", "is-verb", "is-adjective", "is-adverb",
    "length",
)
"""Inputs of the word and its sentence alone."""
INPUTS: tuple[str, ...] = EVIDENCE_INPUTS + WORD_INPUTS
PARTS: tuple[str, ...] = ("own", "left", "right", "head", "before", "after", "child", "mean", "least")
_BY_KIND = tuple(map(KINDS.index, (WordKind.FUNCTION, WordKind.MARK, WordKind.VALUE)))
_TAGS = ("IN", "DT", "CC", "TO", "PRP", "VB", "RB", "CD", "NNP", "NNS", "JJ")
CONTEXT_INPUTS: tuple[str, ...] = (
    *PARTS,
    *[f"{KINDS[kind]}-{part}" for kind in _BY_KIND for part in PARTS],
    *[f"no-{part}" for part in PARTS[1:]],
    *[f"is-{kind}" for kind in KINDS],
    *[f"tag-{tag}" for tag in _TAGS],
    *[f"after-{tag}" for tag in _TAGS],
    "place", "from-start", "from-end",
    "before-2", "before-3", "after-2", "after-3",
    "phrase", "phrase-least", "no-phrase", "below", "above-below", "no-below",
)
_OPENS = frozenset((",", "IN", "TO", "CC", "WDT", "WP", "WRB"))
assert len(KINDS) == N_KINDS and len(INPUTS) == N_INPUTS
assert len(PARTS) == N_PARTS and len(CONTEXT_INPUTS) == N_CONTEXT_INPUTS

cdef int32_t MARK = KINDS.index(WordKind.MARK)
cdef int32_t[N_BY_KIND] OF_KIND = _BY_KIND
cdef double LOG_TEN = log(10.0)


cdef class WordPlaces:
    """Where the content words and the words around each word are."""

    cdef Py_ssize_t n
    cdef const int32_t[::1] kind
    cdef int32_t *content        # [n_content] places of content words
    cdef int32_t *rank           # [n] content words before each word
    cdef int32_t *previous       # [n] the word before, marks left out; -1 for none
    cdef int32_t *following
    cdef Py_ssize_t n_content

    def __cinit__(self, const int32_t[::1] kind):
        cdef Py_ssize_t at
        cdef int32_t last = -1
        self.n = kind.shape[0]
        self.kind = kind
        self.content = <int32_t *>malloc(4 * self.n * sizeof(int32_t) + 1)
        if self.content == NULL:
            raise MemoryError("places of words")
        self.rank = self.content + self.n
        self.previous = self.rank + self.n
        self.following = self.previous + self.n
        for at in range(self.n):
            self.rank[at] = <int32_t>self.n_content
            if self.is_content(at):
                self.content[self.n_content] = <int32_t>at
                self.n_content += 1
            self.previous[at] = last
            if kind[at] != MARK:
                last = <int32_t>at
        last = -1
        for at in range(self.n - 1, -1, -1):
            self.following[at] = last
            if kind[at] != MARK:
                last = <int32_t>at

    def __dealloc__(self):
        free(self.content)

    cdef bint is_content(self, Py_ssize_t at) noexcept:
        return self.kind[at] < N_SUPPORTED

    cdef Py_ssize_t left(self, Py_ssize_t at) noexcept:
        """Return the content word before a word, or -1."""
        return self.content[self.rank[at] - 1] if self.rank[at] > 0 else -1

    cdef Py_ssize_t right(self, Py_ssize_t at) noexcept:
        cdef Py_ssize_t next_one = self.rank[at] + self.is_content(at)
        return self.content[next_one] if next_one < self.n_content else -1

    cdef double near(self, Py_ssize_t at, const double *values) noexcept:
        """Return the mean of the content words around a word, of weight 1 / distance."""
        cdef Py_ssize_t first = self.rank[at]
        cdef Py_ssize_t after = first + self.is_content(at)
        cdef double weight, total = 0.0, found = 0.0
        cdef Py_ssize_t k
        for k in range(max(first - REACH, 0), min(after + REACH, self.n_content)):
            if first <= k < after:
                continue
            weight = 1.0 / (first - k if k < first else k - after + 1)
            total += weight
            found += weight * values[self.content[k]]
        return found / max(total, 1e-9)


cdef int32_t N_SUPPORTED = N_SUPPORTABLE


def support_inputs(
    words: AnswerWords, candidates: Sequence[AlignedCandidate], sources: Sources
) -> NDArray[np.float32]:
    """Return the inputs of each word, float32 of shape (n_words, n_inputs)."""
    cdef WordPlaces places = WordPlaces(words.kind_numbers)
    cdef Py_ssize_t n = places.n
    found = np.zeros((n, N_INPUTS), np.float32)
    cdef float[:, ::1] out = found
    cdef const double[::1] weights = words.weights
    # Rows: the mass and the sameness that all candidates give, and whether a word is held.
    cdef double[:, ::1] whole = np.zeros((3, n))
    _fill_columns(candidates, places, weights, whole, out)
    _fill_stems(words, candidates, sources, places, weights, whole, out)
    _fill_words(words, places, weights, out)
    return found


cdef double _share(const double[::1] weights, const double *values) noexcept:
    """Return the mean of values by weight."""
    cdef double total = 0.0, found = 0.0
    cdef Py_ssize_t k
    for k in range(weights.shape[0]):
        total += weights[k]
        found += weights[k] * values[k]
    return found / max(total, 1e-9)


cdef _fill_columns(
    candidates, WordPlaces places, const double[::1] weights, double[:, ::1] whole,
    float[:, ::1] out,
):
    """Fill the inputs from the alignments of the candidates."""
    cdef const float[:, ::1] rows
    cdef double[:, ::1] missing = np.ones((places.n, N_UNIONS))
    cdef double[:, ::1] masses = np.zeros((2, places.n))     # the largest and the second
    cdef Py_ssize_t at
    cdef int k
    cdef double mass
    for each in candidates:
        rows = each.rows
        for at in range(places.n):
            for k in range(<int>N_COLUMNS):
                out[at, k] = max(out[at, k], rows[at, k])
            for k in range(N_UNIONS):
                missing[at, k] *= 1.0 - <double>rows[at, UNION[k]]
            mass = rows[at, <int>SupportColumn.MASS]
            if mass > masses[0, at]:
                masses[1, at] = masses[0, at]
                masses[0, at] = mass
            else:
                masses[1, at] = max(masses[1, at], mass)
            out[at, SECOND + 1] = max(
                out[at, SECOND + 1], <float>(mass * <double>rows[at, <int>SupportColumn.COVER])
            )
    for at in range(places.n):
        for k in range(N_UNIONS if candidates else 0):
            out[at, N_COLUMNS + k] = <float>(1.0 - missing[at, k])
        whole[0, at] = 1.0 - missing[at, 0]
        whole[1, at] = out[at, <int>SupportColumn.SAME]
        out[at, SECOND] = <float>masses[1, at]
    mass = _share(weights, &whole[0, 0])
    for at in range(places.n):
        out[at, SECOND + 2] = <float>mass
        out[at, SECOND + 3] = <float>(whole[0, places.left(at)] if places.left(at) >= 0 else 0.0)
        out[at, SECOND + 4] = <float>(whole[0, places.right(at)] if places.right(at) >= 0 else 0.0)
        out[at, SECOND + 5] = <float>places.near(at, &whole[0, 0])
        out[at, SECOND + 6] = <float>places.near(at, &whole[1, 0])


# Long, since each passage is read once for all of these inputs.
cdef _fill_stems(
    words, candidates, sources, WordPlaces places, const double[::1] weights,
    double[:, ::1] whole, float[:, ::1] out,
):
    """Fill the inputs from the stems that sentences of the candidates' passages hold, and from the
    values of the candidates."""
    passages = sorted({sources.sentences[each.number].passage for each in candidates})
    cdef const uint8_t[:, ::1] holders = words.holders.view(np.uint8)
    cdef list starts = sources.starts
    cdef double *held = &whole[2, 0]
    cdef Py_ssize_t at, left, right, sentence, best
    cdef double share, total = 0.0
    cdef int32_t *n_holders = <int32_t *>malloc(places.n * sizeof(int32_t) + 1)
    if n_holders == NULL:
        raise MemoryError("holders of words")
    for at in range(places.n):
        total += weights[at]
        n_holders[at] = 0
    total = max(total, 1e-9)
    for passage in passages:
        for sentence in range(starts[passage], starts[passage + 1]):
            share = 0.0
            for at in range(places.n):
                if holders[at, sentence]:
                    share += weights[at]
            for at in range(places.n):
                if not holders[at, sentence]:
                    continue
                n_holders[at] += 1
                left, right = places.left(at), places.right(at)
                if left >= 0 and holders[left, sentence]:
                    out[at, HELD + N_HELD_KINDS + 8] = 1.0
                if right >= 0 and holders[right, sentence]:
                    out[at, HELD + N_HELD_KINDS + 9] = 1.0
                out[at, HELD + N_HELD_KINDS + 10] = max(
                    out[at, HELD + N_HELD_KINDS + 10], <float>(share / total)
                )
    if candidates:
        cover = <int>SupportColumn.COVER
        chosen = max(candidates, key=lambda each: each.rows[0, cover])
        best = chosen.number
        for at in range(places.n):
            out[at, BEST] = chosen.rows[at, <int>SupportColumn.MASS]
            out[at, BEST + 1] = holders[at, best]
    for span, keys in words.values.items():
        if not all([keys.isdisjoint(each.keys) for each in candidates]):
            for at in span:
                out[at, HELD_COVER + 1] = 1.0
    for at in range(places.n):
        held[at] = n_holders[at] > 0 or out[at, HELD_COVER + 1] > 0.0
    share = _share(weights, held)
    for at in range(places.n):
        out[at, HELD] = <float>held[at]
        if places.kind[at] < N_HELD_KINDS:
            out[at, HELD + 1 + places.kind[at]] = <float>held[at]
        left, right = places.left(at), places.right(at)
        out[at, HELD + N_HELD_KINDS + 1] = <float>min(log1p(n_holders[at]) / LOG_TEN, 1.0)
        out[at, HELD + N_HELD_KINDS + 2] = <float>places.near(at, held)
        out[at, HELD + N_HELD_KINDS + 3] = <float>(held[left] if left >= 0 else 0.0)
        out[at, HELD + N_HELD_KINDS + 4] = <float>(held[right] if right >= 0 else 0.0)
        out[at, HELD_COVER] = <float>share
    free(n_holders)
    _fill_runs(words.stems, sources, passages, places, out)


cdef _fill_runs(list stems, sources, passages, WordPlaces places, float[:, ::1] out):
    """Fill whether each word is adjacent to its neighbours in the sources, and the length of its
    run. Punctuation is skipped."""
    cdef Py_ssize_t first = -1, at, other
    cdef int n_run = 0
    cdef bint is_joined
    for at in range(places.n):
        if places.kind[at] == MARK:
            continue
        if first < 0:
            first = at
        n_run += 1
        other = places.following[at]
        is_joined = other >= 0 and sources.hold_pair((stems[at], stems[other]), passages)
        if is_joined:
            out[at, HELD + N_HELD_KINDS + 6] = 1.0
            out[other, HELD + N_HELD_KINDS + 5] = 1.0
            continue
        for other in range(first, at + 1):
            if places.kind[other] != MARK:
                out[other, HELD + N_HELD_KINDS + 7] = <float>(1.0 - 1.0 / n_run)
        first = -1
        n_run = 0


cdef _fill_words(words, WordPlaces places, const double[::1] weights, float[:, ::1] out):
    """Fill the inputs of the words alone."""
    cdef Py_ssize_t n_marks = 0, at
    cdef int k
    cdef str tag
    cdef tuple tags = words.sentence.tags or ()
    for at in range(places.n):
        n_marks += places.kind[at] == MARK
    for at in range(places.n):
        out[at, IDF] = <float>weights[at]
        out[at, IDF + 1 + places.kind[at]] = 1.0
        tag = tags[at]
        k = "NVJR".find(tag[:1]) if tag else -1
        if k >= 0:
            out[at, IDF + 1 + N_KINDS + k] = 1.0
        out[at, N_INPUTS - 1] = <float>min((places.n - n_marks) / 40.0, 1.0)


# Long, since all inputs of a word are read from sums that its sentence shares.
def context_inputs(words: AnswerWords, const double[::1] log_odds) -> NDArray[np.float64]:
    """Return the context inputs of each word's support, float64 of shape (n_words,
    n_context_inputs).

    `log_odds` (float64 array, shape (n_words,)): log odds of each word by its own inputs.
    """
    cdef WordPlaces places = WordPlaces(words.kind_numbers)
    cdef Py_ssize_t n = places.n
    found = np.zeros((n, N_CONTEXT_INPUTS))
    cdef double[:, ::1] out = found
    owns = np.clip(log_odds, -MOST, MOST)
    cdef const double[::1] own = owns
    cdef double mean = 0.0, least = 0.0
    cdef Py_ssize_t at, other, head
    cdef int k, part, n_words, order = 0
    cdef Py_ssize_t[5] around
    cdef double below
    # Rows: sum and number of content words of the phrase of each word, sum and number below it.
    cdef double[:, ::1] sums = np.zeros((4, n))
    cdef double[::1] leasts = np.full(n, INFINITY)
    cdef int32_t[::1] phrases = np.zeros(n, np.int32)
    cdef tuple heads = words.sentence.heads, tags = words.sentence.tags
    if places.n_content:
        content = owns[words.content]
        mean, least = content.mean(), content.min()
    n_words = 0
    for at in range(n):
        n_words += places.kind[at] != MARK
        phrases[at] = (phrases[at - 1] + (tags[at] in _OPENS)) if at else 0
        if not places.is_content(at):
            continue
        sums[0, phrases[at]] += own[at]
        sums[1, phrases[at]] += 1.0
        leasts[phrases[at]] = min(leasts[phrases[at]], own[at])
        head = at
        while head >= 0:
            sums[2, head] += own[at]
            sums[3, head] += 1.0
            head = -1 if heads is None else heads[head]
    for at in range(n):
        head = -1
        if heads is not None:
            head = heads[at]
            while head >= 0 and not places.is_content(head):
                head = heads[head]
        around[0], around[1], around[2] = places.left(at), places.right(at), head
        around[3], around[4] = places.previous[at], places.following[at]
        out[at, 0] = own[at]
        for k in range(5):
            out[at, 1 + k] = own[around[k]] if around[k] >= 0 else 0.0
            out[at, MISSING + k] = around[k] < 0
        below = INFINITY
        for other in range(n if heads is not None else 0):
            if heads[other] == at and places.is_content(other):
                below = min(below, own[other])
        out[at, 6] = 0.0 if below == INFINITY else below
        out[at, MISSING + 5] = below == INFINITY
        out[at, 7], out[at, 8] = mean, least
        out[at, MISSING + 6] = out[at, MISSING + 7] = places.n_content == 0
        for k in range(N_BY_KIND):
            if places.kind[at] == OF_KIND[k]:
                for part in range(N_PARTS):
                    out[at, (1 + k) * N_PARTS + part] = out[at, part]
        out[at, IS_KIND + places.kind[at]] = 1.0
        _fill_tag(tags[at], &out[at, TAG])
        if around[3] >= 0:
            _fill_tag(tags[around[3]], &out[at, TAG + N_TAGS])
        out[at, PLACE] = order / <double>max(n_words, 1)
        out[at, PLACE + 1] = min(order / FAR, 1.0)
        out[at, PLACE + 2] = min(max(n_words - 1 - order, 0) / FAR, 1.0)
        for k in range(2):
            other = around[3 + k]
            for part in range(N_STEPS):
                if other >= 0:
                    other = places.previous[other] if k == 0 else places.following[other]
                out[at, FAR_WORDS + k * N_STEPS + part] = own[other] if other >= 0 else 0.0
        other = phrases[at]
        out[at, PHRASE + 2] = sums[1, other] == 0.0
        out[at, PHRASE] = sums[0, other] / max(sums[1, other], 1.0)
        out[at, PHRASE + 1] = leasts[other] if sums[1, other] > 0.0 else 0.0
        other = heads[at] if heads is not None and heads[at] >= 0 else at
        out[at, BELOW] = sums[2, at] / max(sums[3, at], 1.0)
        out[at, BELOW + 1] = sums[2, other] / max(sums[3, other], 1.0)
        out[at, BELOW + 2] = sums[3, at] == 0.0
        order += places.kind[at] != MARK
    return found


cdef _fill_tag(str tag, double *out):
    """Write 1 for each of _TAGS that a tag begins with."""
    cdef int k
    for k in range(N_TAGS):
        out[k] = tag.startswith(_TAGS[k])

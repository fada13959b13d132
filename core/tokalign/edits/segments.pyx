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

from cpython.unicode cimport Py_UNICODE_TOLOWER
from libc.math cimport INFINITY
from libc.string cimport memset

from tokalign.english.lexicon.word_lists import KNOWN, LONGEST, function_words

cdef enum:
    OF_PUNCTUATION = 0
    OF_COMMA = 12
    NO_KIND = -1
    NO_GAP = 99

PUNCTUATION, COMMA = OF_PUNCTUATION, OF_COMMA
_CONJUNCTION, _OTHER = 13, 14
_KINDS = {"N": 1, "V": 2, "M": 2, "J": 3, "R": 4, "C": 5, "D": 6, "I": 7, "P": 8, "W": 9, "T": 10}
_KINDS["E"] = 11
"""Kinds of words, by the first letter of the Penn tag."""
_STOPS = frozenset((".", "!", "?"))


cdef class WordFact:
    """The kind of a word: PUNCTUATION, COMMA, or that of its tag; the inverse document frequency of
    its lemma, in [0, 1], 0 of function words and punctuation; and the lemma in lower case."""


cdef class WordFacts:
    """Finds and caches the facts of words.

    `idf` returns the inverse document frequency of a lemma, in [0, 1].
    """

    def __init__(self, idf: Callable[[str], float]) -> None:
        self._idf = idf
        self._functions = frozenset(function_words())
        self._known = {}

    cdef WordFact of(self, str token, str tag, str lemma):
        """Return what is known of a word, by its token, tag and lemma."""
        if len(token) > LONGEST:
            return self._find(token, tag, lemma)
        key = token, tag, lemma
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= KNOWN:
                self._known.clear()
            found = self._known[key] = self._find(token, tag, lemma)
        return <WordFact>found

    cdef WordFact _find(self, str token, str tag, str lemma):
        cdef WordFact fact = WordFact.__new__(WordFact)
        fact.kind = _kind_of(token, tag)
        fact.lemma = lemma.lower()
        if not _is_stop(fact.kind) and token.lower() not in self._functions:
            fact.weight = self._idf(fact.lemma)
        return fact


cdef inline bint _is_stop(int32_t kind) noexcept nogil:
    return kind == OF_PUNCTUATION or kind == OF_COMMA


cdef _kind_of(str token, str tag):
    if not any(map(str.isalnum, token)):
        return COMMA if token == "," else PUNCTUATION
    return _CONJUNCTION if tag == "CC" else _KINDS.get(tag[:1], _OTHER)


cdef int fill_words(EditSide *side, sentence, WordFacts facts, dict numbers) except -1:
    """Fill kinds, weights and lemmas of the words; without tags every word counts as a noun."""
    cdef tuple tokens = sentence.tokens
    cdef tuple tags = tags_of(sentence)
    cdef tuple lemmas = sentence.lemmas or tokens
    cdef WordFact fact
    cdef Py_ssize_t k
    for k in range(side.n):
        fact = facts.of(tokens[k], tags[k], lemmas[k])
        side.kind[k], side.weight[k] = fact.kind, fact.weight
        side.lemma[k] = numbers.setdefault(fact.lemma, len(numbers))
    return 0


def tags_of(sentence: Sentence) -> tuple[str, ...]:
    """Return the tags; without any, nouns."""
    return sentence.tags or ("NN",) * len(sentence.tokens)


cdef int fill_numbers(int32_t *number, tuple tokens, dict numbers) except -1:
    """Number tokens, equal ones alike; `numbers` holds those so far."""
    cdef Py_ssize_t k
    for k in range(len(tokens)):
        number[k] = numbers.setdefault(tokens[k], len(numbers))
    return 0


cdef int fill_same(
    uint8_t *same, tuple sources, tuple targets, const int32_t *row, const int32_t *column
) except -1:
    """Fill which tokens are the same word, [n_source, n_target], by their numbers: those that are
    identical, or differ only in case if exactly one of them begins a sentence or one side alone is in
    capitals."""
    cdef Py_ssize_t n_source = len(sources)
    cdef Py_ssize_t n_target = len(targets)
    cdef Py_ssize_t i, j
    for i in range(n_source):
        for j in range(n_target):
            same[i * n_target + j] = row[i] == column[j]
    if _is_in_capitals(sources) != _is_in_capitals(targets):
        for i in range(n_source):
            for j in _in_other_case(sources[i], targets):
                same[i * n_target + j] = True
        return 0
    begins = _begins(sources), _begins(targets)
    for i in begins[0]:
        for j in _in_other_case(sources[i], targets):
            same[i * n_target + j] |= j not in begins[1]
    for j in begins[1]:
        for i in _in_other_case(targets[j], sources):
            same[i * n_target + j] |= i not in begins[0]
    return 0


cdef list _begins(tuple tokens):
    """Return the tokens that begin a sentence."""
    cdef Py_ssize_t k
    return [0] + [k + 1 for k in range(len(tokens) - 1) if tokens[k] in _STOPS]


cdef bint _is_in_capitals(tuple tokens):
    """Return whether at least two tokens have capitals, and none a small letter."""
    cdef str token
    cdef int n_upper = 0
    for token in tokens:
        if token.upper() != token:
            return False
        n_upper += token.lower() != token
    return n_upper > 1


cdef list _in_other_case(str word, tuple tokens):
    """Return the tokens equal to a word, ignoring case, but not the word itself."""
    cdef str lower = word.lower()
    cdef Py_UCS4 first = lower[0] if lower else 0
    cdef str token
    cdef Py_ssize_t k
    if lower == word == word[:1].upper() + word[1:]:
        return []
    found = []
    for k in range(len(tokens)):
        token = tokens[k]
        if token and Py_UNICODE_TOLOWER(token[0]) == first and token != word and token.lower() == lower:
            found.append(k)
    return found


cdef int fill_links(float *cells, links, Py_ssize_t n_source, Py_ssize_t n_target) except -1:
    """Write the confidence of every link into `cells` [n_source, n_target]."""
    cdef Py_ssize_t i, j
    for (i, j), confidence in links.items():
        if not (0 <= i < n_source and 0 <= j < n_target):
            raise IndexError(f"a link of tokens {i}, {j}; wanted below {n_source}, {n_target}")
        cells[i * n_target + j] = confidence
    return 0


RUN: float = 0.5
"""Gain of a pair if the pair of tokens before it is kept as well."""
LINKED: float = 1.0
"""Gain of a linked pair, per unit of the link's confidence."""

cdef double RUN_GAIN = RUN
cdef double LINK_GAIN = LINKED

cdef enum:
    UP = 0       # the source token is not kept
    LEFT = 1     # the target token is not
    KEEP = 2     # both are, as a pair
    FOLLOWS = 4  # if the pair is kept, so is the one before


cdef void _fill_choices(
    const uint8_t *same, const double *worth, const float *links, Py_ssize_t n_source,
    Py_ssize_t n_target, double *best, uint8_t *choice,
) noexcept nogil:
    """Fill the choices [n_source, n_target]; `best` has room for two rows of [n_target + 1]."""
    cdef double *kept = best + n_target + 1
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
            if same[i * n_target + j]:
                value = worth[i] + LINK_GAIN * links[i * n_target + j]
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


cdef void keep_tokens(
    const uint8_t *same, const double *worth, const float *links, Py_ssize_t n_source,
    Py_ssize_t n_target, double *room, uint8_t *choice, int32_t *partner
) noexcept nogil:
    """Fill the target token that each source token is kept as, or -1; the others rise. Ties go to a
    matching that keeps later tokens.

    `worth` [n_source]: of keeping each source token, above 0. The others are as in EditGrid.
    Scratch: `room` [2, n_target + 1], `choice` [n_source, n_target].
    """
    cdef Py_ssize_t i
    for i in range(n_source):
        partner[i] = -1
    if n_source and n_target:
        _fill_choices(same, worth, links, n_source, n_target, room, choice)
        _trace_kept(choice, n_source, n_target, partner)


SEGMENT_INPUTS: tuple[str, ...] = (
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

assert len(SEGMENT_INPUTS) == N_SEGMENT_INPUTS


cdef struct TokenRun:
    Py_ssize_t start
    Py_ssize_t end
    float weight             # sum
    float linked             # mean of the words' links inside the segment
    float weight_linked      # the same, weighted
    float anywhere           # weighted, of all links


cdef void _weigh(const EditSide *words, TokenRun *run, const float *linked) noexcept nogil:
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
    const EditSide *source, const TokenRun *rows, const EditSide *target, const TokenRun *columns
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


cdef inline int _kind(const EditSide *words, Py_ssize_t k) noexcept nogil:
    return words.kind[k] if 0 <= k < words.n else NO_KIND


cdef void sum_links(EditGrid *pair) noexcept nogil:
    """Fill what the inputs of all segments share: the words' links, and the share of changes."""
    cdef Py_ssize_t n_target = pair.target.n
    cdef Py_ssize_t n_tokens = pair.source.n + n_target
    cdef Py_ssize_t i, j, k
    cdef int n_changed = 0
    cdef float link
    memset(pair.source.linked, 0, pair.source.n * sizeof(float))
    memset(pair.target.linked, 0, n_target * sizeof(float))
    memset(pair.inside, 0, n_tokens * sizeof(float))
    for i in range(pair.source.n):
        for j in range(n_target):
            link = pair.links[i * n_target + j]
            pair.source.linked[i] += link
            pair.target.linked[j] += link
    for i in range(pair.source.n):
        pair.source.linked[i] = min(pair.source.linked[i], <float>1.0)
    for j in range(n_target):
        pair.target.linked[j] = min(pair.target.linked[j], <float>1.0)
    for k in range(pair.n_blocks):
        n_changed += pair.block[k][1] - pair.block[k][0] + pair.block[k][3] - pair.block[k][2]
    pair.changed = <float>(n_changed / <double>max(n_tokens, 1))


cdef void fill_inputs(const EditGrid *pair, const int32_t *segment, float *out) noexcept nogil:
    """Write the inputs of a segment, [N_SEGMENT_INPUTS], which holds zeros."""
    cdef const int32_t *first = pair.block[segment[4]]
    cdef const int32_t *last = pair.block[segment[5]]
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
    _kept(pair, &rows, out)
    if n_rows and n_columns:
        _related(pair, &rows, &columns, out)
    else:
        _weigh(&pair.source, &rows, NULL)
        _weigh(&pair.target, &columns, NULL)
    out[16], out[17] = rows.weight, columns.weight
    out[28], out[29] = rows.anywhere, columns.anywhere
    out[30] = pair.source.kind[rows.start] if n_rows else NO_KIND
    out[31] = pair.source.kind[rows.end - 1] if n_rows else NO_KIND
    out[32] = pair.target.kind[columns.start] if n_columns else NO_KIND
    out[33] = pair.target.kind[columns.end - 1] if n_columns else NO_KIND
    out[34] = _kind(&pair.source, rows.start - 1)
    out[35] = _kind(&pair.source, rows.end)
    out[36] = _kind(&pair.target, columns.start - 1)
    out[37] = _kind(&pair.target, columns.end)
    out[38], out[39] = pair.n_blocks, pair.changed
    out[40] = out[41] = NO_GAP
    if segment[4] > 0:
        out[40] = first[0] - pair.block[segment[4] - 1][1]
    if segment[5] + 1 < pair.n_blocks:
        out[41] = pair.block[segment[5] + 1][0] - last[1]


cdef void _kept(const EditGrid *pair, const TokenRun *rows, float *out) noexcept nogil:
    """Write the inputs about the kept tokens of a run."""
    cdef Py_ssize_t i
    for i in range(rows.start, rows.end):
        if pair.partner[i] >= 0:
            out[13] += 1
            out[14] += pair.source.weight[i]
            out[15] += pair.source.kind[i] == OF_PUNCTUATION or pair.source.kind[i] == OF_COMMA


cdef void _related(
    const EditGrid *pair, TokenRun *rows, TokenRun *columns, float *out
) noexcept nogil:
    """Write the inputs that compare two runs, neither of them empty."""
    cdef float *of_source = pair.inside
    cdef float *of_target = of_source + pair.source.n
    cdef Py_ssize_t i, j
    cdef float link
    for i in range(rows.start, rows.end):
        for j in range(columns.start, columns.end):
            link = pair.links[i * pair.target.n + j]
            if link > 0:
                of_source[i] += link
                of_target[j] += link
                out[18] += link
                out[19] = max(out[19], link)
                out[24] += 1
    _weigh(&pair.source, rows, of_source)
    _weigh(&pair.target, columns, of_target)
    for i in range(rows.start, rows.end):
        of_source[i] = 0.0
    for j in range(columns.start, columns.end):
        of_target[j] = 0.0
    out[20], out[21] = rows.linked, columns.linked
    out[22], out[23] = rows.weight_linked, columns.weight_linked
    out[25] = _same_lemmas(&pair.source, rows, &pair.target, columns)
    out[26] = pair.source.kind[rows.start] == pair.target.kind[columns.start]
    out[27] = pair.source.kind[rows.end - 1] == pair.target.kind[columns.end - 1]

"""The aligner of Sultan et al. (2014): words of a prepared pair, and the modules that link them.

Similarity of words is 0, ALIKE or EXACT tenths; a pair of n by m tokens takes O(n * m) look-ups.
Then the modules of the paper run one after another. Their scores are hundredths: with the paper's
weight of 0.9, 9 * similarity + evidence. Integers make ties independent of the order of summing;
ties go to the lower source, then target token. A pair takes O(n * m) pairs of arcs in total
(every pair of arcs meets in four pairs of words) and the sorting of the candidates.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.stdlib cimport qsort

from tokalign.english.lexicon.lexical_tables cimport Kin

cdef enum:
    EXACT = 10           # tenths of similarity: the same word or lemma
    ALIKE = 9            # listed as paraphrases
    WEIGHT = 9           # of similarity, in tenths; evidence has the rest
    WINDOW = 3           # words to either side that are neighbours
    MAX_PERSON = 3       # most words of a name that one word may stand for
    MAX_INITIALS = 8

cdef enum:
    # Indices in RULES.
    NO_RULE = 0
    FINAL_MARK = 1
    SEQUENCE = 2
    NAME = 3
    DEPENDENCY = 4
    CONTEXT = 5
    TEXT = 6
    STOP_DEPENDENCY = 7
    STOP_TEXT = 8

cdef struct SultanWord:
    int32_t form             # number of the lower-case form
    int32_t canonical        # of the form without inner marks
    int32_t lemma
    int32_t listed_form      # indices in the paraphrases, or -1
    int32_t listed_lemma
    int32_t[4] entries       # entries in WordNet by part of speech, or -1
    Kin kin
    uint8_t category         # index in CATEGORIES
    bint is_stop             # a function word or mark
    bint is_final            # a mark that ends sentences
    bint is_like_itself      # a mark or clitic: it has no paraphrases
    bint is_mark
    bint is_number
    bint is_name             # tagged as a proper noun
    bint is_title            # a part of many names
    int32_t first            # first character, lower-case
    int32_t n_initials       # of a possible acronym, else 0
    int32_t[MAX_INITIALS] initials

cdef struct Arc:
    int32_t other            # the word at its other end
    int32_t type
    bint is_down             # whether that is the dependent
    uint32_t same            # rows of SAME_DIRECTION that it is in
    uint32_t one, other_way  # rows of OPPOSITE_DIRECTIONS that it is in, on either side

cdef struct SultanSide:
    Py_ssize_t n
    SultanWord *word
    Arc *arc
    int32_t *start           # [n + 1] the arcs of each word
    uint8_t *linked          # whether a word has a link

cdef struct Candidate:
    int32_t score
    int32_t i, j

cdef struct SultanPair:
    SultanSide source, target
    uint8_t *similarity      # [n, m] in tenths
    uint8_t *rule            # [n, m] the rule that linked two words, or NO_RULE


cdef inline bint is_linked(const SultanPair *pair, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    return pair.rule[i * pair.target.n + j] != NO_RULE


cdef inline int similarity(const SultanPair *pair, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    return pair.similarity[i * pair.target.n + j]


cdef inline int _by_score(const void *a, const void *b) noexcept nogil:
    cdef const Candidate *left = <const Candidate *>a
    cdef const Candidate *right = <const Candidate *>b
    if left.score != right.score:
        return 1 if left.score < right.score else -1
    if left.i != right.i:
        return 1 if left.i > right.i else -1
    return (left.j > right.j) - (left.j < right.j)


cdef inline void _link(SultanPair *pair, Py_ssize_t i, Py_ssize_t j, uint8_t rule) noexcept nogil:
    pair.rule[i * pair.target.n + j] = rule
    pair.source.linked[i] = pair.target.linked[j] = True


cdef inline bint _is_free(const SultanPair *pair, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    return not (pair.source.linked[i] or pair.target.linked[j])


cdef inline Py_ssize_t _final_mark(const SultanSide *side) noexcept nogil:
    """Return the final mark of a sentence, perhaps before a quote or bracket, or -1."""
    cdef Py_ssize_t k = side.n - 1
    if k > 0 and side.word[k].is_mark and not side.word[k].is_final:
        k -= 1
    return k if side.word[k].is_final else -1


cdef inline void _align_final_marks(SultanPair *pair) noexcept nogil:
    cdef Py_ssize_t i = _final_mark(&pair.source)
    cdef Py_ssize_t j = _final_mark(&pair.target)
    if i >= 0 and j >= 0:
        _link(pair, i, j, FINAL_MARK)


cdef inline void _align_sequences(SultanPair *pair, Candidate *found) noexcept nogil:
    """wsAlign: runs of two or more identical words, the longest first, with a content word."""
    cdef const SultanSide *s = &pair.source
    cdef const SultanSide *t = &pair.target
    cdef Py_ssize_t i, j, length, k, n_found = 0
    cdef bint has_content
    for i in range(s.n):
        for j in range(t.n):
            if s.word[i].form != t.word[j].form:
                continue
            if i and j and s.word[i - 1].form == t.word[j - 1].form:
                continue  # inside of a run
            length = 0
            has_content = False
            while (
                i + length < s.n and j + length < t.n
                and s.word[i + length].form == t.word[j + length].form
            ):
                has_content |= not s.word[i + length].is_stop
                length += 1
            if length > 1 and has_content:
                found[n_found] = Candidate(<int32_t>length, <int32_t>i, <int32_t>j)
                n_found += 1
    qsort(found, n_found, sizeof(Candidate), _by_score)
    for k in range(n_found):
        for length in range(found[k].score):
            if _is_free(pair, found[k].i + length, found[k].j + length):
                _link(pair, found[k].i + length, found[k].j + length, SEQUENCE)


cdef inline Py_ssize_t _name_end(const SultanSide *side, Py_ssize_t start) noexcept nogil:
    """Return the end of the name that starts at a token, or the token itself."""
    cdef Py_ssize_t end = start
    if start and side.word[start - 1].is_name:
        return start
    while end < side.n and side.word[end].is_name:
        end += 1
    return end


cdef inline bint _abbreviates(
    const SultanWord *acronym, const SultanWord *word, Py_ssize_t n_words
) noexcept nogil:
    cdef Py_ssize_t k
    if acronym.n_initials != n_words:
        return False
    for k in range(n_words):
        if word[k].first != acronym.initials[k]:
            return False
    return True


cdef inline bint _occurs(const SultanSide *side, int32_t form) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(side.n):
        if side.word[k].form == form:
            return True
    return False


cdef inline bint _is_missing(
    const SultanSide *full, Py_ssize_t k, const SultanSide *part
) noexcept nogil:
    """Whether a word of a full mention is missing in the partial mention."""
    return not (full.linked[k] or full.word[k].is_title or _occurs(part, full.word[k].form))


cdef inline void _align_mentions(
    SultanPair *pair, Py_ssize_t i, Py_ssize_t i_end, Py_ssize_t j, Py_ssize_t j_end
) noexcept nogil:
    """Link two names if one is the other, a part of it, or its acronym."""
    cdef const SultanWord *a = pair.source.word + i
    cdef const SultanWord *b = pair.target.word + j
    cdef Py_ssize_t n = i_end - i, m = j_end - j, i_start = i, j_start = j
    cdef Py_ssize_t k, shift, shorter = min(n, m)
    if n == 1 and m > 1 and _abbreviates(a, b, m):
        for k in range(m):
            if not pair.target.linked[j + k]:
                _link(pair, i, j + k, NAME)
        return
    if m == 1 and n > 1 and _abbreviates(b, a, n):
        for k in range(n):
            if not pair.source.linked[i + k]:
                _link(pair, i + k, j, NAME)
        return
    for shift in range(max(n, m) - shorter + 1):
        k = 0
        while k < shorter and (
            a[k + (shift if n > m else 0)].form == b[k + (0 if n > m else shift)].form
        ):
            k += 1
        if k == shorter:
            break
    else:
        return
    if n > m:
        i += shift
    else:
        j += shift
    for k in range(shorter):
        if _is_free(pair, i + k, j + k):
            _link(pair, i + k, j + k, NAME)
    if shorter > 1 or max(n, m) > MAX_PERSON:
        return
    for k in range(i_start, i_start + n):
        if n > 1 and _is_missing(&pair.source, k, &pair.target):
            _link(pair, k, j, NAME)
    for k in range(j_start, j_start + m):
        if m > 1 and _is_missing(&pair.target, k, &pair.source):
            _link(pair, i, k, NAME)


cdef inline void _align_names(SultanPair *pair) noexcept nogil:
    """neAlign."""
    cdef Py_ssize_t i, j, i_end, j_end
    for i in range(pair.source.n):
        i_end = _name_end(&pair.source, i)
        if i_end == i:
            continue
        for j in range(pair.target.n):
            j_end = _name_end(&pair.target, j)
            if j_end > j:
                _align_mentions(pair, i, i_end, j, j_end)


cdef inline bint _is_equivalent(const Arc *a, const Arc *b) noexcept nogil:
    """Whether two arcs are equivalent for the words that they start from."""
    if a.is_down == b.is_down:
        return a.type == b.type or (a.same & b.same) != 0
    return ((a.one & b.other_way) | (a.other_way & b.one)) != 0


cdef inline bint _is_context(const SultanPair *pair, const Arc *a, const Arc *b) noexcept nogil:
    """Algorithm 1, of one pair of arcs of two words."""
    cdef Py_ssize_t k = a.other, l = b.other
    return (
        similarity(pair, k, l) > 0
        and pair.source.word[k].category == pair.target.word[l].category
        and _is_equivalent(a, b)
    )


cdef inline int _dependency_evidence(
    const SultanPair *pair, Py_ssize_t i, Py_ssize_t j, bint of_stops
) noexcept nogil:
    """Return the sum of the similarities of all contexts, in tenths; of stop words, the number of
    linked words with equivalent dependencies on both."""
    cdef const SultanSide *s = &pair.source
    cdef const SultanSide *t = &pair.target
    cdef int evidence = 0
    cdef Py_ssize_t a, b
    if not of_stops and s.word[i].category != t.word[j].category:
        return 0
    for a in range(s.start[i], s.start[i + 1]):
        for b in range(t.start[j], t.start[j + 1]):
            if of_stops:
                evidence += 10 * (
                    s.arc[a].is_down == t.arc[b].is_down and s.arc[a].type == t.arc[b].type
                    and is_linked(pair, s.arc[a].other, t.arc[b].other)
                )
            elif _is_context(pair, &s.arc[a], &t.arc[b]):
                evidence += similarity(pair, s.arc[a].other, t.arc[b].other)
    return evidence


cdef inline int _text_evidence(const SultanPair *pair, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    """Algorithm 2: the sum of the similarities of all content words around two words."""
    cdef const SultanSide *s = &pair.source
    cdef const SultanSide *t = &pair.target
    cdef int evidence = 0
    cdef Py_ssize_t k, l
    for k in range(max(i - WINDOW, 0), min(i + WINDOW + 1, s.n)):
        if k == i or s.word[k].is_stop:
            continue
        for l in range(max(j - WINDOW, 0), min(j + WINDOW + 1, t.n)):
            if l != j and not t.word[l].is_stop:
                evidence += similarity(pair, k, l)
    return evidence


cdef inline int _stop_text_evidence(
    const SultanPair *pair, Py_ssize_t i, Py_ssize_t j
) noexcept nogil:
    """Return the number of linked left and right neighbours of two words, in tenths."""
    cdef int evidence = 0
    if i and j and is_linked(pair, i - 1, j - 1):
        evidence += 10
    if i + 1 < pair.source.n and j + 1 < pair.target.n and is_linked(pair, i + 1, j + 1):
        evidence += 10
    return evidence


cdef inline void _link_contexts(SultanPair *pair, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    cdef const SultanSide *s = &pair.source
    cdef const SultanSide *t = &pair.target
    cdef Py_ssize_t a, b
    for a in range(s.start[i], s.start[i + 1]):
        for b in range(t.start[j], t.start[j + 1]):
            if (
                _is_free(pair, s.arc[a].other, t.arc[b].other)
                and _is_context(pair, &s.arc[a], &t.arc[b])
            ):
                _link(pair, s.arc[a].other, t.arc[b].other, CONTEXT)


cdef inline void _align_best_first(SultanPair *pair, Candidate *found, int rule) noexcept nogil:
    """cwDepAlign, cwTextAlign, swDepAlign or swTextAlign: Algorithms 3 and 4, by their rule."""
    cdef const SultanSide *s = &pair.source
    cdef const SultanSide *t = &pair.target
    cdef bint of_stops = rule in (STOP_DEPENDENCY, STOP_TEXT)
    cdef Py_ssize_t i, j, k, n_found = 0
    cdef int evidence
    for i in range(s.n):
        if s.linked[i] or s.word[i].is_stop != of_stops:
            continue
        for j in range(t.n):
            if t.linked[j] or t.word[j].is_stop != of_stops or not similarity(pair, i, j):
                continue
            if rule in (DEPENDENCY, STOP_DEPENDENCY):
                evidence = _dependency_evidence(pair, i, j, of_stops)
            elif rule == TEXT:
                evidence = _text_evidence(pair, i, j)
            else:
                evidence = _stop_text_evidence(pair, i, j)
            if evidence or rule == TEXT:
                found[n_found] = Candidate(
                    WEIGHT * similarity(pair, i, j) + evidence, <int32_t>i, <int32_t>j
                )
                n_found += 1
    qsort(found, n_found, sizeof(Candidate), _by_score)
    for k in range(n_found):
        i, j = found[k].i, found[k].j
        if _is_free(pair, i, j):
            _link(pair, i, j, <uint8_t>rule)
            if rule == DEPENDENCY:
                _link_contexts(pair, i, j)


cdef inline void _align_words(SultanPair *pair, Candidate *found) noexcept nogil:
    """Algorithm 5; `found` has room for as many candidates as there are pairs of words."""
    _align_final_marks(pair)
    _align_sequences(pair, found)
    _align_names(pair)
    _align_best_first(pair, found, DEPENDENCY)
    _align_best_first(pair, found, TEXT)
    _align_best_first(pair, found, STOP_DEPENDENCY)
    _align_best_first(pair, found, STOP_TEXT)

"""The aligner of Sultan et al. (2014) for one pair of sentences.

Similarity of words is 0, ALIKE or EXACT tenths; a pair of n by m tokens takes O(n * m) look-ups.
Then the modules of the paper run one after another. Their scores are hundredths: with the paper's
weight of 0.9, 9 * similarity + evidence. Integers make ties independent of the order of summing;
ties go to the lower source, then target token. A pair takes O(n * m) pairs of arcs in total (every
pair of arcs meets in four pairs of words) and the sorting of the candidates.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.stdlib cimport calloc, free, qsort, realloc
from libc.string cimport memset

from tokalign.english.lexicon.lexical_tables cimport (
    DERIVED,
    PERTAINYM,
    SIMILAR,
    SYNONYM,
    VERB_GROUP,
    Kin,
    Paraphrases,
    WordNet,
    add_kin,
    paraphrases,
    places_to_look,
    relation,
)

from tokalign.english.lexicon.word_lists import TITLES, canonical, function_words
from tokalign.systems.dependencies import (
    CATEGORIES, OPPOSITE_DIRECTIONS, SAME_DIRECTION, category_of,
)

cdef enum:
    EXACT = 10           # tenths of similarity: the same word or lemma
    ALIKE = 9            # listed as paraphrases
    WEIGHT = 9           # of similarity, in tenths; evidence has the rest
    WINDOW = 3           # words to either side that are neighbours
    MAX_PERSON = 3       # most words of a name that one word may stand for
    MAX_INITIALS = 8
    # A worker's caches of words and types are cleared beyond so many items or characters.
    MAX_KNOWN = 50_000
    MAX_CHARACTERS = 4_000_000

# WordNet's relations of similar words, used without a table of paraphrases.
cdef uint32_t RELATED = SYNONYM | DERIVED | PERTAINYM | SIMILAR | VERB_GROUP

RULES = (
    "", "final-mark", "identical-sequence", "name", "dependency", "dependency-context", "neighbourhood",
    "stop-dependency", "stop-neighbourhood",
)
"""Names of the rules that link two words, in the order of the modules; 0 is no link."""

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


cdef int _by_score(const void *a, const void *b) noexcept nogil:
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


cdef Py_ssize_t _final_mark(const SultanSide *side) noexcept nogil:
    """Return the final mark of a sentence, perhaps before a quote or bracket, or -1."""
    cdef Py_ssize_t k = side.n - 1
    if k > 0 and side.word[k].is_mark and not side.word[k].is_final:
        k -= 1
    return k if side.word[k].is_final else -1


cdef void _align_final_marks(SultanPair *pair) noexcept nogil:
    cdef Py_ssize_t i = _final_mark(&pair.source)
    cdef Py_ssize_t j = _final_mark(&pair.target)
    if i >= 0 and j >= 0:
        _link(pair, i, j, FINAL_MARK)


cdef void _align_sequences(SultanPair *pair, Candidate *found) noexcept nogil:
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


cdef Py_ssize_t _name_end(const SultanSide *side, Py_ssize_t start) noexcept nogil:
    """Return the end of the name that starts at a token, or the token itself."""
    cdef Py_ssize_t end = start
    if start and side.word[start - 1].is_name:
        return start
    while end < side.n and side.word[end].is_name:
        end += 1
    return end


cdef bint _abbreviates(
    const SultanWord *acronym, const SultanWord *word, Py_ssize_t n_words
) noexcept nogil:
    cdef Py_ssize_t k
    if acronym.n_initials != n_words:
        return False
    for k in range(n_words):
        if word[k].first != acronym.initials[k]:
            return False
    return True


cdef bint _occurs(const SultanSide *side, int32_t form) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(side.n):
        if side.word[k].form == form:
            return True
    return False


cdef bint _is_missing(const SultanSide *full, Py_ssize_t k, const SultanSide *part) noexcept nogil:
    """Whether a word of a full mention is missing in the partial mention."""
    return not (
        full.linked[k] or full.word[k].is_title or _occurs(part, full.word[k].form)
    )


cdef void _align_mentions(
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


cdef void _align_names(SultanPair *pair) noexcept nogil:
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


cdef inline bint _is_context(
    const SultanPair *pair, const Arc *a, const Arc *b
) noexcept nogil:
    """Algorithm 1, of one pair of arcs of two words."""
    cdef Py_ssize_t k = a.other, l = b.other
    return (
        similarity(pair, k, l) > 0
        and pair.source.word[k].category == pair.target.word[l].category
        and _is_equivalent(a, b)
    )


cdef int _dependency_evidence(const SultanPair *pair, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    """Return the sum of the similarities of all contexts, in tenths."""
    cdef const SultanSide *s = &pair.source
    cdef const SultanSide *t = &pair.target
    cdef int evidence = 0
    cdef Py_ssize_t a, b
    if s.word[i].category != t.word[j].category:
        return 0
    for a in range(s.start[i], s.start[i + 1]):
        for b in range(t.start[j], t.start[j + 1]):
            if _is_context(pair, &s.arc[a], &t.arc[b]):
                evidence += similarity(pair, s.arc[a].other, t.arc[b].other)
    return evidence


cdef int _text_evidence(const SultanPair *pair, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
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


cdef int _stop_dependency_evidence(
    const SultanPair *pair, Py_ssize_t i, Py_ssize_t j
) noexcept nogil:
    """Return the number of linked words with equivalent dependencies on two words, in tenths."""
    cdef const SultanSide *s = &pair.source
    cdef const SultanSide *t = &pair.target
    cdef int evidence = 0
    cdef Py_ssize_t a, b
    for a in range(s.start[i], s.start[i + 1]):
        for b in range(t.start[j], t.start[j + 1]):
            if (
                s.arc[a].is_down == t.arc[b].is_down and s.arc[a].type == t.arc[b].type
                and is_linked(pair, s.arc[a].other, t.arc[b].other)
            ):
                evidence += 10
    return evidence


cdef int _stop_text_evidence(const SultanPair *pair, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    """Return the number of linked left and right neighbours of two words, in tenths."""
    cdef int evidence = 0
    if i and j and is_linked(pair, i - 1, j - 1):
        evidence += 10
    if i + 1 < pair.source.n and j + 1 < pair.target.n and is_linked(pair, i + 1, j + 1):
        evidence += 10
    return evidence


cdef void _link_contexts(SultanPair *pair, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
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


cdef void _align_best_first(SultanPair *pair, Candidate *found, int rule) noexcept nogil:
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
            if rule == DEPENDENCY:
                evidence = _dependency_evidence(pair, i, j)
            elif rule == TEXT:
                evidence = _text_evidence(pair, i, j)
            elif rule == STOP_DEPENDENCY:
                evidence = _stop_dependency_evidence(pair, i, j)
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


cdef void _align_words(SultanPair *pair, Candidate *found) noexcept nogil:
    """Algorithm 5; `found` has room for as many candidates as there are pairs of words."""
    _align_final_marks(pair)
    _align_sequences(pair, found)
    _align_names(pair)
    _align_best_first(pair, found, DEPENDENCY)
    _align_best_first(pair, found, TEXT)
    _align_best_first(pair, found, STOP_DEPENDENCY)
    _align_best_first(pair, found, STOP_TEXT)


cdef void *_room(Py_ssize_t n_bytes) except NULL:
    """Return as many bytes, all zero."""
    cdef void *room = calloc(max(n_bytes, 1), 1)
    if room == NULL:
        raise MemoryError(f"{n_bytes} bytes for a pair")
    return room


cdef void _free(SultanSide *side) noexcept:
    free(side.word)
    free(side.linked)
    free(side.start)
    free(side.arc)


cdef class SultanKernel:
    """Links two prepared sentences; threads must not share it.

    Parameters
    ----------
    listed : Paraphrases or None
        Pairs of similar words; without them, WordNet's relations are used.
    """

    cdef WordNet _wordnet
    cdef Paraphrases _listed
    cdef object _function_words
    cdef dict _strings, _numbers, _kinds
    cdef SultanWord *_words
    cdef Py_ssize_t _n_words, _capacity, _n_characters

    def __init__(self, WordNet wordnet not None, Paraphrases listed=None):
        self._wordnet = wordnet
        self._listed = listed
        self._function_words = frozenset(function_words())
        self._forget()

    def __dealloc__(self):
        free(self._words)

    cdef void _forget(self):
        self._n_words = self._n_characters = 0
        self._strings, self._numbers, self._kinds = {}, {}, {}

    def align(self, source, target):
        """Return the links of two sentences.

        Parameters
        ----------
        source, target : (tokens, tags, lemmas, dependencies)
            Sequences of str of equal length, and of (head, dependent, type) with 0-based tokens as
            head and dependent (not checked).

        Returns
        -------
        list of (int, int, int, int)
            Source token, target token, index in RULES and similarity in tenths, sorted.

        Raises
        ------
        MemoryError
        """
        if self._n_words + len(self._kinds) > MAX_KNOWN or self._n_characters > MAX_CHARACTERS:
            self._forget()
        cdef SultanSide empty = SultanSide(0, NULL, NULL, NULL, NULL)
        cdef SultanPair pair = SultanPair(empty, empty, NULL, NULL)
        cdef Candidate *found = NULL
        cdef Py_ssize_t i, j, n_cells
        try:
            self._fill(&pair.source, source)
            self._fill(&pair.target, target)
            n_cells = pair.source.n * pair.target.n
            pair.similarity = <uint8_t *>_room(n_cells)
            pair.rule = <uint8_t *>_room(n_cells)
            found = <Candidate *>_room(n_cells * sizeof(Candidate))
            for i in range(pair.source.n):
                for j in range(pair.target.n):
                    pair.similarity[i * pair.target.n + j] = self._compare(
                        pair.source.word + i, pair.target.word + j
                    )
            _align_words(&pair, found)
            return [
                (i, j, pair.rule[i * pair.target.n + j], similarity(&pair, i, j))
                for i in range(pair.source.n)
                for j in range(pair.target.n)
                if is_linked(&pair, i, j)
            ]
        finally:
            free(found)
            free(pair.rule)
            free(pair.similarity)
            _free(&pair.source)
            _free(&pair.target)

    cdef int _fill(self, SultanSide *side, prepared) except -1:
        tokens, tags, lemmas, arcs = prepared
        cdef Py_ssize_t k
        cdef int32_t head, dependent
        side.n = len(tokens)
        side.word = <SultanWord *>_room(side.n * sizeof(SultanWord))
        side.linked = <uint8_t *>_room(side.n)
        side.start = <int32_t *>_room((side.n + 1) * sizeof(int32_t))
        side.arc = <Arc *>_room(2 * len(arcs) * sizeof(Arc))
        for k in range(side.n):
            side.word[k] = self._words[self._word(tokens[k], tags[k], lemmas[k])]
        for head, dependent, _ in arcs:
            side.start[head] += 1
            side.start[dependent] += 1
        for k in range(side.n):
            side.start[k + 1] += side.start[k]
        # Arcs are filled from the end of each word's range, so that the ends become starts.
        for head, dependent, type_ in reversed(arcs):
            self._put(side, head, dependent, type_, True)
            self._put(side, dependent, head, type_, False)
        return 0

    cdef int _put(
        self, SultanSide *side, int32_t word, int32_t other, str type_, bint is_down
    ) except -1:
        cdef Arc *arc
        cdef int head = side.word[word if is_down else other].category
        cdef int dependent = side.word[other if is_down else word].category
        kind = self._kinds.get((type_, head, dependent))
        if kind is None:
            kind = self._add_kind(type_, head, dependent)
        side.start[word] -= 1
        arc = side.arc + side.start[word]
        arc.other = other
        arc.is_down = is_down
        arc.type, arc.same, arc.one, arc.other_way = kind
        return 0

    def _add_kind(self, str type_, int head, int dependent):
        """Return a type's number, and its rows in either table as bits."""
        ends = CATEGORIES[head], CATEGORIES[dependent]
        same = sum([
            1 << row for row, (*both, types) in enumerate(SAME_DIRECTION)
            if tuple(both) == ends and type_ in types
        ])
        one = sum([
            1 << row for row, (a, b, types, _) in enumerate(OPPOSITE_DIRECTIONS)
            if (a, b) == ends and type_ in types
        ])
        other_way = sum([
            1 << row for row, (a, b, _, types) in enumerate(OPPOSITE_DIRECTIONS)
            if (b, a) == ends and type_ in types
        ])
        self._n_characters += len(type_)
        kind = self._string(type_), same, one, other_way
        self._kinds[type_, head, dependent] = kind
        return kind

    cdef int32_t _string(self, str text) except -1:
        return self._strings.setdefault(text, len(self._strings))

    cdef Py_ssize_t _word(self, str token, str tag, str lemma) except -1:
        key = token, tag, lemma
        found = self._numbers.get(key)
        if found is not None:
            return found
        if self._n_words == self._capacity:
            self._grow()
        self._analyse(self._words + self._n_words, token, tag, lemma.lower())
        self._numbers[key] = self._n_words
        self._n_words += 1
        self._n_characters += 2 * len(token) + len(tag) + 2 * len(lemma)
        return self._n_words - 1

    cdef int _grow(self) except -1:
        cdef Py_ssize_t capacity = max(1024, 2 * self._capacity)
        cdef SultanWord *grown = <SultanWord *>realloc(self._words, capacity * sizeof(SultanWord))
        if grown == NULL:
            raise MemoryError("words")
        self._words = grown
        self._capacity = capacity
        return 0

    cdef int _analyse(self, SultanWord *word, str token, str tag, str lemma) except -1:
        cdef int k
        cdef str lower = token.lower()
        cdef str plain = canonical(token)
        cdef str letters = token.replace(".", "")
        word.form = self._string(lower)
        word.canonical = self._string(plain)
        word.lemma = self._string(lemma)
        word.category = CATEGORIES.index(category_of(tag))
        word.is_mark = not any(map(str.isalnum, token))
        word.is_stop = word.is_mark or lower in self._function_words
        word.is_final = lower in (".", "!", "?")
        word.is_like_itself = word.is_mark or "'" in token
        word.is_number = any(map(str.isdigit, plain)) and not any(map(str.isalpha, plain))
        word.is_name = tag in ("NNP", "NNPS")
        word.is_title = lower in TITLES
        word.first = ord(lower[0])
        word.n_initials = 0
        if 2 <= len(letters) <= MAX_INITIALS and letters.isalpha() and letters.isupper():
            word.n_initials = <int32_t>len(letters)
            for k, letter in enumerate(letters):
                word.initials[k] = ord(letter.lower()[0])
        word.listed_form = word.listed_lemma = -1
        for k in range(4):
            word.entries[k] = -1
        memset(&word.kin, 0, sizeof(Kin))
        if self._listed is not None:
            word.listed_form = self._listed.find(lower)
            word.listed_lemma = self._listed.find(lemma)
        elif not word.is_stop:
            self._wordnet.entries(lemma, word.entries)
            for k in range(4):
                if word.entries[k] >= 0:
                    add_kin(&self._wordnet.table, word.entries[k], &word.kin)
        return 0

    cdef int _compare(self, const SultanWord *a, const SultanWord *b) noexcept:
        """Return the similarity of two words in tenths."""
        if a.canonical == b.canonical or a.lemma == b.lemma:
            return EXACT
        if (
            a.is_stop != b.is_stop or a.is_like_itself or b.is_like_itself
            or (a.is_number and b.is_number)
        ):
            return 0
        if self._listed is None:
            return ALIKE if self._is_related(a, b) else 0
        if (
            paraphrases(&self._listed.table, a.listed_form, b.listed_form)
            or paraphrases(&self._listed.table, a.listed_lemma, b.listed_lemma)
        ):
            return ALIKE
        return 0

    cdef bint _is_related(self, const SultanWord *a, const SultanWord *b) noexcept:
        cdef int k, l, places = places_to_look(&a.kin, &b.kin)
        if not places:
            return False
        for k in range(4):
            for l in range(4):
                if (
                    a.entries[k] >= 0 and b.entries[l] >= 0
                    and relation(&self._wordnet.table, a.entries[k], b.entries[l], places) & RELATED
                ):
                    return True
        return False

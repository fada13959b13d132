"""Comparison of two words outside their sentences, its features, and its cache; and parts of names.

Opposites are antonyms of WordNet, words of one scale with grades of opposite signs, and a word with
its own negation (possible, impossible; careful, careless). Two words of one scale and sign differ
in grade. Names are unlike if nothing shared is known of them.

Pairs of words recur. `PairMemory`, a table of fixed size, holds the comparison of two lexemes and,
for each style, the weighted sum of the features that depend on them alone (`word_features`). A pair
has four possible places, of which new pairs take one in turn, row by row. Their keys lie together, apart from
what is known of the pairs: they fit into the processor's near caches, and half of all pairs are new.

By rules (`word_rule`) two words say the same though nothing else says so: by a variant of spelling, a
typo, a short form. Of several rules the first on the axis holds. Rules that ask for more than two
words are in _sentence_features.pyx.

Names (`mark_names`): "Abraham" belongs to "Lincoln" where both sentences say "Lincoln". Such a word
stands in the run of names around the repeated one, nowhere in the other sentence, and is no title.
"""

from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

import numpy as np

from tokalign.english.lexicon.lexical_tables cimport *
from tokalign.english.spelling.same_spelling cimport lengthened, typo, variant
from tokalign.features._emit cimport *
from tokalign.features._lexemes cimport common_prefix, similarities

cdef enum:
    LEAST_STEM = 4       # letters of a word that a prefix negates
    LONGEST_PREFIX = 4   # non-
    FAR = 2              # difference of grades that makes another statement
    SET_BITS = 15
    PLACE_BITS = 2
    N_PLACES = 1 << PLACE_BITS   # of a set: possible places of a pair
    N_PAIRS = 1 << (SET_BITS + PLACE_BITS)
    LANES = 4            # scores that are summed at once
    ID_BITS = 24         # of a lexeme's number: far more than are ever cached
    CACHE_LINE = 64
    # Typos and variants differ in at most so many letters, so most pairs need no comparison.
    MOST_UNLIKE = 4

cdef float LIKE = 0.87  # letters of one name, spelt in two ways


cdef extern from "_compiler.h" nogil:
    void _prefetch "TOKALIGN_PREFETCH"(const void *address) noexcept
    int _bits "tokalign_ones"(unsigned long long mask)

cdef extern from "features/_weighing.h" nogil:
    void _weigh "weigh_rows"(
        const float *weights, Py_ssize_t width, const int32_t *slot, const float *value, int n,
        float *scores,
    ) noexcept

# Strength V of each lexical class, in [0, 1]; the last four are close vectors.
cdef float[<int>N_CLASS] CLASS_STRENGTH = [
    1.0, 1.0, 0.95, 0.9, 0.8, 0.75, 0.75, 0.7, 0.7, 0.6, 0.5, 0.4, 0.4, 0.15, 0.1, 0.0,
    0.25, 0.45, 0.65, 0.75,
]


cdef bint _shares_part(const Lexeme *a, const Lexeme *b) noexcept nogil:
    """Whether a part of hyphenated `a` is the word `b`, its lemma, or a part of it."""
    cdef int k, m
    for k in range(N_PARTS):
        if a.parts[k] < 0:
            return False
        if a.parts[k] == b.lower_form or a.parts[k] == b.lemma:
            return True
        for m in range(N_PARTS):
            if b.parts[m] >= 0 and a.parts[k] == b.parts[m]:
                return True
    return False


cdef int _classify(const Lexeme *a, const Lexeme *b, LexicalPair *out) noexcept nogil:
    """Return the strongest lexical class of two words."""
    cdef int prefix
    cdef uint32_t relations = out.relations
    if a.lower_form == b.lower_form:
        return CLASS_IDENTICAL
    if a.canonical == b.canonical:
        return CLASS_CANONICAL
    if a.kind == KIND_MARK or b.kind == KIND_MARK or (a.number >= 0 and b.number >= 0):
        return CLASS_NONE
    if a.lemma == b.lemma:
        return CLASS_LEMMA
    if a.stem == b.stem:
        return CLASS_STEM
    if a.kind == KIND_FUNCTION or b.kind == KIND_FUNCTION:
        return CLASS_NONE
    if relations & SYNONYM:
        return CLASS_SYNONYM
    if out.are_paraphrases:
        return CLASS_PARAPHRASE
    if relations & (DERIVED | PERTAINYM):
        return CLASS_DERIVED
    prefix = common_prefix(&a.lower, &b.lower)
    if min(a.stem_length, b.stem_length) > 2 and prefix >= min(a.stem_length, b.stem_length):
        return CLASS_STEM_PREFIX
    if _shares_part(a, b) or _shares_part(b, a):
        return CLASS_HYPHEN
    if min(a.lower.n, b.lower.n) >= 4 and (
        out.similarity[SIMILARITY_LEVENSHTEIN] >= 0.75
        or out.similarity[SIMILARITY_JARO_WINKLER] > 0.93
    ):
        return CLASS_FUZZY
    if relations & ANTONYM:
        return CLASS_ANTONYM
    if prefix >= 0.55 * max(a.lower.n, b.lower.n):
        return CLASS_PREFIX
    if relations & (HYPERNYM | HYPONYM | HYPERNYM_WITHIN_3 | HYPONYM_WITHIN_3):
        return CLASS_HYPERNYM
    if relations & (SIMILAR | ENTAILING | CAUSING | VERB_GROUP | DERIVED_SYNONYM):
        return CLASS_NEAR
    if relations & COHYPONYM:
        return CLASS_COHYPONYM
    return CLASS_NONE


cdef void compare(
    const Lexeme *a, const Lexeme *b, const Tables *tables, LexicalPair *out
) noexcept nogil:
    """Fill `out` with the comparison of two lexemes."""
    cdef int k, m, places
    similarities(&a.lower, &b.lower, out.similarity)
    out.relations = 0
    if a.kind == KIND_CONTENT and b.kind == KIND_CONTENT:
        places = places_to_look(&a.kin, &b.kin)
        for k in range(N_ENTRIES if places else 0):
            for m in range(N_ENTRIES if a.entries[k] >= 0 else 0):
                if b.entries[m] >= 0:
                    # WordNet's hypernyms have their words' part of speech.
                    out.relations |= relation(
                        tables.wordnet, a.entries[k], b.entries[m],
                        places if k == m else places & IN_NEIGHBOURS,
                    )
    out.cosine = 0.0
    if a.vector >= 0 and b.vector >= 0:
        out.cosine = cosine(tables.vectors, a.vector, b.vector)
    out.are_paraphrases = tables.paraphrases != NULL and (
        paraphrases(tables.paraphrases, a.paraphrases[0], b.paraphrases[0])
        or paraphrases(tables.paraphrases, a.paraphrases[1], b.paraphrases[1])
    )
    out.lexical_class = _classify(a, b, out)
    # Vectors of antonyms are close too; any other class yields to a stronger one of the vectors.
    if out.cosine >= least_closeness() and out.lexical_class != CLASS_ANTONYM:
        k = CLASS_NONE + bin_closeness(out.cosine)
        if CLASS_STRENGTH[k] > CLASS_STRENGTH[out.lexical_class]:
            out.lexical_class = k
    out.strength = CLASS_STRENGTH[out.lexical_class]
    out.contrast = contrast(
        a, b, out.relations, out.lexical_class, out.similarity[SIMILARITY_JARO_WINKLER]
    )


cdef bint _spells(const Lexeme *word, int first, const char *letters, int n) noexcept nogil:
    """Whether a word has these n letters from `first` on."""
    cdef int k
    if word.lower.n < first + n:
        return False
    for k in range(n):
        if word.lower.code[first + k] != <uint32_t>letters[k]:
            return False
    return True


cdef bint _same_letters(
    const Lexeme *a, int first, int n, const Lexeme *b, int start
) noexcept nogil:
    """Whether n letters of one word from `first` on are those of the other one from `start` on."""
    cdef int k
    for k in range(n):
        if a.lower.code[first + k] != b.lower.code[start + k]:
            return False
    return True


cdef int _negating_prefix(const Lexeme *word, int first) noexcept nogil:
    """Return the length of a prefix at `first` that may negate the rest of a word, or 0.

    In verbs and nouns in-, im-, il- and ir- seldom negate: inform, import.
    """
    cdef bint is_quality = word.coarse == COARSE_ADJECTIVE or word.coarse == COARSE_ADVERB
    if _spells(word, first, b"non", 3):
        return 4 if word.lower.code[first + 3] == c'-' else 3
    if _spells(word, first, b"dis", 3):
        return 3
    if _spells(word, first, b"un", 2):
        return 2
    if is_quality and word.lower.code[first] == c'i' and (
        _spells(word, first, b"in", 2) or _spells(word, first, b"im", 2)
        or _spells(word, first, b"il", 2) or _spells(word, first, b"ir", 2)
    ):
        return 2
    return 0


cdef int _last_part(const Lexeme *word) noexcept nogil:
    """Return where the last part of a hyphenated word begins, 0 for another word."""
    cdef int k = <int>word.lower.n
    if word.parts[1] < 0:
        return 0
    while k > 0 and word.lower.code[k - 1] != c'-':
        k -= 1
    return k


cdef bint _may_be_one_part(const Lexeme *word, const Lexeme *other) noexcept nogil:
    """Whether two words are of one part of speech; participles are verbs and adjectives."""
    return word.coarse == other.coarse or (
        word.coarse in (COARSE_VERB, COARSE_ADJECTIVE)
        and other.coarse in (COARSE_VERB, COARSE_ADJECTIVE)
    )


cdef bint _negates_from(const Lexeme *word, int first, const Lexeme *other) noexcept nogil:
    """Whether a word is the other one but for a prefix at `first` that negates the rest."""
    cdef int n_other = <int>other.lower.n
    cdef int n
    if n_other - first < LEAST_STEM or not _same_letters(word, 0, first, other, 0):
        return False
    n = _negating_prefix(word, first)
    return n > 0 and word.lower.n == n + n_other and _same_letters(
        word, first + n, n_other - first, other, first
    )


cdef bint _negates_form(const Lexeme *word, const Lexeme *other) noexcept nogil:
    """Whether a word is the other one, or its last part, negated by a prefix or by -less for -ful."""
    cdef int n_other = <int>other.lower.n
    if not 0 < word.lower.n - n_other <= LONGEST_PREFIX:
        return False  # as most
    if _negates_from(word, 0, other) or _negates_from(word, _last_part(other), other):
        return _may_be_one_part(word, other)
    if (
        word.lower.n == n_other + 1 and _spells(word, n_other - 3, b"less", 4)
        and _spells(other, n_other - 3, b"ful", 3)
    ):
        return _same_letters(word, 0, n_other - 3, other, 0)
    return False


cdef uint8_t _compare_grades(const Lexeme *a, const Lexeme *b) noexcept nogil:
    """Return the difference in grade of two words on the first scale that they share."""
    cdef int k, m, difference
    for k in range(a.n_scales):
        for m in range(b.n_scales):
            if a.scale[k] != b.scale[m]:
                continue
            difference = a.grade[k] - b.grade[m]
            if a.grade[k] * b.grade[m] < 0:
                return CONTRAST_OPPOSITE
            if difference == 0:
                return CONTRAST_LEVEL
            return <uint8_t>(
                (CONTRAST_HIGHER if difference * a.grade[k] > 0 else CONTRAST_LOWER)
                | (CONTRAST_FAR if difference >= FAR or difference <= -FAR else 0)
            )
    return 0


cdef bint _is_short(const Lexeme *a, const Lexeme *b) noexcept nogil:
    """Whether a name, without its dot, begins another one: Brig., J."""
    cdef int n = <int>a.lower.n
    n -= n > 0 and a.lower.code[n - 1] == c'.'
    return 0 < n <= b.lower.n and _same_letters(a, 0, n, b, 0)


cdef bint _are_unlike_names(
    const Lexeme *a, const Lexeme *b, uint32_t relations, int lexical_class, float likeness
) noexcept nogil:
    """Whether two names have nothing in common: neither is short for the other, or misspelt."""
    return (
        a.coarse == COARSE_NAME and b.coarse == COARSE_NAME
        and a.kind == KIND_CONTENT and b.kind == KIND_CONTENT
        and not a.is_title and not b.is_title and likeness < LIKE
        and (a.initials >= 0) == (b.initials >= 0) and not _is_short(a, b)
        and not _is_short(b, a)
        and lexical_class >= CLASS_COHYPONYM
        and not relations & ~<uint32_t>COHYPONYM
    )


cdef uint8_t contrast(
    const Lexeme *a, const Lexeme *b, uint32_t relations, int lexical_class, float likeness
) noexcept nogil:
    """Return the CONTRAST_ bits of two words that were compared; `likeness` is that of their
    letters (Jaro-Winkler)."""
    cdef uint8_t grades
    if lexical_class <= CLASS_LEMMA or a.kind == KIND_MARK or b.kind == KIND_MARK:
        return 0
    grades = _compare_grades(a, b)
    if grades:
        return grades
    if (relations & ANTONYM and not relations & (SYNONYM | SIMILAR)) or (
        _negates_form(a, b) or _negates_form(b, a)
    ):
        return CONTRAST_OPPOSITE
    if _are_unlike_names(a, b, relations, lexical_class, likeness):
        return CONTRAST_NAMES
    return 0


cdef bint _is_known(const Lexeme *word) noexcept nogil:
    """Whether a word is in a table or list, or is a number, and so is hardly a typo."""
    cdef int k
    if word.vector >= 0 or word.function_word >= 0 or word.number >= 0:
        return True
    for k in range(N_ENTRIES):
        if word.entries[k] >= 0:
            return True
    return False


cdef bint _abbreviates(const Lexeme *a, const Lexeme *b) noexcept nogil:
    """Whether `a` is short for the single word `b`."""
    cdef const int32_t *ids = a.facts.expansions
    while ids[0]:
        if ids[0] == 1 and (
            ids[1] == b.lower_form or (ids[1] == b.lemma and b.kind == KIND_CONTENT)
        ):
            return True
        ids += 1 + ids[0]
    return False


cdef uint8_t word_rule(const Lexeme *a, const Lexeme *b, int lexical_class) noexcept nogil:
    """Return the rule of two words outside their sentences: 0, or 1 plus its place."""
    cdef Letters one, other
    cdef bint are_alike = _bits(a.lower.letters ^ b.lower.letters) <= MOST_UNLIKE
    cdef bint may_err
    if lexical_class <= CLASS_STEM or not (are_alike or a.stands_for_more or b.stands_for_more):
        return NO_RULE
    may_err = are_alike and not (_is_known(a) and _is_known(b))
    spell(a, &one)
    spell(b, &other)
    if are_alike and variant(&one, &other):
        return 1 + RULE_VARIANT
    if (
        a.stands_for_more and b.stands_for_more and a.facts.code_name >= 0
        and a.facts.code_name == b.facts.code_name
    ):
        return 1 + RULE_CODE_NAME
    if may_err and lengthened(&one, &other):
        return 1 + RULE_LENGTHENED
    if (a.stands_for_more and _abbreviates(a, b)) or (b.stands_for_more and _abbreviates(b, a)):
        return 1 + RULE_SHORT_FORM
    if may_err and typo(&one, &other):
        return 1 + RULE_TYPO
    return NO_RULE


cdef void word_features(
    const Lexeme *a, const Lexeme *b, const LexicalPair *lexical, AnySink *sink
) noexcept nogil:
    """Emit the features of two words outside their sentences."""
    cdef int kinds = kinds_of(a, b)
    cdef int cases = pair_cases(a.case_, b.case_)
    cdef uint32_t relations
    cdef int k
    cdef float largest = 0.0
    if lexical.similarity[SIMILARITY_JACCARD] > 0.0:  # else no character is shared
        for k in range(N_SIMILARITY):
            if lexical.similarity[k] > 0.0:
                emit_string(sink, k, lexical.similarity[k])
                largest = max(largest, lexical.similarity[k])
    if a.lower_form == b.lower_form:
        emit_identical(sink, IDENTITY_IGNORING_CASE)
        if a.form == b.form:
            emit_identical(sink, IDENTITY_EXACTLY)
    elif lexical.are_paraphrases:
        emit_paraphrase(sink, pos_of(a, b))
    emit_pos_match(sink, pos_of(a, b))
    emit_tag_pair(sink, pair_tags(a.tag, b.tag))
    relations = lexical.relations
    k = 0
    while relations:
        if relations & 1:
            emit_wordnet(sink, k)
        relations >>= 1
        k += 1
    if a.lemma == b.lemma:
        emit_wordnet(sink, WORDNET_RELATION_SAME_LEMMA)

    emit_lexical_class(sink, lexical.lexical_class, kinds, pair_coarses(a.coarse, b.coarse))
    if lexical.lexical_class == CLASS_NONE:
        emit_unrelated(sink, bin_likeness(largest), kinds, cases)
        if a.function_word >= 0 and b.function_word >= 0:
            emit_function_pair(sink, a.function_word, b.function_word)
    elif lexical.lexical_class == CLASS_IDENTICAL:
        emit_identical_case(sink, kinds, cases)
        if a.function_word >= 0:
            emit_same_word(sink, a.function_word)
    if a.number >= 0 and b.number >= 0:
        emit_number(sink, NUMBERS_EQUAL if a.number == b.number else NUMBERS_DIFFERENT)


cdef inline uint64_t _key_of(const Lexeme *a, const Lexeme *b) noexcept nogil:
    """Return the number of a pair, which is not 0."""
    return <uint64_t>1 << (2 * ID_BITS) | <uint64_t>a.id << ID_BITS | <uint64_t>b.id


cdef inline Py_ssize_t _set_of(uint64_t key) noexcept nogil:
    """Return the first of the places that a pair may have."""
    return (key * <uint64_t>0x9E3779B97F4A7C15) >> (64 - SET_BITS) << PLACE_BITS


cdef class PairMemory:
    """Compares words and caches the results; threads must not share it.

    `base` [n_templates]: first slot of every feature template, -1 to switch one off; stays
    referenced. `weights` [n_styles, n_slots, 2]: for s2t and t2s; without them all scores are 0.
    `n_asked`, `n_compared`: number of word pairs asked for, and of those that were not in the cache.
    """

    def __init__(self, const int32_t[::1] base, const float[:, :, ::1] weights=None) -> None:
        cdef Py_ssize_t n_styles = 1 if weights is None else weights.shape[0]
        self._base = base  # stays alive
        self._sink.base = &base[0]
        self._uses_rules = base[<int>RULE] >= 0
        self.width = (2 * n_styles + LANES - 1) // LANES * LANES
        self._weights = None
        if weights is not None:
            by_slot = np.zeros((weights.shape[1], self.width), dtype=np.float32)
            # Of 8 bytes each, as copying pairs of numbers takes long.
            pairs = np.asarray(weights).view(np.complex64)[:, :, 0]
            by_slot.view(np.complex64)[:, :n_styles] = pairs.T
            self._weights = by_slot
        self._stride = sizeof(WordPair) + self.width * sizeof(float)
        # A pair is read from as few lines of the processor's caches as there can be.
        self._stride = (self._stride + CACHE_LINE // 2 - 1) // (CACHE_LINE // 2) * (CACHE_LINE // 2)
        # Pages from calloc take no memory until a pair is written there.
        free(self._block)
        self._block = <char *>calloc(N_PAIRS * (sizeof(uint64_t) + self._stride) + CACHE_LINE, 1)
        if self._block == NULL:
            raise MemoryError("memory of word pairs")
        self._keys = <uint64_t *>(
            self._block + CACHE_LINE - <size_t>self._block % <size_t>CACHE_LINE
        )
        self._pairs = <char *>(self._keys + N_PAIRS)

    def __dealloc__(self):
        free(self._block)

    cdef void clear(self) noexcept nogil:
        """Clear the cache, as is needed when lexemes are renumbered."""
        memset(self._keys, 0, N_PAIRS * sizeof(uint64_t))

    cdef inline Py_ssize_t _find(self, uint64_t key) noexcept nogil:
        """Return the place of a pair, or -1."""
        cdef Py_ssize_t first = _set_of(key)
        cdef int k
        for k in range(N_PLACES):
            if self._keys[first + k] == key:
                return first + k
        return -1

    cdef void _fetch(self, const Lexeme *word, const Side *others, Py_ssize_t turn) noexcept nogil:
        """Have the processor fetch what is known of a word and others, or where it will be put."""
        cdef Py_ssize_t j, place
        cdef uint64_t key
        for j in range(others.n):
            key = _key_of(word, others.word[j])
            place = self._find(key)
            if place < 0:
                place = _set_of(key) + turn % N_PLACES
            _prefetch(self._pairs + place * self._stride)

    cdef void fill(self, PairState *pair, const Tables *tables) noexcept nogil:
        """Fill the comparison of all cells and word_score."""
        cdef const Lexeme **others = pair.target.word
        cdef Py_ssize_t n_target = pair.target.n
        cdef Py_ssize_t i, j, k, cell, place
        cdef uint64_t key
        cdef const WordPair *known
        cdef float *scores = pair.word_score
        cdef const float *of_pair
        self._fetch(pair.source.word[0], &pair.target, self._turn)
        for i in range(pair.source.n):
            if i + 1 < pair.source.n:
                self._fetch(pair.source.word[i + 1], &pair.target, self._turn + 1)
            for j in range(n_target):
                cell = i * n_target + j
                key = _key_of(pair.source.word[i], others[j])
                place = self._find(key)
                if place < 0:
                    place = self._compare(pair.source.word[i], others[j], tables, key)
                known = <const WordPair *>(self._pairs + place * self._stride)
                of_pair = <const float *>(known + 1)
                for k in range(self.width // LANES):
                    memcpy(scores, of_pair + k * LANES, LANES * sizeof(float))
                    scores += LANES
                pair.cosine[cell] = known.cosine
                pair.relations[cell] = known.relations
                pair.contrast[cell] = known.contrast
                pair.lexical_class[cell] = known.lexical_class
                pair.rule[cell] = known.rule
                pair.strength[cell] = CLASS_STRENGTH[known.lexical_class]
            self._turn = (self._turn + 1) % N_PLACES
        self.n_asked += pair.source.n * n_target

    cdef Py_ssize_t _compare(
        self, const Lexeme *a, const Lexeme *b, const Tables *tables, uint64_t key
    ) noexcept nogil:
        """Compare two lexemes, put them in the place of another pair, and return it."""
        cdef Py_ssize_t place = _set_of(key) + self._turn
        cdef WordPair *known = <WordPair *>(self._pairs + place * self._stride)
        cdef LexicalPair lexical
        self.n_compared += 1
        compare(a, b, tables, &lexical)
        self._keys[place] = key
        known.cosine = lexical.cosine
        known.relations = lexical.relations
        known.contrast = lexical.contrast
        known.lexical_class = lexical.lexical_class
        known.rule = word_rule(a, b, lexical.lexical_class) if self._uses_rules else 0
        if self._weights is not None:
            self._sink.n = 0
            word_features(a, b, &lexical, &self._sink)
            _weigh(
                &self._weights[0, 0], self.width, self._sink.slot, self._sink.value,
                self._sink.n, <float *>(known + 1),
            )
        return place


cdef inline bint _is_name(const Side *side, Py_ssize_t k) noexcept nogil:
    return 0 <= k < side.n and side.word[k].coarse == COARSE_NAME and (
        side.word[k].case_ == CASE_CAPITALISED or side.word[k].case_ == CASE_UPPER
    )


cdef inline Py_ssize_t _only_place(const Side *side, int32_t lower_form) noexcept nogil:
    """Return the index of a word, ignoring case; -1 if it is absent, -2 if it is repeated."""
    cdef Py_ssize_t k, place = -1
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

"""Lexemes, which hold all that is known of a word outside its sentence; and string similarity.

Words recur, so a lexeme (form, tag, lemma) is analysed once and cached.

Each similarity is a ratio in [0, 1] with 1 for identical words. The set is that of Yao et al.
(2013), section 3.3. Words are compared as sequences of code points; the caller decides on case.
Words longer than MAX_CHARS are cut, so that every array has a fixed size and the bit-parallel
kernels need one machine word per character: the mask of its positions in the other word.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy

from tokalign.english.values.value_finding cimport fill_pieces, may_hold_value
from tokalign.english.values.value_structs cimport MAX_PIECES, Piece
from tokalign.features.pair cimport *

from tokalign.english.annotate.tags_and_relations import COARSE_INDEX, TAG_INDEX
from tokalign.english.spelling.same_spelling import stem
from tokalign.english.lexicon.word_lists import (
    MARKS,
    NEGATION,
    NUMBER_FACTOR,
    TITLES,
    canonical,
    function_words,
    hint_bits,
    listed_words,
    scale_names,
    scales,
)
from tokalign.english.spelling.spelling_tables import code_words, expansions, short_forms
from tokalign.english.values.token_readings import CASED, LOWER

cdef enum:
    PLAIN = 256          # code points below are looked up in a table
    ENTRY_BYTES = 1000   # of a lexeme's key, its strings' heads, and its places in the tables

cdef extern from "_compiler.h" nogil:
    int _ones "tokalign_ones"(uint64_t bits) noexcept
    int _lowest "tokalign_lowest"(uint64_t bits) noexcept  # bits must not be 0

cdef dict SCALES = scales()
cdef dict SCALE_NUMBERS = {name: number for number, name in enumerate(scale_names())}
cdef int NEGATING = SCALE_NUMBERS[NEGATION]
cdef double FACTOR_OF_NUMBERS = NUMBER_FACTOR

# In lower case: all words of letters that lists say something of. CASED has those that matter as
# written.
cdef frozenset LISTED = listed_words().union(short_forms(), LOWER)
cdef dict TAG_HINTS = {tag: hint_bits("plain", tag) for tag in TAG_INDEX}  # of other words

cdef int UNKNOWN_TAG = TAG_INDEX["XX"]
cdef int UNKNOWN_COARSE = COARSE_INDEX["XX"]


cdef size_t characters_bytes(Py_ssize_t length) noexcept nogil:
    """Return the bytes, aligned for 64 bits, that fill_characters needs for so many characters."""
    cdef size_t n = min(length, <Py_ssize_t>MAX_CHARS)
    return (2 * sizeof(uint64_t) + sizeof(uint32_t)) * (n + n % 2)


cdef uint64_t ALONE = <uint64_t>1 << 63  # no bigram of two characters has it


cdef int fill_characters(str word, Characters *out, void *memory) except -1:
    """Prepare a word; `memory` has characters_bytes(len(word)) bytes."""
    cdef int n = <int>min(len(word), <Py_ssize_t>MAX_CHARS)
    cdef uint64_t *bigram = <uint64_t *>memory
    cdef uint64_t *trigram = bigram + n
    cdef uint32_t *code = <uint32_t *>(trigram + n)
    cdef uint64_t left, right
    cdef int k
    out.n = n
    out.bigram = bigram
    out.trigram = trigram
    out.code = code
    out.letters = 0
    out.is_plain = True
    for k in range(n):
        code[k] = <uint32_t>word[k]
        out.letters |= <uint64_t>1 << (code[k] & 63)
        out.is_plain &= 0 < code[k] < PLAIN
    if n == 1:
        bigram[0] = ALONE | code[0]
    for k in range(n - 1):
        bigram[k] = (<uint64_t>code[k] << 21) | code[k + 1]
    for k in range(n):
        left = code[k - 1] if k > 0 else 0
        right = code[k + 1] if k + 1 < n else 0
        trigram[k] = (left << 42) | (<uint64_t>code[k] << 21) | right
    _sort(bigram, n - 1)
    _sort(trigram, n)
    return 0


cdef void _sort(uint64_t *values, int n) noexcept nogil:
    """Insertion sort, for few values."""
    cdef int k, place
    cdef uint64_t value
    for k in range(1, n):
        value = values[k]
        place = k
        while place > 0 and values[place - 1] > value:
            values[place] = values[place - 1]
            place -= 1
        values[place] = value


cdef int _shared(const uint64_t *a, int n_a, const uint64_t *b, int n_b) noexcept nogil:
    """Return the size of the multiset intersection of two sorted arrays."""
    cdef int i = 0, j = 0, shared = 0
    while i < n_a and j < n_b:
        if a[i] == b[j]:
            shared += 1
            i += 1
            j += 1
        elif a[i] < b[j]:
            i += 1
        else:
            j += 1
    return shared


cdef int common_prefix(const Characters *a, const Characters *b) noexcept nogil:
    """Return the length of the longest common prefix."""
    cdef int k = 0
    cdef int shorter = min(a.n, b.n)
    while k < shorter and a.code[k] == b.code[k]:
        k += 1
    return k


cdef int _common_suffix(const Characters *a, const Characters *b) noexcept nogil:
    cdef int k = 0
    cdef int shorter = min(a.n, b.n)
    while k < shorter and a.code[a.n - 1 - k] == b.code[b.n - 1 - k]:
        k += 1
    return k


cdef void _find_places(const Characters *a, const Characters *b, uint64_t *place) noexcept nogil:
    """Write, for each character of `a`, the mask of its positions in `b`."""
    cdef uint64_t[<int>PLAIN] table
    cdef int i, j
    if not (a.is_plain and b.is_plain):
        for i in range(a.n):
            place[i] = 0
            for j in range(b.n):
                place[i] |= <uint64_t>(a.code[i] == b.code[j]) << j
        return
    # Only the entries of these two words' characters are ever read.
    for i in range(a.n):
        table[a.code[i]] = 0
    for j in range(b.n):
        table[b.code[j]] = 0
    for j in range(b.n):
        table[b.code[j]] |= <uint64_t>1 << j
    for i in range(a.n):
        place[i] = table[a.code[i]]


cdef float _jaro_winkler(
    const Characters *a, const Characters *b, uint64_t matched_a, uint64_t matched_b
) noexcept nogil:
    """Return Jaro's similarity, raised by common prefixes of up to 4 characters above 0.7.

    Winkler (1990), "String comparator metrics and enhanced decision rules", with scale 0.1.
    """
    cdef int matches = 0, transposed = 0
    while matched_a:
        matches += 1
        transposed += a.code[_lowest(matched_a)] != b.code[_lowest(matched_b)]
        matched_a &= matched_a - 1
        matched_b &= matched_b - 1
    if matches == 0:
        return 0.0
    cdef double m = matches
    cdef double jaro = (m / a.n + m / b.n + (m - transposed // 2) / m) / 3.0
    if jaro > 0.7:
        jaro += 0.1 * min(4, common_prefix(a, b)) * (1.0 - jaro)
    return <float>jaro


cdef float _jaccard(const Characters *a, const Characters *b) noexcept nogil:
    """Return shared / all of the two sets of characters, by code point mod 64."""
    return <float>_ones(a.letters & b.letters) / _ones(a.letters | b.letters)


# One function, since what the comparisons share lives in registers from its first loop to its last.
cdef void similarities(const Characters *a, const Characters *b, float *out) noexcept nogil:
    """Write all N_SIMILARITY of two non-empty words.

    Bit-parallel, one step for each character of `a`: Jaro's matches; the distance of Levenshtein by
    Hyyro (2003), "A bit-vector algorithm for computing Levenshtein and Damerau edit distances",
    figure 3; and whether there are shared bigrams and trigrams to count, as in few words.
    """
    cdef int k
    cdef int longer = max(a.n, b.n)
    cdef uint64_t of_b = ~<uint64_t>0 >> (64 - b.n)  # all places in b
    cdef uint64_t one = 1                            # the place in b that is k
    cdef uint64_t[<int>MAX_CHARS + 1] place
    cdef uint64_t here, both, free, diagonal, plus, minus
    # Of Jaro: the places within reach, and those taken.
    cdef int window = max(longer // 2 - 1, 0)
    cdef uint64_t near = ~<uint64_t>0 >> (63 - min(window, 63))
    cdef uint64_t matched_a = 0, matched_b = 0
    # Of Levenshtein: where the distance of what was read of `a` to the start of `b` rises and falls.
    cdef uint64_t positive = ~<uint64_t>0
    cdef uint64_t negative = 0
    cdef int distance
    # Of n-grams: places that follow the character before; the start follows what is before it.
    cdef uint64_t before = 1
    cdef uint64_t bigram = not (a.is_plain and b.is_plain) or a.n == 1 or b.n == 1
    cdef uint64_t trigram = bigram, equal = 0
    cdef int bigrams = 0, trigrams = 0
    for k in range(N_SIMILARITY):
        out[k] = 0.0
    if not a.letters & b.letters:
        return  # no character in common: every similarity is 0
    _find_places(a, b, place)
    place[a.n] = 0
    for k in range(a.n):
        here = place[k]
        equal |= here & one
        free = here & near & ~matched_b
        matched_b |= free & (~free + 1)  # the first of them
        if free:
            matched_a |= one
        # the places k + 1 - window..k + 1 + window come next
        near = (near << 1) | (k < window)
        diagonal = (((here & positive) + positive) ^ positive) | here | negative
        plus = negative | ~(diagonal | positive)
        minus = diagonal & positive
        plus = (plus << 1) | 1
        positive = (minus << 1) | ~(diagonal | plus)
        negative = plus & diagonal
        both = before & here
        bigram |= here & (place[k + 1] >> 1)
        trigram |= both & (place[k + 1] >> 1)
        before = here << 1
        one <<= 1
    distance = a.n + _ones(positive & of_b) - _ones(negative & of_b)
    trigram |= both & (of_b ^ of_b >> 1)  # the end follows the last character
    if bigram:
        bigrams = _shared(a.bigram, max(a.n - 1, 1), b.bigram, max(b.n - 1, 1))
    if trigram:
        trigrams = _shared(a.trigram, a.n, b.trigram, b.n)
    out[SIMILARITY_JARO_WINKLER] = _jaro_winkler(a, b, matched_a, matched_b)
    out[SIMILARITY_DICE_SORENSEN] = 2.0 * bigrams / (max(a.n - 1, 1) + max(b.n - 1, 1))
    out[SIMILARITY_HAMMING] = <float>_ones(equal) / longer
    out[SIMILARITY_JACCARD] = _jaccard(a, b)
    out[SIMILARITY_LEVENSHTEIN] = 1.0 - <float>distance / longer
    out[SIMILARITY_NGRAM] = <float>trigrams / longer
    out[SIMILARITY_PREFIX] = <float>common_prefix(a, b) / longer
    out[SIMILARITY_SUFFIX] = <float>_common_suffix(a, b) / longer


cdef RuleFacts *_rule_facts(
    str form, str lower, bint is_plain, int32_t code_name, list expansions
) except NULL:
    """Return the facts of a word; the caller frees them.

    `expansions` has a list of word ids for each meaning of the word as a short form.
    """
    cdef Piece[MAX_PIECES] piece
    cdef int n_pieces = 0 if is_plain else fill_pieces(form, piece)
    cdef size_t n_bytes = sizeof(RuleFacts) + n_pieces * sizeof(Piece)
    cdef RuleFacts *facts
    cdef int32_t *place
    cdef Py_UCS4 character
    n_bytes += sizeof(int32_t)
    for ids in expansions:
        n_bytes += sizeof(int32_t) * (1 + len(ids))
    facts = <RuleFacts *>malloc(n_bytes)
    if facts == NULL:
        raise MemoryError("facts of a word")
    facts.n_bytes = n_bytes
    facts.n_letters = 0
    for character in lower:
        facts.n_letters += is_plain or character.isalnum()
    facts.code_name = code_name
    facts.may_hold_value = may_hold_value(piece, n_pieces)
    facts.n_pieces = n_pieces
    facts.pieces = <Piece *>(facts + 1)
    memcpy(facts + 1, piece, n_pieces * sizeof(Piece))
    place = <int32_t *>(facts.pieces + n_pieces)
    facts.expansions = place
    for ids in expansions:
        place[0] = <int32_t>len(ids)
        place += 1
        for number in ids:
            place[0] = number
            place += 1
    place[0] = 0
    return facts


cdef class LexemeTable:
    """Lexemes by form, tag and lemma; threads must not share it."""

    def __init__(self, WordNet wordnet, Vectors vectors=None, Paraphrases paraphrases=None,
                 Frequencies frequencies=None) -> None:
        self.wordnet = wordnet
        self.frequencies = frequencies
        self.vectors = vectors
        self.paraphrases = paraphrases
        self.tables.wordnet = &wordnet.table
        self.tables.vectors = NULL if vectors is None else &vectors.table
        self.tables.paraphrases = NULL if paraphrases is None else &paraphrases.table
        self._function_words = {
            word: index for index, word in enumerate([*function_words(), *MARKS])
        }
        self.clear()

    def __dealloc__(self):
        self._release()
        free(self._lexemes)

    cdef void _release(self) noexcept nogil:
        """Free all lexemes."""
        cdef Py_ssize_t k
        for k in range(self._n_lexemes):
            free(self._lexemes[k].facts)
            free(self._lexemes[k])
        self._n_lexemes = 0

    cdef void clear(self):
        """Clear the table. Lexeme pointers become invalid."""
        self._release()
        self.n_bytes = 0
        self._ids = {}
        self._strings = {}

    def __len__(self):
        return self._n_lexemes

    cdef int32_t _string_id(self, str text):
        return self._strings.setdefault(text, len(self._strings))

    cdef int _grow(self) except -1:
        cdef Py_ssize_t capacity = max(1024, 2 * self._capacity)
        cdef Lexeme **grown = <Lexeme **>realloc(self._lexemes, capacity * sizeof(Lexeme *))
        if grown == NULL:
            raise MemoryError("table of lexemes")
        self._lexemes = grown
        self._capacity = capacity
        return 0

    cdef const Lexeme *lexeme(self, str form, str tag, str lemma) except NULL:
        """Return the analysis of a word; valid until clear()."""
        key = (form, tag, lemma)
        found = self._ids.get(key)
        if found is not None:
            return self._lexemes[<Py_ssize_t>found]
        return self._add(key, form, tag, lemma.lower())

    cdef const Lexeme *_add(self, tuple key, str form, str tag, str lemma) except NULL:
        """Analyse a word; `lemma` is lower-case."""
        cdef str lower = form.lower()
        cdef size_t n_bytes = sizeof(Lexeme) + characters_bytes(len(lower))
        if self._n_lexemes == self._capacity:
            self._grow()
        cdef Lexeme *word = <Lexeme *>calloc(1, n_bytes)
        if word == NULL:
            raise MemoryError("lexeme")
        try:
            self._analyse(word, form, lower, tag, lemma)
        except BaseException:
            free(word)
            raise
        word.id = <int32_t>self._n_lexemes
        self._lexemes[self._n_lexemes] = word
        self._ids[key] = self._n_lexemes
        self._n_lexemes += 1
        # A character takes up to four bytes; the strings made of a form are no longer than it.
        self.n_bytes += <int64_t>n_bytes + ENTRY_BYTES
        self.n_bytes += 4 * (6 * len(form) + 2 * len(lemma) + len(tag))
        self.n_bytes += <int64_t>word.facts.n_bytes + 4 * 2 * len(form)
        return word

    cdef int _analyse(self, Lexeme *word, str form, str lower, str tag, str lemma) except -1:
        """Fill a lexeme, which is all zeros and followed by room for its characters.

        Most words that are met for the first time are of letters alone and in no list: what is
        asked of lists, patterns and signs is asked of the other ones only.
        """
        cdef int k
        cdef bint is_alpha = lower.isalpha() and form.isalpha()
        cdef bint is_plain = is_alpha and lower not in LISTED and form not in <dict>CASED
        cdef str plain = lower if is_plain else canonical(form)
        cdef str stemmed = stem(lower)
        cdef str letters
        fill_characters(lower, &word.lower, word + 1)
        word.form = self._string_id(form)
        word.lower_form = word.form if lower == form else self._string_id(lower)
        word.canonical = word.lower_form if is_plain else self._string_id(plain)
        word.lemma = word.lower_form if lemma == lower else self._string_id(lemma)
        word.stem = word.lower_form if stemmed == lower else self._string_id(stemmed)
        word.stem_length = <int32_t>len(stemmed)
        word.number = word.canonical if not is_plain and _is_number(plain) else -1
        word.tag = (<dict>TAG_INDEX).get(tag, UNKNOWN_TAG)
        word.coarse = (<dict>COARSE_INDEX).get(tag, UNKNOWN_COARSE)
        word.function_word = -1 if is_plain else self._function_words.get(lower, -1)
        if not is_alpha and not any(map(str.isalnum, form)):
            word.kind = KIND_MARK
        else:
            word.kind = KIND_FUNCTION if word.function_word >= 0 else KIND_CONTENT
        word.case_ = _case(form)
        word.is_title = not is_plain and lower in TITLES
        word.hints = TAG_HINTS.get(tag, 0) if is_plain else hint_bits(lower, tag)
        letters = form if is_plain else form.replace(".", "")
        word.initials = -1
        if 2 <= len(letters) <= 6 and letters.isalpha() and letters.isupper():
            word.initials = self._string_id(letters.lower())
        for k in range(N_PARTS):
            word.parts[k] = -1
        if not is_plain and "-" in lower:
            parts = [part for part in lower.split("-") if len(part) > 1]
            for k in range(min(len(parts), N_PARTS)):
                word.parts[k] = self._string_id(parts[k])
        word.idf = 1.0 if self.frequencies is None else self.frequencies.idf(lemma)
        word.weight = 0.0 if word.kind == KIND_MARK else word.idf
        if tag == "CD":
            word.weight *= FACTOR_OF_NUMBERS
        self._look_up(word, lower, lemma)
        if lower in SCALES or lemma in SCALES:
            self._place(word, lower, lemma)
        word.facts = self._facts(word, form, lower, tag, is_plain)
        return 0

    cdef int _place(self, Lexeme *word, str lower, str lemma) except -1:
        """Fill the grades of a word by its form, then its lemma, and whether it negates or denies."""
        cdef int k, scale
        cdef bint is_graded = False, is_degree = False
        cdef str name
        for name in (lower,) if lemma == lower else (lower, lemma):
            for each in SCALES.get(name, ()):
                is_graded = True
                scale = SCALE_NUMBERS[each[0]]
                if scale == NEGATING:
                    word.negates |= each[1] == 1
                    word.denies |= each[1] > 1
                if scale == NEGATING or is_degree:
                    continue
                for k in range(word.n_scales):
                    if word.scale[k] == scale:
                        break
                else:
                    if word.n_scales < N_SCALES:
                        word.scale[word.n_scales], word.grade[word.n_scales] = scale, each[1]
                        word.n_scales += 1
            is_degree = is_graded and name.endswith(("er", "est"))  # as "fewer", not "few"
        return 0

    cdef RuleFacts *_facts(
        self, Lexeme *word, str form, str lower, str tag, bint is_plain
    ) except NULL:
        """Return the facts of a word for rules, and fill in its first letter. A name, number,
        function word or possessive ending is not a short form of function words."""
        cdef bint stands_for_content = (
            word.coarse == COARSE_NAME or word.coarse == COARSE_NUMBER
            or word.kind == KIND_FUNCTION or tag == "POS"
        )
        cdef int32_t code_name = -1
        cdef list short_for = []
        cdef int k
        for k in range(word.lower.n):
            if (<Py_UCS4>word.lower.code[k]).isalnum():
                word.first_letter = word.lower.code[k]
                break
        # A plain word in one case, or with a capital first, is not an identifier of code.
        if not (is_plain and word.form == word.lower_form) and not (
            form.isalpha() and (form[1:].islower() or form.isupper())
        ):
            words = code_words(form)
            if words:
                code_name = self._string_id(" ".join(words))
        for expansion in () if is_plain else expansions(form):
            if stands_for_content and all([w in self._function_words for w in expansion.words]):
                continue
            short_for.append([self._string_id(each) for each in expansion.words])
        word.stands_for_more = code_name >= 0 or len(short_for) > 0
        return _rule_facts(form, lower, is_plain, code_name, short_for)

    cdef int _look_up(self, Lexeme *word, str lower, str lemma) except -1:
        """Look up a content word in the tables."""
        cdef int k
        for k in range(N_ENTRIES):
            word.entries[k] = -1
        word.vector = word.paraphrases[0] = word.paraphrases[1] = -1
        if word.kind != KIND_CONTENT:
            return 0
        self.wordnet.entries(lemma, word.entries)
        if lower != lemma:
            self.wordnet.entries(lower, word.entries)
        for k in range(N_ENTRIES):
            if word.entries[k] >= 0:
                add_kin(self.tables.wordnet, word.entries[k], &word.kin)
        if self.vectors is not None:
            word.vector = self.vectors.find(lower)
            if word.vector < 0 and lower != lemma:
                word.vector = self.vectors.find(lemma)
        if self.paraphrases is not None:
            word.paraphrases[0] = word.paraphrases[1] = self.paraphrases.find(lower)
            if lower != lemma:
                word.paraphrases[1] = self.paraphrases.find(lemma)
        return 0


cdef bint _is_number(str text):
    """Whether there are digits and no letters."""
    cdef Py_UCS4 character
    cdef bint has_digit = False
    for character in text:
        if character.isalpha():
            return False
        has_digit |= character.isdigit()
    return has_digit


cdef bint _has_letter(str text):
    cdef Py_UCS4 character
    for character in text:
        if character.isalpha():
            return True
    return False


cdef uint8_t _case(str form):
    """Return CASE_LOWER, CASE_CAPITALISED, CASE_UPPER (two capitals or more) or CASE_NONE."""
    if not _has_letter(form):
        return CASE_NONE
    if len(form) > 1 and form.isupper():
        return CASE_UPPER
    return CASE_CAPITALISED if form[0].isupper() else CASE_LOWER

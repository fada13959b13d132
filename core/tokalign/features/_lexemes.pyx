"""Lexemes: everything known of a word, whatever its sentence.

Words recur, so a lexeme (form, tag, lemma) is analysed once and remembered.
"""

from libc.stdint cimport int32_t, uint8_t
from libc.stdlib cimport calloc, free, realloc

from tokalign.features._rule_facts cimport RuleFacts, rule_facts
from tokalign.features.pair cimport *
from tokalign.features._strings cimport characters_bytes, fill_characters
from tokalign.english.lexicon.paraphrases cimport Paraphrases
from tokalign.english.lexicon.vectors cimport Vectors
from tokalign.english.lexicon.wordnet cimport WordNet, add_kin

from tokalign.features.inventory import COARSE_INDEX, MARKS, TAG_INDEX
from tokalign.english.lexicon.hints import hints
from tokalign.english.lexicon.labels import TITLES, function_words
from tokalign.english.lexicon.scales import grades_of, negates, scale_names
from tokalign.english.lexicon.weights import token_weight
from tokalign.english.lexicon.stems import stem
from tokalign.english.lexicon.words import canonical
from tokalign.english.spelling.code_names import code_words
from tokalign.english.spelling.short_forms import expansions

cdef enum:
    ENTRY_BYTES = 1000   # of a lexeme's key, its strings' heads, and its places in the tables

SCALES = scale_names()

cdef int UNKNOWN_TAG = TAG_INDEX["XX"]
cdef int UNKNOWN_COARSE = COARSE_INDEX["XX"]


cdef class LexemeTable:
    """Lexemes by their form, tag and lemma; one per worker, not safe to share by threads."""

    def __init__(self, WordNet wordnet, Vectors vectors=None, Paraphrases paraphrases=None,
                 frequencies=None):
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
        """Forget everything. Lexeme pointers become invalid."""
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
        """Fill a lexeme, which is all zeros and followed by room for its characters."""
        cdef int k
        cdef str plain = canonical(form)
        cdef str stemmed = stem(lower)
        cdef str letters
        fill_characters(lower, &word.lower, word + 1)
        word.form = self._string_id(form)
        word.lower_form = self._string_id(lower)
        word.canonical = self._string_id(plain)
        word.lemma = self._string_id(lemma)
        word.stem = self._string_id(stemmed)
        word.stem_length = <int32_t>len(stemmed)
        word.number = word.canonical if _is_number(plain) else -1
        word.tag = TAG_INDEX.get(tag, UNKNOWN_TAG)
        word.coarse = COARSE_INDEX.get(tag, UNKNOWN_COARSE)
        word.function_word = self._function_words.get(lower, -1)
        if not _has_letter_or_digit(form):
            word.kind = KIND_MARK
        else:
            word.kind = KIND_FUNCTION if word.function_word >= 0 else KIND_CONTENT
        word.case_ = _case(form)
        word.is_title = lower in TITLES
        word.hints = int(hints(form, tag))
        letters = form.replace(".", "")
        word.initials = -1
        if 2 <= len(letters) <= 6 and letters.isalpha() and letters.isupper():
            word.initials = self._string_id(letters.lower())
        for k in range(N_PARTS):
            word.parts[k] = -1
        if "-" in lower:
            parts = [part for part in lower.split("-") if len(part) > 1]
            for k in range(min(len(parts), N_PARTS)):
                word.parts[k] = self._string_id(parts[k])
        word.idf = 1.0 if self.frequencies is None else self.frequencies.idf(lemma)
        word.weight = token_weight(form, tag, word.idf)
        self._look_up(word, lower, lemma)
        self._place(word, lower, lemma)
        word.facts = self._facts(word, form, tag)
        return 0

    cdef int _place(self, Lexeme *word, str lower, str lemma) except -1:
        """Fill where a word stands on scales, and whether it negates."""
        cdef tuple grades = grades_of(lower, lemma)[:<int>N_SCALES]
        cdef int k
        word.negates = negates(lower, lemma)
        word.n_scales = <uint8_t>len(grades)
        for k in range(word.n_scales):
            word.scale[k] = SCALES.index(grades[k].scale)
            word.grade[k] = grades[k].grade
        return 0

    cdef RuleFacts *_facts(self, Lexeme *word, str form, str tag) except NULL:
        """Return what rules ask of a word, and fill in its first letter; a name, number,
        function word or possessive ending is short for no function words."""
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
        # A plain word in one case, or with a capital first, is no name of code.
        if not (form.isalpha() and (form[1:].islower() or form.isupper())):
            words = code_words(form)
            if words:
                code_name = self._string_id(" ".join(words))
        for expansion in expansions(form):
            if stands_for_content and all([w in self._function_words for w in expansion.words]):
                continue
            short_for.append([self._string_id(each) for each in expansion.words])
        word.stands_for_more = code_name >= 0 or len(short_for) > 0
        return rule_facts(form, code_name, short_for)

    cdef int _look_up(self, Lexeme *word, str lower, str lemma) except -1:
        """Find a content word's places in the tables."""
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
            word.paraphrases[0] = self.paraphrases.find(lower)
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


cdef bint _has_letter_or_digit(str text):
    cdef Py_UCS4 character
    for character in text:
        if character.isalnum():
            return True
    return False


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

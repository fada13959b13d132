"""What is known of a word, and of two words, whatever their sentences.

Words recur, so both are remembered: a lexeme (form, tag, lemma) is analysed once, and the
comparison of two lexemes sits in a direct-mapped cache, where a newer pair replaces an older one.
"""

from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc

from tokalign.features._pair cimport *
from tokalign.features._strings cimport common_prefix, fill_characters, similarities
from tokalign.lexicon._paraphrases cimport Paraphrases, paraphrases
from tokalign.lexicon._vectors cimport Vectors, cosine
from tokalign.lexicon._wordnet cimport (
    ANTONYM,
    CAUSING,
    COHYPONYM,
    DERIVED,
    DERIVED_SYNONYM,
    ENTAILING,
    HYPERNYM,
    HYPERNYM_WITHIN_3,
    HYPONYM,
    HYPONYM_WITHIN_3,
    PERTAINYM,
    SIMILAR,
    SYNONYM,
    VERB_GROUP,
    WordNet,
    add_kin,
    places_to_look,
    relation,
)

from tokalign.features.inventory import COARSE_INDEX, MARKS, TAG_INDEX, TITLES
from tokalign.lexicon.labels import function_words
from tokalign.lexicon.words import Stemmer, canonical

cdef enum:
    CACHE_BITS = 15
    ENTRY_BYTES = 1000   # of a lexeme's key, its strings' heads, and its places in the tables

cdef extern from "<stdlib.h>" nogil:
    void *aligned_alloc(size_t alignment, size_t n_bytes) noexcept

cdef extern from *:
    void _prefetch "__builtin_prefetch"(const void *address) noexcept nogil

cdef uint64_t EMPTY = ~<uint64_t>0

# Strength of each lexical class; the last four are close vectors.
cdef float[<int>N_CLASS] STRENGTH = [
    1.0, 1.0, 0.95, 0.9, 0.8, 0.75, 0.75, 0.7, 0.7, 0.6, 0.5, 0.4, 0.4, 0.15, 0.1, 0.0,
    0.25, 0.45, 0.65, 0.75,
]

# How much more a number weighs than a word as rare: other numbers make other statements.
cdef float NUMBER_FACTOR = 2.0

cdef int UNKNOWN_TAG = TAG_INDEX["XX"]


cdef class LexemeTable:
    """Lexemes and the cache of their comparisons; one per worker, not safe to share by threads."""

    def __cinit__(self):
        self._cache = <CachedPair *>aligned_alloc(
            sizeof(CachedPair), (1 << CACHE_BITS) * sizeof(CachedPair)
        )
        if self._cache == NULL:
            raise MemoryError("cache of word pairs")

    def __init__(self, WordNet wordnet, Vectors vectors=None, Paraphrases paraphrases=None,
                 frequencies=None):
        self.wordnet = wordnet
        self.frequencies = frequencies
        self.vectors = vectors
        self.paraphrases = paraphrases
        self._tables.wordnet = &wordnet.table
        self._tables.vectors = NULL if vectors is None else &vectors.table
        self._tables.paraphrases = NULL if paraphrases is None else &paraphrases.table
        self._stem = Stemmer().stem
        self._function_words = {
            word: index for index, word in enumerate([*function_words(), *MARKS])
        }
        self.clear()

    def __dealloc__(self):
        cdef Py_ssize_t k
        for k in range(self._n_lexemes):
            free(self._lexemes[k])
        free(self._lexemes)
        free(self._cache)

    cpdef void clear(self):
        """Forget everything. Lexeme pointers become invalid."""
        cdef Py_ssize_t k
        for k in range(self._n_lexemes):
            free(self._lexemes[k])
        self._n_lexemes = 0
        self.n_bytes = 0
        self._ids = {}
        self._strings = {}
        for k in range(1 << CACHE_BITS):
            self._cache[k].key = EMPTY

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
        if self._n_lexemes == self._capacity:
            self._grow()
        cdef Lexeme *word = <Lexeme *>calloc(1, sizeof(Lexeme))
        if word == NULL:
            raise MemoryError("lexeme")
        cdef int k
        lower = form.lower()
        plain = canonical(form)
        stem = self._stem(lower)
        fill_characters(lower, &word.lower)
        word.form = self._string_id(form)
        word.lower_form = self._string_id(lower)
        word.canonical = self._string_id(plain)
        word.lemma = self._string_id(lemma.lower())
        word.stem = self._string_id(stem)
        word.stem_length = <int32_t>len(stem)
        word.number = word.canonical if _is_number(plain) else -1
        word.tag = TAG_INDEX.get(tag, UNKNOWN_TAG)
        word.coarse = COARSE_INDEX.get(tag, COARSE_INDEX["XX"])
        word.function_word = self._function_words.get(lower, -1)
        if not any(map(str.isalnum, form)):
            word.kind = KIND_MARK
        else:
            word.kind = KIND_FUNCTION if word.function_word >= 0 else KIND_CONTENT
        word.case_ = _case(form)
        word.is_title = lower in TITLES
        letters = form.replace(".", "")
        word.initials = -1
        if 2 <= len(letters) <= 6 and letters.isalpha() and letters.isupper():
            word.initials = self._string_id(letters.lower())
        parts = [part for part in lower.split("-") if len(part) > 1] if "-" in lower else []
        for k in range(N_PARTS):
            word.parts[k] = self._string_id(parts[k]) if k < len(parts) else -1
        for k in range(N_ENTRIES):
            word.entries[k] = -1
            if word.kind == KIND_CONTENT:
                word.entries[k] = self._entry(lower, lemma.lower(), k)
                if word.entries[k] >= 0:
                    add_kin(self._tables.wordnet, word.entries[k], &word.kin)
        word.idf = 1.0 if self.frequencies is None else self.frequencies.idf(lemma.lower())
        if word.kind != KIND_MARK:
            word.weight = word.idf * (NUMBER_FACTOR if tag == "CD" else 1.0)
        word.vector = word.paraphrases[0] = word.paraphrases[1] = -1
        if self.vectors is not None and word.kind == KIND_CONTENT:
            word.vector = self.vectors.find(lower)
            if word.vector < 0:
                word.vector = self.vectors.find(lemma.lower())
        if self.paraphrases is not None and word.kind == KIND_CONTENT:
            word.paraphrases[0] = self.paraphrases.find(lower)
            word.paraphrases[1] = self.paraphrases.find(lemma.lower())
        word.id = <int32_t>self._n_lexemes
        self._lexemes[self._n_lexemes] = word
        self._ids[key] = self._n_lexemes
        self._n_lexemes += 1
        # A character takes up to four bytes; the strings made of a form are no longer than it.
        self.n_bytes += <int64_t>sizeof(Lexeme) + ENTRY_BYTES
        self.n_bytes += 4 * (6 * len(form) + 2 * len(lemma) + len(tag))
        return word

    def _entry(self, lower, lemma, pos):
        """Return the WordNet entry of the lemma, or else of the form, under one part of speech."""
        entry = self.wordnet.entry(lemma, pos)
        return entry if entry >= 0 else self.wordnet.entry(lower, pos)

    cdef void pairs(
        self, const Lexeme *a, const Lexeme **others, Py_ssize_t n, LexicalPair *out
    ) noexcept nogil:
        """Compare a lexeme with each of n others, through the cache."""
        cdef CachedPair *cached
        cdef uint64_t key
        cdef Py_ssize_t k
        # The cache is larger than a processor's own: have it fetch all places meanwhile.
        for k in range(n):
            _prefetch(&self._cache[_place(_key(a, others[k]))])
        for k in range(n):
            key = _key(a, others[k])
            cached = &self._cache[_place(key)]
            if cached.key != key:
                _compare(a, others[k], &self._tables, &cached.pair)
                cached.key = key
            out[k] = cached.pair


cdef inline uint64_t _key(const Lexeme *a, const Lexeme *b) noexcept nogil:
    return (<uint64_t>a.id << 32) | <uint64_t>b.id


cdef inline uint64_t _place(uint64_t key) noexcept nogil:
    """Return the place of a pair in the cache."""
    return (key * <uint64_t>0x9E3779B97F4A7C15) >> (64 - CACHE_BITS)


def _is_number(text):
    return any(map(str.isdigit, text)) and not any(map(str.isalpha, text))


cdef uint8_t _case(str form):
    """Return CASE_LOWER, CASE_CAPITALISED, CASE_UPPER (two capitals or more) or CASE_NONE."""
    if not any(map(str.isalpha, form)):
        return CASE_NONE
    if len(form) > 1 and form.isupper():
        return CASE_UPPER
    return CASE_CAPITALISED if form[0].isupper() else CASE_LOWER


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
    """Return the strongest lexical class that holds of two words."""
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


cdef void _compare(
    const Lexeme *a, const Lexeme *b, const Tables *tables, LexicalPair *out
) noexcept nogil:
    """Fill `out` from scratch."""
    cdef int k, m, places
    similarities(&a.lower, &b.lower, out.similarity)
    out.relations = 0
    places = places_to_look(&a.kin, &b.kin)
    if places:
        for k in range(N_ENTRIES):
            for m in range(N_ENTRIES):
                if a.entries[k] >= 0 and b.entries[m] >= 0:
                    out.relations |= relation(
                        tables.wordnet, a.entries[k], b.entries[m], places
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
        if STRENGTH[k] > STRENGTH[out.lexical_class]:
            out.lexical_class = k
    out.strength = STRENGTH[out.lexical_class]

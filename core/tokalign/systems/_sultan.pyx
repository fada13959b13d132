"""The aligner of Sultan et al. (2014) for one pair of sentences: the similarity of its words.

Similarity of words is 0, ALIKE or EXACT tenths; a pair of n by m tokens takes O(n * m) look-ups.
What then is linked, the modules say: _sultan_rules.pyx.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memset

from tokalign.lexicon.paraphrases cimport Paraphrases, paraphrases
from tokalign.lexicon.wordnet cimport (
    DERIVED, PERTAINYM, SIMILAR, SYNONYM, VERB_GROUP, Kin, WordNet, add_kin, places_to_look,
    relation,
)
from tokalign.systems._sultan_rules cimport (
    MAX_INITIALS, Arc, Candidate, SultanPair, SultanSide, SultanWord, align_words, is_linked,
    similarity,
)

from tokalign.lexicon.labels import TITLES, function_words
from tokalign.lexicon.words import canonical
from tokalign.systems.equivalences import (
    CATEGORIES, OPPOSITE_DIRECTIONS, SAME_DIRECTION, category_of,
)

cdef enum:
    EXACT = 10           # tenths of similarity: the same word or lemma
    ALIKE = 9            # listed as paraphrases
    # A worker's memory of words and types is emptied beyond so many, or characters in them.
    MAX_KNOWN = 50_000
    MAX_CHARACTERS = 4_000_000

# What WordNet has to say of two words for them to be alike, where there are no paraphrases.
cdef uint32_t RELATED = SYNONYM | DERIVED | PERTAINYM | SIMILAR | VERB_GROUP


cdef class SultanKernel:
    """Links two prepared sentences; not safe to share by threads.

    Parameters
    ----------
    wordnet : WordNet
    listed : Paraphrases or None
        Pairs of words that are alike; without them, WordNet says which are.
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
            Sequences of str, the same length each, and of (head, dependent, type) with 0-based
            tokens as head and dependent, which are not checked.

        Returns
        -------
        list of (int, int, int, int)
            Source token, target token, place in `_sultan_rules.RULES` and similarity in tenths, sorted.

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
            align_words(&pair, found)
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
        # Every arc is put before the end of its word's; in the end that is where they start.
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
        """Return a type's number and the rows of either table that it is in, as bits."""
        ends = CATEGORIES[head], CATEGORIES[dependent]
        same = sum(
            1 << row for row, (*both, types) in enumerate(SAME_DIRECTION)
            if tuple(both) == ends and type_ in types
        )
        one = sum(
            1 << row for row, (a, b, types, _) in enumerate(OPPOSITE_DIRECTIONS)
            if (a, b) == ends and type_ in types
        )
        other_way = sum(
            1 << row for row, (a, b, _, types) in enumerate(OPPOSITE_DIRECTIONS)
            if (b, a) == ends and type_ in types
        )
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

"""Tags and lemmas of raw text or given tokens, for many texts at once without the GIL.

A raw text is split, and each of its sentences is tokenised and tagged by itself. Given tokens are
one sentence. No Python object is made for a token: texts stay in columns of word numbers, and a
`Sentence` is a view of them. `Sentences`, `tokenize`, `Tagger.tag` and `Lemmatizer.lemmatize` do
the same for one sentence.

A token is a string; a word is a token with a tag, and has a lemma. Results are cached: a token's
features are computed once, and a word's lemma is looked up once.
"""

from libc.stdint cimport uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy, memset

import os
from bisect import bisect_left, bisect_right
from itertools import pairwise

import numpy as np

from tokalign.english.annotate.characters cimport *
from tokalign.english.annotate.growing cimport has_room
from tokalign.english.annotate.sentence_scan cimport Scan, skip_space
from tokalign.english.annotate.sentence_splitter cimport next_sentence, scan_of
from tokalign.english.annotate.tagging cimport *
from tokalign.english.annotate.tokenizer cimport *

cdef extern from "_compiler.h" nogil:
    uint64_t mix "tokalign_mix"(uint64_t a, uint64_t b) noexcept

cdef enum:
    LEAST_WORDS = 1024    # initial capacity
    WORD_BYTES = 200     # of a word's Python strings and list entries, without their letters

cdef uint64_t SALT = 0x9E3779B97F4A7C15u
cdef uint64_t SECRET = int.from_bytes(os.urandom(8), "little")

MAX_WORD_BYTES: int = 32 << 20
"""Enough for some 25,000 usual words. Beyond it a new Words is begun, and earlier sentences keep
theirs."""

cdef enum:
    LEAST_TOKENS = 256
    LONGEST_LOWERED = 64

cdef struct TextScratch:
    # Scratch of the longest sentence, in one block, and columns of all tokens so far. Owned.
    void *block
    Py_UCS4 *letters     # [n + 1]
    uint8_t *bits        # [n + 1]
    Form *forms          # [n] a sentence has no more tokens than letters
    const int32_t **form_scores  # [n]
    uint32_t *classes    # [n]
    uint8_t *tags        # [n]
    int32_t *tokens      # [n]
    int32_t *scored      # [n] the tokens that are tagged in their place
    Py_ssize_t n_letters
    int32_t *starts      # [room]; n_tokens are written
    int32_t *ends
    int32_t *numbers
    Py_ssize_t room
    Py_ssize_t n_tokens
    int64_t *begins      # [begin_room] tokens that begin a later sentence of a text
    Py_ssize_t begin_room
    Py_ssize_t n_begins
    Py_ssize_t n_joined  # words of the current text that are never cut and were joined


cdef inline bint has_letters(TextScratch *scratch, Py_ssize_t n) noexcept nogil:
    """Make room for a sentence of n letters; return whether there was memory."""
    if n <= scratch.n_letters and scratch.block != NULL:
        return True
    free(scratch.block)
    scratch.n_letters = 0
    n = max(n, <Py_ssize_t>LEAST_TOKENS)
    # From the widest items to the narrowest, so that all are aligned.
    scratch.block = malloc(
        n * (sizeof(int32_t *) + sizeof(Form) + 3 * sizeof(int32_t) + 1)
        + (n + 1) * (sizeof(Py_UCS4) + 1)
    )
    if scratch.block == NULL:
        return False
    scratch.form_scores = <const int32_t **>scratch.block
    scratch.forms = <Form *>(scratch.form_scores + n)
    scratch.letters = <Py_UCS4 *>(scratch.forms + n)
    scratch.classes = <uint32_t *>(scratch.letters + n + 1)
    scratch.tokens = <int32_t *>(scratch.classes + n)
    scratch.scored = scratch.tokens + n
    scratch.bits = <uint8_t *>(scratch.scored + n)
    scratch.tags = scratch.bits + n + 1
    scratch.n_letters = n
    return True


cdef inline bint has_tokens(TextScratch *scratch, Py_ssize_t wanted) noexcept nogil:
    """Make room for so many tokens in all; return whether there was memory."""
    cdef Py_ssize_t starts = scratch.room, ends = scratch.room
    return (
        has_room(<void **>&scratch.starts, &starts, wanted, LEAST_TOKENS, sizeof(int32_t))
        and has_room(<void **>&scratch.ends, &ends, wanted, LEAST_TOKENS, sizeof(int32_t))
        and has_room(<void **>&scratch.numbers, &scratch.room, wanted, LEAST_TOKENS, sizeof(int32_t))
    )


cdef inline bint add_begin(TextScratch *scratch, Py_ssize_t token) noexcept nogil:
    """Note that a token begins a sentence inside a text; return whether there was memory."""
    if not has_room(
        <void **>&scratch.begins, &scratch.begin_room, scratch.n_begins + 1, LEAST_TOKENS,
        sizeof(int64_t),
    ):
        return False
    scratch.begins[scratch.n_begins] = token
    scratch.n_begins += 1
    return True


cdef inline void free_scratch(TextScratch *scratch) noexcept nogil:
    """Free all of a scratch."""
    free(scratch.block)
    free(scratch.starts)
    free(scratch.ends)
    free(scratch.numbers)
    free(scratch.begins)


cdef struct Text:
    # A text's characters, borrowed from its str.
    int kind
    const void *data
    Py_ssize_t n
    const int32_t *lengths   # [n_given] of the tokens, a space after each but the last
    Py_ssize_t n_given       # -1 if the text is to be tokenised
    int words_kind           # the text as words are found in it, with spaces for its marks
    const void *words
    const int32_t *uncut     # [2 * n_uncut] starts and ends of words that are never cut
    Py_ssize_t n_uncut

cdef Py_UCS4[5][3] WRITTEN = [
    [u"`", u"`", 0], [u"'", u"'", 0], [u"-", u"-", 0], [u".", u".", u"."], [u"n", u"'", u"t"],
]

cdef inline uint64_t hash_of(const Py_UCS4 *letters, Py_ssize_t n) noexcept nogil:
    cdef uint64_t h = SECRET ^ <uint64_t>n
    cdef Py_ssize_t k
    for k in range(n):
        h = mix(h ^ <uint32_t>letters[k] ^ SALT, SECRET | 1)
    return mix(h ^ SECRET, SALT)


cdef class Words:
    """Tokens and words, under tags by number; only one thread may add to it at a time.

    Numbers never change. The attributes are explained in annotated_texts.pxd.
    """

    def __init__(self, tuple tags not None: tuple[str, ...]) -> None:
        self.tags = tags
        self.tokens = []
        self.lemmas = []
        if not self._spread():
            raise MemoryError("table of tokens")

    def __dealloc__(self):
        free(self.word)
        free(self.token)
        free(self.form_scores)
        free(self._letters)
        free(self._slots)

    def __len__(self) -> int:
        return self.n_words

    def tag(self, Py_ssize_t word) -> str:
        """Return the tag of a word."""
        if not 0 <= word < self.n_words:
            raise IndexError(f"word {word} of {self.n_words}")
        return self.tags[self.word[word].tag]

    cdef void use(self, const int16_t *weights, int shift) noexcept nogil:
        """Set the tagger's weights that score the forms of new tokens; always the same ones."""
        self._weights = weights
        self._shift = shift

    cdef bint _spread(self) noexcept nogil:
        """Double the slots of the hash table; return whether there was memory."""
        cdef Py_ssize_t n_slots = max(2 * self._n_slots, 4 * <Py_ssize_t>LEAST_WORDS)
        cdef int32_t *slots = <int32_t *>malloc(n_slots * sizeof(int32_t))
        cdef Py_ssize_t k, at
        if slots == NULL:
            return False
        for k in range(n_slots):
            slots[k] = -1
        for k in range(self._n_tokens):
            at = self.token[k].hash & (n_slots - 1)
            while slots[at] >= 0:
                at = (at + 1) & (n_slots - 1)
            slots[at] = <int32_t>k
        free(self._slots)
        self._slots = slots
        self._n_slots = n_slots
        return True

    cdef int32_t find_token(self, const Py_UCS4 *letters, Py_ssize_t n) noexcept nogil:
        """Return the number of a token of n > 0 letters, or -1 without memory.

        `use` must have been called.
        """
        cdef uint64_t h = hash_of(letters, n)
        cdef Py_ssize_t at = h & (self._n_slots - 1)
        cdef Token *token
        while self._slots[at] >= 0:
            token = &self.token[self._slots[at]]
            if token.hash == h and token.n == n and not memcmp(
                self._letters + token.start, letters, n * sizeof(Py_UCS4)
            ):
                return self._slots[at]
            at = (at + 1) & (self._n_slots - 1)
        if 2 * (self._n_tokens + 1) > self._n_slots:
            if not self._spread():
                return -1
            at = h & (self._n_slots - 1)
            while self._slots[at] >= 0:
                at = (at + 1) & (self._n_slots - 1)
        cdef Py_ssize_t wanted = self._n_tokens + 1
        if not (
            has_room(<void **>&self.token, &self._token_room, wanted, LEAST_WORDS, sizeof(Token))
            and has_room(
                <void **>&self.form_scores, &self._score_room, wanted, LEAST_WORDS,
                WIDTH * sizeof(int32_t),
            )
            and has_room(
                <void **>&self._letters, &self._letter_room, self._n_letters + n, LEAST_WORDS,
                sizeof(Py_UCS4),
            )
        ):
            return -1
        memcpy(self._letters + self._n_letters, letters, n * sizeof(Py_UCS4))
        token = &self.token[self._n_tokens]
        pack_letters(letters, n, &token.form)
        score_form(
            &token.form, self._weights, self._shift, self.form_scores + self._n_tokens * WIDTH
        )
        token.hash = h
        token.start = self._n_letters
        token.n = <int32_t>n
        token.first_word = -1
        self._slots[at] = <int32_t>self._n_tokens
        self._n_letters += n
        self._n_tokens += 1
        # Blocks double when they grow.
        self.n_bytes += 2 * <int64_t>sizeof(Token) + (2 * WIDTH + 4) * <int64_t>sizeof(int32_t)
        self.n_bytes += 2 * n * <int64_t>sizeof(Py_UCS4)
        return <int32_t>(self._n_tokens - 1)

    cdef int32_t find_word(self, int32_t token, uint8_t tag) noexcept nogil:
        """Return the number of the word with a token and a tag, or -1 without memory."""
        cdef int32_t number = self.token[token].first_word
        while number >= 0:
            if self.word[number].tag == tag:
                return number
            number = self.word[number].next
        if not has_room(
            <void **>&self.word, &self._word_room, self.n_words + 1, LEAST_WORDS, sizeof(Word)
        ):
            return -1
        number = <int32_t>self.n_words
        self.word[number].token = token
        self.word[number].tag = tag
        self.word[number].next = self.token[token].first_word
        self.token[token].first_word = number
        self.n_words += 1
        # The lemma is counted as long as its token.
        self.n_bytes += 2 * <int64_t>sizeof(Word) + WORD_BYTES + 8 * self.token[token].n
        return number

    cdef int name_new(self, lemmatize) except -1:
        """Make the strings of words that have none yet; `lemmatize` takes a token and its tag."""
        cdef Py_ssize_t number
        cdef const Token *token
        for number in range(len(self.lemmas), self.n_words):
            token = &self.token[self.word[number].token]
            text = PyUnicode_FromKindAndData(4, self._letters + token.start, token.n)
            lemma = lemmatize(text, self.tags[self.word[number].tag])
            self.tokens.append(text)
            self.lemmas.append(lemma)
        return 0


cdef bint add_token(
    TextScratch *scratch, Words words, Py_ssize_t at, Py_ssize_t start, Py_ssize_t end,
    int32_t token
) noexcept nogil:
    """Add a token to the current sentence, as its token `at`; return whether there was memory."""
    cdef Py_ssize_t place = scratch.n_tokens + at
    if token < 0 or not has_tokens(scratch, place + 1):
        return False
    scratch.tokens[at] = token  # its form's scores may still move in memory
    scratch.forms[at] = words.token[token].form
    scratch.starts[place] = <int32_t>start
    scratch.ends[place] = <int32_t>end
    return True


cdef inline int _written(uint8_t bits) noexcept nogil:
    """Return the index in WRITTEN of a rewritten sign, from its bits."""
    if bits & NOT:
        return 4
    return 0 if bits & OPENING else 1 if bits & CLOSING else 2 if bits & DASH else 3


cdef void _join(
    const Text *text, TextScratch *scratch, Py_ssize_t first, Py_ssize_t last
) noexcept nogil:
    """Take back the breaks in words that are never cut, among letters from first to before last."""
    cdef uint8_t *bits = scratch.bits
    cdef Py_ssize_t k, start, end
    while scratch.n_joined < text.n_uncut and text.uncut[2 * scratch.n_joined] < last:
        start = text.uncut[2 * scratch.n_joined]
        end = text.uncut[2 * scratch.n_joined + 1]
        scratch.n_joined += 1
        if first <= start and end <= last:
            for k in range(start + 1, end):
                bits[k] &= <uint8_t>~BREAK
            bits[start] |= BREAK
            bits[end] |= BREAK


cdef Py_ssize_t _find_tokens(
    const Text *text, TextScratch *scratch, Words words, Py_ssize_t first, Py_ssize_t last
) noexcept nogil:
    """Add the tokens of a sentence, the letters first to before last of the current text; return
    their number, or -1 without memory."""
    cdef Py_UCS4 *letters = scratch.letters + first
    cdef uint8_t *bits = scratch.bits + first
    cdef Py_ssize_t start = 0, end = 0, n = 0
    cdef uint8_t sign
    cdef int32_t token
    cdef int written
    mark_tokens(letters, bits, last - first)
    if text.n_uncut:
        _join(text, scratch, first, last)
    while next_token(letters, bits, last - first, &start, &end):
        sign = bits[start] & REWRITTEN
        if sign:
            written = _written(sign)
            token = words.find_token(&WRITTEN[written][0], 3 if sign & (ELLIPSIS | NOT) else 2)
        else:
            token = words.find_token(letters + start, end - start)
        if not add_token(scratch, words, n, first + start, first + end, token):
            return -1
        n += 1
        start = end
    return n


cdef Py_ssize_t _take_tokens(const Text *text, TextScratch *scratch, Words words) noexcept nogil:
    """Add the given tokens of a text; return their number, or -1 without memory."""
    cdef Py_ssize_t start = 0, end, k
    for k in range(text.n):
        scratch.letters[k] = PyUnicode_READ(text.kind, text.data, k)
    for k in range(text.n_given):
        end = start + text.lengths[k]
        if not add_token(
            scratch, words, k, start, end, words.find_token(scratch.letters + start, end - start)
        ):
            return -1
        start = end + 1
    return text.n_given


cdef bint _lower_forms(TextScratch *scratch, Words words, Py_ssize_t n) noexcept nogil:
    """Let the current sentence, of n tokens, be tagged as if it were in lower case; return whether
    there was memory. Tokens of more than LONGEST_LOWERED letters stay as they are."""
    cdef Py_UCS4[<int>LONGEST_LOWERED] letters
    cdef const Token *token
    cdef Py_ssize_t k, at
    for k in range(n):
        token = &words.token[scratch.tokens[k]]
        scratch.scored[k] = scratch.tokens[k]
        if not token.form.case & HAS_UPPER or token.n > LONGEST_LOWERED:
            continue
        for at in range(token.n):
            letters[at] = Py_UNICODE_TOLOWER(words._letters[token.start + at])
        scratch.scored[k] = words.find_token(letters, token.n)
        if scratch.scored[k] < 0:
            return False
        scratch.forms[k] = words.token[scratch.scored[k]].form
    return True


cdef class TextAnnotator:
    """Annotates texts by a Tagger and by what gives a token and its tag a lemma; one thread at a
    time. Titles are tagged as if they were in lower case, unless `as_written`."""

    cdef object _tagger          # holds the arrays
    cdef object _lemmatize
    cdef const int16_t[:, ::1] _weights
    cdef Lexicon _lexicon
    cdef int _n_tags, _shift
    cdef uint32_t[N_KNOWN] _known
    cdef bint _as_written
    cdef readonly Words words

    def __init__(
        self, tagger: Any, lemmatize: Callable[[str, str], str], as_written: bool = False
    ) -> None:
        self._tagger = tagger
        self._as_written = as_written
        self._lemmatize = lemmatize
        self._weights = tagger.weights
        self._lexicon = open_lexicon(tagger.lexicon_keys, tagger.lexicon_values)
        self._n_tags = len(tagger.tags)
        self._shift = shift_of(self._weights.shape[0])
        check_width(self._weights.shape[1], self._n_tags)
        self._known = tagger.known_tags
        self.words = Words(tagger.tags)

    cdef bint _tag(self, TextScratch *scratch, Words words, Py_ssize_t n) noexcept nogil:
        """Tag the current sentence, of n added tokens, below 0 if there was no memory for them;
        return whether there was memory."""
        cdef Py_ssize_t first = scratch.n_tokens
        cdef Py_ssize_t k
        if n < 0:
            return False
        if not self._as_written and is_titled(scratch.forms, n, self._lexicon, self._known):
            if not _lower_forms(scratch, words, n):
                return False
        else:
            memcpy(scratch.scored, scratch.tokens, n * sizeof(int32_t))
        for k in range(n):
            scratch.form_scores[k] = words.form_scores + scratch.scored[k] * <Py_ssize_t>WIDTH
        tag_sentence(
            scratch.forms, scratch.form_scores, scratch.classes, n, self._lexicon,
            &self._weights[0, 0], self._n_tags, self._shift, self._known, scratch.tags,
        )
        for k in range(n):
            scratch.numbers[first + k] = words.find_word(scratch.tokens[k], scratch.tags[k])
            if scratch.numbers[first + k] < 0:
                return False
        scratch.n_tokens += n
        return True

    cdef bint _annotate_raw(
        self, const Text *text, TextScratch *scratch, Words words
    ) noexcept nogil:
        """Add the tokens of a raw text, sentence by sentence; return whether there was memory."""
        cdef Scan scan = scan_of(text.kind, text.data, text.n)
        cdef Py_ssize_t start = 0
        cdef Py_ssize_t end = 0
        cdef int n_breaks = 0
        cdef Py_ssize_t k, first, before
        for k in range(text.n):
            scratch.letters[k] = straightened(PyUnicode_READ(text.words_kind, text.words, k))
        scratch.n_joined = 0
        next_sentence(&scan, &start, &end)
        if skip_space(&scan, end, &n_breaks) == text.n:
            return self._tag(scratch, words, _find_tokens(text, scratch, words, 0, text.n))
        first = scratch.n_tokens
        while True:
            before = scratch.n_tokens
            if not self._tag(scratch, words, _find_tokens(text, scratch, words, start, end)):
                return False
            # A sentence of marks alone has no tokens, and does not begin.
            if first < before < scratch.n_tokens and not add_begin(scratch, before):
                return False
            if not next_sentence(&scan, &start, &end):
                return True

    cdef bint _annotate(self, const Text *text, TextScratch *scratch, Words words) noexcept nogil:
        """Add the tokens of one text; return whether there was memory."""
        if not has_letters(scratch, text.n):
            return False
        if text.n_given < 0:
            return self._annotate_raw(text, scratch, words)
        return self._tag(scratch, words, _take_tokens(text, scratch, words))

    def __call__(
        self, list texts not None: list[str],
        list tokens: list[tuple[str, ...] | None] = None,
        list places: list[tuple[tuple[int, ...], tuple[int, ...]] | None] = None,
        list readings: list[TextReading | None] = None
    ) -> AnnotatedTexts:
        """Return texts, of any number of sentences, as AnnotatedTexts.

        `tokens`: the tokens of each text, which is one sentence with a space between two; None
        where the text is to be tokenised. Tokens are not empty. `places`: offsets of each text's
        tokens, to report instead of those in the text. `readings`: of each raw text that is not
        plain; the text is the normal form that it has.
        """
        cdef Py_ssize_t n_texts = len(texts)
        cdef AnnotatedTexts found = AnnotatedTexts.__new__(AnnotatedTexts)
        cdef Text *items = NULL
        cdef int32_t[::1] lengths = _lengths(tokens)
        cdef int32_t[::1] uncut = lengths if readings is None else _uncut(readings)
        cdef int32_t[:, ::1] columns
        cdef TextScratch scratch
        cdef Words words
        cdef Py_ssize_t k
        cdef bint is_done = True
        if self.words.n_bytes > MAX_WORD_BYTES:
            self.words = Words(self.words.tags)
        words = found.words = self.words
        words.use(&self._weights[0, 0], self._shift)
        found.offsets = np.zeros(n_texts + 1, dtype=np.int64)
        memset(&scratch, 0, sizeof(scratch))
        try:
            items = <Text *>malloc(n_texts * sizeof(Text) + 1)
            if items == NULL:
                raise MemoryError("texts of a batch")
            _point_to(texts, tokens, lengths, items)
            if readings is not None:
                _point_to_readings(readings, uncut, items)
            with nogil:
                for k in range(n_texts):
                    is_done = self._annotate(&items[k], &scratch, words)
                    if not is_done:
                        break
                    found.offsets[k + 1] = scratch.n_tokens
            if not is_done:
                raise MemoryError("tokens of a batch")
            words.name_new(self._lemmatize)
            columns = np.empty((3, scratch.n_tokens), dtype=np.int32)
            found.starts, found.ends, found.numbers = columns[0], columns[1], columns[2]
            if scratch.n_tokens:
                memcpy(&columns[0, 0], scratch.starts, scratch.n_tokens * sizeof(int32_t))
                memcpy(&columns[1, 0], scratch.ends, scratch.n_tokens * sizeof(int32_t))
                memcpy(&columns[2, 0], scratch.numbers, scratch.n_tokens * sizeof(int32_t))
            found.begins = [scratch.begins[k] for k in range(scratch.n_begins)]
            if places is not None:
                found.put(places)
            if readings is not None:
                found.put_back(readings)
        finally:
            free(items)
            free_scratch(&scratch)
        return found


cdef int _point_to(list texts, list tokens, const int32_t[::1] lengths, Text *items) except -1:
    """Point `items` into texts, and into the lengths of given tokens."""
    cdef Py_ssize_t n_given = 0, k
    cdef str text
    for k, text in enumerate(texts):
        items[k].kind = PyUnicode_KIND(text)
        items[k].data = PyUnicode_DATA(text)
        items[k].n = len(text)
        items[k].n_given = -1
        items[k].words_kind = items[k].kind
        items[k].words = items[k].data
        items[k].n_uncut = 0
        if tokens is not None and tokens[k] is not None:
            items[k].n_given = len(tokens[k])
            items[k].lengths = &lengths[n_given]
            n_given += items[k].n_given
    return 0


cdef int _point_to_readings(list readings, const int32_t[::1] uncut, Text *items) except -1:
    """Point `items` into the words of their readings."""
    cdef Py_ssize_t n_before = 0, k
    cdef str words
    for k, reading in enumerate(readings):
        if reading is None:
            continue
        words = reading.words
        if len(words) != items[k].n:
            raise ValueError(
                f"the reading of text {k} has {len(words)} characters; the text {items[k].n}"
            )
        items[k].words_kind = PyUnicode_KIND(words)
        items[k].words = PyUnicode_DATA(words)
        items[k].uncut = &uncut[n_before]
        items[k].n_uncut = len(reading.addresses)
        n_before += 2 * items[k].n_uncut
    return 0


cdef int32_t[::1] NONE = np.zeros(1, dtype=np.int32)


cdef int32_t[::1] _uncut(list readings):
    """Return the starts and ends of all words that are never cut, and a 0."""
    found = [place for each in readings if each is not None for place in each.addresses]
    return np.array([edge for place in found for edge in place] + [0], dtype=np.int32)


cdef int32_t[::1] _lengths(list tokens):
    """Return the lengths of all given tokens, and a 0."""
    if tokens is None or not any(tokens):
        return NONE
    return np.array([len(token) for each in tokens for token in each or ()] + [0], dtype=np.int32)


cdef class AnnotatedTexts:
    """Annotated texts in columns, made by TextAnnotator; immutable. The attributes are explained in
    annotated_texts.pxd."""

    def __init__(self) -> Never:
        raise TypeError("AnnotatedTexts are made by a TextAnnotator")

    def __len__(self) -> int:
        return self.offsets.shape[0] - 1

    cdef int put(self, list places) except -1:
        """Replace the offsets in the texts by given ones."""
        cdef Py_ssize_t k, first, at
        for k, place in enumerate(places):
            if place is None:
                continue
            first = self.offsets[k]
            for at, (start, end) in enumerate(zip(*place)):
                self.starts[first + at] = start
                self.ends[first + at] = end
        return 0

    cdef int put_back(self, list readings) except -1:
        """Put offsets in texts as they were sent in the place of those in their normal form."""
        cdef Py_ssize_t k, at
        for k, reading in enumerate(readings):
            if reading is None or reading.form is None:
                continue
            for at in range(self.offsets[k], self.offsets[k + 1]):
                self.starts[at], self.ends[at] = reading.places(self.starts[at], self.ends[at])
        return 0

    def columns(
        self
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
        """Return offsets, starts, ends and numbers as arrays, which must not be changed."""
        return (
            np.asarray(self.offsets), np.asarray(self.starts), np.asarray(self.ends),
            np.asarray(self.numbers),
        )

    def tags(self) -> NDArray[np.uint8]:
        """Return each token's tag by its number among ``words.tags``, as a uint8 array."""
        array = np.empty(self.numbers.shape[0], dtype=np.uint8)
        cdef uint8_t[::1] tags = array
        cdef Py_ssize_t k
        for k in range(tags.shape[0]):
            tags[k] = self.words.word[self.numbers[k]].tag
        return array

    def n_tokens(self, Py_ssize_t index) -> int:
        """Return the number of tokens of a text."""
        if not 0 <= index < len(self):
            raise IndexError(f"text {index} of {len(self)}")
        return self.offsets[index + 1] - self.offsets[index]

    def sentence_ranges(self, Py_ssize_t index) -> list[tuple[int, int]]:
        """Return the token range of each sentence of a text, a list of (first, end)."""
        cdef Py_ssize_t n_tokens = self.n_tokens(index)
        cdef Py_ssize_t first = self.offsets[index]
        low = bisect_right(self.begins, first)
        high = bisect_left(self.begins, first + n_tokens, low)
        edges = [0, *(begin - first for begin in self.begins[low:high]), n_tokens]
        return list(pairwise(edges))

    def field(self, Py_ssize_t index, str name not None) -> Any:
        """Return a field of a text's Sentence."""
        cdef Py_ssize_t k
        cdef list strings
        if not 0 <= index < len(self):
            raise IndexError(f"text {index} of {len(self)}")
        cdef Py_ssize_t first = self.offsets[index]
        cdef Py_ssize_t end = self.offsets[index + 1]
        if name == "starts":
            return tuple([self.starts[k] for k in range(first, end)])
        if name == "ends":
            return tuple([self.ends[k] for k in range(first, end)])
        if name == "tags":
            return tuple([self.words.tag(self.numbers[k]) for k in range(first, end)])
        if name in ("heads", "relations"):
            return None
        strings = self.words.tokens if name == "tokens" else self.words.lemmas
        return tuple([strings[self.numbers[k]] for k in range(first, end)])

"""Greedy averaged-perceptron tagging and parsing, and the features of tokens.

Packing tokens into `Form` structs is the only step of tagging and parsing that reads text.

score(tag | i) = sum over the features f of token i of W[f, tag]; the best tag wins (ties go to
the lower id) and is a feature of the tokens to its right. Features are hashed into a table of
rows of int16 weights; O(n_tokens * n_features * n_tags). `parsing.pxd` has the parser's.

`lab.recipes.annotators` trains the weights.
"""

from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from tokalign.english.annotate.characters cimport *
from tokalign.english.annotate.parsing cimport (
    ACTION_WIDTH, LABEL_WIDTH, LEFT, N_ACTION_FEATURES, N_LABEL_FEATURES, NO_LABEL, RIGHT, SHIFT, State,
    action_features, allocate, attach, best_action, best_label, head_after, is_final,
    label_features, release, start,
)

import numpy as np

from tokalign.errors import InputError, ShapeError
from tokalign.files.shipped import LISTS

cdef enum:
    N_ON_STACK = 64     # longer tokens are copied to the heap

cdef uint64_t SEED = 0xCBF29CE484222325u
cdef uint64_t PRIME = 0x100000001B3u


cdef inline uint32_t fold(uint64_t h) noexcept nogil:
    # Never 0, which marks an empty lexicon slot and a missing neighbour.
    h *= 0x9E3779B97F4A7C15u
    return <uint32_t>(h >> 32) | 1u


cdef inline uint64_t push(uint64_t h, uint32_t ch) noexcept nogil:
    return (h ^ ch) * PRIME


cdef Py_UCS4 bracket(const Py_UCS4* letters, Py_ssize_t n) noexcept nogil:
    """Return the bracket that the Penn Treebank writes as -LRB- and such, or 0."""
    if n != 5 or letters[0] != u"-" or letters[3] != u"B" or letters[4] != u"-":
        return 0
    if letters[1] == u"L":
        return (
            u"(" if letters[2] == u"R" else u"[" if letters[2] == u"S"
            else u"{" if letters[2] == u"C" else 0
        )
    if letters[1] == u"R":
        return (
            u")" if letters[2] == u"R" else u"]" if letters[2] == u"S"
            else u"}" if letters[2] == u"C" else 0
        )
    return 0


cdef int pack(str token, Form* out) except -1:
    cdef Py_UCS4[N_ON_STACK] here
    cdef Py_UCS4* letters = here
    cdef Py_ssize_t n = len(token)
    if n == 0:
        raise InputError("a token is empty", field="tokens")
    if n > N_ON_STACK:
        letters = <Py_UCS4*>malloc(n * sizeof(Py_UCS4))
        if letters is NULL:
            raise MemoryError(f"cannot hold {n} characters")
    PyUnicode_AsUCS4(token, letters, n, 0)
    pack_letters(letters, n, out)
    if n > N_ON_STACK:
        free(letters)
    return 0


# Long, because one pass over the letters finds everything that a form holds.
cdef void pack_letters(const Py_UCS4* token, Py_ssize_t n, Form* out) noexcept nogil:
    """Fill the form of a token of n > 0 letters."""
    cdef Py_UCS4 sign, letter
    cdef Py_ssize_t i
    cdef uint32_t ch, low, kind, last_kind = 0, l1 = 0, l2 = 0, l3 = 0, l4 = 0
    cdef uint64_t form = SEED, lower = SEED, shape = SEED
    cdef Py_ssize_t position = 0
    cdef int run = 0
    out.fixed = 0
    out.case = 0
    if n == 2 and token[0] == u"`" and token[1] == u"`":
        out.fixed = QUOTE_OPEN
        sign = u'"'
    elif n == 2 and token[0] == u"'" and token[1] == u"'":
        out.fixed = QUOTE_CLOSE
        sign = u'"'
    else:
        sign = bracket(token, n)
    if sign:
        token = &sign
        n = 1
    out.prefix1 = out.prefix2 = out.prefix3 = 0
    for i in range(n):
        letter = token[i]
        ch = <uint32_t>letter
        if ch == 0x2019 or ch == 0x2018:
            ch = 39
        elif ch == 0x201C or ch == 0x201D:
            ch = 34
        if 97 <= ch <= 122:
            low, kind = ch, 120
            out.case |= HAS_LOWER
        elif 65 <= ch <= 90:
            low, kind = ch + 32, 88
            out.case |= HAS_UPPER
        elif 48 <= ch <= 57:
            low, kind = 48, 48
        elif ch < 128:
            low, kind = ch, ch
        else:
            low = Py_UNICODE_TOLOWER(ch)
            if low != ch:
                kind = 88
                out.case |= HAS_UPPER
            elif Py_UNICODE_ISALPHA(letter):
                kind = 120
                out.case |= HAS_LOWER
            elif Py_UNICODE_ISDIGIT(letter):
                low, kind = 48, 48
            else:
                kind = ch
        form = push(form, ch)
        lower = push(lower, low)
        run = run + 1 if kind == last_kind else 1
        last_kind = kind
        if run <= 2:
            shape = push(shape, kind)
        l4, l3, l2, l1 = l3, l2, l1, low
        position += 1
        if position == 1:
            out.prefix1 = fold(form)
        elif position == 2:
            out.prefix2 = fold(form)
        elif position == 3:
            out.prefix3 = fold(form)
    out.form = fold(form)
    out.lower = fold(lower)
    out.shape = fold(shape)
    out.suffix1 = fold(push(SEED, l1))
    out.suffix2 = fold(push(push(SEED, l2), l1)) if position > 1 else 0
    out.suffix3 = fold(push(push(push(SEED, l3), l2), l1)) if position > 2 else 0
    out.suffix4 = fold(push(push(push(push(SEED, l4), l3), l2), l1)) if position > 3 else 0


cdef class Forms:
    """The packed tokens of a batch of sentences, none of them empty.

    Quotes and brackets may be written as in text or as in the Penn Treebank.
    """

    def __cinit__(self, sentences: Sequence[Sequence[str]]):
        cdef Py_ssize_t index = 0, n_tokens = 0
        cdef str token
        for sentence in sentences:
            n_tokens += len(sentence)
        self.n_tokens = n_tokens
        self.n_sentences = len(sentences)
        self.items = <Form*>malloc((n_tokens + 1) * sizeof(Form))
        self.offsets = <int32_t*>malloc((self.n_sentences + 1) * sizeof(int32_t))
        if self.items is NULL or self.offsets is NULL:
            raise MemoryError(f"cannot hold {n_tokens} tokens")
        n_tokens = 0
        self.offsets[0] = 0
        for sentence in sentences:
            for token in sentence:
                pack(token, &self.items[n_tokens])
                n_tokens += 1
            index += 1
            self.offsets[index] = <int32_t>n_tokens

    def __dealloc__(self):
        free(self.items)
        free(self.offsets)

    def offsets_list(self) -> list[int]:
        """Return the index of each sentence's first token, and last the number of tokens."""
        return [self.offsets[index] for index in range(self.n_sentences + 1)]

    def lower_hashes(self) -> list[int]:
        """Return the hash of every token lower-cased with digits as 0, never 0."""
        return [self.items[index].lower for index in range(self.n_tokens)]

    def rows(self) -> list[dict[str, int]]:
        """Return every token's hashes as a dict by field name, for tests and reference code."""
        return [self.items[index] for index in range(self.n_tokens)]


cdef int shift_of(Py_ssize_t n_rows) except -1:
    cdef int bits = 0
    while (1 << bits) < n_rows:
        bits += 1
    if (1 << bits) != n_rows or bits < 1 or bits > 31:
        raise ShapeError(f"{n_rows} rows; wanted a power of two")
    return 64 - bits


KNOWN_TAGS: tuple[str, ...] = (
    "``", "''", "NN", "NNS", "VBD", "VBN", "VBZ", "VBP", "MD", "RB", "DT", "NNP",
    "NNPS",
)
"""The tags that rules name, in the order of the next constants."""
NO_TAG: int = START
"""Stands for one of these that a tagger lacks."""
cdef enum:
    NOUN = 2
    PLURAL = 3
    PAST = 4
    PARTICIPLE = 5
    THIRD = 6
    PRESENT = 7
    MODAL = 8
    ADVERB = 9
    DETERMINER = 10
    NAME = 11
    NAMES = 12

    N_PAST_FORMS = 26
    N_TITLE_WORDS = 61
    TITLED = 3          # words in capitals that make a title

cdef uint32_t[<int>N_PAST_FORMS] PAST_FORMS
cdef uint32_t[<int>N_TITLE_WORDS] TITLE_WORDS
PAST_FORMS = Forms([LISTS.words("past-forms")]).lower_hashes()
TITLE_WORDS = Forms([LISTS.words("title-words")]).lower_hashes()


cdef inline bint is_among(const uint32_t* hashes, int n, uint32_t lower) noexcept nogil:
    cdef int k
    for k in range(n):
        if hashes[k] == lower:
            return True
    return False


cdef void tag_bare_past(
    const Form* forms, Py_ssize_t i, const uint32_t* known, uint8_t* tags
) noexcept nogil:
    """Tag a past form as VBD where it stands between a bare subject and a mark or adverb.

    As in "Profits fell." and "Net income fell sharply": with no finite verb before it. A first word
    before it that was taken for a verb ("Exports fell.") is its subject.
    """
    cdef uint32_t before = tags[i - 1]
    cdef bint is_first_verb = i == 1 and before == known[THIRD]
    cdef Py_ssize_t j
    if tags[i] == known[PAST] or tags[i] == known[PARTICIPLE]:
        return
    if forms[i + 1].case and tags[i + 1] != known[ADVERB]:
        return
    if not (before == known[NOUN] or before == known[PLURAL] or is_first_verb):
        return
    for j in range(i - is_first_verb):
        if tags[j] in (known[PAST], known[THIRD], known[PRESENT], known[MODAL]):
            return
        # "A wild rose", "the tea rose": only plurals are sure to be subjects behind an article.
        if before == known[NOUN] and tags[j] == known[DETERMINER]:
            return
    tags[i] = <uint8_t>known[PAST]
    if is_first_verb:
        tags[i - 1] = <uint8_t>known[PLURAL]


cdef inline bint is_usually_a_name(uint32_t value, const uint32_t* known) noexcept nogil:
    """Return whether a word of this ambiguity class is unknown, or most often a proper noun."""
    if value < 2:
        return True
    value -= 1
    while value >= 64:
        value //= 64
    return value - 1 == known[NAME] or value - 1 == known[NAMES]


cdef bint is_titled(
    const Form* forms, Py_ssize_t n, Lexicon lexicon, const uint32_t* known
) noexcept nogil:
    """Return whether a sentence is in title case or in capitals, as headlines are.

    All words have capitals but those that titles write in lower case. Behind the first one at least
    TITLED words, and at least half of those in capitals, are usually no names: the names of some
    people are no title.
    """
    cdef Py_ssize_t i, n_upper = 0, n_plain = 0
    for i in range(n):
        if forms[i].case == HAS_LOWER:
            if not is_among(TITLE_WORDS, N_TITLE_WORDS, forms[i].lower):
                return False
        elif i and forms[i].case & HAS_UPPER:
            n_upper += 1
            n_plain += not is_usually_a_name(
                lexicon_value(lexicon.keys, lexicon.values, lexicon.mask, forms[i].lower), known
            )
    return n_plain >= TITLED and 2 * n_plain >= n_upper


cdef void tag_sentence(
    const Form* forms, const int32_t* const* form_scores, uint32_t* classes, Py_ssize_t n,
    Lexicon lexicon, const int16_t* weights, int n_tags, int shift, const uint32_t* known,
    uint8_t* tags,
) noexcept nogil:
    """Tag a sentence from left to right.

    `form_scores` holds the scores of each token's own form; `classes` has room for n ambiguity
    classes.
    """
    # Rows of the current token, and of the next one, which is fetched while this one is summed.
    cdef uint32_t[2][N_OF_CONTEXT] around
    cdef uint32_t[N_OF_TAGS] rows
    cdef int32_t[WIDTH] scores
    cdef uint32_t tag1 = START, tag2 = START, case = case_of(forms, n)
    cdef Py_ssize_t i
    cdef int tag
    look_up(forms, n, lexicon, classes)
    if n:
        context_features(forms, classes, n, 0, case, shift, around[0])
        fetch_wide_rows(weights, around[0], N_OF_CONTEXT)
    for i in range(n):
        if i + 1 < n:
            context_features(forms, classes, n, i + 1, case, shift, around[(i + 1) & 1])
            fetch_wide_rows(weights, around[(i + 1) & 1], N_OF_CONTEXT)
        if forms[i].fixed:
            tag = known[forms[i].fixed - QUOTE_OPEN]
        else:
            tag_features(forms, classes, n, i, tag1, tag2, shift, rows)
            fetch_wide_rows(weights, rows, N_OF_TAGS)
            memcpy(scores, form_scores[i], sizeof(scores))
            add_wide_rows(weights, around[i & 1], N_OF_CONTEXT, scores)
            add_wide_rows(weights, rows, N_OF_TAGS, scores)
            tag = largest(scores, n_tags)
        tags[i] = <uint8_t>tag
        tag2, tag1 = tag1, tag
    for i in range(1, n - 1):
        if is_among(PAST_FORMS, N_PAST_FORMS, forms[i].lower):
            tag_bare_past(forms, i, known, tags)


cdef Lexicon open_lexicon(const uint32_t[::1] keys, const uint32_t[::1] values) except *:
    cdef Lexicon lexicon
    cdef Py_ssize_t size = keys.shape[0]
    if size != values.shape[0] or size & (size - 1) or size == 0:
        raise ShapeError(f"lexicon of {size} keys and {values.shape[0]} values; wanted a power of two")
    lexicon.keys = &keys[0]
    lexicon.values = &values[0]
    lexicon.mask = <uint32_t>(size - 1)
    return lexicon


cdef int check_width(Py_ssize_t width, int n_tags) except -1:
    if width != WIDTH or not 0 < n_tags <= START:
        raise ShapeError(
            f"{n_tags} tags with rows of {width} weights; wanted at most {START} and {WIDTH}"
        )
    return 0


cdef int longest(Forms forms) noexcept:
    """Return the number of tokens of the longest sentence."""
    cdef Py_ssize_t s
    cdef int n = 0
    for s in range(forms.n_sentences):
        n = max(n, forms.offsets[s + 1] - forms.offsets[s])
    return n


cdef void parse_sentence(
    State* state, const int16_t* action_weights, int action_shift,
    const int16_t* label_weights, int n_labels, int label_shift,
) noexcept nogil:
    cdef uint32_t[N_ACTION_FEATURES] rows
    cdef int32_t[LABEL_WIDTH] scores
    cdef int action, head, child
    while not is_final(state):
        if state.depth == 0:
            action = SHIFT
        elif state.next == state.n:
            action = RIGHT if state.depth > 1 else LEFT
        else:
            action_features(state, action_shift, rows)
            sum_narrow_rows(action_weights, rows, N_ACTION_FEATURES, scores)
            action = best_action(state, scores)
        if action == SHIFT:
            state.stack[state.depth] = state.next
            state.depth += 1
            state.next += 1
            continue
        child = state.stack[state.depth - 1]
        head = head_after(state, action)
        label_features(state, head, child, label_shift, rows)
        sum_wide_rows(label_weights, rows, N_LABEL_FEATURES, scores)
        attach(state, head, child, best_label(scores, n_labels))
        state.depth -= 1


cdef int check_shapes(Forms forms, tags, actions, labels, int n_labels) except -1:
    if tags.shape[0] != forms.n_tokens:
        raise ShapeError(f"{tags.shape[0]} tags for {forms.n_tokens} tokens")
    if actions.shape[1] != ACTION_WIDTH:
        raise ShapeError(f"{actions.shape[1]} weights an action row; wanted {ACTION_WIDTH}")
    if labels.shape[1] != LABEL_WIDTH or not 0 < n_labels <= NO_LABEL:
        raise ShapeError(
            f"{n_labels} labels with rows of {labels.shape[1]} weights; "
            f"wanted at most {NO_LABEL} and {LABEL_WIDTH}"
        )
    return 0


def parse_forms(
    Forms forms, const uint8_t[::1] tags, const int16_t[:, ::1] action_weights,
    const int16_t[:, ::1] label_weights, int n_labels
) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Return the head, int32, and the label, uint8, of every token of some forms.

    Tags are ids below 62. Weights have the shapes (2**k, 4), with columns SHIFT, LEFT, RIGHT and
    padding, and (2**m, 64) for at most 63 labels. Heads are 0-based within the sentence, -1 for its
    only root.
    """
    check_shapes(forms, tags, action_weights, label_weights, n_labels)
    cdef int action_shift = shift_of(action_weights.shape[0])
    cdef int label_shift = shift_of(label_weights.shape[0])
    heads, labels = np.empty(forms.n_tokens, np.int32), np.empty(forms.n_tokens, np.uint8)
    if forms.n_tokens == 0:
        return heads, labels
    cdef int32_t[::1] out_heads = heads
    cdef uint8_t[::1] out_labels = labels
    cdef State state
    cdef Py_ssize_t s, first
    cdef int i
    if not allocate(&state, longest(forms)):
        release(&state)
        raise MemoryError("cannot hold a sentence")
    with nogil:
        for s in range(forms.n_sentences):
            first = forms.offsets[s]
            start(&state, forms.items + first, &tags[0] + first, forms.offsets[s + 1] - <int>first)
            parse_sentence(
                &state, &action_weights[0, 0], action_shift,
                &label_weights[0, 0], n_labels, label_shift,
            )
            for i in range(state.n):
                out_heads[first + i] = state.nodes[i].head if state.nodes[i].head < state.n else -1
                out_labels[first + i] = <uint8_t>state.nodes[i].label
    release(&state)
    return heads, labels

"""Compiled parts of the published systems: Sultan's aligner, and the cheapest script of two trees.

Their loops are in `sultan_links.pxd` and `edit_trees.pxd`.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memset

from tokalign.english.lexicon.lexical_tables cimport *
from tokalign.systems.edit_trees cimport *
from tokalign.systems.sultan_links cimport *

import numpy as np

from tokalign.english.lexicon.word_lists import TITLES, canonical, function_words
from tokalign.errors import InputError, LimitError, ShapeError
from tokalign.systems.dependencies import (
    CATEGORIES, OPPOSITE_DIRECTIONS, SAME_DIRECTION, category_of,
)

MAX_STEPS: int = 1024
"""Most cells for each pair of tokens; parsed sentences take 10 to 200. Two sentences of 512 tokens
then take at most half a second instead of minutes."""

cdef enum:
    # A worker's caches of words and types are cleared beyond so many items or characters.
    MAX_KNOWN = 50_000
    MAX_CHARACTERS = 4_000_000

# WordNet's relations of similar words, used without a table of paraphrases.
cdef uint32_t RELATED = SYNONYM | DERIVED | PERTAINYM | SIMILAR | VERB_GROUP

RULES: tuple[str, ...] = (
    "", "final-mark", "identical-sequence", "name", "dependency", "dependency-context", "neighbourhood",
    "stop-dependency", "stop-neighbourhood",
)
"""Names of the rules that link two words, in the order of the modules; 0 is no link."""


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

    `listed`: pairs of similar words; without them, WordNet's relations are used.
    """

    cdef WordNet _wordnet
    cdef Paraphrases _listed
    cdef object _function_words
    cdef dict _strings, _numbers, _kinds
    cdef SultanWord *_words
    cdef Py_ssize_t _n_words, _capacity, _n_characters

    def __init__(self, WordNet wordnet not None, Paraphrases listed=None) -> None:
        self._wordnet = wordnet
        self._listed = listed
        self._function_words = frozenset(function_words())
        self._forget()

    def __dealloc__(self):
        free(self._words)

    cdef void _forget(self):
        self._n_words = self._n_characters = 0
        self._strings, self._numbers, self._kinds = {}, {}, {}

    def align(self, source: Prepared, target: Prepared) -> list[tuple[int, int, int, int]]:
        """Return the links of two sentences.

        `source`, `target`: sequences of str of equal length, and of (head, dependent, type) with
        0-based tokens as head and dependent (not checked).

        A link has source token, target token, index in RULES and similarity in tenths; they are
        sorted.
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


cdef int plant(const int32_t[::1] heads, Tree *tree) except -1:
    """Fill a tree, whose arrays have room for one node more than tokens."""
    cdef int32_t n_tokens = <int32_t>heads.shape[0]
    cdef int32_t token, node = 0, place
    # children[starts[h] : starts[h + 1]] hang from token h, those of the root last.
    cdef int32_t[::1] starts = np.zeros(n_tokens + 2, dtype=np.int32)
    cdef int32_t[::1] children = np.empty(max(n_tokens, 1), dtype=np.int32)
    cdef int32_t[::1] path = np.empty(n_tokens + 1, dtype=np.int32)
    cdef int32_t[::1] following = np.empty(n_tokens + 1, dtype=np.int32)
    cdef int32_t[::1] leftmost_of = np.empty(n_tokens + 1, dtype=np.int32)
    cdef int32_t depth = 1
    for token in range(n_tokens):
        if not -1 <= heads[token] < n_tokens:
            raise InputError(f"token {token} has head {heads[token]}; wanted -1 or another token")
        starts[_parent(heads, token) + 1] += 1
    for place in range(n_tokens + 1):
        starts[place + 1] += starts[place]
    for place in range(n_tokens + 1):
        following[place] = starts[place]
    for token in range(n_tokens):
        place = _parent(heads, token)
        children[following[place]] = token
        following[place] += 1
    for place in range(n_tokens + 1):
        following[place] = starts[place]
    path[0] = n_tokens
    while depth:
        token = path[depth - 1]
        if following[token] < starts[token + 1]:
            path[depth] = children[following[token]]
            following[token] += 1
            depth += 1
            continue
        depth -= 1
        tree.token[node] = token
        tree.leftmost[node] = (
            node if starts[token] == starts[token + 1] else leftmost_of[children[starts[token]]]
        )
        leftmost_of[token] = tree.leftmost[node]
        node += 1
    if node != n_tokens + 1:
        raise InputError(f"{n_tokens + 1 - node} of {n_tokens} tokens hang from no root")
    tree.n = node
    # A node is a keyroot if no later one has the same leftmost leaf; leaves are marked as seen.
    tree.n_keyroots = 0
    for place in range(node):
        leftmost_of[place] = -1
    for place in range(node):
        leftmost_of[tree.leftmost[place]] = place
    for place in range(node):
        if leftmost_of[tree.leftmost[place]] == place:
            tree.keyroots[tree.n_keyroots] = place
            tree.n_keyroots += 1
    return 0


cdef inline int32_t _parent(const int32_t[::1] heads, int32_t token) noexcept:
    """Return a token's head, the artificial root's number for a root."""
    return <int32_t>heads.shape[0] if heads[token] < 0 else heads[token]


cdef Costs check_costs(
    const int32_t[:, ::1] substitution, int32_t deletion, int32_t insertion,
    Py_ssize_t n_source, Py_ssize_t n_target,
) except *:
    """Return checked costs of two sentences, or raise as cheapest_script does."""
    if (substitution.shape[0], substitution.shape[1]) != (n_source, n_target):
        raise ShapeError(
            f"substitution costs of shape {(substitution.shape[0], substitution.shape[1])}; "
            f"wanted {(n_source, n_target)}"
        )
    least = min(deletion, insertion, np.min(substitution, initial=0))
    most = max(deletion, insertion, np.max(substitution, initial=0))
    if least < 0 or most > 1_000_000:
        raise InputError(f"costs of {least} to {most}; wanted 0 to 1000000")
    cdef Costs costs = Costs(NULL, n_target, deletion, insertion)
    if n_source and n_target:
        costs.substitution = &substitution[0, 0]
    return costs


cdef int check_steps(const Tree *source, const Tree *target) except -1:
    """Raise LimitError if the edit distance of two trees takes too long."""
    if keyroot_sizes(source) * keyroot_sizes(target) > MAX_STEPS * (<int64_t>source.n * target.n):
        raise LimitError(
            f"the edit distance of these trees of {source.n - 1} and {target.n - 1} tokens takes "
            f"more than {MAX_STEPS} steps for each pair of tokens; they are far deeper and more "
            "forked than those of sentences: give other trees"
        )
    return 0


# Long, because it checks and documents all arguments, and owns the memory.
def cheapest_script(
    source_heads: Sequence[int], target_heads: Sequence[int], const int32_t[:, ::1] substitution,
    int32_t deletion=1, int32_t insertion=1
) -> tuple[int, NDArray[np.int32]]:
    """Return the edit distance of two dependency trees and the substitutions of the cheapest
    script.

    `source_heads`, `target_heads` (sequence of int, length n_source and n_target): 0-based, -1 for
    a root; there may be several. Children are in the order of tokens. `substitution` (int32 array,
    shape (n_source, n_target), C-contiguous): cost of substituting each target token for each
    source token; 0 to 1,000,000. `deletion`, `insertion`: cost of any token, in the same range.

    They are an int, and an int32 array, shape (n_source,), of the target token that each source token
    is substituted by, -1 if it is deleted. Ties go to the script that, read from the right, first
    substitutes, else deletes.

    ShapeError is raised if the shapes disagree; InputError, if heads are not trees, or a cost is
    out of range; LimitError, if the trees are so deep and branched that a pair of tokens needs more
    than MAX_STEPS.

    Examples
    --------
    >>> same = np.array([[0, 1], [1, 0]], dtype=np.int32)
    >>> cheapest_script([-1, 0], [-1], same[:, 1:].copy())  # a head is deleted, the other kept
    (1, array([-1,  0], dtype=int32))
    """
    cdef int32_t[::1] heads_of_source = np.array(source_heads, dtype=np.int32)
    cdef int32_t[::1] heads_of_target = np.array(target_heads, dtype=np.int32)
    cdef Py_ssize_t n_source = heads_of_source.shape[0], n_target = heads_of_target.shape[0]
    cdef Costs costs = check_costs(substitution, deletion, insertion, n_source, n_target)
    partner = np.empty(n_source, dtype=np.int32)
    cdef int32_t[::1] partners = partner
    cdef Py_ssize_t n_trees = (n_source + 1) * (n_target + 1)
    cdef Py_ssize_t n_forests = (n_source + 2) * (n_target + 2)
    cdef Py_ssize_t n_nodes = 5 * (n_source + 1) + 3 * (n_target + 1)
    cdef int32_t *memory = <int32_t *>malloc((n_nodes + n_trees + n_forests) * sizeof(int32_t))
    if memory == NULL:
        raise MemoryError("the tables of two trees")
    cdef Tree source, target
    cdef int32_t *pending = carve(&source, n_source, memory)
    cdef int32_t *trees = carve(&target, n_target, pending + 2 * (n_source + 1))
    cdef int32_t *forests = trees + n_trees
    cdef int32_t a, b, distance
    try:
        plant(heads_of_source, &source)
        plant(heads_of_target, &target)
        check_steps(&source, &target)
        with nogil:
            for a in range(source.n_keyroots):
                for b in range(target.n_keyroots):
                    fill_forest(
                        &source, &target, &costs, source.keyroots[a], target.keyroots[b],
                        trees, forests,
                    )
            distance = trees[n_trees - 1]
            read_script(
                &source, &target, &costs, trees, forests, pending,
                &partners[0] if n_source else NULL,
            )
    finally:
        free(memory)
    return distance, partner

"""Features of the two words themselves, and of their places in the sentences.

Yao et al. (2013), section 3.3, gives the string, tag, position and WordNet features; each is
defined on the state (the target token) and is absent for NULL, which has features of its own.
"""

from libc.math cimport fabsf

from tokalign.features._emit cimport *
from tokalign.features.pair cimport *

cdef float ACRONYM_STRENGTH = 0.7


cdef void _mark_run(PairState *pair, bint source_is_acronym, Py_ssize_t at) noexcept nogil:
    """Mark the words of the other side whose initials, in a run, spell the acronym."""
    cdef Side *own = &pair.source if source_is_acronym else &pair.target
    cdef Side *other = &pair.target if source_is_acronym else &pair.source
    cdef const Lexeme *acronym = own.word[at]
    cdef Py_ssize_t first, k, cell
    cdef int letter, n_letters
    cdef uint32_t wanted
    n_letters = 0
    for first in range(acronym.lower.n):
        n_letters += acronym.lower.code[first] != c'.'
    for first in range(other.n):
        letter = 0
        k = first
        while k < other.n and letter < n_letters and k - first <= 2 * n_letters:
            wanted = _letter(acronym, letter)
            if other.word[k].case_ == CASE_CAPITALISED and other.word[k].lower.code[0] == wanted:
                letter += 1
            elif other.word[k].kind != KIND_FUNCTION or k == first:
                break
            k += 1
        if letter < n_letters:
            continue
        for k in range(first, k):
            if other.word[k].kind == KIND_CONTENT:
                cell = at * pair.target.n + k if source_is_acronym else k * pair.target.n + at
                pair.acronym[cell] = 1
                pair.strength[cell] = max(pair.strength[cell], ACRONYM_STRENGTH)


cdef uint32_t _letter(const Lexeme *acronym, int index) noexcept nogil:
    """Return the acronym's letter, not counting dots."""
    cdef int k
    for k in range(acronym.lower.n):
        if acronym.lower.code[k] != c'.':
            if index == 0:
                return acronym.lower.code[k]
            index -= 1
    return 0


cdef void mark_acronyms(PairState *pair) noexcept nogil:
    """Find acronyms whose expansion stands in the other sentence."""
    cdef Py_ssize_t k
    for k in range(pair.source.n):
        if pair.source.word[k].initials >= 0:
            _mark_run(pair, True, k)
    for k in range(pair.target.n):
        if pair.target.word[k].initials >= 0:
            _mark_run(pair, False, k)


cdef void word_features(
    const Lexeme *a, const Lexeme *b, const LexicalPair *lexical, AnySink *sink
) noexcept nogil:
    """Emit the features of two words, whatever their sentences."""
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


cdef void place_features(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, AnySink *sink
) noexcept nogil:
    """Emit the features of where two words stand."""
    cdef Py_ssize_t cell = i * pair.target.n + j
    _position_features(pair, i, j, strength_class(pair.strength[cell]), sink)
    _neighbour_features(seen_at(pair, i - 1, j - 1)[0], SIDE_LEFT, sink)
    _neighbour_features(seen_at(pair, i + 1, j + 1)[0], SIDE_RIGHT, sink)
    if pair.acronym[cell]:
        emit_acronym(sink)


cdef void _position_features(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, int strength, AnySink *sink
) noexcept nogil:
    cdef float distance = fabsf(pair.source.relative[i] - pair.target.relative[j])
    cdef bint last_source = i == pair.source.n - 1
    cdef bint last_target = j == pair.target.n - 1
    emit_position(sink, distance)
    emit_position_bin(sink, bin_distance(distance), strength)
    if i == 0 and j == 0:
        emit_edges(sink, PLACE_BOTH_FIRST, strength)
    if last_source and last_target:
        emit_edges(sink, PLACE_BOTH_LAST, strength)
    elif last_source or last_target:
        emit_edges(sink, PLACE_ONE_LAST, strength)


cdef void _neighbour_features(uint8_t seen, int side, AnySink *sink) noexcept nogil:
    """Yao's contextual features: do the neighbours match?"""
    if seen & SEEN_IDENTICAL:
        emit_neighbour(sink, side, NEIGHBOUR_IDENTICAL)
    if seen & SEEN_LEMMA:
        emit_neighbour(sink, side, NEIGHBOUR_SAME_LEMMA)
    if seen & SEEN_TAG:
        emit_neighbour(sink, side, NEIGHBOUR_SAME_TAG)

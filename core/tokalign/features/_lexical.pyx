"""Features of the two words themselves: strings, tags, positions, WordNet, lexical class.

Yao et al. (2013), section 3.3, gives the string, tag, position and WordNet features; each is
defined on the state (the target token) and is absent for NULL, which has features of its own.
"""

from libc.math cimport fabsf

from tokalign.features._pair cimport *
from tokalign.features._strings cimport N_SIMILARITIES
from tokalign.features._templates cimport *
from tokalign.lexicon._wordnet cimport N_RELATIONS

cdef float[6] POSITION_EDGES = [0.02, 0.05, 0.1, 0.2, 0.35, 0.6]
cdef float[5] SIMILARITY_EDGES = [0.2, 0.35, 0.5, 0.65, 0.8]
cdef float ACRONYM_STRENGTH = 0.7
cdef enum:
    N_COARSE = 12
    N_TAGS = 51
    MAX_FUNCTION_WORDS = 256


cdef void _mark_run(Pair *pair, bint source_is_acronym, Py_ssize_t at) noexcept nogil:
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
            if other.word[k].case_ == CAPITALISED and other.word[k].lower.code[0] == wanted:
                letter += 1
            elif other.word[k].kind != FUNCTION or k == first:
                break
            k += 1
        if letter < n_letters:
            continue
        for k in range(first, k):
            if other.word[k].kind == CONTENT:
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


cdef void mark_acronyms(Pair *pair) noexcept nogil:
    """Find acronyms whose expansion stands in the other sentence."""
    cdef Py_ssize_t k
    for k in range(pair.source.n):
        if pair.source.word[k].initials >= 0:
            _mark_run(pair, True, k)
    for k in range(pair.target.n):
        if pair.target.word[k].initials >= 0:
            _mark_run(pair, False, k)


cdef void lexical_features(
    const Pair *pair, Py_ssize_t i, Py_ssize_t j, Sink *sink
) noexcept nogil:
    """Emit the lexical features of one cell."""
    cdef Py_ssize_t cell = i * pair.target.n + j
    cdef const Lexeme *a = pair.source.word[i]
    cdef const Lexeme *b = pair.target.word[j]
    cdef const LexicalPair *lexical = &pair.lexical[cell]
    cdef int kinds = kinds_of(a, b)
    cdef int strength = strength_class(pair.strength[cell])
    cdef int coarse = a.coarse * N_COARSE + b.coarse
    cdef int cases = a.case_ * N_CASES + b.case_
    cdef int k
    cdef float largest
    for k in range(N_SIMILARITIES):
        if lexical.similarity[k] > 0.0:
            emit(sink, STRING, k, lexical.similarity[k])
    if a.lower_form == b.lower_form:
        emit(sink, IDENTICAL, 1, 1.0)
        if a.form == b.form:
            emit(sink, IDENTICAL, 0, 1.0)
    emit(sink, POS_MATCH, 0 if a.tag == b.tag else 1 if a.coarse == b.coarse else 2, 1.0)
    emit(sink, TAG_PAIR, a.tag * N_TAGS + b.tag, 1.0)
    _position_features(pair, i, j, strength, sink)
    for k in range(N_RELATIONS):
        if (lexical.relations >> k) & 1:
            emit(sink, WORDNET, k, 1.0)
    if a.lemma == b.lemma:
        emit(sink, WORDNET, N_RELATIONS, 1.0)

    emit(sink, LEXICAL_CLASS,
         (lexical.lexical_class * N_KINDS * N_KINDS + kinds) * N_COARSE * N_COARSE + coarse, 1.0)
    if lexical.lexical_class == CLASS_NONE:
        largest = 0.0
        for k in range(N_SIMILARITIES):
            largest = max(largest, lexical.similarity[k])
        emit(sink, UNRELATED,
             (bin_of(largest, SIMILARITY_EDGES, 5) * N_KINDS * N_KINDS + kinds)
             * N_CASES * N_CASES + cases, 1.0)
        if a.function_word >= 0 and b.function_word >= 0:
            emit(sink, FUNCTION_PAIR, a.function_word * MAX_FUNCTION_WORDS + b.function_word, 1.0)
    elif lexical.lexical_class == CLASS_IDENTICAL:
        emit(sink, IDENTICAL_CASE, kinds * N_CASES * N_CASES + cases, 1.0)
        if a.function_word >= 0:
            emit(sink, SAME_WORD, a.function_word, 1.0)
    if a.number >= 0 and b.number >= 0:
        emit(sink, NUMBER, 0 if a.number == b.number else 1, 1.0)
    if pair.acronym[cell]:
        emit(sink, ACRONYM, 0, 1.0)


cdef void _position_features(
    const Pair *pair, Py_ssize_t i, Py_ssize_t j, int strength, Sink *sink
) noexcept nogil:
    cdef float distance = fabsf(
        <float>i / <float>pair.source.n - <float>j / <float>pair.target.n
    )
    cdef bint last_source = i == pair.source.n - 1
    cdef bint last_target = j == pair.target.n - 1
    emit(sink, POSITION, 0, distance)
    emit(sink, POSITION_BIN, bin_of(distance, POSITION_EDGES, 6) * N_STRENGTHS + strength, 1.0)
    if i == 0 and j == 0:
        emit(sink, EDGES, strength, 1.0)
    if last_source and last_target:
        emit(sink, EDGES, N_STRENGTHS + strength, 1.0)
    elif last_source or last_target:
        emit(sink, EDGES, 2 * N_STRENGTHS + strength, 1.0)
    # Yao's contextual features: do the neighbours match?
    cdef Py_ssize_t step
    cdef int side
    cdef const Lexeme *a
    cdef const Lexeme *b
    for side in range(2):
        step = 1 if side else -1
        if 0 <= i + step < pair.source.n and 0 <= j + step < pair.target.n:
            a = pair.source.word[i + step]
            b = pair.target.word[j + step]
            if a.lower_form == b.lower_form:
                emit(sink, NEIGHBOUR, side * 3, 1.0)
            if a.lemma == b.lemma:
                emit(sink, NEIGHBOUR, side * 3 + 1, 1.0)
            if a.tag == b.tag:
                emit(sink, NEIGHBOUR, side * 3 + 2, 1.0)

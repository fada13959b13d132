"""Comparison of two words, whatever their sentences."""

from libc.stdint cimport uint32_t

from tokalign.features._contrast cimport contrast
from tokalign.features.pair cimport *
from tokalign.features._strings cimport common_prefix, similarities
from tokalign.english.lexicon.paraphrases cimport paraphrases
from tokalign.english.lexicon.vectors cimport cosine
from tokalign.english.lexicon.wordnet cimport (
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
    IN_NEIGHBOURS,
    PERTAINYM,
    SIMILAR,
    SYNONYM,
    VERB_GROUP,
    places_to_look,
    relation,
)

# Strength of each lexical class; the last four are close vectors.
cdef float[<int>N_CLASS] STRENGTH = [
    1.0, 1.0, 0.95, 0.9, 0.8, 0.75, 0.75, 0.7, 0.7, 0.6, 0.5, 0.4, 0.4, 0.15, 0.1, 0.0,
    0.25, 0.45, 0.65, 0.75,
]


cdef float strength_of(int lexical_class) noexcept nogil:
    """Return V of a lexical class, in [0, 1]."""
    return STRENGTH[lexical_class]


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


cdef void compare(
    const Lexeme *a, const Lexeme *b, const Tables *tables, LexicalPair *out
) noexcept nogil:
    """Fill `out` with what two lexemes have in common."""
    cdef int k, m, places
    similarities(&a.lower, &b.lower, out.similarity)
    out.relations = 0
    if a.kind == KIND_CONTENT and b.kind == KIND_CONTENT:
        places = places_to_look(&a.kin, &b.kin)
        for k in range(N_ENTRIES if places else 0):
            for m in range(N_ENTRIES if a.entries[k] >= 0 else 0):
                if b.entries[m] >= 0:
                    # WordNet's hypernyms are of their words' part of speech.
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
        if STRENGTH[k] > STRENGTH[out.lexical_class]:
            out.lexical_class = k
    out.strength = STRENGTH[out.lexical_class]
    out.contrast = contrast(
        a, b, out.relations, out.lexical_class, out.similarity[SIMILARITY_JARO_WINKLER]
    )

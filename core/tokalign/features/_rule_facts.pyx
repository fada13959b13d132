"""Facts of words: their pieces of values, and what they are short for."""

from libc.stdint cimport int32_t
from libc.stdlib cimport malloc
from libc.string cimport memcpy

from tokalign.english.values.finding cimport may_hold_value
from tokalign.english.values.pieces cimport MAX_PIECES, Piece, fill_pieces


cdef RuleFacts *rule_facts(str form, int32_t code_name, list expansions) except NULL:
    """Return the facts of a word, to be freed by the caller.

    `expansions` has, for each short form that the word may be, a list of the ids of its words.
    """
    cdef Piece[MAX_PIECES] piece
    cdef int n_pieces = fill_pieces(form, piece)
    cdef size_t n_bytes = sizeof(RuleFacts) + n_pieces * sizeof(Piece)
    cdef RuleFacts *facts
    cdef int32_t *place
    cdef Py_UCS4 character
    n_bytes += sizeof(int32_t) * (1 + sum([1 + len(ids) for ids in expansions]))
    facts = <RuleFacts *>malloc(n_bytes)
    if facts == NULL:
        raise MemoryError("facts of a word")
    facts.n_bytes = n_bytes
    facts.n_letters = 0
    for character in form.lower():
        facts.n_letters += character.isalnum()
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

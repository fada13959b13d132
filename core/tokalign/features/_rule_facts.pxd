from libc.stdint cimport int32_t

from tokalign.english.values.pieces cimport Piece

cdef struct RuleFacts:
    # What the rules ask of a word beyond its lexeme. One block of memory.
    size_t n_bytes
    int32_t n_letters            # letters and digits in it
    int32_t code_name            # id of its words if it is a name of code, else -1
    bint may_hold_value          # whether a sentence with it may hold a value
    int32_t n_pieces
    const Piece *pieces          # [n_pieces] what it may be in a value
    const int32_t *expansions    # of each its number of words and their ids; 0 behind the last

cdef RuleFacts *rule_facts(str form, int32_t code_name, list expansions) except NULL

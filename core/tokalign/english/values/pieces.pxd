from libc.stdint cimport int32_t, uint64_t

cdef enum:
    MAX_PIECES = 8      # of a token
    N_FIELDS = 5

cdef struct Piece:
    # A token, or one of the pieces that it is glued from, and what it may be.
    uint64_t parts          # bits PART_...; 0 for a piece that is part of no value
    double number
    double factor
    int32_t token           # which it belongs to
    int32_t currency        # index among the codes, or -1
    int32_t unit            # index among the base units, or -1
    int32_t currency_exponent
    int32_t unit_exponent
    int32_t n_fields
    int32_t field[N_FIELDS]

cdef int fill_pieces(str token, Piece *out) except -1

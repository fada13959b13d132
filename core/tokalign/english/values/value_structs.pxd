# Pieces of tokens, values found in a sentence, and helpers that their readers share.

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

from tokalign.english.values.kinds cimport *

cdef enum:
    MAX_PIECES = 8      # of a token
    N_FIELDS = 5        # of a piece
    MAX_SPAN = 16       # tokens of a value; longer ones are ignored
    MAX_ALIKE = 5       # readings of one value
    N_PARTS = 6         # fields of a value

    # Fields of a date, each 0 if absent. A time, version, fraction or score has the fields of its
    # name, in order.
    YEAR = 0
    PERIOD = 1          # years that it covers: 1, 10 of a decade, 100 of a century
    MONTH = 2
    DAY = 3
    WEEKDAY = 4         # 1 is Monday
    QUARTER = 5

cdef struct Piece:
    # A token, or a piece of a glued one, with its readings.
    uint64_t parts          # bits PART_...; 0 for a piece outside values
    double number
    double factor
    int32_t token           # index of its token
    int32_t currency        # index among the codes, or -1
    int32_t unit            # index among the base units, or -1
    int32_t currency_exponent
    int32_t unit_exponent
    int32_t n_fields
    int32_t field[N_FIELDS]

cdef struct Found:
    uint8_t kind            # KIND_...
    uint8_t rank            # 0, or the number of this other reading of the value
    uint8_t number_kind     # of a range: the kind of its numbers
    int32_t start           # tokens, half-open
    int32_t end
    int32_t stop            # piece after it
    int32_t code            # currency or base unit; 1 for percentage points; or -1
    double amount           # in the base unit; the low one of a range
    double high             # of a range
    double number           # as written, without its unit
    int32_t field[N_PARTS]
    uint32_t role[MAX_SPAN] # ROLE_... of each token

cdef inline bint has(const Piece *piece, uint64_t parts) noexcept nogil:
    # Whether a piece may be any of these.
    return piece.parts & parts != 0

cdef inline void begin(Found *out, int kind, const Piece *p, int first) noexcept nogil:
    # Reset a value to its kind and its first token.
    cdef int k
    out.kind = kind
    out.rank = 0
    out.number_kind = 0
    out.start = p[first].token
    out.end = out.start
    out.stop = first
    out.code = -1
    out.amount = out.high = out.number = 0.0
    for k in range(N_PARTS):
        out.field[k] = 0
    for k in range(MAX_SPAN):
        out.role[k] = 0

cdef inline void mark(
    Found *out, const Piece *p, int first, int stop, uint32_t role
) noexcept nogil:
    # Give the tokens of some pieces a role, and extend the value to them.
    cdef int k, place
    for k in range(first, stop):
        place = p[k].token - out.start
        if 0 <= place < MAX_SPAN:
            out.role[place] |= role
        out.end = max(out.end, p[k].token + 1)
    out.stop = max(out.stop, stop)

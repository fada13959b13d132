"""Readings of tokens as C structs, which kernels combine."""

from tokalign.english.values.tokens import readings


cdef int fill_pieces(str token, Piece *out) except -1:
    """Write the readings of a token and return how many there are.

    `out` has room for MAX_PIECES. The field `token` is left to the caller: the same pieces serve
    wherever the token stands.
    """
    cdef tuple found = readings(token)
    cdef Py_ssize_t k, place
    cdef Piece *piece
    for k in range(len(found)):
        reading = found[k]
        piece = out + k
        piece.parts = reading.parts
        piece.number = reading.number
        piece.factor = reading.factor
        piece.token = 0
        piece.currency = reading.currency
        piece.unit = reading.unit
        piece.currency_exponent = reading.currency_exponent
        piece.unit_exponent = reading.unit_exponent
        piece.n_fields = <int32_t>len(reading.fields)
        for place in range(N_FIELDS):
            piece.field[place] = reading.fields[place] if place < piece.n_fields else 0
    return <int>len(found)

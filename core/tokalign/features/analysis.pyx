"""A sentence as the kernels see it, whatever pairs it is in: its words and its tree."""

from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memset

from tokalign.features._arena cimport Arena
from tokalign.features._layout cimport carve_sentence
from tokalign.features.pair cimport KIND_CONTENT, RuleFacts, Side
from tokalign.english.values.finding cimport N_BEHIND, find
from tokalign.english.values.found cimport MAX_ALIKE, Found
from tokalign.english.values.pieces cimport Piece

from tokalign.errors import InputError, ShapeError


def check_columns(sentence, str field):
    """Raise an error unless there are tokens and every column fits them; the kernels trust it."""
    cdef Py_ssize_t n_tokens = len(sentence.tokens)
    if not n_tokens:
        raise InputError(f"{field} has no tokens", field=field)
    for name in ("tags", "lemmas"):
        if getattr(sentence, name) is None:
            raise InputError(f"{field} has no {name}; annotate it first", field=field)
    if (sentence.heads is None) != (sentence.relations is None):
        raise InputError(f"{field} must have both heads and relations, or neither", field=field)
    for name in ("tags", "lemmas", "heads", "relations"):
        column = getattr(sentence, name)
        if column is not None and len(column) != n_tokens:
            raise ShapeError(
                f"{field} has {len(column)} {name} for {n_tokens} tokens; give one per token",
                field=f"{field}.{name}",
            )
    if sentence.heads is not None and not -1 <= min(sentence.heads) <= max(sentence.heads) < n_tokens:
        raise InputError(
            f"{field} has a head outside -1..{n_tokens - 1}", field=f"{field}.heads"
        )


cdef class Analysis:
    """A sentence as the kernels see it; made by Extractor.analyse.

    Its lexemes are valid until the extractor next makes room.
    """

    def __dealloc__(self):
        free(self._block)
        free(self._values)

    cdef int reserve(self, Py_ssize_t n) except -1:
        """Make room for a sentence of n tokens."""
        cdef Arena arena
        arena.memory = NULL
        arena.n_bytes = 0
        carve_sentence(&self.side, n, &arena)
        self._block = malloc(arena.n_bytes)
        if self._block == NULL:
            raise MemoryError("arrays of a sentence")
        arena.memory = <char *>self._block
        arena.n_bytes = 0
        carve_sentence(&self.side, n, &arena)
        return 0

    cdef void find_content(self) noexcept nogil:
        """Fill what follows from the words of the tokens, once they are there."""
        cdef Side *side = &self.side
        cdef Py_ssize_t k
        cdef int32_t last = -1
        for k in range(side.n):
            side.lemma[k] = side.word[k].lemma
            side.kind[k] = side.word[k].kind
            side.relative[k] = <float>k / <float>side.n
            side.previous_content[k] = last
            if side.word[k].kind == KIND_CONTENT:
                last = <int32_t>k
        last = -1
        for k in range(side.n - 1, -1, -1):
            side.next_content[k] = last
            if side.word[k].kind == KIND_CONTENT:
                last = <int32_t>k

    cdef int find_values(self) except -1:
        """Find the values of the sentence; its words must have their facts."""
        cdef Side *side = &self.side
        cdef Py_ssize_t k
        cdef int n_pieces = 0
        cdef bint may_hold_any = False
        cdef Piece *pieces
        cdef Found *kept
        for k in range(side.n):
            may_hold_any |= side.word[k].facts.may_hold_value
            n_pieces += max(1, side.word[k].facts.n_pieces)
        if not may_hold_any:
            return 0
        pieces = <Piece *>malloc((n_pieces + N_BEHIND) * sizeof(Piece))
        self._values = <Found *>malloc((n_pieces + 1) * MAX_ALIKE * sizeof(Found))
        if pieces == NULL or self._values == NULL:
            free(pieces)
            raise MemoryError("values of a sentence")
        _lay_out(side, pieces)
        side.n_values = find(pieces, n_pieces, self._values)
        free(pieces)
        kept = <Found *>realloc(self._values, (side.n_values + 1) * sizeof(Found))
        if kept != NULL:  # else the block stays as it is
            self._values = kept
        side.values = self._values
        return 0


cdef void _lay_out(const Side *side, Piece *pieces) noexcept nogil:
    """Write the pieces of all words, and empty ones for words without any and behind the last."""
    cdef const RuleFacts *facts
    cdef Py_ssize_t k
    cdef int at
    for k in range(side.n):
        facts = side.word[k].facts
        memcpy(pieces, facts.pieces, facts.n_pieces * sizeof(Piece))
        if facts.n_pieces == 0:
            memset(pieces, 0, sizeof(Piece))
        for at in range(max(1, facts.n_pieces)):
            pieces[at].token = <int32_t>k
        pieces += max(1, facts.n_pieces)
    memset(pieces, 0, N_BEHIND * sizeof(Piece))

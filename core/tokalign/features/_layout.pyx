"""Layout of the arrays of a sentence and of a pair in a block of memory."""

from libc.stdint cimport int32_t, uint8_t, uint32_t

from tokalign.features._arena cimport Arena, take
from tokalign.features._context cimport context_scratch
from tokalign.features.pair cimport MARGIN, N_TOP, Lexeme, PairState, Side


cdef void carve_sentence(Side *side, Py_ssize_t n, Arena *arena) noexcept nogil:
    """Point what a side has in any pair into an arena."""
    side.n = n
    side.word = <const Lexeme **>take(arena, n * sizeof(Lexeme *))
    side.kind = <uint8_t *>take(arena, n)
    side.relative = <float *>take(arena, n * sizeof(float))
    side.lemma = <int32_t *>take(arena, n * sizeof(int32_t))
    side.head = <int32_t *>take(arena, n * sizeof(int32_t))
    side.relation = <int32_t *>take(arena, n * sizeof(int32_t))
    side.group = <int32_t *>take(arena, n * sizeof(int32_t))
    side.first_child = <int32_t *>take(arena, n * sizeof(int32_t))
    side.next_sibling = <int32_t *>take(arena, n * sizeof(int32_t))
    side.previous_content = <int32_t *>take(arena, n * sizeof(int32_t))
    side.next_content = <int32_t *>take(arena, n * sizeof(int32_t))


cdef void carve_pair(PairState *pair, Arena *arena) noexcept nogil:
    """Point the arrays of a pair into an arena; those of its sentences stay where they are."""
    cdef size_t n_source = pair.source.n
    cdef size_t n_target = pair.target.n
    cdef size_t n_cells = n_source * n_target
    _carve_side(&pair.source, arena)
    _carve_side(&pair.target, arena)
    pair.word_score = <double *>take(arena, 2 * n_cells * sizeof(double))
    pair.cosine = <float *>take(arena, n_cells * sizeof(float))
    pair.lexical_class = <uint8_t *>take(arena, n_cells)
    pair.seen = <uint8_t *>take(arena, (n_source + 2 * MARGIN) * (n_target + 2 * MARGIN))
    pair.strength = <float *>take(arena, n_cells * sizeof(float))
    pair.window = <float *>take(arena, n_cells * sizeof(float))
    pair.bag = <float *>take(arena, n_cells * sizeof(float))
    pair.tension = <float *>take(arena, n_cells * sizeof(float))
    pair.distributional = <float *>take(arena, n_cells * sizeof(float))
    pair.scratch = <float *>take(arena, context_scratch(n_source, n_target) * sizeof(float))
    pair.run = <uint8_t *>take(arena, n_cells)
    pair.content_run = <uint8_t *>take(arena, n_cells)
    pair.acronym = <uint8_t *>take(arena, n_cells)
    pair.name_part = <uint8_t *>take(arena, n_cells)
    pair.rule = <uint8_t *>take(arena, n_cells)
    pair.agreement = <uint8_t *>take(arena, n_cells)
    pair.relations = <uint32_t *>take(arena, n_cells * sizeof(uint32_t))
    pair.contrast = <uint8_t *>take(arena, n_cells)


cdef void _carve_side(Side *side, Arena *arena) noexcept nogil:
    """Point what a side has in its pair into an arena."""
    cdef size_t n = side.n
    side.ties = <int32_t *>take(arena, n * sizeof(int32_t))
    side.best = <float *>take(arena, n * sizeof(float))
    side.nearest = <float *>take(arena, n * sizeof(float))
    side.top = <float *>take(arena, N_TOP * n * sizeof(float))
    side.likeliest = <float *>take(arena, 2 * n * sizeof(float))

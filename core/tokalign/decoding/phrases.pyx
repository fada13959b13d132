"""Phrase links of decoded pairs: maximal blocks (tokalign.types.phrases) and their confidences.

    s2t[block] = P(every source token of the block is labelled with a target token of it)
    t2s[block] = P(every target token of the block is labelled with a source token of it)

over all label sequences of each chain (tokalign.crf.chains). As for a link, the style's map turns
the mean of both into the confidence; if one direction is used alone, its own probability. A block
of one link has the link's confidence; the map of unlike words is used for a block without two equal
words. In a style with a second pass, which does not score blocks, the least probability of the
block's links replaces the mean.
"""

from libc.stdint cimport uint8_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from tokalign.decoding.decoder cimport DecodedPair
from tokalign.decoding.link_decision cimport Convention, confidence_of
from tokalign.features.pair cimport CLASS_IDENTICAL

from tokalign.types.options import Symmetrization
from tokalign.types.phrases import Phrase
from tokalign.types.relations import Relation

cdef extern from "Python.h":
    int PyObject_GenericSetAttr(object made, object name, object value) except -1

cdef object SOURCE_TO_TARGET = Symmetrization.SOURCE_TO_TARGET
cdef object TARGET_TO_SOURCE = Symmetrization.TARGET_TO_SOURCE


def maximal_blocks(links: Collection[tuple[int, int]]) -> tuple[tuple[int, int, int, int], ...]:
    """Return the maximal blocks of (source, target) links, each as a half-open range of source tokens
    and one of target tokens, sorted by start.

    Notes
    -----
    Each link is in at least one block. Blocks share links if linked cells form a corner.

    Examples
    --------
    >>> maximal_blocks([(0, 0), (0, 1), (2, 3)])
    ((0, 1, 0, 2), (2, 3, 3, 4))
    """
    cdef Py_ssize_t i, j, n_source = 0, n_target = 0
    cdef uint8_t *grid
    cdef list found = []
    for i, j in links:
        if i < 0 or j < 0:
            raise IndexError(f"a link of tokens {i}, {j}; wanted at least 0")
        n_source, n_target = max(n_source, i + 1), max(n_target, j + 1)
    # Linked cells, with a border of cells that are not; the last row is scratch.
    grid = <uint8_t *>calloc((n_source + 3) * (n_target + 2), 1)
    if grid == NULL:
        raise MemoryError("blocks of links")
    try:
        for i, j in links:
            grid[(i + 1) * (n_target + 2) + j + 1] = 1
        for i in range(n_source):
            _add_blocks(grid, i, n_source, n_target + 2, found)
    finally:
        free(grid)
    found.sort()
    return tuple(found)


cdef int _add_blocks(
    const uint8_t *grid, Py_ssize_t top, Py_ssize_t n_source, Py_ssize_t width, list found
) except -1:
    """Add the blocks that begin with a row."""
    cdef const uint8_t *above = grid + top * width
    cdef const uint8_t *below = above + width
    cdef uint8_t *shared = <uint8_t *>grid + (n_source + 2) * width
    cdef Py_ssize_t end = top, j, start
    cdef bint is_below, is_above
    memcpy(shared, below, width)
    # Cells that the row above has as well, and all to the left of them, are in a larger block.
    while not _are_within(shared, above, 0, width):
        end += 1
        below += width
        j = 0
        while j < width:
            if shared[j]:
                start = j
                while shared[j]:
                    j += 1
                if not _are_within(shared, below, start, j) and not _are_within(
                    shared, above, start, j
                ):
                    found.append((top, end, start - 1, j - 1))
            j += 1
        for j in range(width):
            shared[j] &= below[j]
    return 0


cdef inline bint _are_within(
    const uint8_t *cells, const uint8_t *others, Py_ssize_t start, Py_ssize_t end
) noexcept nogil:
    cdef Py_ssize_t j
    for j in range(start, end):
        if cells[j] > others[j]:
            return False
    return True


def weakest_links(links: Mapping[tuple[int, int], float]) -> tuple[Phrase, ...]:
    """Return the maximal blocks of links, a mapping, with the least confidence of their links."""
    return tuple([
        Phrase(*block, min([links[i, j] for i in range(*block[:2]) for j in range(*block[2:])]))
        for block in maximal_blocks(links)
    ])


def phrases_of(
    DecodedPair decoded not None, links: Sequence[LinkTuple], symmetrization: Symmetrization,
    Convention convention not None, model: RelationModel | None
) -> tuple[Phrase, ...]:
    """Return the maximal blocks of a decoded pair's links, of the caller's pair, sorted by start.

    `links`: the chosen links. `symmetrization`: the one that chose them. `convention`: its map
    gives confidences. A block that constraints require has 1, as its links do. `model`: of the
    blocks' relations, if they are wanted.
    """
    cdef tuple blocks = maximal_blocks([link[:2] for link in links])
    cdef list relations = [None] * len(blocks)
    cdef list phrases = []
    anchors = set(decoded.constraints.anchors) if decoded.constraints is not None else set()
    if model is not None and blocks:
        units = [(range(a, b), range(c, d)) for a, b, c, d in blocks]
        relations = list(map(Relation.of, model.probabilities(decoded.unit_inputs(units)).tolist()))
    for block, of in zip(blocks, relations):
        a, b, c, d = block
        confidence = _confidence(decoded, block, symmetrization, convention)
        if anchors and anchors.issuperset([(i, j) for i in range(a, b) for j in range(c, d)]):
            confidence = 1.0
        if decoded.is_turned:
            a, b, c, d, of = c, d, a, b, of and of.turned()
        phrases.append(_phrase(a, b, c, d, confidence, of))
    if decoded.is_turned:
        phrases.sort()
    return tuple(phrases)


cdef _phrase(a, b, c, d, confidence, relation):
    """Return ``Phrase(a, b, c, d, confidence, relation)`` in a fifth of the time."""
    phrase = Phrase.__new__(Phrase)
    PyObject_GenericSetAttr(phrase, "source_start", a)
    PyObject_GenericSetAttr(phrase, "source_end", b)
    PyObject_GenericSetAttr(phrase, "target_start", c)
    PyObject_GenericSetAttr(phrase, "target_end", d)
    PyObject_GenericSetAttr(phrase, "confidence", confidence)
    PyObject_GenericSetAttr(phrase, "relation", relation)
    return phrase


cdef double _confidence(
    DecodedPair decoded, tuple block, symmetrization, Convention convention
) except -1.0:
    """Return the confidence of a block by its probabilities."""
    cdef Py_ssize_t i, j
    cdef Py_ssize_t a = block[0], b = block[1], c = block[2], d = block[3]
    cdef double least = 1.0, s2t, t2s
    cdef bint are_unlike = True
    if b == a + 1 and d == c + 1:
        s2t = min(1.0, decoded.s2t[a * (decoded.n_target + 1) + c + 1])
        t2s = min(1.0, decoded.t2s[c * (decoded.n_source + 1) + a + 1])
    else:
        ((s2t, t2s),) = decoded.block_probabilities([block]).tolist()
    for i in range(a, b):
        for j in range(c, d):
            least = min(least, decoded.link[i * decoded.n_target + j])
            if decoded.lexical_class[i * decoded.n_target + j] == CLASS_IDENTICAL:
                are_unlike = False
    if symmetrization is TARGET_TO_SOURCE:
        s2t = t2s
    elif symmetrization is not SOURCE_TO_TARGET:
        s2t = least if convention.numbers.is_revised else (s2t + t2s) / 2
    return confidence_of(&convention.numbers, s2t, are_unlike)

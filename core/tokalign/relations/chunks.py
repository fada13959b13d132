"""Alignment of chunks, with their relations and similarity scores.

Pairs of a source chunk and a target chunk are linked by falling probability, each chunk once. Then
a free chunk joins an existing link if it likely belongs to the link's other side; the joined chunks
are one unit from then on.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tokalign.errors import InputError, quoted
from tokalign.relations.chunker import boundary_inputs
from tokalign.relations.related_units import Forest, RelationModel
from tokalign.types import Sentence
from tokalign.types.relations import (
    CHUNK_TYPES,
    HIGHEST_SCORE,
    NO_ALIGNMENT,
    RELATION_KINDS,
    ChunkedPair,
    ChunkLink,
    Relation,
    RelationKind,
    TokenChunk,
)

LEAST_LINKED = 0.5
"""Least probability of two linked chunks."""
LEAST_JOINED = 0.7
"""Least probability of one more chunk that joins a link."""
MOST_UNLIKE = 4.5
"""Highest score of chunks with different meanings."""

UnitInputs = Callable[[Sequence[tuple[TokenChunk, TokenChunk]]], NDArray[np.float32]]
"""Returns the relation model's inputs for some units."""


def align_chunks(
    model: RelationModel,
    source: Sentence,
    target: Sentence,
    inputs: UnitInputs,
    source_chunks: Sequence[Sequence[int]] | None,
    target_chunks: Sequence[Sequence[int]] | None,
) -> ChunkedPair:
    """Return the alignment of two sentences' chunks; see Aligner.align_chunks.

    `source`, `target`: with tags. `source_chunks`, `target_chunks`: None to use the chunker.
    """
    sides = []
    for name, sentence, given in (
        ("source", source, source_chunks),
        ("target", target, target_chunks),
    ):
        if given is None:
            sides.append(find_chunks(model.boundary, sentence.tags or ()))
        else:
            sides.append(check_chunks([tuple(each) for each in given], len(sentence), name))
    return ChunkedPair("", source, target, link_chunks(model, sides[0], sides[1], inputs))


def check_chunks(chunks: Sequence[TokenChunk], n_tokens: int, side: str) -> list[TokenChunk]:
    """Return the chunks of a sentence, or raise InputError.

    `chunks`: rising tokens of each; chunks do not overlap. `side`: name of the sentence in errors.
    """
    seen: set[int] = set()
    for chunk in chunks:
        tokens = list(chunk)
        if not tokens or tokens != sorted(set(tokens)) or tokens[0] < 0 or tokens[-1] >= n_tokens:
            raise InputError(
                f"a chunk of the {side} is {quoted(tokens)}; wanted rising tokens below {n_tokens}",
                field=f"{side}_chunks",
            )
        if seen & set(tokens):
            raise InputError(
                f"token {min(seen & set(tokens))} is in two chunks of the {side}",
                field=f"{side}_chunks",
            )
        seen |= set(tokens)
    if not seen:
        raise InputError(f"the {side} has no chunks", field=f"{side}_chunks")
    return [tuple(chunk) for chunk in chunks]


def link_chunks(
    model: RelationModel,
    source: Sequence[TokenChunk],
    target: Sequence[TokenChunk],
    inputs: UnitInputs,
) -> tuple[ChunkLink, ...]:
    """Return the alignment of chunks: linked ones by their first token, then unaligned ones.

    `source`, `target`: checked by check_chunks.
    """
    every = [(one, other) for one in source for other in target]
    linked = model.linked_probabilities(inputs(every)).reshape(len(source), len(target))
    groups = _grouped(linked)
    units = [(_joined(source, group[0]), _joined(target, group[1])) for group in groups]
    found = _related(model, units, inputs, [group[2] for group in groups]) if units else []
    taken = {number for group in groups for number in group[0]}
    for number in sorted(set(range(len(source))) - taken):
        alone = float(1.0 - linked[number].max())
        found.append(ChunkLink(source[number], (), NO_ALIGNMENT, 0.0, alone))
    taken = {number for group in groups for number in group[1]}
    for number in sorted(set(range(len(target))) - taken):
        alone = float(1.0 - linked[:, number].max())
        found.append(ChunkLink((), target[number], NO_ALIGNMENT, 0.0, alone))
    return tuple(found)


def _joined(chunks: Sequence[TokenChunk], numbers: Sequence[int]) -> TokenChunk:
    return tuple(sorted(token for number in numbers for token in chunks[number]))


def _grouped(linked: NDArray[np.float64]) -> list[tuple[list[int], list[int], float]]:
    """Return the groups of linked chunks, by index, with their probabilities."""
    groups: list[tuple[list[int], list[int], float]] = []
    of: tuple[dict[int, int], dict[int, int]] = ({}, {})
    order = sorted(np.ndindex(linked.shape), key=lambda cell: (-linked[cell], cell))
    for i, j in order:
        if linked[i, j] >= LEAST_LINKED and i not in of[0] and j not in of[1]:
            of[0][i] = of[1][j] = len(groups)
            groups.append(([i], [j], float(linked[i, j])))
    for i, j in order:
        if linked[i, j] < LEAST_JOINED or (i in of[0]) == (j in of[1]):
            continue
        if i in of[0]:
            of[1][j] = of[0][i]
            groups[of[0][i]][1].append(j)
        else:
            of[0][i] = of[1][j]
            groups[of[1][j]][0].append(i)
    return sorted((sorted(one), sorted(other), share) for one, other, share in groups)


def _related(
    model: RelationModel,
    units: Sequence[tuple[TokenChunk, TokenChunk]],
    inputs: UnitInputs,
    linked: Sequence[float],
) -> list[ChunkLink]:
    rows = inputs(units)
    kinds = model.probabilities(rows).tolist()
    scores = model.scores(rows).tolist()
    return [
        _chunk_link(unit, Relation.of(kind), score, share)
        for unit, kind, score, share in zip(units, kinds, scores, linked, strict=True)
    ]


def _chunk_link(
    unit: tuple[TokenChunk, TokenChunk], relation: Relation, score: float, probability: float
) -> ChunkLink:
    chunk_type = type_of(relation)
    is_same = chunk_type == CHUNK_TYPES[RelationKind.SAME]
    score = HIGHEST_SCORE if is_same else min(score, MOST_UNLIKE)
    return ChunkLink(*unit, chunk_type, round(score, 2), probability, relation)


def type_of(relation: Relation) -> str:
    """Return the task's likeliest type of a relation."""
    shares: dict[str, float] = {}
    for kind, probability in zip(RELATION_KINDS, relation.probabilities, strict=True):
        shares[CHUNK_TYPES[kind]] = shares.get(CHUNK_TYPES[kind], 0.0) + probability
    return max(shares, key=lambda each: shares[each])


def find_chunks(boundary: Forest, tags: Sequence[str]) -> list[TokenChunk]:
    """Return the chunks of a sentence, which hold every token once, in order.

    `boundary`: whose score is above 0 where a chunk begins. `tags`: Penn tags.
    """
    begins = boundary.scores(boundary_inputs(tags))[:, 0] > 0.0
    starts = [0, *(k for k in range(1, len(tags)) if begins[k]), len(tags)]
    return [tuple(range(start, end)) for start, end in pairwise(starts)]

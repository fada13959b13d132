"""Words that moved: runs of the same words that are kept on neither side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from tokalign.edits.blocks import Stretch
from tokalign.edits.words import SideWords

MOVE_INPUTS = (
    "n-tokens", "weight", "link-sum", "link-most", "link-mean", "n-links", "same-block",
    "blocks-between", "source-before", "source-after", "target-before", "target-after",
    "source-block-target", "target-block-source", "source-block", "target-block", "distance",
    "n-blocks", "changed-share", "first-kind", "last-kind", "source-count", "target-count",
)  # fmt: skip
"""What the trees are asked about a run that may have moved."""
LEAST_MOVED = 0.5
"""Probability from which a run has moved."""


def move_candidates(same: NDArray[np.uint8], blocks: Sequence[Stretch]) -> list[Stretch]:
    """Return the longest runs of the same words of two places that are in blocks, in order.

    Parameters
    ----------
    same : uint8 array, shape (n_source, n_target)
    blocks : sequence of Stretch
    """
    rows = [i for block in blocks for i in range(block.source_start, block.source_end)]
    columns = [j for block in blocks for j in range(block.target_start, block.target_end)]
    if not rows or not columns:
        return []
    cells = np.argwhere(same[np.ix_(rows, columns)])
    alike = {(rows[i], columns[j]) for i, j in cells.tolist()}
    found = []
    for i, j in sorted(alike):
        if (i - 1, j - 1) in alike:
            continue
        n_tokens = 1
        while (i + n_tokens, j + n_tokens) in alike:
            n_tokens += 1
        found.append(Stretch(i, i + n_tokens, j, j + n_tokens))
    return found


def move_inputs(
    candidates: Sequence[Stretch],
    blocks: Sequence[Stretch],
    sides: tuple[SideWords, SideWords],
    links: NDArray[np.float32],
    same: NDArray[np.uint8],
) -> NDArray[np.float32]:
    """Return the inputs of runs that may have moved, shape (n_candidates, n_inputs)."""
    n_source, n_target = links.shape
    of_source = {
        i: k for k, block in enumerate(blocks) for i in range(block.source_start, block.source_end)
    }
    of_target = {
        j: k for k, block in enumerate(blocks) for j in range(block.target_start, block.target_end)
    }
    changed = (len(of_source) + len(of_target)) / (n_source + n_target)
    rows = []
    for i0, i1, j0, j1 in candidates:
        here, there = of_source[i0], of_target[j0]
        inside = links[i0:i1, j0:j1]
        n_tokens = i1 - i0
        source, target = blocks[here], blocks[there]
        rows.append(
            (
                n_tokens,
                sides[0].weights[i0:i1].sum(),
                inside.sum(),
                inside.max(),
                inside.sum() / n_tokens,
                np.count_nonzero(inside),
                here == there,
                here - there,
                i0 - source.source_start,
                source.source_end - i1,
                j0 - target.target_start,
                target.target_end - j1,
                source.target_end - source.target_start,
                target.source_end - target.source_start,
                source.source_end - source.source_start,
                target.target_end - target.target_start,
                abs(i0 / n_source - j0 / n_target),
                len(blocks),
                changed,
                sides[0].kinds[i0],
                sides[0].kinds[i1 - 1],
                same[:, j0:j1].sum() / n_tokens,
                same[i0:i1].sum() / n_tokens,
            )
        )
    return np.array(rows, np.float32).reshape(-1, len(MOVE_INPUTS))


def chosen_moves(candidates: Sequence[Stretch], probabilities: Iterable[float]) -> list[Stretch]:
    """Return the runs that moved, the likeliest first; no token is in two of them."""
    likely = [
        (probability, candidate)
        for candidate, probability in zip(candidates, probabilities, strict=True)
        if probability >= LEAST_MOVED
    ]
    likely.sort(key=lambda each: -each[0])
    found: list[Stretch] = []
    for _, candidate in likely:
        if not any(_meet(candidate, other) for other in found):
            found.append(candidate)
    return found


def _meet(a: Stretch, b: Stretch) -> bool:
    """Whether two runs share a token."""
    return (a.source_start < b.source_end and b.source_start < a.source_end) or (
        a.target_start < b.target_end and b.target_start < a.target_end
    )

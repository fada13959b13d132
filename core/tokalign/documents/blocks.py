"""Blocks of sentences, of candidates with similarities: the order kept, then what moved."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tokalign.documents.candidates import GAIN_UNITS, TextCandidate
from tokalign.documents.chain import best_chain

THRESHOLD = 0.3
MOVED = 0.5


def choose(
    known: Sequence[tuple[TextCandidate, float]],
) -> tuple[list[TextCandidate], list[TextCandidate]]:
    known = sorted(known, key=lambda pair: (pair[0].old_first, pair[0].new_first, pair[0]))
    blocks, gains = [], []
    for each, similarity in known:
        n = each.n_old + each.n_new
        gain = (similarity - THRESHOLD) * n / 2 - 0.2 * (n - 2)
        if gain > 0:
            blocks.append(each)
            gains.append(round(gain * GAIN_UNITS))
    chosen = [
        blocks[k]
        for k in best_chain(np.array(blocks, np.int32).reshape(-1, 4), np.array(gains, np.int64))
    ]
    used_old = {i for each in chosen for i in each.old}
    used_new = {j for each in chosen for j in each.new}
    moved = []
    for each, similarity in sorted(known, key=lambda pair: (-pair[1], pair[0])):
        if similarity < MOVED or used_old & set(each.old) or used_new & set(each.new):
            continue
        moved.append(each)
        used_old |= set(each.old)
        used_new |= set(each.new)
    return chosen, moved

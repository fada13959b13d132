"""The best order-keeping choice among candidates, and what moved."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from tokalign.documents.candidates import TextCandidate

THRESHOLD = 0.3
MOVED = 0.6


def best_chain(
    known: Sequence[tuple[TextCandidate, float]], n_old: int, n_new: int
) -> tuple[list[TextCandidate], list[TextCandidate]]:
    """Return the blocks that keep the order of both texts, and those that moved."""
    starting = defaultdict(list)
    for each, similarity in known:
        gain = (similarity - THRESHOLD) * (each.n_old + each.n_new) / 2
        gain -= 0.2 * (each.n_old + each.n_new - 2)
        if gain > 0:
            starting[each.old_first].append((each, gain))
    best = [[(0.0, None)] * (n_new + 1) for _ in range(2)]
    rows: list[list[tuple[float, object]]] = [[(0.0, None)] * (n_new + 1)]
    pending: dict[int, list[tuple[int, float, object]]] = defaultdict(list)
    for i in range(n_old + 1):
        row = list(rows[-1])
        for end, gain, chain in pending.pop(i, []):
            if gain > row[end][0]:
                row[end] = (gain, chain)
        for j in range(1, n_new + 1):
            if row[j - 1][0] > row[j][0]:
                row[j] = row[j - 1]
        rows = [row]
        for each, gain in starting[i]:
            before, chain = row[each.new_first]
            pending[i + each.n_old].append(
                (each.new_first + each.n_new, before + gain, (each, chain))
            )
    del best
    chosen = []
    chain = rows[-1][n_new][1]
    while chain is not None:
        each, chain = chain  # type: ignore[misc]
        chosen.append(each)
    used_old = {i for each in chosen for i in each.old}
    used_new = {j for each in chosen for j in each.new}
    moved = []
    for each, similarity in sorted(known, key=lambda pair: (-pair[1], pair[0])):
        if similarity < MOVED or used_old & set(each.old) or used_new & set(each.new):
            continue
        moved.append(each)
        used_old |= set(each.old)
        used_new |= set(each.new)
    return chosen[::-1], moved

"""Tokens that were kept: the best matching of identical tokens in the same order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

BONUS = 0.5
"""What a kept token gains where the token before it on both sides is kept as well."""
LINKED = 0.5
"""What a kept token gains where the alignment links it, times the link's confidence."""


def kept_tokens(
    source: Sequence[str],
    target: Sequence[str],
    weights: Sequence[float],
    links: Mapping[tuple[int, int], float],
) -> list[tuple[int, int]]:
    """Return the kept tokens: rising on both sides, identical, and of the highest sum.

    Parameters
    ----------
    source, target : sequence of str
        Tokens.
    weights : sequence of float
        What keeping each source token is worth.
    links : mapping from (source, target) to confidence

    Returns
    -------
    kept : list of (source, target)
        Rising. Ties go to the later tokens.

    Notes
    -----
    Let ``m[i, j]`` be the best sum of the first i and j tokens that ends in a kept pair, and
    ``b[i, j]`` the best at all. Then ``m[i, j] = w + max(b[i-1, j-1], m[i-1, j-1] + BONUS)`` and
    ``b[i, j] = max(b[i-1, j], b[i, j-1], m[i, j])``. What both sides begin and end with is kept
    before.
    """
    n_source, n_target = len(source), len(target)
    start = 0
    shortest = min(n_source, n_target)
    while start < shortest and source[start] == target[start]:
        start += 1
    end = 0
    while end < shortest - start and source[-1 - end] == target[-1 - end]:
        end += 1
    kept = [(k, k) for k in range(start)]
    kept += _between(source, target, weights, links, (start, n_source - end, n_target - end))
    kept += [(n_source - k, n_target - k) for k in range(end, 0, -1)]
    return kept


def _between(
    source: Sequence[str],
    target: Sequence[str],
    weights: Sequence[float],
    links: Mapping[tuple[int, int], float],
    bounds: tuple[int, int, int],
) -> list[tuple[int, int]]:
    """Return the kept tokens from a place on that is the same on both sides."""
    start, source_end, target_end = bounds
    rows, columns = source_end - start, target_end - start
    if not rows or not columns:
        return []
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    kept = [[-1.0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(1, rows + 1):
        word = source[start + i - 1]
        for j in range(1, columns + 1):
            most = max(best[i - 1][j], best[i][j - 1])
            if target[start + j - 1] == word:
                link = links.get((start + i - 1, start + j - 1), 0.0)
                before = max(best[i - 1][j - 1], kept[i - 1][j - 1] + BONUS)
                kept[i][j] = before + weights[start + i - 1] + LINKED * link
                most = max(most, kept[i][j])
            best[i][j] = most
    found = []
    i, j, follows = rows, columns, False
    while i and j:
        if follows or (kept[i][j] >= best[i][j]):
            found.append((start + i - 1, start + j - 1))
            i, j = i - 1, j - 1
            follows = kept[i][j] > 0 and kept[i][j] + BONUS >= best[i][j]
        elif best[i][j] == best[i - 1][j]:
            i -= 1
        else:
            j -= 1
    return found[::-1]

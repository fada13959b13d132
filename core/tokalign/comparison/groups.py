"""Groups of what is linked by pairs, directly or through others."""

from __future__ import annotations

from collections.abc import Iterable


def groups_of(pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Return the groups of at least two numbers that pairs link, by their smallest numbers.

    Parameters
    ----------
    pairs : iterable of (int, int)

    Returns
    -------
    list of list of int
        Each rising.

    Examples
    --------
    >>> groups_of([(4, 5), (0, 2), (2, 7)])
    [[0, 2, 7], [4, 5]]
    """
    parents: dict[int, int] = {}

    def root(number: int) -> int:
        while (parent := parents.setdefault(number, number)) != number:
            parents[number] = parents[parent]
            number = parent
        return number

    for pair in pairs:
        low, high = sorted(map(root, pair))
        parents[high] = low
    members: dict[int, list[int]] = {}
    for number in sorted(parents):
        members.setdefault(root(number), []).append(number)
    return list(members.values())

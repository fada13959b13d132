"""Slow, obvious twins of what finds near-duplicates: all pairs are compared."""

from __future__ import annotations

import itertools


def jaccard(a, b) -> float:
    """Return how many of all members are in both."""
    return len(set(a) & set(b)) / len(set(a) | set(b))


def overlaps(sets) -> dict[tuple[int, int], float]:
    """Return the Jaccard overlap of every pair of sets."""
    return {
        (i, j): jaccard(sets[i], sets[j]) for i, j in itertools.combinations(range(len(sets)), 2)
    }


def groups(pairs) -> list[list[int]]:
    """Join groups that share a member until none do."""
    found = [set(pair) for pair in pairs]
    while True:
        for a, b in itertools.combinations(found, 2):
            if a & b:
                found = [each for each in found if each not in (a, b)] + [a | b]
                break
        else:
            return sorted(sorted(each) for each in {frozenset(each) for each in found})

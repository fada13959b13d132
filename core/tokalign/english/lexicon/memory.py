"""Memory for functions of single words."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

T = TypeVar("T")

KNOWN, LONGEST = 1 << 15, 32
"""So many words are remembered, the latest, if they are no longer: a few megabytes."""


def remembered(function: Callable[[str], T]) -> Callable[[str], T]:
    """Return a function of a word that is not called again for most words."""
    known = lru_cache(KNOWN)(function)
    return lambda word: known(word) if len(word) <= LONGEST else function(word)

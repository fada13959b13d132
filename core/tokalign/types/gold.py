"""Pairs aligned by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from tokalign.types.sentence import Sentence

Links: TypeAlias = frozenset[tuple[int, int]]
"""Links of one pair as 0-based (source, target)."""


@dataclass(frozen=True, slots=True)
class GoldPair:
    """A pair aligned by hand.

    Attributes
    ----------
    id : str
    source, target : Sentence
    sure, possible : frozenset of (int, int)
        Links as (source, target). `possible` holds only the links that are not sure.
    """

    id: str
    source: Sentence
    target: Sentence
    sure: Links
    possible: Links = frozenset()

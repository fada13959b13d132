"""Pairs aligned by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, TypeAlias

from tokalign.types.sentence import Sentence

if TYPE_CHECKING:
    from nltk.translate import AlignedSent

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

    @classmethod
    def from_nltk(cls, aligned: AlignedSent, *, id: str = "") -> Self:
        """Return an aligned sentence of NLTK, all of its links sure.

        Parameters
        ----------
        aligned : nltk.translate.AlignedSent
            Of any corpus of NLTK, or of `Alignment.to_nltk`. `words` become the source, `mots` the
            target. Words that it links to None have no link.
        id : str
            Name of the pair.

        Raises
        ------
        InputError
            If a word is empty.

        Examples
        --------
        >>> from nltk.translate import AlignedSent, Alignment
        >>> links = Alignment.fromstring("0-1 1-2")
        >>> aligned = AlignedSent(["Dogs", "bark"], ["A", "dog", "barks"], links)
        >>> sorted(GoldPair.from_nltk(aligned).sure)
        [(0, 1), (1, 2)]
        """
        sides = Sentence.from_tokens(aligned.words), Sentence.from_tokens(aligned.mots)
        links = ((link[0], link[1]) for link in aligned.alignment)
        return cls(id, *sides, frozenset((i, j) for i, j in links if j is not None))

"""The lexical tables that a set of feature groups needs, opened once."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Self

from tokalign.english.lexicon.lexical_resources import open_resource
from tokalign.english.lexicon.lexical_tables import Paraphrases, Vectors, WordNet
from tokalign.english.lexicon.word_weights import Frequencies
from tokalign.features.templates import NEEDS, group_of


@dataclass(frozen=True, slots=True)
class Lexicons:
    """Mapped tables; processes that open the same ones share their memory.

    Attributes
    ----------
    wordnet : WordNet
    frequencies : Frequencies
        Similarity weighs words by them, whatever a model's features are.
    vectors : Vectors or None
    paraphrases : Paraphrases or None
    """

    wordnet: WordNet
    frequencies: Frequencies
    vectors: Vectors | None = None
    paraphrases: Paraphrases | None = None

    @classmethod
    def for_groups(cls, groups: Collection[str]) -> Self:
        """Return the tables that some feature groups need.

        Raises
        ------
        ResourceError
            If one of them is not installed, or damaged.
        """
        groups = set(map(group_of, groups))
        return cls(
            wordnet=WordNet.open_shipped(),
            frequencies=Frequencies.open_shipped(),
            vectors=Vectors.open_shipped() if "vectors" in groups else None,
            paraphrases=(
                Paraphrases(open_resource(NEEDS["paraphrases"]))
                if "paraphrases" in groups
                else None
            ),
        )


def needed_resources(groups: Collection[str]) -> tuple[str, ...]:
    """Return the names of the tables that some feature groups need."""
    whole = set(map(group_of, groups))
    return ("wordnet", *(resource for group, resource in NEEDS.items() if group in whole))

"""Penn Treebank tags from the shipped table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tokalign.english.annotate.tagging import Forms, tag_forms
from tokalign.errors import ResourceError
from tokalign.files.tables import Table
from tokalign.types.locks import cached_property

TABLE = "tagger-en"
WIDTH = 64
"""Weights per row: one for each tag, and padding."""
MAX_TAGS = 63


@dataclass(frozen=True, eq=False)
class Tagger:
    """Averaged-perceptron tagger over the arrays of a table.

    Attributes
    ----------
    tags : tuple of str
        The tag set; ids are positions in it.
    weights : int16 array, shape (2**k, 64)
    lexicon_keys, lexicon_values : uint32 arrays, shape (2**m,)
        See `tokalign.english.annotate.tagging.tag_forms`.
    """

    tags: tuple[str, ...]
    weights: NDArray[np.int16]
    lexicon_keys: NDArray[np.uint32]
    lexicon_values: NDArray[np.uint32]

    @classmethod
    def load(cls) -> Tagger:
        """Return the shipped English tagger.

        Raises
        ------
        ResourceError
            If the table is missing or damaged.
        """
        return cls.from_table(Table.open_shipped(TABLE))

    @classmethod
    def from_table(cls, table: Table) -> Tagger:
        """Return the tagger of a table.

        Raises
        ------
        ResourceError
            If the table lacks an array, or an array holds values that the kernel cannot use.
        """
        tagger = cls(
            tuple(table.strings("tags")),
            table.array("weights", np.int16, (None, WIDTH)),
            table.array("lexicon_keys", np.uint32, (None,)),
            table.array("lexicon_values", np.uint32, (None,)),
        )
        check_labels(table, "tags", tagger.tags, MAX_TAGS)
        if missing := {"``", "''"} - set(tagger.tags):
            raise ResourceError(f"{table.path}: 'tags' lacks {min(missing)!r}")
        check_power_of_two(table, "weights")
        check_power_of_two(table, "lexicon_keys")
        if len(tagger.lexicon_keys) != len(tagger.lexicon_values):
            raise ResourceError(
                f"{table.path}: {len(tagger.lexicon_keys)} keys and "
                f"{len(tagger.lexicon_values)} values of the lexicon; wanted as many"
            )
        if tagger.lexicon_keys.all():
            raise ResourceError(
                f"{table.path}: 'lexicon_keys' has no empty place, where a search for a word that "
                "is not there would end"
            )
        return tagger

    @cached_property
    def quotes(self) -> tuple[int, int]:
        """The ids of the tags of an opening and a closing quote."""
        return self.tags.index("``"), self.tags.index("''")

    def tag_ids(self, forms: Forms) -> NDArray[np.uint8]:
        """Return the tag id of every token of a packed batch, uint8, shape (n_tokens,)."""
        return tag_forms(
            forms,
            self.weights,
            self.lexicon_keys,
            self.lexicon_values,
            len(self.tags),
            self.quotes,
        )

    def tag(self, sentences: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
        """Return one tag per token for each sentence of tokens.

        Raises
        ------
        InputError
            If a token is empty.

        Examples
        --------
        >>> Tagger.load().tag([["They", "bark", "."]])
        [('PRP', 'VBP', '.')]
        """
        forms = Forms(sentences)
        names = self.tags
        tags = [names[tag] for tag in self.tag_ids(forms).tolist()]
        offsets = forms.offsets_list()
        return [tuple(tags[start:end]) for start, end in pairwise(offsets)]


def check_labels(table: Table, name: str, labels: Sequence[str], most: int) -> None:
    """Raise ResourceError unless a table has 1 to `most` strings, all different and none empty."""
    if not 0 < len(labels) <= most or len(set(labels)) < len(labels) or not all(labels):
        raise ResourceError(
            f"{table.path}: {name!r} are {len(labels)} strings, {len(set(labels))} different; "
            f"wanted 1 to {most} different ones that are not empty"
        )


def check_power_of_two(table: Table, name: str) -> None:
    """Raise ResourceError unless the number of rows is a power of two, as hashed tables need."""
    n_rows = len(table[name])
    if n_rows < 2 or n_rows & (n_rows - 1):
        raise ResourceError(
            f"{table.path}: the array {name!r} has {n_rows} rows; wanted a power of two from 2"
        )

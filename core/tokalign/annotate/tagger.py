"""Penn Treebank tags from the shipped table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tokalign.annotate._forms import Forms
from tokalign.annotate._tagger import tag_forms
from tokalign.tables import Table

TABLE = "tagger-en"


@dataclass(frozen=True, eq=False)
class Tagger:
    """Averaged-perceptron tagger over the arrays of a table.

    Attributes
    ----------
    tags : tuple of str
        The tag set; ids are positions in it.
    weights : int16 array, shape (2**k, 64)
    lexicon_keys, lexicon_values : uint32 arrays, shape (2**m,)
        See `tokalign.annotate._tagger.tag_forms`.
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
        table = Table.open_shipped(TABLE)
        return cls(
            tuple(table.strings("tags")),
            table["weights"],
            table["lexicon_keys"],
            table["lexicon_values"],
        )

    @cached_property
    def _quotes(self) -> tuple[int, int]:
        return self.tags.index("``"), self.tags.index("''")

    def tag_ids(self, forms: Forms) -> NDArray[np.uint8]:
        """Return the tag id of every token of a packed batch, uint8, shape (n_tokens,)."""
        return tag_forms(
            forms,
            self.weights,
            self.lexicon_keys,
            self.lexicon_values,
            len(self.tags),
            self._quotes,
        )

    def tag(self, sentences: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
        """Return one tag per token for each sentence of tokens.

        Raises
        ------
        InputError
            If a token is empty.

        Examples
        --------
        >>> Tagger.load().tag([["Dogs", "bark", "."]])
        [('NNS', 'VBP', '.')]
        """
        forms = Forms(sentences)
        names = self.tags
        tags = [names[tag] for tag in self.tag_ids(forms).tolist()]
        offsets = forms.offsets_list()
        return [tuple(tags[start:end]) for start, end in pairwise(offsets)]

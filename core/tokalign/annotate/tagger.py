"""Penn Treebank tags from the shipped table."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tokalign.annotate._forms import Forms
from tokalign.annotate._tagger import tag_forms
from tokalign.tables import Table

TABLE = "tagger-en"


class Tagger:
    """Averaged-perceptron tagger over a mapped table.

    Attributes
    ----------
    tags : tuple of str
        The tag set; ids are positions in it.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self.tags = tuple(table.strings("tags"))
        self._weights = table["weights"]
        self._keys = table["lexicon_keys"]
        self._values = table["lexicon_values"]
        self._quotes = (self.tags.index("``"), self.tags.index("''"))

    @classmethod
    def load(cls) -> Tagger:
        """Return the shipped English tagger.

        Raises
        ------
        ResourceError
            If the table is missing or damaged.
        """
        return cls(Table.open_shipped(TABLE))

    def tag_ids(self, forms: Forms) -> NDArray[np.uint8]:
        """Return the tag id of every token of a packed batch, uint8, shape (n_tokens,)."""
        return tag_forms(
            forms, self._weights, self._keys, self._values, len(self.tags), self._quotes
        )

    def tag(self, sentences: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
        """Return one tag a token for each sentence of tokens.

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

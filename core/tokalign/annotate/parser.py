"""Dependency trees from the shipped table."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tokalign.annotate._forms import Forms
from tokalign.annotate._parser import parse_forms
from tokalign.errors import ShapeError
from tokalign.tables import Table

TABLE = "parser-en"
UNKNOWN_TAG = 61


class Parser:
    """Arc-hybrid parser over a mapped table.

    Attributes
    ----------
    tags : tuple of str
        Tags known to the parser; any other counts as one unknown tag.
    labels : tuple of str
        Universal Dependencies relations with subtypes.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self.tags = tuple(table.strings("tags"))
        self.labels = tuple(table.strings("labels"))
        self._tag_ids = {tag: index for index, tag in enumerate(self.tags)}
        self._actions = table["action_weights"]
        self._label_weights = table["label_weights"]

    @classmethod
    def load(cls) -> Parser:
        """Return the shipped English parser.

        Raises
        ------
        ResourceError
            If the table is missing or damaged.
        """
        return cls(Table.open_shipped(TABLE))

    def tag_ids(self, tags: Sequence[str]) -> NDArray[np.uint8]:
        """Return the ids of tag names, uint8, shape (n_tokens,)."""
        known = self._tag_ids
        return np.array([known.get(tag, UNKNOWN_TAG) for tag in tags], dtype=np.uint8)

    def parse_ids(
        self, forms: Forms, tags: NDArray[np.uint8]
    ) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
        """Return heads (0-based in the sentence, -1 root) and label ids of a packed batch."""
        return parse_forms(forms, tags, self._actions, self._label_weights, len(self.labels))

    def parse(
        self, sentences: Sequence[Sequence[str]], tags: Sequence[Sequence[str]]
    ) -> list[tuple[tuple[int, ...], tuple[str, ...]]]:
        """Return (heads, relations) for each sentence of tokens and Penn tags.

        Raises
        ------
        InputError
            If a token is empty.
        ShapeError
            If a sentence has not one tag a token.

        Examples
        --------
        >>> Parser.load().parse([["Dogs", "bark", "."]], [["NNS", "VBP", "."]])
        [((1, -1, 1), ('nsubj', 'root', 'punct'))]
        """
        for index, (sentence, column) in enumerate(zip(sentences, tags, strict=True)):
            if len(sentence) != len(column):
                raise ShapeError(
                    f"sentence {index}: {len(column)} tags for {len(sentence)} tokens", field="tags"
                )
        forms = Forms(sentences)
        heads, labels = self.parse_ids(forms, self.tag_ids([tag for row in tags for tag in row]))
        names = self.labels
        relations = [names[label] for label in labels.tolist()]
        plain = heads.tolist()
        return [
            (tuple(plain[start:end]), tuple(relations[start:end]))
            for start, end in pairwise(forms.offsets_list())
        ]

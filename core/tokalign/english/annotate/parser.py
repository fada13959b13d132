"""Dependency trees from the shipped table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tokalign.english.annotate.parsing import parse_forms
from tokalign.english.annotate.tagger import check_labels, check_power_of_two
from tokalign.english.annotate.tagging import Forms
from tokalign.errors import ShapeError
from tokalign.files.tables import Table
from tokalign.types.locks import cached_property

TABLE = "parser-en"
UNKNOWN_TAG = 61
"""Most tags that can be known, and the id of any other tag."""
MAX_LABELS = 63
ACTION_WIDTH, LABEL_WIDTH = 4, 64
"""Weights per row: one for each action or label, and padding."""


@dataclass(frozen=True, eq=False)
class Parser:
    """Arc-hybrid parser over the arrays of a table.

    Attributes
    ----------
    tags : tuple of str
        Tags known to the parser; any other counts as one unknown tag.
    labels : tuple of str
        Universal Dependencies relations with subtypes.
    action_weights : int16 array, shape (2**k, 4)
    label_weights : int16 array, shape (2**m, 64)
        See `tokalign.english.annotate.parsing.parse_forms`.
    """

    tags: tuple[str, ...]
    labels: tuple[str, ...]
    action_weights: NDArray[np.int16]
    label_weights: NDArray[np.int16]

    @classmethod
    def load(cls) -> Parser:
        """Return the shipped English parser.

        Raises
        ------
        ResourceError
            If the table is missing or damaged.
        """
        return cls.from_table(Table.open_shipped(TABLE))

    @classmethod
    def from_table(cls, table: Table) -> Parser:
        """Return the parser of a table.

        Raises
        ------
        ResourceError
            If the table lacks an array, or an array holds values that the kernel cannot use.
        """
        parser = cls(
            tuple(table.strings("tags")),
            tuple(table.strings("labels")),
            table.array("action_weights", np.int16, (None, ACTION_WIDTH)),
            table.array("label_weights", np.int16, (None, LABEL_WIDTH)),
        )
        check_labels(table, "tags", parser.tags, UNKNOWN_TAG)
        check_labels(table, "labels", parser.labels, MAX_LABELS)
        check_power_of_two(table, "action_weights")
        check_power_of_two(table, "label_weights")
        return parser

    @cached_property
    def _tag_ids(self) -> dict[str, int]:
        return {tag: index for index, tag in enumerate(self.tags)}

    def tag_ids(self, tags: Sequence[str]) -> NDArray[np.uint8]:
        """Return the ids of tag names, uint8, shape (n_tokens,)."""
        known = self._tag_ids
        return np.array([known.get(tag, UNKNOWN_TAG) for tag in tags], dtype=np.uint8)

    def parse_ids(
        self, forms: Forms, tags: NDArray[np.uint8]
    ) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
        """Return heads (0-based in the sentence, -1 root) and label ids of a packed batch."""
        return parse_forms(forms, tags, self.action_weights, self.label_weights, len(self.labels))

    def parse(
        self, sentences: Sequence[Sequence[str]], tags: Sequence[Sequence[str]]
    ) -> list[tuple[tuple[int, ...], tuple[str, ...]]]:
        """Return (heads, relations) for each sentence of tokens and Penn tags.

        Raises
        ------
        InputError
            If a token is empty.
        ShapeError
            If a sentence does not have one tag per token.

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

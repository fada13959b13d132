"""Penn Treebank tags and dependency trees, by the shipped tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tokalign.english.annotate.annotated_texts import TextAnnotator
from tokalign.english.annotate.tagging import KNOWN_TAGS, NO_TAG, Forms, parse_forms
from tokalign.errors import InputError, ResourceError, ShapeError
from tokalign.files.tables import Table
from tokalign.types.locks import cached_property

WIDTH, ACTION_WIDTH = 64, 4
"""Weights per row: one for each tag or label, or for each action, and padding."""
MOST_LABELS = 63
"""Tags of the tagger, or labels of the parser."""
UNKNOWN_TAG = 61
"""Most tags that the parser can know, and the id of any other tag."""


@dataclass(eq=False, repr=False)
class Tagger:
    """Averaged-perceptron tagger over the arrays of a table; ids are positions among the tags.

    Weights have shape (2**k, 64). The lexicon's keys and values, of 2**m places, use open
    addressing by the hash of a lower-case form; the value is its ambiguity class.
    """

    tags: tuple[str, ...]
    weights: NDArray[np.int16]
    lexicon_keys: NDArray[np.uint32]
    lexicon_values: NDArray[np.uint32]

    @classmethod
    def load(cls) -> Self:
        """Return the shipped one of English; ResourceError if it is missing or damaged."""
        return cls.from_table(Table.open_shipped("tagger-en"))

    @classmethod
    def from_table(cls, table: Table) -> Self:
        """Return that of a table; ResourceError if an array is missing or no kernel can use it."""
        tagger = cls(
            tuple(table.strings("tags")),
            table.array("weights", np.int16, (None, WIDTH)),
            table.array("lexicon_keys", np.uint32, (None,)),
            table.array("lexicon_values", np.uint32, (None,)),
        )
        check_labels(table, "tags", tagger.tags, MOST_LABELS)
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
    def known_tags(self) -> tuple[int, ...]:
        """The ids of KNOWN_TAGS; NO_TAG for one that the tagger lacks."""
        return tuple(self.tags.index(tag) if tag in self.tags else NO_TAG for tag in KNOWN_TAGS)

    def tag_ids(
        self, sentences: Sequence[Sequence[str]], *, as_written: bool = False
    ) -> NDArray[np.uint8]:
        """Return the tag id of every token of some sentences, uint8, shape (n_tokens,).

        Titles ("Firm Sells Old Plant") and sentences in capitals are tagged as if they were in
        lower case, unless `as_written`. Raises InputError if a token is empty.
        """
        if not all(map(all, sentences)):
            raise InputError("a token is empty", field="tokens")
        annotate = TextAnnotator(self, lambda token, tag: token, as_written)
        return annotate([*map(" ".join, sentences)], [*map(tuple, sentences)]).tags()

    def tag(
        self, sentences: Sequence[Sequence[str]], *, as_written: bool = False
    ) -> list[tuple[str, ...]]:
        """Return one tag per token for each sentence of tokens; see tag_ids.

        Examples
        --------
        >>> Tagger.load().tag([["They", "bark", "."]])
        [('PRP', 'VBP', '.')]
        """
        tags = iter(
            [self.tags[tag] for tag in self.tag_ids(sentences, as_written=as_written).tolist()]
        )
        return [tuple(islice(tags, len(each))) for each in sentences]


@dataclass(eq=False, repr=False)
class Parser:
    """Arc-hybrid parser over the arrays of a table; labels are Universal Dependencies relations.

    Any tag that it does not know counts as one unknown tag. Weights have the shapes (2**k, 4) and
    (2**m, 64); see `tokalign.english.annotate.tagging.parse_forms`.
    """

    tags: tuple[str, ...]
    labels: tuple[str, ...]
    action_weights: NDArray[np.int16]
    label_weights: NDArray[np.int16]

    @classmethod
    def load(cls) -> Self:
        """Return the shipped one of English; ResourceError if it is missing or damaged."""
        return cls.from_table(Table.open_shipped("parser-en"))

    @classmethod
    def from_table(cls, table: Table) -> Self:
        """Return that of a table; see Tagger.from_table."""
        parser = cls(
            tuple(table.strings("tags")),
            tuple(table.strings("labels")),
            table.array("action_weights", np.int16, (None, ACTION_WIDTH)),
            table.array("label_weights", np.int16, (None, WIDTH)),
        )
        check_labels(table, "tags", parser.tags, UNKNOWN_TAG)
        check_labels(table, "labels", parser.labels, MOST_LABELS)
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

        Raises InputError if a token is empty, ShapeError if a sentence does not have one tag each.

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
        relations = [self.labels[label] for label in labels.tolist()]
        plain = heads.tolist()
        return [
            (tuple(plain[start:end]), tuple(relations[start:end]))
            for start, end in pairwise(forms.offsets_list())
        ]


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

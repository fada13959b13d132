"""The table of feature templates: one row each, with its range and where it comes from.

A template has axes; each combination of axis labels is one feature with a *slot* of its own, so
that the whole feature space is enumerated before training and every weight has a readable name:
``rank[row-2nd column-1st content-content related]``. Most features are indicators (value 1); the range says
so. The kernels in this package compute the slots; the order of `Template` and of the axes is the
contract between them and this file.

Sources: Y13 is Yao et al. (2013), "A Lightweight and High Performance Monolingual Word Aligner";
S18 is Sharma et al. (2018); own stands for features of this project.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tokalign.annotate.relations import GROUPS
from tokalign.errors import ModelError
from tokalign.features._templates import Template
from tokalign.features.inventory import COARSE_TAGS, MARKS, PENN_TAGS
from tokalign.features.lexicons import NEEDS
from tokalign.lexicon._wordnet import RELATION_NAMES
from tokalign.lexicon.words import function_words

MAX_FUNCTION_WORDS = 256
INDICATOR = "1"
RATIO = "[0, 1]"
LOG = "[-8, 0]"

Axis = tuple[str, ...]

_KIND = ("content", "function", "mark")
_STRENGTH = ("same", "related", "unrelated")
_CASE = ("lower", "capitalised", "upper", "none")


def _pairs(labels: Sequence[str]) -> Axis:
    return tuple(f"{a}-{b}" for a, b in itertools.product(labels, labels))


def _bins(*edges: float) -> Axis:
    """Return names of the bins that rising edges cut."""
    return (
        f"<{edges[0]:g}",
        *(f"{low:g}..{high:g}" for low, high in itertools.pairwise(edges)),
        f">={edges[-1]:g}",
    )


def _words() -> Axis:
    words = [*function_words(), *MARKS]
    return (*words, *(f"unused{k}" for k in range(len(words), MAX_FUNCTION_WORDS)))


SIMILARITIES: Axis = (
    "jaro_winkler", "dice_sorensen", "hamming", "jaccard", "levenshtein", "ngram", "prefix",
    "suffix",
)  # fmt: skip
LEXICAL_CLASSES: Axis = (
    "identical", "canonical", "lemma", "stem", "synonym", "paraphrase", "derived", "stem-prefix",
    "hyphen", "fuzzy", "prefix", "hypernym", "near", "cohyponym", "antonym", "none", "close-0.3", "close-0.4", "close-0.5", "close-0.6",
)  # fmt: skip

_KINDS = _pairs(_KIND)
_TAGS = _pairs(PENN_TAGS)
_COARSE = _pairs(COARSE_TAGS)
_CASES = _pairs(_CASE)
_WORDS = _words()
_MATCH = ("unmatched", "matched")
_SIDES = ("left", "right")
_POS = ("same-tag", "same-class", "other-class")
_AGREEMENT = ("same-relation", "same-group", "other-relation")
_BEST = _bins(0.1, 0.4, 0.65, 0.85, 0.97)
_STRENGTH_BINS = _bins(0.1, 0.4, 0.7, 0.9)
_COSINE_BINS = _bins(0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
_LIKELY = _bins(0.01, 0.03, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9, 0.98)
_COARSELY = _bins(0.02, 0.15, 0.5, 0.9)
_HEADS = (*_STRENGTH_BINS, "both-roots", "one-root")


@dataclass(frozen=True, slots=True)
class Row:
    """One feature template.

    Attributes
    ----------
    template : Template
    group : str
        What training switches on or off as one.
    axes : tuple of Axis
        The last varies fastest.
    range : str
        Of the feature's value; "1" for an indicator, which is absent rather than 0.
    source : str
    meaning : str
    """

    template: Template
    group: str
    axes: tuple[Axis, ...]
    range: str
    source: str
    meaning: str

    @property
    def size(self) -> int:
        return int(np.prod([len(axis) for axis in self.axes], dtype=np.int64))


T = Template
ROWS: tuple[Row, ...] = (
    Row(T.STRING, "string", (SIMILARITIES,), RATIO, "Y13 3.3", "similarity of the characters, case ignored"),
    Row(T.IDENTICAL, "string", (("exactly", "ignoring-case"),), INDICATOR, "Y13 3.3", "identical words"),
    Row(T.POS_MATCH, "pos", (_POS,), INDICATOR, "Y13 3.3", "do the tags match?"),
    Row(T.TAG_PAIR, "pos", (_TAGS,), INDICATOR, "Y13 3.3", "both tags"),
    Row(T.POSITION, "position", (("distance",),), RATIO, "Y13 3.3", "|i / n_source - j / n_target|"),
    Row(T.POSITION_BIN, "position", (_bins(0.02, 0.05, 0.1, 0.2, 0.35, 0.6), _STRENGTH), INDICATOR, "own", "the same, binned"),
    Row(T.EDGES, "position", (("both-first", "both-last", "one-last"), _STRENGTH), INDICATOR, "own", "words at the edge of their sentences"),
    Row(T.WORDNET, "wordnet", ((*RELATION_NAMES, "same-lemma"),), INDICATOR, "Y13 3.3", "WordNet relation of the lemmas in any sense"),
    Row(T.NEIGHBOUR, "neighbour", (_SIDES, ("identical", "same-lemma", "same-tag")), INDICATOR, "Y13 3.3", "do the adjacent words match?"),
    Row(T.LEXICAL_CLASS, "lexical", (LEXICAL_CLASSES, _KINDS, _COARSE), INDICATOR, "own", "strongest lexical class that holds"),
    Row(T.UNRELATED, "lexical", (_bins(0.2, 0.35, 0.5, 0.65, 0.8), _KINDS, _CASES), INDICATOR, "own", "largest string similarity of unrelated words"),
    Row(T.IDENTICAL_CASE, "lexical", (_KINDS, _CASES), INDICATOR, "own", "capitalisation of identical words"),
    Row(T.SAME_WORD, "lexical", (_WORDS,), INDICATOR, "own", "which function word or mark both are"),
    Row(T.FUNCTION_PAIR, "lexical", (_WORDS, _WORDS), INDICATOR, "own", "two different function words or marks"),
    Row(T.NUMBER, "lexical", (("equal", "different"),), INDICATOR, "own", "both are numbers"),
    Row(T.ACRONYM, "lexical", (("holds",),), INDICATOR, "own", "one word abbreviates a run that holds the other"),
    Row(T.NAME_PART, "names", (("source-longer", "target-longer"), _SIDES, ("short-form-alone", "short-form-in-name")), "10", "own", "completes a name of which one word is repeated"),
    Row(T.WINDOW, "context", (_STRENGTH,), "[0, 3.7]", "own", "C1: strength along the diagonal within 3"),
    Row(T.WINDOW_BIN, "context", (_bins(0.1, 0.3, 0.6, 1.0, 1.5, 2.2), _KINDS, _STRENGTH), INDICATOR, "own", "C1, binned"),
    Row(T.BAG, "context", (_STRENGTH,), "[0, 6]", "own", "C2: strength of the neighbourhoods within 3, order-free"),
    Row(T.BAG_BIN, "context", (_bins(0.3, 0.7, 1.5, 2.5), _KINDS, _STRENGTH), INDICATOR, "own", "C2, binned"),
    Row(T.RUN, "context", (("1", "2", "3", "4", "5", "6+"), _KINDS), INDICATOR, "own", "length of the diagonal run that holds the link"),
    Row(T.CONTENT_RUN, "context", (("0", "1", "2", "3", "4+"), _KINDS), INDICATOR, "own", "content words in that run"),
    Row(T.ADJACENT, "context", (_SIDES, _STRENGTH_BINS, _KINDS, _STRENGTH), INDICATOR, "own", "strength of the adjacent words"),
    Row(T.CONTENT_NEIGHBOUR, "context", (_SIDES, (*_STRENGTH_BINS, "edge"), ("equally-far", "unequally-far", "beyond-3"), _STRENGTH), INDICATOR, "own", "strength of the nearest content words"),
    Row(T.SKIP, "context", (("left-target", "right-target", "left-source", "right-source"), _STRENGTH), INDICATOR, "own", "a match that skips one word"),
    Row(T.RANK, "competition", (("row-1st", "row-2nd", "row-3rd+"), ("column-1st", "column-2nd", "column-3rd", "column-4th+"), _KINDS, _STRENGTH), INDICATOR, "own", "rank of the tension in row and column"),
    Row(T.ROW_TIES, "competition", (("0", "1", "2", "3+"), _KINDS, _STRENGTH), INDICATOR, "own", "other equally strong cells in the row"),
    Row(T.COLUMN_TIES, "competition", (("0", "1", "2", "3", "4+"), _KINDS, _STRENGTH), INDICATOR, "own", "other equally strong cells in the column"),
    Row(T.ROW_GAP, "competition", (_bins(0.01, 0.2, 0.5), _KINDS, _STRENGTH), INDICATOR, "own", "best strength of the row minus this one"),
    Row(T.COLUMN_GAP, "competition", (_bins(0.01, 0.2, 0.5), _KINDS, _STRENGTH), INDICATOR, "own", "best strength of the column minus this one"),
    Row(T.ROW_MARGIN, "competition", (_bins(-2, -1, -0.4, -0.1, 0.1, 0.4, 1, 2), _KINDS, _STRENGTH), INDICATOR, "own", "tension minus that of the best rival in the row"),
    Row(T.COLUMN_MARGIN, "competition", (_bins(-2, -1, -0.4, -0.1, 0.1, 0.4, 1, 2), _KINDS, _STRENGTH), INDICATOR, "own", "tension minus that of the best rival in the column"),
    Row(T.RESIDUAL, "competition", (_COARSE,), INDICATOR, "own", "neither word has a partner elsewhere"),
    Row(T.RESIDUAL_CONTEXT, "competition", (_bins(0.1, 0.6, 1.5), _bins(0.3, 1.2, 2.5), _POS), INDICATOR, "own", "C1, C2 and tags of two words without partners"),
    Row(T.COSINE, "vectors", (_COSINE_BINS, _POS, ("both-free", "one-free", "taken")), INDICATOR, "own", "cosine of the vectors of two words that are not alike"),
    Row(T.NEAREST, "vectors", (_COSINE_BINS, ("both", "row", "column", "neither"), _POS), INDICATOR, "own", "of two words without partners: are they each other's nearest?"),
    Row(T.PARAPHRASE, "paraphrases", (_POS,), INDICATOR, "own", "two different words that are paraphrases"),
    Row(T.DISTRIBUTIONAL, "distributional", (_STRENGTH,), RATIO, "S18 alg. 2", "how alike the words' arcs in both trees are"),
    Row(T.DISTRIBUTIONAL_BIN, "distributional", (_bins(0.01, 0.2, 0.4, 0.6, 0.8), _KINDS, _STRENGTH), INDICATOR, "S18 alg. 2", "the same, binned"),
    Row(T.HEAD, "dependency", (_HEADS, _AGREEMENT, _KINDS, _STRENGTH), INDICATOR, "own", "strength of the heads"),
    Row(T.HEAD_RELATION, "dependency", (_pairs(GROUPS), _STRENGTH), INDICATOR, "own", "relations of two words whose heads match"),
    Row(T.CHILDREN, "dependency", (("same-relation", "same-group", "other", "function"), ("0", "1", "2", "3+"), _STRENGTH), INDICATOR, "own", "number of matched children"),
    Row(T.CROSSED_HEAD, "dependency", (("source-head", "target-head"), _KINDS, _STRENGTH), INDICATOR, "own", "the head of one word matches the other word"),
    Row(T.RESIDUAL_HEAD, "dependency", (_HEADS, _AGREEMENT, ("0", "1", "2+"), ("other-class", "same-class")), INDICATOR, "own", "heads and matched children of two content words without partners"),
    Row(T.NULL_BIAS, "null", (("bias",),), INDICATOR, "Y13 3.3", "the word has no partner"),
    Row(T.NULL_TAG, "null", (PENN_TAGS,), INDICATOR, "own", "its tag"),
    Row(T.NULL_BEST, "null", (_BEST, _KIND, COARSE_TAGS), INDICATOR, "own", "its best strength"),
    Row(T.NULL_MATCHES, "null", (("0", "1", "2", "3+"), _KIND), INDICATOR, "own", "number of words as good as identical"),
    Row(T.NULL_WORD, "null", (_WORDS, _MATCH), INDICATOR, "own", "which function word or mark it is"),
    Row(T.NULL_NEIGHBOURS, "null", ((*_BEST, "edge"), (*_BEST, "edge"), _MATCH, _KIND), INDICATOR, "own", "best strengths of the adjacent words"),
    Row(T.NULL_LENGTH, "null", (_bins(0.4, 0.7, 1.1, 1.8, 3.0), _KIND, _MATCH), INDICATOR, "own", "ratio of the sentences' lengths"),
    Row(T.NULL_RELATION, "dependency", (GROUPS, _MATCH, _KIND), INDICATOR, "own", "its relation"),
    Row(T.NULL_HEAD, "dependency", ((*_BEST, "root"), GROUPS, _MATCH), INDICATOR, "own", "best strength of its head"),
    Row(T.NULL_CHILDREN, "dependency", (("0", "1", "2", "3+"), _KIND, _MATCH), INDICATOR, "own", "content children that have a partner"),
    Row(T.NEURAL, "neural", (("s2t", "t2s"), _STRENGTH), LOG, "own", "the encoder's log-probability of the link, each direction"),
    Row(T.NEURAL_BIN, "neural", (("s2t", "t2s"), _LIKELY, _KINDS, _STRENGTH), INDICATOR, "own", "the same, binned by probability"),
    Row(T.NEURAL_BOTH, "neural", (_COARSELY, _COARSELY, _KINDS, _STRENGTH), INDICATOR, "own", "both directions together"),
    Row(T.NEURAL_RANK, "neural", (("row-1st", "row-2nd", "row-3rd+"), ("column-1st", "column-2nd", "column-3rd+"), _KINDS, _STRENGTH), INDICATOR, "own", "its rank among each word's partners, NULL among them"),
    Row(T.NEURAL_MARGIN, "neural", (("s2t", "t2s"), _bins(-4, -2, -1, -0.3, 0.3, 1, 2, 4), _KINDS, _STRENGTH), INDICATOR, "own", "log-probability minus that of the likeliest other partner"),
    Row(T.NEURAL_NULL, "neural", (_STRENGTH,), LOG, "own", "the encoder's log-probability of no partner, by best strength"),
    Row(T.NEURAL_NULL_BIN, "neural", (_LIKELY, _KIND, _STRENGTH), INDICATOR, "own", "the same, binned by probability"),
)  # fmt: skip

_ROW_OF = {row.template.name.lower(): row for row in ROWS}
_INDEX = {
    axis: {label: index for index, label in enumerate(axis)} for row in ROWS for axis in row.axes
}

GROUP_NAMES: tuple[str, ...] = tuple(dict.fromkeys(row.group for row in ROWS))

TREE_GROUPS = ("dependency", "distributional")
"""Groups without features unless both sentences have trees."""

DEFAULT_GROUPS: tuple[str, ...] = tuple(
    group for group in GROUP_NAMES if group not in {*NEEDS, "distributional", "neural"}
)
"""What is trained unless something else is asked for; the rest needs more tables or gave little."""


class FeatureTable:
    """The slots of a chosen set of feature groups.

    Parameters
    ----------
    groups : collection of str
        Names out of GROUP_NAMES.

    Attributes
    ----------
    base : int32 array, shape (n_templates,)
        First slot of each template, -1 where its group is off.
    n_slots : int

    Raises
    ------
    ModelError
        If a group is unknown.
    """

    def __init__(self, groups: Collection[str]) -> None:
        unknown = sorted(set(groups) - set(GROUP_NAMES))
        if unknown:
            raise ModelError(
                f"unknown feature groups {unknown}; this version knows {', '.join(GROUP_NAMES)}"
            )
        self.groups = tuple(name for name in GROUP_NAMES if name in set(groups))
        self.base: NDArray[np.int32] = np.full(len(ROWS), -1, dtype=np.int32)
        self.n_slots = 0
        for row in ROWS:
            if row.group in self.groups:
                self.base[row.template] = self.n_slots
                self.n_slots += row.size

    def name(self, slot: int) -> str:
        """Return the readable name of a slot, such as ``"null_tag[NN]"``.

        Raises
        ------
        IndexError
            If the slot is outside the table.
        """
        if not 0 <= slot < self.n_slots:
            raise IndexError(f"slot {slot} is outside 0..{self.n_slots - 1}")
        bases = np.where(self.base >= 0, self.base, np.iinfo(np.int32).max)
        candidates = np.flatnonzero(bases <= slot)
        row = ROWS[int(candidates[np.argmax(bases[candidates])])]
        offset, labels = slot - int(self.base[row.template]), []
        for axis in reversed(row.axes):
            offset, index = divmod(offset, len(axis))
            labels.append(axis[index])
        return f"{row.template.name.lower()}[{' '.join(reversed(labels))}]"

    def slot(self, name: str) -> int:
        """Return the slot of a name.

        Raises
        ------
        ModelError
            If no feature of the chosen groups has that name.
        """
        template, _, labels = name.removesuffix("]").partition("[")
        row = _ROW_OF.get(template)
        offset = 0
        try:
            for axis, label in zip(row.axes, labels.split(" "), strict=True):  # type: ignore[union-attr]
                offset = offset * len(axis) + _INDEX[axis][label]
            if self.base[row.template] < 0:  # type: ignore[union-attr]
                raise KeyError(name)
        except (AttributeError, KeyError, ValueError):
            raise ModelError(
                f"no feature {name!r} among the groups {', '.join(self.groups)}"
            ) from None
        return int(self.base[row.template]) + offset  # type: ignore[union-attr]

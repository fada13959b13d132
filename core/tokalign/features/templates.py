"""The feature templates: one entry each, with its axes, its range and its source.

A template has axes; each combination of axis labels is one feature with a *slot* of its own, so
that the whole feature space is enumerated before training and every weight has a readable name:
``rank[row-2nd column-1st content-content related]``. Most features are indicators (value 1); the
range says so.

The build reads this module: `packaging/cython_source.py` generates from it what the kernels need
(the order of templates and axes, edges of bins, one `emit_` function a template), so nothing here
needs NumPy or a compiled module. CONTRIBUTING.md shows how to add a feature.

Sources: Y13 is Yao et al. (2013), "A Lightweight and High Performance Monolingual Word Aligner";
S18 is Sharma et al. (2018); own stands for features of this project.
"""

import itertools
import math
from typing import NamedTuple

from tokalign.english.annotate.tags_and_relations import COARSE_TAGS, GROUPS, PENN_TAGS
from tokalign.english.lexicon.word_lists import MARKS, RELATION_NAMES, function_words

INDICATOR = "1"
RATIO = "[0, 1]"
LOG = "[-8, 0]"
SLACK = 1e-5
"""Tolerance for rounding in sums of float32 strengths: 0.9f - 0.7f < 0.2f."""


class Axis(NamedTuple):
    """Labels of one part of a feature's name."""

    name: str  # a Cython identifier; equal names mean equal axes
    labels: tuple[str, ...]
    # Rising, of the bins that the labels name; empty unless the axis bins a value
    edges: tuple[float, ...] = ()
    # Count of the first label, if the labels are counts and the last one is a cap
    first_count: int | None = None
    square_of: "Axis | None" = None  # the axis whose pairs of labels these labels are


class FeatureTemplate(NamedTuple):
    """A family of features."""

    name: str  # as in the names of weights
    group: str  # of templates that training switches on or off as one
    axes: tuple[Axis, ...]  # the last varies fastest
    range: str  # of the value; "1" for an indicator, which is absent rather than 0
    source: str
    meaning: str
    most: int = 1  # how many of its features one cell or one unaligned word can have

    @property
    def size(self) -> int:
        return math.prod(len(axis.labels) for axis in self.axes)


def _axis(name: str, *labels: str) -> Axis:
    return Axis(name, labels)


def _square(name: str, axis: Axis) -> Axis:
    labels = tuple(f"{a}-{b}" for a, b in itertools.product(axis.labels, axis.labels))
    return Axis(name, labels, square_of=axis)


def _bins(name: str, *edges: float) -> Axis:
    return Axis(
        name,
        (
            f"<{edges[0]:g}",
            *(f"{low:g}..{high:g}" for low, high in itertools.pairwise(edges)),
            f">={edges[-1]:g}",
        ),
        edges,
    )


def _log_bins(name: str, edges: dict[float, float]) -> Axis:
    """Return bins of log-probabilities that are named by their edges' probabilities."""
    return Axis(name, _bins(name, *edges).labels, tuple(edges.values()))


def _counts(name: str, first: int, cap: int) -> Axis:
    return Axis(name, (*map(str, range(first, cap)), f"{cap}+"), first_count=first)


def _or(name: str, bins: Axis, *labels: str) -> Axis:
    """Return an axis of bins, with more labels for cells without a value."""
    return Axis(name, (*bins.labels, *labels))


def _words(n: int) -> Axis:
    words = [*function_words(), *MARKS]
    return Axis("word", (*words, *(f"unused{k}" for k in range(len(words), n))))


def group_of(name: str) -> str:
    """Return the group of a switch of training: a whole group, or GROUP/TEMPLATE."""
    return name.partition("/")[0]


_SIMILARITY = _axis(
    "similarity", "jaro_winkler", "dice_sorensen", "hamming", "jaccard", "levenshtein", "ngram",
    "prefix", "suffix",
)  # fmt: skip
SIMILARITIES = _SIMILARITY.labels
_CLOSENESS = _bins("closeness", 0.3, 0.4, 0.5, 0.6)  # of two words' vectors
_CLASS = _axis(
    "class", "identical", "canonical", "lemma", "stem", "synonym", "paraphrase", "derived",
    "stem-prefix", "hyphen", "fuzzy", "prefix", "hypernym", "near", "cohyponym", "antonym", "none",
    *(f"close-{edge:g}" for edge in _CLOSENESS.edges),
)  # fmt: skip

_KIND = _axis("kind", "content", "function", "mark")
_KINDS = _square("kinds", _KIND)
_STRENGTH = _axis("strength", "same", "related", "unrelated")
_CASE = _axis("case", "lower", "capitalised", "upper", "none")
_CASES = _square("cases", _CASE)
_TAG = Axis("tag", PENN_TAGS)
_TAGS = _square("tags", _TAG)
_COARSE = Axis("coarse", COARSE_TAGS)
_COARSES = _square("coarses", _COARSE)
_GROUP = Axis("relation_group", GROUPS)
_GROUPS = _square("relation_groups", _GROUP)
_WORD = _words(256)
_SIDE = _axis("side", "left", "right")
_DIRECTION = _axis("direction", "s2t", "t2s")
_MATCH = _axis("match", "unmatched", "matched")
_POS = _axis("pos", "same-tag", "same-class", "other-class")
_AGREEMENT = _axis("agreement", "same-relation", "same-group", "other-relation")
_LEVEL = _bins("strength_level", 0.1, 0.4, 0.7, 0.9)
_HEADS = _or("heads", _LEVEL, "both-roots", "one-root")
_BEST = _bins("best", 0.1, 0.4, 0.65, 0.85, 0.97)
_ADJACENT_BEST = _or("adjacent_best", _BEST, "edge")
_GAP = _bins("gap", 0.01, 0.2, 0.5)
_MARGIN = _bins("margin", -2, -1, -0.4, -0.1, 0.1, 0.4, 1, 2)
_RESIDUAL_BAG = _bins("residual_bag", 0.3, 1.2, 2.5)
_SHARE = _bins("share", 0.05, 0.2, 0.4, 0.6, 0.8)
_COSINE = _bins("cosine", 0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
# Logs as the shipped weights were trained with them; digits added would move features.
_LIKELY = _log_bins("likely", {
    0.01: -4.60517, 0.03: -3.50656, 0.1: -2.302585, 0.2: -1.609438, 0.35: -1.049822,
    0.5: -0.693147, 0.7: -0.356675, 0.9: -0.105361, 0.98: -0.020203,
})  # fmt: skip
_COARSELY = _log_bins("coarsely", {0.02: -3.912023, 0.15: -1.89712, 0.5: -0.693147, 0.9: -0.105361})

# If several rules hold, the first counts.
_RULE = _axis(
    "rule", "same-value", "variant", "code-name", "lengthened", "short-form", "joined", "typo",
    "initials", "same-part", "same-number", "same-unit", "different-value",
)  # fmt: skip

OTHER_AXES = (_CLOSENESS,)
"""Axes that no template has, but that kernels bin by."""

_T = FeatureTemplate
TEMPLATES: tuple[FeatureTemplate, ...] = (
    _T("string", "string", (_SIMILARITY,), RATIO, "Y13 3.3", "similarity of the characters, case ignored", most=8),
    _T("identical", "string", (_axis("identity", "exactly", "ignoring-case"),), INDICATOR, "Y13 3.3", "identical words", most=2),
    _T("pos_match", "pos", (_POS,), INDICATOR, "Y13 3.3", "do the tags match?"),
    _T("tag_pair", "pos", (_TAGS,), INDICATOR, "Y13 3.3", "both tags"),
    _T("position", "position", (_axis("position", "distance"),), RATIO, "Y13 3.3", "|i / n_source - j / n_target|"),
    _T("position_bin", "position", (_bins("distance", 0.02, 0.05, 0.1, 0.2, 0.35, 0.6), _STRENGTH), INDICATOR, "own", "the same, binned"),
    _T("edges", "position", (_axis("place", "both-first", "both-last", "one-last"), _STRENGTH), INDICATOR, "own", "words at the edge of their sentences", most=2),
    _T("wordnet", "wordnet", (_axis("wordnet_relation", *RELATION_NAMES, "same-lemma"),), INDICATOR, "Y13 3.3", "WordNet relation of the lemmas in any sense", most=21),
    _T("neighbour", "neighbour", (_SIDE, _axis("neighbour", "identical", "same-lemma", "same-tag")), INDICATOR, "Y13 3.3", "do the adjacent words match?", most=6),
    _T("lexical_class", "lexical", (_CLASS, _KINDS, _COARSES), INDICATOR, "own", "strongest lexical class that holds"),
    _T("unrelated", "lexical", (_bins("likeness", 0.2, 0.35, 0.5, 0.65, 0.8), _KINDS, _CASES), INDICATOR, "own", "largest string similarity of unrelated words"),
    _T("identical_case", "lexical", (_KINDS, _CASES), INDICATOR, "own", "capitalisation of identical words"),
    _T("same_word", "lexical", (_WORD,), INDICATOR, "own", "which function word or mark both are"),
    _T("function_pair", "lexical", (_WORD, _WORD), INDICATOR, "own", "two different function words or marks"),
    _T("number", "lexical", (_axis("numbers", "equal", "different"),), INDICATOR, "own", "both are numbers"),
    _T("acronym", "lexical", (_axis("acronym", "holds"),), INDICATOR, "own", "one word abbreviates a run that holds the other"),
    _T("name_part", "names", (_axis("name", "source-longer", "target-longer"), _SIDE, _axis("short_name", "short-form-alone", "short-form-in-name")), "10", "own", "completes a name of which one word is repeated"),
    _T("window", "context", (_STRENGTH,), "[0, 3.7]", "own", "C1: strength along the diagonal within 3"),
    _T("window_bin", "context", (_bins("window", 0.1, 0.3, 0.6, 1.0, 1.5, 2.2), _KINDS, _STRENGTH), INDICATOR, "own", "C1, binned"),
    _T("bag", "context", (_STRENGTH,), "[0, 6]", "own", "C2: strength of the neighbourhoods within 3, order-free"),
    _T("bag_bin", "context", (_bins("bag", 0.3, 0.7, 1.5, 2.5), _KINDS, _STRENGTH), INDICATOR, "own", "C2, binned"),
    _T("run", "context", (_counts("run", 1, 6), _KINDS), INDICATOR, "own", "length of the diagonal run that holds the link"),
    _T("content_run", "context", (_counts("content_run", 0, 4), _KINDS), INDICATOR, "own", "content words in that run"),
    _T("adjacent", "context", (_SIDE, _LEVEL, _KINDS, _STRENGTH), INDICATOR, "own", "strength of the adjacent words", most=2),
    _T("content_neighbour", "context", (_SIDE, _or("content_match", _LEVEL, "edge"), _axis("reach", "equally-far", "unequally-far", "beyond-3"), _STRENGTH), INDICATOR, "own", "strength of the nearest content words", most=2),
    _T("skip", "context", (_axis("skip", "left-target", "right-target", "left-source", "right-source"), _STRENGTH), INDICATOR, "own", "a match that skips one word", most=4),
    _T("rank", "competition", (_axis("row_rank", "row-1st", "row-2nd", "row-3rd+"), _axis("column_rank", "column-1st", "column-2nd", "column-3rd", "column-4th+"), _KINDS, _STRENGTH), INDICATOR, "own", "rank of the tension in row and column"),
    _T("row_ties", "competition", (_counts("row_ties", 0, 3), _KINDS, _STRENGTH), INDICATOR, "own", "other equally strong cells in the row"),
    _T("column_ties", "competition", (_counts("column_ties", 0, 4), _KINDS, _STRENGTH), INDICATOR, "own", "other equally strong cells in the column"),
    _T("row_gap", "competition", (_GAP, _KINDS, _STRENGTH), INDICATOR, "own", "best strength of the row minus this one"),
    _T("column_gap", "competition", (_GAP, _KINDS, _STRENGTH), INDICATOR, "own", "best strength of the column minus this one"),
    _T("row_margin", "competition", (_MARGIN, _KINDS, _STRENGTH), INDICATOR, "own", "tension minus that of the best rival in the row"),
    _T("column_margin", "competition", (_MARGIN, _KINDS, _STRENGTH), INDICATOR, "own", "tension minus that of the best rival in the column"),
    _T("residual", "competition", (_COARSES,), INDICATOR, "own", "neither word has a partner elsewhere"),
    _T("residual_context", "competition", (_bins("residual_window", 0.1, 0.6, 1.5), _RESIDUAL_BAG, _POS), INDICATOR, "own", "C1, C2 and tags of two words without partners"),
    _T("cosine", "vectors", (_COSINE, _POS, _axis("freedom", "both-free", "one-free", "taken")), INDICATOR, "own", "cosine of the vectors of two words that are not alike"),
    _T("nearest", "vectors", (_COSINE, _axis("nearest", "both", "row", "column", "neither"), _POS), INDICATOR, "own", "of two words without partners: are they each other's nearest?"),
    _T("paraphrase", "paraphrases", (_POS,), INDICATOR, "own", "two different words that are paraphrases"),
    _T("distributional", "distributional", (_STRENGTH,), RATIO, "S18 alg. 2", "how alike the words' arcs in both trees are"),
    _T("distributional_bin", "distributional", (_bins("company", 0.01, 0.2, 0.4, 0.6, 0.8), _KINDS, _STRENGTH), INDICATOR, "S18 alg. 2", "the same, binned"),
    _T("head", "dependency", (_HEADS, _AGREEMENT, _KINDS, _STRENGTH), INDICATOR, "own", "strength of the heads"),
    _T("head_relation", "dependency", (_GROUPS, _STRENGTH), INDICATOR, "own", "relations of two words whose heads match"),
    _T("children", "dependency", (_axis("child", "same-relation", "same-group", "other", "function"), _counts("children", 0, 3), _STRENGTH), INDICATOR, "own", "number of matched children", most=4),
    _T("crossed_head", "dependency", (_axis("crossed", "source-head", "target-head"), _KINDS, _STRENGTH), INDICATOR, "own", "the head of one word matches the other word", most=2),
    _T("residual_head", "dependency", (_HEADS, _AGREEMENT, _counts("matched_children", 0, 2), _axis("coarse_match", "other-class", "same-class")), INDICATOR, "own", "heads and matched children of two content words without partners"),
    _T("null_bias", "null", (_axis("bias", "bias"),), INDICATOR, "Y13 3.3", "the word has no partner"),
    _T("null_tag", "null", (_TAG,), INDICATOR, "own", "its tag"),
    _T("null_best", "null", (_BEST, _KIND, _COARSE), INDICATOR, "own", "its best strength"),
    _T("null_matches", "null", (_counts("matches", 0, 3), _KIND), INDICATOR, "own", "number of words as good as identical"),
    _T("null_word", "null", (_WORD, _MATCH), INDICATOR, "own", "which function word or mark it is"),
    _T("null_neighbours", "null", (_ADJACENT_BEST, _ADJACENT_BEST, _MATCH, _KIND), INDICATOR, "own", "best strengths of the adjacent words"),
    _T("null_length", "null", (_bins("length_ratio", 0.4, 0.7, 1.1, 1.8, 3.0), _KIND, _MATCH), INDICATOR, "own", "ratio of the sentences' lengths"),
    _T("null_relation", "dependency", (_GROUP, _MATCH, _KIND), INDICATOR, "own", "its relation"),
    _T("null_head", "dependency", (_or("head_best", _BEST, "root"), _GROUP, _MATCH), INDICATOR, "own", "best strength of its head"),
    _T("null_children", "dependency", (_counts("content_children", 0, 3), _KIND, _MATCH), INDICATOR, "own", "content children that have a partner"),
    _T("neural", "neural", (_DIRECTION, _STRENGTH), LOG, "own", "the encoder's log-probability of the link, each direction", most=2),
    _T("neural_bin", "neural", (_DIRECTION, _LIKELY, _KINDS, _STRENGTH), INDICATOR, "own", "the same, binned by probability", most=2),
    _T("neural_both", "neural", (_COARSELY, _COARSELY, _KINDS, _STRENGTH), INDICATOR, "own", "both directions together"),
    _T("neural_rank", "neural", (_axis("likely_row_rank", "row-1st", "row-2nd", "row-3rd+"), _axis("likely_column_rank", "column-1st", "column-2nd", "column-3rd+"), _KINDS, _STRENGTH), INDICATOR, "own", "its rank among each word's partners, NULL among them"),
    _T("neural_margin", "neural", (_DIRECTION, _bins("likely_margin", -4, -2, -1, -0.3, 0.3, 1, 2, 4), _KINDS, _STRENGTH), INDICATOR, "own", "log-probability minus that of the likeliest other partner", most=2),
    _T("neural_null", "neural", (_STRENGTH,), LOG, "own", "the encoder's log-probability of no partner, by best strength"),
    _T("neural_null_bin", "neural", (_LIKELY, _KIND, _STRENGTH), INDICATOR, "own", "the same, binned by probability"),
    _T("anchored", "anchors", (_SHARE, _SHARE, _KINDS, _STRENGTH), INDICATOR, "own", "idf share of each side's content that has a twin"),
    _T("anchored_class", "anchors", (_SHARE, _RESIDUAL_BAG, _CLASS), INDICATOR, "own", "the larger share, C2 and the lexical class of two words that are not the same"),
    _T("anchored_cosine", "anchors", (_SHARE, _bins("anchored_closeness", 0.1, 0.25, 0.4, 0.5, 0.6), _POS), INDICATOR, "own", "the larger share and the cosine of two words that do not match"),
    _T("null_anchored", "anchors", (_SHARE, _SHARE, _KIND, _BEST), INDICATOR, "own", "shares of the word's own side and of the other, and its best strength"),
    _T("rule", "rules", (_RULE, _KINDS), INDICATOR, "own", "the rule by which two words say the same, or other values"),
)  # fmt: skip

GROUP_NAMES: tuple[str, ...] = tuple(dict.fromkeys(template.group for template in TEMPLATES))
NEEDS: dict[str, str] = {"vectors": "vectors", "paraphrases": "ppdb", "anchors": "counts"}
"""Feature group -> the resource that it needs. The others only need WordNet."""
DEFAULT_GROUPS: tuple[str, ...] = tuple(
    group for group in GROUP_NAMES if group not in {*NEEDS, "distributional", "neural", "rules"}
)
"""Default groups of models; the others need more tables, gained little, or are new."""

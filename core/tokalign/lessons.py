"""What is learned from: gold and unrelated pairs as feature rows and what is wanted of each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tokalign.annotate import Annotator
from tokalign.crf.matrix import FeatureMatrix
from tokalign.crf.objective import Targets
from tokalign.errors import InputError, quoted
from tokalign.features.lexicons import Lexicons
from tokalign.features.matrix import build_matrix
from tokalign.features.table import DEFAULT_GROUPS, FeatureTable, needs_trees
from tokalign.lexicon.likeness import unlike_cells
from tokalign.types import GoldPair, Sentence

if TYPE_CHECKING:
    from tokalign.features._extract import Encoded

POSSIBLE_CHOICES = ("ignore", "free", "half", "sure")

AnnotatedPair = tuple[Sentence, Sentence]


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """How to train.

    Attributes
    ----------
    feature_groups : tuple of str
        Names out of tokalign.features.table.GROUP_NAMES, or of single templates of a group, as
        ``position/edges``.
    l2 : float
        Penalty ``l2 / 2 * |weights|^2``.
    cost : float
        Hamming cost of a wrong label, in nats.
    max_iterations : int
    possible : str
        What possible links are: "ignore" (not links, so wrong), "free" (not asked for, but they
        cost nothing), "half" (right, but at half the cost of a wrong label), or "sure" (links
        like others).
    possible_in : tuple of (str, str)
        Corpora, by name, for which that is different, and how.
    follow : tuple of str
        With several corpora: those, by name, whose conventions the model follows where they
        differ. All alike by default.
    styles : tuple of (str, str)
        Every corpus, by name, and the style whose conventions it shows; then the model keeps the
        conventions apart, for whoever aligns to choose. The first style is the default.
    unrelated_importance : float
        What the loss of each unrelated pair is multiplied with.
    patience : int
        With development data: stop after so many iterations without a lower loss on it.
    """

    feature_groups: tuple[str, ...] = DEFAULT_GROUPS
    l2: float = 8.0
    cost: float = 1.0
    max_iterations: int = 100
    possible: str = "ignore"
    possible_in: tuple[tuple[str, str], ...] = ()
    follow: tuple[str, ...] = ()
    styles: tuple[tuple[str, str], ...] = ()
    unrelated_importance: float = 0.5
    patience: int = 10

    def __post_init__(self) -> None:
        for choice in (self.possible, *(choice for _, choice in self.possible_in)):
            if choice not in POSSIBLE_CHOICES:
                raise InputError(
                    f"possible is {quoted(choice)}; wanted one of {', '.join(POSSIBLE_CHOICES)}"
                )
        if self.follow and self.styles:
            raise InputError("follow and styles are given; a model mixes conventions or keeps them")
        for name in ("l2", "cost", "unrelated_importance"):
            if not 0 <= getattr(self, name) < math.inf:
                raise InputError(f"{name} is {getattr(self, name)}; wanted a number of at least 0")
        for name in ("max_iterations", "patience"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} is {getattr(self, name)}; wanted at least 1")


_YAO = (
    "string", "pos", "position/position", "wordnet", "neighbour", "null/null_bias",
)  # fmt: skip
PUBLISHED: dict[str, TrainingSettings] = {
    "yao2013": TrainingSettings(feature_groups=_YAO),
    "sharma2018": TrainingSettings(
        feature_groups=(*_YAO, "lexical/lexical_class", "lexical/unrelated", "distributional")
    ),
}
"""Feature sets and settings of published systems that train a chain; docs/systems.md says what of
each is what here."""


@dataclass(frozen=True, slots=True)
class Lessons:
    """All pairs of a training: the corpora's, then unrelated ones, then development pairs.

    Attributes
    ----------
    table : FeatureTable
    annotated : list of (Sentence, Sentence)
    matrix : FeatureMatrix
    targets : list of Targets
    corpus : list of int
        Number of each pair's corpus. Unrelated pairs are dealt out to the corpora, so that each
        one's conventions learn from them; development pairs have 0.
    importance : list of float
        What each pair's loss is multiplied with.
    n_train : int
        Number of pairs that are not development pairs.
    """

    table: FeatureTable
    annotated: list[AnnotatedPair]
    matrix: FeatureMatrix
    targets: list[Targets]
    corpus: list[int]
    importance: list[float]
    n_train: int

    @classmethod
    def prepare(
        cls,
        corpora: Mapping[str, Sequence[GoldPair]],
        annotator: Annotator,
        settings: TrainingSettings,
        *,
        dev: Sequence[GoldPair] = (),
        unrelated: Sequence[GoldPair] = (),
        encoded: Sequence[Encoded] | None = None,
    ) -> Lessons:
        """Return the lessons of the pairs, of which none is empty; see tokalign.training.train."""
        gold = [pair for pairs in corpora.values() for pair in pairs]
        table = FeatureTable(settings.feature_groups)
        uses_trees = needs_trees(table.groups)
        annotated = annotate_gold([*gold, *unrelated, *dev], annotator, trees=uses_trees)
        possible_in = dict(settings.possible_in)
        n_gold, n_train = len(gold), len(gold) + len(unrelated)
        return cls(
            table=table,
            annotated=annotated,
            matrix=build_matrix(annotated, table, Lexicons.for_groups(table.groups), encoded),
            targets=[
                *(
                    target
                    for name, pairs in corpora.items()
                    for target in gold_targets(pairs, possible_in.get(name, settings.possible))
                ),
                *(
                    Targets(frozenset(), wrong=unlike_cells(*pair))
                    for pair in annotated[n_gold:n_train]
                ),
                *gold_targets(dev, settings.possible),
            ],
            corpus=[
                *(number for number, pairs in enumerate(corpora.values()) for _ in pairs),
                *(number % len(corpora) for number in range(len(unrelated))),
                *([0] * len(dev)),
            ],
            importance=[
                *([1.0] * n_gold),
                *([settings.unrelated_importance] * len(unrelated)),
                *([1.0] * len(dev)),
            ],
            n_train=n_train,
        )


def annotate_gold(
    pairs: Sequence[GoldPair], annotator: Annotator, *, trees: bool
) -> list[AnnotatedPair]:
    """Return the annotated sentences of gold pairs."""
    sentences = annotator.annotate(
        [sentence for pair in pairs for sentence in (pair.source, pair.target)], trees=trees
    )
    return list(zip(sentences[::2], sentences[1::2], strict=True))


def gold_targets(pairs: Sequence[GoldPair], possible: str) -> list[Targets]:
    """Return what gold asks for, pair by pair, where possible links are one of POSSIBLE_CHOICES."""
    if possible == "sure":
        return [Targets(pair.sure | pair.possible) for pair in pairs]
    if possible == "ignore":
        return [Targets(pair.sure) for pair in pairs]
    return [Targets(pair.sure, **{possible: pair.possible}) for pair in pairs]


def fold_numbers(pairs: Sequence[GoldPair], n_folds: int, seed: int) -> list[int]:
    """Return the fold of every pair; pairs with the same target sentence share one."""
    targets = {target: k for k, target in enumerate(dict.fromkeys(p.target.tokens for p in pairs))}
    shuffled = np.random.default_rng(seed).permutation(len(targets))
    return [int(shuffled[targets[pair.target.tokens]]) % n_folds for pair in pairs]

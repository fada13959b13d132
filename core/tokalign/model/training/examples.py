"""Training examples: gold and unrelated pairs as feature rows, with their target labels."""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tokalign.crf.matrix import FeatureMatrix
from tokalign.crf.objective import Targets
from tokalign.english.annotate import Annotator
from tokalign.english.lexicon.likeness import unlike_cells
from tokalign.errors import InputError, quoted
from tokalign.features.extract import Extractor
from tokalign.features.feature_groups import Encoded, FeatureTable, Lexicons, needs_trees
from tokalign.features.templates import DEFAULT_GROUPS, group_of
from tokalign.types import GoldPair, Sentence
from tokalign.types.links import reads_target_first

POSSIBLE_CHOICES = ("ignore", "free", "half", "sure")


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """Settings of a training.

    Attributes
    ----------
    feature_groups : tuple of str
        Names out of tokalign.features.templates.GROUP_NAMES, or single templates, such as
        ``position/edges``.
    l2 : float
        Penalty ``l2 / 2 * |weights|^2``.
    cost : float
        Hamming cost of a wrong label, in nats.
    possible : str
        Use of possible links: "ignore" (not links, so wrong), "free" (not required, but without
        cost), "half" (right, but at half the cost of a wrong label), or "sure" (links like others).
    possible_in : tuple of (str, str)
        Corpora, by name, with a choice of their own.
    styles : tuple of (str, str)
        Every corpus, by name, and its style; the model then has these styles to choose from. The
        first style is the default.
    unrelated_importance : float
        Factor of each unrelated pair's loss.
    patience : int
        With development data: number of iterations without a lower loss on it before training
        stops.

    InputError is raised if a number is out of range, or a choice is not one of POSSIBLE_CHOICES.
    """

    feature_groups: tuple[str, ...] = DEFAULT_GROUPS
    l2: float = 8.0
    cost: float = 1.0
    max_iterations: int = 100
    possible: str = "ignore"
    possible_in: tuple[tuple[str, str], ...] = ()
    styles: tuple[tuple[str, str], ...] = ()
    unrelated_importance: float = 0.5
    patience: int = 10

    def __post_init__(self) -> None:
        for choice in (self.possible, *(choice for _, choice in self.possible_in)):
            if choice not in POSSIBLE_CHOICES:
                raise InputError(
                    f"possible is {quoted(choice)}; wanted one of {', '.join(POSSIBLE_CHOICES)}"
                )
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
"""Feature sets and settings of published systems that train a chain; docs/results.md names
their papers."""


@dataclass(frozen=True, slots=True)
class TrainingData:
    """The pairs to train on.

    Attributes
    ----------
    corpora : mapping of str to sequence of GoldPair
        Aligned pairs by the name of their corpus.
    dev : sequence of GoldPair
        Development pairs: training stops when the loss on them no longer falls.
    unrelated : sequence of GoldPair
        Pairs whose links are ignored. They teach that content words are not linked with unlike ones
        (tokalign.english.lexicon.likeness).
    encoder : str
        Name of the neural encoder; only for the feature group "neural".
    encoded : sequence of pairs of float32 arrays, optional
        Scores by encoders that have not seen the pair: of the corpora's pairs in order, then of
        the unrelated ones.

    InputError is raised if the corpora have no pair, or only some pairs have scores.
    """

    corpora: Mapping[str, Sequence[GoldPair]]
    dev: Sequence[GoldPair] = ()
    unrelated: Sequence[GoldPair] = ()
    encoder: str = ""
    encoded: Sequence[Encoded] | None = None

    def __post_init__(self) -> None:
        if not self.gold:
            raise InputError("no training pairs")
        n_pairs = len(self.gold) + len(self.unrelated)
        if self.encoded and (self.dev or len(self.encoded) != n_pairs):
            raise InputError(
                f"{len(self.encoded)} held-out scores and {len(self.dev)} development pairs; "
                f"wanted held-out scores of all {n_pairs} pairs and no development pairs"
            )

    @property
    def gold(self) -> list[GoldPair]:
        """The aligned pairs of all corpora, in order."""
        return [pair for pairs in self.corpora.values() for pair in pairs]

    def in_reading_order(self) -> "TrainingData":
        """Return the pairs as a model reads them, whichever sentence a corpus names first."""
        every = [*self.gold, *self.unrelated]
        return TrainingData(
            {name: [pair.in_reading_order() for pair in own] for name, own in self.corpora.items()},
            dev=[pair.in_reading_order() for pair in self.dev],
            unrelated=[pair.in_reading_order() for pair in self.unrelated],
            encoder=self.encoder,
            encoded=self.encoded
            and [
                scores[::-1] if reads_target_first(pair.source, pair.target) else scores
                for pair, scores in zip(every, self.encoded, strict=True)
            ],
        )

    def check(self, settings: TrainingSettings) -> None:
        """Raise InputError unless settings fit the corpora and the encoder."""
        is_neural = "neural" in map(group_of, settings.feature_groups)
        if is_neural != bool(self.encoder and self.encoded):
            raise InputError(
                "the feature group neural is trained with an encoder and held-out scores of all "
                "pairs, and only then; see the recipe of the neural models"
            )
        styles = dict(settings.styles)
        for name in (*dict(settings.possible_in), *styles):
            if name not in self.corpora:
                raise InputError(f"no corpus {name!r} among {', '.join(self.corpora)}")
        if styles and (len(self.corpora) == 1 or styles.keys() != self.corpora.keys()):
            raise InputError(
                f"{len(styles)} of {len(self.corpora)} corpora have a style; give several corpora, "
                "and each a style"
            )


@dataclass(frozen=True, slots=True)
class TrainingExamples:
    """All pairs of a training: the corpora's, then unrelated ones, then development pairs."""

    table: FeatureTable
    annotated: list[tuple[Sentence, Sentence]]
    matrix: FeatureMatrix
    targets: list[Targets]
    # Number of each pair's corpus. Unrelated pairs are spread over the corpora, so that each
    # corpus's weights are trained on some; development pairs have 0.
    corpus: list[int]
    importance: list[float]  # factor of each pair's loss
    n_train: int  # number of pairs that are not development pairs

    @classmethod
    def prepare(
        cls, data: TrainingData, annotator: Annotator, settings: TrainingSettings
    ) -> "TrainingExamples":
        """Return the examples of all pairs, whose sentences must not be empty."""
        table = FeatureTable(settings.feature_groups)
        gold, unrelated, dev = data.gold, data.unrelated, data.dev
        annotated = annotate_gold(
            [*gold, *unrelated, *dev], annotator, trees=needs_trees(table.groups)
        )
        possible_in = dict(settings.possible_in)
        n_gold, n_train = len(gold), len(gold) + len(unrelated)
        lexicons = Lexicons.for_groups(table.groups)
        return cls(
            table=table,
            annotated=annotated,
            matrix=build_matrix(annotated, table, lexicons, data.encoded),
            targets=[
                *(
                    target
                    for name, pairs in data.corpora.items()
                    for target in gold_targets(pairs, possible_in.get(name, settings.possible))
                ),
                *(
                    Targets(frozenset(), wrong=unlike_cells(*pair))
                    for pair in annotated[n_gold:n_train]
                ),
                *gold_targets(dev, settings.possible),
            ],
            corpus=[
                *(number for number, pairs in enumerate(data.corpora.values()) for _ in pairs),
                *(number % len(data.corpora) for number in range(len(unrelated))),
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
) -> list[tuple[Sentence, Sentence]]:
    """Return the annotated sentences of gold pairs."""
    sentences = annotator.annotate(
        [sentence for pair in pairs for sentence in (pair.source, pair.target)], trees=trees
    )
    return list(zip(sentences[::2], sentences[1::2], strict=True))


def gold_targets(pairs: Sequence[GoldPair], possible: str) -> list[Targets]:
    """Return the target labels of each pair; possible links are used by one of POSSIBLE_CHOICES."""
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


def build_matrix(
    pairs: Iterable[tuple[Sentence, Sentence]],
    table: FeatureTable,
    lexicons: Lexicons,
    encoded: Iterable[Encoded | None] | None = None,
) -> FeatureMatrix:
    """Extract the features of annotated pairs.

    `encoded` (iterable of pairs of float32 arrays): an encoder's output for each pair; only the
    group "neural" reads it. InputError is raised if a sentence is empty or lacks tags or lemmas.
    """
    extractor = Extractor(
        lexicons.wordnet, table.base, lexicons.vectors, lexicons.paraphrases, lexicons.frequencies
    )
    starts: list[NDArray[np.int64]] = [np.zeros(1, dtype=np.int64)]
    slots, values, first_row, n_source, n_target = [], [], [], [], []
    n_rows = n_values = 0
    for (source, target), arrays in zip(pairs, encoded or itertools.repeat(None), strict=False):
        row_start, slot, value = extractor.rows(source, target, arrays)
        first_row.append(n_rows)
        n_source.append(len(source))
        n_target.append(len(target))
        starts.append(row_start[1:] + n_values)
        slots.append(slot)
        values.append(value)
        n_rows += len(row_start) - 1
        n_values += len(slot)
    used, column = _renumber(slots, table.n_slots)
    return FeatureMatrix(
        row_start=np.concatenate(starts),
        column=column,
        value=np.concatenate(values) if values else np.zeros(0, dtype=np.float32),
        first_row=np.array(first_row, dtype=np.int64),
        n_source=np.array(n_source, dtype=np.int32),
        n_target=np.array(n_target, dtype=np.int32),
        slots=used,
    )


def _renumber(
    slots: Sequence[NDArray[np.int32]], n_slots: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    occurs = np.zeros(n_slots, dtype=bool)
    for slot in slots:
        occurs[slot] = True
    used = np.flatnonzero(occurs).astype(np.int32)
    number = np.full(n_slots, -1, dtype=np.int32)
    number[used] = np.arange(len(used), dtype=np.int32)
    column = [number[slot] for slot in slots]
    return used, np.concatenate(column) if column else np.zeros(0, dtype=np.int32)

"""Answers of models on pairs that they have not seen, for fitting styles and their choice.

A model is trained on all but one fold of the corpora and of the unrelated pairs, and aligns that
fold's pairs in every style; also short pieces of them, for users' texts are short and corpora are
not.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from tokalign.decoding.by_model import ModelBackend
from tokalign.english.annotate import load_annotator
from tokalign.english.lexicon.likeness import unlike_cells
from tokalign.features.extract import Extractor
from tokalign.features.feature_groups import FeatureTable, Lexicons
from tokalign.model import Model
from tokalign.model.styles import StyleHeader
from tokalign.model.training import TrainingData, TrainingSettings, fold_numbers
from tokalign.model.training.examples import TrainingExamples
from tokalign.model.training.train import followed_corpora, header_for, styled_model, train_weights
from tokalign.types import GoldPair, Links, Sentence
from tokalign.types.options import AlignOptions

from lab.kernels.doors import choice_inputs_of, joint_links
from lab.recipes.rewritten import origin_of

N_FOLDS, SEED = 5, 1
SHORTEST, LONGEST = 2, 7
"""Tokens of a piece's source; its target has at most one more."""
N_TRIES = 40

Mask = NDArray[np.bool_]
Doubles = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class HeldOutPair:
    """A pair, and what a model that has not seen it says of it.

    Attributes
    ----------
    gold : GoldPair
        Of annotated sentences. Unrelated pairs have no links.
    style : str
        That of its corpus; empty for unrelated pairs.
    fold : int
    is_piece : bool
        Whether it is cut out of a pair.
    means : dict from str to float32 array, shape (n_source, n_target)
        Mean posteriors of both directions, by style.
    unlike : bool array, shape (n_source, n_target)
        Whether two words have different forms.
    impossible : bool array, shape (n_source, n_target)
        Cells that are known to hold no link; of unrelated pairs alone.
    inputs : float64 array, shape (N_INPUTS,)
        Those of the choice of a style.
    links : dict from str to set of (int, int)
        By style, where more than thresholds decides.
    """

    gold: GoldPair
    style: str
    fold: int
    is_piece: bool
    means: Mapping[str, NDArray[np.float32]]
    unlike: Mask
    impossible: Mask
    inputs: NDArray[np.float64]
    links: Mapping[str, Links] = field(default_factory=dict)


def held_out(
    data: TrainingData, settings: TrainingSettings, n_folds: int = N_FOLDS
) -> list[HeldOutPair]:
    """Return all pairs of the corpora and the unrelated ones, but for rewritten ones, with what
    models, one for each fold, say of them.

    With an encoder, the data hold what encoders that have not seen the pairs say of them; then
    there are no pieces, of which encoders have said nothing.
    """
    annotator = load_annotator("native")
    folds = _folds(data, n_folds)
    data = data.in_reading_order()
    examples = TrainingExamples.prepare(data, annotator, settings)
    header = header_for(data, annotator, settings, name="fold")
    followed = followed_corpora(data, settings)
    pairs = [*data.gold, *data.unrelated]
    rng = random.Random(SEED)
    wholes = [
        replace(pair, source=source, target=target)
        for pair, (source, target) in zip(pairs, examples.annotated, strict=True)
    ]
    pieces = [None if data.encoded else piece_of(pair, rng) for pair in wholes]
    style_of = {number: style for style, numbers in followed.items() for number in numbers}
    table = FeatureTable(tuple(name for name in settings.feature_groups if name != "neural"))
    reader = Reader(table, tuple(followed))
    found: list[HeldOutPair] = []
    for fold in range(n_folds):
        weights = train_weights(examples, settings, pairs=np.flatnonzero(folds != fold))
        reader.use(styled_model(header, examples, weights, followed))
        for k in np.flatnonzero(folds == fold).tolist():
            if origin_of(pairs[k].id) != pairs[k].id:
                continue
            style = style_of[examples.corpus[k]] if k < len(data.gold) else ""
            encoded = data.encoded[k] if data.encoded else None
            found.append(reader.read(wholes[k], style, fold, encoded))
            if (piece := pieces[k]) is not None:
                piece = piece.in_reading_order()
                found.append(replace(reader.read(piece, style, fold), is_piece=True))
    return found


def _folds(data: TrainingData, n_folds: int) -> NDArray[np.int64]:
    """Return the fold of every pair; a rewritten pair has that of its origin."""
    folds: list[int] = []
    for pairs in (*data.corpora.values(), data.unrelated):
        own = [pair for pair in pairs if origin_of(pair.id) == pair.id]
        numbers = dict(
            zip((pair.id for pair in own), fold_numbers(own, n_folds, SEED), strict=True)
        )
        folds += [numbers[origin_of(pair.id)] for pair in pairs]
    return np.array(folds)


def piece_of(pair: GoldPair, rng: random.Random) -> GoldPair | None:
    """Return a short piece of an annotated pair, none of whose links leaves it; or None.

    Of a pair without links it is any tokens of both sides.
    """
    links = pair.sure | pair.possible
    n_source, n_target = len(pair.source), len(pair.target)
    for _ in range(N_TRIES):
        length = min(n_source, rng.randint(SHORTEST, LONGEST))
        start = rng.randint(0, n_source - length)
        end = start + length
        if links:
            reached = [j for i, j in links if start <= i < end]
            first, last = min(reached, default=0), max(reached, default=-1) + 1
            leaves = any(first <= j < last and not start <= i < end for i, j in links)
            n_linked = len({i for i, _ in links if start <= i < end})
            if leaves or not SHORTEST <= last - first <= LONGEST + 1 or 2 * n_linked < length:
                continue
        else:
            wide = min(n_target, rng.randint(SHORTEST, LONGEST))
            first = rng.randint(0, n_target - wide)
            last = first + wide
        sure, possible = (
            frozenset((i - start, j - first) for i, j in some if start <= i < end)
            for some in (pair.sure, pair.possible)
        )
        return GoldPair(
            pair.id, _cut(pair.source, start, end), _cut(pair.target, first, last), sure, possible
        )
    return None


def _cut(sentence: Sentence, start: int, end: int) -> Sentence:
    tags, lemmas = sentence.tags or (), sentence.lemmas or ()
    return Sentence.from_tokens(
        sentence.tokens[start:end], tags=tags[start:end], lemmas=lemmas[start:end]
    )


class Reader:
    """Asks one model after another for what it says of pairs.

    Parameters
    ----------
    table : FeatureTable
        Of the models, without the group "neural".
    styles : sequence of str

    Attributes
    ----------
    backend : ModelBackend
        Of the model in use.
    """

    def __init__(self, table: FeatureTable, styles: Sequence[str]) -> None:
        self._styles = styles
        lexicons = Lexicons.for_groups(table.groups)
        self._extractor = Extractor(
            lexicons.wordnet, table.base, lexicons.vectors, lexicons.paraphrases,
            lexicons.frequencies,
        )  # fmt: skip

    def use(self, model: Model) -> None:
        """Ask this model from now on."""
        self.backend = ModelBackend(model, Lexicons.for_groups(model.table.groups))

    def read(
        self,
        pair: GoldPair,
        style: str,
        fold: int,
        encoded: tuple[NDArray[np.float32], NDArray[np.float32]] | None = None,
    ) -> HeldOutPair:
        """Return what the model says of an annotated pair; without a style, of an unrelated one."""
        sides = pair.source, pair.target
        means = {}
        for name in self._styles:
            mean = self.backend.ask(
                (sides, encoded), AlignOptions(style=name), lambda each: each.link_posterior
            )
            means[name] = mean.astype(np.float32)
        source, target = ([token.lower() for token in side.tokens] for side in sides)
        impossible = np.zeros((len(source), len(target)), dtype=bool)
        if not style:
            for cell in unlike_cells(*sides):
                impossible[cell] = True
        return HeldOutPair(
            gold=pair, style=style, fold=fold, is_piece=False, means=means,
            unlike=np.array(source)[:, None] != np.array(target)[None],
            impossible=impossible, inputs=choice_inputs_of(self._extractor, *sides),
        )  # fmt: skip


def links_at(mean: NDArray[np.floating], threshold: float, beside: float) -> Links:
    """Return the links that the joint decision takes of mean posteriors.

    Parameters
    ----------
    mean : float array, shape (n_source, n_target)
    threshold, beside : float
        As a style's header has them.
    """
    rows = np.pad(np.asarray(mean, dtype=np.float64), ((0, 0), (1, 0)))
    columns = np.pad(np.asarray(mean, dtype=np.float64).T, ((0, 0), (1, 0)))
    found = joint_links(rows, np.ascontiguousarray(columns), threshold, beside)
    return frozenset((i, j) for i, j, _ in found)


def links_of(mean: NDArray[np.floating], style: StyleHeader) -> Links:
    """Return the links that a style takes of mean posteriors."""
    return links_at(mean, style["threshold"], style.get("beside", style["threshold"]))

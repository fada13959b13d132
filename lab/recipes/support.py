"""Learn the weights of support on WiCE's words, and judge them by cross-validation.

    python -m lab.recipes.support --data DATA --output core/tokalign/data/support.table.xz

WiCE (Kamoi, Goyal, Rodriguez and Durrett 2023, EMNLP) has claims of Wikipedia, the sentences of the
pages that they cite, and of claims that these support in part the words that they do not support.
Training and development part are used, the test part is not. A claim's evidence is one passage.

Boosted trees tell the log odds of each word by its own inputs; in them, evidence never counts
against a word. A logistic regression with an L2 penalty on standardised inputs makes the support of
these and of the log odds of the words around. It is learned on log odds that trees of other claims
gave, in N_INNER divisions (tokalign.grounding.support_model). The size of the trees, the penalty,
and trees in place of a regression over the word's own inputs were chosen by folds, out of some
ten.

All of those claims have a part that is not supported, so that a word among supported ones is more
often unsupported there than it is elsewhere. Claims of the development part that are supported as a
whole are learned from as well; their words weigh RIGHT_WEIGHT. That was chosen by folds out of 0,
.1, .25, .5 and 1: the more they weigh, the fewer words of right claims are flagged, and the smaller
is the area of the others.

Answers are often short, end anywhere, and may be about something else: each claim is learned from
without its final stop, too, in two pieces, cut at a place that is drawn, and in one of them beside
the evidence of another page, which supports none of it.

Those claims keep the words of their evidence. So that words are supported that say it otherwise,
claims of the project's corpus (training part) are learned from as well, with weight OWN_WEIGHT,
which was chosen by folds, and by the corpus' development part, out of 0, .1 and .25. Figures are of
whole claims of WiCE.

Prints for all words, and for values, names and content words alone, by N_FOLDS folds of pages:

- area: under the curve of unsupported words by falling 1 - support,
- f1: of unsupported words, at the threshold that is best on the other folds,
- precision, recall: of unsupported words, at the default threshold,
- precision_at_40: of the flagged words, where 40% of the unsupported ones are flagged,
- calibration: mean distance of support and share supported, in ten bins of as many words,
- flagged_of_right: of the words of claims that are supported as a whole, the share whose support is
  below the default threshold,

and beside them those of what aligns nothing: whether sources hold the lemma and the pairs that it
makes with its neighbours, and the word's kind, weight and sentence's length, learned in the
same way (overlap) and by the trees alone (overlap-alone).
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.ensemble import HistGradientBoostingClassifier
from tokalign.aligner import Aligner
from tokalign.files.tables import write_table
from tokalign.grounding.answer_words import SUPPORTABLE, AlignedCandidate, AnswerWords
from tokalign.grounding.ground import align_with_sources
from tokalign.grounding.sources import Sources
from tokalign.grounding.support_inputs import (
    CONTEXT_INPUTS,
    EVIDENCE_INPUTS,
    INPUTS,
    context_inputs,
    support_inputs,
)
from tokalign.grounding.support_model import SupportModel
from tokalign.types import SentenceLike
from tokalign.types.options import GroundOptions

from lab.recipes.corpora import own_marks
from lab.recipes.forests import forest_arrays
from lab.recipes.settings import LICENSES

_Array = NDArray[np.float64]

TREES = {
    "max_iter": 60,
    "learning_rate": 0.12,
    "max_bins": 32,
    "max_leaf_nodes": 6,
    "min_samples_leaf": 30,
    "l2_regularization": 10.0,
}
MONOTONE = True
L2 = 10.0
N_FOLDS = 10
N_INNER = 5
RIGHT_WEIGHT = 0.5
"""Of the words of claims that are supported as a whole."""
OWN_WEIGHT = 0.25
"""Of the words of the corpus' claims."""
PIECE_WEIGHT = 0.1
"""Of the words of pieces of a claim. Chosen by folds out of 0, .1 and .5: the more they weigh,
the smaller is the area of whole claims; without them, short wrong answers are supported."""
THRESHOLDS = np.linspace(0.2, 0.9, 71)
FIGURES = (
    "area", "f1", "precision", "recall", "precision_at_40", "calibration", "threshold",
    "flagged_of_right",
)  # fmt: skip
OVERLAP = (
    "held", "held-value", "held-name", "held-content", "held-function", "joined-left",
    "joined-right", "beside-left", "beside-right",
)  # fmt: skip


class WordSystem(NamedTuple):
    """Inputs of a word that a model is learned from, and whether its trees decide alone."""

    name: str
    inputs: tuple[str, ...]
    is_alone: bool = False


_OVERLAP = tuple(name for name in INPUTS if name not in EVIDENCE_INPUTS or name in OVERLAP)
SYSTEMS = (
    WordSystem("support", INPUTS),
    WordSystem("overlap", _OVERLAP),
    WordSystem("overlap-alone", _OVERLAP, is_alone=True),
)


@dataclass(frozen=True, slots=True, eq=False)
class JudgedClaim:
    """A claim of which it is known what its evidence supports.

    Attributes
    ----------
    page : str
        What claims that were made of one sentence share.
    words : AnswerWords
    inputs : float32 array, shape (n_words, n_inputs)
    supported : float64 array, shape (n_words,)
        1 or 0.
    weight : float
        What each word counts in training.
    is_extra : bool
        Whether this is only learned from: a claim of the corpus, one without its stop, or a piece.
    """

    page: str
    words: AnswerWords
    inputs: NDArray[np.float32]
    supported: _Array
    weight: float = 1.0
    is_extra: bool = False

    @property
    def is_right(self) -> bool:
        """Whether all of its words are supported."""
        return bool(self.supported.all())


InputsOf = Callable[[AnswerWords, Sequence[AlignedCandidate], Sources], NDArray[np.float32]]
"""Returns the inputs of each word; see support_inputs."""


def claims(
    data: Path, aligner: Aligner, inputs_of: InputsOf = support_inputs
) -> Iterator[JudgedClaim]:
    """Yield the claims of the training and the development part, aligned with their evidence.

    Those that are supported in part come first.
    """
    claim_of = partial(_claim, partial(_read, aligner, inputs_of))
    before, others = "", Sources.of([])
    for part in ("train", "dev"):
        for row in _rows(data / "wice" / f"tokens-{part}.jsonl"):
            sources, page = _sources(row), _page(row)
            supported = 1.0 - np.array(row["non_supported_spans"], np.float64)
            tokens = row["claim_tokens"]
            yield claim_of(sources, page, tokens, supported, 1.0)
            for first, last in _pieces(tokens, row["meta"]["id"]):
                part_of = tokens[first:last], supported[first:last]
                yield claim_of(sources, page, *part_of, PIECE_WEIGHT, is_extra=True)
            # The last piece beside the evidence of another page supports nothing.
            if before not in ("", page):
                none = np.zeros(last - first)
                yield claim_of(others, page, tokens[first:last], none, PIECE_WEIGHT, is_extra=True)
            before, others = page, sources
    for row in _rows(data / "wice" / "claims-dev.jsonl"):
        if row["label"] == "supported":
            sources, page = _sources(row), _page(row)
            yield claim_of(sources, page, row["claim"], None, RIGHT_WEIGHT)
            (sentence,) = aligner.annotate([row["claim"]])
            for first, last in _pieces(sentence.tokens, row["meta"]["id"]):
                tokens = sentence.tokens[first:last]
                weight = RIGHT_WEIGHT * PIECE_WEIGHT
                yield claim_of(sources, page, tokens, None, weight, is_extra=True)
    yield from _own_claims(claim_of)


def _own_claims(claim_of: Callable[..., JudgedClaim]) -> Iterator[JudgedClaim]:
    """Yield the claims of the corpus' training part, as those of WiCE.

    Pieces beside the evidence of another topic count as much as whole claims."""
    before, others = "", Sources.of([])
    for gold, marks in own_marks():
        if marks["task"] != "claim":
            continue
        sources, page = Sources.of([gold.source.text]), marks["topic"]
        supported = np.ones(len(gold.target))
        supported[marks["unsupported"]] = 0.0
        yield claim_of(sources, page, gold.target, supported, OWN_WEIGHT, is_extra=True)
        for first, last in _pieces(gold.target.tokens, gold.id):
            tokens = gold.target.tokens[first:last]
            weight = OWN_WEIGHT * PIECE_WEIGHT
            yield claim_of(sources, page, tokens, supported[first:last], weight, is_extra=True)
        if before not in ("", page):
            none = np.zeros(last - first)
            yield claim_of(others, page, tokens, none, OWN_WEIGHT, is_extra=True)
        before, others = page, sources


def _pieces(tokens: Sequence[str], name: str) -> list[tuple[int, int]]:
    """Return where a claim without its final mark lies, and two pieces of that."""
    end = len(tokens)
    while end and not any(map(str.isalnum, tokens[end - 1])):
        end -= 1
    draw = random.Random(name)
    cut = draw.randint(1, min(6, end - 1)) if end > 1 else 0
    cut = draw.choice([cut, end - cut])
    return [piece for piece in ((0, end), (0, cut), (cut, end)) if piece[0] < piece[1]]


def _page(row: dict[str, Any]) -> str:
    """Return what claims that were made of one sentence share."""
    return str(row["meta"]["id"].rsplit("-", 1)[0])


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _sources(row: dict[str, Any]) -> Sources:
    return Sources.of(["\n\n".join(row["evidence"])])


_Read = Callable[[Sources, SentenceLike], tuple[AnswerWords, NDArray[np.float32]]]
"""Returns a claim's words, aligned with some sources, and their inputs."""


def _read(
    aligner: Aligner, inputs_of: InputsOf, sources: Sources, claim: SentenceLike
) -> tuple[AnswerWords, NDArray[np.float32]]:
    (sentence,) = aligner.annotate([claim])
    words = AnswerWords.of(sentence, sources)
    (candidates,) = align_with_sources(aligner._engine, [words], sources, GroundOptions())
    if isinstance(candidates, Exception):
        raise candidates
    return words, inputs_of(words, candidates, sources)


def _claim(
    read: _Read,
    sources: Sources,
    page: str,
    claim: SentenceLike,
    supported: _Array | None,
    weight: float,
    *,
    is_extra: bool = False,
) -> JudgedClaim:
    """Return a claim aligned with some sources; without `supported`, all of its words are."""
    words, inputs = read(sources, claim)
    supported = np.ones(len(words.kinds)) if supported is None else supported
    return JudgedClaim(page, words, inputs, supported, weight, is_extra)


def regression(rows: _Array, is_right: _Array, weights_of: _Array) -> _Array:
    """Return the weights of a logistic regression over weighted rows, the bias last."""
    mean, scale = rows.mean(axis=0), rows.std(axis=0) + 1e-6
    scaled = np.hstack([(rows - mean) / scale, np.ones((len(rows), 1))])
    penalty = np.full(scaled.shape[1], L2)
    penalty[-1] = 0.0

    def loss(weights: _Array) -> tuple[float, _Array]:
        odds = scaled @ weights
        value = weights_of @ (np.logaddexp(0.0, odds) - is_right * odds) + penalty @ weights**2 / 2
        chance = 1.0 / (1.0 + np.exp(-odds))
        return float(value), scaled.T @ (weights_of * (chance - is_right)) + penalty * weights

    found = minimize(loss, np.zeros(scaled.shape[1]), jac=True, method="L-BFGS-B").x
    weights: _Array = found[:-1] / scale
    return np.append(weights, found[-1] - weights @ mean)


class WordTrees:
    """Fitted trees over some of the inputs of a word; see support_model.ScoresWords."""

    def __init__(self, some: Sequence[JudgedClaim], used: _Array) -> None:
        self._used = used.astype(np.float32)
        self.fitted = HistGradientBoostingClassifier(
            monotonic_cst=[int(name in EVIDENCE_INPUTS) for name in INPUTS] if MONOTONE else None,
            early_stopping=False,
            random_state=0,
            **TREES,
        ).fit(
            np.concatenate([each.inputs for each in some]) * self._used,
            np.concatenate([each.supported for each in some]),
            np.concatenate([np.full(len(each.supported), each.weight) for each in some]),
        )

    def scores(self, rows: NDArray[np.float32]) -> _Array:
        """Return log odds, shape (n_rows, 1)."""
        found: _Array = self.fitted.decision_function(rows * self._used)[:, None]
        return found

    def contributions(self, row: NDArray[np.float32], output: int) -> _Array:
        """Raise NotImplementedError: what is fitted is explained once it is written as a table."""
        raise NotImplementedError


def fit(some: Sequence[JudgedClaim], used: _Array | None = None) -> SupportModel:
    """Return the model that is learned on some claims.

    Parameters
    ----------
    some : sequence of JudgedClaim
    used : float64 array, shape (n_inputs,), optional
        0 of inputs that are left out, else 1.
    """
    word, context = _learn(some, np.ones(len(INPUTS)) if used is None else used)
    return SupportModel(word, context)


def _learn(some: Sequence[JudgedClaim], used: _Array) -> tuple[WordTrees, _Array]:
    """Return the trees and the weights of the context."""
    fold_of = _folds(some, N_INNER, seed=1)
    rows, right, weights = [], [], []
    for fold in range(N_INNER):
        trees = WordTrees([c for c in some if fold_of[c.page] != fold], used)
        for claim in some:
            if fold_of[claim.page] == fold:
                rows.append(context_inputs(claim.words, trees.scores(claim.inputs)[:, 0]))
                right.append(claim.supported)
                weights.append(np.full(len(claim.supported), claim.weight))
    context = regression(*map(np.concatenate, (rows, right, weights)))
    return WordTrees(some, used), context


def write(some: Sequence[JudgedClaim], output: Path) -> None:
    """Write the model that is learned on some claims as a table."""
    trees, context = _learn(some, np.ones(len(INPUTS)))
    write_table(
        output,
        {
            "inputs": list(INPUTS),
            "context_inputs": list(CONTEXT_INPUTS),
            "context": context,
            **forest_arrays("word", trees.fitted),
        },
        name="support",
        version="1.0.0",
        license=LICENSES["support"],
        source="WiCE (training and development parts), tokalign corpus; lab/recipes/support.py",
    )


def _folds(some: Sequence[JudgedClaim], n: int, seed: int) -> dict[str, int]:
    pages = sorted({each.page for each in some})
    np.random.default_rng(seed).shuffle(pages)
    return {page: number % n for number, page in enumerate(pages)}


def supports(model: SupportModel, claim: JudgedClaim, *, alone: bool = False) -> _Array:
    """Return the support of a claim's words, by the trees alone if asked for."""
    if alone:
        chance: _Array = 1.0 / (1.0 + np.exp(-model.own_log_odds(claim.inputs)))
        return chance
    return model.supports(claim.words, claim.inputs)


def area(support: _Array, supported: _Array) -> float:
    """Return the area under the curve; equal values count half."""
    order = np.argsort(support, kind="stable")
    _, inverse, counts = np.unique(support[order], return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2.0)[inverse]
    right = supported[order] > 0
    n_right, n_wrong = right.sum(), (~right).sum()
    return float((ranks[right].sum() - n_right * (n_right + 1) / 2) / (n_right * n_wrong))


def f1(support: _Array, supported: _Array, threshold: float) -> float:
    """Return F1 of unsupported words where those below a threshold are flagged."""
    flagged = support < threshold
    right = (flagged & (supported == 0)).sum()
    return float(2 * right / max(flagged.sum() + (supported == 0).sum(), 1))


def best_threshold(support: _Array, supported: _Array) -> float:
    """Return the threshold of the largest F1."""
    return float(max(THRESHOLDS, key=lambda each: f1(support, supported, each)))


def precision_at(support: _Array, supported: _Array, recall: float) -> float:
    """Return the precision of the least number of flagged words that has a recall."""
    wrong = (supported == 0)[np.argsort(support, kind="stable")]
    n = int(np.searchsorted(np.cumsum(wrong), recall * wrong.sum())) + 1
    return float(wrong[:n].mean())


def calibration(support: _Array, supported: _Array) -> float:
    """Return the mean distance of support and share supported, in ten bins."""
    bins = np.array_split(np.argsort(support, kind="stable"), 10)
    return sum(
        len(each) / len(support) * abs(float(support[each].mean() - supported[each].mean()))
        for each in bins
    )


def cross_validated(
    every: Sequence[JudgedClaim], systems: Sequence[WordSystem]
) -> Iterator[dict[str, object]]:
    """Yield a row of figures for each system and each set of words."""
    whole = [each for each in every if not each.is_extra]
    partly = [each for each in whole if not each.is_right]
    supported = np.concatenate([each.supported for each in partly])
    kinds = [kind for each in partly for kind in each.words.kinds]
    masks = {
        "all": np.ones(len(kinds), bool),
        "content": np.array([kind in SUPPORTABLE for kind in kinds]),
    }
    fold_of = _folds(every, N_FOLDS, seed=0)
    fold = np.concatenate([[fold_of[c.page]] * len(c.supported) for c in partly])

    @cache
    def models(inputs: tuple[str, ...]) -> list[SupportModel]:
        used = np.array([name in inputs for name in INPUTS], float)
        return [fit([c for c in every if fold_of[c.page] != each], used) for each in range(N_FOLDS)]

    for system in systems:
        fitted = models(system.inputs)
        of_claim = [supports(fitted[fold_of[c.page]], c, alone=system.is_alone) for c in whole]
        support = np.concatenate(
            [own for each, own in zip(whole, of_claim, strict=True) if not each.is_right]
        )
        flagged = _flagged_of_right(whole, of_claim)
        for words, mask in masks.items():
            figures = (*_figures(support[mask], supported[mask], fold[mask]), flagged[words])
            row = dict(zip(FIGURES, figures, strict=True))
            yield {"system": system.name, "words": words, **row}


def _flagged_of_right(every: Sequence[JudgedClaim], of_claim: Sequence[_Array]) -> dict[str, float]:
    """Return the share of words of right claims that are flagged, of all and of content words."""
    least = GroundOptions().threshold
    right = [(each, own) for each, own in zip(every, of_claim, strict=True) if each.is_right]
    flagged = np.concatenate([own < least for _, own in right])
    content = np.array([kind in SUPPORTABLE for each, _ in right for kind in each.words.kinds])
    return {"all": float(flagged.mean()), "content": float(flagged[content].mean())}


def _figures(support: _Array, supported: _Array, fold: NDArray[np.int64]) -> tuple[float, ...]:
    best = np.zeros(len(support), bool)
    thresholds = []
    for each in range(N_FOLDS):
        others = fold != each
        thresholds.append(best_threshold(support[others], supported[others]))
        best[~others] = support[~others] < thresholds[-1]
    flagged = support < GroundOptions().threshold
    return (
        area(support, supported),
        f1(np.where(best, 0.0, 1.0), supported, 0.5),
        float((supported[flagged] == 0).mean()),
        float(flagged[supported == 0].mean()),
        precision_at(support, supported, 0.4),
        calibration(support, supported),
        float(np.mean(thresholds)),
    )


def main() -> None:
    """Print the figures, and write the weights if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--no-figures", action="store_true")
    arguments = parser.parse_args()
    every = list(claims(arguments.data, Aligner.load()))
    if arguments.output:
        write(every, arguments.output)
    if not arguments.no_figures:
        for row in cross_validated(every, SYSTEMS):
            print(json.dumps(row))


if __name__ == "__main__":
    main()

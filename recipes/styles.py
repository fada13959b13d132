"""Thresholds and calibration of a model's styles, fitted by cross-validation.

    python -m recipes.styles --data DATA --unrelated build/unrelated

trains five models, each on four fifths of the corpora and of the unrelated pairs, and lets each
align what it has not seen: the pairs of a corpus in the corpus' style, the unrelated ones in every
style. Prints one JSON object for each style, of figures for which threshold and calibration were
chosen on the other folds. A shipped model's are chosen on all of them (`fit`), and development
data has no part in it.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokalign.annotate import load_annotator
from tokalign.batches.outcomes import unwrap
from tokalign.decoding.by_model import ModelBackend
from tokalign.decoding.convention import Convention
from tokalign.evaluate import LinkChoice, evaluate
from tokalign.evaluate.calibration import judge as judge_links
from tokalign.evaluate.calibration import reliability
from tokalign.features.lexicons import Lexicons
from tokalign.formats import read_gold
from tokalign.lexicon.likeness import unlike_cells
from tokalign.model import Model
from tokalign.model.styles import StyleHeader
from tokalign.training import TrainingData, TrainingSettings, fold_numbers
from tokalign.training.examples import TrainingExamples
from tokalign.training.train import followed_corpora, header_for, styled_model
from tokalign.training.weights import train_weights
from tokalign.types import GoldPair, Links
from tokalign.types.options import AlignOptions

from recipes.aligned import UNRELATED, read_corpus
from recipes.settings import EN_SETTINGS, STYLES

N_FOLDS, SEED = 5, 1
THRESHOLDS = tuple(round(0.05 * k, 2) for k in range(3, 13))
LEAST = 0.05
"""Posterior below which calibration is not fitted: no style takes such links."""
N_KNOTS = 14
"""Of the map between 0 and 1, which are knots as well."""


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Posteriors of a style's pairs by models that have not seen them.

    Attributes
    ----------
    gold : sequence of GoldPair
    posteriors : sequence of float array
        Mean posteriors of the pairs, each of shape (n_source, n_target).
    folds : sequence of int
    unlike : sequence of float array
        Of unrelated pairs, the mean posteriors of the cells that are known to hold no link.
    unlike_folds : sequence of int
    """

    gold: Sequence[GoldPair]
    posteriors: Sequence[NDArray[np.float64]]
    folds: Sequence[int]
    unlike: Sequence[NDArray[np.float64]]
    unlike_folds: Sequence[int]

    def only(self, wanted: set[int]) -> HeldOut:
        """Return the pairs of some folds."""
        kept = [k for k, fold in enumerate(self.folds) if fold in wanted]
        unlike = [k for k, fold in enumerate(self.unlike_folds) if fold in wanted]
        return HeldOut(
            [self.gold[k] for k in kept],
            [self.posteriors[k] for k in kept],
            [self.folds[k] for k in kept],
            [self.unlike[k] for k in unlike],
            [self.unlike_folds[k] for k in unlike],
        )


def held_out(
    data: TrainingData, settings: TrainingSettings, n_folds: int = N_FOLDS
) -> dict[str, HeldOut]:
    """Return, by style, what models, one for each fold, say of the pairs that they have not seen.

    With an encoder, the data hold what encoders that have not seen the pairs say of them.
    """
    annotator = load_annotator("native")
    examples = TrainingExamples.prepare(data, annotator, settings)
    header = header_for(data, annotator, settings, name="fold")
    followed = followed_corpora(data, settings)
    folds = np.array(
        [
            fold
            for pairs in (*data.corpora.values(), data.unrelated)
            for fold in fold_numbers(pairs, n_folds, SEED)
        ]
    )
    posteriors: dict[tuple[str, int], NDArray[np.float64]] = {}
    for fold in range(n_folds):
        weights = train_weights(examples, settings, pairs=np.flatnonzero(folds != fold))
        model = styled_model(header, examples, weights, followed)
        tested = np.flatnonzero(folds == fold).tolist()
        posteriors |= _posteriors(model, examples, data, followed, tested)
    gold, n_gold = data.gold, len(data.gold)
    rest = range(n_gold, len(folds))
    found = {}
    for style, corpora in followed.items():
        own = [k for k in range(n_gold) if examples.corpus[k] in corpora]
        found[style] = HeldOut(
            [gold[k] for k in own],
            [posteriors[style, k] for k in own],
            folds[own].tolist(),
            [posteriors[style, k] for k in rest],
            folds[rest].tolist(),
        )
    return found


def _posteriors(
    model: Model,
    examples: TrainingExamples,
    data: TrainingData,
    followed: Mapping[str, Sequence[int]],
    tested: Sequence[int],
) -> dict[tuple[str, int], NDArray[np.float64]]:
    """Return the mean posteriors of some pairs, by style and number.

    Pairs of a corpus are aligned in the corpus' style, unrelated ones in every style; of those
    only the cells are kept that are known to hold no link.
    """
    backend = ModelBackend(model, Lexicons.for_groups(examples.table.groups))
    n_gold = len(data.gold)
    found = {}
    for k in tested:
        source, target = examples.annotated[k]
        is_gold = k < n_gold
        encoded = data.encoded[k] if data.encoded else None
        for style, corpora in followed.items():
            if is_gold and examples.corpus[k] not in corpora:
                continue
            pair = (source, target), encoded
            (outcome,) = backend.align_with_means([pair], AlignOptions(style=style))
            _, mean = unwrap(outcome)
            if not is_gold:
                cells = sorted(unlike_cells(source, target))
                mean = mean[tuple(np.array(cells, dtype=np.intp).reshape(-1, 2).T)]
            found[style, k] = mean
    return found


def links_at(posteriors: Sequence[NDArray[np.float64]], threshold: float) -> list[Links]:
    """Return the links that the joint decision takes."""
    return [
        frozenset((int(i), int(j)) for i, j in np.argwhere(each >= threshold))
        for each in posteriors
    ]


def choose_threshold(found: HeldOut, choice: LinkChoice) -> float:
    """Return the threshold of the highest F1, the lowest of equal ones."""
    return max(
        THRESHOLDS,
        key=lambda each: (
            evaluate(
                found.gold, links_at(found.posteriors, each), choice=choice, n_samples=1
            ).scores.f1
        ),
    )


def fit_map(found: HeldOut, choice: LinkChoice) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the knots of the map from posterior to probability: raw, then calibrated.

    Cells of aligned and of unrelated pairs together, from LEAST on, are cut into groups of equal
    size; their shares of right links, made to rise by pooling neighbours (isotonic regression,
    Zadrozny and Elkan 2002), are the map at their mean posteriors, and lines join them.
    """
    raws = [each[each >= LEAST] for each in found.unlike]
    rights = [np.zeros(len(each)) for each in raws]
    for pair, each in zip(found.gold, found.posteriors, strict=True):
        right = np.zeros(each.shape)
        for link in pair.sure | (
            pair.possible if choice is LinkChoice.SURE_AND_POSSIBLE else frozenset()
        ):
            right[link] = 1
        raws.append(each[each >= LEAST])
        rights.append(right[each >= LEAST])
    raw, right = np.concatenate(raws), np.concatenate(rights)
    order = np.argsort(raw, kind="stable")
    raw, right = raw[order], right[order]
    # Half of the knots by posterior, half by number: most links are nearly certain.
    edges = np.unique(
        [
            *np.searchsorted(raw, np.linspace(LEAST, 1, N_KNOTS // 2 + 1)[1:-1]),
            *np.linspace(0, len(raw), N_KNOTS // 2 + 2).astype(int),
        ]
    )
    blocks: list[list[float]] = []  # mean posterior, share right, number
    for first, end in pairwise(edges.tolist()):
        blocks.append([raw[first:end].mean(), right[first:end].mean(), float(end - first)])
        while len(blocks) > 1 and blocks[-2][1] >= blocks[-1][1]:
            (x1, y1, n1), (x2, y2, n2) = blocks[-2:]
            n = n1 + n2
            blocks[-2:] = [[(x1 * n1 + x2 * n2) / n, (y1 * n1 + y2 * n2) / n, n]]
    knots = [(0.0, 0.0)]
    for x, y in ((round(float(x), 4), min(round(float(y), 4), 0.9998)) for x, y, _ in blocks):
        if knots[-1][0] < x < 1 and knots[-1][1] < y:
            knots.append((x, y))
    # Beyond the last group, where nothing is known, the map rises by half of what is left.
    knots.append((1.0, round((1 + knots[-1][1]) / 2, 4)))
    return tuple(x for x, _ in knots), tuple(y for _, y in knots)


def fit(name: str, found: HeldOut) -> StyleHeader:
    """Return a style's part of the header, fitted on held-out pairs."""
    style = STYLES[name]
    raw, calibrated = fit_map(found, style.choice)
    return {
        "name": name,
        "links": style.links,
        "threshold": choose_threshold(found, style.choice),
        "raw": raw,
        "calibrated": calibrated,
    }


def fit_styles(
    model: Model, data: TrainingData, settings: TrainingSettings, n_folds: int = N_FOLDS
) -> Model:
    """Return a model with its styles fitted by cross-validation; one without styles as it is."""
    if not model.header.styles:
        return model
    found = held_out(data, settings, n_folds)
    styles = tuple(fit(style["name"], found[style["name"]]) for style in model.header.styles)
    return replace(model, header=replace(model.header, styles=styles))


def judge(name: str, found: HeldOut) -> dict[str, object]:
    """Return a style's figures; every fold is judged by what was fitted on the others."""
    choice = STYLES[name].choice
    folds = set(found.folds)
    gold: list[GoldPair] = []
    confidences: list[dict[tuple[int, int], float]] = []
    raw: list[dict[tuple[int, int], float]] = []
    thresholds = []
    unlike: list[tuple[float, bool]] = []
    for fold in sorted(folds):
        header, test = fit(name, found.only(folds - {fold})), found.only({fold})
        thresholds.append(header["threshold"])
        gold += test.gold
        for each in test.posteriors:
            calibrated = Convention(header).confidences(each)
            taken = np.argwhere(each >= header["threshold"]).tolist()
            confidences.append({(i, j): float(calibrated[i, j]) for i, j in taken})
            raw.append({(i, j): float(each[i, j]) for i, j in taken})
        for cells in test.unlike:
            wrong = Convention(header).confidences(cells[cells >= header["threshold"]]).tolist()
            unlike += [(each, False) for each in wrong]
    scores = evaluate(gold, [frozenset(each) for each in confidences], choice=choice, n_samples=1)
    judged = judge_links(gold, confidences, choice)
    return {
        "style": name,
        "corpus": Path(STYLES[name].corpus).name,
        "pairs": len(gold),
        "thresholds": thresholds,
        "links": choice.value,
        **{key: value for key, value in scores.scores.to_json().items() if key in SCORES},
        "expected_error": reliability(judged).expected_error,
        "expected_error_uncalibrated": reliability(judge_links(gold, raw, choice)).expected_error,
        "expected_error_with_unrelated": reliability([*judged, *unlike]).expected_error,
    }


SCORES = ("precision", "recall", "f1", "exact_match", "f1_identical", "f1_non_identical")


def fold_rows(
    data: Path, unrelated: Path, settings: TrainingSettings
) -> Iterator[dict[str, object]]:
    """Yield the figures of each style."""
    corpora = {Path(s.corpus).name: read_corpus(data, s.corpus) for s in STYLES.values()}
    pairs = TrainingData(corpora, unrelated=read_gold(unrelated))
    for name, found in held_out(pairs, settings).items():
        yield judge(name, found)


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora")
    parser.add_argument("--unrelated", type=Path, required=True, help="of recipes.unrelated")
    arguments = parser.parse_args()
    for row in fold_rows(arguments.data, arguments.unrelated / UNRELATED, EN_SETTINGS):
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()

"""What each style of a model is: its corpus, its threshold, and how its confidences are read.

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
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from tokalign.annotate import load_annotator
from tokalign.decoding._decoder import Decoder
from tokalign.decoding.links import link_posteriors
from tokalign.evaluate import LinkChoice, evaluate
from tokalign.evaluate.calibration import judge as judge_links
from tokalign.evaluate.calibration import reliability
from tokalign.features.lexicons import Lexicons
from tokalign.formats import read_gold
from tokalign.lessons import Lessons, TrainingSettings, fold_numbers
from tokalign.lexicon.likeness import unlike_cells
from tokalign.model import ModelHeader
from tokalign.options import Symmetrization
from tokalign.styles import DEFAULT_THRESHOLD, StyleHeader, calibrate
from tokalign.training import styled_model, train_weights
from tokalign.types import GoldPair

from recipes.aligned import EDINBURGH, MTREF, RTE2, UNRELATED, WIKI, read_corpus

if TYPE_CHECKING:
    from tokalign.features._extract import Encoded

N_FOLDS, SEED = 5, 1
THRESHOLDS = tuple(round(0.05 * k, 2) for k in range(3, 13))
LEAST = 0.05
"""Posterior below which calibration is not fitted: no style takes such links."""
N_KNOTS = 14
"""Of the map between 0 and 1, which are knots as well."""


@dataclass(frozen=True, slots=True)
class Style:
    """A style to be: its corpus and which of its links count, and what it links, for people."""

    corpus: str
    choice: LinkChoice
    links: str


STYLES = {
    "strict": Style(
        RTE2, LinkChoice.SURE, "words that mean the same where they stand (RTE2); links least"
    ),
    "paraphrase": Style(
        EDINBURGH,
        LinkChoice.SURE,
        "also words and phrases that paraphrase each other (Edinburgh++)",
    ),
    "free": Style(
        MTREF,
        LinkChoice.SURE_AND_POSSIBLE,
        "also words that play the same part in both sentences (MultiMWA-MTRef); links most",
    ),
    "edits": Style(
        WIKI, LinkChoice.SURE, "what an edit kept or replaced, punctuation too (MultiMWA-Wiki)"
    ),
}
"""By name, the default first."""


@dataclass(frozen=True, slots=True)
class HeldOut:
    """What models that have not seen a style's pairs say of them.

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
    corpora: Mapping[str, Sequence[GoldPair]],
    unrelated: Sequence[GoldPair],
    settings: TrainingSettings,
    *,
    encoded: Sequence[Encoded] | None = None,
    n_folds: int = N_FOLDS,
) -> dict[str, HeldOut]:
    """Return, by style, what models, one for each fold, say of the pairs that they have not seen.

    With an encoder, `encoded` holds what encoders that have not seen them say of the pairs, the
    corpora's in order, then unrelated ones.
    """
    annotator = load_annotator("native")
    lessons = Lessons.prepare(corpora, annotator, settings, unrelated=unrelated, encoded=encoded)
    folds = [
        fold
        for pairs in (*corpora.values(), unrelated)
        for fold in fold_numbers(pairs, n_folds, SEED)
    ]
    styles = list(dict.fromkeys(style for _, style in settings.styles))
    style_of = [styles.index(dict(settings.styles)[name]) for name in corpora]
    header = ModelHeader(
        name="fold",
        version="1",
        description="",
        license="",
        corpora=tuple(corpora),
        feature_groups=lessons.table.groups,
        annotator=annotator.name,
        uses_trees=False,
        styles=tuple({"name": s, "links": "", "threshold": DEFAULT_THRESHOLD} for s in styles),
    )
    n_gold = len(folds) - len(unrelated)
    posteriors: dict[tuple[int, int], NDArray[np.float64]] = {}
    for fold in range(n_folds):
        seen = np.flatnonzero(np.array(folds) != fold)
        model = styled_model(
            header,
            lessons.table,
            lessons.matrix.slots,
            train_weights(lessons, settings, pairs=seen),
            [
                [k for k, each in enumerate(style_of) if each == number]
                for number in range(len(styles))
            ],
        )
        decoder = Decoder(model, Lexicons.for_groups(lessons.table.groups))
        for k in np.flatnonzero(np.array(folds) == fold).tolist():
            source, target = lessons.annotated[k]
            for number in [style_of[lessons.corpus[k]]] if k < n_gold else range(len(styles)):
                decoded = decoder.decode(source, target, encoded[k] if encoded else None, number)
                mean = link_posteriors(decoded, Symmetrization.JOINT)
                if k >= n_gold:
                    cells = sorted(unlike_cells(source, target))
                    mean = mean[tuple(np.array(cells, dtype=np.intp).reshape(-1, 2).T)]
                posteriors[k, number] = mean
    gold = [pair for pairs in corpora.values() for pair in pairs]
    found = {}
    for number, style in enumerate(styles):
        own = [k for k in range(n_gold) if style_of[lessons.corpus[k]] == number]
        rest = range(n_gold, len(folds))
        found[style] = HeldOut(
            [gold[k] for k in own],
            [posteriors[k, number] for k in own],
            [folds[k] for k in own],
            [posteriors[k, number] for k in rest],
            [folds[k] for k in rest],
        )
    return found


def links_at(
    posteriors: Sequence[NDArray[np.float64]], threshold: float
) -> list[frozenset[tuple[int, int]]]:
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
            calibrated = calibrate(header, each)
            taken = np.argwhere(each >= header["threshold"]).tolist()
            confidences.append({(i, j): float(calibrated[i, j]) for i, j in taken})
            raw.append({(i, j): float(each[i, j]) for i, j in taken})
        for cells in test.unlike:
            wrong = calibrate(header, cells[cells >= header["threshold"]]).tolist()
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
    for name, found in held_out(corpora, read_gold(unrelated), settings).items():
        yield judge(name, found)


def main() -> None:
    from recipes.models import EN_SETTINGS  # which names the styles

    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora")
    parser.add_argument("--unrelated", type=Path, required=True, help="of recipes.unrelated")
    arguments = parser.parse_args()
    for row in fold_rows(arguments.data, arguments.unrelated / UNRELATED, EN_SETTINGS):
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()

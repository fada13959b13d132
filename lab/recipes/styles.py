"""Thresholds, calibration and choice of a model's styles, fitted by cross-validation.

    python -m lab.recipes.models --data DATA --judge MODEL

trains five models, each on four fifths of the corpora and of the unrelated pairs of a recipe, and
lets each align what it has not seen in every style. Prints one JSON object for each style, over the
pairs of its corpus, and one for the choice of a style, over all pairs; what they are judged by was
fitted on the other folds. What a shipped model has is fitted on all of them (`fit_styles`), and
development data has no part in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from tokalign.decoding.link_decision import Convention
from tokalign.evaluate import LinkChoice, evaluate
from tokalign.evaluate.metrics import choose_links, reliability
from tokalign.evaluate.metrics import judge as judge_links
from tokalign.model import Model
from tokalign.model.styles import AUTO, StyleHeader
from tokalign.model.training import TrainingData, TrainingSettings

from lab.recipes.choice import WRONG, chosen_style, fit_choice
from lab.recipes.held_out import N_FOLDS, Doubles, HeldOutPair, held_out, links_at, links_of
from lab.recipes.settings import Style

THRESHOLDS = tuple(round(0.05 * k, 2) for k in range(4, 13))
LEAST = 0.05
"""Posterior below which calibration is not fitted: no style takes such links."""
UNRELATED_SHARE = 0.1
"""Share of unrelated pairs among those that are sent: the map of unlike words is fitted as if there
were so many, since training has more of them than some corpora have pairs."""
N_KNOTS = 14
"""Of the map between 0 and 1, which are knots as well."""
CONFIDENT = 0.8


def choose_thresholds(pairs: Sequence[HeldOutPair], name: str, style: Style) -> tuple[float, float]:
    """Return the thresholds of a link, and of one beside another, for which the sum of F1 and exact
    match over pairs of the style's corpus is highest; of equal ones the lowest."""

    def quality(threshold: float, beside: float) -> float:
        n_right = n_links = n_exact = 0
        for pair in pairs:
            links = links_at(pair.means[name], threshold, beside)
            wanted, found = choose_links(pair.gold, links, style.choice)
            n_right += len(wanted & found)
            n_links += len(wanted) + len(found)
            n_exact += wanted == found
        return 2 * n_right / max(n_links, 1) + n_exact / len(pairs)

    return max(
        (
            (each, beside)
            for each in THRESHOLDS
            if each >= style.least[0]
            for beside in THRESHOLDS
            if style.least[1] <= beside <= each
        ),
        key=lambda both: quality(*both),
    )


def _cells(
    pairs: Sequence[HeldOutPair], name: str, choice: LinkChoice, *, unlike: bool
) -> tuple[Doubles, Doubles]:
    """Return posteriors of cells, and which of them are right links.

    Of unrelated pairs they are those of the cells that are known to hold no link. Links that count
    neither way are left out.
    """
    raws: list[Doubles] = []
    rights: list[Doubles] = []
    for pair in pairs:
        mean, right = pair.means[name], np.zeros(pair.unlike.shape)
        kept = pair.unlike if unlike else ~pair.unlike
        kept = kept.copy() if pair.style else kept & pair.impossible
        for link in pair.gold.sure:
            right[link] = 1
        for link in pair.gold.possible:
            right[link] = choice is LinkChoice.SURE_AND_POSSIBLE
            kept[link] &= bool(right[link])
        raws.append(mean[kept].astype(np.float64))
        rights.append(right[kept])
    return np.concatenate([[], *raws]), np.concatenate([[], *rights])


def fit_unlike(
    own: tuple[Doubles, Doubles],
    unrelated: tuple[Doubles, Doubles],
    weight: float,
    least: float,
) -> tuple[float, float]:
    """Return slope and offset of the log odds of right links over those of posteriors.

    Fitted to the highest likelihood (Platt 1999).

    Parameters
    ----------
    own, unrelated : (float64 array, float64 array), each of shape (n_cells,)
        Posteriors, and 1 where there is a link: of the style's pairs, and of unrelated ones.
    weight : float
        Of a cell of unrelated pairs.
    least : float
        Posterior from which cells count, as the style takes links.
    """
    raw, right = (np.concatenate(both) for both in zip(own, unrelated, strict=True))
    weights = np.repeat([1.0, weight], [len(own[0]), len(unrelated[0])])
    kept = raw >= least
    inside = np.clip(raw[kept], 1e-6, 1 - 1e-6)
    odds, right, weights = np.log(inside) - np.log(1 - inside), right[kept], weights[kept]

    def loss(numbers: Doubles) -> float:
        z = numbers[0] * odds + numbers[1]
        return float(weights @ (np.logaddexp(0, z) - right * z))

    slope, offset = minimize(loss, np.array([1.0, 0.0]), method="L-BFGS-B").x
    return round(max(float(slope), 0.01), 4), round(float(offset), 4)


def fit_map(raw: Doubles, right: Doubles) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the knots of the map from posterior to probability: raw, then calibrated.

    Cells from LEAST on are cut into groups of equal size; their shares of right links, made to rise
    by pooling neighbours (isotonic regression, Zadrozny and Elkan 2002), are the map at their mean
    posteriors, and lines join them.

    Parameters
    ----------
    raw, right : float64 array, shape (n_cells,)
        Posteriors, and 1 where there is a link.
    """
    raw, right = raw[raw >= LEAST], right[raw >= LEAST]
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


def fit(
    name: str,
    style: Style,
    pairs: Sequence[HeldOutPair],
    thresholds: tuple[float, float] | None = None,
) -> StyleHeader:
    """Return a style's part of the header, fitted on held-out pairs; thresholds that are given are
    not fitted."""
    choice = style.choice
    own = [pair for pair in pairs if pair.style == name and not pair.is_piece]
    unrelated = [pair for pair in pairs if not pair.style and not pair.is_piece]
    threshold, beside = thresholds or choose_thresholds(own, name, style)
    raw, calibrated = fit_map(*_cells(own, name, choice, unlike=False))
    return {
        "name": name,
        "links": style.links,
        "threshold": threshold,
        "beside": beside,
        "raw": raw,
        "calibrated": calibrated,
        "unlike": fit_unlike(
            _cells(own, name, choice, unlike=True),
            _cells(unrelated, name, choice, unlike=True),
            UNRELATED_SHARE * len(own) / max(len(unrelated), 1),
            beside,
        ),
    }


def fit_styles(
    model: Model,
    data: TrainingData,
    settings: TrainingSettings,
    styles: Mapping[str, Style],
    n_folds: int = N_FOLDS,
    wrong: float = WRONG,
) -> Model:
    """Return a model with its styles and their choice fitted by cross-validation."""
    pairs = held_out(data, settings, n_folds)
    fitted = [fit(name, style, pairs) for name, style in styles.items()]
    chosen = fit_choice(pairs, fitted, styles, wrong)
    return replace(model, header=replace(model.header, styles=chosen))


def judge(pairs: Sequence[HeldOutPair], styles: Mapping[str, Style]) -> Iterator[dict[str, object]]:
    """Yield the figures of each style, then those of the choice.

    Every fold is judged by what was fitted on the others.
    """
    folds = sorted({pair.fold for pair in pairs})
    judged: dict[str, list[tuple[HeldOutPair, StyleHeader]]] = {name: [] for name in styles}
    by_choice: list[tuple[HeldOutPair, StyleHeader]] = []
    for fold in folds:
        rest = [pair for pair in pairs if pair.fold != fold]
        fitted = [fit(name, style, rest) for name, style in styles.items()]
        chosen = fit_choice(rest, fitted, styles)
        for pair in pairs:
            if pair.fold != fold or pair.is_piece:
                continue
            by_choice.append((pair, chosen_style(pair, chosen)))
            for style in chosen:
                if pair.style in ("", style["name"]):
                    judged[style["name"]].append((pair, style))
    for name, decided in judged.items():
        yield {
            "style": name,
            "corpora": [Path(each).name for each in styles[name].corpora],
            **figures_of(decided, styles),
        }
    for name in styles:
        some = [(pair, style) for pair, style in by_choice if pair.style in ("", name)]
        yield {
            "style": f"{AUTO}.{name}",
            "corpora": [Path(each).name for each in styles[name].corpora],
            **figures_of(some, styles),
        }


def figures_of(
    decided: Sequence[tuple[HeldOutPair, StyleHeader]], styles: Mapping[str, Style]
) -> dict[str, object]:
    """Return the figures of pairs of one corpus, and of unrelated ones, as styles decide them."""
    own = [(pair, style) for pair, style in decided if pair.style]
    choice = styles[own[0][0].style].choice
    gold = [pair.gold for pair, _ in own]
    confidences = [_confidences(pair, style) for pair, style in own]
    unlike = [
        {link: each for link, each in found.items() if pair.unlike[link]}
        for (pair, _), found in zip(own, confidences, strict=True)
    ]
    wrong = [
        each
        for pair, style in decided
        if not pair.style
        for link, each in _confidences(pair, style).items()
        if pair.impossible[link]
    ]
    n_unrelated = len(decided) - len(own)
    scores = evaluate(gold, [frozenset(each) for each in confidences], choice=choice, n_samples=1)
    return {
        "pairs": len(own),
        "links": choice.value,
        "thresholds": sorted({(style["threshold"], style["beside"]) for _, style in own}),
        **{key: value for key, value in asdict(scores.scores).items() if key in SCORES},
        "expected_error": reliability(judge_links(gold, confidences, choice)).expected_error,
        "expected_error_unlike": reliability(judge_links(gold, unlike, choice)).expected_error,
        "per_100_unrelated": 100 * len(wrong) / max(n_unrelated, 1),
        "confident_per_100_unrelated": 100
        * sum(each >= CONFIDENT for each in wrong)
        / max(n_unrelated, 1),
    }


def _confidences(pair: HeldOutPair, style: StyleHeader) -> dict[tuple[int, int], float]:
    """Return the links of a pair with their confidences."""
    mean = pair.means[style["name"]]
    read = Convention(style).confidence
    links = pair.links[name] if (name := style["name"]) in pair.links else links_of(mean, style)
    return {link: read(float(mean[link]), bool(pair.unlike[link])) for link in links}


SCORES = ("precision", "recall", "f1", "exact_match", "f1_identical", "f1_non_identical")

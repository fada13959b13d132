"""The choice of a style for each pair, for whoever names none.

The weights (tokalign.decoding.link_decision) make the expected gain over held-out pairs largest, if
a pair took each style with the probability that a softmax of the sums gives it. The gain of a pair
is its F1 and half a point where it is exactly right, by its corpus' links; of an unrelated pair it
is a loss for each link that is known to be wrong. Corpora and unrelated pairs weigh the same,
pieces half of whole pairs. While it is fitted one input more says whether both sides end in a mark,
as pairs of some corpora all do. Every pair is then taken for one that does, so a style does not
hang on a final stop.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.optimize import minimize
from tokalign.evaluate.metrics import choose_links
from tokalign.model.styles import StyleHeader
from tokalign.types import GoldPair

from lab.kernels.doors import style_number
from lab.recipes.held_out import Doubles, HeldOutPair, links_of
from lab.recipes.settings import Style

ASKS = "questions"
"""The style of pairs with a question."""
EXACT = 0.5
WRONG = 0.5
"""Loss of a link in an unrelated pair, if a recipe names no other."""
PIECE = 0.5
L2 = 1e-4


def gains_of(
    pair: HeldOutPair,
    styles: Sequence[StyleHeader],
    corpora: Mapping[str, Style],
    wrong: float = WRONG,
) -> list[float]:
    """Return what each style gains on a pair; `corpora` has each by name."""
    gains = []
    for style in styles:
        links = links_of(pair.means[style["name"]], style)
        if not pair.style:
            gains.append(-wrong * sum(bool(pair.impossible[link]) for link in links))
            continue
        wanted, found = choose_links(pair.gold, links, corpora[pair.style].choice)
        n_links = len(wanted) + len(found)
        f1 = 2 * len(wanted & found) / n_links if n_links else 1.0
        gains.append(f1 + EXACT * (wanted == found))
    return gains


def fit_choice(
    pairs: Sequence[HeldOutPair],
    styles: Sequence[StyleHeader],
    corpora: Mapping[str, Style],
    wrong: float = WRONG,
) -> tuple[StyleHeader, ...]:
    """Return the styles with the weights of the choice.

    Parameters
    ----------
    pairs : sequence of HeldOutPair
    styles : sequence of StyleHeader
        With thresholds.
    corpora : dict from str to Style
        The same styles with the corpora that show them.
    wrong : float
        Loss of a link in an unrelated pair.
    """
    gains = np.array([gains_of(pair, styles, corpora, wrong) for pair in pairs])
    inputs = np.array([[*pair.inputs, _end_in_marks(pair.gold)] for pair in pairs])
    _, number = np.unique([f"{pair.style} {pair.is_piece}" for pair in pairs], return_inverse=True)
    each = np.bincount(number)[number]
    weights = np.where([pair.is_piece for pair in pairs], PIECE, 1.0) / each
    mean, spread = inputs.mean(axis=0), inputs.std(axis=0) + 1e-9
    found = _fitted(
        np.column_stack([(inputs - mean) / spread, np.ones(len(inputs))]),
        gains,
        weights / weights.sum(),
    )
    slopes = found[:, :-1] / spread
    constants = found[:, -1] - slopes @ mean + slopes[:, -1]
    return tuple(
        {
            **style,
            "choice": tuple(round(float(each), 4) for each in (*slope, constant)),
            "asks": style["name"] == ASKS,
        }
        for style, slope, constant in zip(styles, slopes[:, :-1], constants, strict=True)
    )


def _end_in_marks(pair: GoldPair) -> bool:
    """Return whether both sides end in a mark."""
    last = pair.source.tokens[-1] + pair.target.tokens[-1]
    return not any(map(str.isalnum, last))


def _fitted(inputs: Doubles, gains: Doubles, weights: Doubles) -> Doubles:
    """Return the weights of the largest expected gain, shape (n_styles, n_inputs)."""
    shape = gains.shape[1], inputs.shape[1]

    def loss(flat: Doubles) -> tuple[float, Doubles]:
        sums = inputs @ flat.reshape(shape).T
        share = np.exp(sums - sums.max(axis=1, keepdims=True))
        share /= share.sum(axis=1, keepdims=True)
        expected = (share * gains).sum(axis=1, keepdims=True)
        slope = -(weights[:, None] * share * (gains - expected)).T @ inputs
        value = -float(weights @ expected[:, 0]) + L2 / 2 * float(flat @ flat)
        return value, slope.ravel() + L2 * flat

    start = np.zeros(shape[0] * shape[1])
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 300})
    return np.asarray(found.x).reshape(shape)


def chosen_style(pair: HeldOutPair, styles: Sequence[StyleHeader]) -> StyleHeader:
    """Return the style that is chosen for a pair."""
    return styles[style_number([style["choice"] for style in styles], pair.inputs.tolist())]

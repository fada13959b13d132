"""The training objective of one direction: softmax-margin loss plus L2, and its gradient.

With several corpora every feature has one shared weight and one weight per corpus, which are added
(Daume 2007, "Frustratingly easy domain adaptation"). The gradient is summed over fixed chunks of
pairs in a fixed order, so that the result does not depend on the number of threads.
"""

from collections.abc import Sequence
from concurrent.futures import Executor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokalign.crf.chains import TRANSITION_NAMES, accumulate
from tokalign.crf.matrix import FeatureMatrix
from tokalign.errors import ShapeError

N_TRANSITIONS = len(TRANSITION_NAMES)
N_CHUNKS = 16


class Targets(NamedTuple):
    """Gold links of one pair, as (source, target)."""

    sure: frozenset[tuple[int, int]]  # Gold links. A token without any is to be labelled NULL.
    free: frozenset[tuple[int, int]] = frozenset()  # not gold, but they cost nothing
    # Gold too, but at half the cost of a wrong label. A token with these and no sure links may also
    # be NULL.
    half: frozenset[tuple[int, int]] = frozenset()
    # For a pair about which nothing else is known: wrong links. Every labelling without them is
    # right; the other sets are empty then.
    wrong: frozenset[tuple[int, int]] | None = None


def allowed_states(
    targets: Targets, n_source: int, n_target: int, *, source_labelled: bool
) -> NDArray[np.uint8]:
    """Return the labels that gold allows, and those that cost less than wrong ones.

    `source_labelled`: True for s2t.

    The result is a uint8 array, shape (n_steps, n_states): bit 0 says allowed, bit 1 free of cost,
    bit 2 allowed at half the cost.
    """
    n_steps, n_others = (n_source, n_target) if source_labelled else (n_target, n_source)
    if targets.wrong is not None:
        states = np.ones((n_steps, n_others + 1), dtype=np.uint8)
        for i, j in targets.wrong:
            t, s = (i, j) if source_labelled else (j, i)
            states[t, s + 1] = 0
        return states
    states = np.zeros((n_steps, n_others + 1), dtype=np.uint8)
    for bit, links in zip((1, 2, 4), targets[:3], strict=True):
        for i, j in links:
            t, s = (i, j) if source_labelled else (j, i)
            states[t, s + 1] |= bit
    states[~(states & 1).any(axis=1), 0] |= 1
    return states


class Objective:
    """Callable for an optimiser: flat weights in, loss and gradient out.

    Parameters
    ----------
    targets : sequence of Targets
        One per pair of the matrix.
    corpus : sequence of int
        Number of each pair's corpus, from 0 without gaps.
    l2 : float
        Strength of the penalty ``l2 / 2 * |weights|^2`` on all weights.
    cost : float
        Hamming cost of a wrong label, in nats.
    pairs : int64 array, optional
        The pairs to train on; all by default.
    importance : sequence of float, optional
        Factor of each pair's loss; 1 by default.
    threads : Executor, optional
        Sums the chunks, and stays open; the caller's own thread by default.

    Attributes
    ----------
    shape : tuple of int
        (1 + n_corpora, or 1 for a single corpus; n_columns + 34): weights as a matrix, the shared
        ones first, the transitions last in each row.
    """

    # One sum needs all nine parameters; training fixes six of them for both of its objectives with
    # functools.partial.
    def __init__(
        self,
        matrix: FeatureMatrix,
        targets: Sequence[Targets],
        corpus: Sequence[int],
        *,
        source_labelled: bool,
        l2: float,
        cost: float = 1.0,
        pairs: NDArray[np.int64] | None = None,
        importance: Sequence[float] | None = None,
        threads: Executor | None = None,
    ) -> None:
        self._matrix = matrix
        self._source_labelled = source_labelled
        self._l2 = l2
        self._cost = cost
        lattices = [
            allowed_states(*pair, source_labelled=source_labelled).ravel()
            for pair in zip(
                targets, matrix.n_source.tolist(), matrix.n_target.tolist(), strict=True
            )
        ]
        self._allowed = np.concatenate(lattices)
        self._first_allowed = np.concatenate(
            [[0], np.cumsum([len(lattice) for lattice in lattices])[:-1]]
        ).astype(np.int64)
        self._importance = (
            np.ones(len(matrix)) if importance is None else np.array(importance, float)
        )
        if self._importance.shape != (len(matrix),) or not (self._importance >= 0).all():
            raise ShapeError(
                f"importance has shape {self._importance.shape}; wanted a number of at least 0 "
                f"for each of {len(matrix)} pairs"
            )
        corpora = np.asarray(corpus)
        pairs = np.arange(len(matrix), dtype=np.int64) if pairs is None else pairs
        self._n_corpora = int(corpora.max()) + 1
        self.shape = (1 if self._n_corpora == 1 else 1 + self._n_corpora,
                      len(matrix.slots) + N_TRANSITIONS)  # fmt: skip
        self._chunks = [
            (number, chunk)
            for number in range(self._n_corpora)
            for chunk in np.array_split(pairs[corpora[pairs] == number], N_CHUNKS)
            if len(chunk)
        ]
        self._map = threads.map if threads else map

    def __call__(self, flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Return the loss in nats and its gradient with respect to the flat weights."""
        weights = flat.reshape(self.shape)
        effective = weights if len(weights) == 1 else weights[0] + weights[1:]
        gradient = self._l2 * weights
        loss = 0.5 * self._l2 * float(flat @ flat)
        work = [(effective[number], chunk) for number, chunk in self._chunks]
        for (number, _), (chunk_loss, chunk_gradient) in zip(
            self._chunks, self._map(self._chunk, work), strict=True
        ):
            loss += chunk_loss
            gradient[0] += chunk_gradient
            if len(gradient) > 1:
                gradient[1 + number] += chunk_gradient
        return loss, gradient.ravel()

    def _chunk(
        self, work: tuple[NDArray[np.float64], NDArray[np.int64]]
    ) -> tuple[float, NDArray[np.float64]]:
        weights, pairs = work
        gradient = np.zeros(self.shape[1])
        loss = accumulate(
            self._matrix,
            self._first_allowed,
            self._allowed,
            pairs,
            self._importance,
            self._source_labelled,
            weights,
            self._cost,
            gradient,
        )
        return loss, gradient

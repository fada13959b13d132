"""Bootstrap intervals, and paired tests between two systems on the same pairs.

Pairs are the unit of sampling, as links of one pair are not independent. Everything is seeded.

References
----------
Noreen (1989), Computer-Intensive Methods for Testing Hypotheses (approximate randomisation).
Koehn (2004), EMNLP: Statistical Significance Tests for MT Evaluation (paired bootstrap).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tokalign.errors import ShapeError
from tokalign.evaluate.metrics import Floats, scalar_metrics

_CHUNK_CELLS = 4_000_000


@dataclass(frozen=True, slots=True)
class Comparison:
    """Difference of two systems in one metric.

    Attributes
    ----------
    difference : float
        First minus second.
    low, high : float
        95% paired bootstrap interval of the difference.
    p_value : float
        Two-sided, by approximate randomisation.
    """

    difference: float
    low: float
    high: float
    p_value: float


def bootstrap_intervals(
    counts: Floats, *, n_samples: int = 1000, seed: int = 0
) -> dict[str, tuple[float, float]]:
    """Return the 95% percentile interval of every scalar metric.

    Parameters
    ----------
    counts : float64 array, shape (n_pairs, n_columns)
        See `tokalign.evaluate.metrics.count_pairs`.
    n_samples : int
        Resamples of the pairs, with replacement.
    """
    samples = [scalar_metrics(weights @ counts) for weights in _resamples(counts, n_samples, seed)]
    return {
        name: _interval(np.concatenate([sample[name] for sample in samples])) for name in samples[0]
    }


def p_text(p: float) -> str:
    """Return a p-value as tables show it: what is below .001 is only known to be so.

    Examples
    --------
    >>> p_text(0.0344), p_text(1 / 1001)
    ('0.034', '< .001')
    """
    return "< .001" if p < 0.001 else f"{p:.3f}"


def compare(
    first: Floats, second: Floats, *, n_samples: int = 1000, seed: int = 0
) -> dict[str, Comparison]:
    """Return the difference of two systems on the same pairs, for every scalar metric.

    Parameters
    ----------
    first, second : float64 arrays, shape (n_pairs, n_columns)
        Counts of both systems over the same gold pairs, in the same order.
    n_samples : int
        Resamples for the intervals and, separately, shuffles for the test.

    ShapeError is raised if the two differ in shape.

    A shuffle swaps the two systems' results on each pair with probability 1/2. The p-value is
    (1 + shuffles with a difference at least as large) / (1 + n_samples), so never 0.
    """
    if first.shape != second.shape:
        raise ShapeError(f"counts of shapes {first.shape} and {second.shape}; wanted the same")
    seen = _difference(first.sum(axis=0), second.sum(axis=0))
    resampled = [
        _difference(weights @ first, weights @ second)
        for weights in _resamples(first, n_samples, seed)
    ]
    shuffled = [
        _difference(first.sum(axis=0) - moved, second.sum(axis=0) + moved)
        for moved in (mask @ (first - second) for mask in _masks(len(first), n_samples, seed + 1))
    ]
    result = {}
    for name in seen:
        low, high = _interval(np.concatenate([each[name] for each in resampled]))
        chance = np.abs(np.concatenate([each[name] for each in shuffled]))
        n_larger = int(np.count_nonzero(chance >= abs(seen[name]) - 1e-12))
        result[name] = Comparison(float(seen[name]), low, high, (1 + n_larger) / (1 + n_samples))
    return result


def _difference(first: Floats, second: Floats) -> dict[str, Floats]:
    of_first, of_second = scalar_metrics(first), scalar_metrics(second)
    return {name: np.asarray(of_first[name] - of_second[name]) for name in of_first}


def _resamples(counts: Floats, n_samples: int, seed: int) -> Iterator[Floats]:
    """Yield how often each pair was drawn: float64 arrays, shape (chunk, n_pairs)."""
    generator = np.random.default_rng(seed)
    n_pairs = len(counts)
    for size in _chunks(n_pairs, n_samples):
        yield generator.multinomial(n_pairs, np.full(n_pairs, 1.0 / n_pairs), size).astype(float)


def _masks(n_pairs: int, n_samples: int, seed: int) -> Iterator[Floats]:
    generator = np.random.default_rng(seed)
    for size in _chunks(n_pairs, n_samples):
        yield generator.integers(0, 2, (size, n_pairs)).astype(float)


def _chunks(n_pairs: int, n_samples: int) -> Iterator[int]:
    most = max(1, _CHUNK_CELLS // n_pairs)
    for done in range(0, n_samples, most):
        yield min(most, n_samples - done)


def _interval(values: Floats) -> tuple[float, float]:
    low, high = np.quantile(values, (0.025, 0.975))
    return float(low), float(high)

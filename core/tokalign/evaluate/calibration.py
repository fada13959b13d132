"""Calibration: how far the confidences of links can be read as probabilities.

References
----------
Guo, Pleiss, Sun and Weinberger (2017), ICML: On Calibration of Modern Neural Networks, equations 2
and 3: accuracy and confidence of a bin, and their expected difference.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

from tokalign.errors import InputError, ShapeError, quoted
from tokalign.evaluate.metrics import choose_links
from tokalign.types import GoldPair
from tokalign.types.options import LinkChoice

N_BINS = 10

Judged = tuple[float, bool]
"""Confidence of a predicted link, and whether the link is right."""


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """The predicted links of one range of confidence.

    Attributes
    ----------
    low, high : float
        Confidences from `low` up to and without `high`; the last bin holds 1.
    confidence : float
        Mean over the links.
    right : float
        Share of the links that are right. Calibrated where it equals `confidence`.
    """

    low: float
    high: float
    links: int
    confidence: float
    right: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """Reliability of the confidences of one system's links.

    Attributes
    ----------
    expected_error : float
        Expected calibration error: mean of |right - confidence| over the bins, weighted by links.
    bins : tuple of ReliabilityBin
        Of equal width, by rising confidence; bins without links are left out.
    """

    links: int
    expected_error: float
    bins: tuple[ReliabilityBin, ...]

    def to_json(self) -> dict[str, object]:
        """Return plain values."""
        return asdict(self)


def calibrate(
    gold: Sequence[GoldPair],
    confidences: Sequence[Mapping[tuple[int, int], float]],
    choice: LinkChoice = LinkChoice.SURE,
) -> Calibration:
    """Return the calibration of the confidences of predicted links.

    `confidences`: confidence, in [0, 1], of every predicted link of each pair. `choice`: which
    links are right; links that count neither way are ignored.

    ShapeError is raised if there are not as many predictions as pairs; InputError, if a confidence
    is not in [0, 1].
    """
    return reliability(judge(gold, confidences, choice))


def judge(
    gold: Sequence[GoldPair],
    confidences: Sequence[Mapping[tuple[int, int], float]],
    choice: LinkChoice = LinkChoice.SURE,
) -> list[Judged]:
    """Return confidence and correctness of every predicted link that counts; see `calibrate`."""
    if len(gold) != len(confidences):
        raise ShapeError(f"{len(confidences)} predictions for {len(gold)} gold pairs")
    judged = []
    for pair, predicted in zip(gold, confidences, strict=True):
        wanted, found = choose_links(pair, frozenset(predicted), choice)
        for link in found:
            confidence = predicted[link]
            if not 0.0 <= confidence <= 1.0:
                raise InputError(
                    f"pair {quoted(pair.id)}: link {link[0]}-{link[1]} has confidence "
                    f"{confidence}; wanted a number in [0, 1]"
                )
            judged.append((confidence, link in wanted))
    return judged


def reliability(judged: Iterable[Judged]) -> Calibration:
    """Return the calibration of judged links."""
    sums = [[0, 0.0, 0] for _ in range(N_BINS)]
    for confidence, is_right in judged:
        of_bin = sums[min(int(confidence * N_BINS), N_BINS - 1)]
        of_bin[0] += 1
        of_bin[1] += confidence
        of_bin[2] += is_right
    n_links = sum(int(n) for n, _, _ in sums)
    bins = tuple(
        ReliabilityBin(k / N_BINS, (k + 1) / N_BINS, int(n), total / n, right / n)
        for k, (n, total, right) in enumerate(sums)
        if n
    )
    gap = sum(each.links * abs(each.right - each.confidence) for each in bins)
    return Calibration(n_links, gap / n_links if n_links else 0.0, bins)

"""Measurements of a running server: load steps, percentiles, and the time each part takes."""

from __future__ import annotations

import statistics
import time
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field

from prometheus_client.parser import text_string_to_metric_families
from tokalign.client.load.connection import Outcome
from tokalign.client.load.generator import Extend, Generator, never

N_PARTS = 5
STABLE_SPREAD = 0.2
PERCENTILES = (50, 90, 95, 99, 99.9)
METHODS = {
    "align": "/tokalign.v1.AlignService/Align",
    "batch": "/tokalign.v1.AlignService/BatchAlign",
    "rank": "/tokalign.v1.AlignService/Rank",
}


@dataclass(frozen=True, slots=True)
class Step:
    """One load: open loop where `rate` is given, closed loop of `in_flight` callers otherwise."""

    in_flight: int = 0
    rate: float = 0.0

    def __str__(self) -> str:
        return f"open {self.rate:g}/s" if self.rate else f"closed {self.in_flight}"


@dataclass(slots=True)
class Result:
    """What one step measured.

    Attributes
    ----------
    load : str
    calls, failed : int
        Ended in the measured time, and those of them without an answer.
    calls_per_s, pairs_per_s : float
        Successful ones.
    latency_ms : dict from percentile to float
        Of successful calls, from the intended start.
    failed_latency_ms : float
        Median of the failed calls; 0 without any.
    is_stable : bool
        Whether throughput and median latency stay within a fifth of their means over five parts
        of the window.
    windows : int
        Windows measured; all but the last were not stable.
    queue_ms, compute_ms : float
        Mean time a request waited for a worker, and a shard took in one; 0 without metrics.
    shard_pairs : float
        Mean number of pairs given to a worker at a time; 0 without metrics.
    """

    load: str
    calls: int
    failed: int
    calls_per_s: float
    pairs_per_s: float
    latency_ms: dict[str, float] = field(default_factory=dict)
    failed_latency_ms: float = 0.0
    is_stable: bool = True
    windows: int = 1
    queue_ms: float = 0.0
    compute_ms: float = 0.0
    shard_pairs: float = 0.0

    def to_json(self) -> dict[str, object]:
        """Return the result as plain values."""
        return asdict(self)


def measure(
    generator: Generator,
    step: Step,
    *,
    duration_s: float,
    warm_up_s: float,
    max_windows: int = 1,
    pairs_per_call: int = 1,
    read_metrics: Callable[[], dict[str, float]] = dict,
) -> Result:
    """Return what a step of load measured after its warm-up, in its last window.

    Parameters
    ----------
    generator : Generator
    step : Step
    duration_s, warm_up_s : float
        Of a window, and before the first.
    max_windows : int
        Windows follow one another under unbroken load until one is stable or there are so many.
    pairs_per_call : int
    read_metrics : callable
        Returns the server's samples; see scrape.
    """
    _run(generator, step, warm_up_s)
    windows = _Windows(duration_s, max_windows, read_metrics)
    outcomes = windows.last(_run(generator, step, duration_s, windows.extend))
    before, after = windows.before, read_metrics()
    good = sorted(outcome.latency_s for outcome in outcomes if outcome.is_ok)
    bad = [outcome.latency_s for outcome in outcomes if not outcome.is_ok]
    calls_per_s = len(good) / duration_s
    return Result(
        load=str(step),
        calls=len(outcomes),
        failed=len(bad),
        calls_per_s=calls_per_s,
        pairs_per_s=calls_per_s * pairs_per_call,
        latency_ms={f"p{share:g}": 1000 * percentile(good, share) for share in PERCENTILES},
        failed_latency_ms=1000 * statistics.median(bad) if bad else 0.0,
        is_stable=is_stable(outcomes, windows.start, duration_s),
        windows=windows.count,
        queue_ms=1000 * _mean(before, after, "tokalign_queue_seconds"),
        compute_ms=1000 * _mean(before, after, "tokalign_stage_seconds", "tokalign_shard_pairs"),
        shard_pairs=_mean(before, after, "tokalign_shard_pairs"),
    )


class _Windows:
    """Windows of a load that goes on until one of them is stable.

    Attributes
    ----------
    start : float
        Of the last window, by time.perf_counter.
    before : dict
        The server's samples at that time.
    count : int
    """

    def __init__(
        self, duration_s: float, limit: int, read_metrics: Callable[[], dict[str, float]]
    ) -> None:
        self.count = 1
        self._duration_s = duration_s
        self._limit = limit
        self._read_metrics = read_metrics
        self.before = read_metrics()
        self.start = time.perf_counter()

    def extend(self, outcomes: Sequence[Outcome]) -> float:
        """Return how much longer to go on; a generator.Extend."""
        last = self.last(outcomes)
        if self.count >= self._limit or is_stable(last, self.start, self._duration_s):
            return 0.0
        self.count += 1
        self.before = self._read_metrics()
        self.start += self._duration_s
        return self._duration_s

    def last(self, outcomes: Sequence[Outcome]) -> list[Outcome]:
        """Return the calls meant to start in the last window."""
        return [outcome for outcome in outcomes if outcome.intended_at >= self.start]


def _run(
    generator: Generator, step: Step, duration_s: float, extend: Extend = never
) -> list[Outcome]:
    if duration_s <= 0:
        return []
    if step.rate:
        return generator.open_loop(step.rate, duration_s, extend=extend)
    return generator.closed_loop(step.in_flight, duration_s, extend=extend)


def percentile(ordered: Sequence[float], share: float) -> float:
    """Return the nearest-rank percentile of sorted values, 0 for none.

    Examples
    --------
    >>> percentile([1.0, 2.0, 3.0, 4.0], 50)
    2.0
    """
    if not ordered:
        return 0.0
    rank = -(-len(ordered) * share // 100)
    return ordered[max(0, int(rank) - 1)]


def is_stable(outcomes: Sequence[Outcome], start: float, duration_s: float) -> bool:
    """Return whether answers come as often, and as late, in each part of a window."""
    parts: list[list[float]] = [[] for _ in range(N_PARTS)]
    for outcome in outcomes:
        position = (outcome.intended_at + outcome.latency_s - start) / duration_s
        if outcome.is_ok and 0 <= position < 1:
            parts[int(position * N_PARTS)].append(outcome.latency_s)
    return all(parts) and all(
        _is_even(values)
        for values in ([len(part) for part in parts], [statistics.median(part) for part in parts])
    )


def _is_even(values: Sequence[float]) -> bool:
    mean = statistics.mean(values)
    return max(abs(value - mean) for value in values) <= STABLE_SPREAD * mean


def scrape(url: str) -> dict[str, float]:
    """Return the samples of a /metrics page, summed over labels other than buckets."""
    with urllib.request.urlopen(url, timeout=10) as answer:
        text = answer.read().decode()
    samples: dict[str, float] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            if not sample.name.endswith(("_bucket", "_created")):
                samples[sample.name] = samples.get(sample.name, 0.0) + sample.value
    return samples


def _mean(before: dict[str, float], after: dict[str, float], name: str, per: str = "") -> float:
    """Return the mean of a histogram between two scrapes, `per` another histogram's count."""
    count = f"{per or name}_count"
    n_new = after.get(count, 0.0) - before.get(count, 0.0)
    total = after.get(f"{name}_sum", 0.0) - before.get(f"{name}_sum", 0.0)
    return total / n_new if n_new else 0.0

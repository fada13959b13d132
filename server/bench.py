"""Measurements of a running server: load steps, percentiles, and where the time went."""

from __future__ import annotations

import html
import math
import statistics
import time
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field

from prometheus_client.parser import text_string_to_metric_families
from tokalign.server.loadgen import Extend, Generator, Outcome, never

N_PARTS = 5
STABLE_SPREAD = 0.2
PERCENTILES = (50, 90, 95, 99, 99.9)
METHODS = {
    "align": "/tokalign.v1.AlignService/Align",
    "batch": "/tokalign.v1.AlignService/BatchAlign",
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
        """Return how much longer to go on; a loadgen.Extend."""
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


def table(results: Sequence[Result]) -> str:
    """Return the results as lines of text."""
    head = f"{'load':>14} {'calls/s':>9} {'pairs/s':>9} {'failed':>7}"
    head += "".join(f" {name + ' ms':>9}" for name in ("p50", "p95", "p99"))
    lines = [f"{head} {'queue ms':>9} {'compute ms':>10} {'shard':>6}"]
    for result in results:
        times = "".join(f" {result.latency_ms[name]:9.2f}" for name in ("p50", "p95", "p99"))
        lines.append(
            f"{result.load:>14} {result.calls_per_s:9.0f} {result.pairs_per_s:9.0f} "
            f"{result.failed:7d}{times} {result.queue_ms:9.2f} {result.compute_ms:10.2f} "
            f"{result.shard_pairs:6.1f}" + ("" if result.is_stable else "  not stable")
        )
    return "\n".join(lines)


def page(results: Sequence[Result], title: str) -> str:
    """Return a self-contained HTML page: latency against throughput, and the table."""
    width, height, margin = 720, 400, 60
    x_ticks = _ticks(max((result.calls_per_s for result in results), default=0.0))
    y_ticks = _ticks(max((result.latency_ms["p99"] for result in results), default=0.0))

    def spot(x: float, y: float) -> tuple[float, float]:
        return (
            margin + x / x_ticks[-1] * (width - 2 * margin),
            height - margin - y / y_ticks[-1] * (height - 2 * margin),
        )

    parts = []
    for tick in x_ticks:
        x, y = spot(tick, 0)
        parts.append(f'<path d="M{x:.1f},{y:.1f} V{margin}" stroke="#ddd"/>')
        parts.append(f'<text x="{x:.1f}" y="{y + 18:.1f}" text-anchor="middle">{tick:g}</text>')
    for tick in y_ticks:
        x, y = spot(0, tick)
        parts.append(f'<path d="M{x:.1f},{y:.1f} H{width - margin}" stroke="#ddd"/>')
        parts.append(f'<text x="{x - 6:.1f}" y="{y + 5:.1f}" text-anchor="end">{tick:g}</text>')
    for name, colour in (("p50", "#1b7837"), ("p95", "#e08214"), ("p99", "#b2182b")):
        # In the order of the steps: an overloaded server's line turns back.
        spots = [spot(result.calls_per_s, result.latency_ms[name]) for result in results]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}"/>')
        for (x, y), result in zip(spots, results, strict=True):
            parts.append(
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"><title>{result.load}: '
                f"{name} {result.latency_ms[name]:.2f} ms</title></circle>"
            )
        if spots:
            x, y = spots[-1]
            parts.append(f'<text x="{x + 6:.1f}" y="{y:.1f}" fill="{colour}">{name}</text>')
    parts.append(f'<text x="{width // 2}" y="{height - 14}" text-anchor="middle">calls/s</text>')
    parts.append(f'<text x="6" y="{margin - 20}">latency, ms</text>')
    return (
        f"<!doctype html><meta charset=utf-8><title>{html.escape(title)}</title>"
        f"<style>body{{font:14px sans-serif}}</style><h1>{html.escape(title)}</h1>"
        f'<svg width="{width}" height="{height}">{"".join(parts)}</svg>'
        f"<pre>{html.escape(table(results))}</pre>\n"
    )


def _ticks(largest: float) -> list[float]:
    """Return four to ten round numbers from 0 to at least `largest`.

    Examples
    --------
    >>> _ticks(2300)
    [0, 500, 1000, 1500, 2000, 2500]
    """
    if largest <= 0:
        return [0, 1]
    power = 10 ** math.floor(math.log10(largest))
    step = next(part * power for part in (0.2, 0.5, 1, 2) if largest / (part * power) <= 6)
    step = int(step) if step == int(step) else step
    return [index * step for index in range(math.ceil(largest / step) + 1)]

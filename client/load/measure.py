"""Measurements of a running server: load steps, percentiles, and the time each part takes."""

from __future__ import annotations

import statistics
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from prometheus_client.parser import text_string_to_metric_families
from tokalign.client.load.calls import NO_ANSWER, Outcome
from tokalign.client.load.generator import Extend, Generator

N_PARTS = 5
STABLE_SPREAD = 0.2
PERCENTILES = (50, 90, 95, 99, 99.9)


@dataclass(frozen=True, slots=True)
class Step:
    """One load: open loop where `rate` is given, closed loop of `in_flight` callers otherwise."""

    in_flight: int = 0
    rate: float = 0.0

    def __str__(self) -> str:
        return f"open {self.rate:g}/s" if self.rate else f"closed {self.in_flight}"


@dataclass(slots=True)
class Result:
    """What one step measured: the calls that ended in its window, whenever they began.

    What there is no figure for is None: latencies without an answer, what is in time without a
    deadline, and what the server measures where its metrics were not read.

    Attributes
    ----------
    offered_per_s : float
        Calls that were meant to start in the window.
    calls : int
        That ended in it.
    calls_per_s, pairs_per_s : float
        Answered, in time or not.
    goodput_per_s : float or None
        Calls answered in time.
    refused : int
        That the server had no room for.
    late : int or None
        Answered after the deadline, or given up at it.
    failed : int
        Ended otherwise without an answer, or never ended.
    reasons : dict from str to int
        Of all calls without an answer, as the server names them.
    latency_ms : dict from percentile to float
        Of answered calls, from the intended start.
    failed_latency_ms : float or None
        Median of the calls without an answer.
    is_stable : bool
        Whether throughput and median latency stay within a fifth of their means over five parts
        of the window.
    windows : int
        Windows measured; all but the last were not stable.
    generator_share : float
        Processors that the generator itself took, of this machine's.
    queue_ms, compute_ms : float or None
        Mean time a request waited for a worker, and a shard took in one.
    shard_pairs : float or None
        Mean number of pairs given to a worker at a time.
    """

    load: str
    offered_per_s: float
    calls: int
    calls_per_s: float
    pairs_per_s: float
    goodput_per_s: float | None
    refused: int
    late: int | None
    failed: int
    reasons: dict[str, int]
    latency_ms: dict[str, float | None]
    failed_latency_ms: float | None
    is_stable: bool
    windows: int = 1
    generator_share: float = 0.0
    queue_ms: float | None = None
    compute_ms: float | None = None
    shard_pairs: float | None = None

    @property
    def without_answer(self) -> int:
        """Calls that were not answered, for whatever reason."""
        return sum(self.reasons.values())

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
    read_metrics: Callable[[], dict[str, float]] = dict,
) -> Result:
    """Return what a step of load measured after its warm-up, in its last window.

    Parameters
    ----------
    duration_s, warm_up_s : float
        Of a window, and before the first.
    max_windows : int
        Windows follow the warm-up, and one another, under unbroken load until one is stable or
        there are so many.
    read_metrics : callable
        Returns the server's samples; see scrape.
    """
    windows = _Windows(duration_s, warm_up_s, max_windows, read_metrics)
    outcomes = _run(generator, step, warm_up_s or duration_s, windows.extend)
    result = summary(str(step), outcomes, windows.start, duration_s)
    result.windows = windows.count
    result.generator_share = windows.spent_s / duration_s
    before, after = windows.before, read_metrics()
    if after:
        result.queue_ms = _mean_ms(before, after, "tokalign_queue_seconds")
        shards = "tokalign_shard_pairs"
        result.compute_ms = _mean_ms(before, after, "tokalign_stage_seconds", shards)
        result.shard_pairs = _mean(before, after, shards)
    return result


def summary(load: str, outcomes: Sequence[Outcome], start: float, duration_s: float) -> Result:
    """Return what is known of a window from the outcomes of a load.

    Parameters
    ----------
    load : str
        What to call it.
    outcomes : sequence of Outcome
        Of the window, and of what came before and after it.
    start, duration_s : float
        Of the window, by time.perf_counter.
    """
    stop = start + duration_s
    offered = sum(start <= outcome.intended_at < stop for outcome in outcomes)
    ended = [
        outcome
        for outcome in outcomes
        if start <= outcome.ended_at < stop or outcome.reason == NO_ANSWER
    ]
    answered = [outcome for outcome in ended if outcome.is_ok]
    others = [outcome for outcome in ended if not outcome.is_ok]
    in_time = sum(not outcome.is_late for outcome in answered)
    given_up = sum(outcome.is_late for outcome in others)
    refused = sum(outcome.is_refused for outcome in others)
    has_deadline = any(outcome.kind.timeout_s for outcome in outcomes)
    times = sorted(outcome.latency_s for outcome in answered)
    return Result(
        load=load,
        offered_per_s=offered / duration_s,
        calls=len(ended),
        calls_per_s=len(answered) / duration_s,
        pairs_per_s=sum(outcome.kind.pairs for outcome in answered) / duration_s,
        goodput_per_s=in_time / duration_s if has_deadline else None,
        refused=refused,
        late=len(answered) - in_time + given_up if has_deadline else None,
        failed=len(others) - refused - (given_up if has_deadline else 0),
        reasons=dict(Counter(outcome.reason for outcome in others).most_common()),
        latency_ms={
            f"p{share:g}": 1000 * percentile(times, share) if times else None
            for share in PERCENTILES
        },
        failed_latency_ms=(
            1000 * statistics.median(outcome.latency_s for outcome in others) if others else None
        ),
        is_stable=is_stable(outcomes, start, duration_s),
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
        0 in the warm-up.
    spent_s : float
        Processor time of this process in the last window.
    """

    def __init__(
        self,
        duration_s: float,
        warm_up_s: float,
        limit: int,
        read_metrics: Callable[[], dict[str, float]],
    ) -> None:
        self._duration_s = duration_s
        self._limit = limit
        self._read_metrics = read_metrics
        self.count = 0
        self.start = time.perf_counter() + warm_up_s - duration_s
        self.spent_s = self._spent_before_s = 0.0
        self.before: dict[str, float] = {}
        if not warm_up_s:
            self._begin()

    def extend(self, outcomes: Sequence[Outcome]) -> float:
        """Return how much longer to go on; a generator.Extend."""
        self.spent_s = time.process_time() - self._spent_before_s
        if self.count and (
            self.count >= self._limit or is_stable(outcomes, self.start, self._duration_s)
        ):
            return 0.0
        self._begin()
        return self._duration_s

    def _begin(self) -> None:
        self.count += 1
        self.start += self._duration_s
        self.before = self._read_metrics()
        self._spent_before_s = time.process_time()


def _run(generator: Generator, step: Step, duration_s: float, extend: Extend) -> list[Outcome]:
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
        position = (outcome.ended_at - start) / duration_s
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


def _mean(
    before: dict[str, float], after: dict[str, float], name: str, per: str = ""
) -> float | None:
    """Return the mean of a histogram between two scrapes, `per` another histogram's count."""
    count = f"{per or name}_count"
    n_new = after.get(count, 0.0) - before.get(count, 0.0)
    total = after.get(f"{name}_sum", 0.0) - before.get(f"{name}_sum", 0.0)
    return total / n_new if n_new else None


def _mean_ms(
    before: dict[str, float], after: dict[str, float], name: str, per: str = ""
) -> float | None:
    mean_s = _mean(before, after, name, per)
    return None if mean_s is None else 1000 * mean_s

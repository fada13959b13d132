"""Prometheus collectors that are cheap to count with: counters, histograms, and tallies of callers.

Those of prometheus_client take one or two microseconds each time, for their locks and the walk over
the buckets; a unary call counts ten times. Here one event loop counts, so that counting needs no
lock, and the scrape does the rest of the work.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import accumulate
from typing import Generic, NamedTuple, TypeVar

from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector, CollectorRegistry
from prometheus_client.utils import floatToGoString
from tokalign.server.observe.record import CallRecord

Kept = TypeVar("Kept")


class Series:
    """The observations of one combination of labels."""

    __slots__ = ("_bounds", "counts", "total")

    def __init__(self, bounds: Sequence[float]) -> None:
        self._bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def observe(self, value: float) -> None:
        """Count a value in the first bucket whose bound is not below it."""
        self.counts[bisect_left(self._bounds, value)] += 1
        self.total += value


class Counted:
    """The count of one combination of labels."""

    __slots__ = ("total",)

    def __init__(self) -> None:
        self.total = 0.0

    def inc(self, amount: float = 1) -> None:
        """Count so many."""
        self.total += amount


class _Labelled(Collector, Generic[Kept]):
    """What is kept of each combination of labels; counted by one thread, scraped by any."""

    def __init__(
        self,
        make: Callable[[], Kept],
        name: str,
        help_text: str,
        labels: Sequence[str],
        registry: CollectorRegistry,
    ) -> None:
        self._make = make
        self._name = name
        self._help = help_text
        self._labels = tuple(labels)
        self._series: dict[tuple[str, ...], Kept] = {}
        if not self._labels:
            self.labels()
        registry.register(self)

    def labels(self, *values: str) -> Kept:
        """Return what is kept of some label values. Callers keep it rather than ask again."""
        return self._series.setdefault(values, self._make())


class Counter(_Labelled[Counted]):
    """A counter; ``_total`` is added to its name."""

    def __init__(
        self,
        name: str,
        help_text: str,
        labels: Sequence[str] = (),
        *,
        registry: CollectorRegistry,
    ) -> None:
        super().__init__(Counted, name, help_text, labels, registry)

    def collect(self) -> Iterator[CounterMetricFamily]:
        """Yield the metric as it is now; called at each scrape."""
        family = CounterMetricFamily(self._name, self._help, labels=self._labels)
        for values, count in list(self._series.items()):
            family.add_metric(values, count.total)
        yield family


class Histogram(_Labelled[Series]):
    """A histogram.

    Parameters
    ----------
    buckets : sequence of float
        Upper bounds, inclusive, rising; +Inf is added.
    """

    def __init__(
        self,
        name: str,
        help_text: str,
        labels: Sequence[str] = (),
        *,
        buckets: Sequence[float],
        registry: CollectorRegistry,
    ) -> None:
        self._bounds = tuple(map(float, buckets))
        super().__init__(partial(Series, self._bounds), name, help_text, labels, registry)

    def collect(self) -> Iterator[HistogramMetricFamily]:
        """Yield the metric as it is now; called at each scrape."""
        family = HistogramMetricFamily(self._name, self._help, labels=self._labels)
        names = [*map(floatToGoString, self._bounds), "+Inf"]
        for values, series in list(self._series.items()):
            buckets = list(zip(names, accumulate(series.counts), strict=True))
            family.add_metric(values, buckets, series.total)
        yield family


class Used(NamedTuple):
    """What one caller has used, or a part of it."""

    calls: int = 0
    failed: int = 0
    pairs: int = 0
    cost: int = 0


class Usage(Collector):
    """Tallies of ended calls. One dictionary, since counters of the library cost more per call.

    Callers are those of the token file and models those that were loaded, so their number is
    bounded.
    """

    def __init__(self) -> None:
        self._tallies: dict[tuple[str, str, str], list[int]] = {}

    def add(self, call: CallRecord) -> None:
        """Count a call that has ended."""
        key = call.caller, call.model, call.reason
        tally = self._tallies.get(key)
        if tally is None:
            tally = self._tallies[key] = [0, 0, 0]
        tally[0] += 1
        tally[1] += call.pairs
        tally[2] += call.cost

    def by_caller(self) -> dict[str, Used]:
        """Return what each caller has used since the start."""
        found: dict[str, Used] = {}
        for (caller, _, reason), (calls, pairs, cost) in list(self._tallies.items()):
            before = found.get(caller, Used())
            failed = before.failed + (calls if reason else 0)
            found[caller] = Used(
                before.calls + calls, failed, before.pairs + pairs, before.cost + cost
            )
        return found

    def collect(self) -> Iterator[CounterMetricFamily]:
        """Yield the metrics; called in the thread of a scrape."""
        names = ("calls", "pairs", "cost")
        texts = (
            "Calls ended, by caller, model and reason of the error; empty where there is none.",
            "Pairs of those calls that workers were given.",
            "What those cost, in typical pairs.",
        )
        tallies = list(self._tallies.items())
        for place, (name, text) in enumerate(zip(names, texts, strict=True)):
            family = CounterMetricFamily(
                f"tokalign_usage_{name}", text, labels=("caller", "model", "reason")
            )
            for labels, tally in tallies:
                family.add_metric(labels, tally[place])
            yield family

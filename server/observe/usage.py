"""Calls, pairs and cost by caller and model, as metrics and for the status."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from prometheus_client.core import CounterMetricFamily
from prometheus_client.registry import Collector
from tokalign.server.observe.record import CallRecord


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

"""Measurements for readers: lines of text."""

from __future__ import annotations

import os
from collections.abc import Sequence

from tokalign.client.load.measure import Result

BUSY_SHARE = 0.9
"""Of a processor; a generator that takes more sends less than it was told to."""
_COLUMNS = ("offered/s", "calls/s", "in time/s", "pairs/s", "refused", "late", "failed")
_TIMES = ("p50", "p95", "p99")


def table(results: Sequence[Result]) -> str:
    """Return the results as lines of text; "-" stands where there is no figure."""
    times = [f"{name} ms" for name in _TIMES]
    names = [*_COLUMNS, *times, "queue ms", "compute ms", "shard", "generator"]
    head = f"{'load':>14}" + "".join(f" {name:>{_width(name)}}" for name in names)
    lines = [head]
    for result in results:
        cells = [
            f"{result.offered_per_s:.0f}",
            f"{result.calls_per_s:.0f}",
            _cell(result.goodput_per_s, 0),
            f"{result.pairs_per_s:.0f}",
            str(result.refused),
            _cell(result.late, 0),
            str(result.failed),
            *[_cell(result.latency_ms[name], 2) for name in _TIMES],
            _cell(result.queue_ms, 2),
            _cell(result.compute_ms, 2),
            _cell(result.shard_pairs, 1),
            f"{result.generator_share:.0%}",
        ]
        line = f"{result.load:>14}" + "".join(
            f" {cell:>{_width(name)}}" for name, cell in zip(names, cells, strict=True)
        )
        lines.append(line + ("" if result.is_stable else "  not stable"))
    for result in results:
        if result.reasons:
            counts = ", ".join(f"{reason} {count}" for reason, count in result.reasons.items())
            lines.append(f"{result.load} without an answer: {counts}")
    lines.append(of_generator(results))
    return "\n".join(lines)


def of_generator(results: Sequence[Result]) -> str:
    """Return what the generator itself took, and what that does to the figures."""
    most = max((result.generator_share for result in results), default=0.0)
    note = (
        f"The generator took up to {most:.0%} of one of this machine's {os.cpu_count()} "
        "processors. A server on the same machine lacks that: with a lighter generator it gets as "
        "much more."
    )
    if most > BUSY_SHARE:
        note += " It was the limit itself: use several, on other machines."
    return note


def _cell(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _width(name: str) -> int:
    return max(len(name), 7)

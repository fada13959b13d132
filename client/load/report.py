"""Measurements for readers: lines of text, and a page with a plot."""

from __future__ import annotations

import html
import math
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


def page(results: Sequence[Result], title: str) -> str:
    """Return a self-contained HTML page: latency against throughput, and the table."""
    width, height, margin = 720, 400, 60
    x_ticks = _ticks(max((result.calls_per_s for result in results), default=0.0))
    answered = [result for result in results if result.calls_per_s]
    y_ticks = _ticks(max((result.latency_ms["p99"] or 0.0 for result in answered), default=0.0))

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
        at_ms = [result.latency_ms[name] or 0.0 for result in answered]
        spots = [spot(result.calls_per_s, y) for result, y in zip(answered, at_ms, strict=True)]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}"/>')
        for (x, y), result, ms in zip(spots, answered, at_ms, strict=True):
            parts.append(
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"><title>{result.load}: '
                f"{name} {ms:.2f} ms</title></circle>"
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

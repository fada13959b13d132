"""Measurements for readers: lines of text, and a page with a plot."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

from tokalign.client.load.measure import Result


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

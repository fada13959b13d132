"""Run the attacks and judge the promises: python -m bench.attack [--only NAME,NAME] [--short]."""

from __future__ import annotations

import argparse
import json
import os
import sys

from bench.attack import families, trial  # noqa: F401  (families registers the rows)
from bench.attack.rows import ROWS

MOST_REST_S = 10.0
"""Of the caller alone, before and after an attack: 250 calls, of which p99 is the third slowest."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.attack", description=__doc__)
    parser.add_argument("--only", default="", help="names of rows, with commas between them")
    parser.add_argument("--seconds", type=float, default=3.0, help="longest time of an attack")
    parser.add_argument("--short", action="store_true", help="fewer rows")
    parser.add_argument(
        "--front", action="store_true", help="strangers' rows behind Envoy with deploy/envoy.yaml"
    )
    parser.add_argument("--list", action="store_true", help="list the rows and end")
    parser.add_argument("--json", action="store_true", help="print each row as an object, too")
    arguments = parser.parse_args()
    names = [name for name in arguments.only.split(",") if name]
    if unknown := [name for name in names if name not in ROWS]:
        parser.error(f"no row {', '.join(unknown)}; there are {', '.join(ROWS)}")
    rows = [ROWS[name] for name in names or ROWS]
    if arguments.short and not names:
        rows = [row for row in rows if row.is_short]
    if arguments.front:
        rows = [row for row in rows if row.goes_in_front]
    if arguments.list:
        for row in rows:
            print(f"{row.name} ({row.review}): {row.does}. Held by: {row.by}.")
        return 0
    seconds = arguments.seconds
    rest_s = min(MOST_REST_S, seconds / 2)
    print(f"{os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f}; MiB of the server's own")
    print("process and of its largest worker; the caller's p99, before the attack being 1\n")
    mib = "".join(f" {name:>6}" for name in ("before", "peak", "after", "worker"))
    print(f"{'row':22}{mib} {'during':>7} {'after':>7} {'calls':>6} {'lost':>5}", flush=True)
    results = []
    for row in rows:
        result = trial.run(row, seconds, rest_s, arguments.front)
        results.append(result)
        print(line(result), flush=True)
        if arguments.json:
            print(json.dumps(shown(result, arguments.front)), flush=True)
    n_broken = sum(bool(result.broken) for result in results)
    print(f"\n{len(results)} rows, {n_broken} with a broken promise")
    return 1 if n_broken else 0


def shown(result: trial.Result, is_front: bool) -> dict[str, object]:
    """Return the figures of a result: MiB, the ratio of the caller's p99, its calls."""
    before, peak = (result.own_mib.get(phase, 0.0) for phase in ("before", "peak"))
    front = result.front_mib
    return {
        "row": result.row,
        "front": is_front,
        "peak_mib": peak,
        "grown_mib": peak - before,
        "front_mib": front.get("peak", 0.0) - front.get("before", 0.0),
        "worker_mib": result.worker_mib,
        "ratio": result.p99_ratio("during"),
        "calls": result.calls,
        "lost": sum(result.lost.values()),
        "broken": len(result.broken),
    }


def line(result: trial.Result) -> str:
    """Return a result as one line of the table, and one for each promise that was broken."""
    mib = [result.own_mib.get(phase, 0.0) for phase in ("before", "peak", "after")]
    numbers = " ".join(f"{value:6.0f}" for value in (*mib, result.worker_mib))
    ratios = " ".join(f"{result.p99_ratio(phase):6.1f}x" for phase in ("during", "after"))
    text = f"{result.row:22} {numbers} {ratios} {result.calls:6d} {sum(result.lost.values()):5d}"
    notes = [f"{name}: {count}" for name, count in result.notes.items()]
    if result.front_mib.get("peak"):
        front = result.front_mib
        notes.append(f"MiB of the layer in front: {front['before']:.0f}, {front['peak']:.0f}")
    notes += [f"workers replaced: {result.restarts}"] if result.restarts else []
    notes += [f"lost, {key}: {count}" for key, count in result.lost.items()]
    text += f"\n    {'; '.join(notes)}" if notes else ""
    return text + "".join(f"\n    BROKEN: {broken}" for broken in result.broken)


if __name__ == "__main__":
    sys.exit(main())

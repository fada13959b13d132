"""What a model takes to load and then holds: in a fresh process, and in a server's workers.

    python -m bench.loading [--models en,en-neural,en-neural-large] [--json]

Goals: to see what a deployment has to plan for, and that a model that is large to load is not large
to hold. Least of three fresh processes by processor time; a server with two workers, whose largest
has answered a batch of sentences and a pair of 500 words a side.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time

import grpc
from tokalign.load import procfs
from tokalign.v1 import align_pb2, align_pb2_grpc

from bench import serving
from bench.limit import START, STARTS, Output, machine

PAIRS = 200
LONGEST = 500
TIMEOUT_S = 120


def alone(model: str) -> dict[str, float]:
    """Return seconds and MiB of a fresh process that loads a model and aligns a pair."""
    runs = [
        json.loads(subprocess.check_output([sys.executable, "-c", START, model]))
        for _ in range(STARTS)
    ]
    best = min(runs, key=lambda run: run["cpu_ms"])
    return {
        "load_s": (best["import_ms"] + best["load_ms"]) / 1e3,
        "wall_s": best["wall_ms"] / 1e3,
        "peak_mib": best["peak_mib"],
        "resident_mib": best["resident_mib"],
    }


def served(model: str) -> dict[str, float]:
    """Return seconds until a server with two workers is ready, and what a worker then holds."""
    words = [w for pair in serving.sample()[:200] for w in pair.source.text.split() if w.isalpha()]
    long = " ".join(words[:LONGEST])
    pairs = [
        *serving.sample()[:PAIRS],
        align_pb2.Pair(source={"text": long}, target={"text": long}),
    ]
    began = time.monotonic()
    server = serving.serve("--model", model)
    ready_s = time.monotonic() - began
    with grpc.insecure_channel(server.address) as channel:
        answer = align_pb2_grpc.AlignServiceStub(channel).BatchAlign(
            align_pb2.BatchAlignRequest(pairs=pairs), timeout=TIMEOUT_S
        )
    failed = [result.status.message for result in answer.results if result.status.code]
    worker_mib = max(map(procfs.resident_mib, procfs.descendants(server.process.pid)))
    server.stop()
    if failed:
        raise SystemExit(f"WRONG: {len(failed)} pairs failed: {failed[0]}")
    return {"ready_s": ready_s, "worker_mib": worker_mib}


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--models", default="en,en-neural,en-neural-large")
    parser.add_argument("--json", action="store_true", help="print JSON objects besides")
    arguments = parser.parse_args()
    output = Output(is_json=arguments.json)
    output.row(machine(), "machine", machine=machine())
    for model in arguments.models.split(","):
        own, its = alone(model), served(model)
        output.row(
            f"{model}: loaded in {own['load_s']:.2f} s of processor time, {own['wall_s']:.2f} by "
            f"the clock, at most {own['peak_mib']:.0f} MiB, then {own['resident_mib']:.0f}; a "
            f"server with two workers ready in {its['ready_s']:.1f} s, a worker after load "
            f"{its['worker_mib']:.0f} MiB",
            "loading", model=model, **own, **its,
        )  # fmt: skip


if __name__ == "__main__":
    main()

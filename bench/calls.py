"""Where the processor time of a unary call goes: grpc, the server's own code, and a worker.

    python -m bench.calls [--seconds 4]

A server with one worker, 64 calls in flight, and a server that answers the same bytes and does
nothing else take turns of one run on made pairs; then a worker's engine runs in this process, on
shards as large as the worker's were. Prints an object for each part of a call, with the medians of
the turns. All is processor time, which other work on the machine distorts least.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import statistics
import time

from tokalign.codec import decode_options
from tokalign.server.config import RequestLimits
from tokalign.server.workers import aligners, frames
from tokalign.server.workers.engine import STAGES, AlignerEngine, EngineSettings
from tokalign.v1 import align_pb2

from bench import serving
from bench.made_pairs import make_pairs

TURNS = 5
OPTIONS = decode_options(align_pb2.AlignOptions(), model="en", annotator="native")


def stages_us(engine: AlignerEngine, pairs: list[bytes], size: int) -> dict[str, float]:
    """Return the microseconds of each stage of a pair, in shards of a size."""
    shards = [
        [frames.Run(OPTIONS, b"", tuple(pairs[k : k + size]))] for k in range(0, len(pairs), size)
    ]
    by_clock = dict.fromkeys(STAGES, 0.0)
    began = time.process_time()
    for runs in shards:
        for name, seconds in engine.run(runs)[1].items():
            by_clock[name] += seconds
    us = 1e6 * (time.process_time() - began) / len(pairs)
    # Stages are timed by the clock, which beside other work goes on while the process waits.
    return {name: us * spent / sum(by_clock.values()) for name, spent in by_clock.items()}


def turn(
    run: serving.Bench, server: serving.ServerProcess, engine: AlignerEngine, pairs: list[bytes]
) -> dict[str, float]:
    """Return the microseconds per call of each part."""
    with contextlib.redirect_stdout(io.StringIO()):
        run.beside_echo(server)
    echo, load = run.cpu("echo"), run.loads["align"]
    spent = load["cpu_us_per_pair"]
    stages = stages_us(engine, pairs, max(1, round(load["shard_pairs"])))
    return {
        "echo": echo,
        "server": spent["server"] - echo,
        **stages,
        "passing": spent["workers"] - sum(stages.values()),
        "call": spent["server"] + spent["workers"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=4.0, help="of a load")
    arguments = parser.parse_args()
    sides = ([" ".join(side) for side in pair] for pair in make_pairs(500, seed=1))
    messages = [align_pb2.Pair(source={"text": a}, target={"text": b}) for a, b in sides]
    pairs = [each.SerializeToString() for each in messages]
    engine = aligners.load(EngineSettings(("en",), ("native",), RequestLimits()))
    stages_us(engine, pairs, 16)  # words are known from now on, as they are in the worker
    server = serving.serve(workers=1)
    run = serving.Bench(messages, arguments.seconds, serving.PAIRS)
    turns = [turn(run, server, engine, pairs) for _ in range(TURNS)]
    server.stop()
    if run.wrong:
        raise SystemExit(f"WRONG: {run.wrong}")
    medians = {part: statistics.median(each[part] for each in turns) for part in turns[0]}
    for part, us in medians.items():
        print(json.dumps({"part": part, "us": us, "echoes": us / medians["echo"]}), flush=True)


if __name__ == "__main__":
    main()

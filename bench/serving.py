"""Serving figures: throughput, an echo server beside it, overload, and fairness.

Goals: at least 2,500 unary calls/s and 5,000 pairs/s in batches on two cores; p99 below 10 ms at
half of that; goodput of 90% at three times the capacity with refusals within 10 ms; a lone call's
p99 at most tripled by a batch of 10,000 pairs. CPU per call is the figure that a busy machine
does not distort; the load average is printed beside the rest.

Usage: python bench/serving.py [--duration 8] [--json FILE]
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import threading
import time
from pathlib import Path

import grpc
from tokalign.server import bench
from tokalign.server.loadgen import Generator
from tokalign.v1 import align_pb2, align_pb2_grpc

ROOT = Path(__file__).resolve().parents[1]
SERVE = "from tokalign.cli.main import main; main()"
ECHO = """
import asyncio, sys, grpc, grpc.aio, uvloop
from tokalign.server.calls import Calls
from tokalign.server.metrics import Metrics
from tokalign.v1 import align_pb2
ANSWER = open(sys.argv[1], "rb").read()
async def align(data, context):
    align_pb2.AlignRequest.FromString(data)
    return ANSWER
async def main():
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    method = grpc.unary_unary_rpc_method_handler(Calls(Metrics()).unary("s", "Align", align))
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler("tokalign.v1.AlignService", {"Align": method}),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(f"listening on 127.0.0.1:{port}", file=sys.stderr, flush=True)
    await server.wait_for_termination()
uvloop.run(main())
"""


class Server:
    """A server in a process of its own."""

    def __init__(self, *command):
        self.process = subprocess.Popen(
            [sys.executable, "-c", *command], stderr=subprocess.PIPE, text=True
        )
        self.metrics = self.admin = ""
        for line in self.process.stderr:
            if line.startswith("listening on "):
                self.address = line.split()[-1]
                break
            if '"event": "metrics"' in line:
                self.metrics = f"http://127.0.0.1:{json.loads(line)['port']}/metrics"
            if '"event": "admin"' in line:
                self.admin = f"127.0.0.1:{json.loads(line)['port']}"
        else:
            raise SystemExit("the server did not start")
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def family(self):
        """Processor ticks by process id, of the server and everything below it."""
        parents, ticks = {}, {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    fields = (entry / "stat").read_text().rpartition(")")[2].split()
                except (FileNotFoundError, ProcessLookupError):
                    continue
                parents[int(entry.name)] = int(fields[1])
                ticks[int(entry.name)] = int(fields[11]) + int(fields[12])
        family, todo = set(), {self.process.pid}
        while todo:
            family |= todo
            todo = {pid for pid, parent in parents.items() if parent in todo}
        return {pid: ticks[pid] for pid in family if pid in ticks}

    def cpu_s(self):
        """Processor seconds of the server and everything below it."""
        return sum(self.family().values()) / os.sysconf("SC_CLK_TCK")

    def stop(self):
        self.process.terminate()
        self.process.wait(30)


def serve(*flags):
    return Server(SERVE, "serve", "--port", "0", "--metrics-port", "0", "--workers", "2", *flags)


def sample():
    lines = (ROOT / "tests/data/sample.jsonl").read_text().splitlines()
    return [
        align_pb2.Pair(
            source={"text": pair["source"]["text"]}, target={"text": pair["target"]["text"]}
        )
        for pair in map(json.loads, lines)
    ]


def singles(pairs):
    return [align_pb2.AlignRequest(pair=pair).SerializeToString() for pair in pairs]


def batch(pairs, size):
    repeated = [pairs[index % len(pairs)] for index in range(size)]
    return align_pb2.BatchAlignRequest(pairs=repeated)


def run(server, method, bodies, step, duration, pairs_per_call=1):
    generator = Generator(server.address, bench.METHODS[method], bodies)
    cpu = server.cpu_s()
    result = bench.measure(
        generator,
        step,
        duration_s=duration,
        warm_up_s=1.0,
        pairs_per_call=pairs_per_call,
        read_metrics=(lambda: bench.scrape(server.metrics)) if server.metrics else dict,
    )
    generator.close()
    cpu_us = 1e6 * (server.cpu_s() - cpu) / max(1, result.calls) * duration / (duration + 1.0)
    return result, cpu_us / pairs_per_call


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--duration", type=float, default=8.0)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    duration, pairs, figures = arguments.duration, sample(), {}

    def report(name, result, cpu_us):
        figures[name] = result.to_json() | {"cpu_us_per_pair": cpu_us}
        print(f"{name}: {cpu_us:.0f} us of CPU a pair\n{bench.table([result])}\n", flush=True)
        return result

    machine = f"{platform.machine()}, {os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f}"
    print(machine, flush=True)
    figures["machine"] = machine

    server = serve()
    with grpc.insecure_channel(server.address) as channel:
        answer = align_pb2_grpc.AlignServiceStub(channel).Align(
            align_pb2.AlignRequest(pair=pairs[0])
        )
    body = ROOT / "build" / "echo.bin"
    body.parent.mkdir(exist_ok=True)
    body.write_bytes(answer.SerializeToString())
    echo = Server(ECHO, str(body))
    one = singles(pairs)
    report("echo", *run(echo, "align", one, bench.Step(in_flight=64), duration))
    unary = report("align", *run(server, "align", one, bench.Step(in_flight=64), duration))
    ratio = figures["align"]["cpu_us_per_pair"] / figures["echo"]["cpu_us_per_pair"]
    print(f"CPU a call, align to echo: {ratio:.2f}\n")
    figures["cpu_ratio_to_echo"] = ratio
    report(
        "align at half load",
        *run(server, "align", one, bench.Step(rate=unary.calls_per_s / 2), duration),
    )
    size = 500
    bodies = [batch(pairs, size).SerializeToString()]
    report("batch of 500", *run(server, "batch", bodies, bench.Step(in_flight=4), duration, size))
    fairness(server, pairs, one, duration, unary.calls_per_s / 4, report)
    server.stop()
    echo.stop()
    overload(one, duration, unary.calls_per_s, report)
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=1) + "\n")


def fairness(server, pairs, one, duration, rate, report):
    """Single calls on a server busy with batches of 100, then with one of 10,000 instead."""
    step = bench.Step(rate=rate)
    p99 = {}
    for name, size, callers in (("100", 100, 2), ("10,000", 10_000, 1)):
        stop = threading.Event()
        busy = [
            threading.Thread(target=keep_busy, args=(server.address, batch(pairs, size), stop))
            for _ in range(callers)
        ]
        for thread in busy:
            thread.start()
        label = f"align beside batches of {name}"
        p99[name] = report(label, *run(server, "align", one, step, duration)).latency_ms["p99"]
        stop.set()
        for thread in busy:
            thread.join()
    print(f"p99 beside a batch of 10,000 to that beside 100: {p99['10,000'] / p99['100']:.2f}\n")


def keep_busy(address, request, stop):
    options = [("grpc.max_receive_message_length", -1)]
    with grpc.insecure_channel(address, options=options) as channel:
        stub = align_pb2_grpc.AlignServiceStub(channel)
        while not stop.is_set():
            stub.BatchAlign(request)


def overload(one, duration, capacity, report):
    """Three times the capacity in an open loop, then a moderate load at once after it."""
    server = serve("--queue-pairs", "200", "--max-pairs", "100")
    step = bench.Step(rate=3 * capacity)
    result = report("align at three times capacity", *run(server, "align", one, step, duration))
    print(
        f"goodput {result.calls_per_s / capacity:.0%} of capacity, refused in "
        f"{result.failed_latency_ms:.1f} ms (median)\n"
    )
    time.sleep(1.0)
    after = bench.Step(rate=capacity / 3)
    report("align one second later", *run(server, "align", one, after, duration))
    server.stop()


if __name__ == "__main__":
    main()

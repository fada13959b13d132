"""Serving figures: throughput, an echo server beside it, overload, and fairness.

Goals: at least 2,500 unary calls/s and 5,000 pairs/s in batches on two cores; p99 below 10 ms at
half of that; goodput of 90% at three times the capacity with refusals within 10 ms; a lone call's
p99 at most tripled by a batch of 10,000 pairs, and by batches of pairs of any length. Processor
time per call, of the server's own process and of its workers, is what a busy machine distorts
least; the load average is printed beside it.

The pairs are bench/pairs.tsv, sentences written for this purpose with the lengths of RTE2's, or
those of --input. Speed does not decide the exit code: it is 1 where a call got no answer, or a
status that this load does not explain.

Usage: python bench/serving.py [--duration 8] [--input FILE.tsv] [--json FILE]
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from pathlib import Path

import grpc
from prometheus_client.parser import text_string_to_metric_families
from tokalign.load import measure, report
from tokalign.load.generator import Generator
from tokalign.load.process import FREE_PORTS, SERVE, TOKALIGN, ServerProcess
from tokalign.server.requests import cost
from tokalign.types.options import AlignOptions
from tokalign.v1 import align_pb2, align_pb2_grpc

ROOT = Path(__file__).resolve().parents[1]
PAIRS = ROOT / "bench/pairs.tsv"
ECHO = """
import sys, grpc, grpc.aio, uvloop
ANSWER = open(sys.argv[1], "rb").read()
async def align(data, context):
    return ANSWER
async def main():
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    handlers = {"Align": grpc.unary_unary_rpc_method_handler(align)}
    handler = grpc.method_handlers_generic_handler("tokalign.v1.AlignService", handlers)
    server.add_generic_rpc_handlers((handler,))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(f"listening on 127.0.0.1:{port}", file=sys.stderr, flush=True)
    await server.wait_for_termination()
uvloop.run(main())
"""
IN_FLIGHT = 64
BATCH = 500
LARGE_BATCH = 10_000
LARGE_ANSWERS = ("--max-response-mib", "32")
LENGTHS = (30, 60, 100, 150, 200, 300, 500)
LONG_BATCH_COST = 8_000
FEW_IN_FLIGHT = (1, 8)
ASKED_RATES = (500, 1000, 1250)
OVERLOAD = 3
TURNS = 3
QUEUES = {"as shipped": (), "queue of 200 pairs": ("--queue-pairs", "200", "--max-pairs", "100")}
LOST_AFTER_MS = 30_000


def start(*command):
    """Start a server and return it once it serves."""
    server = ServerProcess(command)
    server.wait_listening()
    return server


def serve(*flags, workers=2):
    """Start `tokalign serve` on free ports."""
    return start(*SERVE, *FREE_PORTS, "--workers", str(workers), *flags)


def codes(server):
    """Calls that have ended, by status code."""
    with urllib.request.urlopen(f"{server.metrics_url}/metrics", timeout=10) as answer:
        families = text_string_to_metric_families(answer.read().decode())
    ended = Counter()
    for family in families:
        for each in family.samples:
            if each.name == "grpc_server_handled_total":
                ended[each.labels["grpc_code"]] += each.value
    return ended


def sample(path=PAIRS):
    """Return the pairs of a file, and every second source again with its neighbours' targets.

    So there are twice as many pairs and more pairs of words than a worker remembers.
    """
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    targets = [target for _, target in rows]
    for index, (source, _) in enumerate(rows[: len(targets)] if path == PAIRS else []):
        others = targets[index - 1 : index] if index % 2 else targets[index - 2 : index]
        rows.append([source, " ".join(others or targets[-1:])])
    return [align_pb2.Pair(source={"text": row[0]}, target={"text": row[1]}) for row in rows]


def singles(pairs):
    return [align_pb2.AlignRequest(pair=pair).SerializeToString() for pair in pairs]


def batch(pairs, size):
    repeated = [pairs[index % len(pairs)] for index in range(size)]
    return align_pb2.BatchAlignRequest(pairs=repeated)


class Bench:
    """Runs the loads, prints and keeps the figures, and notes what should not have happened."""

    def __init__(self, pairs, duration, path):
        self.loads = {}
        self.ratios = {}
        self.wrong = []
        self.pairs = pairs
        self.one = singles(pairs)
        self.duration = duration
        self.path = path

    def run(self, name, server, step, *, method="align", bodies=None, size=1):
        """Measure one load and return its Result."""
        generator = Generator(server.address, measure.METHODS[method], bodies or self.one)
        measure.measure(generator, step, duration_s=1.0, warm_up_s=0.0)
        refused = -self.refused(server)
        before, generator_before = server.cpu_s(), time.process_time()
        result = measure.measure(
            generator,
            step,
            duration_s=self.duration,
            warm_up_s=0.0,
            pairs_per_call=size,
            read_metrics=(lambda: measure.scrape(f"{server.metrics_url}/metrics"))
            if server.log
            else dict,
        )
        generator.close()
        spent = [after - start for after, start in zip(server.cpu_s(), before, strict=True)]
        spent.append(time.process_time() - generator_before)
        n_pairs = max(1.0, result.pairs_per_s * self.duration)
        names = ("server", "workers", "generator")
        cpu = {key: 1e6 * value / n_pairs for key, value in zip(names, spent, strict=True)}
        self.loads[name] = result.to_json() | {"cpu_us_per_pair": cpu}
        times = ", ".join(f"{key} {value:.0f}" for key, value in cpu.items())
        print(f"{name}; CPU us per pair: {times}\n{report.table([result])}\n", flush=True)
        refused += self.refused(server)
        if result.failed > refused:
            self.wrong.append(f"{name}: {result.failed} calls failed and {refused} were refused")
        return result

    def refused(self, server):
        """Return how many calls the server's queue has refused; other failures are wrong."""
        ended = codes(server) if server.log else {}
        refused = int(ended.pop("RESOURCE_EXHAUSTED", 0))
        if set(ended) - {"OK"}:
            self.wrong.append(f"codes {ended}; wanted only OK and RESOURCE_EXHAUSTED")
        return refused

    def ratio(self, name, value, text):
        """Keep and print a ratio."""
        self.ratios[name] = value
        print(f"{text}: {value:.2f}\n", flush=True)

    def cpu(self, name):
        """Return the processor time per pair of a load, the generator's left out."""
        spent = self.loads[name]["cpu_us_per_pair"]
        return spent["server"] + spent["workers"]

    def beside_echo(self, server):
        """Measure an echo of one of the server's answers, then single calls, and their ratio."""
        with grpc.insecure_channel(server.address) as channel:
            answer = align_pb2_grpc.AlignServiceStub(channel).Align(
                align_pb2.AlignRequest(pair=self.pairs[0])
            )
        body = ROOT / "build" / "echo.bin"
        body.parent.mkdir(exist_ok=True)
        body.write_bytes(answer.SerializeToString())
        echo = start(sys.executable, "-c", ECHO, str(body))
        closed = measure.Step(in_flight=IN_FLIGHT)
        self.run("echo", echo, closed)
        echo.stop()
        align = self.run("align", server, closed)
        self.ratio(
            "cpu_align_to_echo", self.cpu("align") / self.cpu("echo"), "CPU per call, align to echo"
        )
        return align

    def batches(self, name, server):
        """Measure large batches, two at a time."""
        bodies = [batch(self.pairs, BATCH).SerializeToString()]
        few = measure.Step(in_flight=2)
        return self.run(name, server, few, method="batch", bodies=bodies, size=BATCH)

    def throughput(self):
        """Echo, then single calls and batches, some of them larger than default clients take."""
        server = serve(*LARGE_ANSWERS)
        align = self.beside_echo(server)
        for callers in FEW_IN_FLIGHT:
            self.run(f"align, {callers} in flight", server, measure.Step(in_flight=callers))
        self.run("align at half load", server, measure.Step(rate=align.calls_per_s / 2))
        for rate in ASKED_RATES:
            self.run(f"align at {rate}/s", server, measure.Step(rate=rate))
        many = self.batches("batch", server)
        self.fairness(server)
        self.long_pairs(server)
        server.stop()
        single = serve(workers=1)
        name = "align, one worker"
        lone = self.run(name, single, measure.Step(in_flight=IN_FLIGHT))
        self.ratio("align_1_to_2", lone.calls_per_s / align.calls_per_s, "align, 1 worker to 2")
        lone = self.batches("batch, one worker", single)
        self.ratio("batch_1_to_2", lone.pairs_per_s / many.pairs_per_s, "batch, 1 worker to 2")
        single.stop()

    def fairness(self, server):
        """A lone caller on a server busy with single calls, then with a large batch as well."""
        lone = measure.Step(in_flight=1)
        seconds = str(self.duration + 4.0)
        load = [*TOKALIGN, "bench", "--server", server.address]
        load += ["--input", str(self.path), "--duration", seconds, "--warm-up", "0"]
        crowd = [*load, "--in-flight", str(IN_FLIGHT)]
        bulk = [*load, "--method", "batch", "--pairs", str(LARGE_BATCH), "--in-flight", "1"]
        p99 = []
        for name, others in (
            ("lone call, busy server", [crowd]),
            (f"lone call, and a batch of {LARGE_BATCH}", [crowd, bulk]),
        ):
            running = [subprocess.Popen(each, stdout=subprocess.DEVNULL) for each in others]
            time.sleep(2.0)
            p99.append(self.run(name, server, lone).latency_ms["p99"])
            for process in running:
                if process.wait() != 0:
                    self.wrong.append(f"{name}: the load beside it failed")
        text = f"p99 of a lone call with a batch of {LARGE_BATCH}, to that without"
        self.ratio("p99_with_large_batch", p99[1] / p99[0], text)

    def long_pairs(self, server):
        """A lone caller on a server that is idle, then busy with batches of pairs of one length."""
        lone = measure.Step(in_flight=1)
        words = " ".join(pair.source.text for pair in self.pairs).split()
        alone = self.run("lone call", server, lone).latency_ms["p99"]
        path = ROOT / "build" / "long.tsv"
        for length in LENGTHS:
            size = min(LARGE_BATCH, LONG_BATCH_COST // cost.of_pair(length, length, AlignOptions()))
            # Words and signs make about a tenth more tokens.
            n_words = length * 9 // 10
            starts = range(0, len(words) - 2 * n_words, max(1, len(words) // 50))
            sides = ((words[k : k + n_words], words[k + n_words : k + 2 * n_words]) for k in starts)
            path.write_text("".join("\t".join(map(" ".join, pair)) + "\n" for pair in sides))
            command = [*TOKALIGN, "bench", "--server", server.address, "--input", str(path)]
            command += ["--method", "batch", "--pairs", str(size), "--in-flight", "2"]
            command += ["--duration", str(self.duration + 4.0), "--warm-up", "0"]
            bulk = subprocess.Popen(command, stdout=subprocess.DEVNULL)
            time.sleep(2.0)
            name = f"lone call, and batches of {size} pairs of {length} tokens a side"
            p99 = self.run(name, server, lone).latency_ms["p99"]
            if bulk.wait() != 0:
                self.wrong.append(f"{name}: the load beside it failed")
            text = f"p99 of a lone call beside pairs of {length} tokens a side, to that without"
            self.ratio(f"p99_with_{length}_tokens", p99 / alone, text)

    def overload(self):
        """Capacity and three times of it in turn, then a moderate load one second after that.

        Both are the answers that arrive in a window of unbroken load, over as many connections and
        with the same requests; what the load generator took of the cores is printed beside them.
        The callers do not keep to grpc's limit of streams, so that the server meets all of it. That
        limit refuses them; a queue as short as 200 pairs refuses some of those it lets through.
        """
        closed = measure.Step(in_flight=IN_FLIGHT)
        for queue, flags in QUEUES.items():
            server = serve(*flags)
            capacity, goodput, refused_ms = [], [], []
            for _ in range(TURNS):
                capacity.append(self.window(server, closed)[0])
                step = measure.Step(rate=OVERLOAD * statistics.median(capacity))
                answered, median_ms = self.window(server, step)
                goodput.append(answered)
                refused_ms.append(median_ms)
            share = statistics.median(goodput) / statistics.median(capacity)
            refused = statistics.median(refused_ms)
            name = f"align at {OVERLOAD} times capacity, {queue}"
            self.loads[name] = {
                "capacity": capacity,
                "goodput": goodput,
                "share": share,
                "refused_ms": refused,
            }
            print(f"{name}: goodput {share:.0%} of capacity, refused in {refused:.1f} ms\n")
            time.sleep(1.0)
            rate = round(statistics.median(capacity) / 3)
            self.run(f"align one second later, {queue}", server, measure.Step(rate=rate))
            server.stop()

    def window(self, server, step):
        """Return the answers per second in a window, and the median time of a refusal in ms."""
        generator = Generator(
            server.address, measure.METHODS["align"], self.one, is_patient=not step.rate
        )
        before, own_before, refused = server.cpu_s(), time.process_time(), -self.refused(server)
        begin = time.perf_counter()
        start = begin + 1.0
        if step.rate:
            outcomes = generator.open_loop(step.rate, 1.0 + self.duration)
        else:
            outcomes = generator.closed_loop(step.in_flight, 1.0 + self.duration)
        took = time.perf_counter() - begin
        spent = [after - earlier for after, earlier in zip(server.cpu_s(), before, strict=True)]
        spent.append(time.process_time() - own_before)
        refused += self.refused(server)
        generator.close()
        ends = [call.intended_at + call.latency_s - start for call in outcomes if call.is_ok]
        answered = sum(0 <= end < self.duration for end in ends) / self.duration
        failed = sorted(call.latency_s for call in outcomes if not call.is_ok)
        names = ("server", "workers", "generator")
        cores = ", ".join(f"{n} {s / took:.2f}" for n, s in zip(names, spent, strict=True))
        print(
            f"{step!s:>14}: {answered:.0f} answers/s; refused {refused} by the queue and "
            f"{len(failed) - refused} by grpc's limit of streams; cores: {cores}",
            flush=True,
        )
        if any(call.latency_s * 1000 > LOST_AFTER_MS for call in outcomes):
            self.wrong.append(f"{step}: calls without an answer")
        return answered, 1000 * measure.percentile(failed, 50)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--duration", type=float, default=8.0)
    parser.add_argument("--input", type=Path, default=PAIRS, help="source<TAB>target lines")
    parser.add_argument("--json", metavar="FILE", help="a JSON object per load; - to print them")
    arguments = parser.parse_args()
    run = Bench(sample(arguments.input), arguments.duration, arguments.input)
    words = [len((pair.source.text + " " + pair.target.text).split()) for pair in run.pairs]
    machine = f"{platform.machine()}, {os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f}"
    text = f"{len(words)} pairs of {arguments.input.name}, {sum(words) / len(words):.0f} words each"
    print(f"{machine}\n{text}\n", flush=True)
    run.throughput()
    run.overload()
    if arguments.json:
        lines = [{**result, "load": name} for name, result in run.loads.items()]
        lines.append({"load": "ratios", "machine": machine, "text": text, **run.ratios})
        text = "\n".join(map(json.dumps, lines))
        if arguments.json == "-":
            print(text)
        else:
            Path(arguments.json).write_text(text + "\n")
    for line in run.wrong:
        print(f"WRONG: {line}")
    sys.exit(1 if run.wrong else 0)


if __name__ == "__main__":
    main()

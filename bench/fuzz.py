"""Fuzz: requests whose bytes are mutated, and fields that make no sense, at every method.

Ends with exit code 1 if a call ends with a code that bad input must not cause (UNKNOWN or
INTERNAL above all), or if the server loses a worker.

Usage: python bench/fuzz.py [--inputs 100000] [--seed 0]
"""

import argparse
import asyncio
import collections
import json
import random
import sys

import grpc
import grpc.aio
from serving import sample, serve
from tokalign.load.measure import scrape
from tokalign.v1 import align_pb2

ALLOWED = {"OK", "INVALID_ARGUMENT", "NOT_FOUND", "RESOURCE_EXHAUSTED"}
METHODS = ("Align", "BatchAlign", "Rank", "ListModels", "AlignStream")
WORDS = ("", " ", "\0", "\u2028", "\ud7ff", "\U0001f600", "e\u0301", "''", '"', "-LRB-", "a" * 700)


class Fuzzer:
    """Makes one input after another."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.pairs = sample()

    def next(self):
        """Return a method's name and the bytes to send."""
        method = self.rng.choice(METHODS)
        data = self.message(method).SerializeToString()
        if self.rng.random() < 0.5:
            data = self.mutated(bytearray(data))
        return method, data

    def message(self, method):
        options = self.options()
        if method == "Align":
            return align_pb2.AlignRequest(pair=self.pair(), options=options)
        if method == "BatchAlign":
            pairs = [self.pair() for _ in range(self.rng.randrange(4))]
            return align_pb2.BatchAlignRequest(pairs=pairs, options=options)
        if method == "AlignStream":
            pairs = [self.pair() for _ in range(self.rng.randrange(4))]
            return align_pb2.AlignStreamRequest(chunk_id="c", pairs=pairs, options=options)
        if method == "Rank":
            candidates = [{"sentence": self.sentence()} for _ in range(self.rng.randrange(4))]
            return align_pb2.RankRequest(
                question=self.sentence(),
                candidates=candidates,
                options=options,
                top_k=self.rng.choice([0, 1, 2**32 - 1]),
            )
        return align_pb2.ListModelsRequest()

    def options(self):
        rng = self.rng
        return align_pb2.AlignOptions(
            model=rng.choice(["", "", "", "en", "none"]),
            annotator=rng.choice(["", "", "", "native", "none"]),
            symmetrization=rng.choice([0, 0, *range(1, 10), -1]),
            min_confidence=rng.choice([0, 0, 0.5, 1, -1, 2, float("nan"), float("inf")]),
            posteriors=rng.random() < 0.1,
            explain=rng.random() < 0.1,
            phrases=rng.random() < 0.1,
        )

    def pair(self):
        if self.rng.random() < 0.3:
            return self.rng.choice(self.pairs)
        return align_pb2.Pair(id="x", source=self.sentence(), target=self.sentence())

    def sentence(self):
        rng = self.rng
        if rng.random() < 0.5:
            text = rng.choice(self.pairs).source.text
            at = rng.randrange(len(text) + 1)
            return align_pb2.Sentence(text=text[:at] + rng.choice(WORDS) + text[at:])
        n_tokens = rng.choice([0, 1, 2, 5, 30, 600])

        def column(values):
            length = n_tokens if rng.random() < 0.7 else rng.randrange(8)
            return [rng.choice(values) for _ in range(length if rng.random() < 0.6 else 0)]

        words = ["dog", "Dogs", "bark", "runs", "3.5%", "n't", *WORDS[:-1]]
        return align_pb2.Sentence(
            tokens=[rng.choice(words) for _ in range(n_tokens)],
            tags=column(["NN", "VBZ", "", "XX"]),
            lemmas=column(["dog", "", "bark"]),
            heads=column([-1, 0, 1, 2, 2**31 - 1, -(2**31)]),
            relations=column(["nsubj", "root", "", "?"]),
        )

    def mutated(self, data):
        rng = self.rng
        for _ in range(rng.randrange(1, 6)):
            at = rng.randrange(len(data) + 1)
            kind = rng.randrange(4)
            if kind == 0 and at < len(data):
                data[at] = rng.randrange(256)
            elif kind == 1:
                data[at:at] = rng.randbytes(rng.randrange(1, 9))
            elif kind == 2:
                del data[at : at + rng.randrange(1, 9)]
            else:
                data[at:at] = data[: rng.randrange(len(data) + 1)]
        return bytes(data[:100_000])


async def send(channel, fuzzer, n_inputs, codes, strange):
    """Send inputs one after another."""
    unary = {name: channel.unary_unary(f"/tokalign.v1.AlignService/{name}") for name in METHODS}
    stream = channel.stream_stream("/tokalign.v1.AlignService/AlignStream")
    for _ in range(n_inputs):
        method, data = fuzzer.next()
        try:
            if method == "AlignStream":
                async for _ in stream(iter([data]), timeout=60):
                    codes["chunks"] += 1
            else:
                await unary[method](data, timeout=60)
            codes["OK"] += 1
        except grpc.aio.AioRpcError as error:
            codes[error.code().name] += 1
            if error.code().name not in ALLOWED:
                strange.append((method, error.code().name, error.details(), data.hex()[:400]))


async def fuzz(address, n_inputs, seed):
    """Return the count of codes, and the calls that ended with a code that must not occur."""
    codes, strange, callers = collections.Counter(), [], 16
    async with grpc.aio.insecure_channel(address) as channel:
        await asyncio.gather(
            *(
                send(channel, Fuzzer(1000 * seed + i), n_inputs // callers + 1, codes, strange)
                for i in range(callers)
            )
        )
    return codes, strange


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    server = serve()
    codes, strange = asyncio.run(fuzz(server.address, arguments.inputs, arguments.seed))
    samples = scrape(f"{server.metrics_url}/metrics")
    internal = samples.get("tokalign_worker_restarts_total", 0.0)
    exit_code = server.stop()
    report = {"inputs": arguments.inputs, "calls": codes, "workers_lost": int(internal)}
    print(json.dumps(report))
    for call in strange[:10]:
        print("WRONG:", *call, file=sys.stderr)
    return 1 if strange or internal or exit_code else 0


if __name__ == "__main__":
    sys.exit(main())

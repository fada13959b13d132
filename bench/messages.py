"""What the worst single messages inside the size limit do: the event loop's lag, and their time.

    python -m bench.messages [--repeats 10] [--only NAME,NAME]

A server with two workers is sent one message at a time, and looks every millisecond how late its
event loop is. Prints one JSON object for each kind of message: the code it ends with, the seconds
until then at most, and the bound of the lag's histogram (tokalign_loop_lag_seconds) under which all
looks were; `no-message` is what the machine does by itself. The kinds that begin with `largest` are
the most pairs of 512 by 512 tokens that the server lets in. The machine must be idle. The exit code
is 1 where a look was late by more than 50 ms, or an answer took more than 20 s.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import urllib.request
from collections.abc import Callable
from functools import partial

import grpc
from prometheus_client.parser import text_string_to_metric_families
from tokalign.load.process import FREE_PORTS, ServerProcess, running_server
from tokalign.server.requests import cost
from tokalign.types.options import AlignOptions
from tokalign.v1 import align_pb2, align_pb2_grpc

from bench.attack.calls import SERVICE
from bench.attack.cost import batch, single, words

LOOK_S = 0.001
QUIET_S = 1.0
MOST_LAG_S = 0.05
MOST_S = 20.0
N_TOKENS = 512
COMMAND = (
    sys.executable,
    "-c",
    "import runpy\n"
    "from tokalign.server.observe import watch\n"
    f"watch.LOOK_S = {LOOK_S}\n"
    "runpy.run_module('tokalign', run_name='__main__', alter_sys=True)",
    "serve",
    *FREE_PORTS,
)
EVERYTHING = {"explain": True, "posteriors": True, "phrases": True}
Message = tuple[str, bytes]


def kinds(limits: align_pb2.ServerLimits) -> dict[str, Callable[[], Message]]:
    """Return what makes a message of each kind, all but full."""
    n_bytes = limits.max_request_bytes - 4096
    text = "a " * (n_bytes // 2)

    def tokens() -> align_pb2.Sentence:
        return align_pb2.Sentence(tokens=["a"] * (n_bytes // 3))

    def columns() -> align_pb2.Sentence:
        long = ["x" * (n_bytes // 80)] * 20
        return align_pb2.Sentence(
            tokens=words(20), tags=long, lemmas=long, heads=[-1] + [0] * 19, relations=long
        )

    def align(sentence: align_pb2.Sentence, **more: object) -> Message:
        pair = align_pb2.Pair(source=sentence, target={"text": "a b"}, **more)
        return "Align", align_pb2.AlignRequest(pair=pair).SerializeToString()

    def rank(n_candidates: int, question: str, **more: object) -> Message:
        request = align_pb2.RankRequest(
            question={"text": question},
            candidates=[{"sentence": {"text": " ".join(words(8, k))}} for k in range(n_candidates)],
            **more,
        )
        return "Rank", request.SerializeToString()

    def pairs(**options: object) -> Message:
        return "BatchAlign", batch(limits.max_pairs, 8, **options)

    anchors = {"source_indices": [1] * (n_bytes // 4), "target_indices": [1] * (n_bytes // 4)}
    name = align_pb2.AlignOptions(model="n" * n_bytes)
    return {
        "empty-pairs": lambda: ("BatchAlign", b"\x0a\x00" * (n_bytes // 2)),
        "empty-candidates": lambda: ("Rank", b"\x12\x00" * (n_bytes // 2)),
        "empty-chunk": lambda: ("AlignStream", b"\x12\x00" * (n_bytes // 2)),
        "unknown-fields": lambda: ("BatchAlign", b"\xf8\x7f\x01" * (n_bytes // 3)),
        "zeros": lambda: ("BatchAlign", bytes(n_bytes)),
        "long-name": lambda: ("Align", align_pb2.AlignRequest(options=name).SerializeToString()),
        "long-text": lambda: align(align_pb2.Sentence(text=text)),
        "many-tokens": lambda: align(tokens()),
        "long-columns": lambda: align(columns()),
        "many-constraints": lambda: align(
            align_pb2.Sentence(text="a b"), constraints={"anchors": anchors}
        ),
        "most-pairs": pairs,
        "most-pairs-explained": lambda: pairs(**EVERYTHING),
        "most-candidates": lambda: rank(limits.max_pairs, "who came"),
        "long-question": lambda: rank(limits.max_pairs, "a " * 500),
        "list-models": lambda: ("ListModels", b"\x0a\x00" * (n_bytes // 2)),
    }


def large(n_pairs: int, **options: object) -> Message:
    """Return so many pairs of N_TOKENS tokens a side."""
    return "BatchAlign", batch(n_pairs, N_TOKENS, **options)


class Server:
    """A server, and what is asked of it.

    Parameters
    ----------
    process : ServerProcess
    """

    def __init__(self, process: ServerProcess) -> None:
        self._process = process
        options = [("grpc.max_receive_message_length", -1), ("grpc.enable_retries", 0)]
        self._channel = grpc.insecure_channel(process.address, options)
        stub = align_pb2_grpc.AlignServiceStub(self._channel)
        self.limits = stub.ListModels(align_pb2.ListModelsRequest(), timeout=60).limits

    def close(self) -> None:
        """End the connection."""
        self._channel.close()

    def send(self, method: str, body: bytes) -> tuple[str, float]:
        """Return the code that a message ends with, and the seconds until then."""
        path = f"{SERVICE}/{method}"
        began = time.monotonic()
        try:
            if method == "AlignStream":
                for _ in self._channel.stream_stream(path)(iter([body]), timeout=60):
                    pass
            else:
                self._channel.unary_unary(path)(body, timeout=60)
            code = "OK"
        except grpc.RpcError as error:
            code = error.code().name
        return code, time.monotonic() - began

    def most_pairs(self, **options: object) -> int:
        """Return how many pairs of N_TOKENS tokens a side a request may have."""
        asked = AlignOptions(
            explain="explain" in options,
            posteriors="posteriors" in options,
            phrases="phrases" in options,
        )
        n_pairs = int(self.limits.max_cost) // cost.of_pair(N_TOKENS, N_TOKENS, asked)
        # The answer's size is a limit as well.
        while n_pairs > 1 and self.send(*large(n_pairs, **options))[0] == "INVALID_ARGUMENT":
            n_pairs -= 1
        return n_pairs

    def looks(self) -> dict[float, float]:
        """Return how many looks at the event loop were late by at most each bound, in seconds."""
        with urllib.request.urlopen(f"{self._process.metrics_url}/metrics", timeout=60) as answer:
            text = answer.read().decode()
        return {
            float(sample.labels["le"]): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
            if sample.name == "tokalign_loop_lag_seconds_bucket"
        }

    def measured(self, act: Callable[[], tuple[str, float]], repeats: int) -> dict[str, object]:
        """Return the code, the most seconds, and the lag's bound over some repeats of one act."""
        before = self.looks()
        ended = [act() for _ in range(repeats)]
        time.sleep(QUIET_S / 2)  # the looks meanwhile
        after = self.looks()
        late = {bound: after[bound] - before[bound] for bound in after}
        lag_s = min(bound for bound in late if late[bound] == late[float("inf")])
        return {
            "code": ", ".join(sorted({code for code, _ in ended})),
            "seconds": round(max(seconds for _, seconds in ended), 3),
            "lag_ms": 1000 * lag_s,
        }


def wait() -> tuple[str, float]:
    """Let the server alone for a while."""
    time.sleep(QUIET_S / 10)
    return "", 0.0


def measure(repeats: int, only: list[str]) -> bool:
    """Print what each kind of message did, and return whether all kept the bounds."""
    is_kept = True
    with running_server("--workers", "2", command=COMMAND) as process:
        server = Server(process)
        for _ in range(20):  # what the first calls make is no message's doing
            server.send("Align", single(20, 10))
        made: dict[str, Callable[[], Message] | None] = {"no-message": None}
        made |= kinds(server.limits)
        n_pairs = {"64-explained": 64}
        for name, options in (("largest", {}), ("largest-explained", EVERYTHING)):
            n_pairs[name] = server.most_pairs(**options)
            made[name] = partial(large, n_pairs[name], **options)
        made["64-explained"] = partial(large, 64, **EVERYTHING)
        for name, make in made.items():
            if only and name not in only:
                continue
            message = make() if make else ("", b"")
            act = partial(server.send, *message) if make else wait
            found = {
                "message": name,
                "bytes": len(message[1]),
                "pairs": n_pairs.get(name, 0),
                **server.measured(act, repeats),
            }
            print(json.dumps(found), flush=True)
            is_kept &= found["lag_ms"] <= 1000 * MOST_LAG_S and found["seconds"] <= MOST_S
        server.close()
    return is_kept


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.messages", description=__doc__)
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--only", default="", help="kinds, with commas between them")
    arguments = parser.parse_args()
    only = [name for name in arguments.only.split(",") if name]
    return 0 if measure(arguments.repeats, only) else 1


if __name__ == "__main__":
    sys.exit(main())

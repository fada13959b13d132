"""A polite caller beside the crowd of another: 320 rankings in flight, on one connection and many.

The polite one ranks 50 candidates twice a second, each within DEADLINE_S, and does not try again.
The other one starts a new ranking whenever one ends, also where it is refused. Each has a token of
its own. A row says which share of the polite caller's calls is answered, and how long that takes
beside how long it takes without the others.

Goal: 0.95 of the answers, and a p99 of at most five times the median of the same calls alone.
"""

from __future__ import annotations

import asyncio
import hashlib
import http.client
import json
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import grpc
from tokalign.client.load import measure
from tokalign.client.load.calls import LoadRequest
from tokalign.client.load.generator import Generator
from tokalign.client.load.methods import METHODS
from tokalign.client.load.transport import Security
from tokalign.v1 import align_pb2, align_pb2_grpc

from bench.program import print_row
from bench.serving.loads import Loads
from bench.serving.servers import serve

CANDIDATES = 50
IN_FLIGHT = 320
CONNECTIONS = (1, 20, 320)
"""Of the crowd over gRPC. A connection takes 24 calls at once, so one alone has the rest wait."""
PERIOD_S = 0.5
DEADLINE_S = 2.0
ALONE = 40
SETTLE_S = 5.0
TOKENS = {"crowd": "c" * 32, "polite": "p" * 32}


class Polite(NamedTuple):
    """How long each call that was answered took, and how many were not."""

    seconds: list[float]
    failed: int


def run(loads: Loads) -> None:
    """Print a row for each protocol and number of connections."""
    question = loads.pairs[0].target.text
    texts = [pair.source.text for pair in loads.pairs[:CANDIDATES]]
    message = align_pb2.RankRequest(
        question={"text": question},
        candidates=[align_pb2.Candidate(sentence={"text": text}) for text in texts],
    )
    body = json.dumps({"query": question, "documents": texts}).encode()
    with tempfile.TemporaryDirectory() as folder:
        known = Path(folder) / "tokens"
        lines = [f"{name} {hashlib.sha256(t.encode()).hexdigest()}\n" for name, t in TOKENS.items()]
        known.write_text("".join(lines))
        for n_connections in CONNECTIONS:
            server = serve("--token-file", str(known))
            with grpc.insecure_channel(server.address) as channel:
                rank = align_pb2_grpc.AlignServiceStub(channel).Rank
                metadata = (("authorization", f"Bearer {TOKENS['polite']}"),)

                def by_grpc() -> bool:
                    try:
                        rank(message, timeout=DEADLINE_S, metadata=metadata)  # noqa: B023
                    except grpc.RpcError:
                        return False
                    return True

                crowd = (_grpc_crowd, server.address, message.SerializeToString(), n_connections)
                beside(loads, "grpc", n_connections, by_grpc, crowd)
            server.stop()
        server = serve("--token-file", str(known), "--http-port", "0")
        netloc = urlsplit(server.http_url).netloc

        def by_http() -> bool:
            connection = http.client.HTTPConnection(netloc, timeout=DEADLINE_S)
            try:
                connection.request("POST", "/v1/rerank", body, _headers("polite"))
                answer = connection.getresponse()
                return bool(answer.read()) and answer.status == 200
            except OSError:
                return False
            finally:
                connection.close()

        beside(loads, "http", IN_FLIGHT, by_http, (_http_crowd, netloc, body, IN_FLIGHT))
        server.stop()


def beside(
    loads: Loads,
    protocol: str,
    n_connections: int,
    call: Callable[[], bool],
    crowd: tuple[Callable[[str, bytes, int, float], int], str, bytes, int],
) -> None:
    """Have the polite caller call alone, then beside a crowd, and print the row."""
    for _ in range(ALONE // 2):
        call()
    alone = _called(call, ALONE, 0.05)
    seconds = max(20.0, 3 * loads.duration_s)
    with get_context("spawn").Pool(1) as process:
        target, *arguments = crowd
        others = process.apply_async(target, (*arguments, seconds + 2 * SETTLE_S))
        time.sleep(SETTLE_S)
        found = _called(call, round(seconds / PERIOD_S), PERIOD_S)
        answered = others.get()
    own_s = statistics.median(alone.seconds)
    ordered = sorted(found.seconds)
    print_row(
        {
            "load": f"polite-{protocol}",
            "connections": n_connections,
            "calls": len(ordered) + found.failed,
            "answered": len(ordered) / (len(ordered) + found.failed),
            "alone_ms": 1e3 * own_s,
            "alone_p99_ms": 1e3 * measure.percentile(sorted(alone.seconds), 99),
            "p50_ms": 1e3 * measure.percentile(ordered, 50),
            "p99_ms": 1e3 * measure.percentile(ordered, 99),
            "p99_to_alone": measure.percentile(ordered, 99) / own_s,
            "crowd_answers_per_s": answered / (seconds + 2 * SETTLE_S),
        }
    )


def _called(call: Callable[[], bool], n_calls: int, period_s: float) -> Polite:
    """Begin a call in each period, whether the one before has ended or not."""
    seconds: list[float] = []
    failed: list[float] = []

    def timed() -> None:
        began = time.perf_counter()
        into = seconds if call() else failed
        into.append(time.perf_counter() - began)

    threads = []
    start = time.perf_counter()
    for k in range(n_calls):
        time.sleep(max(0.0, start + k * period_s - time.perf_counter()))
        threads.append(threading.Thread(target=timed))
        threads[-1].start()
    for thread in threads:
        thread.join()
    return Polite(seconds, len(failed))


def _headers(name: str) -> dict[str, str]:
    return {"authorization": f"Bearer {TOKENS[name]}"}


def _grpc_crowd(address: str, message: bytes, n_connections: int, seconds: float) -> int:
    """Return how many rankings of IN_FLIGHT callers in one were answered."""
    request = LoadRequest.of(METHODS["rank"].rpc, message)
    security = Security(token=TOKENS["crowd"])
    generator = Generator(address, [request], n_connections, security=security)
    outcomes = generator.closed_loop(IN_FLIGHT, seconds)
    generator.close()
    return sum(each.is_ok for each in outcomes)


def _http_crowd(netloc: str, body: bytes, n_connections: int, seconds: float) -> int:
    """Do the same over HTTP, with a ranking in flight on each connection."""
    host, _, port = netloc.rpartition(":")
    head = f"POST /v1/rerank HTTP/1.1\r\nhost: {netloc}\r\ncontent-length: {len(body)}\r\n"
    lines = [f"{name}: {value}\r\n" for name, value in _headers("crowd").items()]
    request = "".join([head, *lines, "\r\n"]).encode() + body
    ends_at = time.perf_counter() + seconds

    async def one() -> int:
        reader, writer = await asyncio.open_connection(host, int(port))
        n_answered = 0
        while time.perf_counter() < ends_at:
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            length = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
            await reader.readexactly(int(length))
            n_answered += head.startswith(b"HTTP/1.1 200")
        writer.close()
        return n_answered

    async def every() -> int:
        return sum(await asyncio.gather(*(one() for _ in range(n_connections))))

    return asyncio.run(every())

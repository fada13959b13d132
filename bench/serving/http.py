"""Latency of a ranking of 50 by HTTP and by gRPC, one caller, taking turns in one run.

Goal: /v1/rerank takes at most 1.3 times as long as Rank with the same candidates and options.
"""

from __future__ import annotations

import http.client
import json
import statistics
import time
from collections.abc import Callable
from urllib.parse import urlsplit

import grpc
from tokalign.codec.options import RequestOptions, encode_options
from tokalign.types.options import AlignOptions, Detail
from tokalign.v1 import align_pb2, align_pb2_grpc

from bench.program import print_row
from bench.serving.loads import Loads, WrongAnswersError
from bench.serving.servers import serve

CANDIDATES = 50
WARM_UPS = 50


def run(loads: Loads) -> None:
    """Measure both, and print the medians and their ratio."""
    question = loads.pairs[0].target.text
    texts = [pair.source.text for pair in loads.pairs[:CANDIDATES]]
    server = serve("--http-port", "0")
    try:
        connection = http.client.HTTPConnection(urlsplit(server.http_url).netloc, timeout=60)
        body = json.dumps({"query": question, "documents": texts}).encode()

        def by_http() -> list[int]:
            connection.request("POST", "/v1/rerank", body)
            answer = connection.getresponse().read()
            return [each["index"] for each in json.loads(answer)["results"]]

        options = RequestOptions(align=AlignOptions(detail=Detail.SCORES, truncate=True))
        request = align_pb2.RankRequest(
            question={"text": question},
            candidates=[align_pb2.Candidate(passage=text) for text in texts],
            options=encode_options(options),
        )
        with grpc.insecure_channel(server.address) as channel:
            rank = align_pb2_grpc.AlignServiceStub(channel).Rank

            def by_grpc() -> list[int]:
                return [each.index for each in rank(request, timeout=60).ranking]

            if by_http() != by_grpc():
                raise WrongAnswersError("HTTP and gRPC rank differently")
            medians = alternating([by_grpc, by_http], loads.duration_s)
        connection.close()
    finally:
        server.stop()
    grpc_ms, http_ms = medians
    print_row({"load": f"rank-{CANDIDATES}", "grpc_p50_ms": grpc_ms, "http_p50_ms": http_ms})
    print_row({"ratios": "http", "http_to_grpc": http_ms / grpc_ms})


def alternating(calls: list[Callable[[], object]], duration_s: float) -> list[float]:
    """Return the median milliseconds of each of some calls that take turns."""
    for _ in range(WARM_UPS):
        for call in calls:
            call()
    spent: list[list[float]] = [[] for _ in calls]
    ends_at = time.monotonic() + 2 * duration_s
    while time.monotonic() < ends_at:
        for call, times in zip(calls, spent, strict=True):
            began = time.perf_counter()
            call()
            times.append(1e3 * (time.perf_counter() - began))
    return [statistics.median(times) for times in spent]

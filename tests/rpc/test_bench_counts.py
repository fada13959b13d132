"""Counts of `tokalign bench`: the calls that end in a window, by how they ended."""

import itertools
import json
import subprocess
import time
import types

import pytest
from support.scripted_http import answering, problem
from support.server_process import started
from tokalign.client.load import (
    calls,
    connection,
    generator,
    http_connection,
    measure,
    report,
)
from tokalign.client.load.calls import NO_ANSWER, LoadRequest, Outcome
from tokalign.client.load.generator import Generator
from tokalign.client.load.methods import METHODS, requests
from tokalign.v1 import align_pb2

from bench.server_process import TOKALIGN

DEADLINE_S = 1.0
REQUEST = LoadRequest.of(METHODS["align"].rpc, b"", DEADLINE_S)
FREE = LoadRequest.of(METHODS["align"].rpc, b"", pairs=3)


def ending(at, latency_s=0.5, code="", reason="", kind=REQUEST):
    return Outcome(at - latency_s, latency_s, not code and not reason, kind, code, reason)


class SlowServer:
    """A generator and its server on one clock: `rate` calls/s arrive, `capacity` are answered."""

    def __init__(self, clock, rate, capacity, kind=REQUEST):
        self.clock, self.rate, self.capacity, self.kind = clock, rate, capacity, kind

    def open_loop(self, rate, duration_s, extend):
        began, free_at = self.clock[0], self.clock[0]
        outcomes = []
        while duration_s:
            for _ in range(round(duration_s * self.rate)):
                at = began + len(outcomes) / self.rate
                free_at = max(free_at, at) + 1 / self.capacity
                outcomes.append(Outcome(at, free_at - at, True, self.kind))
            duration_s = extend(outcomes)
        return outcomes


@pytest.fixture
def clock(monkeypatch):
    now = [1000.0]
    clock = types.SimpleNamespace(perf_counter=lambda: now[0], process_time=time.process_time)
    monkeypatch.setattr(measure, "time", clock)
    return now


@pytest.mark.parametrize("warm_up_s", [0, 2])
def test_throughput_is_what_the_server_answers_not_what_it_is_offered(clock, warm_up_s):
    server = SlowServer(clock, rate=1000, capacity=100)
    step = measure.Step(rate=1000)
    result = measure.measure(server, step, duration_s=4.0, warm_up_s=warm_up_s)
    assert result.offered_per_s == pytest.approx(1000, rel=0.01)
    assert result.calls_per_s == pytest.approx(100, rel=0.01)
    assert result.goodput_per_s <= 100
    assert result.goodput_per_s + result.late / 4.0 == pytest.approx(result.calls_per_s)
    assert (result.refused, result.failed, result.reasons) == (0, 0, {})


def test_nothing_is_late_without_a_deadline(clock):
    server = SlowServer(clock, rate=100, capacity=50, kind=FREE)
    result = measure.measure(server, measure.Step(rate=100), duration_s=4.0, warm_up_s=0)
    assert (result.late, result.goodput_per_s) == (None, None)
    assert result.pairs_per_s == 3 * result.calls_per_s
    assert result.latency_ms["p99"] > 1000


def test_a_call_counts_by_how_it_ended_in_the_window_it_ended_in():
    outcomes = [
        ending(9.9),  # before the window
        ending(10.1, latency_s=0.9),  # begun before it
        ending(10.2),
        ending(10.3, latency_s=1.2),
        ending(10.4, code="DEADLINE_EXCEEDED", reason="DEADLINE_PASSED"),
        ending(10.5, code="RESOURCE_EXHAUSTED", reason="QUEUE_FULL"),
        ending(10.6, code="RESOURCE_EXHAUSTED", reason="QUEUE_FULL"),
        ending(10.7, code="UNAVAILABLE", reason="SERVER_STOPPING"),
        ending(10.8, code="INVALID_ARGUMENT", reason="INVALID_INPUT"),
        ending(40.9, latency_s=30.0, reason=NO_ANSWER),  # it never ends
        ending(12.1, latency_s=0.2),  # after the window, whenever it began
        ending(12.2, latency_s=1.2),
    ]
    result = measure.summary("x", outcomes, 10.0, 2.0)
    assert result.offered_per_s * 2 == 7  # four end in it, two after it, one never
    assert result.calls == 9
    assert result.calls_per_s == 3 / 2
    assert result.goodput_per_s == 2 / 2
    assert (result.late, result.refused, result.failed) == (2, 3, 2)
    assert result.without_answer == 6
    assert result.reasons == {
        "QUEUE_FULL": 2,
        "DEADLINE_PASSED": 1,
        "SERVER_STOPPING": 1,
        "INVALID_INPUT": 1,
        NO_ANSWER: 1,
    }


def test_a_figure_that_there_is_none_of_is_a_dash():
    refused = [ending(1.0 + i / 9, code="UNAVAILABLE", reason="NO", kind=FREE) for i in range(9)]
    result = measure.summary("closed 1", refused, 1.0, 1.0)
    assert all(value is None for value in result.latency_ms.values())
    lines = report.table([result]).splitlines()
    cells = dict(zip(lines[0].replace(" ms", "_ms").replace("in time", "in_time").split()[1:],
                     lines[1].split()[2:], strict=False))  # fmt: skip
    dashes = {name for name, cell in cells.items() if cell == "-"}
    assert dashes == {
        "in_time/s", "late", "p50_ms", "p95_ms", "p99_ms", "queue_ms", "compute_ms", "shard",
    }  # fmt: skip
    assert cells["refused"] == "9" and cells["calls/s"] == "0"
    assert lines[2] == "closed 1 without an answer: NO 9"


@pytest.mark.parametrize(("share", "is_limit"), [(0.3, False), (0.97, True)])
def test_the_report_says_what_the_generator_took(share, is_limit):
    result = measure.summary("closed 1", [ending(1.5)], 1.0, 1.0)
    result.generator_share = share
    last = report.table([result]).splitlines()[-1]
    assert f"The generator took up to {share:.0%} of one of this machine's" in last
    assert ("limit itself" in last) is is_limit


@pytest.fixture(scope="module")
def server():
    with started("--http-port", "0", "--queue-pairs", "3", "--max-pairs", "2") as server:
        yield server


def address(server, protocol):
    return server.http_url if protocol == "http" else server.address


def pair(pair_id, protocol):
    """Return the request for one pair, whose id tells the fake engine what to do."""
    if protocol == "http":
        body = {"id": pair_id, "source": "a", "target": "b"}
        return LoadRequest("/v1/align", json.dumps(body).encode())
    message = align_pb2.AlignRequest(
        pair={"id": pair_id, "source": {"text": "a"}, "target": {"text": "b"}}
    )
    return LoadRequest.of(METHODS["align"].rpc, message.SerializeToString())


PROTOCOLS = pytest.mark.parametrize("protocol", ["grpc", "http"])


@PROTOCOLS
@pytest.mark.parametrize("method", METHODS)
def test_every_method_is_answered(server, protocol, method):
    asked = requests(METHODS[method], [("a b.", "b c.")], 1, is_http=protocol == "http")
    load = Generator(address(server, protocol), asked, 1)
    (outcome,) = load.closed_loop(1, 0.0)
    load.close()
    assert (outcome.is_ok, outcome.code, outcome.reason) == (True, "", "")


@PROTOCOLS
def test_what_a_full_server_refuses_is_counted_by_its_reason(server, protocol, tmp_path):
    free = tmp_path / "free"
    asked = pair(f"until:{free}", protocol)
    load = Generator(address(server, protocol), [asked], 12, is_patient=False)

    def until_refused(outcomes):
        if len(outcomes) < 20:
            return 0.05
        free.touch()
        return 0.0

    outcomes = load.closed_loop(12, 0.01, extend=until_refused)
    load.close()
    start, stop = outcomes[0].intended_at, max(each.ended_at for each in outcomes) + 1
    result = measure.summary("x", outcomes, start, stop - start)
    assert result.refused >= 20 and result.failed == 0
    assert result.reasons == {"QUEUE_FULL": result.refused}
    # Those that were let in were answered once the worker was free.
    assert any(outcome.is_ok for outcome in outcomes)


def test_what_a_server_gives_up_is_late(server, tmp_path):
    held = tmp_path / "never"
    asked = requests(METHODS["align"], [(f"until:{held}", "b")], 1, timeout_s=0.2)
    load = Generator(server.address, asked, 1)
    (outcome,) = load.closed_loop(1, 0.0)
    held.touch()
    load.close()
    assert (outcome.code, outcome.is_late) == ("DEADLINE_EXCEEDED", True)


def test_a_call_that_waited_past_its_deadline_is_never_sent(monkeypatch, server):
    sent = []
    headers_of = connection.LoadConnection._headers_of
    monkeypatch.setattr(
        connection.LoadConnection,
        "_headers_of",
        lambda *given: sent.append(given[-1]) or headers_of(*given),
    )
    asked = requests(METHODS["align"], [("a", "b")], 1, timeout_s=60.0)
    load = Generator(server.address, asked, 1)
    (only,) = load._connections
    now = time.perf_counter()
    # No stream is free before the server's settings have come.
    only.call(asked[0], now - 59.0)
    only.call(asked[0], now - 61.0)
    outcomes = []
    load._finish(outcomes)
    load.close()
    assert len(sent) == 1 and 0 < sent[0] <= 1.0  # the time that is left
    by_reason = {outcome.reason: outcome for outcome in outcomes}
    late = by_reason["NEVER_SENT"]
    assert late.is_late and late.latency_s == 60.0
    assert len(outcomes) == 2


@pytest.mark.parametrize(("late_s", "sent_s"), [(0.0, 60.0), (20.0, 40.0)])
def test_deadline_runs_from_the_intended_start_where_the_generator_is_late(
    monkeypatch, server, late_s, sent_s
):
    sent = []
    headers_of = connection.grpc_headers
    monkeypatch.setattr(
        connection, "grpc_headers", lambda *given: sent.append(given[-1]) or headers_of(*given)
    )
    asked = requests(METHODS["align"], [("a", "b")], 1, timeout_s=60.0)
    load = Generator(server.address, asked, 1, is_patient=False)
    load._connections[0].call(asked[0], time.perf_counter() - late_s)
    load._finish([])
    load.close()
    assert len(sent) == 1 and sent_s - 5 < sent[0] <= sent_s


REFUSED = problem(429, "RESOURCE_EXHAUSTED", "QUEUE_FULL")


@pytest.mark.parametrize(
    ("answer", "code", "reason"),
    [
        ((200, b"{}"), "", ""),
        (REFUSED, "RESOURCE_EXHAUSTED", "QUEUE_FULL"),
        ((503, b"no healthy upstream"), "UNAVAILABLE", "HTTP_503"),
        ((503, b"[1]", "connection: close"), "UNAVAILABLE", "HTTP_503"),
        ((504, b""), "DEADLINE_EXCEEDED", "HTTP_504"),
        ((599, b""), "UNKNOWN", "HTTP_599"),
        (problem(400, "INVALID_ARGUMENT", "INVALID_INPUT"), "INVALID_ARGUMENT", "INVALID_INPUT"),
        (None, "UNAVAILABLE", "CONNECTION_CLOSED"),
    ],
)
def test_answers_over_http_are_told_apart(answer, code, reason):
    with answering(answer) as (url, seen):
        load = Generator(url, [LoadRequest("/v1/align", b"{}", 0.25)], 2)
        outcomes = load.closed_loop(3, 0.0)
        load.close()
    assert {(each.is_ok, each.code, each.reason) for each in outcomes} == {(not code, code, reason)}
    assert len(outcomes) == len(seen) == 3  # also over connections that were opened again
    path, headers, body = seen[0]
    assert (path, body) == ("/v1/align", b"{}")
    assert float(headers["request-timeout"]) == 0.25


@pytest.mark.parametrize(
    ("more", "n_opened"), [((), 2), (("connection: close",), None), (("x-a: close",), 2)]
)
def test_a_connection_is_kept_for_as_long_as_the_server_keeps_it(monkeypatch, more, n_opened):
    opened = []
    connect = http_connection.connect
    monkeypatch.setattr(http_connection, "connect", lambda *to: opened.append(to) or connect(*to))
    with answering((200, b"{}", *more)) as (url, seen):
        load = Generator(url, [LoadRequest("/v1/align", b"{}")], 2)
        outcomes = load.closed_loop(2, 0.2)
        load.close()
    assert all(outcome.is_ok for outcome in outcomes)
    assert len(outcomes) == len(seen) > 4
    assert len(opened) == (n_opened or len(seen) + 2)


def test_answers_after_the_deadline_are_late(monkeypatch):
    ticks = itertools.count(0.0, 0.6)
    monkeypatch.setattr(generator, "time", types.SimpleNamespace(perf_counter=lambda: next(ticks)))
    with answering((200, b"{}"), REFUSED) as (url, _):
        load = Generator(url, [LoadRequest("/v1/align", b"{}", 0.5)], 1)
        outcomes = load.closed_loop(1, 3.0)
        load.close()
    result = measure.summary("x", outcomes, 0.0, 100.0)
    answered = sum(outcome.is_ok for outcome in outcomes)
    assert answered > 0 and result.refused > 0
    assert result.late == answered and result.goodput_per_s == 0
    assert result.calls_per_s * 100 == pytest.approx(answered)


def bench(*flags):
    short = ["--in-flight", "2", "--duration", "0.3", "--windows", "1", "--warm-up", "0"]
    return subprocess.run(
        [*TOKALIGN, "bench", *short, *flags], capture_output=True, text=True, timeout=120
    )


def test_command_asks_over_http():
    with answering((200, b"{}"), REFUSED) as (url, seen):
        answer = bench("--server", f"{url}/base/", "--method", "rank", "--timeout", "9", "--json")
    assert answer.returncode == 0, answer.stderr
    value = json.loads(answer.stdout)
    (step,) = value["steps"]
    assert (value["http"], value["timeout_s"]) == (True, 9.0)
    assert step["refused"] > 0 and step["failed"] == step["late"] == 0
    assert step["goodput_per_s"] == step["calls_per_s"] > 0
    assert step["reasons"] == {"QUEUE_FULL": step["refused"]}
    assert step["generator_share"] > 0 and step["queue_ms"] is None
    assert {path for path, _, _ in seen} == {"/base/v1/rerank"}


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["ftp://localhost:1"], "wanted HOST:PORT, http:// or https://"),
        (["http://localhost:1", "--token-file", __file__], "need an https:// address"),
        (["localhost:1", "--timeout", "0"], "Invalid value for '--timeout'"),
    ],
)
def test_command_refuses_addresses_that_it_cannot_ask(flags, message):
    answer = bench("--server", *flags)
    assert answer.returncode == 2
    assert message in answer.stderr


def test_outcomes_without_a_deadline_are_never_late():
    assert not ending(100.0, latency_s=90.0, kind=FREE).is_late
    assert calls.IntendedCall(FREE, 0.0).given_up(1e9) is None

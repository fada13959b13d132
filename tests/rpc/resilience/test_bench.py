import hashlib
import json
import ssl
import subprocess
import time

import pytest
import trustme
from h2.stream import H2Stream
from support.server_process import started
from tokalign.client.load import measure, report
from tokalign.client.load.calls import LoadRequest, Outcome
from tokalign.client.load.connection import begun, grpc_headers
from tokalign.client.load.generator import Generator
from tokalign.client.load.methods import METHODS, requests
from tokalign.client.load.transport import Security
from tokalign.server.config import Config
from tokalign.v1 import align_pb2

from bench.server_process import TOKALIGN

ALIGN = METHODS["align"].rpc


@pytest.fixture(scope="module")
def server():
    with started() as server:
        yield server


def body(pair_id="", text="a"):
    return align_pb2.AlignRequest(
        pair={"id": pair_id, "source": {"text": text}, "target": {"text": "b"}}
    ).SerializeToString()


@pytest.fixture
def load(server):
    generators = []

    def load(bodies, method=ALIGN, connections=2):
        requests = [LoadRequest.of(method, body) for body in bodies]
        generators.append(Generator(server.address, requests, connections))
        return generators[-1]

    yield load
    for generator in generators:
        generator.close()


def test_open_loop_sends_at_the_rate_and_closed_loop_keeps_its_callers(load):
    generator = load([body()])
    outcomes = generator.open_loop(200, 1.0, seed=3)
    assert 140 < len(outcomes) < 260
    assert all(outcome.is_ok and outcome.latency_s > 0 for outcome in outcomes)
    assert all(outcome.is_ok for outcome in generator.closed_loop(4, 0.3))


def test_call_that_fails_is_told_from_one_that_succeeds(load):
    outcomes = load([body("fail:source.text"), body()], connections=1).open_loop(20, 1.0, seed=1)
    assert {outcome.is_ok for outcome in outcomes} == {True, False}


def test_body_larger_than_the_flow_control_window_is_sent(load):
    generator = load([body(text="word " * 60_000)], connections=1)
    (outcome,) = generator.closed_loop(1, 0.0)
    assert outcome.is_ok


def test_patient_calls_wait_for_a_stream_and_others_are_reset(load, server, tmp_path):
    many = Config().max_streams + 50
    patient = load([body()], connections=1).closed_loop(many, 0.01)
    assert all(call.is_ok for call in patient)
    busy = body(f"until:{tmp_path / 'free'}")
    hasty = Generator(server.address, [LoadRequest.of(ALIGN, busy)], 1, is_patient=False)

    def until_reset(outcomes):
        if len(outcomes) < 50:
            return 0.1
        (tmp_path / "free").touch()
        return 0.0

    outcomes = hasty.closed_loop(many, 0.01, extend=until_reset)
    assert sum(not call.is_ok for call in outcomes) >= 50
    assert sum(call.is_ok for call in outcomes) >= Config().max_streams
    hasty.close()


def test_a_new_stream_looks_at_few_of_the_open_ones(monkeypatch):
    looked_at = []
    monkeypatch.setattr(H2Stream, "open", property(lambda stream: looked_at.append(stream) or True))
    http2 = begun()
    headers = grpc_headers("a:1", ALIGN)
    for _ in range(900):
        http2.send_headers(http2.get_next_available_stream_id(), headers)
    assert len(http2.streams) == 900
    assert len(looked_at) < 900


def test_streams_that_have_ended_are_forgotten(load):
    generator = load([body()], connections=1)
    n_calls = 0
    while n_calls < 2_500:
        n_calls += len(generator.closed_loop(32, 0.2))
    (connection,) = generator._connections
    assert len(connection._http2.streams) < 1_100


def test_a_generator_that_is_held_up_says_by_how_much(load, monkeypatch):
    generator = load([body()])
    send = generator._start_call

    def slowly(at):
        time.sleep(0.05)
        send(at)

    monkeypatch.setattr(generator, "_start_call", slowly)
    generator.open_loop(100, 0.3)
    assert generator.lag_s > 0.05


@pytest.mark.parametrize("run", [("closed_loop", 1), ("open_loop", 100)])
def test_nobody_ends_a_load_without_asking_for_how_long_to_go_on(load, run):
    asked = []

    def once_more(outcomes):
        asked.append(len(outcomes))
        return 0.1 if len(asked) == 1 else 0.0

    method, amount = run
    outcomes = getattr(load([body()]), method)(amount, 0.0, extend=once_more)
    assert len(asked) == 2
    assert outcomes and all(outcome.is_ok for outcome in outcomes)


def test_latency_counts_from_the_intended_start(load):
    # One connection, a worker busy for 0.2 s at a time: later calls must wait for earlier ones.
    outcomes = load([body("sleep:0.1")], connections=1).open_loop(40, 1.0, seed=1)
    assert max(outcome.latency_s for outcome in outcomes) > 0.3


def test_measure_splits_queue_from_compute(server, load):
    result = measure.measure(
        load([body()]),
        measure.Step(in_flight=4),
        duration_s=0.5,
        warm_up_s=0,
        read_metrics=lambda: measure.scrape(f"{server.metrics_url}/metrics"),
    )
    assert result.calls > 0
    assert result.failed == 0
    assert result.latency_ms["p50"] <= result.latency_ms["p99"]
    assert result.queue_ms > 0
    assert result.compute_ms == pytest.approx(1.0)
    assert result.shard_pairs >= 1
    assert "closed 4" in report.table([result])


def calls(n_calls, start, stop, latency_s=0.001):
    """Return calls that end evenly between two times."""
    step = (stop - start) / n_calls
    ends = [start + (index + 0.5) * step for index in range(n_calls)]
    request = LoadRequest.of(ALIGN, b"")
    return [Outcome(end - latency_s, latency_s, True, request) for end in ends]


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        (calls(100, 5, 6), True),
        (calls(100, 5, 6) + calls(900, 6, 7), True),  # what follows the window does not count
        (calls(50, 5, 5.5) + calls(10, 5.5, 6), False),
        (calls(50, 5, 5.5) + calls(50, 5.5, 6, latency_s=0.002), False),
        (calls(100, 5, 5.7), False),
        ([], False),
    ],
)
def test_window_is_stable_where_throughput_and_latency_stay(outcomes, expected):
    assert measure.is_stable(outcomes, 5.0, 1.0) is expected


class Scripted:
    """A generator whose windows hold so many calls in their first half, and 50 in the second."""

    def __init__(self, clock, *firsts):
        self.clock, self.firsts = clock, firsts

    def closed_loop(self, in_flight, duration_s, extend):
        outcomes, start = [], self.clock[0]
        for first in self.firsts:
            outcomes += calls(first, start, start + 0.5, latency_s=0)
            outcomes += calls(50, start + 0.5, start + 1, latency_s=0)
            start += 1.0
            if not extend(outcomes):
                return outcomes
        raise AssertionError("asked for more windows than there are")


@pytest.mark.parametrize(
    ("firsts", "max_windows", "n_windows", "is_stable", "n_calls"),
    [
        ([10, 50], 3, 2, True, 100),
        ([50], 3, 1, True, 100),
        ([10, 20, 30], 3, 3, False, 80),
        ([10], 1, 1, False, 60),
    ],
)
def test_windows_go_on_until_one_is_stable_and_the_last_is_reported(
    monkeypatch, firsts, max_windows, n_windows, is_stable, n_calls
):
    clock = [100.0]
    monkeypatch.setattr(measure.time, "perf_counter", lambda: clock[0])
    scrapes = iter([{"n": index} for index in range(9)])
    result = measure.measure(
        Scripted(clock, *firsts),
        measure.Step(in_flight=1),
        duration_s=1.0,
        warm_up_s=0,
        max_windows=max_windows,
        read_metrics=lambda: next(scrapes),
    )
    assert (result.windows, result.is_stable, result.calls) == (n_windows, is_stable, n_calls)
    assert result.calls_per_s == n_calls
    assert next(scrapes) == {"n": n_windows + 1}  # one before each window, one after the last


def test_load_goes_on_unbroken_while_extended(load):
    asked = []

    def extend(outcomes):
        asked.append(len(outcomes))
        return 1.0 if len(asked) < 3 else 0.0

    for run in (
        lambda: load([body()]).closed_loop(2, 0.3, extend=extend),
        lambda: load([body()]).open_loop(100, 0.3, seed=1, extend=extend),
    ):
        asked.clear()
        outcomes = run()
        assert len(asked) == 3
        assert asked == sorted(asked)
        starts = sorted(outcome.intended_at for outcome in outcomes)
        assert starts[-1] - starts[0] > 1.3  # into the second extension


def test_command_prints_json(server, tmp_path):
    lines = tmp_path / "pairs.tsv"
    lines.write_text("a b\tb c\nd\te\n")
    flags = ["--server", server.address, "--metrics", f"{server.metrics_url}/metrics"]
    flags += ["--method", "batch", "--pairs", "5", "--in-flight", "1,2", "--input", str(lines)]
    flags += ["--duration", "0.3", "--windows", "2", "--warm-up", "0"]
    flags += ["--json"]
    answer = subprocess.run(
        [*TOKALIGN, "bench", *flags], capture_output=True, text=True, timeout=60
    )
    assert answer.returncode == 0, answer.stderr
    steps = json.loads(answer.stdout)["steps"]
    assert [step["load"] for step in steps] == ["closed 1", "closed 2"]
    assert all(step["queue_ms"] > 0 and step["compute_ms"] > 0 for step in steps)
    assert all(1 <= step["windows"] <= 2 for step in steps)
    assert steps[0]["pairs_per_s"] == pytest.approx(5 * steps[0]["calls_per_s"])


def bench(*flags):
    short = ["--in-flight", "2", "--duration", "0.3", "--windows", "1", "--warm-up", "0", "--json"]
    return subprocess.run(
        [*TOKALIGN, "bench", *flags, *short], capture_output=True, text=True, timeout=120
    )


def test_command_ranks(server, tmp_path):
    lines = tmp_path / "pairs.tsv"
    lines.write_text("a b\tb c\nd\te\nf\tg\n")
    flags = ["--method", "rank", "--pairs", "7", "--input", str(lines)]
    answer = bench("--server", server.address, *flags)
    assert answer.returncode == 0, answer.stderr
    value = json.loads(answer.stdout)
    (step,) = value["steps"]
    assert value["method"] == "rank" and value["tls"] is False
    assert step["calls"] > 0 and step["failed"] == 0
    assert step["pairs_per_s"] == pytest.approx(7 * step["calls_per_s"])


def test_rank_requests_ask_every_target_over_the_sources_in_turn():
    made = requests(METHODS["rank"], [("a", "q"), ("b", "r"), ("c", "s")], 4)
    asked = [align_pb2.RankRequest.FromString(each.body[5:]) for each in made]
    assert [each.question.text for each in asked] == ["q", "r", "s"]
    sources = [[each.sentence.text for each in request.candidates] for request in asked]
    assert sources == [["a", "b", "c", "a"], ["b", "c", "a", "b"], ["c", "a", "b", "c"]]


TOKEN = "t" * 300  # its length takes two bytes of HPACK


@pytest.fixture(scope="module")
def secure(tmp_path_factory):
    """A server with TLS and a token, and the flags and the context of who may call it."""
    folder = tmp_path_factory.mktemp("secure")
    authority = trustme.CA()
    issued = authority.issue_cert("localhost", "127.0.0.1")
    issued.private_key_pem.write_to_path(folder / "key.pem")
    for blob in issued.cert_chain_pems:
        blob.write_to_path(folder / "server.pem", append=True)
    authority.cert_pem.write_to_path(folder / "ca.pem")
    (folder / "token").write_text(f"{TOKEN}\n")
    digest = hashlib.sha256(TOKEN.encode()).hexdigest()
    (folder / "tokens").write_text(f"bench {digest}\n")
    flags = ["--tls-cert", folder / "server.pem", "--tls-key", folder / "key.pem"]
    with started(*map(str, flags), "--token-file", str(folder / "tokens")) as server:
        yield server, folder


@pytest.mark.parametrize("method", ["align", "batch", "rank"])
def test_command_speaks_tls_and_sends_its_token(secure, method):
    server, folder = secure
    flags = ["--tls-ca", str(folder / "ca.pem"), "--token-file", str(folder / "token")]
    answer = bench("--server", server.address, "--method", method, "--pairs", "20", *flags)
    assert answer.returncode == 0, answer.stderr
    value = json.loads(answer.stdout)
    (step,) = value["steps"]
    assert value["tls"] is True
    assert step["calls"] > 0 and step["failed"] == 0


def test_body_larger_than_the_window_is_sent_over_tls(secure):
    server, folder = secure
    tls = ssl.create_default_context(cafile=folder / "ca.pem")
    large = body(text="word " * 60_000)
    request = LoadRequest.of(ALIGN, large)
    generator = Generator(server.address, [request], 1, security=Security(tls, TOKEN))
    (outcome,) = generator.closed_loop(1, 0.0)
    assert outcome.is_ok
    generator.close()


def test_calls_without_the_token_fail(secure):
    server, folder = secure
    answer = bench("--server", server.address, "--tls-ca", str(folder / "ca.pem"))
    assert answer.returncode == 0, answer.stderr
    (step,) = json.loads(answer.stdout)["steps"]
    assert step["failed"] == step["calls"] > 0


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "is the server running, with TLS?"), ("no certificate", "has no PEM certificates")],
)
def test_command_refuses_a_server_that_its_authorities_do_not_know(
    secure, tmp_path, content, message
):
    server, _ = secure
    path = tmp_path / "other.pem"
    path.write_bytes(content.encode() if content else trustme.CA().cert_pem.bytes())
    answer = bench("--server", server.address, "--tls-ca", str(path))
    assert answer.returncode == 1
    assert message in answer.stderr


@pytest.mark.parametrize("option", [("--connections", "0"), ("--duration", "0")])
def test_command_refuses_loads_of_nothing(option):
    command = [*TOKALIGN, "bench", "--server", "127.0.0.1:1", *option]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert answer.returncode == 2
    assert f"Invalid value for '{option[0]}'" in answer.stderr


def test_command_says_when_nobody_listens():
    answer = subprocess.run(
        [*TOKALIGN, "bench", "--server", "127.0.0.1:1"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert answer.returncode == 1
    assert "is the server running" in answer.stderr

import json
import subprocess
import sys

import pytest
from server_process import REAL, started
from tokalign.server import bench
from tokalign.server.loadgen import Generator, Outcome
from tokalign.v1 import align_pb2

ALIGN = bench.METHODS["align"]


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
        generators.append(Generator(server.address, method, bodies, connections))
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
    outcomes = load([body("fail:source.text"), body()], connections=1).closed_loop(1, 0.3)
    assert {outcome.is_ok for outcome in outcomes} == {True, False}


def test_body_larger_than_the_flow_control_window_is_sent(load):
    generator = load([body(text="word " * 60_000)], connections=1)
    (outcome,) = generator.closed_loop(1, 0.001)
    assert outcome.is_ok


def test_latency_counts_from_the_intended_start(load):
    # One connection, a worker busy for 0.2 s at a time: later calls must wait for earlier ones.
    outcomes = load([body("sleep:0.1")], connections=1).open_loop(40, 1.0, seed=1)
    assert max(outcome.latency_s for outcome in outcomes) > 0.3


def test_measure_splits_queue_from_compute(server, load):
    result = bench.measure(
        load([body()]),
        bench.Step(in_flight=4),
        duration_s=0.5,
        warm_up_s=0.1,
        read_metrics=lambda: bench.scrape(f"{server.metrics_url}/metrics"),
    )
    assert result.calls > 0
    assert result.failed == 0
    assert result.latency_ms["p50"] <= result.latency_ms["p99"]
    assert result.queue_ms > 0
    assert result.compute_ms == pytest.approx(1.0)
    assert result.shard_pairs >= 1
    assert "closed 4" in bench.table([result])
    assert "<svg" in bench.page([result], "a <b>")
    assert "a &lt;b&gt;" in bench.page([result], "a <b>")


@pytest.mark.parametrize(
    ("gaps", "is_stable"), [([0.01] * 200, True), ([0.001] * 100 + [0.1] * 20, False)]
)
def test_throughput_that_changes_is_not_stable(gaps, is_stable):
    now, outcomes = 0.0, []
    for gap in gaps:
        now += gap
        outcomes.append(Outcome(now, 0.0, True))
    assert bench._is_stable(outcomes) is is_stable


def test_command_prints_json_and_writes_a_page(server, tmp_path):
    page = tmp_path / "page.html"
    lines = tmp_path / "pairs.tsv"
    lines.write_text("a b\tb c\nd\te\n")
    flags = ["--server", server.address, "--metrics", f"{server.metrics_url}/metrics"]
    flags += ["--method", "batch", "--pairs", "5", "--in-flight", "1,2", "--input", str(lines)]
    flags += ["--duration", "0.3", "--warm-up", "0", "--json", "--html", str(page)]
    answer = subprocess.run(
        [sys.executable, "-c", REAL, "bench", *flags], capture_output=True, text=True, timeout=60
    )
    assert answer.returncode == 0, answer.stderr
    steps = json.loads(answer.stdout)["steps"]
    assert [step["load"] for step in steps] == ["closed 1", "closed 2"]
    assert steps[0]["pairs_per_s"] == pytest.approx(5 * steps[0]["calls_per_s"])
    assert "<svg" in page.read_text()


def test_command_says_when_nobody_listens():
    answer = subprocess.run(
        [sys.executable, "-c", REAL, "bench", "--server", "127.0.0.1:1"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert answer.returncode == 1
    assert "is the server running" in answer.stderr

import re
import socket
import subprocess
import threading
from pathlib import Path

import pytest
from support.server_process import get, started
from support.waiting import wait_until
from tokalign.errors import InputError
from tokalign.server.observe.metrics import MAX_SCRAPES, Metrics, MetricsServer

from bench.procfs import descendants
from bench.server_process import TOKALIGN


def check(address):
    command = [*TOKALIGN, "serve", "--check", address]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def test_probes_follow_the_server():
    with started() as server:
        assert get(f"{server.metrics_url}/livez") == (200, "ok\n")
        assert get(f"{server.metrics_url}/readyz") == (200, "ok\n")
        assert get(f"{server.metrics_url}/other")[0] == 404
        text = get(f"{server.metrics_url}/metrics")[1]
        assert "tokalign_workers_ready 2.0" in text
        assert "_created" not in text
        assert 'tokalign_worker_restarts_total{reason="died"} 0.0' in text


def test_a_metrics_port_that_is_taken_is_named():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=f"cannot listen on 127.0.0.1:{port}; is the port"):
            MetricsServer("127.0.0.1", port, Metrics(), is_live=lambda: True, is_ready=lambda: True)


def test_no_process_of_the_server_leaves_a_core_file():
    with started() as server:
        for pid in (server.process.pid, *descendants(server.process.pid)):
            limits = Path(f"/proc/{pid}/limits").read_text()
            assert re.search(r"^Max core file size +1 +1 ", limits, re.MULTILINE)


def test_idle_peers_of_the_metrics_port_get_a_bounded_number_of_threads():
    monitor = MetricsServer("127.0.0.1", 0, Metrics(), is_live=lambda: True, is_ready=lambda: True)
    n_before = threading.active_count()
    idle = [
        socket.create_connection(("127.0.0.1", monitor.port), timeout=60)
        for _ in range(MAX_SCRAPES + 20)
    ]
    try:
        hung_up = [peer for peer in idle[MAX_SCRAPES:] if peer.recv(1) == b""]
        assert len(hung_up) == 20
        assert threading.active_count() <= n_before + MAX_SCRAPES
        for peer in idle:
            peer.close()
        # The threads see the end of their peers, and others are answered again. Threads of other
        # tests may end as well.
        wait_until(lambda: threading.active_count() <= n_before)
        assert get(f"http://127.0.0.1:{monitor.port}/livez")[0] == 200
    finally:
        for peer in idle:
            peer.close()
        monitor.close()


def test_probes_fail_where_the_event_loop_is_stuck_or_no_calls_are_taken():
    state = {"live": True, "ready": False}
    monitor = MetricsServer(
        "127.0.0.1",
        0,
        Metrics(),
        is_live=lambda: state["live"],
        is_ready=lambda: state["ready"],
    )
    url = f"http://127.0.0.1:{monitor.port}"
    try:
        assert (get(f"{url}/livez")[0], get(f"{url}/readyz")[0]) == (200, 503)
        answer = check(url)
        assert (answer.returncode, answer.stdout) == (1, "")
        assert f"{url} is not ready: HTTP 503" in answer.stderr
        state.update(live=False, ready=True)
        assert (get(f"{url}/livez")[0], get(f"{url}/readyz")[0]) == (503, 200)
        assert check(url).returncode == 0
    finally:
        monitor.close()


def test_check_of_no_metrics_port_says_so():
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}"
        for asked in (url, "http://127.0.0.1:no"):
            answer = check(asked)
            assert answer.returncode == 1 and "Traceback" not in answer.stderr
            assert f"{asked} cannot be asked: " in answer.stderr


def test_check_tells_a_serving_server_from_none():
    with started() as server:
        assert check(server.address).returncode == 0
        server.stop()
        answer = check(server.address)
        assert answer.returncode == 1
        assert f"no server is ready at {server.address}" in answer.stderr

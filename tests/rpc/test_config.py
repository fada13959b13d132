"""The options of `tokalign serve`: whatever is given, a server's configuration or a clear error."""

import dataclasses
import math
import subprocess

import pytest
from click.testing import CliRunner
from tokalign.cli import serve
from tokalign.errors import InputError
from tokalign.server.config import Config, RequestLimits

from bench.server_process import TOKALIGN

ODD = [-1, 0, 10**6, 10**20, -(10**20), 1e20, 1e-20, math.nan, math.inf, -math.inf]
MOST_MS = 2**31


def numbers(kind):
    return [
        each.name
        for each in dataclasses.fields(kind)
        if type(each.default) in (int, float) or each.name in ("workers", "max_worker_rss_bytes")
    ]


@pytest.mark.parametrize("kind", [Config, RequestLimits])
@pytest.mark.parametrize("value", ODD)
def test_numbers_are_in_their_range_or_refused_by_name(kind, value):
    for name in numbers(kind):
        try:
            made = kind(**{name: value})
        except InputError as error:
            assert name in str(error)
        else:
            assert math.isfinite(getattr(made, name))


def test_times_and_sizes_fit_what_grpc_holds():
    limits = RequestLimits(max_request_bytes=MOST_MS - 1)
    config = Config(limits=limits, queue_bytes=MOST_MS, max_connection_age_s=2e6, grace_s=2e6)
    assert round(config.max_connection_age_s * 1000) < MOST_MS
    with pytest.raises(InputError, match="max_request_bytes"):
        RequestLimits(max_request_bytes=MOST_MS)
    with pytest.raises(InputError, match="max_connection_age_s is 1e"):
        Config(max_connection_age_s=1e20)


@pytest.mark.parametrize("host", ["", " ", "a b", "127.0.0.1\n", "\0"])
def test_host_that_is_none_is_refused(host):
    with pytest.raises(InputError, match="host is"):
        Config(host=host)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--max-worker-rss", "-1"], "max_worker_rss_bytes is -1048576; wanted 1 to"),
        (["--max-server-rss", "-1"], "max_server_rss_bytes is -1048576; wanted 134217728 to"),
        (["--metrics-port", "-2"], "metrics_port is -2; wanted 0 to 65535"),
        (["--workers", "1000000"], "workers is 1000000; wanted 1 to 1000"),
        (["--workers", "9" * 5000], "wanted a number or auto"),
        (["--max-connection-age", "1e20"], "max_connection_age_s is 1e+20; wanted 0 to"),
        (["--grace", "nan"], "grace_s is nan; wanted 0 to"),
        (["--max-request-mib", "5000"], "max_request_bytes is 5242880000; wanted 1 to"),
        (["--host", ""], "host is ''"),
        (["--device", "gpu"], "the device is 'gpu'; wanted one of cpu, cuda"),
    ],
)
def test_odd_options_are_usage_errors(monkeypatch, flags, message):
    monkeypatch.setattr("tokalign.server.app.run", lambda *arguments: pytest.fail("it ran"))
    answer = CliRunner().invoke(serve.serve, flags)
    assert answer.exit_code == 2
    assert message in answer.stderr
    assert len(answer.stderr) < 500


def test_closed_standard_error_is_a_usage_error():
    """Or the number of its descriptor would be a connection's."""
    command = ["sh", "-c", 'exec "$@" 2>&-', "sh", *TOKALIGN, "serve", "--port", "0"]
    assert subprocess.run(command, timeout=60).returncode == 2

"""Clients over several servers: each gets its share, a new one as well, one that drains none."""

import asyncio
import contextlib
import json
import urllib.request

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from support import name_server, scripted_server
from support.server_process import started
from support.waiting import wait_until
from tokalign.client import AsyncClient, Client, Retry, UnavailableError
from tokalign.client.options import MAX_TOKENS, service_config
from tokalign.server.rpc.health import MAX_WATCHERS

from bench.server_process import free_port

N_CALLS = 100
TIMEOUT_S = 60.0


def answered(server):
    """Return how many calls of Align a server has answered."""
    with urllib.request.urlopen(f"{server.metrics_url}/metrics", timeout=TIMEOUT_S) as answer:
        lines = answer.read().decode().splitlines()
    return sum(
        float(line.rpartition(" ")[2])
        for line in lines
        if line.startswith("grpc_server_handled_total") and '"Align"' in line and '"OK"' in line
    )


@pytest.fixture(scope="module")
def two():
    """Yield two servers and an address that is both."""
    with started() as first, started() as second:
        yield (first, second), f"ipv4:{first.address},{second.address}"


def shares(servers, call, n_calls=N_CALLS):
    """Return how many of some calls each server has answered."""
    before = list(map(answered, servers))
    for _ in range(n_calls):
        call()
    return [answered(server) - n for server, n in zip(servers, before, strict=True)]


def reach_all(servers, call):
    """Call until every server has answered: until then the first connected ones have all calls."""
    before = list(map(answered, servers))

    def all_have_answered():
        call()
        return all(answered(server) > n for server, n in zip(servers, before, strict=True))

    wait_until(all_have_answered, "a server got no call")


@contextlib.contextmanager
def blocking(address, **settings):
    with Client(address, timeout_s=TIMEOUT_S, **settings) as client:
        yield lambda: client.align("a", "b")


@contextlib.contextmanager
def awaited(address, **settings):
    with asyncio.Runner() as runner:
        client = AsyncClient(address, timeout_s=TIMEOUT_S, **settings)
        yield lambda: runner.run(client.align("a", "b"))
        runner.run(client.close())


@pytest.mark.parametrize("caller", [blocking, awaited])
@pytest.mark.parametrize("retry", [Retry(), None])
def test_calls_take_turns_among_servers(two, caller, retry):
    servers, address = two
    with caller(address, retry=retry) as call:
        reach_all(servers, call)
        both = shares(servers, call)
    assert sum(both) == N_CALLS
    assert min(both) >= N_CALLS * 0.45


def test_a_server_added_behind_a_name_gets_its_share_within_the_connection_age():
    hosts = ["127.0.0.2", "127.0.0.3", "127.0.0.4"]
    port = free_port(hosts)

    def server(host):
        return started("--host", host, "--port", str(port), "--max-connection-age", "1")

    with (
        name_server.running("tokalign.test", hosts[:2]) as names,
        server(hosts[0]) as first,
        server(hosts[1]) as second,
        Client(f"dns://127.0.0.1:{names.port}/tokalign.test:{port}", timeout_s=TIMEOUT_S) as client,
    ):
        reach_all((first, second), lambda: client.align("a", "b"))
        with server(hosts[2]) as third:
            names.addresses = hosts

            def has_its_share():
                (n_third,) = shares([third], lambda: client.align("a", "b"), 30)
                return n_third >= 8

            wait_until(has_its_share, "the new server got no share of the calls")
        # It has gone, and so does its name; no call fails.
        names.addresses = hosts[:2]
        for _ in range(N_CALLS):
            client.align("a", "b")


def test_a_server_that_drains_gets_no_calls_and_none_fails(two):
    (first, _), _ = two
    with started("--drain-delay", "600") as draining:
        with Client(f"ipv4:{draining.address},{first.address}", timeout_s=TIMEOUT_S) as client:
            wait_until(lambda: client.align("a", "b") and answered(draining), "no call came")
            draining.process.terminate()
            with Client(draining.address, retry=None) as health:
                wait_until(lambda: health.health() == "NOT_SERVING", "it does not drain")
                with pytest.raises(UnavailableError):
                    wait_until(lambda: not health.align("a", "b"), "it is called yet")

            wait_until(
                lambda: shares([draining], lambda: client.align("a", "b"), 20) == [0],
                "the draining server is called yet",
            )
        draining.kill()


def test_a_connection_is_watched_a_few_times_at_most(two):
    (server, _), _ = two
    question = health_pb2.HealthCheckRequest(service="tokalign.v1.AlignService")
    with (
        grpc.insecure_channel(server.address) as channel,
        grpc.insecure_channel(
            server.address, options=[("grpc.use_local_subchannel_pool", 1)]
        ) as another,
    ):
        watches = [health_pb2_grpc.HealthStub(channel).Watch(question) for _ in range(MAX_WATCHERS)]
        assert [next(watch).status for watch in watches] == [1] * MAX_WATCHERS
        with pytest.raises(grpc.RpcError) as caught:
            next(health_pb2_grpc.HealthStub(channel).Watch(question))
        assert caught.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
        assert next(health_pb2_grpc.HealthStub(another).Watch(question)).status == 1


def test_service_config_balances_with_and_without_retries():
    with_retries, without = (json.loads(service_config(retry)) for retry in (Retry(), None))
    for config in (with_retries, without):
        assert config["loadBalancingConfig"] == [{"round_robin": {}}]
        assert config["healthCheckConfig"] == {"serviceName": "tokalign.v1.AlignService"}
    assert "retryThrottling" in with_retries
    assert not {"methodConfig", "retryThrottling"} & set(without)


def test_retries_do_not_multiply_overload():
    hasty = Retry(initial_backoff_s=0.01, max_backoff_s=0.01)
    with (
        scripted_server.running() as (address, servicer, _),
        Client(address, retry=hasty, timeout_s=TIMEOUT_S) as client,
    ):
        for _ in range(N_CALLS):
            with pytest.raises(UnavailableError):
                client.align("fail UNAVAILABLE", "a")
        assert N_CALLS < len(servicer.seen) <= N_CALLS + MAX_TOKENS // 2

"""A client whose server ends and is started again, or is not there at all."""

import asyncio
import contextlib
import threading
import time
from concurrent import futures

import pytest
from support.blocking_client import Blocking
from support.server_process import started
from support.waiting import wait_until
from tokalign.client import AsyncClient, Client, UnavailableError

from bench.server_process import free_port

N_CALLERS = 8
TIMEOUT_S = 40.0


def killed(server):
    server.process.kill()


def told_to_stop(server):
    server.process.terminate()


STOPS = pytest.mark.parametrize("stop", [killed, told_to_stop])


@STOPS
def test_no_call_of_threads_is_lost_where_a_server_is_started_again(stop):
    port = free_port()
    n_done, is_over = [0] * N_CALLERS, threading.Event()

    def make_calls(number):
        while not is_over.is_set():
            assert client.align("sleep:0.01", "b").score == 0.5
            n_done[number] += 1

    def each_has_made_more():
        before = n_done.copy()
        wait_until(
            lambda: all(new > old + 3 for new, old in zip(n_done, before, strict=True)),
            "no calls are made",
        )

    with (
        futures.ThreadPoolExecutor(N_CALLERS) as threads,
        Client(f"127.0.0.1:{port}", timeout_s=TIMEOUT_S) as client,
    ):
        try:
            with started("--port", str(port)) as server:
                client.align("a", "b")
                callers = [threads.submit(make_calls, number) for number in range(N_CALLERS)]
                each_has_made_more()
                stop(server)
                server.process.wait()
            with started("--port", str(port)):
                each_has_made_more()
                is_over.set()
                for caller in callers:
                    caller.result()
        finally:
            is_over.set()


@STOPS
async def test_no_call_of_tasks_is_lost_where_a_server_is_started_again(stop):
    port = free_port()
    async with AsyncClient(f"127.0.0.1:{port}", timeout_s=TIMEOUT_S) as client:
        with started("--port", str(port)) as server:
            await client.align("a", "b")
            under_way = [asyncio.create_task(client.align("sleep:1", "b")) for _ in range(4)]
            await asyncio.sleep(0.3)
            stop(server)
            await asyncio.to_thread(server.process.wait)
        while_away = [asyncio.create_task(client.align("a", "b")) for _ in range(40)]
        await asyncio.sleep(1)
        with contextlib.ExitStack() as stack:
            await asyncio.to_thread(stack.enter_context, started("--port", str(port)))
            answers = await asyncio.gather(*under_way, *while_away)
    assert [each.score for each in answers] == [0.5] * len(answers)


@pytest.mark.parametrize("kind", [Client, Blocking])
def test_a_server_that_stays_away_is_named_at_the_deadline(kind):
    with started() as server, kind(server.address) as client:
        client.align("a", "b")
        server.kill()
        begun_at = time.monotonic()
        with pytest.raises(UnavailableError, match=r"no server is ready at .*refused"):
            client.align("a", "b", timeout_s=3)
        assert time.monotonic() - begun_at > 2.9  # it has waited


@pytest.mark.parametrize("kind", [Client, Blocking])
def test_an_address_that_never_answered_is_not_waited_for(kind):
    address = f"127.0.0.1:{free_port()}"
    absent = pytest.raises(UnavailableError, match=f"no server is ready at {address}.*refused")
    with kind(address, timeout_s=600) as client, absent:
        client.align("a", "b")


@pytest.mark.parametrize("kind", [Client, Blocking])
def test_a_stream_begins_once_the_server_is_back(kind):
    port = free_port()
    with kind(f"127.0.0.1:{port}", timeout_s=TIMEOUT_S) as client:
        with started("--port", str(port)):
            client.align("a", "b")
        with contextlib.ExitStack() as stack:
            timer = threading.Timer(1, lambda: stack.enter_context(started("--port", str(port))))
            timer.start()
            results = list(client.align_stream([("a", "b")] * 3, chunk_size=1))
            timer.join()
    assert [each.unwrap().score for each in results] == [0.5] * 3

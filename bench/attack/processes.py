"""Signals, dead and stopped processes, readers that hang, and options that make no sense."""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import signal
import subprocess
import time
import urllib.request
from pathlib import Path

import grpc.aio
from prometheus_client.parser import text_string_to_metric_families
from tokalign.load import procfs
from tokalign.load.process import FREE_PORTS, SERVE, running_server
from tokalign.v1 import admin_pb2, admin_pb2_grpc

from bench.attack.calls import SERVICE, channel
from bench.attack.cost import single
from bench.attack.rows import Attack, row

END_S = 30.0
REFUSED_S = 20.0
MOST_BYTES = 2 << 30
SETTLE_S = 6.0
BAD_OPTIONS = (
    "--port -5",
    "--port 65536",
    "--port x",
    "--host nowhere.invalid",
    "--host 256.1.1.1",
    "--workers 0",
    "--workers -1",
    "--workers 1000000",
    "--workers 1.5",
    "--model no-such-model",
    "--model /dev/null",
    "--annotator nothing",
    "--max-tokens 0",
    "--max-tokens 513",
    "--max-token-product 0",
    "--max-characters -1",
    "--max-pairs 0",
    "--max-request-mib 0",
    "--max-request-mib 99999999999",
    "--queue-pairs 0",
    "--queue-mib -1",
    "--queue-wait -1",
    "--queue-wait nan",
    "--shard-pairs 0",
    "--shard-timeout 0",
    "--shard-timeout nan",
    "--shard-timeout inf",
    "--max-worker-rss -1",
    "--drain-delay -1",
    "--drain-delay nan",
    "--grace -1",
    "--grace 1e20",
    "--max-connection-age -1",
    "--max-connection-age 1e20",
    "--max-connection-age nan",
    "--tls-cert /etc/passwd",
    "--tls-key /etc/passwd",
    "--token-file /dev/null",
    "--log-level loud",
)


async def call(attack: Attack, count: int, timeout_s: float = 5.0) -> int:
    """Make single calls over a new connection and return how many were answered."""
    n_answered = 0
    body = single(6, 4)
    async with channel(attack) as connection:
        align = connection.unary_unary(f"{SERVICE}/Align")
        for _ in range(count):
            with contextlib.suppress(grpc.aio.AioRpcError):
                await align(body, timeout=timeout_s)
                n_answered += 1
    return n_answered


def reloads(attack: Attack) -> int:
    """Return how many reloads the server has done."""
    with urllib.request.urlopen(f"{attack.metrics_url}/metrics", timeout=10) as answer:
        text = answer.read().decode()
    families = text_string_to_metric_families(text)
    samples = [sample for family in families for sample in family.samples]
    return int(sum(each.value for each in samples if each.name == "tokalign_reloads_total"))


@row(
    "hangups",
    "21",
    does="200 SIGHUP within a second",
    by="a reload that is asked for while one waits is that one",
    ends_within_s=60,
)
async def hangups(attack: Attack) -> None:
    for _ in range(200):
        os.kill(attack.pid, signal.SIGHUP)
        attack.note("signals")
        await asyncio.sleep(0.005)
    n_meanwhile = await asyncio.to_thread(reloads, attack)
    await asyncio.sleep(SETTLE_S)
    n_reloads = await asyncio.to_thread(reloads, attack)
    attack.note("reloads", n_reloads)
    # One that ran when the last signal came, and the one that waited.
    n_late = n_reloads - n_meanwhile
    attack.expect(n_reloads > 0 and n_late <= 2, f"{n_late} of {n_reloads} reloads were queued")


def _workers(pid: int) -> list[int]:
    """Return the workers, which are the children of the fork server."""
    below = procfs.descendants(pid)
    return [each for each, stat in below.items() if stat.parent != pid and stat.parent in below]


@row(
    "dead-workers",
    "held",
    does="24 workers killed, 4 stopped, and then the fork server killed",
    by="the pool replaces them, and gives their work to others",
    flags=("--shard-timeout", "2"),
    ends_within_s=240,
)
async def dead_workers(attack: Attack) -> None:
    async with grpc.aio.insecure_channel(attack.admin_address) as connection:
        admin = admin_pb2_grpc.AdminServiceStub(connection)

        async def whole() -> list[int]:
            """Return the workers once there are two that can align."""
            for _ in range(600):
                status = await admin.GetStatus(admin_pb2.GetStatusRequest(), timeout=30)
                if len(status.worker_pids) == 2:
                    return list(status.worker_pids)
                await asyncio.sleep(0.05)
            raise TimeoutError

        for number in range(28):
            workers = await whole()
            kind = signal.SIGSTOP if number % 7 == 6 else signal.SIGKILL
            os.kill(workers[number % 2], kind)
            attack.note(kind.name)
            # A stopped one is found to be hung only once it has something to do.
            await asyncio.sleep(1.0 if kind is signal.SIGKILL else 2.5)
        await whole()
        for each, stat in procfs.descendants(attack.pid).items():
            command = Path(f"/proc/{each}/cmdline").read_bytes()
            if stat.parent == attack.pid and b"forkserver" in command:
                os.kill(each, signal.SIGKILL)
                attack.note("fork server killed")
        await asyncio.sleep(2)


@row(
    "stuck-log",
    "13",
    does="the reader of the log stops, its pipe is filled, and calls, SIGHUP and SIGTERM follow",
    by="log lines go through a bounded queue, and are counted where they are dropped",
    has_server=False,
    is_short=True,
    ends_within_s=120,
)
async def stuck_log(attack: Attack) -> None:
    process = subprocess.Popen((*SERVE, *FREE_PORTS), stderr=subprocess.PIPE, bufsize=0)
    try:
        assert process.stderr is not None
        seen = b""
        while b"listening on " not in seen or not seen.endswith(b"\n"):
            piece = await asyncio.to_thread(process.stderr.read, 4096)
            assert piece, seen
            seen += piece
        attack.address = seen.partition(b"listening on ")[2].split()[0].decode()
        pipe = os.open(f"/proc/{process.pid}/fd/2", os.O_WRONLY | os.O_NONBLOCK)
        for size in (65_536, 4096, 64, 1):
            with contextlib.suppress(BlockingIOError):
                while True:
                    attack.note("bytes in the pipe", os.write(pipe, b"\n" * size))
        os.close(pipe)
        process.send_signal(signal.SIGHUP)
        await asyncio.sleep(3)
        n_answered = await call(attack, 20, 30.0)
        attack.note("calls answered of 20", n_answered)
        attack.expect(n_answered == 20, f"{20 - n_answered} of 20 calls were lost")
        process.send_signal(signal.SIGTERM)
        try:
            code = await asyncio.to_thread(process.wait, END_S)
            attack.expect(code == 0, f"SIGTERM: exit code {code}")
        except subprocess.TimeoutExpired:
            attack.expect(False, f"SIGTERM was not heeded within {END_S:g} s")
    finally:
        for each in procfs.descendants(process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)
        process.kill()
        process.wait()


@row(
    "orphans",
    "19",
    does="the server is killed while its workers are stopped",
    by="workers end with their parent, stopped or not",
    has_server=False,
    ends_within_s=90,
)
async def orphans(attack: Attack) -> None:
    with running_server("--workers", "2") as server:
        workers = _workers(server.process.pid)
        below = list(procfs.descendants(server.process.pid))
        attack.note("workers", len(workers))
        for each in workers:
            os.kill(each, signal.SIGSTOP)
        os.kill(server.process.pid, signal.SIGKILL)
        ends_at = time.monotonic() + END_S
        while left := [each for each in below if procfs.stat(each) is not None]:
            if time.monotonic() > ends_at:
                break
            await asyncio.sleep(0.2)
        for each in left:
            os.kill(each, signal.SIGKILL)
        attack.expect(not left, f"{len(left)} processes outlived a killed server")


@row(
    "sigterm",
    "held",
    does="SIGTERM under 40 callers, with a drain delay",
    by="calls are taken until the delay is over, and those that run are finished",
    has_server=False,
    ends_within_s=60,
)
async def sigterm(attack: Attack) -> None:
    with running_server("--workers", "2", "--drain-delay", "1") as server:
        body = single(20, 10)
        is_over = asyncio.Event()
        async with grpc.aio.insecure_channel(server.address) as connection:
            align = connection.unary_unary(f"{SERVICE}/Align")

            async def caller() -> None:
                while not is_over.is_set():
                    try:
                        await align(body, timeout=10)
                        attack.note("answered")
                    except grpc.aio.AioRpcError as error:
                        attack.expect(False, f"a call while draining: {error.code().name}")
                        return

            callers = [asyncio.create_task(caller()) for _ in range(40)]
            await asyncio.sleep(1)
            server.process.send_signal(signal.SIGTERM)
            await asyncio.sleep(0.7)
            is_over.set()
            await asyncio.gather(*callers)
        code = await asyncio.to_thread(server.process.wait, END_S)
        attack.expect(code == 0, f"SIGTERM: exit code {code}")


def _bound_memory() -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))


@row(
    "options",
    "20",
    does="starts with options that make no sense, and one without standard error",
    by="every option is checked before anything is started",
    has_server=False,
    ends_within_s=240,
)
async def options(attack: Attack) -> None:
    room = asyncio.Semaphore(2)

    async def start(option: str) -> None:
        async with room:
            process = await asyncio.create_subprocess_exec(
                *SERVE,
                *FREE_PORTS,
                *option.split(),
                stderr=asyncio.subprocess.PIPE,
                preexec_fn=_bound_memory,
            )
            try:
                _, text = await asyncio.wait_for(process.communicate(), REFUSED_S)
            except TimeoutError:
                for each in procfs.descendants(process.pid):
                    os.kill(each, signal.SIGKILL)
                process.kill()
                await process.wait()
                attack.expect(False, f"{option}: was not refused")
                return
            attack.note(f"exit code {process.returncode}")
            attack.expect(process.returncode in (1, 2), f"{option}: ended {process.returncode}")
            attack.expect(b"Traceback" not in text, f"{option}: a traceback")

    await asyncio.gather(*(start(option) for option in BAD_OPTIONS))
    closed = ["sh", "-c", 'exec "$@" 2>&-', "sh", *SERVE, *FREE_PORTS]
    process = await asyncio.create_subprocess_exec(*closed)
    try:
        code = await asyncio.wait_for(process.wait(), 8)
        attack.expect(code != 0, "closed standard error: ended with 0")
    except TimeoutError:
        attack.note("serves without standard error")
        process.terminate()
        await process.wait()

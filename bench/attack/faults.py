"""Faults under mixed load: workers killed, stopped and starved, models reloaded, clients gone.

Starved means paused again and again, or left with what busy processes on the same cores give.
Clients vanish with a closed channel or, in the middle of a request, with a reset connection.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Sequence
from typing import Any

import grpc.aio
from tokalign.client.load.methods import METHODS
from tokalign.v1 import admin_pb2, admin_pb2_grpc, align_pb2, align_pb2_grpc

from bench import procfs
from bench.attack.caller import pairs
from bench.attack.peer import Peer, message
from bench.attack.rows import Attack, row

ALLOWED = frozenset(
    {"OK", "RESOURCE_EXHAUSTED", "DEADLINE_EXCEEDED", "CANCELLED", "UNAVAILABLE", "INTERNAL"}
)
CALL_LIMIT_S = 90.0
SETTLE_S = 60.0
WORKERS = 2
JUDGED_S = 120
"""In less time half of a run may see nothing but reloads, which hold two sets of workers."""
GROWTH = (("open files", 20), ("MiB", 64), ("processes", 2 * WORKERS), ("MiB of all", 150))
"""By how much the second half of a run may exceed the first."""
BUSY_LOOP = "import sys, time\nend = time.monotonic() + float(sys.argv[1])\n"
BUSY_LOOP += "while time.monotonic() < end: pass"


class Faults:
    """The state of one run."""

    def __init__(self, attack: Attack) -> None:
        self.attack = attack
        self.rng = random.Random(0)
        self.pairs = pairs()
        self.stop_at = time.monotonic() + 60 * attack.amounts.minutes
        self.sizes: list[tuple[float, ...]] = []

    @property
    def is_over(self) -> bool:
        """Whether no more calls and faults are to begin."""
        return time.monotonic() >= self.stop_at

    def stub(self, channel: grpc.aio.Channel) -> Any:
        """Return the service over a channel."""
        return align_pb2_grpc.AlignServiceStub(channel)

    def batch(self, n_pairs: int) -> Any:
        """Return a request of so many pairs, each with its number."""
        request = align_pb2.BatchAlignRequest()
        for index in range(n_pairs):
            request.pairs.add().CopyFrom(self.pairs[index % len(self.pairs)])
            request.pairs[-1].id = str(index)
        return request

    async def call(self, method: Any, request: Any, timeout_s: float) -> Any:
        """Return the answer, or None where the call ends with an allowed code."""
        try:
            answer = await asyncio.wait_for(method(request, timeout=timeout_s), CALL_LIMIT_S)
        except TimeoutError:
            self.attack.expect(False, "a call hung")
            return None
        except grpc.aio.AioRpcError as error:
            self.count(error.code().name)
            if error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED:
                await asyncio.sleep(0.05)
            return None
        self.count("OK")
        return answer

    def count(self, code: str) -> None:
        """Note how a call has ended."""
        self.attack.note(code)
        self.attack.expect(code in ALLOWED, f"a call ended with {code}")

    async def singles(
        self, channel: grpc.aio.Channel, name: str, timeouts_s: Sequence[float] = (0.02, 5, 30)
    ) -> None:
        """Make single calls, by default some of them with no time."""
        number = 0
        while not self.is_over:
            number += 1
            pair = align_pb2.Pair()
            pair.CopyFrom(self.rng.choice(self.pairs))
            pair.id = f"{name}-{number}"
            request = align_pb2.AlignRequest(pair=pair)
            timeout_s = self.rng.choice(timeouts_s)
            answer = await self.call(self.stub(channel).Align, request, timeout_s)
            is_right = answer is None or answer.id == pair.id
            self.attack.expect(is_right, "a call got the answer of another")

    async def batches(self, channel: grpc.aio.Channel) -> None:
        """Make calls of many pairs."""
        while not self.is_over:
            request = self.batch(self.rng.choice([10, 300, 2000]))
            answer = await self.call(self.stub(channel).BatchAlign, request, 60)
            if answer is None:
                continue
            ids = [result.id for result in answer.results]
            is_right = ids == [pair.id for pair in request.pairs]
            self.attack.expect(is_right, "a batch lost, doubled or reordered pairs")
            failed = sum(result.status.code != 0 for result in answer.results)
            self.attack.note("failed items", failed)

    async def streams(self, channel: grpc.aio.Channel) -> None:
        """Make streams of chunks."""
        names = [f"c{index}" for index in range(20)]

        async def chunks() -> AsyncIterator[Any]:
            for name in names:
                yield align_pb2.AlignStreamRequest(chunk_id=name, pairs=self.pairs[:20])

        while not self.is_over:
            try:
                stream = self.stub(channel).AlignStream(chunks(), timeout=60)
                got = [answer.chunk_id async for answer in stream]
            except grpc.aio.AioRpcError as error:
                self.count(error.code().name)
                continue
            self.count("OK")
            is_right = sorted(got) == sorted(names)
            self.attack.expect(is_right, "a stream lost or doubled chunks")

    async def vanishers(self) -> None:
        """Go away in the middle of a call."""
        while not self.is_over:
            async with grpc.aio.insecure_channel(self.attack.address) as channel:
                method = self.stub(channel).BatchAlign
                call = asyncio.ensure_future(self.call(method, self.batch(500), 60))
                await asyncio.sleep(self.rng.random() * 0.2)
            call.cancel()
            self.attack.note("clients vanished")

    async def resetters(self) -> None:
        """Break a connection within a request or before its answer."""
        large = self.batch(1000).SerializeToString()
        while not self.is_over:
            peer = await Peer.open(self.attack.address)
            body = message(self.rng.choice([large, large[:200]]))
            bodies = []
            for _ in range(self.rng.randint(1, 5)):
                stream = await peer.call(METHODS["batch"].rpc)
                bodies.append(asyncio.create_task(peer.body(stream, body, end=True)))
            await asyncio.sleep(self.rng.random() * 0.3)
            for each in bodies:
                each.cancel()
            await asyncio.gather(*bodies, return_exceptions=True)
            await peer.close(by_reset=True)
            self.attack.note("connections reset")

    async def saboteur(self, admin: Any) -> None:
        """Kill, stop, pause and starve workers."""
        while not self.is_over:
            await asyncio.sleep(self.rng.uniform(0.3, 2.0))
            status = await admin.GetStatus(admin_pb2.GetStatusRequest(), timeout=30)
            if not status.worker_pids:
                continue
            fault = self.rng.choice(["killed", "killed", "stopped", "paused", "starved"])
            pid = self.rng.choice(list(status.worker_pids))
            try:
                if fault == "paused":
                    await self.pause(pid)
                elif fault == "starved":
                    await self.starve()
                else:
                    os.kill(pid, signal.SIGKILL if fault == "killed" else signal.SIGSTOP)
                self.attack.note(fault)
            except ProcessLookupError:
                self.attack.note("already gone")

    async def pause(self, pid: int) -> None:
        """Stop a worker again and again, never long enough to be taken for hung."""
        for _ in range(self.rng.randint(3, 10)):
            os.kill(pid, signal.SIGSTOP)
            await asyncio.sleep(self.rng.uniform(0.05, 0.4))
            os.kill(pid, signal.SIGCONT)
            await asyncio.sleep(0.05)

    async def starve(self) -> None:
        """Fill the cores that the workers may use with busy processes."""
        command = [sys.executable, "-S", "-c", BUSY_LOOP, str(self.rng.uniform(1.0, 3.0))]
        n_hogs = 2 * len(os.sched_getaffinity(self.attack.pid))
        for hog in [subprocess.Popen(command) for _ in range(n_hogs)]:
            await asyncio.to_thread(hog.wait)

    async def reloader(self, admin: Any) -> None:
        """Load the models in another order, or one that must be refused."""
        while not self.is_over:
            await asyncio.sleep(self.rng.uniform(1.5, 4.0))
            is_bad = self.rng.random() < 0.3
            names = ["no-such-model"] if is_bad else self.rng.sample(["en", "en-rte2"], 2)
            code = "OK"
            try:
                await admin.Reload(admin_pb2.ReloadRequest(models=names), timeout=60)
            except grpc.aio.AioRpcError as error:
                code = error.code().name
            wanted = "FAILED_PRECONDITION" if is_bad else "OK"
            self.attack.expect(code == wanted, f"a reload of {names} ended with {code}")
            self.attack.note("bad reloads" if is_bad else "reloads")

    async def settle(self, admin: Any) -> None:
        """Wait until the server is idle with all its workers."""
        late = time.monotonic() + SETTLE_S
        while time.monotonic() < late:
            status = await admin.GetStatus(admin_pb2.GetStatusRequest(), timeout=30)
            # The well-behaved caller still calls.
            if status.admitted_pairs < 10 and len(status.worker_pids) == WORKERS:
                return
            await asyncio.sleep(0.1)
        self.attack.expect(False, "the server was not whole and idle a minute after the load")

    async def watch(self) -> None:
        """Note open files and MiB of the server's own process, processes and MiB of all."""
        pid = self.attack.pid
        while not self.is_over:
            await asyncio.sleep(1.0)
            family = (pid, *procfs.descendants(pid))
            own, of_all = procfs.resident_mib(pid), sum(map(procfs.resident_mib, family))
            self.sizes.append((procfs.open_files(pid), own, len(family), of_all))

    def judge_growth(self) -> None:
        """Compare the least of the second half of a run with that of the first."""
        settled = self.sizes[len(self.sizes) // 4 :]
        half = len(settled) // 2
        for index, (what, slack) in enumerate(GROWTH):
            if what == "MiB of all" and len(self.sizes) < JUDGED_S:
                continue
            early = min(size[index] for size in settled[:half])
            late = min(size[index] for size in settled[half:])
            self.attack.expect(late <= early + slack, f"{what} grew from {early:.0f} to {late:.0f}")


@row(
    "faults",
    "Every call gets its own right answer or an allowed error, nothing hangs, memory, open files "
    "and processes stay flat, and the server is whole and idle at the end.",
    ends_itself=True,
    flags=("--model", "en", "--model", "en-rte2", "--shard-timeout", "2", "--queue-pairs", "12000"),
    loses_workers=True,
    may_get=ALLOWED,
)
async def faults(attack: Attack) -> None:
    """Loads the server, kills, stops and starves workers, reloads models, breaks connections."""
    run = Faults(attack)
    async with (
        grpc.aio.insecure_channel(attack.admin_address) as admin_channel,
        grpc.aio.insecure_channel(attack.address) as one,
        grpc.aio.insecure_channel(attack.address) as two,
        grpc.aio.insecure_channel(attack.address) as three,
    ):
        admin = admin_pb2_grpc.AdminServiceStub(admin_channel)
        await asyncio.gather(
            *(run.singles(one, f"{number}") for number in range(8)),
            *(run.batches(two) for _ in range(2)),
            *(run.streams(three), run.vanishers(), run.resetters()),
            *(run.saboteur(admin), run.reloader(admin), run.watch()),
        )
        await run.settle(admin)
    run.judge_growth()
    attack.expect(attack.notes.get("OK", 0) > 0, "no call succeeded")


KILL_GAP_S = 0.2
LOST_PER_CALL = 1 / 1000


def loaded_processes(server_pid: int) -> list[int]:
    """Return the processes that have loaded models or are just starting: workers, their parent."""
    return [
        pid for pid in procfs.descendants(server_pid) if b"spawn_main" in procfs.command_line(pid)
    ]


@row(
    "kills",
    "The server lives and is whole and idle at the end; at most one call in a thousand ends with "
    "anything but its answer or a refusal for overload, and none of the caller's.",
    ends_itself=True,
)
async def kills(attack: Attack) -> None:
    """Kills a random one of the workers and of their parent every 0.2 s, starting ones too."""
    run = Faults(attack)
    run.stop_at = time.monotonic() + attack.amounts.seconds
    async with (
        grpc.aio.insecure_channel(attack.admin_address) as admin_channel,
        grpc.aio.insecure_channel(attack.address) as one,
        grpc.aio.insecure_channel(attack.address) as two,
    ):

        async def assassin() -> None:
            while not run.is_over:
                await asyncio.sleep(KILL_GAP_S)
                if pids := loaded_processes(attack.pid):
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(run.rng.choice(pids), signal.SIGKILL)
                        attack.note("killed")

        await asyncio.gather(
            *(run.singles(one, f"{number}", (30,)) for number in range(8)),
            *(run.batches(two) for _ in range(2)),
            assassin(),
        )
        await run.settle(admin_pb2_grpc.AdminServiceStub(admin_channel))
    answered, failed_items = attack.notes.get("OK", 0), attack.notes.get("failed items", 0)
    wrong = ALLOWED - {"OK", "RESOURCE_EXHAUSTED"}
    lost = sum(attack.notes.get(code, 0) for code in wrong) + failed_items
    attack.note("lost", lost)
    attack.expect(
        lost <= LOST_PER_CALL * (answered + lost), f"{lost} of {answered + lost} calls were lost"
    )
    attack.expect(answered > 0, "no call succeeded")

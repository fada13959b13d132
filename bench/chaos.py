"""Chaos: mixed load while workers are killed, stopped and starved, models reloaded, clients gone.

Starved means paused again and again, or left with what busy processes on the same cores give.
Clients vanish with a closed channel or, in the middle of a request, with a reset connection.

Ends with exit code 1 unless every call got its answer or an error code that the contract allows,
no answer came twice or to the wrong call, nothing hung, memory, open files and processes stayed
flat, and the server was whole and idle at the end. The memory of all processes together is judged
in runs of two minutes or more.

Usage: python bench/chaos.py [--minutes 10] [--seed 0]
"""

import argparse
import asyncio
import collections
import json
import os
import random
import signal
import socket
import struct
import subprocess
import sys
import time

import grpc
import grpc.aio
from serving import batch, sample, serve
from tokalign.load import procfs
from tokalign.load.connection import LoadConnection
from tokalign.load.measure import METHODS
from tokalign.v1 import admin_pb2, admin_pb2_grpc, align_pb2, align_pb2_grpc

ALLOWED = {"OK", "RESOURCE_EXHAUSTED", "DEADLINE_EXCEEDED", "CANCELLED", "UNAVAILABLE", "INTERNAL"}
CALL_LIMIT_S = 60.0
WORKERS = 2
JUDGED_S = 120
ALL_MEMORY = "MiB in all processes"
# Closing sends a reset instead of an orderly end.
RESET = struct.pack("ii", 1, 0)
BUSY_LOOP = "import sys, time\nend = time.monotonic() + float(sys.argv[1])\n"
BUSY_LOOP += "while time.monotonic() < end: pass"


class Chaos:
    """The state of one run."""

    def __init__(self, server, admin_address, seed):
        self.server = server
        self.pid = server.process.pid
        self.admin_address = admin_address
        self.rng = random.Random(seed)
        self.pairs = sample()
        self.codes = collections.Counter()
        self.faults = collections.Counter()
        self.wrong = []
        self.is_over = False

    async def singles(self, channel):
        stub = align_pb2_grpc.AlignServiceStub(channel)
        number = 0
        while not self.is_over:
            number += 1
            pair = align_pb2.Pair()
            pair.CopyFrom(self.rng.choice(self.pairs))
            pair.id = f"{id(channel)}-{number}"
            timeout = self.rng.choice([0.02, 5, 30])
            code, answer = await self.call(stub.Align, align_pb2.AlignRequest(pair=pair), timeout)
            if code == "OK" and answer.id != pair.id:
                self.wrong.append(f"asked {pair.id}, got {answer.id}")

    async def batches(self, channel):
        stub = align_pb2_grpc.AlignServiceStub(channel)
        while not self.is_over:
            request = batch(self.pairs, self.rng.choice([10, 300, 2000]))
            for index, pair in enumerate(request.pairs):
                pair.id = str(index)
            code, answer = await self.call(stub.BatchAlign, request, 60)
            if code != "OK":
                continue
            ids = [result.id for result in answer.results]
            if ids != [pair.id for pair in request.pairs]:
                self.wrong.append("a batch lost, doubled or reordered pairs")
            failed = sum(result.status.code != 0 for result in answer.results)
            self.codes["failed items"] += failed

    async def streams(self, channel):
        stub = align_pb2_grpc.AlignServiceStub(channel)
        while not self.is_over:
            sent = [f"c{index}" for index in range(20)]

            async def chunks(sent=sent):
                for name in sent:
                    yield align_pb2.AlignStreamRequest(chunk_id=name, pairs=self.pairs[:20])

            got = []
            try:
                async for answer in stub.AlignStream(chunks(), timeout=60):
                    got.append(answer.chunk_id)
                self.codes["OK"] += 1
                if sorted(got) != sorted(sent):
                    self.wrong.append("a stream lost or doubled chunks")
            except grpc.aio.AioRpcError as error:
                self.count(error.code().name)

    async def vanishers(self):
        """Clients that go away in the middle of a call."""
        while not self.is_over:
            async with grpc.aio.insecure_channel(self.server.address) as channel:
                stub = align_pb2_grpc.AlignServiceStub(channel)
                call = asyncio.ensure_future(self.abandon(stub))
                await asyncio.sleep(self.rng.random() * 0.2)
            call.cancel()
            self.faults["clients vanished"] += 1

    async def resetters(self):
        """Clients whose connection breaks within a request or before its answer."""
        large = batch(self.pairs, 1000).SerializeToString()
        while not self.is_over:
            body = self.rng.choice([large, large[:200]])
            connection = LoadConnection(self.server.address, METHODS["batch"], is_patient=False)
            for _ in range(self.rng.randint(1, 5)):
                connection.call(struct.pack(">BI", 0, len(body)) + body, time.perf_counter())
            connection.flush()
            await asyncio.sleep(self.rng.random() * 0.3)
            connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            connection.socket.close()
            self.faults["connections reset"] += 1

    async def abandon(self, stub):
        try:
            await stub.BatchAlign(batch(self.pairs, 500))
        except grpc.aio.AioRpcError as error:
            self.count(error.code().name)

    async def call(self, method, request, timeout):
        try:
            answer = await asyncio.wait_for(method(request, timeout=timeout), CALL_LIMIT_S + 30)
        except TimeoutError:
            self.wrong.append("a call hung")
            return "HUNG", None
        except grpc.aio.AioRpcError as error:
            self.count(error.code().name)
            if error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED:
                await asyncio.sleep(0.05)
            return error.code().name, None
        self.codes["OK"] += 1
        return "OK", answer

    def count(self, code):
        self.codes[code] += 1
        if code not in ALLOWED:
            self.wrong.append(f"code {code}")

    async def saboteur(self):
        async with grpc.aio.insecure_channel(self.admin_address) as channel:
            admin = admin_pb2_grpc.AdminServiceStub(channel)
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
                    self.faults[fault] += 1
                except ProcessLookupError:
                    self.faults["already gone"] += 1

    async def pause(self, pid):
        """Stop a worker again and again, never long enough to be taken for hung."""
        for _ in range(self.rng.randint(3, 10)):
            os.kill(pid, signal.SIGSTOP)
            await asyncio.sleep(self.rng.uniform(0.05, 0.4))
            os.kill(pid, signal.SIGCONT)
            await asyncio.sleep(0.05)

    async def starve(self):
        """Fill the cores that the workers may use with busy processes."""
        seconds = str(self.rng.uniform(1.0, 3.0))
        n_hogs = 2 * len(os.sched_getaffinity(self.pid))
        hogs = [
            subprocess.Popen([sys.executable, "-S", "-c", BUSY_LOOP, seconds])
            for _ in range(n_hogs)
        ]
        for hog in hogs:
            await asyncio.to_thread(hog.wait)

    async def reloader(self):
        """Every few seconds another model, or one that must be refused."""
        async with grpc.aio.insecure_channel(self.admin_address) as channel:
            admin = admin_pb2_grpc.AdminServiceStub(channel)
            while not self.is_over:
                await asyncio.sleep(self.rng.uniform(1.5, 4.0))
                if self.rng.random() < 0.3:
                    await self.bad_reload(admin)
                    continue
                names = self.rng.sample(["en", "en-rte2"], 2)
                try:
                    await admin.Reload(admin_pb2.ReloadRequest(models=names), timeout=60)
                    self.faults["reloads"] += 1
                except grpc.aio.AioRpcError as error:
                    self.wrong.append(f"a reload failed: {error.code().name}")

    async def bad_reload(self, admin):
        try:
            await admin.Reload(admin_pb2.ReloadRequest(models=["no-such-model"]), timeout=60)
            self.wrong.append("a missing model was accepted")
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.FAILED_PRECONDITION:
                self.wrong.append(f"a missing model gave {error.code().name}")
        self.faults["bad reloads"] += 1

    def size(self):
        """Open files and MiB of the server's own process, then processes and MiB of all of it."""
        family = (self.pid, *procfs.descendants(self.pid))
        own_mib = procfs.resident_mib(self.pid)
        all_mib = sum(map(procfs.resident_mib, family))
        return procfs.open_files(self.pid), own_mib, len(family), all_mib

    async def settle(self):
        """Wait until the server is idle with all its workers, and answers."""
        async with (
            grpc.aio.insecure_channel(self.admin_address) as admin_channel,
            grpc.aio.insecure_channel(self.server.address) as channel,
        ):
            admin = admin_pb2_grpc.AdminServiceStub(admin_channel)
            stop_at = time.monotonic() + 60
            while True:
                status = await admin.GetStatus(admin_pb2.GetStatusRequest(), timeout=30)
                work = (status.admitted_pairs, status.busy_workers)
                if work == (0, 0) and len(status.worker_pids) == WORKERS:
                    break
                if time.monotonic() > stop_at:
                    self.wrong.append(f"pairs and busy workers left without load: {work}")
                    return
                await asyncio.sleep(0.1)
            request = align_pb2.AlignRequest(pair=self.pairs[0])
            await align_pb2_grpc.AlignServiceStub(channel).Align(request, timeout=60)

    async def watch(self, stop_at, sizes):
        while time.monotonic() < stop_at:
            await asyncio.sleep(1.0)
            sizes.append(self.size())
        self.is_over = True

    async def run(self, minutes):
        stop_at = time.monotonic() + 60 * minutes
        sizes = []
        channels = [grpc.aio.insecure_channel(self.server.address) for _ in range(3)]
        work = [self.singles(channels[0]) for _ in range(8)]
        work += [self.batches(channels[1]) for _ in range(2)]
        work += [self.streams(channels[2]), self.vanishers(), self.resetters()]
        work += [self.saboteur(), self.reloader()]
        await asyncio.gather(self.watch(stop_at, sizes), *work)
        for channel in channels:
            await channel.close()
        await self.settle()
        return sizes


def verdict(chaos, sizes, exit_code):
    """Print what happened and return the faults of the server."""
    wrong = list(chaos.wrong)
    if exit_code != 0:
        wrong.append(f"the server ended with {exit_code}")
    if not chaos.codes["OK"]:
        wrong.append("no call succeeded")
    settled = sizes[len(sizes) // 4 :]
    half = len(settled) // 2
    limits = (("files", 20), ("MiB", 64), ("processes", 2 * WORKERS), (ALL_MEMORY, 150))
    for index, (what, slack) in enumerate(limits):
        early = [size[index] for size in settled[:half]]
        late = [size[index] for size in settled[half:]]
        print(
            f"{what}: {min(early):.0f} to {max(early):.0f} in the first half, "
            f"{min(late):.0f} to {max(late):.0f} in the second"
        )
        # A reload holds two sets of workers for as long as it takes; what leaks stays afterwards.
        # In less than two minutes a half may see nothing but reloads, so the sum is not judged.
        is_judged = what != ALL_MEMORY or len(sizes) >= JUDGED_S
        if is_judged and min(late) > min(early) + slack:
            wrong.append(f"{what} grew from {min(early):.0f} to {min(late):.0f}")
    if len(sizes) < JUDGED_S:
        print(f"{ALL_MEMORY}: not judged in a run of less than {JUDGED_S} seconds")
    print("answers:", dict(chaos.codes))
    print("faults injected:", dict(chaos.faults))
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    flags = "--admin-port 0 --model en --model en-rte2 --shard-timeout 2 --queue-pairs 12000"
    server = serve(*flags.split(), "--grace", "10", workers=WORKERS)
    chaos = Chaos(server, server.admin_address, arguments.seed)
    sizes = asyncio.run(chaos.run(arguments.minutes))
    wrong = verdict(chaos, sizes, server.stop())
    names = ("files", "own_mib", "processes", "all_mib")
    report = {
        "minutes": arguments.minutes,
        "answers": {code: chaos.codes[code] for code in sorted(ALLOWED)},
        "faults": chaos.faults,
        "most": dict(zip(names, map(max, zip(*sizes, strict=True)), strict=True)),
        "wrong": len(wrong),
    }
    print(json.dumps(report))
    for fault in sorted(set(wrong)):
        print("WRONG:", fault, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

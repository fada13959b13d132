"""One trial: a server, a well-behaved caller, an attack, and what is judged of them."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import multiprocessing
import os
import resource
import signal
import statistics
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tokalign.errors import ServerError
from tokalign.server.config import RequestLimits

from bench import procfs

# They register the rows, here and in the process of an attack.
from bench.attack import bare, callers, faults, http, malformed, strangers, tiny  # noqa: F401
from bench.attack.caller import OK, WRONG, Caller
from bench.attack.rows import (
    OWN_MIB,
    ROWS,
    STRANGER_MIB,
    WORKER_MIB,
    Amounts,
    Attack,
    Row,
)
from bench.server_process import SERVE, ServerProcess, running_server
from deploy import loopback

STOP_MIB = 1536
"""A server that takes so much of the machine is ended, which is a failure."""
LATE_S = 120.0
ENDS_ITSELF_S = 3600.0
"""An attacker that has not ended so long after its time is killed, which is a failure."""
LOOK_S = 0.05
LOOKS_PER_FAMILY = 10
REST_S = 2.0
TOKEN = "a token for the well-behaved caller of an attack"
_SPAWN = multiprocessing.get_context("spawn")


@dataclass
class Result:
    """How a trial ended; the row passed where nothing is broken."""

    # By their verdict, and whether over a connection of their own.
    calls: Counter[tuple[str, bool]] = field(default_factory=Counter)
    peak_mib: dict[str, float] = field(default_factory=dict)
    notes: dict[str, int] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)
    # The attacker broke, which says nothing of a server without protection.
    is_void: bool = False


def run(row: Row, amounts: Amounts, is_without: bool) -> Result:
    """Return how a row's trial ended, or how it does where its protection is switched off."""
    result = Result()
    with contextlib.ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="attack-")))
        flags = [*_flags(row, directory), *(row.without_flags if is_without else ())]
        is_bare = is_without and row.name in bare.SWITCHES
        command = bare.command(row.name) if is_bare else SERVE
        server = stack.enter_context(running_server(*flags, command=command))
        address, envoy = server.address, None
        if row.is_stranger or row.is_behind_envoy:
            change = row.without if is_without and row.without else _as_shipped
            ports = [int(address.rpartition(":")[2])]
            http_ports = [urlsplit(server.http_url).port or 0] if _has_http(row) else []
            front = stack.enter_context(
                loopback.envoy(directory, ports, http_ports=http_ports, change=change)
            )
            address, envoy = front.address, front.process
        asyncio.run(_beside_caller(row, amounts, server, address, envoy, result))
        _judge_calls(row, result)
        _end(row, server, result)
    return result


def _as_shipped(config: dict[str, Any]) -> None:
    """Change nothing of Envoy's configuration."""


def _has_http(row: Row) -> bool:
    return "--http-port" in row.flags


def _flags(row: Row, directory: Path) -> list[str]:
    flags = ["--workers", "2", "--admin-port", "0", *row.flags]
    if row.is_stranger:
        path = directory / "tokens" / "tokens"
        path.parent.mkdir()
        path.write_text(f"caller {hashlib.sha256(TOKEN.encode()).hexdigest()}\n")
        flags += ["--token-file", str(path)]
    return flags


async def _beside_caller(
    row: Row,
    amounts: Amounts,
    server: ServerProcess,
    address: str,
    envoy: subprocess.Popen[bytes] | None,
    result: Result,
) -> None:
    caller = Caller(address, TOKEN if row.is_stranger else "")
    await caller.start()
    http_url = server.http_url if _has_http(row) else ""
    if row.is_behind_envoy:
        http_url = f"http://{address}"
    limits = RequestLimits()  # as shipped, also where larger ones are tried
    attack = Attack(
        address=address,
        metrics_url=server.metrics_url,
        admin_address=server.admin_address,
        pid=server.process.pid,
        request_bytes=limits.max_request_bytes,
        max_pairs=limits.max_pairs,
        amounts=amounts,
        http_url=http_url,
    )
    await asyncio.sleep(REST_S)
    n_before = len(caller.seconds)
    watched = asyncio.create_task(_watch_memory(row, server, envoy, result))
    await asyncio.to_thread(_carry_out, row, attack, result)
    await asyncio.sleep(REST_S)
    watched.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await watched
    await caller.stop()
    result.calls = caller.ended
    before, during = statistics.median(caller.seconds[:n_before]), caller.seconds[n_before:]
    slower = statistics.median(during) / before
    result.notes |= {"times as slow": round(slower), "slowest call, ms": round(1000 * max(during))}
    if row.slower and slower > row.slower:
        result.broken.append(f"calls took {slower:.0f} times as long; {row.slower:.0f} are allowed")


def _carry_out(row: Row, attack: Attack, result: Result) -> None:
    """Run the attack in a process of its own."""
    mine, its = _SPAWN.Pipe()
    process = _SPAWN.Process(target=_attack, args=(row.name, attack, its), daemon=True)
    process.start()
    its.close()
    late = attack.amounts.seconds
    if row.ends_itself:
        late = ENDS_ITSELF_S + 60 * attack.amounts.minutes
    try:
        found = mine.recv() if mine.poll(late + LATE_S) else None
    except EOFError:
        found = None
    finally:
        mine.close()
        _kill({*procfs.descendants(process.pid or 0), process.pid or 0})
        process.join()
    if found is None:
        result.broken.append("the attacker failed or did not end: see above")
        result.is_void = True
    else:
        result.notes, result.broken = found.notes, result.broken + found.broken


def _kill(pids: Iterable[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _attack(name: str, attack: Attack, pipe: Connection) -> None:
    """Carry out a row's attack and send the Attack back with what it found."""
    row = ROWS[name]
    n_files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (n_files, n_files))
    if row.is_stranger:
        os.nice(19)  # as if on a machine of its own: the server and the caller come first

    async def carry_out() -> None:
        task = asyncio.ensure_future(row.run(attack))
        # Left alone where its time is over, for a task that is just connecting may miss that it is
        # cancelled, and would go on.
        timeout_s = None if row.ends_itself else attack.amounts.seconds
        over, _ = await asyncio.wait({task}, timeout=timeout_s)
        for each in over:
            each.result()
        pipe.send(attack)
        # What its tasks and threads still hold need not be waited for.
        os._exit(0)

    asyncio.run(carry_out())


async def _watch_memory(
    row: Row, server: ServerProcess, envoy: subprocess.Popen[bytes] | None, result: Result
) -> None:
    """Judge the memory of the processes until cancelled."""
    pid = server.process.pid
    own_before = procfs.resident_mib(pid)
    front_before = procfs.resident_mib(envoy.pid) if envoy else 0.0
    adds_mib = row.adds_mib or (STRANGER_MIB if row.is_stranger else OWN_MIB)
    own_bound = min(OWN_MIB, own_before + adds_mib)
    bounds = {"server": own_bound, "worker": WORKER_MIB, "Envoy": front_before + row.front_mib}
    peak = result.peak_mib = dict.fromkeys(bounds, 0.0)
    n_looks = 0
    try:
        while peak["server"] < STOP_MIB:
            peak["server"] = max(peak["server"], procfs.resident_mib(pid))
            if envoy:
                peak["Envoy"] = max(peak["Envoy"], procfs.resident_mib(envoy.pid))
            if n_looks % LOOKS_PER_FAMILY == 0:
                workers = map(procfs.resident_mib, procfs.descendants(pid))
                peak["worker"] = max(peak["worker"], *workers, 0.0)
            n_looks += 1
            await asyncio.sleep(LOOK_S)
        server.kill()
    finally:
        for name, bound in bounds.items():
            if peak[name] > bound:
                result.broken.append(f"{name}: {peak[name]:.0f} MiB; the bound is {bound:.0f}")


def _judge_calls(row: Row, result: Result) -> None:
    """Judge what the caller lost."""
    for (verdict, is_new), count in result.calls.items():
        may_fail = is_new and row.new_may_fail
        if verdict == WRONG or not (verdict == OK or verdict in row.may_get or may_fail):
            where = "new connections" if is_new else "its connection"
            result.broken.append(f"the caller lost {count} calls over {where}: {verdict}")
    if not result.calls[OK, False]:
        result.broken.append("the caller got no answer at all")


def _end(row: Row, server: ServerProcess, result: Result) -> None:
    """End the server as an operator does."""
    below = procfs.descendants(server.process.pid)
    if server.process.poll() is not None:
        result.broken.append(f"the server ended with {server.process.returncode}")
        return
    try:
        code = server.stop()
    except ServerError as error:
        result.broken.append(str(error))
    else:
        if code:
            result.broken.append(f"SIGTERM: exit code {code}")
    n_hung = sum('"hung"' in line for line in server.rest().splitlines())
    if n_hung and not row.loses_workers:
        result.broken.append(f"{n_hung} workers were killed as hung")
    _kill(below)  # a stopped worker hears of nothing

"""One trial: a server, a well-behaved caller, an attack, and what is judged of them."""

from __future__ import annotations

import contextlib
import hashlib
import multiprocessing
import os
import resource
import signal
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import grpc
import trustme
from prometheus_client.parser import text_string_to_metric_families
from tokalign.errors import ServerError
from tokalign.load import procfs
from tokalign.load.measure import percentile
from tokalign.load.process import ServerProcess, running_server
from tokalign.v1 import align_pb2, align_pb2_grpc

from bench.attack import attacker, caller
from bench.attack.rows import (
    FRONT_MIB,
    OWN_MIB,
    STRANGER_MIB,
    WORKER_MIB,
    Attack,
    Row,
    Seen,
)

STOP_OWN_MIB = 1536
STOP_ALL_MIB = 3072
LATE_S = 120.0
"""An attacker that has not ended so long after its time is killed, which is a failure."""
LOOK_S = 0.02
LOOKS_PER_FAMILY = 20
ROUTE_S = 60.0
"""In which the layer in front must have found the server."""
TOKEN = "a token for the well-behaved caller of an attack"
_SPAWN = multiprocessing.get_context("spawn")


@dataclass
class Result:
    """What a trial measured: MiB, seconds, calls."""

    row: str
    own_mib: dict[str, float] = field(default_factory=dict)
    front_mib: dict[str, float] = field(default_factory=dict)
    worker_mib: float = 0.0
    p99_s: dict[str, float] = field(default_factory=dict)
    calls: int = 0
    lost: dict[str, int] = field(default_factory=dict)
    notes: dict[str, int] = field(default_factory=dict)
    restarts: int = 0
    broken: list[str] = field(default_factory=list)

    @property
    def is_front(self) -> bool:
        """Whether there was a layer in front."""
        return bool(self.front_mib.get("before"))

    def p99_ratio(self, phase: str) -> float:
        """Return a phase's p99, the one before the attack being 1."""
        return self.p99_s.get(phase, 0.0) / (self.p99_s.get("before") or 1.0)


class _Memory(threading.Thread):
    """Watches the memory of a server, and ends one that takes too much of the machine."""

    def __init__(self, server: ServerProcess, front_pid: int) -> None:
        super().__init__(name="memory", daemon=True)
        self.own_mib = self.own_peak_mib = self.worker_peak_mib = 0.0
        self.front_mib = self.front_peak_mib = 0.0
        self._front_pid = front_pid
        self.stopped = ""
        self._server = server
        self._over = threading.Event()

    def run(self) -> None:
        pid = self._server.process.pid
        looks = 0
        while not self._over.wait(LOOK_S):
            self.own_mib = procfs.resident_mib(pid)
            self.own_peak_mib = max(self.own_peak_mib, self.own_mib)
            if self._front_pid:
                self.front_mib = procfs.resident_mib(self._front_pid)
                self.front_peak_mib = max(self.front_peak_mib, self.front_mib)
            below = 0.0
            if looks % LOOKS_PER_FAMILY == 0:
                workers = [procfs.resident_mib(each) for each in procfs.descendants(pid)]
                below = sum(workers)
                self.worker_peak_mib = max([self.worker_peak_mib, *workers])
            looks += 1
            if self.own_mib > STOP_OWN_MIB or self.own_mib + below > STOP_ALL_MIB:
                self.stopped = f"stopped at {self.own_mib:.0f} MiB and {below:.0f} in workers"
                end_all(pid)
                return

    def close(self) -> None:
        self._over.set()
        self.join()


def end_all(pid: int) -> None:
    """Kill a server and every process below it."""
    for each in (*procfs.descendants(pid), pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(each, signal.SIGKILL)


@contextlib.contextmanager
def _process(work: Any, *arguments: object) -> Iterator[tuple[Any, Connection]]:
    """Run a function in a process of its own, with a pipe; killed at the end."""
    mine, its = _SPAWN.Pipe()
    process = _SPAWN.Process(target=work, args=(*arguments, its), daemon=True)
    process.start()
    its.close()
    try:
        yield process, mine
    finally:
        end_all(process.pid)
        process.join()


def run(row: Row, seconds: float, rest_s: float, is_front: bool = False) -> Result:
    """Return what a row's trial gave.

    Parameters
    ----------
    row : Row
    seconds : float
        The attack's longest time.
    rest_s : float
        Time of the caller alone, before and after it.
    is_front : bool
        Whether the attack and the caller meet the layer in front of the server.
    """
    result = Result(row.name)
    seconds = row.ends_within_s or seconds
    with tempfile.TemporaryDirectory(prefix="attack-") as directory:
        if row.has_server:
            _beside_caller(row, seconds, rest_s, directory, result, is_front)
        else:
            attack = Attack("", "", "", 0, directory, seconds, "", 0, 0)
            _carry_out(row, attack, result)
    return result


def _flags(row: Row, directory: str) -> tuple[str, ...]:
    flags = ["--workers", "2", "--admin-port", "0", *row.flags]
    if row.is_tls:
        flags += _mutual_tls(Path(directory))
    elif row.is_stranger:
        path = Path(directory) / "tokens" / "tokens"
        path.parent.mkdir()
        path.write_text(f"caller {hashlib.sha256(TOKEN.encode()).hexdigest()}\n")
        flags += ["--token-file", str(path)]
    return tuple(flags)


def _mutual_tls(directory: Path) -> list[str]:
    """Make an authority and a certificate for both sides; return the server's options."""
    authority = trustme.CA()
    certificate = authority.issue_cert("127.0.0.1", "localhost")
    paths = {name: directory / f"{name}.pem" for name in ("ca", "cert", "key")}
    authority.cert_pem.write_to_path(paths["ca"])
    certificate.cert_chain_pems[0].write_to_path(paths["cert"])
    certificate.private_key_pem.write_to_path(paths["key"])
    options = {"--tls-cert": "cert", "--tls-key": "key", "--tls-client-ca": "ca"}
    return [part for option, name in options.items() for part in (option, str(paths[name]))]


def _beside_caller(
    row: Row, seconds: float, rest_s: float, directory: str, result: Result, is_front: bool
) -> None:
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(running_server(*_flags(row, directory)))
        pid, front_pid = server.process.pid, 0
        address = server.address
        if is_front:
            from bench.attack.front import envoy  # its packages are not needed without it

            port = int(address.rpartition(":")[2])
            address, front = stack.enter_context(envoy(Path(directory), [port]))
            front_pid = front.pid
        if row.max_files is not None:
            hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)[1]
            resource.prlimit(pid, resource.RLIMIT_NOFILE, (row.max_files, hard))
        memory = _Memory(server, front_pid)
        memory.start()
        try:
            attack, codes = _phases(
                row, seconds, rest_s, directory, server, address, memory, result
            )
        finally:
            memory.close()
            below = procfs.descendants(pid)
            if not memory.stopped:
                _end(server, result)
            for each in below:  # a stopped worker hears of nothing
                with contextlib.suppress(ProcessLookupError):
                    os.kill(each, signal.SIGKILL)
        if row.judge is not None and not memory.stopped:
            log = server.rest().splitlines()
            result.broken += row.judge(Seen(log, codes, attack))


def _phases(
    row: Row,
    seconds: float,
    rest_s: float,
    directory: str,
    server: ServerProcess,
    address: str,
    memory: _Memory,
    result: Result,
) -> tuple[Attack, dict[str, float]]:
    token = TOKEN if row.is_stranger and not row.is_tls else ""
    limits = _limits(address, token, directory)
    with _process(caller.work, address, token, directory) as (process, pipe):
        _receive(process, pipe, 60)
        time.sleep(rest_s)
        result.own_mib["before"] = memory.own_mib
        result.front_mib["before"] = memory.front_mib
        attack = Attack(
            address=address,
            metrics_url=server.metrics_url,
            admin_address=server.admin_address,
            pid=server.process.pid,
            directory=directory,
            seconds=seconds,
            token=token,
            request_bytes=limits.max_request_bytes,
            max_pairs=limits.max_pairs,
        )
        began = time.monotonic()
        attack = _carry_out(row, attack, result)
        ended = time.monotonic()
        if not memory.stopped:
            time.sleep(rest_s)
        result.own_mib |= {"peak": memory.own_peak_mib, "after": memory.own_mib}
        result.front_mib |= {"peak": memory.front_peak_mib}
        result.worker_mib = memory.worker_peak_mib
        pipe.send("stop")
        outcomes = _receive(process, pipe, caller.DEADLINE_S + 40) or []
    judge_calls(row, outcomes, began, ended, result)
    _judge_memory(row, memory, server, result)
    codes: dict[str, float] = {}
    if not memory.stopped and server.process.poll() is None:
        codes, result.restarts = _metrics(server.metrics_url, result)
    return attack, codes


def _carry_out(row: Row, attack: Attack, result: Result) -> Attack:
    with _process(attacker.work, row.name, attack) as (process, pipe):
        _receive(process, pipe, 60)
        found = _receive(process, pipe, attack.seconds + LATE_S)
    if found is None:
        result.broken.append("the attacker failed or did not end: see above")
        return attack
    result.notes, result.broken = found.notes, result.broken + found.broken
    return found


def _receive(process: Any, pipe: Connection, timeout_s: float) -> Any:
    """Return what a process sends, None where it ends or the time passes without."""
    try:
        return pipe.recv() if pipe.poll(timeout_s) else None
    except EOFError:
        return None


def _limits(address: str, token: str, directory: str) -> align_pb2.ServerLimits:
    metadata = (("authorization", f"Bearer {token}"),) if token else ()
    kinds = grpc.secure_channel, grpc.insecure_channel
    with caller.connect(address, directory, *kinds) as channel:
        stub = align_pb2_grpc.AlignServiceStub(channel)
        # The layer in front may still look for the server.
        late = time.monotonic() + ROUTE_S
        while True:
            try:
                request = align_pb2.ListModelsRequest()
                return stub.ListModels(request, timeout=30, metadata=metadata).limits
            except grpc.RpcError:
                if time.monotonic() > late:
                    raise
                time.sleep(0.1)


def judge_calls(
    row: Row, outcomes: list[caller.Outcome], began: float, ended: float, result: Result
) -> None:
    """Put the caller's calls into `result`, and what it lost against the row's promise."""
    phases: dict[str, list[float]] = {"before": [], "during": [], "after": []}
    may_get = "" if result.is_front else row.alone_may_get
    is_promised = result.is_front or not row.needs_front
    n_broken = 0
    for each in outcomes:
        phase = "before" if each.began < began else "during" if each.began < ended else "after"
        phases[phase].append(each.took_s)
        if each.verdict != caller.OK:
            is_excused = (
                phase == "before"
                or (row.new_may_fail and each.is_new)
                or each.verdict == row.may_get
            )
            counts = result.notes if is_excused and each.verdict != caller.WRONG else result.lost
            key = f"{each.verdict} {phase}" + (", new connections" if each.is_new else "")
            counts[key] = counts.get(key, 0) + 1
            is_kept = is_promised and each.verdict != may_get
            n_broken += counts is result.lost and (is_kept or each.verdict == caller.WRONG)
    result.calls = len(outcomes)
    result.p99_s = {phase: percentile(sorted(took), 99) for phase, took in phases.items()}
    if not outcomes:
        result.broken.append("the caller got no answer at all")
    if n_broken:
        result.broken.append(f"the caller lost {n_broken} of {len(outcomes)}")


def _judge_memory(row: Row, memory: _Memory, server: ServerProcess, result: Result) -> None:
    is_promised = result.is_front or not row.needs_front
    if memory.stopped and is_promised:
        result.broken.append(memory.stopped)
    elif memory.stopped:
        result.notes[memory.stopped] = 1
    elif server.process.poll() is not None:
        result.broken.append(f"the server ended with {server.process.returncode}")
    grown = memory.own_peak_mib - result.own_mib["before"]
    if is_promised and row.is_stranger and grown > STRANGER_MIB:
        result.broken.append(f"a stranger took {grown:.0f} MiB; promised are {STRANGER_MIB}")
    taken = memory.front_peak_mib - result.front_mib["before"]
    if taken > FRONT_MIB:
        result.broken.append(f"the layer in front took {taken:.0f} MiB; promised are {FRONT_MIB}")
    if is_promised and memory.own_peak_mib > OWN_MIB:
        result.broken.append(f"own memory {memory.own_peak_mib:.0f} MiB; promised are {OWN_MIB}")
    if memory.worker_peak_mib > WORKER_MIB:
        result.broken.append(f"a worker's {memory.worker_peak_mib:.0f} MiB; bound is {WORKER_MIB}")


def _metrics(url: str, result: Result) -> tuple[dict[str, float], int]:
    """Return the codes of ended calls, and how many workers were replaced."""
    codes: dict[str, float] = {}
    restarts = 0.0
    try:
        with urllib.request.urlopen(f"{url}/metrics", timeout=10) as answer:
            text = answer.read().decode()
    except OSError as error:
        result.broken.append(f"no metrics: {error}")
        return codes, 0
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            if sample.name == "grpc_server_handled_total":
                code = sample.labels["grpc_code"]
                codes[code] = codes.get(code, 0.0) + sample.value
            elif sample.name == "tokalign_worker_restarts_total":
                restarts += sample.value
    return codes, int(restarts)


def _end(server: ServerProcess, result: Result) -> None:
    """End the server as an operator does; one that cannot any more has broken its promise."""
    if server.process.poll() is not None:
        return
    try:
        code = server.stop()
    except ServerError as error:
        result.broken.append(str(error))
        end_all(server.process.pid)
    else:
        if code:
            result.broken.append(f"SIGTERM: exit code {code}")

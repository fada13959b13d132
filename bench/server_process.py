"""Servers in processes of their own, and free ports: for benchmarks, tests and demonstrations."""

from __future__ import annotations

import contextlib
import json
import queue
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

from tokalign.errors import ServerError

from bench import procfs

TOKALIGN = (sys.executable, "-m", "tokalign")
SERVE = (*TOKALIGN, "serve")
FREE_PORTS = ("--port", "0", "--metrics-port", "0")
START_TIMEOUT_S = 120.0
STOP_TIMEOUT_S = 60.0
_LAST_WORDS_S = 5.0
# Linux gives connections ports from 32768 on unless told otherwise, so that nobody gets one of
# these between here and its use by chance.
_PORTS = range(10_000, 32_768)
_LISTENING = r'listening on ([^\s"]+)'


class ServerProcess:
    """A server's process, its address and what it logged.

    A thread reads standard error all the time, so that the server never waits for its reader.

    Parameters
    ----------
    command : sequence of str
        Prints ``listening on HOST:PORT``, alone or in an event of its log, to standard error
        once it serves.

    Attributes
    ----------
    address : str
        "HOST:PORT"; empty before wait_listening.
    lines : list of str
        What was read so far.
    log : list of dict
        The log's JSON lines among them.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self.process = subprocess.Popen(
            command, stderr=subprocess.PIPE, text=True, encoding="utf-8"
        )
        self.address = ""
        self.log: list[dict[str, Any]] = []
        self.lines: list[str] = []
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, name="server-stderr", daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr as lines:
            for line in lines:
                self._lines.put(line)
        self._lines.put(None)

    def _next_line(self, timeout_s: float) -> str | None:
        """Return the next line of standard error, None at its end; raises queue.Empty."""
        line = self._lines.get(timeout=max(timeout_s, 0.0))
        if line is None:
            self._lines.put(None)  # the end stays the end
            return None
        self.lines.append(line)
        if line.startswith("{"):
            self.log.append(json.loads(line))
        return line

    def wait_listening(self, timeout_s: float = START_TIMEOUT_S) -> str:
        """Return the address once calls are answered; ServerError as for read_until."""
        self.address = self.read_until(_LISTENING, timeout_s)[1]
        return self.address

    def read_until(self, pattern: str, timeout_s: float = START_TIMEOUT_S) -> re.Match[str]:
        """Read standard error up to a line that matches a pattern, and return the match.

        Raises
        ------
        ServerError
            If there is none before the end, or within the time; holds what was printed.
        """
        ends_at = time.monotonic() + timeout_s
        try:
            while (line := self._next_line(ends_at - time.monotonic())) is not None:
                if match := re.search(pattern, line):
                    return match
        except queue.Empty:
            why = f"the server printed no {pattern!r} within {timeout_s:g} s"
        else:
            why = f"the server ended before it printed {pattern!r}"
        raise ServerError(f"{why}: {''.join(self.lines)}")

    def rest(self, timeout_s: float = STOP_TIMEOUT_S) -> str:
        """Return what is left of standard error once the server has ended."""
        ends_at = time.monotonic() + timeout_s
        lines = []
        try:
            while (line := self._next_line(ends_at - time.monotonic())) is not None:
                lines.append(line)
        except queue.Empty:
            raise ServerError(f"the server has not ended within {timeout_s:g} s") from None
        return "".join(lines)

    @property
    def metrics_url(self) -> str:
        """Base of the metrics port's URLs; its log line must have been read."""
        return self._url("metrics")

    @property
    def http_url(self) -> str:
        """Base of the URLs of JSON over HTTP; its log line must have been read."""
        return self._url("http")

    def _url(self, event: str) -> str:
        is_tcp = not self.address.startswith("unix:")
        host = (is_tcp and self.address.rpartition(":")[0]) or "127.0.0.1"
        return f"http://{host}:{self._logged_port(event)}"

    @property
    def admin_address(self) -> str:
        """Address of the admin service; its log line must have been read."""
        return f"127.0.0.1:{self._logged_port('admin')}"

    def _logged_port(self, event: str) -> int:
        for entry in self.log:
            if entry["event"] == event:
                return int(entry["port"])
        raise ServerError(f"the server has logged no {event!r} port")

    def cpu_s(self) -> tuple[float, float]:
        """Return the processor seconds of the server's own process, and of all below it."""
        own = procfs.stat(self.process.pid)
        below = procfs.descendants(self.process.pid)
        return own.cpu_s if own else 0.0, sum(each.cpu_s for each in below.values())

    def stop(self, signal_number: int = signal.SIGTERM, timeout_s: float = STOP_TIMEOUT_S) -> int:
        """Send a signal, wait for the end and return the exit code.

        Raises
        ------
        ServerError
            If the server is still there after the time.
        """
        self.process.send_signal(signal_number)
        try:
            return self.process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            raise ServerError(f"the server has not ended within {timeout_s:g} s") from None

    def kill(self) -> None:
        """End the process at once where it still runs, and wait until its output is read."""
        self.process.kill()
        self.process.wait()
        # Workers hold the same standard error until they have noticed, too.
        self._reader.join(_LAST_WORDS_S)


@contextlib.contextmanager
def running_server(
    *flags: str, command: Sequence[str] = SERVE, wait: bool = True
) -> Iterator[ServerProcess]:
    """Start a server on free ports; it is killed at the end where it still runs.

    Parameters
    ----------
    *flags : str
        Options of ``tokalign serve``; they overrule the free ports.
    command : sequence of str
        What takes the options.
    wait : bool
        Whether to return only once calls are answered.

    Raises
    ------
    ServerError
        If it does not get that far; holds what was printed.
    """
    server = ServerProcess((*command, *FREE_PORTS, *flags))
    try:
        if wait:
            server.wait_listening()
        yield server
    finally:
        server.kill()


def free_port(hosts: Sequence[str] = ("127.0.0.1",)) -> int:
    """Return a port that is free on every one of some addresses.

    For programs that cannot say which port they got.
    """
    while True:
        port = random.SystemRandom().choice(_PORTS)
        with contextlib.suppress(OSError), contextlib.ExitStack() as stack:
            for host in hosts:
                stack.enter_context(socket.socket()).bind((host, port))
            return port

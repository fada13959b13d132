"""The life of a worker process: it loads once, answers shards, and forks others like itself.

The first process of a pool reads the files. All others are forked from it, or from a worker where
it has ended, so they have what it loaded at once and share its memory. Neither this module nor
anything that it imports may import grpc, since a process with grpc's threads must not be forked.
"""

from __future__ import annotations

import gc
import os
import signal
import socket
import threading
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

from tokalign.batches.processes import die_with
from tokalign.errors import AlignError
from tokalign.server.observe import logs
from tokalign.server.observe.faults import report
from tokalign.server.observe.memory import Memory, forbid_cores, give_back
from tokalign.server.workers import frames
from tokalign.server.workers.engine import Engine, EngineFactory, EngineSettings

# A process that forks another and ends has so long, and is looked at so often.
BETWEEN_S = 1.0
LOOK_S = 0.0005

_TASKS = Path("/proc/self/task")


class Ends(NamedTuple):
    """What ties a process to the server.

    Attributes
    ----------
    sock : socket.socket
        Blocking stream; see frames for the messages.
    lifeline : Connection
        Read end of a pipe of this process alone that only the server holds open for writing.
    """

    sock: socket.socket
    lifeline: Connection


def main(
    sock: socket.socket,
    lifeline: Connection,
    factory: EngineFactory,
    settings: EngineSettings,
    log_settings: logs.Settings,
) -> None:
    """Load, then answer what arrives on `sock` until it closes; forked processes do so as well.

    Parameters
    ----------
    sock, lifeline
        See Ends.
    factory, settings
        What to load.
    """
    # The server decides when a worker ends; a signal to the whole process group must not.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    # A core would hold sentences, and another worker would have to wait until it is written.
    forbid_cores()
    logs.configure(log_settings)
    die_with(lifeline)
    ends: Ends | None = Ends(sock, lifeline)
    try:
        if (engine := _loaded(sock, factory, settings)) is not None:
            may_fork = _may_fork()
            while ends is not None:
                ends = _serve(ends, engine, log_settings, may_fork)
    except OSError:
        pass  # the server is gone
    except Exception as error:
        report(error)
    finally:
        # A forked process has nothing of its own that Python's end would have to end.
        logs.flush()
        os._exit(0)


def _loaded(sock: socket.socket, factory: EngineFactory, settings: EngineSettings) -> Engine | None:
    """Return the engine, or None once the server was told why there is none."""
    try:
        engine = factory(settings)
        # What the server is told must be sound as well.
        frames.encode(frames.Ready(0, engine.models, 0, False))
    except AlignError as error:
        sock.sendall(frames.encode(frames.Refused(str(error))))
        return None
    except Exception as error:
        sock.sendall(frames.encode(frames.Refused(report(error).message)))
        return None
    # What has been loaded stays; the collector need not look at it again.
    gc.collect()
    gc.freeze()
    # Loading took more memory than what was loaded does.
    give_back()
    return engine


def _may_fork() -> bool:
    """Return whether a fork has all that this process has.

    A library's threads do not live on in a fork, and whoever waits for them waits for ever. Devices
    and some annotators have such threads. The log's thread is made again.
    """
    return _TASKS.exists() and len(list(_TASKS.iterdir())) <= threading.active_count()


def _serve(ends: Ends, engine: Engine, log_settings: logs.Settings, may_fork: bool) -> Ends | None:
    """Answer messages until the server closes its end; in a forked process, return its own ends."""
    memory = Memory()
    # Comes first, since the server does not know the process before.
    ready = frames.Ready(os.getpid(), engine.models, memory.resident_bytes(), may_fork)
    sock = ends.sock
    sock.sendall(frames.encode(ready))
    logs.configure(log_settings)
    for message, descriptors in frames.received(sock):
        if isinstance(message, frames.Fork):
            if (forked := _fork(ends, descriptors)) is not None:
                return forked
            continue
        assert isinstance(message, list)
        try:
            answers, seconds = engine.run(message)
        except Exception as error:
            # The server sees a death, since no signal was its cause, and tries the pairs alone.
            report(error)
            logs.flush()
            os._exit(1)
        sock.sendall(frames.encode(frames.Done(answers, seconds, memory.resident_bytes())))
    return None


def _fork(own: Ends, descriptors: Sequence[int]) -> Ends | None:
    """Return the ends of the new process in the new process, and None in this one.

    The new one is forked twice, and begins once the process between has ended. So the server is its
    parent and learns how it ends (see process.adopt_orphans).
    """
    pid = os.getpid()
    begin, hold = os.pipe()
    try:
        between = os.fork()
        if between == 0:
            if os.fork():
                os._exit(0)
            return _begin(own, descriptors, begin, hold)
        _wait(between)
    except OSError as error:
        # The server sees that the new one's socket closes.
        report(error)
        if os.getpid() != pid:
            os._exit(1)
    for descriptor in (*descriptors, begin, hold):
        os.close(descriptor)
    return None


def _begin(parent: Ends, descriptors: Sequence[int], begin: int, hold: int) -> Ends:
    """Return a new process's ends once the process between has ended."""
    ends = Ends(socket.socket(fileno=descriptors[0]), Connection(descriptors[1]))
    die_with(ends.lifeline)
    parent.sock.close()
    parent.lifeline.close()
    os.close(hold)
    os.read(begin, 1)
    os.close(begin)
    return ends


def _wait(between: int) -> None:
    """Wait for the end of the process between; it is killed where somebody has stopped it."""
    late = time.monotonic() + BETWEEN_S
    while not os.waitpid(between, os.WNOHANG)[0]:
        if time.monotonic() > late:
            os.kill(between, signal.SIGKILL)
        time.sleep(LOOK_S)

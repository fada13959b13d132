"""A process that has loaded the fake engine, from which pools of tests fork their workers.

Starting one from nothing takes half a second of processor time, which every test of a server would
pay. Forking is what a pool does for all its workers but the first.
"""

import atexit
import functools
import multiprocessing
import os
import socket
from unittest import mock

from tokalign.server.config import RequestLimits
from tokalign.server.observe import logs
from tokalign.server.workers import frames, worker
from tokalign.server.workers.engine import EngineSettings
from tokalign.server.workers.process import WorkerProcess

from support import fake_engine

USUAL = (fake_engine.load, EngineSettings(("fake",), ("native",), RequestLimits()))
"""What it has loaded; pools that load something else start it from nothing."""


class Loaded:
    """The process, as WorkerProcess.fork wants it; it ends with this one."""

    def __init__(self):
        self._sock, its_sock = socket.socketpair()
        its_lifeline, self._lifeline = multiprocessing.Pipe(duplex=False)
        arguments = (its_sock, its_lifeline, *USUAL, logs.settings())
        # As WorkerProcess.spawn does: what has threads of its own cannot be forked.
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        context = multiprocessing.get_context("spawn")
        with its_sock, its_lifeline:
            self._process = context.Process(target=worker.main, args=arguments, daemon=True)
            self._process.start()
        # Before multiprocessing waits for it: it ignores signals, and ends with its lifeline.
        atexit.register(self._lifeline.close)
        message, _ = next(frames.received(self._sock))
        assert message.may_fork

    def end(self):
        self._process.kill()
        self._process.join()
        self._lifeline.close()
        self._sock.close()


loaded = functools.cache(Loaded)


def end():
    """End the process, if there is one, for tests that count or kill those of a pool."""
    if loaded.cache_info().currsize:
        loaded().end()
        loaded.cache_clear()


_spawn = WorkerProcess.spawn


async def _spawn_or_fork(process, factory, settings):
    if (factory, settings) == USUAL:
        await process.fork(loaded())
    else:
        await _spawn(process, factory, settings)


def forking():
    """Return a context in which pools fork their first worker as well."""
    return mock.patch.object(WorkerProcess, "spawn", _spawn_or_fork)

"""The life of a worker process: load once, then answer shards until the server ends.

The fork server imports this module first, so neither it nor anything it imports may import grpc.
"""

from __future__ import annotations

import gc
import signal
import socket
from multiprocessing.connection import Connection

from tokalign.batches.processes import die_with
from tokalign.errors import AlignError
from tokalign.server.observe import logs
from tokalign.server.observe.faults import report
from tokalign.server.observe.memory import Memory, give_back
from tokalign.server.workers import frames
from tokalign.server.workers.engine import EngineFactory, EngineSettings


def main(
    sock: socket.socket,
    lifeline: Connection,
    factory: EngineFactory,
    settings: EngineSettings,
    log_settings: logs.Settings,
) -> None:
    """Answer the shards that arrive on `sock` until it closes.

    Parameters
    ----------
    sock : socket.socket
        Blocking stream to the server; see frames for the messages.
    lifeline : Connection
        Read end of a pipe of this worker alone that only the server holds open for writing.
    factory, settings
        What to load.
    log_settings : logs.Settings
    """
    # The server decides when a worker ends; a signal to the whole process group must not.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    die_with(lifeline)
    logs.configure(log_settings)
    try:
        _serve(sock, factory, settings)
    finally:
        # A forked process ends without Python's own end.
        logs.flush()


def _serve(sock: socket.socket, factory: EngineFactory, settings: EngineSettings) -> None:
    try:
        engine = factory(settings)
        # What has been loaded stays; the collector need not look at it again.
        gc.collect()
        gc.freeze()
        # Loading took more memory than what was loaded does.
        give_back()
        memory = Memory()
        ready = frames.encode(frames.Ready(engine.models, memory.resident_bytes()))
    except AlignError as error:
        sock.sendall(frames.encode(frames.Refused(str(error))))
        return
    except Exception as error:
        # It would come again in every worker, so no other needs to be tried.
        sock.sendall(frames.encode(frames.Refused(report(error).message)))
        return
    sock.sendall(ready)
    for runs in frames.received(sock):
        assert isinstance(runs, list)
        try:
            answers, seconds = engine.run(runs)
        except Exception as error:
            # The server sees a death and gives the shard to another worker.
            report(error)
            return
        sock.sendall(frames.encode(frames.Done(answers, seconds, memory.resident_bytes())))

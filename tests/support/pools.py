"""A pool of workers that is closed at the end of a test, its requests, and its processes."""

import asyncio
import contextlib

from tokalign.codec.options import RequestOptions
from tokalign.server.workers.pool import Pool
from tokalign.v1 import align_pb2

from bench.procfs import command_line, descendants
from support.requests import request_of

OPTIONS = RequestOptions("fake", "native")


def asked(*ids, costs=None):
    """Return a request of pairs that the fake engine knows by their ids."""
    pairs = [
        align_pb2.Pair(id=name, source={"text": name}, target={"text": "x"}).SerializeToString()
        for name in ids
    ]
    return request_of(OPTIONS, pairs, costs)


def sources(answers):
    return [align_pb2.Alignment.FromString(answer.alignment).source.text for answer in answers]


@contextlib.asynccontextmanager
async def running_pool(settings, metrics, is_loop_busy=lambda: False):
    pool = Pool(settings, metrics, is_loop_busy)
    try:
        await asyncio.wait_for(pool.start(), 60)
        yield pool
    finally:
        await asyncio.wait_for(pool.close(), 30)


def loaded_processes(server_pid):
    """Return the processes of a server that have loaded models: workers and their parent."""
    return {pid for pid in descendants(server_pid) if b"spawn_main" in command_line(pid)}

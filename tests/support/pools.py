"""A pool of workers that is closed at the end of a test, and the processes of pools."""

import asyncio
import contextlib

from tokalign.load.procfs import command_line, descendants
from tokalign.server.workers.pool import Pool


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

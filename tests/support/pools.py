"""A pool of workers that is closed at the end of a test."""

import asyncio
import contextlib

from tokalign.server.workers.pool import Pool


@contextlib.asynccontextmanager
async def running_pool(settings, metrics, is_loop_busy=lambda: False):
    pool = Pool(settings, metrics, is_loop_busy)
    try:
        await asyncio.wait_for(pool.start(), 60)
        yield pool
    finally:
        await asyncio.wait_for(pool.close(), 30)

"""An AsyncClient that blocks, so that one contract tests both clients."""

from __future__ import annotations

import asyncio

from tokalign.client import AsyncClient


class Blocking:
    """Runs an AsyncClient's methods to their end, so that one contract tests both clients."""

    def __init__(self, *args, **options):
        self._runner = asyncio.Runner()
        self._client = AsyncClient(*args, **options)

    def __getattr__(self, name):
        method = getattr(self._client, name)
        if name in ("align_stream", "ground_stream"):
            return lambda *args, **options: self._collected(method(*args, **options))
        return lambda *args, **options: self._runner.run(method(*args, **options))

    def _collected(self, results):
        async def collect():
            return [result async for result in results]

        return iter(self._runner.run(collect()))

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        self._runner.run(self._client.close())
        self._runner.close()

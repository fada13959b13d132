"""Waiting for what another process or task does."""

import asyncio
import time


async def until(condition, timeout_s=60):
    """Return once the condition holds; it is an error where it never does."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "condition not met in time"
        await asyncio.sleep(0.005)

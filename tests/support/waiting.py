"""Waits for another process or task; an error where it takes too long."""

import asyncio
import time

import pytest

TIMEOUT_S = 60
STEP_S = 0.01


def _attempts(condition, what):
    """Yield as long as the condition does not hold."""
    deadline = time.monotonic() + TIMEOUT_S
    while not condition():
        if time.monotonic() >= deadline:
            pytest.fail(what() if callable(what) else what)
        yield


def wait_until(condition, what="condition not met in time"):
    """Return once the condition holds; `what`, or what it returns, is the error's text."""
    for _ in _attempts(condition, what):
        time.sleep(STEP_S)


async def until(condition, what="condition not met in time"):
    """Return once the condition holds, while other tasks run."""
    for _ in _attempts(condition, what):
        await asyncio.sleep(STEP_S)

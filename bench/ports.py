"""Ports for programs that cannot tell which one they got."""

from __future__ import annotations

import contextlib
import random
import socket
from collections.abc import Sequence

# Linux gives connections ports from 32768 on unless told otherwise, so that nobody gets one of
# these between here and its use by chance.
_PORTS = range(10_000, 32_768)


def free_port(hosts: Sequence[str] = ("127.0.0.1",)) -> int:
    """Return a port that is free on every one of some addresses."""
    while True:
        port = random.SystemRandom().choice(_PORTS)
        with contextlib.suppress(OSError), contextlib.ExitStack() as stack:
            for host in hosts:
                stack.enter_context(socket.socket()).bind((host, port))
            return port

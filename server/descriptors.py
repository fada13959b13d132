"""Descriptors: as many open files and connections as the system lets a process have."""

from __future__ import annotations

import logging
import os
import resource
from dataclasses import replace

from tokalign.errors import InputError
from tokalign.server.config import Config

log = logging.getLogger(__name__)

# More descriptors would only hold more memory.
MOST = 65_536
# Kept for models, logs, probes and scrapes; and for each worker, which a reload doubles.
RESERVED = 128
RESERVED_PER_WORKER = 8


def hold_standard() -> None:
    """Open what is closed of standard input and output, as if they were /dev/null.

    Otherwise a connection gets their number, and is used and closed as if it were them.
    """
    for number in (0, 1):
        try:
            os.fstat(number)
        except OSError:
            opened = os.open(os.devnull, os.O_RDWR)  # the lowest number that is free: this one
            assert opened == number, opened
            os.set_inheritable(number, True)


def raise_limit() -> int:
    """Raise the number of descriptors this process may have open, and return it.

    It is raised to what the system allows (the hard limit), at most MOST. A larger one is kept.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return MOST
    wanted = MOST if hard == resource.RLIM_INFINITY else min(hard, MOST)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    allowed = max(soft, wanted)
    log.info("descriptors", extra={"allowed": allowed, "before": soft})
    return allowed


def fit(config: Config, allowed: int) -> Config:
    """Return a configuration whose connections leave descriptors to everything else.

    Raises
    ------
    InputError
        If too few are allowed for any connection.
    """
    n_ports = 1 if config.http_port is None else 2
    n_left = allowed - RESERVED - RESERVED_PER_WORKER * config.workers
    n_connections = n_left // n_ports
    if n_connections < 1:
        needed = allowed - n_left + n_ports
        raise InputError(
            f"{allowed} open files are allowed; {config.workers} workers and a connection need "
            f"{needed}: raise the limit (ulimit -n) or start fewer workers",
            field="workers",
        )
    if n_connections >= config.max_connections:
        return config
    log.warning(
        "connections limited by descriptors",
        extra={"connections": n_connections, "wanted": config.max_connections},
    )
    return replace(config, max_connections=n_connections)

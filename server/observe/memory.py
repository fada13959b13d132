"""Memory of a process: read, bounded, given back, and kept out of core files."""

from __future__ import annotations

import ctypes
import gc
import logging
import os
import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tokalign.codec.servers import ErrorReason
from tokalign.errors import AlignError
from tokalign.server.status import QueueFullError

log = logging.getLogger(__name__)

RETRY_S = 1.0
# Blocks of so many bytes are the system's own, and go back to it when they are freed.
MMAP_BYTES = 256 << 10
HEAPS = 2
# A file of one byte is none. The kernel heeds no other limit where it hands cores to a program
# (`|` in core_pattern; fs/coredump.c).
CORE_BYTES = 1

# Of glibc's malloc.h.
_M_MMAP_THRESHOLD = -3
_M_ARENA_MAX = -8

_STATM = Path("/proc/self/statm")
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


class Memory:
    """Resident memory of this process. It is cheap to read, even after every shard."""

    def __init__(self) -> None:
        self._file = os.open(_STATM, os.O_RDONLY) if _STATM.exists() else None

    def __del__(self) -> None:
        if self._file is not None:
            os.close(self._file)

    def resident_bytes(self) -> int:
        """Return the resident memory, or 0 where /proc is missing."""
        if self._file is None:
            return 0
        return int(os.pread(self._file, 64, 0).split()[1]) * _PAGE_BYTES


class MemoryBound:
    """Refuses calls while a process holds more than three quarters of what it may.

    The last quarter is for the requests that were admitted by then.
    """

    def __init__(self, max_bytes: int, resident_bytes: Callable[[], int]) -> None:
        self.max_bytes = max_bytes
        self.is_short = False
        self._resident_bytes = resident_bytes

    def look(self) -> int:
        """Read the memory and return it; log when it becomes short, or enough again."""
        resident = self._resident_bytes()
        is_short = resident > self.max_bytes * 3 // 4
        if is_short != self.is_short:
            self.is_short = is_short
            event = "memory is short: calls are refused" if is_short else "memory is enough again"
            log.warning(event, extra={"resident_bytes": resident, "max_bytes": self.max_bytes})
        return resident

    def check(self) -> None:
        """Raise QueueFullError while memory is short."""
        if self.is_short:
            raise self.refusal()

    def refusal(self) -> QueueFullError:
        """Return what ends a call for want of memory; deploy/envoy.yaml knows how it begins."""
        return QueueFullError(
            f"the server holds more than three quarters of its {self.max_bytes >> 20} MiB "
            "of memory; try again later",
            reason=ErrorReason.MEMORY_SHORT,
            retry_after_s=RETRY_S,
        )


class OutOfMemoryError(AlignError):
    """Memory stays short, and there is nothing that could be freed."""


def collect() -> None:
    """Free what only garbage holds, and return it to the system."""
    gc.collect()
    give_back()


def give_back() -> None:
    """Return freed memory that glibc keeps to the system; do nothing without glibc."""
    # It releases the interpreter's lock while it works.
    trim: Any = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def keep_little() -> None:
    """Have glibc return large blocks when they are freed, and keep few heaps for its threads.

    Otherwise, once a block of some megabytes was freed, glibc keeps all later ones of that size, in
    a heap for each of grpc's threads. Call it before they start. Without glibc it does nothing.
    """
    adjust: Any = getattr(ctypes.CDLL(None), "mallopt", None)
    if adjust is not None:
        adjust(_M_MMAP_THRESHOLD, MMAP_BYTES)
        adjust(_M_ARENA_MAX, HEAPS)


def forbid_cores() -> None:
    """Have the system keep no core of this process and its children: requests are private."""
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    most = CORE_BYTES if hard == resource.RLIM_INFINITY else min(hard, CORE_BYTES)
    resource.setrlimit(resource.RLIMIT_CORE, (most, most))

"""Processes as Linux shows them under /proc: their parents, processor time, memory."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

_PROC = Path("/proc")


class Stat(NamedTuple):
    """A living process: its state letter, its parent's id, and its processor time in seconds."""

    state: str
    parent: int
    cpu_s: float


def stat(pid: int) -> Stat | None:
    """Return what /proc tells of a process, or None where it is gone or a zombie."""
    try:
        # The name, in brackets, may hold anything.
        fields = (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    if fields[0] == "Z":
        return None
    ticks = int(fields[11]) + int(fields[12])
    return Stat(fields[0], int(fields[1]), ticks / os.sysconf("SC_CLK_TCK"))


def descendants(pid: int) -> dict[int, Stat]:
    """Return all living processes below one, by process id."""
    pids = [int(entry.name) for entry in _PROC.iterdir() if entry.name.isdecimal()]
    living = {each: found for each in pids if (found := stat(each)) is not None}
    below: dict[int, Stat] = {}
    parents = {pid}
    while parents:
        children = {each: found for each, found in living.items() if found.parent in parents}
        below |= children
        parents = set(children)
    return below


def command_line(pid: int) -> bytes:
    """Return the arguments of a process, each with a NUL at its end; nothing where it is gone."""
    try:
        return (_PROC / str(pid) / "cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def resident_mib(pid: int) -> float:
    """Return a process's resident memory in MiB, 0 where it is gone."""
    try:
        pages = int((_PROC / str(pid) / "statm").read_text().split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def open_files(pid: int) -> int:
    """Return how many file descriptors a process of this user has open."""
    return len(list((_PROC / str(pid) / "fd").iterdir()))

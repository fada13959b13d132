"""The attacker: a row's attack in a process of its own, which gets what the others leave."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
import resource
import signal
from multiprocessing.connection import Connection
from pathlib import Path

from tokalign.load import procfs

from bench.attack.rows import ROWS, Attack

ATTACKER_BYTES = 6 << 30
PR_SET_CHILD_SUBREAPER = 36


def _take_what_is_left() -> None:
    """Have this process get what the others leave of the processors, as if on its own machine.

    What the server, the layer in front and the caller lose is then by what they do themselves.
    """
    os.nice(19)
    # Linux may weigh sessions before processes, and this one's by its own number.
    os.setsid()
    with contextlib.suppress(OSError):
        Path("/proc/self/autogroup").write_text("19")


def work(name: str, attack: Attack, pipe: Connection) -> None:
    """Carry out a row's attack and send the Attack back with what it found."""
    from bench.attack import families  # noqa: F401  (registers the rows)

    resource.setrlimit(resource.RLIMIT_AS, (ATTACKER_BYTES, ATTACKER_BYTES))
    n_files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (n_files, n_files))
    # What outlives its parent becomes a child of this process, so that it can be ended.
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    pipe.send("begun")
    # Who judges something itself has to come to it.
    if ROWS[name].ends_within_s is None:
        _take_what_is_left()

    async def carry_out() -> None:
        task = asyncio.ensure_future(ROWS[name].run(attack))
        # Left alone where its time is over, for a task that is just connecting may miss that it is
        # cancelled, and would go on.
        over, _ = await asyncio.wait({task}, timeout=attack.seconds)
        try:
            is_over = bool(over)
            for each in over:
                each.result()
        except TimeoutError:
            is_over = False
        is_kept = is_over or ROWS[name].ends_within_s is None
        attack.expect(is_kept, f"not over in {attack.seconds:g} s")
        for pid in procfs.descendants(os.getpid()):  # servers that it started and could not end
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        pipe.send(attack)
        # What its tasks and threads still hold need not be waited for.
        os._exit(0)

    asyncio.run(carry_out())

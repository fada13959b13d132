"""`tokalign align --jobs`: a worker that is killed costs no line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.waiting import wait_until
from tokalign.aligner import Aligner

PAIR = ("A cat sat on the mat .", "The cat sat there .")
N = 300


def workers(parent: int) -> list[int]:
    """Return the numbers of a process's children that align."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    return [int(child) for child in children if b"spawn_main" in cmdline(child)]


def cmdline(number: str) -> bytes:
    try:
        return Path(f"/proc/{number}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def test_a_killed_worker_costs_no_line(small_model):
    command = [sys.executable, "-m", "tokalign", "align", "--model", str(small_model)]
    command += ["--jobs", "2", "--batch-size", "5"]
    line = "\t".join(PAIR).encode() + b"\n"
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as run:
        assert run.stdin is not None
        run.stdin.write(line * 20)  # what is read ahead of the first answer
        run.stdin.flush()
        wait_until(lambda: len(workers(run.pid)) == 2, "no two workers")
        os.kill(workers(run.pid)[0], signal.SIGKILL)
        rest, _ = run.communicate(line * (N - 20), timeout=120)
    expected = Aligner.load(small_model).align(*PAIR).to_pharaoh() + "\n"
    assert rest.decode() == expected * N
    assert run.returncode == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=lambda each: each.name)
def test_workers_end_with_the_command(small_model, number):
    command = [sys.executable, "-m", "tokalign", "align", "--model", str(small_model)]
    command += ["--jobs", "2", "--batch-size", "5"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as run:
        assert run.stdin is not None
        run.stdin.write("\t".join(PAIR).encode() + b"\n" * 20)
        run.stdin.flush()
        wait_until(lambda: len(workers(run.pid)) == 2, "no two workers")
        left = workers(run.pid)
        run.send_signal(number)
        run.wait(60)
    wait_until(lambda: not any(cmdline(str(each)) for each in left), "workers run on")

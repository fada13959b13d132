"""Progress on a terminal: how much there is, how fast it goes and how long it will take."""

from __future__ import annotations

import gzip
import os
import pty
import re
import subprocess
import sys
import termios
import threading

import pytest
from tqdm import tqdm

LINE = "A cat sat on the mat .\tThe cat sat there .\n"
N = 300


def progress(small_model, *args, **kwargs) -> str:
    """Return what `align` shows on a terminal, control characters made breaks."""
    mine, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 120))
    shown: list[bytes] = []

    def read() -> None:
        while True:
            try:
                shown.append(os.read(mine, 4096))
            except OSError:  # the other end is closed
                return

    reader = threading.Thread(target=read)
    reader.start()
    command = [sys.executable, "-m", "tokalign", "align", "--model", str(small_model)]
    try:
        subprocess.run(
            [*command, *map(str, args)],
            stderr=theirs,
            stdout=subprocess.DEVNULL,
            check=True,
            timeout=120,
            **kwargs,
        )
    finally:
        os.close(theirs)
        reader.join(60)
        os.close(mine)
    return b"".join(shown).decode().replace("\r", "\n")


RATE = r"[\d.]+[kM]?"


@pytest.mark.parametrize("pack", [None, gzip.compress])
def test_a_file_has_a_total_in_bytes(small_model, tmp_path, pack):
    data = (LINE * N).encode()
    path = tmp_path / "pairs"
    path.write_bytes(pack(data) if pack else data)
    last = progress(small_model, "-i", path).rstrip().splitlines()[-1]
    size = tqdm.format_sizeof(path.stat().st_size)
    assert last.startswith("100%"), last
    assert f"{size}/{size} [" in last
    assert re.search(rf"\[\d+:\d+<\d+:\d+, *{RATE}B/s, {N} pairs, \d+/s\]", last), last


def test_parquet_has_a_total_in_pairs(small_model, tmp_path):
    pa = pytest.importorskip("pyarrow", reason="pip install '.[arrow]'")
    pq = pytest.importorskip("pyarrow.parquet", reason="pip install '.[arrow]'")
    source, target = LINE.strip().split("\t")
    pq.write_table(pa.table({"source": [source] * N, "target": [target] * N}), tmp_path / "p")
    last = progress(small_model, "-i", tmp_path / "p").rstrip().splitlines()[-1]
    assert last.startswith("100%"), last
    assert re.search(rf"{N}/{N} \[\d+:\d+<\d+:\d+, *{RATE}pair/s\]", last), last


def test_a_pipe_has_a_count_and_a_rate(small_model):
    last = progress(small_model, input=(LINE * N).encode()).rstrip().splitlines()[-1]
    assert re.search(rf"^{N}pair \[\d+:\d+, *{RATE}pair/s\]", last), last

"""The base on systems that this is not: without Linux's modules and calls, and in standard C."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CORE = Path(__file__).parents[2] / "core" / "tokalign"

AS_ON_WINDOWS = """
import os, signal, sys, types
import click, numpy, tqdm, concurrent.futures, multiprocessing.connection, tempfile, uuid
import json, lzma, bz2, gzip, csv, platform, pathlib, importlib.metadata, importlib.resources

POSIX = {"fcntl", "resource", "pwd", "grp", "termios", "syslog", "posix"}

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name in POSIX:
            raise ImportError(f"{name} is hidden")

for name in POSIX:
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Hidden())
locks = []
sys.modules["msvcrt"] = types.SimpleNamespace(LK_NBLCK=2, locking=lambda *each: locks.append(each))
for name in ("sched_getaffinity", "O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_ASYNC", "fork"):
    delattr(os, name)
for name in ("SIGIO", "SIGKILL", "SIGHUP", "SIGALRM", "SIGUSR1"):
    delattr(signal, name)
open_file = open
def guarded(file, *arguments, **named):
    assert not str(file).startswith("/proc"), file
    return open_file(file, *arguments, **named)
import builtins
builtins.open = guarded
sys.platform = "win32"
"""

USES = """
import tokalign
from tokalign.batches.pipe import in_batches
from tokalign.batches.processes import n_processors
from tokalign.cli import align, info, main, rank
from tokalign.cli.lines.sinks import PartialOutput
from tokalign import evaluate, formats, systems
from tokalign.model import training
from tokalign.texts import diff

assert n_processors() >= 1
assert tokalign.align("Dogs bark.", "The dogs bark.").to_pharaoh() == "0-1 1-2 2-3"
assert list(tokalign.Aligner.load().pipe([("a dog", "dogs")]))
folder = pathlib.Path(sys.argv[1])
output = PartialOutput.open(folder / "out", is_resumed=False, is_restarted=False)
output.file.write(b"links")
assert locks, "nothing was locked"
output.complete()
assert (folder / "out").read_bytes() == b"links"
"""

LIFELINE = """
import multiprocessing, time
from tokalign.batches.processes import die_with
mine, theirs = multiprocessing.Pipe(duplex=False)
die_with(mine)
theirs.close()
time.sleep(60)
"""


def run(program: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Return how a program ended."""
    return subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_the_base_works_where_nothing_of_linux_is(tmp_path):
    done = run(AS_ON_WINDOWS + USES, tmp_path)
    assert done.returncode == 0, done.stderr


def test_the_hidden_modules_are_hidden():
    assert "fcntl is hidden" in run(AS_ON_WINDOWS + "import fcntl").stderr


def test_a_process_ends_with_its_parent_where_no_signal_says_so():
    done = run(AS_ON_WINDOWS + LIFELINE)
    assert done.returncode == 1, done.stderr
    assert not done.stderr


def test_only_one_header_names_compilers():
    """What GCC alone understands stands behind the macros of _compiler.h and _lanes.h."""
    spelt = re.compile(r"__builtin_|__attribute__|__int128|_MSC_VER|__GNUC__")
    named = [
        str(path.relative_to(CORE))
        for pattern in ("*.h", "*.pyx", "*.pxd")
        for path in sorted(CORE.rglob(pattern))
        if spelt.search(path.read_text())
    ]
    assert named == ["_compiler.h", "neural/_lanes.h"]


DRIVER = """
#include "english/annotate/_rows.h"
#include "crf/_chain.h"
#include "neural/_run.h"
#include "neural/_scores.h"
#include <stdio.h>

int main(void)
{
    static float rows[4 * 64], added[4 * 64], ones[64], zeros[64], matrix[64 * 48], out[4 * 48];
    static float three[4 * 3 * 64], scratch[4096], attended[4 * 64];
    static double scores[40], powers[40];
    unsigned state = 1;
    for (int k = 0; k < 64 * 48; k++)
        matrix[k] = (float)((state = state * 1664525u + 1013904223u) >> 8) / 16777216.0f - 0.5f;
    for (int k = 0; k < 4 * 64; k++)
        rows[k] = matrix[k] * 3.0f, added[k] = matrix[2 * k + 1];
    for (int k = 0; k < 64; k++)
        ones[k] = 1.0f;
    for (int k = 0; k < 4 * 3 * 64; k++)
        three[k] = matrix[k + 7];
    for (int k = 0; k < 40; k++)
        scores[k] = -matrix[k] * 9.0;
    normalise(rows, added, 4, 64, ones, zeros, 1e-5f);
    multiply_rows(rows, 4, 64, matrix, 64, 48, out);
    attend(tile_named("plain"), three, 4, 64, 32, 0, 0, scratch, attended);
    exponentials(scores, 40, 5.0, powers);
    fwrite(rows, sizeof(rows), 1, stdout);
    fwrite(out, sizeof(out), 1, stdout);
    fwrite(attended, sizeof(attended), 1, stdout);
    fwrite(powers, sizeof(powers), 1, stdout);
    for (int k = 0; k < 4096; k++) {
        uint64_t bits = ((uint64_t)(state = state * 1664525u + 1013904223u) << 32) | k;
        uint64_t mixed = tokalign_mix(bits, ~bits * 0x9E3779B97F4A7C15u);
        int counted[2] = {tokalign_ones(bits), tokalign_lowest(bits | 1ull << 63)};
        fwrite(&mixed, sizeof(mixed), 1, stdout);
        fwrite(counted, sizeof(counted), 1, stdout);
        TOKALIGN_PREFETCH(&mixed);
    }
    return 0;
}
"""


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_standard_c_gives_the_same_numbers(tmp_path):
    source = tmp_path / "driver.c"
    source.write_text(DRIVER)
    flags = ["-O2", "-fno-math-errno", "-ffp-contract=off", f"-I{CORE}", "-Wno-unused-function"]
    plain = ["-DTOKALIGN_PLAIN_C", "-std=c11", "-Wall", "-Wpedantic", "-Werror"]
    printed = []
    for name, more in (("gnu", []), ("plain", plain)):
        command = ["gcc", *flags, *more, "-o", tmp_path / name, source, "-lm"]
        made = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert made.returncode == 0, made.stderr
        printed.append(subprocess.run([tmp_path / name], stdout=subprocess.PIPE, check=True).stdout)
    assert len(printed[0]) > 60_000
    assert printed[0] == printed[1]

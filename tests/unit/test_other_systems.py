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
#include "relations/_trees.h"
#include <stdio.h>

int main(void)
{
    static float rows[4 * 64], added[4 * 64], ones[64], zeros[64], matrix[64 * 48], out[4 * 48];
    static float three[4 * 3 * 64], scratch[4096], attended[4 * 64];
    static double scores[40], powers[40];
    static uint8_t bytes[MOST_ROWS * 256];
    static int8_t panel[256 * PANEL];
    static int32_t sums[TILE_ROWS * PANEL];
    const char *tiles[] = {"amx", "avx512", "avx2", "arm", "plain"};
    const uint8_t *of_bytes[TILE_ROWS];
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
    for (int trial = 0; trial < 8; trial++) {
        int n_steps = trial < 7 ? 4 * (trial + 1) : 64;
        for (int k = 0; k < 4 * n_steps * PANEL; k++) /* the first has the largest and smallest */
            panel[k] = trial ? (int)((state = state * 1664525u + 1013904223u) >> 16) % 129 - 64
                             : k % 3 ? 64 : -64;
        for (int r = 0; r < TILE_ROWS; r++) {
            uint8_t *row = bytes + r * 4 * n_steps;
            of_bytes[r] = row;
            for (int k = 0; k < 4 * n_steps; k++)
                row[k] = trial ? (state = state * 1664525u + 1013904223u) >> 16 : r ? 255 : 0;
        }
        plain_tile(of_bytes, panel, n_steps, sums);
        fwrite(sums, sizeof(sums), 1, stdout);
        for (int t = 0; t < 5; t++) {
            static int32_t found[MOST_ROWS * PANEL];
            Tile tile = tile_named(tiles[t]);
            if (tile != NULL && (t || n_steps % 16 == 0)) {
                begin_tiles(tile);
                tile(of_bytes, panel, n_steps, found);
                end_tiles(tile);
                fprintf(stderr, "%s %d ", tiles[t], !memcmp(found, sums, sizeof(sums)));
            }
        }
    }
    fwrite(rows, sizeof(rows), 1, stdout);
    fwrite(out, sizeof(out), 1, stdout);
    fwrite(attended, sizeof(attended), 1, stdout);
    fwrite(powers, sizeof(powers), 1, stdout);
    int32_t input[31];
    uint32_t left[31], leaves[4] = {~0u, ~0u, ~0u, ~0u};
    for (int k = 0; k < 31; k++)
        input[k] = k % 8, left[k] = 1u << k;
    strike_out(input, matrix + 99, left, 31, matrix, leaves);
    fwrite(leaves, sizeof(leaves), 1, stdout);
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


def printed_by(compiler: str, tmp_path: Path, *options: str, by: tuple[str, ...] = ()) -> bytes:
    """Return what the driver prints; each tile of its processor must have the plain one's sums."""
    source, program = tmp_path / "driver.c", tmp_path / "driver"
    source.write_text(DRIVER)
    flags = ["-O2", "-fno-math-errno", "-ffp-contract=off", f"-I{CORE}", "-Wno-unused-function"]
    command = [compiler, *flags, *options, "-o", program, source, "-lm"]
    made = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert made.returncode == 0, made.stderr
    done = subprocess.run([*by, program], capture_output=True, check=True)
    assert len(done.stdout) > 60_000
    of_tiles = done.stderr.decode().split()
    assert of_tiles[1::2] == ["1"] * (len(of_tiles) // 2)
    assert of_tiles[::2].count("plain") == 8
    if by:
        assert of_tiles[::2].count("arm") == 8
    return done.stdout


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_standard_c_gives_the_same_numbers(tmp_path):
    plain = ("-DTOKALIGN_PLAIN_C", "-std=c11", "-Wall", "-Wpedantic", "-Werror")
    assert printed_by("gcc", tmp_path) == printed_by("gcc", tmp_path, *plain)


NEEDED = ("gcc", "aarch64-linux-gnu-gcc", "qemu-aarch64")


@pytest.mark.skipif(not all(map(shutil.which, NEEDED)), reason=f"it needs {', '.join(NEEDED)}")
def test_arm_processors_give_the_same_numbers(tmp_path):
    arm = printed_by(
        "aarch64-linux-gnu-gcc", tmp_path, "-static", "-Wall", "-Werror", by=("qemu-aarch64",)
    )
    assert arm == printed_by("gcc", tmp_path)

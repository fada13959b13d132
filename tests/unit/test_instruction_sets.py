"""Wheels run on every x86-64: newer instructions are only in clones chosen at run time."""

import platform
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import tokalign

MODULES = sorted(Path(tokalign.__file__).parent.rglob("*.so"))
# The baseline has vectors of 128 bits, in instructions without a leading v.
NEWER = re.compile(r"%[yz]mm\d|\tv[a-z]+ .*%xmm\d")

# Clones that the loader chooses among, and kernels that tokalign.neural.layers does.
CHOSEN = re.compile(r"\.avx2|\.arch_x86_64_v4|^(tile|attend)_avx(2|512)$")


def functions_with_newer_instructions(module):
    """Return the names of the functions whose code holds any."""
    answer = subprocess.run(
        ["objdump", "-d", "--no-show-raw-insn", module],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    found, name = set(), ""
    for line in answer.stdout.splitlines():
        if line.endswith(">:"):
            name = line.split("<")[1].removesuffix(">:")
        elif NEWER.search(line):
            found.add(name)
    return found


@pytest.mark.skipif(platform.machine() != "x86_64", reason="it is about x86-64")
@pytest.mark.skipif(shutil.which("objdump") is None, reason="objdump is not installed")
def test_newer_instructions_are_only_in_functions_with_a_plain_twin():
    assert len(MODULES) > 20
    found = {module.stem: functions_with_newer_instructions(module) for module in MODULES}
    clones = {name for names in found.values() for name in names}
    assert all(CHOSEN.search(name) for name in clones), found
    # The disassembly does show them where they are.
    assert any(name.startswith("add_wide_rows.avx2") for name in clones)

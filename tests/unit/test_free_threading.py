"""No module of tokalign turns the lock of a free-threaded Python on again."""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
import tokalign

FOLDER = Path(tokalign.__file__).parent
DEFINED = re.compile(r"define __Pyx_FREETHREADING_COMPATIBLE (\w+)")
MODULES = sorted(FOLDER.rglob("*.so"))


def test_every_extension_declares_that_it_needs_no_lock():
    """Cython's directive decides the last of three definitions in the C code of a module."""
    sources = sorted(FOLDER.rglob("*.c"))
    if not sources:
        pytest.skip("the package was installed without its sources")
    without = [
        path.name
        for path in sources
        if DEFINED.findall(path.read_text())[-1] != "Py_MOD_GIL_NOT_USED"
    ]
    assert len(sources) > 20
    assert not without


IMPORTS = """
import importlib, sys

for name in sys.argv[1:]:
    importlib.import_module(name)
    assert not sys._is_gil_enabled(), f"{name} turned the lock on"
print(len(sys.argv) - 1)
"""


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="has the lock always")
def test_no_import_turns_the_lock_on():
    names = [
        ".".join((*path.relative_to(FOLDER.parent).parts[:-1], path.name.partition(".")[0]))
        for path in MODULES
    ]
    done = subprocess.run([sys.executable, "-c", IMPORTS, *names], capture_output=True, text=True)
    assert done.stdout == f"{len(names)}\n", done.stderr

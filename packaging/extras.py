"""Installs the wheels into empty environments, alone and with extras, and uses them there.

A few environments hold every two extras of `all` together, each of the two without the other, and,
with the one without extras, neither: of n environments an extra is in n // 2 + 1, and no two are in
the same ones. release.py calls it.
"""

from __future__ import annotations

import itertools
import math
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "build" / "extras"
ALONE = ("base", "client", "server", "train", "arrow", "neural")
"""Those that docs/install.md has in its table."""
FIRST_LINK = "from tokalign import Aligner; Aligner.load().align('A dog barked.', 'Dogs bark.')"
WITHOUT_DATA = """
import tokalign
try:
    tokalign.align("A dog barked.", "Dogs bark.")
except tokalign.ResourceError as error:
    assert "pip install 'tokalign-data==" in str(error), error
else:
    raise SystemExit("it aligns without tokalign-data")
"""


def project() -> dict[str, Any]:
    """Return what pyproject.toml says of the package."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def run(*command: object) -> str:
    """Return what a command prints; SystemExit with what it was if it fails."""
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"failed: {' '.join(words)}\n{done.stdout}{done.stderr}")
    return done.stdout


def uv(*arguments: object) -> str:
    """Run the uv that stands beside this interpreter: it fills an environment in seconds."""
    return run(Path(sys.executable).with_name("uv"), *arguments)


def environment(name: str, python: str, dist: Path, *wanted: object) -> Path:
    """Return the interpreter of a new environment with some packages, some of them from `dist`."""
    folder = WORK / name
    uv("venv", "-q", "--clear", "--python", python, folder)
    found = folder / "bin" / "python"
    # Without this uv installs the data that it found here before, if that had the same version.
    fresh = ("--refresh-package", "tokalign-data", "--refresh-package", "tokalign-neural-data")
    uv("pip", "install", "-q", *fresh, "--python", found, "--find-links", dist, *wanted)
    return found


def combinations() -> dict[str, tuple[str, ...]]:
    """Return the environments of several extras, by the names of these."""
    (every,) = project()["optional-dependencies"]["all"]
    extras = every.removeprefix("tokalign[").removesuffix("]").split(",")
    n_rows = next(n for n in itertools.count(3) if math.comb(n, n // 2 + 1) >= len(extras))
    places = itertools.combinations(range(n_rows), n_rows // 2 + 1)
    named = list(zip(extras, places, strict=False))
    rows = [tuple(extra for extra, place in named if row in place) for row in range(n_rows)]
    return {"+".join(row): row for row in rows}


def size_mb(folder: Path) -> float:
    """Return the megabytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def use_alone(python: str, dist: Path, wheel: Path) -> None:
    """Install the compiled wheel without data, and the wheels of data without it."""
    found = environment("alone", python, dist, *project()["dependencies"])
    uv("pip", "install", "-q", "--python", found, "--no-deps", wheel)
    run(found, "-c", WITHOUT_DATA)
    for data in sorted(dist.glob("*-none-any.whl")):
        found = environment("alone", python, dist, data)
        (folder,) = (WORK / "alone").glob("lib/python*/site-packages")
        if list(folder.rglob("*.so")) or not list((folder / "tokalign" / "data").iterdir()):
            raise SystemExit(f"{data.name} is not of data alone")


def measure(name: str, extras: tuple[str, ...], python: str, dist: Path, wheel: Path) -> str:
    """Install the wheel with extras, check what works, and return the row of the table."""
    listed = f"[{','.join(extras)}]" if extras else ""
    found = environment(name, python, dist, f"tokalign{listed} @ {wheel.resolve().as_uri()}")
    (folder,) = (WORK / name).glob("lib/python*/site-packages")
    n_packages = len(list(folder.glob("*.dist-info")))
    n_own = len(list(folder.glob("tokalign*.dist-info")))
    own = size_mb(folder / "tokalign")
    beside = size_mb(folder) - own
    began = time.perf_counter()
    run(found, "-c", FIRST_LINK)
    first_link_s = time.perf_counter() - began
    run(found, ROOT / "tests" / "extras.py", *extras)
    shutil.rmtree(WORK / name)
    return f"| {name} | {n_packages - n_own} | {beside:.0f} | {own:.0f} | {first_link_s:.2f} |"


def use_all(python: str, dist: Path, wheel: Path) -> None:
    """Do all of it by one Python, and print a table: what each brings, and its first link."""
    shutil.rmtree(WORK, ignore_errors=True)
    use_alone(python, dist, wheel)
    print("| extras | packages | MB beside tokalign | MB of tokalign | s to the first link |")
    print("| --- | --- | --- | --- | --- |")
    rows = {name: () if name == "base" else (name,) for name in ALONE} | combinations()
    for name, extras in rows.items():
        print(measure(name, extras, python, dist, wheel), flush=True)

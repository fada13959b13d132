"""Installs a wheel with each extra into an environment of its own, checks what works there, and
prints a table: how many packages and megabytes it brings, and how long the first link takes.

    python packaging/extras.py [EXTRA...]        (make test-extras)
"""

import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "build" / "extras"
EXTRAS = ("base", "client", "server", "train", "arrow", "neural")
FIRST_LINK = "from tokalign import Aligner; Aligner.load().align('A dog barked.', 'Dogs bark.')"
# Every environment has them.
OWN = {"pip", "setuptools"}


def run(*command: object) -> str:
    """Return what a command prints; SystemExit with what it was if it fails."""
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"failed: {' '.join(words)}\n{done.stdout}{done.stderr}")
    return done.stdout


def size_mb(folder: Path) -> float:
    """Return the megabytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def measure(wheel: Path, extra: str) -> dict[str, object]:
    """Install the wheel with an extra, check it, and return what it takes."""
    environment = WORK / extra
    run(sys.executable, "-m", "venv", environment)
    python = environment / "bin" / "python"
    pip = (python, "-m", "pip", "--disable-pip-version-check", "-q")
    run(*pip, "install", "--no-compile", f"{wheel}[{extra}]" if extra != "base" else wheel)
    run(python, ROOT / "tests" / "extras.py", extra)
    (folder,) = environment.glob("lib/python*/site-packages")
    packages = {each.name.partition("-")[0] for each in folder.glob("*.dist-info")} - OWN
    own = size_mb(folder / "tokalign")
    beside = size_mb(folder) - own - sum(size_mb(folder / name) for name in OWN)
    began = time.perf_counter()
    run(python, "-c", FIRST_LINK)
    return {
        "extra": extra,
        "packages": len(packages) - 1,
        "mb_beside": round(beside),
        "mb_tokalign": round(own),
        "first_link_s": round(time.perf_counter() - began, 2),
    }


def main(extras: list[str]) -> None:
    """Do all of it."""
    shutil.rmtree(WORK, ignore_errors=True)
    built = WORK / "wheel"
    run(
        sys.executable, "-m", "pip", "--disable-pip-version-check", "-q", "wheel",
        "--no-build-isolation", "--no-deps", "--wheel-dir", built, ROOT,
    )  # fmt: skip
    (wheel,) = built.glob("*.whl")
    print("| extra | packages | MB beside tokalign | MB of tokalign | s to the first link |")
    print("| --- | --- | --- | --- | --- |")
    for extra in extras or EXTRAS:
        print(f"| {' | '.join(map(str, measure(wheel, extra).values()))} |", flush=True)
        shutil.rmtree(WORK / extra)


if __name__ == "__main__":
    main(sys.argv[1:])

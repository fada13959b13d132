"""Splits a wheel of all of tokalign into three, which install into the same folder.

`tokalign` keeps what is compiled and asks for `tokalign-data`, which has tables and models and is
the same for every Python; its extra `neural` asks for `tokalign-neural-data`. A source checkout
knows one package alone, which has all. Each of the three names the terms of its own files alone.

    python packaging/split.py INTO WHEEL...
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from terms import choose

NEURAL = re.compile(
    r"encoder-.*|.*-neural(-large|-open)?\.tokalign|(gates|gates-open|second-pass|wordpieces)\.table"
)
"""Files of data that only models with an encoder read."""
DATA = Path("tokalign", "data")
VERSION = "version.txt"
NEURAL_VERSION = "neural-version.txt"
"""Says in the neural data what `version.txt` says in the other; see tokalign.files.shipped."""
OF_DATA = """Metadata-Version: 2.4
Name: {name}
Version: {version}
Summary: {summary}
Description-Content-Type: text/plain
{kept}
{about}
"""
OF_WHEEL = """Wheel-Version: 1.0
Generator: tokalign
Root-Is-Purelib: true
Tag: py3-none-any
"""


def packed(folder: Path, into: Path) -> None:
    """Pack an unpacked wheel; its bytes depend on its content and SOURCE_DATE_EPOCH alone."""
    for path in folder.rglob("*"):
        path.chmod(0o755 if path.is_dir() or path.suffix == ".so" else 0o644)
    command = [Path(sys.executable).parent / "wheel", "pack", "--dest-dir", into, folder]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def data_wheel(whole: Path, name: str, summary: str, files: list[Path], into: Path) -> None:
    """Move files of an unpacked wheel into one of data, and pack that."""
    (info,) = whole.glob("*.dist-info")
    metadata = (info / "METADATA").read_text()
    version = re.search(r"^Version: (.*)$", metadata, re.M)[1]  # type: ignore[index]
    kept = re.findall(r"^(?:Project-URL|Author|Requires-Python).*$", metadata, re.M)
    folder = whole.with_name(f"{name.replace('-', '_')}-{version}")
    own = folder / f"{folder.name}.dist-info"
    shutil.copytree(info / "licenses", own / "licenses")
    kept += choose(own, [path.name for path in files])
    (folder / DATA).mkdir(parents=True)
    for path in files:
        path.rename(folder / DATA / path.name)
    about = f"Part of tokalign {version}, which asks for it; by itself it does nothing."
    fields = {"name": name, "version": version, "summary": summary, "kept": "\n".join(kept)}
    (own / "METADATA").write_text(OF_DATA.format(about=about, **fields))
    (own / "WHEEL").write_text(OF_WHEEL)
    (own / "RECORD").touch()
    packed(folder, into)
    shutil.rmtree(folder)


def split(wheel: Path, into: Path) -> None:
    """Write the three wheels that one of all becomes; the compiled one still lacks its platform."""
    work = into / "unpacked"
    command = [Path(sys.executable).parent / "wheel", "unpack", "--dest", work, wheel]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    (whole,) = work.iterdir()
    version = whole.name.partition("-")[2]
    neural, plain = [], []
    for path in sorted((whole / DATA).iterdir()):
        (neural if NEURAL.fullmatch(path.name) else plain).append(path)
    copy = whole / DATA / NEURAL_VERSION
    shutil.copy(whole / DATA / VERSION, copy)
    data_wheel(whole, "tokalign-data", "Tables and models of tokalign", plain, into)
    of_neural = "Encoders and neural models of tokalign"
    data_wheel(whole, "tokalign-neural-data", of_neural, [*neural, copy], into)
    (whole / DATA).rmdir()
    (info,) = whole.glob("*.dist-info")
    terms = choose(info, [], has_code=True)
    fields, blank, text = (info / "METADATA").read_text().partition("\n\n")
    lines = [each for each in fields.split("\n") if not each.startswith("License-")]
    place = next(k for k, each in enumerate(lines) if each.startswith("Provides-Extra: "))
    wanted = [f"Requires-Dist: tokalign-data=={version}"]
    wanted += [f'Requires-Dist: tokalign-neural-data=={version}; extra == "neural"']
    lines[place:place] = [*terms, *wanted]
    (info / "METADATA").write_text("\n".join(lines) + blank + text)
    packed(whole, into)
    shutil.rmtree(work)


def epoch(root: Path) -> str:
    """Return the time of the last commit, which files in wheels have."""
    if given := os.environ.get("SOURCE_DATE_EPOCH"):
        return given
    command = ["git", "-C", root, "log", "-1", "--format=%ct"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    for name in sys.argv[2:]:
        split(Path(name), Path(sys.argv[1]))

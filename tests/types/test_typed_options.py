"""Type checkers take the options that there are, and refuse others."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from support.guesses import GUESSES, SETUP

ROOT = Path(__file__).parents[2]

TAKEN = """
import tokalign
from tokalign import Aligner, AlignOptions, Alignment, Symmetrization
from tokalign.client import AsyncClient, Client

pair = ("Dogs bark.", "The dogs bark.")
aligner = Aligner("en")
options = AlignOptions(min_confidence=0.5)
found: Alignment = tokalign.align(*pair, options, style="free", anchors=[(0, 1)])
found = aligner(*pair, symmetrization="union")
found = aligner.align(*pair, symmetrization=Symmetrization.UNION, style="a style of mine")
share: float = tokalign.similarity(*pair)
texts: list[str] = [link.source_text for link in found.links]
chances: list[float | None] = [word.unlinked for word in found.source_words]
rows = [{"premise": pair[0], "hypothesis": pair[1]}]
for each in aligner.pipe(rows, style="strict", n_process=2):
    line: str = each.to_pharaoh()
order = [each.index for each in tokalign.rank("Who?", list(pair), by="score", truncate=True)]
tokalign.ground("Dogs bark.", [{"id": "a", "text": "Dogs bark."}], threshold=0.3)
aligner.similarities(pair[0], pair, errors="nan", detail="scores")
with Client("localhost:50051") as client:
    client.batch_align(rows, relations=True)
    client.rank("Who?", pair, by="answer", top_k=1)
version: str = tokalign.__version__
"""

REFUSED = """
import tokalign
from tokalign import Aligner
from tokalign.client import Client

pair = ("Dogs bark.", "The dogs bark.")
aligner = Aligner("en")
client = Client("localhost:50051")
tokalign.align(*pair, stlye="free")
aligner.align(*pair, symmetrization="onion")
aligner(*pair, min_confidence="high")
aligner.pipe([pair], anchors=[(0, 1)])
tokalign.similarity(*pair, errors="nan")
aligner.rank("Who?", pair, by="luck")
tokalign.rank("Who?", pair, topk=1)
tokalign.ground("Dogs bark.", pair, treshold=0.3)
aligner.similarities(pair[0], pair, errors="drop")
client.align(*pair, stlye="free")
client.batch_align([pair], offsets="bytes")
client.ground("Dogs bark.", pair, style="free")
Aligner(3)
"""
N_RIGHT = 8
"""Lines of REFUSED that are right."""


def lines_refused_by_mypy(folder: Path, name: str) -> set[int]:
    command = [sys.executable, "-m", "mypy", "--config-file=", "--strict", "--no-incremental"]
    done = subprocess.run(
        [*command, "--follow-imports=silent", name],
        cwd=folder,
        env={**os.environ, "MYPYPATH": str(folder)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode in (0, 1), done.stderr
    marked = [line.split(":") for line in done.stdout.splitlines() if line.startswith(name)]
    return {int(line[1]) for line in marked if "error" in line[2]}


def lines_refused_by_pyright(folder: Path, name: str) -> set[int]:
    pytest.importorskip("basedpyright")
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "--level", "error"]
    done = subprocess.run(
        [*command, "--pythonpath", sys.executable, name],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
    )
    found = json.loads(done.stdout)["generalDiagnostics"]
    return {each["range"]["start"]["line"] + 1 for each in found if each["severity"] == "error"}


@pytest.mark.parametrize("checker", [lines_refused_by_mypy, lines_refused_by_pyright])
def test_options_are_checked_before_the_program_runs(
    tmp_path: Path, checker: Callable[[Path, str], set[int]]
) -> None:
    package = tmp_path / "tokalign"
    package.mkdir()
    for part in (*(ROOT / "core/tokalign").iterdir(), ROOT / "server", ROOT / "client"):
        (package / part.name).symlink_to(part)
    (tmp_path / "taken.py").write_text(TAKEN)
    (tmp_path / "refused.py").write_text(REFUSED)
    guesses = "".join(f"print({guess})\n" for guess in GUESSES)
    (tmp_path / "guesses.py").write_text(SETUP + guesses)
    assert checker(tmp_path, "taken.py") == set()
    assert checker(tmp_path, "guesses.py") == set()
    n_lines = len(REFUSED.splitlines())
    assert checker(tmp_path, "refused.py") == set(range(N_RIGHT + 1, n_lines + 1))

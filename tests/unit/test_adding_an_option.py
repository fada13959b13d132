"""A new option of a request, and a new field of answers, are written in four files each.

They are then known everywhere: in the library, the command line, the clients and the server.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("grpc_tools", reason="writes the protobuf code anew")

ROOT = Path(__file__).parents[2]
FOLDERS = {
    "core/tokalign": "tokalign",
    "server": "tokalign/server",
    "client": "tokalign/client",
    "protos": "protos",
}
"""Folder of the repository -> where it lies once it is installed."""

EDITS = {
    "protos/tokalign/v1/align.proto": (
        "message AlignOptions {\n",
        "message AlignOptions {\n  // Whether to refuse.\n  bool dummy = 100;\n",
    ),
    "core/tokalign/types/options.py": (
        "    truncate: bool = False\n",
        "    truncate: bool = False\n    dummy: bool = False\n",
    ),
    "core/tokalign/cli/shared_flags.py": (
        "class PairFlags(LinkFlags):\n",
        'class PairFlags(LinkFlags):\n    dummy: bool = flag("Refuse.", default=False)\n',
    ),
    "core/tokalign/decoding/by_model.py": (
        "    def check(self, options: AlignOptions) -> None:\n",
        "    def check(self, options: AlignOptions) -> None:\n"
        "        from tokalign.errors import InputError\n\n"
        '        if options.dummy:\n            raise InputError("the option dummy arrived")\n',
    ),
}
"""File -> what stands there, and what it becomes with an option called dummy, which the model
refuses."""

OUTPUT_EDITS = [
    (
        "protos/tokalign/v1/align.proto",
        "message Alignment {\n",
        "message Alignment {\n  // Alone in a oneof.\n  oneof added {\n    // A figure.\n"
        "    double figure = 100;\n  }\n",
    ),
    (
        "core/tokalign/types/fields.py",
        "    encoded: bool | None = None\n",
        "    encoded: bool | None = None\n    figure: float | None = None\n",
    ),
    (
        "core/tokalign/types/fields.py",
        '    Output("encoded", Kept.ONCE, is_figure=True),\n',
        '    Output("encoded", Kept.ONCE, is_figure=True),\n    Output("figure", Kept.EACH),\n',
    ),
    (
        "core/tokalign/types/columns.py",
        "    encoded: bool | None = None\n",
        "    encoded: bool | None = None\n    figure: Sequence[float] = ()\n",
    ),
    (
        "core/tokalign/decoding/by_model.py",
        "            encoded=self._encoded,\n        )\n",
        "            encoded=self._encoded,\n            figure=[0.25] * len(pairs),\n        )\n",
    ),
]
"""File, what stands there, and what it becomes with a field of answers called figure."""

USES = """
import json, subprocess, sys
from tokalign import Aligner, InputError
from tokalign.client import AsyncClient, Client
from bench.server_process import running_server

def told(use):
    try:
        use()
    except Exception as error:
        return str(error)

def command(*more):
    align = [sys.executable, "-m", "tokalign", "align", "--strict", *more]
    return subprocess.run(align, input="a dog ||| dogs", capture_output=True, text=True)

def refusal(*more):
    return command("--dummy", *more).stderr

def written(*more):
    return json.loads(command("--format", "jsonl", *more).stdout)["figure"]

pair = ("a dog", "dogs")
found = {"align": told(lambda: Aligner.load().align(*pair, dummy=True))}
found["pipe"] = told(lambda: list(Aligner.load().pipe([pair], dummy=True)))
found["command"] = refusal()
made = Aligner.load().align(*pair)
figures = {"align": made.figure, "JSON": made.to_dict()["figure"], "command": written()}
(piped,) = Aligner.load().pipe([pair], n_process=2)
figures["pipe"] = piped.figure
serving = running_server("--metrics-port", "-1", "--model", "en")
with serving as server, Client(server.address) as client:
    client.wait_ready()
    found["client"] = told(lambda: client.align(*pair, dummy=True))
    (ranked,) = client.rank("a dog", ["dogs"], dummy=True)
    found["rank"] = str(ranked.error)
    found["command at a server"] = refusal("--server", server.address)
    assert told(lambda: client.align(*pair)) is None
    figures["client"] = client.align(*pair).figure
    figures["client, scores"] = client.align(*pair, detail="scores").figure
    figures["rank"] = client.rank("a dog", ["dogs"])[0].alignment.figure
    figures["command at a server"] = written("--server", server.address)
print(json.dumps([found, figures]))
"""


def test_what_is_written_in_four_files_arrives_everywhere(tmp_path: Path) -> None:
    for folder, place in FOLDERS.items():
        shutil.copytree(
            ROOT / folder,
            tmp_path / place,
            copy_function=os.symlink,
            dirs_exist_ok=True,
            ignore=shutil.ignore_patterns("__pycache__", "*_pb2*", "*.c", "*.xz"),
        )
    for name, old, new in [*((name, *edit) for name, edit in EDITS.items()), *OUTPUT_EDITS]:
        folder = next(each for each in FOLDERS if name.startswith(each + "/"))
        path = tmp_path / FOLDERS[folder] / Path(name).relative_to(folder)
        text = path.read_text()
        assert text.count(old) == 1, name
        path.unlink()
        path.write_text(text.replace(old, new))
    kinds = [f"--{kind}_out={tmp_path}" for kind in ("python", "grpc_python")]
    protos = sorted(str(path) for path in (tmp_path / "protos").rglob("*.proto"))
    command = [sys.executable, "-m", "grpc_tools.protoc", f"-I{tmp_path / 'protos'}", *kinds]
    subprocess.run([*command, *protos], check=True)
    done = subprocess.run(
        [sys.executable, "-c", USES],
        env={**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT}"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    found, figures = json.loads(done.stdout)
    assert len(found) == 6
    assert len(figures) == 8 and set(figures.values()) == {0.25}
    assert {
        use: told for use, told in found.items() if "the option dummy arrived" not in (told or "")
    } == {}


def test_the_page_for_contributors_names_these_places_and_no_others() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text()
    section = page.partition("## Adding an option\n")[2].partition("\n## ")[0]
    named = re.findall(r"^\d\. .*?`([\w/.]+)`", section, re.MULTILINE | re.DOTALL)
    assert sorted(named) == sorted(EDITS)


def test_the_page_names_where_a_field_of_answers_is_written() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text()
    section = page.partition("## Adding a field of answers\n")[2].partition("\n## ")[0]
    named = re.findall(r"^\d\. .*?`([\w/.]+)`", section, re.MULTILINE | re.DOTALL)
    assert sorted(named) == sorted({name for name, _, _ in OUTPUT_EDITS})

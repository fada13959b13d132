"""Examples of the documentation: runs them, and writes what they print.

    python docs/examples.py                    (make docs)
    python docs/examples.py --check PAGE...    (write nothing; exit 1 where a page shows another)

Examples are fenced blocks. ``console``: lines after ``$ `` (continued after ``> ``) are commands,
the lines after them their output. ``pycon``: an interpreter session. The blocks of a page share a
folder and a namespace. ``localhost:50051`` stands for a server that is started for the run. A block
below a line ``<!--from FILE-->`` shows what stands in that file between the comments ``quick
start`` and ``end of quick start``. A test fails where a page shows something else.
"""

from __future__ import annotations

import contextlib
import difflib
import doctest
import io
import os
import re
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import Any

from demo import demo_server
from picture import PICTURE, picture

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
ADDRESS = "localhost:50051"
TIMEOUT_S = 120
_BLOCK = re.compile(r"(?<=^```)(console|pycon)\n(.*?)(?=^```)", re.MULTILINE | re.DOTALL)
_EXCERPT = re.compile(r"(?<=^<!--from )(\S+)-->\n```(\w+)\n.*?(?=^```)", re.MULTILINE | re.DOTALL)
_MARKED = re.compile(
    r"^ *// quick start\n(.*?)^ *// end of quick start\n", re.DOTALL | re.MULTILINE
)
_COMMAND = re.compile(r"^\$ .*\n(?:> .*\n)*", re.MULTILINE)


def refreshed(page: str, address: str) -> str:
    """Return the text of a page with the outputs and excerpts of now."""
    names: dict[str, Any] = {"__name__": "__main__"}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):

        def run(match: re.Match[str]) -> str:
            kind, body = match.groups()
            body = body.replace(ADDRESS, address)
            shown = _console(body) if kind == "console" else _session(body, names)
            return f"{kind}\n{shown.replace(address, ADDRESS)}"

        return _EXCERPT.sub(_excerpt, _BLOCK.sub(run, page))


def _excerpt(place: re.Match[str]) -> str:
    """Return a place with the marked part of its file; ValueError if that has none."""
    name, language = place.groups()
    marked = _MARKED.search((ROOT / name).read_text(encoding="utf-8"))
    if marked is None:
        raise ValueError(f"{name} has no part between quick start and end of quick start")
    return f"{name}-->\n```{language}\n{textwrap.dedent(marked[1])}"


def _console(body: str) -> str:
    shown = []
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for command in _COMMAND.findall(body):
        script = re.sub(r"^(\$|>) ", "", command, flags=re.MULTILINE)
        done = subprocess.run(
            ["bash", "-c", script],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=TIMEOUT_S,
            env={**os.environ, "PATH": path},
        )
        shown.append(command + done.stdout)
    return "".join(shown)


def _session(body: str, names: dict[str, Any]) -> str:
    shown = []
    for example in doctest.DocTestParser().get_examples(body):
        first, *rest = example.source.splitlines()
        lines = [f">>> {first}", *(f"... {line}".rstrip() for line in rest)]
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(example.source, "<example>", "single"), names)
        shown.append("\n".join(lines) + "\n" + printed.getvalue())
    return "".join(shown)


def rewrite(path: Path, text: str) -> None:
    """Write a file if it holds something else."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
        print(f"rewrote {path.relative_to(ROOT)}")


def main(arguments: list[str]) -> None:
    """Refresh all pages, and the picture; or check some."""
    with demo_server("en") as address:
        if arguments[:1] == ["--check"]:
            for path in map(Path, arguments[1:]):
                text = path.read_text(encoding="utf-8")
                lines = (text.splitlines(), refreshed(text, address).splitlines())
                if found := "\n".join(difflib.unified_diff(*lines, "page", "printed", lineterm="")):
                    sys.exit(f"{path} shows what is not printed:\n{found}")
            return
        for path in PAGES:
            rewrite(path, refreshed(path.read_text(encoding="utf-8"), address))
    rewrite(PICTURE, picture())


if __name__ == "__main__":
    main(sys.argv[1:])

"""Imports point one way only: from what is built to what it is built on."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

IMPORTS: dict[str, set[str]] = {
    # Floor 0.
    "edits": set(),
    "errors": set(),
    "phrases": set(),
    "v1": set(),
    # Floor 1.
    "constraints": {"errors"},
    "crf": {"errors"},
    "devices": {"errors"},
    "headers": {"errors"},
    "load": {"errors"},
    "options": {"errors"},
    "styles": {"headers"},
    "tables": {"errors", "headers"},
    "types": {"constraints", "edits", "errors", "options", "phrases"},
    # Floor 2.
    "columns": {"options", "types"},
    "offsets": {"options", "types"},
    "formats": {"errors", "types"},
    "lengths": {"errors", "types"},
    "lexicon": {"errors", "tables", "types"},
    "outcomes": {"constraints", "errors", "types"},
    "processes": {"errors"},
    # Floor 3.
    "annotate": {"errors", "lexicon", "tables", "types"},
    "codec": {"columns", "constraints", "errors", "options", "outcomes", "phrases", "types", "v1"},
    "evaluate": {"errors", "formats", "lexicon", "types"},
    "piping": {"errors", "processes"},
    "questions": {"lexicon", "tables", "types"},
    # Floor 4.
    "client": {"codec", "constraints", "errors", "offsets", "options", "outcomes", "types", "v1"},
    "features": {"annotate", "crf", "errors", "lexicon", "types"},
    "view": {"evaluate", "types"},
    "judging": {"options", "questions", "types"},
    "systems": {"errors", "lexicon", "options", "types"},
    "preparation": {"annotate", "errors", "lengths", "types"},
    # Floor 5.
    "lessons": {"annotate", "crf", "errors", "features", "lexicon", "types"},
    "model": {"crf", "errors", "features", "headers", "styles"},
    "neural": {"devices", "errors", "features", "headers", "tables", "types"},
    "shipped": {"errors", "systems", "tables"},
    # Floor 6.
    "decoding": {
        "annotate",
        "columns",
        "constraints",
        "crf",
        "errors",
        "features",
        "lengths",
        "model",
        "offsets",
        "options",
        "outcomes",
        "phrases",
        "styles",
        "types",
    },
    "training": {"annotate", "crf", "errors", "features", "lessons", "model", "styles", "types"},
    # Floor 7.
    "loading": {"errors", "model", "shipped", "systems"},
    "matching": {
        "decoding",
        "errors",
        "features",
        "lengths",
        "lexicon",
        "model",
        "offsets",
        "options",
        "outcomes",
        "phrases",
        "systems",
        "types",
    },
    # Floor 8.
    "aligner": {
        "annotate",
        "constraints",
        "decoding",
        "devices",
        "errors",
        "features",
        "judging",
        "lexicon",
        "loading",
        "matching",
        "model",
        "neural",
        "options",
        "outcomes",
        "piping",
        "preparation",
        "processes",
        "shipped",
        "systems",
        "types",
    },
    # Floor 9.
    "arrow": {"aligner", "columns", "errors", "options", "types"},
    "ranking": {"aligner", "annotate", "errors", "offsets", "options", "outcomes", "types"},
    "server": {
        "aligner",
        "annotate",
        "codec",
        "devices",
        "errors",
        "lengths",
        "offsets",
        "options",
        "outcomes",
        "processes",
        "systems",
        "types",
        "v1",
    },
}
"""Part -> the other parts that it imports, floor by floor: a part stands on lower floors only."""

ABOVE_ALL = ("cli", "__init__", "__main__")
"""May import everything."""

HEAVY = {"grpc", "google", "uvloop", "prometheus_client", "scipy", "nltk", "stanza", "spacy"}


def sources() -> list[tuple[str, Path]]:
    """Return every module, compiled ones as well, with the part that it belongs to."""
    roots = {"": ROOT / "core" / "tokalign", "server": ROOT / "server", "client": ROOT / "client"}
    found = []
    for prefix, root in roots.items():
        for path in sorted(
            each for kind in ("*.py", "*.pyx", "*.pxd") for each in root.rglob(kind)
        ):
            part = prefix or path.relative_to(root).parts[0].removesuffix(".py")
            if not path.stem.endswith(("_pb2", "_pb2_grpc")):
                found.append((part, path))
    return found


def imported_modules(tree: ast.AST) -> set[str]:
    """Return the full names that import statements name, relative ones not among them."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


def imported_parts(path: Path, part: str) -> set[str]:
    """Return the other parts that a module imports, or cimports."""
    text = path.read_text()
    if path.suffix != ".py":
        return set(re.findall(r"^\s*(?:from|c?import) tokalign\.(\w+)", text, re.MULTILINE)) - {
            part
        }
    parts = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}, line {node.lineno}: relative import"
            names = (
                [f"tokalign.{alias.name}" for alias in node.names]
                if node.module == "tokalign"
                else [node.module]
            )
        else:
            continue
        parts |= {name.split(".")[1] for name in names if name.startswith("tokalign.")}
    return parts - {part}


@pytest.mark.parametrize(
    ("part", "path"),
    [pytest.param(part, path, id=str(path.relative_to(ROOT))) for part, path in sources()],
)
def test_imports_point_downwards(part, path):
    if part in ABOVE_ALL:
        return
    assert part in IMPORTS, f"{path}: give the new part {part!r} its row in IMPORTS"
    assert imported_parts(path, part) <= IMPORTS[part]


def test_only_what_is_used_is_granted():
    used: dict[str, set[str]] = {part: set() for part in IMPORTS}
    for part, path in sources():
        if part not in ABOVE_ALL:
            used[part] |= imported_parts(path, part)
    assert {part: IMPORTS[part] - used[part] for part in IMPORTS} == {
        part: set() for part in IMPORTS
    }


def test_every_part_stands_on_those_above_its_row():
    parts = list(IMPORTS)
    for index, part in enumerate(parts):
        assert IMPORTS[part] <= set(parts[:index]), part


def test_the_picture_in_the_docs_has_every_part_on_its_floor():
    page = (ROOT / "docs" / "architecture.md").read_text()
    picture = page.partition("## Floors")[2].split("```")[1]
    floors = [set(line.split()) & set(IMPORTS) for line in reversed(picture.splitlines())]
    below: set[str] = set()
    for floor in floors:
        for part in floor:
            assert IMPORTS[part] <= below, part
        below |= floor
    assert below == set(IMPORTS)


def test_grpc_is_imported_where_calls_arrive_and_where_they_are_made():
    rooms = {ROOT / "server" / "rpc", ROOT / "client"}
    for path in (path for _, path in sources() if path.suffix == ".py"):
        packages = {name.split(".")[0] for name in imported_modules(ast.parse(path.read_text()))}
        assert path.parent in rooms or "grpc" not in packages, path


def test_an_underscore_marks_what_is_compiled_and_nothing_else():
    sources_of = {path: path.suffix for _, path in sources() if not path.stem.startswith("__")}
    for path, suffix in sources_of.items():
        assert path.stem.startswith("_") == (suffix in (".pyx", ".pxd")), path


def test_nothing_imports_the_recipes():
    for path in (path for _, path in sources() if path.suffix == ".py"):
        packages = {name.split(".")[0] for name in imported_modules(ast.parse(path.read_text()))}
        assert "recipes" not in packages, f"{path}: recipes are not installed"


def test_recipes_use_the_library_and_not_what_serves_it():
    paths = sorted((ROOT / "recipes").rglob("*.py"))
    assert paths
    for path in paths:
        parts = imported_parts(path, "")
        assert not parts & {"server", "client", "cli", "v1"}, path


@pytest.mark.parametrize(
    "path",
    [path for part, path in sources() if part == "cli" and path.suffix == ".py"],
    ids=lambda path: path.name,
)
def test_cli_imports_nothing_heavy_at_the_top(path):
    top = [
        node
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    modules = {alias.name for node in top if isinstance(node, ast.Import) for alias in node.names}
    modules |= {node.module for node in top if isinstance(node, ast.ImportFrom)}
    assert not {name.split(".")[0] for name in modules} & HEAVY
    # The options of `tokalign serve` are made from the server's configuration, which is light.
    modules -= {"tokalign.server.config"}
    assert not {name for name in modules if name.startswith(("tokalign.server", "tokalign.client"))}


@pytest.mark.parametrize("module", ["tokalign", "tokalign.cli.main", "tokalign.cli.serve"])
def test_import_loads_nothing_heavy(module):
    code = f"import sys, {module}; print(*{{name.split('.')[0] for name in sys.modules}})"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert not set(loaded.split()) & HEAVY

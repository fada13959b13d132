"""Imports point one way only: from what is built to what it is built on."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

LOW = {"errors", "types", "tables"}
ALLOWED = {
    "errors": set(),
    "phrases": set(),
    "types": {"errors", "phrases"},
    "tables": {"errors"},
    "outcomes": {"errors", "types"},
    "lexicon": LOW,
    "formats": LOW,
    "annotate": LOW | {"lexicon", "formats"},
    "crf": {"errors"},
    "features": LOW | {"lexicon", "annotate", "crf"},
    "evaluate": LOW | {"formats"},
    "view": LOW | {"formats", "evaluate"},
    "model": LOW | {"features", "crf"},
    "decoding": {"errors", "types", "crf", "features", "model"},
    "training": LOW | {"formats", "lexicon", "annotate", "features", "crf", "model", "evaluate"},
    "neural": LOW | {"features"},
    "aligner": LOW | {"annotate", "features", "decoding", "model", "neural", "outcomes"},
    "ranking": {"aligner", "errors", "types"},
    "v1": set(),
    "codec": {"v1", "types", "phrases", "errors"},
    "client": {"v1", "types", "errors", "codec"},
    "load": {"errors"},
    "server": LOW | {"aligner", "annotate", "codec", "model", "outcomes", "v1"},
}
"""Part -> parts it may import. Parts that are not listed are `cli`, which may import all."""

HEAVY = {"grpc", "google", "uvloop", "prometheus_client", "scipy", "nltk", "stanza", "spacy"}


def sources() -> list[tuple[str, Path]]:
    roots = {"": ROOT / "core" / "tokalign", "server": ROOT / "server", "client": ROOT / "client"}
    found = []
    for prefix, root in roots.items():
        for path in sorted(root.rglob("*.py")):
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


def imported_parts(tree: ast.AST, part: str) -> set[str]:
    parts = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"line {node.lineno}: relative import"
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
    if part in ("cli", "__init__", "__main__"):
        return
    assert part in ALLOWED, f"{path}: give the new part {part!r} its row in ALLOWED"
    assert imported_parts(ast.parse(path.read_text()), part) <= ALLOWED[part]


def test_nothing_imports_the_recipes():
    for _, path in sources():
        packages = {name.split(".")[0] for name in imported_modules(ast.parse(path.read_text()))}
        assert "recipes" not in packages, f"{path}: recipes are not installed"


def test_recipes_use_the_library_and_not_what_serves_it():
    paths = sorted((ROOT / "recipes").rglob("*.py"))
    assert paths
    for path in paths:
        parts = imported_parts(ast.parse(path.read_text()), "")
        assert not parts & {"server", "client", "cli", "v1"}, path


@pytest.mark.parametrize(
    "path", [path for part, path in sources() if part == "cli"], ids=lambda path: path.name
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

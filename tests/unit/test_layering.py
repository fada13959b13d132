"""The plan of the house: every import points from a room to a lower one.

A *room* is a folder of the package (``codec``), or a module that lies in its root (``aligner``).
An import counts wherever it stands: at the top, inside a function, under TYPE_CHECKING, and as a
cimport.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = {
    "tokalign": ROOT / "core" / "tokalign",
    "tokalign.server": ROOT / "server",
    "tokalign.client": ROOT / "client",
    "bench": ROOT / "bench",
    "lab": ROOT / "lab",
}
"""Package -> the folder that its modules lie in."""

ROOMS: dict[str, set[str]] = {
    # Floor 0.
    "errors": set(),
    "showing": set(),
    "v1": set(),
    # Floor 1.
    "crf": {"errors"},
    "files": {"errors"},
    "types": {"errors", "showing"},
    # Floor 2.
    "batches": {"errors", "types"},
    "codec": {"errors", "types", "v1"},
    "english": {"errors", "files", "types"},
    "formats": {"errors", "files", "types"},
    # Floor 3.
    "client": {"codec", "errors", "types", "v1"},
    "comparison": {"batches", "english", "errors", "types"},
    "evaluate": {"errors", "files", "formats", "types"},
    "features": {"english", "errors", "files", "types"},
    "ranking": {"batches", "english", "errors", "files", "types"},
    "systems": {"english", "errors", "files", "types"},
    # Floor 4.
    "model": {"crf", "english", "errors", "features", "files", "systems", "types"},
    "neural": {"errors", "features", "files", "types"},
    "relations": {"english", "errors", "features", "files", "types"},
    # Floor 5.
    "edits": {"english", "errors", "files", "relations", "types"},
    "texts": {"batches", "english", "errors", "showing", "types"},
    # Floor 6.
    "decoding": {
        "batches",
        "crf",
        "edits",
        "english",
        "errors",
        "features",
        "files",
        "model",
        "neural",
        "ranking",
        "relations",
        "systems",
        "types",
    },
    "view": {"edits", "evaluate", "showing", "types"},
    # Floor 7.
    "grounding": {
        "batches",
        "decoding",
        "english",
        "errors",
        "files",
        "ranking",
        "relations",
        "showing",
        "texts",
        "types",
    },
    # Floor 8.
    "aligner": {
        "batches",
        "comparison",
        "decoding",
        "english",
        "errors",
        "files",
        "grounding",
        "model",
        "neural",
        "ranking",
        "relations",
        "systems",
        "texts",
        "types",
    },
    # Floor 9.
    "arrow": {"aligner", "errors", "types"},
    "functions": {"aligner", "types"},
    "server": {
        "batches",
        "codec",
        "decoding",
        "english",
        "errors",
        "grounding",
        "model",
        "neural",
        "ranking",
        "showing",
        "systems",
        "texts",
        "types",
        "v1",
    },
    # Floor 10.
    "integrations": {"aligner", "errors", "files", "texts", "types"},
}
"""Room -> the other rooms that it imports, floor by floor: a room stands on lower floors only."""

ABOVE_ALL = ("cli", "__init__", "__main__", "bench", "lab")
"""Rooms that may import any other of the library."""

ENGLISH: dict[str, set[str]] = {
    # Floor 0.
    "spelling": set(),
    "values": set(),
    "lexicon": {"spelling"},
    "reading": set(),
    # Floor 1.
    "annotate": {"lexicon", "reading"},
    "questions": {"lexicon"},
}
"""Room of `english` -> the other rooms of it that it imports."""

SERVER: dict[str, set[str]] = {
    # Floor 0.
    "config": set(),
    "hosts": set(),
    "status": set(),
    # Floor 1.
    "descriptors": {"config"},
    "quotas": {"status"},
    "requests": {"config", "status"},
    # Floor 2.
    "admission": {"quotas", "requests", "status"},
    "observe": {"quotas", "status"},
    # Floor 3.
    "workers": {"config", "observe", "requests", "status"},
    # Floor 4.
    "rpc": {"admission", "config", "observe", "quotas", "requests", "status", "workers"},
    # Floor 5.
    "http": {"config", "hosts", "observe", "requests", "rpc", "status"},
    # Floor 6.
    "app": {
        "admission",
        "config",
        "descriptors",
        "hosts",
        "http",
        "observe",
        "rpc",
        "workers",
    },
}
"""Room of the server -> the other rooms of the server that it imports, floor by floor."""

PUBLIC = {"aligner", "arrow", "errors", "functions"}
"""Modules in the root of the package: what users import."""

HEAVY = {"grpc", "google", "uvloop", "prometheus_client", "scipy", "nltk", "stanza", "spacy"}


@cache
def modules() -> dict[str, list[Path]]:
    """Return the files of every module by its full name; a compiled one may have three."""
    found: dict[str, list[Path]] = {}
    for package, folder in FOLDERS.items():
        for path in sorted(folder.rglob("*")):
            if path.suffix not in (".py", ".pyx", ".pxd", ".pyi") or "_pb2" in path.stem:
                continue
            parts = path.relative_to(folder).with_suffix("").parts
            name = ".".join([package, *parts]).removesuffix(".__init__")
            found.setdefault(name, []).append(path)
    return found


def imported(path: Path) -> Iterator[str]:
    """Yield the full name of each module, and of each name of a module, that a file imports."""
    text = path.read_text()
    if path.suffix in (".pyx", ".pxd"):
        for module, names in re.findall(
            r"^\s*from ([\w.]+) c?import (\([^)]*\)|[^\n]*)", text, re.MULTILINE
        ):
            yield from (f"{module}.{name}" for name in re.findall(r"\w+", names))
        yield from re.findall(r"^\s*c?import ([\w.]+)", text, re.MULTILINE)
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}, line {node.lineno}: relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@cache
def arrows() -> dict[str, set[str]]:
    """Return the modules that each module imports."""
    found: dict[str, set[str]] = {}
    for module, paths in modules().items():
        names = {name for path in paths for name in imported(path)}
        targets = {name if name in modules() else name.rpartition(".")[0] for name in names}
        found[module] = (targets & modules().keys()) - {module}
    return found


def room_of(module: str) -> str:
    package, _, rest = module.partition(".")
    return rest.partition(".")[0] or "__init__" if package == "tokalign" else package


def inner_rooms(package: str) -> dict[str, str]:
    """Return the rooms of a large room, by the modules that lie in them."""
    return {
        module: module.removeprefix(f"{package}.").partition(".")[0]
        for module in modules()
        if module.startswith(f"{package}.")
    }


def between(rooms: Mapping[str, str]) -> dict[str, set[str]]:
    """Return which room imports which, of modules with their rooms."""
    found: dict[str, set[str]] = {room: set() for room in rooms.values()}
    for module, room in rooms.items():
        found[room] |= {rooms[target] for target in arrows()[module] if target in rooms} - {room}
    return found


def circles(graph: Mapping[str, Iterable[str]]) -> list[str]:
    """Return the nodes that are part of a circle, or stand above one."""
    left = {node: set(targets) for node, targets in graph.items()}
    while free := {node for node, targets in left.items() if not targets & left.keys()}:
        for node in free:
            del left[node]
    return sorted(left)


def test_no_modules_import_each_other_in_a_circle():
    assert circles(arrows()) == []


def test_a_circle_is_found():
    assert circles({"a": ["b"], "b": ["c"], "c": ["b"], "d": []}) == ["a", "b", "c"]


def test_rooms_import_what_their_row_says_and_nothing_else():
    found = between({module: room_of(module) for module in modules()})
    assert {room: found[room] for room in found if room not in ABOVE_ALL} == ROOMS


@pytest.mark.parametrize(
    ("package", "rows"), [("tokalign.server", SERVER), ("tokalign.english", ENGLISH)]
)
def test_the_rooms_in_a_room_import_what_their_row_says_and_nothing_else(package, rows):
    assert between(inner_rooms(package)) == rows


@pytest.mark.parametrize("rows", [ROOMS, SERVER, ENGLISH], ids=["library", "server", "english"])
def test_every_room_stands_on_those_above_its_row(rows):
    rooms = list(rows)
    for index, room in enumerate(rooms):
        assert rows[room] <= set(rooms[:index]), room


def test_the_picture_in_the_docs_has_every_room_on_its_floor():
    page = (ROOT / "docs" / "architecture.md").read_text()
    picture = page.partition("## Floors")[2].split("```")[1]
    floors = [set(line.split()) & set(ROOMS) for line in reversed(picture.splitlines())]
    below: set[str] = set()
    for floor in floors:
        for room in floor:
            assert ROOMS[room] <= below, room
        below |= floor
    assert below == set(ROOMS)


def test_the_root_holds_what_users_import_and_nothing_else():
    flat = {path.stem for path in FOLDERS["tokalign"].glob("*.py*")}
    assert flat - {"__init__", "__main__", "py"} == PUBLIC
    assert len(PUBLIC) <= 5


def test_an_underscore_means_private_to_the_room():
    wrong = [
        f"{module} -> {target}"
        for module, targets in arrows().items()
        for target in targets
        if target.rpartition(".")[2].startswith("_")
        and module.rpartition(".")[0] != target.rpartition(".")[0]
        and module.rpartition(".")[0] != "lab.kernels"  # which opens kernels to tests
    ]
    assert wrong == []


def test_no_class_or_alias_stands_for_two_things():
    places: dict[str, list[str]] = {}
    for module, paths in modules().items():
        if module.startswith(("bench", "lab.accuracy", "lab.measurements")):  # programs
            continue
        names = {name for path in paths for name in defined(path)}
        for name in names:
            places.setdefault(name, []).append(module)
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def defined(path: Path) -> Iterator[str]:
    """Yield the public classes and aliases of types that a file defines at its top."""
    text = path.read_text()
    if path.suffix in (".pyx", ".pxd"):
        kinds = r"cdef class|class|cdef struct|cdef enum|ctypedef \w+"
        yield from re.findall(rf"^(?:{kinds}) ([A-Z]\w+)", text, re.MULTILINE)
        return
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield node.name
        elif isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "TypeAlias":
            yield ast.unparse(node.target)
        elif isinstance(node, ast.Assign) and len(node.targets) == 1:
            name = ast.unparse(node.targets[0])
            is_type = re.fullmatch(r"[A-Z][a-z]\w*", name) and not name.startswith("_")
            if is_type and isinstance(node.value, ast.Subscript | ast.BinOp):
                yield name


def test_grpc_is_imported_where_calls_arrive_and_where_they_are_made():
    wrong = [
        module
        for module, paths in modules().items()
        if not module.startswith(("tokalign.server.rpc", "tokalign.client", "bench"))
        and "grpc" in {name.split(".")[0] for path in paths for name in imported(path)}
    ]
    assert wrong == []


def test_nothing_imports_the_laboratory():
    wrong = [
        f"{module} -> {target}"
        for module, targets in arrows().items()
        for target in targets
        if room_of(target) == "lab" != room_of(module)
    ]
    assert wrong == []


def test_recipes_use_the_library_and_not_what_serves_it():
    used = {
        room_of(target)
        for module, targets in arrows().items()
        for target in targets
        if module.startswith("lab.recipes")
    }
    assert not used & {"server", "client", "cli", "v1", "bench"}


def test_cli_imports_nothing_heavy_at_the_top():
    for path in sorted((FOLDERS["tokalign"] / "cli").rglob("*.py")):
        top = [
            node
            for node in ast.parse(path.read_text()).body
            if isinstance(node, ast.Import | ast.ImportFrom)
        ]
        names = {alias.name for node in top if isinstance(node, ast.Import) for alias in node.names}
        names |= {node.module or "" for node in top if isinstance(node, ast.ImportFrom)}
        assert not {name.split(".")[0] for name in names} & HEAVY, path
        # The options of `tokalign serve` are made from the server's configuration, which is light.
        names -= {"tokalign.server.config"}
        assert not [n for n in names if n.startswith(("tokalign.server", "tokalign.client"))], path


@pytest.mark.parametrize("module", ["tokalign", "tokalign.cli.main", "tokalign.cli.serve"])
def test_import_loads_nothing_heavy(module):
    code = f"import sys, {module}; print(*{{name.split('.')[0] for name in sys.modules}})"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert not set(loaded.split()) & HEAVY

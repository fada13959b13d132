"""Modules and source files that docstrings, comments and pages name exist, and hold what they say.

Names are resolved from the files, without imports: optional packages may be missing here.
"""

from __future__ import annotations

import ast
import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LIBRARY = ROOT / "core" / "tokalign"
AT_THE_TOP = {"server": ROOT / "server", "client": ROOT / "client"}
"""Parts of the package that have their sources at the top level."""
TEXTS = (".py", ".pyx", ".pxd", ".pyi", ".proto", ".sh", ".md", ".toml", "Makefile")
HISTORY = "CHANGELOG.md"
"""May name what is gone."""

_DOTTED = re.compile(r"(?<![\w/.-])tokalign((?:\.[A-Za-z_]\w*)+)")
_FILE = re.compile(r"(?<![\w/.{}*-])((?:[\w-]+/)*\w+\.(?:py|pyx|pxd))\b")
_TARGETS = re.compile(r"(?:`|^ {4}(?:\$ )?|^)make ((?:[a-z/][\w./-]*[ `]?)+)", re.MULTILINE)
_MODULE = re.compile(r"python -m ((?:bench|lab)(?:\.[a-z]\w*)*)")
_DEFINED = r"^\s*(?:cdef|cpdef|def|class|ctypedef|cimport|import|from|{name}\s*[:=]).*?\b{name}\b"


def texts() -> list[str]:
    """Return the names of the texts under version control, and of new ones."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False,
    ).stdout.split("\n")  # fmt: skip
    return [
        name
        for name in listed
        if name.endswith(TEXTS) and name != HISTORY and (ROOT / name).is_file()
    ]


FILES = sorted(set(texts()))


@cache
def defined(path: Path) -> frozenset[str]:
    """Return the names that a Python file binds anywhere, or lists as its public ones."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                names.add(node.name)
            case ast.alias():
                names.add((node.asname or node.name).split(".")[0])
            case ast.Name(ctx=ast.Store()):
                names.add(node.id)
            case ast.List() | ast.Tuple():  # __all__
                names |= {each.value for each in node.elts if isinstance(each, ast.Constant)}
    return frozenset(names)


def holds(path: Path, name: str) -> bool:
    """Return whether a source file defines a name; of Cython, whether a line looks like it."""
    if path.suffix == ".py":
        return name in defined(path)
    text = path.read_text(encoding="utf-8")
    pattern = _DEFINED.format(name=re.escape(name))
    return re.search(pattern, text, re.MULTILINE) is not None


def in_contract(name: str) -> bool:
    """Return whether a name of `tokalign.v1` is a message, a service or a generated module."""
    stem = name.removesuffix("_grpc").removesuffix("_pb2")
    return any(
        proto.stem == stem
        or re.search(rf"\b(?:message|service|enum) {stem}\b", proto.read_text(encoding="utf-8"))
        for proto in (ROOT / "protos").rglob("*.proto")
    )


def leads_somewhere(parts: list[str]) -> bool:
    """Return whether names below `tokalign` lead to a module, and on to names in its source."""
    folder = LIBRARY
    if parts[0] == "v1":
        return len(parts) == 1 or in_contract(parts[1])
    if parts[0] in AT_THE_TOP:
        folder, parts = AT_THE_TOP[parts[0]], parts[1:]
    while parts:
        part, *rest = parts
        sources = [folder / f"{part}{ending}" for ending in (".py", ".pyx", ".pxd")]
        sources = [source for source in sources if source.is_file()]
        if sources:
            return any(all(holds(source, name) for name in rest) for source in sources)
        if not (folder / part).is_dir():
            return holds(folder / "__init__.py", part)
        folder, parts = folder / part, rest
    return True


def is_file(name: str, named_in: Path) -> bool:
    """Return whether a path leads to a file from the root, the package or where it is named.

    A name without folders may be that of any file, also of one that the build generates.
    """
    if "/" not in name:
        return any(Path(each).name == name for each in FILES) or any(LIBRARY.rglob(name))
    bases = (ROOT, LIBRARY, LIBRARY.parent, *named_in.parents)
    return any((base / name).exists() for base in bases)


@cache
def is_target(name: str) -> bool:
    """Return whether the Makefile makes something of this name."""
    rules = re.findall(r"^([\w./%-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    return any(re.fullmatch(rule.replace("%", "[a-z-]+"), name) for rule in rules)


def is_program(name: str) -> bool:
    """Return whether ``python -m`` finds a module or a package of this name."""
    place = ROOT.joinpath(*name.split("."))
    return place.with_suffix(".py").is_file() or place.is_dir()


def wrong_names(text: str, named_in: Path) -> list[str]:
    """Return the names in a text that lead nowhere."""
    dotted = [name for name in _DOTTED.findall(text) if not leads_somewhere(name[1:].split("."))]
    paths = [name for name in _FILE.findall(text) if not is_file(name, named_in)]
    targets = [
        name
        for names in _TARGETS.findall(text)
        for name in names.strip(" `").split()
        if not is_target(name)
    ]
    programs = [name for name in _MODULE.findall(text) if not is_program(name)]
    return [f"tokalign{name}" for name in dotted] + paths + targets + programs


def prose(path: Path) -> str:
    """Return what is to be read in a file: of Python the docstrings and comments, else all."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return text
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = [
        ast.get_docstring(node) or ""
        for node in ast.walk(ast.parse(text))
        if isinstance(node, documented)
    ]
    return "\n".join(docstrings + re.findall("#.*", text))


def test_the_modules_and_files_that_texts_name_exist():
    wrong = {name: wrong_names(prose(ROOT / name), ROOT / name) for name in FILES}
    assert {name: found for name, found in wrong.items() if found} == {}


@pytest.mark.parametrize(
    "text",
    [
        "see `tokalign.neural.trains`",
        "run `make coffee`",
        "first\n\n    make build coffee\n",
        "python -m bench.coffee",
        "see `tokalign.types.Sentences`",
        "see ``tokalign.server.nowhere.Thing``",
        "see `tokalign.client.nowhere`",
        "see `tokalign.v1.NoSuchService`",
        "see tokalign.crf.chains.nowhere",
        "see `model/_scorer.pyx`",
        "see `nowhere.py`",
        "as server/nowhere.py does",
    ],
)
def test_a_name_that_leads_nowhere_is_found(text):
    assert len(wrong_names(text, Path(__file__))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "`tokalign.types.Sentence(tokens)` and `tokalign.Aligner.pipe`",
        "`tokalign.v1.AlignService`, ``tokalign.v1.align_pb2``, tokalign.crf.chains.Workspace",
        "`core/tokalign/errors.py`, `tokalign/errors.py`, `errors.py`, chains.pyx, ../conftest.py",
        "`my.tokalign`, `tokalign align`, https://example.org/x.py, build/*.py",
    ],
)
def test_names_that_exist_and_what_is_no_name_pass(text):
    assert wrong_names(text, Path(__file__)) == []


def test_pages_install_no_package_of_the_index():
    """The name is not registered there: whoever took it would be installed by our readers."""
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("clients/**/*.md")]
    found = [
        f"{page.name}: {each}"
        for page in pages
        for each in re.findall(r"pip install [^`\n]*(?<![\w/-])tokalign(?!-)\b.*", page.read_text())
    ]
    assert found == []

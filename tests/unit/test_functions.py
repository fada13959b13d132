"""No function is so long, or takes so much, that a reader loses the thread."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

ROOT = Path(__file__).parents[2]
COVERED = ("server", "client", "core/tokalign", "lab", "packaging", "setup.py")
"""Folders and files whose functions are looked at; what protoc generates is left out."""

MOST_LINES = 60
"""Of a function without its docstring."""
MOST_PARAMETERS = 7
"""Without self and cls; `*arguments` count as one, and so do `**options`."""

EXCEPTIONS = {
    "client/aio.py: AsyncClient.align_stream": "public, every option has a default and a name",
    "client/base.py: BaseClient.__init__": "public, every option has a default and a name",
    "client/sync.py: Client.align_stream": "public, every option has a default and a name",
    "core/tokalign/aligner.py: Aligner.near_duplicates": "public, every option has a name",
    "core/tokalign/aligner.py: Aligner.pipe": "public, every option has a default and a name",
    "core/tokalign/comparison/near_duplicates.py: near_duplicates": "the options of the public one",
    "core/tokalign/crf/objective.py: Objective.__init__": "the arrays and settings of one sum",
    "core/tokalign/integrations/mcp.py: mcp_server": "defines five tools, each a few lines",
    "core/tokalign/view/__init__.py: render_page": "a page has any of these parts, or none",
    "server/admission.py: Admission.admit": "what is known of a request, each with a name",
    "server/rpc/calls.py: Calls.handler": "kinds of methods, each with a name",
}
"""File and function -> why it may be longer or take more."""

_KERNEL = re.compile(r"(?!cdef class)(?:def|cdef|cpdef) [^=]*\(")

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


def functions(node: ast.AST, owner: str = "") -> Iterator[tuple[str, Function]]:
    """Yield the functions below a node, each with its name, such as ``Client.rank``."""
    for child in ast.iter_child_nodes(node):
        name = owner
        if isinstance(child, ast.ClassDef | Function):
            name = f"{owner}.{child.name}".removeprefix(".")
        if isinstance(child, Function):
            yield name, child
        yield from functions(child, name)


def n_lines(function: Function) -> int:
    assert function.end_lineno is not None
    n = function.end_lineno - function.lineno + 1
    if ast.get_docstring(function) is not None:
        first = function.body[0]
        assert first.end_lineno is not None
        n -= first.end_lineno - first.lineno + 1
    return n


def n_parameters(function: Function) -> int:
    given = function.args
    names = {each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)}
    rest = [each for each in (given.vararg, given.kwarg) if each is not None]
    return len(names - {"self", "cls"}) + len(rest)


def culprits() -> dict[str, str]:
    """Return the functions that are too long or take too much, with their sizes."""
    found = {}
    for path in (ROOT / each for each in COVERED):
        if not path.exists():  # lab, in an unpacked sdist
            continue
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            if "_pb2" in file.name:
                continue
            for name, function in functions(ast.parse(file.read_text())):
                lines, parameters = n_lines(function), n_parameters(function)
                if lines > MOST_LINES or parameters > MOST_PARAMETERS:
                    where = f"{file.relative_to(ROOT)}: {name}"
                    found[where] = f"{lines} lines, {parameters} parameters"
    return found


def test_no_function_is_long_or_takes_much_without_a_reason():
    found = culprits()
    assert {where: size for where, size in found.items() if where not in EXCEPTIONS} == {}
    assert EXCEPTIONS.keys() <= found.keys(), "these need no exception any more"


def test_lines_are_counted_without_the_docstring_and_parameters_without_self():
    text = (
        'class A:\n  def f(self, a, *b, c, **d):\n    """One.\n\n    Two.\n    """\n    return a\n'
    )
    ((name, function),) = functions(ast.parse(text))
    assert (name, n_lines(function), n_parameters(function)) == ("A.f", 2, 4)


def long_kernels(text: str) -> dict[str, int]:
    """Return the functions of a Cython file that are too long and have no comment above them.

    A function ends before the next line that is indented no deeper, but for the closing brackets
    of its own signature and docstring.
    """
    lines = text.splitlines()
    found = {}
    for start, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if not _KERNEL.match(line.lstrip()) or lines[start - 1].lstrip().startswith(("#", "@")):
            continue
        last = start
        for number in range(start + 1, len(lines)):
            inner = lines[number]
            if inner.strip():
                if len(inner) - len(inner.lstrip()) <= indent and not inner.lstrip().startswith(
                    ")"
                ):
                    break
                last = number
        body = "\n".join(lines[start : last + 1])
        n = len(re.sub(r'"""[\s\S]*?"""\n', "", body, count=1).splitlines())
        if n > MOST_LINES:
            found[line.strip()] = n
    return found


def test_a_long_kernel_has_a_comment_above_it_that_says_why():
    found = {}
    for file in sorted((ROOT / "core" / "tokalign").rglob("*.pyx")):
        for name, n in long_kernels(file.read_text()).items():
            found[f"{file.relative_to(ROOT)}: {name}"] = n
    assert found == {}


def test_kernels_are_counted_to_the_next_line_that_is_indented_no_deeper():
    body = "    x = 1\n\n" * 61
    assert long_kernels(f"cdef int f(\n    int x,\n) nogil:\n{body}cdef int y\n") == {
        "cdef int f(": 124
    }
    assert long_kernels(f"# Long, as it is a list.\ndef f(x):\n{body}") == {}

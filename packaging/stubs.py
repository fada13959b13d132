"""Stubs of the compiled modules, written from their own signatures.

A `.pyx` says the types of what Python calls. A parameter has a type of C or an annotation, which
Cython does not look at; a function that others may call, the type of its result. A constant is
annotated as well. An attribute that is public, of type `object`, has its type in a comment, as in
`# type: Sentence`. What has no type of its result is not in the stub.

Names of types are those that the module imports, or that one module of the package alone defines.
"""

import ast
import builtins
import re
from functools import cache
from pathlib import Path

KNOWN = {
    **dict.fromkeys(
        ("Callable", "Collection", "Iterable", "Iterator", "Mapping", "Sequence"), "collections.abc"
    ),
    **dict.fromkeys(("Any", "NamedTuple", "Never", "Self"), "typing"),
    "IntEnum": "enum",
    "Message": "google.protobuf.message",
    "NDArray": "numpy.typing",
}
"""Modules of names that are no part of the package."""
NUMBERS = {
    "bint": "bool",
    "char": "int",
    "double": "float",
    "float": "float",
    "int": "int",
    "long long": "int",
    "Py_ssize_t": "int",
    "size_t": "int",
    "void": "None",
}
"""Python's types of C's; those of fixed width are int."""
ARRAYS = {"double": "float64", "float": "float32"}
CONTAINERS = {"dict": "dict[Any, Any]", "list": "list[Any]", "tuple": "tuple[Any, ...]"}

HEADER = re.compile(r"^( *)(?:(cpdef) (?:inline )?([\w.]+) |def )(\w+)\(", re.MULTILINE)
DOCSTRING = re.compile(r'r?"""[\s\S]*?"""\n?')
CLASS = re.compile(r"^(cdef )?class (\w+)(?:\((\w+)\))?:", re.MULTILINE)
ENUM = re.compile(r"^cpdef enum ?(\w*):\n((?: .*\n|\n)+)", re.MULTILINE)
ATTRIBUTE = re.compile(
    r"^    cdef (?:readonly|public) ([\w ]+?) (\w+(?:, \w+)*) *(?:# type: (.+?) *)?(?:#.*)?$",
    re.MULTILINE,
)
CONSTANT = re.compile(r"^(\w+): ([^=\n]+) = ", re.MULTILINE)
FIELD = re.compile(r"^    (\w+): (.+)$", re.MULTILINE)
DEFINED = re.compile(r"^(?:(?:cdef )?class )?([A-Z]\w+)(?=[:(])", re.MULTILINE)
IMPORT = re.compile(r"^from ([\w.]+) c?import (?:\(([^)]+)\)|(.+))$", re.MULTILINE)


def type_of(declared: str) -> str:
    """Return Python's type of a type of C."""
    plain = declared.removeprefix("const ").strip()
    element, bracket, _ = plain.partition("[")
    if bracket:
        return f"NDArray[np.{ARRAYS.get(element, element.removesuffix('_t'))}]"
    if re.fullmatch(r"u?int\d+_t", plain):
        return "int"
    return NUMBERS.get(plain) or CONTAINERS.get(plain, plain)


def parts_of(text: str) -> list[str]:
    """Return what stands between the commas outside of brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [" ".join(each.split()) for each in parts if each.strip()]


def parameter(text: str) -> str | None:
    """Return a parameter as a stub has it; None without a type."""
    match = re.fullmatch(
        r"(?:(?P<c>[^:=]+?|[^:=]+\[.+\]) )?(?P<name>\*{0,2}\w+|\*)"
        r"(?:: (?P<python>[^=]+?))?(?: ?= ?(?P<default>.+))?",
        text.replace(" not None", ""),
    )
    if match is None:
        raise SystemExit(f"stubs: cannot read the parameter {text!r}")
    name, found = match["name"], match["python"] or (match["c"] and type_of(match["c"]))
    if name in ("self", "cls", "*"):
        return name
    if found is None:
        return None
    if match["default"] == "None" and not found.endswith("None"):
        found += " | None"
    return f"{name}: {found}{' = ...' if match['default'] else ''}"


def function(source: str, match: re.Match[str]) -> str | None:
    """Return the stub of a function; None without a type of its result."""
    start = end = match.end()
    depth = 1
    while depth:
        depth += {"(": 1, ")": -1}.get(source[end], 0)
        end += 1
    name, result = match[4], re.match(r" -> (.+):\n", source[end:])
    if name == "__cinit__":
        name, found = "__new__", "Self"
    elif result is not None:
        found = result[1]
    elif match[2]:
        found = type_of(match[3])
    else:
        return None
    parameters = [parameter(each) for each in parts_of(source[start : end - 1])]
    if None in parameters and name == "__new__":
        return None  # of a class that is private
    if None in parameters:
        raise SystemExit(f"stubs: a parameter of {name} has no type")
    if name == "__new__":
        parameters[0] = "cls"
    elif found == "Never":  # of a class that Python does not make
        parameters += ["*args: object", "**kwargs: object"]
    above = source[: match.start()].rsplit("\n\n", 1)[-1].splitlines()
    marks = [line for line in above if re.match(r" *@(property|classmethod|staticmethod)$", line)]
    head = f"{match[1]}def {name}({', '.join(parameters)}) -> {found}: ..."
    return "".join(f"{line}\n" for line in marks) + head


def blocks(source: str) -> list[tuple[str, str]]:
    """Return the module outside of classes, under the empty name, and the body of each class."""
    found, outside, end = [], "", 0
    for match in CLASS.finditer(source):
        outside += source[end : match.start()]
        body = re.compile(r"(?:^(?: .*)?\n)+", re.MULTILINE).match(source, match.end() + 1)
        end = body.end() if body else match.end()
        base = match[3] or ""
        title = f"class {match[2]}({base}):" if base else f"class {match[2]}:"
        found.append((title, source[match.end() + 1 : end]))
    return [("", outside + source[end:]), *found]


def members(body: str) -> list[str]:
    """Return the stubs of a class's attributes and methods."""
    found = []
    for match in ATTRIBUTE.finditer(body):
        kind = match[3] or type_of(match[1])
        found += [f"    {name}: {kind}" for name in match[2].split(", ")]
    return found + [each for match in HEADER.finditer(body) if (each := function(body, match))]


def stub(core: Path, path: Path) -> str:
    """Return the stub of a module; empty if it has nothing that Python calls."""
    source = DOCSTRING.sub("", path.read_text("utf-8"))
    header = path.with_suffix(".pxd")
    declared = header.read_text("utf-8") if header.exists() else ""
    lines = []
    for match in ENUM.finditer(declared):
        names = re.findall(r"^ +([A-Z]\w*)", match[2], re.MULTILINE)
        if match[1]:
            lines += [f"class {match[1]}(IntEnum):", *(f"    {name} = ..." for name in names)]
        else:
            lines += [f"{name}: int" for name in names]
    (_, outside), *classes = blocks(source)
    lines += [f"{name}: {kind}" for name, kind in CONSTANT.findall(outside)]
    in_header = dict(blocks(declared))
    for title, body in classes:
        is_python = f"\n{title}" in source
        found = [f"    {name}: {kind}" for name, kind in FIELD.findall(body) if is_python]
        found += members(in_header.get(title, "")) + members(body)
        base = title.partition("(")[2].removesuffix("):")
        is_heir = base and (is_python or any(each.startswith(f"class {base}") for each in lines))
        if found or is_heir:
            lines += [title, *(dict.fromkeys(found) or ["    ..."])]
    lines += [each for match in HEADER.finditer(outside) if (each := function(outside, match))]
    if not lines:
        return ""
    text = "\n".join(lines)
    return "\n".join([*imports(core, source + declared, text), text, ""])


def imports(core: Path, source: str, text: str) -> list[str]:
    """Return the imports of the names of types in a stub."""
    own = {node.name for node in ast.parse(text).body if isinstance(node, ast.ClassDef)}
    given: dict[str, str] = {}
    for module, several, one in IMPORT.findall(source):
        given |= dict.fromkeys(re.findall(r"\w+", several or one), module)
    names = [each for each in ast.walk(ast.parse(text)) if isinstance(each, ast.Name)]
    used = {each.id for each in names if isinstance(each.ctx, ast.Load)}
    found = ["import os", "import numpy as np"]
    for name in sorted(used - own - {"np", "os", *dir(builtins)}):
        module = KNOWN.get(name) or given.get(name) or homes(core).get(name)
        if module is None:
            raise SystemExit(f"stubs: no module, or several, define the type {name}")
        found.append(f"from {module} import {name}")
    return found


@cache
def homes(core: Path) -> dict[str, str]:
    """Return the module of each class and type that one module of the package alone defines."""
    found: dict[str, set[str]] = {}
    for path in sorted((core / "tokalign").rglob("*.py*")):
        if path.suffix not in (".py", ".pyx") or path.name == "__init__.py":
            continue
        module = ".".join(path.relative_to(core).with_suffix("").parts)
        for name in DEFINED.findall(DOCSTRING.sub("", path.read_text("utf-8"))):
            found.setdefault(name, set()).add(module)
    return {name: modules.pop() for name, modules in found.items() if len(modules) == 1}


def write(core: Path) -> None:
    """Write the stubs beside the modules, where they changed."""
    for path in sorted(core.rglob("*.pyx")):
        target, text = path.with_suffix(".pyi"), stub(core, path)
        if text and (not target.exists() or target.read_text("utf-8") != text):
            target.write_text(text, "utf-8")


if __name__ == "__main__":
    write(Path("core"))

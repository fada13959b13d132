"""Writes the feature templates and their axes as Cython, which the kernels are compiled against.

`setup.py` calls `write` before it compiles anything. It writes two headers:

_templates.pxd
    `Template`, an enumeration in the order of the templates; of each axis its size (`N_KIND`), its
    labels (`KIND_MARK`), and how a value becomes an index (`bin_gap`, whose lowest edge is
    `least_gap`; `count_run`, `pair_kinds`);
    of each template the place of a feature within it (`offset_rank`).
_emit.pxd
    Of each template the function that adds one of its features to a row (`emit_rank`). Axes of one
    label have no argument; a template that is no indicator takes the value last.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from tokalign.features.templates import (
    INDICATOR,
    OTHER_AXES,
    SLACK,
    TEMPLATES,
    Axis,
    FeatureTemplate,
)

HEADER = "# Written by setup.py from templates.py, which is what to change.\n"
MAX_NAMED_LABELS = 32
"""Axes with more labels than this are vocabularies, whose single labels no kernel uses."""


def write(folder: Path) -> None:
    """Write both headers if they are missing or differ, to avoid needless recompiling."""
    for name, text in (("_templates.pxd", templates_pxd()), ("_emit.pxd", emit_pxd())):
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def templates_pxd(
    templates: Sequence[FeatureTemplate] = TEMPLATES, others: Sequence[Axis] = OTHER_AXES
) -> str:
    """Return the text of _templates.pxd.

    Raises
    ------
    ValueError
        If two axes share a name, or two constants.
    """
    axes = all_axes(templates, others)
    constants = [f"{template.name.upper()}" for template in templates]
    body = "".join(f"    {name}\n" for name in (*constants, "N_TEMPLATES"))
    sizes = []
    for axis in axes:
        named = [(f"N_{axis.name.upper()}", len(axis.labels)), *label_constants(axis)]
        constants += [name for name, _ in named]
        sizes += [f"    {name} = {value}\n" for name, value in named]
    twice = sorted({name for name in constants if constants.count(name) > 1})
    if twice:
        raise ValueError(f"two things are called {', '.join(twice)}; rename an axis or a template")
    most = sum(template.most for template in templates)
    parts = [
        HEADER,
        "\nfrom libc.stdint cimport int32_t\n",
        f'\ncdef extern from *:\n    const float SLACK "{SLACK!r}f"\n',
        f"\ncdef enum Template:\n{body}",
        f"\ncdef enum:\n    ROW_CAPACITY = {most}\n{''.join(sizes)}",
        *(f"\n{function}" for axis in axes for function in axis_functions(axis)),
        *(f"\n{offset_function(template)}" for template in templates),
    ]
    return "".join(parts)


def emit_pxd(templates: Sequence[FeatureTemplate] = TEMPLATES) -> str:
    """Return the text of _emit.pxd."""
    parts = [
        HEADER,
        "\nfrom tokalign.features._sink cimport AnySink, emit\n",
        "from tokalign.features._templates cimport *\n",
        *(f"\n{emit_function(template)}" for template in templates),
    ]
    return "".join(parts)


def all_axes(templates: Sequence[FeatureTemplate], others: Sequence[Axis]) -> list[Axis]:
    """Return every axis once, before its squares.

    Raises
    ------
    ValueError
        If two axes share a name.
    """
    found: dict[str, Axis] = {}
    for axis in (*others, *(axis for template in templates for axis in template.axes)):
        for each in (axis.square_of, axis):
            if each is not None and found.setdefault(each.name, each) != each:
                raise ValueError(f"two axes are called {each.name!r}: {found[each.name]}, {each}")
    return list(found.values())


def label_constants(axis: Axis) -> Iterator[tuple[str, int]]:
    """Yield a constant for every label that is a word, with its index."""
    if axis.square_of is None and len(axis.labels) <= MAX_NAMED_LABELS:
        for index, label in enumerate(axis.labels):
            if re.fullmatch("[a-z][a-z0-9_-]*", label):
                yield f"{axis.name}_{label}".upper().replace("-", "_"), index


def axis_functions(axis: Axis) -> Iterator[str]:
    """Yield the functions that turn a value, a count or a pair into an index."""
    if axis.edges:
        terms = [f"(value >= <float>{edge!r} - SLACK)" for edge in axis.edges]
        yield function("int", f"bin_{axis.name}", ["float value"], "\n        + ".join(terms))
        yield function("float", f"least_{axis.name}", [], f"<float>{axis.edges[0]!r}")
    if axis.first_count is not None:
        cap = axis.first_count + len(axis.labels) - 1
        index = f"<int>min(n, {cap})" + (f" - {axis.first_count}" if axis.first_count else "")
        yield function("int", f"count_{axis.name}", ["Py_ssize_t n"], index)
    if axis.square_of is not None:
        index = f"first * {len(axis.square_of.labels)} + second"
        yield function("int", f"pair_{axis.name}", ["int first", "int second"], index)


def arguments(template: FeatureTemplate) -> list[tuple[str, int]]:
    """Return the name and size of every axis of more than one label; twins are numbered."""
    axes = [axis for axis in template.axes if len(axis.labels) > 1]
    names = [axis.name for axis in axes]
    found = []
    for place, axis in enumerate(axes):
        name = f"{axis.name}_" if keyword.iskeyword(axis.name) else axis.name
        if names.count(axis.name) > 1:
            name = f"{axis.name}_{names[: place + 1].count(axis.name)}"
        found.append((name, len(axis.labels)))
    return found


def offset_function(template: FeatureTemplate) -> str:
    """Return the function that numbers a template's features, its last axis varying fastest."""
    offset = ""
    for name, size in arguments(template):
        inner = f"({offset})" if " " in offset else offset
        offset = f"{inner} * {size} + {name}" if offset else name
    parameters = [f"int {name}" for name, _ in arguments(template)]
    return function("int32_t", f"offset_{template.name}", parameters, offset or "0")


def emit_function(template: FeatureTemplate) -> str:
    """Return the function that adds one feature of a template to a row."""
    names = [name for name, _ in arguments(template)]
    parameters = ["AnySink *sink", *(f"int {name}" for name in names)]
    value = "1.0"
    if template.range != INDICATOR:
        parameters.append("float value")
        value = "value"
    offset = f"offset_{template.name}({', '.join(names)})"
    call = f"emit(sink, {template.name.upper()}, {offset}, {value})"
    return function("void", f"emit_{template.name}", parameters, call)


def function(result: str, name: str, parameters: Sequence[str], expression: str) -> str:
    """Return an inline function of one expression."""
    statement = expression if result == "void" else f"return (\n        {expression}\n    )"
    if result != "void" and "\n" not in expression:
        statement = f"return {expression}"
    return (
        f"cdef inline {result} {name}({', '.join(parameters)}) noexcept nogil:\n    {statement}\n"
    )

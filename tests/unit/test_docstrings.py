"""The examples of docstrings are run, those of compiled modules too."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import tokalign

# These need packages that are extras, are generated, or start processes.
LEFT_OUT = ("integrations", "neural", "v1", "server", "__main__")
MODULES = [
    *(
        each.name
        for each in pkgutil.walk_packages(tokalign.__path__, "tokalign.")
        if not each.name.removeprefix("tokalign.").startswith(LEFT_OUT)
    ),
    "tokalign.server.config",
    "tokalign.server.requests.cost",
    "tokalign.server.workers.batching",
]
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


SOURCES = Path(__file__).parents[2]
RIDDLES = ("What", "Who", "How", "Where")


def test_no_module_begins_as_a_riddle():
    """Name the thing: "Citations for a sentence", not "What to cite"."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.py", "*.pyx"],
        cwd=SOURCES, stdout=subprocess.PIPE, text=True, check=False,
    ).stdout.split()  # fmt: skip
    heads = {name: (SOURCES / name).read_text("utf-8")[:400] for name in listed}
    first = {name: re.match(r'(?:#.*\n|\s)*r?"""(\w+)', head) for name, head in heads.items()}
    assert [name for name, word in first.items() if word and word[1] in RIDDLES] == []


def documented(owner: object, module: str, name: str) -> Iterator[tuple[str, str]]:
    """Yield the name and docstring of whatever a module defines and gives an example of."""
    text = inspect.getdoc(owner) or ""
    if ">>>" in text:
        yield name, text
    if inspect.ismodule(owner) or isinstance(owner, type):
        for key, value in vars(owner).items():
            value = getattr(value, "__func__", value)
            if isinstance(value, property):
                value = value.fget
            if callable(value) and getattr(value, "__module__", "") in (module, None):
                yield from documented(value, module, f"{name}.{key}")


def examples() -> Iterator[tuple[str, str, str]]:
    for module in MODULES:
        for name, text in documented(importlib.import_module(module), module, module):
            yield module, name, text


def failure(module: str, name: str, text: str) -> str:
    """Return the report of an example that gives something else, or nothing."""
    names = dict(vars(importlib.import_module(module)))
    example = doctest.DocTestParser().get_doctest(text, names, name, None, None)
    told: list[str] = []
    failed = doctest.DocTestRunner(optionflags=OPTIONS).run(example, out=told.append).failed
    return "".join(told) if failed else ""


def test_examples_give_what_they_say():
    failures = [failure(*each) for each in examples()]
    assert not any(failures), "".join(failures)


def test_examples_of_compiled_modules_are_among_them():
    names = {name for _, name, _ in examples()}
    assert "tokalign.english.annotate.tokenizer.tokenize" in names
    assert "tokalign.systems.kernels.cheapest_script" in names
    assert len(names) > 30

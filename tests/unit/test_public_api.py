"""The public names are the ones written out, and nothing else leaks."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest
import tokalign
from tokalign import errors

ROOT = Path(__file__).parents[2]


def test_all_is_sorted_and_every_name_exists():
    assert sorted(tokalign.__all__) == tokalign.__all__
    for name in tokalign.__all__:
        assert getattr(tokalign, name) is not None


def test_every_public_object_is_documented():
    for name in tokalign.__all__:
        assert (getattr(tokalign, name).__doc__ or "").strip(), f"{name} has no docstring"


def test_every_exception_is_public():
    defined = {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, errors.AlignError)
    }
    assert defined <= set(tokalign.__all__)


def test_what_public_functions_and_methods_return_is_public():
    asked = [getattr(tokalign, name) for name in tokalign.__all__]
    asked += [each for name, each in vars(tokalign.Aligner).items() if not name.startswith("_")]
    returned = {
        name
        for each in filter(inspect.isfunction, asked)
        for name in re.findall(r"[A-Z]\w+", str(inspect.signature(each).return_annotation))
    }
    assert {"Alignment", "Duplicates", "ChunkedPair"} <= returned
    others = {"Any", "Exception", "Iterator", "NDArray", "None", "Self"}
    assert returned - others <= set(tokalign.__all__)


def test_an_aligner_has_what_users_call_and_nothing_else():
    public = {name for name in dir(tokalign.Aligner) if not name.startswith("_")}
    public |= {name for name in vars(tokalign.Aligner("lemma")) if not name.startswith("_")}
    assert public == {
        "align",
        "align_chunks",
        "align_texts",
        "annotate",
        "annotator",
        "diff",
        "explain",
        "explain_relation",
        "ground",
        "ground_stream",
        "header",
        "is_system",
        "load",
        "near_duplicates",
        "pipe",
        "rank",
        "sentence_vectors",
        "similarities",
        "similarity",
        "similarity_matrix",
        "split",
        "styles",
        "takes_effort",
    }


def test_star_import_gives_exactly_all():
    code = "before = set(dir()); from tokalign import *; print(*sorted(set(dir()) - before))"
    printed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert set(printed.split()) - {"before"} == set(tokalign.__all__)


@pytest.mark.parametrize(
    "package",
    [
        "english.annotate",
        "english.spelling",
        "english.values",
        "evaluate",
        "formats",
        "model",
        "model.training",
    ],
)
def test_subpackages_write_out_their_names(package):
    module = importlib.import_module(f"tokalign.{package}")
    for name in module.__all__:
        assert hasattr(module, name)


def test_the_reference_lists_modules_that_exist():
    text = (ROOT / "docs" / "reference.py").read_text(encoding="utf-8")
    (listed,) = re.findall(r"^MODULES = (\(.*?^\))", text, re.MULTILINE | re.DOTALL)
    names = ast.literal_eval(listed)
    assert {"tokalign", "tokalign.client"} <= set(names)
    for name in names:
        if name != "tokalign.arrow":  # needs an extra
            assert importlib.import_module(name).__doc__, name

"""Every example in the README and the docs prints what the page shows."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def script(name):
    """Return a script of docs/ as a module."""
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def examples():
    sys.path.insert(0, str(DOCS))
    try:
        yield script("examples")
    finally:
        sys.path.remove(str(DOCS))


@pytest.fixture(scope="module")
def address(examples):
    with examples.demo_server("en") as address:
        yield address


@pytest.mark.parametrize(
    "page", [DOCS.parent / "README.md", *sorted(DOCS.glob("*.md"))], ids=lambda page: page.name
)
def test_examples_print_what_the_page_shows(examples, address, page):
    text = page.read_text(encoding="utf-8")
    assert examples.refreshed(text, address) == text, "run `make docs` and read the difference"


def test_the_schemas_are_those_of_the_code():
    for path, schema in script("schemas").schemas().items():
        assert json.loads(path.read_text(encoding="utf-8")) == schema, f"{path}: run `make docs`"


def test_the_picture_shows_what_the_model_links(examples):
    assert examples.PICTURE.read_text(encoding="utf-8") == examples.picture(), "run `make docs`"


def test_every_page_is_in_the_index():
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    pages = {page.name for page in DOCS.glob("*.md")} - {"README.md"}
    assert {page for page in pages if f"({page})" not in index} == set()

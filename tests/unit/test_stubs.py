"""Stubs of compiled modules, written from their signatures."""

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = runpy.run_path(str(ROOT / "packaging" / "stubs.py"))
HEADER = """
cpdef enum Column:
    FIRST          # comments stay out
    LAST

cdef class Rows:
    cdef readonly object values    # type: NDArray[np.float64]  # [n_rows]
    cdef readonly int width, height
    cdef double _sum
"""
MODULE = '''from tokalign.types cimport something

NAMES: tuple[str, ...] = ("a",)
_HIDDEN = 1


cdef class Rows:
    """Rows.

    NOTE: int = 1
    """

    def __cinit__(self, const float[:, ::1] rows, names: Sequence[str] = ()):
        pass

    @property
    def total(self) -> float:
        return self._sum

    cpdef int32_t find(self, str word):
        return 0

    def _hidden(self, rows):
        pass


cdef class Kept(Other):
    pass


@cache
def pairs(
    tokens not None: list[str], Rows rows=None, *, bint is_long=False
) -> dict[str, Sentence]:
    return {}
'''


def test_a_stub_has_what_has_types(tmp_path):
    folder = tmp_path / "tokalign"
    folder.mkdir()
    (folder / "sentence.py").write_text("class Sentence:\n    pass\n")
    (folder / "rows.pxd").write_text(HEADER)
    (folder / "rows.pyx").write_text(MODULE)
    SOURCE["write"](tmp_path)
    assert (folder / "rows.pyi").read_text().splitlines() == [
        "import os",
        "import numpy as np",
        "from enum import IntEnum",
        "from numpy.typing import NDArray",
        "from typing import Self",
        "from tokalign.sentence import Sentence",
        "from collections.abc import Sequence",
        "class Column(IntEnum):",
        "    FIRST = ...",
        "    LAST = ...",
        "NAMES: tuple[str, ...]",
        "class Rows:",
        "    values: NDArray[np.float64]",
        "    width: int",
        "    height: int",
        "    def __new__(cls, rows: NDArray[np.float32], names: Sequence[str] = ...) -> Self: ...",
        "    @property",
        "    def total(self) -> float: ...",
        "    def find(self, word: str) -> int: ...",
        "def pairs(tokens: list[str], rows: Rows | None = ..., *, is_long: bool = ...)"
        " -> dict[str, Sentence]: ...",
    ]


@pytest.mark.parametrize(
    "line",
    ["def link(source) -> int:", "def link(source: Nowhere) -> int:", "def link(a b c d=) -> int:"],
)
def test_a_type_that_is_missing_or_unknown_ends_the_build(tmp_path, line):
    (tmp_path / "tokalign").mkdir()
    (tmp_path / "tokalign" / "link.pyx").write_text(f"{line}\n    pass\n")
    with pytest.raises(SystemExit, match="stubs: "):
        SOURCE["write"](tmp_path)


def test_the_stubs_are_those_of_the_modules():
    core = ROOT / "core"
    for path in (core / "tokalign").rglob("*.pyx"):
        text, written = SOURCE["stub"](core, path), path.with_suffix(".pyi")
        assert (written.read_text("utf-8") if written.exists() else "") == text

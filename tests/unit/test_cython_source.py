"""The Cython source of the kernels follows from the templates, and from nothing else."""

import importlib.util
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tokalign.features import templates
from tokalign.features.templates import (
    INDICATOR,
    OTHER_AXES,
    TEMPLATES,
    Axis,
    FeatureTemplate,
)

SOURCE = runpy.run_path(str(Path(__file__).parents[2] / "packaging" / "cython_source.py"))
emit_pxd, templates_pxd, write = SOURCE["emit_pxd"], SOURCE["templates_pxd"], SOURCE["write"]
FEATURES = Path(templates.__file__).parent
LOUDNESS = Axis("loudness", ("<0.5", "0.5..2", ">=2", "silent"), edges=(0.5, 2.0))
ECHOES = Axis("echoes", ("1", "2", "3+"), first_count=1)
KINDS = next(axis for t in TEMPLATES for axis in t.axes if axis.name == "kinds")
TOY = FeatureTemplate(
    "toy", "toys", (LOUDNESS, ECHOES, KINDS), INDICATOR, "own", "how loud a word is", most=2
)
TOY_VALUE = FeatureTemplate("toy_value", "toys", (KINDS, KINDS), "[0, 1]", "own", "two values")


def template_names(text: str) -> list[str]:
    body = text.partition("cdef enum Template:\n")[2].partition("\n\n")[0]
    return body.split()


def capacity(text: str) -> int:
    return int(re.search(r"ROW_CAPACITY = (\d+)", text)[1])


def test_the_headers_are_those_of_the_templates() -> None:
    assert (FEATURES / "_templates.pxd").read_text() == templates_pxd()
    assert (FEATURES / "_emit.pxd").read_text() == emit_pxd()
    assert template_names(templates_pxd()) == [
        *(template.name.upper() for template in TEMPLATES),
        "N_TEMPLATES",
    ]


def test_a_template_brings_its_number_sizes_edges_strides_and_arity() -> None:
    text = templates_pxd((*TEMPLATES, TOY))
    assert template_names(text)[-2:] == ["TOY", "N_TEMPLATES"]
    assert capacity(text) == capacity(templates_pxd()) + 2
    for line in (
        "    N_LOUDNESS = 4\n    LOUDNESS_SILENT = 3\n    N_ECHOES = 3\n",
        "        (value >= <float>0.5 - SLACK)\n        + (value >= <float>2.0 - SLACK)\n",
        "    return <int>min(n, 3) - 1\n",
        "offset_toy(int loudness, int echoes, int kinds) noexcept nogil:\n"
        "    return (loudness * 3 + echoes) * 9 + kinds\n",
    ):
        assert line in text
    assert (
        "emit_toy(AnySink *sink, int loudness, int echoes, int kinds) noexcept nogil:\n"
        "    emit(sink, TOY, offset_toy(loudness, echoes, kinds), 1.0)\n"
    ) in emit_pxd((*TEMPLATES, TOY))


def test_a_template_that_is_gone_leaves_nothing() -> None:
    without = [template for template in (*TEMPLATES, TOY) if template is not TOY]
    assert templates_pxd(without) == templates_pxd()
    assert emit_pxd(without) == emit_pxd()


def test_a_value_comes_last_and_twin_axes_are_numbered() -> None:
    assert (
        "emit_toy_value(AnySink *sink, int kinds_1, int kinds_2, float value) noexcept nogil:\n"
        "    emit(sink, TOY_VALUE, offset_toy_value(kinds_1, kinds_2), value)\n"
    ) in emit_pxd((TOY_VALUE,))


def test_two_axes_or_constants_of_one_name_are_refused() -> None:
    other = FeatureTemplate("other", "toys", (Axis("echoes", ("a", "b")),), "1", "own", "other")
    with pytest.raises(ValueError, match="two axes are called 'echoes'"):
        templates_pxd((TOY, other))
    echoes_a = FeatureTemplate("echoes_a", "toys", other.axes, "1", "own", "as its label")
    with pytest.raises(ValueError, match="two things are called ECHOES_A"):
        templates_pxd((echoes_a,))


def test_headers_that_are_right_are_not_written_again(tmp_path: Path) -> None:
    write(tmp_path)
    before = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert sorted(before) == ["_emit.pxd", "_templates.pxd"]
    write(tmp_path)
    assert before == {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}


KERNEL = """
from libc.stdint cimport int32_t
from tokalign.features._emit cimport *
from tokalign.features._sink cimport Sink

def row(values, counts, kinds):
    cdef Sink sink
    cdef int kind
    cdef int32_t[<int>N_TEMPLATES] base = [0, {first}]
    sink.n = 0
    sink.base = base
    for value, count, kind in zip(values, counts, kinds):
        emit_toy(&sink, bin_loudness(value), count_echoes(count), kind)
    return [(sink.slot[k], sink.value[k]) for k in range(sink.n)]
"""


def test_a_kernel_compiles_against_them(tmp_path: Path) -> None:
    """A toy feature is one template and one emit; its slots are those that names have."""
    bias = next(template for template in TEMPLATES if template.name == "null_bias")
    package = tmp_path / "tokalign" / "features"
    package.mkdir(parents=True)
    for folder in (package.parent, package):
        (folder / "__init__.py").touch()
    shutil.copy(FEATURES / "_sink.pxd", package)
    (package / "_templates.pxd").write_text(templates_pxd((bias, TOY), OTHER_AXES))
    (package / "_emit.pxd").write_text(emit_pxd((bias, TOY)))
    (package / "_toy.pyx").write_text(KERNEL.format(first=bias.size))
    built = subprocess.run(
        [sys.executable, "-m", "Cython.Build.Cythonize", "-q", "-3", "-i", "_toy.pyx"],
        cwd=package,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"CFLAGS": f"-O0 -I{FEATURES.parent}", "PYTHONPATH": str(tmp_path)},
    )
    assert built.returncode == 0, built.stderr
    spec = importlib.util.spec_from_file_location(
        "tokalign.features._toy", next(package.glob("_toy*.so"))
    )
    toy = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(toy)
    n_kinds = len(KINDS.labels)
    expected = [
        bias.size + (LOUDNESS.labels.index(loud) * 3 + ECHOES.labels.index(echo)) * n_kinds + kind
        for loud, echo, kind in (("0.5..2", "3+", 8), (">=2", "1", 0))
    ]
    assert toy.row([0.5, 7.0], [9, 1], [8, 0]) == [(slot, 1.0) for slot in expected]

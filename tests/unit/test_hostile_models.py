"""Model files from strangers: refused with the file, the field and what was wanted."""

import dataclasses
import os

import numpy as np
import pytest
from support import hostile
from tokalign.aligner import Aligner
from tokalign.errors import ModelError
from tokalign.files.headers import MAX_HEADER_BYTES
from tokalign.files.shipped import DATA_DIR
from tokalign.model.file import MAX_MODEL_BYTES, load_model, save_model
from tokalign.model.shipped import model_path

MIB = 1 << 20


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("name", "5", "name is 5; wanted a name of 1 to 64 characters"),
        ("name", '""', "name is ''; wanted a name"),
        ("name", '"../../etc/passwd"', "name is '../../etc/passwd'; wanted a name"),
        ("name", '"a/b"', "without / and"),
        ("name", '".hidden"', "no dot first"),
        ("name", '"\\ud800"', r"name is '\\ud800'; wanted a name"),
        ("name", '"a\\u0000b"', "wanted a name"),
        ("name", '"\\u001b[2J"', "wanted a name"),
        ("name", f'"{"a" * 65}"', "wanted a name of 1 to 64"),
        ("version", "123", "version is 123; wanted text of 1 to 64"),
        ("version", "null", "version is None; wanted text"),
        ("description", "7", "description is 7; wanted text on one line"),
        ("description", '"\\udc80"', "description is .*; wanted text on one line"),
        ("description", '"a\\nb"', "description is .*; wanted text on one line"),
        ("license", "[]", "license is ..; wanted text"),
        ("corpora", "[1]", r"corpora\[0\] is 1; wanted text on one line"),
        ("corpora", '"one"', "corpora is 'one'; wanted a list"),
        ("corpora", '{"a": 1}', "corpora is .*; wanted a list"),
        ("feature_groups", "[[]]", r"feature_groups\[0\] is \[\]; wanted text"),
        ("uses_trees", "1", "uses_trees is 1; wanted true or false"),
        ("uses_trees", '"false"', "uses_trees is 'false'; wanted true or false"),
        ("encoder", '"../../x"', "encoder is '../../x'; wanted a name"),
        ("encoder", "3", "encoder is 3; wanted a name"),
        ("settings", "[]", r"settings is \[\]; wanted an object"),
        ("settings", '{"a": NaN}', "settings.* holds nan; wanted finite"),
        ("settings", '{"a": 1e999}', "holds inf; wanted finite"),
        ("settings", '{"a": ' + "[" * 50 + "]" * 50 + "}", "nested deeper than 8 levels"),
        ("settings", '{"a": ' + hostile.DEEP + "}", "nested (too deeply|deeper than 8 levels)"),
        ("settings", '{"a": ' + "9" * 5000 + "}", "Exceeds the limit"),
        ("settings", '{"a": ' + "9" * 30 + "}", r"wanted numbers within 2\*\*62"),
        ("figures", '{"\\ud800": 1}', "a key of figures is"),
        ("digest", '"x"', "unknown field 'digest'"),
    ],
)
def test_a_header_field_of_a_model(small_model, tmp_path, field, value, message):
    path = hostile.model_with_header(tmp_path / "m.tokalign", small_model, **{field: value})
    with pytest.raises(ModelError, match=rf"m\.tokalign:2: bad header: .*{message}") as caught:
        load_model(path)
    assert len(str(caught.value)) < len(str(path)) + 300


def test_a_field_that_is_there_twice(small_model, tmp_path):
    def change(lines):
        return [lines[0], lines[1].replace("{", '{"name": "other", ', 1), *lines[2:]]

    path = hostile.write_model(tmp_path / "m.tokalign", small_model, change)
    with pytest.raises(ModelError, match=r":2: bad header: the field 'name' is there twice"):
        load_model(path)


def test_a_long_header_of_a_model(small_model, tmp_path):
    path = hostile.model_with_header(
        tmp_path / "m.tokalign", small_model, description='"' + "a" * MAX_HEADER_BYTES + '"'
    )
    with pytest.raises(ModelError, match=r":2: bad header: it has \d+ bytes; wanted at most"):
        load_model(path)


def test_what_would_not_be_read_back_is_not_written(small_model, tmp_path):
    replace = dataclasses.replace
    model = load_model(small_model)
    for fields in ({"name": "a/b"}, {"description": 7}, {"corpora": (1,)}, {"encoder": "../x"}):
        with pytest.raises(ModelError, match="bad header"):
            replace(model.header, **fields)
    long = replace(model.header, description="a" * MAX_HEADER_BYTES)
    with pytest.raises(ModelError, match="header is longer than"):
        save_model(replace(model, header=long), tmp_path / "m.tokalign")
    for value in (np.nan, np.inf, 2e6):
        weights = model.weights.copy()
        weights[0] = value
        with pytest.raises(ModelError, match="a weight is"):
            save_model(replace(model, weights=weights), tmp_path / "m.tokalign")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("line", [-1, 3])
def test_a_weight_that_is_there_twice(small_model, tmp_path, line):
    def change(lines):
        return [*lines, lines[line]]

    path = hostile.write_model(tmp_path / "m.tokalign", small_model, change)
    with pytest.raises(ModelError, match=r"m\.tokalign:\d+: bad weight line .* same feature"):
        load_model(path)


def test_a_long_line_is_quoted_in_part(small_model, tmp_path):
    path = hostile.write_model(
        tmp_path / "m.tokalign", small_model, lambda lines: [*lines, "a" * MIB + "\t1\t2"]
    )
    with pytest.raises(ModelError, match="bad weight line") as caught:
        load_model(path)
    assert len(str(caught.value)) < len(str(path)) + 500


def test_a_model_of_gigabytes_costs_no_memory(tmp_path):
    path = tmp_path / "m.tokalign"
    path.write_bytes(b"tokalign-model 1\n")
    os.truncate(path, 1 << 40)
    peak, message = hostile.peak_bytes(load_model, path)
    assert f"has {1 << 40} bytes; a model has at most {MAX_MODEL_BYTES}" in message
    assert peak < MIB


@pytest.mark.parametrize("name", ["a" * 5000, "\0", "../" * 2000, "\ud800"])
def test_a_name_that_no_file_can_have(name):
    with pytest.raises(ModelError, match=r"no model|cannot be read") as caught:
        Aligner.load(name)
    assert len(str(caught.value)) < 500


def test_only_shipped_models_have_names():
    with pytest.raises(ModelError, match="no model"):
        model_path("../data/en")
    assert model_path("en") == DATA_DIR / "en.tokalign"

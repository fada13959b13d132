"""`tokalign matrix`."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner
from tokalign import Aligner
from tokalign.cli.main import main

ROWS = ["Dogs bark.", "It rained in Leeds."]
COLUMNS = ["The dogs bark.", "In Leeds it rained.", "Cats purr."]


@pytest.fixture
def run(small_model, tmp_path):
    def run(*args, rows=ROWS, columns=None):
        command = ["matrix", "--model", str(small_model), *args]
        if columns is not None:
            path = tmp_path / "columns.txt"
            path.write_text("".join(f"{line}\n" for line in columns))
            command += ["--against", str(path)]
        text = "".join(f"{line}\n" for line in rows)
        return CliRunner().invoke(main, command, input=text, prog_name="tokalign")

    return run


def matrix_of(result):
    return np.array([line.split("\t") for line in result.stdout.splitlines()], float)


def test_rows_and_columns_are_those_of_the_library(run, small_model):
    result = run(columns=COLUMNS)
    assert result.exit_code == 0
    expected = Aligner(small_model).similarity_matrix(ROWS, COLUMNS)
    np.testing.assert_allclose(matrix_of(result), expected, atol=5e-5)


def test_lines_are_compared_with_one_another_by_default(run, small_model):
    expected = Aligner(small_model).similarity_matrix(COLUMNS)
    np.testing.assert_allclose(matrix_of(run(rows=COLUMNS)), expected, atol=5e-5)


def test_a_line_that_cannot_be_aligned_is_reported_and_has_no_numbers(run):
    result = run("--format", "jsonl", rows=["Dogs bark.", ""], columns=["Dogs bark.", "", "Hi."])
    assert result.exit_code == 3
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [row["line"] for row in rows] == [1, 2]
    assert rows[0]["similarities"][0] > 0.9 and rows[0]["similarities"][1] is None
    assert rows[1]["similarities"] == [None, None, None]
    assert "<stdin>, line 2: " in result.stderr and "columns.txt, line 2: " in result.stderr


def test_a_limit_and_a_file_of_errors(run, tmp_path):
    path = tmp_path / "bad.jsonl"
    rows = ["Dogs bark.", "", "Cats purr."]
    result = run("--limit", "2", "--errors", str(path), rows=rows, columns=["", "Hi."])
    assert (result.exit_code, len(result.stdout.splitlines())) == (3, 2)
    bad = [json.loads(line) for line in path.read_text().splitlines()]
    assert [(each["line"], each["id"].rpartition("/")[2]) for each in bad] == [
        (2, "<stdin>:2"), (1, "columns.txt:1"),
    ]  # fmt: skip
    assert result.stderr.endswith("2 of 4 lines bad\n")

"""`tokalign similarity`."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from tokalign import Aligner
from tokalign.cli.main import main

PAIRS = [("Dogs bark.", "The dogs bark."), ("It rained.", "Prices rose in March.")]
TEXT = "".join(f"{source}\t{target}\n" for source, target in PAIRS)


@pytest.fixture
def run(small_model):
    def run(*args, text=TEXT):
        command = ["similarity", "--model", str(small_model), *args]
        return CliRunner().invoke(main, command, input=text, prog_name="tokalign")

    return run


def test_a_number_a_line_is_what_the_library_gives(run, small_model):
    result = run()
    expected = [each.similarity for each in Aligner.load(small_model).pipe(PAIRS)]
    assert result.exit_code == 0
    assert [float(line) for line in result.stdout.splitlines()] == pytest.approx(expected, abs=1e-4)


def test_objects_have_the_ids_of_what_was_read(run):
    text = json.dumps({"id": "x", "source": ["Dogs", "bark"], "target": "Dogs bark."}) + "\n"
    value = json.loads(run("--format", "jsonl", text=text).stdout)
    assert value["id"] == "x"
    figures = {"similarity", "score", "covered", "target_covered", "agreement"}
    assert set(value) == {"id", *figures}


def test_a_bad_line_keeps_its_place_and_the_exit_code_tells(run):
    result = run(text="no separator\n" + TEXT)
    assert result.exit_code == 3
    assert [bool(line) for line in result.stdout.splitlines()] == [False, True, True]
    assert "line 1: saw 1 fields" in result.stderr
    bad = json.loads(run("--format", "jsonl", text="no separator\n").stdout)
    assert (bad["id"], bad["line"]) == ("1", 1) and "saw 1 fields" in bad["error"]


def test_processes_change_nothing(run):
    assert run("--jobs", "2", "--batch-size", "1").stdout == run().stdout


SENTENCES = ["Dogs bark.", "", "It rained\tin Leeds."]


def test_one_sentence_is_compared_with_each_line(run, small_model):
    result = run("--sentence", "The dogs bark.", text="\n".join(SENTENCES))
    expected = Aligner(small_model).similarities("The dogs bark.", SENTENCES, errors="nan")
    assert result.exit_code == 3 and "line 2: " in result.stderr
    found = [float(line) if line else None for line in result.stdout.splitlines()]
    assert found == [None if value != value else pytest.approx(value, abs=1e-4)
                     for value in expected.tolist()]  # fmt: skip


def test_lines_that_one_is_compared_with_may_be_objects(run):
    rows = [{"id": "a", "text": "Dogs bark."}, {"tokens": ["Dogs", "bark", "."]}, {"text": 3}]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    result = run("--sentence", "The dogs bark.", "--format", "jsonl", text=text)
    values = [json.loads(line) for line in result.stdout.splitlines()]
    assert [value["id"] for value in values] == ["a", "2", "3"]
    assert values[0]["similarity"] == values[1]["similarity"] and "error" in values[2]


def test_one_sentence_is_not_compared_with_tables(run):
    result = run("--sentence", "The dogs bark.", "--columns", "a,b")
    assert result.exit_code == 2 and "--sentence reads a sentence on each line" in result.stderr
    assert run("--sentence", " ").exit_code == 2

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

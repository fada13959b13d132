"""`tokalign dedupe`."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from tokalign import Aligner
from tokalign.cli.main import main

pytest.importorskip("rensa", reason="needs the extra dedupe")

LINES = [
    "Dogs bark.",
    "It rained in\tLeeds.",
    "",
    "In Leeds it rained.",
    "Dogs bark.",
    "Cats purr.",
]
TEXT = "".join(f"{line}\n" for line in LINES)


@pytest.fixture
def run(small_model):
    def run(*args, text=TEXT):
        command = ["dedupe", "--model", str(small_model), "--threshold", "0.5", *args]
        return CliRunner().invoke(main, command, input=text, prog_name="tokalign")

    return run


def test_pairs_are_those_of_the_library_with_lines_from_1(run, small_model):
    result = run()
    assert result.exit_code == 0
    rows = [line.split("\t") for line in result.stdout.splitlines()]
    expected = list(Aligner(small_model).near_duplicates(LINES, threshold=0.5))
    assert [(int(a) - 1, int(b) - 1) for _, a, b, *_ in rows] == [
        (each.first, each.second) for each in expected
    ]
    assert rows[0] == ["1.0000", "1", "5", "Dogs bark.", "Dogs bark."]
    assert rows[1][3:] == ["It rained in Leeds.", "In Leeds it rained."]


def test_groups_are_line_numbers(run):
    assert run("--write", "groups").stdout == "1\t5\n2\t4\n"


def test_lines_leaves_out_all_but_the_first_of_each_group(run):
    assert run("--write", "lines").stdout.split("\n")[:-1] == [LINES[k] for k in (0, 1, 2, 5)]


def test_objects_hold_lines_and_texts(run):
    pair = json.loads(run("--format", "jsonl").stdout.splitlines()[0])
    assert pair == {"similarity": 1.0, "lines": [1, 5], "texts": ["Dogs bark.", "Dogs bark."]}
    group = json.loads(run("--format", "jsonl", "--write", "groups").stdout.splitlines()[1])
    assert group == {"lines": [2, 4], "texts": [LINES[1], LINES[3]]}


def test_a_line_that_is_too_long_is_reported_and_kept(run):
    long = "dog " * 600
    result = run("--write", "lines", text=f"{TEXT}{long}\n")
    assert result.exit_code == 3
    assert "line 7: " in result.stderr and "1 of 7 lines bad" in result.stderr
    assert result.stdout.splitlines()[-1] == long


def test_nothing_has_no_duplicates(run):
    assert (run(text="").exit_code, run(text="").stdout) == (0, "")

"""`tokalign split`: a sentence a line, or objects with offsets."""

import json

import pytest
import tokalign
from click.testing import CliRunner
from tokalign.cli.main import main

TEXT = "Dr. Wu\ncame \N{DOG}. It rained!\n\nA heading\n\n“Stop.”  He\r\n\x0b ran.\n"


def run(*args, text=TEXT):
    data = text.encode() if isinstance(text, str) else text
    return CliRunner().invoke(main, ["split", *args], input=data, prog_name="tokalign")


def test_a_line_for_each_sentence():
    result = run()
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "Dr. Wu came \N{DOG}.", "It rained!", "A heading", "“Stop.”", "He ran.",
    ]  # fmt: skip


def test_a_file_is_read_and_another_written(tmp_path):
    path, output = tmp_path / "text.txt", tmp_path / "sentences.txt"
    path.write_bytes(b"\xef\xbb\xbfIt rains. It pours.")
    assert run("--input", str(path), "--output", str(output)).exit_code == 0
    assert output.read_text() == "It rains.\nIt pours.\n"


def test_objects_hold_what_the_library_finds():
    found = [json.loads(line) for line in run("--format", "jsonl").stdout.splitlines()]
    assert found == [
        {"start": each.start, "end": each.end, "text": each.text} for each in tokalign.split(TEXT)
    ]
    assert [each["text"] for each in found] == [
        "Dr. Wu\ncame \N{DOG}.", "It rained!", "A heading", "“Stop.”", "He\r\n\x0b ran.",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("unit", "encoding", "width"), [("utf-8", "utf-8", 1), ("utf-16", "utf-16-le", 2)]
)
def test_offsets_count_a_unit(unit, encoding, width):
    whole = TEXT.encode(encoding)
    result = run("--format", "jsonl", "--offsets", unit)
    for each in map(json.loads, result.stdout.splitlines()):
        place = slice(each["start"] * width, each["end"] * width)
        assert whole[place].decode(encoding) == each["text"]


@pytest.mark.parametrize("text", ["", " \n\n\t"])
def test_blank_text_has_no_sentence(text):
    result = run(text=text)
    assert (result.exit_code, result.output) == (0, "")


def test_a_line_that_is_no_utf8_is_reported_and_blank(tmp_path):
    text = b"It rains\nnot \xff here\nand pours. \xc3\x28\n"
    result = run("--errors", str(tmp_path / "bad.jsonl"), text=text)
    assert result.exit_code == 3
    assert result.stdout.splitlines() == ["It rains"]
    assert "line 2: byte 4 of the line is not UTF-8; convert the file with iconv" in result.stderr
    assert result.stderr.splitlines()[-1] == "2 of 3 lines bad"
    noted = [json.loads(line) for line in (tmp_path / "bad.jsonl").read_text().splitlines()]
    assert [(each["line"], each["id"]) for each in noted] == [(2, "2"), (3, "3")]


def test_a_line_that_is_too_long_is_reported(monkeypatch):
    for module in ("sources", "pair_lines"):
        monkeypatch.setattr(f"tokalign.cli.lines.{module}.MAX_LINE", 20)
    result = run(text=b"It rains.\n" + b"It pours. " * 5 + b"\nIt is wet.\n")
    assert (result.exit_code, result.stdout) == (3, "It rains.\nIt is wet.\n")
    assert "line 2: more than 0 MiB without a line break" in result.stderr


def test_errors_are_not_written_to_the_input(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("It rains.")
    result = run(str(path), "--errors", str(path))
    assert result.exit_code == 2 and "is the input" in result.output
    assert path.read_text() == "It rains."


def test_a_limit_ends_the_sentences():
    assert run("--limit", "2").stdout.splitlines() == ["Dr. Wu came \N{DOG}.", "It rained!"]

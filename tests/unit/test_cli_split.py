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


def test_what_is_no_utf8_is_refused_with_its_place():
    result = run(text=b"It rains.\nIt \xff pours.")
    assert result.exit_code == 1
    assert "<stdin>:2: byte 13 of the text is not UTF-8" in result.output


def test_a_limit_ends_the_sentences():
    assert run("--limit", "2").stdout.splitlines() == ["Dr. Wu came \N{DOG}.", "It rained!"]

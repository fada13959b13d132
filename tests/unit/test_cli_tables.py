"""Tables of pairs: headers, quotes, and the form that the name of an output asks for."""

from __future__ import annotations

import csv
import json
import subprocess
import sys

import pytest
from click.testing import CliRunner
from tokalign.cli.lines.file_flags import form_of
from tokalign.cli.lines.pair_lines import id_column, table_of, usual_columns
from tokalign.cli.main import main

PAIRS = [("A cat sat .", "The cat sat ."), ("Dogs bark .", "The dogs bark .")]
TEXT = "".join(f"{source}\t{target}\n" for source, target in PAIRS)


@pytest.fixture
def align(small_model):
    def align(*args, text=None, command="align"):
        arguments = [command, "--model", str(small_model), *map(str, args)]
        return CliRunner().invoke(main, arguments, input=text, prog_name="tokalign")

    return align


def table(header, delimiter):
    return "".join(delimiter.join(row) + "\n" for row in [header, *PAIRS])


@pytest.mark.parametrize("delimiter", [",", "\t"])
@pytest.mark.parametrize(
    "header",
    [
        ("source", "target"),
        ("Source", "Target"),
        ("sentence1", "sentence2"),
        ("sentence_A", "sentence_B"),
        ("Premise", "hypothesis"),
        ("#1 String", "#2 String"),
        ("answer", "question"),
    ],
)
def test_usual_headers_are_no_pairs(align, header, delimiter):
    wanted = align(text=table(PAIRS[0], "\t")).stdout.split("\n", 1)[1]
    result = align(text=table(header, delimiter))
    assert result.stdout == wanted
    is_named = f"columns {header[0]!r} and {header[1]!r} are read as" in result.stderr
    assert is_named == (header != ("source", "target"))


def test_names_of_other_columns_are_not_usual():
    assert usual_columns(["sentence1", "sentence"]) is None
    assert table_of("A cat sat .\tThe cat sat .", None) is None
    assert id_column(["x", "pair_ID"]) == "pair_ID"


def test_a_header_that_is_not_known_is_asked_about(align):
    result = align(text=table(("left_side", "right"), "\t"))
    assert "but 'left_side' and 'right' look like names of columns" in result.stderr
    assert result.stdout.count("\n") == 3
    for text in ("dog\tcat\nbird\tfish\n", "Dogs, cats and birds\tDogs.\n", "bakery\n"):
        assert "names of columns" not in align(text=text).stderr
    result = align(text=table(("left_side", "right"), ","))
    assert "line 1 looks like names of columns, 'left_side', 'right', of which" in result.stderr
    assert result.exit_code == 3


@pytest.mark.parametrize("where", [1, 2, 3])
def test_an_open_quote_costs_its_line_alone(align, where):
    lines = ["source,target", *(f"Cats sleep {k} .,A cat sleeps {k} ." for k in range(5))]
    lines[where] = f'"{lines[where]}'
    result = align("--format", "jsonl", text="\n".join(lines) + "\n")
    found = [json.loads(line) for line in result.stdout.splitlines()]
    assert [each.get("line") for each in found if "error" in each] == [where + 1]
    assert len(found) == 5
    last = len(lines)
    assert f"not closed up to the end of the file (lines {where + 1} to {last})" in result.stderr
    assert result.exit_code == 3


def test_a_quote_that_closes_too_early_names_its_lines(align):
    text = 'source,target\n"A cat,x\ny z,"a b"\nA cat,A cat\n"A ""big"" cat",A cat\n'
    result = align(text=text)
    assert "line 2: a quote closes before the end of a field (lines 2 to 3)" in result.stderr
    assert result.stdout.split("\n")[0] == ""
    assert result.stdout.count("\n") == 4
    assert "1 of 4 lines bad" in result.stderr


@pytest.mark.parametrize(
    ("name", "form"),
    [("x.jsonl", "jsonl"), ("x.JSONL.gz", "jsonl"), ("x.tsv.zst", "tsv"), ("x.txt", ""), ("-", "")],
)
def test_the_name_of_an_output_says_its_form(name, form):
    assert form_of(name) == form


def test_an_output_has_the_form_of_its_name(align, tmp_path):
    text = "A cat sat .\tThe cat sat .\n"
    for name, args in [("o.jsonl", []), ("o.txt", ["--format", "jsonl"])]:
        assert align("-o", tmp_path / name, *args, text=text).exit_code == 0
        assert "links" in json.loads((tmp_path / name).read_text())
    align("-o", tmp_path / "o.jsonl", "--format", "pharaoh", text=text)
    assert (tmp_path / "o.jsonl").read_text() == "1-1 2-2 3-3\n"
    align("-o", tmp_path / "o.tsv", text=text)
    assert (tmp_path / "o.tsv").read_text().count("\t") == 3
    align("-o", tmp_path / "s.tsv", text=text, command="similarity")
    assert 0 <= float((tmp_path / "s.tsv").read_text()) <= 1


def test_a_form_that_is_not_written_is_refused(tmp_path):
    result = CliRunner().invoke(main, ["split", "-o", str(tmp_path / "x.parquet")], input="A b.")
    assert result.exit_code == 2
    assert "x.parquet has the name of parquet, which this command does not write" in result.stderr
    result = CliRunner().invoke(main, ["align", "-o", str(tmp_path / "x.json")], input="a\ta\n")
    assert "x.json has the name of json" in result.stderr
    result = CliRunner().invoke(main, ["convert"], input="a ||| b ||| 0-0\n")
    assert "give --format, or an --output whose name says it" in result.stderr


def test_convert_takes_the_form_of_its_output(tmp_path):
    (tmp_path / "in").write_text("a ||| b ||| 0-0\n")
    args = ["convert", "-i", str(tmp_path / "in"), "-o", str(tmp_path / "out.jsonl")]
    assert CliRunner().invoke(main, args).exit_code == 0
    assert json.loads((tmp_path / "out.jsonl").read_text())["links"] == [[0, 0]]


WITHOUT = "import sys; sys.modules['pyarrow'] = None; from tokalign.__main__ import main; main()"


def test_parquet_without_pyarrow_says_what_to_install(tmp_path):
    (tmp_path / "in.parquet").write_bytes(b"PAR1")
    for args in (["-i", tmp_path / "in.parquet"], ["-o", tmp_path / "out.parquet"]):
        command = [sys.executable, "-c", WITHOUT, "align", *map(str, args)]
        done = subprocess.run(command, input="", capture_output=True, text=True)
        assert done.returncode == 1
        assert "pip install '.[arrow]'" in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("delimiter", ["\t", ","])
@pytest.mark.parametrize(
    ("header", "columns"),
    [
        (["n", "target", "source"], None),
        (["n", "answer", "question"], "question,answer"),
        (None, "3,2"),
    ],
)
def test_tables_have_names_or_numbers(align, tmp_path, delimiter, header, columns):
    pairs = [*PAIRS, ('He said "no, never" .', "No .")]
    wanted = align(text="".join(f"{source}\t{target}\n" for source, target in pairs)).stdout
    rows = [[str(number), target, source] for number, (source, target) in enumerate(pairs)]
    path = tmp_path / "table"
    with path.open("w", newline="") as file:
        if delimiter == "\t":
            for row in [header] * bool(header) + rows:
                file.write("\t".join(row) + "\n")
        else:
            csv.writer(file).writerows([header] * bool(header) + rows)
    args = ["--columns", columns] if columns else []
    assert align("-i", path, *args).stdout == wanted


def test_fields_of_csv_hold_breaks_and_ids_are_kept(align):
    text = 'id,source,target\nx7,"A cat\nsat .",A cat sat .\nx8,A dog,\n\nx9,A cat,"A cat"\n'
    result = align("--format", "jsonl", text=text)
    rows = result.stdout.splitlines()
    assert ['"id": "x7"' in rows[0], '"id": "x8"' in rows[1], '"id": "x9"' in rows[-1]] == [
        True
    ] * 3
    assert "line 4: the target is empty" in result.stderr
    assert "line 5: saw 0 fields" in result.stderr
    assert result.exit_code == 3


def test_bytes_in_a_table_that_are_not_utf8_cost_their_record(align):
    text = b"source\ttarget\nA c\xe4t\tA cat\nA cat\tA cat\n"
    result = align(text=text)
    assert result.stdout == "\n0-0 1-1\n"
    assert "line 2: not UTF-8" in result.stderr


def test_a_line_longer_than_any_header_is_a_bad_line(align):
    result = align(text="x" * (1 << 25) + ",\n" + TEXT)
    assert result.stdout.startswith("\n")
    assert "line 1: saw 1 fields" in result.stderr


@pytest.mark.parametrize("columns", ["source", "0,1", "a,1", "a,b,c", ",b"])
def test_wrong_columns_are_usage_errors(align, columns):
    assert align("--columns", columns, text=TEXT).exit_code == 2


def test_a_column_that_is_not_there_is_named(align):
    result = align("--columns", "q,a", text="source\ttarget\n")
    assert result.exit_code == 1

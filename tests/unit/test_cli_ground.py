"""`tokalign ground`: files and lines, forms of output, errors and exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict, fields

import jsonschema
import pytest
from support.grounded_by_hand import SCHEMA
from tokalign.cli.ground import GroundFlags
from tokalign.types.display import plain
from tokalign.types.options import GroundOptions

HISTORY = "Marta Okoye founded the bakery in 1987. It stands beside the old mill.\nIt is small.\n"
GUIDE = "The bakery is famous for rye bread.\n"
ANSWER = "Marta Okoye founded the bakery in 1989. It is small. It sells bread in Paris.\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An answer and two passages, in the current folder."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("answer", ANSWER), ("history", HISTORY), ("guide", GUIDE)):
        (tmp_path / f"{name}.txt").write_text(text)
    return tmp_path


def line_of(**changes):
    value = {"id": "x", "answer": ANSWER, "passages": [{"id": "h", "text": HISTORY}, GUIDE]}
    return json.dumps(value | changes)


def values_of(result):
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_the_answer_is_marked_and_its_sources_are_listed(run_command, folder):
    result = run_command("ground", "answer.txt", "history.txt", "guide.txt")
    assert result.exit_code == 0
    answer, *rest = result.stdout.splitlines()
    assert answer.startswith("Marta Okoye founded the bakery in [?{!1989!}?]. [1]")
    assert '  different value "1989" in the answer, "1987" in [1]' in rest
    at = rest.index("    Marta Okoye founded the bakery in {!1987!}.")
    assert rest[at - 1].startswith("[1] history.txt, line 1, cover 0.")
    at = rest.index("    It is small.")
    assert ", line 2, cover 1.00" in rest[at - 1]


@pytest.mark.parametrize("stdin", ["answer", "history"])
def test_standard_input_is_one_of_the_files(run_command, folder, stdin):
    files = {"answer": "answer.txt", "history": "history.txt"}
    text = (folder / files[stdin]).read_text()
    files[stdin] = "-"
    result = run_command("ground", files["answer"], files["history"], text=text)
    assert result.exit_code == 0
    assert "1989" in result.stdout and "line 1, cover 0." in result.stdout


def test_texts_in_quotes_stand_for_files(run_command, folder):
    quoted = run_command("ground", ANSWER, HISTORY, "guide.txt")
    read = run_command("ground", "answer.txt", "history.txt", "guide.txt")
    assert quoted.exit_code == 0
    assert quoted.stdout == read.stdout.replace("history.txt", "passage 1")


def test_json_follows_the_schema_and_is_what_the_library_says(run_command, folder, aligner):
    result = run_command("ground", "answer.txt", "history.txt", "--json")
    (value,) = values_of(result)
    jsonschema.validate(value, SCHEMA)
    found = aligner.ground(ANSWER, [("history.txt", HISTORY)])
    assert value["id"] == "answer.txt"
    assert value["sentences"] == list(map(plain, found.sentences))
    again = run_command("ground", "answer.txt", "history.txt", "--format", "jsonl")
    assert again.stdout == result.stdout


def test_a_page_is_written(run_command, folder):
    result = run_command("ground", "answer.txt", "history.txt", "--html", "page.html")
    assert (result.exit_code, result.output) == (0, "")
    page = (folder / "page.html").read_text()
    assert "<h1>Evidence for answer.txt</h1>" in page and "history.txt" in page


@pytest.mark.parametrize(("color", "is_coloured"), [("always", True), ("never", False)])
def test_colours(run_command, folder, color, is_coloured):
    result = run_command("ground", "answer.txt", "history.txt", "--color", color)
    assert ("\x1b[31;4" in result.stdout) == is_coloured
    assert ("[?" in result.stdout) != is_coloured


def test_an_output_file_gets_no_colours_from_a_terminal(run_command, folder, monkeypatch):
    monkeypatch.setattr("tokalign.cli.shared_flags.TerminalFlags.is_coloured", lambda *_: True)
    run_command("ground", "answer.txt", "history.txt", "--output", "out.txt")
    assert "[?{!1989!}?]" in (folder / "out.txt").read_text()


def test_options_reach_the_library(run_command, folder, aligner):
    result = run_command(
        "ground", "answer.txt", "history.txt", "--json", "--candidates", "1",
        "--threshold", "0.9", "--explain",
    )  # fmt: skip
    options = GroundOptions(candidates=1, threshold=0.9, explain=True)
    found = aligner.ground(ANSWER, [("history.txt", HISTORY)], options)
    (value,) = values_of(result)
    jsonschema.validate(value, SCHEMA)
    assert value["sentences"] == list(map(plain, found.sentences))


def test_flags_have_the_names_and_defaults_of_the_library():
    assert [each.name for each in fields(GroundFlags)] == [
        each.name for each in fields(GroundOptions)
    ]
    assert asdict(GroundFlags()) == asdict(GroundOptions())


def test_offsets_are_counted_in_json_and_cut_no_text_elsewhere(run_command, folder):
    (folder / "answer.txt").write_text("🥐 Marta founded the bakery in 1989.\n")
    call = ["ground", "answer.txt", "history.txt", "--offsets", "utf-8"]
    (value,) = values_of(run_command(*call, "--json"))
    (sentence,) = value["sentences"]
    start, end = (next(w for w in sentence["words"] if w["kind"] == "value")[k] for k in
                  ("start", "end"))  # fmt: skip
    assert "🥐 Marta founded the bakery in 1989.".encode()[start:end] == b"1989"
    assert "[?{!1989!}?]" in run_command(*call).stdout


def test_every_line_gets_a_line_and_a_bad_one_costs_the_others_nothing(run_command, folder):
    lines = [
        line_of(),
        "",
        "no JSON",
        line_of(id="y", passages=[HISTORY, {"id": "0", "text": GUIDE}]),
        line_of(answer=3),
        line_of(passages="text"),
        line_of(passages=[{"id": "a"}]),
        line_of(answer=""),
        line_of(id=7, passages=[]),
    ]
    result = run_command("ground", "--format", "jsonl", text="\n".join(lines))
    assert result.exit_code == 3
    values = values_of(result)
    for value in values:
        jsonschema.validate(value, SCHEMA)
    assert [value["id"] for value in values] == ["x", "3", "y", "5", "6", "7", "x", "7"]
    errors = {value["line"]: value["error"] for value in values if "error" in value}
    assert list(errors) == [3, 4, 5, 6, 7]
    assert errors[4] == "passages[1].id is '0', as of passage 0; wanted another for each"
    assert errors[7].startswith("passages[0] is {'id': 'a'}; wanted a text, or an object")
    assert "line 3: not JSON" in result.stderr and "5 lines bad" in result.stderr
    assert values[-2]["sentences"] == []
    assert {each["passage"] for each in values[0]["sentences"][0]["citations"]} == {"h"}


def test_only_so_many_answers_are_read_and_bad_ones_go_to_a_file(run_command, folder):
    lines = [line_of(answer=3), line_of(id="y", answer=""), *["no JSON"] * 12, line_of(id="z")]
    limited = run_command("ground", "--json", "--limit", "2", text="\n".join(lines))
    assert [value["id"] for value in values_of(limited)] == ["1", "y"]
    result = run_command("ground", "--json", "--errors", "bad.jsonl", text="\n".join(lines))
    assert result.exit_code == 3
    bad = [json.loads(line) for line in (folder / "bad.jsonl").read_text().splitlines()]
    assert bad == [value for value in values_of(result) if "error" in value]
    assert [value["line"] for value in bad] == [1, *range(3, 15)]
    assert "line 11:" in result.stderr and "line 12:" not in result.stderr  # ten are named
    assert "13 lines bad" in result.stderr


def test_lines_as_text_have_headings(run_command, folder):
    result = run_command("ground", text=f"{line_of()}\n{line_of(id='y', passages=[])}\n")
    assert result.stdout.startswith("# x\nMarta Okoye")
    assert "\n\n# y\n" in result.stdout


def test_input_and_output_may_be_compressed(run_command, folder):
    import gzip

    (folder / "in.jsonl.gz").write_bytes(gzip.compress(line_of().encode()))
    result = run_command("ground", "-i", "in.jsonl.gz", "--json", "-o", "out.jsonl.gz")
    assert (result.exit_code, result.output) == (0, "")
    plain = run_command("ground", "--json", text=line_of()).stdout
    assert gzip.decompress((folder / "out.jsonl.gz").read_bytes()).decode() == plain


def test_a_table_in_and_a_table_out_hold_what_lines_do(run_command, folder):
    pa = pytest.importorskip("pyarrow", reason="pip install '.[arrow]'")
    import pyarrow.parquet as pq
    from tokalign.arrow import Ground

    table = pa.table(
        {
            "id": ["a", "b", None],
            "answer": [ANSWER, None, ANSWER],
            "passages": [[{"id": "h", "text": HISTORY}], [], [{"id": None, "text": GUIDE}]],
        }
    )
    pq.write_table(table, "in.parquet")
    result = run_command("ground", "-i", "in.parquet", "--format", "parquet", "-o", "o.parquet")
    assert result.exit_code == 3
    rows = pq.read_table("o.parquet")
    assert rows.column_names == ["id", "sentences", "error"]
    assert rows["id"].to_pylist() == ["a", "2", "3"]
    assert rows["sentences"].to_pylist() == Ground()(table)["sentences"].to_pylist()
    assert [bool(each) for each in rows["error"].to_pylist()] == [False, True, False]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["answer.txt"], 2, "give at least one PASSAGE after the ANSWER"),
        (["-", "-"], 2, "standard input can be one of the files only"),
        (["answer.txt", "guide.txt", "guide.txt"], 2, "guide.txt is given twice"),
        (["answer.txt", "guide.txt", "-i", "guide.txt"], 2, "ANSWER and --input exclude"),
        (["answer.txt", "guide.txt", "--json", "--html", "p"], 2, "--html is a page"),
        (["answer.txt", "guide.txt", "--limit", "1"], 2, "are for lines of --input"),
        (["answer.txt", "guide.txt", "--errors", "guide.txt"], 2, "are for lines of --input"),
        (["-i", "answer.txt", "--errors", "answer.txt"], 2, "answer.txt is the input"),
        (["answer.txt", "guide.txt", "-o", "answer.txt"], 2, "answer.txt is read; write to"),
        (["answer.txt", "guide.txt", "-o", "./guide.txt"], 2, "guide.txt is read; write to"),
        (["answer.txt", "guide.txt", "--html", "guide.txt"], 2, "guide.txt is read; write"),
        (["answer.txt", "guide.txt", "--html", "no/p"], 2, "there is no folder"),
        (["--html", "page.html"], 2, "--html shows one answer: give ANSWER"),
        (["--json", "--format", "parquet"], 2, "--json and --format parquet exclude"),
        (["answer.txt", "guide.txt", "--threshold", "1.5"], 2, "threshold"),
        (["answer.txt", "absent guide.txt"], 1, "absent guide.txt: No such file"),
        (["answer.txt", "absent.txt"], 1, "absent.txt: No such file"),
        (["answer.txt", "latin.txt"], 1, "latin.txt:1: byte 2 is 0xe9, which is no UTF-8"),
        (["answer.txt", "history.txt", "--model", "absent"], 1, "absent"),
        (["answer.txt", "history.txt", "--model", "lemma"], 1, "lemma decides by rules"),
        (["answer.txt", "history.txt", "--format", "parquet"], 1, "needs --output"),
        (["-i", "no-table.parquet"], 1, "no column 'answer'"),
    ],
)  # fmt: skip
def test_trouble_has_an_exit_code_and_a_word(run_command, folder, arguments, code, message):
    (folder / "latin.txt").write_bytes(b"ca\xe9")
    if "no-table.parquet" in arguments:
        pa = pytest.importorskip("pyarrow", reason="pip install '.[arrow]'")
        import pyarrow.parquet as pq

        pq.write_table(pa.table({"a": [1]}), "no-table.parquet")
    result = run_command("ground", *arguments)
    assert result.exit_code == code
    assert message in result.stderr


def test_a_system_stops_a_run_of_lines(run_command, folder):
    result = run_command("ground", "--model", "lemma", text=line_of())
    assert result.exit_code == 1
    assert "lemma decides by rules" in result.stderr


def test_files_do_not_wait_for_standard_input(folder):
    reader, writer = os.pipe()
    command = [sys.executable, "-m", "tokalign", "ground", "answer.txt", "history.txt"]
    try:
        done = subprocess.run(command, stdin=reader, capture_output=True, text=True, timeout=60)
    finally:
        os.close(reader)
        os.close(writer)
    assert done.returncode == 0 and "1989" in done.stdout

"""The command line as hands expect it: arguments, summaries, rows of CSV, a person who types."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import pty
import subprocess
import sys

import pytest
from click.testing import CliRunner
from tokalign.cli.main import main

PAIRS = [("Dogs bark .", "The dogs bark ."), ("It rained .", "There was rain .")]
TEXT = "".join(f"{source}\t{target}\n" for source, target in PAIRS)


@pytest.fixture
def run(small_model):
    def run(command, *args, text=None):
        arguments = [command, "--model", str(small_model), *map(str, args)]
        return CliRunner().invoke(main, arguments, input=text, prog_name="tokalign")

    return run


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text(TEXT)
    return path


def rows_of(result):
    return list(csv.reader(io.StringIO(result.stdout)))


@pytest.mark.parametrize("command", ["align", "similarity"])
def test_files_and_sentences_are_arguments(run, pairs, command):
    wanted = run(command, text=TEXT).stdout
    assert run(command, pairs).stdout == wanted
    assert run(command, "-", text=TEXT).stdout == wanted
    assert "".join(run(command, *pair).stdout for pair in PAIRS) == wanted


def test_one_sentence_is_compared_with_many(run):
    text = "".join(f"{PAIRS[0][0]}\t{target}\n" for _, target in PAIRS)
    result = run("similarity", PAIRS[0][0], *(target for _, target in PAIRS))
    assert result.stdout == run("similarity", text=text).stdout


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["Dogs bark."], "there is no file 'Dogs bark.'; give a file, or two sentences"),
        (["a", "b", "c"], "3 arguments; wanted a file, or a source and a target"),
        (["{pairs}", "{pairs}"], "are files; put their lines side by side first, as `paste"),
        (["none.txt", "none.md"], "there is no file 'none.txt'; give a file, or two sentences"),
        (["{pairs}", "none.tsv"], "there is no file 'none.tsv'; give a file, or two sentences"),
        (["{pairs}", "-i", "{pairs}"], "pairs.tsv and --input both name the input"),
    ],
)
def test_arguments_that_make_no_sense(run, pairs, args, message):
    result = run("align", *(arg.format(pairs=pairs) for arg in args))
    assert result.exit_code == 2
    assert message in result.stderr


def test_other_commands_take_their_file_as_an_argument(run, tmp_path):
    (tmp_path / "in").write_text("Dogs bark. It rained.\n")
    for command, args in [("split", []), ("annotate", ["--no-trees"])]:
        named = CliRunner().invoke(main, [command, *args, "-i", str(tmp_path / "in")])
        given = CliRunner().invoke(main, [command, *args, str(tmp_path / "in")])
        assert named.stdout == given.stdout != ""
    question = "Who barks?"
    given = run("rank", question, tmp_path / "in")
    assert given.stdout == run("rank", question, "-i", tmp_path / "in").stdout != ""


def test_long_sentences_are_cut_for_similarities_too(run):
    long = "word " * 600
    assert "more than 512" in run("similarity", long, long).stderr
    result = run("similarity", long, long, "--truncate")
    assert result.exit_code == 0
    assert "1 of 1 lines have sentences that were cut" in result.stderr


def test_as_many_pairs_are_read_as_asked_for(run, pairs):
    assert run("align", pairs, "--limit", "1").stdout == run("align", *PAIRS[0]).stdout


def test_bad_lines_go_to_a_file(run, tmp_path):
    run("align", "--errors", tmp_path / "bad", text="bad\n" * 20 + TEXT + '{"id": "x"}\n')
    found = [json.loads(line) for line in (tmp_path / "bad").read_text().splitlines()]
    assert [each["line"] for each in found] == [*range(1, 21), 23]
    assert all(each["error"].startswith("saw 1 fields") for each in found)


def test_a_run_to_a_file_ends_with_a_summary(run, pairs, tmp_path):
    result = run("align", pairs, "-o", tmp_path / "out")
    assert f"{tmp_path / 'out'}: 2 pairs in " in result.stderr
    assert run("align", pairs, "-o", tmp_path / "out", "-q").stderr == ""
    assert run("align", pairs).stderr == ""


TABLE = 'n,answer,question,score\n1,"Dogs, bark",Dogs bark,5\n2,"two\nlines",It rained,4\nx\n'


def test_csv_keeps_the_columns_of_a_table(run):
    head, *rows, bad = rows_of(run("align", "--format", "csv", text=TABLE))
    assert head == [
        *("n", "answer", "question", "score"),
        *("source_tokens", "target_tokens", "links", "similarity", "score_2", "error"),
    ]
    assert [row[:4] for row in rows] == [
        ["1", "Dogs, bark", "Dogs bark", "5"],
        ["2", "two\nlines", "It rained", "4"],
    ]
    assert rows[0][4] == "Dogs , bark"
    assert rows[0][6] == run("align", "Dogs, bark", "Dogs bark").stdout.strip()
    assert bad == ["x", *[""] * 8, "saw 1 fields; wanted 3 or more"]


FORMULAS = ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(1)", "\t=1", "\r=1", "＝1", "-", "+1e"]
HARMLESS = ["-1", "+2.5", "a=1", "1-2", " =1", "'=1", ".5", "", "it-is"]


@pytest.mark.parametrize("command", ["align", "similarity"])
def test_no_cell_is_a_formula_if_asked(run, command):
    cells = [*FORMULAS, *HARMLESS]
    written = io.StringIO()
    header = ["source", "target", *(f"={k}" for k in range(len(cells)))]
    csv.writer(written).writerows([header, ["= a", "a", *cells], ["", "a", *cells]])
    plain = run(command, "--format", "csv", text=written.getvalue())
    head, good, bad = rows_of(plain)
    assert head[:3] == ["source", "target", "=0"] and good[2:20] == bad[2:20] == cells
    safe = run(command, "--format", "csv", "--csv-safe", text=written.getvalue())
    safe_head, safe_good, safe_bad = rows_of(safe)
    expected = [*(f"'{each}" for each in FORMULAS), *HARMLESS]
    assert safe_good[0] == "'= a" and safe_good[2:20] == safe_bad[2:20] == expected
    assert safe_head[:4] == ["source", "target", "'=0", "'=1"]
    assert [each.removeprefix("'") for each in safe_good[20:]] == good[20:]
    assert [each[0] for each in (safe_good[-3], safe_good[-2])] == [good[-3][0], good[-2][0]]
    assert run(command, "--csv-safe", text=written.getvalue()).exit_code == 2


def test_csv_of_other_input_has_both_sentences(run, tmp_path):
    head, row, _ = rows_of(run("similarity", "--format", "csv", text=TEXT))
    assert head[:4] == ["id", "source", "target", "similarity"]
    assert row[:3] == ["1", *PAIRS[0]]
    text = '{"id": "x", "source": ["Dogs", "bark"], "target": {"text": "Dogs bark"}}\n'
    assert rows_of(run("align", "--format", "csv", text=text))[1][:3] == [
        *("x", "Dogs bark", "Dogs bark"),
    ]
    assert len(rows_of(run("align", "--format", "csv", text=""))) == 1
    assert run("align", "-o", tmp_path / "o.csv", "--resume", text=TEXT).exit_code == 2


def test_a_row_that_is_not_utf8_is_written_all_the_same(run):
    result = run("align", "--format", "csv", text=b"source,target\nA c\xe4t,A cat\n")
    assert rows_of(result)[1] == [
        "A c?t",
        "A cat",
        *[""] * 5,
        "not UTF-8; convert the file with iconv",
    ]


def test_json_lines_keep_other_fields_if_asked(run):
    text = '{"source": "a", "target": "a", "n": 7}\n{"target": "a", "n": 8}\n'
    result = run("align", "--format", "jsonl", "--keep", text=text)
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line["input"] for line in lines] == [{"n": 7}, {"n": 8}]
    assert "error" in lines[1]
    assert run("align", "--keep", text=text).exit_code == 2


def test_processes_write_the_same_csv(run, pairs):
    args = ["align", pairs, "--format", "csv"]
    assert run(*args, "-j", "2").stdout == run(*args).stdout


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("flag", ["-q", "-v"])
def test_logging_is_chosen_before_or_behind_the_command(place, flag):
    args = ["resources", "list"]
    args.insert(2 * place, flag)
    assert CliRunner().invoke(main, args).exit_code == 0
    args = ["-q", "info", "-v"]
    assert "exclude each other" in CliRunner().invoke(main, args).stderr


def test_a_mistyped_command_gets_a_suggestion():
    result = CliRunner().invoke(main, ["algin"])
    assert result.exit_code == 2
    assert "no command 'algin'; did you mean align" in result.stderr
    assert "no command 'x'; there are align, annotate" in CliRunner().invoke(main, ["x"]).stderr


def test_help_is_asked_for_by_an_option():
    result = CliRunner().invoke(main, ["help"])
    assert result.exit_code == 2
    assert "no command 'help'; run tokalign --help, or tokalign COMMAND --help" in result.stderr


@pytest.mark.parametrize(
    "given",
    [
        ["split", "A dog. A cat."],
        ["annotate", "A dog barks."],
        ["ground", "A dog barks.txt", "-"],
    ],
)
def test_a_sentence_in_the_place_of_a_file_is_told_where_to_go(given):
    result = CliRunner().invoke(main, given)
    assert result.exit_code in (1, 2)
    assert "No such file or directory; give a file, or text on standard input" in result.stderr


@pytest.mark.parametrize("name", ["Dogs bark.", "pairs.tsv", "data/pairs"])
def test_what_is_no_command_by_its_looks_is_asked_for_one(name):
    result = CliRunner().invoke(main, [name])
    assert "name the command first, as in `tokalign align ...`" in result.stderr


def test_the_version_has_a_short_name():
    shown = [CliRunner().invoke(main, [flag]).stdout for flag in ("-V", "--version")]
    assert shown[0] == shown[1] != ""


def test_whoever_types_a_pair_is_answered_before_the_next():
    parent, child = pty.openpty()
    command = [sys.executable, "-m", "tokalign", "align", "--model", "lemma"]
    with subprocess.Popen(
        command, stdin=child, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        hint = process.stderr.readline()
        assert b"reading SOURCE<TAB>TARGET or SOURCE ||| TARGET from the terminal" in hint
        for _ in range(3):
            os.write(parent, b"Dogs bark ||| Dogs bark\n")
            assert process.stdout.readline() == b"0-0 1-1\n"
        os.write(parent, b"\x04")
        assert process.wait(30) == 0
    os.close(child)
    os.close(parent)


def test_files_elsewhere_are_read(run, tmp_path):
    fsspec = pytest.importorskip("fsspec", reason="pip install '.[remote]'")
    with fsspec.open("memory://pairs.tsv", "wb") as file:
        file.write(gzip.compress(TEXT.encode()))
    wanted = run("align", text=TEXT).stdout
    assert run("align", "memory://pairs.tsv").stdout == wanted
    assert run("align", "-i", "memory://pairs.tsv").stdout == wanted
    assert "'memory://none'" in run("align", "memory://none").stderr
    assert "Protocol not known" in run("align", "nowhere://x").stderr
    result = run("align", "-o", "memory://x", text=TEXT)
    assert "memory://x is not on this machine" in result.stderr


def test_files_elsewhere_ask_for_their_package(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    result = run("align", "s3://bucket/x")
    assert result.exit_code == 2
    assert "pip install '.[remote]'" in result.stderr

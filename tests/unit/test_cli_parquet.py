"""Parquet in and out of the command line: the same rows as of lines, or a reason why not."""

from __future__ import annotations

import datetime
import json
import os
import resource
import signal
import subprocess
import sys

import pytest
from click.testing import CliRunner
from tokalign.cli.lines.sinks import PartialOutput
from tokalign.cli.main import main
from tokalign.formats import read_gold

pa = pytest.importorskip("pyarrow", reason="pip install '.[arrow]'")
pq = pytest.importorskip("pyarrow.parquet", reason="pip install '.[arrow]'")

PAIRS = [
    ("A cat sat on the mat .", "The cat sat there ."),
    (None, "No ."),
    ("A dog", ""),
    ("A dog barked .", "A dog barked ."),
]


KEPT = ("n", "source", "target")


@pytest.fixture
def command(small_model):
    def command(name, *args, text=None):
        line = [name, "--model", str(small_model), *map(str, args)]
        return CliRunner().invoke(main, line, input=text, prog_name="tokalign")

    return command


@pytest.fixture
def pairs(tmp_path):
    """A file of some pairs, its name no help."""
    sources, targets = zip(*PAIRS, strict=True)
    table = pa.table({"n": range(len(PAIRS)), "source": sources, "target": targets})
    pq.write_table(table, tmp_path / "pairs", row_group_size=3)
    return tmp_path / "pairs"


@pytest.mark.parametrize("name", ["align", "similarity"])
def test_other_columns_are_kept_if_asked(command, tmp_path, name):
    table = {
        "id": ["a", "b"],
        "source": ["A dog barked .", None],
        "target": ["A dog barked .", "No ."],
        "n": [7, 8],
        "score": [0.5, float("nan")],
        "day": [datetime.date(2024, 2, 29), None],
        "raw": [b"\x00\xff", b""],
        "tags": [[{"k": "x"}], []],
    }
    pq.write_table(pa.table(table), tmp_path / "pairs")
    args = [name, "--format", "jsonl", "-i", tmp_path / "pairs"]
    kept = {"n": 7, "score": 0.5, "day": "2024-02-29", "raw": "00ff", "tags": [{"k": "x"}]}
    bad = {"n": 8, "score": None, "day": None, "raw": "", "tags": []}
    plain, found = (
        list(map(json.loads, command(*args, *more).stdout.splitlines()))
        for more in ([], ["--keep"])
    )
    assert [each.pop("input") for each in found] == [kept, bad]
    assert found == plain and "error" in found[1]
    refused = command(*args[:1], "--keep", "--format", "parquet", "-i", args[-1], "-o", "x")
    assert refused.exit_code == 2 and "--keep is for --format jsonl" in refused.stderr


@pytest.fixture
def many(tmp_path, sample_dir):
    """A file of some hundreds of pairs."""
    rows = [(pair.source.text, pair.target.text) for pair in read_gold(sample_dir / "sample.jsonl")]
    sources, targets = zip(*rows * 20, strict=True)
    pq.write_table(pa.table({"source": sources, "target": targets}), tmp_path / "many.parquet")
    return tmp_path / "many.parquet"


def jsonl(*rows):
    return "".join(json.dumps({"source": a, "target": b}) + "\n" for a, b in rows)


@pytest.mark.parametrize("jobs", [1, 2])
def test_rows_are_aligned_as_lines_are(command, pairs, jobs):
    result = command("align", "-i", pairs, "--jobs", jobs)
    good = command("align", text=jsonl(PAIRS[0], PAIRS[3])).stdout.splitlines()
    assert result.stdout.splitlines() == [good[0], "", "", good[1]]
    assert result.exit_code == 3
    assert "line 2: the source is null" in result.stderr
    assert "line 3: the target is empty" in result.stderr


@pytest.mark.parametrize("columns", ["q,a", "3,1"])
@pytest.mark.parametrize(
    "kind",
    [
        pa.string(),
        pa.large_string(),
        pa.dictionary(pa.int32(), pa.string()),
        pa.list_(pa.string()),
        pa.large_list(pa.large_string()),
    ],
    ids=str,
)
def test_columns_have_names_or_numbers_and_hold_text_or_tokens(command, tmp_path, columns, kind):
    source, target = PAIRS[0]
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        source, target = source.split(), target.split()
    table = pa.table({"a": pa.array([target], kind), "id": ["x7"], "q": pa.array([source], kind)})
    pq.write_table(table, tmp_path / "t")
    result = command("align", "-i", tmp_path / "t", "--columns", columns, "--format", "jsonl")
    row = json.loads(result.stdout)
    wanted = json.loads(command("align", "--format", "jsonl", text=jsonl((source, target))).stdout)
    assert row == wanted | {"id": "x7"}


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ("source,answer", "no column 'answer'; there are n, source, target"),
        ("2,9", "no column '9'; there are n"),
        ("n,source", "column 'n' is of int64; wanted strings, or lists of tokens"),
    ],
)
def test_columns_that_hold_no_sentences_are_named(command, pairs, columns, message):
    result = command("align", "-i", pairs, "--columns", columns)
    assert result.exit_code == 1
    assert f"{pairs}: {message}" in result.stderr


def test_strings_that_are_not_utf8_cost_their_row(command, tmp_path):
    words = pa.array([b"a cat", b"a \xff"], pa.binary()).view(pa.string())
    pq.write_table(pa.table({"source": words, "target": ["a cat", "a cat"]}), tmp_path / "t")
    result = command("align", "-i", tmp_path / "t")
    assert result.stdout == "0-0 1-1\n\n"
    assert "line 2: not UTF-8" in result.stderr


def test_no_file_and_no_table(command, pairs, tmp_path):
    (tmp_path / "torn").write_bytes(pairs.read_bytes()[:-30])
    result = command("align", "-i", tmp_path / "torn")
    assert result.exit_code == 1
    assert f"{tmp_path / 'torn'}: damaged Parquet: " in result.stderr
    program = [sys.executable, "-m", "tokalign", "align"]
    with pairs.open("rb") as file:
        done = subprocess.run(["cat"], stdin=file, stdout=subprocess.PIPE, check=True)
    piped = subprocess.run(program, input=done.stdout, capture_output=True)
    assert piped.returncode == 1
    assert b"<stdin>: Parquet has its index at the end; give it as a file" in piped.stderr
    with pairs.open("rb") as file:
        whole = subprocess.run(program, stdin=file, capture_output=True)
    assert whole.stdout.count(b"\n") == len(PAIRS)
    result = CliRunner().invoke(main, ["annotate", "-i", str(pairs)])
    assert "only align, ground and similarity read it" in result.stderr


def test_a_run_is_resumed_from_parquet(command, many, tmp_path):
    whole = command("align", "-i", many).stdout
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PartialOutput, "complete", lambda self: self.file.close())
        command("align", "-i", many, "-o", tmp_path / "out")
    os.truncate(tmp_path / "out.partial", len(whole) // 2)
    assert command("align", "-i", many, "-o", tmp_path / "out", "--resume").exit_code == 0
    assert (tmp_path / "out").read_text() == whole


@pytest.mark.parametrize("group", [1, 100, 50_000])
def test_columns_hold_what_json_lines_do(command, pairs, tmp_path, monkeypatch, group):
    monkeypatch.setattr("tokalign.cli.lines.parquet.ROWS_PER_GROUP", group)
    monkeypatch.setattr("tokalign.cli.lines.sinks._BUFFER_BYTES", 1)
    lines = [
        json.loads(line)
        for line in command("align", "-i", pairs, "--format", "jsonl").stdout.splitlines()
    ]
    assert command("align", "-i", pairs, "--format", "parquet", "-o", tmp_path / "o").exit_code == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["o", "pairs"]
    rows = pq.read_table(tmp_path / "o").to_pylist()
    assert [row["id"] for row in rows] == [line["id"] for line in lines]
    assert [tuple(row[name] for name in KEPT) for row in rows] == [
        (n, *pair) for n, pair in enumerate(PAIRS)
    ]
    for row, line in zip(rows, lines, strict=True):
        assert row["error"] == line.get("error")
        if row["error"]:
            assert not any(row[name] for name in row if name not in ("id", "error", *KEPT))
            continue
        for side in ("source", "target"):
            tokens = line[side]["tokens"] if isinstance(line[side], dict) else line[side]
            assert row[f"{side}_tokens"] == tokens
        assert [[link["source"], link["target"]] for link in row["links"]] == [
            link[:2] for link in line["links"]
        ]
        for name in ("score", "similarity"):
            assert row[name] == pytest.approx(line[name], abs=1e-6)


def test_similarities_are_columns_too(command, pairs, tmp_path):
    result = command("similarity", "-i", pairs, "--format", "parquet", "-o", tmp_path / "o.parquet")
    assert result.exit_code == 3
    table = pq.read_table(tmp_path / "o.parquet")
    figures = ["similarity", "score", "covered", "target_covered", "agreement"]
    assert table.column_names == ["id", *KEPT, *figures, "error"]
    assert table["similarity"].null_count == 2


def test_columns_of_the_input_keep_their_types_and_names(command, tmp_path):
    table = pa.table(
        {
            "id": [7, 8],
            "day": [datetime.date(2024, 2, 29), None],
            "source": ["A dog barked .", "No ."],
            "target": ["A dog barked .", "No ."],
            "score": [0.5, float("nan")],
        }
    )
    pq.write_table(table, tmp_path / "pairs")
    args = ["--format", "parquet", "-o", tmp_path / "o.parquet"]
    assert command("align", "-i", tmp_path / "pairs", *args).exit_code == 0
    found = pq.read_table(tmp_path / "o.parquet")
    assert found["id"].to_pylist() == ["7", "8"]
    for name in table.column_names[1:]:
        assert found[name].type == table[name].type
    assert found["day"].to_pylist() == table["day"].to_pylist()
    assert found["score_2"].null_count == 0


def test_columns_of_csv_and_texts_of_lines_are_kept_as_text(command, tmp_path):
    args = ["--format", "parquet", "-o", tmp_path / "o.parquet", "--restart"]
    text = "topic,source,target\nx,A dog .,A dog .\ny,A cat .,\n"
    assert command("align", *args, text=text).exit_code == 3
    found = pq.read_table(tmp_path / "o.parquet")
    assert found["topic"].to_pylist() == ["x", "y"]
    assert found["target"].to_pylist() == ["A dog .", ""]
    assert command("align", *args, text="A dog .\tThe dog .\n").exit_code == 0
    found = pq.read_table(tmp_path / "o.parquet")
    assert found.column_names[:3] == ["id", "source", "target"]
    assert found["target"].to_pylist() == ["The dog ."]


def test_no_pair_makes_a_table_without_rows(command, tmp_path):
    command("align", "--format", "parquet", "-o", tmp_path / "o", text="")
    table = pq.read_table(tmp_path / "o")
    assert (len(table), table.column_names[0]) == (0, "id")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--format", "parquet"], "--format parquet needs --output and cannot be resumed"),
        (["--format", "parquet", "-o", "o", "--resume"], "to resume, write --format jsonl"),
        (["--format", "parquet", "-o", "o.gz"], "o.gz has the name of another format"),
        (["--format", "jsonl", "-o", "o.parquet"], "o.parquet has the name of another format"),
    ],
)
def test_where_parquet_does_not_go(command, pairs, tmp_path, monkeypatch, args, message):
    monkeypatch.chdir(tmp_path)
    result = command("align", "-i", pairs, *args)
    assert result.exit_code == 1
    assert message in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["pairs"]


def test_what_an_error_leaves_is_readable(command, many, tmp_path):
    args = ["--format", "parquet", "-o", tmp_path / "o", "--strict"]
    text = jsonl(*[PAIRS[0]] * 200) + "no pair\n"
    result = command("align", *args, text=text)
    assert result.exit_code == 3
    assert not (tmp_path / "o").exists()
    assert len(pq.read_table(tmp_path / "o.partial")) == 200


def test_a_full_disk_is_named_and_leaves_nothing_unreadable(small_model, many, tmp_path):
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))

    command = [sys.executable, "-m", "tokalign", "align", "--model", str(small_model)]
    command += ["-i", str(many), "--format", "parquet", "-o", str(tmp_path / "o")]
    result = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit)
    assert result.returncode == 1
    assert f"{tmp_path / 'o'}: File too large" in result.stderr
    assert "nothing is kept" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["many.parquet"]

"""`tokalign annotate`: CoNLL-U out, and messages for bad lines."""

import io
import json

import pytest
from click.testing import CliRunner
from tokalign.cli.main import main
from tokalign.english.annotate import load_annotator
from tokalign.formats import Document, decode_lines
from tokalign.formats.conllu import read_sentences

TEXT = "Dogs don't bark.\nShe sleeps.\tShe is asleep.\n"


def run(*args, text):
    return CliRunner().invoke(main, ["annotate", *args], input=text, prog_name="tokalign")


def blocks(output):
    lines = decode_lines("<output>", io.BytesIO(output.encode()))
    return list(read_sentences(Document("<output>", lines)))


def test_sentences_are_the_annotators():
    result = run(text=TEXT)
    assert result.exit_code == 0
    texts = ["Dogs don't bark.", "She sleeps.", "She is asleep."]
    expected = load_annotator("native").annotate(texts, trees=True)
    assert [sentence for _, sentence in blocks(result.stdout)] == expected


def test_comments_say_which_line_and_side():
    comments = [comments for comments, _ in blocks(run(text="\n" + TEXT).stdout)]
    keys = ("sent_id", "pair_id", "side")
    assert [{key: each[key] for key in keys if key in each} for each in comments] == [
        {"sent_id": "2"},
        {"pair_id": "3", "side": "source"},
        {"pair_id": "3", "side": "target"},
    ]


def test_no_trees_leaves_heads_empty():
    (_, sentence), *_ = blocks(run("--no-trees", text=TEXT).stdout)
    assert sentence.tags == ("NNS", "VBP", "RB", "VB", ".")
    assert sentence.heads is None


def test_tokenized_text_is_not_cut():
    ((_, sentence),) = blocks(run("--tokenized", text="Dogs don't bark.\n").stdout)
    assert sentence.tokens == ("Dogs", "don't", "bark.")


@pytest.mark.parametrize("size", ["1", "256"])
def test_bad_lines_are_left_out_and_exit_3(size):
    result = run(
        "--batch-size",
        size,
        text="a\tb\tc\nGood.\n\t\nalso good\n\udcff".encode("utf-8", "surrogateescape"),
    )
    assert result.exit_code == 3
    assert [sentence.text for _, sentence in blocks(result.stdout)] == ["Good.", "also good"]
    assert "line 1: saw 3 fields" in result.stderr
    assert "line 5: byte 0 of the line is not UTF-8" in result.stderr
    assert "2 sentences could not be annotated" in result.stderr


def test_an_empty_side_is_named():
    result = run(text="Good.\t \n")
    assert result.exit_code == 3
    assert "line 1, target: the sentence has no token" in result.stderr


def test_strict_stops_at_the_first_bad_line():
    result = run("--strict", text="One.\na\tb\tc\nTwo.\n")
    assert result.exit_code == 3
    assert [sentence.text for _, sentence in blocks(result.stdout)] == ["One."]


def test_unknown_annotator_fails_with_the_choices():
    result = run("--annotator", "corenlp", text=TEXT)
    assert result.exit_code == 1
    assert "choose one of: native" in result.stderr


def test_a_limit_and_a_file_of_errors(tmp_path):
    path = tmp_path / "bad.jsonl"
    result = run("--limit", "2", "--errors", str(path), text="a\tb\tc\nDogs bark.\nIt rained.\n")
    assert (result.exit_code, len(blocks(result.stdout))) == (3, 1)
    (bad,) = map(json.loads, path.read_text().splitlines())
    assert (bad["line"], bad["id"]) == (1, "1") and "saw 3 fields" in bad["error"]

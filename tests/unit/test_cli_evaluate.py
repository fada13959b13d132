"""``tokalign evaluate`` and ``tokalign convert`` from the outside."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from tokalign.cli.main import main
from tokalign.formats import read_gold, write_gold

SAMPLE = Path(__file__).parents[1] / "data" / "sample.jsonl"
KEYS = {
    "pairs", "precision", "recall", "f1", "exact_match", "micro_precision", "micro_recall",
    "micro_f1", "f1_identical", "f1_non_identical", "aer", "f_alpha", "intervals",
}  # fmt: skip


def run(*arguments, input=None):
    return CliRunner().invoke(main, [str(argument) for argument in arguments], input=input)


@pytest.fixture
def files(tmp_path):
    """Two small files: gold with text, and Pharaoh predictions with one error."""
    gold, predicted = tmp_path / "gold", tmp_path / "predicted"
    gold.write_text("a cat . ||| the cat . ||| 1-1 2-2 0p0\nb ||| b ||| 0-0\n")
    predicted.write_text("1-1 2-2 0-0\n0-0\n")
    return gold, predicted


def test_json_is_one_object_with_the_promised_keys(files):
    gold, predicted = files
    result = run("evaluate", "--gold", gold, "--predictions", predicted, "--json")
    assert result.exit_code == 0
    report = json.loads(result.stdout)
    assert set(report) >= KEYS
    assert report["pairs"] == 2
    assert report["precision"] == pytest.approx((2 / 3 + 1) / 2)
    assert report["recall"] == 1.0
    assert report["exact_match"] == 0.5
    assert report["f_alpha"]["0.5"] == report["micro_f1"] == pytest.approx(6 / 7)
    assert report["by_kind"]["identical, content"]["gold"] == 2
    assert report["by_tag"]["punctuation"]["gold"] == 1


@pytest.mark.parametrize(("links", "exact"), [("sure+possible", 0.5), ("ignore-possible", 1.0)])
def test_the_choice_of_links_reaches_the_scores(files, links, exact):
    # Pharaoh's possible mark in the predictions counts only where possible links are wanted.
    gold, predicted = files
    predicted.write_text("1-1 2-2 0-0\n\n" if links == "sure+possible" else "1-1 2-2 0-0\n0-0\n")
    result = run("evaluate", "--gold", gold, "--predictions", predicted, "--links", links, "--json")
    assert json.loads(result.stdout)["exact_match"] == exact


def test_the_table_shows_scores_and_errors(files):
    gold, predicted = files
    result = run("evaluate", "--gold", gold, "--predictions", predicted, "--worst", 5)
    assert result.exit_code == 0
    for text in ("2 pairs", "F1 (of the macro figures)", "AER"):
        assert text in result.stdout
    assert "1 errors: 0 missing, 1 wrong" in result.stdout
    assert "possible  pair 1: 0-0" in result.stdout


def test_indices_from_one_and_target_first_links(tmp_path):
    gold, predicted = tmp_path / "gold", tmp_path / "predicted"
    gold.write_text("a b ||| c ||| 1-2\n")
    predicted.write_text("1-0\n")
    arguments = ["evaluate", "--gold", gold, "--one-based", "--reversed", "--json"]
    arguments += ["--predictions", predicted]
    assert json.loads(run(*arguments).stdout)["exact_match"] == 1.0
    predicted.write_text("1-2\n")
    assert "link 1-2, but" in run(*arguments).stderr


@pytest.mark.parametrize("name", ["msr", "jacana", "mwa", "jsonl", "conllu", "parallel"])
def test_predictions_may_be_in_any_format(tmp_path, name):
    gold = read_gold(SAMPLE)
    write_gold(gold, tmp_path / "predicted", name)
    result = run(
        "evaluate", "--gold", SAMPLE, "--predictions", tmp_path / "predicted", "--json",
        "--samples", 10,
    )  # fmt: skip
    assert json.loads(result.stdout)["exact_match"] == 1.0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("0-0\n", "1 predicted pairs for 2 gold pairs"),
        ("0-0\n0-0\n0-0\n", "predicted:3: more lines than the 2 gold pairs"),
        ("0-0\n0-1\n", "predicted:2: link 0-1, but gold pair '2' has 1 and 1 tokens"),
        ("0-0\nx\n", "which starts none of"),
        ("a ||| b ||| \n b ||| b ||| 0-0\n", "wanted the same pairs in the same order"),
    ],
)
def test_bad_predictions_end_with_code_1_and_say_where(files, content, message):
    gold, predicted = files
    predicted.write_text(content)
    result = run("evaluate", "--gold", gold, "--predictions", predicted)
    assert result.exit_code == 1
    assert message in result.stderr


def test_usage_errors_end_with_code_2(files):
    gold, predicted = files
    assert run("evaluate", "--gold", gold).exit_code == 2
    both = run("evaluate", "--gold", gold, "--predictions", predicted, "--model", "en")
    assert both.exit_code == 2
    assert "either --model or --predictions" in both.stderr
    assert run("evaluate", "--gold", "missing", "--predictions", predicted).exit_code == 2
    for option in (("--samples", 0), ("--seed", -1), ("--worst", -1)):
        wrong = run("evaluate", "--gold", gold, "--predictions", predicted, *option)
        assert wrong.exit_code == 2, wrong.output
    assert run("unknown").exit_code == 2


@pytest.mark.parametrize("name", ["msr", "jacana", "mwa", "jsonl", "conllu", "parallel"])
def test_convert_there_and_back_keeps_links_and_tokens(tmp_path, name):
    there = run("convert", "--format", name, "-i", SAMPLE)
    assert there.exit_code == 0
    back = run("convert", "--format", "jsonl", "-o", tmp_path / "back", input=there.stdout)
    assert back.exit_code == 0
    for before, after in zip(read_gold(SAMPLE), read_gold(tmp_path / "back"), strict=True):
        assert before.source.tokens == after.source.tokens
        assert before.target.tokens == after.target.tokens
        assert (before.sure, before.possible) == (after.sure, after.possible)


def test_convert_options_of_pharaoh(tmp_path):
    text = tmp_path / "text"
    text.write_text("a b ||| c\n")
    result = run(
        "convert", "--format", "pharaoh", "--from", "pharaoh", "--text", text, "--one-based",
        "--output-reversed", input="2-1 1p1\n",
    )  # fmt: skip
    assert result.stdout == "0p0 0-1\n"


def test_convert_stops_at_the_first_bad_line():
    result = run("convert", "--format", "pharaoh", input="a ||| b ||| 0-0\na ||| b ||| 0-1\n")
    assert result.exit_code == 1
    assert "<stdin>:2: pair '2': link 0-1 but the target has 1 tokens" in result.stderr


def test_convert_that_fails_leaves_the_file_of_the_name_as_it_was(tmp_path):
    path, output = tmp_path / "bad", tmp_path / "out"
    path.write_text("a ||| b ||| 0-0\nbad\n")
    output.write_text("kept")
    result = run("convert", "--format", "jsonl", "-i", path, "-o", output)
    assert result.exit_code == 1
    assert output.read_text() == "kept"
    assert "out.partial holds what was written" in result.stderr
    result = run("convert", "--format", "jsonl", "-i", path, "-o", path)
    assert (result.exit_code, path.read_text()) == (1, "a ||| b ||| 0-0\nbad\n")
    assert "is the input and the output" in result.stderr


def test_convert_reads_and_writes_packed_files(tmp_path):
    packed = tmp_path / "sample.gz"
    packed.write_bytes(gzip.compress(SAMPLE.read_bytes()))
    assert (
        run("convert", "--format", "conllu", "-i", packed, "-o", tmp_path / "out.gz").exit_code == 0
    )
    written = gzip.decompress((tmp_path / "out.gz").read_bytes()).decode()
    assert written == run("convert", "--format", "conllu", "-i", SAMPLE).stdout


def test_convert_asks_for_the_text_of_links():
    result = run("convert", "--format", "jsonl", input="0-0\n")
    assert result.exit_code == 2
    assert "give --text" in result.stderr


def test_help_lists_commands_and_formats():
    assert "evaluate" in run("--help").stdout
    assert "pharaoh" in run("convert", "--help").stdout


REPEATED = '{"id": "x", "source": ["A"], "target": ["A"], "links": [[0, 0]]}\n' * 2


def test_gold_with_repeated_ids_is_refused(tmp_path):
    (tmp_path / "gold").write_text(REPEATED)
    result = run("evaluate", "--gold", tmp_path / "gold", "--model", "lemma")
    assert result.exit_code == 1
    assert f"{tmp_path / 'gold'}: 1 ids are there more than once, such as 'x'" in result.stderr


def test_training_refuses_unlike_pairs_of_one_id(tmp_path):
    other = REPEATED.splitlines()[0].replace("A", "B")
    (tmp_path / "gold").write_text(f"{REPEATED}{other}\n")
    result = run("train", "--train", tmp_path / "gold", "-o", tmp_path / "model")
    assert result.exit_code == 1
    assert f"{tmp_path / 'gold'}: 1 ids are shared by unlike pairs, such as 'x'" in result.stderr
    assert not (tmp_path / "model").exists()


def test_training_says_that_pairs_are_judged_again(tmp_path):
    (tmp_path / "votes").write_text(REPEATED)
    result = run("train", "--train", tmp_path / "votes", "-o", tmp_path / "model")
    assert result.exit_code == 0
    assert "votes: 1 pairs are judged more than once, such as 'x'" in result.stderr


def test_training_says_which_corpora_share_pairs(tmp_path):
    row = REPEATED.splitlines()[0]
    for name, pair_id in (("one", "x"), ("two", "y"), ("dev", "z")):
        (tmp_path / name).write_text(row.replace("x", pair_id) + "\n")
    result = run(
        "train", "--train", tmp_path / "one", "--train", tmp_path / "two",
        "--dev", tmp_path / "dev", "--max-iterations", 2, "-o", tmp_path / "model",
    )  # fmt: skip
    assert result.exit_code == 0
    assert "two: 1 pairs are in one, too, such as 'y'; each judgement counts" in result.stderr
    assert "--dev: 1 pairs are in one, too, such as 'z'; the loss on them shows" in result.stderr


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (REPEATED.splitlines()[:1], "1 pairs have links in gold, such as 'x' there; wanted unre"),
        (
            ['{"id": "u", "source": ["B"], "target": ["C"]}',
             '{"id": "u", "source": ["B"], "target": ["D"]}'],
            "1 ids are shared by unlike pairs, such as 'u'",
        ),
    ],
)  # fmt: skip
def test_training_refuses_unrelated_pairs_that_have_links_or_one_id(tmp_path, rows, message):
    (tmp_path / "gold").write_text(REPEATED.splitlines()[0] + "\n")
    (tmp_path / "other").write_text("".join(f"{row}\n" for row in rows))
    result = run(
        "train", "--train", tmp_path / "gold", "--unrelated", tmp_path / "other",
        "-o", tmp_path / "model",
    )  # fmt: skip
    assert result.exit_code == 1
    assert f"{tmp_path / 'other'}: {message}" in result.stderr
    assert not (tmp_path / "model").exists()

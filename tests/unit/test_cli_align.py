"""`tokalign align`: one line out for one line in, whatever the line."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace

import pytest
from click.testing import CliRunner
from tokalign import align as align_words
from tokalign.aligner import Aligner
from tokalign.cli import align as align_command
from tokalign.cli.main import main
from tokalign.decoding.cascade import FIRST
from tokalign.formats import read_gold
from tokalign.model import load_model
from tokalign.model.shipped import model_path, shipped_models
from tokalign.types import Alignment
from tokalign.types.objects import alignment_to_json

GOOD = "A cat sat on the mat .\tThe cat sat there .\n"
BAD = "no separator\n"


@pytest.fixture
def align(small_model):
    def align(*args, text):
        command = ["align", "--model", str(small_model), *args]
        return CliRunner().invoke(main, command, input=text, prog_name="tokalign")

    return align


def test_links_are_the_librarys(align, small_model):
    result = align(text=GOOD)
    expected = Aligner.load(small_model).align("A cat sat on the mat .", "The cat sat there .")
    assert expected.links
    assert (result.exit_code, result.stdout) == (0, expected.to_pharaoh() + "\n")


def test_the_style_that_was_chosen_is_told():
    pair = "We bought a couch.\tThey sold their sofa.\n"

    def style(*args):
        command = ["align", "--format", "jsonl", *args]
        result = CliRunner().invoke(main, command, input=pair, prog_name="tokalign")
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)["style"]

    assert style("--style", "strict") == "strict"
    assert style() == Aligner.load().align(*pair.rstrip().split("\t")).style
    assert style("--related", "--style", "strict") == "strict"


def test_triple_bar_separates_as_a_tab_does(align):
    assert align(text=GOOD.replace("\t", " ||| ")).stdout == align(text=GOOD).stdout


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_order_is_kept_over_batches(align, sample_dir, small_model, jobs):
    pairs = read_gold(sample_dir / "sample.jsonl")
    text = "".join(f"{pair.source.text}\t{pair.target.text}\n" for pair in pairs)
    lines = align("--batch-size", "7", "--jobs", jobs, text=text).stdout.splitlines()
    aligner = Aligner.load(small_model)
    expected = aligner.pipe((pair.source.text, pair.target.text) for pair in pairs)
    assert lines == [alignment.to_pharaoh() for alignment in expected]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_bad_lines_become_empty_and_exit_3(align, jobs):
    result = align("--jobs", jobs, "--batch-size", "2", text=BAD + GOOD + "\n" + GOOD + "\t\n")
    lines = result.stdout.split("\n")
    assert [bool(line) for line in lines] == [False, True, False, True, False, False]
    assert result.exit_code == 3
    assert "line 1: saw 1 fields" in result.stderr
    assert "line 5: the source is empty" in result.stderr
    assert "3 of 5 lines bad" in result.stderr


def test_pair_that_the_aligner_refuses_costs_its_batch_nothing(align):
    result = align(text=GOOD + "word " * 600 + "\tword\n" + GOOD)
    assert "line 2: source: a sentence has 600 tokens" in result.stderr
    assert [bool(line) for line in result.stdout.splitlines()] == [True, False, True]
    assert result.exit_code == 3
    assert "line 2: " in result.stderr and "512" in result.stderr


def test_strict_stops_at_the_first_bad_line(align):
    result = align("--strict", text=GOOD + BAD + GOOD)
    assert len(result.stdout.splitlines()) == 1
    assert result.exit_code == 3
    assert "stopped there" in result.stderr


def test_many_bad_lines_are_counted_not_listed(align):
    result = align(text=BAD * 50)
    assert result.stderr.count("saw 1 fields") == 10
    assert "50 of 50 lines bad" in result.stderr


def test_bytes_that_are_not_utf8_make_one_bad_line(align):
    result = align(text=b"caf\xe9\tcaf\xe9\n" + GOOD.encode())
    assert [bool(line) for line in result.stdout.splitlines()] == [False, True]
    assert "not UTF-8" in result.stderr


def test_byte_order_mark_and_carriage_returns_are_dropped(align):
    text = b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode()
    assert align(text=text).stdout == align(text=GOOD).stdout


def test_empty_input_gives_empty_output(align):
    result = align(text="")
    assert (result.exit_code, result.stdout) == (0, "")


def test_tokenized_takes_tokens_as_they_are(align):
    result = align("--tokenized", "--format", "jsonl", text="don't stop.\tdon't stop.\n")
    assert json.loads(result.stdout)["source"] == ["don't", "stop."]


def test_tsv_has_score_links_and_tokens(align):
    score, links, source, target = align("--format", "tsv", text=GOOD).stdout.split("\t")
    assert 0 <= float(score) <= 1
    assert links == align(text=GOOD).stdout.strip()
    assert (source, target) == ("A cat sat on the mat .", "The cat sat there .\n")


def test_token_that_would_break_a_row_of_tsv_makes_a_bad_line(align):
    rows = [{"source": ["a\tb", "c"], "target": ["a"]}, {"source": ["a"], "target": ["a", "b\nc"]}]
    text = "".join(json.dumps(row) + "\n" for row in [*rows, {"source": ["a"], "target": ["a"]}])
    result = align("--format", "tsv", text=text)
    assert result.exit_code == 3
    assert result.stdout.split("\n")[:2] == ["", ""] and result.stdout.count("\n") == 3
    assert "line 1: token 'a\\tb' holds a tab or a line break" in result.stderr
    assert align("--format", "jsonl", text=text).exit_code == 0


@pytest.mark.parametrize("field", ["id", "source", "target"])
def test_half_a_surrogate_pair_costs_its_line_alone(align, field):
    bad = {"id": "x", "source": "A dog.", "target": "A dog.", field: "a \ud800"}
    text = json.dumps(bad) + "\n" + json.dumps({"source": ["a"], "target": ["a"]}) + "\n"
    result = align("--format", "jsonl", text=text)
    bad, good = map(json.loads, result.stdout.splitlines())
    assert result.exit_code == 3 and "links" in good
    assert bad["line"] == 1 and "surrogate" in bad["error"]


def test_confidences_stand_beside_links(align):
    links = align("--confidences", text=GOOD).stdout.split()
    assert [link.partition(":")[0] for link in links] == align(text=GOOD).stdout.split()
    assert all(0 <= float(link.partition(":")[2]) <= 1 for link in links)


def test_min_confidence_leaves_out_links(align):
    assert align("--min-confidence", "1", text=GOOD).stdout == "\n"


def test_less_effort_is_refused_by_a_model_without_an_encoder(align):
    result = align("--effort", "0.5", text=GOOD)
    assert result.exit_code != 0
    headers = [load_model(model_path(name)).header for name in shipped_models()]
    takers = {each.name for each in headers if each.encoder in FIRST}
    assert "effort is 0.5" in result.stderr
    assert {*re.findall(r"en-[\w-]+", result.stderr)} == takers


def test_jsonl_says_whether_the_encoder_read_a_pair(small_model):
    made = Aligner.load(small_model).align("Dogs bark.", "The dogs bark.")
    assert "encoded" not in alignment_to_json("x", made)
    fields = {field: getattr(made, field) for field in Alignment.__dataclass_fields__}
    for encoded in (False, True):
        alignment = Alignment(**{**fields, "encoded": encoded})
        assert alignment_to_json("x", alignment)["encoded"] is encoded


def test_symmetrization_is_followed(align):
    item = json.loads(align("--symmetrization", "t2s", "--format", "jsonl", text=GOOD).stdout)
    assert item["symmetrization"] == "t2s"
    targets = [link[1] for link in item["links"]]
    assert len(targets) == len(set(targets))


def test_jsonl_in_keeps_ids_and_given_columns(align):
    source = {"tokens": ["Dogs", "bark"], "tags": ["NNS", "VBP"]}
    rows = [{"id": "x", "source": source, "target": ["Dogs", "bark"]}, {"source": "Dogs"}]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    good, bad = map(json.loads, align("--format", "jsonl", text=text).stdout.splitlines())
    assert good["id"] == "x"
    assert [link[:2] for link in good["links"]] == [[0, 0], [1, 1]]
    assert bad["line"] == 2 and "target" in bad["error"]


def test_own_output_is_read_back_as_gold(align, tmp_path):
    path = tmp_path / "out.jsonl"
    result = align("--format", "jsonl", "--output", str(path), text=GOOD)
    assert (result.exit_code, result.stdout) == (0, "")
    (pair,) = read_gold(path)
    links = " ".join(f"{i}-{j}" for i, j in sorted(pair.sure))
    assert links == align(text=GOOD).stdout.strip()


@pytest.mark.parametrize(("unit", "span"), [("code-points", [2, 6]), ("utf-8", [5, 9])])
def test_offsets_count_what_is_asked_for(align, unit, span):
    text = "\U0001f600 dogs bark  .\tDogs bark .\n"
    item = json.loads(align("--format", "jsonl", "--offsets", unit, text=text).stdout)
    source = item["source"]
    assert source["offsets"][source["tokens"].index("dogs")] == span


def test_posteriors_and_explanations_are_written(align):
    item = json.loads(align("--format", "jsonl", "--posteriors", "--explain", text=GOOD).stdout)
    assert len(item["posteriors"]) == 7 and len(item["posteriors"][0]) == 5
    explained = {(each["source"], each["target"]) for each in item["explanations"]}
    assert explained == {tuple(link[:2]) for link in item["links"]}
    best = item["explanations"][0]["features"][0]
    assert {"name", "value", "weight"} == set(best)


@pytest.mark.parametrize(
    "args",
    [
        ["--explain"],
        ["--posteriors", "--format", "tsv"],
        ["--offsets", "utf-8", "--format", "tsv"],
        ["--jobs", "0"],
        ["--symmetrization", "up"],
        ["--server", "localhost:1", "--jobs", "2"],
        ["--input", "/no/such/file"],
    ],
)
def test_wrong_usage_exits_2(align, args):
    assert align(*args, text=GOOD).exit_code == 2


def test_unknown_model_exits_1_and_names_it():
    result = CliRunner().invoke(main, ["align", "--model", "nope"], input=GOOD)
    assert result.exit_code == 1
    assert "'nope'" in result.stderr


def test_an_id_that_is_null_is_the_number_of_the_line(run_command):
    text = '{"id": null, "source": "Dogs bark.", "target": "Dogs bark."}\n'
    result = run_command("align", "--format", "jsonl", text=text)
    assert json.loads(result.stdout)["id"] == "1"


@pytest.fixture
def on_terminal(monkeypatch):
    """Return what tells a command that its output is a terminal."""

    def told():
        named = type("Named", (), {"isatty": lambda self: True})
        monkeypatch.setattr(align_command, "sys", SimpleNamespace(stdout=named()))

    return told


def test_two_sentences_on_a_terminal_are_answered_for_people(on_terminal):
    given = ["align", "Profits increased by 5%.", "Profits decreased by 7%."]
    plain = CliRunner().invoke(main, given).stdout
    on_terminal()
    assert CliRunner().invoke(main, [*given, "--format", "pharaoh"]).stdout == plain
    found = align_words(*given[1:], relations=True)
    lines = CliRunner().invoke(main, given).stdout.splitlines()
    assert "\n".join(lines) == str(found)
    assert lines[-3] == f"similarity {found.similarity:.2f}"
    assert [each.rpartition(" (")[0] for each in lines[-2:]] == [
        "conflict: opposite, increased / decreased",
        "conflict: value, 5 % / 7 %",
    ]
    result = CliRunner().invoke(main, ["align", "A dog.", " "])
    assert (result.exit_code, result.stdout) == (2, "")
    assert "field 'target' is empty" in result.stderr


def test_columns_read_the_other_way_round_are_named_first():
    text = "question,answer\nWho barked?,Dogs barked.\n"
    with_others = CliRunner().invoke(main, ["align", "--format", "tsv"], input=text)
    assert with_others.stdout.split("\t")[2:] == ["Dogs barked .", "Who barked ?\n"]
    assert with_others.stderr.splitlines()[0].endswith(
        "columns 'answer' and 'question' are read as source and target; "
        "--columns question,answer turns them"
    )

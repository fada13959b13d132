"""`tokalign rank` and `tokalign info`."""

from __future__ import annotations

import gzip
import json
import math
from types import SimpleNamespace

import pytest
from click.testing import CliRunner
from tokalign import Aligner, InputError, Judgement, RankBy
from tokalign.cli.main import main

CANDIDATES = "Dogs like to bark.\nMarta founded the bakery.\nBakeries sell bread.\n"
QUESTION = "Who founded the bakery?"


@pytest.fixture
def run(small_model):
    def run(*args, text=CANDIDATES):
        command = ["rank", "--model", str(small_model), *args]
        return CliRunner().invoke(main, command, input=text, prog_name="tokalign")

    return run


def test_best_candidate_comes_first_with_its_line_number(run):
    result = run(QUESTION)
    rows = [line.split("\t") for line in result.stdout.splitlines()]
    assert result.exit_code == 0
    assert rows[0][1:] == ["2", "Marta founded the bakery."]
    scores = [float(score) for score, _, _ in rows]
    assert scores == sorted(scores, reverse=True) and len(scores) == 3


def test_top_k_cuts_the_ranking(run):
    assert len(run(QUESTION, "--top-k", "1").stdout.splitlines()) == 1


def test_json_holds_links_and_tokens(run):
    value = json.loads(run(QUESTION, "--format", "jsonl").stdout)
    best = value["ranking"][0]
    assert value["question"] == QUESTION
    assert best["index"] == 1 and best["target"][-1] == "?"
    assert [1, 1] in [link[:2] for link in best["links"]]


def test_objects_hold_their_own_questions(run, sample_dir):
    path = sample_dir / "rank.jsonl"
    asked = [json.loads(line) for line in path.read_text().splitlines()]
    result = run("--input", str(path), "--format", "jsonl")
    values = [json.loads(line) for line in result.stdout.splitlines()]
    assert [value["id"] for value in values] == [each["id"] for each in asked]
    for value, each in zip(values, asked, strict=True):
        assert sorted(row["index"] for row in value["ranking"]) == list(
            range(len(each["candidates"]))
        )


def test_candidate_that_cannot_be_aligned_comes_last(run):
    result = run(QUESTION, text="word " * 600 + "\n" + CANDIDATES)
    rows = [line.split("\t") for line in result.stdout.splitlines()]
    assert rows[-1][:2] == ["-", "1"]
    assert result.exit_code == 3
    assert "1 candidates could not be aligned" in result.stderr


@pytest.mark.parametrize(
    ("args", "text", "message"),
    [
        ([QUESTION], "", "no candidates"),
        ([QUESTION], " \n\n", "no candidates"),
        ([QUESTION], b"a\n\xff\n", "<stdin>:2: byte 0 of the line is not UTF-8"),
        ([""], "a\n", "field 'question' is empty"),
        (["--style", "x"], '{"question": "Who?", "candidates": ["a"]}\n', "no style 'x'"),
    ],
)
def test_unusable_input_exits_1_and_says_why(run, args, text, message):
    result = run(*args, text=text)
    assert result.exit_code == 1
    assert message in result.stderr


ASKED = {"id": "q", "question": QUESTION, "candidates": CANDIDATES.splitlines()}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"question": "Who?"}', 'wanted an object with "question" and "candidates"'),
        ("not json", "not JSON: Expecting value at column 1"),
        ("5", "wanted an object"),
        ('{"question": "", "candidates": ["a"]}', "field 'question' is empty"),
        ('{"question": "Who \\ud800?", "candidates": ["a"]}', "surrogates"),
        ('{"id": "\\ud800", "question": "Who?", "candidates": ["a"]}', "half a surrogate pair"),
        (json.dumps({"question": "who " * 600, "candidates": ["a"]}), "600 tokens"),
        ('{"question": "Who?", "candidates": [5]}', "'candidates' is int"),
    ],
)
def test_a_bad_line_costs_the_other_questions_nothing(run, line, message):
    text = f"{json.dumps(ASKED)}\n\n{line}\n{json.dumps(ASKED)}\n"
    result = run("--format", "jsonl", text=text)
    first, bad, last = map(json.loads, result.stdout.splitlines())
    assert first == last and len(first["ranking"]) == 3
    assert (bad["id"], bad["line"]) == ("3", 3) and message in bad["error"]
    assert result.exit_code == 3
    assert "line 3: " in result.stderr and "1 lines bad" in result.stderr
    shown = run(text=text)
    assert shown.exit_code == 3
    assert shown.stdout == 2 * run(text=json.dumps(ASKED)).stdout


def test_bytes_that_are_not_utf8_cost_their_question_alone(run):
    text = b"\xff\n" + json.dumps(ASKED).encode()
    result = run("--format", "jsonl", text=text)
    assert (result.exit_code, len(result.stdout.splitlines())) == (3, 2)


def test_candidates_that_are_empty_or_no_unicode_come_last(run):
    text = json.dumps({"question": QUESTION, "candidates": ["", "a \ud800", "The bakery."]})
    result = run(text=text)
    _, *rows = [line.split("\t") for line in result.stdout.splitlines()]
    assert [row[1:] for row in rows] == [["3", "The bakery."], ["1", ""], ["2", "a ?"]]
    assert [row[0] for row in rows[1:]] == ["-", "-"]
    assert result.exit_code == 3
    value = json.loads(run("--format", "jsonl", text=text).stdout)
    assert [row["index"] for row in value["ranking"]] == [2, 0, 1]


def test_numbers_are_those_of_lines_though_some_are_blank(run):
    result = run(QUESTION, text="\nIt rains.\r\n   \nMarta founded the bakery.\n")
    assert result.exit_code == 0
    assert sorted(line.split("\t")[1] for line in result.stdout.splitlines()) == ["2", "4"]


def test_every_candidate_is_one_line(run):
    text = json.dumps({"id": "a\nb", "question": "Who\tcame?", "candidates": ["one\ntwo\tthree"]})
    assert [line.count("\t") for line in run(text=text).stdout.splitlines()] == [1, 2]


def test_packed_candidates_are_read(run, tmp_path):
    path = tmp_path / "candidates.gz"
    path.write_bytes(gzip.compress(CANDIDATES.encode()))
    assert run(QUESTION, "--input", str(path)).stdout == run(QUESTION).stdout


def test_library_ranks_as_the_command_does(run, small_model):
    ranking = Aligner(small_model).rank(QUESTION, CANDIDATES.splitlines())
    shown = [int(line.split("\t")[1]) - 1 for line in run(QUESTION).stdout.splitlines()]
    assert [each.index for each in ranking] == shown


def test_equal_candidates_keep_their_order(small_model):
    ranking = Aligner(small_model).rank(QUESTION, ["The bakery.", "The bakery."])
    assert [each.index for each in ranking] == [0, 1]


def test_a_question_is_answered_and_a_statement_aligned_with(aligner):
    answer = "Marta Fendal founded the bakery."
    candidates = ["The bakery that was founded is closed.", answer]
    asked = aligner.rank("Who founded the bakery?", candidates, explain=True)
    assert asked[0].alignment.source.text == answer
    assert {each.judgement.by for each in asked} == {RankBy.ANSWER}
    evidence = {piece.name: piece.value for piece in asked[0].judgement.evidence}
    assert evidence["typed"] == 1.0  # a name of two words
    stated = aligner.rank("Someone founded the bakery.", candidates, explain=True)
    for each in stated:
        assert each.judgement == Judgement(RankBy.SCORE, each.alignment.score)


def test_evidence_adds_up_to_the_log_odds_of_the_score(aligner):
    for each in aligner.rank(QUESTION, CANDIDATES.splitlines(), explain=True):
        log_odds = sum(piece.value * piece.weight for piece in each.judgement.evidence)
        assert each.judgement.score == pytest.approx(1 / (1 + math.exp(-log_odds)))
        added = [abs(piece.value * piece.weight) for piece in each.judgement.evidence]
        assert added == sorted(added, reverse=True)
    assert all(not each.judgement.evidence for each in aligner.rank(QUESTION, ["It rains."]))


@pytest.mark.parametrize("by", ["score", "similarity"])
def test_what_to_rank_by_can_be_chosen(aligner, by):
    ranking = aligner.rank(QUESTION, CANDIDATES.splitlines(), by=by)
    scores = [each.judgement.score for each in ranking]
    assert scores == sorted((getattr(each.alignment, by) for each in ranking), reverse=True)


def test_the_direction_changes_no_rank(aligner):
    both = (
        aligner.rank(QUESTION, CANDIDATES.splitlines(), symmetrization=symmetrization)
        for symmetrization in ("joint", "s2t")
    )
    one, other = ([(each.index, each.judgement) for each in ranking] for ranking in both)
    assert one == other


def test_unknown_ways_to_rank_are_refused(small_model):
    with pytest.raises(InputError, match="by is 'size'; wanted one of auto, answer, score"):
        Aligner(small_model).rank(QUESTION, ["The bakery."], by="size")


def test_explanations_stand_below_their_candidates(run):
    lines = run(QUESTION, "--explain").stdout.splitlines()
    added, piece = lines[1].split("\t")[1:]
    assert (float(added) < 0, piece) == (True, "bias 1.00")
    assert sum(not line.startswith("\t") for line in lines) == 3
    best = json.loads(run(QUESTION, "--explain", "--format", "jsonl").stdout)["ranking"][0]
    assert best["by"] == "answer"
    assert best["evidence"][0]["name"] == "bias"
    by_score = json.loads(run(QUESTION, "--explain", "--format", "jsonl", "--by", "score").stdout)
    assert {row["by"] for row in by_score["ranking"]} == {"score"}
    assert not any("evidence" in row for row in by_score["ranking"])


def test_one_text_is_no_list_of_candidates(small_model):
    with pytest.raises(InputError, match="one text; wanted several"):
        Aligner(small_model).rank(QUESTION, "The bakery.")


def test_negative_top_k_is_refused(small_model):
    with pytest.raises(InputError, match="top_k is -1"):
        Aligner(small_model).rank(QUESTION, ["The bakery."], top_k=-1)


def test_info_shows_versions_models_and_resources():
    value = json.loads(CliRunner().invoke(main, ["info", "--json"]).stdout)
    assert {"tokalign", "python", "grpcio"} <= set(value["versions"])
    resources = {each["name"]: each for each in value["resources"]}
    assert {"wordnet", "tagger-en"} <= set(resources)
    needed = {name for model in value["models"] for name in model["resources"]}
    assert "encoder-en" in needed <= set(resources)
    assert len(resources["wordnet"]["digest"]) == 64
    assert value["limits"]["max_tokens"] == 512
    text = CliRunner().invoke(main, ["info"]).stdout
    assert "\nmodel\n  name               en\n" in text and "\nresource\n" in text


def test_a_question_is_annotated_once(aligner, monkeypatch):
    annotate = aligner.annotator.annotate
    seen = []

    def counted(sentences, *, trees):
        seen.extend(each for each in sentences if isinstance(each, str))
        return annotate(sentences, trees=trees)

    monkeypatch.setattr(aligner._engine, "annotator", SimpleNamespace(annotate=counted))
    ranking = aligner.rank(QUESTION, [*CANDIDATES.splitlines(), " "], symmetrization="union")
    assert seen.count(QUESTION) == 1
    assert [each.index for each in ranking][::3] == [1, 3]
    assert ranking[-1].error.field == "source"
    assert ranking[0].alignment.symmetrization == "union"


def test_priors_of_lines_are_weighed(run):
    text = "9\tIt rains.\n\n1e0\tMarta founded the bakery.\n-1\tBakeries sell bread.\n"
    found = run(QUESTION, "--priors", "--explain", "--format", "jsonl", text=text)
    assert found.exit_code == 0
    rows = {row["index"]: row for row in json.loads(found.stdout)["ranking"]}
    pieces = [{piece["name"]: piece["value"] for piece in rows[k]["evidence"]} for k in range(3)]
    assert [piece["prior"] > 0 for piece in pieces] == [True, False, False]
    assert rows[1]["text"] == "Marta founded the bakery."


@pytest.mark.parametrize("line", ["It rains.", "x\tIt rains.", "nan\tIt rains.", "\tIt rains."])
def test_a_line_without_its_prior_is_named(run, line):
    result = run(QUESTION, "--priors", text=f"1\tDogs bark.\n{line}\n")
    assert result.exit_code == 1
    assert "<stdin>:2: " in result.stderr
    assert "wanted a number, a tab and a candidate" in result.stderr


def test_priors_of_json_are_weighed_and_checked(run):
    def asked(priors):
        return run("--format", "jsonl", text=json.dumps(ASKED | {"priors": priors}))

    plain, same = asked(None), asked([5, 5, None])
    assert plain.stdout == same.stdout
    moved = json.loads(asked([1000, 1, None]).stdout)["ranking"]
    scores = {row["index"]: row["score"] for row in moved}
    before = {row["index"]: row["score"] for row in json.loads(plain.stdout)["ranking"]}
    assert [scores[k] > before[k] for k in range(3)] == [True, False, False]
    for priors, message in (
        ([1], "1 priors for 3 candidates"), ("x", "no list"), ([1, "x", 2], "priors[1] is 'x'"),
    ):  # fmt: skip
        result = asked(priors)
        assert result.exit_code == 3
        assert message in json.loads(result.stdout)["error"]


def test_a_shortlist_leaves_candidates_out(run):
    result = run(QUESTION, "--shortlist", "1")
    assert [line.split("\t")[1] for line in result.stdout.splitlines()] == ["2"]


def test_highlights_are_marked_in_text_and_listed_in_json(run):
    text = "It rains. Marta founded the bakery.\n"
    for more in ((), ("--passages",)):
        result = run(QUESTION, "--highlights", *more, text=text)
        assert result.stdout.rstrip().endswith("Marta **founded the bakery**.")
        result = run(QUESTION, "--highlights", "--format", "jsonl", *more, text=text)
        (span,) = json.loads(result.stdout)["ranking"][0]["highlights"]
        assert text[span["start"] : span["end"]] == "founded the bakery"
        assert 0 < span["confidence"] <= 1


def test_a_ranking_goes_to_a_file_in_the_form_of_its_name(run, tmp_path):
    assert run(QUESTION, "-o", str(tmp_path / "o.jsonl")).exit_code == 0
    assert json.loads((tmp_path / "o.jsonl").read_text())["question"] == QUESTION
    run(QUESTION, "-o", str(tmp_path / "o.gz"))
    assert gzip.decompress((tmp_path / "o.gz").read_bytes()).decode() == run(QUESTION).stdout


def test_a_limit_ends_the_candidates(run):
    assert [line.split("\t")[1] for line in run(QUESTION, "--limit", "1").stdout.splitlines()] == [
        "1"
    ]


def test_bad_lines_and_bad_candidates_are_in_a_file_of_errors(run, tmp_path):
    path = tmp_path / "bad.jsonl"
    asked = {"id": "q", "question": QUESTION, "candidates": ["Marta founded the bakery.", ""]}
    text = f"no\n{json.dumps(asked)}\nno\n"
    result = run("--errors", str(path), "--limit", "2", text=text)
    assert result.exit_code == 3
    bad = [json.loads(line) for line in path.read_text().splitlines()]
    assert [(each["line"], each["id"]) for each in bad] == [(1, "1"), (2, "q:2")]
    assert all(each["error"] for each in bad)


@pytest.mark.parametrize("flag", ["--input", "--output"])
def test_a_file_of_errors_is_no_file_of_the_run(run, tmp_path, flag):
    path = tmp_path / "lines.txt"
    path.write_text(CANDIDATES)
    result = run(QUESTION, flag, str(path), "--errors", str(path))
    assert result.exit_code == 2 and f"is the {flag.removeprefix('--')}" in result.output
    assert path.read_text() == CANDIDATES

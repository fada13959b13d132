"""Ranking of passages: texts of several sentences, of which the best counts."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from tokalign import InputError, LimitError, PassageSentence, Sentence
from tokalign.cli.main import main
from tokalign.english.annotate.sentence_splitter import Sentences
from tokalign.ranking.judge import LACKS, LACKS_WEIGHT, weighed
from tokalign.ranking.passages import lacking
from tokalign.types import FeatureContribution

QUESTION = "Who founded the bakery?"
PASSAGES = (
    "The town has a mill. It rains there often.",
    "A bakery stands on Mill Lane. Marta founded the bakery in 1997. It sells bread.",
    "Nobody knows.",
)
LINES = "\n".join(PASSAGES)


def sentences_of(passage):
    return [passage[start:end] for start, end in Sentences(passage)]


def test_a_passage_is_ranked_by_its_best_sentence(aligner):
    ranking = aligner.rank(QUESTION, PASSAGES, passages=True)
    assert ranking[0].index == 1
    best = ranking[0].sentence
    assert best == PassageSentence(1, 3, 30, 63)
    assert PASSAGES[1][best.start : best.end] == "Marta founded the bakery in 1997."
    assert ranking[0].alignment.source.text == "Marta founded the bakery in 1997."


@pytest.mark.parametrize("by", ["answer", "score", "similarity"])
def test_passages_rank_as_their_sentences_do_one_by_one_but_for_what_they_lack(aligner, by):
    ranking = aligner.rank(QUESTION, PASSAGES, passages=True, by=by, explain=True)
    lacks = lacking(QUESTION, PASSAGES)
    assert lacks[1] == 0 < lacks[0] == lacks[2]
    assert sorted(each.index for each in ranking) == [0, 1, 2]
    for each in ranking:
        alone = aligner.rank(QUESTION, sentences_of(PASSAGES[each.index]), by=by, explain=True)
        added = [FeatureContribution(LACKS, lacks[each.index], LACKS_WEIGHT)][: each.index != 1]
        assert each.judgement == weighed(alone[0].judgement, added, explain=True)
        assert (each.judgement == alone[0].judgement) is (by != "answer" or each.index == 1)
        assert each.sentence.index == alone[0].index
        assert each.alignment.links == alone[0].alignment.links
    scores = [each.judgement.score for each in ranking]
    assert scores == sorted(scores, reverse=True)


WORDS = st.lists(
    st.sampled_from(["the", "mill", "bread", "Bakers", "baked", "who", "."]), max_size=6
)


@given(WORDS, st.lists(st.none() | WORDS, max_size=5))
def test_what_passages_lack_is_counted_word_by_word(question, passages):
    content = {"mill", "bread", "baker", "bake"}
    stems = {"Bakers": "baker", "baked": "bake"}
    asked = {stems.get(word, word) for word in question} & content
    sets = [None if each is None else {stems.get(w, w) for w in each} & asked for each in passages]
    given_ = [each for each in sets if each is not None]
    wanted = [
        0.0
        if own is None
        else min(1, len(given_) / 30)
        * sum(
            math.log(1 + (len(given_) - n + 0.5) / (n + 0.5))
            for word in asked - own
            if (n := sum(word in each for each in given_))
        )
        for own in sets
    ]
    texts = [None if each is None else " ".join(each) for each in passages]
    assert lacking(" ".join(question), texts) == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("question", "answer"),
    [("Do I have to state my changes?", "prominent notices stating"),
     ("May I use the trademarks of the licensor?", "permission to use the trade names"),
     ("When does the patent license end?", "shall terminate as of the date"),
     ("Can I charge a fee for support?", "charge a fee for, acceptance of support"),
     ("Who is liable for damages?", "be liable to You for damages")],
)  # fmt: skip
@pytest.mark.parametrize("shortlist", [0, 9])
def test_the_paragraph_of_a_licence_that_answers_stands_first(aligner, question, answer, shortlist):
    paragraphs = (Path(__file__).parents[2] / "LICENSE").read_text().split("\n\n")
    best = aligner.rank(question, paragraphs, passages=True, shortlist=shortlist)[0]
    assert answer in " ".join(paragraphs[best.index].split())


def test_a_passage_of_many_sentences_crosses_batches(aligner):
    passage = "It rains. " * 100 + "Marta founded the bakery. " + "It rains. " * 100
    first, second = aligner.rank(QUESTION, ["It rained.", passage], passages=True)
    assert (first.index, first.sentence.index, first.sentence.n_sentences) == (1, 100, 201)
    assert second.index == 0


def test_of_equal_sentences_the_first_counts(aligner):
    (best,) = aligner.rank(QUESTION, ["Marta founded it. Marta founded it."], passages=True)
    assert best.sentence == PassageSentence(0, 2, 0, 17)


def test_tokens_and_sentences_among_passages_are_single_sentences(aligner):
    tokens = ["Marta", "founded", "the", "bakery", ".", "She", "did", "."]
    candidates = [tokens, Sentence.from_tokens(tokens)]
    for each in aligner.rank(QUESTION, candidates, passages=True):
        assert len(each.alignment.source) == 8
        assert each.sentence is None


def test_without_passages_a_candidate_is_one_sentence(aligner):
    for each in aligner.rank(QUESTION, PASSAGES):
        assert each.sentence is None
        assert each.alignment.source.text == PASSAGES[each.index]


def test_a_passage_with_a_sentence_too_long_comes_last_and_names_it(aligner):
    passage = f"It rains. {'word ' * 600}. Marta founded the bakery."
    best, worst = aligner.rank(QUESTION, [passage, "It rains."], passages=True)
    assert (best.index, worst.index) == (1, 0)
    assert isinstance(worst.error, LimitError)
    assert worst.error.field == "source"
    assert str(worst.error).startswith("sentence 1 of the passage, code points 10 to 3")
    assert "more than 512" in str(worst.error)
    assert worst.sentence is worst.alignment is worst.judgement is None


def test_a_blank_passage_is_refused_alone(aligner):
    best, worst = aligner.rank(QUESTION, [" \n\n ", "It rains."], passages=True)
    assert (best.index, worst.index) == (1, 0)
    assert isinstance(worst.error, InputError)
    assert "the passage has no sentence" in str(worst.error)


@pytest.fixture
def run(small_model):
    def run(*args, text=LINES):
        command = ["rank", "--model", str(small_model), "--passages", *args]
        return CliRunner().invoke(main, command, input=text, prog_name="tokalign")

    return run


def test_the_command_prints_the_best_sentence_and_its_number(run):
    result = run(QUESTION)
    assert result.exit_code == 0
    rows = [line.split("\t") for line in result.stdout.splitlines()]
    assert rows[0][1:] == ["2", "2", "Marta founded the bakery in 1997."]
    assert [len(row) for row in rows] == [4, 4, 4]


def test_the_commands_json_has_the_sentence_with_its_place(run):
    row = json.loads(run(QUESTION, "--format", "jsonl").stdout)["ranking"][0]
    assert row["text"] == PASSAGES[1]
    assert row["sentence"] == {
        "index": 1,
        "n_sentences": 3,
        "start": 30,
        "end": 63,
        "passage_truncated": False,
        "text": "Marta founded the bakery in 1997.",
    }


def test_the_command_shows_a_passage_that_could_not_be_ranked(run):
    result = run(QUESTION, text="word " * 600 + "\nIt rains.")
    assert result.exit_code == 3
    assert result.stdout.splitlines()[-1].startswith("-\t1\t-\tword word")


def test_tokenized_passages_are_a_usage_error(run):
    result = run(QUESTION, "--tokenized")
    assert result.exit_code == 2
    assert "--tokenized" in result.stderr


def test_offsets_of_the_sentence_are_in_the_unit_asked_for(aligner):
    passage = "Caf\u00e9 \N{DOG}. Marta founded the bakery."
    for unit, start in (("code-points", 8), ("utf-16", 9), ("utf-8", 12)):
        (best,) = aligner.rank(QUESTION, [passage], passages=True, offsets=unit)
        assert (best.sentence.index, best.sentence.start, best.sentence.end) == (
            1, start, start + 25,
        )  # fmt: skip


def test_a_long_sentence_of_a_passage_is_cut_where_asked_for(aligner):
    passage = f"It rains. {'word ' * 600}. Marta founded the bakery."
    (best,) = aligner.rank(QUESTION, [passage], passages=True, truncate=True)
    assert best.sentence.index == 2
    assert not best.alignment.source_truncated
    long = "Marta founded the bakery, " + "word " * 600
    (best,) = aligner.rank(QUESTION, [long], passages=True, truncate=True)
    assert best.alignment.source_truncated and not best.alignment.target_truncated


def test_the_command_cuts_and_says_so(run):
    text = "Marta founded it " + "word " * 600 + "\nIt rains."
    result = run(QUESTION, "--truncate", "--format", "jsonl", text=text)
    assert result.exit_code == 0
    assert "1 candidates, or their questions, were cut" in result.stderr
    rows = json.loads(result.stdout)["ranking"]
    cut = {row["index"]: row.get("source_truncated", False) for row in rows}
    assert cut == {0: True, 1: False}

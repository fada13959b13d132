"""The files and the scores of the task of interpretable similarity."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from tokalign import FormatError, InputError
from tokalign.formats.ists import wa_block
from tokalign.types import Sentence
from tokalign.types.relations import ChunkedPair, ChunkLink

from lab.recipes.chunk_task import read_wa, score_chunks

TASK = Path(__file__).parents[3] / "shared"
SCORER = TASK / "tools" / "ists" / "evalF1.pl"
GOLD = TASK / "data" / "ists" / "train.headlines.wa"


def pair_of(*links: ChunkLink) -> ChunkedPair:
    source = Sentence.from_tokens(["Saudis", "to", "permit", "women", ",", "finally"])
    target = Sentence.from_tokens(["Saudi", "women", "are", "let", "in", "."])
    return ChunkedPair("1", source, target, links)


PAIR = pair_of(
    ChunkLink((1, 2), (2, 3, 4), "EQUI", 5.0),
    ChunkLink((3,), (1,), "SPE2_FACT", 3.5),
    ChunkLink((0, 5), (), "NOALI", None),
    ChunkLink((), (0,), "NOALI", 0.0),
)


def test_a_pair_survives_its_file(tmp_path):
    pairs = [PAIR, replace(PAIR, id="2")]
    (tmp_path / "a.wa").write_text("".join(map(wa_block, pairs)))
    assert read_wa(tmp_path / "a.wa") == pairs


HEAD = '<sentence id="1" status="">\n// a b\n// c\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no pair"),
        (HEAD, "does not end"),
        (HEAD + HEAD, "begins inside"),
        ("</sentence>\n", "no two texts"),
        (HEAD + "1 <==> 1 // EQUI\n</sentence>\n", ":4: .*tokens // type // score"),
        (HEAD + "x <==> 1 // EQUI // 5\n</sentence>\n", "numbers of tokens"),
        (HEAD + "3 <==> 1 // EQUI // 5\n</sentence>\n", "token 3 of a sentence of 2"),
        (HEAD + "1 <==> 1 // SAME // 5\n</sentence>\n", "type 'SAME'"),
        (HEAD + "1 <==> 1 // EQUI // 6\n</sentence>\n", "score '6'"),
        ("1 <==> 1 // EQUI // 5\n", "outside of a sentence"),
    ],
)
def test_bad_files_say_what_is_wrong(tmp_path, text, message):
    (tmp_path / "a.wa").write_text(text)
    with pytest.raises(FormatError) as caught:
        read_wa(tmp_path / "a.wa")
    assert re.search(message, str(caught.value))


def test_scores_of_the_gold_itself_are_1():
    assert set(vars_of(score_chunks([PAIR], [PAIR]))) == {1.0}


def vars_of(scores):
    return scores.alignment, scores.type, scores.score, scores.type_and_score


def test_scores_worked_out_by_hand():
    # One of two links is found, with half of its type and a score that is one too low.
    gold = pair_of(ChunkLink((0,), (0,), "EQUI", 5.0), ChunkLink((3,), (1,), "SPE1", 4.0))
    found = pair_of(ChunkLink((0,), (0,), "EQUI_FACT", 4.0))
    assert vars_of(score_chunks([gold], [found])) == pytest.approx(
        (2 / 3, 1 / 3, 2 * 0.8 * 0.4 / 1.2, 2 * 0.4 * 0.2 / 0.6)
    )


def test_other_pairs_are_refused():
    with pytest.raises(InputError, match="other tokens"):
        score_chunks([PAIR], [replace(PAIR, source=PAIR.target, links=())])
    with pytest.raises(InputError, match="two pairs have the id"):
        score_chunks([PAIR, PAIR], [PAIR])


@pytest.mark.skipif(
    not SCORER.exists() or not GOLD.exists() or shutil.which("perl") is None,
    reason="needs the task's scorer and data, and perl",
)
def test_scores_are_those_of_the_tasks_scorer(tmp_path):
    gold = read_wa(GOLD)
    changed = [
        replace(
            pair,
            links=tuple(
                replace(link, type="SIMI", score=3.0)
                if number % 4 == 0 and link.is_aligned
                else link
                for number, link in enumerate(pair.links)
                if number % 5
            ),
        )
        for pair in gold
    ]
    (tmp_path / "system.wa").write_text("".join(map(wa_block, changed)))
    printed = subprocess.run(
        ["perl", SCORER, GOLD, tmp_path / "system.wa"], capture_output=True, text=True, check=True
    ).stdout
    theirs = [float(each) for each in re.findall(r"(\d\.\d+)$", printed, re.MULTILINE)]
    ours = vars_of(score_chunks(gold, read_wa(tmp_path / "system.wa")))
    assert ours == pytest.approx(theirs, abs=5.1e-5)

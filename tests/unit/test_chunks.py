"""Chunks: found, aligned, related, read, written and scored."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from tokalign import Aligner, FormatError, InputError
from tokalign.evaluate.chunks import score_chunks, type_confusion
from tokalign.formats.ists import read_wa, split_chunks, wa_block, write_wa
from tokalign.types import Sentence
from tokalign.types.chunks import ChunkedPair, ChunkLink

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


def test_chunks_in_brackets_are_read_and_written():
    tokens, chunks = split_chunks("[ Saudis ] [ to permit ] women [ in Olympics ]")
    assert tokens == ["Saudis", "to", "permit", "women", "in", "Olympics"]
    assert chunks == [(0,), (1, 2), (3,), (4, 5)]
    assert split_chunks("[ in [ a path ]") == (["in", "a", "path"], [(0,), (1, 2)])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[ a ] ]", "closes that did not open"),
        ("[ a", "does not close"),
        ("[ ]", "without tokens"),
        ("", "no tokens"),
    ],
)
def test_bad_brackets_say_what_is_wrong(text, message):
    with pytest.raises(InputError, match=message):
        split_chunks(text)


def test_a_pair_survives_its_file(tmp_path):
    write_wa([PAIR, replace(PAIR, id="2")], tmp_path / "a.wa")
    assert read_wa(tmp_path / "a.wa") == [PAIR, replace(PAIR, id="2")]
    assert "2 3 <==> 3 4 5 // EQUI // 5 // to permit <==> are let in" in wa_block(PAIR)
    assert "1 6 <==> 0 // NOALI // NIL // Saudis finally <==> -not aligned-" in wa_block(PAIR)


def test_a_token_with_white_space_cannot_be_written():
    bad = replace(PAIR, source=Sentence.from_tokens(["a b"]), links=())
    with pytest.raises(FormatError, match="white space"):
        wa_block(bad)


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
    assert type_confusion([gold], [found]) == {("EQUI", "EQUI"): 1, ("SPE1", "NOALI"): 1}


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
    write_wa(changed, tmp_path / "system.wa")
    printed = subprocess.run(
        ["perl", SCORER, GOLD, tmp_path / "system.wa"], capture_output=True, text=True, check=True
    ).stdout
    theirs = [float(each) for each in re.findall(r"(\d\.\d+)$", printed, re.MULTILINE)]
    ours = vars_of(score_chunks(gold, read_wa(tmp_path / "system.wa")))
    assert ours == pytest.approx(theirs, abs=5.1e-5)


def test_given_chunks_are_aligned_and_the_others_are_left_alone(aligner):
    found = aligner.align_chunks(
        "He bought a dog .", "He purchased an animal .",
        source_chunks=[[0], [1], [2, 3]], target_chunks=[[0], [1], [2, 3]],
    )  # fmt: skip
    types = {(link.source, link.target): link.type for link in found.links}
    assert types == {((0,), (0,)): "EQUI", ((1,), (1,)): "EQUI", ((2, 3), (2, 3)): "SPE1"}
    for link in found.links:
        assert 0 <= link.score <= 5 and 0 <= link.probability <= 1 and link.relation is not None
        assert (link.type == "EQUI") == (link.score == 5)


def test_own_chunks_hold_every_token_once(aligner):
    source, target = "Saudis to permit women to compete.", "It rained in the old town all day."
    found = aligner.align_chunks(source, target)
    for side, sentence in (("source", found.source), ("target", found.target)):
        tokens = sorted(k for link in found.links for k in getattr(link, side))
        assert tokens == list(range(len(sentence)))
    assert {link.type for link in found.links} == {"NOALI"}


@pytest.mark.parametrize(
    ("chunks", "message"),
    [([], "no chunks"), ([[]], "rising tokens"), ([[1, 0]], "rising"), ([[9]], "below 3"),
     ([[0], [0, 1]], "in two chunks")],
)  # fmt: skip
def test_bad_chunks_say_what_is_wrong(aligner, chunks, message):
    with pytest.raises(InputError, match=message) as caught:
        aligner.align_chunks("a b c", "a b c", target_chunks=chunks)
    assert caught.value.field == "target_chunks"


def test_systems_align_no_chunks():
    with pytest.raises(InputError, match="knows no relations"):
        Aligner.load("lemma").align_chunks("a", "b")

"""Models that ask their encoder for some pairs, and align the others as `en` does."""

from __future__ import annotations

import json
import random
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.sample import sample_pairs
from tokalign.aligner import Aligner
from tokalign.cli.main import main
from tokalign.codec.options import RequestOptions
from tokalign.decoding.cascade import FIRST, Cascade, ReadPart
from tokalign.errors import InputError
from tokalign.formats import read_gold
from tokalign.server.config import RequestLimits
from tokalign.server.workers import frames
from tokalign.server.workers.aligners import load
from tokalign.server.workers.engine import EngineSettings
from tokalign.types.options import AlignOptions, Detail
from tokalign.v1 import align_pb2

PAIRS = [(pair.source.text, pair.target.text) for pair in sample_pairs()[:40]]
EFFORT = 0.5
STYLES = ("", "strict", "free", "edits")
UNRELATED = Path(__file__).parents[1] / "data/user-unrelated.jsonl"
SCORES = AlignOptions(detail=Detail.SCORES)
FIELDS = (
    "links", "score", "similarity", "covered", "agreement", "style", "conflicts", "phrases",
    "edits", "explanations", "cosine",
)  # fmt: skip


@pytest.fixture(scope="module")
def en():
    return Aligner.load(FIRST["encoder-en"])


@pytest.fixture(scope="module")
def neural():
    return Aligner.load("en-neural")


def test_the_open_model_has_a_gate_of_its_own_and_leaves_other_pairs_to_the_default():
    first, aligner = Aligner.load(), Aligner.load("en-neural-open")
    for style in ("", "questions", "free"):
        found = list(aligner.pipe(PAIRS, style=style, effort=EFFORT))
        assert {each.encoded for each in found} == {False, True}
        plain, read = first.pipe(PAIRS, style=style), aligner.pipe(PAIRS, style=style)
        for own, unread, full in zip(found, plain, read, strict=True):
            assert said(own) == said(full if own.encoded else unread)


def said(alignment, *, without=()):
    return {name: getattr(alignment, name) for name in FIELDS if name not in without}


@pytest.fixture
def encoded(neural, monkeypatch):
    """Return a list of the numbers of pairs that the encoder is asked for."""
    asked = []
    encode = neural._engine.encoder.encode
    monkeypatch.setattr(
        neural._engine.encoder, "encode", lambda pairs: asked.append(len(pairs)) or encode(pairs)
    )
    return asked


@pytest.mark.parametrize("style", STYLES)
def test_without_effort_pairs_are_aligned_as_by_en(en, neural, encoded, style):
    options = AlignOptions(style=style, phrases=True, edits=True, explain=True)
    for own, plain in zip(
        neural.pipe(PAIRS, options, effort=0.0), en.pipe(PAIRS, options), strict=True
    ):
        assert said(own) == said(plain)
        assert (own.encoded, own.model) == (False, "en-neural")
    assert sum(encoded) == 0


@pytest.mark.parametrize("style", STYLES)
def test_some_effort_gives_each_pair_what_one_of_both_gives(en, neural, encoded, style):
    options = AlignOptions(style=style)
    found = list(neural.pipe(PAIRS, options, effort=EFFORT))
    assert sum(encoded) == sum(each.encoded for each in found)
    assert {each.encoded for each in found} == {False, True}
    full = list(neural.pipe(PAIRS, options))
    plain = list(en.pipe(PAIRS, options))
    assert all(each.encoded for each in full)
    in_full = [not any(ReadPart.of(*map(tokens_of, pair))) for pair in PAIRS]
    assert {False, True} == set(in_full)
    for own, read, unread, is_whole in zip(found, full, plain, in_full, strict=True):
        if is_whole or not own.encoded:
            assert said(own) == said(read if own.encoded else unread)


def tokens_of(text):
    (sentence,) = Aligner.load().annotate([text])
    return sentence.tokens


REPORT = "On Monday morning the board of the company said in a short {} that it will close the " \
    "oldest of its four plants in the north of the country ."  # fmt: skip


@pytest.mark.parametrize(("source", "target"), [("statement", "note"), ("letter", "long mail")])
def test_only_what_differs_is_read_below_full_effort(neural, monkeypatch, source, target):
    asked = []
    encode = neural._engine.encoder.encode
    monkeypatch.setattr(
        neural._engine.encoder, "encode", lambda pairs: asked.extend(pairs) or encode(pairs)
    )
    pair = REPORT.format(source).split(), REPORT.format(target).split()
    own, full = neural.align(*pair, effort=0.99), neural.align(*pair)
    (short, whole) = asked
    read = (f"said in a short {each} that it will close".split() for each in (source, target))
    assert sorted(list(side.tokens) for side in short) == sorted(read)
    assert sorted(list(side.tokens) for side in whole) == sorted(pair)
    assert (own.encoded, own.to_pharaoh()) == (True, full.to_pharaoh())


def test_what_a_pair_gets_does_not_depend_on_its_batch(neural):
    alone = [neural.align(*pair, effort=EFFORT) for pair in PAIRS]
    assert list(neural.pipe(PAIRS, effort=EFFORT)) == alone
    order = list(range(len(PAIRS)))
    random.Random(1).shuffle(order)
    shuffled = list(neural.pipe([PAIRS[k] for k in order], effort=EFFORT))
    assert shuffled == [alone[k] for k in order]


def test_more_effort_reads_all_that_less_effort_reads(neural):
    efforts = (0.0, 0.1, 0.4, 0.7, 0.9, 1.0)
    read = [
        {k for k, each in enumerate(neural.pipe(PAIRS, effort=effort)) if each.encoded}
        for effort in efforts
    ]
    assert all(less <= more for less, more in pairwise(read))
    assert (len(read[0]), len(read[-1])) == (0, len(PAIRS))
    assert 0 < len(read[2]) < len(PAIRS)


def test_pairs_that_are_compared_all_have_the_cosine_unless_none_is_read(neural):
    full = list(neural.pipe(PAIRS, SCORES))
    for own, read in zip(neural.pipe(PAIRS, SCORES, effort=EFFORT), full, strict=True):
        assert own.cosine == pytest.approx(read.cosine)
    assert {each.cosine for each in neural.pipe(PAIRS, SCORES, effort=0.0)} == {None}


def test_rankings_follow_the_effort(en, neural):
    candidates = [source for source, _ in PAIRS[:12]]
    question = "Who opened the new plant?"
    for effort, aligner in ((0.0, en), (1.0, neural)):
        asked = [(each.index, each.judgement.score) for each in aligner.rank(question, candidates)]
        own = neural.rank(question, candidates, effort=effort)
        assert [(each.index, each.judgement.score) for each in own] == asked
    between = neural.rank(question, candidates, effort=EFFORT)
    assert all(each.alignment.cosine is not None for each in between)


def test_little_effort_leaves_unrelated_pairs_alone(neural):
    pairs = [(pair.source.text, pair.target.text) for pair in read_gold(UNRELATED)]
    read = [each.encoded for each in neural.pipe(pairs, effort=0.1)]
    assert sum(read) < 0.3 * len(read)


def test_a_bad_pair_fails_alone(neural):
    found = list(neural.pipe([PAIRS[0], ("", "x"), PAIRS[1]], effort=EFFORT, errors="return"))
    assert [isinstance(each, InputError) for each in found] == [False, True, False]


def test_constraints_hold_whoever_aligns(neural):
    for effort in (0.0, EFFORT, 1.0):
        links = neural.align(*PAIRS[0], effort=effort, anchors=[(0, 1)]).links
        assert (0, 1) in {(link.source, link.target) for link in links}


def test_en_is_not_opened_before_less_effort_is_asked_for():
    aligner = Aligner.load("en-neural")
    backend = aligner._engine.backend
    assert isinstance(backend, Cascade)
    aligner.align(*PAIRS[0])
    assert "_first" not in vars(backend)
    aligner.align(*PAIRS[0], effort=EFFORT)
    assert "_first" in vars(backend)


def test_a_model_without_a_gate_refuses_less_effort(neural):
    aligner = Aligner.load("en-rte2-neural")
    assert (aligner.takes_effort, neural.takes_effort) == (False, True)
    with pytest.raises(InputError, match="en-rte2-neural takes 1 alone") as caught:
        aligner.align(*PAIRS[0], effort=EFFORT)
    assert caught.value.field == "options.effort"


def test_explanations_are_of_what_decided(en, neural):
    pair = next(pair for pair in PAIRS if not neural.align(*pair, effort=EFFORT).encoded)
    related = neural.explain_relation(*pair, 0, 0, effort=EFFORT), en.explain_relation(*pair, 0, 0)
    read = [{each.name: each.value for each in found.inputs} for found in related]
    shared = read[0].keys() & read[1].keys()  # each model has relations of its own
    assert shared and all(read[0][name] == read[1][name] for name in shared)
    assert neural.explain(*pair, 0, 0, effort=EFFORT) == en.explain(*pair, 0, 0)
    assert neural.explain(*pair, 0, 0) != en.explain(*pair, 0, 0)


def rows_of(command, *arguments, text):
    flags = ["--model", "en-neural", "--format", "jsonl", "--effort", str(EFFORT)]
    result = CliRunner().invoke(main, [command, *flags, *arguments], input=text)
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_the_command_says_which_pairs_were_read():
    text = "".join(f"{source} ||| {target}\n" for source, target in PAIRS)
    rows = rows_of("align", text=text)
    assert {row["encoded"] for row in rows} == {False, True}
    assert all(("cosine" in row) == row["encoded"] for row in rows)
    assert {row["encoded"] for row in rows_of("similarity", text=text)} == {False, True}


def test_rankings_say_which_candidates_were_read():
    text = "".join(f"{source}\n" for source, _ in PAIRS)
    (found,) = rows_of("rank", "Who opened the new plant?", text=text)
    assert {row["encoded"] for row in found["ranking"]} <= {False, True}
    assert len(found["ranking"]) == len(PAIRS)


def test_tables_say_which_pairs_were_read(neural):
    pa = pytest.importorskip("pyarrow", reason="columns are Arrow's")
    from tokalign.arrow import Align

    source, target = zip(*PAIRS, strict=True)
    table = pa.table({"source": source, "target": target})
    found = Align(model="en-neural", options={"effort": EFFORT})(table)
    read = [each.encoded for each in neural.pipe(PAIRS, effort=EFFORT)]
    assert found["encoded"].to_pylist() == read
    assert "encoded" not in Align(model="en-neural").schema.names


def test_the_servers_engine_follows_the_effort(neural):
    engine = load(EngineSettings(("en-neural", "en"), ("native",), RequestLimits()))
    assert [model.takes_effort for model in engine.models] == [True, False]
    pairs = [
        align_pb2.Pair(source={"text": source}, target={"text": target}).SerializeToString()
        for source, target in PAIRS
    ]
    options = RequestOptions("en-neural", "native", AlignOptions(effort=EFFORT))
    answers, _ = engine.run([frames.Run(options, b"", tuple(pairs))])
    messages = [align_pb2.Alignment.FromString(answer.alignment) for answer in answers]
    found = list(neural.pipe(PAIRS, effort=EFFORT))
    assert [message.encoded for message in messages] == [each.encoded for each in found]
    assert [message.HasField("cosine") for message in messages] == [each.encoded for each in found]

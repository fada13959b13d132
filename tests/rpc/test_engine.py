"""The worker's stages over an aligner that links identical tokens."""

import numpy as np
import pytest
from tokalign.batches.outcomes import annotate_pairs, map_each, try_one
from tokalign.codec.options import RequestOptions
from tokalign.errors import InputError
from tokalign.server.config import RequestLimits
from tokalign.server.workers.engine import STAGES, AlignerEngine
from tokalign.server.workers.frames import Run
from tokalign.types import Alignment, FeatureContribution, Link, LinkExplanation, Sentence
from tokalign.types.options import AlignOptions, Direction, RankBy
from tokalign.types.ranking import Judgement
from tokalign.v1 import align_pb2


class IdentityAligner:
    """Counts the sentences it annotates; refuses "bad" and breaks on "broken"."""

    def __init__(self):
        self.batches = []

    def annotate(self, sentences):
        self.batches.append(list(sentences))
        return [self._one(sentence) for sentence in sentences]

    def _one(self, sentence):
        if isinstance(sentence, Sentence):
            return sentence
        if sentence == "bad":
            raise InputError("bad sentence")
        if sentence == "broken":
            raise RuntimeError(f"cannot do {sentence}")
        return Sentence.from_tokens(sentence.split(), text=sentence)

    def annotate_pairs(self, pairs, *, truncate=False, markup="auto"):
        return annotate_pairs(self.annotate, pairs)

    def align_annotated(self, pairs, options):
        return map_each(lambda pair: self._align(*pair, options), pairs)

    def judge_annotated(self, pairs, options, by):
        for outcome in self.align_annotated(pairs, options):
            yield try_one(
                lambda alignment: (alignment, Judgement(by, alignment.similarity)), outcome
            )

    def _align(self, source, target, options):
        links = tuple(
            Link(i, j, 0.9)
            for i, token in enumerate(source.tokens)
            for j, other in enumerate(target.tokens)
            if token == other
        )
        why = LinkExplanation(
            0, 0, Direction.SOURCE_TO_TARGET, 2.5, (FeatureContribution("same", 1.0, 2.5),), -1, 0.5
        )
        return Alignment(
            source=source,
            target=target,
            links=links,
            score=len(links) / len(target),
            similarity=len(links) / max(len(source), len(target)),
            model="m",
            version="1",
            symmetrization=options.symmetrization,
            posteriors=np.eye(len(source), len(target), dtype=np.float32)
            if options.posteriors
            else None,
            explanations=(why,) if options.explain else (),
        )


def run_of(data, shared=b"", rank_by=None, **options):
    return Run(RequestOptions("m", "a", AlignOptions(**options), rank_by), shared, tuple(data))


@pytest.fixture
def aligner():
    return IdentityAligner()


@pytest.fixture
def run(aligner):
    engine = AlignerEngine(
        {("m", "a"): aligner}, (), RequestLimits(max_tokens=6, max_characters=30)
    )

    def run(*pairs, rank_by=None, **options):
        data = tuple(
            align_pb2.Pair(source=source, target=target).SerializeToString()
            for source, target in pairs
        )
        answers, seconds = engine.run([run_of(data, rank_by=rank_by, **options)])
        assert set(seconds) == set(STAGES)
        return answers

    return run


def test_links_and_offsets_reach_the_wire(run):
    (answer,) = run(({"text": "the  cat"}, {"text": "cat"}))
    alignment = align_pb2.Alignment.FromString(answer.alignment)
    assert list(alignment.source_indices) == [1]
    assert list(alignment.target_indices) == [0]
    assert alignment.confidences[0] == pytest.approx(0.9)
    assert (alignment.score, alignment.similarity) == (1.0, 0.5)
    assert list(alignment.source.starts) == [0, 5]
    assert not alignment.HasField("posteriors")


def test_a_ranking_gets_judgements_and_nothing_else_does(run):
    (plain,) = run(({"text": "the cat"}, {"text": "cat"}))
    (answer,) = run(({"text": "the cat"}, {"text": "cat"}), rank_by=RankBy.SIMILARITY)
    assert (plain.score, plain.judgement) == (0.0, b"")
    assert answer.score == 0.5
    assert align_pb2.RankedCandidate.FromString(answer.judgement) == align_pb2.RankedCandidate(
        judgement={"score": 0.5, "by": align_pb2.RANK_BY_SIMILARITY}
    )
    assert answer.alignment == plain.alignment


def test_posteriors_and_explanations_come_where_asked_for(run):
    (answer,) = run(({"text": "a b"}, {"text": "a"}), posteriors=True, explain=True)
    alignment = align_pb2.Alignment.FromString(answer.alignment)
    assert (alignment.posteriors.n_source, alignment.posteriors.n_target) == (2, 1)
    assert list(alignment.posteriors.values) == [1.0, 0.0]
    (why,) = alignment.explanations
    assert why.direction == align_pb2.DIRECTION_SOURCE_TO_TARGET
    assert (why.features[0].name, why.score, why.runner_up) == ("same", 2.5, -1)


def test_given_columns_come_back(run):
    source = {
        "tokens": ["a", "b"],
        "tags": ["DT", "NN"],
        "lemmas": ["a", "b"],
        "heads": [1, -1],
        "relations": ["det", "root"],
    }
    (answer,) = run((source, {"text": "a"}))
    message = align_pb2.Alignment.FromString(answer.alignment).source
    assert message.text == "a b"
    assert (list(message.tags), list(message.heads)) == (["DT", "NN"], [1, -1])


def test_each_distinct_sentence_is_annotated_once(run, aligner):
    run(*[({"text": f"c{i}"}, {"text": "question"}) for i in range(4)])
    (batch,) = aligner.batches
    assert sorted(batch) == ["c0", "c1", "c2", "c3", "question"]


@pytest.mark.parametrize(
    ("source", "field"),
    [
        ({}, "source.text"),
        ({"text": "  "}, "source.text"),
        ({"text": "bad"}, "source"),
        ({"text": "x" * 31}, "source.text"),
        ({"text": "a", "tags": ["DT"]}, "source.tags"),
        ({"tokens": ["a"], "tags": ["DT", "NN"]}, "source.tags"),
        ({"tokens": ["a", ""]}, "source.tokens"),
        ({"tokens": ["a"] * 7}, "source.tokens"),
        ({"tokens": ["a" * 31]}, "source.tokens"),
        ({"tokens": ["a"], "tags": ["N"] * 7}, "source.tags"),
        ({"tokens": ["a"], "tags": ["N" * 31]}, "source.tags"),
        ({"tokens": ["a"], "lemmas": ["a" * 31]}, "source.lemmas"),
        ({"tokens": ["a"], "heads": [-1], "relations": ["r" * 31]}, "source.relations"),
        ({"tokens": ["a"], "heads": [-1] * 7}, "source.heads"),
        ({"tokens": ["a"], "text": "a" * 31}, "source.text"),
        ({"tokens": ["a"], "text": "b"}, "source.tokens"),
        ({"tokens": ["a"], "heads": [0], "relations": ["root"]}, "source.heads"),
        ({"tokens": ["a"], "heads": [-1]}, "source.relations"),
    ],
)
def test_bad_sentence_fails_its_pair_alone_and_is_named(run, source, field):
    good = ({"text": "a"}, {"text": "a"})
    answers = run(good, (source, {"text": "a"}), good)
    assert [answer.code for answer in answers] == [0, 3, 0]
    assert answers[1].field == field
    assert answers[1].message
    (mirrored,) = run(({"text": "a"}, source))
    assert mirrored.field == field.replace("source", "target")


def test_pair_over_the_token_product_fails_alone_and_is_named(aligner):
    engine = AlignerEngine({("m", "a"): aligner}, (), RequestLimits(max_token_product=6))
    pairs = tuple(
        align_pb2.Pair(source={"text": source}, target={"text": "a b"}).SerializeToString()
        for source in ("a b c", "a b c d")
    )
    answers, _ = engine.run([run_of(pairs)])
    assert [answer.code for answer in answers] == [0, 3]
    assert answers[1].field == "source.tokens"
    assert "4 times 2 tokens" in answers[1].message


def test_unexpected_exception_is_internal_and_says_nothing(run):
    answers = run(({"text": "broken"}, {"text": "a"}), ({"text": "a"}, {"text": "a"}))
    assert [answer.code for answer in answers] == [13, 0]
    assert "broken" not in answers[0].message


def test_bytes_that_are_no_pair_fail_alone(aligner):
    engine = AlignerEngine({("m", "a"): aligner}, (), RequestLimits())
    good = align_pb2.Pair(source={"text": "a"}, target={"text": "a"}).SerializeToString()
    answers, _ = engine.run([run_of((b"\xff", good))])
    assert [answer.code for answer in answers] == [3, 0]


def test_target_that_a_run_shares_is_that_of_every_pair(aligner):
    engine = AlignerEngine({("m", "a"): aligner}, (), RequestLimits(max_tokens=2))
    pairs = [align_pb2.Pair(source={"text": text}).SerializeToString() for text in ("a", "b")]
    shared = align_pb2.Pair(target={"text": "b"}).SerializeToString()
    answers, _ = engine.run([run_of(pairs, shared)])
    found = [align_pb2.Alignment.FromString(answer.alignment) for answer in answers]
    assert [each.target.text for each in found] == ["b", "b"]
    assert [list(each.target_indices) for each in found] == [[], [0]]
    shared = align_pb2.Pair(target={"tokens": ["b"] * 3}).SerializeToString()
    answers, _ = engine.run([run_of(pairs, shared)])
    assert [answer.field for answer in answers] == ["target.tokens"] * 2

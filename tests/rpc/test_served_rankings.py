"""Priors and shortlists of rankings at the server."""

from __future__ import annotations

import math

import grpc
import pytest
from support.statuses import failure
from tokalign.ranking.judge import shipped_weights
from tokalign.server.requests.answers import Answer
from tokalign.server.requests.candidates import RankedAnswer, looked_at
from tokalign.types import FeatureContribution
from tokalign.v1 import align_pb2

Code = grpc.StatusCode


def ranking_of(scores, priors, **fields):
    return align_pb2.RankRequest(
        question={"text": "q"},
        candidates=[
            {"id": f"c{number}", "sentence": {"text": f"score:{score}"}, "prior": prior}
            for number, (score, prior) in enumerate(zip(scores, priors, strict=True))
        ],
        **fields,
    )


async def test_priors_change_scores_and_order(serving):
    stub = await serving()
    answer = await stub.Rank(ranking_of([0.5, 0.5, 0.6, 0.4], [0.0, 30.0, None, 15.0]))
    weight = shipped_weights().prior
    expected = {
        number: 1 / (1 + math.exp(-(math.log(score / (1 - score)) + weight * z)))
        for number, (score, z) in enumerate(
            [(0.5, -math.sqrt(1.5)), (0.5, math.sqrt(1.5)), (0.6, 0.0), (0.4, 0.0)]
        )
    }
    found = {each.index: each.judgement.score for each in answer.ranking}
    del found[2]  # the fake engine judges nothing, and without a prior nothing else does
    assert found == pytest.approx({k: score for k, score in expected.items() if k != 2})
    assert [each.index for each in answer.ranking] == sorted(expected, key=lambda k: -expected[k])
    assert [each.result.id for each in answer.ranking] == [
        f"c{each.index}" for each in answer.ranking
    ]


async def test_a_prior_that_is_not_finite_is_refused_and_named(serving):
    stub = await serving()
    code, message, details = await failure(stub.Rank(ranking_of([0.1, 0.2], [0.0, math.nan])))
    assert code is Code.INVALID_ARGUMENT
    assert "wanted a finite number" in message
    assert "candidates[1].prior" in str(details)


async def test_failures_have_no_prior(serving):
    stub = await serving()
    request = ranking_of([0.1, 0.2], [5.0, 9.0])
    request.candidates[0].sentence.text = "fail:source.text"
    answer = await stub.Rank(request)
    assert [each.index for each in answer.ranking] == [1, 0]
    assert not answer.ranking[1].HasField("judgement")


async def test_a_shortlist_keeps_positions_and_ids(serving):
    stub = await serving()
    request = align_pb2.RankRequest(
        question={"tokens": ["score", "here"]},
        candidates=[
            {"id": name, "sentence": {"text": text}}
            for name, text in zip("abcd", ["rain", "score:0.2", "", "score:0.7"], strict=True)
        ],
        shortlist=2,
    )
    answer = await stub.Rank(request)
    assert [(each.index, each.result.id) for each in answer.ranking] == [(3, "d"), (1, "b")]


def test_passages_and_tokens_are_shortlisted_and_bytes_that_are_no_candidate_are_not():
    candidates = [
        b"\xff",
        align_pb2.Candidate(passage="It rains. A baker bakes.", prior=2).SerializeToString(),
        align_pb2.Candidate(sentence={"tokens": ["baking", "bread"]}, prior=1).SerializeToString(),
        align_pb2.Candidate(passage="It pours.").SerializeToString(),
    ]
    question = align_pb2.Sentence(text="Hello! Who bakes?")
    kept, chosen = looked_at(candidates, question, 2)
    assert kept == [1, 2]
    assert [each.passage for each in chosen] == ["It rains. A baker bakes.", None]
    assert [each.prior for each in chosen] == [1, -1]
    kept, chosen = looked_at(candidates, question, 0)
    assert kept == [0, 1, 2, 3]
    assert [each.lacks > 0 for each in chosen] == [False, False, False, True]
    assert chosen[0].failure is not None


def test_what_else_is_known_of_a_candidate_stays_beside_its_prior():
    judgement = align_pb2.RankedCandidate(
        judgement={"by": align_pb2.RANK_BY_ANSWER, "score": 0.5, "evidence": [
            {"name": "bias", "value": 1.0, "weight": 0.0}]},
        sentence={"index": 2, "n_sentences": 3},
    ).SerializeToString()  # fmt: skip
    ranked = RankedAnswer(Answer(b"x", score=0.5, judgement=judgement))
    added = [FeatureContribution("prior", 1.0, shipped_weights().prior)]
    found = ranked.with_added(added, explain=True).answer
    message = align_pb2.RankedCandidate.FromString(found.judgement)
    assert (message.sentence.index, found.alignment) == (2, b"x")
    assert [piece.name for piece in message.judgement.evidence] == ["prior", "bias"]
    assert message.judgement.score == pytest.approx(found.score)
    assert ranked.with_added([], explain=True) == ranked

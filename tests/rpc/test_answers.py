"""Answers stay below their size limit; where that can be foreseen, nothing is worked on."""

from pathlib import Path

import grpc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.statuses import failure
from tokalign.codec.options import RequestOptions
from tokalign.codec.sentences import encode_pair
from tokalign.errors import LimitError
from tokalign.server.config import RequestLimits
from tokalign.server.requests.answers import CERTAIN, check_foreseen
from tokalign.server.requests.cost import CostModel, answer_bytes
from tokalign.server.workers.aligners import load
from tokalign.server.workers.engine import EngineSettings
from tokalign.server.workers.frames import Run
from tokalign.types.options import AlignOptions
from tokalign.v1 import align_pb2

ROOT = Path(__file__).parents[2]
MIB = 1 << 20
Code = grpc.StatusCode
LIMITS = RequestLimits()


@pytest.fixture(scope="module")
def engine():
    return load(EngineSettings(("en",), ("native",), LIMITS))


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"detail": "links"},
        {"detail": "scores"},
        {"posteriors": True},
        {"explain": True},
        {"phrases": True},
        {"relations": True},
        {"edits": True},
    ],
    ids=str,
)
def test_answers_of_usual_pairs_take_what_is_estimated(engine, changes):
    options = RequestOptions("en", "native", AlignOptions(**changes))
    lines = (ROOT / "bench" / "pairs.tsv").read_text(encoding="utf-8").splitlines()
    usual = [line.split("\t") for line in lines]
    longer = [[" ".join(words) for words in zip(*usual[n : n + 5], strict=True)] for n in (0, 40)]
    for rows in (usual, longer):
        pairs = [encode_pair(tuple(row)).SerializeToString() for row in rows]
        costs = CostModel(LIMITS, engine.models, ("native",))
        estimated = sum(answer_bytes(costs.sizes(pairs), options.align))
        answers, _ = engine.run([Run(options, b"", tuple(pairs))])
        assert 0.8 <= estimated / sum(len(each.alignment) for each in answers) <= 1.5


def foreseen(pairs, shared=b"", top_k=0, limit=4 * MIB, **options):
    costs = CostModel(LIMITS, [], [])
    sizes = answer_bytes(costs.sizes(pairs, shared), AlignOptions(**options))
    check_foreseen(sizes, limit, top_k)


def test_posteriors_of_long_pairs_are_foreseen():
    words = ["word"] * 512
    long = encode_pair((words, words)).SerializeToString()
    foreseen([long] * 4, posteriors=True)
    with pytest.raises(LimitError, match=r"larger than 4194304 bytes.*at most 3 of these pairs"):
        foreseen([long] * 6, posteriors=True)
    foreseen([long] * 6)
    foreseen([long] * 400, detail="links")
    with pytest.raises(LimitError, match="DETAIL_LINKS"):
        foreseen([long] * 400)


@given(sizes=st.lists(st.integers(1, 50)), limit=st.integers(1, 300), top_k=st.integers(0, 20))
def test_number_that_fits_is_the_largest(sizes, limit, top_k):
    answered = sorted(sizes)[:top_k] if top_k else sizes
    try:
        check_foreseen(sizes, limit, top_k)
    except LimitError as error:
        n_fitting = int(str(error).partition("at most ")[2].split()[0])
        assert sum(answered[:n_fitting]) <= limit < sum(answered[: n_fitting + 1])
    else:
        assert sum(answered) <= CERTAIN * limit


def test_a_question_counts_for_each_candidate_and_only_the_best_are_sent():
    question = encode_pair(("a", ["word"] * 512)).SerializeToString()
    question = align_pb2.Pair(target=align_pb2.Pair.FromString(question).target)
    shared, candidate = question.SerializeToString(), b"\x12\x03\x0a\x01a"
    with pytest.raises(LimitError):
        foreseen([candidate] * 1000, shared)
    foreseen([candidate] * 1000, shared, top_k=10)
    foreseen([candidate] * 1000, shared, detail="scores")


def batch(n_tokens, n_pairs, **options):
    words = align_pb2.Sentence(tokens=["word"] * n_tokens)
    pairs = [align_pb2.Pair(source=words, target=words)] * n_pairs
    return align_pb2.BatchAlignRequest(pairs=pairs, options=options)


async def test_foreseen_answers_are_refused_before_the_work(serving, monkeypatch):
    stub = await serving()
    limits = (await stub.ListModels(align_pb2.ListModelsRequest())).limits
    assert limits.max_response_bytes == 4 * MIB
    given = []
    submit = stub.pool.submit
    monkeypatch.setattr(
        stub.pool, "submit", lambda *arguments: given.append(arguments) or submit(*arguments)
    )
    code, message, _ = await failure(stub.BatchAlign(batch(512, 6, posteriors=True)))
    assert code == Code.INVALID_ARGUMENT  # which is not overload's, and not retried
    assert "larger than 4194304 bytes (max_response_bytes)" in message
    assert "at most 3 of these pairs" in message
    assert not given
    await stub.BatchAlign(batch(512, 3, posteriors=True))
    assert len(given) == 1


async def test_answers_that_turn_out_too_large_are_refused(serving):
    # The fake engine's answers hold the texts once, less than is foreseen of a real one's: the
    # ids, which nobody foresees, make them too large.
    stub = await serving(limits=RequestLimits(max_response_bytes=1000))
    request = batch(1, 2)
    for each in request.pairs:
        each.id = "x" * 450
    assert (await stub.BatchAlign(request)).ByteSize() <= 1000
    request.pairs[1].id = "x" * 600
    code, message, _ = await failure(stub.BatchAlign(request))
    assert (code, "larger than 1000 bytes" in message) == (Code.INVALID_ARGUMENT, True)
    single = align_pb2.AlignRequest(pair=request.pairs[0])
    single.pair.id = "x" * 1000
    assert (await failure(stub.Align(single)))[0] == Code.INVALID_ARGUMENT
    ranking = align_pb2.RankRequest(question={"text": "q"}, top_k=1)
    ranking.candidates.add(id="x" * 600, sentence={"text": "score:0.9"})
    ranking.candidates.add(id="x" * 600, sentence={"text": "score:0.8"})
    assert len((await stub.Rank(ranking)).ranking) == 1
    ranking.top_k = 0
    assert (await failure(stub.Rank(ranking)))[0] == Code.INVALID_ARGUMENT


async def test_a_chunk_whose_answer_is_too_large_fails_alone(serving):
    stub = await serving(limits=RequestLimits(max_response_bytes=1000))
    chunks = [
        align_pb2.AlignStreamRequest(chunk_id="large", pairs=batch(1, 1).pairs),
        align_pb2.AlignStreamRequest(chunk_id="small", pairs=batch(1, 1).pairs),
    ]
    chunks[0].pairs[0].id = "x" * 1000
    answers = {each.chunk_id: each async for each in stub.AlignStream(iter(chunks))}
    assert answers["large"].status.code == Code.INVALID_ARGUMENT.value[0]
    assert not answers["large"].results
    assert answers["small"].results[0].status.code == 0

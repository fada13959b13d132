"""Answers stay below their size limit; where that can be foreseen, nothing is worked on."""

import grpc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.messages import sentences
from support.statuses import failure
from tokalign.aligner import Aligner
from tokalign.codec import encode_pair
from tokalign.codec.joining import Joined
from tokalign.codec.writing import AlignmentWriter
from tokalign.errors import InputError, LimitError
from tokalign.server.config import RequestLimits
from tokalign.server.requests import answers
from tokalign.server.requests.answers import check_foreseen, least_bytes
from tokalign.types.options import AlignOptions, Detail
from tokalign.v1 import align_pb2

MIB = 1 << 20
Code = grpc.StatusCode
LIMITS = RequestLimits()
TEXTS = st.text(max_size=60) | st.lists(
    st.sampled_from(["dog", "cannot", '"No,"', "U.S.", "...", "it's", "\u201cso", "a\U0001f600"]),
    max_size=12,
).map(" ".join)
OPTIONS = st.sampled_from(Detail).flatmap(
    lambda detail: st.builds(
        AlignOptions,
        detail=st.just(detail),
        posteriors=st.booleans() if detail is not Detail.SCORES else st.just(value=False),
    )
)


@pytest.fixture(scope="module")
def aligner():
    return Aligner.load()


@given(source=TEXTS | sentences(), target=TEXTS, options=OPTIONS)
def test_least_size_is_never_more_than_the_size(aligner, source, target, options):
    try:
        alignment = aligner.align(source, target, options)
    except InputError:
        return
    result = Joined(align_pb2.AlignResult)(
        status=b"", alignment=AlignmentWriter(options).write(alignment)
    )
    request = encode_pair((source, target)).SerializeToString()
    batch = Joined(align_pb2.BatchAlignResponse)(results=[result])
    assert least_bytes(request, options, LIMITS) <= len(batch)


def test_least_size_of_a_usual_pair_is_half_of_its_size(aligner):
    source = "The quick brown fox jumped over the lazy dog while it was raining in the garden ."
    alignment = aligner.align(source, source)
    least = least_bytes(encode_pair((source, source)).SerializeToString(), AlignOptions(), LIMITS)
    assert least > 0.5 * len(AlignmentWriter(AlignOptions()).write(alignment))


def foreseen(pairs, shared=b"", top_k=0, limit=4 * MIB, **options):
    check_foreseen(
        pairs, shared, AlignOptions(**options), RequestLimits(max_response_bytes=limit), top_k
    )


def test_posteriors_of_long_pairs_are_foreseen():
    words = ["word"] * 512
    long = encode_pair((words, words)).SerializeToString()
    foreseen([long] * 3, posteriors=True)
    with pytest.raises(LimitError, match="larger than 4194304 bytes"):
        foreseen([long] * 4, posteriors=True)
    foreseen([long] * 4)
    foreseen([long] * 400, detail="links")
    with pytest.raises(LimitError, match="DETAIL_LINKS"):
        foreseen([long] * 400)


def test_a_question_counts_for_each_candidate_and_only_the_best_are_sent():
    question = encode_pair(("a", ["word"] * 512)).SerializeToString()
    question = align_pb2.Pair(target=align_pb2.Pair.FromString(question).target)
    shared, candidate = question.SerializeToString(), b"\x12\x03\x0a\x01a"
    with pytest.raises(LimitError):
        foreseen([candidate] * 1000, shared)
    foreseen([candidate] * 1000, shared, top_k=10)
    foreseen([candidate] * 1000, shared, detail="scores")


def test_pairs_that_will_be_refused_take_nothing():
    words = ["word"] * 513
    long = encode_pair((words, words)).SerializeToString()
    assert least_bytes(long, AlignOptions(), LIMITS) == 0
    assert least_bytes(b"\xff", AlignOptions(), LIMITS) == 0


def test_a_pair_beyond_any_limit_is_not_read(monkeypatch):
    """Its words would hold the interpreter, and so the event loop, for milliseconds."""
    pair = encode_pair((["a"] * 400_000, "a")).SerializeToString()
    monkeypatch.setattr(answers, "least_tokens", None)
    assert least_bytes(pair, AlignOptions(), LIMITS) == 0


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
    code, message, _ = await failure(stub.BatchAlign(batch(512, 4, posteriors=True)))
    assert code == Code.INVALID_ARGUMENT  # which is not overload's, and not retried
    assert "larger than 4194304 bytes (max_response_bytes)" in message
    assert not given
    await stub.BatchAlign(batch(512, 4))
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

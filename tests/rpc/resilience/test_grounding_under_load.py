"""Grounding at the server: deadlines, cancellation, room, silence, and callers that do not read."""

import asyncio

import grpc
from support.grounding import PASSAGES, answer_of, at_once, both, in_pieces, passages, request
from support.statuses import code_of, failure
from support.waiting import until
from tokalign.codec.servers import ErrorReason
from tokalign.server.admission import Admitted
from tokalign.server.requests import answer_sentences
from tokalign.server.rpc import ground_calls
from tokalign.server.rpc import in_pieces as pieces_module
from tokalign.server.status import Failure
from tokalign.texts.split_text import GrowingText
from tokalign.types.options import OffsetUnit
from tokalign.v1 import align_pb2

Code = grpc.StatusCode
FULL = 20_000
SERVICE = "tokalign.v1.AlignService"


def piece(text):
    return align_pb2.GroundStreamRequest(answer=text)


async def begun(stub, text="", **options):
    """Return a stream whose passages and first piece are sent."""
    call = stub.GroundStream(**options)
    await call.write(align_pb2.GroundStreamRequest(passages=passages(PASSAGES), answer=text))
    return call


async def test_sentence_is_sent_as_soon_as_it_is_finished(serving):
    stub = await serving()
    call = await begun(stub, "One dog bar")
    await call.write(piece("ked. It"))
    first = await call.read()
    assert [(each.start, each.end) for each in first.sentences] == [(0, 15)]
    assert first.model.name == "fake"
    await call.write(piece(" snowed. Then"))
    second = await call.read()
    assert [(each.start, each.end) for each in second.sentences] == [(16, 26)]
    assert not second.HasField("model")
    await call.done_writing()
    third = await call.read()
    assert [(each.start, each.end) for each in third.sentences] == [(27, 31)]
    assert await call.read() is grpc.aio.EOF
    await until(lambda: stub.admission.bytes == stub.admission.cost == 0)


@both
async def test_deadline_is_kept_and_frees_the_queue(serving, tmp_path, ask):
    stub = await serving()
    busy = answer_of(f"until:{tmp_path / 'free'}", "Dogs bark.")
    if ask is at_once:
        call = stub.Ground(request(busy), timeout=2)
    else:
        call = (await begun(stub, busy, timeout=2)).read()
    assert await code_of(call) == Code.DEADLINE_EXCEEDED
    await until(lambda: not (stub.admission.pairs or stub.admission.bytes))
    (tmp_path / "free").touch()
    await ask(stub, "Dogs bark.")
    await until(lambda: stub.pool.waiting_pairs == 0)


@both
async def test_caller_that_leaves_frees_the_queue(serving, metrics, tmp_path, ask):
    stub = await serving()
    busy = answer_of(*[f"until:{tmp_path / 'free'}"] * 40)
    call = stub.Ground(request(busy)) if ask is at_once else await begun(stub, busy)
    await until(lambda: stub.admission.pairs)
    assert stub.admission.bytes
    call.cancel()
    await until(lambda: not (stub.admission.pairs or stub.admission.bytes))
    (tmp_path / "free").touch()
    await ask(stub, "Dogs bark.")
    await until(lambda: stub.pool.waiting_pairs == 0)
    method = "Ground" if ask is at_once else "GroundStream"
    labels = {"grpc_service": SERVICE, "grpc_method": method, "grpc_code": "CANCELLED"}
    value = metrics.registry.get_sample_value
    await until(lambda: value("grpc_server_handled_total", labels) == 1)


async def test_caller_that_leaves_between_pieces_frees_what_it_holds(serving):
    stub = await serving()
    call = await begun(stub, "One dog barked. It")
    await call.read()
    assert stub.admission.bytes
    call.cancel()
    await until(lambda: stub.admission.bytes == stub.front.calls.running == 0)


async def test_stream_that_is_silent_for_too_long_is_ended(serving):
    stub = await serving(receive_timeout_s=0.5)
    call = await begun(stub, "One dog barked. It")
    await call.read()
    assert await asyncio.wait_for(call.code(), 60) == Code.DEADLINE_EXCEEDED
    assert "did not arrive within 0.5 s" in await call.details()
    await until(lambda: stub.admission.bytes == 0)


async def test_stream_may_last_longer_than_the_receive_timeout(serving):
    stub = await serving(receive_timeout_s=2.0)
    call = await begun(stub)
    for _ in range(8):
        await asyncio.sleep(0.5)
        await call.write(piece("It rains. "))
    await call.done_writing()
    n_sentences = 0
    async for part in call:
        n_sentences += len(part.sentences)
    assert n_sentences == 8


async def test_streams_that_wait_for_a_piece_are_ended_where_memory_is_short(serving):
    stub = await serving()
    call = await begun(stub, "One dog barked. It")
    await call.read()
    receiving = stub.front.calls.receiving
    await until(lambda: len(receiving) == 1)
    receiving.end_all(Failure(ErrorReason.MEMORY_SHORT, "as told"))
    assert await asyncio.wait_for(call.code(), 60) == Code.RESOURCE_EXHAUSTED
    await until(lambda: stub.front.calls.running == stub.admission.bytes == 0)


async def test_call_is_refused_where_a_stream_waits_for_room(serving):
    stub = await serving()
    others = Admitted(stub.admission, 0, 0, FULL, "others", caller="127.0.0.1")
    code, _, details = await failure(at_once(stub, "One dog barked."))
    assert (code, "RetryInfo" in details) == (Code.RESOURCE_EXHAUSTED, True)
    asked = asyncio.ensure_future(in_pieces(stub, "One dog barked."))
    await until(lambda: stub.admission._work.turns)
    assert not asked.done()
    others.release()
    assert len((await asked).sentences) == 1
    await until(lambda: stub.admission.bytes == stub.admission.cost == 0)


async def test_passages_are_refused_where_too_many_bytes_are_held(serving):
    stub = await serving()
    others = Admitted(stub.admission, 0, 64 << 20, 0, "others", caller="127.0.0.1")
    large = align_pb2.GroundStreamRequest(passages=passages({"a": "b " * 100_000}))
    code, _, details = await failure(stub.GroundStream(iter([large])).read())
    assert (code, "RetryInfo" in details) == (Code.RESOURCE_EXHAUSTED, True)
    others.release()
    await until(lambda: stub.admission.bytes == 0)


async def test_stream_holds_its_passages_as_long_as_it_lasts(serving):
    stub = await serving()
    call = stub.GroundStream()
    await call.write(
        align_pb2.GroundStreamRequest(passages=passages({"a": "b " * 50_000}), answer="It. It")
    )
    await call.read()
    assert stub.admission.bytes >= ground_calls.HELD * 100_000
    await call.done_writing()
    await call.read()
    await until(lambda: stub.admission.bytes == 0)


async def test_stream_that_nobody_reads_stops_working(serving, monkeypatch):
    monkeypatch.setattr(pieces_module, "MESSAGE_BYTES", 50_000)
    stub = await serving()
    submit, given = stub.pool.submit, []

    def noted(asked, deadline):
        given.append(len(asked.pairs))
        return submit(asked, deadline)

    stub.pool.submit = noted
    long = "word " * 40
    # A sentence that fails has a status, so that the answer is larger than any buffer.
    text = answer_of(*[f"fail:{long}{i}" for i in range(20_000)])
    pieces = [text[start : start + 100_000] for start in range(0, len(text), 100_000)]
    call = stub.GroundStream(iter([piece(each) for each in pieces]))
    n_sentences = len((await call.read()).sentences)

    async def n_given():
        """Return the number of windows once it no longer grows."""
        seen = -1
        while seen < len(given):
            seen = len(given)
            await asyncio.sleep(0.5)
        return seen

    stopped_at = await n_given()
    assert stub.admission.cost == 0
    while (part := await call.read()) is not grpc.aio.EOF:
        n_sentences += len(part.sentences)
    assert n_sentences == 20_000
    assert stopped_at < len(given)


def test_sentence_without_an_end_is_not_read_again_with_each_piece(monkeypatch):
    reads = []

    class Noting(GrowingText):
        def add(self, piece):
            reads.append(len(piece))
            return super().add(piece)

    monkeypatch.setattr(answer_sentences, "GrowingText", Noting)
    answer = answer_sentences.GrowingAnswer(OffsetUnit.CODE_POINTS)
    text = "word " * 40_000
    for start in range(0, len(text), 100):
        assert answer.add(text[start : start + 100]) == []
    found = answer.end()
    assert (found[0].start, found[-1].end) == (0, len(text.rstrip()))
    assert sum(reads) == len(text)
    assert len(reads) < 400  # of 2,000 pieces

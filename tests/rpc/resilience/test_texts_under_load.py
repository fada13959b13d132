"""Two texts at the server: deadlines, cancellation, room, memory, and callers that do not read."""

import asyncio

import grpc
from support.statuses import code_of, failure
from support.texts import NEW, OLD, at_once, both, in_pieces, pieces, request, stream_failure, text
from support.waiting import until
from tokalign.codec.servers import ErrorReason
from tokalign.server.admission import Admitted
from tokalign.server.rpc import in_pieces as pieces_module
from tokalign.server.status import Failure
from tokalign.v1 import align_pb2

Code = grpc.StatusCode
FULL = 20_000
SERVICE = "tokalign.v1.AlignService"


def words(number):
    """Return a sentence that shares no word with another one's."""
    return f"a{number}x b{number}x c{number}x."


@both
async def test_deadline_is_kept_and_frees_the_queue(serving, tmp_path, ask):
    stub = await serving()
    busy = text(f"until:{tmp_path / 'free'}", "Dogs bark.")
    if ask is at_once:
        call = stub.AlignTexts(request(busy, busy), timeout=3)
    else:
        call = stub.AlignTextsStream(pieces(busy, busy), timeout=3).read()
    assert await code_of(call) == Code.DEADLINE_EXCEEDED
    await until(lambda: not (stub.admission.pairs or stub.admission.bytes))
    (tmp_path / "free").touch()
    await ask(stub, OLD, NEW)
    await until(lambda: stub.pool.waiting_pairs == 0)


@both
async def test_cancelled_call_frees_the_queue(serving, metrics, tmp_path, ask):
    stub = await serving()
    busy = text(*[f"until:{tmp_path / 'free'}"] * 40)
    if ask is at_once:
        call = stub.AlignTexts(request(busy, busy))
    else:
        call = stub.AlignTextsStream(pieces(busy, busy))
        reading = asyncio.ensure_future(call.read())
        reading.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
    await until(lambda: stub.admission.pairs)
    assert stub.admission.bytes
    call.cancel()
    await until(lambda: not (stub.admission.pairs or stub.admission.bytes))
    (tmp_path / "free").touch()
    await ask(stub, OLD, NEW)
    await until(lambda: stub.pool.waiting_pairs == 0)
    method = "AlignTexts" if ask is at_once else "AlignTextsStream"
    labels = {"grpc_service": SERVICE, "grpc_method": method, "grpc_code": "CANCELLED"}
    value = metrics.registry.get_sample_value
    await until(lambda: value("grpc_server_handled_total", labels) == 1)


async def test_call_is_refused_where_a_stream_waits_for_room(serving):
    stub = await serving()
    others = Admitted(stub.admission, 0, 0, FULL, "others", caller="127.0.0.1")
    code, _, details = await failure(at_once(stub, OLD, NEW))
    assert (code, "RetryInfo" in details) == (Code.RESOURCE_EXHAUSTED, True)
    asked = asyncio.ensure_future(in_pieces(stub, OLD, NEW))
    await until(lambda: stub.admission._work.turns)
    assert not asked.done()
    others.release()
    assert len((await asked).blocks) == 4
    await until(lambda: stub.admission.bytes == stub.admission.cost == 0)


async def test_call_whose_sentences_are_compared_waits_for_room_and_is_not_refused(serving):
    stub = await serving()
    admit, given = stub.admission.admit, []

    async def noted(n_pairs, n_bytes, **options):
        if len(given) == 2:
            others = Admitted(
                stub.admission, 0, 0, FULL - stub.admission.cost, "others", caller="127.0.0.1"
            )
            asyncio.get_running_loop().call_later(0.1, others.release)
        given.append(options["waits"])
        return await admit(n_pairs, n_bytes, **options)

    stub.admission.admit = noted
    assert len((await at_once(stub, OLD, NEW)).blocks) == 4
    assert given == [False, False, True]


async def test_pieces_are_refused_where_too_many_bytes_are_held(serving):
    stub = await serving()
    others = Admitted(stub.admission, 0, 64 << 20, 0, "others", caller="127.0.0.1")
    large = align_pb2.AlignTextsStreamRequest(old_text="a" * 200_000)
    code, _, details = await stream_failure(stub, iter([large]))
    assert (code, "RetryInfo" in details) == (Code.RESOURCE_EXHAUSTED, True)
    others.release()
    await until(lambda: stub.admission.bytes == 0)


async def test_pieces_that_do_not_arrive_in_time_end_their_call(serving):
    stub = await serving(receive_timeout_s=0.5)
    call = stub.AlignTextsStream()
    await call.write(align_pb2.AlignTextsStreamRequest(old_text="It rains."))
    assert await asyncio.wait_for(call.code(), 60) == Code.DEADLINE_EXCEEDED
    assert "did not arrive within 0.5 s" in await call.details()
    await until(lambda: stub.admission.bytes == 0)


async def test_texts_that_still_arrive_are_ended_where_memory_is_short(serving):
    stub = await serving()
    call = stub.AlignTextsStream()
    await call.write(align_pb2.AlignTextsStreamRequest(old_text="It rains."))
    receiving = stub.front.calls.receiving
    await until(lambda: len(receiving) == 1)
    receiving.end_all(Failure(ErrorReason.MEMORY_SHORT, "as told"))
    assert await asyncio.wait_for(call.code(), 60) == Code.RESOURCE_EXHAUSTED
    await until(lambda: stub.front.calls.running == stub.admission.bytes == 0)


async def test_stream_that_nobody_reads_stops_working(serving, monkeypatch):
    monkeypatch.setattr(pieces_module, "STREAM_BYTES", 100_000)
    monkeypatch.setattr(pieces_module, "MESSAGE_BYTES", 50_000)
    stub = await serving()
    submit, given = stub.pool.submit, []

    def noted(asked, deadline):
        given.append(sum(map(len, asked.pairs)))
        return submit(asked, deadline)

    stub.pool.submit = noted
    long = text(*(f"a{i}x b{i}x c{i}x " + "word " * 200 for i in range(4_000)))
    call = stub.AlignTextsStream(pieces(long, long, size=200_000))
    first = await call.read()
    assert len(first.old_sentences) == 4_000

    async def n_given():
        """Return the number of windows once it no longer grows."""
        seen = -1
        while seen < len(given):
            seen = len(given)
            await asyncio.sleep(0.5)
        return seen

    # Some megabytes lie in the buffers between both ends.
    stopped_at = await n_given()
    assert max(given) < 100_000
    assert stub.admission.cost == 0
    n_blocks = len(first.blocks)
    while (part := await call.read()) is not grpc.aio.EOF:
        n_blocks += len(part.blocks)
        assert part.ByteSize() < 60_000
    assert n_blocks == 4_000
    assert stopped_at < len(given)


async def test_texts_that_hold_all_bytes_end_or_are_refused_until_there_is_room(serving):
    stub = await serving(queue_bytes=12 << 20)
    long = text(*(words(i) * 20 for i in range(800)))

    async def asked_until_answered():
        while True:
            try:
                return await in_pieces_large(stub, long)
            except grpc.aio.AioRpcError as error:
                # grpc.aio puts its own status in the place of the server's where it was writing
                # (grpc/grpc#36066); see client/asynchronous.py.
                is_hidden = error.details() == "Internal error from Core"
                assert is_hidden or error.code() == Code.RESOURCE_EXHAUSTED
                await asyncio.sleep(0.05)

    answers = await asyncio.wait_for(
        asyncio.gather(*(asked_until_answered() for _ in range(6))), 120
    )
    assert len({len(answer.blocks) for answer in answers}) == 1
    await until(lambda: stub.admission.bytes == stub.admission.cost == 0)


async def in_pieces_large(stub, long):
    answer = align_pb2.AlignTextsResponse()
    async for part in stub.AlignTextsStream(pieces(long, long, size=100_000)):
        answer.MergeFromString(part.SerializeToString())
    return answer

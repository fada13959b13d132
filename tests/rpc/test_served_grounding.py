"""Grounding at the server: its sentences, what fails alone or as a whole, and its limits."""

import grpc
import pytest
from support.grounding import (
    PASSAGES,
    answer_of,
    at_once,
    both,
    both_fail,
    in_pieces,
    passages,
    pieces,
    request,
    stream_failure,
)
from support.statuses import failure
from support.waiting import until
from tokalign.server.config import RequestLimits
from tokalign.texts.split_text import sentences_of
from tokalign.v1 import align_pb2

Code = grpc.StatusCode
SERVICE = "tokalign.v1.AlignService"
REASON = "ERROR_REASON_INVALID_INPUT"
ANSWER = "A dog \N{DOG} barked. It was J. Smith's. Then it ran"


def ranges(answer):
    return [(each.start, each.end) for each in answer.sentences]


@both
async def test_sentences_are_those_of_the_library(serving, ask):
    stub = await serving()
    answer = await ask(stub, ANSWER)
    assert ranges(answer) == [(each.start, each.end) for each in sentences_of(ANSWER, "answer")]
    assert answer.model == align_pb2.ModelRef(name="fake", version="1.0.0")
    assert [each.support for each in answer.sentences] == [0.5] * 3


@both
@pytest.mark.parametrize(
    ("unit", "second"),
    [
        ("OFFSET_UNIT_CODE_POINTS", 16),
        ("OFFSET_UNIT_UTF8_BYTES", 19),
        ("OFFSET_UNIT_UTF16_UNITS", 17),
    ],
)
async def test_offsets_in_the_answer_are_in_the_unit_asked_for(serving, ask, unit, second):
    answer = await ask(await serving(), ANSWER, offsets=unit)
    assert answer.sentences[1].start == second


@pytest.mark.parametrize("size", [1, 2, 5, 1_000])
async def test_answer_may_be_cut_inside_a_word(serving, size):
    stub = await serving()
    assert await in_pieces(stub, ANSWER, size=size) == await at_once(stub, ANSWER)


@both
@pytest.mark.parametrize("answer", ["", " \n "])
async def test_answer_without_sentences_has_none(serving, ask, answer):
    found = await ask(await serving(), answer)
    assert (len(found.sentences), found.model.name) == (0, "fake")


@both
async def test_answer_without_passages_has_its_sentences(serving, ask):
    assert len((await ask(await serving(), ANSWER, {})).sentences) == 3


async def test_stream_without_messages_is_that_of_an_empty_answer(serving):
    stub = await serving()
    (answer,) = [part async for part in stub.GroundStream(iter(()))]
    assert (answer.model.name, len(answer.sentences)) == ("fake", 0)


async def test_first_message_may_hold_all(serving):
    stub = await serving()
    message = align_pb2.GroundStreamRequest(answer=ANSWER, passages=passages(PASSAGES))
    parts = [part async for part in stub.GroundStream(iter([message]))]
    assert sum(len(part.sentences) for part in parts) == 3
    assert [part.HasField("model") for part in parts] == [True] + [False] * (len(parts) - 1)


@both
async def test_sentence_that_fails_fails_alone(serving, ask):
    stub = await serving()
    answer = await ask(stub, answer_of("Dogs bark.", "fail:answer", "die", "It rains."))
    assert [each.status.code for each in answer.sentences] == [0, 3, 13, 0]
    refused = answer.sentences[1]
    assert (refused.start, refused.end) == (12, 23)
    assert refused.status == align_pb2.Status(
        code=3, message="as told", field="answer", reason=REASON
    )
    assert "internal error" in answer.sentences[2].status.message


@both_fail
@pytest.mark.parametrize("field", ["passages[1].text", "options.model"])
async def test_what_all_sentences_share_fails_the_call(serving, refused, field):
    stub = await serving()
    code, message, details = await refused(stub, answer_of("Dogs bark.", f"fail:{field}"))
    assert (code, message) == (Code.INVALID_ARGUMENT, "as told")
    assert details["BadRequest"].field_violations[0].field == field
    await until(lambda: stub.admission.bytes == 0)


@both
async def test_worker_killed_on_the_way_costs_nothing(serving, ask, tmp_path):
    stub = await serving()
    answer = await ask(stub, answer_of("Dogs bark.", f"die-once:{tmp_path / 'one'}"))
    assert [each.status.code for each in answer.sentences] == [0, 0]
    assert (tmp_path / "one").exists()


@both_fail
@pytest.mark.parametrize(
    ("options", "code", "field"),
    [
        ({"model": "none"}, Code.NOT_FOUND, "options.model"),
        ({"annotator": "none"}, Code.NOT_FOUND, "options.annotator"),
        ({"threshold": 1.5}, Code.INVALID_ARGUMENT, "options.threshold"),
        ({"threshold": float("nan")}, Code.INVALID_ARGUMENT, "options.threshold"),
        ({"offsets": 77}, Code.INVALID_ARGUMENT, "options.offsets"),
    ],
)
async def test_bad_options_name_their_field(serving, refused, options, code, field):
    stub = await serving()
    seen, _, details = await refused(stub, ANSWER, **options)
    assert (seen, details["BadRequest"].field_violations[0].field) == (code, field)


async def test_passages_of_one_id_are_refused(serving):
    stub = await serving()
    twice = [*passages(PASSAGES), align_pb2.SourcePassage(id="a", text="It rains.")]
    code, message, details = await failure(
        stub.Ground(align_pb2.GroundRequest(answer=ANSWER, passages=twice))
    )
    assert code == Code.INVALID_ARGUMENT and "as of passage 0" in message
    assert details["BadRequest"].field_violations[0].field == "passages[2].id"
    message = align_pb2.GroundStreamRequest(passages=twice)
    assert (await stream_failure(stub, iter([message])))[0] == Code.INVALID_ARGUMENT
    await until(lambda: stub.admission.bytes == 0)


async def test_what_is_no_text_is_invalid_and_named(serving):
    stub = await serving()
    for text, field in (("barked", "answer"), ("snowed", "passages[0].text")):
        data = request("A dog barked.").SerializeToString()
        data = data.replace(text.encode(), text[:3].encode() + b"\xff" + text[4:].encode(), 1)
        call = stub.channel.unary_unary(f"/{SERVICE}/Ground")(data)
        code, message, details = await failure(call)
        assert code == Code.INVALID_ARGUMENT and "is not UTF-8: byte 0xFF" in message
        assert details["BadRequest"].field_violations[0].field == field
    bad = align_pb2.GroundStreamRequest(answer="barked").SerializeToString()
    for data in (bad.replace(b"rk", b"\xff\xff"), b"\xff\xff"):
        stream = stub.channel.stream_stream(f"/{SERVICE}/GroundStream")(iter([data]))
        assert await stream.code() == Code.INVALID_ARGUMENT


async def test_passages_after_the_answer_has_begun_are_refused(serving):
    stub = await serving()
    late = align_pb2.GroundStreamRequest(passages=passages({"c": "It rains."}))
    code, message, _ = await stream_failure(stub, iter([*pieces(ANSWER), late]))
    assert code == Code.INVALID_ARGUMENT and "after the answer has begun" in message
    await until(lambda: stub.admission.bytes == stub.admission.cost == 0)


@both_fail
async def test_more_passages_than_a_request_may_have_are_refused(serving, refused):
    stub = await serving(limits=RequestLimits(max_pairs=3))
    texts = {str(i): "It rains." for i in range(4)}
    code, message, details = await refused(stub, "It rains.", texts)
    assert code == Code.INVALID_ARGUMENT and "more than 3 passages" in message
    assert details["BadRequest"].field_violations[0].field == "passages"


async def test_more_sentences_than_a_request_may_have_need_the_stream(serving):
    stub = await serving(limits=RequestLimits(max_pairs=5))
    long = answer_of(*(f"A dog barked {i} times." for i in range(6)))
    code, message, details = await failure(at_once(stub, long))
    assert code == Code.INVALID_ARGUMENT
    assert "6 sentences; the server takes at most 5" in message and "GroundStream" in message
    assert details["BadRequest"].field_violations[0].field == "answer"
    assert len((await in_pieces(stub, long, size=1_000)).sentences) == 6


async def test_more_work_than_a_request_may_cost_needs_the_stream(serving):
    stub = await serving(queue_pairs=200, limits=RequestLimits(max_pairs=100))
    texts = {str(i): "It rains in the town. " * 3 for i in range(50)}
    long = answer_of(*(f"A dog barked {i} times." for i in range(20)))
    code, message, _ = await failure(at_once(stub, long, texts))
    assert code == Code.INVALID_ARGUMENT
    assert "typical pairs; the server takes at most 180" in message and "GroundStream" in message
    answer = await in_pieces(stub, long, texts, size=1_000)
    assert [each.status.code for each in answer.sentences] == [0] * 20
    assert stub.admission.cost == 0


async def test_sentence_that_costs_more_than_any_request_may_fails_alone(serving):
    stub = await serving(queue_pairs=200, limits=RequestLimits(max_pairs=100))
    texts = {str(i): "It rains in the town. " * 3 for i in range(50)}
    answer = await in_pieces(stub, answer_of("Dogs bark.", "word " * 300), texts)
    assert [each.status.code for each in answer.sentences] == [0, 3]
    assert "typical pairs; the server takes at most 180" in answer.sentences[1].status.message


async def test_sentence_larger_than_an_answer_may_be_fails_alone(serving):
    stub = await serving(limits=RequestLimits(max_response_bytes=35))
    answer = await in_pieces(stub, "Dogs bark. Cats meow.")
    assert [each.status.code for each in answer.sentences] == [3, 3]
    assert "larger than 35 bytes" in answer.sentences[0].status.message


async def test_answer_larger_than_it_may_be_needs_the_stream(serving):
    stub = await serving(limits=RequestLimits(max_response_bytes=300))
    long = answer_of(*(f"A dog barked {i} times." for i in range(40)))
    code, message, _ = await failure(at_once(stub, long))
    assert code == Code.INVALID_ARGUMENT
    assert "larger than 300 bytes" in message and "GroundStream" in message
    assert len((await in_pieces(stub, long)).sentences) == 40


async def test_more_bytes_than_a_stream_may_have_are_refused(serving):
    stub = await serving(limits=RequestLimits(max_text_bytes=1_000))
    for messages in (pieces("a " * 600), pieces("Dogs bark.", {"a": "b " * 600})):
        code, message, _ = await stream_failure(stub, messages)
        assert code == Code.INVALID_ARGUMENT
        assert "more than 1000 bytes together (max_text_bytes)" in message
    await until(lambda: stub.admission.bytes == 0)


@both_fail
async def test_server_that_loads_is_unavailable(serving, refused):
    assert (await refused(await serving(pool=False), ANSWER))[0] == Code.UNAVAILABLE

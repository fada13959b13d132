"""Two texts at the server: their blocks, what fails alone, and their limits."""

import grpc
import pytest
from support.statuses import code_of, failure
from support.texts import (
    NEW,
    OLD,
    at_once,
    both,
    in_pieces,
    pieces,
    read,
    request,
    stream_failure,
    text,
)
from support.waiting import until
from tokalign.server.config import RequestLimits
from tokalign.server.requests.text_blocks import block_items
from tokalign.texts.text_plan import TextPlan
from tokalign.v1 import align_pb2

Code = grpc.StatusCode
SERVICE = "tokalign.v1.AlignService"
REASON = "ERROR_REASON_INVALID_INPUT"


def shape(answer):
    return [
        (list(block.old_sentences), list(block.new_sentences), block.moved)
        for block in answer.blocks
    ]


@both
async def test_blocks_are_those_of_the_plan_and_their_words_are_aligned(serving, ask):
    stub = await serving()
    answer = await ask(stub, OLD, NEW)
    plan = TextPlan.of(OLD, NEW)
    decided = plan.decide([0.5] * len(plan.candidates))  # what the fake engine finds
    assert shape(answer) == [(list(each.old), list(each.new), each.moved) for each in decided]
    assert answer.model == align_pb2.ModelRef(name="fake", version="1.0.0")
    for block, each in zip(answer.blocks, decided, strict=True):
        assert block.HasField("alignment") == bool(each.old and each.new)
        assert not block.HasField("status")
        if block.HasField("alignment"):
            found = (block.alignment.source.text, block.alignment.target.text)
            assert found == plan.texts(each.old, each.new)


@both
@pytest.mark.parametrize(
    ("unit", "old", "new"),
    [
        ("OFFSET_UNIT_CODE_POINTS", (17, 34), (17, 35)),
        ("OFFSET_UNIT_UTF8_BYTES", (17, 37), (17, 38)),
        ("OFFSET_UNIT_UTF16_UNITS", (17, 35), (17, 36)),
    ],
)
async def test_offsets_of_sentences_are_in_the_unit_asked_for(serving, ask, unit, old, new):
    stub = await serving()
    answer = await ask(stub, OLD, NEW, offsets=unit)
    found = [(each.start, each.end) for each in answer.old_sentences]
    assert (found[0], found[1]) == ((0, 15), old)
    assert len(found) == 3 and len(answer.new_sentences) == 4
    assert (answer.new_sentences[1].start, answer.new_sentences[1].end) == new


@both
async def test_texts_without_sentences_have_no_blocks_or_insertions(serving, ask):
    stub = await serving()
    answer = await ask(stub, "", " \n")
    assert (shape(answer), answer.model.name) == ([], "fake")
    assert shape(await ask(stub, "", "It rains.")) == [([], [0], False)]
    assert shape(await ask(stub, "It rains.", "")) == [([0], [], False)]


async def test_stream_without_messages_is_that_of_empty_texts(serving):
    stub = await serving()
    (answer,) = [part async for part in stub.AlignTextsStream(iter(()))]
    assert (answer.model.name, len(answer.blocks)) == ("fake", 0)


@both
async def test_block_that_fails_fails_alone(serving, ask):
    stub = await serving()
    bad = text("Dogs bark.", "fail:target.text", "die", "It rains.")
    answer = await ask(stub, bad, bad)
    assert shape(answer) == [([i], [i], False) for i in range(4)]
    assert [block.status.code for block in answer.blocks] == [0, 3, 13, 0]
    refused = answer.blocks[1]
    assert refused.status == align_pb2.Status(
        code=3, message="as told", field="new_text", reason=REASON
    )
    assert not refused.HasField("alignment")
    assert "internal error" in answer.blocks[2].status.message


@both
async def test_sentence_that_could_not_be_compared_says_so(serving, ask):
    stub = await serving()
    answer = await ask(stub, "fail:source.text Dogs bark.", "Dogs bark.")
    assert shape(answer) == [([0], [], False), ([], [0], False)]
    status = answer.blocks[0].status
    assert (status.code, status.message, status.field) == (3, "as told", "old_text")
    # The other side's sentence is not at fault.
    assert not answer.blocks[1].HasField("status")


@both
async def test_worker_killed_on_the_way_costs_nothing(serving, ask, tmp_path):
    stub = await serving()
    compared, aligned = (f"die-once:{tmp_path / name}" for name in ("one", "two"))
    # Identical sentences are aligned without being compared.
    answer = await ask(stub, text(f"{compared} old", aligned), text(f"{compared} new", aligned))
    assert [block.status.code for block in answer.blocks] == [0] * 2
    assert (tmp_path / "one old").exists() or (tmp_path / "one new").exists()
    assert (tmp_path / "two").exists()


@both
@pytest.mark.parametrize(
    ("options", "code", "field"),
    [
        ({"model": "none"}, Code.NOT_FOUND, "options.model"),
        ({"style": "loose"}, Code.INVALID_ARGUMENT, "options.style"),
        ({"min_confidence": 1.5}, Code.INVALID_ARGUMENT, "options.min_confidence"),
    ],
)
async def test_bad_options_name_their_field(serving, ask, options, code, field):
    stub = await serving()
    seen, _, details = await failure(ask(stub, OLD, NEW, **options))
    assert (seen, details["BadRequest"].field_violations[0].field) == (code, field)


def no_text(message):
    return message.SerializeToString().replace(b"barked", b"bar\xffed")


async def test_what_is_no_text_is_invalid_and_named(serving):
    stub = await serving()
    data = no_text(request("It rains.", "One dog barked."))
    call = stub.channel.unary_unary(f"/{SERVICE}/AlignTexts")(data)
    code, message, details = await failure(call)
    assert code == Code.INVALID_ARGUMENT
    assert "new_text is not UTF-8: byte 0xFF at 11" in message
    assert details["BadRequest"].field_violations[0].field == "new_text"
    for data in (no_text(align_pb2.AlignTextsStreamRequest(old_text="barked")), b"\xff\xff"):
        stream = stub.channel.stream_stream(f"/{SERVICE}/AlignTextsStream")(iter([data]))
        assert await stream.code() == Code.INVALID_ARGUMENT


async def test_more_comparisons_than_a_request_has_pairs_need_the_stream(serving):
    stub = await serving(limits=RequestLimits(max_pairs=5))
    old, new = (text(*(f"A dog barked {word} {i}." for i in range(6))) for word in ("at", "by"))
    n_pairs = len(TextPlan.of(old, new).candidates)
    code, message, _ = await failure(at_once(stub, old, new))
    assert code == Code.INVALID_ARGUMENT
    assert f"{n_pairs} pairs of sentences to compare; the server takes at most 5" in message
    assert "AlignTextsStream" in message
    answer = await in_pieces(stub, old, new)
    whole = await at_once(await serving(), old, new)
    assert answer == whole


async def test_more_work_than_a_request_may_cost_needs_the_stream(serving):
    stub = await serving(queue_pairs=1_200, limits=RequestLimits(max_pairs=1_000))
    long = " ".join(["word"] * 400)
    old, new = (text(*(f"{long} {word} {i}" for i in range(9))) for word in ("at", "by"))
    code, message, _ = await failure(at_once(stub, old, new))
    assert code == Code.INVALID_ARGUMENT
    assert "typical pairs; the server takes at most 1080" in message
    assert "AlignTextsStream" in message
    answer = await in_pieces(stub, old, new)
    assert {block.status.code for block in answer.blocks} == {0}
    assert stub.admission.cost == 0


async def test_pair_that_costs_more_than_any_request_may_fails_alone(serving):
    stub = await serving(queue_pairs=200, limits=RequestLimits(max_pairs=100))
    long = " ".join(["word"] * 500)
    answer = await in_pieces(stub, text("Dogs bark.", long), text("Dogs bark.", long))
    # A sentence is cut at some 400 tokens.
    assert [block.status.code for block in answer.blocks] == [0, 3, 0]
    assert "typical pairs; the server takes at most 180" in answer.blocks[1].status.message


async def test_answer_larger_than_it_may_be_needs_the_stream(serving):
    stub = await serving(limits=RequestLimits(max_response_bytes=2_000))
    long = text(*(f"Dog number {i} barked at the {i} cats." for i in range(40)))
    code, message, _ = await failure(at_once(stub, long, long))
    assert code == Code.INVALID_ARGUMENT
    assert "larger than 2000 bytes" in message and "AlignTextsStream" in message
    answer = await in_pieces(stub, long, long)
    assert [block.status.code for block in answer.blocks] == [0] * 40


async def test_block_larger_than_an_answer_may_be_fails_alone(serving):
    stub = await serving(limits=RequestLimits(max_response_bytes=500))
    long = "word " * 100
    answer = await in_pieces(stub, text("Dogs bark.", long), text("Dogs bark.", long))
    assert [block.status.code for block in answer.blocks] == [0, 3]
    assert "larger than 500 bytes" in answer.blocks[1].status.message


async def test_longer_texts_than_a_stream_may_have_are_refused(serving):
    stub = await serving(limits=RequestLimits(max_text_bytes=1_000))
    code, message, _ = await stream_failure(stub, pieces("a" * 600, "b" * 600, size=100))
    assert code == Code.INVALID_ARGUMENT
    assert "more than 1000 bytes together (max_text_bytes)" in message
    await until(lambda: stub.admission.bytes == 0)


async def test_more_sentences_than_a_text_may_have_are_refused_and_the_field_named(serving):
    stub = await serving()
    long = "A b. " * 20_001
    code, message, details = await failure(at_once(stub, "It rains.", long))
    assert code == Code.INVALID_ARGUMENT and "20001 sentences that the other text lacks" in message
    assert details["BadRequest"].field_violations[0].field == "new_text"


async def test_oversized_message_is_resource_exhausted(serving):
    stub = await serving(limits=RequestLimits(max_request_bytes=1000))
    long = "a" * 2_000
    assert await code_of(at_once(stub, long, "b")) == Code.RESOURCE_EXHAUSTED
    large = align_pb2.AlignTextsStreamRequest(old_text=long)
    assert await code_of(read(stub, iter([large]))) == Code.RESOURCE_EXHAUSTED


@both
async def test_server_that_loads_is_unavailable(serving, ask):
    stub = await serving(pool=False)
    # With nothing sent: what is refused while it is still sent looks otherwise to a caller.
    call = at_once(stub, OLD, NEW) if ask is at_once else stub.AlignTextsStream().read()
    assert (await failure(call))[0] == Code.UNAVAILABLE


def test_of_a_difference_only_blocks_whose_words_differ_are_aligned():
    plan = TextPlan.of("It rains. The hall is old.", "It  rains. The hall is new.")
    blocks = plan.decide([0.9] * len(plan.candidates))
    aligned = [at for (_, at), _ in block_items(plan, blocks, only_changed=True)]
    assert (len(blocks), aligned) == (2, [False, True])
    assert [at for (_, at), _ in block_items(plan, blocks)] == [True, True]

import grpc
import pytest
from support import fake_engine
from support.requests import pair
from support.statuses import code_of, failure
from support.waiting import until
from tokalign.server.config import MIB, RequestLimits
from tokalign.v1 import align_pb2

Code = grpc.StatusCode


async def test_align_returns_the_pairs_id_and_the_model(serving):
    stub = await serving()
    answer = await stub.Align(align_pb2.AlignRequest(pair=pair("7", source="naïve ☃")))
    assert answer.id == "7"
    assert answer.alignment.source.text == "naïve ☃"
    assert answer.alignment.score == 0.5
    assert answer.model == align_pb2.ModelRef(name="fake", version="1.0.0")


async def test_batch_keeps_order_and_fails_items_alone(serving):
    stub = await serving()
    request = align_pb2.BatchAlignRequest(pairs=[pair(str(i)) for i in range(100)])
    request.pairs[40].id = "die"
    answer = await stub.BatchAlign(request)
    assert [result.id for result in answer.results] == [item.id for item in request.pairs]
    codes = {result.id: result.status.code for result in answer.results}
    assert codes.pop("die") == Code.INTERNAL.value[0]
    assert set(codes.values()) == {0}
    assert answer.model.name == "fake"


async def test_empty_batch_has_no_results(serving):
    stub = await serving()
    assert not (await stub.BatchAlign(align_pb2.BatchAlignRequest())).results


async def test_stream_answers_every_chunk_and_may_overtake(serving, tmp_path):
    stub = await serving()
    busy = f"until:{tmp_path / 'free'}"

    async def chunks():
        yield align_pb2.AlignStreamRequest(chunk_id="slow", pairs=[pair(busy)])
        # Else the next chunk might share its shard, and wait with it.
        await until((tmp_path / "free.begun").exists)
        yield align_pb2.AlignStreamRequest(chunk_id="fast", pairs=[pair("1"), pair("2")])
        yield align_pb2.AlignStreamRequest(
            chunk_id="bad", pairs=[pair("1")], options={"model": "none"}
        )

    answers = []
    async for answer in stub.AlignStream(chunks()):
        answers.append(answer)
        if len(answers) == 2:
            (tmp_path / "free").touch()
    assert {answer.chunk_id for answer in answers} == {"slow", "fast", "bad"}
    assert answers[-1].chunk_id == "slow"
    by_id = {answer.chunk_id: answer for answer in answers}
    assert [result.id for result in by_id["fast"].results] == ["1", "2"]
    assert by_id["bad"].status.code == Code.NOT_FOUND.value[0]
    assert by_id["bad"].status.field == "options.model"
    assert not by_id["bad"].results


async def test_stream_holds_more_chunks_than_it_works_on_at_once(serving):
    stub = await serving(stream_chunks=2)

    async def chunks():
        for index in range(50):
            yield align_pb2.AlignStreamRequest(chunk_id=str(index), pairs=[pair()] * 3)

    answers = [answer async for answer in stub.AlignStream(chunks())]
    assert sorted(int(answer.chunk_id) for answer in answers) == list(range(50))


async def test_rank_sorts_by_score_and_puts_failures_last(serving):
    stub = await serving()
    ids = ["score:0.2", "fail:source.tags", "score:0.9", "score:0.2", "score:0.5"]
    request = align_pb2.RankRequest(
        question={"text": "q"},
        candidates=[{"id": name, "sentence": {"text": name}} for name in ids],
    )
    answer = await stub.Rank(request)
    assert [ranked.index for ranked in answer.ranking] == [2, 4, 0, 3, 1]
    assert [ranked.result.id for ranked in answer.ranking] == [ids[i] for i in (2, 4, 0, 3, 1)]
    best, worst = answer.ranking[0].result, answer.ranking[-1].result
    assert best.alignment.score == pytest.approx(0.9)
    assert (best.alignment.source.text, best.alignment.target.text) == ("score:0.9", "q")
    assert (worst.status.code, worst.status.field) == (3, "sentence.tags")
    request.top_k = 2
    assert [ranked.index for ranked in (await stub.Rank(request)).ranking] == [2, 4]


async def test_what_cannot_be_ranked_by_is_refused_and_named(serving):
    stub = await serving()
    request = align_pb2.RankRequest(question={"text": "q"}, by=9)
    code, message, details = await failure(stub.Rank(request))
    assert (code, details["BadRequest"].field_violations[0].field) == (
        Code.INVALID_ARGUMENT,
        "by",
    )
    assert "by 9 is unknown" in message


async def test_bad_question_fails_the_ranking(serving):
    stub = await serving()
    request = align_pb2.RankRequest(
        question={"text": "q"}, candidates=[{"sentence": {"text": "fail:target.tags"}}]
    )
    code, message, details = await failure(stub.Rank(request))
    assert (code, message) == (Code.INVALID_ARGUMENT, "as told")
    assert details["BadRequest"].field_violations[0].field == "question.tags"


async def test_failed_pair_names_its_field(serving):
    stub = await serving()
    request = align_pb2.AlignRequest(pair=pair("fail:source.tags"))
    _, _, details = await failure(stub.Align(request))
    assert details["BadRequest"].field_violations[0].field == "pair.source.tags"
    answer = await stub.BatchAlign(align_pb2.BatchAlignRequest(pairs=[request.pair]))
    assert answer.results[0].status == align_pb2.Status(
        code=3, message="as told", field="source.tags", reason="ERROR_REASON_INVALID_INPUT"
    )


async def test_list_models_names_models_limits_and_annotators(serving):
    stub = await serving(limits=RequestLimits(max_pairs=12), annotators=("native",))
    answer = await stub.ListModels(align_pb2.ListModelsRequest())
    (model,) = answer.models
    assert (model.name, model.is_default, len(model.digest)) == ("fake", True, 64)
    assert len(model.symmetrizations) == len(align_pb2.Symmetrization.values()) - 1
    assert (answer.limits.max_pairs, answer.limits.max_tokens) == (12, 512)
    assert list(answer.annotators) == ["native"]
    styles = [(style.name, style.links) for style in fake_engine.MODEL.styles]
    assert [(style.name, style.links) for style in model.styles] == styles


@pytest.mark.parametrize(
    ("options", "code", "field"),
    [
        ({"model": "none"}, Code.NOT_FOUND, "options.model"),
        ({"annotator": "none"}, Code.NOT_FOUND, "options.annotator"),
        ({"symmetrization": 99}, Code.INVALID_ARGUMENT, "options.symmetrization"),
        ({"style": "loose"}, Code.INVALID_ARGUMENT, "options.style"),
        ({"min_confidence": 1.5}, Code.INVALID_ARGUMENT, "options.min_confidence"),
        ({"min_confidence": float("nan")}, Code.INVALID_ARGUMENT, "options.min_confidence"),
        ({"effort": 1.5}, Code.INVALID_ARGUMENT, "options.effort"),
        ({"effort": 0.5}, Code.INVALID_ARGUMENT, "options.effort"),
        ({"effort": 0.0}, Code.INVALID_ARGUMENT, "options.effort"),
    ],
)
async def test_bad_options_name_their_field(serving, options, code, field):
    stub = await serving()
    seen, _, details = await failure(stub.Align(align_pb2.AlignRequest(options=options)))
    assert seen == code
    assert details["BadRequest"].field_violations[0].field == field


@pytest.mark.parametrize("field", ["model", "annotator"])
async def test_error_quotes_a_long_name_in_part(serving, field):
    stub = await serving()
    request = align_pb2.AlignRequest(options={field: "m" * 1_000_000})
    code, message, details = await failure(stub.Align(request))
    assert code == Code.NOT_FOUND
    assert "m" * 10 in message
    assert len(message) < 150
    assert details["BadRequest"].ByteSize() < 250


async def test_too_many_pairs_are_invalid_and_named(serving):
    stub = await serving(limits=RequestLimits(max_pairs=3))
    request = align_pb2.BatchAlignRequest(pairs=[pair()] * 4)
    code, message, details = await failure(stub.BatchAlign(request))
    assert (code, details["BadRequest"].field_violations[0].field) == (
        Code.INVALID_ARGUMENT,
        "pairs",
    )
    assert "more than 3 pairs; the server takes at most 3" in message
    ranking = align_pb2.RankRequest(question={"text": "q"}, candidates=[{}] * 4)
    _, _, details = await failure(stub.Rank(ranking))
    assert details["BadRequest"].field_violations[0].field == "candidates"


async def test_items_are_counted_before_they_are_parsed(serving):
    stub = await serving(limits=RequestLimits(max_pairs=3, max_request_bytes=40 * MIB))
    for name, field in (("BatchAlign", "pairs"), ("Rank", "candidates")):
        item = b"\x0a\x00" if name == "BatchAlign" else b"\x12\x00"
        call = stub.channel.unary_unary(f"/tokalign.v1.AlignService/{name}")
        code, _, details = await failure(call(item * (16 * MIB)))
        assert code == Code.INVALID_ARGUMENT
        assert details["BadRequest"].field_violations[0].field == field
    stream = stub.channel.stream_stream("/tokalign.v1.AlignService/AlignStream")
    chunks = [b"\x0a\x01c" + b"\x12\x00" * (16 * MIB), b"\x0a\x01d"]
    answers = {
        answer.chunk_id: answer.status
        for answer in [
            align_pb2.AlignStreamResponse.FromString(data) async for data in stream(iter(chunks))
        ]
    }
    assert (answers["c"].code, answers["c"].field, answers["d"].code) == (3, "pairs", 0)


async def test_question_is_checked_and_sent_once(serving, monkeypatch):
    stub = await serving(limits=RequestLimits(max_characters=100, max_tokens=10))
    given = []
    submit = stub.pool.submit
    monkeypatch.setattr(
        stub.pool, "submit", lambda *arguments: given.append(arguments) or submit(*arguments)
    )
    candidates = [{"id": str(index), "sentence": {"text": "a"}} for index in range(1000)]
    request = align_pb2.RankRequest(question={"text": "q" * 100}, candidates=candidates)
    answer = await stub.Rank(request)
    assert {each.result.alignment.target.text for each in answer.ranking} == {"q" * 100}
    ((sent, _),) = given
    assert len(sent.shared) < 120
    assert max(map(len, sent.pairs)) < 10
    for question, field in (
        ({"text": "q" * 101}, "question.text"),
        ({"tokens": [""] * 11}, "question.tokens"),
        ({"text": "q" * 100_000}, "question"),
        ({"text": " "}, "question.text"),
        ({}, "question.text"),
    ):
        refused = align_pb2.RankRequest(question=question, candidates=candidates)
        code, _, details = await failure(stub.Rank(refused))
        assert code == Code.INVALID_ARGUMENT
        assert details["BadRequest"].field_violations[0].field == field
    assert len(given) == 1


async def test_oversized_message_is_resource_exhausted(serving, metrics):
    stub = await serving(limits=RequestLimits(max_request_bytes=1000))
    request = align_pb2.AlignRequest(pair=pair(source="a" * 2000))
    assert await code_of(stub.Align(request)) == Code.RESOURCE_EXHAUSTED
    # grpc refuses it, and shows the server a call that ends without a message.
    cancelled = metrics.handled.labels("tokalign.v1.AlignService", "Align", "CANCELLED")
    await until(lambda: cancelled.total == 1)


@pytest.mark.parametrize("name", ["Align", "BatchAlign", "Rank", "ListModels"])
async def test_bytes_that_are_no_message_are_invalid(serving, name):
    stub = await serving()
    call = stub.channel.unary_unary(f"/tokalign.v1.AlignService/{name}")
    code, message, _ = await failure(call(b"\xff\xff\xff"))
    assert code == Code.INVALID_ARGUMENT
    assert "not a valid tokalign.v1." in message


@pytest.mark.parametrize("name", ["model", "annotator"])
@pytest.mark.parametrize("text", ["x", "\u4e2d", "\0"])
async def test_long_names_are_cut_and_the_reason_stays(serving, name, text):
    """Whole, they would not fit a header, and the caller be told of an exhausted resource."""
    stub = await serving()
    request = align_pb2.AlignRequest(pair=pair(), options={name: text * 100_000})
    code, message, details = await failure(stub.Align(request))
    assert code == Code.NOT_FOUND
    assert message.startswith(f"no {name} '") and len(message) < 200
    assert details["BadRequest"].field_violations[0].field == f"options.{name}"


async def test_unexpected_exception_shows_an_id_and_no_text(serving, caplog, monkeypatch):
    stub = await serving()

    def fail(*arguments):
        raise RuntimeError("".join(["sec", "ret"]))

    monkeypatch.setattr(stub.pool, "submit", fail)
    code, message, _ = await failure(stub.Align(align_pb2.AlignRequest(pair=pair())))
    assert code == Code.INTERNAL
    assert "secret" not in message
    (record,) = [record for record in caplog.records if hasattr(record, "error_id")]
    assert record.error_id in message
    assert "secret" not in caplog.text + record.frames

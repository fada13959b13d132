"""Both clients ground answers alike, held here against a scripted server."""

from __future__ import annotations

import threading
import time

import pytest
from support import scripted_server
from support.blocking_client import Blocking
from tokalign.client import AsyncClient, Client, DeadlineError, GroundOptions, InvalidInputError
from tokalign.client.calls import SHORT_BYTES
from tokalign.codec.options import decode_ground_options
from tokalign.errors import InputError
from tokalign.types.grounding import SourcePassage, WordKind
from tokalign.v1 import align_pb2


@pytest.fixture
def server():
    with scripted_server.running() as running:
        yield running


def ranges(sentences):
    return [(each.start, each.end) for each in sentences]


class GroundContract:
    """How every client grounds answers; subclasses name the class."""

    kind: type

    @pytest.fixture
    def client(self, server):
        with self.kind(server[0]) as client:
            yield client

    def test_grounding_has_answer_passages_sentences_and_model(self, client):
        found = client.ground("It rains|It pours", ["rain", ("b", "more"), SourcePassage("c", "")])
        assert found.answer == "It rains|It pours"
        assert [(each.id, each.text) for each in found.passages] == [
            ("0", "rain"),
            ("b", "more"),
            ("c", ""),
        ]
        assert ranges(found.sentences) == [(0, 8), (9, 17)]
        assert found.sentences[0].words[0].kind is WordKind.NAME
        assert found.sentences[0].words[0].citation is None
        assert (found.model, found.version) == ("scripted", "1.2")

    def test_options_arrive(self, client, server):
        options = GroundOptions(candidates=5, explain=True)
        client.ground("a", ["b"], options, threshold=0, offsets="utf-16", model="m", annotator="n")
        list(client.ground_stream(["a"], ["b"], options, threshold=0, model="m"))
        whole, head, _ = server[1].seen
        assert whole.options == align_pb2.GroundOptions(
            model="m",
            annotator="n",
            candidates=5,
            threshold=0,
            explain=True,
            offsets=align_pb2.OFFSET_UNIT_UTF16_UNITS,
            markup=align_pb2.MARKUP_AUTO,
        )
        assert head.options.HasField("threshold") and head.options.candidates == 5

    def test_what_is_not_given_is_the_default(self, client, server):
        client.ground("a", ["b"])
        (request,) = server[1].seen
        assert decode_ground_options(request.options).ground == GroundOptions()

    def test_sentence_that_fails_has_an_error_and_harms_no_other(self, client):
        for sentences in (
            client.ground("a|fail INVALID_ARGUMENT|c", []).sentences,
            list(client.ground_stream(["a|fail INVALID", "_ARGUMENT|c"], [])),
        ):
            assert [each.error is None for each in sentences] == [True, False, True]
            error = sentences[1].error
            assert isinstance(error, InvalidInputError)
            assert error.violations[0].field == "answer"
            assert ranges(sentences)[1] == (2, 23)

    @pytest.mark.parametrize("refusal", ["refuse INVALID_ARGUMENT", "x" * (SHORT_BYTES + 1)])
    def test_what_is_too_much_for_one_call_is_streamed(self, client, server, refusal):
        if refusal.startswith("refuse"):
            with pytest.raises(InvalidInputError, match="the answer is refused"):
                client.ground(refusal, ["b"])
        else:
            assert ranges(client.ground(refusal, ["b"]).sentences) == [(0, len(refusal))]
        kinds = {type(each) for each in server[1].seen}
        assert align_pb2.GroundStreamRequest in kinds

    def test_long_passages_are_sent_in_several_messages(self, client, server):
        passages = ["word " * 20_000] * 20
        client.ground("x", passages)
        sent = server[1].seen
        assert all(each.ByteSize() < 300_000 for each in sent)
        assert [each.text for request in sent for each in request.passages] == passages
        assert [request.HasField("options") for request in sent] == [True] + [False] * (
            len(sent) - 1
        )

    @pytest.mark.parametrize(
        ("passages", "field"),
        [
            ("one text", "passages"),
            ([5], "passages[0]"),
            (["a", "\ud800"], "passages[1].text"),
            ([("a", "b"), ("a", "c")], "passages[1].id"),
        ],
    )
    def test_bad_passages_are_not_sent(self, client, server, passages, field):
        for ask in (client.ground, client.ground_stream):
            with pytest.raises(InputError) as caught:
                ask("x", passages)
            assert caught.value.field == field
        assert server[1].seen == []

    def test_bad_answers_and_options_are_not_sent(self, client, server):
        with pytest.raises(InputError, match="answer is 5"):
            client.ground(5, [])
        with pytest.raises(InputError, match="answer is not valid Unicode"):
            client.ground("\ud800", [])
        with pytest.raises(InputError, match="threshold is 2"):
            client.ground("a", [], threshold=2)
        with pytest.raises(InputError, match="no option 'style'"):
            client.ground_stream(["a"], [], style="x")
        assert server[1].seen == []

    def test_stream_yields_each_sentence(self, client):
        found = list(client.ground_stream(["It ra", "ins|It", "", " pours"], ["rain"]))
        assert ranges(found) == [(0, 8), (9, 17)]

    def test_piece_that_is_no_text_is_an_error(self, client):
        with pytest.raises(InputError, match="answer is None"):
            list(client.ground_stream(["a|", None], []))

    def test_what_the_pieces_raise_is_raised(self, client):
        def pieces():
            yield "a|"
            raise ZeroDivisionError("in the caller's iterable")

        with pytest.raises(ZeroDivisionError, match="caller's"):
            list(client.ground_stream(pieces(), []))

    def test_end_that_is_not_answered_is_a_deadline_error(self, client):
        with pytest.raises(DeadlineError, match=r"the end of an answer .* within 0\.2 s"):
            list(client.ground_stream(["hang"], [], timeout_s=0.2))

    def test_refused_stream_has_the_status_of_the_server(self, client):
        for _ in range(10):
            with pytest.raises(InvalidInputError, match="the answer is refused"):
                list(client.ground_stream(["refuse", *["word "] * 300], []))


class TestClientGround(GroundContract):
    kind = Client

    def test_sentence_is_yielded_while_the_answer_is_still_written(self, client):
        seen = threading.Event()

        def pieces():
            yield "It rains|It"
            assert seen.wait(30)
            yield " pours"

        found = client.ground_stream(pieces(), [])
        assert ranges([next(found)]) == [(0, 8)]
        seen.set()
        assert ranges(found) == [(9, 17)]

    def test_stream_that_is_closed_ends_the_call(self, client, server):
        stopped = threading.Event()

        def pieces():
            while True:
                if stopped.wait(0.01):
                    return
                yield "a|"

        found = client.ground_stream(pieces(), [])
        next(found)
        found.close()
        stopped.set()
        assert len(client.ground("a|b", []).sentences) == 2


class TestAsyncClientGround(GroundContract):
    kind = Blocking


async def test_pieces_may_be_asynchronous(server):
    async def pieces():
        yield "It rains|It"
        yield " pours"

    async with AsyncClient(server[0]) as client:
        found = [each async for each in client.ground_stream(pieces(), ["rain"])]
    assert ranges(found) == [(0, 8), (9, 17)]


async def test_answers_before_a_refusal_are_read_where_a_write_fails(server):
    async def pieces():
        yield "a|b|c|"
        yield "refuse"
        time.sleep(0.2)  # the server ends the call while nothing is read
        for _ in range(20):
            yield "word "

    found = []
    async with AsyncClient(server[0]) as client:
        with pytest.raises(InvalidInputError, match="the answer is refused"):
            async for each in client.ground_stream(pieces(), []):
                found.append(each)
    assert ranges(found) == [(0, 1), (2, 3), (4, 5)]

"""Both clients keep one contract, held here against a scripted server."""

from __future__ import annotations

import asyncio
import socket
import threading

import grpc
import numpy as np
import pytest
import trustme
from grpc_health.v1 import health_pb2
from support import scripted_server
from support.blocking_client import Blocking
from tokalign.client import (
    AsyncClient,
    CallError,
    CancelledError,
    Client,
    DeadlineError,
    InternalError,
    InvalidInputError,
    Limits,
    NotFoundError,
    OverloadedError,
    Retry,
    Tls,
    TooLargeError,
    UnavailableError,
)
from tokalign.client.errors import CLASSES
from tokalign.errors import InputError
from tokalign.types import Sentence
from tokalign.types.options import DEFAULT_SYMMETRIZATION, Direction, RankBy, Symmetrization
from tokalign.types.ranking import Judgement
from tokalign.v1 import align_pb2


@pytest.fixture
def server():
    with scripted_server.running() as running:
        yield running


NO_PAIRS = [
    (("dog \ud800", "b"), "source", "not valid Unicode"),
    (("a", ["b", "\udfff"]), "target", "not valid Unicode"),
    (("a", 5), "target", "the target is 5; wanted text"),
    ((None, "b"), "source", "the source is None; wanted text"),
    (("a",), "", "wanted a pair (source, target)"),
    ("ab", "", "saw 'ab'; wanted a pair"),
    (("a", "b", "c"), "constraints", "wanted one Constraints"),
]
"""What a caller may take for a pair, the field at fault, and what is said of it."""


class ClientContract:
    """What every client does; subclasses name the class."""

    kind: type

    @pytest.fixture
    def client(self, server):
        with self.kind(server[0]) as client:
            yield client

    def test_alignment_has_tokens_links_score_and_model(self, client):
        alignment = client.align("A dog barked .", "The dog barked !")
        assert alignment.source.tokens == ("A", "dog", "barked", ".")
        assert (alignment.source.starts[1], alignment.source.ends[1]) == (2, 5)
        assert alignment.source.tags == ("NN",) * 4
        assert alignment.source.heads is None
        assert alignment.to_pharaoh() == "1-1 2-2"
        assert alignment.links[0].confidence == 0.75
        assert alignment.score == 0.5
        assert (alignment.model, alignment.version) == ("scripted", "1.2")
        assert alignment.symmetrization is DEFAULT_SYMMETRIZATION
        assert alignment.posteriors is None and alignment.explanations == ()

    def test_given_columns_arrive(self, client, server):
        source = Sentence.from_tokens(
            ["dogs", "bark"], tags=["NNS", "VBP"], lemmas=["dog", "bark"], heads=[1, -1],
            relations=["nsubj", "root"],
        )  # fmt: skip
        alignment = client.align(source, ["dogs", "meow"])
        assert alignment.source == source
        assert alignment.target.tokens == ("dogs", "meow")
        (request,) = server[1].seen
        assert list(request.pair.source.heads) == [1, -1]
        assert list(request.pair.target.tokens) == ["dogs", "meow"]

    def test_rewritten_tokens_keep_the_callers_text_and_offsets(self, client):
        source = Sentence('say "no"', ("say", "``", "no", "''"), (0, 4, 5, 7), (3, 5, 7, 8))
        alignment = client.align(source, "no")
        assert alignment.source.replace(tags=None) == source
        assert alignment.to_pharaoh() == "2-0"

    def test_options_arrive(self, client, server):
        client.align(
            "a", "a", model="en", annotator="native", symmetrization="grow-diag",
            min_confidence=0.5, posteriors=True, explain=True, phrases=True,
            offsets="utf-16", detail="links", truncate=True,
        )  # fmt: skip
        (request,) = server[1].seen
        assert request.options == align_pb2.AlignOptions(
            model="en",
            annotator="native",
            symmetrization=align_pb2.SYMMETRIZATION_GROW_DIAG,
            min_confidence=0.5,
            posteriors=True,
            explain=True,
            phrases=True,
            offsets=align_pb2.OFFSET_UNIT_UTF16_UNITS,
            detail=align_pb2.DETAIL_LINKS,
            truncate=True,
            priority=align_pb2.PRIORITY_AUTO,
            markup=align_pb2.MARKUP_AUTO,
        )

    @pytest.mark.parametrize("symmetrization", Symmetrization)
    def test_every_symmetrization_has_its_number(self, client, server, symmetrization):
        assert (
            client.align("a", "a", symmetrization=symmetrization).symmetrization is symmetrization
        )
        sent = align_pb2.Symmetrization.Name(server[1].seen[0].options.symmetrization)
        assert sent.removeprefix("SYMMETRIZATION_").lower() == symmetrization.name.lower()

    def test_posteriors_have_a_row_a_source_token(self, client):
        posteriors = client.align("a b", "x a b", posteriors=True).posteriors
        assert posteriors.dtype == np.float32
        np.testing.assert_array_equal(posteriors, [[0, 1, 0], [0, 0, 1]])

    def test_explanations_name_features_and_runner_up(self, client):
        (explanation,) = client.align("a b", "b", explain=True).explanations
        assert (explanation.source, explanation.target) == (1, 0)
        assert explanation.direction is Direction.TARGET_TO_SOURCE
        assert explanation.features[0].name == "equal"
        assert (explanation.runner_up, explanation.margin) == (-1, 1.5)

    def test_bad_pair_of_a_batch_costs_the_others_nothing(self, client):
        good, bad, last = client.batch_align(
            [("a", "a"), ("fail INVALID_ARGUMENT", "b"), ("c", "c")]
        )
        assert good.unwrap().to_pharaoh() == last.unwrap().to_pharaoh() == "0-0"
        assert (bad.index, bad.alignment, last.index) == (1, None, 2)
        assert bad.error.violations[0].field == "source.text"
        with pytest.raises(InvalidInputError, match=r"source\.text: as the text asks"):
            bad.unwrap()

    @pytest.mark.parametrize(("bad", "field", "message"), NO_PAIRS)
    def test_what_is_no_pair_costs_the_others_of_a_batch_nothing(self, client, bad, field, message):
        good, refused, last = client.batch_align([("a", "a"), bad, ("c", "c")])
        assert good.unwrap().to_pharaoh() == last.unwrap().to_pharaoh() == "0-0"
        assert isinstance(refused.error, InvalidInputError)
        assert message in str(refused.error)
        assert [each.field for each in refused.error.violations] == ([field] if field else [])

    def test_pairs_may_be_mappings_with_names(self, client):
        rows = [{"id": 7, "premise": "a", "hypothesis": "b"}, {"left": "a"}, ("a", "b")]
        for found in (client.batch_align(rows), list(client.align_stream(iter(rows)))):
            first, bad, last = found
            assert first.unwrap() == last.unwrap()
            assert "the keys 'left'" in str(bad.error)

    def test_one_pair_that_cannot_be_sent_is_an_input_error(self, client, server):
        for source, field in (("dog \ud800", "source"), (["a", 5], "source"), (None, "source")):
            with pytest.raises(InputError) as raised:
                client.align(source, "b")
            assert raised.value.field == field
        assert server[1].seen == []

    def test_candidate_that_cannot_be_sent_comes_last(self, client):
        ranking = client.rank("who came", iter(["\udfff", "who", 5]))
        assert [result.index for result in ranking] == [1, 0, 2]
        assert "not valid Unicode" in str(ranking[1].error)
        assert "the source is 5" in str(ranking[2].error)

    def test_candidates_are_several_and_a_question_is_text(self, client):
        with pytest.raises(InputError, match="one text; wanted several"):
            client.rank("who came", "who")
        with pytest.raises(InputError, match="the question is 5; wanted text"):
            client.rank(5, ["who"])

    def test_empty_batch_gives_no_results(self, client):
        assert client.batch_align([]) == []

    def test_batch_with_a_missing_result_is_an_error(self, client):
        with pytest.raises(InternalError, match="1 results for 2 pairs"):
            client.batch_align([("drop", "a"), ("b", "b")])

    def test_ranking_falls_by_score_and_failures_come_last(self, client):
        candidates = ["x y", "fail NOT_FOUND", "who came", "who"]
        ranking = client.rank("who came", candidates)
        assert [result.index for result in ranking] == [2, 3, 0, 1]
        assert ranking[0].unwrap().source.text == "who came"
        assert isinstance(ranking[-1].error, NotFoundError)
        assert ranking[-1].judgement is None
        assert ranking[0].judgement == Judgement(RankBy.SCORE, ranking[0].alignment.score)

    def test_what_to_rank_by_is_sent(self, client, server):
        client.rank("who came", ["who"], by="similarity")
        assert server[1].seen[-1].by == align_pb2.RANK_BY_SIMILARITY
        with pytest.raises(InputError, match="by is 'size'; wanted one of auto, answer"):
            client.rank("who came", ["who"], by="size")

    def test_ranking_is_cut_to_top_k(self, client):
        (best,) = client.rank("b", ["a", "b", "c"], top_k=1)
        assert best.index == 1

    def test_list_models_tells_what_the_server_offers(self, client):
        info = client.list_models()
        (model,) = info.models
        assert (model.name, model.is_default, model.uses_trees) == ("scripted", True, True)
        # And one that this client does not know.
        assert model.symmetrizations == (Symmetrization.UNION,)
        assert info.annotators == ("native",)
        assert (info.limits.max_pairs, info.limits.max_token_product) == (100, 9000)
        assert info.server_version == "0.0"

    def test_health_is_the_servers(self, client, server):
        server[2].set("", health_pb2.HealthCheckResponse.NOT_SERVING)
        assert client.health() == "NOT_SERVING"

    def test_wait_ready_returns_once_the_server_serves(self, client, server):
        server[2].set("", health_pb2.HealthCheckResponse.NOT_SERVING)
        serving = health_pb2.HealthCheckResponse.SERVING
        timer = threading.Timer(0.3, server[2].set, ("", serving))
        timer.start()
        client.wait_ready(20)
        timer.join()
        assert client.health() == "SERVING"

    def test_wait_ready_says_what_was_seen_last(self, client, server):
        server[2].set("", health_pb2.HealthCheckResponse.NOT_SERVING)
        assert client.health() == "NOT_SERVING"
        with pytest.raises(UnavailableError, match=r"not ready within 2\.5 s: NOT_SERVING"):
            client.wait_ready(2.5)

    @pytest.mark.parametrize("code", [code for code in grpc.StatusCode if code.value[0]])
    def test_every_code_becomes_its_exception(self, server, code):
        with self.kind(server[0], retry=None) as client, pytest.raises(CallError) as caught:
            client.align(f"fail {code.name}", "a")
        assert type(caught.value) is CLASSES.get(code, InternalError)
        assert caught.value.code == code.name
        assert server[0] in str(caught.value) and "as the text asks" in str(caught.value)

    def test_invalid_input_names_the_field(self, client):
        with pytest.raises(InvalidInputError) as caught:
            client.align("fail INVALID_ARGUMENT", "a")
        (violation,) = caught.value.violations
        assert (violation.field, violation.description) == ("pair.source.text", "as the text asks")

    def test_overload_says_when_to_try_again(self, server):
        with self.kind(server[0], retry=None) as client, pytest.raises(OverloadedError) as caught:
            client.align("fail RESOURCE_EXHAUSTED", "a")
        assert caught.value.retry_after_s == 0.25

    @pytest.mark.parametrize("code", ["UNAVAILABLE", "RESOURCE_EXHAUSTED", "CANCELLED"])
    def test_passing_failures_are_retried(self, client, code):
        assert client.align(f"fail {code} 2", "fail").to_pharaoh() == "0-0"

    def test_other_failures_are_not_retried(self, client, server):
        with pytest.raises(InternalError):
            client.align("fail INTERNAL 1", "a")
        assert len(server[1].seen) == 1

    def test_without_retry_a_call_is_sent_once(self, server):
        with self.kind(server[0], retry=None) as client:
            with pytest.raises(UnavailableError):
                client.align("fail UNAVAILABLE 1", "a")
            assert len(server[1].seen) == 1

    def test_deadline_of_the_client_holds(self, server):
        with self.kind(server[0], timeout_s=0.2) as client, pytest.raises(DeadlineError):
            client.align("hang", "a")

    def test_deadline_of_the_call_goes_first(self, client):
        with pytest.raises(DeadlineError):
            client.align("hang", "a", timeout_s=0.2)

    def test_absent_server_is_named(self):
        with socket.socket() as unbound:
            unbound.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{unbound.getsockname()[1]}"
            with (
                self.kind(address, retry=None) as client,
                pytest.raises(UnavailableError, match=f"no server is ready at {address}"),
            ):
                client.align("a", "a")

    def test_too_large_a_request_is_not_sent(self, server):
        limits = Limits(max_request_bytes=1000)
        with self.kind(server[0], limits=limits) as client, pytest.raises(TooLargeError):
            client.align("a " * 1000, "a")
        assert server[1].seen == []

    def test_too_large_a_response_is_refused(self, server):
        limits = Limits(max_response_bytes=1000)
        with self.kind(server[0], limits=limits) as client, pytest.raises(TooLargeError):
            client.align("a " * 100, "a")

    @pytest.mark.parametrize(
        ("options", "field"),
        [
            ({"symmetrization": "sideways"}, "options.symmetrization"),
            ({"min_confidence": 1.5}, "options.min_confidence"),
            ({"confidence": 0.5}, "options.confidence"),
            ({"min_confidence": float("nan")}, "options.min_confidence"),
        ],
    )
    def test_bad_options_are_not_sent(self, client, server, options, field):
        with pytest.raises(InputError) as caught:
            client.align("a", "a", **options)
        assert caught.value.field == field
        assert server[1].seen == []

    def test_tls_and_token_reach_the_server(self):
        authority = trustme.CA()
        certificate = authority.issue_cert("localhost")
        chain = b"".join(blob.bytes() for blob in certificate.cert_chain_pems)
        credentials = grpc.ssl_server_credentials([(certificate.private_key_pem.bytes(), chain)])
        with scripted_server.running(credentials=credentials) as (address, servicer, _):
            tls = Tls(root_certificates=authority.cert_pem.bytes(), server_name="localhost")
            with self.kind(address, tls=tls, token="secret") as client:
                assert client.align("a", "a").to_pharaoh() == "0-0"
            assert servicer.metadata[0]["authorization"] == "Bearer secret"
            stranger = Tls(root_certificates=trustme.CA().cert_pem.bytes(), server_name="localhost")
            with self.kind(address, tls=stranger) as client, pytest.raises(UnavailableError):
                client.align("a", "a")


class TestClient(ClientContract):
    kind = Client

    def test_closed_client_says_so(self, server):
        with Client(server[0]) as client:
            client.align("a", "a")
        with pytest.raises(CancelledError, match="closed"):
            client.align("a", "a")
        with pytest.raises(CancelledError, match="closed"):
            next(client.align_stream([("a", "a")]))

    def test_client_is_shared_by_threads(self, client):
        answers = []
        threads = [
            threading.Thread(target=lambda: answers.append(client.align("a b", "b").to_pharaoh()))
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
        assert answers == ["1-0"] * 8


class TestAsyncClient(ClientContract):
    kind = Blocking

    async def test_calls_run_at_the_same_time(self, server):
        async with AsyncClient(server[0]) as client:
            alignments = await asyncio.gather(*(client.align("a b", "b") for _ in range(20)))
        assert {alignment.to_pharaoh() for alignment in alignments} == {"1-0"}

    async def test_cancelled_task_raises_what_cancelled_tasks_raise(self, server):
        async with AsyncClient(server[0]) as client:
            task = asyncio.create_task(client.align("hang", "a"))
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    async def test_what_the_caller_cancels_is_not_sent_again(self, server):
        async with AsyncClient(server[0], retry=Retry(initial_backoff_s=0.01)) as client:
            task = asyncio.create_task(client.align("hang", "a"))
            while not server[1].seen:
                await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await asyncio.sleep(0.3)
        assert len(server[1].seen) == 1

    async def test_closed_client_says_so(self, server):
        async with AsyncClient(server[0]) as client:
            await client.align("a", "a")
        with pytest.raises(CancelledError, match="closed"):
            await client.align("a", "a")
        with pytest.raises(CancelledError, match="closed"):
            await anext(client.align_stream([("a", "a")]))

    async def test_closing_ends_running_calls(self, server):
        client = AsyncClient(server[0])
        await client.align("a", "a")
        task = asyncio.create_task(client.align("hang", "a"))
        while len(server[1].seen) < 2:
            await asyncio.sleep(0.01)
        await client.close()
        with pytest.raises(CancelledError, match="closed"):
            await task

"""Both clients stream alike, held here against a scripted server."""

from __future__ import annotations

import pytest
from support import scripted_server
from support.blocking_client import Blocking
from tokalign.client import (
    AsyncClient,
    Client,
    DeadlineError,
    InternalError,
    InvalidInputError,
    OverloadedError,
)
from tokalign.errors import InputError


@pytest.fixture
def server():
    with scripted_server.running() as running:
        yield running


class StreamContract:
    """How every client streams; subclasses name the class."""

    kind: type

    @pytest.fixture
    def client(self, server):
        with self.kind(server[0]) as client:
            yield client

    def test_stream_keeps_the_order_of_the_pairs(self, client):
        pairs = [("late", "0"), ("1", "1"), ("2", "2"), ("late", "3"), ("4", "4")]
        results = list(client.align_stream(pairs, chunk_size=1))
        assert [result.index for result in results] == [0, 1, 2, 3, 4]
        assert [result.unwrap().target.text for result in results] == ["0", "1", "2", "3", "4"]

    def test_unordered_stream_hands_on_what_is_done(self, client):
        pairs = [("late", "0"), ("1", "1"), ("2", "2")]
        results = client.align_stream(pairs, chunk_size=1, ordered=False)
        assert [result.index for result in results] == [1, 0, 2]

    def test_stream_counts_pairs_across_chunks(self, client, server):
        pairs = [(str(number), "x") for number in range(10)]
        results = list(client.align_stream(pairs, chunk_size=4))
        assert [result.unwrap().source.text for result in results] == [p[0] for p in pairs]
        assert [len(request.pairs) for request in server[1].seen] == [4, 4, 2]

    def test_bad_pair_of_a_stream_costs_the_others_nothing(self, client):
        pairs = [("a", "a"), ("fail INVALID_ARGUMENT", "b"), ("c", "c")]
        errors = [result.error for result in client.align_stream(pairs)]
        assert [type(error) for error in errors] == [type(None), InvalidInputError, type(None)]

    def test_what_is_no_pair_costs_the_others_of_a_stream_nothing(self, client):
        pairs = [("a", "a"), ("\ud800", "b"), ("c", 5), ("d", "d")]
        results = list(client.align_stream(pairs, chunk_size=2))
        assert [result.error is None for result in results] == [True, False, False, True]
        assert "the source is not valid Unicode" in str(results[1].error)
        assert "the target is 5" in str(results[2].error)

    def test_refused_chunk_gives_each_pair_its_error(self, client):
        pairs = [("refuse RESOURCE_EXHAUSTED", "a"), ("b", "b"), ("c", "c"), ("d", "d")]
        results = list(client.align_stream(pairs, chunk_size=2))
        assert [type(result.error) for result in results[:2]] == [OverloadedError] * 2
        assert [result.unwrap().to_pharaoh() for result in results[2:]] == ["0-0", "0-0"]

    def test_empty_stream_gives_no_results(self, client):
        assert list(client.align_stream([])) == []

    def test_stream_longer_than_what_may_be_in_flight_ends(self, client):
        pairs = [("a", "a")] * 200
        results = list(client.align_stream(pairs, chunk_size=3, max_in_flight=2))
        assert [result.index for result in results] == list(range(200))

    def test_what_the_pairs_raise_is_raised(self, client):
        def pairs():
            yield "a", "a"
            raise ZeroDivisionError("in the caller's iterable")

        with pytest.raises(ZeroDivisionError, match="caller's"):
            list(client.align_stream(pairs(), chunk_size=1))

    def test_stream_that_ends_early_is_an_error(self, client):
        with pytest.raises(InternalError, match="unanswered"):
            list(client.align_stream([("end", "a")]))

    def test_unanswered_chunk_is_a_deadline_error(self, client):
        with pytest.raises(DeadlineError, match=r"not answered within 0\.2 s"):
            list(client.align_stream([("hang", "a")], timeout_s=0.2))

    @pytest.mark.parametrize("options", [{"chunk_size": 0}, {"max_in_flight": 0}])
    def test_stream_sizes_are_checked(self, client, options):
        with pytest.raises(InputError, match="wanted at least 1"):
            client.align_stream([("a", "a")], **options)


class TestClientStream(StreamContract):
    kind = Client

    def test_pairs_of_a_stream_are_read_as_they_are_needed(self, client):
        taken = 0

        def pairs():
            nonlocal taken
            while True:
                taken += 1
                yield "a", "a"

        results = client.align_stream(pairs(), chunk_size=2, max_in_flight=3)
        for _ in range(10):
            next(results)
        results.close()
        assert 10 <= taken <= 10 + 2 * (3 + 2)


class TestAsyncClientStream(StreamContract):
    kind = Blocking

    async def test_asynchronous_pairs_are_read_as_they_are_needed(self, server):
        taken = 0

        async def pairs():
            nonlocal taken
            while True:
                taken += 1
                yield "a", "a"

        async with AsyncClient(server[0]) as client:
            results = client.align_stream(pairs(), chunk_size=2, max_in_flight=3)
            for _ in range(10):
                await anext(results)
            await results.aclose()
        assert 10 <= taken <= 10 + 2 * (3 + 2)

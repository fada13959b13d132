"""Constraints over gRPC: the same answers as in the library, and errors that name the field."""

import asyncio

import grpc
import pytest
from support.server_process import started
from tokalign.aligner import Aligner
from tokalign.client import AsyncClient, Client, Constraints, InvalidInputError
from tokalign.codec.sentences import decode_constraints, encode_constraints
from tokalign.errors import InputError, LimitError
from tokalign.v1 import align_pb2, align_pb2_grpc

SOURCE, TARGET = "Dogs bark loudly at night.", "The dogs barked."
GIVEN = {"anchors": [(4, 0)], "forbidden": [(1, 2)], "unlinked_source": [5], "linked_target": [2]}


@pytest.fixture(scope="module")
def server():
    with started("--model", "en", fake=False) as server:
        yield server
        assert server.stop() == 0


@pytest.fixture(scope="module")
def local():
    return Aligner.load().align(SOURCE, TARGET, **GIVEN)


def test_both_clients_answer_as_the_library_does(server, local):
    async def aligned():
        async with AsyncClient(server.address) as client:
            return await client.align(SOURCE, TARGET, **GIVEN, timeout_s=60)

    pair = (SOURCE, TARGET, Constraints(**GIVEN))
    with Client(server.address, timeout_s=60) as client:
        client.wait_ready()
        answers = [client.align(SOURCE, TARGET, **GIVEN), client.batch_align([pair])[0].unwrap()]
        answers += [each.unwrap() for each in client.align_stream([pair, pair], chunk_size=1)]
        plain, constrained = client.batch_align([(SOURCE, TARGET), pair])
    answers.append(asyncio.run(aligned()))
    assert [each.to_pharaoh() for each in answers] == [local.to_pharaoh()] * 5
    assert constrained.unwrap().links[0] == answers[0].links[0]
    assert plain.unwrap().to_pharaoh() != local.to_pharaoh()


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"anchors": {"source_indices": [0, 1], "target_indices": [0]}}, "anchors"),
        ({"anchors": {"source_indices": [0, 9], "target_indices": [0, 0]}}, "anchors[1]"),
        ({"linked_source": [1], "unlinked_source": [1]}, "linked_source[0]"),
        ({"forbidden": {"source_indices": [0] * 25, "target_indices": [0] * 25}}, "forbidden"),
        ({"unlinked_target": [0] * 5}, "unlinked_target"),
    ],
)
def test_bad_constraints_name_their_field(server, given, field):
    pair = {"source": {"text": SOURCE}, "target": {"text": TARGET}, "constraints": given}
    request = align_pb2.BatchAlignRequest(pairs=[{**pair, "constraints": None}, pair])
    with grpc.insecure_channel(server.address) as channel:
        stub = align_pb2_grpc.AlignServiceStub(channel)
        good, bad = stub.BatchAlign(request, timeout=60, wait_for_ready=True).results
    assert good.status.code == 0
    assert bad.status.code == grpc.StatusCode.INVALID_ARGUMENT.value[0]
    assert bad.status.field == f"constraints.{field}"
    with Client(server.address, timeout_s=60) as client, pytest.raises(InvalidInputError) as caught:
        client.align(SOURCE, TARGET, anchors=[(99, 0)])
    assert [each.field for each in caught.value.violations] == ["pair.constraints.anchors[0]"]


def test_contradictions_are_not_even_sent():
    with Client("localhost:1") as client, pytest.raises(InputError, match="forbidden, too"):
        client.align(SOURCE, TARGET, anchors=[(0, 0)], forbidden=[(0, 0)])


def test_what_is_decoded_is_what_was_encoded():
    constraints = Constraints(**GIVEN)
    message = encode_constraints(constraints)
    assert decode_constraints(message, 6, 4) == constraints
    assert decode_constraints(align_pb2.Constraints(), 6, 4) == Constraints()
    with pytest.raises(LimitError, match="name each once"):
        decode_constraints(align_pb2.Constraints(linked_target=[0, 1, 0]), 6, 2)

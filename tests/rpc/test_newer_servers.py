"""Clients of today at a server whose contract has grown, and at one that is older.

The server has one more field in every message, and one more value in every enumeration. What a
client cannot know is left unread or refused by name; it never takes it for something else.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from concurrent import futures
from typing import Any

import grpc
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from support import scripted_server
from support.blocking_client import Blocking
from tokalign.client import Client, InternalError
from tokalign.client.errors import from_status
from tokalign.codec.options import RequestOptions
from tokalign.codec.texts import decode_texts
from tokalign.errors import InputError
from tokalign.types.relations import RELATION_KINDS
from tokalign.v1 import align_pb2

CLIENTS = pytest.mark.parametrize("kind", [Client, Blocking])
SERVICE = align_pb2.DESCRIPTOR.services_by_name["AlignService"]
Change = Callable[[Any], None]


def grown_contract() -> dict[str, Any]:
    """Return the messages of a contract with one more field and one more value of everything."""
    file = descriptor_pb2.FileDescriptorProto()
    align_pb2.DESCRIPTOR.CopyToProto(file)
    for enum in file.enum_type:
        number = 1 + max(each.number for each in enum.value)
        enum.value.add(name=f"{enum.name}_ADDED", number=number)
    for message in file.message_type:
        number = 1 + max((each.number for each in message.field), default=0)
        message.field.add(name="added", number=number, type="TYPE_STRING", label="LABEL_OPTIONAL")
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    return message_factory.GetMessageClassesForFiles([file.name], pool)


GROWN = grown_contract()


def added(enum: str) -> int:
    """Return the number of the value that only the newer server knows."""
    descriptor = GROWN["tokalign.v1.Alignment"].DESCRIPTOR.file.enum_types_by_name[enum]
    return descriptor.values_by_name[f"{enum}_ADDED"].number


def inside(message: Any) -> Iterator[Any]:
    """Yield a message and all that it holds."""
    yield message
    for field, value in message.ListFields():
        if field.message_type is not None:
            for each in value if hasattr(value, "append") else [value]:
                yield from inside(each)


def fill(message: Any) -> None:
    """Fill what only the newer server knows."""
    for each in inside(message):
        each.added = "new"


def in_each(name: str, change: Change) -> Change:
    """Return a change of every message of that name in an answer."""

    def changed(answer: Any) -> None:
        for each in list(inside(answer)):
            if each.DESCRIPTOR.name == name:
                change(each)

    return changed


@contextlib.contextmanager
def newer_server(change: Change) -> Iterator[str]:
    """Yield the address of a server that answers as the scripted one, in a grown contract."""
    servicer = scripted_server.Servicer()

    def written(message: Any) -> bytes:
        grown = GROWN[message.DESCRIPTOR.full_name].FromString(message.SerializeToString())
        change(grown)
        return grown.SerializeToString()

    handlers = {
        method.name: grpc.stream_stream_rpc_method_handler(
            getattr(servicer, method.name),
            getattr(align_pb2, method.input_type.name).FromString,
            written,
        )
        if method.name.endswith("Stream")
        else grpc.unary_unary_rpc_method_handler(
            getattr(servicer, method.name),
            getattr(align_pb2, method.input_type.name).FromString,
            written,
        )
        for method in SERVICE.methods
        if method.name in vars(scripted_server.Servicer)
    }
    with futures.ThreadPoolExecutor(4) as threads:
        server = grpc.server(threads, options=[("grpc.so_reuseport", 0)])
        generic = grpc.method_handlers_generic_handler(SERVICE.full_name, handlers)
        server.add_generic_rpc_handlers((generic,))
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        try:
            yield f"127.0.0.1:{port}"
        finally:
            servicer.stopping.set()
            server.stop(None).wait(10)


PAIR = ("the dogs bark", "dogs bark")
PAIRS = [PAIR, ("fail NOT_FOUND", "a")]


def plain(value: Any) -> Any:
    """Return results without their exceptions, which have no equality."""
    if isinstance(value, list):
        return [plain(each) for each in value]
    if getattr(value, "error", None) is not None:
        return str(value.error), value.error.reason
    return value


@CLIENTS
def test_fields_that_only_a_newer_server_knows_are_left_unread(kind: Any) -> None:
    found = []
    for change in (fill, lambda message: None):
        with newer_server(change) as address, kind(address) as client:
            found.append(
                plain(
                    [
                        client.align(*PAIR, explain=True),
                        client.batch_align(PAIRS),
                        list(client.align_stream(PAIRS)),
                        client.rank("dogs bark", ["dogs", "the dogs bark", "fail NOT_FOUND"]),
                        client.ground("Dogs bark.", ["Dogs bark."]).sentences,
                        list(client.ground_stream(["Dogs", " bark."], ["Dogs bark."])),
                        client.list_models(),
                    ]
                )
            )
    newer, same = found
    assert newer == same


def test_texts_of_a_newer_server_are_read_without_what_it_adds() -> None:
    block = align_pb2.TextBlock(
        old_sentences=[0],
        new_sentences=[0],
        alignment=align_pb2.Alignment(source_indices=[0], target_indices=[0], confidences=[0.5]),
    )
    spans = [align_pb2.TextSentence(end=5)]
    answer = align_pb2.AlignTextsResponse(old_sentences=spans, new_sentences=spans, blocks=[block])
    grown = GROWN[answer.DESCRIPTOR.full_name].FromString(answer.SerializeToString())
    fill(grown)
    newer = align_pb2.AlignTextsResponse.FromString(grown.SerializeToString())
    texts, options = ("Dogs.", "Dogs."), RequestOptions()
    assert newer != answer
    assert decode_texts([newer], texts, options, from_status) == decode_texts(
        [answer], texts, options, from_status
    )


def relate(kinds: list[int], n_kinds: int) -> Change:
    """Return a change that relates links and phrases by these kinds of so many that are known."""
    shares = [[0.75 if k + 1 == kind else 0.25 / (n_kinds - 1) for k in range(n_kinds)]
              for kind in kinds]  # fmt: skip

    def change(alignment: Any) -> None:
        alignment.relations.extend(kinds)
        for kind, each in zip(kinds, shares, strict=True):
            alignment.relation_probabilities.extend(each)
            alignment.phrases.add(
                source_end=1, target_end=1, relation=kind, relation_probabilities=each
            )

    return in_each("Alignment", change)


@CLIENTS
def test_a_relation_that_only_a_newer_server_knows_is_no_other(kind: Any) -> None:
    new, different = added("RelationKind"), align_pb2.RELATION_KIND_DIFFERENT_VALUE
    with newer_server(relate([new, different], new)) as address, kind(address) as client:
        found = client.align(*PAIR)
    assert found.to_pharaoh() == "1-0 2-1"
    for one, other in (found.links, found.phrases):
        assert one.relation.probabilities[-1] == one.relation.probability == 0.75
        with pytest.raises(
            InputError, match=rf"relation kind {new} is unknown.*update it"
        ) as caught:
            str(one.relation.kind)
        assert caught.value.field == "relations"
        assert other.relation.kind == "different-value"
    assert "unknown kind" in repr(found.links[0])
    with pytest.raises(InputError, match=f"relation kind {new} is unknown"):
        found.to_dict()


@CLIENTS
def test_relations_of_an_older_server_are_read_by_its_own_count(kind: Any) -> None:
    kinds = [align_pb2.RELATION_KIND_OPPOSITE, align_pb2.RELATION_KIND_SAME]
    with newer_server(relate(kinds, len(RELATION_KINDS) - 1)) as address, kind(address) as client:
        found = client.align(*PAIR)
    assert [link.relation.kind for link in found.links] == ["opposite", "same"]
    assert [each.relation.kind for each in found.phrases] == ["opposite", "same"]


def shorten(name: str) -> Change:
    return lambda message: getattr(message, name).pop()


@pytest.mark.parametrize(
    ("message", "name", "part"),
    [
        ("Alignment", "target_indices", "links"),
        ("Alignment", "confidences", "links"),
        ("Alignment", "relations", "links"),
        ("Alignment", "relation_probabilities", "links"),
        ("Sentence", "starts", "source"),
        ("Sentence", "ends", "source"),
        ("Sentence", "tags", "source"),
    ],
)
def test_parallel_fields_of_unlike_lengths_are_refused(message: str, name: str, part: str) -> None:
    def change(answer: Any) -> None:
        relate([1, 2], 8)(answer)
        in_each(message, shorten(name))(answer)

    with newer_server(change) as address, Client(address) as client:
        found = client.align(*PAIR)
    with pytest.raises(InputError, match=f"the answer has .* {name}"):
        getattr(found, part)


def add_conflict(alignment: Any) -> None:
    alignment.conflicts.add(kind=added("ConflictKind"), probability=0.5)


def add_edit(alignment: Any) -> None:
    alignment.edits.add(kind=added("EditKind"), source_end=1)


def add_change(alignment: Any) -> None:
    alignment.edits.add(kind=1, change=added("Change"), source_end=1)


def add_direction(alignment: Any) -> None:
    alignment.explanations.add(direction=added("Direction"))


@CLIENTS
@pytest.mark.parametrize(
    ("change", "part", "enum"),
    [
        (add_conflict, "conflicts", "ConflictKind"),
        (add_edit, "edits", "EditKind"),
        (add_change, "edits", "Change"),
        (add_direction, "explanations", "Direction"),
    ],
)
def test_values_that_only_a_newer_server_knows_are_refused_where_they_are_read(
    kind: Any, change: Change, part: str, enum: str
) -> None:
    with newer_server(in_each("Alignment", change)) as address, kind(address) as client:
        found = client.align(*PAIR)
        (of_many,) = client.batch_align([PAIR])
    for each in (found, of_many.unwrap()):
        assert each.to_pharaoh() == "1-0 2-1"
        with pytest.raises(InputError, match=f"{added(enum)} is unknown.*{enum}"):
            getattr(each, part)


@CLIENTS
def test_what_only_a_newer_server_ranks_by_is_refused(kind: Any) -> None:
    def change(judgement: Any) -> None:
        judgement.by = added("RankBy")

    with (
        newer_server(in_each("Judgement", change)) as address,
        kind(address) as client,
        pytest.raises(InputError, match=f"by {added('RankBy')} is unknown"),
    ):
        client.rank("dogs bark", ["dogs"])


def add_source_conflict(sentence: Any) -> None:
    sentence.conflicts.add(kind=added("ConflictKind"), probability=0.5)


def change_word_kinds(sentence: Any) -> None:
    for word in sentence.words:
        word.kind = added("WordKind")


@CLIENTS
@pytest.mark.parametrize("change", [add_source_conflict, change_word_kinds])
def test_kinds_of_evidence_that_only_a_newer_server_knows_are_refused(
    kind: Any, change: Change
) -> None:
    with newer_server(in_each("GroundedSentence", change)) as address, kind(address) as client:
        with pytest.raises(InputError, match=r"kind \d+ is unknown"):
            client.ground("Dogs bark.", ["Dogs bark."])
        with pytest.raises(InputError, match=r"kind \d+ is unknown"):
            list(client.ground_stream(["Dogs bark."], ["Dogs bark."]))


@CLIENTS
def test_errors_that_only_a_newer_server_knows_are_errors(kind: Any) -> None:
    def change(status: Any) -> None:
        if status.code:
            status.code, status.reason = 77, added("ErrorReason")

    with newer_server(in_each("Status", change)) as address, kind(address) as client:
        _, failed = client.batch_align(PAIRS)
    assert isinstance(failed.error, InternalError)
    assert failed.error.reason == f"UNKNOWN_{added('ErrorReason')}"


@CLIENTS
def test_symmetrizations_that_only_a_newer_server_knows_are_left_out(kind: Any) -> None:
    def change(model: Any) -> None:
        model.symmetrizations.append(added("Symmetrization"))

    with newer_server(in_each("ModelInfo", change)) as address, kind(address) as client:
        (model,) = client.list_models().models
    assert model.symmetrizations == ("union",)

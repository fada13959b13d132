"""Any message of the contract to any of its methods: never a fault of the server.

The methods and fields come from the contract's descriptors, so that a new one is covered by itself.
"""

import asyncio

import grpc
import pytest
from google.protobuf import message_factory
from google.protobuf.descriptor import FieldDescriptor
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tokalign.v1 import align_pb2

METHODS = align_pb2.DESCRIPTOR.services_by_name["AlignService"].methods
FAULTS = {grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN, grpc.StatusCode.DATA_LOSS}

TEXTS = st.sampled_from(["", " ", "a", "Dogs bark.", "\x00", "\u2028", "x" * 3000]) | st.text(
    st.characters(exclude_categories=["Cs"]), max_size=8
)
INTS = {
    FieldDescriptor.TYPE_SINT32: st.integers(-(2**31), 2**31 - 1),
    FieldDescriptor.TYPE_INT32: st.integers(-(2**31), 2**31 - 1),
    FieldDescriptor.TYPE_UINT32: st.integers(0, 2**32 - 1),
    FieldDescriptor.TYPE_INT64: st.integers(-(2**63), 2**63 - 1),
    FieldDescriptor.TYPE_UINT64: st.integers(0, 2**64 - 1),
}
# A field that no version knows, with a number far above those that are given out.
UNKNOWN = st.sampled_from([b"", b"", b"\xfa\x7f\x01a", b"\xf8\x7f\x01"])


def values(field, depth):
    """Return values of a field."""
    if field.type in INTS:
        return st.integers(0, 3) | INTS[field.type]
    if field.type == FieldDescriptor.TYPE_ENUM:
        known = [each.number for each in field.enum_type.values]
        return st.sampled_from(known) | st.integers(-(2**31), 2**31 - 1)
    if field.type in (FieldDescriptor.TYPE_FLOAT, FieldDescriptor.TYPE_DOUBLE):
        return st.floats(0, 1, width=32) | st.floats(width=32)
    if field.type == FieldDescriptor.TYPE_BOOL:
        return st.booleans()
    if field.type == FieldDescriptor.TYPE_BYTES:
        return st.binary(max_size=8)
    if field.type == FieldDescriptor.TYPE_STRING:
        return TEXTS
    return messages(field.message_type, depth - 1)


def messages(descriptor, depth=3):
    """Return messages of a kind, with any of its fields, and maybe one that is unknown."""
    kind = message_factory.GetMessageClass(descriptor)
    fields = {}
    for field in descriptor.fields if depth else ():
        each = values(field, depth)
        fields[field.name] = st.lists(each, max_size=3) if field.is_repeated else each

    def made(given, more):
        message = kind(**given)
        message.MergeFromString(more)
        return message

    return st.builds(made, st.fixed_dictionaries({}, optional=fields), UNKNOWN)


# Strategies of messages inside messages are long where they are printed.
@pytest.mark.filterwarnings("ignore:Generating overly large repr")
@pytest.mark.parametrize("method", list(METHODS), ids=lambda each: each.name)
async def test_any_message_has_an_answer_or_an_error_of_the_caller(serving, method):
    stub = await serving()
    call = getattr(stub, method.name)
    loop = asyncio.get_running_loop()

    async def send(sent):
        try:
            if not method.client_streaming:
                await call(sent[0], timeout=60)
                return
            async for _ in call(iter(sent), timeout=60):
                pass
        except grpc.aio.AioRpcError as error:
            # The client's own, where the server has refused a stream that is still being sent.
            if method.client_streaming and error.details() == "Internal error from Core":
                return
            assert error.code() not in FAULTS, (error.details(), sent)
            assert error.code() != grpc.StatusCode.DEADLINE_EXCEEDED, sent

    @settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(messages(method.input_type), min_size=1, max_size=3))
    def any_message(sent):
        asyncio.run_coroutine_threadsafe(send(sent), loop).result()

    await asyncio.to_thread(any_message)

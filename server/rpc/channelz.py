"""grpc.channelz.v1: grpc's own view of its connections and streams, for operators."""

from __future__ import annotations

from importlib.metadata import version

import grpc
from google.protobuf.message import Message
from grpc_channelz.v1 import channelz, channelz_pb2
from tokalign.codec.servers import ErrorReason
from tokalign.server.requests.wire import parse
from tokalign.server.rpc.calls import Calls, UnaryMethod
from tokalign.server.rpc.receiving import Context
from tokalign.server.status import Missing, RefusedError, UnknownNameError

_DESCRIPTOR = channelz_pb2.DESCRIPTOR.services_by_name["Channelz"]
SERVICE = _DESCRIPTOR.full_name


def handler(calls: Calls) -> grpc.GenericRpcHandler:
    """Return what grpc.aio.Server.add_generic_rpc_handlers takes; callers need an admin's token."""
    methods = {name: _method(name) for name in _DESCRIPTOR.methods_by_name}
    return calls.handler(SERVICE, unary=methods, streams={}, for_admins=True)


def _method(name: str) -> UnaryMethod:
    request_type = getattr(channelz_pb2, f"{name}Request")
    answer = getattr(channelz.aio.ChannelzServicer, name)

    async def method(data: bytes, context: Context) -> bytes:
        question = parse(request_type, data)
        response: Message | None = await answer(question, context)
        if response is None:
            # grpc's own servicer has set a code instead.
            if context.code() == grpc.StatusCode.NOT_FOUND:
                raise UnknownNameError(
                    f"{name}: no such id; ids change as connections come and go",
                    Missing(name.removeprefix("Get").lower(), _id(question)),
                    reason=ErrorReason.CHANNEL_NOT_FOUND,
                )
            # An older package lacks the fields that a newer grpc fills.
            raise RefusedError(
                f"grpcio-channelz {version('grpcio-channelz')} cannot read what grpcio "
                f"{version('grpcio')} says of itself; install the same version of both",
                reason=ErrorReason.VERSION_MISMATCH,
            )
        return response.SerializeToString()

    return method


def _id(question: Message) -> str:
    """Return the first number of a question."""
    return str(next((value for _, value in question.ListFields()), 0))

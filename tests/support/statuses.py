"""The status of a failed call."""

import asyncio

import grpc.aio
import pytest
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from tokalign.codec.servers import ERROR_DOMAIN, ErrorReason
from tokalign.server.status import CODES
from tokalign.v1 import align_pb2_grpc

DETAILS = (
    error_details_pb2.BadRequest,
    error_details_pb2.ErrorInfo,
    error_details_pb2.ResourceInfo,
    error_details_pb2.RetryInfo,
)


async def failure(call):
    """Return the code, the message and the details of a failed call, which must have a reason."""
    with pytest.raises(grpc.RpcError) as caught:
        await call
    code, found = caught.value.code(), details(caught.value)
    info = found.pop("ErrorInfo")
    assert info.domain == ERROR_DOMAIN
    assert CODES[ErrorReason(info.reason)] == code.value[0]
    return code, caught.value.details(), found


async def failure_of_stream(stub, method, messages):
    """Return the code, the message and the details of a stream of a method that fails.

    A thread calls, since grpc.aio puts a status of its own in place of the server's where it still
    writes (grpc/grpc#36066).
    """

    def read():
        with grpc.insecure_channel(stub.address) as channel:
            for _ in getattr(align_pb2_grpc.AlignServiceStub(channel), method)(messages):
                pass

    return await failure(asyncio.to_thread(read))


async def reason(call):
    """Return the reason of a failed call, and the details beside it."""
    with pytest.raises(grpc.RpcError) as caught:
        await call
    found = details(caught.value)
    return found.pop("ErrorInfo").reason, found


async def code_of(call):
    """Return the code of a call that grpc itself may have ended, which knows no reasons."""
    with pytest.raises(grpc.RpcError) as caught:
        await call
    return caught.value.code()


def details(error):
    """Return the details of an error by their names."""
    found = {}
    rich = rpc_status.from_call(error)
    for packed in rich.details if rich else ():
        for kind in DETAILS:
            if packed.Is(kind.DESCRIPTOR):
                message = kind()
                packed.Unpack(message)
                found[kind.DESCRIPTOR.name] = message
    return found

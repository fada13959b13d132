"""The status of a failed call."""

import grpc.aio
import pytest
from google.rpc import error_details_pb2
from grpc_status import rpc_status


async def failure(call):
    """Return the code, the message and the details of a failed call."""
    with pytest.raises(grpc.RpcError) as caught:
        await call
    details = {}
    rich = rpc_status.from_call(caught.value)
    for packed in rich.details if rich else ():
        for kind in (error_details_pb2.BadRequest, error_details_pb2.RetryInfo):
            if packed.Is(kind.DESCRIPTOR):
                message = kind()
                packed.Unpack(message)
                details[kind.DESCRIPTOR.name] = message
    return caught.value.code(), caught.value.details(), details

"""Reflection: both versions of the service that describes the others, and themselves.

The versions have the same messages. grpc's package has the file of the first alone; that of the
second is made from it.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import Any

import grpc
from google.protobuf import text_format
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection, reflection_pb2
from tokalign.server.requests.wire import parse
from tokalign.server.rpc import health
from tokalign.server.rpc.calls import Calls
from tokalign.server.rpc.receiving import Context
from tokalign.server.rpc.service import SERVICE
from tokalign.v1 import align_pb2

_ALPHA, _V1 = "v1alpha", "v1"
NAMES = (reflection.SERVICE_NAME, reflection.SERVICE_NAME.replace(_ALPHA, _V1))


def handlers(calls: Calls) -> list[grpc.GenericRpcHandler]:
    """Return the handlers of both versions; callers need a token where others do."""
    pool = _described()
    names = (SERVICE, health.SERVICE, *NAMES)
    servicer: Any = reflection.aio.ReflectionServicer(names, pool)

    async def describe(messages: AsyncIterator[bytes], context: Context) -> None:
        questions = (_known_to_pool(data, pool) async for data in messages)
        async for answer in servicer.ServerReflectionInfo(questions, context):
            await context.write(answer.SerializeToString())

    streams = {"ServerReflectionInfo": describe}
    return [calls.handler(name, unary={}, streams=streams) for name in NAMES]


def _described() -> DescriptorPool:
    """Return a pool of all files of the services."""
    pool = DescriptorPool()

    def add(file: Any) -> None:
        for each in file.dependencies:
            add(each)
        pool.AddSerializedFile(file.serialized_pb)

    for each in (align_pb2.DESCRIPTOR, health_pb2.DESCRIPTOR, reflection_pb2.DESCRIPTOR):
        add(each)
    first = FileDescriptorProto.FromString(reflection_pb2.DESCRIPTOR.serialized_pb)
    text = text_format.MessageToString(first).replace(_ALPHA, _V1)
    pool.Add(text_format.Parse(text, FileDescriptorProto()))
    return pool


def _known_to_pool(data: bytes, pool: DescriptorPool) -> Any:
    """Return a question, with a method's service in the method's place.

    protobuf finds the file of a service, but not of a method, which is the same.
    """
    question = parse(reflection_pb2.ServerReflectionRequest, data)
    service, _, method = question.file_containing_symbol.rpartition(".")
    with contextlib.suppress(KeyError):
        if method in pool.FindServiceByName(service).methods_by_name:
            question.file_containing_symbol = service
    return question

"""Answers and passages for the server, whole and in pieces."""

import asyncio

import grpc
import pytest
from tokalign.v1 import align_pb2, align_pb2_grpc

from support.statuses import failure

PASSAGES = {"a": "One dog barked. It snowed \N{DOG} once.", "b": "Bread is sold there."}


def passages(texts):
    return [align_pb2.SourcePassage(id=name, text=text) for name, text in texts.items()]


def answer_of(*sentences):
    return "\n\n".join(sentences)


def request(answer, texts=PASSAGES, **options):
    return align_pb2.GroundRequest(answer=answer, passages=passages(texts), options=options)


def pieces(answer, texts=PASSAGES, size=7, **options):
    """Yield passages one by one, and then the answer in pieces of a few characters."""
    yield align_pb2.GroundStreamRequest(options=options)
    for each in passages(texts):
        yield align_pb2.GroundStreamRequest(passages=[each])
    for start in range(0, len(answer), size):
        yield align_pb2.GroundStreamRequest(answer=answer[start : start + size])


async def at_once(stub, answer, texts=PASSAGES, **options):
    return await stub.Ground(request(answer, texts, **options))


async def in_pieces(stub, answer, texts=PASSAGES, **options):
    """Return the parts of a stream's answer, joined."""
    joined = align_pb2.GroundResponse()
    async for part in stub.GroundStream(pieces(answer, texts, **options)):
        joined.MergeFromString(part.SerializeToString())
    return joined


async def stream_failure(stub, messages):
    """Return the code, the message and the details of a stream that fails.

    A thread calls, since grpc.aio puts a status of its own in place of the server's where it still
    writes (grpc/grpc#36066).
    """

    def read():
        with grpc.insecure_channel(stub.address) as channel:
            for _ in align_pb2_grpc.AlignServiceStub(channel).GroundStream(messages):
                pass

    return await failure(asyncio.to_thread(read))


async def at_once_failure(stub, answer, texts=PASSAGES, **options):
    return await failure(at_once(stub, answer, texts, **options))


async def in_pieces_failure(stub, answer, texts=PASSAGES, **options):
    return await stream_failure(stub, pieces(answer, texts, **options))


both = pytest.mark.parametrize("ask", [at_once, in_pieces])
both_fail = pytest.mark.parametrize("refused", [at_once_failure, in_pieces_failure])

"""Answers and passages for the server, whole and in pieces."""

import pytest
from tokalign.v1 import align_pb2

from support.statuses import failure, failure_of_stream

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
    return await failure_of_stream(stub, "GroundStream", messages)


async def at_once_failure(stub, answer, texts=PASSAGES, **options):
    return await failure(at_once(stub, answer, texts, **options))


async def in_pieces_failure(stub, answer, texts=PASSAGES, **options):
    return await stream_failure(stub, pieces(answer, texts, **options))


both = pytest.mark.parametrize("ask", [at_once, in_pieces])
both_fail = pytest.mark.parametrize("refused", [at_once_failure, in_pieces_failure])

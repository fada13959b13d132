"""Answers and passages for the server, whole and in pieces."""

import pytest
from tokalign.v1 import align_pb2

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
    async def read():
        async for _ in stub.GroundStream(messages):
            pass

    return await failure(read())


both = pytest.mark.parametrize("ask", [at_once, in_pieces])

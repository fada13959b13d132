"""Two texts for the server, whole and in pieces."""

import pytest
from tokalign.v1 import align_pb2

from support.statuses import failure_of_stream


def text(*sentences):
    return "\n\n".join(sentences)


def request(old, new, **options):
    return align_pb2.AlignTextsRequest(old_text=old, new_text=new, options=options)


def pieces(old, new, size=7, **options):
    """Yield both texts in pieces of a few characters."""
    for start in range(0, max(len(old), len(new), 1), size):
        yield align_pb2.AlignTextsStreamRequest(
            old_text=old[start : start + size],
            new_text=new[start : start + size],
            options=None if start else options,
        )


async def at_once(stub, old, new, **options):
    return await stub.AlignTexts(request(old, new, **options))


async def in_pieces(stub, old, new, **options):
    """Return the parts of a stream's answer, joined."""
    answer = align_pb2.AlignTextsResponse()
    async for part in stub.AlignTextsStream(pieces(old, new, **options)):
        answer.MergeFromString(part.SerializeToString())
    return answer


async def read(stub, messages):
    """Read the answers of a stream to its end."""
    async for _ in stub.AlignTextsStream(messages):
        pass


async def stream_failure(stub, messages):
    return await failure_of_stream(stub, "AlignTextsStream", messages)


OLD = text("One dog barked.", "It snowed \N{DOG} once.", "Bread is sold there.")
NEW = text(
    "One dog barked.", "It snowed \N{DOG} twice.", "Nobody came home.", "Bread is sold there."
)

both = pytest.mark.parametrize("ask", [at_once, in_pieces])

"""Slow, obvious twin of what counts and estimates the tokens of serialised pairs."""

from __future__ import annotations

from google.protobuf.message import DecodeError
from tokalign.v1 import align_pb2

SIGNS = "\"'`:,.;@#$%&?!()[]{}<>"


def sizes(pair: bytes, max_tokens: int, max_bytes: int) -> tuple[int, int, int, int, int]:
    if len(pair) > max_bytes:
        return max_tokens, max_tokens, 0, 0, len(pair)
    try:
        message = align_pb2.Pair.FromString(pair)
    except DecodeError:
        return 0, 0, 0, 0, 0
    sides = (message.source, message.target)
    n_source, n_target = (
        min(len(each.tokens) or estimated_tokens(each.text), max_tokens) for each in sides
    )
    source_bytes, target_bytes = (
        len("".join(each.tokens).encode() if each.tokens else each.text.encode()) for each in sides
    )
    return n_source, n_target, source_bytes, target_bytes, message.constraints.ByteSize()


def estimated_tokens(text: str) -> int:
    separators = sum(character <= " " or character == "-" for character in text)
    signs = sum(
        character in SIGNS or "\x80" <= character <= "\xbf" or character >= "\u0800"
        for character in text
    )
    return 1 + separators + 2 * signs

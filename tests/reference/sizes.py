"""Slow, obvious twin of what counts and estimates the tokens of serialised pairs."""

from __future__ import annotations

from google.protobuf.message import DecodeError
from tokalign.v1 import align_pb2

SIGNS = "\"'`:,.;@#$%&?!()[]{}<>"


def n_tokens(pair: bytes, max_tokens: int, max_bytes: int) -> tuple[int, int]:
    if len(pair) > max_bytes:
        return max_tokens, max_tokens
    try:
        message = align_pb2.Pair.FromString(pair)
    except DecodeError:
        return 0, 0
    source, target = (
        min(len(each.tokens) or estimated_tokens(each.text), max_tokens)
        for each in (message.source, message.target)
    )
    return source, target


def least_tokens(pair: bytes) -> tuple[int, int, int]:
    try:
        message = align_pb2.Pair.FromString(pair)
    except DecodeError:
        return 0, 0, 0
    source, target = (
        list(each.tokens) or each.text.split() for each in (message.source, message.target)
    )
    return len(source), len(target), len("".join(source + target).encode())


def estimated_tokens(text: str) -> int:
    separators = sum(character <= " " or character == "-" for character in text)
    signs = sum(
        character in SIGNS or "\x80" <= character <= "\xbf" or character >= "\u0800"
        for character in text
    )
    return 1 + separators + 2 * signs

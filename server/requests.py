"""Requests as callers send them: messages, or an error that names what is wrong. No grpc here."""

from __future__ import annotations

from typing import TypeVar

from google.protobuf.message import DecodeError, Message
from tokalign.codec import decode_input
from tokalign.errors import InputError, LimitError
from tokalign.server.config import RequestLimits
from tokalign.types import SentenceLike
from tokalign.v1 import align_pb2

MessageT = TypeVar("MessageT", bound=Message)


def parse(kind: type[MessageT], data: bytes) -> MessageT:
    """Return a request, or raise InputError where the bytes are none."""
    try:
        return kind.FromString(data)
    except DecodeError as error:
        raise InputError(
            f"the request is not a valid {kind.DESCRIPTOR.full_name}; see protos/tokalign/v1"
        ) from error


def sentence(message: align_pb2.Sentence, *, side: str, limits: RequestLimits) -> SentenceLike:
    """Return a sentence within the limits; see codec.decode_input.

    Parameters
    ----------
    message : align_pb2.Sentence
    side : str
        Path of the sentence, such as ``"source"``; errors name fields below it.
    limits : RequestLimits

    Raises
    ------
    InputError
        If it is empty, or its columns contradict one another.
    LimitError
        If it is too long.
    """
    _limit(len(message.tokens), limits.max_tokens, "tokens", f"{side}.tokens")
    n_characters = max(len(message.text), sum(map(len, message.tokens)))
    given = "tokens" if message.tokens else "text"
    _limit(n_characters, limits.max_characters, "characters", f"{side}.{given}")
    try:
        return decode_input(message)
    except InputError as error:
        error.field = f"{side}.{error.field}" if error.field else side
        raise


def texts(data: bytes) -> dict[str, str]:
    """Return both texts of a serialised pair, for a log that may quote them."""
    pair = align_pb2.Pair.FromString(data)
    return {
        side: sentence.text or " ".join(sentence.tokens)
        for side, sentence in (("source", pair.source), ("target", pair.target))
    }


def _limit(seen: int, limit: int, unit: str, field: str) -> None:
    if seen > limit:
        raise LimitError(
            f"{seen} {unit}; the server takes at most {limit}: shorten or split the sentence",
            field=field,
        )

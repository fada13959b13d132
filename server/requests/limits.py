"""Limits of a request's sentences: longer ones are refused, or cut if that is asked for."""

from __future__ import annotations

from collections.abc import Sequence

from tokalign.codec.sentences import decode_input
from tokalign.codec.servers import ErrorReason
from tokalign.errors import InputError
from tokalign.server.config import RequestLimits
from tokalign.server.status import RequestLimitError
from tokalign.types import SentenceLike
from tokalign.v1 import align_pb2

_COLUMNS = ("tokens", "tags", "lemmas", "relations", "heads")


def sentence(message: align_pb2.Sentence, *, side: str, limits: RequestLimits) -> SentenceLike:
    """Return a sentence within the limits; see codec.decode_input.

    Parameters
    ----------
    side : str
        Path of the sentence, such as ``"source"``; errors name fields below it.

    Raises
    ------
    InputError
        If it is empty, or its columns contradict one another.
    LimitError
        If it is too long.
    """
    n_characters = len(message.text)
    if n_characters > limits.max_characters:
        raise _too_long(n_characters, limits.max_characters, "characters", f"{side}.text")
    for name in _COLUMNS:
        column = getattr(message, name)
        if not column:
            continue
        if len(column) > limits.max_tokens:
            raise _too_long(len(column), limits.max_tokens, name, f"{side}.{name}")
        n_characters = 0 if name == "heads" else sum(map(len, column))
        if n_characters > limits.max_characters:
            raise _too_long(n_characters, limits.max_characters, "characters", f"{side}.{name}")
    try:
        return decode_input(message)
    except InputError as error:
        error.field = f"{side}.{error.field}" if error.field else side
        raise


def shorten(message: align_pb2.Sentence, limits: RequestLimits) -> bool:
    """Cut a sentence that is too long down to the limits, and return whether it was.

    Text is cut after the last word that fits. Text beside tokens is cut after the last token that
    is kept. If that token ends beyond the limit, or is not in the text, the sentence stays as it is
    and is refused later.
    """
    n_tokens, text = len(message.tokens), message.text
    n_kept = n_characters = 0
    for token in message.tokens[: limits.max_tokens]:
        n_characters += len(token)
        if n_characters > limits.max_characters:
            break
        n_kept += 1
    if 0 < n_kept < n_tokens:
        for name in ("tokens", "tags", "lemmas", "heads", "relations"):
            column = getattr(message, name)
            if len(column) == n_tokens:  # others are refused
                del column[n_kept:]
        for index, head in enumerate(message.heads):
            if head >= n_kept:
                message.heads[index] = -1
    if len(text) > limits.max_characters:
        text = text.rstrip()
        message.text = _text_within(text, message.tokens, limits.max_characters)
    return len(message.tokens) < n_tokens or len(message.text) < len(text)


def _text_within(text: str, tokens: Sequence[str], limit: int) -> str:
    """Return the start of a text within a limit, or all of it if its tokens go beyond."""
    end = 0
    for token in tokens:
        start = text.find(token, end)
        end = start + len(token)
        if start < 0 or end > limit:
            return text
    if tokens or len(text) <= limit or text[limit].isspace():
        return text[:limit]
    words = text[:limit].split()
    is_cut_word = len(words) > 1 and not text[limit - 1].isspace()
    return text[: limit - len(words[-1])] if is_cut_word else text[:limit]


def max_sentence_bytes(limits: RequestLimits) -> int:
    """Return a number of bytes that no sentence within the limits takes on the wire."""
    # Five columns of text in UTF-8, and of each token the numbers and the columns' tags and sizes.
    return 5 * 4 * limits.max_characters + 64 * limits.max_tokens + 64


def _too_long(seen: int, limit: int, unit: str, field: str) -> RequestLimitError:
    return RequestLimitError(
        f"{seen} {unit}; the server takes at most {limit}: shorten or split the sentence",
        reason=ErrorReason.LIMIT_EXCEEDED,
        field=field,
    )

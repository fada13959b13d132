"""Calls that align two texts: at once where they are short, in pieces where they are long."""

from __future__ import annotations

from collections.abc import Iterable

from tokalign.client.errors import from_status
from tokalign.client.rpcs import Rpc
from tokalign.codec import (
    RequestOptions,
    decode_texts,
    encode_text_pieces,
    encode_texts,
    text_bytes,
)
from tokalign.types.texts import TextAlignment
from tokalign.v1 import align_pb2

# Texts of so many bytes together are answered by one message of a usual server.
SHORT_BYTES = 16 << 10


class TextCalls:
    """The calls for two texts.

    Parameters
    ----------
    old, new : str
    options : RequestOptions

    Attributes
    ----------
    is_short : bool
        Whether they are sent at once first.

    Raises
    ------
    InputError
        If one is no text, or holds lone surrogates.
    """

    def __init__(self, old: str, new: str, options: RequestOptions) -> None:
        n_bytes = text_bytes(old, "old_text") + text_bytes(new, "new_text")
        self.is_short = n_bytes <= SHORT_BYTES
        self._old = old
        self._new = new
        self._options = options

    def at_once(self) -> Rpc[TextAlignment]:
        """Return the call with one message."""
        request = encode_texts(self._old, self._new, self._options)
        return Rpc("AlignTexts", request, lambda answer: self._decode([answer]))

    def in_pieces(self) -> Rpc[TextAlignment]:
        """Return the call with a stream of messages."""
        requests = encode_text_pieces(self._old, self._new, self._options)
        return Rpc("AlignTextsStream", requests, self._decode)

    def _decode(
        self,
        parts: Iterable[align_pb2.AlignTextsResponse | align_pb2.AlignTextsStreamResponse],
    ) -> TextAlignment:
        """Return the answer, whose fields may be spread over several messages."""
        return decode_texts(parts, (self._old, self._new), self._options, from_status)

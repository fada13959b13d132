"""Messages of two texts, and of their alignment."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

from tokalign.codec.alignments import decode_alignment
from tokalign.codec.options import RequestOptions, encode_options
from tokalign.errors import ServerError
from tokalign.types.options import OffsetUnit
from tokalign.types.texts import SentenceSpan, TextAlignment, TextBlock
from tokalign.v1 import align_pb2

# Keeps the message of a piece of each text far below the servers' limit.
PIECE_CHARACTERS = 128 << 10

_CODECS = {OffsetUnit.UTF8_BYTES: ("utf-8", 1), OffsetUnit.UTF16_UNITS: ("utf-16-le", 2)}
"""Unit -> the encoding that it counts, and the bytes of a unit."""


def encode_texts(old: str, new: str, options: RequestOptions) -> align_pb2.AlignTextsRequest:
    """Return the message for both texts at once."""
    return align_pb2.AlignTextsRequest(old_text=old, new_text=new, options=encode_options(options))


def encode_text_pieces(
    old: str, new: str, options: RequestOptions
) -> Iterator[align_pb2.AlignTextsStreamRequest]:
    """Yield the messages for both texts in pieces, at least one."""
    sent = encode_options(options)
    for start in range(0, max(len(old), len(new), 1), PIECE_CHARACTERS):
        end = start + PIECE_CHARACTERS
        yield align_pb2.AlignTextsStreamRequest(
            old_text=old[start:end], new_text=new[start:end], options=None if start else sent
        )


def decode_text_sentences(
    messages: Sequence[align_pb2.TextSentence], text: str, unit: OffsetUnit
) -> tuple[SentenceSpan, ...]:
    """Return the sentences of a text, with offsets in the unit that the request asked for."""
    spans = [(message.start, message.end) for message in messages]
    if unit is OffsetUnit.CODE_POINTS or text.isascii():
        return tuple([SentenceSpan(start, end, text[start:end]) for start, end in spans])
    encoding, width = _CODECS[unit]
    data = text.encode(encoding)
    return tuple(
        [
            SentenceSpan(start, end, data[width * start : width * end].decode(encoding))
            for start, end in spans
        ]
    )


def decode_texts(
    parts: Iterable[align_pb2.AlignTextsResponse | align_pb2.AlignTextsStreamResponse],
    texts: tuple[str, str],
    options: RequestOptions,
    error_of: Callable[[align_pb2.Status], ServerError],
) -> TextAlignment:
    """Return two aligned texts.

    `parts`: the answer; its fields may be spread over several messages. `texts`: the old and the
    new one, as they were sent. `options`: those that were sent. `error_of`: returns the exception
    for a block that could not be aligned.
    """
    parts = list(parts)
    unit = options.align.offsets
    model = next((part.model for part in parts if part.HasField("model")), align_pb2.ModelRef())

    def block(message: align_pb2.TextBlock) -> TextBlock:
        alignment = error = None
        if message.status.code:
            error = error_of(message.status)
        elif message.HasField("alignment"):
            alignment = decode_alignment(message.alignment, model, options.align.symmetrization)
        old, new = tuple(message.old_sentences), tuple(message.new_sentences)
        return TextBlock(old, new, message.moved, alignment, error)

    old, new = texts
    old_sentences = list(chain.from_iterable(part.old_sentences for part in parts))
    new_sentences = list(chain.from_iterable(part.new_sentences for part in parts))
    return TextAlignment(
        old_text=old,
        new_text=new,
        old=decode_text_sentences(old_sentences, old, unit),
        new=decode_text_sentences(new_sentences, new, unit),
        blocks=tuple(block(each) for part in parts for each in part.blocks),
        model=model.name,
        version=model.version,
    )

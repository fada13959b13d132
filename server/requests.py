"""Requests as callers send them: messages, or an error that names what is wrong. No grpc here."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, TypeVar, cast

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import DecodeError, Message
from tokalign.codec import decode_input
from tokalign.codec._fields import (
    LENGTH_DELIMITED,
    VARINT,
    WireError,
    fields,
    tag,
    values,
)
from tokalign.errors import InputError, LimitError
from tokalign.server.config import RequestLimits
from tokalign.types import SentenceLike
from tokalign.v1 import align_pb2

MessageT = TypeVar("MessageT", bound=Message)


# Fields of a request beside its items, and of an item, more than any client sends.
MAX_OTHER_FIELDS = 16

_COLUMNS = ("tokens", "tags", "lemmas", "relations", "heads")
_VARINTS = (FieldDescriptor.TYPE_UINT32, FieldDescriptor.TYPE_ENUM)


class Item(NamedTuple):
    """A pair or a candidate: its id, and its serialised message."""

    id: str
    data: bytes


class Parts:
    """A request cut into its fields: what they hold has not been parsed, only counted.

    Parameters
    ----------
    kind : type of Message
        Of length-delimited fields, uint32 and enums; others are passed over.
    data : bytes
    max_items : int
        Cutting stops after one more of these; the caller says what is wrong.

    Raises
    ------
    InputError
        If the bytes are no such message, or hold far more fields than one has.
    """

    def __init__(self, kind: type[Message], data: bytes, max_items: int) -> None:
        self._kind = kind
        names, repeated = _layout(kind.DESCRIPTOR)
        self._fields = parts = cast(
            dict[str, list[bytes | int]], {name: [] for name in names.values()}
        )
        items = parts.get(repeated, [])
        n_left = max_items + MAX_OTHER_FIELDS
        try:
            for number, value in fields(data):
                if (name := names.get(number)) is not None:
                    parts[name].append(value)
                    if len(items) > max_items:
                        break
                n_left -= 1
                if not n_left:
                    raise InputError(f"more fields than a {_name(kind)} can need")
        except WireError as error:
            raise _invalid(kind) from error

    def count(self, name: str) -> int:
        """Return how many a repeated field has; more than `max_items` is counted as one more."""
        return len(self._fields[name])

    def items(self, name: str) -> list[Item]:
        """Return the messages of a repeated field with their ids, which are field 1 of each.

        In an id that is not UTF-8, what is wrong is replaced; reading the item tells.

        Raises
        ------
        InputError
            If one is no message.
        """
        found = cast(list[bytes], self._fields[name])
        try:
            return [Item(_decoded(values(data, _ID, MAX_OTHER_FIELDS)), data) for data in found]
        except WireError as error:
            raise _invalid(self._kind) from error

    def item(self, name: str) -> Item:
        """Return the message of a field that is not repeated, with its id."""
        data = self.message(name)
        try:
            return Item(_decoded(values(data, _ID, MAX_OTHER_FIELDS)), data)
        except WireError as error:
            raise _invalid(self._kind) from error

    def message(self, name: str) -> bytes:
        """Return a field's message; where it is given several times, they merge by joining."""
        found = cast(list[bytes], self._fields[name])
        return found[0] if len(found) == 1 else b"".join(found)

    def text(self, name: str) -> str:
        """Return a string; where it is not UTF-8, what is wrong is replaced (see check_text)."""
        return _decoded(cast(list[bytes], self._fields[name]))

    def check_text(self, name: str) -> None:
        """Raise InputError unless a string is UTF-8."""
        for value in cast(list[bytes], self._fields[name]):
            try:
                value.decode()
            except UnicodeDecodeError as error:
                raise _not_utf8(name, error) from error

    def number(self, name: str) -> int:
        """Return a uint32, or the number of an enum's value."""
        found = cast(list[int], self._fields[name])
        return found[-1] & 0xFFFF_FFFF if found else 0


def _decoded(found: list[bytes]) -> str:
    return found[-1].decode(errors="replace") if found else ""


_ID = tag(1)
_PASSAGE = tag(align_pb2.Candidate.PASSAGE_FIELD_NUMBER)
_SENTENCE = tag(align_pb2.Candidate.SENTENCE_FIELD_NUMBER)


def candidate_parts(candidate: bytes) -> tuple[bytes, str | None]:
    """Return the serialised sentence of a serialised candidate, and its passage, if it has one.

    Raises
    ------
    InputError
        If it has both, or the passage is no text.
    """
    sentences, passages = (
        values(candidate, field, MAX_OTHER_FIELDS) for field in (_SENTENCE, _PASSAGE)
    )
    if not passages:
        return b"".join(sentences), None
    if sentences:
        raise InputError("a candidate has a sentence and a passage; give one", field="passage")
    try:
        return b"", passages[-1].decode()
    except UnicodeDecodeError as error:
        raise _not_utf8("passage", error) from error


def check_id(candidate: Item) -> None:
    """Raise InputError unless a candidate's id is UTF-8."""
    if "\ufffd" in candidate.id:
        (*_, found) = values(candidate.data, _ID, MAX_OTHER_FIELDS)
        try:
            found.decode()
        except UnicodeDecodeError as error:
            raise _not_utf8("id", error) from error


@cache
def _layout(descriptor: Descriptor) -> tuple[Mapping[int, str], str]:
    """Return the names of fields by their tags, and the name of the repeated one."""
    every = descriptor.fields
    names = {
        tag(each.number, VARINT if each.type in _VARINTS else LENGTH_DELIMITED): each.name
        for each in every
    }
    return names, "".join(each.name for each in every if each.is_repeated)


def _name(kind: type[Message]) -> str:
    return str(kind.DESCRIPTOR.full_name)


def _invalid(kind: type[Message]) -> InputError:
    return InputError(f"the request is not a valid {_name(kind)}; see protos/tokalign/v1")


def parse(kind: type[MessageT], data: bytes, path: str = "") -> MessageT:
    """Return a message.

    Parameters
    ----------
    kind : type of Message
    data : bytes
    path : str
        Of the message in the request; errors name fields below it.

    Raises
    ------
    InputError
        If the bytes are none, or hold a string that is not UTF-8, which is then named.
    """
    try:
        return kind.FromString(data)
    except DecodeError as error:
        with contextlib.suppress(WireError):
            for field, why in _strings_not_utf8(kind.DESCRIPTOR, data):
                raise _not_utf8(f"{path}.{field}" if path else field, why) from error
        raise _invalid(kind) from error


def _strings_not_utf8(descriptor: Any, data: bytes) -> Iterator[tuple[str, UnicodeDecodeError]]:
    """Yield the path of each string of a serialised message that is not UTF-8, and why."""
    known = {tag(each.number): each for each in descriptor.fields}
    seen: Counter[int] = Counter()
    for number, value in fields(data):
        field = known.get(number)
        if field is None:
            continue
        path = f"{field.name}[{seen[number]}]" if field.is_repeated else field.name
        seen[number] += 1
        if field.type == FieldDescriptor.TYPE_STRING:
            try:
                cast(bytes, value).decode()
            except UnicodeDecodeError as error:
                yield path, error
        elif field.message_type is not None:
            for below, why in _strings_not_utf8(field.message_type, cast(bytes, value)):
                yield f"{path}.{below}", why


def _not_utf8(field: str, error: UnicodeDecodeError) -> InputError:
    byte = error.object[error.start]
    return InputError(
        f"{field} is not UTF-8: byte 0x{byte:02X} at {error.start} of its "
        f"{len(error.object)}; send strings as UTF-8, without halves of surrogate pairs",
        field=field,
    )


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

    Text is cut after the last word that is whole. Text beside tokens is kept up to the last token
    that is; where that is beyond the limit, or in no text, the sentence is left to be refused.
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
    """Return the start of a text that is within a limit, or all of it where tokens go beyond."""
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
    """Return more than a sentence within the limits can take on the wire."""
    # Five columns of text in UTF-8, and of each token the numbers and the columns' tags and sizes.
    return 5 * 4 * limits.max_characters + 64 * limits.max_tokens + 64


def texts(data: bytes) -> dict[str, str]:
    """Return both texts of a serialised pair, for a log that may quote them."""
    pair = align_pb2.Pair.FromString(data)
    return {
        side: sentence.text or " ".join(sentence.tokens)
        for side, sentence in (("source", pair.source), ("target", pair.target))
    }


def _too_long(seen: int, limit: int, unit: str, field: str) -> LimitError:
    return LimitError(
        f"{seen} {unit}; the server takes at most {limit}: shorten or split the sentence",
        field=field,
    )

"""Requests on the wire: messages and their fields, or an error that names what is wrong."""

from __future__ import annotations

import contextlib
import struct
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, TypeVar, cast

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import DecodeError, Message
from tokalign.codec.options import RequestOptions
from tokalign.codec.reading import (
    LENGTH_DELIMITED,
    VARINT,
    WireError,
    fields,
    tag,
    values,
)
from tokalign.codec.servers import ErrorReason
from tokalign.server.status import BadRequestError
from tokalign.types.texts import SentenceSpan
from tokalign.v1 import align_pb2

MessageT = TypeVar("MessageT", bound=Message)

# Fields of a request beside its pairs or candidates, and of one of these: more than clients send.
MAX_OTHER_FIELDS = 16

_VARINTS = (FieldDescriptor.TYPE_UINT32, FieldDescriptor.TYPE_ENUM, FieldDescriptor.TYPE_BOOL)


class RequestFields:
    """The fields of a request, cut apart and counted; none of them has been parsed.

    Parameters
    ----------
    kind : type of Message
        Of length-delimited fields, uint32, bools and enums; others are passed over.
    max_items : int
        Most pairs or candidates. Cutting stops after one more; the caller says what is wrong.

    Raises
    ------
    InputError
        If the bytes are no such message, or hold far more fields than one has.
    """

    def __init__(self, kind: type[Message], data: bytes, max_items: int) -> None:
        self._kind = kind
        names, repeated = _layout(kind.DESCRIPTOR)
        self._values: dict[str, list[Any]] = defaultdict(list)
        found = self._values
        items = found[repeated]
        n_left = max_items + MAX_OTHER_FIELDS
        try:
            for number, value in fields(data):
                if (name := names.get(number)) is not None:
                    found[name].append(value)
                    if len(items) > max_items:
                        break
                n_left -= 1
                if not n_left:
                    raise BadRequestError(
                        f"more fields than a {_name(kind)} can need",
                        reason=ErrorReason.MALFORMED_MESSAGE,
                    )
        except WireError as error:
            raise _invalid(kind) from error

    def messages(self, name: str) -> list[bytes]:
        """Return the messages of a repeated field: `max_items` and one more at most."""
        return self._values[name]

    def ids(self, name: str) -> list[str]:
        """Return the ids of a repeated field's messages, which are field 1 of each.

        Bytes of an id that are not UTF-8 are replaced; reading the message raises.

        Raises
        ------
        InputError
            If one is no message.
        """
        return list(map(self.id_of, self._values[name]))

    def id_of(self, message: bytes) -> str:
        """Return the id of a field's message; see `ids`."""
        try:
            found = values(message, _ID, MAX_OTHER_FIELDS)
        except WireError as error:
            raise _invalid(self._kind) from error
        return found[-1].decode(errors="replace") if found else ""

    def message(self, name: str) -> bytes:
        """Return a field's message; several of them, joined, are one message."""
        found = self._values[name]
        return found[0] if len(found) == 1 else b"".join(found)

    def text(self, name: str) -> str:
        """Return a string; bytes that are not UTF-8 are replaced (see check_text)."""
        found = self._values[name]
        return found[-1].decode(errors="replace") if found else ""

    def check_text(self, name: str) -> None:
        """Raise InputError unless a string is UTF-8."""
        for value in self._values[name]:
            _check_utf8(name, value)

    def number(self, name: str) -> int:
        """Return a uint32, the number of an enum's value, or for a bool 0 where it is false."""
        found = self._values[name]
        return found[-1] & 0xFFFF_FFFF if found else 0


def _check_utf8(name: str, value: bytes) -> None:
    try:
        value.decode()
    except UnicodeDecodeError as error:
        raise _not_utf8(name, error) from error


_ID = tag(1)
_PASSAGE = tag(align_pb2.Candidate.PASSAGE_FIELD_NUMBER)
_SENTENCE = tag(align_pb2.Candidate.SENTENCE_FIELD_NUMBER)


def candidate_parts(candidate: bytes) -> tuple[bytes, str | None]:
    """Return the serialised sentence of a candidate, and its passage if it has one.

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
        raise BadRequestError(
            "a candidate has a sentence and a passage; give one",
            reason=ErrorReason.INVALID_INPUT,
            field="passage",
        )
    try:
        return b"", passages[-1].decode()
    except UnicodeDecodeError as error:
        raise _not_utf8("passage", error) from error


def check_id(candidate: bytes) -> None:
    """Raise InputError unless the id of a serialised candidate is UTF-8."""
    for value in values(candidate, _ID, MAX_OTHER_FIELDS)[-1:]:
        _check_utf8("id", value)


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


def _invalid(kind: type[Message]) -> BadRequestError:
    return BadRequestError(
        f"the request is not a valid {_name(kind)}; see protos/tokalign/v1",
        reason=ErrorReason.MALFORMED_MESSAGE,
    )


def parse(kind: type[MessageT], data: bytes, path: str = "") -> MessageT:
    """Return a message.

    Parameters
    ----------
    path : str
        Of the message in the request; errors name fields below it.

    Raises
    ------
    InputError
        If the bytes are no such message, or hold a string that is not UTF-8; the error names it.
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


def _not_utf8(field: str, error: UnicodeDecodeError) -> BadRequestError:
    byte = error.object[error.start]
    return BadRequestError(
        f"{field} is not UTF-8: byte 0x{byte:02X} at {error.start} of its "
        f"{len(error.object)}; send strings as UTF-8, without halves of surrogate pairs",
        reason=ErrorReason.INVALID_INPUT,
        field=field,
    )


_START = struct.Struct("<Q")


def encode_answer_sentence(span: SentenceSpan) -> bytes:
    """Return a sentence of an answer as a pair of Request; `start` is in the unit asked for."""
    return _START.pack(span.start) + span.text.encode()


def decode_answer_sentence(data: bytes) -> tuple[int, str]:
    """Return where a sentence starts in the answer, and its text."""
    (start,) = _START.unpack_from(data)
    return start, data[_START.size :].decode()


def texts_of(options: RequestOptions, shared: bytes, pair: bytes) -> dict[str, str]:
    """Return the texts of a pair of Request, for a log that may quote sentences."""
    if options.ground is not None:
        return {"answer": decode_answer_sentence(pair)[1]}
    message = align_pb2.Pair.FromString(shared + pair)
    return {
        side: sentence.text or " ".join(sentence.tokens)
        for side, sentence in (("source", message.source), ("target", message.target))
    }

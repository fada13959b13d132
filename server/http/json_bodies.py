"""Bodies of requests: structs that msgspec reads, and errors that say what is wrong, and where.

Options are fields of the bodies, with the names, defaults and descriptions of the library. A field
that is null is as one that is missing.
"""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Callable, Collection
from dataclasses import fields
from typing import Annotated, Any, Generic, NoReturn, TypeVar, cast, get_type_hints

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType, inspect
from tokalign.codec.options import RequestOptions
from tokalign.codec.servers import ErrorReason
from tokalign.errors import quoted
from tokalign.server.status import MAX_NAME, BadRequestError
from tokalign.types.constraints import NAMES
from tokalign.types.inputs import require_unicode
from tokalign.types.options import AlignOptions, BaseOptions, GroundOptions, RankBy

BodyT = TypeVar("BodyT", bound="Body")


def about(description: str) -> Meta:
    """Return what says in a schema what a value is."""
    return Meta(description=description)


Share = Annotated[float, Meta(ge=0, le=1)]
Count = Annotated[int, Meta(ge=1, lt=1 << 31)]
JsonIndex = Annotated[int, Meta(ge=0)]
JsonRange = Annotated[tuple[JsonIndex, JsonIndex], about("Start and end.")]
Stream = Annotated[bool, about("Whether to answer by server-sent events.")]
_NAME = about("Of /v1/models; else the server's default.")


def reference(name: str) -> dict[str, str]:
    """Return what stands for a schema of the OpenAPI document."""
    return {"$ref": f"#/components/schemas/{name}"}


class Body(Struct, kw_only=True, forbid_unknown_fields=True):
    """Base of bodies."""

    model: Annotated[str, _NAME] = ""
    annotator: Annotated[str, _NAME] = ""

    def align_options(self, names: Collection[str] = (), **fixed: Any) -> RequestOptions:
        """Return the options of an alignment: those of `names`, or all that are not fixed."""
        names = names or [each.name for each in fields(AlignOptions) if each.name not in fixed]
        given = {name: getattr(self, name) for name in names}
        return RequestOptions(self.model, self.annotator, AlignOptions(**given, **fixed))

    def ground_options(self) -> RequestOptions:
        """Return the options of grounding."""
        given = {each.name: getattr(self, each.name) for each in fields(GroundOptions)}
        return RequestOptions(self.model, self.annotator, ground=GroundOptions(**given))


class GivenColumns(Struct):
    """A text, its tokens, or tokens with columns."""

    text: str | UnsetType = UNSET
    tokens: list[str] | UnsetType = UNSET
    tags: list[str] | UnsetType = UNSET
    lemmas: list[str] | UnsetType = UNSET
    heads: list[Annotated[int, Meta(ge=-1)]] | UnsetType = UNSET
    relations: list[str] | UnsetType = UNSET


GivenSentence = (
    Annotated[str, Meta(min_length=1)] | Annotated[list[str], Meta(min_length=1)] | GivenColumns
)

# Pairs are read each by itself (types/objects.py), so that a bad one costs the others nothing.
_Sentence = Annotated[Any, Meta(extra_json_schema=reference("GivenSentence"))]
_Links = Annotated[Any, Meta(extra_json_schema={"type": "array", "items": reference("Range")})]
_Tokens = Annotated[
    Any, Meta(extra_json_schema={"type": "array", "items": {"type": "integer", "minimum": 0}})
]
_Pair = Annotated[dict[str, Any], Meta(extra_json_schema=reference("GivenPair"))]


class PairsBody(Body):
    """One pair, several, or one sentence and several that are compared with it."""

    id: Annotated[str, about("Returned with the answer.")] | UnsetType = UNSET
    source: _Sentence = UNSET
    target: _Sentence = UNSET
    anchors: Annotated[_Links, about("Links that must be made.")] = UNSET
    forbidden: Annotated[_Links, about("Links that must not be made.")] = UNSET
    linked_source: _Tokens = UNSET
    linked_target: _Tokens = UNSET
    unlinked_source: _Tokens = UNSET
    unlinked_target: _Tokens = UNSET
    pairs: Annotated[list[_Pair], Meta(min_length=1)] | UnsetType = UNSET
    targets: Annotated[list[_Sentence], Meta(min_length=1)] | UnsetType = UNSET
    stream: Stream = False

    def some(self, names: Collection[str]) -> dict[str, Any]:
        """Return the fields of these names that are given."""
        given = {name: getattr(self, name) for name in names}
        return {name: value for name, value in given.items() if value not in (None, UNSET)}


ONE = ("id", "source", "target", *NAMES)
"""Fields of one pair."""
_hints = get_type_hints(PairsBody, include_extras=True)
GivenPair = msgspec.defstruct(
    "GivenPair", [(name, _hints[name], UNSET) for name in ONE], forbid_unknown_fields=True
)


class JsonPassage(Struct, forbid_unknown_fields=True):
    """A text that an answer may rest on, and how citations name it."""

    id: str
    text: str


PASSED_OVER = ("max_chunks_per_doc", "priority", "user")
"""Fields of a RerankBody that other servers know."""
_PassedOver = Annotated[Any, about("Passed over, with a warning.")]
_Document = Annotated[dict[str, Any], Meta(extra_json_schema={"title": "Document"})]
MAX_RANK_FIELDS = 16
_RankFields = Annotated[
    list[str],
    Meta(
        min_length=1,
        description="Fields of documents to rank by, one after another; else text.",
        extra_json_schema={"maxItems": MAX_RANK_FIELDS, "uniqueItems": True},
    ),
]


class RerankBody(Body):
    """A query, and the documents that are ranked as answers to it."""

    query: str
    documents: Annotated[list[str | _Document], Meta(min_length=1)]
    top_n: Count | UnsetType = UNSET
    return_documents: bool = False
    highlights: Annotated[
        bool, about("Whether to tell which spans of documents match the query.")
    ] = False
    max_tokens_per_doc: Count | UnsetType = UNSET
    by: RankBy = RankBy.AUTO
    max_chunks_per_doc: _PassedOver = UNSET
    priority: _PassedOver = UNSET
    rank_fields: _RankFields | UnsetType = UNSET
    truncation: Annotated[bool, about("Whether to leave out what is too much, or refuse it.")] = (
        True
    )
    user: _PassedOver = UNSET

    def check_rank_fields(self) -> None:
        """Raise BadRequestError for too many names: each adds the text of a field."""
        names = self.rank_fields or []
        if len(names) > MAX_RANK_FIELDS:
            raise invalid(
                f"rank_fields has {len(names)} names; wanted at most {MAX_RANK_FIELDS}",
                "rank_fields",
            )
        for number, name in enumerate(names):
            if name in names[:number]:
                raise invalid(
                    f"rank_fields[{number}] is {name[:MAX_NAME]!r} again; wanted each name once",
                    f"rank_fields[{number}]",
                )

    def text(self, index: int) -> str:
        """Return what is ranked of a document: its text, or those of its fields one by one."""
        document = self.documents[index]
        if isinstance(document, str):
            return document
        names = self.rank_fields or ["text"]
        given = [name for name in names if name in document] or names[:1]
        for name in given:
            value, path = document.get(name, UNSET), f"documents[{index}].{name[:MAX_NAME]}"
            if value is UNSET:
                raise invalid(f"{path} is missing; wanted a string", path)
            if not isinstance(value, str):
                raise invalid(f"{path} is {in_words(value)}; wanted a string", path)
        return "\n\n".join(document[name] for name in given)


class GroundBody(Body):
    """An answer, and the passages that it may rest on."""

    answer: str
    passages: Annotated[list[str | JsonPassage], Meta(min_length=1)]
    stream: Stream = False


class DiffBody(Body):
    """Two texts, of which one was made from the other."""

    old: str
    new: str


_TYPES = {"min_confidence": Share, "threshold": Share, "effort": Share, "candidates": Count}


def _with_options(
    base: type[BodyT],
    name: str,
    kind: type[BaseOptions],
    names: Collection[str] = (),
    without: Collection[str] = (),
) -> type[BodyT]:
    """Return a body with options of a class: those of `names`, or all but those `without`."""
    section = (kind.__doc__ or "").partition("Attributes\n")[2]
    found = re.findall(r"^    (\w+) : .*\n((?:        .*\n)+)", section, re.MULTILINE)
    texts = {name: " ".join(text.split()) for name, text in found}
    added = []
    for each in fields(kind):
        if each.name in (names or texts.keys() - set(without)):
            type_ = _TYPES.get(each.name, type(each.default))
            added.append((each.name, Annotated[type_, about(texts[each.name])], each.default))
    made = msgspec.defstruct(
        name, added, bases=(base,), kw_only=True, forbid_unknown_fields=True, module=__name__
    )
    made.__doc__ = base.__doc__
    return cast(type[BodyT], made)


RERANK_OPTIONS = ("symmetrization", "style", "related", "effort", "markup")
DIFF_OPTIONS = ("style", "related", "effort", "markup")
AlignRequest = _with_options(PairsBody, "AlignRequest", AlignOptions)
SimilarityRequest = _with_options(PairsBody, "SimilarityRequest", AlignOptions, without=("detail",))
RerankRequest = _with_options(RerankBody, "RerankRequest", AlignOptions, RERANK_OPTIONS)
GroundRequest = _with_options(GroundBody, "GroundRequest", GroundOptions)
DiffRequest = _with_options(DiffBody, "DiffRequest", AlignOptions, DIFF_OPTIONS)

CheckNumber = Callable[[int, str], None]
"""Raises LimitError where a field has more items than it may; takes their number and its name."""

# Such a body is small, whatever it holds: it is read at once.
SMALL_BYTES = 64 << 10
# Lists of what is not read here, but each by itself.
_UNREAD = frozenset({"pairs", "targets"})
_BETWEEN_ITEMS = re.compile(r"[ \t\n\r,]*")


class BodyReader(Generic[BodyT]):
    """Reads bodies of one kind.

    A value takes up to thirty times its bytes in memory. So the fields of a large body are cut
    apart first; what nobody reads is not made, and no list becomes longer than it may be.
    """

    def __init__(self, kind: type[BodyT]) -> None:
        self._kind = kind
        self._decoder = msgspec.json.Decoder(kind)
        kinds = cast(inspect.StructType, inspect.type_info(kind)).fields
        of_each = {
            field.name: {type(each) for each in _alternatives(field.type)} for field in kinds
        }
        self._lists = {name for name, found in of_each.items() if inspect.ListType in found}
        self._any = {name for name, found in of_each.items() if inspect.AnyType in found}
        # Stops at the first field that nothing is called.
        uncut = [(name, Raw | UnsetType, UNSET) for name in kind.__struct_fields__]
        cut = msgspec.defstruct(kind.__name__, uncut, forbid_unknown_fields=True)
        self._cutter = msgspec.json.Decoder(cut)

    def read(self, data: bytes, check_number: CheckNumber) -> BodyT:
        """Return a body.

        Raises
        ------
        InputError
            If it is no JSON object, or a field cannot be used.
        LimitError
            If a field has too many items.
        """
        if len(data) > SMALL_BYTES:
            return self._converted(self._values(data, check_number))
        try:
            body = self._decoder.decode(data)
        except (ValueError, RecursionError):
            # Read once more, with nulls left out, and for an error that says what was seen.
            body = self._converted(json_object(data))
        for name in self._lists:
            if items := getattr(body, name):
                check_number(len(items), name)
        return body

    def _values(self, data: bytes, check_number: CheckNumber) -> dict[str, Any]:
        """Return the values of the fields of a large body that are read."""
        try:
            found = msgspec.structs.asdict(self._cutter.decode(data))
        except msgspec.ValidationError as error:
            if name := re.fullmatch("Object contains unknown field `(.*)`", str(error), re.DOTALL):
                raise self._unknown(name[1]) from error
            raise _no_object(data) from error
        except (ValueError, RecursionError) as error:
            raise _no_json(error) from error
        return {
            name: self._value(name, memoryview(raw), check_number)
            for name, raw in found.items()
            if raw is not UNSET
        }

    def _value(self, name: str, raw: memoryview, check_number: CheckNumber) -> Any:
        first = bytes(raw[:1])
        if name in self._lists and first == b"[":
            return _items(raw, lambda number: check_number(number, name))
        if (name in PASSED_OVER or name not in self._any) and first in (b"[", b"{"):
            # Nothing in it is wanted, so a small one stands for it.
            return [None] if first == b"[" else {}
        return _json_value(bytes(raw))

    def _unknown(self, name: str) -> BadRequestError:
        return unknown(name, self._kind.__struct_fields__)

    def _converted(self, value: dict[str, Any]) -> BodyT:
        for name in value.keys() - set(self._kind.__struct_fields__):
            raise self._unknown(name)
        given = {name: each for name, each in value.items() if each is not None}
        unread = {name: given.pop(name) for name in self._any & given.keys()}
        for name, each in given.items():
            if name not in _UNREAD:
                _require_unicode(each, name)
        try:
            body = msgspec.convert(given, self._kind)
        except msgspec.ValidationError as error:
            raise self._explained(str(error), given) from error
        except UnicodeEncodeError:
            # A text stands where an object was wanted, and no error can show it.
            for name, each in given.items():
                _require_unicode(each, name)
            raise
        for name, each in unread.items():  # not converted, which would copy them
            setattr(body, name, each)
        return body

    def _explained(self, message: str, value: Any) -> BadRequestError:
        """Return the error for what msgspec says of a value: what was seen, wanted, and where."""
        what, _, path = message.removesuffix("`").partition(" - at `$.")
        kind = inspect.type_info(self._kind)
        for name, index in re.findall(r"(\w+)|\[(\d+)\]", path):
            kind, value = _inner(kind, name), value[int(index) if index else name]
        if missing := re.match("Object missing required field `([^`]+)", what):
            path = f"{path}.{missing[1]}" if path else missing[1]
            return invalid(f"{path} is missing; wanted {_wanted(_inner(kind, missing[1]))}", path)
        if value == []:
            return invalid(f"{path} is empty; wanted one or more", path)
        return invalid(f"{path} is {in_words(value)}; wanted {_wanted(kind)}", path)


def _alternatives(kind: inspect.Type) -> list[inspect.Type]:
    """Return the types of which a value may be any."""
    while isinstance(kind, inspect.Metadata):
        kind = kind.type
    if isinstance(kind, inspect.UnionType):
        return [found for each in kind.types for found in _alternatives(each)]
    return [kind]


def _inner(kind: inspect.Type, name: str) -> inspect.Type:
    """Return the type of a field of a type's object, or without a name of its array's elements."""
    for each in _alternatives(kind):
        if name and isinstance(each, inspect.StructType):
            return next(field.type for field in each.fields if field.name == name)
        if not name and isinstance(each, inspect.ListType):
            return each.item_type
    raise AssertionError(f"{kind} has no {name or 'elements'}")


def _wanted(kind: inspect.Type) -> str:
    return ", or ".join(map(_type_in_words, _alternatives(kind)))


def _type_in_words(kind: inspect.Type) -> str:
    match kind:
        case inspect.EnumType():
            return f"one of {', '.join(each.value for each in kind.cls)}"
        case inspect.FloatType(ge=0, le=1):
            return "a number in [0, 1]"
        case inspect.IntType(ge=1):
            return "a whole number, 1 or more"
        case inspect.StructType():
            return f"an object with {' and '.join(field.name for field in kind.fields)}"
    return _KINDS[type(kind)]


_KINDS: dict[type, str] = {
    inspect.StrType: "a string",
    inspect.BoolType: "true or false",
    inspect.IntType: "a whole number",
    inspect.FloatType: "a number",
    inspect.ListType: "an array",
    inspect.DictType: "an object",
    inspect.AnyType: "a value",
}


def json_object(data: bytes) -> dict[str, Any]:
    """Return the object of a body; InputError if it is no JSON, or holds something else."""
    value = _json_value(data)
    if not isinstance(value, dict):
        raise _malformed(f"it is {in_words(value)}; wanted an object")
    return value


def _json_value(data: bytes) -> Any:
    """Return a value of a body; InputError if it is no JSON."""
    try:
        return json.loads(data, parse_constant=_no_constant, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise _no_json(error) from error


def _items(raw: memoryview, check: Callable[[int], None]) -> list[Any]:
    """Return the items of an array of JSON; `check` raises where it is told of too many."""
    found: list[Any] = []
    try:
        text = str(raw, "utf-8")
        at = _next(text, 1)
        while text[at] != "]":
            item, end = _scan(text, at)
            found.append(item)
            check(len(found))
            at = _next(text, end)
    except (ValueError, RecursionError) as error:
        raise _no_json(error) from error
    return found


def _no_object(data: bytes) -> Exception:
    """Return the error for a large body that is something else than an object."""
    try:
        msgspec.json.decode(data, type=Raw)
    except (ValueError, RecursionError) as error:
        return _no_json(error)
    return _malformed("it is no object; wanted one")


def _next(text: str, at: int) -> int:
    """Return where the next item of an array begins, or its end."""
    found = _BETWEEN_ITEMS.match(text, at)
    assert found is not None
    return found.end()


def _no_json(error: Exception) -> Exception:
    """Return the error for what is no JSON; another error of the request is returned itself."""
    match error:
        case BadRequestError():
            return error
        case RecursionError():
            return _malformed("lists are nested too deeply")
        case msgspec.DecodeError():
            # Of halves of surrogate pairs it says that an escape does not end.
            return _malformed(str(error).removeprefix("JSON is malformed: "))
        case UnicodeDecodeError():
            return _malformed(f"it is not UTF-8 at byte {error.start}")
        case json.JSONDecodeError():
            return _malformed(f"{error.msg} at line {error.lineno}, column {error.colno}")
    return _malformed("a number is too long")


def invalid(message: str, field: str) -> BadRequestError:
    """Return the error for a field that cannot be used."""
    return BadRequestError(message, reason=ErrorReason.INVALID_INPUT, field=field)


def unknown(name: str, known: Collection[str], of: str = "") -> BadRequestError:
    """Return the error for a field that nothing is called, with the one that may be meant."""
    near = difflib.get_close_matches(name, known, 1)
    wanted = f"did you mean {near[0]}?" if near else f"wanted {', '.join(sorted(known))}"
    return invalid(f"no field{of} is called {quoted(name)}; {wanted}", name[:MAX_NAME])


def in_words(value: Any) -> str:
    """Return a value of JSON as an error shows it."""
    if isinstance(value, list | dict):
        return "an array" if isinstance(value, list) else "an object"
    return "null" if value is None else quoted(value)


def _require_unicode(value: Any, path: str) -> None:
    """Raise InputError where a string of a value holds half a surrogate pair."""
    if isinstance(value, str):
        require_unicode(value, path)
    elif isinstance(value, list):
        for index, each in enumerate(value):
            _require_unicode(each, f"{path}[{index}]")
    elif isinstance(value, dict):
        for name, each in value.items():
            require_unicode(name, path)
            _require_unicode(each, f"{path}.{name}")


def _no_constant(name: str) -> NoReturn:
    raise _malformed(f"it holds {name}, which is no number of JSON")


def _finite(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise _malformed(f"it holds {digits[:MAX_NAME]}, which is too large")
    return value


_scan = json.JSONDecoder(parse_constant=_no_constant, parse_float=_finite).raw_decode


def _malformed(why: str) -> BadRequestError:
    message = f"the body is no JSON object: {why}"
    return BadRequestError(message, reason=ErrorReason.MALFORMED_MESSAGE)

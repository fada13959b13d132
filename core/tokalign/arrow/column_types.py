"""Types of the added columns."""

from dataclasses import is_dataclass
from typing import Any, get_args, get_origin, get_type_hints

from tokalign.errors import MissingPackageError
from tokalign.types.grounding import GroundedSentence

try:
    import pyarrow as pa
except ImportError as error:  # the first module of the package that needs pyarrow
    raise MissingPackageError.of("tokalign.arrow", error, "arrow") from None

_TYPES = {int: pa.int32(), float: pa.float32(), bool: pa.bool_()}


def _type_of(hint: Any) -> pa.DataType:
    """Return the type of a field: structures of dataclasses, lists of tuples, else strings."""
    if is_dataclass(hint):
        types = get_type_hints(hint)
        types.pop("error", None)  # there is none here
        return pa.struct([pa.field(name, _type_of(kind)) for name, kind in types.items()])
    inner = get_args(hint)
    if get_origin(hint) is tuple:
        return _list_of(_type_of(inner[0]))
    return _type_of(inner[0]) if inner else _TYPES.get(hint, pa.string())  # inner: it may be None


def _list_of(kind: pa.DataType) -> pa.DataType:
    """Return the type of lists; "element" is what Parquet gives back."""
    return pa.list_(pa.field("element", kind))


LINKS = _list_of(
    pa.struct([("source", _TYPES[int]), ("target", _TYPES[int]), ("confidence", _TYPES[float])])
)
"""Type of a column of links: token indices, and the posterior in [0, 1]."""
TOKENS = _list_of(pa.string())
SENTENCES = _list_of(_type_of(GroundedSentence))
"""Type of a column of answers' sentences, with the fields of the JSON (docs/grounding.md); the
evidence of words is null unless it was asked for."""

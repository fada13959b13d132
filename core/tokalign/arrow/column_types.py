"""Types of the added columns."""

from __future__ import annotations

from tokalign.errors import MissingPackageError

try:
    import pyarrow as pa
except ImportError as error:  # the first module of the package that needs pyarrow
    raise MissingPackageError.of("tokalign.arrow", error, "arrow") from None

_INT, _FLOAT = pa.int32(), pa.float32()


def _lists_of(**types: pa.DataType) -> pa.DataType:
    """Return the type of lists of structures with these fields; "element" is what Parquet gives
    back."""
    fields = [pa.field(name, kind) for name, kind in types.items()]
    return pa.list_(pa.field("element", pa.struct(fields)))


LINKS = _lists_of(source=_INT, target=_INT, confidence=_FLOAT)
"""Type of a column of links: token indices, and the posterior in [0, 1]."""
TOKENS = pa.list_(pa.field("element", pa.string()))
_RANGE = {"start": _INT, "end": _INT}
SENTENCES = _lists_of(
    **_RANGE,
    support=_FLOAT,
    words=_lists_of(
        **_RANGE,
        kind=pa.string(),
        support=_FLOAT,
        citation=_INT,
        partners=pa.list_(pa.field("element", pa.list_(pa.field("element", _INT)))),
        evidence=_lists_of(name=pa.string(), value=_FLOAT, weight=_FLOAT),
    ),
    citations=_lists_of(
        passage=pa.string(),
        **_RANGE,
        cover=_FLOAT,
        links=_lists_of(word=_INT, **_RANGE, confidence=_FLOAT),
        says_also=pa.bool_(),
    ),
    unsupported=_lists_of(**_RANGE, support=_FLOAT),
    conflicts=_lists_of(
        kind=pa.string(),
        **_RANGE,
        passage=pa.string(),
        passage_start=_INT,
        passage_end=_INT,
        probability=_FLOAT,
    ),
)
"""Type of a column of answers' sentences, with the fields of the JSON (docs/grounding.md); the
evidence of words is null unless it was asked for."""

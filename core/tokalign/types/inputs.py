"""Checks of callers' sentences, pairs and candidates, and of the frames that hold them."""

import json
import logging
import math
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, NamedTuple, Protocol, Self, TypeVar

from tokalign.errors import FormatError, InputError, quoted
from tokalign.types.constraints import Constraints
from tokalign.types.sentence import Pair, PairLike, Sentence, SentenceLike

T = TypeVar("T")

_TOKENS = re.compile(r"[^ \t\r\n\f\v]+")
# int() refuses numbers of thousands of digits, and messages would quote them whole.
_NUMBER = re.compile(r"\d{1,9}")


SIDE_NAMES = (
    ("source", "target"),
    ("src", "tgt"),
    ("src", "trg"),
    ("sentence1", "sentence2"),
    ("sentencea", "sentenceb"),
    ("sent1", "sent2"),
    ("s1", "s2"),
    ("text1", "text2"),
    ("texta", "textb"),
    ("1string", "2string"),
    ("question1", "question2"),
    ("premise", "hypothesis"),
    ("text", "hypothesis"),
    ("answer", "question"),
    ("sentence", "question"),
    ("context", "question"),
    ("passage", "question"),
    ("passage", "query"),
    ("document", "query"),
    ("evidence", "claim"),
    ("original", "paraphrase"),
    ("anchor", "positive"),
)
"""Names of a pair's two sentences in well-known data, as `plain_name` writes them; the source,
which is the passage or premise, comes first."""
_MARKS = re.compile(r"[\W_]+")


def plain_name(name: str) -> str:
    """Return the name of a column in lower case, without punctuation.

    Examples
    --------
    >>> plain_name("Sentence_1")
    'sentence1'
    """
    return _MARKS.sub("", name).casefold()


def side_names(names: Iterable[str]) -> list[tuple[str, str]]:
    """Return the two names that may be those of the sides, source first."""
    by_plain = {plain_name(name): name for name in reversed(list(names)) if isinstance(name, str)}
    return [
        (by_plain[source], by_plain[target])
        for source, target in SIDE_NAMES
        if source in by_plain and target in by_plain
    ]


def require_pair(pair: PairLike) -> Pair:
    """Return a caller's pair of sentences, or raise InputError.

    A mapping has both sentences under two of SIDE_NAMES, and may have `constraints`; other keys,
    such as an id, are ignored.
    """
    is_tuple = type(pair) is tuple  # asked first, for abstract types take long to ask
    if not is_tuple and isinstance(pair, Mapping):
        pair = _pair_of(pair)
    try:
        if not is_tuple and isinstance(pair, str | Set | Sentence):
            raise TypeError("two letters or tokens are no sentences, and a set has no first member")
        source, target, *more = pair
    except (TypeError, ValueError):
        raise InputError(f"saw {quoted(pair)}; wanted a pair (source, target)") from None
    if len(more) > 1 or not all(isinstance(each, Constraints) for each in more):
        raise InputError(
            f"saw {quoted(tuple(more))} after source and target; wanted one Constraints",
            field="constraints",
        )
    require_sentence(source, "source")
    require_sentence(target, "target")
    return source, target, *more


def _pair_of(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the sides of a mapping, and its constraints if it has any."""
    exact = ("source", "target")
    found = [exact] if all(name in row for name in exact) else side_names(row)
    if len(found) != 1:
        seen = ", ".join(map(quoted, row)) or "none"
        raise InputError(
            f"saw the keys {seen}; wanted one pair of names such as source and target, "
            "premise and hypothesis, or sentence1 and sentence2"
        )
    constraints = row.get("constraints")
    sides = tuple(row[name] for name in found[0])
    return sides if constraints is None else (*sides, constraints)


def require_sentence(value: SentenceLike, name: str) -> SentenceLike:
    """Return a caller's sentence, which errors call `name`, or raise InputError.

    At least one token must be without white space, since a list of sentences is a mistake. A
    Sentence may hold such tokens.
    """
    if isinstance(value, str):  # most are
        return value
    if not _is_sentence_like(value):
        raise InputError(
            f"the {name} is {quoted(value)}; wanted text, a sequence of tokens or a Sentence",
            field=name,
        )
    if (
        not isinstance(value, Sentence)
        and len(value)
        and all(len(token.split(maxsplit=1)) > 1 for token in value)
    ):
        raise InputError(
            f"the {name} is {quoted(value)}, whose every token has white space in it; wanted one "
            "text, or its tokens (Sentence.from_tokens takes any)",
            field=name,
        )
    return value


def require_many(values: Iterable[T], name: str = "candidates") -> Iterable[T]:
    """Return a caller's sentences; InputError for one text, a mapping, whose keys would be read,
    or a value that is not iterable."""
    if isinstance(values, str | Sentence):
        raise InputError(
            f"{name} is {quoted(values)}, one text; wanted several in a list", field=name
        )
    if isinstance(values, Mapping) or not can_iterate(values):
        raise InputError(f"{name} is {quoted(values)}; wanted sentences in a list", field=name)
    return values


def can_iterate(value: object) -> bool:
    """Return whether a value is iterable, if only by index as PyTorch's data sets are."""
    try:
        iter(value)  # type: ignore[call-overload]
    except TypeError:
        return False
    return True


def check_priors(
    priors: Sequence[float | None] | None, n_candidates: int
) -> list[float | None] | None:
    """Return a caller's own scores of candidates as floats; None without any.

    InputError is raised if there is not one for each candidate, or one is not a finite number.
    """
    if priors is None:
        return None
    if not can_iterate(priors):
        raise InputError(f"priors is {quoted(priors)}; wanted numbers in a list", field="priors")
    found = list(priors)
    if len(found) != n_candidates:
        raise InputError(
            f"{len(found)} priors for {n_candidates} candidates; wanted one for each",
            field="priors",
        )
    return [_finite(prior, f"priors[{number}]") for number, prior in enumerate(found)]


def _finite(value: float | None, name: str) -> float | None:
    if value is None:
        return None
    try:
        number = math.nan if isinstance(value, str | bytes | bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"{name} is {quoted(value)}; wanted a finite number", field=name)
    return number


def text_of(value: object) -> str:
    """Return the text of a caller's sentence, with a question mark for each invalid character.

    It is empty if the value is not a sentence.
    """
    text = value if isinstance(value, str) else ""
    if isinstance(value, Sentence):
        text = value.text
    elif not text and _is_sentence_like(value):
        text = " ".join(map(str, value))  # type: ignore[call-overload]
    return text.encode(errors="replace").decode()


def _is_sentence_like(side: object) -> bool:
    if isinstance(side, str | Sentence):
        return True
    if isinstance(side, Mapping | Set | bytes) or not hasattr(side, "__len__"):
        return False
    if not isinstance(side, Iterable):
        return False
    return all(isinstance(token, str) for token in side)


def json_error(error: ValueError | RecursionError) -> str:
    """Return the message for text that json cannot read, such as deep nesting."""
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON: {error.msg} at column {error.colno}"
    return "not JSON: a number is too long, or lists are nested too deeply"


def read_object(text: str) -> dict[str, Any]:
    """Return the object of a line of JSON; FormatError if it holds none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{json_error(error)}; wanted one object per line") from error
    if not isinstance(value, dict):
        raise FormatError(f"saw {type(value).__name__}; wanted an object")
    return value


def require_unicode(text: str, field: str) -> str:
    r"""Return a string of JSON; InputError if it holds half a surrogate pair, such as "\ud800"."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        half = text[error.start]
        raise InputError(
            f"field {quoted(field)} holds {half!r}, half a surrogate pair; wanted Unicode",
            field=field,
        ) from None
    return text


def text_bytes(text: object, name: str) -> int:
    """Return the number of bytes of a text in UTF-8; raise InputError if it is not a text, or holds
    lone surrogates; the field is `name`."""
    if not isinstance(text, str):
        raise InputError(f"{name} is {quoted(text)}; wanted text", field=name)
    try:
        return len(text.encode())
    except UnicodeEncodeError as error:
        raise InputError(f"{name} is not valid Unicode: {error}", field=name) from error


def whole_number(text: str) -> int | None:
    """Return a number of at most nine digits, or None for other text."""
    return int(text) if _NUMBER.fullmatch(text) else None


def split_tokens(text: str) -> list[str]:
    """Return the tokens between ASCII white space (a no-break space is part of its token)."""
    return _TOKENS.findall(text)


logger = logging.getLogger(__name__)


class FrameLike(Protocol):
    """A DataFrame of pandas or polars, or a Table of pyarrow."""

    @property
    def columns(self) -> Any: ...
    @property
    def shape(self) -> tuple[int, int]: ...


VERSIONS = (("old", "new"), ("before", "after"), ("original", "revised"))
"""Names of two versions of a text."""
ANSWERS = tuple(
    (answer, sources)
    for answer in ("answer", "response", "output")
    for sources in ("passages", "contexts", "retrievedcontexts", "documents", "sources", "context")
)
"""Names of an answer and of its passages."""
_TEXTS = ("text", "sentence", "candidate", "passage", "document", "content", "context", "answer")


class FrameCells(list[Any]):
    """The cells of a column, or pairs of them; a missing one is None."""


class Frame(NamedTuple):
    """The columns of a caller's frame by name; a missing cell is None."""

    columns: Mapping[Any, FrameCells]

    @classmethod
    def of(cls, value: object) -> Self | None:
        """Return a caller's frame, or None for anything else."""
        made: Any = value
        if hasattr(value, "to_pydict"):  # pyarrow
            return cls({name: FrameCells(cells) for name, cells in made.to_pydict().items()})
        if hasattr(value, "get_columns"):  # polars
            return cls({each.name: FrameCells(each.to_list()) for each in made.get_columns()})
        if hasattr(value, "iloc") and hasattr(value, "columns"):  # pandas
            named = enumerate(made.columns)
            return cls({name: _cells(made.iloc[:, place]) for place, name in named})
        return None

    def pairs(
        self, columns: tuple[str, str] | None, usual: Sequence[tuple[str, str]] = ()
    ) -> FrameCells:
        """Return the two cells of each row; None where one of them is missing.

        `columns`: their columns; by default, those with usual names. `usual`: usual names, as
        `plain_name` writes them; by default, those of sentences. The first are what columns are
        read as, which is logged where they are called otherwise.
        """
        names = columns or self._usual(usual)
        if isinstance(names, str) or len(names) != 2 or not set(names) <= self.columns.keys():
            raise self._error(f"columns is {quoted(names)}; wanted two of")
        rows = zip(*(self.columns[name] for name in names), strict=True)
        return FrameCells(None if any(cell is None for cell in row) else row for row in rows)

    def _plain_names(self) -> dict[str, str]:
        return {plain_name(name): name for name in self.columns if isinstance(name, str)}

    def _usual(self, usual: Sequence[tuple[str, str]]) -> tuple[str, str]:
        plain, sides = self._plain_names(), (usual or SIDE_NAMES)[0]
        found = [
            (plain[one], plain[other]) for one, other in usual if one in plain and other in plain
        ] or ([] if usual else side_names(self.columns))
        if not found:
            raise self._error(f"no column is called {sides[0]} or {sides[1]}: name two of")
        if found[0] != sides:
            logger.warning(
                "columns %r and %r are read as %s and %s; name others by columns=",
                *found[0], *sides,
            )  # fmt: skip
        return found[0]

    def texts(self) -> FrameCells:
        """Return the column of texts: that with a usual name, or the only one that holds text."""
        plain = self._plain_names()
        usual = [plain[name] for name in _TEXTS if name in plain]
        own = [
            name
            for name, cells in self.columns.items()
            if any(isinstance(cell, str) for cell in cells)
        ]
        if not usual and len(own) != 1:
            raise self._error("no column is called text: give one of")
        name = (usual or own)[0]
        if name != "text":
            logger.warning("column %r is read as text", name)
        return self.columns[name]

    def _error(self, said: str) -> InputError:
        return InputError(f"{said} the columns {', '.join(map(quoted, self.columns))}")


def columns_of(values: Iterable[Any]) -> tuple[Iterable[Any], Mapping[Any, FrameCells]]:
    """Return a caller's texts, and the columns of their frame if they are one.

    A list of mappings with `text` is a frame, too. Cells of a column are `FrameCells`.
    """
    frame = Frame.of(values)
    is_rows = frame is None and isinstance(values, list | tuple) and bool(values)
    if is_rows and all(isinstance(each, Mapping) and "text" in each for each in values):
        names = dict.fromkeys(name for each in values for name in each)
        frame = Frame({name: FrameCells(each.get(name) for each in values) for name in names})
    if frame is not None:
        return frame.texts(), frame.columns
    return cells_of(values), {}


def cells_of(values: Iterable[Any]) -> Iterable[Any]:
    """Return the cells of a column of pandas, polars, pyarrow or numpy; all else as it is."""
    if not isinstance(values, str | list | tuple) and any(
        hasattr(values, name) for name in ("to_list", "to_pylist", "tolist")
    ):
        return _cells(values)
    return values


def _cells(column: Any) -> FrameCells:
    for name in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, name):
            cells = getattr(column, name)()
            return FrameCells(None if _is_missing(cell) else cell for cell in cells)
    return FrameCells(column)


def _is_missing(cell: object) -> bool:
    """Whether a cell is a NaN of floats, or pandas' NA or NaT."""
    is_nan = isinstance(cell, float) and cell != cell
    return is_nan or type(cell).__name__ in ("NAType", "NaTType")

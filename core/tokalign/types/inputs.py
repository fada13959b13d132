"""Checks of callers' sentences, pairs and candidates."""

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, TypeVar

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
    if not isinstance(value, Sentence) and len(value) and all(map(_has_space, value)):
        raise InputError(
            f"the {name} is {quoted(value)}, whose every token has white space in it; wanted one "
            "text, or its tokens (Sentence.from_tokens takes any)",
            field=name,
        )
    return value


def _has_space(token: str) -> bool:
    return len(token.split(maxsplit=1)) > 1


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

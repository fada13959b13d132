"""Alignments and their parts as JSON, and sentences and pairs of JSON."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tokalign.errors import InputError, quoted
from tokalign.types.constraints import NAMES, Constraints
from tokalign.types.display import DIGITS, plain
from tokalign.types.edits import Edit
from tokalign.types.fields import OUTPUTS, AlignmentFields, LinkExplanation, Output
from tokalign.types.inputs import require_sentence, require_unicode, split_tokens
from tokalign.types.links import Link, Phrase
from tokalign.types.relations import Conflict, Relation
from tokalign.types.sentence import Pair, Sentence, SentenceLike

_FIGURES = [each for each in OUTPUTS if each.is_figure]
FIGURES = tuple(each.name for each in _FIGURES if each.is_always_shown)
"""Similarity, score and their components, which every alignment has."""
SENTENCE_COLUMNS = ("tags", "lemmas", "heads", "relations")


def alignment_to_json(
    name: str, alignment: AlignmentFields, *, phrases: bool = False, edits: bool = False
) -> dict[str, Any]:
    """Return a JSON object with a name as "id", which is read again as gold or predictions.

    If phrases or edits were asked for, there is a list of them, even if it is empty.
    """
    value: dict[str, Any] = {"id": name}
    is_asked = {"phrases": phrases, "edits": edits}
    _add(value, [each for each in OUTPUTS if is_asked.get(each.name, True)], alignment)
    return value


def _add(value: dict[str, Any], outputs: Iterable[Output], alignment: AlignmentFields) -> None:
    """Add fields to an object, except uninformative ones."""
    for output in outputs:
        name, default = output.name, output.default
        found = _relations(alignment) if name == "relations" else getattr(alignment, name)
        says_more = found is not None and (default is None or found != default)
        if output.is_always_shown or says_more:
            value[name] = _WRITERS.get(type(found), _other)(found)


def figures_to_json(alignment: AlignmentFields) -> dict[str, float | bool]:
    """Return similarity, score, their components, and whether an encoder read the pair."""
    found: dict[str, float | bool] = {}
    _add(found, _FIGURES, alignment)
    return found


def conflicts_to_json(alignment: AlignmentFields) -> dict[str, Any]:
    """Return the conflicts under their name, if any."""
    return {"conflicts": plain(alignment.conflicts)} if alignment.conflicts else {}


def truncated_sides(alignment: AlignmentFields) -> dict[str, bool]:
    """Return True under `source_truncated` or `target_truncated` for each truncated sentence."""
    names = ("source_truncated", "target_truncated")
    return {name: True for name in names if getattr(alignment, name)}


def links_to_json(alignment: AlignmentFields) -> list[list[float]]:
    """Return ``[source, target, confidence]`` for each link."""
    return [_link(link) for link in alignment.links]


def _relations(alignment: AlignmentFields) -> list[list[Any]] | None:
    """Return the kind of relation of each link, or None if no link has one."""
    found = [
        [link.source, link.target, *_relation(link.relation)]
        for link in alignment.links
        if link.relation is not None
    ]
    return found or None


def _relation(value: Relation) -> tuple[str, float]:
    return value.kind.value, round(value.probability, DIGITS)


def link_columns(alignment: AlignmentFields) -> dict[str, list[Any]]:
    """Return the links column by column: tokens, words, offsets, confidence, kind of relation."""
    sides = (alignment.source, alignment.target)
    indices = [link.source for link in alignment.links], [link.target for link in alignment.links]
    found: dict[str, list[Any]] = {"source": indices[0], "target": indices[1]}
    for name, side, own in zip(("source", "target"), sides, indices, strict=True):
        found[f"{name}_text"] = [side.tokens[k] for k in own]
        found[f"{name}_start"] = [side.starts[k] for k in own]
        found[f"{name}_end"] = [side.ends[k] for k in own]
    found["confidence"] = [link.confidence for link in alignment.links]
    if any(link.relation is not None for link in alignment.links):
        found["relation"] = [
            None if link.relation is None else link.relation.kind.value for link in alignment.links
        ]
    return found


def _link(value: Link) -> list[float]:
    return [value.source, value.target, round(value.confidence, DIGITS)]


def _phrase(value: Phrase) -> dict[str, Any]:
    found: dict[str, Any] = {
        "source": [value.source_start, value.source_end],
        "target": [value.target_start, value.target_end],
        "confidence": round(value.confidence, DIGITS),
    }
    if value.relation is not None:
        found["relation"] = list(_relation(value.relation))
    return found


def _edit(value: Edit) -> dict[str, Any]:
    """Return the object of an edit; without a change for equal tokens."""
    return {name: each for name, each in plain(value).items() if each is not None}


def _tokens(value: Sentence) -> Any:
    return sentence_to_json(value.replace(tags=None, lemmas=None, heads=None, relations=None))


def _other(value: Any) -> Any:
    """Return a string or a member of an enumeration as text, a matrix as a list of its rows."""
    if isinstance(value, str):
        return str(value)
    return [[round(cell, DIGITS) for cell in row] for row in value.tolist()]


_WRITERS: dict[type, Callable[[Any], Any]] = {
    bool: bool,
    list: list,
    float: lambda value: round(value, DIGITS),
    tuple: lambda value: [_WRITERS[type(each)](each) for each in value],
    Sentence: _tokens,
    Link: _link,
    Conflict: plain,
    LinkExplanation: plain,
    Phrase: _phrase,
    Edit: _edit,
}
"""Converters by type; see `_other` for the rest."""


def sentence_to_json(sentence: Sentence) -> list[str] | dict[str, Any]:
    """Return the shortest JSON value that `sentence_from_json` reads back unchanged."""
    tokens = list(sentence.tokens)
    item: dict[str, Any] = {"tokens": tokens}
    if sentence != Sentence.from_tokens(
        tokens, **{name: getattr(sentence, name) for name in SENTENCE_COLUMNS}
    ):
        item = {
            "text": sentence.text,
            "tokens": tokens,
            "offsets": [list(span) for span in zip(sentence.starts, sentence.ends, strict=True)],
        }
    for name in SENTENCE_COLUMNS:
        column = getattr(sentence, name)
        if column is not None:
            item[name] = list(column)
    return tokens if len(item) == 1 else item


def sentence_from_json(value: object, field: str) -> Sentence:
    """Return the sentence of a JSON token list or object (tokalign.formats.jsonl).

    The field, such as ``"source"``, is for messages. InputError if a column has the wrong type or
    length, an offset lies outside the text, or a string holds half a surrogate pair.
    """
    if isinstance(value, list):
        value = {"tokens": value}
    if not isinstance(value, dict):
        raise InputError(
            f"field {quoted(field)} is {type(value).__name__}; wanted a list of tokens or an "
            "object with tokens",
            field=field,
        )
    tokens = _column(value, "tokens", str, field)
    if tokens is None:
        raise InputError(f"field '{field}.tokens' is missing", field=f"{field}.tokens")
    text = value.get("text")
    if text is not None and not isinstance(text, str):
        raise InputError(f"field '{field}.text' is not a string", field=f"{field}.text")
    require_unicode(text or "", f"{field}.text")
    kinds = {"heads": int}
    columns = {name: _column(value, name, kinds.get(name, str), field) for name in SENTENCE_COLUMNS}
    offsets = value.get("offsets")
    if offsets is None:
        return Sentence.from_tokens(tokens, text=text, **columns)
    if text is None:
        raise InputError(f"field '{field}.offsets' needs '{field}.text'", field=f"{field}.text")
    starts, ends = _spans(offsets, text, len(tokens), field)
    return Sentence.from_tokens(tokens, **columns).replace(text=text, starts=starts, ends=ends)


def pair_from_json(value: Mapping[str, Any], *, is_tokenized: bool = False) -> Pair:
    """Return the pair to align of a JSON object, with its constraints if it has any; InputError
    if a side is not a sentence (see `sentence_like`), or a constraint is wrong."""
    source, target = (
        sentence_like(value.get(side), side, is_tokenized=is_tokenized)
        for side in ("source", "target")
    )
    given = {field: value[field] for field in NAMES if value.get(field) is not None}
    return (source, target, Constraints(**given)) if given else (source, target)


def sentence_like(value: object, field: str, *, is_tokenized: bool = False) -> SentenceLike:
    """Return the sentence of a JSON value: a string, tokens, or an object with columns;
    InputError if it is another value, or empty."""
    if isinstance(value, dict) and "tokens" not in value and "text" in value:
        value = value["text"]
    if isinstance(value, str):
        if not value.strip():
            raise InputError(f"field {quoted(field)} is empty", field=field)
        return split_tokens(value) if is_tokenized else value
    sentence: Sentence = sentence_from_json(value, field)
    if not sentence.tokens:
        raise InputError(f"field {quoted(field)} has no tokens", field=field)
    if isinstance(value, list):
        require_sentence(value, field)  # sentences in a list are a mistake
    return sentence


def _column(value: Mapping[str, Any], name: str, kind: type, field: str) -> Any:
    column = value.get(name)
    if column is None:
        return None
    if not isinstance(column, list) or not all(type(entry) is kind for entry in column):
        raise InputError(
            f"field '{field}.{name}' is not a list of {kind.__name__}", field=f"{field}.{name}"
        )
    if kind is str:
        require_unicode(" ".join(column), f"{field}.{name}")
    return column


def _spans(
    offsets: object, text: str, n_tokens: int, field: str
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    where = f"{field}.offsets"
    if not isinstance(offsets, list) or len(offsets) != n_tokens:
        raise InputError(f"field '{where}' does not hold one [start, end] a token", field=where)
    for span in offsets:
        good = isinstance(span, list) and len(span) == 2 and all(type(x) is int for x in span)
        if not good or not 0 <= span[0] <= span[1] <= len(text):
            raise InputError(
                f"field '{where}' holds {quoted(span)}; wanted [start, end] within the text's "
                f"{len(text)} characters",
                field=where,
            )
    return tuple(span[0] for span in offsets), tuple(span[1] for span in offsets)

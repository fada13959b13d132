"""Conversion of sentences, pairs with constraints, and candidates to messages and back."""

from typing import Any

from tokalign.errors import InputError, LimitError
from tokalign.types import PairLike, Sentence, SentenceLike
from tokalign.types.constraints import LINK_FIELDS, TOKEN_FIELDS, Constraints
from tokalign.types.inputs import require_pair, require_sentence
from tokalign.types.objects import SENTENCE_COLUMNS as _COLUMNS
from tokalign.v1 import align_pb2


def decode_sentence(message: align_pb2.Sentence) -> Sentence:
    """Return a sentence from an answer.

    InputError is raised if a column is not as long as the tokens.
    """
    n_tokens = len(message.tokens)
    for name in ("starts", "ends", *_COLUMNS):
        n_values = len(getattr(message, name))
        if n_values != n_tokens and (n_values or name in ("starts", "ends")):
            raise InputError(
                f"the answer has {n_values} {name} for {n_tokens} tokens; wanted one of each token",
                field=name,
            )
    return Sentence(
        text=message.text,
        tokens=tuple(message.tokens),
        starts=tuple(message.starts),
        ends=tuple(message.ends),
        **{name: tuple(getattr(message, name)) or None for name in _COLUMNS},
    )


def encode_input(value: SentenceLike, name: str = "sentence") -> align_pb2.Sentence:
    """Return the message for raw text, tokens or a sentence that is to be aligned.

    If tokens were rewritten (Penn quotes), the message has no text, in which `decode_input` would
    look for the tokens.

    `value`: may be empty, which `decode_input` refuses. `name`: the name that errors use, also as
    their field.

    InputError is raised if it is of another type, or holds lone surrogates.
    """
    try:
        return _encoded(require_sentence(value, name))
    except UnicodeEncodeError as error:
        raise InputError(f"the {name} is not valid Unicode: {error}", field=name) from error


def _encoded(value: SentenceLike) -> align_pb2.Sentence:
    if isinstance(value, str):
        return align_pb2.Sentence(text=value)
    if not isinstance(value, Sentence):
        return align_pb2.Sentence(tokens=value)
    spans = zip(value.tokens, value.starts, value.ends, strict=True)
    is_verbatim = all(value.text[start:end] == token for token, start, end in spans)
    given = {name: column for name in _COLUMNS if (column := getattr(value, name)) is not None}
    return align_pb2.Sentence(text=value.text if is_verbatim else "", tokens=value.tokens, **given)


def decode_input(message: align_pb2.Sentence) -> str | Sentence:
    """Return a sentence that is to be aligned: its text, or a checked sentence if it has tokens.

    InputError is raised if it is empty, has columns without tokens, or columns that contradict one
    another (see Sentence.from_tokens); the field is that of the message.
    """
    given = {name: list(column) for name in _COLUMNS if len(column := getattr(message, name))}
    if message.tokens:
        tokens = list(message.tokens)
        return Sentence.from_tokens(tokens, text=message.text or None, **given)
    if given:
        raise InputError(f"{', '.join(given)} given without tokens", field=next(iter(given)))
    if not message.text or message.text.isspace():
        raise InputError("the sentence is empty; give text or tokens", field="text")
    return message.text


def encode_pair(pair: PairLike, pair_id: str = "") -> align_pb2.Pair:
    """Return the message for (source, target), maybe with Constraints.

    InputError is raised if it is not such a pair, or holds lone surrogates; the field names the
    side.
    """
    source, target, *more = require_pair(pair)
    message = align_pb2.Pair(
        id=pair_id, source=encode_input(source, "source"), target=encode_input(target, "target")
    )
    for constraints in more:
        message.constraints.CopyFrom(encode_constraints(constraints))
    return message


def encode_candidate(
    value: SentenceLike,
    candidate_id: str = "",
    *,
    passages: bool = False,
    prior: float | None = None,
) -> align_pb2.Candidate:
    """Return the message of a candidate; with `passages`, a str is a passage.

    InputError is raised as of `encode_input`.
    """
    sentence = encode_input(value, "candidate")
    if passages and isinstance(value, str):
        return align_pb2.Candidate(id=candidate_id, passage=value, prior=prior)
    return align_pb2.Candidate(id=candidate_id, sentence=sentence, prior=prior)


def encode_constraints(value: Constraints) -> align_pb2.Constraints:
    message = align_pb2.Constraints(**{name: getattr(value, name) for name in TOKEN_FIELDS})
    for name in LINK_FIELDS:
        links = getattr(message, name)
        for i, j in getattr(value, name):
            links.source_indices.append(i)
            links.target_indices.append(j)
    return message


def decode_constraints(message: align_pb2.Constraints, n_source: int, n_target: int) -> Constraints:
    """Return the constraints of a pair with these numbers of tokens.

    InputError is raised if links have more indices of one side than of the other, or contradict one
    another; LimitError, if there are more links than the pair can have, or more tokens.
    """
    given: dict[str, Any] = {}
    for name in LINK_FIELDS:
        links = getattr(message, name)
        sources, targets = links.source_indices, links.target_indices
        if len(sources) != len(targets):
            raise InputError(
                f"{len(sources)} source and {len(targets)} target indices; wanted as many of both",
                field=f"constraints.{name}",
            )
        _check_number(name, len(sources), n_source * n_target)
        given[name] = zip(sources, targets, strict=True)
    for name in TOKEN_FIELDS:
        tokens = getattr(message, name)
        _check_number(name, len(tokens), n_source if name.endswith("_source") else n_target)
        given[name] = tokens
    return Constraints(**given)


def _check_number(name: str, seen: int, most: int) -> None:
    if seen > most:
        raise LimitError(
            f"{seen} of {name}, but the pair has {most} in all; name each once",
            field=f"constraints.{name}",
        )

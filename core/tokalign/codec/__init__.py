"""Protobuf messages from tokalign's types and back; the only such place. Knows nothing of grpc.

``encode_x`` makes a message, ``decode_x`` reads one; answers are written without one (_writing).
What is decoded equals what was encoded, with numbers that are single precision on the wire rounded
to it. Limits are not checked here.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from tokalign.errors import InputError
from tokalign.options import AlignOptions, Detail, Direction, OffsetUnit, RankBy, Symmetrization
from tokalign.types import (
    Alignment,
    FeatureContribution,
    Judgement,
    Link,
    LinkExplanation,
    PassageSentence,
    Sentence,
    SentenceLike,
)
from tokalign.v1 import align_pb2

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# By value, since a Direction is a Symmetrization that takes one direction alone.
_TO_NUMBER: dict[str, Any] = {
    each.value: align_pb2.Direction.Value(f"DIRECTION_{each.name}") for each in Symmetrization
}
_FROM_NUMBER: dict[int, Symmetrization] = {
    number: Symmetrization(value) for value, number in _TO_NUMBER.items()
}
_UNIT_TO_NUMBER: dict[str, Any] = {
    each.value: align_pb2.OffsetUnit.Value(f"OFFSET_UNIT_{each.name}") for each in OffsetUnit
}
_DETAIL_TO_NUMBER: dict[str, Any] = {
    each.value: align_pb2.Detail.Value(f"DETAIL_{each.name}") for each in Detail
}

_RANK_BY_TO_NUMBER: dict[RankBy, Any] = {
    by: align_pb2.RankBy.Value("RANK_BY_" + ("UNSPECIFIED" if by is RankBy.AUTO else by.name))
    for by in RankBy
}
_RANK_BY_FROM_NUMBER: dict[int, RankBy] = {number: by for by, number in _RANK_BY_TO_NUMBER.items()}

_COLUMNS = ("tags", "lemmas", "heads", "relations")

_OPTION_NAMES = {
    "symmetrization": "direction",
    "posteriors": "return_posteriors",
    "explain": "return_explanations",
    "phrases": "return_phrases",
    "offsets": "offset_unit",
}
"""Fields of AlignOptions that the protobuf message of that name calls otherwise."""

_CHOICES: dict[str, dict[str, Any]] = {
    "direction": _TO_NUMBER,
    "offset_unit": _UNIT_TO_NUMBER,
    "detail": _DETAIL_TO_NUMBER,
}
"""Fields of the message that are enums: value in AlignOptions -> number."""


@dataclass(frozen=True, slots=True)
class RequestOptions:
    """What a request asks for.

    Attributes
    ----------
    model, annotator : str
        Names; empty is the server's default.
    align : AlignOptions
    rank_by : RankBy or None
        Of a ranking. No part of the message AlignOptions.
    """

    model: str = ""
    annotator: str = ""
    align: AlignOptions = field(default_factory=AlignOptions)
    rank_by: RankBy | None = None


@dataclass(frozen=True, slots=True)
class StyleInfo:
    """A convention of what deserves a link: its name, and what it links."""

    name: str
    links: str


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A model that a server has loaded; see the message Model in align.proto."""

    name: str
    version: str
    digest: str
    description: str
    corpora: tuple[str, ...]
    feature_groups: tuple[str, ...]
    directions: tuple[Symmetrization, ...]
    uses_trees: bool
    is_default: bool
    styles: tuple[StyleInfo, ...] = ()


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """What one request may hold.

    Attributes
    ----------
    max_tokens, max_characters : int
        Of one sentence.
    max_token_product : int
        Tokens of the source times tokens of the target.
    max_pairs : int
        Pairs, or candidates, of one request.
    max_request_bytes : int
    max_cost : int
        Of one request, in typical pairs; 0 where the server does not say.
    max_response_bytes : int
        Of one answer; 0 where the server does not say.
    """

    max_tokens: int
    max_token_product: int
    max_characters: int
    max_pairs: int
    max_request_bytes: int
    max_cost: int
    max_response_bytes: int


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """What a server offers; of models and annotators, the default comes first."""

    version: str
    models: tuple[ModelInfo, ...]
    annotators: tuple[str, ...]
    limits: ServerLimits


# Options.


def encode_options(options: RequestOptions) -> align_pb2.AlignOptions:
    """Return the message."""
    values = {
        _OPTION_NAMES.get(each.name, each.name): getattr(options.align, each.name)
        for each in fields(AlignOptions)
    }
    for name, numbers in _CHOICES.items():
        values[name] = numbers[values[name]]
    return align_pb2.AlignOptions(model=options.model, annotator=options.annotator, **values)


def decode_options(
    message: align_pb2.AlignOptions, *, model: str = "", annotator: str = ""
) -> RequestOptions:
    """Return checked options; `model` and `annotator` are the defaults.

    Raises
    ------
    InputError
        If an enum's number is unknown or another option out of range.
    """
    values = {}
    for each in fields(AlignOptions):
        name = _OPTION_NAMES.get(each.name, each.name)
        value = getattr(message, name)
        if name not in _CHOICES:
            values[each.name] = value
        elif value:  # 0 is the default
            values[each.name] = _chosen(name, value)
    return RequestOptions(
        message.model or model, message.annotator or annotator, AlignOptions(**values)
    )


def _chosen(name: str, number: int) -> str:
    """Return the value of an enum's number, or raise InputError."""
    for value, known in _CHOICES[name].items():
        if number == known:
            return value
    described: Any = align_pb2.AlignOptions.DESCRIPTOR.fields_by_name[name]
    raise InputError(
        f"{name} {number} is unknown; wanted a value of {described.enum_type.full_name}",
        field=f"options.{name}",
    )


def encode_rank_by(value: RankBy | str) -> Any:
    """Return the number of what to rank by.

    Raises
    ------
    InputError
        If it is unknown.
    """
    return _RANK_BY_TO_NUMBER[RankBy.of(value)]


def decode_rank_by(number: int) -> RankBy:
    """Return what to rank by.

    Raises
    ------
    InputError
        If it is unknown.
    """
    if number not in _RANK_BY_FROM_NUMBER:
        raise InputError(
            f"rank_by {number} is unknown; wanted a value of tokalign.v1.RankBy", field="rank_by"
        )
    return _RANK_BY_FROM_NUMBER[number]


# Sentences.


def decode_sentence(message: align_pb2.Sentence) -> Sentence:
    """Return a sentence from an answer, unchecked."""
    return Sentence(
        text=message.text,
        tokens=tuple(message.tokens),
        starts=tuple(message.starts),
        ends=tuple(message.ends),
        **{name: tuple(getattr(message, name)) or None for name in _COLUMNS},
    )


def encode_input(value: SentenceLike) -> align_pb2.Sentence:
    """Return the message for raw text, tokens or a sentence that is to be aligned.

    The text of a sentence whose tokens were rewritten (Penn quotes) is left out, since whoever
    decodes it looks the tokens up in it.
    """
    if isinstance(value, str):
        return align_pb2.Sentence(text=value)
    if not isinstance(value, Sentence):
        return align_pb2.Sentence(tokens=value)
    text = value.text if _is_verbatim(value) else ""
    return align_pb2.Sentence(text=text, tokens=value.tokens, **_given_columns(value))


def decode_input(message: align_pb2.Sentence) -> str | Sentence:
    """Return a sentence that is to be aligned: its text, or a checked sentence if it has tokens.

    Raises
    ------
    InputError
        If it is empty, has columns without tokens, or columns that contradict one another (see
        Sentence.from_tokens); the field is that of the message.
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


def _given_columns(value: Sentence) -> dict[str, Any]:
    return {name: column for name in _COLUMNS if (column := getattr(value, name)) is not None}


def _is_verbatim(value: Sentence) -> bool:
    spans = zip(value.tokens, value.starts, value.ends, strict=True)
    return all(value.text[start:end] == token for token, start, end in spans)


def encode_pair(pair: tuple[SentenceLike, SentenceLike], pair_id: str = "") -> align_pb2.Pair:
    """Return the message for (source, target)."""
    source, target = pair
    return align_pb2.Pair(id=pair_id, source=encode_input(source), target=encode_input(target))


# Alignments.


def decode_alignment(
    message: align_pb2.Alignment, model: align_pb2.ModelRef, symmetrization: Symmetrization
) -> Alignment:
    """Return an alignment.

    Parameters
    ----------
    message : align_pb2.Alignment
        Its phrases follow from its links and are not read. Sentences that it was asked to leave
        out are empty.
    model : align_pb2.ModelRef
        Of the same response.
    symmetrization : Symmetrization
        That was asked for.
    """
    return Alignment(
        source=decode_sentence(message.source),
        target=decode_sentence(message.target),
        links=tuple(map(Link, message.source_indices, message.target_indices, message.confidences)),
        score=message.score,
        similarity=message.similarity,
        model=model.name,
        version=model.version,
        symmetrization=symmetrization,
        posteriors=(
            decode_posteriors(message.posteriors) if message.HasField("posteriors") else None
        ),
        explanations=tuple(map(decode_explanation, message.explanations)),
        source_truncated=message.source_truncated,
        target_truncated=message.target_truncated,
    )


def decode_posteriors(message: align_pb2.PosteriorMatrix) -> NDArray[np.float32]:
    """Return the matrix, of shape (n_source, n_target)."""
    import numpy as np  # slow to import, and seldom asked for

    return np.array(message.values, dtype=np.float32).reshape(message.n_source, message.n_target)


def decode_explanation(message: align_pb2.LinkExplanation) -> LinkExplanation:
    """Return why one token got its label."""
    return LinkExplanation(
        source=message.source_index,
        target=message.target_index,
        direction=Direction(_FROM_NUMBER[message.direction]),
        score=message.score,
        features=tuple(map(_decode_contribution, message.features)),
        runner_up=message.runner_up,
        margin=message.margin,
    )


def decode_judgement(message: align_pb2.RankedCandidate) -> Judgement:
    """Return what a candidate is ranked by; its score, where the server is of an earlier version
    that ranks by nothing else."""
    if message.rank_by == align_pb2.RANK_BY_UNSPECIFIED:
        return Judgement(RankBy.SCORE, message.result.alignment.score)
    return Judgement(
        decode_rank_by(message.rank_by),
        message.score,
        tuple(map(_decode_contribution, message.evidence)),
    )


def encode_passage_sentence(value: PassageSentence) -> align_pb2.PassageSentence:
    """Return the message of which sentence of a passage was ranked."""
    return align_pb2.PassageSentence(**_values(value, PassageSentence))


def decode_passage_sentence(message: align_pb2.RankedCandidate) -> PassageSentence | None:
    """Return which sentence of a passage was ranked, None where the candidate is none."""
    if not message.HasField("best_sentence"):
        return None
    return PassageSentence(**_values(message.best_sentence, PassageSentence))


def encode_candidate(
    value: SentenceLike, candidate_id: str = "", *, passages: bool = False
) -> align_pb2.Candidate:
    """Return the message of a candidate: a str is a passage where `passages` says so."""
    if passages and isinstance(value, str):
        return align_pb2.Candidate(id=candidate_id, passage=value)
    return align_pb2.Candidate(id=candidate_id, sentence=encode_input(value))


def _decode_contribution(message: align_pb2.FeatureContribution) -> FeatureContribution:
    return FeatureContribution(message.name, message.value, message.weight)


# What a server offers.


def encode_server_info(value: ServerInfo) -> align_pb2.ListModelsResponse:
    """Return the message."""
    return align_pb2.ListModelsResponse(
        models=map(encode_model, value.models),
        limits=encode_limits(value.limits),
        annotators=value.annotators,
        server_version=value.version,
    )


def decode_server_info(message: align_pb2.ListModelsResponse) -> ServerInfo:
    """Return what a server offers."""
    return ServerInfo(
        version=message.server_version,
        models=tuple(map(decode_model, message.models)),
        annotators=tuple(message.annotators),
        limits=decode_limits(message.limits),
    )


def encode_model(value: ModelInfo) -> align_pb2.Model:
    """Return the message."""
    values = _values(value, ModelInfo)
    values["directions"] = [_TO_NUMBER[each] for each in value.directions]
    values["styles"] = [align_pb2.Style(**_values(each, StyleInfo)) for each in value.styles]
    return align_pb2.Model(**values)


def decode_model(message: align_pb2.Model) -> ModelInfo:
    """Return a model; of its directions, those that this version has a name for."""
    values = _values(message, ModelInfo)
    known = (_FROM_NUMBER.get(number) for number in message.directions)
    values["directions"] = tuple(each for each in known if each is not None)
    values["corpora"] = tuple(message.corpora)
    values["feature_groups"] = tuple(message.feature_groups)
    values["styles"] = tuple(StyleInfo(**_values(each, StyleInfo)) for each in message.styles)
    return ModelInfo(**values)


def encode_limits(value: ServerLimits) -> align_pb2.Limits:
    """Return the message."""
    return align_pb2.Limits(**_values(value, ServerLimits))


def decode_limits(message: align_pb2.Limits) -> ServerLimits:
    """Return the limits."""
    return ServerLimits(**_values(message, ServerLimits))


def _values(value: Any, kind: Any) -> dict[str, Any]:
    """Return the fields of a dataclass by name, out of one of its values or its message."""
    return {each.name: getattr(value, each.name) for each in fields(kind)}

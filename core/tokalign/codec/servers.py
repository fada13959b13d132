"""What a server offers: models, limits and annotators."""

from __future__ import annotations

from dataclasses import dataclass

from tokalign.codec.options import FROM_NUMBER, TO_NUMBER, values_of
from tokalign.options import Symmetrization
from tokalign.v1 import align_pb2


@dataclass(frozen=True, slots=True)
class StyleInfo:
    """A convention of what deserves a link: its name, and what it links."""

    name: str
    links: str


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A model or system that a server has loaded; see the message Model in align.proto."""

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
    is_system: bool = False


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
    values = values_of(value, ModelInfo)
    values["directions"] = [TO_NUMBER[each] for each in value.directions]
    values["styles"] = [align_pb2.Style(**values_of(each, StyleInfo)) for each in value.styles]
    return align_pb2.Model(**values)


def decode_model(message: align_pb2.Model) -> ModelInfo:
    """Return a model; of its directions, those that this version has a name for."""
    values = values_of(message, ModelInfo)
    known = (FROM_NUMBER.get(number) for number in message.directions)
    values["directions"] = tuple(each for each in known if each is not None)
    values["corpora"] = tuple(message.corpora)
    values["feature_groups"] = tuple(message.feature_groups)
    values["styles"] = tuple(StyleInfo(**values_of(each, StyleInfo)) for each in message.styles)
    return ModelInfo(**values)


def encode_limits(value: ServerLimits) -> align_pb2.Limits:
    """Return the message."""
    return align_pb2.Limits(**values_of(value, ServerLimits))


def decode_limits(message: align_pb2.Limits) -> ServerLimits:
    """Return the limits."""
    return ServerLimits(**values_of(message, ServerLimits))

"""A server's models, annotators and limits, as ListModels has them, and reasons of its errors."""

from dataclasses import dataclass
from enum import StrEnum

from tokalign.codec.options import member_of, numbers_of, values_of
from tokalign.types.options import Symmetrization
from tokalign.v1 import align_pb2

ERROR_DOMAIN = "tokalign"
"""Domain of google.rpc.ErrorInfo: with it, a reason is unique among all services."""


class ErrorReason(StrEnum):
    """Why a server refused or failed a call, or one item of it; each has one gRPC code.

    Members are those of ErrorReason in the contract, which says when each is sent and what helps. A
    member equals its name, such as ``"QUEUE_FULL"``.
    """

    INVALID_INPUT = "INVALID_INPUT"
    MALFORMED_MESSAGE = "MALFORMED_MESSAGE"
    LIMIT_EXCEEDED = "LIMIT_EXCEEDED"
    TOO_MANY_ITEMS = "TOO_MANY_ITEMS"
    TEXT_TOO_LARGE = "TEXT_TOO_LARGE"
    REQUEST_TOO_COSTLY = "REQUEST_TOO_COSTLY"
    ANSWER_TOO_LARGE = "ANSWER_TOO_LARGE"
    MODEL_NOT_FOUND = "MODEL_NOT_FOUND"
    ANNOTATOR_NOT_FOUND = "ANNOTATOR_NOT_FOUND"
    SERVICE_NOT_FOUND = "SERVICE_NOT_FOUND"
    CHANNEL_NOT_FOUND = "CHANNEL_NOT_FOUND"
    METHOD_UNKNOWN = "METHOD_UNKNOWN"
    QUEUE_FULL = "QUEUE_FULL"
    QUEUE_BYTES_FULL = "QUEUE_BYTES_FULL"
    WAIT_TOO_LONG = "WAIT_TOO_LONG"
    DEADLINE_TOO_SHORT = "DEADLINE_TOO_SHORT"
    MEMORY_SHORT = "MEMORY_SHORT"
    TOO_MANY_WATCHERS = "TOO_MANY_WATCHERS"
    DEADLINE_PASSED = "DEADLINE_PASSED"
    MESSAGE_TIMEOUT = "MESSAGE_TIMEOUT"
    MESSAGE_INCOMPLETE = "MESSAGE_INCOMPLETE"
    CALLER_GONE = "CALLER_GONE"
    SERVER_STARTING = "SERVER_STARTING"
    SERVER_STOPPING = "SERVER_STOPPING"
    TOKEN_MISSING = "TOKEN_MISSING"
    TOKEN_UNKNOWN = "TOKEN_UNKNOWN"
    RELOAD_REFUSED = "RELOAD_REFUSED"
    VERSION_MISMATCH = "VERSION_MISMATCH"
    INTERNAL_FAULT = "INTERNAL_FAULT"
    PAIR_KILLS_WORKERS = "PAIR_KILLS_WORKERS"
    TOKEN_EXPIRED = "TOKEN_EXPIRED"
    SCOPE_MISSING = "SCOPE_MISSING"
    QUOTA_EXCEEDED = "QUOTA_EXCEEDED"
    TOO_MUCH_AT_ONCE = "TOO_MUCH_AT_ONCE"
    ORIGIN_FORBIDDEN = "ORIGIN_FORBIDDEN"


@dataclass(frozen=True, slots=True)
class StyleInfo:
    """An annotation style: its name, and a description of what it links."""

    name: str
    links: str


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A model or system that a server has loaded; align.proto describes the fields."""

    name: str
    version: str
    digest: str
    description: str
    corpora: tuple[str, ...]
    feature_groups: tuple[str, ...]
    symmetrizations: tuple[Symmetrization, ...]
    uses_trees: bool
    is_default: bool
    styles: tuple[StyleInfo, ...] = ()
    is_system: bool = False
    default_style: str = ""
    takes_effort: bool = False
    encoder: str = ""


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """Limits of one request, and of its answer.

    Attributes
    ----------
    max_tokens, max_characters : int
        Of one sentence.
    max_token_product : int
        Tokens of the source times tokens of the target.
    max_pairs : int
        Pairs, or candidates, of one request.
    max_request_bytes : int
        Size of one request.
    max_response_bytes : int
        Size of one answer.
    max_cost : int
        Cost of one request, in typical pairs.
    max_text_bytes : int
        Sum of the sizes of both texts in a stream of texts.
    """

    max_tokens: int
    max_token_product: int
    max_characters: int
    max_pairs: int
    max_request_bytes: int
    max_response_bytes: int
    max_cost: int
    max_text_bytes: int


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """Models, annotators and limits of a server; the first model and annotator are the defaults."""

    server_version: str
    models: tuple[ModelInfo, ...]
    annotators: tuple[str, ...]
    limits: ServerLimits


def encode_server_info(value: ServerInfo) -> align_pb2.ListModelsResponse:
    return align_pb2.ListModelsResponse(
        server_version=value.server_version,
        models=map(encode_model, value.models),
        annotators=value.annotators,
        limits=align_pb2.ServerLimits(**values_of(value.limits, ServerLimits)),
    )


def decode_server_info(message: align_pb2.ListModelsResponse) -> ServerInfo:
    """Return the description of a server.

    Symmetrizations that this version has no names for are left out.
    """
    return ServerInfo(
        server_version=message.server_version,
        models=tuple(map(decode_model, message.models)),
        annotators=tuple(message.annotators),
        limits=ServerLimits(**values_of(message.limits, ServerLimits)),
    )


def encode_model(value: ModelInfo) -> align_pb2.ModelInfo:
    values = values_of(value, ModelInfo)
    values["symmetrizations"] = [numbers_of(Symmetrization)[each] for each in value.symmetrizations]
    values["styles"] = [align_pb2.StyleInfo(**values_of(each, StyleInfo)) for each in value.styles]
    return align_pb2.ModelInfo(**values)


def decode_model(message: align_pb2.ModelInfo) -> ModelInfo:
    values = values_of(message, ModelInfo)
    known = (member_of(Symmetrization, number) for number in message.symmetrizations)
    values["symmetrizations"] = tuple(each for each in known if each is not None)
    values["corpora"] = tuple(message.corpora)
    values["feature_groups"] = tuple(message.feature_groups)
    values["styles"] = tuple(StyleInfo(**values_of(each, StyleInfo)) for each in message.styles)
    return ModelInfo(**values)

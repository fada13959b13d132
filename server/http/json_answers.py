"""Answers, as structs of which the OpenAPI document has its schemas."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from google.rpc import code_pb2
from msgspec import UNSET, Meta, Struct, UnsetType
from tokalign.codec.servers import ErrorReason
from tokalign.server.http.json_bodies import JsonIndex, JsonRange, Share, about

Code = Annotated[
    str, Meta(description="As gRPC has it.", extra_json_schema={"enum": code_pb2.Code.keys()})
]
Cosine = Annotated[float, Meta(ge=-1, le=1)]


class JsonAnswer(Struct, forbid_unknown_fields=True):
    """Base of answers."""


class JsonProblem(JsonAnswer):
    """Why a request failed (RFC 9457)."""

    title: Annotated[str, about("The status in words.")]
    status: Annotated[int, about("The status of the response.")]
    detail: Annotated[str, about("What was seen, and what was wanted.")]
    code: Code
    reason: ErrorReason
    field: (
        Annotated[str, about("Path of the field that is wrong, such as documents[3].text.")]
        | UnsetType
    ) = UNSET
    metadata: (
        Annotated[dict[str, str], about("What detail says in words, for programs.")] | UnsetType
    ) = UNSET
    retry_after_s: (
        Annotated[float, about("Seconds after which trying again is worth it.")] | UnsetType
    ) = UNSET


class JsonItemError(JsonAnswer, kw_only=True):
    """Why one pair of many could not be aligned."""

    id: str
    index: JsonIndex | UnsetType = UNSET
    error: str
    code: Code
    reason: ErrorReason
    field: str | UnsetType = UNSET


class JsonSimilarity(JsonAnswer):
    """How much two sentences say the same."""

    id: str
    similarity: Annotated[Share, about("How much both sentences say the same.")]
    score: Annotated[Share, about("How much of the target the source says.")]
    covered: Share
    target_covered: Share
    agreement: Annotated[Share, about("1 without conflicts.")]
    cosine: Cosine | UnsetType = UNSET
    encoded: (
        Annotated[bool, about("Whether the encoder read the pair, as effort asks.")] | UnsetType
    ) = UNSET


class JsonTokensWithOffsets(JsonAnswer):
    """A sentence whose text is not its tokens with a space between them."""

    text: str
    tokens: list[str]
    offsets: Annotated[list[JsonRange], about("Of each token, into the text.")]


JsonAlignedSentence = list[str] | JsonTokensWithOffsets


class JsonConflict(JsonAnswer):
    """Words that contradict one another."""

    kind: str
    source: int
    target: int
    source_span: Annotated[JsonRange, about("Of all tokens to show.")]
    target_span: JsonRange
    reason: str
    probability: Share


class JsonContribution(JsonAnswer):
    """What a feature adds to a score."""

    name: str
    value: float
    weight: float


class JsonExplanation(JsonAnswer):
    """Why a link is there."""

    source: int
    target: int
    direction: str
    score: float
    runner_up: int
    margin: float
    features: list[JsonContribution]


class JsonPhrase(JsonAnswer):
    """Spans of tokens that are linked as a whole."""

    source: JsonRange
    target: JsonRange
    confidence: Share
    relation: tuple[str, Share] | UnsetType = UNSET


class JsonEdit(JsonAnswer):
    """A change from the source to the target."""

    kind: str
    source: list[JsonIndex]
    target: list[JsonIndex]
    change: str | UnsetType = UNSET


JsonMarks = Annotated[
    list[tuple[JsonIndex, JsonIndex, str]],
    about("[start, end, markup, citation, label or address]"),
]


class JsonMarkedSides(JsonAnswer):
    """What in both texts is no word, and addresses."""

    source: JsonMarks
    target: JsonMarks


class JsonAlignment(JsonSimilarity, kw_only=True):
    """A line of tokalign align --format jsonl."""

    index: Annotated[JsonIndex, about("Of the pair, in a stream.")] | UnsetType = UNSET
    source: JsonAlignedSentence
    target: JsonAlignedSentence
    links: Annotated[
        list[tuple[JsonIndex, JsonIndex, Share]],
        about("[source token, target token, confidence]"),
    ]
    symmetrization: str
    model: str
    version: str
    style: str | UnsetType = UNSET
    distance: Annotated[float, Meta(ge=0)] | UnsetType = UNSET
    conflicts: list[JsonConflict] | UnsetType = UNSET
    source_truncated: bool | UnsetType = UNSET
    target_truncated: bool | UnsetType = UNSET
    relations: (
        Annotated[
            list[tuple[JsonIndex, JsonIndex, str, Share]],
            about("[source token, target token, kind, probability]"),
        ]
        | UnsetType
    ) = UNSET
    posteriors: list[list[Share]] | UnsetType = UNSET
    explanations: list[JsonExplanation] | UnsetType = UNSET
    marks: Annotated[JsonMarkedSides, about("Of explain.")] | UnsetType = UNSET
    phrases: list[JsonPhrase] | UnsetType = UNSET
    edits: list[JsonEdit] | UnsetType = UNSET


class JsonHighlight(JsonAnswer):
    """A span of a document that matches the query, in code points."""

    start: JsonIndex
    end: JsonIndex
    confidence: Share


class JsonResult(JsonAnswer):
    """A document, and how well it answers."""

    index: Annotated[JsonIndex, about("Of the document.")]
    relevance_score: Share
    document: Annotated[dict[str, Any], about("As given, a string as text.")] | UnsetType = UNSET
    highlights: list[JsonHighlight] | UnsetType = UNSET


class JsonApiVersion(JsonAnswer):
    """The version of the path."""

    version: str


class JsonRankingMeta(JsonAnswer):
    """What belongs to no result."""

    api_version: JsonApiVersion
    warnings: (
        Annotated[list[str], about("What was not ranked, not read or passed over.")] | UnsetType
    ) = UNSET


class JsonUsage(JsonAnswer):
    """What was read."""

    total_tokens: Annotated[
        int, about("Words of the query and the documents, between white space.")
    ]


class JsonRanking(JsonAnswer):
    """Documents by falling relevance_score."""

    id: str
    model: str
    results: list[JsonResult]
    meta: JsonRankingMeta
    usage: JsonUsage


class JsonModels(JsonAnswer):
    """What the server offers: ListModelsResponse of the contract."""

    server_version: str
    models: list[dict[str, Any]]
    annotators: list[str]
    limits: dict[str, int]


class JsonHealth(JsonAnswer):
    """Whether the server serves."""

    status: Literal["SERVING", "NOT_SERVING"]

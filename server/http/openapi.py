"""The OpenAPI document of the paths.

Options are those of the library's dataclasses, with their docstrings; evidence and differences have
the schemas of their own files, all other values those of schemas.json.
"""

from __future__ import annotations

import importlib.metadata
import json
import re
from collections.abc import Container
from dataclasses import fields
from enum import StrEnum
from importlib import resources
from typing import Any

from google.rpc import code_pb2
from tokalign.codec.reasons import ErrorReason
from tokalign.server.http.rerank import PASSED_OVER, RERANK_OPTIONS
from tokalign.server.http.texts import DIFF_OPTIONS
from tokalign.types.grounding import GroundOptions
from tokalign.types.options import AlignOptions, BaseOptions, RankBy

JsonSchema = dict[str, Any]

_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string"}
_SHARES = ("min_confidence", "threshold", "effort")
_STREAM = {"type": "boolean", "description": "Whether to answer by server-sent events."}
_NAMES: JsonSchema = {
    "model": {"type": "string", "description": "Of /v1/models; else the server's default."},
    "annotator": {"type": "string", "description": "Of /v1/models; else the server's default."},
}


def openapi() -> JsonSchema:
    """Return the document."""
    version = importlib.metadata.version("tokalign")
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "tokalign",
            "version": version,
            "description": "Word alignment of English sentences, reranking, differences, evidence.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        # Where the server has --token-file.
        "security": [{}, {"token": []}],
        "paths": _paths(),
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": _schemas(),
        },
    }


def _paths() -> JsonSchema:
    rerank = "Ranks documents as answers to a query."
    events = "text/event-stream"
    return {
        "/v1/rerank": _post("rerank", rerank, "RerankRequest", "Ranking"),
        "/v2/rerank": _post("rerankV2", rerank, "RerankRequest", "Ranking"),
        "/v1/align": _post("align", "Aligns pairs.", "AlignRequest", "AlignResponse", events),
        "/v1/similarity": _post(
            "similarity", "Compares pairs.", "SimilarityRequest", "SimilarityResponse", events
        ),
        "/v1/ground": _post(
            "ground", "Shows what supports an answer.", "GroundRequest", "Grounding", events
        ),
        "/v1/diff": _post("diff", "Says what changed between texts.", "DiffRequest", "Difference"),
        "/v1/models": _get("models", "Lists what the server offers.", "Models"),
        "/healthz": _get("health", "Says whether the server serves.", "Health", is_open=True),
        "/openapi.json": {
            "get": {
                "operationId": "openapi",
                "summary": "This document.",
                "security": [],
                "responses": {"200": {"description": "OK"}},
            }
        },
    }


def _post(name: str, summary: str, request: str, answer: str, *more: str) -> JsonSchema:
    kinds = {"application/json": _content(answer)}
    kinds |= {each: {"schema": {"type": "string"}} for each in more}
    return {
        "post": {
            "operationId": name,
            "summary": summary,
            "requestBody": {"required": True, "content": {"application/json": _content(request)}},
            "responses": {"200": {"description": "OK", "content": kinds}, **_problems()},
        }
    }


def _get(name: str, summary: str, answer: str, *, is_open: bool = False) -> JsonSchema:
    content = {"application/json": _content(answer)}
    made: JsonSchema = {
        "operationId": name,
        "summary": summary,
        "responses": {"200": {"description": "OK", "content": content}},
    }
    if is_open:
        made["security"] = []
        made["responses"]["503"] = {"description": "Not serving", "content": content}
    else:
        made["responses"] |= _problems()
    return {"get": made}


def _problems() -> JsonSchema:
    content = {"application/problem+json": _content("Problem")}
    return {"default": {"description": "Any error", "content": content}}


def _content(name: str) -> JsonSchema:
    return {"schema": _reference(name)}


def _reference(name: str) -> JsonSchema:
    return {"$ref": f"#/components/schemas/{name}"}


def _schemas() -> JsonSchema:
    """Return all schemas by name."""
    found: JsonSchema = json.loads(
        resources.files(__package__).joinpath("schemas.json").read_text()
    )
    found["Code"] = {"enum": code_pb2.Code.keys(), "description": "As gRPC has it."}
    found["Reason"] = {"enum": list(ErrorReason)}
    found["Grounding"] = _own("tokalign.grounding.evidence", "ground.schema.json", "Grounding")
    found["Difference"] = _own("tokalign.texts.diff", "diff.schema.json", "Difference")
    pair = found["GivenPair"]["properties"]
    pairs = {"type": "array", "items": _reference("GivenPair"), "minItems": 1}
    targets = {"type": "array", "items": _reference("GivenSentence"), "minItems": 1}
    many = {"pairs": pairs, "targets": targets, "stream": _STREAM}
    text = {"type": "string"}
    document = {"type": "object", "required": ["text"], "properties": {"text": text}}
    count = {"type": "integer", "minimum": 1}
    found |= {
        "AlignRequest": _request([], {**pair, **many, **_options(AlignOptions)}),
        "SimilarityRequest": _request([], {**pair, **many, **_options(AlignOptions, {"detail"})}),
        "RerankRequest": _request(
            ["query", "documents"],
            {
                "query": text,
                "documents": {"type": "array", "items": {"oneOf": [text, document]}, "minItems": 1},
                "top_n": count,
                "return_documents": {"type": "boolean"},
                "max_tokens_per_doc": count,
                "by": {"enum": list(RankBy)},
                **_only(RERANK_OPTIONS),
                **{name: {"description": "Passed over."} for name in PASSED_OVER},
            },
        ),
        "GroundRequest": _request(
            ["answer", "passages"],
            {
                "answer": text,
                "passages": {"type": "array", "items": _passage(), "minItems": 1},
                "stream": _STREAM,
                **_options(GroundOptions),
            },
        ),
        "DiffRequest": _request(["old", "new"], {"old": text, "new": text, **_only(DIFF_OPTIONS)}),
    }
    for name in ("Alignment", "Similarity"):
        answer = f"{'Align' if name == 'Alignment' else name}Response"
        found[answer] = {"oneOf": [_reference(name), _results(name)]}
    return found


def _request(required: list[str], properties: JsonSchema) -> JsonSchema:
    return {
        "type": "object",
        "required": required,
        "properties": {**properties, **_NAMES},
        "additionalProperties": False,
    }


def _results(name: str) -> JsonSchema:
    each = {"oneOf": [_reference(name), _reference("ItemError")]}
    return {
        "type": "object",
        "required": ["model", "version", "results"],
        "properties": {
            "model": {"type": "string"},
            "version": {"type": "string"},
            "results": {"type": "array", "items": each},
        },
        "additionalProperties": False,
    }


def _passage() -> JsonSchema:
    text = {"type": "string"}
    named = {"id": text, "text": text}
    return {"oneOf": [text, {"type": "object", "required": [*named], "properties": named}]}


def _options(kind: type[BaseOptions], without: Container[str] = ()) -> JsonSchema:
    """Return the options of a class that are fields, with their types and descriptions."""
    texts = _attributes(kind)
    found: JsonSchema = {}
    for each in fields(kind):
        if each.name in without:
            continue
        schema: JsonSchema = {"description": texts[each.name], "default": each.default}
        if isinstance(each.default, StrEnum):
            schema["enum"] = list(type(each.default))
        else:
            schema["type"] = _TYPES[type(each.default)]
        if each.name in _SHARES:
            schema |= {"minimum": 0, "maximum": 1}
        found[each.name] = schema
    return found


def _only(names: tuple[str, ...]) -> JsonSchema:
    every = _options(AlignOptions)
    return {name: every[name] for name in names}


def _attributes(kind: type) -> dict[str, str]:
    """Return the descriptions of a class's attributes, out of its docstring."""
    section = (kind.__doc__ or "").partition("Attributes\n")[2]
    found = re.findall(r"^    (\w+) : .*\n((?:        .*\n)+)", section, re.MULTILINE)
    return {name: " ".join(text.split()) for name, text in found}


def _own(package: str, file: str, name: str) -> JsonSchema:
    """Return a schema of a file, whose parts are then parts of the document."""
    text = resources.files(package).joinpath(file).read_text(encoding="utf-8")
    schema: JsonSchema = json.loads(
        text.replace('"#/$defs/', f'"#/components/schemas/{name}/$defs/')
    )
    del schema["$schema"]
    return schema

"""The OpenAPI document of the paths.

Bodies and answers are described by the structs of json_bodies.py, json_answers.py and
json_texts.py.
"""

from __future__ import annotations

import importlib.metadata
import json
import re
from collections.abc import Iterable
from typing import Any

import msgspec
from tokalign.server.http import json_answers, json_bodies, json_texts
from tokalign.server.http.json_bodies import reference

JsonSchema = dict[str, Any]

_TIMEOUT: JsonSchema = {
    "name": "request-timeout",
    "in": "header",
    "description": "In how many seconds the answer is wanted; 504 if it takes longer.",
    "schema": {"type": "number", "exclusiveMinimum": 0},
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
    events, page = "text/event-stream", "text/html"
    return {
        "/v1/rerank": _post("rerank", rerank, "RerankRequest", "Ranking"),
        "/v2/rerank": _post("rerankV2", rerank, "RerankRequest", "Ranking"),
        "/rerank": _post("rerankUnversioned", rerank, "RerankRequest", "Ranking"),
        "/v1/align": _post("align", "Aligns pairs.", "AlignRequest", "AlignResponse", events),
        "/v1/similarity": _post(
            "similarity", "Compares pairs.", "SimilarityRequest", "SimilarityResponse", events
        ),
        "/v1/ground": _post(
            "ground", "Shows what supports an answer.", "GroundRequest", "Grounding", events, page
        ),
        "/v1/diff": _post(
            "diff", "Says what changed between texts.", "DiffRequest", "Difference", page
        ),
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
            "parameters": [_TIMEOUT],
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
        made["parameters"] = [_TIMEOUT]
        made["responses"] |= _problems()
    return {"get": made}


def _problems() -> JsonSchema:
    content = {"application/problem+json": _content("Problem")}
    return {"default": {"description": "Any error", "content": content}}


def _content(name: str) -> JsonSchema:
    return {"schema": reference(name)}


def _schemas() -> JsonSchema:
    """Return all schemas by name."""
    structs = (
        json_bodies.AlignRequest,
        json_bodies.SimilarityRequest,
        json_bodies.RerankRequest,
        json_bodies.GroundRequest,
        json_bodies.DiffRequest,
        json_bodies.GivenPair,
        json_answers.JsonAlignment,
        json_answers.JsonSimilarity,
        json_answers.JsonItemError,
        json_answers.JsonRanking,
        json_answers.JsonModels,
        json_answers.JsonHealth,
        json_answers.JsonProblem,
        json_texts.JsonGrounding,
        json_texts.JsonDifference,
    )
    kinds = [*structs, json_bodies.GivenSentence, json_bodies.JsonRange]
    made, found = schemas_of(kinds, reference("{name}")["$ref"])
    found["GivenSentence"], found["Range"] = made[-2:]
    found["GivenPair"]["required"] = ["source", "target"]
    found["AlignResponse"] = {"oneOf": [reference("Alignment"), _results("Alignment")]}
    found["SimilarityResponse"] = {"oneOf": [reference("Similarity"), _results("Similarity")]}
    return found


def schemas_of(kinds: Iterable[Any], ref_template: str) -> tuple[list[JsonSchema], JsonSchema]:
    """Return the schema of each kind, and all that they refer to by name."""
    made = msgspec.json.schema_components(kinds, ref_template=ref_template)
    # Here, all is of JSON, and docstrings are lines.
    written = json.dumps(made).replace('"Json', '"').replace("/Json", "/")
    schemas, components = json.loads(re.sub(r"(\\n)+", " ", written))
    return schemas, components


def _results(name: str) -> JsonSchema:
    each = {"oneOf": [reference(name), reference("ItemError")]}
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

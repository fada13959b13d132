"""The OpenAPI document: valid, complete, and true of what is asked and answered."""

import copy
import json
import re
from dataclasses import fields
from pathlib import Path

import httpx
import jsonschema
import pytest
from openapi_spec_validator import validate
from support.server_process import started
from tokalign.types.options import AlignOptions, GroundOptions

PAGE = Path(__file__).parents[2] / "docs" / "http.md"
PAIR = {"source": "The plant opened in 1990.", "target": "It opened in 1991, not before."}
EVERYTHING = dict.fromkeys(("posteriors", "explain", "phrases", "relations", "edits"), True)
MANY = {"pairs": [PAIR, {"source": "a"}]}
ASKED = [
    (
        "/v1/rerank",
        {"query": "Who?", "documents": ["Marta.", {"text": ""}], "top_n": 2, "by": "score"},
    ),
    ("/v2/rerank", {"query": "Who?", "documents": ["Marta."], "return_documents": True}),
    ("/v1/align", PAIR | EVERYTHING),
    ("/v1/align", {"source": ["a", "b"], "target": {"tokens": ["b"]}, "anchors": [[1, 0]]}),
    ("/v1/align", MANY),
    ("/v1/similarity", PAIR),
    ("/v1/similarity", {"source": "a", "targets": ["a", "b"]}),
    ("/v1/ground", {"answer": "It rained.", "passages": ["It rained."], "explain": True}),
    ("/v1/diff", {"old": "It rained.", "new": "It snowed."}),
]


@pytest.fixture(scope="module")
def http():
    with (
        started("--workers", "1", "--http-port", "0", fake=False) as server,
        httpx.Client(base_url=server.http_url, timeout=60) as http,
    ):
        yield http


@pytest.fixture(scope="module")
def document(http):
    return http.get("/openapi.json").json()


def checker(document, content):
    """Return what checks values of a part of the document."""
    (schema,) = [each["schema"] for kind, each in content.items() if kind.endswith("json")]
    return jsonschema.Draft202012Validator({**copy.deepcopy(document), **schema})


def test_the_document_is_valid(document):
    validate(document)


def test_every_path_is_described(http, document):
    detail = http.get("/nothing").json()["detail"]
    assert sorted(re.findall(r"/[\w./]*\w", detail.partition("there are")[2])) == sorted(
        document["paths"]
    )
    named = set(re.findall(r"`(?:POST |GET )?(/[\w./]+)`", PAGE.read_text().partition("\n## ")[0]))
    assert named == set(document["paths"])


def test_every_option_is_described():
    from tokalign.server.http.openapi import openapi

    schemas = openapi()["components"]["schemas"]
    for name, kind in (("AlignRequest", AlignOptions), ("GroundRequest", GroundOptions)):
        for each in fields(kind):
            assert schemas[name]["properties"][each.name]["description"], each.name


@pytest.mark.parametrize(("path", "body"), ASKED)
def test_requests_and_answers_are_as_described(http, document, path, body):
    operation = document["paths"][path]["post"]
    if body is not MANY:
        checker(document, operation["requestBody"]["content"]).validate(body)
    answer = http.post(path, json=body)
    assert answer.status_code == 200, answer.text
    checker(document, operation["responses"]["200"]["content"]).validate(answer.json())


@pytest.mark.parametrize("path", ["/v1/models", "/healthz"])
def test_what_is_got_is_as_described(http, document, path):
    content = document["paths"][path]["get"]["responses"]["200"]["content"]
    checker(document, content).validate(http.get(path).json())


def test_errors_are_as_described(http, document):
    operation = document["paths"]["/v1/align"]["post"]
    check = checker(document, operation["responses"]["default"]["content"])
    for body in ({}, {**PAIR, "model": "none"}, {**PAIR, "stlye": 1}):
        check.validate(http.post("/v1/align", json=body).json())
    check.validate(http.get("/nothing").json())


def test_what_is_refused_is_not_as_described(http, document):
    operation = document["paths"]["/v1/align"]["post"]
    check = checker(document, operation["requestBody"]["content"])
    for body in ({**PAIR, "stlye": "x"}, {**PAIR, "effort": 2}, {**PAIR, "relations": "yes"}):
        assert http.post("/v1/align", json=body).status_code == 400
        with pytest.raises(jsonschema.ValidationError):
            check.validate(json.loads(json.dumps(body)))

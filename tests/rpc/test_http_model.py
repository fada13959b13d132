"""HTTP with the model that ships: what the other ways to ask say, and the examples of the page."""

import json
import re
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner
from support.http import events
from support.server_process import started
from tokalign.cli.main import main
from tokalign.client import Client

PAGE = Path(__file__).parents[2] / "docs" / "http.md"
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
CURLS = [
    (path, json.loads(body))
    for kind, block in BLOCKS
    for path, body in re.findall(r"^curl \S+ localhost:8080(\S+) -d '(.*?)'$", block, re.M | re.S)
    if kind == "sh"
]
LINE = {
    "id": "7",
    "source": "The council raised rents by 5% in 2019 , not in 2020 .",
    "target": "Rents were not raised by the council in 2018 .",
}
OLD = "The plant opened in 1990. It has 40 workers."
NEW = "It now has 45 workers. It opened in 1990."
ANSWER = "Marta founded the bakery in 1987. She was a famous painter. " * 5
PASSAGES = ["Marta Lindqvist founded the bakery in 1987.", "It rained in 1990."]


@pytest.fixture(scope="module")
def server():
    with started("--workers", "1", "--http-port", "0", fake=False) as server:
        yield server


@pytest.fixture(scope="module")
def http(server):
    with httpx.Client(base_url=server.http_url, timeout=60) as http:
        yield http


def rounded(value):
    """Return a value whose numbers may differ in the last digit, as those sent as float32 do."""
    if isinstance(value, dict):
        return {name: rounded(each) for name, each in value.items()}
    if isinstance(value, list):
        return [rounded(each) for each in value]
    return pytest.approx(value, abs=2e-6) if isinstance(value, float) else value


def printed(command, *options):
    """Return what the command line says of the same pair."""
    run = CliRunner().invoke(
        main,
        [command, "--format", "jsonl", *options],
        input=json.dumps(LINE),
        catch_exceptions=False,
    )
    return json.loads(run.stdout)


@pytest.mark.parametrize("flags", [(), ("relations", "edits", "phrases"), ("explain",)])
def test_an_alignment_is_the_command_lines(http, flags):
    answer = http.post("/v1/align", json=LINE | dict.fromkeys(flags, True))
    assert answer.json() == rounded(printed("align", *[f"--{flag}" for flag in flags]))


def test_a_similarity_is_the_command_lines(http):
    expected = printed("similarity")
    assert expected.pop("conflicts")  # which scores alone do not hold
    assert http.post("/v1/similarity", json=LINE).json() == expected


def test_a_ranking_is_the_clients(server, http):
    documents = [
        "It rained.",
        "Marta bakes bread. It rained.",
        "The bread is baked by Marta.",
    ]
    answer = http.post("/v1/rerank", json={"query": "Who bakes bread?", "documents": documents})
    with Client(server.address) as client:
        ranking = client.rank("Who bakes bread?", documents, passages=True)
    expected = [
        {"index": each.index, "relevance_score": round(each.judgement.score, 6)} for each in ranking
    ]
    assert answer.json()["results"] == expected


def test_the_page_has_examples():
    assert {path for path, _ in CURLS} >= {"/v1/rerank", "/v1/align", "/v1/similarity"}


@pytest.mark.parametrize(("path", "body"), CURLS)
def test_the_examples_of_the_page_are_answered(http, path, body):
    assert http.post(path, json=body).status_code == 200


def test_the_ranking_on_the_page_is_the_servers(http):
    (shown,) = [json.loads(text) for kind, text in BLOCKS if kind == "json" and "results" in text]
    path, body = CURLS[0]
    answer = http.post(path, json=body).json()
    assert {**answer, "id": shown["id"]} == shown


@pytest.mark.parametrize("new", [NEW, OLD])
def test_a_difference_is_the_command_lines(http, tmp_path, new):
    old_path, new_path = tmp_path / "old", tmp_path / "new"
    old_path.write_text(OLD)
    new_path.write_text(new)
    run = CliRunner().invoke(main, ["diff", "--json", str(old_path), str(new_path)])
    expected = json.loads(run.stdout)
    del expected["old_name"], expected["new_name"]
    assert http.post("/v1/diff", json={"old": OLD, "new": new}).json() == expected


def test_evidence_is_the_command_lines_at_once_and_as_events(server, http):
    body = {"answer": ANSWER, "passages": PASSAGES, "explain": True}
    options = ["--json", "--explain", "--server", server.address]
    run = CliRunner().invoke(main, ["ground", *options], input=json.dumps(body))
    expected = json.loads(run.stdout)
    del expected["id"]
    assert http.post("/v1/ground", json=body).json() == expected
    found = events(http.post("/v1/ground", json=body | {"stream": True}).text)
    assert [value for name, value in found if name == "sentence"] == expected["sentences"]
    assert found[-1] == ("done", {"model": "en", "version": expected["version"]})


def test_evidence_is_sent_sentence_by_sentence(http):
    body = {"answer": ANSWER * 20, "passages": PASSAGES, "stream": True}
    with http.stream("POST", "/v1/ground", json=body) as answer:
        assert sum(1 for _ in answer.iter_raw()) > 3


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/v1/ground", {"answer": "a"}, "passages"),
        ("/v1/ground", {"answer": "a", "passages": "b"}, "passages"),
        ("/v1/ground", {"answer": "a", "passages": [{"text": "b"}]}, "passages[0].id"),
        ("/v1/ground", {"answer": "a", "passages": ["b"], "threshold": 2}, "threshold"),
        ("/v1/ground", {"answer": "a", "passages": ["b"], "model": "lemma"}, "model"),
        ("/v1/diff", {"old": "a"}, "new"),
        ("/v1/diff", {"old": "a", "new": 3}, "new"),
        ("/v1/diff", {"old": "a", "new": "b", "style": "none"}, "style"),
        ("/v1/diff", {"old": "a", "new": "b", "edits": False}, "edits"),
    ],
)
def test_what_is_wrong_with_texts_is_named(http, path, body, field):
    answer = http.post(path, json=body)
    assert answer.status_code in (400, 404) and answer.json()["field"] == field


def test_the_id_and_the_times_of_a_request_are_headers(http):
    answer = http.post("/v1/align", json=LINE, headers={"x-request-id": "mine"})
    assert answer.headers["x-request-id"] == "mine"
    assert "compute" in answer.headers["server-timing"]
    answer = http.post("/v1/align", json={}, headers={"x-request-id": "mine"})
    assert (answer.status_code, answer.headers["x-request-id"]) == (400, "mine")


def test_what_is_cut_of_a_query_or_of_a_sentence_is_said(http):
    long = " ".join(["rain"] * 600)
    asked = {"query": "Who bakes bread?", "documents": ["A baker bakes.", f"It rains. {long}"]}
    warnings = http.post("/v1/rerank", json=asked).json()["meta"]["warnings"]
    assert warnings == ["documents[1] has a sentence that is too long; its end was not looked at"]
    answer = http.post(
        "/v1/rerank", json={"query": f"Who? {long}", "documents": ["A baker bakes."]}
    )
    assert answer.json()["meta"]["warnings"] == ["query is too long; its end was not looked at"]
    asked["documents"].pop()
    assert "warnings" not in http.post("/v1/rerank", json=asked).json()["meta"]

"""HTTP over the fake engine: shapes of answers and of errors, limits, tokens and streams."""

import asyncio
import hashlib
import json
import re
import threading

import pytest
from support.http import events, raw
from tokalign.errors import InputError
from tokalign.server.admission import Admitted
from tokalign.server.config import Config, RequestLimits
from tokalign.server.http import ground_and_diff
from tokalign.v1 import align_pb2

PAIR = {"source": "a", "target": "b"}
PAIRS = {"pairs": [{**PAIR, "id": "x"}, {"source": "a"}, {**PAIR, "id": "fail:target"}]}


@pytest.fixture
async def http(serving):
    return (await serving(http_port=0)).http


def is_problem(answer, status, detail, field=None):
    """Whether an answer is an error of the one shape."""
    problem = answer.json()
    assert answer.headers["content-type"] == "application/problem+json"
    assert problem["status"] == answer.status_code == status, problem
    assert detail in problem["detail"], problem
    assert problem.get("field") == field
    return problem


async def test_documents_are_ranked_in_the_usual_shape(http):
    texts = ["score:0.2", "score:0.9", {"text": "score:0.5"}]
    body = {"query": "q", "documents": texts, "top_n": 2, "return_documents": True}
    answer = (await http.post("/v1/rerank", json=body)).json()
    assert answer["results"] == [
        {"index": 1, "relevance_score": 0.9, "document": {"text": "score:0.9"}},
        {"index": 2, "relevance_score": 0.5, "document": {"text": "score:0.5"}},
    ]
    assert answer["model"] == "fake" and len(answer["id"]) == 36
    assert answer["meta"] == {"api_version": {"version": "1"}}
    answer = (await http.post("/v2/rerank", json={"query": "q", "documents": ["d"]})).json()
    assert answer["results"] == [{"index": 0, "relevance_score": 0.5}]
    assert answer["meta"] == {"api_version": {"version": "2"}}


async def test_people_get_the_pages_of_the_commands(http):
    bodies = {
        "ground": {"answer": "It rains.", "passages": ["It rains."]},
        "diff": {"old": "It rains.", "new": "It rains."},
    }
    for name, body in bodies.items():
        answer = await http.post(f"/v1/{name}", json=body, headers={"accept": "text/html"})
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert f'<body class="{name}">' in answer.text
        wrong = await http.post(f"/v1/{name}", json={}, headers={"accept": "text/html"})
        assert wrong.headers["content-type"] == "application/problem+json"
        assert (await http.post(f"/v1/{name}", json=body)).json()


async def test_a_document_that_cannot_be_ranked_is_last_and_named(http):
    answer = (
        await http.post("/v1/rerank", json={"query": "q", "documents": ["fail:x", "d"]})
    ).json()
    assert [each["index"] for each in answer["results"]] == [1, 0]
    assert answer["results"][1]["relevance_score"] == 0.0
    (warning,) = answer["meta"]["warnings"]
    assert warning.startswith("documents[0] could not be ranked: sentence 0 of the passage")


async def test_documents_are_cut_after_so_many_words(http):
    body = {"query": "q", "documents": ["score:0.7 x y"], "max_tokens_per_doc": 1}
    answer = (await http.post("/v1/rerank", json=body)).json()
    assert answer["results"][0]["relevance_score"] == 0.7


async def test_fields_that_others_clients_send_change_nothing(http):
    body = {"query": "q", "documents": ["d"], "priority": 3, "max_chunks_per_doc": 1, "user": None}
    answer = await http.post("/v1/rerank", json=body)
    assert answer.status_code == 200
    assert answer.json()["meta"]["warnings"] == [
        "max_chunks_per_doc means nothing here and was passed over",
        "priority means nothing here and was passed over",
    ]


@pytest.mark.parametrize(
    ("rank_fields", "first"),
    [(None, 0), (["text"], 0), (["title"], 1), (["title", "text"], 0), (["none", "title"], 1)],
)
async def test_documents_are_ranked_by_the_fields_that_are_named(http, rank_fields, first):
    documents = [
        {"title": "score:0.2", "text": "score:0.9", "id": 7},
        {"title": "score:0.6", "text": "score:0.1", "pages": [1, {"to": None}]},
        "score:0.4",
    ]
    body = {"query": "q", "documents": documents, "return_documents": True}
    answer = await http.post("/v1/rerank", json={**body, "rank_fields": rank_fields})
    results = answer.json()["results"]
    assert results[0]["index"] == first
    given = {each["index"]: each["document"] for each in results}
    assert given == {0: documents[0], 1: documents[1], 2: {"text": "score:0.4"}}


@pytest.mark.parametrize(
    ("document", "names", "seen"),
    [
        ({"text": "a"}, ["tilte"], "missing"),
        ({"title": 3}, ["title"], "3"),
        ({}, ["a", "b"], "mis"),
    ],
)
async def test_a_document_without_the_fields_that_are_named_is_refused(http, document, names, seen):
    body = {"query": "q", "documents": ["a", document], "rank_fields": names}
    is_problem(await http.post("/v1/rerank", json=body), 400, seen, f"documents[1].{names[0]}")


async def test_the_path_without_a_version_reranks(http):
    body = {"query": "q", "documents": ["score:0.1", "score:0.9"]}
    answer = (await http.post("/rerank", json=body)).json()
    assert [each["index"] for each in answer["results"]] == [1, 0]


FILLER = "\n\n".join(["score:0.1 rain"] * 9)


async def test_sentences_that_share_rare_words_are_read_where_there_are_too_many(serving):
    server = await serving(http_port=0, limits=RequestLimits(max_pairs=40))
    documents = [FILLER + "\n\nscore:0.1 rain"] * 19 + [FILLER + "\n\nscore:0.9 bakery"]
    body = {"query": "the bakery", "documents": documents, "top_n": 1}
    answer = (await server.http.post("/v1/rerank", json=body)).json()
    assert [each["index"] for each in answer["results"]] == [19]
    (warning,) = answer["meta"]["warnings"]
    assert warning.startswith("at least 160 sentences of the documents were not looked at")
    refused = await server.http.post("/v1/rerank", json={**body, "truncation": False})
    is_problem(refused, 400, "more than 40 sentences", "documents")


async def test_one_pair_is_answered_alone_and_several_together(http):
    answer = (await http.post("/v1/align", json={**PAIR, "id": "x"})).json()
    assert answer["id"] == "x" and answer["model"] == "fake" and "links" in answer
    answer = (await http.post("/v1/align", json=PAIRS)).json()
    assert answer["model"] == "fake" and answer["version"] == "1.0.0"
    first, second, third = answer["results"]
    assert first["id"] == "x" and "links" in first
    assert second["id"] == "1" and second["error"] == "target is missing; wanted a sentence"
    assert second["field"] == third["field"] == "target" and third["error"] == "as told"


async def test_similarities_are_of_pairs_or_of_one_with_many(http):
    assert (await http.post("/v1/similarity", json=PAIR)).json()["similarity"] == 0.0
    answer = await http.post("/v1/similarity", json={"source": "a", "targets": ["b", ["c"], ""]})
    results = answer.json()["results"]
    assert [each["id"] for each in results] == ["0", "1", "2"]
    assert "similarity" in results[1] and results[2]["error"] == "field 'target' is empty"


async def test_pairs_are_streamed_as_events(http):
    pairs = [{"source": str(k), "target": "b"} for k in range(70)]
    pairs[40] = {"source": "a"}
    answer = await http.post("/v1/align", json={"pairs": pairs, "stream": True})
    assert answer.headers["content-type"].startswith("text/event-stream")
    *results, last = events(answer.text)
    assert last == ("done", {"results": 70})
    assert {name for name, _ in results} == {"result"}
    by_index = {value["index"]: value for _, value in results}
    assert sorted(by_index) == list(range(70))
    assert by_index[69]["id"] == "69"
    assert by_index[40]["error"] == "target is missing; wanted a sentence"


async def test_models_and_health_are_told(http):
    models = (await http.get("/v1/models")).json()
    assert models["models"][0]["name"] == "fake"
    assert models["limits"]["max_request_bytes"] == RequestLimits().max_request_bytes
    assert (await http.get("/healthz")).json() == {"status": "SERVING"}


async def test_a_server_without_models_says_so(serving):
    http = (await serving(pool=False, http_port=0)).http
    answer = await http.get("/healthz")
    assert (answer.status_code, answer.json()) == (503, {"status": "NOT_SERVING"})
    answer = await http.post("/v1/align", json=PAIR)
    problem = is_problem(answer, 503, "loading its models")
    assert problem["code"] == "UNAVAILABLE" and answer.headers["retry-after"] == "1"


TWICE, MANY = ["a", "b", "a"], [f"x{number}" for number in range(17)]
WRONG = [
    ("/v1/align", {"target": "b"}, "source is missing", "source"),
    ("/v1/align", {**PAIR, "target": ""}, "is empty", "target"),
    ("/v1/align", {**PAIR, "target": 3}, "is int; wanted", "target"),
    ("/v1/align", {**PAIR, "target": {"tokens": ["a", 1]}}, "list of str", "target.tokens"),
    ("/v1/align", {**PAIR, "stlye": "x"}, "did you mean style?", "stlye"),
    ("/v1/align", {**PAIR, "style": "none"}, "no style", "style"),
    ("/v1/align", {**PAIR, "relations": "yes"}, "wanted true or false", "relations"),
    ("/v1/align", {**PAIR, "min_confidence": 2}, "wanted a number in", "min_confidence"),
    ("/v1/align", {**PAIR, "symmetrization": "x"}, "wanted one of", "symmetrization"),
    ("/v1/align", {**PAIR, "anchors": [[0]]}, "anchors", "anchors[0]"),
    ("/v1/align", {**PAIR, "stream": True}, "there is one pair", "stream"),
    ("/v1/align", {"pairs": []}, "wanted one or more", "pairs"),
    ("/v1/align", {"pairs": [3]}, "wanted an object", "pairs[0]"),
    ("/v1/similarity", {"targets": ["a"]}, "source is missing", "source"),
    ("/v1/similarity", {"source": "a", "target": ["Dogs bark."]}, "white space in it", "target"),
    ("/v1/similarity", {**PAIR, "detail": "full"}, "no field is called 'detail'", "detail"),
    ("/v1/rerank", {"documents": ["a"]}, "query is missing", "query"),
    ("/v1/rerank", {"query": "", "documents": ["a"]}, "is empty", "query"),
    ("/v1/rerank", {"query": "q", "documents": ["a", 3]}, "wanted a string", "documents[1]"),
    ("/v1/rerank", {"query": "q", "documents": [{"image": "x"}]}, "missing", "documents[0].text"),
    ("/v1/rerank", {"query": "q", "documents": [{"text": 3}]}, "is 3; want", "documents[0].text"),
    ("/v1/rerank", {"query": "q", "documents": ["a"], "rank_fields": "x"}, "array", "rank_fields"),
    ("/v1/rerank", {"query": "q", "documents": ["a"], "rank_fields": []}, "empty", "rank_fields"),
    (
        "/v1/rerank",
        {"query": "q", "documents": ["a"], "rank_fields": [*"aba"]},
        "again",
        "rank_fields[2]",
    ),
    ("/v1/rerank", {"query": "q", "documents": ["a"], "rank_fields": MANY}, "16", "rank_fields"),
    ("/v1/rerank", {"query": "q " * 11_000, "documents": ["a"], "truncation": False}, "", "query"),
    ("/v1/rerank", {"query": "q", "documents": ["a"] * 10_001}, "10000 documents", "documents"),
    ("/v1/rerank", {"query": "q", "documents": ["a"], "top_n": 0}, "1 or more", "top_n"),
    ("/v1/rerank", {"query": "q\ud800", "documents": ["a"]}, "half a surrogate pair", "query"),
    ("/v1/align", {"pairs": ["\ud800"]}, "half a surrogate pair", "pairs[0]"),
    ("/v1/align", {"pairs": "\ud800"}, "half a surrogate pair", "pairs"),
    ("/v1/similarity", {"targets": "\ud800", "source": "a"}, "half a surrogate pair", "targets"),
    ("/v1/rerank", {"query": "q", "documents": ["a"], "by": "x"}, "by is 'x'", "by"),
    ("/v1/rerank", {"query": "q", "documents": ["a"], "\ud800": 1}, "no field is called", "?"),
    ("/v1/rerank", {"query": "q", "documents": ["a"], "top_n": 10**30}, "1 or more", "top_n"),
    ("/v1/align", {**PAIR, "pairs": [PAIR]}, "source is given beside pairs", "source"),
    ("/v1/align", {"pairs": [PAIR], "stream": True, "model": "none"}, "no model", "model"),
    ("/v1/ground", {"answer": "a", "passages": ["a"], "candidates": 10**30}, "1", "candidates"),
    ("/v1/ground", {"answer": "a", "passages": [{"id": "x"}]}, "missing", "passages[0].text"),
    ("/v1/ground", {"answer": "a", "passages": [3]}, "an object with id and text", "passages[0]"),
    ("/v1/diff", {"old": "a", "new": None}, "new is missing; wanted a string", "new"),
    ("/v1/rerank", [], "it is an array; wanted an object", None),
]


@pytest.mark.parametrize(("path", "body", "detail", "field"), WRONG)
async def test_what_is_wrong_is_named(http, path, body, detail, field):
    answer = await http.post(path, content=json.dumps(body))
    status, code = (404, "NOT_FOUND") if field == "model" else (400, "INVALID_ARGUMENT")
    assert is_problem(answer, status, detail, field)["code"] == code


async def test_null_is_as_missing_and_of_equal_names_the_last_counts(http):
    body = b'{"query": "p", "query": "q", "documents": ["d"], "top_n": null, "style": null}'
    answer = (await http.post("/v1/rerank", content=body)).json()
    assert [each["index"] for each in answer["results"]] == [0]


async def test_a_pair_with_a_field_that_is_no_text_fails_alone(http):
    pairs = [{**PAIR, "\ud800": 1}, {**PAIR, "source": "\ud800"}, PAIR]
    answer = await http.post("/v1/align", content=json.dumps({"pairs": pairs}))
    first, second, third = answer.json()["results"]
    assert (first["field"], second["field"]) == ("?", "source") and "links" in third


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        (b"", "Expecting value at line 1, column 1"),
        (b'{"query": ', "Expecting value at line 1, column 11"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"top_n": ' + b"9" * 10_000 + b"}", "a number is too long"),
        (b'{"top_n": NaN}', "NaN"),
        (
            b'{"query": "q", "documents": [{"text": "a", "n": -1e999}]}',
            "-1e999, which is too large",
        ),
        (b'{"query": "\xff"}', "not UTF-8"),
    ],
)
async def test_what_is_no_json_is_refused(http, body, detail):
    problem = is_problem(await http.post("/v1/rerank", content=body), 400, detail)
    assert problem["reason"] == "MALFORMED_MESSAGE"


async def test_unknown_paths_and_methods_have_errors_of_the_same_shape(http):
    problem = is_problem(await http.get("/v1/nothing"), 404, "/v1/rerank")
    # Nobody is sent to where a header says.
    is_problem(await http.post("/v1/align/", json=PAIR), 404, "no path '/v1/align/' here")
    assert (problem["code"], problem["reason"]) == ("UNIMPLEMENTED", "METHOD_UNKNOWN")
    answer = await http.get("/v1/align")
    is_problem(answer, 405, "/v1/align takes no GET")
    assert answer.headers["allow"] == "POST"


async def test_a_model_that_is_not_loaded_is_not_found(http):
    answer = await http.post("/v1/align", json={**PAIR, "model": "none"})
    assert is_problem(answer, 404, "no model 'none' here", "model")["reason"] == "MODEL_NOT_FOUND"


async def test_bodies_are_bounded_and_the_connection_stays(serving):
    limits = RequestLimits(max_request_bytes=100_000)
    http = (await serving(http_port=0, limits=limits)).http
    is_problem(await http.post("/v1/align", content=b" " * 100_001), 413, "at most 100000")

    async def pieces():
        for _ in range(40):
            yield b" " * 10_000

    is_problem(await http.post("/v1/align", content=pieces()), 413, "more than 100000")
    assert (await http.post("/v1/align", json=PAIR)).status_code == 200


async def test_packed_bodies_are_refused(http):
    headers = {"content-encoding": "gzip"}
    is_problem(await http.post("/v1/align", content=b"x", headers=headers), 415, "compressed")


async def test_a_token_is_asked_for(serving, tmp_path):
    path = tmp_path / "tokens"
    path.write_text(f"me {hashlib.sha256(b'secret').hexdigest()}\n")
    http = (await serving(http_port=0, token_file=path)).http
    answer = await http.post("/v1/align", json=PAIR)
    is_problem(answer, 401, "no bearer token")
    assert answer.headers["www-authenticate"] == "Bearer"
    headers = {"authorization": "Bearer secret"}
    assert (await http.post("/v1/align", json=PAIR, headers=headers)).status_code == 200
    assert (await http.get("/v1/models")).status_code == 401
    assert (await http.get("/healthz")).status_code == 200


async def test_refused_for_lack_of_room_with_a_time_to_wait(serving):
    stub = await serving(http_port=0, queue_pairs=10_000 * 10 // 9 + 1)
    full = stub.admission.max_request_cost * 2
    Admitted(stub.admission, 0, 0, full, "others", caller="127.0.0.1")
    answer = await stub.http.post("/v1/align", json=PAIR)
    problem = is_problem(answer, 429, "is queued")
    assert problem["code"] == "RESOURCE_EXHAUSTED"
    assert int(answer.headers["retry-after"]) >= problem["retry_after_s"] > 0


@pytest.mark.parametrize("timeout", ["0.3", "1"])
async def test_a_request_that_takes_longer_than_it_may_is_ended(
    serving, metrics, tmp_path, timeout
):
    stub = await serving(http_port=0)
    body = {**PAIR, "id": f"until:{tmp_path / 'go'}"}
    headers = {"request-timeout": timeout, "x-request-id": "late"}
    answer = await stub.http.post("/v1/align", json=body, headers=headers)
    problem = is_problem(answer, 504, "request-timeout")
    assert (problem["code"], problem["reason"]) == ("DEADLINE_EXCEEDED", "DEADLINE_PASSED")
    assert (stub.admission.pairs, stub.admission.bytes, stub.front.calls.running) == (0, 0, 0)
    read = metrics.registry.get_sample_value
    labels = {"grpc_service": "http", "grpc_method": "v1/align", "grpc_code": "DEADLINE_EXCEEDED"}
    assert read("grpc_server_handled_total", labels) == 1
    (tmp_path / "go").touch()
    assert (await stub.http.post("/v1/align", json=PAIR, headers=headers)).status_code == 200


async def test_a_stream_that_takes_longer_ends_with_an_error(serving, tmp_path):
    http = (await serving(http_port=0)).http
    pairs = [PAIR] * 100 + [{**PAIR, "id": f"until:{tmp_path / 'go'}"}]
    body = {"pairs": pairs, "stream": True}
    answer = await http.post("/v1/align", json=body, headers={"request-timeout": "2"})
    *results, (name, problem) = events(answer.text)
    assert 0 < len(results) < len(pairs) and name == "error" and problem["status"] == 504
    (tmp_path / "go").touch()


async def test_a_body_that_comes_later_than_it_may_is_not_waited_for(http):
    head = b"POST /v1/align HTTP/1.1\r\nhost: localhost\r\nrequest-timeout: 0.2\r\n"
    body = b"content-type: application/json\r\ncontent-length: 99\r\n\r\n{"
    status, problem = await asyncio.wait_for(raw(http.base_url.port, head + body), 20)
    assert status == problem["status"] == 504 and "request-timeout" in problem["detail"]


async def test_what_would_be_late_is_refused_at_once(serving, tmp_path):
    stub = await serving(http_port=0)
    body = {**PAIR, "id": f"until:{tmp_path / 'go'}"}
    busy = [asyncio.create_task(stub.http.post("/v1/align", json=body)) for _ in range(2)]
    while not (tmp_path / "go.begun").exists():
        await asyncio.sleep(0.01)
    stub.pool.most_wait_s = lambda: 30.0
    stub.pool.wait_s = lambda request, until: 30.0
    stub.admission._max_wait_s = 60.0
    answer = await stub.http.post("/v1/align", json=PAIR, headers={"request-timeout": "20"})
    problem = is_problem(answer, 429, "after its deadline")
    assert problem["reason"] == "DEADLINE_TOO_SHORT" and answer.headers["retry-after"]
    del stub.pool.wait_s, stub.pool.most_wait_s
    (tmp_path / "go").touch()
    assert [(await each).status_code for each in busy] == [200, 200]


@pytest.mark.parametrize(
    "given",
    ["0", "0.0", "-1", "1s", "100m", "nan", "inf", "1e3", "soon", "9" * 400, "1, 2", "\u0662"],
)
async def test_a_time_that_is_none_is_refused(http, given):
    headers = [(b"request-timeout", given.encode("utf-8"))]
    for method, path in (("POST", "/v1/align"), ("GET", "/v1/models")):
        answer = await http.request(method, path, json=PAIR, headers=headers)
        assert is_problem(answer, 400, "request-timeout")["reason"] == "INVALID_INPUT"
    twice = [(b"request-timeout", b"1"), (b"request-timeout", b"2")]
    is_problem(await http.post("/v1/align", json=PAIR, headers=twice), 400, "'1, 2'")


async def test_what_a_call_held_is_let_go_when_it_is_answered_or_its_caller_goes(serving, tmp_path):
    stub = await serving(http_port=0)
    await stub.http.post("/v1/align", json=PAIRS)
    assert (stub.admission.pairs, stub.admission.bytes) == (0, 0)
    path = tmp_path / "go"
    body = {**PAIR, "id": f"until:{path}"}
    asked = asyncio.create_task(stub.http.post("/v1/align", json=body))
    while not stub.admission.pairs:
        await asyncio.sleep(0.01)
    asked.cancel()
    while stub.front.calls.running:
        await asyncio.sleep(0.01)
    assert (stub.admission.pairs, stub.admission.bytes) == (0, 0)
    path.touch()


async def test_calls_are_counted_with_those_of_grpc(serving, metrics):
    stub = await serving(http_port=0)
    await stub.http.post("/v1/align", json=PAIR)
    await stub.http.post("/v1/align", json={})
    labels = {"grpc_service": "http", "grpc_method": "v1/align"}
    read = metrics.registry.get_sample_value
    assert read("grpc_server_started_total", labels) == 2
    assert read("grpc_server_handled_total", {**labels, "grpc_code": "OK"}) == 1
    assert read("grpc_server_handled_total", {**labels, "grpc_code": "INVALID_ARGUMENT"}) == 1


async def test_other_origins_may_call_where_that_is_set(serving):
    origin = "https://www.example.org"
    headers = {"origin": origin, "access-control-request-method": "POST"}
    closed = (await serving(http_port=0)).http
    answer = await closed.options("/v1/align", headers=headers)
    assert answer.status_code == 403 and "access-control-allow-origin" not in answer.headers
    opened = (await serving(http_port=0, http_origins=(origin,))).http
    answer = await opened.options("/v1/align", headers=headers)
    assert answer.headers["access-control-allow-origin"] == origin
    answer = await opened.post("/v1/align", json=PAIR, headers={"origin": "https://example.com"})
    assert "access-control-allow-origin" not in answer.headers


def test_an_origin_has_no_path():
    with pytest.raises(InputError, match="wanted SCHEME://HOST"):
        Config(http_origins=("https://example.org/page",))


async def test_grpc_answers_beside_it(serving):
    stub = await serving(http_port=0)
    message = align_pb2.AlignRequest(pair={"source": {"text": "a"}, "target": {"text": "b"}})
    assert (await stub.Align(message)).model.name == "fake"


async def test_the_playground_is_at_the_root_and_loads_nothing_else(http):
    answer = await http.get("/")
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["content-security-policy"] == "frame-ancestors 'none'"
    assert answer.headers["x-content-type-options"] == "nosniff"
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy"\s+content="([^"]+)"', answer.text)
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "connect-src 'self'" in policy and "unsafe" not in policy and "http" not in policy
    assert re.findall(r"""(?:src|href)=["'](?!/openapi\.json|#)[^"']*""", answer.text) == []


async def test_the_playground_can_be_left_out(serving):
    http = (await serving(http_port=0, playground=False)).http
    is_problem(await http.get("/"), 404, "no path '/' here; there are /healthz, ")


async def test_a_long_difference_is_made_beside_the_event_loop(http, monkeypatch):
    threads = []
    diff = ground_and_diff._diff
    monkeypatch.setattr(
        ground_and_diff,
        "_diff",
        lambda *given: threads.append(threading.current_thread()) or diff(*given),
    )
    body = {"old": "Rain fell. " * 4000, "new": "Dogs bark. " * 4000}
    assert (await http.post("/v1/diff", json=body)).status_code == 200
    assert threads and threading.main_thread() not in threads

"""Clients that people rerank with, against /v1/rerank and /v2/rerank; make test-http-clients."""

import hashlib

import httpx
import pytest
from support.server_process import started

cohere = pytest.importorskip("cohere", reason="make test-http-clients has the clients")

# What others' packages warn of is theirs.
pytestmark = pytest.mark.filterwarnings("ignore")

QUERY = "Who founded the bakery?"
TEXTS = [
    "It rained all day.",
    "The bakery was founded by Marta Lindqvist.",  # so sure that no other one is raised
    "Bakeries sell bread.",
]
TOKEN = "secret"


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    tokens = tmp_path_factory.mktemp("tokens") / "tokens"
    tokens.write_text(f"me {hashlib.sha256(TOKEN.encode()).hexdigest()}\n")
    flags = ("--workers", "1", "--http-port", "0", "--token-file", str(tokens))
    with started(*flags, fake=False) as server:
        yield server.http_url


@pytest.fixture(scope="module")
def expected(url):
    """What the server answers, as (index, score)."""
    headers = {"authorization": f"Bearer {TOKEN}"}
    body = {"query": QUERY, "documents": TEXTS, "top_n": 2}
    answer = httpx.post(f"{url}/v1/rerank", json=body, headers=headers, timeout=60).json()
    found = [(each["index"], each["relevance_score"]) for each in answer["results"]]
    assert [index for index, _ in found] == [1, 2]
    return found


def of_cohere(answer):
    return [(each.index, each.relevance_score) for each in answer.results]


def test_cohere(url, expected):
    client = cohere.Client(TOKEN, base_url=url)
    answer = client.rerank(model="en", query=QUERY, documents=TEXTS, top_n=2, return_documents=True)
    assert of_cohere(answer) == expected
    assert answer.results[0].document.text == TEXTS[1] and answer.meta.api_version.version == "1"
    documents = [{"text": "It rained.", "body": text} for text in TEXTS]
    by_body = client.rerank(query=QUERY, documents=documents, rank_fields=["body"], top_n=2)
    assert of_cohere(by_body) == expected
    documents = [{"text": text} for text in TEXTS]
    assert of_cohere(client.rerank(query=QUERY, documents=documents, top_n=2)) == expected


def test_cohere_v2(url, expected):
    client = cohere.ClientV2(TOKEN, base_url=url)
    asked = {"query": QUERY, "documents": TEXTS, "top_n": 2, "max_tokens_per_doc": 4096}
    answer = client.rerank(model="en", **asked)
    assert of_cohere(answer) == expected and answer.meta.api_version.version == "2"


async def test_cohere_without_threads(url, expected):
    client = cohere.AsyncClientV2(TOKEN, base_url=url)
    answer = await client.rerank(model="en", query=QUERY, documents=TEXTS, top_n=2)
    assert of_cohere(answer) == expected


def test_errors_are_coheres(url):
    client = cohere.ClientV2(TOKEN, base_url=url)
    with pytest.raises(cohere.NotFoundError) as caught:
        client.rerank(model="none", query=QUERY, documents=TEXTS)
    assert caught.value.body["reason"] == "MODEL_NOT_FOUND"
    with pytest.raises(cohere.BadRequestError) as caught:
        client.rerank(model="en", query=QUERY, documents=[])
    assert caught.value.body["field"] == "documents"
    with pytest.raises(cohere.UnauthorizedError):
        cohere.ClientV2("wrong", base_url=url).rerank(model="en", query=QUERY, documents=TEXTS)


def test_cohere_in_langchain(url, expected):
    from langchain_cohere import CohereRerank
    from langchain_core.documents import Document

    compressor = CohereRerank(model="en", cohere_api_key=TOKEN, base_url=url, top_n=2)
    found = compressor.compress_documents([Document(text) for text in TEXTS], QUERY)
    assert [each.page_content for each in found] == [TEXTS[index] for index, _ in expected]
    assert [each.metadata["relevance_score"] for each in found] == [score for _, score in expected]


def test_jina_in_langchain(url, expected, monkeypatch):
    from langchain_community.document_compressors import jina_rerank
    from langchain_core.documents import Document

    # It has no parameter for the address.
    monkeypatch.setattr(jina_rerank, "JINA_API_URL", f"{url}/v1/rerank")
    compressor = jina_rerank.JinaRerank(model="en", jina_api_key=TOKEN, top_n=2)
    found = compressor.compress_documents([Document(text) for text in TEXTS], QUERY)
    assert [each.page_content for each in found] == [TEXTS[index] for index, _ in expected]
    compressor = jina_rerank.JinaRerank(model="none", jina_api_key=TOKEN)
    with pytest.raises(RuntimeError, match="no model 'none' here"):
        compressor.rerank(TEXTS, QUERY)


def test_cohere_in_haystack(url, expected):
    from haystack import Document
    from haystack.utils import Secret
    from haystack_integrations.components.rankers.cohere import CohereRanker

    key = Secret.from_token(TOKEN)
    ranker = CohereRanker(model="en", api_key=key, api_base_url=url, top_k=2)
    ranker.warm_up()
    found = ranker.run(QUERY, [Document(content=text) for text in TEXTS])["documents"]
    assert [(TEXTS.index(each.content), each.score) for each in found] == expected


def test_jina_in_haystack(url, expected):
    from haystack import Document
    from haystack.utils import Secret
    from haystack_integrations.components.rankers.jina import JinaRanker

    key = Secret.from_token(TOKEN)
    ranker = JinaRanker(model="en", api_key=key, base_url=f"{url}/v1/rerank", top_k=2)
    if hasattr(ranker, "warm_up"):
        ranker.warm_up()
    found = ranker.run(QUERY, [Document(content=text) for text in TEXTS])["documents"]
    assert [(TEXTS.index(each.content), each.score) for each in found] == expected

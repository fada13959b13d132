"""The rerankers of LangChain, LlamaIndex and Haystack give what `rank` gives."""

import pytest
import tokalign
from tokalign.errors import InputError, ModelError

QUERY = "Who founded the bakery?"
TEXTS = [
    "It rained all day.",
    "",
    "We were there. The bakery was founded by Marta.",
    "It sells.",
]
REASON = "make test-integrations has the package"

# What others' packages warn of is theirs.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def expected():
    ranked = tokalign.rank(QUERY, TEXTS, passages=True)
    found = [(each.index, each.judgement.score if each.judgement else 0) for each in ranked]
    assert [found[0][0], found[-1]] == [2, (1, 0)]
    return found


@pytest.fixture(params=["langchain", "llama_index", "haystack"])
def reranker(request):
    """A function of a query, texts and how many are wanted, by each framework."""
    return globals()[f"by_{request.param}"]()


def by_langchain():
    documents = pytest.importorskip("langchain_core.documents", reason=REASON)
    from tokalign.integrations.langchain import TokalignCompressor

    def rerank(query, texts, top=None, **more):
        given = [documents.Document(text, metadata={"at": at}) for at, text in enumerate(texts)]
        found = TokalignCompressor(top_n=top, **more).compress_documents(given, query)
        assert all(each.page_content == texts[each.metadata["at"]] for each in found)
        assert all("relevance_score" not in each.metadata for each in given)
        return [(each.metadata["at"], each.metadata["relevance_score"]) for each in found]

    return rerank


def by_llama_index():
    schema = pytest.importorskip("llama_index.core.schema", reason=REASON)
    from tokalign.integrations.llama_index import TokalignPostprocessor

    def rerank(query, texts, top=None, **more):
        given = [
            schema.NodeWithScore(node=schema.TextNode(text=text, metadata={"at": at}), score=7.0)
            for at, text in enumerate(texts)
        ]
        processor = TokalignPostprocessor(top_n=top, **more)
        found = processor.postprocess_nodes(given, query_str=query)
        assert all(each.score == 7.0 for each in given)
        return [(each.node.metadata["at"], each.score) for each in found]

    return rerank


def by_haystack():
    haystack = pytest.importorskip("haystack", reason=REASON)
    from tokalign.integrations.haystack import TokalignRanker

    def rerank(query, texts, top=None, **more):
        given = [haystack.Document(content=text, meta={"at": at}) for at, text in enumerate(texts)]
        pipeline = haystack.Pipeline()
        pipeline.add_component("ranker", TokalignRanker(top_k=top, **more))
        # Read from a text, as people keep pipelines.
        allowed = ["tokalign.integrations.haystack"]
        pipeline = haystack.Pipeline.loads(pipeline.dumps(), allowed_modules=allowed)
        try:
            found = pipeline.run({"ranker": {"query": query, "documents": given}})
        except haystack.core.errors.PipelineRuntimeError as error:
            raise error.__cause__ from None
        assert all(each.score is None for each in given)
        return [(each.meta["at"], each.score) for each in found["ranker"]["documents"]]

    return rerank


def test_all_documents_are_ranked_as_the_library_ranks_them(reranker, expected):
    assert reranker(QUERY, TEXTS) == expected


def test_the_best_alone_are_kept(reranker, expected):
    assert reranker(QUERY, TEXTS, 2) == expected[:2]


def test_no_documents_give_none(reranker):
    assert reranker(QUERY, []) == []


def test_another_model_ranks_otherwise(reranker, expected):
    assert reranker(QUERY, TEXTS, model="en-rte2") != expected


def test_what_cannot_be_used_is_refused(reranker):
    with pytest.raises(InputError, match="wanted at least 1"):
        reranker(QUERY, TEXTS, 0)
    with pytest.raises(InputError, match="no token"):
        reranker("", TEXTS)
    with pytest.raises(ModelError, match="nowhere"):
        reranker(QUERY, TEXTS, model="nowhere")


async def test_langchain_awaits_it(expected):
    documents = pytest.importorskip("langchain_core.documents", reason=REASON)
    from tokalign.integrations.langchain import TokalignCompressor

    given = [documents.Document(text) for text in TEXTS]
    found = await TokalignCompressor(top_n=1).acompress_documents(given, QUERY)
    assert [each.page_content for each in found] == [TEXTS[2]]


def test_llama_index_without_a_query_and_haystack_without_a_text_are_refused():
    pytest.importorskip("llama_index.core", reason=REASON)
    haystack = pytest.importorskip("haystack", reason=REASON)
    from tokalign.integrations.haystack import TokalignRanker
    from tokalign.integrations.llama_index import TokalignPostprocessor

    with pytest.raises(InputError, match="no query"):
        TokalignPostprocessor().postprocess_nodes([])
    with pytest.raises(InputError, match="document 'x' has no text"):
        TokalignRanker().run(QUERY, [haystack.Document(id="x")])

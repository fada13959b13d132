"""The evaluators of LlamaIndex and Haystack give the mean support of the sentences."""

import pytest
import tokalign
from tokalign.errors import InputError, ModelError

PASSAGES = ["It rained.", "Marta founded the bakery in 1894."]
GOOD = "Marta founded the bakery."
BAD = "The library was closed by Peter. Marta founded the bakery in 1950."
REASON = "make test-integrations has the package"

# What others' packages warn of is theirs.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def expected():
    """The score of BAD and the words without support."""
    found = tokalign.ground(BAD, PASSAGES).sentences
    words = [BAD[span.start : span.end] for each in found for span in each.unsupported]
    assert len(found) == 2 and "1950" in words
    return sum(each.support for each in found) / 2, words


@pytest.fixture(params=["llama_index", "haystack"])
def evaluator(request):
    """A function of an answer and passages: its score and what is said of it, by each framework."""
    return globals()[f"by_{request.param}"]()


def by_llama_index():
    pytest.importorskip("llama_index.core", reason=REASON)
    from tokalign.integrations.llama_index import ResponseSupportEvaluator

    def evaluated(answer, passages, **more):
        found = ResponseSupportEvaluator(**more).evaluate(response=answer, contexts=passages)
        assert found.passing == (found.score >= 0.5)
        return found.score, found.feedback

    return evaluated


def by_haystack():
    haystack = pytest.importorskip("haystack", reason=REASON)
    from tokalign.integrations.haystack import AnswerSupportEvaluator

    def evaluated(answer, passages, **more):
        pipeline = haystack.Pipeline()
        pipeline.add_component("support", AnswerSupportEvaluator(**more))
        # Read from a text, as people keep pipelines.
        allowed = ["tokalign.integrations.haystack"]
        pipeline = haystack.Pipeline.loads(pipeline.dumps(), allowed_modules=allowed)
        asked = {"predicted_answers": [answer, GOOD], "contexts": [passages, PASSAGES]}
        try:
            found = pipeline.run({"support": asked})["support"]
        except haystack.core.errors.PipelineRuntimeError as error:
            raise error.__cause__ from None
        first, second = found["individual_scores"]
        assert [each["score"] for each in found["results"]] == [first, second]
        assert found["score"] == (first + second) / 2 and second > 0.8
        words = found["results"][0]["unsupported"]
        return first, f"without support: {', '.join(map(repr, words))}" if words else "all words"

    return evaluated


def test_the_score_is_the_mean_support_of_the_sentences(evaluator, expected):
    score, reason = evaluator(BAD, PASSAGES)
    assert score == expected[0] < 0.8
    assert reason == f"without support: {', '.join(map(repr, expected[1]))}"
    score, reason = evaluator(GOOD, PASSAGES)
    assert score > 0.8 and reason.startswith("all words")


def test_another_model_is_loaded(evaluator, expected):
    found = tokalign.Aligner.load("en-rte2").ground(BAD, PASSAGES).sentences
    score, _ = evaluator(BAD, PASSAGES, model="en-rte2")
    assert score == sum(each.support for each in found) / 2 != expected[0]


def test_what_cannot_be_used_is_refused(evaluator):
    with pytest.raises(InputError, match="there are no contexts"):
        evaluator(GOOD, [])
    with pytest.raises(InputError, match="has no sentence"):
        evaluator(" ", PASSAGES)
    with pytest.raises(ModelError, match="nowhere"):
        evaluator(GOOD, PASSAGES, model="nowhere")


async def test_llama_index_evaluates_a_response_and_its_nodes(expected):
    pytest.importorskip("llama_index.core", reason=REASON)
    from llama_index.core.base.response.schema import Response
    from llama_index.core.schema import NodeWithScore, TextNode
    from tokalign.integrations.llama_index import ResponseSupportEvaluator

    nodes = [NodeWithScore(node=TextNode(text=text)) for text in PASSAGES]
    response = Response(response=BAD, source_nodes=nodes)
    found = ResponseSupportEvaluator(threshold=0.9).evaluate_response("Who?", response)
    assert (found.score, found.passing, found.query) == (expected[0], False, "Who?")
    assert found.contexts == PASSAGES
    awaited = await ResponseSupportEvaluator(threshold=0.9).aevaluate_response("Who?", response)
    assert awaited == found


def test_haystack_wants_as_many_contexts_as_answers():
    pytest.importorskip("haystack", reason=REASON)
    from tokalign.integrations.haystack import AnswerSupportEvaluator

    with pytest.raises(InputError, match="1 predicted_answers and 2 contexts"):
        AnswerSupportEvaluator().run([PASSAGES, PASSAGES], [GOOD])
    with pytest.raises(InputError, match=r"contexts\[0\] is one text; give a list"):
        AnswerSupportEvaluator().run([PASSAGES[1]], [GOOD])

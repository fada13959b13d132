"""The metric of deepeval, by itself and as deepeval runs it."""

import pytest
import tokalign

deepeval = pytest.importorskip("deepeval", reason="make test-integrations has the package")

from deepeval.evaluate.configs import AsyncConfig, DisplayConfig  # noqa: E402
from deepeval.test_case import LLMTestCase  # noqa: E402
from tokalign.errors import InputError, ModelError  # noqa: E402
from tokalign.integrations.deepeval import CitationMetric, SupportMetric  # noqa: E402

# What others' packages warn of is theirs.
pytestmark = pytest.mark.filterwarnings("ignore")

PASSAGES = ["It rained.", "Marta founded the bakery in 1894."]
GOOD = "Marta founded the bakery."
BAD = "The library was closed by Peter. Marta founded the bakery in 1950."


def case(answer, passages=PASSAGES):
    return LLMTestCase(input="Who?", actual_output=answer, retrieval_context=passages)


@pytest.fixture(scope="module")
def metric():
    return SupportMetric(threshold=0.8)


def test_the_score_is_the_mean_support_of_the_sentences(metric):
    found = tokalign.ground(BAD, PASSAGES).sentences
    assert metric.measure(case(BAD)) == sum(each.support for each in found) / 2 == metric.score
    assert not metric.is_successful() and "'1950'" in metric.reason
    assert metric.measure(case(GOOD)) > 0.8
    assert metric.is_successful() and metric.reason == "all words have support"


def test_only_what_is_cited_counts_for_citations():
    metric = CitationMetric(threshold=0.5)
    right, wrong = f"{GOOD[:-1]} [2].", f"{GOOD} [1]"
    assert metric.measure(case(right)) > 0.8 and metric.is_successful()
    assert metric.measure(case(wrong)) < 0.5 and not metric.is_successful()
    assert metric.measure(case(f"{right} It rained.")) == metric.measure(case(right)) / 2
    assert metric.reason == "all words have support"
    assert metric.measure(case("It rained [3].")) == 0.0 and not metric.is_successful()
    assert metric.reason == "cites [3], which is not there; without support: 'It rained.'"
    assert metric.__name__ == "Citation support"


async def test_it_can_be_awaited(metric):
    assert await metric.a_measure(case(GOOD)) == metric.measure(case(GOOD))


def test_deepeval_runs_it(metric):
    answer = deepeval.evaluate(
        [case(GOOD), case(BAD)],
        [metric],
        async_config=AsyncConfig(run_async=False),
        display_config=DisplayConfig(show_indicator=False, print_results=False),
    )
    results = {each.actual_output: each for each in answer.test_results}
    assert results[GOOD].success and not results[BAD].success
    (data,) = results[BAD].metrics_data
    assert data.name == "Support" and data.score == metric.measure(case(BAD))


def test_what_cannot_be_used_is_refused(metric):
    with pytest.raises(InputError, match="no retrieval_context"):
        metric.measure(case(GOOD, []))
    with pytest.raises(InputError, match="no sentence"):
        metric.measure(case(" "))
    with pytest.raises(ModelError, match="nowhere"):
        SupportMetric(model="nowhere")

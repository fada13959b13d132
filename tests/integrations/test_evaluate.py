"""The metric of Hugging Face evaluate, as a class and loaded by its path."""

import pytest
import tokalign

evaluate = pytest.importorskip("evaluate", reason="make test-integrations has the package")

from tokalign.errors import InputError  # noqa: E402
from tokalign.integrations import evaluate as own  # noqa: E402

# What others' packages warn of is theirs.
pytestmark = pytest.mark.filterwarnings("ignore")

PASSAGES = ["It rained.", "Marta founded the bakery in 1894."]
GOOD = "Marta founded the bakery."
BAD = "The library was closed by Peter. Marta founded the bakery in 1950."


@pytest.fixture(params=["class", "path"])
def metric(request, tmp_path):
    if request.param == "class":
        return own.PassageSupport(cache_dir=str(tmp_path))
    return evaluate.load(own.__file__, cache_dir=str(tmp_path))


def test_the_score_is_the_mean_support_of_the_sentences(metric):
    found = tokalign.ground(BAD, PASSAGES).sentences
    answer = metric.compute(predictions=[BAD, GOOD], references=[PASSAGES, PASSAGES])
    bad, good = answer["scores"]
    assert bad == sum(each.support for each in found) / 2 < 0.8 < good
    assert answer["support"] == (bad + good) / 2
    assert "1950" in answer["unsupported"][0] and answer["unsupported"][1] == []


def test_answers_are_added_one_by_one(metric):
    metric.add(prediction=GOOD, reference=PASSAGES)
    metric.add(prediction=BAD, reference=PASSAGES)
    by_other = metric.compute(model="en-rte2")["scores"]
    metric.add_batch(predictions=[GOOD, BAD], references=[PASSAGES, PASSAGES])
    assert len(by_other) == 2 and metric.compute()["scores"] != by_other


def test_an_answer_without_passages_is_refused(metric):
    with pytest.raises(InputError, match="no references"):
        metric.compute(predictions=[GOOD], references=[[]])

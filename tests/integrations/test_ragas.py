"""The metric of ragas, by itself and as a batch."""

import pytest
import tokalign

pytest.importorskip("ragas", reason="make test-integrations has the package")

from tokalign.errors import InputError, ModelError
from tokalign.integrations.ragas import CitationSupport, ResponseSupport

# What others' packages warn of is theirs.
pytestmark = pytest.mark.filterwarnings("ignore")

PASSAGES = ["It rained.", "Marta founded the bakery in 1894."]
GOOD = "Marta founded the bakery."
BAD = "The library was closed by Peter. Marta founded the bakery in 1950."


def test_the_score_is_the_mean_support_of_the_sentences():
    metric = ResponseSupport()
    found = tokalign.ground(BAD, PASSAGES).sentences
    inputs = [{"response": each, "retrieved_contexts": PASSAGES} for each in (BAD, GOOD)]
    bad, good = metric.batch_score(inputs)
    assert bad.value == sum(each.support for each in found) / 2 < 0.8 < good.value
    assert "'1950'" in bad.reason and good.reason == "all words have support"
    assert metric.score(**inputs[0]).value == bad.value
    assert metric.name == "support" and metric.validate_result_value(bad.value) is None


def test_only_what_is_cited_counts_for_citations():
    metric = CitationSupport()
    right, wrong = (f"{GOOD} [{number}]" for number in (2, 1))
    scores = [
        metric.score(response=each, retrieved_contexts=PASSAGES).value for each in (right, wrong)
    ]
    assert scores[0] > 0.8 and scores[1] < 0.5
    assert metric.name == "citation_support"


def test_what_cannot_be_used_is_refused():
    with pytest.raises(InputError, match="no retrieved_contexts"):
        ResponseSupport().score(response=GOOD, retrieved_contexts=[])
    with pytest.raises(ModelError, match="nowhere"):
        ResponseSupport(model="nowhere")

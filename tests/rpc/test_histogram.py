"""Our histogram and counter show what those of prometheus_client do."""

from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry
from prometheus_client import Counter as CounterJudge
from prometheus_client import Histogram as Judge
from prometheus_client.exposition import generate_latest
from tokalign.server.observe.collectors import Counter, Histogram
from tokalign.server.observe.metrics import SECONDS


def page(registry):
    lines = generate_latest(registry).decode().splitlines()
    return [line for line in lines if "_created" not in line]


@given(values=st.lists(st.sampled_from(SECONDS) | st.floats(0, 100), max_size=30))
def test_pages_are_equal(values):
    judge, ours = CollectorRegistry(), CollectorRegistry()
    labelled = ("method",)
    theirs = Judge("h", "Help.", labelled, buckets=SECONDS, registry=judge).labels("Align")
    series = Histogram("h", "Help.", labelled, buckets=SECONDS, registry=ours).labels("Align")
    for value in values:
        theirs.observe(value)
        series.observe(value)
    assert page(ours) == page(judge)


def test_without_labels_it_shows_zeros_before_the_first_value():
    judge, ours = CollectorRegistry(), CollectorRegistry()
    Judge("h", "Help.", buckets=(1, 2), registry=judge)
    Histogram("h", "Help.", buckets=(1, 2), registry=ours)
    assert page(ours) == page(judge)


@given(amounts=st.lists(st.integers(0, 9), max_size=9))
def test_counters_are_equal(amounts):
    judge, ours = CollectorRegistry(), CollectorRegistry()
    theirs = CounterJudge("c", "Help.", ("code",), registry=judge).labels("OK")
    count = Counter("c", "Help.", ("code",), registry=ours).labels("OK")
    for amount in amounts:
        theirs.inc(amount)
        count.inc(amount)
    assert page(ours) == page(judge)

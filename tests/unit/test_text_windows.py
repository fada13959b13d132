"""Windows of pairs that are made of two texts, and comparisons that failed."""

from hypothesis import given
from hypothesis import strategies as st
from tokalign.codec.options import RequestOptions
from tokalign.codec.servers import ModelInfo
from tokalign.server.config import RequestLimits
from tokalign.server.requests import text_blocks
from tokalign.server.requests.answers import Answer
from tokalign.server.requests.cost import CostModel
from tokalign.server.requests.request import Bounds, windows
from tokalign.server.requests.text_blocks import Comparisons
from tokalign.texts.text_plan import BlockPlan, TextPlan
from tokalign.types.options import AlignOptions

MODEL = ModelInfo("fake", "1", "", "", (), (), (), uses_trees=False, is_default=True)
COSTS = CostModel(RequestLimits(), [MODEL], ["native"])
OPTIONS = RequestOptions("fake", "native", AlignOptions())
items = st.lists(
    st.tuples(
        st.integers(),
        st.none() | st.tuples(*[st.integers(0, 300).map(lambda n: "word " * n)] * 2),
    ),
    max_size=30,
)


@given(items, st.integers(1, 8), st.integers(1, 200), st.integers(1, 20_000))
def test_windows_are_all_items_in_order_and_within_bounds(items, most, cost, n_bytes):
    sized = text_blocks.sized(items, OPTIONS, COSTS)
    found = list(windows(sized, OPTIONS, Bounds(most, cost, n_bytes)))
    every, request = text_blocks.whole(items, OPTIONS, COSTS)
    assert [item for window in found for item in window.items] == every
    assert [pair for window in found for pair in window.request.pairs] == request.pairs
    assert [each for window in found for each in window.request.costs] == request.costs
    for window in found:
        assert 1 <= len(window.items) <= most
        if len(window.items) > 1:
            assert sum(window.request.costs) <= cost
            assert sum(map(len, window.request.pairs)) <= n_bytes


def test_failed_comparisons_are_remembered_by_the_side_at_fault():
    plan = TextPlan.of("A dog barked.", "A dog barks.")
    (candidate,) = plan.candidates
    for field, sides in (("source.text", "o"), ("target", "n"), ("", "on")):
        compared = Comparisons()
        compared.add([candidate], [Answer(b"", 0.9, 13, "as told", field)])
        assert compared.similarities == [0.0]
        deleted = compared.failure(BlockPlan((0,), (), False))
        inserted = compared.failure(BlockPlan((), (0,), False))
        assert [deleted is not None, inserted is not None] == ["o" in sides, "n" in sides]

"""Cost of pairs, known before any work is done."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokalign.codec.options import RequestOptions
from tokalign.codec.reading import sizes
from tokalign.codec.servers import ModelInfo
from tokalign.english.annotate.tokenizer import tokenize
from tokalign.server.config import RequestLimits
from tokalign.server.requests import cost, rates
from tokalign.server.requests.answer_sentences import Passages
from tokalign.systems import SYSTEMS
from tokalign.types.options import AlignOptions, GroundOptions
from tokalign.v1 import align_pb2

ROOT = Path(__file__).parents[2]
LENGTHS = st.integers(0, 512)
OPTIONS = st.builds(
    AlignOptions,
    posteriors=st.booleans(),
    explain=st.booleans(),
    phrases=st.booleans(),
    edits=st.booleans(),
)
ENGLISH = st.lists(
    st.sampled_from(
        ["cannot", "gonna", "don't", "well-known", "a", ",", ".", "...", "--", '"', " "]
    )
).map("".join)


def estimated_tokens(text):
    """Return how many tokens the target of a pair is taken to have."""
    pair = align_pb2.Pair(target={"text": text}).SerializeToString()
    return sizes(pair, 10_000, 10_000)[1]


MODELS = [
    ModelInfo(name, "1", "", "", (), (), (), uses_trees=False, is_default=False, encoder=encoder)
    for name, encoder in (
        ("en", ""),
        ("en-neural", "encoder-en"),
        ("en-neural-large", "encoder-en-large"),
        *((system, "") for system in SYSTEMS),
    )
]
COSTS = cost.CostModel(RequestLimits(), MODELS, ("native", "stanza"))


def of_pair(n_source, n_target, model="en", annotator="native", **options):
    """Return what a pair of usual words costs."""
    request = RequestOptions(model, annotator, AlignOptions(**options))
    (value,) = COSTS.of_pairs([cost.Size.usual(n_source, n_target)], request)
    return value


@given(n_source=LENGTHS, n_target=LENGTHS, options=OPTIONS, model=st.sampled_from(MODELS))
def test_cost_grows_with_tokens_and_with_what_is_asked_for(n_source, n_target, options, model):
    request = RequestOptions(model.name, "native", options)
    sizes = [
        cost.Size.usual(n_source, n_target),
        cost.Size.usual(n_source + 1, n_target),
        cost.Size.usual(n_target, n_source),
    ]
    value, larger, turned = COSTS.of_pairs(sizes, request)
    assert 1 <= of_pair(n_source, n_target, model.name) <= value <= larger
    assert value == turned


def test_typical_pair_costs_one_and_the_longest_hundreds():
    assert of_pair(29, 10) == 1
    assert of_pair(100, 100) == 14
    assert 300 < of_pair(512, 512) < 500


def test_cost_knows_encoders_annotators_constraints_and_long_words():
    assert of_pair(29, 10, "en-neural-large") > 3 * of_pair(29, 10, "en-neural")
    assert of_pair(29, 10, "en-neural") > 20
    assert of_pair(29, 10, "en-neural", effort=0.0) == 1
    assert of_pair(29, 10, annotator="stanza") > 100
    assert of_pair(512, 512, "ted") > of_pair(512, 512, "sultan")
    size, request = cost.Size.usual(60, 60), RequestOptions("en", "native")
    plain, constrained, long = COSTS.of_pairs(
        [
            size,
            size._replace(constraint_bytes=7_200),
            size._replace(source_bytes=60 * 64, target_bytes=60 * 64),
        ],
        request,
    )
    assert min(constrained, long) > 3 * plain


@given(text=st.text(max_size=60) | ENGLISH)
def test_text_has_at_most_twice_the_estimated_tokens(text):
    assert len(tokenize(text)[0]) <= 2 * estimated_tokens(text)


def test_estimate_of_english_is_close():
    texts = (ROOT / "bench" / "pairs.tsv").read_text(encoding="utf-8").split("\n")
    sentences = [side for line in texts for side in line.split("\t") if side]
    estimated = sum(map(estimated_tokens, sentences))
    assert 1.0 <= estimated / sum(len(tokenize(text)[0]) for text in sentences) < 1.2


@pytest.mark.parametrize("message", [{"text": "a " * 5000}, {"tokens": ["a"] * 5000}])
def test_sentence_beyond_the_limit_counts_as_one_at_the_limit(message):
    limits = RequestLimits(max_tokens=300)
    sentence = align_pb2.Sentence(**message)
    options = AlignOptions(explain=True)
    source = align_pb2.Pair(source=sentence).SerializeToString()
    target = align_pb2.Pair(target={"tokens": ["a", "b"]}).SerializeToString()
    costs = cost.CostModel(limits, MODELS, ("native",))
    request = RequestOptions("en", "native", options)
    n_bytes = len(message["text"]) if "text" in message else 5000
    expected = costs.of_pairs([cost.Size(300, 2, n_bytes, 2)] * 2, request)
    for pairs, shared in (([source + target] * 2, b""), ([source] * 2, target)):
        assert costs.of_pairs(costs.sizes(pairs, shared), request) == expected


def test_pair_that_is_refused_unread_counts_without_being_parsed():
    limits = RequestLimits(max_tokens=300)
    costs = cost.CostModel(limits, MODELS, ("native",))
    small, large = costs.of_pairs(
        costs.sizes([b"\xff", b"\xff" * 2_000_000]), RequestOptions("en", "native")
    )
    assert small == 1
    assert large > of_pair(300, 300)


def test_speed_is_that_of_the_latest_work_and_not_of_the_traffic():
    speed = cost.Speed()
    assert speed.cost_per_s == pytest.approx(1e6 / cost.UNIT_US)
    # The first pair of a new worker takes 5 ms, which says little of the next ones.
    speed.add(1, 0.005)
    assert speed.cost_per_s == pytest.approx(1e6 / cost.UNIT_US, rel=0.02)
    for _ in range(100):
        speed.add(32, 0.1)
    assert speed.cost_per_s == pytest.approx(320, rel=0.01)
    # However long nothing came: 34 ms for a batch are 34 ms.
    for _ in range(200):
        speed.add(34, 0.034)
    assert speed.cost_per_s == pytest.approx(1000, rel=0.01)
    speed.add(1, 0.0)  # a clock that does not move
    assert speed.cost_per_s > 0


def grounding_cost(texts, n_words=25, n_shared_by=8, candidates=3):
    messages = [
        align_pb2.SourcePassage(id=str(number), text=text).SerializeToString()
        for number, text in enumerate(texts)
    ]
    options = GroundOptions(candidates=candidates)
    passages = Passages.read(messages, options, RequestLimits())
    return passages.cost(n_words, n_shared_by, COSTS, RequestOptions("en", "native"))


def test_the_page_has_the_rates_of_every_system():
    page = (ROOT / "docs/operations.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1:-1] for line in page.splitlines() if line.startswith("| ")]
    start = rows.index([" part ", " models ", " lemma ", " sultan ", " meteor ", " ted "])
    table = [[cell.strip() for cell in row] for row in rows[start : start + 6]]
    each = [rates.MODEL, *map(rates.BY_SYSTEM.get, table[0][2:])]
    assert [row[1:] for row in table[2:5]] == [
        [f"{getattr(found, part):g}" for found in each] for part in ("pair", "token", "byte")
    ]
    model = rates.MODEL
    assert table[5][1:] == [
        f"{model.cell:g} + {model.letter_cell:g} for each letter of a word + "
        f"{model.token_cell:.5f} `(n + m)`",
        *[f"{found.cell:g}" for found in each[1:]],
    ]


def test_cost_of_grounding_grows_with_passages_candidates_and_lengths():
    text = "A dog barked at the old cats of the town. " * 20
    usual = grounding_cost([text] * 10)
    assert 1 <= grounding_cost([]) < grounding_cost([text]) < usual
    assert usual < grounding_cost([text] * 20)
    assert usual < grounding_cost([text] * 10, candidates=5)
    assert usual < grounding_cost([text] * 10, n_words=100)
    assert usual < grounding_cost([text.replace(". ", ", ")] * 10)
    assert usual < grounding_cost([text] * 10, n_shared_by=1)


def test_cost_of_grounding_is_that_of_its_longest_sentences():
    short, long = "It rains. ", "word " * 300 + ". "
    alone = grounding_cost([long], candidates=1)
    among = grounding_cost([short * 50 + long + short * 50], candidates=1)
    assert alone <= among <= alone + 2

"""The vectorised scores equal plain definitions, and transposing a corpus changes nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokalign.evaluate import LinkChoice, all_metrics, count_pairs, list_errors, scores_of
from tokalign.types import GoldPair, Sentence

WORDS = ("The", "the", "cat", "Cat", ".", "of")
LINKS = st.frozensets(st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=5)


@st.composite
def corpora(draw):
    gold, predicted = [], []
    for number in range(draw(st.integers(1, 4))):
        source = Sentence.from_tokens([draw(st.sampled_from(WORDS)) for _ in range(4)])
        target = Sentence.from_tokens([draw(st.sampled_from(WORDS)) for _ in range(3)])
        sure = draw(LINKS)
        gold.append(GoldPair(str(number), source, target, sure, draw(LINKS) - sure))
        predicted.append(draw(LINKS))
    return gold, predicted


def harmonic(x, y):
    return 2 * x * y / (x + y) if x + y else 0.0


def part(right, whole, other):
    return right / whole if whole else float(not other)


@given(corpora())
def test_scores_equal_their_plain_definitions(corpus):
    gold, predicted = corpus
    result = scores_of(count_pairs(gold, predicted))
    n = len(gold)
    precision = sum(
        part(len(g.sure & p), len(p), len(g.sure)) for g, p in zip(gold, predicted, strict=True)
    )
    recall = sum(
        part(len(g.sure & p), len(g.sure), len(p)) for g, p in zip(gold, predicted, strict=True)
    )
    assert result.f1 == pytest.approx(harmonic(precision / n, recall / n))
    all_gold = {(k, *link) for k, g in enumerate(gold) for link in g.sure}
    all_loose = {(k, *link) for k, g in enumerate(gold) for link in g.possible} | all_gold
    found = {(k, *link) for k, p in enumerate(predicted) for link in p}
    total = len(found) + len(all_gold)
    assert result.micro_f1 == pytest.approx(2 * len(found & all_gold) / total if total else 1.0)
    loss = (len(found & all_gold) + len(found & all_loose)) / total if total else 1.0
    assert result.aer == pytest.approx(1 - loss)

    def differs(link):
        k, i, j = link
        return gold[k].source.tokens[i].lower() != gold[k].target.tokens[j].lower()

    new_gold, new_found = set(filter(differs, all_gold)), set(filter(differs, found))
    total = len(new_gold) + len(new_found)
    expected = 2 * len(new_gold & new_found) / total if total else 1.0
    assert result.f1_non_identical == pytest.approx(expected)


@pytest.mark.parametrize("choice", list(LinkChoice))
@given(corpora())
def test_transposing_every_pair_changes_no_score(choice, corpus):
    gold, predicted = corpus

    def turn(links):
        return frozenset((j, i) for i, j in links)

    turned = [GoldPair(g.id, g.target, g.source, turn(g.sure), turn(g.possible)) for g in gold]
    one = scores_of(count_pairs(gold, predicted, choice))
    two = scores_of(count_pairs(turned, [turn(p) for p in predicted], choice))
    assert one == two


@given(corpora())
def test_scores_are_fractions_and_correcting_all_errors_is_perfect(corpus):
    gold, predicted = corpus
    result = scores_of(count_pairs(gold, predicted))
    assert all(0.0 <= getattr(result, name) <= 1.0 for name in all_metrics())
    repaired = [set(links) for links in predicted]
    for error in list_errors(gold, predicted):
        repaired[error.pair] ^= {(error.source, error.target)}
    assert repaired == [g.sure for g in gold]

"""Scores of small corpora worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from support.pairs import gold_pair
from tokalign.errors import InputError, ShapeError
from tokalign.evaluate import (
    LinkChoice,
    all_metrics,
    by_kind,
    by_length,
    by_tag,
    compare,
    count_pairs,
    evaluate,
    list_errors,
    predictions_of,
    scores_of,
    worst_word_pairs,
)
from tokalign.evaluate.breakdown import tag_class
from tokalign.types import GoldPair, Sentence

# Pair 1: 3 sure, 1 possible; predicted 2 right, 1 possible, 1 wrong: P 2/4, R 2/3.
# Pair 2: exact, 2 links: P 1, R 1.
GOLD = [
    gold_pair(
        ["The", "old", "cat", "slept", "."],
        ["A", "cat", "napped", "."],
        {(2, 1), (3, 2), (4, 3)},
        {(0, 0)},
    ),
    gold_pair(["Dogs", "bark"], ["Dogs", "bark"], {(0, 0), (1, 1)}, name="2"),
]
PREDICTED = [{(2, 1), (4, 3), (0, 0), (1, 1)}, {(0, 0), (1, 1)}]


def scores(gold=GOLD, predicted=PREDICTED, choice=LinkChoice.SURE):
    return scores_of(count_pairs(gold, predicted, choice))


def test_macro_scores_and_f1_as_harmonic_mean_of_the_averages():
    result = scores()
    assert result.pairs == 2
    assert result.precision == pytest.approx((2 / 4 + 1) / 2)
    assert result.recall == pytest.approx((2 / 3 + 1) / 2)
    assert result.f1 == pytest.approx(2 * 0.75 * (5 / 6) / (0.75 + 5 / 6))
    assert result.exact_match == 0.5


def test_micro_scores_pool_links():
    result = scores()
    assert result.micro_precision == pytest.approx(4 / 6)
    assert result.micro_recall == pytest.approx(4 / 5)
    assert result.micro_f1 == pytest.approx(8 / 11)


def test_identical_and_non_identical_links_apart():
    result = scores()
    # Identical gold: cat, ., Dogs, bark: all found. Non-identical: slept-napped missed; The-A and
    # old-cat wrong.
    assert result.f1_identical == 1.0
    assert result.f1_non_identical == 0.0


def test_content_links_apart():
    # Gold cat-cat, slept-napped, Dogs, bark; predicted cat-cat, old-cat, Dogs, bark; 3 right.
    assert scores().f1_content == pytest.approx(6 / 8)


def test_possible_links_count_as_gold_when_asked():
    result = scores(choice=LinkChoice.SURE_AND_POSSIBLE)
    assert result.micro_precision == pytest.approx(5 / 6)
    assert result.micro_recall == pytest.approx(5 / 6)


def test_possible_links_count_neither_way_when_ignored():
    result = scores(choice=LinkChoice.IGNORE_POSSIBLE)
    assert result.micro_precision == pytest.approx(4 / 5)
    assert result.micro_recall == pytest.approx(4 / 5)


@pytest.mark.parametrize("choice", list(LinkChoice))
def test_aer_uses_sure_and_possible_whatever_the_choice(choice):
    # |A & S| = 4, |A & (S | P)| = 5, |A| = 6, |S| = 5
    assert scores(choice=choice).aer == pytest.approx(1 - 9 / 11)


def test_f_alpha_weighs_precision_by_alpha():
    result = scores()
    assert list(result.f_alpha) == [f"0.{tenth}" for tenth in range(1, 10)]
    assert result.f_alpha["0.5"] == pytest.approx(result.micro_f1)
    assert result.f_alpha["0.2"] == pytest.approx(1 / (0.2 / (4 / 6) + 0.8 / (4 / 5)))
    assert result.f_alpha_sure_possible["0.2"] == pytest.approx(1 / (0.2 / (5 / 6) + 0.8 / (4 / 5)))


def test_an_empty_prediction_has_precision_zero():
    result = scores(predicted=[set(), PREDICTED[1]])
    assert result.precision == 0.5
    assert result.recall == 0.5


def test_links_for_empty_gold_have_no_recall_to_find():
    gold = [gold_pair("a", "b", ())]
    result = scores(gold, [{(0, 0)}])
    assert (result.precision, result.recall, result.f1, result.exact_match) == (0, 0, 0, 0)


def test_empty_prediction_for_empty_gold_is_perfect():
    result = scores([gold_pair("a", "b", ())], [set()])
    assert result.aer == 0.0
    perfect = {name: getattr(result, name) for name in all_metrics() if name != "aer"}
    assert perfect == dict.fromkeys(perfect, 1.0)
    assert set(result.f_alpha.values()) == {1.0}


def test_wrong_numbers_of_predictions_and_bad_links_are_refused():
    with pytest.raises(ShapeError, match="1 predictions for 2"):
        count_pairs(GOLD, PREDICTED[:1])
    with pytest.raises(InputError, match="no pairs"):
        count_pairs([], [])
    with pytest.raises(InputError, match="predicted link 5-0, but the sentences have 5 and 4"):
        count_pairs(GOLD, [{(5, 0)}, set()])


def test_json_holds_every_score_and_interval():
    result = evaluate(GOLD, PREDICTED, n_samples=50).to_json()
    assert result["pairs"] == 2
    assert set(all_metrics()) | {"pairs", "f_alpha", "f_alpha_sure_possible", "intervals"} == set(
        result
    )
    assert set(result["intervals"]) == set(all_metrics())


def test_intervals_are_seeded_and_hold_the_score():
    first, again = (evaluate(GOLD * 20, PREDICTED * 20, seed=3) for _ in range(2))
    assert first.intervals == again.intervals
    for name, (low, high) in first.intervals.items():
        assert low <= getattr(first.scores, name) <= high
    assert first.intervals["f1"][0] < first.intervals["f1"][1]
    assert evaluate(GOLD * 20, PREDICTED * 20, seed=4).intervals != first.intervals


def test_comparison_finds_a_clear_difference_and_no_difference():
    gold = [GOLD[1]] * 40
    good, bad = count_pairs(gold, [PREDICTED[1]] * 40), count_pairs(gold, [{(0, 1)}] * 40)
    clear = compare(good, bad)["f1"]
    assert clear.difference == 1.0
    assert clear.p_value == pytest.approx(1 / 1001)
    none = compare(good, good)["f1"]
    assert (none.difference, none.low, none.high, none.p_value) == (0, 0, 0, 1)


def test_comparison_needs_the_same_pairs():
    counts = count_pairs(GOLD, PREDICTED)
    with pytest.raises(ShapeError, match="wanted the same"):
        compare(counts, counts[:1])


def test_errors_are_sorted_by_harm_and_harm_is_the_gain_of_correcting_one_link():
    errors = list_errors(GOLD, PREDICTED)
    assert [error.harm for error in errors] == sorted((e.harm for e in errors), reverse=True)
    assert {(e.source, e.target, e.is_missing, e.is_possible) for e in errors} == {
        (3, 2, True, False),
        (0, 0, False, True),
        (1, 1, False, False),
    }
    base = scores().f1
    for error in errors:
        changed = [set(PREDICTED[0]), PREDICTED[1]]
        changed[0] ^= {(error.source, error.target)}
        assert error.harm == pytest.approx(scores(predicted=changed).f1 - base)
    assert errors[0].words == ("slept", "napped")


def test_word_pairs_sum_harm_over_the_corpus():
    [first, *_] = worst_word_pairs(list_errors(GOLD * 2, PREDICTED * 2))
    assert first[:4] == ("slept", "napped", True, 2)


def test_lengths_split_the_corpus():
    gold = [*GOLD, gold_pair("a" * 11, "a", {(0, 0)}, name="3")]
    parts = by_length(gold, [*PREDICTED, {(0, 0)}])
    assert {name: part.pairs for name, part in parts.items()} == {"1-10": 2, "11-20": 1}
    assert parts["1-10"] == scores()
    long = gold_pair("a" * 100, "a", (), name="4")
    assert list(by_length([long], [set()])) == ["61+"]


def test_tags_split_links_by_target_word_class():
    tagged = Sentence.from_tokens(["A", "cat", "napped", "."], tags=["DT", "NN", "VBD", "."])
    gold = [GoldPair("1", GOLD[0].source, tagged, GOLD[0].sure), GOLD[1]]
    parts = by_tag(gold, PREDICTED)
    assert {name: (p.right, p.predicted, p.gold) for name, p in parts.items()} == {
        "noun": (1, 2, 1),
        "punctuation": (1, 1, 1),
        "verb": (0, 0, 1),
        "determiner": (0, 1, 0),
    }
    assert parts["noun"].to_json() == {
        "right": 1, "predicted": 2, "gold": 1, "precision": 0.5, "recall": 1.0,
        "f1": pytest.approx(2 / 3),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("tag", "name"),
    [("NNPS", "proper noun"), ("NNS", "noun"), ("WP$", "wh-word"), ("PRP$", "pronoun"),
     ("``", "punctuation"), ("-LRB-", "punctuation"), ("FW", "other"), ("PDT", "determiner")],
)  # fmt: skip
def test_tag_classes(tag, name):
    assert tag_class(tag) == name


def test_kinds_cross_identity_with_content():
    parts = by_kind(GOLD, PREDICTED)
    assert {name: (p.right, p.predicted, p.gold) for name, p in parts.items()} == {
        "identical, content": (3, 3, 3),
        "identical, function or punctuation": (1, 1, 1),
        "non-identical, content": (0, 1, 1),
        "non-identical, function or punctuation": (0, 1, 0),
    }


def test_predictions_must_be_the_same_pairs():
    assert predictions_of(GOLD, GOLD) == [GOLD[0].sure, GOLD[1].sure]
    assert predictions_of(GOLD, GOLD, LinkChoice.SURE_AND_POSSIBLE)[0] == GOLD[0].sure | {(0, 0)}
    with pytest.raises(InputError, match="1 predicted pairs for 2"):
        predictions_of(GOLD, GOLD[:1])
    with pytest.raises(InputError, match="wanted the same pairs"):
        predictions_of(GOLD, GOLD[::-1])


def test_swapping_gold_and_prediction_mirrors_precision_and_recall():
    swapped = [
        GoldPair(g.id, g.source, g.target, frozenset(p))
        for g, p in zip(GOLD, PREDICTED, strict=True)
    ]
    one, two = scores(), scores(swapped, [g.sure for g in GOLD])
    assert (one.precision, one.recall, one.f1) == (two.recall, two.precision, two.f1)
    assert (one.micro_precision, one.micro_recall) == (two.micro_recall, two.micro_precision)


def test_counts_are_finite():
    assert np.isfinite(count_pairs(GOLD, [set(), set()])).all()

"""Counts of the sample and of the corpora, which are read from where the user keeps them."""

from __future__ import annotations

import pytest
from support.sample import find
from tokalign.evaluate import LinkChoice, count_pairs, predictions_of, scores_of
from tokalign.formats import read_gold

COUNTS = pytest.mark.parametrize(
    ("path", "n_pairs", "n_sure", "n_possible"),
    [
        ("sample.jsonl", 72, 458, 160),
        ("pairs.jsonl", 144, 1058, 280),
        ("msr_rte2/RTE2_dev_M.align.txt", 800, 5971, 2064),
        ("msr_rte2/RTE2_dev_A.align.txt", 800, 5972, 2155),
        ("msr_rte2/RTE2_dev_M.align.json", 800, 5791, 0),
        ("edinburgh/gold.train.sure.json", 714, 13314, 0),
        ("edinburgh/gold.train.sure+poss.json", 714, 15846, 0),
        ("multimwa/mtref-dev.tsv", 800, 13693, 2072),
        ("multimwa/mtref-train.tsv", 2398, 51040, 0),
        ("multimwa/wiki-dev.tsv", 533, 15082, 0),
        ("multimwa/wiki-train.tsv", 2514, 70072, 0),
    ],
)


@COUNTS
def test_corpus_counts(request, path, n_pairs, n_sure, n_possible):
    pairs = read_gold(find(request, path))
    assert len(pairs) == n_pairs
    assert sum(len(pair.sure) for pair in pairs) == n_sure
    assert sum(len(pair.possible) for pair in pairs) == n_possible


@COUNTS
def test_what_is_lost_by_linking_all_possible_links_follows_from_the_counts(
    request, path, n_pairs, n_sure, n_possible
):
    gold = read_gold(find(request, path))
    predicted = predictions_of(gold, gold, LinkChoice.SURE_AND_POSSIBLE)
    strict = scores_of(count_pairs(gold, predicted))
    assert strict.pairs == n_pairs
    assert strict.micro_precision == pytest.approx(n_sure / (n_sure + n_possible))
    assert strict.micro_recall == 1.0
    for choice in (LinkChoice.SURE_AND_POSSIBLE, LinkChoice.IGNORE_POSSIBLE):
        scores = scores_of(count_pairs(gold, predicted, choice))
        assert (scores.micro_f1, scores.exact_match, scores.aer) == (1.0, 1.0, 0.0)


def test_the_majority_vote_is_the_majority_and_annotators_score_as_measured(data_dir):
    """Macro F1 and exact match of each annotator against the vote, on sure links."""
    folder = data_dir / "msr_rte2"
    votes = {name: read_gold(folder / f"RTE2_dev_{name}.align.txt") for name in "ABCM"}
    for a, b, c, majority in zip(*votes.values(), strict=True):
        assert majority.sure == (a.sure & b.sure) | (a.sure & c.sure) | (b.sure & c.sure)
    measured = {}
    for name in "ABC":
        predicted = predictions_of(votes["M"], votes[name])
        scores = scores_of(count_pairs(votes["M"], predicted))
        measured[name] = (round(100 * scores.f1, 1), round(100 * scores.exact_match, 1))
    assert measured == {"A": (99.6, 95.9), "B": (99.6, 94.8), "C": (93.0, 51.4)}

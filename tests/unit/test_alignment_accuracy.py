"""Models keep the accuracy that docs/accuracy.md states, with room for a retraining's noise."""

from __future__ import annotations

import pytest
from tokalign.aligner import Aligner
from tokalign.annotate import load_annotator
from tokalign.evaluate import LinkChoice, calibrate, count_pairs, scores_of
from tokalign.formats import read_gold
from tokalign.training import TrainingSettings, train


def confidences(aligner, gold):
    pairs = [(pair.source, pair.target) for pair in gold]
    return [
        {(link.source, link.target): link.confidence for link in alignment.links}
        for alignment in aligner.pipe(pairs)
    ]


@pytest.mark.parametrize(
    ("part", "f1", "exact", "error"),
    [("mtref-dev.tsv", 0.815, 0.03, 0.06), ("wiki-dev.tsv", 0.97, 0.58, 0.02)],
)
def test_the_default_model_on_development_data(data_dir, part, f1, exact, error):
    gold = read_gold(data_dir / "multimwa" / part)
    found = confidences(Aligner.load("en"), gold)
    choice = LinkChoice.SURE_AND_POSSIBLE
    scores = scores_of(count_pairs(gold, [frozenset(links) for links in found], choice))
    assert scores.f1 > f1
    assert scores.exact_match > exact
    assert calibrate(gold, found, choice).expected_error < error


def test_training_on_half_of_rte2_generalises_to_the_other(data_dir):
    gold = read_gold(data_dir / "msr_rte2" / "RTE2_dev_M.align.txt")
    hypotheses = sorted({pair.target.tokens for pair in gold})
    seen = set(hypotheses[::2])
    annotator = load_annotator("native")
    settings = TrainingSettings(max_iterations=40)
    model = train(
        {"half": [pair for pair in gold if pair.target.tokens in seen]},
        annotator,
        settings,
        name="half",
    )
    rest = [pair for pair in gold if pair.target.tokens not in seen]
    found = confidences(Aligner(model, annotator), rest)
    scores = scores_of(count_pairs(rest, [frozenset(links) for links in found]))
    assert scores.f1 > 0.88
    assert scores.exact_match > 0.32
    assert calibrate(rest, found).expected_error < 0.035

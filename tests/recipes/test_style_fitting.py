"""Styles are fitted on pairs that were held out: thresholds, and maps of confidence that rise."""

import dataclasses
from itertools import pairwise

import numpy as np
import pytest
from tokalign.decoding.convention import Convention
from tokalign.evaluate import LinkChoice
from tokalign.formats import read_gold
from tokalign.model.styles import check_styles
from tokalign.training import TrainingData, TrainingSettings
from tokalign.types import GoldPair, Sentence

from recipes.settings import EN_SETTINGS, STYLES
from recipes.styles import HeldOut, choose_threshold, fit, fit_map, held_out, judge

WORDS = Sentence.from_tokens([f"w{k}" for k in range(10)])


def made_up(right_of, n_pairs=200, unlike=0) -> HeldOut:
    """Return pairs of which a link of posterior p is right with probability right_of(p)."""
    rng = np.random.default_rng(0)
    gold, posteriors = [], []
    for number in range(n_pairs):
        posterior = rng.random((10, 10))
        right = rng.random((10, 10)) < right_of(posterior)
        links = frozenset(map(tuple, np.argwhere(right).tolist()))
        gold.append(GoldPair(str(number), WORDS, WORDS, links))
        posteriors.append(posterior)
    folds = [number % 5 for number in range(n_pairs)]
    cells = [rng.random(20) for _ in range(unlike)]
    return HeldOut(gold, posteriors, folds, cells, [number % 5 for number in range(unlike)])


@pytest.fixture
def gold(sample_dir) -> list[GoldPair]:
    return read_gold(sample_dir / "sample.jsonl")


@pytest.mark.parametrize("right_of", [lambda p: p, lambda p: p**2, lambda p: 0.5 + 0 * p])
def test_the_map_gives_the_share_of_right_links(right_of):
    raw, calibrated = fit_map(made_up(right_of), LinkChoice.SURE)
    style = {"name": "x", "links": "", "threshold": 0.4, "raw": raw, "calibrated": calibrated}
    check_styles([style])
    asked = np.linspace(0.2, 0.9, 15)
    np.testing.assert_allclose(Convention(style).confidences(asked), right_of(asked), atol=0.08)


def test_links_of_unrelated_pairs_lower_the_map():
    alone, together = (
        np.interp(0.5, *fit_map(made_up(lambda p: p, unlike=n), LinkChoice.SURE)) for n in (0, 1000)
    )
    assert together < alone - 0.1


def test_possible_links_are_right_where_they_count():
    found = made_up(lambda p: p)
    moved = [dataclasses.replace(pair, sure=frozenset(), possible=pair.sure) for pair in found.gold]
    as_possible = dataclasses.replace(found, gold=moved)
    choice = LinkChoice.SURE_AND_POSSIBLE
    assert fit_map(as_possible, choice) == fit_map(found, LinkChoice.SURE)


def test_the_threshold_is_that_of_the_best_f1():
    found = made_up(lambda p: (p >= 0.45).astype(float))
    assert choose_threshold(found, LinkChoice.SURE) == 0.45


def test_what_a_fold_is_judged_by_has_not_seen_it():
    found = made_up(lambda p: p**2)
    rows = judge("strict", found)
    assert rows["expected_error"] < 0.03 < rows["expected_error_uncalibrated"]
    assert len(rows["thresholds"]) == 5
    assert set(found.only({1, 2}).folds) == {1, 2}


def test_every_style_has_a_corpus_of_the_settings():
    assert [style for _, style in EN_SETTINGS.styles] == list(STYLES)


def test_models_of_folds_say_something_of_every_pair(gold, monkeypatch):
    settings = TrainingSettings(
        feature_groups=("string", "pos"), max_iterations=2, styles=(("a", "x"), ("b", "y"))
    )
    unrelated = [dataclasses.replace(p, target=q.target) for p, q in pairwise(gold[:6])]
    data = TrainingData({"a": gold[:12], "b": gold[12:30]}, unrelated=unrelated)
    found = held_out(data, settings)
    assert list(found) == ["x", "y"]
    for style, pairs in (("x", gold[:12]), ("y", gold[12:30])):
        assert [each.id for each in found[style].gold] == [pair.id for pair in pairs]
        for pair, posterior in zip(found[style].gold, found[style].posteriors, strict=True):
            assert posterior.shape == (len(pair.source), len(pair.target))
        assert len(found[style].unlike) == len(unrelated)
    monkeypatch.setitem(STYLES, "x", STYLES["strict"])
    check_styles([fit("x", found["x"])])

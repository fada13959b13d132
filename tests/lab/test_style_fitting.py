"""Styles are fitted on pairs that were held out: thresholds, maps of confidence, the choice."""

from __future__ import annotations

import dataclasses
import random
from itertools import pairwise

import numpy as np
import pytest
from tokalign.decoding.link_decision import Convention
from tokalign.english.annotate import load_annotator
from tokalign.formats import read_gold
from tokalign.model.styles import N_INPUTS, check_styles
from tokalign.model.training import TrainingData, TrainingSettings
from tokalign.model.training.examples import annotate_gold
from tokalign.types import GoldPair, Sentence

from lab.recipes.choice import chosen_style, fit_choice, gains_of
from lab.recipes.held_out import LONGEST, HeldOutPair, held_out, links_at, piece_of
from lab.recipes.settings import EN_RESEARCH_SETTINGS, EN_SETTINGS, FEW, RESEARCH_STYLES, STYLES
from lab.recipes.styles import (
    choose_thresholds,
    fit,
    fit_map,
    fit_unlike,
    judge,
)

WORDS = Sentence.from_tokens([f"w{k}" for k in range(10)])
NOTHING = np.zeros((10, 10), dtype=bool)
FIRST = next(iter(STYLES))


def made_up(right_of, n_pairs=200, style="strict", *, unlike=False, seed=0) -> list[HeldOutPair]:
    """Return pairs of which a link of posterior p is right with probability right_of(p)."""
    rng = np.random.default_rng(seed)
    pairs = []
    for number in range(n_pairs):
        posterior = rng.random((10, 10)).astype(np.float32)
        right = rng.random((10, 10)) < right_of(posterior)
        links = frozenset(map(tuple, np.argwhere(right).tolist())) if style else frozenset()
        pairs.append(
            HeldOutPair(
                gold=GoldPair(str(number), WORDS, WORDS, links),
                style=style,
                fold=number % 5,
                is_piece=False,
                means=dict.fromkeys(STYLES, posterior),
                unlike=np.full((10, 10), unlike),
                impossible=NOTHING if style else ~NOTHING,
                inputs=rng.random(N_INPUTS),
            )
        )
    return pairs


def fitted(name: str, pairs: list[HeldOutPair]):
    return fit(name, STYLES[name], pairs)


def cells(pairs: list[HeldOutPair]) -> tuple[np.ndarray, np.ndarray]:
    raw = np.concatenate([pair.means[FIRST].ravel() for pair in pairs]).astype(np.float64)
    right = np.zeros((len(pairs), 10, 10))
    for number, pair in enumerate(pairs):
        for link in pair.gold.sure:
            right[number][link] = 1
    return raw, right.ravel()


@pytest.fixture
def gold(sample_dir) -> list[GoldPair]:
    return read_gold(sample_dir / "sample.jsonl")


@pytest.mark.parametrize("right_of", [lambda p: p, lambda p: p**2, lambda p: 0.3 + 0.4 * p])
def test_the_map_gives_the_share_of_right_links(right_of):
    raw, calibrated = fit_map(*cells(made_up(right_of)))
    style = {"name": "x", "links": "", "threshold": 0.4, "raw": raw, "calibrated": calibrated}
    check_styles([style])
    asked = np.linspace(0.2, 0.9, 15)
    found = Convention(style).confidences(asked, np.zeros(15, dtype=bool))
    np.testing.assert_allclose(found, right_of(asked), atol=0.08)


def test_the_map_of_unlike_words_has_two_numbers():
    slope, offset = fit_unlike(
        cells(made_up(lambda p: p**2 / (p**2 + 2 * (1 - p) ** 2))), (np.zeros(0), np.zeros(0)), 1, 0
    )
    assert slope == pytest.approx(2, abs=0.05)
    assert offset == pytest.approx(-np.log(2), abs=0.05)


def test_unrelated_pairs_lower_the_map_of_unlike_words_by_their_weight():
    own, unrelated = cells(made_up(lambda p: p)), cells(made_up(lambda p: 0 * p, 50))
    offsets = [fit_unlike(own, unrelated, weight, 0.2)[1] for weight in (0.0, 0.1, 1.0)]
    assert offsets[0] > offsets[1] > offsets[2]


def test_links_that_count_neither_way_fit_nothing():
    pairs = made_up(lambda p: p, unlike=True)
    moved = [
        dataclasses.replace(
            pair, gold=dataclasses.replace(pair.gold, sure=frozenset(), possible=pair.gold.sure)
        )
        for pair in pairs
    ]
    assert fitted("strict", pairs)["unlike"] != fitted("strict", moved)["unlike"]
    as_free = [dataclasses.replace(pair, style="free") for pair in moved]
    found = [dataclasses.replace(pair, style="free") for pair in pairs]
    assert fitted("free", as_free)["unlike"] == fitted("free", found)["unlike"]


def test_the_thresholds_are_those_of_the_best_f1_and_exact_match():
    pairs = made_up(lambda p: (p >= 0.45).astype(float))
    threshold, beside = choose_thresholds(pairs, "strict", STYLES["strict"])
    assert threshold == beside == 0.45


def test_thresholds_are_not_below_the_least_ones_of_the_style():
    pairs = made_up(lambda p: (p >= 0.2).astype(float))
    assert choose_thresholds(pairs, "strict", STYLES["strict"]) == FEW


def test_a_link_beside_another_needs_less():
    mean = np.array([[0.6, 0.3, 0.3], [0.1, 0.1, 0.1], [0.3, 0.1, 0.1]])
    assert links_at(mean, 0.5, 0.5) == {(0, 0)}
    assert links_at(mean, 0.5, 0.25) == {(0, 0), (0, 1), (0, 2)}


def test_a_pair_gets_the_style_that_gains_most():
    """Right links are those of a high posterior in pairs whose first input is high, else none."""
    low, high = made_up(lambda p: 0 * p, 80), made_up(lambda p: 1 + 0 * p, 80, seed=1)
    for pairs, value in ((low, 0.0), (high, 1.0)):
        for pair in pairs:
            pair.inputs[0] = value
    styles = [
        {"name": name, "links": "", "threshold": threshold}
        for name, threshold in (("strict", 1.0), ("free", 0.01))
    ]
    chosen = fit_choice([*low, *high], styles, STYLES)
    check_styles(chosen)
    for pairs, name in ((low, "strict"), (high, "free")):
        assert {chosen_style(pair, chosen)["name"] for pair in pairs} == {name}


def test_links_of_unrelated_pairs_are_losses():
    (pair,) = made_up(lambda p: p, 1, style="")
    styles = [{"name": "strict", "links": "", "threshold": each} for each in (0.2, 0.9, 1.0)]
    many, few, none = gains_of(pair, styles, STYLES)
    assert many < few < none == 0


def test_what_a_fold_is_judged_by_has_not_seen_it():
    pairs = [
        each
        for number, style in enumerate(STYLES)
        for each in made_up(lambda p: p**2, 100, style, unlike=True, seed=number)
    ]
    unrelated = made_up(lambda p: p, 20, style="", unlike=True)
    rows = list(judge([*pairs, *unrelated], STYLES))
    assert [row["style"] for row in rows] == [*STYLES, *(f"auto.{name}" for name in STYLES)]
    for row in rows[: len(STYLES)]:
        assert row["pairs"] == 100
        assert row["per_100_unrelated"] > row["confident_per_100_unrelated"]
        assert row["expected_error_unlike"] == row["expected_error"] < 0.08


@pytest.mark.parametrize(
    ("settings", "styles"),
    [(EN_SETTINGS, STYLES), (EN_RESEARCH_SETTINGS, RESEARCH_STYLES)],
    ids=["en", "en-research"],
)
def test_every_style_has_corpora_of_the_settings(settings, styles):
    assert list(dict.fromkeys(style for _, style in settings.styles)) == list(styles)


def test_a_piece_is_short_and_no_link_leaves_it(gold):
    rng = random.Random(1)
    annotated = annotate_gold(gold, load_annotator("native"), trees=False)
    pieces = [
        piece_of(dataclasses.replace(pair, source=source, target=target), rng)
        for pair, (source, target) in zip(gold, annotated, strict=True)
    ]
    found = [piece for piece in pieces if piece is not None]
    assert len(found) > len(gold) / 2
    for piece in found:
        assert len(piece.source) <= LONGEST
        assert all(i < len(piece.source) and j < len(piece.target) for i, j in piece.sure)


def test_models_of_folds_say_something_of_every_pair(gold):
    settings = TrainingSettings(
        feature_groups=("string", "pos"), max_iterations=2, styles=(("a", "x"), ("b", "y"))
    )
    unrelated = [
        dataclasses.replace(p, id=f"u{p.id}", target=q.target, sure=frozenset())
        for p, q in pairwise(gold[:6])
    ]
    again = dataclasses.replace(gold[0], id=f"{gold[0].id}-rewritten")
    data = TrainingData({"a": [*gold[:12], again], "b": gold[12:30]}, unrelated=unrelated)
    found = [pair for pair in held_out(data, settings) if not pair.is_piece]
    for style, pairs in (("x", gold[:12]), ("y", gold[12:30]), ("", unrelated)):
        own = {each.gold.id: each for each in found if each.style == style}
        assert own.keys() == {pair.id for pair in pairs}
        for pair in pairs:
            read = pair.in_reading_order()
            shape = len(read.source), len(read.target)
            assert {mean.shape for mean in own[pair.id].means.values()} == {shape}
            assert own[pair.id].impossible.any() == (not style)

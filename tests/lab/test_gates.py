"""The weights of gains in each style, and from which gain on a pair is read."""

from __future__ import annotations

import numpy as np
import pytest
from tokalign.decoding.cascade import Gate
from tokalign.files.tables import Table, write_table
from tokalign.model.file import load_model
from tokalign.model.shipped import model_path

from lab.recipes.gates import WEIGHTS, Doubted, shares_read, thresholds_of, weights_of


def _doubted(gains, tokens):
    return Doubted(np.array([gains]), [0] * len(gains), np.array(tokens), np.array(tokens))


def test_a_gain_counts_the_more_the_less_there_is_to_gain():
    parts = {
        "strict": _doubted([0.0, 0.08], [10, 10]),
        "edits": _doubted([0.01], [30]),
        "free": _doubted([0.4, 0.1], [10, 20]),
    }
    weights = dict(
        zip(
            ("strict", "paraphrase", "free", "edits"),
            weights_of(parts, ["strict", "paraphrase", "free", "edits"]),
            strict=True,
        )
    )
    known = [weights[style] for style in ("strict", "edits", "free")]
    assert known == pytest.approx([5.0, 10.0, 5**0.5])
    assert weights["paraphrase"] == pytest.approx(sum(known) / 3)


def test_thresholds_are_of_shares_of_the_work_on_an_even_mix():
    rng = np.random.default_rng(1)
    large, small = rng.random(1000), 2 + rng.random(50)
    long, short = rng.integers(30, 60, 1000), rng.integers(5, 10, 50)
    thresholds = thresholds_of([large[None], small[None]], [long, short])
    work = long.mean() + short.mean()
    for effort, threshold in zip(np.linspace(0, 1, len(thresholds)), thresholds, strict=True):
        read = (long * (large >= threshold)).mean() + (short * (small >= threshold)).mean()
        assert read / work == pytest.approx(effort, abs=0.01)


def test_thresholds_count_the_work_of_an_encoder_that_reads_before():
    rng = np.random.default_rng(1)
    tokens, works = rng.integers(5, 60, 3000), (0.2, 1.0)
    gains = rng.random((2, 3000))
    for effort, threshold in zip(
        np.linspace(0, 1, 41), thresholds_of([gains], [tokens], works), strict=True
    ):
        before = gains[0] >= threshold * works[0]
        done = tokens * (works[0] * before + (before & (gains[1] >= threshold)))
        assert done.sum() / tokens.sum() == pytest.approx(effort, abs=0.01)


def test_thresholds_are_of_shares_of_the_work_that_reading_all_in_full_is():
    rng = np.random.default_rng(1)
    gains, read = rng.random(2000), rng.integers(5, 30, 2000)
    thresholds = thresholds_of([gains[None]], [read], whole=[read * 2])
    for effort, threshold in zip(np.linspace(0, 1, len(thresholds)), thresholds, strict=True):
        done = (read * (gains >= threshold)).sum() / (2 * read).sum()
        assert done == pytest.approx(min(effort, 0.5), abs=0.01)


def test_every_style_that_neural_models_share_has_a_weight():
    styles = [style["name"] for style in load_model(model_path("en-neural")).header.styles]
    assert WEIGHTS.keys() >= set(styles)
    gate = Gate.open_shipped("encoder-en", styles)
    found = gate.weighed(np.ones(len(styles)), range(len(styles)))
    assert found.tolist() == pytest.approx([WEIGHTS[style] for style in styles])


def test_shares_that_efforts_read_are_of_gains_above_their_thresholds(tmp_path):
    path = tmp_path / "gates.table"
    arrays = {
        "styles": ["strict"],
        "weights": np.ones(1, np.float32),
        "encoder": np.array([1.0, 0.0], np.float32),
    }
    write_table(path, arrays, name="gates", version="1", license="", source="")
    gate = Gate(Table.open(path), "encoder", ["strict"])
    gains = np.array([0.2, 0.5, 0.95, 0.7])
    row = shares_read("x", gains[None], gate)
    assert (row["pairs of"], row["pairs"]) == ("x", 4)
    assert (row["0.05"], row["0.1"], row["0.4"], row["0.6"]) == (0.25, 0.25, 0.5, 0.75)
    before = np.array([0.01, 0.3, 0.3, 0.3])  # the first is not read by the encoder before
    row = shares_read("x", np.array([before, gains]), gate, (0.25, 1.0))
    assert (row["0.1"], row["0.4"], row["0.6"]) == (0.25, 0.5, 0.75)

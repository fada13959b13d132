"""The gates' inputs against their twin, on the way of a batch; and gates made by hand."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.gate import gate_inputs
from reference.pair import ReferencePair
from support.contrasts import SIDES
from support.sample import sample_pairs
from tokalign.aligner import Aligner
from tokalign.decoding.batch import GATE_INPUTS
from tokalign.decoding.cascade import FIRST, Gate
from tokalign.errors import ResourceError
from tokalign.features.feature_groups import Lexicons
from tokalign.files.tables import Table, write_table
from tokalign.types import AnnotatedPair
from tokalign.types.options import AlignOptions

ALIGNER = Aligner.load()
BACKEND = ALIGNER._engine.backend
STYLES = [style["name"] for style in ALIGNER.header.styles]
LEXICONS = Lexicons.for_groups(["wordnet", "vectors"])
PAIRS: list[AnnotatedPair] = [
    tuple(ALIGNER.annotate(list(pair)))
    for pair in [
        *((p.source.text, p.target.text) for p in sample_pairs()[:30]),
        *pairwise(SIDES[:20]),
        ("A", "?"), (".", "!"), ("Dogs bark .", "Dogs bark ."),
    ]
]  # fmt: skip


@settings(max_examples=60)
@given(st.sampled_from(PAIRS), st.sampled_from(STYLES))
def test_inputs_are_those_of_the_twin(pair, style):
    options = AlignOptions(style=style)
    posteriors = BACKEND.ask(
        (pair, None), options, lambda decoded: (decoded.s2t_posterior, decoded.t2s_posterior)
    )
    (alignment,) = BACKEND.align([(pair, None)], options)
    reference = ReferencePair(
        *pair, LEXICONS.wordnet, LEXICONS.vectors, None, frequencies=LEXICONS.frequencies
    )
    (row,) = BACKEND.gate_rows([pair], options, compares=False)
    expected = gate_inputs(reference, *posteriors, alignment, STYLES.index(style))
    assert dict(zip(GATE_INPUTS, row.tolist(), strict=True)) == pytest.approx(
        dict(zip(GATE_INPUTS, map(float, expected), strict=True)), rel=1e-4, abs=1e-5
    )


@pytest.mark.parametrize("options", [AlignOptions(), AlignOptions(min_confidence=0.9)])
def test_rows_do_not_depend_on_the_batch_and_the_confidence_asked_for(options):
    together = BACKEND.gate_rows(PAIRS * 3, options, compares=False)
    alone = [BACKEND.gate_rows([pair], AlignOptions(), compares=False)[0] for pair in PAIRS]
    np.testing.assert_array_equal(together, np.array(alone * 3))


def test_a_pair_that_fails_has_zeros():
    (good, other), bad = PAIRS[0], ALIGNER.annotate(["Dogs bark."])[0]
    bad = type(bad).from_tokens(bad.tokens)
    rows = BACKEND.gate_rows([(good, bad), (good, other)], AlignOptions(), compares=False)
    assert not rows[0].any()
    assert rows[1].any()


def test_pairs_that_are_compared_are_decided_in_the_first_style():
    rows = BACKEND.gate_rows(PAIRS, AlignOptions(), compares=True)
    assert not rows[:, GATE_INPUTS.index("style")].any()
    assert BACKEND.gate_rows(PAIRS, AlignOptions(), compares=False)[:, -1].any()


def _gate(tmp_path, **changes):
    """Return a gate that predicts 1.25 where doubt is above 0.5, else 0.25."""
    arrays = {
        "inputs": list(GATE_INPUTS),
        "own_root": np.array([0], np.int32),
        "own_input": np.array([GATE_INPUTS.index("doubt"), -1, -1], np.int16),
        "own_left": np.array([1, 0, 0], np.int32),
        "own_threshold": np.array([0.5, 0.0, 0.0], np.float32),
        "own_value": np.array([0.5, 0.0, 1.0], np.float32),
        "own_base": np.array([0.25], np.float32),
        "own_least": np.array([2.0, 1.0, 0.0], np.float32),
    }
    path = tmp_path / "gates.table"
    write_table(path, {**arrays, **changes}, name="gates", version="1", license="", source="")
    return Gate(Table.open(path), "own")


def test_a_gate_predicts_gains_and_says_from_which_on_a_pair_is_read(tmp_path):
    gate = _gate(tmp_path)
    rows = np.zeros((2, len(GATE_INPUTS)), np.float32)
    rows[1, GATE_INPUTS.index("doubt")] = 0.75
    assert gate.gains(rows).tolist() == [0.25, 1.25]
    assert [gate.threshold(effort) for effort in (0.0, 0.25, 0.5, 1.0)] == [2.0, 1.5, 1.0, 0.0]


@pytest.mark.parametrize(
    "changes",
    [
        {"inputs": ["doubt"]},
        {"own_least": np.array([0.0, 1.0], np.float32)},
        {"own_least": np.array([np.nan, 1.0], np.float32)},
        {"own_least": np.array([1.0], np.float32)},
        {"own_input": np.array([len(GATE_INPUTS), -1, -1], np.int16)},
    ],
)
def test_a_damaged_gate_is_refused(tmp_path, changes):
    with pytest.raises(ResourceError):
        _gate(tmp_path, **changes)


@pytest.mark.parametrize("encoder", FIRST)
def test_thresholds_that_ship_fall_with_the_effort(encoder):
    gate = Gate.open_shipped(encoder)
    found = [gate.threshold(effort) for effort in np.linspace(0, 1, 101)]
    assert found == sorted(found, reverse=True)
    assert found[0] > found[50] > found[100]

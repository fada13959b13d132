"""The second pass against its twin, on the way of a batch; with made-up words of the encoder."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import decisions, group_choice, second_pass
from reference.pair import ReferencePair
from support.contrasts import SIDES
from support.sample import sample_pairs
from tokalign.aligner import Aligner
from tokalign.batches.outcomes import unwrap
from tokalign.decoding.by_model import ModelBackend
from tokalign.decoding.link_decision import (
    CELL_INPUTS,
    GROUP_INPUTS,
    GROUPS,
    SECOND_PASS,
    Convention,
    SecondPass,
)
from tokalign.english.annotate.tags_and_relations import PENN_TAGS
from tokalign.errors import InputError, ResourceError
from tokalign.features.feature_groups import Lexicons
from tokalign.files.tables import Table, write_table
from tokalign.model import load_model
from tokalign.model.shipped import model_path
from tokalign.relations.related_units import Forest
from tokalign.types.constraints import Constraints
from tokalign.types.options import AlignOptions, Symmetrization

from lab.kernels.doors import cell_inputs_of

MODEL = load_model(model_path("en-neural"))
BACKEND = ModelBackend(MODEL, Lexicons.for_groups(MODEL.table.groups), encoded=True)
FREE = AlignOptions(style="free", phrases=True, posteriors=True)
STYLES = {style["name"]: style for style in MODEL.header.styles}
FOREST = Forest(Table.open_shipped(SECOND_PASS), MODEL.header.encoder, len(CELL_INPUTS), 1)
OF_GROUPS = Forest(
    Table.open_shipped(SECOND_PASS), MODEL.header.encoder + GROUPS, len(GROUP_INPUTS), 1
)
LEXICONS = Lexicons.for_groups(["wordnet", "vectors"])
ALIGNER = Aligner.load()
PAIRS = [
    tuple(ALIGNER.annotate(list(pair)))
    for pair in [
        *((p.source.text, p.target.text) for p in sample_pairs()[:25]),
        *pairwise(SIDES[:15]),
        ("A", "?"), (".", "!"), ("Dogs bark .", "Dogs bark ."),
    ]
]  # fmt: skip


def said(pair, seed):
    """Return what an encoder might say of a pair."""
    rng = np.random.default_rng(seed)

    def rows(n, n_labels):
        scores = 4 * rng.standard_normal((n, n_labels))
        scores -= np.log(np.exp(scores).sum(axis=1, keepdims=True))
        return scores.astype(np.float32)

    n_source, n_target = map(len, pair[:2])
    return rows(n_source, n_target + 1), rows(n_target, n_source + 1)


def aligned(pairs, options=FREE):
    return [unwrap(each) for each in BACKEND.align(pairs, options)]


def scores_of_groups(rows):
    return OF_GROUPS.scores(np.array(rows, dtype=np.float32))[:, 0]


def links(alignment):
    return [(link.source, link.target) for link in alignment.links]


seeds = st.integers(0, 1000)


@settings(max_examples=40)
@given(st.sampled_from(PAIRS), seeds)
def test_inputs_are_those_of_the_twin(pair, seed):
    encoded = said(pair, seed)
    s2t, t2s, (cells, rows) = BACKEND.ask(
        (pair, encoded),
        FREE,
        lambda decoded: (decoded.s2t_posterior, decoded.t2s_posterior, cell_inputs_of(decoded)),
    )
    reference = ReferencePair(
        *pair, LEXICONS.wordnet, LEXICONS.vectors, None, frequencies=LEXICONS.frequencies
    )
    tags = tuple([PENN_TAGS.index(tag) for tag in side.tags] for side in pair)
    assert [tuple(cell) for cell in cells.tolist()] == second_pass.likely_cells(s2t, t2s)
    for cell, row in zip(cells.tolist(), rows.tolist(), strict=True):
        expected = second_pass.cell_inputs(reference, s2t, t2s, encoded, tags, *cell)
        assert dict(zip(CELL_INPUTS, row, strict=True)) == pytest.approx(
            dict(zip(CELL_INPUTS, map(float, expected), strict=True)), rel=1e-4, abs=1e-4
        )


@settings(max_examples=40)
@given(st.sampled_from(PAIRS), seeds)
def test_links_are_those_of_what_the_trees_say(pair, seed):
    encoded = said(pair, seed)
    s2t, t2s, (cells, rows), found, unlike = BACKEND.ask(
        (pair, encoded),
        FREE,
        lambda decoded: (
            decoded.s2t_posterior, decoded.t2s_posterior, cell_inputs_of(decoded),
            decoded.link_posterior, decoded.unlike,
        ),
    )  # fmt: skip
    expected = second_pass.revised(s2t, t2s, cells, FOREST.scores(rows)[:, 0])
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    style = STYLES["free"]
    rows_of = np.pad(expected, ((0, 0), (1, 0))), np.pad(expected.T, ((0, 0), (1, 0)))
    by_cell = decisions.joint_links(*rows_of, style["threshold"], style["beside"])
    wanted = group_choice.chosen(found, frozenset((i, j) for i, j, _ in by_cell), scores_of_groups)
    (alignment,) = aligned([(pair, encoded)])
    assert links(alignment) == sorted(wanted)
    confidence = Convention(style).confidences(expected, unlike)
    np.testing.assert_allclose(alignment.posteriors, confidence, rtol=1e-5, atol=1e-7)
    for link in alignment.links:
        assert link.confidence == pytest.approx(confidence[link.source, link.target])


def test_the_second_pass_changes_links_and_posteriors_in_its_style_alone():
    pairs = [(pair, said(pair, 3)) for pair in PAIRS]
    for style in STYLES:
        changed = False
        for pair in pairs:
            found, s2t, t2s = BACKEND.ask(
                pair,
                AlignOptions(style=style),
                lambda each: (each.link_posterior, each.s2t_posterior, each.t2s_posterior),
            )
            changed |= not np.array_equal(found, second_pass.mean_of(s2t, t2s))
        assert changed == (style == "free")


def test_what_a_pair_gets_does_not_depend_on_its_batch():
    pairs = [(pair, said(pair, k)) for k, pair in enumerate(PAIRS)]
    options = AlignOptions(style="free", phrases=True)
    together = aligned([*pairs, *reversed(pairs)], options)
    alone = [aligned([pair], options)[0] for pair in pairs]
    for found, expected in zip(together, [*alone, *reversed(alone)], strict=True):
        assert found == expected


@settings(max_examples=40)
@given(st.sampled_from(PAIRS), seeds, st.data())
def test_constraints_hold(pair, seed, data):
    i, j, k = (data.draw(st.integers(0, len(pair[side]) - 1)) for side in (0, 1, 1))
    forbidden = [(i, k)] if k != j else []
    constraints = Constraints(anchors=[(i, j)], forbidden=forbidden)
    (alignment,) = aligned([((*pair, constraints), said(pair, seed))])
    found = {(link.source, link.target): link.confidence for link in alignment.links}
    assert found[i, j] == 1.0
    assert found.keys().isdisjoint(forbidden)


@settings(max_examples=40)
@given(st.sampled_from(PAIRS), seeds)
def test_a_phrase_has_the_confidence_of_its_least_likely_link(pair, seed):
    (alignment,) = aligned([(pair, said(pair, seed))])
    confidence = {(link.source, link.target): link.confidence for link in alignment.links}
    n_single = 0
    for phrase in alignment.phrases:
        cells = [
            (i, j)
            for i in range(phrase.source_start, phrase.source_end)
            for j in range(phrase.target_start, phrase.target_end)
        ]
        if len(cells) == 1:
            n_single += 1
            assert phrase.confidence == confidence[cells[0]]
    assert n_single or not any(
        phrase.source_end - phrase.source_start == 1 == phrase.target_end - phrase.target_start
        for phrase in alignment.phrases
    )


@pytest.mark.parametrize("symmetrization", list(Symmetrization))
def test_confidences_of_links_are_those_of_the_matrix(symmetrization):
    options = AlignOptions(style="free", posteriors=True, symmetrization=symmetrization)
    for k, pair in enumerate(PAIRS):
        (alignment,) = aligned([(pair, said(pair, k))], options)
        for link in alignment.links:
            expected = alignment.posteriors[link.source][link.target]
            assert link.confidence == pytest.approx(expected, rel=1e-5)


def test_a_pair_that_no_encoder_read_has_no_inputs():
    with pytest.raises(InputError, match="no encoder"):
        ALIGNER._engine.backend.ask((PAIRS[0], None), AlignOptions(), cell_inputs_of)


@pytest.mark.parametrize("encoder", ["encoder-en", "encoder-en-large"])
def test_every_encoder_that_ships_for_all_styles_has_one(encoder):
    SecondPass.open_shipped(encoder)


def _table(tmp_path, **changes):
    arrays = {
        "inputs": list(CELL_INPUTS),
        "group_inputs": list(GROUP_INPUTS),
    }
    for name in ("own", "own" + GROUPS):
        arrays |= {
            f"{name}_root": np.array([0], np.int32),
            f"{name}_input": np.array([0, -1, -1], np.int16),
            f"{name}_left": np.array([1, 0, 0], np.int32),
            f"{name}_threshold": np.zeros(3, np.float32),
            f"{name}_value": np.array([0.0, -1.0, 1.0], np.float32),
            f"{name}_base": np.zeros(1, np.float32),
        }
    path = tmp_path / "second-pass.table"
    write_table(path, {**arrays, **changes}, name=SECOND_PASS, version="1", license="", source="")
    return Table.open(path)


def test_a_whole_table_is_read(tmp_path):
    SecondPass(_table(tmp_path), "own")


@pytest.mark.parametrize(
    ("changes", "encoder"),
    [
        ({"inputs": ["mean"]}, "own"),
        ({"group_inputs": ["cells"]}, "own"),
        ({f"own{GROUPS}_input": np.array([len(GROUP_INPUTS), -1, -1], np.int16)}, "own"),
        ({"own_input": np.array([len(CELL_INPUTS), -1, -1], np.int16)}, "own"),
        ({"own_value": np.full(3, np.nan, np.float32)}, "own"),
        ({}, "another"),
    ],
)
def test_a_damaged_table_or_another_encoders_is_refused(tmp_path, changes, encoder):
    with pytest.raises(ResourceError):
        SecondPass(_table(tmp_path, **changes), encoder)

"""Inputs of units, and the trees that relate them, against their slow twins."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.pair import ReferencePair
from reference.units import Units, tree_scores
from support.contrasts import SIDES, TEXTS
from tokalign.aligner import Aligner
from tokalign.decoding.backend import in_reading_order
from tokalign.decoding.explain import unit_of
from tokalign.errors import InputError, ModelError, ResourceError
from tokalign.features.feature_groups import Lexicons
from tokalign.files.tables import Table, write_table
from tokalign.relations.related_units import UNIT_INPUTS, Forest, RelationModel
from tokalign.types import Sentence
from tokalign.types.options import AlignOptions
from tokalign.types.relations import RELATION_KINDS

ALIGNER = Aligner.load()
LEXICONS = Lexicons.for_groups(ALIGNER.header.feature_groups)
TABLE = Table.open_shipped("relations")
MODEL = RelationModel(TABLE)
IDENTICAL = Table.open_shipped("relations").array("identical", np.float32, (len(RELATION_KINDS),))


def units_of(source: Sentence, target: Sentence, options: AlignOptions) -> Units:
    pair = ReferencePair(
        source, target, LEXICONS.wordnet, LEXICONS.vectors, LEXICONS.paraphrases, has_rules=True
    )
    mean, covered = ALIGNER._engine.backend.ask(
        ((source, target), None), options, lambda each: (each.link_posterior, each.linked)
    )
    return Units(pair, mean, covered, LEXICONS.frequencies)


@st.composite
def parts(draw: st.DrawFn, n_tokens: int) -> tuple[int, ...]:
    chosen = draw(st.sets(st.integers(0, n_tokens - 1), min_size=1, max_size=4))
    return tuple(sorted(chosen))


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_inputs_are_those_of_the_twin(data):
    texts = data.draw(st.sampled_from(TEXTS) | st.tuples(*[st.sampled_from(SIDES)] * 2))
    source, target = ALIGNER.annotate(list(texts))
    if data.draw(st.booleans()):
        heads = [k - 1 for k in range(len(source))]
        source = source.replace(heads=heads, relations=["dep"] * len(source))
    unit = data.draw(parts(len(source))), data.draw(parts(len(target)))
    options = AlignOptions(style=data.draw(st.sampled_from(["strict", "free"])))
    (row,) = ALIGNER._engine.unit_inputs((source, target), [unit], options)
    expected = units_of(source, target, options).inputs(*unit)
    assert set(expected) <= set(UNIT_INPUTS)
    found = dict(zip(UNIT_INPUTS, row.tolist(), strict=True))
    assert found == pytest.approx(
        {name: float(expected.get(name, 0)) for name in UNIT_INPUTS}, abs=1e-5
    )


@pytest.mark.parametrize(
    ("name", "n_outputs"),
    [("kinds", len(RELATION_KINDS)), ("linked", 1), ("score", 1), ("boundary", 1)],
)
@settings(max_examples=10)
@given(st.data())
def test_scores_are_those_of_the_trees_one_by_one(name, n_outputs, data):
    forest = getattr(MODEL, name)
    values = st.floats(-2, 12, width=32) | st.sampled_from([0.5, np.nan])
    row = st.lists(values, min_size=forest.n_inputs, max_size=forest.n_inputs)
    rows = np.array(data.draw(st.lists(row, min_size=1, max_size=6)), dtype=np.float32)
    for own, found in zip(rows, forest.scores(rows), strict=True):
        expected = tree_scores(TABLE, name, own.tolist(), n_outputs)
        assert found.tolist() == expected
        for output in range(n_outputs):
            each = forest.contributions(own, output)
            assert each.sum() == pytest.approx(expected[output], abs=1e-4)


def test_a_tree_has_a_leaf_for_each_bit_at_most(tmp_path):
    for n_leaves in (1, 2, 32, 33):
        is_leaf = np.arange(2 * n_leaves - 1) % 2 == 1  # and the last one
        is_leaf[-1] = True
        arrays = {
            "x_root": np.zeros(1, np.int32),
            "x_input": np.where(is_leaf, -1, 0).astype(np.int16),
            "x_left": np.where(is_leaf, 0, np.arange(len(is_leaf)) + 1).astype(np.int32),
            "x_threshold": (np.arange(len(is_leaf)) // 2).astype(np.float32),
            "x_value": (np.arange(len(is_leaf)) // 2).astype(np.float32),
            "x_base": np.zeros(1, np.float32),
        }
        path = tmp_path / f"{n_leaves}.table"
        write_table(path, arrays, name="x", version="1", license="", source="")
        if n_leaves > 32:
            with pytest.raises(ResourceError, match="over 32 leaves"):
                Forest(Table.open(path), "x", 1, 1)
            continue
        rows = np.array([[0], [0.5], [99]], np.float32)
        scores = Forest(Table.open(path), "x", 1, 1).scores(rows)
        assert scores[:, 0].tolist() == [0, min(1, n_leaves - 1), n_leaves - 1]


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(TEXTS), st.sampled_from(["strict", "free"]))
def test_links_that_share_tokens_have_the_relation_of_all_their_tokens(texts, style):
    options = AlignOptions(style=style, relations=True)
    sides = ALIGNER.annotate(texts)
    alignment = ALIGNER.align(*in_reading_order((sides[0], sides[1])), options)
    links = [(link.source, link.target) for link in alignment.links]
    units = [unit_of(links, i, j) for i, j in links]
    pair = alignment.source, alignment.target
    rows = ALIGNER._engine.unit_inputs(pair, units, options)
    classes = ReferencePair(*pair, LEXICONS.wordnet, LEXICONS.vectors, None).classes
    for link, cell, unit, row in zip(alignment.links, links, units, rows, strict=True):
        assert link.relation is not None
        assert math.fsum(link.relation.probabilities) == pytest.approx(1, abs=1e-5)
        is_single = len(unit[0]) == len(unit[1]) == 1
        if (
            is_single
            and classes[cell] in ("identical", "canonical", "lemma")
            and not row[UNIT_INPUTS.index("other-value")]
        ):
            expected = IDENTICAL
        else:
            expected = MODEL.probabilities(row[None])[0]
        assert link.relation.probabilities == pytest.approx(expected, abs=1e-5)


def test_units_out_of_range_are_refused():
    pair = tuple(ALIGNER.annotate(["A dog barks.", "Dogs bark."]))
    for unit in (((), (0,)), ((0,), ()), ((5,), (0,)), ((1, 0), (0,)), ((0,), (-1,))):
        with pytest.raises(InputError, match="rising indices"):
            ALIGNER._engine.unit_inputs(pair, [unit], AlignOptions())


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("kinds_left", lambda a: np.zeros_like(a)),
        ("kinds_left", lambda a: np.where(a > 0, len(a) - 1, a)),
        ("kinds_root", lambda a: np.full_like(a, -1)),
        ("kinds_root", lambda a: a[:-1]),
        ("kinds_input", lambda a: np.where(a >= 0, len(UNIT_INPUTS), a)),
        ("kinds_value", lambda a: np.full_like(a, np.nan)),
        ("kinds_threshold", lambda a: a[:-1]),
        ("inputs", lambda a: ["x"]),
    ],
)
def test_damaged_trees_are_refused(tmp_path, name, change):
    names = TABLE.header["arrays"]
    arrays = {each: TABLE.strings(each) if each == "inputs" else TABLE[each] for each in names}
    arrays[name] = change(arrays[name])
    write_table(
        tmp_path / "relations.table",
        arrays,
        name="relations",
        version="1.0.0",
        license="",
        source="",
        meta=TABLE.header["meta"],
    )
    with pytest.raises(ResourceError):
        RelationModel(Table.open(tmp_path / "relations.table"))


@pytest.mark.parametrize("kinds", [None, [], RELATION_KINDS[::-1], [*RELATION_KINDS, "part"]])
def test_a_table_of_other_kinds_is_refused(tmp_path, kinds):
    path = tmp_path / "relations.table"
    arrays = {each: TABLE[each] for each in TABLE.header["arrays"]}
    meta = {} if kinds is None else {"kinds": list(kinds)}
    write_table(path, arrays, name="relations", version="1", license="", source="", meta=meta)
    with pytest.raises(ModelError, match="made for the kinds of relations"):
        RelationModel(Table.open(path))


def test_one_kind_more_in_the_library_than_in_its_table_is_refused(monkeypatch):
    monkeypatch.setattr(
        "tokalign.relations.related_units.RELATION_KINDS", (*RELATION_KINDS, "part")
    )
    with pytest.raises(ModelError, match=r"wanted same, .*, part, and 7 in the compiled kernels"):
        RelationModel(TABLE)

"""The table of feature templates, and the names of its slots."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokalign.errors import ModelError
from tokalign.features._templates import Template
from tokalign.features.table import GROUP_NAMES, ROWS, FeatureTable

TABLE = FeatureTable(GROUP_NAMES)


def test_every_template_has_one_row_in_order() -> None:
    assert [row.template for row in ROWS] == [one for one in Template if one.name != "N_TEMPLATES"]
    assert len(ROWS) == Template.N_TEMPLATES


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.template.name.lower())
def test_rows_are_complete_and_their_labels_unambiguous(row) -> None:
    assert row.group in GROUP_NAMES
    assert row.range
    assert row.source
    assert row.meaning
    for axis in row.axes:
        assert len(set(axis)) == len(axis)
        assert all(label and not any(map(str.isspace, label)) for label in axis)


def test_slots_are_numbered_without_gaps() -> None:
    starts = [int(TABLE.base[row.template]) for row in ROWS]
    sizes = [row.size for row in ROWS]
    assert starts == [0, *np.cumsum(sizes)[:-1].tolist()]
    assert sum(sizes) == TABLE.n_slots


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.template.name.lower())
def test_names_lead_back_to_their_slots(row) -> None:
    base = int(TABLE.base[row.template])
    offsets = {0, row.size - 1, *random.Random(0).sample(range(row.size), min(row.size, 50))}
    names = {TABLE.name(base + offset): base + offset for offset in offsets}
    assert len(names) == len(offsets)
    for name, slot in names.items():
        assert name.startswith(f"{row.template.name.lower()}[")
        assert TABLE.slot(name) == slot


@given(st.sets(st.sampled_from(GROUP_NAMES), min_size=1), st.data())
def test_names_do_not_depend_on_the_groups(groups: set[str], data: st.DataObject) -> None:
    table = FeatureTable(sorted(groups, reverse=True))
    assert table.groups == tuple(name for name in GROUP_NAMES if name in groups)
    slot = data.draw(st.integers(0, table.n_slots - 1))
    name = table.name(slot)
    assert table.slot(name) == slot
    assert TABLE.name(TABLE.slot(name)) == name


def test_a_group_that_is_off_has_no_slots() -> None:
    table = FeatureTable(["string"])
    for row in ROWS:
        assert (table.base[row.template] >= 0) == (row.group == "string")
    with pytest.raises(ModelError, match=r"no feature 'null_bias\[bias\]' among the groups string"):
        table.slot("null_bias[bias]")


@pytest.mark.parametrize(
    "name",
    ["", "nonsense", "string[]", "string[nonsense]", "string[prefix suffix]", "tag_pair[NN]",
     "position", "STRING[prefix]"],
)  # fmt: skip
def test_an_unknown_name_is_refused(name: str) -> None:
    with pytest.raises(ModelError, match="no feature"):
        TABLE.slot(name)


def test_an_unknown_group_is_refused() -> None:
    with pytest.raises(
        ModelError, match=r"unknown feature groups \['nonsense'\]; this version knows"
    ):
        FeatureTable(["string", "nonsense"])


@pytest.mark.parametrize("slot", [-1, TABLE.n_slots])
def test_a_slot_outside_the_table_has_no_name(slot: int) -> None:
    with pytest.raises(IndexError, match="slot"):
        TABLE.name(slot)

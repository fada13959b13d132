"""The table of feature templates, and the names of its slots."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokalign.errors import ModelError
from tokalign.features.lexicons import needed_resources
from tokalign.features.table import GROUP_NAMES, FeatureTable, needs_trees
from tokalign.features.templates import TEMPLATES

TABLE = FeatureTable(GROUP_NAMES)


by_template = pytest.mark.parametrize(
    ("number", "template"), list(enumerate(TEMPLATES)), ids=[each.name for each in TEMPLATES]
)


def test_no_two_templates_share_a_name() -> None:
    assert len({template.name for template in TEMPLATES}) == len(TEMPLATES)


@by_template
def test_templates_are_complete_and_their_labels_unambiguous(number, template) -> None:
    assert template.group in GROUP_NAMES
    assert template.range
    assert template.source
    assert template.meaning
    for axis in template.axes:
        assert len(set(axis.labels)) == len(axis.labels)
        assert all(label and not any(map(str.isspace, label)) for label in axis.labels)
        assert sorted(axis.edges) == list(axis.edges)


def test_slots_are_numbered_without_gaps() -> None:
    sizes = [template.size for template in TEMPLATES]
    assert TABLE.base.tolist() == [0, *np.cumsum(sizes)[:-1].tolist()]
    assert sum(sizes) == TABLE.n_slots


@by_template
def test_names_lead_back_to_their_slots(number, template) -> None:
    base = int(TABLE.base[number])
    offsets = {
        0,
        template.size - 1,
        *random.Random(0).sample(range(template.size), min(template.size, 50)),
    }
    names = {TABLE.name(base + offset): base + offset for offset in offsets}
    assert len(names) == len(offsets)
    for name, slot in names.items():
        assert name.startswith(f"{template.name}[")
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
    for number, template in enumerate(TEMPLATES):
        assert (table.base[number] >= 0) == (template.group == "string")
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


def test_single_templates_of_groups_can_be_chosen() -> None:
    table = FeatureTable(["wordnet", "position/edges", "null/null_bias", "wordnet/wordnet"])
    assert table.groups == ("position/edges", "wordnet", "null/null_bias")
    on = {TEMPLATES[k].name for k, base in enumerate(table.base.tolist()) if base >= 0}
    assert on == {"edges", "wordnet", "null_bias"}
    assert FeatureTable(table.groups).n_slots == table.n_slots
    for unknown in ("position/null_bias", "position/", "/edges", "edges"):
        with pytest.raises(ModelError, match="unknown feature groups"):
            FeatureTable([unknown])


def test_a_template_needs_what_its_group_needs() -> None:
    assert needs_trees(["string", "dependency/head"])
    assert not needs_trees(["string", "position/edges"])
    assert needed_resources(["vectors/nearest", "pos"]) == ("wordnet", "vectors")


def test_an_unknown_group_is_refused() -> None:
    with pytest.raises(
        ModelError, match=r"unknown feature groups \['nonsense'\]; this version knows"
    ):
        FeatureTable(["string", "nonsense"])


@pytest.mark.parametrize("slot", [-1, TABLE.n_slots])
def test_a_slot_outside_the_table_has_no_name(slot: int) -> None:
    with pytest.raises(IndexError, match="slot"):
        TABLE.name(slot)

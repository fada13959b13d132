"""The table of feature templates, and the names of its slots."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokalign.errors import ModelError
from tokalign.features.feature_groups import (
    GROUP_NAMES,
    FeatureTable,
    needed_resources,
    needs_trees,
)
from tokalign.features.templates import TEMPLATES

TABLE = FeatureTable(GROUP_NAMES)


def test_no_two_templates_share_a_name() -> None:
    assert len({template.name for template in TEMPLATES}) == len(TEMPLATES)


def test_templates_belong_to_a_group_and_are_described() -> None:
    wrong = [
        template.name
        for template in TEMPLATES
        if template.group not in GROUP_NAMES
        or not (template.range and template.source and template.meaning)
    ]
    assert wrong == []


def test_labels_of_an_axis_differ_and_its_edges_rise() -> None:
    wrong = [
        (template.name, axis)
        for template in TEMPLATES
        for axis in template.axes
        if len(set(axis.labels)) < len(axis.labels)
        or not all(label and not any(map(str.isspace, label)) for label in axis.labels)
        or sorted(axis.edges) != list(axis.edges)
    ]
    assert wrong == []


def test_slots_are_numbered_without_gaps() -> None:
    sizes = [template.size for template in TEMPLATES]
    assert TABLE.base.tolist() == [0, *np.cumsum(sizes)[:-1].tolist()]
    assert sum(sizes) == TABLE.n_slots


def test_names_lead_back_to_their_slots() -> None:
    lost = []
    for template, base in zip(TEMPLATES, TABLE.base.tolist(), strict=True):
        some = random.Random(0).sample(range(template.size), min(template.size, 50))
        for slot in {base, base + template.size - 1, *(base + offset for offset in some)}:
            name = TABLE.name(slot)
            if not name.startswith(f"{template.name}[") or TABLE.slot(name) != slot:
                lost.append((slot, name))
    assert lost == []


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

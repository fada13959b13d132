"""Tables and JSON in passages, and shortlists of passages."""

import json

import pytest
from tokalign.aligner import Aligner
from tokalign.grounding.records import blocks_of
from tokalign.grounding.sources import MOST_PASSAGES

TABLES = {
    "markdown": "So it is.\n\n| City | People |\n| --- | --: |\n| Ulm | 128 |\n| Graz | 303 |"
    "\n\nEnd.",
    "html": "So it is.\n\n<table><tr><th>City<th>People</tr><tr><td>Ulm</td><td>128</td></tr>"
    "<tr><td>Graz</td><td>303</td></tr></table> End.",
    "tabs": "So it is.\n\nCity\tPeople\nUlm\t128\nGraz\t303\n\nEnd.",
}
OBJECTS = [
    {"city": "Ulm", "people": 128},
    {"city": "Graz", "people": 303, "mayor": {"name": "Ann"}},
]


@pytest.fixture(scope="module")
def aligner():
    return Aligner()


@pytest.mark.parametrize("kind", TABLES)
def test_a_cell_is_read_with_the_names_of_its_row_and_column(kind):
    text = TABLES[kind]
    read = [each.text for each in blocks_of(text, "text")]
    assert read[0] == "So it is." and read[-1] == "End."
    assert read[-3:-1] == ["City Ulm, People 128", "City Graz, People 303"]


@pytest.mark.parametrize("indent", [None, 2])
def test_a_value_of_json_is_read_with_its_key_and_what_it_is_part_of(indent):
    blocks = blocks_of(json.dumps(OBJECTS, indent=indent), "text")
    assert [each.text for each in blocks] == [
        "city Ulm, people 128", "city Graz, people 303", "Graz, mayor, name Ann",
    ]  # fmt: skip


def test_objects_on_lines_are_json():
    text = "\n".join(map(json.dumps, OBJECTS))
    assert [each.text for each in blocks_of(text, "text")] == [
        each.text for each in blocks_of(json.dumps(OBJECTS), "text")
    ]


PHONE = {"name": "Aqua", "colours": ["red", "black"], "weight": {"value": 180, "unit": "g"}}


def test_a_label_is_read_once_and_none_between_a_number_and_its_unit():
    assert [each.text for each in blocks_of(json.dumps(PHONE), "text")] == [
        "name Aqua", "Aqua, colours red, black", "Aqua, weight, value 180 g",
    ]  # fmt: skip
    table = "| Item | Amount | Unit |\n| --- | --- | --- |\n| Flour | 5 | kg |\n| Salt | some | g |"
    assert [each.text for each in blocks_of(table, "text")][1:] == [
        "Item Flour, Amount 5 kg", "Item Salt, Amount some, Unit g",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "has_support", "conflicts"),
    [
        ("The Aqua weighs 180 g.", True, []),
        ("The Aqua weighs 200 g.", False, ["200 g"]),
        ("The colours of the Aqua are red and black.", True, []),
    ],
)
def test_values_of_json_are_supported_and_disputed(aligner, answer, has_support, conflicts):
    (sentence,) = aligner.ground(answer, [json.dumps(PHONE)]).sentences
    assert (not sentence.unsupported) is has_support
    assert [answer[each.start : each.end] for each in sentence.conflicts] == conflicts


def test_long_texts_in_json_are_read_as_text():
    body = "The old mill was built by the river in 1894. " * 3
    blocks = blocks_of(json.dumps({"title": "Mill", "body": body}), "text")
    assert [each.text for each in blocks] == ["title Mill", *[body[:44]] * 3]


def test_every_code_point_has_its_place():
    text = json.dumps({"a": 'caf\u00e9 "x"', "b": "\U0001f600 so"})
    (block,) = blocks_of(text, "text")
    assert block.text == 'a caf\u00e9 "x", b \U0001f600 so'
    for start, end, wanted in (
        (2, 6, "caf\\u00e9"),
        (7, 10, '\\"x\\"'),
        (14, 15, "\\ud83d\\ude00"),
    ):
        assert text[slice(*block.range_of(start, end))] == wanted


@pytest.mark.parametrize(
    "text",
    [
        "So | it is.\nNo | rule here.",
        "{not json}",
        "a, b, and c.\nIt is.",
        "\tindented\n\tcode\n\tis",
    ],
)
def test_other_text_has_sentences(text):
    assert all(each.places is None for each in blocks_of(text, "text"))


LICENCE = (
    "You may not:\n\n(a) rent the software;\n(b) remove any notice; or\n\n(c) do any of these:\n"
    "    - sell it\n\nWe support:\n\n1. Linux. It is free.\n2. macOS\n\nThe end is near."
)


def test_an_item_of_a_list_is_read_behind_what_leads_to_the_list():
    blocks = blocks_of(LICENCE, "text")
    assert [each.text for each in blocks] == [
        "You may not:", "You may not rent the software;", "You may not remove any notice; or",
        "You may not do any of these:", "- sell it", "We support:", "We support Linux.",
        "It is free.", "We support macOS", "The end is near.",
    ]  # fmt: skip
    for block in blocks:
        places = [block.range_of(k, k + 1)[0] for k in range(len(block.text))]
        assert all(
            LICENCE[at] == letter or letter == " "
            for at, letter in zip(places, block.text, strict=True)
        )
        assert LICENCE[block.start : block.end][-4:] == block.text[-4:]


@pytest.mark.parametrize(
    "text",
    [
        "It is so:\nRain fell.\n- one\n- two",  # a sentence before the items
        "1. Scope:\n\nIt is so.\n\n2. Terms",  # a heading of a section
        "It holds:\n- one\n\nSo be it.\n\n- two",  # a new list
        f"{'so ' * 20}it is:\n\n- one",  # too long
        "added: v1.2\nchanges:\n  - one",  # no sentence
        "Note: - one",
    ],
)
def test_what_is_no_item_of_a_led_list_is_read_alone(text):
    assert not blocks_of(text, "text")[-1].is_led


@pytest.mark.parametrize(
    ("answer", "conflicts"),
    [
        ("You may not rent the software.", []),
        ("You may rent the software.", ["rent"]),
        ("Removing notices is forbidden.", []),
        ("You may remove any notice.", ["remove"]),
        ("We do not support Linux.", ["not support"]),
        ("We support macOS.", []),
        ("We support Solaris.", []),  # a list has several names
    ],
)
@pytest.mark.parametrize("before", ["", "| A | B |\n| --- | --- |\n| 1 | 2 |\n\n"])
def test_a_lead_counts_for_its_items(aligner, answer, conflicts, before):
    found = aligner.ground(answer, [before + LICENCE])
    (sentence,) = found.sentences
    assert [answer[each.start : each.end] for each in sentence.conflicts] == conflicts
    for each in sentence.conflicts:
        item = sentence.citations[0]
        assert item.start <= each.passage_start < each.passage_end <= item.end
    assert str(found) and found.to_html()


def test_an_answer_over_a_table_cites_its_row(aligner):
    text = TABLES["markdown"]
    right = aligner.ground("Graz has 303 people.", [text]).sentences[0]
    wrong = aligner.ground("Graz has 304 people.", [text]).sentences[0]
    best = right.citations[0]
    assert text[best.start : best.end] == "Graz | 303"
    assert {text[each.start : each.end] for each in best.links} >= {"Graz", "303", "People"}
    assert not right.unsupported
    assert [span.start for span in wrong.unsupported] == [9]


def test_all_renderers_take_evidence_from_a_table(aligner):
    found = aligner.ground("Graz has 304 people.", [TABLES["html"]])
    assert "303" in found.to_html() and "304" in str(found)


def test_of_many_passages_those_count_that_share_most(aligner):
    answer = "The old mill has 45 rooms."
    others = ["The old mill has doors."] * (MOST_PASSAGES + 20)
    found = aligner.ground(answer, [*others, "The old mill has 45 rooms."]).sentences[0]
    assert found.citations[0].passage == str(len(others))
    assert not found.unsupported

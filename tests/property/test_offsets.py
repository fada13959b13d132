"""Offsets in another unit cut the tokens out of the text as another language holds it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.messages import sentences
from tokalign.types.options import OffsetUnit
from tokalign.types.sentence import in_unit, positions

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
ENCODINGS = {
    OffsetUnit.CODE_POINTS: ("utf-32-le", 4),
    OffsetUnit.UTF8_BYTES: ("utf-8", 1),
    OffsetUnit.UTF16_UNITS: ("utf-16-le", 2),
}
"""How a text is held that is indexed by a unit, and the unit's bytes."""


@pytest.mark.parametrize("unit", OffsetUnit)
@given(text=TEXTS)
def test_positions_are_the_lengths_of_what_comes_before(unit, text):
    encoding, width = ENCODINGS[unit]
    ends = range(len(text) + 1)
    assert list(positions(text, unit)) == [len(text[:n].encode(encoding)) // width for n in ends]


@pytest.mark.parametrize("unit", OffsetUnit)
@given(sentence=sentences())
def test_offsets_cut_out_the_same_tokens(unit, sentence):
    encoding, width = ENCODINGS[unit]
    held = sentence.text.encode(encoding)
    converted = in_unit(sentence, unit)
    assert tuple(
        held[start * width : end * width].decode(encoding)
        for start, end in zip(converted.starts, converted.ends, strict=True)
    ) == tuple(map(slice_of(sentence.text), sentence.starts, sentence.ends))


def slice_of(text):
    return lambda start, end: text[start:end]


def test_what_lies_beyond_the_basic_plane_has_four_bytes_and_two_units():
    assert positions("a\u00e9\u20ac\U0001f600b", OffsetUnit.UTF8_BYTES) == [0, 1, 3, 6, 10, 11]
    assert positions("a\u00e9\u20ac\U0001f600b", OffsetUnit.UTF16_UNITS) == [0, 1, 2, 3, 5, 6]

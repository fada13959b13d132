"""No error quotes more than a little of its input, however long that is."""

from __future__ import annotations

import json

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from tokalign.cli.lines.pair_lines import read_lines
from tokalign.errors import InputError, quoted
from tokalign.formats import FORMATS, Document, Options, recognise
from tokalign.types import GoldPair, Sentence
from tokalign.types.options import AlignOptions

# Shrinking takes minutes here, and the messages say enough.
unshrunk = settings(phases=(Phase.explicit, Phase.reuse, Phase.generate))

LONGEST = 400
"""Characters of a message; it may quote several things, at most 64 characters of each."""

LONG = st.sampled_from(
    [
        "x" * 5000,
        "9" * 5000,
        "-" * 5000,
        "1-2" * 2000,
        "[" * 5000,
        '["' + "a" * 5000 + '"]',
        "{" * 5000,
        "\N{SUPERSCRIPT TWO}",
        "\u2028" * 3000,
        "\U0001f600" * 3000,
        "\t" * 5000,
        "\\u0000" * 1000,
        '"' * 3000,
        json.dumps([["y" * 3000] * 100] * 10),
    ]
)
PAIR = GoldPair(
    "7",
    Sentence.from_tokens(
        ("Dogs", "bark"), text="Dogs bark", tags=("NNS", "VBP"), heads=(1, -1), relations=("a", "b")
    ),
    Sentence.from_tokens(("Dogs", "do", "bark"), text="Dogs do bark"),
    frozenset({(0, 0)}),
    frozenset({(1, 2)}),
)


@st.composite
def damaged(draw, text):
    start = draw(st.integers(0, len(text)))
    stop = draw(st.integers(start, min(len(text), start + 8)))
    return text[:start] + draw(LONG) + text[stop:]


def document_of(text):
    return Document("a.txt", enumerate(text.split("\n"), 1))


def message_of(function, *args):
    """Return what an InputError says, empty where there is none; no other error is allowed."""
    try:
        function(*args)
    except InputError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", FORMATS)
@unshrunk
@given(data=st.data())
def test_a_damaged_file(name, data, tmp_path_factory):
    text = tmp_path_factory.getbasetemp() / "pairs.tsv"
    text.write_text("Dogs bark\tDogs do bark\n")
    chosen, options = FORMATS[name], Options(text=(text,) if FORMATS[name].needs_text else ())
    good = "".join(chosen.write([PAIR], Options()))

    bad = data.draw(damaged(good))

    assert len(message_of(lambda: list(chosen.read(document_of(bad), options)))) <= LONGEST
    assert len(message_of(recognise, document_of(bad))) <= LONGEST


@unshrunk
@given(
    damaged('{"id": "1", "source": ["Dogs"], "target": {"text": "Dogs", "heads": [-1]}}')
    | damaged("Dogs bark\tDogs do bark")
)
def test_a_damaged_line_of_the_command(line):
    items = list(read_lines([line.encode(errors="replace")], is_tokenized=False))

    assert all(len(item.error) <= LONGEST for item in items)


@unshrunk
@given(LONG, st.sampled_from(["tokens", "text", "tags", "heads", "relations"]))
def test_a_damaged_sentence(long, column):
    values = {"tokens": ("Dogs", "bark"), "text": "Dogs bark", "tags": ("A", "B")}
    values[column] = long if column == "text" else (long, long)
    if column == "heads":
        values[column] = (10**4000, -1)

    assert len(message_of(lambda: Sentence.from_tokens(values.pop("tokens"), **values))) <= LONGEST


@unshrunk
@given(LONG)
def test_damaged_options(long):
    assert len(message_of(lambda: AlignOptions(symmetrization=long))) <= LONGEST


@unshrunk
@given(st.recursive(st.text() | st.integers() | st.binary() | LONG, st.lists))
def test_what_is_quoted(value):
    assert len(quoted(value)) <= 64
    if len(repr(value)) <= 30 and not isinstance(value, list):
        assert quoted(value) == repr(value)

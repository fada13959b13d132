"""Every format reads back what it wrote."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokalign.errors import FormatError
from tokalign.formats import FORMATS, Document, Options, recognise
from tokalign.types import GoldPair, Sentence

# Printable and unprintable alike, but no white space that splits tokens and no surrogates.
CHARACTERS = st.characters(
    exclude_categories=("Cs",), exclude_characters=" \t\r\n\f\v\x1c\x1d\x1e\x1f\x85"
)
TOKENS = st.lists(st.text(CHARACTERS, min_size=1, max_size=5), min_size=1, max_size=6)
LABELS = st.sampled_from(["NN", "VBZ", ".", "``", "nsubj"])


@st.composite
def sentences(draw, *, is_annotated=False):
    tokens = draw(TOKENS)
    if not is_annotated:
        return Sentence.from_tokens(tokens)
    n_tokens = len(tokens)
    spaces = draw(st.lists(st.sampled_from(["", " ", "  "]), min_size=n_tokens, max_size=n_tokens))
    column = st.none() | st.lists(LABELS, min_size=n_tokens, max_size=n_tokens)
    heads = relations = None
    if draw(st.booleans()):
        heads = [draw(st.integers(-1, index - 1)) for index in range(n_tokens)]
        relations = draw(st.lists(LABELS, min_size=n_tokens, max_size=n_tokens))
    return Sentence.from_tokens(
        tokens,
        text="".join(token + space for token, space in zip(tokens, spaces, strict=True)),
        tags=draw(column),
        lemmas=draw(column),
        heads=heads,
        relations=relations,
    )


@st.composite
def gold_pairs(draw, *, is_annotated=False):
    pairs = []
    for number in range(1, draw(st.integers(1, 4)) + 1):
        source = draw(sentences(is_annotated=is_annotated))
        target = draw(sentences(is_annotated=is_annotated))
        link = st.tuples(
            st.integers(0, len(source.tokens) - 1), st.integers(0, len(target.tokens) - 1)
        )
        sure = draw(st.frozensets(link, max_size=6))
        possible = draw(st.frozensets(link, max_size=6)) - sure
        pairs.append(GoldPair(str(number), source, target, sure, possible))
    return pairs


def document_of(text: str) -> Document:
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return Document("memory", iter(list(enumerate(lines, 1))))


def round_trip(name: str, pairs: list[GoldPair], options: Options) -> list[GoldPair]:
    return list(
        FORMATS[name].read(document_of("".join(FORMATS[name].write(pairs, options))), options)
    )


@pytest.mark.parametrize("name", ["msr", "jacana", "mwa"])
@given(pairs=gold_pairs())
def test_white_space_formats_read_what_they_wrote(name, pairs):
    assert round_trip(name, pairs, Options()) == pairs


@given(pairs=gold_pairs(), one_based=st.booleans(), reverse=st.booleans())
def test_parallel_reads_what_it_wrote_or_refuses_the_separator(pairs, one_based, reverse):
    options = Options(one_based=one_based, reverse=reverse)
    if any("|||" in token for p in pairs for s in (p.source, p.target) for token in s.tokens):
        with pytest.raises(FormatError, match=r"\|\|\|"):
            round_trip("parallel", pairs, options)
    else:
        assert round_trip("parallel", pairs, options) == pairs


@given(pairs=gold_pairs(), reverse=st.booleans())
def test_links_are_read_as_they_were_written_beside_the_text(tmp_path_factory, pairs, reverse):
    folder = tmp_path_factory.mktemp("parallel")
    for side in ("source", "target"):
        lines = [" ".join(getattr(pair, side).tokens) + "\n" for pair in pairs]
        (folder / side).write_text("".join(lines), encoding="utf-8", newline="\n")
    options = Options(text=(folder / "source", folder / "target"), reverse=reverse)
    assert round_trip("pharaoh", pairs, options) == pairs


@given(pairs=gold_pairs(is_annotated=True))
def test_jsonl_keeps_everything(pairs):
    assert round_trip("jsonl", pairs, Options()) == pairs


@given(pairs=gold_pairs(is_annotated=True))
def test_conllu_keeps_everything(pairs):
    assert round_trip("conllu", pairs, Options()) == pairs


@pytest.mark.parametrize("name", ["msr", "jacana", "mwa", "jsonl", "conllu", "parallel"])
@given(pairs=gold_pairs())
def test_a_written_file_is_recognised(name, pairs):
    plain = Sentence.from_tokens(["plain", "words"])
    pairs = [
        dataclasses.replace(
            pairs[0], source=plain, target=plain, sure=frozenset(), possible=frozenset()
        )
    ]
    text = "".join(FORMATS[name].write(pairs, Options()))
    assert recognise(document_of(text))[1].name == name

"""Columns of support against their slow twin, and answers that grow."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from reference.pair import ReferencePair
from reference.support import candidates, support_columns
from reference.units import Units
from support.contrasts import SIDES, TEXTS
from tokalign.aligner import Aligner
from tokalign.decoding.backend import Extras, TurnedPair
from tokalign.decoding.evidence import COLUMNS
from tokalign.features.feature_groups import Lexicons
from tokalign.grounding.sources import Sources
from tokalign.texts.split_text import GrowingText, sentences_of
from tokalign.types.options import AlignOptions

ALIGNER = Aligner.load()
LEXICONS = Lexicons.for_groups(ALIGNER.header.feature_groups)
SUPPORT = Extras(supports=True)
STYLE = ALIGNER.header.styles[0]["name"]
BITS = (
    "Dr. Wu came. ", "It was 3 p.m. on", "\n- item", "\n# Head\n", "1.", "\n2. two", " Go!",
    ' "Yes." ', "\r", "\n", "\n\n", " U.S. ", "The", "a. b", "...", "😀 :-) ", "\n1. ", "```",
)  # fmt: skip
PASSAGES = ["Dr. Wu came at noon on Monday.", "It was late. The two of them left for the U.S."]


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(TEXTS) | st.tuples(*[st.sampled_from(SIDES)] * 2), st.booleans(), st.booleans()
)
@example(("They had talks.", "He said so."), False, True)  # one entails the other
def test_columns_are_those_of_the_twin(texts, has_heads, is_turned):
    source, target = ALIGNER.annotate(list(texts))
    if has_heads:
        heads = [k - 1 for k in range(len(target))]
        target = target.replace(heads=heads, relations=["dep"] * len(target))
    pair = (target, source) if is_turned else (source, target)
    options = AlignOptions(style=STYLE)
    backend = ALIGNER._engine.backend
    s2t, t2s = backend.ask(
        (pair, None), options, lambda each: (each.s2t_posterior, each.t2s_posterior)
    )
    if is_turned:
        pair, s2t, t2s = TurnedPair(pair), t2s, s2t
    (covered,) = (each.covered for each in backend.align([(pair, None)], options))
    lexicons = LEXICONS.wordnet, LEXICONS.vectors, LEXICONS.paraphrases
    twin = ReferencePair(source, target, *lexicons, has_rules=True)
    if is_turned:  # words are compared in the order in which a model reads them
        read = ReferencePair(target, source, *lexicons, has_rules=True)
        twin.strengths = {(i, j): each for (j, i), each in read.strengths.items()}
    units = Units(twin, (s2t[:, 1:] + t2s[:, 1:].T) / 2, covered, LEXICONS.frequencies)
    found = backend.decide([(pair, None)], options, SUPPORT).support
    for row, expected in zip(found.tolist(), support_columns(twin, units, s2t, t2s), strict=True):
        assert dict(zip(COLUMNS, row, strict=True)) == pytest.approx(expected, abs=1e-5)


def test_a_batch_has_the_columns_of_each_pair():
    sentences = ALIGNER.annotate(list(map(str, SIDES[:12])))
    pairs = [((a, b), None) for a in sentences for b in sentences[:4]]
    together = ALIGNER._engine.backend.decide(pairs, AlignOptions(), SUPPORT).support
    alone = [
        ALIGNER._engine.backend.decide([each], AlignOptions(), SUPPORT).support for each in pairs
    ]
    np.testing.assert_allclose(together, np.concatenate(alone), atol=1e-6)


@st.composite
def cut_texts(draw: st.DrawFn) -> list[str]:
    text = "".join(draw(st.lists(st.sampled_from(BITS), max_size=12)))
    cuts = sorted(draw(st.sets(st.integers(0, len(text)), max_size=8)))
    return [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]


@settings(max_examples=500)
@given(cut_texts())
def test_a_text_that_grows_has_the_sentences_of_the_whole(pieces):
    text = GrowingText("answer")
    found = [span for piece in pieces for span in text.add(piece)] + text.end()
    assert found == list(sentences_of("".join(pieces), "answer"))


@settings(max_examples=20, deadline=None)
@given(cut_texts())
def test_a_stream_is_grounded_as_the_whole_answer(pieces):
    found = list(ALIGNER.ground_stream(pieces, PASSAGES))
    assert found == list(ALIGNER.ground("".join(pieces), PASSAGES).sentences)


@given(st.data())
def test_candidates_are_those_of_the_twin(data):
    words = ["Holm", "Ulm", "Wu", "Rhine", "Skarn", "Tarn", "Vell"]
    sentence = st.lists(st.sampled_from(words), min_size=1, max_size=4).map(" ".join)
    passage = st.lists(sentence, max_size=5).map(lambda them: "".join(f"{one}. " for one in them))
    sources = Sources.of(data.draw(st.lists(passage, max_size=3)))
    holders = sources.holders(sources.numbers(words))
    for row, word in zip(holders, words, strict=True):
        assert row.tolist() == [word in each.span.text for each in sources.sentences]
    grades = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=7, max_size=7)
    weights, n = np.array(data.draw(grades)), data.draw(st.integers(1, 3))
    expected = candidates(holders, weights, sources.starts, n)
    assert sources.candidates(holders, weights, n) == expected

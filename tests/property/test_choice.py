"""The choice of a style: its inputs against their twin, and the style with the highest sum."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from reference.choice import choice_inputs
from reference.pair import ReferencePair
from support.sample import sample_pairs
from tokalign.decoding.link_decision import CHOICE_INPUTS
from tokalign.english.annotate import load_annotator
from tokalign.errors import ShapeError
from tokalign.features.extract import Extractor
from tokalign.features.feature_groups import FeatureTable, Lexicons
from tokalign.model.styles import N_INPUTS
from tokalign.types import Sentence

from lab.kernels.doors import choice_inputs_of, style_number

TABLE = FeatureTable(("string", "vectors", "anchors", "rules"))
LEXICONS = Lexicons.for_groups(("wordnet", *TABLE.groups))
EXTRACTOR = Extractor(
    LEXICONS.wordnet, TABLE.base, LEXICONS.vectors, LEXICONS.paraphrases, LEXICONS.frequencies
)
SENTENCES = load_annotator("native").annotate(
    [side for pair in sample_pairs()[:30] for side in (pair.source, pair.target)], trees=False
)


@st.composite
def pieces(draw: st.DrawFn) -> Sentence:
    """Some tokens of a sentence, so that short ones and ones of marks alone occur."""
    sentence = draw(st.sampled_from(SENTENCES))
    start = draw(st.integers(0, len(sentence) - 1))
    end = draw(st.integers(start + 1, len(sentence)))
    return Sentence.from_tokens(
        sentence.tokens[start:end], tags=sentence.tags[start:end], lemmas=sentence.lemmas[start:end]
    )


@given(pieces(), pieces())
def test_inputs_equal_their_twin(source: Sentence, target: Sentence) -> None:
    reference = ReferencePair(
        source, target, LEXICONS.wordnet, LEXICONS.vectors, LEXICONS.paraphrases,
        frequencies=LEXICONS.frequencies, has_rules=True,
    )  # fmt: skip
    found = choice_inputs_of(EXTRACTOR, source, target)
    assert dict(zip(CHOICE_INPUTS, found, strict=True)) == pytest.approx(
        dict(zip(CHOICE_INPUTS, choice_inputs(reference), strict=True)), abs=1e-6
    )


def with_marks(sentence: Sentence, marks: str) -> Sentence:
    """Return a sentence that ends in these marks as well."""
    return Sentence.from_tokens(
        (*sentence.tokens, *marks), tags=(*sentence.tags, *marks), lemmas=(*sentence.lemmas, *marks)
    )


@given(pieces(), pieces(), st.sampled_from(["", ".", "!", "?.."]), st.sampled_from([".", ",."]))
def test_marks_at_the_end_count_for_nothing(
    source: Sentence, target: Sentence, source_marks: str, target_marks: str
) -> None:
    assume(all(side.tokens[-1].isalnum() for side in (source, target)))
    marked = with_marks(source, source_marks), with_marks(target, target_marks)
    np.testing.assert_array_equal(
        choice_inputs_of(EXTRACTOR, *marked), choice_inputs_of(EXTRACTOR, source, target)
    )


@given(st.integers(1, 8), st.integers(0, 2**32 - 1))
def test_the_style_with_the_highest_sum_is_chosen(n_styles: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    weights, inputs = rng.integers(-2, 3, (n_styles, N_INPUTS + 1)), rng.integers(0, 3, N_INPUTS)
    sums = weights @ np.append(inputs, 1)
    assert style_number(weights.tolist(), inputs.tolist()) == int(sums.argmax())


def test_weights_and_inputs_of_other_shapes_are_refused() -> None:
    with pytest.raises(ShapeError, match="wanted"):
        style_number([[0.0] * N_INPUTS], [0.0] * N_INPUTS)
    with pytest.raises(ShapeError, match="wanted"):
        style_number([[0.0] * (N_INPUTS + 1)], [0.0])

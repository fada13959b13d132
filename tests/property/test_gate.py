"""The gains that gates weigh against their twin, on the way of a batch; and gates made by hand."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.gate import expected_gain, padded, unread
from support.contrasts import SIDES
from support.sample import sample_pairs
from tokalign.aligner import Aligner
from tokalign.decoding.backend import EncodedPair
from tokalign.decoding.cascade import CONTEXT, FIRST, SAME, Gate, ReadPart
from tokalign.errors import ResourceError
from tokalign.files.tables import Table, write_table
from tokalign.model.file import load_model
from tokalign.model.shipped import model_path
from tokalign.types import Sentence
from tokalign.types.options import AlignOptions

ALIGNER = Aligner.load()
BACKEND = ALIGNER._engine.backend
STYLES = [style["name"] for style in ALIGNER.header.styles]
PAIRS: list[EncodedPair] = [
    (tuple(ALIGNER.annotate(list(pair))), None)
    for pair in [
        *((p.source.text, p.target.text) for p in sample_pairs()[:30]),
        *pairwise(SIDES[:20]),
        ("A", "?"), (".", "!"), ("Dogs bark .", "Dogs bark ."),
    ]
]  # fmt: skip


@settings(max_examples=60)
@given(st.sampled_from(PAIRS), st.sampled_from(STYLES))
def test_gains_are_those_of_the_twin(pair, style):
    options = AlignOptions(style=style)
    posteriors = BACKEND.ask(
        pair, options, lambda decoded: (decoded.s2t_posterior, decoded.t2s_posterior)
    )
    (alignment,) = BACKEND.align([pair], options)
    (gain,), (number,) = BACKEND.gains([pair], options, compares=False)
    assert gain == pytest.approx(expected_gain(*posteriors, alignment), rel=1e-6, abs=1e-9)
    assert STYLES[number] == style


@pytest.mark.parametrize("options", [AlignOptions(), AlignOptions(min_confidence=0.9)])
def test_gains_do_not_depend_on_the_batch_and_the_confidence_asked_for(options):
    together, styles = BACKEND.gains(PAIRS * 3, options, compares=False)
    alone = [BACKEND.gains([pair], AlignOptions(), compares=False) for pair in PAIRS]
    assert together.tolist() == [gain for (gain,), _ in alone] * 3
    assert styles == [style for _, (style,) in alone] * 3


def test_of_no_pairs_there_are_no_gains():
    gains, styles = BACKEND.gains([], AlignOptions(), compares=False)
    assert (gains.tolist(), styles) == ([], [])


def test_on_a_pair_that_fails_nothing_is_gained():
    ((good, other), _), bad = PAIRS[0], ALIGNER.annotate(["Dogs bark."])[0]
    bad = type(bad).from_tokens(bad.tokens)
    pairs = [((good, bad), None), ((good, other), None)]
    gains, _ = BACKEND.gains(pairs, AlignOptions(), compares=False)
    assert gains[0] == 0
    assert gains[1] > 0


def test_pairs_that_are_compared_are_decided_in_the_first_style():
    assert set(BACKEND.gains(PAIRS, AlignOptions(), compares=True)[1]) == {0}
    assert len(set(BACKEND.gains(PAIRS, AlignOptions(), compares=False)[1])) > 1


def test_an_encoder_gains_nothing_where_nothing_is_doubted_and_little_where_little_is_alike():
    pairs = [("Dogs bark .", "Dogs bark ."), ("Dogs bark .", "The tax rose in May ."),
             ("Dogs bark .", "Some hounds were barking .")]  # fmt: skip
    gains, _ = BACKEND.gains(
        [(tuple(ALIGNER.annotate(list(pair))), None) for pair in pairs],
        AlignOptions(),
        compares=True,
    )
    same, unrelated, doubted = gains
    assert same < doubted
    assert unrelated < doubted


def _gate(tmp_path, **changes):
    """Return a gate by which gains count twice in the second style."""
    arrays = {
        "styles": ["strict", "free"],
        "weights": np.array([1.0, 2.0], np.float32),
        "encoder-en": np.array([2.0, 1.0, 0.0], np.float32),
    }
    path = tmp_path / "gates.table"
    write_table(path, {**arrays, **changes}, name="gates", version="1", license="", source="")
    return Gate(Table.open(path), "encoder-en", ["strict", "free"])


def test_a_gate_weighs_gains_and_says_from_which_on_a_pair_is_read(tmp_path):
    gate = _gate(tmp_path)
    assert gate.weighed(np.array([0.25, 0.5, 0.5]), [1, 0, 1]).tolist() == [0.5, 0.5, 1.0]
    assert gate.weighed(np.empty(0), []).tolist() == []
    assert [gate.threshold(effort) for effort in (0.0, 0.25, 0.5, 1.0)] == [2.0, 1.5, 1.0, 0.0]


@pytest.mark.parametrize(
    "changes",
    [
        {"styles": ["strict", "edits"]},
        {"weights": np.array([1.0], np.float32)},
        {"weights": np.array([1.0, 0.0], np.float32)},
        {"weights": np.array([1.0, np.nan], np.float32)},
        {"encoder-en": np.array([0.0, 1.0], np.float32)},
        {"encoder-en": np.array([np.nan, 1.0], np.float32)},
        {"encoder-en": np.array([1.0], np.float32)},
    ],
)
def test_a_damaged_gate_is_refused(tmp_path, changes):
    with pytest.raises(ResourceError):
        _gate(tmp_path, **changes)


@pytest.mark.parametrize(("encoder", "first"), FIRST.items())
def test_thresholds_that_ship_fall_with_the_effort(encoder, first):
    styles = [style["name"] for style in load_model(model_path(first)).header.styles]
    gate = Gate.open_shipped(encoder, styles)
    found = [gate.threshold(effort) for effort in np.linspace(0, 1, 101)]
    assert found == sorted(found, reverse=True)
    assert found[0] > found[50] > found[100]


WORDS = st.lists(st.sampled_from(["a", "A", "b", "c"]), min_size=1, max_size=9)


@given(WORDS, WORDS, WORDS, WORDS)
def test_what_is_not_read_is_that_of_the_twin(before, source, target, behind):
    pair = tuple(Sentence.from_tokens([*before, *each, *behind]) for each in (source, target))
    part = ReadPart.of(pair[0].tokens, pair[1].tokens)
    assert part == unread(pair[0].tokens, pair[1].tokens, CONTEXT)
    read = part.read(pair)
    for whole, each in zip(pair, read, strict=True):
        end = len(whole) - part.behind
        assert each.tokens == whole.tokens[part.before : end]
        assert each.tokens
    assert part.share(pair) == pytest.approx(sum(map(len, read)) / sum(map(len, pair)))
    shapes = [(len(read[k]), len(read[1 - k]) + 1) for k in (0, 1)]
    inner = tuple(
        np.arange(rows * columns, dtype=np.float32).reshape(rows, columns)
        for rows, columns in shapes
    )
    for given_, found in zip(inner, part.whole(inner), strict=True):
        assert found.tolist() == padded(given_, *part, SAME)


def test_what_differs_is_read_with_the_words_around_it():
    text = "the report of the board says that sales of cars rose in the whole of last year"
    words = text.split()
    other = [word.replace("cars", "vans") for word in words]
    part = ReadPart.of(words, [other[0].upper(), *other[1:]])
    assert (part.before, part.behind) == (words.index("cars") - 4, words[::-1].index("cars") - 4)
    assert ReadPart.of(words, words) == (len(words) - 4, 0)
    assert ReadPart.of(words, ["cars"]) == (0, 0)

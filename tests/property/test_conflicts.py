"""Conflicts of pairs against their slow twin."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.conflicts import Conflicts
from reference.pair import ReferencePair
from support.contrasts import SIDES, TEXTS
from tokalign.aligner import Aligner
from tokalign.features.feature_groups import Lexicons
from tokalign.types import Alignment

ALIGNER = Aligner.load()
LEXICONS = Lexicons.for_groups(ALIGNER.header.feature_groups)


def twin_of(alignment: Alignment) -> Conflicts:
    pair = ReferencePair(
        alignment.source,
        alignment.target,
        LEXICONS.wordnet,
        LEXICONS.vectors,
        LEXICONS.paraphrases,
        has_rules=True,
    )
    return Conflicts(
        pair, {(link.source, link.target): link.confidence for link in alignment.links}
    )


def check(alignment: Alignment) -> None:
    twin = twin_of(alignment)
    found = {(c.kind.value, c.source, c.target): c.strength for c in alignment.conflicts}
    expected = {(c.kind, c.source, c.target): c.strength for c in twin.found}
    assert found == pytest.approx(expected, abs=1e-5)
    assert alignment.agreement == pytest.approx(twin.agreement, abs=1e-5)
    for share, lowered in (
        (alignment.covered, alignment.similarity),
        (alignment.target_covered, alignment.score),
    ):
        fall = 0.4 * share**4 * (1 - alignment.agreement)
        assert lowered == pytest.approx(share * (1 - fall), abs=1e-6)


@pytest.mark.parametrize("style", ["strict", "free"])
def test_conflicts_of_contrasts_are_those_of_the_twin(style):
    for alignment in ALIGNER.pipe(TEXTS, style=style):
        check(alignment)


@settings(max_examples=150)
@given(st.sampled_from(SIDES), st.sampled_from(SIDES))
def test_conflicts_of_any_sentences_are_those_of_the_twin(source, target):
    check(ALIGNER.align(source, target, related=True))


several = st.lists(
    st.sampled_from(
        [*SIDES, "It is not big.", "He never came!", "No one (ever) said so?", "Why not?"]
    ),
    min_size=1,
    max_size=3,
    unique=True,  # links with equal sentences tie, and rounding then decides which is the better
).map(" ".join)


@settings(max_examples=150)
@given(several, several, st.booleans())
def test_conflicts_of_texts_are_those_of_the_twin(source, target, is_tokenized):
    pair = (source.split(), target.split()) if is_tokenized else (source, target)
    check(ALIGNER.align(*pair, related=True))


def test_least_confidence_and_direction_change_no_conflict():
    for source, target in TEXTS[:60]:
        plain = ALIGNER.align(source, target, style="free")
        for changes in ({"min_confidence": 0.99}, {"symmetrization": "union"}):
            other = ALIGNER.align(source, target, style="free", **changes)
            assert (other.conflicts, other.similarity) == (plain.conflicts, plain.similarity)

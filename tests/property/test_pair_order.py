"""Which sentence of a pair comes first changes no answer; only the sides change places."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.contrasts import SIDES
from tokalign.aligner import Aligner
from tokalign.decoding.backend import TurnedPair, in_reading_order
from tokalign.errors import InputError
from tokalign.types import Alignment
from tokalign.types.options import Symmetrization

ALIGNER = Aligner.load()
PAIRS = st.lists(st.sampled_from(SIDES), min_size=2, max_size=2, unique=True).map(
    lambda pair: (pair[0], pair[1])
)
"""Of different sentences: an aligner need not read both sides of one and the same alike."""
ALL = {"posteriors": True, "explain": True, "phrases": True, "relations": True, "truncate": True}


def sides_exchanged(links: Any) -> list[Any]:
    """Return links with source and target exchanged, sorted."""
    return sorted(
        (link.target, link.source, link.confidence, link.relation.turned().probabilities)
        for link in links
    )


def conflicts_exchanged(found: Alignment) -> list[Any]:
    return [
        replace(
            each,
            source=each.target,
            target=each.source,
            source_span=each.target_span,
            target_span=each.source_span,
        )
        for each in found.conflicts
    ]


def assert_turned(one: Alignment, other: Alignment) -> None:
    links = [
        (link.source, link.target, link.confidence, link.relation.probabilities)
        for link in one.links
        if link.relation is not None
    ]
    assert links == sides_exchanged(other.links)
    assert len(links) == len(one.links)
    assert (one.similarity, one.covered, one.agreement, one.style) == (
        other.similarity,
        other.covered,
        other.agreement,
        other.style,
    )
    assert list(one.conflicts) == conflicts_exchanged(other)
    assert one.posteriors is not None and other.posteriors is not None
    np.testing.assert_array_equal(one.posteriors, other.posteriors.T)
    assert one.phrases == tuple(sorted(each.turned() for each in other.phrases))
    turned = [each.turned() for each in other.explanations]
    assert sorted(map(repr, one.explanations)) == sorted(map(repr, turned))


@given(PAIRS, st.sampled_from(list(Symmetrization)))
def test_order_changes_no_answer(pair: tuple[str, str], symmetrization: Symmetrization) -> None:
    source, target = pair
    one = ALIGNER.align(source, target, symmetrization=symmetrization, **ALL)
    other = ALIGNER.align(target, source, symmetrization=symmetrization.turned, **ALL)
    assert_turned(one, other)
    assert ALIGNER.similarity(source, target) == ALIGNER.similarity(target, source)


@given(st.lists(PAIRS, min_size=1, max_size=8))
def test_a_batch_of_both_orders(pairs: list[tuple[str, str]]) -> None:
    ones = list(ALIGNER.pipe(pairs, **ALL))
    others = list(ALIGNER.pipe([pair[::-1] for pair in pairs], **ALL))
    for one, other in zip(ones, others, strict=True):
        assert_turned(one, other)
    alone = [ALIGNER.align(*pair) for pair in pairs]
    assert [each.score for each in ones] == [each.score for each in alone]


@given(st.data(), PAIRS)
def test_constraints_and_explanations_are_of_the_sides_given(
    data: st.DataObject, pair: tuple[str, str]
) -> None:
    sides = ALIGNER.annotate(pair)
    i = data.draw(st.integers(0, len(sides[0]) - 1))
    j = data.draw(st.integers(0, len(sides[1]) - 1))
    one = ALIGNER.align(*sides, anchors=[(i, j)], **ALL)
    assert (i, j) in {(link.source, link.target) for link in one.links}
    assert_turned(one, ALIGNER.align(*sides[::-1], anchors=[(j, i)], **ALL))
    told = ALIGNER.explain(*sides, i, j)
    other = ALIGNER.explain(*sides[::-1], j, i)
    assert list(told) == [each.turned() for each in reversed(other)]
    relation = ALIGNER.explain_relation(*sides, i, j)
    assert relation == ALIGNER.explain_relation(*sides[::-1], j, i).turned()


def test_score_is_of_the_target() -> None:
    long, short = "The dog barked at the old cat last night.", "The dog barked."
    assert ALIGNER.align(long, short).score > 0.9 > 0.6 > ALIGNER.align(short, long).score


def test_errors_name_the_side_given() -> None:
    with pytest.raises(InputError, match="link 0-3, but the target has 3 tokens"):
        ALIGNER.align("a", "a b c", anchors=[(0, 3)])
    with pytest.raises(InputError, match="link 3-0, but the source has 3 tokens"):
        ALIGNER.align("a b c", "a", anchors=[(3, 0)])


def test_the_longer_sentence_is_read_first() -> None:
    long, short = ALIGNER.annotate(["A dog barks.", "Dogs bark."])
    assert in_reading_order((long, short)) == (long, short)
    assert in_reading_order((short, long)) == TurnedPair((long, short))

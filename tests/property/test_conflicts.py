"""Conflicts of pairs against their slow twin."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.conflict_inputs import WAYS, inputs_of
from reference.conflicts import Conflicts
from reference.pair import ReferencePair
from support.contrasts import SIDES, TEXTS
from tokalign.aligner import Aligner
from tokalign.decoding.backend import in_reading_order
from tokalign.english.lexicon.lexical_tables import Frequencies
from tokalign.features.feature_groups import Lexicons
from tokalign.relations.conflicts import CONFLICT_INPUTS, ConflictJudge, shipped_judge
from tokalign.types import Alignment, AnnotatedPair, Sentence, SentenceLike
from tokalign.types.relations import CONFLICT_REASONS, Conflict, ConflictKind, ConflictReason

ALIGNER, FINDER = Aligner.load(), Aligner.load()
FINDER._engine.backend.use_judge(ConflictJudge())  # tells all places
LEXICONS = Lexicons.for_groups(ALIGNER.header.feature_groups)


def twin_of(alignment: Alignment) -> Conflicts:
    pair = ReferencePair(
        alignment.source,
        alignment.target,
        LEXICONS.wordnet,
        LEXICONS.vectors,
        LEXICONS.paraphrases,
        frequencies=Frequencies.open_shipped(),
        has_rules=True,
    )
    return Conflicts(
        pair, {(link.source, link.target): link.confidence for link in alignment.links}
    )


def check_places(places: Alignment) -> None:
    """Compare all places, and the inputs by which they are judged."""
    twin = twin_of(places)
    found = [(each.kind.value, each.source, each.target) for each in places.conflicts]
    assert found == [(each.kind, each.source, each.target) for each in twin.found]
    shown = [(each.source_span, each.target_span) for each in places.conflicts]
    assert shown == [(twin.span(each, 0), twin.span(each, 1)) for each in twin.found]
    reasons = [CONFLICT_REASONS.index(each.reason) for each in places.conflicts]
    assert reasons == [WAYS.index(each.way) for each in twin.found]
    columns, at = places.viewed()
    first, end = columns.conflict_offsets[at : at + 2]
    for row, place in zip(columns.conflict_inputs[first:end], twin.found, strict=True):
        wanted = inputs_of(twin, place)
        assert wanted.keys() == set(CONFLICT_INPUTS)
        assert dict(zip(CONFLICT_INPUTS, row.tolist(), strict=True)) == pytest.approx(
            wanted, abs=1e-5
        )


def told_of(places: Alignment) -> list[tuple[str, int, int, float]]:
    """Return what the shipped judge tells of all places, one by one."""
    columns, at = places.viewed()
    first, end = columns.conflict_offsets[at : at + 2]
    judge = shipped_judge()
    scores = judge.forest.scores(np.ascontiguousarray(columns.conflict_inputs[first:end]))[:, 0]
    shares = [1 / (1 + exp(-score)) for score in scores.tolist()]
    modals = [
        each
        for each, share in zip(places.conflicts, shares, strict=True)
        if each.kind is ConflictKind.MODALITY
        and each.reason is ConflictReason.DEGREE
        and share >= judge.least
    ]
    ranked = sorted(range(len(shares)), key=lambda k: (-shares[k], k))
    return [
        (each.kind.value, each.source, each.target, shares[k])
        for k, each in enumerate(places.conflicts)
        if shares[k] >= judge.least
        and not any(
            places.conflicts[m].source == each.source or places.conflicts[m].target == each.target
            for m in ranked[: ranked.index(k)]
        )
        and not any(is_modal_of(one, each) for one in modals)
    ]


def is_modal_of(modal: Conflict, denied: Conflict) -> bool:
    """Whether a place of modals is before one of the words of which one is denied."""
    is_denied = denied.kind is ConflictKind.MODALITY and denied.reason is ConflictReason.DENIED
    gaps = (denied.source - modal.source, denied.target - modal.target)
    return is_denied and all(1 <= gap <= 4 for gap in gaps)


def check(alignment: Alignment, places: Alignment) -> None:
    check_places(places)
    told = told_of(places)
    found = {(c.kind.value, c.source, c.target): c.probability for c in alignment.conflicts}
    assert found == pytest.approx({each[:3]: each[3] for each in told}, abs=1e-5)
    agreement = np.prod([1 - each[3] for each in told])
    assert alignment.agreement == pytest.approx(agreement, abs=1e-5)
    for share, lowered, most in (
        (alignment.covered, alignment.similarity, 0.6),
        (alignment.target_covered, alignment.score, 0.4),
    ):
        fall = most * share**4 * (1 - alignment.agreement)
        assert lowered == pytest.approx(share * (1 - fall), abs=1e-6)


def ordered(texts: Sequence[SentenceLike]) -> AnnotatedPair:
    """Return both sides, the one first that is read first; the twin reads the source first."""
    source, target = ALIGNER.annotate(texts)
    return in_reading_order((source, target))[:2]


@pytest.mark.parametrize(
    ("texts", "shown"),
    [
        (("You may park here.", "You must not park here."), ("may", "must not")),
        (("Visitors shall not smoke here.", "Visitors may smoke here."), ("shall not", "may")),
        (("You need not reply.", "You must reply."), ("need not", "must")),
        (("The firm will not pay.", "The firm must pay."), ("will not", "must")),
    ],
)
def test_a_denied_modal_is_one_conflict(texts, shown):
    for sides, words in ((texts, shown), (texts[::-1], shown[::-1])):
        alignment = ALIGNER.align(*sides)
        (conflict,) = alignment.conflicts
        assert conflict.kind is ConflictKind.MODALITY
        spans = ((alignment.source, conflict.source_span), (alignment.target, conflict.target_span))
        assert words == tuple(" ".join(side.tokens[slice(*span)]) for side, span in spans)


@pytest.mark.parametrize("style", ["strict", "free"])
def test_conflicts_of_contrasts_are_those_of_the_twin(style):
    pairs = [ordered(texts) for texts in TEXTS]
    both = zip(ALIGNER.pipe(pairs, style=style), FINDER.pipe(pairs, style=style), strict=True)
    for alignment, places in both:
        check(alignment, places)


@settings(max_examples=150)
@given(st.sampled_from(SIDES), st.sampled_from(SIDES))
def test_conflicts_of_any_sentences_are_those_of_the_twin(source, target):
    pair = ordered((source, target))
    check(*(each.align(*pair, related=True) for each in (ALIGNER, FINDER)))


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
    pair = ordered((source.split(), target.split()) if is_tokenized else (source, target))
    check(*(each.align(*pair, related=True) for each in (ALIGNER, FINDER)))


def test_a_form_that_negates_does_so_whatever_its_lemma():
    source = Sentence.from_tokens(["It", "never", "fell"], lemmas=["it", "ban", "fall"])
    places = FINDER.align(source, "It fell")
    assert "negation" in [each.kind for each in places.conflicts]
    check_places(places)


def test_least_confidence_and_direction_change_no_conflict():
    for source, target in TEXTS[:60]:
        plain = ALIGNER.align(source, target, style="free")
        for changes in ({"min_confidence": 0.99}, {"symmetrization": "union"}):
            other = ALIGNER.align(source, target, style="free", **changes)
            assert (other.conflicts, other.similarity) == (plain.conflicts, plain.similarity)

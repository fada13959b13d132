"""Evidence for answers against its slow twin, by itself and on the way of a batch."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.evidence import evidence
from support.contrasts import SIDES
from tokalign.aligner import Aligner
from tokalign.decoding.evidence import EVIDENCE, pair_evidence
from tokalign.english.lexicon.likeness import is_content
from tokalign.features.extract import Extractor
from tokalign.features.feature_groups import Lexicons
from tokalign.features.templates import TEMPLATES
from tokalign.ranking.answer_types import expected_answer
from tokalign.types.options import AlignOptions, RankBy

ALIGNER = Aligner.load()
LEXICONS = Lexicons.for_groups(["vectors"])
EXTRACTOR = Extractor(
    LEXICONS.wordnet,
    np.full(len(TEMPLATES), -1, np.int32),
    LEXICONS.vectors,
    frequencies=LEXICONS.frequencies,
)
QUESTIONS = (
    "Who founded the bakery in Leeds?", "When did Marta Lindqvist move to Ulm?",
    "Where is the old mill?", "How much did the bridge cost?", "How long is the tunnel?",
    "How old was Otto when he died?", "What percentage of the bread is rye?",
    "How many windows does the tower have?", "What does a miller do?", "why is the sky blue",
    "Which company built it?", "What colour is it?", "How do I open the mill?",
    "What does it cost?", "What is the mill made of?", "How often does it run?", "what ?",
    "Is the mill old?", "How tall is the tower in feet?", "What size is the tower?",
)  # fmt: skip
CANDIDATES = (
    "Marta Lindqvist founded the bakery in Leeds in May 1908.", "It cost $2.5 million in 1991.",
    "The tunnel is 3.2 km long and 40 years old.", "The tower, 120 feet high, has 52 windows.",
    "A third of it, 33%, is rye.", "Otto died at 81 on Tuesday.", "A miller grinds corn.", "...",
    "From 1990 to 1995 it ran for five hours, at 5:30 pm.", "<num> people live near Ulm .",
    "It is of red brick and stands behind the old church.", "At noon every day it is white.",
    "Open the old door in June.",
)  # fmt: skip
SENTENCES = [
    ALIGNER.annotate([text])[0] for text in (*QUESTIONS, *CANDIDATES, *map(str, SIDES[:40]))
]


def twin(question, candidate, mean, score, agreement):
    return evidence(
        question, candidate, mean, expected_answer(question), LEXICONS.frequencies.idf,
        LEXICONS.vectors, score=score, agreement=agreement,
    )  # fmt: skip


def states_nothing(candidate):
    told = [tag for tag in candidate.tags if tag[:2] in ("VB", "MD", "UH", "RB", "PR")]
    return not told and not any(map(is_content, candidate.tokens))


@settings(max_examples=300)
@given(
    st.sampled_from(SENTENCES),
    st.sampled_from(SENTENCES),
    st.integers(0, 2**32 - 1),
    st.floats(0.0, 4.0),
)
def test_evidence_is_that_of_the_twin(question, candidate, seed, power):
    rng = np.random.default_rng(seed)
    mean = rng.random((len(candidate), len(question))) ** (1 + power)
    mean[:, rng.random(len(question)) < 0.2] = 0.0
    found = pair_evidence(EXTRACTOR, candidate, question, mean, expected_answer(question), 0.7, 0.9)
    assert dict(zip(EVIDENCE, found.tolist(), strict=True)) == pytest.approx(
        twin(question, candidate, mean, 0.7, 0.9), abs=1e-6
    )


def test_batches_find_the_same_evidence():
    questions = SENTENCES[: len(QUESTIONS)]
    pairs = [(candidate, question) for question in questions for candidate in SENTENCES[:30]]
    options = AlignOptions(explain=True, style="strict")
    judged = list(ALIGNER._engine.judge_annotated(pairs, options, RankBy.ANSWER))
    ask = ALIGNER._engine.backend.ask
    for pair, (alignment, judgement) in zip(pairs, judged, strict=True):
        candidate, question = pair
        mean = ask((pair, None), options, lambda each: each.link_posterior)
        found = {piece.name: piece.value for piece in judgement.evidence}
        expected = twin(question, candidate, mean, alignment.score, alignment.agreement)
        is_polar = expected.pop("polar")  # chooses the weights
        added = {"asks": 1.0} if alignment.source.text.endswith("?") else {}
        if not added and states_nothing(candidate):
            added = {"fragment": 1.0}
        elif not added and is_polar and alignment.target_covered > 0.9:
            added = {"states": min(1.0, (alignment.target_covered - 0.9) / 0.05)}
        assert found == pytest.approx(expected | {"bias": 1.0} | added, abs=1e-6)

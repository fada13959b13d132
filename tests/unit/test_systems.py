"""Systems of the literature behind the aligner: one contract for all, and the easy ones by hand."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from tokalign.aligner import Aligner
from tokalign.errors import InputError, LimitError, ModelError, ShapeError
from tokalign.systems import SYSTEMS, Matches, load_system, summary, system_class
from tokalign.systems.lemma import LemmaSystem
from tokalign.types import FeatureContribution, Sentence
from tokalign.types.options import AlignOptions, Direction, RankBy
from tokalign.types.sentence import MAX_TOKENS

NO_TOKENS = ("tokens", "starts", "ends", "tags", "lemmas", "heads", "relations")
DOGS = ("The dogs barked all night.", "All night, the dog was barking.")


@pytest.fixture(scope="module", params=list(SYSTEMS))
def aligner(request: pytest.FixtureRequest) -> Aligner:
    return Aligner.load(request.param)


# ---- every system ----------------------------------------------------------------------------


def test_a_system_is_loaded_by_its_name_and_says_what_it_is(aligner: Aligner) -> None:
    header = aligner.header
    assert aligner.is_system
    assert load_system(header.name).name == header.name
    assert header.uses_trees == system_class(header.name).uses_trees
    assert header.description == summary(load_system(header.name)) != ""


def test_links_are_sorted_distinct_and_in_range_with_confidences(aligner: Aligner) -> None:
    alignment = aligner.align(*DOGS)
    places = [(link.source, link.target) for link in alignment.links]
    assert places == sorted(set(places))
    assert (4, 1) in places  # night
    assert all(0 <= i < 6 and 0 <= j < 8 for i, j in places)
    assert all(0 <= link.confidence <= 1 for link in alignment.links)
    assert 0 < alignment.score <= 1 and 0 < alignment.similarity <= 1
    assert (alignment.model, alignment.version) == (aligner.header.name, aligner.header.version)
    assert alignment.posteriors is None


@pytest.mark.parametrize(
    ("change", "kind", "field"),
    [
        ({"tags": None}, InputError, "target"),
        ({"lemmas": None}, InputError, "target"),
        ({"lemmas": ("x",)}, ShapeError, "target.lemmas"),
        ({"heads": None, "relations": None}, InputError, "target"),
        (dict.fromkeys(NO_TOKENS, ()), InputError, "target"),
    ],
)
def test_a_sentence_that_is_not_annotated_is_refused(aligner, change, kind, field) -> None:
    (good,) = aligner.annotate(["Dogs bark."])
    bad = good.replace(**change)
    (outcome,) = aligner._engine.align_annotated([(good, bad)], AlignOptions())
    if "heads" in change and not (change["heads"] == () or aligner.header.uses_trees):
        assert outcome.links
    else:
        assert type(outcome) is kind
        assert outcome.field == field
        assert f"target has {'no ' if kind is InputError else '1 '}" in str(outcome)


def test_identical_sentences_are_linked_word_by_word(aligner: Aligner) -> None:
    text = "The dog that lives next door barked all night ."
    alignment = aligner.align(text, text)
    assert {(i, i) for i in range(9)} <= {(link.source, link.target) for link in alignment.links}
    assert alignment.similarity > 0.9


def test_every_link_is_explained_by_its_rule(aligner: Aligner) -> None:
    alignment = aligner.align(*DOGS, explain=True)
    assert [(each.source, each.target) for each in alignment.explanations] == [
        (link.source, link.target) for link in alignment.links
    ]
    for explanation, link in zip(alignment.explanations, alignment.links, strict=True):
        (rule,) = explanation.features
        assert rule.name and (rule.value, rule.weight) == (1.0, link.confidence)
        assert explanation.score == link.confidence
        assert (explanation.direction, explanation.runner_up) == (Direction.SOURCE_TO_TARGET, -1)
    assert aligner.explain(*DOGS, 4, 1) == (
        next(each for each in alignment.explanations if (each.source, each.target) == (4, 1)),
    )


def test_what_no_rule_linked_has_no_explanation(aligner: Aligner) -> None:
    assert aligner.explain(*DOGS, 0, -1) == ()


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"posteriors": True}, "options.posteriors"),
        ({"symmetrization": "s2t"}, "options.symmetrization"),
        ({"style": "rte2"}, "options.style"),
        ({"effort": 0.5}, "options.effort"),
    ],
)
def test_options_of_models_are_refused_by_name(aligner: Aligner, changes, field: str) -> None:
    with pytest.raises(InputError, match=aligner.header.name) as raised:
        aligner.align(*DOGS, **changes)
    assert raised.value.field == field
    with pytest.raises(InputError):
        list(aligner.pipe([DOGS], errors="return", **changes))
    if field != "options.posteriors":
        with pytest.raises(InputError):
            aligner.explain(*DOGS, 4, 1, **changes)


def test_a_least_confidence_leaves_links_out(aligner: Aligner) -> None:
    kept = aligner.align(*DOGS, min_confidence=0.8, explain=True)
    every = aligner.align(*DOGS)
    assert kept.links == tuple(link for link in every.links if link.confidence >= 0.8)
    assert len(kept.explanations) == len(kept.links)
    assert (kept.score, kept.similarity) == (every.score, every.similarity)


def test_the_limits_of_sentences_hold(aligner: Aligner) -> None:
    long = " ".join(["dog"] * (MAX_TOKENS + 1))
    with pytest.raises(LimitError, match=f"more than {MAX_TOKENS}"):
        aligner.align(long, "A dog.")
    cut = aligner.align(long, "A dog.", truncate=True)
    assert (cut.source_truncated, cut.target_truncated) == (True, False)
    assert len(cut.source) == MAX_TOKENS
    with pytest.raises(InputError, match="no token"):
        aligner.align("", "A dog.")


def test_a_bad_pair_costs_the_others_nothing(aligner: Aligner) -> None:
    good, bad, again = aligner.pipe([DOGS, ("", "A dog."), DOGS], errors="return")
    assert isinstance(bad, InputError)
    assert good == again == aligner.align(*DOGS)


def test_candidates_are_ranked_by_it(aligner: Aligner) -> None:
    question = "Who invented the telephone?"
    candidates = ["Bell invented the telephone.", "The dogs barked."]
    pairs = aligner._engine.annotate_pairs([(each, question) for each in candidates])
    for by in RankBy:
        best, worst = (
            judgement.score
            for _, judgement in aligner._engine.judge_annotated(pairs, _no_options(), by)
        )
        assert best > worst


def _no_options():
    from tokalign.types.options import AlignOptions

    return AlignOptions()


def test_it_pickles_by_its_name(aligner: Aligner) -> None:
    copy = pickle.loads(pickle.dumps(aligner))
    assert copy.align(*DOGS) == aligner.align(*DOGS)


def test_an_unknown_name_is_told_the_systems() -> None:
    with pytest.raises(ModelError, match=f"systems .*{next(iter(SYSTEMS))}"):
        Aligner.load("no-such-system")


# ---- what they share -------------------------------------------------------------------------


def test_matches_are_sorted_columns() -> None:
    matches = Matches.of([(1, 0, 0.5, "b"), (0, 1, 1.0, "a")], distance=2.0)
    assert (matches.source.tolist(), matches.target.tolist()) == ([0, 1], [1, 0])
    assert matches.confidence.tolist() == [1.0, 0.5]
    assert (matches.rules, matches.distance) == (("a", "b"), 2.0)
    assert [matches.source.dtype, matches.confidence.dtype] == [np.int32, np.float32]
    assert len(Matches.of([]).source) == 0


# ---- lemma -----------------------------------------------------------------------------------


def links_of_lemmas(source: str, target: str) -> list[tuple[int, int]]:
    sides = (Sentence.from_tokens(side.split(), lemmas=side.split()) for side in (source, target))
    matches = LemmaSystem().align(*sides)
    return list(zip(matches.source.tolist(), matches.target.tolist(), strict=True))


def test_of_equal_lemmas_the_nearest_are_linked_first() -> None:
    # The first "a" (0 of 5) is nearest to that at 0 of 2, the last one (4 of 5) to that at 1 of 2.
    assert links_of_lemmas("a b a c a", "a a") == [(0, 0), (2, 1)]
    # The second "b" (1 of 3) is nearest to that at 1 of 4, which the first one then cannot have.
    assert links_of_lemmas("b b a", "a b b b") == [(0, 2), (1, 1), (2, 0)]


def test_lemmas_are_compared_without_case_and_each_token_is_linked_once() -> None:
    assert links_of_lemmas("Dog dog", "DOG") == [(0, 0)]
    assert links_of_lemmas("x y", "z") == []


def test_lemmas_are_all_that_is_compared() -> None:
    alignment = Aligner.load("lemma").align(*DOGS, explain=True)
    assert {each.features for each in alignment.explanations} == {
        (FeatureContribution("lemma", 1.0, 1.0),)
    }

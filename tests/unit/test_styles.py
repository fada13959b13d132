"""Styles: one model with several conventions, of which the caller chooses."""

import dataclasses

import numpy as np
import pytest
from tokalign.aligner import Aligner
from tokalign.decoding.link_decision import CHOICE_INPUTS, Convention
from tokalign.english.annotate import load_annotator
from tokalign.errors import InputError
from tokalign.model import Model, load_model, save_model
from tokalign.model.styles import N_INPUTS, RELATED_NO_LINK, StyleHeader, default_style
from tokalign.model.training import TrainingData, TrainingSettings, train
from tokalign.model.training.train import merge_domains
from tokalign.types.options import Direction

SETTINGS = TrainingSettings(
    feature_groups=("string", "pos", "position", "lexical", "null"),
    max_iterations=8,
    styles=(("a", "tight"), ("b", "loose")),
    possible_in=(("b", "sure"),),
)
PAIR = ("A man bought the old car.", "The car was sold to a man.")


@pytest.fixture(scope="module")
def model(gold) -> Model:
    data = TrainingData({"a": gold[:20], "b": gold[20:40]})
    return train(data, load_annotator("native"), SETTINGS, name="two")


@pytest.fixture(scope="module")
def aligner(model) -> Aligner:
    return Aligner(model, load_annotator("native"))


def test_training_keeps_each_styles_weights(model) -> None:
    assert [style["name"] for style in model.header.styles] == ["tight", "loose"]
    weights, _ = model.summed()
    assert not np.array_equal(weights[0], weights[1])
    assert np.abs(model.weights[model.weights != 0]).min() >= 0.002
    for own in model.own:
        assert np.abs(own.weights[own.weights != 0]).min() >= 0.01


def test_the_first_style_is_the_default(aligner) -> None:
    for options in ({"posteriors": True}, {"posteriors": True, "symmetrization": "union"}):
        default = aligner.align(*PAIR, **options)
        tight = aligner.align(*PAIR, style="tight", **options)
        loose = aligner.align(*PAIR, style="loose", **options)
        assert default.links == tight.links
        np.testing.assert_array_equal(default.posteriors, tight.posteriors)
        assert not np.array_equal(default.posteriors, loose.posteriors)


def test_an_unknown_style_names_those_there_are(aligner) -> None:
    for call in (
        lambda: aligner.align(*PAIR, style="free"),
        lambda: aligner.explain(*PAIR, 1, 6, style="free"),
        lambda: list(aligner.pipe([PAIR], style="free", errors="return")),
    ):
        with pytest.raises(
            InputError, match="no style 'free'; the model two has tight, loose"
        ) as e:
            call()
        assert e.value.field == "options.style"


def test_explanations_sum_the_styles_weights(aligner, model) -> None:
    weights, _ = model.summed()
    for number, style in enumerate(("tight", "loose")):
        for explanation in aligner.explain(*PAIR, 1, 6, style=style):
            # The target is the longer sentence, which a model reads first.
            column = 0 if explanation.direction is Direction.TARGET_TO_SOURCE else 1
            assert explanation.features
            for each in explanation.features:
                assert each.weight == weights[number, model.table.slot(each.name), column]


def test_styles_may_be_mixed_call_by_call(aligner) -> None:
    first = [aligner.align(*PAIR, style=style).links for style in ("tight", "loose")]
    assert [aligner.align(*PAIR, style=style).links for style in ("tight", "loose")] == first
    tight, loose = (aligner.align(*PAIR, style=s, explain=True) for s in ("tight", "loose"))
    assert [each.links for each in (tight, loose)] == first


CALIBRATED: StyleHeader = {
    "name": "x",
    "links": "",
    "threshold": 0.3,
    "raw": (0.0, 0.5, 1.0),
    "calibrated": (0.0, 0.2, 0.8),
}


def test_calibration_joins_its_knots_by_lines() -> None:
    alike = np.zeros(5, dtype=bool)
    found = Convention(CALIBRATED).confidences(np.array([0.0, 0.25, 0.5, 0.75, 1.0]), alike)
    np.testing.assert_allclose(found, [0.0, 0.1, 0.2, 0.5, 0.8])
    plain: StyleHeader = {"name": "x", "links": "", "threshold": 0.3}
    np.testing.assert_array_equal(Convention(plain).confidences(found, alike), found)


def test_unlike_words_have_a_map_of_their_own() -> None:
    style: StyleHeader = {**CALIBRATED, "unlike": (2.0, 0.0)}
    unlike = np.array([False, True, True, True])
    found = Convention(style).confidences(np.array([0.5, 0.5, 0.75, 0.0]), unlike)
    np.testing.assert_allclose(found, [0.2, 0.5, 0.9, 0.0])


def test_confidences_are_calibrated_and_thresholds_are_not(model, gold) -> None:
    annotator = load_annotator("native")
    styles = (dict(CALIBRATED) | {"name": "tight"}, dict(model.header.styles[1]))
    header = dataclasses.replace(model.header, styles=styles)
    calibrated = Aligner(dataclasses.replace(model, header=header), annotator)
    plain_header = dataclasses.replace(
        model.header, styles=(dict(styles[1]) | {"name": "tight", "threshold": 0.3}, styles[1])
    )
    plain = Aligner(dataclasses.replace(model, header=plain_header), annotator)
    for pair in gold[40:50]:
        one, other = (
            each.align(pair.source, pair.target, posteriors=True) for each in (calibrated, plain)
        )
        assert [(x.source, x.target) for x in one.links] == [
            (x.source, x.target) for x in other.links
        ]
        wanted = Convention(CALIBRATED).confidences(
            np.array([link.confidence for link in other.links]),
            np.zeros(len(other.links), dtype=bool),
        )
        np.testing.assert_allclose([link.confidence for link in one.links], wanted)
        for link in one.links:
            assert one.posteriors[link.source, link.target] == np.float32(link.confidence)


def test_every_corpus_needs_a_style_or_none(gold) -> None:
    annotator, corpora = load_annotator("native"), {"a": gold[:4], "b": gold[4:8]}
    for styles, message in (
        ((("a", "x"),), "1 of 2 corpora have a style"),
        ((("a", "x"), ("c", "y")), "no corpus 'c' among a, b"),
    ):
        with pytest.raises(InputError, match=message):
            train(TrainingData(corpora), annotator, TrainingSettings(styles=styles), name="bad")


def test_corpora_may_share_a_style(gold, tmp_path) -> None:
    settings = TrainingSettings(
        feature_groups=("string",), max_iterations=2, styles=(("a", "x"), ("b", "x"))
    )
    corpora = {"a": gold[:8], "b": gold[8:16]}
    model = train(TrainingData(corpora), load_annotator("native"), settings, name="one-style")
    save_model(model, tmp_path / "model")
    assert [each["name"] for each in load_model(tmp_path / "model").header.styles] == ["x"]
    weights = np.array([[1.0, 2.0], [10.0, 0.0], [0.0, 20.0]])
    np.testing.assert_array_equal(merge_domains(weights), [6.0, 12.0])


# ---- the choice of a style -------------------------------------------------------------------

SAME = ("The firm will shut its plant in Leeds.", "The firm will shut its plant in Leeds in May.")
OTHER = ("A couch was sold.", "Somebody bought the sofa.")


def chooses(model: Model) -> Model:
    """Return a model that takes "loose" where at least half of the source is in both."""
    no_weights = (0.0,) * N_INPUTS
    in_both = tuple(
        2.0 * (k == CHOICE_INPUTS.index("source tokens in both")) for k in range(N_INPUTS)
    )
    styles = tuple(
        {**style, "choice": (*weights, constant)}
        for style, weights, constant in zip(
            model.header.styles, (no_weights, in_both), (0.0, -1.0), strict=True
        )
    )
    return dataclasses.replace(model, header=dataclasses.replace(model.header, styles=styles))


@pytest.fixture(scope="module")
def shipped() -> Aligner:
    return Aligner.load()


@pytest.fixture(scope="module")
def choosing(model) -> Aligner:
    return Aligner(chooses(model), load_annotator("native"))


@pytest.mark.parametrize("style", ["", "auto"])
def test_each_pair_gets_the_style_that_its_words_ask_for(choosing, style) -> None:
    for pair, chosen in ((SAME, "loose"), (OTHER, "tight")):
        found = choosing.align(*pair, style=style)
        assert found.style == chosen
        assert found.links == choosing.align(*pair, style=chosen).links
    assert [each.style for each in choosing.pipe([SAME, OTHER], style=style)] == ["loose", "tight"]


def test_the_similarity_is_one_figure_in_the_style_that_the_pair_chooses(choosing) -> None:
    for pair, style in ((SAME, "loose"), (OTHER, "tight")):
        scores, whole = (choosing.align(*pair, **o) for o in ({"detail": "scores"}, {}))
        assert (scores.style, whole.style) == (style, style)
        assert choosing.similarity(*pair) == scores.similarity == whole.similarity
        assert choosing.similarities(pair[0], [pair[1]]).tolist() == [whole.similarity]
        assert choosing.similarity_matrix([pair[0]], [pair[1]]).tolist() == [[whole.similarity]]
    assert choosing.align(*SAME, detail="scores", style="tight").style == "tight"


@pytest.mark.parametrize("style", ["", "tight", "loose"])
def test_related_moves_the_prior_of_no_link_in_every_style(choosing, model, style) -> None:
    weights = model.weights.copy()
    weights[model.table.slot("null_bias[bias]")] += RELATED_NO_LINK
    moved = Aligner(chooses(dataclasses.replace(model, weights=weights)), load_annotator("native"))
    for pair in (SAME, OTHER):
        found = choosing.align(*pair, related=True, style=style, posteriors=True)
        expected = moved.align(*pair, style=style, posteriors=True)
        assert (found.style, found.to_pharaoh()) == (expected.style, expected.to_pharaoh())
        np.testing.assert_allclose(found.posteriors, expected.posteriors, atol=1e-6)
        plain = choosing.align(*pair, style=style, posteriors=True)
        assert found.posteriors.sum() > plain.posteriors.sum()
    for symmetrization in ("s2t", "union"):
        found = choosing.align(*OTHER, related=True, style=style, symmetrization=symmetrization)
        expected = moved.align(*OTHER, style=style, symmetrization=symmetrization)
        assert found.to_pharaoh() == expected.to_pharaoh()


def test_related_links_more_of_what_belongs_together(shipped) -> None:
    pair = ("He quit smoking last year.", "A year ago he gave up cigarettes for good.")
    plain, related = shipped.align(*pair), shipped.align(*pair, related=True)
    assert set(plain.to_pharaoh().split()) < set(related.to_pharaoh().split())


def test_a_ranking_is_in_the_first_style(choosing) -> None:
    (ranked,) = choosing.rank(SAME[1], [SAME[0]])
    assert ranked.alignment.style == "tight"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"style": "wide"}, "no style 'wide'; the model two has auto, tight, loose"),
    ],
)
def test_options_that_no_style_fits(choosing, options, message) -> None:
    with pytest.raises(InputError, match=message):
        choosing.align(*SAME, **options)


def test_a_model_that_chooses_nothing_says_so(aligner) -> None:
    for options, message in (
        ({"style": "auto"}, "no style 'auto'; the model two has tight, loose"),
    ):
        with pytest.raises(InputError, match=message):
            aligner.align(*SAME, **options)
    assert aligner.align(*SAME).style == "tight"


def test_the_choice_is_read_back(choosing, model, tmp_path) -> None:
    save_model(chooses(model), tmp_path / "x.tokalign")
    assert load_model(tmp_path / "x.tokalign").header.styles == choosing.header.styles


def test_the_names_of_what_decides(model) -> None:
    styles = chooses(model).header.styles
    assert [default_style(each) for each in (styles, model.header.styles, ())] == [
        "auto",
        "tight",
        "",
    ]


def test_the_shipped_default_chooses(shipped) -> None:
    assert default_style(shipped.header.styles) == "auto"
    versions = shipped.align("We bought a couch.", "We bought a sofa.")
    assert versions.style in ("free", "paraphrase", "edits")


@pytest.mark.parametrize(
    ("source", "target", "asks"),
    [
        ("The bakery opened in 1997.", "When did the bakery open?", True),
        ("who owns the bakery", "Marta owns the bakery.", True),
        ("When it rained, we left.", "We left when it rained.", False),
        ("Marta owns the bakery.", "The bakery is Marta's.", False),
    ],
)
def test_pairs_with_a_question_have_their_own_style(shipped, source, target, asks) -> None:
    assert (shipped.align(source, target).style == "questions") == asks
    assert shipped.align(source, target, style="strict").style == "strict"
    assert (shipped.align(source, target, detail="scores").style == "questions") == asks

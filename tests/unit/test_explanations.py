"""Explanations: contributions add up to scores, runners-up and margins are the posteriors'."""

import numpy as np
import pytest
from tokalign.errors import InputError
from tokalign.types.options import Direction, Symmetrization

DOGS = ("The dogs barked all night.", "All night, the dog was barking.")


@pytest.mark.parametrize("symmetrization", Symmetrization)
def test_explanations_add_up(aligner, model, extractor, gold, symmetrization) -> None:
    for pair in gold[:5]:
        alignment = aligner.align(
            pair.source, pair.target, symmetrization=symmetrization, explain=True
        )
        style = aligner.styles.index(alignment.style)
        directions = 1 if symmetrization in ("s2t", "t2s") else 2
        assert len(alignment.explanations) == directions * len(alignment.links)
        start, slot, value = extractor.rows(alignment.source, alignment.target)
        for explanation in alignment.explanations:
            links = {(link.source, link.target) for link in alignment.links}
            assert (explanation.source, explanation.target) in links
            column = 0 if explanation.direction is Direction.SOURCE_TO_TARGET else 1
            cell = explanation.source * len(alignment.target) + explanation.target
            span = slice(start[cell], start[cell + 1])
            emission = float(
                value[span].astype(float) @ model.summed()[0][style, slot[span], column]
            )
            assert explanation.score == pytest.approx(emission, abs=1e-4)
            contributions = [abs(one.value * one.weight) for one in explanation.features]
            assert contributions == sorted(contributions, reverse=True)
            assert all(contributions)
            for one in explanation.features:
                assert one.weight == model.summed()[0][style, model.table.slot(one.name), column]


def test_runner_up_and_margin_are_those_of_the_posteriors(aligner) -> None:
    alignment = aligner.align(*DOGS, symmetrization="s2t", explain=True, posteriors=True)
    for explanation in alignment.explanations:
        row = alignment.posteriors[explanation.source].astype(float)
        labels = {-1: 1.0 - row.sum(), **dict(enumerate(row))}
        own = labels.pop(explanation.target)
        assert labels[explanation.runner_up] == pytest.approx(max(labels.values()), abs=1e-5)
        if labels[explanation.runner_up] > 1e-3:
            expected = np.log(own / labels[explanation.runner_up])
            assert explanation.margin == pytest.approx(expected, abs=0.05)


def test_a_label_that_was_not_chosen_is_explained(aligner) -> None:
    (chosen,) = aligner.explain(*DOGS, 1, 4, symmetrization="s2t")
    (other,) = aligner.explain(*DOGS, 1, 0, symmetrization="s2t")
    assert chosen.margin > 0 > other.margin
    assert other.runner_up == 4
    assert {one.direction for one in aligner.explain(*DOGS, 1, 4)} == {"s2t", "t2s"}


def test_null_is_explained(aligner) -> None:
    (null,) = aligner.explain(*DOGS, 1, -1, symmetrization="s2t")
    assert (null.source, null.target) == (1, -1)
    assert null.runner_up == 4
    assert null.margin < 0
    assert any(one.name.startswith("null_") for one in null.features)
    (null,) = aligner.explain(*DOGS, -1, 4, symmetrization="t2s")
    assert (null.source, null.target) == (-1, 4)
    assert null.runner_up == 1


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        (6, 0, r"source_index is 6; wanted -1 or a token of 0\.\.5"),
        (0, 99, r"target_index is 99; wanted -1 or a token of 0\.\.7"),
        (-2, 0, "source_index is -2"),
        (-1, -1, "both indices are -1"),
    ],
)
def test_an_index_outside_the_sentences_is_refused(aligner, source, target, message) -> None:
    with pytest.raises(InputError, match=message):
        aligner.explain(*DOGS, source, target)


@pytest.mark.parametrize(("indices", "symmetrization"), [((-1, 0), "s2t"), ((0, -1), "t2s")])
def test_a_label_that_the_direction_does_not_have_is_refused(
    aligner, indices, symmetrization
) -> None:
    with pytest.raises(InputError, match=f"{symmetrization} labels"):
        aligner.explain(*DOGS, *indices, symmetrization=symmetrization)

"""Training on the sample: the model, the reports, and the same bytes every time."""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from support.sample import read_all
from tokalign.aligner import Aligner
from tokalign.crf.objective import Objective, Targets
from tokalign.english.annotate import Annotator, load_annotator
from tokalign.english.lexicon.likeness import unlike_cells
from tokalign.errors import InputError, ModelError
from tokalign.features.feature_groups import Lexicons
from tokalign.model import Model, save_model
from tokalign.model.training import (
    POSSIBLE_CHOICES,
    Progress,
    TrainingData,
    TrainingSettings,
    fold_numbers,
    train,
)
from tokalign.model.training.examples import (
    TrainingExamples,
    annotate_gold,
    build_matrix,
    gold_targets,
)
from tokalign.model.training.train import merge_domains, train_weights
from tokalign.types import GoldPair, Sentence
from tokalign.types.options import Symmetrization

GROUPS = ("string", "pos", "position", "lexical", "null")
QUICK = TrainingSettings(feature_groups=GROUPS, max_iterations=6)


@pytest.fixture(scope="module")
def annotator() -> Annotator:
    return load_annotator("native")


def trained(
    corpora, annotator: Annotator, settings=QUICK, *, n_threads=None, report=None, **others
) -> Model:
    """Return a model trained on corpora and other parts of TrainingData."""
    data = TrainingData(corpora, **others)
    return train(data, annotator, settings, name="tiny", n_threads=n_threads, report=report)


def model_bytes(folder: Path, corpora, annotator: Annotator, settings=QUICK, **options) -> bytes:
    save_model(trained(corpora, annotator, settings, **options), folder / "model")
    return (folder / "model").read_bytes()


def test_the_same_input_gives_the_same_bytes_whatever_the_threads(
    gold, annotator, tmp_path
) -> None:
    first = model_bytes(tmp_path, {"sample": gold}, annotator, n_threads=1)
    assert model_bytes(tmp_path, {"sample": gold}, annotator, n_threads=1) == first
    assert model_bytes(tmp_path, {"sample": gold}, annotator, n_threads=5) == first


def test_several_corpora_give_the_same_bytes_whatever_the_threads(
    gold, annotator, tmp_path
) -> None:
    corpora = {"one": gold[:10], "two": gold[10:]}
    first = model_bytes(tmp_path, corpora, annotator, n_threads=1)
    assert model_bytes(tmp_path, corpora, annotator, n_threads=3) == first
    assert model_bytes(tmp_path, {"sample": gold}, annotator) != first


@pytest.mark.parametrize("files", ["sample.jsonl pairs.jsonl", "msr_rte2/RTE2_dev_M.align.txt"])
@pytest.mark.parametrize("n_folds", [2, 5])
def test_no_sentence_leaks_into_another_fold(request, files, n_folds) -> None:
    """A target comes with several sources; here every one does at least twice."""
    gold = read_all(request, files)
    pairs = gold + [
        replace(pair, source=other.source, sure=frozenset(), possible=frozenset())
        for pair, other in zip(gold, reversed(gold), strict=True)
    ]
    folds = fold_numbers(pairs, n_folds, seed=3)
    targets: dict[int, set[tuple[str, ...]]] = {fold: set() for fold in range(n_folds)}
    for pair, fold in zip(pairs, folds, strict=True):
        targets[fold].add(pair.target.tokens)
    assert sum(map(len, targets.values())) == len({pair.target.tokens for pair in gold})
    sizes = [len(own) for own in targets.values()]
    assert max(sizes) - min(sizes) <= 1
    assert folds != fold_numbers(pairs, n_folds, seed=4)


def test_training_pairs_are_learnt(gold, annotator) -> None:
    settings = TrainingSettings(feature_groups=GROUPS, max_iterations=60, l2=0.1)
    aligner = Aligner(trained({"sample": gold}, annotator, settings), annotator)
    n_right = n_found = 0
    for pair in gold:
        alignment = aligner.align(pair.source, pair.target, symmetrization=Symmetrization.UNION)
        found = {(link.source, link.target) for link in alignment.links}
        n_right += len(found & pair.sure)
        n_found += len(found)
    assert n_right / n_found > 0.95
    assert n_right / sum(len(pair.sure) for pair in gold) > 0.95


def test_the_order_in_which_a_corpus_names_its_sentences_changes_nothing(
    gold, annotator, tmp_path
) -> None:
    turned = [
        GoldPair(
            pair.id, pair.target, pair.source,
            *(frozenset((j, i) for i, j in each) for each in (pair.sure, pair.possible)),
        )
        for pair in gold
    ]  # fmt: skip
    first = trained({"sample": gold}, annotator)
    second = trained({"sample": turned}, annotator)
    np.testing.assert_array_equal(first.weights, second.weights)
    np.testing.assert_array_equal(first.transitions, second.transitions)


def test_scores_of_an_encoder_are_turned_with_their_pair(gold) -> None:
    scores = [
        tuple(np.zeros((n, m + 1), dtype=np.float32) for n, m in ((a, b), (b, a)))
        for a, b in ((len(pair.source), len(pair.target)) for pair in gold)
    ]
    data = TrainingData({"sample": gold}, encoder="none", encoded=scores).in_reading_order()
    assert any(pair is not own for pair, own in zip(data.gold, gold, strict=True))
    for pair, (forth, back) in zip(data.gold, data.encoded, strict=True):
        assert len(pair.source) >= len(pair.target)
        assert forth.shape == (len(pair.source), len(pair.target) + 1)
        assert back.shape == (len(pair.target), len(pair.source) + 1)


def test_the_header_says_how_it_was_trained(gold, annotator) -> None:
    data = TrainingData({"one": gold[:3], "two": gold[3:5]})
    model = train(
        data, annotator, QUICK, name="tiny", version="2.0.0", description="d", license="l",
        figures={"F1": 0.5},
    )  # fmt: skip
    header = model.header
    assert (header.name, header.version, header.description) == ("tiny", "2.0.0", "d")
    assert (header.license, header.figures) == ("l", {"F1": 0.5})
    assert header.corpora == ("one", "two")
    assert header.feature_groups == GROUPS
    assert header.annotator == "native"
    assert not header.uses_trees
    assert header.settings["pairs"] == {"one": 3, "two": 2}
    assert header.settings["l2"] == QUICK.l2
    assert header.digest == ""


def test_trees_are_used_if_a_group_needs_them(gold, annotator) -> None:
    settings = TrainingSettings(feature_groups=(*GROUPS, "dependency"), max_iterations=1)
    model = trained({"sample": gold[:4]}, annotator, settings)
    assert model.header.uses_trees
    first = int(model.table.base[model.table.base >= 0].max())
    assert model.weights[:first].any()


def test_every_iteration_is_reported_and_the_loss_falls(gold, annotator) -> None:
    reports: list[Progress] = []
    trained({"sample": gold}, annotator, QUICK, report=reports.append)
    for direction in ("s2t", "t2s"):
        own = [report for report in reports if report.direction == direction]
        assert [report.iteration for report in own] == [1, 2, 3, 4, 5, 6, 6]
        losses = [report.loss for report in own]
        assert losses == sorted(losses, reverse=True)
        assert all(math.isnan(report.dev_loss) for report in own)
        assert [report.stopped for report in own[:-1]] == [""] * 6
        assert own[-1].stopped == "reached the iteration limit"
    assert [report.direction for report in reports] == ["s2t"] * 7 + ["t2s"] * 7


def test_convergence_is_reported(gold, annotator) -> None:
    reports: list[Progress] = []
    settings = TrainingSettings(feature_groups=("string", "null"), max_iterations=500, l2=50.0)
    trained({"sample": gold[:8]}, annotator, settings, report=reports.append)
    stopped = [report.stopped for report in reports if report.stopped]
    assert stopped == ["converged", "converged"]


def test_training_stops_early_where_development_pairs_get_worse(gold, annotator) -> None:
    reports: list[Progress] = []
    settings = TrainingSettings(feature_groups=GROUPS, max_iterations=200, l2=1e-3, patience=3)
    model = trained({"sample": gold[:6]}, annotator, settings, dev=gold[6:], report=reports.append)
    for column, direction in enumerate(("s2t", "t2s")):
        *iterations, last = (report for report in reports if report.direction == direction)
        dev_losses = [report.dev_loss for report in iterations]
        best = min(range(len(dev_losses)), key=dev_losses.__getitem__) + 1
        assert last.stopped == f"no lower development loss since iteration {best}"
        assert last.iteration == best + settings.patience < settings.max_iterations
        assert model.weights[:, column].any()


@pytest.mark.parametrize("n_corpora", [1, 2])
def test_the_shared_weights_of_the_best_development_loss_are_kept(
    gold, annotator, n_corpora: int
) -> None:
    reports: list[Progress] = []
    settings = TrainingSettings(feature_groups=GROUPS, max_iterations=200, l2=1e-3, patience=3)
    corpora = {"one": gold[:4], "two": gold[4:6]} if n_corpora == 2 else {"one": gold[:6]}
    dev = [pair.in_reading_order() for pair in gold[6:]]
    model = trained(corpora, annotator, settings, dev=dev, report=reports.append)
    matrix = build_matrix(
        annotate_gold(dev, annotator, trees=False), model.table, Lexicons.for_groups(GROUPS)
    )
    for column, direction in enumerate(("s2t", "t2s")):
        objective = Objective(
            matrix, gold_targets(dev, "ignore"), [0] * len(dev),
            source_labelled=direction == "s2t", l2=0.0, cost=settings.cost,
        )  # fmt: skip
        flat = np.concatenate([model.weights[matrix.slots, column], model.transitions[column]])
        best = min(report.dev_loss for report in reports if report.direction == direction)
        assert objective(flat.astype(np.float64))[0] == pytest.approx(best, rel=1e-5)


def test_what_possible_links_are(gold) -> None:
    pair = next(pair for pair in gold if pair.possible)
    assert gold_targets([pair], "ignore") == [Targets(pair.sure)]
    assert gold_targets([pair], "half") == [Targets(pair.sure, half=pair.possible)]
    assert gold_targets([pair], "free") == [Targets(pair.sure, free=pair.possible)]
    assert gold_targets([pair], "sure") == [Targets(pair.sure | pair.possible)]


@pytest.mark.parametrize("choice", POSSIBLE_CHOICES)
def test_each_choice_of_possible_links_trains(gold, annotator, choice: str) -> None:
    settings = TrainingSettings(feature_groups=GROUPS, max_iterations=3, possible=choice)
    model = trained({"sample": gold}, annotator, settings)
    assert model.header.settings["possible"] == choice
    assert np.isfinite(model.weights).all()


@pytest.mark.parametrize("with_dev", [False, True])
def test_weights_without_a_penalty(gold, annotator, with_dev: bool) -> None:
    settings = TrainingSettings(feature_groups=GROUPS, max_iterations=3, l2=0.0)
    data = TrainingData({"sample": gold}, dev=gold[:2] if with_dev else ())
    examples = TrainingExamples.prepare(data, annotator, settings)
    weights = train_weights(examples, settings)
    everything = np.arange(len(gold), dtype=np.int64)
    same = train_weights(examples, settings, pairs=everything)
    np.testing.assert_array_equal(weights, same)
    assert np.abs(weights).max() > 0


def test_followed_corpora_lend_their_own_weights() -> None:
    weights = np.array([[1.0, 2.0], [10.0, 0.0], [0.0, 20.0], [4.0, 4.0]])
    np.testing.assert_allclose(merge_domains(weights), [1 + 14 / 3, 10.0])
    np.testing.assert_array_equal(merge_domains(weights[:1]), [1.0, 2.0])


def test_settings_of_one_corpus_reach_that_corpus_alone(gold, annotator) -> None:
    corpora = {"a": gold[:8], "b": gold[8:16]}
    models = [
        trained(corpora, annotator, replace(QUICK, **changes))
        for changes in ({}, {"possible_in": (("b", "sure"),)})
    ]
    assert not np.array_equal(models[0].weights, models[1].weights)
    with pytest.raises(InputError, match="no corpus 'c' among a, b"):
        trained(corpora, annotator, replace(QUICK, possible_in=(("c", "sure"),)))


def test_no_pairs_are_refused(annotator) -> None:
    for corpora in ({}, {"empty": []}):
        with pytest.raises(InputError, match="no training pairs"):
            trained(corpora, annotator, QUICK)


def test_an_empty_corpus_among_others_changes_nothing_but_the_header(gold, annotator) -> None:
    model = trained({"none": [], "sample": gold[:4]}, annotator, QUICK)
    assert np.isfinite(model.weights).all()
    assert model.weights.any()


def shuffled(pairs: list[GoldPair]) -> list[GoldPair]:
    """Each target with the source of the next pair, and no links."""
    return [
        GoldPair(pair.id, other.source, pair.target, frozenset())
        for pair, other in zip(pairs, [*pairs[1:], pairs[0]], strict=True)
    ]


class Diagonal:
    """Says of every pair that words in like places belong together, whatever they are."""

    def encode(self, pairs):
        return [
            (self._rows(source, target), self._rows(target, source)) for source, target in pairs
        ]

    def cosines(self, sources: Sequence[str], targets: Sequence[str]) -> NDArray[np.float64]:
        return np.zeros(len(sources))

    def _rows(self, side: Sentence, other: Sentence) -> NDArray[np.float32]:
        said = np.full((len(side), 1 + len(other)), -5.0, np.float32)
        said[np.arange(len(side)), 1 + np.minimum(np.arange(len(side)), len(other) - 1)] = -0.1
        return said


def unlike_mass(model, pairs: list[GoldPair], annotator: Annotator, encoder=None) -> float:
    """Return the summed posteriors of links between unlike words."""
    aligner = Aligner(model, annotator, encoder=encoder)
    total = 0.0
    for pair in pairs:
        found = aligner.align(pair.source, pair.target, posteriors=True)
        assert found.posteriors is not None
        total += sum(float(found.posteriors[c]) for c in unlike_cells(found.source, found.target))
    return total


def test_unrelated_pairs_teach_not_to_link_unlike_words(gold, annotator) -> None:
    settings = TrainingSettings(feature_groups=GROUPS, max_iterations=20, l2=1.0)
    unrelated = shuffled(gold[:12])
    corpora = {"one": gold[:6], "two": gold[6:12]}
    without = trained(corpora, annotator, settings)
    with_them = trained(corpora, annotator, settings, unrelated=unrelated)
    assert with_them.header.settings["unrelated"] == 12
    held_out = shuffled(gold[12:])
    assert unlike_mass(with_them, held_out, annotator) < 0.5 * unlike_mass(
        without, held_out, annotator
    )


def test_unrelated_pairs_teach_not_to_trust_an_encoder_there(gold, annotator) -> None:
    settings = TrainingSettings(feature_groups=(*GROUPS, "neural"), max_iterations=20, l2=1.0)
    unrelated = shuffled(gold[:12])
    says = Diagonal().encode([(pair.source, pair.target) for pair in [*gold[:12], *unrelated]])
    taught = {"encoder": "diagonal"}
    without = trained({"a": gold[:12]}, annotator, settings, encoded=says[:12], **taught)
    with_them = trained(
        {"a": gold[:12]}, annotator, settings, encoded=says, unrelated=unrelated, **taught
    )
    tested = shuffled(gold[12:]), annotator, Diagonal()
    assert unlike_mass(with_them, *tested) < 0.5 * unlike_mass(without, *tested)


def test_scores_of_another_number_of_pairs_are_refused(gold, annotator) -> None:
    settings = replace(QUICK, feature_groups=("string", "neural"))
    says = Diagonal().encode([(pair.source, pair.target) for pair in gold[:4]])
    for pairs in ({"unrelated": gold[:1]}, {"dev": gold[:1]}):
        with pytest.raises(InputError, match=r"4 held-out scores .* wanted held-out scores of all"):
            trained(
                {"a": gold[:4]}, annotator, settings, encoder="diagonal",
                encoded=says, **pairs,
            )  # fmt: skip


def test_unrelated_pairs_of_no_importance_teach_nothing(gold, annotator) -> None:
    settings = replace(QUICK, unrelated_importance=0.0)
    unrelated = [GoldPair(p.id, p.source, p.target, frozenset()) for p in gold[:4]]
    alone = trained({"sample": gold}, annotator, settings)
    beside = trained({"sample": gold}, annotator, settings, unrelated=unrelated)
    np.testing.assert_allclose(beside.weights, alone.weights, rtol=1e-5, atol=1e-6)


def test_an_unknown_group_is_refused(gold, annotator) -> None:
    settings = TrainingSettings(feature_groups=("string", "magic"))
    with pytest.raises(ModelError, match=r"unknown feature groups \['magic'\]"):
        trained({"sample": gold[:1]}, annotator, settings)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"possible": "maybe"}, "possible is 'maybe'; wanted one of ignore, free, half, sure"),
        ({"l2": -1.0}, "l2"),
        ({"l2": math.nan}, "l2"),
        ({"l2": math.inf}, "l2"),
        ({"cost": -0.5}, "cost"),
        ({"cost": math.nan}, "cost"),
        ({"unrelated_importance": -1.0}, "unrelated_importance"),
        ({"max_iterations": 0}, "max_iterations"),
        ({"patience": 0}, "patience"),
    ],
)
def test_bad_settings_are_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        TrainingSettings(**changes)

"""Models keep their accuracy, and training generalises: on the sample, and on corpora if there.

Bounds leave room for a retraining's noise. Those of corpora are under docs/results.md's figures;
those of the sample catch regressions and say nothing about other text.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.sample import kind_of, read_all, sample_pairs
from tokalign.aligner import Aligner
from tokalign.english.annotate import load_annotator
from tokalign.evaluate import LinkChoice, calibrate, count_pairs, scores_of
from tokalign.files.shipped import LISTS
from tokalign.formats import read_gold
from tokalign.model.training import TrainingData, TrainingSettings, train
from tokalign.model.training.examples import annotate_gold
from tokalign.types import Sentence

CORPUS = Path(__file__).parents[2] / "corpus" / "dev.jsonl"
SAMPLE = "sample.jsonl pairs.jsonl"
STRICT, LOOSE = LinkChoice.SURE, LinkChoice.SURE_AND_POSSIBLE
REWORDED = {"paraphrase", "news", "edit", "order", "phrase", "function"}


@pytest.fixture(scope="module")
def answers():
    """The sample's pairs, each with the default model's alignment."""
    gold = sample_pairs()
    aligned = Aligner.load("en").pipe((pair.source, pair.target) for pair in gold)
    return list(zip(gold, aligned, strict=True))


def links_of(alignment):
    return frozenset((link.source, link.target) for link in alignment.links)


def confidences(aligner, gold, style=""):
    pairs = [(pair.source, pair.target) for pair in gold]
    return [
        {(link.source, link.target): link.confidence for link in alignment.links}
        for alignment in aligner.pipe(pairs, style=style)
    ]


@pytest.mark.parametrize(
    ("files", "model", "style", "choice", "f1", "exact", "error"),
    [
        (SAMPLE, "en", "strict", STRICT, 0.88, 0.30, 0.06),
        (SAMPLE, "en", "free", LOOSE, 0.83, 0.18, 0.05),
        (SAMPLE, "en-rte2", "", STRICT, 0.88, 0.30, 0.055),
        ("multimwa/mtref-dev.tsv", "en", "free", LOOSE, 0.83, 0.04, 0.06),
        ("multimwa/wiki-dev.tsv", "en", "edits", LOOSE, 0.973, 0.59, 0.03),
        ("multimwa/mtref-dev.tsv", "en-research", "free", LOOSE, 0.86, 0.08, 0.02),
        ("multimwa/wiki-dev.tsv", "en-research", "edits", LOOSE, 0.973, 0.63, 0.015),
    ],
)
def test_shipped_models_keep_their_accuracy(request, files, model, style, choice, f1, exact, error):
    gold = read_all(request, files)
    found = confidences(Aligner.load(model), gold, style)
    scores = scores_of(count_pairs(gold, [frozenset(links) for links in found], choice))
    assert scores.f1 > f1
    assert scores.exact_match > exact
    calibration = calibrate(gold, found, choice)
    assert calibration.expected_error < error
    assert sum(each.links for each in calibration.bins) == sum(map(len, found))


def in_title_case(tokens):
    small = LISTS.words("title-words")
    return [token if token in small else token[:1].upper() + token[1:] for token in tokens]


def without_stop(tokens):
    return tokens[:-1] if len(tokens) > 1 and tokens[-1] in set(".!?") else tokens


DRESSES = {
    "title case": in_title_case,
    "capitals": lambda tokens: [*map(str.upper, tokens)],
    "lower case": lambda tokens: [*map(str.lower, tokens)],
    "no final stop": without_stop,
    "a final stop": lambda tokens: tokens if tokens[-1] in set(".!?") else [*tokens, "."],
}


@pytest.mark.parametrize("sides", [(0,), (1,), (0, 1)], ids=["source", "target", "both"])
@pytest.mark.parametrize("dress", DRESSES)
def test_words_keep_their_links_in_other_dress(dress, sides):
    """Links of words, all but the final marks, that the corpus' development part has."""
    gold = read_gold(CORPUS)
    texts = [[[*pair.source.tokens], [*pair.target.tokens]] for pair in gold]
    dressed = [
        [DRESSES[dress](side) if k in sides else side for k, side in enumerate(pair)]
        for pair in texts
    ]
    aligner = Aligner.load("en")
    f1 = []
    for pairs in (texts, dressed):
        found = []
        aligned = aligner.pipe(tuple(map(Sentence.from_tokens, pair)) for pair in pairs)
        for (source, target), alignment in zip(texts, aligned, strict=True):
            n_source, n_target = len(without_stop(source)), len(without_stop(target))
            links = links_of(alignment)
            found.append(frozenset((i, j) for i, j in links if i < n_source and j < n_target))
        f1.append(scores_of(count_pairs(gold, found, LinkChoice.IGNORE_POSSIBLE)).f1)
    assert f1[1] > f1[0] - 0.01


def test_no_kind_of_pair_is_aligned_badly(answers):
    """Of unrelated pairs little is right to begin with: the next test is about those."""
    f1 = {}
    for kind in {kind_of(pair) for pair, _ in answers} - {"unrelated", "near-miss"}:
        own = [(pair, links_of(found)) for pair, found in answers if kind_of(pair) == kind]
        counts = count_pairs(*zip(*own, strict=True), LinkChoice.IGNORE_POSSIBLE)
        f1[kind] = round(scores_of(counts).f1, 3)
    assert {kind: value for kind, value in f1.items() if value < 0.8} == {}


def test_sentences_that_share_words_by_accident_get_few_links(answers):
    own = [(pair, links_of(found)) for pair, found in answers if kind_of(pair) == "unrelated"]
    wrong = sum(len(links - pair.sure - pair.possible) for pair, links in own)
    assert wrong / len(own) < 3


def test_the_score_tells_rewordings_from_unrelated_pairs(answers):
    reworded = [found.score for pair, found in answers if kind_of(pair) in REWORDED]
    unrelated = [found.score for pair, found in answers if kind_of(pair) == "unrelated"]
    n_right = sum(high > low for high in reworded for low in unrelated)
    assert n_right / (len(reworded) * len(unrelated)) > 0.97


def same_lemmas(source, target):
    """Link each word to the first free word of the same lemma."""
    links, free = set(), list(range(len(target)))
    for i, lemma in enumerate(source.lemmas):
        j = next((j for j in free if target.lemmas[j].lower() == lemma.lower()), None)
        if j is not None:
            links.add((i, j))
            free.remove(j)
    return frozenset(links)


@pytest.mark.parametrize(
    ("files", "f1", "exact", "error", "gain"),
    [
        (SAMPLE, 0.86, 0.24, 0.06, 0.04),
        ("msr_rte2/RTE2_dev_M.align.txt", 0.88, 0.32, 0.035, 0.09),
    ],
)
def test_training_on_half_beats_lemmas_on_the_other(request, files, f1, exact, error, gain):
    gold = read_all(request, files)
    seen = set(sorted({pair.target.tokens for pair in gold})[::2])
    annotator = load_annotator("native")
    half = [pair for pair in gold if pair.target.tokens in seen]
    data, settings = TrainingData({"half": half}), TrainingSettings(max_iterations=40)
    model = train(data, annotator, settings, name="half")
    rest = [pair for pair in gold if pair.target.tokens not in seen]
    found = confidences(Aligner(model, annotator), rest)
    scores = scores_of(count_pairs(rest, [frozenset(links) for links in found]))
    lemmas = [same_lemmas(*pair) for pair in annotate_gold(rest, annotator, trees=False)]
    baseline = scores_of(count_pairs(rest, lemmas))
    assert scores.f1 > f1
    assert scores.f1 > baseline.f1 + gain
    assert scores.f1_non_identical > baseline.f1_non_identical + 0.15
    assert scores.exact_match > exact
    assert calibrate(rest, found).expected_error < error

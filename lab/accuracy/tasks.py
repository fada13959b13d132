"""Tasks that aligned pairs are used for: paraphrases, and similarity.

Prints a row for each task and system: what the model says, beside two baselines that align
nothing, the overlap of lemmas and the same weighted by idf.

The baselines are called lemma and idf.

- paraphrase: accuracy and F1 on MSRP's development pairs. The threshold is the one that is most
  often right on its training pairs.
- similarity: Pearson's r on STS 2012 without MSRvid, the mean over its sets by their numbers of
  pairs, as published.
Intervals are 95% bootstrap intervals over pairs.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokalign.aligner import Aligner
from tokalign.english.lexicon.likeness import is_content
from tokalign.english.lexicon.word_weights import Frequencies
from tokalign.types import Alignment, Sentence

from bench.program import add_data, print_row, some_of
from lab.recipes.corpora import JudgedPair, read_msrp, read_sts

N_SAMPLES = 2000

Array = NDArray[np.float64]
Score = Callable[[Alignment], float]
Statistic = Callable[[NDArray[np.intp]], tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class Task:
    """A task: what it prints, and how to measure a system on it.

    Attributes
    ----------
    metrics : tuple of str
    run : callable
        Takes the corpora's folder and an aligner; yields the name of each system, the numbers of
        its items by group, and for resampled indices of all items the metrics.
    """

    metrics: tuple[str, ...]
    run: Callable[[Path, Aligner], Iterator[tuple[str, Sequence[int], Statistic]]]


def lemma_weights(sentence: Sentence, weigh: Callable[[str], float]) -> dict[str, float]:
    """Return the lemmas of a sentence's content words, each with its weight."""
    words = zip(sentence.tokens, sentence.lemmas or (), strict=True)
    lemmas = {lemma.lower() for token, lemma in words if is_content(token)}
    return {lemma: weigh(lemma) for lemma in lemmas}


def overlap(weigh: Callable[[str], float]) -> Score:
    """Return the share of both sides' content lemmas that the other holds."""

    def score(alignment: Alignment) -> float:
        source = lemma_weights(alignment.source, weigh)
        target = lemma_weights(alignment.target, weigh)
        shared = sum(weight for lemma, weight in target.items() if lemma in source)
        total = sum(target.values()) + sum(source.values())
        return 2 * shared / total if total else 0.0

    return score


def systems() -> dict[str, Score]:
    """Return every way to score a pair, by name."""
    return {
        "similarity": lambda alignment: alignment.similarity,
        "score": lambda alignment: alignment.score,
        "lemma": overlap(lambda lemma: 1.0),
        "idf": overlap(Frequencies.open_shipped().idf),
    }


def scored(aligner: Aligner, pairs: Sequence[JudgedPair]) -> tuple[dict[str, Array], Array]:
    """Return the scores of pairs by system, and their gold; shape (n_pairs,) each."""
    alignments = list(aligner.pipe((pair.source, pair.target) for pair in pairs))
    scores = {
        name: np.array([score(each) for each in alignments]) for name, score in systems().items()
    }
    return scores, np.array([pair.gold for pair in pairs])


def best_threshold(scores: Array, gold: Array) -> float:
    """Return the score from which calling pairs paraphrases is right most often."""
    order = np.argsort(scores, kind="stable")
    scores, is_same = scores[order], gold[order] > 0
    n_same = is_same.sum()
    right = np.concatenate(([n_same], n_same + np.cumsum(np.where(is_same, -1, 1))))
    edges = np.concatenate(([-np.inf], (scores[1:] + scores[:-1]) / 2, [np.inf]))
    right[1:-1][scores[1:] == scores[:-1]] = -1  # equal scores cannot be parted
    return float(edges[int(right.argmax())])


def paraphrase(data: Path, aligner: Aligner) -> Iterator[tuple[str, Sequence[int], Statistic]]:
    """Measure the decision whether two sentences mean the same."""
    learned, gold_learned = scored(aligner, list(read_msrp(data / "msrp/par_train.dat")))
    judged, gold = scored(aligner, list(read_msrp(data / "msrp/par_dev.dat")))
    is_same = gold > 0
    for name, scores in judged.items():
        said = scores >= best_threshold(learned[name], gold_learned)

        def statistic(index: NDArray[np.intp], said: NDArray[np.bool_] = said) -> tuple[float, ...]:
            found, wanted = said[index], is_same[index]
            f1 = 2 * (found & wanted).sum() / max(1, found.sum() + wanted.sum())
            return float((found == wanted).mean()), float(f1)

        yield name, (len(gold),), statistic


def similarity(data: Path, aligner: Aligner) -> Iterator[tuple[str, Sequence[int], Statistic]]:
    """Measure how scores follow people's judgements of similarity."""
    sets = [list(read_sts(path)) for path in sorted((data / "similarity").glob("sts2012.*.tsv"))]
    sizes = [len(pairs) for pairs in sets]
    judged, gold = scored(aligner, [pair for pairs in sets for pair in pairs])
    set_of = np.repeat(np.arange(len(sets)), sizes)
    for name, scores in judged.items():

        def statistic(index: NDArray[np.intp], scores: Array = scores) -> tuple[float, ...]:
            of_set = [index[set_of[index] == k] for k in range(len(sets))]
            rs = [float(np.corrcoef(scores[each], gold[each])[0, 1]) for each in of_set]
            return (float(np.average(rs, weights=sizes)),)

        yield name, sizes, statistic


TASKS = {
    "paraphrase": Task(("accuracy", "f1"), paraphrase),
    "similarity": Task(("pearson_r",), similarity),
}


def interval(sizes: Sequence[int], statistic: Statistic) -> tuple[list[float], list[float]]:
    """Return the bounds of every metric; items are resampled within their groups."""
    generator = np.random.default_rng(0)
    starts = np.cumsum([0, *sizes[:-1]])

    def resampled() -> NDArray[np.intp]:
        parts = zip(starts, sizes, strict=True)
        return np.concatenate([start + generator.integers(n, size=n) for start, n in parts])

    samples = [statistic(resampled()) for _ in range(N_SAMPLES)]
    low, high = np.quantile(samples, (0.025, 0.975), axis=0).tolist()
    return low, high


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_data(parser)
    parser.add_argument("--only", type=some_of(TASKS), default=list(TASKS), help=", ".join(TASKS))
    parser.add_argument("--model", default="en")


def run(arguments: argparse.Namespace) -> None:
    """Print a row for each task and system."""
    aligner = Aligner.load(arguments.model)
    for task_name in arguments.only:
        task = TASKS[task_name]
        for name, sizes, statistic in task.run(arguments.data, aligner):
            row: dict[str, object] = {"task": task_name, "system": name, "items": sum(sizes)}
            values = statistic(np.arange(sum(sizes)))
            bounds = interval(sizes, statistic)
            for metric, value, low, high in zip(task.metrics, values, *bounds, strict=True):
                row |= {metric: value, f"{metric}_95": [low, high]}
            print_row(row)

"""Tasks that aligned pairs are used for: paraphrase and similarity.

Prints a row for each task and system: what the model says, beside two baselines that align
nothing: ``lemma``, the overlap of lemmas, and ``idf``, the same weighted by idf.

- paraphrase: accuracy on MSRP's development pairs. The threshold is the one that is most often
  right on its training pairs.
- similarity: Pearson's r on STS 2012 without MSRvid, the mean over its sets by their numbers of
  pairs, as published.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokalign.aligner import Aligner
from tokalign.english.lexicon.lexical_tables import Frequencies
from tokalign.english.lexicon.likeness import is_content
from tokalign.types import Alignment, Sentence

from bench.program import add_data, print_row, some_of
from lab.recipes.corpora import JudgedPair, read_msrp, read_sts

Array = NDArray[np.float64]
Score = Callable[[Alignment], float]


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


def paraphrase(data: Path, aligner: Aligner) -> Iterator[dict[str, object]]:
    """Yield how often each system is right that two sentences mean the same."""
    learned, gold_learned = scored(aligner, list(read_msrp(data / "msrp/par_train.dat")))
    judged, gold = scored(aligner, list(read_msrp(data / "msrp/par_dev.dat")))
    for name, scores in judged.items():
        said = scores >= best_threshold(learned[name], gold_learned)
        yield {"system": name, "items": len(gold), "accuracy": float((said == (gold > 0)).mean())}


def similarity(data: Path, aligner: Aligner) -> Iterator[dict[str, object]]:
    """Yield how each system's scores follow people's judgements of similarity."""
    sets = [list(read_sts(path)) for path in sorted((data / "similarity").glob("sts2012.*.tsv"))]
    sizes = [len(pairs) for pairs in sets]
    judged, gold = scored(aligner, [pair for pairs in sets for pair in pairs])
    ends = np.cumsum(sizes)[:-1]
    for name, scores in judged.items():
        of_sets = zip(np.split(scores, ends), np.split(gold, ends), strict=True)
        rs = [float(np.corrcoef(ours, theirs)[0, 1]) for ours, theirs in of_sets]
        r = float(np.average(rs, weights=sizes))
        yield {"system": name, "items": sum(sizes), "pearson_r": r}


TASKS = {"paraphrase": paraphrase, "similarity": similarity}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_data(parser)
    parser.add_argument("--only", type=some_of(TASKS), default=list(TASKS), help=", ".join(TASKS))
    parser.add_argument("--model", default="en")


def run(arguments: argparse.Namespace) -> None:
    """Print a row for each task and system."""
    aligner = Aligner.load(arguments.model)
    for task in arguments.only:
        for row in TASKS[task](arguments.data, aligner):
            print_row({"task": task, **row})

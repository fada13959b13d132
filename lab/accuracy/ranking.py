"""Rankings of answers by the shipped weights, set by set, beside what is not learned.

Mean average precision and mean reciprocal rank of TrecQA's training and development questions,
WikiQA's development questions and WiCE's claims, with 95% bootstrap intervals over queries:

- answer: as `rank` has it, by the shipped weights. They have seen WiCE (by folds:
  lab.recipes.question_weights), but neither TrecQA nor WikiQA;
- answer with ...: with a standardised prior;
- score, similarity, BM25, the place in the page; by a model with an encoder also its cosine, and
  answers without it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokalign.aligner import Aligner
from tokalign.ranking.judge import AnswerWeights, added_by_list, shipped_weights, sigmoid

from bench.program import add_data, print_row
from lab.recipes.question_weights import ENCODED, encoded, log_odds, precision_and_rank, prior_of
from lab.recipes.rankings import QUESTIONS, SETS, QueryEvidence, judged

N_SAMPLES = 2000
PRIORS = {"trecqa": ("bm25",), "wikiqa": ("bm25", "place"), "wice": ("bm25",)}
"""Set -> the scores that stand for a caller's own."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_data(parser)
    parser.add_argument("--model", default="en")


def raised(
    query: QueryEvidence, odds: NDArray[np.float64], weights: AnswerWeights
) -> NDArray[np.float64]:
    """Return what the list of a question's candidates adds to their log odds."""
    repetitions = query.scores["repetition"].tolist()
    scores = list(map(sigmoid, odds.tolist()))
    added = added_by_list(scores, repetitions, [0.0] * len(scores), [None] * len(scores), weights)
    return np.array([sum(each.value * each.weight for each in pieces) for pieces in added])


def scores_of(
    query: QueryEvidence, name: str, weights: AnswerWeights
) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Yield the systems, and the scores of a query's candidates by them."""
    asks = name in QUESTIONS
    of = "claim" if not asks else "polar" if query.is_polar else "question"
    odds = log_odds(weights.regressions[of], query)
    if "cosine" in query.scores:
        yield "cosine", query.scores["cosine"]
        if asks:
            yield "answer without cosine", odds
            odds = log_odds(weights.regressions[ENCODED + of], encoded(query))
    if asks:
        odds = odds + raised(query, odds, weights)
    yield "answer", odds
    for prior in PRIORS[name]:
        yield f"answer with {prior}", odds + weights.prior * prior_of(query, prior)
    for system in ("score", "similarity", *PRIORS[name]):
        yield system, query.scores[system]


def rows(name: str, queries: Sequence[QueryEvidence]) -> Iterator[dict[str, Any]]:
    """Yield the figures of a set's systems, with their intervals."""
    found: dict[str, list[tuple[float, float]]] = {}
    for query in queries:
        for system, scores in scores_of(query, name, shipped_weights()):
            found.setdefault(system, []).append(precision_and_rank(scores, query.is_right))
    drawn = np.random.default_rng(0).integers(len(queries), size=(N_SAMPLES, len(queries)))
    for system, pairs in found.items():
        figures = np.array(pairs)
        low, high = np.quantile(figures[drawn].mean(axis=1), (0.025, 0.975), axis=0)
        row: dict[str, Any] = {"set": name, "system": system, "queries": len(figures)}
        for k, metric in enumerate(("mean_average_precision", "mean_reciprocal_rank")):
            row[metric] = round(float(figures[:, k].mean()), 4)
            row[f"{metric}_95"] = [round(float(low[k]), 4), round(float(high[k]), 4)]
        yield row


def run(arguments: argparse.Namespace) -> None:
    """Print a row for each set and system."""
    aligner = Aligner.load(arguments.model)
    for name, read in SETS.items():
        queries = judged(read(arguments.data), aligner, asks=name in QUESTIONS)
        for row in rows(name, queries):
            print_row(row)

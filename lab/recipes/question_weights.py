"""Train the weights of evidence for answers, and judge them by cross-validation.

    python -m lab.recipes.question_weights --data DATA --output question-weights.tsv

- question: logistic regression over EVIDENCE of tokalign.decoding.evidence, with an L2 penalty on
  standardised evidence, trained on the questions of TrecQA (training and development) and WikiQA
  (development).
- claim: the same over score and similarity, on WiCE's claims with their supporting sentences.
- prior: the weight of a standardised prior that sorts right candidates before wrong ones best, with
  BM25's scores and, on WikiQA, the place in the document as priors.

Sets weigh alike, so do the queries of a set, and of a query the right candidates as much as the
wrong ones. Prints mean average precision and mean reciprocal rank of every set, with 95% bootstrap
intervals over queries:

- folds: by weights of ten folds of queries of all sets, the mean of three divisions;
- left out: by weights of the other sets;
- what is not learned: score, similarity, BM25, and on WikiQA the place in the document; by a model
  with an encoder also its cosine.

"With cosine" adds a model's cosine to the log odds, as tokalign.ranking.judge does.

Equal scores are ordered at random, not as in the files, where right candidates may come first.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize, minimize_scalar
from tokalign.aligner import Aligner
from tokalign.decoding.evidence import EVIDENCE
from tokalign.ranking.judge import (
    CLAIM_EVIDENCE,
    COSINE,
    COSINE_WEIGHT,
    AnswerWeights,
    Regression,
    standardised,
)

from lab.recipes.rankings import QUESTIONS, SETS, QueryEvidence, judged

Array = NDArray[np.float64]
Sets = Mapping[str, Sequence[QueryEvidence]]

L2 = 12.0
"""Where sets have a weight of QUERIES together; chosen by folds, out of 1 to 15."""
QUERIES = 130
N_FOLDS = 10
N_DIVISIONS = 3
N_SAMPLES = 2000
MOST = 5.0
"""Bound of a prior's weight."""
PRIORS = {"trecqa": ("bm25",), "wikiqa": ("bm25", "place"), "wice": ("bm25",)}
"""Set -> the scores that stand for a caller's own."""


def fit(sets: Sets, names: tuple[str, ...]) -> Regression:
    """Return the regression over some queries' evidence."""
    queries = [query for each in sets.values() for query in each]
    rows = np.concatenate([query.evidence for query in queries])
    right = np.concatenate([query.is_right for query in queries])
    share = np.concatenate(
        [
            np.where(query.is_right, 0.5 / query.is_right.sum(), 0.5 / (~query.is_right).sum())
            * (QUERIES / len(each))
            for each in sets.values()
            for query in each
        ]
    )
    mean = np.average(rows, axis=0, weights=share)
    scale = np.sqrt(np.average((rows - mean) ** 2, axis=0, weights=share)) + 1e-9
    scaled = np.hstack([(rows - mean) / scale, np.ones((len(rows), 1))])
    sign = np.where(right, 1.0, -1.0)
    penalty = np.full(scaled.shape[1], L2)
    penalty[-1] = 0.0

    def loss(weights: Array) -> tuple[float, Array]:
        margin = sign * (scaled @ weights)
        slope = -sign * share / (1.0 + np.exp(margin))
        value = share @ np.logaddexp(0.0, -margin) + weights @ (penalty * weights) / 2
        return float(value), scaled.T @ slope + penalty * weights

    found = minimize(loss, np.zeros(scaled.shape[1]), jac=True, method="L-BFGS-B").x
    weights = found[:-1] / scale
    return Regression(names, float(found[-1] - weights @ mean), tuple(weights.tolist()))


def log_odds(regression: Regression, query: QueryEvidence) -> Array:
    """Return the log odds of a query's candidates."""
    total: Array = regression.bias + query.evidence @ np.array(regression.weights)
    return total


def prior_of(query: QueryEvidence, name: str) -> Array:
    """Return one of a query's scores as a standardised prior."""
    return np.array(standardised(query.scores[name].tolist()), dtype=float)


def fit_prior(sets: Sets, regressions: Mapping[str, Regression]) -> float:
    """Return the weight of a prior that sorts right candidates before wrong ones best."""
    parts = []  # differences of log odds and priors of right and wrong candidates, and their shares
    for name, queries in sets.items():
        for prior in PRIORS[name]:
            for query in queries:
                odds, own = log_odds(regressions[name], query), prior_of(query, prior)
                right = query.is_right
                pairs = [(x[right][:, None] - x[~right][None]).ravel() for x in (odds, own)]
                parts.append((*pairs, np.full(len(pairs[0]), 1 / len(pairs[0]) / len(queries))))
    difference, of_prior, share = (np.concatenate(column) for column in zip(*parts, strict=True))

    def loss(weight: float) -> float:
        return float(share @ np.logaddexp(0.0, -(difference + weight * of_prior)))

    return float(minimize_scalar(loss, bounds=(0.0, MOST), method="bounded").x)


def learn(sets: Sets) -> tuple[dict[str, Regression], float]:
    """Return the regression of each set, and the weight of a prior."""
    questions = {name: each for name, each in sets.items() if name in QUESTIONS}
    claims = {name: each for name, each in sets.items() if name not in QUESTIONS}
    question, claim = fit(questions, EVIDENCE), fit(claims, CLAIM_EVIDENCE)
    regressions = {name: question if name in QUESTIONS else claim for name in sets}
    return regressions, fit_prior(sets, regressions)


def average_precision(relevant: list[bool]) -> float:
    """Return the mean, over the right candidates, of the precision down to their ranks."""
    precisions = [
        sum(relevant[: rank + 1]) / (rank + 1) for rank, right in enumerate(relevant) if right
    ]
    return sum(precisions) / len(precisions)


def precision_and_rank(
    scores: NDArray[np.float64], right: NDArray[np.bool_]
) -> tuple[float, float]:
    """Return the average precision and the reciprocal rank of the first right candidate."""
    shuffled = np.random.default_rng(len(scores)).permutation(len(scores))
    order = shuffled[np.argsort(-scores[shuffled], kind="stable")]
    ranked = right[order].tolist()
    return average_precision(ranked), 1 / (1 + ranked.index(True))


def measured(sets: Sets) -> Iterator[tuple[str, str, Array]]:
    """Yield the set, the system, and both figures of every query; shape (n_queries, 2)."""
    for (name, system), figures in cross_validated(sets).items():
        yield name, system, figures
    for name in QUESTIONS:
        others = {other: sets[other] for other in QUESTIONS if other != name}
        regression = fit(others, EVIDENCE)
        odds = [log_odds(regression, query) for query in sets[name]]
        yield name, "left out", _figures(sets[name], odds)
        if COSINE in sets[name][0].scores:
            both = map(with_cosine, odds, sets[name])
            yield name, "left out with cosine", _figures(sets[name], both)
    for name, queries in sets.items():
        encoded = [COSINE] if COSINE in queries[0].scores else []
        for system in ("score", "similarity", *PRIORS[name], *encoded):
            yield name, system, _figures(queries, (query.scores[system] for query in queries))


def with_cosine(odds: Array, query: QueryEvidence) -> Array:
    """Return log odds with a model's cosine as a piece of evidence; its bias orders nothing."""
    return odds + COSINE_WEIGHT * query.scores[COSINE]


def _figures(queries: Sequence[QueryEvidence], scores: Iterable[Array]) -> Array:
    pairs = zip(queries, scores, strict=True)
    return np.array([precision_and_rank(own, query.is_right) for query, own in pairs])


def cross_validated(sets: Sets) -> dict[tuple[str, str], Array]:
    """Return the figures of every query by weights that have not seen it, alone and with priors."""
    systems = {name: ("answer", *(f"answer with {p}" for p in PRIORS[name])) for name in sets}
    found = {
        (name, system): np.zeros((len(sets[name]), 2)) for name in sets for system in systems[name]
    }
    for seed in range(N_DIVISIONS):
        folds = {
            name: np.random.default_rng(seed).permutation(len(queries)) % N_FOLDS
            for name, queries in sets.items()
        }
        for fold in range(N_FOLDS):
            seen = {
                name: [
                    query for query, own in zip(queries, folds[name], strict=True) if own != fold
                ]
                for name, queries in sets.items()
            }
            regressions, weight = learn(seen)
            for name, queries in sets.items():
                for k in np.flatnonzero(folds[name] == fold).tolist():
                    odds = log_odds(regressions[name], queries[k])
                    found[name, "answer"][k] += precision_and_rank(odds, queries[k].is_right)
                    for prior in PRIORS[name]:
                        both = odds + weight * prior_of(queries[k], prior)
                        found[name, f"answer with {prior}"][k] += precision_and_rank(
                            both, queries[k].is_right
                        )
    return {key: figures / N_DIVISIONS for key, figures in found.items()}


def rows(sets: Sets) -> Iterator[dict[str, object]]:
    """Yield the figures of every set and system, with their intervals."""
    for name, system, figures in measured(sets):
        drawn = np.random.default_rng(0).integers(len(figures), size=(N_SAMPLES, len(figures)))
        low, high = np.quantile(figures[drawn].mean(axis=1), (0.025, 0.975), axis=0)
        row: dict[str, object] = {"set": name, "system": system, "queries": len(figures)}
        for k, metric in enumerate(("mean_average_precision", "mean_reciprocal_rank")):
            row[metric] = round(float(figures[:, k].mean()), 4)
            row[f"{metric}_95"] = [round(float(low[k]), 4), round(float(high[k]), 4)]
        yield row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora")
    parser.add_argument("--model", default="en")
    parser.add_argument("--output", type=Path, required=True, help="file to write")
    arguments = parser.parse_args()
    aligner = Aligner.load(arguments.model)
    sets = {name: judged(arguments.data, name, aligner) for name in SETS}
    for row in rows(sets):
        print(json.dumps(row))
    regressions, prior = learn(sets)
    weights = AnswerWeights(regressions["trecqa"], regressions["wice"], prior)
    arguments.output.write_text(weights.rows(), encoding="utf-8")


if __name__ == "__main__":
    main()

"""Train the weights of evidence for answers, from sources that anybody may use.

    python -m lab.recipes.question_weights --data DATA --output question-weights.tsv

All are logistic regressions with an L2 penalty on standardised evidence.

- question: over PIECES, on the questions that lab.recipes.made_questions makes of WiCE's claims
  (ODC-By), and, as CORPUS of them, on the project's own questions (CC0) with a question word.
- polar: the same, on the own questions that ask for yes or no.
- encoded-question, encoded-polar: the same over ENCODED_PIECES, by the scores of a model with an
  encoder.
- claim: over score and similarity, on WiCE's claims with their supporting sentences.
- prior: the weight of a standardised prior that sorts right candidates before wrong ones best, with
  BM25's scores and the place in WiCE's pages as priors.

The queries of a set weigh alike, and of a query the right candidates as much as the wrong ones. Of
an own question, wrong answers in the question's words weigh as DISTRACTORS says, the answers to
other questions of the genre the rest. Half answers are not learned from.

Prints figures by folds of groups: topics of the own corpus, WiCE's claims.

- of made questions and claims mean average precision and mean reciprocal rank;
- of own questions how often a right answer is above a wrong one (`above`) and above one of another
  question (`mined`), and the reciprocal rank of the best right answer among those of the genre.

Equal scores are ordered at random, not as in the files, where right candidates may come first.
"""

from __future__ import annotations

import argparse
import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize, minimize_scalar
from tokalign.aligner import Aligner
from tokalign.ranking.judge import (
    BIAS,
    CLAIM_EVIDENCE,
    COSINES,
    MOST_COSINE,
    PRIOR,
    AnswerWeights,
    Regression,
    standardised,
)

from lab.recipes.made_questions import made
from lab.recipes.rankings import OTHER, PIECES, QueryEvidence, corpus, judged, wice

Array = NDArray[np.float64]
Sets = Mapping[str, Sequence[QueryEvidence]]

L2 = 12.0
"""Where a set has a weight of QUERIES."""
QUERIES = 130
CORPUS = {"corpus": 15 / 130, "encoded-corpus": 15 / 130}
"""Weight of a set beside others; 1 where nothing is said."""
DISTRACTORS = dict.fromkeys(("corpus", "polar", "encoded-corpus", "encoded-polar"), 0.5)
"""Chosen by folds, with CORPUS: what parts right answers from distractors best with next to nothing
lost on made questions. More has more distractors right, and fewer answers to other questions."""
ENCODED = "encoded-"
"""Before the names of regressions over ENCODED_PIECES, and of the sets that they learn from."""
EACH_ENCODED = 3
"""Of the made questions, each which a model with an encoder reads, as it takes its time."""
ENCODED_PIECES = (*PIECES, *COSINES)
LEARNED_FROM = {
    "question": (("made", "corpus"), PIECES),
    "polar": (("polar",), PIECES),
    f"{ENCODED}question": ((f"{ENCODED}made", f"{ENCODED}corpus"), ENCODED_PIECES),
    f"{ENCODED}polar": ((f"{ENCODED}polar",), ENCODED_PIECES),
    "claim": (("wice",), CLAIM_EVIDENCE),
}
"""Regression -> the sets it learns from, and its pieces."""
N_FOLDS = 10
MOST = 5.0
"""Bound of a prior's weight."""
PRIORS = {"made": ("bm25", "place"), "wice": ("bm25", "place")}
"""Set -> the scores that stand for a caller's own."""


def shares(query: QueryEvidence, distractors: float) -> Array:
    """Return how much each candidate weighs; they sum to 1, or to 0.5 without a right one."""
    found = np.zeros(len(query.is_right))
    others = ~query.is_right
    if query.kinds:
        own = np.array([kind == "no" for kind in query.kinds])
        others = np.array([kind.startswith(OTHER) for kind in query.kinds])
        left = distractors if own.any() else 0.0
        found[own] = 0.5 * left / max(own.sum(), 1)
    else:
        left = 0.0
    found[others] = 0.5 * (1 - left) / max(others.sum(), 1)
    found[query.is_right] = 0.5 / max(query.is_right.sum(), 1)
    return found


def fit(sets: Sets, names: tuple[str, ...]) -> Regression:
    """Return the regression over some queries' evidence."""
    queries = [query for each in sets.values() for query in each]
    rows = np.concatenate([query.evidence for query in queries])
    right = np.concatenate([query.is_right for query in queries])
    share = np.concatenate(
        [
            shares(query, DISTRACTORS.get(name, 0.0))
            * (QUERIES / len(each))
            * CORPUS.get(name, 1.0)
            for name, each in sets.items()
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


def learn(sets: Sets) -> AnswerWeights:
    """Return the weights that are learned from sets."""
    found = {
        of: fit({name: sets[name] for name in names}, pieces)
        for of, (names, pieces) in LEARNED_FROM.items()
    }
    judges = {"made": found["question"], "wice": found["claim"]}
    return AnswerWeights(found, fit_prior({name: sets[name] for name in PRIORS}, judges))


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


def regression_of(weights: AnswerWeights, name: str) -> Regression:
    """Return the regression that judges the queries of a set."""
    (of,) = (of for of, (names, _) in LEARNED_FROM.items() if name in names)
    return weights.regressions[of]


def by_folds(sets: Sets) -> dict[str, list[Array]]:
    """Return the log odds of each query's candidates by weights that have not seen its group."""
    folds = {}
    for name, queries in sets.items():
        groups = sorted({query.group for query in queries})
        drawn = np.random.default_rng(0).permutation(len(groups)) % N_FOLDS
        fold = dict(zip(groups, drawn.tolist(), strict=True))
        folds[name] = [fold[query.group] for query in queries]
    found = {name: [np.zeros(0)] * len(queries) for name, queries in sets.items()}
    for number in range(N_FOLDS):
        seen = {
            name: [each for each, own in zip(queries, folds[name], strict=True) if own != number]
            for name, queries in sets.items()
        }
        weights = learn(seen)
        for name, queries in sets.items():
            for k, own in enumerate(folds[name]):
                if own == number:
                    found[name][k] = log_odds(regression_of(weights, name), queries[k])
    return found


def own_figures(queries: Sequence[QueryEvidence], scores: Iterable[Array]) -> dict[str, float]:
    """Return the figures of own questions: above, mined, and mean reciprocal rank."""
    above: list[Array] = []
    mined = []
    ranks = []
    for query, odds in zip(queries, scores, strict=True):
        kinds = np.array(query.kinds)
        right = odds[kinds == "yes"]
        above.append((right[:, None] > odds[kinds == "no"]).ravel())
        mined.append((right[:, None] > odds[np.char.startswith(kinds, OTHER)]).mean())
        ranks.append(1 / (1 + (odds[kinds == OTHER + "yes"] > right.max()).sum()))
    return {
        "above": float(np.concatenate(above).mean()),
        "mined": float(np.mean(mined)),
        "mean_reciprocal_rank": float(np.mean(ranks)),
    }


def rows(sets: Sets, scores: Mapping[str, Sequence[Array]]) -> Iterator[dict[str, Any]]:
    """Yield the figures of each set."""
    for name, queries in sets.items():
        if queries[0].kinds:
            figures = own_figures(queries, scores[name])
        else:
            pairs = zip(queries, scores[name], strict=True)
            found = np.mean([precision_and_rank(own, query.is_right) for query, own in pairs], 0)
            names = ("mean_average_precision", "mean_reciprocal_rank")
            figures = dict(zip(names, found.tolist(), strict=True))
        yield {
            "set": name,
            "queries": len(queries),
            **{figure: round(value, 4) for figure, value in figures.items()},
        }


def encoded(query: QueryEvidence) -> QueryEvidence:
    """Return a query with the cosine among its evidence, as rankings have it."""
    cosine = query.scores["cosine"]
    columns = [*query.evidence.T, cosine, np.minimum(cosine, MOST_COSINE)]
    return replace(query, evidence=np.stack(columns, axis=1))


def gathered(data: Path, aligner: Aligner, encoder: Aligner) -> dict[str, list[QueryEvidence]]:
    """Return the sets that weights are learned from, by a model without an encoder and one with."""
    found = {}
    for by, start in ((aligner, ""), (encoder, ENCODED)):
        asked = itertools.islice(made(data, by), None, None, EACH_ENCODED if start else 1)
        own = judged(corpus(), by)
        sets = {
            "made": judged(asked, by),
            "corpus": [query for query in own if not query.is_polar],
            "polar": [query for query in own if query.is_polar],
        }
        for name, queries in sets.items():
            found[start + name] = list(map(encoded, queries)) if start else queries
    return found | {"wice": judged(wice(data), aligner, asks=False)}


def written(weights: AnswerWeights) -> str:
    """Return the file that `shipped_weights` reads."""
    lines = []
    for of, regression in weights.regressions.items():
        lines.append(f"{of}\t{BIAS}\t{regression.bias:.4g}")
        pairs = zip(regression.names, regression.weights, strict=True)
        lines += [f"{of}\t{name}\t{weight:.4g}" for name, weight in pairs]
    return "\n".join([*lines, f"any\t{PRIOR}\t{weights.prior:.4g}", ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora")
    parser.add_argument("--model", default="en")
    parser.add_argument("--encoder", default="en-neural-open", help="a model that has one")
    parser.add_argument("--output", type=Path, required=True, help="file to write")
    arguments = parser.parse_args()
    aligners = Aligner.load(arguments.model), Aligner.load(arguments.encoder)
    sets = gathered(arguments.data, *aligners)
    for row in rows(sets, by_folds(sets)):
        print(json.dumps(row))
    arguments.output.write_text(written(learn(sets)), encoding="utf-8")


if __name__ == "__main__":
    main()

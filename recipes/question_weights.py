"""Train the weights of evidence for answers, and judge them by cross-validation.

    python -m recipes.question_weights --data DATA --output core/tokalign/data/question-weights.tsv

Logistic regression over `questions.evidence.Evidence`, with an L2 penalty on standardised evidence,
trained on TrecQA's training and development questions that have right and wrong candidates (143).
Every question counts alike, and its right candidates as much as its wrong ones. Prints mean average
precision and mean reciprocal rank over ten folds of questions, the mean of three divisions, with
95% bootstrap intervals over questions; equal scores are ordered at random, not as in the file,
where right candidates come first.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import astuple
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from tokalign.aligner import Aligner
from tokalign.lexicon.frequencies import Frequencies
from tokalign.questions.evidence import EVIDENCE, evidence

from recipes.corpora import read_questions

L2 = 3.0
N_FOLDS = 10
N_DIVISIONS = 3
N_SAMPLES = 2000


def collect(data: Path, aligner: Aligner) -> list[tuple[NDArray[np.float64], NDArray[np.bool_]]]:
    """Return, for each question, its candidates' evidence and whether they are right."""
    weigh = Frequencies.open_shipped().idf
    found = []
    for name in ("train", "dev"):
        for question in list(read_questions(data / f"trecqa/{name}.xml")):
            right = np.array([is_right for _, is_right in question.candidates])
            if right.all() or not right.any():
                continue
            pairs = ((tokens, question.tokens) for tokens, _ in question.candidates)
            rows = []
            for each in aligner.pipe(pairs, posteriors=True, style="strict"):
                assert each.posteriors is not None  # asked for
                found_here = evidence(
                    each.target, each.source, each.posteriors, weigh, each.agreement
                )
                rows.append(astuple(found_here))
            found.append((np.array(rows), right))
    return found


def fit(
    questions: list[tuple[NDArray[np.float64], NDArray[np.bool_]]],
) -> tuple[float, NDArray[np.float64]]:
    """Return the bias and the weights of unscaled evidence."""
    rows = np.concatenate([rows for rows, _ in questions])
    right = np.concatenate([right for _, right in questions])
    share = np.concatenate([np.where(r, 0.5 / r.sum(), 0.5 / (~r).sum()) for _, r in questions])
    mean, scale = rows.mean(axis=0), rows.std(axis=0) + 1e-9
    scaled = np.hstack([(rows - mean) / scale, np.ones((len(rows), 1))])
    sign = np.where(right, 1.0, -1.0)
    penalty = np.full(scaled.shape[1], L2)
    penalty[-1] = 0.0

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        margin = sign * (scaled @ weights)
        slope = -sign * share / (1.0 + np.exp(margin))
        value = share @ np.logaddexp(0.0, -margin) + weights @ (penalty * weights) / 2
        return float(value), scaled.T @ slope + penalty * weights

    found = minimize(loss, np.zeros(scaled.shape[1]), jac=True, method="L-BFGS-B").x
    weights = found[:-1] / scale
    return float(found[-1] - weights @ mean), weights


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


def cross_validated(
    questions: list[tuple[NDArray[np.float64], NDArray[np.bool_]]],
) -> NDArray[np.float64]:
    """Return both figures of every question by weights that have not seen it; shape (n, 2)."""
    figures = np.zeros((len(questions), 2))
    for seed in range(N_DIVISIONS):
        folds = np.random.default_rng(seed).permutation(len(questions)) % N_FOLDS
        for fold in range(N_FOLDS):
            _, weights = fit([questions[k] for k in np.flatnonzero(folds != fold)])
            for k in np.flatnonzero(folds == fold):
                rows, right = questions[k]
                figures[k] += precision_and_rank(rows @ weights, right)
    return figures / N_DIVISIONS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora")
    parser.add_argument("--model", default="en")
    parser.add_argument("--output", type=Path, required=True, help="file to write")
    arguments = parser.parse_args()
    questions = collect(arguments.data, Aligner.load(arguments.model))
    figures = cross_validated(questions)
    drawn = np.random.default_rng(0).integers(len(figures), size=(N_SAMPLES, len(figures)))
    low, high = np.quantile(figures[drawn].mean(axis=1), (0.025, 0.975), axis=0)
    bias, weights = fit(questions)
    lines = [f"bias\t{bias:.4g}"]
    lines += [f"{name}\t{weight:.4g}" for name, weight in zip(EVIDENCE, weights, strict=True)]
    arguments.output.write_text("\n".join(lines) + "\n", encoding="utf-8")
    for k, name in enumerate(("mean_average_precision", "mean_reciprocal_rank")):
        item = {"questions": len(questions), name: round(float(figures[:, k].mean()), 4)}
        print(json.dumps({**item, "low": round(low[k], 4), "high": round(high[k], 4)}))


if __name__ == "__main__":
    main()

"""The model of support: two regressions, as `recipes.support` learns them.

    log odds by own inputs   = bias + weights . inputs of the word
    log odds of the support  = bias + weights . context, in which those of the word and of the words
                               around it are

Both are sums, so an explanation is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tokalign.errors import ResourceError
from tokalign.files.tables import DATA_DIR
from tokalign.questions.weights import BIAS, by_size
from tokalign.support.candidates import AnswerWords
from tokalign.support.context import CONTEXT_INPUTS, N_PARTS, PARTS, context_inputs
from tokalign.support.inputs import INPUTS
from tokalign.types import FeatureContribution

WEIGHTS_FILE = "support-weights.tsv"
_OF_CONTEXT = "context-"


@dataclass(frozen=True, slots=True, eq=False)
class SupportModel:
    """Weights of both regressions.

    Attributes
    ----------
    word : float64 array, shape (n_inputs + 1,)
        In the order of INPUTS; the last one is the bias. In nats.
    context : float64 array, shape (n_context_inputs + 1,)
        In the order of CONTEXT_INPUTS, then the bias.
    """

    word: NDArray[np.float64]
    context: NDArray[np.float64]

    @classmethod
    @cache
    def open_shipped(cls) -> Self:
        """Return the model that ships with the package, read once for each process.

        Raises
        ------
        ResourceError
            If its file is damaged, or of other inputs.
        """
        path = DATA_DIR / WEIGHTS_FILE
        try:
            return cls.of_rows(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ResourceError(f"{path}: {error}") from error

    @classmethod
    def of_rows(cls, text: str) -> Self:
        """Return the model of a file that `rows` wrote.

        Raises
        ------
        ValueError
            If it is damaged, or of other inputs.
        """
        rows = [line.split("\t") for line in text.splitlines()]
        wanted = [
            *(["word", name] for name in (*INPUTS, BIAS)),
            *(["context", name] for name in (*CONTEXT_INPUTS, BIAS)),
        ]
        if [row[:2] for row in rows] != wanted or any(len(row) != 3 for row in rows):
            raise ValueError("made for other inputs; rebuild it with make table-support")
        weights = np.array([float(row[2]) for row in rows])
        if not np.isfinite(weights).all():
            raise ValueError("a weight is no finite number; rebuild it with make table-support")
        return cls(weights[: len(INPUTS) + 1], weights[len(INPUTS) + 1 :])

    def rows(self) -> str:
        """Return the file that `of_rows` reads."""
        both = (
            ("word", (*INPUTS, BIAS), self.word),
            ("context", (*CONTEXT_INPUTS, BIAS), self.context),
        )
        lines = [
            f"{of}\t{name}\t{weight:.5g}"
            for of, names, weights in both
            for name, weight in zip(names, weights.tolist(), strict=True)
        ]
        return "\n".join([*lines, ""])

    def own_log_odds(self, inputs: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the log odds of words by their own inputs, shape (n_words,)."""
        found: NDArray[np.float64] = inputs @ self.word[:-1] + self.word[-1]
        return found

    def log_odds(self, context: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the log odds of the support of words, shape (n_words,)."""
        found: NDArray[np.float64] = context @ self.context[:-1] + self.context[-1]
        return found

    def supports(self, words: AnswerWords, inputs: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the support of each word, in [0, 1]."""
        context = context_inputs(words, self.own_log_odds(inputs))
        found: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-self.log_odds(context)))
        return found

    def explain(
        self, words: AnswerWords, inputs: NDArray[np.float32]
    ) -> list[tuple[FeatureContribution, ...]]:
        """Return what makes each word's log odds; they sum to them.

        What the word's own log odds add is told input by input. Names of what others add begin with
        ``context-``.
        """
        own = self.own_log_odds(inputs)
        context = context_inputs(words, own)
        return [
            by_size(self._explained(inputs[at], float(own[at]), context[at]))
            for at in range(len(own))
        ]

    def _explained(
        self, inputs: NDArray[np.float32], own: float, context: NDArray[np.float64]
    ) -> list[FeatureContribution]:
        weights = self.context[:-1]
        # Of parts, the weight of every kind of word and that of this one go together.
        n_by_kind = CONTEXT_INPUTS.index(f"no-{PARTS[1]}")
        summed = (weights[:n_by_kind] * context[:n_by_kind]).reshape(-1, N_PARTS).sum(axis=0)
        cut = float(summed[0]) / own if own else 0.0  # nats for each nat of its own
        bias = float(self.context[-1]) + cut * float(self.word[-1])
        found = [FeatureContribution(BIAS, 1.0, bias)]
        found += [
            FeatureContribution(name, float(value), cut * float(weight))
            for name, value, weight in zip(INPUTS, inputs, self.word, strict=False)
            if value
        ]
        found += [
            FeatureContribution(_OF_CONTEXT + part, float(value), float(total) / float(value))
            for part, value, total in zip(PARTS[1:], context[1:], summed[1:], strict=False)
            if value
        ]
        rest = zip(
            CONTEXT_INPUTS[n_by_kind:], context[n_by_kind:], weights[n_by_kind:], strict=True
        )
        found += [
            FeatureContribution(_OF_CONTEXT + name, float(value), float(weight))
            for name, value, weight in rest
            if value
        ]
        return found

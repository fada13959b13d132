"""The model of support, as `lab.recipes.support` learns it.

    log odds by own inputs   = base + sum of boosted trees over the inputs of the word
    log odds of the support  = bias + weights . context, in which those of the word and of the words
                               around it are

Both are sums over inputs (of trees as tokalign.relations.forest says), so an explanation is exact.
"""

from __future__ import annotations

from functools import cache
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from tokalign.errors import ResourceError
from tokalign.files.tables import Table
from tokalign.grounding.candidates import AnswerWords
from tokalign.grounding.context import CONTEXT_INPUTS, N_PARTS, PARTS, context_inputs
from tokalign.grounding.inputs import INPUTS
from tokalign.ranking.weights import BIAS, by_size
from tokalign.relations.forest import Forest
from tokalign.types import FeatureContribution

TABLE = "support"
_OF_CONTEXT = "context-"
_N_BY_KIND = CONTEXT_INPUTS.index(f"no-{PARTS[1]}")
"""Inputs before this one are parts, for all kinds of words and then for some."""


class ScoresWords(Protocol):
    """Trees over the inputs of a word."""

    def scores(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return log odds, shape (n_rows, 1)."""


class ExplainsWords(ScoresWords, Protocol):
    """Trees that also say what each input adds, as Forest does."""

    def contributions(self, row: NDArray[np.float32], output: int) -> NDArray[np.float64]:
        """Return what each input of a row adds to an output, the base last."""


class SupportScores:
    """Says how likely sources support each word of a sentence.

    Parameters
    ----------
    word : ScoresWords
        Of INPUTS.
    context : float64 array, shape (n_context_inputs + 1,)
        Weights in the order of CONTEXT_INPUTS, then the bias.
    """

    def __init__(self, word: ScoresWords, context: NDArray[np.float64]) -> None:
        self._word = word
        self._context = context

    def own_log_odds(self, inputs: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the log odds of words by their own inputs, shape (n_words,)."""
        found: NDArray[np.float64] = self._word.scores(inputs)[:, 0]
        return found

    def supports(self, words: AnswerWords, inputs: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the support of each word, in [0, 1]."""
        context = context_inputs(words, self.own_log_odds(inputs))
        log_odds = context @ self._context[:-1] + self._context[-1]
        found: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-log_odds))
        return found


class SupportModel(SupportScores):
    """Says how likely sources support each word of a sentence, and why.

    Parameters
    ----------
    word : ExplainsWords
        Of INPUTS.
    context : float64 array, shape (n_context_inputs + 1,)
        As in SupportScores.
    """

    _word: ExplainsWords

    def __init__(self, word: ExplainsWords, context: NDArray[np.float64]) -> None:
        super().__init__(word, context)

    @classmethod
    @cache
    def open_shipped(cls) -> Self:
        """Return the model that ships with the package, read once for each process."""
        return cls.of(Table.open_shipped(TABLE))

    @classmethod
    def of(cls, table: Table) -> Self:
        """Return the model of a table.

        Raises
        ------
        ResourceError
            If the table is damaged, or of other inputs.
        """
        wanted = {"inputs": INPUTS, "context_inputs": CONTEXT_INPUTS}
        if any(table.strings(name) != list(names) for name, names in wanted.items()):
            raise ResourceError(f"{table.path}: made for other inputs; rebuild it")
        context = table.array("context", np.float64, (len(CONTEXT_INPUTS) + 1,))
        if not np.isfinite(context).all():
            raise ResourceError(f"{table.path}: a weight is no finite number")
        return cls(Forest(table, "word", len(INPUTS), 1), context)

    def explain(
        self, words: AnswerWords, inputs: NDArray[np.float32]
    ) -> list[tuple[FeatureContribution, ...]]:
        """Return what makes each word's log odds; they sum to them.

        What the word's own log odds add is told input by input: there the weight is what the input
        adds for each unit, or all of it where the input is 0 and its value therefore shown as 1.
        Names of what others add begin with ``context-``.
        """
        context = context_inputs(words, self.own_log_odds(inputs))
        return [
            by_size([*self._of_word(*row), *self._of_context(row[1])])
            for row in zip(inputs, context, strict=True)
        ]

    def _of_parts(self, context: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what each part adds, with its weight for words of this kind."""
        added = self._context[:_N_BY_KIND] * context[:_N_BY_KIND]
        found: NDArray[np.float64] = added.reshape(-1, N_PARTS).sum(axis=0)
        return found

    def _of_word(
        self, inputs: NDArray[np.float32], context: NDArray[np.float64]
    ) -> list[FeatureContribution]:
        each = self._word.contributions(inputs, 0)
        own = float(each.sum())  # before it was cut off
        scale = float(self._of_parts(context)[0]) / own if own else 0.0
        added = (each * scale).tolist()
        bias = added.pop() + float(self._context[-1])
        return [
            FeatureContribution(BIAS, 1.0, bias),
            *(
                _contribution(name, value, nats)
                for name, value, nats in zip(INPUTS, inputs.tolist(), added, strict=True)
                if nats
            ),
        ]

    def _of_context(self, context: NDArray[np.float64]) -> list[FeatureContribution]:
        rest = self._context[_N_BY_KIND:-1] * context[_N_BY_KIND:]
        added = [*self._of_parts(context)[1:].tolist(), *rest.tolist()]
        names = [*PARTS[1:], *CONTEXT_INPUTS[_N_BY_KIND:]]
        values = [*context[1:N_PARTS].tolist(), *context[_N_BY_KIND:].tolist()]
        return [
            _contribution(_OF_CONTEXT + name, value, nats)
            for name, value, nats in zip(names, values, added, strict=True)
            if nats
        ]


def _contribution(name: str, value: float, nats: float) -> FeatureContribution:
    return (
        FeatureContribution(name, value, nats / value)
        if value
        else FeatureContribution(name, 1.0, nats)
    )

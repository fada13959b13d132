"""The support of a word: the probability that the sources state it, from the aligned sentences.

    log odds by own inputs   = base + sum of boosted trees over the inputs of the word
    log odds of the support  = bias + weights . context

The context is the log odds, by their own inputs, of the word and of the words around it: function
words and punctuation, which say little, need those of others most. Both formulas are sums over
inputs (for trees see tokalign.relations.related_units), so explanations are exact.
`lab.recipes.support` trains the model.

Inputs of a word are in [0, 1]. Inputs of evidence are a maximum or a union over the aligned
sentences, or say what any sentence holds: but for `best-`, they never fall when a passage is added.
A passage without an aligned sentence changes none. Names of inputs:

    COLUMN, COLUMN-union    the largest over the candidates, and 1 - product of (1 - value)
    second-mass             the second largest
    placed-mass             the largest MASS * COVER
    left-, right-           of the content word before or after
    near-                   mean over the content words around, of weight 1 / distance
    held                    whether any sentence holds the word's stem; also for each kind of word
    holders                 how many do: log(1 + n) / log(10), at most 1
    joined-left, -right     whether the word stands beside the next word to that side in a sentence
    run                     how many words around stand beside one another in the sources: 1 - 1 / n
    beside-left, -right     whether a sentence holds the word and the content word before or after
    company                 of the sentences that hold the word, the largest share of the answer's
                            sentence held
    union-cover, held-cover share of the answer's sentence that has partners, or is held
    value                   whether the sources hold the value that the word is a part of
    best-mass, best-held    of the aligned sentence with the largest COVER
    idf, is-KIND, length    of the word and its sentence, whatever the sources

Inputs of the context, whose log odds are cut off at 5 to each side:

    own                     of the word itself
    left, right             of the content word before and after it
    head, child             of the content word above it in the tree, the least of those below it
    before, after           of the next word, whatever it is
    mean, least             over the content words of the sentence
    function-X, mark-X, value-X   X where the word is of that kind
    no-X                    whether there is no X
    tag-T, after-T          whether the word's tag, or that of the word before it, begins with T
    place, from-start, from-end   where in the sentence the word is
    before-2, before-3, after-2, after-3    of the words two and three places away
    phrase, phrase-least    mean and least of the content words of its phrase, which begins with a
                            comma, a preposition, a conjunction or a relative
    below, above-below      mean of the content words at and below it in the tree, and of its head

Marks count for nothing here: the word before another, a word's place and the length of a sentence
are those among its words. So a final stop changes no support.
"""

from functools import cache
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from tokalign.errors import ResourceError
from tokalign.files.tables import Table
from tokalign.grounding.answer_words import AnswerWords
from tokalign.grounding.support_inputs import CONTEXT_INPUTS, INPUTS, PARTS, context_inputs
from tokalign.ranking.judge import BIAS, by_size
from tokalign.relations.related_units import Forest
from tokalign.types import FeatureContribution

TABLE = "support"
_OF_CONTEXT = "context-"
_N_PARTS = len(PARTS)
_N_BY_KIND = CONTEXT_INPUTS.index(f"no-{PARTS[1]}")
"""Number of inputs that are parts, for all kinds of words and then for some."""


class ScoresWords(Protocol):
    """Trees over the inputs of a word, as Forest has them."""

    def scores(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return log odds, shape (n_rows, 1)."""

    def contributions(self, row: NDArray[np.float32], output: int) -> NDArray[np.float64]:
        """Return the contributions of a row's inputs to an output, the base last."""


class SupportModel:
    """Predicts and explains the support of each word of a sentence.

    `word`: of INPUTS. `context` (float64 array, shape (n_context_inputs + 1,)): weights in the
    order of CONTEXT_INPUTS, then the bias.
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

    @classmethod
    @cache
    def open_shipped(cls) -> Self:
        """Return the shipped model, read once for each process."""
        return cls.of(Table.open_shipped(TABLE))

    @classmethod
    def of(cls, table: Table) -> Self:
        """Return the model of a table; raise ResourceError if the table is damaged, or made for
        other inputs."""
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
        """Return the contributions to each word's log odds, which sum to them.

        The word's own log odds are split by input: the weight is the contribution per unit of the
        input, or the whole contribution if the input is 0, whose value is then shown as 1. Names of
        other contributions begin with ``context-``.
        """
        context = context_inputs(words, self.own_log_odds(inputs))
        return [
            by_size([*self._of_word(*row), *self._of_context(row[1])])
            for row in zip(inputs, context, strict=True)
        ]

    def _of_parts(self, context: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the contribution of each part, with its weight for words of this kind."""
        added = self._context[:_N_BY_KIND] * context[:_N_BY_KIND]
        found: NDArray[np.float64] = added.reshape(-1, _N_PARTS).sum(axis=0)
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
        values = [*context[1:_N_PARTS].tolist(), *context[_N_BY_KIND:].tolist()]
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

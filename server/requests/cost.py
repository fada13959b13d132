"""Cost of pairs, known from the request before any work is done.

The unit is a typical pair: one of RTE2's lengths, 29 and 10 tokens, about 0.15 ms of a worker with
the model `en`. Time grows with the cells (source times target tokens), with the letters of the
words that are compared, and because of the chains' transitions with the cells times the tokens of
both sides. See docs/operations.md; `python -m bench.speed cost` measures what rates.py holds.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from tokalign.codec.options import RequestOptions
from tokalign.codec.reading import sizes
from tokalign.codec.servers import ModelInfo
from tokalign.server.config import RequestLimits
from tokalign.server.requests.limits import max_sentence_bytes
from tokalign.server.requests.rates import MODEL, USUAL_BYTES, Rates, of_model, with_options
from tokalign.types.options import AlignOptions, Detail

UNIT_US = 150.0
# Work so many seconds ago counts a third.
SPEED_S = 1.0
# Work that the unit's speed stands for at the start, so that a first pair, which finds nothing in
# memory and takes thirty times as long as another, does not make the server refuse the next ones.
FORESEEN_S = 0.5

# Microseconds of constraints: of a pair that has some, of each of their bytes, and of each cell.
CONSTRAINED_US = 100.0
CONSTRAINT_BYTE_US = 0.3
CONSTRAINED_CELL_US = 0.08
# Of grounding: its pairs have their targets in common, and no links are written. Then what comes
# beside the pairs, for a sentence of the answer and for passages.
GROUND_PAIRS = 0.6
SENTENCE_US = 400.0
PASSAGE_US = 20.0
PASSAGE_BYTE_US = 0.6
# Of a sentence of two texts, beside its pairs.
PLANNED_US = 50.0

# Bytes of an answer, measured on usual and on long pairs. A pair of n and m tokens is taken to have
# as many links as its shorter side has tokens.
PAIR_BYTES = 40
LINK_BYTES = 5
TOKEN_BYTES = 9
POSTERIORS_CELL_BYTES = 4
PHRASES_LINK_BYTES = 9
RELATIONS_LINK_BYTES = 17
EXPLAIN_LINK_BYTES = 2_000
EDITS_TOKEN_BYTES = 2


class Size(NamedTuple):
    """Tokens and bytes of a pair."""

    n_source: int
    n_target: int
    source_bytes: int
    target_bytes: int
    constraint_bytes: int = 0

    @classmethod
    def usual(cls, n_source: int, n_target: int) -> Size:
        """Return the size of a pair of usual words."""
        return cls(n_source, n_target, round(USUAL_BYTES * n_source), round(USUAL_BYTES * n_target))


# Without names, as it is counted: names take longer to give than the rest does.
AnySize: TypeAlias = tuple[int, int, int, int, int]


class CostModel:
    """The cost of pairs at a server with its models.

    Parameters
    ----------
    annotators : iterable of str
        Names.
    """

    def __init__(
        self, limits: RequestLimits, models: Iterable[ModelInfo], annotators: Iterable[str]
    ) -> None:
        self.limits = limits
        self._most = limits.max_tokens, 2 * max_sentence_bytes(limits)
        self._encoders = {model.name: model.encoder for model in models}
        self._rates = {
            (name, annotator): of_model(name, annotator)
            for name in self._encoders
            for annotator in annotators
        }
        # Most requests ask for the same options.
        self._latest: tuple[RequestOptions | None, Rates] = (None, MODEL)

    def rates(self, options: RequestOptions) -> Rates:
        """Return the rates of the model, the annotator and the options that a request names."""
        latest, rates = self._latest
        if options is not latest:
            rates = self._rates[options.model, options.annotator]
            rates = with_options(rates, self._encoders[options.model], options)
            self._latest = options, rates
        return rates

    def of_pairs(self, sizes: Iterable[AnySize], options: RequestOptions) -> list[int]:
        """Return what pairs cost each, in typical pairs, at least 1."""
        rates = self.rates(options)
        costs = []
        for n_source, n_target, source_bytes, target_bytes, constraint_bytes in sizes:
            n_tokens, n_cells = n_source + n_target, n_source * n_target
            token_bytes = (source_bytes + target_bytes) / (n_tokens or 1)
            us = rates.us(1, n_tokens, n_cells, n_cells * n_tokens, token_bytes)
            if constraint_bytes:
                us += CONSTRAINED_US + CONSTRAINT_BYTE_US * constraint_bytes
                us += CONSTRAINED_CELL_US * n_cells
            costs.append(round(us / UNIT_US) or 1)
        return costs

    def of_grounding(
        self,
        sources: tuple[int, float, float],
        n_words: int,
        n_passages: int,
        n_bytes: float,
        options: RequestOptions,
    ) -> int:
        """Return what a sentence of an answer costs that is grounded, in typical pairs.

        Parameters
        ----------
        sources : tuple of (int, float, float)
            Of the sentences that it is aligned with: how many there are, their tokens together,
            and the sum of the squares of their numbers of tokens.
        n_words : int
            Of the answer's sentence.
        n_bytes : float
            Of the passages, as far as this sentence is charged with splitting them.
        """
        n_sources, n_tokens, n_squares = sources
        pairs_us = self.rates(options).us(
            n_sources,
            n_tokens + n_sources * n_words,
            n_tokens * n_words,
            n_squares * n_words + n_tokens * n_words**2,
        )
        us = SENTENCE_US + PASSAGE_US * n_passages + PASSAGE_BYTE_US * n_bytes
        return round((us + GROUND_PAIRS * pairs_us) / UNIT_US)

    def sizes(self, pairs: Iterable[bytes], shared: bytes = b"") -> list[AnySize]:
        """Return the sizes of pairs.

        Parameters
        ----------
        pairs : iterable of bytes
            Serialised tokalign.v1.Pair messages. Bytes that are no such message count as nothing,
            because they are refused.
        shared : bytes
            The serialised Pair.target of all pairs, or empty.
        """
        found = [sizes(data, *self._most) for data in pairs]
        if shared:
            _, n_target, _, target_bytes, _ = sizes(shared, *self._most)
            found = [
                (n_source, n_target, source_bytes, target_bytes, constraint_bytes)
                for n_source, _, source_bytes, _, constraint_bytes in found
            ]
        return found


def plan_cost(n_bytes: int, n_sentences: int = 0) -> int:
    """Return what two texts cost beside their pairs: to be split, planned and compared."""
    return round((PASSAGE_BYTE_US * n_bytes + PLANNED_US * n_sentences) / UNIT_US)


def answer_bytes(sizes: Iterable[AnySize], options: AlignOptions) -> list[int]:
    """Return about how many bytes the answer for each pair takes."""
    link_bytes = LINK_BYTES
    if options.phrases:
        link_bytes += PHRASES_LINK_BYTES
    if options.relations:
        link_bytes += RELATIONS_LINK_BYTES
    if options.explain:
        link_bytes += EXPLAIN_LINK_BYTES
    token_bytes = EDITS_TOKEN_BYTES if options.edits else 0
    text_bytes = 0
    if options.detail is Detail.FULL:
        token_bytes += TOKEN_BYTES
        text_bytes = 2  # the text, and its tokens
    elif options.detail is Detail.SCORES:
        link_bytes = 0
    cell_bytes = POSTERIORS_CELL_BYTES if options.posteriors else 0
    found = []
    for n_source, n_target, source_bytes, target_bytes, _ in sizes:
        found.append(
            PAIR_BYTES
            + link_bytes * min(n_source, n_target)
            + token_bytes * (n_source + n_target)
            + text_bytes * (source_bytes + target_bytes)
            + cell_bytes * n_source * n_target
        )
    return found


class Speed:
    """The work that one worker does per second, measured over the latest work.

    Time without work does not count. So a server that was idle does not take itself for slow.

    Attributes
    ----------
    cost_per_s : float
        Typical pairs per second; before any work, what the unit says.
    """

    def __init__(self) -> None:
        self.cost_per_s = 1e6 / UNIT_US
        self._cost = FORESEEN_S * self.cost_per_s
        self._seconds = FORESEEN_S

    def add(self, cost: int, seconds: float) -> None:
        """Count a shard. Those of about the last second of work decide.

        Of a longer one a second counts, so that a worker that stood still is soon forgotten.
        """
        seconds = min(seconds, SPEED_S)
        kept = math.exp(-seconds / SPEED_S)
        self._cost = kept * self._cost + cost
        self._seconds = kept * self._seconds + max(seconds, 1e-6)
        self.cost_per_s = self._cost / self._seconds

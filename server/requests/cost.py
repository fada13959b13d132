"""Cost of pairs, known from the request before any work is done.

The unit is a typical pair: one of RTE2's lengths, 29 and 10 tokens, about 0.15 ms of a worker. Time
grows with the cells (source times target tokens). Because of the chains' transitions, it grows with
the cells times the tokens of both sides as well. See docs/operations.md; `python -m bench.speed
cost` measures the factors below.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from tokalign.codec.sizes import n_tokens
from tokalign.server.config import RequestLimits
from tokalign.server.requests.limits import max_sentence_bytes
from tokalign.types.options import AlignOptions

UNIT_US = 150.0
# Work so many seconds ago counts a third.
SPEED_S = 1.0

# Microseconds, model `en`, measured by `python -m bench.speed cost`.
PAIR_US = 30.0
TOKEN_US = 2.2
CELL_US = 0.12
CELL_TOKEN_US = 0.00009
# Added by options. An alignment has at most about one link for every two tokens, and each link is
# explained twice.
POSTERIORS_CELL_US = 0.04
PHRASES_TOKEN_US = 3.0
PHRASES_CELL_US = 0.06
EXPLAIN_TOKEN_US = 60.0
EDITS_TOKEN_US = 8.0
# Of grounding: its pairs have their targets in common, and no links are written. Then what comes
# beside the pairs, for a sentence of the answer and for passages.
GROUND_PAIRS = 0.6
SENTENCE_US = 400.0
PASSAGE_US = 20.0
PASSAGE_BYTE_US = 0.6

# Bytes of an answer, measured on usual and on long pairs.
PAIR_BYTES = 64
TOKEN_BYTES = 32
POSTERIORS_CELL_BYTES = 4
PHRASES_TOKEN_BYTES = 10
EXPLAIN_TOKEN_BYTES = 1_800
EDITS_TOKEN_BYTES = 5


def of_pair(n_source: int, n_target: int, options: AlignOptions) -> int:
    """Return what a pair costs, in typical pairs, at least 1.

    Parameters
    ----------
    n_source, n_target : int
        Tokens.
    options : AlignOptions

    Examples
    --------
    >>> of_pair(29, 10, AlignOptions()), of_pair(29, 10, AlignOptions(explain=True))
    (1, 17)
    >>> of_pair(512, 512, AlignOptions())
    386
    """
    (cost,) = of_pairs([(n_source, n_target)], options)
    return cost


def of_pairs(sizes: Iterable[tuple[int, int]], options: AlignOptions) -> list[int]:
    """Return what pairs of these sizes cost each; see `of_pair`."""
    cell_us, token_us = CELL_US, TOKEN_US
    if options.posteriors:
        cell_us += POSTERIORS_CELL_US
    if options.phrases:
        token_us += PHRASES_TOKEN_US
        cell_us += PHRASES_CELL_US
    if options.explain:
        token_us += EXPLAIN_TOKEN_US
    if options.edits:
        token_us += EDITS_TOKEN_US
    costs = []
    for n_source, n_target in sizes:
        n_tokens, n_cells = n_source + n_target, n_source * n_target
        us = PAIR_US + token_us * n_tokens + (cell_us + CELL_TOKEN_US * n_tokens) * n_cells
        costs.append(round(us / UNIT_US) or 1)
    return costs


def of_grounding(
    sources: tuple[int, float, float], n_words: int, n_passages: int, n_bytes: float
) -> int:
    """Return what a sentence of an answer costs that is grounded, in typical pairs.

    Parameters
    ----------
    sources : tuple of (int, float, float)
        Of the sentences that it is aligned with: how many there are, their tokens together, and the
        sum of the squares of their numbers of tokens.
    n_words : int
        Of the answer's sentence.
    n_passages : int
    n_bytes : float
        Of the passages, as far as this sentence is charged with splitting them.

    Examples
    --------
    >>> of_grounding((30, 900.0, 27_000.0), 25, 10, 1_000)
    37
    """
    n_sources, n_tokens, n_squares = sources
    pairs_us = PAIR_US * n_sources + TOKEN_US * (n_tokens + n_sources * n_words)
    pairs_us += CELL_US * n_tokens * n_words
    pairs_us += CELL_TOKEN_US * (n_squares * n_words + n_tokens * n_words**2)
    us = SENTENCE_US + PASSAGE_US * n_passages + PASSAGE_BYTE_US * n_bytes
    return round((us + GROUND_PAIRS * pairs_us) / UNIT_US)


def answer_bytes(sizes: Sequence[tuple[int, int]], options: AlignOptions) -> int:
    """Return about how many bytes the answer for pairs of these sizes takes."""
    token_bytes = TOKEN_BYTES
    if options.phrases:
        token_bytes += PHRASES_TOKEN_BYTES
    if options.explain:
        token_bytes += EXPLAIN_TOKEN_BYTES
    if options.edits:
        token_bytes += EDITS_TOKEN_BYTES
    n_bytes = PAIR_BYTES * len(sizes) + token_bytes * sum(map(sum, sizes))
    if options.posteriors:
        n_bytes += POSTERIORS_CELL_BYTES * sum(n_source * n_target for n_source, n_target in sizes)
    return n_bytes


def sizes_of(pairs: Iterable[bytes], shared: bytes, limits: RequestLimits) -> list[tuple[int, int]]:
    """Return about how many tokens the sources and targets of pairs have.

    Parameters
    ----------
    pairs : iterable of bytes
        Serialised tokalign.v1.Pair messages. Bytes that are no such message count as nothing,
        because they are refused.
    shared : bytes
        The serialised Pair.target of all pairs, or empty.
    limits : RequestLimits
    """
    max_bytes = 2 * max_sentence_bytes(limits)
    sizes = [n_tokens(data, limits.max_tokens, max_bytes) for data in pairs]
    if shared:
        _, n_shared = n_tokens(shared, limits.max_tokens, max_bytes)
        sizes = [(n_source, n_shared) for n_source, _ in sizes]
    return sizes


class Speed:
    """The work that one worker does per second, measured over the latest work.

    Time without work does not count. So a server that was idle does not take itself for slow.

    Attributes
    ----------
    cost_per_s : float
        Before any work, what the unit says.
    """

    def __init__(self) -> None:
        self._cost = 1.0
        self._seconds = UNIT_US / 1e6

    @property
    def cost_per_s(self) -> float:
        """Typical pairs per second."""
        return self._cost / self._seconds

    def add(self, cost: int, seconds: float) -> None:
        """Count a shard. Those of about the last second of work decide.

        Of a longer one a second counts, so that a worker that stood still is soon forgotten.
        """
        seconds = min(seconds, SPEED_S)
        kept = math.exp(-seconds / SPEED_S)
        self._cost = kept * self._cost + cost
        self._seconds = kept * self._seconds + max(seconds, 1e-6)

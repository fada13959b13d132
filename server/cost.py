"""What a pair costs, known from the request before any work is done.

The unit is a typical pair: one of RTE2's lengths, 29 and 10 tokens, some 0.25 ms of a worker. Time
grows with the cells (source times target tokens) and, through the chains' transitions, with the
cells times the tokens of both sides; see docs/operations.md, and bench/cost.py, which measures the
factors below.
"""

from __future__ import annotations

from collections.abc import Iterable

from google.protobuf.message import DecodeError
from tokalign.server.config import RequestLimits
from tokalign.server.requests import max_sentence_bytes
from tokalign.types import AlignOptions
from tokalign.v1 import align_pb2

UNIT_US = 250.0

# Microseconds, model `en`, measured by bench/cost.py.
PAIR_US = 60.0
TOKEN_US = 4.0
CELL_US = 0.35
CELL_TOKEN_US = 0.0009
# What options add. An alignment has about one link for every two tokens at most, each of which is
# explained twice.
POSTERIORS_CELL_US = 0.04
PHRASES_TOKEN_US = 3.0
EXPLAIN_TOKEN_US = 85.0

_SPACES = bytes(range(33)) + b"-"
_LETTERS = bytes(
    set(range(33, 256))
    - set(b"-\"'`:,.;@#$%&?!()[]{}<>")
    # First bytes of the characters up to U+00BF and from U+0800 on, where there is punctuation.
    - {0xC2, *range(0xE0, 0xF5)}
)
_LETTERS_AND_SPACES = _LETTERS + _SPACES


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
    (1, 15)
    >>> of_pair(512, 512, AlignOptions())
    1350
    """
    n_tokens, n_cells = n_source + n_target, n_source * n_target
    cell_us = CELL_US + CELL_TOKEN_US * n_tokens
    token_us = TOKEN_US
    if options.posteriors:
        cell_us += POSTERIORS_CELL_US
    if options.phrases:
        token_us += PHRASES_TOKEN_US
    if options.explain:
        token_us += EXPLAIN_TOKEN_US
    return max(1, round((PAIR_US + token_us * n_tokens + cell_us * n_cells) / UNIT_US))


def of_pairs(
    pairs: Iterable[bytes], shared: bytes, options: AlignOptions, limits: RequestLimits
) -> list[int]:
    """Return what each pair costs.

    Parameters
    ----------
    pairs : iterable of bytes
        Serialised tokalign.v1.Pair messages; what is none costs next to nothing, as it is refused.
    shared : bytes
        The serialised Pair.target of all pairs, or empty.
    options : AlignOptions
    limits : RequestLimits
    """
    n_shared = _tokens_of_both(shared, limits)[1] if shared else 0
    both = (_tokens_of_both(data, limits) for data in pairs)
    return [of_pair(n_source, n_shared or n_target, options) for n_source, n_target in both]


def _tokens_of_both(data: bytes, limits: RequestLimits) -> tuple[int, int]:
    if len(data) > 2 * max_sentence_bytes(limits):
        return limits.max_tokens, limits.max_tokens
    try:
        pair = align_pb2.Pair.FromString(data)
    except DecodeError:
        return 0, 0
    return n_tokens(pair.source, limits), n_tokens(pair.target, limits)


def n_tokens(sentence: align_pb2.Sentence, limits: RequestLimits) -> int:
    """Return how many tokens of a sentence are worked on: the given ones, or an estimate.

    A sentence beyond the limits is refused after tokenising, so it counts as one at the limit.
    """
    given = len(sentence.tokens)
    return min(given or estimated_tokens(sentence.text), limits.max_tokens)


def estimated_tokens(text: str) -> int:
    """Return the number of tokens that a text has at most, but for contractions.

    Spaces separate two tokens, and a sign is one between two. Contractions without a sign
    ("cannot") make it too small by a factor of two at most; signs beside spaces and dots in a row
    make it a little too large in English text, by a tenth on average.

    Examples
    --------
    >>> estimated_tokens("Dogs bark.")
    4
    """
    data = text.encode(errors="replace")
    n_separators = len(data.translate(None, _LETTERS))
    n_signs = len(data.translate(None, _LETTERS_AND_SPACES))
    return 1 + n_separators + n_signs

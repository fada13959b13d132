"""Texts of several pairs, of which an encoder learns to say what it says of each pair alone.

Its training pairs are sentences, and people send paragraphs as well. The encoder itself stands for
the gold: a token's partner in a text has the probability that the pair alone gives it, and tokens
of other pairs have none. So no more links are needed, and what it says of sentences stays.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from lab.recipes.neural.teaching import TaughtPair

N_JOINED, N_ALONE = 1200, 2500
"""Texts, and pairs alone, to learn from."""
MOST = 9
"""Pairs of a text, at least two; those too long for the encoder are left out."""
MOST_REPEATED = 5
REPEATED, SHUFFLED, ALONE = 0.12, 0.3, 0.4
"""Share of the texts that are one pair again and again; of the others, with targets in another
order, and, of either side, without one of its sentences."""
IMPOSSIBLE = -30.0
"""Log-probability of a partner in another pair."""
SEED = 1


def lengthened(pools: Sequence[Sequence[TaughtPair]]) -> list[TaughtPair]:
    """Return texts of pairs, each drawn from one pool, and pairs alone.

    Parameters
    ----------
    pools : sequence of sequence of TaughtPair
        Each with at least MOST pairs.
    """
    chooser = random.Random(SEED)
    texts = [drawn(chooser.choice(pools), chooser) for _ in range(N_JOINED)]
    return texts + chooser.sample([pair for pool in pools for pair in pool], N_ALONE)


def drawn(pool: Sequence[TaughtPair], chooser: random.Random) -> TaughtPair:
    """Return a text of pairs of a pool."""
    if chooser.random() < REPEATED:
        n_pairs = chooser.randint(2, MOST_REPEATED)
        return joined([chooser.choice(pool)] * n_pairs, range(n_pairs), range(n_pairs))
    pairs = chooser.sample(pool, chooser.randint(2, MOST))
    sources, targets = [*range(len(pairs))], [*range(len(pairs))]
    if chooser.random() < SHUFFLED:
        chooser.shuffle(targets)
    for side in (sources, targets):
        if chooser.random() < ALONE:
            side.pop(chooser.randrange(len(side)))
    return joined(pairs, sources, targets)


def joined(
    pairs: Sequence[TaughtPair], sources: Sequence[int], targets: Sequence[int]
) -> TaughtPair:
    """Return the text of some pairs' sources with that of some pairs' targets.

    Parameters
    ----------
    pairs : sequence of TaughtPair
    sources, targets : sequence of int
        Numbers of pairs, in the order in which their sentences stand. A sentence whose partner is
        missing has no links.
    """
    source = [token for k in sources for token in pairs[k].source]
    target = [token for k in targets for token in pairs[k].target]
    source_at = _places(sources, [len(pairs[k].source) for k in sources])
    target_at = _places(targets, [len(pairs[k].target) for k in targets])
    said = (
        _rows([pair.said[0] for pair in pairs], source_at, target_at, len(source), len(target)),
        _rows([pair.said[1] for pair in pairs], target_at, source_at, len(target), len(source)),
    )
    return TaughtPair(tuple(source), tuple(target), said, is_usual=True)


def _places(numbers: Sequence[int], lengths: Sequence[int]) -> dict[int, int]:
    """Return where the sentence of each numbered pair starts in its text."""
    starts = np.cumsum([0, *lengths[:-1]]).tolist()
    return dict(zip(numbers, starts, strict=True))


def _rows(
    said: Sequence[NDArray[np.float32]],
    own_at: Mapping[int, int],
    other_at: Mapping[int, int],
    n_own: int,
    n_other: int,
) -> NDArray[np.float32]:
    """Return the log-probabilities of a text's tokens, out of those of its pairs' tokens."""
    rows = np.full((n_own, 1 + n_other), IMPOSSIBLE, dtype=np.float32)
    for number, start in own_at.items():
        own = said[number]
        place = slice(start, start + len(own))
        if number in other_at:
            first = 1 + other_at[number]
            rows[place, 0] = own[:, 0]
            rows[place, first : first + own.shape[1] - 1] = own[:, 1:]
        else:
            rows[place, 0] = 0.0
    return rows

"""Aligned pairs rewritten as users write, for training.

Corpora hold few typos, short forms, glued units or values that two people write in two ways, so a
model learns from them too little of the rules for such words (`features._word_pairs`). Here
one side of an aligned pair is rewritten in a few places: words are misspelt, shortened, joined or
split, names become acronyms, numbers, money, measures and dates are written in another way. A new
token has all the links of those that it stands for. What a rewriter does and no rule sees is left
out: a model would learn from it to link words that have nothing in common. The same seed gives the
same pairs.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

import numpy as np
from tokalign.english.annotate import Annotator, load_annotator
from tokalign.features.extract import Extractor
from tokalign.features.feature_groups import FeatureTable, Lexicons
from tokalign.model.training import TrainingData
from tokalign.types import GoldPair, Sentence

from lab.recipes.rewriters import REWRITERS

SHARE = 0.4
"""Of the pairs that are rewritten."""
MOST_PLACES = 3
"""Places of a side that are rewritten, at most."""
LOWER_CASED = UNMARKED = 0.25
"""Share of the rewritten sides that lose their capitals, or the mark at their end."""
SUFFIX = "-rewritten"
"""Of the ids."""


def _places(
    tokens: Sequence[str], linked: frozenset[int], rng: random.Random
) -> Iterator[tuple[int, int, str]]:
    """Yield places to rewrite: first token, end and new text; kinds take turns, none overlap."""
    by_kind = []
    for rewriter, chance in REWRITERS.items():
        if rng.random() >= chance:
            continue
        found = []
        for at in range(len(tokens)):
            span = rewriter(tokens, at, rng) if at in linked else None
            if span is not None:
                found.append((at, at + span[0], span[1]))
        if found:
            by_kind.append(found)
    rng.shuffle(by_kind)
    taken: set[int] = set()
    for found in by_kind:
        at, end, text = rng.choice(found)
        if taken.isdisjoint(range(at, end)):
            taken.update(range(at, end))
            yield at, end, text


def _written(
    tokens: Sequence[str], places: Sequence[tuple[int, int, str]]
) -> tuple[list[str], list[range]]:
    """Return a sentence with some places rewritten, and what each token stands for."""
    starts = {at: (end, text) for at, end, text in places}
    written: list[str] = []
    origins: list[range] = []
    at = 0
    while at < len(tokens):
        end, text = starts.get(at, (at + 1, ""))
        new = _tokens(text) if text else (tokens[at],)
        written += new
        origins += [range(at, end)] * len(new)
        at = end
    return written, origins


@cache
def _annotator() -> Annotator:
    return load_annotator("native")


def _tokens(text: str) -> tuple[str, ...]:
    """Return the tokens of a piece of text."""
    (sentence,) = _annotator().annotate([text], trees=False)
    return sentence.tokens


class RuleFinder:
    """Tells which tokens of two sentences a rule of the feature group "rules" joins."""

    def __init__(self) -> None:
        table = FeatureTable(("string", "rules"))
        lexicons = Lexicons.for_groups(("vectors", "wordnet"))
        self._extractor = Extractor(
            lexicons.wordnet, table.base, lexicons.vectors, None, lexicons.frequencies
        )
        self._slots = [k for k in range(table.n_slots) if table.name(k).startswith("rule[")]

    def cells(self, old: Sequence[str], new: Sequence[str]) -> set[tuple[int, int]]:
        """Return the cells of two sentences that have a rule."""
        source, target = _annotator().annotate(
            [Sentence.from_tokens(old), Sentence.from_tokens(new)], trees=False
        )
        row_start, slot, _ = self._extractor.rows(source, target)
        rows = np.searchsorted(row_start, np.flatnonzero(np.isin(slot, self._slots)), "right") - 1
        return {divmod(row, len(new)) for row in rows.tolist() if row < len(old) * len(new)}


def rewritten_side(
    tokens: Sequence[str], linked: frozenset[int], rng: random.Random, rules: RuleFinder
) -> tuple[list[str], list[range]]:
    """Return a sentence rewritten in some places.

    Parameters
    ----------
    tokens : sequence of str
    linked : frozenset of int
        Tokens that have links; others are rewritten only as a part of a place.
    rng : random.Random
    rules : RuleFinder

    Returns
    -------
    tokens : list of str
    origins : list of range
        For each token the old ones that it stands for.
    """
    places = []
    for place in _places(tokens, linked, rng):
        new, origins = _written(tokens, [place])
        seen = rules.cells(tokens, new)
        if any(i in origin for k, origin in enumerate(origins) for i in origin if (i, k) in seen):
            places.append(place)
        if len(places) == MOST_PLACES:
            break
    written, origins = _written(tokens, places)
    if rng.random() < LOWER_CASED:
        written = [token.lower() for token in written]
    if rng.random() < UNMARKED and len(written) > 2 and written[-1] in (".", "?", "!"):
        del written[-1], origins[-1]
    return written, origins


def _rewritten_source(
    pair: GoldPair, linked: frozenset[int], rng: random.Random, rules: RuleFinder
) -> GoldPair:
    tokens, origins = rewritten_side(pair.source.tokens, linked, rng, rules)
    sure, possible = (
        frozenset((k, j) for k, origin in enumerate(origins) for i, j in some if i in origin)
        for some in (pair.sure, pair.possible)
    )
    return GoldPair(
        pair.id + SUFFIX, Sentence.from_tokens(tokens), pair.target, sure, possible - sure
    )


def _turned(pair: GoldPair) -> GoldPair:
    """Return a pair with its sides exchanged."""
    sure, possible = (frozenset((j, i) for i, j in links) for links in (pair.sure, pair.possible))
    return replace(pair, source=pair.target, target=pair.source, sure=sure, possible=possible)


def origin_of(name: str) -> str:
    """Return the id of the pair that a pair was rewritten from; of another pair its own."""
    return name.removesuffix(SUFFIX)


def with_rewritten(data: TrainingData) -> TrainingData:
    """Return training data with rewritten pairs beside the others of each corpus."""
    return replace(
        data,
        corpora={name: [*pairs, *rewritten(pairs)] for name, pairs in data.corpora.items()},
        unrelated=[*data.unrelated, *rewritten(data.unrelated, unrelated=True)],
    )


def rewritten(
    pairs: Sequence[GoldPair], share: float = SHARE, *, unrelated: bool = False, seed: int = 1
) -> list[GoldPair]:
    """Return some pairs with one side rewritten, in their order.

    Parameters
    ----------
    pairs : sequence of GoldPair
    share : float
        Of the pairs; in [0, 1].
    unrelated : bool
        Whether the pairs are unrelated ones, of which every token may be rewritten.
    seed : int
    """
    rng, rules = random.Random(seed), RuleFinder()
    found = []
    for pair in pairs:
        if rng.random() >= share:
            continue
        is_turned = rng.random() < 0.5
        old = _turned(pair) if is_turned else pair
        linked = frozenset(
            range(len(old.source)) if unrelated else (i for i, _ in old.sure | old.possible)
        )
        new = _rewritten_source(old, linked, rng, rules)
        if new.source.tokens != old.source.tokens:
            found.append(_turned(new) if is_turned else new)
    return found

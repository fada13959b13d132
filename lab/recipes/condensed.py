"""Condensed sentences: a clause of a long sentence, as answers tell one thing of many.

A clause has its predicate, with auxiliaries and negations, and its complements. What joins it to
others is left out, and so are, by chance, relative clauses and phrases beside it. Conditions stay.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from tokalign.types import Sentence

from lab.recipes.tree_chunks import with_trees

SUBJECTS = ("nsubj", "csubj")
JOINED = ("cc", "conj", "parataxis", "mark", "discourse", "vocative", "list", "dep", "punct")
"""Relations to a clause's predicate that are left out."""
BESIDE = {"acl": 0.8, "appos": 0.8, "advcl": 0.7, "obl": 0.4, "nmod": 0.3, "conj": 0.5}
"""Relations that are left out by chance, and the chance."""
KEPT = frozenset(("if", "unless", "until", "whether", "only", "except", "provided", "without"))
"""Words that are never left out with a phrase, nor before a clause."""
RELATIVE = ("WP", "WDT", "WRB", "IN")
"""Tags of words with which no clause begins that stands alone."""
SHORTEST, LONGEST = 4, 0.6
"""Tokens of what is kept, and their share of the sentence's."""

KeptTokens = tuple[int, ...]
"""Rising numbers of tokens."""


def condensed(sentence: Sentence, chance: random.Random) -> list[KeptTokens]:
    """Return the clauses of a sentence that has a tree, each condensed."""
    relations = sentence.relations or ()
    below: list[list[int]] = [[] for _ in relations]
    for at, head in enumerate(sentence.heads or ()):
        if head >= 0:
            below[head].append(at)
    predicates = [
        at
        for at, under in enumerate(below)
        if any(relations[each].startswith(SUBJECTS) for each in under)
        and any(word in under for word in range(at))
    ]
    found = []
    for top in predicates:
        if not KEPT.isdisjoint(sentence.tokens[each].lower() for each in below[top]):
            continue  # what is said under a condition alone
        kept = {top}
        for each in below[top]:
            if relations[each].partition(":")[0] not in JOINED:
                kept |= _subtree(sentence, each, below, chance)
        piece = tuple(sorted(kept))
        if SHORTEST <= len(piece) <= LONGEST * len(sentence) and (
            (sentence.tags or ())[piece[0]] not in RELATIVE
        ):
            found.append(piece)
    return found


def _whole(at: int, below: list[list[int]]) -> set[int]:
    return {at}.union(*(_whole(each, below) for each in below[at]))


def _subtree(
    sentence: Sentence, at: int, below: list[list[int]], chance: random.Random
) -> set[int]:
    """Return a word with what is below it, but for what is left out by chance."""
    relation = (sentence.relations or ())[at].removesuffix(":relcl")
    words = {sentence.tokens[each].lower() for each in _whole(at, below)}
    if chance.random() < BESIDE.get(relation, 0.0) and words.isdisjoint(KEPT):
        return set()
    return {at}.union(*(_subtree(sentence, each, below, chance) for each in below[at]))


def condensed_pairs(
    sentences: list[Sentence], seed: int
) -> Iterator[tuple[Sentence, Sentence, frozenset[tuple[int, int]]]]:
    """Yield sentences, each beside one of its clauses, which has a tree, and their links."""
    chance = random.Random(seed)
    pairs = []
    for sentence in with_trees(sentences):
        pieces = condensed(sentence, chance)
        if pieces:
            pairs.append((sentence, chance.choice(pieces)))
    texts = [
        Sentence.from_tokens([*_capital([s.tokens[at] for at in piece]), "."]) for s, piece in pairs
    ]
    for (sentence, piece), target in zip(pairs, with_trees(texts), strict=True):
        yield sentence, target, frozenset((at, k) for k, at in enumerate(piece))


def _capital(tokens: list[str]) -> list[str]:
    return [tokens[0][:1].upper() + tokens[0][1:], *tokens[1:]]

"""Pairs without links, on which the encoder of the large model teaches that of the small one.

Hinton, Vinyals and Dean (2015), "Distilling the Knowledge in a Neural Network": what the teacher
says of each token's partner stands for the gold. Two kinds of pairs are taught:

- other translations of one sentence: MTRef's pairs link sentences to groups, and two sentences of
  a group that are no pair of the corpus are of its kind;
- paraphrases and simplified sentences, of which there are many more.
"""

from __future__ import annotations

import itertools
import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from tokalign.english.annotate import load_annotator
from tokalign.features.feature_groups import Encoded
from tokalign.formats import read_gold
from tokalign.neural.encoder import Encoder
from tokalign.types import GoldPair, Sentence

from lab.recipes.corpora import MTREF, MTREF_DEV, read_paraphrases
from lab.recipes.groups import SentenceTokens, sentence_groups

N_PARAPHRASES = {"asset": 8500, "pan": 8500, "turk": 3000, "sick": 1800}
"""Pairs drawn by the first word of their ids."""
SHORTEST, LONGEST = 3, 69
"""Tokens of a side."""
SEED = 1

TokenPair = tuple[SentenceTokens, SentenceTokens]


class TaughtPair(NamedTuple):
    """A pair without links, and what the teacher says of it.

    Attributes
    ----------
    source, target : tuple of str
        Tokens.
    said : pair of float32 arrays
        As Encoder.encode returns it.
    is_usual : bool
        Whether it is of the kind of the aligned corpora, and seen as often as theirs.
    """

    source: SentenceTokens
    target: SentenceTokens
    said: Encoded
    is_usual: bool


def taught_pairs(data: Path, teacher: Encoder) -> list[TaughtPair]:
    """Return all pairs that a teacher teaches. None is a development pair."""
    aligned = list(read_gold(data / MTREF))
    known = {_unordered(tokens_of(pair)) for pair in [*aligned, *read_gold(data / MTREF_DEV)]}
    usual = [pair for pair in translations(aligned) if _unordered(pair) not in known]
    every = dict.fromkeys(filter(is_taught, [*usual, *paraphrases(data)]))
    are_usual = set(usual)
    return [pair._replace(is_usual=pair[:2] in are_usual) for pair in said_by(teacher, [*every])]


def encode_all(encoder: Encoder, pairs: Iterable[tuple[Sentence, Sentence]]) -> list[Encoded]:
    """Return an encoder's output for any number of pairs, a thousand at a time."""
    pending = iter(pairs)
    found: list[Encoded] = []
    while some := list(itertools.islice(pending, 1000)):
        found += encoder.encode(some)
    return found


def said_by(teacher: Encoder, pairs: Sequence[TokenPair]) -> list[TaughtPair]:
    """Return pairs with what a teacher says of them."""
    sentences = ((Sentence.from_tokens(a), Sentence.from_tokens(b)) for a, b in pairs)
    said = encode_all(teacher, sentences)
    return [TaughtPair(*pair, own, True) for pair, own in zip(pairs, said, strict=True)]


def translations(aligned: Iterable[GoldPair]) -> list[TokenPair]:
    """Return all pairs of two sentences that pairs lead from one to the other.

    Examples
    --------
    >>> from tokalign.types import GoldPair, Sentence
    >>> a, b, c = (Sentence.from_tokens([word]) for word in "abc")
    >>> links = frozenset({(0, 0)})
    >>> translations([GoldPair("1", a, b, links), GoldPair("2", c, b, links)])
    [(('a',), ('b',)), (('a',), ('c',)), (('b',), ('c',))]
    """
    groups = defaultdict(list)
    for tokens, group in sorted(sentence_groups(aligned).items()):
        groups[group].append(tokens)
    return [pair for group in groups.values() for pair in itertools.combinations(group, 2)]


def paraphrases(data: Path) -> list[TokenPair]:
    """Return pairs drawn from those that mean much the same, as tokens."""
    texts: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for name, source, target in read_paraphrases(data):
        texts[name.partition("-")[0]].append((source, target))
    chooser = random.Random(SEED)
    drawn: list[str] = []
    for name, count in N_PARAPHRASES.items():
        chooser.shuffle(texts[name])
        drawn += itertools.chain.from_iterable(texts[name][:count])
    sentences = load_annotator("native").annotate(drawn, trees=False)
    tokens = [tuple(sentence.tokens) for sentence in sentences]
    return list(zip(tokens[::2], tokens[1::2], strict=True))


def is_taught(pair: TokenPair) -> bool:
    """Return whether the sentences of a pair differ and are neither short nor long."""
    source, target = pair
    return source != target and all(SHORTEST <= len(side) <= LONGEST for side in pair)


def tokens_of(pair: GoldPair) -> TokenPair:
    """Return the tokens of both sides."""
    return tuple(pair.source.tokens), tuple(pair.target.tokens)


def _unordered(pair: TokenPair) -> frozenset[SentenceTokens]:
    return frozenset(pair)


def without_sentences(taught: Sequence[TaughtPair], unseen: Iterable[GoldPair]) -> list[TaughtPair]:
    """Return the pairs that have no sentence of some pairs, which the teacher has seen."""
    sentences = {tokens for pair in unseen for tokens in tokens_of(pair)}
    return [pair for pair in taught if sentences.isdisjoint((pair.source, pair.target))]

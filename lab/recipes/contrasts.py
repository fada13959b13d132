"""Made examples of relations: a sentence, and the same one with a single word exchanged.

The corpora hold few opposites and few other values. Here a word gives way to an antonym, a
hypernym, a hyponym, a synonym or a cohyponym of WordNet or to another word of its scale, a number
to another number, a name to another one of the same sentences. Words are exchanged in their base
form alone, so that none is inflected.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tokalign.english.lexicon.lexical_tables import WordNet
from tokalign.files.tables import Table
from tokalign.types import Sentence
from tokalign.types.relations import RelationKind, TokenChunk

from lab.recipes.word_scales import grades_of, words_of
from lab.recipes.wordnet import relation_bit

POS_OF_TAG = {"NN": 0, "VB": 1, "JJ": 2, "RB": 3}
"""Tags of base forms, and the number of their part of speech in WordNet."""
PER_KIND = 400
BE = frozenset(("is", "are", "was", "were", "be", "been"))
FAR = 2
"""Grades of a scale that are this far from one another say more, or less."""

Exchange = Callable[[Sentence, int], str | None]


@dataclass(frozen=True, slots=True)
class MadeExample:
    """Two sentences that differ in one place, and how the tokens there are related."""

    source: Sentence
    target: Sentence
    unit: tuple[TokenChunk, TokenChunk]
    kind: RelationKind


class Neighbours:
    """Words that are related with a word, by WordNet's table."""

    def __init__(self) -> None:
        table = Table.open_shipped("wordnet")
        self._wordnet = WordNet.open_shipped()
        self._start, self._neighbour = table["row_start"], table["neighbour"]
        self._mask = table["masks"][table["code"]]
        self._parents_start, self._parents = table["parents_start"], table["parents"]
        entries = table["word_entries"]
        words = self._wordnet.vocabulary
        self._word_of = {
            int(entry): words[word]
            for word, row in enumerate(entries)
            for entry in row
            if entry >= 0
        }
        self._children: dict[int, list[int]] = {}
        for entry in range(len(self._parents_start) - 1):
            for parent in self._parents_of(entry):
                self._children.setdefault(parent, []).append(entry)

    def _parents_of(self, entry: int) -> list[int]:
        return [
            int(each)
            for each in self._parents[self._parents_start[entry] : self._parents_start[entry + 1]]
        ]

    def related(self, lemma: str, pos: int, bit: int) -> list[str]:
        """Return the words that stand in a relation, and in no stronger one, to a word."""
        entry = self._wordnet.entry(lemma, pos)
        if entry < 0:
            return []
        places = slice(self._start[entry], self._start[entry + 1])
        chosen = self._mask[places] & (bit | relation_bit("synonym")) == bit
        found = [self._word_of.get(int(each)) for each in self._neighbour[places][chosen]]
        return sorted({each for each in found if each and each.isalpha() and each != lemma})

    def siblings(self, lemma: str, pos: int) -> list[str]:
        """Return the words that share a direct hypernym with a word and are no synonyms of it."""
        entry = self._wordnet.entry(lemma, pos)
        if entry < 0:
            return []
        found = {
            self._word_of[child]
            for parent in self._parents_of(entry)
            for child in self._children[parent]
            if child in self._word_of
        }
        near = set(self.related(lemma, pos, relation_bit("synonym"))) | {lemma}
        return sorted(each for each in found - near if each.isalpha())


def made_examples(
    sentences: Sequence[Sentence], seed: int, common: Callable[[str], float]
) -> Iterator[MadeExample]:
    """Yield made examples of every kind, PER_KIND of each way to exchange a word.

    Parameters
    ----------
    sentences : sequence of Sentence
        Annotated.
    seed : int
    common : callable
        How rare a word is, in [0, 1]; rare ones are not put in.
    """
    chance = random.Random(seed)
    neighbours = Neighbours()
    names = sorted(
        {
            t
            for s in sentences
            for t, tag in zip(s.tokens, s.tags or (), strict=True)
            if tag == "NNP"
        }
    )

    def by_relation(bit: int) -> Exchange:
        return _exchange(lambda lemma, pos: neighbours.related(lemma, pos, bit), chance, common)

    def by_part(bit: int) -> Exchange:
        return _exchange_name(lambda lemma: neighbours.related(lemma, 0, bit), chance, common)

    def by_grade(holds: Callable[[int, int], bool]) -> Exchange:
        return lambda sentence, at: _other_grade(sentence, at, holds, chance)

    ways: list[tuple[RelationKind, Exchange]] = [
        (RelationKind.OPPOSITE, by_relation(relation_bit("antonym"))),
        (RelationKind.NARROWER, by_relation(relation_bit("hypernym"))),
        (RelationKind.WIDER, by_relation(relation_bit("hyponym"))),
        (RelationKind.SAME, by_relation(relation_bit("synonym"))),
        (RelationKind.SIMILAR, _exchange(neighbours.siblings, chance, common)),
        (RelationKind.NARROWER, by_part(relation_bit("part-of"))),
        (RelationKind.WIDER, by_part(relation_bit("has-part"))),
        (RelationKind.OPPOSITE, by_grade(lambda one, other: one * other < 0)),
        (RelationKind.NARROWER, by_grade(lambda one, other: 0 < other <= one - FAR)),
        (RelationKind.WIDER, by_grade(lambda one, other: 0 < one <= other - FAR)),
        (RelationKind.DIFFERENT_VALUE, lambda s, k: _other_number(s, k, chance)),
        (RelationKind.DIFFERENT_VALUE, lambda s, k: _other_name(s, k, names, chance)),
    ]
    for kind, exchange in ways:
        yield from _made(sentences, kind, exchange, chance)
    yield from _negated(sentences, chance)


def _made(
    sentences: Sequence[Sentence], kind: RelationKind, exchange: Exchange, chance: random.Random
) -> Iterator[MadeExample]:
    n_made = 0
    for sentence in chance.sample(list(sentences), len(sentences)):
        places = list(range(len(sentence)))
        chance.shuffle(places)
        for place in places:
            other = exchange(sentence, place)
            if other is not None:
                tokens = list(sentence.tokens)
                tokens[place] = other
                unit = ((place,), (place,))
                yield MadeExample(sentence, Sentence.from_tokens(tokens), unit, kind)
                n_made += 1
                break
        if n_made == PER_KIND:
            return


def _negated(sentences: Sequence[Sentence], chance: random.Random) -> Iterator[MadeExample]:
    """Yield adjectives and participles behind a form of "be", and the same ones negated."""
    n_made = 0
    for sentence in chance.sample(list(sentences), len(sentences)):
        tags, tokens = sentence.tags or (), list(sentence.tokens)
        for place in range(1, len(tokens)):
            if tokens[place - 1].lower() in BE and tags[place][:2] in ("JJ", "VB"):
                target = Sentence.from_tokens([*tokens[:place], "not", *tokens[place:]])
                unit = ((place,), (place, place + 1))
                yield MadeExample(sentence, target, unit, RelationKind.OPPOSITE)
                n_made += 1
                break
        if n_made == PER_KIND:
            return


def _exchange(
    words: Callable[[str, int], list[str]], chance: random.Random, rarity: Callable[[str], float]
) -> Exchange:
    def exchange(sentence: Sentence, at: int) -> str | None:
        tag, token = (sentence.tags or ())[at], sentence.tokens[at]
        if tag not in POS_OF_TAG or token != (sentence.lemmas or ())[at] or rarity(token) > 0.75:
            return None
        found = [each for each in words(token, POS_OF_TAG[tag]) if rarity(each) < 0.8]
        return chance.choice(found) if found else None

    return exchange


def _exchange_name(
    words: Callable[[str], list[str]], chance: random.Random, rarity: Callable[[str], float]
) -> Exchange:
    """Exchange names of places and bodies for what they are part of."""

    def exchange(sentence: Sentence, at: int) -> str | None:
        token = sentence.tokens[at]
        if (sentence.tags or ())[at] != "NNP" or not token.isalpha():
            return None
        found = [each for each in words(token.lower()) if rarity(each) < 0.95]
        return chance.choice(found).capitalize() if found else None

    return exchange


def _other_grade(
    sentence: Sentence, at: int, holds: Callable[[int, int], bool], chance: random.Random
) -> str | None:
    """Return a word of the same scale whose grade stands in a relation to that of a token."""
    token = sentence.tokens[at].lower()
    found = [
        other
        for scale, grade in grades_of(token)
        for other, another in words_of(scale)
        if other != token and holds(grade, another)
    ]
    if not found:
        return None
    other = chance.choice(found)
    return other.capitalize() if sentence.tokens[at][0].isupper() else other


def _other_number(sentence: Sentence, at: int, chance: random.Random) -> str | None:
    token = sentence.tokens[at]
    if (sentence.tags or ())[at] != "CD" or not token.isdigit():
        return None
    digits = list(token)
    place = chance.randrange(len(digits))
    digits[place] = chance.choice([each for each in "123456789" if each != digits[place]])
    return "".join(digits)


def _other_name(
    sentence: Sentence, at: int, names: Sequence[str], chance: random.Random
) -> str | None:
    if (sentence.tags or ())[at] != "NNP" or not sentence.tokens[at].isalpha():
        return None
    other = chance.choice(names)
    return other if other.isalpha() and other[0] != sentence.tokens[at][0] else None

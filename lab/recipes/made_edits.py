"""Made edits: sentences, and the same ones changed in a few places as people who revise do.

A part of the sentence by its tree is dropped, put in or replaced by a part of another sentence; a
word gives way to a related or another word of its tag, or to another form of itself; a mark of
punctuation or a function word is changed. Where parts are replaced, the old and the new one often
share words, which belong to the edit.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from tokalign.types import Sentence

from lab.recipes.contrasts import Neighbours
from lab.recipes.marked_edits import Marked
from lab.recipes.wordnet import relation_bit

LEAST_WORDS, MOST_WORDS = 10, 45
"""Of the sentences that are changed."""
MOST_EDITS = 6
LONGEST_DROPPED, LONGEST_PART = 12, 16
N_OPTIONS = 30
"""Of which the part that shares most words with the old one replaces it, most times."""
NEAR, TOUCHING, LIKE_PLACE, OTHER_FORM, OTHER_WORD = 0.6, 0.15, 0.6, 0.35, 0.3
"""Chances: of a part that shares words, of edits that touch, of a place where a like part stands,
of another form of a word, and of any other word of its tag."""
PARTS = (
    "acl", "advcl", "advmod", "amod", "appos", "aux", "cc", "compound", "conj", "det", "discourse",
    "mark", "nmod", "nummod", "obl", "parataxis",
)  # fmt: skip
"""Relations of the parts that are dropped or put in."""
POS_OF_TAG = {"NN": 0, "NNS": 0, "JJ": 2, "RB": 3}
POS_OF_TAG |= dict.fromkeys(("VB", "VBD", "VBN", "VBZ", "VBP", "VBG"), 1)
FUNCTION_TAGS = frozenset(("DT", "IN", "MD", "PRP", "WDT", "CC", "TO"))
MARKS = ",;:"
BRACKETS = "()"

MadeChange: TypeAlias = tuple[int, int, list[str]]
"""Start and end of the old tokens, and the new ones."""


class MadePair(NamedTuple):
    """Two versions of a sentence and the edits between them."""

    source: list[str]
    target: list[str]
    edits: frozenset[Marked]


class TreePart(NamedTuple):
    """A part of a sentence: a word with all that depends on it, if they are neighbours."""

    start: int
    end: int
    relation: str


def parts_of(sentence: Sentence) -> list[TreePart]:
    """Return the parts of a sentence that has a tree."""
    heads, relations = sentence.heads or (), sentence.relations or ()
    below: list[set[int]] = [{at} for at in range(len(sentence))]
    for at in range(len(sentence)):
        above, seen = heads[at], {at}
        while above >= 0 and above not in seen:
            below[above].add(at)
            seen.add(above)
            above = heads[above]
    return [
        TreePart(min(own), max(own) + 1, relations[at].partition(":")[0])
        for at, own in enumerate(below)
        if heads[at] >= 0 and max(own) + 1 - min(own) == len(own)
    ]


class EditMaker:
    """Changes sentences; the same seed makes the same changes.

    Parameters
    ----------
    sentences : sequence of Sentence
        With tags, lemmas and trees; those that are changed, and of which parts and words are taken.
    seed : int
    """

    def __init__(self, sentences: Sequence[Sentence], seed: int) -> None:
        self._chance = random.Random(seed)
        self._sentences = sentences
        self._neighbours = Neighbours()
        self._bits = [relation_bit(name) for name in ("synonym", "hypernym", "hyponym")]
        self._parts: defaultdict[str, list[list[str]]] = defaultdict(list)
        self._words: defaultdict[str, list[str]] = defaultdict(list)
        forms: defaultdict[str, set[str]] = defaultdict(set)
        for sentence in sentences:
            for start, end, relation in parts_of(sentence):
                if end - start <= LONGEST_PART:
                    self._parts[relation].append(list(sentence.tokens[start:end]))
            for token, tag, lemma in _words_of(sentence):
                self._words[tag].append(token)
                if tag in POS_OF_TAG:
                    forms[lemma.lower()].add(token.lower())
        self._forms = {lemma: sorted(own) for lemma, own in forms.items()}

    def make(self, n_pairs: int) -> list[MadePair]:
        """Return up to so many pairs, each of another sentence."""
        fit = [each for each in self._sentences if LEAST_WORDS <= len(each) <= MOST_WORDS]
        made = (self._changed(each) for each in self._chance.sample(fit, len(fit)))
        return [pair for pair, _ in zip(filter(None, made), range(n_pairs), strict=False)]

    def _changed(self, sentence: Sentence) -> MadePair | None:
        n_edits = min(1 + int(self._chance.expovariate(0.9)), MOST_EDITS)
        parts = parts_of(sentence)
        changes: list[MadeChange] = []
        for _ in range(3 * n_edits):
            change = self._change(sentence, parts)
            if change is not None and len(changes) < n_edits and self._is_free(change, changes):
                changes.append(change)
        return _written(sentence, sorted(changes)) if changes else None

    def _is_free(self, change: MadeChange, others: Sequence[MadeChange]) -> bool:
        """Whether a change stands apart from others; now and then it may touch them."""
        gap = 0 if self._chance.random() < TOUCHING else 1
        start, end, _ = change
        is_empty = start == end
        return all(
            end + gap <= other[0] or other[1] + gap <= start
            for other in others
            if not (is_empty and other[0] == other[1] == start)
        ) and not any(is_empty and other[0] == other[1] == start for other in others)

    def _change(self, sentence: Sentence, parts: Sequence[TreePart]) -> MadeChange | None:
        ways: dict[Callable[[Sentence, Sequence[TreePart]], MadeChange | None], int] = {
            self._dropped: 3, self._put_in: 4, self._other_word: 4, self._replaced: 3,
            self._other_mark: 2, self._other_function_word: 2,
        }  # fmt: skip
        (way,) = self._chance.choices(list(ways), list(ways.values()))
        return way(sentence, parts)

    def _dropped(self, sentence: Sentence, parts: Sequence[TreePart]) -> MadeChange | None:
        longest = min(LONGEST_DROPPED, 0.6 * len(sentence))
        found = [p for p in parts if p.relation in PARTS and p.end - p.start <= longest]
        if not found:
            return None
        part = self._chance.choice(found)
        return part.start, part.end, []

    def _put_in(self, sentence: Sentence, parts: Sequence[TreePart]) -> MadeChange | None:
        relation = self._chance.choice([each for each in PARTS if each in self._parts])
        places = [part.start for part in parts if part.relation == relation]
        if not places or self._chance.random() >= LIKE_PLACE:
            places = [self._chance.randrange(len(sentence))]
        at = self._chance.choice(places)
        return at, at, list(self._chance.choice(self._parts[relation]))

    def _other_word(self, sentence: Sentence, _: Sequence[TreePart]) -> MadeChange | None:
        at = self._chance.randrange(len(sentence))
        token, tag, lemma = _words_of(sentence)[at]
        if tag not in POS_OF_TAG:
            return None
        found: list[str] = []
        if self._chance.random() < OTHER_FORM:
            found = [each for each in self._forms[lemma.lower()] if each != token.lower()]
        if not found and self._chance.random() < OTHER_WORD:
            found = [self._chance.choice(self._words[tag])]
        if not found:
            bit = self._chance.choice(self._bits)
            found = self._neighbours.related(lemma.lower(), POS_OF_TAG[tag], bit)
        found = [each for each in found if each != token]
        return (at, at + 1, [self._chance.choice(found)]) if found else None

    def _replaced(self, sentence: Sentence, parts: Sequence[TreePart]) -> MadeChange | None:
        found = [p for p in parts if 2 <= p.end - p.start <= LONGEST_PART and p.relation in PARTS]
        found += [part for part in parts if part.relation in ("nsubj", "obj") and part.end > 1]
        found = [part for part in found if part.relation in self._parts]
        if not found:
            return None
        start, end, relation = self._chance.choice(found)
        old: Counter[str] = Counter(sentence.tokens[start + 1 : end - 1])
        n_options = N_OPTIONS if self._chance.random() < NEAR else 1
        options = [self._chance.choice(self._parts[relation]) for _ in range(n_options)]
        new = max(options, key=lambda each: (old & Counter(each)).total() / (2 + len(each)))
        return _trimmed(sentence.tokens, start, end, list(new))

    def _other_mark(self, sentence: Sentence, _: Sequence[TreePart]) -> MadeChange | None:
        tokens = sentence.tokens
        places = [at for at, token in enumerate(tokens) if token in (*MARKS, *BRACKETS)]
        if places and self._chance.random() < LIKE_PLACE:
            at = self._chance.choice(places)
            if tokens[at] in BRACKETS or self._chance.random() < 0.6:
                return at, at + 1, []
            return at, at + 1, [self._chance.choice([m for m in MARKS if m != tokens[at]])]
        at = self._chance.randrange(1, len(tokens))
        is_beside = not tokens[at][0].isalnum() or not tokens[at - 1][-1].isalnum()
        return None if is_beside else (at, at, [MARKS[0]])

    def _other_function_word(self, sentence: Sentence, _: Sequence[TreePart]) -> MadeChange | None:
        tags = sentence.tags or ()
        places = [at for at, tag in enumerate(tags) if tag in FUNCTION_TAGS]
        if not places:
            return None
        at = self._chance.choice(places)
        new = self._chance.choice(self._words[tags[at]]).lower()
        return None if new == sentence.tokens[at].lower() else (at, at + 1, [new])


def _words_of(sentence: Sentence) -> list[tuple[str, str, str]]:
    """Return token, tag and lemma of each word."""
    return list(
        zip(sentence.tokens, sentence.tags or (), sentence.lemmas or sentence.tokens, strict=True)
    )


def _trimmed(tokens: Sequence[str], start: int, end: int, new: list[str]) -> MadeChange | None:
    """Return a change without the words that both sides begin or end with."""
    while start < end and new and tokens[start].lower() == new[0].lower():
        start, new = start + 1, new[1:]
    while start < end and new and tokens[end - 1].lower() == new[-1].lower():
        end, new = end - 1, new[:-1]
    return (start, end, new) if start < end or new else None


def _written(sentence: Sentence, changes: Sequence[MadeChange]) -> MadePair:
    """Return a sentence and the changed one; changes are in order."""
    target: list[str] = []
    edits: set[Marked] = set()
    at = 0
    for start, end, new in changes:
        target += sentence.tokens[at:start]
        place = len(target), len(target) + len(new)
        edits.add(((start, end) if start < end else None, place if new else None))
        target += new
        at = end
    target += sentence.tokens[at:]
    return MadePair(list(sentence.tokens), target, frozenset(edits))

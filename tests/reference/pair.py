"""Slow, obvious twin of the feature kernels' preparation of a pair."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from tokalign.english.lexicon.lexical_tables import Frequencies, Paraphrases, Vectors, WordNet
from tokalign.types import Sentence

from lab.kernels.doors import are_paraphrases, vector_cosine
from reference.distributional import similarity
from reference.rules import RULE_STRENGTH, find_rules
from reference.words import (
    STRENGTH,
    Word,
    lexical_class,
    relations,
    with_cosine,
)

NO_PARTNER = 0.4
MATCHED = 0.69


class Side:
    """One sentence: its words and its tree."""

    def __init__(self, sentence: Sentence) -> None:
        columns = zip(sentence.tokens, sentence.tags or (), sentence.lemmas or (), strict=True)
        self.words = [Word(*column) for column in columns]
        self.heads = sentence.heads
        self.relations = sentence.relations

    def __len__(self) -> int:
        return len(self.words)

    def content_neighbour(self, at: int, step: int) -> int | None:
        places = range(at + step, len(self) if step > 0 else -1, step)
        return next((k for k in places if self.words[k].kind == "content"), None)

    def head(self, at: int) -> int | None:
        assert self.heads is not None
        return self.heads[at] if self.heads[at] >= 0 else None

    def relation(self, at: int) -> str:
        assert self.relations is not None
        return self.relations[at]

    def children(self, at: int) -> list[int]:
        return [k for k, head in enumerate(self.heads or ()) if head == at]


class ReferencePair:
    """An annotated pair and what is known of its cells."""

    def __init__(
        self,
        source: Sentence,
        target: Sentence,
        wordnet: WordNet,
        vectors: Vectors | None = None,
        paraphrases: Paraphrases | None = None,
        encoded: tuple[NDArray[np.float32], NDArray[np.float32]] | None = None,
        frequencies: Frequencies | None = None,
        *,
        has_rules: bool = False,
    ) -> None:
        self.has_rules = has_rules
        self.frequencies = frequencies
        self.encoded = encoded
        self.source, self.target = Side(source), Side(target)
        self.wordnet, self.vectors, self.paraphrases = wordnet, vectors, paraphrases
        self.cells = list(itertools.product(range(len(source)), range(len(target))))

    def words(self, i: int, j: int) -> tuple[Word, Word]:
        return self.source.words[i], self.target.words[j]

    @cached_property
    def relations(self) -> dict[tuple[int, int], frozenset[str]]:
        return {cell: relations(*self.words(*cell), self.wordnet) for cell in self.cells}

    @cached_property
    def classes(self) -> dict[tuple[int, int], str]:
        return {
            cell: with_cosine(
                lexical_class(
                    *self.words(*cell), self.relations[cell], self.are_paraphrases(*cell)
                ),
                self.cosines.get(cell),
            )
            for cell in self.cells
        }

    def are_paraphrases(self, i: int, j: int) -> bool:
        a, b = self.words(i, j)
        if self.paraphrases is None or {a.kind, b.kind} != {"content"}:
            return False
        pairs = (a.lower, b.lower), (a.lemma, b.lemma)
        return any(are_paraphrases(self.paraphrases, *pair) for pair in pairs)

    @cached_property
    def company(self) -> NDArray[np.float64]:
        """Return the distributional similarity of every cell."""
        lemmas: dict[str, int] = {}
        relations: dict[str, int] = {}
        source, target = (
            (
                [lemmas.setdefault(word.lemma, len(lemmas)) for word in side.words],
                side.heads or (),
                [relations.setdefault(name, len(relations)) for name in side.relations or ()],
            )
            for side in (self.source, self.target)
        )
        return similarity(source, target)

    @cached_property
    def cosines(self) -> dict[tuple[int, int], float]:
        """Return the cosines of the cells whose words both have vectors."""
        found = {}
        for cell in self.cells if self.vectors else ():
            a, b = (self._vector_name(word) for word in self.words(*cell))
            if a and b and self.vectors:
                found[cell] = vector_cosine(self.vectors, a, b)
        return found

    def _vector_name(self, word: Word) -> str | None:
        """Return what the vectors know a content word by: its form, or else its lemma."""
        if self.vectors is None or word.kind != "content":
            return None
        names = (name for name in (word.lower, word.lemma) if self.vectors.find(name) >= 0)
        return next(names, None)

    @cached_property
    def acronyms(self) -> set[tuple[int, int]]:
        """Return the cells of an acronym and a content word of a run that it abbreviates."""
        found = {
            (at, k)
            for at, word in enumerate(self.source.words)
            for k in _expansion(word.initials, self.target.words)
        }
        return found | {
            (k, at)
            for at, word in enumerate(self.target.words)
            for k in _expansion(word.initials, self.source.words)
        }

    @cached_property
    def name_parts(self) -> dict[tuple[int, int], tuple[str, str, str]]:
        """Return the cells of a word that completes a name, and how it does."""
        source, target = self.source.words, self.target.words
        found = {
            (k, at): ("source-longer", near, kind)
            for k, at, near, kind in _completions(source, target)
        }
        return found | {
            (at, k): ("target-longer", near, kind)
            for k, at, near, kind in _completions(target, source)
        }

    @cached_property
    def rules(self) -> dict[tuple[int, int], str]:
        """Return the rules of cells; none where the group is off."""
        if not self.has_rules:
            return {}
        return find_rules(self.source.words, self.target.words, self.classes, self._is_known)

    def _is_known(self, word: Word) -> bool:
        """Return whether a word is in a table or list, or a number."""
        entries = (word.entry(self.wordnet, pos) for pos in range(4))
        return bool(word.is_listed or word.is_number or self._vector_name(word) or any(entries))

    @cached_property
    def strengths(self) -> dict[tuple[int, int], float]:
        return {
            cell: max(
                STRENGTH[self.classes[cell]],
                0.7 if cell in self.acronyms else 0.0,
                RULE_STRENGTH[self.rules[cell]] if cell in self.rules else 0.0,
            )
            for cell in self.cells
        }

    def V(self, i: int | None, j: int | None) -> float:  # noqa: N802 - as in the papers
        """Return the strength of a cell, 0 outside the sentences."""
        return self.strengths.get((i, j), 0.0)

    def kinds(self, i: int, j: int) -> str:
        return "-".join(word.kind for word in self.words(i, j))

    def strength_label(self, i: int, j: int) -> str:
        strength = self.V(i, j)
        return "same" if strength >= 0.9 else "related" if strength >= 0.4 else "unrelated"

    def pos_label(self, i: int, j: int) -> str:
        a, b = self.words(i, j)
        return (
            "same-tag"
            if a.tag == b.tag
            else "same-class"
            if a.coarse == b.coarse
            else "other-class"
        )

    def coarse_pair(self, i: int, j: int) -> str:
        return "-".join(word.coarse for word in self.words(i, j))

    def distance(self, i: int, j: int) -> float:
        return abs(i / len(self.source) - j / len(self.target))

    def window(self, i: int, j: int) -> float:
        """Return C1."""
        total = 0.0
        for d in (-3, -2, -1, 1, 2, 3):
            if (i + d, j + d) in self.strengths:
                factor = 1.0 if self.kinds(i + d, j + d) == "content-content" else 0.3
                total += factor * self.V(i + d, j + d) / abs(d)
        return total

    def bag(self, i: int, j: int) -> float:
        """Return C2."""
        return sum(
            max(
                (self.V(ii, jj) for ii in range(i - 3, i + 4)
                 if (ii, jj) in self.strengths and self.kinds(ii, jj) == "content-content"),
                default=0.0,
            )
            for jj in range(j - 3, j + 4)
            if jj != j
        )  # fmt: skip

    def run(self, i: int, j: int) -> list[tuple[int, int]]:
        """Return the cells of the diagonal run that holds a cell."""
        if self.V(i, j) < MATCHED:
            return []
        cells = [(i, j)]
        for step in (-1, 1):
            d = step
            while self.V(i + d, j + d) >= MATCHED:
                cells.append((i + d, j + d))
                d += step
        return cells

    @cached_property
    def tensions(self) -> dict[tuple[int, int], float]:
        """Return T of every cell."""
        return {
            cell: 3 * self.V(*cell)
            + self.window(*cell)
            + self.bag(*cell) / 2
            - 0.3 * self.distance(*cell)
            if self.V(*cell) >= 0.1
            else -1.0
            for cell in self.cells
        }

    def row(self, i: int) -> list[tuple[int, int]]:
        return [(i, j) for j in range(len(self.target))]

    def column(self, j: int) -> list[tuple[int, int]]:
        return [(i, j) for i in range(len(self.source))]

    def best(self, line: Sequence[tuple[int, int]]) -> float:
        """Return the largest strength of a row or column; 0 for none."""
        return max((self.V(*cell) for cell in line), default=0.0)

    @cached_property
    def alone(self) -> tuple[set[int], set[int]]:
        """Return the words of each side that have no partner anywhere."""
        return (
            {i for i in range(len(self.source)) if self.best(self.row(i)) < NO_PARTNER},
            {j for j in range(len(self.target)) if self.best(self.column(j)) < NO_PARTNER},
        )

    def lacks_partner(self, i: int, j: int) -> bool:
        """Whether neither word has a partner anywhere."""
        return i in self.alone[0] and j in self.alone[1]


def _completions(
    longer: Sequence[Word], shorter: Sequence[Word]
) -> Iterator[tuple[int, int, str, str]]:
    """Yield (word of the longer name, word of the shorter one, side, whether that stands alone)."""
    forms = [word.lower for word in shorter]
    for anchor, word in enumerate(longer):
        copies = [other.lower for other in longer].count(word.lower), forms.count(word.lower)
        if copies != (1, 1) or not word.is_name or not shorter[forms.index(word.lower)].is_name:
            continue
        at = forms.index(word.lower)
        neighbours = [*shorter[max(at - 1, 0) : at], *shorter[at + 1 : at + 2]]
        is_alone = not any(each.is_name for each in neighbours)
        for side, places in (
            ("left", range(anchor - 1, -1, -1)),
            ("right", range(anchor + 1, len(longer))),
        ):
            for k in places:
                part = longer[k]
                if not part.is_name or part.is_title or part.lower in forms:
                    break
                yield k, at, side, "short-form-alone" if is_alone else "short-form-in-name"


def _expansion(initials: str, words: Sequence[Word]) -> set[int]:
    """Return the content words of every run whose capitalised words' initials spell the acronym.

    Function words inside the run are skipped; it is at most twice as long as the acronym, plus one.
    """
    found: set[int] = set()
    for first in range(len(words) if initials else 0):
        spelled, k = "", first
        while k < len(words) and spelled != initials and k - first <= 2 * len(initials):
            word = words[k]
            if word.case == "capitalised" and word.lower[0] == initials[len(spelled)]:
                spelled += word.lower[0]
            elif word.kind != "function" or k == first:
                break
            k += 1
        if spelled == initials:
            found |= {at for at in range(first, k) if words[at].kind == "content"}
    return found

"""Slow, obvious twin of what relations of units are decided by, and of the trees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokalign.english.annotate.tags_and_relations import TAG_INDEX
from tokalign.english.lexicon.lexical_tables import Frequencies
from tokalign.english.lexicon.word_lists import negates, token_weight
from tokalign.english.values import Strength
from tokalign.files.tables import Table

from reference.agreement import same_values
from reference.pair import MATCHED, ReferencePair, Side
from reference.values import find_values
from reference.word_contrasts import contrast
from reference.words import Word

Cell = tuple[int, int]

SAME_RULES = (
    "same-value", "variant", "code-name", "lengthened", "short-form", "joined", "typo", "initials",
)  # fmt: skip
LEFT = {
    "noun": "left-nouns", "name": "left-names", "verb": "left-verbs",
    "adjective": "left-adjectives", "adverb": "left-adverbs", "number": "left-numbers",
    "adposition": "left-prepositions", "determiner": "left-determiners",
    "pronoun": "left-pronouns",
}  # fmt: skip
BY_WORDNET = {
    "synonym": {"synonym"},
    "near": {"derived", "pertainym", "similar", "verb-group", "derived-synonym"},
    "hypernym": {"hypernym"},
    "hypernym-within-3": {"hypernym-within-3"},
    "hyponym": {"hyponym"},
    "hyponym-within-3": {"hyponym-within-3"},
    "cohyponym": {"cohyponym"},
    "antonym": {"antonym"},
    "part": {"part-of", "member-of", "substance-of"},
    "has-part": {"has-part", "has-member", "has-substance"},
    "entails": {"entailing", "causing"},
}
BY_CONTRAST = {
    "opposite": "opposite", "higher": "higher", "lower": "lower", "level": "level",
    "unlike-names": "names",
}  # fmt: skip


class Units:
    """The units of one pair, whose mean posteriors and cover are known."""

    def __init__(
        self, pair: ReferencePair, mean: NDArray[np.float64], covered: float, idf: Frequencies
    ) -> None:
        self.pair, self.mean, self.covered, self.idf = pair, mean, covered, idf
        sides = [find_values([w.form for w in side.words]) for side in (pair.source, pair.target)]
        self.values = same_values(*sides)

    def weight(self, word: Word) -> float:
        if word.kind == "mark":
            return 0.0
        weight = token_weight(word.form, word.raw_tag, self.idf.idf(word.lemma))
        return weight if word.kind == "content" else 0.1 * weight

    def are_same(self, cell: Cell) -> bool:
        if self.values.get(cell) is Strength.DIFFERENT:
            return False
        return (
            self.pair.classes[cell] in ("identical", "canonical", "lemma", "stem")
            or self.values.get(cell) is Strength.SAME_VALUE
            or cell in self.pair.acronyms
            or self.pair.rules.get(cell) in SAME_RULES
        )

    def inputs(self, source: Sequence[int], target: Sequence[int]) -> dict[str, float]:
        """Return the inputs of a unit by name, as far as they are not 0."""
        pair = self.pair
        cells = [(i, j) for i in source for j in target]
        found: dict[str, float] = {}
        left = (
            [i for i in source if not any(self.are_same((i, j)) for j in target)],
            [j for j in target if not any(self.are_same((i, j)) for i in source)],
        )
        for name, side, own, other, turned in (
            ("source", pair.source, source, target, False),
            ("target", pair.target, target, source, True),
        ):
            of_side = self.of_side(side, own, other, left[turned], is_target=turned)
            found |= {f"{name}-{key}": value for key, value in of_side.items()}
        forms = [
            [side.words[k].lower for k in own]
            for side, own in ((pair.source, source), (pair.target, target))
        ]
        found["is-identical"] = forms[0] == forms[1]
        found["covered"] = self.covered
        found["distance"] = abs(
            (source[0] + source[-1]) / (2 * len(pair.source))
            - (target[0] + target[-1]) / (2 * len(pair.target))
        )
        found["left-neighbours"] = pair.strengths.get((source[0] - 1, target[0] - 1), 0.0)
        found["right-neighbours"] = pair.strengths.get((source[-1] + 1, target[-1] + 1), 0.0)
        found["posterior"] = max(self.mean[cell] for cell in cells)
        agreements = {self.values.get(cell) for cell in cells}
        found["other-value"] = Strength.DIFFERENT in agreements
        found["same-value"] = Strength.SAME_VALUE in agreements
        found["part-of-value"] = bool(
            agreements & {Strength.SAME_UNIT, Strength.SAME_NUMBER, Strength.SAME_PART}
        )
        found["same-by-rule"] = any(
            cell in pair.acronyms or pair.rules.get(cell) in SAME_RULES for cell in cells
        )
        found |= self.of_left(*left)
        found |= self.of_ends(source, target)
        return found

    def of_side(
        self,
        side: Side,
        own: Sequence[int],
        other: Sequence[int],
        left: list[int],
        *,
        is_target: bool,
    ) -> dict[str, float]:
        words = [side.words[k] for k in own]
        weights = [self.weight(word) for word in words]
        whole = sum(weights)
        cell = (lambda a, b: (b, a)) if is_target else (lambda a, b: (a, b))
        inside = [sum(self.mean[cell(k, m)] for m in other) for k in own]
        total = self.mean.sum(axis=0 if is_target else 1)
        strengths = [max(self.pair.strengths[cell(k, m)] for m in other) for k in own]
        content = [n for n, word in enumerate(words) if word.kind == "content"]
        others = range(len(self.pair.source if is_target else self.pair.target))
        best = {k: max(self.pair.strengths[cell(k, m)] for m in others) for k in own}

        def share(values: Sequence[float]) -> float:
            summed = sum(w * value for w, value in zip(weights, values, strict=True))
            return summed / whole if whole else summed

        found = {
            "tokens": len(own),
            "content-words": len(content),
            "weight": whole,
            "share-of-sentence": len(own) / len(side),
            "inside": share([min(value, 1.0) for value in inside]),
            "outside": share(
                [min(max(total[k] - value, 0.0), 1.0) for k, value in zip(own, inside, strict=True)]
            ),
            "same": share([k not in left for k in own]),
            "strength": share(strengths),
            "least-strength": min((strengths[n] for n in content), default=1.0),
            "left-weight": sum(self.weight(side.words[k]) for k in left),
            "heaviest-left": max((self.weight(side.words[k]) for k in left), default=0.0),
            "negations": sum(self.is_negated(side, k) for k in own),
            "names": sum(word.coarse == "name" for word in words),
            "numbers": sum(word.coarse == "number" for word in words),
            "verbs": sum(word.coarse == "verb" for word in words),
            "first-is-preposition": words[0].coarse == "adposition",
            "last-is-left": bool(content) and own[content[-1]] in left,
            "last-tag": TAG_INDEX[words[content[-1]].raw_tag] if content else -1,
            "last-weight": weights[content[-1]] if content else 0.0,
            "first-tag": TAG_INDEX[words[0].raw_tag],
            "shared-words": len(own) - len(left),
            "lone-words": sum(best[k] < MATCHED for k in own),
            "left-best": max((best[k] for k in left), default=0.0),
            "start": own[0] / len(side),
            "sentence-tokens": len(side),
            "has-stop": side.words[-1].form == ".",
        }
        for k in left:
            name = LEFT.get(side.words[k].coarse)
            if name:
                found[name] = found.get(name, 0) + 1
        return found

    def is_negated(self, side: Side, at: int) -> bool:
        def does(k: int) -> bool:
            return negates(side.words[k].lower, side.words[k].lemma)

        if does(at):
            return True
        if side.heads is None:
            return at > 0 and does(at - 1)
        head = side.head(at)
        return any(map(does, side.children(at))) or (head is not None and does(head))

    def of_left(self, source: list[int], target: list[int]) -> dict[str, float]:
        """Return how the words are related that the other side lacks."""
        found: dict[str, float] = {}
        for cell in [(i, j) for i in source for j in target]:
            related = self.pair.relations[cell]
            unlike = contrast(*self.pair.words(*cell), related, self.pair.classes[cell])
            for name, names in BY_WORDNET.items():
                found[name] = max(found.get(name, 0), bool(related & names))
            for name, each in BY_CONTRAST.items():
                found[name] = max(found.get(name, 0), each in unlike)
        best = [
            max([0.0, *(self.pair.cosines.get((i, j), 0.0) for j in target)])
            for i in source
            if self.pair.source.words[i].kind == "content"
        ]
        if best:
            found |= {"best-cosine": max(best), "mean-cosine": sum(best) / len(best)}
        return found

    def of_ends(self, source: Sequence[int], target: Sequence[int]) -> dict[str, float]:
        first, other = self.pair.words(source[0], target[0])
        found: dict[str, float] = {"same-first": first.lower == other.lower}
        found["unlike-prepositions"] = (
            first.lower != other.lower and first.coarse == other.coarse == "adposition"
        )
        ends = [
            next((k for k in reversed(own) if side.words[k].kind == "content"), None)
            for side, own in ((self.pair.source, source), (self.pair.target, target))
        ]
        if None not in ends:
            cell: Any = tuple(ends)
            related = self.pair.relations[cell]
            found["last-strength"] = self.pair.strengths[cell]
            found["last-cosine"] = self.pair.cosines.get(cell, 0.0)
            one, other = self.pair.words(*cell)
            found["last-have-one-tag"] = one.raw_tag == other.raw_tag
            found["last-hypernym"] = bool(related & {"hypernym", "hypernym-within-3"})
            found["last-hyponym"] = bool(related & {"hyponym", "hyponym-within-3"})
            found["last-cohyponym"] = "cohyponym" in related
        return found


def tree_scores(table: Table, name: str, row: Sequence[float], n_outputs: int) -> list[float]:
    """Return the scores of a row, tree by tree and branch by branch."""
    columns = {key: table[f"{name}_{key}"] for key in ("input", "threshold", "left", "value")}

    def leaf(node: int) -> float:
        if columns["input"][node] < 0:
            return float(columns["value"][node])
        goes_right = np.float32(row[columns["input"][node]]) > columns["threshold"][node]
        return leaf(int(columns["left"][node]) + int(goes_right))

    scores = [float(each) for each in table[f"{name}_base"]]
    for number, root in enumerate(table[f"{name}_root"]):
        scores[number % n_outputs] += leaf(int(root))
    return scores

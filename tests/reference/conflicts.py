"""Slow, obvious twin of the conflicts of a pair: words, places, roles, negations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tokalign.english.lexicon.word_lists import grades_of, negates
from tokalign.english.values import Kind, Role

from reference.agreement import are_equal, contradict, same_values
from reference.pair import ReferencePair
from reference.value_pieces import Said
from reference.values import find_values
from reference.word_contrasts import SAME, contrast
from reference.words import STRENGTH

WEIGHTS = {"opposite": 0.9, "different-value": 0.9, "negation": 0.9, "roles": 0.8, "degree": 0.6}
NAMES_WEIGHT = 0.7
CLASSES = list(STRENGTH)
BE = ("be", "is", "are", "was", "were", "been", "being")


@dataclass
class Found:
    kind: str
    source: int
    target: int
    strength: float


class Conflicts:
    """The conflicts of a pair, found step by step.

    `links` are in rising order, with their confidences.
    """

    def __init__(self, pair: ReferencePair, links: Mapping[tuple[int, int], float]) -> None:
        self.pair = pair
        self.source, self.target = pair.source.words, pair.target.words
        self.best: tuple[dict[int, int], dict[int, int]] = ({}, {})
        self.confidence: tuple[dict[int, float], dict[int, float]] = ({}, {})
        for (i, j), share in links.items():
            for side, own, other in ((0, i, j), (1, j, i)):
                if share > self.confidence[side].get(own, 0.0):
                    self.confidence[side][own] = share
                    self.best[side][own] = other
        values = [find_values([word.form for word in side]) for side in (self.source, self.target)]
        self.values = same_values(*values)
        self.said = tuple(values)
        self.found = self.in_places()
        self.compare_values()
        self.compare_units(0)
        self.compare_units(1)
        self.compare_codes()
        exchanged = self.compared()
        dropped = [each for each in self.found if self.is_undone(each, exchanged is not None)]
        if dropped:
            prepositions = ("adposition", "particle")
            self.found = [
                each
                for each in self.found
                if each not in dropped
                and not (
                    each.kind == "opposite" and self.source[each.source].coarse in prepositions
                )
            ]
        elif exchanged is not None:
            self.found.append(exchanged)
        else:
            self.found += self.exchanged()
        self.undo_pairs()
        self.found += self.negations()

    @property
    def agreement(self) -> float:
        product = 1.0
        for each in self.found:
            product *= 1 - each.strength
        return product

    # Words in the same place.

    def linked(self, i: int | None, j: int | None) -> bool:
        if i is None or j is None:
            return False
        return self.best[0].get(i) == j or self.best[1].get(j) == i

    def neighbour(self, side: int, at: int, step: int) -> int | None:
        n = len((self.source, self.target)[side])
        places = range(at + step, n if step > 0 else -1, step)
        return next((k for k in places if k in self.best[side]), None)

    def same_place(self, i: int, j: int) -> float:
        if self.best[0].get(i) == j:
            return self.confidence[0][i]
        if self.best[1].get(j) == i:
            return self.confidence[1][j]
        if i in self.best[0] or j in self.best[1]:
            return 0.0
        around = []
        for step in (-1, 1):
            one, other = self.neighbour(0, i, step), self.neighbour(1, j, step)
            around.append(self.linked(one, other) or one is other is None)
        if all(around):
            return 0.8
        if self.source[i].coarse != self.target[j].coarse:
            return 0.0
        for step, meets in zip((-1, 1), around, strict=True):
            is_next = (
                self.neighbour(0, i, step) == i + step and self.neighbour(1, j, step) == j + step
            )
            if meets and is_next:
                return 0.6
        return 0.0

    def cross(self, i: int, j: int) -> list[tuple[int, int]]:
        row = [(i, k) for k in range(len(self.target))]
        return row + [(k, j) for k in range(len(self.source))]

    def kind(self, i: int, j: int) -> tuple[str, float] | None:
        cell = (i, j)
        if any(self.pair.classes[each] in SAME for each in self.cross(i, j)):
            return None
        words = contrast(
            *self.pair.words(*cell), self.pair.relations[cell], self.pair.classes[cell]
        )
        if not (self.linked(i, j) or self.are_of_one_part(i, j)):
            return None
        if "opposite" in words:
            return "opposite", WEIGHTS["opposite"]
        if "far" in words:
            return "degree", WEIGHTS["degree"]
        if "names" in words and cell not in self.pair.acronyms and cell not in self.pair.rules:
            return "different-value", NAMES_WEIGHT
        return None

    def are_of_one_part(self, i: int, j: int) -> bool:
        """Whether both words are nouns, or both are verbs or adjectives."""
        one, other = self.source[i], self.target[j]
        verbal = {"verb", "adjective"}
        return one.kind == other.kind == "content" and (
            one.coarse == other.coarse == "noun" or {one.coarse, other.coarse} <= verbal
        )

    def in_places(self) -> list[Found]:
        found = []
        for i in range(len(self.source)):
            of_word: list[Found] = []
            for j in range(len(self.target)):
                share = self.same_place(i, j)
                kind = self.kind(i, j) if share > 0 else None
                if kind is not None:
                    of_word.append(Found(kind[0], i, j, kind[1] * share))
            if of_word:
                found.append(max(of_word, key=lambda each: each.strength))
        return found

    # Values and codes.

    def compare_values(self) -> None:
        for a in self.said[0]:
            for b in self.said[1]:
                if a.rank or b.rank:
                    continue
                if are_equal(a, b):
                    unlike = self.has_sign(0, a) != self.has_sign(1, b)
                else:
                    is_met = any(are_equal(a, each) for each in self.said[1]) or any(
                        are_equal(b, each) for each in self.said[0]
                    )
                    unlike = contradict(a, b) and not is_met
                if unlike:
                    self.add_values(a, b)

    def add_values(self, a: Said, b: Said) -> None:
        places = [
            (self.same_place(i, j), i, j)
            for i, role in enumerate(a.roles, a.start)
            for j, other in enumerate(b.roles, b.start)
            if role & other & ~Role.MARK
        ]
        met = [(i, j) for share, i, j in places if share > 0]
        unlike = [(i, j) for i, j in met if self.source[i].lower != self.target[j].lower]
        if met:
            at = unlike[-1] if unlike else met[0]
            self.add_value(*at, max(share for share, _, _ in places))

    def add_value(self, i: int, j: int, share: float) -> None:
        new = Found("different-value", i, j, WEIGHTS["different-value"] * share)
        for k, each in enumerate(self.found):
            if each.kind == new.kind and (each.source == i or each.target == j):
                if new.strength > each.strength:
                    self.found[k] = new
                return
        self.found.append(new)

    def has_sign(self, side: int, said: Said) -> bool:
        words = (self.source, self.target)[side]
        at = said.start - 1
        return (
            at >= 0
            and words[at].lower in ("-", "\u2212")
            and not (at > 0 and words[at - 1].coarse == "number")
        )

    def compare_units(self, side: int) -> None:
        words = (self.source, self.target)[1 - side]
        for a in self.said[side]:
            met = any(are_equal(a, each) for each in self.said[1 - side])
            if a.rank or a.kind not in (Kind.PERCENT, Kind.QUANTITY) or met:
                continue
            for b in self.said[1 - side]:
                end = b.start + len(b.roles)
                if b.rank or b.kind != Kind.NUMBER or b.facts["amount"] != a.facts["number"]:
                    continue
                if end >= len(words) or words[end].kind != "content":
                    continue
                for at, role in enumerate(a.roles, a.start):
                    if role in (Role.PERCENT, Role.UNIT):
                        i, j = (at, end) if side == 0 else (end, at)
                        share = self.same_place(i, j)
                        if share > 0:
                            self.add_value(i, j, share)

    def is_code(self, side: int, at: int) -> bool:
        words = (self.source, self.target)[side]
        text = words[at].lower
        if any(said.start <= at < said.start + len(said.roles) for said in self.said[side]):
            return False
        if len(text) > 1 and "_" in text:
            return True
        if at > 0 and words[at - 1].lower == "@":
            return True
        digits = [each for each in text if each in "0123456789"]
        return bool(digits) and any(each not in "0123456789.," for each in text)

    def is_numeral(self, side: int, at: int) -> bool:
        words = (self.source, self.target)[side]
        word = words[at]
        return (
            at > 0
            and len(word.lower) <= 4
            and words[at - 1].coarse == "name"
            and set(word.lower) <= set("ivx")
            and (word.case == "upper" or len(word.lower) == 1)
        )

    def compare_codes(self) -> None:
        for i in range(len(self.source)):
            for j in range(len(self.target)):
                if self.pair.classes[i, j] in ("identical", "canonical"):
                    continue
                if self.is_code(0, i):
                    are_alike = self.is_code(1, j)
                else:
                    are_alike = self.is_numeral(0, i) and self.is_numeral(1, j)
                if not are_alike:
                    continue
                if any(self.pair.classes[each] in SAME for each in self.cross(i, j)):
                    continue
                share = self.same_place(i, j)
                if share > 0:
                    self.add_value(i, j, share)

    # Roles.

    def is_passive(self, side: int, at: int) -> bool:
        words = (self.source, self.target)[side]
        if words[at].tag not in ("VBN", "VBD"):
            return False
        if at + 1 < len(words) and words[at + 1].lower == "by":
            return True
        for word in reversed(words[max(at - 3, 0) : at]):
            if word.lower in BE:
                return True
            if word.coarse not in ("adverb", "verb"):
                return False
        return False

    def has_role(self, side: int, at: int) -> bool:
        words = (self.source, self.target)[side]
        if words[at].coarse not in ("noun", "name", "pronoun"):
            return False
        for word in reversed(words[:at]):
            if word.coarse in ("adposition", "particle"):
                return word.lower in ("by", "to", "from", "than")
            if word.coarse in ("verb", "mark", "conjunction", "adverb"):
                break
        return True

    def counterpart(self, at: int) -> int | None:
        best = self.best[0].get(at)
        if best is not None and self.pair.classes[at, best] in SAME:
            return best
        twins = (k for k in range(len(self.target)) if self.pair.classes[at, k] in SAME)
        return next(twins, best)

    def reach(self, side: int, at: int, far: int) -> range:
        words = (self.source, self.target)[side]
        start = stop = at
        while start > 0 and at - start < far and words[start - 1].kind != "mark":
            start -= 1
        while stop + 1 < len(words) and stop - at < far and words[stop + 1].kind != "mark":
            stop += 1
        return range(start, stop + 1)

    def crossings(self, i: int, j: int, around: str) -> tuple[int, int]:
        far = {"verb": 8, "than": 6, "other": 4}[around]
        crossed = straight = 0
        for k in self.reach(0, i, far):
            m = self.counterpart(k)
            if k == i or m is None or m == j or m not in self.reach(1, j, far):
                continue
            word = self.source[k]
            if (k, m) in self.values:
                continue
            if around == "verb":
                counts = self.has_role(0, k) and self.has_role(1, m)
            elif around == "than":
                counts = (
                    word.coarse in ("noun", "name", "pronoun", "adjective") and word.tag != "JJR"
                )
            else:
                counts = word.kind == "content"
            if counts and (k < i) == (m < j):
                straight += 1
            elif counts:
                crossed += 1
        return crossed, straight

    def are_verbs(self, i: int, j: int) -> bool:
        return self.source[i].coarse == self.target[j].coarse == "verb"

    def has_other_voice(self, i: int, j: int) -> bool:
        return self.is_passive(0, i) != self.is_passive(1, j)

    def is_undone(self, each: Found, are_compared: bool) -> bool:
        if each.kind != "opposite":
            return False
        i, j = each.source, each.target
        are_verbs = self.are_verbs(i, j)
        crossed, straight = self.crossings(i, j, "verb" if are_verbs else "other")
        if are_verbs and self.has_other_voice(i, j):
            return are_compared or straight > crossed
        return are_compared or crossed > straight

    def role(self, i: int, j: int) -> Found:
        return Found("roles", i, j, WEIGHTS["roles"] * self.confidence[0][i])

    def compared(self) -> Found | None:
        for i, word in enumerate(self.source):
            j = self.best[0].get(i)
            if j is not None and word.lower == self.target[j].lower == "than":
                crossed, straight = self.crossings(i, j, "than")
                if crossed >= 2 and crossed >= straight:
                    return self.role(i, j)
        return None

    def exchanged(self) -> list[Found]:
        found = []
        for i, word in enumerate(self.source):
            j = self.best[0].get(i)
            if j is None or not self.are_verbs(i, j) or word.kind != "content":
                continue
            alike = CLASSES[: CLASSES.index("derived") + 1]
            if self.pair.classes[i, j] not in alike:
                continue
            crossed, straight = self.crossings(i, j, "verb")
            if self.has_other_voice(i, j):
                crossed, straight = straight, crossed
            if crossed >= 2 and not straight:
                found.append(self.role(i, j))
        return found[:8]

    # Negations.

    def undo_pairs(self) -> None:
        opposites = [each for each in self.found if each.kind == "opposite"]
        for each in opposites:
            words = self.source[each.source], self.target[each.target]
            others = [
                other
                for other in opposites
                if other is not each
                and not (
                    self.are_apart(0, each.source, other.source)
                    and self.are_apart(1, each.target, other.target)
                )
            ]
            if others and any(negates(word.lower, word.lemma) for word in words):
                self.found = [e for e in self.found if e is not each and e is not others[0]]
                return

    def negators(self, side: int) -> list[int]:
        words, others = (self.source, self.target)[:: 1 if side == 0 else -1]
        taken = {
            each.source if side == 0 else each.target
            for each in self.found
            if each.kind == "opposite"
        }
        found = []
        for at, word in enumerate(words):
            if not negates(word.lower, word.lemma) or at in taken:
                continue
            if self.denies_nothing(side, at):
                continue
            if at + 1 < len(words) and words[at + 1].coarse == "number":
                continue
            partner = self.best[side].get(at)
            if word.coarse in ("verb", "noun", "adjective") and partner is not None:
                other = others[partner]
                if not negates(other.lower, other.lemma) and other.kind == "content":
                    continue
            found.append(at)
        return found[:8]

    def denies_nothing(self, side: int, at: int) -> bool:
        words = (self.source, self.target)[side]
        word = words[at].lower
        behind = [each.lower for each in words[at + 1 : at + 3]] + ["", ""]
        if word == "no":
            if at + 1 < len(words) and words[at + 1].kind == "mark":
                return at == 0 or self.ends_sentence(side, at - 1)
            denies = ("doubt", "wonder", "question", "matter")
            return behind[1] in ("but", "than") or behind[0] in denies
        if word == "not" and behind[0] in ("only", "just", "merely", "least"):
            return True
        if word in ("nothing", "none"):
            return behind[0] in ("but", "other")
        if word == "nor":
            return any(
                negates(each.lower, each.lemma)
                for k, each in enumerate(words[:at])
                if not self.are_apart(side, k, at)
            )
        is_tag = word in ("n't", "not") and at > 2 and behind[1] == "?"
        return is_tag and words[at + 1].coarse == "pronoun"

    def ends_sentence(self, side: int, at: int) -> bool:
        words = (self.source, self.target)[side]
        if words[at].lower in ("?", "!"):
            behind = [word for word in words[at:] if word.kind != "mark"] or words[-1:]
            return behind[0].case != "lower"
        return words[at].lower == "."

    def are_apart(self, side: int, a: int, b: int) -> bool:
        return any(self.ends_sentence(side, at) for at in range(min(a, b), max(a, b)))

    def linked_sentences(self, i: int, j: int) -> bool:
        last = len(self.source) - 1, len(self.target) - 1
        if not (self.are_apart(0, 0, last[0]) or self.are_apart(1, 0, last[1])):
            return True
        return any(
            self.linked(k, m)
            for k, word in enumerate(self.source)
            if word.kind == "content" and not self.are_apart(0, i, k)
            for m in range(len(self.target))
            if not self.are_apart(1, j, m)
        )

    def stands_with(self, side: int, at: int) -> list[int | None]:
        own = (self.pair.source, self.pair.target)[side]

        def near(other: int | None) -> int | None:
            return None if other is None or self.are_apart(side, at, other) else other

        following = near(own.content_neighbour(at, 1))
        behind = at + 1 if at + 1 < len(own) and own.words[at + 1].kind != "mark" else None
        before = at - 1 if at > 0 and own.words[at - 1].kind != "mark" else None
        second = None if following is None else near(own.content_neighbour(following, 1))
        return [at, following, behind, before, second, near(own.content_neighbour(at, -1))]

    def negations(self) -> list[Found]:
        sides = self.negators(0), self.negators(1)
        free = [list(each) for each in sides]

        def stand_together(i: int, j: int) -> bool:
            return any(
                self.linked(one, other)
                for one in self.stands_with(0, i)
                for other in self.stands_with(1, j)
            )

        for belong in (self.linked, stand_together, self.linked_sentences):
            for i in sides[0]:
                for j in sides[1]:
                    if i in free[0] and j in free[1] and belong(i, j):
                        free[0].remove(i)
                        free[1].remove(j)
        return [each for side in (0, 1) for each in self.one_sided(side, free[side])]

    def one_sided(self, side: int, free: list[int]) -> list[Found]:
        other = (self.source, self.target)[1 - side]
        is_low = any(
            each.scale in ("quantity", "frequency") and each.grade <= -2
            for at, word in enumerate(other)
            if at not in self.best[1 - side] and not negates(word.lower, word.lemma)
            for each in grades_of(word.lower, word.lemma)[:3]
        )
        found: list[Found] = []
        by: list[int] = []
        for at in free:
            words = self.stands_with(side, at)
            undone = [
                each
                for each in self.found
                if each.kind == "opposite"
                and (
                    (each.source, each.target)[side] in words
                    or (self.source[each.source], self.target[each.target])[side].lower
                    in ("if", "unless")
                )
            ]
            if is_low:
                continue
            if undone:
                self.found.remove(undone[0])
                continue
            denied = [words[1], words[4]] if words[1] is not None else [*words[1:], words[0]]
            for each in denied:
                if each is not None and each in self.best[side]:
                    ends = (each, self.best[side][each])[:: 1 if side == 0 else -1]
                    share = self.confidence[side][each]
                    found.append(Found("negation", *ends, WEIGHTS["negation"] * share))
                    by.append(at)
                    break
        return [
            each
            for each, at in zip(found, by, strict=True)
            if sum(not self.are_apart(side, at, other) for other in by) % 2
        ]

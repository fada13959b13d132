"""Slow twin of roles that two sentences exchange."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from tokalign.english.values import Kind, Role

from reference.clauses import Clauses, Found
from reference.word_contrasts import SAME
from reference.words import STRENGTH

CLASSES = list(STRENGTH)
BE = ("be", "is", "are", "was", "were", "been", "being")
EXCEPTING = ("except", "excluding", "but")
DIVIDING = (",", ";", ":", ".", "(", "while", "whereas")
MUTUAL = {
    "marry", "marries", "married", "meet", "meets", "met", "border", "borders", "bordered",
    "resemble", "resembles", "resembled", "adjoin", "adjoins", "equal", "equals", "intersect",
    "intersects",
}  # fmt: skip
WITH_EACH_OTHER = {
    "agree", "agrees", "agreed", "blend", "collided", "combine", "combines", "combined", "compare",
    "compares", "compared", "correspond", "corresponds", "corresponded", "draw", "drew", "meet",
    "meets", "met", "merge", "merges", "merged", "mix", "mixes", "mixed", "overlap", "overlaps",
    "overlapped", "spoke", "speak", "speaks", "talk", "talked", "talks", "tied", "ties",
}  # fmt: skip
ALIKE = ("noun", "name", "pronoun", "adjective")


class Roles(Clauses):
    """Who does what to whom; `values` are the cells of equal dates and amounts."""

    values: frozenset[tuple[int, int]]

    def voice(self, side: int, at: int) -> str:
        words = (self.source, self.target)[side]
        if words[at].tag not in ("VBN", "VBD"):
            return "active"
        if (
            at + 2 < len(words)
            and words[at + 1].lower == "by"
            and words[at + 2].coarse != "number"
            and self.value_at(side, at + 2) is None
        ):
            return "passive"
        for k in range(at - 1, max(at - 5, -1), -1):
            if words[k].lower in BE:
                beside = (*words[max(k - 1, 0) : k], *words[at + 1 : at + 2])
                is_it_to = [word.lower for word in beside] == ["it", "to"]
                return "active" if is_it_to else "passive"
            if words[k].lower in ("have", "has", "had"):
                return "active"
            if words[k].coarse not in ("adverb", "verb", "conjunction"):
                break
        return "unsure" if words[at].tag == "VBN" else "active"

    def preposition(self, side: int, at: int) -> int | None:
        for k in range(at - 1, -1, -1):
            coarse = self.sides[side][k].coarse
            if coarse in ("adposition", "particle"):
                return k
            if coarse in ("verb", "mark", "conjunction", "adverb"):
                break
        return None

    def has_role(self, side: int, at: int) -> bool:
        words, k = self.sides[side], self.preposition(side, at)
        is_doing = at > 0 and words[at - 1].lower in BE
        is_gerund = words[at].tag == "VBG" and not is_doing
        if "unit-of-time" in self.grades(side, at):
            return False
        return (words[at].coarse in ("noun", "name", "pronoun") or is_gerund) and (
            k is None or words[k].lower in ("by", "to", "from", "than")
        )

    def counterpart(self, at: int) -> int | None:
        best = self.best[0].get(at)
        if best is not None and self.pair.classes[at, best] in SAME:
            return best
        for k in range(len(self.target)):
            other = self.best[1].get(k)
            if self.pair.classes[at, k] in SAME and (
                other is None or self.pair.classes[other, k] not in SAME
            ):
                return k
        return best

    def reach(self, side: int, at: int, far: int) -> range:
        words = (self.source, self.target)[side]
        start = stop = at
        while start > 0 and at - start < far and words[start - 1].kind != "mark":
            start -= 1
        while stop + 1 < len(words) and stop - at < far and words[stop + 1].kind != "mark":
            stop += 1
        return range(start, stop + 1)

    def parts(self, side: int) -> list[int]:
        """Return the number of each token's part."""
        found: list[int] = []
        n, has_content = 0, False
        for word in self.sides[side]:
            if word.kind == "content":
                has_content = True
            elif has_content and (word.coarse == "conjunction" or word.lower in DIVIDING):
                n, has_content = n + 1, False
            found.append(n)
        self.n_parts[side] = n + has_content
        return found

    def find_parts(self) -> None:
        self.n_parts = [0, 0]
        self.part = self.parts(0), self.parts(1)
        self.only: dict[int, int] = {}
        self.moved: Counter[tuple[int, int]] = Counter()
        if not all(1 < n <= 16 for n in self.n_parts):
            return
        first = [
            next(
                (k for k, w in enumerate(side) if w.kind == "content" and w.coarse == "verb"), None
            )
            for side in self.sides
        ]
        for i, word in enumerate(self.source):
            counts = word.kind == "content" or word.coarse == "name"
            j = self.counterpart(i) if counts else None
            if j is None:
                continue
            cells = {(i, k) for k in range(len(self.target))}
            cells |= {(k, j) for k in range(len(self.source))}
            if [each for each in cells if self.pair.classes[each] in SAME] == [(i, j)]:
                self.only[i] = j
                self.moved[self.part[0][i], self.part[1][j]] += [i, j] != first

    def keeps_part(self, i: int, j: int) -> bool:
        """Whether what is in a source word's part is all in a target word's part."""
        here = self.part[0][i], self.part[1][j]
        others = [
            each
            for each, n in self.moved.items()
            if n and each not in (here, (0, 0)) and (each[0] == here[0] or each[1] == here[1])
        ]
        return self.moved[here] >= 2 and not others

    def exchanged_parts(self) -> list[Found]:
        found = []
        for i, j in self.only.items():
            for k, m in self.only.items():
                p, r, q, s = self.part[0][i], self.part[0][k], self.part[1][j], self.part[1][m]
                if k <= i or m >= j or p == r or q == s:
                    continue
                are_verbs = {self.source[at].coarse == "verb" for at in (i, k)}
                if len(are_verbs) == 2:
                    continue
                if self.moved[p, s] and self.moved[r, q]:
                    found.append(Found("roles", i, m, "place", 0.8))
                    break
        return found[:8]

    def crossings(self, i: int, j: int, around: str) -> tuple[int, int]:
        far = {"verb": 8, "than": 6, "other": 4}[around]
        crossed = straight = 0
        for k in self.reach(0, i, far):
            m = self.counterpart(k)
            if k == i or m is None or m == j or m not in self.reach(1, j, far):
                continue
            if self.keeps_part(k, m) and self.part[0][k] != self.part[1][m]:
                continue
            word = self.source[k]
            if self.are_amounts(k, m):
                continue
            is_name = k > 0 and word.coarse == self.source[k - 1].coarse == "name"
            is_same = is_name and k - 1 in self.reach(0, i, far)
            if around == "verb" and is_same and m and self.counterpart(k - 1) == m - 1:
                continue  # of the name that the word before counted for
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
        return {self.voice(0, i), self.voice(1, j)} == {"active", "passive"}

    def is_undone(self, each: Found, are_compared: bool) -> bool:
        if each.way != "opposites" or each.kind == "condition":
            return False
        i, j = each.source, each.target
        if self.lasts(0, i) != self.lasts(1, j):
            return True
        if self.is_excepted(0, i, j) or self.is_excepted(1, j, i):
            return True
        are_verbs = self.are_verbs(i, j)
        if (
            not are_compared
            and len({self.source[i].coarse == "verb", self.target[j].coarse == "verb"}) > 1
        ):
            return False
        crossed, straight = self.crossings(i, j, "verb" if are_verbs else "other")
        if are_verbs and self.has_other_voice(i, j):
            return are_compared or straight > crossed
        return are_compared or (crossed > straight and (crossed > 1 or not are_verbs))

    def is_excepted(self, side: int, at: int, there: int) -> bool:
        """Whether what an opposite excepts stands behind the other one: open except on Monday."""
        behind = [word.lower for word in self.sides[1 - side][there:]]
        if set(EXCEPTING) & set(behind):
            return False
        for k, word in enumerate(self.sides[side][at + 1 :], at + 1):
            if word.lower in EXCEPTING:
                words = enumerate(self.sides[side][k + 1 :], k + 1)
                following = next((m for m, each in words if each.kind == "content"), None)
                partner = self.best[side].get(following, -1)
                return there < partner <= there + 4
            if word.kind == "mark":
                break
        return False

    def lasts(self, side: int, at: int) -> bool:
        behind = [word.lower for word in self.sides[side][at + 1 : at + 3]]
        return "until" in behind or "till" in behind

    def role(self, i: int, j: int, way: str) -> Found:
        return Found("roles", i, j, way, self.confidence[0][i])

    def compared(self) -> Found | None:
        for i, word in enumerate(self.source):
            j = self.best[0].get(i)
            if j is not None and word.lower == self.target[j].lower == "than":
                crossed, straight = self.crossings(i, j, "than")
                if crossed >= 2 and crossed >= straight:
                    return self.role(i, j, "comparison")
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
            if self.pair.classes[i, j] not in SAME and self.kind_of_word(0, i) == "modality":
                continue
            if "unsure" in (self.voice(0, i), self.voice(1, j)):
                continue
            crossed, straight = self.crossings(i, j, "verb")
            if not self.has_other_voice(i, j) and {word.lower, self.target[j].lower} <= MUTUAL:
                continue
            if self.has_other_voice(i, j):
                crossed, straight = straight, crossed
            if crossed >= 2 and not straight:
                found.append(self.role(i, j, "verb"))
        return found[:8]

    def are_amounts(self, i: int, j: int) -> bool:
        value = self.value_at(0, i)
        return (i, j) in self.values and (value is None or value.kind is not Kind.ORDINAL)

    def twin(self, i: int) -> int | None:
        may_move = self.source[i].coarse in ALIKE or self.ends_range(0, i)
        j = self.counterpart(i) if may_move else None
        if j is None or self.pair.classes[i, j] not in SAME:
            return None
        if self.are_amounts(i, j) and not (self.ends_range(0, i) and self.ends_range(1, j)):
            return None
        is_form = self.pair.classes[i, j] not in ("identical", "canonical")
        return None if is_form and self.target[j].coarse not in ALIKE else j

    def ends_range(self, side: int, at: int) -> bool:
        value = self.value_at(side, at)
        if value is not None and at > value.start:
            at -= bool(value.roles[at - 1 - value.start] & Role.CURRENCY)
        return at > 0 and self.sides[side][at - 1].lower in ("from", "to")

    def there_is(self, side: int) -> bool:
        words = [word.lower for word in self.sides[side]]
        return any(word == "there" and after in BE for word, after in pairwise(words))

    def turns(self, i: int, j: int) -> bool:
        if self.are_verbs(i, j):
            voices = {self.voice(0, i), self.voice(1, j)}
            return len(voices) > 1 or "unsure" in voices
        is_form = self.pair.classes[i, j] in ("identical", "canonical")
        return not is_form and {self.source[i].coarse, self.target[j].coarse} == {"verb", "noun"}

    def owns(self, side: int, at: int) -> bool:
        return any(word.lower in ("'s", "'") for word in self.sides[side][at + 1 : at + 2])

    def is_owner(self, i: int, j: int) -> bool:
        before, other = self.preposition(0, i), self.preposition(1, j)
        is_of = [
            at is not None and words[at].lower == "of"
            for at, words in zip((before, other), self.sides, strict=True)
        ]
        return (self.owns(0, i) and is_of[1]) or (self.owns(1, j) and is_of[0])

    def verb_before(self, side: int, at: int) -> int | None:
        verbs = [k for k, word in enumerate(self.sides[side][:at]) if word.coarse == "verb"]
        return verbs[-1] if verbs else None

    def are_mutual(self, side: int, first: int, last: int) -> bool:
        words, at = [word.lower for word in self.sides[side]], self.preposition(side, last)
        if at is None:
            return not MUTUAL.isdisjoint(words[first + 1 : last])
        return words[at] == "with" and not WITH_EACH_OTHER.isdisjoint(words[:at])

    def receives(self, i: int, j: int, k: int, m: int) -> bool:
        verbs = {(0, self.verb_before(0, i)), (0, self.verb_before(0, k))}
        others = {(1, self.verb_before(1, m)), (1, self.verb_before(1, j))}
        if len(verbs) > 1 or len(others) > 1:
            return False
        ((_, verb),), ((_, other),) = verbs, others
        if verb is None or other is None or not self.linked(verb, other):
            return False
        if self.preposition(0, i) is not None or self.preposition(1, m) is not None:
            return False
        before = self.preposition(0, k), self.preposition(1, j)
        said = [
            words[at].lower for words, at in zip(self.sides, before, strict=True) if at is not None
        ]
        return said in (["to"], ["for"])

    def keep_verbs(self, *cells: tuple[int, int]) -> bool:
        verbs = [(self.verb_before(0, i), self.verb_before(1, j)) for i, j in cells]
        return verbs[0][0] != verbs[1][0] and all(self.linked(*each) for each in verbs)

    def has_free(self, side: int, first: int, last: int) -> bool:
        return any(
            at not in self.best[side] and word.kind == "content" and word.coarse in ("noun", "verb")
            for at, word in enumerate(self.sides[side])
            if first - 2 <= at <= last + 2
        )

    def moved_whole(self, i: int, j: int) -> bool:
        before = self.preposition(0, i)
        return before in self.best[0] and self.best[0][before] == self.preposition(1, j)

    def follows(self, i: int, m: int) -> bool:
        before, other = self.preposition(0, i), self.preposition(1, m)
        return bool(before and other) and self.best[0].get(before - 1) == other - 1

    def moved_alone(self, i: int, j: int, other: int) -> float:
        partners = [
            self.best[0][k]
            for k in range(max(i - 3, 0), min(i + 4, len(self.source)))
            if k != i and k in self.best[0] and self.best[0][k] not in (j, other)
        ]
        there = [m for m in partners if abs(m - other) <= 3 and abs(m - other) <= abs(m - j)]
        return len(there) / len(partners) if partners else 0.0

    def are_listed(self, side: int, first: int, last: int) -> bool:
        between = {word.coarse for word in self.sides[side][first + 1 : last]}
        return "conjunction" in between and not between & {
            "verb", "adposition", "adverb", "particle"
        }  # fmt: skip

    def changed_places(self) -> list[Found]:
        found = []
        if self.there_is(0) != self.there_is(1):
            return []
        if any(self.turns(i, j) for i, j in self.best[0].items()):
            return []
        for i in range(len(self.source)):
            j = self.twin(i)
            for k in range(i + 1, len(self.source)):
                m = self.twin(k)
                if j is None or m is None or m >= j or k == i + 1 or j == m + 1:
                    continue
                if self.source[i].coarse != self.source[k].coarse:
                    continue
                if self.keeps_part(i, j) and self.keeps_part(k, m):
                    continue
                if self.are_listed(0, i, k) or self.are_listed(1, m, j):
                    continue
                if self.is_owner(i, j) or self.is_owner(k, m) or self.keep_verbs((i, j), (k, m)):
                    continue
                if self.receives(i, j, k, m):
                    continue
                if self.are_mutual(0, i, k) and self.are_mutual(1, m, j):
                    continue
                if self.has_free(0, i, k) and self.has_free(1, m, j):
                    continue
                if self.moved_whole(i, j) or self.moved_whole(k, m):
                    place = float(self.follows(i, m) and self.follows(k, j))
                else:
                    place = (self.moved_alone(i, j, m) + self.moved_alone(k, m, j)) / 2
                if place >= 0.49999:
                    found.append(Found("roles", i, m, "place", place))
                    break
        return found[:8]

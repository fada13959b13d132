"""Slow, obvious twin of the places where a pair may be in conflict, in the order they are found."""

from __future__ import annotations

from collections.abc import Mapping

from tokalign.english.lexicon.word_lists import negates
from tokalign.english.values import Kind, Role

from reference.agreement import are_equal, contradict, same_values
from reference.clauses import Found
from reference.denials import Denials
from reference.pair import ReferencePair
from reference.roles import CLASSES, Roles
from reference.value_pieces import Said
from reference.word_contrasts import SAME
from reference.words import Word

LEAST_COSINE = 0.35
APART, BETWEEN = 0.3, 0.8
MORE = ("least", "more", "greater", "over", "above", "exceeding")
AT = ("at", "until", "till", "from", "to", "by", "before", "after", "around")
LESS = ("most", "less", "fewer", "under", "below")


class Conflicts(Denials, Roles):
    """The places of a pair, found step by step.

    `links` are in rising order, with their confidences.
    """

    def __init__(self, pair: ReferencePair, links: Mapping[tuple[int, int], float]) -> None:
        super().__init__(pair)
        for (i, j), share in links.items():
            for side, own, other in ((0, i, j), (1, j, i)):
                if share > self.confidence[side].get(own, 0.0):
                    self.confidence[side][own] = share
                    self.best[side][own] = other
        self.values = same_values(*self.said)
        self.found = self.in_places()
        self.compare_values()
        self.compare_units(0)
        self.compare_units(1)
        self.compare_codes()
        self.add_apart()
        self.find_parts()
        exchanged = self.compared()
        dropped = [each for each in self.found if self.is_undone(each, exchanged is not None)]
        if dropped:
            prepositions = ("adposition", "particle")
            self.found = [
                each
                for each in self.found
                if each not in dropped
                and not (
                    each.way == "opposites" and self.source[each.source].coarse in prepositions
                )
            ]
        roles = [] if dropped else self.exchanged() if exchanged is None else [exchanged]
        self.add_new(roles)
        self.add_new(self.bounds())
        self.is_reworded = False
        self.add_new(self.negations())
        are_undone = self.undo_pairs() or self.is_reworded
        self.add_new(self.reworded())
        self.add_new(self.one_side_alone(0))
        self.add_new(self.one_side_alone(1))
        if not dropped and not roles and not are_undone:
            self.add_new(self.exchanged_parts() or self.changed_places())

    def bound(self, side: int, said: Said) -> int:
        words = ["", "", "", *(word.lower for word in self.sides[side]), "", ""]
        first, second, third = words[said.start : said.start + 3]
        end = said.start + 3 + len(said.roles)
        sign = {**dict.fromkeys(MORE, 1), **dict.fromkeys(LESS, -1)}
        if words[end] in ("or", "and") and words[end + 1] in sign:
            return sign[words[end + 1]]
        if (second, third) == ("up", "to"):
            return -1
        if third == "of":
            return {"minimum": 1, "excess": 1, "maximum": -1}.get(second, 0)
        if third == "than":
            at = said.start - 2
            grades = [*self.grades(side, at).values()] if at >= 0 else []
            if grades and self.sides[side][at].tag in ("JJR", "RBR"):
                sign.setdefault(second, 1 if grades[0] > 0 else -1)
            return sign.get(second, 0) * (-1 if first in ("no", "not") else 1)
        return sign.get(third, 0)

    def bounds_value(self, side: int, at: int) -> bool:
        behind = self.sides[side][at + 1 : at + 2]
        has_than = bool(behind) and behind[0].lower == "than"
        return has_than and self.value_at(side, at + 2) is not None

    def bounds(self) -> list[Found]:
        found = []
        for i, j in sorted(self.best[0].items()):
            one, other = self.value_at(0, i), self.value_at(1, j)
            if one is None or other is None or (one.start, other.start) != (i, j):
                continue
            if one.facts.get("number", 0.0) != other.facts.get("number", 0.0):
                continue
            if any(self.is_told(0, k) for k in range(i - 3, i)):
                continue
            if self.bound(0, one) * self.bound(1, other) < 0 or self.differ(i - 1, j - 1):
                found.append(Found("quantity", i, j, "scales", self.confidence[0][i]))
        return found[:8]

    def differ(self, i: int, j: int) -> bool:
        words = {side[at].lower for side, at in zip(self.sides, (i, j), strict=True) if at >= 0}
        return words in ({"by", "to"}, {"on", "after"}, {"on", "before"})

    def is_told(self, side: int, at: int) -> bool:
        return any(at == (each.source, each.target)[side] for each in self.found)

    def add_new(self, found: list[Found]) -> None:
        for each in found:
            are_told = self.is_told(0, each.source), self.is_told(1, each.target)
            if each.way == "negation" or not all(are_told):
                self.found.append(each)

    # Words in the same place.

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
            return BETWEEN
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

    def has_twin(self, i: int, j: int) -> bool:
        """Whether a word of either side is one of these, and linked to no other word that it is."""
        for one, other in self.cross(i, j):
            if self.pair.classes[one, other] not in SAME:
                continue
            cell = (self.best[1].get(other), other) if one == i else (one, self.best[0].get(one))
            if None in cell or cell[one != i] == (i, j)[one != i]:
                return True
            if self.pair.classes[cell] not in SAME:
                return True
        return False

    def is_before_verb(self, side: int, at: int) -> bool:
        words = self.sides[side][at : at + 2]
        return words[0].lower == "to" and words[-1].coarse == "verb"

    def kind(self, i: int, j: int, place: float) -> tuple[str, str] | None:
        """Return the kind of conflict of two words, and the way to see it."""
        cell = (i, j)
        if self.has_twin(i, j):
            return None
        if not (self.linked(i, j) or self.may_contrast(i, j, place)):
            return None
        words = self.contrast(i, j)
        if "opposite" in words and self.bounds_value(0, i) and self.bounds_value(1, j):
            return None
        if "opposite" in words and (self.is_before_verb(0, i) or self.is_before_verb(1, j)):
            return None
        if "opposite" in words and self.agree(i, j, "quantity"):
            return None
        if "opposite" in words:
            is_condition = self.kind_of_word(0, i) == "condition"
            return "condition" if is_condition else "opposite", "opposites"
        if "far" in words and None not in (self.value_at(0, i), self.value_at(1, j)):
            return None
        if "far" in words:
            kinds = {self.kind_of_word(0, i), self.kind_of_word(1, j)}
            kind = (kinds.pop() if len(kinds) == 1 else None) or "opposite"
            return None if self.agree(i, j, kind) else (kind, "scales")
        if "names" in words and cell not in self.pair.acronyms and cell not in self.pair.rules:
            if None not in (self.value_at(0, i), self.value_at(1, j)):
                return None
            return "name", "names"
        return ("name", "nouns") if self.are_of_one_class(i, j) else None

    def are_of_one_class(self, i: int, j: int) -> bool:
        cell = (i, j)
        name = self.pair.classes[cell]
        return (
            all(
                word.coarse in ("noun", "name")
                or (word.coarse == "adjective" and word.case == "capitalised")
                for word in (self.source[i], self.target[j])
            )
            and self.kind_of_word(0, i) is self.kind_of_word(1, j) is None
            and CLASSES.index(name) >= CLASSES.index("cohyponym")
            and self.pair.relations[cell] <= {"cohyponym"}
            and (name == "cohyponym" or self.pair.cosines.get(cell, 0.0) >= LEAST_COSINE)
            and cell not in self.pair.acronyms
            and cell not in self.pair.rules
            and self.value_at(0, i) is self.value_at(1, j) is None
            and not self.is_addressed(self.source[i], self.target[j])
            and not self.is_addressed(self.target[j], self.source[i])
        )

    def is_addressed(self, title: Word, name: Word) -> bool:
        return title.is_title and not name.is_title and name.coarse == "name"

    def may_contrast(self, i: int, j: int, place: float) -> bool:
        """Whether words that are not linked may contradict each other."""
        kinds = self.kind_of_word(0, i), self.kind_of_word(1, j)
        one, other = self.source[i], self.target[j]
        if any(kinds):
            return kinds[0] == kinds[1] or any(
                kind is not None and negates(word.lower, word.lemma)
                for kind, word in zip(kinds, (other, one), strict=True)
            )
        if not one.kind == other.kind == "content":
            return False
        if place >= BETWEEN or "number" in (one.coarse, other.coarse):
            return True
        if one.coarse in ("noun", "name", "adverb"):
            return one.coarse == other.coarse
        return {one.coarse, other.coarse} <= {"verb", "adjective"}

    def in_places(self) -> list[Found]:
        found = []
        for i in range(len(self.source)):
            of_word: list[Found] = []
            for j in range(len(self.target)):
                share = self.same_place(i, j)
                kind = self.kind(i, j, share) if share > 0 else None
                if kind is not None:
                    of_word.append(Found(kind[0], i, j, kind[1], share))
            if of_word:
                found.append(max(of_word, key=lambda each: each.place))
        return found

    def add_apart(self) -> None:
        """Add words without partners anywhere that are in no conflict yet."""
        for i in range(len(self.source)):
            if i in self.best[0] or self.is_told(0, i):
                continue
            for j in range(len(self.target)):
                if j in self.best[1] or self.is_told(1, j) or not self.contrast(i, j):
                    continue
                kind = self.kind(i, j, APART)
                if kind is not None:
                    self.found.append(Found(kind[0], i, j, kind[1], APART))
                    break

    # Values and codes.

    def compare_values(self) -> None:
        for a in self.said[0]:
            for b in self.said[1]:
                if a.rank or b.rank:
                    continue
                if are_equal(a, b):
                    has_other_sign = self.has_sign(0, a) != self.has_sign(1, b)
                    unlike = has_other_sign and a.kind not in (Kind.DATE, Kind.TIME)
                else:
                    is_met = self.is_met(0, a) or self.is_met(1, b)
                    is_elsewhere = is_met and not self.are_exchanged(a, b)
                    clash = contradict(a, b) or self.is_hour(a, b) is False
                    clash = clash or self.count_unlike(a, b)
                    unlike = clash and (not is_elsewhere or self.count_one(a, b))
                if unlike:
                    self.add_values(a, b)

    def is_met(self, side: int, said: Said) -> bool:
        """Whether the other side has an equal value, none that is linked with another one here."""
        for other in self.said[1 - side]:
            if self.agree_as_values(*((said, other) if side == 0 else (other, said))):
                partner = self.best[1 - side].get(other.start)
                twin = None if partner is None else self.value_at(side, partner)
                if twin is None or twin.start == said.start or not are_equal(twin, said):
                    return True
        return False

    def count_unlike(self, a: Said, b: Said) -> bool:
        """Whether a number and another one that may be a year stand before linked nouns."""
        ends = [each.start + len(each.roles) for each in (a, b)]
        if {a.kind, b.kind} != {Kind.NUMBER, Kind.DATE} or not self.linked(*ends):
            return False
        if any(side[at].coarse != "noun" for side, at in zip(self.sides, ends, strict=True)):
            return False
        date, number = (a, b) if a.kind == Kind.DATE else (b, a)
        said = {"period": 1, **date.facts["date"]}
        is_year = said["period"] == 1 and date.roles[0] == Role.YEAR
        return is_year and said["year"] != number.facts["amount"]

    def agree_as_values(self, a: Said, b: Said) -> bool:
        return are_equal(a, b) or self.is_hour(a, b) is True

    def is_hour(self, a: Said, b: Said) -> bool | None:
        """Whether one value is a time and the other one its bare hour; None for other values, and
        False for a time that is none of the hours there."""
        if (a.kind == Kind.TIME) == (b.kind == Kind.TIME):
            return None
        side, time, other = (1, a, b) if a.kind == Kind.TIME else (0, b, a)
        hours = self.hours_of(other)
        words = self.sides[side]
        before = words[other.start - 1].lower if other.start else ""
        behind = words[other.start + len(other.roles) :][:1]
        if not hours or before not in AT or not all(0 <= each <= 24 for each in hours):
            return None
        if behind and behind[0].coarse in ("noun", "adjective"):
            return None
        at = time.facts["time"]
        if any(at[1:]) or all((at[0] - each) % 12 for each in hours):
            return False
        return True if other.kind == Kind.NUMBER else None

    def hours_of(self, said: Said) -> list:
        if said.kind == Kind.NUMBER:
            return [said.facts["amount"]]
        if said.kind == Kind.SCORE:
            return [*said.facts["score"]]
        is_range = said.kind == Kind.RANGE and said.facts["of"] == Kind.NUMBER
        return [*said.facts["ends"]] if is_range else []

    def are_exchanged(self, a: Said, b: Said) -> bool:
        return self.linked(a.start, b.start) and any(
            c.start != a.start
            and d.start != b.start
            and are_equal(c, b)
            and are_equal(d, a)
            and self.linked(c.start, d.start)
            for c in self.said[0]
            for d in self.said[1]
        )

    def count_one(self, a: Said, b: Said) -> bool:
        i, j = (each.start + len(each.roles) for each in (a, b))
        if not a.kind == b.kind == Kind.NUMBER or i >= len(self.source) or j >= len(self.target):
            return False
        same = [each for each in self.cross(i, j) if self.pair.classes[each] in SAME]
        return self.source[i].coarse == "noun" and set(same) == {(i, j)}

    def add_values(self, a: Said, b: Said) -> None:
        has_sign = are_equal(a, b)
        places = [
            (self.place_of_values(i, j), i, j)
            for i, role in enumerate(a.roles, a.start)
            for j, other in enumerate(b.roles, b.start)
            if role & other & ~Role.MARK
            or (a.kind != b.kind and {Kind.TIME, Kind.DATE} & {a.kind, b.kind})
        ]
        met = [(i, j) for share, i, j in places if share > 0]
        unlike = [(i, j) for i, j in met if self.source[i].lower != self.target[j].lower]
        if met:
            at = [*unlike, *met][0]
            share = max(share for share, _, _ in places)
            self.add_value("value", *at, "signs" if has_sign else "values", share)
        elif self.count_one(a, b):
            self.add_value("value", a.start, b.start, "values", 0.8)
        elif not has_sign:
            self.add_value("value", a.start, b.start, "values", 0.15)

    def place_of_values(self, i: int, j: int) -> float:
        share = self.same_place(i, j)
        is_free = i not in self.best[0] and j not in self.best[1]
        return 0.3 if share <= 0 and is_free else share

    def add_value(self, kind: str, i: int, j: int, way: str, share: float) -> None:
        new = Found(kind, i, j, way, share)
        for k, each in enumerate(self.found):
            if each.kind in ("value", "code") and (each.source == i or each.target == j):
                if new.place > each.place:
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

    def span(self, place: Found, side: int) -> tuple[int, int]:
        """Return the range of a side's tokens that show a place."""
        at = (place.source, place.target)[side]
        shown = {at}
        said = self.value_at(side, at)
        if place.kind in ("value", "code") and said is not None:
            shown |= {*range(said.start, said.start + len(said.roles))}
            if place.way == "signs" and self.has_sign(side, said):
                shown.add(said.start - 1)
        if place.way == "names":
            coarse = [k for k, word in enumerate(self.sides[side]) if word.coarse == "name"]
            for step in (1, -1):
                k = at + step
                while k in coarse:
                    shown.add(k)
                    k += step
        after = self.sides[side][at + 1 : at + 2]
        if place.way == "scales" and place.kind == "modality":
            shown |= {at + 1 for word in after if negates(word.lower, word.lemma)}
        if place.denial is not None and place.denial[0] == side:
            there = place.denial[1]
            shown = {at, there} if abs(at - there) < 6 else {there}
        return min(shown), max(shown) + 1

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
                            self.add_value("value", i, j, "units", share)

    def is_code(self, side: int, at: int) -> bool:
        words = self.sides[side]
        text = words[at].lower
        if len(text) > 1 and "_" in text:
            return True
        if at > 0 and words[at - 1].lower == "@":
            return True
        if text.startswith("/") and "/" in text[2:] and "//" not in text[1:]:
            return True
        digits = [each for each in text if each in "0123456789"]
        is_plain = all(each in "0123456789.," for each in text)
        return bool(digits) and (not is_plain or self.value_at(side, at) is None)

    def is_numeral(self, side: int, at: int) -> bool:
        words = (self.source, self.target)[side]
        word = words[at]
        return (
            at > 0
            and len(word.lower) <= 5
            and words[at - 1].coarse in ("name", "noun")[: len(word.lower)]
            and set(word.lower) <= set("ivx")
            and (word.case == "upper" or len(word.lower) == 1)
        )

    def compare_codes(self) -> None:
        for i in range(len(self.source)):
            for j in range(len(self.target)):
                if self.pair.classes[i, j] in ("identical", "canonical"):
                    continue
                values = self.value_at(0, i) is not None, self.value_at(1, j) is not None
                is_numeral = self.is_numeral(0, i)
                if is_numeral:
                    are_alike = self.is_numeral(1, j)
                else:
                    are_alike = self.is_code(0, i) and self.is_code(1, j) and not all(values)
                if not are_alike:
                    continue
                if any(self.pair.classes[each] in SAME for each in self.cross(i, j)):
                    continue
                words = self.source[i].lower, self.target[j].lower
                if words[0].removeprefix("'") == words[1].removeprefix("'"):
                    continue
                share = self.place_of_values(i, j)
                if share > 0:
                    kind = "value" if is_numeral or values[0] else "code"
                    self.add_value(kind, i, j, "codes", share)

    # Negations.

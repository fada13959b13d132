"""Slow twin of what modals and words of quantity and of condition govern."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile

from tokalign.english.lexicon.word_lists import negates

from lab.recipes.word_scales import denies, grades_of
from reference.pair import ReferencePair
from reference.value_pieces import Said
from reference.values import find_values
from reference.word_contrasts import SAME, contrast
from reference.words import STRENGTH

REACH = 4
CONDITIONS = ("if", "unless", "until", "except", "provided", "providing", "till")
CONDITION_GROUPS = (
    ("if", "provided", "providing", "should"), ("unless", "except"), ("until", "till"),
)  # fmt: skip
SUPPOSING = ("if", "when")
HAVING = ("have", "has", "had", "need", "needs", "needed")
DENIALS = ("not", "n't", "never")
PARTING = (
    ";", ":", "(", "but", "because", "although", "though", "whereas", "while", "if", "unless",
    "when",
)  # fmt: skip
JOINING = ("and", "or", "so", "yet", "which", "who")
ASKING = ("please", "always", "then")
NOUNS_TOO = ("can", "will", "must", "might")
OWNING = ("a", "an", "the", "his", "her", "its", "my", "your", "their")
IDLE = {("after", "all"), ("above", "all"), ("at", "all"), ("at", "most")}
QUIET = {
    "no": ("doubt", "wonder", "question", "matter"),
    "not": ("only", "just", "merely", "least"),
    "nothing": ("but", "other", "short"),
    "nobody": ("but",),
    "none": ("but", "other"),
    "without": ("fail", "exception", "doubt", "question"),
}
PER_YEAR = {
    **dict.fromkeys(("hour", "hours", "hourly"), 8760),
    **dict.fromkeys(("day", "days", "daily", "night", "nights", "nightly"), 365),
    **dict.fromkeys(("morning", "evening"), 365),
    **dict.fromkeys(("week", "weeks", "weekly"), 52),
    **dict.fromkeys(("fortnight", "fortnightly"), 26),
    **dict.fromkeys(("month", "months", "monthly"), 12),
    **dict.fromkeys(("quarter", "quarterly"), 4),
    **dict.fromkeys(("year", "years", "yearly", "annually", "annual"), 1),
}
RESTRICTIONS = ("only", "solely", "exclusively", "even")
ORDER = {
    "quantity": ("quantity", "frequency"),
    "value": ("times", "period"),
}


@dataclass
class Found:
    kind: str
    source: int
    target: int
    way: str
    place: float
    denial: tuple[int, int] | None = None
    """Side and token of the negation, if it is one."""


def in_order(side: int, own: int, other: int) -> tuple[int, int]:
    """Return a token of a side and one of the other side as source and target."""
    return (own, other) if side == 0 else (other, own)


class Clauses:
    """A pair with its links, and what its words govern.

    `best` and `confidence` are the surest partner of each linked token of a side, and how sure.
    `found` are the places found before.
    """

    found: list[Found]

    def __init__(self, pair: ReferencePair) -> None:
        self.pair = pair
        self.source, self.target = pair.source.words, pair.target.words
        self.sides = self.source, self.target
        self.best: tuple[dict[int, int], dict[int, int]] = ({}, {})
        self.confidence: tuple[dict[int, float], dict[int, float]] = ({}, {})
        self.said = tuple(find_values([word.form for word in side]) for side in self.sides)

    def value_at(self, side: int, at: int) -> Said | None:
        return next(
            (said for said in self.said[side] if said.start <= at < said.start + len(said.roles)),
            None,
        )

    def grades(self, side: int, at: int) -> dict[str, int]:
        word = self.sides[side][at]
        return {each.scale: each.grade for each in grades_of(word.lower, word.lemma)[:3]}

    def kind_of_word(self, side: int, at: int) -> str | None:
        words, word = self.sides[side], self.sides[side][at]
        scales = set(self.grades(side, at))
        before = words[at - 1].lower if at > 0 else ""
        if word.lower in (*CONDITIONS, "should"):
            if self.sets_condition(side, at):
                return "condition"
            if word.lower != "should":
                return None
        if word.lower in RESTRICTIONS or (
            word.lower == "but" and before in ("nothing", "nobody", "none")
        ):
            if at > 0 and words[at - 1].lower == "not":
                return None
            behind = words[at + 1].lower if at + 1 < len(words) else ""
            return "condition" if behind in ("if", "when", "after") else "quantity"
        opens_clause = any(
            each.lower == "the" or each.coarse in ("verb", "pronoun")
            for each in words[at + 1 : at + 2]
        )
        if word.lower == "once" and opens_clause:
            return None
        if "times" in scales or self.rate(side, at):
            return "value"
        is_idle = (before, word.lower) in IDLE or (word.lower in NOUNS_TOO and before in OWNING)
        is_idle |= word.lower == "free" and [e.lower for e in words[at + 1 : at + 2]] != ["to"]
        if is_idle or self.value_at(side, at) is not None:
            return None
        if self.obligation(side, at) is not None or "certainty" in scales:
            return "modality"
        is_counted = scales & {"quantity", "frequency"}
        return "quantity" if is_counted and not negates(word.lower, word.lemma) else None

    def sets_condition(self, side: int, at: int) -> bool:
        words = self.sides[side]
        behind = words[at + 1].lower if at + 1 < len(words) else ""
        if "otherwise" in [word.lower for word in words[at + 1 : at + REACH]]:
            return False
        if words[at].lower == "should":
            is_pronoun = at + 1 < len(words) and words[at + 1].coarse == "pronoun"
            return is_pronoun and words[-1].lower != "?"
        if words[at].lower not in ("provided", "providing") or behind == "that":
            before = words[at - 1].lower if at else ""
            return words[at].lower != "if" or (before != "except" and behind != "any")
        if not behind or words[at + 1].coarse not in ("pronoun", "determiner"):
            return False
        marks = [k for k in range(at) if words[k].kind == "mark"]
        clause = words[max(marks, default=-1) + 1 : at]
        return not clause or any(word.coarse == "verb" for word in clause)

    def obligation(self, side: int, at: int) -> int | None:
        words = ["", *(word.lower for word in self.sides[side]), ""]
        before, word, behind = words[at : at + 3]
        needs = word == "need" and behind in DENIALS
        is_first = at == 0 or self.sides[side][at - 1].kind == "mark"
        is_verb = any(word.coarse == "verb" for word in self.sides[side][at + 1 : at + 2])
        obliges = (
            needs
            or (behind == "to" and word in HAVING)
            or (word == "do" and behind in DENIALS and is_first)
            or (word == "to" and before in ("is", "are", "was", "were") and is_verb)
        )
        grade = 6 if obliges else self.grades(side, at).get("obligation")
        if grade == 1 and self.restricts(side, at):
            return -6
        if grade is None or (before not in DENIALS and behind not in DENIALS):
            return grade
        if grade < 0:
            return 1
        if grade == 1:
            return -6
        return 0 if needs or before in DENIALS else -grade

    def restricts(self, side: int, at: int) -> bool:
        behind = self.sides[side][at + 1 : at + 1 + REACH]
        only = next((k for k, word in enumerate(behind) if word.lower == "only"), len(behind))
        return any(word.coarse == "adposition" for word in behind[only:])

    def rate(self, side: int, at: int) -> float:
        """Return how often a year something is that a word says the rate of, or 0."""
        words = [word.lower for word in self.sides[side][at:]] + ["", "", ""]

        def number(at: int) -> float | None:
            said = self.value_at(side, at)
            return None if said is None else said.facts.get("number", 0.0)

        grades = self.grades(side, at)
        times = grades.get("times")
        if at > 0 and self.sides[side][at - 1].lower == "per" and words[0] not in ("every", "each"):
            return PER_YEAR.get(words[0], 0)
        if "period" in grades:
            before = self.grades(side, at - 1) if at > 0 else {}
            return (before.get("times", 1) + 2) // 3 * PER_YEAR.get(words[0], 0)
        if words[0] in ("every", "each"):
            if words[1] in ("second", "other"):
                return PER_YEAR.get(words[2], 0) / 2
            if (number(at + 1) or 0) > 0:
                return PER_YEAR.get(words[2], 0) / number(at + 1)
            return PER_YEAR.get(words[1], 0)
        if times is None and (number(at) is None or words[1] != "times"):
            return 0.0
        count = number(at) if times is None else (times + 2) // 3
        words = words[1 if times is not None else 2 :]
        if words[0] in ("a", "an", "per", "each", "every"):
            words = words[1:]
        return count * PER_YEAR.get(words[0], 0)

    def agree(self, i: int, j: int, kind: str) -> bool | None:
        if kind == "modality":
            return self.modals_agree(i, j)
        if kind == "quantity" and (self.is_a_few(0, i) or self.is_a_few(1, j)):
            return self.grade(0, i, kind) == self.grade(1, j, kind)
        rates = self.rate(0, i), self.rate(1, j)
        if kind != "value" or min(rates) <= 0:
            return None
        return abs(rates[0] - rates[1]) < 1e-6 * rates[0]

    def modals_agree(self, i: int, j: int) -> bool:
        one, other = self.modal(0, i), self.modal(1, j)
        if one is None or other is None:
            return False
        has_do = "do" in (self.source[i].lower, self.target[j].lower)
        return one == other or (max(one, other) < 0 and has_do)

    def modal(self, side: int, at: int) -> int | None:
        grade = self.obligation(side, at)
        if grade is not None:
            return grade
        behind = [word.lower for word in self.sides[side][at + 1 : at + 2]]
        sure = self.grades(side, at).get("certainty")
        return -sure if sure is not None and behind and behind[0] in DENIALS else sure

    def is_a_few(self, side: int, at: int) -> bool:
        words = [word.lower for word in self.sides[side][max(at - 1, 0) : at + 1]]
        return words == ["a", "few"]

    def grade(self, side: int, at: int, kind: str) -> tuple[str, int]:
        if kind == "quantity" and self.is_a_few(side, at):
            return "quantity", 1
        grades = self.grades(side, at)
        for scale in ORDER[kind]:
            if scale in grades:
                return kind if kind == "value" else scale, grades[scale]
        return "restriction", self.sides[side][at].lower == "even"

    def contrast(self, i: int, j: int) -> set[str]:
        cell = (i, j)
        return set(
            contrast(*self.pair.words(*cell), self.pair.relations[cell], self.pair.classes[cell])
        )

    def say_the_same(self, i: int, j: int, kind: str) -> bool:
        agree = self.agree(i, j, kind)
        if kind == "value" and agree is not None:
            return agree
        if self.pair.classes[i, j] in SAME or "opposite" in self.contrast(i, j):
            return True
        if agree is not None:
            return agree
        if kind == "condition":
            words = {self.source[i].lower, self.target[j].lower}
            return any(words <= set(group) for group in CONDITION_GROUPS)
        if kind == "quantity" and "level" in self.contrast(i, j):
            return True
        return self.grade(0, i, kind) == self.grade(1, j, kind)

    def denies_name(self, side: int, at: int) -> bool:
        words = self.sides[side]
        if [each.lower for each in words[at : at + 2]] == ["other", "than"]:
            has_value = self.value_at(side, at + 2) is not None
            return has_value and not (at > 0 and self.negates(side, at - 1))
        return (
            at > 1
            and words[at - 1].lower in (":", "=")
            and words[at].lower in ("false", "no")
            and (at + 1 == len(words) or words[at + 1].kind == "mark")
        )

    def denies_nothing(self, side: int, at: int) -> bool:
        words = (self.source, self.target)[side]
        word = words[at].lower
        behind = [each.lower for each in words[at + 1 : at + 4]] + ["", "", ""]
        for k in (at - 2, at - 1):
            around = [word.lower for word in words[k - 1 : k + 3]] if k > 0 else []
            if len(around) == 4 and around[1] == "or" and around[0] in ("whether", *around[2:]):
                return True
        if word == "no":
            if at + 1 < len(words) and words[at + 1].kind == "mark":
                return at == 0 or self.ends_sentence(side, at - 1)
            compares = behind[0] in ("less", "more", "fewer") and behind[2] == "than"
            if behind[1] in ("but", "than") or compares:
                return True
        if word == "not" and behind[1] == "than":
            return self.value_at(side, at + 3) is not None
        is_sure = word == "fail" and at > 0 and words[at - 1].lower == "without"
        if behind[0] in QUIET.get(word, ()) or is_sure:
            return True
        if word == "nor":
            return any(
                negates(each.lower, each.lemma)
                for k, each in enumerate(words[:at])
                if not self.are_apart(side, k, at)
            )
        is_tag = word in ("n't", "not") and at > 2 and behind[1] == "?"
        return is_tag and words[at + 1].coarse == "pronoun"

    def content(self, side: int, at: int, step: int) -> int | None:
        return (self.pair.source, self.pair.target)[side].content_neighbour(at, step)

    def nearest_linked(self, side: int, at: int) -> int | None:
        for step in (1, -1):
            found = self.content(side, at, step)
            while found is not None and found not in self.best[side]:
                found = self.content(side, found, step)
            if found is not None and self.are_of_one_clause(side, at, found):
                return found
        return None

    def are_of_one_clause(self, side: int, a: int, b: int) -> bool:
        words = ["", *(word.lower for word in self.sides[side]), "", ""]
        coarse = ["", *(word.coarse for word in self.sides[side]), "", ""]
        for k in range(min(a, b) + 2, max(a, b) + 1):
            if words[k] in PARTING or (words[k] in JOINING and words[k - 1] == ","):
                denies = words[k + 1] in DENIALS
                if not (denies and coarse[k + 2] == "adposition"):
                    return False
        return not self.are_apart(side, a, b)

    def ends_sentence(self, side: int, at: int) -> bool:
        words = self.sides[side]
        if words[at].lower in ("?", "!"):
            behind = [word for word in words[at:] if word.kind != "mark"] or words[-1:]
            return behind[0].case != "lower"
        return words[at].lower == "."

    def are_apart(self, side: int, a: int, b: int) -> bool:
        return any(self.ends_sentence(side, at) for at in range(min(a, b), max(a, b)))

    def stands_with(self, side: int, at: int) -> list[int | None]:
        own = (self.pair.source, self.pair.target)[side]

        def near(other: int | None) -> int | None:
            is_near = other is not None and self.are_of_one_clause(side, at, other)
            return other if is_near else None

        following = near(own.content_neighbour(at, 1))
        if self.denies_name(side, at):
            is_value = own.words[at].lower == "other"
            name = following if is_value else own.content_neighbour(at, -1)
            return [at, name, None, None, None, None]
        behind = at + 1 if at + 1 < len(own) and own.words[at + 1].kind != "mark" else None
        before = at - 1 if at > 0 and own.words[at - 1].kind != "mark" else None
        second = None if following is None else near(own.content_neighbour(following, 1))
        if second is not None and "," in [word.lower for word in own.words[following:second]]:
            second = None
        if second is not None and own.words[at].lower == "without":
            second = None if own.words[second].coarse == "verb" else second
        return [at, following, behind, before, second, near(own.content_neighbour(at, -1))]

    def linked_behind(self, side: int, at: int) -> int | None:
        words = self.stands_with(side, at)
        return next((each for each in (words[1], words[4]) if each in self.best[side]), None)

    def denied(self, side: int, at: int) -> int | None:
        words = self.stands_with(side, at)
        found = self.linked_behind(side, at)
        if found is not None or self.denies_name(side, at):
            return found
        nearest = self.nearest_linked(side, at)
        if nearest is not None:
            between = self.sides[side][min(at, nearest) : max(at, nearest)]
            nearest = None if "," in [word.lower for word in between] else nearest
        if words[1] is not None:
            behind = [word.lower for word in self.sides[side][words[1] + 1 :]]
            is_behind = nearest is not None and nearest > at
            is_without = self.sides[side][at].lower == "without"
            return nearest if is_behind and not is_without and behind[:1] != ["but"] else None
        around = [each for each in (*words[1:], words[0]) if each in self.best[side]]
        is_verb = self.sides[side][at].coarse == "verb"
        if not around and is_verb and nearest is not None and nearest < at:
            return None
        return around[0] if around else nearest

    def place_of(self, side: int, at: int, there: int) -> float:
        return self.confidence[side][there] / (1 + max(abs(there - at) - REACH, 0))

    def near(self, side: int, at: int, reach: int = REACH) -> range:
        return range(max(at - reach, 0), min(at + reach + 1, len(self.sides[side])))

    def is_noun_there(self, side: int, at: int) -> bool:
        words = self.sides[side]
        verb = next(
            (k for k in range(at + 1, len(words))
             if words[k].kind == "content" and words[k].coarse == "verb"),
            at,
        )  # fmt: skip
        if verb in self.best[side] and self.are_of_one_clause(side, at, verb):
            there = self.sides[1 - side][self.best[side][verb]]
            return there.coarse == "noun" or there.tag == "VBG"
        clause = list(
            takewhile(
                lambda k: words[k].kind != "mark" and self.are_of_one_clause(side, at, k),
                range(at + 1, len(words)),
            )
        )
        verbs = [k for k in clause if words[k].coarse == "verb"]
        rest = [k for k in clause if words[k].coarse != "verb" and words[k].kind == "content"]
        return (
            self.best[side].keys().isdisjoint(verbs)
            and self.best[side].keys() >= set(rest)
            and any(verbs[0] < k for k in rest if verbs)
        )

    def opens(self, side: int, at: int, some: tuple[str, ...]) -> bool:
        words = self.sides[side][:at]
        parting = (*PARTING, *some)
        opening = [word for word in words if word.kind == "mark" or word.lower in parting]
        return bool(opening) and opening[-1].lower in some

    def is_unless_undone(self, side: int, governed: int) -> bool:
        """Whether an opposite is what "unless" governs, which is dropped, or denied there."""
        for each in self.found:
            if each.way == "opposites" and governed == (each.source, each.target)[side]:
                self.found.remove(each)
                return True
        before = self.sides[1 - side][: self.best[side][governed]][-1:]
        return any(negates(each.lower, each.lemma) for each in before)

    def orders(self, side: int, at: int) -> bool:
        words = self.sides[side]
        word, before = words[at], words[at - 1] if at > 0 else None
        return (
            word.coarse == "verb"
            and word.tag in ("VB", "VBP")
            and (before is None or before.kind == "mark" or before.lower in ASKING)
        )

    def negates(self, side: int, at: int | None) -> bool:
        word = None if at is None else self.sides[side][at]
        return word is not None and negates(word.lower, word.lemma)

    def one_side_alone(self, side: int) -> list[Found]:
        found: list[Found] = []
        for at in range(len(self.sides[side])):
            kind = None if at in self.best[side] else self.kind_of_word(side, at)
            governed = None if kind is None else self.nearest_linked(side, at)
            if kind is None or governed is None:
                continue
            there = self.best[side][governed]
            word = self.sides[side][at]
            near = self.near(1 - side, there, 2 * REACH if kind == "condition" else REACH)
            others = [k for k in near if self.kind_of_word(1 - side, k) == kind]
            denials = [k for k in near if self.negates(1 - side, k)]
            if word.lower == "only":
                denials = [k for k in denials if not self.negates(side, self.best[1 - side].get(k))]
            elif not denies(word.lower, word.lemma):
                denials = []
            if denials:
                continue
            if any(self.say_the_same(*in_order(side, at, k), kind) for k in others):
                continue
            if not others and word.lower in ("will", "to", "do"):
                continue  # a tense alone; the aim is to win; do not run, whose negation counts
            obliges = kind == "modality" and (self.obligation(side, at) or 0) > 1
            if not others and obliges and self.orders(1 - side, there):
                continue
            is_if = kind == "condition" and word.lower in CONDITION_GROUPS[0]
            is_left_out = word.lower in CONDITION_GROUPS[2]
            if not others and (
                is_left_out
                or (is_if and self.is_noun_there(side, at))
                or (is_if and self.opens(1 - side, there, SUPPOSING))
            ):
                continue
            is_unless = kind == "condition" and word.lower in CONDITION_GROUPS[1]
            if not others and is_unless and self.is_unless_undone(side, governed):
                continue
            if not others and kind == "modality" and self.opens(1 - side, there, SUPPOSING):
                continue
            closest = min(others, key=lambda k: abs(k - there), default=there)
            ends = in_order(side, at, closest)
            way = "scales" if others else "one-side"
            found.append(Found(kind, *ends, way, self.place_of(side, at, governed)))
        return found[:8]

    def is_only_beside(self, side: int, i: int, j: int) -> bool:
        """Whether "only" of another thing stands beside "any"."""
        behind = [
            sentence.content_neighbour(at, 1)
            for sentence, at in ((self.pair.source, i), (self.pair.target, j))
        ]
        alike = list(STRENGTH)[: list(STRENGTH).index("derived") + 1]
        word = self.sides[1 - side][(j, i)[side]]
        return word.lower == "only" and (
            None in behind or self.pair.classes[behind[0], behind[1]] not in alike
        )

    def is_on_time(self, side: int, at: int, there: int) -> bool:
        words = self.sides[side]
        return (
            [each.lower for each in words[max(at - 1, 0) : at + 1]] == ["on", "time"]
            and self.sides[1 - side][there].lower in ("late", "delayed", "overdue")
            and not any(self.negates(side, k) for k in range(max(at - 6, 0), at))
            and not any(self.negates(1 - side, k) for k in range(max(there - 6, 0), there))
        )

    def reworded(self) -> list[Found]:
        found = []
        for i, j in sorted(self.best[0].items()):
            one, other = self.kind_of_word(0, i), self.kind_of_word(1, j)
            if self.is_on_time(0, i, j) or self.is_on_time(1, j, i):
                kind = "opposite"
            elif one is None or other is None:
                side, at = (0, i) if one is None else (1, j)
                words = [word.lower for word in self.sides[side][at : at + 2]]
                kind = one or other
                cell = (i + 1, j) if side == 0 else (i, j + 1)
                is_said = words[1:] == ["few"] and self.agree(*cell, "quantity")
                is_any = words[0] in ("any", "anyone", "anybody") and self.is_only_beside(
                    side, i, j
                )
                if kind != "quantity" or not (
                    is_any or (words[0] in ("a", "an", "one") and not is_said)
                ):
                    kind = None
            else:
                kind = one if one == other and not self.say_the_same(i, j, one) else None
            if kind is not None:
                found.append(Found(kind, i, j, "scales", self.confidence[0][i]))
        return found[:8]

    def kind_of_negation(self, side: int, at: int, there: int) -> str:
        words, others = self.sides[side], self.sides[1 - side]
        counts = set(self.grades(side, at)) & {"quantity", "frequency"}
        for k in self.near(1 - side, there):
            kind = self.kind_of_word(1 - side, k)
            if kind == "modality" and at > 0:
                is_modal = self.kind_of_word(side, at - 1) == "modality"
                if is_modal and words[at - 1].lemma != others[k].lemma:
                    return "modality"
            if kind == "quantity" and counts:
                return "quantity"
        return "negation"

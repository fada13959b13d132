"""Slow twin of negations that one side alone has."""

from __future__ import annotations

from itertools import pairwise

from tokalign.english.lexicon.word_lists import negates

from lab.recipes.word_scales import denies, grades_of
from reference.clauses import Clauses, Found, in_order

COSTS = ("charge", "charges", "cost", "costs", "fee", "fees", "pay", "payment")
SUBJECTS = ("no", "nobody", "none", "nothing", "neither", "no-one")


class Denials(Clauses):
    """A pair with its links, and what its negations deny."""

    def linked(self, i: int | None, j: int | None) -> bool:
        if i is None or j is None:
            return False
        return self.best[0].get(i) == j or self.best[1].get(j) == i

    def undo_pairs(self) -> bool:
        opposites = [each for each in self.found if each.way == "opposites"]
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
                return True
        return False

    def negators(self, side: int) -> list[int]:
        words, others = (self.source, self.target)[:: 1 if side == 0 else -1]
        taken = {(each.source, each.target)[side] for each in self.found if each.way == "opposites"}
        found = []
        for at, word in enumerate(words):
            if at in taken:
                continue
            if self.denies_name(side, at) or self.is_free_of(side, at):
                found.append(at)
                continue
            if not negates(word.lower, word.lemma) or self.denies_nothing(side, at):
                continue
            if word.lower == "no" and at + 1 < len(words) and words[at + 1].coarse == "number":
                continue
            partner = self.best[side].get(at)
            if word.coarse in ("verb", "noun", "adjective") and partner is not None:
                other = others[partner]
                if negates(other.lower, other.lemma):
                    if word.lemma == other.lemma:
                        continue
                elif other.kind == "content":
                    continue
            found.append(at)
        return found[:8]

    def denies_behind(self, side: int, at: int) -> bool:
        words = [word.lower for word in self.sides[side]]
        before = words[at - 1] if at else ""
        if words[at] == "no":
            behind = "".join(words[at + 1 : at + 2])
            is_time = behind in ("time", "point", "stage", "moment", "place")
            return before == "with" or (before == "at" and not is_time)
        is_without = words[at] == "without" or self.is_free_of(side, at)
        return is_without or (words[at] == "not" and before in ("but", ","))

    def is_free_of(self, side: int, at: int) -> bool:
        two = [word.lower for word in self.sides[side][at : at + 2]]
        has_value = self.value_at(side, at + 2) is not None
        return two == ["free", "of"] or (two == ["free", "from"] and not has_value)

    def negations(self) -> list[Found]:
        sides = self.negators(0), self.negators(1)
        free = [list(each) for each in sides]

        def stand_together(i: int, j: int) -> bool:
            scopes = [self.stands_with(0, i), self.stands_with(1, j)]
            denies_behind = [self.denies_behind(k, at) for k, at in enumerate((i, j))]
            for k, at in enumerate((i, j)):
                if denies_behind[k] and not denies_behind[1 - k]:
                    scopes[k] = [each for each in scopes[k] if each is not None and each >= at]
            return any(self.linked(one, other) for one in scopes[0] for other in scopes[1])

        def denies_elsewhere(side: int, at: int, there: int) -> bool:
            denied = self.linked_behind(side, at)
            if denied is None or self.denies_name(1 - side, there):
                return False
            other = self.stands_with(1 - side, there)[1]
            if other is not None:
                lemmas = self.sides[side][denied].lemma, self.sides[1 - side][other].lemma
                if lemmas[0] == lemmas[1]:
                    return False
            partner = self.best[side][denied]
            has_comma = there > 0 and self.sides[1 - side][there - 1].lower == ","
            words = self.sides[1 - side][partner + 1 : there + 1]
            has_infinitive = any(
                one.lower == "to" and other.coarse == "verb" for one, other in pairwise(words)
            )
            is_before = (has_comma and partner < there) or has_infinitive
            return is_before or not self.are_of_one_clause(1 - side, partner, there)

        def are_alike(*pair: int) -> bool:
            if self.denies_name(0, pair[0]) or self.denies_name(1, pair[1]):
                return False
            return self.denies_behind(0, pair[0]) == self.denies_behind(1, pair[1])

        for belong in (self.linked, stand_together, are_alike):
            for i in sides[0]:
                for j in sides[1]:
                    if denies_elsewhere(0, i, j) or denies_elsewhere(1, j, i):
                        continue
                    if i in free[0] and j in free[1] and belong(i, j):
                        free[0].remove(i)
                        free[1].remove(j)
        return [each for side in (0, 1) for each in self.one_sided(side, free[side])]

    def is_undone_by(self, side: int, negator: int, at: int) -> bool:
        is_one = self.sides[side][at].coarse == "adposition" or self.value_at(side, at + 1)
        is_one = is_one or self.sides[side][negator].lower in SUBJECTS
        return at > negator and bool(is_one) and self.are_of_one_clause(side, negator, at)

    def is_free(self, side: int, denied: int | None) -> bool:
        """Whether one side says "free" where the other one denies a cost, or has the word for what
        is denied with "-less" or "-free"."""
        if denied is not None:
            thing = self.sides[1 - side][denied].lower
            stems = [thing.removesuffix(end) for end in ("", "s", "es") if thing.endswith(end)]
            lacking = {stem + end for stem in stems for end in ("less", "-less", "-free")}
            if any(word.lower in lacking and len(word.lower) > 6 for word in self.sides[side]):
                return True
        is_cost = denied is not None and self.sides[1 - side][denied].lower in COSTS
        words = enumerate(self.sides[side])
        return is_cost and any(
            word.lower == "free" and at not in self.best[side] for at, word in words
        )

    def excepts(self, side: int, at: int) -> bool:
        words = [word.lower for word in self.sides[side][max(at - 2, 0) : at + 1]]
        every = {"all", "each", "every", "everyone", "everything"}
        return words[-1] in ("except", "excluding") or (
            words[-1] == "but" and bool(every & {*words})
        )

    def is_unlike(self, side: int, there: int) -> bool:
        """Whether one side says "unlike" before what the other one denies something of, excepts
        what the other one denies, or says "late" where it denies "on time"."""
        scope = self.stands_with(1 - side, there)
        sentence = (self.pair.source, self.pair.target)[side]
        others = [word.lower for word in self.sides[1 - side]]
        for at, word in enumerate(self.sides[side]):
            partner = self.best[side].get(at)
            is_late = word.lower in ("late", "delayed", "overdue")
            is_late = is_late and (partner is None or others[partner] == "time")
            if is_late and ("on", "time") in pairwise(others):
                return True
            behind = self.best[side].get(sentence.content_neighbour(at, 1))
            if behind is not None and (
                (word.lower == "unlike" and behind == scope[5])
                or (
                    self.excepts(side, at)
                    and behind != scope[1]
                    and self.are_of_one_clause(1 - side, there, behind)
                )
            ):
                return True
        return False

    def is_denied(self, side: int, there: int) -> bool:
        for at in range(max(there - 8, 0), min(there + 9, len(self.sides[side]))):
            word = self.sides[side][at]
            partner = self.best[side].get(at)
            is_verb = partner is not None and word.kind == "content"
            two = [each.lower for each in self.sides[side][at : at + 2]]
            is_off = two[0] == "off" and partner is None
            if two == ["closed", "to"]:
                is_off = partner is None or self.sides[1 - side][partner].lemma != word.lemma
            if (
                two == ["out", "of"]
                or is_off
                or denies(word.lower, word.lemma)
                or (is_verb and negates(word.lower, word.lemma))
            ):
                other = None if partner is None else self.sides[1 - side][partner]
                if other is None or not (
                    denies(other.lower, other.lemma)
                    or (negates(other.lower, other.lemma) and other.kind == "content")
                ):
                    return True
        return False

    def is_told_elsewhere(self, side: int, negator: int, there: int) -> bool:
        words = self.sides[1 - side]
        verbs = [
            k
            for k, word in enumerate(words)
            if word.kind == "content" and word.coarse == "verb" and k != there
        ]
        before, behind = [k for k in verbs if k < there][-1:], [k for k in verbs if k > there][:1]
        near = [k for k in before + behind if self.are_of_one_clause(1 - side, there, k)]
        partner = self.best[1 - side].get(near[0]) if near else None
        return partner is not None and not self.are_of_one_clause(side, negator, partner)

    def are_alike(self, side: int, at: int) -> bool:
        there = self.best[side].get(at)
        return there is not None and self.pair.V(*in_order(side, at, there)) >= 0.3 - 1e-6

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
            is_without = self.sides[side][at].lower == "without"
            words = [
                each
                for each in self.stands_with(side, at)
                if each is not None and (each >= at or not is_without)
            ]
            undone = [
                each
                for each in self.found
                if each.way == "opposites"
                and (
                    (each.source, each.target)[side] in words
                    or (self.source[each.source], self.target[each.target])[side].lower
                    in ("if", "unless")
                    or self.is_undone_by(side, at, (each.source, each.target)[side])
                )
            ]
            if undone:
                self.found.remove(undone[0])
                self.is_reworded = True
                continue
            there = self.denied(side, at)
            if there is not None and not self.are_alike(side, there):
                first, there = self.stands_with(side, at)[1], self.stands_with(side, at)[4]
                is_thing = first is not None and self.sides[side][first].coarse == "noun"
                if there is not None and (is_thing or not self.are_alike(side, there)):
                    there = None
            if is_low:
                self.is_reworded |= there is not None
                continue
            if there is not None:
                partner = self.best[side][there]
                first = self.stands_with(side, at)[1]
                if (
                    self.is_denied(1 - side, partner)
                    or self.is_free(1 - side, first)
                    or self.is_unlike(1 - side, at)
                ):
                    self.is_reworded = True
                    continue
                is_verb = self.sides[side][there].coarse == "verb"
                is_further = first not in (None, there) and not is_verb
                if is_further and self.is_told_elsewhere(side, at, partner):
                    continue
                kind = self.kind_of_negation(side, at, partner)
                place = self.place_of(side, at, there)
                at_both = in_order(side, there, partner)
                found.append(Found(kind, *at_both, "negation", place, (side, at)))
                by.append(at)
        return [
            each
            for each, at in zip(found, by, strict=True)
            if sum(self.are_of_one_clause(side, at, other) for other in by) % 2
        ]

"""Slow, obvious twin of the contrasts between two words."""

from __future__ import annotations

from lab.kernels.doors import string_similarities
from lab.recipes.word_scales import grades_of
from reference.words import Word

SAME = ("identical", "canonical", "lemma")
"""Classes of words that are one."""


def contrast(a: Word, b: Word, related: frozenset[str], lexical_class: str) -> set[str]:
    """Return how two words say unlike things."""
    if lexical_class in SAME or "mark" in (a.kind, b.kind):
        return set()
    for scale, grade in grades_of(a.lower, a.lemma)[:3]:
        for other_scale, other in grades_of(b.lower, b.lemma)[:3]:
            if scale != other_scale:
                continue
            if grade * other < 0:
                return {"opposite"}
            if grade == other:
                return {"level"}
            found = {"higher" if abs(grade) > abs(other) else "lower"}
            return found | ({"far"} if abs(grade - other) >= 2 else set())
    is_antonym = "antonym" in related and not related & {"synonym", "similar"}
    if is_antonym or negates_form(a, b) or negates_form(b, a):
        return {"opposite"}
    if are_unlike_names(a, b, related, lexical_class):
        return {"names"}
    return set()


def negates_form(word: Word, other: Word) -> bool:
    prefixes = ["non-", "non", "dis", "un"]
    if word.coarse in ("adjective", "adverb"):
        prefixes += ["in", "im", "il", "ir"]
    head, hyphen, tail = other.lower.rpartition("-")
    forms = [each + other.lower for each in prefixes if len(other.lower) >= 4]
    forms += [head + hyphen + each + tail for each in prefixes if len(tail) >= 4]
    if word.lower in forms:
        return word.coarse == other.coarse or {word.coarse, other.coarse} == {"verb", "adjective"}
    return (
        word.lower.endswith("less")
        and other.lower.endswith("ful")
        and word.lower[:-4] == other.lower[:-3]
        and len(word.lower) > 4
    )


def are_unlike_names(a: Word, b: Word, related: frozenset[str], lexical_class: str) -> bool:
    weak = lexical_class in ("cohyponym", "antonym", "none") or lexical_class.startswith("close")
    return (
        a.coarse == b.coarse == "name"
        and a.kind == b.kind == "content"
        and not (a.is_title or b.is_title)
        and string_similarities(a.lower, b.lower)["jaro_winkler"] < 0.87
        and bool(a.initials) == bool(b.initials)
        and not is_short(a, b)
        and not is_short(b, a)
        and weak
        and not related - {"cohyponym"}
    )


def is_short(a: Word, b: Word) -> bool:
    stem = a.lower[:-1] if a.lower.endswith(".") else a.lower
    return bool(stem) and b.lower.startswith(stem)

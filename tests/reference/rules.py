"""Rules by which two words say the same, or other values: slow and obvious."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tokalign.english.lexicon.word_lists import MARKS, function_words
from tokalign.english.spelling import code_words, expansions
from tokalign.english.values import Strength

from reference import spelling
from reference.agreement import same_values
from reference.values import find_values
from reference.words import Word

RULE_STRENGTH = {
    "same-value": 0.9, "variant": 0.9, "code-name": 0.9, "lengthened": 0.8, "short-form": 0.8,
    "joined": 0.8, "typo": 0.7, "initials": 0.7, "same-part": 0.45, "same-number": 0.45,
    "same-unit": 0.45, "different-value": 0.0,
}  # fmt: skip
"""The first that holds is the rule of a cell."""

LABELS = {
    Strength.SAME_VALUE: "same-value",
    Strength.SAME_PART: "same-part",
    Strength.SAME_NUMBER: "same-number",
    Strength.SAME_UNIT: "same-unit",
    Strength.DIFFERENT: "different-value",
}
LISTED = {*function_words(), *MARKS}

Cell = tuple[int, int]


def find_rules(
    source: Sequence[Word],
    target: Sequence[Word],
    classes: dict[Cell, str],
    is_known: Callable[[Word], bool],
) -> dict[Cell, str]:
    """Return the rule of each cell that has one."""
    found: dict[Cell, set[str]] = {cell: set() for cell in classes}
    values = same_values(*(find_values([word.form for word in side]) for side in (source, target)))
    for cell, strength in values.items():
        found[cell].add(LABELS[strength])
    for i, a in enumerate(source):
        for j, b in enumerate(target):
            found[i, j].update(word_rules(a, b, is_known))
    for i, a in enumerate(source):
        if "identical" not in [classes[i, j] for j in range(len(target))]:
            for j, rule in run_rules(a, target):
                found[i, j].add(rule)
    for j, b in enumerate(target):
        if "identical" not in [classes[i, j] for i in range(len(source))]:
            for i, rule in run_rules(b, source):
                found[i, j].add(rule)
    for cell, rules in found.items():
        if classes[cell] in ("identical", "canonical", "lemma", "stem"):
            rules.intersection_update({"different-value"})
    return {
        cell: next(rule for rule in RULE_STRENGTH if rule in rules)
        for cell, rules in found.items()
        if rules
    }


def long_forms(word: Word) -> list[tuple[str, ...]]:
    """Return what a word is short for; function words only if it can stand for some."""
    words = [each.words for each in expansions(word.form)]
    is_function = word.kind == "function" or word.raw_tag == "POS"
    if word.coarse in ("name", "number") or is_function:
        return [each for each in words if not LISTED.issuperset(each)]
    return words


def word_rules(a: Word, b: Word, is_known: Callable[[Word], bool]) -> Iterator[str]:
    if spelling.is_variant(a.form, b.form):
        yield "variant"
    if code_words(a.form) and code_words(a.form) == code_words(b.form):
        yield "code-name"
    for one, other in ((a, b), (b, a)):
        names = {other.lower, other.lemma} if other.kind == "content" else {other.lower}
        if any(len(words) == 1 and words[0] in names for words in long_forms(one)):
            yield "short-form"
    if is_known(a) and is_known(b):
        return
    if spelling.is_lengthened(a.form, b.form):
        yield "lengthened"
    if spelling.is_typo(a.form, b.form):
        yield "typo"


def run_rules(word: Word, others: Sequence[Word]) -> Iterator[tuple[int, str]]:
    """Yield the tokens of the other side in runs that a token says, and by which rule."""
    letters = word.lower.replace(".", "")
    meanings = long_forms(word)
    longest = max(3, 2 * len(letters), *map(len, meanings), 0)
    for first in range(len(others)):
        for last in range(first + 1, min(first + longest, len(others))):
            run = others[first : last + 1]
            forms = [each.form for each in run]
            places = range(first, last + 1)
            if tuple(each.lower for each in run) in meanings:
                yield from ((k, "short-form") for k in places)
            begin_with_letters = all(each.lower[:1].isalnum() for each in run)
            if len(run) <= 3 and begin_with_letters and spelling.is_joined(word.form, forms):
                yield from ((k, "joined") for k in places)
            function = {each.lower for each in run if each.kind != "content"}
            if (
                word.kind == run[0].kind == run[-1].kind == "content"
                and (word.initials or (len(letters) >= 3 and word.coarse in ("noun", "name")))
                and len(run) <= 2 * len(letters)
                and spelling.is_initials(word.form, forms, function)
            ):
                yield from ((k, "initials") for k in places if others[k].kind == "content")

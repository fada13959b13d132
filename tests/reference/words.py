"""Slow, obvious twin of the word analysis in _lexemes.pyx."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property

from tokalign.english.annotate.tags_and_relations import COARSE_INDEX, COARSE_TAGS, PENN_TAGS
from tokalign.english.lexicon.lexical_tables import POS_LETTERS, WordNet
from tokalign.english.lexicon.word_lists import MARKS, TITLES, canonical, function_words
from tokalign.english.spelling.same_spelling import stem

from lab.kernels.doors import string_similarities, wordnet_relations

STRENGTH = {
    "identical": 1.0, "canonical": 1.0, "lemma": 0.95, "stem": 0.9, "synonym": 0.8,
    "paraphrase": 0.75, "derived": 0.75, "stem-prefix": 0.7, "hyphen": 0.7, "fuzzy": 0.6,
    "prefix": 0.5, "hypernym": 0.4, "near": 0.4, "cohyponym": 0.15, "antonym": 0.1, "none": 0.0,
    "close-0.3": 0.25, "close-0.4": 0.45, "close-0.5": 0.65, "close-0.6": 0.75,
}  # fmt: skip

_LISTED = frozenset((*function_words(), *MARKS))


@dataclass(frozen=True)
class Word:
    """A token with its tag and lemma, and what follows from them."""

    form: str
    raw_tag: str
    raw_lemma: str

    @cached_property
    def lower(self) -> str:
        return self.form.lower()

    @cached_property
    def lemma(self) -> str:
        return self.raw_lemma.lower()

    @cached_property
    def canonical(self) -> str:
        return canonical(self.form)

    @cached_property
    def stem(self) -> str:
        return stem(self.lower)

    @cached_property
    def tag(self) -> str:
        return self.raw_tag if self.raw_tag in PENN_TAGS else "XX"

    @cached_property
    def coarse(self) -> str:
        return COARSE_TAGS[COARSE_INDEX[self.tag]]

    @cached_property
    def is_listed(self) -> bool:
        """Whether it is a function word or mark with features of its own."""
        return self.lower in _LISTED

    @cached_property
    def kind(self) -> str:
        if not any(c.isalnum() for c in self.form):
            return "mark"
        return "function" if self.is_listed else "content"

    @cached_property
    def case(self) -> str:
        if not any(c.isalpha() for c in self.form):
            return "none"
        if len(self.form) > 1 and self.form.isupper():
            return "upper"
        return "capitalised" if self.form[0].isupper() else "lower"

    @cached_property
    def is_name(self) -> bool:
        return self.coarse == "name" and self.case in ("capitalised", "upper")

    @cached_property
    def is_title(self) -> bool:
        return self.lower in TITLES

    @cached_property
    def is_number(self) -> bool:
        plain = self.canonical
        return any(c.isdigit() for c in plain) and not any(c.isalpha() for c in plain)

    @cached_property
    def initials(self) -> str:
        """Return the letters of what may be an acronym, else nothing."""
        letters = self.form.replace(".", "")
        is_acronym = 2 <= len(letters) <= 6 and letters.isalpha() and letters.isupper()
        return letters.lower() if is_acronym else ""

    @cached_property
    def parts(self) -> list[str]:
        """Return up to four parts of a hyphenated word, each longer than one character."""
        parts = [part for part in self.lower.split("-") if len(part) > 1]
        return parts[:4] if "-" in self.lower else []

    def entry(self, wordnet: WordNet, pos: int) -> str | None:
        """Return what WordNet knows it by as one part of speech: its lemma, or else its form."""
        if self.kind != "content":
            return None
        for name in (self.lemma, self.lower):
            if wordnet.entry(name, pos) >= 0:
                return name
        return None


def relations(a: Word, b: Word, wordnet: WordNet) -> frozenset[str]:
    """Return the WordNet relations that hold from a to b under any parts of speech."""
    found: set[str] = set()
    of_a, of_b = (
        [(letter, word.entry(wordnet, pos)) for pos, letter in enumerate(POS_LETTERS)]
        for word in (a, b)
    )
    for (letter_a, name_a), (letter_b, name_b) in itertools.product(of_a, of_b):
        if name_a is not None and name_b is not None:
            found |= wordnet_relations(wordnet, name_a, name_b, letter_a, letter_b)
    return frozenset(found)


def similarities(a: Word, b: Word) -> dict[str, float]:
    """Return the similarities of the lower-case forms."""
    return string_similarities(a.lower, b.lower)


def _shares_part(a: Word, b: Word) -> bool:
    """Whether a part of hyphenated `a` is the word `b`, its lemma, or a part of it."""
    return any(part in (b.lower, b.lemma, *b.parts) for part in a.parts)


def common_prefix(a: str, b: str) -> int:
    """Return the length of the longest common prefix."""
    pairs = enumerate(zip(a, b, strict=False))
    return next((k for k, (x, y) in pairs if x != y), min(len(a), len(b)))


def lexical_class(a: Word, b: Word, related: frozenset[str], are_paraphrases: bool) -> str:
    """Return the strongest lexical class that holds of two words."""
    if a.lower == b.lower:
        return "identical"
    if a.canonical == b.canonical:
        return "canonical"
    if "mark" in (a.kind, b.kind) or (a.is_number and b.is_number):
        return "none"
    if a.lemma == b.lemma:
        return "lemma"
    if a.stem == b.stem:
        return "stem"
    if "function" in (a.kind, b.kind):
        return "none"
    prefix = common_prefix(a.lower, b.lower)
    stem_length = min(len(a.stem), len(b.stem))
    alike = similarities(a, b)
    classes = [
        ("synonym", "synonym" in related),
        ("paraphrase", are_paraphrases),
        ("derived", related & {"derived", "pertainym"}),
        ("stem-prefix", stem_length > 2 and prefix >= stem_length),
        ("hyphen", _shares_part(a, b) or _shares_part(b, a)),
        ("fuzzy", min(len(a.lower), len(b.lower)) >= 4
                  and (alike["levenshtein"] >= 0.75 or alike["jaro_winkler"] > 0.93)),
        ("antonym", "antonym" in related),
        ("prefix", prefix >= 0.55 * max(len(a.lower), len(b.lower))),
        ("hypernym", related & {"hypernym", "hyponym", "hypernym-within-3", "hyponym-within-3"}),
        ("near", related & {"similar", "entailing", "causing", "verb-group", "derived-synonym"}),
        ("cohyponym", "cohyponym" in related),
    ]  # fmt: skip
    return next((name for name, holds in classes if holds), "none")


def with_cosine(lexical_class: str, cosine: float | None) -> str:
    """Return the class, or that of close vectors where it is stronger; antonyms stay antonyms."""
    reached = [edge for edge in (0.3, 0.4, 0.5, 0.6) if cosine is not None and cosine >= edge]
    if not reached or lexical_class == "antonym":
        return lexical_class
    return max(lexical_class, f"close-{reached[-1]}", key=STRENGTH.__getitem__)

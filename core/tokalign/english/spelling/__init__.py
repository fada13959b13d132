"""Sameness of words by rule: typos, variants of spelling, short forms, acronyms, names of code."""

from tokalign.english.spelling.code_names import code_words
from tokalign.english.spelling.runs import is_initials, is_joined
from tokalign.english.spelling.short_forms import Expansion, expansions
from tokalign.english.spelling.words import is_lengthened, is_typo, is_variant

__all__ = [
    "Expansion",
    "code_words",
    "expansions",
    "is_initials",
    "is_joined",
    "is_lengthened",
    "is_typo",
    "is_variant",
]

"""Rules for equal words: typos, spelling variants, short forms, acronyms, identifiers of code."""

from tokalign.english.spelling.same_spelling import is_typo, is_variant
from tokalign.english.spelling.spelling_tables import Expansion, code_words, expansions

__all__ = ["Expansion", "code_words", "expansions", "is_typo", "is_variant"]

"""Whether a text or a sentence asks."""

import re

from tokalign.english.lexicon.word_lists import WH_WORDS
from tokalign.files.shipped import LISTS
from tokalign.types import Sentence

_END = re.compile(r"\?[\W_]*\Z")
_FILLERS = frozenset(LISTS.words("fillers"))
_BEGINNINGS = WH_WORDS - {"name"} | {"whats", "whos", "wheres", "whens", "hows"}
_AUXILIARIES = frozenset(LISTS.words("asking"))


def ends_as_question(text: str) -> bool:
    """Whether a question mark is behind a text's last word, before other marks or not."""
    return _END.search(text) is not None


def asks(sentence: Sentence) -> bool:
    """Whether a sentence ends as a question, or begins with a question word and has no mark at its
    end ("When it rained, we left." asks nothing)."""
    tokens = sentence.tokens
    if not tokens or tokens[-1] == ".":  # most sentences
        return False
    if ends_as_question(" ".join(tokens[-3:])):
        return True
    return tokens[-1][-1:].isalnum() and tokens[0].lower() in WH_WORDS


def is_query(sentence: Sentence) -> bool:
    """Whether a sentence is a question to rank answers to: it ends as one, or begins like one.

    Words that fill a pause before it do not count ("so um when do we meet"). An auxiliary begins
    one if no mark ends it ("is it open on sundays", "any news").
    """
    tokens = [token.lower() for token in sentence.tokens]
    if ends_as_question(" ".join(tokens[-3:])):
        return True
    ends_openly = tokens[-1][-1:].isalnum()
    while len(tokens) > 1 and (tokens[0] in _FILLERS or not tokens[0][-1:].isalnum()):
        tokens = tokens[1:]
    starts = tokens[1] if len(tokens) > 1 and tokens[0] in ("in", "at", "on", "to") else tokens[0]
    return starts in _BEGINNINGS or (ends_openly and tokens[0] in _AUXILIARIES)

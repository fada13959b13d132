"""Whether a text or a sentence asks."""

import re

from tokalign.english.lexicon.word_lists import WH_WORDS
from tokalign.files.shipped import LISTS
from tokalign.types import Sentence
from tokalign.types.patterns import regex

_END = re.compile(r"\?[\W_]*\Z")
_FILLERS = frozenset(LISTS.words("fillers"))
_GLUED = regex(r"\b(what|who|where|when|how)s\b")
_BEGINNINGS = WH_WORDS - {"name"} | {"whats", "whos", "wheres", "whens", "hows"}
_AUXILIARIES = frozenset(LISTS.words("asking"))
_WH = rf"(?:{'|'.join(sorted(WH_WORDS - {'name'}))})\b"
_AUXILIARY = rf"(?:{'|'.join(sorted(_AUXILIARIES - {'any'}))})\b"
_BEFORE_WH = "about|after|at|before|by|during|for|from|in|of|on|since|till|to|under|until|with"
_CLAUSE = regex(
    rf"(?:^|(?<=[,.;:!?-] ))(?:(?:{'|'.join(sorted(_FILLERS))}) )*"
    rf"(?P<clause>(?:(?:{_BEFORE_WH}) )?{_WH}|{_AUXILIARY})"
)
_WITH_SUBJECT = regex(rf"(?:when|where)\b(?! (?:'s|r|at|exactly|{_AUXILIARY}))")
_POLITE = regex(
    r"(?:can|could|do|would|will|did) (?:you|u|anyone|anybody|someone|somebody|i|we|they) "
    r"(?:[^ ]+ ){0,4}?(?:know|tell|say|remember|remind|explain|show|out|ask|guess) "
    rf"(?:(?!(?:if|whether)\b)[^ ]+ ){{0,4}}?(?=(?:(?:{_BEFORE_WH}) )?{_WH})|"
    r"(?:can|could|will|would) you (?=name\b)"
)


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


def asking_clause(question: Sentence) -> str:
    """Return a question from the clause on that asks, in lower case, its tokens between spaces.

    Neither a clause before it ("When it rains, is it open?") nor a polite one ("Can you tell me
    when it opens?") asks. All is returned where no clause begins with a question word or an
    auxiliary.
    """
    text = _GLUED.sub(r"\1 's", " ".join(question.tokens).lower())
    found = list(_CLAUSE.finditer(text))
    if len(found) > 1 and _WITH_SUBJECT.match(found[0]["clause"] + text[found[0].end() :]):
        found = found[1:]
    clause = text[found[0].start("clause") :] if found else text
    return _POLITE.sub("", clause, count=1) if _POLITE.match(clause) else clause


def is_polar(clause: str) -> bool:
    """Whether what `asking_clause` returned begins with an auxiliary, and so asks for yes or no."""
    return clause.partition(" ")[0] in _AUXILIARIES

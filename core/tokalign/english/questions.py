"""Whether a text or a sentence asks."""

import re
from collections.abc import Sequence

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
_COURTESY = regex(
    r" \?[^\w?]*(?:(?:so|very|many|kind|best) )?"
    r"(?:thanks|thank|thx|ty|tia|cheers|please|pls|plz|regards|wishes|any help)\b[^?]{0,40}\Z"
)
_TELL = "tell|give|show|send|explain"
_NOUN_PHRASE = r"(?=(?:the|all|an?|some|any|every|your|my|our|this|these)\b)"
_REQUEST = regex(
    rf"(?:please )?(?:(?:{_TELL}) (?:me|us)\b|(?:list|name|find|describe|explain|define) "
    rf"(?:{_NOUN_PHRASE}|(?={_WH}))|any(?:one|body) (?:know|have|got|seen)\b)"
)
_WANTED = regex(
    rf"(?:(?:please )?(?:(?:{_TELL}|find) (?:me|us)(?: about)?|list|name|find|describe|explain)|"
    rf"(?:(?:do|does) )?(?:you|u|anyone|anybody) know) {_NOUN_PHRASE}"
)
_ARTICLE = regex(_NOUN_PHRASE)
_VERB_TAGS = frozenset(["VBD", "VBP", "VBZ", "MD"])
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

    Words that fill a pause before it do not count ("so um when do we meet"), nor do thanks behind
    it. An auxiliary begins one if no mark ends it ("is it open on sundays", "any news"). A request
    is one, too ("Tell me when it opens.", "List the cards").
    """
    tokens = [token.lower() for token in sentence.tokens]
    if ends_as_question(" ".join(tokens[-3:])):
        return True
    ends_openly = tokens[-1][-1:].isalnum()
    while len(tokens) > 1 and (tokens[0] in _FILLERS or not tokens[0][-1:].isalnum()):
        tokens = tokens[1:]
    starts = tokens[1] if len(tokens) > 1 and tokens[0] in ("in", "at", "on", "to") else tokens[0]
    if starts in _BEGINNINGS or (ends_openly and tokens[0] in _AUXILIARIES):
        return True
    text = " ".join(tokens)
    return bool(_REQUEST.match(text) or _COURTESY.search(text))


def asking_clause(question: Sentence) -> str:
    """Return a question from the clause on that asks, in lower case, its tokens between spaces.

    Neither a clause before it ("When it rains, is it open?") nor a polite one ("Can you tell me
    when it opens?") asks. What is wanted ("Give me the address", "Max weight?") is asked for by
    "what is". All is returned where no clause begins with a question word or an auxiliary.
    """
    text = _GLUED.sub(r"\1 's", " ".join(question.tokens).lower())
    found = list(_CLAUSE.finditer(text))
    if len(found) > 1 and _WITH_SUBJECT.match(found[0]["clause"] + text[found[0].end() :]):
        found = found[1:]
    clause = text[found[0].start("clause") :] if found else text
    if _POLITE.match(clause):
        clause = _POLITE.sub("", clause, count=1)
    if _WANTED.match(clause):
        return _WANTED.sub("what is ", clause, count=1)
    if found or text.startswith("any ") or not _is_noun_phrase(question.tags or ()):
        return clause
    return f"what is {'' if _ARTICLE.match(text) else 'the '}{text}"


def _is_noun_phrase(tags: Sequence[str]) -> bool:
    return any(tag.startswith("NN") for tag in tags) and _VERB_TAGS.isdisjoint(tags)


def is_polar(clause: str) -> bool:
    """Whether what `asking_clause` returned begins with an auxiliary, and so asks for yes or no."""
    return clause.partition(" ")[0] in _AUXILIARIES

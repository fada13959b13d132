"""Questions made from WiCE's claims: a name, date, number or noun of a claim is asked for.

Of a part of the claim without inner marks and connectives, one phrase is taken out and a question
word put first. The claim's subject goes along where it is a name outside of that part::

    Singaporean Ben Davis signed a contract with Fulham in 2017, and left in 2018.
    who signed a contract with Fulham in 2017 ?
    when Ben Davis left ?

The word order is not that of a person's question. Candidates are the sentences of the claim's
pages. Right ones are those that support the claim and have the phrase's last word; those that
support it without that word are left out. One question of each question word is made of a claim.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from tokalign.aligner import Aligner
from tokalign.english.lexicon.likeness import is_content
from tokalign.types import Sentence

from lab.recipes.rankings import GoldQuery

_NAMES = ("NNP", "NNPS")
_NOUNS = ("NN", "NNS")
_IN_NOUN_PHRASES = ("DT", "JJ", "NN", "PRP$")
_MONTHS = frozenset(
    """
    january february march april may june july august september october november december
    """.split()  # noqa: SIM905
)
_YEAR = re.compile(r"(1[5-9]|20)\d\d")
_BEFORE_DATES = ("in", "on", "since", "from", "by", "until")
_ENDS = frozenset(
    """
    , ; : . -- - ( ) `` '' and but which who where when while that after before as
    """.split()  # noqa: SIM905
)
LEAST_WORDS = 4
"""Of a candidate: shorter ones are headings and buttons."""
HEADER = "(meta data)"
"""Before titles, publishers and dates, which are no sentences."""


class AskedFor(NamedTuple):
    """A phrase to ask for.

    Attributes
    ----------
    word : str
        What asks for it.
    start, end : int
        The tokens to take out.
    answer : int
        The token that an answer has.
    """

    word: str
    start: int
    end: int
    answer: int


def phrases(sentence: Sentence) -> Iterator[AskedFor]:
    """Yield the phrases of a tagged sentence that a question can ask for."""
    tokens = [token.lower() for token in sentence.tokens]
    tags = [*(sentence.tags or ()), ""]
    i = 0
    while i < len(tokens):
        before = tokens[i - 1] if i else ""
        end = i + 1
        if tags[i] in _NAMES:
            while tags[end] in _NAMES:
                end += 1
            if tokens[i] in _MONTHS:
                while tags[end] == "CD" or (tags[end] == "," and tags[end + 1] == "CD"):
                    end += 1
                yield AskedFor("when", i - (before in _BEFORE_DATES), end, end - 1)
            elif before in ("in", "at", "near"):
                yield AskedFor("where", i - 1, end, end - 1)
            elif before == "by":
                yield AskedFor("who", i - 1, end, end - 1)
            else:
                acts = tags[end].startswith(("VB", "MD"))
                yield AskedFor("who" if acts else "what", i, end, end - 1)
        elif tags[i] == "CD":
            if _YEAR.fullmatch(tokens[i]) and before in _BEFORE_DATES:
                yield AskedFor("when", i - 1, end, i)
            elif tags[end] == "NNS":
                yield AskedFor(f"how many {tokens[end]}", i, end + 1, i)
        elif tags[i] in _NOUNS and tags[end] not in (*_NOUNS, "POS"):
            start = i
            while start and tags[start - 1] in _IN_NOUN_PHRASES:
                start -= 1
            if start < i:
                yield AskedFor("what", start, end, i)
        i = end


def question_for(sentence: Sentence, phrase: AskedFor) -> list[str]:
    """Return the tokens of the question for a phrase; empty if it would have too few words."""
    tokens, tags = sentence.tokens, sentence.tags or ()
    start, end = phrase.start, phrase.end
    while start and tokens[start - 1].lower() not in _ENDS:
        start -= 1
    while end < len(tokens) and tokens[end].lower() not in _ENDS:
        end += 1
    kept = [*tokens[start : phrase.start], *tokens[phrase.end : end]]
    n_subject = next((k for k, tag in enumerate(tags) if tag not in _NAMES), len(tags))
    if start and phrase.start >= n_subject:
        kept = [*tokens[:n_subject], *kept]
    if sum(map(is_content, kept)) < 2:
        return []
    return [*phrase.word.split(), *kept, "?"]


def made(data: Path, aligner: Aligner) -> Iterator[GoldQuery]:
    """Yield the questions made from WiCE's claims, with their candidates in order."""
    for line in (data / "wice/claims-dev.jsonl").read_text(encoding="utf-8").splitlines():
        claim = json.loads(line)
        supporting = {k for each in claim["supporting_sentences"] for k in each}
        sentences = [
            (text, k in supporting)
            for k, text in enumerate(claim["evidence"])
            if len(text.split()) >= LEAST_WORDS and not text.startswith(HEADER)
        ]
        (annotated,) = aligner.annotate([claim["claim"]], truncate=True)
        asked: set[str] = set()
        for phrase in phrases(annotated):
            word = phrase.word.split()[0]
            question = question_for(annotated, phrase)
            if word in asked or not question:
                continue
            answer = re.escape(annotated.tokens[phrase.answer])
            has_answer = re.compile(rf"(?<!\w){answer}(?!\w)", re.IGNORECASE)
            kept = [each for each in sentences if not each[1] or has_answer.search(each[0])]
            is_right = np.array([is_ for _, is_ in kept], dtype=bool)
            if is_right.any() and not is_right.all():
                asked.add(word)
                yield GoldQuery(question, [text for text, _ in kept], is_right, claim["claim"])

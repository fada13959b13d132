"""Evidence that a sentence answers a question.

A candidate answers if it speaks of what the question speaks of, and holds, close to the words that
do, a word of the expected type that the question does not hold. What is expected is decided by
rules (`RULES`), of which the first that matches counts.
"""

from __future__ import annotations

import enum
import functools
import math
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tokalign.files.tables import DATA_DIR
from tokalign.lexicon.likeness import is_content
from tokalign.lexicon.words import NUMBER_WORDS
from tokalign.types import FeatureContribution, Sentence

WEIGHTS_FILE = "question-weights.tsv"
BIAS = "bias"
"""Name of the piece of evidence that every candidate has."""
Weigh = Callable[[str], float]
"""Lemma -> idf in [0, 1]; see tokalign.lexicon.frequencies."""


class AnswerType(enum.StrEnum):
    """Kinds of answers that a question can ask for."""

    PERSON = "person"
    PLACE = "place"
    DATE = "date"
    NUMBER = "number"
    NAME = "name"
    THING = "thing"
    OTHER = "other"


WH_WORDS = frozenset(
    ["who", "whom", "whose", "what", "which", "when", "where", "why", "how", "name"]
)  # "Name a country that ..."

_WHAT = (
    r"(?:what|which|name|in what|in which)(?: (?:is|are|was|were|'s|the|a|an|of|name|kind|type))*"
)
_ADJECTIVES = r"(?: (?:us|u\.s\.|former|large|small|big|major|old|new|other|\w+ese|\w+an|\w+ish))*"
_PLACES = (
    "country|countries|city|cities|state|states|town|village|county|province|region|continent|"
    "place|location|island|river|lake|ocean|sea|mountain|capital|nation|birthplace|hometown|"
    "headquarters|address|street|venue|stadium|nationality"
)
_PEOPLE = (
    "person|people|man|woman|actor|actress|author|writer|singer|musician|president|leader|"
    "founder|inventor|designer|director|player|scientist|biochemists?|doctor|ceo|chairman|"
    "king|queen|prime minister|minister|governor|senator|pilot|coach|wife|husband|mother|father|"
    "son|daughter|brother|sister|composer|artist|poet|philosopher|astronauts?|winner|chancellor"
)
_NAMES = (
    "company|companies|organization|organisation|group|band|team|club|party|agency|school|"
    "university|college|newspaper|magazine|book|novel|film|movie|song|album|show|play|brand|ship|"
    "airline|bank|museum|award|prize|war|battle|name|names|title|nickname|comet|planet|star|"
    "record company"
)
_DATES = "year|years|date|day|month|century|decade|time|age of"
_MEASURES = (
    "many|much|long|far|old|tall|large|big|often|fast|high|deep|heavy|hot|cold|wide|late|soon|"
    "frequently|expensive|strong"
)

RULES: tuple[tuple[str, AnswerType], ...] = (
    (r"\bwho(?:m|se)?\b", AnswerType.PERSON),
    (r"\bwhen\b", AnswerType.DATE),
    (r"\bwhere\b", AnswerType.PLACE),
    (rf"\bhow (?:{_MEASURES})\b", AnswerType.NUMBER),
    (
        r"\bwhat (?:is|was|are|were) .*\b(?:population|price|cost|rate|number|percentage|revenue|"
        r"speed|height|length|weight|temperature|size|age|salary|distance|amount|total|score)\b",
        AnswerType.NUMBER,
    ),
    (r"\b(?:what|which) (?:percentage|percent|number|amount|rate)\b", AnswerType.NUMBER),
    (rf"\b{_WHAT}{_ADJECTIVES} (?:{_DATES})\b", AnswerType.DATE),
    (rf"\b{_WHAT}{_ADJECTIVES} (?:{_PLACES})\b", AnswerType.PLACE),
    (rf"\b{_WHAT}(?: \w+)? (?:{_PEOPLE})\b", AnswerType.PERSON),
    (rf"\b{_WHAT}{_ADJECTIVES} (?:{_NAMES})\b", AnswerType.NAME),
    (r"\b(?:why|how)\b", AnswerType.OTHER),
    (r"\b(?:what|which|name)\b", AnswerType.THING),
)
"""Regular expressions over the lower-case question, tokens between single spaces."""

_COMPILED = tuple((re.compile(pattern), answer) for pattern, answer in RULES)
MASKED = frozenset({"<num>"})
"""Tokens that corpora write in place of numbers."""
_CALENDAR = frozenset(
    """
    january february march april may june july august september october november december jan. feb.
    aug. sept. oct. nov. dec. monday tuesday wednesday thursday friday saturday sunday year years
    month months week weeks day days century centuries decade decades ago yesterday today tomorrow
    morning afternoon evening night spring summer autumn winter
    """.split()  # noqa: SIM905
)
_BEFORE_DATES = frozenset(
    ("in", "since", "on", "by", "from", "until", "till", "before", "after", "of", "during",
     "around")
)  # fmt: skip
_BEFORE_PLACES = frozenset(
    ("in", "at", "near", "from", "to", "of", ",", "outside", "toward", "towards")
)
_UNITS = frozenset(
    ("percent", "%", "million", "billion", "thousand", "people", "miles", "feet", "pounds",
     "dollars", "times", "points")
)  # fmt: skip


def is_question(sentence: Sentence) -> bool:
    """Whether a sentence asks something: it ends in a question mark, or begins as questions do."""
    tokens = [token.lower() for token in sentence.tokens]
    if tokens[-1] == "?" or "?" in tokens[-2:]:
        return True
    starts = tokens[1] if len(tokens) > 1 and tokens[0] in ("in", "at", "on", "to") else tokens[0]
    return starts in WH_WORDS - {"name"}


def expected_answer(question: Sentence) -> AnswerType:
    """Return what a question asks for.

    Examples
    --------
    >>> for text in ("Who wrote it ?", "In what year was it ?", "How many are there ?"):
    ...     print(expected_answer(Sentence.from_tokens(text.split())))
    person
    date
    number
    """
    text = " ".join(question.tokens).lower()
    return next((answer for pattern, answer in _COMPILED if pattern.search(text)), AnswerType.OTHER)


def fits(sentence: Sentence, answer: AnswerType) -> list[float]:
    """Return how well each token of a sentence, with tags, fits a type: 0, 0.5 or 1."""
    tags = ("", *(sentence.tags or ()), "")
    lower = ["", *map(str.lower, sentence.tokens), ""]
    return [_fit(lower[at - 1 : at + 2], tags[at - 1 : at + 2], answer)
            for at in range(1, len(lower) - 1)]  # fmt: skip


def _fit(tokens: Sequence[str], tags: Sequence[str], answer: AnswerType) -> float:
    """Return how well the second of three neighbours fits."""
    previous, token, following = tokens
    tag = tags[1]
    match answer:
        case AnswerType.DATE:
            if token in _CALENDAR:
                return 1.0
            if not _is_number(token, tag):
                return 0.0
            dated = previous in _BEFORE_DATES or previous in _CALENDAR
            return 1.0 if dated and following not in _UNITS else 0.5
        case AnswerType.NUMBER:
            if not _is_number(token, tag):
                return 0.0
            return 0.5 if previous in _CALENDAR or previous == "in" else 1.0
        case AnswerType.PERSON:
            if not _is_name(token, tag):
                return 0.0
            return 1.0 if "NNP" in (tags[0], tags[2]) else 0.5
        case AnswerType.PLACE:
            if not _is_name(token, tag):
                return 0.0
            return 1.0 if previous in _BEFORE_PLACES else 0.5
        case AnswerType.NAME:
            return 1.0 if _is_name(token, tag) else 0.0
        case AnswerType.THING:
            return 1.0 if tag.startswith("NN") and is_content(token) else 0.0
        case _:
            return 0.5 if is_content(token) else 0.0


def _is_number(token: str, tag: str) -> bool:
    return tag == "CD" or any(map(str.isdigit, token)) or token in NUMBER_WORDS or token in MASKED


def _is_name(token: str, tag: str) -> bool:
    return tag in ("NNP", "NNPS") and token not in _CALENDAR and not _is_number(token, tag)


@dataclass(frozen=True, slots=True)
class Evidence:
    """Evidence for a candidate or against it; each in [0, 1].

    A word is covered as far as it has a partner. A free word is one of the candidate that has no
    partner, does not stand in the question and may be the answer.

    Attributes
    ----------
    covered : float
        Coverage of the question's content words, by their idf.
    evenly : float
        The same, all words alike.
    repeated : float
        Idf share of the question's content words whose lemma the candidate holds.
    names : float
        As `covered`, of names and numbers alone; 1 if there is none.
    verbs : float
        As `covered`, of verbs alone; 1 if there is none.
    missing : float
        Largest idf of a word that is covered by less than half.
    typed : float
        How well the best free word fits what is expected.
    density : float
        How near to a free word the partners of the question's words are, at best.
    fitting : float
        The same, times how well the word fits.
    by_verb : float
        How near to a free word the partner of a verb of the question is, at best.
    choices : float
        Number of free words, on a logarithmic scale.
    length : float
        Length of the candidate, on a logarithmic scale.
    agreement : float
        Of the alignment: 1 without conflicts between question and candidate.
    """

    covered: float
    evenly: float
    repeated: float
    names: float
    verbs: float
    missing: float
    typed: float
    density: float
    fitting: float
    by_verb: float
    choices: float
    length: float
    agreement: float


EVIDENCE: tuple[str, ...] = tuple(field.name for field in fields(Evidence))
_values = operator.attrgetter(*EVIDENCE)
NEAR = 6.0
"""Distance, in tokens, at which a partner counts half."""
COVERED = 0.5
"""Coverage from which a word counts as having a partner."""


@dataclass(frozen=True, slots=True)
class _Query:
    """Parts of a question: its words, and the answer it asks for.

    Attributes
    ----------
    asked : list of int, length n
        Tokens that a candidate should cover.
    lemmas : list of str, length n
    held : frozenset of str
        Lemmas of all tokens, in lower case.
    answer : AnswerType
    idf : float array, shape (n,)
    names, verbs : float array, shape (n,)
        The idf of names and numbers, or of verbs, and 0 of others.
    """

    asked: list[int]
    lemmas: list[str]
    held: frozenset[str]
    answer: AnswerType
    idf: NDArray[np.float64]
    names: NDArray[np.float64]
    verbs: NDArray[np.float64]


@functools.lru_cache(maxsize=16)
def _query(question: Sentence, weigh: Weigh) -> _Query:
    """Return a question's part of the evidence; kept, for its candidates follow one another."""
    lemmas = [lemma.lower() for lemma in question.lemmas or ()]
    asked = [
        at
        for at, token in enumerate(question.tokens)
        if is_content(token) and token.lower() not in WH_WORDS
    ] or list(range(len(question)))
    tags = [(question.tags or ())[at] for at in asked]
    idf = np.array([weigh(lemmas[at]) for at in asked])
    return _Query(
        asked=asked,
        lemmas=[lemmas[at] for at in asked],
        held=frozenset(lemmas),
        answer=expected_answer(question),
        idf=idf,
        names=idf * np.array([tag in ("NNP", "NNPS", "CD") for tag in tags]),
        verbs=idf * np.array([tag.startswith("VB") for tag in tags]),
    )


def evidence(
    question: Sentence,
    candidate: Sentence,
    posterior: NDArray[np.floating],
    weigh: Weigh,
    agreement: float = 1.0,
) -> Evidence:
    """Return what speaks for a candidate.

    Parameters
    ----------
    question, candidate : Sentence
        With tags and lemmas.
    posterior : float array, shape (n_candidate, n_question)
        Probability of every link, in [0, 1].
    weigh : callable
    agreement : float
        Of their alignment, in [0, 1].
    """
    query = _query(question, weigh)
    links = posterior[:, query.asked]
    covered = np.minimum(links.sum(axis=0), 1.0)
    lemmas = [lemma.lower() for lemma in candidate.lemmas or ()]
    taken = links.max(axis=1).tolist()
    free = {
        at: fit
        for at, fit in enumerate(fits(candidate, query.answer))
        if fit > 0 and taken[at] < COVERED and lemmas[at] not in query.held
    }
    density = fitting = by_verb = 0.0
    if free:
        distance = np.abs(links.argmax(axis=0) - np.array(list(free))[:, None])
        near = covered * NEAR / (NEAR + distance)  # a row per free word
        dense = near @ query.idf / query.idf.sum() if query.idf.any() else np.ones(len(free))
        density = float(dense.max())
        fitting = float((dense * list(free.values())).max())
        by_verb = float((near * (query.verbs > 0)).max())
    return Evidence(
        covered=_mean(covered, query.idf),
        evenly=float(covered.mean()),
        repeated=_mean(np.array([lemma in lemmas for lemma in query.lemmas]), query.idf),
        names=_mean(covered, query.names),
        verbs=_mean(covered, query.verbs),
        missing=float((query.idf * (covered < COVERED)).max()),
        typed=max(free.values(), default=0.0),
        density=density,
        fitting=fitting,
        by_verb=by_verb,
        choices=_logarithmic(len(free)),
        length=_logarithmic(len(candidate)),
        agreement=agreement,
    )


def _mean(values: NDArray[np.floating], weights: NDArray[np.floating]) -> float:
    """Return the weighted mean of values, 1 without weights."""
    total = float(weights.sum())
    return float(values @ weights) / total if total > 0 else 1.0


def _logarithmic(count: int) -> float:
    """Return 0 for none to 1 for a hundred or more."""
    return min(math.log1p(count) / math.log1p(100), 1.0)


@dataclass(frozen=True, slots=True)
class AnswerScorer:
    """The regression that makes one number of the evidence.

    Attributes
    ----------
    bias : float
    weights : tuple of float, one per field of Evidence
        The probability of a right answer is sigmoid(bias + weights . evidence), in a balanced
        choice of right and wrong candidates.
    """

    bias: float
    weights: tuple[float, ...]

    @classmethod
    def open_shipped(cls) -> Self:
        """Return the regression that ships, as `recipes.question_weights` writes it."""
        lines = (DATA_DIR / WEIGHTS_FILE).read_text(encoding="utf-8").splitlines()
        found = dict(line.split("\t") for line in lines)
        return cls(float(found["bias"]), tuple(float(found[name]) for name in EVIDENCE))

    def score(self, found: Evidence) -> float:
        """Return the probability that a candidate answers, in [0, 1]."""
        total = self.bias + sum(map(operator.mul, self.weights, _values(found)))
        return 1.0 / (1.0 + math.exp(-total))

    def explain(self, found: Evidence) -> tuple[FeatureContribution, ...]:
        """Return what each piece of evidence adds, in nats, by falling absolute size.

        The bias is one of them, so that they add up to the log odds of the score.
        """
        pieces = [FeatureContribution(BIAS, 1.0, self.bias)]
        pieces += map(FeatureContribution, EVIDENCE, _values(found), self.weights)
        return tuple(sorted(pieces, key=lambda piece: -abs(piece.value * piece.weight)))

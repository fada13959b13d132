"""The expected type of a question's answer, by the first rule that matches."""

import enum
from typing import NamedTuple

from tokalign.english.values.kinds import Kind
from tokalign.types import Sentence
from tokalign.types.patterns import regex


class AnswerType(enum.StrEnum):
    """Kinds of answers that a question can expect, in the order of decoding/evidence.pyx."""

    PERSON = "person"
    PLACE = "place"
    DATE = "date"
    NUMBER = "number"
    NAME = "name"
    THING = "thing"
    OTHER = "other"


class UnitKind(enum.IntFlag):
    """Kinds of units, as bits; see `unit_kind`."""

    SIZE = 1
    TIME = 2
    OTHER = 4


_SIZES = {
    "ft", "inch", "km", "m", "mi", "yard", "acre", "ha", "m2", "km2", "mi2", "ft2", "cm2", "cm3",
    "m3", "l", "gal", "pint", "cup", "tbsp", "tsp", "g", "lb", "ounce", "stone", "t", "carat",
    "km/h", "knot", "m/s", "mph", "fps", "°C", "°F", "°",
}  # fmt: skip
_TIMES = {"s", "min", "h", "day", "week", "fortnight", "month", "year"}


def unit_kind(unit: str) -> UnitKind:
    """Return the kind of a base unit (tokalign.english.values.value.UNIT_BASES).

    Examples
    --------
    >>> unit_kind("km").name
    'SIZE'
    """
    if unit in _SIZES:
        return UnitKind.SIZE
    return UnitKind.TIME if unit in _TIMES else UnitKind.OTHER


class Expected(NamedTuple):
    """The answer that a question expects."""

    answer: AnswerType
    # For a date or a number: the kinds of values that fit fully
    kinds: frozenset[Kind] = frozenset()
    measures: UnitKind = UnitKind(0)  # units that a quantity may have to fit fully


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
        r"speed|height|length|weight|temperature|size|age|salary|distance|amount|total|score|"
        r"(?:boiling|melting|freezing) point)\b",
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

_COMPILED = tuple((regex(each), answer) for each, answer in RULES)

_ANY_UNIT = UnitKind.SIZE | UnitKind.TIME | UnitKind.OTHER
VALUES: tuple[tuple[str, frozenset[Kind], UnitKind], ...] = (
    (
        r"\bhow much\b|\b(?:cost|price|salary|revenue|worth)\b",
        frozenset({Kind.MONEY, Kind.PERCENT, Kind.QUANTITY}),
        _ANY_UNIT,
    ),
    (r"\b(?:percent|percentage|rate)\b", frozenset({Kind.PERCENT, Kind.FRACTION}), _ANY_UNIT),
    (
        r"\bhow (?:long|often|soon|late)\b",
        frozenset({Kind.QUANTITY, Kind.TIME, Kind.DATE, Kind.RANGE}),
        UnitKind.SIZE | UnitKind.TIME,
    ),
    (
        r"\bhow old\b|\bage\b",
        frozenset({Kind.QUANTITY, Kind.NUMBER, Kind.DATE}),
        UnitKind.TIME,
    ),
    (
        r"\bhow (?:far|tall|large|big|high|deep|wide|fast|hot|cold|heavy)\b",
        frozenset({Kind.QUANTITY, Kind.NUMBER}),
        UnitKind.SIZE,
    ),
    (r"", frozenset({Kind.NUMBER, Kind.RANGE, Kind.FRACTION}), _ANY_UNIT),
)
"""Values that a question for a number expects; the first match counts."""

_VALUES = tuple((regex(each), kinds, units) for each, kinds, units in VALUES)


def expected_answer(question: Sentence) -> Expected:
    """Return the answer that a question expects.

    Examples
    --------
    >>> for text in ("Who wrote it ?", "In what year was it ?", "How many are there ?"):
    ...     print(expected_answer(Sentence.from_tokens(text.split())).answer)
    person
    date
    number
    """
    text = " ".join(question.tokens).lower()
    answer = next((kind for rule, kind in _COMPILED if rule.search(text)), AnswerType.OTHER)
    if answer is AnswerType.DATE:
        return Expected(answer, frozenset({Kind.DATE, Kind.TIME}))
    if answer is AnswerType.NUMBER:
        kinds, measures = next((k, m) for rule, k, m in _VALUES if rule.search(text))
        return Expected(answer, kinds, measures)
    return Expected(answer)

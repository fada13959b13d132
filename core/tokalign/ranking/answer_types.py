"""The expected type of a question's answer, by the first rule that matches."""

import enum
from typing import NamedTuple

from tokalign.english.values.kinds import Kind
from tokalign.files.shipped import LISTS
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
    ANY = "any"
    WAY = "way"
    MEANING = "meaning"
    COLOUR = "colour"
    MATERIAL = "material"
    OFTEN = "often"


class UnitKind(enum.IntFlag):
    """Kinds of units, as bits; see `unit_kind`."""

    SIZE = 1
    TIME = 2
    OTHER = 4


_UNIT_KINDS = LISTS.values("unit-kinds", UnitKind.__getitem__)


def unit_kind(unit: str) -> UnitKind:
    """Return the kind of a base unit (tokalign.english.values.value.UNIT_BASES).

    Examples
    --------
    >>> unit_kind("km").name
    'SIZE'
    """
    return _UNIT_KINDS.get(unit, UnitKind.OTHER)


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
_ASKED = {kind: "|".join(words) for kind, words in LISTS.rows["asked"]}
_NO_CLASS = (
    r"(?!(?:the|it|this|that|these|they|you|we|he|she|there|your|my|our|his|her|their|wrong|new|"
    r"\w+ing)\b)"
)

RULES: tuple[tuple[str, AnswerType], ...] = (
    (r"\bwhat .*(?<!used)(?<!stand) for(?: \?)?$", AnswerType.OTHER),
    (r"\b(?:what|which) (?:(?:is the )?(?:purpose|reason)|happens)\b", AnswerType.OTHER),
    (
        rf"\bwhat (?:is|are|was|were|'s) (?:an? )?{_NO_CLASS}[^ ]+(?: [^ ]+)?(?: \?)?$",
        AnswerType.MEANING,
    ),
    (r"\bwhat (?:do|does|did) .* mean(?: \?)?$|\bmeant by\b|\bdefine\b", AnswerType.MEANING),
    (r"\bdifferences? between\b|\bdiffer\b", AnswerType.OTHER),
    (r"\b(?:what|which) (?:\w+ )?colou?rs?\b", AnswerType.COLOUR),
    (r"\bwhat (?:is|are|was|were|'s) .*\b(?:made|built) (?:from|of|out)\b", AnswerType.MATERIAL),
    (
        r"\b(?:what|which) (?:kind of |sort of )?(?:materials?|fabrics?|metals?|wood)\b",
        AnswerType.MATERIAL,
    ),
    (r"\bhow (?:often|frequently)\b", AnswerType.OFTEN),
    (r"\bwho(?:m|se)?\b", AnswerType.PERSON),
    (r"\bwhen\b", AnswerType.DATE),
    (r"\bwhere\b", AnswerType.PLACE),
    (rf"\bhow (?:{_ASKED['MEASURE']})\b", AnswerType.NUMBER),
    (
        r"\bwhat (?:is|was|are|were) .*\b(?:population|price|cost|rate|number|percentage|revenue|"
        r"speed|height|length|weight|temperature|size|age|salary|distance|amount|total|score|"
        r"(?:boiling|melting|freezing) point)\b",
        AnswerType.NUMBER,
    ),
    (r"\bwhat (?:do|does|did|will|would) .*\bcosts?\b", AnswerType.NUMBER),
    (
        r"\b(?:what|which) (?:percentage|percent|number|amount|rate|size|port|version)\b",
        AnswerType.NUMBER,
    ),
    (rf"\b{_WHAT}{_ADJECTIVES} (?:{_ASKED['DATE']}|age of)\b", AnswerType.DATE),
    (rf"\b{_WHAT}{_ADJECTIVES} (?:{_ASKED['PLACE']})\b", AnswerType.PLACE),
    (rf"\b{_WHAT}(?: \w+)? (?:{_ASKED['PERSON']})\b", AnswerType.PERSON),
    (rf"\b{_WHAT}{_ADJECTIVES}(?: record)? (?:{_ASKED['NAME']})\b", AnswerType.NAME),
    (r"\bhow (?:to|(?:do|can|could|should|would) (?:i|you|we|one))\b", AnswerType.WAY),
    (r"\b(?:why|how)\b", AnswerType.OTHER),
    (r"\b(?:what|which|name)\b", AnswerType.THING),
)
"""Regular expressions over the lower-case question, tokens between single spaces."""

_COMPILED = tuple((regex(each), answer) for each, answer in RULES)

_ANY_UNIT = UnitKind.SIZE | UnitKind.TIME | UnitKind.OTHER
VALUES: tuple[tuple[str, str, UnitKind], ...] = (
    (r"\bhow much\b|\b(?:cost|price|salary|revenue|worth)\b", "MONEY PERCENT QUANTITY", _ANY_UNIT),
    (r"\b(?:percent|percentage|rate)\b", "PERCENT FRACTION", _ANY_UNIT),
    (
        r"\bhow long (?:a|do|does|did|can|could|may|will|would|should|must|has|have|had|to)\b",
        "QUANTITY RANGE",
        UnitKind.TIME,
    ),
    (r"\bhow (?:long|soon|late)\b", "QUANTITY TIME DATE RANGE", UnitKind.SIZE | UnitKind.TIME),
    (r"\bhow old\b|\bage\b", "QUANTITY NUMBER DATE", UnitKind.TIME),
    (
        r"\bhow (?:far|tall|large|big|high|deep|wide|fast|hot|cold|heavy)\b|"
        r"\b(?:size|speed|height|length|depth|width|weight|temperature|distance|point)\b",
        "QUANTITY",
        UnitKind.SIZE,
    ),
    (r"", "NUMBER RANGE FRACTION", _ANY_UNIT),
)
"""Kinds of values that a question for a number expects, and units; the first match counts."""

_VALUES = tuple(
    (regex(each), frozenset(map(Kind.__getitem__, kinds.split())), units)
    for each, kinds, units in VALUES
)


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
    answer = next((kind for rule, kind in _COMPILED if rule.search(text)), AnswerType.ANY)
    if answer is AnswerType.DATE:
        return Expected(answer, frozenset({Kind.DATE, Kind.TIME}))
    if answer is AnswerType.NUMBER:
        kinds, measures = next((k, m) for rule, k, m in _VALUES if rule.search(text))
        return Expected(answer, kinds, measures)
    return Expected(answer)

"""The expected type of a question's answer, by the first rule that matches."""

import enum
from typing import NamedTuple

from tokalign.english.questions import asking_clause, is_polar
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
    r"(?:what|which|name|in what|in which)"
    r"(?: (?:is|are|was|were|'s|the|its|his|her|their|our|your|my|an?|of|name|kind|type))*"
)
_ADJECTIVES = (
    r"(?: (?:us|u\.s\.|former|current|large|small|big|major|old|new|other|first|last|next|due|"
    r"exact|main|official|native|original|\w+ese|\w+an|\w+ish))*"
)
_FIRST = r"^(?:(?!\b(?:what|which|who|whom|whose|when|where|why|how)\b).)*"
_HEAD = r"(?= (?:of|for|to|in|on|at|per|when|if|here|there|due|paid|\w+ed)\b| [?.]|$)"
_ASKED = {kind: "|".join(words) for kind, words in LISTS.rows["asked"]}
_NO_CLASS = (
    r"(?!(?:the|it|its|this|that|these|they|you|we|he|she|there|your|my|our|his|her|their|wrong|"
    r"new|\w+ing)\b)"
)

RULES: tuple[tuple[str, AnswerType], ...] = (
    (r"\bwhat .*(?<!used)(?<!stand) for(?: \?)?$", AnswerType.OTHER),
    (r"\b(?:what|which) (?:(?:is the )?(?:purpose|reason)|happens)\b", AnswerType.OTHER),
    (
        rf"\bwhat (?:is|are|was|were|'s) (?:an? )?{_NO_CLASS}[^ ]+(?: [^ ]+)?(?: \?)?$",
        AnswerType.MEANING,
    ),
    (
        r"\bwhat (?:do|does|did) .* mean(?: \?)?$|\bmeant by\b|\bdefine\b|"
        r"\b(?:meaning|definition) of\b",
        AnswerType.MEANING,
    ),
    (r"\bdifferences? between\b|\bdiffer\b", AnswerType.OTHER),
    (
        r"\b(?:what|which) (?:\w+ )?colou?rs?\b|"
        r"\b(?:what|which|name|list) (?:[^ ]+ ){0,4}colou?rs?(?= (?:of|in|on)\b| [?.]|$)",
        AnswerType.COLOUR,
    ),
    (r"\b(?:what|which) .*\b(?:made|built) (?:from|of|out)\b", AnswerType.MATERIAL),
    (
        r"\b(?:what|which) (?:kind of |sort of )?(?:materials?|fabrics?|metals?|wood)\b",
        AnswerType.MATERIAL,
    ),
    (
        r"\bhow (?:often|frequently|regularly)\b|\bhow many times (?:an?|per|each|every)\b|"
        r"\bwhat intervals?\b",
        AnswerType.OFTEN,
    ),
    (rf"{_FIRST}\bwho(?:m|se)?\b", AnswerType.PERSON),
    (rf"{_FIRST}\bwhen\b", AnswerType.DATE),
    (rf"{_FIRST}\bwhere\b", AnswerType.PLACE),
    (rf"\bhow (?:{_ASKED['MEASURE']})\b", AnswerType.NUMBER),
    (
        rf"\bwhat (?:is|was|are|were|'s) (?:[^ ]+ ){{0,4}}"
        rf"(?:{_ASKED['AMOUNT']}|(?:boiling|melting|freezing) point|(?:max|min)imum [^ ]+)"
        rf"{_HEAD}",
        AnswerType.NUMBER,
    ),
    (
        r"\bwhat (?:do|does|did|will|would) .*\b(?:cost|charge|pay|earn|weigh|measure)\b",
        AnswerType.NUMBER,
    ),
    (
        r"\b(?:what|which) (?:percentage|percent|share|number|amount|rate|size|port|version|age|"
        r"price|temperature|voltage|speed|distance|height|length|depth|width|weight)\b",
        AnswerType.NUMBER,
    ),
    (
        rf"\b{_WHAT}{_ADJECTIVES} (?:{_ASKED['DATE']}|age of)\b|"
        r"\b(?:what|which) (?:[^ ]+ ){1,4}"
        r"(?:deadline|(?:opening|closing|office|business|visiting) (?:hours|times?))\b",
        AnswerType.DATE,
    ),
    (rf"\b{_WHAT}{_ADJECTIVES} (?:{_ASKED['PLACE']})\b", AnswerType.PLACE),
    (rf"\b{_WHAT}(?: \w+)? (?:{_ASKED['PERSON']})\b", AnswerType.PERSON),
    (rf"\b{_WHAT}{_ADJECTIVES}(?: record)? (?:{_ASKED['NAME']})\b", AnswerType.NAME),
    (
        r"\bhow (?:to|(?:do|can|could|should|would|must) (?:i|you|u|we|one))\b|"
        r"\bwhat (?:do|can|could|should|would|must) (?:i|you|u|we|one) (?:(?:have|need) to )?do\b|"
        r"\b(?:what|which) (?:[^ ]+ ){1,3}ways? (?:to|of|for|can|do)\b",
        AnswerType.WAY,
    ),
    (r"\b(?:why|how)\b", AnswerType.OTHER),
    (r"\b(?:what|which|name)\b", AnswerType.THING),
)
"""Regular expressions over what `asking_clause` returns of a question that is not polar."""

_COMPILED = tuple((regex(each), answer) for each, answer in RULES)

_ANY_UNIT = UnitKind.SIZE | UnitKind.TIME | UnitKind.OTHER
VALUES: tuple[tuple[str, str, UnitKind], ...] = (
    (r"\bhow much (?:\w+ )?(?:time|longer)\b", "QUANTITY RANGE", UnitKind.TIME),
    (
        r"\bhow much (?:is|are|was|were|'s|for)\b|\b(?:costs?|prices?|fees?|fare|postage|charge|"
        r"pay|earn|fine|deposit|rent|premium|wage|budget|salary|revenue|worth)\b",
        "MONEY PERCENT",
        _ANY_UNIT,
    ),
    (r"\bhow much\b", "MONEY PERCENT QUANTITY", _ANY_UNIT),
    (r"\b(?:percent|percentage|rate|share|interest|tax)\b", "PERCENT FRACTION", _ANY_UNIT),
    (r"\b(?:duration|timeout)\b", "QUANTITY RANGE", UnitKind.TIME),
    (
        r"\bhow long (?:a|do|does|did|can|could|may|will|would|should|must|has|have|had|to)\b",
        "QUANTITY RANGE",
        UnitKind.TIME,
    ),
    (r"\bhow (?:long|soon|late)\b", "QUANTITY TIME DATE RANGE", UnitKind.SIZE | UnitKind.TIME),
    (r"\bhow old\b|\bage\b", "QUANTITY NUMBER DATE", UnitKind.TIME),
    (
        r"\bhow (?:far|tall|large|big|high|deep|wide|thick|fast|hot|cold|heavy|loud|bright)\b|"
        r"\b(?:size|speed|height|length|depth|width|diameter|weight|temperature|distance|area|"
        r"volume|voltage|point)\b",
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
    text = asking_clause(question)
    if is_polar(text):
        return Expected(AnswerType.ANY)
    answer = next((kind for rule, kind in _COMPILED if rule.search(text)), AnswerType.ANY)
    if answer is AnswerType.DATE:
        return Expected(answer, frozenset({Kind.DATE, Kind.TIME}))
    if answer is AnswerType.NUMBER:
        kinds, measures = next((k, m) for rule, k, m in _VALUES if rule.search(text))
        return Expected(answer, kinds, measures)
    return Expected(answer)

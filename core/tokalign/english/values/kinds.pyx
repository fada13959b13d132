"""Kinds of values, roles of their tokens, and how strongly two values agree."""

from enum import IntEnum, IntFlag


class Kind(IntEnum):
    """What a value is."""

    NUMBER = KIND_NUMBER
    PERCENT = KIND_PERCENT
    FRACTION = KIND_FRACTION
    ORDINAL = KIND_ORDINAL
    MONEY = KIND_MONEY
    DATE = KIND_DATE
    TIME = KIND_TIME
    QUANTITY = KIND_QUANTITY
    VERSION = KIND_VERSION
    SCORE = KIND_SCORE
    RANGE = KIND_RANGE


class Role(IntFlag):
    """What a token says of its value; a token that is glued from several has several.

    JOINT is a token that only holds others together, such as a comma in a date. LOW and HIGH are
    the two numbers of a range or score, MARK is "No." or "version", HALF_DAY "a.m." or "p.m.".
    """

    JOINT = ROLE_JOINT
    NUMBER = ROLE_NUMBER
    SCALE = ROLE_SCALE
    DENOMINATOR = ROLE_DENOMINATOR
    PERCENT = ROLE_PERCENT
    CURRENCY = ROLE_CURRENCY
    UNIT = ROLE_UNIT
    MARK = ROLE_MARK
    LOW = ROLE_LOW
    HIGH = ROLE_HIGH
    YEAR = ROLE_YEAR
    MONTH = ROLE_MONTH
    DAY = ROLE_DAY
    WEEKDAY = ROLE_WEEKDAY
    QUARTER = ROLE_QUARTER
    CLOCK = ROLE_CLOCK
    HALF_DAY = ROLE_HALF_DAY


class Strength(IntEnum):
    """How two tokens of two values agree, the stronger the larger."""

    DIFFERENT = RELATION_DIFFERENT  # another value of the same kind
    SAME_UNIT = RELATION_SAME_UNIT  # the unit or currency is the same, the number is not
    SAME_NUMBER = RELATION_SAME_NUMBER  # the number is the same, the kind or the unit is not
    SAME_PART = RELATION_SAME_PART  # the part is the same, such as the month of two unlike dates
    SAME_VALUE = RELATION_SAME_VALUE  # the values are the same


class Part(IntFlag):
    """What a piece of a token may be, whatever stands beside it; kinds.pxd says more of each."""

    DIGITS = PART_DIGITS
    PLAIN = PART_PLAIN
    GROUP = PART_GROUP
    YEAR = PART_YEAR
    ONE = PART_ONE
    TEEN = PART_TEEN
    TEN = PART_TEN
    HUNDRED = PART_HUNDRED
    SCALE = PART_SCALE
    ORDINAL = PART_ORDINAL
    ORDINAL_WORD = PART_ORDINAL_WORD
    DENOMINATOR = PART_DENOMINATOR
    DENOMINATORS = PART_DENOMINATORS
    HALF = PART_HALF
    VULGAR = PART_VULGAR
    SLASHED = PART_SLASHED
    PERCENT = PART_PERCENT
    PER = PART_PER
    CENT = PART_CENT
    PERCENTAGE = PART_PERCENTAGE
    POINT = PART_POINT
    BEFORE = PART_BEFORE
    AFTER = PART_AFTER
    DOLLAR = PART_DOLLAR
    NATION = PART_NATION
    UNIT = PART_UNIT
    MONTH = PART_MONTH
    WEEKDAY = PART_WEEKDAY
    ALONE = PART_ALONE
    NOT_FIRST = PART_NOT_FIRST
    WEAK = PART_WEAK
    DECADE = PART_DECADE
    QUARTER = PART_QUARTER
    QUARTER_WORD = PART_QUARTER_WORD
    CENTURY = PART_CENTURY
    CLOCK = PART_CLOCK
    DAY_HALF = PART_DAY_HALF
    DAY_PART = PART_DAY_PART
    OCLOCK = PART_OCLOCK
    NOON = PART_NOON
    PAST = PART_PAST
    DATE = PART_DATE
    VERSION = PART_VERSION
    VERSION_WORD = PART_VERSION_WORD
    NUMBER_SIGN = PART_NUMBER_SIGN
    AND = PART_AND
    OF = PART_OF
    A = PART_A
    TO = PART_TO
    DASH = PART_DASH
    COMMA = PART_COMMA
    IN = PART_IN
    THE = PART_THE
    MINUS = PART_MINUS
    INCHES = PART_INCHES
    SQUARE = PART_SQUARE
    CUBIC = PART_CUBIC
    SLASH = PART_SLASH

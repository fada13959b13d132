"""Kinds of values, roles of their tokens, and how strongly two values agree.

`setup.py` writes them into kinds.pxd for the kernels: KIND_MONEY, ROLE_UNIT, PART_MONTH, and
RELATION_SAME_VALUE for Strength.
"""

from enum import IntEnum, IntFlag


class Kind(IntEnum):
    """Kind of a value."""

    NUMBER = 1
    PERCENT = 2
    FRACTION = 3
    ORDINAL = 4
    MONEY = 5
    DATE = 6
    TIME = 7
    QUANTITY = 8
    VERSION = 9
    SCORE = 10
    RANGE = 11


class Role(IntFlag):
    """Roles of a token in its value; a glued token has several.

    JOINT is a token that only joins others, such as a comma in a date. LOW and HIGH are the two
    numbers of a range or score, MARK is "No." or "version", HALF_DAY "a.m." or "p.m.".
    """

    JOINT = 0
    NUMBER = 1
    SCALE = 2
    DENOMINATOR = 4
    PERCENT = 8
    CURRENCY = 16
    UNIT = 32
    MARK = 64
    LOW = 128
    HIGH = 256
    YEAR = 512
    MONTH = 1024
    DAY = 2048
    WEEKDAY = 4096
    QUARTER = 8192
    CLOCK = 16384
    HALF_DAY = 32768


class Strength(IntEnum):
    """How two tokens of two values agree; larger is stronger."""

    DIFFERENT = 1  # another value of the same kind
    SAME_UNIT = 2  # the unit or currency is the same, the number is not
    SAME_NUMBER = 3  # the number is the same, the kind or the unit is not
    SAME_PART = 4  # the part is the same, such as the month of two unlike dates
    SAME_VALUE = 5  # the values are the same


class Part(IntEnum):
    """Possible readings of a piece of a token, without its context, as bits of an int.

    They are no IntFlag, whose operations take a microsecond each.
    """

    DIGITS = 1 << 0  # a number in digits
    PLAIN = 1 << 1  # with DIGITS: digits alone, and no leading zero
    GROUP = 1 << 2  # exactly three digits
    YEAR = 1 << 3  # may be a year
    ONE = 1 << 4  # one to nine, as a word
    TEEN = 1 << 5  # zero, ten to nineteen
    TEN = 1 << 6  # twenty to ninety
    HUNDRED = 1 << 7
    SCALE = 1 << 8  # thousand, million, dozen, k, bn
    ORDINAL = 1 << 9  # 3rd, third
    ORDINAL_WORD = 1 << 10  # with ORDINAL: first to ninth, as a word
    DENOMINATOR = 1 << 11  # third, quarter
    DENOMINATORS = 1 << 12  # thirds, quarters
    HALF = 1 << 13
    VULGAR = 1 << 14  # a fraction in one character
    SLASHED = 1 << 15  # 1/2
    PERCENT = 1 << 16
    PER = 1 << 17
    CENT = 1 << 18
    PERCENTAGE = 1 << 19
    POINT = 1 << 20
    BEFORE = 1 << 21  # a currency that stands before its number
    AFTER = 1 << 22  # a currency that stands after it
    DOLLAR = 1 << 23  # with BEFORE or AFTER: of any nation
    NATION = 1 << 24  # says which dollar
    UNIT = 1 << 25
    MONTH = 1 << 26
    WEEKDAY = 1 << 27
    ALONE = 1 << 28  # with MONTH or WEEKDAY: needs no day and no year
    NOT_FIRST = 1 << 29  # with ALONE: not as the first word
    WEAK = 1 << 30  # with MONTH: only with a year or "of"
    DECADE = 1 << 31  # 1990s, 1400s, nineties
    QUARTER = 1 << 32  # Q3
    QUARTER_WORD = 1 << 33  # "third quarter", "quarter to two"
    CENTURY = 1 << 34
    CLOCK = 1 << 35  # 15:30
    DAY_HALF = 1 << 36  # a.m., p.m.; also morning, evening
    DAY_PART = 1 << 37  # with DAY_HALF: only after "in the"
    OCLOCK = 1 << 38
    NOON = 1 << 39  # noon, midnight
    PAST = 1 << 40
    DATE = 1 << 41  # 2019-01-03
    VERSION = 1 << 42  # v2.0, 1.2.3
    VERSION_WORD = 1 << 43
    NUMBER_SIGN = 1 << 44  # No., #
    AND = 1 << 45
    OF = 1 << 46
    A = 1 << 47
    TO = 1 << 48
    DASH = 1 << 49
    COMMA = 1 << 50
    IN = 1 << 51
    THE = 1 << 52
    MINUS = 1 << 53
    INCHES = 1 << 54  # a quotation mark that may be inches
    SQUARE = 1 << 55
    CUBIC = 1 << 56
    SLASH = 1 << 57

# Written by setup.py from kinds.py, which is what to change.

cdef enum:
    KIND_NUMBER = 1
    KIND_PERCENT = 2
    KIND_FRACTION = 3
    KIND_ORDINAL = 4
    KIND_MONEY = 5
    KIND_DATE = 6
    KIND_TIME = 7
    KIND_QUANTITY = 8
    KIND_VERSION = 9
    KIND_SCORE = 10
    KIND_RANGE = 11

cdef enum:
    ROLE_JOINT = 0
    ROLE_NUMBER = 1
    ROLE_SCALE = 2
    ROLE_DENOMINATOR = 4
    ROLE_PERCENT = 8
    ROLE_CURRENCY = 16
    ROLE_UNIT = 32
    ROLE_MARK = 64
    ROLE_LOW = 128
    ROLE_HIGH = 256
    ROLE_YEAR = 512
    ROLE_MONTH = 1024
    ROLE_DAY = 2048
    ROLE_WEEKDAY = 4096
    ROLE_QUARTER = 8192
    ROLE_CLOCK = 16384
    ROLE_HALF_DAY = 32768

cdef enum:
    RELATION_DIFFERENT = 1
    RELATION_SAME_UNIT = 2
    RELATION_SAME_NUMBER = 3
    RELATION_SAME_PART = 4
    RELATION_SAME_VALUE = 5

from libc.stdint cimport uint64_t

cdef extern from *:
    """
    #include <stdint.h>
    #define PART_DIGITS ((uint64_t)1 << 0)
    #define PART_PLAIN ((uint64_t)1 << 1)
    #define PART_GROUP ((uint64_t)1 << 2)
    #define PART_YEAR ((uint64_t)1 << 3)
    #define PART_ONE ((uint64_t)1 << 4)
    #define PART_TEEN ((uint64_t)1 << 5)
    #define PART_TEN ((uint64_t)1 << 6)
    #define PART_HUNDRED ((uint64_t)1 << 7)
    #define PART_SCALE ((uint64_t)1 << 8)
    #define PART_ORDINAL ((uint64_t)1 << 9)
    #define PART_ORDINAL_WORD ((uint64_t)1 << 10)
    #define PART_DENOMINATOR ((uint64_t)1 << 11)
    #define PART_DENOMINATORS ((uint64_t)1 << 12)
    #define PART_HALF ((uint64_t)1 << 13)
    #define PART_VULGAR ((uint64_t)1 << 14)
    #define PART_SLASHED ((uint64_t)1 << 15)
    #define PART_PERCENT ((uint64_t)1 << 16)
    #define PART_PER ((uint64_t)1 << 17)
    #define PART_CENT ((uint64_t)1 << 18)
    #define PART_PERCENTAGE ((uint64_t)1 << 19)
    #define PART_POINT ((uint64_t)1 << 20)
    #define PART_BEFORE ((uint64_t)1 << 21)
    #define PART_AFTER ((uint64_t)1 << 22)
    #define PART_DOLLAR ((uint64_t)1 << 23)
    #define PART_NATION ((uint64_t)1 << 24)
    #define PART_UNIT ((uint64_t)1 << 25)
    #define PART_MONTH ((uint64_t)1 << 26)
    #define PART_WEEKDAY ((uint64_t)1 << 27)
    #define PART_ALONE ((uint64_t)1 << 28)
    #define PART_NOT_FIRST ((uint64_t)1 << 29)
    #define PART_WEAK ((uint64_t)1 << 30)
    #define PART_DECADE ((uint64_t)1 << 31)
    #define PART_QUARTER ((uint64_t)1 << 32)
    #define PART_QUARTER_WORD ((uint64_t)1 << 33)
    #define PART_CENTURY ((uint64_t)1 << 34)
    #define PART_CLOCK ((uint64_t)1 << 35)
    #define PART_DAY_HALF ((uint64_t)1 << 36)
    #define PART_DAY_PART ((uint64_t)1 << 37)
    #define PART_OCLOCK ((uint64_t)1 << 38)
    #define PART_NOON ((uint64_t)1 << 39)
    #define PART_PAST ((uint64_t)1 << 40)
    #define PART_DATE ((uint64_t)1 << 41)
    #define PART_VERSION ((uint64_t)1 << 42)
    #define PART_VERSION_WORD ((uint64_t)1 << 43)
    #define PART_NUMBER_SIGN ((uint64_t)1 << 44)
    #define PART_AND ((uint64_t)1 << 45)
    #define PART_OF ((uint64_t)1 << 46)
    #define PART_A ((uint64_t)1 << 47)
    #define PART_TO ((uint64_t)1 << 48)
    #define PART_DASH ((uint64_t)1 << 49)
    #define PART_COMMA ((uint64_t)1 << 50)
    #define PART_IN ((uint64_t)1 << 51)
    #define PART_THE ((uint64_t)1 << 52)
    #define PART_MINUS ((uint64_t)1 << 53)
    #define PART_INCHES ((uint64_t)1 << 54)
    #define PART_SQUARE ((uint64_t)1 << 55)
    #define PART_CUBIC ((uint64_t)1 << 56)
    #define PART_SLASH ((uint64_t)1 << 57)
    """
    const uint64_t PART_DIGITS
    const uint64_t PART_PLAIN
    const uint64_t PART_GROUP
    const uint64_t PART_YEAR
    const uint64_t PART_ONE
    const uint64_t PART_TEEN
    const uint64_t PART_TEN
    const uint64_t PART_HUNDRED
    const uint64_t PART_SCALE
    const uint64_t PART_ORDINAL
    const uint64_t PART_ORDINAL_WORD
    const uint64_t PART_DENOMINATOR
    const uint64_t PART_DENOMINATORS
    const uint64_t PART_HALF
    const uint64_t PART_VULGAR
    const uint64_t PART_SLASHED
    const uint64_t PART_PERCENT
    const uint64_t PART_PER
    const uint64_t PART_CENT
    const uint64_t PART_PERCENTAGE
    const uint64_t PART_POINT
    const uint64_t PART_BEFORE
    const uint64_t PART_AFTER
    const uint64_t PART_DOLLAR
    const uint64_t PART_NATION
    const uint64_t PART_UNIT
    const uint64_t PART_MONTH
    const uint64_t PART_WEEKDAY
    const uint64_t PART_ALONE
    const uint64_t PART_NOT_FIRST
    const uint64_t PART_WEAK
    const uint64_t PART_DECADE
    const uint64_t PART_QUARTER
    const uint64_t PART_QUARTER_WORD
    const uint64_t PART_CENTURY
    const uint64_t PART_CLOCK
    const uint64_t PART_DAY_HALF
    const uint64_t PART_DAY_PART
    const uint64_t PART_OCLOCK
    const uint64_t PART_NOON
    const uint64_t PART_PAST
    const uint64_t PART_DATE
    const uint64_t PART_VERSION
    const uint64_t PART_VERSION_WORD
    const uint64_t PART_NUMBER_SIGN
    const uint64_t PART_AND
    const uint64_t PART_OF
    const uint64_t PART_A
    const uint64_t PART_TO
    const uint64_t PART_DASH
    const uint64_t PART_COMMA
    const uint64_t PART_IN
    const uint64_t PART_THE
    const uint64_t PART_MINUS
    const uint64_t PART_INCHES
    const uint64_t PART_SQUARE
    const uint64_t PART_CUBIC
    const uint64_t PART_SLASH

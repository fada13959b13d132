"""Values as Python objects, with their keys."""

from decimal import Decimal
from typing import NamedTuple

from tokalign.english.values.kinds import Kind, Role
from tokalign.english.values.value_words import CODES, UNIT_BASES

_WEEKDAYS = ("", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


class Facts(NamedTuple):
    """The kernel's fields that make a key; see `value_structs.pxd`."""

    number_kind: int
    code: int
    amount: float
    high: float
    fields: tuple[int, ...]


class Value(NamedTuple):
    """A number, date or other value of a run of tokens.

    Attributes
    ----------
    kind : Kind
    key : str
        Equal for equal values of one kind: ``5000000``, ``50%``, ``5 pp`` (percentage points),
        ``1/2``, ``USD 5000000``, ``2019-01-03``, ``--01-03`` (no year), ``---12`` (a day alone),
        ``2019-Q3``, ``1990s``, ``C15`` (century), ``Mon``, ``15:30``, ``5000 m``, ``2.1``, ``3-1``,
        ``10..15``.
    start, end : int
        Half-open range of tokens.
    roles : tuple of Role
        Role of each token; ``Role.JOINT`` if it has no other.
    rank : int
        0 for the likeliest reading; other readings of the same value follow it, counted from 1.
    """

    kind: Kind
    key: str
    start: int
    end: int
    roles: tuple[Role, ...]
    rank: int = 0


def key_of(kind: Kind, facts: Facts) -> str:
    """Return the key of a value."""
    fields = facts.fields
    match kind:
        case Kind.DATE:
            return _date(*fields)
        case Kind.TIME:
            hour, minute, second, *_ = fields
            return f"{hour:02}:{minute:02}" + (f":{second:02}" if second else "")
        case Kind.FRACTION | Kind.SCORE:
            return f"{fields[0]}{'/' if kind == Kind.FRACTION else '-'}{fields[1]}"
        case Kind.VERSION:
            used = max((place for place, part in enumerate(fields) if part), default=0)
            return ".".join(map(str, fields[: used + 1]))
        case Kind.RANGE:
            amounts = f"{written(facts.amount)}..{written(facts.high)}"
            return _measured(amounts, facts.number_kind, facts.code)
    return _measured(written(facts.amount), kind, facts.code)


def written(amount: float) -> str:
    """Return a number in digits, without rounding errors.

    >>> written(1.1 * 1e6), written(0.1 + 0.2), written(-2.0)
    ('1100000', '0.3', '-2')
    """
    if amount == round(amount) and abs(amount) < 2**53:
        return str(round(amount))
    return format(Decimal(f"{amount:.13g}"), "f")


def _measured(amount: str, kind: int, code: int) -> str:
    match kind:
        case Kind.PERCENT:
            return f"{amount} pp" if code == 1 else f"{amount}%"
        case Kind.MONEY:
            return f"{CODES[code]} {amount}"
        case Kind.QUANTITY:
            return f"{amount} {UNIT_BASES[code]}"
    return amount


def _date(year: int, period: int, month: int, day: int, weekday: int, quarter: int) -> str:
    if period == 100:
        return f"C{year // 100 + 1}"
    if period == 10:
        return f"{year}s"
    if quarter:
        return f"{year}-Q{quarter}" if year else f"Q{quarter}"
    date = ""
    if month or day:
        date = f"{year or '-'}-{f'{month:02}' if month else ''}" + (f"-{day:02}" if day else "")
    elif year:
        date = str(year)
    return f"{date} {_WEEKDAYS[weekday]}".strip()

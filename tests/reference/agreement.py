"""Agreement between tokens of two sentences' values: the slow twin, on the reference's values."""

from __future__ import annotations

from fractions import Fraction

from tokalign.english.values import Kind, Role, Strength
from tokalign.english.values.value import SIZES, UNIT_BASES

from reference.value_pieces import Said

NUMBERS = Role.NUMBER | Role.SCALE
MEASURES = Role.CURRENCY | Role.UNIT | Role.PERCENT
ROLE_OF_FIELD = {
    "year": Role.YEAR,
    "month": Role.MONTH,
    "day": Role.DAY,
    "weekday": Role.WEEKDAY,
    "quarter": Role.QUARTER,
}
MEASURED = (Kind.MONEY, Kind.QUANTITY, Kind.PERCENT, Kind.RANGE)
NUMBERED = (Kind.NUMBER, Kind.FRACTION, Kind.ORDINAL, Kind.MONEY, Kind.QUANTITY, Kind.PERCENT)

Cells = dict[tuple[int, int], Strength]


def same_values(source: list[Said], target: list[Said]) -> Cells:
    cells: Cells = {}
    for a in source:
        for b in target:
            for cell, strength in compared(a, b).items():
                cells[cell] = max(strength, cells.get(cell, strength))
    return cells


def roles_of(said: Said) -> list[tuple[int, Role]]:
    """Return tokens and roles; a number says the scale too where no other token does."""
    has_scale = any(role & Role.SCALE for role in said.roles)
    return [
        (said.start + k, role | Role.SCALE if role & Role.NUMBER and not has_scale else role)
        for k, role in enumerate(said.roles)
    ]


def cells_of(a: Said, b: Said, roles: Role, strength: Strength) -> Cells:
    return {
        (i, j): strength
        for i, role in roles_of(a)
        for j, other in roles_of(b)
        if role & other & roles
    }


def crossed(a: Said, b: Said, roles: Role, others: Role, strength: Strength) -> Cells:
    return {
        (i, j): strength
        for i, role in roles_of(a)
        for j, other in roles_of(b)
        if role & roles and other & others
    }


def compared(a: Said, b: Said) -> Cells:
    everything = ~Role(0)
    may_differ = a.rank == b.rank == 0
    if a.kind != b.kind:
        return unlike(a, b)
    if a.key == b.key and a.roles == b.roles:
        places = [k for k, role in enumerate(a.roles) if role]
        return {(a.start + k, b.start + k): Strength.SAME_VALUE for k in places}
    if a.key == b.key:
        return cells_of(a, b, everything, Strength.SAME_VALUE)
    if a.kind == Kind.DATE:
        return dates(a, b, may_differ)
    if a.kind in MEASURED:
        return measured(a, b, may_differ)
    return cells_of(a, b, everything & ~Role.MARK, Strength.DIFFERENT) if may_differ else {}


def dates(a: Said, b: Said, may_differ: bool) -> Cells:
    cells: Cells = {}
    first, second = a.facts["date"], b.facts["date"]
    for name in first.keys() & second.keys() & ROLE_OF_FIELD.keys():
        if name == "year" and first.get("period", 1) != second.get("period", 1):
            continue
        strength = Strength.SAME_PART if first[name] == second[name] else Strength.DIFFERENT
        if strength == Strength.SAME_PART or may_differ:
            for cell, each in cells_of(a, b, ROLE_OF_FIELD[name], strength).items():
                cells[cell] = max(each, cells.get(cell, each))
    return cells


def measured(a: Said, b: Said, may_differ: bool) -> Cells:
    cells: Cells = {}
    same_code = a.facts["code"] == b.facts["code"] and a.facts.get("of") == b.facts.get("of")
    may_differ = may_differ and (same_code or a.kind == Kind.MONEY)
    parts = [(NUMBERS, a.facts.get("number"), b.facts.get("number"), Strength.SAME_NUMBER)]
    if a.kind == Kind.RANGE:
        ends = zip(a.facts["ends"], b.facts["ends"], strict=True)
        parts = [
            (role, *end, Strength.SAME_NUMBER)
            for role, end in zip((Role.LOW, Role.HIGH), ends, strict=True)
        ]
    for roles, first, second, same in [*parts, (MEASURES, same_code, True, Strength.SAME_UNIT)]:
        if first == second or may_differ:
            strength = same if first == second else Strength.DIFFERENT
            for cell, each in cells_of(a, b, roles, strength).items():
                cells[cell] = max(each, cells.get(cell, each))
    return cells


def share(said: Said) -> Fraction | None:
    if said.kind == Kind.PERCENT and said.facts["code"] == -1:
        return said.facts["amount"] / 100
    return said.facts["amount"] if said.kind in (Kind.FRACTION, Kind.NUMBER) else None


def numbered(said: Said) -> tuple[Role, Fraction | None]:
    if said.kind == Kind.DATE and "day" in said.facts["date"]:
        return Role.DAY, Fraction(said.facts["date"]["day"])
    if said.kind in NUMBERED:
        return NUMBERS, said.facts["number"]
    return Role(0), None


def unlike(a: Said, b: Said) -> Cells:
    """Compare two values of unlike kinds."""
    everything = ~Role(0)
    one = share(a)
    if Kind.FRACTION in (a.kind, b.kind) and one is not None and one >= 0 and one == share(b):
        return crossed(a, b, everything, everything, Strength.SAME_VALUE)
    (roles, number), (others, other) = numbered(a), numbered(b)
    if number is None or number != other:
        return {}
    if Role.DAY in (roles, others):
        both = NUMBERS | Role.DENOMINATOR
        roles, others = (each if each == Role.DAY else both for each in (roles, others))
        return crossed(a, b, roles, others, Strength.SAME_NUMBER)
    return cells_of(a, b, NUMBERS, Strength.SAME_NUMBER)


def are_equal(a: Said, b: Said) -> bool:
    """Whether two values are the same, or one is the other converted and rounded."""
    if a.kind != b.kind:
        one, other = share(a), share(b)
        if Kind.FRACTION not in (a.kind, b.kind) or None in (one, other) or one < 0:
            return False
        if are_shares(a, b):
            return bool(abs(one - other) <= Fraction(4, 100) * max(one, other))
        return bool(one == other)
    if a.key == b.key:
        return True
    if not of_one_dimension(a, b):
        return False
    first, second = a.facts["amount"], b.facts["amount"]
    within = 0.04
    if a.facts["code"] != b.facts["code"]:
        units = [UNIT_BASES[each.facts["code"]] for each in (a, b)]
        first, second = (
            float(each) * next(sizes[unit] for sizes in SIZES.values() if unit in sizes)
            for each, unit in zip((first, second), units, strict=True)
        )
        loose = {"cup", "gal", "month", "pint", "t", "year"} & set(units)
        if loose and loose != {"month", "year"}:
            within = 0.25
    elif first * b.facts["number"] == second * a.facts["number"]:
        return False
    return bool(abs(first - second) <= within * max(abs(first), abs(second)))


def are_shares(a: Said, b: Said) -> bool:
    kinds = {a.kind, b.kind} == {Kind.PERCENT, Kind.FRACTION}
    return kinds and all((share(each) or -1) >= 0 for each in (a, b))


def of_one_dimension(a: Said, b: Said) -> bool:
    if not a.kind == b.kind == Kind.QUANTITY:
        return False
    units = {UNIT_BASES[each.facts["code"]] for each in (a, b)}
    return len(units) == 1 or any(units <= sizes.keys() for sizes in SIZES.values())


def contradict(a: Said, b: Said) -> bool:
    """Whether two values in one place cannot both hold."""
    if a.rank or b.rank or are_equal(a, b):
        return False
    if a.kind != b.kind:
        return are_shares(a, b) or {a.kind, b.kind} == {Kind.RANGE, Kind.SCORE}
    if a.kind == Kind.DATE:
        first, second = a.facts["date"], b.facts["date"]
        unlike = [
            name
            for name in first.keys() & second.keys() & ROLE_OF_FIELD.keys()
            if first[name] != second[name]
        ]
        return bool(set(unlike) - {"year"}) or (
            unlike == ["year"] and first.get("period", 1) == second.get("period", 1)
        )
    if a.kind == Kind.QUANTITY and a.facts["code"] != b.facts["code"]:
        return of_one_dimension(a, b) or bool(a.facts["number"] == b.facts["number"])
    return True

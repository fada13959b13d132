"""Numbers, money, dates and other values in the tokens of a sentence, in a normal form."""

from tokalign.values.agreement import Agreement, same_values
from tokalign.values.finding import find_values
from tokalign.values.kinds import Kind, Part, Role, Strength
from tokalign.values.reading import Reading
from tokalign.values.tokens import readings
from tokalign.values.value import Value

__all__ = [
    "Agreement",
    "Kind",
    "Part",
    "Reading",
    "Role",
    "Strength",
    "Value",
    "find_values",
    "readings",
    "same_values",
]

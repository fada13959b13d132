"""Numbers, money, dates and other values in the tokens of a sentence, in a normal form."""

from tokalign.english.values.agreement import Agreement, same_values
from tokalign.english.values.finding import find_values
from tokalign.english.values.kinds import Kind, Part, Role, Strength
from tokalign.english.values.reading import Reading
from tokalign.english.values.tokens import readings
from tokalign.english.values.value import Value

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

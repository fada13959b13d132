"""Numbers, money, dates and other values in the tokens of a sentence, in a normal form."""

from tokalign.english.values.kinds import Kind, Part, Role, Strength
from tokalign.english.values.token_readings import Reading, readings
from tokalign.english.values.value import Value
from tokalign.english.values.value_finding import are_one_value, find_values, only_value

__all__ = [
    "Kind",
    "Part",
    "Reading",
    "Role",
    "Strength",
    "Value",
    "are_one_value",
    "find_values",
    "only_value",
    "readings",
]

from collections.abc import Iterable
from typing import NamedTuple

from tokalign.english.values.kinds import Strength
from tokalign.english.values.value import Value

class Agreement(NamedTuple):
    source: int
    target: int
    strength: Strength

def same_values(
    source_values: Iterable[Value], target_values: Iterable[Value]
) -> list[Agreement]: ...

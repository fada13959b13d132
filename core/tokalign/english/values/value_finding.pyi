from collections.abc import Iterable

from tokalign.english.values.value import Value

def find_values(tokens: Iterable[str]) -> list[Value]: ...

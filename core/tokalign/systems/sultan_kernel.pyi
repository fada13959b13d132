from collections.abc import Sequence
from typing import TypeAlias

from tokalign.english.lexicon.lexical_tables import Paraphrases, WordNet

_Prepared: TypeAlias = tuple[
    Sequence[str], Sequence[str], Sequence[str], Sequence[tuple[int, int, str]]
]

RULES: tuple[str, ...]

class SultanKernel:
    def __init__(self, wordnet: WordNet, listed: Paraphrases | None = None) -> None: ...
    def align(self, source: _Prepared, target: _Prepared) -> list[tuple[int, int, int, int]]: ...

from collections.abc import Sequence
from typing import TypeAlias

from tokalign.english.lexicon.paraphrases import Paraphrases
from tokalign.english.lexicon.wordnet import WordNet

Prepared: TypeAlias = tuple[
    Sequence[str], Sequence[str], Sequence[str], Sequence[tuple[int, int, str]]
]

RULES: tuple[str, ...]

class SultanKernel:
    def __init__(self, wordnet: WordNet, listed: Paraphrases | None = None) -> None: ...
    def align(self, source: Prepared, target: Prepared) -> list[tuple[int, int, int, int]]: ...

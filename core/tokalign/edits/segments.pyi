from collections.abc import Callable

from tokalign.types import Sentence

PUNCTUATION: int
COMMA: int

class WordFacts:
    def __init__(self, idf: Callable[[str], float]) -> None: ...

def tags_of(sentence: Sentence) -> tuple[str, ...]: ...

RUN: float
LINKED: float
SEGMENT_INPUTS: tuple[str, ...]

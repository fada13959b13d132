from collections.abc import Callable
from typing import Any, Never

import numpy as np
from numpy.typing import NDArray

from tokalign.english.reading import TextReading

MAX_WORD_BYTES: int

class Words:
    tags: tuple[str, ...]
    tokens: list[str]
    lemmas: list[str]
    n_bytes: int
    def __init__(self, tags: tuple[str, ...]) -> None: ...
    def __len__(self) -> int: ...
    def tag(self, word: int) -> str: ...

class TextAnnotator:
    words: Words
    def __init__(self, tagger: Any, lemmatize: Callable[[str, str], str]) -> None: ...
    def __call__(
        self,
        texts: list[str],
        tokens: list[tuple[str, ...] | None] | None = ...,
        places: list[tuple[tuple[int, ...], tuple[int, ...]] | None] | None = ...,
        readings: list[TextReading | None] | None = ...,
    ) -> AnnotatedTexts: ...

class AnnotatedTexts:
    words: Words
    def __init__(self, *args: object, **kwargs: object) -> Never: ...
    def __len__(self) -> int: ...
    def columns(
        self,
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]: ...
    def tags(self) -> NDArray[np.uint8]: ...
    def n_tokens(self, index: int) -> int: ...
    def sentence_ranges(self, index: int) -> list[tuple[int, int]]: ...
    def field(self, index: int, name: str) -> Any: ...

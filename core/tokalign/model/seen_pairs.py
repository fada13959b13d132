"""Sketches of the corpora that a model was trained on, to tell whether gold is among them.

A sketch is the smallest hashes of a corpus's pairs. A pair is seen as the letters of its two sides,
so a sketch holds for every format, order and tokenisation; a part of a corpus meets its share of
the sketch. Kaufman et al. (2012), Leakage in Data Mining, say why training data flatter.
"""

import hashlib
from collections.abc import Iterable

from tokalign.model.file import ModelHeader
from tokalign.types import GoldPair

SKETCH = 64
"""Most hashes of a sketch."""
_FEWEST = 2
"""A single pair may be in two corpora by chance, such as "Yes." and "No."."""


def sketch_of(pairs: Iterable[GoldPair]) -> list[str]:
    """Return the smallest hashes of some pairs, at most SKETCH, in order."""
    return sorted(_hashes(pairs))[:SKETCH]


def trained_on(header: ModelHeader, pairs: Iterable[GoldPair], name: str) -> list[str]:
    """Return the corpora of a model that hold some of the pairs.

    `name`: of their file; it alone decides where a model was trained before headers had sketches.
    """
    if not header.seen:
        return [each for each in header.corpora if each == name]
    here = _hashes(pairs)
    return [each for each, sketch in header.seen.items() if len(here & {*sketch}) >= _FEWEST]


def _hashes(pairs: Iterable[GoldPair]) -> set[str]:
    texts = ("\0".join(map(_letters, (pair.source, pair.target))) for pair in pairs)
    return {hashlib.sha256(text.encode()).hexdigest()[:8] for text in texts}


def _letters(side: object) -> str:
    tokens = getattr(side, "tokens", side)
    assert isinstance(tokens, tuple | list)
    return "".join("".join(tokens).split()).casefold()

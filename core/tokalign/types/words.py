"""Words of an alignment, each with its place in the text and its links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tokalign.types.sentence import Sentence

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tokalign.types.links import Link


@dataclass(frozen=True, slots=True)
class AlignedWord:
    """A token of one side of an alignment.

    Attributes
    ----------
    index : int
        0-based, among the tokens of its side.
    text : str
        The token.
    start, end : int
        Half-open range in the text of its side; see Sentence.
    links : tuple of Link
        That it is part of, ordered by the other side's token.
    unlinked : float or None
        Probability that it has no partner, in [0, 1]: that none of its possible links holds, if
        each does with its posterior and whatever the others do. None unless posteriors were asked
        for.
    """

    index: int
    text: str
    start: int
    end: int
    links: tuple[Link, ...]
    unlinked: float | None


def words_of(
    sentence: Sentence,
    links: dict[int, list[Link]],
    posteriors: NDArray[np.float32] | None,
) -> tuple[AlignedWord, ...]:
    """Return the words of one side.

    Parameters
    ----------
    sentence : Sentence
    links : dict
        Token of this side -> its links.
    posteriors : float32 array, shape (n_tokens, n_others), or None
    """
    unlinked: list[float] | list[None] = [None] * len(sentence)
    if posteriors is not None:
        unlinked = (1.0 - posteriors.astype(float)).prod(axis=1).tolist()
    columns = zip(sentence.tokens, sentence.starts, sentence.ends, unlinked, strict=True)
    return tuple(
        AlignedWord(index, token, start, end, tuple(links.get(index, ())), chance)
        for index, (token, start, end, chance) in enumerate(columns)
    )

"""Sentences too long for a pair, cut into pieces."""

from __future__ import annotations

from collections.abc import Iterator

from tokalign.english.annotate._tokenize import tokenize

MOST_CHARACTERS = 10_000
"""Of a piece, whatever its tokens are."""


def is_short(text: str, most: int) -> bool:
    """Whether a text has at most so many tokens, as the native annotator finds them."""
    return len(text) <= most or (len(text) <= MOST_CHARACTERS and len(tokenize(text)[0]) <= most)


def tokens_of(text: str) -> list[str]:
    """Return the tokens of a text, as the native annotator finds them.

    Examples
    --------
    >>> tokens_of("It isn't.")
    ['It', 'is', "n't", '.']
    """
    return list(tokenize(text)[0])


def pieces(text: str, most: int) -> Iterator[tuple[int, int]]:
    """Yield the pieces of a sentence that have at most so many tokens.

    A piece ends before a line break, where there is one in its second half, else before the last
    white space that lets it be short enough, and only without any inside a word. A piece of more
    than MOST_CHARACTERS is cut after so many.

    Parameters
    ----------
    text : str
        Without white space at either end.
    most : int
        At least 1.

    Yields
    ------
    start, end : int
        Half-open ranges that neither begin nor end with white space, with nothing but white space
        between them.

    Examples
    --------
    >>> text = "one two\\nthree four five"
    >>> [text[start:end] for start, end in pieces(text, 3)]
    ['one two', 'three four five']
    """
    if is_short(text, most):
        yield 0, len(text)
        return
    _, starts, ends = tokenize(text)
    first = 0
    while first < len(starts):
        last = min(first + most, len(starts))
        if last < len(starts):
            gaps = [text[ends[k - 1] : starts[k]] for k in range(first + 1, last + 1)]
            last = first + 1 + _best_cut(gaps)
        yield from _cut(text, starts[first], ends[last - 1])
        first = last


def _cut(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield a range in parts of at most MOST_CHARACTERS, each without white space around it."""
    for part in range(start, end, MOST_CHARACTERS):
        piece = text[part : min(part + MOST_CHARACTERS, end)]
        if piece.strip():
            first = part + len(piece) - len(piece.lstrip())
            yield first, first + len(piece.strip())


def _best_cut(gaps: list[str]) -> int:
    """Return at which of the gaps between a piece's tokens and the next one to cut."""
    for k in range(len(gaps) - 1, len(gaps) // 2 - 1, -1):
        if "\n" in gaps[k]:
            return k
    for k in range(len(gaps) - 1, -1, -1):
        if gaps[k]:
            return k
    return len(gaps) - 1

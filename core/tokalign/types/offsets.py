"""Offsets in the units by which other languages index strings."""

from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate

from tokalign.types.options import OffsetUnit
from tokalign.types.sentence import Sentence

_WIDTHS: dict[OffsetUnit, Callable[[str], int]] = {
    OffsetUnit.UTF8_BYTES: lambda c: 1 + (c > "\x7f") + (c > "\u07ff") + (c > "\uffff"),
    OffsetUnit.UTF16_UNITS: lambda c: 1 + (c > "\uffff"),
}


def positions(text: str, unit: OffsetUnit) -> range | list[int]:
    """Return the offset of each code point of a text, and of the text's end, in a unit.

    Examples
    --------
    >>> positions("a\u00e9\N{DOG}", OffsetUnit.UTF8_BYTES)
    [0, 1, 3, 7]
    >>> positions("a\u00e9\N{DOG}", OffsetUnit.UTF16_UNITS)
    [0, 1, 2, 4]
    """
    if unit is OffsetUnit.CODE_POINTS or text.isascii():
        return range(len(text) + 1)
    return list(accumulate(map(_WIDTHS[unit], text), initial=0))


def place(text: str, at: int, unit: OffsetUnit) -> int:
    """Return the offset of a code point of a text, in a unit; see `positions`."""
    if unit is OffsetUnit.CODE_POINTS or text.isascii():
        return at
    before = text[:at]
    if unit is OffsetUnit.UTF8_BYTES:
        return len(before.encode(errors="surrogatepass"))
    return len(before.encode("utf-16-le", errors="surrogatepass")) // 2


def in_unit(sentence: Sentence, unit: OffsetUnit) -> Sentence:
    """Return a sentence with offsets converted from code points to a unit."""
    if unit is OffsetUnit.CODE_POINTS or sentence.text.isascii():
        return sentence
    at = positions(sentence.text, unit)
    return sentence.replace(
        starts=tuple([at[start] for start in sentence.starts]),
        ends=tuple([at[end] for end in sentence.ends]),
    )


def places(text: str, offsets: Iterable[int], unit: OffsetUnit) -> Iterator[int]:
    """Yield rising offsets in code points of a text in a unit, reading each code point once."""
    before = start = 0
    for offset in offsets:
        before += place(text[start:offset], offset - start, unit)
        start = offset
        yield before

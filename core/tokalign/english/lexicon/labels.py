"""Closed sets of the lexicon that features have axes over; the build reads them, so nothing here
needs NumPy or a compiled module."""

from __future__ import annotations

from functools import cache

from tokalign.files.shipped import data_dir

RELATION_NAMES: tuple[str, ...] = (
    "synonym", "hypernym", "hyponym", "derived", "entailing", "causing", "member-of",
    "has-member", "substance-of", "has-substance", "part-of", "has-part", "similar",
    "verb-group", "pertainym", "antonym", "derived-synonym", "hypernym-within-3",
    "hyponym-within-3", "cohyponym",
)  # fmt: skip
"""Relations of WordNet entries, in the order of their bits in wordnet.pxd."""

_TITLES = """
    mr. mrs. ms. dr. mr mrs ms dr sen. rep. gov. gen. col. capt. lt. sgt. prof. rev. st. sir lord
    lady president premier minister chancellor senator governor mayor king queen prince princess
    pope general colonel captain judge justice professor doctor director chairman secretary
    ambassador city state county province district island islands river lake sea ocean mount
    mountain valley street road avenue park bridge airport north south east west northern southern
    eastern western new old university college school hospital museum institute church bank agency
    office house navy army force forces police party committee council court department ministry
"""

TITLES = frozenset(_TITLES.split())
"""Titles, and kinds of places and bodies, in lower case: parts of many names, no sign of one."""


@cache
def function_words() -> tuple[str, ...]:
    """Return the function words that ship with the package, in a fixed order."""
    text = (data_dir() / "function_words.txt").read_text(encoding="utf-8")
    return tuple(line for line in text.splitlines() if line and not line.startswith("#"))

"""Short forms and contractions with the words that they stand for."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import NamedTuple

from tokalign.errors import InputError, quoted

FIELDS = ("business", "chat", "contraction", "technology", "titles", "units")


class Expansion(NamedTuple):
    """What a short form stands for: words in lower case, and the field that it is used in."""

    words: tuple[str, ...]
    field: str


def expansions(token: str) -> tuple[Expansion, ...]:
    """Return what a short form or contraction may stand for.

    Parameters
    ----------
    token : str
        In any case; a dot at the end or inside is left out.

    Returns
    -------
    tuple of Expansion
        In the order of the table; nothing for other words.

    Raises
    ------
    InputError
        If the token is no string.

    Examples
    --------
    >>> [" ".join(each.words) for each in expansions("btw")]
    ['by the way']
    >>> [" ".join(each.words) for each in expansions("n't")]
    ['not']
    """
    if not isinstance(token, str):
        raise InputError(f"a token is {quoted(token)}, wanted a str")
    lower = token.lower().replace("’", "'")
    found = short_forms()
    return found.get(lower) or found.get(lower.replace(".", ""), ())


@cache
def short_forms() -> dict[str, tuple[Expansion, ...]]:
    """Return the table of short forms that ships with the package."""
    text = files("tokalign").joinpath("data", "short-forms.tsv").read_text(encoding="utf-8")
    table: dict[str, tuple[Expansion, ...]] = {}
    for line in text.splitlines():
        if line and not line.startswith("# "):
            short, long, field = line.split("\t")
            table[short] = (*table.get(short, ()), Expansion(tuple(long.split()), field))
    return table

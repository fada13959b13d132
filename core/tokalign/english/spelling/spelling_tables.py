"""Tables and patterns of words: British and American, short forms, identifiers of code."""

import re
from functools import cache
from typing import NamedTuple

from tokalign.errors import InputError, quoted
from tokalign.files.shipped import LISTS, shipped_rows

RULES = tuple(
    (british, american, int(before), int(length), tuple(each.strip("-") for each in endings))
    for rule, endings in LISTS.rows["british-endings"]
    for british, american, before, length in [rule.split()]
)
"""British, American, least number of letters before them, least length of the British word, and the
endings that may follow (any if none are given)."""

PAIRS: tuple[tuple[str, str], ...] = tuple(
    (british, american) for american, (british,) in LISTS.rows["spellings"]
)
"""Pairs of words that follow no rule; each also with -s on both."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_NAME = re.compile(
    r"[a-z0-9]+(?:[A-Z][a-z0-9]*)+"  # camelCase
    r"|(?:[A-Z]+[a-z0-9]+){2,}"  # PascalCase
    r"|[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+"  # snake_case
    r"|[a-z0-9]+(?:-[a-z0-9]+)+"  # kebab-case
    r"|[A-Za-z][A-Za-z0-9_]*(?:\.[A-Za-z][A-Za-z0-9_]*)+"  # dotted.name
)

FIELDS = ("business", "chat", "contraction", "names", "technology", "titles", "units")


class Expansion(NamedTuple):
    """Meaning of a short form: words in lower case, and the field that uses it."""

    words: tuple[str, ...]
    field: str


def expansions(token: str) -> tuple[Expansion, ...]:
    """Return the possible meanings of a short form or contraction, in the order of the table.

    The token is in any case, and dots are ignored; other words have no meaning here. Raises
    InputError if the token is not a string.

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
    """Return the shipped table of short forms."""
    table: dict[str, tuple[Expansion, ...]] = {}
    for short, long, field in shipped_rows("short-forms.tsv"):
        table[short] = (*table.get(short, ()), Expansion(tuple(long.split()), field))
    return table


def code_words(token: str) -> tuple[str, ...]:
    """Return the lower-case words of an identifier of code, or () for another token.

    It is in camelCase, PascalCase, snake_case, kebab-case or dotted.

    Examples
    --------
    >>> code_words("getUserName"), code_words("JSONDecodeError"), code_words("word")
    (('get', 'user', 'name'), ('json', 'decode', 'error'), ())
    """
    if not _NAME.fullmatch(token):
        return ()
    return tuple(word.lower() for word in _WORD.findall(token))

"""Names of code, cut into their words."""

from __future__ import annotations

import re

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_NAME = re.compile(
    r"[a-z0-9]+(?:[A-Z][a-z0-9]*)+"  # camelCase
    r"|(?:[A-Z]+[a-z0-9]+){2,}"  # PascalCase
    r"|[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+"  # snake_case
    r"|[a-z0-9]+(?:-[a-z0-9]+)+"  # kebab-case
    r"|[A-Za-z][A-Za-z0-9_]*(?:\.[A-Za-z][A-Za-z0-9_]*)+"  # dotted.name
)


def code_words(token: str) -> tuple[str, ...]:
    """Return the words of a name of code in lower case, or nothing if the token is none.

    Parameters
    ----------
    token : str
        camelCase, PascalCase, snake_case, kebab-case or dotted.

    Examples
    --------
    >>> code_words("getUserName"), code_words("JSONDecodeError"), code_words("word")
    (('get', 'user', 'name'), ('json', 'decode', 'error'), ())
    """
    if not _NAME.fullmatch(token):
        return ()
    return tuple(word.lower() for word in _WORD.findall(token))

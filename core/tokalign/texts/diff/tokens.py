"""Tokens of pieces of a text, for renderers that count in tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tokalign.texts.diff.form import TextRange

_TOKEN = re.compile(r"\d+(?:[.,:/]\d+)*|[^\W\d](?:\w|['’](?=\w))*|\w+|[^\w\s]")


def token_spans(text: str) -> Iterator[TextRange]:
    """Yield the range of each token: a number, a word with its clitics, or a single sign.

    Examples
    --------
    >>> text = "Don't pay $1,200."
    >>> [text[start:end] for start, end in token_spans(text)]
    ["Don't", 'pay', '$', '1,200', '.']
    """
    for found in _TOKEN.finditer(text):
        yield found.span()


def tokens_of(text: str) -> list[str]:
    """Return the tokens of a piece of text."""
    return _TOKEN.findall(text)

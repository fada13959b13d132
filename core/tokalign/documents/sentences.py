"""Sentences of a text, as they are aligned with those of another."""

from __future__ import annotations

from tokalign.annotate.pieces import pieces
from tokalign.annotate.sentences import Sentences
from tokalign.documents.items import cut_at_items
from tokalign.errors import InputError, LimitError
from tokalign.types.lengths import MAX_TEXT_SENTENCES
from tokalign.types.texts import SentenceSpan

MOST_TOKENS = 384
"""Of a sentence, or of two that are joined: fewer than a pair may have on one side, since another
annotator may find more of them."""


def sentences_of(text: str, name: str) -> tuple[SentenceSpan, ...]:
    """Return the sentences of a text; none of one that is empty or all white space.

    A heading and an item of a list are sentences. One of more than MOST_TOKENS is cut; its pieces
    count as sentences.

    Parameters
    ----------
    text : str
    name : str
        The field that errors name.

    Raises
    ------
    InputError
        If the text holds lone surrogates.
    LimitError
        If there are more than MAX_TEXT_SENTENCES.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"{name} is not valid Unicode: {error}", field=name) from error
    spans: list[SentenceSpan] = []
    for start, end in cut_at_items(text, Sentences(text)):
        for first, last in pieces(text[start:end], MOST_TOKENS):
            if len(spans) == MAX_TEXT_SENTENCES:
                raise LimitError(
                    f"{name} has more than {MAX_TEXT_SENTENCES} sentences; align it in parts",
                    field=name,
                )
            piece = text[start + first : start + last]
            spans.append(SentenceSpan(start + first, start + last, piece))
    return tuple(spans)

"""Sentences of a text, as they are aligned with those of another."""

from __future__ import annotations

from tokalign.annotate.sentences import Sentences
from tokalign.documents.items import cut_at_items
from tokalign.errors import InputError, LimitError
from tokalign.types.lengths import MAX_TEXT_SENTENCES
from tokalign.types.texts import SentenceSpan


def sentences_of(text: str, name: str) -> tuple[SentenceSpan, ...]:
    """Return the sentences of a text; none of one that is empty or all white space.

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
        if len(spans) == MAX_TEXT_SENTENCES:
            raise LimitError(
                f"{name} has more than {MAX_TEXT_SENTENCES} sentences; align it in parts",
                field=name,
            )
        spans.append(SentenceSpan(start, end, text[start:end]))
    return tuple(spans)

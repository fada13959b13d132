"""Texts of any number of sentences."""

from __future__ import annotations

from tokalign.annotate.sentences import Sentences
from tokalign.types.texts import SentenceSpan


def split(text: str) -> list[SentenceSpan]:
    r"""Return the sentences of an English text.

    Raw text that is aligned is split in the same way. A blank line always ends a sentence, a single
    line break is white space. The time grows with the length of the text.

    Parameters
    ----------
    text : str
        Of any length.

    Returns
    -------
    list of SentenceSpan
        In the order of the text. Nothing but white space is between them; none for blank text.

    Examples
    --------
    >>> for sentence in split("Dr. Wu came at 3 p.m. on Monday.\nShe left at 4."):
    ...     print(sentence)
    SentenceSpan(start=0, end=32, text='Dr. Wu came at 3 p.m. on Monday.')
    SentenceSpan(start=33, end=47, text='She left at 4.')
    """
    return [SentenceSpan(start, end, text[start:end]) for start, end in Sentences(text)]

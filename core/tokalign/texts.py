"""Texts of any number of sentences."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from tokalign.annotate.sentences import Sentences
from tokalign.differences import TextDiff, same_texts
from tokalign.types.options import AlignOptions
from tokalign.types.texts import SentenceSpan, TextAlignment

if TYPE_CHECKING:
    from tokalign.aligner import Aligner

_loading = threading.Lock()
_loaded: list[Aligner] = []


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


def align_texts(
    old: str,
    new: str,
    options: AlignOptions | None = None,
    *,
    aligner: Aligner | None = None,
    **changes: Any,
) -> TextAlignment:
    """Return which sentences of two texts belong together, and the alignments of these.

    Parameters
    ----------
    old, new : str
        Raw text of any number of sentences, also of none.
    options : AlignOptions, optional
        Of the alignments.
    aligner : Aligner, optional
        By default one with the default model, loaded once and shared by threads, which take turns.
    **changes
        Fields of AlignOptions, in place of those of `options`.

    Raises
    ------
    InputError, LimitError
        As Aligner.align_texts has them.

    Examples
    --------
    >>> texts = align_texts("It rained. Dogs bark.", "It rained. The dogs bark. Cats sleep.")
    >>> for block in texts.blocks:
    ...     print(block.old, block.new, block.moved)
    (0,) (0,) False
    (1,) (1,) False
    () (2,) False
    """
    return (aligner or default_aligner()).align_texts(old, new, options, **changes)


def diff(
    old: str,
    new: str,
    options: AlignOptions | None = None,
    *,
    aligner: Aligner | None = None,
    **changes: Any,
) -> TextDiff:
    """Return what changed from one text to another.

    Parameters
    ----------
    old, new : str
        Raw text of any number of sentences, also of none. Where they are equal, no model is loaded.
    options : AlignOptions, optional
        Of the alignments.
    aligner : Aligner, optional
        By default one with the default model, loaded once and shared by threads, which take turns.
    **changes
        Fields of AlignOptions, in place of those of `options`.

    Raises
    ------
    InputError, LimitError
        As Aligner.align_texts has them.

    Examples
    --------
    >>> from tokalign.differences import summarize
    >>> found = diff("It has 40 rooms. It is old.", "It is old. It has 45 rooms.")
    >>> for alarm in summarize(found).alarms:
    ...     print(alarm.change, alarm)
    number 40 → 45
    >>> found.rebuild_new("It has 40 rooms. It is old.")
    'It is old. It has 45 rooms.'
    """
    if isinstance(old, str) and old == new:
        AlignOptions.of(options, changes)
        return same_texts(old, [(each.start, each.end) for each in split(old)])
    return (aligner or default_aligner()).diff(old, new, options, **changes)


def default_aligner() -> Aligner:
    """Return an aligner with the default model, the same whenever it is asked for."""
    from tokalign.aligner import Aligner  # with all that aligns, which splitting does not need

    with _loading:
        if not _loaded:
            _loaded.append(Aligner.load())
        return _loaded[0]

"""Edits: what was kept, rewritten, left out, added or moved from one sentence to another.

MacCartney, Galley and Manning (2008), EMNLP: A Phrase-Based Alignment Model for Natural Language
Inference, section 3.1: an alignment is a set of edits EQ, SUB, DEL and INS over phrases, and every
token is part of exactly one. MOV, the same words at another place, is added to them.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass


class EditKind(enum.StrEnum):
    """Kinds of edits of a phrase, from the source to the target."""

    EQUAL = "EQ"
    SUBSTITUTE = "SUB"
    DELETE = "DEL"
    INSERT = "INS"
    MOVE = "MOV"


class Change(enum.StrEnum):
    """What an edit changes.

    The form alone: ``case``, ``punctuation``, ``spelling``, ``inflection``, and ``order`` of words
    that moved. The meaning: ``number`` (numbers, money, dates, times), ``name``, ``negation``,
    ``opposite``, ``wording`` (related words in the place of others), ``content`` (something is said
    that was not, or the reverse).
    """

    CASE = "case"
    PUNCTUATION = "punctuation"
    SPELLING = "spelling"
    INFLECTION = "inflection"
    ORDER = "order"
    NUMBER = "number"
    NAME = "name"
    NEGATION = "negation"
    OPPOSITE = "opposite"
    WORDING = "wording"
    CONTENT = "content"

    @property
    def is_form(self) -> bool:
        """Whether the form alone changes, not what is said."""
        return self in _FORMS


_FORMS = frozenset(
    (Change.CASE, Change.PUNCTUATION, Change.SPELLING, Change.INFLECTION, Change.ORDER)
)


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit.

    Attributes
    ----------
    kind : EditKind
    source, target : tuple of int
        A run of neighbouring tokens; empty on the side that an insertion or deletion leaves out.
        The same words on both sides where the kind is EQ or MOV.
    change : Change or None
        None exactly where the kind is EQ and the tokens are identical. Otherwise the kind EQ
        changes CASE alone: of one word that begins a sentence on one side and not on the other.
    """

    kind: EditKind
    source: tuple[int, ...]
    target: tuple[int, ...]
    change: Change | None = None

"""Edits from one sentence to another: kept, replaced, deleted, inserted or moved words.

MacCartney, Galley and Manning (2008), EMNLP: A Phrase-Based Alignment Model for Natural Language
Inference, section 3.1: an alignment is a set of edits EQ, SUB, DEL and INS over phrases, and every
token is part of exactly one. MOV, the same words at another place, is tokalign's addition.
"""

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
    """The kind of change that an edit makes.

    Changes of form: ``case``, ``punctuation``, ``spelling``, ``inflection``, and ``order`` of moved
    words. Changes of meaning that conflict with what was said (see ConflictKind): ``number``
    (numbers, money, dates, times), ``code``, ``name``, ``negation``, ``modality``, ``quantity``,
    ``condition``, ``opposite``, ``roles``. Other changes of meaning: ``wording`` (replaced by
    related words), ``content`` (information is added or removed).
    """

    CASE = "case"
    PUNCTUATION = "punctuation"
    SPELLING = "spelling"
    INFLECTION = "inflection"
    ORDER = "order"
    NUMBER = "number"
    CODE = "code"
    NAME = "name"
    NEGATION = "negation"
    MODALITY = "modality"
    QUANTITY = "quantity"
    CONDITION = "condition"
    OPPOSITE = "opposite"
    ROLES = "roles"
    WORDING = "wording"
    CONTENT = "content"

    @property
    def is_form(self) -> bool:
        """Whether only the form changes, not the meaning."""
        return self in _FORMS


CONFLICTING = (
    Change.NUMBER,
    Change.NEGATION,
    Change.MODALITY,
    Change.OPPOSITE,
    Change.QUANTITY,
    Change.CONDITION,
    Change.NAME,
    Change.ROLES,
    Change.CODE,
)
"""Changes that conflict with what was said, the most important first."""
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
        A run of neighbouring tokens; the source of an insertion and the target of a deletion are
        empty. EQ and MOV have the same words on both sides.
    change : Change or None
        None exactly if the kind is EQ and the tokens are identical. Otherwise the kind EQ has the
        change CASE: a word that begins a sentence on one side only.
    """

    kind: EditKind
    source: tuple[int, ...]
    target: tuple[int, ...]
    change: Change | None = None

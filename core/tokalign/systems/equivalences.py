"""Table 1 of Sultan et al. (2014): dependency types that say the same of two words.

Types are those of collapsed Stanford dependencies, as `tokalign.systems.dependencies` makes them.
The paper's ``pos`` is written ``poss``, the possessor's type in that scheme.
"""

from __future__ import annotations

NOUN, VERB, ADJECTIVE, ADVERB, OTHER = "noun", "verb", "adjective", "adverb", "other"
CATEGORIES: tuple[str, ...] = (NOUN, VERB, ADJECTIVE, ADVERB, OTHER)
"""Lexical categories; words of different ones are no evidence by dependencies."""

_OBJECTS = ("ccomp", "dobj", "nsubjpass", "rel", "partmod")
_CLAUSES_OF_NOUNS = ("infmod", "partmod", "rcmod")

SAME_DIRECTION: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (VERB, VERB, ("purpcl", "xcomp")),
    (VERB, NOUN, ("agent", "nsubj", "xsubj")),
    (VERB, NOUN, _OBJECTS),
    (VERB, NOUN, ("tmod", "prep_in", "prep_at", "prep_on")),
    (VERB, NOUN, ("iobj", "prep_to")),
    (NOUN, VERB, _CLAUSES_OF_NOUNS),
    (NOUN, NOUN, ("poss", "nn", "prep_of", "prep_in", "prep_at", "prep_for")),
    (NOUN, ADJECTIVE, ("amod", "rcmod")),
)
"""Category of the head, of the dependent, and types that are equivalent between them."""

OPPOSITE_DIRECTIONS: tuple[tuple[str, str, tuple[str, ...], tuple[str, ...]], ...] = (
    (VERB, NOUN, _OBJECTS, _CLAUSES_OF_NOUNS),
    (VERB, ADJECTIVE, ("acomp",), ("cop", "csubj")),
    (NOUN, ADJECTIVE, ("amod", "rcmod"), ("nsubj",)),
    *(
        (category, category, (type_,), (type_,))
        for category in (VERB, NOUN, ADJECTIVE, ADVERB)
        for type_ in ("conj_and", "conj_or", "conj_nor")
    ),
)
"""Categories a and b, types with head a and dependent b, and those with head b and dependent a
that are equivalent to them."""

_CATEGORY_OF = {"NN": NOUN, "VB": VERB, "JJ": ADJECTIVE, "RB": ADVERB}


def category_of(tag: str) -> str:
    """Return the lexical category of a Penn tag.

    Examples
    --------
    >>> [category_of(tag) for tag in ("NNPS", "VBZ", "JJR", "RB", "PRP", "CD")]
    ['noun', 'verb', 'adjective', 'adverb', 'other', 'other']
    """
    return _CATEGORY_OF.get(tag[:2], OTHER)

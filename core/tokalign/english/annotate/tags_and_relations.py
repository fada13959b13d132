"""Tags and dependency relations of the schemes that annotators use, and their classes and groups.

Features compare groups of relations, since labels of schemes may differ in name only: Universal
Dependencies' ``obj`` is Stanford's and ClearNLP's ``dobj``. Subtypes (``nmod:poss``) fall back to
their base unless they have a row.
"""

from tokalign.files.shipped import LISTS

PENN_TAGS = LISTS.words("penn-tags")
"""Tags of the Penn Treebank and of the web treebank's extensions; others count as XX."""
COARSE_TAGS = tuple(name for name, _ in LISTS.rows["coarse-tags"])
_COARSE_BY_TAG = LISTS.values("coarse-tags", str)

TAG_INDEX: dict[str, int] = {tag: k for k, tag in enumerate(PENN_TAGS)}
COARSE_INDEX: dict[str, int] = {
    tag: COARSE_TAGS.index(_COARSE_BY_TAG.get(tag, "mark")) for tag in PENN_TAGS
}

LABELS = dict(LISTS.rows["relation-groups"])
"""Labels of Universal Dependencies 2, Stanford, ClearNLP and CoNLL-2008-like trees, by group."""
GROUPS = tuple(LABELS)

_GROUP_OF = LISTS.values("relation-groups", str)


def group_of(label: str) -> str:
    """Return the group of a relation label; ``"other"`` if no row names it or its base.

    Examples
    --------
    >>> [group_of(label) for label in ("nsubj:pass", "dobj", "nmod:poss", "x-unknown")]
    ['subject', 'object', 'possessor', 'other']
    """
    return _GROUP_OF.get(label) or _GROUP_OF.get(label.partition(":")[0], "other")

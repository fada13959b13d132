"""The relations of every dependency scheme that annotators use, in one table of groups.

Features compare groups rather than labels where labels differ in name only: Universal
Dependencies' ``obj`` is Stanford's and ClearNLP's ``dobj``. Subtypes (``nmod:poss``) fall back to
their base unless they have a row.
"""

from __future__ import annotations

GROUPS: tuple[str, ...] = (
    "root", "subject", "object", "oblique", "nominal-modifier", "possessor", "compound",
    "adjective", "adverb", "determiner", "auxiliary", "clause", "conjunction", "case", "mark",
    "other",
)  # fmt: skip

LABELS: dict[str, tuple[str, ...]] = {
    "root": ("root", "ROOT", "null"),
    "subject": ("nsubj", "nsubjpass", "csubj", "csubjpass", "agent", "expl", "xsubj", "SUB"),
    "object": ("obj", "dobj", "iobj", "dative", "attr", "oprd", "OBJ", "PRD"),
    "oblique": ("obl", "pobj", "npadvmod", "tmod", "obl:tmod", "obl:npmod", "PMOD"),
    "nominal-modifier": ("nmod", "appos", "abbrev", "NMOD"),
    "possessor": ("nmod:poss", "poss", "possessive"),
    "compound": ("compound", "nn", "flat", "fixed", "mwe", "number", "goeswith"),
    "adjective": ("amod", "nummod", "num", "quantmod", "acl", "rcmod", "relcl", "acl:relcl", "vmod",
                  "infmod", "partmod"),
    "adverb": ("advmod", "neg", "prt", "compound:prt", "AMOD", "VMOD"),
    "determiner": ("det", "predet", "preconj", "det:predet", "cc:preconj"),
    "auxiliary": ("aux", "auxpass", "cop", "VC"),
    "clause": ("ccomp", "xcomp", "advcl", "pcomp", "parataxis", "acomp", "purpcl", "SBAR"),
    "conjunction": ("conj", "cc"),
    "case": ("case", "prep"),
    "mark": ("mark", "complm", "rel", "ref"),
    "other": ("punct", "p", "P", "dep", "discourse", "vocative", "orphan", "list", "dislocated",
              "reparandum", "intj", "meta", "DEP", "CLF"),
}  # fmt: skip
"""Labels of Universal Dependencies 2, Stanford, ClearNLP and CoNLL-2008-like trees, by group."""

_GROUP_OF = {label: group for group, labels in LABELS.items() for label in labels}


def group_of(label: str) -> str:
    """Return the group of a relation label; ``"other"`` if no row names it or its base.

    Examples
    --------
    >>> [group_of(label) for label in ("nsubj:pass", "dobj", "nmod:poss", "x-unknown")]
    ['subject', 'object', 'possessor', 'other']
    """
    return _GROUP_OF.get(label) or _GROUP_OF.get(label.partition(":")[0], "other")

"""Tags and dependency relations of the schemes that annotators use, and their classes and groups.

Features compare groups of relations, since labels of schemes may differ in name only: Universal
Dependencies' ``obj`` is Stanford's and ClearNLP's ``dobj``. Subtypes (``nmod:poss``) fall back to
their base unless they have a row.
"""

PENN_TAGS: tuple[str, ...] = (
    "CC", "CD", "DT", "EX", "FW", "IN", "JJ", "JJR", "JJS", "LS", "MD", "NN", "NNS", "NNP", "NNPS",
    "PDT", "POS", "PRP", "PRP$", "RB", "RBR", "RBS", "RP", "SYM", "TO", "UH", "VB", "VBD", "VBG",
    "VBN", "VBP", "VBZ", "WDT", "WP", "WP$", "WRB", "#", "$", ".", ",", ":", "-LRB-", "-RRB-",
    "``", "''", "HYPH", "NFP", "ADD", "AFX", "GW", "XX",
)  # fmt: skip
"""Tags of the Penn Treebank and of the web treebank's extensions; others count as XX."""

COARSE_TAGS: tuple[str, ...] = (
    "noun", "name", "verb", "adjective", "adverb", "pronoun", "determiner", "adposition",
    "conjunction", "number", "particle", "mark",
)  # fmt: skip

_COARSE_BY_TAG: dict[str, str] = {
    **dict.fromkeys(("NN", "NNS", "FW", "GW", "XX", "AFX", "ADD", "LS"), "noun"),
    **dict.fromkeys(("NNP", "NNPS"), "name"),
    **dict.fromkeys(("VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "MD"), "verb"),
    **dict.fromkeys(("JJ", "JJR", "JJS"), "adjective"),
    **dict.fromkeys(("RB", "RBR", "RBS", "WRB"), "adverb"),
    **dict.fromkeys(("PRP", "PRP$", "WP", "WP$", "EX"), "pronoun"),
    **dict.fromkeys(("DT", "PDT", "WDT"), "determiner"),
    **dict.fromkeys(("IN",), "adposition"),
    **dict.fromkeys(("CC",), "conjunction"),
    **dict.fromkeys(("CD",), "number"),
    **dict.fromkeys(("TO", "RP", "POS", "UH"), "particle"),
}

TAG_INDEX: dict[str, int] = {tag: k for k, tag in enumerate(PENN_TAGS)}
COARSE_INDEX: dict[str, int] = {
    tag: COARSE_TAGS.index(_COARSE_BY_TAG.get(tag, "mark")) for tag in PENN_TAGS
}

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

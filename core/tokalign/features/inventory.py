"""The closed sets of labels that feature axes range over."""

from __future__ import annotations

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

MARKS: tuple[str, ...] = (
    ".", ",", ":", ";", "?", "!", "``", "''", '"', "'", "`", "-", "--", "...", "-lrb-", "-rrb-",
    "(", ")", "[", "]", "{", "}", "$", "%", "&", "/", "#", "*",
)  # fmt: skip
"""Punctuation marks that have a SAME_WORD feature of their own, lower-cased."""
